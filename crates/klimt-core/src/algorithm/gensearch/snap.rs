//! A start from elsewhere: a partitioning whose cuts need not be in the split set is moved into it.

use super::atlas::{Atlas, BoxId};
use super::grid::CellShape;
use super::tree::PartitionTree;
use crate::partition::{CutNode, CutTree};

/// The partition tree that follows the cuts of another partitioning: each cut is moved to the nearest split of its column
/// that leaves parts which satisfy the requirements, and left out where there is none. Nothing where the job stops before
/// all cuts were followed.
pub(super) fn snapped(atlas: &mut Atlas<'_>, cuts: &CutTree) -> Option<PartitionTree> {
    let guide = CutGuide::new(cuts);
    let mut tree = PartitionTree::root();
    let mut pending = vec![(0, atlas.blocks(), 0)];
    while let Some((leaf, blocks, at)) = pending.pop() {
        if atlas.is_over() {
            return None;
        }
        let space = tree.space(leaf);
        match guide.side(atlas, space, at) {
            CutSide::Leaf => {}
            CutSide::Left => pending.push((leaf, blocks, guide.left(at))),
            CutSide::Right => pending.push((leaf, blocks, guide.right(at))),
            CutSide::Both { .. } => {
                let splits = guide.nearest(atlas, space, at);
                let mut divided =
                    splits.into_iter().map(|split| (split, atlas.divide(space, &blocks, split)));
                let Some((split, parts)) = divided.find_map(|(split, parts)| Some((split, parts?))) else {
                    pending.push((leaf, blocks, guide.larger(at)));
                    continue;
                };
                let children = tree.split(leaf, split, parts.iter().map(|(space, _)| *space));
                for (child, (space, blocks)) in children.zip(parts) {
                    pending.push((child, blocks, guide.next(atlas, space, at)));
                }
            }
        }
    }
    Some(tree)
}

/// Where the values of a box lie beside a cut.
enum CutSide {
    /// There is no cut.
    Leaf,
    Left,
    Right,
    /// On both sides; most of them on the left or not.
    Both {
        mostly_left: bool,
    },
}

/// The cuts that are followed.
struct CutGuide<'c> {
    cuts: &'c CutTree,
    /// How many nodes there are from each node downwards.
    sizes: Vec<usize>,
}

impl<'c> CutGuide<'c> {
    fn new(cuts: &'c CutTree) -> Self {
        let mut sizes = vec![1; cuts.nodes.len()];
        for at in (0..sizes.len()).rev() {
            if !matches!(cuts.nodes[at], CutNode::Leaf { .. }) {
                sizes[at] = 1 + sizes[at + 1] + sizes[at + cuts.right(at)];
            }
        }
        CutGuide { cuts, sizes }
    }

    fn left(&self, at: usize) -> usize {
        at + 1
    }

    fn right(&self, at: usize) -> usize {
        at + self.cuts.right(at)
    }

    /// The side of a cut with more cuts of its own.
    fn larger(&self, at: usize) -> usize {
        let (left, right) = (self.left(at), self.right(at));
        if self.sizes[left] >= self.sizes[right] { left } else { right }
    }

    /// The next cut of a part of a box that has been divided at a cut or near it. Where that cut was the node
    /// of a hierarchy, its children may be cut again.
    fn next(&self, atlas: &Atlas<'_>, space: BoxId, at: usize) -> usize {
        match self.side(atlas, space, at) {
            CutSide::Leaf | CutSide::Left => self.left(at),
            CutSide::Right => self.right(at),
            CutSide::Both { .. } if self.is_hierarchy(atlas, at) => at,
            CutSide::Both { mostly_left: true } => self.left(at),
            CutSide::Both { mostly_left: false } => self.right(at),
        }
    }

    fn is_hierarchy(&self, atlas: &Atlas<'_>, at: usize) -> bool {
        let dimension = self.dimension(at);
        dimension.is_some_and(|dimension| matches!(atlas.grid.axes[dimension].shape, CellShape::Hierarchy(_)))
    }

    fn dimension(&self, at: usize) -> Option<usize> {
        match self.cuts.nodes[at] {
            CutNode::Threshold { dimension, .. } | CutNode::Subset { dimension, .. } => {
                Some(dimension as usize)
            }
            CutNode::Leaf { .. } => None,
        }
    }

    fn is_member(&self, first: u32, len: u32, code: u32) -> bool {
        self.cuts.members[first as usize..][..len as usize].contains(&code)
    }

    fn side(&self, atlas: &Atlas<'_>, space: BoxId, at: usize) -> CutSide {
        let Some(dimension) = self.dimension(at) else { return CutSide::Leaf };
        let axis = &atlas.grid.axes[dimension];
        let cells = atlas.grid.cells(atlas.space(space), dimension);
        let (left, right) = match self.cuts.nodes[at] {
            CutNode::Leaf { .. } => return CutSide::Leaf,
            CutNode::Threshold { code, .. } => {
                let (lo, hi) = (cells[0] as usize, cells[cells.len() - 1] as usize);
                let first = lo.checked_sub(1).map_or(0, |before| axis.last_code[before] + 1);
                let last = axis.last_code[hi];
                (
                    (code + 1).clamp(first, last + 1) - first,
                    last - code.min(last).max(first.saturating_sub(1)),
                )
            }
            CutNode::Subset { first, len, .. } => {
                let inside = |&code: &u32| cells.binary_search(&axis.cell_of[code as usize]).is_ok();
                let codes = (0..axis.cell_of.len() as u32).filter(inside);
                let (left, right): (Vec<u32>, Vec<u32>) =
                    codes.partition(|&code| self.is_member(first, len, code));
                (left.len() as u32, right.len() as u32)
            }
        };
        match (left, right) {
            (0, _) => CutSide::Right,
            (_, 0) => CutSide::Left,
            _ => CutSide::Both { mostly_left: left >= right },
        }
    }

    /// The splits of a box nearest to a cut that crosses it, the nearest first.
    fn nearest(&self, atlas: &Atlas<'_>, space: BoxId, at: usize) -> Vec<u32> {
        let Some(dimension) = self.dimension(at) else { return Vec::new() };
        let axis = &atlas.grid.axes[dimension];
        let place = |split: u32| atlas.grid.splits[split as usize].at;
        let mut splits = atlas.grid.available(atlas.space(space));
        splits.retain(|&split| atlas.grid.splits[split as usize].dimension == dimension);
        match (&axis.shape, self.cuts.nodes[at]) {
            (CellShape::Ordered, CutNode::Threshold { code, .. }) => {
                splits.sort_by_key(|&split| axis.last_code[place(split) as usize].abs_diff(code));
                splits.truncate(2);
            }
            (CellShape::Set { .. }, CutNode::Subset { first, len, .. }) => {
                splits.retain(|&split| self.is_member(first, len, axis.last_code[place(split) as usize]));
            }
            _ => {}
        }
        splits
    }
}
