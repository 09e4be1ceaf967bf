//! Where a table comes from: a file, a reader, or record batches.

use klimt_core::{Error, Result};
use klimt_io::arrow::array::{RecordBatch, RecordBatchReader};
use klimt_io::arrow::datatypes::SchemaRef;
use klimt_io::arrow::error::ArrowError;
use klimt_io::csv::DialectSpec;
use klimt_io::source::{Source, SourceSpec};
use std::io::Read;
use std::path::Path;

/// A table that is to be read.
///
/// ```
/// use klimt::prelude::*;
///
/// let csv = "age,disease\n31,Asthma\n35,Asthma\n38,Migraine\n";
/// let input = Input::reader(Format::Csv, csv.as_bytes());
/// # let _ = input;
/// ```
pub struct Input {
    kind: Kind,
}

enum Kind {
    File(String),
    Reader(Format, Box<dyn Read + Send>),
    Batches(SchemaRef, Box<dyn Iterator<Item = Result<RecordBatch, ArrowError>> + Send>),
}

/// The format of what a reader gives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// Whatever the first bytes say.
    #[default]
    Detect,
    /// Separated text with this delimiter, or with the one that is found; compressed by gzip or Zstandard or not.
    Csv,
    /// Text that is separated by tabs.
    Tsv,
    /// Parquet.
    Parquet,
    /// Arrow IPC, as a file or a stream.
    Arrow,
}

impl Input {
    /// A file: CSV or TSV (also in gzip or Zstandard), Parquet or Arrow. Its content tells the format, not its name. `-`
    /// stands for standard input. The file must exist; it is opened when it is read.
    pub fn file(path: impl AsRef<Path>) -> Result<Self> {
        let path = text_of(path.as_ref())?;
        if path != "-" {
            let found = std::fs::metadata(&path).map_err(|e| Error::io(&path, "read it", &e))?;
            if found.is_dir() {
                return Err(Error::input(format!("{path}: cannot read it: it is a folder")));
            }
        }
        Ok(Input { kind: Kind::File(path) })
    }

    /// What a reader gives.
    pub fn reader(format: Format, reader: impl Read + Send + 'static) -> Self {
        Input { kind: Kind::Reader(format, Box::new(reader)) }
    }

    /// Record batches of a schema.
    pub fn batches<I>(schema: SchemaRef, batches: I) -> Self
    where
        I: IntoIterator<Item = RecordBatch>,
        I::IntoIter: Send + 'static,
    {
        Input { kind: Kind::Batches(schema, Box::new(batches.into_iter().map(Ok))) }
    }

    /// Record batches from a reader of them, which may fail.
    pub fn batch_reader(reader: impl RecordBatchReader + Send + 'static) -> Self {
        Input { kind: Kind::Batches(reader.schema(), Box::new(reader)) }
    }

    /// What it is called in messages.
    pub fn name(&self) -> &str {
        match &self.kind {
            Kind::File(path) => path,
            Kind::Reader(..) => "the input",
            Kind::Batches(..) => "the batches",
        }
    }

    /// Its name without a folder, as pages show it.
    #[cfg(feature = "report")]
    pub(crate) fn title(&self) -> String {
        match (&self.kind, Path::new(self.name()).file_name()) {
            (Kind::File(path), _) if path == "-" => "standard input".to_string(),
            (Kind::File(_), Some(file)) => file.to_string_lossy().into_owned(),
            _ => self.name().to_string(),
        }
    }

    /// The path, where it is a file.
    pub fn path(&self) -> Option<&str> {
        match &self.kind {
            Kind::File(path) if path != "-" => Some(path),
            _ => None,
        }
    }

    /// The same file once more; what can be read only once is an error.
    pub(crate) fn again(&self) -> Result<Self> {
        match self.path() {
            Some(path) => Ok(Input { kind: Kind::File(path.to_string()) }),
            None => {
                Err(Error::input(format!("{}: it is read more than once, so it must be a file", self.name())))
            }
        }
    }

    /// How many bytes it has, where that is known.
    pub(crate) fn bytes(&self) -> u64 {
        self.path().and_then(|path| std::fs::metadata(path).ok()).map_or(0, |found| found.len())
    }

    /// Opens it. What a certificate beside it says of a file's text comes before what is said.
    pub(crate) fn open(self, spec: &SourceSpec) -> Result<Source> {
        let name = self.name().to_string();
        match self.kind {
            Kind::File(path) => Source::open(&path, known_source(&path, spec)),
            Kind::Batches(schema, batches) => Source::of_batches(&name, schema, batches),
            Kind::Reader(format, reader) => {
                let delimiter = if format == Format::Tsv { Some(b'\t') } else { None };
                let said = spec.dialect;
                let dialect = DialectSpec { delimiter: said.delimiter.or(delimiter), ..said };
                let source = Source::of_reader(&name, reader, SourceSpec { dialect, ..spec.clone() })?;
                match (format, &source) {
                    (Format::Detect, _)
                    | (Format::Csv | Format::Tsv, Source::Csv(_))
                    | (Format::Arrow, Source::Arrow(_)) => Ok(source),
                    #[cfg(feature = "parquet")]
                    (Format::Parquet, Source::Parquet(_)) => Ok(source),
                    _ => Err(Error::input(format!("{name}: the format is not {format:?}"))),
                }
            }
        }
    }
}

/// How the text of a file is written: what the certificate beside a release says, as it knows the very bytes, and else
/// what is said: a delimiter that is named for the original must not spoil its release.
pub fn known_source(path: &str, said: &SourceSpec) -> SourceSpec {
    let certified = if path == "-" { None } else { crate::certificate::dialect_beside(path) };
    let Some(certified) = certified else { return said.clone() };
    let dialect = DialectSpec {
        delimiter: certified.delimiter.or(said.dialect.delimiter),
        header: certified.header.or(said.dialect.header),
    };
    // A release is UTF-8, and no workbook or archive.
    dialect.into()
}

/// A path as text: messages and certificates name files.
pub(crate) fn text_of(path: &Path) -> Result<String> {
    let text = path.to_str().map(str::to_string);
    text.ok_or_else(|| Error::input(format!("{}: the name of the file is not valid UTF-8", path.display())))
}
