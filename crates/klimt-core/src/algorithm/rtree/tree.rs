//! The R+-tree as a partitioner.

use super::granular::{LeafGrouping, granular};
use crate::algorithm::mondrian::Mondrian;
use crate::job::{Job, Partitioner};
use crate::partition::Partitioning;
use crate::requirement::Checks;
use crate::split::SplitCriterion;
use crate::words::option_is;
use crate::{Error, Result};

/// The partitioner: builds the leaves, and makes groups of them where more is required of a group than of a leaf. The
/// job must split by boxes.
#[derive(Clone, Copy, Debug, Default)]
pub struct RPlusTree<'a> {
    /// Cuts the parts.
    pub mondrian: Mondrian,
    /// The requirements of leaves, where these are weaker than those of groups, and how leaves are joined to
    /// groups.
    pub base: Option<(&'a Checks, LeafGrouping)>,
}

/// A partitioning, and how many leaves it is made of.
#[derive(Clone, Debug)]
pub struct RTreeGroups {
    /// The groups.
    pub partitioning: Partitioning,
    /// The leaves.
    pub leaves: usize,
}

impl RPlusTree<'_> {
    /// Builds the tree and makes the groups, of tables whose rows lie one after the other, each up to its end.
    pub fn build(&self, job: &Job<'_>, parts: &[u32]) -> Result<RTreeGroups> {
        if !matches!(job.split.base(), SplitCriterion::Box(_)) {
            return Err(Error::input("an R+-tree is split by boxes")
                .with_help(format!("{} or box:area", option_is("split", "box"))));
        }
        let Some((base, by)) = self.base else {
            let partitioning = self.mondrian.partition_parts(job, parts)?;
            let leaves = partitioning.groups();
            return Ok(RTreeGroups { partitioning, leaves });
        };
        let keep_tree = job.keep_tree || by == LeafGrouping::Level;
        let leaves = self.mondrian.partition_parts(&Job { requirements: base, keep_tree, ..*job }, parts)?;
        let mut partitioning = granular(&leaves, job.table, job.requirements, by, parts)?;
        if !job.keep_tree {
            partitioning.tree = None;
        }
        Ok(RTreeGroups { partitioning, leaves: leaves.groups() })
    }
}

impl Partitioner for RPlusTree<'_> {
    fn partition(&self, job: &Job<'_>) -> Result<Partitioning> {
        Ok(self.build(job, &[job.table.rows() as u32])?.partitioning)
    }
}
