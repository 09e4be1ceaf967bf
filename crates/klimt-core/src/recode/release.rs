//! The release: which columns are published, in which order rows stand, and the text of every cell of a group.

use super::mean::Mean;
use crate::Choice;
use crate::partition::Partitioning;
use crate::region::Extents;
use crate::table::{Domain, Table, ValueType};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use std::ops::Range;

/// A statistic that is published beside the region of an ordered column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StatisticKind {
    /// The least and the greatest value of the group, as `NAME_min` and `NAME_max`.
    Range,
    /// The mean of the group's numbers, as `NAME_mean`.
    Mean,
}

impl Choice for StatisticKind {
    const ALL: &'static [(Self, &'static str, &'static str)] = &[
        (StatisticKind::Range, "range", "The least and the greatest value"),
        (StatisticKind::Mean, "mean", "The mean"),
    ];
}

/// How the name of a column with the least values of groups ends,
pub const MINIMUM: &str = "_min";
/// with the greatest ones,
pub const MAXIMUM: &str = "_max";
/// and with their means.
pub const MEAN: &str = "_mean";

/// Where the values of a published column come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// The group's region in a dimension.
    Generalised(usize),
    /// The least value of the group in a dimension.
    Minimum(usize),
    /// The greatest value of the group in a dimension.
    Maximum(usize),
    /// The mean of the group in a dimension.
    Mean(usize),
    /// A column of the table, as it is.
    Kept(usize),
}

/// A published column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReleaseColumn {
    /// Its name.
    pub name: String,
    /// Where its values come from.
    pub source: Source,
}

/// The order of the published rows. The order of the source may tell who is who, so it is given up by default.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowOrder {
    /// Group by group, the rows of a group shuffled by a secret seed.
    Shuffled([u8; 32]),
    /// As in the source.
    Kept,
}

/// Columns and groups to publish: all of them, or the groups of one part of the table.
#[derive(Debug)]
pub struct Release<'a> {
    /// The original table.
    pub table: &'a Table,
    /// Its groups.
    pub partitioning: &'a Partitioning,
    /// Which intervals are published.
    pub extents: Extents,
    /// In which order the rows stand.
    pub row_order: RowOrder,
    columns: Vec<ReleaseColumn>,
    domains: Vec<&'a Domain>,
    /// How many groups come before the first of these.
    before: u64,
}

/// The published columns: every column but identifiers, in the order of the source, with statistics beside the ordered
/// quasi-identifiers. They are the same for a table, a part of its rows and its frame.
pub fn release_columns(table: &Table, statistics: &[StatisticKind]) -> Vec<ReleaseColumn> {
    let mut columns = Vec::new();
    for (number, column) in table.columns().iter().enumerate() {
        let dimension = table.quasi_identifiers().iter().position(|&other| other == number);
        let mut push = |suffix: &str, source: Source| {
            columns.push(ReleaseColumn { name: format!("{}{suffix}", column.name), source });
        };
        match (column.role, dimension) {
            (role, _) if !role.is_published() => {}
            (_, Some(dimension)) => {
                push("", Source::Generalised(dimension));
                let domain = table.domain(dimension);
                if statistics.contains(&StatisticKind::Range) && domain.is_measured() {
                    push(MINIMUM, Source::Minimum(dimension));
                    push(MAXIMUM, Source::Maximum(dimension));
                }
                if statistics.contains(&StatisticKind::Mean) && has_mean(domain) {
                    push(MEAN, Source::Mean(dimension));
                }
            }
            _ => push("", Source::Kept(number)),
        }
    }
    columns
}

impl<'a> Release<'a> {
    /// A release of the [`release_columns`] of a table.
    pub fn new(
        table: &'a Table,
        partitioning: &'a Partitioning,
        extents: Extents,
        row_order: RowOrder,
        statistics: &[StatisticKind],
    ) -> Self {
        let columns = release_columns(table, statistics);
        let domains = table.domains();
        Release { table, partitioning, extents, row_order, columns, domains, before: 0 }
    }

    /// The release as one part of several, with the number of groups published before it.
    pub fn after(self, groups: u64) -> Self {
        Release { before: groups, ..self }
    }

    /// The published columns.
    pub fn columns(&self) -> &[ReleaseColumn] {
        &self.columns
    }

    /// The number of published rows.
    pub fn rows(&self) -> usize {
        self.partitioning.order.len()
    }

    /// Appends what is published of a group in a column that is the same for all its rows.
    pub fn write_group(&self, group: usize, source: Source, out: &mut Vec<u8>) {
        match source {
            Source::Generalised(dimension) => self.write_cell(group, dimension, out),
            Source::Minimum(dimension) => self.write_end(group, dimension, false, out),
            Source::Maximum(dimension) => self.write_end(group, dimension, true, out),
            Source::Mean(dimension) => self.write_mean(group, dimension, out),
            Source::Kept(_) => unreachable!("a kept column differs from row to row"),
        }
    }

    fn write_cell(&self, group: usize, dimension: usize, out: &mut Vec<u8>) {
        let domain = self.domains[dimension];
        self.partitioning.regions.cell(group, dimension, domain).write(domain, self.extents, out);
    }

    fn write_end(&self, group: usize, dimension: usize, greatest: bool, out: &mut Vec<u8>) {
        let domain = self.domains[dimension];
        let codes = self.table.codes(dimension);
        let known = self.partitioning.rows(group).iter().map(|&row| codes.get(row as usize));
        let known = known.filter(|&code| Some(code) != domain.missing_code());
        let end = if greatest { known.max() } else { known.min() };
        if let Some(code) = end {
            domain.write_text(code, out);
        }
    }

    fn write_mean(&self, group: usize, dimension: usize, out: &mut Vec<u8>) {
        let domain = self.domains[dimension];
        let codes = self.table.codes(dimension);
        let mut mean = Mean::default();
        for &row in self.partitioning.rows(group) {
            let code = codes.get(row as usize);
            if Some(code) != domain.missing_code() {
                mean.add(domain.position(code));
            }
        }
        mean.write(domain.scale(), out);
    }

    /// The rows of some groups as they will stand in the release; the same for any division of labour, as each
    /// group of the whole release has a stream of random numbers of its own.
    pub fn rows_of(&self, groups: Range<usize>, out: &mut Vec<u32>) {
        out.clear();
        for group in groups {
            let start = out.len();
            out.extend_from_slice(self.partitioning.rows(group));
            if let RowOrder::Shuffled(seed) = self.row_order {
                let mut random = ChaCha8Rng::from_seed(seed);
                random.set_stream(self.before + group as u64);
                shuffle(&mut out[start..], &mut random);
            }
        }
    }

    /// All published rows in the order of the release.
    pub fn rows_in_order(&self) -> Vec<u32> {
        let mut rows = Vec::new();
        match self.row_order {
            RowOrder::Kept => {
                let groups = self.group_by_row();
                rows.extend((0u32..).zip(&groups).filter(|(_, group)| group.is_some()).map(|(row, _)| row));
            }
            RowOrder::Shuffled(_) => self.rows_of(0..self.partitioning.groups(), &mut rows),
        }
        rows
    }

    /// The group of every row of the source, `None` for suppressed rows.
    pub fn group_by_row(&self) -> Vec<Option<u32>> {
        let mut groups = vec![None; self.table.rows()];
        for group in 0..self.partitioning.groups() {
            for &row in self.partitioning.rows(group) {
                groups[row as usize] = Some(group as u32);
            }
        }
        groups
    }
}

fn has_mean(domain: &Domain) -> bool {
    domain.is_measured() && matches!(domain.value_type(), ValueType::Integer | ValueType::Decimal)
}

/// Fisher and Yates: every order is equally likely.
fn shuffle(rows: &mut [u32], random: &mut ChaCha8Rng) {
    for last in (1..rows.len()).rev() {
        let bound = last as u64 + 1;
        // Numbers above the last whole multiple of the bound would favour some orders.
        let fair = u64::from(u32::MAX) + 1 - (u64::from(u32::MAX) + 1) % bound;
        let draw = loop {
            let draw = u64::from(random.next_u32());
            if draw < fair {
                break draw;
            }
        };
        rows.swap(last, (draw % bound) as usize);
    }
}
