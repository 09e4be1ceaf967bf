//! What Mondrian needs in memory, and how often the two Rothko algorithms read and write the rows (Figs. 8 to 12 of
//! *Scalable Anonymization Algorithms for Large Data Sets*).
//!
//! Reads and writes are counted by the engine, in passes over all rows, on tables that have 25 times as many rows as are
//! said to fit. What the formulas of section 4 of the paper predict is shown beside them.

use super::Context;
use super::claim::{At, Claim, Is, MUCH, Of};
use super::outcome::{Outcome, Run, Size};
use super::registry::Figure;
use super::sweep::Sweep;
use crate::Result;
use crate::engine::passes::{Passes, run, sampled};
use crate::engine::{groups, k_alone};
use klimt::table::Table;
use klimt_core::algorithm::rothko::{Method, RothkoLimits};
use klimt_core::parts::Account;

/// The experiments of this file.
pub const FIGURES: &[Figure] = &[
    Figure::undecidable(
        "rothko-8",
        "Reads and writes of Mondrian in memory",
        "klimt never leaves rows to virtual memory: in memory it reads them once or refuses, naming the memory to allow, and --algorithm auto goes on with Rothko-S. So nothing can thrash",
        in_memory_io,
    ),
    Figure::undecidable(
        "rothko-9",
        "Time of Mondrian in memory",
        "klimt never leaves rows to virtual memory, so that nothing can thrash",
        in_memory_time,
    ),
    Figure::experiment(
        "rothko-10",
        "Rothko-T: passes by the frequency groups that fit (F_CACHE)",
        &[
            Claim::new(
                "Increasing F_CACHE reduces the number of I/O requests.",
                Of::Steps((0, TOTAL)),
                At::Every,
                Is::Below(1.0),
            ),
            Claim::new(
                "The marginal improvement obtained from each additional frequency group is decreasing.",
                Of::Steps((1, SAVED)),
                At::Every,
                Is::Below(1.0),
            ),
        ],
        tree,
    ),
    Figure::experiment(
        "rothko-11",
        "Rothko-S: passes by the size of the sample",
        &[
            Claim::new(
                "For this wide range of sample sizes the algorithm read the entire data set 3 times,",
                Of::Value((0, "reads")),
                At::Every,
                Is::AtMost(3.0),
            ),
            Claim::new("and wrote it once.", Of::Value((0, "writes")), At::Every, Is::AtMost(1.0)),
            Claim::new(
                "The total amount of I/O is substantially less than that of Rothko-T.",
                Of::Ratio((1, TREE), (1, SAMPLE)),
                At::Every,
                Is::AtLeast(MUCH),
            )
            .reading("substantially"),
        ],
        sample,
    ),
    Figure::experiment(
        "rothko-12",
        "Passes as the table grows",
        &[Claim::new(
            "The total amount of I/O of Rothko-T is substantially more than that of Rothko-S.",
            Of::Ratio((0, TREE), (0, SAMPLE)),
            At::Last,
            Is::AtLeast(MUCH),
        )
        .reading("substantially")],
        scale_up,
    ),
];

const TOTAL: &str = "reads and writes";
const SAVED: &str = "passes saved by each further group";
const SAMPLE: &str = "Rothko-S";
const TREE: &str = "Rothko-T";

/// A table of people, with nine attributes.
pub fn people(context: &Context, rows: u64) -> Result<Table> {
    context.tables().agrawal(rows)?.table()
}

/// How many rows the largest table has, the paper's 50 million.
pub fn rows(context: &Context) -> u64 {
    context.rows(5_000, 200_000, 1_000_000)
}

/// The k of the paper is 1000 for 50 million rows and more.
pub fn k(context: &Context) -> u64 {
    context.pick(20, 100, 1000)
}

/// The rows that fit, the paper's two million.
pub fn fits(context: &Context) -> u64 {
    rows(context) / 25
}

/// `reads_T` and `writes_T` of section 4, in passes over the rows.
fn exhaustive(rows: f64, memory: f64, groups: f64) -> (f64, f64) {
    let height = (rows / memory).log2().ceil().max(0.0);
    let repartitions = (height / (groups.log2().floor() + 1.0)).ceil();
    (height + repartitions + 1.0, repartitions)
}

/// `repartitions_S` of section 4.
fn repartitions(rows: f64, memory: f64, sample: f64, k: f64) -> f64 {
    if rows <= memory {
        return 0.0;
    }
    // z for alpha = 0.05 and two sides.
    let (share, z) = (k / rows, 1.959_964);
    let error = (share * (1.0 - share) / sample * ((rows - sample) / (rows - 1.0))).sqrt();
    let levels = (1..64).take_while(|&level| 0.5f64.powi(level) - share >= z * error).count();
    if levels == 0 { 0.0 } else { 1.0 + repartitions(rows / 2f64.powi(levels as i32), memory, sample, k) }
}

/// A run over rows of which so many fit in memory, and so many frequency groups.
pub fn passes(
    table: &Table,
    k: u64,
    split: &str,
    method: Method,
    (memory, groups): (u64, Option<usize>),
) -> Result<Account> {
    let limits = RothkoLimits { memory_rows: Some(memory), frequency_groups: groups, leaves: Some(1 << 10) };
    let requirements = [("k", "", &*k.to_string())];
    run(table, &Passes { requirements: &requirements, split, method, limits }, |_, _| {})
}

/// What is said of the data and of the sizes.
pub fn sizes(context: &Context) -> Vec<Size> {
    vec![
        Size::new("rows", rows(context), 50_000_000),
        Size::new("rows that fit", fits(context), 2_000_000),
        Size::new("k", k(context), 1000),
    ]
}

/// The data, which are those of the paper.
pub const GENERATED: &str = "generated as in the paper (klimt generate agrawal)";

fn outcome(context: &Context, panels: Vec<Sweep>) -> Outcome {
    Outcome::new(
        panels,
        Run::new(GENERATED, sizes(context), "passes over all rows are counted instead of blocks of the disk"),
    )
}

fn in_memory_io(context: &Context) -> Result<Outcome> {
    let sizes: Vec<u64> = [50, 25, 5, 1].map(|part| rows(context) / part).to_vec();
    let names = ["Mondrian in memory", SAMPLE];
    let sweep = Sweep::new("Rows read and written again", "rows", "passes", &names);
    let sweep = sweep.run(&sizes, |&rows| {
        let account =
            passes(&people(context, rows)?, k(context), "median", sampled(None), (fits(context), None))?;
        let within = if rows <= fits(context) { 1.0 } else { f64::NAN };
        Ok(vec![within, account.reads + account.writes])
    })?;
    Ok(outcome(context, vec![sweep]))
}

/// Mondrian in memory on tables of growing size.
fn in_memory_time(context: &Context) -> Result<Outcome> {
    let most = context.pick(4_000, 200_000, 2_000_000);
    let sizes: Vec<u64> = [8, 4, 2, 1].map(|part| most / part).to_vec();
    let sweep = Sweep::new("Mondrian in memory", "rows", "CPU seconds", &["Mondrian"]).log();
    let sweep = sweep.run(&sizes, |&rows| {
        let table = people(context, rows)?;
        let bound = k_alone(&table, k(context))?;
        let work = || groups(&table, &bound, "median", false).map(|_| true);
        Ok(vec![context.clocked(work)?.cpu()])
    })?;
    Ok(outcome(context, vec![sweep]))
}

fn tree(context: &Context) -> Result<Outcome> {
    let table = people(context, rows(context))?;
    let (many, memory) = (table.rows() as f64, fits(context));
    let names = ["reads", "writes", TOTAL, "reads, by the formula", "writes, by the formula"];
    let (mut last, mut saved) =
        (None, Sweep::new("What further groups save", "frequency groups in memory", "passes", &[SAVED]));
    let sweep = Sweep::new(TREE, "frequency groups in memory", "passes over the rows", &names);
    let sweep = sweep.run(&[1usize, 2, 4, 8, 16], |&groups| {
        let account = passes(&table, k(context), "median", Method::Tree, (memory, Some(groups)))?;
        let (reads, writes) = exhaustive(many, memory as f64, groups as f64);
        let total = account.reads + account.writes;
        if let Some((before, fewer)) = last.replace((total, groups)) {
            saved.push(groups, vec![(before - total) / (groups - fewer) as f64])?;
        }
        Ok(vec![account.reads, account.writes, total, reads, writes])
    })?;
    Ok(outcome(context, vec![sweep, saved]))
}

fn sample(context: &Context) -> Result<Outcome> {
    let table = people(context, rows(context))?;
    let (many, memory, k) = (table.rows() as f64, fits(context), k(context));
    let samples: Vec<u64> = [16, 8, 4, 2, 1].map(|part| memory / part).to_vec();
    let names = ["reads", "writes", "reads, by the formula", "writes, by the formula"];
    let tree = passes(&table, k, "median", Method::Tree, (memory, Some(8)))?;
    let mut beside = Sweep::new(
        "Beside Rothko-T with eight frequency groups",
        "rows of the sample",
        "passes over the rows",
        &[SAMPLE, TREE],
    );
    let sweep = Sweep::new(SAMPLE, "rows of the sample", "passes over the rows", &names);
    let sweep = sweep.run(&samples, |&sample| {
        let account = passes(&table, k, "median", sampled(Some(sample)), (memory, None))?;
        let divided = repartitions(many, memory as f64, sample as f64, k as f64);
        beside.push(sample, vec![account.reads + account.writes, tree.reads + tree.writes])?;
        Ok(vec![account.reads, account.writes, 2.0 * divided + 1.0, divided])
    })?;
    Ok(outcome(context, vec![sweep, beside]))
}

fn scale_up(context: &Context) -> Result<Outcome> {
    let (memory, k) = (fits(context), k(context));
    let sizes: Vec<u64> = [10, 5, 2, 1].map(|part| rows(context) / part).to_vec();
    let names =
        [SAMPLE, "Rothko-T, 1 frequency group", TREE, "Rothko-S, by the formula", "Rothko-T, by the formula"];
    let sweep = Sweep::new(
        "Reads and writes together (Rothko-T with eight frequency groups)",
        "rows",
        "passes over the rows",
        &names,
    );
    let sweep = sweep.run(&sizes, |&rows| {
        let table = people(context, rows)?;
        let total = |method: Method, groups: Option<usize>| {
            passes(&table, k, "median", method, (memory, groups))
                .map(|account| account.reads + account.writes)
        };
        let (many, fits) = (rows as f64, memory as f64);
        let (reads, writes) = exhaustive(many, fits, 8.0);
        Ok(vec![
            total(sampled(None), None)?,
            total(Method::Tree, Some(1))?,
            total(Method::Tree, Some(8))?,
            3.0 * repartitions(many, fits, fits / 2.0, k as f64) + 1.0,
            reads + writes,
        ])
    })?;
    Ok(outcome(context, vec![sweep]))
}
