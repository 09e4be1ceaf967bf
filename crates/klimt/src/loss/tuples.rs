//! The distinct tuples of some rows.

use super::Locator;
use crate::Result;
use crate::partition::{Packed, PackedKernel, Tuple, pack};
use crate::table::Table;
use rayon::prelude::*;

/// Rows of a table, sorted by their tuples of quasi-identifiers.
#[derive(Debug)]
pub(super) struct Tuples {
    rows: Vec<u32>,
    /// Where the rows of each distinct tuple end.
    ends: Vec<usize>,
}

impl Tuples {
    /// The tuples of the given rows.
    pub fn of(table: &Table, rows: Vec<u32>) -> Result<Self> {
        struct Sort;
        impl PackedKernel for Sort {
            type Output = Tuples;

            fn run<T: Tuple>(self, packed: Packed<T>) -> Result<Tuples> {
                let mut rows: Vec<(T, u32)> = packed.rows.into_iter().zip(packed.ids).collect();
                rows.par_sort_unstable_by(|(a, i), (b, j)| a.words().cmp(b.words()).then(i.cmp(j)));
                let mut ends = Vec::new();
                for tuple in rows.chunk_by(|(a, _), (b, _)| a.words() == b.words()) {
                    ends.push(ends.last().unwrap_or(&0) + tuple.len());
                }
                Ok(Tuples { rows: rows.into_iter().map(|(_, row)| row).collect(), ends })
            }
        }
        pack(table, rows, Sort)
    }

    /// The rows of each tuple.
    pub fn rows(&self) -> impl Iterator<Item = &[u32]> {
        (0..self.ends.len()).map(|tuple| self.rows_of(tuple))
    }

    fn rows_of(&self, tuple: usize) -> &[u32] {
        let start = if tuple == 0 { 0 } else { self.ends[tuple - 1] };
        &self.rows[start..self.ends[tuple]]
    }

    /// Makes something of the regions that hold each tuple.
    pub fn locate<R: Send>(
        &self,
        table: &Table,
        locator: &Locator,
        make: impl Fn(&[u32]) -> R + Sync,
    ) -> Vec<R> {
        let look_up = |(codes, found): &mut (Vec<u32>, Vec<u32>), tuple: usize| {
            let row = self.rows_of(tuple)[0] as usize;
            codes.clear();
            codes.extend((0..table.dimensions()).map(|dimension| table.codes(dimension).get(row)));
            found.clear();
            locator.find(codes, found);
            make(found)
        };
        (0..self.ends.len()).into_par_iter().map_init(Default::default, look_up).collect()
    }
}
