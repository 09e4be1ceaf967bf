//! What makes no sense in a run is said before any work, all of it at once.

use crate::external;
use crate::hand_over::{Telling, certificate_path};
use crate::options::{AnonymizeArgs, Extent, HierarchyCut, Partitioning as PartitioningArg};
use crate::paths::check_outputs;
use crate::schemes;
use crate::settings::Settings;
use crate::tree;
use klimt::algorithm::optimal::Effort;
use klimt::recode::ReleaseColumn;
use klimt::{Error, ErrorKind, Result};

/// No output may overwrite another, or something that is read.
pub fn check_files(input: &str, output: &str, args: &AnonymizeArgs, settings: &Settings) -> Result<()> {
    let mut read = vec![input];
    read.extend(args.spec.as_deref());
    for column in settings.columns.values() {
        read.extend(column.order.as_deref());
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

/// What a search cannot do is said before it starts.
pub fn check_search(settings: &Settings, saves_recoding: bool) -> Result<()> {
    let algorithm = settings.algorithm();
    let mut problems = schemes::stray(settings);
    problems.extend(settings.memory.problems(algorithm, settings.is_auto()));
    problems.extend(external::check_asked(settings));
    problems.extend(tree::problems(settings, saves_recoding));
    let says_itself = algorithm.starts_with("rothko") || ["mondrian", "local"].contains(&algorithm);
    if !says_itself && settings.partitioning == Some(PartitioningArg::Relaxed) {
        problems.push(format!("--partitioning relaxed: {algorithm} keeps equal rows in one group"));
    }
    if saves_recoding && algorithm == "mondrian" && settings.partitioning == Some(PartitioningArg::Relaxed) {
        problems.push(
            "--save-recoding: regions of relaxed partitioning may overlap, so that no function maps a tuple to one of \
             them"
                .to_string(),
        );
    }
    let resolves = algorithm == "optimal" || settings.search.effort() != Effort::Fast;
    if resolves && settings.hierarchy_cut == Some(HierarchyCut::Nodes) {
        problems.push(
            "--hierarchy-cut nodes: a search for better cuts goes between any two leaves; gensearch keeps to nodes"
                .to_string(),
        );
    }
    let groups_without_cuts = ["scheme", "local"].contains(&algorithm);
    if groups_without_cuts && settings.workload.is_some() && settings.search.loss() != "queries" {
        problems.push(format!(
            "--workload: {algorithm} does not cut, and takes a workload as its loss alone: --loss queries"
        ));
    }
    if algorithm == "optimal" && settings.search.effort.is_some() {
        problems
            .push("--effort: the optimal algorithm spends all that --time-limit and --gap grant".to_string());
    }
    if algorithm != "gensearch" {
        let search = &settings.search;
        let given = [
            (
                "splits",
                search.splits.is_some() || settings.columns.values().any(|column| column.splits.is_some()),
            ),
            ("priority", search.priority.is_some()),
            ("queue", search.queue.is_some()),
            ("lookahead", search.lookahead.is_some()),
            ("start", search.start.is_some()),
        ];
        let stray = given.iter().filter(|(_, given)| *given);
        problems.extend(stray.map(|(flag, _)| format!("{flag}: this is for --algorithm gensearch")));
    }
    Error::all(ErrorKind::Input, problems).map_or(Ok(()), Err)?;
    settings.search.budget(usize::MAX, true).map(drop)
}

/// What local recoding cannot do: its groups are no boxes of cuts, and their regions may overlap.
pub fn check_local(settings: &Settings, saves_recoding: bool) -> Result<()> {
    if settings.algorithm() != "local" {
        return Ok(());
    }
    let overlap = "regions of local recoding may overlap, so that no function maps a tuple to one of them";
    let given = [
        (settings.extent == Some(Extent::Region), "--extent region", overlap),
        (saves_recoding, "--save-recoding", overlap),
        (settings.partitioning.is_some(), "--partitioning", "local recoding is always relaxed"),
        (settings.split.is_some(), "--split", "local recoding does not cut; --loss says what it minimises"),
        (
            settings.hierarchy_cut.is_some(),
            "--hierarchy-cut",
            "local recoding goes through the levels of hierarchies",
        ),
        (settings.search.effort.is_some(), "--effort", "a search for better cuts needs cuts to start from"),
        (settings.search.gap.is_some(), "--gap", "local recoding proves no bound"),
    ];
    let problems = given.iter().filter(|(given, ..)| *given).map(|(_, flag, why)| format!("{flag}: {why}"));
    Error::all(ErrorKind::Input, problems.collect()).map_or(Ok(()), Err)
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
