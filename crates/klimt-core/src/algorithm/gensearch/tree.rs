//! The partition tree (Definition 5), and which splits may be added to it.
//!
//! Nodes are split in preorder only (Constraint 1): once a node is split, the leaves before it stay as they are. A
//! logical timestamp is therefore the number of splits so far, and need not be kept. The leaves that may still be split
//! are a stack, the first of them in preorder on top; they are the leaves that `LB_DM` (Fig. 4) finds along the
//! rightmost inner nodes (Property 3, spatial locality).
//!
//! A node has as many children as its split makes parts: a hierarchy is specialised to all children of a node at once
//! (section 4.1, Fig. 12), which the paper writes as a left-deep chain of cuts in two that must follow each other.

use super::atlas::{Atlas, AtlasCut, BoxId, ROOT};
use std::ops::Range;

/// No split: the node is a leaf.
const LEAF: u32 = u32::MAX;

/// A node of a partition tree.
#[derive(Clone, Copy, Debug)]
pub(super) struct PartitionNode {
    pub space: BoxId,
    /// The split, or [`LEAF`].
    split: u32,
    parent: u32,
    /// Where its children start, from left to right, and how many there are.
    children: (u32, u32),
}

impl PartitionNode {
    /// The split of an inner node.
    pub fn split(&self) -> Option<u32> {
        (self.split != LEAF).then_some(self.split)
    }

    /// The numbers of its children, from left to right.
    pub fn children(&self) -> std::ops::Range<usize> {
        self.children.0 as usize..(self.children.0 + self.children.1) as usize
    }
}

/// How a partition arises from the one above it in the enumeration tree: the open leaves that are passed over, and the
/// number of the cut of the next one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PartitionStep {
    pub passed: u32,
    pub cut: u32,
}

/// A partition tree.
#[derive(Clone, Debug)]
pub(super) struct PartitionTree {
    pub nodes: Vec<PartitionNode>,
    /// The leaves that may still be split, the first in preorder last.
    open: Vec<u32>,
    /// The cost of the other leaves.
    closed: f64,
}

impl PartitionTree {
    /// The undivided space.
    pub fn root() -> Self {
        let root = PartitionNode { space: ROOT, split: LEAF, parent: 0, children: (0, 0) };
        PartitionTree { nodes: vec![root], open: vec![0], closed: 0.0 }
    }

    /// The partition at the end of a path through the enumeration tree.
    pub fn at(atlas: &mut Atlas<'_>, path: impl Iterator<Item = PartitionStep>) -> Self {
        let mut tree = PartitionTree::root();
        path.for_each(|step| tree.apply(atlas, step));
        tree
    }

    /// Adds a split.
    pub fn apply(&mut self, atlas: &mut Atlas<'_>, step: PartitionStep) {
        for _ in 0..step.passed {
            let leaf = self.open.pop().expect("a step passes over open leaves");
            self.closed += atlas.cost(self.nodes[leaf as usize].space);
        }
        let leaf = self.open.pop().expect("a step splits an open leaf");
        let cut = &atlas.cuts(self.nodes[leaf as usize].space)[step.cut as usize];
        let children = self.split(leaf, cut.split, cut.parts.iter().copied());
        self.open.extend(children.rev());
    }

    /// Splits a leaf, open or not, and returns its children.
    pub fn split(&mut self, leaf: u32, split: u32, parts: impl Iterator<Item = BoxId>) -> Range<u32> {
        let first = self.nodes.len() as u32;
        self.nodes.extend(parts.map(|space| PartitionNode {
            space,
            split: LEAF,
            parent: leaf,
            children: (0, 0),
        }));
        let end = self.nodes.len() as u32;
        let node = &mut self.nodes[leaf as usize];
        (node.split, node.children) = (split, (first, end - first));
        first..end
    }

    /// Refines every open leaf by the best cuts known. The tree need not be legal then, and is not searched any more.
    pub fn complete(&mut self, atlas: &Atlas<'_>) {
        let mut pending = std::mem::take(&mut self.open);
        while let Some(leaf) = pending.pop() {
            let space = self.space(leaf);
            if let Some(choice) = atlas.choice(space) {
                let cut = &atlas.known_cuts(space)[choice as usize];
                pending.extend(self.split(leaf, cut.split, cut.parts.iter().copied()));
            }
        }
    }

    /// The leaves that may still be split, in preorder.
    pub fn open(&self) -> impl DoubleEndedIterator<Item = u32> + ExactSizeIterator + '_ {
        self.open.iter().rev().copied()
    }

    /// The box of a node.
    pub fn space(&self, node: u32) -> BoxId {
        self.nodes[node as usize].space
    }

    /// The cost of the leaves that may no longer be split.
    pub fn closed(&self) -> f64 {
        self.closed
    }

    /// The cost of the partition, where every leaf that holds rows is a group.
    pub fn cost(&self, atlas: &Atlas<'_>) -> f64 {
        self.closed + self.open().map(|leaf| atlas.cost(self.space(leaf))).sum::<f64>()
    }

    /// The cost of the leaves, also of a tree that was not made by legal steps.
    pub fn leaf_cost(&self, atlas: &Atlas<'_>) -> f64 {
        self.leaves().into_iter().map(|space| atlas.cost(space)).sum()
    }

    /// The least that any partition below this one in the enumeration tree costs: `LB` (Definition 11, Fig. 4).
    pub fn least(&self, atlas: &Atlas<'_>) -> f64 {
        self.closed + self.open().map(|leaf| atlas.least(self.space(leaf))).sum::<f64>()
    }

    /// The boxes of the leaves, in preorder.
    pub fn leaves(&self) -> Vec<BoxId> {
        let (mut found, mut pending) = (Vec::new(), vec![0]);
        while let Some(at) = pending.pop() {
            let node: &PartitionNode = &self.nodes[at];
            match node.split() {
                None => found.push(node.space),
                Some(_) => pending.extend(node.children().rev()),
            }
        }
        found
    }

    /// `Detect-legal-split` (Fig. 6) at an open leaf: whether the split is in sequence (Definition 7), so that no other
    /// tree stands for the same partition.
    ///
    /// Of the splits that cut the whole space of a node, the one of highest priority, the lowest id, must be the node's.
    /// Since the tree is legal so far, a violation can only come from what becomes a cut now: the split itself and those
    /// that the parts make cuts of the leaf ([`AtlasCut::also`]). A split that is no cut of an ancestor is none of the
    /// ancestors above it.
    ///
    /// Definition 2 and the figure have it so; the text of Definition 7 compares the other way round, which would single
    /// out another tree of each partition.
    pub fn detect_legal_split(&self, atlas: &Atlas<'_>, leaf: u32, cut: &AtlasCut) -> bool {
        std::iter::once(&cut.split).chain(&cut.also).all(|&split| self.in_sequence(atlas, leaf, split))
    }

    fn in_sequence(&self, atlas: &Atlas<'_>, leaf: u32, split: u32) -> bool {
        let mut at = leaf;
        while at != 0 {
            let parent = self.nodes[at as usize].parent;
            let node = &self.nodes[parent as usize];
            let cuts_the_rest = || {
                let mut others = node.children().filter(|&child| child != at as usize);
                others.all(|child| self.is_split_a_cut(atlas, child, split))
            };
            if !atlas.crosses(node.space, split) || !cuts_the_rest() {
                return true;
            }
            if split < node.split {
                return false;
            }
            at = parent;
        }
        true
    }

    /// `Is-split-a-cut` (Fig. 7): whether no block below a node lies on both sides of a split. A subspace on one side
    /// of it has none (which takes the place of going left or right in the split's group).
    fn is_split_a_cut(&self, atlas: &Atlas<'_>, node: usize, split: u32) -> bool {
        let mut pending = Vec::new();
        let mut next = Some(node);
        while let Some(node) = next {
            let at = &self.nodes[node];
            if at.split != split && atlas.crosses(at.space, split) {
                if at.split == LEAF {
                    return false;
                }
                pending.extend(at.children());
            }
            next = pending.pop();
        }
        true
    }
}
