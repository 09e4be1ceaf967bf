//! Statistics of a group for requirements, losses and splits: a commutative monoid.
//!
//! The same type serves memory, disk, store and cluster: statistics of parts merge to the statistics of the
//! whole, in any order and any grouping.

mod collect;
mod histogram;
mod moments;
mod people;
mod pile;

pub use collect::{Collector, StatisticsTally};
pub use histogram::Histogram;
pub use moments::{Moments, distances};
pub use people::{GroupPeople, MOST_PARTS};
pub(crate) use pile::Pile;

pub use crate::table::Extent;

use crate::table::{Shape, Table};

/// Which statistics a requirement, a loss or a split reads; they ask, so that nothing is counted in vain.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Needs {
    /// The extents of these dimensions.
    pub extents: Vec<usize>,
    /// The histograms of these columns.
    pub histograms: Vec<usize>,
    /// The moments of these columns.
    pub moments: Vec<usize>,
}

impl Needs {
    /// The histogram of one column.
    pub fn histogram(column: usize) -> Self {
        Needs { histograms: vec![column], ..Needs::default() }
    }

    /// Whether the number of rows is all that is needed.
    pub fn only_count(&self) -> bool {
        self.extents.is_empty() && self.histograms.is_empty() && self.moments.is_empty()
    }

    /// How many bytes the statistics of a few rows take, about.
    pub fn bytes(&self, table: &Table) -> usize {
        let members = |&dimension: &usize| match table.domain(dimension).shape() {
            Shape::Set => table.domain(dimension).cardinality() / 8 + 16,
            _ => 0,
        };
        let extents = self.extents.iter().map(|dimension| 40 + members(dimension)).sum::<usize>();
        let lists = [!self.extents.is_empty(), !self.histograms.is_empty(), !self.moments.is_empty()];
        let lists = lists.iter().filter(|&&given| given).count();
        size_of::<Statistics>() + lists * 16 + extents + self.histograms.len() * 128 + self.moments.len() * 64
    }

    /// Adds what another needs.
    pub fn include(&mut self, other: &Needs) {
        for (mine, theirs) in [
            (&mut self.extents, &other.extents),
            (&mut self.histograms, &other.histograms),
            (&mut self.moments, &other.moments),
        ] {
            mine.extend(theirs);
            mine.sort_unstable();
            mine.dedup();
        }
    }
}

/// The statistics of a set of rows: how many there are, and what [`Needs`] asks for, by dimension or column.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// The number of rows.
    pub count: u64,
    /// The extent of each needed dimension, by its number, ascending.
    pub extents: Vec<(usize, Extent)>,
    /// The histogram of each needed column, by its number, ascending.
    pub histograms: Vec<(usize, Histogram)>,
    /// The moments of each needed column, by its number, ascending.
    pub moments: Vec<(usize, Moments)>,
}

impl Statistics {
    /// The extent of a dimension; panics unless [`Needs`] includes it.
    #[inline]
    pub fn extent(&self, dimension: usize) -> &Extent {
        let found = self.extents.iter().find(|(number, _)| *number == dimension);
        &found.expect("needs name every extent that is read").1
    }

    /// The histogram of a column; panics unless [`Needs`] includes it.
    #[inline]
    pub fn histogram(&self, column: usize) -> &Histogram {
        let found = self.histograms.iter().find(|(number, _)| *number == column);
        &found.expect("needs name every histogram that is read").1
    }

    /// The moments of a column; panics unless [`Needs`] includes them.
    #[inline]
    pub fn moments(&self, column: usize) -> &Moments {
        let found = self.moments.iter().find(|(number, _)| *number == column);
        &found.expect("needs name all moments that are read").1
    }

    /// Adds the statistics of other rows, made for the same needs.
    pub fn merge(&mut self, other: &Statistics) {
        self.count += other.count;
        for ((_, mine), (_, theirs)) in self.extents.iter_mut().zip(&other.extents) {
            mine.merge(theirs);
        }
        for ((_, mine), (_, theirs)) in self.histograms.iter_mut().zip(&other.histograms) {
            mine.merge(theirs);
        }
        for ((_, mine), (_, theirs)) in self.moments.iter_mut().zip(&other.moments) {
            mine.merge(theirs);
        }
    }
}
