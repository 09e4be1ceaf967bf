//! Systematic search beside greedy cuts (Figs. 14 to 21 of *Constrained Generalization for Data Anonymization*).
//!
//! All are given the same split set, but where the figure says otherwise: the table only knows the parts between the
//! splits. GenSearch is the algorithm as it was published: no start but the undivided space, no look-ahead, no probe
//! but where the queue is full. *Greedy* is what section 1 of the paper compares with, the cut with the steepest decrease
//! in cost; Mondrian, which cuts at the median, stands beside it, and so does klimt's own search `optimal`, and
//! neither decides. Where GenSearch was not over in its time, what it would find lies between what it proved and what
//! it found.

use super::Context;
use super::claim::{At, Claim, Is, NEAR, Of};
use super::outcome::{Outcome, Run, Size};
use super::registry::Figure;
use super::sweep::Sweep;
use crate::Result;
use crate::adult::EIGHT;
use crate::engine::partitions::loss_of;
use crate::engine::splits::split;
use crate::engine::{Goal, Steepest, bind, mondrian, search, searched, steepest};
use crate::number::Measured;
use crate::requirements::RequirementSpec;
use crate::tables::{As, Want, quasi};
use klimt::generate::Parameters;
use klimt::table::{Role, Table};
use klimt_core::algorithm::gensearch::{GenSearch, Splits};
use klimt_core::algorithm::mondrian::Mondrian;
use klimt_core::algorithm::optimal::Optimal;
use klimt_core::job::Partitioner;
use std::rc::Rc;

/// The experiments of this file.
pub const FIGURES: &[Figure] = &[
    Figure::experiment(
        "gensearch-14",
        "DM by k: Adult",
        &[
            LARGE_K,
            Claim::new(
                "It does marginally better at lower values of k.",
                Of::Ratio((0, GEN), (0, GREEDY)),
                At::UpTo(100.0),
                Is::Below(1.0),
            ),
            Claim::new(
                "We have got as close as 1.35 times the lower bound (for K=1000).",
                Of::Value((0, GEN)),
                At::Last,
                Is::AtMost(1.35),
            ),
            LARGE_K_MEDIAN,
        ],
        |context| by_k(context, "dm"),
    ),
    Figure::experiment(
        "gensearch-15",
        "CM by k: Adult",
        &[
            LARGE_K,
            Claim::new(
                "The greedy algorithm comes close to the enumeration algorithm for lower values of k.",
                Of::Ratio((0, GREEDY), (0, GEN)),
                At::UpTo(100.0),
                Is::AtMost(NEAR),
            )
            .reading("close"),
            LARGE_K_MEDIAN,
        ],
        |context| by_k(context, "cm"),
    ),
    Figure::experiment("gensearch-16", "DM under combined requirements: a census", COMBINED, |context| {
        combined(context, &CENSUS, "dm")
    }),
    Figure::experiment("gensearch-17", "DM under combined requirements: Adult", COMBINED, |context| {
        combined(context, &ADULT, "dm")
    }),
    Figure::experiment(
        "gensearch-18",
        "DM: search with few splits beside greedy cuts with all",
        &[
            Claim::new(
                "GenSearch works an average of two times better than Mondrian.",
                Of::Ratio((0, GREEDY), (0, GEN)),
                At::Mean,
                Is::AtLeast(2.0),
            ),
            Claim::new(
                "In one case Mondrian works better,",
                Of::Ratio((0, GEN), (0, GREEDY)),
                At::AllBut(1),
                Is::Below(1.0),
            ),
            Claim::new(
                "but the gap is negligible.",
                Of::Ratio((0, GEN), (0, GREEDY)),
                At::Every,
                Is::AtMost(NEAR),
            )
            .reading("negligible"),
            beside(Claim::new(
                "Two times better on average, beside cuts at the median.",
                Of::Ratio((0, MEDIAN), (0, GEN)),
                At::Mean,
                Is::AtLeast(2.0),
            )),
        ],
        fewer_splits,
    ),
    Figure::experiment("gensearch-19", "VM under combined requirements: a census", VOLUME, |context| {
        combined(context, &CENSUS, "vm")
    }),
    Figure::experiment("gensearch-20", "VM under combined requirements: Adult", VOLUME, |context| {
        combined(context, &ADULT_66, "vm")
    }),
    Figure::experiment(
        "gensearch-21",
        "How much a search from a greedy result saves: a census",
        &[
            Claim::new(
                "GenSearch can improve the solution of Mondrian by up to almost 70%.",
                Of::Value((0, GREEDY)),
                At::Best,
                Is::AtLeast(0.69),
            )
            .reading("almost 70%"),
            beside(Claim::new(
                "The same, from cuts at the median.",
                Of::Value((0, MEDIAN)),
                At::Best,
                Is::AtLeast(0.69),
            )),
        ],
        improving,
    ),
];

const fn beside(claim: Claim) -> Claim {
    claim.beside()
}

const LARGE_K: Claim = Claim::new(
    "The enumeration outperforms the greedy approach at higher values of k (greater than 100).",
    Of::Ratio((0, GEN), (0, GREEDY)),
    At::Above(100.0),
    Is::Below(1.0),
);
const LARGE_K_MEDIAN: Claim = beside(Claim::new(
    "The same, beside cuts at the median.",
    Of::Ratio((0, GEN), (0, MEDIAN)),
    At::Above(100.0),
    Is::Below(1.0),
));

const COMBINED: &[Claim] = &[
    Claim::new(
        "Our algorithm works up to 3 times better than Mondrian with different combinations of constraints.",
        Of::Ratio((0, GREEDY), (0, GEN)),
        At::Best,
        Is::AtLeast(3.0),
    ),
    Claim::new(
        "Even when constraints are very stringent GenSearch works almost 50% better.",
        Of::Ratio((0, GREEDY), (0, GEN)),
        At::Last,
        Is::AtLeast(1.5),
    ),
    beside(Claim::new(
        "Up to 3 times better, beside cuts at the median.",
        Of::Ratio((0, MEDIAN), (0, GEN)),
        At::Best,
        Is::AtLeast(3.0),
    )),
    beside(Claim::new(
        "Almost 50% better when stringent, beside cuts at the median.",
        Of::Ratio((0, MEDIAN), (0, GEN)),
        At::Last,
        Is::AtLeast(1.5),
    )),
];

const VOLUME: &[Claim] = &[
    Claim::new(
        "GenSearch works better than Mondrian for different combinations of privacy constraints.",
        Of::Ratio((0, GEN), (0, GREEDY)),
        At::Every,
        Is::Below(1.0),
    ),
    beside(Claim::new(
        "The same, beside cuts at the median.",
        Of::Ratio((0, GEN), (0, MEDIAN)),
        At::Every,
        Is::Below(1.0),
    )),
];

/// Greedy cuts by the steepest decrease in cost, and by the median.
pub const GREEDY: &str = "greedy, steepest decrease";
/// Cuts at the median.
pub const MEDIAN: &str = "Mondrian, median";
/// The algorithm of the paper.
pub const GEN: &str = "GenSearch";
const OWN: &str = "klimt's optimal (beside)";
const NAMES: [&str; 4] = [GREEDY, MEDIAN, GEN, OWN];

/// How many partitions may wait; the paper does not say.
const MAXSIZE: usize = 200;

/// A table with a split set, a sensitive column and requirements to combine.
struct Setting {
    adult: bool,
    quasi: &'static [&'static str],
    sensitive: &'static str,
    /// The splits of the paper, of all dimensions together.
    splits: usize,
    /// Requirements as figures show them, the most stringent last: k, entropy l-diversity, t-closeness with equal distances
    /// and ε-privacy, each by its letter.
    cases: &'static [&'static str],
}

const CENSUS: Setting = Setting {
    adult: false,
    quasi: &["age", "workclass", "marital", "sex"],
    sensitive: "income",
    splits: 30,
    cases: &[
        "k 100",
        "k 100, t 0.1",
        "k 500, l 1.1",
        "k 500, l 1.1, t 0.1",
        "k 500, l 1.1, e 10:10000",
        "k 1000, l 1.15, t 0.05",
    ],
};

/// One of the nine attributes is sensitive; the class is among the eight others.
pub const OTHERS: [&str; 8] =
    ["sex", "age", "race", "marital", "education", "country", "workclass", "income"];

const ADULT: Setting = Setting {
    adult: true,
    quasi: &OTHERS,
    sensitive: "occupation",
    splits: 102,
    cases: &["k 50, l 5", "k 50, l 7", "k 50, t 0.3", "k 100, l 5, t 0.25", "k 500, l 2, t 0.2, e 10:10000"],
};

const ADULT_66: Setting = Setting { splits: 66, ..ADULT };

/// How many rows a census has, 199,523 in the paper.
fn census_rows(context: &Context) -> u64 {
    context.pick(3_000, 50_000, 199_523)
}

/// The option, the column and the parameters of a requirement as figures show it.
fn requirement(text: &str, sensitive: &'static str) -> (&'static str, &'static str, String) {
    match text.split_at(2) {
        ("l ", least) => ("l-diversity", sensitive, format!("entropy:{least}")),
        ("t ", most) => ("t-closeness", sensitive, format!("{most}:equal")),
        ("e ", parameters) => ("epsilon-privacy", sensitive, parameters.to_string()),
        (_, k) => ("k", "", k.to_string()),
    }
}

impl Setting {
    /// Does something for the requirements of every case.
    fn each(&self, mut experiment: impl FnMut(&str, &[RequirementSpec<'_>]) -> Result<()>) -> Result<()> {
        self.cases.iter().try_for_each(|case| {
            let each: Vec<_> = case.split(", ").map(|text| requirement(text, self.sensitive)).collect();
            let each: Vec<_> =
                each.iter().map(|(option, column, text)| (*option, *column, &**text)).collect();
            experiment(case, &each)
        })
    }

    /// The table with all splits, and what it is.
    fn table(&self, context: &Context) -> Result<(Table, String, u64)> {
        let mut wants = quasi(self.quasi, As::Ordered);
        wants.push(Want::other(self.sensitive, Role::Sensitive));
        if self.adult {
            let adult = context.adult();
            return Ok((adult.dataset(&wants)?.table()?, adult.described(), 30_162));
        }
        let told = "the generator census stands in for Census-Income".to_string();
        let census =
            context.tables().generated("census", &Parameters::new(census_rows(context), 1), &wants)?;
        Ok((census.table()?, told, 199_523))
    }
}

/// The algorithm of the paper, over every split that a table knows.
pub fn published() -> GenSearch {
    GenSearch { max_size: Some(MAXSIZE), ..GenSearch::as_published(Splits::Every) }
}

/// The sizes of a search.
pub fn sizes(context: &Context, rows: (usize, u64), splits: (usize, usize), hours: &str) -> Vec<Size> {
    vec![
        Size::new("rows", rows.0, rows.1),
        Size::new("splits", splits.0, splits.1),
        Size::unsaid("MAXSIZE", MAXSIZE),
        Size::new("time limit", format!("{} s", context.limit()), hours),
    ]
}

/// What GenSearch would find when it had all the time that it wants.
fn gensearch(
    table: &Table,
    asked: &[RequirementSpec<'_>],
    loss: &str,
    way: &GenSearch,
    seconds: f64,
) -> Result<Measured> {
    let found = searched(table, &bind(table, asked)?, way, Goal::least(loss, seconds))?;
    let cost = loss_of(table, found.groups.clone(), 1, loss)?;
    Ok(found.result(cost))
}

/// What all four lose, in the order of their names.
fn four(
    table: &Table,
    asked: &[RequirementSpec<'_>],
    loss: &'static str,
    seconds: f64,
) -> Result<Vec<Measured>> {
    let bound = bind(table, asked)?;
    let cost = |groups| loss_of(table, groups, 1, loss).map(Measured::from);
    let optimal = Optimal { start: Box::new(Mondrian::default()) };
    Ok(vec![
        cost(steepest(table, &bound, loss)?)?,
        cost(mondrian(table, &bound)?)?,
        gensearch(table, asked, loss, &published(), seconds)?,
        cost(search(table, &bound, &optimal, Goal::least(loss, 0.5 * seconds))?)?,
    ])
}

/// What is told of the searches of a sweep.
fn told(sweep: &Sweep) -> String {
    let open = sweep.of(GEN).iter().filter(|number| !number.is_exact()).count();
    format!("GenSearch was not over in {open} of {} cases, which then tell only bounds", sweep.labels.len())
}

fn by_k(context: &Context, loss: &'static str) -> Result<Outcome> {
    let adult = context.adult();
    let mut wants = quasi(&EIGHT, As::Ordered);
    wants.push(Want::other("income", Role::Target));
    let (table, splits) = split(&adult.dataset(&wants)?.table()?, 101)?;
    let ks: Vec<u64> = context.pick(vec![5, 50], vec![10, 100, 1000], vec![2, 10, 50, 100, 200, 500, 1000]);
    let title = format!("{} by k", loss.to_uppercase());
    let measure = if loss == "dm" { "DM over its lower bound n·k" } else { "rows of another class" };
    let sweep = Sweep::new(&title, "k", measure, &NAMES).run(&ks, |&k| {
        let unit = if loss == "dm" { table.rows() as f64 * k as f64 } else { 1.0 };
        let text = k.to_string();
        let found = four(&table, &[("k", "", &text)], loss, context.limit())?;
        Ok(found.into_iter().map(|cost| cost.scaled(1.0 / unit)).collect::<Vec<_>>())
    })?;
    let sizes = sizes(context, (table.rows(), 30_162), (splits, 101), "5 hours");
    let run = Run::new(adult.described(), sizes, told(&sweep));
    Ok(Outcome::new([sweep], run))
}

/// What all lose under the requirements of a setting; made once.
fn cases(context: &Context, setting: &'static Setting, loss: &'static str) -> Result<Rc<(Sweep, Run)>> {
    let name = format!("{} of {} splits, {}", loss, setting.splits, setting.sensitive);
    context.memo(&name, || {
        let (table, data, rows) = setting.table(context)?;
        let (table, splits) = split(&table, setting.splits)?;
        let measure = if loss == "dm" { "discernibility" } else { "volume, in cells of the split set" };
        let title = format!("{} under combined requirements", loss.to_uppercase());
        let mut sweep = Sweep::new(&title, "requirements", measure, &NAMES).log().bars();
        // A small table may not satisfy what a large one does.
        setting.each(|name, asked| match bind(&table, asked) {
            Ok(_) => sweep.push(name, four(&table, asked, loss, context.limit())?),
            Err(_) => Ok(()),
        })?;
        let hours = if loss == "dm" { "5 hours" } else { "1 hour" };
        let sizes = sizes(context, (table.rows(), rows), (splits, setting.splits), hours);
        let run = Run::new(data, sizes, told(&sweep));
        Ok((sweep, run))
    })
}

fn combined(context: &Context, setting: &'static Setting, loss: &'static str) -> Result<Outcome> {
    let found = cases(context, setting, loss)?;
    Ok(Outcome::new([found.0.clone()], found.1.clone()))
}

/// The splits of the paper's search and of its greedy cuts.
const FEW: usize = 21;
const ALL: usize = 111;

fn fewer_splits(context: &Context) -> Result<Outcome> {
    let (whole, data, rows) = CENSUS.table(context)?;
    let ((few, splits), (many, all)) = (split(&whole, FEW)?, split(&whole, ALL)?);
    let names = [GREEDY, MEDIAN, GEN];
    let mut sweep =
        Sweep::new("DM under combined requirements", "requirements", "discernibility", &names).log().bars();
    CENSUS.each(|name, asked| {
        let Ok(bound) = bind(&many, asked) else { return Ok(()) };
        let cost = |groups| loss_of(&many, groups, 1, "dm").map(Measured::from);
        let greedy = [cost(steepest(&many, &bound, "dm")?)?, cost(mondrian(&many, &bound)?)?];
        let found = gensearch(&few, asked, "dm", &published(), context.limit())?;
        sweep.push(name, vec![greedy[0], greedy[1], found])
    })?;
    let mut sizes = sizes(context, (whole.rows(), rows), (splits, FEW), "5 hours");
    sizes.push(Size::new("splits of greedy cuts", all, ALL));
    let run = Run::new(data, sizes, told(&sweep));
    Ok(Outcome::new([sweep], run))
}

/// Makes the algorithm that a search starts from.
type Start = fn() -> Box<dyn Partitioner>;

fn improving(context: &Context) -> Result<Outcome> {
    let (table, data, rows) = CENSUS.table(context)?;
    let (table, splits) = split(&table, CENSUS.splits)?;
    let mut sweep =
        Sweep::new("What a search saves", "requirements", "share of the first cost", &[GREEDY, MEDIAN])
            .bars();
    let starts: [Start; 2] = [|| Box::new(Steepest("dm")), || Box::new(Mondrian::default())];
    CENSUS.each(|name, asked| {
        let Ok(bound) = bind(&table, asked) else { return Ok(()) };
        let saved = |start: &Start| {
            let first = search(&table, &bound, &*start(), Goal::least("dm", context.limit()))?;
            let first = loss_of(&table, first, 1, "dm")?;
            let way = GenSearch { seed: Some(start()), ..published() };
            let found = gensearch(&table, asked, "dm", &way, context.limit())?;
            Ok(Measured::between(1.0 - found.high / first, 1.0 - found.low / first))
        };
        sweep.push(name, starts.iter().map(saved).collect::<Result<Vec<_>>>()?)
    })?;
    let sizes = sizes(context, (table.rows(), rows), (splits, CENSUS.splits), "5 hours");
    let run = Run::new(data, sizes, "where GenSearch was not over, what it saves is known only to be more");
    Ok(Outcome::new([sweep], run))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requirements_are_read_from_what_figures_show() {
        let mut found = Vec::new();
        let told = |asked: &[RequirementSpec<'_>]| {
            let each = asked.iter().map(|(option, column, text)| format!("{option} {column} {text}"));
            each.collect::<Vec<_>>().join("; ")
        };
        let each = ADULT.each(|_, asked| {
            found.push(told(asked));
            Ok(())
        });
        each.unwrap();
        assert_eq!(found.len(), 5);
        let last = "k  500; l-diversity occupation entropy:2; t-closeness occupation 0.2:equal; epsilon-privacy occupation 10:10000";
        assert_eq!(found[4], last);
    }

    #[test]
    fn the_search_of_the_paper_has_nothing_of_klimts() {
        let way = published();
        assert!(way.seed.is_none() && way.lookahead == 0 && !way.probes);
    }
}
