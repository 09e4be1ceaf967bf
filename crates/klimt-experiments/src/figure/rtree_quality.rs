//! What releases of the R+-tree lose, and how well they answer queries (Figs. 10 and 12 of *K-Anonymization as Spatial
//! Indexing*).

use super::Context;
use super::registry::Figure;
use super::rtree_time::{STANDS_IN, sales, tree};
use super::sweep::Sweep;
use super::verdict::{Check, Outcome, mean, mean_ratio};
use crate::index::{groups, k_alone};
use crate::queries::Queries;
use crate::release::Release;
use klimt::region::Extents;
use klimt::split::SplitSpec;
use klimt::table::Table;
use klimt::workload::Errors;

/// The experiments of this file.
pub const FIGURES: &[Figure] = &[
    Figure::experiment(
        "rtree-10",
        "DM, KL divergence and certainty penalty by k",
        "The tree loses less than the top-down algorithm without compaction by all three measures; compaction greatly improves the latter's KL divergence and certainty penalty, and DM does not see it.",
        "DM counts only rows, and cuts at the median make groups as even as they can be: a cut that follows boxes makes them less even",
        losses,
    ),
    Figure::experiment(
        "rtree-12",
        "Errors of count queries",
        "Compaction makes answers more accurate and the tree's are most accurate; the more rows a query is about the smaller the error; a tree that prefers one column answers queries about it better.",
        "",
        queries,
    ),
];

const LOOSE: &str = "top-down, not compacted";
const COMPACT: &str = "top-down, compacted";
const TREE: &str = "R+-tree";
const NAMES: [&str; 3] = [LOOSE, COMPACT, TREE];

fn rows(context: &Context) -> u64 {
    context.pick(1_500, 30_000, 100_000)
}

fn ks(context: &Context) -> Vec<u64> {
    context.pick(vec![5, 50], vec![5, 25, 100, 500], vec![5, 10, 25, 50, 100, 250, 500, 1000])
}

/// The three releases of a table, in the order of their names.
fn releases(table: &Table, k: u64) -> Result<[Release<'_>; 3], String> {
    let median = groups(table, &k_alone(table, k)?, &SplitSpec::named("median"), true)?;
    Ok([
        Release::new(table, median.clone(), Extents::Region),
        Release::new(table, median, Extents::Compact),
        Release::new(table, tree(table, k)?, Extents::Compact),
    ])
}

fn losses(context: &Context) -> Result<Outcome, String> {
    let table = sales(rows(context))?;
    let panel = |title: &str, measure: &str| Sweep::new(title, "k", measure, &NAMES);
    let mut panels = [
        panel("Discernibility", "DM").log(),
        panel("KL divergence", "nats"),
        panel("Certainty penalty", "share of the range"),
    ];
    for k in ks(context) {
        let releases = releases(&table, k)?;
        let each: Result<Vec<Vec<f64>>, String> =
            releases.iter().map(|release| release.losses(k, &["dm", "kl", "ncp"])).collect();
        let each = each?;
        for (at, panel) in panels.iter_mut().enumerate() {
            panel.push(k, each.iter().map(|losses| losses[at]).collect())?;
        }
    }
    let checks = loss_checks(&panels);
    Ok(Outcome {
        panels: panels.into_iter().map(Into::into).collect(),
        checks,
        data: STANDS_IN.to_string(),
        differs: format!("{} rows instead of 4.6 million; the tree is built anew for every k", rows(context)),
        untested: None,
    })
}

fn loss_checks(panels: &[Sweep; 3]) -> Vec<Check> {
    let [dm, kl, ncp] = panels;
    let identical = dm.of(LOOSE) == dm.of(COMPACT) && !dm.of(LOOSE).is_empty();
    vec![
        Check::at_most("the tree's DM is at most the top-down algorithm's", dm.of(TREE), dm.of(LOOSE), 1.0),
        Check::at_most(
            "its KL divergence is at most that without compaction",
            kl.of(TREE),
            kl.of(LOOSE),
            1.0,
        ),
        Check::at_most(
            "its certainty penalty is at most that without compaction",
            ncp.of(TREE),
            ncp.of(LOOSE),
            1.0,
        ),
        Check::at_most("compaction lowers the KL divergence", kl.of(COMPACT), kl.of(LOOSE), 1.0),
        Check::at_most("compaction lowers the certainty penalty", ncp.of(COMPACT), ncp.of(LOOSE), 1.0),
        Check::new(
            identical,
            format!(
                "DM with and without compaction is {}",
                if identical { "the same" } else { "not the same" }
            ),
        ),
    ]
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

fn queries(context: &Context) -> Result<Outcome, String> {
    let table = sales(rows(context))?;
    let many = context.pick(40, 300, 1000);
    let all: Vec<usize> = (0..table.dimensions()).collect();
    let asked = Queries::ranges(&table, &all, many)?;
    let about_zip = Queries::ranges(&table, &all[..1], many)?;
    let ks = ks(context);
    let by_k = Sweep::new("Mean error of queries over all columns", "k", "relative error", &NAMES).log();
    let by_k = by_k.run(&ks, |&k| {
        releases(&table, k)?.iter().map(|release| asked.mean(release, Errors::matched)).collect()
    })?;
    let middle = ks[ks.len() / 2];
    let mut selective = Sweep::new(
        &format!("The same by the rows they are about, k = {middle}"),
        "queries about",
        "relative error",
        &NAMES,
    )
    .log()
    .bars();
    let thirds: Vec<[f64; 3]> =
        releases(&table, middle)?.iter().map(|release| by_selectivity(&asked.matched(release))).collect();
    for (at, third) in THIRDS.iter().enumerate() {
        selective.push(third, thirds.iter().map(|errors| errors[at]).collect())?;
    }
    let names = ["R+-tree", "R+-tree that prefers zip codes"];
    let biased = |k: u64| -> Result<[Release<'_>; 2], String> {
        let preferred = SplitSpec { preferred: vec!["zipcode".to_string()], ..SplitSpec::named("box") };
        let biased = groups(&table, &k_alone(&table, k)?, &preferred, true)?;
        Ok([tree(&table, k)?, biased].map(|made| Release::new(&table, made, Extents::Compact)))
    };
    let about = Sweep::new("Mean error of queries about zip codes", "k", "relative error", &names).log();
    let about = about
        .run(&ks, |&k| biased(k)?.iter().map(|release| about_zip.mean(release, Errors::matched)).collect())?;
    let mut about_few = Sweep::new(
        &format!("The same by the rows they are about, k = {middle}"),
        "queries about",
        "relative error",
        &names,
    )
    .log()
    .bars();
    let thirds: Vec<[f64; 3]> =
        biased(middle)?.iter().map(|release| by_selectivity(&about_zip.matched(release))).collect();
    for (at, third) in THIRDS.iter().enumerate() {
        about_few.push(third, thirds.iter().map(|errors| errors[at]).collect())?;
    }
    let checks = query_checks(&by_k, &selective, &about);
    Ok(Outcome {
        panels: vec![by_k.into(), selective.into(), about.into(), about_few.into()],
        checks,
        data: STANDS_IN.to_string(),
        differs: format!(
            "{} rows instead of 4.6 million, {many} queries; thirds of the queries instead of a scale of selectivity",
            rows(context)
        ),
        untested: None,
    })
}

fn query_checks(by_k: &Sweep, selective: &Sweep, about: &Sweep) -> Vec<Check> {
    let mut checks = vec![
        Check::at_most("compaction lowers the error", by_k.of(COMPACT), by_k.of(LOOSE), 1.0),
        Check::below(
            "the tree's error over that of compacted top-down groups, on average",
            mean_ratio(by_k.of(TREE), by_k.of(COMPACT)),
            1.0,
        ),
    ];
    checks.extend(NAMES.map(|name| {
        Check::falls(&format!("error of {name}, from few rows to many,"), selective.of(name), 0.0)
    }));
    checks.push(Check::at_most(
        "the tree that prefers zip codes errs less about them",
        &about.series[1].1,
        &about.series[0].1,
        1.0,
    ));
    checks
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sweep(names: &[&str], lines: &[&[f64]]) -> Sweep {
        let mut sweep = Sweep::new("", "", "", names);
        lines.iter().for_each(|line| sweep.push("", line.to_vec()).unwrap());
        sweep
    }

    #[test]
    fn losses_are_judged_both_ways() {
        let holds = |dm: &[f64], kl: &[f64], ncp: &[f64]| {
            let panels = [dm, kl, ncp].map(|line| sweep(&NAMES, &[line]));
            loss_checks(&panels).iter().map(|check| check.holds).collect::<Vec<_>>()
        };
        assert_eq!(holds(&[5.0, 5.0, 4.0], &[3.0, 2.0, 1.0], &[3.0, 2.0, 1.0]), [true; 6]);
        assert_eq!(holds(&[4.0, 5.0, 5.0], &[1.0, 2.0, 3.0], &[1.0, 2.0, 3.0]), [false; 6]);
    }

    #[test]
    fn queries_are_judged_both_ways() {
        let thirds = |up: bool| {
            let lines: [&[f64]; 3] = [&[3.0; 3], &[2.0; 3], &[1.0; 3]];
            let mut lines = lines.to_vec();
            if up {
                lines.reverse();
            }
            sweep(&NAMES, &lines)
        };
        let about = |line: &[f64]| sweep(&["a", "b"], &[line]);
        let good = query_checks(&sweep(&NAMES, &[&[3.0, 2.0, 1.0]]), &thirds(false), &about(&[2.0, 1.0]));
        let bad = query_checks(&sweep(&NAMES, &[&[1.0, 2.0, 3.0]]), &thirds(true), &about(&[1.0, 2.0]));
        assert!(good.iter().all(|check| check.holds) && !bad.iter().any(|check| check.holds));
    }

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
