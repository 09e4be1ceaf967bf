//! What Mondrian needs in memory, and how often the two Rothko algorithms read and write the rows (Figs. 8 to 12 of
//! *Scalable Anonymization Algorithms for Large Data Sets*).
//!
//! Reads and writes are counted by the engine, in passes over all rows, on tables that have 25 times as many rows as are
//! said to fit. What the formulas of section 4 of the paper predict is shown beside them.

use super::Context;
use super::claim::{At, Claim, Is, MUCH, Of};
use super::data::{AGRAWAL, As, generated, quasi};
use super::outcome::{Outcome, Run, Size};
use super::registry::Figure;
use super::sweep::Sweep;
use crate::index::{groups, k_alone};
use crate::rothko::engine::{Asked, run};
use crate::rothko::traffic::{exhaustive, repartitions};
use klimt_core::algorithm::rothko::{Method, RothkoLimits, Sampling};
use klimt_core::parts::Account;
use klimt_core::split::SplitSpec;
use klimt_core::table::Table;
use klimt_io::generate::Parameters;

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
pub fn people(rows: u64) -> Result<Table, String> {
    generated("agrawal", &Parameters::new(rows, 1), &quasi(&AGRAWAL, As::Plain))
}

/// How many rows the largest table has, the paper's 50 million.
pub fn rows(context: &Context) -> u64 {
    context.pick(5_000, 200_000, 1_000_000)
}

/// The k of the paper is 1000 for 50 million rows and more.
pub fn k(context: &Context) -> u64 {
    context.pick(20, 100, 1000)
}

/// The rows that fit, the paper's two million.
pub fn fits(context: &Context) -> u64 {
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
    let limits = RothkoLimits { memory_rows: Some(memory), frequency_groups: groups, leaves: Some(1 << 10) };
    run(table, &Asked { requirements: &requirements, split: "median", method, limits }, |_, _| {})
}

/// Rothko-S with a sample of so many rows.
pub fn sampled(rows: Option<u64>) -> Method {
    Method::Sample(Sampling { alpha: 0.05, rows, seed: 1 })
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
    Outcome {
        panels: panels.into_iter().map(Into::into).collect(),
        run: Run::new(
            GENERATED,
            sizes(context),
            "passes over all rows are counted instead of blocks of the disk",
        ),
    }
}

fn in_memory_io(context: &Context) -> Result<Outcome, String> {
    let sizes: Vec<u64> = [50, 25, 5, 1].map(|part| rows(context) / part).to_vec();
    let names = ["Mondrian in memory", SAMPLE];
    let sweep = Sweep::new("Rows read and written again", "rows", "passes", &names);
    let sweep = sweep.run(&sizes, |&rows| {
        let account = passes(&people(rows)?, k(context), sampled(None), fits(context), None)?;
        let within = if rows <= fits(context) { 1.0 } else { f64::NAN };
        Ok(vec![within, account.reads + account.writes])
    })?;
    Ok(outcome(context, vec![sweep]))
}

/// Mondrian in memory on tables of growing size.
fn in_memory_time(context: &Context) -> Result<Outcome, String> {
    let most = context.pick(4_000, 200_000, 2_000_000);
    let sizes: Vec<u64> = [8, 4, 2, 1].map(|part| most / part).to_vec();
    let sweep = Sweep::new("Mondrian in memory", "rows", "CPU seconds", &["Mondrian"]).log();
    let sweep = sweep.run(&sizes, |&rows| {
        let table = people(rows)?;
        let bound = k_alone(&table, k(context))?;
        let work = || groups(&table, &bound, &SplitSpec::named("median"), false).map(|_| true);
        Ok(vec![context.clocked(work)?.cpu()])
    })?;
    Ok(outcome(context, vec![sweep]))
}

fn tree(context: &Context) -> Result<Outcome, String> {
    let table = people(rows(context))?;
    let (many, memory) = (table.rows() as f64, fits(context));
    let names = ["reads", "writes", TOTAL, "reads, by the formula", "writes, by the formula"];
    let (mut last, mut saved) =
        (None, Sweep::new("What further groups save", "frequency groups in memory", "passes", &[SAVED]));
    let sweep = Sweep::new(TREE, "frequency groups in memory", "passes over the rows", &names);
    let sweep = sweep.run(&[1usize, 2, 4, 8, 16], |&groups| {
        let account = passes(&table, k(context), Method::Tree, memory, Some(groups))?;
        let (reads, writes) = exhaustive(many, memory as f64, groups as f64);
        let total = account.reads + account.writes;
        if let Some((before, fewer)) = last.replace((total, groups)) {
            saved.push(groups, vec![(before - total) / (groups - fewer) as f64])?;
        }
        Ok(vec![account.reads, account.writes, total, reads, writes])
    })?;
    Ok(outcome(context, vec![sweep, saved]))
}

fn sample(context: &Context) -> Result<Outcome, String> {
    let table = people(rows(context))?;
    let (many, memory, k) = (table.rows() as f64, fits(context), k(context));
    let samples: Vec<u64> = [16, 8, 4, 2, 1].map(|part| memory / part).to_vec();
    let names = ["reads", "writes", "reads, by the formula", "writes, by the formula"];
    let tree = passes(&table, k, Method::Tree, memory, Some(8))?;
    let mut beside = Sweep::new(
        "Beside Rothko-T with eight frequency groups",
        "rows of the sample",
        "passes over the rows",
        &[SAMPLE, TREE],
    );
    let sweep = Sweep::new(SAMPLE, "rows of the sample", "passes over the rows", &names);
    let sweep = sweep.run(&samples, |&sample| {
        let account = passes(&table, k, sampled(Some(sample)), memory, None)?;
        let divided = repartitions(many, memory as f64, sample as f64, k as f64);
        beside.push(sample, vec![account.reads + account.writes, tree.reads + tree.writes])?;
        Ok(vec![account.reads, account.writes, 2.0 * divided + 1.0, divided])
    })?;
    Ok(outcome(context, vec![sweep, beside]))
}

fn scale_up(context: &Context) -> Result<Outcome, String> {
    let (memory, k) = (fits(context), k(context));
    let sizes: Vec<u64> = [10, 5, 2, 1].map(|part| rows(context) / part).to_vec();
    let names = [SAMPLE, "Rothko-T, 1 frequency group", TREE];
    let sweep = Sweep::new(
        "Reads and writes together (Rothko-T with eight frequency groups)",
        "rows",
        "passes over the rows",
        &names,
    );
    let sweep = sweep.run(&sizes, |&rows| {
        let table = people(rows)?;
        let total = |method: Method, groups: Option<usize>| {
            passes(&table, k, method, memory, groups).map(|account| account.reads + account.writes)
        };
        Ok(vec![total(sampled(None), None)?, total(Method::Tree, Some(1))?, total(Method::Tree, Some(8))?])
    })?;
    Ok(outcome(context, vec![sweep]))
}
