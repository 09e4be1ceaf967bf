//! The algorithms by name.

use crate::Choice;
use serde::{Deserialize, Serialize};
use std::fmt;

/// An algorithm, as it is chosen by name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AlgorithmKind {
    /// Whichever suits the table and the memory.
    #[default]
    Auto,
    /// Greedy cuts in memory ([`crate::algorithm::mondrian`]).
    Mondrian,
    /// Mondrian by counts of all rows ([`crate::algorithm::rothko`]).
    RothkoT,
    /// Mondrian by a sample ([`crate::algorithm::rothko`]).
    RothkoS,
    /// The leaves of an R+-tree ([`crate::algorithm::rtree`]).
    #[serde(rename = "rtree")]
    RTree,
    /// The search over a set of splits ([`crate::algorithm::gensearch`]).
    #[serde(rename = "gensearch")]
    GenSearch,
    /// The search over all cuts ([`crate::algorithm::optimal`]).
    Optimal,
    /// Generalization schemes ([`crate::algorithm::scheme`]).
    Scheme,
    /// Local recoding ([`crate::algorithm::local`]).
    Local,
}

/// The algorithms that find groups, in the order in which they are listed; [`AlgorithmKind::Auto`] chooses among them.
pub const PARTITIONERS: [AlgorithmKind; 8] = [
    AlgorithmKind::Mondrian,
    AlgorithmKind::RothkoT,
    AlgorithmKind::RothkoS,
    AlgorithmKind::RTree,
    AlgorithmKind::GenSearch,
    AlgorithmKind::Optimal,
    AlgorithmKind::Scheme,
    AlgorithmKind::Local,
];

impl AlgorithmKind {
    /// Whether it divides the rows of a table larger than memory: Rothko-T or Rothko-S.
    pub fn is_rothko(self) -> bool {
        matches!(self, AlgorithmKind::RothkoT | AlgorithmKind::RothkoS)
    }

    /// Whether it cuts greedily and does not search.
    pub fn is_greedy(self) -> bool {
        self.is_rothko() || matches!(self, AlgorithmKind::Mondrian | AlgorithmKind::RTree)
    }
}

impl fmt::Display for AlgorithmKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// The algorithms by name, each with what it does.
impl Choice for AlgorithmKind {
    const ALL: &'static [(Self, &'static str, &'static str)] = &[
        (
            AlgorithmKind::Auto,
            "auto",
            "mondrian where the table fits in --memory, rothko-s where it does not; the default",
        ),
        (
            AlgorithmKind::Mondrian,
            "mondrian",
            "greedy multidimensional partitioning: cuts at the median of the widest column",
        ),
        (
            AlgorithmKind::RothkoT,
            "rothko-t",
            "mondrian for tables larger than memory, group for group: cuts from the frequency groups of all rows",
        ),
        (
            AlgorithmKind::RothkoS,
            "rothko-s",
            "mondrian for tables larger than memory: cuts from a sample, undone where they turn out wrong",
        ),
        (
            AlgorithmKind::RTree,
            "rtree",
            "the leaves of an R+-tree, for tables of any size: cuts by the boxes of their sides, and coarser releases from the same leaves",
        ),
        (
            AlgorithmKind::GenSearch,
            "gensearch",
            "systematic search for the partitioning of least loss with a given set of cuts, with a proof of how good it is",
        ),
        (
            AlgorithmKind::Optimal,
            "optimal",
            "the partitioning of least loss, or the best found in the time given, with a proof of how good it is",
        ),
        (
            AlgorithmKind::Scheme,
            "scheme",
            "consistent recoding: one value is always published the same way, by one of six schemes per column, with a proof of how good it is",
        ),
        (
            AlgorithmKind::Local,
            "local",
            "local recoding: dense regions stay exact, only the sparse rest is generalised, and regions may overlap",
        ),
    ];
}
