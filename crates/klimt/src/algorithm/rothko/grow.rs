//! The optimistic growth of a tree on a sample (section 3, phase 1).

use super::External;
use super::room::Room;
use crate::Result;
use crate::algorithm::mondrian::Mondrian;
use crate::loss::{Original, SuppressedRows};
use crate::partition::{Budget, CutTree, Job, Suppression, Unobserved};
use crate::requirement::{Bound, Trust};
use crate::spill::Block;
use crate::split::SplitCriterion;
use crate::table::{Shape, Table};

/// The most sides that a cut can have.
fn most_sides(frame: &Table) -> usize {
    let sides = |dimension: usize| match frame.domain(dimension).shape() {
        Shape::Hierarchy(tree) => tree.nodes().map(|node| tree.children(node).len()).max().unwrap_or(2) + 1,
        _ => 2,
    };
    (0..frame.dimensions()).map(sides).max().unwrap_or(2).max(2)
}

/// Grows the tree of a part of so many rows as far as a sample of them allows with confidence, and no further than
/// leaves that are small. The requirements are bound to the whole.
pub(super) fn grow(
    job: &External<'_>,
    mondrian: Mondrian,
    requirements: Bound,
    sample: Block,
    rows: u64,
    alpha: f64,
    room: &Room,
) -> Result<CutTree> {
    let sampled = sample.rows() as u64;
    let table = sample.into_table(job.frame)?;
    let trust = Trust::new(rows, sampled, alpha, most_sides(job.frame));
    let least = (room.leaf_rows(rows) as f64 * sampled as f64 / rows as f64).ceil() as u64;
    let bound = requirements.sampled(trust, least);
    let split = SplitCriterion::named(job.split, &Original::new(&table, job.weights))?;
    let partitioning = mondrian.partition_parts(
        &Job {
            table: &table,
            requirements: &bound,
            split: &split,
            loss: &SuppressedRows,
            suppression: Suppression::NONE,
            budget: Budget::default(),
            weights: job.weights,
            keep_tree: true,
            observer: &Unobserved,
        },
        &[table.rows() as u32],
    )?;
    Ok(partitioning.tree.unwrap_or_default())
}
