//! Points in the plane, with areas under and boxes over them.

use crate::axis::Axis;
use crate::canvas::{Canvas, Colour};
use crate::frame::{Frame, LegendKey, axes, begin, nothing};
use crate::text::number;
use crate::{Chart, Sheet};

/// A rectangle in the plane.
#[derive(Clone, Debug, PartialEq)]
pub struct Area {
    /// Its extent across.
    pub x: (f64, f64),
    /// Its extent upwards.
    pub y: (f64, f64),
    /// How strongly it is filled, beside the others: how many it holds, say.
    pub weight: f64,
    /// The label.
    pub label: String,
}

/// Points, cells below them and boxes above.
#[derive(Clone, Debug, PartialEq)]
pub struct Scatter {
    /// Title and size.
    pub frame: Frame,
    /// Across.
    pub x: Axis,
    /// Upwards.
    pub y: Axis,
    /// Filled areas, the darker the more weight they have.
    pub cells: Vec<Area>,
    /// Points, of one or several series: a name, and places.
    pub points: Vec<(String, Vec<(f64, f64)>)>,
    /// Outlined areas on top.
    pub boxes: Vec<Area>,
    /// The name of the cells, for the legend.
    pub cells_name: String,
    /// The name of the boxes, for the legend.
    pub boxes_name: String,
}

impl Scatter {
    /// An empty plane.
    pub fn new(frame: Frame, x: Axis, y: Axis) -> Self {
        let (cells_name, boxes_name) = (String::new(), String::new());
        Scatter {
            frame,
            x,
            y,
            cells: Vec::new(),
            points: Vec::new(),
            boxes: Vec::new(),
            cells_name,
            boxes_name,
        }
    }

    /// The same with another series of points.
    pub fn with(mut self, name: impl Into<String>, points: Vec<(f64, f64)>) -> Self {
        self.points.push((name.into(), points));
        self
    }

    /// The same with boxes over the points.
    pub fn with_boxes(mut self, name: impl Into<String>, boxes: Vec<Area>) -> Self {
        (self.boxes_name, self.boxes) = (name.into(), boxes);
        self
    }

    /// The same with filled cells under the points.
    pub fn with_cells(mut self, name: impl Into<String>, cells: Vec<Area>) -> Self {
        (self.cells_name, self.cells) = (name.into(), cells);
        self
    }

    fn shown<'a>(&'a self, areas: &'a [Area]) -> impl Iterator<Item = &'a Area> {
        areas.iter().filter(|area| {
            [area.x.0, area.x.1].iter().all(|x| self.x.takes(*x))
                && [area.y.0, area.y.1].iter().all(|y| self.y.takes(*y))
        })
    }

    fn dots(&self) -> impl Iterator<Item = (usize, f64, f64)> {
        self.points.iter().enumerate().flat_map(move |(series, (_, points))| {
            let shown = points.iter().filter(|(x, y)| self.x.takes(*x) && self.y.takes(*y));
            shown.map(move |(x, y)| (series, *x, *y))
        })
    }
}

/// Series of the colours: cells, then boxes, then points.
const CELLS: usize = 1;
const BOXES: usize = 0;

impl Chart for Scatter {
    fn frame(&self) -> &Frame {
        &self.frame
    }

    fn draw(&self, sheet: &mut Sheet) {
        let canvas = &mut sheet.0;
        let names: Vec<&str> = self.points.iter().map(|(name, _)| name.as_str()).collect();
        let mut plot = begin(canvas, &self.frame, &names, LegendKey::Marker);
        plot.top += self.key(canvas, plot.left, plot.top);
        let areas = || self.shown(&self.cells).chain(self.shown(&self.boxes));
        let xs = areas().flat_map(|area| [area.x.0, area.x.1]).chain(self.dots().map(|dot| dot.1));
        let ys = areas().flat_map(|area| [area.y.0, area.y.1]).chain(self.dots().map(|dot| dot.2));
        let (across, up) = axes(canvas, &mut plot, (&self.x, &self.y), xs, ys);
        if areas().next().is_none() && self.dots().next().is_none() {
            return nothing(canvas, &plot);
        }
        let heaviest = self.shown(&self.cells).map(|cell| cell.weight).fold(0.0, f64::max);
        let place = |canvas: &mut Canvas, area: &Area, series: usize, strength: (f64, f64)| {
            let (a, b) = (across.at(area.x.0), across.at(area.x.1));
            let (c, d) = (up.at(area.y.0), up.at(area.y.1));
            // A box of one value is still seen.
            let size = ((b - a).abs().max(2.5), (d - c).abs().max(2.5));
            canvas.area((a.min(b), c.min(d)), size, Colour::Series(series), strength, &area.label);
        };
        for cell in self.shown(&self.cells) {
            let share =
                if heaviest > 0.0 && cell.weight > 0.0 { (cell.weight / heaviest).sqrt() } else { 0.0 };
            place(canvas, cell, CELLS, (0.06 + 0.6 * share.min(1.0), 0.15));
        }
        for (series, x, y) in self.dots() {
            let meaning = format!("{}: {}, {}", self.points[series].0, number(x), number(y));
            canvas.marker((across.at(x), up.at(y)), series + 2, 2.5, &meaning);
        }
        let crowd = (self.boxes.len() as f64 / 40.0).max(1.0);
        for area in self.shown(&self.boxes) {
            place(canvas, area, BOXES, (0.05 / crowd, (1.0 / crowd.sqrt()).max(0.25)));
        }
    }
}

impl Scatter {
    /// Says which areas are what; returns the height that it takes.
    fn key(&self, canvas: &mut Canvas, left: f64, top: f64) -> f64 {
        let (mut x, y) = (left, top - 2.0);
        let kinds = [(&self.cells_name, CELLS, (0.5, 0.3)), (&self.boxes_name, BOXES, (0.05, 1.0))];
        for (name, series, strength) in kinds.into_iter().filter(|(name, ..)| !name.is_empty()) {
            canvas.area((x, y - 6.0), (14.0, 12.0), Colour::Series(series), strength, "");
            let name = crate::text::fit(name, 300.0, 12.0);
            canvas.text(x + 20.0, y + 4.0, &name, crate::canvas::Lettering::NAME);
            x += 36.0 + crate::text::width(&name, 12.0);
        }
        if x > left { 14.0 } else { 0.0 }
    }
}
