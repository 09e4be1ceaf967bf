//! Builds the R+-tree of a table in memory.

use crate::settings::Settings;
use klimt_core::Result;
use klimt_core::algorithm::mondrian::Mondrian;
use klimt_core::algorithm::rtree::{RPlusTree, RTreeGroups};
use klimt_core::job::Job;
use klimt_core::requirement::Checks;

/// Builds the tree of a table in memory.
pub fn build(settings: &Settings, job: &Job<'_>, mondrian: Mondrian) -> Result<RTreeGroups> {
    let base = settings.base()?;
    let bound = base.as_ref().map(|(base, by)| Checks::new(base, job.table).map(|bound| (bound, *by)));
    let bound = bound.transpose()?;
    let tree = RPlusTree { mondrian, base: bound.as_ref().map(|(bound, by)| (bound, *by)) };
    tree.build(job, &[job.table.rows() as u32])
}
