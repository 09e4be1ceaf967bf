//! `klimt anonymize`: from a table to a certified release.

use super::threads;
use crate::give_back;
use crate::hand_over::{Telling, certificate_path, hand_over};
use crate::options::AnonymizeArgs;
use crate::progress::Progress;
use crate::supervisor;
use klimt::files::check_outputs;
use klimt::run::{Made, Prepared, spill_folder};
use klimt::settings::{Settings, share};
use klimt::{Input, Output, spec};
use klimt_core::{Error, Result};
use klimt_io::room::SpillBudget;

/// Runs the command.
pub fn run(args: AnonymizeArgs) -> Result<()> {
    let settings = gather(&args)?;
    let input = settings.input.clone().ok_or_else(|| {
        Error::input("no table is named")
            .with_help("klimt anonymize TABLE.csv --qi age,sex -k 5 -o release.csv")
    })?;
    let output = settings.output.clone().unwrap_or_else(|| "-".to_string());
    check_files(&input, &output, &args, &settings)?;
    let threads = threads(&args.general);
    let prepared = Prepared::new(settings, Some(threads))?;
    give_back::begin_again(prepared.pool.limit());
    supervisor::grant(prepared.pool.limit());
    let progress = Progress::new(args.general.quiet)?;
    let watched = progress.watched();
    let folder = spill_folder(&prepared.settings);
    let room = SpillBudget { pool: &prepared.pool, folder: &folder };
    let target = Output::file(&output)?;
    let made = prepared
        .read(Input::file(&input)?, &watched, &room)
        .and_then(|table| prepared.make(table, &target, &watched, room));
    let Made { checked, certificate, .. } = made.map_err(supervisor::explained)?;
    hand_over(&Telling::of(&args, &output), checked, certificate, &watched)
}

/// No output may overwrite another, or something that is read.
fn check_files(input: &str, output: &str, args: &AnonymizeArgs, settings: &Settings) -> Result<()> {
    let mut read = settings.files();
    read.push(input);
    read.extend(args.spec.as_deref());
    let certificate = certificate_path(&Telling::of(args, output))?;
    let written = [
        ("release", Some(output)),
        ("certificate", certificate.as_deref()),
        ("recoding function", settings.save_recoding.as_deref()),
        ("file of people", settings.save_people.as_deref()),
        ("trace", settings.search.trace.as_deref()),
    ];
    let written: Vec<(&str, &str)> =
        written.into_iter().filter_map(|(what, path)| Some((what, path?))).collect();
    check_outputs(&written, &read)
}

/// The spec, then the flags.
pub fn gather(args: &AnonymizeArgs) -> Result<Settings> {
    let mut settings = args.spec.as_deref().map_or(Ok(Settings::default()), spec::read)?;
    settings.input = args.input.clone().or(settings.input);
    settings.output = args.output.clone().or(settings.output);
    args.columns.apply(&mut settings)?;
    args.requirements.apply(&mut settings)?;
    let method = &args.method;
    settings.split = method.split.clone().or(settings.split);
    settings.workload = method.workload.clone().or(settings.workload);
    settings.algorithm = method.algorithm.or(settings.algorithm);
    args.search.apply(&mut settings)?;
    args.schemes.apply(&mut settings)?;
    args.tree.apply(&mut settings)?;
    args.memory.apply(&mut settings.memory)?;
    settings.partitioning = method.partitioning.or(settings.partitioning);
    settings.hierarchy_cut = method.hierarchy_cut.or(settings.hierarchy_cut);
    if let Some(text) = &method.suppress {
        settings.suppress = Some(share(text).map_err(Error::input)?);
    }
    settings.seed = method.seed.or(settings.seed);
    let publish = &args.publish;
    settings.extent = publish.extent.or(settings.extent);
    if !publish.statistics.is_empty() {
        settings.statistics = publish.statistics.clone();
    }
    settings.keep_order |= publish.keep_order;
    settings.save_recoding = publish.save_recoding.clone().or(settings.save_recoding);
    settings.save_people = publish.save_people.clone().or(settings.save_people);
    args.format.apply(&mut settings);
    settings.complete();
    Ok(settings)
}
