//! CSV, as the engine and as the verifier read it.
//!
//! Text that the engine accepts it accepts again when it is written, with the same fields; and the verifier,
//! whose reader is its own, counts as many rows in it and as many different values of the first column.

use klimt_core::job::Unobserved;
use klimt_core::table::{ColumnSpec, Role};
use klimt_io::csv::{Dialect, DialectSpec, ReadOptions, quote_field, records};
use klimt_io::form::FormSpec;
use klimt_io::source::{ColumnPlan, Source};
use klimt_verify::Tally;
use klimt_verify::csv::{Layout, examine};
use std::collections::HashSet;
use std::io::Cursor;

/// The first byte chooses the delimiter, the rest is the text.
pub fn run(data: &[u8]) {
    let Some((&first, text)) = data.split_first() else { return };
    let delimiter = b",;\t|"[usize::from(first) % 4];
    fields(text, delimiter);
    table(text);
}

fn fields(text: &[u8], delimiter: u8) {
    let Ok(read) = records(text, delimiter) else { return };
    let again = records(&written(&read, delimiter), delimiter).expect("what was written is read");
    let lone_blank = |record: &&Vec<Vec<u8>>| record.len() != 1 || !record[0].is_empty();
    assert!(
        read.iter().filter(lone_blank).eq(again.iter().filter(lone_blank)),
        "fields change when they are written"
    );
    // A record of one empty field is a blank line, which the engine skips and never writes among records of several fields.
    counted(&again, &written(&again, delimiter), delimiter);
}

/// Records as the engine writes them.
fn written(records: &[Vec<Vec<u8>>], delimiter: u8) -> Vec<u8> {
    let mut written = Vec::new();
    for record in records {
        for (at, field) in record.iter().enumerate() {
            if at > 0 {
                written.push(delimiter);
            }
            quote_field(field, delimiter, &mut written);
        }
        written.push(b'\n');
    }
    written
}

/// The verifier reads what the engine has written.
fn counted(read: &[Vec<Vec<u8>>], written: &[u8], delimiter: u8) {
    let width = read.first().map_or(0, Vec::len);
    let even = width > 1 && read.iter().all(|record| record.len() == width);
    if !even || std::str::from_utf8(written).is_err() {
        return;
    }
    let dialect = Dialect { delimiter, ..Dialect::default() };
    let layout = Layout::new(width, vec![0], dialect).expect("a layout of one column");
    let mut tally = Tally::new(&["first"], &[]);
    examine(&layout, written, &mut tally).expect("the verifier reads what the engine writes");
    let firsts: HashSet<&[u8]> = read.iter().map(|record| &record[0][..]).collect();
    assert_eq!(tally.groups().count(), firsts.len(), "the verifier sees other groups");
    assert_eq!(
        tally.groups().map(|group| group.rows()).sum::<u64>(),
        read.len() as u64,
        "the verifier sees other rows"
    );
}

/// Reads the text as a table, the first column as a quasi-identifier.
fn table(text: &[u8]) {
    let input = Box::new(Cursor::new(text.to_vec()));
    let Ok(source) = Source::of_reader("table.csv", input, DialectSpec::default()) else { return };
    let role = |at| if at == 0 { Role::QuasiIdentifier } else { Role::Insensitive };
    let plan = |(at, name): (usize, &String)| ColumnPlan {
        form: FormSpec::Recognise,
        ..ColumnPlan::of(Some(ColumnSpec::new(name, role(at))))
    };
    let plan: Vec<ColumnPlan> = source.columns().iter().enumerate().map(plan).collect();
    let options = ReadOptions { missing: &[], threads: 1, observer: &Unobserved };
    let _ = source.read(&plan, &options);
}

/// Texts with everything that is special, and the same without line end.
pub fn samples() -> Vec<Vec<u8>> {
    let long = [b"\0a,b\n".to_vec(), b"\"x\"\"y\",z\n".repeat(60)].concat();
    vec![
        long,
        b"\0\"".to_vec(),
        b"\0\"\"\n1,a\n2,b\n".to_vec(),
        [b"\0".to_vec(), vec![b','; 5000]].concat(),
        [b"\0".to_vec(), vec![b'"'; 5000]].concat(),
    ]
}
