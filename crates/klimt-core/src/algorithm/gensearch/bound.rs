//! Lower bounds: the least that any refinement of a leaf costs, from the finest blocks in it (section 3.1.1, Fig. 4).
//!
//! `LB_DM` of Fig. 4 is the sum of what the leaves cost that no descendant in the enumeration tree splits any more, and
//! of `MinCost` of the others. Which leaves those are is in `tree.rs`; this is `MinCost`.
//!
//! A finest block is never cut, so its rows end up in a group that holds all of them and, where the requirements ask
//! for k rows, at least k. What is sound to charge them depends on the loss:
//! - where it counts rows only (DM), the least that a row pays in any group of that size or a larger one: for DM,
//!   `Penalty(t) = max(|E(t)|, k)`;
//! - where refinements never cost more ([`Cost::monotone`]), what the block would cost as a group: for CM its minority,
//!   for VM its rows times the volume of its smallest region;
//! - else nothing.
//!
//! Beyond the paper, the bound that the loss itself promises ([`Cost::bound`]) holds too, and a leaf too small to be cut
//! costs what it costs. As published, only losses of which blocks tell nothing are bounded so.

use super::blocks::FinestBlocks;
use super::sweep::Slice;
use crate::job::Job;
use crate::loss::Cost;
use crate::statistics::Statistics;

/// The tables that `MinCost` of a leaf is computed from.
pub(super) struct MinCost<'a> {
    loss: &'a dyn Cost,
    /// The least size of a group.
    k: u64,
    /// The least that the rows of each finest block cost, whatever happens around it.
    blocks: Vec<f64>,
    /// Whether leaves are bounded by blocks alone.
    by_blocks: bool,
}

impl<'a> MinCost<'a> {
    /// Looks at the finest blocks.
    pub fn new(job: &Job<'a>, blocks: &FinestBlocks, published: bool) -> Self {
        let (loss, k) = (job.loss, job.requirements.minimum_size());
        let sizes = blocks.statistics.iter().map(|block| block.count.max(k)).collect();
        let by_size = RowPrices::new(loss, sizes, job.table.rows() as u64);
        let least = |block: &Statistics| {
            let whole = if loss.monotone() { loss.group(block) } else { 0.0 };
            let sized =
                by_size.as_ref().map_or(0.0, |prices| prices.least(block.count.max(k)) * block.count as f64);
            whole.max(sized)
        };
        let by_blocks = published && (loss.monotone() || by_size.is_some());
        MinCost { loss, k, blocks: blocks.statistics.iter().map(least).collect(), by_blocks }
    }

    /// The least that the rows of a finest block cost.
    pub fn block(&self, block: u32) -> f64 {
        self.blocks[block as usize]
    }

    /// `MinCost` of a leaf that costs `cost` as a group.
    pub fn of(&self, leaf: &Slice, cost: f64) -> f64 {
        if leaf.blocks == 1 {
            return cost;
        }
        if self.by_blocks {
            return leaf.finest.min(cost);
        }
        if leaf.statistics.count < 2 * self.k {
            return cost;
        }
        leaf.finest.max(self.loss.bound(&leaf.statistics, self.k)).min(cost)
    }
}

/// The least that a row pays in a group of some size or of any larger one, up to that of all rows, where a loss counts
/// rows only: by size, ascending.
struct RowPrices(Vec<(u64, f64)>);

impl RowPrices {
    fn new(loss: &dyn Cost, mut sizes: Vec<u64>, rows: u64) -> Option<Self> {
        sizes.sort_unstable();
        sizes.dedup();
        let mut prices: Vec<(u64, f64)> = Vec::with_capacity(sizes.len());
        let (mut least, mut size) = (f64::INFINITY, rows);
        for &wanted in sizes.iter().rev() {
            while size >= wanted.max(1) {
                least = least.min(loss.size(size)? / size as f64);
                size -= 1;
            }
            prices.push((wanted, least));
        }
        prices.reverse();
        Some(RowPrices(prices))
    }

    fn least(&self, size: u64) -> f64 {
        let found = self.0.binary_search_by_key(&size, |&(size, _)| size);
        self.0[found.expect("prices are known for the sizes of all blocks")].1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::loss::Discernibility;

    #[test]
    fn a_row_pays_the_size_of_its_group() {
        let prices = RowPrices::new(&Discernibility, vec![9, 4, 1, 4], 9).unwrap();
        assert_eq!([1, 4, 9].map(|size| prices.least(size)), [1.0, 4.0, 9.0]);
    }
}
