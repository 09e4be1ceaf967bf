//! Mondrian: top-down greedy multidimensional partitioning (LeFevre, DeWitt, Ramakrishnan).
//!
//! `Anonymize` (Fig. 7) is `kernel.rs`: cut a part at the median of its widest dimension, as long as a cut is
//! allowable. `choose_dimension` is the widest normalised range, which is the certainty penalty of the part's
//! smallest region times the dimension's weight; of equally wide dimensions the one whose cut leaves rows the least to
//! pay for it (`cut/tie.rs`), then the first. `frequency_set` and `find_median` are in `cut/frequency.rs`, the
//! search for the cut in `cut/finder.rs`. Other split criteria choose the cut by a loss, in `cut/greedy.rs`,
//! or first by what a workload asks for, in `cut/workload.rs`.
//!
//! With k-anonymity alone, no group of a strict partitioning of ordered dimensions exceeds `2d(k-1) + m` rows
//! (Theorem 2; `m` copies of the commonest tuple), and none of a relaxed one exceeds `2k - 1` (Theorem 5), but
//! for copies of one tuple, which no cut tells apart.

mod divide;
mod finish;
mod kernel;
mod relaxed;
mod span;

pub use crate::cut::HierarchyCut;

use crate::Choice;
use crate::Result;
use crate::cut::PartEdges;
use crate::job::{Job, Partitioner};
use crate::packed::pack_columns;
use crate::partition::Partitioning;
use crate::split::SplitCriterion;
use crate::statistics::Collector;
use serde::{Deserialize, Serialize};

/// Whether equal tuples stay together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Model {
    /// Regions do not overlap: equal tuples are in one group.
    #[default]
    Strict,
    /// Parts that no strict cut divides are halved: equal tuples may be in several groups.
    Relaxed,
}

impl Choice for Model {
    const ALL: &'static [(Self, &'static str, &'static str)] = &[
        (Model::Strict, "strict", "Regions do not overlap; equal rows are in one group"),
        (
            Model::Relaxed,
            "relaxed",
            "Groups that no strict cut divides are halved: smaller groups, overlapping regions",
        ),
    ];
}

/// The Mondrian partitioner.
#[derive(Clone, Copy, Debug, Default)]
pub struct Mondrian {
    /// Whether equal tuples stay together.
    pub model: Model,
    /// Where a hierarchy may be cut.
    pub hierarchy_cut: HierarchyCut,
}

/// A part of the rows that are partitioned: what lies before its end and behind the part before.
#[derive(Clone, Debug)]
pub(crate) struct PartStart {
    /// Where it ends.
    pub end: u32,
    /// Settings inherited from the cuts above the part.
    pub above: InheritedCuts,
}

/// Settings that a part inherits from the cuts above it.
#[derive(Clone, Debug, Default)]
pub(crate) struct InheritedCuts {
    /// Whether it is cut by the median, as the gain of a cut above was too little.
    pub by_median: bool,
    /// Its boundaries, where their widths are restricted.
    pub edges: PartEdges,
}

impl Partitioner for Mondrian {
    fn partition(&self, job: &Job<'_>) -> Result<Partitioning> {
        self.partition_parts(job, &[job.table.rows() as u32])
    }
}

impl Mondrian {
    /// Partitions tables whose rows lie one after the other in that of the job, each up to its end: no group has rows of
    /// two of them. The cuts are only kept where there is one.
    pub fn partition_parts(&self, job: &Job<'_>, parts: &[u32]) -> Result<Partitioning> {
        let above = InheritedCuts { by_median: false, edges: PartEdges::whole(job.requirements, job.table) };
        let starts: Vec<PartStart> =
            parts.iter().map(|&end| PartStart { end, above: above.clone() }).collect();
        Ok(self.partition_starts(job, &starts, divide::DIVIDED)?.0)
    }

    /// The same for parts of which cuts above may have said that they are cut by the median, and says it of every group.
    pub(crate) fn partition_from(
        &self,
        job: &Job<'_>,
        parts: &[PartStart],
    ) -> Result<(Partitioning, Vec<bool>)> {
        self.partition_starts(job, parts, divide::DIVIDED)
    }

    /// The same, where parts are divided at once that have at least this many rows.
    fn partition_starts(
        &self,
        job: &Job<'_>,
        parts: &[PartStart],
        divided: usize,
    ) -> Result<(Partitioning, Vec<bool>)> {
        let ids = (0..job.table.rows() as u32).collect();
        let mut needs = job.requirements.needs().clone();
        if let SplitCriterion::Loss(cost) = job.split.base() {
            needs.include(&cost.needs());
        }
        let collector = Collector::new(&needs, job.table)?;
        let columns = collector.columns().to_vec();
        let kernel = kernel::Anonymize { mondrian: *self, job, collector, parts, divided };
        pack_columns(job.table, &columns, ids, kernel)
    }
}
