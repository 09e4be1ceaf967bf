//! The statistics of boxes, for requirements and losses that look at more than counts.

use super::charge::extent;
use super::grid::Grid;
use super::sums::BoxSums;
use crate::Result;
use crate::statistics::{Extent, Histogram, Moments, Needs, Statistics, distances};
use crate::table::Table;

/// Makes the statistics of boxes.
#[derive(Clone, Debug)]
pub struct BoxCollector {
    /// The rows with each code of each column, by box.
    histograms: Option<BoxSums<u32>>,
    /// How many codes all columns have together.
    codes: usize,
    /// The moments of each column, by box.
    moments: Option<BoxSums<u128>>,
    /// The axis of each extent, where its dimension is one.
    axes: Vec<Option<usize>>,
    /// Statistics with a place for everything.
    template: Statistics,
}

/// The sums along the line of a row of boxes, and the statistics of the box at hand.
#[derive(Clone, Debug)]
pub struct Evidence {
    histograms: Vec<u32>,
    moments: Vec<u128>,
    statistics: Statistics,
}

/// The numbers of a column's [`Moments`].
const MOMENTS: usize = 3;

impl BoxCollector {
    /// Prepares what is needed; `None` where that does not fit into this many bytes, or where it is time to stop.
    pub fn new(
        needs: &Needs,
        table: &Table,
        grid: &Grid,
        codes: &[Vec<u32>],
        bytes: usize,
        stops: &dyn Fn() -> bool,
    ) -> Result<Option<BoxCollector>> {
        let coded = |&column: &usize| table.columns()[column].coded().map(|found| (column, found));
        let counted: Vec<_> = needs.histograms.iter().filter_map(coded).collect();
        let cardinality = |column: &(usize, (&crate::table::Domain, _))| column.1.0.compared().cardinality();
        let total: usize = counted.iter().map(cardinality).sum();
        let mut histograms = None;
        if total > 0 {
            let count = |row: usize, into: &mut [u32]| {
                let mut first = 0;
                for (_, (domain, codes)) in &counted {
                    into[first + domain.class(codes.get(row)) as usize] += 1;
                    first += domain.compared().cardinality();
                }
            };
            histograms = BoxSums::new(grid, total, bytes / 2, codes, stops, count);
            if histograms.is_none() {
                return Ok(None);
            }
        }
        let measured: Vec<_> = needs.moments.iter().filter_map(coded).collect();
        let mut moments = None;
        if !measured.is_empty() {
            let mut lengths = Vec::new();
            for (column, (domain, _)) in &measured {
                lengths.push(distances(&table.columns()[*column].name, domain, table.rows() as u64)?);
            }
            let count = |row: usize, into: &mut [u128]| {
                for (at, (_, (_, codes))) in measured.iter().enumerate() {
                    if let Some(&distance) = lengths[at].get(codes.get(row) as usize) {
                        let distance = u128::from(distance);
                        let into = &mut into[at * MOMENTS..];
                        (into[0], into[1], into[2]) =
                            (into[0] + 1, into[1] + distance, into[2] + distance * distance);
                    }
                }
            };
            moments = BoxSums::new(grid, measured.len() * MOMENTS, bytes / 2, codes, stops, count);
            if moments.is_none() {
                return Ok(None);
            }
        }
        let places = |column: &(usize, (&crate::table::Domain, _))| {
            (column.0, Histogram::over((0..cardinality(column) as u32).collect()))
        };
        let template = Statistics {
            count: 0,
            extents: needs.extents.iter().map(|&d| (d, extent(table, d, 0, 0))).collect(),
            histograms: counted.iter().map(places).collect(),
            moments: measured.iter().map(|&(column, _)| (column, Moments::default())).collect(),
        };
        let axis = |dimension: &usize| grid.axes().iter().position(|axis| axis.dimension == *dimension);
        let axes = needs.extents.iter().map(axis).collect();
        Ok(Some(BoxCollector { histograms, codes: total, moments, axes, template }))
    }

    /// The memory that it takes.
    pub fn bytes(&self) -> usize {
        self.histograms.as_ref().map_or(0, BoxSums::bytes) + self.moments.as_ref().map_or(0, BoxSums::bytes)
    }

    /// Room for the sums and the statistics of one box after the other.
    pub fn evidence(&self) -> Evidence {
        Evidence { histograms: Vec::new(), moments: Vec::new(), statistics: self.template.clone() }
    }

    /// Looks at the row of boxes with the given bounds on the outer axes.
    pub fn look<'e>(&'e self, at: &[(usize, usize)], evidence: &'e mut Evidence) -> Witness<'e> {
        let Evidence { histograms, moments, statistics } = evidence;
        for (axis, (_, extent)) in self.axes.iter().zip(&mut statistics.extents) {
            if let Some(&(lo, hi)) = axis.and_then(|axis| at.get(axis)) {
                stretch(extent, lo, hi);
            }
        }
        Witness {
            judge: self,
            inner: at.len(),
            histograms: self.histograms.as_ref().map_or(&[], |sums| sums.line(at, histograms)),
            moments: self.moments.as_ref().map_or(&[], |sums| sums.line(at, moments)),
            statistics,
        }
    }
}

/// Knows a row of boxes, which have the same bounds on the outer axes.
#[derive(Debug)]
pub struct Witness<'e> {
    judge: &'e BoxCollector,
    inner: usize,
    histograms: &'e [u32],
    moments: &'e [u128],
    statistics: &'e mut Statistics,
}

impl Witness<'_> {
    /// The statistics of the box from `lo` to `hi` on the inner axis, which holds this many rows and is the smallest box
    /// over them.
    pub fn statistics(&mut self, lo: usize, hi: usize, count: u32) -> &Statistics {
        let statistics = &mut *self.statistics;
        statistics.count = u64::from(count);
        for (axis, (_, extent)) in self.judge.axes.iter().zip(&mut statistics.extents) {
            if *axis == Some(self.inner) {
                stretch(extent, lo, hi);
            }
        }
        let codes = self.judge.codes;
        if codes > 0 {
            let before = &self.histograms[lo * codes..(lo + 1) * codes];
            let upto = &self.histograms[(hi + 1) * codes..(hi + 2) * codes];
            let mut rows =
                upto.iter().zip(before).map(|(upto, before)| u64::from(upto.wrapping_sub(*before)));
            statistics.histograms.iter_mut().for_each(|(_, histogram)| histogram.set(rows.by_ref()));
        }
        let measured = statistics.moments.len() * MOMENTS;
        for (at, (_, moments)) in statistics.moments.iter_mut().enumerate() {
            let sum = |number: usize| {
                let at = at * MOMENTS + number;
                self.moments[(hi + 1) * measured + at].wrapping_sub(self.moments[lo * measured + at])
            };
            *moments = Moments { rows: sum(0) as u64, sum: sum(1), squares: sum(2) };
        }
        statistics
    }
}

/// Sets an extent to the codes from `lo` to `hi`.
fn stretch(extent: &mut Extent, lo: usize, hi: usize) {
    match extent {
        Extent::Interval { lo: first, hi: last } => (*first, *last) = (lo as u32, hi as u32),
        Extent::Members(_) => {
            extent.clear();
            (lo..=hi).for_each(|code| extent.add(code as u32));
        }
    }
}
