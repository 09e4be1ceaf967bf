//! The cost of rows after a cut in the dimension that is cut, which decides between equally wide dimensions.
//!
//! The certainty penalty of the other dimensions would tell more, but frequency sets know one dimension at a time. Rothko-T
//! sees nothing else of rows on disk, and makes the groups of Mondrian.

use super::finder::{Cut, CutFinder};
use super::measure::Dimension;
use super::taxonomy::run_of;

/// The rows of a side of a cut, and the values that they have in its dimension.
#[derive(Clone, Copy, Default)]
struct SideRows {
    rows: u32,
    lo: u32,
    hi: u32,
    distinct: usize,
}

impl SideRows {
    /// Adds the rows with a value; values ascend.
    fn add(&mut self, code: u32, rows: u32) {
        self.lo = if self.rows == 0 { code } else { self.lo };
        self.hi = code;
        self.rows += rows;
        self.distinct += 1;
    }
}

impl CutFinder<'_> {
    /// The certainty penalty of all rows in the dimension whose values have been counted, after a cut of it.
    pub(super) fn cost_after(&self, dimension: &Dimension<'_>, cut: &Cut) -> f64 {
        let mut sides = Vec::new();
        match cut {
            Cut::Threshold { code, missing_left, .. } => {
                self.divide_values(&mut sides, |at| usize::from(at > *code && Some(at) != *missing_left));
            }
            Cut::Subset { members, .. } => {
                let mut members = members.clone();
                members.sort_unstable();
                self.divide_values(&mut sides, |at| usize::from(members.binary_search(&at).is_err()));
            }
            Cut::Runs { bounds, missing, .. } => {
                self.divide_values(&mut sides, |at| run_of(bounds, *missing, at));
            }
        }
        let held = sides.iter().filter(|side| side.rows > 0);
        let penalty = |side: &SideRows| dimension.domain.extent_penalty(side.lo, side.hi, side.distinct);
        held.map(|side| f64::from(side.rows) * penalty(side)).sum::<f64>() * dimension.weight
    }

    fn divide_values(&self, sides: &mut Vec<SideRows>, side_of: impl Fn(u32) -> usize) {
        for (index, &code) in self.frequency.values.iter().enumerate() {
            let side = side_of(code);
            if sides.len() <= side {
                sides.resize(side + 1, SideRows::default());
            }
            sides[side].add(code, self.frequency.count_of(index));
        }
    }
}
