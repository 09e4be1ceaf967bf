//! How a CSV file is written: its delimiter, its quote and whether it has a header.

/// The quote character of RFC 4180; doubled inside a quoted field it stands for itself.
pub const QUOTE: u8 = b'"';

/// How a CSV file is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dialect {
    /// The byte between two fields.
    pub delimiter: u8,
    /// Whether the first record names the columns.
    pub header: bool,
}

impl Default for Dialect {
    fn default() -> Self {
        Dialect { delimiter: b',', header: true }
    }
}
