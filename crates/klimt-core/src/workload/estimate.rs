//! The answers that a release gives to queries.
//!
//! *Spread*: the rows of a group are taken to lie evenly in its region, in each dimension by itself, so that a query finds
//! the product of the shares that its predicates admit. Where the mean or the range of a group is published, its rows lie
//! within that range and have that mean (`spread.rs`). *Matched* (Iwuchukwu, Naughton, section 5.4): every row whose region
//! meets the query is counted whole.
//!
//! An answer is *exact* where what is published fixes it (LeFevre, DeWitt, Ramakrishnan, section 5.1): no row is
//! suppressed, and the query holds all of a group or nothing. A count is then exact; a sum and an average where every group
//! tells the sum of its numbers, by a mean or by a single value, and how many there are; a minimum and a maximum where
//! every group tells its range.

use super::exact::{NumberSums, column, number};
use super::regions::{CellsOfRows, QueryCell, QueryRegions, read_cells};
use super::{AdmittedValues, Coverage, Function, TableAggregate, TableQuery, TableWorkload};
use crate::Result;
use crate::partition::{Groups, PartitionGroups};
use crate::table::{Domain, Table};
use rayon::prelude::*;

/// A release as queries see it.
#[derive(Debug)]
pub struct QueriedRelease<'a> {
    /// The original, or a table with its columns: its domains tell what regions cover.
    pub original: &'a Table,
    /// The regions of the groups.
    pub regions: QueryRegions,
    /// The rows of the release, of which columns that are published as they are matter.
    pub rows: &'a Table,
    /// The rows of each group, one group after the other.
    pub order: Vec<u32>,
    /// Where each group ends in that order.
    pub ends: Vec<u32>,
    /// Columns that have the names of statistics, but hold something else.
    pub ignored: Vec<String>,
}

/// The answer that a release gives to a query.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// With rows spread evenly over their regions; `None` where no row has a number.
    pub spread: Option<f64>,
    /// With every group counted that the query meets.
    pub matched: Option<f64>,
    /// The rows in groups of which the query holds a part only. Where there are none, the predicate matches the regions
    /// (LeFevre, DeWitt, Ramakrishnan, section 5.1).
    pub partial: u64,
    /// Whether what is published fixes the answer, so that it is that of the original.
    pub exact: bool,
}

impl<'a> QueriedRelease<'a> {
    /// The groups of a partitioning of a table, as they would be published.
    pub fn of(groups: &PartitionGroups<'a>) -> Self {
        let PartitionGroups { table, partitioning, .. } = *groups;
        QueriedRelease {
            original: table,
            regions: QueryRegions::of(groups, table.dimensions()),
            rows: table,
            order: partitioning.order.clone(),
            ends: partitioning.ends.clone(),
            ignored: Vec::new(),
        }
    }

    /// The groups of a release of which nothing but the quasi-identifiers is asked.
    pub fn counted(original: &'a Table, groups: &dyn Groups) -> Self {
        let mut end = 0;
        let mut upto = |group: usize| {
            end += groups.rows(group) as u32;
            end
        };
        let ends: Vec<u32> = (0..groups.count()).map(&mut upto).collect();
        let regions = QueryRegions::of(groups, original.dimensions());
        QueriedRelease {
            original,
            regions,
            rows: original,
            order: (0..end).collect(),
            ends,
            ignored: Vec::new(),
        }
    }

    /// A release that was read back, with its quasi-identifiers and the statistics beside them as categories under the
    /// names of the original. Fails where a published text is no value of its column.
    pub fn read(original: &'a Table, rows: &'a Table) -> Result<Self> {
        let found: Vec<CellsOfRows> = (0..original.dimensions())
            .map(|dimension| read_cells(original, rows, dimension))
            .collect::<Result<_>>()?;
        let mut order: Vec<u32> = (0..rows.rows() as u32).collect();
        let tuple = |row: u32| found.iter().map(move |column| column.of_row[row as usize]);
        order.par_sort_by(|&a, &b| tuple(a).cmp(tuple(b)));
        let mut ends: Vec<u32> = Vec::new();
        let mut of_group = vec![Vec::new(); found.len()];
        let mut end = 0;
        for group in order.chunk_by(|&a, &b| tuple(a).eq(tuple(b))) {
            end += group.len() as u32;
            ends.push(end);
            of_group.iter_mut().zip(tuple(group[0])).for_each(|(cells, cell)| cells.push(cell));
        }
        let ignored = found.iter().flat_map(|column| column.ignored.clone()).collect();
        let cells = found.into_iter().map(|column| column.cells).collect();
        Ok(QueriedRelease { original, regions: QueryRegions { cells, of_group }, rows, order, ends, ignored })
    }

    /// The answers to a workload that is bound to the original. For the rows of the release it is bound without what it
    /// asks of quasi-identifiers ([`Workload::about`](super::Workload::about)).
    pub fn answers(&self, to_original: &TableWorkload, to_rows: &TableWorkload) -> Vec<Estimate> {
        let both = to_original.queries.par_iter().zip(&to_rows.queries);
        both.map(|(original, rows)| self.answer(original, rows)).collect()
    }

    /// How many rows of the original the release leaves out.
    pub fn suppressed(&self) -> usize {
        self.original.rows().saturating_sub(self.order.len())
    }

    fn dimension(&self, column: usize) -> Option<usize> {
        self.original.quasi_identifiers().iter().position(|&qi| qi == column)
    }

    fn answer(&self, query: &TableQuery, of_rows: &TableQuery) -> Estimate {
        let covered: Vec<(usize, Vec<Coverage>)> =
            query.admitted.iter().filter_map(|(column, admitted)| self.covered(*column, admitted)).collect();
        let rows_dimension = |column: usize| self.rows.quasi_identifiers().contains(&column);
        let kept: Vec<_> = of_rows
            .admitted
            .iter()
            .filter(|(at, _)| !rows_dimension(*at))
            .map(|(at, admitted)| (column(self.rows, *at), admitted))
            .collect();
        let satisfies = |row: u32| {
            kept.iter().all(|((domain, codes), admitted)| admitted.admits(domain, codes.get(row as usize)))
        };
        let numbers = self.numbers(query, of_rows);
        let mut tally = EstimateSums::new(self.order.len() == self.original.rows());
        let mut start = 0;
        for (group, &end) in self.ends.iter().enumerate() {
            let rows = &self.order[start as usize..end as usize];
            start = end;
            let coverage = covered.iter().fold(Coverage::Everything, |coverage, (dimension, of_cell)| {
                coverage.and(of_cell[self.regions.of_group[*dimension][group] as usize])
            });
            if coverage == Coverage::Nothing {
                continue;
            }
            let selected: Vec<u32> =
                rows.iter().copied().filter(|&row| kept.is_empty() || satisfies(row)).collect();
            if !selected.is_empty() {
                tally.count(selected.len() as u64, coverage);
                let all = selected.len() == rows.len();
                numbers.add(&mut tally, &SelectedRows { group, rows: selected, all, coverage });
            }
        }
        tally.estimate(query.asked, numbers.scale())
    }

    /// How much of each cell of a dimension is admitted; `None` for a column that is published as it is.
    fn covered(&self, column: usize, admitted: &AdmittedValues) -> Option<(usize, Vec<Coverage>)> {
        let dimension = self.dimension(column)?;
        let domain = self.original.domain(dimension);
        let cells = self.regions.cells[dimension].iter();
        Some((dimension, cells.map(|cell| cell.coverage(domain, admitted)).collect()))
    }

    fn numbers(&self, query: &TableQuery, of_rows: &TableQuery) -> NumberSource<'_> {
        let TableAggregate::Of(_, in_original) = query.asked else { return NumberSource::None };
        let Some(dimension) = self.dimension(in_original) else {
            return match of_rows.asked {
                TableAggregate::Of(_, in_rows) => NumberSource::Row(self.rows, in_rows),
                TableAggregate::Count => NumberSource::None,
            };
        };
        let domain = self.original.domain(dimension);
        let asked = query.admitted.iter().find(|(column, _)| *column == in_original).map(|(_, one)| one);
        let every_value = AdmittedValues::every_value(domain);
        let cell = |cell: &QueryCell| CellNumbers::of(cell, domain, asked, &every_value);
        let of_group = &self.regions.of_group[dimension];
        let numbers = self.regions.cells[dimension].iter().map(cell).collect();
        NumberSource::Cell { domain, cells: &self.regions.cells[dimension], of_group, numbers }
    }
}

/// The rows of a group that a query selects by the columns that are published as they are.
struct SelectedRows {
    group: usize,
    rows: Vec<u32>,
    /// Whether these are all rows of the group.
    all: bool,
    /// How much the query selects of the group's region.
    coverage: Coverage,
}

/// The admitted numbers of a cell: their mean and ends in units, and the share of rows that have one.
#[derive(Clone, Copy)]
struct CellNumbers {
    mean: f64,
    first: i128,
    last: i128,
    has: f64,
}

impl CellNumbers {
    /// The numbers of a column are restricted by the predicate on the same column; a row whose value is
    /// missing satisfies no predicate.
    fn of(
        cell: &QueryCell,
        domain: &Domain,
        asked: Option<&AdmittedValues>,
        every_value: &AdmittedValues,
    ) -> Option<Self> {
        let spread = cell.spread(domain)?;
        let portion = asked.unwrap_or(every_value).portion(&spread)?;
        let has = if asked.is_some() { 1.0 } else { 1.0 - spread.stretch.missing };
        Some(CellNumbers { mean: portion.mean, first: portion.first, last: portion.last, has })
    }
}

/// Where the numbers of rows come from.
enum NumberSource<'r> {
    /// Rows are counted.
    None,
    /// From a column of the release that is published as it is.
    Row(&'r Table, usize),
    /// From the cells of a dimension.
    Cell {
        domain: &'r Domain,
        cells: &'r [QueryCell],
        of_group: &'r [u32],
        numbers: Vec<Option<CellNumbers>>,
    },
}

impl NumberSource<'_> {
    /// The digits behind the point of its numbers.
    fn scale(&self) -> u32 {
        match self {
            NumberSource::None => 0,
            NumberSource::Row(table, at) => column(table, *at).0.scale(),
            NumberSource::Cell { domain, .. } => domain.scale(),
        }
    }

    /// Adds the numbers of the selected rows of a group.
    fn add(&self, tally: &mut EstimateSums, selected: &SelectedRows) {
        let (rows, share) = (selected.rows.len() as f64, selected.coverage.share());
        let whole = selected.coverage == Coverage::Everything;
        match self {
            NumberSource::None => {}
            NumberSource::Row(table, at) => {
                let (domain, codes) = column(table, *at);
                for units in selected.rows.iter().filter_map(|&row| number(domain, codes.get(row as usize))) {
                    tally.matched.add(units);
                    match whole {
                        true => tally.spread.add(units),
                        false => {
                            tally.spread.add_mean(units as f64, share);
                            tally.spread.reach(units, units);
                        }
                    }
                }
            }
            NumberSource::Cell { domain, cells, of_group, numbers } => {
                let at = of_group[selected.group] as usize;
                let Some(CellNumbers { mean, first, last, has }) = numbers[at] else { return };
                let cell = &cells[at];
                let sum = cell.sum(domain, selected.rows.len() as u64);
                let sum = sum.filter(|_| whole && (selected.all || first == last));
                for (numbers, share) in [(&mut tally.spread, share), (&mut tally.matched, 1.0)] {
                    match sum {
                        Some(sum) => numbers.add_sum(sum, rows),
                        None => numbers.add_mean(mean, rows * share * has),
                    }
                    numbers.reach(first, last);
                }
                tally.sums_are_known &= sum.is_some();
                tally.ends_are_known &= first == last || (selected.all && cell.has_range(domain));
                // Where values are missing, it is not known whether the selected rows have any.
                tally.ends_are_known &= selected.all || has == 1.0;
            }
        }
    }
}

/// Sums over groups.
struct EstimateSums {
    rows: f64,
    matched_rows: u64,
    partial: u64,
    /// Whether no row of the original is left out.
    complete: bool,
    sums_are_known: bool,
    ends_are_known: bool,
    spread: NumberSums,
    matched: NumberSums,
}

impl EstimateSums {
    fn new(complete: bool) -> Self {
        EstimateSums {
            rows: 0.0,
            matched_rows: 0,
            partial: 0,
            complete,
            sums_are_known: true,
            ends_are_known: true,
            spread: NumberSums::NONE,
            matched: NumberSums::NONE,
        }
    }

    /// Counts rows of which a share is selected.
    fn count(&mut self, rows: u64, coverage: Coverage) {
        self.rows += rows as f64 * coverage.share();
        self.matched_rows += rows;
        self.partial += if coverage == Coverage::Everything { 0 } else { rows };
    }

    fn estimate(&self, asked: TableAggregate, scale: u32) -> Estimate {
        let (spread, matched) = match asked {
            TableAggregate::Count => (Some(self.rows), Some(self.matched_rows as f64)),
            TableAggregate::Of(function, _) => {
                (self.spread.answer(function, scale), self.matched.answer(function, scale))
            }
        };
        let known = match asked {
            TableAggregate::Count => true,
            TableAggregate::Of(Function::Sum | Function::Avg, _) => self.sums_are_known,
            TableAggregate::Of(Function::Min | Function::Max, _) => self.ends_are_known,
        };
        Estimate {
            spread,
            matched,
            partial: self.partial,
            exact: self.complete && self.partial == 0 && known,
        }
    }
}
