//! From a row to the leaf of a few cuts.

use crate::partition::{Branch, CutTree, Descent, Members, is_marked};
use crate::spill::Block;
use crate::table::{Codes, Table, Word};

/// The cuts of a tree, ready for blocks of rows.
pub(super) struct Router {
    descent: Descent,
    /// The column of every dimension.
    columns: Vec<usize>,
}

/// The rows of a block, leaf by leaf, each in their order.
#[derive(Default)]
pub(super) struct RoutedRows {
    rows: Vec<u32>,
    ends: Vec<u32>,
    spare: Vec<u32>,
}

impl RoutedRows {
    /// Records the leaf of each row.
    pub fn set(&mut self, leaves: &[u32], count: usize) {
        self.ends.clear();
        self.ends.resize(count, 0);
        leaves.iter().for_each(|&leaf| self.ends[leaf as usize] += 1);
        self.spare.clear();
        let mut start = 0;
        for end in &mut self.ends {
            self.spare.push(start);
            start += *end;
            *end = start;
        }
        self.rows.resize(leaves.len(), 0);
        for (&leaf, row) in leaves.iter().zip(0..) {
            let cursor = &mut self.spare[leaf as usize];
            self.rows[*cursor as usize] = row;
            *cursor += 1;
        }
    }

    /// The rows of a leaf.
    pub fn leaf(&self, leaf: usize) -> &[u32] {
        let start = if leaf == 0 { 0 } else { self.ends[leaf - 1] as usize };
        &self.rows[start..self.ends[leaf] as usize]
    }
}

impl Router {
    /// The cuts of a tree of strict cuts; leaves are numbered from left to right.
    pub fn new(tree: &CutTree, frame: &Table) -> Self {
        Router { descent: Descent::over(tree, frame), columns: frame.quasi_identifiers().to_vec() }
    }

    /// How many leaves there are.
    pub fn leaves(&self) -> usize {
        self.descent.leaves()
    }

    /// Puts the rows of a block in the order of the leaves.
    pub fn route(&self, block: &Block, into: &mut RoutedRows) {
        into.rows.clear();
        into.rows.extend(0..block.rows() as u32);
        into.spare.resize(block.rows(), 0);
        into.ends.clear();
        self.descend(0, block, &mut into.rows, &mut into.spare, 0, &mut into.ends);
    }

    fn descend(
        &self,
        at: usize,
        block: &Block,
        rows: &mut [u32],
        spare: &mut [u32],
        first: u32,
        ends: &mut Vec<u32>,
    ) {
        let (left, right) = match &self.descent.turns()[at] {
            Branch::Leaf(_) => return ends.push(first + rows.len() as u32),
            Branch::Threshold { dimension, code, right } => {
                let left = part_by(rows, spare, block.codes(self.columns[*dimension]), |c| c > *code);
                (left, *right)
            }
            Branch::MissingLeft { dimension, code, missing, right } => {
                let is_right = |c: u32| c > *code && c != *missing;
                let left = part_by(rows, spare, block.codes(self.columns[*dimension]), is_right);
                (left, *right)
            }
            Branch::Subset { dimension, left: Members::Marked(marked), right } => {
                let is_right = |code: u32| !is_marked(marked, code);
                let left = part_by(rows, spare, block.codes(self.columns[*dimension]), is_right);
                (left, *right)
            }
            Branch::Subset { dimension, left: Members::Listed(listed), right } => {
                let is_right = |code: u32| listed.binary_search(&code).is_err();
                let left = part_by(rows, spare, block.codes(self.columns[*dimension]), is_right);
                (left, *right)
            }
        };
        let (low, high) = rows.split_at_mut(left);
        let (low_spare, high_spare) = spare.split_at_mut(left);
        self.descend(at + 1, block, low, low_spare, first, ends);
        self.descend(right, block, high, high_spare, first + left as u32, ends);
    }
}

/// Parts rows by their codes, of whichever width these are.
fn part_by(rows: &mut [u32], spare: &mut [u32], codes: &Codes, is_right: impl Fn(u32) -> bool) -> usize {
    match codes {
        Codes::U8(codes) => part(rows, spare, codes, is_right),
        Codes::U16(codes) => part(rows, spare, codes, is_right),
        Codes::U32(codes) => part(rows, spare, codes, is_right),
    }
}

/// Puts the rows that go left before the others, each in their order, and returns how many those are. Every row is
/// written to both sides, so that nothing waits for a guess.
fn part<W: Word>(rows: &mut [u32], spare: &mut [u32], codes: &[W], is_right: impl Fn(u32) -> bool) -> usize {
    let (mut lefts, mut rights) = (0, 0);
    for at in 0..rows.len() {
        let row = rows[at];
        let right = is_right(codes[row as usize].code());
        rows[lefts] = row;
        spare[rights] = row;
        lefts += usize::from(!right);
        rights += usize::from(right);
    }
    rows[lefts..].copy_from_slice(&spare[..rights]);
    lefts
}
