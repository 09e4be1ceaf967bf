//! The priority functions: the order in which partitions are visited (Definition 12).

use crate::Choice;
use serde::{Deserialize, Serialize};

/// A priority function: the node of the enumeration tree for which its key is least comes next.
pub trait PriorityFunction: Sync {
    /// The key of a node that costs `cost`, and below which nothing costs less than `bound`; then what decides between
    /// equal keys.
    fn key(&self, cost: f64, bound: f64) -> (f64, f64);

    /// Whether the key is the lower bound, so that the first node has the least.
    fn is_bound(&self) -> bool {
        false
    }
}

/// *LB*: the lower bound of what is below a node, so that the most promising one comes first.
struct LowerBoundFirst;

impl PriorityFunction for LowerBoundFirst {
    fn key(&self, cost: f64, bound: f64) -> (f64, f64) {
        (bound, cost)
    }

    fn is_bound(&self) -> bool {
        true
    }
}

/// *Cost*: what the node itself costs.
struct OwnCost;

impl PriorityFunction for OwnCost {
    fn key(&self, cost: f64, bound: f64) -> (f64, f64) {
        (cost, bound)
    }
}

/// *LB/Cost*: the lower bound over the cost, so that the node with most room for improvement comes first.
struct BoundOverCost;

impl PriorityFunction for BoundOverCost {
    fn key(&self, cost: f64, bound: f64) -> (f64, f64) {
        (if cost > 0.0 { bound / cost } else { 1.0 }, bound)
    }
}

/// The priority functions of the paper, by name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Priority {
    /// The lower bound of what is below a node.
    #[default]
    Bound,
    /// The cost of a node.
    Cost,
    /// The lower bound over the cost.
    Ratio,
}

impl Choice for Priority {
    const ALL: &'static [(Self, &'static str, &'static str)] = &[
        (Priority::Bound, "bound", "The one with the least lower bound"),
        (Priority::Cost, "cost", "The one that costs least"),
        (Priority::Ratio, "ratio", "The one with the least ratio of bound and cost"),
    ];
}

impl Priority {
    /// The function of this name.
    pub fn function(self) -> &'static dyn PriorityFunction {
        match self {
            Priority::Bound => &LowerBoundFirst,
            Priority::Cost => &OwnCost,
            Priority::Ratio => &BoundOverCost,
        }
    }
}
