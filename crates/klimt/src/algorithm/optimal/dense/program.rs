//! The dynamic program: the best partitioning of every box, from those of its parts.
//!
//! The array is nested: a block for each interval of the first axis, in it one for each interval of the second, and so
//! on; a row of the inner axis has all its intervals. The parts of a cut on an outer axis are blocks of the same layout,
//! so that whole rows are added; those of a cut on the inner axis, of one length, lie side by side in the same row.
//! Blocks of intervals of one length do not need each other, and are filled side by side.

use super::leaves::{Leaves, Row, Scratch, Unfit};
use super::value::Value;
use crate::partition::Job;
use rayon::prelude::*;
use std::sync::atomic::{AtomicBool, Ordering};

/// Blocks with fewer boxes are filled by one thread.
const ALONE: usize = 1 << 16;

/// Rows with more codes look often whether they should stop.
const LONG: usize = 1 << 9;

/// The left and the right part of a cut.
type Parts<'v, V> = (&'v [V], &'v [V]);

/// Fills the array.
pub struct Program<'p, 'j, V: Value> {
    job: &'p Job<'j>,
    leaves: &'p Leaves<'p, V>,
    stopped: AtomicBool,
    unfit: AtomicBool,
}

/// Why there is no array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    /// Time is over, or the observer wants no more.
    Stopped,
    /// A cost does not fit.
    Unfit,
}

impl<'p, 'j, V: Value> Program<'p, 'j, V> {
    /// A program that has not run.
    pub fn new(job: &'p Job<'j>, leaves: &'p Leaves<'p, V>) -> Self {
        Program { job, leaves, stopped: AtomicBool::new(false), unfit: AtomicBool::new(false) }
    }

    /// The cost of the best partitioning of every box, by its number.
    pub fn run(&self) -> Result<Vec<V>, Failure> {
        let grid = &self.leaves.facts.grid;
        let mut values = vec![V::ZERO; grid.boxes() as usize];
        let mut at = vec![(0, 0); grid.outer().len()];
        self.fill(0, &mut values, &[], &mut at, &mut self.leaves.facts.scratch());
        if self.unfit.load(Ordering::Relaxed) {
            return Err(Failure::Unfit);
        }
        if self.stopped.load(Ordering::Relaxed) {
            return Err(Failure::Stopped);
        }
        Ok(values)
    }

    fn stops(&self) -> bool {
        if self.stopped.load(Ordering::Relaxed) {
            return true;
        }
        let stops = self.job.budget.over() || self.job.observer.cancelled();
        if stops {
            self.stopped.store(true, Ordering::Relaxed);
        }
        stops
    }

    /// Fills the block of the boxes whose bounds on the axes before this one are given. `cuts` has the two parts of
    /// every cut of these axes.
    fn fill(
        &self,
        axis: usize,
        block: &mut [V],
        cuts: &[Parts<'_, V>],
        at: &mut [(usize, usize)],
        scratch: &mut Scratch,
    ) {
        let Some(&here) = self.leaves.facts.grid.outer().get(axis) else {
            return self.fill_row(block, cuts, at, scratch);
        };
        let size = block.len() / here.intervals();
        for length in 1..=here.codes {
            let (done, rest) = block.split_at_mut(here.first(length) * size);
            let boxes = &mut rest[..(here.codes + 1 - length) * size];
            let fill = |lo: usize, part: &mut [V], at: &mut [(usize, usize)], scratch: &mut Scratch| {
                let place = here.first(length) + lo;
                let mut parts: Vec<Parts<'_, V>> = Vec::with_capacity(cuts.len() + length - 1);
                let within = place * size..(place + 1) * size;
                parts
                    .extend(cuts.iter().map(|(left, right)| (&left[within.clone()], &right[within.clone()])));
                let block = |lo: usize, hi: usize| &done[here.place(lo, hi) * size..][..size];
                let last = lo + length - 1;
                parts.extend((lo..last).map(|code| (block(lo, code), block(code + 1, last))));
                at[axis] = (lo, last);
                self.fill(axis + 1, part, &parts, at, scratch);
            };
            if boxes.len() >= ALONE {
                let init = || (at.to_vec(), self.leaves.facts.scratch());
                boxes.par_chunks_mut(size).enumerate().with_min_len(ALONE / 2 / size + 1).for_each_init(
                    init,
                    |(at, scratch), (lo, part)| {
                        if !self.stops() {
                            fill(lo, part, at, scratch);
                        }
                    },
                );
            } else {
                boxes.chunks_mut(size).enumerate().for_each(|(lo, part)| fill(lo, part, at, scratch));
            }
        }
    }

    fn fill_row(
        &self,
        values: &mut [V],
        cuts: &[Parts<'_, V>],
        at: &[(usize, usize)],
        scratch: &mut Scratch,
    ) {
        let inner = self.leaves.facts.grid.inner();
        let mut row = self.leaves.row(at, scratch);
        if row.rows() == 0 {
            return values.fill(V::ZERO);
        }
        if row.is_hopeless() {
            for length in 1..=inner.codes {
                row.give_up(length, &mut values[inner.first(length)..][..inner.codes + 1 - length]);
            }
            return;
        }
        values.fill(V::INFINITE);
        for (left, right) in cuts {
            lower(values, left, right);
        }
        if self.fill_lengths(values, &mut row) == Err(Unfit) {
            self.unfit.store(true, Ordering::Relaxed);
            self.stopped.store(true, Ordering::Relaxed);
        }
    }

    /// Settles a row whose values are those of the best cuts on the outer axes.
    fn fill_lengths(&self, values: &mut [V], row: &mut Row<'_, V>) -> Result<(), Unfit> {
        let inner = self.leaves.facts.grid.inner();
        for length in 1..=inner.codes {
            if inner.codes > LONG && self.stops() {
                break;
            }
            let (done, rest) = values.split_at_mut(inner.first(length));
            let boxes = &mut rest[..inner.codes + 1 - length];
            for left in 1..length {
                lower(boxes, &done[inner.first(left)..], &done[inner.first(length - left) + left..]);
            }
            row.settle(length, boxes)?;
        }
        Ok(())
    }
}

/// Lowers values to the sums of the two parts of a cut.
#[inline]
fn lower<V: Value>(values: &mut [V], left: &[V], right: &[V]) {
    let (left, right) = (&left[..values.len()], &right[..values.len()]);
    for ((value, left), right) in values.iter_mut().zip(left).zip(right) {
        *value = value.least(left.plus(*right));
    }
}
