//! Progress on a terminal, and the wish to stop.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use klimt::partition::Observer;
use klimt::{Error, Result};
use std::io::IsTerminal;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Shows progress on a terminal, and nothing when piped; knows whether the user asked to stop.
pub struct Progress {
    stop: Arc<AtomicBool>,
    show: bool,
}

/// One stretch of work with its bar.
pub struct Stage<'a> {
    bar: Option<ProgressBar>,
    progress: &'a Progress,
}

impl Progress {
    /// Starts to listen for Ctrl-C and for a polite request to end; a second one ends the program at once.
    pub fn new(quiet: bool) -> Result<Self> {
        let stop = Arc::new(AtomicBool::new(false));
        for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM] {
            signal_hook::flag::register_conditional_shutdown(signal, 130, Arc::clone(&stop))
                .and_then(|_| signal_hook::flag::register(signal, Arc::clone(&stop)))
                .map_err(|e| Error::internal(format!("cannot listen for signals: {e}")))?;
        }
        Ok(Progress { stop, show: !quiet && std::io::stderr().is_terminal() })
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
        Stage { bar, progress: self }
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
        Stage { bar, progress: self }
    }

    /// Takes back the wish to stop, after what was asked to stop has handed over what it had; returns whether there was
    /// one. The next one ends the program.
    pub fn resume(&self) -> bool {
        self.stop.swap(false, Ordering::Relaxed)
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
        self.progress.stop.load(Ordering::Relaxed)
    }
}
