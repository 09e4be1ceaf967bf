//! The split set (Definition 1): where the space may be cut at all.

use crate::hierarchy::{Hierarchy, NodeId};
use crate::table::{Domain, Shape, Table};
use crate::{Error, Result};
use serde::{Deserialize, Serialize};

/// How the split set is chosen.
///
/// An ordered dimension is cut between two codes, a hierarchy from a node to all its children, and a set into one value
/// and the others. A missing value of an ordered dimension or a hierarchy is always cut off as one more part, which is not
/// counted among those of the setting.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Splits {
    /// Every boundary of every domain.
    #[default]
    Every,
    /// Parts of equal width, at most this many in each ordered dimension. A hierarchy is specialised from the top while
    /// it has no more parts than that, and a set gives its commonest values a part of their own.
    EqualWidth(usize),
    /// Parts of equal numbers of rows, at most this many in each ordered dimension; hierarchies and sets as above.
    EqualCount(usize),
    /// For each dimension, the codes after which it may be cut: a hierarchy node is specialised where every boundary
    /// between its children is named, and a set is cut into a named value and the others.
    Given(Vec<Vec<u32>>),
}

impl Splits {
    /// At most this many splits in each dimension, between parts of equal numbers of rows; beside the one that cuts off a
    /// missing value.
    pub fn at_most(splits: usize) -> Self {
        Splits::EqualCount(splits.saturating_add(1))
    }

    /// For each dimension of a table, the boundaries as in [`Splits::Given`], ascending.
    pub fn codes(&self, table: &Table) -> Result<Vec<Vec<u32>>> {
        if let Splits::Given(given) = self {
            return checked(given, table);
        }
        if matches!(self, Splits::EqualWidth(0) | Splits::EqualCount(0)) {
            return Err(
                Error::input("a dimension cannot be cut into 0 parts").with_help("give 1 part or more")
            );
        }
        Ok((0..table.dimensions()).map(|dimension| self.of(table, dimension)).collect())
    }

    fn of(&self, table: &Table, dimension: usize) -> Vec<u32> {
        let domain = table.domain(dimension);
        let boundaries = (domain.cardinality() as u32).saturating_sub(1);
        let (Splits::EqualWidth(parts) | Splits::EqualCount(parts)) = *self else {
            return match domain.shape() {
                Shape::Set => (0..=boundaries).collect(),
                _ => (0..boundaries).collect(),
            };
        };
        match domain.shape() {
            Shape::Set => commonest(&frequencies(table, dimension), parts - 1),
            Shape::Hierarchy(tree) => from_the_top(domain, tree, parts),
            Shape::Ordered => {
                let missing = domain.missing_code().is_some_and(|_| domain.value_count() > 0);
                let mut cuts = match self {
                    Splits::EqualWidth(_) => equal_width(domain, parts),
                    _ => equal_count(&frequencies(table, dimension)[..domain.value_count()], parts),
                };
                cuts.extend(missing.then(|| boundaries - 1));
                cuts
            }
        }
    }
}

fn checked(given: &[Vec<u32>], table: &Table) -> Result<Vec<Vec<u32>>> {
    if given.len() != table.dimensions() {
        return Err(Error::input(format!(
            "the split set is for {} dimensions, and the table has {} quasi-identifiers",
            given.len(),
            table.dimensions()
        )));
    }
    let mut problems = Vec::new();
    let mut lists = Vec::with_capacity(given.len());
    for (dimension, codes) in given.iter().enumerate() {
        let domain = table.domain(dimension);
        let last = (domain.cardinality() as u32).saturating_sub(1);
        let end = if matches!(domain.shape(), Shape::Set) { last + 1 } else { last };
        if codes.iter().any(|&code| code >= end) {
            let name = &table.dimension(dimension).name;
            problems.push(format!("a split of column {name} lies outside of its {} values", last + 1));
        }
        let mut codes = codes.clone();
        codes.sort_unstable();
        codes.dedup();
        lists.push(codes);
    }
    Error::all(crate::ErrorKind::Input, problems).map_or(Ok(lists), Err)
}

/// How many rows have each code.
fn frequencies(table: &Table, dimension: usize) -> Vec<u64> {
    let mut rows = vec![0; table.domain(dimension).cardinality()];
    let codes = table.codes(dimension);
    (0..table.rows()).for_each(|row| rows[codes.get(row) as usize] += 1);
    rows
}

/// The codes of most rows; of equally common ones the first.
fn commonest(rows: &[u64], values: usize) -> Vec<u32> {
    let mut codes: Vec<u32> = (0..rows.len() as u32).collect();
    codes.sort_by_key(|&code| (std::cmp::Reverse(rows[code as usize]), code));
    codes.truncate(values);
    codes.sort_unstable();
    codes
}

/// Cuts between neighbours that lie in different ones of `parts` equal shares of the range.
fn equal_width(domain: &Domain, parts: usize) -> Vec<u32> {
    let count = domain.value_count() as u32;
    if count < 2 {
        return Vec::new();
    }
    let range = (domain.position(count - 1) - domain.position(0)) as f64;
    let part = |code: u32| {
        let share = (domain.position(code) - domain.position(0)) as f64 / range;
        ((share * parts as f64) as usize).min(parts - 1)
    };
    (0..count - 1).filter(|&code| part(code) != part(code + 1)).collect()
}

/// Cuts after the codes at which each of `parts` equal shares of the rows is reached.
fn equal_count(rows: &[u64], parts: usize) -> Vec<u32> {
    let all: u128 = rows.iter().map(|&rows| u128::from(rows)).sum();
    let (mut seen, mut reached, mut cuts) = (0u128, 0u128, Vec::new());
    for (code, &here) in rows.iter().enumerate().take(rows.len().saturating_sub(1)) {
        seen += u128::from(here);
        let shares = seen * parts as u128 / all.max(1);
        if shares > reached {
            reached = shares;
            cuts.push(code as u32);
        }
    }
    cuts
}

/// The boundaries between the children of the topmost nodes, level by level, as long as there are at most `parts` parts.
fn from_the_top(domain: &Domain, tree: &Hierarchy, parts: usize) -> Vec<u32> {
    let mut cuts: Vec<u32> = domain.missing_code().map(|missing| missing - 1).into_iter().collect();
    let beside = cuts.len();
    let mut level = vec![tree.root()];
    while !level.is_empty() {
        let mut below: Vec<NodeId> = Vec::new();
        for node in level {
            let children = tree.children(node);
            if children.is_empty() || cuts.len() - beside + children.len() > parts {
                continue;
            }
            cuts.extend(children[..children.len() - 1].iter().map(|&child| tree.span(child).1));
            below.extend(children);
        }
        level = below;
    }
    cuts.sort_unstable();
    cuts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_shared_out_evenly() {
        assert_eq!(equal_count(&[1; 8], 4), [1, 3, 5]);
        assert_eq!(equal_count(&[5, 1, 1, 1], 2), [0]);
        assert_eq!(equal_count(&[5, 1, 1, 1], 4), [0, 1], "two shares end inside of the first code");
        assert_eq!(equal_count(&[3, 3], 1), [] as [u32; 0]);
    }

    #[test]
    fn the_commonest_values_are_cut_off() {
        assert_eq!(commonest(&[2, 9, 9, 4], 2), [1, 2]);
        assert_eq!(commonest(&[2, 9], 5), [0, 1]);
    }
}
