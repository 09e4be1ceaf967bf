//! What may be asked of a search, as flags.

use crate::choice::choice;
use clap::Args;
use klimt::settings::{Settings, Start, gap};
use klimt_core::algorithm::gensearch::Priority;
use klimt_core::algorithm::optimal::Effort;
use klimt_core::registry::LossChoice;
use klimt_core::{Error, ErrorKind, Result, names};
use std::collections::BTreeMap;
use std::str::FromStr;

/// What may be asked of a search. A spec says the same under the same names.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Search")]
pub struct SearchArgs {
    /// The loss that a search minimises, that suppression lowers and that claims are about: ncp (the default; dm for
    /// schemes), dm, c_avg, cm, vm, hdm, …
    #[arg(long, value_name = "NAME")]
    pub loss: Option<String>,
    /// Spend more time on a better release
    #[arg(long, value_parser = choice::<Effort>(), value_name = "LEVEL")]
    pub effort: Option<Effort>,
    /// End the search for groups after this time with the best release found, such as 120s or 5m; 60s by default for
    /// algorithms that search. The table is read before that time, and the release is written and checked after it
    #[arg(long, value_name = "TIME")]
    pub time_limit: Option<String>,
    /// End a search when the loss is proven to be within this factor of the least possible, such as 1.05
    #[arg(long, value_name = "RATIO")]
    pub gap: Option<String>,
    /// Write loss found and lower bound over time, as CSV
    #[arg(long, value_name = "FILE")]
    pub trace: Option<String>,
    /// gensearch: where columns may be cut: every, equal-width:PARTS, equal-count:PARTS or at-most:SPLITS
    #[arg(long, value_name = "SPLITS")]
    pub splits: Option<String>,
    /// gensearch: which partition is looked at next
    #[arg(long, value_parser = choice::<Priority>(), value_name = "KEY")]
    pub priority: Option<Priority>,
    /// gensearch: explicit places for a column instead of --splits, such as age=30,45,60: a number is cut after the last
    /// value up to each, a text after it, a set into it and the others; may be repeated
    #[arg(long, value_name = "COLUMN=VALUES")]
    pub split_at: Vec<String>,
    /// gensearch: how many partitions may wait; by default 200, then four times as many while time is left, and with
    /// --as-published as many as fit into memory
    #[arg(long, value_name = "N")]
    pub queue: Option<String>,
    /// gensearch: solve leaves with at most so many boxes for a better bound; 0 leaves the published bounds
    #[arg(long, value_name = "BOXES")]
    pub lookahead: Option<String>,
    /// gensearch: what the search starts from; cuts that are not in the split set are moved to the nearest split
    #[arg(long, value_parser = choice::<Start>(), value_name = "ALGORITHM")]
    pub start: Option<Start>,
    /// gensearch: the algorithm of the paper, from one group on, without look-ahead or greedy descents but where the queue
    /// is full
    #[arg(long)]
    pub as_published: bool,
}

impl SearchArgs {
    /// Takes in the flags: what they say replaces what a spec says. All problems at once.
    pub fn apply(&self, settings: &mut Settings) -> Result<()> {
        let mut problems = Vec::new();
        let search = &mut settings.search;
        search.loss = self.loss.clone().map(LossChoice::Named).or(search.loss.take());
        search.effort = self.effort.or(search.effort);
        set(&mut search.time_limit, &self.time_limit, FromStr::from_str, &mut problems);
        set(&mut search.gap, &self.gap, gap, &mut problems);
        search.trace = self.trace.clone().or(search.trace.take());
        set(&mut search.splits, &self.splits, FromStr::from_str, &mut problems);
        search.priority = self.priority.or(search.priority);
        set(&mut search.queue, &self.queue, |text| whole("queue", text), &mut problems);
        set(&mut search.lookahead, &self.lookahead, |text| whole("lookahead", text), &mut problems);
        search.start = self.start.or(search.start);
        search.as_published |= self.as_published;
        apply_splits(settings, &self.split_at, &mut problems);
        Error::all(ErrorKind::Input, problems).map_or(Ok(()), Err)
    }
}

/// Sets what a flag says, or notes why it makes no sense.
pub fn set<T>(
    setting: &mut Option<T>,
    flag: &Option<String>,
    parse: impl FnOnce(&str) -> Result<T, String>,
    problems: &mut Vec<String>,
) {
    match flag.as_deref().map(parse) {
        None => {}
        Some(Ok(value)) => *setting = Some(value),
        Some(Err(wrong)) => problems.push(wrong),
    }
}

fn whole(flag: &str, text: &str) -> Result<usize, String> {
    text.parse().map_err(|_| format!("--{flag} needs a whole number"))
}

/// Takes in the values after which GenSearch may cut columns; those of a column replace what the spec says of it.
pub fn apply_splits(settings: &mut Settings, given: &[String], problems: &mut Vec<String>) {
    let mut splits: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for text in given {
        let pair = names::pair(text).and_then(|pair| pair.ok_or("COLUMN=VALUES is needed".to_string()));
        match pair.and_then(|(column, values)| Ok((column, names::list(values)?))) {
            Ok((column, values)) => splits.entry(column).or_default().extend(values),
            Err(wrong) => problems.push(format!("--split-at {text}: {wrong}")),
        }
    }
    for (column, values) in splits {
        settings.columns.entry(column).or_default().splits = Some(values);
    }
}
