//! What a run asks of an R+-tree.

use super::Settings;
use klimt_core::Result;
use klimt_core::algorithm::rtree::{BoxSplit, LeafGrouping};
use klimt_core::registry::AlgorithmKind;
use klimt_core::requirement::Requirement;
use klimt_core::split::SplitSpec;
use klimt_core::words::option;

/// What is asked of an R+-tree.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TreeSettings {
    /// The least rows of a leaf, where groups of k rows are made of whole leaves.
    pub base_k: Option<u64>,
    /// Which leaves become a group.
    pub by: Option<LeafGrouping>,
    /// Split a leaf when it has so many times the rows that a group needs.
    pub leaf_capacity: Option<u64>,
    /// Columns that are cut as long as they can be, before any other.
    pub prefer: Vec<String>,
}

/// What leaves must satisfy, and which of them become a group.
pub type Base = (Vec<Box<dyn Requirement>>, LeafGrouping);

impl Settings {
    /// Whether the algorithm is the R+-tree.
    pub fn is_tree(&self) -> bool {
        self.algorithm() == AlgorithmKind::RTree
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
        let requirements = Settings { k: Some(base), ..self.clone() }.build_requirements()?;
        Ok(Some((requirements, self.tree.by.unwrap_or_default())))
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
        self.is_coarser() && self.tree.by != Some(LeafGrouping::Level)
    }

    /// Numbers that make no sense for an R+-tree.
    pub(crate) fn tree_problems(&self) -> Vec<String> {
        let (tree, is_tree) = (&self.tree, self.is_tree());
        let given = [
            (is_tree && tree.base_k == Some(0), format!("{} must be at least 1", option("base-k"))),
            (
                is_tree && self.k.is_some() && tree.base_k > self.k,
                format!("{} must be at most k: groups are made of whole leaves", option("base-k")),
            ),
            (
                tree.leaf_capacity.is_some_and(|capacity| capacity < 2),
                format!(
                    "{} must be at least 2: a leaf cannot be split before both sides have enough rows",
                    option("leaf-capacity")
                ),
            ),
        ];
        given.into_iter().filter(|(given, _)| *given).map(|(_, why)| why).collect()
    }
}
