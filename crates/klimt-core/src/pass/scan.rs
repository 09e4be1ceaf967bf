//! One pass over rows on disk.

use crate::job::Observer;
use crate::spill::{Block, Rows};
use crate::table::Table;
use crate::{Error, ErrorKind, Result};
use rayon::prelude::*;

/// A block that was read, and what was made of it.
pub(super) struct ScannedBlock<W> {
    pub block: Block,
    pub made: W,
}

/// Reads all rows once, in batches of blocks. The blocks of a batch are read and looked at side by side (`look`, by
/// the number of the block), and then handed over together, in the order of the rows, so that no result depends on who
/// works where.
pub(super) fn scan<W: Default + Send + Sync>(
    source: &dyn Rows,
    frame: &Table,
    batch: usize,
    observer: &dyn Observer,
    look: impl Fn(usize, &Block, &mut W) + Sync,
    mut hand_over: impl FnMut(&[ScannedBlock<W>]) -> Result<()>,
) -> Result<()> {
    let mut reads: Vec<ScannedBlock<W>> = Vec::new();
    for first in (0..source.blocks()).step_by(batch.max(1)) {
        let count = batch.max(1).min(source.blocks() - first);
        while reads.len() < count {
            reads.push(ScannedBlock { block: Block::empty(frame), made: W::default() });
        }
        reads[..count].par_iter_mut().enumerate().try_for_each(|(at, read)| {
            source.read(first + at, &mut read.block)?;
            look(first + at, &read.block, &mut read.made);
            Ok(())
        })?;
        hand_over(&reads[..count])?;
        observer.advance(reads[..count].iter().map(|read| read.block.rows() as u64).sum());
        if observer.cancelled() {
            return Err(Error::new(ErrorKind::Cancelled, "stopped"));
        }
    }
    Ok(())
}
