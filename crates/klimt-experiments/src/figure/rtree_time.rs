//! What the R+-tree takes: beside the top-down algorithm, on large tables, and for compaction (Figs. 7 to 9 of
//! *K-Anonymization as Spatial Indexing*).

use super::Context;
use super::claim::{At, Claim, Is, NEAR, Of, SMALL};
use super::outcome::{Outcome, Run, Size};
use super::registry::Figure;
use super::rothko_io::{GENERATED, people};
use super::rtree_store::{BATCH, PER_BATCH};
use super::sweep::Sweep;
use crate::Result;
use crate::engine::passes::{Passes, run, sampled};
use crate::engine::{groups, joined, k_alone};
use crate::number::Measured;
use crate::tables::{As, Dataset, SALES, quasi};
use klimt::generate::Parameters;
use klimt::table::Table;
use klimt_core::algorithm::rothko::RothkoLimits;
use klimt_core::algorithm::rtree::LeafGrouping;

/// The experiments of this file.
pub const FIGURES: &[Figure] = &[
    Figure::experiment(
        "rtree-7",
        "Time by k, and of batches",
        &[
            Claim::new(
                "The spatial indexing approach consistently outperforms the top-down technique.",
                Of::Ratio((0, TREE), (0, DOWN)),
                At::Every,
                Is::Below(1.0),
            ),
            Claim::new(
                "The execution times for the R+-tree are independent of k.",
                Of::Value((1, SCANNED)),
                At::Every,
                Is::AtMost(NEAR),
            )
            .reading("independent"),
            Claim::new(
                "As k increases, the execution times for the top-down algorithm decrease.",
                Of::Steps((0, DOWN)),
                At::Every,
                Is::Below(1.0),
            ),
            Claim::new(
                "Since a top-down approach is not incremental, it would have to re-anonymize the entire data set on each batch insert.",
                Of::Ratio((2, BATCH), (2, PER_BATCH[2])),
                At::Last,
                Is::Below(1.0),
            ),
            Claim::new(
                "The same beside a tree of all rows that is built anew.",
                Of::Ratio((2, BATCH), (2, PER_BATCH[1])),
                At::Last,
                Is::Below(1.0),
            )
            .beside(),
        ],
        times,
    ),
    Figure::experiment(
        "rtree-8",
        "Large tables within a memory budget",
        &[
            Claim::new(
                "Our algorithms adapt gracefully as the size of the input data is increased.",
                Of::Ends((1, SORTING)),
                At::Every,
                Is::AtMost(1.0),
            )
            .reading("gracefully: no faster than n log n"),
            Claim::new(
                "I/O costs increase by less than a factor of two when the allotted memory is reduced by a factor of two.",
                Of::Steps((2, TREE)),
                At::Every,
                Is::Over(0.5),
            ),
        ],
        scaling,
    ),
    Figure::experiment(
        "rtree-9",
        "Compaction as a share of the time",
        &[
            Claim::new(
                "The times for compaction are small relative to the anonymization times.",
                Of::Value((0, DOWN)),
                At::Every,
                Is::AtMost(SMALL),
            )
            .reading("small"),
            Claim::new("The same beside the tree.", Of::Value((0, TREE)), At::Every, Is::AtMost(SMALL))
                .reading("small"),
        ],
        compaction,
    ),
];

const DOWN: &str = "top-down";
const TREE: &str = "R+-tree";
const SCANNED: &str = "the tree with its leaf scan over the tree alone";
const SORTING: &str = "seconds over n log n";

/// The rows of the paper's data.
pub const PAPER_ROWS: u64 = 4_591_581;

/// The least size of a leaf.
pub const BASE: u64 = 5;

/// Orders of a mail-order house.
pub fn sales(context: &Context, rows: u64) -> Result<Dataset> {
    context.tables().generated("sales", &Parameters::new(rows, 1), &quasi(&SALES, As::Plain))
}

/// What is said of the data.
pub const STANDS_IN: &str = "the generator sales stands in for the data of Lands End, which cannot be had";

fn times(context: &Context) -> Result<Outcome> {
    let rows = context.pick(2_000, 100_000, 1_000_000);
    let table = sales(context, rows)?.table()?;
    let base = k_alone(&table, BASE)?;
    let leaves = || groups(&table, &base, "box", true);
    let clocked = context.clocked(|| leaves().map(|_| true))?;
    let (built, middle) = (clocked.cpu(), clocked.parts()[0] + clocked.parts()[1]);
    let leaves = leaves()?;
    let ks: Vec<u64> =
        context.pick(vec![5, 50], vec![5, 25, 100, 500], vec![5, 10, 25, 50, 100, 250, 500, 1000]);
    let mut scanned = Sweep::new("What k adds to the tree", "k", "ratio", &[SCANNED]);
    let sweep = Sweep::new("CPU time by k", "k", "CPU seconds", &[DOWN, TREE]).run(&ks, |&k| {
        let bound = k_alone(&table, k)?;
        let down = context.clocked(|| groups(&table, &bound, "median", false).map(|_| true))?.cpu();
        let added = match k > BASE {
            true => {
                let scan = || joined(&leaves, &table, k, LeafGrouping::LeafScan).map(|_| true);
                context.clocked(scan)?.cpu()
            }
            false => 0.0.into(),
        };
        scanned.push(k, vec![added.plus(middle.into()).over(middle.into())])?;
        Ok(vec![down, built.plus(added)])
    })?;
    let inserts = super::rtree_store::growth(context)?.times()?;
    let sizes = vec![
        Size::new("rows", rows, PAPER_ROWS),
        Size::new("rows of a batch", super::rtree_store::batch(context), 500_000),
        Size::new("base k", BASE, 5),
    ];
    Ok(Outcome::new(
        [sweep, scanned, inserts],
        Run::new(
            STANDS_IN,
            sizes,
            "CPU time of one thread in memory; a batch goes into a store on disk, sealed and committed. The top-down algorithm is klimt's Mondrian, which runs in the same kernel as the tree; the paper compares with another implementation",
        ),
    ))
}

fn scaling(context: &Context) -> Result<Outcome> {
    let most: u64 = context.pick(8_000, 200_000, 1_000_000);
    // 100 million rows of 36 bytes are 14 times 256 megabytes.
    let fits = most / 14;
    let build = |table: &Table, memory: u64| {
        let requirements = [("k", "", "10")];
        let limits = RothkoLimits { memory_rows: Some(memory), frequency_groups: None, leaves: None };
        let asked = Passes { requirements: &requirements, split: "box", method: sampled(None), limits };
        run(table, &asked, |_, _| {})
    };
    let sizes: Vec<u64> = [16, 8, 4, 2, 1].map(|part| most / part).to_vec();
    let mut sorting = Sweep::new("The same over n log n", "rows", "nanoseconds", &[SORTING]);
    let grows =
        Sweep::new("CPU time as the table grows", "rows", "CPU seconds", &[TREE]).run(&sizes, |&rows| {
            let table = people(context, rows)?;
            let cpu = context.clocked(|| build(&table, fits).map(|_| true))?.cpu();
            sorting.push(rows, vec![cpu.scaled(1e9 / (rows as f64 * (rows as f64).log2()))])?;
            Ok(vec![cpu])
        })?;
    let table = people(context, most)?;
    let memories: Vec<u64> = [16, 8, 4, 2, 1].map(|part| 2 * fits / part).to_vec();
    let passes = Sweep::new("Reads and writes by memory", "rows that fit", "passes over the rows", &[TREE]);
    let passes = passes.run(&memories, |&memory| {
        let account = build(&table, memory)?;
        Ok(vec![account.reads + account.writes])
    })?;
    let sizes =
        vec![Size::new("rows", most, 100_000_000), Size::new("rows that fit", fits, 100_000_000 / 14)];
    Ok(Outcome::new(
        [grows, sorting, passes],
        Run::new(GENERATED, sizes, "k = 10; passes over all rows are counted instead of calls of the system"),
    ))
}

fn compaction(context: &Context) -> Result<Outcome> {
    let most: u64 = context.pick(4_000, 100_000, 1_000_000);
    let sizes: Vec<u64> = [1, 3, 5, 7, 9].map(|part| most * part / 9).to_vec();
    let sweep = Sweep::new("Compaction, k = 10", "rows", "share of the CPU time", &[DOWN, TREE]);
    let sweep = sweep.run(&sizes, |&rows| {
        let table = sales(context, rows)?.table()?;
        let bound = k_alone(&table, 10)?;
        let share = |split: &str| {
            let whole = context.clocked(|| groups(&table, &bound, split, false).map(|_| true))?.cpu();
            let made = groups(&table, &bound, split, false)?;
            let compact = || {
                made.compact(&table);
                Ok(true)
            };
            Ok::<Measured, crate::Failure>(context.clocked(compact)?.cpu().over(whole))
        };
        Ok(vec![share("median")?, share("box")?])
    })?;
    Ok(Outcome::new(
        [sweep],
        Run::new(STANDS_IN, vec![Size::new("rows", most, 4_500_000)], "one thread, in memory"),
    ))
}
