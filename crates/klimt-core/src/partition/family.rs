//! Families of releases, and the least that a member can cost.

use crate::Choice;
use crate::region::Extents;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Which groupings of the values of a column are allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scheme {
    /// Basic hierarchical scheme: one level of the hierarchy for the whole column.
    Bhs,
    /// Group hierarchical scheme: a cut through the hierarchy.
    Ghs,
    /// Ordered partitioning scheme: intervals of an order.
    Ops,
    /// Guided ordered partitioning scheme: intervals that respect the groups of the hierarchy.
    Gops,
    /// Set partitioning scheme: any grouping of the values.
    Sps,
    /// Guided set partitioning scheme: any grouping that respects the groups of the hierarchy.
    Gsps,
}

impl Choice for Scheme {
    const ALL: &'static [(Self, &'static str, &'static str)] = &[
        (Scheme::Bhs, "bhs", "one level of the hierarchy for the whole column"),
        (Scheme::Ghs, "ghs", "a cut through the hierarchy"),
        (Scheme::Ops, "ops", "intervals of the order"),
        (Scheme::Gops, "gops", "intervals that respect the groups of the hierarchy"),
        (Scheme::Sps, "sps", "any grouping of the values"),
        (Scheme::Gsps, "gsps", "any grouping of the values that respects the groups of the hierarchy"),
    ];

    fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(_, known, _)| known.eq_ignore_ascii_case(name)).map(|(scheme, ..)| *scheme)
    }
}

impl Scheme {
    /// The groupings that it allows, in words.
    pub fn per_column(self) -> &'static str {
        match self {
            Scheme::Bhs => "one level per column",
            Scheme::Ghs => "a cut through the hierarchy per column",
            Scheme::Ops => "intervals of the order per column",
            Scheme::Gops => "intervals that respect the hierarchy per column",
            Scheme::Sps => "one grouping of the values per column",
            Scheme::Gsps => "one grouping that respects the hierarchy per column",
        }
    }

    /// Whether it looks at a hierarchy.
    pub fn is_guided(self) -> bool {
        !matches!(self, Scheme::Ops | Scheme::Sps)
    }

    /// The scheme that a column with an order takes in place of one for unordered values: intervals stay intervals.
    pub fn for_ordered(self) -> Self {
        match self {
            Scheme::Sps => Scheme::Ops,
            Scheme::Gsps => Scheme::Gops,
            other => other,
        }
    }
}

/// A family of releases whose groups all satisfy the requirements. Its text says which.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Family {
    /// Hierarchical partitions whose cuts are all in a split set of this many splits.
    Splits(usize),
    /// Hierarchical partitions: boxes, each cut anywhere in two. Values that are missing lie beyond all others.
    Boxes,
    /// One grouping per column, each of a scheme; values that are missing are published apart.
    Schemes {
        /// The schemes of the columns, each once.
        schemes: Vec<Scheme>,
        /// Whether some levels of a hierarchy are not allowed.
        limited: bool,
    },
    /// All partitions into groups of at least this many rows.
    Groups(u64),
}

impl fmt::Display for Family {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Family::Splits(1) => write!(f, "hierarchical partitions over 1 split"),
            Family::Splits(splits) => write!(f, "hierarchical partitions over {splits} splits"),
            Family::Boxes => write!(f, "boxes by any sequence of cuts"),
            Family::Schemes { schemes, limited } => {
                let allowed: Vec<&str> = schemes.iter().map(|scheme| scheme.per_column()).collect();
                let within = if *limited { ", within the given levels" } else { "" };
                write!(f, "{}{within}", allowed.join(" or "))
            }
            Family::Groups(1) => write!(f, "any partition of the rows"),
            Family::Groups(minimum) => write!(f, "any partition into groups of at least {minimum} rows"),
        }
    }
}

/// A sum of costs that no release of a family undercuts.
#[derive(Clone, Debug, PartialEq)]
pub struct LowerBound {
    /// The family.
    pub family: Family,
    /// The sum, in which suppressed rows pay their price.
    pub sum: f64,
    /// Whether the family holds the releases that suppress rows, as many as the job allows.
    pub suppresses: bool,
    /// The extents that the costs of the family are seen from.
    pub extents: Extents,
}
