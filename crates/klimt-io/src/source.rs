//! Opening a source: which format, which compression, which columns.

use crate::arrow::array::RecordBatch;
use crate::arrow::datatypes::SchemaRef;
use crate::arrow::error::ArrowError;
use crate::column::Note;
#[cfg(feature = "parquet")]
use crate::columnar::ParquetSource;
#[cfg(not(feature = "parquet"))]
use crate::columnar::without_parquet;
use crate::columnar::{ArrowSource, Format, Input, KeptTypes};
use crate::csv::{CsvSource, Dialect, DialectSpec, ReadOptions};
use crate::room::{Loaded, ReadingLimits, SpillBudget};
use flate2::read::MultiGzDecoder;
use klimt_core::table::{ColumnSpec, Table};
use klimt_core::{Error, Result};
use std::fs::File;
use std::io::Read;

/// The plan for reading a column.
#[derive(Clone, Debug)]
pub struct ColumnPlan {
    /// The specification of the column; `None` when it is dropped.
    pub spec: Option<ColumnSpec>,
}

/// Counts and times of a reading.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReadReport {
    /// The bytes that were read: of a text after decompression, of a columnar file as they are stored.
    pub bytes: u64,
    /// Columns whose values make no sense together, and which were read all the same.
    pub notes: Vec<Note>,
    /// Sensitive columns and targets of texts in which empty texts stand, and no missing values. An empty text counts as a
    /// missing value in these, so that the two are one value to every requirement.
    pub empty_texts: Vec<String>,
}

/// An opened source.
pub enum Source {
    /// Separated text.
    Csv(CsvSource),
    /// Parquet.
    #[cfg(feature = "parquet")]
    Parquet(ParquetSource),
    /// An Arrow IPC file or stream.
    Arrow(ArrowSource),
}

/// How a file is compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compression {
    /// Not at all.
    None,
    /// gzip.
    Gzip,
    /// Zstandard.
    Zstd,
}

impl Source {
    /// Opens a file, or standard input for `-`. What it is tells its content, not its name.
    pub fn open(path: &str, dialect: DialectSpec) -> Result<Source> {
        Source::of_input(path, Input::open(path)?, dialect)
    }

    /// Reads an open file from its beginning. The path is for messages.
    pub fn of_file(path: &str, file: File, dialect: DialectSpec) -> Result<Source> {
        Source::of_input(path, Input::file(path, file)?, dialect)
    }

    /// Reads what a reader gives. The name is for messages.
    pub fn of_reader(name: &str, reader: Box<dyn Read + Send>, dialect: DialectSpec) -> Result<Source> {
        Source::of_input(name, Input::stream(name, reader)?, dialect)
    }

    /// Reads record batches of a schema. The name is for messages.
    pub fn of_batches(
        name: &str,
        schema: SchemaRef,
        batches: Box<dyn Iterator<Item = Result<RecordBatch, ArrowError>> + Send>,
    ) -> Result<Source> {
        Ok(Source::Arrow(ArrowSource::of_batches(name, schema, batches)?))
    }

    fn of_input(path: &str, input: Input, dialect: DialectSpec) -> Result<Source> {
        let plain: Box<dyn Read + Send> = match input.format() {
            Format::Gzip => Box::new(MultiGzDecoder::new(input.into_read())),
            Format::Zstd => {
                let decoder = zstd::Decoder::new(input.into_read());
                Box::new(decoder.map_err(|e| Error::io(path, "read it", &e))?)
            }
            _ => return Source::of_plain(path, input, dialect),
        };
        Source::of_plain(path, Input::stream(path, plain)?, dialect)
    }

    /// Of something that is not compressed, or whose compression has been undone.
    fn of_plain(path: &str, input: Input, dialect: DialectSpec) -> Result<Source> {
        Ok(match input.format() {
            #[cfg(feature = "parquet")]
            Format::Parquet => Source::Parquet(ParquetSource::open(path, input)?),
            #[cfg(not(feature = "parquet"))]
            Format::Parquet => return Err(without_parquet(path)),
            Format::ArrowFile => Source::Arrow(ArrowSource::open_file(path, input)?),
            Format::ArrowStream => Source::Arrow(ArrowSource::open_stream(path, input)?),
            Format::EncryptedParquet => {
                return Err(Error::input(format!("{path}: the Parquet file is encrypted"))
                    .with_help("write it without encryption"));
            }
            Format::OldFeather => {
                return Err(Error::input(format!("{path}: the Feather file is of version 1"))
                    .with_help("write it as Feather version 2, Parquet or CSV"));
            }
            Format::Text | Format::Gzip | Format::Zstd => {
                Source::Csv(CsvSource::open(path, input.into_read(), dialect)?)
            }
        })
    }

    /// The names of the columns.
    pub fn columns(&self) -> &[String] {
        match self {
            Source::Csv(source) => source.columns(),
            #[cfg(feature = "parquet")]
            Source::Parquet(source) => source.columns(),
            Source::Arrow(source) => source.columns(),
        }
    }

    /// How text is written: that of a CSV source, else the usual one.
    pub fn dialect(&self) -> Dialect {
        match self {
            Source::Csv(source) => source.dialect(),
            #[cfg(feature = "parquet")]
            Source::Parquet(_) => Dialect::default(),
            Source::Arrow(_) => Dialect::default(),
        }
    }

    /// The types that kept columns will have again in a columnar release; none where the source has texts.
    pub fn kept_types(&self) -> KeptTypes {
        match self {
            Source::Csv(_) => KeptTypes::default(),
            #[cfg(feature = "parquet")]
            Source::Parquet(source) => source.types(),
            Source::Arrow(source) => source.types(),
        }
    }

    /// Reads the columns that the plan asks for into memory.
    pub fn read(self, plan: &[ColumnPlan], options: &ReadOptions<'_>) -> Result<(Table, ReadReport)> {
        match self.load(plan, options, None)? {
            Loaded::Fits(table, report) => Ok((table, report)),
            Loaded::Spilled(_) => Err(Error::internal("a table was spilled that should be held")),
        }
    }

    /// Reads the columns that the plan asks for in one pass: into memory where they fit with what an algorithm needs
    /// beside them, and to disk otherwise. What a table in memory takes is not reserved any more when this returns.
    ///
    /// Values become what [`Source::read`] makes of them. Only where the different numbers, days or instants of a
    /// column would take too much memory, the domain has every value between the least and the greatest
    /// ([`klimt_core::table::Domain::is_range`]).
    pub fn read_within<'a>(
        self,
        plan: &[ColumnPlan],
        options: &ReadOptions<'_>,
        room: &SpillBudget<'a>,
    ) -> Result<Loaded<'a>> {
        let limits = ReadingLimits::of(room.pool.left(), options.threads, plan);
        self.load(plan, options, Some((*room, limits)))
    }

    pub(crate) fn load<'a>(
        self,
        plan: &[ColumnPlan],
        options: &ReadOptions<'_>,
        within: Option<(SpillBudget<'a>, ReadingLimits)>,
    ) -> Result<Loaded<'a>> {
        match self {
            Source::Csv(source) => source.load(plan, options, within),
            #[cfg(feature = "parquet")]
            Source::Parquet(source) => source.load(plan, options, within),
            Source::Arrow(source) => source.load(plan, options, within),
        }
    }
}
