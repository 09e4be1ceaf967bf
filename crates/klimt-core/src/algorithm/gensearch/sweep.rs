//! The rows of a box in slices along one dimension: every split of that dimension is evaluated from one look at
//! its blocks.

use super::blocks::FinestBlocks;
use super::bound::MinCost;
use super::grid::{CellShape, Hull, Split, SplitGrid};
use crate::statistics::Statistics;
use std::borrow::Cow;

/// Sums over the rows of some blocks.
#[derive(Clone)]
pub(super) struct Slice {
    pub statistics: Statistics,
    /// The same of the rows that miss no value, where there are such rows and others may.
    pub complete: Option<Statistics>,
    pub hull: Hull,
    /// The least that the rows cost by their blocks.
    pub finest: f64,
    /// How many blocks there are.
    pub blocks: u32,
}

impl Slice {
    /// All rows of some blocks, of which there is one.
    pub fn of(blocks: &FinestBlocks, minimum: &MinCost<'_>, grid: &SplitGrid, some: &[u32]) -> Self {
        let mut all = Slice::of_block(blocks, minimum, grid, some[0]);
        some[1..].iter().for_each(|&block| all.take(blocks, minimum, grid, block));
        all
    }

    fn of_block(blocks: &FinestBlocks, minimum: &MinCost<'_>, grid: &SplitGrid, block: u32) -> Self {
        let statistics = blocks.statistics[block as usize].clone();
        Slice {
            complete: (blocks.some_miss() && !blocks.misses(block)).then(|| statistics.clone()),
            statistics,
            hull: grid.hull(blocks.cells(block)),
            finest: minimum.block(block),
            blocks: 1,
        }
    }

    fn take(&mut self, blocks: &FinestBlocks, minimum: &MinCost<'_>, grid: &SplitGrid, block: u32) {
        let statistics = &blocks.statistics[block as usize];
        self.statistics.merge(statistics);
        if blocks.some_miss() && !blocks.misses(block) {
            merge_into(&mut self.complete, statistics);
        }
        grid.widen(&mut self.hull, blocks.cells(block));
        self.finest += minimum.block(block);
        self.blocks += 1;
    }

    /// Takes in the rows of another.
    pub fn merge(&mut self, other: &Slice) {
        self.statistics.merge(&other.statistics);
        if let Some(complete) = &other.complete {
            merge_into(&mut self.complete, complete);
        }
        self.hull.merge(&other.hull);
        self.finest += other.finest;
        self.blocks += other.blocks;
    }
}

fn merge_into(into: &mut Option<Statistics>, other: &Statistics) {
    match into {
        Some(into) => into.merge(other),
        None => *into = Some(other.clone()),
    }
}

fn borrowed(slice: &Option<Slice>) -> Option<Cow<'_, Slice>> {
    slice.as_ref().map(Cow::Borrowed)
}

/// Two slices together, either of which may be empty.
fn merged(one: Option<&Slice>, other: Option<&Slice>) -> Option<Slice> {
    match (one, other) {
        (Some(one), Some(other)) => {
            let mut both = one.clone();
            both.merge(other);
            Some(both)
        }
        (one, other) => one.or(other).cloned(),
    }
}

/// The slices of a box along a dimension.
pub(super) struct BoxSweep {
    /// The rows of each cell.
    pub cells: Vec<Option<Slice>>,
    /// The rows of each cell of a set and those before it.
    up_to: Vec<Option<Slice>>,
    /// The rows of each cell of a set and those after it.
    from: Vec<Option<Slice>>,
}

impl BoxSweep {
    /// Slices some blocks.
    pub fn new(
        blocks: &FinestBlocks,
        minimum: &MinCost<'_>,
        grid: &SplitGrid,
        some: &[u32],
        dimension: usize,
    ) -> Self {
        let axis = &grid.axes[dimension];
        let mut cells: Vec<Option<Slice>> = vec![None; axis.last_code.len()];
        for &block in some {
            match &mut cells[blocks.cells(block)[dimension] as usize] {
                Some(slice) => slice.take(blocks, minimum, grid, block),
                empty => *empty = Some(Slice::of_block(blocks, minimum, grid, block)),
            }
        }
        let (mut up_to, mut from) = (Vec::new(), Vec::new());
        if matches!(axis.shape, CellShape::Set { .. }) {
            let together = |before: &mut Option<Slice>, cell: &Option<Slice>| {
                *before = merged(before.as_ref(), cell.as_ref());
                Some(before.clone())
            };
            up_to = cells.iter().scan(None, together).collect();
            from = cells.iter().rev().scan(None, together).collect();
            from.reverse();
        }
        BoxSweep { cells, up_to, from }
    }

    /// The parts that a split makes which hold rows, where the dimension is a set or a hierarchy.
    pub fn parts(&self, grid: &SplitGrid, split: u32) -> Vec<Cow<'_, Slice>> {
        let Split { dimension, at } = grid.splits[split as usize];
        let at = at as usize;
        match &grid.axes[dimension].shape {
            CellShape::Ordered => Vec::new(),
            CellShape::Set { .. } => {
                let before = at.checked_sub(1).and_then(|before| self.up_to[before].as_ref());
                let others = merged(before, self.from.get(at + 1).and_then(Option::as_ref));
                borrowed(&self.cells[at]).into_iter().chain(others.map(Cow::Owned)).collect()
            }
            CellShape::Hierarchy(taxa) => {
                let of_child = |&child: &u32| {
                    let (lo, hi) = taxa[child as usize].cells;
                    let cells = self.cells[lo as usize..=hi as usize].iter().flatten();
                    cells.fold(None, |all, cell| merged(all.as_ref(), Some(cell))).map(Cow::Owned)
                };
                taxa[at].children.iter().filter_map(of_child).collect()
            }
        }
    }
}
