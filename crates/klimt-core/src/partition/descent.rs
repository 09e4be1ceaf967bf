//! Leading rows down a tree of cuts to its leaves.
//!
//! [`Descent`] leads a row by its codes, wherever they are stored. [`Thresholds`] is for the many packed rows of a part
//! and cuts that are all thresholds.

use super::{CutNode, CutTree};
use crate::packed::Tuple;
use crate::table::Table;

/// A tree of strict cuts, ready to lead rows to its leaves, which are numbered from left to right.
#[derive(Clone, Debug)]
pub struct Descent {
    turns: Vec<Branch>,
    leaves: usize,
}

/// The branch that a node of a tree sends a row to. The left side follows its cut.
#[derive(Clone, Debug)]
pub(crate) enum Branch {
    /// The row is in the leaf with this number.
    Leaf(usize),
    /// Codes up to `code` go left.
    Threshold { dimension: usize, code: u32, right: usize },
    /// Codes up to `code` go left, and so does the missing value.
    MissingLeft { dimension: usize, code: u32, missing: u32, right: usize },
    /// Members go left.
    Subset { dimension: usize, left: Members, right: usize },
}

/// The members of a subset: looked up where there is room for a mark for every code, else searched.
#[derive(Clone, Debug)]
pub(crate) enum Members {
    /// Whether each code is one.
    Marked(Vec<bool>),
    /// Each of them, ascending.
    Listed(Vec<u32>),
}

/// This many codes can always be marked,
const MARKED: usize = 256;
/// and this many for each member: a tree may have as many cuts as groups.
const MARKED_EACH: usize = 64;

impl Members {
    fn new(members: &[u32], codes: usize) -> Self {
        if codes > MARKED.max(MARKED_EACH * members.len()) {
            let mut listed = members.to_vec();
            listed.sort_unstable();
            return Members::Listed(listed);
        }
        let mut marked = vec![false; codes];
        for &code in members {
            if let Some(mark) = marked.get_mut(code as usize) {
                *mark = true;
            }
        }
        Members::Marked(marked)
    }

    /// Whether a code is a member.
    #[inline]
    pub fn hold(&self, code: u32) -> bool {
        match self {
            Members::Marked(marked) => is_marked(marked, code),
            Members::Listed(listed) => listed.binary_search(&code).is_ok(),
        }
    }
}

/// Whether a code is marked.
#[inline]
pub(crate) fn is_marked(marked: &[bool], code: u32) -> bool {
    marked.get(code as usize).is_some_and(|&mark| mark)
}

impl Descent {
    /// Takes the cuts of a tree; `codes` gives the number of codes of a dimension, and the code of the missing
    /// value, where there is one.
    pub fn new(tree: &CutTree, codes: impl Fn(usize) -> (usize, Option<u32>)) -> Self {
        let mut leaves = 0;
        let turn = |(at, node): (usize, &CutNode)| match *node {
            CutNode::Leaf { .. } => {
                leaves += 1;
                Branch::Leaf(leaves - 1)
            }
            CutNode::Threshold { dimension, code, missing_left, right, .. } => {
                let (dimension, right) = (dimension as usize, at + right as usize);
                match codes(dimension).1.filter(|_| missing_left) {
                    Some(missing) => Branch::MissingLeft { dimension, code, missing, right },
                    None => Branch::Threshold { dimension, code, right },
                }
            }
            CutNode::Subset { dimension, first, len, right, .. } => {
                let members = &tree.members[first as usize..(first + len) as usize];
                let dimension = dimension as usize;
                let left = Members::new(members, codes(dimension).0);
                Branch::Subset { dimension, left, right: at + right as usize }
            }
        };
        let turns = tree.nodes.iter().enumerate().map(turn).collect();
        Descent { turns, leaves }
    }

    /// How many leaves there are.
    pub fn leaves(&self) -> usize {
        self.leaves
    }

    /// Where the leaf of a row stands among the nodes of the tree; `code` tells its code of a dimension.
    pub fn node(&self, code: impl Fn(usize) -> u32) -> usize {
        self.descend(code).0
    }

    /// The number of the leaf of a row; `code` tells its code of a dimension.
    pub fn leaf(&self, code: impl Fn(usize) -> u32) -> usize {
        self.descend(code).1
    }

    fn descend(&self, code: impl Fn(usize) -> u32) -> (usize, usize) {
        let mut at = 0;
        loop {
            let turn = &self.turns[at];
            at = match turn {
                Branch::Leaf(number) => return (at, *number),
                Branch::Threshold { dimension, right, .. }
                | Branch::MissingLeft { dimension, right, .. }
                | Branch::Subset { dimension, right, .. } => {
                    if turn.goes_right(code(*dimension)) {
                        *right
                    } else {
                        at + 1
                    }
                }
            };
        }
    }

    /// Takes the cuts of a tree over the dimensions of a table.
    pub fn over(tree: &CutTree, frame: &Table) -> Self {
        Descent::new(tree, |dimension| {
            let domain = frame.domain(dimension);
            (domain.cardinality(), domain.missing_code())
        })
    }

    /// The branches of the nodes, in the order of the tree.
    pub(crate) fn turns(&self) -> &[Branch] {
        &self.turns
    }
}

impl Branch {
    /// Whether a row with a code is on the right of the cut.
    #[inline]
    pub fn goes_right(&self, code: u32) -> bool {
        match self {
            Branch::Leaf(_) => false,
            Branch::Threshold { code: upto, .. } => code > *upto,
            Branch::MissingLeft { code: upto, missing, .. } => code > *upto && code != *missing,
            Branch::Subset { left, .. } => !left.hold(code),
        }
    }
}

/// The rows that go down the tree side by side, so that none waits for another's cut.
const ABREAST: usize = 8;

/// Thresholds on the way to a leaf; a leaf leads to itself.
pub(crate) struct Thresholds {
    nodes: Vec<DescentStep>,
    /// The number of the leaf at a node.
    leaves: Vec<u32>,
    /// How many leaves there are.
    pub many: usize,
}

#[derive(Clone, Copy)]
struct DescentStep {
    dimension: u32,
    code: u32,
    /// Where codes up to `code` go, and where the others go.
    next: [u32; 2],
}

impl Thresholds {
    /// Takes the cuts of a tree, all of which are thresholds.
    pub fn new(tree: &CutTree) -> Self {
        let mut many = 0;
        let (mut nodes, mut leaves) = (Vec::new(), Vec::new());
        for (at, node) in tree.nodes.iter().enumerate() {
            leaves.push(many as u32);
            let here = at as u32;
            nodes.push(match *node {
                CutNode::Threshold { dimension, code, right, .. } => {
                    DescentStep { dimension, code, next: [here + 1, here + right] }
                }
                _ => {
                    many += 1;
                    DescentStep { dimension: 0, code: 0, next: [here; 2] }
                }
            });
        }
        Thresholds { nodes, leaves, many }
    }

    #[inline(always)]
    fn step<T: Tuple>(&self, at: u32, row: &T) -> u32 {
        let turn = &self.nodes[at as usize];
        turn.next[usize::from(row.code(turn.dimension as usize) > turn.code)]
    }

    /// The leaf of every row, and how many rows each leaf gets.
    pub fn route<T: Tuple>(&self, rows: &[T], to: &mut [u32]) -> Vec<usize> {
        let mut sizes = vec![0; self.many];
        for (rows, to) in rows.chunks(ABREAST).zip(to.chunks_mut(ABREAST)) {
            let mut at = [0; ABREAST];
            let mut moving = true;
            while moving {
                moving = false;
                for (at, row) in at.iter_mut().zip(rows) {
                    let next = self.step(*at, row);
                    moving |= next != *at;
                    *at = next;
                }
            }
            for (to, at) in to.iter_mut().zip(at) {
                *to = self.leaves[at as usize];
                sizes[*to as usize] += 1;
            }
        }
        sizes
    }
}
