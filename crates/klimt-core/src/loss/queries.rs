//! The expected error of a workload's answers.
//!
//! A query that admits a share f of a group's region cannot tell which of the group's n rows it selects: each
//! row is counted as f of a row, and is truly one or none. The count of a row is off by 2f(1-f) on average
//! over the places where the row may lie, each being equally likely. The sum over all groups and over the
//! rows that the query selects is the most that a count is expected to be off by, as errors of groups in
//! different directions only cancel. A workload costs the weighted mean of that over its queries. It promises
//! nothing about the error of one release: rows that lie together at one end of their regions are counted
//! worse.
//!
//! For a sum or an average, a row counts for its number (`workload/steering.rs`), and is taken to count for g, that of the
//! middle of what is admitted. It is off by 2f(1-f)·|g|, and by f·d, where d is how far numbers that lie evenly between the
//! ends of what is admitted are from their middle on average. This estimates the error and does not bound it, as the
//! numbers of a group seldom lie evenly. With published means, what the rows of a group are off by cancels unless the query
//! parts the group, and d counts 2f(1-f) times. A minimum or a maximum costs what a count does, and how far groups that it
//! meets reach beyond the answer, as a share of that, on average over the rows that it selects.
//!
//! Additive, and seen from extents. Cuts at the ends of predicates bring it to nothing, or nearly so, and nothing above 0
//! bounds what refinements of a group cost, unless the group is too small to have any.

use super::{CertaintyPenalty, Cost, Loss, Original, Totals};
use crate::statistics::{Extent, Needs, Statistics};
use crate::table::{Domain, Shape};
use crate::workload::{AxisStretch, Spread, SteeringQuery, TableWorkload, deviation};

/// The weighted mean over the queries of a workload of the relative error that is expected of them where values lie evenly
/// within regions: of counts at most so much, of other answers about so much.
#[derive(Clone, Copy, Debug)]
pub struct Queries;

impl Loss for Queries {
    fn id(&self) -> &'static str {
        "queries"
    }

    fn cost<'a>(&self, original: &Original<'a>) -> Option<Box<dyn Cost + 'a>> {
        let workload = original.workload?;
        Some(Box::new(ExpectedError { original: *original, weight: workload.weight() }))
    }

    fn ignores_other_rows(&self) -> bool {
        true
    }
}

struct ExpectedError<'a> {
    original: Original<'a>,
    weight: f64,
}

impl ExpectedError<'_> {
    /// The cost of each row of the group.
    fn of_row(&self, group: &Statistics) -> f64 {
        let Some(workload) = self.original.workload else { return 0.0 };
        workload.steering.iter().map(|query| self.of_query(query, group, workload) * query.worth).sum()
    }

    /// By how much a row of a group is expected to be counted wrong by a query.
    fn of_query(&self, query: &SteeringQuery, group: &Statistics, workload: &TableWorkload) -> f64 {
        let mut share = 1.0;
        for (dimension, admitted) in &query.admitted {
            let (domain, extent) = (self.original.table.domain(*dimension), group.extent(*dimension));
            share *= match workload.boundaries {
                true => admitted.share(domain, extent, &published_ends(domain, extent)),
                false => admitted.share(domain, extent, extent),
            };
            if share == 0.0 {
                return 0.0;
            }
        }
        let parted = 2.0 * share * (1.0 - share);
        let Some(measure) = &query.measure else { return parted };
        let found = query.admitted.iter().find(|(dimension, _)| *dimension == measure.dimension);
        let (domain, extent) =
            (self.original.table.domain(measure.dimension), group.extent(measure.dimension));
        let stretch = match workload.boundaries {
            true => AxisStretch::of(domain, extent, &published_ends(domain, extent)),
            false => AxisStretch::of(domain, extent, extent),
        };
        let portion = found
            .zip(stretch)
            .and_then(|((_, admitted), stretch)| admitted.portion(&Spread { stretch, mean: None }));
        let Some(portion) = portion else { return 0.0 };
        if measure.is_extreme() {
            return parted + measure.beyond(portion.first, portion.last);
        }
        let deviation = deviation(portion.first, portion.last) / measure.scale;
        parted * measure.of(portion.mean).abs() + if workload.means { parted } else { share } * deviation
    }
}

/// The ends of the interval between region boundaries over some codes, of which the lower one is open.
fn published_ends(domain: &Domain, covered: &Extent) -> Extent {
    match (covered, domain.shape()) {
        (&Extent::Interval { lo, hi }, Shape::Ordered)
            if lo > 0 && domain.missing_code() != Some(lo) && !domain.is_single(lo, hi) =>
        {
            Extent::Interval { lo: lo - 1, hi }
        }
        _ => covered.clone(),
    }
}

impl Cost for ExpectedError<'_> {
    fn needs(&self) -> Needs {
        let steering = self.original.workload.map_or(&[][..], |workload| &workload.steering);
        let mut extents: Vec<usize> =
            steering.iter().flat_map(|query| query.admitted.iter().map(|(d, _)| *d)).collect();
        extents.sort_unstable();
        extents.dedup();
        Needs { extents, ..Needs::default() }
    }

    fn group(&self, group: &Statistics) -> f64 {
        group.count as f64 * self.of_row(group)
    }

    fn bound(&self, group: &Statistics, minimum: u64) -> f64 {
        if group.count < minimum.saturating_mul(2) { self.group(group) } else { 0.0 }
    }

    /// A suppressed row is missed by every query that selects it. It counts for 1 in each on average over these rows, so
    /// that on average over all rows a query loses its weight over the number of rows.
    fn price(&self, rows: u64) -> Option<f64> {
        Some(self.weight / rows.max(1) as f64)
    }

    fn finish(&self, sum: f64, totals: &Totals) -> f64 {
        let missed = self.price(totals.rows).unwrap_or(0.0) * totals.suppressed as f64;
        if self.weight > 0.0 { (sum + missed) / self.weight } else { 0.0 }
    }
}

/// The cost that searches minimise for a workload: its expected error, and a hundredth of the certainty
/// penalty, so that columns that no query asks about are not generalised without need.
pub struct WithPenalty<'a> {
    queries: ExpectedError<'a>,
    penalty: Box<dyn Cost + 'a>,
    scale: f64,
}

impl<'a> WithPenalty<'a> {
    /// The name of this cost in claims.
    pub const NAME: &'static str = "queries + 0.01 ncp";

    /// How much the certainty penalty of a release counts beside the error of its answers.
    pub const TRACE: f64 = 0.01;

    /// The loss of a release of the original, which has a workload.
    pub fn new(original: &Original<'a>) -> Option<Self> {
        let workload = original.workload?;
        let penalty = CertaintyPenalty.cost(original)?;
        let weights: f64 = original.weights.iter().sum();
        let all = weights * original.table.rows().max(1) as f64;
        let queries = ExpectedError { original: *original, weight: workload.weight() };
        let scale = if all > 0.0 { Self::TRACE * queries.weight / all } else { 0.0 };
        Some(WithPenalty { queries, penalty, scale })
    }
}

impl Cost for WithPenalty<'_> {
    fn needs(&self) -> Needs {
        let mut needs = self.penalty.needs();
        needs.include(&self.queries.needs());
        needs
    }

    fn group(&self, group: &Statistics) -> f64 {
        self.queries.group(group) + self.scale * self.penalty.group(group)
    }

    fn bound(&self, group: &Statistics, minimum: u64) -> f64 {
        self.queries.bound(group, minimum) + self.scale * self.penalty.bound(group, minimum)
    }

    fn price(&self, rows: u64) -> Option<f64> {
        Some(self.queries.price(rows)? + self.scale * self.penalty.price(rows)?)
    }

    fn key(&self, value: &Statistics) -> f64 {
        self.penalty.key(value)
    }

    fn finish(&self, sum: f64, totals: &Totals) -> f64 {
        let missed = self.price(totals.rows).unwrap_or(0.0) * totals.suppressed as f64;
        if self.queries.weight > 0.0 { (sum + missed) / self.queries.weight } else { 0.0 }
    }
}
