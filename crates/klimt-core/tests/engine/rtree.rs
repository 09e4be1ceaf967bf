//! The R+-tree: leaves that satisfy the requirements, cuts that cost least, and groups that are unions of leaves.

use crate::common::table;
use crate::optimal::{every_requirement, random_table, rows};
use klimt_core::algorithm::mondrian::Mondrian;
use klimt_core::algorithm::rtree::{BoxCost, BoxSplit, LeafGrouping, RPlusTree, granular};
use klimt_core::job::{Budget, Job, Partitioner, Suppression, Unobserved};
use klimt_core::loss::SuppressedRows;
use klimt_core::partition::{CutNode, Partitioning};
use klimt_core::registry;
use klimt_core::requirement::{Checks, Requirement};
use klimt_core::split::SplitCriterion;
use klimt_core::statistics::Collector;
use klimt_core::table::Table;
use proptest::prelude::*;
use std::collections::BTreeSet;

fn k_alone(k: u64) -> Vec<Box<dyn Requirement>> {
    vec![registry::requirement("k", "", &k.to_string()).unwrap()]
}

fn build(
    table: &Table,
    bound: &Checks,
    split: BoxSplit,
    base: Option<(&Checks, LeafGrouping)>,
) -> Partitioning {
    let weights = vec![1.0; table.dimensions()];
    let job = Job {
        table,
        requirements: bound,
        split: &SplitCriterion::Box(split),
        loss: &SuppressedRows,
        suppression: Suppression::NONE,
        budget: Budget::default(),
        weights: &weights,
        keep_tree: true,
        observer: &Unobserved,
    };
    RPlusTree { mondrian: Mondrian::default(), base }.partition(&job).unwrap()
}

fn groups(partitioning: &Partitioning) -> Vec<BTreeSet<u32>> {
    (0..partitioning.groups()).map(|group| partitioning.rows(group).iter().copied().collect()).collect()
}

fn code(table: &Table, dimension: usize, row: u32) -> u32 {
    table.codes(dimension).get(row as usize)
}

/// The cost of some rows as one box: rows times certainty penalty.
fn cost(table: &Table, rows: &[u32]) -> f64 {
    let penalty = |dimension: usize| {
        let mut codes: Vec<u32> = rows.iter().map(|&row| code(table, dimension, row)).collect();
        codes.sort_unstable();
        codes.dedup();
        table.domain(dimension).extent_penalty(codes[0], *codes.last().unwrap(), codes.len())
    };
    (0..table.dimensions()).map(penalty).sum::<f64>() * rows.len() as f64
}

/// The two sides of every threshold of a dimension that leaves enough rows on both.
fn thresholds(table: &Table, rows: &[u32], dimension: usize, k: usize) -> Vec<(Vec<u32>, Vec<u32>)> {
    let codes: BTreeSet<u32> = rows.iter().map(|&row| code(table, dimension, row)).collect();
    let sides = |&at: &u32| rows.iter().partition(|&&row| code(table, dimension, row) <= at);
    codes.iter().map(sides).filter(|(l, r): &(Vec<u32>, Vec<u32>)| l.len() >= k && r.len() >= k).collect()
}

/// Rows of an ordered table: neighbours in one dimension lie close together in others too.
fn ordered(rows: &[(u16, u16, u16)]) -> Table {
    let texts: Vec<Vec<String>> = rows
        .iter()
        .map(|&(a, b, c)| vec![(a / 3 * 3).to_string(), (a / 2 + b).to_string(), c.to_string()])
        .collect();
    table(&texts, &[])
}

fn splits() -> impl Strategy<Value = BoxSplit> {
    let costs = prop::sample::select(vec![BoxCost::Penalty, BoxCost::Volume]);
    let preferred = prop::sample::select(vec![vec![], vec![0]]);
    (costs, 2..4u64, preferred).prop_map(|(cost, capacity, preferred)| BoxSplit { cost, capacity, preferred })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn leaves_satisfy_every_requirement_and_hold_every_row_once(
        kinds in prop::collection::vec(0usize..6, 1..5),
        rows in rows(1..90),
        (k, chosen, split) in (1..5u64, any::<prop::sample::Index>(), splits()),
    ) {
        let table = random_table(&kinds, &rows);
        let mut all = every_requirement(kinds.len());
        let mut requirements = k_alone(k.min(rows.len() as u64));
        requirements.push(all.swap_remove(chosen.index(all.len())));
        let feasible = Checks::new(&requirements, &table).is_ok_and(|bound| bound.feasible(&table).is_ok());
        if !feasible {
            requirements.pop();
        }
        let bound = Checks::new(&requirements, &table).unwrap();
        let found = build(&table, &bound, split.clone(), None);
        let collector = Collector::new(bound.needs(), &table).unwrap();
        for group in 0..found.groups() {
            prop_assert!(bound.satisfied(&collector.of(found.rows(group))), "{:?}", requirements);
        }
        let mut order = found.order.clone();
        order.sort_unstable();
        prop_assert_eq!(order, (0..rows.len() as u32).collect::<Vec<_>>());
        let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
        let other = pool.install(|| build(&table, &bound, split, None));
        prop_assert_eq!((&found.order, &found.ends, &found.tree), (&other.order, &other.ends, &other.tree));
    }

    /// Where only sizes count, a group that some threshold divides is divided.
    #[test]
    fn no_threshold_is_left(rows in prop::collection::vec((0u16..40, 0u16..5, 0u16..300), 2..400), k in 1usize..40) {
        let table = ordered(&rows);
        let k = k.min(rows.len());
        let bound = Checks::new(&k_alone(k as u64), &table).unwrap();
        let found = build(&table, &bound, BoxSplit::default(), None);
        for group in 0..found.groups() {
            for dimension in 0..table.dimensions() {
                prop_assert!(thresholds(&table, found.rows(group), dimension, k).is_empty());
            }
        }
    }

    /// A part that is looked at whole is cut where its sides cost least.
    #[test]
    fn the_cheapest_cut_is_made(rows in prop::collection::vec((0u16..50, 0u16..60), 4..25), k in 1usize..9) {
        let texts: Vec<Vec<String>> = rows.iter().map(|(a, b)| vec![(a * a).to_string(), b.to_string()]).collect();
        let table = table(&texts, &[]);
        prop_assume!(rows.len() >= 2 * k);
        let bound = Checks::new(&k_alone(k as u64), &table).unwrap();
        let all: Vec<u32> = (0..rows.len() as u32).collect();
        let places = (0..2).flat_map(|dimension| thresholds(&table, &all, dimension, k));
        let least = places.map(|(l, r)| cost(&table, &l) + cost(&table, &r)).min_by(f64::total_cmp);
        let found = build(&table, &bound, BoxSplit::default(), None);
        match (least, found.tree.unwrap().nodes[0]) {
            (None, node) => prop_assert!(matches!(node, CutNode::Leaf { .. }), "{node:?}"),
            (Some(least), CutNode::Threshold { dimension, code: at, .. }) => {
                let left = |&row: &u32| code(&table, dimension as usize, row) <= at;
                let (l, r): (Vec<u32>, Vec<u32>) = all.iter().copied().partition(left);
                let made = cost(&table, &l) + cost(&table, &r);
                prop_assert!(made <= least * (1.0 + 1e-5) + 1e-6, "{made} instead of {least}");
            }
            (Some(_), node) => prop_assert!(false, "{node:?}"),
        }
    }

    /// Groups of every granularity are unions of whole leaves, so that every row stays bound to those of its leaf.
    #[test]
    fn groups_are_unions_of_leaves(
        kinds in prop::collection::vec(0usize..6, 1..4),
        rows in rows(12..120),
        (k, times, more) in (1..4u64, 1..4u64, 0..5u64),
        by in prop::sample::select(vec![LeafGrouping::LeafScan, LeafGrouping::Level]),
    ) {
        let table = random_table(&kinds, &rows);
        let base = Checks::new(&k_alone(k), &table).unwrap();
        let coarse = Checks::new(&k_alone((k * times + more).min(rows.len() as u64)), &table).unwrap();
        let leaves = build(&table, &base, BoxSplit::default(), None);
        let found = granular(&leaves, &table, &coarse, by, &[rows.len() as u32]).unwrap();
        let of_leaves = groups(&leaves);
        for group in groups(&found) {
            prop_assert!(group.len() as u64 >= coarse.minimum_size());
            let whole: usize = of_leaves.iter().filter(|leaf| leaf.is_subset(&group)).map(BTreeSet::len).sum();
            prop_assert_eq!(whole, group.len());
        }
        let compact = found.compact(&table);
        for group in 0..found.groups() {
            for dimension in 0..table.dimensions() {
                let domain = table.domain(dimension);
                prop_assert_eq!(compact.cell(group, dimension, domain), found.regions.cell(group, dimension, domain));
            }
        }
        if let Some(tree) = &found.tree {
            let planted = Partitioning::planted(&table, tree.clone()).unwrap();
            prop_assert_eq!(groups(&planted), groups(&found));
        }
        let at_once = build(&table, &coarse, BoxSplit::default(), Some((&base, by)));
        prop_assert_eq!((&at_once.order, &at_once.ends), (&found.order, &found.ends));
    }

    /// No group has leaves of two parts.
    #[test]
    fn runs_end_with_their_part(rows in prop::collection::vec((0u16..40, 0u16..5, 0u16..300), 60..200), cut in 20usize..40) {
        let table = ordered(&rows);
        let (base, coarse) = (Checks::new(&k_alone(3), &table).unwrap(), Checks::new(&k_alone(11), &table).unwrap());
        let split = SplitCriterion::Box(BoxSplit::default());
        let parts = [cut as u32, rows.len() as u32];
        let weights = [1.0; 3];
        for by in [LeafGrouping::LeafScan, LeafGrouping::Level] {
            let job = Job {
                table: &table, requirements: &coarse, split: &split, loss: &SuppressedRows, keep_tree: false,
                suppression: Suppression::NONE, budget: Budget::default(), weights: &weights, observer: &Unobserved,
            };
            let tree = RPlusTree { mondrian: Mondrian::default(), base: Some((&base, by)) };
            let built = tree.build(&job, &parts).unwrap();
            prop_assert!(built.partitioning.ends.contains(&parts[0]));
            prop_assert!(built.leaves >= built.partitioning.groups());
            for group in groups(&built.partitioning) {
                prop_assert!(group.len() >= 11);
                prop_assert!(group.iter().all(|&row| (row as usize) < cut) || group.iter().all(|&row| row as usize >= cut));
            }
        }
    }
}

/// A table in which no dimension says anything of another.
fn independent(rows: u64) -> Table {
    let number = |row: u64, factor: u64| (row * factor % 1009).to_string();
    let texts: Vec<Vec<String>> =
        (0..rows).map(|row| vec![number(row, 7), number(row * row, 13), number(row / 3, 389)]).collect();
    table(&texts, &[])
}

/// The average length of a dimension's intervals, by ranks.
fn length(table: &Table, found: &Partitioning, dimension: usize) -> f64 {
    let of = |group: usize| {
        let codes = || found.rows(group).iter().map(|&row| code(table, dimension, row));
        f64::from(codes().max().unwrap() - codes().min().unwrap()) * found.rows(group).len() as f64
    };
    (0..found.groups()).map(of).sum::<f64>() / table.rows() as f64
}

#[test]
fn a_preferred_dimension_is_cut_first() {
    let table = independent(4000);
    let bound = Checks::new(&k_alone(10), &table).unwrap();
    let fair = build(&table, &bound, BoxSplit::default(), None);
    let biased = build(&table, &bound, BoxSplit { preferred: vec![1], ..BoxSplit::default() }, None);
    assert!(length(&table, &biased, 1) * 5.0 < length(&table, &fair, 1));
    assert!(length(&table, &biased, 0) > length(&table, &fair, 0));
}

#[test]
fn a_capacity_leaves_larger_leaves() {
    let table = independent(4000);
    let bound = Checks::new(&k_alone(10), &table).unwrap();
    let sizes = |capacity: u64| {
        let found = build(&table, &bound, BoxSplit { capacity, ..BoxSplit::default() }, None);
        (0..found.groups()).map(|group| found.rows(group).len()).collect::<Vec<_>>()
    };
    let (small, large) = (sizes(2), sizes(4));
    // Equal values in the middle of every dimension can keep a few more rows together.
    assert!(small.iter().all(|size| (10..24).contains(size)), "{small:?}");
    assert!(large.iter().all(|size| (10..40).contains(size)), "{large:?}");
    assert!(large.iter().any(|size| *size >= 30), "{large:?}");
    assert!(large.len() < small.len());
}

#[test]
fn a_node_becomes_a_group_where_its_sides_do_not() {
    let table = independent(2000);
    let (base, coarse) =
        (Checks::new(&k_alone(5), &table).unwrap(), Checks::new(&k_alone(20), &table).unwrap());
    let found = build(&table, &coarse, BoxSplit::default(), Some((&base, LeafGrouping::Level)));
    // Twice 19 rows may come together, and no side of at least 20 is given up but for a smaller sibling.
    assert!(found.strict);
    assert!((0..found.groups()).all(|group| (20..200).contains(&found.rows(group).len())));
    let scanned = build(&table, &coarse, BoxSplit::default(), Some((&base, LeafGrouping::LeafScan)));
    assert!(!scanned.strict && scanned.tree.is_none());
    assert!((0..scanned.groups() - 1).all(|group| (20..29).contains(&scanned.rows(group).len())));
}
