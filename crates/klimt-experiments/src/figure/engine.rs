//! The engine, as experiments ask for it.

use super::number::Measured;
use crate::index::groups;
use crate::release::Release;
use klimt_core::algorithm::mondrian::Mondrian;
use klimt_core::algorithm::optimal::Optimal;
use klimt_core::algorithm::scheme::{ColumnScheme, Direction, Pruning, Scheme, SchemeSearch};
use klimt_core::job::{Budget, Job, Observer, Partitioner, Suppression, Unobserved};
use klimt_core::loss::Original;
use klimt_core::partition::Partitioning;
use klimt_core::region::Extents;
use klimt_core::registry;
use klimt_core::requirement::Checks;
use klimt_core::split::{SplitCriterion, SplitSpec};
use klimt_core::table::Table;
use std::time::{Duration, Instant};

/// A requirement: flag, column and parameters.
pub type Asked<'a> = (&'a str, &'a str, &'a str);

/// The requirements, bound to a table that satisfies them as a whole.
pub fn bind(table: &Table, asked: &[Asked<'_>]) -> Result<Checks, String> {
    let requirements: Result<Vec<_>, _> =
        asked.iter().map(|(flag, column, text)| registry::requirement(flag, column, text)).collect();
    let bound = Checks::new(&requirements.map_err(|e| e.to_string())?, table).map_err(|e| e.to_string())?;
    bound.feasible(table).map_err(|e| e.to_string())?;
    Ok(bound)
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
pub struct Searched {
    /// The groups, with what is proven of them.
    pub groups: Partitioning,
    /// Whether more time would change nothing.
    pub over: bool,
}

impl Searched {
    /// What the best partitioning of all costs, by what was found and what is proven.
    pub fn optimum(&self, cost: f64) -> Measured {
        let least = least(&self.groups);
        if least >= cost * (1.0 - 1e-11) { cost.into() } else { Measured::between(least, cost) }
    }

    /// What the search finds when it has all the time that it wants.
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
) -> Result<Searched, String> {
    let started = Instant::now();
    let groups = search(table, bound, partitioner, goal)?;
    let over = started.elapsed().as_secs_f64() < 0.95 * goal.seconds;
    Ok(Searched { groups, over })
}

/// What a search finds.
pub fn search(
    table: &Table,
    bound: &Checks,
    partitioner: &dyn Partitioner,
    goal: Goal<'_>,
) -> Result<Partitioning, String> {
    let weights = vec![1.0; table.dimensions()];
    let original = Original::new(table, &weights);
    let found = registry::LOSSES.iter().find(|(entry, _)| entry.id == goal.loss);
    let loss = found.and_then(|(_, loss)| loss.cost(&original));
    let loss = loss.ok_or_else(|| format!("the loss {} cannot be minimised here", goal.loss))?;
    let until = Instant::now().checked_add(Duration::from_secs_f64(goal.seconds));
    let everything = Suppression::share(1.0).unwrap_or_default();
    let job = Job {
        table,
        requirements: bound,
        split: &SplitCriterion::Median,
        loss: &*loss,
        suppression: if goal.suppress { everything } else { Suppression::NONE },
        budget: Budget { until, ..Budget::default() },
        weights: &weights,
        keep_tree: true,
        observer: goal.observer,
    };
    partitioner.partition(&job).map_err(|e| e.to_string())
}

/// Strict multidimensional partitioning, greedy by the median.
pub fn mondrian(table: &Table, bound: &Checks) -> Result<Partitioning, String> {
    groups(table, bound, &SplitSpec::named("median"), true)
}

/// Strict multidimensional partitioning by the cut that lowers a loss most: the greedy algorithm as section 1 of
/// *Constrained Generalization* describes it.
pub fn steepest(table: &Table, bound: &Checks, loss: &'static str) -> Result<Partitioning, String> {
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

/// The search for the best partition that klimt has beside GenSearch.
pub fn optimal() -> Optimal {
    Optimal { start: Box::new(Mondrian::default()) }
}

/// The search for the best generalization, by one scheme for all columns.
pub fn scheme(table: &Table, scheme: Scheme) -> SchemeSearch {
    SchemeSearch {
        columns: vec![ColumnScheme::new(scheme); table.dimensions()],
        direction: Direction::Auto,
        pruning: Pruning::default(),
        seed: 1,
    }
}

/// What a partitioning loses with the smallest regions.
pub fn loss_of(table: &Table, groups: Partitioning, k: u64, name: &str) -> Result<f64, String> {
    Release::new(table, groups, Extents::Compact).loss(k, name)
}

/// What no partitioning of its family costs less than, in sum; nothing where nothing is proven.
fn least(groups: &Partitioning) -> f64 {
    groups.bound.as_ref().map_or(0.0, |bound| bound.sum.max(0.0))
}

#[cfg(test)]
mod tests {
    use super::super::data::{As, generated, quasi};
    use super::*;
    use klimt_io::generate::Parameters;

    #[test]
    fn a_search_that_was_not_over_tells_only_bounds() {
        let parameters = Parameters { cardinality: Some(4), ..Parameters::new(60, 1) };
        let table = generated("uniform", &parameters, &quasi(&["X1", "X2"], As::Plain)).unwrap();
        let bound = bind(&table, &[("k", "", "5")]).unwrap();
        let goal = Goal::least("dm", 60.0);
        let done = searched(&table, &bound, &scheme(&table, Scheme::Ops), goal).unwrap();
        let cost = loss_of(&table, done.groups.clone(), 5, "dm").unwrap();
        assert!(done.over && done.optimum(cost).is_exact() && done.result(cost).is_exact());
        let cut = Searched { over: false, groups: mondrian(&table, &bound).unwrap() };
        let found = loss_of(&table, cut.groups.clone(), 5, "dm").unwrap();
        assert!(cut.result(found).low < found && cut.result(found).high == found);
        let ended = Searched { over: true, ..cut };
        assert!(ended.result(found).is_exact() && !ended.optimum(found).is_exact());
    }
}
