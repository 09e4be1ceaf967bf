//! Opening a source: which format, which compression, which columns.

#[cfg(feature = "workbook")]
use crate::archive::{Archive, ArchiveKind};
use crate::arrow::array::RecordBatch;
use crate::arrow::datatypes::SchemaRef;
use crate::arrow::error::ArrowError;
use crate::column::Note;
#[cfg(feature = "parquet")]
use crate::columnar::ParquetSource;
#[cfg(not(feature = "parquet"))]
use crate::columnar::without_parquet;
#[cfg(not(feature = "workbook"))]
use crate::columnar::without_workbooks;
use crate::columnar::{ArrowSource, Format, Input, KeptTypes};
#[cfg(feature = "workbook")]
use crate::csv::Container;
use crate::csv::{CsvSource, Dialect, DialectSpec, FoundEncoding, ReadOptions};
use crate::encoding::TextEncoding;
use crate::form::{FormSpec, ValueForm};
use crate::origin::Origin;
use crate::room::{Loaded, ReadingLimits, SpillBudget};
#[cfg(feature = "workbook")]
use crate::workbook::{self, SheetRequest};
use klimt_core::table::{ColumnSpec, Table};
use klimt_core::words::{column_option, option};
use klimt_core::{Error, Result};
use std::fs::File;
use std::io::Read;

/// How a source is read, as far as that is said; the rest is recognised.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SourceSpec {
    /// How its text is written.
    pub dialect: DialectSpec,
    /// The encoding of its text.
    pub encoding: Option<TextEncoding>,
    /// The sheet of a workbook, by its name or its number from 1.
    pub sheet: Option<String>,
    /// The file in an archive, by its name.
    pub member: Option<String>,
    /// The bytes of memory that a workbook may take; any where nothing is said.
    pub memory: Option<usize>,
}

impl From<DialectSpec> for SourceSpec {
    fn from(dialect: DialectSpec) -> Self {
        SourceSpec { dialect, ..SourceSpec::default() }
    }
}

/// The plan for reading a column.
#[derive(Clone, Debug, Default)]
pub struct ColumnPlan {
    /// The specification of the column; `None` when it is dropped.
    pub spec: Option<ColumnSpec>,
    /// How its values are written.
    pub form: FormSpec,
    /// The form that is meant where all values have two readings, and somebody said so before.
    pub hint: Option<ValueForm>,
    /// The texts that stand for a missing value in this column, besides those of all columns.
    pub missing: Vec<String>,
}

impl ColumnPlan {
    /// A column whose values are taken as they are; it is dropped where there is no specification.
    pub fn of(spec: Option<ColumnSpec>) -> Self {
        ColumnPlan { spec, ..ColumnPlan::default() }
    }
}

/// Counts and times of a reading.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReadReport {
    /// The bytes that were read: of a text after decompression, of a columnar file as they are stored.
    pub bytes: u64,
    /// Columns whose values make no sense together, and which were read all the same.
    pub notes: Vec<Note>,
    /// How the source is written.
    pub recognised: Box<Recognised>,
    /// Sensitive columns and targets of texts in which empty texts stand, and no missing values. An empty text counts as a
    /// missing value in these, so that the two are one value to every requirement.
    pub empty_texts: Vec<String>,
}

/// How a source is written, as it was said or recognised.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recognised {
    /// The encoding of its text, where it is text.
    pub encoding: Option<FoundEncoding>,
    /// The delimiter of its text.
    pub delimiter: Option<u8>,
    /// The file in an archive.
    pub member: Option<String>,
    /// The sheet of a workbook.
    pub sheet: Option<String>,
    /// The columns whose values were rewritten, and the form in which they are written.
    pub forms: Vec<(String, ValueForm)>,
    /// The columns of digits that are codes, and no numbers.
    pub codes: Vec<String>,
}

/// The failure of a reading.
pub(crate) enum ReadFailure {
    /// The text is not UTF-8.
    NotUtf8(Error),
    /// Values of these columns have to be rewritten.
    Forms(Vec<ColumnPlan>),
    /// Anything else.
    Other(Error),
}

impl From<Error> for ReadFailure {
    fn from(error: Error) -> Self {
        ReadFailure::Other(error)
    }
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
    pub fn open(path: &str, spec: impl Into<SourceSpec>) -> Result<Source> {
        Source::of_input(path, Input::open(path)?, &spec.into())
    }

    /// Reads an open file from its beginning. The path is for messages.
    pub fn of_file(path: &str, file: File, spec: impl Into<SourceSpec>) -> Result<Source> {
        Source::of_input(path, Input::file(path, file)?, &spec.into())
    }

    /// Reads what a reader gives. The name is for messages.
    pub fn of_reader(
        name: &str,
        reader: Box<dyn Read + Send>,
        spec: impl Into<SourceSpec>,
    ) -> Result<Source> {
        Source::of_input(name, Input::stream(name, reader)?, &spec.into())
    }

    /// Reads record batches of a schema. The name is for messages.
    pub fn of_batches(
        name: &str,
        schema: SchemaRef,
        batches: Box<dyn Iterator<Item = Result<RecordBatch, ArrowError>> + Send>,
    ) -> Result<Source> {
        Ok(Source::Arrow(ArrowSource::of_batches(name, schema, batches)?))
    }

    fn of_input(path: &str, input: Input, spec: &SourceSpec) -> Result<Source> {
        let compression = match input.format() {
            Format::Gzip => Compression::Gzip,
            Format::Zstd => Compression::Zstd,
            Format::Zip => return Source::of_zip(path, input, spec),
            _ if spec.member.is_some() || spec.sheet.is_some() => return Err(not_packed(path, spec)),
            Format::Text => return Source::of_text(path, input.into_origin(), spec),
            _ => return Source::of_plain(path, input),
        };
        let origin = input.into_origin().compressed(compression);
        let plain = origin.reader(path)?.ok_or_else(|| Error::internal("nothing has been read yet"))?;
        let input = Input::stream(path, plain)?;
        match input.format() {
            Format::Text | Format::Gzip | Format::Zstd | Format::Zip => {
                drop(input);
                Source::of_text(path, origin, spec)
            }
            _ => Source::of_plain(path, input),
        }
    }

    /// Of a workbook, or of a file in an archive.
    #[cfg(feature = "workbook")]
    fn of_zip(path: &str, input: Input, spec: &SourceSpec) -> Result<Source> {
        let mut archive = Archive::open(path, input.into_file(path)?)?;
        let kind = archive.kind();
        if !matches!(kind, ArchiveKind::Files) {
            if let Some(member) = &spec.member {
                return Err(Error::input(format!(
                    "{path}: the file is a workbook, and no archive with a file {member}"
                ))
                .with_help(format!("leave {} away", option("member"))));
            }
            return Source::of_workbook(path, archive, kind, spec, None);
        }
        let name = archive.choose(spec.member.as_deref())?;
        let member = archive.member(&name)?;
        let origin = Origin::member(archive.into_file(), member);
        let bytes = origin.reader(path)?.ok_or_else(|| Error::internal("a file is never gone"))?;
        let input = Input::stream(path, bytes)?;
        match input.format() {
            Format::Zip => {
                let archive = Archive::open(path, input.into_file(path)?)?;
                match archive.kind() {
                    ArchiveKind::Files => Err(Error::input(format!("{path}: {name} is an archive itself"))
                        .with_help("unpack the outer one")),
                    kind => Source::of_workbook(path, archive, kind, spec, Some(name)),
                }
            }
            _ if spec.sheet.is_some() => Err(not_packed(path, spec)),
            Format::Gzip | Format::Zstd => {
                Err(Error::input(format!("{path}: {name} is compressed once more"))
                    .with_help("unpack the archive"))
            }
            Format::Text => {
                drop(input);
                let source = CsvSource::open(path, origin, spec.dialect, spec.encoding)?;
                Ok(Source::Csv(source.within(Container { member: Some(name), ..Container::default() })))
            }
            _ => Source::of_plain(path, input),
        }
    }

    #[cfg(not(feature = "workbook"))]
    fn of_zip(path: &str, _: Input, _: &SourceSpec) -> Result<Source> {
        Err(without_workbooks(path))
    }

    #[cfg(feature = "workbook")]
    fn of_workbook(
        path: &str,
        archive: Archive,
        kind: ArchiveKind,
        spec: &SourceSpec,
        member: Option<String>,
    ) -> Result<Source> {
        let (sheet, header, memory) = (spec.sheet.as_deref(), spec.dialect.header, spec.memory);
        let sheet = workbook::read(path, archive, kind, SheetRequest { sheet, header, memory })?;
        let dialect = DialectSpec { delimiter: Some(b','), header };
        let source = CsvSource::open(path, Origin::stream(sheet.text), dialect, Some(TextEncoding::UTF_8))?;
        let container = Container { member, sheet: Some(sheet.name), rows: Some(sheet.rows) };
        Ok(Source::Csv(source.within(container)))
    }

    fn of_text(path: &str, origin: Origin, spec: &SourceSpec) -> Result<Source> {
        Ok(Source::Csv(CsvSource::open(path, origin, spec.dialect, spec.encoding)?))
    }

    /// Of columns side by side, which are not compressed as a whole any more.
    fn of_plain(path: &str, input: Input) -> Result<Source> {
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
            Format::Text | Format::Gzip | Format::Zstd | Format::Zip => {
                return Err(Error::internal("a text is not stored in columns"));
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

    /// Reads the columns in one pass, and in another one where all values show that the text has another encoding, or that
    /// values have to be rewritten.
    pub(crate) fn load<'a>(
        mut self,
        plan: &[ColumnPlan],
        options: &ReadOptions<'_>,
        within: Option<(SpillBudget<'a>, ReadingLimits)>,
    ) -> Result<Loaded<'a>> {
        let mut plan = plan.to_vec();
        plan.iter_mut().for_each(|plan| plan.missing.extend_from_slice(options.missing));
        loop {
            match self.load_once(&plan, options, within) {
                Ok(loaded) => return Ok(loaded),
                Err(ReadFailure::Forms(rewritten)) => {
                    self = self.again(&rewritten)?;
                    plan = rewritten;
                }
                Err(ReadFailure::NotUtf8(error)) => match self {
                    Source::Csv(source) if source.may_have_other_encoding() => {
                        self = Source::Csv(source.by_byte()?);
                    }
                    _ => return Err(error),
                },
                Err(ReadFailure::Other(error)) => return Err(error),
            }
        }
    }

    fn load_once<'a>(
        &mut self,
        plan: &[ColumnPlan],
        options: &ReadOptions<'_>,
        within: Option<(SpillBudget<'a>, ReadingLimits)>,
    ) -> Result<Loaded<'a>, ReadFailure> {
        match self {
            Source::Csv(source) => source.load(plan, options, within),
            #[cfg(feature = "parquet")]
            Source::Parquet(source) => source.load(plan, options, within),
            Source::Arrow(source) => source.load(plan, options, within),
        }
    }

    /// The same source, to be read from its beginning.
    fn again(self, rewritten: &[ColumnPlan]) -> Result<Source> {
        match self {
            Source::Csv(source) => Ok(Source::Csv(source.again()?)),
            #[cfg(feature = "parquet")]
            Source::Parquet(source) => Ok(Source::Parquet(source)),
            Source::Arrow(source) => {
                let path = source.path().to_string();
                let again = source.again().unwrap_or_else(|| Err(read_once(&path, rewritten)));
                again.map(Source::Arrow)
            }
        }
    }
}

/// The error of a file in an archive or a sheet that is asked for where there is none.
fn not_packed(path: &str, spec: &SourceSpec) -> Error {
    let (what, flag) = if spec.sheet.is_some() { ("workbook", "sheet") } else { ("zip archive", "member") };
    Error::input(format!("{path}: the file is no {what}")).with_help(format!("leave {} away", option(flag)))
}

/// The error of values that have to be rewritten in what can be read only once.
fn read_once(path: &str, rewritten: &[ColumnPlan]) -> Error {
    let error = Error::input(format!(
        "{path}: some values are not written as 1234.56 or 2020-12-31, and a stream is read only once"
    ));
    rewritten.iter().fold(error, |error, plan| match (plan.form, &plan.spec) {
        (FormSpec::Recognised(form), Some(spec)) => {
            let (option, value) = form.option();
            error.with_help(format!(
                "say how they are written: {}",
                column_option(option, &spec.name, Some(value))
            ))
        }
        _ => error,
    })
}
