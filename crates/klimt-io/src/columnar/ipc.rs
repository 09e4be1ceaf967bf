//! The Arrow IPC formats: files (Feather version 2) and streams.

use super::arrow_file::ArrowFile;
use super::arrow_stream::ArrowStream;
use super::batches::{BatchIterator, Batches};
use super::damage::decoding;
use super::input::Input;
use super::read::{ColumnTask, Feed, load, wanted};
use super::types::{KeptTypes, check_types, column_names};
use crate::arrow::array::{Array, ArrayRef, RecordBatch};
use crate::arrow::datatypes::SchemaRef;
use crate::csv::ReadOptions;
use crate::room::{Loaded, ROWS, ReadingLimits, SpillBudget};
use crate::source::{ColumnPlan, ReadFailure};
use klimt_core::memory::{Reservation, amount};
use klimt_core::words::option;
use klimt_core::{Error, Result};
use std::fs::File;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

/// The name of a file in messages.
const FILE: &str = "Arrow file";
/// The name of a stream in messages.
const STREAM: &str = "Arrow stream";
/// The name of batches from memory in messages.
const BATCHES: &str = "Arrow batches";

/// An opened Arrow IPC file or stream: its schema is known.
pub struct ArrowSource {
    path: String,
    schema: SchemaRef,
    columns: Vec<String>,
    form: IpcForm,
    /// The bytes that have been read.
    bytes: Arc<AtomicU64>,
    /// The file once more, where it is one.
    again: Option<File>,
}

enum IpcForm {
    /// It has been read.
    Spent,
    File(ArrowFile),
    Stream(ArrowStream),
    Batches(BatchIterator),
}

impl ArrowSource {
    /// Opens a file. The path is for messages.
    pub fn open_file(path: &str, input: Input) -> Result<Self> {
        let bytes = Arc::new(AtomicU64::new(0));
        let file = input.into_file(path)?;
        let again = file.try_clone().map_err(|e| Error::io(path, "read it", &e))?;
        let file =
            decoding(|| ArrowFile::open(file, &bytes)).map_err(|failure| failure.error(path, FILE, ""))?;
        let source = ArrowSource::new(path, file.schema().clone(), IpcForm::File(file), bytes)?;
        Ok(ArrowSource { again: Some(again), ..source })
    }

    /// Opens a stream. The path is for messages.
    pub fn open_stream(path: &str, input: Input) -> Result<Self> {
        let bytes = Arc::new(AtomicU64::new(0));
        let stream = decoding(|| ArrowStream::open(input.into_read(), &bytes))
            .map_err(|failure| failure.error(path, STREAM, ""))?;
        ArrowSource::new(path, stream.schema().clone(), IpcForm::Stream(stream), bytes)
    }

    /// Takes batches of a schema. The path is for messages.
    pub fn of_batches(path: &str, schema: SchemaRef, batches: BatchIterator) -> Result<Self> {
        ArrowSource::new(path, schema, IpcForm::Batches(batches), Arc::new(AtomicU64::new(0)))
    }

    fn new(path: &str, schema: SchemaRef, form: IpcForm, bytes: Arc<AtomicU64>) -> Result<Self> {
        let columns = column_names(path, &schema)?;
        Ok(ArrowSource { path: path.to_string(), schema, columns, form, bytes, again: None })
    }

    /// What it is called in messages.
    pub(crate) fn path(&self) -> &str {
        &self.path
    }

    /// The same source from its beginning, where it is a file.
    pub(crate) fn again(self) -> Option<Result<Self>> {
        let file = self.again?;
        Some(Input::file(&self.path, file).and_then(|input| ArrowSource::open_file(&self.path, input)))
    }

    /// The names of the columns.
    pub fn columns(&self) -> &[String] {
        &self.columns
    }

    /// The types of the columns.
    pub fn types(&self) -> KeptTypes {
        KeptTypes::of(&self.schema)
    }

    /// Reads the columns that the plan asks for, all of them into memory or within a room.
    pub(crate) fn load<'a>(
        &mut self,
        plan: &[ColumnPlan],
        options: &ReadOptions<'_>,
        within: Option<(SpillBudget<'a>, ReadingLimits)>,
    ) -> Result<Loaded<'a>, ReadFailure> {
        let wanted = wanted(plan);
        let (path, schema, bytes) = (self.path.clone(), self.schema.clone(), self.bytes.clone());
        let batches = self.take_batches(&wanted)?;
        let memory = match within {
            Some((room, _)) => Some(room.pool.reserve(0, "batches")?),
            None => None,
        };
        let (group, failure) = (Vec::new(), None);
        let state =
            BatchState { batches, group, memory, failure, next_group: 0, next_column: 0, rows: 0, told: 0 };
        let group_bytes = within.map_or(GROUP_BYTES, |(_, limits)| limits.text);
        let feed = BatchColumns { path: path.clone(), wanted, bytes, group_bytes, state: Mutex::new(state) };
        load(&path, &schema, &feed, plan, options, within)
    }

    /// The rows as batches of the given columns, in this order; the numbers ascend.
    pub fn batches(mut self, columns: &[usize]) -> Result<Batches> {
        self.take_batches(columns)
    }

    fn take_batches(&mut self, columns: &[usize]) -> Result<Batches> {
        check_types(&self.path, &self.schema, columns)?;
        let (what, batches) = match std::mem::replace(&mut self.form, IpcForm::Spent) {
            IpcForm::Spent => return Err(Error::internal("the batches have been read")),
            IpcForm::Stream(stream) => (STREAM, stream.batches(columns)),
            IpcForm::Batches(batches) => {
                let (columns, bytes) = (columns.to_vec(), Arc::clone(&self.bytes));
                let chosen = batches.map(move |batch| {
                    let batch = batch?.project(&columns)?;
                    bytes.fetch_add(size(&batch) as u64, Ordering::Relaxed);
                    Ok(batch)
                });
                (BATCHES, Box::new(chosen) as BatchIterator)
            }
            IpcForm::File(file) => {
                let batches = decoding(|| file.batches(columns));
                (FILE, batches.map_err(|failure| failure.error(&self.path, FILE, ""))?)
            }
        };
        Ok(Batches::new(self.path.clone(), what, batches))
    }
}

/// Batches are put together until they have this many bytes, or the rows of a block: columns of tiny batches would take
/// more to keep apart than to hold.
const GROUP_BYTES: usize = 16 << 20;

/// The batches of a file, some at a time, column by column.
struct BatchColumns<'a> {
    path: String,
    wanted: Vec<usize>,
    bytes: Arc<AtomicU64>,
    group_bytes: usize,
    state: Mutex<BatchState<'a>>,
}

struct BatchState<'a> {
    batches: Batches,
    /// The batches whose columns are handed out.
    group: Vec<RecordBatch>,
    /// The memory of the batches, where it is limited.
    memory: Option<Reservation<'a>>,
    /// The error after them.
    failure: Option<Error>,
    next_group: usize,
    next_column: usize,
    /// The rows up to the end of the group.
    rows: usize,
    /// The bytes that tasks have told of.
    told: u64,
}

impl BatchState<'_> {
    /// Puts the next batches together.
    fn gather(&mut self, path: &str, most: usize) {
        self.group.clear();
        (self.next_group, self.next_column) = (self.next_group + 1, 0);
        let (mut rows, mut bytes) = (0, 0);
        while rows < ROWS && bytes < most {
            let batch = match self.batches.next() {
                None => break,
                Some(Ok(batch)) => batch,
                Some(Err(error)) => {
                    self.failure = Some(error);
                    break;
                }
            };
            rows += batch.num_rows();
            bytes += size(&batch);
            self.group.push(batch);
            if let Err(error) = self.reserve(path, bytes) {
                self.group.clear();
                self.failure = Some(error);
                return;
            }
        }
        self.rows = self.rows.saturating_add(rows);
    }

    /// Takes memory for a group; the one before may still be in the hands of readers.
    fn reserve(&mut self, path: &str, bytes: usize) -> Result<()> {
        let Some(memory) = &mut self.memory else { return Ok(()) };
        let needed = bytes * 2;
        memory.shrink_to(needed);
        if memory.grow(needed - memory.bytes()) {
            return Ok(());
        }
        let needed = amount(needed);
        Err(Error::resource(format!("{path}: a batch of its rows takes {needed} to read, more than is left"))
            .with_help(format!("raise {}, or write the file with fewer rows in a batch", option("memory"))))
    }
}

/// The bytes that the values of a batch take.
fn size(batch: &RecordBatch) -> usize {
    let size = |array: &ArrayRef| array.to_data().get_slice_memory_size().unwrap_or(0);
    batch.columns().iter().map(size).sum()
}

impl Feed for BatchColumns<'_> {
    /// Batches are decoded one after the other, which takes little: buffers are used as they lie in the file, or
    /// decompressed, which is fast beside what becomes of their values.
    fn next(&self) -> Option<Result<ColumnTask>> {
        let mut state = self.state.lock().expect("decoding does not panic");
        loop {
            if let (false, Some(&column)) = (state.group.is_empty(), self.wanted.get(state.next_column)) {
                let array = |batch: &RecordBatch| Ok(batch.column(state.next_column).clone());
                let arrays: Vec<Result<ArrayRef>> = state.group.iter().map(array).collect();
                let rows: usize = state.group.iter().map(RecordBatch::num_rows).sum();
                let (stretch, first_row) = (state.next_group - 1, state.rows - rows);
                let read = self.bytes.load(Ordering::Relaxed);
                let bytes = read - state.told;
                state.told = read;
                state.next_column += 1;
                let arrays = Box::new(arrays.into_iter());
                return Some(Ok(ColumnTask { stretch, first_row, column, bytes, arrays }));
            }
            if let Some(error) = state.failure.take() {
                return Some(Err(error));
            }
            state.gather(&self.path, self.group_bytes);
            if state.group.is_empty() {
                return state.failure.take().map(Err);
            }
        }
    }

    fn rows(&self) -> usize {
        self.state.lock().expect("decoding does not panic").rows
    }
}
