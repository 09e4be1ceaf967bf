//! Systematic search beside Mondrian (Figs. 14 to 21 of *Constrained Generalization for Data Anonymization*).
//!
//! Both are given the same split set, but where the figure says otherwise: the table only knows the parts between the
//! splits. `GenSearch` is the search of the paper, from Mondrian's result on; `optimal` is klimt's search for the same
//! optimum, over a graph of boxes instead of a tree of partitions. A claim is about the better of the two.

use super::Context;
use super::adult::EIGHT;
use super::data::{As, Want, coarsened, generated, quasi};
use super::engine::{Asked, Goal, bind, loss_of, mondrian, optimal, search};
use super::registry::Figure;
use super::sweep::Sweep;
use super::verdict::{Check, Outcome, mean_ratio};
use klimt::algorithm::gensearch::{GenSearch, Splits};
use klimt::algorithm::mondrian::Mondrian;
use klimt::table::{Role, Table};
use klimt_io::generate::Parameters;

/// The experiments of this file.
pub const FIGURES: &[Figure] = &[
    Figure::experiment(
        "gensearch-14",
        "DM by k: Adult, 101 splits",
        "The search does at least as well as greedy cuts for every k, clearly better for k above 100, and comes within 1.35 of the lower bound at k = 1000.",
        SHORT,
        |context| by_k(context, "dm"),
    ),
    Figure::experiment(
        "gensearch-15",
        "CM by k: Adult, 101 splits",
        "With the classification metric too, the search does at least as well as greedy cuts for every k, and clearly better for large k.",
        SHORT,
        |context| by_k(context, "cm"),
    ),
    Figure::experiment(
        "gensearch-16",
        "DM under combined requirements: a census, 30 splits",
        "Under combined requirements the search costs down to a third of greedy cuts, and about half even under the most stringent.",
        SHORT,
        |context| combined(context, &CENSUS, "dm", 1.5),
    ),
    Figure::experiment(
        "gensearch-17",
        "DM under combined requirements: Adult, 102 splits",
        "Under combined requirements the search clearly beats greedy cuts on Adult, too.",
        SHORT,
        |context| combined(context, &ADULT, "dm", 1.2),
    ),
    Figure::experiment(
        "gensearch-18",
        "DM: search with 21 splits beside greedy cuts with all",
        "Even with far fewer splits the search does better than greedy cuts: twice on average, and where it does not, hardly worse.",
        "greedy cuts with all splits can make many more groups than 21 splits allow, where requirements are mild",
        fewer_splits,
    ),
    Figure::experiment(
        "gensearch-19",
        "VM under combined requirements: a census, 30 splits",
        "By volume the search beats greedy cuts under every combination of requirements.",
        SHORT,
        |context| combined(context, &CENSUS, "vm", 1.0),
    ),
    Figure::experiment(
        "gensearch-20",
        "VM under combined requirements: Adult, 66 splits",
        "By volume the search beats greedy cuts on Adult, too.",
        SHORT,
        |context| combined(context, &ADULT_66, "vm", 1.0),
    ),
    Figure::experiment(
        "gensearch-21",
        "How much a search from Mondrian's result saves: a census",
        "A search that starts from Mondrian's result saves up to almost 70 % of its cost.",
        SHORT,
        improving,
    ),
];

const SHORT: &str = "the searches of the paper took an hour to five; here they take seconds";

const GREEDY: &str = "Mondrian";
const PAPER: &str = "GenSearch";
const OPTIMAL: &str = "optimal";
const NAMES: [&str; 3] = [GREEDY, PAPER, OPTIMAL];

/// Requirements with the name under which a figure shows them.
type Case = (&'static str, &'static [Asked<'static>]);

/// A table with a split set, a sensitive column and requirements to combine.
struct Setting {
    adult: bool,
    quasi: &'static [&'static str],
    sensitive: &'static str,
    /// The most splits of a dimension.
    splits: usize,
    cases: &'static [Case],
}

const CENSUS: Setting = Setting {
    adult: false,
    quasi: &["age", "workclass", "marital", "sex"],
    sensitive: "income",
    splits: 15,
    cases: &[
        ("k 100", &[("k", "", "100")]),
        ("k 100, t 0.1", &[("k", "", "100"), ("t-closeness", "income", "0.1:equal")]),
        ("k 500, l 1.1", &[("k", "", "500"), ("l-diversity", "income", "entropy:1.1")]),
        (
            "k 500, l 1.1, t 0.1",
            &[
                ("k", "", "500"),
                ("l-diversity", "income", "entropy:1.1"),
                ("t-closeness", "income", "0.1:equal"),
            ],
        ),
        (
            "k 500, l 1.1, e 10:10000",
            &[
                ("k", "", "500"),
                ("l-diversity", "income", "entropy:1.1"),
                ("epsilon-privacy", "income", "10:10000"),
            ],
        ),
        (
            "k 1000, l 1.15, t 0.05",
            &[
                ("k", "", "1000"),
                ("l-diversity", "income", "entropy:1.15"),
                ("t-closeness", "income", "0.05:equal"),
            ],
        ),
    ],
};

/// One of the nine attributes is sensitive; the class is among the eight others.
const OTHERS: [&str; 8] = ["sex", "age", "race", "marital", "education", "country", "workclass", "income"];

const ADULT: Setting = Setting {
    adult: true,
    quasi: &OTHERS,
    sensitive: "occupation",
    splits: 34,
    cases: &[
        ("k 50, l 5", &[("k", "", "50"), ("l-diversity", "occupation", "entropy:5")]),
        ("k 50, l 7", &[("k", "", "50"), ("l-diversity", "occupation", "entropy:7")]),
        ("k 50, t 0.3", &[("k", "", "50"), ("t-closeness", "occupation", "0.3:equal")]),
        (
            "k 100, l 5, t 0.25",
            &[
                ("k", "", "100"),
                ("l-diversity", "occupation", "entropy:5"),
                ("t-closeness", "occupation", "0.25:equal"),
            ],
        ),
        (
            "k 500, l 2, t 0.2, e 10:10000",
            &[
                ("k", "", "500"),
                ("l-diversity", "occupation", "entropy:2"),
                ("t-closeness", "occupation", "0.2:equal"),
                ("epsilon-privacy", "occupation", "10:10000"),
            ],
        ),
    ],
};

const ADULT_66: Setting = Setting { splits: 16, ..ADULT };

/// How many rows a census has, 199,523 in the paper.
fn census_rows(context: &Context) -> u64 {
    context.pick(3_000, 50_000, 199_523)
}

impl Setting {
    fn table(&self, context: &Context) -> Result<(Table, String), String> {
        let mut wants = quasi(self.quasi, As::Ordered);
        wants.push(Want::other(self.sensitive, Role::Sensitive));
        if self.adult {
            let adult = context.adult();
            return Ok((adult.table(&wants)?, adult.described()));
        }
        let rows = census_rows(context);
        let told = format!("the generator census stands in for Census-Income: {rows} rows");
        Ok((generated("census", &Parameters::new(rows, 1), &wants)?, told))
    }
}

/// A table that knows at most so many splits of each dimension, and how many these are together.
pub fn split(table: &Table, most: usize) -> Result<(Table, usize), String> {
    let cuts = Splits::at_most(most).codes(table).map_err(|e| e.to_string())?;
    Ok((coarsened(table, &cuts)?, cuts.iter().map(Vec::len).sum()))
}

/// The search of the paper, from Mondrian's result on.
pub fn gensearch() -> GenSearch {
    GenSearch { seed: Some(Box::new(Mondrian::default())), ..GenSearch::default() }
}

/// What Mondrian, GenSearch and klimt's search lose.
fn three(table: &Table, asked: &[Asked<'_>], loss: &str, seconds: f64) -> Result<Vec<f64>, String> {
    let bound = bind(table, asked)?;
    let goal = Goal::least(loss, seconds);
    let found = [
        mondrian(table, &bound)?,
        search(table, &bound, &gensearch(), goal)?,
        search(table, &bound, &optimal(), goal)?,
    ];
    found.into_iter().map(|groups| loss_of(table, groups, 1, loss)).collect()
}

/// The better of the two searches, at each value.
fn best(sweep: &Sweep) -> Vec<f64> {
    sweep.of(PAPER).iter().zip(sweep.of(OPTIMAL)).map(|(paper, own)| paper.min(*own)).collect()
}

/// How many times as much Mondrian costs, at each value.
fn gains(sweep: &Sweep) -> Vec<f64> {
    sweep.of(GREEDY).iter().zip(best(sweep)).map(|(greedy, best)| greedy / best).collect()
}

fn outcome(context: &Context, sweep: Sweep, checks: Vec<Check>, data: String, splits: usize) -> Outcome {
    let alone = mean_ratio(sweep.of(GREEDY), sweep.of(PAPER));
    let told = format!(
        "{splits} splits; searches of {} s instead of one to five hours; Mondrian costs {alone:.2} times GenSearch alone, on average",
        context.limit()
    );
    Outcome { panels: vec![sweep.into()], checks, data, differs: told, untested: None }
}

fn by_k(context: &Context, loss: &str) -> Result<Outcome, String> {
    let adult = context.adult();
    let mut wants = quasi(&EIGHT, As::Ordered);
    wants.push(Want::other("income", Role::Target));
    let (table, splits) = split(&adult.table(&wants)?, 28)?;
    let ks: Vec<u64> = context.pick(vec![5, 50], vec![10, 100, 1000], vec![2, 10, 50, 100, 200, 500, 1000]);
    let title = format!("{} by k", loss.to_uppercase());
    let measure = if loss == "dm" { "DM over its lower bound n·k" } else { "rows of another class" };
    let sweep = Sweep::new(&title, "k", measure, &NAMES).run(&ks, |&k| {
        let unit = if loss == "dm" { table.rows() as f64 * k as f64 } else { 1.0 };
        let text = k.to_string();
        let found = three(&table, &[("k", "", &text)], loss, context.limit())?;
        Ok(found.into_iter().map(|cost| cost / unit).collect())
    })?;
    let checks = large_k(&sweep, &ks, loss == "dm");
    Ok(outcome(context, sweep, checks, adult.described(), splits))
}

/// The search never loses more, clearly less where k is above 100, and comes close to the bound.
fn large_k(sweep: &Sweep, ks: &[u64], bounded: bool) -> Vec<Check> {
    let best = best(sweep);
    let mut checks =
        vec![Check::at_most("the search costs at most as much as Mondrian", &best, sweep.of(GREEDY), 1.0)];
    let large: Vec<f64> =
        ks.iter().zip(gains(sweep)).filter(|(k, _)| **k > 100).map(|(_, gain)| gain).collect();
    let least = large.iter().copied().fold(f64::INFINITY, f64::min);
    checks.push(Check::new(
        !large.is_empty() && least >= 1.05,
        format!("where k is above 100, Mondrian costs at least {least:.2} times as much"),
    ));
    if bounded {
        checks.push(Check::below(
            "the search over the lower bound, at the largest k",
            best.last().copied().unwrap_or(f64::NAN),
            1.35,
        ));
    }
    checks
}

fn cases(context: &Context, setting: &Setting, table: &Table, loss: &str) -> Result<Sweep, String> {
    let measure = if loss == "dm" { "discernibility" } else { "volume, in unit cells" };
    let mut sweep = Sweep::new(
        &format!("{} under combined requirements", loss.to_uppercase()),
        "requirements",
        measure,
        &NAMES,
    )
    .log()
    .bars();
    for (name, asked) in setting.cases {
        // A small table may not satisfy what a large one does.
        if let Ok(found) = bind(table, asked).and_then(|_| three(table, asked, loss, context.limit())) {
            sweep.push(name, found)?;
        }
    }
    Ok(sweep)
}

fn combined(context: &Context, setting: &Setting, loss: &str, clearly: f64) -> Result<Outcome, String> {
    let (table, told) = setting.table(context)?;
    let (table, splits) = split(&table, setting.splits)?;
    let sweep = cases(context, setting, &table, loss)?;
    let checks = beaten(&sweep, clearly);
    Ok(outcome(context, sweep, checks, told, splits))
}

/// The search never costs more than greedy cuts, and those cost at least so many times as much under some requirements.
fn beaten(sweep: &Sweep, clearly: f64) -> Vec<Check> {
    let most = gains(sweep).into_iter().fold(f64::NEG_INFINITY, f64::max);
    let mut checks = vec![Check::at_most(
        "the search costs at most as much as Mondrian",
        &best(sweep),
        sweep.of(GREEDY),
        1.0,
    )];
    let what = "Mondrian over the search, at most";
    checks.push(if clearly > 1.0 {
        Check::above(what, most, clearly)
    } else {
        Check::new(most > 1.0, format!("{what}: {most:.2}"))
    });
    checks
}

fn fewer_splits(context: &Context) -> Result<Outcome, String> {
    let (table, told) = CENSUS.table(context)?;
    let (few, splits) = split(&table, 7)?;
    let all: usize = (0..table.dimensions()).map(|dimension| table.domain(dimension).cardinality() - 1).sum();
    let greedy = format!("Mondrian, {all} splits");
    let found = format!("search, {splits} splits");
    let mut sweep =
        Sweep::new("DM under combined requirements", "requirements", "discernibility", &[&greedy, &found])
            .log()
            .bars();
    for (name, asked) in CENSUS.cases {
        let Ok(bound) = bind(&table, asked) else { continue };
        let down = loss_of(&table, mondrian(&table, &bound)?, 1, "dm")?;
        let [_, paper, own] = three(&few, asked, "dm", context.limit())?[..] else { continue };
        sweep.push(name, vec![down, paper.min(own)])?;
    }
    let checks = fewer_checks(&sweep);
    let differs =
        format!("{splits} and {all} splits; searches of {} s instead of five hours", context.limit());
    Ok(Outcome { panels: vec![sweep.into()], checks, data: told, differs, untested: None })
}

fn fewer_checks(sweep: &Sweep) -> Vec<Check> {
    let (greedy, found) = (&sweep.series[0].1, &sweep.series[1].1);
    let worse = greedy.iter().zip(found).filter(|(greedy, found)| found > greedy).count();
    vec![
        Check::new(
            worse <= 1,
            format!("the search with fewer splits costs more in {worse} of {} cases", greedy.len()),
        ),
        Check::above("Mondrian over the search, on average", mean_ratio(greedy, found), 1.0),
    ]
}

fn improving(context: &Context) -> Result<Outcome, String> {
    let (table, told) = CENSUS.table(context)?;
    let (table, splits) = split(&table, CENSUS.splits)?;
    let costs = cases(context, &CENSUS, &table, "dm")?;
    let mut sweep =
        Sweep::new("What a search saves of Mondrian's cost", "requirements", "share", &["saved"]).bars();
    for (name, gain) in costs.labels.iter().zip(gains(&costs)) {
        sweep.push(name, vec![1.0 - 1.0 / gain])?;
    }
    let checks = saved(sweep.of("saved"));
    Ok(Outcome { panels: vec![sweep.into()], ..outcome(context, costs, checks, told, splits) })
}

fn saved(shares: &[f64]) -> Vec<Check> {
    let most = shares.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let none = shares.iter().filter(|share| share.is_nan() || **share < 0.0).count();
    vec![
        Check::new(
            none == 0 && !shares.is_empty(),
            format!("something is lost in {none} of {} cases", shares.len()),
        ),
        Check::above("the largest share that is saved", most, 0.3),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sweep(lines: &[[f64; 3]]) -> Sweep {
        let mut sweep = Sweep::new("", "k", "", &NAMES);
        lines.iter().for_each(|line| sweep.push("", line.to_vec()).unwrap());
        sweep
    }

    fn holds(checks: &[Check]) -> Vec<bool> {
        checks.iter().map(|check| check.holds).collect()
    }

    #[test]
    fn the_search_must_be_better_where_k_is_large() {
        let good = sweep(&[[1.5, 1.5, 1.45], [2.0, 1.9, 1.3]]);
        assert_eq!(holds(&large_k(&good, &[10, 500], true)), [true, true, true]);
        let bad = sweep(&[[1.5, 1.6, 1.6], [1.5, 1.5, 1.5]]);
        assert_eq!(holds(&large_k(&bad, &[10, 500], true)), [false, false, false]);
        assert_eq!(holds(&large_k(&good, &[10, 50], false)), [true, false], "no k is large");
    }

    #[test]
    fn requirements_are_judged_both_ways() {
        assert_eq!(holds(&beaten(&sweep(&[[3.0, 2.5, 1.5]]), 1.5)), [true, true]);
        assert_eq!(holds(&beaten(&sweep(&[[3.0, 3.1, 3.2]]), 1.5)), [false, false]);
        assert_eq!(holds(&beaten(&sweep(&[[3.0, 3.0, 3.0]]), 1.0)), [true, false]);
        assert_eq!(holds(&saved(&[0.5, 0.0])), [true, true]);
        assert_eq!(holds(&saved(&[-0.1, 0.1])), [false, false]);
        let two = |lines: &[[f64; 2]]| {
            let mut sweep = Sweep::new("", "", "", &["a", "b"]);
            lines.iter().for_each(|line| sweep.push("", line.to_vec()).unwrap());
            holds(&fewer_checks(&sweep))
        };
        assert_eq!(two(&[[2.0, 1.0], [1.0, 1.1]]), [true, true]);
        assert_eq!(two(&[[1.0, 2.0], [1.0, 1.1]]), [false, false]);
    }
}
