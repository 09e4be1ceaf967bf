//! The optimistic growth of a tree on a sample (section 3, phase 1).

use super::room::RothkoMemory;
use super::tree::GrownTree;
use crate::Result;
use crate::algorithm::mondrian::{InheritedCuts, Mondrian, PartStart};
use crate::job::{Job, Observer, Suppression};
use crate::loss::SuppressedRows;
use crate::partition::{CutNode, CutTree};
use crate::parts::External;
use crate::requirement::{Checks, Trust};
use crate::spill::Block;
use crate::table::{Shape, Table};

/// Passes on the wish to stop, and nothing else: rows of a sample are no progress.
struct QuietObserver<'a>(&'a dyn Observer);

impl Observer for QuietObserver<'_> {
    fn advance(&self, _: u64) {}

    fn cancelled(&self) -> bool {
        self.0.cancelled()
    }
}

/// The most sides that a cut can have.
fn most_sides(frame: &Table) -> usize {
    let sides = |dimension: usize| match frame.domain(dimension).shape() {
        Shape::Hierarchy(tree) => tree.nodes().map(|node| tree.children(node).len()).max().unwrap_or(2) + 1,
        _ => 2,
    };
    (0..frame.dimensions()).map(sides).max().unwrap_or(2).max(2)
}

/// A part of which a sample is in memory.
pub(super) struct SampledPart {
    pub sample: Block,
    /// The rows of the part.
    pub rows: u64,
    /// Settings inherited from the cuts above the part.
    pub above: InheritedCuts,
}

/// Grows the tree of a part as far as a sample of its rows allows with confidence, and no further than
/// leaves that are small. The requirements are bound to the whole.
pub(super) fn grow(
    job: &External<'_>,
    mondrian: Mondrian,
    requirements: &Checks,
    part: SampledPart,
    alpha: f64,
    room: &RothkoMemory,
) -> Result<GrownTree> {
    let SampledPart { sample, rows, above } = part;
    let sampled = sample.rows() as u64;
    let table = sample.into_table(job.frame)?;
    let trust = Trust::new(rows, sampled, alpha, most_sides(job.frame));
    let enough = (room.leaf_rows(rows) as f64 * sampled as f64 / rows as f64).ceil() as u64;
    let checks = requirements.sampled(trust, enough);
    let split = job.split.bind(&job.original(&table))?;
    let (partitioning, by_median) = mondrian.partition_from(
        &Job {
            table: &table,
            requirements: &checks,
            split: &split,
            loss: &SuppressedRows,
            suppression: Suppression::NONE,
            budget: job.budget(),
            weights: job.weights,
            keep_tree: true,
            observer: &QuietObserver(job.observer),
        },
        &[PartStart { end: table.rows() as u32, above }],
    )?;
    let tree = partitioning.tree.unwrap_or_default();
    let by_median = of_leaves(&tree, &by_median);
    Ok(with_fewer_leaves(GrownTree { tree, by_median, passes: 0 }, room.leaves()))
}

/// Maps flags of groups to leaves; leaves without rows are no groups.
fn of_leaves(tree: &CutTree, groups: &[bool]) -> Vec<bool> {
    let mut groups = groups.iter().copied();
    let leaf = |node: &CutNode| match node {
        CutNode::Leaf { rows: 0 } => Some(false),
        CutNode::Leaf { .. } => Some(groups.next().unwrap_or(false)),
        _ => None,
    };
    tree.nodes.iter().filter_map(leaf).collect()
}

/// Undoes cuts of parts with few rows until no more leaves are left than rows can be divided among.
fn with_fewer_leaves(grown: GrownTree, most: usize) -> GrownTree {
    let (mut few, mut fewer) = (1, grown);
    while fewer.by_median.len() > most {
        few *= 2;
        let mut merged = GrownTree { tree: CutTree::default(), by_median: Vec::new(), passes: 0 };
        merge(&fewer.tree, 0, few, &mut fewer.by_median.iter(), &mut merged);
        fewer = merged;
    }
    fewer
}

/// Copies a subtree in which cuts of at most this many rows are undone; returns its rows. What was cut by the median alone
/// is so again.
fn merge(
    tree: &CutTree,
    at: usize,
    few: u32,
    by_median: &mut std::slice::Iter<'_, bool>,
    into: &mut GrownTree,
) -> u32 {
    let (node, members, leaf) = (into.tree.nodes.len(), into.tree.members.len(), into.by_median.len());
    into.tree.push_copy(tree, at);
    if let CutNode::Leaf { rows } = tree.nodes[at] {
        into.by_median.extend(by_median.next());
        return rows;
    }
    let left = merge(tree, at + 1, few, by_median, into);
    into.tree.close_left(node);
    let rows = left + merge(tree, at + tree.right(at), few, by_median, into);
    if rows <= few {
        into.tree.nodes.truncate(node);
        into.tree.members.truncate(members);
        into.tree.nodes.push(CutNode::Leaf { rows });
        let all = into.by_median.drain(leaf..).all(|by_median| by_median);
        into.by_median.push(all);
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cuts_of_the_smallest_parts_are_undone() {
        // Every cut leaves one row on its left.
        let mut tree = CutTree::default();
        for code in 0..40 {
            let cut = tree.push_threshold(0, code, false);
            tree.nodes.push(CutNode::Leaf { rows: 1 });
            tree.close_left(cut);
        }
        tree.nodes.push(CutNode::Leaf { rows: 1 });
        let rows = |tree: &CutTree| -> Vec<u32> {
            let leaf = |node: &CutNode| if let CutNode::Leaf { rows } = node { Some(*rows) } else { None };
            tree.nodes.iter().filter_map(leaf).collect()
        };
        let grown =
            || GrownTree { tree: tree.clone(), by_median: (0..41).map(|at| at > 8).collect(), passes: 0 };
        assert_eq!(rows(&with_fewer_leaves(grown(), 41).tree).len(), 41);
        let fewer = with_fewer_leaves(grown(), 12);
        assert_eq!(rows(&fewer.tree), [vec![1; 9], vec![32]].concat());
        assert_eq!(fewer.by_median, [vec![false; 9], vec![true]].concat());
    }
}
