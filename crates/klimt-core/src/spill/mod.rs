//! Rows on disk, for tables larger than memory.
//!
//! A spilled row is fixed in width: the codes of its columns, as wide as their domains need; only columns that are
//! published as they are and have too many values for codes add texts. Rows lie in blocks, column by column within a
//! block, so that a part is read in long strokes and filled straight into the columns of a table.
//!
//! Spill files hold personal data. They are private (mode 0600 in a folder of mode 0700) and lose their name as soon
//! as they are open: when the process ends, however it ends, the system frees them.

mod file;
mod folder;
mod held;
mod part;

pub use file::{Place, SpillFile, Traffic};
pub use folder::SpillFolder;
pub use held::HeldRows;
pub use part::SpilledPart;

pub use crate::table::{Block, BlockColumn};

use crate::Result;

/// Rows that can be read block by block, in any order and by several readers.
pub trait Rows: Sync {
    /// How many rows there are.
    fn rows(&self) -> u64;

    /// How many blocks they lie in.
    fn blocks(&self) -> usize;

    /// Reads a block by its number; what the block held before is gone.
    fn read(&self, number: usize, into: &mut Block) -> Result<()>;
}
