//! The six generalization schemes (Li, Li, 2007): consistent recoding, where one value is always published the same way.
//!
//! A generalization of a column is a grouping of its values, and a scheme says which groupings are allowed (`family`):
//! one level of a hierarchy (BHS), a cut through it (GHS), intervals of an order (OPS), intervals that respect the
//! hierarchy's groups (GOPS), any grouping (SPS), any grouping that respects the hierarchy (GSPS). A generalization of the
//! table takes one of each column, and rows whose values are published alike are a group.
//!
//! Every generalization is a set of *applicators*, each of which merges two groups of values (`applicator`), so one
//! enumeration serves all schemes (`enumerate`), bottom-up from the values as they are, or top-down from one group of
//! everything. `search` looks for the best of them by branch and bound; `fold` solves one column exactly while the others
//! stay; `seed` finds a good generalization to start from.

mod applicator;
mod bits;
mod bound;
mod collected;
mod count;
mod enumerate;
mod expand;
mod family;
mod fold;
mod groups;
mod grow;
mod keys;
mod missing;
mod outcome;
mod problem;
mod queue;
mod search;
mod seed;
mod slab;
mod tuples;

pub use count::{SchemeCount, drawn};
pub use enumerate::{anonymizations, child_partitions, generalizations};
pub use family::{ColumnFamily, Generalization};

pub use crate::partition::Scheme;

use crate::Choice;
use crate::hierarchy::Hierarchy;
use crate::job::{Budget, Job, Partitioner};
use crate::partition::{self, Partitioning};
use crate::{Error, Result};
use missing::MissingRule;
use problem::SchemeProblem;
use std::sync::Arc;
use std::time::Instant;

/// The scheme of one column.
#[derive(Clone, Debug)]
pub struct ColumnScheme {
    /// Which groupings are allowed.
    pub scheme: Scheme,
    /// The hierarchy that guides it, where the column's own domain is none.
    pub guide: Option<Arc<Hierarchy>>,
    /// The lowest and the highest level of the hierarchy that may be published; 0 is the values as they are.
    pub levels: (u32, u32),
}

impl ColumnScheme {
    /// A scheme without guide, over all levels.
    pub fn new(scheme: Scheme) -> Self {
        ColumnScheme { scheme, guide: None, levels: (0, u32::MAX) }
    }
}

/// Where the search starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Direction {
    /// From the values as they are (Li and Li).
    BottomUp,
    /// From one group of everything (K-Optimize of Bayardo and Agrawal).
    TopDown,
    /// Bottom-up where k is small and columns are few, else top-down.
    #[default]
    Auto,
}

impl Choice for Direction {
    const ALL: &'static [(Self, &'static str, &'static str)] = &[
        (Direction::BottomUp, "bottom-up", "From the values as they are"),
        (Direction::TopDown, "top-down", "From one group of everything"),
        (Direction::Auto, "auto", "Whichever suits the table"),
    ];
}

/// The prunings of the search; all are on by default, and none of them changes the optimum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pruning {
    /// Leave out generalizations whose lower bound is no better than what is known (cost-based pruning).
    pub bounds: bool,
    /// Leave out applicators that lead to nothing better.
    pub useless: bool,
    /// Apply at once what must be applied to reach anything better.
    pub useful: bool,
    /// Start from a known generalization: the best of some drawn at random, or of descents.
    pub seeding: bool,
    /// Look at a generalization a second time before its children are made (modified breadth-first search).
    pub reconsider: bool,
    /// Take the generalization with the least lower bound next, not the oldest.
    pub nodes: bool,
    /// Apply first what merges the fewest groups.
    pub applicators: bool,
    /// Solve one column exactly at every generalization of the others. Not in the paper.
    pub fold: bool,
    /// Seed by descents that fold one column after the other, not by generalizations drawn at random. Not in the paper.
    pub descents: bool,
    /// Bounds that look at both ends of a scope in either direction, and applicators that are useful by these bounds, with
    /// suppression too. Not in the paper.
    pub both_ends: bool,
}

impl Pruning {
    /// Everything that klimt can do.
    pub const ALL: Pruning = Pruning {
        bounds: true,
        useless: true,
        useful: true,
        seeding: true,
        reconsider: true,
        nodes: true,
        applicators: true,
        fold: true,
        descents: true,
        both_ends: true,
    };

    /// The prunings that Li and Li describe (sections 4.3 and 4.4), without those that klimt adds.
    pub const AS_PUBLISHED: Pruning =
        Pruning { fold: false, descents: false, both_ends: false, ..Pruning::ALL };
}

impl Default for Pruning {
    fn default() -> Self {
        Pruning::ALL
    }
}

/// The partitioner that looks for the best generalization of its schemes.
#[derive(Clone, Debug)]
pub struct SchemeSearch {
    /// The scheme of every quasi-identifier.
    pub columns: Vec<ColumnScheme>,
    /// Where the search starts.
    pub direction: Direction,
    /// The prunings of the search.
    pub pruning: Pruning,
    /// Where random starts come from.
    pub seed: u64,
}

impl Partitioner for SchemeSearch {
    fn partition(&self, job: &Job<'_>) -> Result<Partitioning> {
        let ways = missing::ways(job);
        let (mut best, mut failed) = (None::<SchemeResult>, None);
        let rounding = match ways.len() {
            1 => 0.0,
            _ => ROUNDING * missing::loss_of_one_group(job)?.abs(),
        };
        for (at, &(way, share)) in ways.iter().enumerate() {
            let until = job.budget.until.filter(|_| at + 1 < ways.len()).map(|until| {
                let now = Instant::now();
                now + until.saturating_duration_since(now).mul_f64(share)
            });
            let until = until.or(job.budget.until);
            match self.solve(&Job { budget: Budget { until, ..job.budget }, ..*job }, way) {
                Ok(found) if ways.len() == 1 => return Ok(found),
                // Of equal ones that with a proof.
                Ok(partitioning) => {
                    let found =
                        SchemeResult { loss: missing::published_loss(job, &partitioning)?, partitioning };
                    let is_better = |best: &SchemeResult| match way {
                        MissingRule::Apart => found.loss <= best.loss + rounding,
                        _ => found.loss < best.loss - rounding,
                    };
                    if best.as_ref().is_none_or(is_better) {
                        best = Some(found);
                    }
                }
                Err(error) => failed = Some(error),
            }
        }
        match (best, failed) {
            (Some(best), _) => Ok(best.partitioning),
            (None, Some(error)) => Err(error),
            (None, None) => Err(Error::internal("no way to treat missing values was tried")),
        }
    }
}

/// How far losses that are sums of the same numbers in different orders can lie apart, as a share of the loss of all rows
/// as one group.
const ROUNDING: f64 = 1e-9;

/// A partitioning, and its loss as it is published.
struct SchemeResult {
    partitioning: Partitioning,
    loss: f64,
}

impl SchemeSearch {
    /// The family that lower bounds are about.
    fn family(&self) -> partition::Family {
        let mut schemes: Vec<Scheme> = Vec::new();
        for column in &self.columns {
            if !schemes.contains(&column.scheme) {
                schemes.push(column.scheme);
            }
        }
        let limited = self.columns.iter().any(|column| column.levels != (0, u32::MAX));
        partition::Family::Schemes { schemes, limited }
    }

    /// The search of Li and Li with their own seeding and prunings only.
    pub fn as_published(columns: Vec<ColumnScheme>, direction: Direction) -> Self {
        SchemeSearch { columns, direction, pruning: Pruning::AS_PUBLISHED, seed: 1 }
    }

    /// The best generalization, with missing values treated by `missing`.
    fn solve(&self, job: &Job<'_>, missing: MissingRule) -> Result<Partitioning> {
        problem::admit(job)?;
        let families = family::families(&self.columns, job, missing)?;
        if let Some(solved) = self.solve_over(job, &families, false)? {
            return Ok(solved);
        }
        // The time was over before there was anything: everything together is soon told.
        let coarsest = |(dimension, family): (usize, ColumnFamily)| {
            family.coarsest_alone(job.table.domain(dimension)).unwrap_or(family)
        };
        let families: Vec<ColumnFamily> = families.into_iter().enumerate().map(coarsest).collect();
        let mut solved = self
            .solve_over(job, &families, true)?
            .ok_or_else(|| Error::internal("a patient search came to nothing"))?;
        solved.bound = None;
        Ok(solved)
    }

    /// The best generalization of the families; nothing where the search is stopped before it has one, unless it is
    /// `patient`.
    fn solve_over(
        &self,
        job: &Job<'_>,
        families: &[ColumnFamily],
        patient: bool,
    ) -> Result<Option<Partitioning>> {
        let Some(problem) = SchemeProblem::new(job, families, patient)? else { return Ok(None) };
        let Some(found) = search::run(self, &problem)? else { return Ok(None) };
        outcome::partitioning(&problem, &found, self.family()).map(Some)
    }
}
