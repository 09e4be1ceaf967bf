//! `klimt index release`: from a store to a certified release.

use super::args::ReleaseArgs;
use super::granted;
use crate::commands::threads;
use crate::hand_over::{Telling, certificate_path, stage as stage_release};
use crate::memory::MemoryArgs;
use crate::progress::Progress;
use crate::terminal::{count, note};
use klimt::certificate::{
    Certified, RecordedOrder, RecordedSettings, ReleaseOrigin, RunAccount, is_by_sizes,
};
use klimt::files::{check_outputs, lies_in};
use klimt::run::warnings::{Coarse, warn_coarse};
use klimt::run::{Manner, Publication, Publisher, facts, output_dialect, publish_meanwhile, row_order};
use klimt::{Output, Stage};
use klimt_core::algorithm::rtree::LeafGrouping;
use klimt_core::job::Observer;
use klimt_core::loss::Original;
use klimt_core::parts::Whole;
use klimt_core::recode::release_columns;
use klimt_core::region::Extents;
use klimt_core::table::Table;
use klimt_core::{Error, ErrorKind, Result};
use klimt_io::columnar::KeptTypes;
use klimt_io::csv::Dialect;
use klimt_store::{PendingRelease, ReleaseRequest, Store};
use std::path::Path;

/// Runs the command.
pub fn run(args: &ReleaseArgs) -> Result<()> {
    let telling = Telling {
        output: &args.output,
        certificate: args.certificate.as_deref(),
        no_certificate: args.no_certificate,
        json: args.json,
        quiet: args.general.quiet,
    };
    check_files(args, &telling)?;
    let threads = threads(&args.general);
    let progress = Progress::new(args.general.quiet)?;
    let memory = MemoryArgs { memory: args.memory.clone(), ..MemoryArgs::default() }.settings()?;
    let pool = granted(&memory);
    let mut store = Store::open(Path::new(&args.store), &pool)?;
    let (base, weights) = (store.spec().k, store.spec().weights());
    let by = args.by;
    let k = args.k.unwrap_or(base);
    let requirements = store.spec().requirements(k)?;
    let (hold_back, allow_differences) = (args.hold_back, args.allow_differences);
    let asked = ReleaseRequest { k, by, hold_back, allow_differences, audience: args.audience.clone() };
    let mut releasing = store.release(asked)?;

    let frame: Table = releasing.frame().clone();
    let columns = release_columns(&frame, &[]);
    let facts = facts(&frame);
    let kept_types = KeptTypes::default().with_empty_texts(releasing.empty_texts());
    let output = Output::file(&args.output)?;
    let publication = Publication {
        frame: &frame,
        columns: &columns,
        output: &output,
        dialect: output_dialect(Dialect::default(), &output)?,
        k,
        kept_types: &kept_types,
        requirements: &requirements,
        facts: &facts,
        threads,
    };
    let row_order = row_order(false, args.seed)?;
    let manner =
        Manner { extents: Extents::Compact, statistics: &[], row_order, weights: &weights, workload: None };
    let watched = progress.watched();
    let stage = watched.stage(Stage::Writing, Some(releasing.rows()));
    let say_nothing = |_: &Whole<'_>| {};
    let publisher = Publisher::new(publication, manner, &stage, &say_nothing, None);
    let (publisher, ()) = publish_meanwhile(&frame, publisher, |sink| releasing.write(sink))?;
    if stage.cancelled() {
        return Err(Error::new(ErrorKind::Cancelled, "stopped"));
    }
    let published = publisher.finish()?;
    stage.end();
    let held = releasing.held_back().rows();
    let coarse = Coarse {
        table: &frame,
        rows: releasing.rows() + held,
        k,
        requirements: &requirements,
        groups: published.checked.findings.groups,
        losses: &published.losses,
    };
    warn_coarse(&watched, &coarse);
    // Lengths are those of all rows of the store, of which those that are held back are nobody's business.
    let original = Original::new(&frame, &weights);
    let by_sizes = published.losses.iter().copied().filter(|(id, _)| is_by_sizes(id, &original));
    let published_losses = (held > 0).then(|| by_sizes.collect());
    let certificate = Certified {
        table: &frame,
        rows: releasing.rows() + held,
        k,
        requirements: &requirements,
        settings: describe(args, base, by),
        losses: published.losses,
        published_losses,
        proof: None,
        counts: None,
        run: run_of(&releasing),
        checked: &published.checked,
    };
    let certificate = certificate.make();
    let (hash, groups) = (published.checked.hash.clone(), published.checked.findings.groups);
    let ready = stage_release(&telling, published.checked, &certificate)?;
    // From here on the release counts as one that somebody may have.
    let listed = releasing.enter(&hash, groups)?;
    ready.publish()?;
    let hidden = match listed.smallest_intersection {
        Some(rows) if listed.differences_allowed => format!(
            "; whoever was in an earlier release too is in the same groups as {} or more; differences between releases \
             may single out who joined or left",
            count(rows)
        ),
        Some(rows) => format!("; with earlier releases, everybody is hidden among {} or more", count(rows)),
        None => String::new(),
    };
    let kept = match (held, listed.waiting_newcomers) {
        (0, _) => String::new(),
        (held, 0) => format!("; {} rows held back", count(held)),
        (held, new) => {
            format!("; {} rows held back, {} of them newcomers who wait for others", count(held), count(new))
        }
    };
    note(args.general.quiet || args.json, &format!("release {} of the ledger{kept}{hidden}", listed.release));
    Ok(())
}

/// The release and its certificate are two files, and none of the store's.
fn check_files(args: &ReleaseArgs, telling: &Telling<'_>) -> Result<()> {
    let certificate = certificate_path(telling);
    let mut written = vec![("release", args.output.as_str())];
    written.extend(certificate.as_deref().map(|path| ("certificate", path)));
    check_outputs(&written, &[])?;
    match written.iter().find(|(_, path)| lies_in(path, &args.store)) {
        None => Ok(()),
        Some((what, path)) => {
            Err(Error::input(format!("{path}: the {what} cannot lie in the folder of the store"))
                .with_help("choose another name"))
        }
    }
}

fn describe(args: &ReleaseArgs, base: u64, by: LeafGrouping) -> RecordedSettings {
    RecordedSettings {
        algorithm: Some(ReleaseOrigin::Store),
        base_k: Some(base),
        by: Some(by),
        audience: Some(args.audience.clone()),
        allow_differences: Some(args.allow_differences),
        extent: Some(Extents::Compact),
        row_order: Some(RecordedOrder::Shuffled),
        ..RecordedSettings::default()
    }
}

fn run_of(releasing: &PendingRelease<'_>) -> RunAccount {
    let held_back = Some(releasing.held_back().rows());
    RunAccount { algorithm: "index".to_string(), held_back, ..RunAccount::default() }
}
