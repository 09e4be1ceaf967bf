//! The groups of a release, as losses and queries see them.

use super::Partitioning;
use crate::region::{Extents, extent_of};
use crate::statistics::{Collector, Extent, Needs, Statistics};
use crate::table::Table;
use std::ops::Range;

/// The groups of a release.
pub trait Groups: Sync {
    /// How many there are.
    fn count(&self) -> usize;

    /// How many rows a group has.
    fn rows(&self, group: usize) -> u64;

    /// The published extent of a group in a dimension, from end to end, an open end included.
    fn extent(&self, group: usize, dimension: usize) -> Extent;

    /// The codes that a group's region covers in a dimension, without an open end.
    fn covered(&self, group: usize, dimension: usize) -> Extent;

    /// The rows of the original that a group holds, where that is known.
    fn members(&self, group: usize) -> Option<&[u32]>;

    /// Whether it is known that no tuple of the domain lies in two regions.
    fn disjoint(&self) -> bool;

    /// Whether the statistics of groups are known.
    fn knows(&self, needs: &Needs) -> bool;

    /// The statistics of some groups, which must be known, but for their extents.
    fn statistics(&self, groups: Range<usize>, collector: &Collector<'_>) -> Vec<Statistics>;
}

/// The groups of a partitioning.
#[derive(Clone, Copy, Debug)]
pub struct PartitionGroups<'a> {
    /// The original.
    pub table: &'a Table,
    /// Its groups.
    pub partitioning: &'a Partitioning,
    /// Which intervals are published.
    pub extents: Extents,
}

impl Groups for PartitionGroups<'_> {
    fn count(&self) -> usize {
        self.partitioning.groups()
    }

    fn rows(&self, group: usize) -> u64 {
        self.partitioning.rows(group).len() as u64
    }

    fn extent(&self, group: usize, dimension: usize) -> Extent {
        let domain = self.table.domain(dimension);
        extent_of(&self.partitioning.regions.cell(group, dimension, domain), domain, self.extents)
    }

    fn covered(&self, group: usize, dimension: usize) -> Extent {
        let domain = self.table.domain(dimension);
        extent_of(&self.partitioning.regions.cell(group, dimension, domain), domain, Extents::Compact)
    }

    fn members(&self, group: usize) -> Option<&[u32]> {
        Some(self.partitioning.rows(group))
    }

    /// Groups that share no tuple may publish regions that do: a hierarchy node stands for leaves beyond the group's, and
    /// the missing value among others for everything.
    fn disjoint(&self) -> bool {
        let regions = &self.partitioning.regions;
        let as_cut = |dimension: usize| {
            let domain = self.table.domain(dimension);
            let widened = |group| regions.mixes_missing(group, dimension, domain);
            domain.hierarchy().is_none() && !(0..self.count()).any(widened)
        };
        self.partitioning.strict && (0..self.table.dimensions()).all(as_cut)
    }

    fn knows(&self, _: &Needs) -> bool {
        true
    }

    fn statistics(&self, groups: Range<usize>, collector: &Collector<'_>) -> Vec<Statistics> {
        let start = self.partitioning.range(groups.start).start;
        let ends: Vec<usize> = groups.map(|group| self.partitioning.range(group).end - start).collect();
        let rows = &self.partitioning.order[start..start + ends.last().copied().unwrap_or(0)];
        collector.of_each(rows, &ends)
    }
}
