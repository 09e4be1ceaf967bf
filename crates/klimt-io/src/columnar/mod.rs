//! Parquet and Arrow IPC: files that store columns side by side, with types.
//!
//! Texts are what all formats have in common: `spell` turns arrays into texts on the way in, `typed` turns texts
//! into arrays on the way out, and each value has one spelling, so that a table is the same whatever it was read from.

mod arrow_file;
mod arrow_stream;
mod batches;
mod choose;
mod damage;
mod format;
mod generated;
mod input;
mod ipc;
mod layout;
mod message;
#[cfg(feature = "parquet")]
mod parquet;
mod read;
mod records;
mod sink;
mod spell;
mod temporal;
mod typed;
mod types;
mod write;

pub use choose::RowsKnown;
#[cfg(not(feature = "parquet"))]
pub(crate) use format::without_parquet;
#[cfg(not(feature = "workbook"))]
pub(crate) use format::without_workbooks;
pub use format::{ColumnarFormat, OutputFormat};
pub use generated::write_generated;
pub use input::{Format, Input};
pub use ipc::ArrowSource;
#[cfg(feature = "parquet")]
pub use parquet::ParquetSource;
pub use records::TextRecords;
#[cfg(all(test, feature = "parquet"))]
pub(crate) use spell::ArrayTexts;
pub use types::KeptTypes;
pub use write::{ColumnarWriter, write_release};

#[cfg(all(test, feature = "parquet"))]
pub(crate) mod tests;
