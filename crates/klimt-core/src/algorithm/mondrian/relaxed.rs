//! Relaxed partitioning (section 3 of the Mondrian paper): groups that no strict cut divides are halved.
//!
//! A half may part rows with the same value at the median, and even equal tuples, so that every group ends up with less
//! than twice the rows that it needs (Theorem 5), but for copies of one tuple, which are published alike in any case. As
//! every group lies within a strict one, no row is published more widely than by strict partitioning.
//!
//! Rows at the median go to either side by their other dimensions, the widest first. Copies of a tuple are dealt to both
//! sides evenly by what else is published of them. Nothing depends on the order of the rows in the table.

use super::kernel::{MondrianGroups, MondrianRun};
use crate::cut::{HierarchyCut, PartWidths};
use crate::packed::{PackedRows, Tuple};
use crate::partition::CutNode;
use crate::split::SplitCriterion;
use crate::table::{Column, ColumnData, Role, Shape, Table};
use rayon::prelude::*;
use std::cmp::Ordering;

/// Two halves of a part.
struct Half {
    dimension: usize,
    /// The places of the rows, those of the left half first.
    order: Vec<u32>,
    cost: f64,
}

impl MondrianRun<'_> {
    /// Halves the groups of a strict partitioning as long as they can be.
    pub(super) fn halve_groups<T: Tuple>(
        &self,
        packed: &mut PackedRows<T>,
        strict: &MondrianGroups,
    ) -> MondrianGroups {
        let (mut rows, mut ids) = (&mut packed.rows[..], &mut packed.ids[..]);
        let mut groups = Vec::with_capacity(strict.sizes.len());
        for &size in &strict.sizes {
            let (group, other_rows) = rows.split_at_mut(size as usize);
            let (numbers, other_ids) = ids.split_at_mut(size as usize);
            groups.push((group, numbers));
            (rows, ids) = (other_rows, other_ids);
        }
        let halved = |(rows, ids): (&mut [T], &mut [u32])| {
            let mut found = MondrianGroups::default();
            self.halve(rows, ids, &mut found);
            found
        };
        let halves: Vec<MondrianGroups> = groups.into_par_iter().map(halved).collect();
        let mut found = MondrianGroups::default();
        self.join(&strict.tree, &halves, &mut found);
        found
    }

    fn halve<T: Tuple>(&self, rows: &mut [T], ids: &mut [u32], found: &mut MondrianGroups) {
        let stops = self.job.budget.over() || self.job.observer.cancelled();
        let half = if stops { None } else { self.best_half(rows, ids) };
        let Some(Half { dimension, order, .. }) = half else {
            found.push_group(rows.len() as u32, false);
            if self.job.keep_tree {
                found.tree.nodes.push(CutNode::Leaf { rows: rows.len() as u32 });
            }
            return;
        };
        let moved: Vec<(T, u32)> = order.iter().map(|&at| (rows[at as usize], ids[at as usize])).collect();
        for ((row, id), from) in rows.iter_mut().zip(ids.iter_mut()).zip(moved) {
            (*row, *id) = from;
        }
        let left = left_of(rows.len());
        let node = if self.job.keep_tree { self.push_half(rows, dimension, found) } else { 0 };
        let (low, high) = rows.split_at_mut(left);
        let (low_ids, high_ids) = ids.split_at_mut(left);
        self.halve(low, low_ids, found);
        if self.job.keep_tree {
            found.tree.close_left(node);
        }
        self.halve(high, high_ids, found);
    }

    /// The allowable half after which rows pay least, of the first dimension where several do.
    fn best_half<T: Tuple>(&self, rows: &[T], ids: &[u32]) -> Option<Half> {
        let capacity = match self.job.split.base() {
            SplitCriterion::Box(split) => split.capacity.max(2),
            _ => 2,
        };
        if (rows.len() as u64) < self.job.requirements.minimum_size().saturating_mul(capacity) {
            return None;
        }
        let mut widths = PartWidths::default();
        let limits: Vec<u32> = self.dimensions.iter().map(|d| d.domain.cardinality() as u32).collect();
        widths.fill(rows, &self.dimensions, &limits);
        let by_nodes = self.mondrian.hierarchy_cut == HierarchyCut::Nodes;
        let is_cut = |&&dimension: &&usize| {
            !(by_nodes && matches!(self.dimensions[dimension].domain.shape(), Shape::Hierarchy(_)))
        };
        let mut best: Option<Half> = None;
        for &dimension in widths.order.iter().filter(is_cut) {
            let order = self.order_for_half(rows, ids, dimension, &widths.order);
            let (low, high) = order.split_at(left_of(rows.len()));
            let cost = self.cost_of(rows, low) + self.cost_of(rows, high);
            if best.as_ref().is_none_or(|best| cost < best.cost) && self.allows_half(rows, low, high) {
                best = Some(Half { dimension, order, cost });
            }
        }
        best
    }

    /// The places of rows by a dimension, then by the others, widest first. Copies of the tuple at which the halves meet
    /// are dealt to both of them.
    fn order_for_half<T: Tuple>(
        &self,
        rows: &[T],
        ids: &[u32],
        dimension: usize,
        widest: &[usize],
    ) -> Vec<u32> {
        let others = widest.iter().copied().filter(|&other| other != dimension);
        let keys: Vec<usize> = [dimension].into_iter().chain(others).collect();
        let compare = |a: u32, b: u32| {
            let codes = |at: u32| keys.iter().map(move |&key| rows[at as usize].code(key));
            codes(a).cmp(codes(b))
        };
        let mut order: Vec<u32> = (0..rows.len() as u32).collect();
        order.sort_unstable_by(|&a, &b| compare(a, b));
        let left = left_of(rows.len());
        let middle = order[left];
        let first = order.partition_point(|&at| compare(at, middle).is_lt());
        let end = order.partition_point(|&at| compare(at, middle).is_le());
        if first < left {
            let (copies, contents) = (&mut order[first..end], contents(self.job.table));
            copies.sort_unstable_by(|&a, &b| by_content(&contents, ids[a as usize], ids[b as usize]));
            deal(copies, left - first);
        }
        order
    }

    /// The certainty penalty of some rows as one group.
    fn cost_of<T: Tuple>(&self, rows: &[T], chosen: &[u32]) -> f64 {
        let mut codes: Vec<u32> = Vec::with_capacity(chosen.len());
        let penalties = self.dimensions.iter().enumerate().map(|(number, dimension)| {
            codes.clear();
            codes.extend(chosen.iter().map(|&at| rows[at as usize].code(number)));
            codes.sort_unstable();
            codes.dedup();
            let (lo, hi) = (codes[0], codes[codes.len() - 1]);
            dimension.domain.extent_penalty(lo, hi, codes.len()) * dimension.weight
        });
        penalties.sum::<f64>() * chosen.len() as f64
    }

    /// Whether both halves satisfy every requirement.
    fn allows_half<T: Tuple>(&self, rows: &[T], low: &[u32], high: &[u32]) -> bool {
        let requirements = self.job.requirements;
        if requirements.only_count() {
            return low.len().min(high.len()) as u64 >= requirements.minimum_size();
        }
        let mut collector = self.collector.clone();
        collector.prepare(rows);
        [low, high].iter().all(|half| {
            let mut statistics = collector.empty();
            half.iter().for_each(|&at| collector.add(&mut statistics, &rows[at as usize]));
            requirements.satisfied(&statistics)
        })
    }

    /// Appends the cut between two halves, in the order of which rows stand, and returns where it is.
    fn push_half<T: Tuple>(&self, rows: &[T], dimension: usize, found: &mut MondrianGroups) -> usize {
        let (low, high) = rows.split_at(left_of(rows.len()));
        let code = low[low.len() - 1].code(dimension);
        let shared = high[0].code(dimension) == code;
        if !self.dimensions[dimension].is_set {
            return found.tree.push_threshold(dimension, code, shared);
        }
        let mut members: Vec<u32> = low.iter().map(|row| row.code(dimension)).collect();
        members.sort_unstable();
        members.dedup();
        found.tree.push_subset(dimension, &members, shared)
    }
}

/// The number of rows that go to the left half, out of `rows`.
fn left_of(rows: usize) -> usize {
    rows.div_ceil(2)
}

/// Moves a number of the items, evenly spaced, before the others.
fn deal(items: &mut [u32], first: usize) {
    let all = items.len();
    let goes_first = |at: usize| (at + 1) * first / all > at * first / all;
    let (chosen, others): (Vec<usize>, Vec<usize>) = (0..all).partition(|&at| goes_first(at));
    let dealt: Vec<u32> = chosen.into_iter().chain(others).map(|at| items[at]).collect();
    items.copy_from_slice(&dealt);
}

/// The columns that are published beside the quasi-identifiers, by name: their order in the table does not matter.
fn contents(table: &Table) -> Vec<&Column> {
    let is_published = |column: &&Column| column.role.is_published() && column.role != Role::QuasiIdentifier;
    let mut columns: Vec<&Column> = table.columns().iter().filter(is_published).collect();
    columns.sort_by(|a, b| a.name.cmp(&b.name));
    columns
}

/// Compares two rows by what they hold in some columns.
fn by_content(columns: &[&Column], a: u32, b: u32) -> Ordering {
    let (a, b) = (a as usize, b as usize);
    let mut each = columns.iter().map(|column| match &column.data {
        ColumnData::Coded { codes, .. } => codes.get(a).cmp(&codes.get(b)),
        ColumnData::Texts(texts) => texts.get(a).cmp(texts.get(b)),
    });
    each.find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
}

#[cfg(test)]
mod tests {
    use super::deal;

    #[test]
    fn copies_are_dealt_evenly() {
        let mut items: Vec<u32> = (0..10).collect();
        deal(&mut items, 4);
        let (left, right) = items.split_at(4);
        assert_eq!((left, right), (&[2, 4, 7, 9][..], &[0, 1, 3, 5, 6, 8][..]));
        let mut few = [5, 6];
        deal(&mut few, 1);
        assert_eq!(few, [6, 5]);
    }
}
