//! Errors about files that cannot be decoded.
//!
//! The messages of the libraries are not shown, as some quote what they could not read. A library that panics over a
//! damaged file is taken for one that reports it.

use crate::arrow::error::ArrowError;
use klimt_core::{Error, Result};
#[cfg(feature = "parquet")]
use parquet::errors::ParquetError;
use std::error::Error as StdError;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Why a library could not decode.
#[derive(Debug)]
pub enum Failure {
    /// The system did not give the bytes.
    Io(io::Error),
    /// The library does not know how.
    Unsupported,
    /// The bytes make no sense.
    Damaged,
}

/// Runs what a library does over bytes that may be damaged.
pub fn decoding<T, E: Into<Failure>>(work: impl FnOnce() -> Result<T, E>) -> Result<T, Failure> {
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(result) => result.map_err(Into::into),
        Err(_) => Err(Failure::Damaged),
    }
}

/// Values of a column that have another type than the schema says.
pub fn other_type(path: &str, column: &str) -> Error {
    Error::input(format!("{path}: column {column}: the values are of another type than the schema says"))
        .with_help("write or copy the file again")
}

impl Failure {
    /// The message for the user; `what` names the kind of the file, `place` where in it.
    pub fn error(&self, path: &str, what: &str, place: &str) -> Error {
        let place = if place.is_empty() { String::new() } else { format!(": {place}") };
        match self {
            Failure::Io(error) => Error::io(path, "read it", error),
            Failure::Unsupported => {
                Error::input(format!("{path}{place}: the {what} uses an encoding that cannot be read"))
                    .with_help("write the file again with the usual settings, or as CSV")
            }
            Failure::Damaged => Error::input(format!("{path}{place}: the {what} is damaged or not complete"))
                .with_help("write or copy the file again"),
        }
    }

    fn of_io(error: io::Error) -> Self {
        // A file that ends too early is damaged, not unreadable.
        match error.kind() {
            io::ErrorKind::UnexpectedEof | io::ErrorKind::InvalidInput | io::ErrorKind::InvalidData => {
                Failure::Damaged
            }
            _ => Failure::Io(error),
        }
    }

    fn of_external(error: Box<dyn StdError + Send + Sync>) -> Self {
        match error.downcast::<io::Error>() {
            Ok(error) => Failure::of_io(*error),
            Err(error) => Failure::of_library(error),
        }
    }

    #[cfg(feature = "parquet")]
    fn of_library(error: Box<dyn StdError + Send + Sync>) -> Self {
        error.downcast::<ParquetError>().map_or(Failure::Damaged, |error| (*error).into())
    }

    #[cfg(not(feature = "parquet"))]
    fn of_library(_: Box<dyn StdError + Send + Sync>) -> Self {
        Failure::Damaged
    }
}

#[cfg(feature = "parquet")]
impl From<ParquetError> for Failure {
    fn from(error: ParquetError) -> Self {
        match error {
            ParquetError::External(error) => Failure::of_external(error),
            ParquetError::NYI(_) => Failure::Unsupported,
            _ => Failure::Damaged,
        }
    }
}

impl From<ArrowError> for Failure {
    fn from(error: ArrowError) -> Self {
        match error {
            ArrowError::IoError(_, error) => Failure::of_io(error),
            ArrowError::ExternalError(error) => Failure::of_external(error),
            ArrowError::NotYetImplemented(_) => Failure::Unsupported,
            _ => Failure::Damaged,
        }
    }
}
