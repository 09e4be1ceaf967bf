//! Reading a columnar file into a table: readers side by side take one column of one stretch of rows after another.

use super::damage::other_type;
use super::spell::spell;
use crate::column::{Block, ColumnReader, Form, Lines, assemble};
use crate::csv::ReadOptions;
use crate::source::{ColumnPlan, ReadReport};
use arrow::array::ArrayRef;
use arrow::datatypes::{DataType, Schema};
use klimt::table::{ColumnSpec, Role, Table};
use klimt::{Error, ErrorKind, Result};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

/// A block ends after this many rows.
const BLOCK_ROWS: usize = 1 << 16;
/// A block ends before it holds more bytes of text than this.
const BLOCK_BYTES: usize = if cfg!(test) { 1 << 20 } else { 1 << 30 };
/// A longer text is not read.
const LONGEST_TEXT: usize = if cfg!(test) { 1 << 18 } else { 256 << 20 };

/// The arrays of one column, in the order of their rows.
pub type Arrays = Box<dyn Iterator<Item = Result<ArrayRef>> + Send>;

/// One column of a stretch of rows.
pub struct Task {
    /// The number of the stretch.
    pub stretch: usize,
    /// The row with which it starts.
    pub first_row: usize,
    /// The number of the column in the plan.
    pub column: usize,
    /// The bytes of the file that it takes.
    pub bytes: u64,
    /// Its values.
    pub arrays: Arrays,
}

/// Hands out the columns of a file, stretch by stretch, to readers that ask from several threads.
pub trait Feed: Sync {
    /// The next column of a stretch, or `None` at the end.
    fn next(&self) -> Option<Result<Task>>;
    /// The rows of the file, when all has been handed out.
    fn rows(&self) -> usize;
}

/// The numbers of the columns that a plan asks for.
pub fn wanted(plan: &[ColumnPlan]) -> Vec<usize> {
    (0..plan.len()).filter(|&column| plan[column].spec.is_some()).collect()
}

/// Reads what a feed hands out.
pub fn read(
    path: &str,
    schema: &Schema,
    feed: &dyn Feed,
    plan: &[ColumnPlan],
    options: &ReadOptions<'_>,
) -> Result<(Table, ReadReport)> {
    let shared =
        Shared { path, feed, schema, plan, failed: AtomicBool::new(false), read: Mutex::default(), options };
    let mut readers: Vec<Vec<ColumnReader>> = std::thread::scope(|scope| {
        let handles: Vec<_> = (0..options.threads.max(1))
            .map(|number| {
                let shared = &shared;
                scope.spawn(move || shared.work(number))
            })
            .collect();
        handles.into_iter().map(|handle| handle.join().expect("a reader does not panic")).collect()
    });
    if options.observer.cancelled() {
        return Err(Error::new(ErrorKind::Cancelled, "stopped"));
    }
    let mut read = shared.read.into_inner().expect("no reader panicked");
    read.troubles.sort_by_key(|&(stretch, column, _)| (stretch, column));
    if let Some((_, _, error)) = read.troubles.into_iter().next() {
        return Err(error);
    }
    if feed.rows() == 0 {
        return Err(Error::input(format!("{path}: the file has no rows")));
    }
    read.pieces.sort_by_key(|piece| (piece.column, piece.stretch));
    let table = build(path, plan, options.missing, &mut readers, read.pieces, feed.rows())?;
    Ok((table, ReadReport { bytes: read.bytes }))
}

/// What a reader made of a task.
struct Piece {
    stretch: usize,
    column: usize,
    blocks: Vec<Block>,
}

#[derive(Default)]
struct Read {
    pieces: Vec<Piece>,
    /// What went wrong, in which stretch and column.
    troubles: Vec<(usize, usize, Error)>,
    bytes: u64,
}

/// What the readers share.
struct Shared<'a> {
    path: &'a str,
    feed: &'a dyn Feed,
    schema: &'a Schema,
    plan: &'a [ColumnPlan],
    failed: AtomicBool,
    read: Mutex<Read>,
    options: &'a ReadOptions<'a>,
}

impl Shared<'_> {
    fn work(&self, number: usize) -> Vec<ColumnReader> {
        let reader = |(column, plan): (usize, &ColumnPlan)| {
            let spec = plan.spec.as_ref();
            let form = spec.map_or(Form::Dropped, |spec| form(spec, self.schema.field(column).data_type()));
            ColumnReader::new(number, form, spec.is_none_or(|spec| is_kept(spec.role)))
        };
        let mut readers: Vec<ColumnReader> = self.plan.iter().enumerate().map(reader).collect();
        while !self.failed.load(Ordering::Relaxed) && !self.options.observer.cancelled() {
            let Some(task) = self.feed.next() else { break };
            let (place, result, bytes) = match task {
                // A file whose next stretch cannot be found fails after all that were.
                Err(error) => ((usize::MAX, 0), Err(error), 0),
                Ok(task) => {
                    let (place, bytes) = ((task.stretch, task.column), task.bytes);
                    let name = self.schema.field(task.column).name();
                    (place, self.take(task, &mut readers[place.1], name), bytes)
                }
            };
            self.options.observer.advance(bytes);
            let mut read = self.read.lock().expect("no reader panics");
            read.bytes += bytes;
            match result {
                Ok(blocks) => read.pieces.push(Piece { stretch: place.0, column: place.1, blocks }),
                Err(error) => {
                    read.troubles.push((place.0, place.1, error));
                    self.failed.store(true, Ordering::Relaxed);
                }
            }
        }
        readers
    }

    /// Reads the texts of a task.
    fn take(&self, task: Task, reader: &mut ColumnReader, name: &str) -> Result<Vec<Block>> {
        let mut blocks = Vec::new();
        let mut row = task.first_row;
        let (mut rows, mut bytes, mut too_long) = (0, 0, None);
        for array in task.arrays {
            let spelt = spell(array?.as_ref(), &mut |buffer: &[u8], start: usize, end: usize| {
                row += 1;
                if end - start > LONGEST_TEXT {
                    too_long.get_or_insert(row);
                    return;
                }
                if rows == BLOCK_ROWS || bytes + (end - start) > BLOCK_BYTES {
                    blocks.push(reader.finish_block());
                    (rows, bytes) = (0, 0);
                }
                (rows, bytes) = (rows + 1, bytes + (end - start));
                reader.push(buffer, start, end);
            });
            if !spelt {
                return Err(other_type(self.path, name));
            }
            if let Some(row) = too_long {
                let path = self.path;
                return Err(Error::input(format!(
                    "{path}: column {name}: line {row}: a text of more than {LONGEST_TEXT} bytes"
                ))
                .with_help(format!("drop the column: --identifier {name}")));
            }
            if self.failed.load(Ordering::Relaxed) || self.options.observer.cancelled() {
                break;
            }
        }
        blocks.push(reader.finish_block());
        Ok(blocks)
    }
}

/// Whether a column is only carried along.
fn is_kept(role: Role) -> bool {
    matches!(role, Role::Insensitive | Role::Identifier)
}

/// Whole numbers are stored as such; all else starts out with a dictionary, which a kept column leaves when it has too
/// many values.
fn form(spec: &ColumnSpec, data_type: &DataType) -> Form {
    if data_type.is_integer() && !is_kept(spec.role) { Form::Integers } else { Form::Dictionary }
}

fn build(
    path: &str,
    plan: &[ColumnPlan],
    missing: &[String],
    readers: &mut Vec<Vec<ColumnReader>>,
    pieces: Vec<Piece>,
    rows: usize,
) -> Result<Table> {
    let mut dictionaries: Vec<Vec<_>> = (0..plan.len()).map(|_| Vec::new()).collect();
    for reader in readers.drain(..) {
        for (column, reader) in reader.into_iter().enumerate() {
            dictionaries[column].push(reader.into_dictionary());
        }
    }
    let mut blocks: Vec<Vec<Block>> = (0..plan.len()).map(|_| Vec::new()).collect();
    for piece in pieces {
        blocks[piece.column].extend(piece.blocks);
    }
    let mut columns = Vec::new();
    let mut problems = Vec::new();
    for ((plan, blocks), dictionaries) in plan.iter().zip(blocks).zip(dictionaries) {
        let Some(spec) = &plan.spec else { continue };
        match assemble(spec, missing, &dictionaries, blocks) {
            Ok(column) => columns.push(column),
            // A row is a line of its own, and none comes before the first.
            Err(unfit) => problems.push(unfit.error(path, &spec.name, &Lines::default())),
        }
    }
    match problems.len() {
        0 => Table::new(rows, columns),
        1 => Err(problems.remove(0)),
        _ => Err(Error::all(ErrorKind::Input, problems.iter().map(|p| p.message().to_string()).collect())
            .expect("there are problems")),
    }
}
