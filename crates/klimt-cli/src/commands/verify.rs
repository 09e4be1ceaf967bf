//! `klimt verify`: what a release reaches, from its published file alone, and with the releases before it.

mod against;
pub mod args;
mod attack;

use crate::columns::{column_spec, dialect_spec, load_hierarchy, read_order};
use crate::options::{ColumnArgs, FormatArgs, VerifyArgs};
use crate::settings::Settings;
use crate::suggest::did_you_mean;
use crate::terminal::{count, note, print};
use crate::{risk, spec};
use against::Links;
use klimt::loss::PublishedGroup;
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
    let attack = attack::question(args)?;
    let k = settings.k;
    let facts = facts(&settings)?;
    let mut links = Links::new(args, &settings)?;
    let counted = count_release(&args.release, &args.format, &settings, &[Role::Sensitive], links.as_mut())?;
    let Counted { tally, mut warnings } = counted;
    let findings = Findings::new(&tally, &Question { k, original_rows: None })?;
    let outcomes = check(&tally, &requirements, &facts)?;
    let checked =
        links.map(|links| links.check(&settings, &requirements, &facts, attack.is_some())).transpose()?;
    let (report, intersected) = checked.unzip();
    let attacked =
        attack.map(|attack| attack.attack(args, &settings, &tally, intersected.flatten())).transpose()?;
    warnings.extend(attacked.iter().flat_map(|found| attack::warnings(found, &settings)));
    warnings.extend(report.as_ref().and_then(against::warning));
    let risk = Risk::of(tally.groups().map(|group| group.rows()), &question);
    let contributions = klimt_verify::contributions(&tally);
    let worst = worst(&tally, NAMED);
    if args.json {
        let mut text = json!({ "findings": findings, "claims": outcomes, "risk": risk,
            "adds_unique": contributions.iter().cloned().collect::<BTreeMap<_, _>>(),
            "worst": worst, "warnings": warnings });
        if let Some(report) = &report {
            text["against"] = json!(report);
        }
        if let Some(found) = &attacked {
            text["attack"] = json!(found);
        }
        print(&format!("{text:#}\n"))?;
    } else if !args.general.quiet {
        print(&describe(&findings, &outcomes))?;
        print(&format!("\n{}{}", risk::describe(&risk), describe_contributions(&contributions)))?;
        report.as_ref().map_or(Ok(()), |report| print(&against::describe(report)))?;
        attacked.as_ref().map_or(Ok(()), |found| print(&attack::describe(found)))?;
        warnings.iter().for_each(|warning| note(false, &format!("warning: {warning}")));
    }
    let mut broken: Vec<String> =
        outcomes.iter().filter(|outcome| !outcome.holds).map(describe_broken).collect();
    broken.extend(report.iter().flat_map(against::problems));
    broken.extend(attacked.as_ref().and_then(attack::problem));
    match Error::all(ErrorKind::Unsatisfied, broken) {
        None => Ok(()),
        Some(error) => {
            let error = against::advise(name_worst(error, &worst, k), report.as_ref());
            Err(attack::advise(error, attacked.as_ref()))
        }
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

/// Counts the groups of a release, with the values of the columns of the given roles in each, and links its rows to those
/// of other releases where there are any.
pub fn count_release(
    path: &str,
    format: &FormatArgs,
    settings: &Settings,
    counted: &[Role],
    mut links: Option<&mut Links>,
) -> Result<Counted> {
    let key = links.as_ref().map(|links| links.key());
    let release = open_release(path, format, settings, counted, key)?;
    let Release { records, positions, mut tally, key } = release;
    let split = tally.quasi_identifiers().len();
    let others: Vec<usize> = (0..records.columns().len())
        .filter(|at| !positions[..split].contains(at) && Some(*at) != key)
        .collect();
    let names: Vec<String> = others.iter().chain(&key).map(|&at| records.columns()[at].clone()).collect();
    let wanted: Vec<usize> = positions.iter().chain(&others).chain(&key).copied().collect();
    let rest = positions.len()..positions.len() + others.len();
    let mut seen: Vec<HashSet<u64>> = vec![HashSet::new(); others.len()];
    let hasher = RandomState::new();
    let rows = records.for_each(&wanted, &mut |row, fields| {
        for (seen, text) in seen.iter_mut().zip(&fields[rest.clone()]) {
            seen.insert(hasher.hash_one(text));
        }
        let (values, sensitive) = (&fields[..split], &fields[split..rest.start]);
        if let Some(links) = &mut links {
            links.add(row, fields[rest.end], values, sensitive)?;
        }
        tally.add(values, sensitive)
    })?;
    // Keys are all different: rows that share one are not linked.
    let distinct = seen.iter().map(|seen| seen.len() as u64).chain(key.map(|_| rows));
    let warning = |(name, distinct): (&String, u64)| risk::nearly_unique(name, distinct, rows);
    let warnings = names.iter().zip(distinct).filter_map(warning).collect();
    Ok(Counted { tally, warnings })
}

/// Counts the groups of a release, with the values of the columns of the given roles in each.
pub fn tally(path: &str, format: &FormatArgs, settings: &Settings, counted: &[Role]) -> Result<Tally> {
    let Release { records, positions, mut tally, .. } = open_release(path, format, settings, counted, None)?;
    let split = tally.quasi_identifiers().len();
    records.for_each(&positions, &mut |_, fields| tally.add(&fields[..split], &fields[split..]))?;
    Ok(tally)
}

/// The groups of a release as the engine reads them: the texts that stand at some places of a tuple, and the counted
/// columns by the number that each name has, where it has one.
pub fn published_groups(
    tally: &Tally,
    places: &[usize],
    number: impl Fn(&str) -> Option<usize>,
) -> Vec<PublishedGroup> {
    let mut groups = Vec::new();
    let mut numbers = Vec::new();
    for group in tally.groups() {
        let values: Vec<&str> = group.values().collect();
        let texts = places.iter().map(|&at| values[at].to_string()).collect();
        groups.push(PublishedGroup { texts, rows: group.rows(), kept: Vec::new() });
        numbers.push(group.number());
    }
    for histograms in tally.sensitive() {
        let Some(column) = number(histograms.column()) else { continue };
        for cells in tally.cells(histograms).chunk_by(|a, b| a.group == b.group) {
            let counts = cells.iter().map(|cell| (histograms.value(cell.value).to_string(), cell.rows));
            if let Ok(at) = numbers.binary_search(&cells[0].group) {
                groups[at].kept.push((column, counts.collect()));
            }
        }
    }
    groups
}

/// A release that is to be read.
struct Release {
    records: TextRecords,
    /// Where its quasi-identifiers and then the counted columns stand.
    positions: Vec<usize>,
    /// An empty tally of them.
    tally: Tally,
    /// Where the key stands, if it is asked for.
    key: Option<usize>,
}

/// The columns of some roles, by name.
fn names(settings: &Settings, roles: &[Role]) -> Vec<String> {
    let of = |role: Option<Role>| role.is_some_and(|role| roles.contains(&role));
    settings.columns.iter().filter(|(_, column)| of(column.role)).map(|(name, _)| name.clone()).collect()
}

fn open_release(
    path: &str,
    format: &FormatArgs,
    settings: &Settings,
    counted: &[Role],
    key: Option<&str>,
) -> Result<Release> {
    let records = TextRecords::open(path, dialect_spec(format))?;
    let (quasi_identifiers, counted) = (names(settings, &[Role::QuasiIdentifier]), names(settings, counted));
    if quasi_identifiers.is_empty() {
        return Err(Error::input("no quasi-identifier is named").with_help("say which, such as --qi age,sex"));
    }
    let columns = records.columns();
    let place = |name: &str| columns.iter().position(|column| column == name);
    let wanted: Vec<&str> = quasi_identifiers.iter().chain(&counted).map(String::as_str).collect();
    let problems: Vec<String> = wanted
        .iter()
        .chain(&key)
        .filter(|name| place(name).is_none())
        .map(|name| {
            let hint = did_you_mean(name, columns.iter().map(String::as_str));
            format!("{path}: there is no column {name}{hint}")
        })
        .collect();
    if let Some(error) = Error::all(ErrorKind::Input, problems) {
        return Err(error);
    }
    let positions = wanted.iter().filter_map(|name| place(name)).collect();
    let key = key.and_then(place);
    Ok(Release { positions, key, tally: Tally::new(&quasi_identifiers, &counted), records })
}

/// What is known of columns besides the release, from orders, hierarchies and types.
pub fn facts(settings: &Settings) -> Result<Facts> {
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

/// What a promise that does not hold has reached instead.
pub fn describe_broken(outcome: &Outcome) -> String {
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
