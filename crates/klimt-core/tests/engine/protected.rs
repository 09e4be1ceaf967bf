//! Mondrian under requirements of sensitive columns, with every split criterion.

use crate::common::{column, letters};
use klimt_core::algorithm::mondrian::{HierarchyCut, Model, Mondrian};
use klimt_core::job::{Budget, Job, Partitioner, Suppression, Unobserved};
use klimt_core::loss::{Discernibility, Original};
use klimt_core::partition::Partitioning;
use klimt_core::registry;
use klimt_core::requirement::{Checks, Requirement};
use klimt_core::split::SplitCriterion;
use klimt_core::statistics::Collector;
use klimt_core::table::{ColumnSpec, Role, Table};
use proptest::prelude::*;

type Row = (u8, u8, u8, u8, u8);

/// Two ordered quasi-identifiers, one with missing values, a set and a hierarchy; a sensitive column and two targets.
fn people(rows: &[Row], only_ordered: bool) -> Table {
    let texts = |of: &dyn Fn(&Row) -> String| rows.iter().map(of).collect::<Vec<_>>();
    let mut columns = Vec::new();
    let mut add = |name: &str, role: Role, hierarchy: bool, values: Vec<String>| {
        let mut spec = ColumnSpec::new(name, role);
        spec.hierarchy = hierarchy.then(letters);
        columns.push(column(&spec, &values.iter().map(String::as_str).collect::<Vec<_>>()));
    };
    let quasi = Role::QuasiIdentifier;
    add("age", quasi, false, texts(&|row| row.0.to_string()));
    if only_ordered {
        add("size", quasi, false, texts(&|row| (row.1 * 3).to_string()));
    } else {
        add("size", quasi, false, texts(&|row| if row.1 == 0 { String::new() } else { row.1.to_string() }));
        add("colour", quasi, false, texts(&|row| ["red", "green", "blue"][row.2 as usize % 3].to_string()));
        add("letter", quasi, true, texts(&|row| char::from(b'a' + row.2 % 8).to_string()));
    }
    add("disease", Role::Sensitive, false, texts(&|row| format!("d{}", row.3)));
    add("class", Role::Target, false, texts(&|row| format!("c{}", row.4 % 3)));
    add("score", Role::Target, false, texts(&|row| format!("{}.5", row.4)));
    Table::new(rows.len(), columns).unwrap()
}

fn rows() -> impl Strategy<Value = Vec<Row>> {
    prop::collection::vec((0u8..12, 0u8..6, 0u8..8, 0u8..4, 0u8..9), 4..120)
}

fn required() -> impl Strategy<Value = Vec<Box<dyn Requirement>>> {
    let flags = vec![
        ("l-diversity", "2"),
        ("l-diversity", "entropy:1.8"),
        ("l-diversity", "recursive:2:2"),
        ("alpha", "0.6"),
        ("t-closeness", "0.3:ordered"),
        ("t-closeness", "0.35:equal"),
        ("epsilon-privacy", "5:3:1"),
        ("beta-likeness", "1.5"),
        ("delta-disclosure", "1.5"),
        ("variance", "1"),
    ];
    (1u64..5, prop::sample::select(flags)).prop_map(|(k, (flag, text))| {
        // The sensitive column holds texts, so a least variance becomes a least width.
        let other = match flag {
            "variance" => registry::requirement("min-width", "age", text),
            _ => registry::requirement(flag, "disease", text),
        };
        vec![registry::requirement("k", "", &k.to_string()).unwrap(), other.unwrap()]
    })
}

fn partition(
    table: &Table,
    required: &[Box<dyn Requirement>],
    mondrian: Mondrian,
    split: &str,
) -> Option<Partitioning> {
    let bound = Checks::new(required, table).ok()?;
    bound.feasible(table).ok()?;
    let weights = vec![1.0; table.dimensions()];
    let original = Original::new(table, &weights);
    let split = SplitCriterion::named(split, &original).unwrap();
    let job = Job {
        table,
        requirements: &bound,
        split: &split,
        loss: &Discernibility,
        suppression: Suppression::NONE,
        budget: Budget::default(),
        weights: &weights,
        keep_tree: true,
        observer: &Unobserved,
    };
    Some(mondrian.partition(&job).unwrap())
}

const SPLITS: [&str; 8] =
    ["median", "box", "box:area", "infogain", "regression", "loss:ncp", "loss:dm", "loss:hdm"];

fn mondrian() -> impl Strategy<Value = Mondrian> {
    let models = prop::sample::select(vec![Model::Strict, Model::Relaxed]);
    let cuts = prop::sample::select(vec![HierarchyCut::Nodes, HierarchyCut::Leaves, HierarchyCut::Both]);
    (models, cuts).prop_map(|(model, hierarchy_cut)| Mondrian { model, hierarchy_cut })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn every_group_satisfies_and_every_row_is_in_one(
        rows in rows(), required in required(), mondrian in mondrian(), split in prop::sample::select(SPLITS.to_vec()),
    ) {
        let table = people(&rows, false);
        let Some(found) = partition(&table, &required, mondrian, split) else { return Ok(()) };
        let bound = Checks::new(&required, &table).unwrap();
        let collector = Collector::new(bound.needs(), &table).unwrap();
        for group in 0..found.groups() {
            prop_assert!(bound.satisfied(&collector.of(found.rows(group))), "{:?} {}", required, split);
        }
        let mut all = found.order.clone();
        all.sort_unstable();
        prop_assert_eq!(all, (0..rows.len() as u32).collect::<Vec<_>>());
        let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
        let other = pool.install(|| partition(&table, &required, mondrian, split)).unwrap();
        prop_assert_eq!((&found.order, &found.ends), (&other.order, &other.ends));
    }

    /// No threshold of any dimension could have cut a group further, whichever criterion chose the cuts.
    #[test]
    fn no_allowable_threshold_is_left(
        rows in rows(), required in required(), split in prop::sample::select(SPLITS.to_vec()),
    ) {
        let table = people(&rows, true);
        let Some(found) = partition(&table, &required, Mondrian::default(), split) else { return Ok(()) };
        let bound = Checks::new(&required, &table).unwrap();
        let collector = Collector::new(bound.needs(), &table).unwrap();
        for group in 0..found.groups() {
            let members = found.rows(group);
            for dimension in 0..table.dimensions() {
                let code = |row: &u32| table.codes(dimension).get(*row as usize);
                let mut codes: Vec<u32> = members.iter().map(code).collect();
                codes.sort_unstable();
                codes.dedup();
                for threshold in &codes[..codes.len() - 1] {
                    let (left, right): (Vec<u32>, Vec<u32>) = members.iter().partition(|row| code(row) <= *threshold);
                    let allowable = [left, right].iter().all(|side| bound.satisfied(&collector.of(side)));
                    prop_assert!(!allowable, "{:?} {}: dimension {} after {}", required, split, dimension, threshold);
                }
            }
        }
    }
}
