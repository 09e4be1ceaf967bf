//! The dynamic program: the best partitioning of every box, from those of its parts.
//!
//! The array is nested: a block for each interval of the first axis, in it one for each interval of the second, and so
//! on; a row of the inner axis has all its intervals. The parts of a cut on an outer axis are blocks of the same layout,
//! so that whole rows are added. Blocks of intervals of one length do not need each other, and are filled side by side.
//!
//! On the inner axis, only some first parts of a cut are tried: those whose best partitioning does not start with a cut
//! on that axis. Of another, the first part of its own cut can be taken instead, and what is left of it goes to the
//! other side, at no higher cost.

use super::grid::BoxRanges;
use super::leaves::{BoxRow, CostOverflow, LeafScratch, Leaves};
use super::value::CostValue;
use crate::job::Job;
use rayon::prelude::*;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Blocks with fewer boxes are filled by one thread.
const ALONE: usize = 1 << 16;

/// Rows with more codes look often whether they should stop.
const LONG: usize = 1 << 9;

/// The share of the time after which the program estimates whether the rest suffices.
const TOLD: f64 = 0.1;

/// The factor by which the estimate may exceed the time: threads beside it may end, or the machine become idle.
const MARGIN: f64 = 1.25;

/// The left and the right part of a cut on an outer axis.
struct CutSides<'v, V> {
    left: &'v [V],
    right: &'v [V],
    /// Whether one of them is a single code wide on that axis.
    is_edge: bool,
}

impl<'v, V: CostValue> CutSides<'v, V> {
    fn within(&self, range: Range<usize>) -> CutSides<'v, V> {
        CutSides { left: &self.left[range.clone()], right: &self.right[range], is_edge: self.is_edge }
    }

    /// Whether rows of boxes are worth a look where a group need only be large enough: if the longest box of one is too
    /// small, the shorter ones are as well, or are empty; and an empty part is taken off code by code as well.
    fn may_help(&self) -> bool {
        let longest = self.left.len() - 1;
        self.is_edge || (self.left[longest].is_finite() && self.right[longest].is_finite())
    }
}

/// Buffers of a thread.
struct ProgramBuffers<V> {
    at: BoxRanges,
    scratch: LeafScratch,
    /// The best cuts on the inner axis of the boxes that start with a code.
    cuts: Vec<V>,
}

/// Fills the array.
pub struct Program<'p, 'j, V: CostValue> {
    job: &'p Job<'j>,
    leaves: &'p Leaves<'p, V>,
    stopped: AtomicBool,
    unfit: AtomicBool,
    started: Instant,
    /// How many boxes are filled.
    filled: AtomicU64,
}

/// Whether the time will not do when a share of the boxes is filled so far. Boxes that come later have more cuts, so that
/// it takes at least the estimated time.
fn is_hopeless(spent: Duration, left: Duration, filled: f64) -> bool {
    let (spent, all) = (spent.as_secs_f64(), (spent + left).as_secs_f64());
    spent >= TOLD * all && spent > filled * all * MARGIN
}

/// Why there is no array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProgramFailure {
    /// Time is over, or the observer wants no more.
    Stopped,
    /// A cost does not fit.
    Unfit,
}

impl<'p, 'j, V: CostValue> Program<'p, 'j, V> {
    /// A program that has not run.
    pub fn new(job: &'p Job<'j>, leaves: &'p Leaves<'p, V>) -> Self {
        Program {
            job,
            leaves,
            stopped: AtomicBool::new(false),
            unfit: AtomicBool::new(false),
            started: Instant::now(),
            filled: AtomicU64::new(0),
        }
    }

    fn room(&self, at: &[(usize, usize)]) -> ProgramBuffers<V> {
        let facts = self.leaves.facts;
        ProgramBuffers {
            at: at.to_vec(),
            scratch: facts.scratch(),
            cuts: vec![V::INFINITE; facts.grid.inner().codes],
        }
    }

    /// The cost of the best partitioning of every box, by its number.
    pub fn run(&self) -> Result<Vec<V>, ProgramFailure> {
        let grid = &self.leaves.facts.grid;
        let mut values = vec![V::ZERO; grid.boxes() as usize];
        self.fill(0, &mut values, &[], &mut self.room(&vec![(0, 0); grid.outer().len()]));
        if self.unfit.load(Ordering::Relaxed) {
            return Err(ProgramFailure::Unfit);
        }
        if self.stopped.load(Ordering::Relaxed) {
            return Err(ProgramFailure::Stopped);
        }
        Ok(values)
    }

    fn stops(&self) -> bool {
        if self.stopped.load(Ordering::Relaxed) {
            return true;
        }
        let stops = self.job.stops() || self.is_hopeless();
        if stops {
            self.stopped.store(true, Ordering::Relaxed);
        }
        stops
    }

    /// Whether the time will be over before all boxes are filled: it is then better spent otherwise.
    fn is_hopeless(&self) -> bool {
        self.job.budget.until.is_some_and(|until| {
            let now = Instant::now();
            let left = until.saturating_duration_since(now);
            let filled = self.filled.load(Ordering::Relaxed) as f64 / self.leaves.facts.grid.boxes() as f64;
            is_hopeless(now.duration_since(self.started), left, filled)
        })
    }

    /// Fills the block of the boxes whose bounds on the axes before this one are given. `cuts` has the two parts of
    /// every cut of these axes.
    fn fill(&self, axis: usize, block: &mut [V], cuts: &[CutSides<'_, V>], room: &mut ProgramBuffers<V>) {
        let Some(&here) = self.leaves.facts.grid.outer().get(axis) else {
            return self.fill_row(block, cuts, room);
        };
        let size = block.len() / here.intervals();
        for length in 1..=here.codes {
            let (done, rest) = block.split_at_mut(here.first_of_length(length) * size);
            let boxes = &mut rest[..(here.codes + 1 - length) * size];
            let fill = |lo: usize, part: &mut [V], room: &mut ProgramBuffers<V>| {
                let (place, hi) = (here.first_of_length(length) + lo, lo + length - 1);
                let mut parts: Vec<CutSides<'_, V>> = Vec::with_capacity(cuts.len() + length - 1);
                parts.extend(cuts.iter().map(|cut| cut.within(place * size..(place + 1) * size)));
                let block = |lo: usize, hi: usize| &done[here.place(lo, hi) * size..][..size];
                parts.extend((lo..hi).map(|code| CutSides {
                    left: block(lo, code),
                    right: block(code + 1, hi),
                    is_edge: code == lo || code + 1 == hi,
                }));
                room.at[axis] = (lo, hi);
                self.fill(axis + 1, part, &parts, room);
            };
            if boxes.len() >= ALONE {
                let parts = boxes.par_chunks_mut(size).enumerate().with_min_len(ALONE / 2 / size + 1);
                parts.for_each_init(
                    || self.room(&room.at),
                    |room, (lo, part)| {
                        if !self.stops() {
                            fill(lo, part, room);
                        }
                    },
                );
            } else {
                boxes.chunks_mut(size).enumerate().for_each(|(lo, part)| fill(lo, part, room));
            }
        }
    }

    fn fill_row(&self, values: &mut [V], cuts: &[CutSides<'_, V>], room: &mut ProgramBuffers<V>) {
        self.filled.fetch_add(values.len() as u64, Ordering::Relaxed);
        let inner = self.leaves.facts.grid.inner();
        let mut row = self.leaves.row(&room.at, &mut room.scratch);
        if row.rows() == 0 {
            return values.fill(V::ZERO);
        }
        if row.is_hopeless() {
            for lo in 0..inner.codes {
                row.give_up(lo, &mut values[inner.first_from(lo)..][..inner.codes - lo]);
            }
            return;
        }
        values.fill(V::INFINITE);
        let by_size = self.leaves.facts.requirements.only_count();
        for CutSides { left, right, .. } in cuts.iter().filter(|cut| !by_size || cut.may_help()) {
            for ((value, left), right) in values.iter_mut().zip(*left).zip(*right) {
                *value = value.least(left.plus(*right));
            }
        }
        for lo in (0..inner.codes).rev() {
            if inner.codes > LONG && self.stops() {
                return;
            }
            if self.fill_from(lo, values, &mut room.cuts, &mut row) == Err(CostOverflow) {
                self.unfit.store(true, Ordering::Relaxed);
                self.stopped.store(true, Ordering::Relaxed);
                return;
            }
        }
    }

    /// Settles the boxes that start with a code of the inner axis, whose values are those of the best cuts on the outer
    /// axes.
    fn fill_from(
        &self,
        lo: usize,
        values: &mut [V],
        cuts: &mut [V],
        row: &mut BoxRow<'_, V>,
    ) -> Result<(), CostOverflow> {
        let inner = self.leaves.facts.grid.inner();
        let (done, rest) = values.split_at_mut(inner.first_from(lo));
        let (boxes, cuts) = (&mut rest[..inner.codes - lo], &mut cuts[lo..]);
        cuts.fill(V::INFINITE);
        if row.by_count {
            row.settle_by_count(lo, boxes);
        }
        for at in 0..boxes.len() {
            let cut = cuts[at];
            let value = if row.by_count { boxes[at] } else { row.settle(lo, lo + at, boxes[at].least(cut))? };
            boxes[at] = cut.least(value);
            if value < cut && at + 1 < boxes.len() {
                let completed = &done[inner.first_from(lo + at + 1)..];
                for (cut, other) in cuts[at + 1..].iter_mut().zip(completed) {
                    *cut = cut.least(value.plus(*other));
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_will_not_be_done_in_time_is_given_up() {
        let told = |spent: u64, left: u64, filled: f64| {
            is_hopeless(Duration::from_millis(spent), Duration::from_millis(left), filled)
        };
        assert!(!told(200, 2800, 0.0), "too early to tell");
        assert!(told(400, 2600, 0.05), "eight seconds, and three are granted");
        assert!(!told(400, 2600, 0.12), "three and a third");
        assert!(!told(2900, 100, 0.95));
        assert!(told(2900, 100, 0.5));
    }
}
