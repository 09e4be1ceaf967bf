//! What a searched release answers, and how a search goes (Figs. 22 to 24 of *Constrained Generalization for Data
//! Anonymization*).

use super::Context;
use super::adult::{EIGHT, codes_of};
use super::data::{As, Want, quasi};
use super::engine::{Goal, bind, loss_of, mondrian, optimal, search};
use super::gensearch::{gensearch, split};
use super::registry::Figure;
use super::sweep::Sweep;
use super::verdict::{Check, Outcome, mean, short};
use crate::queries::Queries;
use crate::release::Release;
use klimt::algorithm::gensearch::{GenSearch, Priority};
use klimt::partition::{Observer, Partitioner};
use klimt::region::Extents;
use klimt::table::{Role, Table};
use klimt::workload::{self, End, Errors, Predicate, Test, Workload};
use std::sync::Mutex;
use std::time::Instant;

/// The experiments of this file.
pub const FIGURES: &[Figure] = &[
    Figure::experiment(
        "gensearch-22",
        "Error of count queries: Adult under combined requirements",
        "Count queries are estimated better from the searched release than from Mondrian's.",
        "the search minimises DM, which is not what queries ask for: groups as small as can be need not be groups that are narrow in the columns of the queries",
        queries,
    ),
    Figure::experiment(
        "gensearch-23",
        "Which partition is looked at next",
        "Taking the partition with the least lower bound next finds better results than going by cost, or by the ratio of both.",
        "a search of seconds over this many splits stays near the root where it goes by lower bounds, and goes down where it goes by cost: an hour gives the bounds time to tell",
        priorities,
    ),
    Figure::experiment(
        "gensearch-24",
        "The best result after a fifth of the time",
        "What is found after a fifth of the time is close to what is found after all of it.",
        "a fifth of a few seconds is less than what the first improvements take, which an hour holds many times",
        early,
    ),
];

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

const OTHERS: [&str; 8] = ["sex", "age", "race", "marital", "education", "country", "workclass", "income"];

fn queries(context: &Context) -> Result<Outcome, String> {
    let adult = context.adult();
    let mut wants = quasi(&OTHERS, As::Ordered);
    wants.push(Want::other("occupation", Role::Sensitive));
    let table = adult.table(&wants)?;
    let all = [
        ("k", "", context.pick("20", "500", "500")),
        ("l-diversity", "occupation", "entropy:2"),
        ("t-closeness", "occupation", context.pick("0.6:equal", "0.2:equal", "0.2:equal")),
        ("epsilon-privacy", "occupation", context.pick("10:100", "10:10000", "10:10000")),
    ];
    let bound = bind(&table, &all)?;
    let greedy = Release::new(&table, mondrian(&table, &bound)?, Extents::Compact);
    let searched = |loss: &str| {
        let found = search(&table, &bound, &optimal(), Goal::least(loss, context.limit()))?;
        Ok::<_, String>(Release::new(&table, found, Extents::Compact))
    };
    let (found, narrow) = (searched("dm")?, searched("ncp")?);
    let names = ["Mondrian", "search", "search for the least certainty penalty"];
    let mut sweep = Sweep::new("Six count queries", "query", "relative error", &names).bars();
    let asked = Workload { queries: QUERIES.iter().map(|query| query.of(&table)).collect() };
    let asked = Queries::new(&table, asked)?;
    let errors: [Errors; 3] = [&greedy, &found, &narrow].map(|release| asked.errors(release));
    for number in 0..QUERIES.len() {
        let relative = |errors: &Errors| errors.relative(number).unwrap_or(f64::NAN);
        sweep.push(number + 1, errors.iter().map(relative).collect())?;
    }
    let checks = better_answers(sweep.of("Mondrian"), sweep.of("search"));
    let differs = format!(
        "occupation is the sensitive column; {} s of klimt's search for the least DM instead of ten minutes of GenSearch; a search for the least certainty penalty errs by {} on average",
        context.limit(),
        short(mean(sweep.of(names[2])))
    );
    Ok(Outcome { panels: vec![sweep.into()], checks, data: adult.described(), differs, untested: None })
}

fn better_answers(greedy: &[f64], found: &[f64]) -> Vec<Check> {
    let better = greedy.iter().zip(found).filter(|(greedy, found)| found <= greedy).count();
    vec![
        Check::new(
            2 * better > greedy.len(),
            format!("the search answers {better} of {} queries at least as well", greedy.len()),
        ),
        Check::less("mean error, search beside Mondrian", mean(found), mean(greedy)),
    ]
}

fn table(context: &Context) -> Result<(Table, usize), String> {
    let wants = quasi(&EIGHT, As::Ordered);
    split(&context.adult().table(&wants)?, 28)
}

fn priorities(context: &Context) -> Result<Outcome, String> {
    let (table, splits) = table(context)?;
    let ks: Vec<u64> = context.pick(vec![50], vec![100, 1000], vec![50, 200, 1000]);
    let names = ["lower bound", "cost", "ratio"];
    let sweep =
        Sweep::new("What is found by the key of the queue", "k", "DM over its lower bound n·k", &names).log();
    let sweep = sweep.run(&ks, |&k| {
        let text = k.to_string();
        let bound = bind(&table, &[("k", "", &text)])?;
        let of = |priority: Priority| {
            let way = GenSearch { priority, ..GenSearch::default() };
            let found = search(&table, &bound, &way, Goal::least("dm", context.limit()))?;
            Ok(loss_of(&table, found, k, "dm")? / (table.rows() as f64 * k as f64))
        };
        [Priority::Bound, Priority::Cost, Priority::Ratio].into_iter().map(of).collect()
    })?;
    let bound = sweep.of("lower bound");
    let checks = vec![
        Check::at_most(
            "going by lower bounds finds what costs at most as much as going by cost",
            bound,
            sweep.of("cost"),
            1.0,
        ),
        Check::at_most("and at most as much as going by the ratio", bound, sweep.of("ratio"), 1.0),
    ];
    let differs = format!("{splits} splits; GenSearch without a start, {} s each", context.limit());
    Ok(Outcome {
        panels: vec![sweep.into()],
        checks,
        data: context.adult().described(),
        differs,
        untested: None,
    })
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

fn early(context: &Context) -> Result<Outcome, String> {
    let (table, splits) = table(context)?;
    let seconds = 2.0 * context.limit();
    let ks: Vec<u64> = context.pick(vec![50], vec![100, 1000], vec![50, 200, 1000]);
    let names = ["GenSearch, a fifth", "GenSearch, all", "optimal, a fifth", "optimal, all"];
    let sweep = Sweep::new(
        "After a fifth of the time, and after all of it",
        "k",
        "DM over its lower bound n·k",
        &names,
    )
    .bars();
    let sweep = sweep.run(&ks, |&k| {
        let text = k.to_string();
        let bound = bind(&table, &[("k", "", &text)])?;
        let mut line = Vec::new();
        let ways: [&dyn Partitioner; 2] = [&gensearch(), &optimal()];
        for way in ways {
            let trace = Trace { started: Instant::now(), found: Mutex::new(Vec::new()) };
            search(&table, &bound, way, Goal { observer: &trace, ..Goal::least("dm", seconds) })?;
            let found = trace.found.into_inner().unwrap_or_default();
            let unit = table.rows() as f64 * k as f64;
            line.extend([best_after(&found, seconds / 5.0) / unit, best_after(&found, f64::INFINITY) / unit]);
        }
        Ok(line)
    })?;
    let checks = ["GenSearch", "optimal"].map(|name| {
        let (part, all) = (sweep.of(&format!("{name}, a fifth")), sweep.of(&format!("{name}, all")));
        Check::at_most(
            &format!("what {name} finds in a fifth of the time costs at most 5 % more"),
            part,
            all,
            1.05,
        )
    });
    let differs = format!("{splits} splits; {seconds} s instead of five hours");
    Ok(Outcome {
        panels: vec![sweep.into()],
        checks: checks.to_vec(),
        data: context.adult().described(),
        differs,
        untested: None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_judged_both_ways() {
        let holds = |greedy: &[f64], found: &[f64]| {
            better_answers(greedy, found).iter().map(|check| check.holds).collect::<Vec<_>>()
        };
        assert_eq!(holds(&[0.3, 0.2, 0.1], &[0.1, 0.2, 0.2]), [true, true]);
        assert_eq!(holds(&[0.1, 0.2, 0.2], &[0.3, 0.3, 0.1]), [false, false]);
    }

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
        let context = Context::tiny();
        let wants = quasi(&["age", "marital", "race"], As::Ordered);
        let table = context.adult().table(&wants).unwrap();
        let asked = QUERIES[3].of(&table);
        assert_eq!(asked.predicates.len(), 3);
        let years = Test::Range { from: Some(End::included("47")), to: Some(End::included("67")) };
        assert_eq!(asked.predicates[0].test, years);
        assert!(matches!(&asked.predicates[1].test, Test::In(values) if values.len() == 3));
        assert_eq!(QUERIES[0].of(&table).predicates.len(), 2);
    }
}
