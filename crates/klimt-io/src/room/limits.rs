//! The limits of a reading within its memory.

use crate::source::ColumnPlan;
use klimt_core::table::Role;

/// Shares of the memory that is left, for everything that is held at once.
#[derive(Clone, Copy, Debug)]
pub struct ReadingLimits {
    /// All that is left when reading starts.
    pub memory: usize,
    /// The bytes of text that a reader takes at once.
    pub text: usize,
    /// The most rows of a block on disk.
    pub rows: usize,
    /// Bytes of all dictionaries together, at most.
    pub dictionaries: usize,
    /// Bytes of the different numbers of all columns together, at most.
    pub numbers: usize,
    /// While rows go to disk, a dictionary of this many texts gives way to numbers, where it can.
    pub early: usize,
    /// The columns that are looked at.
    pub looked_at: usize,
    /// How many readers there are.
    pub readers: usize,
}

/// The bytes of text that a reader takes at once where memory is plenty, and where it is scarce.
const TEXT: std::ops::RangeInclusive<usize> = 64 << 10..=4 << 20;
/// The most rows of a block.
pub const ROWS: usize = 1 << 16;
/// The bytes that a text takes in a dictionary, about.
const PER_TEXT: usize = 256;
/// The bytes that a text may take in a dictionary that grows, besides itself twice.
const PER_GROWN_TEXT: usize = 128;
/// The bytes that a text takes while the domain of its column is made, besides itself.
pub const PER_JOINED_TEXT: usize = 320;

impl ReadingLimits {
    /// The limits for a number of bytes and readers.
    pub fn of(memory: usize, readers: usize, plan: &[ColumnPlan]) -> Self {
        let looked_at = plan.iter().filter(|plan| is_looked_at(plan)).count();
        let dictionaries = memory / 2;
        ReadingLimits {
            memory,
            text: (memory / 32 / readers.max(1)).clamp(*TEXT.start(), *TEXT.end()),
            rows: ROWS,
            dictionaries,
            numbers: memory / 4,
            early: (dictionaries / looked_at.max(1) / readers.max(1) / PER_TEXT).clamp(256, 1 << 13),
            looked_at,
            readers,
        }
    }

    /// The longest record: every reader may hold one, and what it holds.
    pub fn record(&self) -> usize {
        self.memory / 8 / self.readers.max(1)
    }

    /// Bytes of the different numbers of one column, at most.
    pub fn numbers_of_column(&self) -> usize {
        self.numbers / self.looked_at.max(1)
    }

    /// Bytes of the block that each reader holds: its text, its values, and these as bytes.
    pub fn buffers(&self) -> usize {
        self.text * 3 * self.readers.max(1)
    }

    /// The memory in which a column with this many different texts of a mean length can be read, as far as it goes: by
    /// what dictionaries take when they grow, and what it takes to join them.
    pub fn memory_for_texts(&self, texts: usize, length: usize) -> usize {
        let grown = 2 * (PER_GROWN_TEXT + 2 * length);
        let joined = PER_JOINED_TEXT + 4 * (8 + length);
        texts.saturating_mul(self.readers.max(1)).saturating_mul(grown.max(joined) * 11 / 10)
    }

    /// The memory in which this many different numbers of a column are held.
    pub fn memory_for_numbers(&self, numbers: usize) -> usize {
        numbers.saturating_mul(size_of::<i64>() * 4 * 11 / 10).saturating_mul(self.looked_at.max(1))
    }

    /// Whether a table of this many rows fits, of which this much has been read.
    pub fn fits(&self, blocks: usize, rows: usize, dictionaries: usize) -> bool {
        let needed = blocks.saturating_mul(2).saturating_add(dictionaries);
        needed.saturating_add(rows.saturating_mul(8 * (self.looked_at + 1))) <= self.memory / 5 * 4
    }
}

/// Whether a column is looked at, and not only carried along.
fn is_looked_at(plan: &ColumnPlan) -> bool {
    plan.spec.as_ref().is_some_and(|spec| !matches!(spec.role, Role::Insensitive | Role::Identifier))
}
