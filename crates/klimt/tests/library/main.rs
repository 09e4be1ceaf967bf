//! The functions of the library beside `anonymize`, as a program uses them.

mod apply;
mod attack;
mod generate;
mod hierarchy;
mod inspect;
mod query;
mod store;

use klimt::prelude::*;
use std::io::Cursor;

/// A text as a table.
fn input(text: impl Into<String>) -> Input {
    Input::reader(Format::Csv, Cursor::new(text.into()))
}

/// Patients by number, with age, postcode and disease.
fn patients(numbers: std::ops::Range<usize>) -> String {
    let diseases = ["Asthma", "Gout", "Migraine", "Flu", "Eczema"];
    let row =
        |at: usize| format!("{at},{},{},{}\n", 20 + at * 7 % 60, 53700 + at * 13 % 40, diseases[at * 11 % 5]);
    "patient,age,zip,disease\n".to_string() + &numbers.map(row).collect::<String>()
}

/// The rows of a published file, without its header.
fn published(path: &std::path::Path) -> Vec<String> {
    let text = std::fs::read_to_string(path).unwrap();
    text.lines().skip(1).map(str::to_string).collect()
}
