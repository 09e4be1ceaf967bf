//! Where a box is cut, and which rows it holds, by keys that are the same wherever the box is met.

use crate::partition::CutNode;
use crate::table::Table;

/// The most codes of a set that any of its subsets can be cut off from.
pub(super) const SUBSET_CODES: usize = 54;

/// Where a box is cut in two, by codes of the table, in one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct CutPlace(u64);

/// The rows that go left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LeftSide {
    /// Codes up to this one.
    UpTo(u32),
    /// The codes whose bits are set.
    Members(u64),
    /// One code.
    Only(u32),
}

impl CutPlace {
    /// Nowhere: the box is a group, or suppressed.
    pub const NONE: CutPlace = CutPlace(u64::MAX);

    pub fn new(dimension: usize, side: LeftSide) -> Self {
        let (kind, at) = match side {
            LeftSide::UpTo(code) => (0, u64::from(code)),
            LeftSide::Members(bits) => (1, bits),
            LeftSide::Only(code) => (2, u64::from(code)),
        };
        CutPlace(at << 8 | (dimension as u64) << 2 | kind)
    }

    pub fn dimension(self) -> usize {
        (self.0 >> 2 & 63) as usize
    }

    pub fn side(self) -> LeftSide {
        let at = self.0 >> 8;
        match self.0 & 3 {
            0 => LeftSide::UpTo(at as u32),
            1 => LeftSide::Members(at),
            _ => LeftSide::Only(at as u32),
        }
    }

    /// Whether a code is on the left.
    pub fn is_left(self, code: u32) -> bool {
        match self.side() {
            LeftSide::UpTo(last) => code <= last,
            LeftSide::Members(bits) => bits >> code & 1 == 1,
            LeftSide::Only(only) => code == only,
        }
    }

    /// The cut as a node of a tree; members of a subset are appended to `members`.
    pub fn node(self, members: &mut Vec<u32>) -> CutNode {
        let dimension = self.dimension() as u32;
        let first = members.len() as u32;
        match self.side() {
            LeftSide::UpTo(code) => {
                return CutNode::Threshold { dimension, code, shared: false, missing_left: false, right: 0 };
            }
            LeftSide::Members(bits) => {
                members.extend((0..SUBSET_CODES as u32).filter(|code| bits >> code & 1 == 1))
            }
            LeftSide::Only(code) => members.push(code),
        }
        CutNode::Subset { dimension, first, len: members.len() as u32 - first, shared: false, right: 0 }
    }

    /// The rows on the left and on the right.
    pub fn divide(self, table: &Table, rows: &[u32]) -> (Vec<u32>, Vec<u32>) {
        let codes = table.codes(self.dimension());
        rows.iter().partition(|&&row| self.is_left(codes.get(row as usize)))
    }
}

/// The key of a set of rows is the exclusive or of the keys of its rows: 128 bits, so that the chance that any two of a
/// billion sets share a key is below 10⁻²⁰.
pub(super) fn row_key(row: u32) -> u128 {
    u128::from(mix(u64::from(row) | 1 << 32)) | u128::from(mix(u64::from(row) | 1 << 33)) << 64
}

/// The key of a set of rows.
pub(super) fn key_of(rows: &[u32]) -> u128 {
    rows.iter().fold(0, |key, &row| key ^ row_key(row))
}

/// A bijection of 64 bits that looks random.
fn mix(seed: u64) -> u64 {
    let mut x = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ x >> 31
}
