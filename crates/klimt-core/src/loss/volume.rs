//! The volume metric VM (Hore, Jammalamadaka, Mehrotra, section 3): every row pays the volume of its region over that of a
//! unit cell, both normalised by the extent of the domain, which cancels out. A suppressed row pays the volume of the whole
//! domain.
//!
//! A unit cell is one value in every dimension, so that a row that is published as it is pays 1. In an ordered column it is
//! as long as one unit of the last digit that the column's values have, or a rank where they have no distances. An interval
//! has the cells from one published end to the other, both included: `[2..100]` of whole numbers has 99, whichever occur.
//! A hierarchy node counts its leaves, and a set its members. A missing value
//! is one cell more, and `*`, which holds it among others, the whole domain.
//!
//! Additive. No region is smaller than a unit cell, so the number of rows bounds it.

use super::{Cost, Loss, Original, Totals};
use crate::statistics::{Extent, Needs, Statistics};
use crate::table::{Domain, Shape, Table};

/// Σ over rows of the unit cells that their region covers.
#[derive(Clone, Copy, Debug)]
pub struct Volume;

impl Loss for Volume {
    fn id(&self) -> &'static str {
        "vm"
    }

    fn cost<'a>(&self, original: &Original<'a>) -> Option<Box<dyn Cost + 'a>> {
        Some(Box::new(UnitCells { table: original.table }))
    }

    fn ignores_other_rows(&self) -> bool {
        true
    }
}

struct UnitCells<'a> {
    table: &'a Table,
}

impl UnitCells<'_> {
    /// The volume of the whole domain.
    fn whole(&self) -> f64 {
        (0..self.table.dimensions()).map(|dimension| all_cells(self.table.domain(dimension))).product()
    }
}

/// The cells from one value of an ordered domain to another, both included.
fn between(domain: &Domain, lo: u32, hi: u32) -> f64 {
    (domain.position(hi) - domain.position(lo) + 1) as f64
}

/// The cells of a whole domain, the missing value included.
fn all_cells(domain: &Domain) -> f64 {
    let missing = if domain.missing_code().is_some() { 1.0 } else { 0.0 };
    match (domain.shape(), domain.value_count() as u32) {
        (_, 0) => missing,
        (Shape::Ordered, values) => between(domain, 0, values - 1) + missing,
        _ => domain.cardinality() as f64,
    }
}

/// The cells of the smallest region over an extent.
fn cells(domain: &Domain, extent: &Extent) -> f64 {
    match (domain.shape(), extent.ends()) {
        (Shape::Set, _) => extent.len() as f64,
        (_, None) => 0.0,
        (_, Some((lo, hi))) if lo == hi => 1.0,
        (_, Some((lo, hi))) if domain.mixes_missing(lo, hi) => all_cells(domain),
        (Shape::Ordered, Some((lo, hi))) => between(domain, lo, hi),
        (Shape::Hierarchy(_), _) => domain.covered(extent).len() as f64,
    }
}

impl Cost for UnitCells<'_> {
    fn needs(&self) -> Needs {
        Needs { extents: (0..self.table.dimensions()).collect(), ..Needs::default() }
    }

    fn measures_lengths(&self) -> bool {
        true
    }

    fn group(&self, group: &Statistics) -> f64 {
        let cells = |dimension| cells(self.table.domain(dimension), group.extent(dimension));
        (0..self.table.dimensions()).map(cells).product::<f64>() * group.count as f64
    }

    fn bound(&self, group: &Statistics, _: u64) -> f64 {
        group.count as f64
    }

    fn monotone(&self) -> bool {
        true
    }

    fn price(&self, _: u64) -> Option<f64> {
        Some(self.whole())
    }

    fn finish(&self, sum: f64, totals: &Totals) -> f64 {
        if totals.suppressed == 0 { sum } else { sum + self.whole() * totals.suppressed as f64 }
    }
}
