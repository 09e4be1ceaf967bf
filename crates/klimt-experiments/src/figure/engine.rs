//! The engine, as experiments ask for it.

use crate::index::groups;
use crate::release::Release;
use klimt::algorithm::mondrian::Mondrian;
use klimt::algorithm::optimal::Optimal;
use klimt::algorithm::scheme::{ColumnScheme, Direction, Pruning, Scheme, SchemeSearch};
use klimt::loss::Original;
use klimt::partition::{Budget, Job, Observer, Partitioner, Partitioning, Suppression, Unobserved};
use klimt::region::Extents;
use klimt::registry;
use klimt::requirement::Bound;
use klimt::split::{SplitCriterion, SplitSpec};
use klimt::table::Table;
use std::time::{Duration, Instant};

/// A requirement: flag, column and parameters.
pub type Asked<'a> = (&'a str, &'a str, &'a str);

/// The requirements, bound to a table that satisfies them as a whole.
pub fn bind(table: &Table, asked: &[Asked<'_>]) -> Result<Bound, String> {
    let requirements: Result<Vec<_>, _> =
        asked.iter().map(|(flag, column, text)| registry::requirement(flag, column, text)).collect();
    let bound = Bound::new(&requirements.map_err(|e| e.to_string())?, table).map_err(|e| e.to_string())?;
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

/// What a search finds.
pub fn search(
    table: &Table,
    bound: &Bound,
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
pub fn mondrian(table: &Table, bound: &Bound) -> Result<Partitioning, String> {
    groups(table, bound, &SplitSpec::named("median"), true)
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

/// What no partitioning of its family costs less than, in sum; not a number where nothing is proven.
pub fn least(found: &Partitioning) -> f64 {
    found.bound.as_ref().map_or(f64::NAN, |bound| bound.sum)
}
