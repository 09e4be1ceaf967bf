//! Workbooks (`.xlsx`, `.ods`): a sheet becomes text in which numbers and dates are spelt as in a CSV file.

mod cell;
mod sheet;

use self::sheet::SheetText;
use crate::archive::{Archive, ArchiveKind};
use calamine::{Data, DataRef, Ods, Reader, SheetType, SheetVisible, Xlsx};
use klimt_core::memory::amount;
use klimt_core::words::option_is;
use klimt_core::{Error, Remedy, Result};
use std::fs::File;
use std::io::{BufReader, Read, Seek};

/// A sheet as text.
pub struct Sheet {
    /// Its name.
    pub name: String,
    /// Its text: separated by commas, UTF-8.
    pub text: Box<dyn Read + Send>,
    /// The row of the sheet on which each record stands, counted from 0.
    pub rows: Vec<u32>,
}

/// What is asked of a workbook.
#[derive(Clone, Copy, Debug)]
pub struct SheetRequest<'a> {
    /// The sheet, by its name or its number from 1.
    pub sheet: Option<&'a str>,
    /// Whether the first row names the columns; so it is where nothing is said.
    pub header: Option<bool>,
    /// The memory that it may take.
    pub memory: Option<usize>,
}

/// A workbook whose sheets are known.
enum Workbook {
    Xlsx(Box<Xlsx<BufReader<File>>>),
    Ods(Box<Ods<BufReader<File>>>),
}

/// Reads a sheet of a workbook. The path is for messages.
pub fn read(path: &str, mut archive: Archive, kind: ArchiveKind, request: SheetRequest<'_>) -> Result<Sheet> {
    check_size(path, &mut archive, &kind, request.memory)?;
    let mut file = archive.into_file();
    file.rewind().map_err(|e| Error::io(path, "read it", &e))?;
    let file = BufReader::new(file);
    let damaged =
        || Error::input(format!("{path}: the workbook is damaged")).with_help("save or download it again");
    let mut workbook = match kind {
        ArchiveKind::Ods => Workbook::Ods(Box::new(Ods::new(file).map_err(|_| damaged())?)),
        _ => Workbook::Xlsx(Box::new(Xlsx::new(file).map_err(|error| {
            match error {
                calamine::XlsxError::Password => Error::input(format!("{path}: the workbook is encrypted"))
                    .with_help("save it without a password"),
                _ => damaged(),
            }
        })?)),
    };
    let name = workbook.choose(path, request.sheet)?;
    let mut text = SheetText::new(path, &name);
    workbook
        .each_cell(&name, &mut |row, column, data| text.look(row, column, data))
        .ok_or_else(damaged)??;
    text.find_table(request.header)?;
    workbook
        .each_cell(&name, &mut |row, column, data| text.write(row, column, data))
        .ok_or_else(damaged)??;
    let (text, rows) = text.finish()?;
    Ok(Sheet { name, text, rows })
}

/// How many times the bytes of a part of a workbook it takes in memory at most.
const TIMES: u64 = 4;

/// Refuses a workbook of which those parts that are held in memory do not fit.
fn check_size(path: &str, archive: &mut Archive, kind: &ArchiveKind, memory: Option<usize>) -> Result<()> {
    let held: &[&str] = match kind {
        ArchiveKind::Ods => &["content.xml"],
        _ => &["xl/sharedStrings.xml", "xl/styles.xml", "xl/workbook.xml"],
    };
    let Some(memory) = memory else { return Ok(()) };
    let mut needed = 0;
    for name in held {
        // A part that is not there takes nothing.
        needed += archive.member(name).map_or(0, |member| member.length() * TIMES);
    }
    if needed <= memory as u64 {
        return Ok(());
    }
    Err(Error::resource(format!("{path}: the workbook takes more than {} of memory", amount(memory)))
        .with_help(Remedy::RaiseMemory(usize::try_from(needed).unwrap_or(usize::MAX)))
        .with_help("save the sheet as CSV, which is read in any amount of memory"))
}

impl Workbook {
    fn sheets(&self) -> Vec<String> {
        let metadata = match self {
            Workbook::Xlsx(workbook) => workbook.sheets_metadata(),
            Workbook::Ods(workbook) => workbook.sheets_metadata(),
        };
        let visible = |sheet: &&calamine::Sheet| {
            sheet.typ == SheetType::WorkSheet && sheet.visible == SheetVisible::Visible
        };
        metadata.iter().filter(visible).map(|sheet| sheet.name.clone()).collect()
    }

    /// The sheet that is asked for, or the only one that is not empty.
    fn choose(&mut self, path: &str, asked: Option<&str>) -> Result<String> {
        let names = self.sheets();
        let problem = match asked {
            None => {
                let filled: Vec<&String> = names.iter().filter(|name| self.has_cells(name)).collect();
                match filled[..] {
                    [] => return Err(Error::input(format!("{path}: the workbook is empty"))),
                    [only] => return Ok(only.clone()),
                    _ => format!("{path}: the workbook has {} sheets", names.len()),
                }
            }
            Some(asked) => {
                let numbered = || names.get(asked.parse::<usize>().ok()?.checked_sub(1)?);
                match names.iter().find(|name| *name == asked).or_else(numbered) {
                    Some(found) => return Ok(found.clone()),
                    None => format!("{path}: the workbook has no sheet {asked}"),
                }
            }
        };
        Err(names.iter().enumerate().fold(Error::input(problem), |error, (at, name)| {
            error.with_help(format!("choose sheet {}: {}", at + 1, option_is("sheet", name)))
        }))
    }

    fn has_cells(&mut self, name: &str) -> bool {
        let mut found = false;
        let read = self.each_cell(name, &mut |_, _, data| {
            found |= !cell::is_empty(data);
            Ok(!found)
        });
        found || read.is_none()
    }

    /// Calls `each` with row, column and value of every cell, until it says that this is enough. `None` where the sheet is
    /// damaged.
    fn each_cell(
        &mut self,
        name: &str,
        each: &mut dyn FnMut(u32, u32, &DataRef<'_>) -> Result<bool>,
    ) -> Option<Result<()>> {
        match self {
            Workbook::Xlsx(workbook) => {
                let mut cells = workbook.worksheet_cells_reader(name).ok()?;
                while let Some(cell) = cells.next_cell().ok()? {
                    let (row, column) = cell.get_position();
                    match each(row, column, cell.get_value()) {
                        Ok(true) => {}
                        Ok(false) => return Some(Ok(())),
                        Err(error) => return Some(Err(error)),
                    }
                }
            }
            Workbook::Ods(workbook) => {
                let range = workbook.worksheet_range(name).ok()?;
                let (first_row, first_column) = range.start().unwrap_or_default();
                for (row, column, data) in range.used_cells() {
                    let (row, column) = (first_row + row as u32, first_column + column as u32);
                    match each(row, column, &borrowed(data)) {
                        Ok(true) => {}
                        Ok(false) => return Some(Ok(())),
                        Err(error) => return Some(Err(error)),
                    }
                }
            }
        }
        Some(Ok(()))
    }
}

/// A value without its own text.
fn borrowed(data: &Data) -> DataRef<'_> {
    match data {
        Data::Int(value) => DataRef::Int(*value),
        Data::Float(value) => DataRef::Float(*value),
        Data::String(text) => DataRef::SharedString(text),
        Data::Bool(value) => DataRef::Bool(*value),
        Data::DateTime(time) => DataRef::DateTime(*time),
        Data::DateTimeIso(text) => DataRef::DateTimeIso(text.clone()),
        Data::DurationIso(text) => DataRef::DurationIso(text.clone()),
        Data::Error(error) => DataRef::Error(error.clone()),
        Data::Empty => DataRef::Empty,
    }
}
