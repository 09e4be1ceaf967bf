//! Checks before any work; all problems at once.

use crate::options;
use crate::settings::Settings;
use klimt_core::recode::ReleaseColumn;
use klimt_core::words::option;
use klimt_core::{Error, ErrorKind, Result};

/// What makes no sense whatever the table holds.
pub fn check_options(settings: &Settings) -> Result<()> {
    let mut problems = options::refusals(settings);
    problems.extend(settings.memory.problems());
    problems.extend(settings.tree_problems());
    problems.extend(settings.search.loss_problems());
    let search = &settings.search;
    if search.as_published {
        let beyond = [("start", search.start.is_some()), ("lookahead", search.lookahead.is_some())];
        let given = beyond.iter().filter(|(_, given)| *given);
        let problem = |(name, _): &(&'static str, bool)| {
            format!("{}: the search {} has none", option(name), option("as-published"))
        };
        problems.extend(given.map(problem));
    }
    Error::all(ErrorKind::Input, problems).map_or(Ok(()), Err)
}

/// A statistic must not have the name of another column.
pub fn check_names(columns: &[ReleaseColumn]) -> Result<()> {
    let mut seen = std::collections::HashSet::new();
    match columns.iter().find(|column| !seen.insert(&column.name)) {
        None => Ok(()),
        Some(twice) => Err(Error::input(format!("the release would have two columns {}", twice.name))
            .with_help("rename the column of the table, or publish no statistics")),
    }
}
