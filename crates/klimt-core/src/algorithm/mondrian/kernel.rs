//! `Anonymize` (Fig. 7): parts are cut, moved and cut again, until no cut is allowable.
//!
//! Every part could be a group, so when the time of the job is over, parts stay as they are.
//!
//! Where boxes decide, large parts are divided at once (`divide.rs`), and small ones finished at once (`finish.rs`).

use super::span::{BufferRows, CodeRuns, PartSpan};
use super::{InheritedCuts, Model, Mondrian, PartStart};
use crate::cut::boxes::{BoxFinder, BoxPlan};
use crate::cut::{Cut, CutFinder, Dimension, Part, PartEdges};
use crate::job::Job;
use crate::packed::{PackedKernel, PackedRows, Tuple, compact_regions};
use crate::partition::{CutNode, CutTree, Partitioning};
use crate::split::SplitCriterion;
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
    /// The parts that the rows lie in from the start.
    pub parts: &'a [PartStart],
    /// Parts with at least this many rows are divided at once, where boxes decide.
    pub divided: usize,
}

impl PackedKernel for Anonymize<'_> {
    type Output = (Partitioning, Vec<bool>);

    fn run<T: Tuple>(self, mut packed: PackedRows<T>) -> Result<Self::Output> {
        let table = self.job.table;
        let dimensions: Vec<_> =
            (0..table.dimensions()).map(|d| Dimension::new(table.domain(d), self.job.weights[d])).collect();
        let boxes = match self.job.split.base() {
            SplitCriterion::Box(split) => Some(BoxPlan::new(&dimensions, split)),
            _ => None,
        };
        let Anonymize { mondrian, job, collector, parts, divided } = self;
        let run = MondrianRun { mondrian, job, dimensions, boxes, collector, divided };
        let mut away = PackedRows { rows: vec![T::ZERO; packed.rows.len()], ids: vec![0; packed.ids.len()] };
        let span = PartSpan {
            here: BufferRows { rows: &mut packed.rows, ids: &mut packed.ids },
            there: BufferRows { rows: &mut away.rows, ids: &mut away.ids },
            at_home: true,
        };
        let limits: Vec<u32> =
            run.dimensions.iter().map(|dimension| dimension.domain.cardinality() as u32).collect();
        let mut found = run.anonymize_parts(span, parts, limits);
        drop(away);
        if mondrian.model == Model::Relaxed {
            found = run.halve_groups(&mut packed, &found);
        }
        if job.observer.cancelled() {
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
        let tree = job.keep_tree.then_some(found.tree);
        let strict = mondrian.model == Model::Strict;
        let partitioning = Partitioning { order: packed.ids, ends, regions, tree, bound: None, strict };
        Ok((partitioning, found.by_median))
    }
}

/// The groups of a part, in order, and the cuts that led to them.
#[derive(Default)]
pub(super) struct MondrianGroups {
    pub sizes: Vec<u32>,
    /// Whether each group would be cut by the median.
    pub by_median: Vec<bool>,
    pub tree: CutTree,
}

impl MondrianGroups {
    pub fn push_group(&mut self, rows: u32, by_median: bool) {
        self.sizes.push(rows);
        self.by_median.push(by_median);
    }

    pub fn append_groups(&mut self, later: &MondrianGroups) {
        self.sizes.extend_from_slice(&later.sizes);
        self.by_median.extend_from_slice(&later.by_median);
    }

    fn append(&mut self, later: &MondrianGroups) {
        self.append_groups(later);
        self.tree.append(&later.tree);
    }
}

pub(super) struct MondrianRun<'a> {
    pub mondrian: Mondrian,
    pub job: &'a Job<'a>,
    pub dimensions: Vec<Dimension<'a>>,
    pub boxes: Option<BoxPlan<'a>>,
    pub collector: Collector<'a>,
    /// Parts with at least this many rows are divided at once.
    pub divided: usize,
}

impl<'a> MondrianRun<'a> {
    /// Work on a part with the given limits.
    pub fn work(&self, limits: Vec<u32>) -> WorkerBuffers<'a> {
        let finder = CutFinder::new(self.collector.clone());
        WorkerBuffers { finder, sides: Vec::new(), order: Vec::new(), limits }
    }

    /// Works on the part whose limits lie on top of the work's stack, and takes them off.
    fn anonymize<T: Tuple>(
        &self,
        span: PartSpan<'_, T>,
        above: InheritedCuts,
        work: &mut WorkerBuffers<'a>,
        found: &mut MondrianGroups,
    ) {
        let InheritedCuts { by_median, edges } = above;
        let base = work.limits.len() - self.dimensions.len();
        if self.job.budget.over() {
            work.limits.truncate(base);
            return self.group(span, by_median, found);
        }
        let whole = self.divide(span, &work.limits[base..], found);
        let Some(span) = whole.and_then(|span| self.finish(span, work, found)) else {
            work.limits.truncate(base);
            return;
        };
        let here: &[T] = span.here.rows;
        let part = Part {
            hierarchy_cut: self.mondrian.hierarchy_cut,
            job: self.job,
            dimensions: &self.dimensions,
            boxes: self.boxes.as_ref(),
            by_median,
            edges: &edges,
            rows: &here,
        };
        let cut = work.finder.find(&part, &work.limits[base..]);
        work.limits.truncate(base);
        match cut {
            _ if self.job.observer.cancelled() => {}
            None => self.group(span, work.finder.by_median, found),
            Some(Cut::Runs { dimension, bounds, sizes, missing }) => {
                let runs = CodeRuns { dimension, bounds: &bounds, sizes: &sizes, missing };
                self.cut_runs(span, &runs, edges, work, found);
            }
            Some(cut) => self.cut_in_two(span, &cut, &edges, work, found),
        }
    }

    /// No allowable cut: the part is a group.
    fn group<T: Tuple>(&self, span: PartSpan<'_, T>, by_median: bool, found: &mut MondrianGroups) {
        let rows = span.here.rows.len();
        if !span.at_home {
            span.there.rows.copy_from_slice(span.here.rows);
            span.there.ids.copy_from_slice(span.here.ids);
        }
        found.push_group(rows as u32, by_median);
        if self.job.keep_tree {
            found.tree.nodes.push(CutNode::Leaf { rows: rows as u32 });
        }
        self.job.observer.advance(rows as u64);
    }

    fn cut_in_two<T: Tuple>(
        &self,
        mut span: PartSpan<'_, T>,
        cut: &Cut,
        edges: &PartEdges,
        work: &mut WorkerBuffers<'a>,
        found: &mut MondrianGroups,
    ) {
        let left = span.move_in_two(cut, work);
        let node = self.push_cut(cut, found);
        let big = span.here.rows.len() >= SIDE_BY_SIDE;
        let (low, high) = span.moved(left);
        let (low_limits, high_limits) = (work.below(cut, true), work.below(cut, false));
        let by_median = work.finder.by_median;
        let above = |left: bool| InheritedCuts { by_median, edges: edges.beside(cut, left) };
        if big {
            let (lower, higher) = rayon::join(
                || self.anonymize_apart(low, low_limits, above(true)),
                || self.anonymize_apart(high, high_limits, above(false)),
            );
            found.append(&lower);
            self.close_left(node, found);
            found.append(&higher);
        } else {
            work.limits.extend_from_slice(&high_limits);
            work.limits.extend_from_slice(&low_limits);
            self.anonymize(low, above(true), work, found);
            self.close_left(node, found);
            self.anonymize(high, above(false), work, found);
        }
    }

    /// Works on parts side by side.
    fn anonymize_parts<T: Tuple>(
        &self,
        span: PartSpan<'_, T>,
        starts: &[PartStart],
        limits: Vec<u32>,
    ) -> MondrianGroups {
        let (mut rest, mut first, mut parts) = (span, 0, Vec::with_capacity(starts.len()));
        for PartStart { end, above } in starts {
            let (part, others) = rest.split((end - first) as usize);
            parts.push((part, above.clone()));
            (rest, first) = (others, *end);
        }
        let done: Vec<MondrianGroups> = parts
            .into_par_iter()
            .filter(|(part, _)| !part.here.rows.is_empty())
            .map(|(part, above)| self.anonymize_apart(self.arranged(part), limits.clone(), above))
            .collect();
        done.iter().fold(MondrianGroups::default(), |mut all, one| {
            all.append(one);
            all
        })
    }

    /// Cuts of boxes are chosen from rows that are picked by where they stand: so that the order of the input does not
    /// matter, they first stand by what they hold.
    fn arranged<'s, T: Tuple>(&self, part: PartSpan<'s, T>) -> PartSpan<'s, T> {
        let (rows, least) = (part.here.rows.len(), self.job.requirements.minimum_size());
        let picks = self.boxes.is_some() && !BoxFinder::looks_at_all(rows as u64, least);
        if picks && !self.is_divided(rows) { part.by_content() } else { part }
    }

    pub fn anonymize_apart<T: Tuple>(
        &self,
        span: PartSpan<'_, T>,
        limits: Vec<u32>,
        above: InheritedCuts,
    ) -> MondrianGroups {
        let mut found = MondrianGroups::default();
        self.anonymize(span, above, &mut self.work(limits), &mut found);
        found
    }

    fn push_cut(&self, cut: &Cut, found: &mut MondrianGroups) -> usize {
        if !self.job.keep_tree {
            return 0;
        }
        match cut {
            Cut::Threshold { dimension, code, missing_left: Some(_), .. } => {
                found.tree.push_threshold_missing_left(*dimension, *code)
            }
            Cut::Threshold { dimension, code, .. } => found.tree.push_threshold(*dimension, *code, false),
            Cut::Subset { dimension, members, .. } => found.tree.push_subset(*dimension, members, false),
            Cut::Runs { .. } => unreachable!("runs are several cuts"),
        }
    }

    fn close_left(&self, node: usize, found: &mut MondrianGroups) {
        if self.job.keep_tree {
            found.tree.close_left(node);
        }
    }

    /// A cut into several parts is a chain of cuts in two, of which only the last parts must be allowable.
    fn cut_runs<T: Tuple>(
        &self,
        mut span: PartSpan<'_, T>,
        runs: &CodeRuns<'_>,
        edges: PartEdges,
        work: &mut WorkerBuffers<'a>,
        found: &mut MondrianGroups,
    ) {
        span.move_in_runs(runs, &mut work.sides);
        let big = span.here.rows.len() >= SIDE_BY_SIDE;
        let limits = work.finder.widths.distinct.clone();
        // Runs are cut from hierarchies, whose boundaries are not restricted.
        let above = InheritedCuts { by_median: work.finder.by_median, edges };
        let all = span.here.rows.len();
        let mut rest = span.moved(all).0;
        let mut parts = Vec::with_capacity(runs.sizes.len());
        for &size in runs.sizes {
            let (first, others) = rest.split(size as usize);
            parts.push(first);
            rest = others;
        }
        let done: Vec<MondrianGroups> = if big {
            parts.into_par_iter().map(|part| self.anonymize_or_empty(part, &limits, &above, None)).collect()
        } else {
            parts.into_iter().map(|part| self.anonymize_or_empty(part, &limits, &above, Some(work))).collect()
        };
        for (at, one) in done.iter().enumerate() {
            if at + 1 == done.len() {
                found.append(one);
            } else {
                let code = runs.bounds[at];
                let missing_left =
                    runs.missing.filter(|missing| missing.run == at).map(|missing| missing.code);
                let dimension = runs.dimension;
                let cut = Cut::Threshold { dimension, code, left: 0, missing_left };
                let node = self.push_cut(&cut, found);
                found.append(one);
                self.close_left(node, found);
            }
        }
    }

    fn anonymize_or_empty<T: Tuple>(
        &self,
        span: PartSpan<'_, T>,
        limits: &[u32],
        above: &InheritedCuts,
        work: Option<&mut WorkerBuffers<'a>>,
    ) -> MondrianGroups {
        let mut found = MondrianGroups::default();
        if span.here.rows.is_empty() {
            if self.job.keep_tree {
                found.tree.nodes.push(CutNode::Leaf { rows: 0 });
            }
            return found;
        }
        match work {
            None => self.anonymize(span, above.clone(), &mut self.work(limits.to_vec()), &mut found),
            Some(work) => {
                work.limits.extend_from_slice(limits);
                self.anonymize(span, above.clone(), work, &mut found);
            }
        }
        found
    }
}

/// Buffers that a worker reuses for every part.
pub(super) struct WorkerBuffers<'a> {
    pub finder: CutFinder<'a>,
    /// Which side a code goes to, by code.
    pub sides: Vec<u32>,
    /// The numbers of the rows of a part that is finished at once.
    pub order: Vec<u32>,
    /// How many codes can occur in each dimension, for every part that waits, the next one last.
    limits: Vec<u32>,
}

impl WorkerBuffers<'_> {
    /// The limits of one side of a cut of the part that was measured last.
    fn below(&self, cut: &Cut, left: bool) -> Vec<u32> {
        let mut limits = self.finder.widths.distinct.clone();
        if let Cut::Subset { dimension, members, .. } = cut {
            let members = members.len() as u32;
            limits[*dimension] = if left { members } else { limits[*dimension] - members };
        }
        limits
    }
}
