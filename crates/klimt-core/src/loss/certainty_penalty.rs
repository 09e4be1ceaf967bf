//! The normalised certainty penalty NCP: how much of its range a published cell covers, averaged over the cells.
//!
//! Additive. A refinement may publish every row as it is, so nothing above 0 bounds it.

use super::{Cost, Loss, Original, Totals};
use crate::statistics::{Extent, Needs, Statistics};

/// The weighted average over all cells of the share of the domain that is published, 0..1; a suppressed row pays 1.
#[derive(Clone, Copy, Debug)]
pub struct CertaintyPenalty;

impl Loss for CertaintyPenalty {
    fn id(&self) -> &'static str {
        "ncp"
    }

    fn cost<'a>(&self, original: &Original<'a>) -> Option<Box<dyn Cost + 'a>> {
        Some(Box::new(Penalty { original: *original }))
    }

    fn ignores_other_rows(&self) -> bool {
        true
    }
}

struct Penalty<'a> {
    original: Original<'a>,
}

impl Penalty<'_> {
    fn penalty(&self, dimension: usize, extent: &Extent) -> f64 {
        self.original.weights[dimension] * self.original.table.domain(dimension).penalty_of(extent)
    }
}

impl Cost for Penalty<'_> {
    fn needs(&self) -> Needs {
        Needs { extents: (0..self.original.table.dimensions()).collect(), ..Needs::default() }
    }

    fn measures_lengths(&self) -> bool {
        true
    }

    fn group(&self, group: &Statistics) -> f64 {
        let penalty = |dimension| self.penalty(dimension, group.extent(dimension));
        (0..self.original.table.dimensions()).map(penalty).sum::<f64>() * group.count as f64
    }

    fn bound(&self, _: &Statistics, _: u64) -> f64 {
        0.0
    }

    fn cell(&self, dimension: usize, extent: &Extent) -> Option<f64> {
        Some(self.penalty(dimension, extent))
    }

    fn monotone(&self) -> bool {
        true
    }

    fn price(&self, _: u64) -> Option<f64> {
        Some(self.original.weights.iter().sum())
    }

    fn finish(&self, sum: f64, totals: &Totals) -> f64 {
        let weights: f64 = self.original.weights.iter().sum();
        if weights == 0.0 || totals.rows == 0 {
            return 0.0;
        }
        (sum / weights + totals.suppressed as f64) / totals.rows as f64
    }
}
