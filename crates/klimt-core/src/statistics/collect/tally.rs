//! The statistics of rows that come block by block.

use super::{Collector, HistogramColumn};
use crate::statistics::{Histogram, Statistics};
use crate::table::Block;

/// A column with up to this many codes for every row is counted by code, and one with more by sorting the codes that occur.
const CODES_PER_ROW: u64 = 4;

/// Makes the statistics of rows whose number is known beforehand, each of which is looked at once. Where rows are few
/// beside the values of a column, it takes room for the rows, and else for the values.
pub struct StatisticsTally<'c, 'a> {
    collector: &'c Collector<'a>,
    statistics: Statistics,
    /// By column that is counted, the codes that will be sorted; nothing where they are counted as they come.
    waiting: Vec<Option<Vec<u32>>>,
}

impl<'c, 'a> StatisticsTally<'c, 'a> {
    /// Nothing seen yet of this many rows.
    pub fn new(collector: &'c Collector<'a>, rows: u64) -> Self {
        let mut statistics = collector.empty();
        let mut waiting = Vec::new();
        for (counted, (_, histogram)) in collector.histograms.iter().zip(&mut statistics.histograms) {
            let few = counted.is_few(rows);
            *histogram = if few { Histogram::over(counted.every_code()) } else { Histogram::default() };
            waiting.push((!few).then(|| Vec::with_capacity(rows as usize)));
        }
        StatisticsTally { collector, statistics, waiting }
    }

    /// How many bytes the statistics of this many rows take, about.
    pub fn bytes(collector: &Collector<'_>, rows: u64) -> usize {
        let of = |counted: &HistogramColumn| match counted.is_few(rows) {
            true => counted.cardinality * (size_of::<u32>() + size_of::<u64>()),
            // The codes, and their histogram while they are still there.
            false => rows as usize * (2 * size_of::<u32>() + size_of::<u64>()),
        };
        collector.histograms.iter().map(of).sum()
    }

    /// Takes in all rows of a block.
    pub fn add(&mut self, block: &Block) {
        self.statistics.count += block.rows() as u64;
        for (dimension, extent) in &mut self.statistics.extents {
            let column = self.collector.table.quasi_identifiers()[*dimension];
            block.codes(column).for_each(|code| extent.add(code));
        }
        let histograms = self.statistics.histograms.iter_mut().zip(&mut self.waiting);
        for (counted, ((_, histogram), waiting)) in self.collector.histograms.iter().zip(histograms) {
            let class = |code: u32| counted.classes.get(code as usize).copied().unwrap_or(code);
            match waiting {
                Some(codes) => block.codes(counted.column).for_each(|code| codes.push(class(code))),
                None => {
                    block.codes(counted.column).for_each(|code| histogram.add_at(class(code) as usize));
                }
            }
        }
        for (measured, (_, moments)) in self.collector.moments.iter().zip(&mut self.statistics.moments) {
            block.codes(measured.column).for_each(|code| {
                if let Some(&distance) = measured.distances.get(code as usize) {
                    moments.add(distance, 1);
                }
            });
        }
    }

    /// The statistics of all rows.
    pub fn finish(mut self) -> Statistics {
        for ((_, histogram), waiting) in self.statistics.histograms.iter_mut().zip(self.waiting) {
            if let Some(mut codes) = waiting {
                codes.sort_unstable();
                histogram.add_sorted(&codes);
            }
        }
        self.statistics
    }
}

impl HistogramColumn {
    fn is_few(&self, rows: u64) -> bool {
        self.cardinality as u64 <= rows.saturating_mul(CODES_PER_ROW)
    }

    fn every_code(&self) -> Vec<u32> {
        (0..self.cardinality as u32).collect()
    }
}
