//! The losses of a release, and what their definitions prove.

use super::workload;
use crate::certificate::{Proven, counts_sizes_alone};
use crate::observer::{Unobserved, Watched};
use crate::settings::Settings;
use klimt_core::Result;
use klimt_core::loss::{self, Original, PartitionGroups, Totals};
use klimt_core::partition::Partitioning;
use klimt_core::proof::{Claim, Proof};
use klimt_core::region::Extents;
use klimt_core::table::Table;

/// How the losses of a release are measured.
pub(super) struct Measured<'a> {
    /// What was asked for.
    pub settings: &'a Settings,
    /// How much each dimension matters.
    pub weights: &'a [f64],
    /// Which intervals are published.
    pub extents: Extents,
    /// The rows of the whole table.
    pub rows: usize,
    /// The least size of a group.
    pub k: u64,
}

impl Measured<'_> {
    /// The losses by the whole table.
    pub fn losses(
        &self,
        original: &Original<'_>,
        partitioning: &Partitioning,
    ) -> Result<Vec<(&'static str, f64)>> {
        let groups = PartitionGroups { table: original.table, partitioning, extents: self.extents };
        let totals = Totals {
            rows: self.rows as u64,
            suppressed: (self.rows - partitioning.order.len()) as u64,
            groups: partitioning.groups() as u64,
            k: self.k,
        };
        loss::measure(self.settings.search.losses(), original, &groups, &totals)
    }

    /// The losses by the published rows alone, but that suppressed rows pay their price.
    pub fn published(&self, table: &Table, partitioning: &Partitioning) -> Result<Vec<(&'static str, f64)>> {
        let mut workload = workload::steering(self.settings, table, &Watched::by(&Unobserved))?;
        if let Some(workload) = &mut workload {
            workload.count(table);
        }
        let original = Original::new(table, self.weights).with_workload(workload.as_ref());
        let mut losses = self.losses(&original, partitioning)?;
        if table.rows() == 0 {
            let loss = |id: &str| self.settings.search.loss_of_name(id);
            losses.retain(|(id, _)| loss(id).is_some_and(|loss| counts_sizes_alone(loss, &original)));
        }
        Ok(losses)
    }
}

/// What the definition of the loss that was asked for proves of a release that was made in parts.
pub(super) fn by_definition<'s>(
    settings: &'s Settings,
    original: &Original<'_>,
    losses: &[(&'static str, f64)],
    minimum: u64,
    totals: &Totals,
) -> Option<Proven<'s>> {
    let asked = settings.search.loss();
    let found = losses.iter().find(|(id, _)| *id == asked)?.1;
    let loss = settings.search.loss_of_name(asked)?.cost(original)?;
    let proof = Proof::by_definition(found, &*loss, minimum, totals, 0);
    let proven = proof.claim != Claim::Heuristic;
    proven.then(|| Proven { loss: asked, proof, by_sizes: loss.size(1).is_some() })
}
