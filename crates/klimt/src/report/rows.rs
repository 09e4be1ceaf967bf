//! The original beside its release: its columns, the risk of its rows, and what is drawn of them.

use crate::columns;
use crate::input::Input;
use crate::observer::Watched;
use crate::reading;
use crate::settings::{Other, Settings};
use crate::suggest::did_you_mean;
use klimt_core::partition::identical_tuples;
use klimt_core::risk::{Question as RiskQuestion, Risk, certain_rows};
use klimt_core::table::{Role, Shape, Table};
use klimt_core::words::{option, option_is};
use klimt_core::{Error, ErrorKind, Result};
use klimt_io::source::SourceSpec;
use klimt_report::{Inference, PublishedColumn, Risks};
use klimt_verify::{Findings, Tally};

/// The original of a release.
pub(super) struct Original {
    /// The columns that the page is about.
    pub table: Table,
    /// All columns, with their roles.
    pub roles: Vec<(String, Role)>,
}

/// Reads the columns of the original that the page is about. A column without a role is published as it is where the
/// release has it, and else not published.
pub(super) fn read(
    original: Input,
    settings: &Settings,
    source: &SourceSpec,
    released: &[String],
    watched: &Watched<'_>,
) -> Result<Original> {
    let mut asked = settings.clone();
    asked.other = Some(Other::Drop);
    asked.requirements.clear();
    asked.tree.prefer.clear();
    // Published columns that are only carried along are not drawn, and need not be read.
    for column in asked.columns.values_mut().filter(|column| column.role == Some(Role::Insensitive)) {
        column.role = Some(Role::Identifier);
    }
    let mut names = Vec::new();
    let (table, _) = reading::read(original, source.clone(), &settings.missing, watched, |opened| {
        let (path, columns) = (opened.name, opened.columns);
        names = columns.to_vec();
        columns::plan(path, columns, &asked)
    })?;
    let role = |name: &String| {
        let given = settings.columns.get(name).and_then(|column| column.role);
        given.unwrap_or(if released.contains(name) { Role::Insensitive } else { Role::Identifier })
    };
    let with_role = |name: String| {
        let role = role(&name);
        (name, role)
    };
    Ok(Original { table, roles: names.into_iter().map(with_role).collect() })
}

/// How easily people are found, before and after.
pub(super) fn risks(
    tally: &Tally,
    table: &Table,
    findings: &Findings,
    question: &RiskQuestion,
) -> Result<Risks> {
    let chosen = table.quasi_identifiers();
    let sizes = identical_tuples(table, chosen)?;
    let sensitive: Vec<usize> = (0..table.columns().len())
        .filter(|&column| table.columns()[column].role == Role::Sensitive)
        .collect();
    let certain = certain_rows(table, chosen, &sensitive)?;
    let share = |part: u64, all: u64| part as f64 / all.max(1) as f64;
    let inference = sensitive.iter().zip(certain).filter_map(|(&column, certain)| {
        let name = &table.columns()[column].name;
        let found = findings.sensitive.iter().find(|found| found.column == *name)?;
        Some(Inference {
            column: name.clone(),
            certain_before: share(certain, table.rows() as u64),
            certain_after: share(found.certain_rows, findings.rows),
            least_distinct: found.least_distinct,
        })
    });
    Ok(Risks {
        before: Risk::of(sizes.into_iter().map(u64::from), question),
        after: Risk::of(tally.groups().map(|group| group.rows()), question),
        contributions: klimt_verify::contributions(tally),
        inference: inference.collect(),
    })
}

/// How often the release has each value of the columns that were counted.
pub(super) fn kept(tally: &Tally, table: &Table) -> Vec<PublishedColumn> {
    let mut kept = Vec::new();
    for histograms in tally.sensitive() {
        let Some(column) = table.columns().iter().position(|column| column.name == histograms.column())
        else {
            continue;
        };
        let mut rows = vec![0; histograms.values()];
        tally.cells(histograms).iter().for_each(|cell| rows[cell.value as usize] += cell.rows);
        let text = |(value, rows): (u32, u64)| (histograms.value(value).to_string(), rows);
        let texts = (0u32..).zip(rows).filter(|(_, rows)| *rows > 0).map(text).collect();
        kept.push(PublishedColumn { column, texts });
    }
    kept
}

/// The two dimensions to draw; all problems at once.
pub(super) fn plane(names: &[String], table: &Table) -> Result<Option<(usize, usize)>> {
    if names.is_empty() {
        return Ok(None);
    }
    let scatter = option("scatter");
    let all = || (0..table.dimensions()).map(|dimension| table.dimension(dimension).name.as_str());
    let mut problems = Vec::new();
    let mut found = Vec::new();
    for name in names {
        match all().position(|other| other == name) {
            None => problems
                .push(format!("{scatter}: unknown quasi-identifier {name}{}", did_you_mean(name, all()))),
            Some(at) if !matches!(table.domain(at).shape(), Shape::Ordered) => {
                problems.push(format!(
                    "{scatter}: column {name} has no order (give it one with {})",
                    option("order")
                ));
            }
            Some(at) => found.push(at),
        }
    }
    if problems.is_empty() && (found.len() != 2 || found[0] == found[1]) {
        let such = option_is("scatter", "age,hours");
        problems.push(format!("{scatter}: two different columns are needed, such as {such}"));
    }
    match Error::all(ErrorKind::Input, problems) {
        Some(error) => Err(error),
        None => Ok(Some((found[0], found[1]))),
    }
}
