//! The normalised average class size C_AVG: the published rows over the groups, over k.
//!
//! Not additive: it divides by the number of groups.

use super::{Cost, Groups, Loss, Original, Totals};

/// (rows / groups) / k; 1 is the best that there is.
#[derive(Clone, Copy, Debug)]
pub struct AverageClassSize;

impl Loss for AverageClassSize {
    fn id(&self) -> &'static str {
        "c_avg"
    }

    fn cost<'a>(&self, _: &Original<'a>) -> Option<Box<dyn Cost + 'a>> {
        None
    }

    fn whole(&self, _: &Original<'_>, _: &dyn Groups, totals: &Totals) -> Option<f64> {
        Some(self.of_parts(0.0, totals))
    }

    fn part(&self, _: &Original<'_>, _: &dyn Groups) -> Option<f64> {
        Some(0.0)
    }

    /// The totals say it all.
    fn of_parts(&self, _: f64, totals: &Totals) -> f64 {
        let published = (totals.rows - totals.suppressed) as f64;
        published / totals.groups.max(1) as f64 / totals.k.max(1) as f64
    }
}
