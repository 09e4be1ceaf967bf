//! The settings that a certificate records.
//!
//! A setting that changes the groups, or how they are published, belongs into a certificate, so that a report can tell how
//! the same release is made again. File names stay out of it, and so does the seed by which rows are shuffled. Texts that may
//! be cells of the table are only counted: whoever makes the release again names them again.

use super::word::{by_column, list, one};
use crate::reading::Reading;
use crate::settings::{Levels, SplitSet, Start, Technique, TimeLimit};
use klimt_core::algorithm::gensearch::Priority;
use klimt_core::algorithm::mondrian::{HierarchyCut, Model};
use klimt_core::algorithm::optimal::Effort;
use klimt_core::algorithm::rtree::LeafGrouping;
use klimt_core::algorithm::scheme::{Direction, Scheme};
use klimt_core::recode::{SavedRequirement, StatisticKind};
use klimt_core::region::Extents;
use klimt_core::registry::AlgorithmKind;
use klimt_core::risk::Share;
use klimt_core::table::TypeSpec;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The source of the groups of a release.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReleaseOrigin {
    /// A run of this algorithm over a table.
    Algorithm(AlgorithmKind),
    /// A store.
    Store,
}

/// The order of the published rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordedOrder {
    /// That of the table.
    Kept,
    /// By group, shuffled inside.
    Shuffled,
}

/// The settings of a run that change the groups or what is published of them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", default, deny_unknown_fields)]
pub struct RecordedSettings {
    /// The quasi-identifiers in the order in which they were named.
    pub qi: Vec<String>,
    /// Columns that have their role although they may look like identifiers.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub accept: Vec<String>,
    /// The algorithm, or the store.
    #[serde(with = "one", skip_serializing_if = "Option::is_none")]
    pub algorithm: Option<ReleaseOrigin>,
    /// Of a store: whether differences between its releases may single out rows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allow_differences: Option<bool>,
    /// Whether GenSearch ran without klimt's additions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub as_published: Option<bool>,
    /// Of a store: whom the release is for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub audience: Option<String>,
    /// The least rows of a leaf of an R+-tree.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base_k: Option<u64>,
    /// Which leaves of an R+-tree became a group, where groups are made of several.
    #[serde(with = "one", skip_serializing_if = "Option::is_none")]
    pub by: Option<LeafGrouping>,
    /// Where the search for schemes started.
    #[serde(with = "one", skip_serializing_if = "Option::is_none")]
    pub direction: Option<Direction>,
    /// How much was spent on a better release.
    #[serde(with = "one", skip_serializing_if = "Option::is_none")]
    pub effort: Option<Effort>,
    /// Which intervals are published.
    #[serde(with = "one", skip_serializing_if = "Option::is_none")]
    pub extent: Option<Extents>,
    /// The proven factor at which the search ended.
    #[serde(with = "one", skip_serializing_if = "Option::is_none")]
    pub gap: Option<f64>,
    /// Where hierarchies were cut.
    #[serde(with = "one", skip_serializing_if = "Option::is_none")]
    pub hierarchy_cut: Option<HierarchyCut>,
    /// How many times the rows of a group a leaf of an R+-tree held.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub leaf_capacity: Option<u64>,
    /// Which levels of hierarchies schemes published.
    #[serde(with = "by_column", skip_serializing_if = "BTreeMap::is_empty")]
    pub levels: BTreeMap<String, Levels>,
    /// GenSearch: leaves with at most so many boxes were solved for a better bound.
    #[serde(with = "one", skip_serializing_if = "Option::is_none")]
    pub lookahead: Option<usize>,
    /// The loss that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub loss: Option<String>,
    /// The loss that a search minimised.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub minimised: Option<String>,
    /// Strict or relaxed.
    #[serde(with = "one", skip_serializing_if = "Option::is_none")]
    pub partitioning: Option<Model>,
    /// Columns that were cut before any other.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub prefer: Vec<String>,
    /// GenSearch: which partition was looked at next.
    #[serde(with = "one", skip_serializing_if = "Option::is_none")]
    pub priority: Option<Priority>,
    /// GenSearch: how many partitions could wait.
    #[serde(with = "one", skip_serializing_if = "Option::is_none")]
    pub queue: Option<usize>,
    /// The order of the rows.
    #[serde(with = "one", skip_serializing_if = "Option::is_none")]
    pub row_order: Option<RecordedOrder>,
    /// Rothko-S: the rows of a sample.
    #[serde(with = "one", skip_serializing_if = "Option::is_none")]
    pub sample: Option<u64>,
    /// The schemes of columns.
    #[serde(with = "by_column", skip_serializing_if = "BTreeMap::is_empty")]
    pub schemes: BTreeMap<String, Scheme>,
    /// Rothko-S: the chance of making a cut that had to be undone.
    #[serde(with = "one", skip_serializing_if = "Option::is_none")]
    pub significance: Option<f64>,
    /// How cuts were chosen.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub split: Option<String>,
    /// GenSearch: where columns could be cut.
    #[serde(with = "one", skip_serializing_if = "Option::is_none")]
    pub splits: Option<SplitSet>,
    /// GenSearch: what the search started from.
    #[serde(with = "one", skip_serializing_if = "Option::is_none")]
    pub start: Option<Start>,
    /// Statistics that are published beside ordered columns.
    #[serde(with = "list", skip_serializing_if = "Vec::is_empty")]
    pub statistics: Vec<StatisticKind>,
    /// The share of rows that could be left out.
    #[serde(with = "one", skip_serializing_if = "Option::is_none")]
    pub suppress: Option<Share>,
    /// The time after which the search ended.
    #[serde(with = "one", skip_serializing_if = "Option::is_none")]
    pub time_limit: Option<TimeLimit>,
    /// Techniques that the search for schemes did without.
    #[serde(with = "list", skip_serializing_if = "Vec::is_empty")]
    pub without: Vec<Technique>,
    /// Requirements besides k.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub requirements: Vec<SavedRequirement>,
    /// The weights of columns.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub weights: BTreeMap<String, f64>,
    /// The declared types of columns.
    #[serde(with = "by_column", skip_serializing_if = "BTreeMap::is_empty")]
    pub types: BTreeMap<String, TypeSpec>,
    /// How many texts stood for missing values.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub missing: Option<u64>,
    /// How many places a column may be cut at, where its owner chose them.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub column_splits: BTreeMap<String, u64>,
    /// Columns whose hierarchy guides a scheme without being what they are published by.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub guides: Vec<String>,
    /// Whether the release was made for a workload.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workload: Option<bool>,
    /// The delimiter that was named for the input.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delimiter: Option<char>,
    /// Whether the first line of the input was said to name the columns.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub header: Option<bool>,
    /// The encoding that was named for the input.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub encoding: Option<String>,
    /// How the input was read, where that is not to be taken for granted.
    #[serde(skip_serializing_if = "Reading::is_plain")]
    pub reading: Reading,
}
