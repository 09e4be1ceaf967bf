//! Tables that are written and read in every format.

mod damaged;
mod looking;
mod parts;
mod reading;
mod releases;
mod writing;

use super::{ColumnarFormat, TextRecords};
use crate::arrow::array::*;
use crate::arrow::datatypes::*;
use crate::arrow::ipc::writer::{FileWriter, StreamWriter};
use crate::csv::{DialectSpec, ReadOptions, quote_field};
use crate::source::{ColumnPlan, Source};
use ::parquet::arrow::ArrowWriter;
use ::parquet::file::properties::WriterProperties;
use klimt_core::Result;
use klimt_core::job::Unobserved;
use klimt_core::table::{ColumnSpec, Role, Table};
use std::io::Write;
use std::sync::Arc;
use tempfile::NamedTempFile;

pub(crate) const FORMATS: [ColumnarFormat; 3] =
    [ColumnarFormat::Parquet, ColumnarFormat::ArrowFile, ColumnarFormat::ArrowStream];

/// A file with the given bytes.
fn file(bytes: &[u8]) -> NamedTempFile {
    let mut file = NamedTempFile::new().unwrap();
    file.write_all(bytes).unwrap();
    file.flush().unwrap();
    file
}

fn path(file: &NamedTempFile) -> &str {
    file.path().to_str().unwrap()
}

/// A batch in a format, in stretches of at most this many rows.
pub(crate) fn encoded(batch: &RecordBatch, format: ColumnarFormat, rows: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    let schema = batch.schema();
    let stretches =
        (0..batch.num_rows()).step_by(rows).map(|at| batch.slice(at, rows.min(batch.num_rows() - at)));
    match format {
        ColumnarFormat::Parquet => {
            let properties = WriterProperties::builder().set_max_row_group_row_count(Some(rows)).build();
            let mut writer = ArrowWriter::try_new(&mut bytes, schema, Some(properties)).unwrap();
            stretches.for_each(|stretch| writer.write(&stretch).unwrap());
            writer.close().unwrap();
        }
        ColumnarFormat::ArrowFile => {
            let mut writer = FileWriter::try_new(&mut bytes, &schema).unwrap();
            stretches.for_each(|stretch| writer.write(&stretch).unwrap());
            writer.finish().unwrap();
        }
        ColumnarFormat::ArrowStream => {
            let mut writer = StreamWriter::try_new(&mut bytes, &schema).unwrap();
            stretches.for_each(|stretch| writer.write(&stretch).unwrap());
            writer.finish().unwrap();
        }
    }
    bytes
}

/// The rows of a file as texts.
fn rows_of(path: &str) -> Vec<Vec<String>> {
    let records = TextRecords::open(path, DialectSpec::default()).unwrap();
    let columns: Vec<usize> = (0..records.columns().len()).collect();
    let mut rows = Vec::new();
    let count = records.for_each(&columns, &mut |number, record| {
        assert_eq!(number, rows.len() as u64 + 1);
        rows.push(record.iter().map(|text| text.to_string()).collect());
        Ok(())
    });
    assert_eq!(count, Ok(rows.len() as u64));
    rows
}

/// A CSV file with a header and the given rows.
fn csv(names: &[&str], rows: &[Vec<String>]) -> Vec<u8> {
    let mut out = names.join(",").into_bytes();
    for row in rows {
        out.push(b'\n');
        for (at, text) in row.iter().enumerate() {
            out.extend_from_slice(if at > 0 { b"," } else { b"" });
            quote_field(text.as_bytes(), b',', &mut out);
        }
    }
    out.push(b'\n');
    out
}

/// Reads a file with a role per column; `None` drops it.
fn read(path: &str, roles: &[Option<Role>], threads: usize) -> Result<Table> {
    let source = Source::open(path, DialectSpec::default())?;
    assert_eq!(source.columns().len(), roles.len());
    let plan =
        |(name, role): (&String, &Option<Role>)| ColumnPlan::of(role.map(|r| ColumnSpec::new(name, r)));
    let plan: Vec<ColumnPlan> = source.columns().iter().zip(roles).map(plan).collect();
    let options = ReadOptions { missing: &[], threads, observer: &Unobserved };
    source.read(&plan, &options).map(|(table, _)| table)
}

/// Everything that a table holds, as texts and codes.
fn content(table: &Table) -> Vec<(String, Vec<String>, Vec<u32>)> {
    let column = |column: &klimt_core::table::Column| {
        let text = |row| {
            let mut out = Vec::new();
            column.write_text(row, &mut out);
            String::from_utf8(out).unwrap()
        };
        let codes = column.coded().map(|(_, codes)| (0..table.rows()).map(|row| codes.get(row)).collect());
        (column.name.clone(), (0..table.rows()).map(text).collect(), codes.unwrap_or_default())
    };
    table.columns().iter().map(column).collect()
}

/// A column of every type that can be read, with nulls and empty texts among its few values.
pub(crate) fn every_type() -> RecordBatch {
    let utc = || Some(Arc::<str>::from("UTC"));
    let text = || {
        vec![Some("Wien"), None, Some(""), Some("Graz, \"A\""), Some("a longer text than views hold inline")]
    };
    let dictionary: DictionaryArray<Int16Type> = text().into_iter().collect();
    let numbers = Arc::new(Int64Array::from(vec![Some(30), None, Some(-4)]));
    let decimal = Decimal128Array::from(vec![Some(1250), Some(-5), None, Some(0), Some(99_999)]);
    let wide =
        Decimal256Array::from(vec![Some(i256::from_i128(7)), None, None, Some(i256::from_i128(-8)), None]);
    let stamps = vec![Some(1_706_695_200), None, Some(0), Some(-1), Some(1)];
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("i8", Arc::new(Int8Array::from(vec![Some(1), None, Some(-128), Some(3), Some(1)]))),
        ("u64", Arc::new(UInt64Array::from(vec![Some(u64::MAX), Some(0), None, Some(3), Some(1)]))),
        ("i64", Arc::new(Int64Array::from(vec![Some(i64::MIN), Some(i64::MAX), None, Some(3), Some(1)]))),
        ("f32", Arc::new(Float32Array::from(vec![Some(0.1), None, Some(1e30), Some(-2.0), Some(0.1)]))),
        ("f64", Arc::new(Float64Array::from(vec![Some(0.1), None, Some(f64::NAN), Some(1e-9), Some(2.5)]))),
        ("decimal", Arc::new(decimal.with_precision_and_scale(10, 2).unwrap())),
        ("wide", Arc::new(wide.with_precision_and_scale(50, 3).unwrap())),
        ("bool", Arc::new(BooleanArray::from(vec![Some(true), None, Some(false), Some(true), None]))),
        ("date32", Arc::new(Date32Array::from(vec![Some(19_782), None, Some(0), Some(-1), Some(1)]))),
        (
            "date64",
            Arc::new(Date64Array::from(vec![Some(86_400_000), None, Some(0), Some(-86_400_000), None])),
        ),
        ("second", Arc::new(TimestampSecondArray::from(stamps.clone()))),
        ("millis", Arc::new(TimestampMillisecondArray::from(stamps.clone()).with_timezone_opt(utc()))),
        ("micros", Arc::new(TimestampMicrosecondArray::from(stamps.clone()).with_timezone("+02:00"))),
        ("nanos", Arc::new(TimestampNanosecondArray::from(stamps).with_timezone("Europe/Vienna"))),
        ("utf8", Arc::new(StringArray::from(text()))),
        ("large", Arc::new(LargeStringArray::from(text()))),
        ("view", Arc::new(StringViewArray::from(text()))),
        ("dictionary", Arc::new(dictionary)),
        (
            "numbers",
            Arc::new(DictionaryArray::new(
                Int8Array::from(vec![Some(2), None, Some(0), Some(1), Some(0)]),
                numbers,
            )),
        ),
        ("null", Arc::new(NullArray::new(5))),
    ];
    RecordBatch::try_from_iter_with_nullable(columns.into_iter().map(|(name, array)| (name, array, true)))
        .unwrap()
}

/// The texts that [`every_type`] is read as, column by column.
fn every_text() -> Vec<[&'static str; 5]> {
    let text = ["Wien", "", "", "Graz, \"A\"", "a longer text than views hold inline"];
    vec![
        ["1", "", "-128", "3", "1"],
        ["18446744073709551615", "0", "", "3", "1"],
        ["-9223372036854775808", "9223372036854775807", "", "3", "1"],
        ["0.1", "", "1e30", "-2", "0.1"],
        ["0.1", "", "NaN", "1e-9", "2.5"],
        ["12.50", "-0.05", "", "0.00", "999.99"],
        ["0.007", "", "", "-0.008", ""],
        ["true", "", "false", "true", ""],
        ["2024-02-29", "", "1970-01-01", "1969-12-31", "1970-01-02"],
        ["1970-01-02", "", "1970-01-01", "1969-12-31", ""],
        ["2024-01-31T10:00:00", "", "1970-01-01T00:00:00", "1969-12-31T23:59:59", "1970-01-01T00:00:01"],
        [
            "1970-01-20T18:04:55.2Z",
            "",
            "1970-01-01T00:00:00Z",
            "1969-12-31T23:59:59.999Z",
            "1970-01-01T00:00:00.001Z",
        ],
        [
            "1970-01-01T02:28:26.6952+02:00",
            "",
            "1970-01-01T02:00:00+02:00",
            "1970-01-01T01:59:59.999999+02:00",
            "1970-01-01T02:00:00.000001+02:00",
        ],
        [
            "1970-01-01T00:00:01.7066952Z",
            "",
            "1970-01-01T00:00:00Z",
            "1969-12-31T23:59:59.999999999Z",
            "1970-01-01T00:00:00.000000001Z",
        ],
        text,
        text,
        text,
        text,
        ["-4", "", "30", "", "30"],
        ["", "", "", "", ""],
    ]
}

/// A table of people, as a batch and as its texts.
fn people(rows: usize) -> (RecordBatch, Vec<Vec<String>>) {
    let city = |n: usize| ["Wien", "Graz", "Linz", "Sankt Pölten an der Traisen"].get(n * 7 % 5).copied();
    let age = |n: usize| (!n.is_multiple_of(11)).then_some((n * 31 % 67) as i32);
    let income = |n: usize| n as i64 * 7919 % 100_003 - 5;
    let day = |n: usize| (n * 13 % 400) as i32 + 19_000;
    let name = |n: usize| format!("person {n}");
    let cities: DictionaryArray<Int32Type> = (0..rows).map(city).collect();
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("name", Arc::new((0..rows).map(|n| Some(name(n))).collect::<StringArray>())),
        ("age", Arc::new((0..rows).map(age).collect::<Int32Array>())),
        ("city", Arc::new(cities)),
        ("born", Arc::new((0..rows).map(|n| Some(day(n))).collect::<Date32Array>())),
        ("income", Arc::new((0..rows).map(|n| Some(income(n))).collect::<Int64Array>())),
    ];
    let batch =
        RecordBatch::try_from_iter_with_nullable(columns.into_iter().map(|(n, a)| (n, a, true))).unwrap();
    let born = Date32Array::from((0..rows).map(day).collect::<Vec<_>>());
    let born = super::spell::ArrayTexts::of(&born).unwrap();
    let texts = (0..rows).map(|n| {
        vec![
            name(n),
            age(n).map_or(String::new(), |age| age.to_string()),
            city(n).unwrap_or("").to_string(),
            born.get(n).to_string(),
            income(n).to_string(),
        ]
    });
    (batch, texts.collect())
}

const PEOPLE: [&str; 5] = ["name", "age", "city", "born", "income"];
const PEOPLE_ROLES: [Option<Role>; 5] = [
    Some(Role::Insensitive),
    Some(Role::QuasiIdentifier),
    Some(Role::QuasiIdentifier),
    Some(Role::QuasiIdentifier),
    Some(Role::Sensitive),
];
