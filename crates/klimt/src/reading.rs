//! Reads a table whose columns somebody has planned.

use crate::input::Input;
use crate::observer::{Stage, Watched};
use klimt_core::Result;
use klimt_core::table::Table;
use klimt_io::csv::{DialectSpec, ReadOptions};
use klimt_io::source::{ColumnPlan, ReadReport};

/// Reads the columns that `plan` chooses, given the name of the input and the names of its columns.
pub fn read(
    input: Input,
    dialect: DialectSpec,
    missing: &[String],
    watched: &Watched<'_>,
    plan: impl FnOnce(&str, &[String]) -> Result<Vec<ColumnPlan>>,
) -> Result<(Table, ReadReport)> {
    let (name, bytes) = (input.name().to_string(), input.bytes());
    let source = input.open(dialect)?;
    let plan = plan(&name, source.columns())?;
    let stage = watched.stage(Stage::Reading, Some(bytes));
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    source.read(&plan, &ReadOptions { missing, threads, observer: &stage })
}
