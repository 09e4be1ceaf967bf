//! Which values a column has, and how often, as one number.

use crate::{Histograms, values::Comparison};
use std::hash::{BuildHasher, RandomState};

/// The values of a sensitive column and how many rows have each, as a sum of keyed hashes: two columns with the same sum
/// have the same values, but for a chance of one in 2¹²⁸. It takes no room for the values, and serves where no requirement
/// compares a group with them.
#[derive(Clone, Debug)]
pub struct ValueSum {
    column: String,
    comparison: Comparison,
    keys: [RandomState; 2],
    sum: u128,
    scratch: Vec<u8>,
}

impl ValueSum {
    /// No values of a column, which are compared so.
    pub fn new(column: &str, comparison: Comparison) -> Self {
        let keys = [RandomState::new(), RandomState::new()];
        ValueSum { column: column.to_string(), comparison, keys, sum: 0, scratch: Vec::new() }
    }

    /// Counts rows that have a value; a missing one is an empty text.
    pub fn add(&mut self, text: &[u8], rows: u64) {
        self.scratch.clear();
        self.comparison.write_value(text, &mut self.scratch);
        let half = |keys: &RandomState| u128::from(keys.hash_one(&self.scratch));
        let hash = half(&self.keys[0]) << 64 | half(&self.keys[1]);
        self.sum = self.sum.wrapping_add(hash.wrapping_mul(rows.into()));
    }

    /// The column.
    pub(crate) fn column(&self) -> &str {
        &self.column
    }

    /// No values yet, by the same keys.
    pub(crate) fn emptied(&self) -> Self {
        ValueSum { sum: 0, ..self.clone() }
    }

    /// Counts the values of a segment.
    pub(crate) fn see(&mut self, found: &Histograms) {
        let mut rows = vec![0; found.values()];
        for cell in found.all_cells() {
            rows[cell.value as usize] += cell.rows;
        }
        for (value, rows) in (0u32..).zip(rows) {
            self.add(found.value(value).as_bytes(), rows);
        }
    }

    /// Whether both have the same values equally often.
    pub(crate) fn equals(&self, other: &Self) -> bool {
        self.sum == other.sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_equal_where_values_are() {
        let mut told = ValueSum::new("s", Comparison::Value);
        let (mut same, mut other, mut more) = (told.emptied(), told.emptied(), told.emptied());
        [("1", 2), ("x", 1), ("", 3)].iter().for_each(|(text, rows)| told.add(text.as_bytes(), *rows));
        [("", 3), ("1.0", 1), ("x", 1), ("1", 1)]
            .iter()
            .for_each(|(text, rows)| same.add(text.as_bytes(), *rows));
        [("1", 1), ("x", 2), ("", 3)].iter().for_each(|(text, rows)| other.add(text.as_bytes(), *rows));
        [("1", 2), ("x", 1), ("", 4)].iter().for_each(|(text, rows)| more.add(text.as_bytes(), *rows));
        assert!(told.equals(&same) && !told.equals(&other) && !told.equals(&more));
    }
}
