//! Histograms of one or several series of bins.

use crate::axis::Axis;
use crate::canvas::Colour;
use crate::frame::{Frame, LegendKey, axes, begin, nothing};
use crate::text::number;
use crate::{Chart, Sheet};

/// How many lie between two values.
#[derive(Clone, Debug, PartialEq)]
pub struct Bin {
    /// The lower end.
    pub from: f64,
    /// The upper end.
    pub to: f64,
    /// How many.
    pub count: f64,
    /// The contents of the bin, in words; its ends where it is empty.
    pub label: String,
}

impl Bin {
    /// A bin that is called by its ends.
    pub fn new(from: f64, to: f64, count: f64) -> Self {
        Bin { from, to, count, label: String::new() }
    }

    /// The same by another name.
    pub fn called(mut self, label: impl Into<String>) -> Self {
        self.label = label.into();
        self
    }

    fn name(&self) -> String {
        match self.label.as_str() {
            "" => format!("{} to {}", number(self.from), number(self.to)),
            label => label.to_string(),
        }
    }
}

/// A series of bins.
#[derive(Clone, Debug, PartialEq)]
pub struct Bins {
    /// The name.
    pub name: String,
    /// The bins, which may have any width.
    pub bins: Vec<Bin>,
}

/// Histograms of one or several series over the same values.
#[derive(Clone, Debug, PartialEq)]
pub struct Histogram {
    /// Title and size.
    pub frame: Frame,
    /// The values.
    pub x: Axis,
    /// How high bins are.
    pub y: Axis,
    /// The series; the first is filled, the others are outlined over it.
    pub series: Vec<Bins>,
    /// Whether the area of a bin is its count, as it must be where bins have different widths; else its height is.
    pub density: bool,
}

impl Histogram {
    /// A histogram whose heights are counts.
    pub fn new(frame: Frame, x: Axis, y: Axis) -> Self {
        Histogram { frame, x, y, series: Vec::new(), density: false }
    }

    /// The same with areas that are counts.
    pub fn by_area(mut self) -> Self {
        self.density = true;
        self
    }

    /// The same with another series.
    pub fn with(mut self, name: impl Into<String>, bins: Vec<Bin>) -> Self {
        self.series.push(Bins { name: name.into(), bins });
        self
    }

    pub(crate) fn height(&self, bin: &Bin) -> f64 {
        if self.density { bin.count / (bin.to - bin.from) } else { bin.count }
    }

    fn shown<'a>(&'a self, bins: &'a Bins) -> impl Iterator<Item = &'a Bin> {
        bins.bins.iter().filter(|bin| {
            self.x.takes(bin.from)
                && self.x.takes(bin.to)
                && bin.to > bin.from
                && self.y.takes(self.height(bin))
        })
    }
}

impl Chart for Histogram {
    fn frame(&self) -> &Frame {
        &self.frame
    }

    fn draw(&self, sheet: &mut Sheet) {
        let canvas = &mut sheet.0;
        let names: Vec<&str> = self.series.iter().map(|bins| bins.name.as_str()).collect();
        let mut plot = begin(canvas, &self.frame, &names, LegendKey::Box);
        let bins = || self.series.iter().flat_map(|bins| self.shown(bins));
        let xs = bins().flat_map(|bin| [bin.from, bin.to]);
        let ys = bins().map(|bin| self.height(bin)).chain(self.y.from.is_none().then_some(0.0));
        let (across, up) = axes(canvas, &mut plot, (&self.x, &self.y), xs, ys);
        if bins().next().is_none() {
            return nothing(canvas, &plot);
        }
        for (series, bins) in self.series.iter().enumerate() {
            for bin in self.shown(bins) {
                let (left, right) = (across.at(bin.from), across.at(bin.to));
                let (base, end) = (up.at(up.base()), up.at(self.height(bin)));
                let name = if self.series.len() > 1 { format!("{}, ", bins.name) } else { String::new() };
                let meaning = format!("{name}{}: {}", bin.name(), number(bin.count));
                let strength = if series == 0 { (0.75, 0.9) } else { (0.18, 1.0) };
                let size = (right - left, (base - end).abs());
                canvas.area((left, end.min(base)), size, Colour::Series(series), strength, &meaning);
            }
        }
    }
}
