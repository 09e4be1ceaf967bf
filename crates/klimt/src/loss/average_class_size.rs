//! The normalised average class size C_AVG: the published rows over the groups, over k.

use super::{Loss, Whole};
use crate::partition::Partitioning;

/// (rows / groups) / k; 1 is the best that there is.
#[derive(Clone, Copy, Debug)]
pub struct AverageClassSize;

impl Loss for AverageClassSize {
    fn id(&self) -> &'static str {
        "c_avg"
    }

    /// The sum counts rows; the groups are counted by who adds up.
    fn group(&self, _: &Whole<'_>, partitioning: &Partitioning, group: usize) -> f64 {
        partitioning.rows(group).len() as f64
    }

    fn bound(&self, rows: u64, _: u64) -> f64 {
        rows as f64
    }

    fn finish(&self, whole: &Whole<'_>, groups: usize, sum: f64) -> f64 {
        sum / groups.max(1) as f64 / whole.k.max(1) as f64
    }
}
