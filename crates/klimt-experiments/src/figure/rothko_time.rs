//! The time of the two Rothko algorithms (Figs. 13 to 21 of *Scalable Anonymization Algorithms for Large Data Sets*).
//!
//! One thread works, so that what is neither time of the program nor of the system is waiting. Every figure of the paper
//! shows one algorithm; the runs of all three are made once and shared.

use super::Context;
use super::claim::{At, Claim, Is, NEAR, Of};
use super::clock::Clocked;
use super::outcome::{Outcome, Run, Size};
use super::registry::Figure;
use super::rothko_io::{GENERATED, fits, k, passes, people, rows};
use super::sweep::Sweep;
use crate::Result;
use crate::engine::passes::sampled;
use crate::number::Measured;
use crate::tables::{AGRAWAL, As, Want, quasi};
use klimt::generate::Parameters;
use klimt::table::{Role, Table};
use klimt_core::algorithm::rothko::Method;
use klimt_core::parts::Account;
use std::rc::Rc;

/// The experiments of this file.
pub const FIGURES: &[Figure] = &[
    Figure::experiment(
        "rothko-13",
        "Rothko-T with few frequency groups: time by rows, median",
        &[faster(CPU, FEW, FASTER), faster(WALL, FEW, FASTER)],
        |context| by_rows(context, 0, MEDIAN),
    ),
    Figure::experiment(
        "rothko-14",
        "Rothko-T with more frequency groups: time by rows, median",
        &[faster(CPU, MORE, FASTER), faster(WALL, MORE, FASTER)],
        |context| by_rows(context, 1, MEDIAN),
    ),
    Figure::experiment(
        "rothko-15",
        "Rothko-S: time by rows, median",
        &[
            faster(CPU, FEW, FASTER),
            faster(WALL, FEW, FASTER),
            faster(CPU, MORE, FASTER),
            faster(WALL, MORE, FASTER),
        ],
        |context| by_rows(context, 2, MEDIAN),
    ),
    Figure::experiment(
        "rothko-16",
        "Rothko-T with few frequency groups: time by k",
        &[smaller_k(FEW), same_passes(FEW)],
        |context| by_k(context, 0),
    ),
    Figure::experiment(
        "rothko-17",
        "Rothko-T with more frequency groups: time by k",
        &[smaller_k(MORE), same_passes(MORE)],
        |context| by_k(context, 1),
    ),
    Figure::experiment(
        "rothko-18",
        "Rothko-S: time by k",
        &[smaller_k(SAMPLE), same_passes(SAMPLE)],
        |context| by_k(context, 2),
    ),
    Figure::experiment(
        "rothko-19",
        "Rothko-T with few frequency groups: time by rows, InfoGain",
        &[DEARER, faster(CPU, FEW, BEATEN), faster(WALL, FEW, BEATEN)],
        |context| by_rows(context, 0, GAIN),
    ),
    Figure::experiment(
        "rothko-20",
        "Rothko-T with more frequency groups: time by rows, InfoGain",
        &[DEARER, faster(CPU, MORE, BEATEN), faster(WALL, MORE, BEATEN)],
        |context| by_rows(context, 1, GAIN),
    ),
    Figure::experiment(
        "rothko-21",
        "Rothko-S: time by rows, InfoGain",
        &[
            DEARER,
            faster(CPU, FEW, BEATEN),
            faster(WALL, FEW, BEATEN),
            faster(CPU, MORE, BEATEN),
            faster(WALL, MORE, BEATEN),
        ],
        |context| by_rows(context, 2, GAIN),
    ),
];

const FASTER: &str =
    "The sampling-based algorithm was faster, both in terms of total execution time and CPU time.";
const BEATEN: &str = "Rothko-S consistently outperforms Rothko-T.";

/// The panel of CPU times, and that of total times.
const CPU: usize = 1;
const WALL: usize = 2;
/// The panel of passes by k, and that of the split criteria.
const BESIDE: usize = 3;

const fn faster(panel: usize, tree: &'static str, says: &'static str) -> Claim {
    Claim::new(says, Of::Ratio((panel, SAMPLE), (panel, tree)), At::Every, Is::Below(1.0))
}

const fn smaller_k(algorithm: &'static str) -> Claim {
    let says = "A decreasing value of k leads to more computation.";
    Claim::new(says, Of::Steps((CPU, algorithm)), At::Every, Is::Below(1.0))
}

const fn same_passes(algorithm: &'static str) -> Claim {
    let says = "Because the algorithms all switch to the in-memory algorithm after some number of splits, this additional cost falls to the CPU.";
    Claim::new(says, Of::Range((BESIDE, algorithm)), At::Every, Is::AtMost(NEAR)).reading("falls to the CPU")
}

const DEARER: Claim = Claim::new(
    "The CPU cost incurred by these algorithms is greater than Median partitioning.",
    Of::Ratio((BESIDE, GAIN.name), (BESIDE, MEDIAN.name)),
    At::Every,
    Is::Over(1.0),
);

const FEW: &str = "Rothko-T, few groups";
const MORE: &str = "Rothko-T, more groups";
const SAMPLE: &str = "Rothko-S";
const NAMES: [&str; 3] = [FEW, MORE, SAMPLE];

/// A split criterion, and the second number of frequency groups that the paper tries with it; the first is 1.
#[derive(Clone, Copy)]
struct Kind {
    name: &'static str,
    groups: usize,
}

const MEDIAN: Kind = Kind { name: "median", groups: 8 };
const GAIN: Kind = Kind { name: "infogain:0.01", groups: 4 };

/// The three algorithms at each value of a parameter.
struct Runs {
    parameter: &'static str,
    labels: Vec<u64>,
    /// In the order of their names: what a run took and did.
    each: [Vec<(Clocked, Account)>; 3],
}

impl Runs {
    fn new(
        parameter: &'static str,
        labels: Vec<u64>,
        mut each: impl FnMut(u64) -> Result<[(Clocked, Account); 3]>,
    ) -> Result<Self> {
        let mut runs = Runs { parameter, labels: labels.clone(), each: Default::default() };
        for label in labels {
            for (all, one) in runs.each.iter_mut().zip(each(label)?) {
                all.push(one);
            }
        }
        Ok(runs)
    }

    /// A panel of all three algorithms.
    fn panel(
        &self,
        title: &str,
        measure: &str,
        of: impl Fn(&(Clocked, Account)) -> Measured,
    ) -> Result<Sweep> {
        let mut sweep = Sweep::new(title, self.parameter, measure, &NAMES);
        for (at, label) in self.labels.iter().enumerate() {
            sweep.push(label, self.each.iter().map(|runs| of(&runs[at])).collect())?;
        }
        Ok(sweep)
    }

    /// The panels of a figure about one of them.
    fn panels(&self, algorithm: usize, kind: Kind) -> Result<Vec<Sweep>> {
        let groups =
            [1, kind.groups].get(algorithm).map_or(String::new(), |many| format!(", F_CACHE = {many}"));
        let title = format!("{}{groups}, {}", NAMES[algorithm], kind.name);
        let mut parts =
            Sweep::new(&title, self.parameter, "seconds", &["program", "system", "waiting"]).bars();
        for (label, (clocked, _)) in self.labels.iter().zip(&self.each[algorithm]) {
            parts.push(label, clocked.parts())?;
        }
        let cpu = self.panel("CPU time of all", "CPU seconds", |(clocked, _)| clocked.cpu())?;
        let wall = self.panel("Total time of all", "seconds", |(clocked, _)| clocked.wall())?;
        Ok(vec![parts, cpu, wall])
    }

    /// CPU time of an algorithm for a row, over all runs.
    fn per_row(&self, algorithm: usize) -> Measured {
        let all = self.each[algorithm].iter().map(|(clocked, _)| clocked.cpu());
        let sum = all.reduce(Measured::plus).unwrap_or(Measured::UNKNOWN);
        sum.scaled(1e6 / self.labels.iter().sum::<u64>() as f64)
    }
}

fn three(context: &Context, table: &Table, kind: Kind, k: u64) -> Result<[(Clocked, Account); 3]> {
    let fits = fits(context);
    let once = |method: Method, groups: Option<usize>| {
        let mut account = Account::default();
        let clocked = context.clocked(|| {
            account = passes(table, k, kind.name, method, (fits, groups))?;
            Ok(true)
        })?;
        Ok::<_, crate::Failure>((clocked, account))
    };
    Ok([once(Method::Tree, Some(1))?, once(Method::Tree, Some(kind.groups))?, once(sampled(None), None)?])
}

fn labelled(context: &Context, rows: u64) -> Result<Table> {
    let mut wants = quasi(&AGRAWAL, As::Plain);
    wants.push(Want::other("C2", Role::Target));
    context.tables().generated("agrawal", &Parameters::new(rows, 1), &wants)?.table()
}

/// The largest table of a split criterion.
fn most(context: &Context, kind: Kind) -> u64 {
    if kind.name == GAIN.name { rows(context) / 3 } else { rows(context) }
}

fn growing(context: &Context, kind: Kind) -> Result<Rc<Runs>> {
    let sizes = [4, 2, 1].map(|part| most(context, kind) / part).to_vec();
    context.memo(&format!("rothko by rows, {}", kind.name), || {
        Runs::new("rows", sizes, |rows| {
            let table =
                if kind.name == GAIN.name { labelled(context, rows)? } else { people(context, rows)? };
            three(context, &table, kind, k(context))
        })
    })
}

fn outcome(context: &Context, panels: Vec<Sweep>, rows: u64) -> Outcome {
    let sizes = vec![
        Size::new("rows", rows, 100_000_000),
        Size::new("rows that fit", fits(context), 2_000_000),
        Size::new("k where it does not vary", k(context), 1000),
    ];
    Outcome::new(
        panels,
        Run::new(GENERATED, sizes, "one thread; blocks may come from the cache of the system"),
    )
}

fn by_rows(context: &Context, algorithm: usize, kind: Kind) -> Result<Outcome> {
    let runs = growing(context, kind)?;
    let mut panels = runs.panels(algorithm, kind)?;
    if kind.name == GAIN.name {
        let median = growing(context, MEDIAN)?;
        let names = [MEDIAN.name, GAIN.name];
        let mut beside = Sweep::new("CPU time for a row", "algorithm", "microseconds", &names).bars();
        beside.push(NAMES[algorithm], vec![median.per_row(algorithm), runs.per_row(algorithm)])?;
        panels.push(beside);
    }
    Ok(outcome(context, panels, most(context, kind)))
}

fn by_k(context: &Context, algorithm: usize) -> Result<Outcome> {
    let ks = context.pick(vec![10, 200], vec![10, 100, 1000], vec![10, 100, 1000, 10_000]);
    let half = rows(context) / 2;
    let runs = context.memo("rothko by k", || {
        let table = people(context, half)?;
        Runs::new("k", ks, |k| three(context, &table, MEDIAN, k))
    })?;
    let mut panels = runs.panels(algorithm, MEDIAN)?;
    panels.push(runs.panel("Reads and writes", "passes over the rows", |(_, account)| {
        (account.reads + account.writes).into()
    })?);
    Ok(outcome(context, panels, half))
}
