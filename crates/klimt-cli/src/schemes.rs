//! What may be asked of the generalization schemes, as flags.

use crate::choice::choice;
use clap::Args;
use klimt::settings::{Settings, Technique, scheme_named};
use klimt_core::algorithm::scheme::Direction;
use klimt_core::{Error, ErrorKind, Result, names};

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
    #[arg(long, value_parser = choice::<Direction>(), value_name = "WHERE")]
    pub direction: Option<Direction>,
    /// What the search does without, for experiments; the optimum is the same
    #[arg(long, value_parser = choice::<Technique>(), value_name = "TECHNIQUES", value_delimiter = ',')]
    pub without: Vec<Technique>,
}

impl SchemeArgs {
    /// Takes in the flags; all problems at once.
    pub fn apply(&self, settings: &mut Settings) -> Result<()> {
        let mut problems = Vec::new();
        for text in &self.scheme {
            let (column, name) = match names::pair(text) {
                Ok(found) => found.map_or((None, text.as_str()), |(column, name)| (Some(column), name)),
                Err(wrong) => {
                    problems.push(format!("--scheme {text}: {wrong}"));
                    continue;
                }
            };
            match (column, scheme_named(name)) {
                (None, Ok(scheme)) => settings.schemes.default = Some(scheme),
                (Some(column), Ok(scheme)) => {
                    settings.columns.entry(column).or_default().scheme = Some(scheme);
                }
                (_, Err(wrong)) => problems.push(format!("--scheme {text}: {wrong}")),
            }
        }
        for text in &self.levels {
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
                Ok(levels) => settings.columns.entry(column).or_default().levels = Some(levels),
                Err(wrong) => problems.push(format!("--levels {text}: {wrong}")),
            }
        }
        settings.schemes.direction = self.direction.or(settings.schemes.direction);
        if !self.without.is_empty() {
            settings.schemes.without = self.without.clone();
        }
        Error::all(ErrorKind::Input, problems).map_or(Ok(()), Err)
    }
}
