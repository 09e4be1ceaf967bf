//! The time of the two Rothko algorithms (Figs. 13 to 21 of *Scalable Anonymization Algorithms for Large Data Sets*).
//!
//! One thread works, so that what is neither time of the program nor of the system is waiting. Every figure of the paper
//! shows one algorithm; the runs of all three are made once and shared.

use super::Context;
use super::data::{AGRAWAL, As, Want, generated, quasi};
use super::registry::Figure;
use super::rothko_io::{people, sampled};
use super::sweep::Sweep;
use super::verdict::{Check, Outcome, mean_ratio};
use crate::measure::{Spent, repeated};
use crate::rothko::engine::{Asked, run};
use klimt::algorithm::rothko::{Account, Limits, Method};
use klimt::table::{Role, Table};
use klimt_io::generate::Parameters;
use std::rc::Rc;

/// The experiments of this file.
pub const FIGURES: &[Figure] = &[
    Figure::experiment(
        "rothko-13",
        "Rothko-T with one frequency group: time by rows, median",
        "With one frequency group in memory Rothko-T takes longer than Rothko-S at every size.",
        NOISE,
        |context| by_rows(context, 0, MEDIAN),
    ),
    Figure::experiment(
        "rothko-14",
        "Rothko-T with eight frequency groups: time by rows, median",
        "With eight frequency groups Rothko-T takes less time than with one.",
        NOISE,
        |context| by_rows(context, 1, MEDIAN),
    ),
    Figure::experiment(
        "rothko-15",
        "Rothko-S: time by rows, median",
        "Rothko-S is faster than Rothko-T in CPU time and in total.",
        NOISE,
        |context| by_rows(context, 2, MEDIAN),
    ),
    Figure::experiment(
        "rothko-16",
        "Rothko-T with one frequency group: time by k",
        SMALLER_K,
        NOISE,
        |context| by_k(context, 0),
    ),
    Figure::experiment(
        "rothko-17",
        "Rothko-T with eight frequency groups: time by k",
        SMALLER_K,
        NOISE,
        |context| by_k(context, 1),
    ),
    Figure::experiment("rothko-18", "Rothko-S: time by k", SMALLER_K, NOISE, |context| by_k(context, 2)),
    Figure::experiment(
        "rothko-19",
        "Rothko-T with one frequency group: time by rows, InfoGain",
        "Splits by information gain take Rothko-T more CPU time than the median, and more than Rothko-S.",
        NOISE,
        |context| by_rows(context, 0, GAIN),
    ),
    Figure::experiment(
        "rothko-20",
        "Rothko-T with four frequency groups: time by rows, InfoGain",
        "Splits by information gain take Rothko-T more CPU time than the median, and more than Rothko-S.",
        NOISE,
        |context| by_rows(context, 1, GAIN),
    ),
    Figure::experiment(
        "rothko-21",
        "Rothko-S: time by rows, InfoGain",
        "With information gain Rothko-S outperforms Rothko-T at every size, too.",
        NOISE,
        |context| by_rows(context, 2, GAIN),
    ),
];

const SMALLER_K: &str =
    "A smaller k takes more time, and all of it is CPU time: the reads and writes stay the same.";

const NOISE: &str = "klimt makes most cuts of a part that fits in memory at once, so that what is done before is a small share of the time, and frequency groups that are counted in one pass cost little";

/// A split criterion, and the second number of frequency groups that the paper tries with it.
#[derive(Clone, Copy)]
struct Kind {
    name: &'static str,
    groups: usize,
}

const MEDIAN: Kind = Kind { name: "median", groups: 8 };
const GAIN: Kind = Kind { name: "infogain", groups: 4 };

/// What a run took and did.
type Ran = (Spent, Account);

/// The three algorithms at each value of a parameter.
struct Runs {
    labels: Vec<u64>,
    /// Rothko-T with one frequency group, with more, and Rothko-S.
    each: [Vec<Ran>; 3],
}

impl Runs {
    fn of(&self, algorithm: usize, what: impl Fn(&Ran) -> f64) -> Vec<f64> {
        self.each[algorithm].iter().map(what).collect()
    }

    fn cpu(&self, algorithm: usize) -> Vec<f64> {
        self.of(algorithm, |(spent, _)| spent.cpu())
    }

    fn wall(&self, algorithm: usize) -> Vec<f64> {
        self.of(algorithm, |(spent, _)| spent.wall)
    }

    fn panel(&self, algorithm: usize, title: &str, parameter: &str) -> Result<Sweep, String> {
        let names = ["program", "system", "waiting"];
        let mut sweep = Sweep::new(title, parameter, "seconds", &names).bars();
        for (label, (spent, _)) in self.labels.iter().zip(&self.each[algorithm]) {
            sweep.push(label, vec![spent.user, spent.kernel, spent.waited()])?;
        }
        Ok(sweep)
    }
}

/// The rows of the largest table.
fn rows(context: &Context) -> u64 {
    context.pick(5_000, 200_000, 1_000_000)
}

fn fits(context: &Context) -> u64 {
    rows(context) / 25
}

fn three(context: &Context, table: &Table, kind: Kind, k: u64) -> Result<[Ran; 3], String> {
    let k = k.to_string();
    let least = context.pick(0.0, 0.4, 0.4);
    let once = |method: Method, groups: Option<usize>| {
        let requirements = [("k", "", k.as_str())];
        let limits =
            Limits { memory_rows: Some(fits(context)), frequency_groups: groups, leaves: Some(1 << 10) };
        let asked = Asked { requirements: &requirements, split: kind.name, method, limits };
        let mut account = Account::default();
        let work = || {
            account = run(table, &asked, |_, _| {})?;
            Ok(())
        };
        let spent = context.alone(|| repeated(1, least, work))?;
        Ok::<Ran, String>((spent, account))
    };
    Ok([once(Method::Tree, Some(1))?, once(Method::Tree, Some(kind.groups))?, once(sampled(None), None)?])
}

fn runs(labels: Vec<u64>, mut each: impl FnMut(u64) -> Result<[Ran; 3], String>) -> Result<Runs, String> {
    let mut runs = Runs { labels: labels.clone(), each: Default::default() };
    for label in labels {
        for (all, one) in runs.each.iter_mut().zip(each(label)?) {
            all.push(one);
        }
    }
    Ok(runs)
}

fn labelled(rows: u64) -> Result<Table, String> {
    let mut wants = quasi(&AGRAWAL, As::Plain);
    wants.push(Want::other("C2", Role::Target));
    generated("agrawal", &Parameters::new(rows, 1), &wants)
}

fn growing(context: &Context, kind: Kind) -> Result<Rc<Runs>, String> {
    let most = if kind.name == GAIN.name { rows(context) / 3 } else { rows(context) };
    let sizes = [4, 2, 1].map(|part| most / part).to_vec();
    let k = super::rothko_io::k(context);
    context.memo(&format!("rothko by rows, {}", kind.name), || {
        runs(sizes, |rows| {
            let table = if kind.name == GAIN.name { labelled(rows)? } else { people(rows)? };
            three(context, &table, kind, k)
        })
    })
}

fn outcome(context: &Context, panel: Sweep, checks: Vec<Check>) -> Outcome {
    Outcome {
        panels: vec![panel.into()],
        checks,
        data: "generated as in the paper (klimt generate agrawal)".to_string(),
        differs: format!(
            "up to {} rows instead of 100 million, of which {} are said to fit, k = {} where it does not vary; one thread; short runs are repeated",
            rows(context),
            fits(context),
            super::rothko_io::k(context)
        ),
        untested: None,
    }
}

fn by_rows(context: &Context, algorithm: usize, kind: Kind) -> Result<Outcome, String> {
    let runs = growing(context, kind)?;
    let title = format!("{}, {}", name(algorithm, kind), kind.name);
    let panel = runs.panel(algorithm, &title, "rows")?;
    let mut checks = order(&runs, algorithm, kind);
    if kind.name == GAIN.name && algorithm < 2 {
        // The sizes differ, so that seconds per row are compared.
        let median = growing(context, MEDIAN)?;
        let per_row = |runs: &Runs| {
            let cpu: f64 = runs.cpu(algorithm).iter().sum();
            cpu * 1e6 / runs.labels.iter().sum::<u64>() as f64
        };
        checks.push(Check::less(
            "CPU microseconds per row, median beside InfoGain",
            per_row(&median),
            per_row(&runs),
        ));
    }
    Ok(outcome(context, panel, checks))
}

/// What the claim of a figure about one of the algorithms asks for.
fn order(runs: &Runs, algorithm: usize, kind: Kind) -> Vec<Check> {
    // A clock of hundredths and a shared machine: a twentieth is no difference.
    const EVEN: f64 = 1.05;
    let (tree, sample) = (runs.cpu(algorithm.min(1)), runs.cpu(2));
    match algorithm {
        1 if kind.name == MEDIAN.name => {
            vec![Check::at_most(
                "CPU time with eight groups is at most that with one",
                &tree,
                &runs.cpu(0),
                EVEN,
            )]
        }
        2 => {
            let mut checks = vec![Check::at_most(
                "CPU time of Rothko-S is at most that of Rothko-T with more groups",
                &sample,
                &tree,
                EVEN,
            )];
            let ratio = mean_ratio(&runs.wall(2), &runs.wall(1));
            checks.push(Check::below(
                "and its total time is this share of Rothko-T's, on average",
                ratio,
                EVEN,
            ));
            checks
        }
        _ => vec![Check::at_most("CPU time of Rothko-S is at most that of Rothko-T", &sample, &tree, EVEN)],
    }
}

fn name(algorithm: usize, kind: Kind) -> String {
    match algorithm {
        0 => "Rothko-T, 1 frequency group".to_string(),
        1 => format!("Rothko-T, {} frequency groups", kind.groups),
        _ => "Rothko-S".to_string(),
    }
}

fn by_k(context: &Context, algorithm: usize) -> Result<Outcome, String> {
    let ks = context.pick(vec![10, 200], vec![10, 100, 1000], vec![10, 100, 1000, 10_000]);
    let runs = context.memo("rothko by k", || {
        let table = people(rows(context) / 2)?;
        runs(ks, |k| three(context, &table, MEDIAN, k))
    })?;
    let panel = runs.panel(algorithm, &format!("{}, median", name(algorithm, MEDIAN)), "k")?;
    let passes = runs.of(algorithm, |(_, account)| account.reads + account.writes);
    let most = passes.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let least = passes.iter().copied().fold(f64::INFINITY, f64::min);
    let checks = vec![
        Check::ends_lower("CPU time, from the smallest to the largest k,", &runs.cpu(algorithm)),
        Check::below("passes over the rows, the most over the least", most / least, 1.1),
    ];
    Ok(outcome(context, panel, checks))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ran(seconds: [[f64; 2]; 3]) -> Runs {
        let each = seconds.map(|seconds| {
            seconds.map(|user| (Spent { wall: user, user, kernel: 0.0 }, Account::default())).to_vec()
        });
        Runs { labels: vec![1, 2], each }
    }

    #[test]
    fn the_faster_algorithm_is_told() {
        let holds = |runs: &Runs, algorithm| order(runs, algorithm, MEDIAN).iter().all(|check| check.holds);
        let runs = ran([[3.0, 6.0], [2.0, 4.0], [1.0, 2.0]]);
        assert!((0..3).all(|algorithm| holds(&runs, algorithm)));
        let runs = ran([[1.0, 2.0], [2.0, 4.0], [3.0, 6.0]]);
        assert!(!(0..3).any(|algorithm| holds(&runs, algorithm)));
    }
}
