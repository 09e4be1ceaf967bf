//! `klimt init`: a starter spec for a table.

use super::threads;
use crate::columns::gather;
use crate::options::InitArgs;
use crate::progress::Progress;
use crate::terminal::{note, print};
use klimt::files::write_whole;
use klimt::inspect::InspectRequest;
use klimt::spec::draft;
use klimt::{Input, Words};
use klimt_core::{Error, Result};
use std::path::Path;

/// Runs the command.
pub fn run(args: &InitArgs) -> Result<()> {
    if args.output != "-" && Path::new(&args.output).exists() {
        return Err(Error::input(format!("{}: the file exists already", args.output))
            .with_help("choose another name with -o, or remove it first"));
    }
    let settings = gather(None, &args.columns, &args.format)?;
    threads(&args.general);
    let progress = Progress::new(args.general.quiet)?;
    let request = InspectRequest::of(settings).words(Words::Flags);
    let inspection = request.run_watched(Input::file(&args.input)?, &progress.watched())?;
    let text = draft(&inspection, &args.input, &args.output);
    if args.output == "-" {
        return print(&text);
    }
    write_whole(&args.output, text.as_bytes())?;
    inspection.warnings.iter().for_each(|warning| note(args.general.quiet, &format!("warning: {warning}")));
    note(
        args.general.quiet,
        &format!("wrote {0}; look at the roles, then run: klimt anonymize --spec {0}", args.output),
    );
    Ok(())
}
