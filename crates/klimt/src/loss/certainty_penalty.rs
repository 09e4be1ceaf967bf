//! The normalised certainty penalty NCP: how much of its range a published cell covers, averaged over the cells.

use super::{Loss, Whole};
use crate::partition::Partitioning;

/// The weighted average over all cells of the share of the domain that is published, 0..1; a suppressed row pays 1.
#[derive(Clone, Copy, Debug)]
pub struct CertaintyPenalty;

impl Loss for CertaintyPenalty {
    fn id(&self) -> &'static str {
        "ncp"
    }

    fn group(&self, whole: &Whole<'_>, partitioning: &Partitioning, group: usize) -> f64 {
        let penalty = |dimension: usize| {
            let domain = whole.table.domain(dimension);
            whole.weights[dimension] * partitioning.regions.cell(group, dimension, domain).penalty(domain)
        };
        let per_row: f64 = (0..whole.table.dimensions()).map(penalty).sum();
        per_row * partitioning.rows(group).len() as f64
    }

    /// A refinement may publish every row as it is.
    fn bound(&self, _: u64, _: u64) -> f64 {
        0.0
    }

    fn finish(&self, whole: &Whole<'_>, _: usize, sum: f64) -> f64 {
        let weights: f64 = whole.weights.iter().sum();
        if weights == 0.0 || whole.table.rows() == 0 {
            return 0.0;
        }
        (sum / weights + whole.suppressed as f64) / whole.table.rows() as f64
    }
}
