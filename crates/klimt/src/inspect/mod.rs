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

mod column;
mod risk;
mod warnings;

pub use column::ColumnProfile;
pub use risk::TableRisk;

use crate::anonymizer::Anonymizer;
use crate::columns::{column_plan, column_spec};
use crate::input::Input;
use crate::observer::{Unobserved, Watched};
use crate::reading::{self, Reading};
use crate::settings::Settings;
use klimt_core::risk::Question;
use klimt_core::table::{ColumnSpec, Guard, Role};
use klimt_core::{Error, ErrorKind, Result, Words};
use klimt_io::source::ColumnPlan;
use serde::Serialize;

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
        let profile = |column| ColumnProfile::of(column, &settings, table.rows());
        let mut columns: Vec<ColumnProfile> = table.columns().iter().map(profile).collect();
        let risk = risk::measure(&table, &mut columns, &risk)?;
        let warnings = warnings::all(&columns, table.rows(), &report, words);
        let reading = Reading::of(&report.recognised, &settings);
        Ok(Inspection { rows: table.rows(), columns, risk, warnings, reading })
    }
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
