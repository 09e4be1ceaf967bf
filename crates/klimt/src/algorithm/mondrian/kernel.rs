//! `Anonymize` (Fig. 7): parts are cut, moved and cut again, until no cut is allowable.
//!
//! A part lives in a range of one of two buffers. A cut moves its rows to the same range of the other buffer, in
//! their order, so that neighbours in memory stay neighbours and the result does not depend on who works where.

use super::cut::{Cut, CutFinder, Part};
use super::measure::Dimension;
use super::{Model, Mondrian};
use crate::partition::{
    CutNode, CutTree, Job, Packed, PackedKernel, Partitioning, Proof, Tuple, compact_regions,
};
use crate::statistics::Collector;
use crate::{Error, ErrorKind, Result};
use rayon::prelude::*;

/// Parts with at least this many rows are worked on side by side.
const SIDE_BY_SIDE: usize = 1 << 13;

/// The algorithm, ready for rows of any width.
pub(super) struct Anonymize<'a> {
    pub mondrian: Mondrian,
    pub job: &'a Job<'a>,
    /// Makes the statistics that requirements and split need, from the columns that are packed.
    pub collector: Collector<'a>,
    /// Where the parts end that the rows lie in from the start.
    pub parts: &'a [u32],
}

impl PackedKernel for Anonymize<'_> {
    type Output = Partitioning;

    fn run<T: Tuple>(self, mut packed: Packed<T>) -> Result<Partitioning> {
        let table = self.job.table;
        let dimensions: Vec<_> =
            (0..table.dimensions()).map(|d| Dimension::new(table.domain(d), self.job.weights[d])).collect();
        let run = Run { mondrian: self.mondrian, job: self.job, dimensions, collector: self.collector };
        let mut away = Packed { rows: vec![T::ZERO; packed.rows.len()], ids: vec![0; packed.ids.len()] };
        let span = Span {
            here: Rows { rows: &mut packed.rows, ids: &mut packed.ids },
            there: Rows { rows: &mut away.rows, ids: &mut away.ids },
            at_home: true,
        };
        let limits: Vec<u32> =
            run.dimensions.iter().map(|dimension| dimension.domain.cardinality() as u32).collect();
        let found = run.anonymize_parts(span, self.parts, limits);
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
        let strict = self.mondrian.model == Model::Strict;
        Ok(Partitioning { order: packed.ids, ends, regions, tree, proof: Proof::Heuristic, strict })
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
    collector: Collector<'a>,
}

impl<'a> Run<'a> {
    /// Work on a part with the given limits.
    fn work(&self, limits: Vec<u32>) -> Work<'a> {
        Work { finder: CutFinder::new(self.collector.clone()), sides: Vec::new(), limits }
    }

    /// Works on the part whose limits lie on top of the work's stack, and takes them off.
    fn anonymize<T: Tuple>(&self, span: Span<'_, T>, work: &mut Work<'a>, found: &mut Found) {
        let part = Part {
            mondrian: self.mondrian,
            job: self.job,
            dimensions: &self.dimensions,
            rows: &*span.here.rows,
        };
        let base = work.limits.len() - self.dimensions.len();
        let cut = work.finder.find(&part, &work.limits[base..]);
        work.limits.truncate(base);
        match cut {
            _ if self.job.observer.cancelled() => {}
            None => self.group(span, found),
            Some(Cut::Runs { dimension, bounds, sizes }) => {
                let runs = Runs { dimension, bounds: &bounds, sizes: &sizes };
                self.cut_runs(span, &runs, work, found);
            }
            Some(cut) => self.cut_in_two(span, &cut, work, found),
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

    fn cut_in_two<T: Tuple>(&self, mut span: Span<'_, T>, cut: &Cut, work: &mut Work<'a>, found: &mut Found) {
        let left = move_in_two(cut, &mut span, work);
        let node = self.push_cut(cut, found);
        let big = span.here.rows.len() >= SIDE_BY_SIDE;
        let (low, high) = span.moved(left);
        let (low_limits, high_limits) = (work.below(cut, true), work.below(cut, false));
        if big {
            let (lower, higher) = rayon::join(
                || self.anonymize_apart(low, low_limits),
                || self.anonymize_apart(high, high_limits),
            );
            found.append(&lower);
            self.close_left(node, found);
            found.append(&higher);
        } else {
            work.limits.extend_from_slice(&high_limits);
            work.limits.extend_from_slice(&low_limits);
            self.anonymize(low, work, found);
            self.close_left(node, found);
            self.anonymize(high, work, found);
        }
    }

    /// Works on parts that end at the given rows, side by side.
    fn anonymize_parts<T: Tuple>(&self, span: Span<'_, T>, ends: &[u32], limits: Vec<u32>) -> Found {
        let (mut rest, mut start, mut parts) = (span, 0, Vec::with_capacity(ends.len()));
        for &end in ends {
            let (part, others) = rest.split((end - start) as usize);
            parts.push(part);
            (rest, start) = (others, end);
        }
        let done: Vec<Found> = parts
            .into_par_iter()
            .filter(|part| !part.here.rows.is_empty())
            .map(|part| self.anonymize_apart(part, limits.clone()))
            .collect();
        done.iter().fold(Found::default(), |mut all, one| {
            all.append(one);
            all
        })
    }

    fn anonymize_apart<T: Tuple>(&self, span: Span<'_, T>, limits: Vec<u32>) -> Found {
        let mut found = Found::default();
        self.anonymize(span, &mut self.work(limits), &mut found);
        found
    }

    fn push_cut(&self, cut: &Cut, found: &mut Found) -> usize {
        if !self.job.keep_tree {
            return 0;
        }
        match cut {
            Cut::Threshold { dimension, code, shared, .. } => {
                found.tree.push_threshold(*dimension, *code, shared.is_some())
            }
            Cut::Subset { dimension, members, shared, .. } => {
                found.tree.push_subset(*dimension, members, shared.is_some())
            }
            Cut::Runs { .. } => unreachable!("runs are several cuts"),
        }
    }

    fn close_left(&self, node: usize, found: &mut Found) {
        if self.job.keep_tree {
            found.tree.close_left(node);
        }
    }

    /// A cut into several parts is a chain of cuts in two, of which only the last parts must be allowable.
    fn cut_runs<T: Tuple>(
        &self,
        mut span: Span<'_, T>,
        runs: &Runs<'_>,
        work: &mut Work<'a>,
        found: &mut Found,
    ) {
        move_in_runs(runs, &mut span, &mut work.sides);
        let big = span.here.rows.len() >= SIDE_BY_SIDE;
        let limits = work.finder.widths.distinct.clone();
        let all = span.here.rows.len();
        let mut rest = span.moved(all).0;
        let mut parts = Vec::with_capacity(runs.sizes.len());
        for &size in runs.sizes {
            let (first, others) = rest.split(size as usize);
            parts.push(first);
            rest = others;
        }
        let done: Vec<Found> = if big {
            parts.into_par_iter().map(|part| self.anonymize_or_empty(part, &limits, None)).collect()
        } else {
            parts.into_iter().map(|part| self.anonymize_or_empty(part, &limits, Some(work))).collect()
        };
        for (at, one) in done.iter().enumerate() {
            if at + 1 == done.len() {
                found.append(one);
            } else {
                let code = runs.bounds[at];
                let cut = Cut::Threshold { dimension: runs.dimension, code, left: 0, shared: None };
                let node = self.push_cut(&cut, found);
                found.append(one);
                self.close_left(node, found);
            }
        }
    }

    fn anonymize_or_empty<T: Tuple>(
        &self,
        span: Span<'_, T>,
        limits: &[u32],
        work: Option<&mut Work<'a>>,
    ) -> Found {
        let mut found = Found::default();
        if span.here.rows.is_empty() {
            if self.job.keep_tree {
                found.tree.nodes.push(CutNode::Leaf { rows: 0 });
            }
            return found;
        }
        match work {
            None => self.anonymize(span, &mut self.work(limits.to_vec()), &mut found),
            Some(work) => {
                work.limits.extend_from_slice(limits);
                self.anonymize(span, work, &mut found);
            }
        }
        found
    }
}

/// A cut into runs of codes.
struct Runs<'a> {
    dimension: usize,
    bounds: &'a [u32],
    sizes: &'a [u32],
}

/// What a worker keeps from part to part.
struct Work<'a> {
    finder: CutFinder<'a>,
    /// Which side a code goes to, by code.
    sides: Vec<u32>,
    /// How many codes can occur in each dimension, for every part that waits, the next one last.
    limits: Vec<u32>,
}

impl Work<'_> {
    /// The limits of one side of a cut of the part that was measured last.
    fn below(&self, cut: &Cut, left: bool) -> Vec<u32> {
        let mut limits = self.finder.widths.distinct.clone();
        if let Cut::Subset { dimension, members, shared, .. } = cut {
            let (members, both) = (members.len() as u32, u32::from(shared.is_some()));
            limits[*dimension] = if left { members } else { limits[*dimension] - members + both };
        }
        limits
    }
}

/// Moves the rows of a part there, those of the left side first, and returns how many those are.
fn move_in_two<T: Tuple>(cut: &Cut, span: &mut Span<'_, T>, work: &mut Work<'_>) -> usize {
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
            let sides = &mut work.sides;
            sides.clear();
            sides.resize(work.finder.widths.hi[*dimension] as usize + 1, 1);
            members.iter().for_each(|&code| sides[code as usize] = 0);
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

fn move_in_runs<T: Tuple>(runs: &Runs<'_>, span: &mut Span<'_, T>, sides: &mut Vec<u32>) {
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
    for (row, id) in span.here.rows.iter().zip(span.here.ids.iter()) {
        let cursor = &mut cursors[sides[row.code(dimension) as usize] as usize];
        span.there.rows[*cursor] = *row;
        span.there.ids[*cursor] = *id;
        *cursor += 1;
    }
}
