//! Rows of a part on disk.

use super::{Block, Rows, SpillFile, SpillRange};
use crate::Result;
use crate::table::Table;
use std::cell::RefCell;

/// Encoded blocks of one file.
#[derive(Clone, Debug)]
pub struct SpilledPart<'f> {
    file: &'f SpillFile,
    places: Vec<SpillRange>,
    rows: u64,
}

impl<'f> SpilledPart<'f> {
    /// Blocks at these places, which hold this many rows together.
    pub fn new(file: &'f SpillFile, places: Vec<SpillRange>, rows: u64) -> Self {
        SpilledPart { file, places, rows }
    }

    /// Appends the rows of all blocks, in their order.
    pub fn append_to(&self, into: &mut Block) -> Result<()> {
        let mut bytes = Vec::new();
        for &place in &self.places {
            self.file.read(place, &mut bytes)?;
            into.append_encoded(&bytes)?;
        }
        Ok(())
    }

    /// How many bytes the blocks take.
    pub fn bytes(&self) -> u64 {
        self.places.iter().map(|place| place.len as u64).sum()
    }
}

impl Rows for SpilledPart<'_> {
    fn rows(&self) -> u64 {
        self.rows
    }

    fn blocks(&self) -> usize {
        self.places.len()
    }

    fn read(&self, number: usize, into: &mut Block) -> Result<()> {
        thread_local! {
            static BYTES: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
        }
        into.clear();
        BYTES.with_borrow_mut(|bytes| {
            self.file.read(self.places[number], bytes)?;
            into.append_encoded(bytes)
        })
    }

    fn append_all(&self, _: &Table, into: &mut Block) -> Result<()> {
        self.append_to(into)
    }
}
