//! Anonymizes a table in parts, of which only some are in memory at a time.

use super::measured::by_definition;
use super::parts::{Input, Run};
use super::publication::{Publication, facts};
use super::publisher::Manner;
use super::warnings::{Coarse, warn, warn_coarse, warn_fixed};
use super::{Made, RunRequest, checks, workload};
use crate::certificate::{Certified, record, saved};
use crate::files::Staged;
use crate::observer::Stage;
use klimt_core::Result;
use klimt_core::loss::{Original, Totals};
use klimt_core::parts::Whole;
use klimt_core::recode::{ReleaseColumn, release_columns};
use klimt_core::registry::AlgorithmKind;
use klimt_core::requirement::Checks;
use klimt_core::table::Table;
use klimt_verify::claims::PromiseFacts as VerifierFacts;
use std::sync::atomic::{AtomicU64, Ordering};

/// How often rows pass by in a run on disk, about: they are sampled, divided, grouped and written.
const PASSES: u64 = 4;

impl RunRequest<'_> {
    /// Makes a release part by part.
    pub fn make_in_parts(&self, algorithm: AlgorithmKind, input: &Input<'_>) -> Result<Made> {
        let (settings, requirements, frame) = (self.settings, self.requirements, input.frame());
        let (statistics, extents) = (&settings.statistics, settings.extents());
        let columns = release_columns(frame, statistics);
        checks::check_names(&columns)?;
        let facts = facts(frame);
        let publication = self.publication(frame, &columns, &facts);
        let weights = settings.weights(frame);
        let mut workload = workload::steering(settings, frame, self.watched)?;
        if let Some(workload) = &mut workload {
            input.read_with(|rows| workload::count(workload, frame, rows))?;
        }
        let row_order = self.row_order()?;
        let workload = workload.as_ref();
        let manner = Manner { extents, statistics, row_order, weights: &weights, workload };
        let run = Run {
            settings,
            algorithm,
            mondrian: settings.mondrian(),
            requirements,
            pool: self.room.pool,
            folder: self.room.folder,
            saves_recoding: settings.save_recoding.is_some(),
            shared: self.shared,
        };
        // No smaller group satisfies the requirements, as soon as the whole table is known.
        let minimum = AtomicU64::new(self.k);
        let warn = |whole: &Whole<'_>| {
            if let Ok(bound) = Checks::to(requirements, whole) {
                minimum.fetch_max(bound.minimum_size(), Ordering::Relaxed);
            }
            warn(self.watched, settings, requirements, frame, whole, None);
        };
        let sampled = matches!(algorithm, AlgorithmKind::RothkoS | AlgorithmKind::RTree);
        let first = if sampled { Stage::Sampling } else { Stage::Partitioning };
        let stage = self.watched.stage(first, Some(input.rows() * PASSES));
        let (published, account) = run.publish(input, publication, manner, &stage, &warn)?;
        stage.end();
        let groups = published.checked.findings.groups;
        let coarse = Coarse {
            table: frame,
            rows: input.rows(),
            k: self.k,
            requirements,
            groups,
            losses: &published.losses,
        };
        warn_coarse(self.watched, &coarse);
        warn_fixed(self.watched, &published.fixed);
        let totals = Totals { rows: input.rows(), suppressed: 0, groups, k: self.k };
        let original = Original::new(frame, &weights);
        let minimum = minimum.load(Ordering::Relaxed);
        let proof = by_definition(settings, &original, &published.losses, minimum, &totals);
        let certificate = Certified {
            table: frame,
            rows: input.rows(),
            k: self.k,
            requirements,
            settings: record(settings, algorithm, frame, None, self.reading),
            run: run.describe(input, &account, &published.losses),
            losses: published.losses,
            published_losses: None,
            proof,
            counts: None,
            checked: &published.checked,
        };
        let certificate = certificate.make();
        let mut checked = published.checked;
        if let (Some(path), Some(rules)) = (&settings.save_recoding, published.rules) {
            let saved = saved(settings);
            let made = Staged::made(path, |out| rules.write(self.k, saved, extents, out))?;
            checked.beside.push(made.private());
        }
        Ok(Made { checked, certificate, held: None, recoding: None })
    }

    /// What is promised of a release of these columns.
    pub(super) fn publication<'p>(
        &'p self,
        frame: &'p Table,
        columns: &'p [ReleaseColumn],
        facts: &'p VerifierFacts,
    ) -> Publication<'p> {
        Publication {
            frame,
            columns,
            output: self.output,
            dialect: self.dialect,
            k: self.k,
            kept_types: self.kept_types,
            requirements: self.requirements,
            facts,
            threads: self.threads,
        }
    }
}
