//! The optimistic growth of a tree on a sample (section 3, phase 1).

use super::External;
use super::room::Room;
use crate::Result;
use crate::algorithm::mondrian::Mondrian;
use crate::loss::SuppressedRows;
use crate::partition::{CutNode, CutTree, Job, Observer, Suppression};
use crate::requirement::{Bound, Trust};
use crate::spill::Block;
use crate::table::{Shape, Table};

/// Passes on the wish to stop, and nothing else: rows of a sample are no progress.
struct Quiet<'a>(&'a dyn Observer);

impl Observer for Quiet<'_> {
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

/// Grows the tree of a part of so many rows as far as a sample of them allows with confidence, and no further than
/// leaves that are small. The requirements are bound to the whole.
pub(super) fn grow(
    job: &External<'_>,
    mondrian: Mondrian,
    requirements: &Bound,
    sample: Block,
    rows: u64,
    alpha: f64,
    room: &Room,
) -> Result<CutTree> {
    let sampled = sample.rows() as u64;
    let table = sample.into_table(job.frame)?;
    let trust = Trust::new(rows, sampled, alpha, most_sides(job.frame));
    let enough = (room.leaf_rows(rows) as f64 * sampled as f64 / rows as f64).ceil() as u64;
    let bound = requirements.sampled(trust, enough);
    let split = job.split.bind(&job.original(&table))?;
    let partitioning = mondrian.partition_parts(
        &Job {
            table: &table,
            requirements: &bound,
            split: &split,
            loss: &SuppressedRows,
            suppression: Suppression::NONE,
            budget: job.budget(),
            weights: job.weights,
            keep_tree: true,
            observer: &Quiet(job.observer),
        },
        &[table.rows() as u32],
    )?;
    Ok(with_fewer_leaves(partitioning.tree.unwrap_or_default(), room.leaves()))
}

/// Undoes cuts of parts with few rows until no more leaves are left than rows can be divided among.
fn with_fewer_leaves(tree: CutTree, most: usize) -> CutTree {
    let leaves =
        |tree: &CutTree| tree.nodes.iter().filter(|node| matches!(node, CutNode::Leaf { .. })).count();
    let (mut few, mut fewer) = (1, tree);
    while leaves(&fewer) > most {
        few *= 2;
        let mut merged = CutTree::default();
        merge(&fewer, 0, few, &mut merged);
        fewer = merged;
    }
    fewer
}

/// Copies a subtree in which cuts of at most so many rows are undone; returns its rows.
fn merge(tree: &CutTree, at: usize, few: u32, into: &mut CutTree) -> u32 {
    let (node, members) = (into.nodes.len(), into.members.len());
    into.push_copy(tree, at);
    if let CutNode::Leaf { rows } = tree.nodes[at] {
        return rows;
    }
    let left = merge(tree, at + 1, few, into);
    into.close_left(node);
    let rows = left + merge(tree, at + tree.right(at), few, into);
    if rows <= few {
        into.nodes.truncate(node);
        into.members.truncate(members);
        into.nodes.push(CutNode::Leaf { rows });
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
        assert_eq!(rows(&with_fewer_leaves(tree.clone(), 41)).len(), 41);
        let fewer = with_fewer_leaves(tree, 12);
        assert_eq!(rows(&fewer), [vec![1; 9], vec![32]].concat());
    }
}
