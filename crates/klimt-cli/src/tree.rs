//! The R+-tree: what may be asked of it, and how a run hands it on.

use crate::settings::Settings;
use clap::{Args, ValueEnum};
use klimt_core::Result;
use klimt_core::algorithm::mondrian::Mondrian;
use klimt_core::algorithm::rtree::{BoxSplit, Built, By, RPlusTree};
use klimt_core::job::Job;
use klimt_core::requirement::{Bound, Requirement};
use klimt_core::split::SplitSpec;
use serde_json::{Value, json};

/// What may be asked of an R+-tree. A spec says the same under the same names.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "R+-tree")]
pub struct TreeArgs {
    /// rtree: build leaves of at least so many rows, and make groups of K rows of whole leaves; K by default. Releases for
    /// several K with the same B, from the same table, keep every row among those of its leaf. The table must fit in
    /// --memory
    #[arg(long, value_name = "B")]
    pub base_k: Option<u64>,
    /// rtree: which leaves become a group; leaf-scan by default
    #[arg(long, value_enum, value_name = "HOW")]
    pub by: Option<ByArg>,
    /// rtree and --split box: split a leaf when it has so many times the rows that a group needs; 2 by default
    #[arg(long, value_name = "C")]
    pub leaf_capacity: Option<u64>,
    /// rtree and --split box: columns that queries ask for, which are cut as long as they can be, before any other
    #[arg(long, value_name = "COLUMNS")]
    pub prefer: Vec<String>,
}

/// Which leaves become a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ByArg {
    /// Neighbours in the order of the leaves, as few as will do.
    LeafScan,
    /// Those below a node of the tree.
    Level,
}

/// What leaves must satisfy, and which of them become a group.
pub type Base = (Vec<Box<dyn Requirement>>, By);

impl From<ByArg> for By {
    fn from(by: ByArg) -> By {
        match by {
            ByArg::LeafScan => By::LeafScan,
            ByArg::Level => By::Level,
        }
    }
}

impl TreeArgs {
    /// These, and the others where these say nothing.
    pub fn or(self, other: TreeArgs) -> Self {
        TreeArgs {
            base_k: self.base_k.or(other.base_k),
            by: self.by.or(other.by),
            leaf_capacity: self.leaf_capacity.or(other.leaf_capacity),
            prefer: if self.prefer.is_empty() { other.prefer } else { self.prefer },
        }
    }
}

impl Settings {
    /// Whether the algorithm is the R+-tree.
    pub fn is_tree(&self) -> bool {
        self.algorithm() == "rtree"
    }

    /// The name of the split criterion.
    pub fn split_name(&self) -> &str {
        self.split.as_deref().unwrap_or(if self.is_tree() { "box" } else { "median" })
    }

    /// How the next cut is chosen.
    pub fn split_spec(&self) -> SplitSpec {
        let capacity = self.tree.leaf_capacity.unwrap_or(BoxSplit::default().capacity);
        SplitSpec { name: self.split_name().to_string(), capacity, preferred: self.tree.prefer.clone() }
    }

    /// What leaves must satisfy, where groups are unions of them, and which leaves become a group.
    pub fn base(&self) -> Result<Option<Base>> {
        let Some(base) = self.tree.base_k.filter(|&base| Some(base) < self.k) else { return Ok(None) };
        let by = self.tree.by.map_or(By::default(), By::from);
        let requirements = Settings { k: Some(base), ..self.clone() }.build_requirements()?;
        Ok(Some((requirements, by)))
    }

    /// Whether cuts are chosen by the boxes of their sides.
    pub fn splits_by_boxes(&self) -> bool {
        ["box", "box:area"].contains(&self.split_name())
    }

    /// Whether groups are made of several leaves.
    pub fn is_coarser(&self) -> bool {
        self.is_tree() && self.tree.base_k.is_some_and(|base| Some(base) < self.k)
    }

    /// Whether groups are runs of leaves, whose boxes may overlap.
    pub fn runs_of_leaves(&self) -> bool {
        self.is_coarser() && self.tree.by != Some(ByArg::Level)
    }

    /// What a certificate says of the tree, by name.
    pub fn describe_tree(&self) -> Vec<(&'static str, Value)> {
        let mut said = Vec::new();
        if let Some(base) = self.tree.base_k {
            said.push(("base-k", json!(base)));
        }
        if let Ok(Some((_, by))) = self.base() {
            said.push(("by", json!(by)));
        }
        if self.is_tree() || self.tree.leaf_capacity.is_some() {
            said.push(("leaf-capacity", json!(self.split_spec().capacity)));
        }
        if !self.tree.prefer.is_empty() {
            said.push(("prefer", json!(self.tree.prefer)));
        }
        said
    }
}

/// Builds the tree of a table in memory.
pub fn build(settings: &Settings, job: &Job<'_>, mondrian: Mondrian) -> Result<Built> {
    let base = settings.base()?;
    let bound = base.as_ref().map(|(base, by)| Bound::new(base, job.table).map(|bound| (bound, *by)));
    let bound = bound.transpose()?;
    let tree = RPlusTree { mondrian, base: bound.as_ref().map(|(bound, by)| (bound, *by)) };
    tree.build(job, &[job.table.rows() as u32])
}

/// Numbers that make no sense for an R+-tree.
pub fn problems(settings: &Settings) -> Vec<String> {
    let (tree, is_tree) = (&settings.tree, settings.is_tree());
    let given = [
        (is_tree && tree.base_k == Some(0), "--base-k must be at least 1"),
        (
            is_tree && settings.k.is_some() && tree.base_k > settings.k,
            "--base-k must be at most k: groups are made of whole leaves",
        ),
        (
            tree.leaf_capacity.is_some_and(|capacity| capacity < 2),
            "--leaf-capacity must be at least 2: a leaf cannot be split before both sides have enough rows",
        ),
    ];
    given.into_iter().filter(|(given, _)| *given).map(|(_, why)| why.to_string()).collect()
}
