//! Looks at a table before anything is published: columns, types, roles, and how easily its people are found.
//!
//! ```
//! use klimt::prelude::*;
//!
//! let table = "name,age,zip,disease\nAda,31,53703,Asthma\nBob,34,53703,Gout\nCem,31,53703,Flu\n";
//! let asked = Anonymizer::new().quasi_identifiers(["age", "zip"]);
//! let inspection = klimt::inspect(Input::reader(Format::Csv, table.as_bytes()), &asked)?;
//! assert_eq!(inspection.column("disease").unwrap().role, Role::Sensitive);
//! assert!(inspection.column("disease").unwrap().suggested);
//! assert_eq!(inspection.risk.unwrap().risk.unique, 1);
//! # Ok::<(), klimt::Error>(())
//! ```

mod check_digits;
mod column;
mod evidence;
mod form;
mod identify;
mod names;
mod risk;
mod screen;
mod suggestion;
mod warnings;
mod words;

pub use column::ColumnProfile;
pub(crate) use evidence::Evidence;
pub use risk::TableRisk;
pub(crate) use screen::screen;

use crate::anonymizer::Anonymizer;
use crate::columns::{column_plan, column_spec};
use crate::input::Input;
use crate::observer::{Unobserved, Watched};
use crate::reading::{self, Reading};
use crate::settings::Settings;
use klimt_core::risk::Question;
use klimt_core::table::{Column, ColumnSpec, Guard, Role, Table};
use klimt_core::{Error, ErrorKind, Result, Words};
use klimt_io::source::{ColumnPlan, ReadReport};
use serde::Serialize;
use std::collections::BTreeSet;

/// Looks at a table, by what is said of its columns. Columns without a role get a suggestion.
pub fn inspect(input: Input, asked: &Anonymizer) -> Result<Inspection> {
    asked.watch(|watched| InspectRequest::of(asked.settings().clone()).run_watched(input, watched))
}

/// How a table is looked at.
///
/// ```
/// use klimt::inspect::InspectRequest;
/// use klimt::{Input, Words, prelude::Format, risk::question};
///
/// let table = "age,disease\n31,Asthma\n34,Gout\n";
/// let inspection = InspectRequest::default()
///     .risk(question(Some("10%"), None)?)
///     .words(Words::Keywords)
///     .run(Input::reader(Format::Csv, table.as_bytes()))?;
/// assert_eq!(inspection.rows, 2);
/// # Ok::<(), klimt::Error>(())
/// ```
#[derive(Debug, Default)]
pub struct InspectRequest {
    settings: Settings,
    risk: Question,
    words: Words,
}

/// The columns and the risk of a table. It holds counts, never values.
#[derive(Clone, Debug, Serialize)]
pub struct Inspection {
    /// The number of rows.
    pub rows: usize,
    /// The columns.
    pub columns: Vec<ColumnProfile>,
    /// The risk of the table as it is, when there are quasi-identifiers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub risk: Option<TableRisk>,
    /// Changes that are needed before anything is published, in the words of the front end.
    pub warnings: Vec<String>,
    /// How the table is written.
    #[serde(skip_serializing_if = "Reading::is_plain")]
    pub reading: Reading,
}

impl Inspection {
    /// Known markers of missing values, such as `NA`, that keep columns from being numbers or dates, and are not named yet.
    pub fn unnamed_markers(&self) -> Vec<String> {
        let marked = self.columns.iter().filter(|column| column.role.is_published() && column.is_marked);
        marked.flat_map(|column| column.markers.clone()).collect::<BTreeSet<String>>().into_iter().collect()
    }

    /// A column by its name.
    pub fn column(&self, name: &str) -> Option<&ColumnProfile> {
        self.columns.iter().find(|column| column.name == name)
    }
}

impl InspectRequest {
    /// By what settings say of the columns.
    pub fn of(settings: Settings) -> Self {
        InspectRequest { settings, ..InspectRequest::default() }
    }

    /// How the risk of being found is measured.
    pub fn risk(mut self, question: Question) -> Self {
        self.risk = question;
        self
    }

    /// How warnings mention options; plain where nothing is said.
    pub fn words(mut self, words: Words) -> Self {
        self.words = words;
        self
    }

    /// Looks at a table.
    pub fn run(self, input: Input) -> Result<Inspection> {
        self.run_watched(input, &Watched::by(&Unobserved))
    }

    /// Looks at a table while somebody watches.
    pub fn run_watched(self, input: Input, watched: &Watched<'_>) -> Result<Inspection> {
        let InspectRequest { settings, risk, words } = self;
        let (spec, missing) = (settings.source.clone(), &settings.missing);
        let (table, report) = reading::read(input, spec, missing, watched, |opened| {
            plan(opened.name, opened.columns, &settings)
        })?;
        let mut evidence = Evidence::of_table(&table);
        // A draft publishes codes of digits as ranges of numbers.
        let codes = &report.recognised.codes;
        evidence
            .iter_mut()
            .filter(|found| codes.contains(&found.name))
            .for_each(|found| found.is_set = false);
        let mut columns = profiles(&table, &evidence, &report, &settings);
        let risk = risk::measure(&table, &mut columns, &risk)?;
        let warnings = warnings::all(&columns, &evidence, table.rows(), &settings, &report, words);
        let reading = Reading::of(&report.recognised, &settings);
        Ok(Inspection { rows: table.rows(), columns, risk, warnings, reading })
    }
}

/// The profile of every column.
fn profiles(
    table: &Table,
    evidence: &[Evidence],
    report: &ReadReport,
    settings: &Settings,
) -> Vec<ColumnProfile> {
    let person = suggestion::person(evidence);
    let profile = |(column, evidence): (&Column, &Evidence)| {
        let given = settings.columns.get(&column.name).and_then(|given| given.role);
        let is_mixed = evidence.is_set && report.notes.iter().any(|note| note.column == column.name);
        ColumnProfile::of(column, evidence, given, suggestion::suggest(evidence, person, is_mixed))
    };
    table.columns().iter().zip(evidence).map(profile).collect()
}

/// Every column is read with its values encoded.
fn plan(input: &str, names: &[String], settings: &Settings) -> Result<Vec<ColumnPlan>> {
    let problems = settings.unknown_columns(names).into_iter().map(|problem| format!("{input}: {problem}"));
    if let Some(error) = Error::all(ErrorKind::Input, problems.collect()) {
        return Err(error);
    }
    let plan = |name: &String| {
        let given = settings.columns.get(name).cloned().unwrap_or_default();
        let spec = column_spec(name, Role::QuasiIdentifier, &given)?;
        Ok(column_plan(ColumnSpec { guard: Guard::Note, ..spec }, &given))
    };
    names.iter().map(plan).collect()
}
