//! Dividing rows on disk among the leaves of a few cuts.

use super::route::RoutedRows;
use super::scan::scan;
use crate::Result;
use crate::job::Observer;
use crate::spill::{Block, Rows, SpillFile, SpillRange};
use crate::table::Table;
use rayon::prelude::*;

/// The rows of a leaf: those that are on disk, and those that wait to be written.
pub(super) struct SpilledLeaf {
    waiting: Block,
    places: Vec<SpillRange>,
    rows: u64,
}

impl SpilledLeaf {
    /// The number of rows.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// Where the rows lie.
    pub fn places(&self) -> &[SpillRange] {
        &self.places
    }
}

/// How rows are divided.
pub(super) struct Repartition<'a> {
    pub frame: &'a Table,
    /// How many leaves there are.
    pub leaves: usize,
    /// Puts the rows of a block in the order of the leaves.
    pub route: &'a (dyn Fn(usize, &Block, &mut RoutedRows) + Sync),
    /// Where the rows go.
    pub file: &'a SpillFile,
    /// Rows of a leaf are written when they take this many bytes.
    pub buffer: usize,
    /// Bytes of a row, about.
    pub row: usize,
    /// How many blocks are read at once.
    pub batch: usize,
    pub observer: &'a dyn Observer,
}

impl Repartition<'_> {
    /// Reads all rows once and writes each to its leaf.
    pub fn run(&self, source: &dyn Rows) -> Result<Vec<SpilledLeaf>> {
        let empty = || SpilledLeaf { waiting: Block::empty(self.frame), places: Vec::new(), rows: 0 };
        self.file.expect(source.rows() * self.row as u64);
        let mut leaves: Vec<SpilledLeaf> = (0..self.leaves).map(|_| empty()).collect();
        scan(source, self.frame, self.batch, self.observer, self.route, |reads| {
            leaves.par_iter_mut().enumerate().try_for_each_init(Vec::new, |bytes, (number, leaf)| {
                for read in reads {
                    let rows = read.made.leaf(number);
                    leaf.rows += rows.len() as u64;
                    leaf.waiting.append_rows(&read.block, rows);
                    if leaf.waiting.held_bytes() >= self.buffer {
                        self.write(leaf, bytes)?;
                    }
                }
                Ok(())
            })
        })?;
        let rest = leaves.par_iter_mut().filter(|leaf| leaf.waiting.rows() > 0);
        rest.try_for_each_init(Vec::new, |bytes, leaf| {
            self.write(leaf, bytes)?;
            leaf.waiting = Block::empty(self.frame);
            Ok::<_, crate::Error>(())
        })?;
        Ok(leaves)
    }

    fn write(&self, leaf: &mut SpilledLeaf, bytes: &mut Vec<u8>) -> Result<()> {
        bytes.clear();
        leaf.waiting.encode(bytes);
        leaf.places.push(self.file.append(bytes)?);
        leaf.waiting.clear();
        Ok(())
    }
}
