//! Keeps a run to the memory that was granted.
//!
//! Algorithms plan with the memory that is granted, and refuse what does not fit; only searches grow as they go. Where a
//! search comes to hold more than it was granted, it is asked to hand over the best that it has, and beyond 1.5 times of it
//! the run ends with an error. The system counts the memory of the process and does not say whose it is, so a library looks
//! at what was added since the run began, and only while it searches: what other threads read meanwhile ends no run that
//! keeps to its account. A front end with a process of its own looks all the time.

use crate::observer::{Interrupted, Note, Observer, Stage};
use klimt_core::memory::amount;
use klimt_core::words::{option, option_is};
use klimt_core::{Error, ErrorKind, Remedy, Result};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// How often memory is looked at.
const TICK: Duration = Duration::from_millis(20);
/// What a run takes however small the budget is: code, stacks of threads, buffers of files.
const BASE: usize = 48_000_000;

/// The memory that a run holds, beside what it was granted.
#[derive(Debug)]
pub struct MemoryWatch {
    granted: usize,
    before: usize,
}

/// How the memory of a run compares with what it was granted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum MemoryUse {
    /// It keeps to it.
    Within,
    /// A search should hand over the best that it has.
    High,
    /// The run should end.
    TooHigh,
}

impl MemoryWatch {
    /// Watches from now on: what the process holds already is not the run's.
    pub fn from_now(granted: usize) -> Self {
        MemoryWatch { granted, before: held().unwrap_or(0) }
    }

    /// Watches all that the process holds.
    pub fn of_process(granted: usize) -> Self {
        MemoryWatch { granted, before: 0 }
    }

    /// Looks at the memory. Where the system does not tell, a run keeps to its budget by its own account alone.
    pub fn look(&self) -> MemoryUse {
        self.judge(held().unwrap_or(0).saturating_sub(self.before))
    }

    fn judge(&self, held: usize) -> MemoryUse {
        if held > self.most(6) {
            MemoryUse::TooHigh
        } else if held > self.most(5) {
            MemoryUse::High
        } else {
            MemoryUse::Within
        }
    }

    /// So many quarters of what is granted, or what a run takes beside a small budget.
    fn most(&self, quarters: usize) -> usize {
        (self.granted / 4).saturating_mul(quarters).max(self.granted.saturating_add(BASE))
    }

    /// The error of a run that holds too much.
    pub fn error(&self) -> Error {
        let (most, granted) = (amount(self.most(6)), amount(self.granted));
        Error::resource(format!(
            "the run would need more than {most} where {} grants {granted}",
            option("memory")
        ))
        .with_help(Remedy::RaiseMemory(self.granted.saturating_mul(2)))
        .with_help(format!(
            "{} takes less, and so do fewer rows or columns",
            option_is("algorithm", "mondrian")
        ))
    }
}

/// The memory that this process holds, where the system says.
fn held() -> Option<usize> {
    let text = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<usize>().ok()?.checked_mul(1024)
}

/// Watches a run for its caller, and stops a search that holds too much memory.
pub(crate) struct LimitedObserver<'o> {
    observer: &'o dyn Observer,
    memory: MemoryWatch,
    started: Instant,
    /// When memory is looked at again, in ticks from the start.
    next: AtomicU64,
    is_searching: AtomicBool,
    is_high: AtomicBool,
    is_too_high: AtomicBool,
}

impl<'o> LimitedObserver<'o> {
    /// Watches from now on.
    pub fn new(observer: &'o dyn Observer, granted: usize) -> Self {
        LimitedObserver {
            observer,
            memory: MemoryWatch::from_now(granted),
            started: Instant::now(),
            next: AtomicU64::new(0),
            is_searching: AtomicBool::new(false),
            is_high: AtomicBool::new(false),
            is_too_high: AtomicBool::new(false),
        }
    }

    /// The outcome of the run; where it was stopped as it held too much memory, the error says so.
    pub fn outcome<T>(&self, outcome: Result<T>) -> Result<T> {
        outcome.map_err(|error| match error.kind() {
            ErrorKind::Cancelled if self.is_too_high.load(Ordering::Relaxed) => self.memory.error(),
            _ => error,
        })
    }

    /// Looks at memory where a search is under way and the last look was some time ago.
    fn look(&self) {
        if !self.is_searching.load(Ordering::Relaxed) {
            return;
        }
        let now = (self.started.elapsed().as_millis() / TICK.as_millis()) as u64;
        if self.next.fetch_max(now + 1, Ordering::Relaxed) > now {
            return;
        }
        match self.memory.look() {
            MemoryUse::Within => {}
            MemoryUse::High => self.is_high.store(true, Ordering::Relaxed),
            MemoryUse::TooHigh => self.is_too_high.store(true, Ordering::Relaxed),
        }
    }
}

impl Observer for LimitedObserver<'_> {
    fn begin(&self, stage: Stage, total: Option<u64>) {
        self.observer.begin(stage, total);
    }

    fn rename(&self, stage: Stage) {
        self.observer.rename(stage);
    }

    fn advance(&self, units: u64) {
        self.observer.advance(units);
    }

    fn improved(&self, loss: f64, bound: Option<f64>) {
        self.observer.improved(loss, bound);
    }

    fn end(&self) {
        self.observer.end();
    }

    fn note(&self, note: &Note) {
        self.observer.note(note);
    }

    fn cancelled(&self) -> bool {
        self.look();
        self.is_too_high.load(Ordering::Relaxed)
            || self.is_high.load(Ordering::Relaxed)
            || self.observer.cancelled()
    }

    fn search_begins(&self) {
        self.is_searching.store(true, Ordering::Relaxed);
        self.observer.search_begins();
    }

    fn search_ends(&self) -> Interrupted {
        self.is_searching.store(false, Ordering::Relaxed);
        let was_high = self.is_high.swap(false, Ordering::Relaxed);
        let ended = self.observer.search_ends();
        Interrupted { by_memory: ended.by_memory || was_high, ..ended }
    }

    fn naming(&self, name: &mut dyn FnMut() -> Result<()>) -> Result<()> {
        self.observer.naming(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_search_hands_over_before_a_run_ends() {
        let watch = MemoryWatch::of_process(400_000_000);
        assert_eq!(watch.judge(500_000_000), MemoryUse::Within);
        assert_eq!(watch.judge(500_000_001), MemoryUse::High);
        assert_eq!(watch.judge(600_000_001), MemoryUse::TooHigh);
        let small = MemoryWatch::of_process(16_000_000);
        assert_eq!(small.judge(64_000_000), MemoryUse::Within);
        assert_eq!(small.judge(64_000_001), MemoryUse::TooHigh);
        assert!(MemoryWatch::of_process(usize::MAX).judge(usize::MAX) == MemoryUse::Within);
    }

    #[test]
    fn what_is_held_before_is_not_the_runs() {
        assert!(MemoryWatch::of_process(0).before == 0);
        if let Some(held) = held() {
            assert!(held > 1_000_000 && MemoryWatch::from_now(0).before > 1_000_000);
        }
    }
}
