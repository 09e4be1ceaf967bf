//! The loss of precision (Sweeney, 2002): how high in its hierarchy a cell is published, averaged over
//! the cells. 0 is best; Sweeney's Prec is 1 minus this.
//!
//! A hierarchy node is as high as its deepest leaf is below it, over the height of the tree; of several nodes over the
//! same leaves, the lowest counts. Intervals and sets have no levels. Their certainty penalty stands for one, as it
//! agrees where levels would: it is 0 for a single value and 1 for everything, and grows with what a cell covers. A
//! suppressed row pays 1 for every cell.
//!
//! Additive. A refinement may publish every row as it is, so nothing above 0 bounds it.

use super::{Cost, Loss, Original, Totals};
use crate::hierarchy::Hierarchy;
use crate::statistics::{Extent, Needs, Statistics};
use crate::table::Table;

/// The average over all cells of level / height of the hierarchy, 0..1.
#[derive(Clone, Copy, Debug)]
pub struct Precision;

impl Loss for Precision {
    fn id(&self) -> &'static str {
        "precision"
    }

    fn cost<'a>(&self, original: &Original<'a>) -> Option<Box<dyn Cost + 'a>> {
        let table = original.table;
        let heights = |dimension| table.domain(dimension).hierarchy().map_or_else(Vec::new, heights);
        Some(Box::new(PrecisionCost { table, heights: (0..table.dimensions()).map(heights).collect() }))
    }

    fn ignores_other_rows(&self) -> bool {
        true
    }
}

struct PrecisionCost<'a> {
    table: &'a Table,
    /// How high each node of the hierarchy of each dimension is.
    heights: Vec<Vec<u32>>,
}

/// How far every node is above its deepest leaf.
fn heights(tree: &Hierarchy) -> Vec<u32> {
    let mut heights = vec![0; tree.node_count() as usize];
    for node in tree.nodes() {
        if let Some(parent) = tree.parent(node) {
            heights[parent.index()] = heights[parent.index()].max(heights[node.index()] + 1);
        }
    }
    heights
}

impl PrecisionCost<'_> {
    fn level(&self, dimension: usize, extent: &Extent) -> f64 {
        let domain = self.table.domain(dimension);
        match (domain.hierarchy(), extent.ends()) {
            (Some(_), None) => 0.0,
            (Some(_), Some((lo, hi))) if lo == hi => 0.0,
            (Some(tree), Some((lo, hi))) => {
                let node = domain.node_over(tree, lo, hi);
                f64::from(self.heights[dimension][node.index()]) / f64::from(tree.height().max(1))
            }
            (None, _) => domain.penalty_of(extent),
        }
    }
}

impl Cost for PrecisionCost<'_> {
    fn needs(&self) -> Needs {
        Needs { extents: (0..self.table.dimensions()).collect(), ..Needs::default() }
    }

    fn measures_lengths(&self) -> bool {
        true
    }

    fn group(&self, group: &Statistics) -> f64 {
        let level = |dimension| self.level(dimension, group.extent(dimension));
        (0..self.table.dimensions()).map(level).sum::<f64>() * group.count as f64
    }

    fn bound(&self, _: &Statistics, _: u64) -> f64 {
        0.0
    }

    fn cell(&self, dimension: usize, extent: &Extent) -> Option<f64> {
        Some(self.level(dimension, extent))
    }

    fn monotone(&self) -> bool {
        true
    }

    fn price(&self, _: u64) -> Option<f64> {
        Some(self.table.dimensions() as f64)
    }

    fn finish(&self, sum: f64, totals: &Totals) -> f64 {
        let dimensions = self.table.dimensions().max(1) as f64;
        (sum / dimensions + totals.suppressed as f64) / totals.rows.max(1) as f64
    }
}
