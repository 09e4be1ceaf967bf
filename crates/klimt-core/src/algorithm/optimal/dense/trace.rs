//! From the array back to the cuts: which choice attains the value of each box is looked for again.

use super::grid::BoxRanges;
use super::leaves::{LeafScratch, Leaves};
use super::refine::BoxRefinement;
use super::value::CostValue;
use crate::partition::{CutNode, CutTree};

/// The best choice for a box.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BoxChoice {
    /// It is one group.
    Group,
    /// Its rows are suppressed.
    Suppressed,
    /// It is cut on an axis after a code.
    Cut(usize, usize),
}

/// The array, and what it was made from.
pub struct Solution<'s, V: CostValue> {
    /// The cost of each box that is not cut.
    pub leaves: &'s Leaves<'s, V>,
    /// The cost of the best partitioning of every box.
    pub values: &'s [V],
}

/// The cuts, and which leaves are suppressed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CutTrace {
    /// The cuts.
    pub tree: CutTree,
    /// The numbers of the leaves whose rows are suppressed.
    pub suppressed: Vec<usize>,
}

/// Both parts of a box that is cut on an axis after a code.
pub fn parts(bounds: &BoxRanges, axis: usize, code: usize) -> [BoxRanges; 2] {
    let (mut left, mut right) = (bounds.clone(), bounds.clone());
    (left[axis].1, right[axis].0) = (code, code + 1);
    [left, right]
}

enum TraceStep {
    Visit(BoxRanges),
    CloseLeft(usize),
}

impl<V: CostValue> Solution<'_, V> {
    /// The value of a box.
    pub fn value(&self, bounds: &BoxRanges) -> V {
        self.values[self.leaves.facts.grid.place(bounds)]
    }

    /// The value of the best partitioning of a box that starts with a cut.
    pub fn value_of_cut(&self, bounds: &BoxRanges, axis: usize, code: usize) -> V {
        let [left, right] = parts(bounds, axis, code);
        self.value(&left).plus(self.value(&right))
    }

    /// Every cut of a box.
    pub fn cuts(bounds: &BoxRanges) -> impl Iterator<Item = (usize, usize)> {
        bounds.iter().enumerate().flat_map(|(axis, &(lo, hi))| (lo..hi).map(move |code| (axis, code)))
    }

    /// Takes empty slabs off the edges of a box; returns its rows.
    pub fn shrink(&self, bounds: &mut BoxRanges, scratch: &mut LeafScratch) -> u32 {
        let facts = self.leaves.facts;
        let count = facts.count(bounds, scratch);
        for axis in 0..if count == 0 { 0 } else { bounds.len() } {
            let (lo, hi) = bounds[axis];
            let mut is_empty = |code: usize| {
                bounds[axis] = (code, code);
                facts.count(bounds, scratch) == 0
            };
            let first = (lo..hi).find(|&code| !is_empty(code)).unwrap_or(hi);
            let last = (first..hi).rev().map(|code| code + 1).find(|&code| !is_empty(code)).unwrap_or(first);
            bounds[axis] = (first, last);
        }
        count
    }

    /// The best choice for a box that is the smallest over its rows.
    fn choose(&self, bounds: &BoxRanges, count: u32, scratch: &mut LeafScratch) -> BoxChoice {
        let Leaves { facts, scale, .. } = *self.leaves;
        let value = self.value(bounds);
        if let Some(price) = facts.price {
            let suppressed = f64::from(count) * price;
            if V::of(suppressed, scale) == Some(value) {
                let keeps = facts.group(bounds, scratch).is_some_and(|cost| cost <= suppressed);
                return if keeps { BoxChoice::Group } else { BoxChoice::Suppressed };
            }
        }
        // At the same cost, smaller groups tell more.
        if let Some((axis, code)) =
            Self::cuts(bounds).find(|&(a, c)| self.value_of_cut(bounds, a, c) == value)
        {
            return BoxChoice::Cut(axis, code);
        }
        let best = Self::cuts(bounds)
            .map(|(axis, code)| (self.value_of_cut(bounds, axis, code), axis, code))
            .filter(|(value, ..)| value.is_finite())
            .reduce(|best, other| if other.0 < best.0 { other } else { best });
        match best {
            Some((_, axis, code)) if facts.group(bounds, scratch).is_none() => BoxChoice::Cut(axis, code),
            _ => BoxChoice::Group,
        }
    }

    /// The cuts of the best partitioning, by what a refinement found best where it looked.
    pub fn trace(&self, refined: &BoxRefinement) -> CutTrace {
        let facts = self.leaves.facts;
        let mut scratch = facts.scratch();
        let mut traced = CutTrace::default();
        let mut leaves = 0;
        let mut pending = vec![TraceStep::Visit(facts.grid.whole())];
        while let Some(step) = pending.pop() {
            let mut bounds = match step {
                TraceStep::Visit(bounds) => bounds,
                TraceStep::CloseLeft(cut) => {
                    traced.tree.close_left(cut);
                    continue;
                }
            };
            let rows = self.shrink(&mut bounds, &mut scratch);
            let choice = refined
                .choice(facts.grid.place(&bounds))
                .unwrap_or_else(|| self.choose(&bounds, rows, &mut scratch));
            if let BoxChoice::Cut(axis, code) = choice {
                let cut = traced.tree.nodes.len();
                self.push_cut(axis, code, &mut traced.tree);
                let [left, right] = parts(&bounds, axis, code);
                pending.extend([TraceStep::Visit(right), TraceStep::CloseLeft(cut), TraceStep::Visit(left)]);
                continue;
            }
            if choice == BoxChoice::Suppressed {
                traced.suppressed.push(leaves);
            }
            leaves += 1;
            traced.tree.nodes.push(CutNode::Leaf { rows });
        }
        traced
    }

    fn push_cut(&self, axis: usize, code: usize, tree: &mut CutTree) {
        let axis = self.leaves.facts.grid.axes()[axis];
        let dimension = axis.dimension as u32;
        let node = if axis.is_set {
            let first = tree.members.len() as u32;
            tree.members.extend(0..=code as u32);
            CutNode::Subset { dimension, first, len: code as u32 + 1, shared: false, right: 0 }
        } else {
            CutNode::Threshold { dimension, code: code as u32, shared: false, missing_left: false, right: 0 }
        };
        tree.nodes.push(node);
    }
}
