//! The data and the quality of the six generalization schemes (Figs. 9 and 12 of *Towards Optimal k-Anonymization*).

use super::Context;
use super::adult::{Adult, EIGHT, FOUR};
use super::data::{As, Want, quasi};
use super::engine::{Goal, bind, least, search};
use super::registry::Figure;
use super::sweep::Sweep;
use super::verdict::{Check, Outcome};
use crate::release::Release;
use crate::schemes::CHAINS;
use klimt::algorithm::scheme::{ColumnScheme, Direction, Pruning, Scheme, SchemeSearch};
use klimt::partition::Partitioning;
use klimt::region::Extents;
use klimt::table::{Role, Table};

/// The experiments of this file.
pub const FIGURES: &[Figure] = &[
    Figure::experiment(
        "schemes-9",
        "The attributes of Adult: values and levels",
        "Adult has 30,162 rows without missing values; age, country and education have most values (74, 41 and 16), gender the fewest (2).",
        "extracts of Adult differ in which rare values are left",
        attributes,
    ),
    Figure::experiment(
        "schemes-12",
        "DM and HDM of the six schemes by k",
        "A larger k costs more under every scheme, and a scheme that allows more costs at most as much.",
        "where a search ended before it was proven, its result may be too high",
        quality,
    ),
];

/// The schemes, each after those that allow less.
pub const SCHEMES: [(&str, Scheme); 6] = [
    ("BHS", Scheme::Bhs),
    ("GHS", Scheme::Ghs),
    ("GOPS", Scheme::Gops),
    ("GSPS", Scheme::Gsps),
    ("OPS", Scheme::Ops),
    ("SPS", Scheme::Sps),
];

/// The names of the schemes.
pub fn names() -> [&'static str; 6] {
    SCHEMES.map(|(name, _)| name)
}

/// A search of the paper: a table, and the schemes of its columns. Ages are in intervals of five years at least.
pub struct Schemed {
    /// The table: hierarchies are its domains where they are published, and guides where sets and intervals are.
    pub table: Table,
    columns: Vec<ColumnScheme>,
}

impl Schemed {
    /// Some columns of Adult under a scheme.
    pub fn new(adult: &Adult, columns: &[&str], scheme: Scheme) -> Result<Self, String> {
        let published = matches!(scheme, Scheme::Bhs | Scheme::Ghs);
        let values = |name: &str| match (published, name) {
            (false, _) => As::Plain,
            (true, "age") => As::Intervals,
            (true, _) => As::Tree(3),
        };
        let wants: Vec<Want<'_>> = columns.iter().map(|name| Want::quasi(name, values(name))).collect();
        let table = adult.table(&wants)?;
        // The columns of a file stand in its own order.
        let of_dimension = |dimension: usize| {
            let name = table.dimension(dimension).name.as_str();
            let mut column = ColumnScheme::new(scheme);
            column.levels.0 = u32::from(name == "age");
            if !published {
                column.guide = Some(adult.hierarchy(name)?);
            }
            Ok(column)
        };
        let columns = (0..table.dimensions()).map(of_dimension).collect::<Result<Vec<_>, String>>()?;
        Ok(Schemed { table, columns })
    }

    /// What the search finds for a k, where rows may be suppressed at the price of the loss.
    pub fn search(
        &self,
        k: u64,
        loss: &str,
        direction: Direction,
        pruning: Pruning,
        seconds: f64,
    ) -> Result<Partitioning, String> {
        let k = k.to_string();
        let search_for = SchemeSearch { columns: self.columns.clone(), direction, pruning, seed: 1 };
        let goal = Goal { suppress: true, ..Goal::least(loss, seconds) };
        // Rows may be suppressed: the table need not satisfy the requirements as a whole.
        search(&self.table, &bind(&self.table, &[("k", "", &k)])?, &search_for, goal)
    }
}

/// The values and the levels of the paper.
const PUBLISHED: [(&str, f64, f64); 9] = [
    ("age", 74.0, 5.0),
    ("workclass", 8.0, 3.0),
    ("education", 16.0, 4.0),
    ("country", 41.0, 3.0),
    ("marital", 7.0, 3.0),
    ("race", 5.0, 3.0),
    ("sex", 2.0, 2.0),
    ("occupation", 14.0, 3.0),
    ("income", 2.0, 2.0),
];

fn attributes(context: &Context) -> Result<Outcome, String> {
    let adult = context.adult();
    let mut wants = quasi(&EIGHT, As::Plain);
    wants.push(Want::other("income", Role::Sensitive));
    let table = adult.table(&wants)?;
    let mut values =
        Sweep::new("Different values of each attribute", "attribute", "values", &["here", "in the paper"])
            .log()
            .bars();
    let mut levels = Sweep::new(
        "Levels of the hierarchies, with the values",
        "attribute",
        "levels",
        &["here", "in the paper"],
    )
    .bars();
    for (name, published, height) in PUBLISHED {
        let column = table.columns().iter().find(|column| column.name == name);
        let found = column
            .and_then(|column| column.coded())
            .map_or(f64::NAN, |(domain, _)| domain.value_count() as f64);
        values.push(name, vec![found, published])?;
        levels.push(name, vec![f64::from(adult.hierarchy(name)?.height() + 1), height])?;
    }
    let checks = alike(table.rows(), &values);
    Ok(Outcome {
        panels: vec![values.into(), levels.into()],
        checks,
        data: adult.described(),
        differs: "hierarchies are those at hand, which may have more levels".to_string(),
        untested: None,
    })
}

fn alike(rows: usize, values: &Sweep) -> Vec<Check> {
    let (here, paper) = (values.of("here"), values.of("in the paper"));
    let ratio =
        here.iter().zip(paper).map(|(here, paper)| (here / paper).max(paper / here)).fold(f64::NAN, f64::max);
    vec![
        Check::new(rows == 30_162, format!("{rows} rows")),
        Check::below("values of an attribute beside the paper, the more over the less, at most", ratio, 1.2),
    ]
}

fn quality(context: &Context) -> Result<Outcome, String> {
    let adult = context.adult();
    let ks: Vec<u64> = context.pick(vec![2, 20], vec![2, 5, 20], vec![2, 3, 5, 10, 15, 20]);
    let (mut panels, mut checks, mut proven, mut searched) = (Vec::new(), Vec::new(), 0, 0);
    for loss in ["dm", "hdm"] {
        let each = SCHEMES.iter().map(|(_, scheme)| Schemed::new(adult, &FOUR, *scheme));
        let each = each.collect::<Result<Vec<Schemed>, String>>()?;
        let sweep = Sweep::new(
            &format!("{} of age, marital status, race and sex", loss.to_uppercase()),
            "k",
            &loss.to_uppercase(),
            &names(),
        );
        let sweep = sweep.run(&ks, |&k| {
            let cost = |schemed: &Schemed| {
                let found = schemed.search(k, loss, Direction::Auto, Pruning::default(), context.limit())?;
                searched += 1;
                let bound = least(&found);
                let lost = Release::new(&schemed.table, found, Extents::Region).loss(k, loss)?;
                proven += usize::from(lost <= bound * (1.0 + 1e-11));
                Ok(lost)
            };
            each.iter().map(cost).collect()
        })?;
        checks.extend(order(&sweep));
        panels.push(sweep.into());
    }
    Ok(Outcome {
        panels,
        checks,
        data: adult.described(),
        differs: format!(
            "searches end after {} s; {proven} of {searched} were proven optimal",
            context.limit()
        ),
        untested: None,
    })
}

/// Costs rise with k, and fall along the chains of schemes that allow ever more.
fn order(sweep: &Sweep) -> Vec<Check> {
    let rising = sweep.series.iter().filter(|(_, values)| Check::rises("", values, 1e-9).holds).count();
    let schemes = sweep.series.len();
    let mut pairs = 0;
    let mut good = 0;
    for pair in CHAINS.iter().flat_map(|chain| chain.windows(2)) {
        let [less, more] = [pair[0], pair[1]].map(|name| sweep.of(&name.to_uppercase()).to_vec());
        pairs += 1;
        good += usize::from(Check::at_most("", &more, &less, 1.0 + 1e-9).holds);
    }
    vec![
        Check::new(
            rising == schemes,
            format!("{} rises with k under {rising} of {schemes} schemes", sweep.measure),
        ),
        Check::new(
            good == pairs,
            format!("the scheme that allows more costs at most as much in {good} of {pairs} pairs"),
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(lines: &[[f64; 6]]) -> Vec<bool> {
        let mut sweep = Sweep::new("", "k", "DM", &names());
        lines.iter().for_each(|line| sweep.push("", line.to_vec()).unwrap());
        order(&sweep).iter().map(|check| check.holds).collect()
    }

    #[test]
    fn the_order_of_schemes_is_judged_both_ways() {
        assert_eq!(judged(&[[6.0, 5.0, 4.0, 3.0, 2.0, 1.0], [7.0, 6.0, 5.0, 4.0, 3.0, 2.0]]), [true, true]);
        assert_eq!(judged(&[[7.0, 5.0, 4.0, 3.0, 2.0, 1.0], [6.0, 6.0, 5.0, 4.0, 3.0, 2.0]]), [false, true]);
        assert_eq!(judged(&[[6.0, 5.0, 4.0, 3.0, 2.0, 2.5], [7.0, 6.0, 5.0, 4.0, 3.0, 3.0]]), [true, false]);
    }

    #[test]
    fn adult_is_told_from_another_table() {
        let mut values = Sweep::new("", "", "", &["here", "in the paper"]);
        values.push("age", vec![72.0, 74.0]).unwrap();
        let holds =
            |rows, values: &Sweep| alike(rows, values).iter().map(|check| check.holds).collect::<Vec<_>>();
        assert_eq!(holds(30_162, &values), [true, true]);
        values.push("workclass", vec![12.0, 8.0]).unwrap();
        assert_eq!(holds(45_222, &values), [false, false]);
    }
}
