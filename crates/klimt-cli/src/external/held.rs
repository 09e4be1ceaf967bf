//! A table in memory, as rows that can be read block by block.

use klimt::Result;
use klimt::spill::{Block, BlockColumn, Rows};
use klimt::table::{Codes, ColumnData, Table};

/// The rows of a block.
const ROWS: usize = 1 << 16;

/// A table that fits in memory, for an algorithm that takes others too.
pub struct HeldRows<'a>(pub &'a Table);

impl Rows for HeldRows<'_> {
    fn rows(&self) -> u64 {
        self.0.rows() as u64
    }

    fn blocks(&self) -> usize {
        self.0.rows().div_ceil(ROWS)
    }

    fn read(&self, number: usize, into: &mut Block) -> Result<()> {
        let rows = number * ROWS..self.0.rows().min((number + 1) * ROWS);
        into.fill(rows.len(), |column, block| {
            match (&self.0.columns()[column].data, block) {
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
                    rows.clone().for_each(|row| some.push(all.get(row)));
                }
                // A block of another frame stays empty, which `fill` refuses.
                _ => {}
            }
            Ok(())
        })
    }
}
