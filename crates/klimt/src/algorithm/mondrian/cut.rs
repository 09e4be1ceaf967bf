//! The cuts of one dimension of a part, and which of them is made.
//!
//! A cut is *allowable* when every part that holds rows satisfies every requirement.

use super::frequency::FrequencySet;
use super::measure::{Dimension, Widths};
use super::{HierarchyCut, Model, Mondrian};
use crate::hierarchy::Hierarchy;
use crate::partition::{Job, Tuple};
use crate::statistics::Statistics;
use crate::table::Shape;

/// A cut of a part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Cut {
    /// Codes up to `code` go left; of the rows with that very code, where `shared` is given, only so many.
    Threshold { dimension: usize, code: u32, left: u32, shared: Option<u32> },
    /// Members go left; of the rows with the last of them, where `shared` is given, only so many.
    Subset { dimension: usize, members: Vec<u32>, left: u32, shared: Option<u32> },
    /// One part per run of codes, by the last code of each.
    Runs { dimension: usize, bounds: Vec<u32>, sizes: Vec<u32> },
}

/// Finds the cut of a part. Its vectors are kept from part to part.
#[derive(Debug, Default)]
pub(super) struct CutFinder {
    pub widths: Widths,
    frequency: FrequencySet,
    ranked: Vec<usize>,
}

/// A part that may be cut.
pub(super) struct Part<'a, T> {
    pub mondrian: Mondrian,
    pub job: &'a Job<'a>,
    pub dimensions: &'a [Dimension<'a>],
    pub rows: &'a [T],
    pub ids: &'a [u32],
}

impl CutFinder {
    /// The first allowable cut, trying the widest dimension first.
    pub fn find<T: Tuple>(&mut self, part: &Part<'_, T>, limits: &[u32]) -> Option<Cut> {
        if (part.rows.len() as u64) < part.job.requirements.minimum_size() * 2 {
            return None;
        }
        self.widths.fill(part.rows, part.dimensions, limits);
        for at in 0..self.widths.order.len() {
            let number = self.widths.order[at];
            let (lo, hi) = (self.widths.lo[number], self.widths.hi[number]);
            self.frequency.fill(part.rows, number, lo, hi);
            let found = match part.dimensions[number].domain.shape() {
                Shape::Set => self.subset(part, number),
                Shape::Ordered => {
                    self.missing_apart(part, number, lo, hi).or_else(|| self.median(part, number))
                }
                Shape::Hierarchy(tree) => self.hierarchy(part, number, tree, lo, hi),
            };
            if found.is_some() {
                return found;
            }
        }
        None
    }

    /// Missing values to one side, where the part mixes them with others.
    fn missing_apart<T: Tuple>(&self, part: &Part<'_, T>, dimension: usize, lo: u32, hi: u32) -> Option<Cut> {
        if !part.dimensions[dimension].domain.mixes_missing(lo, hi) {
            return None;
        }
        self.threshold(part, dimension, self.frequency.values.len() - 2)
    }

    /// `find_median` (Fig. 7), and the nearest allowable threshold where the median is not.
    ///
    /// When any threshold leaves `k` rows on either side, so does the one after the median or the one before it:
    /// the rows up to the median are at least half, those before it less than half.
    fn median<T: Tuple>(&mut self, part: &Part<'_, T>, dimension: usize) -> Option<Cut> {
        let median = self.frequency.median();
        if part.mondrian.model == Model::Relaxed
            && let Some(cut) = self.half(part, dimension, median)
        {
            return Some(cut);
        }
        if part.job.requirements.only_count() {
            let before = median.checked_sub(1);
            return self
                .threshold(part, dimension, median)
                .or_else(|| self.threshold(part, dimension, before?));
        }
        self.rank_by_balance(part.rows.len(), median);
        self.ranked.iter().find_map(|&index| self.threshold(part, dimension, index))
    }

    /// Every index after which a cut can be, the median first, then by how evenly it cuts.
    fn rank_by_balance(&mut self, rows: usize, median: usize) {
        let cumulative = &self.frequency.cumulative;
        self.ranked.clear();
        self.ranked.extend(0..cumulative.len() - 1);
        self.ranked.sort_by_key(|&index| {
            (index != median, (u64::from(cumulative[index]) * 2).abs_diff(rows as u64), index)
        });
    }

    /// A cut after the value with the given index, when it is allowable.
    fn threshold<T: Tuple>(&self, part: &Part<'_, T>, dimension: usize, index: usize) -> Option<Cut> {
        let code = self.frequency.values[index];
        let left = self.frequency.cumulative[index];
        let right = part.rows.len() as u32 - left;
        part.allows(&[left, right], dimension, |at| usize::from(at > code)).then_some(Cut::Threshold {
            dimension,
            code,
            left,
            shared: None,
        })
    }

    /// Two halves, the rows at the median divided between them.
    fn half<T: Tuple>(&self, part: &Part<'_, T>, dimension: usize, median: usize) -> Option<Cut> {
        let code = self.frequency.values[median];
        let left = (part.rows.len() as u32).div_ceil(2);
        let at_median = left - self.frequency.before(median);
        let shared = (at_median < self.frequency.count_of(median)).then_some(at_median);
        let mut rest = at_median;
        let side = |at: u32| {
            if at == code && rest > 0 {
                rest -= 1;
                return 0;
            }
            usize::from(at >= code)
        };
        part.allows(&[left, part.rows.len() as u32 - left], dimension, side).then_some(Cut::Threshold {
            dimension,
            code,
            left,
            shared,
        })
    }

    /// Two sets of values, as even as adding the commonest value that is left to the smaller side makes them; where
    /// that is not allowable, one value against the others.
    fn subset<T: Tuple>(&mut self, part: &Part<'_, T>, dimension: usize) -> Option<Cut> {
        let frequency = &self.frequency;
        self.ranked.clear();
        self.ranked.extend(0..frequency.values.len());
        self.ranked.sort_by_key(|&index| (std::cmp::Reverse(frequency.count_of(index)), index));
        if part.mondrian.model == Model::Relaxed
            && let Some(cut) = self.half_subset(part, dimension)
        {
            return Some(cut);
        }
        let (mut members, mut left, mut right) = (Vec::new(), 0, 0);
        for &index in &self.ranked {
            if left <= right {
                left += frequency.count_of(index);
                members.push(frequency.values[index]);
            } else {
                right += frequency.count_of(index);
            }
        }
        if let Some(cut) = subset_cut(part, dimension, members, [left, right]) {
            return Some(cut);
        }
        if part.job.requirements.only_count() {
            return None;
        }
        let rows = part.rows.len() as u32;
        self.ranked.iter().find_map(|&index| {
            let count = frequency.count_of(index);
            subset_cut(part, dimension, vec![frequency.values[index]], [count, rows - count])
        })
    }

    /// Two halves, the rows of one value divided between them.
    fn half_subset<T: Tuple>(&self, part: &Part<'_, T>, dimension: usize) -> Option<Cut> {
        let rows = part.rows.len() as u32;
        let left = rows.div_ceil(2);
        let (mut members, mut filled, mut shared) = (Vec::new(), 0, None);
        for &index in &self.ranked {
            let count = self.frequency.count_of(index);
            members.push(self.frequency.values[index]);
            if filled + count >= left {
                shared = (filled + count > left).then_some(left - filled);
                break;
            }
            filled += count;
        }
        let last = *members.last()?;
        let mut rest = shared.unwrap_or(u32::MAX);
        let side = |at: u32| {
            if at == last && rest == 0 {
                return 1;
            }
            rest -= u32::from(at == last && shared.is_some());
            usize::from(!members.contains(&at))
        };
        part.allows(&[left, rows - left], dimension, side).then_some(Cut::Subset {
            dimension,
            members,
            left,
            shared,
        })
    }

    fn hierarchy<T: Tuple>(
        &mut self,
        part: &Part<'_, T>,
        dimension: usize,
        tree: &Hierarchy,
        lo: u32,
        hi: u32,
    ) -> Option<Cut> {
        let specialised = match part.mondrian.hierarchy_cut {
            HierarchyCut::Leaves => None,
            _ => self.specialise(part, dimension, tree, lo, hi),
        };
        if specialised.is_some() || part.mondrian.hierarchy_cut == HierarchyCut::Nodes {
            return specialised;
        }
        self.between_leaves(part, dimension, tree, lo, hi)
    }

    /// The lowest node over the part, specialised to all its children.
    fn specialise<T: Tuple>(
        &self,
        part: &Part<'_, T>,
        dimension: usize,
        tree: &Hierarchy,
        lo: u32,
        hi: u32,
    ) -> Option<Cut> {
        let domain = part.dimensions[dimension].domain;
        let node = domain.node_over(tree, lo, hi);
        let mut bounds: Vec<u32> = tree.children(node).iter().map(|&child| tree.span(child).1).collect();
        bounds.extend(domain.missing_code().filter(|_| domain.mixes_missing(lo, hi)));
        let upto = |bound: u32| self.frequency.before(self.frequency.values.partition_point(|&v| v <= bound));
        let mut sizes: Vec<u32> = bounds.iter().map(|&bound| upto(bound)).collect();
        for at in (1..sizes.len()).rev() {
            sizes[at] -= sizes[at - 1];
        }
        part.allows(&sizes, dimension, |at| bounds.partition_point(|&bound| bound < at))
            .then_some(Cut::Runs { dimension, bounds, sizes })
    }

    /// The allowable cut between two leaves that leaves the least certainty penalty, if that is less than before.
    ///
    /// A side that would be published as `*` in every dimension looks like suppressed rows: such a cut is not made.
    fn between_leaves<T: Tuple>(
        &mut self,
        part: &Part<'_, T>,
        dimension: usize,
        tree: &Hierarchy,
        lo: u32,
        hi: u32,
    ) -> Option<Cut> {
        let domain = part.dimensions[dimension].domain;
        let rows = part.rows.len();
        let penalty = |lo: u32, hi: u32| domain.extent_penalty(lo, hi, 0);
        let all_else_open = self.all_open_but(part, dimension);
        let (values, cumulative) = (&self.frequency.values, &self.frequency.cumulative);
        let mut costs = Vec::new();
        for index in 0..values.len() - 1 {
            let (below, above) = (values[index], values[index + 1]);
            let star = |lo, hi| domain.node_over(tree, lo, hi) == tree.root();
            if all_else_open && (star(lo, below) || star(above, hi)) {
                continue;
            }
            let left = f64::from(cumulative[index]);
            let cost = left * penalty(lo, below) + (rows as f64 - left) * penalty(above, hi);
            if cost < rows as f64 * penalty(lo, hi) {
                costs.push((cost, (u64::from(cumulative[index]) * 2).abs_diff(rows as u64), index));
            }
        }
        costs.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)).then(a.2.cmp(&b.2)));
        costs.iter().find_map(|&(_, _, index)| self.threshold(part, dimension, index))
    }

    /// Whether every other dimension of the part would be published as `*`.
    fn all_open_but<T: Tuple>(&self, part: &Part<'_, T>, dimension: usize) -> bool {
        part.dimensions.iter().enumerate().filter(|(number, _)| *number != dimension).all(
            |(number, other)| {
                let (lo, hi) = (self.widths.lo[number], self.widths.hi[number]);
                match other.domain.shape() {
                    Shape::Hierarchy(tree) => other.domain.node_over(tree, lo, hi) == tree.root(),
                    Shape::Ordered => other.domain.mixes_missing(lo, hi),
                    Shape::Set => false,
                }
            },
        )
    }
}

fn subset_cut<T: Tuple>(
    part: &Part<'_, T>,
    dimension: usize,
    members: Vec<u32>,
    sizes: [u32; 2],
) -> Option<Cut> {
    let side = |at: u32| usize::from(!members.contains(&at));
    part.allows(&sizes, dimension, side).then_some(Cut::Subset {
        dimension,
        members,
        left: sizes[0],
        shared: None,
    })
}

impl<T: Tuple> Part<'_, T> {
    /// Whether every part that holds rows satisfies every requirement; `side` tells the part of a row by its code,
    /// and is asked row after row.
    fn allows(&self, sizes: &[u32], dimension: usize, mut side: impl FnMut(u32) -> usize) -> bool {
        let requirements = self.job.requirements;
        let least = requirements.minimum_size();
        if sizes.iter().any(|&size| size > 0 && u64::from(size) < least)
            || sizes.iter().filter(|&&size| size > 0).count() < 2
        {
            return false;
        }
        if requirements.only_count() {
            return true;
        }
        let needs = requirements.needs();
        let mut parts = vec![Statistics::empty(needs, self.job.table); sizes.len()];
        for (row, &id) in self.rows.iter().zip(self.ids) {
            parts[side(row.code(dimension))].add(needs, self.job.table, id as usize);
        }
        parts.iter().all(|part| part.count == 0 || requirements.satisfied(part))
    }
}
