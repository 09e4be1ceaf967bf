//! Settings with a fixed list of values, each with its name and a line of help.

use crate::algorithm::gensearch::Priority;
use crate::algorithm::index::By;
use crate::algorithm::mondrian::{HierarchyCut, Model};
use crate::algorithm::optimal::Effort;
use crate::algorithm::scheme::{Direction, Scheme};
use crate::recode::StatisticKind;
use crate::region::Extents;

/// A setting with a fixed list of values. Flags, specs, bindings and the docs are made from this list.
pub trait Choice: Copy + PartialEq + Sized + 'static {
    /// Every value with its name and what it means, in a line.
    const ALL: &'static [(Self, &'static str, &'static str)];

    /// The name of the value.
    fn name(self) -> &'static str {
        Self::ALL.iter().find(|(value, ..)| *value == self).map_or("", |(_, name, _)| name)
    }

    /// The value of this name.
    fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(_, known, _)| *known == name).map(|(value, ..)| *value)
    }

    /// All names, separated by commas.
    fn names() -> String {
        Self::ALL.iter().map(|(_, name, _)| *name).collect::<Vec<_>>().join(", ")
    }
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

impl Choice for HierarchyCut {
    const ALL: &'static [(Self, &'static str, &'static str)] = &[
        (HierarchyCut::Nodes, "nodes", "A node is specialised to all its children at once"),
        (HierarchyCut::Leaves, "leaves", "Between any two leaves; the lowest common ancestor is published"),
        (HierarchyCut::Both, "both", "To the children where that is possible, else between two leaves"),
    ];
}

impl Choice for Extents {
    const ALL: &'static [(Self, &'static str, &'static str)] = &[
        (Extents::Compact, "compact", "The smallest that hold the group"),
        (Extents::Region, "region", "The boundaries of the partition, covering the whole domain"),
    ];
}

impl Choice for StatisticKind {
    const ALL: &'static [(Self, &'static str, &'static str)] = &[
        (StatisticKind::Range, "range", "The least and the greatest value"),
        (StatisticKind::Mean, "mean", "The mean"),
    ];
}

impl Choice for Effort {
    const ALL: &'static [(Self, &'static str, &'static str)] = &[
        (Effort::Fast, "fast", "Publish what the algorithm finds"),
        (Effort::Balanced, "balanced", "Look ahead once: a better release for a little more time"),
        (Effort::Best, "best", "Solve parts again until nothing gets better or the time is over"),
    ];
}

impl Choice for Priority {
    const ALL: &'static [(Self, &'static str, &'static str)] = &[
        (Priority::Bound, "bound", "The one with the least lower bound"),
        (Priority::Cost, "cost", "The one that costs least"),
        (Priority::Ratio, "ratio", "The one with the least ratio of bound and cost"),
    ];
}

impl Choice for Direction {
    const ALL: &'static [(Self, &'static str, &'static str)] = &[
        (Direction::BottomUp, "bottom-up", "From the values as they are"),
        (Direction::TopDown, "top-down", "From one group of everything"),
        (Direction::Auto, "auto", "Whichever suits the table"),
    ];
}

impl Choice for By {
    const ALL: &'static [(Self, &'static str, &'static str)] = &[
        (By::LeafScan, "leaf-scan", "Neighbours in the order of the leaves, as few as will do"),
        (By::Level, "level", "Those below a node of the tree"),
    ];
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
