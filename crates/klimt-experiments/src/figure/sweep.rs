//! What a figure shows: a measure of some algorithms over a parameter, or groups in the plane.

use crate::Result;
use crate::number::Measured;
use crate::print::{Cell, Columns};
use std::fmt::Display;

/// A measure of several algorithms at the values of a parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct Sweep {
    /// What the panel is called.
    pub title: String,
    /// What varies.
    pub parameter: String,
    /// The values of the parameter, as they are written.
    pub labels: Vec<String>,
    /// What is measured, with its unit.
    pub measure: String,
    /// Whether the axis is logarithmic.
    pub log: bool,
    /// Whether it is drawn as bars, because the values of the parameter are cases and no numbers.
    pub bars: bool,
    /// Each algorithm with a number for every value.
    pub series: Vec<(String, Vec<Measured>)>,
}

impl Sweep {
    /// A sweep that is still to be run.
    pub fn new(title: &str, parameter: &str, measure: &str, names: &[impl ToString]) -> Self {
        Sweep {
            title: title.to_string(),
            parameter: parameter.to_string(),
            labels: Vec::new(),
            measure: measure.to_string(),
            log: false,
            bars: false,
            series: names.iter().map(|name| (name.to_string(), Vec::new())).collect(),
        }
    }

    /// The same on a log scale.
    pub fn log(mut self) -> Self {
        self.log = true;
        self
    }

    /// The same as bars.
    pub fn bars(mut self) -> Self {
        self.bars = true;
        self
    }

    /// Measures at each value: a number for every algorithm, in their order.
    pub fn run<T: Display, N: Into<Measured>>(
        mut self,
        values: &[T],
        mut step: impl FnMut(&T) -> Result<Vec<N>>,
    ) -> Result<Self> {
        for value in values {
            self.push(value, step(value)?)?;
        }
        Ok(self)
    }

    /// Adds what was measured at one more value.
    pub fn push<N: Into<Measured>>(&mut self, value: impl Display, measured: Vec<N>) -> Result<()> {
        if measured.len() != self.series.len() {
            let (many, wanted) = (measured.len(), self.series.len());
            return Err(format!("{}: {many} numbers were measured for {wanted} series", self.title).into());
        }
        self.labels.push(value.to_string());
        self.series.iter_mut().zip(measured).for_each(|((_, values), number)| values.push(number.into()));
        Ok(())
    }

    /// Prints the numbers, with what is known of those that are not exact.
    pub fn print(&self) {
        println!("\n{}: {}", self.title, self.measure);
        let titles: Vec<(&str, usize)> = self.series.iter().map(|(name, _)| (name.as_str(), 0)).collect();
        let columns = Columns::new(&self.parameter, 26, &titles);
        for (at, label) in self.labels.iter().enumerate() {
            let texts: Vec<String> = self.series.iter().map(|(_, values)| values[at].text()).collect();
            columns.line(label, &texts.iter().map(|text| text as &dyn Cell).collect::<Vec<_>>());
        }
    }

    /// The numbers of an algorithm; none where there is none of that name.
    pub fn of(&self, name: &str) -> &[Measured] {
        self.series.iter().find(|(series, _)| series == name).map_or(&[], |(_, values)| values)
    }
}

/// Groups over two dimensions.
#[derive(Clone, Debug, PartialEq)]
pub struct Plane {
    /// What the panel is called.
    pub title: String,
    /// The names of the dimensions.
    pub dimensions: (String, String),
    /// The rows.
    pub points: Vec<(f64, f64)>,
    /// The regions: from and to of each dimension, and how many rows are inside.
    pub boxes: Vec<Region>,
}

/// A region of the plane.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Region {
    /// From and to across.
    pub x: (f64, f64),
    /// From and to upwards.
    pub y: (f64, f64),
    /// The rows inside.
    pub rows: usize,
}

/// A part of a figure.
#[derive(Clone, Debug, PartialEq)]
pub enum Panel {
    /// A measure over a parameter.
    Sweep(Sweep),
    /// Groups in the plane.
    Plane(Plane),
}

impl Panel {
    /// The sweeps among panels, which claims count.
    pub fn sweeps(panels: &[Panel]) -> Vec<&Sweep> {
        let mut sweeps = Vec::new();
        for panel in panels {
            if let Panel::Sweep(sweep) = panel {
                sweeps.push(sweep);
            }
        }
        sweeps
    }
}

impl From<Sweep> for Panel {
    fn from(sweep: Sweep) -> Self {
        Panel::Sweep(sweep)
    }
}

impl From<Plane> for Panel {
    fn from(plane: Plane) -> Self {
        Panel::Plane(plane)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_needs_a_number_for_every_series() {
        let sweep = Sweep::new("t", "k", "dm", &["a", "b"]);
        let run = sweep.clone().run(&[2, 5], |&k| Ok(vec![f64::from(k), 1.0])).unwrap();
        let numbers = |values: [f64; 2]| values.map(Measured::from);
        assert_eq!(run.labels, ["2", "5"]);
        assert_eq!((run.of("a"), run.of("b")), (&numbers([2.0, 5.0])[..], &numbers([1.0, 1.0])[..]));
        assert!(run.of("c").is_empty());
        assert!(sweep.run(&[2], |_| Ok(vec![1.0])).is_err());
    }
}
