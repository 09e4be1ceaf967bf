//! Files that are cut short or have a byte changed: an error, or what the bytes say, but never a crash, and never a
//! value in a message.

use super::*;
use crate::arrow::ipc::CompressionType;
use crate::arrow::ipc::writer::IpcWriteOptions;
use klimt_core::{Error, ErrorKind};

fn small() -> RecordBatch {
    let names: Vec<String> = (0..20).map(|n| format!("SECRET{n}")).collect();
    let city: DictionaryArray<Int8Type> =
        (0..20).map(|n| (n != 3).then_some(["SECRET", "Graz"][n % 2])).collect();
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("name", Arc::new(StringArray::from(names))),
        ("age", Arc::new((0..20).map(|n| (n % 7 != 0).then_some(n)).collect::<Int32Array>())),
        ("city", Arc::new(city)),
    ];
    RecordBatch::try_from_iter_with_nullable(columns.into_iter().map(|(name, array)| (name, array, true)))
        .unwrap()
}

/// A small file in every format, plain and with its pages or buffers compressed.
fn small_files() -> Vec<(ColumnarFormat, Vec<u8>)> {
    let mut files: Vec<_> = FORMATS.map(|format| (format, encoded(&small(), format, 8))).into();
    let batch = small();
    for codec in [parquet::basic::Compression::SNAPPY, parquet::basic::Compression::ZSTD(Default::default())]
    {
        let properties = WriterProperties::builder().set_compression(codec).build();
        let mut bytes = Vec::new();
        let mut writer = ArrowWriter::try_new(&mut bytes, batch.schema(), Some(properties)).unwrap();
        writer.write(&batch).unwrap();
        writer.close().unwrap();
        files.push((ColumnarFormat::Parquet, bytes));
    }
    for codec in [CompressionType::LZ4_FRAME, CompressionType::ZSTD] {
        let options = IpcWriteOptions::default().try_with_compression(Some(codec)).unwrap();
        let mut bytes = Vec::new();
        let mut writer = FileWriter::try_new_with_options(&mut bytes, &batch.schema(), options).unwrap();
        writer.write(&batch).unwrap();
        writer.finish().unwrap();
        files.push((ColumnarFormat::ArrowFile, bytes));
        let options = IpcWriteOptions::default().try_with_compression(Some(codec)).unwrap();
        let mut bytes = Vec::new();
        let mut writer = StreamWriter::try_new_with_options(&mut bytes, &batch.schema(), options).unwrap();
        writer.write(&batch).unwrap();
        writer.finish().unwrap();
        files.push((ColumnarFormat::ArrowStream, bytes));
    }
    files
}

fn try_read(bytes: &[u8]) -> Result<Table> {
    let file = file(bytes);
    let source = Source::open(path(&file), DialectSpec::default())?;
    let plan = |name: &String| ColumnPlan::of(Some(ColumnSpec::new(name, Role::Sensitive)));
    let plan: Vec<ColumnPlan> = source.columns().iter().map(plan).collect();
    let options = ReadOptions { missing: &[], threads: 1, observer: &Unobserved };
    source.read(&plan, &options).map(|(table, _)| table)
}

fn check(error: &Error) {
    assert_eq!(error.kind(), ErrorKind::Input, "{error}");
    assert!(!error.to_string().contains("SECRET"), "{error}");
}

#[test]
fn a_file_that_is_cut_short_is_an_error() {
    for (_, bytes) in small_files() {
        assert_eq!(try_read(&bytes).unwrap().rows(), 20);
        for length in 0..bytes.len() {
            let error = try_read(&bytes[..length]).map(|table| table.rows()).unwrap_err();
            check(&error);
        }
    }
}

#[test]
fn a_changed_byte_is_an_error_or_another_value() {
    for (format, bytes) in small_files() {
        let mut errors = 0;
        for at in (0..bytes.len()).step_by(2) {
            let mut bytes = bytes.clone();
            bytes[at] ^= [0x01, 0x80, 0xFF][at % 3];
            match try_read(&bytes) {
                Ok(table) => assert!(table.rows() > 0),
                Err(error) => {
                    check(&error);
                    errors += 1;
                }
            }
        }
        assert!(errors > 50, "{format:?}: {errors}");
    }
}

#[test]
fn what_is_wrong_is_said() {
    let said = |bytes: &[u8]| {
        let error = try_read(bytes).unwrap_err();
        check(&error);
        error.message().split_once(": ").unwrap().1.to_string()
    };
    let parquet = encoded(&small(), ColumnarFormat::Parquet, 8);
    assert_eq!(said(&parquet[..parquet.len() / 2]), "the Parquet file is damaged or not complete");
    let arrow = encoded(&small(), ColumnarFormat::ArrowFile, 8);
    assert_eq!(said(&arrow[..arrow.len() / 2]), "the Arrow file is damaged or not complete");
    let stream = encoded(&small(), ColumnarFormat::ArrowStream, 8);
    // Without the mark at its end, nobody knows whether rows are missing.
    assert_eq!(said(&stream[..stream.len() - 8]), "batch 4: the Arrow stream is damaged or not complete");
    assert_eq!(said(b"PARE\x10\0\0\0"), "the Parquet file is encrypted");
    assert_eq!(said(b"FEA1\0\0\0\0"), "the Feather file is of version 1");
}
