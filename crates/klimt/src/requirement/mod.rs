//! Privacy requirements: what every group of a release must satisfy.
//!
//! One file per requirement. A requirement is bound to a table before any work, which freezes what it must know
//! of the whole; a bound [`Check`] then decides over a group's statistics alone. Every requirement here is
//! *monotone*: when two groups satisfy it, so does their union, and a group that violates it has no refinement
//! in which every part satisfies it. Algorithms rest on that to stop early.

mod k_anonymity;
mod length_restriction;

pub use k_anonymity::KAnonymity;
pub use length_restriction::LengthRestriction;

use crate::statistics::{Needs, Statistics};
use crate::table::Table;
use crate::{Error, Result};
use std::fmt::Debug;

/// What a check says of a group.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// The group may be published.
    Satisfied,
    /// It may not.
    Violated {
        /// The level that the group reaches, as it is printed.
        measured: String,
        /// The level that it must reach.
        limit: String,
    },
}

/// A privacy model with its parameters.
pub trait Requirement: Debug + Send + Sync {
    /// Its name in the registry.
    fn id(&self) -> &'static str;

    /// The requirement and its parameters in words, such as `k-anonymity with k = 5`.
    fn describe(&self) -> String;

    /// A number of rows below which every group violates the requirement; at least 1.
    fn minimum_size(&self) -> u64;

    /// Binds the requirement to a table; fails when it makes no sense there.
    fn bind(&self, table: &Table) -> Result<Box<dyn Check>>;
}

/// A requirement bound to a table.
pub trait Check: Debug + Send + Sync {
    /// The statistics that the check reads, besides the count.
    fn needs(&self) -> Needs;

    /// Decides over the group with these statistics, made for `needs` (which include [`Check::needs`]).
    fn verdict(&self, needs: &Needs, group: &Statistics) -> Verdict;
}

/// Every requirement of a run, bound to its table.
#[derive(Debug)]
pub struct Bound {
    checks: Vec<(String, Box<dyn Check>)>,
    needs: Needs,
    minimum_size: u64,
    only_count: bool,
}

impl Bound {
    /// Binds requirements to a table.
    pub fn new(requirements: &[Box<dyn Requirement>], table: &Table) -> Result<Self> {
        let mut bound =
            Bound { checks: Vec::new(), needs: Needs::default(), minimum_size: 1, only_count: true };
        for requirement in requirements {
            let check = requirement.bind(table)?;
            bound.needs.include(&check.needs());
            bound.minimum_size = bound.minimum_size.max(requirement.minimum_size());
            bound.only_count &= requirement.id() == KAnonymity::ID;
            bound.checks.push((requirement.describe(), check));
        }
        Ok(bound)
    }

    /// What the checks read together.
    pub fn needs(&self) -> &Needs {
        &self.needs
    }

    /// No group below this size satisfies every requirement.
    pub fn minimum_size(&self) -> u64 {
        self.minimum_size
    }

    /// Whether reaching [`Bound::minimum_size`] is all that is required of a group.
    pub fn only_count(&self) -> bool {
        self.only_count
    }

    /// Whether a group satisfies every requirement.
    pub fn satisfied(&self, group: &Statistics) -> bool {
        group.count >= self.minimum_size
            && (self.only_count
                || self
                    .checks
                    .iter()
                    .all(|(_, check)| check.verdict(&self.needs, group) == Verdict::Satisfied))
    }

    /// Checks the whole table as one group: when that violates a requirement, no release of all rows exists.
    pub fn feasible(&self, table: &Table) -> Result<()> {
        let mut whole = Statistics::empty(&self.needs, table);
        if self.needs.only_count() {
            whole.count = table.rows() as u64;
        } else {
            (0..table.rows()).for_each(|row| whole.add(&self.needs, table, row));
        }
        let violated = self.checks.iter().filter_map(|(what, check)| match check.verdict(&self.needs, &whole) {
            Verdict::Satisfied => None,
            Verdict::Violated { measured, limit } => Some(format!(
                "no release can satisfy {what}: all rows together reach {measured}, and {limit} is required"
            )),
        });
        Error::all(crate::ErrorKind::Unsatisfied, violated.collect()).map_or(Ok(()), Err)
    }
}
