//! `Anonymize` (Fig. 7): parts are cut, moved and cut again, until no cut is allowable.
//!
//! A part lives in a range of one of two buffers. A cut moves its rows to the same range of the other buffer, in
//! their order, so that neighbours in memory stay neighbours and the result does not depend on who works where.

use super::Mondrian;
use super::cut::{Cut, CutFinder, Part};
use super::measure::Dimension;
use crate::partition::{
    CutNode, CutTree, Job, Packed, PackedKernel, Partitioning, Proof, Tuple, compact_regions,
};
use crate::{Error, ErrorKind, Result};
use rayon::prelude::*;

/// Parts with at least this many rows are worked on side by side.
const SIDE_BY_SIDE: usize = 1 << 13;

/// The algorithm, ready for rows of any width.
pub(super) struct Anonymize<'a> {
    pub mondrian: Mondrian,
    pub job: &'a Job<'a>,
}

impl PackedKernel for Anonymize<'_> {
    type Output = Partitioning;

    fn run<T: Tuple>(self, mut packed: Packed<T>) -> Result<Partitioning> {
        let table = self.job.table;
        let dimensions: Vec<_> =
            (0..table.dimensions()).map(|d| Dimension::new(table.domain(d), self.job.weights[d])).collect();
        let run = Run { mondrian: self.mondrian, job: self.job, dimensions };
        let mut away = Packed { rows: vec![T::ZERO; packed.rows.len()], ids: vec![0; packed.ids.len()] };
        let span = Span {
            here: Rows { rows: &mut packed.rows, ids: &mut packed.ids },
            there: Rows { rows: &mut away.rows, ids: &mut away.ids },
            at_home: true,
        };
        let mut found = Found::default();
        run.anonymize(span, &mut CutFinder::default(), &mut Vec::new(), &mut found);
        drop(away);
        if self.job.observer.cancelled() {
            return Err(Error::new(ErrorKind::Cancelled, "stopped"));
        }
        let ends: Vec<u32> = found
            .sizes
            .iter()
            .scan(0, |end, size| {
                *end += size;
                Some(*end)
            })
            .collect();
        let regions = compact_regions(&packed.rows, &ends, table);
        let tree = self.job.keep_tree.then_some(found.tree);
        Ok(Partitioning { order: packed.ids, ends, regions, tree, proof: Proof::Heuristic })
    }
}

/// Rows in one of the buffers.
struct Rows<'a, T> {
    rows: &'a mut [T],
    ids: &'a mut [u32],
}

impl<'a, T> Rows<'a, T> {
    fn split_at(self, at: usize) -> (Rows<'a, T>, Rows<'a, T>) {
        let (rows, more_rows) = self.rows.split_at_mut(at);
        let (ids, more_ids) = self.ids.split_at_mut(at);
        (Rows { rows, ids }, Rows { rows: more_rows, ids: more_ids })
    }
}

/// A part: its rows are here, and there is room for them there.
struct Span<'a, T> {
    here: Rows<'a, T>,
    there: Rows<'a, T>,
    /// Whether "here" is the buffer in which the groups end up.
    at_home: bool,
}

impl<'a, T> Span<'a, T> {
    /// The first rows and the others, after they have been moved there.
    fn moved(self, first: usize) -> (Span<'a, T>, Span<'a, T>) {
        let (here, here_rest) = self.here.split_at(first);
        let (there, there_rest) = self.there.split_at(first);
        let at_home = !self.at_home;
        (Span { here: there, there: here, at_home }, Span { here: there_rest, there: here_rest, at_home })
    }

    /// The first rows and the others, where they are.
    fn split(self, first: usize) -> (Span<'a, T>, Span<'a, T>) {
        let (here, here_rest) = self.here.split_at(first);
        let (there, there_rest) = self.there.split_at(first);
        let at_home = self.at_home;
        (Span { here, there, at_home }, Span { here: here_rest, there: there_rest, at_home })
    }
}

/// The groups of a part, in order, and the cuts that led to them.
#[derive(Default)]
struct Found {
    sizes: Vec<u32>,
    tree: CutTree,
}

impl Found {
    fn append(&mut self, later: &Found) {
        self.sizes.extend_from_slice(&later.sizes);
        self.tree.append(&later.tree);
    }
}

struct Run<'a> {
    mondrian: Mondrian,
    job: &'a Job<'a>,
    dimensions: Vec<Dimension<'a>>,
}

impl Run<'_> {
    fn anonymize<T: Tuple>(
        &self,
        span: Span<'_, T>,
        finder: &mut CutFinder,
        sides: &mut Vec<u32>,
        found: &mut Found,
    ) {
        let part = Part {
            mondrian: self.mondrian,
            job: self.job,
            dimensions: &self.dimensions,
            rows: span.here.rows,
            ids: span.here.ids,
        };
        match finder.find(&part) {
            _ if self.job.observer.cancelled() => {}
            None => self.group(span, found),
            Some(Cut::Runs { dimension, bounds, sizes }) => {
                self.cut_runs(span, dimension, &bounds, &sizes, finder, sides, found);
            }
            Some(cut) => self.cut_in_two(span, &cut, finder, sides, found),
        }
    }

    /// No allowable cut: the part is a group.
    fn group<T: Tuple>(&self, span: Span<'_, T>, found: &mut Found) {
        let rows = span.here.rows.len();
        if !span.at_home {
            span.there.rows.copy_from_slice(span.here.rows);
            span.there.ids.copy_from_slice(span.here.ids);
        }
        found.sizes.push(rows as u32);
        if self.job.keep_tree {
            found.tree.nodes.push(CutNode::Leaf { rows: rows as u32 });
        }
        self.job.observer.advance(rows as u64);
    }

    fn cut_in_two<T: Tuple>(
        &self,
        mut span: Span<'_, T>,
        cut: &Cut,
        finder: &mut CutFinder,
        sides: &mut Vec<u32>,
        found: &mut Found,
    ) {
        let left = move_in_two(cut, &mut span, sides);
        let node = self.push_cut(cut, found);
        let big = span.here.rows.len() >= SIDE_BY_SIDE;
        let (low, high) = span.moved(left);
        if big {
            let (lower, higher) = rayon::join(|| self.anonymize_apart(low), || self.anonymize_apart(high));
            found.append(&lower);
            self.close_left(node, found);
            found.append(&higher);
        } else {
            self.anonymize(low, finder, sides, found);
            self.close_left(node, found);
            self.anonymize(high, finder, sides, found);
        }
    }

    fn anonymize_apart<T: Tuple>(&self, span: Span<'_, T>) -> Found {
        let mut found = Found::default();
        self.anonymize(span, &mut CutFinder::default(), &mut Vec::new(), &mut found);
        found
    }

    fn push_cut(&self, cut: &Cut, found: &mut Found) -> usize {
        let at = found.tree.nodes.len();
        if self.job.keep_tree {
            found.tree.nodes.push(match cut {
                Cut::Threshold { dimension, code, shared, .. } => CutNode::Threshold {
                    dimension: *dimension as u32,
                    code: *code,
                    shared: shared.is_some(),
                    right: 0,
                },
                Cut::Subset { dimension, members, shared, .. } => {
                    let first = found.tree.members.len() as u32;
                    found.tree.members.extend(members);
                    let (dimension, len) = (*dimension as u32, members.len() as u32);
                    CutNode::Subset { dimension, first, len, shared: shared.is_some(), right: 0 }
                }
                Cut::Runs { .. } => unreachable!("runs are several cuts"),
            });
        }
        at
    }

    fn close_left(&self, node: usize, found: &mut Found) {
        if self.job.keep_tree {
            found.tree.close_left(node);
        }
    }

    /// A cut into several parts is a chain of cuts in two, of which only the last parts must be allowable.
    #[expect(clippy::too_many_arguments, reason = "the cut's three parts and the kept vectors")]
    fn cut_runs<T: Tuple>(
        &self,
        mut span: Span<'_, T>,
        dimension: usize,
        bounds: &[u32],
        sizes: &[u32],
        finder: &mut CutFinder,
        sides: &mut Vec<u32>,
        found: &mut Found,
    ) {
        move_in_runs(dimension, bounds, sizes, &mut span, sides);
        let big = span.here.rows.len() >= SIDE_BY_SIDE;
        let (mut rest, _) = (Some(span.moved(sizes.iter().sum::<u32>() as usize).0), ());
        let mut parts = Vec::with_capacity(sizes.len());
        for &size in sizes {
            let (first, others) = rest.take().expect("the sizes add up to the part").split(size as usize);
            parts.push(first);
            rest = Some(others);
        }
        let mut done = Vec::new();
        if big {
            done = parts.into_par_iter().map(|part| self.anonymize_or_empty(part)).collect();
        } else {
            for part in parts {
                let mut one = Found::default();
                if part.here.rows.is_empty() {
                    one = self.anonymize_or_empty(part);
                } else {
                    self.anonymize(part, finder, sides, &mut one);
                }
                done.push(one);
            }
        }
        for (at, one) in done.iter().enumerate() {
            if at + 1 == done.len() {
                found.append(one);
            } else {
                let cut = Cut::Threshold { dimension, code: bounds[at], left: 0, shared: None };
                let node = self.push_cut(&cut, found);
                found.append(one);
                self.close_left(node, found);
            }
        }
    }

    fn anonymize_or_empty<T: Tuple>(&self, span: Span<'_, T>) -> Found {
        if !span.here.rows.is_empty() {
            return self.anonymize_apart(span);
        }
        let mut found = Found::default();
        if self.job.keep_tree {
            found.tree.nodes.push(CutNode::Leaf { rows: 0 });
        }
        found
    }
}

/// Moves the rows of a part there, those of the left side first, and returns how many those are.
fn move_in_two<T: Tuple>(cut: &Cut, span: &mut Span<'_, T>, sides: &mut Vec<u32>) -> usize {
    match cut {
        Cut::Threshold { dimension, code, left, shared: None } => {
            move_rows(span, *left as usize, |row| row.code(*dimension) > *code);
            *left as usize
        }
        Cut::Threshold { dimension, code, left, shared: Some(shared) } => {
            let mut rest = *shared;
            move_rows(span, *left as usize, |row| {
                let at = row.code(*dimension);
                let stays = at == *code && rest > 0;
                rest -= u32::from(stays);
                at >= *code && !stays
            });
            *left as usize
        }
        Cut::Subset { dimension, members, left, shared } => {
            let last = *members.last().expect("a side of a cut holds rows");
            mark_members(members, span.here.rows, *dimension, sides);
            let mut rest = shared.unwrap_or(u32::MAX);
            move_rows(span, *left as usize, |row| {
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

/// Makes `sides[code]` 0 for members and 1 for every other code that occurs.
fn mark_members<T: Tuple>(members: &[u32], rows: &[T], dimension: usize, sides: &mut Vec<u32>) {
    let most = rows
        .iter()
        .map(|row| row.code(dimension))
        .max()
        .unwrap_or(0)
        .max(members.iter().copied().fold(0, u32::max));
    sides.clear();
    sides.resize(most as usize + 1, 1);
    for &code in members {
        sides[code as usize] = 0;
    }
}

fn move_rows<T: Tuple>(span: &mut Span<'_, T>, left: usize, mut is_right: impl FnMut(&T) -> bool) {
    let (there_rows, there_ids) = (&mut *span.there.rows, &mut *span.there.ids);
    let mut lefts = 0;
    for (at, (row, id)) in span.here.rows.iter().zip(span.here.ids.iter()).enumerate() {
        let right = is_right(row);
        let to = if right { left + (at - lefts) } else { lefts };
        there_rows[to] = *row;
        there_ids[to] = *id;
        lefts += usize::from(!right);
    }
}

fn move_in_runs<T: Tuple>(
    dimension: usize,
    bounds: &[u32],
    sizes: &[u32],
    span: &mut Span<'_, T>,
    sides: &mut Vec<u32>,
) {
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
    for (row, id) in span.here.rows.iter().zip(span.here.ids.iter()) {
        let cursor = &mut cursors[sides[row.code(dimension) as usize] as usize];
        span.there.rows[*cursor] = *row;
        span.there.ids[*cursor] = *id;
        *cursor += 1;
    }
}
