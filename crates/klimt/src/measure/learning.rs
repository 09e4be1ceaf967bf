//! What is learnt from a release, on rows to test on.

use super::groups_of;
use crate::columns::plan;
use crate::input::Input;
use crate::observer::Watched;
use crate::reading;
use crate::settings::{ColumnSettings, Other, Settings};
use crate::suggest::did_you_mean;
use klimt_core::table::{Role, Table, TypeSpec, ValueType};
use klimt_core::words::option;
use klimt_core::{Error, ErrorKind, Result};
use klimt_learn::{Learning, Report, learn};
use klimt_verify::Tally;

/// Whether rows to test on are of use, before anything is read.
pub fn check(has_test: bool, has_original: bool, settings: &Settings) -> Result<()> {
    let (test, target) = (option("test"), option("target"));
    match has_test {
        false => Ok(()),
        true if !has_original => Err(Error::input(format!("{test} needs an original and its release"))),
        true if !settings.columns.values().any(|column| column.role == Some(Role::Target)) => {
            Err(Error::input(format!("{test} needs a target: the column that is to be learnt"))
                .with_help(format!("name one that the release publishes, such as {target} class")))
        }
        true => Ok(()),
    }
}

/// Learns every target.
pub fn learn_targets(
    test: Input,
    settings: &Settings,
    watched: &Watched<'_>,
    original: &Table,
    tally: &Tally,
) -> Result<Vec<Report>> {
    let test = read_test(test, settings, watched)?;
    let release = groups_of(tally, original)?;
    let targets = (0..original.columns().len()).filter(|&at| original.columns()[at].role == Role::Target);
    targets.map(|target| learn(&Learning { original, release: &release, test: &test, target })).collect()
}

/// The rows to be tested on, as texts: what they mean is for the original to say.
fn read_test(input: Input, settings: &Settings, watched: &Watched<'_>) -> Result<Table> {
    let mut asked = Settings { other: Some(Other::Drop), ..Settings::default() };
    let wanted = |role: Option<Role>| matches!(role, Some(Role::QuasiIdentifier | Role::Target));
    for (name, column) in settings.columns.iter().filter(|(_, column)| wanted(column.role)) {
        let type_spec = Some(TypeSpec::from(ValueType::Text));
        let column = ColumnSettings {
            role: column.role,
            type_spec,
            form: column.form,
            missing: column.missing.clone(),
            ..ColumnSettings::default()
        };
        asked.columns.insert(name.clone(), column);
    }
    reading::read(input, settings.source.clone(), &settings.missing, watched, |opened| {
        let (path, names) = (opened.name, opened.columns);
        let missing = asked.columns.keys().filter(|name| !names.contains(name)).map(|name| {
            format!("{path}: unknown column {name}{}", did_you_mean(name, names.iter().map(String::as_str)))
        });
        Error::all(ErrorKind::Input, missing.collect()).map_or(Ok(()), Err)?;
        plan(path, names, &asked)
    })
    .map(|(table, _)| table)
}
