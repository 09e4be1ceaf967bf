//! Where a release goes.

use crate::files::Staged;
use crate::input::text_of;
use klimt_core::Result;
use klimt_io::columnar::{ColumnarFormat, OutputFormat};
use std::path::Path;

/// Where a release goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Output {
    kind: Kind,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Kind {
    /// A file, or standard output for `-`.
    File(String),
    /// Memory, as a stream of Arrow batches.
    Memory,
}

impl Output {
    /// A file, whose name decides the format: `.parquet`, `.arrow`, `.arrows`, `.tsv`, else CSV; text also with `.gz` or
    /// `.zst`. `-` stands for standard output.
    pub fn file(path: impl AsRef<Path>) -> Result<Self> {
        let path = text_of(path.as_ref())?;
        OutputFormat::of(&path)?;
        Ok(Output { kind: Kind::File(path) })
    }

    /// Memory.
    pub(crate) fn memory() -> Self {
        Output { kind: Kind::Memory }
    }

    /// Whether it is standard output.
    pub(crate) fn is_stdout(&self) -> bool {
        matches!(&self.kind, Kind::File(path) if path == "-")
    }

    /// What it is called in messages.
    pub fn name(&self) -> &str {
        match &self.kind {
            Kind::File(path) => path,
            Kind::Memory => "the release in memory",
        }
    }

    /// The path, where it is a file.
    pub fn path(&self) -> Option<&str> {
        match &self.kind {
            Kind::File(path) if path != "-" => Some(path),
            _ => None,
        }
    }

    /// The format that its name asks for.
    pub fn format(&self) -> Result<OutputFormat> {
        match &self.kind {
            Kind::File(path) => OutputFormat::of(path),
            Kind::Memory => Ok(OutputFormat::Columnar(ColumnarFormat::ArrowStream)),
        }
    }

    /// A file that gets the name of the output when it is published.
    pub(crate) fn stage(&self) -> Result<Staged> {
        match &self.kind {
            Kind::File(path) => Staged::create(path),
            Kind::Memory => Staged::in_memory(),
        }
    }
}
