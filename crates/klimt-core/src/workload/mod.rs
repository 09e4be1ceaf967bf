//! Query workloads: the queries that users of a release are expected to ask.
//!
//! A workload is a list of aggregate queries with conjunctions of ranges, equalities and lists, a weight each
//! ([`Workload`], `query.rs`), read from text that looks like SQL (`parse.rs`) or made at random (`random.rs`). Bound to
//! the columns of a table (`bind.rs`), each predicate is what it admits of a domain (`admitted.rs`). The original answers
//! exactly (`exact.rs`). A release answers from its regions and statistics (`regions.rs`) as if the rows of a group were
//! spread evenly over its region (`spread.rs`), or by counting every group that a query meets (`estimate.rs`); how far that
//! is off is in `error.rs`. How queries steer cuts, and what groups cost them, is in `steering.rs`.

mod admitted;
mod bind;
mod error;
mod estimate;
mod exact;
mod parse;
mod query;
mod random;
mod regions;
mod spread;
mod steering;

pub(crate) use admitted::AdmittedValues;
pub(crate) use admitted::Coverage;
pub use bind::{TableAggregate, TableQuery, TableWorkload, UnknownValue, is_number};
pub use error::{Answer, Errors, Summary};
pub use estimate::{Estimate, QueriedRelease};
pub use parse::{condition, parse, select};
pub use query::{Aggregate, End, Function, Predicate, Query, Test};
pub use regions::{GroupStatistic, QueryCell, QueryRegions};
pub(crate) use spread::{AxisStretch, Spread, deviation};
pub use steering::Selection;
pub(crate) use steering::{QueryFunction, SteeringQuery};

/// Queries, each with its weight.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Workload {
    /// The queries, in order.
    pub queries: Vec<Query>,
}

impl Workload {
    /// The workload restricted to some columns: predicates about others are left out, and functions of others
    /// become counts.
    pub fn about(&self, wanted: impl Fn(&str) -> bool) -> Workload {
        let of_query = |query: &Query| {
            let mut query = query.clone();
            query.predicates.retain(|predicate| wanted(&predicate.column));
            if matches!(&query.aggregate, Aggregate::Of(_, column) if !wanted(column)) {
                query.aggregate = Aggregate::Count;
            }
            query
        };
        Workload { queries: self.queries.iter().map(of_query).collect() }
    }

    /// The columns that it looks at, each once, in the order in which they are named.
    pub fn columns(&self) -> Vec<&str> {
        let mut columns: Vec<&str> = Vec::new();
        for column in self.queries.iter().flat_map(Query::columns) {
            if !columns.contains(&column) {
                columns.push(column);
            }
        }
        columns
    }
}
