//! Local recoding: every group satisfies the requirements, and nothing costs more than the plain loop.

use crate::common::{letters, table, workload};
use crate::optimal::{job, random_table, rows};
use crate::searched::{bound, cost, kinds};
use klimt_core::algorithm::local::Local;
use klimt_core::job::{Job, Observer, Partitioner, Suppression};
use klimt_core::loss::{CertaintyPenalty, Cost, Loss, Original};
use klimt_core::partition::Partitioning;
use klimt_core::registry;
use klimt_core::requirement::Checks;
use klimt_core::table::Table;
use klimt_core::{ErrorKind, Result};
use proptest::prelude::*;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

const PLAIN: Local = Local { improve: false };

fn with_threads(threads: usize, local: Local, job: &Job<'_>) -> Partitioning {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    pool.install(|| local.partition(job).unwrap())
}

/// Every row is in one group but for the suppressed ones, which are as few as granted; groups are published apart, and
/// satisfy the requirements.
fn check(job: &Job<'_>, found: &Partitioning) -> f64 {
    let mut seen = vec![false; job.table.rows()];
    for &row in &found.order {
        assert!(!std::mem::replace(&mut seen[row as usize], true), "a row is in one group");
    }
    assert!(job.table.rows() - found.order.len() <= job.suppression.limit(job.table.rows()));
    assert!(!found.strict && found.tree.is_none() && found.bound.is_none());
    assert_eq!(found.ends.last().copied().unwrap_or(0) as usize, found.order.len());
    let domains = job.table.domains();
    let mut merged = found.clone();
    merged.coalesce(&domains);
    assert_eq!(merged.ends, found.ends, "groups that are published alike are one");
    let compact = found.compact(job.table);
    for group in 0..found.groups() {
        for (dimension, domain) in domains.iter().enumerate() {
            let [published, smallest] = [&found.regions, &compact].map(|r| r.cell(group, dimension, domain));
            assert_eq!(published, smallest, "regions are the smallest");
        }
    }
    let price = job.loss.price(job.table.rows() as u64).unwrap_or(0.0);
    cost(job, found) + price * (job.table.rows() - found.order.len()) as f64
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn groups_satisfy_and_never_cost_more_than_the_plain_loop(
        kinds in kinds(1..5),
        rows in rows(1..70),
        k in 1..6u64,
        chosen in any::<prop::sample::Index>(),
        share in prop::option::of(0.0..0.4f64),
    ) {
        let table = random_table(&kinds, &rows);
        let bound = bound(&table, kinds.len(), k, chosen);
        let weights: Vec<f64> = (0..kinds.len()).map(|dimension| 1.0 + 0.5 * dimension as f64).collect();
        let workload = workload(&table);
        let original = Original::new(&table, &weights).with_workload(Some(&workload));
        for (entry, loss) in registry::LOSSES {
            let Some(measured) = loss.cost(&original) else { continue };
            let mut job = job(&table, &bound, &*measured, &weights);
            job.suppression = share.and_then(Suppression::share).unwrap_or(Suppression::NONE);
            let [one, two] = [1, 2].map(|threads| with_threads(threads, Local::default(), &job));
            prop_assert_eq!(&one.order, &two.order);
            prop_assert_eq!(&one.ends, &two.ends);
            let (found, plain) = (check(&job, &one), check(&job, &PLAIN.partition(&job).unwrap()));
            prop_assert!(found <= plain + 1e-9 * plain.abs().max(1.0), "{}: {found} after {plain}", entry.id);
        }
    }
}

fn ncp<'a>(table: &'a Table, weights: &'a [f64]) -> Box<dyn Cost + 'a> {
    CertaintyPenalty.cost(&Original::new(table, weights)).unwrap()
}

fn partitioned(rows: &[Vec<String>], k: usize, local: Local) -> (Partitioning, f64) {
    let hierarchies = vec![Some(letters()); rows[0].len()];
    let table = table(rows, &hierarchies);
    let bound = Checks::new(&[registry::requirement("k", "", &k.to_string()).unwrap()], &table).unwrap();
    let weights = vec![1.0; table.dimensions()];
    let loss = ncp(&table, &weights);
    let job = job(&table, &bound, &*loss, &weights);
    let found = local.partition(&job).unwrap();
    let cost = check(&job, &found);
    (found, cost)
}

fn letters_of(texts: &str) -> Vec<Vec<String>> {
    texts.split(' ').map(|row| row.chars().map(String::from).collect()).collect()
}

/// e and f share a node, and h widens it to half of the letters.
#[test]
fn dense_rows_stay_exact_and_the_rest_is_generalised() {
    for local in [Local::default(), PLAIN] {
        let (found, cost) = partitioned(&letters_of("a a c c c e f h"), 2, local);
        assert_eq!((found.groups(), cost), (3, 3.0 * 4.0 / 8.0));
    }
}

#[test]
fn single_rows_and_equal_rows_are_one_group() {
    for (texts, k) in [("ab", 1), ("ab ab ab ab", 2), ("ab ab ab cd", 3), ("aa bb cc dd ee", 4)] {
        let (found, _) = partitioned(&letters_of(texts), k, Local::default());
        assert_eq!(found.groups(), 1, "{texts}");
    }
}

/// Rows of three letters, the first ones far commoner than the last.
fn skewed(rows: u32) -> Vec<Vec<String>> {
    let mut state = 7u32;
    let mut letter = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let (one, other) = (state >> 29, state >> 26 & 7);
        char::from(b'a' + one.min(other) as u8).to_string()
    };
    (0..rows).map(|_| (0..3).map(|_| letter()).collect()).collect()
}

#[test]
fn changes_gain_over_the_plain_loop() {
    let rows = skewed(600);
    for k in [2, 5, 20] {
        let [better, plain] = [Local::default(), PLAIN].map(|local| partitioned(&rows, k, local).1);
        assert!(better < plain * 0.995, "{better} after {plain} with k = {k}");
    }
}

#[test]
fn a_row_that_costs_more_than_its_price_is_suppressed_where_that_is_granted() {
    let rows: Vec<Vec<String>> =
        [vec!["0"; 10], vec!["100"]].concat().iter().map(|n| vec![n.to_string()]).collect();
    let table = table(&rows, &[]);
    let bound = Checks::new(&[registry::requirement("k", "", "5").unwrap()], &table).unwrap();
    let weights = [1.0];
    let loss = ncp(&table, &weights);
    let mut job = job(&table, &bound, &*loss, &weights);
    for (share, costs) in [(0.0, 11.0), (0.05, 11.0), (0.1, 1.0)] {
        job.suppression = Suppression::share(share).unwrap();
        assert_eq!(check(&job, &Local::default().partition(&job).unwrap()), costs, "{share}");
    }
}

/// Counts rows, and stops a run at once where it is asked to.
struct Watch {
    rows: AtomicU64,
    stops: bool,
}

impl Observer for Watch {
    fn advance(&self, rows: u64) {
        self.rows.fetch_add(rows, Ordering::Relaxed);
    }

    fn cancelled(&self) -> bool {
        self.stops
    }
}

fn watched(stops: bool, until: Option<Instant>) -> (Result<f64>, u64) {
    let table = table(&skewed(200), &vec![Some(letters()); 3]);
    let bound = Checks::new(&[registry::requirement("k", "", "5").unwrap()], &table).unwrap();
    let weights = [1.0; 3];
    let loss = ncp(&table, &weights);
    let watch = Watch { rows: AtomicU64::new(0), stops };
    let mut job = Job { observer: &watch, ..job(&table, &bound, &*loss, &weights) };
    job.budget.until = until;
    let found = Local::default().partition(&job).map(|found| check(&job, &found));
    (found, watch.rows.load(Ordering::Relaxed))
}

#[test]
fn a_stopped_run_ends_and_one_without_time_has_a_partitioning() {
    assert_eq!(watched(true, None).0.unwrap_err().kind(), ErrorKind::Cancelled);
    let (in_a_hurry, rows) = watched(false, Some(Instant::now()));
    assert_eq!(rows, 200);
    assert!(watched(false, None).0.unwrap() <= in_a_hurry.unwrap());
}
