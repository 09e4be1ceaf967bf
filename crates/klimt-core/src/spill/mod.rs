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

pub use file::{SpillFile, SpillRange, Traffic};
pub use folder::SpillFolder;
pub use held::HeldRows;
pub use part::SpilledPart;

pub use crate::table::{Block, BlockColumn};

use crate::Result;
use crate::table::Table;

/// Rows that can be read block by block, in any order and by several readers.
pub trait Rows: Sync {
    /// How many rows there are.
    fn rows(&self) -> u64;

    /// How many blocks they lie in.
    fn blocks(&self) -> usize;

    /// Reads a block by its number; what the block held before is gone.
    fn read(&self, number: usize, into: &mut Block) -> Result<()>;

    /// Appends all rows to a block, in their order.
    fn append_all(&self, frame: &Table, into: &mut Block) -> Result<()> {
        let mut read = Block::empty(frame);
        for number in 0..self.blocks() {
            self.read(number, &mut read)?;
            into.append(&read);
        }
        Ok(())
    }
}

impl<R: Rows + ?Sized> Rows for &R {
    fn rows(&self) -> u64 {
        (**self).rows()
    }

    fn blocks(&self) -> usize {
        (**self).blocks()
    }

    fn read(&self, number: usize, into: &mut Block) -> Result<()> {
        (**self).read(number, into)
    }

    fn append_all(&self, frame: &Table, into: &mut Block) -> Result<()> {
        (**self).append_all(frame, into)
    }
}
