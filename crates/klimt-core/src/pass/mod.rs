//! Passes over the rows of a part: one walk over all of them for each question.
//!
//! An algorithm for tables larger than memory asks [`PartRows`] to sample rows, to count nodes, to measure all rows, or to
//! divide the rows by a few cuts into [`DividedRows`], whose leaves are parts again. It does not know where the rows lie or
//! who walks over them. Here threads of this machine do, over rows in memory or in spill files (`local.rs`).
//!
//! Passes exchange trees of cuts, ranges of codes, counts, statistics and samples of rows: all of these can
//! be sent to another machine.

mod frequency;
mod judge;
mod local;
mod repartition;
mod route;
mod sample;
mod scan;

pub(crate) use frequency::{CodeRange, CountColumns, CountRequest, Frequencies};
pub(crate) use judge::LeafJudge;
pub(crate) use local::{BlockMemory, LEAST_BUFFER, LocalPasses, LocalRows};
pub(crate) use sample::{SampleRequest, counted};

use crate::Result;
use crate::partition::CutTree;
use crate::parts::CodeCounts;
use crate::statistics::{Collector, Statistics};
use crate::table::Block;
use std::ops::Range;

/// The rows of a part, wherever they lie. Each method is one pass over them, but for [`PartRows::rows`].
pub(crate) trait PartRows {
    /// The number of rows.
    fn rows(&self) -> u64;

    /// Takes a sample of the rows where one is requested, and counts the values of the given columns.
    fn survey(&self, sample: Option<SampleRequest>, counted: &[usize]) -> Result<(Block, CodeCounts)>;

    /// Counts the values in nodes, which are leaves of a tree of cuts.
    fn count<'c>(
        &self,
        cuts: &CutTree,
        nodes: &[&CountRequest],
        counting: CountColumns<'c>,
    ) -> Result<Frequencies<'c>>;

    /// Makes the statistics of all rows.
    fn measure(&self, collector: &Collector<'_>) -> Result<Statistics>;

    /// Divides the rows among the leaves of a tree of strict cuts, which are numbered from left to right.
    fn divide(&self, cuts: &CutTree) -> Result<Box<dyn DividedRows + '_>>;

    /// Deals the rows out at random to this many leaves; the secret decides how.
    fn deal(&self, leaves: usize, secret: [u8; 32]) -> Result<Box<dyn DividedRows + '_>>;

    /// Appends all rows to a block in memory, in their order.
    fn load(&self, into: &mut Block) -> Result<()>;
}

/// The rows of a part after they were divided among leaves.
pub(crate) trait DividedRows {
    /// The number of leaves.
    fn leaves(&self) -> usize;

    /// The number of rows of a leaf.
    fn rows(&self, leaf: usize) -> u64;

    /// Says of each leaf whether its rows violate the requirements.
    fn violating(&self, judge: &LeafJudge<'_>) -> Result<Vec<bool>>;

    /// Makes the statistics of some leaves together.
    fn statistics(&self, leaves: Range<usize>, judge: &LeafJudge<'_>) -> Result<Statistics>;

    /// The rows of some leaves together, as a part.
    fn part(&self, leaves: Range<usize>) -> Box<dyn PartRows + '_>;
}
