//! Two attributes: what the partitions look like, and how well count queries are answered (Figs. 15 to 17 of
//! *Multidimensional K-Anonymity*).

use super::Context;
use super::data::{As, generated, quasi};
use super::engine::{Goal, bind, mondrian, scheme, search};
use super::registry::Figure;
use super::sweep::{Plane, Region, Sweep};
use super::verdict::{Check, Outcome, mean};
use crate::queries::Queries;
use crate::release::Release;
use klimt::algorithm::scheme::Scheme;
use klimt::loss::Groups;
use klimt::region::Extents;
use klimt::table::Table;
use klimt::workload::Workload;
use klimt_io::generate::Parameters;
use std::collections::BTreeSet;

/// The experiments of this file.
pub const FIGURES: &[Figure] = &[
    Figure::experiment(
        "mondrian-15",
        "The best single-dimensional partitioning of two skewed attributes",
        "For small k the best single-dimensional partitioning follows the distribution of just one attribute.",
        "the paper itself finds the result sensitive to the data, and shows one draw of it",
        single,
    ),
    Figure::experiment(
        "mondrian-16",
        "Multidimensional partitioning of the same two attributes",
        "Multidimensional partitioning captures the joint distribution of both attributes.",
        "",
        multi,
    ),
    Figure::experiment(
        "mondrian-17",
        "Error of count queries with a predicate on one attribute",
        "From a single-dimensional partitioning one attribute is answered better than the other; multidimensional partitioning errs alike on both.",
        "the paper itself finds the result sensitive to the data, and shows one draw of it",
        errors,
    ),
];

/// Values of an attribute.
const VALUES: u32 = 50;

fn table(context: &Context, seed: u64) -> Result<Table, String> {
    let rows = context.pick(200, 1000, 1000);
    let parameters = Parameters {
        attributes: Some(2),
        cardinality: Some(VALUES),
        mean: Some(25.0),
        sigma: Some(0.2),
        ..Parameters::new(rows, seed)
    };
    generated("skewed", &parameters, &quasi(&["X1", "X2"], As::Plain))
}

/// The best single-dimensional release and the multidimensional one, by the boundaries of their partitions.
fn releases<'t>(context: &Context, table: &'t Table, k: u64) -> Result<[Release<'t>; 2], String> {
    let k = k.to_string();
    let bound = bind(table, &[("k", "", &k)])?;
    let goal = Goal::least("dm", context.limit());
    let single = search(table, &bound, &scheme(table, Scheme::Ops), goal)?;
    let multi = mondrian(table, &bound)?;
    Ok([single, multi].map(|groups| Release::new(table, groups, Extents::Region)))
}

/// How many different intervals each attribute is published as.
fn intervals(release: &Release<'_>) -> [usize; 2] {
    [0, 1].map(|dimension| {
        let groups = release.groups();
        (0..groups.count())
            .map(|group| groups.covered(group, dimension).ends())
            .collect::<BTreeSet<_>>()
            .len()
    })
}

fn picture(title: &str, release: &Release<'_>) -> Plane {
    let (table, groups) = (release.table, release.groups());
    let at = |dimension: usize, code: u32| table.domain(dimension).position(code) as f64;
    let points =
        (0..table.rows()).map(|row| (at(0, table.codes(0).get(row)), at(1, table.codes(1).get(row))));
    let ends = |group: usize, dimension: usize| {
        let (lo, hi) = groups.covered(group, dimension).ends().unwrap_or((0, 0));
        (at(dimension, lo) - 0.5, at(dimension, hi) + 0.5)
    };
    let region =
        |group: usize| Region { x: ends(group, 0), y: ends(group, 1), rows: groups.rows(group) as usize };
    Plane {
        title: title.to_string(),
        dimensions: ("X".to_string(), "Y".to_string()),
        points: points.collect(),
        boxes: (0..groups.count()).map(region).collect(),
    }
}

fn outcome(context: &Context, planes: Vec<Plane>, checks: Vec<Check>) -> Outcome {
    Outcome {
        panels: planes.into_iter().map(Into::into).collect(),
        checks,
        data: "generated as in the paper: 1000 rows, two attributes of 50 values, mean 25, sigma 0.2"
            .to_string(),
        differs: format!("the search for the best ends after {} s", context.limit()),
        untested: None,
    }
}

/// A small k: what is said of single-dimensional partitioning is said of small ones.
const K: u64 = 10;

/// How many draws of the table are looked at.
fn draws(context: &Context) -> u64 {
    context.pick(1, 3, 10)
}

/// How many times as many intervals one attribute has as the other.
fn uneven(release: &Release<'_>) -> f64 {
    let [x, y] = intervals(release).map(|many| many as f64);
    unlike(x, y)
}

/// The attribute with more intervals over the other, single-dimensional and multidimensional, on average over all draws.
fn unevenness(context: &Context) -> Result<(f64, f64), String> {
    let (mut single, mut multi) = (Vec::new(), Vec::new());
    for seed in 1..=draws(context) {
        let table = table(context, seed)?;
        let [one, other] = releases(context, &table, K)?;
        single.push(uneven(&one));
        multi.push(uneven(&other));
    }
    Ok((mean(&single), mean(&multi)))
}

fn told(release: &Release<'_>) -> String {
    let [x, y] = intervals(release);
    format!("{x} intervals of X and {y} of Y in the picture")
}

fn single(context: &Context) -> Result<Outcome, String> {
    let table = table(context, 1)?;
    let [single, _] = releases(context, &table, K)?;
    let (one, other) = unevenness(context)?;
    let what = format!(
        "{}; intervals of one attribute over those of the other, over {} draws, multidimensional beside single-dimensional",
        told(&single),
        draws(context)
    );
    let checks = vec![
        Check::less(&what, other, one),
        Check::above("the same ratio of single-dimensional partitionings alone", one, 1.5),
    ];
    Ok(outcome(context, vec![picture("Single-dimensional, k = 10", &single)], checks))
}

fn multi(context: &Context) -> Result<Outcome, String> {
    let table = table(context, 1)?;
    let [single, multi] = releases(context, &table, K)?;
    let (_, ratio) = unevenness(context)?;
    let what = format!(
        "{}; intervals of one attribute over those of the other, over {} draws",
        told(&multi),
        draws(context)
    );
    let checks = vec![
        Check::below(&what, ratio, 1.5),
        Check::less(
            "KL divergence, multidimensional beside single-dimensional",
            multi.loss(K, "kl")?,
            single.loss(K, "kl")?,
        ),
    ];
    Ok(outcome(context, vec![picture("Multidimensional, k = 10", &multi)], checks))
}

/// The mean and the standard deviation of the absolute error over all values of an attribute; values that do not occur are
/// answered rightly.
fn error(release: &Release<'_>, dimension: usize) -> Result<(f64, f64), String> {
    let asked = Queries::new(release.table, Workload::values(release.table, &[dimension]))?;
    let found = asked.errors(release);
    let mut errors: Vec<f64> = (0..found.answers.len()).filter_map(|query| found.absolute(query)).collect();
    errors.resize(VALUES as usize, 0.0);
    let centre = mean(&errors);
    let squares: Vec<f64> = errors.iter().map(|error| (error - centre).powi(2)).collect();
    Ok((centre, mean(&squares).sqrt()))
}

/// How unlike two errors are: the larger over the smaller.
fn unlike(one: f64, other: f64) -> f64 {
    one.max(other) / one.min(other)
}

fn errors(context: &Context) -> Result<Outcome, String> {
    let draws = draws(context);
    let names = ["single, on X", "single, on Y", "multi, on X", "multi, on Y"];
    let mut means = Sweep::new("Mean absolute error, over all draws", "k", "rows", &names).bars();
    let mut deviations = Sweep::new("Standard deviation of the error", "k", "rows", &names).bars();
    let (mut single, mut multi) = (Vec::new(), Vec::new());
    for k in [10, 25, 50] {
        let mut sums = [[0.0; 4]; 2];
        for seed in 1..=draws {
            let table = table(context, seed)?;
            let found = releases(context, &table, k)?;
            let each = found.iter().flat_map(|release| [error(release, 0), error(release, 1)]);
            let each = each.collect::<Result<Vec<_>, _>>()?;
            single.push(unlike(each[0].0, each[1].0));
            multi.push(unlike(each[2].0, each[3].0));
            for (at, (centre, deviation)) in each.into_iter().enumerate() {
                sums[0][at] += centre / draws as f64;
                sums[1][at] += deviation / draws as f64;
            }
        }
        means.push(k, sums[0].to_vec())?;
        deviations.push(k, sums[1].to_vec())?;
    }
    let what = "the worse answered attribute over the other, multidimensional beside single-dimensional";
    let checks = vec![Check::less(what, mean(&multi), mean(&single))];
    let mut outcome = outcome(context, Vec::new(), checks);
    outcome.panels = vec![means.into(), deviations.into()];
    outcome.differs = format!("averages over {draws} draws instead of one; {}", outcome.differs);
    Ok(outcome)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_those_of_rows_spread_evenly() {
        let table = generated(
            "uniform",
            &Parameters { cardinality: Some(4), ..Parameters::new(200, 1) },
            &quasi(&["X1"], As::Plain),
        )
        .unwrap();
        let bound = bind(&table, &[("k", "", "200")]).unwrap();
        let release = Release::new(&table, mondrian(&table, &bound).unwrap(), Extents::Region);
        let count = |value: u32| (0..200).filter(|&row| table.codes(0).get(row) == value).count() as f64;
        let by_hand: f64 = (0..4).map(|value| (count(value) - 50.0).abs()).sum::<f64>() / f64::from(VALUES);
        assert!((error(&release, 0).unwrap().0 - by_hand).abs() < 1e-9);
        assert_eq!(intervals_of(&release), 1);
    }

    fn intervals_of(release: &Release<'_>) -> usize {
        let groups = release.groups();
        (0..groups.count()).map(|group| groups.covered(group, 0).ends()).collect::<BTreeSet<_>>().len()
    }
}
