//! Writing a release as Parquet or Arrow, whole or part by part: several writers encode row groups or batches side by
//! side, and these go out in order.

use super::ColumnarFormat;
use super::choose::RowsKnown;
use super::layout::{ReleaseLayout, Row};
use super::sink::{EncodedUnit, Encoder, UnitOutput};
use super::types::KeptTypes;
use crate::csv::WriteSummary;
use klimt_core::job::Observer;
use klimt_core::recode::{Release, ReleaseColumn, RowOrder};
use klimt_core::{Error, ErrorKind, Result};
use std::io::Write;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex};

/// The rows of a batch, at most.
const BATCH_ROWS: usize = 1 << 16;
/// The rows of a row group.
const ROW_GROUP_ROWS: usize = 1 << 17;

/// Writes a whole release. Rows stand in the same order as in a CSV file. Kept columns have the types that they had in
/// the source; texts without a type become whole numbers, booleans or dates where all of them are spelt so. Generalised
/// columns are texts. A missing value is null.
pub fn write_release(
    release: &Release<'_>,
    format: ColumnarFormat,
    types: &KeptTypes,
    threads: usize,
    sink: &mut (dyn Write + Send),
    progress: &dyn Observer,
) -> Result<WriteSummary> {
    let columns = release.columns();
    let mut writer = ColumnarWriter::new(columns, &RowsKnown::All(release), format, types, threads, sink)?;
    writer.write(release, progress)?;
    Ok(writer.finish()?.0)
}

/// Writes a release part by part; what it keeps depends on the columns and their domains, but for what the file itself
/// says at its end of every row group or batch.
pub struct ColumnarWriter<W: Write + Send> {
    layout: ReleaseLayout,
    output: UnitOutput<W>,
    encoder: Encoder,
    unit_rows: usize,
    threads: usize,
}

impl<W: Write + Send> ColumnarWriter<W> {
    /// Starts a release of some columns. Their types follow from what is known of the rows.
    pub fn new(
        columns: &[ReleaseColumn],
        rows: &RowsKnown<'_>,
        format: ColumnarFormat,
        types: &KeptTypes,
        threads: usize,
        sink: W,
    ) -> Result<Self> {
        let layout = ReleaseLayout::new(columns, rows, types, format)?;
        let (output, encoder) = UnitOutput::new(format, layout.schema(), sink)?;
        let unit_rows = if format.is_parquet() { ROW_GROUP_ROWS } else { BATCH_ROWS };
        Ok(ColumnarWriter { layout, output, encoder, unit_rows, threads })
    }

    /// Writes the next part, whose table has the columns and domains of the others.
    pub fn write(&mut self, release: &Release<'_>, progress: &dyn Observer) -> Result<()> {
        let by_row = if release.row_order == RowOrder::Kept { release.group_by_row() } else { Vec::new() };
        let writer = ColumnarPartWriter {
            release,
            layout: &self.layout,
            encoder: &self.encoder,
            by_row,
            unit_rows: self.unit_rows,
            before: self.output.units(),
            next: AtomicUsize::new(0),
            turn: Mutex::new(UnitTurn { next: 0, output: &mut self.output, result: Ok(()) }),
            changed: Condvar::new(),
            progress,
        };
        std::thread::scope(|scope| {
            let handles: Vec<_> = (0..self.threads.max(1)).map(|_| scope.spawn(|| writer.work())).collect();
            handles.into_iter().for_each(|handle| handle.join().expect("a writer does not panic"));
        });
        writer.turn.into_inner().expect("no writer panicked").result?;
        if progress.cancelled() {
            return Err(Error::new(ErrorKind::Cancelled, "stopped"));
        }
        Ok(())
    }

    /// Ends the file and says what was written, and where to.
    pub fn finish(self) -> Result<(WriteSummary, W)> {
        let (bytes, sink) = self.output.finish()?;
        Ok((WriteSummary { bytes }, sink))
    }
}

/// The unit that may be written next, and the result so far.
struct UnitTurn<'o, W: Write + Send> {
    next: usize,
    output: &'o mut UnitOutput<W>,
    result: Result<()>,
}

/// The state that the writers of a part share.
struct ColumnarPartWriter<'a, 'o, W: Write + Send> {
    release: &'a Release<'a>,
    layout: &'a ReleaseLayout,
    encoder: &'a Encoder,
    /// The group of every row, where rows keep their order.
    by_row: Vec<Option<u32>>,
    unit_rows: usize,
    /// How many units came before this part.
    before: usize,
    next: AtomicUsize,
    turn: Mutex<UnitTurn<'o, W>>,
    changed: Condvar,
    progress: &'a dyn Observer,
}

/// Buffers that a writer reuses for every unit.
#[derive(Default)]
struct UnitScratch {
    rows: Vec<Row>,
    /// The last group, and its rows as they stand in the release: a large group goes to many units.
    group: Option<usize>,
    group_rows: Vec<u32>,
}

impl<W: Write + Send> ColumnarPartWriter<'_, '_, W> {
    fn work(&self) {
        let mut scratch = UnitScratch::default();
        loop {
            let number = self.next.fetch_add(1, Ordering::Relaxed);
            let places = self.release_places();
            let first = number.saturating_mul(self.unit_rows);
            if first >= places {
                return;
            }
            let unit = first..places.min(first + self.unit_rows);
            self.collect(unit.clone(), &mut scratch);
            let encoded = self.encode(number, &scratch.rows);
            let goes_on = self.take_turn(number, encoded);
            self.progress.advance(unit.len() as u64);
            if !goes_on {
                return;
            }
        }
    }

    /// How many places there are for rows: those of the release, or of the table where rows keep their order.
    fn release_places(&self) -> usize {
        if self.release.row_order == RowOrder::Kept { self.by_row.len() } else { self.release.rows() }
    }

    /// The rows at some places, with their groups; at the place of a suppressed row there is none.
    fn collect(&self, places: Range<usize>, scratch: &mut UnitScratch) {
        scratch.rows.clear();
        if self.release.row_order == RowOrder::Kept {
            let rows = places.filter_map(|row| Some((row as u32, self.by_row[row]?)));
            scratch.rows.extend(rows);
            return;
        }
        let partitioning = self.release.partitioning;
        let first = partitioning.ends.partition_point(|&end| end as usize <= places.start);
        for group in first..partitioning.groups() {
            let range = partitioning.range(group);
            if range.start >= places.end {
                break;
            }
            if scratch.group != Some(group) {
                self.release.rows_of(group..group + 1, &mut scratch.group_rows);
                scratch.group = Some(group);
            }
            let inside = places.start.max(range.start) - range.start..places.end.min(range.end) - range.start;
            scratch.rows.extend(scratch.group_rows[inside].iter().map(|&row| (row, group as u32)));
        }
    }

    fn encode(&self, number: usize, rows: &[Row]) -> Result<EncodedUnit> {
        let mut unit = self.encoder.start(self.before + number)?;
        for rows in rows.chunks(BATCH_ROWS) {
            self.layout.batches(self.release, rows, |batch| unit.add(batch))?;
        }
        unit.finish()
    }

    /// Waits for its turn and writes the unit; returns whether there is a point in going on.
    fn take_turn(&self, number: usize, encoded: Result<EncodedUnit>) -> bool {
        let mut turn = self.turn.lock().expect("no writer panics");
        while turn.next != number && turn.result.is_ok() {
            turn = self.changed.wait(turn).expect("no writer panics");
        }
        if turn.result.is_ok() {
            turn.result = encoded.and_then(|unit| turn.output.write(unit));
            turn.next += 1;
        }
        if turn.result.is_ok() && self.progress.cancelled() {
            turn.result = Err(Error::new(ErrorKind::Cancelled, "stopped"));
        }
        let goes_on = turn.result.is_ok();
        drop(turn);
        self.changed.notify_all();
        goes_on
    }
}
