//! Reading a CSV file into a table, with several readers side by side.

use super::blocks::{BlockReader, FilledBlock, LONGEST};
use super::dialect::{first_lines, named_delimiter};
use super::scan::{Fault, Field, Visitor, last_record_end, records, scan};
use super::{Dialect, DialectSpec};
use crate::column::{ColumnBlock, ColumnForm, ColumnReader, Misfits, RowLines, is_kept};
use crate::encoding::{Decoder, TextEncoding, reading_error};
use crate::origin::Origin;
use crate::room::{
    Loaded, Lot, LotGatherer, Readers, ReadingLimits, ReadingResult, SavedNumbers, SpillBudget,
};
use crate::source::{ColumnPlan, ReadFailure, ReadReport, Recognised};
use hashbrown::HashSet;
use klimt_core::job::Observer;
use klimt_core::spill::SpillFile;
use klimt_core::words::{option, option_is};
use klimt_core::{Error, Result};
use std::io::{Cursor, Read};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

/// The bytes that hold the mark of an encoding, or the zeros of UTF-16.
const MARK: u64 = 4;
/// The bytes that are looked at before anything is decided.
const SAMPLE: usize = 1 << 20;
/// The records that are looked at to choose how columns are stored.
const SAMPLE_RECORDS: usize = 2000;
/// A column with more different values than this in the sample has many.
const MANY: usize = 256;

/// An opened CSV file: its dialect and its columns are known.
pub struct CsvSource {
    pub(crate) path: String,
    origin: Origin,
    spec: DialectSpec,
    encoding: FoundEncoding,
    container: Container,
    pub(crate) blocks: BlockReader,
    pub(crate) dialect: Dialect,
    pub(crate) columns: Vec<String>,
    pub(crate) header_lines: u64,
}

/// What a text was taken out of.
#[derive(Clone, Debug, Default)]
pub struct Container {
    /// The file in an archive.
    pub member: Option<String>,
    /// The sheet of a workbook.
    pub sheet: Option<String>,
    /// The row of the sheet on which each record stands, counted from 0.
    pub rows: Option<Vec<u32>>,
}

/// The encoding of a text, and how it was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FoundEncoding {
    /// The encoding.
    pub encoding: TextEncoding,
    /// How it was found.
    pub by: EncodingSign,
}

/// A sign of an encoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EncodingSign {
    /// It was named.
    Said,
    /// The first bytes of the file are its mark.
    Mark,
    /// The bytes are those of such a text.
    Bytes,
}

/// How a source is read.
pub struct ReadOptions<'a> {
    /// The texts that stand for a missing value, besides the empty one.
    pub missing: &'a [String],
    /// How many readers work side by side.
    pub threads: usize,
    /// Told of the bytes that have been read.
    pub observer: &'a dyn Observer,
}

impl CsvSource {
    /// Opens a CSV file in the encoding that is named, or that its bytes show. The path is for messages.
    pub fn open(
        path: &str,
        origin: Origin,
        spec: DialectSpec,
        encoding: Option<TextEncoding>,
    ) -> Result<Self> {
        let mut input = first_reader(path, &origin)?;
        let mut first = Vec::new();
        input.by_ref().take(MARK).read_to_end(&mut first).map_err(|e| reading_error(path, &e))?;
        let mark = TextEncoding::of_mark(&first);
        let skip = mark.map_or(0, |(_, length)| length);
        let found = match (encoding, mark) {
            (Some(said), Some((mark, _))) if !said.agrees_with_mark(mark) => {
                return Err(Error::input(format!(
                    "{path}: line 1: the file has the mark of {mark}, and not {said}"
                ))
                .with_help(format!("leave {} away", option("encoding"))));
            }
            (_, Some((encoding, _))) => FoundEncoding { encoding, by: EncodingSign::Mark },
            (Some(encoding), None) => FoundEncoding { encoding, by: EncodingSign::Said },
            (None, None) => {
                let encoding = TextEncoding::of_zeros(&first).unwrap_or(TextEncoding::UTF_8);
                FoundEncoding { encoding, by: EncodingSign::Bytes }
            }
        };
        let input = Box::new(Cursor::new(first.split_off(skip)).chain(input));
        CsvSource::open_as(path, origin, input, spec, found)
    }

    /// Opens it in an encoding that was found, without its mark.
    fn open_as(
        path: &str,
        origin: Origin,
        input: Box<dyn Read + Send>,
        spec: DialectSpec,
        encoding: FoundEncoding,
    ) -> Result<Self> {
        let said = encoding.by == EncodingSign::Said;
        let input = match encoding.encoding == TextEncoding::UTF_8 {
            true => input,
            false => Box::new(Decoder::new(input, encoding.encoding, said)),
        };
        let mut blocks = BlockReader::new(input);
        let failed = |error: &std::io::Error| reading_error(path, error);
        let sample = blocks.peek(SAMPLE).map_err(|e| failed(&e))?;
        if sample.iter().all(u8::is_ascii_whitespace) {
            return Err(Error::input(format!("{path}: the file is empty")));
        }
        if may_be_other(encoding) && !is_utf_8(sample) {
            drop(blocks);
            return CsvSource::open_by_byte(path, origin, spec);
        }
        let mut header_lines = 0;
        let mut delimiter = spec.delimiter;
        if let Some((named, length)) = named_delimiter(sample) {
            delimiter = delimiter.or(Some(named));
            header_lines = 1;
            blocks.skip(length);
        }
        let ended = blocks.ended();
        let sample = blocks.peek(0).map_err(|e| failed(&e))?;
        if sample.iter().all(u8::is_ascii_whitespace) {
            return Err(Error::input(format!("{path}: the file is empty")));
        }
        let dialect = DialectSpec { delimiter, ..spec }.detect(sample, ended);
        let first = first_record(path, sample, dialect.delimiter)?;
        let columns = if dialect.header {
            first.fields.clone()
        } else {
            (1..=first.fields.len()).map(|number| format!("column{number}")).collect()
        };
        check_names(path, &columns, header_lines + 1)?;
        header_lines += if dialect.header { first.lines } else { 0 };
        let header_bytes = if dialect.header { first.bytes } else { 0 };
        blocks.skip(header_bytes);
        blocks.set_delimiter(dialect.delimiter);
        let (path, container) = (path.to_string(), Container::default());
        Ok(CsvSource { path, origin, spec, encoding, container, blocks, dialect, columns, header_lines })
    }

    /// Opens a text that is not UTF-8 as one of a byte for every character.
    fn open_by_byte(path: &str, origin: Origin, spec: DialectSpec) -> Result<Self> {
        let input = first_reader(path, &origin)?;
        let encoding = FoundEncoding { encoding: TextEncoding::WINDOWS_1252, by: EncodingSign::Bytes };
        CsvSource::open_as(path, origin, input, spec, encoding)
    }

    /// The same text, which was taken out of something.
    pub(crate) fn within(self, container: Container) -> Self {
        CsvSource { container, ..self }
    }

    /// The encoding.
    pub fn encoding(&self) -> FoundEncoding {
        self.encoding
    }

    /// The names of the columns.
    pub fn columns(&self) -> &[String] {
        &self.columns
    }

    /// How the file is written.
    pub fn dialect(&self) -> Dialect {
        self.dialect
    }

    /// Whether the text may turn out to be in another encoding.
    pub(crate) fn may_have_other_encoding(&self) -> bool {
        may_be_other(self.encoding)
    }

    /// The same text by an encoding of a byte for every character, as it is not UTF-8.
    pub(crate) fn by_byte(self) -> Result<Self> {
        let CsvSource { path, origin, spec, columns, container, .. } = self;
        let other = CsvSource::open_by_byte(&path, origin, spec)?.within(container);
        if other.columns == columns { Ok(other) } else { Err(mixed_header(&path)) }
    }

    /// The same text from its beginning.
    pub(crate) fn again(self) -> Result<Self> {
        let CsvSource { path, origin, spec, encoding, container, .. } = self;
        let mut input = first_reader(&path, &origin)?;
        let mark = if encoding.by == EncodingSign::Mark { encoding.encoding.mark_length() } else { 0 };
        let skipped = std::io::copy(&mut input.by_ref().take(mark), &mut std::io::sink());
        skipped.map_err(|e| reading_error(&path, &e))?;
        Ok(CsvSource::open_as(&path, origin, input, spec, encoding)?.within(container))
    }

    /// Reads the columns that the plan asks for, all of them into memory or within a room.
    pub(crate) fn load<'a>(
        &mut self,
        plan: &[ColumnPlan],
        options: &ReadOptions<'_>,
        within: Option<(SpillBudget<'a>, ReadingLimits)>,
    ) -> Result<Loaded<'a>, ReadFailure> {
        let blocks = BlockReader::new(Box::new(std::io::empty()));
        let forms = self.choose_forms(plan)?;
        let width = self.columns.len();
        if let Some((_, limits)) = within {
            self.blocks.set_block(limits.text, limits.record());
        }
        let shared = CsvReaders {
            path: &self.path,
            delimiter: self.dialect.delimiter,
            columns: width,
            plan,
            blocks: Mutex::new(std::mem::replace(&mut self.blocks, blocks)),
            gathering: LotGatherer::new(plan, within)?,
            block_rows: within.map_or(usize::MAX, |(_, limits)| limits.rows),
            parsed: Mutex::new(Vec::new()),
            failed: AtomicBool::new(false),
            error: Mutex::new(None),
            misfits: Mutex::default(),
            options,
        };
        let readers: Readers = std::thread::scope(|scope| {
            let handles: Vec<_> = (0..options.threads.max(1))
                .map(|number| {
                    let (shared, forms) = (&shared, &forms);
                    scope.spawn(move || {
                        let columns = shared.read(number, forms);
                        columns.into_iter().map(ColumnReader::remains).collect()
                    })
                })
                .collect();
            handles.into_iter().map(|handle| handle.join().expect("a reader does not panic")).collect()
        });
        let CsvReaders { blocks, parsed, gathering, error, misfits, .. } = shared;
        let recognised = Recognised {
            encoding: Some(self.encoding).filter(|_| self.container.sheet.is_none()),
            delimiter: Some(self.dialect.delimiter).filter(|_| self.container.sheet.is_none()),
            member: self.container.member.clone(),
            sheet: self.container.sheet.clone(),
            ..Recognised::default()
        };
        let bytes = blocks.into_inner().expect("no reader panicked").bytes();
        let report = ReadReport { bytes, recognised: recognised.into(), ..ReadReport::default() };
        let mut parsed = parsed.into_inner().expect("no reader panicked");
        parsed.sort_by_key(|block| block.number);
        if options.observer.cancelled() {
            return Err(Error::new(klimt_core::ErrorKind::Cancelled, "stopped").into());
        }
        if let Some(error) = error.into_inner().expect("no reader panicked") {
            return Err(error.into());
        }
        check(&self.path, self.header_lines, &mut parsed, width)?;
        if parsed.iter().all(|block| block.rows == 0) {
            return Err(Error::input(format!("{}: the file has a header and no rows", self.path)).into());
        }
        let rows = parsed.iter().map(|block| block.rows).sum();
        let lines = |file: Option<&SpillFile>| match &self.container.rows {
            Some(rows) => Ok(RowLines::listed(&rows[usize::from(self.dialect.header)..])),
            None => lines(self.header_lines, &parsed, file),
        };
        let misfits = misfits.into_inner().expect("no reader panicked").in_rows(&parsed);
        let result = ReadingResult { path: &self.path, plan, rows, report, misfits, lines: &lines };
        result.load(readers, gathering)
    }

    /// Looks at the first records: columns of many whole numbers are stored as such, kept columns of many values
    /// as texts, all others by dictionary.
    fn choose_forms(&mut self, plan: &[ColumnPlan]) -> Result<Vec<ColumnForm>> {
        let sample = self.blocks.peek(0).map_err(|e| Error::io(&self.path, "read it", &e))?;
        let sample = first_lines(sample, SAMPLE_RECORDS);
        let whole = last_record_end(sample, self.dialect.delimiter).unwrap_or(sample.len());
        let records = records(&sample[..whole], self.dialect.delimiter).unwrap_or_default();
        let form = |(column, plan): (usize, &ColumnPlan)| {
            let Some(spec) = &plan.spec else { return ColumnForm::Dropped };
            let values = || records.iter().filter_map(|record| record.get(column));
            let different: HashSet<&Vec<u8>> = values().collect();
            let kept = is_kept(spec.role);
            if different.len() <= MANY {
                return ColumnForm::Dictionary;
            }
            let number = |text: &Vec<u8>| {
                text.is_empty()
                    || std::str::from_utf8(text)
                        .is_ok_and(|t| t.parse::<i64>().is_ok_and(|n| n.to_string() == *t))
            };
            match kept {
                true => ColumnForm::Texts,
                false if values().all(number) => ColumnForm::Integers,
                false => ColumnForm::Dictionary,
            }
        };
        Ok(plan.iter().enumerate().map(form).collect())
    }
}

/// Whether the text may turn out to be in another encoding.
fn may_be_other(encoding: FoundEncoding) -> bool {
    encoding == FoundEncoding { encoding: TextEncoding::UTF_8, by: EncodingSign::Bytes }
}

/// Whether the beginning of a text is UTF-8; a character that goes on behind it may be.
fn is_utf_8(sample: &[u8]) -> bool {
    std::str::from_utf8(sample).err().is_none_or(|error| error.error_len().is_none())
}

fn first_reader(path: &str, origin: &Origin) -> Result<Box<dyn Read + Send>> {
    let gone = || {
        Error::input(format!("{path}: the text is not valid UTF-8, and there is no room to read it again"))
            .with_help(format!(
                "name its encoding: {}",
                option_is("encoding", TextEncoding::WINDOWS_1252.to_string())
            ))
    };
    origin.reader(path)?.ok_or_else(gone)
}

fn mixed_header(path: &str) -> Error {
    Error::input(format!("{path}: line 1: the header is UTF-8, and lines below it are not")).with_help(
        format!(
            "save the file in one encoding, or say which one all of it is read by: {}",
            option_is("encoding", TextEncoding::WINDOWS_1252.to_string())
        ),
    )
}

struct FirstRecord {
    fields: Vec<String>,
    bytes: usize,
    lines: u64,
}

fn first_record(path: &str, sample: &[u8], delimiter: u8) -> Result<FirstRecord> {
    let mut end = 0;
    loop {
        let more = memchr::memchr(b'\n', &sample[end..]).map_or(sample.len(), |at| end + at + 1);
        match records(&sample[..more], delimiter) {
            Ok(found) => {
                let fields = found.into_iter().next().unwrap_or_default();
                let fields: Option<Vec<String>> =
                    fields.into_iter().map(|f| String::from_utf8(f).ok()).collect();
                let fields = fields.ok_or_else(|| invalid_utf8(path, 1))?;
                let lines = memchr::memchr_iter(b'\n', &sample[..more]).count().max(1) as u64;
                return Ok(FirstRecord { fields, bytes: more, lines });
            }
            Err(_) if more < sample.len() => end = more,
            Err(fault) => return Err(fault_error(path, 0, fault, 0)),
        }
    }
}

fn check_names(path: &str, columns: &[String], line: u64) -> Result<()> {
    let mut seen = HashSet::new();
    let twice: Vec<&str> = columns.iter().filter(|name| !seen.insert(*name)).map(String::as_str).collect();
    if twice.is_empty() {
        return Ok(());
    }
    Err(Error::input(format!("{path}: line {line}: the column name {} stands there twice", twice.join(", ")))
        .with_help(format!("give every column a name of its own, or say {}", option("no-header"))))
}

pub(crate) fn invalid_utf8(path: &str, line: u64) -> Error {
    Error::input(format!("{path}: line {line}: the text is not valid UTF-8")).with_help(format!(
        "name the encoding of the file, such as {}, or save it as UTF-8",
        option_is("encoding", TextEncoding::WINDOWS_1252.to_string())
    ))
}

pub(crate) fn fault_error(path: &str, lines_before: u64, fault: Fault, columns: usize) -> Error {
    match fault {
        Fault::Unclosed { line } => Error::input(format!(
            "{path}: line {}: a quote is opened and not closed",
            lines_before + line + 1
        )),
        Fault::TooLong { bytes } => Error::resource(format!(
            "{path}: line {}: the record is longer than {}",
            lines_before + 1,
            klimt_core::memory::amount(bytes)
        ))
        .with_help(match bytes {
            LONGEST.. => "close its quote where one is left open, or shorten it".to_string(),
            _ => format!("close its quote where one is left open, or raise {}", option("memory")),
        }),
        Fault::Ragged { line, found } => Error::input(format!(
            "{path}: line {}: {found} field{} where the header has {columns}",
            lines_before + line + 1,
            if found == 1 { "" } else { "s" }
        )),
    }
}

/// An error in a block.
enum Trouble {
    Fault(Fault),
    /// On this line of the block, counted from 0.
    InvalidUtf8(u64),
    Io(Error),
}

/// The result of parsing a block.
struct ParsedBlock {
    number: usize,
    rows: usize,
    lines: u64,
    /// The line of each row within the block, where a row is not a line.
    irregular: Option<SavedNumbers>,
    trouble: Option<Trouble>,
}

/// The state that the readers share.
struct CsvReaders<'s, 'a> {
    path: &'s str,
    delimiter: u8,
    columns: usize,
    plan: &'s [ColumnPlan],
    blocks: Mutex<BlockReader>,
    gathering: LotGatherer<'a>,
    /// The most rows of a block on disk.
    block_rows: usize,
    parsed: Mutex<Vec<ParsedBlock>>,
    failed: AtomicBool,
    /// An error that is not about a block.
    error: Mutex<Option<Error>>,
    misfits: Mutex<BlockMisfits>,
    options: &'s ReadOptions<'s>,
}

impl<'a> CsvReaders<'_, 'a> {
    fn read(&self, reader: usize, forms: &[ColumnForm]) -> Vec<ColumnReader<'_, 'a>> {
        let columns = forms.iter().zip(self.plan).enumerate();
        let mut columns: Vec<ColumnReader> = columns
            .map(|(number, (&form, plan))| {
                ColumnReader::new(reader, form, plan, self.gathering.thrift(number))
            })
            .collect();
        let (mut buffer, mut scratch) = (Vec::new(), Vec::new());
        while !self.failed.load(Ordering::Relaxed) && !self.options.observer.cancelled() {
            let next = self.blocks.lock().expect("no reader panics").next_block(&mut buffer);
            let parsed = match next {
                Ok(None) => break,
                Ok(Some(filled)) => self.parse(&buffer, filled, &mut columns, &mut scratch),
                Err(error) => Ok(ParsedBlock {
                    number: usize::MAX,
                    rows: 0,
                    lines: 0,
                    irregular: None,
                    trouble: Some(Trouble::Io(reading_error(self.path, &error))),
                }),
            };
            if !parsed.as_ref().is_ok_and(|parsed| parsed.trouble.is_none()) {
                self.failed.store(true, Ordering::Relaxed);
            }
            match parsed {
                Ok(parsed) => self.parsed.lock().expect("no reader panics").push(parsed),
                Err(error) => {
                    self.error.lock().expect("no reader panics").get_or_insert(error);
                }
            }
        }
        columns
    }

    fn parse(
        &self,
        buffer: &[u8],
        filled: FilledBlock,
        columns: &mut [ColumnReader<'_, '_>],
        scratch: &mut Vec<u8>,
    ) -> Result<ParsedBlock> {
        let mut rows = RowVisitor { columns, width: self.columns, rows: 0, irregular: None };
        let text = &buffer[..filled.len];
        let result = match std::str::from_utf8(text) {
            _ if filled.too_long => Err(Trouble::Fault(Fault::TooLong { bytes: filled.len })),
            Ok(_) => {
                scan(buffer, filled.len, self.delimiter, self.columns > 1, &mut rows).map_err(Trouble::Fault)
            }
            Err(error) => {
                let line = memchr::memchr_iter(b'\n', &text[..error.valid_up_to()]).count();
                Err(Trouble::InvalidUtf8(line as u64))
            }
        };
        self.options.observer.advance(filled.len as u64);
        let (rows, irregular) = (rows.rows, rows.irregular.take());
        let (number, trouble) = (filled.number, None);
        let lines = match result {
            Ok(lines) => lines,
            Err(trouble) => {
                return Ok(ParsedBlock { number, rows, lines: 0, irregular: None, trouble: Some(trouble) });
            }
        };
        self.hand_over(number, rows, columns, scratch)?;
        let irregular = irregular.map(|lines| self.gathering.keep(lines)).transpose()?;
        Ok(ParsedBlock { number, rows, lines, irregular, trouble })
    }

    /// Hands over what a block held.
    fn hand_over(
        &self,
        number: usize,
        rows: usize,
        columns: &mut [ColumnReader<'_, '_>],
        scratch: &mut Vec<u8>,
    ) -> Result<()> {
        for (column, reader) in columns.iter_mut().enumerate() {
            if let Some(misfits) = reader.take_misfits() {
                self.misfits.lock().expect("no reader panics").0.push((column, number, misfits));
            }
        }
        let held: Vec<(usize, Vec<ColumnBlock>)> =
            columns.iter_mut().map(ColumnReader::finish_block).enumerate().collect();
        // Blocks of one size: a small rest would cost as much to read as a large one.
        let blocks = rows.div_ceil(self.block_rows).max(1);
        let block_rows = rows.div_ceil(blocks).max(1);
        self.gathering.add(Lot { stretch: number, row: 0, rows, block_rows, columns: held }, scratch)
    }
}

/// Hands fields to their columns.
struct RowVisitor<'s, 'r, 'a> {
    columns: &'s mut [ColumnReader<'r, 'a>],
    width: usize,
    rows: usize,
    irregular: Option<Vec<u32>>,
}

impl Visitor for RowVisitor<'_, '_, '_> {
    #[inline(always)]
    fn field(&mut self, column: usize, field: Field<'_>) {
        if let Some(reader) = self.columns.get_mut(column) {
            reader.push(field.buffer, field.start, field.end);
        }
    }

    #[inline(always)]
    fn record(&mut self, columns: usize, first_line: u64, _: u64) -> Result<(), Fault> {
        if columns != self.width {
            return Err(Fault::Ragged { line: first_line, found: columns });
        }
        if first_line != self.rows as u64 {
            let lines = self.irregular.get_or_insert_default();
            lines.extend(lines.len() as u32..self.rows as u32);
        }
        if let Some(lines) = &mut self.irregular {
            lines.push(first_line as u32);
        }
        self.rows += 1;
        Ok(())
    }
}

/// The values that are not of a declared form, by column and block.
#[derive(Default)]
struct BlockMisfits(Vec<(usize, usize, Misfits)>);

impl BlockMisfits {
    /// The same by column and row of the file. The blocks are in their order.
    fn in_rows(mut self, parsed: &[ParsedBlock]) -> Vec<(usize, Misfits)> {
        self.0.sort_by_key(|&(column, block, _)| (column, block));
        let first_row = |block: usize| -> usize {
            parsed.iter().take_while(|parsed| parsed.number < block).map(|parsed| parsed.rows).sum()
        };
        self.0.into_iter().map(|(column, block, misfits)| (column, misfits.after(first_row(block)))).collect()
    }
}

/// Fails with the first trouble of a file.
fn check(path: &str, header_lines: u64, parsed: &mut [ParsedBlock], width: usize) -> Result<(), ReadFailure> {
    let mut lines = header_lines;
    for block in parsed {
        match block.trouble.take() {
            None => lines += block.lines,
            Some(Trouble::Io(error)) => return Err(error.into()),
            Some(Trouble::InvalidUtf8(line)) => {
                return Err(ReadFailure::NotUtf8(invalid_utf8(path, lines + line + 1)));
            }
            Some(Trouble::Fault(fault)) => return Err(fault_error(path, lines, fault, width).into()),
        }
    }
    Ok(())
}

/// The lines of rows, some of which may have been kept on disk.
fn lines(header_lines: u64, parsed: &[ParsedBlock], file: Option<&SpillFile>) -> Result<RowLines> {
    let mut lines = RowLines::after(header_lines);
    for block in parsed {
        let irregular = block.irregular.as_ref().map(|kept| kept.read(file)).transpose()?;
        lines.push(block.rows, block.lines, irregular);
    }
    Ok(lines)
}

#[cfg(test)]
mod tests;
