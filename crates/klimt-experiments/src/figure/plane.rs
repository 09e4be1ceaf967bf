//! Two skewed attributes in the plane (Figs. 15 to 17 of *Multidimensional K-Anonymity*).
//!
//! The paper shows one draw, and finds the result sensitive to it; here several draws are looked at, of which one is
//! drawn. A draw whose best single-dimensional partitioning was not proven to be the best tells nothing.

use super::Context;
use super::claim::{At, Claim, Is, MUCH, NEAR, Of};
use super::data::{As, generated, quasi, with_all_values};
use super::engine::{Goal, bind, loss_of, mondrian, scheme, searched};
use super::number::{Measured, mean};
use super::outcome::{Outcome, Run, Size};
use super::registry::Figure;
use super::sweep::{Plane, Region, Sweep};
use crate::queries::Queries;
use crate::release::Release;
use klimt_core::algorithm::scheme::Scheme;
use klimt_core::loss::Groups;
use klimt_core::partition::Partitioning;
use klimt_core::region::Extents;
use klimt_core::table::Table;
use klimt_core::workload::Workload;
use klimt_io::generate::Parameters;
use std::collections::BTreeSet;
use std::rc::Rc;

/// The experiments of this file.
pub const FIGURES: &[Figure] = &[
    Figure::experiment(
        "mondrian-15",
        "The best single-dimensional partitioning of two skewed attributes",
        &[Claim::new(
            "For small k, single-dimensional partitioning tends to reflect the distribution of just one attribute.",
            Of::Value((0, SINGLE)),
            At::Mean,
            Is::AtLeast(MUCH),
        )
        .reading("just one")],
        single,
    ),
    Figure::experiment(
        "mondrian-16",
        "Multidimensional partitioning of the same two attributes",
        &[Claim::new(
            "The multidimensional partitioning does an excellent job at capturing the underlying multivariate distribution, in contrast to the single-dimensional one.",
            Of::Ratio((0, MULTI), (0, SINGLE)),
            At::Every,
            Is::Below(1.0),
        )],
        multi,
    ),
    Figure::experiment(
        "mondrian-17",
        "Error of count queries with a predicate on one attribute",
        &[
            Claim::new(
                "Queries with predicates on one attribute are more accurately answered from the single-dimensional anonymization than those on the other.",
                Of::Value((0, SINGLE)),
                At::Every,
                Is::AtLeast(NEAR),
            )
            .reading("more accurately"),
            Claim::new(
                "The observed error is more consistent across queries using the multidimensional anonymization.",
                Of::Ratio((0, MULTI), (0, SINGLE)),
                At::Every,
                Is::Below(1.0),
            ),
        ],
        errors,
    ),
];

const SINGLE: &str = "single-dimensional";
const MULTI: &str = "multidimensional";
const NAMES: [&str; 2] = [SINGLE, MULTI];

/// Values of an attribute, occurring or not.
const VALUES: u32 = 50;
/// A small k: what is said of single-dimensional partitioning is said of small ones.
const K: u64 = 10;

fn rows(context: &Context) -> u64 {
    context.pick(200, 1000, 1000)
}

/// How many draws of the table are looked at.
fn draws(context: &Context) -> u64 {
    context.pick(1, 3, 10)
}

fn table(context: &Context, seed: u64) -> Result<Table, String> {
    let parameters = Parameters {
        attributes: Some(2),
        cardinality: Some(VALUES),
        mean: Some(25.0),
        sigma: Some(0.2),
        ..Parameters::new(rows(context), seed)
    };
    with_all_values(&generated("skewed", &parameters, &quasi(&["X1", "X2"], As::Plain))?, VALUES)
}

/// The best single-dimensional partitioning and the multidimensional one, and whether the former is proven to be the best.
fn partitionings(context: &Context, table: &Table, k: u64) -> Result<([Partitioning; 2], bool), String> {
    let k = k.to_string();
    let bound = bind(table, &[("k", "", &k)])?;
    let single = searched(table, &bound, &scheme(table, Scheme::Ops), Goal::least("dm", context.limit()))?;
    let proven = single.optimum(loss_of(table, single.groups.clone(), 1, "dm")?).is_exact();
    let multi = mondrian(table, &bound)?;
    Ok(([single.groups, multi], proven))
}

/// What is published of partitionings: by the boundaries of their cuts, which the pictures show, or by the range of each
/// group, which queries are answered from.
fn releases<'t>(table: &'t Table, made: &[Partitioning; 2], extents: Extents) -> [Release<'t>; 2] {
    made.each_ref().map(|groups| Release::new(table, groups.clone(), extents))
}

/// How many different intervals each attribute is published as.
fn intervals(release: &Release<'_>) -> [f64; 2] {
    [0, 1].map(|dimension| {
        let groups = release.groups();
        let ends = (0..groups.count()).map(|group| groups.covered(group, dimension).ends());
        ends.collect::<BTreeSet<_>>().len() as f64
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

/// What the draws show at one k: a line for each, with a number of both releases.
struct Draws {
    /// The attribute with more intervals over the other.
    uneven: Vec<[Measured; 2]>,
    /// KL divergence.
    divergence: Vec<[Measured; 2]>,
    pictures: [Plane; 2],
}

/// A number of both releases; nothing of the first where it is not proven to be the best.
fn both(numbers: [f64; 2], proven: bool) -> [Measured; 2] {
    [if proven { numbers[0].into() } else { Measured::UNKNOWN }, numbers[1].into()]
}

fn drawn(context: &Context) -> Result<Rc<Draws>, String> {
    context.memo("two skewed attributes", || {
        let (mut uneven, mut divergence, mut pictures) = (Vec::new(), Vec::new(), None);
        for seed in 1..=draws(context) {
            let table = table(context, seed)?;
            let (made, proven) = partitionings(context, &table, K)?;
            let [found, compact] =
                [Extents::Region, Extents::Compact].map(|extents| releases(&table, &made, extents));
            let ratio = |release: &Release<'_>| {
                let [x, y] = intervals(release);
                unlike(x, y)
            };
            uneven.push(both([ratio(&found[0]), ratio(&found[1])], proven));
            divergence.push(both([compact[0].loss(K, "kl")?, compact[1].loss(K, "kl")?], proven));
            pictures.get_or_insert_with(|| [picture(SINGLE, &found[0]), picture(MULTI, &found[1])]);
        }
        let pictures = pictures.ok_or("no table was drawn")?;
        Ok(Draws { uneven, divergence, pictures })
    })
}

fn by_draw(title: &str, measure: &str, lines: &[[Measured; 2]]) -> Result<Sweep, String> {
    let mut sweep = Sweep::new(title, "draw", measure, &NAMES).bars();
    for (at, line) in lines.iter().enumerate() {
        sweep.push(at + 1, line.to_vec())?;
    }
    Ok(sweep)
}

fn run(context: &Context) -> Run {
    let sizes = vec![
        Size::new("rows", rows(context), 1000),
        Size::new("values of an attribute", VALUES, 50),
        Size::new("draws", draws(context), 1),
    ];
    let notes = format!(
        "the search for the best single-dimensional partitioning takes at most {} s",
        context.limit()
    );
    Run::new("generated as in the paper (mean 25, sigma 0.2)", sizes, notes)
}

fn single(context: &Context) -> Result<Outcome, String> {
    let draws = drawn(context)?;
    let sweep = by_draw(
        &format!("Intervals of one attribute over those of the other, k = {K}"),
        "ratio",
        &draws.uneven,
    )?;
    Ok(Outcome { panels: vec![draws.pictures[0].clone().into(), sweep.into()], run: run(context) })
}

fn multi(context: &Context) -> Result<Outcome, String> {
    let draws = drawn(context)?;
    let sweep = by_draw(&format!("KL divergence, k = {K}"), "nats", &draws.divergence)?;
    Ok(Outcome { panels: vec![draws.pictures[1].clone().into(), sweep.into()], run: run(context) })
}

/// The mean and the standard deviation of the absolute error over all values of an attribute, occurring or not: rows are
/// taken to lie evenly in their region, so that a value that nobody has is answered with some.
fn error(release: &Release<'_>, dimension: usize) -> Result<(f64, f64), String> {
    let asked = Queries::new(release.table, Workload::values(release.table, &[dimension]))?;
    let found = asked.errors(release);
    let errors: Vec<f64> = (0..found.answers.len()).filter_map(|query| found.absolute(query)).collect();
    if errors.len() != release.table.domain(dimension).value_count() {
        return Err("a value has no answer".to_string());
    }
    let centre = mean(&errors);
    let squares: Vec<f64> = errors.iter().map(|error| (error - centre).powi(2)).collect();
    Ok((centre, mean(&squares).sqrt()))
}

/// How unlike two numbers are: the larger over the smaller.
fn unlike(one: f64, other: f64) -> f64 {
    one.max(other) / one.min(other)
}

fn errors(context: &Context) -> Result<Outcome, String> {
    let draws = draws(context);
    let mut uneven =
        Sweep::new("The worse answered attribute over the other", "k", "ratio of mean errors", &NAMES);
    let names = ["single, on X", "single, on Y", "multi, on X", "multi, on Y"];
    let mut means = Sweep::new("Mean absolute error, over all draws", "k", "rows", &names).bars();
    let mut deviations =
        Sweep::new("Standard deviation of the error, over all draws", "k", "rows", &names).bars();
    for k in [10, 25, 50] {
        let (mut sums, mut ratios, mut all_proven) = ([[0.0; 4]; 2], [0.0; 2], true);
        for seed in 1..=draws {
            let table = table(context, seed)?;
            let (made, proven) = partitionings(context, &table, k)?;
            let found = releases(&table, &made, Extents::Compact);
            all_proven &= proven;
            let each = found.iter().flat_map(|release| [error(release, 0), error(release, 1)]);
            let each = each.collect::<Result<Vec<_>, _>>()?;
            ratios[0] += unlike(each[0].0, each[1].0) / draws as f64;
            ratios[1] += unlike(each[2].0, each[3].0) / draws as f64;
            for (at, (centre, deviation)) in each.into_iter().enumerate() {
                sums[0][at] += centre / draws as f64;
                sums[1][at] += deviation / draws as f64;
            }
        }
        uneven.push(k, both(ratios, all_proven).to_vec())?;
        means.push(k, sums[0].to_vec())?;
        deviations.push(k, sums[1].to_vec())?;
    }
    Ok(Outcome { panels: vec![uneven.into(), means.into(), deviations.into()], run: run(context) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_that_nobody_has_are_asked_for_too() {
        let parameters = Parameters { cardinality: Some(4), ..Parameters::new(200, 1) };
        let table = generated("uniform", &parameters, &quasi(&["X1"], As::Plain)).unwrap();
        // Rows of 0..3 in one group over 0..7: half of them are counted where there are none.
        let table = with_all_values(&table, 8).unwrap();
        let bound = bind(&table, &[("k", "", "200")]).unwrap();
        let release = Release::new(&table, mondrian(&table, &bound).unwrap(), Extents::Region);
        let count = |value: u32| (0..200).filter(|&row| table.codes(0).get(row) == value).count() as f64;
        let by_hand: f64 = (0..8).map(|value| (count(value) - 25.0).abs()).sum::<f64>() / 8.0;
        assert!((error(&release, 0).unwrap().0 - by_hand).abs() < 1e-9, "{:?} {by_hand}", error(&release, 0));
    }
}
