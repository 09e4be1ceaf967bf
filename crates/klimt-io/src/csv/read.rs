//! Reading a CSV file into a table, with several readers side by side.

use super::blocks::{BlockReader, FilledBlock, LONGEST};
use super::dialect::first_lines;
use super::scan::{Fault, Field, Visitor, last_record_end, records, scan};
use super::{Dialect, DialectSpec};
use crate::column::{ColumnBlock, ColumnForm, ColumnReader, RowLines, is_kept};
use crate::room::{
    Loaded, Lot, LotGatherer, Readers, ReadingLimits, ReadingResult, SavedNumbers, SpillBudget,
};
use crate::source::{ColumnPlan, ReadReport};
use hashbrown::HashSet;
use klimt_core::job::Observer;
use klimt_core::spill::SpillFile;
use klimt_core::words::option;
use klimt_core::{Error, Result};
use std::io::Read;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

/// The bytes that are looked at before anything is decided.
const SAMPLE: usize = 1 << 20;
/// The records that are looked at to choose how columns are stored.
const SAMPLE_RECORDS: usize = 2000;
/// A column with more different values than this in the sample has many.
const MANY: usize = 256;

/// An opened CSV file: its dialect and its columns are known.
pub struct CsvSource {
    pub(crate) path: String,
    pub(crate) blocks: BlockReader,
    pub(crate) dialect: Dialect,
    pub(crate) columns: Vec<String>,
    pub(crate) header_lines: u64,
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
    /// Opens a CSV file. The path is for messages.
    pub fn open(path: &str, input: Box<dyn Read + Send>, spec: DialectSpec) -> Result<Self> {
        let mut blocks = BlockReader::new(input);
        let failed = |error: &std::io::Error| Error::io(path, "read it", error);
        let sample = blocks.peek(SAMPLE).map_err(|e| failed(&e))?;
        if sample.starts_with(&[0xFF, 0xFE]) || sample.starts_with(&[0xFE, 0xFF]) {
            return Err(Error::input(format!("{path}: line 1: the text is UTF-16, and UTF-8 is needed"))
                .with_help("save the file as UTF-8"));
        }
        if sample.starts_with(b"\xEF\xBB\xBF") {
            blocks.skip(3);
        }
        let ended = blocks.ended();
        let sample = blocks.peek(0).map_err(|e| failed(&e))?;
        if sample.iter().all(u8::is_ascii_whitespace) {
            return Err(Error::input(format!("{path}: the file is empty")));
        }
        let dialect = spec.detect(sample, ended);
        let first = first_record(path, sample, dialect.delimiter)?;
        let columns = if dialect.header {
            first.fields.clone()
        } else {
            (1..=first.fields.len()).map(|number| format!("column{number}")).collect()
        };
        check_names(path, &columns)?;
        let header_lines = if dialect.header { first.lines } else { 0 };
        let header_bytes = if dialect.header { first.bytes } else { 0 };
        blocks.skip(header_bytes);
        blocks.set_delimiter(dialect.delimiter);
        Ok(CsvSource { path: path.to_string(), blocks, dialect, columns, header_lines })
    }

    /// The names of the columns.
    pub fn columns(&self) -> &[String] {
        &self.columns
    }

    /// How the file is written.
    pub fn dialect(&self) -> Dialect {
        self.dialect
    }

    /// Reads the columns that the plan asks for, all of them into memory or within a room.
    pub(crate) fn load<'a>(
        mut self,
        plan: &[ColumnPlan],
        options: &ReadOptions<'_>,
        within: Option<(SpillBudget<'a>, ReadingLimits)>,
    ) -> Result<Loaded<'a>> {
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
            blocks: Mutex::new(self.blocks),
            gathering: LotGatherer::new(plan, within)?,
            block_rows: within.map_or(usize::MAX, |(_, limits)| limits.rows),
            parsed: Mutex::new(Vec::new()),
            failed: AtomicBool::new(false),
            error: Mutex::new(None),
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
        let CsvReaders { blocks, parsed, gathering, error, .. } = shared;
        let report = ReadReport {
            bytes: blocks.into_inner().expect("no reader panicked").bytes(),
            ..ReadReport::default()
        };
        let mut parsed = parsed.into_inner().expect("no reader panicked");
        parsed.sort_by_key(|block| block.number);
        if options.observer.cancelled() {
            return Err(Error::new(klimt_core::ErrorKind::Cancelled, "stopped"));
        }
        if let Some(error) = error.into_inner().expect("no reader panicked") {
            return Err(error);
        }
        check(&self.path, self.header_lines, &mut parsed, width)?;
        if parsed.iter().all(|block| block.rows == 0) {
            return Err(Error::input(format!("{}: the file has a header and no rows", self.path)));
        }
        let rows = parsed.iter().map(|block| block.rows).sum();
        let lines = |file: Option<&SpillFile>| lines(self.header_lines, &parsed, file);
        let missing = options.missing;
        ReadingResult { path: &self.path, plan, missing, rows, report, lines: &lines }
            .load(readers, gathering)
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

fn check_names(path: &str, columns: &[String]) -> Result<()> {
    let mut seen = HashSet::new();
    let twice: Vec<&str> = columns.iter().filter(|name| !seen.insert(*name)).map(String::as_str).collect();
    if twice.is_empty() {
        return Ok(());
    }
    Err(Error::input(format!("{path}: line 1: the column name {} stands there twice", twice.join(", ")))
        .with_help(format!("give every column a name of its own, or say {}", option("no-header"))))
}

pub(crate) fn invalid_utf8(path: &str, line: u64) -> Error {
    Error::input(format!("{path}: line {line}: the text is not valid UTF-8"))
        .with_help("save the file as UTF-8")
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
    options: &'s ReadOptions<'s>,
}

impl<'a> CsvReaders<'_, 'a> {
    fn read(&self, reader: usize, forms: &[ColumnForm]) -> Vec<ColumnReader<'_, 'a>> {
        let kept = |plan: &ColumnPlan| plan.spec.as_ref().is_none_or(|spec| is_kept(spec.role));
        let column = |(number, (&form, plan)): (usize, (&ColumnForm, &ColumnPlan))| {
            let thrift = self.gathering.thrift(number);
            ColumnReader::new(reader, form, kept(plan), self.options.missing, thrift)
        };
        let mut columns: Vec<ColumnReader> = forms.iter().zip(self.plan).enumerate().map(column).collect();
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
                    trouble: Some(Trouble::Io(Error::io(self.path, "read it", &error))),
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

/// Fails with the first trouble of a file.
fn check(path: &str, header_lines: u64, parsed: &mut [ParsedBlock], width: usize) -> Result<()> {
    let mut lines = header_lines;
    for block in parsed {
        match block.trouble.take() {
            None => lines += block.lines,
            Some(Trouble::Io(error)) => return Err(error),
            Some(Trouble::InvalidUtf8(line)) => return Err(invalid_utf8(path, lines + line + 1)),
            Some(Trouble::Fault(fault)) => return Err(fault_error(path, lines, fault, width)),
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
mod tests {
    use super::*;

    #[test]
    fn more_memory_is_advised_only_where_it_helps() {
        let told = |bytes| {
            let error = fault_error("in.csv", 1, Fault::TooLong { bytes }, 1);
            format!("{:?}", error.remedies())
        };
        assert!(told(1 << 20).contains("memory"), "{}", told(1 << 20));
        assert!(!told(LONGEST).contains("memory"), "no command reads such a record: {}", told(LONGEST));
    }
}
