//! The frame of every chart: title, legend, axes and lines to compare with.

use crate::axis::{Axis, AxisLayout, Tick};
use crate::canvas::{Anchor, Canvas, Colour, Lettering};
use crate::text::{fit, width};

/// The title, description and size of a chart.
#[derive(Clone, Debug, PartialEq)]
pub struct Frame {
    /// Its title.
    pub title: String,
    /// The description, for people who do not see the chart.
    pub description: String,
    /// Width and height, in units of the SVG.
    pub size: (f64, f64),
}

/// A horizontal line to compare with.
#[derive(Clone, Debug, PartialEq)]
pub struct Rule {
    /// Its value.
    pub at: f64,
    /// The label.
    pub label: String,
}

impl Frame {
    /// A chart of the usual size.
    pub fn new(title: impl Into<String>, description: impl Into<String>) -> Self {
        Frame { title: title.into(), description: description.into(), size: (860.0, 360.0) }
    }

    /// The same in another size.
    pub fn sized(mut self, width: f64, height: f64) -> Self {
        self.size = (width, height);
        self
    }

    pub(crate) fn width(&self) -> f64 {
        if self.size.0.is_finite() { self.size.0.clamp(200.0, 4000.0) } else { 860.0 }
    }

    pub(crate) fn height(&self) -> f64 {
        if self.size.1.is_finite() { self.size.1.clamp(120.0, 4000.0) } else { 360.0 }
    }
}

/// Where marks are drawn.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plot {
    pub left: f64,
    pub right: f64,
    pub top: f64,
    pub bottom: f64,
}

/// How series are shown in the legend.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LegendKey {
    Line,
    Box,
    Marker,
}

/// How large letters of ticks and legends are.
const LETTERS: f64 = 12.0;

/// Draws title and legend, and says what room is left for axes and marks. One series needs no legend.
pub(crate) fn begin(canvas: &mut Canvas, frame: &Frame, names: &[&str], key: LegendKey) -> Plot {
    let (mut top, width_) = (12.0, frame.width());
    if canvas.has_title() {
        let title = Lettering { size: 15.0, ..Lettering::NAME };
        canvas.text(16.0, 24.0, &fit(&frame.title, width_ - 32.0, 15.0), title);
        top = 40.0;
    }
    if names.len() > 1 {
        top = legend(canvas, names, key, (16.0, width_ - 16.0), top);
    }
    Plot { left: 16.0, right: width_ - 18.0, top: top + 10.0, bottom: frame.height() - 12.0 }
}

/// Draws the legend in as many lines as it needs; more than there is room for are left out, and said so.
fn legend(canvas: &mut Canvas, names: &[&str], key: LegendKey, (left, right): (f64, f64), top: f64) -> f64 {
    const LINES: usize = 3;
    let (mut x, mut y, mut lines) = (left, top + 8.0, 1);
    for (series, name) in names.iter().enumerate() {
        let name = fit(name, 220.0, LETTERS);
        let wide = 34.0 + width(&name, LETTERS) + 16.0;
        if x > left && x + wide > right {
            if lines == LINES {
                canvas.text(x, y + 4.0, "…", Lettering::NAME);
                break;
            }
            (x, y, lines) = (left, y + 18.0, lines + 1);
        }
        match key {
            LegendKey::Line => {
                canvas.path(&[(x, y), (x + 26.0, y)], series);
                canvas.marker((x + 13.0, y), series, 3.5, "");
            }
            LegendKey::Box => canvas.bar((x + 8.0, y - 6.0), (12.0, 12.0), series, ""),
            LegendKey::Marker => canvas.marker((x + 13.0, y), series, 4.0, ""),
        }
        canvas.text(x + 32.0, y + 4.0, &name, Lettering::NAME);
        x += wide;
    }
    y + 10.0
}

/// Makes room for the names and ticks of two axes of numbers, lays them out, and draws them with a grid.
pub(crate) fn axes(
    canvas: &mut Canvas,
    plot: &mut Plot,
    (x, y): (&Axis, &Axis),
    xs: impl Iterator<Item = f64>,
    ys: impl Iterator<Item = f64>,
) -> (AxisLayout, AxisLayout) {
    let up = upright(canvas, plot, y, ys, !x.label.is_empty());
    let across = x.laid(xs, (plot.left, plot.right), false);
    let marks = x.marks(&across);
    let places: Vec<(f64, String)> =
        marks.iter().map(|tick| (across.at(tick.at), tick.label.clone())).collect();
    below(canvas, plot, &places, None);
    name_below(canvas, plot, &x.label);
    (across, up)
}

/// Lays out and draws a vertical axis, and leaves room below for another.
pub(crate) fn upright(
    canvas: &mut Canvas,
    plot: &mut Plot,
    y: &Axis,
    values: impl Iterator<Item = f64>,
    named_below: bool,
) -> AxisLayout {
    plot.bottom -= if named_below { 42.0 } else { 22.0 };
    plot.bottom = plot.bottom.max(plot.top + 20.0);
    let laid = y.laid(values, (plot.bottom, plot.top), false);
    let marks: Vec<Tick> = y.marks(&laid);
    let labels: Vec<String> = marks.iter().map(|tick| fit(&tick.label, 130.0, LETTERS)).collect();
    let widest = labels.iter().map(|label| width(label, LETTERS)).fold(0.0, f64::max);
    let name = if y.label.is_empty() { 0.0 } else { 18.0 };
    plot.left += name + widest + 8.0;
    if !y.label.is_empty() {
        let lettering = Lettering { upright: true, ..Lettering::TICK };
        let text = fit(&y.label, plot.bottom - plot.top + 30.0, LETTERS);
        canvas.text(plot.left - widest - 16.0, (plot.top + plot.bottom) / 2.0, &text, lettering);
    }
    let mut free = f64::INFINITY;
    for (tick, label) in marks.iter().zip(&labels) {
        let at = laid.at(tick.at);
        canvas.line((plot.left, at), (plot.right, at), Colour::Grid, false);
        if at + LETTERS <= free {
            canvas.text(plot.left - 8.0, at + 4.0, label, Lettering::TICK.anchored(Anchor::End));
            free = at;
        }
    }
    laid
}

/// Draws the line of a horizontal axis and what is written below it: every label that does not run into the one before,
/// each no wider than `room` where its place is that wide.
pub(crate) fn below(canvas: &mut Canvas, plot: &Plot, places: &[(f64, String)], room: Option<f64>) {
    canvas.line((plot.left, plot.bottom), (plot.right, plot.bottom), Colour::Muted, false);
    // A label may be as wide as its place, or, where many are left out, as a word.
    let most = room.map_or(110.0, |room| room.max(64.0) - 6.0);
    let labels: Vec<(f64, String, f64)> = places
        .iter()
        .map(|(x, label)| {
            let label = fit(label, most, LETTERS);
            let wide = width(&label, LETTERS);
            (*x, label, wide)
        })
        .collect();
    let every = (1..=labels.len().max(1)).find(|every| apart(&labels, *every)).unwrap_or(1);
    for (x, label, wide) in labels.iter().step_by(every) {
        canvas.line((*x, plot.bottom), (*x, plot.bottom + 4.0), Colour::Muted, false);
        // The outermost labels stay on the sheet.
        let x = x.clamp(wide / 2.0 + 2.0, (plot.right + 16.0 - wide / 2.0).max(wide / 2.0 + 2.0));
        canvas.text(x, plot.bottom + 18.0, label, Lettering::TICK);
    }
}

/// Whether every so-many-th label is apart from the next.
fn apart(labels: &[(f64, String, f64)], every: usize) -> bool {
    let shown: Vec<_> = labels.iter().step_by(every).collect();
    shown.windows(2).all(|pair| (pair[1].0 - pair[0].0).abs() >= (pair[0].2 + pair[1].2) / 2.0 + 8.0)
}

/// The name of a horizontal axis.
pub(crate) fn name_below(canvas: &mut Canvas, plot: &Plot, name: &str) {
    if !name.is_empty() {
        let text = fit(name, plot.right - plot.left, LETTERS);
        canvas.text((plot.left + plot.right) / 2.0, plot.bottom + 38.0, &text, Lettering::TICK);
    }
}

/// Lines to compare with, each with what it says.
pub(crate) fn rules(canvas: &mut Canvas, plot: &Plot, up: &AxisLayout, axis: &Axis, rules: &[Rule]) {
    for rule in rules.iter().filter(|rule| axis.takes(rule.at) && up.holds(rule.at)) {
        let y = up.at(rule.at);
        canvas.line((plot.left, y), (plot.right, y), Colour::Warn, true);
        let lettering =
            Lettering { anchor: Anchor::End, colour: Colour::Warn, size: LETTERS, upright: false };
        let text = fit(&rule.label, plot.right - plot.left, LETTERS);
        canvas.text(plot.right, if y < plot.top + 14.0 { y + 14.0 } else { y - 5.0 }, &text, lettering);
    }
}

/// Says that there is nothing to draw.
pub(crate) fn nothing(canvas: &mut Canvas, plot: &Plot) {
    let place = ((plot.left + plot.right) / 2.0, (plot.top + plot.bottom) / 2.0);
    canvas.text(place.0, place.1, "nothing to show", Lettering::TICK);
}
