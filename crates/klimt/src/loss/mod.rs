//! Losses: what a release costs its users.
//!
//! One file per loss. A loss adds up over groups and then finishes; what [`Loss::bound`] promises, no refinement of
//! a group undercuts, so that searches may rest on it.

mod average_class_size;
mod certainty_penalty;
mod discernibility;

pub use average_class_size::AverageClassSize;
pub use certainty_penalty::CertaintyPenalty;
pub use discernibility::Discernibility;

use crate::partition::Partitioning;
use crate::table::Table;

/// What a loss may know of the whole release.
pub struct Whole<'a> {
    /// The original table.
    pub table: &'a Table,
    /// The least size of a group.
    pub k: u64,
    /// How much each dimension matters.
    pub weights: &'a [f64],
    /// The rows that were suppressed.
    pub suppressed: usize,
}

/// An information-loss metric.
pub trait Loss: Send + Sync {
    /// Its name in the registry.
    fn id(&self) -> &'static str;

    /// The cost of one group.
    fn group(&self, whole: &Whole<'_>, partitioning: &Partitioning, group: usize) -> f64;

    /// The least that any refinement of a group of so many rows, in groups of at least `k` rows, costs.
    fn bound(&self, rows: u64, k: u64) -> f64;

    /// From the sum over the groups to the loss of the release.
    fn finish(&self, whole: &Whole<'_>, groups: usize, sum: f64) -> f64;

    /// The loss of a release.
    fn measure(&self, whole: &Whole<'_>, partitioning: &Partitioning) -> f64 {
        let sum = (0..partitioning.groups()).map(|group| self.group(whole, partitioning, group)).sum();
        self.finish(whole, partitioning.groups(), sum)
    }
}
