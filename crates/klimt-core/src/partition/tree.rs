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
        /// Whether rows without a value go left; else they go right.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        missing_left: bool,
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

/// The part of one dimension that a region allows while the tree is walked.
#[derive(Clone)]
enum AllowedRange {
    /// The values from `lo` up to, but not including, `end`, and the code of the missing value where that is allowed.
    Interval {
        lo: u32,
        end: u32,
        missing: Option<u32>,
    },
    Members(Vec<u32>),
}

impl CutTree {
    /// Whether the nodes are one tree in preorder: below every cut lie two subtrees, and nothing beside them.
    pub fn fits_together(&self) -> bool {
        // Where the subtree of every node ends, from the last node to the first.
        let mut ends = vec![0; self.nodes.len()];
        for (at, node) in self.nodes.iter().enumerate().rev() {
            let right = match *node {
                CutNode::Leaf { .. } => {
                    ends[at] = at + 1;
                    continue;
                }
                CutNode::Threshold { right, .. } | CutNode::Subset { right, .. } => right as usize,
            };
            // The left side starts behind the cut and ends where the right one starts.
            match ends.get(at + right) {
                Some(&end) if right > 0 && ends[at + 1] == at + right => ends[at] = end,
                _ => return false,
            }
        }
        ends.first() == Some(&self.nodes.len())
    }

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
        let dimension = dimension as u32;
        self.nodes.push(CutNode::Threshold { dimension, code, shared, missing_left: false, right: 0 });
        self.nodes.len() - 1
    }

    /// The same, for a strict cut that sends rows without a value to the left.
    pub fn push_threshold_missing_left(&mut self, dimension: usize, code: u32) -> usize {
        let dimension = dimension as u32;
        self.nodes.push(CutNode::Threshold { dimension, code, shared: false, missing_left: true, right: 0 });
        self.nodes.len() - 1
    }

    /// Whether a cut sends rows without a value to the left.
    pub fn has_missing_left(&self) -> bool {
        self.nodes.iter().any(|node| matches!(node, CutNode::Threshold { missing_left: true, .. }))
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
            Shape::Set => AllowedRange::Members((0..domain.cardinality() as u32).collect()),
            _ => AllowedRange::Interval {
                lo: 0,
                end: domain.value_count() as u32,
                missing: domain.missing_code(),
            },
        });
        let mut regions = Regions::new(domains.len());
        let mut pending = vec![(0, whole.collect::<Vec<_>>())];
        while let Some((at, ranges)) = pending.pop() {
            match self.nodes[at] {
                CutNode::Leaf { rows: 0 } => {}
                CutNode::Leaf { .. } => push_region(&ranges, domains, compact, &mut regions),
                CutNode::Threshold { right, .. } | CutNode::Subset { right, .. } => {
                    let (low, high) = self.halves(at, ranges, domains);
                    pending.push((at + right as usize, high));
                    pending.push((at + 1, low));
                }
            }
        }
        regions
    }

    fn halves(
        &self,
        at: usize,
        ranges: Vec<AllowedRange>,
        domains: &[&Domain],
    ) -> (Vec<AllowedRange>, Vec<AllowedRange>) {
        let (mut low, mut high) = (ranges.clone(), ranges);
        match self.nodes[at] {
            CutNode::Threshold { dimension, code, shared, missing_left, .. } => {
                let code = if shared { code } else { domains[dimension as usize].cut_after(code) };
                if let (
                    AllowedRange::Interval { end, missing: left, .. },
                    AllowedRange::Interval { lo, missing: right, .. },
                ) = (&mut low[dimension as usize], &mut high[dimension as usize])
                {
                    (*end, *lo) = ((*end).min(code + 1), (*lo).max(if shared { code } else { code + 1 }));
                    if missing_left {
                        *right = None;
                    } else {
                        *left = left.filter(|&missing| missing <= code);
                    }
                }
            }
            CutNode::Subset { dimension, first, len, shared, .. } => {
                let left = &self.members[first as usize..(first + len) as usize];
                let both = if shared { left.last() } else { None };
                if let (AllowedRange::Members(a), AllowedRange::Members(b)) =
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

fn push_region(
    ranges: &[AllowedRange],
    domains: &[&Domain],
    compact: Option<&Regions>,
    regions: &mut Regions,
) {
    let group = regions.len();
    for (dimension, range) in ranges.iter().enumerate() {
        match range {
            AllowedRange::Members(codes) => regions.push_set(codes.iter().copied()),
            AllowedRange::Interval { lo, end, missing } => {
                let holds_missing = || {
                    compact.is_some_and(|compact| compact.holds_missing(group, dimension, domains[dimension]))
                };
                match *missing {
                    Some(missing) if lo >= end => regions.push_interval(missing, missing),
                    Some(missing) if holds_missing() => regions.push_interval(*lo, missing),
                    _ => regions.push_interval(*lo, end.saturating_sub(1)),
                }
            }
        }
    }
}
