//! `klimt measure`: what a release costs its users.

pub mod args;
mod learning;

use super::verify::{self, gather};
use super::{read_table, threads};
use crate::options::MeasureArgs;
use crate::progress::Progress;
use crate::terminal::{note, print, table};
use klimt::Input;
use klimt::Other;
use klimt::certificate::declared_beside;
use klimt::settings::{ColumnSettings, Settings};
use klimt::verify::{published_groups as groups_of, tally, without_guides};
use klimt_core::loss::{self, Groups, Loss, Original, PublishedGroup, PublishedGroups, Totals};
use klimt_core::registry;
use klimt_core::table::{Role, Table, TypeSpec, ValueType};
use klimt_core::{Error, ErrorKind, Result};
use klimt_learn::Report;
use klimt_verify::{Findings, Question, Tally};
use serde_json::{Map, Value, json};

/// Runs the command.
pub fn run(args: &MeasureArgs) -> Result<()> {
    let mut settings = gather(args.spec.as_deref(), &args.columns)?;
    args.requirements.apply(&mut settings)?;
    settings.dialect = args.format.dialect();
    learning::check(args, &settings)?;
    let release = args.release.as_deref().unwrap_or(&args.original);
    let tally = tally(Input::file(release)?, &settings, &[Role::Target])?;
    let tally = tally.with_suppressed_stars(args.stars_are_suppressed);
    if args.stars_are_suppressed {
        note(
            args.general.quiet || args.json,
            &format!("read with {}", verify::stars_note(tally.suppressed())),
        );
    }
    if let Some(release) = &args.release {
        without_guides(&mut settings, Some(release), &tally)?;
        let problems = declared_beside(&mut settings, release);
        Error::all(ErrorKind::Input, problems).map_or(Ok(()), Err)?;
    }
    let table = match args.release {
        Some(_) => read_columns(&args.original, args, &settings)?,
        None => read_columns(release, args, &as_categories(&settings))?,
    };
    let original_rows = args.release.as_ref().map(|_| table.rows() as u64);
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
    let groups = PublishedGroups::read(&table, published_groups(&tally, &table)?)?;
    let losses: Vec<&dyn Loss> = registry::LOSSES.iter().map(|(_, loss)| *loss).collect();
    if args.release.is_some() {
        untold(args.general.quiet, losses.iter().copied(), &original, &groups);
    }
    let losses = match args.release {
        Some(_) => loss::measure(losses.into_iter(), &original, &groups, &totals)?,
        None => {
            let told = losses.into_iter().filter(|loss| needs_no_original(*loss, &original));
            loss::measure(told, &original, &groups, &totals)?
        }
    };
    let learnt = learning::run(args, &settings, &table, &tally)?;
    show(args, &losses, &findings, k, &learnt)
}

/// Says which losses cannot be told from the files.
pub fn untold<'l>(
    quiet: bool,
    losses: impl Iterator<Item = &'l dyn Loss>,
    original: &Original<'_>,
    groups: &PublishedGroups<'_>,
) {
    let hidden = |loss: &&dyn Loss| loss.cost(original).is_some_and(|cost| !groups.knows(&cost.needs()));
    let untold: Vec<&str> = losses.filter(hidden).map(|loss| loss.id()).collect();
    if !untold.is_empty() {
        note(
            quiet,
            &format!(
                "not told: {}, as some rows of the original lie in several published regions (the certificate has it)",
                untold.join(", ")
            ),
        );
    }
}

fn show(
    args: &MeasureArgs,
    losses: &[(&'static str, f64)],
    findings: &Findings,
    k: u64,
    learnt: &[Report],
) -> Result<()> {
    if args.json {
        let map: Map<String, Value> = losses.iter().map(|(id, loss)| (id.to_string(), json!(loss))).collect();
        let mut text = json!({ "rows": findings.rows, "suppressed": findings.suppressed, "groups": findings.groups,
            "smallest_group": findings.smallest_group, "k": k, "losses": map });
        if args.stars_are_suppressed {
            text["read_with"] = json!([verify::STARS_ARE_SUPPRESSED]);
        }
        if !learnt.is_empty() {
            text["learning"] = json!(learnt);
        }
        return print(&format!("{text:#}\n"));
    }
    let help = |id: &str| {
        registry::LOSSES.iter().find(|(entry, _)| entry.id == id).map_or("", |(entry, _)| entry.help)
    };
    let mut rows = vec![vec!["loss".to_string(), "value".to_string(), "meaning".to_string()]];
    rows.extend(losses.iter().map(|(id, loss)| vec![id.to_string(), shown(*loss), help(id).to_string()]));
    print(&table(&rows))?;
    print(&learning::describe(learnt))
}

fn shown(loss: f64) -> String {
    if loss.fract() == 0.0 { format!("{loss:.0}") } else { format!("{loss:.6}") }
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
fn read_columns(path: &str, args: &MeasureArgs, settings: &Settings) -> Result<Table> {
    let progress = Progress::new(args.general.quiet)?;
    let mut settings = settings.clone();
    settings.other = Some(Other::Drop);
    settings.requirements.clear();
    let read = |column: &ColumnSettings| matches!(column.role, Some(Role::QuasiIdentifier | Role::Target));
    settings.columns.retain(|_, column| read(column));
    read_table(path, &args.format, &settings.missing, threads(&args.general), &progress, |source| {
        klimt::columns::plan(path, source.columns(), &settings)
    })
}

/// Quasi-identifiers as what they are in a release: texts that are equal or not.
pub fn as_categories(settings: &Settings) -> Settings {
    let mut settings = settings.clone();
    for column in settings.columns.values_mut().filter(|column| column.role == Some(Role::QuasiIdentifier)) {
        let type_spec = Some(TypeSpec::from(ValueType::Text));
        *column = ColumnSettings {
            role: column.role,
            type_spec,
            published: true,
            allow_unique: true,
            ..ColumnSettings::default()
        };
    }
    settings
}

/// The groups of a release, with texts in the order of the dimensions of the table that they are measured by.
pub fn published_groups(tally: &Tally, table: &Table) -> Result<Vec<PublishedGroup>> {
    let place = |name: &str| {
        let found = tally.quasi_identifiers().iter().position(|other| other == name);
        found.ok_or_else(|| Error::internal(format!("column {name} was not read")))
    };
    let places: Vec<usize> =
        (0..table.dimensions()).map(|d| place(&table.dimension(d).name)).collect::<Result<_>>()?;
    let number = |name: &str| table.columns().iter().position(|column| column.name == name);
    Ok(groups_of(tally, &places, number))
}
