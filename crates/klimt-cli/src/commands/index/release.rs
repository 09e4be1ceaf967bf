//! `klimt index release`: from a store to a certified release.

use super::args::ReleaseArgs;
use crate::certificate::Certified;
use crate::commands::anonymize::{output_dialect, row_order};
use crate::commands::threads;
use crate::external::{Manner, Publisher, publish_meanwhile};
use crate::hand_over::{Telling, hand_over};
use crate::memory::MemoryArgs;
use crate::output::same_file;
use crate::progress::Progress;
use crate::publish::{Publication, facts};
use crate::terminal::{count, note};
use klimt::algorithm::index::By;
use klimt::algorithm::rothko::Whole;
use klimt::partition::{Observer, Proof};
use klimt::recode::release_columns;
use klimt::region::Extents;
use klimt::table::Table;
use klimt::{Error, ErrorKind, Result};
use klimt_io::columnar::KeptTypes;
use klimt_io::csv::Dialect;
use klimt_store::{Asked, Releasing, Store};
use serde_json::{Map, Value, json};
use std::path::Path;

/// Runs the command.
pub fn run(args: &ReleaseArgs) -> Result<()> {
    if args.certificate.as_deref().is_some_and(|path| path == args.output || same_file(path, &args.output)) {
        return Err(Error::input("the release and its certificate cannot be one file"));
    }
    let threads = threads(&args.general);
    let progress = Progress::new(args.general.quiet)?;
    let pool = MemoryArgs { memory: args.memory.clone(), ..MemoryArgs::default() }.pool()?;
    let mut store = Store::open(Path::new(&args.store), &pool)?;
    let (base, weights) = (store.spec().k, store.spec().weights());
    let by = By::from(args.by);
    let k = args.k.unwrap_or(base);
    let requirements = store.spec().requirements(k)?;
    let asked = Asked { k, by, hold_back: args.hold_back, audience: args.audience.clone() };
    let mut releasing = store.release(asked)?;

    let frame: Table = releasing.frame().clone();
    let columns = release_columns(&frame, &[]);
    let facts = facts(&frame);
    let kept_types = KeptTypes::default();
    let publication = Publication {
        frame: &frame,
        columns: &columns,
        output: &args.output,
        dialect: output_dialect(Dialect::default(), &args.output)?,
        k,
        kept_types: &kept_types,
        requirements: &requirements,
        facts: &facts,
        threads,
    };
    let row_order = row_order(false, args.seed)?;
    let manner =
        Manner { extents: Extents::Compact, statistics: &[], row_order, weights: &weights, workload: None };
    let stage = progress.stage("writing", releasing.rows(), false);
    let say_nothing = |_: &Whole<'_>| {};
    let publisher = Publisher::new(publication, manner, &stage, &say_nothing, None);
    let (publisher, ()) = publish_meanwhile(&frame, publisher, |sink| releasing.write(sink))?;
    if stage.cancelled() {
        return Err(Error::new(ErrorKind::Cancelled, "stopped"));
    }
    let published = publisher.finish()?;
    stage.clear();
    let held = releasing.held_back();
    let certificate = Certified {
        table: &frame,
        rows: releasing.rows() + held,
        requirements: &requirements,
        settings: describe(args, base, by),
        losses: published.losses,
        proof: Proof::Heuristic,
        searched: None,
        run: run_of(&releasing),
        checked: &published.checked,
    };
    let certificate = certificate.json();
    // From here on the release counts as one that somebody may have.
    let findings = &published.checked.findings;
    let listed = releasing.enter(&published.checked.hash, findings.groups)?;
    let telling = Telling {
        output: &args.output,
        certificate: args.certificate.as_deref(),
        no_certificate: args.no_certificate,
        json: args.json,
        quiet: args.general.quiet,
    };
    hand_over(&telling, published.checked, &certificate)?;
    let hidden = match listed.smallest_intersection {
        Some(rows) => format!("; with earlier releases, everybody is hidden among {} or more", count(rows)),
        None => String::new(),
    };
    let kept = if held > 0 { format!("; {} rows held back", count(held)) } else { String::new() };
    note(args.general.quiet || args.json, &format!("release {} of the ledger{kept}{hidden}", listed.release));
    Ok(())
}

fn describe(args: &ReleaseArgs, base: u64, by: By) -> Map<String, Value> {
    let settings = [
        ("algorithm", json!("index")),
        ("base-k", json!(base)),
        ("by", json!(by)),
        ("audience", json!(args.audience)),
        ("extent", json!("compact")),
        ("row-order", json!("shuffled within groups")),
    ];
    settings.into_iter().map(|(key, value)| (key.to_string(), value)).collect()
}

fn run_of(releasing: &Releasing<'_>) -> Value {
    json!({ "algorithm": "index", "held-back": releasing.held_back() })
}
