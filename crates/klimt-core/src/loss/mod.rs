//! Losses: the information that a release loses for its users.
//!
//! One file per loss. Most losses are *additive*: the cost of a release is a sum over its groups, and what a group costs
//! is seen from its [`Statistics`] ([`Cost`]); that is what searches and greedy splits minimise. What [`Cost::bound`]
//! promises, no refinement of a group undercuts. The others say so, and only measure.

mod average_class_size;
mod cells;
mod certainty_penalty;
mod classification;
mod conditional_entropy;
mod discernibility;
mod divergence;
mod entropy;
mod granularity;
mod groups;
mod hierarchical_discernibility;
mod locate;
mod occurrences;
mod parts;
mod precision;
mod published;
mod queries;
mod squared_error;
mod suppressed_rows;
mod tuples;
mod volume;

pub use average_class_size::AverageClassSize;
pub(crate) use cells::CellPrices;
pub use certainty_penalty::CertaintyPenalty;
pub use classification::Classification;
pub use conditional_entropy::ConditionalEntropy;
pub use discernibility::Discernibility;
pub use divergence::Divergence;
pub use entropy::Entropy;
pub use granularity::Granularity;
pub(crate) use groups::cost_of;
pub use groups::measure;
pub use hierarchical_discernibility::HierarchicalDiscernibility;
pub(crate) use locate::Locator;
pub use parts::Sums;
pub use precision::Precision;
pub use published::{PublishedGroup, PublishedGroups};
pub use queries::{Queries, WithPenalty};
pub use squared_error::RootMeanSquaredError;
pub use suppressed_rows::SuppressedRows;
pub use volume::Volume;

pub use crate::partition::{Groups, PartitionGroups};

use crate::statistics::{Extent, Histogram, Needs, Statistics};
use crate::table::{Role, Table};
use crate::workload::TableWorkload;
use std::any::Any;

/// The original, as losses see it.
#[derive(Clone, Copy, Debug)]
pub struct Original<'a> {
    /// The table.
    pub table: &'a Table,
    /// How much each dimension matters.
    pub weights: &'a [f64],
    /// The class label, as the number of a column, where there is one.
    pub label: Option<usize>,
    /// The numeric target, as the number of a column, where there is one.
    pub number: Option<usize>,
    /// The workload of the release, where there is one.
    pub workload: Option<&'a TableWorkload>,
}

impl<'a> Original<'a> {
    /// A table with the targets that its roles name: the first that is no number is the class label, the first that is
    /// one is the numeric target, and a number is the class label too where there is no other.
    pub fn new(table: &'a Table, weights: &'a [f64]) -> Self {
        let targets = || (0..table.columns().len()).filter(|&c| table.columns()[c].role == Role::Target);
        let is_number =
            |&column: &usize| table.columns()[column].coded().is_some_and(|(domain, _)| domain.is_measured());
        let label = targets().find(|column| !is_number(column)).or_else(|| targets().next());
        Original { table, weights, label, number: targets().find(is_number), workload: None }
    }

    /// The same, with what will be asked of the release.
    pub fn with_workload(self, workload: Option<&'a TableWorkload>) -> Self {
        Original { workload, ..self }
    }
}

/// Totals of a whole release, besides the sum over its groups.
#[derive(Clone, Copy, Debug)]
pub struct Totals {
    /// The rows of the original.
    pub rows: u64,
    /// The rows that were suppressed.
    pub suppressed: u64,
    /// The groups.
    pub groups: u64,
    /// The least size of a group.
    pub k: u64,
}

/// An information-loss metric.
pub trait Loss: Any + Send + Sync {
    /// Its name, in the registry and in certificates.
    fn id(&self) -> &'static str;

    /// The cost of a group, where the loss is additive and applies to the original.
    fn cost<'a>(&self, original: &Original<'a>) -> Option<Box<dyn Cost + 'a>>;

    /// The loss of a release where it is not additive and applies to the original.
    fn whole(&self, _: &Original<'_>, _: &dyn Groups, _: &Totals) -> Option<f64> {
        None
    }

    /// Whether what a group costs depends on the domains of the original and not on its other rows, so that the cost is
    /// the same when it is bound to the columns alone, and adds up over parts of the rows.
    fn ignores_other_rows(&self) -> bool {
        false
    }

    /// The share of the groups of a part in a loss that is not additive over groups, but over parts that
    /// share no tuple; `None` where a part alone does not determine it.
    fn part(&self, _: &Original<'_>, _: &dyn Groups) -> Option<f64> {
        None
    }

    /// The loss of a release from the sum over its parts.
    fn of_parts(&self, sum: f64, _: &Totals) -> f64 {
        sum
    }
}

/// An additive loss, bound to the original.
pub trait Cost: Send + Sync {
    /// The statistics that the cost is seen from, besides the count.
    fn needs(&self) -> Needs;

    /// Whether it measures lengths: extents then reach from one published end to the other, an open one included. Else
    /// they hold the codes that a region covers.
    fn measures_lengths(&self) -> bool {
        false
    }

    /// The cost of a group that holds rows.
    fn group(&self, group: &Statistics) -> f64;

    /// The least that any refinement of a group, into groups of at least `minimum` rows, costs in sum.
    fn bound(&self, group: &Statistics, minimum: u64) -> f64;

    /// Whether refinements never cost more: a group costs at least what any parts of it cost in sum.
    fn monotone(&self) -> bool {
        false
    }

    /// The cost of a group of this many rows, where nothing else counts.
    fn size(&self, _rows: u64) -> Option<f64> {
        None
    }

    /// The cost of a row's cell in a dimension, for an extent that holds codes, where the cost of a group is
    /// the sum of these over its rows and dimensions.
    fn cell(&self, _dimension: usize, _extent: &Extent) -> Option<f64> {
        None
    }

    /// How much an extent that holds codes covers in a dimension, where a row whose value there has the
    /// [`Cost::share`] (a, b) pays a · spread − b for it, and the cost of a group is the sum of that over its rows and
    /// dimensions.
    fn spread(&self, dimension: usize, extent: &Extent) -> Option<f64> {
        self.cell(dimension, extent)
    }

    /// The cost of a row with a value per unit of [`Cost::spread`], and the cost that it saves.
    fn share(&self, _dimension: usize, _code: u32) -> (f64, f64) {
        (1.0, 0.0)
    }

    /// The cost that a suppressed row of a table of `rows` rows adds to the sum, where it has a price.
    fn price(&self, rows: u64) -> Option<f64>;

    /// Where a value of an unordered domain, with the statistics of its rows, stands among the others when they are cut
    /// in two; by how common it is where nothing better is known.
    fn key(&self, value: &Statistics) -> f64 {
        value.count as f64
    }

    /// The least average gain of a row in a greedy cut. Where no cut reaches it, the part and all below it
    /// are cut by the median; with 0, each part is cut by the greatest gain that there is.
    fn least_gain(&self) -> f64 {
        0.0
    }

    /// From the sum over the groups to the loss of the release: the greater the sum, the greater the loss.
    fn finish(&self, sum: f64, totals: &Totals) -> f64;

    /// The sum whose loss is that of another sum over a factor, for a table of this many rows: where a lower bound reaches
    /// it, the factor is proven. It is the sum over the factor unless the loss is not proportional to its sum.
    fn lowered(&self, sum: f64, factor: f64, _rows: u64) -> f64 {
        sum / factor
    }

    /// The loss that no release undercuts whose groups and suppressed rows cost at least `bound` in sum, of those that
    /// suppress at most as many rows as `allowed` says.
    fn least(&self, bound: f64, allowed: &Totals) -> f64 {
        self.finish(bound, &Totals { suppressed: 0, ..*allowed })
    }

    /// The loss that no release undercuts in whose groups are at least `minimum` rows, where the definition alone says so
    /// (LeFevre, DeWitt, Ramakrishnan, "Mondrian Multidimensional K-Anonymity", section 4.1). At most as many rows are
    /// suppressed as `allowed` says.
    fn least_of_any(&self, _minimum: u64, _allowed: &Totals) -> Option<f64> {
        None
    }
}

/// The mean of the codes of a histogram.
fn mean_code(histogram: &Histogram) -> f64 {
    let (sum, rows) = histogram.iter().fold((0u128, 0u64), |(sum, rows), (code, count)| {
        (sum + u128::from(code) * u128::from(count), rows + count)
    });
    sum as f64 / rows.max(1) as f64
}
