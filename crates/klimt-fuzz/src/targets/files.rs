//! Files as they come: texts in any encoding, workbooks and archives. What can be read is read twice in the same way.

use klimt_core::job::Unobserved;
use klimt_core::table::{ColumnSpec, Role};
use klimt_io::csv::{DialectSpec, ReadOptions};
use klimt_io::form::FormSpec;
use klimt_io::source::{ColumnPlan, Source, SourceSpec};
use std::io::Cursor;

/// The memory that a workbook may take.
const MEMORY: usize = 16 << 20;

/// Reads a file of any kind.
pub fn run(data: &[u8]) {
    assert_eq!(read(data), read(data), "a file is read in two ways");
}

/// The columns and the texts of a table, as far as it is one.
fn read(data: &[u8]) -> Option<(Vec<String>, Vec<u8>)> {
    let spec = SourceSpec { memory: Some(MEMORY), ..DialectSpec::default().into() };
    let source = Source::of_reader("file", Box::new(Cursor::new(data.to_vec())), spec).ok()?;
    let columns = source.columns().to_vec();
    let plan = |name: &String| ColumnPlan {
        form: FormSpec::Recognise,
        ..ColumnPlan::of(Some(ColumnSpec::new(name, Role::Insensitive)))
    };
    let plan: Vec<ColumnPlan> = columns.iter().map(plan).collect();
    let options = ReadOptions { missing: &[], threads: 1, observer: &Unobserved };
    let (table, _) = source.read(&plan, &options).ok()?;
    let mut texts = Vec::new();
    for column in table.columns() {
        for row in 0..table.rows() {
            column.write_text(row, &mut texts);
            texts.push(b'\n');
        }
    }
    Some((columns, texts))
}

/// Nothing besides the corpus.
pub fn samples() -> Vec<Vec<u8>> {
    vec![b"PK\x05\x06".to_vec(), b"PK\x03\x04".to_vec(), vec![0xFF, 0xFE], vec![0xFE, 0xFF, 0]]
}
