//! CSV and TSV: RFC 4180, any encoding, any single-byte delimiter.

mod blocks;
mod dialect;
mod read;
mod render;
mod scan;
mod write;

pub use dialect::{Dialect, DialectSpec, QUOTE};
pub(crate) use read::Container;
pub use read::{CsvSource, EncodingSign, FoundEncoding, ReadOptions};
pub(crate) use read::{fault_error, invalid_utf8};
pub use render::quote_field;
pub(crate) use scan::{Fault, Visitor, scan};
pub use scan::{Field, records};
pub use write::{ChunkObserver, CsvWriter, WriteSummary, write_release};
