//! For front ends: the settings of a run, checked and typed. A spec, flags and the methods of [`crate::Anonymizer`] fill them.

mod algorithm;
mod column;
mod memory;
mod requirement;
mod scheme;
mod search;
mod tree;

pub use algorithm::Algorithm;
pub use column::{ColumnSettings, HierarchySource, Levels, ValueList, weight};
pub use memory::{MemorySettings, MemorySize, sample, significance};
pub use requirement::{NamedRequirement, OwnRequirement, flags, help, offered, subject};
pub use scheme::{SchemeSettings, Technique, named as scheme_named};
pub use search::{SearchSettings, SplitSet, Start, TimeLimit, gap};
pub use tree::{Base, TreeSettings};

use crate::inspect::{Evidence, screen};
use crate::suggest::did_you_mean;
use klimt_core::Choice;
use klimt_core::algorithm::mondrian::{HierarchyCut, Model, Mondrian};
use klimt_core::job::Suppression;
use klimt_core::recode::StatisticKind;
use klimt_core::region::Extents;
use klimt_core::registry::AlgorithmKind;
use klimt_core::risk::Share;
use klimt_core::table::{Role, Table};
use klimt_io::source::SourceSpec;
use std::collections::BTreeMap;

/// What happens to columns without a role.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Other {
    /// They are not published.
    Drop,
    /// They are published as they are.
    Keep,
}

impl Choice for Other {
    const ALL: &'static [(Self, &'static str, &'static str)] = &[
        (Other::Drop, "drop", "They are not published"),
        (Other::Keep, "keep", "They are published as they are"),
    ];
}

/// What a run is to do.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Settings {
    /// The table, where a spec names it.
    pub input: Option<String>,
    /// Where the release goes, where a spec names it.
    pub output: Option<String>,
    /// The columns by name.
    pub columns: BTreeMap<String, ColumnSettings>,
    /// What happens to columns without a role.
    pub other: Option<Other>,
    /// Texts that stand for a missing value.
    pub missing: Vec<String>,
    /// The least size of a group.
    pub k: Option<u64>,
    /// The other requirements.
    pub requirements: Vec<NamedRequirement>,
    /// Requirements that are not in the registry.
    pub own_requirements: Vec<OwnRequirement>,
    /// How the next cut is chosen.
    pub split: Option<String>,
    /// Queries that the release is for, as a file.
    pub workload: Option<String>,
    /// The algorithm.
    pub algorithm: Option<AlgorithmKind>,
    /// What is asked of a search.
    pub search: SearchSettings,
    /// What is asked of the generalization schemes.
    pub schemes: SchemeSettings,
    /// What is asked of an R+-tree.
    pub tree: TreeSettings,
    /// What is said about memory.
    pub memory: MemorySettings,
    /// Strict or relaxed.
    pub partitioning: Option<Model>,
    /// Where hierarchies may be cut.
    pub hierarchy_cut: Option<HierarchyCut>,
    /// The share of rows that may be suppressed.
    pub suppress: Option<Share>,
    /// Which intervals are published.
    pub extent: Option<Extents>,
    /// Which statistics are published.
    pub statistics: Vec<StatisticKind>,
    /// Whether rows keep their order.
    pub keep_order: bool,
    /// The number by which rows are shuffled within groups; random where none is given.
    pub seed: Option<u64>,
    /// How the input is read; recognised where nothing is said.
    pub source: SourceSpec,
    /// Where the recoding function is saved.
    pub save_recoding: Option<String>,
    /// Whether the recoding function is kept for the caller.
    pub keep_recoding: bool,
    /// Where pseudonyms of the people of the rows are saved.
    pub save_people: Option<String>,
}

impl Settings {
    /// The algorithm: where none is asked for, the one for tables that fit in memory.
    pub fn algorithm(&self) -> AlgorithmKind {
        match self.algorithm {
            None | Some(AlgorithmKind::Auto) => AlgorithmKind::Mondrian,
            Some(named) => named,
        }
    }

    /// Whether the algorithm depends on whether the table fits in memory.
    pub fn is_auto(&self) -> bool {
        matches!(self.algorithm, None | Some(AlgorithmKind::Auto))
    }

    /// Fills in what follows from other settings: a workload brings its loss, schemes minimise DM and publish boundaries.
    pub fn complete(&mut self) {
        if self.workload.is_some() {
            self.search.loss.get_or_insert("queries".into());
        }
        if self.algorithm() == AlgorithmKind::Scheme {
            self.search.loss.get_or_insert("dm".into());
            self.extent.get_or_insert(Extents::Region);
        }
    }

    /// Whether a recoding function is made.
    pub fn makes_recoding(&self) -> bool {
        self.keep_recoding || self.save_recoding.is_some()
    }

    /// Which intervals are published.
    pub fn extents(&self) -> Extents {
        self.extent.unwrap_or(Extents::Compact)
    }

    /// How many rows may be left out.
    pub fn suppression(&self) -> Suppression {
        self.suppress.and_then(|share| Suppression::share(share.value())).unwrap_or(Suppression::NONE)
    }

    /// What cuts a table in memory.
    pub fn mondrian(&self) -> Mondrian {
        Mondrian {
            model: self.partitioning.unwrap_or_default(),
            hierarchy_cut: self.hierarchy_cut.unwrap_or_default(),
        }
    }

    /// The weight of every dimension of a table.
    pub fn weights(&self, table: &Table) -> Vec<f64> {
        let weight = |name: &str| self.columns.get(name).and_then(|column| column.weight).unwrap_or(1.0);
        (0..table.dimensions()).map(|dimension| weight(&table.dimension(dimension).name)).collect()
    }

    /// The files that a run reads besides its table.
    pub fn files(&self) -> Vec<&str> {
        let of_columns = self.columns.values().flat_map(ColumnSettings::files);
        of_columns.chain(self.workload.as_deref()).collect()
    }

    /// The columns that may have their roles although they look like identifiers.
    pub fn accepted(&self) -> Vec<String> {
        self.columns.iter().filter(|(_, column)| column.accepted).map(|(name, _)| name.clone()).collect()
    }

    /// The role of a column of the table.
    pub fn role(&self, column: &str) -> Role {
        let kept = match self.other {
            Some(Other::Keep) => Role::Insensitive,
            _ => Role::Identifier,
        };
        self.columns.get(column).and_then(|given| given.role).unwrap_or(kept)
    }

    /// Refuses columns that look like identifiers and have another role, all at once.
    pub(crate) fn screen(&self, table: &str, columns: &[Evidence]) -> klimt_core::Result<()> {
        let accepted = |name: &str| self.columns.get(name).is_some_and(|given| given.accepted);
        screen(table, columns, |name| self.role(name), accepted)
    }

    /// Everything that is said about columns which the table does not have, a problem each.
    pub fn unknown_columns(&self, names: &[String]) -> Vec<String> {
        let known = || names.iter().map(String::as_str);
        let required = self.requirements.iter().filter_map(|wanted| wanted.column.as_ref());
        let mut said: Vec<&String> = self.columns.keys().chain(required).chain(&self.tree.prefer).collect();
        said.sort_unstable();
        said.dedup();
        said.into_iter()
            .filter(|name| !names.contains(*name))
            .map(|name| format!("unknown column {name}{}", did_you_mean(name, known())))
            .collect()
    }
}

/// A share of the rows, as `5%` or `0.05`; `none` and `unlimited` are 0% and 100%.
pub fn share(text: &str) -> Result<Share, String> {
    let parsed = match text {
        "none" => Ok(Share::ZERO),
        "unlimited" => Ok(Share::ONE),
        _ => text.parse(),
    };
    parsed.map_err(|()| "the share of rows to suppress must be between 0% and 100%, such as 5%".to_string())
}
