//! `klimt measure --test`: what a release is worth to somebody who learns from it.

use super::published_groups;
use crate::commands::{read_table, threads};
use crate::options::MeasureArgs;
use crate::progress::Progress;
use crate::terminal::{count, table};
use klimt::Other;
use klimt::columns::plan;
use klimt::did_you_mean;
use klimt::settings::{ColumnSettings, Settings};
use klimt_core::table::{Role, Table, TypeSpec, ValueType};
use klimt_core::{Error, ErrorKind, Result};
use klimt_io::columnar::TextRecords;
use klimt_learn::{Learning, Measured, Quality, Report, learn};
use klimt_verify::Tally;

/// Whether what is asked for can be done, before anything is read.
pub fn check(args: &MeasureArgs, settings: &Settings) -> Result<()> {
    if args.learning.test.is_none() {
        return Ok(());
    }
    let Some(release) = &args.release else {
        return Err(Error::input("--test needs an original and its release")
            .with_help("klimt measure ORIGINAL RELEASE --target COLUMN --test HELD_OUT"));
    };
    let targets: Vec<&String> =
        settings.columns.iter().filter(|(_, c)| c.role == Some(Role::Target)).map(|(name, _)| name).collect();
    if targets.is_empty() {
        return Err(Error::input("--test needs a target: the column that is to be learnt")
            .with_help("name one that the release publishes, such as --target class"));
    }
    if release == "-" {
        return Ok(());
    }
    let columns =
        TextRecords::open(release, crate::columns::dialect_spec(release, &args.format))?.columns().to_vec();
    let missing: Vec<String> = targets
        .iter()
        .filter(|name| !columns.contains(name))
        .map(|name| {
            format!("{release}: the release does not publish {name}, so nothing can be learnt about it")
        })
        .collect();
    match Error::all(ErrorKind::Input, missing) {
        None => Ok(()),
        Some(error) => Err(error.with_help("publish it as it is: klimt anonymize … --target COLUMN")),
    }
}

/// Learns every target.
pub fn run(args: &MeasureArgs, settings: &Settings, original: &Table, tally: &Tally) -> Result<Vec<Report>> {
    let Some(path) = &args.learning.test else { return Ok(Vec::new()) };
    let test = read_test(path, args, settings)?;
    let release = published_groups(tally, original)?;
    let targets = (0..original.columns().len()).filter(|&at| original.columns()[at].role == Role::Target);
    targets.map(|target| learn(&Learning { original, release: &release, test: &test, target })).collect()
}

/// The rows to be tested on, as texts: what they mean is for the original to say.
fn read_test(path: &str, args: &MeasureArgs, settings: &Settings) -> Result<Table> {
    let progress = Progress::new(args.general.quiet || args.json)?;
    let mut asked = Settings { other: Some(Other::Drop), ..Settings::default() };
    let wanted = |role: Option<Role>| matches!(role, Some(Role::QuasiIdentifier | Role::Target));
    for (name, column) in settings.columns.iter().filter(|(_, column)| wanted(column.role)) {
        let type_spec = Some(TypeSpec::from(ValueType::Text));
        let column =
            ColumnSettings { role: column.role, type_spec, allow_unique: true, ..ColumnSettings::default() };
        asked.columns.insert(name.clone(), column);
    }
    read_table(path, &args.format, &settings.missing, threads(&args.general), &progress, |source| {
        let names = source.columns();
        let missing = asked.columns.keys().filter(|name| !names.contains(name)).map(|name| {
            format!(
                "{path}: there is no column {name}{}",
                did_you_mean(name, names.iter().map(String::as_str))
            )
        });
        Error::all(ErrorKind::Input, missing.collect()).map_or(Ok(()), Err)?;
        plan(path, names, &asked)
    })
}

/// What was learnt.
pub fn describe(reports: &[Report]) -> String {
    reports.iter().map(describe_one).collect()
}

fn describe_one(report: &Report) -> String {
    let classes =
        report.classes.map_or("a number".to_string(), |classes| format!("{} classes", count(classes)));
    let mut text = format!(
        "\nLearning {} ({classes}) with a decision tree, tested on {} held-out rows\n",
        report.target,
        count(report.test_rows)
    );
    let named = if report.classes.is_some() { "the commonest class" } else { "the mean" };
    let mut rows = vec![heading(&report.base)];
    rows.push(row(&format!("always {named}"), None, &report.base));
    rows.push(row("trained on the original", Some(&report.original), &report.original.quality));
    rows.push(row("trained on the release", Some(&report.release), &report.release.quality));
    text.push_str(&table(&rows));
    let sampled = |measured: &Measured| measured.trained_rows == klimt_learn::MOST_ROWS as u64;
    if [&report.original, &report.release]
        .into_iter()
        .any(|measured| sampled(measured) && measured.rows > measured.trained_rows)
    {
        text.push_str(&format!(
            "Of more than {} rows, so many were trained with, evenly spread.\n",
            count(klimt_learn::MOST_ROWS as u64)
        ));
    }
    if let Some(ratio) = report.ratio {
        let what = match report.base {
            Quality::Class { .. } => "The release's tree is right as often as the original's, times",
            Quality::Number { .. } => "The error of the original's tree over that of the release's is",
        };
        text.push_str(&format!("{what} {ratio:.4}.\n"));
    }
    text
}

fn heading(quality: &Quality) -> Vec<String> {
    let measures: &[&str] = match quality {
        Quality::Class { .. } => &["guess", "rows", "accuracy"],
        Quality::Number { .. } => &["guess", "rows", "rmse", "r2"],
    };
    measures.iter().map(|name| name.to_string()).collect()
}

fn row(name: &str, measured: Option<&Measured>, quality: &Quality) -> Vec<String> {
    let rows = measured.map_or("-".to_string(), |measured| count(measured.trained_rows));
    let mut cells = vec![name.to_string(), rows];
    match quality {
        Quality::Class { accuracy } => cells.push(crate::risk::percent(*accuracy)),
        Quality::Number { rmse, r2 } => cells.extend([format!("{rmse:.4}"), format!("{r2:.4}")]),
    }
    cells
}
