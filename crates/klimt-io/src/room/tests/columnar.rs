//! Columnar files go to disk as text does.

use super::*;
use crate::arrow::array::*;
use crate::arrow::compute::concat_batches;
use crate::arrow::datatypes::{Field, Schema};
use crate::columnar::ArrayTexts;
use crate::columnar::tests::{FORMATS, encoded, every_type};
use klimt_core::ErrorKind;
use std::sync::Arc;

fn plan_of(batch: &RecordBatch, role: impl Fn(usize) -> Role) -> Vec<ColumnPlan> {
    let schema = batch.schema();
    let spec = |(at, field): (usize, &Arc<Field>)| ColumnSpec::new(field.name(), role(at));
    plan(schema.fields().iter().enumerate().map(spec).collect())
}

#[test]
fn values_of_every_type_come_back() {
    let batch = every_type();
    let batch = concat_batches(&batch.schema(), vec![&batch; 9]).unwrap();
    let roles = [Role::QuasiIdentifier, Role::Insensitive, Role::Sensitive];
    for format in FORMATS {
        for shift in 0..roles.len() {
            let file = file(&encoded(&batch, format, 13));
            let plan = plan_of(&batch, |at| roles[(at + shift) % roles.len()]);
            let (held, found) = both(&file, &plan, &[], 3, tiny(&plan));
            assert_same(&held.unwrap(), &found.unwrap());
        }
    }
}

/// Numbers, decimals and texts, most of them different.
fn many(rows: usize) -> RecordBatch {
    let scattered = |row: usize| (row * 7919 + 13) % rows;
    let numbers = Int64Array::from_iter((0..rows).map(|row| (row % 11 != 3).then(|| scattered(row) as i64)));
    let decimals = Decimal128Array::from_iter_values((0..rows).map(|row| scattered(row) as i128 * 3 - 900));
    let floats = Float64Array::from_iter_values((0..rows).map(|row| scattered(row) as f64 / 8.0));
    let texts = StringArray::from_iter_values((0..rows).map(|row| format!("text of row {}", scattered(row))));
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("n", Arc::new(numbers)),
        ("d", Arc::new(decimals.with_precision_and_scale(12, 2).unwrap())),
        ("f", Arc::new(floats)),
        ("t", Arc::new(texts)),
    ];
    let field = |(name, array): &(&str, ArrayRef)| Field::new(*name, array.data_type().clone(), true);
    let schema = Schema::new(columns.iter().map(field).collect::<Vec<_>>());
    RecordBatch::try_new(schema.into(), columns.into_iter().map(|(_, array)| array).collect()).unwrap()
}

/// The same rows as text.
fn as_text(batch: &RecordBatch) -> NamedTempFile {
    let mut out = b"n,d,f,t\n".to_vec();
    let texts: Vec<_> = batch.columns().iter().map(|array| ArrayTexts::of(array.as_ref()).unwrap()).collect();
    for row in 0..batch.num_rows() {
        for (at, column) in texts.iter().enumerate() {
            out.extend_from_slice(column.get(row).as_bytes());
            out.push(if at + 1 == texts.len() { b'\n' } else { b',' });
        }
    }
    file(&out)
}

#[test]
fn every_format_gives_the_same_table() {
    let batch = many(5000);
    let roles = [Role::QuasiIdentifier, Role::Target, Role::Sensitive, Role::QuasiIdentifier];
    let plan = plan_of(&batch, |at| roles[at]);
    let limits = ReadingLimits { numbers: 1 << 15, ..tiny(&plan) };
    let (text, _) = both(&as_text(&batch), &plan, &[], 1, limits);
    let text = text.unwrap();
    for format in FORMATS {
        for rows in [600, 5000] {
            let (held, found) = both(&file(&encoded(&batch, format, rows)), &plan, &[], 2, limits);
            let (held, found) = (held.unwrap(), found.unwrap());
            assert_same(&held, &found);
            assert!(found.columns()[1].coded().unwrap().0.is_range());
            assert_same(&text, &found);
        }
    }
}

#[test]
fn memory_is_bounded_and_batches_that_are_too_large_say_so() {
    let batch = many(300_000);
    let roles = [Role::QuasiIdentifier, Role::Target, Role::Sensitive, Role::Insensitive];
    let plan = plan_of(&batch, |at| if at == 2 { Role::QuasiIdentifier } else { roles[at] });
    for format in FORMATS {
        let file = file(&encoded(&batch, format, 10_000));
        let place = Place::new(16 << 20);
        let within = open(&file).read_within(&plan, &options(&[], 2), &place.room()).unwrap();
        let table = spilled(within);
        assert_eq!(table.rows(), 300_000);
        assert!(place.pool.peak() <= place.pool.limit());
        let held = open(&file).read(&plan, &options(&[], 2)).unwrap().0;
        assert_same(&held, &all_rows(&table));
    }
    let whole = file(&encoded(&batch, FORMATS[1], 300_000));
    let place = Place::new(16 << 20);
    let error = open(&whole).read_within(&plan, &options(&[], 2), &place.room()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Resource);
    assert!(error.message().contains("a batch"), "{error}");
}
