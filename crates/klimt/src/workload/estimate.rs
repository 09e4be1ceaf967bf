//! What a release answers.
//!
//! *Spread*: the rows of a group are taken to lie evenly in its region, in each dimension by itself, so that a query finds
//! the product of the shares that its predicates admit. *Matched* (Iwuchukwu, Naughton, section 5.4): every row whose region
//! meets the query is counted whole.

use super::admitted::Stretch;
use super::exact::{Numbers, column, in_units, number};
use super::{Admitted, Asked, BoundQuery, BoundWorkload};
use crate::loss::{Groups, PartitionGroups};
use crate::region::{Published, Reach};
use crate::statistics::Extent;
use crate::table::{Shape, Table};
use crate::{Error, Result};
use hashbrown::HashMap;
use rayon::prelude::*;

/// The regions of groups: each different cell of a dimension once.
#[derive(Clone, Debug)]
pub struct Regions {
    /// By dimension.
    pub cells: Vec<Vec<Reach>>,
    /// Which cell each group has, by dimension.
    pub of_group: Vec<Vec<u32>>,
}

impl Regions {
    /// The regions of the groups of a release of a table.
    pub fn of(groups: &dyn Groups, dimensions: usize) -> Self {
        let (mut cells, mut of_group) = (Vec::new(), Vec::new());
        for dimension in 0..dimensions {
            let mut known: HashMap<(Key, Key), u32> = HashMap::new();
            let mut of_dimension: Vec<Reach> = Vec::new();
            let numbers = (0..groups.count()).map(|group| {
                let reach = Reach {
                    ends: groups.extent(group, dimension),
                    covered: groups.covered(group, dimension),
                };
                *known.entry((key(&reach.ends), key(&reach.covered))).or_insert_with(|| {
                    of_dimension.push(reach);
                    of_dimension.len() as u32 - 1
                })
            });
            of_group.push(numbers.collect());
            cells.push(of_dimension);
        }
        Regions { cells, of_group }
    }
}

type Key = std::result::Result<(u32, u32), Vec<u64>>;

fn key(extent: &Extent) -> Key {
    match extent {
        Extent::Interval { lo, hi } => Ok((*lo, *hi)),
        Extent::Members(bits) => Err(bits.clone()),
    }
}

/// A release as queries see it.
#[derive(Debug)]
pub struct Released<'a> {
    /// The original, or a table with its columns: its domains tell what regions cover.
    pub original: &'a Table,
    /// The regions of the groups.
    pub regions: Regions,
    /// The rows of the release, of which columns that are published as they are matter.
    pub rows: &'a Table,
    /// The rows of each group, one group after the other.
    pub order: Vec<u32>,
    /// Where each group ends in that order.
    pub ends: Vec<u32>,
}

/// What a release answers to a query.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// With rows spread evenly over their regions; `None` where no row has a number.
    pub spread: Option<f64>,
    /// With every group counted that the query meets.
    pub matched: Option<f64>,
    /// The rows in groups of which the query holds a part only. Where there are none, the predicate matches the regions
    /// (LeFevre, DeWitt, Ramakrishnan, section 5.1), and counts are exact.
    pub partial: u64,
}

impl<'a> Released<'a> {
    /// The groups of a partitioning of a table, as they would be published.
    pub fn of(groups: &PartitionGroups<'a>) -> Self {
        let PartitionGroups { table, partitioning, .. } = *groups;
        Released {
            original: table,
            regions: Regions::of(groups, table.dimensions()),
            rows: table,
            order: partitioning.order.clone(),
            ends: partitioning.ends.clone(),
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
        let regions = Regions::of(groups, original.dimensions());
        Released { original, regions, rows: original, order: (0..end).collect(), ends }
    }

    /// A release that was read back, with its quasi-identifiers as categories under the names of the original. Fails where
    /// a published text is no value of its column.
    pub fn read(original: &'a Table, rows: &'a Table) -> Result<Self> {
        let (mut cells, mut columns) = (Vec::new(), Vec::new());
        for dimension in 0..original.dimensions() {
            let name = &original.dimension(dimension).name;
            let of_rows = (0..rows.dimensions()).find(|&d| rows.dimension(d).name == *name);
            let of_rows =
                of_rows.ok_or_else(|| Error::input(format!("the release does not publish column {name}")))?;
            let reader = Published::new(original.domain(dimension));
            let published = rows.domain(of_rows);
            let reach = |code: u32| {
                reader.reach(&published.text(code)).ok_or_else(|| {
                    Error::input(format!("column {name}: a published value is no value of the original"))
                        .with_help("give the hierarchy or order that the release was made with")
                })
            };
            cells.push((0..published.cardinality() as u32).map(reach).collect::<Result<Vec<_>>>()?);
            columns.push(rows.codes(of_rows));
        }
        let mut order: Vec<u32> = (0..rows.rows() as u32).collect();
        let tuple = |row: u32| columns.iter().map(move |codes| codes.get(row as usize));
        order.par_sort_by(|&a, &b| tuple(a).cmp(tuple(b)));
        let mut ends: Vec<u32> = Vec::new();
        let mut of_group = vec![Vec::new(); columns.len()];
        let mut end = 0;
        for group in order.chunk_by(|&a, &b| tuple(a).eq(tuple(b))) {
            end += group.len() as u32;
            ends.push(end);
            of_group.iter_mut().zip(tuple(group[0])).for_each(|(cells, code)| cells.push(code));
        }
        Ok(Released { original, regions: Regions { cells, of_group }, rows, order, ends })
    }

    /// The answers to a workload that is bound to the original. For the rows of the release it is bound without what it asks
    /// of quasi-identifiers ([`Workload::about`](super::Workload::about)).
    pub fn answers(&self, to_original: &BoundWorkload, to_rows: &BoundWorkload) -> Vec<Estimate> {
        let both = to_original.queries.par_iter().zip(&to_rows.queries);
        both.map(|(original, rows)| self.answer(original, rows)).collect()
    }

    fn dimension(&self, column: usize) -> Option<usize> {
        self.original.quasi_identifiers().iter().position(|&qi| qi == column)
    }

    fn answer(&self, query: &BoundQuery, of_rows: &BoundQuery) -> Estimate {
        let shares: Vec<(usize, Vec<f64>)> =
            query.admitted.iter().filter_map(|(column, admitted)| self.shares(*column, admitted)).collect();
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
        let mut tally = Tally::default();
        let numbers = self.numbers(query, of_rows);
        let mut start = 0;
        for (group, &end) in self.ends.iter().enumerate() {
            let rows = &self.order[start as usize..end as usize];
            start = end;
            let share = shares.iter().fold(1.0, |share, (dimension, of_cell)| {
                share * of_cell[self.regions.of_group[*dimension][group] as usize]
            });
            if share <= 0.0 {
                continue;
            }
            let selected = rows.iter().copied().filter(|&row| kept.is_empty() || satisfies(row));
            tally.add(selected, share, |row, add| numbers.of(self, group, row, add));
        }
        tally.estimate(query.asked)
    }

    /// The share of each cell of a dimension that is admitted; `None` for a column that is published as it is.
    fn shares(&self, column: usize, admitted: &Admitted) -> Option<(usize, Vec<f64>)> {
        let dimension = self.dimension(column)?;
        let domain = self.original.domain(dimension);
        let share = |cell: &Reach| admitted.share(domain, &cell.covered, &cell.ends);
        Some((dimension, self.regions.cells[dimension].iter().map(share).collect()))
    }

    fn numbers<'q>(&'q self, query: &'q BoundQuery, of_rows: &BoundQuery) -> NumberSource {
        let Asked::Of(_, in_original) = query.asked else { return NumberSource::None };
        let Some(dimension) = self.dimension(in_original) else {
            return match of_rows.asked {
                Asked::Of(_, in_rows) => NumberSource::Row(in_rows),
                Asked::Count => NumberSource::None,
            };
        };
        let domain = self.original.domain(dimension);
        let admitted = query.admitted.iter().find(|(column, _)| *column == in_original).map(|(_, one)| one);
        let everything = Admitted::axis(domain, vec![(i128::MIN / 4, i128::MAX / 4)], false);
        let spread = |cell: &Reach| {
            let region = Stretch::of(domain, &cell.covered, &cell.ends)?;
            let (mean, first, last) = admitted.unwrap_or(&everything).spread(&region)?;
            let number = |units: f64| in_units(domain, units);
            Some((number(mean), number(first as f64), number(last as f64), 1.0 - region.missing))
        };
        debug_assert!(matches!(domain.shape(), Shape::Ordered));
        NumberSource::Cell(dimension, self.regions.cells[dimension].iter().map(spread).collect())
    }
}

/// The average, the least and the greatest number of a cell, and the share of rows that have one.
type Spread = Option<(f64, f64, f64, f64)>;

/// Where the numbers of rows come from.
enum NumberSource {
    /// Rows are counted.
    None,
    /// From a column that is published as it is.
    Row(usize),
    /// From the cells of a dimension.
    Cell(usize, Vec<Spread>),
}

impl NumberSource {
    /// Hands on the number of a row: average, least, greatest, and how much of the row has one.
    fn of(&self, released: &Released<'_>, group: usize, row: u32, mut add: impl FnMut(f64, f64, f64, f64)) {
        match self {
            NumberSource::None => {}
            NumberSource::Row(at) => {
                let (domain, codes) = column(released.rows, *at);
                if let Some(number) = number(domain, codes.get(row as usize)) {
                    add(number, number, number, 1.0);
                }
            }
            NumberSource::Cell(dimension, of_cell) => {
                let cell = released.regions.of_group[*dimension][group] as usize;
                if let Some((mean, least, most, share)) = of_cell[cell] {
                    add(mean, least, most, share);
                }
            }
        }
    }
}

/// What groups add up to.
struct Tally {
    rows: f64,
    matched_rows: u64,
    partial: u64,
    spread: Numbers,
    matched: Numbers,
}

impl Default for Tally {
    fn default() -> Self {
        Tally { rows: 0.0, matched_rows: 0, partial: 0, spread: Numbers::NONE, matched: Numbers::NONE }
    }
}

impl Tally {
    /// Takes in the rows of a group of which a share is selected.
    fn add(
        &mut self,
        rows: impl Iterator<Item = u32>,
        share: f64,
        numbers: impl Fn(u32, &mut dyn FnMut(f64, f64, f64, f64)),
    ) {
        for row in rows {
            self.rows += share;
            self.matched_rows += 1;
            self.partial += u64::from(share < 1.0);
            numbers(row, &mut |mean, least, most, has| {
                self.spread.add(mean, share * has);
                self.matched.add(mean, has);
                for numbers in [&mut self.spread, &mut self.matched] {
                    numbers.least = numbers.least.min(least);
                    numbers.most = numbers.most.max(most);
                }
            });
        }
    }

    fn estimate(&self, asked: Asked) -> Estimate {
        let (spread, matched) = match asked {
            Asked::Count => (Some(self.rows), Some(self.matched_rows as f64)),
            Asked::Of(function, _) => (self.spread.answer(function), self.matched.answer(function)),
        };
        Estimate { spread, matched, partial: self.partial }
    }
}
