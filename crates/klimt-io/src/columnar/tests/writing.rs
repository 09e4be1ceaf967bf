//! Written releases, which are the same release in every format.

use super::releases::*;
use super::*;
use crate::columnar::layout::BATCH_BYTES;
use crate::columnar::{KeptTypes, write_release};
use klimt_core::ErrorKind;
use klimt_core::job::Observer;
use klimt_core::recode::RowOrder;
use std::io;

const SHUFFLED: RowOrder = RowOrder::Shuffled([7; 32]);

fn types_of(path: &str) -> KeptTypes {
    Source::open(path, DialectSpec::default()).unwrap().kept_types()
}

#[test]
fn every_type_is_kept_in_every_format() {
    let batch = every_type();
    let source = file(&encoded(&batch, ColumnarFormat::ArrowFile, 5));
    let mut roles = vec![Some(Role::Insensitive); batch.num_columns()];
    roles[0] = Some(Role::QuasiIdentifier);
    let table = read(path(&source), &roles, 1).unwrap();
    let groups = groups(&table, 5, 0);
    for format in FORMATS {
        let release = release(&table, &groups, RowOrder::Kept);
        let bytes = written(&release, format, &types_of(path(&source)), 2);
        let found = batches(&bytes, format);
        assert_eq!(found.len(), 1);
        for (field, array) in batch.schema().fields().iter().zip(batch.columns()).skip(1) {
            let kept = found[0].column_by_name(field.name()).unwrap();
            let expected = match (format, field.data_type()) {
                // Parquet has neither, so the nearest that it has is written.
                (ColumnarFormat::Parquet, DataType::Date64) => DataType::Date32,
                (ColumnarFormat::Parquet, DataType::Timestamp(TimeUnit::Second, zone)) => {
                    DataType::Timestamp(TimeUnit::Millisecond, zone.clone())
                }
                (_, other) => other.clone(),
            };
            assert_eq!(kept.data_type(), &expected, "{format:?} {}", field.name());
            let texts = |array: &dyn Array| {
                let texts = crate::columnar::spell::ArrayTexts::of(array).unwrap();
                (0..array.len()).map(|row| texts.get(row).to_string()).collect::<Vec<_>>()
            };
            assert_eq!(texts(kept), texts(array), "{format:?} {}", field.name());
            // An empty text is not a missing one.
            assert_eq!(missing(kept), missing(array), "{format:?} {}", field.name());
        }
    }
}

/// Which rows of an array are missing.
fn missing(array: &dyn Array) -> Vec<bool> {
    let nulls = array.logical_nulls();
    (0..array.len()).map(|row| nulls.as_ref().is_some_and(|nulls| nulls.is_null(row))).collect()
}

/// A table of a number and some columns of texts, with its types after it was read.
fn read_texts(
    columns: Vec<(&str, Role, Vec<Option<String>>)>,
    markers: &[String],
) -> (RecordBatch, Table, KeptTypes) {
    let rows = columns[0].2.len();
    let number: ArrayRef = Arc::new(Int32Array::from_iter_values((0..rows as i32).map(|row| row % 50)));
    let mut arrays = vec![("n", number)];
    for (name, _, texts) in &columns {
        arrays.push((name, Arc::new(StringArray::from(texts.clone()))));
    }
    let batch =
        RecordBatch::try_from_iter_with_nullable(arrays.into_iter().map(|(n, a)| (n, a, true))).unwrap();
    let file = file(&encoded(&batch, ColumnarFormat::Parquet, 20_000));
    let source = Source::open(path(&file), DialectSpec::default()).unwrap();
    let types = source.kept_types();
    let roles = std::iter::once(("n", Role::QuasiIdentifier)).chain(columns.iter().map(|(n, r, _)| (*n, *r)));
    let plan: Vec<_> = roles.map(|(n, role)| ColumnPlan::of(Some(ColumnSpec::new(n, role)))).collect();
    let options = ReadOptions { missing: markers, threads: 2, observer: &Unobserved };
    let (table, report) = source.read(&plan, &options).unwrap();
    (batch, table, types.after(&report))
}

#[test]
fn empty_texts_stay_empty_and_missing_ones_missing() {
    let rows = 70_000;
    let text = |row: usize, empty: usize, missing: usize| match row {
        row if row % 9 == missing => None,
        row if row % 9 == empty => Some(String::new()),
        row => Some(format!("a text of row {row}")),
    };
    let all = |empty, missing| (0..rows).map(|row| text(row, empty, missing)).collect::<Vec<_>>();
    let few = |empty, missing| {
        let few = |text: Option<String>| text.map(|text| if text.is_empty() { text } else { "NA".into() });
        all(empty, missing).into_iter().map(few).collect::<Vec<_>>()
    };
    let none = 99;
    let columns = vec![
        // Stored as texts, and by a dictionary.
        ("many", Role::Insensitive, all(1, 2)),
        ("few", Role::Insensitive, few(1, 2)),
        ("only empty", Role::Sensitive, few(1, none)),
        ("only missing", Role::Sensitive, few(none, 2)),
        ("many empty", Role::Target, all(1, none)),
    ];
    let (batch, table, types) = read_texts(columns, &[]);
    let groups = groups(&table, 700, 0);
    for format in FORMATS {
        let bytes = written(&release(&table, &groups, RowOrder::Kept), format, &types, 2);
        let found = crate::arrow::compute::concat_batches(
            &batches(&bytes, format)[0].schema(),
            &batches(&bytes, format),
        );
        for name in ["many", "few", "only empty", "only missing", "many empty"] {
            let column = |batch: &RecordBatch| batch.column_by_name(name).unwrap().as_string::<i32>().clone();
            assert!(column(found.as_ref().unwrap()) == column(&batch), "{format:?} {name}");
        }
    }
}

#[test]
fn an_empty_and_a_missing_sensitive_value_are_one_value() {
    let texts = [Some(""), None, Some("x"), Some("")].map(|text| text.map(str::to_string)).to_vec();
    let (_, table, types) = read_texts(vec![("s", Role::Sensitive, texts)], &[]);
    assert_eq!(content(&table)[1].2, [1, 1, 0, 1]);
    assert!(!types.has_empty_texts("s"), "both are published as missing");
}

#[test]
fn a_column_that_is_carried_along_keeps_its_markers() {
    let texts = [Some("NA"), None, Some("x"), Some("")].map(|text| text.map(str::to_string)).to_vec();
    let (_, table, _) = read_texts(vec![("kept", Role::Insensitive, texts)], &["NA".to_string()]);
    assert_eq!(content(&table)[1].1, ["NA", "", "x", ""]);
}

#[test]
fn all_formats_hold_the_rows_of_the_csv_release() {
    let (batch, texts) = people(1000);
    let csv = file(&csv(&PEOPLE, &texts));
    let parquet = file(&encoded(&batch, ColumnarFormat::Parquet, 300));
    for source in [&csv, &parquet] {
        let table = read(path(source), &PEOPLE_ROLES, 2).unwrap();
        let groups = groups(&table, 7, 30);
        for order in [SHUFFLED, RowOrder::Kept] {
            let release = release(&table, &groups, order);
            let expected = csv_rows(&release);
            assert_eq!(expected.len(), 970);
            for format in FORMATS {
                let bytes = written(&release, format, &types_of(path(source)), 1);
                assert_eq!(bytes, written(&release, format, &types_of(path(source)), 3), "{format:?}");
                assert_eq!(rows_of(path(&file(&bytes))), expected, "{format:?} {order:?}");
            }
        }
    }
}

#[test]
fn a_release_of_many_rows_goes_out_in_several_units() {
    let rows = 150_000;
    let (batch, _) = people(rows);
    let source = file(&encoded(&batch, ColumnarFormat::ArrowStream, 100_000));
    let table = read(path(&source), &PEOPLE_ROLES, 2).unwrap();
    // One group is larger than a unit, and one name is another in every row.
    for size in [140_000, 5] {
        let groups = groups(&table, size, 0);
        let release = release(&table, &groups, SHUFFLED);
        let expected = csv_rows(&release);
        for format in FORMATS {
            let bytes = written(&release, format, &types_of(path(&source)), 3);
            assert_eq!(bytes, written(&release, format, &types_of(path(&source)), 1));
            let most = batches(&bytes, format).iter().map(|batch| batch.num_rows()).max().unwrap();
            assert!(most <= 1 << 16, "{format:?} {most}");
            assert!(rows_of(path(&file(&bytes))) == expected, "{format:?}");
        }
    }
}

#[test]
fn statistics_have_the_type_of_their_column() {
    let names = ["age", "score", "born", "at", "local", "mixed", "kept"];
    let row = |n: usize| {
        vec![
            (20 + n).to_string(),
            format!("{n}.5"),
            format!("2001-01-{:02}", n + 10),
            format!("2001-01-01T00:00:{:02}+01:00", n + 10),
            format!("2001-01-01 00:00:{:02}", n + 10),
            format!("2001-01-01T00:00:{:02}{}", n + 10, ["", "Z"][n % 2]),
            n.to_string(),
        ]
    };
    let texts: Vec<Vec<String>> = (0..4).map(row).collect();
    let csv = file(&csv(&names, &texts));
    let mut roles = vec![Some(Role::QuasiIdentifier); 7];
    roles[6] = Some(Role::Sensitive);
    let table = read(path(&csv), &roles, 1).unwrap();
    let groups = groups(&table, 4, 0);
    let release = release(&table, &groups, SHUFFLED);
    let utc = Some("UTC".into());
    for format in FORMATS {
        let bytes = written(&release, format, &KeptTypes::default(), 1);
        let batch = batches(&bytes, format).remove(0);
        let texts = rows_of(path(&file(&bytes))).remove(0);
        let cell = |name: &str| {
            let at = batch.schema().index_of(name).unwrap();
            (batch.schema().field(at).data_type().clone(), texts[at].clone())
        };
        for (name, data_type, text) in [
            ("age", DataType::Utf8, "[20..23]"),
            ("age_min", DataType::Int64, "20"),
            ("age_max", DataType::Int64, "23"),
            ("age_mean", DataType::Float64, "21.5"),
            ("score_min", DataType::Decimal128(38, 1), "0.5"),
            ("score_mean", DataType::Float64, "2"),
            ("born_min", DataType::Date32, "2001-01-10"),
            ("at_max", DataType::Timestamp(TimeUnit::Microsecond, utc.clone()), "2000-12-31T23:00:13Z"),
            ("local_max", DataType::Timestamp(TimeUnit::Microsecond, None), "2001-01-01T00:00:13"),
            ("mixed_max", DataType::Utf8, "2001-01-01T00:00:13Z"),
        ] {
            assert_eq!(cell(name), (data_type, text.to_string()), "{format:?} {name}");
        }
    }
}

#[test]
fn statistics_of_a_typed_source_have_its_types() {
    let (batch, _) = people(60);
    let source = file(&encoded(&batch, ColumnarFormat::ArrowFile, 60));
    let table = read(path(&source), &PEOPLE_ROLES, 1).unwrap();
    let groups = groups(&table, 10, 0);
    let bytes =
        written(&release(&table, &groups, SHUFFLED), ColumnarFormat::Parquet, &types_of(path(&source)), 1);
    let schema = batches(&bytes, ColumnarFormat::Parquet).remove(0).schema();
    let data_type = |name: &str| schema.field_with_name(name).unwrap().data_type().clone();
    assert_eq!(data_type("age_min"), DataType::Int32);
    assert_eq!(data_type("born_max"), DataType::Date32);
    assert_eq!(data_type("age"), DataType::Utf8);
    assert_eq!(data_type("income"), DataType::Int64);
}

#[test]
fn texts_of_csv_get_a_type_only_if_all_of_them_are_spelt_so() {
    let names = ["qi", "number", "padded", "flag", "shouted", "day", "mixed", "nothing", "many", "id"];
    let row = |n: usize| {
        vec![
            "x".to_string(),
            if n == 5 { String::new() } else { (n * 3).to_string() },
            format!("{n:03}"),
            ["true", "false"][n % 2].to_string(),
            ["TRUE", "false"][n % 2].to_string(),
            format!("2024-02-{:02}", n % 29 + 1),
            if n == 9 { "none".to_string() } else { n.to_string() },
            String::new(),
            (n * 17).to_string(),
            format!("id-{n}"),
        ]
    };
    for rows in [10, 70_000] {
        let texts: Vec<Vec<String>> = (0..rows).map(row).collect();
        let csv = file(&csv(&names, &texts));
        let mut roles = vec![Some(Role::Insensitive); names.len()];
        roles[0] = Some(Role::QuasiIdentifier);
        let table = read(path(&csv), &roles, 2).unwrap();
        let groups = groups(&table, rows, 0);
        let release = release(&table, &groups, RowOrder::Kept);
        for format in FORMATS {
            let bytes = written(&release, format, &KeptTypes::default(), 2);
            assert!(rows_of(path(&file(&bytes))) == texts, "{format:?}");
            let schema = batches(&bytes, format).remove(0).schema();
            let types: Vec<DataType> =
                schema.fields().iter().map(|field| field.data_type().clone()).collect();
            use DataType::*;
            // A column of nothing is what comes first: it is no text either.
            let expected = [Utf8, Int64, Utf8, Boolean, Utf8, Date32, Utf8, Int64, Int64, Utf8];
            assert_eq!(types, expected, "{format:?} {rows}");
        }
    }
}

#[test]
fn nothing_of_suppressed_rows_or_of_the_source_is_written_along() {
    let diseases: Vec<&str> =
        (0..40).map(|n| if n == 39 { "SECRET" } else { ["flu", "cold"][n % 2] }).collect();
    let diseases: DictionaryArray<Int8Type> = diseases.into_iter().collect();
    let ages = Int32Array::from((0..40).collect::<Vec<_>>());
    let metadata = std::collections::HashMap::from([("note".to_string(), "SECRET".to_string())]);
    let field = |name: &str, array: &dyn Array| {
        Field::new(name, array.data_type().clone(), true).with_metadata(metadata.clone())
    };
    let fields = vec![field("age", &ages), field("disease", &diseases)];
    let schema = Schema::new_with_metadata(fields, metadata.clone());
    let batch = RecordBatch::try_new(Arc::new(schema), vec![Arc::new(ages), Arc::new(diseases)]).unwrap();
    let source = file(&encoded(&batch, ColumnarFormat::ArrowFile, 40));
    let table = read(path(&source), &[Some(Role::QuasiIdentifier), Some(Role::Sensitive)], 1).unwrap();
    let groups = groups(&table, 13, 1);
    let release = release(&table, &groups, SHUFFLED);
    for format in FORMATS {
        let bytes = written(&release, format, &types_of(path(&source)), 1);
        let batch = batches(&bytes, format).remove(0);
        assert_eq!(batch.num_rows(), 39);
        assert!(matches!(batch.column_by_name("disease").unwrap().data_type(), DataType::Dictionary(..)));
        assert!(batch.schema().metadata().is_empty(), "{format:?}");
        assert!(batch.schema().fields().iter().all(|field| field.metadata().is_empty()), "{format:?}");
        let holds = |secret: &[u8]| bytes.windows(secret.len()).any(|window| window == secret);
        assert!(holds(b"disease") && !holds(b"SECRET") && !holds(b"note"), "{format:?}");
    }
}

#[test]
fn a_dictionary_that_its_keys_cannot_count_is_written_as_its_values() {
    let values: Vec<String> = (0..300).map(|n| format!("value {n}")).collect();
    let first: DictionaryArray<Int8Type> = values[..100].iter().map(|text| Some(text.as_str())).collect();
    let stretches = [&values[..100], &values[100..200], &values[200..]];
    // A stream may have another dictionary for every batch.
    let mut bytes = Vec::new();
    let schema = Schema::new(vec![Field::new("kept", first.data_type().clone(), true)]);
    let mut writer = StreamWriter::try_new(&mut bytes, &schema).unwrap();
    for stretch in stretches {
        let column: DictionaryArray<Int8Type> = stretch.iter().map(|text| Some(text.as_str())).collect();
        let batch = RecordBatch::try_new(Arc::new(schema.clone()), vec![Arc::new(column)]).unwrap();
        writer.write(&batch).unwrap();
    }
    writer.finish().unwrap();
    drop(writer);
    let source = file(&bytes);
    let table = read(path(&source), &[Some(Role::Sensitive)], 2).unwrap();
    let groups = groups(&table, 300, 0);
    for format in FORMATS {
        let release = release(&table, &groups, RowOrder::Kept);
        let bytes = written(&release, format, &types_of(path(&source)), 1);
        assert_eq!(batches(&bytes, format).remove(0).schema().field(0).data_type(), &DataType::Utf8);
        let found: Vec<String> =
            rows_of(path(&file(&bytes))).into_iter().map(|mut row| row.remove(0)).collect();
        assert_eq!(found, values, "{format:?}");
    }
}

#[test]
fn a_sink_that_fails_is_named_by_its_fault() {
    struct Failing(usize, io::ErrorKind);
    impl Write for Failing {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0 = self.0.checked_sub(bytes.len()).ok_or(self.1)?;
            Ok(bytes.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let (batch, _) = people(5000);
    let source = file(&encoded(&batch, ColumnarFormat::Parquet, 5000));
    let table = read(path(&source), &PEOPLE_ROLES, 1).unwrap();
    let groups = groups(&table, 10, 0);
    let release = release(&table, &groups, SHUFFLED);
    for format in FORMATS {
        let length = written(&release, format, &types_of(path(&source)), 1).len();
        for room in [0, 10, length / 2, length - 1] {
            for (fault, kind) in [
                (io::ErrorKind::StorageFull, ErrorKind::Resource),
                (io::ErrorKind::BrokenPipe, ErrorKind::BrokenPipe),
            ] {
                let mut sink = Failing(room, fault);
                let types = types_of(path(&source));
                let error = write_release(&release, format, &types, 2, &mut sink, &Unobserved).unwrap_err();
                assert_eq!(error.kind(), kind, "{format:?} {room}: {error}");
                assert!(error.message().starts_with("the output: "), "{error}");
            }
        }
    }
}

#[test]
fn a_writing_can_be_stopped() {
    struct Stopping;
    impl Observer for Stopping {
        fn advance(&self, _: u64) {}
        fn cancelled(&self) -> bool {
            true
        }
    }
    let (batch, _) = people(100);
    let source = file(&encoded(&batch, ColumnarFormat::Parquet, 100));
    let table = read(path(&source), &PEOPLE_ROLES, 1).unwrap();
    let groups = groups(&table, 10, 0);
    let release = release(&table, &groups, SHUFFLED);
    for format in FORMATS {
        let error = write_release(&release, format, &KeptTypes::default(), 2, &mut Vec::new(), &Stopping)
            .unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Cancelled);
    }
}

#[test]
fn a_value_that_is_not_of_its_type_is_our_bug_and_never_null() {
    let texts: Vec<Vec<String>> = (0..10).map(|n| vec![n.to_string(), format!("SECRET {n}")]).collect();
    let csv = file(&csv(&["age", "kept"], &texts));
    let table = read(path(&csv), &[Some(Role::QuasiIdentifier), Some(Role::Insensitive)], 1).unwrap();
    let groups = groups(&table, 10, 0);
    let release = release(&table, &groups, SHUFFLED);
    let types: KeptTypes = [("kept".to_string(), DataType::Int64)].into_iter().collect();
    for format in FORMATS {
        let error = write_release(&release, format, &types, 1, &mut Vec::new(), &Unobserved).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Internal);
        assert!(error.message().contains("column kept") && !error.to_string().contains("SECRET"), "{error}");
    }
}

#[test]
fn a_batch_ends_before_its_texts_are_too_long_for_it() {
    for long in 0..3 {
        let filler = |column: usize| if column == long { "x".repeat(150) } else { String::new() };
        let row = |n: usize| {
            vec![
                format!("{}{}", filler(0), n % 8),
                format!("{}{}", filler(1), n % 2),
                format!("{}{n}", filler(2)),
            ]
        };
        let texts: Vec<Vec<String>> = (0..70_000).map(row).collect();
        let csv = file(&csv(&["group", "few", "many"], &texts));
        let kept = Some(Role::Insensitive);
        let table = read(path(&csv), &[Some(Role::QuasiIdentifier), kept, kept], 2).unwrap();
        let groups = groups(&table, 7, 0);
        let release = release(&table, &groups, SHUFFLED);
        let expected = csv_rows(&release);
        for format in [ColumnarFormat::ArrowFile, ColumnarFormat::ArrowStream] {
            let bytes = written(&release, format, &KeptTypes::default(), 2);
            assert!(rows_of(path(&file(&bytes))) == expected, "{format:?}");
            let column =
                release.columns().iter().position(|column| column.name == ["group", "few", "many"][long]);
            let texts =
                |batch: &RecordBatch| batch.column(column.unwrap()).as_string::<i32>().value_data().len();
            let most = batches(&bytes, format).iter().map(texts).max().unwrap();
            assert!(most <= BATCH_BYTES && most > BATCH_BYTES / 2, "{format:?} {long}: {most}");
        }
    }
}
