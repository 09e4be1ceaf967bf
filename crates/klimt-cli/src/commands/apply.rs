//! `klimt apply`: a saved recoding function on other data.

use super::{read_table, threads};
use crate::options::{ApplyArgs, ColumnArgs};
use crate::progress::Progress;
use crate::terminal::{count, note};
use klimt::columns::{column_spec, plan};
use klimt::files::check_outputs;
use klimt::run::{Publication, facts, output_dialect, row_order};
use klimt::settings::{NamedRequirement, Settings, flags, share};
use klimt::{Note, Output, Stage};
use klimt_core::job::Suppression;
use klimt_core::recode::{Manner, RecodedTable, RecodingFunction, Release};
use klimt_core::region::Extents;
use klimt_core::requirement::Requirement;
use klimt_core::table::{Domain, Role};
use klimt_core::{Error, Result};
use klimt_io::columnar::KeptTypes;
use klimt_io::csv::Dialect;
use klimt_io::source::{ColumnPlan, Source};

/// Runs the command.
pub fn run(args: &ApplyArgs) -> Result<()> {
    let text = std::fs::read(&args.recoding).map_err(|e| Error::io(&args.recoding, "read it", &e))?;
    let function = RecodingFunction::from_json(&text, &args.recoding)?;
    let mut settings = settings_for(&function, args)?;
    let mut read = vec![args.input.as_str(), &args.recoding];
    read.extend(settings.files());
    check_outputs(&[("release", &args.output)], &read)?;
    settings.k = settings.k.or(Some(function.k));
    let requirements = settings.build_requirements()?;
    let k = settings.k.unwrap_or(function.k);
    let threads = threads(&args.general);
    let progress = Progress::new(args.general.quiet)?;
    let mut seen = (Dialect::default(), KeptTypes::default());
    let table = read_table(&args.input, &args.format, &args.columns.missing, threads, &progress, |source| {
        seen = (source.dialect(), source.kept_types());
        plan_for(&function, &settings, args, source)
    })?;
    let (dialect, kept_types) = seen;
    let extents = args.extent.unwrap_or(function.extent);
    let granted = args.suppress.as_deref().map(share).transpose().map_err(Error::input)?;
    let granted = granted.map_or(0.0, |share| share.value());
    let mut applied = function.apply(&table, Manner { extents, apart: granted > 0.0 })?;
    let domains: Vec<Domain> =
        (0..applied.table.dimensions()).map(|d| applied.table.domain(d).clone()).collect();
    let domains: Vec<&Domain> = domains.iter().collect();
    applied.partitioning.coalesce(&domains);
    let suppressed = suppress_violating(&mut applied, &domains, &requirements, extents, granted)?;
    let order = row_order(args.keep_order, args.seed)?;
    let release = Release::new(&applied.table, &applied.partitioning, extents, order, &[]);
    let output = Output::file(&args.output)?;
    let publication = Publication {
        frame: &applied.table,
        columns: release.columns(),
        output: &output,
        dialect: output_dialect(dialect, &output)?,
        k,
        requirements: &requirements,
        facts: &facts(&applied.table),
        kept_types: &kept_types,
        threads,
    };
    let watched = progress.watched();
    let stage = watched.stage(Stage::Writing, Some(release.rows() as u64));
    let checked = publication.write(&release, applied.table.rows() as u64, &stage)?;
    drop(stage);
    let findings = checked.findings.clone();
    checked.staged.publish()?;
    if function.suppressed_rows() {
        watched.note(Note::warning(
            "rows of the table that this function was made from were suppressed; applied to that table, it may publish them, \
             so do not publish its result beside the first release",
        ));
    }
    let outside = match applied.outside {
        0 => String::new(),
        cells => format!("; {} cells outside the recoding's domain are published as *", count(cells as u64)),
    };
    note(
        args.general.quiet,
        &format!(
            "{} rows in {} groups of at least {}, {} suppressed{outside}",
            count(findings.rows),
            count(findings.groups),
            count(findings.smallest_group),
            count(suppressed as u64),
        ),
    );
    Ok(())
}

/// What the flags say of the other columns, and what the result must satisfy: what the function was made for, unless
/// flags ask for the same of the same column.
fn settings_for(function: &RecodingFunction, args: &ApplyArgs) -> Result<Settings> {
    let mut settings = Settings::default();
    ColumnArgs { qi: Vec::new(), ..args.columns.clone() }.apply(&mut settings)?;
    for name in function.columns() {
        settings.columns.entry(name.to_string()).or_default().role = Some(Role::QuasiIdentifier);
    }
    for saved in &function.requirements {
        let flag = flags()
            .find(|flag| *flag == saved.flag)
            .ok_or_else(|| Error::input(format!("{}: unknown requirement {}", args.recoding, saved.flag)))?;
        let (column, text) = (Some(saved.column.clone()), saved.parameters.clone());
        settings.requirements.push(NamedRequirement { flag, column, text });
    }
    args.requirements.apply(&mut settings)?;
    Ok(settings)
}

/// The function says what its columns are; flags say it of the others.
fn plan_for(
    function: &RecodingFunction,
    settings: &Settings,
    args: &ApplyArgs,
    source: &Source,
) -> Result<Vec<ColumnPlan>> {
    let recoded = function.columns();
    if let Some(absent) = recoded.iter().find(|name| !source.columns().iter().any(|column| column == *name)) {
        return Err(Error::input(format!("{}: column {absent}, which is recoded, is missing", args.input)));
    }
    let mut plans = plan(&args.input, source.columns(), settings)?;
    for (plan, name) in plans.iter_mut().zip(source.columns()) {
        if recoded.contains(&name.as_str()) {
            let given = settings.columns.get(name).cloned().unwrap_or_default();
            let mut spec = column_spec(name, Role::QuasiIdentifier, &given)?;
            spec.type_spec = spec.type_spec.or(function.column_spec(name).and_then(|spec| spec.type_spec));
            // Values that the function does not know are published as `*`.
            plan.spec = Some(spec);
        }
    }
    Ok(plans)
}

/// Leaves out groups that violate a requirement, where that was granted; without it, or beyond it, there is no release.
///
/// What is left is a smaller whole, by which some requirements measure groups anew, so this goes on until all satisfy.
fn suppress_violating(
    applied: &mut RecodedTable,
    domains: &[&Domain],
    requirements: &[Box<dyn Requirement>],
    extents: Extents,
    granted: f64,
) -> Result<usize> {
    let limit = Suppression::share(granted).unwrap_or(Suppression::NONE).limit(applied.table.rows());
    let mut suppressed = 0;
    loop {
        let violating = applied.partitioning.violating_as_published(&applied.table, requirements, extents)?;
        let rows: usize = violating.iter().map(|&group| applied.partitioning.rows(group).len()).sum();
        if rows == 0 {
            return Ok(suppressed);
        }
        suppressed += rows;
        if suppressed > limit {
            let percent = suppressed as f64 * 100.0 / applied.table.rows() as f64;
            let what: Vec<String> = requirements.iter().map(|requirement| requirement.describe()).collect();
            return Err(Error::unsatisfied(format!(
                "{} rows fall into {} groups that violate {}",
                count(rows as u64),
                count(violating.len() as u64),
                what.join(" or ")
            ))
            .with_help(format!("leave them out with --suppress {}%, or ask for less", percent.ceil())));
        }
        applied.partitioning.drop_groups(&violating, domains);
    }
}
