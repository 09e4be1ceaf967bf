//! The partition enumeration tree (Definition 6): every hierarchical partition once.

use super::atlas::{Atlas, AtlasCut};
use super::grid::SplitGrid;
use super::splits::Splits;
use super::tree::{PartitionStep, PartitionTree};
use crate::Result;
use crate::table::Table;

/// A partition of the space in blocks: for each, the cells of the split set that it covers in every dimension.
pub type Partition = Vec<Vec<Vec<u32>>>;

/// `Enumerate` (Fig. 8), with hierarchies as in `Enumerate-Categorical` (Fig. 12): all hierarchical partitions of the
/// space of a table with the splits of a split set, each once, those with empty regions included.
///
/// Partitions come in the preorder of the enumeration tree, the undivided space first.
pub struct Enumeration<'a> {
    atlas: Atlas<'a>,
    pending: Vec<PartitionTree>,
}

impl Enumeration<'_> {
    /// Prepares the enumeration.
    pub fn new(table: &Table, splits: &Splits) -> Result<Self> {
        let domains = table.domains();
        let grid = SplitGrid::new(&domains, &splits.codes(table)?);
        Ok(Enumeration { atlas: Atlas::of_space(grid), pending: vec![PartitionTree::root()] })
    }
}

impl Iterator for Enumeration<'_> {
    type Item = Partition;

    fn next(&mut self) -> Option<Partition> {
        let tree = self.pending.pop()?;
        let steps = children(&mut self.atlas, &tree);
        for step in steps.into_iter().rev() {
            let mut child = tree.clone();
            child.apply(&mut self.atlas, step);
            self.pending.push(child);
        }
        let grid = &self.atlas.grid;
        let block = |space| (0..grid.axes.len()).map(|d| grid.cells(self.atlas.space(space), d)).collect();
        Some(tree.leaves().into_iter().map(block).collect())
    }
}

/// The steps from a partition to those directly below it in the enumeration tree: each legal split of each leaf that may
/// still be split, leaves in preorder, splits by id.
pub(super) fn children(atlas: &mut Atlas<'_>, tree: &PartitionTree) -> Vec<PartitionStep> {
    let mut steps = Vec::new();
    for (passed, leaf) in (0..).zip(tree.open()) {
        atlas.cuts(tree.space(leaf));
        let legal = |(_, cut): &(u32, &AtlasCut)| tree.detect_legal_split(atlas, leaf, cut);
        let cuts = (0..).zip(atlas.known_cuts(tree.space(leaf)));
        steps.extend(cuts.filter(legal).map(|(cut, _)| PartitionStep { passed, cut }));
    }
    steps
}

/// A partition that satisfies the requirements, while the enumeration tree is walked through.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PartitionVisit {
    /// How many splits led to it.
    pub depth: usize,
    /// The cost of the partition.
    pub cost: f64,
    /// The least that it and what is below it in the enumeration tree cost.
    pub bound: f64,
}

/// Visits every node in preorder.
pub(super) fn explore(atlas: &mut Atlas<'_>, visit: &mut dyn FnMut(&PartitionVisit)) {
    let mut pending = vec![(0, PartitionTree::root())];
    while let Some((depth, tree)) = pending.pop() {
        let steps = children(atlas, &tree);
        visit(&PartitionVisit { depth, cost: tree.cost(atlas), bound: tree.least(atlas) });
        for step in steps.into_iter().rev() {
            let mut child = tree.clone();
            child.apply(atlas, step);
            pending.push((depth + 1, child));
        }
    }
}
