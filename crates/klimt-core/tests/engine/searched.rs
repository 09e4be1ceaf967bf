//! Searches find what is best, and never what is worse than they started from.

use crate::brute::optimum;
use crate::common::table;
use crate::optimal::{KINDS, every_requirement, is_same, job, planted_cost, random_table, rows};
use klimt_core::algorithm::mondrian::{HierarchyCut, Model, Mondrian};
use klimt_core::algorithm::optimal::{Effort, Optimal, branch_and_bound, improve};
use klimt_core::job::{Budget, Job, Observer, Partitioner, Suppression};
use klimt_core::loss::{Cost, Discernibility, Original, Totals};
use klimt_core::partition::Partitioning;
use klimt_core::registry;
use klimt_core::requirement::{Checks, Requirement};
use klimt_core::statistics::{Collector, Extent, Needs, Statistics};
use klimt_core::table::Table;
use proptest::prelude::*;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Sets of many values are among the kinds here.
pub fn kinds(count: std::ops::Range<usize>) -> impl Strategy<Value = Vec<usize>> {
    prop::collection::vec(0..KINDS + 1, count)
}

/// k, and a requirement of the registry where it makes sense on the table and the whole table satisfies it.
pub fn bound(table: &Table, dimensions: usize, k: u64, chosen: prop::sample::Index) -> Checks {
    let k = || -> Box<dyn Requirement> {
        registry::requirement("k", "", &k.min(table.rows() as u64).to_string()).unwrap()
    };
    let mut all = every_requirement(dimensions);
    let requirement = all.swap_remove(chosen.index(all.len()));
    let both = Checks::new(&[k(), requirement], table).ok().filter(|bound| bound.feasible(table).is_ok());
    both.unwrap_or_else(|| Checks::new(&[k()], table).unwrap())
}

/// The cost of a partitioning as it is published; its groups satisfy the requirements.
pub fn cost(job: &Job<'_>, partitioning: &Partitioning) -> f64 {
    let domains = job.table.domains();
    let mut published = partitioning.clone();
    published.coalesce(&domains);
    let requirements = Collector::new(job.requirements.needs(), job.table).unwrap();
    let loss = Collector::new(&job.loss.needs(), job.table).unwrap();
    let each = (0..published.groups()).map(|group| {
        let rows = published.rows(group);
        assert!(job.requirements.satisfied(&requirements.of(rows)));
        job.loss.group(&loss.of(rows))
    });
    each.sum()
}

fn mondrian() -> impl Strategy<Value = Mondrian> {
    let models = prop::sample::select(vec![Model::Strict, Model::Relaxed]);
    models.prop_map(|model| Mondrian { model, hierarchy_cut: HierarchyCut::Both })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// For every loss, a requirement of the registry, with and without suppression, and sets among the dimensions.
    #[test]
    fn branch_and_bound_finds_the_best_of_all_partitionings(
        kinds in kinds(1..5),
        rows in rows(1..13),
        k in 1..4u64,
        chosen in any::<prop::sample::Index>(),
        share in prop::option::of(0.05..1.2f64),
    ) {
        let table = random_table(&kinds, &rows);
        let bound = bound(&table, kinds.len(), k, chosen);
        let weights: Vec<f64> = (0..kinds.len()).map(|dimension| 1.0 + 0.5 * dimension as f64).collect();
        for (entry, loss) in registry::LOSSES {
            let Some(cost) = loss.cost(&Original::new(&table, &weights)) else { continue };
            let job = job(&table, &bound, &*cost, &weights);
            let price = share.zip(cost.price(table.rows() as u64)).map(|(share, price)| share * price);
            for price in [None, price] {
                let expected = optimum(&table, &bound, &*cost, price);
                let found = branch_and_bound(&job, price, 1 << 20).unwrap();
                let found_cost = found.as_ref().map(|solved| solved.cost);
                prop_assert!(
                    expected.zip(found_cost).is_some_and(|(a, b)| is_same(b, a)),
                    "{}: {found_cost:?} instead of {expected:?}", entry.id,
                );
                let solved = found.unwrap();
                prop_assert!(is_same(solved.bound, solved.cost));
                prop_assert!(is_same(planted_cost(&job, &solved.tree, &solved.suppressed, price), solved.cost));
            }
        }
    }

    #[test]
    fn no_effort_makes_it_worse_and_threads_do_not_matter(
        kinds in kinds(1..5),
        rows in rows(20..60),
        k in 1..4u64,
        chosen in any::<prop::sample::Index>(),
        start in mondrian(),
    ) {
        let table = random_table(&kinds, &rows);
        let bound = bound(&table, kinds.len(), k, chosen);
        let weights = vec![1.0; kinds.len()];
        for (entry, loss) in registry::LOSSES.iter().filter(|(entry, _)| ["dm", "ncp", "hdm"].contains(&entry.id)) {
            let measured = loss.cost(&Original::new(&table, &weights)).unwrap();
            let mut job = job(&table, &bound, &*measured, &weights);
            // Half of what is proven is enough: searches end before all is proven.
            job.budget.gap = 2.0;
            let started = start.partition(&job).unwrap();
            let before = cost(&job, &started);
            for effort in [Effort::Fast, Effort::Balanced, Effort::Best] {
                let with = |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                let [one, two] = [1, 2]
                    .map(|threads| with(threads).install(|| improve(&job, started.clone(), effort).unwrap()));
                let after = cost(&job, &one);
                prop_assert!(one.strict || one.bound.is_none(), "nothing is proven of relaxed groups");
                prop_assert!(after <= before * (1.0 + 1e-12), "{} {effort:?}: {after} after {before}", entry.id);
                prop_assert_eq!(&one.ends, &two.ends);
                prop_assert_eq!(&one.order, &two.order);
                prop_assert_eq!(&one.tree, &two.tree);
                let mut all = one.order.clone();
                all.sort_unstable();
                prop_assert!(all.into_iter().eq(0..table.rows() as u32), "every row is in one group");
            }
        }
    }

    /// No more rows are suppressed than is granted, and the others are all there.
    #[test]
    fn suppression_keeps_its_limit(kinds in kinds(1..4), rows in rows(5..25), share in 0.0..0.4f64) {
        let table = random_table(&kinds, &rows);
        let k = registry::requirement("k", "", "3").unwrap();
        let bound = Checks::new(&[k], &table).unwrap();
        let weights = vec![1.0; kinds.len()];
        for (_, loss) in registry::LOSSES {
            let Some(cost) = loss.cost(&Original::new(&table, &weights)) else { continue };
            let mut job = job(&table, &bound, &*cost, &weights);
            job.suppression = Suppression::share(share).unwrap();
            job.budget.gap = 1.5;
            let found = Optimal { start: Box::new(Mondrian::default()) }.partition(&job).unwrap();
            prop_assert!(table.rows() - found.order.len() <= job.suppression.limit(table.rows()));
            prop_assert_eq!(found.ends.last().copied().unwrap_or(0) as usize, found.order.len());
            prop_assert!((0..found.groups()).all(|group| found.rows(group).len() >= 3));
        }
    }
}

/// Discernibility that promises more than is true.
struct Boastful;

impl Cost for Boastful {
    fn needs(&self) -> Needs {
        Discernibility.needs()
    }
    fn group(&self, group: &Statistics) -> f64 {
        Discernibility.group(group)
    }
    fn bound(&self, group: &Statistics, minimum: u64) -> f64 {
        1.4 * Discernibility.bound(group, minimum)
    }
    fn size(&self, rows: u64) -> Option<f64> {
        Discernibility.size(rows)
    }
    fn cell(&self, _: usize, _: &Extent) -> Option<f64> {
        None
    }
    fn price(&self, rows: u64) -> Option<f64> {
        Discernibility.price(rows)
    }
    fn finish(&self, sum: f64, totals: &Totals) -> f64 {
        Discernibility.finish(sum, totals)
    }
}

/// A bound that is too high is noticed by comparison with all partitionings: the comparison can fail.
#[test]
fn a_corrupt_bound_is_noticed() {
    let noticed = (0..40u32).any(|seed| {
        let rows: Vec<Vec<u32>> = (0..12u32)
            .map(|row| (1..8).map(|at| (row + 13 * seed).wrapping_mul(2_654_435_761) >> at & 4095).collect())
            .collect();
        let table = random_table(&[0, 2, 5], &rows);
        let bound = Checks::new(&[registry::requirement("k", "", "2").unwrap()], &table).unwrap();
        let solve = |loss: &dyn Cost| {
            branch_and_bound(&job(&table, &bound, loss, &[1.0; 3]), None, 1 << 20).unwrap().unwrap()
        };
        let best = optimum(&table, &bound, &Discernibility, None).unwrap();
        assert_eq!(solve(&Discernibility).cost, best);
        let boasted = solve(&Boastful);
        boasted.cost != best || boasted.bound > best
    });
    assert!(noticed);
}

struct Stopped;

impl Observer for Stopped {
    fn advance(&self, _: u64) {}
    fn cancelled(&self) -> bool {
        true
    }
}

/// A search that is stopped hands over the best that it has; a greedy run that is stopped has nothing.
#[test]
fn a_search_that_is_stopped_hands_over_what_it_has() {
    let rows: Vec<Vec<u32>> =
        (0..300u32).map(|row| (1..8).map(|at| row.wrapping_mul(7919 * at) % 5040).collect()).collect();
    let table = random_table(&[0, 1, 2, 5], &rows);
    let bound = Checks::new(&[registry::requirement("k", "", "3").unwrap()], &table).unwrap();
    let weights = [1.0; 4];
    let mut job = job(&table, &bound, &Discernibility, &weights);
    let start = Mondrian::default().partition(&job).unwrap();
    job.observer = &Stopped;
    job.budget = Budget::default();
    let found = improve(&job, start.clone(), Effort::Best).unwrap();
    assert_eq!(found.groups(), start.groups());
    assert!(Mondrian::default().partition(&job).is_err());
}

/// A clock that is over after so many looks at it, so that a time limit does not depend on the machine.
struct Looks(AtomicUsize);

impl Observer for Looks {
    fn advance(&self, _: u64) {}
    fn cancelled(&self) -> bool {
        self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1)).is_err()
    }
}

/// A clock that is over when the threads of a pool have worked for so long: however many share the machine, they get the
/// same work done.
struct Work {
    threads: Vec<std::path::PathBuf>,
    until: u64,
}

impl Work {
    fn of(pool: &rayon::ThreadPool, milliseconds: u64) -> Self {
        let thread = |_: rayon::BroadcastContext<'_>| std::fs::read_link("/proc/thread-self").ok();
        let threads = pool.broadcast(thread).into_iter().flatten();
        let threads = threads.map(|thread| std::path::Path::new("/proc").join(thread).join("schedstat"));
        let mut work = Work { threads: threads.collect(), until: 0 };
        work.until = work.done() + milliseconds * 1_000_000;
        work
    }

    /// The nanoseconds that the threads have worked.
    fn done(&self) -> u64 {
        let of = |path: &std::path::PathBuf| {
            std::fs::read_to_string(path).ok()?.split(' ').next()?.parse::<u64>().ok()
        };
        self.threads.iter().filter_map(of).sum()
    }
}

impl Observer for Work {
    fn advance(&self, _: u64) {}
    fn cancelled(&self) -> bool {
        self.done() >= self.until
    }
}

/// Starts from what is known.
struct Known(Partitioning);

impl Partitioner for Known {
    fn partition(&self, _: &Job<'_>) -> klimt_core::Result<Partitioning> {
        Ok(self.0.clone())
    }
}

/// However little time there is, the search that also proves finds what the search for a better release finds in it.
#[test]
fn a_proof_costs_nothing_of_the_release() {
    let scattered =
        |row: u32, at: u32| (row.wrapping_mul(2_654_435_761).rotate_left(7 * at) % 144 / 12).to_string();
    let rows: Vec<Vec<String>> = (0..400).map(|row| (1..4).map(|at| scattered(row, at)).collect()).collect();
    let table = table(&rows, &[]);
    let bound = Checks::new(&[registry::requirement("k", "", "5").unwrap()], &table).unwrap();
    let weights = [1.0; 3];
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    for loss in ["vm", "dm", "ncp"] {
        let (_, loss) = registry::LOSSES.iter().find(|(entry, _)| entry.id == loss).unwrap();
        let loss = loss.cost(&Original::new(&table, &weights)).unwrap();
        let plain = job(&table, &bound, &*loss, &weights);
        let start = Mondrian::default().partition(&plain).unwrap();
        let mut improved = 0;
        for looks in [0, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000] {
            let within = |act: &(dyn Fn(&Job<'_>) -> Partitioning + Sync)| {
                let clock = Looks(AtomicUsize::new(looks));
                let limited = Job { observer: &clock, ..plain };
                cost(&plain, &pool.install(|| act(&limited)))
            };
            let best = within(&|job| improve(job, start.clone(), Effort::Best).unwrap());
            let proving = Optimal { start: Box::new(Known(start.clone())) };
            let found = within(&|job| proving.partition(job).unwrap());
            assert!(found <= best * (1.0 + 1e-9), "{found} instead of {best} after {looks} looks");
            improved += usize::from(best < cost(&plain, &start));
        }
        assert!(improved > 3, "too little time for anything to get better");
    }
}

/// The same with two threads, and time that counts what both do: a proof beside the search would take half of it.
#[cfg(target_os = "linux")]
#[test]
fn a_proof_takes_no_work_from_the_search_for_a_better_release() {
    let scattered =
        |row: u32, at: u32| (row.wrapping_mul(2_654_435_761).rotate_left(7 * at) % 800 / 40).to_string();
    let rows: Vec<Vec<String>> = (0..4000).map(|row| (1..4).map(|at| scattered(row, at)).collect()).collect();
    let table = table(&rows, &[]);
    let bound = Checks::new(&[registry::requirement("k", "", "10").unwrap()], &table).unwrap();
    let weights = [1.0; 3];
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    let (_, loss) = registry::LOSSES.iter().find(|(entry, _)| entry.id == "vm").unwrap();
    let loss = loss.cost(&Original::new(&table, &weights)).unwrap();
    let plain = job(&table, &bound, &*loss, &weights);
    let start = Mondrian::default().partition(&plain).unwrap();
    for milliseconds in [100, 200, 400, 800] {
        let within = |milliseconds: u64, act: &(dyn Fn(&Job<'_>) -> Partitioning + Sync)| {
            let clock = Work::of(&pool, milliseconds);
            assert_eq!(clock.threads.len(), 2);
            let limited = Job { observer: &clock, ..plain };
            cost(&plain, &pool.install(|| act(&limited)))
        };
        let best = within(milliseconds * 8 / 10, &|job| improve(job, start.clone(), Effort::Best).unwrap());
        let proving = Optimal { start: Box::new(Known(start.clone())) };
        let found = within(milliseconds, &|job| proving.partition(job).unwrap());
        eprintln!("{milliseconds} ms: {found} and {best} from {}", cost(&plain, &start));
        assert!(found <= best * 1.01, "{found} instead of {best} after {milliseconds} ms of work");
    }
}
