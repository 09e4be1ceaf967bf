//! The statistics of a box by counting bits, where that is less work than visiting rows.

use super::bits::RowBits;
use super::part::{OptimalPart, RowSet};
use super::problem::{OptimalPricing, OptimalProblem};
use crate::statistics::{Extent, Histogram, Statistics};
use std::cell::RefCell;

/// The most codes of a column that are counted as bits.
const COUNTED: usize = 48;

/// Counts the codes of columns among rows.
pub(super) struct CodeTally<const W: usize> {
    /// The rows with each code, in each column that is counted.
    columns: Vec<Vec<RowBits<W>>>,
    statistics: RefCell<Statistics>,
}

impl<const W: usize> CodeTally<W> {
    /// Counts what the problem needs of these rows; `None` where visiting rows is the better way.
    pub fn new(problem: &OptimalProblem<'_>, rows: &[u32]) -> Option<Self> {
        if problem.requirements.only_count() && problem.pricing != OptimalPricing::Statistics {
            return None;
        }
        let mut statistics = problem.collector.empty();
        if !statistics.moments.is_empty() {
            return None;
        }
        let mut columns = Vec::new();
        for (column, histogram) in &mut statistics.histograms {
            let (domain, codes) = problem.table.columns()[*column].coded()?;
            let mut here = Vec::with_capacity(rows.len());
            codes.gather(rows, &mut here);
            here.iter_mut().for_each(|code| *code = domain.class(*code));
            let mut values = here.clone();
            values.sort_unstable();
            values.dedup();
            if values.len() > COUNTED {
                return None;
            }
            let mut masks = vec![RowBits::EMPTY; values.len()];
            for (row, code) in here.iter().enumerate() {
                masks[values.partition_point(|value| value < code)].insert(row);
            }
            *histogram = Histogram::over(values);
            columns.push(masks);
        }
        Some(CodeTally { columns, statistics: RefCell::new(statistics) })
    }

    /// Shows the statistics of a box.
    pub fn with<R>(
        &self,
        part: &OptimalPart<'_, W>,
        of: &RowSet<W>,
        show: impl FnOnce(&Statistics) -> R,
    ) -> R {
        let mut statistics = self.statistics.borrow_mut();
        statistics.count = u64::from(of.count);
        for (masks, (_, histogram)) in self.columns.iter().zip(&mut statistics.histograms) {
            histogram.set(masks.iter().map(|mask| u64::from(of.rows.common(mask))));
        }
        if !statistics.extents.is_empty() {
            statistics.extents.iter_mut().for_each(|(_, extent)| extent.clear());
            let first = part.rows[of.rows.least()];
            for (dimension, extent) in &mut statistics.extents {
                extend(part, of, *dimension, first, extent);
            }
        }
        show(&statistics)
    }
}

/// Fills an extent with the codes of a box; `first` is one of its rows.
fn extend<const W: usize>(
    part: &OptimalPart<'_, W>,
    of: &RowSet<W>,
    dimension: usize,
    first: u32,
    extent: &mut Extent,
) {
    match part.axes.iter().find(|axis| axis.dimension == dimension) {
        None => extent.add(part.problem.table.codes(dimension).get(first as usize)),
        Some(axis) => {
            let here = axis.slabs.iter().zip(&axis.values).filter(|(slab, _)| slab.meets(&of.rows));
            here.for_each(|(_, &value)| extent.add(value));
        }
    }
}
