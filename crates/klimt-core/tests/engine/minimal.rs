//! Minimality: no group that Mondrian makes can be cut in any single dimension, by any cut of that dimension's kind, so that
//! all sides satisfy every requirement.

use crate::common::{partition, table};
use crate::optimal::{random_table, rows};
use crate::searched::{bound, kinds};
use klimt_core::algorithm::mondrian::{HierarchyCut, Model, Mondrian};
use klimt_core::job::{Budget, Job, Partitioner, Suppression, Unobserved};
use klimt_core::loss::{Discernibility, Original};
use klimt_core::partition::Partitioning;
use klimt_core::registry;
use klimt_core::requirement::Checks;
use klimt_core::split::SplitCriterion;
use klimt_core::statistics::Collector;
use klimt_core::table::{Domain, Shape, Table};
use proptest::prelude::*;
use std::collections::BTreeSet;

/// A cut: the number of the side that each code goes to, with the codes that occur.
type Cut = Vec<(u32, usize)>;

/// The cuts of a set: every way to make two of its values.
fn subsets(codes: &[u32]) -> Vec<Cut> {
    let side = |cut: u32, at: usize| (cut >> at & 1) as usize;
    let cut = |cut: u32| codes.iter().enumerate().map(|(at, &code)| (code, side(cut, at))).collect();
    (1..1 << (codes.len() - 1)).map(cut).collect()
}

/// The cuts between two values, with missing values on either side, and of missing values from all others.
fn thresholds(codes: &[u32], missing: Option<u32>) -> Vec<Cut> {
    let values: Vec<u32> = codes.iter().copied().filter(|&code| Some(code) != missing).collect();
    let mut cuts = Vec::new();
    for &last in &values {
        for with_missing in 0..2 {
            let side =
                |code: u32| if Some(code) == missing { with_missing } else { usize::from(code > last) };
            cuts.push(codes.iter().map(|&code| (code, side(code))).collect());
        }
    }
    cuts
}

/// The lowest node over the values to its children, with missing values apart or with any child, or these alone apart.
fn specialised(codes: &[u32], domain: &Domain) -> Vec<Cut> {
    let (tree, missing) = (domain.hierarchy().unwrap(), domain.missing_code());
    let values: Vec<u32> = codes.iter().copied().filter(|&code| Some(code) != missing).collect();
    let (Some(&lo), Some(&hi)) = (values.first(), values.last()) else { return Vec::new() };
    let children = tree.children(tree.lowest_common_ancestor(lo, hi));
    let child = |code: u32| children.iter().position(|&c| (tree.span(c).0..=tree.span(c).1).contains(&code));
    let with = |run: usize| -> Cut {
        let side = |code: u32| if Some(code) == missing { run } else { child(code).unwrap_or(0) };
        codes.iter().map(|&code| (code, side(code))).collect()
    };
    let mut cuts: Vec<Cut> = (0..=children.len()).map(with).collect();
    cuts.push(codes.iter().map(|&code| (code, usize::from(Some(code) == missing))).collect());
    cuts
}

/// Whether a side is published more narrowly than the whole.
fn narrows(cut: &Cut, domain: &Domain) -> bool {
    let penalty = |codes: &[u32]| match (codes.first(), codes.last()) {
        (Some(&lo), Some(&hi)) => domain.extent_penalty(lo, hi, codes.len()),
        _ => f64::INFINITY,
    };
    let side = |number: usize| -> Vec<u32> {
        cut.iter().filter(|(_, side)| *side == number).map(|(code, _)| *code).collect()
    };
    let whole: Vec<u32> = cut.iter().map(|(code, _)| *code).collect();
    (0..2).any(|number| penalty(&side(number)) < penalty(&whole))
}

fn cuts(codes: &[u32], domain: &Domain, hierarchy_cut: HierarchyCut) -> Vec<Cut> {
    match domain.shape() {
        Shape::Set => subsets(codes),
        Shape::Ordered => thresholds(codes, domain.missing_code()),
        Shape::Hierarchy(_) => {
            let mut cuts = Vec::new();
            if hierarchy_cut != HierarchyCut::Leaves {
                cuts.extend(specialised(codes, domain));
            }
            if hierarchy_cut != HierarchyCut::Nodes {
                let narrow = thresholds(codes, domain.missing_code()).into_iter();
                cuts.extend(narrow.filter(|cut| narrows(cut, domain)));
            }
            cuts
        }
    }
}

/// The dimension of an allowable cut that is left in a group.
fn cut_left(
    table: &Table,
    found: &Partitioning,
    bound: &Checks,
    hierarchy_cut: HierarchyCut,
) -> Option<String> {
    let collector = Collector::new(bound.needs(), table).unwrap();
    for group in 0..found.groups() {
        for dimension in 0..table.dimensions() {
            let code = |&row: &u32| table.codes(dimension).get(row as usize);
            let codes: BTreeSet<u32> = found.rows(group).iter().map(code).collect();
            let codes: Vec<u32> = codes.into_iter().collect();
            for cut in cuts(&codes, table.domain(dimension), hierarchy_cut) {
                let side_of = |row: &u32| cut.iter().find(|(other, _)| *other == code(row)).unwrap().1;
                let sides: BTreeSet<usize> = found.rows(group).iter().map(side_of).collect();
                let rows = |side: usize| -> Vec<u32> {
                    found.rows(group).iter().copied().filter(|row| side_of(row) == side).collect()
                };
                if sides.len() > 1 && sides.iter().all(|&side| bound.satisfied(&collector.of(&rows(side)))) {
                    return Some(format!("group {group}, dimension {dimension}: {cut:?}"));
                }
            }
        }
    }
    None
}

fn hierarchy_cuts() -> impl Strategy<Value = HierarchyCut> {
    prop::sample::select(vec![HierarchyCut::Nodes, HierarchyCut::Leaves, HierarchyCut::Both])
}

fn run(table: &Table, bound: &Checks, mondrian: Mondrian, split: &str) -> Partitioning {
    let weights = vec![1.0; table.dimensions()];
    let split = SplitCriterion::named(split, &Original::new(table, &weights)).unwrap();
    let job = Job {
        table,
        requirements: bound,
        split: &split,
        loss: &Discernibility,
        suppression: Suppression::NONE,
        budget: Budget::default(),
        weights: &weights,
        keep_tree: false,
        observer: &Unobserved,
    };
    mondrian.partition(&job).unwrap()
}

/// One set of so many values, each of which has so many rows, and a sensitive column.
fn set_table(counts: &[u32], diseases: &[u32]) -> Table {
    let letter = |number: usize| char::from(b'a' + number as u8).to_string();
    let values = counts.iter().enumerate().flat_map(|(at, &count)| vec![letter(at); count as usize]);
    let rows: Vec<Vec<u32>> = values.clone().zip(diseases.iter().cycle()).map(|(_, &d)| vec![d; 7]).collect();
    let texts: Vec<Vec<String>> = values.map(|value| vec![value]).collect();
    let mut columns = table(&texts, &[]).columns().to_vec();
    let sensitive = random_table(&[0], &rows);
    columns.extend(sensitive.columns()[1..].iter().cloned());
    Table::new(texts.len(), columns).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// Ordered columns, hierarchies and sets, with missing values; k and every requirement of the registry.
    #[test]
    fn no_allowable_cut_is_left(
        kinds in kinds(1..4),
        rows in rows(2..40),
        (k, chosen) in (1..6u64, any::<prop::sample::Index>()),
        hierarchy_cut in hierarchy_cuts(),
        split in prop::sample::select(vec!["median", "infogain", "regression", "loss:ncp", "box"]),
    ) {
        let table = random_table(&kinds, &rows);
        let bound = bound(&table, kinds.len(), k, chosen);
        let mondrian = Mondrian { model: Model::Strict, hierarchy_cut };
        let found = run(&table, &bound, mondrian, split);
        // Boxes are cut between leaves, wherever nodes are asked for alone.
        let left = cut_left(&table, &found, &bound, hierarchy_cut);
        prop_assert!(left.is_none(), "{}", left.unwrap());
    }

    /// Sets of up to ten values of some rows each.
    #[test]
    fn no_allowable_cut_of_a_set_is_left(
        counts in prop::collection::vec(1..6u32, 2..10),
        diseases in prop::collection::vec(0..5040u32, 1..20),
        (k, chosen) in (1..12u64, any::<prop::sample::Index>()),
    ) {
        let table = set_table(&counts, &diseases);
        let bound = bound(&table, 1, k, chosen);
        let found = run(&table, &bound, Mondrian::default(), "median");
        let left = cut_left(&table, &found, &bound, HierarchyCut::Both);
        prop_assert!(left.is_none(), "{}", left.unwrap());
    }
}

/// Greedy filling makes 7 and 5 of these, {a|b} and {c|d|e} have six rows each.
#[test]
fn a_set_is_cut_wherever_sizes_allow_it() {
    let table = set_table(&[3, 3, 2, 2, 2], &[1]);
    let k = |k: &str| [registry::requirement("k", "", k).unwrap()];
    let found = partition(&table, &Mondrian::default(), &k("6"));
    assert_eq!(found.ends, [6, 12]);
    assert_eq!(partition(&table, &Mondrian::default(), &k("7")).groups(), 1);
}
