//! Groups of equal tuples: what the table is before anything is done to it.

use super::{Packed, PackedKernel, Tuple, pack_columns};
use crate::Result;
use crate::table::Table;
use rayon::prelude::*;

/// The sizes of the groups of rows that are equal in the given columns, which must be coded.
pub fn identical_tuples(table: &Table, columns: &[usize]) -> Result<Vec<u32>> {
    struct Count;
    impl PackedKernel for Count {
        type Output = Vec<u32>;

        fn run<T: Tuple>(self, mut packed: Packed<T>) -> Result<Vec<u32>> {
            packed.rows.par_sort_unstable_by(|a, b| a.words().cmp(b.words()));
            let groups = packed.rows.chunk_by(|a, b| a.words() == b.words());
            Ok(groups.map(|group| group.len() as u32).collect())
        }
    }
    pack_columns(table, columns, (0..table.rows() as u32).collect(), Count)
}
