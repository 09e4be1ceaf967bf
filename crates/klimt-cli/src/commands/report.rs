//! `klimt report`: a page about a release for those who decide whether it goes out.

pub mod args;

use super::threads;
use crate::columns::{gather, list_of};
use crate::command_line::command_line;
use crate::progress::Progress;
use crate::risk;
use crate::search::apply_splits;
use crate::terminal::{count, note, print};
use args::ReportArgs;
use klimt::certificate::{CertificateFile, usual_path};
use klimt::files::{check_outputs, write_whole};
use klimt::report::{ReportFindings, Reporting};
use klimt::settings::Settings;
use klimt::{Input, Words};
use klimt_core::{Error, ErrorKind, Result};
use serde::Serialize;

/// Runs the command.
pub fn run(args: &ReportArgs) -> Result<()> {
    let settings = settings(args)?;
    check_files(args, &settings)?;
    let mut reporting = Reporting::of(settings)
        .risk(risk::question(&args.risk)?)
        .stars_are_suppressed(args.stars_are_suppressed)
        .plane(list_of("--scatter", &args.scatter)?)
        .words(Words::Flags);
    if let Some(certificate) = CertificateFile::of(&args.release, args.certificate.as_deref())? {
        reporting = reporting.certificate(certificate);
    }
    threads(&args.general);
    let progress = Progress::new(args.general.quiet)?;
    let (original, release) = (Input::file(&args.original)?, Input::file(&args.release)?);
    let findings = reporting.run(original, release, &progress.watched())?;
    let page = findings.html(|call| command_line(call, args.spec.as_deref()));
    write_whole(&args.output, page.as_bytes())?;
    show(args, &findings)?;
    Error::all(ErrorKind::Unsatisfied, findings.problems()).map_or(Ok(()), Err)
}

/// The spec, then the flags.
fn settings(args: &ReportArgs) -> Result<Settings> {
    let mut settings = gather(args.spec.as_deref(), &args.columns, &args.format)?;
    args.requirements.apply(&mut settings)?;
    settings.workload = args.workload.clone().or(settings.workload);
    let mut problems = Vec::new();
    apply_splits(&mut settings, &args.split_at, &mut problems);
    Error::all(ErrorKind::Input, problems).map_or(Ok(settings), Err)
}

/// The page must not overwrite what it is made from.
fn check_files(args: &ReportArgs, settings: &Settings) -> Result<()> {
    if args.release == "-" {
        return Err(Error::input("the release must be a file: it is read more than once"));
    }
    let certificate = usual_path(&args.release);
    let mut read = vec![args.original.as_str(), &args.release, &certificate];
    read.extend(args.spec.as_deref());
    read.extend(args.certificate.as_deref());
    read.extend(settings.files());
    check_outputs(&[("page", &args.output)], &read)
}

/// The findings, and where the page is.
#[derive(Serialize)]
struct Output<'a> {
    page: &'a str,
    #[serde(flatten)]
    findings: &'a ReportFindings,
}

fn show(args: &ReportArgs, findings: &ReportFindings) -> Result<()> {
    let quiet = args.general.quiet;
    if args.json {
        let output = Output { page: &args.output, findings };
        let text = serde_json::to_string_pretty(&output).map_err(|e| Error::internal(e.to_string()))?;
        return if args.output == "-" {
            note(false, &text);
            Ok(())
        } else {
            print(&format!("{text}\n"))
        };
    }
    let holds = if findings.holds { "holds" } else { "FAILS" };
    let found = &findings.findings;
    note(
        quiet,
        &format!(
            "{}: {holds}; {} rows in {} groups, the smallest of {}",
            args.output,
            count(found.rows),
            count(found.groups),
            count(found.smallest_group)
        ),
    );
    let loud = findings.warnings.iter().filter(|warning| warning.loud);
    loud.for_each(|warning| note(quiet, &format!("warning: {}", warning.text)));
    Ok(())
}
