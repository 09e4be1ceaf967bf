//! The finest blocks (Fig. 2): sets of rows that no split divides, with their statistics.
//!
//! They are made once. After that nothing in the search looks at rows.

use super::grid::SplitGrid;
use crate::Result;
use crate::job::Job;
use crate::statistics::{Collector, Statistics};
use crate::table::Shape;

/// The finest blocks that hold rows, in the order of their cells.
pub(super) struct FinestBlocks {
    /// The cells of the blocks, those of each one after the other.
    cells: Vec<u32>,
    dimensions: usize,
    /// The statistics of each block, as requirements and loss need them.
    pub statistics: Vec<Statistics>,
    /// Whether a row of each block misses a value of an ordered dimension or a hierarchy; empty where none does.
    misses: Vec<bool>,
}

impl FinestBlocks {
    /// The blocks of all rows; nothing where the job stops before they are known.
    pub fn new(grid: &SplitGrid, job: &Job<'_>) -> Result<Option<Self>> {
        let (table, dimensions) = (job.table, grid.axes.len());
        let mut needs = job.requirements.needs().clone();
        needs.include(&job.loss.needs());
        let row = 8 * dimensions + 24 + needs.bytes(table);
        job.budget.admit(table, table.rows() * row, "the blocks of a search for partitions")?;
        let mut tuples: Vec<u32> = vec![0; table.rows() * dimensions];
        for (dimension, axis) in grid.axes.iter().enumerate() {
            let codes = table.codes(dimension);
            for row in 0..table.rows() {
                tuples[row * dimensions + dimension] = axis.cell_of[codes.get(row) as usize];
            }
        }
        let tuple = |row: u32| &tuples[row as usize * dimensions..][..dimensions];
        let Some(order) = sorted(&tuples, grid, job) else { return Ok(None) };
        let (mut cells, mut ends) = (Vec::new(), Vec::new());
        for same in order.chunk_by(|&a, &b| tuple(a) == tuple(b)) {
            cells.extend_from_slice(tuple(same[0]));
            ends.push(ends.last().copied().unwrap_or(0) + same.len());
        }
        if job.stops() {
            return Ok(None);
        }
        let statistics = Collector::new(&needs, table)?.of_each(&order, &ends);
        let misses = misses(&order, &ends, job);
        Ok(Some(FinestBlocks { cells, dimensions, statistics, misses }))
    }

    /// Whether some rows miss a value of an ordered dimension or a hierarchy.
    pub fn some_miss(&self) -> bool {
        !self.misses.is_empty()
    }

    /// Whether a row of a block does.
    pub fn misses(&self, block: u32) -> bool {
        self.misses.get(block as usize).copied().unwrap_or(false)
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.statistics.len()
    }

    /// The cells of a block.
    #[inline]
    pub fn cells(&self, block: u32) -> &[u32] {
        &self.cells[block as usize * self.dimensions..][..self.dimensions]
    }

    /// Those of some blocks that a box holds.
    pub fn within(&self, grid: &SplitGrid, space: &[u32], of: impl Iterator<Item = u32>) -> Vec<u32> {
        of.filter(|&block| grid.holds(space, self.cells(block))).collect()
    }
}

/// Whether rows of blocks, which end at these places of an order, miss a value of an ordered dimension or a hierarchy;
/// empty where none does.
fn misses(order: &[u32], ends: &[usize], job: &Job<'_>) -> Vec<bool> {
    let domains = (0..job.table.dimensions()).map(|dimension| (dimension, job.table.domain(dimension)));
    let ranged = domains.filter(|(_, domain)| !matches!(domain.shape(), Shape::Set));
    let missing: Vec<_> = ranged
        .filter_map(|(dimension, domain)| Some((job.table.codes(dimension), domain.missing_code()?)))
        .collect();
    if missing.is_empty() {
        return Vec::new();
    }
    let misses = |row: &u32| missing.iter().any(|(codes, missing)| codes.get(*row as usize) == *missing);
    let starts = std::iter::once(0).chain(ends.iter().copied());
    starts.zip(ends).map(|(start, &end)| order[start..end].iter().any(misses)).collect()
}

/// The rows in the order of their tuples of cells, dimension by dimension from the last one on; nothing where the job stops
/// meanwhile.
fn sorted(tuples: &[u32], grid: &SplitGrid, job: &Job<'_>) -> Option<Vec<u32>> {
    let mut order: Vec<u32> = (0..job.table.rows() as u32).collect();
    let mut away = vec![0; order.len()];
    for (dimension, axis) in grid.axes.iter().enumerate().rev() {
        if job.stops() {
            return None;
        }
        let cell = |row: u32| tuples[row as usize * grid.axes.len() + dimension] as usize;
        let mut next = vec![0u32; axis.last_code.len() + 1];
        order.iter().for_each(|&row| next[cell(row) + 1] += 1);
        (1..next.len()).for_each(|cell| next[cell] += next[cell - 1]);
        for &row in &order {
            let place = &mut next[cell(row)];
            away[*place as usize] = row;
            *place += 1;
        }
        std::mem::swap(&mut order, &mut away);
    }
    Some(order)
}
