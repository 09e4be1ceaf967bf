//! Warnings about a release.

use super::schemes::Schemes;
use crate::observer::{Note, Watched};
use crate::settings::Settings;
use crate::text::{count, nearly_unique};
use klimt_core::Words;
use klimt_core::recode::FixedValues;
use klimt_core::region::Extents;
use klimt_core::registry::AlgorithmKind;
use klimt_core::requirement::{Requirement, WholeFacts};
use klimt_core::table::{Column, ColumnData, Role, Shape, Table};
use klimt_core::words::{column_option, option, option_is};
use klimt_io::source::ReadReport;
use std::collections::HashSet;

/// Says what a privacy board would ask about: sensitive columns that nothing protects, and requirements that rest on
/// something that was not said. Of a table larger than memory there are only the columns, and what is known of the whole.
pub fn warn(
    watched: &Watched<'_>,
    settings: &Settings,
    requirements: &[Box<dyn Requirement>],
    table: &Table,
    whole: &dyn WholeFacts,
    schemes: Option<&Schemes>,
) {
    for column in settings.unprotected(requirements) {
        watched.note(Note::warning(format!(
            "nothing protects the sensitive column {column}: where all rows of a group have the same value, whoever finds \
             the group knows it (protect it with {}, for example)",
            column_option("l-diversity", &column, Some("distinct:2"))
        )));
    }
    for column in table.columns().iter().filter(|column| column.role == Role::Insensitive) {
        let (distinct, rows) = distinct_values(column, whole.rows());
        if let Some(warning) = nearly_unique(&column.name, distinct, rows) {
            watched.note(Note::warning(warning));
        }
    }
    for column in table.columns().iter().filter(|column| column.role == Role::Sensitive) {
        let values = column.coded().map_or(0, |(domain, _)| domain.alike() as u64);
        if let Some(warning) = alike(&column.name, values) {
            watched.note(Note::warning(warning));
        }
    }
    if settings.algorithm() == AlgorithmKind::Scheme && settings.extent == Some(Extents::Compact) {
        watched.note(Note::warning(format!(
            "with {} a value is published as narrowly as each group allows, no longer always the same way",
            option_is("extent", "compact")
        )));
    }
    for (column, groups) in schemes.iter().flat_map(|schemes| &schemes.lone_values) {
        watched.note(Note::warning(format!(
            "column {column}: of {groups} groups on the least level asked for, only one value occurs, which may be published \
             as it is (bhs and ghs publish the group)"
        )));
    }
    for warning in requirements.iter().filter_map(|requirement| requirement.warning(whole)) {
        watched.note(Note::warning(warning));
    }
}

/// The warning about values of a sensitive column that differ from others only in case or in blanks, if there are any.
pub fn alike(column: &str, values: u64) -> Option<String> {
    (values > 0).then(|| {
        format!(
            "column {column}: {} values differ from another one only in case or in blanks, and count as different (spell \
             them alike where they mean the same)",
            count(values)
        )
    })
}

/// Warns of columns whose values make no sense together and were read all the same.
pub fn note_doubts(watched: &Watched<'_>, report: &ReadReport) {
    for doubt in &report.notes {
        let help =
            doubt.error.remedies().iter().map(|remedy| format!("\n  help: {}", remedy.worded(Words::Marked)));
        watched.note(Note::warning(doubt.error.message().to_string() + &help.collect::<String>()));
    }
}

/// A release that may say next to nothing.
pub struct Coarse<'a> {
    /// The columns of the original; its rows are not looked at.
    pub table: &'a Table,
    /// How many rows it has.
    pub rows: u64,
    /// The least size of a group.
    pub k: u64,
    /// What every group satisfies.
    pub requirements: &'a [Box<dyn Requirement>],
    /// How many groups the release has.
    pub groups: u64,
    /// The losses of the release, by name.
    pub losses: &'a [(&'static str, f64)],
}

/// A release that loses more than this share of what the quasi-identifiers say is warned of.
const NEARLY_ALL: f64 = 0.9;

/// Warns of a release that has one group or loses nearly everything: what may have caused it, and what would help.
pub fn warn_coarse(watched: &Watched<'_>, release: &Coarse<'_>) {
    let ncp = release.losses.iter().find(|(id, _)| *id == "ncp").map_or(0.0, |(_, ncp)| *ncp);
    if ncp == 0.0 || (release.groups > 1 && ncp <= NEARLY_ALL) {
        return;
    }
    let told = match release.groups {
        1 => format!("all {} rows are published as one group", count(release.rows)),
        _ => "the release says hardly anything of the quasi-identifiers".to_string(),
    };
    watched.note(Note::warning(format!("{told} (ncp {ncp:.3}); {}", causes(release).join("; "))));
}

/// Warns of groups so small, or so alike, that their published statistics tell the value of every row.
pub fn warn_fixed(watched: &Watched<'_>, fixed: &FixedValues) {
    for (column, found) in fixed.columns() {
        let (groups, rows) = (count(found.groups), count(found.rows));
        watched.note(Note::warning(format!(
            "column {column}: statistics fix the value of every row in {groups} of the groups ({rows} rows): publish fewer \
             {}, or take a greater {}",
            option("statistics"),
            option("k")
        )));
    }
}

/// What may have caused it, with what would help.
fn causes(release: &Coarse<'_>) -> Vec<String> {
    let Coarse { table, rows, k, requirements, .. } = *release;
    let mut causes = Vec::new();
    if rows < k.saturating_mul(2) {
        causes.push(format!(
            "{} rows make no two groups of {}: take a smaller {} or more rows",
            count(rows),
            count(k),
            option("k")
        ));
    }
    let domains = || (0..table.dimensions()).map(|d| (&table.dimension(d).name, table.domain(d)));
    let missing = domains().filter(|(_, domain)| domain.missing_code().is_some()).count();
    if missing > 0 {
        causes.push(format!(
            "values are missing in {missing} of {} quasi-identifiers, and a group that holds such a row publishes * there: \
             fill them in, or leave such rows out with {}",
            table.dimensions(),
            option_is("suppress", "1%")
        ));
    }
    let names = requirements.iter().map(|requirement| requirement.id());
    let beyond: Vec<&str> = names.filter(|id| *id != "k-anonymity").collect();
    if !beyond.is_empty() {
        causes.push(format!("groups must satisfy more than k ({}): ask for less of it", beyond.join(", ")));
    }
    for (name, domain) in domains().filter(|(_, domain)| matches!(domain.shape(), Shape::Set)) {
        if domain.value_count() as u64 > rows / k.max(1) {
            causes.push(format!(
                "column {name} has {} unordered values: give it a hierarchy or an order, or leave it out",
                count(domain.value_count() as u64)
            ));
        }
    }
    if causes.is_empty() {
        causes.push(format!(
            "too few rows are alike in {} quasi-identifiers: take a smaller {}, leave out columns, leave out rows that lie \
             apart with {}, or take another {}",
            table.dimensions(),
            option("k"),
            option_is("suppress", "1%"),
            option("algorithm")
        ));
    }
    causes
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
