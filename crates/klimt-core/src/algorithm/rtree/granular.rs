//! Releases of several granularities from the same leaves (section 3).
//!
//! Every group is a union of whole leaves, so that a reader of several releases still finds every row tied to the others
//! of its leaf (Definition 2 and Lemma 1: k-anonymity holds over all releases together, for the k of the leaves).

use super::leaf_scan::leaf_scan;
use super::levels::levels;
use crate::Choice;
use crate::partition::Partitioning;
use crate::requirement::Checks;
use crate::statistics::{Collector, Statistics};
use crate::table::Table;
use crate::{Error, Result};
use serde::{Deserialize, Serialize};

/// Which leaves become a group.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LeafGrouping {
    /// Neighbours in the order of the leaves, as few as will do.
    #[default]
    LeafScan,
    /// Those below a node of the tree.
    Level,
}

impl Choice for LeafGrouping {
    const ALL: &'static [(Self, &'static str, &'static str)] = &[
        (LeafGrouping::LeafScan, "leaf-scan", "Neighbours in the order of the leaves, as few as will do"),
        (LeafGrouping::Level, "level", "Those below a node of the tree"),
    ];
}

/// The leaves whose statistics are made at a time.
const CHUNK: usize = 1 << 12;

/// The groups of a coarser release: unions of leaves that satisfy the requirements. The leaves lie in parts, each up to
/// its row, and no group has leaves of two parts; every part satisfies the requirements as a whole. By levels, the leaves
/// must have kept their cuts.
pub fn granular(
    leaves: &Partitioning,
    table: &Table,
    requirements: &Checks,
    by: LeafGrouping,
    parts: &[u32],
) -> Result<Partitioning> {
    let collector = Collector::new(requirements.needs(), table)?;
    let (mut runs, mut tree) = (Vec::new(), None);
    match (by, &leaves.tree) {
        (LeafGrouping::LeafScan, _) => {
            let mut first = 0;
            for &part in parts {
                let last = first + leaves.ends[first..].partition_point(|&end| end <= part);
                let found = leaf_scan(statistics(leaves, first, last, &collector), requirements);
                runs.extend(found.into_iter().map(|end| first + end));
                first = last;
            }
        }
        (LeafGrouping::Level, Some(cuts)) => {
            let each = statistics(leaves, 0, leaves.groups(), &collector);
            let (found, kept) = levels(cuts, each, requirements);
            (runs, tree) = (found, Some(kept));
        }
        (LeafGrouping::Level, None) => {
            return Err(Error::internal("levels need the cuts that led to the leaves"));
        }
    }
    let domains = table.domains();
    Ok(Partitioning {
        order: leaves.order.clone(),
        ends: runs.iter().map(|&run| leaves.ends[run - 1]).collect(),
        regions: leaves.regions.merged(&runs, &domains),
        tree,
        bound: None,
        // The box over a run of leaves may reach into others.
        strict: leaves.strict && by == LeafGrouping::Level,
    })
}

/// The statistics of some leaves, one after the other.
fn statistics<'a>(
    leaves: &'a Partitioning,
    first: usize,
    last: usize,
    collector: &'a Collector<'_>,
) -> impl Iterator<Item = Statistics> + 'a {
    (first..last).step_by(CHUNK).flat_map(move |from| {
        let to = last.min(from + CHUNK);
        let start = leaves.range(from).start;
        let ends: Vec<usize> = (from..to).map(|leaf| leaves.range(leaf).end - start).collect();
        let rows = ends.last().map_or(0, |&end| end);
        collector.of_each(&leaves.order[start..start + rows], &ends)
    })
}
