//! Progress on a terminal, and the wish to stop.

use crate::supervisor::{self, Searching};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use klimt_core::Result;
use klimt_core::job::Observer;
use std::io::IsTerminal;
use std::marker::PhantomData;

/// Shows progress on a terminal, and nothing when piped; knows whether the user asked to stop.
pub struct Progress {
    show: bool,
    anytime: bool,
}

/// One stretch of work with its bar.
pub struct Stage<'a> {
    bar: Option<ProgressBar>,
    progress: PhantomData<&'a Progress>,
}

impl Progress {
    /// Starts to listen for Ctrl-C and for a polite request to end; a second one ends the program at once.
    pub fn new(quiet: bool) -> Result<Self> {
        supervisor::start()?;
        Ok(Progress { show: !quiet && std::io::stderr().is_terminal(), anytime: true })
    }

    /// Of a command that has no use for the best that a search has found: whoever asks to stop ends it.
    pub fn all_or_nothing(self) -> Self {
        Progress { anytime: false, ..self }
    }

    /// Starts a stretch of work of so many units; bytes or rows.
    pub fn stage(&self, name: &'static str, total: u64, bytes: bool) -> Stage<'_> {
        let bar = self.show.then(|| {
            let bar = ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::stderr_with_hz(10));
            let amount = if bytes { "{bytes}/{total_bytes}" } else { "{human_pos}/{human_len} rows" };
            let style = ProgressStyle::with_template(&format!("{{msg:>12}} {{wide_bar}} {amount} {{eta}}"));
            if let Ok(style) = style {
                bar.set_style(style);
            }
            bar.set_message(name);
            bar
        });
        Stage { bar, progress: PhantomData }
    }
}

impl Progress {
    /// Starts a search, which knows no end.
    pub fn search(&self) -> Stage<'_> {
        let bar = self.show.then(|| {
            let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(10));
            if let Ok(style) = ProgressStyle::with_template("{msg:>12} {elapsed} {prefix}") {
                bar.set_style(style);
            }
            bar.set_message("searching");
            bar.enable_steady_tick(std::time::Duration::from_millis(200));
            bar
        });
        Stage { bar, progress: PhantomData }
    }

    /// Begins a search that hands over the best that it has when it is asked to stop.
    pub fn searching(&self) -> Searching {
        Searching::begin(self.anytime)
    }
}

impl Stage<'_> {
    /// Says what is being done now.
    pub fn rename(&self, name: &'static str) {
        if let Some(bar) = &self.bar {
            bar.set_message(name);
        }
    }

    /// Says how it goes.
    pub fn say(&self, what: &str) {
        if let Some(bar) = &self.bar {
            bar.set_prefix(what.to_string());
        }
    }
}

impl Stage<'_> {
    /// Takes the bar away.
    pub fn clear(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

impl Drop for Stage<'_> {
    fn drop(&mut self) {
        self.clear();
    }
}

impl Observer for Stage<'_> {
    fn advance(&self, amount: u64) {
        if let Some(bar) = &self.bar {
            bar.inc(amount);
        }
    }

    fn cancelled(&self) -> bool {
        supervisor::stops()
    }
}
