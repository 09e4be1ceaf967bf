//! The root mean squared error of a numeric target (LeFevre, DeWitt, 2007, section 5.5): how far a row's number is from
//! the mean of its group, over the published rows that have one.
//!
//! Additive in the squared error. A refinement may put equal numbers together, so nothing above 0 bounds it. Greedy
//! splitting by it is the Regression criterion.

use super::{Cost, Loss, Original, Totals};
use crate::statistics::{Needs, Statistics};

/// √(Σ (x − mean of the group)² / n).
#[derive(Clone, Copy, Debug)]
pub struct RootMeanSquaredError;

impl Loss for RootMeanSquaredError {
    fn id(&self) -> &'static str {
        "rmse"
    }

    fn cost<'a>(&self, original: &Original<'a>) -> Option<Box<dyn Cost + 'a>> {
        let target = original.number?;
        let (domain, _) = original.table.columns()[target].coded()?;
        Some(Box::new(SquaredError { target, unit: 10f64.powi(-(domain.scale() as i32)) }))
    }

    fn ignores_other_rows(&self) -> bool {
        true
    }
}

struct SquaredError {
    target: usize,
    unit: f64,
}

impl Cost for SquaredError {
    fn needs(&self) -> Needs {
        Needs { moments: vec![self.target], ..Needs::default() }
    }

    fn group(&self, group: &Statistics) -> f64 {
        group.moments(self.target).squared_error() * self.unit * self.unit
    }

    fn bound(&self, _: &Statistics, _: u64) -> f64 {
        0.0
    }

    /// The mean: the best cut of a set is a cut of the order by means.
    fn key(&self, value: &Statistics) -> f64 {
        let moments = value.moments(self.target);
        moments.sum as f64 / moments.rows.max(1) as f64
    }

    fn monotone(&self) -> bool {
        true
    }

    fn price(&self, _: u64) -> Option<f64> {
        None
    }

    fn finish(&self, sum: f64, totals: &Totals) -> f64 {
        (sum / (totals.rows - totals.suppressed).max(1) as f64).sqrt()
    }

    fn lowered(&self, sum: f64, factor: f64, _: u64) -> f64 {
        sum / factor.powi(2)
    }
}
