//! Candidates by two costs, and those among them that no other beats in both.

use crate::axis::Axis;
use crate::canvas::Lettering;
use crate::frame::{Frame, LegendKey, axes, begin, nothing};
use crate::text::{fit, number, width};
use crate::{Chart, Sheet};

/// Something to choose, with two costs.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    /// The name.
    pub name: String,
    /// Which kind it is of: its colour and marker.
    pub kind: String,
    /// The cost across.
    pub x: f64,
    /// The cost upwards.
    pub y: f64,
}

/// Candidates by two costs; less is better in both. Those that no other beats are joined and named.
#[derive(Clone, Debug, PartialEq)]
pub struct Frontier {
    /// Title and size.
    pub frame: Frame,
    /// The cost across.
    pub x: Axis,
    /// The cost upwards.
    pub y: Axis,
    /// The candidates.
    pub candidates: Vec<Candidate>,
}

/// The places that no other place beats: none is at least as good in both costs and better in one. In order of x, then y;
/// costs that are not numbers beat nothing and are never on the frontier. Equal places are all on it, or none.
pub fn undominated(places: &[(f64, f64)]) -> Vec<usize> {
    let mut order: Vec<usize> =
        (0..places.len()).filter(|&at| !places[at].0.is_nan() && !places[at].1.is_nan()).collect();
    order.sort_by(|&a, &b| {
        let ((ax, ay), (bx, by)) = (places[a], places[b]);
        ax.total_cmp(&bx).then(ay.total_cmp(&by)).then(a.cmp(&b))
    });
    let mut frontier: Vec<usize> = Vec::new();
    for at in order {
        let beaten = frontier.last().is_some_and(|&last| {
            let ((bx, by), (x, y)) = (places[last], places[at]);
            by < y || (by == y && bx < x)
        });
        if !beaten {
            frontier.push(at);
        }
    }
    frontier
}

impl Frontier {
    /// Nothing to choose from yet.
    pub fn new(frame: Frame, x: Axis, y: Axis) -> Self {
        Frontier { frame, x, y, candidates: Vec::new() }
    }

    /// The same with another candidate.
    pub fn with(mut self, kind: impl Into<String>, name: impl Into<String>, x: f64, y: f64) -> Self {
        self.candidates.push(Candidate { name: name.into(), kind: kind.into(), x, y });
        self
    }

    /// The candidates that can be drawn.
    fn shown(&self) -> Vec<&Candidate> {
        self.candidates.iter().filter(|one| self.x.takes(one.x) && self.y.takes(one.y)).collect()
    }
}

impl Chart for Frontier {
    fn frame(&self) -> &Frame {
        &self.frame
    }

    fn draw(&self, sheet: &mut Sheet) {
        let canvas = &mut sheet.0;
        let mut kinds: Vec<&str> = Vec::new();
        for one in &self.candidates {
            if !kinds.contains(&one.kind.as_str()) {
                kinds.push(&one.kind);
            }
        }
        let mut plot = begin(canvas, &self.frame, &kinds, LegendKey::Marker);
        let shown = self.shown();
        let (xs, ys) = (shown.iter().map(|one| one.x), shown.iter().map(|one| one.y));
        let (across, up) = axes(canvas, &mut plot, (&self.x, &self.y), xs, ys);
        if shown.is_empty() {
            return nothing(canvas, &plot);
        }
        let costs: Vec<(f64, f64)> = shown.iter().map(|one| (one.x, one.y)).collect();
        let best = undominated(&costs);
        let place = |at: usize| (across.at(shown[at].x), up.at(shown[at].y));
        let mut steps: Vec<(f64, f64)> = Vec::new();
        for &at in &best {
            let (x, y) = place(at);
            steps.extend(steps.last().map(|last| (x, last.1)));
            steps.push((x, y));
        }
        canvas.path(&steps, 0);
        let mut written: Vec<(f64, f64, f64)> = Vec::new();
        for (at, one) in shown.iter().enumerate() {
            let (x, y) = place(at);
            let kind = kinds.iter().position(|kind| *kind == one.kind).unwrap_or(0);
            let on = best.contains(&at);
            let said = if on { ", on the frontier" } else { "" };
            let meaning = format!("{}: {}, {}{said}", one.name, number(one.x), number(one.y));
            canvas.marker((x, y), kind, if on { 5.0 } else { 3.5 }, &meaning);
        }
        for &at in &best {
            let (x, y) = place(at);
            let text = fit(&shown[at].name, 150.0, 11.0);
            let wide = width(&text, 11.0);
            let left = if x + wide + 10.0 > plot.right { x - wide - 9.0 } else { x + 9.0 };
            let free = |&(l, top, w): &(f64, f64, f64)| {
                left > l + w + 4.0 || l > left + wide + 4.0 || (top - y).abs() > 13.0
            };
            if written.iter().all(free) {
                canvas.text(left, y - 6.0, &text, Lettering { size: 11.0, ..Lettering::NAME });
                written.push((left, y, wide));
            }
        }
    }
}
