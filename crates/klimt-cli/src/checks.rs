//! What makes no sense in a run is said before any work, all of it at once.

use crate::applicability::{self, RunRequest};
use crate::columns::domain_file;
use crate::hand_over::{Telling, certificate_path};
use crate::options::AnonymizeArgs;
use crate::paths::check_outputs;
use crate::settings::Settings;
use crate::tree;
use klimt_core::recode::ReleaseColumn;
use klimt_core::{Error, ErrorKind, Result};

/// No output may overwrite another, or something that is read.
pub fn check_files(input: &str, output: &str, args: &AnonymizeArgs, settings: &Settings) -> Result<()> {
    let mut read = vec![input];
    read.extend(args.spec.as_deref());
    for column in settings.columns.values() {
        read.extend(column.order.as_deref());
        read.extend(domain_file(column));
        read.extend(column.hierarchy.as_deref());
    }
    read.extend(settings.workload.as_deref());
    let certificate = certificate_path(&Telling::of(args, output));
    let written = [
        ("release", Some(output)),
        ("certificate", certificate.as_deref()),
        ("recoding function", args.publish.save_recoding.as_deref()),
        ("trace", settings.search.trace.as_deref()),
    ];
    let written: Vec<(&str, &str)> =
        written.into_iter().filter_map(|(what, path)| Some((what, path?))).collect();
    check_outputs(&written, &read)
}

/// What makes no sense whatever the table holds; all problems at once.
pub fn check_options(run: &RunRequest<'_>) -> Result<()> {
    let settings = run.settings;
    let mut problems = applicability::refusals(run);
    problems.extend(settings.memory.problems());
    problems.extend(tree::problems(settings));
    let search = &settings.search;
    if search.as_published {
        let beyond = [("start", search.start.is_some()), ("lookahead", search.lookahead.is_some())];
        let given = beyond.iter().filter(|(_, given)| *given);
        problems.extend(given.map(|(flag, _)| format!("--{flag}: the search --as-published has none")));
    }
    Error::all(ErrorKind::Input, problems).map_or(Ok(()), Err)?;
    settings.search.budget(usize::MAX, true).map(drop)
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
