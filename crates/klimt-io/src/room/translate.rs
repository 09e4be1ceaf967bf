//! Translates the pieces of a column to codes.

use super::piece::{PieceKind, SpillPiece, decode_texts};
use crate::column::{MISSING_32, MISSING_64, Ranks, rank_of_bit};
use klimt_core::spill::BlockColumn;
use klimt_core::table::{Codes, TextChunk, TextPool, Word};
use klimt_core::{Error, Result};

/// The translation of the pieces of a column to codes.
#[derive(Debug)]
pub enum Translation {
    /// Codes.
    Codes(CodeTables),
    /// Texts; by reader, those that its pieces number.
    Texts(Vec<TextPool>),
}

/// The codes of a column.
#[derive(Debug)]
pub struct CodeTables {
    /// By reader, the code of each text of its dictionary.
    pub tables: Vec<Vec<u32>>,
    /// The codes of numbers, where the column has any.
    pub units: Option<UnitCodes>,
    /// The code of a missing value among numbers.
    pub missing: u32,
}

/// The codes of numbers.
#[derive(Debug)]
pub struct UnitCodes {
    /// The ranks of the numbers.
    pub ranks: Ranks,
    /// The code of each rank, where that is not the rank itself.
    pub codes: Option<Vec<u32>>,
    /// The digits behind the point in whose units the ranked numbers are.
    pub digits: u8,
}

fn damaged() -> Error {
    Error::internal("a spill file does not hold what was written to it")
}

impl Translation {
    /// Appends the rows of a piece to the column of a block.
    pub fn append(&self, piece: &SpillPiece, bytes: &[u8], column: &mut BlockColumn) -> Result<()> {
        match (self, column) {
            (Translation::Codes(tables), BlockColumn::Codes(Codes::U8(out))) => {
                tables.append(piece, bytes, out)
            }
            (Translation::Codes(tables), BlockColumn::Codes(Codes::U16(out))) => {
                tables.append(piece, bytes, out)
            }
            (Translation::Codes(tables), BlockColumn::Codes(Codes::U32(out))) => {
                tables.append(piece, bytes, out)
            }
            (Translation::Texts(pools), BlockColumn::Texts(out)) => append_texts(pools, piece, bytes, out),
            _ => Err(damaged()),
        }
    }

    /// The bytes that it takes.
    pub fn size(&self) -> usize {
        match self {
            Translation::Texts(pools) => pools.iter().map(TextPool::size).sum(),
            Translation::Codes(CodeTables { tables, units, .. }) => {
                let units = units.as_ref().map_or(0, |units| {
                    units.ranks.size() + units.codes.as_ref().map_or(0, |codes| size_of_val(&codes[..]))
                });
                tables.iter().map(|table| size_of_val(&table[..])).sum::<usize>() + units
            }
        }
    }
}

fn append_texts(pools: &[TextPool], piece: &SpillPiece, bytes: &[u8], out: &mut TextChunk) -> Result<()> {
    let PieceKind::Numbers { reader, width } = piece.kind else {
        return decode_texts(bytes, piece.rows as usize, out).ok_or_else(damaged);
    };
    let pool = &pools[reader as usize];
    match width {
        1 => bytes.iter().for_each(|&number| out.push(pool.get(usize::from(number)))),
        2 => words(bytes).for_each(|number| out.push(pool.get(u16::from_le_bytes(number).into()))),
        _ => words(bytes).for_each(|number| out.push(pool.get(u32::from_le_bytes(number) as usize))),
    }
    Ok(())
}

fn words<const N: usize>(bytes: &[u8]) -> impl ExactSizeIterator<Item = [u8; N]> {
    bytes.as_chunks::<N>().0.iter().copied()
}

impl CodeTables {
    /// Appends the codes of a piece.
    pub fn append<W: Word>(&self, piece: &SpillPiece, bytes: &[u8], out: &mut Vec<W>) -> Result<()> {
        match piece.kind {
            PieceKind::Texts => return Err(damaged()),
            PieceKind::Numbers { reader, width } => {
                let table = &self.tables[reader as usize][..];
                let code = |number: usize| W::from_code(table[number]);
                match width {
                    1 => out.extend(bytes.iter().map(|&number| code(number.into()))),
                    2 => out.extend(words(bytes).map(|number| code(u16::from_le_bytes(number).into()))),
                    _ => out.extend(words(bytes).map(|number| code(u32::from_le_bytes(number) as usize))),
                }
            }
            PieceKind::Units { digits, wide } => {
                let units = self.units.as_ref().ok_or_else(damaged)?;
                let factor = 10i64.pow(u32::from(units.digits - digits));
                let narrow = |word: [u8; 4]| match i32::from_le_bytes(word) {
                    MISSING_32 => None,
                    value => Some(i64::from(value)),
                };
                let broad = |word: [u8; 8]| Some(i64::from_le_bytes(word)).filter(|&v| v != MISSING_64);
                match (wide, factor) {
                    (false, 1) => units.append(words(bytes).map(narrow), self.missing, out),
                    (false, _) => {
                        let scaled = words(bytes).map(|word| narrow(word).map(|value| value * factor));
                        units.append(scaled, self.missing, out);
                    }
                    (true, _) => {
                        let scaled = words(bytes).map(|word| broad(word).map(|value| value * factor));
                        units.append(scaled, self.missing, out);
                    }
                }
            }
        }
        Ok(())
    }
}

impl UnitCodes {
    /// Appends the codes of numbers: one loop for each way to find a rank.
    #[inline(always)]
    fn append<W: Word>(
        &self,
        values: impl ExactSizeIterator<Item = Option<i64>>,
        missing: u32,
        out: &mut Vec<W>,
    ) {
        match (&self.ranks, &self.codes) {
            (Ranks::Dense { first, .. }, None) => {
                let code = |value: i64| (value - first) as u32;
                out.extend(values.map(|value| W::from_code(value.map_or(missing, code))));
            }
            (Ranks::Bits { first_word, words }, None) => {
                let code = |value| rank_of_bit(first_word * 64, words, value);
                out.extend(values.map(|value| W::from_code(value.map_or(missing, code))));
            }
            (ranks, codes) => {
                let code = |value| {
                    let rank = ranks.rank(value);
                    codes.as_ref().map_or(rank, |codes| codes[rank as usize])
                };
                out.extend(values.map(|value| W::from_code(value.map_or(missing, code))));
            }
        }
    }
}
