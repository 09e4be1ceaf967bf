//! Reads the original and the release that are asked.

use super::matters;
use crate::columns::plan;
use crate::input::Input;
use crate::measure::as_categories;
use crate::observer::Watched;
use crate::reading;
use crate::run::workload;
use crate::settings::{ColumnSettings, Settings};
use klimt_core::recode::{MAXIMUM, MEAN, MINIMUM};
use klimt_core::table::{Role, Table, TypeSpec, ValueType};
use klimt_core::workload::Workload;
use klimt_core::{Error, Result};

/// An original that queries are asked of.
pub(super) struct Original {
    /// Its quasi-identifiers, and the other columns that queries look at.
    pub table: Table,
    /// The names of all its columns.
    pub columns: Vec<String>,
}

/// Reads the original. Afterwards the settings hold nothing but the columns that were read, and queries name columns as
/// the table does.
pub(super) fn original(
    input: Input,
    settings: &mut Settings,
    queries: &mut Workload,
    watched: &Watched<'_>,
) -> Result<Original> {
    let (spec, missing) = (settings.source.clone(), settings.missing.clone());
    let mut columns = Vec::new();
    let (table, _) = reading::read(input, spec, &missing, watched, |opened| {
        columns = opened.columns.to_vec();
        workload::resolve(queries, opened.columns)?;
        keep_asked(settings, queries)?;
        plan(opened.name, opened.columns, settings)
    })?;
    Ok(Original { table, columns })
}

/// Reads the same columns of a release, and the statistics that it publishes beside its quasi-identifiers.
pub(super) fn release(
    input: Input,
    settings: &Settings,
    original: &[String],
    watched: &Watched<'_>,
) -> Result<Table> {
    let mut settings = as_categories(settings);
    let (spec, missing) = (settings.source.clone(), settings.missing.clone());
    let read = reading::read(input, spec, &missing, watched, |opened| {
        // A column that the release does not publish is named afterwards.
        settings.columns.retain(|name, column| {
            column.role == Some(Role::QuasiIdentifier) || opened.columns.contains(name)
        });
        let dimensions =
            settings.columns.iter().filter(|(_, column)| column.role == Some(Role::QuasiIdentifier));
        let statistics: Vec<String> = dimensions
            .flat_map(|(name, _)| [MINIMUM, MAXIMUM, MEAN].map(|suffix| format!("{name}{suffix}")))
            .collect();
        // A column of the original that has such a name is no statistic.
        let published = |name: &String| opened.columns.contains(name) && !original.contains(name);
        for name in statistics.into_iter().filter(published) {
            settings.columns.insert(
                name,
                ColumnSettings {
                    role: Some(Role::Target),
                    type_spec: Some(TypeSpec::from(ValueType::Text)),
                    published: true,
                    ..ColumnSettings::default()
                },
            );
        }
        plan(opened.name, opened.columns, &settings)
    });
    read.map(|(table, _)| table)
}

/// Leaves only the columns that matter, with those that queries look at coded.
fn keep_asked(settings: &mut Settings, queries: &Workload) -> Result<()> {
    let asked = queries.columns();
    settings.requirements.clear();
    for name in &asked {
        let column = settings.columns.entry(name.to_string()).or_default();
        match column.role {
            Some(Role::Identifier) => {
                return Err(Error::input(format!("the workload asks about {name}, an identifier")));
            }
            Some(Role::QuasiIdentifier) => {}
            _ => column.role = Some(Role::Target),
        }
    }
    settings.columns.retain(|name, column| matters(name, column, &asked));
    Ok(())
}
