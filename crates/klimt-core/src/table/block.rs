//! Some rows of a table, column by column.

use super::{Codes, Column, ColumnData, Table, TextChunk, TextColumn};
use crate::{Error, Result};

/// The values of a column in a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BlockColumn {
    /// Codes, as wide as the domain needs.
    Codes(Codes),
    /// Texts of a column that is published as it is.
    Texts(TextChunk),
}

/// Some rows of a table, with the columns of its frame: a table without rows that has their names, roles and domains.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    rows: usize,
    columns: Vec<BlockColumn>,
}

impl Block {
    /// A block without rows.
    pub fn empty(frame: &Table) -> Self {
        let column = |column: &Column| match &column.data {
            ColumnData::Coded { domain, .. } => BlockColumn::Codes(Codes::zeroed(domain.cardinality(), 0)),
            ColumnData::Texts(_) => BlockColumn::Texts(TextChunk::default()),
        };
        Block { rows: 0, columns: frame.columns().iter().map(column).collect() }
    }

    /// How many rows there are.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The columns of the frame.
    pub fn columns(&self) -> &[BlockColumn] {
        &self.columns
    }

    /// The codes of a column that has codes.
    pub fn codes(&self, column: usize) -> &Codes {
        match &self.columns[column] {
            BlockColumn::Codes(codes) => codes,
            BlockColumn::Texts(_) => unreachable!("the frame says which columns have codes"),
        }
    }

    /// Fills the block anew: `fill` is handed every column, emptied, to append the same number of rows to each.
    pub fn fill(
        &mut self,
        rows: usize,
        mut fill: impl FnMut(usize, &mut BlockColumn) -> Result<()>,
    ) -> Result<()> {
        self.clear();
        for (number, column) in self.columns.iter_mut().enumerate() {
            fill(number, column)?;
            if column.len() != rows {
                return Err(Error::internal("the columns of a block differ in length"));
            }
        }
        self.rows = rows;
        Ok(())
    }

    /// Forgets all rows and keeps the room for them.
    pub fn clear(&mut self) {
        self.rows = 0;
        self.columns.iter_mut().for_each(BlockColumn::clear);
    }

    /// Appends some rows of another block of the same frame, by their numbers in it.
    pub fn append_rows(&mut self, other: &Block, rows: &[u32]) {
        for (mine, theirs) in self.columns.iter_mut().zip(&other.columns) {
            mine.append_rows(theirs, rows);
        }
        self.rows += rows.len();
    }

    /// Appends some rows of a table with the columns of the frame.
    pub fn append_table(&mut self, table: &Table, rows: &[u32]) {
        for (mine, theirs) in self.columns.iter_mut().zip(table.columns()) {
            match (mine, &theirs.data) {
                (BlockColumn::Codes(mine), ColumnData::Coded { codes, .. }) => mine.append_rows(codes, rows),
                (BlockColumn::Texts(mine), ColumnData::Texts(texts)) => {
                    rows.iter().for_each(|&row| mine.push(texts.stored(row as usize)));
                }
                _ => unreachable!("blocks of one frame have columns of one kind"),
            }
        }
        self.rows += rows.len();
    }

    /// Appends all rows of another block of the same frame.
    pub fn append(&mut self, other: &Block) {
        for (mine, theirs) in self.columns.iter_mut().zip(&other.columns) {
            mine.append(theirs);
        }
        self.rows += other.rows;
    }

    /// Makes room for this many more rows.
    pub fn reserve(&mut self, rows: usize) {
        for column in &mut self.columns {
            if let BlockColumn::Codes(codes) = column {
                codes.reserve(rows);
            }
        }
    }

    /// How many bytes of memory the rows take, about.
    pub fn held_bytes(&self) -> usize {
        self.columns.iter().map(BlockColumn::held_bytes).sum()
    }

    /// How many bytes [`Block::encode`] makes.
    pub fn encoded_len(&self) -> usize {
        8 + self.columns.iter().map(BlockColumn::encoded_len).sum::<usize>()
    }

    /// Appends the block as bytes.
    pub fn encode(&self, out: &mut Vec<u8>) {
        out.reserve(self.encoded_len());
        out.extend_from_slice(&(self.rows as u64).to_le_bytes());
        self.columns.iter().for_each(|column| column.encode(out));
    }

    /// Appends the rows of a block that was encoded with the same frame.
    pub fn append_encoded(&mut self, bytes: &[u8]) -> Result<()> {
        let mut rest = bytes;
        let rows = u64::from_le_bytes(take(&mut rest, 8)?.try_into().map_err(|_| damaged())?) as usize;
        for column in &mut self.columns {
            column.append_encoded(rows, &mut rest)?;
        }
        self.rows += rows;
        if rest.is_empty() { Ok(()) } else { Err(damaged()) }
    }

    /// The rows as a table with the domains of the frame.
    pub fn into_table(self, frame: &Table) -> Result<Table> {
        let columns = frame.columns().iter().zip(self.columns).map(|(column, block)| {
            let data = match (&column.data, block) {
                (ColumnData::Coded { domain, .. }, BlockColumn::Codes(codes)) => {
                    ColumnData::Coded { domain: domain.clone(), codes }
                }
                (_, BlockColumn::Texts(chunk)) => {
                    let mut texts = TextColumn::default();
                    texts.push_chunk(chunk);
                    ColumnData::Texts(texts)
                }
                _ => return Err(damaged()),
            };
            Ok(Column { name: column.name.clone(), role: column.role, data })
        });
        Ok(Table::new(self.rows, columns.collect::<Result<_>>()?)?.with_dimensions_of(frame))
    }
}

fn damaged() -> Error {
    Error::internal("a spill file does not hold what was written to it")
}

fn take<'b>(rest: &mut &'b [u8], len: usize) -> Result<&'b [u8]> {
    let (taken, left) = rest.split_at_checked(len).ok_or_else(damaged)?;
    *rest = left;
    Ok(taken)
}

impl BlockColumn {
    /// How many rows there are.
    pub fn len(&self) -> usize {
        match self {
            BlockColumn::Codes(codes) => codes.len(),
            BlockColumn::Texts(texts) => texts.len(),
        }
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn clear(&mut self) {
        match self {
            BlockColumn::Codes(codes) => codes.clear(),
            BlockColumn::Texts(texts) => *texts = TextChunk::default(),
        }
    }

    fn append(&mut self, other: &BlockColumn) {
        match (self, other) {
            (BlockColumn::Codes(mine), BlockColumn::Codes(theirs)) => mine.append(theirs),
            (BlockColumn::Texts(mine), BlockColumn::Texts(theirs)) => {
                (0..theirs.len()).for_each(|row| mine.push(theirs.stored(row)));
            }
            _ => unreachable!("blocks of one frame have columns of one kind"),
        }
    }

    fn append_rows(&mut self, other: &BlockColumn, rows: &[u32]) {
        match (self, other) {
            (BlockColumn::Codes(mine), BlockColumn::Codes(theirs)) => mine.append_rows(theirs, rows),
            (BlockColumn::Texts(mine), BlockColumn::Texts(theirs)) => {
                rows.iter().for_each(|&row| mine.push(theirs.stored(row as usize)));
            }
            _ => unreachable!("blocks of one frame have columns of one kind"),
        }
    }

    fn held_bytes(&self) -> usize {
        match self {
            BlockColumn::Codes(Codes::U8(codes)) => codes.len(),
            BlockColumn::Codes(Codes::U16(codes)) => codes.len() * 2,
            BlockColumn::Codes(Codes::U32(codes)) => codes.len() * 4,
            BlockColumn::Texts(texts) => texts.size(),
        }
    }

    fn encoded_len(&self) -> usize {
        match self {
            BlockColumn::Codes(_) => self.held_bytes(),
            BlockColumn::Texts(texts) => {
                8 + texts.len() * 4 + (0..texts.len()).map(|row| texts.stored(row).len()).sum::<usize>()
            }
        }
    }

    fn encode(&self, out: &mut Vec<u8>) {
        match self {
            BlockColumn::Codes(Codes::U8(codes)) => out.extend_from_slice(codes),
            BlockColumn::Codes(Codes::U16(codes)) => {
                out.extend(codes.iter().flat_map(|code| code.to_le_bytes()));
            }
            BlockColumn::Codes(Codes::U32(codes)) => {
                out.extend(codes.iter().flat_map(|code| code.to_le_bytes()));
            }
            BlockColumn::Texts(texts) => {
                let all = || (0..texts.len()).map(|row| texts.stored(row));
                out.extend_from_slice(&(all().map(<[u8]>::len).sum::<usize>() as u64).to_le_bytes());
                all().for_each(|text| out.extend_from_slice(&(text.len() as u32).to_le_bytes()));
                all().for_each(|text| out.extend_from_slice(text));
            }
        }
    }

    fn append_encoded(&mut self, rows: usize, rest: &mut &[u8]) -> Result<()> {
        match self {
            BlockColumn::Codes(Codes::U8(codes)) => codes.extend_from_slice(take(rest, rows)?),
            BlockColumn::Codes(Codes::U16(codes)) => {
                let bytes = take(rest, rows.checked_mul(2).ok_or_else(damaged)?)?;
                codes.extend(bytes.as_chunks().0.iter().map(|&code| u16::from_le_bytes(code)));
            }
            BlockColumn::Codes(Codes::U32(codes)) => {
                let bytes = take(rest, rows.checked_mul(4).ok_or_else(damaged)?)?;
                codes.extend(bytes.as_chunks().0.iter().map(|&code| u32::from_le_bytes(code)));
            }
            BlockColumn::Texts(texts) => {
                let all = u64::from_le_bytes(take(rest, 8)?.try_into().map_err(|_| damaged())?) as usize;
                let lengths = take(rest, rows.checked_mul(4).ok_or_else(damaged)?)?;
                let mut bytes = take(rest, all)?;
                for &length in lengths.as_chunks().0 {
                    texts.push(take(&mut bytes, u32::from_le_bytes(length) as usize)?);
                }
            }
        }
        Ok(())
    }
}
