//! A table on disk.

use super::gather::PieceEntry;
use super::piece::SpillPiece;
use super::translate::Translation;
use crate::source::ReadReport;
use klimt_core::memory::Reservation;
use klimt_core::spill::{Block, Rows, SpillFile};
use klimt_core::table::Table;
use klimt_core::{Error, Result};
use std::cell::RefCell;
use std::fmt;

/// A table that does not fit in memory. Its rows lie on disk as they were read, and become codes when they are read
/// back.
pub struct SpilledTable<'a> {
    inner: Box<Inner<'a>>,
}

struct Inner<'a> {
    frame: Table,
    file: SpillFile,
    index: BlockIndex,
    translations: Vec<Translation>,
    report: ReadReport,
    /// The memory of domains, translations and index.
    _memory: Reservation<'a>,
}

/// Where the blocks are.
#[derive(Debug, Default)]
pub struct BlockIndex {
    blocks: Vec<BlockStart>,
    pieces: Vec<(u32, SpillPiece)>,
    rows: u64,
}

#[derive(Debug)]
struct BlockStart {
    rows: u32,
    /// The number of its first piece.
    first: usize,
}

impl BlockIndex {
    /// From entries in their order. `numbers` gives the number that a column has in the frame.
    pub fn of(entries: &[PieceEntry], numbers: &[u32]) -> Self {
        let mut index = BlockIndex { pieces: Vec::with_capacity(entries.len()), ..BlockIndex::default() };
        let mut place = None;
        for entry in entries {
            if place != Some((entry.stretch, entry.block)) {
                place = Some((entry.stretch, entry.block));
                index.blocks.push(BlockStart { rows: 0, first: index.pieces.len() });
            }
            let column = numbers[entry.column];
            if let (0, Some(block)) = (column, index.blocks.last_mut()) {
                block.rows += entry.piece.rows;
                index.rows += u64::from(entry.piece.rows);
            }
            index.pieces.push((column, entry.piece));
        }
        index
    }

    /// The bytes that the index of blocks takes for a number of entries.
    pub fn size(&self) -> usize {
        size_of_val(&self.pieces[..]) + size_of_val(&self.blocks[..])
    }

    fn pieces(&self, block: usize) -> &[(u32, SpillPiece)] {
        let end = self.blocks.get(block + 1).map_or(self.pieces.len(), |next| next.first);
        &self.pieces[self.blocks[block].first..end]
    }

    /// The pieces of a column, in the order of its rows.
    pub fn of_column(&self, column: u32) -> impl Iterator<Item = &SpillPiece> {
        self.pieces.iter().filter(move |(of, _)| *of == column).map(|(_, piece)| piece)
    }
}

impl<'a> SpilledTable<'a> {
    pub(super) fn new(
        frame: Table,
        file: SpillFile,
        index: BlockIndex,
        translations: Vec<Translation>,
        report: ReadReport,
        memory: Reservation<'a>,
    ) -> Self {
        SpilledTable { inner: Box::new(Inner { frame, file, index, translations, report, _memory: memory }) }
    }

    /// A table without rows that has the names, roles and domains of the columns.
    pub fn frame(&self) -> &Table {
        &self.inner.frame
    }

    /// The counts and times of the reading.
    pub fn report(&self) -> &ReadReport {
        &self.inner.report
    }
}

impl fmt::Debug for SpilledTable<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("SpilledTable");
        shown.field("rows", &self.rows()).field("blocks", &self.blocks()).finish_non_exhaustive()
    }
}

thread_local! {
    static BYTES: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// Hands over the bytes of a piece.
pub fn with_bytes<T>(file: &SpillFile, piece: &SpillPiece, f: impl FnOnce(&[u8]) -> Result<T>) -> Result<T> {
    BYTES.with_borrow_mut(|bytes| {
        file.read(piece.place(), bytes)?;
        f(bytes)
    })
}

impl Rows for SpilledTable<'_> {
    fn rows(&self) -> u64 {
        self.inner.index.rows
    }

    fn blocks(&self) -> usize {
        self.inner.index.blocks.len()
    }

    fn read(&self, number: usize, into: &mut Block) -> Result<()> {
        let Inner { index, file, translations, .. } = &*self.inner;
        let block = index.blocks.get(number).ok_or_else(|| Error::internal("there is no such block"))?;
        let mut pieces = index.pieces(number);
        into.fill(block.rows as usize, |number, column| {
            while let Some(((of, piece), rest)) = pieces.split_first()
                && *of as usize == number
            {
                with_bytes(file, piece, |bytes| translations[number].append(piece, bytes, column))?;
                pieces = rest;
            }
            Ok(())
        })
    }
}
