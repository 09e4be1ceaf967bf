//! Workload files, and how a workload steers a run.

use crate::observer::{Note, Watched};
use crate::settings::Settings;
use crate::suggest::did_you_mean;
use klimt_core::recode::StatisticKind;
use klimt_core::region::Extents;
use klimt_core::spill::{Block, Rows};
use klimt_core::table::Table;
use klimt_core::words::option;
use klimt_core::workload::{
    self, Aggregate, End, Predicate, Query, Selection, TableWorkload, Test, Workload,
};
use klimt_core::{Error, ErrorKind, Result};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::Path;

/// Reads a workload: TOML where the name of the file ends so, else text that looks like SQL.
pub fn read(path: &str) -> Result<Workload> {
    let text = std::fs::read_to_string(path).map_err(|e| Error::io(path, "read it", &e))?;
    let is_toml = Path::new(path).extension().is_some_and(|ending| ending.eq_ignore_ascii_case("toml"));
    let found = if is_toml { of_toml(&text) } else { workload::parse(&text) };
    let workload = found.map_err(|error| {
        let message = format!("{path}: {}", error.message());
        error.with_message(message)
    })?;
    if workload.queries.is_empty() {
        return Err(Error::input(format!("{path} holds no query"))
            .with_help("such as SELECT COUNT(*) WHERE age BETWEEN 30 AND 39"));
    }
    Ok(workload)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Described {
    #[serde(default)]
    query: Vec<DescribedQuery>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct DescribedQuery {
    name: Option<String>,
    select: Option<String>,
    r#where: Option<Condition>,
    weight: Option<f64>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Condition {
    Text(String),
    Columns(BTreeMap<String, Wanted>),
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Wanted {
    Ends(Ends),
    Several(Vec<Scalar>),
    One(Scalar),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Ends {
    from: Option<Scalar>,
    to: Option<Scalar>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Scalar {
    Text(String),
    Whole(i64),
    Number(f64),
    Flag(bool),
    Date(toml::value::Datetime),
}

impl Scalar {
    fn text(self) -> String {
        match self {
            Scalar::Text(text) => text,
            Scalar::Whole(number) => number.to_string(),
            Scalar::Number(number) => number.to_string(),
            Scalar::Flag(flag) => flag.to_string(),
            Scalar::Date(date) => date.to_string(),
        }
    }
}

fn of_toml(text: &str) -> Result<Workload> {
    let described: Described = toml::from_str(text).map_err(|error| {
        let line = error.span().map_or(1, |span| text[..span.start.min(text.len())].lines().count().max(1));
        Error::input(format!("line {line}: this is not a workload")).with_help(
            "such as [[query]], select = \"COUNT(*)\", where = { age = { from = 30, to = 39 }, sex = [\"F\"] }, weight = 2",
        )
    })?;
    let mut queries = Vec::with_capacity(described.query.len());
    for (number, query) in described.query.into_iter().enumerate() {
        let aggregate = query.select.as_deref().map_or(Ok(Aggregate::Count), workload::select)?;
        let predicates = match query.r#where {
            None => Vec::new(),
            Some(Condition::Text(text)) => workload::condition(&text)?,
            Some(Condition::Columns(columns)) => columns.into_iter().map(predicate).collect(),
        };
        let weight = query.weight.unwrap_or(1.0);
        if !(weight.is_finite() && weight >= 0.0) {
            return Err(Error::input(format!(
                "query {}: its weight must be a number of at least 0",
                number + 1
            )));
        }
        queries.push(Query { name: query.name, aggregate, predicates, weight });
    }
    Ok(Workload { queries })
}

fn predicate((column, wanted): (String, Wanted)) -> Predicate {
    let end = |scalar: Option<Scalar>| scalar.map(|scalar| End::included(scalar.text()));
    let test = match wanted {
        Wanted::Ends(Ends { from, to }) => Test::Range { from: end(from), to: end(to) },
        Wanted::Several(values) => Test::In(values.into_iter().map(Scalar::text).collect()),
        Wanted::One(value) => Test::In(vec![value.text()]),
    };
    Predicate { column, test }
}

/// Gives columns the names that a table has for them, which may differ by case; all that it does not have at once.
pub fn resolve(workload: &mut Workload, names: &[String]) -> Result<()> {
    let mut problems: Vec<String> = Vec::new();
    let mut real = |name: &mut String| {
        if names.contains(name) {
            return;
        }
        let mut alike = names.iter().filter(|other| other.eq_ignore_ascii_case(name));
        match (alike.next(), alike.next()) {
            (Some(found), None) => *name = found.clone(),
            _ => {
                let hint = did_you_mean(name, names.iter().map(String::as_str));
                let problem = format!("the workload asks about the unknown column {name}{hint}");
                if !problems.contains(&problem) {
                    problems.push(problem);
                }
            }
        }
    };
    for query in &mut workload.queries {
        if let Aggregate::Of(_, column) = &mut query.aggregate {
            real(column);
        }
        query.predicates.iter_mut().for_each(|predicate| real(&mut predicate.column));
    }
    Error::all(ErrorKind::Input, problems).map_or(Ok(()), Err)
}

/// Says which values of a workload no row can have; how many, not which.
pub fn note_unknown(watched: &Watched<'_>, bound: &TableWorkload) {
    let mut told: Vec<(usize, &str)> =
        bound.unknown.iter().map(|unknown| (unknown.query + 1, unknown.column.as_str())).collect();
    told.dedup();
    for (query, column) in told {
        watched.note(Note::remark(format!(
            "query {query} asks for a value of {column} that the column does not have"
        )));
    }
}

/// The workload of a run, as it steers cuts in a table: predicates about quasi-identifiers.
pub fn steering(settings: &Settings, frame: &Table, watched: &Watched<'_>) -> Result<Option<TableWorkload>> {
    let Some(path) = &settings.workload else { return Ok(None) };
    let mut workload = read(path)?;
    let names: Vec<String> =
        (0..frame.dimensions()).map(|dimension| frame.dimension(dimension).name.clone()).collect();
    let is_dimension = |name: &str| names.iter().any(|dimension| dimension.eq_ignore_ascii_case(name));
    let others: Vec<&str> = workload.columns().into_iter().filter(|column| !is_dimension(column)).collect();
    if !others.is_empty() {
        let others = others.join(", ");
        watched.note(Note::remark(format!(
            "the workload also asks about {others}: only quasi-identifiers steer cuts"
        )));
    }
    workload = workload.about(is_dimension);
    resolve(&mut workload, &names)?;
    count_what_holds_no_numbers(&mut workload, frame, &names, watched);
    let means = settings.statistics.contains(&StatisticKind::Mean);
    let boundaries = settings.extents() == Extents::Region;
    let bound = workload.bind(frame)?.with_means(means).with_boundaries(boundaries);
    note_unknown(watched, &bound);
    if bound.importance(names.len()).iter().all(|share| *share == 0.0) {
        return Err(Error::input(format!("{path}: no query has a predicate about a quasi-identifier"))
            .with_help(format!(
                "{} steers cuts by what queries ask of quasi-identifiers",
                option("workload")
            )));
    }
    Ok(Some(bound))
}

/// Makes counts of functions of columns that hold no numbers, such as ages with a hierarchy.
fn count_what_holds_no_numbers(
    workload: &mut Workload,
    frame: &Table,
    names: &[String],
    watched: &Watched<'_>,
) {
    let holds_numbers = |name: &str| {
        let dimension = names.iter().position(|other| other == name);
        dimension.is_some_and(|dimension| workload::is_number(frame.domain(dimension)))
    };
    let mut others: Vec<String> = Vec::new();
    for query in &mut workload.queries {
        if let Aggregate::Of(_, column) = &query.aggregate
            && !holds_numbers(column)
        {
            others.push(column.clone());
            query.aggregate = Aggregate::Count;
        }
    }
    others.sort();
    others.dedup();
    for column in others {
        watched.note(Note::remark(format!(
            "{column} holds no numbers: functions of it steer cuts as counts do"
        )));
    }
}

/// Finds the rows that each query selects, block by block.
pub fn count(bound: &mut TableWorkload, frame: &Table, rows: &dyn Rows) -> Result<()> {
    let mut selected = vec![Selection::default(); bound.queries.len()];
    let mut block = Block::empty(frame);
    for number in 0..rows.blocks() {
        rows.read(number, &mut block)?;
        let found = bound.selected_of(&block, frame);
        selected.iter_mut().zip(&found).for_each(|(sum, part)| sum.merge(part));
    }
    bound.weigh(&selected);
    Ok(())
}
