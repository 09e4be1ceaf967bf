//! The Arrow IPC formats: files (Feather version 2) and streams.

use super::arrow_file::ArrowFile;
use super::arrow_stream::ArrowStream;
use super::batches::Batches;
use super::damage::decoding;
use super::input::Input;
use super::read::{Feed, Task, read, wanted};
use super::types::{KeptTypes, check_types, column_names};
use crate::csv::ReadOptions;
use crate::source::{ColumnPlan, ReadReport};
use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use klimt::Result;
use klimt::table::Table;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

/// What a file is called in messages.
const FILE: &str = "Arrow file";
/// What a stream is called in messages.
const STREAM: &str = "Arrow stream";

/// An opened Arrow IPC file or stream: its schema is known.
pub struct ArrowSource {
    path: String,
    schema: SchemaRef,
    columns: Vec<String>,
    form: IpcForm,
    /// The bytes that have been read.
    bytes: Arc<AtomicU64>,
}

enum IpcForm {
    File(ArrowFile),
    Stream(ArrowStream),
}

impl ArrowSource {
    /// Opens a file. The path is for messages.
    pub fn open_file(path: &str, input: Input) -> Result<Self> {
        let bytes = Arc::new(AtomicU64::new(0));
        let file = input.into_file(path)?;
        let file =
            decoding(|| ArrowFile::open(file, &bytes)).map_err(|failure| failure.error(path, FILE, ""))?;
        ArrowSource::new(path, file.schema().clone(), IpcForm::File(file), bytes)
    }

    /// Opens a stream. The path is for messages.
    pub fn open_stream(path: &str, input: Input) -> Result<Self> {
        let bytes = Arc::new(AtomicU64::new(0));
        let stream = decoding(|| ArrowStream::open(input.into_read(), &bytes))
            .map_err(|failure| failure.error(path, STREAM, ""))?;
        ArrowSource::new(path, stream.schema().clone(), IpcForm::Stream(stream), bytes)
    }

    fn new(path: &str, schema: SchemaRef, form: IpcForm, bytes: Arc<AtomicU64>) -> Result<Self> {
        let columns = column_names(path, &schema)?;
        Ok(ArrowSource { path: path.to_string(), schema, columns, form, bytes })
    }

    /// The names of the columns.
    pub fn columns(&self) -> &[String] {
        &self.columns
    }

    /// The types of the columns.
    pub fn types(&self) -> KeptTypes {
        KeptTypes::of(&self.schema)
    }

    /// Reads the columns that the plan asks for.
    pub fn read(self, plan: &[ColumnPlan], options: &ReadOptions<'_>) -> Result<(Table, ReadReport)> {
        let wanted = wanted(plan);
        let (path, schema, bytes) = (self.path.clone(), self.schema.clone(), self.bytes.clone());
        let batches = self.batches(&wanted)?;
        let state = State { batches, batch: None, next_batch: 0, next_column: 0, rows: 0, told: 0 };
        let feed = BatchColumns { wanted, bytes, state: Mutex::new(state) };
        read(&path, &schema, &feed, plan, options)
    }

    /// The rows as batches of the given columns, in this order; the numbers ascend.
    pub fn batches(self, columns: &[usize]) -> Result<Batches> {
        check_types(&self.path, &self.schema, columns)?;
        let (what, batches) = match self.form {
            IpcForm::Stream(stream) => (STREAM, stream.batches(columns)),
            IpcForm::File(file) => {
                let batches = decoding(|| file.batches(columns));
                (FILE, batches.map_err(|failure| failure.error(&self.path, FILE, ""))?)
            }
        };
        Ok(Batches::new(self.path, what, batches))
    }
}

/// The batches of a file, column by column.
struct BatchColumns {
    wanted: Vec<usize>,
    bytes: Arc<AtomicU64>,
    state: Mutex<State>,
}

struct State {
    batches: Batches,
    /// The batch whose columns are handed out.
    batch: Option<RecordBatch>,
    next_batch: usize,
    next_column: usize,
    /// The rows up to the end of the batch.
    rows: usize,
    /// The bytes that tasks have told of.
    told: u64,
}

impl Feed for BatchColumns {
    /// Batches are decoded one after the other, which takes little: buffers are used as they lie in the file, or
    /// decompressed, which is fast beside what becomes of their values.
    fn next(&self) -> Option<Result<Task>> {
        let mut state = self.state.lock().expect("decoding does not panic");
        loop {
            if let (Some(batch), Some(&column)) = (&state.batch, self.wanted.get(state.next_column)) {
                let array = batch.column(state.next_column).clone();
                let (stretch, first_row) = (state.next_batch - 1, state.rows - batch.num_rows());
                let read = self.bytes.load(Ordering::Relaxed);
                let bytes = read - state.told;
                state.told = read;
                state.next_column += 1;
                let arrays = Box::new(std::iter::once(Ok(array)));
                return Some(Ok(Task { stretch, first_row, column, bytes, arrays }));
            }
            match state.batches.next()? {
                Err(error) => return Some(Err(error)),
                Ok(batch) => {
                    state.rows = state.rows.saturating_add(batch.num_rows());
                    state.next_batch += 1;
                    state.next_column = 0;
                    state.batch = Some(batch);
                }
            }
        }
    }

    fn rows(&self) -> usize {
        self.state.lock().expect("decoding does not panic").rows
    }
}
