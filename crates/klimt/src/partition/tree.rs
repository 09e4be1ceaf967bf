//! The cuts that lead from the whole domain to the groups, in preorder.

use crate::region::Regions;
use crate::table::{Domain, Shape};
use serde::{Deserialize, Serialize};

/// One node. The left child follows its parent; `right` is the distance from the parent to the right child.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CutNode {
    /// A group, or an empty region.
    Leaf {
        /// How many rows it holds.
        rows: u32,
    },
    /// Codes up to `code` go left.
    Threshold {
        /// The dimension that is cut.
        dimension: u32,
        /// The greatest code on the left.
        code: u32,
        /// Whether rows with that code are on the right too (relaxed partitioning).
        shared: bool,
        /// Where the right child is.
        right: u32,
    },
    /// Members of a subset go left.
    Subset {
        /// The dimension that is cut.
        dimension: u32,
        /// Where the members start in [`CutTree::members`].
        first: u32,
        /// How many there are.
        len: u32,
        /// Whether rows with the last of them are on the right too (relaxed partitioning).
        shared: bool,
        /// Where the right child is.
        right: u32,
    },
}

/// The cuts of a partitioning. Its leaves that hold rows are the groups, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CutTree {
    /// The nodes in preorder.
    pub nodes: Vec<CutNode>,
    /// The members of the subsets.
    pub members: Vec<u32>,
}

/// What a region allows in one dimension while the tree is walked.
#[derive(Clone)]
enum Range {
    Interval { lo: u32, hi: u32 },
    Members(Vec<u32>),
}

impl CutTree {
    /// Appends the nodes of a subtree.
    pub fn append(&mut self, subtree: &CutTree) {
        let shift = self.members.len() as u32;
        self.members.extend(&subtree.members);
        self.nodes.extend(subtree.nodes.iter().map(|node| match *node {
            CutNode::Subset { dimension, first, len, shared, right } => {
                CutNode::Subset { dimension, first: first + shift, len, shared, right }
            }
            other => other,
        }));
    }

    /// Appends a cut after a code and returns where it is; what lies below it must follow.
    pub fn push_threshold(&mut self, dimension: usize, code: u32, shared: bool) -> usize {
        self.nodes.push(CutNode::Threshold { dimension: dimension as u32, code, shared, right: 0 });
        self.nodes.len() - 1
    }

    /// Appends a cut between members and others and returns where it is; what lies below it must follow.
    pub fn push_subset(&mut self, dimension: usize, members: &[u32], shared: bool) -> usize {
        let (first, len) = (self.members.len() as u32, members.len() as u32);
        self.members.extend_from_slice(members);
        self.nodes.push(CutNode::Subset { dimension: dimension as u32, first, len, shared, right: 0 });
        self.nodes.len() - 1
    }

    /// Appends a copy of one node of another tree; what lies below it must follow.
    pub fn push_copy(&mut self, other: &CutTree, at: usize) {
        self.nodes.push(match other.nodes[at] {
            CutNode::Subset { dimension, first, len, shared, right } => {
                let moved = self.members.len() as u32;
                self.members.extend_from_slice(&other.members[first as usize..(first + len) as usize]);
                CutNode::Subset { dimension, first: moved, len, shared, right }
            }
            other => other,
        });
    }

    /// Sets where the right child of a cut is, once its left subtree has been appended.
    pub fn close_left(&mut self, cut: usize) {
        let distance = (self.nodes.len() - cut) as u32;
        match &mut self.nodes[cut] {
            CutNode::Threshold { right, .. } | CutNode::Subset { right, .. } => *right = distance,
            CutNode::Leaf { .. } => unreachable!("a leaf has no children"),
        }
    }

    /// How far the right child of a cut is.
    pub fn right(&self, cut: usize) -> usize {
        match self.nodes[cut] {
            CutNode::Threshold { right, .. } | CutNode::Subset { right, .. } => right as usize,
            CutNode::Leaf { .. } => unreachable!("a leaf has no children"),
        }
    }

    /// Leaves of groups that are not published, by their numbers, ascending, hold no rows.
    pub fn vacate(&mut self, groups: &[usize]) {
        let filled = self.nodes.iter_mut().filter_map(|node| match node {
            CutNode::Leaf { rows: rows @ 1.. } => Some(rows),
            _ => None,
        });
        for (_, rows) in filled.enumerate().filter(|(group, _)| groups.binary_search(group).is_ok()) {
            *rows = 0;
        }
    }

    /// The regions of the leaves that hold rows, by the boundaries of the cuts. `compact`, if
    /// given, has the smallest region over each; where no missing value is among the rows, the region leaves it
    /// out, and without `compact` it always does.
    pub fn regions(&self, domains: &[&Domain], compact: Option<&Regions>) -> Regions {
        let whole = domains.iter().map(|domain| match domain.shape() {
            Shape::Set => Range::Members((0..domain.cardinality() as u32).collect()),
            _ => Range::Interval { lo: 0, hi: domain.cardinality() as u32 - 1 },
        });
        let mut regions = Regions::new(domains.len());
        let mut pending = vec![(0, whole.collect::<Vec<_>>())];
        while let Some((at, ranges)) = pending.pop() {
            match self.nodes[at] {
                CutNode::Leaf { rows: 0 } => {}
                CutNode::Leaf { .. } => push_region(&ranges, domains, compact, &mut regions),
                CutNode::Threshold { right, .. } | CutNode::Subset { right, .. } => {
                    let (low, high) = self.halves(at, ranges);
                    pending.push((at + right as usize, high));
                    pending.push((at + 1, low));
                }
            }
        }
        regions
    }

    fn halves(&self, at: usize, ranges: Vec<Range>) -> (Vec<Range>, Vec<Range>) {
        let (mut low, mut high) = (ranges.clone(), ranges);
        match self.nodes[at] {
            CutNode::Threshold { dimension, code, shared, .. } => {
                if let (Range::Interval { hi, .. }, Range::Interval { lo, .. }) =
                    (&mut low[dimension as usize], &mut high[dimension as usize])
                {
                    (*hi, *lo) = ((*hi).min(code), (*lo).max(if shared { code } else { code + 1 }));
                }
            }
            CutNode::Subset { dimension, first, len, shared, .. } => {
                let left = &self.members[first as usize..(first + len) as usize];
                let both = if shared { left.last() } else { None };
                if let (Range::Members(a), Range::Members(b)) =
                    (&mut low[dimension as usize], &mut high[dimension as usize])
                {
                    a.retain(|code| left.contains(code));
                    b.retain(|code| !left.contains(code) || both == Some(code));
                }
            }
            CutNode::Leaf { .. } => {}
        }
        (low, high)
    }
}

fn push_region(ranges: &[Range], domains: &[&Domain], compact: Option<&Regions>, regions: &mut Regions) {
    let group = regions.len();
    for (dimension, range) in ranges.iter().enumerate() {
        match range {
            Range::Members(codes) => regions.push_set(codes.iter().copied()),
            Range::Interval { lo, hi } => {
                let domain = domains[dimension];
                let holds_missing =
                    compact.is_some_and(|compact| compact.holds_missing(group, dimension, domain));
                let leave_out = domain.mixes_missing(*lo, *hi) && !holds_missing;
                regions.push_interval(*lo, if leave_out { hi - 1 } else { *hi });
            }
        }
    }
}
