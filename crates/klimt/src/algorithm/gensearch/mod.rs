//! GenSearch: the best hierarchical partition by systematic search (Hore, Jammalamadaka, Mehrotra, D'Ascanio,
//! "Constrained Generalization for Data Anonymization: A Systematic Search Based Approach").
//!
//! A *split set* (`splits.rs`) says where the space may be cut. The *partition enumeration tree* holds every
//! hierarchical partition with these splits once; its nodes are partition trees (`tree.rs`, with `Detect-legal-split`
//! and `Is-split-a-cut`), its edges add one split (`enumerate.rs`, `Enumerate`). `Prioritized-Enumerate` (`search.rs`)
//! goes through it with a priority queue (`queue.rs`), prunes by lower bounds (`bound.rs`, `LB_DM` and `MinCost`), and
//! always knows how far the best partition can be from the optimum.
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
mod queue;
mod search;
mod splits;
mod tree;

pub use enumerate::{Enumeration, Partition, Visited};
pub use queue::Priority;
pub use splits::Splits;

use crate::partition::{Family, Job, LowerBound, Partitioner, Partitioning};
use crate::region::Extents;
use crate::statistics::Collector;
use crate::{ErrorKind, Result};
use atlas::Atlas;
use blocks::Blocks;
use grid::Grid;
use search::Search;
use std::fmt;
use tree::Tree;

/// The GenSearch partitioner.
///
/// What it proves is about the sum that it minimises ([`Job::loss`] over the groups), and about partitionings by the
/// split set: *optimal* says that none of them costs less. It ends with what it has when time, memory or the observer
/// say so, and is no error then. Rows are not suppressed.
pub struct GenSearch {
    /// Where the space may be cut.
    pub splits: Splits,
    /// Which partition is looked at next.
    pub priority: Priority,
    /// How many partitions may wait (`MAXSIZE`); as many as the memory of the budget holds where it is not given.
    pub max_size: Option<usize>,
    /// A leaf with at most so many boxes inside, made by the splits that are left to it, is bounded by its best refinement
    /// instead of by its finest blocks. That is dear for a leaf and cheap for a search, which meets the same leaf in very
    /// many partitions; 0 leaves the bounds as they were published.
    pub lookahead: usize,
    /// Finds the first partitioning to improve on. Its cuts need not be in the split set; it is the result where the
    /// search finds nothing that costs less.
    pub seed: Option<Box<dyn Partitioner>>,
}

impl Default for GenSearch {
    fn default() -> Self {
        GenSearch {
            splits: Splits::default(),
            priority: Priority::default(),
            max_size: None,
            lookahead: 1 << 20,
            seed: None,
        }
    }
}

impl fmt::Debug for GenSearch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let GenSearch { splits, priority, max_size, lookahead, seed } = self;
        f.debug_struct("GenSearch")
            .field("splits", splits)
            .field("priority", priority)
            .field("max_size", max_size)
            .field("lookahead", lookahead)
            .field("seed", &seed.is_some())
            .finish()
    }
}

impl GenSearch {
    /// Walks through the whole enumeration tree of a job, but for partitions that violate the requirements, in preorder:
    /// what `Prioritized-Enumerate` would meet if it pruned nothing.
    pub fn explore(&self, job: &Job<'_>, visit: &mut dyn FnMut(&Visited)) -> Result<()> {
        if job.table.rows() > 0 {
            self.atlas(job)?.iter_mut().for_each(|atlas| enumerate::explore(atlas, visit));
        }
        Ok(())
    }

    /// What is known of boxes before the search; nothing where the job stops before that.
    fn atlas<'a>(&self, job: &'a Job<'a>) -> Result<Option<Atlas<'a>>> {
        let domains: Vec<_> =
            (0..job.table.dimensions()).map(|dimension| job.table.domain(dimension)).collect();
        let grid = Grid::new(&domains, &self.splits.codes(job.table)?);
        let blocks = Blocks::new(&grid, job)?;
        Ok(blocks.map(|blocks| Atlas::of_rows(grid, blocks, job, self.lookahead)))
    }
}

impl Partitioner for GenSearch {
    fn partition(&self, job: &Job<'_>) -> Result<Partitioning> {
        let seed = match self.seed.as_ref().map(|seed| seed.partition(job)).transpose() {
            Err(stopped) if stopped.kind() == ErrorKind::Cancelled => None,
            other => other?,
        };
        if job.table.rows() == 0 {
            let nothing = || Partitioning::planted(job.table, plant::nothing());
            return seed.map_or_else(nothing, Ok);
        }
        let paid = seed.as_ref().map(|seed| cost_of(seed, job)).transpose()?;
        let Some(mut atlas) = self.atlas(job)? else {
            let whole = || Partitioning::planted(job.table, plant::nothing());
            return seed.map_or_else(whole, Ok);
        };
        let found = Search::new(&mut atlas, job, self.priority, self.max_size, paid).run();
        // A seed may be cut elsewhere, and then the bound is not about it.
        let bound = found.path.as_ref().map(|_| LowerBound {
            family: Family::Splits(atlas.grid.splits.len()),
            sum: found.bound,
            suppresses: false,
            extents: Extents::Compact,
        });
        job.observer.advance(job.table.rows() as u64);
        let partitioning = match (found.path, seed) {
            (None, Some(seed)) => seed,
            (path, _) => {
                let tree = Tree::at(&mut atlas, path.unwrap_or_default().into_iter());
                let planted = Partitioning::planted(job.table, plant::cuts(&tree, &atlas))?;
                Partitioning { tree: planted.tree.filter(|_| job.keep_tree), ..planted }
            }
        };
        Ok(Partitioning { bound, ..partitioning })
    }
}

/// What the groups of a partitioning cost, and the rows that it suppresses. Where these have no price, nothing is known
/// to be as cheap.
fn cost_of(partitioning: &Partitioning, job: &Job<'_>) -> Result<f64> {
    let collector = Collector::new(&job.loss.needs(), job.table)?;
    let ends: Vec<usize> = partitioning.ends.iter().map(|&end| end as usize).collect();
    let groups = collector.of_each(&partitioning.order, &ends);
    let sum: f64 = groups.iter().map(|group| job.loss.group(group)).sum();
    match job.table.rows() - partitioning.order.len() {
        0 => Ok(sum),
        gone => Ok(sum + gone as f64 * job.loss.price(job.table.rows() as u64).unwrap_or(f64::INFINITY)),
    }
}
