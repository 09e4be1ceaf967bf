//! From a partition tree to cuts that a partitioning can be planted from.

use super::atlas::Atlas;
use super::grid::{CellShape, Split};
use super::tree::PartitionTree;
use crate::partition::{CutNode, CutTree};

/// The next item in preorder.
enum Item {
    Cut(CutNode),
    /// A subtree; a leaf without rows where there is none.
    Subtree(Option<usize>),
    /// The left side of the cut that was opened last is complete.
    Close,
}

/// The cuts of a partition tree. A hierarchy node with many children is a chain of cuts in two.
pub(super) fn cuts(tree: &PartitionTree, atlas: &Atlas<'_>) -> CutTree {
    let mut made = CutTree::default();
    let (mut pending, mut opened) = (vec![Item::Subtree(Some(0))], Vec::new());
    while let Some(item) = pending.pop() {
        match item {
            Item::Cut(cut) => {
                opened.push(made.nodes.len());
                made.nodes.push(cut);
            }
            Item::Close => made.close_left(opened.pop().expect("every left side follows its cut")),
            Item::Subtree(node) => {
                match node.and_then(|node| tree.nodes[node].split().map(|split| (node, split))) {
                    None => made.nodes.push(CutNode::Leaf { rows: 0 }),
                    Some((node, split)) => {
                        let mut items = expanded(tree, atlas, node, split, &mut made.members);
                        items.reverse();
                        pending.append(&mut items);
                    }
                }
            }
        }
    }
    made
}

/// The cuts of one inner node, and the subtrees between them.
fn expanded(
    tree: &PartitionTree,
    atlas: &Atlas<'_>,
    node: usize,
    split: u32,
    members: &mut Vec<u32>,
) -> Vec<Item> {
    let Split { dimension, at } = atlas.grid.splits[split as usize];
    let axis = &atlas.grid.axes[dimension];
    let mut parts = vec![None; atlas.grid.part_count(split)];
    for child in tree.nodes[node].children() {
        let cell = atlas.grid.cells(atlas.space(tree.nodes[child].space), dimension)[0];
        parts[atlas.grid.part_of(split, cell)] = Some(child);
    }
    let threshold = |cell: u32| {
        let code = axis.last_code[cell as usize];
        CutNode::Threshold { dimension: dimension as u32, code, shared: false, missing_left: false, right: 0 }
    };
    let cuts: Vec<CutNode> = match &axis.shape {
        CellShape::Ordered => vec![threshold(at)],
        CellShape::Hierarchy(taxa) => {
            let children = &taxa[at as usize].children;
            children[..children.len() - 1]
                .iter()
                .map(|&child| threshold(taxa[child as usize].cells.1))
                .collect()
        }
        CellShape::Set { .. } => {
            members.push(axis.last_code[at as usize]);
            let first = members.len() as u32 - 1;
            vec![CutNode::Subset { dimension: dimension as u32, first, len: 1, shared: false, right: 0 }]
        }
    };
    let mut items = Vec::with_capacity(3 * cuts.len() + 1);
    for (cut, &part) in cuts.into_iter().zip(&parts) {
        items.extend([Item::Cut(cut), Item::Subtree(part), Item::Close]);
    }
    items.push(Item::Subtree(parts[parts.len() - 1]));
    items
}

/// No cut at all.
pub(super) fn nothing() -> CutTree {
    CutTree { nodes: vec![CutNode::Leaf { rows: 0 }], members: Vec::new() }
}
