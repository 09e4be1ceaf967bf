//! Reading a table that may not fit in memory.
//!
//! Lots of rows from readers stay in memory as long as the table fits; as soon as it does not, they are
//! written to a spill file unchanged: numbers of the readers' dictionaries, numbers, texts (`LotGatherer`).
//! When everything has been read, the domains are known, and [`SpilledTable`] translates rows to codes as it
//! reads them back.

mod finish;
mod gather;
mod limits;
mod piece;
mod settle;
mod share;
mod spilled;
mod translate;

pub(crate) use finish::{Readers, ReadingResult};
use gather::GatheredRows;
pub(crate) use gather::{Lot, LotGatherer, SavedNumbers};
pub(crate) use limits::{ROWS, ReadingLimits};
use settle::settle;
pub use share::PoolShare;
pub use spilled::SpilledTable;

use crate::source::ReadReport;
use klimt_core::memory::Pool;
use klimt_core::spill::SpillFolder;
use klimt_core::table::Table;

/// Where a table is read to: so much memory, and a folder for what does not fit.
#[derive(Clone, Copy, Debug)]
pub struct SpillBudget<'a> {
    /// The memory.
    pub pool: &'a Pool,
    /// The folder.
    pub folder: &'a SpillFolder,
}

/// A table that was read.
#[derive(Debug)]
pub enum Loaded<'a> {
    /// It fits in memory.
    Fits(Table, ReadReport),
    /// It does not.
    Spilled(SpilledTable<'a>),
}

#[cfg(test)]
mod tests;
