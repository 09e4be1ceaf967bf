//! Statistics are a commutative monoid, and requirements are monotone under merging.

use crate::common::{column, letters, table};
use klimt_core::registry::{self, Subject};
use klimt_core::requirement::{Check, Checks, Requirement, TableFacts};
use klimt_core::spill::{Block, HeldRows, Rows};
use klimt_core::statistics::{Collector, Needs, Statistics, StatisticsTally};
use klimt_core::table::{ColumnSpec, Role, Table};
use proptest::prelude::*;
use std::slice;
use std::sync::LazyLock;

const ROWS: u32 = 60;

/// Three quasi-identifiers, and three sensitive columns: categories with a missing value, numbers, and leaves of a
/// hierarchy.
fn sample() -> &'static Table {
    static SAMPLE: LazyLock<Table> = LazyLock::new(make_sample);
    &SAMPLE
}

fn make_sample() -> Table {
    let text = |list: &[&str], n: u32| list[n as usize % list.len()].to_string();
    let letter = |n: u32| char::from(b'a' + (n % 8) as u8).to_string();
    let rows: Vec<Vec<String>> = (0..ROWS)
        .map(|n| vec![(n * 13 % 41).to_string(), text(&["red", "green", "blue", ""], n * 7), letter(n * 5)])
        .collect();
    let plain = table(&rows, &[None, None, Some(letters())]);
    let mut columns = plain.columns().to_vec();
    let mut sensitive = |name: &str, hierarchy: bool, texts: Vec<String>| {
        let mut spec = ColumnSpec::new(name, Role::Sensitive);
        spec.hierarchy = hierarchy.then(letters);
        columns.push(column(&spec, &texts.iter().map(String::as_str).collect::<Vec<_>>()));
    };
    let skewed = |n: u32| n * n % 17 % 5;
    sensitive(
        "disease",
        false,
        (0..ROWS).map(|n| text(&["flu", "flu", "gout", "", "hiv"], skewed(n))).collect(),
    );
    sensitive("salary", false, (0..ROWS).map(|n| format!("{}.5", n * 29 % 23)).collect());
    sensitive("letter", true, (0..ROWS).map(|n| letter(skewed(n) * 3)).collect());
    Table::new(rows.len(), columns).unwrap()
}

fn of(needs: &Needs, table: &Table, rows: &[u32]) -> Statistics {
    Collector::new(needs, table).unwrap().of(rows)
}

/// Every requirement of the registry on every column that it fits, with parameters that random groups meet and miss.
fn every_requirement() -> &'static [Box<dyn Requirement>] {
    static EVERY: LazyLock<Vec<Box<dyn Requirement>>> = LazyLock::new(make_every_requirement);
    &EVERY
}

fn make_every_requirement() -> Vec<Box<dyn Requirement>> {
    let texts: &[(&str, &[&str])] = &[
        ("k-anonymity", &["4"]),
        ("distinct-l-diversity", &["distinct:3"]),
        ("entropy-l-diversity", &["entropy:2", "entropy:2.5"]),
        ("recursive-cl-diversity", &["recursive:1.5:2", "recursive:2:3", "recursive:0.5:1"]),
        ("alpha-k-anonymity", &["0.5", "0.7"]),
        ("t-closeness", &["0.2:ordered", "0.3:equal", "0.25:hierarchical"]),
        ("variance-diversity", &["20", "40.25"]),
        ("epsilon-privacy", &["3:4", "10:20:2", "10:100:10"]),
        ("beta-likeness", &["basic:1", "enhanced:1", "0.5"]),
        ("delta-disclosure", &["0.7", "1.2"]),
        ("length-restriction", &["9", "2", "4"]),
    ];
    let mut requirements = Vec::new();
    for entry in registry::REQUIREMENTS {
        let (_, texts) = texts.iter().find(|(id, _)| *id == entry.id).expect("a case for every requirement");
        let columns: &[&str] = match entry.subject {
            Subject::Rows => &[""],
            Subject::QuasiIdentifier => &["q0", "q1", "q2"],
            Subject::Sensitive => &["disease", "salary", "letter"],
        };
        let all = columns.iter().flat_map(|column| texts.iter().map(move |text| (column, text)));
        let made = all.map(|(column, text)| registry::requirement(entry.flag, column, text).unwrap());
        let before = requirements.len();
        requirements.extend(made.filter(|made| made.bind(&TableFacts::of(sample())).is_ok()));
        assert!(requirements.len() > before && requirements[before].id() == entry.id);
    }
    requirements
}

/// Every requirement, bound to the sample.
fn every_check() -> impl Iterator<Item = (&'static dyn Requirement, &'static dyn Check)> {
    static BOUND: LazyLock<Vec<Box<dyn Check>>> = LazyLock::new(|| {
        every_requirement().iter().map(|made| made.bind(&TableFacts::of(sample())).unwrap()).collect()
    });
    every_requirement().iter().zip(BOUND.iter()).map(|(requirement, check)| (&**requirement, &**check))
}

fn rows() -> impl Strategy<Value = Vec<u32>> {
    prop::collection::vec(0..ROWS, 0..14)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn statistics_merge_in_any_order(a in rows(), b in rows(), c in rows()) {
        let table = sample();
        let needs = Needs { extents: vec![0, 1, 2], histograms: vec![1, 2, 3], moments: vec![4] };
        let [x, y, z] = [&a, &b, &c].map(|rows| of(&needs, table, rows));
        let merged = |first: &Statistics, second: &Statistics| {
            let mut merged = first.clone();
            merged.merge(second);
            merged
        };
        prop_assert_eq!(merged(&x, &y), merged(&y, &x));
        prop_assert_eq!(merged(&merged(&x, &y), &z), merged(&x, &merged(&y, &z)));
        prop_assert_eq!(&merged(&x, &of(&needs, table, &[])), &x);
        let all: Vec<u32> = a.iter().chain(&b).copied().collect();
        prop_assert_eq!(merged(&x, &y), of(&needs, table, &all));
    }

    #[test]
    fn a_union_satisfies_what_its_parts_do(a in rows(), b in rows()) {
        let table = sample();
        for requirement in every_requirement() {
            let what = requirement.describe();
            let bound = Checks::new(slice::from_ref(requirement), table).unwrap();
            let [x, y] = [&a, &b].map(|rows| of(bound.needs(), table, rows));
            let mut union = x.clone();
            union.merge(&y);
            if x.count > 0 && y.count > 0 && bound.satisfied(&x) && bound.satisfied(&y) {
                prop_assert!(bound.satisfied(&union), "{}", what);
            }
        }
    }

    #[test]
    fn a_group_satisfies_what_its_level_says(a in rows()) {
        let table = sample();
        for (requirement, check) in every_check() {
            let group = of(&check.needs(), table, &a);
            if group.count > 0 {
                let level = check.level(&group);
                let admitted = requirement.side().admits(&level, &requirement.limit());
                prop_assert_eq!(check.satisfied(&group), admitted, "{} {}", requirement.describe(), level);
                prop_assert!(!check.satisfied(&group) || group.count >= requirement.minimum_size());
            }
        }
    }

    #[test]
    fn a_verdict_stands_as_long_as_it_is_said_to(a in rows(), b in prop::collection::vec(0..ROWS, 0..40)) {
        let table = sample();
        for (requirement, check) in every_check() {
            let group = of(&check.needs(), table, &a);
            if group.count > 0 {
                let steady = check.steady(&group).min(b.len() as u64) as usize;
                for added in [1, steady / 2, steady].into_iter().filter(|&added| added > 0 && added <= steady) {
                    let grown: Vec<u32> = a.iter().chain(&b[..added]).copied().collect();
                    let same = check.satisfied(&of(&check.needs(), table, &grown)) == check.satisfied(&group);
                    prop_assert!(same, "{} after {} rows", requirement.describe(), added);
                    // The same value again and again is the worst that can come.
                    let worst: Vec<u32> = a.iter().copied().chain(std::iter::repeat_n(b[0], added)).collect();
                    let same = check.satisfied(&of(&check.needs(), table, &worst)) == check.satisfied(&group);
                    prop_assert!(same, "{} after {} times a row", requirement.describe(), added);
                }
            }
        }
    }

    #[test]
    fn no_group_is_smaller_than_the_least_size(a in prop::collection::btree_set(0..ROWS, 1..60)) {
        let (table, rows) = (sample(), a.into_iter().collect::<Vec<u32>>());
        for (requirement, check) in every_check() {
            if check.satisfied(&of(&check.needs(), table, &rows)) {
                prop_assert!(rows.len() as u64 >= check.least_size(), "{}", requirement.describe());
            }
        }
    }

    #[test]
    fn a_tally_of_blocks_has_the_statistics_of_all_rows(block in 1..70usize, expected in 0..80u64) {
        let table = sample();
        let needs = Needs { extents: vec![0, 1, 2], histograms: vec![1, 2, 3], moments: vec![4] };
        let collector = Collector::new(&needs, table).unwrap();
        let (mut tally, source) = (StatisticsTally::new(&collector, expected), HeldRows::new(table, block));
        let mut read = Block::empty(table);
        for number in 0..source.blocks() {
            source.read(number, &mut read).unwrap();
            tally.add(&read);
        }
        prop_assert_eq!(tally.finish(), of(&needs, table, &(0..ROWS).collect::<Vec<_>>()));
    }
}
