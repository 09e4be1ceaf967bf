//! Anonymization as spatial indexing (Iwuchukwu, Naughton, *K-Anonymization as Spatial Indexing*, 2007).
//!
//! The leaves of an R+-tree are groups: boxes that do not overlap, each with at least as many rows as are required and no
//! more than it holds without being split. What the paper loads into a tree through buffers, from its root to its leaves,
//! goes the same way here: rows move down level by level, in memory by Mondrian's kernel, out of core by Rothko-S, whose
//! parts on disk are the buffers. What makes either a tree of boxes is how a node is split: `cut/boxes/` chooses the cut
//! after which the smallest boxes over the two sides cost least, from all places or from those of a sample; its `sweep.rs`
//! finds what every place of a dimension costs, over boxes that grow row by row (`grow.rs`) between ends on an axis
//! (`axis.rs`).
//!
//! *Compaction* (section 4) is the smallest region over a group, which every algorithm publishes with `--extent compact`.
//! *Query workload* (section 2.4) is [`BoxSplit::preferred`], or the weight of a column. Releases of several granularities
//! (section 3) are made from the same leaves by `granular.rs`: `leaf_scan.rs` is LeafScan (Fig. 5), `levels.rs` the
//! hierarchical algorithm (section 3.1).

mod granular;
mod leaf_scan;
mod levels;
mod tree;

pub use granular::{LeafGrouping, granular};
pub use levels::levels;
pub use tree::{RPlusTree, RTreeGroups};

pub use crate::split::{BoxCost, BoxSplit};
