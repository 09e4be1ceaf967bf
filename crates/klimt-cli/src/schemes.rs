//! Generalization schemes on the command line: what may be asked of them.

mod advice;
mod bound;

pub use bound::{Guides, Schemes};

use crate::settings::Settings;
use crate::suggest::did_you_mean;
use clap::{Args, ValueEnum};
use klimt_core::Choice;
use klimt_core::algorithm::scheme::{Direction, Pruning, Scheme};
use klimt_core::{Error, ErrorKind, Result, names};
use std::fmt;
use std::str::FromStr;

/// What may be asked of the generalization schemes. A spec says the same under the same names.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Schemes (--algorithm scheme)")]
pub struct SchemeArgs {
    /// Which groupings of values are allowed, for all columns or for one: bhs (one level of the hierarchy), ghs (a cut
    /// through it), ops (intervals of the order), gops (intervals that respect the hierarchy), sps (any sets), gsps (sets
    /// that respect the hierarchy); by default ghs where there is a hierarchy, ops where there is an order, else sps
    #[arg(long, value_name = "[COLUMN=]NAME")]
    pub scheme: Vec<String>,
    /// The least and the most general level of a hierarchy that may be published, such as age=1..3, age=1.. or age=..2;
    /// level 0 is the values as they are
    #[arg(long, value_name = "COLUMN=A..B")]
    pub levels: Vec<String>,
    /// Where the search starts
    #[arg(long, value_enum, value_name = "WHERE")]
    pub direction: Option<DirectionArg>,
    /// What the search does without, for experiments; the optimum is the same
    #[arg(long, value_enum, value_name = "TECHNIQUES", value_delimiter = ',')]
    pub without: Vec<Technique>,
}

/// Where the search starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum DirectionArg {
    /// From the values as they are.
    BottomUp,
    /// From one group of everything.
    TopDown,
    /// Whichever suits the table.
    Auto,
}

/// What the search does to look at fewer generalizations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Technique {
    /// Leave out what a lower bound shows to be no better.
    Bounds,
    /// Leave out merges that lead to nothing better.
    Useless,
    /// Merge at once what must be merged to reach anything better.
    Useful,
    /// Start from a known generalization.
    Seeding,
    /// Look at a generalization again before its children are made.
    Reconsider,
    /// Take the generalization with the least lower bound next.
    Nodes,
    /// Merge first what merges the fewest groups.
    Applicators,
    /// Solve one column exactly at every generalization of the others.
    Fold,
    /// Find the first generalization by descents; without them it is the best of some drawn at random.
    Descents,
    /// Bounds that look at the finest and the coarsest generalization in either direction.
    BothEnds,
    /// All that klimt adds to the search of Li and Li: fold, descents and both-ends.
    Additions,
}

/// What klimt adds to the search of Li and Li.
const ADDITIONS: [Technique; 3] = [Technique::Fold, Technique::Descents, Technique::BothEnds];

/// What is asked of the generalization schemes for all columns.
#[derive(Clone, Debug, Default)]
pub struct SchemeSettings {
    /// The scheme of columns for which none is named.
    pub default: Option<Scheme>,
    /// Where the search starts.
    pub direction: Option<DirectionArg>,
    /// What it does without.
    pub without: Vec<Technique>,
}

impl SchemeSettings {
    fn direction(&self) -> Direction {
        match self.direction {
            Some(DirectionArg::BottomUp) => Direction::BottomUp,
            Some(DirectionArg::TopDown) => Direction::TopDown,
            Some(DirectionArg::Auto) | None => Direction::Auto,
        }
    }

    fn pruning(&self) -> Pruning {
        let added = self.without.contains(&Technique::Additions);
        let with =
            |technique| !(self.without.contains(&technique) || added && ADDITIONS.contains(&technique));
        Pruning {
            bounds: with(Technique::Bounds),
            useless: with(Technique::Useless),
            useful: with(Technique::Useful),
            seeding: with(Technique::Seeding),
            reconsider: with(Technique::Reconsider),
            nodes: with(Technique::Nodes),
            applicators: with(Technique::Applicators),
            fold: with(Technique::Fold),
            descents: with(Technique::Descents),
            both_ends: with(Technique::BothEnds),
        }
    }
}

/// The least and the most general level of a hierarchy that may be published.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Levels {
    /// The least general one; 0 is the values as they are.
    pub least: u32,
    /// The most general one, or all.
    pub most: Option<u32>,
}

impl FromStr for Levels {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        let wrong = || "levels are written A..B, A.. or ..B, such as 1..3".to_string();
        let (least, most) = text.split_once("..").ok_or_else(wrong)?;
        let level = |text: &str| match text.trim() {
            "" => Ok(None),
            digits => digits.parse().map(Some).map_err(|_| wrong()),
        };
        let (least, most): (Option<u32>, Option<u32>) = (level(least)?, level(most)?);
        match (least, most) {
            (None, None) => Err(wrong()),
            (Some(least), Some(most)) if least > most => Err(format!(
                "level {least} is more general than level {most}: the less general one comes first"
            )),
            _ => Ok(Levels { least: least.unwrap_or(0), most }),
        }
    }
}

impl fmt::Display for Levels {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}..", self.least)?;
        self.most.map_or(Ok(()), |most| write!(f, "{most}"))
    }
}

/// The scheme of a name.
pub fn named(name: &str) -> std::result::Result<Scheme, String> {
    let names = || Scheme::ALL.iter().map(|(_, name, _)| *name);
    Scheme::named(name).ok_or_else(|| {
        let all: Vec<&str> = names().collect();
        format!("there is no scheme {name}{}; there are {}", did_you_mean(name, names()), all.join(", "))
    })
}

impl Settings {
    /// Takes in the flags about schemes; all problems at once.
    pub fn apply_schemes(&mut self, args: &SchemeArgs) -> Result<()> {
        let mut problems = Vec::new();
        for text in &args.scheme {
            let (column, name) = match names::pair(text) {
                Ok(found) => found.map_or((None, text.as_str()), |(column, name)| (Some(column), name)),
                Err(wrong) => {
                    problems.push(format!("--scheme {text}: {wrong}"));
                    continue;
                }
            };
            match (column, named(name)) {
                (None, Ok(scheme)) => self.schemes.default = Some(scheme),
                (Some(column), Ok(scheme)) => {
                    self.columns.entry(column).or_default().scheme = Some(scheme);
                }
                (_, Err(wrong)) => problems.push(format!("--scheme {text}: {wrong}")),
            }
        }
        for text in &args.levels {
            let (column, levels) = match names::pair(text) {
                Ok(Some(found)) => found,
                Ok(None) => {
                    problems.push(format!("--levels {text}: COLUMN=A..B is needed"));
                    continue;
                }
                Err(wrong) => {
                    problems.push(format!("--levels {text}: {wrong}"));
                    continue;
                }
            };
            match levels.parse() {
                Ok(levels) => self.columns.entry(column).or_default().levels = Some(levels),
                Err(wrong) => problems.push(format!("--levels {text}: {wrong}")),
            }
        }
        self.schemes.direction = args.direction.or(self.schemes.direction);
        if !args.without.is_empty() {
            self.schemes.without = args.without.clone();
        }
        Error::all(ErrorKind::Input, problems).map_or(Ok(()), Err)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_have_a_least_or_a_most_general_one() {
        let parsed = |text: &str| text.parse::<Levels>();
        assert_eq!(parsed("1..3"), Ok(Levels { least: 1, most: Some(3) }));
        assert_eq!(parsed("1.."), Ok(Levels { least: 1, most: None }));
        assert_eq!(parsed("..2"), Ok(Levels { least: 0, most: Some(2) }));
        assert_eq!(parsed("2..2").unwrap().to_string(), "2..2");
        assert_eq!(parsed("1..").unwrap().to_string(), "1..");
        for wrong in ["..", "1", "3..1", "a..b", "-1..2", ""] {
            assert!(parsed(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn unknown_schemes_are_told_with_the_nearest() {
        assert_eq!(named("GSPS"), Ok(Scheme::Gsps));
        assert!(named("gspss").unwrap_err().contains("did you mean gsps?"));
        assert!(named("zzz").unwrap_err().ends_with("there are bhs, ghs, ops, gops, sps, gsps"));
    }

    #[test]
    fn every_technique_switches_off_its_own() {
        let off =
            |technique| SchemeSettings { without: vec![technique], ..SchemeSettings::default() }.pruning();
        let all = Pruning::default();
        assert_eq!(off(Technique::Bounds), Pruning { bounds: false, ..all });
        assert_eq!(off(Technique::Useless), Pruning { useless: false, ..all });
        assert_eq!(off(Technique::Useful), Pruning { useful: false, ..all });
        assert_eq!(off(Technique::Seeding), Pruning { seeding: false, ..all });
        assert_eq!(off(Technique::Reconsider), Pruning { reconsider: false, ..all });
        assert_eq!(off(Technique::Nodes), Pruning { nodes: false, ..all });
        assert_eq!(off(Technique::Applicators), Pruning { applicators: false, ..all });
        assert_eq!(off(Technique::Fold), Pruning { fold: false, ..all });
        assert_eq!(off(Technique::Descents), Pruning { descents: false, ..all });
        assert_eq!(off(Technique::BothEnds), Pruning { both_ends: false, ..all });
        assert_eq!(off(Technique::Additions), Pruning::AS_PUBLISHED);
    }
}
