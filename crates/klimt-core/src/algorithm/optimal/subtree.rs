//! Subtrees of a partitioning: which there are, and how better ones take their place.

use super::problem::OptimalProblem;
use crate::partition::{CutNode, CutTree};
use std::ops::Range;

/// Cuts, and the rows of the leaves one after the other. Leaves that are cheaper to suppress count as suppressed.
#[derive(Clone, Debug)]
pub(super) struct Forest {
    pub tree: CutTree,
    pub order: Vec<u32>,
}

/// A subtree of a forest.
#[derive(Clone, Debug)]
pub(super) struct Subtree {
    /// Its nodes.
    pub nodes: Range<usize>,
    /// Its rows in the order.
    pub rows: Range<usize>,
}

impl Forest {
    /// The largest subtrees of at most this many rows, but for single leaves that cannot be cut.
    /// Those whose rows `divides` says yes to are left for their children, as far as they have any.
    pub fn subtrees(&self, most: usize, divides: impl Fn(&[u32]) -> bool) -> Vec<Subtree> {
        let nodes = &self.tree.nodes;
        // How many rows and nodes lie below each node, from the last node to the first.
        let mut below = vec![(0, 0); nodes.len()];
        for at in (0..nodes.len()).rev() {
            below[at] = match nodes[at] {
                CutNode::Leaf { rows } => (rows as usize, 1),
                _ => {
                    let (left, right) = (below[at + 1], below[at + self.tree.right(at)]);
                    (left.0 + right.0, 1 + left.1 + right.1)
                }
            };
        }
        let mut found = Vec::new();
        let mut pending = vec![(0, 0)];
        while let Some((at, start)) = pending.pop() {
            let (rows, many) = below[at];
            if rows <= most && (many == 1 || !divides(&self.order[start..start + rows])) {
                if rows > 0 {
                    found.push(Subtree { nodes: at..at + many, rows: start..start + rows });
                }
            } else if many > 1 {
                pending.push((at + self.tree.right(at), start + below[at + 1].0));
                pending.push((at + 1, start));
            }
        }
        found
    }

    /// The cost of the leaves of a subtree.
    pub fn cost(&self, problem: &OptimalProblem<'_>, subtree: &Subtree) -> f64 {
        let mut start = subtree.rows.start;
        let mut cost = 0.0;
        for node in &self.tree.nodes[subtree.nodes.clone()] {
            if let CutNode::Leaf { rows } = *node
                && rows > 0
            {
                let end = start + rows as usize;
                cost += problem.leaf(&self.order[start..end]).0;
                start = end;
            }
        }
        cost
    }

    /// The numbers of the leaves that are suppressed.
    pub fn suppressed(&self, problem: &OptimalProblem<'_>) -> Vec<usize> {
        let leaves = self.tree.nodes.iter().filter_map(|node| match node {
            CutNode::Leaf { rows } => Some(*rows as usize),
            _ => None,
        });
        let ranges = leaves.scan(0, |start, rows| {
            *start += rows;
            Some(*start - rows..*start)
        });
        let suppressed = ranges.enumerate().filter(|(_, range)| problem.leaf(&self.order[range.clone()]).1);
        suppressed.map(|(leaf, _)| leaf).collect()
    }

    /// The forest in which better subtrees, in order, have taken the place of others.
    pub fn replaced(&self, better: &[(Subtree, Forest)]) -> Forest {
        let mut new = Forest { tree: CutTree::default(), order: self.order.clone() };
        // Cuts whose left side is being copied: where the right side starts here, and where the cut is there.
        let mut open: Vec<(usize, usize)> = Vec::new();
        let mut better = better.iter().peekable();
        let mut at = 0;
        while at < self.tree.nodes.len() {
            while let Some(&(_, cut)) = open.last().filter(|(right, _)| *right == at) {
                new.tree.close_left(cut);
                open.pop();
            }
            if let Some((subtree, forest)) = better.next_if(|(subtree, _)| subtree.nodes.start == at) {
                new.tree.append(&forest.tree);
                new.order[subtree.rows.clone()].copy_from_slice(&forest.order);
                at = subtree.nodes.end;
                continue;
            }
            if !matches!(self.tree.nodes[at], CutNode::Leaf { .. }) {
                open.push((at + self.tree.right(at), new.tree.nodes.len()));
            }
            new.tree.push_copy(&self.tree, at);
            at += 1;
        }
        new
    }
}
