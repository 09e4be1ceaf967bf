//! What a searched release answers, and how a search goes (Figs. 22 to 24 of *Constrained Generalization for Data
//! Anonymization*).

use super::Context;
use super::claim::{At, Claim, Is, NEAR, Of};
use super::gensearch::{GEN, GREEDY, MEDIAN, OTHERS, published, sizes};
use super::outcome::{Outcome, Run};
use super::registry::Figure;
use super::sweep::Sweep;
use crate::Result;
use crate::adult::{EIGHT, codes_of};
use crate::engine::partitions::{EngineRelease, loss_of};
use crate::engine::splits::split;
use crate::engine::{Goal, SearchResult, bind, mondrian, searched, steepest};
use crate::number::Measured;
use crate::tables::{As, Want, quasi};
use klimt::table::{Role, Table};
use klimt_core::algorithm::gensearch::{GenSearch, Priority};
use klimt_core::job::Observer;
use klimt_core::partition::Partitioning;
use klimt_core::region::Extents;
use klimt_core::workload::{self, End, Errors, Predicate, Test, Workload};
use std::sync::Mutex;
use std::time::Instant;

/// The experiments of this file.
pub const FIGURES: &[Figure] = &[
    Figure::experiment(
        "gensearch-22",
        "Error of count queries: Adult under combined requirements",
        &[
            Claim::new(
                "The experiment shows how worse the estimate of such queries is, using Mondrian instead of GenSearch.",
                Of::Ratio((0, GEN), (0, GREEDY)),
                At::Every,
                Is::Below(1.0),
            ),
            Claim::new(
                "The same, beside cuts at the median.",
                Of::Ratio((0, GEN), (0, MEDIAN)),
                At::Every,
                Is::Below(1.0),
            )
            .beside(),
        ],
        queries,
    ),
    Figure::experiment(
        "gensearch-23",
        "Which partition is looked at next",
        &[
            Claim::new(
                "The LB priority function performs the best, better than Cost",
                Of::Ratio((0, KEYS[0]), (0, KEYS[1])),
                At::Mean,
                Is::Below(1.0),
            ),
            Claim::new(
                "and better than LB/Cost.",
                Of::Ratio((0, KEYS[0]), (0, KEYS[2])),
                At::Mean,
                Is::Below(1.0),
            ),
        ],
        priorities,
    ),
    Figure::experiment(
        "gensearch-24",
        "The best result after a fifth of the time",
        &[Claim::new(
            "The metric value of the solution found after 1 hour is very close to that found after 5 hours.",
            Of::Ratio((0, TIMES[0]), (0, TIMES[1])),
            At::Every,
            Is::AtMost(NEAR),
        )
        .reading("very close")],
        early,
    ),
];

const KEYS: [&str; 3] = ["lower bound", "cost", "ratio"];
const TIMES: [&str; 2] = ["after a fifth of the time", "after all of it"];

/// What a query asks for: years, marital statuses, races. Nothing asks for everything.
struct Query {
    ages: Option<(u32, u32)>,
    marital: &'static [&'static str],
    race: &'static [&'static str],
}

const SPOUSE: &str = "Married-civ-spouse";
const NEVER: &str = "Never-married";
const ABSENT: &str = "Married-spouse-absent";
const DIVORCED: &str = "Divorced";

/// The six queries of the paper.
const QUERIES: [Query; 6] = [
    Query {
        ages: None,
        marital: &[SPOUSE, NEVER, ABSENT, DIVORCED],
        race: &["White", "Black", "Asian-Pac-Islander", "Amer-Indian-Eskimo"],
    },
    Query {
        ages: Some((37, 77)),
        marital: &[SPOUSE, NEVER, ABSENT, DIVORCED],
        race: &["White", "Black", "Asian-Pac-Islander", "Amer-Indian-Eskimo"],
    },
    Query { ages: Some((22, 42)), marital: &[], race: &["White", "Black"] },
    Query { ages: Some((47, 67)), marital: &[SPOUSE, NEVER, DIVORCED], race: &["White", "Black"] },
    Query {
        ages: Some((42, 52)),
        marital: &[SPOUSE, DIVORCED, ABSENT],
        race: &["White", "Black", "Asian-Pac-Islander"],
    },
    Query { ages: Some((42, 52)), marital: &[SPOUSE, NEVER], race: &["White", "Black"] },
];

impl Query {
    /// What it asks of a table, which may spell values in its own way.
    fn of(&self, table: &Table) -> workload::Query {
        let mut predicates = Vec::new();
        if let Some((from, to)) = self.ages {
            let end = |age: u32| Some(End::included(age.to_string()));
            let test = Test::Range { from: end(from), to: end(to) };
            predicates.push(Predicate { column: "age".to_string(), test });
        }
        for (names, column) in [(self.marital, "marital"), (self.race, "race")] {
            let dimension = (0..table.dimensions()).find(|&d| table.dimension(d).name == column);
            if let (false, Some(domain)) = (names.is_empty(), dimension.map(|d| table.domain(d))) {
                let wanted = (0..).zip(codes_of(domain, names)).filter(|(_, wanted)| *wanted);
                let test = Test::In(wanted.map(|(code, _)| domain.text(code)).collect());
                predicates.push(Predicate { column: column.to_string(), test });
            }
        }
        workload::Query::count(predicates)
    }
}

/// The groups of a table that knows only some splits, with the smallest regions over them in the table itself.
fn refined<'t>(table: &'t Table, groups: Partitioning) -> EngineRelease<'t> {
    let groups = Partitioning { regions: groups.compact(table), tree: None, ..groups };
    EngineRelease::new(table, groups, Extents::Compact)
}

fn queries(context: &Context) -> Result<Outcome> {
    let adult = context.adult();
    let mut wants = quasi(&OTHERS, As::Ordered);
    wants.push(Want::other("occupation", Role::Sensitive));
    let table = adult.dataset(&wants)?.table()?;
    let (coarse, splits) = split(&table, 102)?;
    let all = [
        ("k", "", context.pick("20", "500", "500")),
        ("l-diversity", "occupation", "entropy:2"),
        ("t-closeness", "occupation", context.pick("0.6:equal", "0.2:equal", "0.2:equal")),
        ("epsilon-privacy", "occupation", context.pick("10:100", "10:10000", "10:10000")),
    ];
    let bound = bind(&coarse, &all)?;
    let found = searched(&coarse, &bound, &published(), Goal::least("dm", 2.0 * context.limit()))?;
    let releases = [steepest(&coarse, &bound, "dm")?, mondrian(&coarse, &bound)?, found.groups.clone()];
    let releases = releases.map(|groups| refined(&table, groups));
    let asked = Workload { queries: QUERIES.iter().map(|query| query.of(&table)).collect() };
    let errors = releases.iter().map(|release| release.errors(&asked)).collect::<Result<Vec<Errors>>>()?;
    let sweep = Sweep::new("Count queries", "query", "relative error", &[GREEDY, MEDIAN, GEN]).bars();
    let numbers: Vec<usize> = (1..=QUERIES.len()).collect();
    let sweep = sweep.run(&numbers, |&number| {
        let relative = |errors: &Errors| Measured::from(errors.relative(number - 1).unwrap_or(f64::NAN));
        let mut line: Vec<Measured> = errors.iter().map(relative).collect();
        if !found.over {
            line[2] = Measured::UNKNOWN;
        }
        Ok(line)
    })?;
    let mut sizes = sizes(context, (table.rows(), 30_162), (splits, 102), "10 minutes");
    sizes.iter_mut().filter(|size| size.what == "splits").for_each(|size| size.paper.clear());
    let over = if found.over {
        "GenSearch was over in its time"
    } else {
        "GenSearch was not over in its time, so that its answers are not known"
    };
    Ok(Outcome::new(
        [sweep],
        Run::new(
            adult.described(),
            sizes,
            format!("occupation is the sensitive column; {over} (twice the limit)"),
        ),
    ))
}

fn table(context: &Context) -> Result<(Table, usize)> {
    let wants = quasi(&EIGHT, As::Ordered);
    split(&context.adult().dataset(&wants)?.table()?, 101)
}

fn ks(context: &Context) -> Vec<u64> {
    context.pick(vec![50], vec![100, 1000], vec![50, 200, 1000])
}

/// The cost of what was found, over the least of all.
fn over_least(table: &Table, found: &SearchResult, k: u64) -> Result<Measured> {
    let cost = loss_of(table, found.groups.clone(), k, "dm")?;
    Ok(found.result(cost).scaled(1.0 / (table.rows() as f64 * k as f64)))
}

fn priorities(context: &Context) -> Result<Outcome> {
    let (table, splits) = table(context)?;
    let sweep =
        Sweep::new("What is found by the key of the queue", "k", "DM over its lower bound n·k", &KEYS).log();
    let sweep = sweep.run(&ks(context), |&k| {
        let text = k.to_string();
        let bound = bind(&table, &[("k", "", &text)])?;
        let of = |priority: Priority| {
            let way = GenSearch { priority, ..published() };
            let found = searched(&table, &bound, &way, Goal::least("dm", context.limit()))?;
            over_least(&table, &found, k)
        };
        [Priority::Bound, Priority::Cost, Priority::Ratio].into_iter().map(of).collect::<Result<Vec<_>, _>>()
    })?;
    let sizes = sizes(context, (table.rows(), 30_162), (splits, 101), "5 hours");
    let notes = "the paper does not say at which k; where a search was not over, what it would find is known only to lie between bounds";
    Ok(Outcome::new([sweep], Run::new(context.adult().described(), sizes, notes)))
}

/// Remembers what a search has found, and when.
struct Trace {
    started: Instant,
    found: Mutex<Vec<(f64, f64)>>,
}

impl Observer for Trace {
    fn advance(&self, _: u64) {}

    fn cancelled(&self) -> bool {
        false
    }

    fn improved(&self, found: f64, _: f64) {
        if let Ok(mut all) = self.found.lock() {
            all.push((self.started.elapsed().as_secs_f64(), found));
        }
    }
}

/// What the best was after so many seconds; the first that was told where nothing was told by then.
fn best_after(trace: &[(f64, f64)], seconds: f64) -> f64 {
    let by_then = trace.iter().take_while(|(at, _)| *at <= seconds).map(|(_, found)| *found);
    by_then.fold(f64::NAN, f64::min).min(trace.first().map_or(f64::NAN, |(_, found)| *found))
}

fn early(context: &Context) -> Result<Outcome> {
    let (table, splits) = table(context)?;
    let seconds = context.limit();
    let sweep = Sweep::new(
        "After a fifth of the time, and after all of it",
        "k",
        "DM over its lower bound n·k",
        &TIMES,
    )
    .bars();
    let sweep = sweep.run(&ks(context), |&k| {
        let text = k.to_string();
        let bound = bind(&table, &[("k", "", &text)])?;
        let trace = Trace { started: Instant::now(), found: Mutex::new(Vec::new()) };
        let found =
            searched(&table, &bound, &published(), Goal { observer: &trace, ..Goal::least("dm", seconds) })?;
        let all = trace.found.into_inner().unwrap_or_default();
        let end = over_least(&table, &found, k)?;
        let took = all.last().map_or(seconds, |(at, _)| *at);
        let fifth = best_after(&all, took / 5.0) / (table.rows() as f64 * k as f64);
        // A search that was not over would go on to improve what it had after a fifth of its time.
        let fifth = if found.over { fifth.into() } else { Measured::between(end.low, fifth) };
        Ok(vec![fifth, end])
    })?;
    let sizes = sizes(context, (table.rows(), 30_162), (splits, 101), "5 hours");
    let notes = "a fifth of what a search took, where it was over; else what it finds is known only to lie between bounds";
    Ok(Outcome::new([sweep], Run::new(context.adult().described(), sizes, notes)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_after_a_time_is_the_least_by_then() {
        let trace = [(0.5, 9.0), (1.0, 7.0), (3.0, 5.0)];
        assert_eq!(
            (best_after(&trace, 0.1), best_after(&trace, 2.0), best_after(&trace, 9.0)),
            (9.0, 7.0, 5.0)
        );
        assert!(best_after(&[], 1.0).is_nan());
    }

    #[test]
    fn a_query_finds_its_values_by_name() {
        let (_folder, context) = Context::tiny();
        let wants = quasi(&["age", "marital", "race"], As::Ordered);
        let table = context.adult().dataset(&wants).unwrap().table().unwrap();
        let asked = QUERIES[3].of(&table);
        assert_eq!(asked.predicates.len(), 3);
        let years = Test::Range { from: Some(End::included("47")), to: Some(End::included("67")) };
        assert_eq!(asked.predicates[0].test, years);
        assert!(matches!(&asked.predicates[1].test, Test::In(values) if values.len() == 3));
        assert_eq!(QUERIES[0].of(&table).predicates.len(), 2);
    }
}
