//! `klimt init`: a starter spec for a table.

mod dialogue;

use super::threads;
use crate::columns::gather;
use crate::options::{FormatArgs, InitArgs};
use crate::progress::Progress;
use crate::terminal::{note, print};
use klimt::files::write_whole;
use klimt::inspect::{InspectRequest, Inspection};
use klimt::settings::Settings;
use klimt::spec::draft;
use klimt::{Input, Words};
use klimt_core::names::shell;
use klimt_core::table::Role;
use klimt_core::{Error, Result};
use std::path::Path;

/// Runs the command.
pub fn run(args: &InitArgs) -> Result<()> {
    check(args)?;
    let mut settings = gather(None, &args.columns, &args.format)?;
    threads(&args.general);
    let progress = Progress::new(args.general.quiet)?;
    let look = |settings: &Settings| {
        let request = InspectRequest::of(settings.clone()).words(Words::Flags);
        request.run_watched(Input::file(&args.input)?, &progress.watched())
    };
    let mut inspection = look(&settings)?;
    let markers = inspection.unnamed_markers();
    if !markers.is_empty() && args.input != "-" {
        // With missing values named, columns have their types.
        settings.missing.extend(markers);
        inspection = look(&settings)?;
    }
    drop(progress);
    if args.interactive {
        let mut answers = std::io::stdin().lock();
        dialogue::ask(&mut inspection, &mut settings, &mut answers, &mut std::io::stderr())?;
    }
    let text = draft(&inspection, &settings, &args.input, &args.output);
    if args.output == "-" {
        return print(&text);
    }
    write_whole(&args.output, text.as_bytes())?;
    inspection.warnings.iter().for_each(|warning| note(args.general.quiet, &format!("warning: {warning}")));
    note(args.general.quiet, &advice(args, &inspection));
    Ok(())
}

fn check(args: &InitArgs) -> Result<()> {
    if args.output != "-" && Path::new(&args.output).exists() {
        return Err(Error::input(format!("{}: the file exists already", args.output))
            .with_help("choose another name with -o, or remove it first"));
    }
    if args.interactive && args.input == "-" {
        return Err(Error::input("standard input cannot hold both the table and the answers")
            .with_help("write the table to a file, or leave out --interactive"));
    }
    Ok(())
}

/// What was written, and the command that makes a release of it.
fn advice(args: &InitArgs, inspection: &Inspection) -> String {
    let with = |role: Role| inspection.columns.iter().filter(move |column| column.role == role).count();
    let counts = format!(
        "wrote {}: {} quasi-identifiers, {} sensitive columns, {} columns that are not published",
        args.output,
        with(Role::QuasiIdentifier),
        with(Role::Sensitive),
        with(Role::Identifier)
    );
    if with(Role::QuasiIdentifier) == 0 {
        return format!(
            "{counts}\nno column is left that could be generalised: see the reasons in {}, and make one a quasi-identifier",
            args.output
        );
    }
    format!(
        "{counts}\nlook at the roles, then run: klimt anonymize --spec {}{}",
        shell(&args.output),
        format_flags(&args.format)
    )
}

/// The flags about the form of the table, which a spec does not hold.
fn format_flags(format: &FormatArgs) -> String {
    let mut flags = String::new();
    match format.delimiter {
        Some(b'\t') => flags.push_str(" --delimiter tab"),
        Some(delimiter) => {
            flags.push_str(&format!(" --delimiter {}", shell(&char::from(delimiter).to_string())));
        }
        None => {}
    }
    if format.no_header {
        flags.push_str(" --no-header");
    }
    if format.header {
        flags.push_str(" --header");
    }
    flags
}
