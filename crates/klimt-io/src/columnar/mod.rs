//! Parquet and Arrow IPC: files that store columns side by side, with types.
//!
//! Texts are what all formats have in common: `spell` turns arrays into texts on the way in, `typed` turns texts
//! into arrays on the way out, and each value has one spelling, so that a table is the same whatever it was read from.

mod arrow_file;
mod arrow_stream;
mod batches;
mod choose;
mod damage;
mod footer;
mod format;
mod generated;
mod input;
mod ipc;
mod layout;
mod message;
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
pub use format::{ColumnarFormat, OutputFormat};
pub use generated::write_generated;
pub use input::{Format, Input};
pub use ipc::ArrowSource;
pub use parquet::ParquetSource;
pub use records::TextRecords;
pub use types::KeptTypes;
pub use write::{ColumnarWriter, write_release};

#[cfg(test)]
pub(crate) mod tests;
