//! Reading a CSV file into a table, with several readers side by side.

use super::blocks::{BlockReader, Filled};
use super::scan::{Fault, Field, Visitor, last_record_end, records, scan};
use super::{Dialect, DialectSpec};
use crate::column::{Block, ColumnReader, Form, Lines, assemble};
use crate::source::{ColumnPlan, ReadReport};
use hashbrown::HashSet;
use klimt::partition::Observer;
use klimt::table::{Role, Table};
use klimt::{Error, Result};
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
        let whole = |delimiter| if ended { Some(sample.len()) } else { last_record_end(sample, delimiter) };
        let guess = whole(spec.delimiter.unwrap_or(b',')).unwrap_or(sample.len());
        let dialect = spec.detect(head(&sample[..guess], SAMPLE_RECORDS / 20));
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

    /// Reads the columns that the plan asks for.
    pub fn read(mut self, plan: &[ColumnPlan], options: &ReadOptions<'_>) -> Result<(Table, ReadReport)> {
        let forms = self.choose_forms(plan)?;
        let shared = Shared {
            path: &self.path,
            delimiter: self.dialect.delimiter,
            columns: self.columns.len(),
            blocks: Mutex::new(self.blocks),
            parsed: Mutex::new(Vec::new()),
            failed: AtomicBool::new(false),
            observer: options.observer,
        };
        let readers: Vec<Vec<ColumnReader>> = std::thread::scope(|scope| {
            let handles: Vec<_> = (0..options.threads.max(1))
                .map(|number| {
                    let (shared, forms) = (&shared, &forms);
                    scope.spawn(move || shared.read(number, forms, plan))
                })
                .collect();
            handles.into_iter().map(|handle| handle.join().expect("a reader does not panic")).collect()
        });
        let bytes = shared.blocks.into_inner().expect("no reader panicked").bytes();
        let mut parsed = shared.parsed.into_inner().expect("no reader panicked");
        parsed.sort_by_key(|block| block.number);
        if options.observer.cancelled() {
            return Err(Error::new(klimt::ErrorKind::Cancelled, "stopped"));
        }
        let joined = join(&self.path, self.header_lines, parsed, self.columns.len())?;
        if joined.rows == 0 {
            return Err(Error::input(format!("{}: the file has a header and no rows", self.path)));
        }
        let table = build(&self.path, plan, options.missing, readers, joined)?;
        Ok((table, ReadReport { bytes }))
    }

    /// Looks at the first records: columns of many whole numbers are stored as such, kept columns of many values
    /// as texts, all others by dictionary.
    fn choose_forms(&mut self, plan: &[ColumnPlan]) -> Result<Vec<Form>> {
        let sample = self.blocks.peek(0).map_err(|e| Error::io(&self.path, "read it", &e))?;
        let sample = head(sample, SAMPLE_RECORDS);
        let whole = last_record_end(sample, self.dialect.delimiter).unwrap_or(sample.len());
        let records = records(&sample[..whole], self.dialect.delimiter).unwrap_or_default();
        let form = |(column, plan): (usize, &ColumnPlan)| {
            let Some(spec) = &plan.spec else { return Form::Dropped };
            let values = || records.iter().filter_map(|record| record.get(column));
            let different: HashSet<&Vec<u8>> = values().collect();
            let kept = is_kept(spec.role);
            if different.len() <= MANY {
                return Form::Dictionary;
            }
            let number = |text: &Vec<u8>| {
                text.is_empty()
                    || std::str::from_utf8(text)
                        .is_ok_and(|t| t.parse::<i64>().is_ok_and(|n| n.to_string() == *t))
            };
            match kept {
                true => Form::Texts,
                false if values().all(number) => Form::Integers,
                false => Form::Dictionary,
            }
        };
        Ok(plan.iter().enumerate().map(form).collect())
    }
}

/// Whether a column is only carried along.
fn is_kept(role: Role) -> bool {
    matches!(role, Role::Insensitive | Role::Identifier)
}

/// The first lines of a text.
fn head(text: &[u8], lines: usize) -> &[u8] {
    match memchr::memchr_iter(b'\n', text).nth(lines) {
        Some(end) => &text[..=end],
        None => text,
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
        .with_help("give every column a name of its own, or say --no-header"))
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
        Fault::Ragged { line, found } => Error::input(format!(
            "{path}: line {}: {found} field{} where the header has {columns}",
            lines_before + line + 1,
            if found == 1 { "" } else { "s" }
        )),
    }
}

/// What went wrong in a block.
enum Trouble {
    Fault(Fault),
    /// On this line of the block, counted from 0.
    InvalidUtf8(u64),
    Io(Error),
}

struct Parsed {
    number: usize,
    rows: usize,
    lines: u64,
    irregular: Option<Vec<u32>>,
    columns: Vec<Block>,
    trouble: Option<Trouble>,
}

/// What the readers share.
struct Shared<'a> {
    path: &'a str,
    delimiter: u8,
    columns: usize,
    blocks: Mutex<BlockReader>,
    parsed: Mutex<Vec<Parsed>>,
    failed: AtomicBool,
    observer: &'a dyn Observer,
}

impl Shared<'_> {
    fn read(&self, reader: usize, forms: &[Form], plan: &[ColumnPlan]) -> Vec<ColumnReader> {
        let kept = |plan: &ColumnPlan| plan.spec.as_ref().is_none_or(|spec| is_kept(spec.role));
        let mut columns: Vec<ColumnReader> =
            forms.iter().zip(plan).map(|(&form, plan)| ColumnReader::new(reader, form, kept(plan))).collect();
        let mut buffer = Vec::new();
        while !self.failed.load(Ordering::Relaxed) && !self.observer.cancelled() {
            let next = self.blocks.lock().expect("no reader panics").next_block(&mut buffer);
            let parsed = match next {
                Ok(None) => break,
                Ok(Some(filled)) => self.parse(&buffer, filled, &mut columns),
                Err(error) => Parsed {
                    number: usize::MAX,
                    rows: 0,
                    lines: 0,
                    irregular: None,
                    columns: Vec::new(),
                    trouble: Some(Trouble::Io(Error::io(self.path, "read it", &error))),
                },
            };
            if parsed.trouble.is_some() {
                self.failed.store(true, Ordering::Relaxed);
            }
            self.parsed.lock().expect("no reader panics").push(parsed);
        }
        columns
    }

    fn parse(&self, buffer: &[u8], filled: Filled, columns: &mut [ColumnReader]) -> Parsed {
        let mut rows = Rows { columns, width: self.columns, rows: 0, irregular: None };
        let text = &buffer[..filled.len];
        let result = match std::str::from_utf8(text) {
            Ok(_) => {
                scan(buffer, filled.len, self.delimiter, self.columns > 1, &mut rows).map_err(Trouble::Fault)
            }
            Err(error) => {
                let line = memchr::memchr_iter(b'\n', &text[..error.valid_up_to()]).count();
                Err(Trouble::InvalidUtf8(line as u64))
            }
        };
        self.observer.advance(filled.len as u64);
        let (row_count, irregular) = (rows.rows, rows.irregular.take());
        let (lines, trouble) = match result {
            Ok(lines) => (lines, None),
            Err(trouble) => (0, Some(trouble)),
        };
        let columns = columns.iter_mut().map(ColumnReader::finish_block).collect();
        Parsed { number: filled.number, rows: row_count, lines, irregular, columns, trouble }
    }
}

/// Hands fields to their columns.
struct Rows<'a> {
    columns: &'a mut [ColumnReader],
    width: usize,
    rows: usize,
    irregular: Option<Vec<u32>>,
}

impl Visitor for Rows<'_> {
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

/// The blocks of a file, column by column.
struct Joined {
    rows: usize,
    lines: Lines,
    columns: Vec<Vec<Block>>,
}

fn join(path: &str, header_lines: u64, parsed: Vec<Parsed>, width: usize) -> Result<Joined> {
    let mut joined = Joined {
        rows: 0,
        lines: Lines::after(header_lines),
        columns: (0..width).map(|_| Vec::with_capacity(parsed.len())).collect(),
    };
    let mut lines = header_lines;
    for block in parsed {
        match block.trouble {
            None => {}
            Some(Trouble::Io(error)) => return Err(error),
            Some(Trouble::InvalidUtf8(line)) => return Err(invalid_utf8(path, lines + line + 1)),
            Some(Trouble::Fault(fault)) => return Err(fault_error(path, lines, fault, width)),
        }
        joined.rows += block.rows;
        lines += block.lines;
        joined.lines.push(block.rows, block.lines, block.irregular);
        for (column, block) in joined.columns.iter_mut().zip(block.columns) {
            column.push(block);
        }
    }
    Ok(joined)
}

fn build(
    path: &str,
    plan: &[ColumnPlan],
    missing: &[String],
    readers: Vec<Vec<ColumnReader>>,
    joined: Joined,
) -> Result<Table> {
    let mut dictionaries: Vec<Vec<_>> = (0..plan.len()).map(|_| Vec::new()).collect();
    for reader in readers {
        for (column, reader) in reader.into_iter().enumerate() {
            dictionaries[column].push(reader.into_dictionary());
        }
    }
    let mut columns = Vec::new();
    let mut problems = Vec::new();
    for ((plan, blocks), dictionaries) in plan.iter().zip(joined.columns).zip(dictionaries) {
        let Some(spec) = &plan.spec else { continue };
        match assemble(spec, missing, &dictionaries, blocks) {
            Ok(column) => columns.push(column),
            Err(unfit) => problems.push(unfit.error(path, &spec.name, &joined.lines)),
        }
    }
    match problems.len() {
        0 => Table::new(joined.rows, columns),
        1 => Err(problems.remove(0)),
        _ => Err(Error::all(
            klimt::ErrorKind::Input,
            problems.iter().map(|p| p.message().to_string()).collect(),
        )
        .expect("there are problems")),
    }
}
