//! From rows to statistics.

use super::{Extent, Histogram, Moments, Needs, Statistics, distances};
use crate::Result;
use crate::packed::Tuple;
use crate::table::Block;
use crate::table::{Shape, Table};
use std::sync::Arc;

mod tally;
pub use tally::StatisticsTally;

/// A column with more codes than this times the rows of a part, and more than its square, has no place in memory for each.
const LOOKED_UP: usize = 256;

/// Makes statistics of rows of one table, for the same needs: of rows by their number, or of packed tuples whose
/// words are the columns of [`Collector::columns`].
#[derive(Clone, Debug)]
pub struct Collector<'a> {
    table: &'a Table,
    columns: Vec<usize>,
    extents: Vec<usize>,
    histograms: Vec<HistogramColumn>,
    moments: Vec<MomentColumn>,
}

/// A column whose codes are counted.
#[derive(Clone, Debug)]
struct HistogramColumn {
    column: usize,
    word: usize,
    cardinality: usize,
    /// The code that each code is counted as; empty where it is itself.
    classes: Vec<u32>,
    /// The place of each code among the codes of the part at hand; empty where a code is its own place, or is looked up.
    places: Vec<u32>,
    /// Whether there are so many codes that those of the part at hand are looked up.
    looks_up: bool,
    /// The codes of the part at hand, ascending.
    codes: Vec<u32>,
}

/// A column whose moments are taken.
#[derive(Clone, Debug)]
struct MomentColumn {
    column: usize,
    word: usize,
    distances: Arc<[u64]>,
}

impl<'a> Collector<'a> {
    /// Prepares to collect what is needed; fails where a column without numbers needs moments.
    pub fn new(needs: &Needs, table: &'a Table) -> Result<Self> {
        Collector::of_rows(needs, table, table.rows() as u64)
    }

    /// Prepares to collect from up to this many rows with the columns of a table.
    pub fn of_rows(needs: &Needs, table: &'a Table, rows: u64) -> Result<Self> {
        let mut columns = table.quasi_identifiers().to_vec();
        let mut word = |column: usize| {
            columns.iter().position(|&c| c == column).unwrap_or_else(|| {
                columns.push(column);
                columns.len() - 1
            })
        };
        let counted = |(column, word): (usize, usize)| {
            let domain = table.columns()[column].coded().map(|(domain, _)| domain);
            let classes = domain.and_then(|domain| domain.classes()).unwrap_or_default().to_vec();
            HistogramColumn {
                column,
                word,
                cardinality: domain.map_or(0, |domain| domain.compared().cardinality()),
                places: classes.clone(),
                looks_up: false,
                classes,
                codes: Vec::new(),
            }
        };
        let words: Vec<_> = needs.histograms.iter().map(|&column| (column, word(column))).collect();
        let histograms: Vec<HistogramColumn> = words.into_iter().map(counted).collect();
        let mut moments = Vec::new();
        for &column in &needs.moments {
            let found = &table.columns()[column];
            if let Some((domain, _)) = found.coded() {
                let distances = distances(&found.name, domain, rows)?;
                moments.push(MomentColumn { column, word: word(column), distances: distances.into() });
            }
        }
        Ok(Collector { table, columns, extents: needs.extents.clone(), histograms, moments })
    }

    /// The columns of a tuple, quasi-identifiers first: what to pack.
    pub fn columns(&self) -> &[usize] {
        &self.columns
    }

    /// The statistics of no rows, with places for the codes of the part at hand.
    pub fn empty(&self) -> Statistics {
        let extent = |&dimension: &usize| match self.table.domain(dimension).shape() {
            Shape::Set => (dimension, Extent::no_members(self.table.domain(dimension).cardinality())),
            _ => (dimension, Extent::NOTHING),
        };
        Statistics {
            count: 0,
            extents: self.extents.iter().map(extent).collect(),
            histograms: self
                .histograms
                .iter()
                .map(|counted| (counted.column, Histogram::over(counted.codes.clone())))
                .collect(),
            moments: self.moments.iter().map(|measured| (measured.column, Moments::default())).collect(),
        }
    }

    /// Looks at a part, so that statistics of its rows take as much room as the part has codes.
    pub fn prepare<T: Tuple>(&mut self, rows: &[T]) {
        for counted in &mut self.histograms {
            if rows.len() >= counted.cardinality {
                counted.count_all();
            } else {
                counted.count_only(rows);
            }
        }
    }

    /// Adds a packed row of the part at hand.
    #[inline]
    pub fn add<T: Tuple>(&self, into: &mut Statistics, row: &T) {
        into.count += 1;
        for (dimension, extent) in &mut into.extents {
            extent.add(row.code(*dimension));
        }
        for (counted, (_, histogram)) in self.histograms.iter().zip(&mut into.histograms) {
            histogram.add_at(counted.place(row.code(counted.word)));
        }
        for (measured, (_, moments)) in self.moments.iter().zip(&mut into.moments) {
            if let Some(&distance) = measured.distances.get(row.code(measured.word) as usize) {
                moments.add(distance, 1);
            }
        }
    }

    /// Gives every code a place, whatever part is at hand, of columns with at most this many.
    pub fn prepare_for_all(&mut self, most: usize) {
        self.histograms
            .iter_mut()
            .filter(|counted| counted.cardinality <= most)
            .for_each(HistogramColumn::count_all);
    }

    /// How far the value of a code is from the least of its column, for the columns of which moments are taken, in
    /// their order; nothing for a missing value.
    pub(crate) fn distance(&self, number: usize, code: u32) -> Option<u64> {
        self.moments[number].distances.get(code as usize).copied()
    }

    /// The code that a code is counted as, for the columns of which histograms are made, in their order.
    #[inline]
    pub(crate) fn class(&self, number: usize, code: u32) -> u32 {
        self.histograms[number].classes.get(code as usize).copied().unwrap_or(code)
    }

    /// Adds rows of a block, by their numbers in it, to statistics that were made empty by this collector.
    pub fn add_rows(&self, into: &mut Statistics, block: &Block, rows: &[u32]) {
        into.count += rows.len() as u64;
        let mut codes = Vec::new();
        let mut gather = |column: usize| {
            codes.clear();
            block.codes(column).gather(rows, &mut codes);
            std::mem::take(&mut codes)
        };
        for (dimension, extent) in &mut into.extents {
            gather(self.table.quasi_identifiers()[*dimension]).iter().for_each(|&code| extent.add(code));
        }
        for (counted, (_, histogram)) in self.histograms.iter().zip(&mut into.histograms) {
            let mut codes = gather(counted.column);
            counted.classify(&mut codes);
            match counted.codes.len() == counted.cardinality {
                true => codes.iter().for_each(|&code| histogram.add_at(code as usize)),
                false => {
                    codes.sort_unstable();
                    histogram.add_sorted(&codes);
                }
            }
        }
        for (measured, (_, moments)) in self.moments.iter().zip(&mut into.moments) {
            let known = gather(measured.column);
            let distances = known.iter().filter_map(|&code| measured.distances.get(code as usize));
            distances.for_each(|&distance| moments.add(distance, 1));
        }
    }

    /// The statistics of some rows, by their numbers.
    pub fn of(&self, rows: &[u32]) -> Statistics {
        self.of_each(rows, &[rows.len()]).remove(0)
    }

    /// The statistics of all rows.
    pub fn of_all(&self) -> Statistics {
        let rows: Vec<u32> = (0..self.table.rows() as u32).collect();
        self.of(&rows)
    }

    /// The statistics of groups whose rows stand one after the other, each up to its end. Columns are visited one by
    /// one over all groups, which reads memory in an order that it likes.
    pub fn of_each(&self, rows: &[u32], ends: &[usize]) -> Vec<Statistics> {
        let starts = || std::iter::once(0).chain(ends.iter().copied());
        let mut groups = vec![self.empty(); ends.len()];
        for (group, (start, &end)) in groups.iter_mut().zip(starts().zip(ends)) {
            group.count = (end - start) as u64;
        }
        let mut codes = Vec::new();
        let mut fill = |column: usize| {
            codes.clear();
            if let Some((_, found)) = self.table.columns()[column].coded() {
                found.gather(rows, &mut codes);
            }
            std::mem::take(&mut codes)
        };
        for (at, &dimension) in self.extents.iter().enumerate() {
            let found = fill(self.table.quasi_identifiers()[dimension]);
            for (group, (start, &end)) in groups.iter_mut().zip(starts().zip(ends)) {
                found[start..end].iter().for_each(|&code| group.extents[at].1.add(code));
            }
        }
        for (at, counted) in self.histograms.iter().enumerate() {
            let mut found = fill(counted.column);
            counted.classify(&mut found);
            for (group, (start, &end)) in groups.iter_mut().zip(starts().zip(ends)) {
                group.histograms[at].1 = Histogram::of_codes(&found[start..end], counted.cardinality);
            }
        }
        for (at, measured) in self.moments.iter().enumerate() {
            let found = fill(measured.column);
            for (group, (start, &end)) in groups.iter_mut().zip(starts().zip(ends)) {
                let distances =
                    found[start..end].iter().filter_map(|&code| measured.distances.get(code as usize));
                distances.for_each(|&distance| group.moments[at].1.add(distance, 1));
            }
        }
        groups
    }
}

impl HistogramColumn {
    fn count_all(&mut self) {
        if self.codes.len() != self.cardinality {
            self.codes = (0..self.cardinality as u32).collect();
        }
        self.places.clone_from(&self.classes);
        self.looks_up = false;
    }

    /// Puts the codes that are counted in the place of codes.
    fn classify(&self, codes: &mut [u32]) {
        if !self.classes.is_empty() {
            codes.iter_mut().for_each(|code| *code = self.classes[*code as usize]);
        }
    }

    fn count_only<T: Tuple>(&mut self, rows: &[T]) {
        self.codes.clear();
        self.codes.extend(rows.iter().map(|row| row.code(self.word)));
        let mut codes = std::mem::take(&mut self.codes);
        self.classify(&mut codes);
        self.codes = codes;
        self.codes.sort_unstable();
        self.codes.dedup();
        self.looks_up = self.classes.is_empty() && self.cardinality / LOOKED_UP > rows.len().max(LOOKED_UP);
        if self.looks_up {
            self.places = Vec::new();
            return;
        }
        if self.classes.is_empty() {
            self.places.resize(self.cardinality, 0);
            for (place, &code) in (0..).zip(&self.codes) {
                self.places[code as usize] = place;
            }
            return;
        }
        let place = |class: &u32| self.codes.binary_search(class).unwrap_or(0) as u32;
        self.places = self.classes.iter().map(place).collect();
    }

    #[inline]
    fn place(&self, code: u32) -> usize {
        if self.looks_up {
            return self.codes.binary_search(&code).unwrap_or(0);
        }
        if self.places.is_empty() { code as usize } else { self.places[code as usize] as usize }
    }
}

impl Statistics {
    /// Forgets all rows and keeps the places.
    pub fn clear(&mut self) {
        self.count = 0;
        for (_, extent) in &mut self.extents {
            extent.clear();
        }
        self.histograms.iter_mut().for_each(|(_, histogram)| histogram.clear());
        self.moments.iter_mut().for_each(|(_, moments)| *moments = Moments::default());
    }
}
