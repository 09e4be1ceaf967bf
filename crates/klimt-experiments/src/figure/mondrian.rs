//! Multidimensional partitioning beside the best full-domain and single-dimensional generalizations (Figs. 10 to 14 of
//! *Multidimensional K-Anonymity*).
//!
//! Full-domain generalization is the basic hierarchical scheme (BHS) over binary trees, single-dimensional partitioning
//! the ordered scheme (OPS), both searched for their optimum without suppression; multidimensional partitioning is
//! Mondrian. What is compared is the discernibility of the release. Where a search was not over, the optimum lies between
//! what it proved and what it found.

use super::Context;
use super::claim::{At, Claim, Is, MUCH, NEAR, Of};
use super::outcome::{Outcome, Run, Size};
use super::registry::Figure;
use super::sweep::Sweep;
use crate::Result;
use crate::adult::EIGHT;
use crate::number::Measured;
use crate::releases::{least, loss, median, release};
use crate::schemes::by;
use crate::tables::{As, Dataset, quasi};
use klimt::generate::Parameters;
use klimt::prelude::*;
use klimt_core::algorithm::scheme::Scheme;
use std::rc::Rc;
use std::time::Duration;

/// The experiments of this file.
pub const FIGURES: &[Figure] = &[
    Figure::experiment("mondrian-10", "DM by k: uniform attributes", &[BEATS_SINGLE, BEATS_FULL], uniform),
    Figure::experiment(
        "mondrian-11",
        "DM by k: skewed attributes",
        &[
            BEATS_SINGLE,
            BEATS_FULL,
            Claim::new(
                "The magnitude of this difference was much more pronounced for the skewed distribution.",
                Of::Ratio((1, SKEWED), (1, UNIFORM)),
                At::Mean,
                Is::AtLeast(MUCH),
            )
            .reading("much"),
        ],
        skewed,
    ),
    Figure::experiment(
        "mondrian-12",
        "DM by sigma: skewed attributes",
        &[
            Claim::new(
                "The difference in quality between multidimensional and the others is most pronounced for highly-skewed distributions.",
                Of::Ends((1, OVER_SINGLE)),
                At::Every,
                Is::Below(1.0),
            ),
            Claim::new(
                "The same, of the full-domain model.",
                Of::Ends((1, OVER_FULL)),
                At::Every,
                Is::Below(1.0),
            ),
        ],
        by_sigma,
    ),
    Figure::experiment(
        "mondrian-13",
        "DM by the number of attributes: skewed attributes",
        &[
            Claim::new(
                "As the number of attributes increases, the discernability penalty decreases for each of the three models.",
                Of::Steps((0, FULL)),
                At::Every,
                Is::Below(1.0),
            ),
            Claim::new("The same, single-dimensional.", Of::Steps((0, SINGLE)), At::Every, Is::Below(1.0)),
            Claim::new("The same, multidimensional.", Of::Steps((0, MULTI)), At::Every, Is::Below(1.0)),
        ],
        by_attributes,
    ),
    Figure::experiment(
        "mondrian-14",
        "DM by k: Adult",
        &[
            BEATS_SINGLE,
            BEATS_FULL,
            Claim::new(
                "This difference is most pronounced for small k;",
                Of::Ends((1, OVER_SINGLE)),
                At::Every,
                Is::Below(1.0),
            ),
            Claim::new(
                "as k increases, the results become comparable.",
                Of::Value((1, OVER_SINGLE)),
                At::Last,
                Is::AtMost(NEAR),
            )
            .reading("comparable"),
        ],
        adult,
    ),
];

const BEATS_SINGLE: Claim = Claim::new(
    "Greedy multidimensional partitioning produced better generalizations than the optimal single-dimensional one",
    Of::Ratio((0, MULTI), (0, SINGLE)),
    At::Every,
    Is::Below(1.0),
);
const BEATS_FULL: Claim = Claim::new(
    "and than the optimal full-domain one.",
    Of::Ratio((0, MULTI), (0, FULL)),
    At::Every,
    Is::Below(1.0),
);

const FULL: &str = "full-domain";
const SINGLE: &str = "single-dimensional";
const MULTI: &str = "multidimensional";
const NAMES: [&str; 3] = [FULL, SINGLE, MULTI];
const OVER_SINGLE: &str = "single-dimensional over multidimensional";
const OVER_FULL: &str = "full-domain over multidimensional";
const SKEWED: &str = "advantage on skewed data";
const UNIFORM: &str = "advantage on uniform data";

/// The k of the figures that do not vary it.
const K: u64 = 10;
/// The sigma of the figures that do not vary it.
const SIGMA: f64 = 0.2;
/// The attributes of the figures that do not vary their number.
const ATTRIBUTES: u32 = 5;
/// The values of an attribute.
const VALUES: u32 = 8;

/// One table as ordered columns and as hierarchies.
struct Both {
    ordered: Dataset,
    trees: Dataset,
}

impl Both {
    fn generated(context: &Context, attributes: u32, sigma: Option<f64>) -> Result<Self> {
        let generator = if sigma.is_some() { "skewed" } else { "uniform" };
        let parameters = Parameters {
            attributes: Some(attributes),
            cardinality: Some(VALUES),
            sigma,
            ..Parameters::new(rows(context), 1)
        };
        let names: Vec<String> = (1..=attributes).map(|number| format!("X{number}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let made = |values: As| context.tables().generated(generator, &parameters, &quasi(&names, values));
        Ok(Both { ordered: made(As::Plain)?, trees: made(As::Tree(2))? })
    }

    /// The discernibility of the three models.
    fn models(&self, k: u64, limit: Duration) -> Result<Vec<Measured>> {
        let best = |dataset: &Dataset, scheme: Scheme| {
            let found = release(dataset, &single_scheme(dataset, k, scheme, limit)?)?;
            let (low, high) = least(&found, "dm");
            Ok::<_, crate::Failure>(Measured::between(low, high))
        };
        let multi = loss(&median(&self.ordered, k, Extents::Compact)?, "dm");
        Ok(vec![best(&self.trees, Scheme::Bhs)?, best(&self.ordered, Scheme::Ops)?, multi.into()])
    }
}

/// The search for the generalization of least DM by one scheme for all columns, which publishes every row.
pub fn single_scheme(dataset: &Dataset, k: u64, scheme: Scheme, limit: Duration) -> Result<Anonymizer> {
    Ok(dataset.groups_of(k)?.algorithm(by(scheme)).loss("dm").time_limit(limit))
}

fn rows(context: &Context) -> u64 {
    context.pick(400, 10_000, 10_000)
}

fn ks(context: &Context) -> Vec<u64> {
    context.pick(vec![2, 10], vec![2, 10, 50, 100, 500], vec![2, 5, 10, 25, 50, 100, 250, 500, 1000])
}

fn by_k(context: &Context, title: &str, both: &Both) -> Result<Sweep> {
    let sweep = Sweep::new(title, "k", "discernibility", &NAMES).log();
    sweep.run(&ks(context), |&k| both.models(k, context.time_limit()))
}

/// How many times as much a model loses as the multidimensional one, at each value.
fn over_multi(sweep: &Sweep, model: &str) -> Vec<Measured> {
    sweep.of(model).iter().zip(sweep.of(MULTI)).map(|(other, multi)| other.over(*multi)).collect()
}

/// How many times as much the other models lose, as a panel.
fn advantage(sweep: &Sweep) -> Result<Sweep> {
    let names = [OVER_SINGLE, OVER_FULL];
    let mut panel =
        Sweep::new("How many times as much the others lose", &sweep.parameter, "ratio of DM", &names).log();
    let (single, full) = (over_multi(sweep, SINGLE), over_multi(sweep, FULL));
    for ((label, single), full) in sweep.labels.iter().zip(single).zip(full) {
        panel.push(label, vec![single, full])?;
    }
    Ok(panel)
}

fn outcome(context: &Context, panels: Vec<Sweep>, varied: &str) -> Outcome {
    let all = [
        Size::new("rows", rows(context), 10_000),
        Size::new("values of an attribute", VALUES, 8),
        Size::new("attributes", ATTRIBUTES, 5),
        Size::new("sigma", SIGMA, 0.2),
        Size::new("k", K, 10),
    ];
    let sizes = all.into_iter().filter(|size| size.what != varied).collect();
    let open: usize = panels[0].of(SINGLE).iter().filter(|number| !number.is_exact()).count();
    let searches = panels[0].labels.len();
    let notes = format!(
        "the optimal single-dimensional generalization was proven {} of {searches} times, in at most {} s",
        searches - open,
        context.limit()
    );
    Outcome::new(panels, Run::new("generated as in the paper", sizes, notes))
}

/// The models on uniform data, which two figures show.
fn even(context: &Context) -> Result<Rc<Sweep>> {
    context.memo("uniform attributes", || {
        by_k(context, "Uniform attributes", &Both::generated(context, ATTRIBUTES, None)?)
    })
}

fn uniform(context: &Context) -> Result<Outcome> {
    let mut outcome = outcome(context, vec![Sweep::clone(&*even(context)?)], "k");
    outcome.run.sizes.retain(|size| size.what != "sigma");
    Ok(outcome)
}

fn skewed(context: &Context) -> Result<Outcome> {
    let skewed = by_k(context, "Skewed attributes", &Both::generated(context, ATTRIBUTES, Some(SIGMA))?)?;
    let even = even(context)?;
    let mut compared =
        Sweep::new("Single-dimensional over multidimensional", "k", "ratio of DM", &[SKEWED, UNIFORM]);
    let (more, less) = (over_multi(&skewed, SINGLE), over_multi(&even, SINGLE));
    for ((label, more), less) in skewed.labels.iter().zip(more).zip(less) {
        compared.push(label, vec![more, less])?;
    }
    Ok(outcome(context, vec![skewed, compared, Sweep::clone(&*even)], "k"))
}

fn by_sigma(context: &Context) -> Result<Outcome> {
    let sigmas = context.pick(
        vec![0.2, 1.0],
        vec![0.1, 0.2, 0.3, 0.5, 1.0],
        vec![0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.7, 1.0],
    );
    let sweep = Sweep::new("Skewed attributes", "sigma", "discernibility", &NAMES).log();
    let sweep = sweep.run(&sigmas, |&sigma| {
        Both::generated(context, ATTRIBUTES, Some(sigma))?.models(K, context.time_limit())
    })?;
    let ratios = advantage(&sweep)?;
    Ok(outcome(context, vec![sweep, ratios], "sigma"))
}

fn by_attributes(context: &Context) -> Result<Outcome> {
    let many = context.pick(vec![2, 3], vec![2, 3, 4, 5, 6], vec![2, 3, 4, 5, 6, 7, 8]);
    let sweep = Sweep::new("Skewed attributes", "attributes", "discernibility", &NAMES).log();
    let sweep = sweep.run(&many, |&attributes| {
        Both::generated(context, attributes, Some(SIGMA))?.models(K, 4 * context.time_limit())
    })?;
    let mut outcome = outcome(context, vec![sweep], "attributes");
    outcome.run.notes.push_str(" times four");
    Ok(outcome)
}

fn adult(context: &Context) -> Result<Outcome> {
    let adult = context.adult();
    let both = Both { ordered: adult.dataset(&quasi(&EIGHT, As::Ordered))?, trees: adult.trees(&EIGHT)? };
    let sweep = by_k(context, "Adult", &both)?;
    let ratios = advantage(&sweep)?;
    let sizes = vec![Size::new("rows", adult.rows(), 30_162), Size::new("attributes", EIGHT.len(), 8)];
    let mut outcome = outcome(context, vec![sweep, ratios], "k");
    (outcome.run.data, outcome.run.sizes) = (adult.described(), sizes);
    Ok(outcome)
}
