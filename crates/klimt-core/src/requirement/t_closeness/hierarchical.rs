//! The hierarchical distance, from the leaves up.

use super::{ColumnFacts, Mover};
use crate::hierarchy::{Hierarchy, NodeId};
use std::sync::Arc;

/// The taxonomy with the counts of the whole under each node. The missing value, where there is one, is as far from
/// all others as can be: a child of the root.
#[derive(Debug)]
pub(super) struct Hierarchical {
    tree: Arc<Hierarchy>,
    /// The rows of the whole under each node; the missing value's last.
    whole: Vec<u64>,
    /// The height of each node: the longest way down to a leaf.
    heights: Vec<u32>,
    leaves: u32,
    rows: u64,
}

impl Hierarchical {
    pub(super) fn new(facts: &ColumnFacts<'_>, tree: &Arc<Hierarchy>, rows: u64) -> Self {
        let nodes = tree.node_count() as usize;
        let leaves = facts.domain.value_count() as u32;
        let mut whole = vec![0; nodes + 1];
        for (code, &count) in (0u32..).zip(&facts.counts) {
            if code < leaves {
                whole[tree.leaf_node(code).index()] = count;
            } else {
                whole[nodes] = count;
            }
        }
        let mut heights = vec![0; nodes];
        for node in tree.nodes() {
            if let Some(parent) = tree.parent(node) {
                let (at, up) = (node.index(), parent.index());
                whole[up] += whole[at];
                heights[up] = heights[up].max(heights[at] + 1);
            }
        }
        Hierarchical { tree: Arc::clone(tree), whole, heights, leaves, rows }
    }

    /// The excess of the group under a node over the node's share of the whole, in units of 1/(rows·whole
    /// rows).
    fn excess(&self, node: usize, have: u64, rows: u64) -> i128 {
        i128::from(have) * i128::from(self.rows) - i128::from(self.whole[node]) * i128::from(rows)
    }
}

/// A node on the way up: what the group has under it, and what its children have too much of.
#[derive(Clone, Copy, Debug)]
struct NodeExcess {
    node: NodeId,
    have: u64,
    surplus: i128,
}

impl Mover for Hierarchical {
    fn distance(&self, rows: u64, histogram: &mut dyn Iterator<Item = (u32, u64)>) -> (u128, u128) {
        let height = self.heights[self.tree.root().index()].max(1);
        let unit = u128::from(rows) * u128::from(self.rows) * u128::from(height);
        let (mut moved, mut missing) = (0, 0);
        // Each node on the stack is above the next one.
        let mut stack: Vec<NodeExcess> = Vec::with_capacity(height as usize + 2);
        for (code, have) in histogram {
            if code >= self.leaves {
                missing = have;
                continue;
            }
            while stack.last().is_some_and(|top| self.tree.span(top.node).1 < code) {
                moved += self.close(&mut stack, rows);
            }
            stack.push(NodeExcess { node: self.tree.leaf_node(code), have, surplus: 0 });
        }
        while !stack.is_empty() {
            moved += self.close(&mut stack, rows);
        }
        // Between the missing value and the others: the full height.
        let excess = self.excess(self.whole.len() - 1, missing, rows);
        (moved + excess.unsigned_abs() * u128::from(height), unit)
    }
}

impl Hierarchical {
    /// Takes the top off the stack, adds it to its parent, and returns what moves between its children, times its
    /// height: the lesser of what some have too much and what others lack.
    fn close(&self, stack: &mut Vec<NodeExcess>, rows: u64) -> u128 {
        let Some(top) = stack.pop() else { return 0 };
        let excess = self.excess(top.node.index(), top.have, rows);
        if let Some(parent) = self.tree.parent(top.node) {
            let surplus = excess.max(0);
            match stack.last_mut().filter(|below| below.node == parent) {
                Some(below) => {
                    below.have += top.have;
                    below.surplus += surplus;
                }
                None => stack.push(NodeExcess { node: parent, have: top.have, surplus }),
            }
        }
        // Children without rows of the group have nothing too much, so all surplus is known.
        let lacking = top.surplus - excess;
        top.surplus.min(lacking).max(0) as u128 * u128::from(self.heights[top.node.index()])
    }
}
