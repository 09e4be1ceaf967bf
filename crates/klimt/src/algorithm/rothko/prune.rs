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
pub struct Way {
    cuts: Vec<(CutTree, bool)>,
    /// Whether the part is cut by the median, as the gain of a cut on the way was too little.
    pub(super) by_median: bool,
}

impl Way {
    /// The cuts from the root on, each as a tree of its node alone, and whether the part is on its left side.
    pub fn cuts(&self) -> &[(CutTree, bool)] {
        &self.cuts
    }

    /// The codes after which dimensions are cut on the way.
    pub(super) fn thresholds(&self) -> impl Iterator<Item = (usize, u32)> {
        self.cuts.iter().filter_map(|(cut, _)| match cut.nodes[0] {
            CutNode::Threshold { dimension, code, .. } => Some((dimension as usize, code)),
            _ => None,
        })
    }

    /// The ways to all leaves of a tree that itself lies at the end of this way, from left to right.
    pub(super) fn to_leaves(&self, tree: &CutTree) -> Vec<Way> {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::requirement::{Facts, KAnonymity, Requirement};

    struct Many;

    impl Facts for Many {
        fn rows(&self) -> u64 {
            1000
        }
        fn column(&self, _: &str) -> Option<crate::requirement::ColumnFacts<'_>> {
            None
        }
        fn dimension(&self, _: &str) -> Option<(usize, &crate::table::Domain)> {
            None
        }
    }

    fn k(k: u64) -> Bound {
        let requirements: [Box<dyn Requirement>; 1] = [Box::new(KAnonymity::new(k).unwrap())];
        Bound::to(&requirements, &Many).unwrap()
    }

    /// ((1 2) (3 (4 5))), all cuts in dimension 0.
    fn tree() -> CutTree {
        let mut tree = CutTree::default();
        let root = tree.push_threshold(0, 20, false);
        let left = tree.push_threshold(0, 10, false);
        tree.nodes.push(CutNode::Leaf { rows: 0 });
        tree.close_left(left);
        tree.nodes.push(CutNode::Leaf { rows: 0 });
        tree.close_left(root);
        let right = tree.push_subset(1, &[3, 1], false);
        tree.nodes.push(CutNode::Leaf { rows: 0 });
        tree.close_left(right);
        let last = tree.push_threshold(0, 40, false);
        tree.nodes.push(CutNode::Leaf { rows: 0 });
        tree.close_left(last);
        tree.nodes.push(CutNode::Leaf { rows: 0 });
        tree
    }

    fn pruned(sizes: [u64; 5], least: u64) -> Pruned {
        let leaves = sizes.map(|count| Statistics { count, ..Statistics::default() });
        prune(&tree(), &leaves.iter().collect::<Vec<_>>(), &k(least))
    }

    #[test]
    fn the_subtree_of_the_parent_of_what_violates_is_merged() {
        let all = pruned([5, 5, 5, 5, 5], 5);
        assert_eq!((all.leaves, all.undone), (vec![0..1, 1..2, 2..3, 3..4, 4..5], 0));
        assert_eq!(all.tree.nodes.len(), 9);
        // Of one leaf, its parent's; of a merged one that is still too small, that one's parent's.
        let one = pruned([5, 5, 5, 4, 5], 5);
        assert_eq!((one.leaves, one.undone), (vec![0..1, 1..2, 2..3, 3..5], 1));
        let two = pruned([5, 5, 5, 2, 2], 5);
        assert_eq!((two.leaves, two.undone), (vec![0..1, 1..2, 2..5], 2));
        // Empty leaves violate nothing.
        let empty = pruned([5, 0, 5, 5, 0], 5);
        assert_eq!(empty.undone, 0);
        let none = pruned([1, 1, 1, 1, 0], 5);
        assert_eq!((none.leaves.len(), &none.leaves[0], none.whole.count), (1, &(0..5), 4));
    }

    #[test]
    fn a_part_planted_on_its_way_has_the_regions_of_the_whole_tree() {
        let tree = tree();
        let ways = Way::default().to_leaves(&tree);
        assert_eq!(ways.len(), 5);
        let mut part = CutTree::default();
        part.nodes.push(CutNode::Leaf { rows: 7 });
        for (number, way) in ways.iter().enumerate() {
            let planted = way.plant(&part);
            // Where the part is, is all that holds rows, and rows that go there in the tree go there in the planted one.
            let leaves: Vec<u32> = planted
                .nodes
                .iter()
                .filter_map(|node| if let CutNode::Leaf { rows } = node { Some(*rows) } else { None })
                .collect();
            assert_eq!(leaves.iter().filter(|&&rows| rows == 7).count(), 1, "{number}");
            assert_eq!(leaves.len(), way.cuts.len() + 1);
        }
        assert_eq!(ways[4].thresholds().collect::<Vec<_>>(), [(0, 20), (0, 40)]);
    }
}
