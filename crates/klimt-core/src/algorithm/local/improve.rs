//! Closed groups take in and give up rows: single moves, and groups that are dissolved into others.

use super::group::LocalGroup;
use super::place::{RegionTree, may_take};
use super::problem::{LocalProblem, TupleRows};

/// The least gain of a change: anything less is rounding.
const GAIN: f64 = 1e-9;

/// How many nodes of the tree over regions may be visited: enough to try everything in small tables, and the dearest groups
/// of large ones.
fn patience(problem: &LocalProblem<'_>) -> u64 {
    4_000_000 + 2 * problem.table.rows() as u64
}

/// Rows move to groups in which they cost less, as long as those they leave still satisfy the requirements.
pub(super) fn moves(problem: &LocalProblem<'_>, groups: &mut [LocalGroup], stop: &dyn Fn() -> bool) {
    let index = RegionTree::new(problem, groups);
    for from in dearest(groups) {
        if index.looked_at() > patience(problem) || stop() {
            return;
        }
        let mut at = 0;
        while at < groups[from].bundles.len() && groups[from].count > problem.minimum() {
            if !moved(problem, groups, &index, from, at) {
                at += 1;
            }
        }
    }
}

/// Moves rows of a bundle to where they cost less; tells whether it did.
fn moved(
    problem: &LocalProblem<'_>,
    groups: &mut [LocalGroup],
    index: &RegionTree,
    from: usize,
    at: usize,
) -> bool {
    let group = &groups[from];
    let TupleRows { tuple, rows } = group.bundles[at];
    let spare = (group.count - problem.minimum()).min(u64::from(rows)) as u32;
    if spare < rows && !problem.divisible() {
        return false;
    }
    let bundle = TupleRows { tuple, rows: spare };
    let rest = group.without(problem, at, spare);
    let saved = group.cost() - rest.cost();
    let allowed = |to: usize| to != from && may_take(problem, &groups[to], bundle);
    let Some(found) = index.find(problem, groups, bundle, saved - GAIN, allowed) else { return false };
    if rest.count == 0 || !problem.satisfied(rest.count, &rest.bundles) {
        return false;
    }
    groups[from] = rest;
    groups[found.group].add(problem, bundle);
    true
}

/// Groups whose rows cost less elsewhere are dissolved.
pub(super) fn dissolve(problem: &LocalProblem<'_>, groups: &mut Vec<LocalGroup>, stop: &dyn Fn() -> bool) {
    let index = RegionTree::new(problem, groups);
    for from in dearest(groups) {
        if index.looked_at() > patience(problem) || stop() {
            break;
        }
        let group = std::mem::take(&mut groups[from]);
        if !dissolved(problem, groups, &index, &group) {
            groups[from] = group;
        }
    }
    groups.retain(|group| group.count > 0);
}

/// Puts every bundle of a group where it costs least, if that gains; else nothing changes.
fn dissolved(
    problem: &LocalProblem<'_>,
    groups: &mut [LocalGroup],
    index: &RegionTree,
    group: &LocalGroup,
) -> bool {
    let mut left = group.cost() - GAIN;
    let mut before: Vec<(usize, LocalGroup)> = Vec::new();
    for &bundle in &group.bundles {
        let allowed = |to: usize| may_take(problem, &groups[to], bundle);
        let Some(found) = index.find(problem, groups, bundle, left, allowed) else {
            before.into_iter().rev().for_each(|(at, was)| groups[at] = was);
            return false;
        };
        left -= found.rise;
        before.push((found.group, groups[found.group].clone()));
        groups[found.group].add(problem, bundle);
    }
    true
}

/// The groups that lose anything, those whose rows pay most first.
fn dearest(groups: &[LocalGroup]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..groups.len()).filter(|&group| groups[group].paid > 0.0).collect();
    order.sort_by(|&a, &b| groups[b].paid.total_cmp(&groups[a].paid).then(a.cmp(&b)));
    order
}
