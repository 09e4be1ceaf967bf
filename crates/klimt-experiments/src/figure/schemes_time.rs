//! The time of searches for the best generalization (Figs. 10, 11 and 13 of *Towards Optimal k-Anonymization*).
//!
//! As in the paper no column is solved by itself (`fold`), a technique that klimt adds. CPU time of one thread, repeated;
//! a search that was not over in its time counts with that time.

use super::Context;
use super::adult::FOUR;
use super::registry::Figure;
use super::schemes::{SCHEMES, Schemed, names};
use super::sweep::Sweep;
use super::verdict::{Check, Outcome, mean_ratio};
use crate::measure::repeated;
use klimt::algorithm::scheme::{Direction, Pruning, Scheme};

/// The experiments of this file.
pub const FIGURES: &[Figure] = &[
    Figure::experiment(
        "schemes-10",
        "Bottom-up beside top-down, by k and by the number of attributes",
        "Bottom-up is faster for small k and few attributes, top-down for large k and many.",
        "top-down is the faster direction here nearly throughout; klimt starts both from a good generalization, so that the distance of the best one from where a search begins matters less than in the paper",
        directions,
    ),
    Figure::experiment(
        "schemes-11",
        "Time of the six schemes, by the number of attributes and by k",
        "More attributes take more time under every scheme, schemes that allow more take more, and bottom-up a larger k takes more.",
        "klimt's searches end early where a good generalization is found at once and its bound proves it, which a larger k can make easier",
        schemes,
    ),
    Figure::experiment(
        "schemes-13",
        "What seeding and rearrangement save",
        "Seeding with modified search and rearrangement both save time, the former more, and together up to 60 %.",
        "klimt's seed is found by a greedy search from several starts, which takes longer than what it saves where the whole search takes milliseconds",
        techniques,
    ),
];

/// Without the technique that solves one column exactly.
const PAPER: Pruning = Pruning {
    bounds: true,
    useless: true,
    useful: true,
    seeding: true,
    reconsider: true,
    nodes: true,
    applicators: true,
    fold: false,
};

/// Ever more columns.
const COLUMNS: [&[&str]; 4] = [&["age"], &["age", "race"], &["age", "race", "sex"], &FOUR];

fn ks(context: &Context) -> Vec<u64> {
    context.pick(vec![2, 10], vec![2, 5, 20], vec![2, 3, 5, 10, 15, 20])
}

fn seconds(
    context: &Context,
    schemed: &Schemed,
    k: u64,
    direction: Direction,
    pruning: Pruning,
) -> Result<f64, String> {
    let (limit, least) = (context.limit(), context.pick(0.0, 0.1, 0.3));
    let work = || schemed.search(k, "dm", direction, pruning, limit).map(|_| ());
    Ok(context.alone(|| repeated(1, least, work))?.cpu())
}

fn outcome(context: &Context, panels: Vec<Sweep>, checks: Vec<Check>) -> Outcome {
    Outcome {
        panels: panels.into_iter().map(Into::into).collect(),
        checks,
        data: context.adult().described(),
        differs: format!("a search that is not over after {} s counts with that time", context.limit()),
        untested: None,
    }
}

const WAYS: [&str; 4] = ["OPS, bottom-up", "OPS, top-down", "SPS, bottom-up", "SPS, top-down"];

fn both_ways(context: &Context, columns: &[&str], k: u64) -> Result<Vec<f64>, String> {
    let mut line = Vec::new();
    for scheme in [Scheme::Ops, Scheme::Sps] {
        let schemed = Schemed::new(context.adult(), columns, scheme)?;
        for direction in [Direction::BottomUp, Direction::TopDown] {
            line.push(seconds(context, &schemed, k, direction, PAPER)?);
        }
    }
    Ok(line)
}

fn directions(context: &Context) -> Result<Outcome, String> {
    let by_k = Sweep::new("By k, four attributes", "k", "CPU seconds", &WAYS).log();
    let by_k = by_k.run(&ks(context), |&k| both_ways(context, &FOUR, k))?;
    let by_columns =
        Sweep::new("By the number of attributes, k = 5", "attributes", "CPU seconds", &WAYS).log();
    let by_columns = by_columns.run(&[1usize, 2, 3, 4], |&many| both_ways(context, COLUMNS[many - 1], 5))?;
    let checks = [&by_k, &by_columns].into_iter().flat_map(turning).collect();
    Ok(outcome(context, vec![by_k, by_columns], checks))
}

/// Bottom-up is faster at the first value, top-down at the last, for both schemes.
fn turning(sweep: &Sweep) -> Vec<Check> {
    let ends = |of: fn(&[f64]) -> Option<&f64>| {
        let at = |name: &str| of(sweep.of(name)).copied().unwrap_or(f64::NAN);
        let up: Vec<f64> = vec![at(WAYS[0]), at(WAYS[2])];
        let down: Vec<f64> = vec![at(WAYS[1]), at(WAYS[3])];
        mean_ratio(&up, &down)
    };
    let title = sweep.title.to_lowercase();
    vec![
        Check::below(&format!("{title}: bottom-up over top-down at the smallest"), ends(<[f64]>::first), 1.0),
        Check::above(&format!("{title}: the same at the largest"), ends(<[f64]>::last), 1.0),
    ]
}

fn all_schemes(context: &Context, columns: &[&str], k: u64) -> Result<Vec<f64>, String> {
    let each = SCHEMES.iter().map(|(_, scheme)| {
        let schemed = Schemed::new(context.adult(), columns, *scheme)?;
        seconds(context, &schemed, k, Direction::BottomUp, PAPER)
    });
    each.collect()
}

fn schemes(context: &Context) -> Result<Outcome, String> {
    let by_columns =
        Sweep::new("By the number of attributes, k = 5", "attributes", "CPU seconds", &names()).log();
    let by_columns =
        by_columns.run(&[1usize, 2, 3, 4], |&many| all_schemes(context, COLUMNS[many - 1], 5))?;
    let by_k = Sweep::new("By k, four attributes", "k", "CPU seconds", &names()).log();
    let by_k = by_k.run(&ks(context), |&k| all_schemes(context, &FOUR, k))?;
    let checks = growing(&by_columns, &by_k);
    Ok(outcome(context, vec![by_columns, by_k], checks))
}

fn growing(by_columns: &Sweep, by_k: &Sweep) -> Vec<Check> {
    let rising = |sweep: &Sweep| {
        let higher = |(_, values): &&(String, Vec<f64>)| Check::ends_higher("", values).holds;
        (sweep.series.iter().filter(higher).count(), sweep.series.len())
    };
    let ((columns, all), (k, _)) = (rising(by_columns), rising(by_k));
    vec![
        Check::new(
            columns == all,
            format!("four attributes take longer than one under {columns} of {all} schemes"),
        ),
        Check::new(
            2 * k > all,
            format!("the largest k takes longer than the smallest under {k} of {all} schemes"),
        ),
        Check::at_most("BHS takes at most the time of SPS", by_k.of("BHS"), by_k.of("SPS"), 1.0),
    ]
}

const WITHOUT: [&str; 4] = ["neither", "seeding & modified search", "rearrangement", "both"];

fn techniques(context: &Context) -> Result<Outcome, String> {
    let sweep =
        Sweep::new("CPU time with the techniques, k = 10", "scheme", "CPU seconds", &WITHOUT).log().bars();
    let schemed = [("GOPS", Scheme::Gops), ("OPS", Scheme::Ops), ("SPS", Scheme::Sps)];
    let sweep = sweep.run(&schemed.map(|(name, _)| name), |name| {
        let scheme =
            schemed.iter().find(|(known, _)| known == name).map_or(Scheme::Ops, |(_, scheme)| *scheme);
        let schemed = Schemed::new(context.adult(), &FOUR, scheme)?;
        let with = |seeding: bool, order: bool| {
            let pruning = Pruning { seeding, reconsider: seeding, nodes: order, applicators: order, ..PAPER };
            seconds(context, &schemed, 10, Direction::BottomUp, pruning)
        };
        Ok(vec![with(false, false)?, with(true, false)?, with(false, true)?, with(true, true)?])
    })?;
    let checks = saving(&sweep);
    Ok(outcome(context, vec![sweep], checks))
}

fn saving(sweep: &Sweep) -> Vec<Check> {
    let share = |name: &str| mean_ratio(sweep.of(name), sweep.of(WITHOUT[0]));
    let [seeded, arranged] = [WITHOUT[1], WITHOUT[2]].map(share);
    let both = sweep.of(WITHOUT[3]).iter().zip(sweep.of(WITHOUT[0])).map(|(both, neither)| both / neither);
    let both = both.fold(f64::INFINITY, f64::min);
    vec![
        Check::below("time with seeding & modified search over time without, on average", seeded, 1.0),
        Check::below("time with rearrangement over time without", arranged, 1.0),
        Check::below("time with both over time with neither, at best", both, 0.4),
        Check::less("what remains with seeding beside what remains with rearrangement", seeded, arranged),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sweep(names: &[&str], lines: &[&[f64]]) -> Sweep {
        let mut sweep = Sweep::new("", "", "", names);
        lines.iter().for_each(|line| sweep.push("", line.to_vec()).unwrap());
        sweep
    }

    fn holds(checks: &[Check]) -> Vec<bool> {
        checks.iter().map(|check| check.holds).collect()
    }

    #[test]
    fn directions_are_judged_both_ways() {
        assert_eq!(
            holds(&turning(&sweep(&WAYS, &[&[1.0, 2.0, 1.0, 2.0], &[2.0, 1.0, 2.0, 1.0]]))),
            [true, true]
        );
        assert_eq!(
            holds(&turning(&sweep(&WAYS, &[&[2.0, 1.0, 2.0, 1.0], &[1.0, 2.0, 1.0, 2.0]]))),
            [false, false]
        );
    }

    #[test]
    fn schemes_are_judged_both_ways() {
        let good = sweep(&names(), &[&[1.0; 6], &[2.0, 2.0, 2.0, 2.0, 2.0, 3.0]]);
        assert_eq!(holds(&growing(&good, &good)), [true, true, true]);
        let bad = sweep(&names(), &[&[3.0, 2.0, 2.0, 2.0, 2.0, 2.0], &[1.0; 6]]);
        assert_eq!(holds(&growing(&bad, &bad)), [false, false, false]);
    }

    #[test]
    fn techniques_are_judged_both_ways() {
        assert_eq!(holds(&saving(&sweep(&WITHOUT, &[&[10.0, 6.0, 8.0, 4.0]]))), [true; 4]);
        assert_eq!(holds(&saving(&sweep(&WITHOUT, &[&[10.0, 12.0, 11.0, 13.0]]))), [false; 4]);
    }
}
