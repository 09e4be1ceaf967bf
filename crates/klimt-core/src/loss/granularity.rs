//! The loss metric LM (Iyengar, 2002), which ARX calls granularity: the share of the other values of its column that a
//! published cell covers, averaged over the cells.
//!
//! Counted in codes, the missing value among them; a hierarchy counts its leaves. A column of one value loses nothing; a
//! suppressed row pays 1 for every cell.
//!
//! Additive. A refinement may publish every row as it is, so nothing above 0 bounds it.

use super::{Cost, Loss, Original, Totals};
use crate::statistics::{Extent, Needs, Statistics};
use crate::table::Table;

/// The average over all cells of (codes covered − 1) / (codes of the domain − 1), 0..1.
#[derive(Clone, Copy, Debug)]
pub struct Granularity;

impl Loss for Granularity {
    fn id(&self) -> &'static str {
        "granularity"
    }

    fn cost<'a>(&self, original: &Original<'a>) -> Option<Box<dyn Cost + 'a>> {
        Some(Box::new(OtherValues { table: original.table }))
    }

    fn ignores_other_rows(&self) -> bool {
        true
    }
}

struct OtherValues<'a> {
    table: &'a Table,
}

impl OtherValues<'_> {
    fn share(&self, dimension: usize, extent: &Extent) -> f64 {
        let domain = self.table.domain(dimension);
        match domain.covered(extent).len() {
            0 | 1 => 0.0,
            covered => (covered - 1) as f64 / (domain.cardinality() - 1) as f64,
        }
    }
}

impl Cost for OtherValues<'_> {
    fn needs(&self) -> Needs {
        Needs { extents: (0..self.table.dimensions()).collect(), ..Needs::default() }
    }

    fn group(&self, group: &Statistics) -> f64 {
        let share = |dimension| self.share(dimension, group.extent(dimension));
        (0..self.table.dimensions()).map(share).sum::<f64>() * group.count as f64
    }

    fn bound(&self, _: &Statistics, _: u64) -> f64 {
        0.0
    }

    fn cell(&self, dimension: usize, extent: &Extent) -> Option<f64> {
        Some(self.share(dimension, extent))
    }

    fn monotone(&self) -> bool {
        true
    }

    fn price(&self, _: u64) -> Option<f64> {
        Some(self.table.dimensions() as f64)
    }

    fn finish(&self, sum: f64, totals: &Totals) -> f64 {
        let dimensions = self.table.dimensions().max(1) as f64;
        (sum / dimensions + totals.suppressed as f64) / totals.rows.max(1) as f64
    }
}
