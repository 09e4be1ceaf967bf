//! `klimt compare`: algorithms and values of k side by side, by risk, loss and time.

pub mod args;

use super::threads;
use crate::columns::gather;
use crate::command_line::this_command_line;
use crate::give_back;
use crate::progress::Progress;
use crate::supervisor;
use crate::terminal::{count, print, table as lines_up};
use args::CompareArgs;
use klimt::compare::{Comparing, Comparison, Trial};
use klimt::files::{check_outputs, write_whole};
use klimt::settings::{Settings, TimeLimit, share};
use klimt::{Input, Words};
use klimt_core::{Error, ErrorKind, Result};
use serde::Serialize;

/// Runs the command.
pub fn run(args: &CompareArgs) -> Result<()> {
    let settings = settings(args)?;
    let input = settings.input.clone().ok_or_else(|| {
        Error::input("no table is named")
            .with_help("klimt compare TABLE.csv --qi age,sex --k 2,5,10 -o page.html")
    })?;
    check_files(args, &input, &settings)?;
    let progress = Progress::new(args.general.quiet)?.all_or_nothing().silent();
    give_back::begin_again(settings.memory.pool().limit());
    supervisor::grant(settings.memory.pool().limit());
    let time: TimeLimit = args.time.parse().map_err(Error::input)?;
    let mut comparing = Comparing::of(settings)
        .algorithms(args.algorithms.iter().copied())
        .loss(&args.loss)
        .time_limit(time.0)
        .threads(threads(&args.general))
        .words(Words::Flags);
    if !args.requirements.k.is_empty() {
        comparing = comparing.every_k(args.requirements.k.iter().copied());
    }
    let comparison = comparing.run(Input::file(&input)?, &progress.watched())?;
    if let Some(output) = &args.output {
        write_whole(output, comparison.html(&this_command_line()).as_bytes())?;
    }
    show(args, &comparison)?;
    match comparison.trials.iter().any(|trial| trial.release().is_some()) {
        true => Ok(()),
        false => Err(Error::new(ErrorKind::Unsatisfied, "no setting is possible: the table above says why")),
    }
}

/// The spec, then the flags.
fn settings(args: &CompareArgs) -> Result<Settings> {
    let mut settings = gather(args.spec.as_deref(), &args.columns, &args.format)?;
    settings.input = args.input.clone().or(settings.input);
    args.requirements.others.apply(&mut settings)?;
    args.memory.apply(&mut settings.memory)?;
    if let Some(text) = &args.suppress {
        settings.suppress = Some(share(text).map_err(Error::input)?);
    }
    Ok(settings)
}

/// The page must not overwrite what is read.
fn check_files(args: &CompareArgs, input: &str, settings: &Settings) -> Result<()> {
    let Some(output) = args.output.as_deref() else { return Ok(()) };
    let mut read = vec![input];
    read.extend(args.spec.as_deref());
    read.extend(settings.files());
    check_outputs(&[("page", output)], &read)
}

/// The comparison, and where the page is.
#[derive(Serialize)]
struct Output<'a> {
    page: Option<&'a str>,
    #[serde(flatten)]
    comparison: &'a Comparison,
}

fn show(args: &CompareArgs, comparison: &Comparison) -> Result<()> {
    if args.json {
        let output = Output { page: args.output.as_deref(), comparison };
        let text = serde_json::to_string_pretty(&output).map_err(|e| Error::internal(e.to_string()))?;
        return print(&format!("{text}\n"));
    }
    if args.general.quiet {
        return Ok(());
    }
    let mut shown = vec!["ncp", "dm", "kl"];
    if !shown.contains(&comparison.loss.0) {
        shown.push(comparison.loss.0);
    }
    let mut heads: Vec<String> =
        ["algorithm", "k", "groups", "smallest", "suppressed"].map(String::from).to_vec();
    heads.extend(shown.iter().map(|id| id.to_string()));
    heads.extend(["risk", "average", "seconds", "CPU", "proven", "frontier"].map(String::from));
    let many = heads.len();
    let mut rows = vec![heads];
    rows.extend(comparison.trials.iter().map(|trial| row(trial, &shown, many)));
    let mut text = lines_up(&rows);
    for trial in &comparison.trials {
        if let Some(reason) = trial.reason() {
            text.push_str(&format!("{}, k = {}: {reason}\n", trial.algorithm, trial.k));
        }
    }
    print(&text)
}

/// A trial as a row of so many cells.
fn row(trial: &Trial, losses: &[&str], many: usize) -> Vec<String> {
    let mut row = vec![trial.algorithm.clone(), trial.k.to_string()];
    let Some(release) = trial.release() else {
        row.resize(many, String::from("-"));
        return row;
    };
    row.extend([release.groups, release.smallest_group, release.suppressed].map(count));
    row.extend(losses.iter().map(|id| shown_loss(release.loss(id))));
    row.extend([release.risk.highest, release.risk.average].map(crate::risk::percent));
    row.extend([release.seconds.wall, release.seconds.cpu].map(|seconds| format!("{seconds:.2}")));
    row.push(release.proven.clone());
    row.push(if trial.frontier { String::from("yes") } else { String::new() });
    row
}

fn shown_loss(loss: Option<f64>) -> String {
    match loss {
        None => String::from("-"),
        Some(loss) if loss.fract() == 0.0 => format!("{loss:.0}"),
        Some(loss) => format!("{loss:.4}"),
    }
}
