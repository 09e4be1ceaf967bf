//! How a room is used.

use crate::source::ColumnPlan;
use klimt::table::Role;

/// What may be held at once, by what is left of the memory.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// All that is left when reading starts.
    pub memory: usize,
    /// The bytes of text that a reader takes at once.
    pub text: usize,
    /// The most rows of a block on disk.
    pub rows: usize,
    /// What all dictionaries may take together.
    pub dictionaries: usize,
    /// What the different numbers of all columns may take together.
    pub numbers: usize,
    /// While rows go to disk, a dictionary of so many texts gives way to numbers, where it can.
    pub early: usize,
    /// The columns that are looked at.
    pub looked_at: usize,
}

/// The bytes of text that a reader takes at once where memory is plenty, and where it is scarce.
const TEXT: std::ops::RangeInclusive<usize> = 64 << 10..=4 << 20;
/// The most rows of a block.
pub const ROWS: usize = 1 << 16;
/// The bytes that a text takes in a dictionary, about.
const PER_TEXT: usize = 256;

impl Limits {
    /// For so many bytes of memory and readers.
    pub fn of(memory: usize, readers: usize, plan: &[ColumnPlan]) -> Self {
        let looked_at = plan.iter().filter(|plan| is_looked_at(plan)).count();
        let dictionaries = memory / 2;
        Limits {
            memory,
            text: (memory / 32 / readers.max(1)).clamp(*TEXT.start(), *TEXT.end()),
            rows: ROWS,
            dictionaries,
            numbers: memory / 4,
            early: (dictionaries / looked_at.max(1) / readers.max(1) / PER_TEXT).clamp(256, 1 << 13),
            looked_at,
        }
    }

    /// What the different numbers of one column may take.
    pub fn numbers_of_column(&self) -> usize {
        self.numbers / self.looked_at.max(1)
    }

    /// What readers take for a block each: its text, what it holds, and that as bytes.
    pub fn buffers(&self, readers: usize) -> usize {
        self.text * 3 * readers.max(1)
    }

    /// Whether a table of so many rows fits, of which this much has been read.
    pub fn fits(&self, blocks: usize, rows: usize, dictionaries: usize) -> bool {
        let needed = blocks.saturating_mul(2).saturating_add(dictionaries);
        needed.saturating_add(rows.saturating_mul(8 * (self.looked_at + 1))) <= self.memory / 5 * 4
    }
}

/// Whether a column is looked at, and not only carried along.
fn is_looked_at(plan: &ColumnPlan) -> bool {
    plan.spec.as_ref().is_some_and(|spec| !matches!(spec.role, Role::Insensitive | Role::Identifier))
}
