//! Optimal partitionings cost as little as any hierarchical partitioning, for every loss and every requirement.

use crate::brute::optimum;
use crate::common::{column, letters, table, workload};
use klimt_core::algorithm::optimal::dense::{self, DenseOutcome, DenseSolution, Grid};
use klimt_core::job::{Budget, Job, Observer, Suppression, Unobserved};
use klimt_core::loss::{Cost, Original};
use klimt_core::partition::{CutTree, Partitioning};
use klimt_core::registry::{self, Subject};
use klimt_core::requirement::{Checks, Requirement};
use klimt_core::split::SplitCriterion;
use klimt_core::statistics::Collector;
use klimt_core::table::{ColumnSpec, Role, Table};
use proptest::prelude::*;
use std::ops::Range;
use std::time::Instant;

/// The kinds of domains of the dimensions of a random table.
pub const KINDS: usize = 5;

/// The text of a random number in a dimension of some kind: numbers with gaps, numbers or none, letters of a hierarchy,
/// letters or none, one of two texts, and (where `KINDS` is exceeded) one of many.
fn cell(kind: usize, number: u32) -> String {
    let letter = |number: u32| char::from(b'a' + (number % 8) as u8).to_string();
    match kind {
        0 => (number % 6 * (number % 6)).to_string(),
        1 if number % 7 == 6 => String::new(),
        1 => (number % 7).to_string(),
        2 => letter(number),
        3 if number % 9 == 8 => String::new(),
        3 => letter(number % 9),
        5 => ["pear", "fig", "", "plum", "lime"][number as usize % 5].to_string(),
        _ => ["no", "yes"][number as usize % 2].to_string(),
    }
}

/// A table with dimensions of the given kinds, three sensitive columns, a class label and a numeric target.
pub fn random_table(kinds: &[usize], rows: &[Vec<u32>]) -> Table {
    let texts: Vec<Vec<String>> = rows
        .iter()
        .map(|row| kinds.iter().zip(row).map(|(&kind, &number)| cell(kind, number)).collect())
        .collect();
    let hierarchies: Vec<_> = kinds.iter().map(|kind| matches!(kind, 2 | 3).then(letters)).collect();
    let mut columns = table(&texts, &hierarchies).columns().to_vec();
    let mut add = |name: &str, role: Role, hierarchy: bool, text: &dyn Fn(u32) -> String| {
        let mut spec = ColumnSpec::new(name, role);
        spec.hierarchy = hierarchy.then(letters);
        let texts: Vec<String> = rows.iter().map(|row| text(row[4 + columns.len() % 3])).collect();
        columns.push(column(&spec, &texts.iter().map(String::as_str).collect::<Vec<_>>()));
    };
    add("disease", Role::Sensitive, false, &|n| ["flu", "gout", "", "hiv"][n as usize % 4].to_string());
    add("salary", Role::Sensitive, false, &|n| format!("{}.5", n % 23));
    add("letter", Role::Sensitive, true, &|n| cell(2, n / 3));
    add("class", Role::Target, false, &|n| ["good", "bad", "ugly"][n as usize % 3].to_string());
    add("income", Role::Target, false, &|n| (n % 31).to_string());
    Table::new(rows.len(), columns).unwrap()
}

/// Every requirement of the registry, on every column that it may fit.
pub fn every_requirement(dimensions: usize) -> Vec<Box<dyn Requirement>> {
    let texts: &[(&str, &[&str])] = &[
        ("k-anonymity", &["2", "3"]),
        ("distinct-l-diversity", &["distinct:2", "distinct:3"]),
        ("entropy-l-diversity", &["entropy:1.5", "entropy:2"]),
        ("recursive-cl-diversity", &["recursive:1.5:2", "recursive:3:2"]),
        ("alpha-k-anonymity", &["0.5", "0.7"]),
        ("t-closeness", &["0.3:ordered", "0.4:equal", "0.35:hierarchical"]),
        ("variance-diversity", &["5", "20.25"]),
        ("epsilon-privacy", &["3:4", "10:9:1"]),
        ("beta-likeness", &["basic:1", "enhanced:2"]),
        ("delta-disclosure", &["1.2"]),
        ("length-restriction", &["2", "4"]),
    ];
    let dimensions: Vec<String> = (0..dimensions).map(|dimension| format!("q{dimension}")).collect();
    let mut requirements = Vec::new();
    for entry in registry::REQUIREMENTS {
        let (_, texts) = texts.iter().find(|(id, _)| *id == entry.id).expect("a case for every requirement");
        let columns: Vec<&str> = match entry.subject {
            Subject::Rows => vec![""],
            Subject::QuasiIdentifier => dimensions.iter().map(String::as_str).collect(),
            Subject::Sensitive => vec!["disease", "salary", "letter"],
        };
        for column in columns {
            requirements
                .extend(texts.iter().map(|text| registry::requirement(entry.flag, column, text).unwrap()));
        }
    }
    requirements
}

pub fn job<'a>(table: &'a Table, bound: &'a Checks, loss: &'a dyn Cost, weights: &'a [f64]) -> Job<'a> {
    Job {
        table,
        requirements: bound,
        split: &SplitCriterion::Median,
        loss,
        suppression: Suppression::NONE,
        budget: Budget::default(),
        weights,
        keep_tree: true,
        observer: &Unobserved,
    }
}

fn solve(job: &Job<'_>, price: Option<f64>) -> DenseOutcome {
    dense::solve(job, price, 1 << 24).unwrap()
}

/// Whether a cost is the expected one: exactly where both are whole numbers.
pub fn is_same(found: f64, expected: f64) -> bool {
    let whole = found.fract() == 0.0 && expected.fract() == 0.0;
    if whole { found == expected } else { (found - expected).abs() <= 1e-9 * expected.abs().max(1.0) }
}

/// The cost of a tree, from its rows; every group that is not suppressed satisfies the requirements.
pub fn planted_cost(job: &Job<'_>, tree: &CutTree, suppressed: &[usize], price: Option<f64>) -> f64 {
    let planted = Partitioning::planted(job.table, tree.clone()).unwrap();
    assert_eq!(planted.tree.as_ref(), Some(tree), "leaves know their rows, and none is empty");
    let requirements = Collector::new(job.requirements.needs(), job.table).unwrap();
    let loss = Collector::new(&job.loss.needs(), job.table).unwrap();
    let cost = |group: usize| {
        let rows = planted.rows(group);
        if suppressed.contains(&group) {
            return price.unwrap() * rows.len() as f64;
        }
        assert!(job.requirements.satisfied(&requirements.of(rows)));
        job.loss.group(&loss.of(rows))
    };
    (0..planted.groups()).map(cost).sum()
}

/// Solves and compares with the best of all partitionings.
fn check(job: &Job<'_>, price: Option<f64>, what: &str) -> Option<DenseSolution> {
    let expected = optimum(job.table, job.requirements, job.loss, price);
    match (solve(job, price), expected) {
        (DenseOutcome::Solved(solved), Some(expected)) => {
            assert!(is_same(solved.cost, expected), "{what}: {} instead of {expected}", solved.cost);
            let cost = planted_cost(job, &solved.tree, &solved.suppressed, price);
            assert!(is_same(cost, solved.cost), "{what}: {cost} when planted, not {}", solved.cost);
            assert_eq!(solved.bound, solved.cost, "{what}");
            Some(solved)
        }
        (DenseOutcome::Infeasible, None) => None,
        (found, expected) => panic!("{what}: {found:?} instead of {expected:?}"),
    }
}

pub fn rows(count: Range<usize>) -> impl Strategy<Value = Vec<Vec<u32>>> {
    prop::collection::vec(prop::collection::vec(0..5040u32, 7), count)
}

fn kinds(count: Range<usize>) -> impl Strategy<Value = Vec<usize>> {
    prop::collection::vec(0..KINDS, count)
}

/// Compares the optimum with all partitionings of a random table, for every loss, with and without suppression.
fn check_every_loss(
    kinds: &[usize],
    rows: &[Vec<u32>],
    k: u64,
    chosen: prop::sample::Index,
    share: Option<f64>,
) {
    let table = random_table(kinds, rows);
    let mut all = every_requirement(kinds.len());
    let requirement = all.swap_remove(chosen.index(all.len()));
    let what = requirement.describe();
    let least = registry::requirement("k", "", &k.to_string()).unwrap();
    // Requirements that make no sense on this table are left out.
    let bound = Checks::new(&[least, requirement], &table)
        .or_else(|_| Checks::new(&[registry::requirement("k", "", "1").unwrap()], &table))
        .unwrap();
    let weights: Vec<f64> = (0..kinds.len()).map(|dimension| 1.0 + 0.5 * dimension as f64).collect();
    let workload = workload(&table);
    let original = Original::new(&table, &weights).with_workload(Some(&workload));
    for (entry, loss) in registry::LOSSES {
        let Some(cost) = loss.cost(&original) else { continue };
        let job = job(&table, &bound, &*cost, &weights);
        check(&job, None, &format!("{} with {what}", entry.id));
        if let (Some(share), Some(price)) = (share, cost.price(table.rows() as u64)) {
            check(&job, Some(price * share), &format!("{} with {what} at a price", entry.id));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(80))]

    #[test]
    fn no_hierarchical_partitioning_costs_less(
        kinds in kinds(1..5),
        rows in rows(1..15),
        k in 1..5u64,
        chosen in any::<prop::sample::Index>(),
        share in prop::option::of(0.05..1.2f64),
    ) {
        check_every_loss(&kinds, &rows, k, chosen, share);
    }

    /// Boxes that violate a requirement hold smaller ones that do not.
    #[test]
    fn no_hierarchical_partitioning_of_many_rows_costs_less(
        kinds in kinds(1..3),
        rows in rows(15..45),
        k in 1..4u64,
        chosen in any::<prop::sample::Index>(),
        share in prop::option::of(0.05..1.2f64),
    ) {
        check_every_loss(&kinds, &rows, k, chosen, share);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn less_memory_gives_the_same_or_nothing(kinds in kinds(1..5), rows in rows(1..40), k in 1..5u64) {
        let table = random_table(&kinds, &rows);
        let k = registry::requirement("k", "", &k.min(rows.len() as u64).to_string()).unwrap();
        let bound = Checks::new(&[k], &table).unwrap();
        let weights: Vec<f64> = (0..kinds.len()).map(|dimension| 1.0 / (dimension + 3) as f64).collect();
        let original = Original::new(&table, &weights);
        let boxes = Grid::of(&table).unwrap().boxes() as usize;
        for (entry, loss) in registry::LOSSES {
            let Some(cost) = loss.cost(&original) else { continue };
            let mut job = job(&table, &bound, &*cost, &weights);
            let DenseOutcome::Solved(best) = solve(&job, None) else { panic!("{} is feasible", entry.id) };
            for quarters in [6, 20, 28, 36, 60, 200] {
                job.budget.bytes = boxes * quarters / 4;
                match solve(&job, None) {
                    DenseOutcome::Solved(solved) => {
                        prop_assert!(is_same(solved.cost, best.cost), "{}: {} {}", entry.id, solved.cost, best.cost);
                        prop_assert_eq!(solved.bound, solved.cost);
                    }
                    outcome => prop_assert_eq!(outcome, DenseOutcome::NotDense),
                }
            }
        }
    }

    #[test]
    fn threads_do_not_matter(kinds in kinds(1..5), rows in rows(1..40)) {
        let table = random_table(&kinds, &rows);
        let k = registry::requirement("k", "", "1").unwrap();
        let bound = Checks::new(&[k], &table).unwrap();
        let weights = vec![1.0; kinds.len()];
        let original = Original::new(&table, &weights);
        for (_, loss) in registry::LOSSES {
            let Some(cost) = loss.cost(&original) else { continue };
            let job = job(&table, &bound, &*cost, &weights);
            let with = |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let [one, three] = [1, 3].map(|threads| with(threads).install(|| solve(&job, None)));
            prop_assert_eq!(one, three);
        }
    }
}

/// Many rows in few dimensions, so that blocks are filled side by side.
#[test]
fn a_larger_table_is_solved_the_same_by_any_number_of_threads() {
    let rows: Vec<Vec<u32>> = (0..400u32)
        .map(|row| (1..8).map(|at| row.wrapping_mul(2654435761).rotate_left(3 * at) % 5040).collect())
        .collect();
    let table = random_table(&[3, 1, 2, 0], &rows);
    let bound = Checks::new(&[registry::requirement("k", "", "3").unwrap()], &table).unwrap();
    let weights = [1.0; 4];
    for (entry, loss) in registry::LOSSES {
        let Some(cost) = loss.cost(&Original::new(&table, &weights)) else { continue };
        let job = job(&table, &bound, &*cost, &weights);
        let with = |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let [one, three] = [1, 3].map(|threads| with(threads).install(|| solve(&job, None)));
        let DenseOutcome::Solved(solved) = &one else { panic!("{} is feasible", entry.id) };
        assert_eq!(planted_cost(&job, &solved.tree, &[], None), solved.cost);
        assert_eq!(one, three, "{}", entry.id);
    }
}

struct Impatient;

impl Observer for Impatient {
    fn advance(&self, _: u64) {}
    fn cancelled(&self) -> bool {
        true
    }
}

#[test]
fn it_stops_when_it_is_told_to() {
    let rows: Vec<Vec<u32>> =
        (0..200u32).map(|row| (1..8).map(|at| row * 7919 * at % 5040).collect()).collect();
    let table = random_table(&[3, 1, 2, 0], &rows);
    let bound = Checks::new(&[registry::requirement("k", "", "3").unwrap()], &table).unwrap();
    let mut job = job(&table, &bound, &klimt_core::loss::Discernibility, &[1.0; 4]);
    assert!(matches!(solve(&job, None), DenseOutcome::Solved(_)));
    assert_eq!(dense::solve(&job, None, 1000).unwrap(), DenseOutcome::NotDense);
    job.budget.until = Some(Instant::now());
    assert_eq!(solve(&job, None), DenseOutcome::Stopped);
    job.budget.until = None;
    job.observer = &Impatient;
    assert_eq!(solve(&job, None), DenseOutcome::Stopped);
}
