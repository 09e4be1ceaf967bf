//! A group that does not fit in memory: its rows are handed over in slices.

use super::repartition::Repartition;
use super::route::Routed;
use super::run::Run;
use super::sample::below;
use super::scan;
use crate::Result;
use crate::partition::Partitioning;
use crate::partition::Way;
use crate::parts::PartSink;
use crate::region::Regions;
use crate::spill::{Block, Rows, SpilledPart};
use crate::statistics::{Collector, Extent, Needs, Statistics, Tally};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;

impl Run<'_> {
    /// Hands over rows that are one group. Which slice a row is in is left to chance, as the order of rows within a group
    /// is.
    pub(super) fn large_group(
        &mut self,
        source: &dyn Rows,
        way: &Way,
        sink: &mut dyn PartSink,
    ) -> Result<()> {
        let whole = self.measure(source)?;
        let regions = self.region(&whole);
        let slices = source.rows().div_ceil(self.room.slice_rows()).max(1) as usize;
        let secret = self.job.secret;
        let at_random = |number: usize, block: &Block, routed: &mut Routed| {
            let mut random = ChaCha8Rng::from_seed(secret);
            random.set_stream(number as u64);
            let slice = |_| below(&mut random, slices as u64) as u32;
            routed.set(&(0..block.rows()).map(slice).collect::<Vec<_>>(), slices);
        };
        let file = self.job.folder.file()?;
        let buffer = self.room.buffer(slices);
        let leaves = Repartition {
            frame: self.job.frame,
            leaves: slices,
            route: &at_random,
            file: &file,
            buffer,
            row: self.room.row_bytes(),
            batch: self.room.batch(),
            observer: self.job.observer,
        }
        .run(source)?;
        self.count(source.rows(), 1, 1);
        let mut left: usize = leaves.iter().filter(|leaf| leaf.rows() > 0).count();
        for leaf in leaves.into_iter().filter(|leaf| leaf.rows() > 0) {
            left -= 1;
            let rows = leaf.rows();
            let mut block = Block::empty(self.job.frame);
            block.reserve(rows as usize);
            SpilledPart::new(&file, leaf.into_places(), rows).append_to(&mut block)?;
            self.count(rows, 1, 0);
            let table = block.into_table(self.job.frame)?;
            let slice = Partitioning {
                order: (0..rows as u32).collect(),
                ends: vec![rows as u32],
                regions: regions.clone(),
                tree: None,
                bound: None,
                strict: true,
            };
            sink.slice(table, slice, way, left == 0)?;
        }
        self.account.parts += 1;
        Ok(())
    }

    /// One pass: the extents of all rows, and whether they satisfy the requirements.
    fn measure(&mut self, source: &dyn Rows) -> Result<Statistics> {
        let mut needs = self.bound.needs().clone();
        needs.include(&Needs { extents: (0..self.job.frame.dimensions()).collect(), ..Needs::default() });
        let collector = Collector::of_rows(&needs, self.job.frame, self.whole.rows)?;
        let bytes = Tally::bytes(&collector, source.rows());
        let _taken = self.job.pool.reserve(bytes, "the sensitive values of a group")?;
        let mut tally = Tally::new(&collector, source.rows());
        let look = |_: usize, _: &Block, _: &mut ()| {};
        scan::scan(source, self.job.frame, self.room.batch(), self.job.observer, look, |reads| {
            reads.iter().for_each(|read| tally.add(&read.block));
            Ok(())
        })?;
        let whole = tally.finish();
        self.count(source.rows(), 1, 0);
        self.bound.feasible_as(&whole)?;
        Ok(whole)
    }

    fn region(&self, whole: &Statistics) -> Regions {
        let mut regions = Regions::new(self.job.frame.dimensions());
        for (_, extent) in &whole.extents {
            match extent {
                Extent::Interval { lo, hi } => regions.push_interval(*lo, *hi),
                Extent::Members(_) => regions.push_set(extent.codes().into_iter()),
            }
        }
        regions
    }
}
