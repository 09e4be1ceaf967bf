//! Suppression on request: rows that cost less when they are left out.

use super::group::LocalGroup;
use super::problem::{LocalProblem, TupleRows};
use crate::job::Job;

/// Rows that a group would do better without.
struct Proposal {
    group: usize,
    bundle: TupleRows,
    gain_per_row: f64,
}

/// Leaves out tuples that make their group cost more than the price of their rows, those that gain most first.
pub(super) fn outliers(job: &Job<'_>, problem: &LocalProblem<'_>, groups: &mut [LocalGroup]) {
    let Some(price) = job.loss.price(job.table.rows() as u64) else { return };
    let published: u64 = groups.iter().map(|group| group.count).sum();
    let limit = job.suppression.limit(job.table.rows()) as u64;
    let mut left = limit.saturating_sub(job.table.rows() as u64 - published);
    while left > 0 {
        let mut proposals: Vec<Proposal> =
            (0..groups.len()).filter_map(|at| propose(problem, groups, at, price, left)).collect();
        proposals.sort_by(|a, b| b.gain_per_row.total_cmp(&a.gain_per_row).then(a.group.cmp(&b.group)));
        let before = left;
        for Proposal { group, bundle, .. } in proposals {
            if u64::from(bundle.rows) <= left {
                let found = groups[group].bundles.iter().position(|other| other.tuple == bundle.tuple);
                let at = found.expect("a group changes once a round");
                groups[group] = groups[group].without(problem, at, bundle.rows);
                left -= u64::from(bundle.rows);
            }
        }
        if left == before {
            return;
        }
    }
}

/// The tuple that a group gains most without, per row; at most this many rows.
fn propose(
    problem: &LocalProblem<'_>,
    groups: &[LocalGroup],
    at: usize,
    price: f64,
    most: u64,
) -> Option<Proposal> {
    let group = &groups[at];
    let cost =
        |group: &LocalGroup| if problem.by_cells { group.cost() } else { problem.measured(&group.bundles) };
    let before = cost(group);
    let gains = group.bundles.iter().enumerate().filter_map(|(place, &bundle)| {
        let fits =
            u64::from(bundle.rows) <= most && group.count - u64::from(bundle.rows) >= problem.minimum();
        let rest = fits.then(|| group.without(problem, place, bundle.rows))?;
        let gain = before - cost(&rest) - price * f64::from(bundle.rows);
        (gain > 0.0 && problem.satisfied(rest.count, &rest.bundles)).then(|| Proposal {
            group: at,
            bundle,
            gain_per_row: gain / f64::from(bundle.rows),
        })
    });
    gains.max_by(|a, b| a.gain_per_row.total_cmp(&b.gain_per_row).then(b.bundle.cmp(&a.bundle)))
}
