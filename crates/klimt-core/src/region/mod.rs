//! Regions: one generalised value per quasi-identifier.

mod extent;
pub(crate) mod form;
mod guide;
mod published;

pub(crate) use extent::extent_of;
pub use guide::is_guide;
pub(crate) use guide::looks_like_interval;
pub use published::{Extents, PublishedReader, Reach, set_members, write_set};

use crate::hierarchy::NodeId;
use crate::table::{Domain, Shape};

/// One generalised value, by codes of its domain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cell<'a> {
    /// The codes of an ordered domain between two ends, both included.
    Interval {
        /// The least code.
        lo: u32,
        /// The greatest code.
        hi: u32,
    },
    /// A node of a hierarchy.
    Node(NodeId),
    /// A set of codes, ascending.
    Set(&'a [u32]),
    /// The missing value alone.
    Missing,
    /// Anything at all: published as `*`.
    All,
}

/// How a cell is stored: two codes, or where to find the members of a set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct StoredCell {
    lo: u32,
    hi: u32,
}

impl StoredCell {
    /// Anything at all, whether the domain has it or not.
    const ANYTHING: StoredCell = StoredCell { lo: u32::MAX, hi: u32::MAX };
}

/// The regions of the groups of a partitioning: the smallest that hold each group's rows.
#[derive(Clone, Debug, Default)]
pub struct Regions {
    dimensions: usize,
    cells: Vec<StoredCell>,
    members: Vec<u32>,
}

impl Regions {
    /// No regions yet, for tuples of this many dimensions.
    pub fn new(dimensions: usize) -> Self {
        Regions { dimensions, cells: Vec::new(), members: Vec::new() }
    }

    /// Adds the next dimension of the region that is being built, as the least and greatest code in it.
    pub fn push_interval(&mut self, lo: u32, hi: u32) {
        self.cells.push(StoredCell { lo, hi });
    }

    /// Adds the next dimension of the region that is being built, as the codes in it, ascending.
    pub fn push_set(&mut self, codes: impl Iterator<Item = u32>) {
        let lo = self.members.len() as u32;
        self.members.extend(codes);
        self.cells.push(StoredCell { lo, hi: self.members.len() as u32 });
    }

    /// Adds the regions of later groups.
    pub fn append(&mut self, later: Regions, domains: &[&Domain]) {
        let shift = self.members.len() as u32;
        self.members.extend(later.members);
        let is_set: Vec<bool> = domains.iter().map(|domain| matches!(domain.shape(), Shape::Set)).collect();
        self.cells.extend(later.cells.iter().enumerate().map(|(at, cell)| {
            let moved = is_set[at % self.dimensions] && *cell != StoredCell::ANYTHING;
            let shift = if moved { shift } else { 0 };
            StoredCell { lo: cell.lo + shift, hi: cell.hi + shift }
        }));
    }

    /// Adds the next dimension of the region that is being built: anything at all, in the domain or not.
    pub fn push_anything(&mut self) {
        self.cells.push(StoredCell::ANYTHING);
    }

    /// Adds the next dimension of the region that is being built: that of another region.
    pub fn push_copy(&mut self, other: &Regions, region: usize, dimension: usize, domain: &Domain) {
        let cell = other.cells[region * other.dimensions + dimension];
        match domain.shape() {
            Shape::Set if cell != StoredCell::ANYTHING => {
                self.push_set(other.members_of(cell).iter().copied())
            }
            _ => self.cells.push(cell),
        }
    }

    fn members_of(&self, cell: StoredCell) -> &[u32] {
        &self.members[cell.lo as usize..cell.hi as usize]
    }

    /// The given regions alone, in the given order.
    pub fn selected(&self, regions: &[usize], domains: &[&Domain]) -> Regions {
        let mut selected = Regions::new(self.dimensions);
        for &region in regions {
            for (dimension, domain) in domains.iter().enumerate() {
                selected.push_copy(self, region, dimension, domain);
            }
        }
        selected
    }

    /// The smallest regions over runs of these, each up to its end.
    pub fn merged(&self, ends: &[usize], domains: &[&Domain]) -> Regions {
        let mut merged = Regions::new(self.dimensions);
        let (mut start, mut members) = (0, Vec::new());
        for &end in ends {
            for (dimension, domain) in domains.iter().enumerate() {
                let cells = (start..end).map(|region| self.cells[region * self.dimensions + dimension]);
                if matches!(domain.shape(), Shape::Set) {
                    members.clear();
                    let each = |cell: StoredCell| &self.members[cell.lo as usize..cell.hi as usize];
                    cells.for_each(|cell| members.extend_from_slice(each(cell)));
                    members.sort_unstable();
                    members.dedup();
                    merged.push_set(members.iter().copied());
                } else {
                    let wider = |(lo, hi): (u32, u32), cell: StoredCell| (lo.min(cell.lo), hi.max(cell.hi));
                    let (lo, hi) = cells.fold((u32::MAX, 0), wider);
                    merged.push_interval(lo, hi);
                }
            }
            start = end;
        }
        merged
    }

    /// Whether a region holds the missing value in a dimension.
    pub fn holds_missing(&self, region: usize, dimension: usize, domain: &Domain) -> bool {
        let StoredCell { lo, hi } = self.cells[region * self.dimensions + dimension];
        let Some(missing) = domain.missing_code() else { return false };
        match domain.shape() {
            _ if lo == u32::MAX => true,
            Shape::Set => self.members[lo as usize..hi as usize].contains(&missing),
            _ => hi == missing,
        }
    }

    /// Whether a region of an ordered or hierarchy dimension holds the missing value and others.
    pub fn mixes_missing(&self, region: usize, dimension: usize, domain: &Domain) -> bool {
        let StoredCell { lo, hi } = self.cells[region * self.dimensions + dimension];
        !matches!(domain.shape(), Shape::Set) && domain.mixes_missing(lo, hi)
    }

    /// The regions with other codes: `interval` maps the ends of an interval in a dimension, and those of every member of a
    /// set, which goes where they are mapped to nothing.
    pub(crate) fn mapped(
        &self,
        domains: &[&Domain],
        interval: impl Fn(usize, u32, u32) -> (u32, u32),
    ) -> Regions {
        let mut mapped = Regions::new(self.dimensions);
        for (at, &StoredCell { lo, hi }) in self.cells.iter().enumerate() {
            let dimension = at % self.dimensions;
            match domains[dimension].shape() {
                Shape::Set => {
                    let members = self.members[lo as usize..hi as usize].iter();
                    let each = members.map(|&code| interval(dimension, code, code));
                    let kept: Vec<u32> = each.filter(|(lo, hi)| lo == hi).map(|(code, _)| code).collect();
                    mapped.push_set(kept.into_iter());
                }
                _ => {
                    let (lo, hi) = interval(dimension, lo, hi);
                    mapped.push_interval(lo, hi);
                }
            }
        }
        mapped
    }

    /// The regions with every code of another domain in sets that have every code of theirs.
    pub(crate) fn with_whole_sets(&self, before: &[&Domain], domains: &[&Domain]) -> Regions {
        let mut whole = Regions::new(self.dimensions);
        for (at, &StoredCell { lo, hi }) in self.cells.iter().enumerate() {
            let dimension = at % self.dimensions;
            match domains[dimension].shape() {
                Shape::Set if (hi - lo) as usize == before[dimension].cardinality() && hi - lo > 1 => {
                    whole.push_set(0..domains[dimension].cardinality() as u32);
                }
                Shape::Set => whole.push_set(self.members[lo as usize..hi as usize].iter().copied()),
                _ => whole.push_interval(lo, hi),
            }
        }
        whole
    }

    /// The number of regions.
    pub fn len(&self) -> usize {
        self.cells.len().checked_div(self.dimensions).unwrap_or(0)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.cells.is_empty()
    }

    /// One cell of a region.
    pub fn cell(&self, region: usize, dimension: usize, domain: &Domain) -> Cell<'_> {
        let StoredCell { lo, hi } = self.cells[region * self.dimensions + dimension];
        match domain.shape() {
            _ if lo == u32::MAX => Cell::All,
            Shape::Set => Cell::Set(&self.members[lo as usize..hi as usize]),
            Shape::Ordered | Shape::Hierarchy(_) => interval_cell(domain, lo, hi),
        }
    }
}

/// The cell over the codes `lo..=hi` of an ordered domain or a hierarchy.
pub fn interval_cell(domain: &Domain, lo: u32, hi: u32) -> Cell<'static> {
    if domain.missing_code() == Some(lo) {
        return Cell::Missing;
    }
    match domain.shape() {
        Shape::Hierarchy(tree) => Cell::Node(domain.node_over(tree, lo, hi)),
        _ if domain.mixes_missing(lo, hi) => Cell::All,
        _ => Cell::Interval { lo, hi },
    }
}

impl Cell<'_> {
    /// The certainty penalty of the cell, 0..1.
    pub fn penalty(&self, domain: &Domain) -> f64 {
        match *self {
            Cell::Interval { lo, hi } => domain.interval_penalty(lo, hi),
            Cell::Node(node) => domain.node_penalty(node),
            Cell::Set(members) => domain.set_penalty(members.len()),
            Cell::Missing => 0.0,
            Cell::All => 1.0,
        }
    }
}
