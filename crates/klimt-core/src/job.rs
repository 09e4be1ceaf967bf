//! The job of a partitioner: its table, its requirements, its budget and its observer.

use crate::loss::Cost;
use crate::partition::Partitioning;
use crate::requirement::Checks;
use crate::split::SplitCriterion;
use crate::table::Table;
use crate::words::{amount, option_is};
use crate::{Error, Remedy, Result};
use serde::{Deserialize, Serialize};
use std::time::Instant;

/// Watches a long run: receives its progress and may stop it. Called from several threads.
pub trait Observer: Sync {
    /// A number of further rows have found their group.
    fn advance(&self, rows: u64);
    /// Whether the run should stop.
    fn cancelled(&self) -> bool;
    /// A search has found a partitioning of this cost, or has proven that none costs less than the bound.
    fn improved(&self, _found: f64, _bound: f64) {}
    /// A search over a split set has ended.
    fn searched(&self, _counts: SearchCounts) {}
}

/// How a search over a split set went.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SearchCounts {
    /// The splits of the split set.
    pub splits: u64,
    /// The boxes that were met in partitions.
    pub boxes: u64,
    /// The partitions whose children were looked at.
    pub opened: u64,
    /// The partitions that were given up with all below them, as nothing there could be better than the best.
    pub pruned: u64,
    /// The partitions that were dropped as too many waited.
    pub dropped: u64,
    /// The partitions that were left in the queue.
    pub waiting: u64,
}

/// Watches nothing.
#[derive(Clone, Copy, Debug)]
pub struct Unobserved;

impl Observer for Unobserved {
    fn advance(&self, _: u64) {}
    fn cancelled(&self) -> bool {
        false
    }
}

/// The budget of a search. The search ends when the proof is good enough, or when something runs out, and
/// returns its best result.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    /// When it must be over.
    pub until: Option<Instant>,
    /// The ratio of cost and lower bound that is good enough; 1 asks for the optimum.
    pub gap: f64,
    /// The memory that what waits to be looked at may take, in bytes.
    pub bytes: usize,
    /// The memory of the whole run, with its table, in bytes.
    pub memory: usize,
}

impl Default for Budget {
    fn default() -> Self {
        Budget { until: None, gap: 1.0, bytes: 4 << 30, memory: usize::MAX }
    }
}

impl Budget {
    /// Whether the time is over.
    pub fn over(&self) -> bool {
        self.until.is_some_and(|until| Instant::now() >= until)
    }

    /// The memory that a search may take beside a table, in bytes.
    pub fn beside(&self, table: &Table) -> usize {
        self.bytes.min(self.memory.saturating_sub(table.held_bytes()))
    }

    /// Refuses work that would take more bytes beside a table than the run may take, and names
    /// a budget that suffices.
    pub fn admit(&self, table: &Table, bytes: usize, work: &str) -> Result<()> {
        let needed = table.held_bytes().saturating_add(bytes);
        if needed <= self.memory {
            return Ok(());
        }
        let message = format!("{} of memory are too little for {work}", amount(self.memory));
        Err(Error::resource(message).with_help(Remedy::RaiseMemory(needed)).with_help(format!(
            "{} takes less, and rothko-s works within any budget",
            option_is("algorithm", "mondrian")
        )))
    }
}

/// How many rows may be suppressed, as a share of all rows in parts per million.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Suppression {
    parts_per_million: u32,
}

impl Suppression {
    /// No row is suppressed.
    pub const NONE: Suppression = Suppression { parts_per_million: 0 };

    /// At most this share of the rows, 0..=1.
    pub fn share(share: f64) -> Option<Self> {
        (0.0..=1.0).contains(&share).then_some(Suppression { parts_per_million: (share * 1e6) as u32 })
    }

    /// The most rows of a table that may be suppressed.
    pub fn limit(self, rows: usize) -> usize {
        (rows as u128 * u128::from(self.parts_per_million) / 1_000_000) as usize
    }
}

/// The job of a partitioner.
pub struct Job<'a> {
    /// The table.
    pub table: &'a Table,
    /// The requirements of every group.
    pub requirements: &'a Checks,
    /// How a greedy algorithm chooses the next cut.
    pub split: &'a SplitCriterion<'a>,
    /// The cost that a search minimises.
    pub loss: &'a dyn Cost,
    /// How many rows a search may suppress, at the price of the loss.
    pub suppression: Suppression,
    /// The budget of the run.
    pub budget: Budget,
    /// How much each dimension matters; 1 by default.
    pub weights: &'a [f64],
    /// Whether the cuts are kept, for region extents or a recoding function.
    pub keep_tree: bool,
    /// Watches the run.
    pub observer: &'a dyn Observer,
}

impl Job<'_> {
    /// Whether the run should end with what it has: the time is over, or the observer says so.
    pub fn stops(&self) -> bool {
        self.budget.over() || self.observer.cancelled()
    }
}

/// An algorithm that finds a partitioning. It runs on the current rayon pool, with the same result for any number
/// of threads.
pub trait Partitioner: Sync {
    /// Finds a partitioning in which every group satisfies the requirements, which the whole table does.
    fn partition(&self, job: &Job<'_>) -> Result<Partitioning>;
}
