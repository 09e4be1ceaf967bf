//! `klimt verify`: what a release reaches, from its published file alone.

use crate::columns::{dialect_spec, load_hierarchy, read_order};
use crate::options::{ColumnArgs, FormatArgs, VerifyArgs};
use crate::settings::Settings;
use crate::spec;
use crate::suggest::did_you_mean;
use crate::terminal::{count, print};
use klimt::table::{Role, ValueType};
use klimt::{Error, ErrorKind, Result};
use klimt_io::columnar::TextRecords;
use klimt_verify::claims::{Claim, Facts, Outcome, check};
use klimt_verify::{Findings, Question, Tally, WorstGroup, width, worst};
use serde_json::json;

/// How many of the smallest groups are named.
const NAMED: usize = 5;

/// Runs the command.
pub fn run(args: &VerifyArgs) -> Result<()> {
    let mut settings = gather(args.spec.as_deref(), &args.columns)?;
    settings.apply_min_widths(&args.requirements.min_width)?;
    let k = args.requirements.k.or(settings.k);
    if k == Some(0) {
        return Err(Error::input("k must be at least 1, and 0 was given"));
    }
    let tally = tally(&args.release, &args.format, &settings)?;
    let mut claims: Vec<Claim> = k.map(Claim::k_anonymity).into_iter().collect();
    for (name, column) in &settings.columns {
        claims.extend(column.min_width.map(|width| Claim::length(name, &width.to_string())));
    }
    let findings = Findings::new(&tally, &Question { k, original_rows: None })?;
    let outcomes = check(&tally, &claims, &facts(&settings)?)?;
    let worst = worst(&tally, NAMED);
    if args.json {
        let text = json!({ "findings": findings, "claims": outcomes, "worst": worst });
        print(&format!("{text:#}\n"))?;
    } else if !args.general.quiet {
        print(&describe(&findings, &outcomes))?;
    }
    let broken: Vec<String> = outcomes.iter().filter(|outcome| !outcome.holds).map(describe_broken).collect();
    match Error::all(ErrorKind::Unsatisfied, broken) {
        None => Ok(()),
        Some(error) => Err(name_worst(error, &worst, k)),
    }
}

/// The spec, then the flags about columns.
pub fn gather(spec: Option<&str>, columns: &ColumnArgs) -> Result<Settings> {
    let mut settings = spec.map_or(Ok(Settings::default()), spec::read)?;
    settings.apply_columns(columns)?;
    Ok(settings)
}

/// Counts the groups of a release.
pub fn tally(path: &str, format: &FormatArgs, settings: &Settings) -> Result<Tally> {
    let records = TextRecords::open(path, dialect_spec(format))?;
    let names = |role: Role| -> Vec<String> {
        let of = settings.columns.iter().filter(|(_, column)| column.role == Some(role));
        of.map(|(name, _)| name.clone()).collect()
    };
    let (quasi_identifiers, sensitive) = (names(Role::QuasiIdentifier), names(Role::Sensitive));
    if quasi_identifiers.is_empty() {
        return Err(Error::input("no quasi-identifier is named").with_help("say which, such as --qi age,sex"));
    }
    let columns = records.columns();
    let wanted: Vec<&String> = quasi_identifiers.iter().chain(&sensitive).collect();
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
    let positions: Vec<usize> =
        wanted.iter().filter_map(|name| columns.iter().position(|column| &column == name)).collect();
    let mut tally = Tally::new(&quasi_identifiers, &sensitive);
    let split = quasi_identifiers.len();
    records.for_each(&positions, &mut |_, fields| tally.add(&fields[..split], &fields[split..]))?;
    Ok(tally)
}

/// What widths are measured by, from orders, hierarchies and types.
fn facts(settings: &Settings) -> Result<Facts> {
    let mut facts = Facts::default();
    for (name, column) in &settings.columns {
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
        text.push_str(&format!(
            "{:<13} at least {} different values in a group; {} rows whose value is certain\n",
            column.column,
            column.least_distinct,
            count(column.certain_rows)
        ));
    }
    for outcome in outcomes {
        let verdict = if outcome.holds { "holds" } else { "FAILS" };
        let column = outcome.column.as_deref().map_or(String::new(), |name| format!(" of {name}"));
        text.push_str(&format!(
            "{verdict:<13} {}{column}: {} reached, {} promised\n",
            outcome.claim, outcome.measured, outcome.limit
        ));
    }
    text
}

fn describe_broken(outcome: &Outcome) -> String {
    let column = outcome.column.as_deref().map_or(String::new(), |name| format!(" of {name}"));
    format!(
        "{}{column} does not hold: {} reached, {} promised",
        outcome.claim, outcome.measured, outcome.limit
    )
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
