//! Groups of tuples, with sums over their rows.

use super::family::Generalization;
use crate::statistics::{Pile, Statistics};

/// How many statistics are merged between two looks at the clock.
const PATIENCE: usize = 16_384;

/// Groups, each with one of its tuples and the sums over its rows that cost and requirements are seen from.
#[derive(Clone, Debug, Default)]
pub(super) struct TupleGroups {
    /// A tuple of each group: all others are in the same blocks.
    pub tuples: Vec<u32>,
    pub rows: Vec<u32>,
    /// The generalization that they are the groups of.
    pub parts: Vec<Generalization>,
    /// The blocks of each group in one number; empty where they do not fit.
    pub keys: Vec<u64>,
    /// The cost that the rows save, whatever the blocks; empty where there is none.
    pub offsets: Vec<f64>,
    /// The cost of the rows per unit of width, by column; empty for a column where every row costs the same.
    pub slopes: Vec<Vec<f64>>,
    /// Empty where sizes and sums say all.
    pub statistics: Vec<Statistics>,
}

impl TupleGroups {
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// The cost of a group per unit of width in a column.
    #[inline]
    pub fn slope(&self, column: usize, group: usize) -> f64 {
        match self.slopes.get(column).and_then(|slopes| slopes.get(group)) {
            Some(slope) => *slope,
            None => f64::from(self.rows[group]),
        }
    }

    /// The coarser groups that these are parts of; of which generalization and under which keys is for the caller to say.
    pub fn merged(&self, groups: &[u32], many: usize) -> TupleGroups {
        self.merged_unless(groups, many, &|| false).unwrap_or_default()
    }

    /// As [`TupleGroups::merged`]; nothing where that is stopped, which is asked now and then.
    pub fn merged_unless(
        &self,
        groups: &[u32],
        many: usize,
        stops: &dyn Fn() -> bool,
    ) -> Option<TupleGroups> {
        let mut tuples = vec![u32::MAX; many];
        let mut rows = vec![0; many];
        for ((&group, &tuple), &size) in groups.iter().zip(&self.tuples).zip(&self.rows) {
            let group = group as usize;
            rows[group] += size;
            if tuples[group] == u32::MAX {
                tuples[group] = tuple;
            }
        }
        let sums = |values: &Vec<f64>| {
            if values.is_empty() {
                return Vec::new();
            }
            let mut sums = vec![0.0; many];
            groups.iter().zip(values).for_each(|(&group, value)| sums[group as usize] += value);
            sums
        };
        let mut statistics: Vec<Statistics> = Vec::new();
        if !self.statistics.is_empty() {
            let mut found: Vec<Pile> = vec![Pile::default(); many];
            for (number, (&group, part)) in groups.iter().zip(&self.statistics).enumerate() {
                if number % PATIENCE == PATIENCE - 1 && stops() {
                    return None;
                }
                found[group as usize].add(part);
            }
            statistics = found.into_iter().filter_map(Pile::total).collect();
        }
        Some(TupleGroups {
            tuples,
            rows,
            parts: Vec::new(),
            keys: Vec::new(),
            offsets: sums(&self.offsets),
            slopes: self.slopes.iter().map(sums).collect(),
            statistics,
        })
    }

    /// How many bytes they take, nearly.
    pub fn bytes(&self) -> usize {
        let sums = self.offsets.len() + self.slopes.iter().map(Vec::len).sum::<usize>();
        let histograms = self.statistics.first().map_or(0, |one| {
            one.histograms.iter().map(|(_, histogram)| histogram.iter().count() * 16 + 64).sum::<usize>()
                + 128
        });
        self.rows.len() * 16 + sums * 8 + self.statistics.len() * histograms
    }
}
