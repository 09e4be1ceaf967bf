//! Watching a run: progress, notes, and the wish to stop.

use klimt_core::job as engine;
use klimt_core::registry::AlgorithmKind;
use klimt_core::{Error, ErrorKind, Result};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

/// A stretch of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Stage {
    /// The table is read; progress is in bytes.
    Reading,
    /// A sample is taken.
    Sampling,
    /// Groups are found; progress is in rows.
    Partitioning,
    /// A search is under way, which knows no end.
    Searching,
    /// Rows are taken into a store.
    Indexing,
    /// The release is written and checked; progress is in rows.
    Writing,
    /// Rows are invented.
    Generating,
}

impl Stage {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Stage::Reading => "reading",
            Stage::Sampling => "sampling",
            Stage::Partitioning => "partitioning",
            Stage::Searching => "searching",
            Stage::Indexing => "indexing",
            Stage::Writing => "writing",
            Stage::Generating => "generating",
        }
    }
}

/// Why a search ended before its time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Interrupted {
    /// It held more memory than was granted.
    pub by_memory: bool,
    /// It was asked to stop.
    pub by_request: bool,
}

/// Watches a run: is told of progress and may stop it. Called from several threads. Every method has a default that does
/// nothing.
pub trait Observer: Sync {
    /// A stretch of work begins, of so many units where that is known.
    fn begin(&self, _stage: Stage, _total: Option<u64>) {}

    /// The stretch of work goes on as another one, with the same units.
    fn rename(&self, _stage: Stage) {}

    /// So many more units are done.
    fn advance(&self, _units: u64) {}

    /// A search has found a release of this loss, or has proven that none has less than the lower bound.
    fn improved(&self, _loss: f64, _bound: Option<f64>) {}

    /// The stretch of work is over.
    fn end(&self) {}

    /// Something that the user should know.
    fn note(&self, _note: &Note) {}

    /// Whether the run should stop. A search ends with the best release that it has; anything else ends with an error of
    /// the kind [`Cancelled`](klimt_core::ErrorKind::Cancelled).
    fn cancelled(&self) -> bool {
        false
    }

    /// A comparison tries an algorithm with a k: the `number`-th of so many trials.
    fn trial(&self, _number: usize, _of: usize, _algorithm: AlgorithmKind, _k: u64) {}

    /// A search begins that hands over the best that it has when it is asked to stop.
    fn search_begins(&self) {}

    /// The search is over. From now on [`Observer::cancelled`] is about the rest of the run: a request that the search has
    /// answered is forgotten.
    fn search_ends(&self) -> Interrupted {
        Interrupted { by_memory: false, by_request: self.cancelled() }
    }

    /// Gives files their names. Whoever ends the process from outside may hold a lock meanwhile.
    fn naming(&self, name: &mut dyn FnMut() -> klimt_core::Result<()>) -> klimt_core::Result<()> {
        name()
    }
}

/// Watches nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unobserved;

impl Observer for Unobserved {}

/// Something that the user should know about a run or a release. Options in the text are marked as in
/// [`klimt_core::words`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// Whether the release should not go out before somebody has thought about it.
    pub is_warning: bool,
    /// What it says; never a cell value.
    pub text: String,
}

impl Note {
    /// A warning.
    pub fn warning(text: impl Into<String>) -> Self {
        Note { is_warning: true, text: text.into() }
    }

    /// Something less than a warning.
    pub fn remark(text: impl Into<String>) -> Self {
        Note { is_warning: false, text: text.into() }
    }

    /// The text in the words of a front end.
    pub fn worded(&self, words: klimt_core::Words) -> String {
        words.render(&self.text)
    }
}

impl std::fmt::Display for Note {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.worded(klimt_core::Words::Plain))
    }
}

/// Runs something that an observer watches, where there is one.
pub(crate) fn watch<T>(
    observer: Option<&(dyn Observer + Send)>,
    run: impl FnOnce(&Watched<'_>) -> klimt_core::Result<T>,
) -> klimt_core::Result<T> {
    match observer {
        Some(observer) => run(&Watched::by(observer)),
        None => run(&Watched::by(&Unobserved)),
    }
}

/// A run as it is watched: notes are kept for the release and passed on.
pub struct Watched<'o> {
    observer: &'o dyn Observer,
    notes: Mutex<Vec<Note>>,
}

impl<'o> Watched<'o> {
    /// Nothing was noted as yet.
    pub fn by(observer: &'o dyn Observer) -> Self {
        Watched { observer, notes: Mutex::new(Vec::new()) }
    }

    /// Who watches.
    pub fn observer(&self) -> &'o dyn Observer {
        self.observer
    }

    /// An error where the run should stop.
    pub fn go_on(&self) -> Result<()> {
        match self.observer.cancelled() {
            true => Err(Error::new(ErrorKind::Cancelled, "stopped")),
            false => Ok(()),
        }
    }

    /// Notes something once.
    pub fn note(&self, note: Note) {
        let mut notes = self.notes.lock().unwrap_or_else(|broken| broken.into_inner());
        if !notes.contains(&note) {
            self.observer.note(&note);
            notes.push(note);
        }
    }

    /// Everything that was noted, each once.
    pub fn notes(&self) -> Vec<Note> {
        self.notes.lock().unwrap_or_else(|broken| broken.into_inner()).clone()
    }

    /// Begins a stretch of work, which ends when what is returned is dropped.
    pub fn stage(&self, stage: Stage, total: Option<u64>) -> Stretch<'o> {
        self.observer.begin(stage, total);
        Stretch { observer: self.observer, ended: AtomicBool::new(false) }
    }
}

/// A stretch of work, as the engine sees it.
pub struct Stretch<'o> {
    observer: &'o dyn Observer,
    ended: AtomicBool,
}

impl Stretch<'_> {
    /// The work goes on as another one.
    pub fn rename(&self, stage: Stage) {
        self.observer.rename(stage);
    }

    /// The work is over.
    pub fn end(&self) {
        if !self.ended.swap(true, Ordering::Relaxed) {
            self.observer.end();
        }
    }
}

impl engine::Observer for Stretch<'_> {
    fn advance(&self, units: u64) {
        self.observer.advance(units);
    }

    fn cancelled(&self) -> bool {
        self.observer.cancelled()
    }
}

impl Drop for Stretch<'_> {
    fn drop(&mut self) {
        self.end();
    }
}
