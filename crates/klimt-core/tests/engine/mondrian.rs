//! Mondrian: what holds for every partitioning, the bounds of the paper, and its examples.

use crate::common::{letters, partition, table, weighted};
use klimt_core::algorithm::mondrian::{HierarchyCut, Model, Mondrian};
use klimt_core::partition::{CutNode, Partitioning};
use klimt_core::recode::{Release, RowOrder, Source};
use klimt_core::region::{Cell, Extents};
use klimt_core::requirement::{KAnonymity, LengthRestriction, Requirement};
use klimt_core::table::{Decimal, Domain, Shape, Table};
use proptest::prelude::*;
use std::collections::BTreeMap;

fn k_anonymity(k: u64) -> Vec<Box<dyn Requirement>> {
    vec![Box::new(KAnonymity::new(k).unwrap())]
}

fn domains(table: &Table) -> Vec<&Domain> {
    table.domains()
}

fn holds(cell: Cell<'_>, domain: &Domain, code: u32) -> bool {
    match cell {
        Cell::Interval { lo, hi } => (lo..=hi).contains(&code) && Some(code) != domain.missing_code(),
        Cell::Node(node) => {
            let (first, last) = domain.hierarchy().unwrap().span(node);
            (first..=last).contains(&code) || node == domain.hierarchy().unwrap().root()
        }
        Cell::Set(members) => members.contains(&code),
        Cell::Missing => Some(code) == domain.missing_code(),
        Cell::All => true,
    }
}

/// Every row is in one group, every group has k rows, every region holds its rows.
fn check(table: &Table, partitioning: &Partitioning, k: usize) {
    let mut seen = vec![0; table.rows()];
    for group in 0..partitioning.groups() {
        assert!(partitioning.rows(group).len() >= k, "group {group} is too small");
        for &row in partitioning.rows(group) {
            seen[row as usize] += 1;
            for (d, domain) in domains(table).into_iter().enumerate() {
                let cell = partitioning.regions.cell(group, d, domain);
                assert!(holds(cell, domain, table.codes(d).get(row as usize)), "{cell:?} lacks row {row}");
            }
        }
    }
    assert!(seen.iter().all(|&times| times == 1), "a row is lost or repeated");
}

/// Rows of two ordered columns, a set and a hierarchy; some values are missing.
fn rows() -> impl Strategy<Value = Vec<Vec<String>>> {
    let cell = (0..30u32, 0..8u32, 0..5u32, 0..9u32);
    prop::collection::vec(cell, 4..160).prop_map(|rows| {
        let text = |n: u32, missing: u32| if n == missing { String::new() } else { n.to_string() };
        rows.into_iter()
            .map(|(a, b, c, d)| {
                let set = ["red", "green", "blue", "black", ""][c as usize].to_string();
                let letter = if d == 8 { String::new() } else { char::from(b'a' + d as u8).to_string() };
                vec![text(a, 7), text(b, 99), set, letter]
            })
            .collect()
    })
}

fn every_mondrian() -> Vec<Mondrian> {
    let mut all = Vec::new();
    for model in [Model::Strict, Model::Relaxed] {
        for hierarchy_cut in [HierarchyCut::Nodes, HierarchyCut::Leaves, HierarchyCut::Both] {
            all.push(Mondrian { model, hierarchy_cut });
        }
    }
    all
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn groups_hold_every_row_once(rows in rows(), k in 1u64..7) {
        let table = table(&rows, &[None, None, None, Some(letters())]);
        prop_assume!(k <= rows.len() as u64);
        for mondrian in every_mondrian() {
            let mut found = partition(&table, &mondrian, &k_anonymity(k));
            check(&table, &found, k as usize);
            let tree = found.tree.clone().unwrap();
            let mut by_cuts = found.clone();
            by_cuts.regions = tree.regions(&domains(&table), Some(&found.regions));
            check(&table, &by_cuts, k as usize);
            found.coalesce(&domains(&table));
            check(&table, &found, k as usize);
        }
    }

    #[test]
    fn strict_groups_keep_equal_tuples_together(rows in rows(), k in 1u64..7) {
        let table = table(&rows, &[None, None, None, Some(letters())]);
        prop_assume!(k <= rows.len() as u64);
        let found = partition(&table, &Mondrian::default(), &k_anonymity(k));
        let mut group_of = BTreeMap::new();
        for group in 0..found.groups() {
            for &row in found.rows(group) {
                let tuple = &rows[row as usize];
                prop_assert_eq!(*group_of.entry(tuple).or_insert(group), group);
            }
        }
    }

    /// Theorem 2, and that no group has a cut left: checked against every threshold there is.
    #[test]
    fn strict_partitionings_are_minimal_and_bounded(
        cells in prop::collection::vec((0..12u32, 0..4u32, 0..6u32), 2..150), k in 1u64..6
    ) {
        let rows: Vec<Vec<String>> =
            cells.iter().map(|(a, b, c)| vec![a.to_string(), b.to_string(), c.to_string()]).collect();
        prop_assume!(k <= rows.len() as u64);
        let table = table(&rows, &[]);
        let found = partition(&table, &Mondrian::default(), &k_anonymity(k));
        let mut copies: BTreeMap<&Vec<String>, u64> = BTreeMap::new();
        rows.iter().for_each(|row| *copies.entry(row).or_default() += 1);
        let most = copies.values().max().unwrap();
        for group in 0..found.groups() {
            let members = found.rows(group);
            prop_assert!(members.len() as u64 <= 2 * 3 * (k - 1) + most);
            for d in 0..3 {
                for cut in 0..table.domain(d).cardinality() as u32 {
                    let below = members.iter().filter(|&&row| table.codes(d).get(row as usize) <= cut).count() as u64;
                    prop_assert!(below < k || members.len() as u64 - below < k, "an allowable cut is left");
                }
            }
        }
    }

    /// Theorem 5: no group of a relaxed partitioning has 2k rows, but for copies of one tuple.
    #[test]
    fn relaxed_groups_are_smaller_than_2k(rows in rows(), k in 1u64..7) {
        let ordered: Vec<Vec<String>> = rows.iter().map(|row| row[..2].to_vec()).collect();
        let table = table(&ordered, &[]);
        prop_assume!(k <= rows.len() as u64);
        let found = partition(&table, &Mondrian { model: Model::Relaxed, ..Mondrian::default() }, &k_anonymity(k));
        for group in 0..found.groups() {
            let members = found.rows(group);
            let copies = members.iter().all(|&row| ordered[row as usize] == ordered[members[0] as usize]);
            prop_assert!(copies || (members.len() as u64) < 2 * k);
        }
    }

    #[test]
    fn threads_change_nothing(seed in 0u64..1000, k in 2u64..30) {
        let mut state = seed;
        let mut next = |bound: u64| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 33) % bound
        };
        let rows: Vec<Vec<String>> = (0..20_000)
            .map(|_| vec![next(90).to_string(), next(1000).to_string(), ["x", "y", "z"][next(3) as usize].into()])
            .collect();
        let table = table(&rows, &[]);
        let run = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| partition(&table, &Mondrian::default(), &k_anonymity(k)))
        };
        let (one, three) = (run(1), run(3));
        prop_assert_eq!(one.order, three.order);
        prop_assert_eq!(one.ends, three.ends);
        prop_assert_eq!(one.tree, three.tree);
    }

    #[test]
    fn published_intervals_are_as_wide_as_required(rows in rows(), k in 1u64..4, width in 1u32..12) {
        let table = table(&rows, &[None, None, None, Some(letters())]);
        let limit = Decimal::whole(i128::from(width));
        let requirements: Vec<Box<dyn Requirement>> = vec![
            Box::new(KAnonymity::new(k).unwrap()),
            LengthRestriction::parse("q0", &limit.to_string()).unwrap(),
            LengthRestriction::parse("q2", "2").unwrap(),
        ];
        let feasible = klimt_core::requirement::Checks::new(&requirements, &table).unwrap().feasible(&table).is_ok();
        prop_assume!(feasible);
        for mondrian in every_mondrian() {
            let found = partition(&table, &mondrian, &requirements);
            check(&table, &found, k as usize);
            for group in 0..found.groups() {
                match found.regions.cell(group, 0, table.domain(0)) {
                    Cell::Interval { lo, hi } => {
                        let reached = table.domain(0).position(hi) - table.domain(0).position(lo);
                        prop_assert!(reached >= i128::from(width));
                    }
                    cell => prop_assert_eq!(cell, Cell::All),
                }
                if let Cell::Set(members) = found.regions.cell(group, 2, table.domain(2)) {
                    prop_assert!(members.len() >= 2);
                }
            }
        }
    }
}

const PATIENTS: [[&str; 3]; 6] = [
    ["25", "Male", "53711"],
    ["25", "Female", "53712"],
    ["26", "Male", "53711"],
    ["27", "Male", "53710"],
    ["27", "Female", "53712"],
    ["28", "Male", "53711"],
];

fn published(table: &Table, partitioning: &Partitioning, extents: Extents) -> Vec<Vec<String>> {
    let release = Release::new(table, partitioning, extents, RowOrder::Kept, &[]);
    let groups = release.group_by_row();
    let text = |group: u32, d: usize| {
        let mut out = Vec::new();
        release.write_group(group as usize, Source::Generalised(d), &mut out);
        String::from_utf8(out).unwrap()
    };
    groups.iter().map(|group| (0..3).map(|d| text(group.unwrap(), d)).collect()).collect()
}

/// Fig. 3 of the paper: the 2-anonymization of Patients. All three columns are equally wide at first. The cut of the sexes
/// leaves nothing to pay for them, and is that of the zipcodes, which the paper cuts.
#[test]
fn patients_are_published_as_in_the_paper() {
    for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
        let columns = |row: [&str; 3]| order.map(|column| row[column].to_string()).to_vec();
        let table = table(&PATIENTS.map(columns), &[]);
        let found = partition(&table, &Mondrian::default(), &k_anonymity(2));
        check(&table, &found, 2);
        let expected = [
            ["[25..26]", "Male", "53711"],
            ["[25..27]", "Female", "53712"],
            ["[25..26]", "Male", "53711"],
            ["[27..28]", "Male", "[53710..53711]"],
            ["[25..27]", "Female", "53712"],
            ["[27..28]", "Male", "[53710..53711]"],
        ];
        assert_eq!(published(&table, &found, Extents::Compact), expected.map(columns));
    }
}

/// The dimension of the first cut.
fn first_cut(rows: &[Vec<String>], k: u64, weights: &[f64]) -> u32 {
    let found = weighted(&table(rows, &[]), &Mondrian::default(), &k_anonymity(k), weights);
    match found.tree.unwrap().nodes[0] {
        CutNode::Threshold { dimension, .. } | CutNode::Subset { dimension, .. } => dimension,
        CutNode::Leaf { .. } => panic!("no cut"),
    }
}

#[test]
fn the_widest_dimension_is_cut_then_the_one_that_pays_least_then_the_first() {
    let grid: Vec<Vec<String>> = (0..64).map(|n| vec![(n / 8).to_string(), (n % 8).to_string()]).collect();
    assert_eq!(first_cut(&grid, 8, &[1.0, 1.0]), 0);
    assert_eq!(first_cut(&grid, 8, &[1.0, 1.5]), 1, "the widest with its weight");
    // Half of the second column's values lie at either end: a cut leaves nothing between them.
    let ends = |n: u32| if n % 8 < 4 { "0" } else { "7" };
    let rows: Vec<Vec<String>> = (0..64).map(|n| vec![(n / 8).to_string(), ends(n).to_string()]).collect();
    assert_eq!(first_cut(&rows, 8, &[1.0, 1.0]), 1);
    assert_eq!(first_cut(&rows, 8, &[1.01, 1.0]), 0, "only where they are equally wide");
    // No cut of the second column leaves enough rows.
    let rows: Vec<Vec<String>> =
        (0..64).map(|n| vec![(n / 8).to_string(), u32::from(n == 0).to_string()]).collect();
    assert_eq!(first_cut(&rows, 8, &[1.0, 1.0]), 0);
}

/// Fig. 6: relaxed partitioning of the zipcodes alone, k = 3.
#[test]
fn zipcodes_alone_split_in_the_relaxed_model_only() {
    let rows = ["53711", "53712", "53711", "53710", "53712", "53711"].map(|zip| vec![zip.to_string()]);
    let table = table(&rows, &[]);
    assert_eq!(partition(&table, &Mondrian::default(), &k_anonymity(3)).groups(), 1);
    let relaxed = Mondrian { model: Model::Relaxed, ..Mondrian::default() };
    let found = partition(&table, &relaxed, &k_anonymity(3));
    check(&table, &found, 3);
    assert_eq!(found.groups(), 2);
    let cell = |group| found.regions.cell(group, 0, table.domain(0));
    assert_eq!([cell(0), cell(1)], [Cell::Interval { lo: 0, hi: 1 }, Cell::Interval { lo: 1, hi: 2 }]);
}

#[test]
fn sets_are_cut_where_an_order_could_not_be() {
    // Five a, a hundred b, five c: no cut of the order leaves ten on both sides, {a|c} against b does.
    let rows: Vec<Vec<String>> = [("a", 5), ("b", 100), ("c", 5)]
        .iter()
        .flat_map(|(text, times)| vec![vec![text.to_string()]; *times])
        .collect();
    let table = table(&rows, &[]);
    assert!(matches!(table.domain(0).shape(), Shape::Set));
    let found = partition(&table, &Mondrian::default(), &k_anonymity(10));
    check(&table, &found, 10);
    assert_eq!(found.groups(), 2);
}

/// A part that holds nothing but missing values in a hierarchy is cut in other dimensions.
#[test]
fn missing_values_alone_are_no_node() {
    let numbers = ["0", "1", "2", "3", "", ""];
    let rows: Vec<Vec<String>> = numbers.iter().map(|n| vec![n.to_string(), String::new()]).collect();
    let table = table(&rows, &[None, Some(letters())]);
    for k in 1..4 {
        for mondrian in every_mondrian() {
            check(&table, &partition(&table, &mondrian, &k_anonymity(k)), k as usize);
        }
    }
}
