//! `klimt apply`: a saved recoding function on other data.

use super::threads;
use crate::columns::gather;
use crate::options::ApplyArgs;
use crate::progress::Progress;
use crate::terminal::{count, note};
use klimt::apply::{ApplyRequest, RecodedRelease};
use klimt::settings::{Settings, share};
use klimt::{Input, Output};
use klimt_core::{Error, Result};

/// Runs the command.
pub fn run(args: &ApplyArgs) -> Result<()> {
    let request = ApplyRequest::from_file(&args.recoding)?.settings(settings(args)?);
    let output = Output::file(&args.output)?;
    threads(&args.general);
    let progress = Progress::new(args.general.quiet)?;
    let release = request.run_watched(Input::file(&args.input)?, &output, &progress.watched())?;
    note(args.general.quiet, &describe(&release));
    Ok(())
}

fn settings(args: &ApplyArgs) -> Result<Settings> {
    let mut settings = gather(None, &args.columns, &args.format)?;
    args.requirements.apply(&mut settings)?;
    settings.suppress = args.suppress.as_deref().map(share).transpose().map_err(Error::input)?;
    (settings.extent, settings.keep_order, settings.seed) = (args.extent, args.keep_order, args.seed);
    Ok(settings)
}

fn describe(release: &RecodedRelease) -> String {
    let findings = &release.findings;
    let outside = match release.outside_cells {
        0 => String::new(),
        cells => format!("; {} cells outside the recoding's domain are published as *", count(cells)),
    };
    format!(
        "{} rows in {} groups of at least {}, {} suppressed{outside}",
        count(findings.rows),
        count(findings.groups),
        count(findings.smallest_group),
        count(release.suppressed),
    )
}
