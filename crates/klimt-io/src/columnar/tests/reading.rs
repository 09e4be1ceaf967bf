//! The same table, whatever it is read from.

use super::*;
use klimt_core::ErrorKind;
use klimt_core::job::Observer;
use klimt_core::table::{TypeSpec, ValueType};
use std::sync::atomic::{AtomicU64, Ordering};

#[test]
fn every_type_reads_as_its_text_in_every_format() {
    let batch = every_type();
    for format in FORMATS {
        for rows in [2, 5] {
            let file = file(&encoded(&batch, format, rows));
            let read = rows_of(path(&file));
            // What is not a number is a missing value where numbers are looked at.
            let expected: Vec<Vec<String>> = every_text()
                .iter()
                .map(|texts| texts.iter().map(|text| text.replace("NaN", "")).collect())
                .collect();
            for (column, texts) in expected.iter().enumerate() {
                let name = batch.schema().field(column).name().clone();
                let found: Vec<&str> = read.iter().map(|row| row[column].as_str()).collect();
                assert_eq!(&found, texts, "{format:?} {name}");
            }
            let roles = vec![Some(Role::Sensitive); batch.num_columns()];
            let table = super::read(path(&file), &roles, 2).unwrap();
            let texts: Vec<Vec<String>> = content(&table).into_iter().map(|(_, texts, _)| texts).collect();
            assert_eq!(texts, expected, "{format:?}");
        }
    }
}

#[test]
fn csv_parquet_and_arrow_give_the_same_codes_with_one_thread_or_three() {
    let (batch, texts) = people(3000);
    let csv = file(&csv(&PEOPLE, &texts));
    let expected = content(&read(path(&csv), &PEOPLE_ROLES, 1).unwrap());
    assert_eq!(expected.len(), 5);
    for format in FORMATS {
        let file = file(&encoded(&batch, format, 700));
        for threads in [1, 3] {
            let found = content(&read(path(&file), &PEOPLE_ROLES, threads).unwrap());
            for (expected, found) in expected.iter().zip(&found) {
                assert_eq!((&expected.0, &expected.1), (&found.0, &found.1), "{format:?} {threads}");
                // A kept column may be stored either way.
                if expected.0 != "name" {
                    assert_eq!(expected.2, found.2, "{format:?} {threads}");
                    assert!(!found.2.is_empty());
                }
            }
        }
    }
}

#[test]
fn only_what_is_planned_is_read() {
    let (batch, _) = people(100);
    for format in FORMATS {
        let file = file(&encoded(&batch, format, 30));
        let table = read(path(&file), &[None, None, Some(Role::QuasiIdentifier), None, None], 2).unwrap();
        assert_eq!((table.rows(), table.columns().len()), (100, 1));
        let table = read(path(&file), &[None; 5], 2).unwrap();
        assert_eq!((table.rows(), table.columns().len()), (100, 0), "{format:?}");
    }
}

#[test]
fn compressed_files_are_found_out_by_their_content() {
    let (batch, texts) = people(200);
    for format in FORMATS {
        let plain = encoded(&batch, format, 64);
        let zstd = file(&zstd::encode_all(plain.as_slice(), 1).unwrap());
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        gzip.write_all(&plain).unwrap();
        let gzip = file(&gzip.finish().unwrap());
        for compressed in [zstd, gzip] {
            assert_eq!(rows_of(path(&compressed)), texts, "{format:?}");
            assert_eq!(read(path(&compressed), &PEOPLE_ROLES, 2).unwrap().rows(), 200);
        }
    }
}

#[test]
fn other_types_are_an_error_unless_they_are_dropped() {
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("age", Arc::new(Int32Array::from(vec![1, 2]))),
        ("photo", Arc::new(BinaryArray::from(vec![b"x".as_slice(), b"y"]))),
        ("visits", Arc::new(ListArray::from_iter_primitive::<Int32Type, _, _>([Some(vec![Some(1)]), None]))),
        ("city", Arc::new(StringArray::from(vec!["Wien", "Graz"]))),
    ];
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    for format in FORMATS {
        let file = file(&encoded(&batch, format, 10));
        let kept = Some(Role::QuasiIdentifier);
        let error = read(path(&file), &[kept, kept, None, kept], 1).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Input);
        assert!(
            error.message().contains("column photo: values of the type Binary cannot be read"),
            "{error}"
        );
        let error = read(path(&file), &[kept, None, kept, kept], 1).unwrap_err();
        assert!(error.message().contains("column visits: values of the type List cannot be read"), "{error}");
        let table = read(path(&file), &[kept, None, None, kept], 1).unwrap();
        assert_eq!(content(&table)[1].1, ["Wien", "Graz"], "{format:?}");
    }
}

#[test]
fn a_file_without_rows_is_an_error() {
    let (batch, _) = people(1);
    for format in FORMATS {
        let file = file(&encoded(&batch.slice(0, 0), format, 10));
        let error = read(path(&file), &PEOPLE_ROLES, 2).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Input);
        assert!(error.message().ends_with("the file has no rows"), "{error}");
    }
}

#[test]
fn values_that_do_not_fit_are_named_by_their_row() {
    let codes = StringArray::from(vec!["1", "2", "SECRET", "4", "SECRET"]);
    let batch = RecordBatch::try_from_iter([("code", Arc::new(codes) as ArrayRef)]).unwrap();
    for format in FORMATS {
        let file = file(&encoded(&batch, format, 2));
        let source = Source::open(path(&file), DialectSpec::default()).unwrap();
        let mut spec = ColumnSpec::new("code", Role::QuasiIdentifier);
        spec.type_spec = Some(TypeSpec::from(ValueType::Integer));
        let options = ReadOptions { missing: &[], threads: 2, observer: &Unobserved };
        let error = source.read(&[ColumnPlan::of(Some(spec))], &options).unwrap_err();
        assert!(
            error
                .message()
                .ends_with("column code: 1 value on 2 rows is not of the type integer: lines 3, 5")
        );
        assert!(!error.to_string().contains("SECRET"));
    }
}

#[test]
fn texts_for_missing_values_are_missing() {
    let batch = every_type();
    for format in FORMATS {
        let file = file(&encoded(&batch, format, 5));
        let source = Source::open(path(&file), DialectSpec::default()).unwrap();
        let is_planned = |name: &&String| ["f64", "i8"].contains(&name.as_str());
        let spec =
            |name: &String| Some(name).filter(is_planned).map(|n| ColumnSpec::new(n, Role::QuasiIdentifier));
        let planned = |name: &String| ColumnPlan::of(spec(name));
        let plan: Vec<ColumnPlan> = source.columns().iter().map(planned).collect();
        let missing = ["NaN".to_string(), "3".to_string()];
        let options = ReadOptions { missing: &missing, threads: 1, observer: &Unobserved };
        let (table, _) = source.read(&plan, &options).unwrap();
        assert_eq!(content(&table)[0].1, ["1", "", "-128", "", "1"]);
        assert_eq!(content(&table)[1].1, ["0.1", "", "", "1e-9", "2.5"]);
        assert_eq!(table.domain(1).value_type(), ValueType::Decimal);
    }
}

#[test]
fn progress_is_told_in_bytes_and_a_reading_can_be_stopped() {
    struct Counting(AtomicU64, u64);
    impl Observer for Counting {
        fn advance(&self, bytes: u64) {
            self.0.fetch_add(bytes, Ordering::Relaxed);
        }
        fn cancelled(&self) -> bool {
            self.0.load(Ordering::Relaxed) > self.1
        }
    }
    let (batch, _) = people(2000);
    for format in FORMATS {
        let bytes = encoded(&batch, format, 100);
        let file = file(&bytes);
        let read = |most: u64| {
            let source = Source::open(path(&file), DialectSpec::default()).unwrap();
            let names = source.columns().iter().zip(PEOPLE_ROLES);
            let plan = |(name, role): (&String, Option<Role>)| {
                ColumnPlan::of(role.map(|r| ColumnSpec::new(name, r)))
            };
            let plan: Vec<ColumnPlan> = names.map(plan).collect();
            let observer = Counting(AtomicU64::new(0), most);
            let result = source.read(&plan, &ReadOptions { missing: &[], threads: 2, observer: &observer });
            (result, observer.0.into_inner())
        };
        let (result, told) = read(u64::MAX);
        let report = result.unwrap().1;
        assert_eq!(report.bytes, told);
        assert!(
            told > bytes.len() as u64 / 2 && told <= bytes.len() as u64,
            "{format:?}: {told} of {}",
            bytes.len()
        );
        let (result, _) = read(bytes.len() as u64 / 4);
        assert_eq!(result.unwrap_err().kind(), ErrorKind::Cancelled);
    }
}

#[test]
fn the_types_of_the_source_are_known_before_it_is_read() {
    let (batch, texts) = people(10);
    for format in FORMATS {
        let file = file(&encoded(&batch, format, 10));
        let types = Source::open(path(&file), DialectSpec::default()).unwrap().kept_types();
        assert_eq!(types.get("age"), Some(&DataType::Int32));
        assert_eq!(types.get("born"), Some(&DataType::Date32));
        assert_eq!(types.get("other"), None);
    }
    let csv = file(&csv(&PEOPLE, &texts));
    assert_eq!(Source::open(path(&csv), DialectSpec::default()).unwrap().kept_types().get("age"), None);
}

#[test]
fn many_different_texts_of_a_kept_column_stay_as_they_are() {
    let rows = 150_000;
    let (batch, texts) = people(rows);
    let batch = batch.project(&[0]).unwrap();
    for format in FORMATS {
        let file = file(&encoded(&batch, format, 100_000));
        for threads in [1, 3] {
            let table = read(path(&file), &[Some(Role::Insensitive)], threads).unwrap();
            let found = content(&table).remove(0).1;
            assert!(found.iter().zip(&texts).all(|(found, texts)| *found == texts[0]), "{format:?}");
            assert_eq!(found.len(), rows);
        }
    }
}

#[test]
fn long_texts_are_read_in_blocks_and_too_long_ones_are_an_error() {
    let text = |n: usize, length: usize| format!("{n} {}", "x".repeat(length));
    let read = |last: usize, format: ColumnarFormat| {
        let texts: Vec<String> = (0..30).map(|n| text(n, if n == 29 { last } else { 200_000 })).collect();
        let column: ArrayRef = Arc::new(StringArray::from(texts.clone()));
        let batch = RecordBatch::try_from_iter([("note", column)]).unwrap();
        let file = file(&encoded(&batch, format, 11));
        let table = read(path(&file), &[Some(Role::Insensitive)], 2);
        table.map(|table| content(&table).remove(0).1 == texts)
    };
    for format in FORMATS {
        assert_eq!(read(200_000, format), Ok(true), "{format:?}");
        let error = read(300_000, format).unwrap_err();
        assert!(error.message().contains("column note: line 30: a text of more than"), "{error}");
        assert!(error.message().len() < 200);
    }
}

/// Reads one column as a quasi-identifier that must not fall apart.
fn guarded(array: ArrayRef, missing: &[String]) -> Result<Table> {
    let batch = RecordBatch::try_from_iter_with_nullable([("x", array, true)]).unwrap();
    let file = file(&encoded(&batch, ColumnarFormat::Parquet, 3));
    let source = Source::open(path(&file), DialectSpec::default())?;
    let guard = klimt_core::table::Guard::Refuse;
    let spec = ColumnSpec { guard, ..ColumnSpec::new("x", Role::QuasiIdentifier) };
    let options = ReadOptions { missing, threads: 1, observer: &Unobserved };
    source.read(&[ColumnPlan::of(Some(spec))], &options).map(|(table, _)| table)
}

#[test]
fn the_type_that_a_file_declares_holds() {
    use klimt_core::table::ValueType;
    let float = |values: Vec<Option<f64>>| -> ArrayRef { Arc::new(Float64Array::from(values)) };
    let nan = guarded(float(vec![Some(1.5), Some(f64::NAN), None, Some(3.0)]), &[]).unwrap();
    assert_eq!(nan.domain(0).value_type(), ValueType::Decimal);
    assert_eq!(content(&nan)[0].1, ["1.5", "", "", "3"]);
    let whole = guarded(float(vec![Some(1.0), Some(2.0)]), &[]).unwrap();
    assert_eq!(whole.domain(0).value_type(), ValueType::Decimal);

    let infinite = vec![Some(1.5), Some(f64::INFINITY), Some(2.5), Some(f64::NEG_INFINITY)];
    let error = guarded(float(infinite.clone()), &[]).unwrap_err();
    assert!(
        error.message().ends_with("2 values on 2 rows are not of the type decimal: lines 2, 4"),
        "{error}"
    );
    assert!(error.help(klimt_core::Words::Flags)[0].ends_with("--missing inf --missing=-inf"), "{error}");
    let named = guarded(float(infinite), &["inf".to_string(), "-inf".to_string()]).unwrap();
    assert_eq!(content(&named)[0].1, ["1.5", "", "2.5", ""]);

    let dates: ArrayRef = Arc::new(Date32Array::from(vec![Some(0), None, Some(19_782)]));
    assert_eq!(guarded(dates, &[]).unwrap().domain(0).value_type(), ValueType::Date);
    let empty: ArrayRef = Arc::new(Int32Array::from(vec![None, None]));
    assert_eq!(guarded(empty, &[]).unwrap().domain(0).value_type(), ValueType::Integer);
    let texts: ArrayRef = Arc::new(StringArray::from(vec!["1", "2", "n/a"]));
    assert!(guarded(texts, &[]).unwrap_err().message().contains("1 value on 1 row is no number"));
}
