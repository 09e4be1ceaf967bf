//! Undoing cuts that were made in error (section 3, phase 3), and the way from the root to a leaf.

use crate::partition::{CutNode, CutTree};
use crate::requirement::Bound;
use crate::statistics::Statistics;
use std::ops::Range;

/// What is left of a tree when every leaf that holds rows satisfies the requirements.
#[derive(Debug)]
pub(super) struct Pruned {
    pub tree: CutTree,
    /// For every leaf, the leaves of the tree before that it is made of.
    pub leaves: Vec<Range<usize>>,
    /// How many cuts were undone.
    pub undone: u64,
    /// What is known of all rows.
    pub whole: Statistics,
}

/// Where a subtree has begun in the result, so that it can be taken back.
struct Begun {
    node: usize,
    members: usize,
    leaf: usize,
}

/// Undoes every cut of which a side violates the requirements, with all cuts below it.
pub(super) fn prune(tree: &CutTree, leaves: &[&Statistics], requirements: &Bound) -> Pruned {
    let whole = Statistics::default();
    let mut pruned = Pruned { tree: CutTree::default(), leaves: Vec::new(), undone: 0, whole };
    let mut next = 0;
    (pruned.whole, _) = visit(tree, 0, leaves, &mut next, requirements, &mut pruned);
    pruned
}

/// Copies a subtree, pruned; returns its statistics and whether they violate the requirements.
fn visit(
    tree: &CutTree,
    at: usize,
    leaves: &[&Statistics],
    next: &mut usize,
    requirements: &Bound,
    into: &mut Pruned,
) -> (Statistics, bool) {
    let violates = |group: &Statistics| group.count > 0 && !requirements.satisfied(group);
    if let CutNode::Leaf { .. } = tree.nodes[at] {
        let statistics = leaves[*next].clone();
        into.tree.nodes.push(CutNode::Leaf { rows: statistics.count as u32 });
        into.leaves.push(*next..*next + 1);
        *next += 1;
        let violated = violates(&statistics);
        return (statistics, violated);
    }
    let begun =
        Begun { node: into.tree.nodes.len(), members: into.tree.members.len(), leaf: into.leaves.len() };
    let first = *next;
    into.tree.push_copy(tree, at);
    let (mut all, left) = visit(tree, at + 1, leaves, next, requirements, into);
    into.tree.close_left(begun.node);
    let (high, right) = visit(tree, at + tree.right(at), leaves, next, requirements, into);
    all.merge(&high);
    if !left && !right {
        return (all, false);
    }
    let cuts = into.tree.nodes[begun.node..].iter().filter(|node| !matches!(node, CutNode::Leaf { .. }));
    into.undone += cuts.count() as u64;
    into.tree.nodes.truncate(begun.node);
    into.tree.members.truncate(begun.members);
    into.leaves.truncate(begun.leaf);
    into.tree.nodes.push(CutNode::Leaf { rows: all.count as u32 });
    into.leaves.push(first..*next);
    let violated = violates(&all);
    (all, violated)
}

/// The cuts on the way from the root of the domain to a part: each with the side that the part is on.
#[derive(Clone, Debug, Default)]
pub(super) struct Way {
    cuts: Vec<(CutTree, bool)>,
}

impl Way {
    /// The codes after which dimensions are cut on the way.
    pub fn thresholds(&self) -> impl Iterator<Item = (usize, u32)> {
        self.cuts.iter().filter_map(|(cut, _)| match cut.nodes[0] {
            CutNode::Threshold { dimension, code, .. } => Some((dimension as usize, code)),
            _ => None,
        })
    }

    /// The ways to all leaves of a tree that itself lies at the end of this way, from left to right.
    pub fn to_leaves(&self, tree: &CutTree) -> Vec<Way> {
        let mut ways = Vec::new();
        let mut pending = vec![(0, self.clone())];
        while let Some((at, way)) = pending.pop() {
            if let CutNode::Leaf { .. } = tree.nodes[at] {
                ways.push(way);
                continue;
            }
            let mut cut = CutTree::default();
            cut.push_copy(tree, at);
            let turned = |left: bool| {
                let mut way = way.clone();
                way.cuts.push((cut.clone(), left));
                way
            };
            pending.push((at + tree.right(at), turned(false)));
            pending.push((at + 1, turned(true)));
        }
        ways
    }

    /// The cuts of a part as seen from the root of the domain: what lies beside the way is empty.
    pub fn plant(&self, part: &CutTree) -> CutTree {
        fn place(cuts: &[(CutTree, bool)], part: &CutTree, into: &mut CutTree) {
            let Some(((cut, left), rest)) = cuts.split_first() else { return into.append(part) };
            let at = into.nodes.len();
            into.push_copy(cut, 0);
            match left {
                true => place(rest, part, into),
                false => into.nodes.push(CutNode::Leaf { rows: 0 }),
            }
            into.close_left(at);
            match left {
                true => into.nodes.push(CutNode::Leaf { rows: 0 }),
                false => place(rest, part, into),
            }
        }
        let mut tree = CutTree::default();
        place(&self.cuts, part, &mut tree);
        tree
    }
}
