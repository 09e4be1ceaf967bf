//! The hierarchical discernibility metric HDM (Li, Li, 2007, section 4.1): generalising value v to cell e costs
//! (Nₑ − Nᵥ) / (N − Nᵥ), averaged over the attributes and summed over the rows.
//!
//! N counts all rows of the original, Nᵥ those with v, Nₑ those whose value lies in e: the cost is the share of the rows
//! with other values that v can no longer be distinguished from. A value that every row has loses nothing; a suppressed
//! row pays
//! 1.
//!
//! Additive. A group of at least m rows, of which at most c have v, has m − c rows or more with other values, all of
//! which lie in e: so no refinement costs a row with v less than (m − c) / (N − Nᵥ).

use super::occurrences::Occurrences;
use super::{Cost, Loss, Original, Totals};
use crate::statistics::{Extent, Needs, Statistics};
use crate::table::Table;

/// Σ over rows of the average over attributes of (Nₑ − Nᵥ) / (N − Nᵥ).
#[derive(Clone, Copy, Debug)]
pub struct HierarchicalDiscernibility;

impl Loss for HierarchicalDiscernibility {
    fn id(&self) -> &'static str {
        "hdm"
    }

    fn cost<'a>(&self, original: &Original<'a>) -> Option<Box<dyn Cost + 'a>> {
        let table = original.table;
        Some(Box::new(OtherRows { table, occurrences: Occurrences::of(table) }))
    }
}

struct OtherRows<'a> {
    table: &'a Table,
    occurrences: Vec<Occurrences>,
}

impl OtherRows<'_> {
    /// The average over the dimensions of what the rows of each value pay, where `others` says how many rows with other
    /// values a value of a dimension, with its rows in the group, can no longer be distinguished from.
    fn sum(&self, group: &Statistics, others: impl Fn(usize, u32, u64) -> u64) -> f64 {
        let mut sum = 0.0;
        for (dimension, occurrences) in self.occurrences.iter().enumerate() {
            for (code, rows) in group.histogram(self.table.quasi_identifiers()[dimension]).iter() {
                let different = self.table.rows() as u64 - occurrences.with(code);
                if different > 0 {
                    sum += rows as f64 * others(dimension, code, rows) as f64 / different as f64;
                }
            }
        }
        sum / self.occurrences.len().max(1) as f64
    }
}

impl Cost for OtherRows<'_> {
    fn needs(&self) -> Needs {
        Needs {
            extents: (0..self.table.dimensions()).collect(),
            histograms: self.table.quasi_identifiers().to_vec(),
            ..Needs::default()
        }
    }

    fn group(&self, group: &Statistics) -> f64 {
        let within = |dimension: usize| {
            let covered = self.table.domain(dimension).covered(group.extent(dimension));
            self.occurrences[dimension].within(&covered)
        };
        let within: Vec<u64> = (0..self.table.dimensions()).map(within).collect();
        self.sum(group, |dimension, code, _| {
            within[dimension].saturating_sub(self.occurrences[dimension].with(code))
        })
    }

    fn bound(&self, group: &Statistics, minimum: u64) -> f64 {
        let minimum = minimum.min(group.count);
        self.sum(group, |_, _, rows| minimum.saturating_sub(rows))
    }

    fn monotone(&self) -> bool {
        true
    }

    /// The rows whose value lies in the cell.
    fn spread(&self, dimension: usize, extent: &Extent) -> Option<f64> {
        Some(self.occurrences[dimension].within(&self.table.domain(dimension).covered(extent)) as f64)
    }

    fn share(&self, dimension: usize, code: u32) -> (f64, f64) {
        let same = self.occurrences[dimension].with(code);
        match self.table.rows() as u64 - same {
            0 => (0.0, 0.0),
            different => {
                let share = 1.0 / (different as f64 * self.occurrences.len() as f64);
                (share, share * same as f64)
            }
        }
    }

    fn price(&self, _: u64) -> Option<f64> {
        Some(1.0)
    }

    fn finish(&self, sum: f64, totals: &Totals) -> f64 {
        sum + totals.suppressed as f64
    }
}
