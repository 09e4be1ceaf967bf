//! Watches over a run from a thread of its own: signals are answered whatever the run is doing, and memory is kept to.
//!
//! The first signal asks the run to stop. A search hands over the best that it has; everything else has a moment to end by
//! itself, and is ended where it does not. The second signal ends the run at once. In either case temporary files are
//! removed, and a release and its certificate get their names together or not at all.
//!
//! Algorithms plan with the memory that is granted. Where they come to hold more all the same, a search is asked to hand
//! over the best that it has, and a run beyond 1.5 times of it is ended.

use crate::terminal;
use klimt::files;
use klimt::run::{MemoryUse, MemoryWatch};
use klimt_core::spill::SpillFolder;
use klimt_core::{Error, ErrorKind, Result};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, Once, PoisonError};
use std::time::{Duration, Instant};

/// How often signals and memory are looked at.
const TICK: Duration = Duration::from_millis(20);
/// How long a run that is asked to stop may take to end by itself.
const GRACE: Duration = Duration::from_millis(400);

/// Whether the run was asked to stop, and has not handed over anything since.
static STOP: AtomicBool = AtomicBool::new(false);
/// Whether a search is under way that publishes the best that it has when it is asked to stop.
static ANYTIME: AtomicBool = AtomicBool::new(false);
/// Whether a search is under way.
static SEARCHING: AtomicBool = AtomicBool::new(false);
/// Whether a search holds more memory than was granted.
static SHORT: AtomicBool = AtomicBool::new(false);
/// The memory that is granted, in bytes; 0 where nobody has said.
static GRANTED: AtomicUsize = AtomicUsize::new(0);
/// Held while a release and its certificate get their names, and from the end of a run on.
static NAMING: Mutex<()> = Mutex::new(());

/// Starts to watch. A program that ignores hang-ups, as under `nohup`, goes on doing so.
pub fn start() -> Result<()> {
    static STARTED: Once = Once::new();
    let mut done = Ok(());
    STARTED.call_once(|| {
        let mut listened = vec![SIGINT, SIGTERM];
        if !is_ignored(SIGHUP) {
            listened.push(SIGHUP);
        }
        done = Signals::new(listened)
            .and_then(|signals| std::thread::Builder::new().name("watch".into()).spawn(|| watch(signals)))
            .map(drop)
            .map_err(|e| Error::internal(format!("cannot listen for signals: {e}")));
    });
    done
}

/// Whether whatever is under way should stop.
pub fn stops() -> bool {
    STOP.load(Ordering::Relaxed) || SHORT.load(Ordering::Relaxed)
}

/// Grants the run so much memory.
pub fn grant(bytes: usize) {
    GRANTED.store(bytes, Ordering::Relaxed);
}

/// A search that is under way until this is dropped.
pub struct Searching(());

impl Searching {
    /// Begins a search; `anytime` says whether a signal makes it publish the best that it has.
    pub fn begin(anytime: bool) -> Self {
        ANYTIME.store(anytime, Ordering::Relaxed);
        SEARCHING.store(true, Ordering::Relaxed);
        Searching(())
    }

    /// Ends it, and says whether memory ran short and whether a signal asked it to stop; from now on, whoever asks again
    /// ends the run.
    pub fn end(self) -> (bool, bool) {
        let stopped = ANYTIME.load(Ordering::Relaxed) && STOP.swap(false, Ordering::Relaxed);
        (SHORT.load(Ordering::Relaxed), stopped)
    }
}

impl Drop for Searching {
    fn drop(&mut self) {
        SEARCHING.store(false, Ordering::Relaxed);
        ANYTIME.store(false, Ordering::Relaxed);
        SHORT.store(false, Ordering::Relaxed);
    }
}

/// The error of a search that was stopped for want of memory before it had anything; others stay as they are.
pub fn explained(error: Error) -> Error {
    match error.kind() {
        ErrorKind::Cancelled if !STOP.load(Ordering::Relaxed) => memory().error(),
        _ => error,
    }
}

/// The memory of this process, which a run has to itself.
fn memory() -> MemoryWatch {
    MemoryWatch::of_process(GRANTED.load(Ordering::Relaxed))
}

/// Keeps the run from being ended while files get their names.
pub fn naming() -> MutexGuard<'static, ()> {
    NAMING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Leaves the end of the run to the main thread.
pub fn leave() {
    std::mem::forget(naming());
}

fn watch(mut signals: Signals) {
    let (mut asked, mut times) = (None, 0);
    loop {
        std::thread::sleep(TICK);
        for _ in signals.pending() {
            times += 1;
            asked = Some(Instant::now());
            STOP.store(true, Ordering::Relaxed);
        }
        let over = asked.is_some_and(|asked: Instant| asked.elapsed() >= GRACE);
        let waits = ANYTIME.load(Ordering::Relaxed) || !STOP.load(Ordering::Relaxed);
        if times > 1 || (over && !waits) {
            end(130, &Error::new(ErrorKind::Cancelled, "stopped"));
        }
        if GRANTED.load(Ordering::Relaxed) > 0 {
            look_at_memory();
        }
    }
}

fn look_at_memory() {
    match memory().look() {
        MemoryUse::Within => {}
        MemoryUse::High => SHORT.store(SEARCHING.load(Ordering::Relaxed), Ordering::Relaxed),
        MemoryUse::TooHigh => end(3, &memory().error()),
    }
}

/// Ends the process, whatever it is doing, and leaves nothing behind.
fn end(code: i32, error: &Error) -> ! {
    leave();
    files::remove_temporaries();
    SpillFolder::remove_all();
    terminal::report(error);
    std::process::exit(code)
}

/// Whether this process was started to ignore a signal.
fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
    mask >> (signal - 1) & 1 == 1
}
