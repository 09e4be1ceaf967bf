//! Warnings about a table that somebody is about to publish.

use super::column::ColumnProfile;
use super::evidence::Evidence;
use super::screen::refusal;
use crate::settings::Settings;
use crate::text::nearly_all;
use klimt_core::table::Role;
use klimt_core::{Error, Words};
use klimt_io::source::ReadReport;

/// Every warning about a table: columns that must not have the role that they were given, and columns whose values make no
/// sense together.
pub(super) fn all(
    columns: &[ColumnProfile],
    evidence: &[Evidence],
    rows: usize,
    settings: &Settings,
    report: &ReadReport,
    words: Words,
) -> Vec<String> {
    let is_accepted = |name: &str| settings.columns.get(name).is_some_and(|given| given.accepted);
    let given = columns.iter().zip(evidence).filter(|(column, _)| !is_accepted(&column.name));
    let warning = |(column, evidence): (&ColumnProfile, &Evidence)| match refusal(evidence, column.role) {
        Some(refused) => {
            let error = Error::input(refused.message());
            Some(with_help(
                &refused.help().into_iter().fold(error, |error, line| error.with_help(line)),
                words,
            ))
        }
        None => nearly_names_rows(column, rows),
    };
    given.filter_map(warning).chain(doubts(columns, report, words)).collect()
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

/// Columns whose values make no sense together: a few texts among numbers or dates.
fn doubts(columns: &[ColumnProfile], report: &ReadReport, words: Words) -> Vec<String> {
    let role = |name: &str| columns.iter().find(|column| column.name == name).map(|column| column.role);
    let matters = |name: &str| role(name).is_some_and(Role::is_published);
    let notes = report.notes.iter().filter(|note| matters(&note.column));
    notes.map(|note| with_help(&note.error, words)).collect()
}

/// An error with its help.
fn with_help(error: &Error, words: Words) -> String {
    let help = error.help(words).into_iter().map(|line| format!("\n  help: {line}"));
    error.worded(words) + &help.collect::<String>()
}
