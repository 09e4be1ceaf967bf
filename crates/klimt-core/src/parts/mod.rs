//! Tables that are published part by part, because not all of their rows are in memory at once.
//!
//! An algorithm for such a table gets an [`External`] job. It hands a [`PartSink`] the [`Whole`] and then
//! hands over part after part, each at the end of its [`Way`] from the root of the domain, and gives an [`Account`] in the
//! end. Rothko finds groups this way, the store hands over its pages this way, and the publisher takes both.

mod external;
mod whole;

pub use crate::partition::Way;
pub use external::External;
pub(crate) use whole::CodeCounts;
pub use whole::Whole;

use crate::Result;
use crate::partition::Partitioning;
use crate::table::Table;
use serde::Serialize;

/// Takes the groups of a table part by part. No tuple of the domain is in two parts, and no group is published like one
/// of another part.
pub trait PartSink {
    /// Is told of the whole before the first part comes; all rows together satisfy the requirements.
    fn begin(&mut self, whole: &Whole<'_>) -> Result<()>;

    /// Takes the next part: its rows, their groups with the cuts of the part where these are kept, and the way to it from
    /// the root of the domain. Parts come from left to right.
    fn part(&mut self, table: Table, partitioning: Partitioning, way: &Way) -> Result<()>;

    /// Takes some rows of a group that is larger than memory, with the region of the whole group; the group goes on in the
    /// next slice unless this is the last.
    fn slice(&mut self, table: Table, slice: Partitioning, way: &Way, last: bool) -> Result<()>;
}

/// Counts of the work of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Account {
    /// How often all rows were read, on average.
    pub reads: f64,
    /// How often all rows were written, on average.
    pub writes: f64,
    /// How often a part was divided on disk.
    pub repartitions: u64,
    /// The parts that were handed to Mondrian.
    pub parts: u64,
    /// The groups that Mondrian made of them: leaves of which groups may be unions.
    pub leaves: u64,
    /// The cuts that were undone because a side violated a requirement.
    pub pruned: u64,
    /// The parts in which a sample allowed no cut, so that Rothko-T went on.
    pub switched: u64,
    /// Whether no group can be cut any further: nothing is known where a frequency group did not fit.
    pub minimal: bool,
}
