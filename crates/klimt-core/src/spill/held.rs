//! A table in memory, as rows that can be read block by block.

use super::{Block, BlockColumn, Rows};
use crate::Result;
use crate::table::{Codes, ColumnData, Table};

/// A table that fits in memory, for an algorithm that takes others too.
#[derive(Clone, Copy, Debug)]
pub struct HeldRows<'a> {
    table: &'a Table,
    block: usize,
}

impl<'a> HeldRows<'a> {
    /// The rows of a block, without further columns.
    pub const BLOCK: usize = 1 << 16;

    /// The rows of a table in blocks of this many.
    pub fn new(table: &'a Table, block: usize) -> Self {
        HeldRows { table, block: block.max(1) }
    }
}

impl Rows for HeldRows<'_> {
    fn rows(&self) -> u64 {
        self.table.rows() as u64
    }

    fn blocks(&self) -> usize {
        self.table.rows().div_ceil(self.block)
    }

    fn read(&self, number: usize, into: &mut Block) -> Result<()> {
        let rows = number * self.block..self.table.rows().min((number + 1) * self.block);
        into.fill(rows.len(), |column, block| {
            match (&self.table.columns()[column].data, block) {
                (ColumnData::Coded { codes: Codes::U8(all), .. }, BlockColumn::Codes(Codes::U8(some))) => {
                    some.extend_from_slice(&all[rows.clone()]);
                }
                (ColumnData::Coded { codes: Codes::U16(all), .. }, BlockColumn::Codes(Codes::U16(some))) => {
                    some.extend_from_slice(&all[rows.clone()]);
                }
                (ColumnData::Coded { codes: Codes::U32(all), .. }, BlockColumn::Codes(Codes::U32(some))) => {
                    some.extend_from_slice(&all[rows.clone()]);
                }
                (ColumnData::Texts(all), BlockColumn::Texts(some)) => {
                    rows.clone().for_each(|row| some.push(all.stored(row)));
                }
                // A block of another frame stays empty, which `fill` refuses.
                _ => {}
            }
            Ok(())
        })
    }
}
