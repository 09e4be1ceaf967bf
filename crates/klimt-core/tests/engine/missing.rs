//! A few missing values cost little, whatever the algorithm.

use crate::common::{column, letters};
use klimt_core::Choice;
use klimt_core::algorithm::gensearch::{GenSearch, Splits};
use klimt_core::algorithm::local::Local;
use klimt_core::algorithm::mondrian::{HierarchyCut, Model, Mondrian};
use klimt_core::algorithm::optimal::{Effort, Optimal, improve};
use klimt_core::algorithm::rtree::{BoxSplit, RPlusTree};
use klimt_core::algorithm::scheme::{ColumnScheme, Direction, Pruning, Scheme, SchemeSearch};
use klimt_core::job::{Budget, Job, Observer, Partitioner, Suppression};
use klimt_core::loss::{Original, PartitionGroups, Totals, measure};
use klimt_core::partition::Partitioning;
use klimt_core::recode::{Manner, RecodingFunction};
use klimt_core::region::{Cell, Extents};
use klimt_core::registry;
use klimt_core::requirement::Checks;
use klimt_core::split::SplitCriterion;
use klimt_core::table::{Codes, Column, ColumnData, ColumnSpec, Distinct, Encoding, Role, Table};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Where values are missing.
#[derive(Clone, Copy, Debug)]
enum Where {
    Anywhere,
    SameRow,
    Clustered,
}

struct Random(u64);

impl Random {
    fn below(&mut self, below: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % below
    }
}

/// Numbers below 1000 in every column, of which so many are missing.
fn numbers(rows: usize, columns: usize, missing: usize, place: Where) -> Table {
    numbers_below(1000, rows, columns, missing, place)
}

/// Numbers below a bound in every column, of which so many are missing.
fn numbers_below(bound: u32, rows: usize, columns: usize, missing: usize, place: Where) -> Table {
    let mut random = Random(7);
    let values: Vec<Vec<i64>> =
        (0..columns).map(|_| (0..rows).map(|_| random.below(bound.into()) as i64).collect()).collect();
    let mut gone: Vec<Vec<usize>> = vec![Vec::new(); columns];
    for (column, gone) in gone.iter_mut().enumerate() {
        for number in 0..missing {
            gone.push(match place {
                Where::Anywhere => random.below(rows as u64) as usize,
                Where::SameRow => number * 17 % rows,
                Where::Clustered => column * 100 + number,
            });
        }
    }
    let columns = values.iter().zip(&gone).enumerate().map(|(number, (values, gone))| {
        let name = format!("q{number}");
        let spec = ColumnSpec::new(name.clone(), Role::QuasiIdentifier);
        let domain =
            Encoding::of(&spec, Distinct::Integers((0..bound.into()).collect()), missing > 0).unwrap().domain;
        let code = |row: usize| if gone.contains(&row) { bound } else { values[row] as u32 };
        let codes = Codes::collect(domain.cardinality(), (0..rows).map(code));
        Column { name, role: Role::QuasiIdentifier, data: ColumnData::Coded { domain: domain.into(), codes } }
    });
    Table::new(rows, columns.collect()).unwrap()
}

/// Two columns of numbers below a bound, one of letters with a hierarchy and one of letters with an order.
fn mixed(bound: u64, rows: usize, missing: usize) -> Table {
    let mut random = Random(11);
    let letter = |number: u64| ["a", "b", "c", "d", "e", "f", "g", "h"][number as usize].to_string();
    let columns = (0..4).map(|number| {
        let mut spec = ColumnSpec::new(format!("q{number}"), Role::QuasiIdentifier);
        let mut texts: Vec<String> = match number {
            0 | 1 => (0..rows).map(|_| random.below(bound).to_string()).collect(),
            _ => (0..rows).map(|_| letter(random.below(8))).collect(),
        };
        if number == 2 {
            spec.hierarchy = Some(letters());
        }
        if number == 3 {
            spec.order = Some((0..8).map(letter).collect());
        }
        (0..missing).for_each(|_| texts[random.below(rows as u64) as usize] = String::new());
        column(&spec, &texts.iter().map(String::as_str).collect::<Vec<_>>())
    });
    Table::new(rows, columns.collect()).unwrap()
}

struct Setting<'a> {
    k: u64,
    split: &'a str,
    partitioner: &'a dyn Partitioner,
    effort: Effort,
    extents: Extents,
    /// The number of reports after which a search is stopped: a time limit would depend on the machine.
    reports: usize,
}

/// Stops a search after so many reports.
struct Reports(AtomicUsize);

impl Observer for Reports {
    fn advance(&self, _: u64) {}
    fn cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed) == 0
    }
    fn improved(&self, _: f64, _: f64) {
        let _ = self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1));
    }
}

/// The certainty penalty of what is published.
fn ncp(table: &Table, setting: &Setting<'_>) -> f64 {
    release(table, setting).0
}

/// The certainty penalty of what is published, and how many rows are in groups that publish `*` because of a missing value;
/// every group has k rows, and holds what it says.
fn release(table: &Table, setting: &Setting<'_>) -> (f64, usize) {
    let bound =
        Checks::new(&[registry::requirement("k", "", &setting.k.to_string()).unwrap()], table).unwrap();
    let weights = vec![1.0; table.dimensions()];
    let original = Original::new(table, &weights);
    let split = match setting.split {
        "box" => SplitCriterion::Box(BoxSplit::default()),
        name => SplitCriterion::named(name, &original).unwrap(),
    };
    let loss = registry::LOSSES.iter().find(|(entry, _)| entry.id == "ncp").unwrap().1;
    let cost = loss.cost(&original).unwrap();
    let seconds = if setting.reports == usize::MAX { 4 } else { 120 };
    let observer = Reports(AtomicUsize::new(setting.reports));
    let job = Job {
        table,
        requirements: &bound,
        split: &split,
        loss: &*cost,
        suppression: Suppression::NONE,
        budget: Budget { until: Some(Instant::now() + Duration::from_secs(seconds)), ..Budget::default() },
        weights: &weights,
        keep_tree: true,
        observer: &observer,
    };
    let mut found = setting.partitioner.partition(&job).unwrap();
    if setting.effort != Effort::Fast {
        found = improve(&job, found, setting.effort).unwrap();
    }
    check(table, &found, setting);
    let domains = table.domains();
    if let (Extents::Region, Some(tree)) = (setting.extents, &found.tree) {
        found.regions = tree.regions(&domains, Some(&found.regions));
    }
    found.coalesce(&domains);
    let groups = PartitionGroups { table, partitioning: &found, extents: setting.extents };
    let rows = table.rows() as u64;
    let totals = Totals { rows, suppressed: 0, groups: found.groups() as u64, k: setting.k };
    let starred = |group: &usize| {
        let mut mixed =
            domains.iter().enumerate().map(|(d, domain)| found.regions.mixes_missing(*group, d, domain));
        mixed.any(|mixed| mixed)
    };
    let starred = (0..found.groups()).filter(starred).map(|group| found.rows(group).len()).sum();
    (measure([loss].into_iter(), &original, &groups, &totals).unwrap()[0].1, starred)
}

fn check(table: &Table, found: &Partitioning, setting: &Setting<'_>) {
    let mut order = found.order.clone();
    order.sort_unstable();
    assert_eq!(order, (0..table.rows() as u32).collect::<Vec<_>>());
    for group in 0..found.groups() {
        assert!(found.rows(group).len() as u64 >= setting.k);
        for dimension in 0..table.dimensions() {
            let domain = table.domain(dimension);
            let cell = found.regions.cell(group, dimension, domain);
            for &row in found.rows(group) {
                let code = table.codes(dimension).get(row as usize);
                let holds = match cell {
                    Cell::Interval { lo, hi } => {
                        (lo..=hi).contains(&code) && Some(code) != domain.missing_code()
                    }
                    Cell::Node(node) => {
                        let tree = domain.hierarchy().unwrap();
                        let (lo, hi) = tree.span(node);
                        (lo..=hi).contains(&code) || node == tree.root()
                    }
                    Cell::Set(members) => members.contains(&code),
                    Cell::Missing => Some(code) == domain.missing_code(),
                    Cell::All => true,
                };
                assert!(holds, "row {row} of group {group}");
            }
        }
    }
    // The cuts lead every row to its group, and so does the recoding function.
    let Some(tree) = found.tree.as_ref().filter(|_| found.strict) else { return };
    let planted = Partitioning::planted(table, tree.clone()).unwrap();
    let sorted = |found: &Partitioning, group: usize| {
        let mut rows = found.rows(group).to_vec();
        rows.sort_unstable();
        rows
    };
    assert_eq!(planted.groups(), found.groups());
    (0..found.groups()).for_each(|group| assert_eq!(sorted(&planted, group), sorted(found, group)));
    let function = RecodingFunction::new(table, tree, &found.regions, setting.k, setting.extents, false);
    let saved = RecodingFunction::from_json(function.to_json().as_bytes(), "saved").unwrap();
    let applied = saved.apply(table, Manner { extents: setting.extents, apart: false }).unwrap().partitioning;
    let mut groups: Vec<Vec<u32>> = (0..applied.groups()).map(|group| sorted(&applied, group)).collect();
    let mut expected: Vec<Vec<u32>> = (0..found.groups()).map(|group| sorted(found, group)).collect();
    groups.sort();
    expected.sort();
    assert!(groups == expected, "the recoding function makes other groups");
}

const FAST: Effort = Effort::Fast;

fn quick<'a>(k: u64, split: &'a str, partitioner: &'a dyn Partitioner) -> Setting<'a> {
    Setting { k, split, partitioner, effort: FAST, extents: Extents::Compact, reports: usize::MAX }
}

fn grows_little(before: f64, after: f64, what: &str) {
    assert!(after <= before * 1.02, "{what}: {after} instead of {before}");
}

#[test]
fn fewer_than_k_missing_values_cost_little_where_parts_are_cut() {
    let mondrian = Mondrian::default();
    let relaxed = Mondrian { model: Model::Relaxed, ..mondrian };
    let tree = RPlusTree { mondrian, base: None };
    let settings: [(&str, &str, &dyn Partitioner); 5] = [
        ("mondrian", "median", &mondrian),
        ("relaxed", "median", &relaxed),
        ("box", "box", &mondrian),
        ("rtree", "box", &tree),
        ("greedy", "loss:ncp", &mondrian),
    ];
    let (rows, columns) = (100_000, 5);
    let whole = numbers(rows, columns, 0, Where::Anywhere);
    for (name, split, partitioner) in settings {
        let before = ncp(&whole, &quick(10, split, partitioner));
        for (missing, place) in
            [(1, Where::Anywhere), (9, Where::Anywhere), (9, Where::SameRow), (5, Where::Clustered)]
        {
            let after = ncp(&numbers(rows, columns, missing, place), &quick(10, split, partitioner));
            eprintln!("{name} {missing} {place:?}: {before:.4} {after:.4}");
            grows_little(before, after, &format!("{name}, {missing} missing, {place:?}"));
        }
    }
    // Values of few rows each: a hundred rows with the same value could only go with the 99 together.
    let of = |missing: usize| numbers_below(50_000, rows, columns, missing, Where::Anywhere);
    let (whole, few) = (of(0), of(99));
    for (name, split, partitioner) in &settings[..4] {
        let setting = quick(100, split, *partitioner);
        let (before, after) = (ncp(&whole, &setting), ncp(&few, &setting));
        eprintln!("{name} k=100, 99 missing: {before:.4} {after:.4}");
        grows_little(before, after, &format!("{name}, k = 100, 99 missing"));
    }
}

#[test]
fn fewer_than_k_missing_values_cost_little_with_hierarchies_and_orders() {
    let both = Mondrian::default();
    let nodes = Mondrian { hierarchy_cut: HierarchyCut::Nodes, ..both };
    let leaves = Mondrian { hierarchy_cut: HierarchyCut::Leaves, ..both };
    // With 16 rows without a value, 16 groups of five or more pay for a column.
    let (whole, few) = (mixed(500, 120_000, 0), mixed(500, 120_000, 4));
    let settings: [(&str, &str, &dyn Partitioner); 5] = [
        ("both", "median", &both),
        ("nodes", "median", &nodes),
        ("leaves", "median", &leaves),
        ("box", "box", &both),
        ("greedy", "loss:ncp", &both),
    ];
    for (name, split, partitioner) in settings {
        let (before, after) =
            (ncp(&whole, &quick(5, split, partitioner)), ncp(&few, &quick(5, split, partitioner)));
        eprintln!("{name}: {before:.4} {after:.4}");
        grows_little(before, after, name);
    }
}

#[test]
fn searches_find_what_greedy_algorithms_find() {
    let (whole, few) = (numbers(16_000, 4, 0, Where::Anywhere), numbers(16_000, 4, 3, Where::Anywhere));
    let start = || Box::new(Mondrian::default());
    let optimal = Optimal { start: start() };
    // The split that cuts missing values off is not one of those that are asked for.
    let [coarse, gensearch] = [7, 15].map(|splits| GenSearch {
        splits: Splits::at_most(splits),
        seed: Some(start()),
        ..GenSearch::default()
    });
    let mondrian = Mondrian::default();
    let local = Local::default();
    let settings: [(&str, &dyn Partitioner, Effort); 6] = [
        ("optimal", &optimal, FAST),
        ("gensearch, at most 7", &coarse, FAST),
        ("gensearch, at most 15", &gensearch, FAST),
        ("local", &local, FAST),
        ("balanced", &mondrian, Effort::Balanced),
        ("best", &mondrian, Effort::Best),
    ];
    for (name, partitioner, effort) in settings {
        // A search over splits tells of its start, and then of the first descent from the undivided space.
        let reports = if name.starts_with("gensearch") { 2 } else { usize::MAX };
        let setting = Setting { effort, reports, ..quick(4, "median", partitioner) };
        let (before, after) = (ncp(&whole, &setting), ncp(&few, &setting));
        eprintln!("{name}: {before:.4} {after:.4}");
        grows_little(before, after, name);
    }
}

#[test]
fn schemes_keep_their_blocks_with_a_few_missing_values() {
    // Few values, so that both searches have come to an end of their finds long before their time is over.
    let (whole, few) = (mixed(8, 30_000, 0), mixed(8, 30_000, 4));
    for (scheme, of_letters) in [(Scheme::Ops, Scheme::Ghs), (Scheme::Sps, Scheme::Bhs)] {
        let of = |number: usize| ColumnScheme::new(if number == 2 { of_letters } else { scheme });
        let search = SchemeSearch {
            columns: (0..4).map(of).collect(),
            direction: Direction::Auto,
            pruning: Pruning::default(),
            seed: 1,
        };
        let setting = Setting { extents: Extents::Region, ..quick(5, "median", &search) };
        let before = ncp(&whole, &setting);
        let (after, starred) = release(&few, &setting);
        eprintln!("{scheme:?}: {before:.4} {after:.4}, {starred} rows");
        grows_little(before, after, scheme.name());
        assert!(starred <= 16 * 2 * 5, "{}: {starred} rows pay for 16", scheme.name());
    }
}

/// Rows without a value complete the smaller side of the only cut that there is.
#[test]
fn missing_values_go_left_where_only_that_is_allowed() {
    for (first, missing, others) in [(9, 5, 986), (10, 5, 985), (100, 5, 895)] {
        let texts: Vec<&str> = [("0", first), ("", missing), ("1", others)]
            .iter()
            .flat_map(|(text, rows)| vec![*text; *rows])
            .collect();
        let spec = ColumnSpec::new("q0", Role::QuasiIdentifier);
        let table = Table::new(texts.len(), vec![column(&spec, &texts)]).unwrap();
        let mondrian = Mondrian::default();
        let optimal = Optimal { start: Box::new(mondrian) };
        let settings: [(&str, &dyn Partitioner); 3] =
            [("median", &mondrian), ("box", &mondrian), ("median", &optimal)];
        for (split, partitioner) in settings {
            let paid = ncp(&table, &quick(10, split, partitioner));
            assert_eq!(paid, (first + missing) as f64 / texts.len() as f64, "{split}, {first} rows");
        }
    }
}
