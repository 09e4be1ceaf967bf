//! A large part is divided at once: its upper cuts are found on a sample of its rows, which are then moved only once.
//!
//! Level by level, every row would be read and written once for each cut above the parts that fit into a processor's
//! cache. Cuts of boxes are chosen by samples there in any case, so one sample serves for all of them, as in Rothko-S.
//! Each side of a cut keeps as many rows of the sample as a group needs, and those are rows of the part, so that where
//! only sizes count no cut has to be undone.

use super::InheritedCuts;
use super::kernel::{MondrianGroups, MondrianRun, WorkerBuffers};
use super::span::{BufferRows, PartSpan, hash};
use crate::cut::{Cut, Part, PartEdges};
use crate::packed::{PackedRows, Tuple};
use crate::partition::{CutNode, CutTree, Thresholds};
use rayon::prelude::*;

/// Parts with at least this many rows are divided,
pub(super) const DIVIDED: usize = 1 << 17;

/// into parts of about 1/n of the rows, for this n,
const PARTS: usize = 16;
/// by a sample of 1/n of the rows, for this n,
const ONE_OF: usize = 8;
/// and at most this many,
const SAMPLE: usize = 1 << 17;
/// as far as parts with at most this many rows of the sample.
const ENOUGH: usize = 64;
/// Parts of the sample with fewer rows are cut by one worker.
const GROWN_ALONE: usize = 1 << 12;
/// Fewer rows than these are not moved by several workers.
const MOVED_ALONE: usize = 1 << 12;

impl<'a> MondrianRun<'a> {
    /// Divides a part and works on what it is divided into; returns it where it is not to be divided.
    pub(super) fn divide<'s, T: Tuple>(
        &self,
        span: PartSpan<'s, T>,
        limits: &[u32],
        found: &mut MondrianGroups,
    ) -> Option<PartSpan<'s, T>> {
        let rows = span.here.rows.len();
        if !self.is_divided(rows) || self.mixes_missing(span.here.rows) {
            return Some(span);
        }
        let tree = self.upper_cuts(span.here.rows, limits);
        if tree.nodes.len() < 2 || self.job.observer.cancelled() {
            return Some(span.by_content());
        }
        let done: Vec<MondrianGroups> = move_rows(&Thresholds::new(&tree), span)
            .into_par_iter()
            .map(|part| self.anonymize_apart(part.by_content(), limits.to_vec(), InheritedCuts::default()))
            .collect();
        self.join(&tree, &done, found);
        None
    }

    /// Whether a part of this many rows is divided.
    pub(super) fn is_divided(&self, rows: usize) -> bool {
        rows >= self.divided && self.thresholds_only().is_some_and(|plan| plan.stages.len() == 1)
    }

    /// The cuts of a sample of the rows, as far as parts that are small. Which rows it has depends on their tuples, not on
    /// where they stand; equal tuples are in it together. There are no cuts where it would have far too many rows or far
    /// too few.
    fn upper_cuts<T: Tuple>(&self, rows: &[T], limits: &[u32]) -> CutTree {
        let wanted = (rows.len() / ONE_OF).clamp(1, SAMPLE);
        let below = u64::MAX / rows.len() as u64 * wanted as u64;
        let is_picked = |row: &&T| hash(*row) < below;
        let mut picked: Vec<T> =
            rows.par_chunks(1 << 14).flat_map_iter(|rows| rows.iter().filter(is_picked).copied()).collect();
        let sampled = picked.len();
        if sampled > 4 * wanted || sampled < wanted.div_ceil(4) {
            return CutTree::default();
        }
        picked.par_sort_unstable_by(|a, b| hash(a).cmp(&hash(b)).then_with(|| a.words().cmp(b.words())));
        let enough = (self.divided / PARTS * sampled / rows.len()).max(ENOUGH);
        let mut sample = PackedRows { rows: picked, ids: vec![0; sampled] };
        let mut away = sample.clone();
        let span = PartSpan {
            here: BufferRows { rows: &mut sample.rows, ids: &mut sample.ids },
            there: BufferRows { rows: &mut away.rows, ids: &mut away.ids },
            at_home: true,
        };
        let mut tree = CutTree::default();
        self.grow(span, enough, limits, &mut self.work(Vec::new()), &mut tree);
        tree
    }

    /// Cuts a part of the sample until parts have few enough rows.
    fn grow<T: Tuple>(
        &self,
        mut span: PartSpan<'_, T>,
        enough: usize,
        limits: &[u32],
        work: &mut WorkerBuffers<'a>,
        tree: &mut CutTree,
    ) {
        let rows = span.here.rows.len();
        let here: &[T] = span.here.rows;
        let part = Part {
            hierarchy_cut: self.mondrian.hierarchy_cut,
            job: self.job,
            dimensions: &self.dimensions,
            boxes: self.boxes.as_ref(),
            by_median: false,
            edges: &PartEdges::default(),
            rows: &here,
        };
        let cut = if rows <= enough { None } else { work.finder.find(&part, limits) };
        let Some(cut @ Cut::Threshold { dimension, code, missing_left: None, .. }) = cut else {
            tree.nodes.push(CutNode::Leaf { rows: rows as u32 });
            return;
        };
        let left = span.move_in_two(&cut, work);
        let (low, high) = span.moved(left);
        let node = tree.push_threshold(dimension, code, false);
        if rows < GROWN_ALONE {
            self.grow(low, enough, limits, work, tree);
            tree.close_left(node);
            self.grow(high, enough, limits, work, tree);
            return;
        }
        let mut higher = CutTree::default();
        rayon::join(
            || self.grow(low, enough, limits, work, tree),
            || self.grow(high, enough, limits, &mut self.work(Vec::new()), &mut higher),
        );
        tree.close_left(node);
        tree.append(&higher);
    }

    /// Puts the parts together, in the place of the leaves of the upper cuts that hold rows.
    pub(super) fn join(&self, tree: &CutTree, parts: &[MondrianGroups], found: &mut MondrianGroups) {
        parts.iter().for_each(|part| found.append_groups(part));
        if !self.job.keep_tree {
            return;
        }
        let (mut parts, mut next) = (parts.iter(), 0);
        while next < tree.nodes.len() {
            next = self.join_cuts(tree, next, &mut parts, &mut found.tree);
        }
    }

    /// Appends a subtree with its parts, and returns where the next one starts.
    fn join_cuts<'f>(
        &self,
        tree: &CutTree,
        at: usize,
        parts: &mut impl Iterator<Item = &'f MondrianGroups>,
        into: &mut CutTree,
    ) -> usize {
        let node = into.nodes.len();
        match tree.nodes[at] {
            CutNode::Leaf { rows: 1.. } => parts.by_ref().take(1).for_each(|part| into.append(&part.tree)),
            _ => into.push_copy(tree, at),
        }
        if let CutNode::Leaf { .. } = tree.nodes[at] {
            return at + 1;
        }
        let right = self.join_cuts(tree, at + 1, parts, into);
        into.close_left(node);
        self.join_cuts(tree, right, parts, into)
    }
}

/// Moves the rows of a part there, leaf by leaf, each in their order. Chunks of rows are moved side by side, each to
/// places of its own.
fn move_rows<'s, T: Tuple>(routes: &Thresholds, span: PartSpan<'s, T>) -> Vec<PartSpan<'s, T>> {
    let rows = span.here.rows.len();
    let chunk = rows.div_ceil(4 * rayon::current_num_threads()).max(MOVED_ALONE);
    let mut leaves = vec![0; rows];
    let sizes: Vec<Vec<usize>> = leaves
        .par_chunks_mut(chunk)
        .zip(span.here.rows.par_chunks(chunk))
        .map(|(leaves, rows)| routes.route(rows, leaves))
        .collect();
    let mut places: Vec<Vec<BufferRows<'_, T>>> =
        sizes.iter().map(|_| Vec::with_capacity(routes.many)).collect();
    let mut rest = BufferRows { rows: &mut *span.there.rows, ids: &mut *span.there.ids };
    for leaf in 0..routes.many {
        for (places, sizes) in places.iter_mut().zip(&sizes) {
            let (place, others) = rest.split_at(sizes[leaf]);
            places.push(place);
            rest = others;
        }
    }
    let here = span.here.rows.par_chunks(chunk).zip(span.here.ids.par_chunks(chunk));
    places.into_par_iter().zip(leaves.par_chunks(chunk)).zip(here).for_each(
        |((mut places, leaves), (rows, ids))| {
            let mut filled = vec![0; routes.many];
            for ((&leaf, row), id) in leaves.iter().zip(rows).zip(ids) {
                let (place, at) = (&mut places[leaf as usize], &mut filled[leaf as usize]);
                (place.rows[*at], place.ids[*at]) = (*row, *id);
                *at += 1;
            }
        },
    );
    let mut parts = Vec::with_capacity(routes.many);
    let mut rest = span.moved(rows).0;
    for leaf in 0..routes.many {
        let (part, others) = rest.split(sizes.iter().map(|sizes| sizes[leaf]).sum());
        parts.push(part);
        rest = others;
    }
    parts
}

#[cfg(test)]
mod tests {
    use crate::algorithm::mondrian::{InheritedCuts, Mondrian, PartStart};
    use crate::job::{Budget, Job, Suppression, Unobserved};
    use crate::loss::SuppressedRows;
    use crate::partition::{CutNode, Partitioning};
    use crate::registry;
    use crate::requirement::Checks;
    use crate::split::BoxSplit;
    use crate::split::SplitCriterion;
    use crate::table::{Codes, Column, ColumnData, ColumnSpec, Distinct, Encoding, Role, Table};
    use proptest::prelude::*;

    fn column(number: usize, values: &[i64]) -> Column {
        let name = format!("q{number}");
        let mut different = values.to_vec();
        different.sort_unstable();
        different.dedup();
        let code = |value: &i64| different.partition_point(|other| other < value) as u32;
        let codes: Vec<u32> = values.iter().map(code).collect();
        let spec = ColumnSpec::new(name.clone(), Role::QuasiIdentifier);
        let domain = Encoding::of(&spec, Distinct::Integers(different), false).unwrap().domain;
        let codes = Codes::collect(domain.cardinality(), codes.into_iter());
        Column { name, role: Role::QuasiIdentifier, data: ColumnData::Coded { domain: domain.into(), codes } }
    }

    /// Three columns: one is skewed, one depends on it, one has few values.
    fn table(rows: usize, seed: u64, few: i64) -> Table {
        let mut state = seed | 1;
        let mut next = |below: i64| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 1) as i64 % below
        };
        let mut columns = [Vec::new(), Vec::new(), Vec::new()];
        for _ in 0..rows {
            let skewed = next(60) * next(60);
            columns[0].push(skewed);
            columns[1].push(skewed / 3 + next(500));
            columns[2].push(next(few) * 7);
        }
        let columns = columns.iter().enumerate().map(|(number, values)| column(number, values));
        Table::new(rows, columns.collect()).unwrap()
    }

    fn partition(table: &Table, k: u64, divided: usize, threads: usize) -> Partitioning {
        let checks = Checks::new(&[registry::requirement("k", "", &k.to_string()).unwrap()], table).unwrap();
        let job = Job {
            table,
            requirements: &checks,
            split: &SplitCriterion::Box(BoxSplit::default()),
            loss: &SuppressedRows,
            suppression: Suppression::NONE,
            budget: Budget::default(),
            weights: &[1.0; 3],
            keep_tree: true,
            observer: &Unobserved,
        };
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let parts = [table.rows() as u32];
        let starts: Vec<_> =
            parts.iter().map(|&end| PartStart { end, above: InheritedCuts::default() }).collect();
        pool.install(|| Mondrian::default().partition_starts(&job, &starts, divided)).unwrap().0
    }

    fn sorted(found: &Partitioning) -> Vec<Vec<u32>> {
        let rows = |group: usize| {
            let mut rows = found.rows(group).to_vec();
            rows.sort_unstable();
            rows
        };
        (0..found.groups()).map(rows).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]

        #[test]
        fn parts_that_are_divided_are_cut_as_far_as_any(
            (rows, seed, few) in (600usize..20_000, any::<u64>(), 1i64..40),
            (k, divided) in (1u64..30, 256usize..4000),
        ) {
            let table = table(rows, seed, few);
            let found = partition(&table, k, divided, 1);
            let other = partition(&table, k, divided, 3);
            prop_assert_eq!((&found.order, &found.ends, &found.tree), (&other.order, &other.ends, &other.tree));
            let mut order = found.order.clone();
            order.sort_unstable();
            prop_assert_eq!(order, (0..rows as u32).collect::<Vec<_>>());
            for group in 0..found.groups() {
                let rows = found.rows(group);
                prop_assert!(rows.len() as u64 >= k);
                for dimension in 0..3 {
                    let mut codes: Vec<u32> = rows.iter().map(|&row| table.codes(dimension).get(row as usize)).collect();
                    codes.sort_unstable();
                    let k = k as usize;
                    prop_assert!(codes.len() < 2 * k || codes[k - 1] == codes[codes.len() - k]);
                }
            }
            let tree = found.tree.clone().unwrap();
            let leaf = |node: &CutNode| if let CutNode::Leaf { rows } = node { Some(*rows as usize) } else { None };
            let leaves: Vec<usize> = tree.nodes.iter().filter_map(leaf).collect();
            let sizes: Vec<usize> = (0..found.groups()).map(|group| found.rows(group).len()).collect();
            prop_assert_eq!(leaves, sizes);
            prop_assert_eq!(sorted(&Partitioning::planted(&table, tree).unwrap()), sorted(&found));
        }
    }

    #[test]
    fn the_cuts_of_a_large_part_are_those_of_its_sample() {
        let table = table(30_000, 7, 20);
        let (divided, level_by_level) = (partition(&table, 5, 4000, 2), partition(&table, 5, usize::MAX, 2));
        assert_ne!(divided.tree, level_by_level.tree);
        // Neither is much better than the other.
        let (many, few) = (divided.groups() as f64, level_by_level.groups() as f64);
        assert!((many / few - 1.0).abs() < 0.02, "{many} groups and {few}");
    }
}
