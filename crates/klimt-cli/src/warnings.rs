//! What a release should not be published without having been told.

use crate::options::Extent;
use crate::risk;
use crate::schemes::Schemes;
use crate::settings::Settings;
use crate::terminal::note;
use klimt::requirement::{Facts, Requirement};
use klimt::table::{Column, ColumnData, Role, Table};
use std::collections::HashSet;

/// Says what a privacy board would ask about: sensitive columns that nothing protects, and requirements that rest on
/// something that was not said. Of a table larger than memory there are only the columns, and what is known of the whole.
pub fn warn(
    quiet: bool,
    settings: &Settings,
    requirements: &[Box<dyn Requirement>],
    table: &Table,
    whole: &dyn Facts,
    schemes: Option<&Schemes>,
) {
    for column in settings.unprotected(requirements) {
        note(
            quiet,
            &format!(
                "warning: nothing protects the sensitive column {column}: where all rows of a group have the same value, \
                 whoever finds the group knows it (protect it with --l-diversity {column}=distinct:2, for example)"
            ),
        );
    }
    for column in table.columns().iter().filter(|column| column.role == Role::Insensitive) {
        let (distinct, rows) = distinct_values(column, whole.rows());
        if let Some(warning) = risk::nearly_unique(&column.name, distinct, rows) {
            note(quiet, &format!("warning: {warning}"));
        }
    }
    if settings.algorithm() == "scheme" && settings.extent == Some(Extent::Compact) {
        note(
            quiet,
            "warning: with --extent compact a value is published as narrowly as each group allows, no longer always the \
             same way",
        );
    }
    for (column, groups) in schemes.iter().flat_map(|schemes| &schemes.lone_values) {
        note(
            quiet,
            &format!(
                "warning: column {column}: of {groups} groups on the least level asked for, only one value occurs, which may be \
                 published as it is (bhs and ghs publish the group)"
            ),
        );
    }
    for warning in requirements.iter().filter_map(|requirement| requirement.warning(whole)) {
        note(quiet, &format!("warning: {warning}"));
    }
}

/// Rows that are looked at to tell whether a column of plain texts tells rows apart.
const LOOKED_AT: usize = 10_000;

/// How many different values a column has in how many rows: in all, or in the first ones for plain texts.
fn distinct_values(column: &Column, rows: u64) -> (u64, u64) {
    match &column.data {
        ColumnData::Coded { domain, .. } => (domain.value_count() as u64, rows),
        ColumnData::Texts(texts) => {
            let rows = texts.len().min(LOOKED_AT);
            let seen: HashSet<&[u8]> = (0..rows).map(|row| texts.get(row)).collect();
            (seen.len() as u64, rows as u64)
        }
    }
}
