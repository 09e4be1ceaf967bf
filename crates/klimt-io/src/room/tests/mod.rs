//! Compares tables read within little memory with the same tables read with plenty.

#[cfg(feature = "parquet")]
mod columnar;
mod equal;
mod faults;
mod ranges;

use super::{Loaded, ReadingLimits, SpillBudget, SpilledTable};
use crate::csv::{DialectSpec, ReadOptions};
use crate::source::{ColumnPlan, Source};
use klimt_core::job::Unobserved;
use klimt_core::memory::Pool;
use klimt_core::spill::{Block, Rows, SpillFolder};
use klimt_core::table::{Column, ColumnSpec, Domain, Role, Shape, Table};
use klimt_core::{Error, Result};
use std::io::Write;
use tempfile::{NamedTempFile, TempDir};

/// A file with the given bytes.
fn file(bytes: &[u8]) -> NamedTempFile {
    let mut file = NamedTempFile::new().unwrap();
    file.write_all(bytes).unwrap();
    file.flush().unwrap();
    file
}

fn open(file: &NamedTempFile) -> Source {
    Source::open(file.path().to_str().unwrap(), DialectSpec::default()).unwrap()
}

fn plan(specs: Vec<ColumnSpec>) -> Vec<ColumnPlan> {
    specs.into_iter().map(|spec| ColumnPlan::of(Some(spec))).collect()
}

/// A quasi-identifier.
fn quasi(name: &str) -> ColumnSpec {
    ColumnSpec::new(name, Role::QuasiIdentifier)
}

fn options(missing: &[String], threads: usize) -> ReadOptions<'_> {
    ReadOptions { missing, threads, observer: &Unobserved }
}

/// A pool and a folder for spill files.
struct Place {
    pool: Pool,
    _within: TempDir,
    folder: SpillFolder,
}

impl Place {
    fn new(bytes: usize) -> Self {
        let within = TempDir::new().unwrap();
        let folder = SpillFolder::within(within.path());
        Place { pool: Pool::new(bytes), _within: within, folder }
    }

    fn room(&self) -> SpillBudget<'_> {
        SpillBudget { pool: &self.pool, folder: &self.folder }
    }
}

/// Everything goes to disk at once, in blocks of a few rows.
fn tiny(plan: &[ColumnPlan]) -> ReadingLimits {
    let limits = ReadingLimits::of(1 << 26, 1, plan);
    ReadingLimits { memory: 0, text: 100, rows: 7, early: 8, ..limits }
}

fn spilled(loaded: Loaded<'_>) -> SpilledTable<'_> {
    match loaded {
        Loaded::Spilled(table) => table,
        Loaded::Fits(..) => panic!("the table should not fit"),
    }
}

/// All rows of a table on disk.
fn all_rows(table: &SpilledTable<'_>) -> Table {
    let mut whole = Block::empty(table.frame());
    let mut block = Block::empty(table.frame());
    // Blocks may be read in any order.
    for number in (0..table.blocks()).rev() {
        table.read(number, &mut block).unwrap();
    }
    for number in 0..table.blocks() {
        table.read(number, &mut block).unwrap();
        whole.append_rows(&block, &(0..block.rows() as u32).collect::<Vec<_>>());
    }
    assert_eq!(whole.rows() as u64, table.rows());
    whole.into_table(table.frame()).unwrap()
}

fn text(column: &Column, row: usize) -> Vec<u8> {
    let mut out = Vec::new();
    column.write_text(row, &mut out);
    out
}

/// Everything that a domain says of its values.
fn describe(domain: &Domain) -> Vec<(String, i128)> {
    let position = |code| if matches!(domain.shape(), Shape::Set) { 0 } else { domain.position(code) };
    (0..domain.value_count() as u32).map(|code| (domain.text(code), position(code))).collect()
}

fn same_kind(a: &Domain, b: &Domain) {
    assert_eq!(a.type_spec(), b.type_spec());
    assert_eq!(std::mem::discriminant(a.shape()), std::mem::discriminant(b.shape()));
    assert_eq!((a.scale(), a.is_measured()), (b.scale(), b.is_measured()));
    assert_eq!(a.missing_code().is_some(), b.missing_code().is_some());
}

/// Asserts that two tables are the same, row for row and code for code. Where a domain of the second one holds every
/// value between its ends, codes are others, and everything else is the same.
fn assert_same(expected: &Table, found: &Table) {
    assert_eq!((expected.rows(), expected.columns().len()), (found.rows(), found.columns().len()));
    for (a, b) in expected.columns().iter().zip(found.columns()) {
        assert_eq!((&a.name, a.role), (&b.name, b.role));
        for row in 0..expected.rows() {
            assert_eq!(text(a, row), text(b, row), "row {row} of {}", a.name);
        }
        let (Some((x, codes_x)), Some((y, codes_y))) = (a.coded(), b.coded()) else {
            assert!(a.coded().is_none() && b.coded().is_none(), "{}", a.name);
            continue;
        };
        same_kind(x, y);
        if y.is_range() && y.value_count() != x.value_count() {
            for row in 0..expected.rows() {
                let (code_x, code_y) = (codes_x.get(row), codes_y.get(row));
                if Some(code_x) == x.missing_code() {
                    assert_eq!(Some(code_y), y.missing_code());
                } else {
                    assert_eq!(x.position(code_x), y.position(code_y));
                }
            }
        } else {
            assert_eq!(describe(x), describe(y), "{}", a.name);
            assert_eq!(codes_x, codes_y, "{}", a.name);
        }
    }
}

/// Reads a file into memory and, with the given limits, to disk.
fn both(
    file: &NamedTempFile,
    plan: &[ColumnPlan],
    missing: &[String],
    threads: usize,
    limits: ReadingLimits,
) -> (Result<Table>, Result<Table>) {
    let place = Place::new(1 << 26);
    let held = open(file).read(plan, &options(missing, threads)).map(|(table, _)| table);
    let within = open(file).load(plan, &options(missing, threads), Some((place.room(), limits)));
    let found = within.map(|loaded| all_rows(&spilled(loaded)));
    assert_eq!(place.pool.left(), place.pool.limit(), "everything is given back");
    (held, found)
}

fn message(error: &Error) -> String {
    error.to_string()
}
