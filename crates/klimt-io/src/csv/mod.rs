//! CSV and TSV: RFC 4180, UTF-8, any single-byte delimiter.

mod dialect;

pub use dialect::Dialect;
