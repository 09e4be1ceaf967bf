//! Two skewed attributes in the plane (Figs. 15 to 17 of *Multidimensional K-Anonymity*).
//!
//! The paper shows one draw, and finds the result sensitive to it; here several draws are looked at, of which one is
//! drawn. A draw whose best single-dimensional partitioning was not proven to be the best tells nothing.

use super::Context;
use super::claim::{At, Claim, Is, MUCH, NEAR, Of};
use super::mondrian::single_scheme;
use super::outcome::{Outcome, Run, Size};
use super::registry::Figure;
use super::sweep::{Plane, Region, Sweep};
use crate::Result;
use crate::number::Measured;
use crate::releases::{Queries, least, loss, median, release};
use crate::tables::{As, Dataset, quasi};
use klimt::generate::Parameters;
use klimt::prelude::*;
use klimt::settings::ValueList;
use klimt::table::Table;
use klimt_core::algorithm::scheme::Scheme;
use klimt_core::loss::{Groups, PublishedGroup, PublishedGroups};
use std::collections::{BTreeMap, BTreeSet};
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

const DIMENSIONS: [&str; 2] = ["X1", "X2"];

fn table(context: &Context, seed: u64) -> Result<Dataset> {
    let parameters = Parameters {
        attributes: Some(2),
        cardinality: Some(VALUES),
        mean: Some(25.0),
        sigma: Some(0.2),
        ..Parameters::new(rows(context), seed)
    };
    let dataset = context.tables().generated("skewed", &parameters, &quasi(&DIMENSIONS, As::Plain))?;
    Ok(with_all_values(dataset, VALUES))
}

/// The same table, whose domains are all numbers from 0 on below a number, occurring or not.
fn with_all_values(mut dataset: Dataset, values: u32) -> Dataset {
    for column in dataset.asked.settings_mut().columns.values_mut() {
        column.domain = Some(ValueList::Values((0..values).map(|value| value.to_string()).collect()));
    }
    dataset
}

/// The best single-dimensional release and the multidimensional one, and whether the former is proven to be the best.
/// The boundaries of cuts are published, which the pictures show, or the range of each group, which queries are answered
/// from.
fn releases(context: &Context, dataset: &Dataset, k: u64, extents: Extents) -> Result<([Release; 2], bool)> {
    let search = single_scheme(dataset, k, Scheme::Ops, context.time_limit())?;
    let single = release(dataset, &search.extent(extents))?;
    let (low, high) = least(&single, "dm");
    Ok(([single, median(dataset, k, extents)?], low == high))
}

/// The regions of a release with the rows in each, read from its published rows.
fn regions(dataset: &Dataset, release: &Release) -> Result<Vec<Region>> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("release.csv");
    release.save(&path)?;
    let mut published = Dataset::plain("release", path, &DIMENSIONS);
    for name in DIMENSIONS {
        published.asked = published.asked.column_type(name, ValueType::Text);
    }
    let rows = published.table()?;
    let mut counts: BTreeMap<[String; 2], u64> = BTreeMap::new();
    for row in 0..rows.rows() {
        let texts = [0, 1].map(|dimension| rows.domain(dimension).text(rows.codes(dimension).get(row)));
        *counts.entry(texts).or_default() += 1;
    }
    let table = dataset.table()?;
    let group =
        |(texts, rows): ([String; 2], u64)| PublishedGroup { texts: texts.into(), rows, kept: Vec::new() };
    let groups = PublishedGroups::read(&table, counts.into_iter().map(group).collect())?;
    let ends = |group: usize, dimension: usize| {
        let (lo, hi) = groups.covered(group, dimension).ends().unwrap_or((0, 0));
        let at = |code: u32| table.domain(dimension).position(code) as f64;
        (at(lo) - 0.5, at(hi) + 0.5)
    };
    let region =
        |group: usize| Region { x: ends(group, 0), y: ends(group, 1), rows: groups.rows(group) as usize };
    Ok((0..groups.count()).map(region).collect())
}

/// How many different intervals each attribute is published as.
fn intervals(regions: &[Region]) -> [f64; 2] {
    let many = |ends: fn(&Region) -> (f64, f64)| {
        let doubled = |(from, to): (f64, f64)| ((2.0 * from) as i64, (2.0 * to) as i64);
        regions.iter().map(|region| doubled(ends(region))).collect::<BTreeSet<_>>().len() as f64
    };
    [many(|region| region.x), many(|region| region.y)]
}

fn picture(title: &str, table: &Table, boxes: Vec<Region>) -> Plane {
    let at = |dimension: usize, row: usize| {
        table.domain(dimension).position(table.codes(dimension).get(row)) as f64
    };
    Plane {
        title: title.to_string(),
        dimensions: ("X".to_string(), "Y".to_string()),
        points: (0..table.rows()).map(|row| (at(0, row), at(1, row))).collect(),
        boxes,
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

fn drawn(context: &Context) -> Result<Rc<Draws>> {
    context.memo("two skewed attributes", || {
        let (mut uneven, mut divergence, mut pictures) = (Vec::new(), Vec::new(), None);
        for seed in 1..=draws(context) {
            let dataset = table(context, seed)?;
            let (found, proven) = releases(context, &dataset, K, Extents::Region)?;
            let (compact, also_proven) = releases(context, &dataset, K, Extents::Compact)?;
            let boxes = [regions(&dataset, &found[0])?, regions(&dataset, &found[1])?];
            let ratios = boxes.each_ref().map(|boxes| {
                let [x, y] = intervals(boxes);
                unlike(x, y)
            });
            uneven.push(both(ratios, proven));
            divergence.push(both(compact.each_ref().map(|release| loss(release, "kl")), also_proven));
            if pictures.is_none() {
                let ([single, multi], table) = (boxes, dataset.table()?);
                pictures = Some([picture(SINGLE, &table, single), picture(MULTI, &table, multi)]);
            }
        }
        let pictures = pictures.ok_or("no table was drawn")?;
        Ok(Draws { uneven, divergence, pictures })
    })
}

fn by_draw(title: &str, measure: &str, lines: &[[Measured; 2]]) -> Result<Sweep> {
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

fn single(context: &Context) -> Result<Outcome> {
    let draws = drawn(context)?;
    let sweep = by_draw(
        &format!("Intervals of one attribute over those of the other, k = {K}"),
        "ratio",
        &draws.uneven,
    )?;
    Ok(Outcome { panels: vec![draws.pictures[0].clone().into(), sweep.into()], run: run(context) })
}

fn multi(context: &Context) -> Result<Outcome> {
    let draws = drawn(context)?;
    let sweep = by_draw(&format!("KL divergence, k = {K}"), "nats", &draws.divergence)?;
    Ok(Outcome { panels: vec![draws.pictures[1].clone().into(), sweep.into()], run: run(context) })
}

/// The mean and the standard deviation of the absolute error over all values of an attribute, occurring or not: rows are
/// taken to lie evenly in their region, so that a value that nobody has is answered with some.
fn error(dataset: &Dataset, release: &Release, column: &str, values: u32) -> Result<(f64, f64)> {
    let answers = Queries::values(dataset, column).answers(release)?;
    match answers.errors.and_then(|errors| errors.absolute_error) {
        Some(absolute) if absolute.queries == values as usize => Ok((absolute.mean, absolute.deviation)),
        _ => Err("a value has no answer".into()),
    }
}

/// How unlike two numbers are: the larger over the smaller.
fn unlike(one: f64, other: f64) -> f64 {
    one.max(other) / one.min(other)
}

fn errors(context: &Context) -> Result<Outcome> {
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
            let dataset = table(context, seed)?;
            let (found, proven) = releases(context, &dataset, k, Extents::Compact)?;
            all_proven &= proven;
            let error = |release, column| error(&dataset, release, column, VALUES);
            let each = found.iter().flat_map(|release| DIMENSIONS.map(|column| error(release, column)));
            let each = each.collect::<Result<Vec<_>>>()?;
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
    Ok(Outcome::new([uneven, means, deviations], run(context)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tables::Tables;

    #[test]
    fn values_that_nobody_has_are_asked_for_too() {
        let (_folder, tables) = Tables::temporary();
        let parameters = Parameters { cardinality: Some(4), attributes: Some(2), ..Parameters::new(200, 1) };
        let made = tables.generated("uniform", &parameters, &quasi(&DIMENSIONS, As::Plain)).unwrap();
        // Rows of 0..3 in one group over 0..7: half of them are counted where there are none.
        let dataset = with_all_values(made, 8);
        let release = median(&dataset, 200, Extents::Region).unwrap();
        let whole = Region { x: (-0.5, 7.5), y: (-0.5, 7.5), rows: 200 };
        assert_eq!(regions(&dataset, &release).unwrap(), [whole]);
        let table = dataset.table().unwrap();
        let count = |value: u32| (0..200).filter(|&row| table.codes(0).get(row) == value).count() as f64;
        let by_hand: f64 = (0..8).map(|value| (count(value) - 25.0).abs()).sum::<f64>() / 8.0;
        let (mean, _) = error(&dataset, &release, "X1", 8).unwrap();
        assert!((mean - by_hand).abs() < 1e-9, "{mean} {by_hand}");
    }
}
