//! Columns while they are read, whatever the format: texts go in, dense codes come out.
//!
//! Several readers work side by side, each with a [`ColumnReader`] per column that keeps its dictionary from block to
//! block. What a block holds is a [`ColumnBlock`]; [`assemble`] joins blocks and dictionaries into the column.

mod assemble;
mod dictionary;
mod doubt;
mod integers;
mod number_set;
mod reader;
mod sketch;

pub(crate) use assemble::{JoinedDictionary, NAMED_ROWS, is_kept};
pub use assemble::{RowLines, UnfitLocations, assemble};
pub use dictionary::{Dictionary, PADDING};
pub use doubt::{Doubt, Note, marker};
pub(crate) use doubt::{Suspicion, doubt};
pub use integers::Integers;
pub(crate) use integers::{MISSING_32, MISSING_64};
pub(crate) use number_set::{NumberSet, Ranks, rank_of_bit};
pub(crate) use reader::DictionaryLimits;
pub use reader::{ColumnBlock, ColumnForm, ColumnReader, Misfits, Remains};
pub use sketch::Sketch;
