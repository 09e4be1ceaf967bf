//! The non-uniform entropy (Gionis, Tassa, 2009): Σ over cells of −log₂(Nᵥ / Nₑ), the bits that tell the value v among
//! the rows that could have been published as e, divided by the same sum when everything is published as `*`.
//!
//! Nᵥ counts the rows of the original with v, Nₑ those whose value lies in e. A suppressed row pays as if all its cells
//! were `*`. Where everything is `*` and nothing is lost by it, the loss is 0.
//!
//! Additive. Σ log₂ Nᵥ is the same for every release, so a group pays Σ log₂ Nₑ alone, and the rest comes in at the end,
//! for suppressed rows too. No cell holds fewer rows than its group, so that no refinement into groups of at least m
//! rows pays less than log₂ m for a cell.

use super::occurrences::Occurrences;
use super::{Cost, Loss, Original, Totals};
use crate::statistics::{Extent, Needs, Statistics};
use crate::table::Table;

/// Σ over cells of −log₂(Nᵥ / Nₑ), as a share of the most that it can be, 0..1.
#[derive(Clone, Copy, Debug)]
pub struct Entropy;

impl Loss for Entropy {
    fn id(&self) -> &'static str {
        "entropy"
    }

    fn cost<'a>(&self, original: &Original<'a>) -> Option<Box<dyn Cost + 'a>> {
        let table = original.table;
        let occurrences = Occurrences::of(table);
        let values = occurrences.iter().flat_map(Occurrences::each);
        let original = values.map(|&rows| rows as f64 * bits(rows)).sum();
        Some(Box::new(EntropyCost { table, occurrences, original }))
    }
}

struct EntropyCost<'a> {
    table: &'a Table,
    occurrences: Vec<Occurrences>,
    /// Σ log₂ Nᵥ over all cells of the original.
    original: f64,
}

/// The bits that tell a row among this many.
fn bits(rows: u64) -> f64 {
    (rows.max(1) as f64).log2()
}

impl EntropyCost<'_> {
    /// The bits that tell a row among those of a cell.
    fn within(&self, dimension: usize, extent: &Extent) -> f64 {
        bits(self.occurrences[dimension].within(&self.table.domain(dimension).covered(extent)))
    }
}

impl Cost for EntropyCost<'_> {
    fn needs(&self) -> Needs {
        Needs { extents: (0..self.table.dimensions()).collect(), ..Needs::default() }
    }

    fn group(&self, group: &Statistics) -> f64 {
        let within = |dimension| self.within(dimension, group.extent(dimension));
        (0..self.table.dimensions()).map(within).sum::<f64>() * group.count as f64
    }

    fn bound(&self, group: &Statistics, minimum: u64) -> f64 {
        bits(minimum.min(group.count)) * self.table.dimensions() as f64 * group.count as f64
    }

    fn cell(&self, dimension: usize, extent: &Extent) -> Option<f64> {
        Some(self.within(dimension, extent))
    }

    fn monotone(&self) -> bool {
        true
    }

    fn price(&self, rows: u64) -> Option<f64> {
        Some(bits(rows) * self.table.dimensions() as f64)
    }

    fn finish(&self, sum: f64, totals: &Totals) -> f64 {
        let of_stars = |rows: u64| bits(totals.rows) * self.table.dimensions() as f64 * rows as f64;
        let most = of_stars(totals.rows) - self.original;
        let lost = sum + of_stars(totals.suppressed) - self.original;
        // What rounding leaves of nothing is nothing.
        if most <= of_stars(totals.rows) * 1e-14 { 0.0 } else { (lost / most).clamp(0.0, 1.0) }
    }

    fn lowered(&self, sum: f64, factor: f64, _: u64) -> f64 {
        self.original + (sum - self.original) / factor
    }
}
