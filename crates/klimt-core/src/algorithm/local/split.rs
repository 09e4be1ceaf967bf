//! Groups are split again where both parts satisfy the requirements and cost less.

use super::group::LocalGroup;
use super::problem::{CodeSpan, LocalProblem, TupleRows};

/// How many cuts are tried where a cut needs more than rows enough on both sides.
const TRIED: usize = 8;

/// Splits groups in two, and the parts again, by the cut between two codes of a dimension that gains most.
pub(super) fn split(problem: &LocalProblem<'_>, groups: &mut Vec<LocalGroup>, stop: &dyn Fn() -> bool) {
    let mut at = 0;
    while at < groups.len() && !stop() {
        let group = &groups[at];
        match (group.count >= 2 * problem.minimum() && group.paid > 0.0)
            .then(|| best(problem, group))
            .flatten()
        {
            Some((left, right)) => {
                groups[at] = left;
                groups.push(right);
            }
            None => at += 1,
        }
    }
}

struct LocalCut {
    cost: f64,
    dimension: usize,
    /// The last code on the left.
    code: u32,
}

fn best(problem: &LocalProblem<'_>, group: &LocalGroup) -> Option<(LocalGroup, LocalGroup)> {
    let mut cuts = Vec::new();
    for dimension in (0..problem.dimensions()).filter(|&d| problem.cell(d, group.spans[d]) > 0.0) {
        cuts_of(problem, group, dimension, &mut cuts);
    }
    cuts.sort_by(|a, b| a.cost.total_cmp(&b.cost).then((a.dimension, a.code).cmp(&(b.dimension, b.code))));
    let parted = cuts.iter().take(TRIED).map(|cut| {
        let is_left = |bundle: &&TupleRows| problem.tuples.codes(bundle.tuple)[cut.dimension] <= cut.code;
        let (left, right) = group.bundles.iter().partition(is_left);
        (LocalGroup::new(problem, left), LocalGroup::new(problem, right))
    });
    let satisfied = |group: &LocalGroup| problem.satisfied(group.count, &group.bundles);
    parted.into_iter().find(|(left, right)| satisfied(left) && satisfied(right))
}

/// The cuts of a dimension that leave rows enough on both sides, and cost less than the group.
fn cuts_of(problem: &LocalProblem<'_>, group: &LocalGroup, dimension: usize, cuts: &mut Vec<LocalCut>) {
    let code = |bundle: &TupleRows| problem.tuples.codes(bundle.tuple)[dimension];
    let mut order = group.bundles.clone();
    order.sort_by_key(|bundle| (code(bundle), bundle.tuple));
    let right = paid_from_here(problem, order.iter().rev());
    let left = paid_from_here(problem, order.iter());
    let (mut before, minimum) = (0, problem.minimum());
    for at in 1..order.len() {
        before += u64::from(order[at - 1].rows);
        let after = group.count - before;
        if code(&order[at - 1]) == code(&order[at]) || before < minimum || after < minimum {
            continue;
        }
        let cost = before as f64 * left[at - 1] + after as f64 * right[order.len() - 1 - at];
        if cost < group.cost() * (1.0 - 1e-12) {
            cuts.push(LocalCut { cost, dimension, code: code(&order[at - 1]) });
        }
    }
}

/// The cost of a row in the region over the first bundle, over the first two, and so on.
fn paid_from_here<'b>(problem: &LocalProblem<'_>, bundles: impl Iterator<Item = &'b TupleRows>) -> Vec<f64> {
    let mut spans: Vec<CodeSpan> = Vec::new();
    let paid = bundles.map(|bundle| {
        let singles = problem.tuples.codes(bundle.tuple).iter().enumerate();
        let singles = singles.map(|(dimension, &code)| problem.single(dimension, code));
        if spans.is_empty() {
            spans = singles.collect();
        } else {
            for (dimension, (span, single)) in spans.iter_mut().zip(singles).enumerate() {
                *span = problem.join(dimension, *span, single);
            }
        }
        spans.iter().enumerate().map(|(dimension, &span)| problem.cell(dimension, span)).sum()
    });
    paid.collect()
}
