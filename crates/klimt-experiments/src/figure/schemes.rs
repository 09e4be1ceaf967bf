//! The data and the quality of the six generalization schemes (Figs. 9 and 12 of *Towards Optimal k-Anonymization*).

use super::Context;
use super::claim::{At, Claim, Is, Of};
use super::outcome::{Outcome, Run, Size};
use super::registry::Figure;
use super::sweep::Sweep;
use crate::Result;
use crate::adult::{Adult, EIGHT, FOUR};
use crate::engine::partitions::EngineRelease;
use crate::engine::{Goal, SearchResult, k_alone, searched};
use crate::number::Measured;
use crate::schemes::SCHEMES;
use crate::tables::{As, Want, quasi};
use klimt::Choice;
use klimt::prelude::{Extents, Role};
use klimt::table::{Shape, Table};
use klimt_core::algorithm::scheme::{ColumnScheme, Direction, Pruning, Scheme, SchemeSearch};
use std::sync::Arc;

/// The experiments of this file.
pub const FIGURES: &[Figure] = &[
    Figure::experiment(
        "schemes-9",
        "The attributes of Adult: values and levels",
        &[
            Claim::new(
                "There are 30162 valid records.",
                Of::Ratio((1, HERE), (1, PAPER)),
                At::Every,
                Is::Exactly(1.0),
            ),
            Claim::new(
                "The number of values of each attribute.",
                Of::Ratio((0, HERE), (0, PAPER)),
                At::Every,
                Is::Exactly(1.0),
            ),
        ],
        attributes,
    ),
    Figure::experiment("schemes-12", "DM and HDM of the six schemes by k", QUALITY, quality),
];

const HERE: &str = "here";
const PAPER: &str = "in the paper";

/// The cost of a scheme rises with k.
const fn rises(panel: usize, scheme: &'static str) -> Claim {
    let says = "For the same generalization scheme, the cost increases as k increases.";
    Claim::new(says, Of::Steps((panel, scheme)), At::Every, Is::Over(1.0))
}

/// A scheme costs less than one that allows less. That it does not cost more follows from the definitions.
const fn refines(panel: usize, more: &'static str, less: &'static str) -> Claim {
    let says = "For the same k, the cost decreases for the more sophisticated generalization schemes.";
    Claim::new(says, Of::Ratio((panel, more), (panel, less)), At::Mean, Is::Below(1.0))
}

const QUALITY: &[Claim] = &[
    rises(0, "BHS"),
    rises(0, "GHS"),
    rises(0, "GOPS"),
    rises(0, "GSPS"),
    rises(0, "OPS"),
    rises(0, "SPS"),
    refines(0, "GHS", "BHS"),
    refines(0, "GOPS", "GHS"),
    refines(0, "OPS", "GOPS"),
    refines(0, "GSPS", "GOPS"),
    refines(0, "SPS", "GSPS"),
    refines(0, "SPS", "OPS"),
    rises(1, "BHS"),
    rises(1, "GHS"),
    rises(1, "GOPS"),
    rises(1, "GSPS"),
    rises(1, "OPS"),
    rises(1, "SPS"),
    refines(1, "GHS", "BHS"),
    refines(1, "GOPS", "GHS"),
    refines(1, "OPS", "GOPS"),
    refines(1, "GSPS", "GOPS"),
    refines(1, "SPS", "GSPS"),
    refines(1, "SPS", "OPS"),
];

/// The names of the schemes.
pub fn names() -> [String; 6] {
    SCHEMES.map(|scheme| scheme.name().to_uppercase())
}

/// A search of the paper: a table, and the schemes of its columns. Ages are in intervals of five years at least.
pub struct Schemed {
    /// The table: hierarchies are its domains where they are published, and guides where sets and intervals are.
    table: Table,
    columns: Vec<ColumnScheme>,
}

impl Schemed {
    /// Some columns of Adult under a scheme.
    pub fn new(adult: &Adult, columns: &[&str], scheme: Scheme) -> Result<Self> {
        let published = matches!(scheme, Scheme::Bhs | Scheme::Ghs);
        let trees = adult.trees(columns)?.table()?;
        let table =
            if published { trees.clone() } else { adult.dataset(&quasi(columns, As::Plain))?.table()? };
        let of_dimension = |(dimension, name): (usize, &&str)| {
            let mut column = ColumnScheme::new(scheme);
            column.levels.0 = u32::from(*name == "age");
            if let (false, Shape::Hierarchy(tree)) = (published, trees.domain(dimension).shape()) {
                column.guide = Some(Arc::clone(tree));
            }
            column
        };
        let columns = columns.iter().enumerate().map(of_dimension).collect();
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
    ) -> Result<SearchResult> {
        let search_for =
            SchemeSearch { pruning, ..SchemeSearch::as_published(self.columns.clone(), direction) };
        let goal = Goal { suppress: true, ..Goal::least(loss, seconds) };
        // Rows may be suppressed: the table need not satisfy the requirements as a whole.
        searched(&self.table, &k_alone(&self.table, k)?, &search_for, goal)
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

fn attributes(context: &Context) -> Result<Outcome> {
    let adult = context.adult();
    let mut wants = quasi(&EIGHT, As::Plain);
    wants.push(Want::other("income", Role::Sensitive));
    let table = adult.dataset(&wants)?.table()?;
    let panel = |title: &str, measure: &str| Sweep::new(title, "attribute", measure, &[HERE, PAPER]).bars();
    let mut values = panel("Different values of each attribute", "values").log();
    let mut levels = panel("Levels of the hierarchies, with the values", "levels");
    let mut rows = panel("Rows without missing values", "rows");
    for (name, published, height) in PUBLISHED {
        let column = table.columns().iter().find(|column| column.name == name);
        let found = column
            .and_then(|column| column.coded())
            .map_or(f64::NAN, |(domain, _)| domain.value_count() as f64);
        values.push(name, vec![found, published])?;
        let tree = adult.trees(&[name])?.table()?;
        let levels_of = tree.domain(0).hierarchy().map_or(f64::NAN, |tree| f64::from(tree.height() + 1));
        levels.push(name, vec![levels_of, height])?;
    }
    rows.push("all", vec![table.rows() as f64, 30_162.0])?;
    Ok(Outcome::new(
        [values, rows, levels],
        Run::new(
            adult.described(),
            vec![Size::new("rows", table.rows(), 30_162)],
            "hierarchies are those at hand, which may have more levels",
        ),
    ))
}

fn quality(context: &Context) -> Result<Outcome> {
    let adult = context.adult();
    let ks = context.ks(&[2, 20], &[2, 5, 20], &[2, 3, 5, 10, 15, 20]);
    let (mut panels, mut proven, mut searches) = (Vec::new(), 0, 0);
    let each = SCHEMES.map(|scheme| Schemed::new(adult, &FOUR, scheme));
    let each = each.into_iter().collect::<Result<Vec<Schemed>>>()?;
    for loss in ["dm", "hdm"] {
        let name = loss.to_uppercase();
        let title = format!("{name} of age, marital status, race and sex");
        let sweep = Sweep::new(&title, "k", &name, &names()).run(&ks, |&k| {
            let cost = |schemed: &Schemed| {
                let found = schemed.search(k, loss, Direction::Auto, Pruning::ALL, context.limit())?;
                let published = EngineRelease::new(&schemed.table, found.groups.clone(), Extents::Region);
                let cost = found.optimum(published.losses(k, &[loss])?[0]);
                searches += 1;
                proven += usize::from(cost.is_exact());
                Ok(cost)
            };
            each.iter().map(cost).collect::<Result<Vec<Measured>>>()
        })?;
        panels.push(sweep);
    }
    let notes = format!("{proven} of {searches} optima were proven, in at most {} s each", context.limit());
    let sizes = vec![Size::new("rows", adult.rows(), 30_162), Size::new("attributes", FOUR.len(), 4)];
    Ok(Outcome::new(panels, Run::new(adult.described(), sizes, notes)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schemes::CHAINS;

    #[test]
    fn every_refinement_of_a_scheme_is_claimed() {
        for pair in CHAINS.iter().flat_map(|chain| chain.windows(2)) {
            let [less, more] = [pair[0], pair[1]].map(|scheme| scheme.name().to_uppercase());
            for panel in 0..2 {
                let claimed = QUALITY.iter().any(|claim| match claim.of {
                    Of::Ratio((0 | 1, over), (under, of)) => under == panel && over == more && of == less,
                    _ => false,
                });
                assert!(claimed, "{more} beside {less}");
            }
        }
    }
}
