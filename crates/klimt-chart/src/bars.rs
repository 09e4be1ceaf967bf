//! Bars beside each other, a group of them for every label.

use crate::axis::{Axis, AxisLayout};
use crate::canvas::{Anchor, Canvas, Colour, Lettering};
use crate::frame::{Frame, LegendKey, Plot, Rule, begin, below, nothing, rules, upright};
use crate::text::{fit, number, width};
use crate::{Chart, Sheet};

/// Where bars grow to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Direction {
    /// Upwards, labels below.
    #[default]
    Up,
    /// To the right, labels at the left: for labels that are long. The chart is as high as it needs to be.
    Right,
}

/// Bars, of one or several series for every label.
#[derive(Clone, Debug, PartialEq)]
pub struct Bars {
    /// Title and size.
    pub frame: Frame,
    /// The labels of the groups of bars.
    pub labels: Vec<String>,
    /// Their values; bars stand on zero, or on the end of the axis that is nearest to it.
    pub y: Axis,
    /// A name and a value for each label.
    pub series: Vec<(String, Vec<f64>)>,
    /// Lines to compare with (of bars that grow upwards).
    pub rules: Vec<Rule>,
    /// Whether every bar has its value written at its end, where there is room.
    pub values: bool,
    /// Where bars grow to.
    pub direction: Direction,
}

impl Bars {
    /// Bars for labels.
    pub fn new(frame: Frame, labels: Vec<String>, y: Axis) -> Self {
        let (series, rules, values) = (Vec::new(), Vec::new(), false);
        Bars { frame, labels, y, series, rules, values, direction: Direction::Up }
    }

    /// The same with another series: a value for each label.
    pub fn with(mut self, name: impl Into<String>, values: Vec<f64>) -> Self {
        self.series.push((name.into(), values));
        self
    }

    /// The same with a line to compare with.
    pub fn with_rule(mut self, at: f64, label: impl Into<String>) -> Self {
        self.rules.push(Rule { at, label: label.into() });
        self
    }

    /// The same with values at the ends of bars.
    pub fn with_values(mut self) -> Self {
        self.values = true;
        self
    }

    /// The same with bars that grow to the right, as high as its labels need.
    pub fn to_the_right(mut self) -> Self {
        self.direction = Direction::Right;
        let lines = self.labels.len() as f64 * (10.0 + 13.0 * self.series.len().max(1) as f64);
        self.frame.size.1 = lines + 90.0;
        self
    }

    /// The bars that can be drawn: label, series and value.
    fn marks(&self) -> impl Iterator<Item = (usize, usize, f64)> {
        let many = self.labels.len();
        self.series.iter().enumerate().flat_map(move |(series, (_, values))| {
            let told = values.iter().take(many).enumerate().filter(|(_, value)| self.y.takes(**value));
            told.map(move |(at, value)| (at, series, *value))
        })
    }

    /// A linear axis starts at zero unless set otherwise.
    fn values(&self) -> impl Iterator<Item = f64> {
        let zero = (self.y.from.is_none() && self.y.to.is_none_or(|to| to > 0.0)).then_some(0.0);
        self.marks().map(|mark| mark.2).chain(self.rules.iter().map(|rule| rule.at)).chain(zero)
    }

    fn meaning(&self, at: usize, series: usize, value: f64) -> String {
        match self.series[series].0.as_str() {
            "" => format!("{}: {}", self.labels[at], number(value)),
            name => format!("{}, {name}: {}", self.labels[at], number(value)),
        }
    }

    fn draw_up(&self, canvas: &mut Canvas, mut plot: Plot) {
        let up = upright(canvas, &mut plot, &self.y, self.values(), false);
        let step = (plot.right - plot.left) / self.labels.len().max(1) as f64;
        let wide = step * 0.8 / self.series.len().max(1) as f64;
        let places: Vec<(f64, String)> = self
            .labels
            .iter()
            .enumerate()
            .map(|(at, label)| (plot.left + step * (at as f64 + 0.5), label.clone()))
            .collect();
        for (at, series, value) in self.marks() {
            let x = plot.left + step * (at as f64 + 0.1) + wide * series as f64;
            let (base, end) = (up.at(up.base()), up.at(value));
            let gap = if wide > 4.0 { 1.5 } else { 0.0 };
            let size = ((wide - gap).max(0.3), (base - end).abs());
            canvas.bar((x, end.min(base)), size, series, &self.meaning(at, series, value));
            let text = number(value);
            let fits = width(&text, 9.5) <= wide + 4.0;
            if self.values && fits {
                let lettering = Lettering { size: 9.5, ..Lettering::TICK };
                canvas.text(x + wide / 2.0, end.min(base) - 4.0, &text, lettering);
            }
        }
        below(canvas, &plot, &places, Some(step));
        rules(canvas, &plot, &up, &self.y, &self.rules);
    }

    fn draw_right(&self, canvas: &mut Canvas, mut plot: Plot) {
        let labels: Vec<String> = self.labels.iter().map(|label| fit(label, 220.0, 12.0)).collect();
        let widest = labels.iter().map(|label| width(label, 12.0)).fold(0.0, f64::max);
        plot.left += widest + 10.0;
        plot.bottom = (plot.bottom - if self.y.label.is_empty() { 22.0 } else { 42.0 }).max(plot.top + 20.0);
        // Values are written behind the bars.
        let room = if self.values { 56.0 } else { 0.0 };
        let across: AxisLayout = self.y.laid(self.values(), (plot.left, plot.right - room), false);
        let ticks = self.y.marks(&across);
        for tick in &ticks {
            let x = across.at(tick.at);
            canvas.line((x, plot.top), (x, plot.bottom), Colour::Grid, false);
        }
        let step = (plot.bottom - plot.top) / self.labels.len().max(1) as f64;
        let high = step * 0.8 / self.series.len().max(1) as f64;
        for (at, series, value) in self.marks() {
            let y = plot.top + step * (at as f64 + 0.1) + high * series as f64;
            let (base, end) = (across.at(across.base()), across.at(value));
            let size = ((base - end).abs(), (high - if high > 4.0 { 1.5 } else { 0.0 }).max(0.3));
            canvas.bar((end.min(base), y), size, series, &self.meaning(at, series, value));
            if self.values && high >= 9.0 {
                let lettering = Lettering { size: 10.0, anchor: Anchor::Start, ..Lettering::TICK };
                canvas.text(end.max(base) + 5.0, y + high / 2.0 + 3.0, &number(value), lettering);
            }
        }
        let every = (12.0 / step).ceil().max(1.0) as usize;
        for (at, label) in labels.iter().enumerate().step_by(every) {
            let y = plot.top + step * (at as f64 + 0.5) + 4.0;
            canvas.text(plot.left - 8.0, y, label, Lettering::NAME.anchored(Anchor::End));
        }
        let places: Vec<(f64, String)> =
            ticks.iter().map(|tick| (across.at(tick.at), tick.label.clone())).collect();
        below(canvas, &plot, &places, None);
        crate::frame::name_below(canvas, &plot, &self.y.label);
    }
}

impl Chart for Bars {
    fn frame(&self) -> &Frame {
        &self.frame
    }

    fn draw(&self, sheet: &mut Sheet) {
        let canvas = &mut sheet.0;
        let names: Vec<&str> = self.series.iter().map(|(name, _)| name.as_str()).collect();
        let plot = begin(canvas, &self.frame, &names, LegendKey::Box);
        if self.marks().next().is_none() {
            return nothing(canvas, &plot);
        }
        match self.direction {
            Direction::Up => self.draw_up(canvas, plot),
            Direction::Right => self.draw_right(canvas, plot),
        }
    }
}
