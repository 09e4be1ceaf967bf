//! A release that is written part by part, and whether it is the one that is written at once.

use super::releases::*;
use super::*;
use crate::columnar::{ColumnarWriter, KeptTypes, RowsKnown};
use crate::csv::{ChunkObserver, CsvWriter, Dialect};
use klimt_core::partition::Partitioning;
use klimt_core::recode::{Release, RowOrder, release_columns};
use klimt_core::region::{Extents, Regions};
use klimt_core::table::{Codes, Column, ColumnData, TextChunk, TextColumn};

const ORDER: RowOrder = RowOrder::Shuffled([5; 32]);

/// Some rows of a table, with its domains.
fn rows_of_table(table: &Table, rows: &[u32]) -> Table {
    let column = |column: &Column| {
        let data = match &column.data {
            ColumnData::Coded { domain, codes } => {
                let codes = rows.iter().map(|&row| codes.get(row as usize));
                ColumnData::Coded {
                    domain: Arc::clone(domain),
                    codes: Codes::collect(domain.cardinality(), codes),
                }
            }
            ColumnData::Texts(texts) => {
                let (mut chunk, mut column) = (TextChunk::default(), TextColumn::default());
                rows.iter().for_each(|&row| chunk.push(texts.stored(row as usize)));
                column.push_chunk(chunk);
                ColumnData::Texts(column)
            }
        };
        Column { name: column.name.clone(), role: column.role, data }
    };
    Table::new(rows.len(), table.columns().iter().map(column).collect()).unwrap()
}

/// Parts of this many groups each, and the number of groups before each.
fn parts(table: &Table, whole: &Partitioning, size: usize) -> Vec<(u64, Table, Partitioning)> {
    let cut = |first: usize| {
        let (start, last) = (whole.range(first).start, whole.groups().min(first + size) - 1);
        let rows = &whole.order[start..whole.range(last).end];
        let part = rows_of_table(table, rows);
        let mut found = Partitioning {
            order: (0..rows.len() as u32).collect(),
            ends: whole.ends[first..=last].iter().map(|end| end - start as u32).collect(),
            regions: Regions::default(),
            tree: None,
            strict: false,
            bound: None,
        };
        found.regions = found.compact(&part);
        (first as u64, part, found)
    };
    (0..whole.groups()).step_by(size).map(cut).collect()
}

fn release_of<'a>((before, table, groups): &'a (u64, Table, Partitioning)) -> Release<'a> {
    Release::new(table, groups, Extents::Compact, ORDER, &[]).after(*before)
}

struct Counter(u64);

impl ChunkObserver for Counter {
    fn chunk(&mut self, bytes: &[u8], _: &[u32]) -> Result<()> {
        self.0 += bytes.len() as u64;
        Ok(())
    }
}

#[test]
fn parts_make_the_same_csv_file() {
    let (_, texts) = people(3000);
    let source = file(&csv(&PEOPLE, &texts));
    let table = read(path(&source), &PEOPLE_ROLES, 2).unwrap();
    let whole = groups(&table, 7, 0);
    let release = Release::new(&table, &whole, Extents::Compact, ORDER, &[]);
    let mut expected = Vec::new();
    let dialect = Dialect::default();
    crate::csv::write_release(&release, dialect, 2, &mut expected, &Unobserved, || Counter(0)).unwrap();
    let columns = release_columns(&table, &[]);
    let frame = rows_of_table(&table, &[]);
    for (size, threads) in [(1, 1), (50, 2), (10_000, 2)] {
        let mut writer = CsvWriter::new(&columns, &frame, dialect, threads, Vec::new()).unwrap();
        let mut seen = 0;
        for part in parts(&table, &whole, size) {
            let counters = writer.write(&release_of(&part), &Unobserved, || Counter(0)).unwrap();
            seen += counters.iter().map(|counter| counter.0).sum::<u64>();
        }
        let (written, bytes) = writer.finish();
        assert!(bytes == expected, "parts of {size} groups");
        let header = bytes.iter().position(|&byte| byte == b'\n').unwrap() as u64 + 1;
        assert_eq!((written.bytes, seen + header), (bytes.len() as u64, bytes.len() as u64));
    }
}

#[test]
fn parts_make_a_columnar_file_of_the_same_rows() {
    let (batch, texts) = people(3000);
    let csv = file(&csv(&PEOPLE, &texts));
    let typed = file(&encoded(&batch, ColumnarFormat::ArrowFile, 700));
    for (source, types) in [(&csv, None), (&typed, Some(()))] {
        let opened = Source::open(path(source), DialectSpec::default()).unwrap();
        let types = types.map_or_else(KeptTypes::default, |()| opened.kept_types());
        let table = read(path(source), &PEOPLE_ROLES, 2).unwrap();
        let whole = groups(&table, 7, 0);
        let release = Release::new(&table, &whole, Extents::Compact, ORDER, &[]);
        let (columns, frame) = (release_columns(&table, &[]), rows_of_table(&table, &[]));
        for format in FORMATS {
            let known = RowsKnown::None(&frame);
            let mut writer = ColumnarWriter::new(&columns, &known, format, &types, 2, Vec::new()).unwrap();
            for part in parts(&table, &whole, 100) {
                writer.write(&release_of(&part), &Unobserved).unwrap();
            }
            let (_, bytes) = writer.finish().unwrap();
            assert_eq!(rows_of(path(&file(&bytes))), csv_rows(&release), "{format:?}");
            let found = batches(&bytes, format);
            let type_of = |name: &str| found[0].column_by_name(name).unwrap().data_type().clone();
            assert_eq!(type_of("name"), DataType::Utf8);
            assert_eq!(type_of("income"), DataType::Int64, "the domain says that all are whole numbers");
        }
    }
}
