//! Parquet: a task is one column of one row group.

mod footer;
mod shared_file;

use self::footer::{LEVELS, is_too_deep};
use self::shared_file::SharedFile;
use super::batches::Batches;
use super::damage::{Failure, decoding};
use super::input::Input;
use super::read::{Arrays, ColumnTask, Feed, load, wanted};
use super::types::{KeptTypes, check_types, column_names};
use crate::arrow::datatypes::Schema;
use crate::csv::ReadOptions;
use crate::room::{Loaded, ReadingLimits, SpillBudget};
use crate::source::{ColumnPlan, ReadFailure};
use ::parquet::arrow::ProjectionMask;
use ::parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder,
};
use ::parquet::basic::Compression;
use klimt_core::{Error, Result};
use std::sync::atomic::{AtomicUsize, Ordering};

/// The name of the file in messages.
const WHAT: &str = "Parquet file";
/// The rows that are decoded at once.
const BATCH_ROWS: usize = 1 << 13;

/// An opened Parquet file: its schema is known.
pub struct ParquetSource {
    path: String,
    file: SharedFile,
    metadata: ArrowReaderMetadata,
    columns: Vec<String>,
}

impl ParquetSource {
    /// Opens a Parquet file. The path is for messages.
    pub fn open(path: &str, input: Input) -> Result<Self> {
        let (file, failed) = (input.into_file(path)?, |e: &std::io::Error| Error::io(path, "read it", e));
        if is_too_deep(&file).map_err(|e| failed(&e))? {
            return Err(Error::input(format!(
                "{path}: the schema of the Parquet file has more than {LEVELS} levels, or its footer is too large"
            ))
            .with_help("write the columns that are needed to a file of their own"));
        }
        let file = SharedFile::new(file).map_err(|e| failed(&e))?;
        let metadata = decoding(|| ArrowReaderMetadata::load(&file, ArrowReaderOptions::new()))
            .map_err(|failure| failure.error(path, WHAT, ""))?;
        let columns = column_names(path, metadata.schema())?;
        Ok(ParquetSource { path: path.to_string(), file, metadata, columns })
    }

    /// The names of the columns.
    pub fn columns(&self) -> &[String] {
        &self.columns
    }

    /// The types of the columns.
    pub fn types(&self) -> KeptTypes {
        KeptTypes::of(self.schema())
    }

    fn schema(&self) -> &Schema {
        self.metadata.schema()
    }

    /// Reads the columns that the plan asks for, all of them into memory or within a room.
    pub(crate) fn load<'a>(
        &self,
        plan: &[ColumnPlan],
        options: &ReadOptions<'_>,
        within: Option<(SpillBudget<'a>, ReadingLimits)>,
    ) -> Result<Loaded<'a>, ReadFailure> {
        let wanted = wanted(plan);
        self.check(&wanted)?;
        let groups = self.metadata.metadata().row_groups();
        let rows = groups.iter().map(|group| group.num_rows());
        let mut ends = Vec::with_capacity(groups.len());
        for rows in rows {
            let rows = usize::try_from(rows).map_err(|_| Failure::Damaged.error(&self.path, WHAT, ""))?;
            ends.push(ends.last().copied().unwrap_or(0) + rows);
        }
        let feed = RowGroups { source: self, wanted, ends, next: AtomicUsize::new(0) };
        load(&self.path, self.schema(), &feed, plan, options, within)
    }

    /// The rows as batches of the given columns, in this order; the numbers ascend.
    pub fn batches(self, columns: &[usize]) -> Result<Batches> {
        self.check(columns)?;
        let groups = (0..self.metadata.metadata().num_row_groups()).collect();
        let reader = self.reader(groups, columns).map_err(|failure| failure.error(&self.path, WHAT, ""))?;
        Ok(Batches::new(self.path, WHAT, Box::new(reader)))
    }

    fn reader(&self, groups: Vec<usize>, columns: &[usize]) -> Result<ParquetRecordBatchReader, Failure> {
        decoding(|| {
            let builder =
                ParquetRecordBatchReaderBuilder::new_with_metadata(self.file.clone(), self.metadata.clone());
            let projection = ProjectionMask::roots(builder.parquet_schema(), columns.iter().copied());
            let builder =
                builder.with_projection(projection).with_row_groups(groups).with_batch_size(BATCH_ROWS);
            builder.build()
        })
    }

    /// Refuses types and compressions that cannot be read, before anything is.
    fn check(&self, columns: &[usize]) -> Result<()> {
        check_types(&self.path, self.schema(), columns)?;
        let metadata = self.metadata.metadata();
        let leaves = self.metadata.parquet_schema();
        for group in metadata.row_groups() {
            for (leaf, chunk) in group.columns().iter().enumerate() {
                let root = leaves.get_column_root_idx(leaf);
                if columns.contains(&root) && !is_readable(chunk.compression()) {
                    let (path, name) = (&self.path, &self.columns[root]);
                    let codec = if chunk.compression() == Compression::LZO { "LZO" } else { "Brotli" };
                    return Err(Error::input(format!(
                        "{path}: column {name}: its compression {codec} is not known"
                    ))
                    .with_help("write the file again with the compression zstd or snappy"));
                }
            }
        }
        Ok(())
    }
}

fn is_readable(compression: Compression) -> bool {
    !matches!(compression, Compression::BROTLI(_) | Compression::LZO)
}

/// The row groups of a file, column by column.
struct RowGroups<'a> {
    source: &'a ParquetSource,
    wanted: Vec<usize>,
    /// Where each row group ends.
    ends: Vec<usize>,
    next: AtomicUsize,
}

impl Feed for RowGroups<'_> {
    fn next(&self) -> Option<Result<ColumnTask>> {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let stretch = number.checked_div(self.wanted.len())?;
        let column = self.wanted[number % self.wanted.len()];
        let end = *self.ends.get(stretch)?;
        let first_row = if stretch == 0 { 0 } else { self.ends[stretch - 1] };
        let source = self.source;
        let place = format!("row group {}: column {}", stretch + 1, source.columns[column]);
        let arrays = match source.reader(vec![stretch], &[column]) {
            Err(failure) => return Some(Err(failure.error(&source.path, WHAT, &place))),
            Ok(reader) => {
                ParquetValues { reader, path: source.path.clone(), place, left: end - first_row, done: false }
            }
        };
        let group = &source.metadata.metadata().row_groups()[stretch];
        let leaves = source.metadata.parquet_schema();
        let chunks = group
            .columns()
            .iter()
            .enumerate()
            .filter(|(leaf, _)| leaves.get_column_root_idx(*leaf) == column);
        let bytes = chunks.map(|(_, chunk)| chunk.compressed_size().max(0) as u64).sum();
        Some(Ok(ColumnTask { stretch, first_row, column, bytes, arrays: Box::new(arrays) as Arrays }))
    }

    fn rows(&self) -> usize {
        self.ends.last().copied().unwrap_or(0)
    }
}

/// The values of a column in a row group; an error if they are not as many as its rows.
struct ParquetValues {
    reader: ParquetRecordBatchReader,
    path: String,
    place: String,
    left: usize,
    done: bool,
}

impl Iterator for ParquetValues {
    type Item = Result<crate::arrow::array::ArrayRef>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.done {
            return None;
        }
        let next = decoding(|| self.reader.next().transpose());
        let rows = |batch: &crate::arrow::array::RecordBatch| batch.num_rows();
        let result = match next {
            Ok(Some(batch)) if rows(&batch) <= self.left && batch.num_columns() == 1 => {
                self.left -= rows(&batch);
                return Some(Ok(batch.column(0).clone()));
            }
            Ok(None) if self.left == 0 => None,
            Ok(_) => Some(Err(Failure::Damaged)),
            Err(failure) => Some(Err(failure)),
        };
        self.done = true;
        result.map(|r| r.map_err(|failure: Failure| failure.error(&self.path, WHAT, &self.place)))
    }
}
