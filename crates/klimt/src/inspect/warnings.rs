//! Warnings about a table that somebody is about to publish.

use super::column::ColumnProfile;
use crate::text::nearly_all;
use klimt_core::table::Role;
use klimt_core::{Error, Words};
use klimt_io::column::Note;
use klimt_io::source::ReadReport;

/// Every warning about a table of so many rows.
pub(super) fn all(columns: &[ColumnProfile], rows: usize, report: &ReadReport, words: Words) -> Vec<String> {
    let published_raw = columns.iter().filter_map(|column| nearly_names_rows(column, rows));
    published_raw.chain(doubts(columns, report, words)).collect()
}

/// Columns whose values make no sense together: a few texts among numbers or dates, and quasi-identifiers of which nearly
/// every row has its own value.
fn doubts(columns: &[ColumnProfile], report: &ReadReport, words: Words) -> Vec<String> {
    let role = |name: &str| columns.iter().find(|column| column.name == name).map(|column| column.role);
    let matters = |note: &&Note| match role(&note.column) {
        None | Some(Role::Identifier) => false,
        Some(role) => !note.is_unique || role == Role::QuasiIdentifier,
    };
    report.notes.iter().filter(matters).map(|note| with_help(&note.error, words)).collect()
}

/// An error with its help.
fn with_help(error: &Error, words: Words) -> String {
    let help = error.help(words).into_iter().map(|line| format!("\n  help: {line}"));
    error.worded(words) + &help.collect::<String>()
}

/// The warning about a column that would be published as it is although its values nearly name a row each.
fn nearly_names_rows(column: &ColumnProfile, rows: usize) -> Option<String> {
    let most = |part: usize| nearly_all(part as u64, rows as u64);
    let published_raw = column.role.is_published() && column.role != Role::QuasiIdentifier;
    let reason = if most(column.unique_alone) {
        format!("{} of {} rows have a value that no other row has", column.unique_alone, rows)
    } else if most(column.distinct) {
        format!("{} rows have {} different values", rows, column.distinct)
    } else {
        return None;
    };
    published_raw.then(|| {
        format!(
            "column {} ({}) would be published as it is, and its values nearly name the rows: {reason}; make it an \
             identifier (not published) or a quasi-identifier (generalised)",
            column.name, column.role,
        )
    })
}
