//! A walk through nested boxes whose depth is bounded by memory, not by the stack of the thread.
//!
//! A chain of cuts can be as long as a part has groups, and the rows of a part of 32,768 rows take 4 KB. So the walk holds
//! the rows of the current box only, and what brings back those of the boxes around it: a copy where it went into the
//! smaller side, which happens log₂ rows times at most, and the rows that were cut off where it went into the larger
//! one. In small parts a copy costs less than either.

use super::part::RowSet;

/// A position among nested boxes.
pub(super) struct BoxWalk<const W: usize> {
    /// The current box.
    pub here: RowSet<W>,
    /// The boxes around it of which a copy is kept.
    copies: Vec<RowSet<W>>,
    /// The rows that were cut off on the way into larger sides.
    cut_off: Vec<u16>,
    /// How many rows were cut off each time, and their key.
    cuts_off: Vec<(u32, u128)>,
}

/// Parts of at most this many words keep copies of all boxes around the current one.
const COPIED: usize = 8;

impl<const W: usize> BoxWalk<W> {
    pub fn new(of: &RowSet<W>) -> Self {
        BoxWalk { here: *of, copies: Vec::new(), cut_off: Vec::new(), cuts_off: Vec::new() }
    }

    /// Goes into the smaller side of a cut of the current box.
    #[inline(always)]
    pub fn enter_few(&mut self, few: &RowSet<W>) {
        self.copies.push(self.here);
        self.here = *few;
    }

    /// Goes back from the smaller side, which is returned.
    #[inline(always)]
    pub fn leave_few(&mut self) -> RowSet<W> {
        let around = self.copies.pop().expect("the walk is inside a side");
        std::mem::replace(&mut self.here, around)
    }

    /// Goes into the larger side of a cut of the current box, whose smaller side is `few`.
    #[inline(always)]
    pub fn enter_many(&mut self, few: &RowSet<W>) {
        if W <= COPIED {
            self.copies.push(self.here);
        } else {
            few.rows.for_each(|row| self.cut_off.push(row as u16));
            self.cuts_off.push((few.count, few.key));
        }
        self.here.rows = self.here.rows.without(&few.rows);
        self.here.count -= few.count;
        self.here.key ^= few.key;
    }

    /// Goes back from the larger side.
    #[inline(always)]
    pub fn leave_many(&mut self) {
        if W <= COPIED {
            self.here = self.copies.pop().expect("the walk is inside a side");
            return;
        }
        let (count, key) = self.cuts_off.pop().expect("the walk is inside a side");
        let rest = self.cut_off.len() - count as usize;
        self.cut_off.drain(rest..).for_each(|row| self.here.rows.insert(usize::from(row)));
        self.here.count += count;
        self.here.key ^= key;
    }
}
