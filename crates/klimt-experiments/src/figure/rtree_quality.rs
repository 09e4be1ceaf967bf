//! What releases of the R+-tree lose, and how well they answer queries (Figs. 10 and 12 of *K-Anonymization as Spatial
//! Indexing*).

use super::Context;
use super::claim::{At, Claim, Is, MUCH, Of};
use super::number::{Measured, mean};
use super::outcome::{Outcome, Run, Size};
use super::registry::Figure;
use super::rtree_time::{BASE, PAPER_ROWS, STANDS_IN, leaves, sales, scan};
use super::sweep::Sweep;
use crate::index::{groups, k_alone};
use crate::queries::Queries;
use crate::release::Release;
use klimt_core::partition::Partitioning;
use klimt_core::region::Extents;
use klimt_core::split::SplitSpec;
use klimt_core::table::Table;
use klimt_core::workload::Errors;

/// The experiments of this file.
pub const FIGURES: &[Figure] = &[
    Figure::experiment(
        "rtree-10",
        "DM, KL divergence and certainty penalty by k",
        &[
            better_than_loose(0),
            better_than_loose(1),
            better_than_loose(2),
            compaction_helps(1),
            compaction_helps(2),
        ],
        losses,
    ),
    Figure::experiment(
        "rtree-12",
        "Errors of count queries",
        &[
            Claim::new(
                "The accuracy for queries on compacted-anonymized data is seen to improve.",
                Of::Ratio((0, COMPACT), (0, LOOSE)),
                At::Every,
                Is::Below(1.0),
            ),
            Claim::new(
                "Queries on the R+-tree anonymized data have even smaller errors than on the Mondrian-compacted data.",
                Of::Ratio((0, TREE), (0, COMPACT)),
                At::Every,
                Is::Below(1.0),
            ),
            selective(LOOSE),
            selective(COMPACT),
            selective(TREE),
            Claim::new(
                "Even the benefit of compaction is seen to drop for large query results.",
                Of::Ends((1, BENEFIT)),
                At::Every,
                Is::Below(1.0),
            ),
            Claim::new(
                "By favoring one attribute, we were able to achieve significantly better query results.",
                Of::Ratio((2, TREE), (2, BIASED)),
                At::Every,
                Is::AtLeast(MUCH),
            )
            .reading("significantly"),
            Claim::new(
                "Although the biased R+-tree outperforms its unbiased counterpart for various query selectivity, the differences diminish as we increase the selectivity.",
                Of::Ends((3, BENEFIT)),
                At::Every,
                Is::Below(1.0),
            ),
        ],
        queries,
    ),
];

const fn better_than_loose(panel: usize) -> Claim {
    let says = "The R+-tree generates better anonymized data quality than the top-down approach without compaction: minimizing area results in better discernibility, KL-divergence and certainty penalty.";
    Claim::new(says, Of::Ratio((panel, TREE), (panel, LOOSE)), At::Every, Is::Below(1.0))
}

const fn compaction_helps(panel: usize) -> Claim {
    let says = "After compaction, the anonymized data quality for the top-down approach greatly improves (KL-divergence and certainty penalty).";
    Claim::new(says, Of::Ratio((panel, LOOSE), (panel, COMPACT)), At::Mean, Is::AtLeast(MUCH))
        .reading("greatly")
}

const fn selective(release: &'static str) -> Claim {
    let says = "In general, the larger the cardinality of the query result, the smaller the error.";
    Claim::new(says, Of::Steps((1, release)), At::Every, Is::Below(1.0))
}

const LOOSE: &str = "top-down, not compacted";
const COMPACT: &str = "top-down, compacted";
const TREE: &str = "R+-tree";
const NAMES: [&str; 3] = [LOOSE, COMPACT, TREE];
const BIASED: &str = "R+-tree that prefers zip codes";
const BENEFIT: &str = "error of the first over that of the second";

fn ks(context: &Context) -> Vec<u64> {
    context.pick(vec![5, 50], vec![5, 25, 100, 500], vec![5, 10, 25, 50, 100, 250, 500, 1000])
}

/// The three releases of a table, in the order of their names: the tree is built once, and its leaves are scanned.
fn releases<'t>(table: &'t Table, leaves: &Partitioning, k: u64) -> Result<[Release<'t>; 3], String> {
    let median = groups(table, &k_alone(table, k)?, &SplitSpec::named("median"), true)?;
    Ok([
        Release::new(table, median.clone(), Extents::Region),
        Release::new(table, median, Extents::Compact),
        Release::new(table, scan(leaves, table, k)?, Extents::Compact),
    ])
}

fn losses(context: &Context) -> Result<Outcome, String> {
    let table = sales(context.pick(1_500, 30_000, 1_000_000))?;
    let leaves = leaves(&table, &SplitSpec::named("box"))?;
    let panel = |title: &str, measure: &str| Sweep::new(title, "k", measure, &NAMES);
    let mut panels = [
        panel("Discernibility", "DM").log(),
        panel("KL divergence", "nats"),
        panel("Certainty penalty", "share of the range"),
    ];
    for k in ks(context) {
        let releases = releases(&table, &leaves, k)?;
        let each: Result<Vec<Vec<f64>>, String> =
            releases.iter().map(|release| release.losses(k, &["dm", "kl", "ncp"])).collect();
        let each = each?;
        for (at, panel) in panels.iter_mut().enumerate() {
            panel.push(k, each.iter().map(|losses| losses[at]).collect())?;
        }
    }
    Ok(Outcome { panels: panels.map(Into::into).to_vec(), run: run(&table, "") })
}

fn run(table: &Table, notes: &str) -> Run {
    let sizes = vec![Size::new("rows", table.rows(), PAPER_ROWS), Size::new("base k", BASE, 5)];
    Run::new(STANDS_IN, sizes, notes)
}

/// The mean errors of the queries that are about few rows, more and most: thirds by number.
fn by_selectivity(answers: &[(f64, f64)]) -> [f64; 3] {
    let mut sorted = answers.to_vec();
    sorted.sort_by(|a, b| a.0.total_cmp(&b.0));
    let third = sorted.len().div_ceil(3).max(1);
    let mut thirds =
        sorted.chunks(third).map(|part| mean(&part.iter().map(|answer| answer.1).collect::<Vec<_>>()));
    [(); 3].map(|()| thirds.next().unwrap_or(f64::NAN))
}

const THIRDS: [&str; 3] = ["fewest rows", "more rows", "most rows"];

/// The errors of thirds of the queries, for each release, and those of the first release over those of the second.
fn by_thirds(
    title: &str,
    names: &[&str],
    asked: &Queries,
    releases: &[Release<'_>],
) -> Result<Sweep, String> {
    let mut all = names.to_vec();
    all.push(BENEFIT);
    let mut sweep = Sweep::new(title, "queries about", "relative error", &all).log().bars();
    let thirds: Vec<[f64; 3]> =
        releases.iter().map(|release| by_selectivity(&asked.matched(release))).collect();
    for (at, third) in THIRDS.iter().enumerate() {
        let mut line: Vec<Measured> = thirds.iter().map(|errors| errors[at].into()).collect();
        line.push(line[0].over(line[1]));
        sweep.push(third, line)?;
    }
    Ok(sweep)
}

fn queries(context: &Context) -> Result<Outcome, String> {
    let table = sales(context.pick(1_500, 30_000, 100_000))?;
    let many = context.pick(40, 300, 1000);
    let all: Vec<usize> = (0..table.dimensions()).collect();
    let asked = Queries::ranges(&table, &all, many)?;
    let about_zip = Queries::ranges(&table, &all[..1], many)?;
    let preferred = SplitSpec { preferred: vec!["zipcode".to_string()], ..SplitSpec::named("box") };
    let (plain, biased) = (leaves(&table, &SplitSpec::named("box"))?, leaves(&table, &preferred)?);
    let ks = ks(context);
    let by_k = Sweep::new("Mean error of queries over all columns", "k", "relative error", &NAMES).log();
    let by_k = by_k.run(&ks, |&k| {
        let releases = releases(&table, &plain, k)?;
        releases.iter().map(|release| asked.mean(release, Errors::matched)).collect::<Result<Vec<f64>, _>>()
    })?;
    let trees = |k: u64| -> Result<Vec<Release<'_>>, String> {
        let each = [&plain, &biased].into_iter().map(|leaves| scan(leaves, &table, k));
        each.map(|made| Ok(Release::new(&table, made?, Extents::Compact))).collect()
    };
    let names = [TREE, BIASED];
    let about = Sweep::new("Mean error of queries about zip codes", "k", "relative error", &names).log();
    let about = about.run(&ks, |&k| {
        trees(k)?
            .iter()
            .map(|release| about_zip.mean(release, Errors::matched))
            .collect::<Result<Vec<f64>, _>>()
    })?;
    let middle = ks[ks.len() / 2];
    let title = |about: &str| format!("Queries about {about} by the rows they are about, k = {middle}");
    let selective = by_thirds(&title("all columns"), &NAMES, &asked, &releases(&table, &plain, middle)?)?;
    let about_few = by_thirds(&title("zip codes"), &names, &about_zip, &trees(middle)?)?;
    let mut run = run(&table, "thirds of the queries instead of a scale of selectivity");
    run.sizes.push(Size::new("queries", many, 1000));
    Ok(Outcome { panels: vec![by_k.into(), selective.into(), about.into(), about_few.into()], run })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thirds_go_by_the_rows_of_a_query() {
        let answers: Vec<(f64, f64)> =
            [6.0, 1.0, 4.0, 2.0, 3.0, 5.0].map(|rows| (rows, 10.0 / rows)).to_vec();
        assert_eq!(
            by_selectivity(&answers),
            [(10.0 + 5.0) / 2.0, (10.0 / 3.0 + 2.5) / 2.0, (2.0 + 10.0 / 6.0) / 2.0]
        );
    }
}
