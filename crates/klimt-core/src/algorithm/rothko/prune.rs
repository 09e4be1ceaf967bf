//! Undoing cuts that were made in error (section 3, phase 3).

use crate::Result;
use crate::partition::{CutNode, CutTree};
use crate::pass::{DividedRows, LeafJudge};
use crate::statistics::Statistics;
use std::ops::Range;

/// A tree cut back until every leaf that holds rows satisfies the requirements.
#[derive(Debug)]
pub(super) struct PrunedTree {
    pub tree: CutTree,
    /// For every leaf, the leaves of the tree before that it is made of.
    pub leaves: Vec<Range<usize>>,
    /// How many cuts were undone.
    pub undone: u64,
    /// The statistics of all rows, where these violate the requirements.
    pub violation: Option<Statistics>,
}

/// Tells of leaves what cuts are undone by.
pub(super) trait LeafVerdicts {
    /// The rows of a leaf.
    fn rows(&self, leaf: usize) -> u64;

    /// The statistics of some leaves together.
    fn statistics(&self, leaves: Range<usize>) -> Result<Statistics>;

    /// Whether rows with these statistics violate the requirements.
    fn violates(&self, group: &Statistics) -> bool;
}

/// The leaves of a part that was divided, and what they must satisfy.
pub(super) struct JudgedLeaves<'a> {
    pub divided: &'a dyn DividedRows,
    pub judge: LeafJudge<'a>,
}

impl LeafVerdicts for JudgedLeaves<'_> {
    fn rows(&self, leaf: usize) -> u64 {
        self.divided.rows(leaf)
    }

    fn statistics(&self, leaves: Range<usize>) -> Result<Statistics> {
        self.divided.statistics(leaves, &self.judge)
    }

    fn violates(&self, group: &Statistics) -> bool {
        self.judge.violates(group)
    }
}

/// Undoes every cut of which a side violates the requirements, with all cuts below it. Which leaves do is known.
pub(super) fn prune(tree: &CutTree, violating: &[bool], leaves: &impl LeafVerdicts) -> Result<PrunedTree> {
    let mut pruning = TreePruning {
        tree,
        violating,
        leaves,
        next: 0,
        pruned: PrunedTree { tree: CutTree::default(), leaves: Vec::new(), undone: 0, violation: None },
    };
    if let SubtreeVerdict { violates: true, leaves: all, statistics } = pruning.visit(0)? {
        pruning.pruned.violation = Some(statistics.map_or_else(|| leaves.statistics(all), Ok)?);
    }
    Ok(pruning.pruned)
}

struct TreePruning<'a, L> {
    tree: &'a CutTree,
    violating: &'a [bool],
    leaves: &'a L,
    next: usize,
    pruned: PrunedTree,
}

/// A subtree that was visited.
struct SubtreeVerdict {
    violates: bool,
    leaves: Range<usize>,
    /// Where they were made, and will be needed again.
    statistics: Option<Statistics>,
}

impl<L: LeafVerdicts> TreePruning<'_, L> {
    /// Copies a subtree, pruned.
    fn visit(&mut self, at: usize) -> Result<SubtreeVerdict> {
        let first = self.next;
        let (node, members, leaf) =
            (self.pruned.tree.nodes.len(), self.pruned.tree.members.len(), self.pruned.leaves.len());
        if let CutNode::Leaf { .. } = self.tree.nodes[at] {
            self.next += 1;
            self.push_leaf(first);
            let violates = self.violating[first];
            return Ok(SubtreeVerdict { violates, leaves: first..self.next, statistics: None });
        }
        self.pruned.tree.push_copy(self.tree, at);
        let left = self.visit(at + 1)?;
        self.pruned.tree.close_left(node);
        let right = self.visit(at + self.tree.right(at))?;
        if !left.violates && !right.violates {
            return Ok(SubtreeVerdict { violates: false, leaves: first..self.next, statistics: None });
        }
        let PrunedTree { tree, leaves, undone, .. } = &mut self.pruned;
        let cuts = tree.nodes[node..].iter().filter(|node| !matches!(node, CutNode::Leaf { .. }));
        *undone += cuts.count() as u64;
        tree.nodes.truncate(node);
        tree.members.truncate(members);
        leaves.truncate(leaf);
        self.push_leaf(first);
        let mut all = self.statistics_of(left)?;
        all.merge(&self.statistics_of(right)?);
        let violates = self.leaves.violates(&all);
        Ok(SubtreeVerdict { violates, leaves: first..self.next, statistics: violates.then_some(all) })
    }

    /// A leaf of all leaves since this one.
    fn push_leaf(&mut self, first: usize) {
        let rows: u64 = (first..self.next).map(|leaf| self.leaves.rows(leaf)).sum();
        self.pruned.tree.nodes.push(CutNode::Leaf { rows: rows as u32 });
        self.pruned.leaves.push(first..self.next);
    }

    fn statistics_of(&self, side: SubtreeVerdict) -> Result<Statistics> {
        side.statistics.map_or_else(|| self.leaves.statistics(side.leaves), Ok)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::requirement::{Checks, KAnonymity, Requirement, WholeFacts};

    struct Many;

    impl WholeFacts for Many {
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

    fn k(k: u64) -> Checks {
        let requirements: [Box<dyn Requirement>; 1] = [Box::new(KAnonymity::new(k).unwrap())];
        Checks::to(&requirements, &Many).unwrap()
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

    /// Leaves of this many rows, and what is required of them.
    struct LeafSizes([u64; 5], Checks);

    impl LeafVerdicts for LeafSizes {
        fn rows(&self, leaf: usize) -> u64 {
            self.0[leaf]
        }

        fn statistics(&self, leaves: Range<usize>) -> Result<Statistics> {
            Ok(Statistics { count: self.0[leaves].iter().sum(), ..Statistics::default() })
        }

        fn violates(&self, group: &Statistics) -> bool {
            group.count > 0 && !self.1.satisfied(group)
        }
    }

    fn pruned(sizes: [u64; 5], least: u64) -> PrunedTree {
        let violating = sizes.map(|rows| rows > 0 && rows < least);
        prune(&tree(), &violating, &LeafSizes(sizes, k(least))).unwrap()
    }

    #[test]
    fn the_subtree_of_the_parent_of_what_violates_is_merged() {
        let all = pruned([5, 5, 5, 5, 5], 5);
        assert_eq!((all.leaves.clone(), all.undone), (vec![0..1, 1..2, 2..3, 3..4, 4..5], 0));
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
        assert_eq!((none.leaves.len(), &none.leaves[0]), (1, &(0..5)));
        assert_eq!(none.violation.map(|whole| whole.count), Some(4));
        assert!(all.violation.is_none());
    }
}
