//! Reads the groups of a release from its published rows.

use super::linked::Links;
use crate::certificate::hierarchies_beside;
use crate::columns::{column_spec, order_of};
use crate::input::Input;
use crate::run::people::HEADER;
use crate::run::warnings;
use crate::settings::Settings;
use crate::suggest::did_you_mean;
use crate::text::nearly_unique;
use klimt_core::loss::PublishedGroup;
use klimt_core::region::is_guide;
use klimt_core::table::{ColumnSpec, Role, ValueType};
use klimt_core::words::{option, option_is};
use klimt_core::{Error, ErrorKind, Result};
use klimt_io::columnar::TextRecords;
use klimt_io::csv::DialectSpec;
use klimt_io::source::SourceSpec;
use klimt_verify::claims::PromiseFacts;
use klimt_verify::{Comparison, Tally, width};
use std::collections::HashSet;
use std::hash::{BuildHasher, RandomState};

/// The groups of a release, and what to say about its other columns.
pub struct Counted {
    /// The groups.
    pub tally: Tally,
    /// The names of the columns of the release.
    pub columns: Vec<String>,
    /// A sentence for each column that is published as it is and tells rows apart.
    pub warnings: Vec<String>,
}

/// Counts the groups of a release, with the values of the columns of the given roles in each.
pub fn count_release(release: Input, settings: &Settings, counted: &[Role]) -> Result<Counted> {
    count_release_linked(release, settings, counted, None, None)
}

/// Counts the groups of a release, with the values of the columns of the given roles in each, links its rows to those of
/// other releases where there are any, and counts people where a file says whom rows are about.
pub(super) fn count_release_linked(
    release: Input,
    settings: &Settings,
    counted: &[Role],
    mut links: Option<&mut Links<'_>>,
    people: Option<Input>,
) -> Result<Counted> {
    let key = links.as_ref().map(|links| links.key());
    let release = open_release(release, settings, counted, key)?;
    let Release { records, positions, mut tally, key } = release;
    if let Some(people) = people {
        tally = tally.with_people();
        tell_people(people, &mut tally)?;
    }
    let columns = records.columns().to_vec();
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
    Ok(Counted { tally, columns, warnings })
}

/// Tells a tally whom the rows of a release are about, from the file of pseudonyms that was written with it.
fn tell_people(people: Input, tally: &mut Tally) -> Result<()> {
    let name = people.name().to_string();
    let dialect = DialectSpec { delimiter: Some(b','), header: Some(true) };
    let records = TextRecords::of_source(people.open(&SourceSpec { dialect, ..SourceSpec::default() })?);
    if records.columns() != [HEADER] {
        return Err(Error::input(format!("{name}: this is not a file of people"))
            .with_help(format!("give the file that {} wrote with the release", option("save-people"))));
    }
    records.for_each(&[0], &mut |_, fields| tally.expect([fields[0].as_bytes()]))?;
    Ok(())
}

/// Counts the groups of a release, with the values of the columns of the given roles in each.
pub fn tally(release: Input, settings: &Settings, counted: &[Role]) -> Result<Tally> {
    let Release { records, positions, mut tally, .. } = open_release(release, settings, counted, None)?;
    let split = tally.quasi_identifiers().len();
    records.for_each(&positions, &mut |_, fields| tally.add(&fields[..split], &fields[split..]))?;
    Ok(tally)
}

/// Takes the hierarchies out of the settings that only guided a scheme: the release has intervals or sets instead of their
/// nodes, and is read without them, as the table was. The certificate beside the release names them; without one, the
/// published values tell them, unless all are single values or `*`.
pub fn without_guides(settings: &mut Settings, release: Option<&str>, tally: &Tally) -> Result<()> {
    let certified = release.and_then(hierarchies_beside);
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
pub(super) struct Release {
    pub records: TextRecords,
    /// Where its quasi-identifiers and then the counted columns stand.
    pub positions: Vec<usize>,
    /// An empty tally of them.
    pub tally: Tally,
    /// Where the key stands, if it is asked for.
    pub key: Option<usize>,
}

fn sensitive_role(settings: &Settings, name: &str) -> bool {
    settings.columns.get(name).and_then(|column| column.role) == Some(Role::Sensitive)
}

/// How the values of a counted column are compared: those of a sensitive one by value, unless its type is said to be text.
pub(super) fn comparison(settings: &Settings, name: &str) -> Comparison {
    let Some(column) = settings.columns.get(name) else { return Comparison::Value };
    if column.role != Some(Role::Sensitive) {
        return Comparison::Text;
    }
    let mut spec = ColumnSpec::new(name, Role::Sensitive);
    spec.type_spec = column.type_spec.clone();
    Comparison::of(Some(&spec))
}

/// The columns of some roles, by name.
pub(super) fn names(settings: &Settings, roles: &[Role]) -> Vec<String> {
    let of = |role: Option<Role>| role.is_some_and(|role| roles.contains(&role));
    settings.columns.iter().filter(|(_, column)| of(column.role)).map(|(name, _)| name.clone()).collect()
}

pub(super) fn open_release(
    release: Input,
    settings: &Settings,
    counted: &[Role],
    key: Option<&str>,
) -> Result<Release> {
    let path = release.name().to_string();
    let records = TextRecords::of_source(release.open(&settings.source)?);
    let (quasi_identifiers, counted) = (names(settings, &[Role::QuasiIdentifier]), names(settings, counted));
    if quasi_identifiers.is_empty() {
        return Err(Error::input("no quasi-identifier is named")
            .with_help(format!("say which, such as {}", option_is("qi", "age,sex"))));
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
pub fn facts(settings: &Settings) -> Result<PromiseFacts> {
    let mut facts = PromiseFacts::default();
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
