//! Reading a columnar file into a table: readers side by side take one column of one stretch of rows after another.

use super::damage::other_type;
use super::spell::{TextSpan, spell};
use crate::arrow::array::ArrayRef;
use crate::arrow::datatypes::{DataType, Schema};
use crate::column::{ColumnForm, ColumnReader, Misfits, PADDING, RowLines, is_kept};
use crate::csv::ReadOptions;
use crate::form::FormSpec;
use crate::room::{Loaded, Lot, LotGatherer, ROWS, Readers, ReadingLimits, ReadingResult, SpillBudget};
use crate::source::{ColumnPlan, ReadFailure, ReadReport};
use klimt_core::spill::SpillFile;
use klimt_core::table::{ColumnSpec, EMPTY_TEXT, Role, ValueType};
use klimt_core::words::column_option;
use klimt_core::{Error, ErrorKind, Result};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

/// A block ends before it holds more bytes of text than this.
const BLOCK_BYTES: usize = if cfg!(test) { 1 << 20 } else { 1 << 30 };
/// A longer text is not read.
const LONGEST_TEXT: usize = if cfg!(test) { 1 << 18 } else { 256 << 20 };

/// The arrays of one column, in the order of their rows.
pub type Arrays = Box<dyn Iterator<Item = Result<ArrayRef>> + Send>;

/// One column of a stretch of rows.
pub struct ColumnTask {
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
    fn next(&self) -> Option<Result<ColumnTask>>;
    /// The rows of the file, when all has been handed out.
    fn rows(&self) -> usize;
}

/// The numbers of the columns that a plan asks for.
pub fn wanted(plan: &[ColumnPlan]) -> Vec<usize> {
    (0..plan.len()).filter(|&column| plan[column].spec.is_some()).collect()
}

/// Reads what a feed hands out, all of it into memory or within a room.
pub fn load<'a>(
    path: &str,
    schema: &Schema,
    feed: &dyn Feed,
    plan: &[ColumnPlan],
    options: &ReadOptions<'_>,
    within: Option<(SpillBudget<'a>, ReadingLimits)>,
) -> Result<Loaded<'a>, ReadFailure> {
    let plan = &declared(plan, schema)[..];
    let kinds: Vec<ValueTreatment> = plan
        .iter()
        .zip(schema.fields())
        .map(|(plan, field)| ValueTreatment::of(plan, field.data_type()))
        .collect();
    let shared = ColumnarReaders {
        path,
        feed,
        schema,
        plan,
        seen: kinds.iter().map(|_| EmptyCells::default()).collect(),
        kinds,
        failed: AtomicBool::new(false),
        read: Mutex::default(),
        options,
        gathering: LotGatherer::new(plan, within)?,
        block_rows: within.map_or(ROWS, |(_, limits)| limits.rows),
        block_bytes: within.map_or(BLOCK_BYTES, |(_, limits)| limits.text),
    };
    let readers: Readers = std::thread::scope(|scope| {
        let handles: Vec<_> = (0..options.threads.max(1))
            .map(|number| {
                let shared = &shared;
                scope.spawn(move || shared.work(number).into_iter().map(ColumnReader::remains).collect())
            })
            .collect();
        handles.into_iter().map(|handle| handle.join().expect("a reader does not panic")).collect()
    });
    if options.observer.cancelled() {
        return Err(Error::new(ErrorKind::Cancelled, "stopped").into());
    }
    let ColumnarReaders { read, gathering, seen, .. } = shared;
    let mut read = read.into_inner().expect("no reader panicked");
    read.troubles.sort_by_key(|&(stretch, column, _)| (stretch, column));
    if let Some((_, _, error)) = read.troubles.into_iter().next() {
        return Err(error.into());
    }
    if feed.rows() == 0 {
        return Err(Error::input(format!("{path}: the file has no rows")).into());
    }
    let empty_texts = plan.iter().zip(&seen).filter(|(_, seen)| seen.only_empty());
    let empty_texts = empty_texts.filter_map(|(plan, _)| Some(plan.spec.as_ref()?.name.clone())).collect();
    let report = ReadReport { bytes: read.bytes, empty_texts, ..ReadReport::default() };
    // A row is a line of its own, and none comes before the first.
    let lines = |_: Option<&SpillFile>| Ok(RowLines::default());
    let mut misfits = read.misfits;
    misfits.sort_by_key(|(column, misfits)| (*column, misfits.first_rows.first().copied()));
    ReadingResult { path, plan, rows: feed.rows(), report, misfits, lines: &lines }.load(readers, gathering)
}

#[derive(Default)]
struct StretchResults {
    /// The errors, by stretch and column.
    troubles: Vec<(usize, usize, Error)>,
    bytes: u64,
    /// The values that are not of a declared form, by column.
    misfits: Vec<(usize, Misfits)>,
}

/// The state that the readers share.
struct ColumnarReaders<'s, 'a> {
    path: &'s str,
    feed: &'s dyn Feed,
    schema: &'s Schema,
    plan: &'s [ColumnPlan],
    /// The special treatment of the values of each column.
    kinds: Vec<ValueTreatment>,
    seen: Vec<EmptyCells>,
    failed: AtomicBool,
    read: Mutex<StretchResults>,
    options: &'s ReadOptions<'s>,
    gathering: LotGatherer<'a>,
    /// A block ends after this many rows.
    block_rows: usize,
    /// The most bytes of text that are handed over at once.
    block_bytes: usize,
}

impl<'a> ColumnarReaders<'_, 'a> {
    fn work(&self, number: usize) -> Vec<ColumnReader<'_, 'a>> {
        let columns = self.plan.iter().enumerate();
        let mut readers: Vec<ColumnReader> = columns
            .map(|(column, plan)| {
                let data_type = self.schema.field(column).data_type();
                let form = plan.spec.as_ref().map_or(ColumnForm::Dropped, |spec| form(spec, data_type));
                ColumnReader::new(number, form, plan, self.gathering.thrift(column))
            })
            .collect();
        let mut scratch = Vec::new();
        while !self.failed.load(Ordering::Relaxed) && !self.options.observer.cancelled() {
            let Some(task) = self.feed.next() else { break };
            let (place, result, bytes) = match task {
                // A file whose next stretch cannot be found fails after all that were.
                Err(error) => ((usize::MAX, 0), Err(error), 0),
                Ok(task) => {
                    let (place, bytes) = ((task.stretch, task.column), task.bytes);
                    (place, self.take(task, &mut readers[place.1], &mut scratch), bytes)
                }
            };
            self.options.observer.advance(bytes);
            let mut read = self.read.lock().expect("no reader panics");
            read.bytes += bytes;
            if let Err(error) = result {
                read.troubles.push((place.0, place.1, error));
                self.failed.store(true, Ordering::Relaxed);
            }
        }
        readers
    }

    /// Reads the texts of a task.
    fn take(&self, task: ColumnTask, reader: &mut ColumnReader<'_, '_>, scratch: &mut Vec<u8>) -> Result<()> {
        let name = self.schema.field(task.column).name();
        let kind = self.kinds[task.column];
        let task_place = TaskPlace { stretch: task.stretch, first_row: task.first_row, column: task.column };
        let (mut part, mut too_long) = (ColumnSlice { row: 0, rows: 0, bytes: 0 }, None);
        for array in task.arrays {
            let mut result = Ok(());
            let spelt = spell(array?.as_ref(), &mut |spelt: TextSpan<'_>| {
                let (buffer, start, end) = self.told(task.column, kind, spelt);
                if end - start > LONGEST_TEXT || result.is_err() {
                    too_long.get_or_insert(task.first_row + part.row + part.rows + 1);
                    return;
                }
                let block_ends = (part.row + part.rows).is_multiple_of(self.block_rows);
                if part.rows > 0 && (block_ends || part.bytes + (end - start) > self.block_bytes) {
                    result = self.hand_over(&task_place, &mut part, reader, scratch);
                }
                (part.rows, part.bytes) = (part.rows + 1, part.bytes + (end - start));
                reader.push(buffer, start, end);
            });
            result?;
            if !spelt {
                return Err(other_type(self.path, name));
            }
            if let Some(row) = too_long {
                let path = self.path;
                return Err(Error::input(format!(
                    "{path}: column {name}: line {row}: a text of more than {LONGEST_TEXT} bytes"
                ))
                .with_help(format!("drop the column: {}", column_option("identifier", name, None))));
            }
            if self.failed.load(Ordering::Relaxed) || self.options.observer.cancelled() {
                break;
            }
        }
        self.hand_over(&task_place, &mut part, reader, scratch)
    }

    /// The text of a value for a reader: empty for a missing one.
    #[inline]
    fn told<'b>(&self, column: usize, kind: ValueTreatment, spelt: TextSpan<'b>) -> (&'b [u8], usize, usize) {
        let missing: (&[u8], usize, usize) = (&[0; PADDING], 0, 0);
        match (kind, spelt) {
            (ValueTreatment::Counted, spelt) if spelt.is_none_or(|(_, start, end)| start == end) => {
                let seen = &self.seen[column];
                let which = if spelt.is_none() { &seen.missing } else { &seen.empty };
                which.store(true, Ordering::Relaxed);
                missing
            }
            (ValueTreatment::Kept, Some((_, start, end))) if start == end => {
                (EMPTY_PADDED, 0, EMPTY_TEXT.len())
            }
            (ValueTreatment::Float, Some((buffer, start, end))) if &buffer[start..end] == b"NaN" => missing,
            (_, spelt) => spelt.unwrap_or(missing),
        }
    }

    /// Hands over what was read of a column; the next part starts.
    fn hand_over(
        &self,
        place: &TaskPlace,
        part: &mut ColumnSlice,
        reader: &mut ColumnReader<'_, '_>,
        scratch: &mut Vec<u8>,
    ) -> Result<()> {
        let TaskPlace { stretch, first_row, column } = *place;
        let ColumnSlice { row, rows, .. } = *part;
        if let Some(misfits) = reader.take_misfits() {
            let mut read = self.read.lock().expect("no reader panics");
            read.misfits.push((column, misfits.after(first_row + row)));
        }
        let blocks = reader.finish_block();
        *part = ColumnSlice { row: row + rows, rows: 0, bytes: 0 };
        let columns = vec![(column, blocks)];
        self.gathering.add(Lot { stretch, row, rows, block_rows: self.block_rows, columns }, scratch)
    }
}

/// [`EMPTY_TEXT`] in a buffer that goes on.
const EMPTY_PADDED: &[u8] = &{
    let mut padded = [0; PADDING + EMPTY_TEXT.len()];
    padded[0] = EMPTY_TEXT[0];
    padded
};

/// The special treatment of the values of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ValueTreatment {
    /// Nothing.
    Plain,
    /// Texts that are published as they are and not looked at: an empty one is not missing.
    Kept,
    /// Texts that are published as they are and counted: an empty one counts as missing.
    Counted,
    /// Floating-point numbers that are looked at: one that is not a number is missing.
    Float,
}

impl ValueTreatment {
    fn of(plan: &ColumnPlan, data_type: &DataType) -> Self {
        let data_type = values_of(data_type);
        let is_text = is_text(data_type);
        match &plan.spec {
            Some(spec) if is_text && is_kept(spec.role) => ValueTreatment::Kept,
            Some(spec) if is_text && spec.role != Role::QuasiIdentifier => ValueTreatment::Counted,
            Some(spec) if is_float(data_type) && !is_kept(spec.role) => ValueTreatment::Float,
            _ => ValueTreatment::Plain,
        }
    }
}

/// Whether a column has missing values and empty texts.
#[derive(Default)]
struct EmptyCells {
    missing: AtomicBool,
    empty: AtomicBool,
}

impl EmptyCells {
    fn only_empty(&self) -> bool {
        self.empty.load(Ordering::Relaxed) && !self.missing.load(Ordering::Relaxed)
    }
}

/// Whether a column has floating-point numbers, of which one that is not a number is missing.
pub(super) fn is_float(data_type: &DataType) -> bool {
    values_of(data_type).is_floating()
}

fn is_text(data_type: &DataType) -> bool {
    matches!(data_type, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View)
}

/// The type of the values of a dictionary, or the type itself.
fn values_of(data_type: &DataType) -> &DataType {
    match data_type {
        DataType::Dictionary(_, values) => values,
        other => other,
    }
}

/// The plan with the types that the file declares, where nothing else is said and the values are looked at: they hold, and
/// do not depend on which values happen to occur. Texts may be spelt numbers or dates, as in a CSV file.
fn declared(plan: &[ColumnPlan], schema: &Schema) -> Vec<ColumnPlan> {
    let declared = |data_type: &DataType| match data_type {
        integer if integer.is_integer() => Some(ValueType::Integer),
        number if number.is_floating() || number.is_decimal() => Some(ValueType::Decimal),
        DataType::Date32 => Some(ValueType::Date),
        DataType::Timestamp(..) => Some(ValueType::Timestamp),
        DataType::Boolean => Some(ValueType::Boolean),
        _ => None,
    };
    let mut plan = plan.to_vec();
    for (plan, field) in plan.iter_mut().zip(schema.fields()) {
        if !is_text(values_of(field.data_type())) {
            // Its type says what a value is, however it is spelt.
            plan.form = FormSpec::AsItIs;
        }
        if let Some(spec) = plan.spec.as_mut().filter(|spec| spec.type_spec.is_none() && !is_kept(spec.role))
        {
            spec.type_spec = declared(values_of(field.data_type())).map(Into::into);
        }
    }
    plan
}

/// Where the values of a task belong.
struct TaskPlace {
    stretch: usize,
    first_row: usize,
    column: usize,
}

/// Some rows of a column of a stretch.
struct ColumnSlice {
    /// The first row within the stretch.
    row: usize,
    rows: usize,
    /// The bytes of their texts.
    bytes: usize,
}

/// Whole numbers are stored as such; all else starts out with a dictionary, which a kept column leaves when it has too
/// many values.
fn form(spec: &ColumnSpec, data_type: &DataType) -> ColumnForm {
    if data_type.is_integer() && !is_kept(spec.role) { ColumnForm::Integers } else { ColumnForm::Dictionary }
}
