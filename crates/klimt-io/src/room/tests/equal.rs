//! Rows read back from disk equal those read into memory.

use super::*;
use crate::csv::quote_field;
use flate2::Compression;
use flate2::write::GzEncoder;
use klimt_core::table::{TypeSpec, ValueType};
use proptest::prelude::*;

/// Values of one kind: few, many, spelt in one way or in several.
fn values(kind: usize) -> BoxedStrategy<String> {
    let decimal = |units: i64| {
        format!("{}{}.{:02}", if units < 0 { "-" } else { "" }, units.abs() / 100, units.abs() % 100)
    };
    match kind {
        0 => (-3i64..9).prop_map(|n| n.to_string()).boxed(),
        1 => (-500_000i64..500_000).prop_map(|n| n.to_string()).boxed(),
        2 => any::<i64>().prop_map(|n| (n / 1000).to_string()).boxed(),
        3 => (-9999i64..9999).prop_filter("no negative zero", |n| *n != 0).prop_map(decimal).boxed(),
        4 => (-999i32..999).prop_map(|n| (f64::from(n) / 8.0).to_string()).boxed(),
        5 => (1970i32..2030, 1u8..13, 1u8..29).prop_map(|(y, m, d)| format!("{y}-{m:02}-{d:02}")).boxed(),
        6 => (1i32..29, 0u8..24, 0u8..60)
            .prop_map(|(d, h, s)| format!("2024-02-{d:02}T{h:02}:30:{s:02}Z"))
            .boxed(),
        7 => "[a-c ,\"\n]{0,4}".boxed(),
        8 => "(true|false|TRUE)".boxed(),
        9 => prop_oneof![20 => (0i64..900).prop_map(|n| n.to_string()), 1 => Just("x".to_string())].boxed(),
        10 => {
            prop_oneof![20 => (0i64..900).prop_map(|n| n.to_string()), 1 => Just("5.0".to_string())].boxed()
        }
        _ => "[0-9]{1,3}(\\.[0-9]{1,2})?".boxed(),
    }
}

const KINDS: usize = 12;

fn columns() -> impl Strategy<Value = (Vec<Vec<String>>, Vec<usize>)> {
    let rows = prop_oneof![1usize..60, 300usize..500];
    (rows, prop::collection::vec(0..KINDS, 1..5)).prop_flat_map(|(rows, kinds)| {
        let column = |&kind: &usize| {
            let cell = prop_oneof![12 => values(kind), 1 => Just(String::new()), 1 => Just("NA".to_string()), 1 => Just("7".to_string())];
            prop::collection::vec(cell, rows)
        };
        (kinds.iter().map(column).collect::<Vec<_>>(), Just(kinds))
    })
}

/// The columns as CSV, with a first column that is never empty.
fn csv(columns: &[Vec<String>]) -> Vec<u8> {
    let mut out: Vec<u8> = b"id".to_vec();
    (0..columns.len()).for_each(|column| out.extend_from_slice(format!(",c{column}").as_bytes()));
    for row in 0..columns[0].len() {
        out.extend_from_slice(format!("\nr{row}").as_bytes());
        for column in columns {
            out.push(b',');
            quote_field(column[row].as_bytes(), b',', &mut out);
        }
    }
    out.push(b'\n');
    out
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn rows_on_disk_are_rows_in_memory(
        (columns, _) in columns(),
        roles in prop::collection::vec(0usize..4, 5),
        missing in prop_oneof![Just(vec![]), Just(vec!["NA".to_string()]), Just(vec!["NA".to_string(), "7".to_string()])],
        threads in 1usize..4,
        numbers in prop_oneof![Just(0usize), Just(1 << 12), Just(1 << 22)],
        early in prop_oneof![Just(8usize), Just(1 << 13)],
    ) {
        let file = file(&csv(&columns));
        let roles: Vec<Role> = roles.iter().map(|&role| [Role::QuasiIdentifier, Role::Sensitive, Role::Target, Role::Insensitive][role]).collect();
        let mut specs = vec![ColumnSpec::new("id", Role::Insensitive)];
        specs.extend((0..columns.len()).map(|column| ColumnSpec::new(format!("c{column}"), roles[column])));
        let plan = plan(specs);
        let limits = ReadingLimits { numbers, early, ..tiny(&plan) };
        match both(&file, &plan, &missing, threads, limits) {
            (Ok(held), Ok(found)) => assert_same(&held, &found),
            // Numbers that are to be texts, and may take no memory.
            (Ok(_), Err(error)) => prop_assert!(numbers < 1 << 22 && error.kind() == klimt_core::ErrorKind::Resource, "{}", error),
            (held, found) => panic!("{held:?} {found:?}"),
        }
    }
}

fn text_type(name: &str, value_type: ValueType) -> ColumnSpec {
    ColumnSpec { type_spec: Some(TypeSpec::from(value_type)), ..quasi(name) }
}

/// Rows of an id and a number of 1000 different ones.
fn numbered(rows: usize) -> String {
    let row = |row: usize| format!("{row},{}\n", row * 7919 % 1000);
    "id,n\n".to_string() + &(0..rows).map(row).collect::<String>()
}

#[test]
fn types_and_orders_that_are_given_are_kept_to() {
    let file = file(numbered(3000).as_bytes());
    let mut ordered = quasi("n");
    ordered.order = Some((0..1000).rev().map(|n| n.to_string()).collect());
    for spec in [text_type("n", ValueType::Text), text_type("n", ValueType::Decimal), ordered] {
        let plan = plan(vec![quasi("id"), spec]);
        let (held, found) = both(&file, &plan, &[], 2, tiny(&plan));
        assert_same(&held.unwrap(), &found.unwrap());
    }
}

#[test]
fn a_table_that_fits_stays_in_memory() {
    let file = file(numbered(3000).as_bytes());
    let plan = plan(vec![quasi("id"), quasi("n")]);
    let place = Place::new(16 << 20);
    let (held, report) = open(&file).read(&plan, &options(&[], 2)).unwrap();
    match open(&file).read_within(&plan, &options(&[], 2), &place.room()).unwrap() {
        Loaded::Fits(table, same) => {
            assert_same(&held, &table);
            assert_eq!(report, same);
        }
        Loaded::Spilled(_) => panic!("the table fits"),
    }
    assert_eq!(place.folder.traffic().written(), 0);
    assert_eq!(place.pool.left(), place.pool.limit());
}

#[test]
fn rows_that_were_held_go_to_disk_with_those_that_follow() {
    let file = file(numbered(400_000).as_bytes());
    let plan = plan(vec![ColumnSpec::new("id", Role::Insensitive), quasi("n")]);
    let place = Place::new(8 << 20);
    let held = open(&file).read(&plan, &options(&[], 2)).unwrap();
    let within = open(&file).read_within(&plan, &options(&[], 2), &place.room()).unwrap();
    let table = spilled(within);
    assert_eq!(table.report(), &held.1);
    assert_same(&held.0, &all_rows(&table));
    assert!(place.pool.peak() > place.pool.limit() / 4, "some rows were held first");
    assert!(place.pool.left() < place.pool.limit(), "the table holds what it knows");
    drop(table);
    assert_eq!(place.pool.left(), place.pool.limit());
}

#[test]
fn compressed_text_is_text() {
    let plain = numbered(3000);
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(plain.as_bytes()).unwrap();
    let gzip = file(&encoder.finish().unwrap());
    let zstd = file(&zstd::encode_all(plain.as_bytes(), 1).unwrap());
    let plan = plan(vec![quasi("id"), quasi("n")]);
    let held = open(&file(plain.as_bytes())).read(&plan, &options(&[], 1)).unwrap().0;
    for compressed in [gzip, zstd] {
        let (_, found) = both(&compressed, &plan, &[], 2, tiny(&plan));
        assert_same(&held, &found.unwrap());
    }
}
