//! Some rows of a column on disk, as they were read.

use crate::column::{ColumnBlock, Integers};
use klimt_core::spill::SpillRange;
use klimt_core::table::{Codes, TextChunk};
use std::ops::Range;

/// Some rows of a column on disk.
#[derive(Clone, Copy, Debug)]
pub struct SpillPiece {
    /// Where the bytes start.
    pub start: u64,
    /// How many they are.
    pub len: u32,
    /// How many rows they hold.
    pub rows: u32,
    /// The kind of its values.
    pub kind: PieceKind,
}

/// The kind of the bytes of a piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PieceKind {
    /// Numbers of a reader's dictionary.
    Numbers {
        /// Which reader's.
        reader: u16,
        /// The bytes of each.
        width: u8,
    },
    /// Numbers in units of this many digits behind the point.
    Units {
        /// The digits.
        digits: u8,
        /// Whether each takes 8 bytes, and not 4.
        wide: bool,
    },
    /// Texts: their lengths, and then they themselves.
    Texts,
}

impl SpillPiece {
    /// Where the bytes are.
    pub fn place(&self) -> SpillRange {
        SpillRange { start: self.start, len: self.len as usize }
    }
}

fn words<const N: usize, T: Copy>(values: &[T], out: &mut Vec<u8>, bytes: impl Fn(T) -> [u8; N]) {
    let from = out.len();
    out.resize(from + values.len() * N, 0);
    for (chunk, &value) in out[from..].as_chunks_mut::<N>().0.iter_mut().zip(values) {
        *chunk = bytes(value);
    }
}

/// Appends some rows of a block as bytes and says what they are.
pub fn encode(block: &ColumnBlock, rows: Range<usize>, out: &mut Vec<u8>) -> Option<PieceKind> {
    Some(match block {
        ColumnBlock::Dropped => return None,
        ColumnBlock::Dictionary { reader, numbers } => {
            let width = match numbers {
                Codes::U8(numbers) => {
                    out.extend_from_slice(&numbers[rows]);
                    1
                }
                Codes::U16(numbers) => {
                    words(&numbers[rows], out, u16::to_le_bytes);
                    2
                }
                Codes::U32(numbers) => {
                    words(&numbers[rows], out, u32::to_le_bytes);
                    4
                }
            };
            PieceKind::Numbers { reader: *reader as u16, width }
        }
        ColumnBlock::Numbers { values, spelled } => {
            let wide = match values {
                Integers::Narrow(values) => {
                    words(&values[rows], out, i32::to_le_bytes);
                    false
                }
                Integers::Wide(values) => {
                    words(&values[rows], out, i64::to_le_bytes);
                    true
                }
            };
            PieceKind::Units { digits: spelled.digits(), wide }
        }
        ColumnBlock::Texts(texts) => {
            for row in rows.clone() {
                out.extend_from_slice(&(texts.stored(row).len() as u32).to_le_bytes());
            }
            rows.for_each(|row| out.extend_from_slice(texts.stored(row)));
            PieceKind::Texts
        }
    })
}

/// Appends the texts of a piece; `None` where the bytes are not what was written.
pub fn decode_texts(mut bytes: &[u8], rows: usize, out: &mut TextChunk) -> Option<()> {
    let (lengths, texts) = bytes.split_at_checked(rows.checked_mul(4)?)?;
    bytes = texts;
    for &length in lengths.as_chunks().0 {
        let (text, rest) = bytes.split_at_checked(u32::from_le_bytes(length) as usize)?;
        out.push(text);
        bytes = rest;
    }
    bytes.is_empty().then_some(())
}
