//! The records of a file of any format as texts, for those who only look: a verifier, a measure.

use super::batches::Batches;
use super::damage::other_type;
use super::read::is_float;
use super::spell::ArrayTexts;
use crate::csv::{CsvSource, Fault, Field, Visitor, fault_error, invalid_utf8, scan};
use crate::encoding::reading_error;
use crate::source::{Source, SourceSpec};
use klimt_core::{Error, Result};
use std::fs::File;

/// An opened file whose records can be looked at once, with bounded memory.
pub struct TextRecords {
    source: Source,
}

impl TextRecords {
    /// Opens a file of any format, or standard input for `-`.
    pub fn open(path: &str, spec: impl Into<SourceSpec>) -> Result<Self> {
        Ok(TextRecords { source: Source::open(path, spec)? })
    }

    /// Looks at an open file from its beginning. The path is for messages.
    pub fn of_file(path: &str, file: File, spec: impl Into<SourceSpec>) -> Result<Self> {
        Ok(TextRecords { source: Source::of_file(path, file, spec)? })
    }

    /// Looks at a source that is open.
    pub fn of_source(source: Source) -> Self {
        TextRecords { source }
    }

    /// The names of the columns.
    pub fn columns(&self) -> &[String] {
        self.source.columns()
    }

    /// Calls `each` with the number of every row, counted from 1, and the texts of the chosen columns, in the order in
    /// which they are chosen; a missing value is an empty text. Returns the number of rows. Stops at the first error.
    pub fn for_each(
        self,
        columns: &[usize],
        each: &mut dyn FnMut(u64, &[&str]) -> Result<()>,
    ) -> Result<u64> {
        let mut chosen = columns.to_vec();
        chosen.sort_unstable();
        chosen.dedup();
        if chosen.last().is_some_and(|&last| last >= self.columns().len()) {
            return Err(Error::internal("a column that the file does not have was requested"));
        }
        let place = |column: &usize| chosen.binary_search(column).expect("every chosen column is there");
        let order: Vec<usize> = columns.iter().map(place).collect();
        match self.source {
            Source::Csv(source) => csv_records(source, &chosen, &order, each),
            #[cfg(feature = "parquet")]
            Source::Parquet(source) => batch_records(source.batches(&chosen)?, &order, each),
            Source::Arrow(source) => batch_records(source.batches(&chosen)?, &order, each),
        }
    }
}

fn batch_records(
    mut batches: Batches,
    order: &[usize],
    each: &mut dyn FnMut(u64, &[&str]) -> Result<()>,
) -> Result<u64> {
    let mut rows = 0;
    while let Some(batch) = batches.next().transpose()? {
        let schema = batch.schema();
        let texts = batch.columns().iter().zip(schema.fields()).map(|(array, field)| {
            ArrayTexts::of(array.as_ref()).ok_or_else(|| other_type(batches.path(), field.name()))
        });
        let texts: Vec<ArrayTexts> = texts.collect::<Result<_>>()?;
        let is_float: Vec<bool> = schema.fields().iter().map(|field| is_float(field.data_type())).collect();
        // As where a table is read, a number that is none is missing.
        let text = |place: usize, row: usize| match texts[place].get(row) {
            "NaN" if is_float[place] => "",
            text => text,
        };
        let mut record: Vec<&str> = Vec::with_capacity(order.len());
        for row in 0..batch.num_rows() {
            record.clear();
            record.extend(order.iter().map(|&place| text(place, row)));
            rows += 1;
            each(rows, &record)?;
        }
    }
    Ok(rows)
}

fn csv_records(
    source: CsvSource,
    chosen: &[usize],
    order: &[usize],
    each: &mut dyn FnMut(u64, &[&str]) -> Result<()>,
) -> Result<u64> {
    let CsvSource { path, mut blocks, dialect, columns, header_lines, .. } = source;
    let is_chosen = (0..columns.len()).map(|column| chosen.contains(&column)).collect();
    let mut fields = Fields { is_chosen, bytes: Vec::new(), ends: Vec::new(), rows: 0 };
    let (mut buffer, mut lines, mut rows) = (Vec::new(), header_lines, 0);
    while let Some(filled) = blocks.next_block(&mut buffer).map_err(|e| reading_error(&path, &e))? {
        if filled.too_long {
            return Err(fault_error(&path, lines, Fault::TooLong { bytes: filled.len }, columns.len()));
        }
        if let Err(error) = std::str::from_utf8(&buffer[..filled.len]) {
            let before = memchr::memchr_iter(b'\n', &buffer[..error.valid_up_to()]).count() as u64;
            return Err(invalid_utf8(&path, lines + before + 1));
        }
        fields.clear();
        let read = scan(&buffer, filled.len, dialect.delimiter, columns.len() > 1, &mut fields)
            .map_err(|fault| fault_error(&path, lines, fault, columns.len()))?;
        lines += read;
        let text =
            std::str::from_utf8(&fields.bytes).expect("fields of valid UTF-8 are cut at ASCII characters");
        let mut record: Vec<&str> = Vec::with_capacity(order.len());
        for row in 0..fields.rows {
            let ends = &fields.ends[row * chosen.len()..];
            record.clear();
            record.extend(order.iter().map(|&place| &text[ends[place]..ends[place + 1]]));
            rows += 1;
            each(rows, &record)?;
        }
    }
    Ok(rows)
}

/// The chosen fields of a block.
struct Fields {
    is_chosen: Vec<bool>,
    bytes: Vec<u8>,
    /// 0, and where each field ends.
    ends: Vec<usize>,
    rows: usize,
}

impl Fields {
    fn clear(&mut self) {
        self.rows = 0;
        self.bytes.clear();
        self.ends.clear();
        self.ends.push(0);
    }
}

impl Visitor for Fields {
    #[inline(always)]
    fn field(&mut self, column: usize, field: Field<'_>) {
        if self.is_chosen.get(column) == Some(&true) {
            self.bytes.extend_from_slice(field.bytes());
            self.ends.push(self.bytes.len());
        }
    }

    #[inline(always)]
    fn record(&mut self, columns: usize, first_line: u64, _: u64) -> Result<(), Fault> {
        if columns != self.is_chosen.len() {
            return Err(Fault::Ragged { line: first_line, found: columns });
        }
        self.rows += 1;
        Ok(())
    }
}
