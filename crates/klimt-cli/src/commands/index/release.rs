//! `klimt index release`: from a store to a certified release.

use super::args::ReleaseArgs;
use super::open;
use crate::hand_over::{Telling, tell};
use crate::memory::MemoryArgs;
use crate::terminal::{count, note};
use klimt::Output;
use klimt::store::{ReleaseRequest, StoreRelease};
use klimt_core::Result;
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
    let mut request = ReleaseRequest::default()
        .by(args.by)
        .audience(&args.audience)
        .hold_back(args.hold_back)
        .allow_differences(args.allow_differences)
        .certificate(telling.place());
    if let Some(k) = args.k {
        request = request.k(k);
    }
    if let Some(seed) = args.seed {
        request = request.seed(seed);
    }
    let output = Output::file(&args.output)?;
    let memory = MemoryArgs { memory: args.memory.clone(), ..MemoryArgs::default() };
    let release = open(&args.store, &memory, &args.general)?.release(&request, &output)?;
    tell(&telling, &release.exact_certificate, release.removed.as_deref().map(Path::new))?;
    note(args.general.quiet || args.json, &describe(&release));
    Ok(())
}

/// The entry of the ledger in a line.
fn describe(release: &StoreRelease) -> String {
    let entry = &release.entry;
    let hidden = match entry.smallest_intersection {
        Some(rows) if entry.differences_allowed => format!(
            "; whoever was in an earlier release too is in the same groups as {} or more; differences between releases \
             may single out who joined or left",
            count(rows)
        ),
        Some(rows) => format!("; with earlier releases, everybody is hidden among {} or more", count(rows)),
        None => String::new(),
    };
    let held_back = match (release.held_back, entry.waiting_newcomers) {
        (0, _) => String::new(),
        (rows, 0) => format!("; {} rows held back", count(rows)),
        (rows, newcomers) => {
            format!(
                "; {} rows held back, {} of them newcomers who wait for others",
                count(rows),
                count(newcomers)
            )
        }
    };
    format!("release {} of the ledger{held_back}{hidden}", entry.release)
}
