//! Where the rows of a part are, and how a cut moves them.
//!
//! A part lives in a range of one of two buffers. A cut moves its rows to the same range of the other buffer, in
//! their order, so that neighbours in memory stay neighbours and the result does not depend on who works where.

use super::kernel::WorkerBuffers;
use crate::cut::{Cut, MissingRun};
use crate::packed::Tuple;
use crate::table::Word;
use rayon::prelude::*;

/// Rows in one of the buffers.
pub(super) struct BufferRows<'a, T> {
    pub rows: &'a mut [T],
    pub ids: &'a mut [u32],
}

impl<'a, T> BufferRows<'a, T> {
    pub fn split_at(self, at: usize) -> (BufferRows<'a, T>, BufferRows<'a, T>) {
        let (rows, more_rows) = self.rows.split_at_mut(at);
        let (ids, more_ids) = self.ids.split_at_mut(at);
        (BufferRows { rows, ids }, BufferRows { rows: more_rows, ids: more_ids })
    }
}

/// A part: its rows are here, and there is room for them there.
pub(super) struct PartSpan<'a, T> {
    pub here: BufferRows<'a, T>,
    pub there: BufferRows<'a, T>,
    /// Whether "here" is the buffer in which the groups end up.
    pub at_home: bool,
}

impl<'a, T> PartSpan<'a, T> {
    /// The first rows and the others, after they have been moved there.
    pub fn moved(self, first: usize) -> (PartSpan<'a, T>, PartSpan<'a, T>) {
        let (here, here_rest) = self.here.split_at(first);
        let (there, there_rest) = self.there.split_at(first);
        let at_home = !self.at_home;
        (
            PartSpan { here: there, there: here, at_home },
            PartSpan { here: there_rest, there: here_rest, at_home },
        )
    }

    /// The first rows and the others, where they are.
    pub fn split(self, first: usize) -> (PartSpan<'a, T>, PartSpan<'a, T>) {
        let (here, here_rest) = self.here.split_at(first);
        let (there, there_rest) = self.there.split_at(first);
        let at_home = self.at_home;
        (PartSpan { here, there, at_home }, PartSpan { here: here_rest, there: there_rest, at_home })
    }
}

/// A cut into runs of codes.
pub(super) struct CodeRuns<'a> {
    pub dimension: usize,
    pub bounds: &'a [u32],
    pub sizes: &'a [u32],
    pub missing: Option<MissingRun>,
}

/// A number that depends on nothing but what a tuple holds.
#[inline]
pub(super) fn hash<T: Tuple>(tuple: &T) -> u64 {
    let mixed = tuple.words().iter().fold(0x9E37_79B9_7F4A_7C15u64, |hash, word| {
        (hash ^ u64::from(word.code())).wrapping_mul(0xD6E8_FEB8_6659_FD93).rotate_left(29)
    });
    (mixed ^ mixed >> 32).wrapping_mul(0xD6E8_FEB8_6659_FD93)
}

/// Fewer rows than these are sorted by one worker.
const SORTED_ALONE: usize = 1 << 16;

impl<T: Tuple> PartSpan<'_, T> {
    /// Puts the rows in an order that depends on their tuples alone, and looks as if they had been shuffled.
    pub fn by_content(self) -> Self {
        let rows = &*self.here.rows;
        let key = |(at, row): (usize, &T)| hash(row) >> 32 << 32 | at as u64;
        let mut keys: Vec<u64> = rows.iter().enumerate().map(key).collect();
        match rows.len() < SORTED_ALONE {
            true => keys.sort_unstable(),
            false => keys.par_sort_unstable(),
        }
        let words = |key: &u64| rows[*key as u32 as usize].words();
        for same in keys.chunk_by_mut(|a, b| a >> 32 == b >> 32).filter(|same| same.len() > 1) {
            if same[1..].iter().any(|key| words(key) != words(&same[0])) {
                same.sort_by(|a, b| words(a).cmp(words(b)));
            }
        }
        let to = self.there.rows.iter_mut().zip(self.there.ids.iter_mut());
        for ((row, id), &key) in to.zip(&keys) {
            (*row, *id) = (rows[key as u32 as usize], self.here.ids[key as u32 as usize]);
        }
        let all = keys.len();
        self.moved(all).0
    }

    /// Moves the rows of a part there, those of the left side first, and returns how many those are.
    pub fn move_in_two(&mut self, cut: &Cut, work: &mut WorkerBuffers<'_>) -> usize {
        match cut {
            Cut::Threshold { dimension, code, left, missing_left: None } => {
                self.move_rows(*left as usize, |row| row.code(*dimension) > *code);
                *left as usize
            }
            Cut::Threshold { dimension, code, left, missing_left: Some(missing) } => {
                self.move_rows(*left as usize, |row| {
                    let at = row.code(*dimension);
                    at > *code && at != *missing
                });
                *left as usize
            }
            Cut::Subset { dimension, members, left } => {
                let sides = &mut work.sides;
                sides.clear();
                sides.resize(work.finder.widths.hi[*dimension] as usize + 1, 1);
                members.iter().for_each(|&code| sides[code as usize] = 0);
                self.move_rows(*left as usize, |row| sides[row.code(*dimension) as usize] != 0);
                *left as usize
            }
            Cut::Runs { .. } => unreachable!("runs are moved at once"),
        }
    }

    fn move_rows(&mut self, left: usize, mut is_right: impl FnMut(&T) -> bool) {
        let (there_rows, there_ids) = (&mut *self.there.rows, &mut *self.there.ids);
        let mut lefts = 0;
        for (at, (row, id)) in self.here.rows.iter().zip(self.here.ids.iter()).enumerate() {
            let right = is_right(row);
            let to = if right { left + (at - lefts) } else { lefts };
            there_rows[to] = *row;
            there_ids[to] = *id;
            lefts += usize::from(!right);
        }
    }

    /// Moves the rows of a part there, run by run.
    pub fn move_in_runs(&mut self, runs: &CodeRuns<'_>, sides: &mut Vec<u32>) {
        let CodeRuns { dimension, bounds, sizes, missing } = *runs;
        sides.clear();
        for (run, &bound) in bounds.iter().enumerate() {
            sides.resize(bound as usize + 1, run as u32);
        }
        if let Some(missing) = missing {
            sides.resize(missing.code as usize + 1, missing.run as u32);
            sides[missing.code as usize] = missing.run as u32;
        }
        let mut cursors: Vec<usize> = sizes
            .iter()
            .scan(0, |next, &size| {
                let start = *next;
                *next += size as usize;
                Some(start)
            })
            .collect();
        for (row, id) in self.here.rows.iter().zip(self.here.ids.iter()) {
            let cursor = &mut cursors[sides[row.code(dimension) as usize] as usize];
            self.there.rows[*cursor] = *row;
            self.there.ids[*cursor] = *id;
            *cursor += 1;
        }
    }
}
