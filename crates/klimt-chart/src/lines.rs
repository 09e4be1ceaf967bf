//! Lines through values, with a marker at each.

use crate::axis::{Axis, AxisLayout};
use crate::canvas::Canvas;
use crate::frame::{Frame, LegendKey, Plot, Rule, axes, begin, below, name_below, nothing, rules, upright};
use crate::text::number;
use crate::{Chart, Sheet};

/// The horizontal axis of lines.
#[derive(Clone, Debug, PartialEq)]
pub enum LineAxis {
    /// Numbers.
    Numbers(Axis),
    /// Labels at even distances: the x of a point is the number of its label, from 0.
    Labels {
        /// The name of the values.
        name: String,
        /// The labels.
        labels: Vec<String>,
    },
}

/// One line.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// The name.
    pub name: String,
    /// The places that it goes through, in this order.
    pub points: Vec<(f64, f64)>,
}

/// Lines over numbers or labels.
#[derive(Clone, Debug, PartialEq)]
pub struct Lines {
    /// Title and size.
    pub frame: Frame,
    /// The horizontal axis.
    pub x: LineAxis,
    /// Their values.
    pub y: Axis,
    /// The lines; a value that is not a number interrupts its line.
    pub series: Vec<Line>,
    /// Lines to compare with.
    pub rules: Vec<Rule>,
}

impl Lines {
    /// Lines over numbers.
    pub fn over(frame: Frame, x: Axis, y: Axis) -> Self {
        Lines { frame, x: LineAxis::Numbers(x), y, series: Vec::new(), rules: Vec::new() }
    }

    /// Lines over labels at even distances.
    pub fn over_labels(frame: Frame, name: impl Into<String>, labels: Vec<String>, y: Axis) -> Self {
        let x = LineAxis::Labels { name: name.into(), labels };
        Lines { frame, x, y, series: Vec::new(), rules: Vec::new() }
    }

    /// The same with another line: a value for each label (or for 0, 1, 2, …).
    pub fn with_values(self, name: impl Into<String>, values: &[f64]) -> Self {
        let points = values.iter().enumerate().map(|(at, value)| (at as f64, *value)).collect();
        self.with(name, points)
    }

    /// The same with another line.
    pub fn with(mut self, name: impl Into<String>, points: Vec<(f64, f64)>) -> Self {
        self.series.push(Line { name: name.into(), points });
        self
    }

    /// The same with a line to compare with.
    pub fn with_rule(mut self, at: f64, label: impl Into<String>) -> Self {
        self.rules.push(Rule { at, label: label.into() });
        self
    }

    fn axes(&self, canvas: &mut Canvas, plot: &mut Plot) -> (AxisLayout, AxisLayout) {
        let points = || self.series.iter().flat_map(|line| &line.points);
        let ys = points().map(|point| point.1).chain(self.rules.iter().map(|rule| rule.at));
        match &self.x {
            LineAxis::Numbers(x) => axes(canvas, plot, (x, &self.y), points().map(|point| point.0), ys),
            LineAxis::Labels { name, labels } => {
                let up = upright(canvas, plot, &self.y, ys, !name.is_empty());
                let many = labels.len().max(1) as f64;
                let room = (plot.right - plot.left) / many;
                let ends = (plot.left + room / 2.0, plot.right - room / 2.0);
                let ends = if labels.len() < 2 { (ends.0, ends.0 + 1e-6) } else { ends };
                let x = Axis::new("").from(0.0).to((many - 1.0).max(1.0));
                let across = x.laid(std::iter::empty(), ends, true);
                let places: Vec<(f64, String)> = labels
                    .iter()
                    .enumerate()
                    .map(|(at, label)| (across.at(at as f64), label.clone()))
                    .collect();
                below(canvas, plot, &places, Some(room));
                name_below(canvas, plot, name);
                (across, up)
            }
        }
    }

    fn takes(&self, (x, y): (f64, f64)) -> bool {
        let across = match &self.x {
            LineAxis::Numbers(axis) => axis.takes(x),
            LineAxis::Labels { labels, .. } => x >= 0.0 && x < labels.len() as f64,
        };
        across && self.y.takes(y)
    }

    fn named(&self, x: f64) -> String {
        match &self.x {
            LineAxis::Numbers(axis) if axis.label.is_empty() => number(x),
            LineAxis::Numbers(axis) => format!("{} {}", axis.label, number(x)),
            LineAxis::Labels { labels, .. } => labels.get(x as usize).cloned().unwrap_or_default(),
        }
    }
}

impl Chart for Lines {
    fn frame(&self) -> &Frame {
        &self.frame
    }

    fn draw(&self, sheet: &mut Sheet) {
        let canvas = &mut sheet.0;
        let names: Vec<&str> = self.series.iter().map(|line| line.name.as_str()).collect();
        let mut plot = begin(canvas, &self.frame, &names, LegendKey::Line);
        let (across, up) = self.axes(canvas, &mut plot);
        rules(canvas, &plot, &up, &self.y, &self.rules);
        if !self.series.iter().flat_map(|line| &line.points).any(|point| self.takes(*point)) {
            return nothing(canvas, &plot);
        }
        for (series, line) in self.series.iter().enumerate() {
            for stretch in line.points.split(|point| !self.takes(*point)).filter(|stretch| stretch.len() > 1)
            {
                let places: Vec<(f64, f64)> =
                    stretch.iter().map(|(x, y)| (across.at(*x), up.at(*y))).collect();
                canvas.path(&places, series);
            }
        }
        for (series, line) in self.series.iter().enumerate() {
            for point in line.points.iter().filter(|point| self.takes(**point)) {
                let meaning = format!("{}, {}: {}", line.name, self.named(point.0), number(point.1));
                canvas.marker((across.at(point.0), up.at(point.1)), series, 3.5, &meaning);
            }
        }
    }
}
