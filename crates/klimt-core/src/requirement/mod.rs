//! Privacy requirements of every group of a release.
//!
//! One file per requirement. A requirement is bound to the whole before any work, which freezes what it must know of
//! it; a bound [`Check`] then decides over a group's statistics alone. Every requirement here is *monotone*: when two
//! groups satisfy it, so does their union, and a group that violates it has no refinement in which every part
//! satisfies it. Algorithms rest on that to stop early.

mod alpha;
mod beta_likeness;
mod checks;
mod delta_disclosure;
mod distinct_diversity;
mod entropy_diversity;
mod epsilon_privacy;
mod exact;
mod facts;
mod k_anonymity;
mod length_restriction;
mod level;
mod parameter;
mod people;
mod recursive_diversity;
mod sampled;
mod t_closeness;
mod variance_diversity;

pub use alpha::Alpha;
pub use beta_likeness::BetaLikeness;
pub use checks::Checks;
pub use delta_disclosure::DeltaDisclosure;
pub use distinct_diversity::DistinctDiversity;
pub use entropy_diversity::EntropyDiversity;
pub use epsilon_privacy::EpsilonPrivacy;
pub use facts::{ColumnFacts, PeopleFacts, TableFacts, WholeFacts, by_code};
pub use k_anonymity::KAnonymity;
pub use length_restriction::LengthRestriction;
pub use level::{Level, Side};
pub use people::bind;
pub use recursive_diversity::RecursiveDiversity;
pub use sampled::Trust;
pub use t_closeness::{Distance, TCloseness};
pub use variance_diversity::VarianceDiversity;

use crate::Result;
use crate::statistics::{Extent, GroupPeople, Needs, Statistics};
use std::fmt::Debug;

/// A privacy model with its parameters.
pub trait Requirement: Debug + Send + Sync {
    /// Its name in the registry.
    fn id(&self) -> &'static str;

    /// The column that it is about, where it is about one.
    fn column(&self) -> Option<&str> {
        None
    }

    /// The requirement and its parameters in words, such as `k-anonymity with k = 5`.
    fn describe(&self) -> String;

    /// The text of its parameters, from which the registry makes the same requirement again; `None` for a requirement
    /// that is not in the registry, which then cannot be named in a spec.
    fn parameters(&self) -> Option<String> {
        None
    }

    /// The level that every group must be on the right [`Requirement::side`] of.
    fn limit(&self) -> Level;

    /// On which side of the limit a group must be.
    fn side(&self) -> Side;

    /// A number of rows below which every group violates the requirement; at least 1.
    fn minimum_size(&self) -> u64 {
        1
    }

    /// Whether a group is judged by the values of the whole, and not by its own alone. Where it is not, who checks a
    /// release in pieces need not hold the values of all.
    fn compares_with_whole(&self) -> bool {
        true
    }

    /// A warning for the user who relies on the requirement with this whole.
    fn warning(&self, _: &dyn WholeFacts) -> Option<String> {
        None
    }

    /// Binds the requirement to the whole; fails when it makes no sense there.
    fn bind(&self, whole: &dyn WholeFacts) -> Result<Box<dyn Check>>;
}

/// A requirement bound to the whole.
pub trait Check: Debug + Send + Sync {
    /// The statistics that the check reads, besides the count.
    fn needs(&self) -> Needs;

    /// Whether a group with these statistics, which has rows, satisfies the requirement. It does exactly when its
    /// [`Check::level`] is on the right side of the limit, but for rounding to the safe side.
    fn satisfied(&self, group: &Statistics) -> bool;

    /// Whether a sample of a group shows, with the given confidence, that all of it satisfies
    /// the requirement. Only costs are at stake: an error is undone when all rows are seen.
    fn likely(&self, sample: &Statistics, trust: &Trust) -> bool {
        sampled::likely(self, sample, trust)
    }

    /// A size below which every group violates the requirement, by what is known of the whole; at least 1.
    fn least_size(&self) -> u64 {
        1
    }

    /// The level of the group.
    fn level(&self, group: &Statistics) -> Level;

    /// Whether the people of a group satisfy the requirement, each with one vote. `votes` are statistics of which a row is
    /// a part of a vote.
    fn satisfied_by(&self, _: &GroupPeople, votes: &Statistics) -> bool {
        self.satisfied(votes)
    }

    /// The level of the people of a group.
    fn level_of(&self, _: &GroupPeople, votes: &Statistics) -> Level {
        self.level(votes)
    }

    /// Whether the union of groups that satisfy the requirement satisfies it too, and groups that do not have no division
    /// into groups that do. What is proven of searches rests on it.
    fn is_monotone(&self) -> bool {
        true
    }

    /// The ordered dimension whose published extent alone decides, where one does.
    fn restricts(&self) -> Option<usize> {
        None
    }

    /// Whether a group satisfies the requirement of which this extent of the dimension is published.
    fn admits(&self, _: &Extent) -> bool {
        true
    }

    /// The number of rows, whichever of the whole they are, that can be added to the group before [`Check::satisfied`]
    /// changes. A caller with a growing group skips the checks in between; 0 is always sound.
    fn steady(&self, _: &Statistics) -> u64 {
        0
    }

    /// [`Check::satisfied`] and [`Check::steady`] at once.
    fn outlook(&self, group: &Statistics) -> (bool, u64) {
        (self.satisfied(group), self.steady(group))
    }
}
