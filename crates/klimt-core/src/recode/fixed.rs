//! Values that the published statistics of a group determine: a reader then knows the value of every row.
//!
//! With a least value a, a greatest value b and a mean, two of n values are known, and so is the sum of the others. These
//! lie between a and b on the grid of the column's numbers. There is one way to make the sum of them where none or one is
//! left, where a and b are neighbours on the grid, and where the sum is, to a step of the grid, the least or the greatest
//! that there can be.

use super::release::{Release, Source};
use crate::region::{Cell, Extents};
use std::collections::BTreeMap;

/// How many groups and rows have values that are fixed by statistics, by column.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FixedValues {
    columns: BTreeMap<String, FixedGroups>,
}

/// The groups of which the statistics of a column fix the value of every row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FixedGroups {
    /// How many groups.
    pub groups: u64,
    /// How many rows they have.
    pub rows: u64,
}

/// The values of a group in a dimension, in steps of the column's grid; missing values are none.
#[derive(Clone, Copy, Debug)]
struct GroupValues {
    count: i128,
    least: i128,
    greatest: i128,
    sum: i128,
}

impl FixedValues {
    /// Counts the groups of a release, or of a part of one.
    pub fn add(&mut self, release: &Release<'_>) {
        let publishes = |source: Source| release.columns().iter().any(|column| column.source == source);
        for column in release.columns() {
            let Source::Generalised(dimension) = column.source else { continue };
            let range = publishes(Source::Minimum(dimension));
            let mean = publishes(Source::Mean(dimension));
            if !range && !mean {
                continue;
            }
            let fixed = (0..release.partitioning.groups())
                .filter(|&group| is_fixed(release, group, dimension, range, mean));
            let found = fixed.fold(FixedGroups::default(), |found, group| FixedGroups {
                groups: found.groups + 1,
                rows: found.rows + release.partitioning.rows(group).len() as u64,
            });
            if found.groups > 0 {
                let before = self.columns.entry(column.name.clone()).or_default();
                *before =
                    FixedGroups { groups: before.groups + found.groups, rows: before.rows + found.rows };
            }
        }
    }

    /// The columns with such groups, by name.
    pub fn columns(&self) -> impl Iterator<Item = (&str, FixedGroups)> {
        self.columns.iter().map(|(name, fixed)| (name.as_str(), *fixed))
    }
}

/// Whether statistics fix what a group has in a dimension, beyond what is published of it as a single value.
fn is_fixed(release: &Release<'_>, group: usize, dimension: usize, range: bool, mean: bool) -> bool {
    let Some(values) = values(release, group, dimension) else { return false };
    let rows = release.partitioning.rows(group).len() as i128;
    let domain = release.table.domain(dimension);
    let cell = release.partitioning.regions.cell(group, dimension, domain);
    let is_single = match (cell, domain.hierarchy()) {
        (Cell::Interval { lo, hi }, _) => lo == hi,
        (Cell::Node(node), Some(tree)) => tree.span(node).0 == tree.span(node).1,
        _ => false,
    };
    if is_single {
        return false;
    }
    // Of a group with missing values nobody knows how many rows have a value.
    let counted = values.count == rows;
    let compact = release.extents == Extents::Compact && matches!(cell, Cell::Interval { .. }) && counted;
    let ends = range || compact;
    (ends && values.least == values.greatest)
        || (mean && counted && values.count == 1)
        || (mean && ends && counted && values.follow_from_the_sum())
}

fn values(release: &Release<'_>, group: usize, dimension: usize) -> Option<GroupValues> {
    let (domain, codes) = (release.table.domain(dimension), release.table.codes(dimension));
    let mut found: Option<GroupValues> = None;
    for &row in release.partitioning.rows(group) {
        let code = codes.get(row as usize);
        if Some(code) == domain.missing_code() {
            continue;
        }
        let at = domain.position(code);
        let GroupValues { count, least, greatest, sum } =
            found.unwrap_or(GroupValues { count: 0, least: at, greatest: at, sum: 0 });
        found = Some(GroupValues {
            count: count + 1,
            least: least.min(at),
            greatest: greatest.max(at),
            sum: sum.checked_add(at)?,
        });
    }
    found
}

impl GroupValues {
    /// Whether the ends and the sum leave one way for all values.
    fn follow_from_the_sum(&self) -> bool {
        let (others, range) = (self.count - 2, self.greatest - self.least);
        if others <= 1 || range <= 1 {
            return true;
        }
        let Some(most) = others.checked_mul(range) else { return false };
        let Some(least) = self.least.checked_mul(others) else { return false };
        let above = self.sum - self.least - self.greatest - least;
        above <= 1 || most - above <= 1
    }
}

#[cfg(test)]
mod tests {
    use super::GroupValues;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    /// Every way to have this many values between the ends with both ends among them, by the sum.
    fn ways(count: usize, least: i128, greatest: i128, sum: i128) -> usize {
        fn all(count: usize, from: i128, to: i128) -> Vec<Vec<i128>> {
            match count {
                0 => vec![Vec::new()],
                _ => (from..=to)
                    .flat_map(|first| {
                        all(count - 1, first, to).into_iter().map(move |rest| [vec![first], rest].concat())
                    })
                    .collect(),
            }
        }
        let fits = |values: &Vec<i128>| {
            values.iter().sum::<i128>() == sum && values.contains(&least) && values.contains(&greatest)
        };
        all(count, least, greatest).into_iter().filter(fits).collect::<BTreeSet<_>>().len()
    }

    proptest! {
        #[test]
        fn values_follow_where_there_is_one_way(values in prop::collection::vec(-3i128..4, 2..7)) {
            let (least, greatest) = (*values.iter().min().unwrap(), *values.iter().max().unwrap());
            let sum = values.iter().sum();
            let found = GroupValues { count: values.len() as i128, least, greatest, sum };
            prop_assert_eq!(found.follow_from_the_sum(), ways(values.len(), least, greatest, sum) == 1);
        }
    }
}
