//! `klimt apply`: a saved recoding function on other data.

use super::anonymize::{output_dialect, row_order};
use super::{read_table, threads};
use crate::columns::{column_spec, plan};
use crate::options::{ApplyArgs, ColumnArgs};
use crate::output::same_file;
use crate::progress::Progress;
use crate::publish::Publication;
use crate::settings::{Settings, share};
use crate::terminal::{count, note};
use klimt::partition::Suppression;
use klimt::recode::{Applied, RecodingFunction, Release};
use klimt::region::Extents;
use klimt::table::{Domain, Role};
use klimt::{Error, Result};
use klimt_io::columnar::KeptTypes;
use klimt_io::csv::Dialect;
use klimt_io::source::{ColumnPlan, Source};
use klimt_verify::claims::Claim;

/// Runs the command.
pub fn run(args: &ApplyArgs) -> Result<()> {
    if let Some(same) = [&args.input, &args.recoding].into_iter().find(|path| same_file(path, &args.output)) {
        return Err(Error::input(format!("{}: this output would overwrite the input {same}", args.output))
            .with_help("choose another name with -o"));
    }
    let text = std::fs::read(&args.recoding).map_err(|e| Error::io(&args.recoding, "read it", &e))?;
    let function = RecodingFunction::from_json(&text, &args.recoding)?;
    let k = args.k.unwrap_or(function.k);
    let threads = threads(&args.general);
    let progress = Progress::new(args.general.quiet)?;
    let mut seen = (Dialect::default(), KeptTypes::default());
    let table = read_table(&args.input, &args.format, &args.columns.missing, threads, &progress, |source| {
        seen = (source.dialect(), source.kept_types());
        plan_for(&function, args, source)
    })?;
    let (dialect, kept_types) = seen;
    let mut applied = function.apply(&table)?;
    let domains: Vec<Domain> =
        (0..applied.table.dimensions()).map(|d| applied.table.domain(d).clone()).collect();
    let domains: Vec<&Domain> = domains.iter().collect();
    applied.partitioning.coalesce(&domains);
    let suppressed = suppress_small(&mut applied, &domains, k, args)?;
    let order = row_order(args.keep_order, args.seed)?;
    let release = Release::new(&applied.table, &applied.partitioning, Extents::Region, order, &[]);
    let claims = [Claim::k_anonymity(k)];
    let publication = Publication {
        release: &release,
        output: &args.output,
        dialect: output_dialect(dialect, &args.output)?,
        k,
        claims: &claims,
        kept_types: &kept_types,
        threads,
        progress: &progress,
    };
    let checked = publication.write()?;
    let findings = checked.findings.clone();
    checked.staged.publish()?;
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

/// The function says what its columns are; flags say it of the others.
fn plan_for(function: &RecodingFunction, args: &ApplyArgs, source: &Source) -> Result<Vec<ColumnPlan>> {
    let mut settings = Settings::default();
    settings.apply_columns(&ColumnArgs { qi: Vec::new(), ..args.columns.clone() })?;
    let recoded = function.columns();
    if let Some(absent) = recoded.iter().find(|name| !source.columns().iter().any(|column| column == *name)) {
        return Err(Error::input(format!("{}: there is no column {absent}, which is recoded", args.input)));
    }
    for name in &recoded {
        settings.columns.entry(name.to_string()).or_default().role = Some(Role::QuasiIdentifier);
    }
    let mut plans = plan(&args.input, source.columns(), &settings)?;
    for (plan, name) in plans.iter_mut().zip(source.columns()) {
        if recoded.contains(&name.as_str()) {
            let given = settings.columns.get(name).cloned().unwrap_or_default();
            let mut spec = column_spec(name, Role::QuasiIdentifier, &given)?;
            spec.type_spec = spec.type_spec.or(function.column_spec(name).and_then(|spec| spec.type_spec));
            plan.spec = Some(spec);
        }
    }
    Ok(plans)
}

/// Leaves out groups below k, where that was granted; without it, or beyond it, there is no release.
fn suppress_small(applied: &mut Applied, domains: &[&Domain], k: u64, args: &ApplyArgs) -> Result<usize> {
    let small: Vec<usize> = (0..applied.partitioning.groups())
        .filter(|&group| (applied.partitioning.rows(group).len() as u64) < k)
        .collect();
    let rows: usize = small.iter().map(|&group| applied.partitioning.rows(group).len()).sum();
    if rows == 0 {
        return Ok(0);
    }
    let granted = args.suppress.as_deref().map_or(Ok(0.0), share)?;
    let limit = Suppression::share(granted).unwrap_or(Suppression::NONE).limit(applied.table.rows());
    if rows > limit {
        let percent = rows as f64 * 100.0 / applied.table.rows() as f64;
        return Err(Error::unsatisfied(format!(
            "{} rows fall into {} groups with fewer than k = {k} rows",
            count(rows as u64),
            count(small.len() as u64)
        ))
        .with_help(format!("leave them out with --suppress {}%, or ask for a smaller -k", percent.ceil())));
    }
    applied.partitioning.drop_groups(&small, domains);
    Ok(rows)
}
