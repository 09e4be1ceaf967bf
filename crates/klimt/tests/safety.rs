//! A run of the library keeps to memory and time, stops when it is asked to, and has the stacks that it needs.

use klimt::loss::{Cost, Loss, Original, Totals};
use klimt::prelude::*;
use klimt::statistics::{Needs, Statistics};
use klimt::{ErrorKind, Remedy};
use std::io::Cursor;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Memory is that of the process, and time that of the machine: one test after the other.
fn alone() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Numbers, most of them different.
fn numbers(rows: u64) -> String {
    let row = |at: u64| format!("{},{},{}\n", at * 7919 % 1_000_003, at * 104_729 % 50_021, at % 7);
    "a,b,c\n".to_string() + &(0..rows).map(row).collect::<String>()
}

fn input(table: &str) -> Input {
    Input::reader(Format::Csv, Cursor::new(table.to_string()))
}

fn usual() -> Anonymizer {
    Anonymizer::new()
        .quasi_identifiers(["a", "b"])
        .sensitive(["c"])
        .require(KAnonymity::new(10).unwrap())
        .require(DistinctDiversity::new("c", 2).unwrap())
}

/// A loss that keeps some more memory every few milliseconds in which it is asked what a group costs.
struct Hoarder {
    bytes: usize,
    most: usize,
    hoard: Arc<Mutex<Hoard>>,
}

#[derive(Default)]
struct Hoard {
    pieces: Vec<Vec<u8>>,
    taken: Option<Instant>,
}

/// A search is looked at as it goes on: what takes all memory between two looks tells nothing of what is done about it.
const PAUSE: Duration = Duration::from_millis(20);

impl Loss for Hoarder {
    fn id(&self) -> &'static str {
        "hoarder"
    }

    fn cost<'a>(&self, _: &Original<'a>) -> Option<Box<dyn Cost + 'a>> {
        let Hoarder { bytes, most, hoard } = self;
        Some(Box::new(Hoarder { bytes: *bytes, most: *most, hoard: Arc::clone(hoard) }))
    }
}

impl Cost for Hoarder {
    fn needs(&self) -> Needs {
        Needs::default()
    }

    fn group(&self, group: &Statistics) -> f64 {
        let mut hoard = self.hoard.lock().unwrap();
        let may_take = hoard.taken.is_none_or(|taken| taken.elapsed() >= PAUSE);
        if may_take && hoard.pieces.len() * self.bytes < self.most {
            hoard.pieces.push(vec![1; self.bytes]);
            hoard.taken = Some(Instant::now());
        }
        (group.count * group.count) as f64
    }

    fn bound(&self, _: &Statistics, _: u64) -> f64 {
        0.0
    }

    fn price(&self, _: u64) -> Option<f64> {
        None
    }

    fn finish(&self, sum: f64, _: &Totals) -> f64 {
        sum
    }
}

/// What the hoarder takes at a time. The system gets pieces of this size back when they are freed; smaller ones may stay
/// with the process, and the next test would not be seen to take them.
const PIECE: usize = 34 << 20;

fn raised(error: &klimt::Error) -> Option<usize> {
    error.remedies().iter().find_map(|remedy| match remedy {
        Remedy::RaiseMemory(bytes) => Some(*bytes),
        _ => None,
    })
}

#[test]
fn a_search_that_holds_too_much_memory_ends_with_an_error() {
    let _turn = alone();
    let table = numbers(3000);
    let hoard = Arc::new(Mutex::new(Hoard::default()));
    let run = |memory: usize| {
        let loss = Hoarder { bytes: PIECE, most: 2_000_000_000, hoard: Arc::clone(&hoard) };
        let run = usual().algorithm(AlgorithmKind::Optimal).loss(loss).memory(memory);
        run.time_limit(Duration::from_secs(60)).anonymize(input(&table))
    };
    let started = Instant::now();
    let error = run(64_000_000).unwrap_err();
    let held = hoard.lock().unwrap().pieces.len() * PIECE;
    hoard.lock().unwrap().pieces.clear();
    assert_eq!(error.kind(), ErrorKind::Resource, "{error}");
    assert_eq!(raised(&error), Some(128_000_000), "{error}");
    assert!(error.to_string().contains("would need more than"), "{error}");
    assert!((64_000_000..1_000_000_000).contains(&held), "{held} bytes when the run ended");
    assert!(started.elapsed() < Duration::from_secs(30));
}

#[test]
fn a_search_that_comes_to_hold_much_memory_hands_over_what_it_has() {
    let _turn = alone();
    let hoard = Arc::new(Mutex::new(Hoard::default()));
    // More than 1.25 times of what is granted, and less than 1.5 times.
    let loss = Hoarder { bytes: PIECE, most: 510_000_000, hoard: Arc::clone(&hoard) };
    let run = usual().algorithm(AlgorithmKind::Optimal).loss(loss).memory(400_000_000);
    let release = run.time_limit(Duration::from_secs(60)).anonymize(input(&numbers(3000))).unwrap();
    hoard.lock().unwrap().pieces.clear();
    assert!(
        release.notes().iter().any(|note| note.to_string().contains("has used up memory")),
        "{:?}",
        release.notes()
    );
}

/// Asks a run to stop some time after a stage has begun.
#[derive(Clone)]
struct Impatient {
    stage: Stage,
    after: Duration,
    begun: Arc<Mutex<Option<Instant>>>,
    asked: Arc<Mutex<Option<Instant>>>,
    over: Arc<AtomicBool>,
}

impl Impatient {
    fn new(stage: Stage, after: Duration) -> Self {
        Impatient { stage, after, begun: Arc::default(), asked: Arc::default(), over: Arc::default() }
    }
}

impl Observer for Impatient {
    fn begin(&self, stage: Stage, _: Option<u64>) {
        if stage == self.stage {
            self.begun.lock().unwrap().get_or_insert_with(Instant::now);
        }
    }

    fn rename(&self, stage: Stage) {
        self.begin(stage, None);
    }

    fn cancelled(&self) -> bool {
        if self.over.load(Ordering::Relaxed) {
            return true;
        }
        let due = self.begun.lock().unwrap().is_some_and(|begun| begun.elapsed() >= self.after);
        if due && !self.over.swap(true, Ordering::Relaxed) {
            self.asked.lock().unwrap().get_or_insert_with(Instant::now);
        }
        due
    }
}

#[test]
fn every_stage_stops_within_a_second() {
    let _turn = alone();
    let table = numbers(150_000);
    let folder = tempfile::TempDir::new().unwrap();
    let limit = Duration::from_secs(60);
    let mut stopped = 0;
    for (algorithm, stages) in [
        (AlgorithmKind::Mondrian, &[Stage::Reading, Stage::Partitioning, Stage::Writing][..]),
        (AlgorithmKind::RothkoT, &[Stage::Reading, Stage::Partitioning, Stage::Writing]),
        (AlgorithmKind::RothkoS, &[Stage::Sampling, Stage::Partitioning, Stage::Writing]),
        (AlgorithmKind::RTree, &[Stage::Partitioning, Stage::Writing]),
        (AlgorithmKind::Optimal, &[Stage::Searching, Stage::Writing]),
        (AlgorithmKind::GenSearch, &[Stage::Searching]),
        (AlgorithmKind::Local, &[Stage::Searching]),
    ] {
        for (&stage, after) in stages.iter().flat_map(|stage| [0, 5].map(|after| (stage, after))) {
            let observer = Impatient::new(stage, Duration::from_millis(after));
            let short = if stage == Stage::Writing { Duration::from_millis(100) } else { limit };
            let run = usual().algorithm(algorithm).observer(observer.clone());
            let is_search =
                matches!(algorithm, AlgorithmKind::Optimal | AlgorithmKind::GenSearch | AlgorithmKind::Local);
            let run = if is_search { run.time_limit(short) } else { run };
            let output = Output::file(folder.path().join("release.csv")).unwrap();
            let outcome = run.anonymize_to(input(&table), output);
            let Some(asked) = *observer.asked.lock().unwrap() else { continue };
            let took = asked.elapsed();
            assert!(took < Duration::from_secs(1), "{algorithm:?} {stage:?} +{after} ms: {took:?}");
            match outcome {
                Err(error) => assert_eq!(error.kind(), ErrorKind::Cancelled, "{error}"),
                Ok(_) => {
                    panic!("{algorithm:?} {stage:?}: made a release for whoever went on asking it to stop")
                }
            }
            assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "something was left behind");
            stopped += 1;
        }
    }
    assert!(stopped >= 15, "only {stopped} runs were long enough to be stopped");
}

#[test]
fn a_chain_of_cuts_needs_no_stack_of_the_caller() {
    let _turn = alone();
    // Each cut takes a few rows off one end: the tree is as deep as there are groups.
    let table: String = (0..60_000u64).map(|row| format!("{},{},0\n", row * row, row % 2)).collect();
    let table = format!("a,b,c\n{table}");
    let run = move || {
        let run =
            usual_of_one().split("loss:ncp").effort(Effort::Fast).extent(Extents::Region).keep_recoding(true);
        run.anonymize(input(&table)).map(|release| release.rows())
    };
    let small = std::thread::Builder::new().stack_size(512 << 10).spawn(run).unwrap();
    assert_eq!(small.join().unwrap().map_err(|error| error.to_string()), Ok(60_000));
}

fn usual_of_one() -> Anonymizer {
    Anonymizer::new().quasi_identifiers(["a"]).other(Other::Drop).require(KAnonymity::new(2).unwrap())
}

#[test]
fn one_thread_and_many_make_the_same_release() {
    let _turn = alone();
    let table = numbers(20_000);
    for algorithm in
        [AlgorithmKind::Mondrian, AlgorithmKind::RothkoT, AlgorithmKind::RothkoS, AlgorithmKind::RTree]
    {
        let written = |threads: usize| {
            let folder = tempfile::TempDir::new().unwrap();
            let path = folder.path().join("r.csv");
            let run = usual().algorithm(algorithm).threads(threads).seed(5).memory(64_000_000);
            run.anonymize_to(input(&table), Output::file(&path).unwrap()).unwrap();
            std::fs::read(path).unwrap()
        };
        assert!(written(1) == written(2) && written(1) == written(5), "{algorithm:?}");
    }
}
