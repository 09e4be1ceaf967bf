//! Reads a table whose columns somebody has planned.

use crate::input::Input;
use crate::observer::{Stage, Watched};
use klimt_core::Result;
use klimt_core::table::Table;
use klimt_io::columnar::KeptTypes;
use klimt_io::csv::{Dialect, DialectSpec, ReadOptions};
use klimt_io::source::{ColumnPlan, ReadReport};

/// An opened table, before its rows are read.
pub struct Opened<'s> {
    /// What it is called in messages.
    pub name: &'s str,
    /// The names of its columns.
    pub columns: &'s [String],
    /// How its text is written.
    pub dialect: Dialect,
    /// The types of its columns.
    pub kept_types: KeptTypes,
}

/// Reads the columns that `plan` chooses, by as many readers as the pool has threads.
pub fn read(
    input: Input,
    dialect: DialectSpec,
    missing: &[String],
    watched: &Watched<'_>,
    plan: impl FnOnce(Opened<'_>) -> Result<Vec<ColumnPlan>>,
) -> Result<(Table, ReadReport)> {
    let (name, bytes) = (input.name().to_string(), input.bytes());
    let source = input.open(dialect)?;
    let (dialect, kept_types) = (source.dialect(), source.kept_types());
    let plan = plan(Opened { name: &name, columns: source.columns(), dialect, kept_types })?;
    let stage = watched.stage(Stage::Reading, Some(bytes));
    let threads = rayon::current_num_threads();
    source.read(&plan, &ReadOptions { missing, threads, observer: &stage })
}
