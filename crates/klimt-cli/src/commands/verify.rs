//! `klimt verify`: what a release reaches, from its published file alone, and with the releases before it.

mod against;
pub mod args;
mod attack;

use crate::columns::dialect_spec;
use crate::options::{ColumnArgs, FormatArgs, VerifyArgs};
use crate::risk;
use crate::terminal::{count, note, print};
use against::Links;
use klimt::certificate::hierarchies_beside;
use klimt::columns::{column_spec, order_of};
use klimt::run::warnings;
use klimt::settings::Settings;
use klimt::text::nearly_unique;
use klimt::{did_you_mean, spec};
use klimt_core::loss::PublishedGroup;
use klimt_core::region::is_guide;
use klimt_core::requirement::{LengthRestriction, Side};
use klimt_core::risk::Risk;
use klimt_core::table::{ColumnSpec, Role, ValueType};
use klimt_core::{Error, ErrorKind, Result};
use klimt_io::columnar::TextRecords;
use klimt_verify::claims::{Facts, Outcome, check_groups};
use klimt_verify::{Comparison, Findings, NumberedGroup, Question, Tally, smallest, width, with_values};
use serde_json::json;
use std::collections::{BTreeMap, HashSet};
use std::hash::{BuildHasher, RandomState};

/// How many of the smallest groups are named by their numbers.
const NAMED: usize = 5;

/// Runs the command.
pub fn run(args: &VerifyArgs) -> Result<()> {
    let mut settings = gather(args.spec.as_deref(), &args.columns)?;
    args.requirements.apply(&mut settings)?;
    let requirements = settings.build_requirements()?;
    let question = risk::question(&args.risk)?;
    let attack = attack::question(args)?;
    let k = settings.k;
    let mut links = Links::new(args, &settings)?;
    let counted = count_release(&args.release, &args.format, &settings, &[Role::Sensitive], links.as_mut())?;
    let Counted { tally, mut warnings } = counted;
    let tally = tally.with_suppressed_stars(args.stars_are_suppressed);
    without_guides(&mut settings, &args.release, &tally)?;
    let facts = facts(&settings)?;
    let findings = Findings::new(&tally, &Question { k, original_rows: None })?;
    let (outcomes, violating) = check_groups(&tally, &requirements, &facts)?;
    let checked =
        links.map(|links| links.check(&settings, &requirements, &facts, attack.is_some())).transpose()?;
    let (report, intersected) = checked.unzip();
    let attacked =
        attack.map(|attack| attack.attack(args, &settings, &tally, intersected.flatten())).transpose()?;
    warnings.extend(attacked.iter().flat_map(|found| attack::warnings(found, &settings)));
    warnings.extend(report.as_ref().and_then(against::warning));
    let risk = Risk::of(tally.groups().map(|group| group.rows()), &question);
    let contributions = klimt_verify::contributions(&tally);
    let violates = |number: u32, rows: u64| violating.contains(&number) || k.is_some_and(|k| rows < k);
    let worst = smallest(&tally, NAMED, |group| violates(group.number(), group.rows()));
    let shown = shown_groups(args, &tally, &outcomes, violates);
    if args.json {
        let mut text = json!({ "findings": findings, "claims": outcomes, "risk": risk,
            "adds_unique": contributions.iter().cloned().collect::<BTreeMap<_, _>>(),
            "worst": worst, "warnings": warnings });
        if args.stars_are_suppressed {
            text["read_with"] = json!([STARS_ARE_SUPPRESSED]);
        }
        if args.show_groups {
            text["groups"] = json!(shown);
        }
        if let Some(report) = &report {
            text["against"] = json!(report);
        }
        if let Some(found) = &attacked {
            text["attack"] = json!(found);
        }
        print(&format!("{text:#}\n"))?;
    } else if !args.general.quiet {
        print(&describe(&findings, &outcomes))?;
        if args.stars_are_suppressed {
            print(&format!("read with     {}\n", stars_note(&tally)))?;
        }
        print(&describe_groups(&shown))?;
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
            let error = against::advise(name_worst(error, &worst), report.as_ref());
            Err(attack::advise(error, attacked.as_ref()))
        }
    }
}

/// The flag that reads rows of stars as suppressed ones.
pub const STARS_ARE_SUPPRESSED: &str = "--stars-are-suppressed";

/// What the flag leaves unchecked.
pub fn stars_note(tally: &Tally) -> String {
    format!(
        "{STARS_ARE_SUPPRESSED}: {} rows that are * in every quasi-identifier count as suppressed and are not checked",
        count(tally.suppressed())
    )
}

/// The smallest groups with their published values, where these are asked for: never a single row, nor a group below k,
/// nor one that breaks a promise.
fn shown_groups(
    args: &VerifyArgs,
    tally: &Tally,
    outcomes: &[Outcome],
    violates: impl Fn(u32, u64) -> bool,
) -> Vec<NumberedGroup> {
    let too_narrow = outcomes.iter().any(|outcome| outcome.claim == LengthRestriction::ID && !outcome.holds);
    if !args.show_groups || too_narrow {
        return Vec::new();
    }
    let chosen = smallest(tally, NAMED, |group| group.rows() > 1 && !violates(group.number(), group.rows()));
    with_values(tally, chosen)
}

fn describe_groups(shown: &[NumberedGroup]) -> String {
    let line = |group: &NumberedGroup| {
        let values: Vec<String> =
            group.values.iter().map(|(name, value)| format!("{name}={value}")).collect();
        format!("group {:<7} {} rows: {}\n", count(group.group), count(group.rows), values.join(", "))
    };
    shown.iter().map(line).collect()
}

/// Which columns make rows unique, where there are any.
fn describe_contributions(contributions: &[(String, u64)]) -> String {
    let adding = contributions.iter().filter(|(_, rows)| *rows > 0);
    adding.map(|(name, rows)| format!("{} of the unique rows are unique by {name}\n", count(*rows))).collect()
}

/// The spec, then the flags about columns.
pub fn gather(spec: Option<&str>, columns: &ColumnArgs) -> Result<Settings> {
    let mut settings = spec.map_or(Ok(Settings::default()), spec::read)?;
    columns.apply(&mut settings)?;
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
    let warning = |(name, distinct): (&String, u64)| nearly_unique(name, distinct, rows);
    let unique = names.iter().zip(distinct).filter_map(warning);
    let alike = tally.sensitive().iter().filter(|column| sensitive_role(settings, column.column()));
    let alike = alike.filter_map(|column| warnings::alike(column.column(), column.alike()));
    let warnings = unique.chain(alike).collect();
    Ok(Counted { tally, warnings })
}

/// Counts the groups of a release, with the values of the columns of the given roles in each.
pub fn tally(path: &str, format: &FormatArgs, settings: &Settings, counted: &[Role]) -> Result<Tally> {
    let Release { records, positions, mut tally, .. } = open_release(path, format, settings, counted, None)?;
    let split = tally.quasi_identifiers().len();
    records.for_each(&positions, &mut |_, fields| tally.add(&fields[..split], &fields[split..]))?;
    Ok(tally)
}

/// Takes the hierarchies out of the settings that only guided a scheme: the release has intervals or sets instead of their
/// nodes, and is read without them, as the table was. The certificate beside the release names them; without one, the
/// published values tell them, unless all are single values or `*`.
pub fn without_guides(settings: &mut Settings, release: &str, tally: &Tally) -> Result<()> {
    let certified = hierarchies_beside(release);
    for (place, name) in tally.quasi_identifiers().iter().enumerate() {
        let Some(column) = settings.columns.get_mut(name) else { continue };
        let Some(source) = &column.hierarchy else { continue };
        let published: HashSet<&str> = tally.groups().filter_map(|group| group.values().nth(place)).collect();
        let guided = match &certified {
            Some(hierarchies) => !hierarchies.contains(name),
            None => is_guide(&*source.load()?, published.iter().copied()),
        };
        if guided {
            column.hierarchy = None;
            let sets = published.iter().any(|text| text.starts_with('{'));
            column.type_spec = column.type_spec.take().or(sets.then(|| ValueType::Text.into()));
        }
    }
    Ok(())
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

fn sensitive_role(settings: &Settings, name: &str) -> bool {
    settings.columns.get(name).and_then(|column| column.role) == Some(Role::Sensitive)
}

/// How the values of a counted column are compared: those of a sensitive one by value, unless its type is said to be text.
fn comparison(settings: &Settings, name: &str) -> Comparison {
    let Some(column) = settings.columns.get(name) else { return Comparison::Value };
    if column.role != Some(Role::Sensitive) {
        return Comparison::Text;
    }
    let mut spec = ColumnSpec::new(name, Role::Sensitive);
    spec.type_spec = column.type_spec.clone();
    Comparison::of(Some(&spec))
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
    let records = TextRecords::open(path, dialect_spec(path, format))?;
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
            format!("{path}: unknown column {name}{hint}")
        })
        .collect();
    if let Some(error) = Error::all(ErrorKind::Input, problems) {
        return Err(error);
    }
    let positions = wanted.iter().filter_map(|name| place(name)).collect();
    let key = key.and_then(place);
    let tally = Tally::new(&quasi_identifiers, &counted).with_comparisons(|name| comparison(settings, name));
    Ok(Release { positions, key, tally, records })
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
        let domain = if let Some(order) = &column.order {
            width::Domain::order(order_of(order)?)
        } else if let Some(source) = &column.hierarchy {
            let tree = source.load()?;
            width::Domain::Hierarchy(
                tree.nodes()
                    .map(|node| (tree.label(node).to_string(), u64::from(tree.leaves_under(node))))
                    .collect(),
            )
        } else if column.type_spec.as_ref().is_some_and(|spec| !spec.value_type.is_ordered()) {
            width::Domain::Set
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

/// Names the smallest groups that fall short, by number: their values are those of people who are not hidden.
fn name_worst(error: Error, worst: &[NumberedGroup]) -> Error {
    if worst.is_empty() {
        return error;
    }
    let rows = |rows: u64| if rows == 1 { "1 row".to_string() } else { format!("{} rows", count(rows)) };
    let named: Vec<String> =
        worst.iter().map(|found| format!("group {} ({})", count(found.group), rows(found.rows))).collect();
    error.with_help(format!(
        "the smallest that fall short: {}; groups are counted in the order in which their first rows come",
        named.join(", ")
    ))
}
