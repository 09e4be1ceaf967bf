//! Anonymizes a table in memory.

use super::find::{Found, find, requires_boundaries, suppressed_where_it_helps};
use super::measured::Measured;
use super::parts::describe_held;
use super::publication::{Checked, facts};
use super::schemes::{Guides, Schemes};
use super::warnings::{Coarse, warn, warn_coarse, warn_fixed};
use super::{Made, RunRequest, checks, finish_regions, people, searches, workload};
use crate::certificate::{Certified, Proven, record, saved};
use crate::files::Staged;
use crate::observer::Stage;
use klimt_core::algorithm::optimal::Effort;
use klimt_core::job::{Job, Unobserved};
use klimt_core::loss::Original;
use klimt_core::partition::Partitioning;
use klimt_core::proof::{Claim, Proof, ProofInput};
use klimt_core::recode::{FixedValues, RecodingFunction, Release, RowOrder, StatisticKind};
use klimt_core::region::Extents;
use klimt_core::registry::AlgorithmKind;
use klimt_core::requirement::{Checks, Requirement, TableFacts};
use klimt_core::table::Table;
use klimt_core::words::option_is;
use klimt_core::{Error, Result};
use klimt_io::source::ReadReport;
use std::sync::Arc;

/// The groups of a release whose table is in memory, without the rows that were suppressed.
pub struct HeldRelease {
    /// The published rows.
    pub table: Arc<Table>,
    /// Their groups.
    pub partitioning: Partitioning,
    /// Which intervals are published.
    pub extents: Extents,
    /// Which statistics stand beside them.
    pub statistics: Vec<StatisticKind>,
    /// In which order rows stand.
    pub row_order: RowOrder,
    /// How many rows the original has.
    pub original_rows: u64,
}

impl HeldRelease {
    /// The columns and rows as they are published.
    pub fn release(&self) -> Release<'_> {
        Release::new(&self.table, &self.partitioning, self.extents, self.row_order, &self.statistics)
    }
}

/// Groups that are published alike are one, and people with rows in several of them have one vote there: fails where such a
/// group violates a requirement.
fn check_people(
    partitioning: &Partitioning,
    published: &Table,
    requirements: &[Box<dyn Requirement>],
) -> Result<()> {
    let violating = partitioning.violating(published, requirements)?.len();
    if violating == 0 {
        return Ok(());
    }
    Err(Error::unsatisfied(format!(
        "{violating} of the groups consist of several that are published alike, and violate a requirement together, as people \
         have rows in more than one of them"
    ))
    .with_help(format!("{} keeps groups apart that are published alike", option_is("hierarchy-cut", "nodes"))))
}

impl RunRequest<'_> {
    /// Makes a release of a table in memory.
    pub fn make_in_memory(&self, table: Arc<Table>, report: &ReadReport, guides: &Guides) -> Result<Made> {
        let RunRequest { settings, requirements, suppression, k, watched, .. } = *self;
        let limited = searches(settings) && settings.search.effort() != Effort::Balanced;
        let budget = settings.search.budget(self.room.pool.limit(), limited);
        let weights = settings.weights(&table);
        let mut workload = workload::steering(settings, &table, watched)?;
        if let Some(workload) = &mut workload {
            workload.count(&table);
        }
        let original = Original::new(&table, &weights).with_workload(workload.as_ref());
        let steered = workload.as_ref().map(|workload| workload.steer(&weights));
        let split = settings.split_spec().bind(&original)?;
        let mut bound = Checks::new(requirements, &table)?;
        let schemes = Schemes::bind(settings, guides, &table)?;
        if schemes.is_none() {
            bound.feasible(&table)?;
        }
        if requires_boundaries(settings, suppression.limit(table.rows())) {
            bound = bound.by_boundaries(|dimension| table.domain(dimension))?;
        }
        warn(watched, settings, requirements, &table, &TableFacts::of(&table), schemes.as_ref());
        let extents = settings.extents();
        let loss = settings.search.cost(&original)?;
        let job = Job {
            table: &table,
            requirements: &bound,
            split: &split,
            loss: &*loss,
            suppression,
            budget,
            weights: steered.as_ref().unwrap_or(&weights),
            keep_tree: extents == Extents::Region || settings.makes_recoding(),
            observer: &Unobserved,
        };
        let Found { mut partitioning, searched, counts, leaves } =
            find(settings, requirements, &job, schemes.as_ref(), watched)?;
        let judged = ProofInput {
            table: &table,
            loss: &*loss,
            requirements: &bound,
            k,
            allowance: suppression.limit(table.rows()),
            extents,
        };
        let searches_suppression = matches!(
            settings.algorithm(),
            AlgorithmKind::Optimal | AlgorithmKind::Scheme | AlgorithmKind::Local
        );
        if !searches_suppression {
            partitioning = suppressed_where_it_helps(partitioning, suppression, requirements, &judged)?;
        }
        let suppressed = table.rows() - partitioning.order.len();
        // From here on suppressed rows are no part of the table: what is published does not depend on their values.
        let mut narrowed = None;
        if suppressed > 0 {
            let (narrow, rows) = partitioning.narrowed(&table)?;
            (partitioning, narrowed) = (narrow, Some(rows));
        }
        let published = narrowed.as_ref().map_or(&*table, |narrowed| &narrowed.table);
        let recoding = partitioning.tree.as_ref().filter(|_| settings.makes_recoding()).map(|tree| {
            let compact = &partitioning.regions;
            let mut function = RecodingFunction::new(published, tree, compact, k, extents, suppressed > 0);
            function.requirements = saved(settings);
            function
        });
        finish_regions(&mut partitioning, published, extents);
        if !bound.are_monotone() {
            check_people(&partitioning, published, requirements)?;
        }

        let row_order = self.row_order()?;
        let statistics = settings.statistics.clone();
        let release = Release::new(published, &partitioning, extents, row_order, &statistics);
        checks::check_names(release.columns())?;
        let mut checked = self.publish(&release, published, table.rows() as u64)?;
        let mut fixed = FixedValues::default();
        fixed.add(&release);
        let measured = Measured { settings, weights: &weights, extents, rows: table.rows(), k };
        let published_losses = match &narrowed {
            Some(narrowed) => Some(measured.published(&narrowed.table, &partitioning)?),
            None => None,
        };
        let widened = narrowed.as_ref().map(|narrowed| narrowed.widened(&partitioning, &table, extents));
        let released = widened.as_ref().unwrap_or(&partitioning);
        let losses = measured.losses(&original, released)?;
        let proof = Proof::of(released, &judged)?;
        let proof = (searched || proof.claim != Claim::Heuristic).then(|| Proven {
            loss: settings.search.proven_loss(),
            proof,
            by_sizes: loss.size(1).is_some(),
        });
        let (rows, groups) = (table.rows() as u64, checked.findings.groups);
        let coarse = Coarse { table: &table, rows, k, requirements, groups, losses: &losses };
        warn_coarse(watched, &coarse);
        warn_fixed(watched, &fixed);
        let certificate = Certified {
            table: &table,
            rows,
            k,
            requirements,
            settings: record(settings, settings.algorithm(), &table, schemes.as_ref(), self.reading),
            losses,
            published_losses,
            proof,
            counts,
            run: describe_held(settings, report, narrowed.is_some(), leaves),
            checked: &checked,
        }
        .make();
        if let Some(path) = &settings.save_people {
            checked.beside.push(people::stage(path, &release)?);
        }
        if let (Some(path), Some(function)) = (&settings.save_recoding, &recoding) {
            checked.beside.push(Staged::whole(path, function.to_json().as_bytes())?.private());
        }
        drop(loss);
        let table = narrowed.map_or_else(|| Arc::clone(&table), |narrowed| Arc::new(narrowed.table));
        let held = HeldRelease { table, partitioning, extents, statistics, row_order, original_rows: rows };
        Ok(Made { checked, certificate, held: Some(held), recoding })
    }

    /// Writes and checks a whole release.
    fn publish(&self, release: &Release<'_>, table: &Table, original_rows: u64) -> Result<Checked> {
        let facts = facts(table);
        let publication = self.publication(table, release.columns(), &facts);
        let stage = self.watched.stage(Stage::Writing, Some(release.rows() as u64));
        publication.write(release, original_rows, &stage)
    }
}
