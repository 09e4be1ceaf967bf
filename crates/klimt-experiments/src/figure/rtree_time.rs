//! What the R+-tree takes: beside the top-down algorithm, on large tables, and for compaction (Figs. 7 to 9 of
//! *K-Anonymization as Spatial Indexing*).

use super::Context;
use super::data::{As, SALES, generated, quasi};
use super::registry::Figure;
use super::rothko_io::{people, sampled};
use super::sweep::Sweep;
use super::verdict::{Check, Outcome, range_ratio};
use crate::index::{groups, k_alone};
use crate::measure::{repeated, timed};
use crate::rothko::engine::{Asked, run};
use klimt::algorithm::index::{By, granular};
use klimt::algorithm::rothko::Limits;
use klimt::partition::Partitioning;
use klimt::split::SplitSpec;
use klimt::table::Table;
use klimt_io::generate::Parameters;

/// The experiments of this file.
pub const FIGURES: &[Figure] = &[
    Figure::experiment(
        "rtree-7",
        "Time by k, and of batches",
        "Building the tree takes less time than the top-down algorithm for every k and does not depend on k; a further batch takes a fraction of anonymizing everything again.",
        "klimt's top-down algorithm runs in the same kernel as the tree and looks at one dimension per cut, whereas a split of the tree looks at the boxes of both sides: the paper compares its tree with a prototype of another kind. A batch goes into a store on disk, sealed and committed, while the top-down algorithm only works on rows in memory",
        times,
    ),
    Figure::experiment(
        "rtree-8",
        "Large tables within a memory budget",
        "The time grows gracefully with the table, and half the memory needs less than twice the reads and writes.",
        "",
        scaling,
    ),
    Figure::experiment(
        "rtree-9",
        "Compaction as a share of the time",
        "Compaction takes a small share of the time of anonymization.",
        "klimt partitions so fast that one more pass over the rows, from packing them to the boxes of all groups, is no small share of it any more",
        compaction,
    ),
];

/// The least size of a leaf.
const BASE: u64 = 5;

/// Orders of a mail-order house.
pub fn sales(rows: u64) -> Result<Table, String> {
    generated("sales", &Parameters::new(rows, 1), &quasi(&SALES, As::Plain))
}

/// What is said of the data.
pub const STANDS_IN: &str = "the generator sales stands in for the data of Lands End, which cannot be had";

/// The leaves of a tree whose groups have at least so many rows.
pub fn tree(table: &Table, k: u64) -> Result<Partitioning, String> {
    groups(table, &k_alone(table, k)?, &SplitSpec::named("box"), true)
}

fn times(context: &Context) -> Result<Outcome, String> {
    let rows = context.pick(2_000, 100_000, 1_000_000);
    let runs = context.pick(1, 1, 3);
    let table = sales(rows)?;
    let median = SplitSpec::named("median");
    let built = context.alone(|| repeated(runs, 0.2, || tree(&table, BASE).map(|_| ())))?.cpu();
    let leaves = tree(&table, BASE)?;
    let ks: Vec<u64> =
        context.pick(vec![5, 50], vec![5, 25, 100, 500], vec![5, 10, 25, 50, 100, 250, 500, 1000]);
    let sweep = Sweep::new("CPU time by k", "k", "seconds", &["top-down", "R+-tree"]);
    let sweep = sweep.run(&ks, |&k| {
        let bound = k_alone(&table, k)?;
        let down =
            context.alone(|| repeated(runs, 0.2, || groups(&table, &bound, &median, false).map(|_| ())))?;
        let parts = [table.rows() as u32];
        let scan =
            || granular(&leaves, &table, &bound, By::LeafScan, &parts).map(|_| ()).map_err(|e| e.to_string());
        let scanned = if k > BASE { context.alone(|| repeated(runs, 0.1, scan))?.cpu() } else { 0.0 };
        Ok(vec![down.cpu(), built + scanned])
    })?;
    let mut checks = vec![
        Check::at_most(
            "the tree takes at most the time of the top-down algorithm",
            sweep.of("R+-tree"),
            sweep.of("top-down"),
            1.0,
        ),
        Check::below(
            "the tree's time over all k, the most over the least",
            range_ratio(sweep.of("R+-tree")),
            1.25,
        ),
        Check::ends_lower(
            "the top-down algorithm's time, from the least to the largest k,",
            sweep.of("top-down"),
        ),
    ];
    let batches = super::rtree_store::growth(context)?;
    let inserts = batches.times();
    checks.extend(super::rtree_store::batches_are_cheaper(&inserts));
    Ok(Outcome {
        panels: vec![sweep.into(), inserts.into()],
        checks,
        data: STANDS_IN.to_string(),
        differs: format!(
            "{rows} rows instead of 4.6 million in the first panel, batches of {} instead of 500,000 in the second; CPU time of one thread, the leaves are scanned in memory",
            super::rtree_store::batch(context)
        ),
        untested: None,
    })
}

fn scaling(context: &Context) -> Result<Outcome, String> {
    let most: u64 = context.pick(8_000, 200_000, 1_000_000);
    // 100 million rows of 36 bytes are 14 times 256 megabytes.
    let fits = most / 14;
    let build = |table: &Table, memory: u64| {
        let requirements = [("k", "", "10")];
        let limits = Limits { memory_rows: Some(memory), frequency_groups: None, leaves: None };
        let asked = Asked { requirements: &requirements, split: "box", method: sampled(None), limits };
        context.alone(|| timed(|| run(table, &asked, |_, _| {})))
    };
    let sizes: Vec<u64> = [16, 8, 4, 2, 1].map(|part| most / part).to_vec();
    let grows = Sweep::new("CPU time as the table grows", "rows", "seconds", &["R+-tree"]);
    let grows = grows.run(&sizes, |&rows| Ok(vec![build(&people(rows)?, fits)?.1.cpu()]))?;
    let per_row: Vec<f64> =
        grows.of("R+-tree").iter().zip(&sizes).map(|(seconds, &rows)| seconds * 1e6 / rows as f64).collect();
    let table = people(most)?;
    let memories: Vec<u64> = [16, 8, 4, 2, 1].map(|part| 2 * fits / part).to_vec();
    let passes =
        Sweep::new("Reads and writes by memory", "rows that fit", "passes over the rows", &["R+-tree"]);
    let passes = passes.run(&memories, |&memory| {
        let account = build(&table, memory)?.0;
        Ok(vec![account.reads + account.writes])
    })?;
    let halved = passes.of("R+-tree").windows(2).map(|two| two[0] / two[1]).fold(f64::NEG_INFINITY, f64::max);
    let growth = per_row[per_row.len() - 1] / per_row[0];
    let checks = vec![
        Check::below(
            "CPU time per row on the largest table over that on the smallest, a sixteenth of it",
            growth,
            3.0,
        ),
        Check::below("reads and writes with half the memory over those with the whole, at most", halved, 2.0),
    ];
    Ok(Outcome {
        panels: vec![grows.into(), passes.into()],
        checks,
        data: "generated as in the paper (klimt generate agrawal)".to_string(),
        differs: format!(
            "up to {most} rows instead of 100 million, of which {fits} fit; passes over all rows are counted instead of calls of the system; k = 10"
        ),
        untested: None,
    })
}

fn compaction(context: &Context) -> Result<Outcome, String> {
    let most: u64 = context.pick(4_000, 100_000, 1_000_000);
    let runs = context.pick(1, 1, 2);
    let sizes: Vec<u64> = [1, 3, 5, 7, 9].map(|part| most * part / 9).to_vec();
    let sweep = Sweep::new("Compaction, k = 10", "rows", "share of the CPU time", &["top-down", "R+-tree"]);
    let sweep = sweep.run(&sizes, |&rows| {
        let table = sales(rows)?;
        let bound = k_alone(&table, 10)?;
        let share = |split: &str| {
            let spec = SplitSpec::named(split);
            let whole =
                context.alone(|| repeated(runs, 0.2, || groups(&table, &bound, &spec, false).map(|_| ())))?;
            let made = groups(&table, &bound, &spec, false)?;
            let compact = || {
                made.compact(&table);
                Ok(())
            };
            Ok::<f64, String>(context.alone(|| repeated(runs, 0.2, compact))?.cpu() / whole.cpu())
        };
        Ok(vec![share("median")?, share("box")?])
    })?;
    let most_of = |name: &str| sweep.of(name).iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let checks = vec![
        Check::below("largest share of the top-down algorithm's time", most_of("top-down"), 0.25),
        Check::below("largest share of the tree's time", most_of("R+-tree"), 0.25),
    ];
    Ok(Outcome {
        panels: vec![sweep.into()],
        checks,
        data: STANDS_IN.to_string(),
        differs: format!("up to {most} rows instead of 4.5 million; one thread, in memory"),
        untested: None,
    })
}
