//! What a run asks of a search: the loss, the effort, the time, and how GenSearch goes about it.

use klimt_core::Choice;
use klimt_core::algorithm::gensearch::{Priority, Splits};
use klimt_core::algorithm::optimal::Effort;
use klimt_core::job::Budget;
use klimt_core::loss::{Cost, Loss, Original, WithPenalty};
use klimt_core::registry::LossChoice;
use klimt_core::words::option;
use klimt_core::{Error, Result, registry};
use std::fmt;
use std::str::FromStr;
use std::time::{Duration, Instant};

/// How long a search may take where nothing is said.
const TIME_LIMIT: Duration = Duration::from_secs(60);

/// What is asked of a search.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SearchSettings {
    /// The loss that a search minimises, that suppression lowers and that claims are about.
    pub loss: Option<LossChoice>,
    /// How much is spent on a better release.
    pub effort: Option<Effort>,
    /// After which time a search ends with the best release found.
    pub time_limit: Option<TimeLimit>,
    /// The proven factor at which a search ends.
    pub gap: Option<f64>,
    /// Where loss found and lower bound are written over time.
    pub trace: Option<String>,
    /// GenSearch: where columns may be cut.
    pub splits: Option<SplitSet>,
    /// GenSearch: which partition is looked at next.
    pub priority: Option<Priority>,
    /// GenSearch: how many partitions may wait.
    pub queue: Option<usize>,
    /// GenSearch: solve leaves with at most so many boxes for a better bound.
    pub lookahead: Option<usize>,
    /// GenSearch: what the search starts from.
    pub start: Option<Start>,
    /// GenSearch: the algorithm of the paper, without klimt's additions.
    pub as_published: bool,
}

/// What GenSearch starts from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// One group.
    Whole,
    /// What Mondrian finds.
    Mondrian,
    /// What the search over all cuts finds.
    Optimal,
}

impl Choice for Start {
    const ALL: &'static [(Self, &'static str, &'static str)] = &[
        (Start::Whole, "whole", "One group"),
        (Start::Mondrian, "mondrian", "What Mondrian finds"),
        (Start::Optimal, "optimal", "What the search of the algorithm optimal finds"),
    ];
}

/// Where GenSearch may cut columns, before there is a table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SplitSet {
    /// Between any two values.
    #[default]
    Every,
    /// Between so many parts of equal width.
    EqualWidth(usize),
    /// Between so many parts of equal numbers of rows.
    EqualCount(usize),
    /// At so many places, between parts of equal numbers of rows.
    AtMost(usize),
}

impl SplitSet {
    /// The splits of a table's columns.
    pub fn splits(self) -> Splits {
        match self {
            SplitSet::Every => Splits::Every,
            SplitSet::EqualWidth(parts) => Splits::EqualWidth(parts),
            SplitSet::EqualCount(parts) => Splits::EqualCount(parts),
            SplitSet::AtMost(splits) => Splits::at_most(splits),
        }
    }
}

impl FromStr for SplitSet {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        let wrong = || {
            "splits are one of every, equal-width:PARTS, equal-count:PARTS, at-most:SPLITS, such as equal-count:8"
                .to_string()
        };
        if text == "every" {
            return Ok(SplitSet::Every);
        }
        let (kind, many) = text.split_once(':').ok_or_else(wrong)?;
        let many = many.trim().parse().map_err(|_| wrong())?;
        match kind {
            "equal-width" => Ok(SplitSet::EqualWidth(many)),
            "equal-count" => Ok(SplitSet::EqualCount(many)),
            "at-most" => Ok(SplitSet::AtMost(many)),
            _ => Err(wrong()),
        }
    }
}

impl fmt::Display for SplitSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SplitSet::Every => f.write_str("every"),
            SplitSet::EqualWidth(parts) => write!(f, "equal-width:{parts}"),
            SplitSet::EqualCount(parts) => write!(f, "equal-count:{parts}"),
            SplitSet::AtMost(splits) => write!(f, "at-most:{splits}"),
        }
    }
}

/// A time limit, such as `90s`, `2m`, `1.5h` or `500ms`; seconds where no unit is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeLimit(pub Duration);

impl FromStr for TimeLimit {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        let factor = match &text[digits.len()..] {
            "ms" => Some(1e-3),
            "" | "s" => Some(1.0),
            "m" | "min" => Some(60.0),
            "h" => Some(3600.0),
            _ => None,
        };
        let seconds = digits.trim().parse::<f64>().ok().zip(factor).map(|(number, factor)| number * factor);
        seconds
            .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
            .map(TimeLimit)
            .ok_or_else(|| "a time is a number with ms, s, m or h, such as 120s".to_string())
    }
}

impl fmt::Display for TimeLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}s", self.0.as_secs_f64())
    }
}

/// A proven factor at which a search ends: a number of at least 1.
pub fn gap(text: &str) -> std::result::Result<f64, String> {
    let gap = text.trim().parse().ok().filter(|gap: &f64| gap.is_finite() && *gap >= 1.0);
    gap.ok_or_else(|| "the gap must be a number of at least 1, such as 1.05".to_string())
}

impl SearchSettings {
    /// The name of the loss that is minimised.
    pub fn loss(&self) -> &str {
        self.loss.as_ref().map_or("ncp", LossChoice::name)
    }

    /// The loss that is minimised, where it is not in the registry.
    pub fn own_loss(&self) -> Option<&dyn Loss> {
        self.loss.as_ref()?.own()
    }

    /// The loss of this name: that of the caller, or one of the registry.
    pub fn loss_of_name(&self, name: &str) -> Option<&dyn Loss> {
        self.losses().find(|loss| loss.id() == name)
    }

    /// Every loss that a release is measured by: those of the registry, and that of the caller.
    pub fn losses(&self) -> impl Iterator<Item = &dyn Loss> {
        let registered = registry::LOSSES.iter().map(|(_, loss)| *loss as &dyn Loss);
        registered.chain(self.own_loss())
    }

    /// The problems of a loss that is not in the registry.
    pub(crate) fn loss_problems(&self) -> Vec<String> {
        let taken =
            |id: &str| id == WithPenalty::NAME || registry::LOSSES.iter().any(|(entry, _)| entry.id == id);
        let own = self.own_loss().map(Loss::id).filter(|id| taken(id));
        own.map(|id| format!("klimt has a loss {id} of its own; give yours another name"))
            .into_iter()
            .collect()
    }

    /// What a proof is about: for a workload, the loss with what decides between releases that answer alike.
    pub fn proven_loss(&self) -> &str {
        if self.loss() == "queries" { WithPenalty::NAME } else { self.loss() }
    }

    /// The loss that is minimised, bound to a table.
    pub fn cost<'a>(&self, original: &Original<'a>) -> Result<Box<dyn Cost + 'a>> {
        let name = self.loss();
        if let Some(cost) = WithPenalty::new(original).filter(|_| name == "queries") {
            return Ok(Box::new(cost));
        }
        let found = self.loss_of_name(name);
        found.and_then(|loss| loss.cost(original)).ok_or_else(|| {
            let additive: Vec<&str> =
                self.losses().filter(|loss| loss.cost(original).is_some()).map(Loss::id).collect();
            let why = match found {
                None => format!("unknown loss {name}"),
                Some(_) if name == "queries" => {
                    format!("the loss queries is that of a workload, and needs {}", option("workload"))
                }
                Some(_) => format!(
                    "the loss {name} cannot be minimised here: it does not add up over groups, or needs a {}",
                    option("target")
                ),
            };
            Error::input(format!("{why}; these can: {}", additive.join(", ")))
        })
    }

    /// How much is spent on a better release.
    pub fn effort(&self) -> Effort {
        self.effort.unwrap_or_default()
    }

    /// When a run that starts now must be over, where that was said.
    pub fn until(&self) -> Option<Instant> {
        self.time_limit.and_then(|limit| Instant::now().checked_add(limit.0))
    }

    /// What a run that starts now may spend, with so much memory. Where nothing is said, a search has its usual time, and
    /// what does not search takes what it takes.
    pub fn budget(&self, memory: usize, searches: bool) -> Budget {
        let usual = || Instant::now().checked_add(TIME_LIMIT).filter(|_| searches);
        let until = if self.time_limit.is_some() { self.until() } else { usual() };
        let bytes = Budget::default().bytes.min(memory);
        Budget { until, gap: self.gap.unwrap_or(1.0), bytes, memory }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_units() {
        let parsed = |text: &str| text.parse::<TimeLimit>().map(|limit| limit.0.as_secs_f64());
        assert_eq!(parsed("90"), Ok(90.0));
        assert_eq!(parsed("500ms"), Ok(0.5));
        assert_eq!(parsed("2m"), Ok(120.0));
        assert_eq!(parsed("1.5h"), Ok(5400.0));
        for wrong in ["", "s", "-1s", "1d", "1e400h"] {
            assert!(parsed(wrong).is_err(), "{wrong}");
        }
        assert_eq!("2m".parse::<TimeLimit>().unwrap().to_string(), "120s");
    }

    #[test]
    fn split_sets_are_written_as_they_are_read() {
        for text in ["every", "equal-width:4", "equal-count:8", "at-most:28"] {
            assert_eq!(text.parse::<SplitSet>().unwrap().to_string(), text);
        }
        assert!("at-most".parse::<SplitSet>().is_err() && "some:3".parse::<SplitSet>().is_err());
        assert!(gap("0.9").is_err() && gap("inf").is_err() && gap("1.05") == Ok(1.05));
    }
}
