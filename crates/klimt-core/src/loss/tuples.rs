//! The distinct tuples of some rows.

use super::Locator;
use crate::Result;
use crate::distinct::DistinctTuples;
use crate::statistics::Extent;
use crate::table::Table;
use rayon::prelude::*;
use std::ops::Range;

/// The distinct tuples of quasi-identifiers of some rows.
#[derive(Debug)]
pub(super) struct LossTuples(DistinctTuples);

impl LossTuples {
    /// The tuples of the given rows.
    pub fn of(table: &Table, rows: Vec<u32>) -> Result<Self> {
        DistinctTuples::of(table, table.quasi_identifiers(), rows).map(LossTuples)
    }

    /// The rows of each tuple.
    pub fn rows(&self) -> impl Iterator<Item = &[u32]> {
        self.0.iter()
    }

    /// Makes something of the regions that hold each tuple, where that is little work without a [`Locator`]: tuples that
    /// share their first codes share the regions that hold these. `None` where it is not, or where regions are sets.
    pub fn locate_by_prefix<R: Send>(
        &self,
        table: &Table,
        regions: usize,
        covered: impl Fn(usize, usize) -> Extent,
        make: impl Fn(&[u32]) -> R + Sync,
    ) -> Option<Vec<R>> {
        const CHUNK: usize = 8192;
        let ends = |region: usize, dimension: usize| match covered(region, dimension) {
            Extent::Interval { lo, hi } => Some((lo, hi)),
            Extent::Members(_) => None,
        };
        let dimensions = 0..table.dimensions();
        let ends: Option<Vec<Vec<(u32, u32)>>> = dimensions
            .map(|dimension| (0..regions).map(|region| ends(region, dimension)).collect())
            .collect();
        let prefixes = Prefixes { tuples: self, table, ends: ends? };
        let starts: Vec<usize> = (0..self.0.len()).step_by(CHUNK).collect();
        let chunks: Option<Vec<Vec<R>>> = starts
            .into_par_iter()
            .map(|start| prefixes.locate(start..self.0.len().min(start + CHUNK), &make))
            .collect();
        Some(chunks?.into_iter().flatten().collect())
    }

    /// Makes something of the regions that hold each tuple.
    pub fn locate<R: Send>(
        &self,
        table: &Table,
        locator: &Locator,
        make: impl Fn(&[u32]) -> R + Sync,
    ) -> Vec<R> {
        let look_up = |(codes, found): &mut (Vec<u32>, Vec<u32>), tuple: usize| {
            let row = self.0.rows(tuple)[0] as usize;
            codes.clear();
            codes.extend((0..table.dimensions()).map(|dimension| table.codes(dimension).get(row)));
            found.clear();
            locator.find(codes, found);
            make(found)
        };
        (0..self.0.len()).into_par_iter().map_init(Default::default, look_up).collect()
    }
}

/// The ends of regions, dimension by dimension, for tuples that are looked at in order.
struct Prefixes<'a> {
    tuples: &'a LossTuples,
    table: &'a Table,
    ends: Vec<Vec<(u32, u32)>>,
}

impl Prefixes<'_> {
    /// Makes something of the regions that hold each of some tuples; `None` where that is much work.
    fn locate<R>(&self, tuples: Range<usize>, make: &impl Fn(&[u32]) -> R) -> Option<Vec<R>> {
        const WORK: usize = 1000;
        let regions = self.ends.first().map_or(0, Vec::len);
        let mut left = regions + WORK * tuples.len();
        // The regions that hold the first codes of the tuple at hand, by how many codes.
        let mut holding: Vec<Vec<u32>> = vec![Vec::new(); self.ends.len() + 1];
        holding[0] = (0..regions as u32).collect();
        let mut before: Vec<u32> = Vec::new();
        let mut made = Vec::with_capacity(tuples.len());
        for tuple in tuples {
            let row = self.tuples.0.rows(tuple)[0] as usize;
            let codes = (0..self.ends.len()).map(|dimension| self.table.codes(dimension).get(row));
            let codes: Vec<u32> = codes.collect();
            let shared = codes.iter().zip(&before).take_while(|(a, b)| a == b).count();
            for dimension in shared..codes.len() {
                let (held, next) = holding.split_at_mut(dimension + 1);
                let (ends, code) = (&self.ends[dimension], codes[dimension]);
                left = left.checked_sub(held[dimension].len())?;
                let holds =
                    |&&region: &&u32| (ends[region as usize].0..=ends[region as usize].1).contains(&code);
                next[0].clear();
                next[0].extend(held[dimension].iter().filter(holds));
            }
            made.push(make(&holding[codes.len()]));
            before = codes;
        }
        Some(made)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::{Codes, Column, ColumnData, ColumnSpec, Distinct, Encoding, Role, TextPool};
    use proptest::prelude::*;

    fn table(rows: &[[u32; 3]]) -> Table {
        let column = |at: usize| {
            let texts: TextPool = (10..16)
                .map(|number| number.to_string())
                .collect::<Vec<_>>()
                .iter()
                .map(String::as_str)
                .collect();
            let spec = ColumnSpec::new(format!("q{at}"), Role::QuasiIdentifier);
            let domain = Encoding::of(&spec, Distinct::Texts(texts), false).unwrap().domain;
            let codes = Codes::collect(domain.cardinality(), rows.iter().map(|row| row[at]));
            Column {
                name: spec.name.clone(),
                role: spec.role,
                data: ColumnData::Coded { domain: domain.into(), codes },
            }
        };
        Table::new(rows.len(), (0..3).map(column).collect()).unwrap()
    }

    proptest! {
        #[test]
        fn prefixes_and_the_tree_find_the_same_regions(
            rows in prop::collection::vec([0..6u32, 0..6u32, 0..6u32], 1..60),
            regions in prop::collection::vec([(0..6u32, 0..4u32), (0..6u32, 0..4u32), (0..6u32, 0..4u32)], 0..30),
        ) {
            let table = table(&rows);
            let covered = |region: usize, dimension: usize| {
                let (lo, length) = regions[region][dimension];
                Extent::Interval { lo, hi: lo + length }
            };
            let tuples = LossTuples::of(&table, (0..rows.len() as u32).collect()).unwrap();
            let locator = Locator::new(regions.len(), 3, covered);
            let expected = tuples.locate(&table, &locator, <[u32]>::to_vec);
            prop_assert_eq!(tuples.locate_by_prefix(&table, regions.len(), covered, <[u32]>::to_vec), Some(expected));
        }
    }
}
