//! `klimt verify`: what a release reaches, from its published file alone.

use crate::columns::{column_spec, dialect_spec, load_hierarchy, read_order};
use crate::options::{ColumnArgs, FormatArgs, VerifyArgs};
use crate::settings::Settings;
use crate::suggest::did_you_mean;
use crate::terminal::{count, note, print};
use crate::{risk, spec};
use klimt::requirement::Side;
use klimt::risk::Risk;
use klimt::table::{Role, ValueType};
use klimt::{Error, ErrorKind, Result};
use klimt_io::columnar::TextRecords;
use klimt_verify::claims::{Facts, Outcome, check};
use klimt_verify::{Findings, Question, Tally, WorstGroup, width, worst};
use serde_json::json;
use std::collections::{BTreeMap, HashSet};
use std::hash::{BuildHasher, RandomState};

/// How many of the smallest groups are named.
const NAMED: usize = 5;

/// Runs the command.
pub fn run(args: &VerifyArgs) -> Result<()> {
    let mut settings = gather(args.spec.as_deref(), &args.columns)?;
    settings.apply_requirements(&args.requirements)?;
    let requirements = settings.build_requirements()?;
    let question = risk::question(&args.risk)?;
    let k = settings.k;
    let Counted { tally, warnings } = count_release(&args.release, &args.format, &settings)?;
    let findings = Findings::new(&tally, &Question { k, original_rows: None })?;
    let outcomes = check(&tally, &requirements, &facts(&settings)?)?;
    let risk = Risk::of(tally.groups().map(|group| group.rows()), &question);
    let contributions = klimt_verify::contributions(&tally);
    let worst = worst(&tally, NAMED);
    if args.json {
        let text = json!({ "findings": findings, "claims": outcomes, "risk": risk,
            "adds_unique": contributions.iter().cloned().collect::<BTreeMap<_, _>>(),
            "worst": worst, "warnings": warnings });
        print(&format!("{text:#}\n"))?;
    } else if !args.general.quiet {
        print(&describe(&findings, &outcomes))?;
        print(&format!("\n{}{}", risk::describe(&risk), describe_contributions(&contributions)))?;
        warnings.iter().for_each(|warning| note(false, &format!("warning: {warning}")));
    }
    let broken: Vec<String> = outcomes.iter().filter(|outcome| !outcome.holds).map(describe_broken).collect();
    match Error::all(ErrorKind::Unsatisfied, broken) {
        None => Ok(()),
        Some(error) => Err(name_worst(error, &worst, k)),
    }
}

/// Which columns make rows unique, where there are any.
fn describe_contributions(contributions: &[(String, u64)]) -> String {
    let adding = contributions.iter().filter(|(_, rows)| *rows > 0);
    adding.map(|(name, rows)| format!("{} of the unique rows are unique by {name}\n", count(*rows))).collect()
}

/// The spec, then the flags about columns.
pub fn gather(spec: Option<&str>, columns: &ColumnArgs) -> Result<Settings> {
    let mut settings = spec.map_or(Ok(Settings::default()), spec::read)?;
    settings.apply_columns(columns)?;
    Ok(settings)
}

/// The groups of a release, and what to say about its other columns.
pub struct Counted {
    /// The groups.
    pub tally: Tally,
    /// A sentence for each column that is published as it is and tells rows apart.
    pub warnings: Vec<String>,
}

/// Counts the groups of a release, with the values of its sensitive columns in each.
pub fn count_release(path: &str, format: &FormatArgs, settings: &Settings) -> Result<Counted> {
    let (records, positions, mut tally) = open_release(path, format, settings, &[Role::Sensitive])?;
    let split = tally.quasi_identifiers().len();
    let others: Vec<usize> =
        (0..records.columns().len()).filter(|at| !positions[..split].contains(at)).collect();
    let names: Vec<String> = others.iter().map(|&at| records.columns()[at].clone()).collect();
    let wanted: Vec<usize> = positions.iter().chain(&others).copied().collect();
    let mut seen: Vec<HashSet<u64>> = vec![HashSet::new(); others.len()];
    let hasher = RandomState::new();
    let mut rows = 0u64;
    records.for_each(&wanted, &mut |_, fields| {
        rows += 1;
        for (seen, text) in seen.iter_mut().zip(&fields[positions.len()..]) {
            seen.insert(hasher.hash_one(text));
        }
        tally.add(&fields[..split], &fields[split..positions.len()])
    })?;
    let warning = |(name, seen): (&String, &HashSet<u64>)| risk::nearly_unique(name, seen.len() as u64, rows);
    let warnings = names.iter().zip(&seen).filter_map(warning).collect();
    Ok(Counted { tally, warnings })
}

/// Counts the groups of a release, with the values of the columns of the given roles in each.
pub fn tally(path: &str, format: &FormatArgs, settings: &Settings, counted: &[Role]) -> Result<Tally> {
    let (records, positions, mut tally) = open_release(path, format, settings, counted)?;
    let split = tally.quasi_identifiers().len();
    records.for_each(&positions, &mut |_, fields| tally.add(&fields[..split], &fields[split..]))?;
    Ok(tally)
}

/// A release, where its quasi-identifiers and then the counted columns stand, and an empty tally of them.
fn open_release(
    path: &str,
    format: &FormatArgs,
    settings: &Settings,
    counted: &[Role],
) -> Result<(TextRecords, Vec<usize>, Tally)> {
    let records = TextRecords::open(path, dialect_spec(format))?;
    let names = |roles: &[Role]| -> Vec<String> {
        let of = settings
            .columns
            .iter()
            .filter(|(_, column)| column.role.is_some_and(|role| roles.contains(&role)));
        of.map(|(name, _)| name.clone()).collect()
    };
    let (quasi_identifiers, counted) = (names(&[Role::QuasiIdentifier]), names(counted));
    if quasi_identifiers.is_empty() {
        return Err(Error::input("no quasi-identifier is named").with_help("say which, such as --qi age,sex"));
    }
    let columns = records.columns();
    let wanted: Vec<&String> = quasi_identifiers.iter().chain(&counted).collect();
    let problems: Vec<String> = wanted
        .iter()
        .filter(|name| !columns.contains(name))
        .map(|name| {
            let hint = did_you_mean(name, columns.iter().map(String::as_str));
            format!("{path}: there is no column {name}{hint}")
        })
        .collect();
    if let Some(error) = Error::all(ErrorKind::Input, problems) {
        return Err(error);
    }
    let positions =
        wanted.iter().filter_map(|name| columns.iter().position(|column| &column == name)).collect();
    let tally = Tally::new(&quasi_identifiers, &counted);
    Ok((records, positions, tally))
}

/// What is known of columns besides the release, from orders, hierarchies and types.
fn facts(settings: &Settings) -> Result<Facts> {
    let mut facts = Facts::default();
    for (name, column) in &settings.columns {
        if column.role == Some(Role::Sensitive) {
            facts.sensitive.insert(name.clone(), column_spec(name, Role::Sensitive, column)?);
            continue;
        }
        let pattern =
            column.type_spec.as_ref().and_then(|spec| Some((spec.value_type, spec.pattern.clone()?)));
        let domain = if let Some(path) = &column.order {
            width::Domain::order(read_order(path)?)
        } else if let Some(path) = &column.hierarchy {
            let tree = load_hierarchy(path)?;
            width::Domain::Hierarchy(
                tree.nodes()
                    .map(|node| (tree.label(node).to_string(), u64::from(tree.leaves_under(node))))
                    .collect(),
            )
        } else {
            match pattern {
                Some((ValueType::Date, pattern)) => width::Domain::Dates(pattern),
                Some((ValueType::Timestamp, pattern)) => width::Domain::Timestamps(pattern),
                _ => continue,
            }
        };
        facts.domains.insert(name.clone(), domain);
    }
    Ok(facts)
}

fn describe(findings: &Findings, outcomes: &[Outcome]) -> String {
    let mut text = format!(
        "rows          {}\nsuppressed    {}\ngroups        {}\ngroup sizes   {} to {}, {:.1} on average\n",
        count(findings.rows),
        count(findings.suppressed),
        count(findings.groups),
        count(findings.smallest_group),
        count(findings.largest_group),
        findings.average_group,
    );
    for column in &findings.sensitive {
        let share = column.certain_rows as f64 / findings.rows.max(1) as f64;
        text.push_str(&format!(
            "{:<13} at least {} different values in a group; {} rows ({}) whose value is certain\n",
            column.column,
            column.least_distinct,
            count(column.certain_rows),
            risk::percent(share),
        ));
    }
    for outcome in outcomes {
        let verdict = if outcome.holds { "holds" } else { "FAILS" };
        text.push_str(&format!("{verdict:<13} {}: {}\n", outcome.description, reached(outcome)));
    }
    text
}

fn describe_broken(outcome: &Outcome) -> String {
    format!("{} does not hold: {}", outcome.description, reached(outcome))
}

fn reached(outcome: &Outcome) -> String {
    let side = outcome.side.map_or("", Side::words);
    format!("{} reached, {side} {} promised", outcome.measured, outcome.limit)
}

/// Names the smallest groups by what is published of them.
fn name_worst(error: Error, worst: &[WorstGroup], k: Option<u64>) -> Error {
    let below = worst.iter().filter(|group| k.is_some_and(|k| group.rows < k));
    below.fold(error, |error, group| {
        let values: Vec<String> =
            group.values.iter().map(|(name, value)| format!("{name}={value}")).collect();
        error.with_help(format!("a group of {}: {}", group.rows, values.join(", ")))
    })
}
