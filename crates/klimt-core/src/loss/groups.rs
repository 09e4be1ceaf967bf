//! The groups of a release, as losses see them, and what they cost.

use super::{Cost, Loss, Original, Totals};
use crate::Result;
use crate::partition::Partitioning;
use crate::region::{Cell, Extents};
use crate::statistics::{Collector, Extent, Needs, Statistics};
use crate::table::{Domain, Shape, Table};
use rayon::prelude::*;
use std::ops::Range;

/// The groups of a release.
pub trait Groups: Sync {
    /// How many there are.
    fn count(&self) -> usize;

    /// How many rows a group has.
    fn rows(&self, group: usize) -> u64;

    /// What is published of a group in a dimension, from end to end, an open end included.
    fn extent(&self, group: usize, dimension: usize) -> Extent;

    /// The codes that a group's region covers in a dimension, without an open end.
    fn covered(&self, group: usize, dimension: usize) -> Extent;

    /// The rows of the original that a group holds, where that is known.
    fn members(&self, group: usize) -> Option<&[u32]>;

    /// Whether it is known that no tuple of the domain lies in two regions.
    fn disjoint(&self) -> bool;

    /// Whether the statistics of groups can be told.
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

/// The extent of what is published of a cell. An interval between region boundaries starts at the value before it,
/// which is where its open end is published.
pub fn extent_of(cell: &Cell<'_>, domain: &Domain, extents: Extents) -> Extent {
    let last = domain.cardinality() as u32 - 1;
    match *cell {
        Cell::Interval { lo, hi } => {
            let open = extents == Extents::Region && lo > 0 && !domain.is_single(lo, hi);
            Extent::Interval { lo: if open { lo - 1 } else { lo }, hi }
        }
        Cell::Node(node) => {
            let tree = domain.hierarchy().expect("a node belongs to a hierarchy");
            let (lo, hi) = tree.span(node);
            Extent::Interval { lo, hi: if node == tree.root() { last } else { hi } }
        }
        Cell::Set(members) => members_extent(domain, members.iter().copied()),
        Cell::Missing => Extent::Interval { lo: last, hi: last },
        Cell::All if matches!(domain.shape(), Shape::Set) => members_extent(domain, 0..=last),
        Cell::All => Extent::Interval { lo: 0, hi: last },
    }
}

fn members_extent(domain: &Domain, codes: impl IntoIterator<Item = u32>) -> Extent {
    let mut extent = Extent::no_members(domain.cardinality());
    codes.into_iter().for_each(|code| extent.add(code));
    extent
}

/// Groups are summed up in runs of so many, in order, so that sums do not depend on threads.
pub(super) const RUN: usize = 1024;

/// Every loss that applies to the original and can be seen from the groups, by name.
pub fn measure<'l>(
    losses: impl Iterator<Item = &'l dyn Loss>,
    original: &Original<'_>,
    groups: &dyn Groups,
    totals: &Totals,
) -> Result<Vec<(&'static str, f64)>> {
    let (mut measured, mut costs) = (Vec::new(), Vec::new());
    for loss in losses {
        match loss.cost(original) {
            Some(cost) if groups.knows(&cost.needs()) => {
                costs.push(cost);
                measured.push((loss.id(), None));
            }
            Some(_) => {}
            None => {
                measured.extend(loss.whole(original, groups, totals).map(|value| (loss.id(), Some(value))))
            }
        }
    }
    let sums = sums(&borrowed(&costs), original.table, groups)?;
    let mut finished = costs.iter().zip(sums).map(|(cost, sum)| cost.finish(sum, totals));
    Ok(measured
        .into_iter()
        .filter_map(|(id, value)| Some((id, value.or_else(|| finished.next())?)))
        .collect())
}

/// What a cost comes to over all groups, as they are published.
pub(crate) fn cost_of(cost: &dyn Cost, table: &Table, groups: &dyn Groups) -> Result<f64> {
    Ok(sums(&[cost], table, groups)?[0])
}

/// The costs that boxes hold.
pub(super) fn borrowed<'c>(costs: &'c [Box<dyn Cost + '_>]) -> Vec<&'c dyn Cost> {
    costs.iter().map(|cost| &**cost as &dyn Cost).collect()
}

/// What costs are seen from.
pub(super) fn needs_of(costs: &[&dyn Cost]) -> Needs {
    let mut needs = Needs::default();
    costs.iter().for_each(|cost| needs.include(&cost.needs()));
    needs
}

/// Adds what a group costs to the sums. Extents are those that are published, not those of the rows.
pub(super) fn charge(
    costs: &[&dyn Cost],
    needs: &Needs,
    statistics: &mut Statistics,
    groups: &dyn Groups,
    group: usize,
    sums: &mut [f64],
) {
    for lengths in [true, false] {
        let extent = |&dimension: &usize| {
            let whole = lengths.then(|| groups.extent(group, dimension));
            (dimension, whole.unwrap_or_else(|| groups.covered(group, dimension)))
        };
        statistics.extents = needs.extents.iter().map(extent).collect();
        let costs = sums.iter_mut().zip(costs).filter(|(_, cost)| cost.measures_lengths() == lengths);
        costs.for_each(|(sum, cost)| *sum += cost.group(statistics));
    }
}

/// What each cost comes to over all groups.
pub(super) fn sums(costs: &[&dyn Cost], table: &Table, groups: &dyn Groups) -> Result<Vec<f64>> {
    let needs = needs_of(costs);
    let collector = Collector::new(&Needs { extents: Vec::new(), ..needs.clone() }, table)?;
    let run = |run: usize| {
        let mut sums = vec![0.0; costs.len()];
        let run = run * RUN..groups.count().min((run + 1) * RUN);
        for (group, mut statistics) in run.clone().zip(groups.statistics(run, &collector)) {
            charge(costs, &needs, &mut statistics, groups, group, &mut sums);
        }
        sums
    };
    let runs: Vec<Vec<f64>> = (0..groups.count().div_ceil(RUN)).into_par_iter().map(run).collect();
    let mut total = vec![0.0; costs.len()];
    for run in runs {
        total.iter_mut().zip(run).for_each(|(total, sum)| *total += sum);
    }
    Ok(total)
}
