//! The hierarchical algorithm (section 3.1): nodes of the tree become groups.
//!
//! A tree of cuts in two has nodes of 1, 2, 4, … leaves or so. A node becomes a group when it satisfies every requirement
//! and its two sides do not both: then no finer set of nodes would do for its rows.

use crate::partition::{CutNode, CutTree};
use crate::requirement::Checks;
use crate::statistics::Statistics;

/// Where the groups end, in leaves that hold rows, and the cuts that are left above them. The cuts may be those of several
/// trees one after the other; each of them satisfies the requirements as a whole. Leaves come from left to right with
/// their statistics.
pub fn levels(
    tree: &CutTree,
    leaves: impl Iterator<Item = Statistics>,
    requirements: &Checks,
) -> (Vec<usize>, CutTree) {
    let mut walk =
        LevelWalk { tree, leaves, requirements, seen: 0, ends: Vec::new(), kept: CutTree::default() };
    let mut at = 0;
    while at < tree.nodes.len() {
        at = walk.visit(at).after;
    }
    (walk.ends, walk.kept)
}

struct LevelWalk<'a, L> {
    tree: &'a CutTree,
    leaves: L,
    requirements: &'a Checks,
    /// The leaves with rows that have been seen.
    seen: usize,
    ends: Vec<usize>,
    kept: CutTree,
}

/// The groups and the rows of a subtree.
struct SubtreeGroups {
    /// Where the next subtree starts.
    after: usize,
    /// The statistics of its rows; nothing where it has none.
    rows: Option<Statistics>,
    /// Whether its groups, if it has any rows, satisfy the requirements.
    satisfied: bool,
}

impl<L: Iterator<Item = Statistics>> LevelWalk<'_, L> {
    fn visit(&mut self, at: usize) -> SubtreeGroups {
        let (node, members, groups) = (self.kept.nodes.len(), self.kept.members.len(), self.ends.len());
        self.kept.push_copy(self.tree, at);
        match self.tree.nodes[at] {
            CutNode::Leaf { rows: 0 } => return SubtreeGroups { after: at + 1, rows: None, satisfied: true },
            CutNode::Leaf { .. } => {
                let rows = self.leaves.next();
                let satisfied = rows.as_ref().is_some_and(|rows| self.requirements.satisfied(rows));
                self.seen += 1;
                self.ends.push(self.seen);
                return SubtreeGroups { after: at + 1, rows, satisfied };
            }
            _ => {}
        }
        let left = self.visit(at + 1);
        self.kept.close_left(node);
        let right = self.visit(left.after);
        let apart = left.satisfied && right.satisfied;
        let rows = match (left.rows, right.rows) {
            (Some(mut rows), Some(more)) => {
                rows.merge(&more);
                Some(rows)
            }
            (one, other) => one.or(other),
        };
        let satisfied = apart || rows.as_ref().is_some_and(|rows| self.requirements.satisfied(rows));
        if let (false, Some(rows)) = (apart, &rows) {
            self.ends.truncate(groups);
            self.ends.push(self.seen);
            self.kept.nodes.truncate(node);
            self.kept.members.truncate(members);
            self.kept.nodes.push(CutNode::Leaf { rows: rows.count as u32 });
        }
        SubtreeGroups { after: right.after, rows, satisfied }
    }
}
