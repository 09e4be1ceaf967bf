//! What a requirement or a split needs to know of a group, as a commutative monoid.
//!
//! The same type serves memory, disk, index and cluster: statistics of parts merge to the statistics of the
//! whole, in any order and any grouping.

mod extent;

pub use extent::Extent;

use crate::table::{Shape, Table};

/// Which statistics a requirement reads; requirements ask, so that nothing is counted in vain.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Needs {
    /// The extents of these dimensions.
    pub extents: Vec<usize>,
    /// The histograms of these columns.
    pub histograms: Vec<usize>,
}

impl Needs {
    /// Whether the number of rows is all that is needed.
    pub fn only_count(&self) -> bool {
        self.extents.is_empty() && self.histograms.is_empty()
    }

    /// Adds what another requirement needs.
    pub fn include(&mut self, other: &Needs) {
        for (mine, theirs) in [(&mut self.extents, &other.extents), (&mut self.histograms, &other.histograms)]
        {
            mine.extend(theirs);
            mine.sort_unstable();
            mine.dedup();
        }
    }
}

/// The statistics of a set of rows: how many there are, and what [`Needs`] asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statistics {
    /// The number of rows.
    pub count: u64,
    /// The extent of each needed dimension, in the order of [`Needs::extents`].
    pub extents: Vec<Extent>,
    /// How many rows have each code of each needed column, in the order of [`Needs::histograms`].
    pub histograms: Vec<Vec<u64>>,
}

impl Statistics {
    /// The statistics of no rows.
    pub fn empty(needs: &Needs, table: &Table) -> Self {
        let extent = |&dimension: &usize| match table.domain(dimension).shape() {
            Shape::Set => Extent::no_members(table.domain(dimension).cardinality()),
            _ => Extent::NOTHING,
        };
        let cardinality = |&column: &usize| match table.columns()[column].coded() {
            Some((domain, _)) => vec![0; domain.cardinality()],
            None => Vec::new(),
        };
        Statistics {
            count: 0,
            extents: needs.extents.iter().map(extent).collect(),
            histograms: needs.histograms.iter().map(cardinality).collect(),
        }
    }

    /// Adds one row of the table.
    pub fn add(&mut self, needs: &Needs, table: &Table, row: usize) {
        self.count += 1;
        for (extent, &dimension) in self.extents.iter_mut().zip(&needs.extents) {
            extent.add(table.codes(dimension).get(row));
        }
        for (histogram, &column) in self.histograms.iter_mut().zip(&needs.histograms) {
            if let Some((_, codes)) = table.columns()[column].coded() {
                histogram[codes.get(row) as usize] += 1;
            }
        }
    }

    /// Adds the statistics of other rows, made for the same needs.
    pub fn merge(&mut self, other: &Statistics) {
        self.count += other.count;
        for (mine, theirs) in self.extents.iter_mut().zip(&other.extents) {
            mine.merge(theirs);
        }
        for (mine, theirs) in self.histograms.iter_mut().zip(&other.histograms) {
            mine.iter_mut().zip(theirs).for_each(|(a, b)| *a += b);
        }
    }
}
