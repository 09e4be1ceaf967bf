//! The search for a cut, which Mondrian, Rothko and the R+-tree share.
//!
//! [`CutFinder`] (`finder.rs`) finds the cut of a part by its split criterion: at the median of the widest dimension
//! (`measure.rs` has the widths, `tie.rs` decides between equal ones, `subset.rs`, `sum.rs` and `taxonomy.rs` cut sets and
//! hierarchies, `missing.rs` says where rows without a value go), where a loss falls most (`greedy.rs`), where the boxes of
//! the sides cost least (`boxed.rs`, `boxes/`), or at the ends of a workload's predicates (`workload.rs`). `sweep.rs` looks
//! at every place of a dimension in two passes, and `edges.rs` keeps boundaries where their widths are restricted.
//!
//! It sees a part through [`FrequencyGroup`] (`frequency.rs`), which rows in memory and counts of rows on disk implement.

mod boxed;
pub(crate) mod boxes;
mod edges;
mod finder;
mod frequency;
mod greedy;
mod measure;
mod missing;
mod subset;
mod sum;
mod sweep;
mod taxonomy;
mod tie;
mod workload;

pub(crate) use edges::{PartEdges, admits};
pub(crate) use finder::{Cut, CutFinder, MissingRun, Part};
pub(crate) use frequency::{FrequencyGroup, FrequencySet, SidesOf};
pub(crate) use measure::{Dimension, DimensionWidth, PartWidths};
pub(crate) use sweep::{Arrangement, CutCandidate, CutSweep, SideJudge, ValueOrder};

use crate::Choice;
use serde::{Deserialize, Serialize};

/// Where a hierarchy may be cut.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum HierarchyCut {
    /// A node is specialised to all its children at once.
    Nodes,
    /// Between any two leaves in tree order; the lowest common ancestor is published.
    Leaves,
    /// To all children at once where that is allowable, else between two leaves.
    #[default]
    Both,
}

impl Choice for HierarchyCut {
    const ALL: &'static [(Self, &'static str, &'static str)] = &[
        (HierarchyCut::Nodes, "nodes", "A node is specialised to all its children at once"),
        (HierarchyCut::Leaves, "leaves", "Between any two leaves; the lowest common ancestor is published"),
        (HierarchyCut::Both, "both", "To the children where that is possible, else between two leaves"),
    ];
}
