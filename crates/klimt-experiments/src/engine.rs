//! The engine without the front door.
//!
//! A release through the front door is read from a file, written, and checked. Experiments go around that for these alone:
//!
//! - an algorithm exactly as a paper published it, over tables that know only a split set, or with techniques left out
//!   (GenSearch, the schemes of Li and Li), and the greedy algorithms beside it on the same table;
//! - the bound of a search in which rows are suppressed at their price, which is about the boundaries that it searched:
//!   a certificate claims nothing of it, as published boundaries shrink with the rows;
//! - the time of an algorithm by itself, without reading, checking and writing (the R+-tree beside Mondrian, compaction);
//! - passes over rows with the limits of a paper, which nobody sets as a user (`passes.rs`);
//! - losses and answers of partitionings that come of these (`partitions.rs`), and a store's next release, which is not
//!   entered in its ledger.

pub mod partitions;
pub mod passes;
pub mod splits;

use crate::Result;
use crate::number::Measured;
use crate::requirements::RequirementSpec;
use klimt_core::algorithm::mondrian::Mondrian;
use klimt_core::algorithm::rtree::{LeafGrouping, RPlusTree, granular};
use klimt_core::job::{Budget, Job, Observer, Partitioner, Suppression, Unobserved};
use klimt_core::loss::{Cost, Original, SuppressedRows};
use klimt_core::partition::Partitioning;
use klimt_core::registry;
use klimt_core::requirement::{Checks, Requirement};
use klimt_core::split::{SplitCriterion, SplitSpec};
use klimt_core::table::{Domain, Spelling, Table, ValueType};
use std::time::{Duration, Instant};

/// The requirements that are asked for.
pub fn requirements(asked: &[RequirementSpec<'_>]) -> Result<Vec<Box<dyn Requirement>>> {
    let each = asked.iter().map(|(flag, column, text)| registry::requirement(flag, column, text));
    Ok(each.collect::<Result<_, _>>()?)
}

/// The requirements, bound to a table that satisfies them as a whole.
pub fn bind(table: &Table, asked: &[RequirementSpec<'_>]) -> Result<Checks> {
    let bound = Checks::new(&requirements(asked)?, table)?;
    bound.feasible(table)?;
    Ok(bound)
}

/// k-anonymity alone, bound to a table.
pub fn k_alone(table: &Table, k: u64) -> Result<Checks> {
    bind(table, &[("k", "", &k.to_string())])
}

/// The groups that a split criterion makes: those of Mondrian by the median, the leaves of an R+-tree by boxes.
pub fn groups(table: &Table, bound: &Checks, split: &str, keep_tree: bool) -> Result<Partitioning> {
    let weights = vec![1.0; table.dimensions()];
    let criterion = SplitSpec::named(split).bind(&Original::new(table, &weights))?;
    let job = Job { split: &criterion, keep_tree, ..job(table, bound, &SuppressedRows, &weights) };
    match split {
        "median" => Ok(Mondrian::default().partition(&job)?),
        _ => Ok(RPlusTree::default().partition(&job)?),
    }
}

/// Joins the leaves of an R+-tree to groups for a greater k.
pub fn joined(leaves: &Partitioning, table: &Table, k: u64, by: LeafGrouping) -> Result<Partitioning> {
    Ok(granular(leaves, table, &k_alone(table, k)?, by, &[table.rows() as u32])?)
}

/// The domain of the whole numbers from 0 on.
pub fn whole_numbers(values: usize) -> Domain {
    Domain::of_range(ValueType::Integer.into(), 0, values as u32, Spelling::WHOLE, false)
}

/// A job with every row and all the time that it takes.
fn job<'a>(table: &'a Table, requirements: &'a Checks, loss: &'a dyn Cost, weights: &'a [f64]) -> Job<'a> {
    Job {
        table,
        requirements,
        split: &SplitCriterion::Median,
        loss,
        suppression: Suppression::NONE,
        budget: Budget::default(),
        weights,
        keep_tree: true,
        observer: &Unobserved,
    }
}

/// What a search minimises and may spend.
#[derive(Clone, Copy)]
pub struct Goal<'a> {
    /// The name of the loss.
    pub loss: &'a str,
    /// How long it may take.
    pub seconds: f64,
    /// Whether rows may be suppressed, as many as it likes, at the price of the loss.
    pub suppress: bool,
    /// Who watches.
    pub observer: &'a dyn Observer,
}

impl<'a> Goal<'a> {
    /// The least of a loss within so many seconds, with every row.
    pub fn least(loss: &'a str, seconds: f64) -> Self {
        Goal { loss, seconds, suppress: false, observer: &Unobserved }
    }
}

/// What a search found, and whether it was over before its time.
pub struct SearchResult {
    /// The groups, with what is proven of them.
    pub groups: Partitioning,
    /// Whether more time would change nothing.
    pub over: bool,
}

impl SearchResult {
    /// The cost of the best partitioning of the search's family, by what was found and what is proven.
    pub fn optimum(&self, cost: f64) -> Measured {
        let least = self.groups.bound.as_ref().map_or(0.0, |bound| bound.sum.max(0.0));
        if least >= cost * (1.0 - 1e-11) { cost.into() } else { Measured::between(least, cost) }
    }

    /// The cost of what the search finds when it has all the time that it wants.
    pub fn result(&self, cost: f64) -> Measured {
        if self.over { cost.into() } else { self.optimum(cost) }
    }
}

/// Searches, and tells whether the search was over before its time.
pub fn searched(
    table: &Table,
    bound: &Checks,
    partitioner: &dyn Partitioner,
    goal: Goal<'_>,
) -> Result<SearchResult> {
    let started = Instant::now();
    let groups = search(table, bound, partitioner, goal)?;
    let over = started.elapsed().as_secs_f64() < 0.95 * goal.seconds;
    Ok(SearchResult { groups, over })
}

/// What a search finds.
pub fn search(
    table: &Table,
    bound: &Checks,
    partitioner: &dyn Partitioner,
    goal: Goal<'_>,
) -> Result<Partitioning> {
    let weights = vec![1.0; table.dimensions()];
    let original = Original::new(table, &weights);
    let found = registry::LOSSES.iter().find(|(entry, _)| entry.id == goal.loss);
    let loss = found.and_then(|(_, loss)| loss.cost(&original));
    let loss = loss.ok_or_else(|| format!("the loss {} cannot be minimised here", goal.loss))?;
    let until = Instant::now().checked_add(Duration::from_secs_f64(goal.seconds));
    let everything = Suppression::share(1.0).unwrap_or_default();
    let suppression = if goal.suppress { everything } else { Suppression::NONE };
    let budget = Budget { until, ..Budget::default() };
    let job = Job { suppression, budget, observer: goal.observer, ..job(table, bound, &*loss, &weights) };
    Ok(partitioner.partition(&job)?)
}

/// Strict multidimensional partitioning, greedy by the median.
pub fn mondrian(table: &Table, bound: &Checks) -> Result<Partitioning> {
    groups(table, bound, "median", true)
}

/// Strict multidimensional partitioning by the cut that lowers a loss most: the greedy algorithm as section 1 of
/// *Constrained Generalization* describes it.
pub fn steepest(table: &Table, bound: &Checks, loss: &'static str) -> Result<Partitioning> {
    search(table, bound, &Steepest(loss), Goal::least(loss, f64::from(u32::MAX)))
}

/// The same as a partitioner, by the loss of a name.
pub struct Steepest(pub &'static str);

impl Partitioner for Steepest {
    fn partition(&self, job: &Job<'_>) -> klimt_core::Result<Partitioning> {
        let original = Original::new(job.table, job.weights);
        let split = SplitCriterion::named(&format!("loss:{}", self.0), &original)?;
        Mondrian::default().partition(&Job { split: &split, ..*job })
    }
}

#[cfg(test)]
mod tests {
    use super::partitions::loss_of;
    use super::*;
    use crate::tables::{As, Tables, quasi};
    use klimt::generate::Parameters;
    use klimt_core::algorithm::gensearch::{GenSearch, Splits};

    #[test]
    fn a_search_that_was_not_over_tells_only_bounds() {
        let (_folder, tables) = Tables::temporary();
        let parameters = Parameters { cardinality: Some(4), ..Parameters::new(60, 1) };
        let wants = quasi(&["X1", "X2"], As::Plain);
        let table = tables.generated("uniform", &parameters, &wants).unwrap().table().unwrap();
        let bound = k_alone(&table, 5).unwrap();
        let search = GenSearch::as_published(Splits::Every);
        let done = searched(&table, &bound, &search, Goal::least("dm", 60.0)).unwrap();
        let cost = loss_of(&table, done.groups.clone(), 5, "dm").unwrap();
        assert!(done.over && done.result(cost).is_exact() && done.optimum(cost).low <= cost);
        let cut = SearchResult { over: false, groups: mondrian(&table, &bound).unwrap() };
        let found = loss_of(&table, cut.groups.clone(), 5, "dm").unwrap();
        assert!(cut.result(found).low < found && cut.result(found).high == found);
        let ended = SearchResult { over: true, ..cut };
        assert!(ended.result(found).is_exact() && !ended.optimum(found).is_exact());
    }
}
