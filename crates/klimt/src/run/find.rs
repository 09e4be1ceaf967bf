//! Finds the groups of a table in memory.

use super::schemes::Schemes;
use super::search::{self, Watch};
use super::{finish_regions, searches, tree};
use crate::observer::{Note, Watched};
use crate::settings::Settings;
use klimt_core::Result;
use klimt_core::algorithm::mondrian::Model;
use klimt_core::algorithm::optimal::{self, Effort};
use klimt_core::job::{Budget, Job, SearchCounts, Suppression};
use klimt_core::loss::Totals;
use klimt_core::partition::Partitioning;
use klimt_core::proof::{Proof, ProofInput};
use klimt_core::region::Extents;
use klimt_core::registry::AlgorithmKind;
use klimt_core::requirement::Requirement;
use klimt_core::words::option;

/// A partitioning, and how it was found.
pub(super) struct Found {
    /// The groups.
    pub partitioning: Partitioning,
    /// Whether a search found it, as it is.
    pub searched: bool,
    /// How a search over a split set went.
    pub counts: Option<SearchCounts>,
    /// The leaves of an R+-tree.
    pub leaves: Option<usize>,
}

/// Finds the groups. Whoever asks a search to stop gets the best that it has found.
pub(super) fn find(
    settings: &Settings,
    requirements: &[Box<dyn Requirement>],
    job: &Job<'_>,
    schemes: Option<&Schemes>,
    watched: &Watched<'_>,
) -> Result<Found> {
    let partitioner = search::partitioner(settings, job.table, settings.mondrian())?;
    let effort = settings.search.effort();
    let searching = searches(settings);
    if searching {
        watched.observer().search_begins();
    }
    let k = settings.k.unwrap_or(1);
    let totals = Totals { rows: job.table.rows() as u64, suppressed: 0, groups: 0, k };
    let trace = settings.search.trace.as_deref();
    let watch = Watch::new(watched, totals.rows, searching, job.loss, totals, trace)?;
    let keep_tree = job.keep_tree || effort != Effort::Fast;
    let job = Job { observer: &watch, keep_tree, ..*job };
    // The usual time is that of searches; what they start from is not cut short by it.
    let budget = match settings.algorithm() {
        AlgorithmKind::Mondrian | AlgorithmKind::RTree if settings.search.time_limit.is_none() => {
            Budget { until: None, ..job.budget }
        }
        _ => job.budget,
    };
    let first = Job { budget, ..job };
    let mut leaves = None;
    let (mut partitioning, settled) = match schemes {
        Some(schemes) => schemes.partition(&job, requirements)?,
        None if settings.is_tree() => {
            let built = tree::build(settings, &first, settings.mondrian())?;
            leaves = Some(built.leaves);
            (built.partitioning, false)
        }
        None => (partitioner.partition(&first)?, false),
    };
    let suppressed = schemes.is_none() && partitioning.order.len() < job.table.rows();
    if suppressed && !partitioning.holds_published(job.table, requirements)? {
        partitioning = partitioner.partition(&Job { suppression: Suppression::NONE, ..job })?;
    }
    if effort != Effort::Fast {
        let start = partitioning.clone();
        let better = optimal::improve(&job, partitioning, effort)?;
        // What costs less by the values of its groups may cost more by the boundaries that are published.
        let judged = ProofInput {
            table: job.table,
            loss: job.loss,
            requirements: job.requirements,
            k,
            allowance: job.suppression.limit(job.table.rows()),
            extents: settings.extents(),
        };
        let loss = |of: &Partitioning| -> Result<f64> {
            let mut published = of.clone();
            finish_regions(&mut published, job.table, judged.extents);
            Ok(Proof::of(&published, &judged)?.found)
        };
        partitioning = if loss(&better)? <= loss(&start)? { better } else { start };
    }
    let searched = searching && !settled;
    let counts = watch.counts();
    drop(watch);
    if searching {
        let interrupted = watched.observer().search_ends();
        if interrupted.by_memory {
            watched.note(Note::remark(format!(
                "the search has used up {}: the best release so far is taken, and checked as always",
                option("memory")
            )));
        }
        if interrupted.by_request {
            watched.note(Note::remark(
                "stopped: the best release so far is taken, and checked as always; stop again to end without any",
            ));
        }
    }
    Ok(Found { partitioning, searched, counts, leaves })
}

/// Leaves out rows where that lowers the loss that was asked for, as it is published.
pub(super) fn suppressed_where_it_helps(
    partitioning: Partitioning,
    suppression: Suppression,
    requirements: &[Box<dyn Requirement>],
    judged: &ProofInput<'_>,
) -> Result<Partitioning> {
    let mut fewer = partitioning.clone();
    if fewer.suppress(suppression, judged.table, requirements, judged.loss)?.is_empty() {
        return Ok(partitioning);
    }
    let loss = |of: &Partitioning| -> Result<f64> {
        let (mut narrow, rows) = of.narrowed(judged.table)?;
        finish_regions(&mut narrow, &rows.table, judged.extents);
        Ok(Proof::of(&rows.widened(&narrow, judged.table, judged.extents), judged)?.found)
    };
    Ok(if loss(&fewer)? < loss(&partitioning)? { fewer } else { partitioning })
}

/// Whether widths are required of the boundaries that are published. Where rows may be suppressed these move with what is
/// left; and schemes are searched by the values that groups hold.
pub(super) fn requires_boundaries(settings: &Settings, suppressed_at_most: usize) -> bool {
    let cuts = match settings.algorithm() {
        AlgorithmKind::Mondrian
        | AlgorithmKind::RothkoT
        | AlgorithmKind::RothkoS
        | AlgorithmKind::Optimal => settings.mondrian().model == Model::Strict,
        AlgorithmKind::RTree => settings.tree.base_k.is_none(),
        algorithm => algorithm == AlgorithmKind::GenSearch,
    };
    settings.extents() == Extents::Region && suppressed_at_most == 0 && cuts
}
