//! What Mondrian needs in memory, and how often the two Rothko algorithms read and write the rows (Figs. 8 to 12 of
//! *Scalable Anonymization Algorithms for Large Data Sets*).
//!
//! Reads and writes are counted by the engine, in passes over all rows, on tables that have 25 times as many rows as are
//! said to fit. What the formulas of section 4 of the paper predict is shown beside them.

use super::Context;
use super::data::{AGRAWAL, As, generated, quasi};
use super::registry::Figure;
use super::sweep::Sweep;
use super::verdict::{Check, Outcome, range_ratio};
use crate::index::{groups, k_alone};
use crate::measure::timed;
use crate::rothko::engine::{Asked, run};
use crate::rothko::traffic::{exhaustive, repartitions};
use klimt::algorithm::rothko::{Account, Limits, Method, Sampling};
use klimt::split::SplitSpec;
use klimt::table::Table;
use klimt_io::generate::Parameters;

/// The experiments of this file.
pub const FIGURES: &[Figure] = &[
    Figure::experiment(
        "rothko-8",
        "Reads and writes of Mondrian in memory",
        "Where the table does not fit, an in-memory algorithm left to virtual memory reads and writes far more than once.",
        "",
        in_memory_io,
    ),
    Figure::experiment(
        "rothko-9",
        "Time of Mondrian in memory",
        "Where the table does not fit, the time of an in-memory algorithm left to virtual memory soars.",
        "",
        in_memory_time,
    ),
    Figure::experiment(
        "rothko-10",
        "Rothko-T: passes by the frequency groups that fit (F_CACHE)",
        "More frequency groups in memory mean fewer reads and writes, each further one by less.",
        "klimt counts a whole level of the tree in one pass",
        tree,
    ),
    Figure::experiment(
        "rothko-11",
        "Rothko-S: passes by the size of the sample",
        "Over a wide range of samples the rows are divided just once: read three times and written once, far less than by Rothko-T.",
        "",
        sample,
    ),
    Figure::experiment(
        "rothko-12",
        "Passes as the table grows",
        "As the table grows, Rothko-T reads and writes substantially more than Rothko-S.",
        "",
        scale_up,
    ),
];

/// A table of people, with nine attributes.
pub fn people(rows: u64) -> Result<Table, String> {
    generated("agrawal", &Parameters::new(rows, 1), &quasi(&AGRAWAL, As::Plain))
}

/// How many rows the largest table has, the paper's 50 million.
fn rows(context: &Context) -> u64 {
    context.pick(5_000, 200_000, 1_000_000)
}

/// The k of the paper is 1000 for 50 million rows and more.
pub fn k(context: &Context) -> u64 {
    context.pick(20, 100, 1000)
}

/// The rows that fit, the paper's two million.
fn fits(context: &Context) -> u64 {
    rows(context) / 25
}

fn passes(
    table: &Table,
    k: u64,
    method: Method,
    memory: u64,
    groups: Option<usize>,
) -> Result<Account, String> {
    let k = k.to_string();
    let requirements = [("k", "", k.as_str())];
    let limits = Limits { memory_rows: Some(memory), frequency_groups: groups, leaves: Some(1 << 10) };
    run(table, &Asked { requirements: &requirements, split: "median", method, limits }, |_, _| {})
}

/// Rothko-S with a sample of so many rows.
pub fn sampled(rows: Option<u64>) -> Method {
    Method::Sample(Sampling { alpha: 0.05, rows, seed: 1 })
}

/// What is said of the data and of the sizes.
fn outcome(context: &Context, sweep: Sweep, checks: Vec<Check>) -> Outcome {
    let (rows, fits, k) = (rows(context), fits(context), k(context));
    Outcome {
        panels: vec![sweep.into()],
        checks,
        data: "generated as in the paper (klimt generate agrawal)".to_string(),
        differs: format!(
            "{rows} rows instead of 50 million, of which {fits} are said to fit instead of 2 million, k = {k}; passes over all rows are counted instead of blocks of the disk"
        ),
        untested: None,
    }
}

/// Mondrian in memory on tables of growing size: CPU seconds per row and level of cuts.
fn growing(context: &Context) -> Result<Sweep, String> {
    let most = context.pick(4_000, 200_000, 2_000_000);
    let sizes: Vec<u64> = [8, 4, 2, 1].map(|part| most / part).to_vec();
    let k = k(context);
    let names = ["CPU seconds", "nanoseconds per row and level"];
    let sweep = Sweep::new("Mondrian in memory", "rows", "CPU time", &names).log();
    sweep.run(&sizes, |&rows| {
        let table = people(rows)?;
        let bound = k_alone(&table, k)?;
        let spent = context.alone(|| timed(|| groups(&table, &bound, &SplitSpec::named("median"), false)))?.1;
        let levels = (rows as f64 / k as f64).log2();
        Ok(vec![spent.cpu(), spent.cpu() * 1e9 / (rows as f64 * levels)])
    })
}

fn in_memory_io(context: &Context) -> Result<Outcome, String> {
    let sizes: Vec<u64> = [50, 25, 5, 1].map(|part| rows(context) / part).to_vec();
    let sweep =
        Sweep::new("Rows read and written again", "rows", "passes", &["Mondrian in memory", "Rothko-S"]);
    let sweep = sweep.run(&sizes, |&rows| {
        let account = passes(&people(rows)?, k(context), sampled(None), fits(context), None)?;
        let within = if rows <= fits(context) { 1.0 } else { f64::NAN };
        Ok(vec![within, account.reads + account.writes])
    })?;
    let mut outcome = outcome(context, sweep, Vec::new());
    outcome.untested = Some(
        "klimt never leaves rows to virtual memory: in memory it reads them once or refuses, naming the memory to allow, and --algorithm auto goes on with Rothko-S"
            .to_string(),
    );
    Ok(outcome)
}

fn in_memory_time(context: &Context) -> Result<Outcome, String> {
    let sweep = growing(context)?;
    let per_row = range_ratio(sweep.of("nanoseconds per row and level"));
    let mut outcome = outcome(context, sweep, Vec::new());
    outcome.untested = Some(format!(
        "klimt never leaves rows to virtual memory, so that nothing can soar: while everything fits, the time per row and level of cuts varies by a factor of {per_row:.2}"
    ));
    Ok(outcome)
}

fn tree(context: &Context) -> Result<Outcome, String> {
    let table = people(rows(context))?;
    let (many, memory) = (table.rows() as f64, fits(context));
    let names = ["reads", "writes", "reads, by the formula", "writes, by the formula"];
    let sweep = Sweep::new("Rothko-T", "frequency groups in memory", "passes over the rows", &names);
    let sweep = sweep.run(&[1usize, 2, 4, 8, 16], |&groups| {
        let account = passes(&table, k(context), Method::Tree, memory, Some(groups))?;
        let (reads, writes) = exhaustive(many, memory as f64, groups as f64);
        Ok(vec![account.reads, account.writes, reads, writes])
    })?;
    let total: Vec<f64> =
        sweep.of("reads").iter().zip(sweep.of("writes")).map(|(read, written)| read + written).collect();
    let (first, last) = (total[0] - total[1], total[3] - total[4]);
    let checks = vec![
        Check::falls("reads and writes together", &total, 0.0),
        Check::less("passes saved by the last doubling beside the first", last, first),
    ];
    Ok(outcome(context, sweep, checks))
}

fn sample(context: &Context) -> Result<Outcome, String> {
    let table = people(rows(context))?;
    let (many, memory, k) = (table.rows() as f64, fits(context), k(context));
    let samples: Vec<u64> = [16, 8, 4, 2, 1].map(|part| memory / part).to_vec();
    let names = ["reads", "writes", "reads, by the formula", "writes, by the formula"];
    let sweep = Sweep::new("Rothko-S", "rows of the sample", "passes over the rows", &names);
    let sweep = sweep.run(&samples, |&sample| {
        let account = passes(&table, k, sampled(Some(sample)), memory, None)?;
        let divided = repartitions(many, memory as f64, sample as f64, k as f64);
        Ok(vec![account.reads, account.writes, 2.0 * divided + 1.0, divided])
    })?;
    let tree = passes(&table, k, Method::Tree, memory, Some(8))?;
    let most = |name: &str| sweep.of(name).iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let (reads, writes) = (most("reads"), most("writes"));
    let checks = vec![
        Check::below("reads of all rows, at most", reads, 3.1),
        Check::below("writes of all rows, at most", writes, 1.1),
        Check::less(
            "passes of Rothko-S beside Rothko-T with eight frequency groups",
            reads + writes,
            tree.reads + tree.writes,
        ),
    ];
    Ok(outcome(context, sweep, checks))
}

fn scale_up(context: &Context) -> Result<Outcome, String> {
    let (memory, k) = (fits(context), k(context));
    let sizes: Vec<u64> = [10, 5, 2, 1].map(|part| rows(context) / part).to_vec();
    let names = ["Rothko-S", "Rothko-T, 1 frequency group", "Rothko-T, 8 frequency groups"];
    let sweep = Sweep::new("Reads and writes together", "rows", "passes over the rows", &names);
    let sweep = sweep.run(&sizes, |&rows| {
        let table = people(rows)?;
        let total = |method: Method, groups: Option<usize>| {
            passes(&table, k, method, memory, groups).map(|account| account.reads + account.writes)
        };
        Ok(vec![total(sampled(None), None)?, total(Method::Tree, Some(1))?, total(Method::Tree, Some(8))?])
    })?;
    let last = |name: &str| sweep.of(name).last().copied().unwrap_or(f64::NAN);
    let checks = vec![
        Check::at_most(
            "passes of Rothko-S are at most those of Rothko-T with eight groups",
            sweep.of(names[0]),
            sweep.of(names[2]),
            1.0,
        ),
        Check::above(
            "passes of Rothko-T with eight groups over Rothko-S, on the largest table",
            last(names[2]) / last(names[0]),
            1.25,
        ),
    ];
    Ok(outcome(context, sweep, checks))
}
