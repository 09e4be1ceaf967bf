//! The volume metric VM (Hore, Jammalamadaka, Mehrotra, section 3): every row pays the volume of its region, in unit
//! cells. A unit cell is one code in every dimension, so that a row that is published as it is pays 1; a suppressed row
//! pays the volume of the whole domain.
//!
//! Additive. No region is smaller than a unit cell, so the number of rows bounds it.

use super::{Cost, Loss, Original, Totals};
use crate::statistics::{Needs, Statistics};
use crate::table::Table;

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
        (0..self.table.dimensions())
            .map(|dimension| self.table.domain(dimension).cardinality() as f64)
            .product()
    }
}

impl Cost for UnitCells<'_> {
    fn needs(&self) -> Needs {
        Needs { extents: (0..self.table.dimensions()).collect(), ..Needs::default() }
    }

    fn group(&self, group: &Statistics) -> f64 {
        let codes = |dimension| self.table.domain(dimension).covered(group.extent(dimension)).len() as f64;
        (0..self.table.dimensions()).map(codes).product::<f64>() * group.count as f64
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
