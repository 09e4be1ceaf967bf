//! Which leaves violate the requirements, when rows have been divided among them.
//!
//! Leaves are read again for that, one after the other: the values of one leaf fit in memory where those of all leaves do
//! not. What only counts rows is known without.

use super::repartition::Leaf;
use crate::Result;
use crate::parts::External;
use crate::requirement::Bound;
use crate::spill::{Block, Rows, SpillFile, SpilledPart};
use crate::statistics::{Collector, Statistics, Tally};
use crate::{Error, ErrorKind};
use rayon::prelude::*;
use std::ops::Range;

/// Decides about leaves whose rows lie in a file.
pub(super) struct Judge<'a> {
    pub job: &'a External<'a>,
    pub requirements: &'a Bound,
    pub collector: &'a Collector<'a>,
    pub file: &'a SpillFile,
    pub leaves: &'a [Leaf],
}

impl Judge<'_> {
    /// Whether rows with these statistics violate the requirements; no rows violate nothing.
    pub fn violates(&self, group: &Statistics) -> bool {
        group.count > 0 && !self.requirements.satisfied(group)
    }

    /// Whether each leaf violates the requirements.
    pub fn all(&self) -> Result<Vec<bool>> {
        let most = self.leaves.iter().map(Leaf::rows).max().unwrap_or(0);
        let bytes = Tally::bytes(self.collector, most);
        let violates = |leaf: usize| match self.leaves[leaf].rows() {
            0 => Ok(false),
            rows if rows < self.requirements.minimum_size() => Ok(true),
            _ => self.statistics(leaf..leaf + 1).map(|found| self.violates(&found)),
        };
        match self.job.pool.take(bytes.saturating_mul(rayon::current_num_threads())) {
            Some(_taken) => (0..self.leaves.len()).into_par_iter().map(violates).collect(),
            None => {
                let _taken = self.job.pool.reserve(bytes, "the sensitive values of a part")?;
                (0..self.leaves.len()).map(violates).collect()
            }
        }
    }

    /// The statistics of some leaves together.
    pub fn statistics(&self, leaves: Range<usize>) -> Result<Statistics> {
        let leaves = &self.leaves[leaves];
        let rows = leaves.iter().map(Leaf::rows).sum();
        if self.requirements.only_count() {
            return Ok(Statistics { count: rows, ..Statistics::default() });
        }
        let mut tally = Tally::new(self.collector, rows);
        let mut block = Block::empty(self.job.frame);
        for leaf in leaves {
            let part = SpilledPart::new(self.file, leaf.places().to_vec(), leaf.rows());
            for number in 0..part.blocks() {
                part.read(number, &mut block)?;
                tally.add(&block);
            }
        }
        if self.job.observer.cancelled() {
            return Err(Error::new(ErrorKind::Cancelled, "stopped"));
        }
        Ok(tally.finish())
    }
}
