//! Recoding functions: what is read is written and read again as the same, and can be applied to a table.

use klimt_core::job::Unobserved;
use klimt_core::recode::{Manner, RecodingFunction};
use klimt_core::region::Extents;
use klimt_core::table::{ColumnSpec, Role, Table};
use klimt_io::csv::{DialectSpec, ReadOptions};
use klimt_io::source::{ColumnPlan, Source};
use std::io::Cursor;
use std::sync::OnceLock;

/// Values of several kinds for the columns that the corpus recodes.
const ROWS: &str = "age,city,day\n25,Rome,2020-01-01\n,,\n31,Oslo,2020-02-03\n7000,new,1999-12-31\n";

/// Reads, writes, reads again and applies.
pub fn run(data: &[u8]) {
    let Ok(function) = RecodingFunction::from_json(data, "f.json") else { return };
    let written = function.to_json();
    let again = RecodingFunction::from_json(written.as_bytes(), "f.json").expect("what was written is read");
    assert_eq!(written, again.to_json(), "a function changes when it is written");
    function.columns().iter().for_each(|name| drop(function.column_spec(name)));
    for (extents, apart) in [(Extents::Compact, true), (Extents::Compact, false), (Extents::Region, false)] {
        let _ = function.apply(table(), Manner { extents, apart });
    }
}

fn table() -> &'static Table {
    static TABLE: OnceLock<Table> = OnceLock::new();
    TABLE.get_or_init(|| {
        let input = Box::new(Cursor::new(ROWS.as_bytes()));
        let spec = DialectSpec { delimiter: Some(b','), header: Some(true) };
        let source = Source::of_reader("rows.csv", input, spec).expect("a table");
        let column = |name: &String| ColumnPlan::of(Some(ColumnSpec::new(name, Role::QuasiIdentifier)));
        let plan: Vec<ColumnPlan> = source.columns().iter().map(column).collect();
        let options = ReadOptions { missing: &[], threads: 1, observer: &Unobserved };
        source.read(&plan, &options).expect("a table").0
    })
}

/// A deep value.
pub fn samples() -> Vec<Vec<u8>> {
    vec!["{\"tree\":[".repeat(50_000).into_bytes()]
}
