//! Progress and notes on a terminal, and the wish to stop.

use crate::supervisor::{self, Searching};
use crate::terminal::{note, rounded_up};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use klimt::{AlgorithmKind, Interrupted, Note, Observer, Stage, Watched, Words};
use klimt_core::Result;
use std::io::IsTerminal;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Shows progress on a terminal, and nothing when piped; knows whether the user asked to stop.
pub struct Progress {
    show: bool,
    quiet: bool,
    anytime: bool,
    bar: Mutex<Option<ProgressBar>>,
    searching: Mutex<Option<Searching>>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Progress {
    /// Starts to listen for Ctrl-C and for a polite request to end; a second one ends the program at once.
    pub fn new(quiet: bool) -> Result<Self> {
        supervisor::start()?;
        let show = !quiet && std::io::stderr().is_terminal();
        let (bar, searching) = (Mutex::default(), Mutex::default());
        Ok(Progress { show, quiet, anytime: true, bar, searching })
    }

    /// Of a command that has no use for the best that a search has found: a request to stop ends it.
    pub fn all_or_nothing(self) -> Self {
        Progress { anytime: false, ..self }
    }

    /// Says nothing of what is noted.
    pub fn silent(self) -> Self {
        Progress { quiet: true, ..self }
    }

    /// The run as the library watches it.
    pub fn watched(&self) -> Watched<'_> {
        Watched::by(self)
    }

    fn with_bar(&self, change: impl FnOnce(&ProgressBar)) {
        if let Some(bar) = &*lock(&self.bar) {
            change(bar);
        }
    }
}

impl Observer for Progress {
    fn begin(&self, stage: Stage, total: Option<u64>) {
        if !self.show {
            return;
        }
        let bar = ProgressBar::with_draw_target(total, ProgressDrawTarget::stderr_with_hz(10));
        let template = match (stage, total) {
            (_, None) => "{msg:>12} {elapsed} {prefix}",
            (Stage::Reading, _) => "{msg:>12} {wide_bar} {bytes}/{total_bytes} {eta}",
            _ => "{msg:>12} {wide_bar} {human_pos}/{human_len} rows {eta}",
        };
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        bar.set_message(stage.name());
        if total.is_none() {
            bar.enable_steady_tick(std::time::Duration::from_millis(200));
        }
        *lock(&self.bar) = Some(bar);
    }

    fn rename(&self, stage: Stage) {
        self.with_bar(|bar| bar.set_message(stage.name()));
    }

    fn advance(&self, units: u64) {
        if self.show {
            self.with_bar(|bar| bar.inc(units));
        }
    }

    fn improved(&self, loss: f64, bound: Option<f64>) {
        self.with_bar(|bar| {
            bar.set_prefix(match bound {
                Some(least) => {
                    let factor = rounded_up(loss / least, 4);
                    format!("loss {loss:.6}, at least {least:.6}, within a factor {factor}")
                }
                None => format!("loss {loss:.6}"),
            });
        });
    }

    fn end(&self) {
        if let Some(bar) = lock(&self.bar).take() {
            bar.finish_and_clear();
        }
    }

    fn note(&self, said: &Note) {
        let start = if said.is_warning { "warning: " } else { "" };
        note(self.quiet, &format!("{start}{}", said.worded(Words::Flags)));
    }

    fn trial(&self, number: usize, of: usize, algorithm: AlgorithmKind, k: u64) {
        note(!self.show, &format!("{number} of {of}: {algorithm}, k = {k}"));
    }

    fn cancelled(&self) -> bool {
        supervisor::stops()
    }

    fn search_begins(&self) {
        *lock(&self.searching) = Some(Searching::begin(self.anytime));
    }

    fn search_ends(&self) -> Interrupted {
        let ended = lock(&self.searching).take().map(Searching::end);
        let (by_memory, by_request) = ended.unwrap_or_default();
        Interrupted { by_memory, by_request }
    }

    fn naming(&self, name: &mut dyn FnMut() -> Result<()>) -> Result<()> {
        let _held = supervisor::naming();
        name()
    }
}
