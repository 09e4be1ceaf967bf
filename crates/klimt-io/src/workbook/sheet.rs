//! A sheet as separated text: which rows and columns its table has, and its cells.

use super::cell;
use crate::csv::quote_field;
use calamine::DataRef;
use klimt_core::words::option;
use klimt_core::{Error, Result};
use std::collections::BTreeMap;
use std::io::{self, Read, Seek, Write};
use tempfile::SpooledTempFile;

/// The text that is kept in memory; what comes after it goes to a file without a name.
const IN_MEMORY: usize = 4 << 20;

/// What is known of a column of the sheet.
#[derive(Clone, Copy, Debug, Default)]
struct SheetColumn {
    has_time: bool,
    /// Its place in the table.
    place: usize,
}

/// A sheet that becomes text in two walks over its cells: the first one finds the table, the second one writes it.
pub struct SheetText<'p> {
    path: &'p str,
    name: &'p str,
    /// The columns that have a cell which is not empty.
    columns: BTreeMap<u32, SheetColumn>,
    /// The first row that has one, and which of its columns do.
    first_row: Option<(u32, Vec<u32>)>,
    text: io::BufWriter<SpooledTempFile>,
    rows: Vec<u32>,
    /// The texts of the row that is being written, by the place of the column.
    row: Vec<Vec<u8>>,
    at: Option<u32>,
    record: Vec<u8>,
}

impl<'p> SheetText<'p> {
    /// A sheet of which nothing has been seen. Path and name are for messages.
    pub fn new(path: &'p str, name: &'p str) -> Self {
        SheetText {
            path,
            name,
            columns: BTreeMap::new(),
            first_row: None,
            text: io::BufWriter::new(SpooledTempFile::new(IN_MEMORY)),
            rows: Vec::new(),
            row: Vec::new(),
            at: None,
            record: Vec::new(),
        }
    }

    /// Looks at a cell, in the first walk. Rows ascend.
    pub fn look(&mut self, row: u32, column: u32, data: &DataRef<'_>) -> Result<bool> {
        if cell::is_empty(data) {
            return Ok(true);
        }
        let (first, filled) = self.first_row.get_or_insert_with(|| (row, Vec::new()));
        let is_first = *first == row;
        if is_first {
            filled.push(column);
        }
        let known = self.columns.entry(column).or_default();
        // The name of a column is no value of it.
        known.has_time |= !is_first && cell::has_time(data);
        Ok(true)
    }

    /// Finds the table, after the first walk: all columns that have a cell, from the first row that has one. That row has
    /// to name all columns, unless it names none; the first one may go without, as row numbers often do.
    pub fn find_table(&mut self, header: Option<bool>) -> Result<()> {
        let (path, name) = (self.path, self.name);
        let Some((row, filled)) = &self.first_row else {
            return Err(Error::input(format!("{path}: sheet {name} is empty")));
        };
        let unnamed = self.columns.keys().skip(1).find(|column| !filled.contains(column));
        if let (Some(column), true) = (unnamed, header != Some(false)) {
            return Err(Error::input(format!(
                "{path}: sheet {name}: row {}: column {} has no name: {} of {} columns have one",
                row + 1,
                letters(*column),
                filled.len(),
                self.columns.len()
            ))
            .with_help("remove rows above the names of the columns, such as a title, and name every column in one cell")
            .with_help(format!("where the first row holds values: {}", option("no-header"))));
        }
        self.row = vec![Vec::new(); self.columns.len()];
        self.columns.values_mut().enumerate().for_each(|(place, column)| column.place = place);
        Ok(())
    }

    /// Takes in a cell, in the second walk. Rows ascend.
    pub fn write(&mut self, row: u32, column: u32, data: &DataRef<'_>) -> Result<bool> {
        if cell::is_empty(data) {
            return Ok(true);
        }
        if self.at != Some(row) {
            self.end_row()?;
            self.at = Some(row);
        }
        let is_first = self.first_row.as_ref().is_some_and(|(first, _)| *first == row);
        if let Some(known) = self.columns.get(&column) {
            cell::write(data, known.has_time && !is_first, &mut self.row[known.place]);
        }
        Ok(true)
    }

    /// Ends the row at hand. A row without cells is none.
    fn end_row(&mut self) -> Result<()> {
        let Some(row) = self.at.take() else { return Ok(()) };
        self.record.clear();
        for (at, text) in self.row.iter_mut().enumerate() {
            if at > 0 {
                self.record.push(b',');
            }
            quote_field(text, b',', &mut self.record);
            text.clear();
        }
        // A single column has an empty text in quotes, but no such row is written.
        self.record.push(b'\n');
        self.rows.push(row);
        self.text.write_all(&self.record).map_err(|e| no_room(&e))
    }

    /// The text and the row of every record.
    pub fn finish(mut self) -> Result<(Box<dyn Read + Send>, Vec<u32>)> {
        self.end_row()?;
        let mut text = self.text.into_inner().map_err(|e| no_room(e.error()))?;
        text.rewind().map_err(|e| no_room(&e))?;
        Ok((Box::new(text), self.rows))
    }
}

fn no_room(error: &io::Error) -> Error {
    Error::io("the folder for temporary files", "write there", error)
}

/// A column as a sheet names it: A, B, … Z, AA.
fn letters(column: u32) -> String {
    let mut text = String::new();
    let mut rest = column + 1;
    while rest > 0 {
        text.insert(0, char::from(b'A' + ((rest - 1) % 26) as u8));
        rest = (rest - 1) / 26;
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_have_letters() {
        for (column, expected) in [(0, "A"), (25, "Z"), (26, "AA"), (27, "AB"), (701, "ZZ"), (702, "AAA")] {
            assert_eq!(letters(column), expected);
        }
    }
}
