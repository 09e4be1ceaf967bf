//! A group that does not fit in memory: its rows are handed over in slices.

use super::run::RothkoRun;
use crate::Result;
use crate::partition::{Partitioning, Way};
use crate::parts::PartSink;
use crate::pass::PartRows;
use crate::region::Regions;
use crate::statistics::{Collector, Extent, Needs, Statistics};
use crate::table::Block;

impl RothkoRun<'_> {
    /// Hands over rows that are one group. Which slice a row is in is left to chance, as the order of rows within a group
    /// is.
    pub(super) fn large_group(
        &mut self,
        source: &dyn PartRows,
        way: &Way,
        sink: &mut dyn PartSink,
    ) -> Result<()> {
        let whole = self.measure(source)?;
        let regions = self.region(&whole);
        let slices = source.rows().div_ceil(self.room.slice_rows()).max(1) as usize;
        let dealt = source.deal(slices, self.job.secret)?;
        self.count(source.rows(), 1, 1);
        let filled: Vec<usize> = (0..dealt.leaves()).filter(|&leaf| dealt.rows(leaf) > 0).collect();
        for (number, &leaf) in filled.iter().enumerate() {
            let rows = dealt.rows(leaf);
            let mut block = Block::empty(self.job.frame);
            block.reserve(rows as usize);
            dealt.part(leaf..leaf + 1).load(&mut block)?;
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
            sink.slice(table, slice, way, number + 1 == filled.len())?;
        }
        self.account.parts += 1;
        Ok(())
    }

    /// One pass: the extents of all rows, and whether they satisfy the requirements.
    fn measure(&mut self, source: &dyn PartRows) -> Result<Statistics> {
        let mut needs = self.checks.needs().clone();
        needs.include(&Needs { extents: (0..self.job.frame.dimensions()).collect(), ..Needs::default() });
        let collector = Collector::of_rows(&needs, self.job.frame, self.whole.rows)?;
        let whole = source.measure(&collector)?;
        self.count(source.rows(), 1, 0);
        self.checks.feasible_as(&whole)?;
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
