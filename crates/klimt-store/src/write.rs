//! Handing over the groups of a release, and the histories that it makes.

use crate::dictionary::StoreFrame;
use crate::histories::Histories;
use crate::page::Page;
use crate::plan::ReleasePlan;
use hashbrown::HashMap;
use klimt_core::Result;
use klimt_core::partition::Partitioning;
use klimt_core::parts::{PartSink, Way};
use klimt_core::region::Regions;
use klimt_core::spill::Block;

/// Parts have about this many rows.
const PART: usize = 1 << 18;
/// Groups of rows that stand one after the other, whose regions are not known yet.
pub(crate) fn groups_of(rows: usize, ends: Vec<u32>, strict: bool) -> Partitioning {
    let order = (0..rows as u32).collect();
    Partitioning { order, ends, regions: Regions::default(), tree: None, bound: None, strict }
}

/// The histories that a release makes.
pub(crate) struct Steps<'h> {
    pub release: u32,
    pub histories: &'h mut Histories,
    /// The new history of each group and old one.
    pub made: HashMap<(u32, u32), u32>,
}

impl Steps<'_> {
    /// The new histories of the rows of a page.
    pub fn page(&mut self, page: &Page, places: &[u32], alike: &HashMap<u32, u32>) -> Vec<u32> {
        let mut marks = page.rows.marks.clone();
        for (mark, place) in marks.iter_mut().zip(places).filter(|(_, place)| **place != ReleasePlan::HELD) {
            let group = alike.get(place).copied().unwrap_or(*place);
            let Steps { release, histories, made } = self;
            *mark = *made.entry((group, *mark)).or_insert_with(|| histories.step(*mark, *release, group));
        }
        marks
    }
}

/// Rows that wait to be handed over, group by group.
struct WaitingRows {
    block: Block,
    ends: Vec<u32>,
}

impl WaitingRows {
    fn new(frame: &StoreFrame) -> Self {
        WaitingRows { block: Block::empty(&frame.table), ends: Vec::new() }
    }
}

/// Hands over groups.
pub(crate) struct GroupWriter<'w> {
    sink: &'w mut dyn PartSink,
    frame: &'w StoreFrame,
    /// Whether the boxes of groups do not overlap.
    strict: bool,
    alike: &'w HashMap<u32, u32>,
    part: WaitingRows,
    /// Groups that are published alike come last, together.
    apart: WaitingRows,
}

impl<'w> GroupWriter<'w> {
    pub fn new(
        sink: &'w mut dyn PartSink,
        frame: &'w StoreFrame,
        strict: bool,
        alike: &'w HashMap<u32, u32>,
    ) -> Self {
        GroupWriter {
            sink,
            frame,
            strict,
            alike,
            part: WaitingRows::new(frame),
            apart: WaitingRows::new(frame),
        }
    }

    /// Takes the next group: some rows of a block.
    pub fn group(&mut self, group: u32, block: &Block, rows: &[u32]) -> Result<()> {
        let into = if self.alike.contains_key(&group) { &mut self.apart } else { &mut self.part };
        into.block.append_rows(block, rows);
        into.ends.push(into.block.rows() as u32);
        if self.part.block.rows() >= PART { self.flush(false) } else { Ok(()) }
    }

    fn flush(&mut self, apart: bool) -> Result<()> {
        let waiting = if apart { &mut self.apart } else { &mut self.part };
        let WaitingRows { block, ends } = std::mem::replace(waiting, WaitingRows::new(self.frame));
        if ends.is_empty() {
            return Ok(());
        }
        let table = block.into_table(&self.frame.table)?;
        let mut partitioning = groups_of(table.rows(), ends, self.strict && !apart);
        partitioning.regions = partitioning.compact(&table);
        self.sink.part(table, partitioning, &Way::default())
    }

    /// All groups have come.
    pub fn finish(mut self) -> Result<()> {
        self.flush(false)?;
        self.flush(true)
    }
}
