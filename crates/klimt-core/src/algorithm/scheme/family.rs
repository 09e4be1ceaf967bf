//! The generalizations that a scheme allows for one column.
//!
//! The values of a column (or, from a higher level on, groups of them) are its *atoms*, in the order of the guide. A
//! family is a tree over the atoms: what may be merged are children of one node, and a child that is merged with another
//! is merged as a whole. An unguided scheme is the flat tree with all atoms under the root, so that OPS is GOPS and SPS is
//! GSPS with a hierarchy that says nothing.

use super::grow::grow;
use super::missing::{self, MissingRule};
use super::seed::coarsest;
use super::{ColumnScheme, Scheme};
use crate::Choice;
use crate::hierarchy::{Hierarchy, NodeId};
use crate::job::Job;
use crate::table::{Domain, Shape};
use crate::words::option;
use crate::{Error, ErrorKind, Result};
use std::ops::Range;

/// How the children of a node may be merged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    /// All nodes of one level (BHS).
    Levels,
    /// All children of a node, or none (GHS).
    Cuts,
    /// Neighbours (OPS, GOPS).
    Segments,
    /// Any (SPS, GSPS).
    Subsets,
}

/// A node of a family: an atom, or something whose children may be merged.
#[derive(Clone, Debug)]
pub(super) struct FamilyNode {
    pub children: Vec<usize>,
    pub atoms: Range<u32>,
    /// Whether its children may be merged at all.
    pub mergeable: bool,
}

/// The generalizations that a scheme allows for one column.
#[derive(Clone, Debug)]
pub struct ColumnFamily {
    pub(super) mode: Mode,
    /// Children come before their parents, the root last.
    pub(super) nodes: Vec<FamilyNode>,
    /// The generalizations of [`Mode::Levels`], from fine to coarse.
    pub(super) levels: Vec<Generalization>,
    /// The codes of each atom, ascending.
    pub(super) codes: Vec<Vec<u32>>,
    /// The node of the guide that each atom is; none where there is no guide, and for the missing value.
    pub(super) tops: Vec<Option<NodeId>>,
}

/// A grouping of atoms: the first atom of the group of every atom.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Generalization(pub Vec<u32>);

impl Generalization {
    /// Every atom by itself.
    pub fn finest(atoms: usize) -> Self {
        Generalization((0..atoms as u32).collect())
    }

    /// The groups, each with its atoms ascending, in the order of their first atoms.
    pub fn groups(&self) -> Vec<Vec<u32>> {
        let mut groups: Vec<Vec<u32>> = vec![Vec::new(); self.0.len()];
        for (atom, &first) in (0..).zip(&self.0) {
            groups[first as usize].push(atom);
        }
        groups.retain(|group| !group.is_empty());
        groups
    }
}

/// The families of all quasi-identifiers; all problems at once.
pub(super) fn families(
    columns: &[ColumnScheme],
    job: &Job<'_>,
    missing: MissingRule,
) -> Result<Vec<ColumnFamily>> {
    let table = job.table;
    if columns.len() != table.dimensions() {
        return Err(Error::internal("every quasi-identifier needs a scheme"));
    }
    let (mut families, mut problems) = (Vec::new(), Vec::new());
    for (dimension, column) in columns.iter().enumerate() {
        let mut rows = vec![0; table.domain(dimension).cardinality()];
        let codes = table.codes(dimension);
        (0..table.rows()).for_each(|row| rows[codes.get(row) as usize] += 1);
        let missing = match missing {
            MissingRule::FewWithRarest if missing::are_few(job, dimension) => MissingRule::WithRarest,
            MissingRule::FewWithRarest => MissingRule::Apart,
            other => other,
        };
        match ColumnFamily::of_domain(column, table.domain(dimension), &rows, missing) {
            Ok(family) => families.push(family),
            Err(problem) => {
                problems.push(format!("column {}: {}", table.dimension(dimension).name, problem.message()));
            }
        }
    }
    Error::all(ErrorKind::Input, problems).map_or(Ok(families), Err)
}

impl ColumnFamily {
    /// The family over all leaves of a hierarchy.
    pub fn of_hierarchy(scheme: Scheme, tree: &Hierarchy, levels: (u32, u32)) -> Result<Self> {
        let leaves = (0..tree.leaf_count()).map(|leaf| vec![leaf]).collect();
        grow(scheme, Some(tree), leaves, None, levels)
    }

    /// The family of an unguided scheme over this many values.
    pub fn flat(scheme: Scheme, values: usize) -> Result<Self> {
        grow(scheme, None, (0..values as u32).map(|code| vec![code]).collect(), None, (0, u32::MAX))
    }

    /// The family of a column whose codes have this many rows each.
    fn of_domain(column: &ColumnScheme, domain: &Domain, rows: &[u32], treated: MissingRule) -> Result<Self> {
        let ordered = matches!(domain.shape(), Shape::Ordered);
        let scheme = if ordered { column.scheme.for_ordered() } else { column.scheme };
        let guide = column.guide.as_deref().or(domain.hierarchy());
        if scheme.is_guided() && guide.is_none() {
            return Err(Error::input(format!(
                "the scheme {} needs a hierarchy; give one with {}, or take ops, sps",
                scheme.name(),
                option("hierarchy")
            )));
        }
        if scheme == Scheme::Ops && guide.is_none() && !ordered && domain.value_count() > 1 {
            return Err(Error::input(format!(
                "the scheme ops needs an order; give one with {} or {}, or take sps",
                option("order"),
                option("hierarchy")
            )));
        }
        if domain.hierarchy().is_some() && !matches!(scheme, Scheme::Bhs | Scheme::Ghs) {
            return Err(Error::internal(
                "groupings of a hierarchy's leaves are published as sets or intervals",
            ));
        }
        let missing = domain.missing_code().filter(|&code| rows[code as usize] > 0);
        let values = (0..domain.value_count() as u32).filter(|&code| rows[code as usize] > 0);
        let mut leaves: Vec<Vec<u32>> = match guide {
            None => values.map(|code| vec![code]).collect(),
            Some(tree) => by_leaf(tree, domain, values)?,
        };
        let rows_of = |leaf: &Vec<u32>| leaf.iter().map(|&code| u64::from(rows[code as usize])).sum::<u64>();
        let joins = treated == MissingRule::WithRarest && !matches!(domain.shape(), Shape::Set);
        if let Some(code) = missing.filter(|_| joins)
            && let Some(rarest) =
                leaves.iter_mut().rev().filter(|leaf| !leaf.is_empty()).min_by_key(|leaf| rows_of(leaf))
        {
            rarest.push(code);
            return grow(scheme, guide, leaves, None, column.levels);
        }
        grow(scheme, guide, leaves, missing, column.levels)
    }

    /// The family of the coarsest generalization and no other, where that puts everything together.
    pub(super) fn coarsest_alone(&self, domain: &Domain) -> Option<ColumnFamily> {
        if coarsest(self).0.iter().any(|&first| first > 0) {
            return None;
        }
        let mut codes = self.codes.concat();
        codes.sort_unstable();
        let top = domain.hierarchy().and_then(|tree| {
            let spans = self.tops.iter().flatten().map(|&top| tree.span(top));
            let (lo, hi) = spans.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)))?;
            Some(tree.lowest_common_ancestor(lo, hi))
        });
        let levels = match self.mode {
            Mode::Levels => vec![Generalization::finest(1)],
            _ => Vec::new(),
        };
        let root = FamilyNode { children: Vec::new(), atoms: 0..1, mergeable: false };
        Some(ColumnFamily { mode: self.mode, nodes: vec![root], levels, codes: vec![codes], tops: vec![top] })
    }

    /// How many atoms there are.
    pub fn atoms(&self) -> usize {
        self.codes.len()
    }

    /// The first and the last code of what is published of a block of a domain with an order or a hierarchy: from a higher
    /// level on, a node is published as it is, whatever occurs under it. A missing value that goes with another is not
    /// seen.
    pub(super) fn span(&self, domain: &Domain, atoms: &[u32]) -> (u32, u32) {
        let missing = domain.missing_code();
        let of = |&atom: &u32| {
            let codes = &self.codes[atom as usize];
            codes.iter().copied().filter(|&code| codes.len() == 1 || Some(code) != missing)
        };
        let codes = || atoms.iter().flat_map(of);
        let (lo, hi) = (codes().min().unwrap_or(0), codes().max().unwrap_or(0));
        match domain.shape() {
            Shape::Hierarchy(_) if lo == hi && missing == Some(hi) => (lo, hi),
            Shape::Hierarchy(_) if missing == Some(hi) => (0, hi),
            Shape::Hierarchy(tree) => {
                let tops =
                    || atoms.iter().filter_map(|&atom| self.tops[atom as usize]).map(|top| tree.span(top));
                let (lo, hi) = tops().fold((lo, hi), |(lo, hi), (first, last)| (lo.min(first), hi.max(last)));
                tree.span(tree.lowest_common_ancestor(lo, hi))
            }
            _ => (lo, hi),
        }
    }

    /// The number of the root.
    pub(super) fn root(&self) -> usize {
        self.nodes.len() - 1
    }
}

/// The codes that occur, by leaf of a hierarchy.
fn by_leaf(tree: &Hierarchy, domain: &Domain, values: impl Iterator<Item = u32>) -> Result<Vec<Vec<u32>>> {
    let mut leaves = vec![Vec::new(); tree.leaf_count() as usize];
    let mut unknown = 0;
    for code in values {
        let leaf = if domain.hierarchy().is_some() { Some(code) } else { tree.leaf_code(&domain.text(code)) };
        match leaf {
            Some(leaf) => leaves[leaf as usize].push(code),
            None => unknown += 1,
        }
    }
    match unknown {
        0 => Ok(leaves),
        _ => Err(Error::input(format!("{unknown} of its values are not in its hierarchy"))),
    }
}
