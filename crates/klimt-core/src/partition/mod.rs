//! Partitionings: the rows in groups, the region of each group, and the lower bound.

mod coalesce;
mod descent;
mod family;
mod groups;
mod narrowed;
mod planted;
mod tree;
mod way;

pub use descent::Descent;
pub(crate) use descent::{Branch, Members, Thresholds, is_marked};
pub use family::{Family, LowerBound, Scheme};
pub use groups::{Groups, PartitionGroups};
pub use narrowed::NarrowedTable;
pub use tree::{CutNode, CutTree};
pub use way::Way;

pub use crate::distinct::identical_tuples;

use crate::packed::{PackedKernel, PackedRows, Tuple, compact_regions, pack};

use crate::Result;
use crate::region::Regions;
use crate::table::{Domain, Table};
use std::ops::Range;

/// The rows of a table in groups.
#[derive(Clone, Debug)]
pub struct Partitioning {
    /// The rows, group by group; suppressed rows are in no group.
    pub order: Vec<u32>,
    /// Where each group ends in `order`.
    pub ends: Vec<u32>,
    /// The smallest region over each group.
    pub regions: Regions,
    /// The cuts that led to the groups, where they were requested.
    pub tree: Option<CutTree>,
    /// The lower bound of its family, where a search has proven one; [`Proof::of`](crate::proof::Proof::of)
    /// turns it into a claim.
    pub bound: Option<LowerBound>,
    /// Whether no two groups share a tuple of the domain.
    pub strict: bool,
}

impl Partitioning {
    /// The number of groups.
    pub fn groups(&self) -> usize {
        self.ends.len()
    }

    /// Where a group's rows stand in [`Partitioning::order`].
    pub fn range(&self, group: usize) -> Range<usize> {
        let start = if group == 0 { 0 } else { self.ends[group - 1] as usize };
        start..self.ends[group] as usize
    }

    /// The smallest region over each group, from the table.
    pub fn compact(&self, table: &Table) -> Regions {
        struct Compact<'a>(&'a [u32], &'a Table);
        impl PackedKernel for Compact<'_> {
            type Output = Regions;
            fn run<T: Tuple>(self, packed: PackedRows<T>) -> Result<Regions> {
                Ok(compact_regions(&packed.rows, self.0, self.1))
            }
        }
        pack(table, self.order.clone(), Compact(&self.ends, table)).expect("the table has been packed before")
    }

    /// The rows of a group.
    pub fn rows(&self, group: usize) -> &[u32] {
        &self.order[self.range(group)]
    }

    /// Leaves out whole groups, by their numbers, ascending; their leaves of the cut tree hold no rows then.
    pub fn drop_groups(&mut self, groups: &[usize], domains: &[&Domain]) {
        let kept: Vec<usize> =
            (0..self.groups()).filter(|group| groups.binary_search(group).is_err()).collect();
        let (mut order, mut ends) = (Vec::with_capacity(self.order.len()), Vec::with_capacity(kept.len()));
        for &group in &kept {
            order.extend_from_slice(self.rows(group));
            ends.push(order.len() as u32);
        }
        self.regions = self.regions.selected(&kept, domains);
        (self.order, self.ends) = (order, ends);
        if let Some(tree) = &mut self.tree {
            tree.vacate(groups);
        }
    }
}
