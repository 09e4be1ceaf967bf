//! Relaxed partitioning: never worse than strict, smaller groups, and the same release for any order of the rows.

use crate::optimal::{random_table, rows};
use crate::searched::{bound, cost, kinds};
use klimt_core::algorithm::mondrian::{HierarchyCut, Model, Mondrian};
use klimt_core::job::{Budget, Job, Partitioner, Suppression, Unobserved};
use klimt_core::loss::{Cost, Original};
use klimt_core::partition::Partitioning;
use klimt_core::registry;
use klimt_core::requirement::Checks;
use klimt_core::split::SplitCriterion;
use klimt_core::table::{Role, Table};
use proptest::prelude::*;

const WEIGHTS: [f64; 4] = [1.0, 0.5, 2.0, 1.0];

fn run<'a>(
    table: &'a Table,
    bound: &'a Checks,
    mondrian: Mondrian,
    split: &str,
    weights: &'a [f64],
) -> (Partitioning, f64) {
    let original = Original::new(table, weights);
    let split = SplitCriterion::named(split, &original).unwrap();
    let ncp: Box<dyn Cost + '_> =
        registry::LOSSES.iter().find(|(entry, _)| entry.id == "ncp").unwrap().1.cost(&original).unwrap();
    let job = Job {
        table,
        requirements: bound,
        split: &split,
        loss: &*ncp,
        suppression: Suppression::NONE,
        budget: Budget::default(),
        weights,
        keep_tree: true,
        observer: &Unobserved,
    };
    let found = mondrian.partition(&job).unwrap();
    let cost = cost(&job, &found);
    (found, cost)
}

/// The published rows, in an order of their own: the region, by its values or by the cuts, and the columns
/// that are kept.
fn published(table: &Table, found: &Partitioning, by_cuts: bool) -> Vec<String> {
    let domains = table.domains();
    let mut found = found.clone();
    if by_cuts {
        found.regions = found.tree.clone().unwrap().regions(&domains, Some(&found.regions));
    }
    found.coalesce(&domains);
    let kept = |row: u32| {
        let columns = table.columns().iter().filter(|column| column.role != Role::QuasiIdentifier);
        columns.map(|column| column.coded().unwrap().1.get(row as usize)).collect::<Vec<u32>>()
    };
    let mut rows: Vec<String> = (0..found.groups())
        .flat_map(|group| {
            let cells: Vec<_> =
                domains.iter().enumerate().map(|(d, domain)| found.regions.cell(group, d, domain)).collect();
            let region = format!("{cells:?} {}", found.rows(group).len());
            found.rows(group).iter().map(|&row| format!("{region} {:?}", kept(row))).collect::<Vec<_>>()
        })
        .collect();
    rows.sort();
    rows
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(250))]

    #[test]
    fn relaxed_is_never_worse_than_strict_and_row_order_does_not_matter(
        kinds in kinds(1..5),
        (rows, seed) in rows(2..60).prop_flat_map(|rows| {
            let many = rows.len();
            (Just(rows), Just((0..many).collect::<Vec<usize>>()).prop_shuffle())
        }),
        few in 2..5040u32,
        (k, chosen) in (1..6u64, any::<prop::sample::Index>()),
        hierarchy_cut in prop::sample::select(vec![HierarchyCut::Nodes, HierarchyCut::Leaves, HierarchyCut::Both]),
        split in prop::sample::select(vec!["median", "median", "infogain", "loss:ncp", "box"]),
    ) {
        // Few different tuples make many ties.
        let rows: Vec<Vec<u32>> = rows.into_iter().map(|row| row.into_iter().map(|cell| cell % few).collect()).collect();
        let table = random_table(&kinds, &rows);
        let bound = bound(&table, kinds.len(), k, chosen);
        let weights = &WEIGHTS[..kinds.len()];
        let relaxed = Mondrian { model: Model::Relaxed, hierarchy_cut };
        let (found, after) = run(&table, &bound, relaxed, split, weights);
        let (_, before) = run(&table, &bound, Mondrian { model: Model::Strict, ..relaxed }, split, weights);
        prop_assert!(after <= before * (1.0 + 1e-12), "{after} instead of {before}");
        let shuffled: Vec<Vec<u32>> = seed.iter().map(|&row| rows[row].clone()).collect();
        let other = random_table(&kinds, &shuffled);
        let (again, _) = run(&other, &bound, relaxed, split, weights);
        for by_cuts in [false, true] {
            prop_assert_eq!(published(&table, &found, by_cuts), published(&other, &again, by_cuts));
        }
    }
}
