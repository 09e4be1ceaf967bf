//! GenSearch: the best hierarchical partition by systematic search (Hore, Jammalamadaka, Mehrotra, D'Ascanio,
//! "Constrained Generalization for Data Anonymization: A Systematic Search Based Approach").
//!
//! A *split set* (`splits.rs`) says where the space may be cut. The *partition enumeration tree* holds every
//! hierarchical partition with these splits once; its nodes are partition trees (`tree.rs`, with `Detect-legal-split`
//! and `Is-split-a-cut`), its edges add one split (`enumerate.rs`, `Enumerate`). `Prioritized-Enumerate` (`search.rs`)
//! goes through it with a priority queue (`queue.rs`, `priority.rs`), prunes by lower bounds (`bound.rs`, `LB_DM` and
//! `MinCost`), and always knows how far the best partition can be from the optimum. A start from elsewhere is moved into
//! the split set (`snap.rs`), so that the result and what is proven are about the same partitions.
//!
//! All requirements are monotone under merging: a partition with a group that violates one has no descendant that
//! satisfies it, and is not entered.
//!
//! Costs are sums of floating-point numbers. Those of DM, CM and VM are whole and exact; for other losses, *optimal*
//! is up to the rounding of such sums.

mod atlas;
mod blocks;
mod bound;
mod enumerate;
mod grid;
mod plant;
mod priority;
mod queue;
mod search;
mod snap;
mod splits;
mod sweep;
mod tree;

pub use enumerate::{Enumeration, Partition, PartitionVisit};
pub use priority::{Priority, PriorityFunction};
pub use splits::Splits;

use crate::job::{Budget, Job, Partitioner, Suppression};
use crate::partition::{Family, LowerBound, Partitioning};
use crate::region::Extents;
use crate::{ErrorKind, Result};
use atlas::Atlas;
use blocks::FinestBlocks;
use grid::SplitGrid;
use search::Search;
use std::fmt;
use std::time::Instant;

/// The GenSearch partitioner.
///
/// Its proofs are about the sum that it minimises ([`Job::loss`] over the groups), and about partitionings by
/// the split set: *optimal* says that none of them costs less. When time or memory runs out, or the observer
/// stops it, it returns its best partitioning; that is no error. Rows are not suppressed.
pub struct GenSearch {
    /// Where the space may be cut.
    pub splits: Splits,
    /// Which partition is looked at next.
    pub priority: Priority,
    /// How many partitions may wait (`MAXSIZE`). Where it is not given, a search that probes begins with the 200 most
    /// promising ones, and starts again with four times as many while time is left; one as published keeps as many as the
    /// memory of the budget holds.
    pub max_size: Option<usize>,
    /// A leaf with at most this many boxes inside, made by the splits that are left to it, is bounded by its best
    /// refinement instead of by its finest blocks. This is expensive for a leaf and cheap for a search, which meets the
    /// same leaf in very many partitions; 0 leaves the bounds as they were published.
    pub lookahead: usize,
    /// Whether it goes down greedily now and then to know a good partition early. As published, it does so only where
    /// more partitions wait than may.
    pub probes: bool,
    /// Finds the first partitioning to improve on. Its cuts need not be in the split set: each is moved to the nearest
    /// split, so that the result is always a partition by the split set.
    pub seed: Option<Box<dyn Partitioner>>,
}

impl Default for GenSearch {
    fn default() -> Self {
        GenSearch {
            splits: Splits::default(),
            priority: Priority::default(),
            max_size: None,
            lookahead: 1 << 12,
            probes: true,
            seed: None,
        }
    }
}

impl fmt::Debug for GenSearch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let GenSearch { splits, priority, max_size, lookahead, probes, seed } = self;
        f.debug_struct("GenSearch")
            .field("splits", splits)
            .field("priority", priority)
            .field("max_size", max_size)
            .field("lookahead", lookahead)
            .field("probes", probes)
            .field("seed", &seed.is_some())
            .finish()
    }
}

/// The start gets 1/n of the time, for this n.
const START_SHARE: u32 = 2;

impl GenSearch {
    /// The algorithm of the paper (Fig. 13, with the bounds of Fig. 4): it starts from the undivided space, looks at the
    /// partition with the least lower bound next, bounds leaves by their finest blocks alone, and goes down greedily only
    /// where `MAXSIZE` partitions wait.
    pub fn as_published(splits: Splits) -> Self {
        GenSearch {
            splits,
            priority: Priority::Bound,
            max_size: None,
            lookahead: 0,
            probes: false,
            seed: None,
        }
    }

    /// Walks through the whole enumeration tree of a job, but for partitions that violate the requirements, in preorder:
    /// what `Prioritized-Enumerate` would meet if it pruned nothing.
    pub fn explore(&self, job: &Job<'_>, visit: &mut dyn FnMut(&PartitionVisit)) -> Result<()> {
        if job.table.rows() > 0 {
            self.atlas(job)?.iter_mut().for_each(|atlas| enumerate::explore(atlas, visit));
        }
        Ok(())
    }

    /// The partitioning to start from, where there is one, with its cuts. It gets a share of the time.
    fn seed(&self, job: &Job<'_>) -> Result<Option<Partitioning>> {
        let Some(seed) = &self.seed else { return Ok(None) };
        let now = Instant::now();
        let share = |until: Instant| now + until.saturating_duration_since(now) / START_SHARE;
        let budget = Budget { until: job.budget.until.map(share), ..job.budget };
        let whole = Job { keep_tree: true, suppression: Suppression::NONE, budget, ..*job };
        match seed.partition(&whole) {
            Err(stopped) if stopped.kind() == ErrorKind::Cancelled => Ok(None),
            found => Ok(Some(found?)),
        }
    }

    /// The result where there is no time to search: the start, without a proof.
    fn unsearched(job: &Job<'_>, start: Option<Partitioning>) -> Result<Partitioning> {
        job.observer.advance(job.table.rows() as u64);
        match start.filter(|start| start.tree.is_some()) {
            Some(start) => {
                let tree = start.tree.filter(|_| job.keep_tree);
                Ok(Partitioning { tree, bound: None, ..start })
            }
            None => Partitioning::planted(job.table, plant::nothing()),
        }
    }

    /// Measures the boxes before the search; `None` where the job stops first.
    fn atlas<'a>(&self, job: &'a Job<'a>) -> Result<Option<Atlas<'a>>> {
        let domains = job.table.domains();
        let mut grid = SplitGrid::new(&domains, &self.splits.codes(job.table)?);
        grid.restricted = job.requirements.restricted_dimensions().collect();
        let blocks = FinestBlocks::new(&grid, job)?;
        Ok(blocks.map(|blocks| Atlas::of_rows(grid, blocks, job, self.lookahead)))
    }
}

impl Partitioner for GenSearch {
    fn partition(&self, job: &Job<'_>) -> Result<Partitioning> {
        if job.table.rows() == 0 {
            return Partitioning::planted(job.table, plant::nothing());
        }
        let seed = self.seed(job)?;
        let Some(mut atlas) = self.atlas(job)? else { return GenSearch::unsearched(job, seed) };
        let mut start = None;
        if let Some(cuts) = seed.as_ref().and_then(|seed| seed.tree.as_ref()) {
            start = snap::snapped(&mut atlas, cuts);
            if start.is_none() {
                return GenSearch::unsearched(job, seed);
            }
        }
        let found = Search::new(&mut atlas, job, self, start).run();
        job.observer.advance(job.table.rows() as u64);
        let planted = Partitioning::planted(job.table, plant::cuts(&found.tree, &atlas))?;
        let tree = planted.tree.filter(|_| job.keep_tree);
        let bound = LowerBound {
            family: Family::Splits(atlas.grid.splits.len()),
            sum: found.bound,
            suppresses: false,
            extents: Extents::Compact,
        };
        Ok(Partitioning { tree, bound: Some(bound), ..planted })
    }
}
