//! The groups where rows cost least: a tree over the regions of groups, and the last few rows.

use super::group::LocalGroup;
use super::problem::{CodeSpan, LocalProblem, TupleRows};
use crate::packed::MAX_DIMENSIONS;
use std::cell::Cell;

/// A tree over the regions of groups, a dimension a level, nodes in preorder. Below a node, rows that are taken in pay at
/// least what they pay in the dimensions down to it, and every row that is there pays at least for the growth in them.
/// Groups that have changed since the tree was made may be overlooked.
pub(super) struct RegionTree {
    /// The dimension of each level, the most telling one first.
    dimensions: Vec<usize>,
    nodes: Vec<RegionNode>,
    /// How many nodes searches have looked at.
    looked_at: Cell<u64>,
}

struct RegionNode {
    level: u32,
    /// The node to go on with when this one costs too much.
    after: u32,
    /// The span of a dimension, or the number of a group on the last level.
    holds: u64,
    /// The cost of a row's cells over the span.
    paid: f64,
}

/// A place for rows: the group, and by how much the total cost rises.
#[derive(Clone, Copy, Debug)]
pub(super) struct Placement {
    pub group: usize,
    pub rise: f64,
}

impl RegionTree {
    pub fn new(problem: &LocalProblem<'_>, groups: &[LocalGroup]) -> Self {
        let dimensions = most_telling(problem, groups);
        let mut order: Vec<u32> =
            (0..groups.len() as u32).filter(|&g| groups[g as usize].count > 0).collect();
        let spans = |group: u32| dimensions.iter().map(move |&d| groups[group as usize].spans[d]);
        order.sort_by(|&a, &b| spans(a).cmp(spans(b)).then(a.cmp(&b)));
        let last = dimensions.len();
        let mut nodes: Vec<RegionNode> = Vec::new();
        let mut latest: Vec<Option<usize>> = vec![None; last + 1];
        let mut push = |nodes: &mut Vec<RegionNode>, level: usize, holds: u64, paid: f64| {
            let at = nodes.len();
            latest[level..]
                .iter_mut()
                .filter_map(Option::take)
                .for_each(|ended| nodes[ended].after = at as u32);
            latest[level] = Some(at);
            nodes.push(RegionNode { level: level as u32, after: u32::MAX, holds, paid });
        };
        let mut before: Option<u32> = None;
        for group in order {
            let shared = before.map_or(0, |b| spans(b).zip(spans(group)).take_while(|(a, b)| a == b).count());
            for (level, span) in spans(group).enumerate().skip(shared) {
                push(&mut nodes, level, span, problem.cell(dimensions[level], span));
            }
            push(&mut nodes, last, u64::from(group), 0.0);
            before = Some(group);
        }
        RegionTree { dimensions, nodes, looked_at: Cell::new(0) }
    }

    /// How many nodes searches have looked at.
    pub fn looked_at(&self) -> u64 {
        self.looked_at.get()
    }

    /// The group in which rows of a tuple raise the total cost least, by less than a limit, among those that are allowed.
    pub fn find(
        &self,
        problem: &LocalProblem<'_>,
        groups: &[LocalGroup],
        bundle: TupleRows,
        limit: f64,
        mut allowed: impl FnMut(usize) -> bool,
    ) -> Option<Placement> {
        let codes = problem.tuples.codes(bundle.tuple);
        let singles = self.dimensions.iter().map(|&d| problem.single(d, codes[d]));
        let singles: Vec<(usize, CodeSpan)> = self.dimensions.iter().copied().zip(singles).collect();
        let (rows, there) = (f64::from(bundle.rows), problem.minimum() as f64);
        // What is paid for sure above each level.
        let mut sure = [0.0; MAX_DIMENSIONS + 1];
        let (mut best, mut least) = (None, limit);
        let (mut at, mut looked_at) = (0, self.looked_at.get());
        while let Some(node) = self.nodes.get(at) {
            looked_at += 1;
            let level = node.level as usize;
            if let Some(&(dimension, single)) = singles.get(level) {
                let cell = problem.cell(dimension, problem.join(dimension, node.holds, single));
                let paid = sure[level] + rows * cell + there * (cell - node.paid);
                at = if paid >= least { node.after as usize } else { at + 1 };
                sure[level + 1] = paid;
                continue;
            }
            at += 1;
            let (number, group) = (node.holds as usize, &groups[node.holds as usize]);
            if group.count == 0 {
                continue;
            }
            let rise = (group.count as f64 + rows) * group.paid_with(problem, bundle.tuple) - group.cost();
            if rise < least && allowed(number) {
                (best, least) = (Some(Placement { group: number, rise }), rise);
            }
        }
        self.looked_at.set(looked_at);
        best
    }
}

/// The dimensions by what groups pay in them when they are thrown together, from much to little.
fn most_telling(problem: &LocalProblem<'_>, groups: &[LocalGroup]) -> Vec<usize> {
    const LOOKED_AT: usize = 256;
    let stride = (groups.len() / LOOKED_AT).max(1);
    let half = groups.len() / 2;
    let paid = |d: usize| -> f64 {
        let pairs = (0..half).step_by(stride).map(|at| (&groups[at], &groups[at + half]));
        let pairs = pairs.filter(|(a, b)| a.count > 0 && b.count > 0);
        pairs.map(|(a, b)| problem.cell(d, problem.join(d, a.spans[d], b.spans[d]))).sum()
    };
    let mut paid: Vec<(f64, usize)> = (0..problem.dimensions()).map(|d| (paid(d), d)).collect();
    paid.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    paid.into_iter().map(|(_, dimension)| dimension).collect()
}

/// Whether a group may take in rows.
pub(super) fn may_take(problem: &LocalProblem<'_>, group: &LocalGroup, bundle: TupleRows) -> bool {
    problem.requirements.only_count() || {
        let bundles: Vec<TupleRows> = group.bundles.iter().copied().chain([bundle]).collect();
        problem.satisfied(group.count + u64::from(bundle.rows), &bundles)
    }
}

/// Puts tuples that found no group where they cost least. Where no group may take one in, groups are thrown together until
/// the requirements hold, which they do for all rows.
pub(super) fn place(problem: &LocalProblem<'_>, groups: &mut Vec<LocalGroup>, open: &[u32]) {
    let index = RegionTree::new(problem, groups);
    let mut stubborn = Vec::new();
    for &tuple in open {
        let bundle = TupleRows { tuple, rows: problem.tuples.count(tuple) };
        let found =
            index.find(problem, groups, bundle, f64::INFINITY, |at| may_take(problem, &groups[at], bundle));
        match found {
            Some(found) => groups[found.group].add(problem, bundle),
            None => stubborn.push(tuple),
        }
    }
    if stubborn.is_empty() {
        return;
    }
    let mut odd = LocalGroup::of_tuples(problem, &stubborn);
    while !problem.satisfied(odd.count, &odd.bundles) {
        let joined = |group: &LocalGroup| {
            let spans = group.spans.iter().zip(&odd.spans).enumerate();
            let paid: f64 = spans.map(|(d, (&a, &b))| problem.cell(d, problem.join(d, a, b))).sum();
            (group.count + odd.count) as f64 * paid - group.cost()
        };
        let rises = groups.iter().map(joined).enumerate();
        let Some((nearest, _)) = rises.min_by(|a, b| a.1.total_cmp(&b.1)) else { break };
        let taken = groups.swap_remove(nearest);
        odd = LocalGroup::new(problem, odd.bundles.into_iter().chain(taken.bundles).collect());
    }
    groups.push(odd);
}
