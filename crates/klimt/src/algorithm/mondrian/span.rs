//! Where the rows of a part are, and how a cut moves them.
//!
//! A part lives in a range of one of two buffers. A cut moves its rows to the same range of the other buffer, in
//! their order, so that neighbours in memory stay neighbours and the result does not depend on who works where.

use super::cut::Cut;
use super::kernel::Work;
use crate::partition::Tuple;

/// Rows in one of the buffers.
pub(super) struct Rows<'a, T> {
    pub rows: &'a mut [T],
    pub ids: &'a mut [u32],
}

impl<'a, T> Rows<'a, T> {
    pub fn split_at(self, at: usize) -> (Rows<'a, T>, Rows<'a, T>) {
        let (rows, more_rows) = self.rows.split_at_mut(at);
        let (ids, more_ids) = self.ids.split_at_mut(at);
        (Rows { rows, ids }, Rows { rows: more_rows, ids: more_ids })
    }
}

/// A part: its rows are here, and there is room for them there.
pub(super) struct Span<'a, T> {
    pub here: Rows<'a, T>,
    pub there: Rows<'a, T>,
    /// Whether "here" is the buffer in which the groups end up.
    pub at_home: bool,
}

impl<'a, T> Span<'a, T> {
    /// The first rows and the others, after they have been moved there.
    pub fn moved(self, first: usize) -> (Span<'a, T>, Span<'a, T>) {
        let (here, here_rest) = self.here.split_at(first);
        let (there, there_rest) = self.there.split_at(first);
        let at_home = !self.at_home;
        (Span { here: there, there: here, at_home }, Span { here: there_rest, there: here_rest, at_home })
    }

    /// The first rows and the others, where they are.
    pub fn split(self, first: usize) -> (Span<'a, T>, Span<'a, T>) {
        let (here, here_rest) = self.here.split_at(first);
        let (there, there_rest) = self.there.split_at(first);
        let at_home = self.at_home;
        (Span { here, there, at_home }, Span { here: here_rest, there: there_rest, at_home })
    }
}

/// A cut into runs of codes.
pub(super) struct Runs<'a> {
    pub dimension: usize,
    pub bounds: &'a [u32],
    pub sizes: &'a [u32],
}

impl<T: Tuple> Span<'_, T> {
    /// Moves the rows of a part there, those of the left side first, and returns how many those are.
    pub fn move_in_two(&mut self, cut: &Cut, work: &mut Work<'_>) -> usize {
        match cut {
            Cut::Threshold { dimension, code, left, shared: None } => {
                self.move_rows(*left as usize, |row| row.code(*dimension) > *code);
                *left as usize
            }
            Cut::Threshold { dimension, code, left, shared: Some(shared) } => {
                let mut rest = *shared;
                self.move_rows(*left as usize, |row| {
                    let at = row.code(*dimension);
                    let stays = at == *code && rest > 0;
                    rest -= u32::from(stays);
                    at >= *code && !stays
                });
                *left as usize
            }
            Cut::Subset { dimension, members, left, shared } => {
                let last = *members.last().expect("a side of a cut holds rows");
                let sides = &mut work.sides;
                sides.clear();
                sides.resize(work.finder.widths.hi[*dimension] as usize + 1, 1);
                members.iter().for_each(|&code| sides[code as usize] = 0);
                let mut rest = shared.unwrap_or(u32::MAX);
                self.move_rows(*left as usize, |row| {
                    let at = row.code(*dimension);
                    let turned_away = at == last && rest == 0;
                    rest -= u32::from(at == last && !turned_away);
                    sides[at as usize] != 0 || turned_away
                });
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
    pub fn move_in_runs(&mut self, runs: &Runs<'_>, sides: &mut Vec<u32>) {
        let Runs { dimension, bounds, sizes } = *runs;
        sides.clear();
        for (run, &bound) in bounds.iter().enumerate() {
            sides.resize(bound as usize + 1, run as u32);
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
