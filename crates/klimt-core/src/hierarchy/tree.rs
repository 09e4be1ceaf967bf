//! The taxonomy tree itself: immutable, with leaves numbered from left to right.

use std::fmt;
use std::sync::Arc;

use hashbrown::HashMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use super::HierarchyBuilder;

/// A node of one [`Hierarchy`]; meaningless for any other.
///
/// Leaves come first, in the order of their codes, and every child comes before its parent, so that a loop over
/// ascending nodes is a bottom-up pass and the root is the last node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct NodeId(pub u32);

impl NodeId {
    /// The place of the node in an array with an entry per node.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// An immutable taxonomy tree over the values of a column.
///
/// Invariants: there is one root; every label names one node; the leaves are numbered from left to right by
/// their codes `0..leaf_count`; the leaves under a node are one contiguous span of codes. Methods that take a
/// node or a code panic when it is not one of this tree's (see [`Hierarchy::contains`]).
#[derive(Clone)]
pub struct Hierarchy {
    labels: Vec<Arc<str>>,
    /// The root is its own parent here.
    parents: Vec<NodeId>,
    children: Vec<NodeId>,
    /// The children of node `i` are `children[child_starts[i]..child_starts[i + 1]]`.
    child_starts: Vec<u32>,
    spans: Vec<(u32, u32)>,
    depths: Vec<u32>,
    leaf_count: u32,
    height: u32,
    by_label: HashMap<Arc<str>, NodeId>,
}

impl Hierarchy {
    /// How many leaves there are; their codes are `0..leaf_count`.
    pub fn leaf_count(&self) -> u32 {
        self.leaf_count
    }

    /// How many nodes there are, leaves and root included.
    pub fn node_count(&self) -> u32 {
        self.labels.len() as u32
    }

    /// Every node, children before their parents.
    pub fn nodes(&self) -> impl DoubleEndedIterator<Item = NodeId> + ExactSizeIterator + use<> {
        (0..self.node_count()).map(NodeId)
    }

    /// Whether `node` is a node of a tree of this size; a saved node is checked with it before use.
    pub fn contains(&self, node: NodeId) -> bool {
        node.0 < self.node_count()
    }

    /// The node above all others.
    pub fn root(&self) -> NodeId {
        NodeId(self.node_count() - 1)
    }

    /// The node above `node`; `None` for the root.
    pub fn parent(&self, node: NodeId) -> Option<NodeId> {
        let parent = self.parents[node.index()];
        (parent != node).then_some(parent)
    }

    /// The nodes below `node`, from left to right; none for a leaf.
    pub fn children(&self, node: NodeId) -> &[NodeId] {
        let (start, end) = (self.child_starts[node.index()], self.child_starts[node.index() + 1]);
        &self.children[start as usize..end as usize]
    }

    /// Whether `node` is a leaf, that is, a value of the column.
    pub fn is_leaf(&self, node: NodeId) -> bool {
        node.0 < self.leaf_count
    }

    /// The label of `node`, unique in the tree.
    pub fn label(&self, node: NodeId) -> &str {
        &self.labels[node.index()]
    }

    /// The codes of the first and the last leaf under `node`, both included.
    pub fn span(&self, node: NodeId) -> (u32, u32) {
        self.spans[node.index()]
    }

    /// How many leaves are under `node`; 1 for a leaf.
    pub fn leaves_under(&self, node: NodeId) -> u32 {
        let (first, last) = self.span(node);
        last - first + 1
    }

    /// The leaf with this code.
    pub fn leaf_node(&self, code: u32) -> NodeId {
        assert!(code < self.leaf_count, "code {code} in a hierarchy of {} leaves", self.leaf_count);
        NodeId(code)
    }

    /// The label of the leaf with this code.
    pub fn leaf_label(&self, code: u32) -> &str {
        self.label(self.leaf_node(code))
    }

    /// The code of the leaf with this label; `None` when no leaf has it.
    pub fn leaf_code(&self, label: &str) -> Option<u32> {
        self.node(label).filter(|&node| self.is_leaf(node)).map(|node| node.0)
    }

    /// The node with this label, leaf or not.
    pub fn node(&self, label: &str) -> Option<NodeId> {
        self.by_label.get(label).copied()
    }

    /// The lowest node whose span holds both codes, in whichever order, in steps that number at most the height.
    ///
    /// Spans are contiguous, so this is also the lowest node over every leaf between the two.
    pub fn lowest_common_ancestor(&self, lo: u32, hi: u32) -> NodeId {
        assert!(hi < self.leaf_count, "code {hi} in a hierarchy of {} leaves", self.leaf_count);
        let mut node = self.leaf_node(lo);
        loop {
            let (first, last) = self.span(node);
            if first <= hi && hi <= last {
                return node;
            }
            node = self.parents[node.index()];
        }
    }

    /// How many steps `node` is below the root; 0 for the root.
    pub fn depth(&self, node: NodeId) -> u32 {
        self.depths[node.index()]
    }

    /// The depth of the deepest leaf.
    pub fn height(&self) -> u32 {
        self.height
    }

    /// `node`, its parent, and so on up to the root.
    pub fn path(&self, node: NodeId) -> impl Iterator<Item = NodeId> {
        std::iter::successors(Some(node), |&node| self.parent(node))
    }

    /// The labels from the leaf with this code up to the root.
    pub(super) fn leaf_path(&self, code: u32) -> Vec<&str> {
        self.path(self.leaf_node(code)).map(|node| self.label(node)).collect()
    }

    /// The tree over `labels`, where label `i` has parent `parents[i]` and siblings stand in the order of their
    /// labels. Exactly one parent must be `None`, and following parents from anywhere must lead to that one.
    pub(super) fn assemble(labels: Vec<Arc<str>>, parents: &[Option<u32>]) -> Hierarchy {
        let preorder = preorder(parents);
        let mut has_child = vec![false; parents.len()];
        parents.iter().flatten().for_each(|&parent| has_child[parent as usize] = true);
        let is_leaf = |label: &&u32| !has_child[**label as usize];

        let leaves = preorder.iter().filter(is_leaf);
        let leaf_count = leaves.clone().count() as u32;
        let inner = preorder.iter().rev().filter(|label| !is_leaf(label));
        let by_id: Vec<u32> = leaves.chain(inner).copied().collect();
        let mut ids = vec![NodeId(0); labels.len()];
        by_id.iter().zip(0..).for_each(|(&label, id)| ids[label as usize] = NodeId(id));

        let of_parent = |&label: &u32| {
            let own = ids[label as usize];
            parents[label as usize].map_or(own, |parent| ids[parent as usize])
        };
        let parents: Vec<NodeId> = by_id.iter().map(of_parent).collect();
        let left_to_right = preorder.iter().map(|&label| ids[label as usize]);
        let (children, child_starts) = group_children(&parents, left_to_right);
        let depths = depths(&parents);
        let height = depths.iter().copied().max().unwrap_or(0);
        let labels: Vec<Arc<str>> = by_id.iter().map(|&label| Arc::clone(&labels[label as usize])).collect();
        let by_label = labels.iter().cloned().zip((0..).map(NodeId)).collect();
        let spans = spans(&parents, leaf_count);
        Hierarchy { labels, parents, children, child_starts, spans, depths, leaf_count, height, by_label }
    }
}

/// Every label once, parents before children and siblings in the order of their labels.
fn preorder(parents: &[Option<u32>]) -> Vec<u32> {
    let mut children: Vec<Vec<u32>> = vec![Vec::new(); parents.len()];
    let mut pending = Vec::new();
    for (label, parent) in (0..).zip(parents) {
        match parent {
            Some(parent) => children[*parent as usize].push(label),
            None => pending.push(label),
        }
    }
    let mut order = Vec::with_capacity(parents.len());
    while let Some(label) = pending.pop() {
        order.push(label);
        pending.extend(children[label as usize].iter().rev());
    }
    order
}

/// The children of all nodes one after another, and where those of each node start.
fn group_children(
    parents: &[NodeId],
    left_to_right: impl Iterator<Item = NodeId>,
) -> (Vec<NodeId>, Vec<u32>) {
    let root = NodeId(parents.len() as u32 - 1);
    let mut starts = vec![0u32; parents.len() + 1];
    parents[..root.index()].iter().for_each(|parent| starts[parent.index() + 1] += 1);
    (0..parents.len()).for_each(|i| starts[i + 1] += starts[i]);
    let mut next = starts.clone();
    let mut children = vec![root; parents.len() - 1];
    for node in left_to_right.filter(|&node| node != root) {
        let slot = &mut next[parents[node.index()].index()];
        children[*slot as usize] = node;
        *slot += 1;
    }
    (children, starts)
}

/// The depth of every node; parents have larger numbers than their children.
fn depths(parents: &[NodeId]) -> Vec<u32> {
    let mut depths = vec![0; parents.len()];
    for node in (0..parents.len() - 1).rev() {
        depths[node] = depths[parents[node].index()] + 1;
    }
    depths
}

/// The span of every node; the leaves have the smallest numbers.
fn spans(parents: &[NodeId], leaf_count: u32) -> Vec<(u32, u32)> {
    let mut spans = vec![(u32::MAX, 0); parents.len()];
    (0..leaf_count).for_each(|code| spans[code as usize] = (code, code));
    for node in 0..parents.len() - 1 {
        let (first, last) = spans[node];
        let above = &mut spans[parents[node].index()];
        *above = (above.0.min(first), above.1.max(last));
    }
    spans
}

/// Two hierarchies are equal when they have the same labels in the same tree and order. Nodes are numbered by the
/// tree, so labels and parents decide.
impl PartialEq for Hierarchy {
    fn eq(&self, other: &Self) -> bool {
        self.labels == other.labels && self.parents == other.parents
    }
}

impl Eq for Hierarchy {}

/// Sizes only: labels may be cell values, which no log may show.
impl fmt::Debug for Hierarchy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Hierarchy");
        shown
            .field("leaves", &self.leaf_count)
            .field("nodes", &self.node_count())
            .field("height", &self.height);
        shown.finish()
    }
}

/// A list of paths, one per leaf from left to right: the leaf, then its ancestors up to the root.
impl Serialize for Hierarchy {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq((0..self.leaf_count).map(|code| self.leaf_path(code)))
    }
}

impl<'de> Deserialize<'de> for Hierarchy {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let paths = Vec::<Vec<String>>::deserialize(deserializer)?;
        let mut builder = HierarchyBuilder::new("saved hierarchy");
        (1..).zip(&paths).for_each(|(line, path)| builder.push(line, path));
        builder.finish().map_err(de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Hierarchy {
        let mut builder = HierarchyBuilder::new("t");
        builder.push(1, ["a1", "A", "*"]);
        builder.push(2, ["b1", "*"]);
        builder.push(3, ["a2", "A", "*"]);
        builder.push(4, ["c1", "C", "CC", "*"]);
        builder.finish().unwrap()
    }

    fn labels<'a>(tree: &'a Hierarchy, nodes: &[NodeId]) -> Vec<&'a str> {
        nodes.iter().map(|&node| tree.label(node)).collect()
    }

    #[test]
    fn leaves_are_numbered_left_to_right_and_siblings_by_first_appearance() {
        let tree = sample();
        let leaves: Vec<_> = (0..tree.leaf_count()).map(|code| tree.leaf_label(code)).collect();
        assert_eq!(leaves, ["a1", "a2", "b1", "c1"]);
        assert_eq!(labels(&tree, tree.children(tree.root())), ["A", "b1", "CC"]);
        assert_eq!((tree.leaf_count(), tree.node_count(), tree.height()), (4, 8, 3));
    }

    #[test]
    fn nodes_answer_for_parent_span_depth_and_label() {
        let tree = sample();
        let a = tree.node("A").unwrap();
        assert_eq!((tree.span(a), tree.leaves_under(a), tree.depth(a)), ((0, 1), 2, 1));
        assert_eq!(tree.parent(a), Some(tree.root()));
        assert_eq!(tree.parent(tree.root()), None);
        assert_eq!(tree.leaf_code("c1"), Some(3));
        assert_eq!(tree.leaf_code("A"), None);
        assert_eq!(tree.node("nowhere"), None);
        assert!(tree.is_leaf(tree.leaf_node(2)) && !tree.is_leaf(a));
        assert_eq!(labels(&tree, &tree.path(tree.leaf_node(3)).collect::<Vec<_>>()), ["c1", "C", "CC", "*"]);
    }

    #[test]
    fn the_lowest_common_ancestor_of_an_interval() {
        let tree = sample();
        assert_eq!(tree.label(tree.lowest_common_ancestor(0, 1)), "A");
        assert_eq!(tree.label(tree.lowest_common_ancestor(1, 1)), "a2");
        assert_eq!(tree.label(tree.lowest_common_ancestor(1, 2)), "*");
        assert_eq!(tree.label(tree.lowest_common_ancestor(2, 1)), "*");
        assert_eq!(tree.label(tree.lowest_common_ancestor(3, 3)), "c1");
    }

    #[test]
    fn every_child_comes_before_its_parent() {
        let tree = sample();
        for node in tree.nodes() {
            assert!(tree.contains(node));
            assert!(tree.children(node).iter().all(|&child| child < node));
        }
        assert!(!tree.contains(NodeId(tree.node_count())));
    }

    #[test]
    fn a_tree_may_be_a_single_node() {
        let mut builder = HierarchyBuilder::new("t");
        builder.push(1, ["only"]);
        let tree = builder.finish().unwrap();
        assert_eq!((tree.leaf_count(), tree.node_count(), tree.height()), (1, 1, 0));
        assert_eq!(tree.root(), tree.leaf_node(0));
        assert_eq!(tree.lowest_common_ancestor(0, 0), tree.root());
        assert!(tree.children(tree.root()).is_empty());
    }

    #[test]
    fn a_saved_tree_is_a_list_of_paths_and_comes_back_equal() {
        let tree = sample();
        let saved = serde_json::to_string(&tree).unwrap();
        assert_eq!(saved, r#"[["a1","A","*"],["a2","A","*"],["b1","*"],["c1","C","CC","*"]]"#);
        let back: Hierarchy = serde_json::from_str(&saved).unwrap();
        assert!(back == tree);
        let wrong =
            serde_json::from_str::<Hierarchy>(r#"[["secret","A"],["b","B"]]"#).unwrap_err().to_string();
        assert!(wrong.contains("line 2") && !wrong.contains("secret"), "{wrong}");
    }

    #[test]
    fn trees_differ_by_order_and_shape() {
        let of = |text: &str| serde_json::from_str::<Hierarchy>(text).unwrap();
        assert_ne!(of(r#"[["a","*"],["b","*"]]"#), of(r#"[["b","*"],["a","*"]]"#));
        assert_ne!(of(r#"[["a","A","*"],["b","B","*"]]"#), of(r#"[["a","B","A","*"],["b","*"]]"#));
        assert_ne!(of(r#"[["a","A","B","*"],["b","*"]]"#), of(r#"[["a","B","A","*"],["b","*"]]"#));
    }

    #[test]
    fn debug_shows_no_label() {
        assert_eq!(format!("{:?}", sample()), "Hierarchy { leaves: 4, nodes: 8, height: 3 }");
    }
}
