//! Measures what a release costs its users.
//!
//! ```
//! use klimt::prelude::*;
//!
//! let original = "age,disease\n31,Asthma\n35,Gout\n38,Flu\n";
//! let release = "age,disease\n[31..38],Asthma\n[31..38],Gout\n[31..38],Flu\n";
//! let input = |text: &'static str| Input::reader(Format::Csv, text.as_bytes());
//! let asked = Anonymizer::new().quasi_identifiers(["age"]);
//! let measured = klimt::measure(input(original), input(release), &asked)?;
//! assert_eq!(measured.losses["dm"], 9.0);
//! # Ok::<(), klimt::Error>(())
//! ```

#[cfg(feature = "learn")]
mod learning;

use crate::anonymizer::Anonymizer;
use crate::certificate::declared_beside;
use crate::columns::plan;
use crate::input::Input;
use crate::observer::{Note, Watched};
use crate::reading;
use crate::settings::{ColumnSettings, Other, Settings};
use crate::verify::{published_groups, tally, without_guides};
use klimt_core::loss::{self, Groups, Loss, Original, PublishedGroup, PublishedGroups, Totals};
use klimt_core::registry;
use klimt_core::table::{Role, Table, TypeSpec, ValueType};
use klimt_core::words::option;
use klimt_core::{Error, ErrorKind, Result};
use klimt_verify::{Findings, Question, Tally};
use serde::Serialize;
use std::collections::BTreeMap;

/// Measures a release beside its original, by what is said of the columns.
pub fn measure(original: Input, release: Input, asked: &Anonymizer) -> Result<Measurement> {
    asked.watch(|watched| Measuring::of(asked.settings().clone()).run(Some(original), release, watched))
}

/// How a release is measured.
#[derive(Default)]
pub struct Measuring {
    settings: Settings,
    stars_are_suppressed: bool,
    #[cfg(feature = "learn")]
    test: Option<Input>,
}

/// What a release costs its users.
#[derive(Debug, Serialize)]
pub struct Measurement {
    /// The published rows.
    pub rows: u64,
    /// The rows that were left out.
    pub suppressed: u64,
    /// The groups.
    pub groups: u64,
    /// The rows of the smallest group.
    pub smallest_group: u64,
    /// The k that average sizes are compared with.
    pub k: u64,
    /// The losses by name; those that the files tell.
    pub losses: BTreeMap<&'static str, f64>,
    /// Options that leave something out of account.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub read_with: Vec<&'static str>,
    /// What is learnt from the release, where rows to test on were given.
    #[cfg(feature = "learn")]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub learning: Vec<klimt_learn::Report>,
}

impl Measuring {
    /// By what settings say of the columns.
    pub fn of(settings: Settings) -> Self {
        Measuring { settings, ..Measuring::default() }
    }

    /// Reads rows that are `*` in every quasi-identifier as suppressed rows.
    pub fn stars_are_suppressed(mut self, suppressed: bool) -> Self {
        self.stars_are_suppressed = suppressed;
        self
    }

    /// Trains a decision tree on the original and one on the release to tell each target, and tests both on these rows.
    #[cfg(feature = "learn")]
    pub fn test(mut self, rows: Input) -> Self {
        self.test = Some(rows);
        self
    }

    /// Measures a release. Without an original, the losses that its groups alone tell; the release is then read twice and
    /// must be a file.
    pub fn run(
        mut self,
        original: Option<Input>,
        release: Input,
        watched: &Watched<'_>,
    ) -> Result<Measurement> {
        #[cfg(feature = "learn")]
        learning::check(self.test.is_some(), original.is_some(), &self.settings)?;
        let settings = &mut self.settings;
        let path = release.path().map(str::to_string);
        let (input, has_original) = match original {
            Some(original) => (original, true),
            None => (release.again()?, false),
        };
        let tally =
            tally(release, settings, &[Role::Target])?.with_suppressed_stars(self.stars_are_suppressed);
        if self.stars_are_suppressed {
            let rows = crate::text::count(tally.suppressed());
            watched.note(Note::remark(format!(
                "read with {}: {rows} rows that are * in every quasi-identifier count as suppressed",
                option("stars-are-suppressed")
            )));
        }
        if let Some(path) = path.as_deref().filter(|_| has_original) {
            without_guides(settings, Some(path), &tally)?;
            let problems = declared_beside(settings, path);
            Error::all(ErrorKind::Input, problems).map_or(Ok(()), Err)?;
        }
        let table = match has_original {
            true => read_columns(input, settings, watched)?,
            false => read_columns(input, &as_categories(settings), watched)?,
        };
        let original_rows = has_original.then_some(table.rows() as u64);
        let findings = Findings::new(&tally, &Question { k: settings.k, original_rows })?;
        // The average is taken in units of the k that was asked for, else of the k that is reached.
        let k = settings.k.unwrap_or(findings.smallest_group).max(1);
        let totals = Totals {
            rows: original_rows.unwrap_or(findings.rows),
            suppressed: findings.suppressed,
            groups: findings.groups,
            k,
        };
        let weights = settings.weights(&table);
        let original = Original::new(&table, &weights);
        let groups = PublishedGroups::read(&table, groups_of(&tally, &table)?)?;
        let every = || registry::LOSSES.iter().map(|(_, loss)| *loss as &dyn Loss);
        let losses = match has_original {
            true => {
                note_untold(watched, every(), &original, &groups);
                loss::measure(every(), &original, &groups, &totals)?
            }
            false => {
                let told = every().filter(|loss| needs_no_original(*loss, &original));
                loss::measure(told, &original, &groups, &totals)?
            }
        };
        #[cfg(feature = "learn")]
        let learning = match self.test {
            Some(test) => learning::learn_targets(test, &self.settings, watched, &table, &tally)?,
            None => Vec::new(),
        };
        Ok(Measurement {
            rows: findings.rows,
            suppressed: findings.suppressed,
            groups: findings.groups,
            smallest_group: findings.smallest_group,
            k,
            losses: losses.into_iter().collect(),
            read_with: Vec::from_iter(self.stars_are_suppressed.then_some("stars-are-suppressed")),
            #[cfg(feature = "learn")]
            learning,
        })
    }
}

/// Notes which losses cannot be told from the files.
pub fn note_untold<'l>(
    watched: &Watched<'_>,
    losses: impl Iterator<Item = &'l dyn Loss>,
    original: &Original<'_>,
    groups: &PublishedGroups<'_>,
) {
    let hidden = |loss: &&dyn Loss| loss.cost(original).is_some_and(|cost| !groups.knows(&cost.needs()));
    let untold: Vec<&str> = losses.filter(hidden).map(|loss| loss.id()).collect();
    if !untold.is_empty() {
        watched.note(Note::remark(format!(
            "not told: {}, as some rows of the original lie in several published regions (the certificate has it)",
            untold.join(", ")
        )));
    }
}

/// Whether a loss is told by the groups of a release and what is published beside them.
fn needs_no_original(loss: &dyn Loss, original: &Original<'_>) -> bool {
    loss.cost(original).is_some_and(|cost| {
        let needs = cost.needs();
        let kept = |column: &usize| !original.table.quasi_identifiers().contains(column);
        needs.extents.is_empty() && needs.histograms.iter().chain(&needs.moments).all(kept)
    })
}

/// The quasi-identifiers and targets of a table.
fn read_columns(input: Input, settings: &Settings, watched: &Watched<'_>) -> Result<Table> {
    let mut settings = settings.clone();
    settings.other = Some(Other::Drop);
    settings.requirements.clear();
    let read = |column: &ColumnSettings| matches!(column.role, Some(Role::QuasiIdentifier | Role::Target));
    settings.columns.retain(|_, column| read(column));
    let (spec, missing) = (settings.source.clone(), settings.missing.clone());
    reading::read(input, spec, &missing, watched, |opened| plan(opened.name, opened.columns, &settings))
        .map(|(table, _)| table)
}

/// Quasi-identifiers as what they are in a release: texts that are equal or not.
pub fn as_categories(settings: &Settings) -> Settings {
    let mut settings = settings.clone();
    settings.columns.values_mut().for_each(|column| column.published = true);
    for column in settings.columns.values_mut().filter(|column| column.role == Some(Role::QuasiIdentifier)) {
        let type_spec = Some(TypeSpec::from(ValueType::Text));
        *column =
            ColumnSettings { role: column.role, type_spec, published: true, ..ColumnSettings::default() };
    }
    settings
}

/// The groups of a release, with texts in the order of the dimensions of the table that they are measured by.
pub fn groups_of(tally: &Tally, table: &Table) -> Result<Vec<PublishedGroup>> {
    let place = |name: &str| {
        let found = tally.quasi_identifiers().iter().position(|other| other == name);
        found.ok_or_else(|| Error::internal(format!("column {name} was not read")))
    };
    let places: Vec<usize> =
        (0..table.dimensions()).map(|d| place(&table.dimension(d).name)).collect::<Result<_>>()?;
    let number = |name: &str| table.columns().iter().position(|column| column.name == name);
    Ok(published_groups(tally, &places, number))
}
