//! GenSearch: the bounds of its search, and the optimum that it finds.

use crate::common::{column, table, taxonomy};
use crate::optimum::{Optimum, cost};
use klimt_core::algorithm::gensearch::{GenSearch, PartitionVisit, Priority, Splits};
use klimt_core::algorithm::mondrian::Mondrian;
use klimt_core::hierarchy::Hierarchy;
use klimt_core::job::{Budget, Job, Observer, Partitioner, SearchCounts, Suppression, Unobserved};
use klimt_core::loss::{
    CertaintyPenalty, Classification, Cost, Discernibility, Loss, Original, Totals, Volume,
};
use klimt_core::partition::Partitioning;
use klimt_core::registry;
use klimt_core::requirement::{Checks, DistinctDiversity, KAnonymity, Requirement};
use klimt_core::split::SplitCriterion;
use klimt_core::statistics::{Needs, Statistics};
use klimt_core::table::{ColumnSpec, Role, Table};
use proptest::prelude::*;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// A small table with a sensitive column and a class label, and what is asked of a release.
#[derive(Clone, Debug)]
struct Case {
    rows: Vec<[u32; 5]>,
    dimensions: Vec<usize>,
    k: u64,
    l: u64,
    loss: usize,
}

const LOSSES: [&dyn Loss; 4] = [&Discernibility, &Classification, &Volume, &CertaintyPenalty];

fn cases(rows: usize) -> impl Strategy<Value = Case> {
    let row = (0..4u32, 0..3u32, 0..6u32, 0..3u32, 0..3u32).prop_map(|(a, b, c, d, e)| [a, b, c, d, e]);
    let dimensions = prop::sample::subsequence(vec![0, 1, 2, 3], 2..4);
    (prop::collection::vec(row, 3..rows), dimensions, 1..5u64, 1..3u64, 0..4usize)
        .prop_map(|(rows, dimensions, k, l, loss)| Case { rows, dimensions, k, l, loss })
}

impl Case {
    /// Columns: two ordered ones, a hierarchy and a set, of which some; a sensitive column; a class label.
    fn table(&self) -> Table {
        let texts = |kind: usize| -> Vec<String> {
            let text = |row: &[u32; 5]| match kind {
                0 | 1 => (row[kind] * row[kind]).to_string(),
                2 => ["a", "b", "c", "d", "e", ""][row[2] as usize].to_string(),
                _ => ["red", "green", "blue"][row[3] as usize].to_string(),
            };
            self.rows.iter().map(text).collect()
        };
        let made = |name: String, role: Role, texts: &[String], tree: Option<Arc<Hierarchy>>| {
            let mut spec = ColumnSpec::new(name, role);
            spec.hierarchy = tree;
            column(&spec, &texts.iter().map(String::as_str).collect::<Vec<_>>())
        };
        let mut columns: Vec<_> = self
            .dimensions
            .iter()
            .map(|&kind| {
                made(format!("q{kind}"), Role::QuasiIdentifier, &texts(kind), (kind == 2).then(taxonomy))
            })
            .collect();
        let letter = |at: usize| -> Vec<String> {
            self.rows.iter().map(|row| ["p", "q", "r"][row[at] as usize % 3].to_string()).collect()
        };
        columns.push(made("illness".to_string(), Role::Sensitive, &letter(4), None));
        columns.push(made("class".to_string(), Role::Target, &letter(3), None));
        Table::new(self.rows.len(), columns).unwrap()
    }

    fn requirements(&self) -> Vec<Box<dyn Requirement>> {
        let diversity = DistinctDiversity::parse("illness", &self.l.to_string()).unwrap();
        vec![Box::new(KAnonymity::new(self.k).unwrap()), diversity]
    }

    /// Runs a search, where the table as a whole satisfies the requirements.
    fn run<R>(&self, act: impl FnOnce(&Job<'_>) -> R) -> Option<R> {
        self.with(|job| act(job), |cost| cost)
    }

    fn with<R>(
        &self,
        act: impl FnOnce(&Job<'_>) -> R,
        wrap: impl for<'c> FnOnce(Box<dyn Cost + 'c>) -> Box<dyn Cost + 'c>,
    ) -> Option<R> {
        let table = self.table();
        let weights = vec![1.0; table.dimensions()];
        let requirements = Checks::new(&self.requirements(), &table).ok()?;
        requirements.feasible(&table).ok()?;
        let loss = wrap(LOSSES[self.loss].cost(&Original::new(&table, &weights)).unwrap());
        Some(act(&Job {
            table: &table,
            requirements: &requirements,
            split: &SplitCriterion::Median,
            loss: &*loss,
            suppression: Suppression::NONE,
            budget: Budget::default(),
            weights: &weights,
            keep_tree: true,
            observer: &Unobserved,
        }))
    }
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * a.abs().max(b.abs()).max(1.0)
}

/// The groups hold every row once and satisfy the requirements.
fn check(job: &Job<'_>, found: &Partitioning) {
    let mut rows = found.order.clone();
    rows.sort_unstable();
    assert!(rows.into_iter().eq(0..job.table.rows() as u32), "a row is lost or repeated");
    let collector = klimt_core::statistics::Collector::new(job.requirements.needs(), job.table).unwrap();
    for group in 0..found.groups() {
        assert!(
            job.requirements.satisfied(&collector.of(found.rows(group))),
            "group {group} violates a requirement"
        );
    }
}

/// Hears what a search reports, and stops it after so many reports.
#[derive(Default)]
struct Ear {
    heard: Mutex<Vec<(f64, f64)>>,
    counts: Mutex<Option<SearchCounts>>,
    stop_after: Option<usize>,
}

impl Observer for Ear {
    fn advance(&self, _: u64) {}
    fn cancelled(&self) -> bool {
        self.stop_after.is_some_and(|reports| self.heard.lock().unwrap().len() >= reports)
    }
    fn improved(&self, found: f64, bound: f64) {
        self.heard.lock().unwrap().push((found, bound));
    }
    fn searched(&self, counts: SearchCounts) {
        *self.counts.lock().unwrap() = Some(counts);
    }
}

/// The bounds as published, a little more, and those of the best refinements.
fn lookahead() -> impl Strategy<Value = usize> {
    prop::sample::select(vec![0, 8, 1 << 20])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn the_optimum_is_found(case in cases(18), lookahead in lookahead()) {
        case.run(|job| {
            let optimum = Optimum::of(job);
            for priority in [Priority::Bound, Priority::Cost, Priority::Ratio] {
                let ear = Ear::default();
                let job = Job { observer: &ear, ..*job };
                let search = GenSearch { priority, lookahead, ..GenSearch::default() };
                let found = search.partition(&job).unwrap();
                check(&job, &found);
                assert!(close(found.bound.as_ref().unwrap().sum, optimum));
                assert!(close(cost(&job, &found), optimum), "{} for {optimum}", cost(&job, &found));
                let heard = ear.heard.into_inner().unwrap();
                assert!(heard.iter().all(|&(found, bound)| bound <= optimum + 1e-9 && found >= optimum - 1e-9));
                assert!(close(heard.last().unwrap().0, optimum) && close(heard.last().unwrap().1, optimum));
            }
        });
    }

    /// A factor that is good enough is reached where there is room, and no lower bound is above the optimum with little
    /// room, no time, or a watcher who has seen enough.
    #[test]
    fn bounds_hold_however_a_search_ends(
        case in cases(24), max_size in 1..12usize, lookahead in lookahead(), gap in 0..3u32, stop_after in 0..6usize,
        seeded: bool,
    ) {
        case.run(|job| {
            let optimum = Optimum::of(job);
            let gap = [1.0, 1.2, 2.0][gap as usize];
            let honest = |job: &Job<'_>, found: &Partitioning| {
                check(job, found);
                // A start that there was no time to move into the split set is no member of the family, and nothing is claimed.
                if let Some(bound) = &found.bound {
                    let bound = bound.sum;
                    assert!(bound <= optimum * (1.0 + 1e-9) && cost(job, found) >= optimum * (1.0 - 1e-9));
                }
            };
            for priority in [Priority::Bound, Priority::Cost, Priority::Ratio] {
                let seed: Option<Box<dyn Partitioner>> = if seeded { Some(Box::new(Mondrian::default())) } else { None };
                let search = GenSearch { priority, max_size: Some(max_size), lookahead, seed, ..GenSearch::default() };
                let budget = Budget { gap, ..Budget::default() };
                honest(job, &search.partition(&Job { budget, ..*job }).unwrap());
                let roomy = GenSearch { max_size: None, ..search };
                let found = roomy.partition(&Job { budget, ..*job }).unwrap();
                let bound = found.bound.as_ref().unwrap().sum;
                assert!(cost(job, &found) <= bound * gap * (1.0 + 1e-9), "{bound} for {gap}");
                let late = Budget { until: Some(Instant::now() - Duration::from_secs(1)), ..budget };
                let ear = Ear { stop_after: Some(stop_after), ..Ear::default() };
                let small = Budget { bytes: 4096, ..budget };
                for job in [Job { budget: late, ..*job }, Job { budget: small, ..*job }, Job { observer: &ear, ..*job }] {
                    honest(&job, &roomy.partition(&job).unwrap());
                }
            }
        });
    }
}

/// A seed that is cut elsewhere may cost less than anything in the split set: it is moved into the split set,
/// and the claim is about partitions by that.
#[test]
fn a_seed_is_moved_into_the_split_set() {
    let rows: Vec<Vec<String>> = (0..8).map(|n: u32| vec![n.to_string()]).collect();
    let table = table(&rows, &[]);
    let requirements: Vec<Box<dyn Requirement>> = vec![Box::new(KAnonymity::new(2).unwrap())];
    let bound = Checks::new(&requirements, &table).unwrap();
    let job = Job {
        table: &table,
        requirements: &bound,
        split: &SplitCriterion::Median,
        loss: &Discernibility,
        suppression: Suppression::NONE,
        budget: Budget::default(),
        weights: &[1.0],
        keep_tree: true,
        observer: &Unobserved,
    };
    for (codes, sizes) in
        [(vec![3], vec![4, 4]), (vec![2], vec![3, 5]), (vec![1, 4], vec![2, 3, 3]), (vec![], vec![8])]
    {
        let splits = Splits::Given(vec![codes]);
        let seed = || -> Option<Box<dyn Partitioner>> { Some(Box::new(Mondrian::default())) };
        let found = GenSearch { splits: splits.clone(), seed: seed(), ..GenSearch::default() };
        let found = found.partition(&job).unwrap();
        let held: Vec<usize> = (0..found.groups()).map(|group| found.rows(group).len()).collect();
        let squares = sizes.iter().map(|size| (size * size) as f64).sum();
        assert_eq!((held, found.bound.unwrap().sum), (sizes.clone(), squares));
        // Without a moment to search, the seed is all there is.
        let ear = Ear { stop_after: Some(1), ..Ear::default() };
        let seeded = GenSearch { splits, seed: seed(), probes: false, ..GenSearch::default() };
        let found = seeded.partition(&Job { observer: &ear, ..job }).unwrap();
        assert!(found.groups() <= sizes.len());
    }
}

/// Takes all of the time that it gets.
struct Slow(Mondrian);

impl Partitioner for Slow {
    fn partition(&self, job: &Job<'_>) -> klimt_core::Result<Partitioning> {
        let found = self.0.partition(&Job { budget: Budget::default(), ..*job });
        while !job.stops() {
            std::thread::sleep(Duration::from_millis(1));
        }
        found
    }
}

/// A start is published where there is no time for more, and takes only a share of the time there is.
#[test]
fn a_start_is_never_lost() {
    let rows: Vec<Vec<String>> =
        (0..200).map(|n: u32| vec![(n % 23).to_string(), (n * 7 % 31).to_string()]).collect();
    let table = table(&rows, &[]);
    let bound = Checks::new(&[registry::requirement("k", "", "5").unwrap()], &table).unwrap();
    let mut job = Job {
        table: &table,
        requirements: &bound,
        split: &SplitCriterion::Median,
        loss: &Discernibility,
        suppression: Suppression::NONE,
        budget: Budget::default(),
        weights: &[1.0; 2],
        keep_tree: true,
        observer: &Unobserved,
    };
    let start = Mondrian::default().partition(&job).unwrap();
    let seeded = |seed: Box<dyn Partitioner>| GenSearch { seed: Some(seed), ..GenSearch::default() };
    for milliseconds in [0, 1, 5, 20] {
        job.budget.until = Some(Instant::now() + Duration::from_millis(milliseconds));
        let found = seeded(Box::new(Slow(Mondrian::default()))).partition(&job).unwrap();
        let (found, least) = (cost(&job, &found), cost(&job, &start));
        assert!(found <= least, "{found} instead of {least} after {milliseconds} ms");
    }
    job.budget.until = Some(Instant::now() + Duration::from_secs(2));
    let found = seeded(Box::new(Slow(Mondrian::default()))).partition(&job).unwrap();
    assert!(found.bound.is_some(), "there was time to search");
}

/// As published, a search finds the optimum too, and opens partitions one by one from the undivided space on.
#[test]
fn the_published_search_starts_from_the_undivided_space() {
    let rows: Vec<Vec<String>> =
        (0..12).map(|n: u32| vec![n.to_string(), (n * 5 % 12).to_string()]).collect();
    let table = table(&rows, &[]);
    let requirements: Vec<Box<dyn Requirement>> = vec![Box::new(KAnonymity::new(3).unwrap())];
    let bound = Checks::new(&requirements, &table).unwrap();
    let run = |search: &GenSearch| {
        let ear = Ear::default();
        let job = Job {
            table: &table,
            requirements: &bound,
            split: &SplitCriterion::Median,
            loss: &Discernibility,
            suppression: Suppression::NONE,
            budget: Budget::default(),
            weights: &[1.0, 1.0],
            keep_tree: true,
            observer: &ear,
        };
        let found = search.partition(&job).unwrap();
        assert_eq!((found.groups(), found.bound.unwrap().sum), (4, 36.0));
        (ear.heard.into_inner().unwrap(), ear.counts.into_inner().unwrap().unwrap())
    };
    let (published, counts) = run(&GenSearch::as_published(Splits::Every));
    assert_eq!(published[0].0, 144.0, "the first partition is one group");
    assert!(published[1].0 > 36.0, "a single split is added at a time");
    assert_eq!(counts.splits, 22);
    assert!(counts.opened >= 3 && counts.boxes > counts.opened, "{counts:?}");
    let (probing, fewer) = run(&GenSearch::default());
    assert_eq!(probing[1].0, 36.0, "the first probe goes all the way down");
    assert!(fewer.opened <= counts.opened, "{fewer:?} beside {counts:?}");
}

/// Whether every lower bound holds for all that is below it in the enumeration tree.
fn bounds_hold(job: &Job<'_>, lookahead: usize) -> bool {
    let mut visited: Vec<PartitionVisit> = Vec::new();
    GenSearch { lookahead, ..GenSearch::default() }.explore(job, &mut |at| visited.push(*at)).unwrap();
    (0..visited.len()).all(|at| {
        let below = visited[at + 1..].iter().take_while(|later| later.depth > visited[at].depth);
        let least = below.map(|later| later.cost).fold(visited[at].cost, f64::min);
        visited[at].bound <= least + 1e-9 * least.abs().max(1.0)
    })
}

/// A loss that promises more than it keeps.
struct Boastful<'a>(Box<dyn Cost + 'a>);

impl Cost for Boastful<'_> {
    fn needs(&self) -> Needs {
        self.0.needs()
    }
    fn group(&self, group: &Statistics) -> f64 {
        self.0.group(group)
    }
    fn bound(&self, group: &Statistics, _: u64) -> f64 {
        self.0.group(group)
    }
    fn price(&self, rows: u64) -> Option<f64> {
        self.0.price(rows)
    }
    fn finish(&self, sum: f64, totals: &Totals) -> f64 {
        self.0.finish(sum, totals)
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn no_refinement_undercuts_its_bound(case in cases(8), lookahead in lookahead()) {
        case.run(|job| {
            assert!(bounds_hold(job, lookahead));
            let mut least = f64::INFINITY;
            GenSearch::default().explore(job, &mut |at| least = least.min(at.cost)).unwrap();
            assert!(close(least, Optimum::of(job)));
        });
    }
}

/// The check of the bounds sees a bound that is too high.
#[test]
fn a_bound_that_is_too_high_is_noticed() {
    let rows = vec![[0, 0, 0, 0, 0], [0, 0, 0, 0, 1], [1, 1, 1, 1, 0], [1, 1, 1, 1, 1]];
    for loss in [0, 2, 3] {
        let case = Case { rows: rows.clone(), dimensions: vec![0, 1], k: 2, l: 1, loss };
        for lookahead in [0, 1 << 20] {
            let hold = |job: &Job<'_>| bounds_hold(job, lookahead);
            assert!(case.run(hold).unwrap());
            assert!(!case.with(hold, |cost| Box::new(Boastful(cost))).unwrap());
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn threads_change_nothing(case in cases(40), max_size in 1..40usize) {
        case.run(|job| {
            let on = |threads: usize| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                let search = GenSearch { max_size: Some(max_size), ..GenSearch::default() };
                let found = pool.install(|| search.partition(job)).unwrap();
                (found.order, found.ends, found.tree, found.bound)
            };
            assert!(on(1) == on(2));
        });
    }

    /// Losses that say that refinements never cost more, keep to it.
    #[test]
    fn monotone_losses_are(case in cases(14), cut in 1..13usize) {
        case.run(|job| {
            let table = job.table;
            let (rows, at) = ((0..table.rows() as u32).collect::<Vec<_>>(), cut.min(table.rows() - 1));
            for (entry, loss) in registry::LOSSES {
                let Some(cost) = loss.cost(&Original::new(table, job.weights)) else { continue };
                let Ok(collector) = klimt_core::statistics::Collector::new(&cost.needs(), table) else { continue };
                let of = |rows: &[u32]| cost.group(&collector.of(rows));
                let (whole, parts) = (of(&rows), of(&rows[..at]) + of(&rows[at..]));
                assert!(!cost.monotone() || parts <= whole + 1e-9 * whole.abs(), "{}", entry.id);
            }
        });
    }
}
