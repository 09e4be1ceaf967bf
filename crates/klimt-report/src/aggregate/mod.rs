//! The part of the original that a page may show: counts of bins that hold enough rows, and nothing else.
//!
//! The rules, for a least number of rows k:
//!
//! 1. Every bin that is shown holds at least k rows of the original, and together the bins of a column hold all rows: there
//!    is no remainder that a reader could compute as a difference from the total.
//! 2. Of the rows that the release leaves out, a bin holds none or at least k. A reader who knows the release can subtract
//!    it from the original; what comes out is then never a count of fewer than k. Where it is not known which rows are left
//!    out, or where they are fewer than k in all, the original is not shown.
//! 3. Bins of numbers and dates end at round values that depend on no fewer than k rows: the outermost bins are open, and
//!    what lies between is found from the k-th least and the k-th greatest value.
//! 4. A value is named only where at least k rows of the original have it.
//! 5. Cells of two columns tell their rows by classes, each at least k wide. Whatever is computed from cells and bins has
//!    then a range of at least k counts, so that a difference is never known to be from 1 to k − 1.

mod distribution;
mod edges;
mod grid;

pub(crate) use distribution::{BinCounts, BinDrawing, Distribution, distribution};
pub(crate) use edges::Quantity;
pub(crate) use grid::{GridCell, grid, place};

use klimt_core::loss::{Groups, PublishedGroups};
use klimt_core::statistics::Extent;
use klimt_core::table::{Domain, Table};

/// How many rows of the original a bin holds, and how many of these are not in the release.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Weight {
    pub rows: u64,
    pub left_out: u64,
}

impl Weight {
    pub fn add(&mut self, other: Weight) {
        self.rows += other.rows;
        self.left_out += other.left_out;
    }

    /// Whether a bin may be shown (rules 1 and 2).
    pub fn is_safe(self, least: u64) -> bool {
        self.rows >= least && (self.left_out == 0 || self.left_out >= least)
    }
}

/// Which rows of the original the release leaves out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum LeftOut {
    /// None.
    Nobody,
    /// These.
    Rows(Vec<bool>),
    /// Nobody can tell which.
    Unknown,
}

impl LeftOut {
    /// The rows that are in no group.
    pub fn of(table: &Table, groups: &PublishedGroups<'_>, suppressed: u64) -> Self {
        if suppressed == 0 {
            return LeftOut::Nobody;
        }
        let mut out = vec![true; table.rows()];
        for group in 0..groups.count() {
            let Some(rows) = groups.members(group) else { return LeftOut::Unknown };
            rows.iter().for_each(|&row| out[row as usize] = false);
        }
        LeftOut::Rows(out)
    }

    pub fn holds(&self, row: usize) -> bool {
        matches!(self, LeftOut::Rows(rows) if rows[row])
    }
}

/// How many rows have each value of a column, and how many of these are left out.
pub(crate) fn weights(table: &Table, column: usize, left_out: &LeftOut) -> Option<Vec<Weight>> {
    let (domain, codes) = table.columns()[column].coded()?;
    let mut weights = vec![Weight::default(); domain.cardinality()];
    let mut row = 0;
    codes.for_each(|code| {
        let out = u64::from(left_out.holds(row));
        weights[code as usize].add(Weight { rows: 1, left_out: out });
        row += 1;
    });
    Some(weights)
}

/// Whether a published text may be named (rule 4): at least k rows of the original have each value that it names.
pub(crate) fn is_common(
    domain: &Domain,
    weights: &[Weight],
    covered: &Extent,
    ends: &Extent,
    least: u64,
) -> bool {
    let common = |code: u32| weights.get(code as usize).is_some_and(|weight| weight.rows >= least);
    match (domain.hierarchy(), covered.len(), ends) {
        (Some(_), 2.., _) => true,
        (_, _, Extent::Interval { lo, hi }) => common(*lo) && common(*hi),
        (_, _, Extent::Members(_)) => ends.codes().into_iter().all(common),
    }
}
