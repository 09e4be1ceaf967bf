//! Rows that change, and releases that are safe together: `cargo run -p klimt --example store -- FOLDER`. The folder must not
//! exist.

use klimt::prelude::*;
use klimt::store::{ReleaseRequest, Store};
use std::path::PathBuf;

/// Invented patients, by their number.
fn patients(numbers: std::ops::Range<u32>) -> Input {
    let row = |number| format!("{number},{},{}\n", 20 + number * 7 % 60, 53700 + number * 13 % 40);
    let rows: String = numbers.map(row).collect();
    Input::reader(Format::Csv, std::io::Cursor::new(format!("patient,age,zip\n{rows}")))
}

fn main() -> klimt::Result<()> {
    let folder = PathBuf::from(std::env::args().nth(1).unwrap_or_else(|| "/tmp/klimt-store".to_string()));
    let release = |number: u32| Output::file(folder.with_extension(format!("{number}.csv")));
    let asked = Anonymizer::new().quasi_identifiers(["age", "zip"]).require(KAnonymity::new(5)?);

    let mut store = Store::create(&folder, patients(0..10), "patient", &asked)?;
    store.insert(patients(0..500))?;
    let first = store.release(&ReleaseRequest::default().seed(1), &release(1)?)?;
    println!("release 1: {} rows in {} groups", first.entry.rows, first.entry.groups);

    store.delete(patients(100..150))?;
    store.insert(patients(500..800))?;
    let later = ReleaseRequest::default().k(10).hold_back(true);
    let second = store.release(&later, &release(2)?)?;
    println!("release 2: {} rows in {} groups", second.entry.rows, second.entry.groups);
    if let Some(rows) = second.entry.smallest_intersection {
        println!("whoever has both finds nobody among fewer than {rows}");
    }
    for entry in store.ledger()? {
        println!("ledger: release {} for {}, k = {}", entry.release, entry.audience, entry.k);
    }
    Ok(())
}
