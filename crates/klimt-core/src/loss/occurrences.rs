//! How many rows of the whole table have each value of a dimension, and how many lie in an extent.

use crate::statistics::Extent;
use crate::table::Table;
use rayon::prelude::*;

/// The rows of the original by their value in one dimension.
#[derive(Debug)]
pub(super) struct Occurrences {
    rows: Vec<u64>,
    /// The rows with a lesser code, for every code and the end.
    before: Vec<u64>,
}

impl Occurrences {
    /// Those of every dimension.
    pub fn of(table: &Table) -> Vec<Self> {
        (0..table.dimensions())
            .into_par_iter()
            .map(|dimension| Occurrences::in_one(table, dimension))
            .collect()
    }

    fn in_one(table: &Table, dimension: usize) -> Self {
        let codes = table.codes(dimension);
        let mut rows = vec![0; table.domain(dimension).cardinality()];
        (0..table.rows()).for_each(|row| rows[codes.get(row) as usize] += 1);
        let mut before = vec![0; rows.len() + 1];
        for (code, rows) in rows.iter().enumerate() {
            before[code + 1] = before[code] + rows;
        }
        Occurrences { rows, before }
    }

    /// The rows with a code.
    pub fn with(&self, code: u32) -> u64 {
        self.rows[code as usize]
    }

    /// The rows of every code, ascending.
    pub fn each(&self) -> &[u64] {
        &self.rows
    }

    /// The rows whose code an extent holds.
    pub fn within(&self, extent: &Extent) -> u64 {
        match *extent {
            Extent::Interval { lo, hi } if lo > hi => 0,
            Extent::Interval { lo, hi } => self.before[hi as usize + 1] - self.before[lo as usize],
            Extent::Members(_) => {
                let held = (0..).zip(&self.rows).filter(|&(code, _)| extent.holds(code));
                held.map(|(_, rows)| rows).sum()
            }
        }
    }
}
