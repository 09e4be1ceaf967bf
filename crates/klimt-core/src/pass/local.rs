//! Passes by the threads of this machine, over rows in memory or in spill files.
//!
//! Leaves are read again to be judged, one after the other: the values of one leaf fit in memory where those of all leaves
//! do not. What only counts rows is known without.

use super::frequency::{CountColumns, CountRequest, Frequencies};
use super::repartition::{Repartition, SpilledLeaf};
use super::route::{RoutedRows, Router};
use super::sample::{SampleRequest, survey};
use super::scan::{ScannedBlock, scan};
use super::{DividedRows, LeafJudge, PartRows};
use crate::job::Observer;
use crate::memory::Pool;
use crate::partition::CutTree;
use crate::parts::CodeCounts;
use crate::spill::{Block, Rows, SpillFile, SpillFolder, SpilledPart};
use crate::statistics::{Collector, Statistics, StatisticsTally};
use crate::table::Table;
use crate::{Error, ErrorKind, Result};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use rayon::prelude::*;
use std::ops::Range;

/// Rows of a leaf are written in strokes of at least this many bytes, or leaves are too many.
pub(crate) const LEAST_BUFFER: usize = 16 << 10;
/// Longer strokes gain nothing.
const MOST_BUFFER: usize = 256 << 10;

/// The memory for blocks of rows that are read or wait to be written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BlockMemory {
    /// The bytes that passes share with everything else.
    pub bytes: usize,
    /// Bytes of a row while it lies in a table.
    pub row: usize,
    /// The rows of a block of the source.
    pub block_rows: usize,
}

impl BlockMemory {
    /// How many blocks are read at once.
    pub fn batch(&self) -> usize {
        self.blocks_in(self.bytes / 6)
    }

    /// How many blocks are read at once beside frequency groups.
    pub fn batch_beside(&self) -> usize {
        self.blocks_in(self.bytes / 16)
    }

    fn blocks_in(&self, bytes: usize) -> usize {
        let block = self.block_rows * (self.row + 12);
        (bytes / block.max(1)).clamp(1, 4 * rayon::current_num_threads())
    }

    /// When the rows of one in this many leaves are written.
    pub fn buffer(&self, leaves: usize) -> usize {
        (self.bytes / 2 / leaves.max(1) / 2).clamp(LEAST_BUFFER / 4, MOST_BUFFER)
    }
}

/// The memory, files and threads of the passes of this machine.
#[derive(Clone, Copy)]
pub(crate) struct LocalPasses<'a> {
    /// The columns of the table, with their domains and without rows.
    pub frame: &'a Table,
    /// The memory of the run.
    pub pool: &'a Pool,
    /// The memory for blocks of rows.
    pub memory: BlockMemory,
    /// Where divided rows go.
    pub folder: &'a SpillFolder,
    /// Watches the run: counts every row that is read.
    pub observer: &'a dyn Observer,
}

/// Rows that are read block by block.
pub(crate) struct LocalRows<'a, R> {
    /// The rows.
    pub rows: R,
    /// The memory, files and threads of its passes.
    pub passes: LocalPasses<'a>,
}

impl<R: Rows> LocalRows<'_, R> {
    /// Divides the rows among leaves that `route` tells, and writes them to a spill file.
    fn repartition(
        &self,
        leaves: usize,
        route: &(dyn Fn(usize, &Block, &mut RoutedRows) + Sync),
    ) -> Result<Box<dyn DividedRows + '_>> {
        let LocalPasses { frame, memory, folder, observer, .. } = self.passes;
        let file = folder.file()?;
        let (buffer, batch) = (memory.buffer(leaves), memory.batch());
        let repartition =
            Repartition { frame, leaves, route, file: &file, buffer, row: memory.row, batch, observer };
        let leaves = repartition.run(&self.rows)?;
        Ok(Box::new(SpilledLeaves { passes: self.passes, file, leaves }))
    }
}

impl<R: Rows> PartRows for LocalRows<'_, R> {
    fn rows(&self) -> u64 {
        self.rows.rows()
    }

    fn survey(&self, sample: Option<SampleRequest>, counted: &[usize]) -> Result<(Block, CodeCounts)> {
        survey(&self.rows, &self.passes, sample, counted)
    }

    fn count<'c>(
        &self,
        cuts: &CutTree,
        nodes: &[&CountRequest],
        counting: CountColumns<'c>,
    ) -> Result<Frequencies<'c>> {
        let LocalPasses { frame, memory, observer, .. } = self.passes;
        let router = Router::new(cuts, frame);
        let mut frequencies = Frequencies::new(nodes, counting);
        let route = |_: usize, block: &Block, routed: &mut RoutedRows| router.route(block, routed);
        scan(&self.rows, frame, memory.batch_beside(), observer, route, |reads| {
            frequencies.add(reads);
            Ok(())
        })?;
        frequencies.finish();
        Ok(frequencies)
    }

    fn measure(&self, collector: &Collector<'_>) -> Result<Statistics> {
        let LocalPasses { frame, memory, observer, pool, .. } = self.passes;
        let bytes = StatisticsTally::bytes(collector, self.rows.rows());
        let _taken = pool.reserve(bytes, "the sensitive values of a group")?;
        let mut tally = StatisticsTally::new(collector, self.rows.rows());
        let look = |_: usize, _: &Block, _: &mut ()| {};
        scan(&self.rows, frame, memory.batch(), observer, look, |reads: &[ScannedBlock<()>]| {
            reads.iter().for_each(|read| tally.add(&read.block));
            Ok(())
        })?;
        Ok(tally.finish())
    }

    fn divide(&self, cuts: &CutTree) -> Result<Box<dyn DividedRows + '_>> {
        let router = Router::new(cuts, self.passes.frame);
        let leaves = router.leaves();
        let buffers = leaves * self.passes.memory.buffer(leaves) * 2;
        let _taken = self.passes.pool.reserve(buffers, "dividing the rows")?;
        self.repartition(leaves, &|_, block, routed| router.route(block, routed))
    }

    fn deal(&self, leaves: usize, secret: [u8; 32]) -> Result<Box<dyn DividedRows + '_>> {
        let at_random = |number: usize, block: &Block, routed: &mut RoutedRows| {
            let mut random = ChaCha8Rng::from_seed(secret);
            random.set_stream(number as u64);
            let leaf = |_| below(&mut random, leaves as u64) as u32;
            routed.set(&(0..block.rows()).map(leaf).collect::<Vec<_>>(), leaves);
        };
        self.repartition(leaves, &at_random)
    }

    fn load(&self, into: &mut Block) -> Result<()> {
        self.rows.append_all(self.passes.frame, into)
    }
}

/// The rows of leaves in a spill file.
struct SpilledLeaves<'a> {
    passes: LocalPasses<'a>,
    file: SpillFile,
    leaves: Vec<SpilledLeaf>,
}

impl SpilledLeaves<'_> {
    fn spilled(&self, leaves: Range<usize>) -> SpilledPart<'_> {
        let leaves = &self.leaves[leaves];
        let places = leaves.iter().flat_map(SpilledLeaf::places).copied().collect();
        SpilledPart::new(&self.file, places, leaves.iter().map(SpilledLeaf::rows).sum())
    }
}

impl DividedRows for SpilledLeaves<'_> {
    fn leaves(&self) -> usize {
        self.leaves.len()
    }

    fn rows(&self, leaf: usize) -> u64 {
        self.leaves[leaf].rows()
    }

    fn violating(&self, judge: &LeafJudge<'_>) -> Result<Vec<bool>> {
        let pool = self.passes.pool;
        let most = self.leaves.iter().map(SpilledLeaf::rows).max().unwrap_or(0);
        let bytes = StatisticsTally::bytes(judge.collector, most);
        let violates = |leaf: usize| match self.leaves[leaf].rows() {
            0 => Ok(false),
            rows if rows < judge.requirements.minimum_size() => Ok(true),
            _ => self.statistics(leaf..leaf + 1, judge).map(|found| judge.violates(&found)),
        };
        match pool.take(bytes.saturating_mul(rayon::current_num_threads())) {
            Some(_taken) => (0..self.leaves.len()).into_par_iter().map(violates).collect(),
            None => {
                let _taken = pool.reserve(bytes, "the sensitive values of a part")?;
                (0..self.leaves.len()).map(violates).collect()
            }
        }
    }

    fn statistics(&self, leaves: Range<usize>, judge: &LeafJudge<'_>) -> Result<Statistics> {
        let part = self.spilled(leaves);
        if judge.requirements.only_count() {
            return Ok(Statistics { count: part.rows(), ..Statistics::default() });
        }
        let mut tally = StatisticsTally::new(judge.collector, part.rows());
        let mut block = Block::empty(self.passes.frame);
        for number in 0..part.blocks() {
            part.read(number, &mut block)?;
            tally.add(&block);
        }
        if self.passes.observer.cancelled() {
            return Err(Error::new(ErrorKind::Cancelled, "stopped"));
        }
        Ok(tally.finish())
    }

    fn part(&self, leaves: Range<usize>) -> Box<dyn PartRows + '_> {
        Box::new(LocalRows { rows: self.spilled(leaves), passes: self.passes })
    }
}

/// A number below `limit`, each as likely as any other.
fn below(random: &mut ChaCha8Rng, limit: u64) -> u64 {
    // Draws beyond the last multiple of the limit are thrown away.
    let most = u64::MAX - u64::MAX % limit;
    loop {
        let drawn = random.next_u64();
        if drawn < most {
            return drawn % limit;
        }
    }
}
