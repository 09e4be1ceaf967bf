//! What releases of the R+-tree lose, and how well they answer queries (Figs. 10 and 12 of *K-Anonymization as Spatial
//! Indexing*).

use super::Context;
use super::claim::{At, Claim, Is, MUCH, Of};
use super::outcome::{Outcome, Run, Size};
use super::registry::Figure;
use super::rtree_time::{BASE, PAPER_ROWS, STANDS_IN, sales};
use super::sweep::Sweep;
use crate::Result;
use crate::number::{Measured, mean};
use crate::releases::{Queries, loss, median, tree};
use crate::tables::Dataset;
use klimt::Release;
use klimt::prelude::Extents;
use klimt_core::algorithm::rtree::LeafGrouping;

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

/// The release of an R+-tree: the leaves of the base k, joined to groups of k rows.
fn leaves(dataset: &Dataset, k: u64, preferred: Option<&str>) -> Result<Release> {
    tree(dataset, k, Some((BASE, LeafGrouping::LeafScan)), preferred)
}

/// The three releases of a table, in the order of their names.
fn releases(dataset: &Dataset, k: u64) -> Result<[Release; 3]> {
    Ok([
        median(dataset, k, Extents::Region)?,
        median(dataset, k, Extents::Compact)?,
        leaves(dataset, k, None)?,
    ])
}

fn losses(context: &Context) -> Result<Outcome> {
    let rows = context.pick(1_500, 30_000, 1_000_000);
    let dataset = sales(context, rows)?;
    let panel = |title: &str, measure: &str| Sweep::new(title, "k", measure, &NAMES);
    let mut panels = [
        ("dm", panel("Discernibility", "DM").log()),
        ("kl", panel("KL divergence", "nats")),
        ("ncp", panel("Certainty penalty", "share of the range")),
    ];
    for k in ks(context) {
        let releases = releases(&dataset, k)?;
        for (name, panel) in &mut panels {
            panel.push(k, releases.iter().map(|release| loss(release, name)).collect())?;
        }
    }
    Ok(Outcome::new(panels.map(|(_, panel)| panel), run(rows, "")))
}

fn run(rows: u64, notes: &str) -> Run {
    let sizes = vec![Size::new("rows", rows, PAPER_ROWS), Size::new("base k", BASE, 5)];
    Run::new(STANDS_IN, sizes, notes)
}

/// For each query the rows in the table, and the error of a release where every group is counted that it meets.
fn matched(asked: &Queries<'_>, release: &Release) -> Result<Vec<(f64, f64)>> {
    let answers = asked.answers(release)?.queries;
    let pair = |answer: klimt::query::QueryAnswer| Some((answer.exact?, answer.released?.matched_error?));
    Ok(answers.into_iter().filter_map(pair).collect())
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
fn by_thirds(title: &str, names: &[&str], asked: &Queries<'_>, releases: &[Release]) -> Result<Sweep> {
    let mut all = names.to_vec();
    all.push(BENEFIT);
    let mut sweep = Sweep::new(title, "queries about", "relative error", &all).log().bars();
    let thirds = releases.iter().map(|release| Ok(by_selectivity(&matched(asked, release)?)));
    let thirds = thirds.collect::<Result<Vec<[f64; 3]>>>()?;
    for (at, third) in THIRDS.iter().enumerate() {
        let mut line: Vec<Measured> = thirds.iter().map(|errors| errors[at].into()).collect();
        line.push(line[0].over(line[1]));
        sweep.push(third, line)?;
    }
    Ok(sweep)
}

fn queries(context: &Context) -> Result<Outcome> {
    let rows = context.pick(1_500, 30_000, 100_000);
    let dataset = sales(context, rows)?;
    let many = context.pick(40, 300, 1000);
    let all = dataset.quasi_identifiers();
    let asked = Queries::ranges(&dataset, &all, many);
    let about_zip = Queries::ranges(&dataset, &all[..1], many);
    let ks = ks(context);
    let by_k = Sweep::new("Mean error of queries over all columns", "k", "relative error", &NAMES).log();
    let by_k = by_k.run(&ks, |&k| {
        releases(&dataset, k)?.iter().map(|release| asked.matched(release)).collect::<Result<Vec<f64>>>()
    })?;
    let trees =
        |k: u64| Ok::<_, crate::Failure>([leaves(&dataset, k, None)?, leaves(&dataset, k, Some(&all[0]))?]);
    let names = [TREE, BIASED];
    let about = Sweep::new("Mean error of queries about zip codes", "k", "relative error", &names).log();
    let about = about.run(&ks, |&k| {
        trees(k)?.iter().map(|release| about_zip.matched(release)).collect::<Result<Vec<f64>>>()
    })?;
    let middle = ks[ks.len() / 2];
    let title = |about: &str| format!("Queries about {about} by the rows they are about, k = {middle}");
    let selective = by_thirds(&title("all columns"), &NAMES, &asked, &releases(&dataset, middle)?)?;
    let about_few = by_thirds(&title("zip codes"), &names, &about_zip, &trees(middle)?)?;
    let mut run = run(rows, "thirds of the queries instead of a scale of selectivity");
    run.sizes.push(Size::new("queries", many, 1000));
    Ok(Outcome::new([by_k, selective, about, about_few], run))
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
