//! `klimt inspect`: what a table holds, and how easily its people are found.

use super::{read_noted, threads};
use crate::columns::gather;
use crate::options::{ColumnArgs, FormatArgs, GeneralArgs, InspectArgs};
use crate::progress::Progress;
use crate::risk::{self, percent, question};
use crate::terminal::{count, print, table as lines_up};
use klimt::columns::column_spec;
use klimt::settings::Settings;
use klimt::text::nearly_all;
use klimt_core::partition::identical_tuples;
use klimt_core::risk::{Question, Risk, certain_rows};
use klimt_core::table::{Column, ColumnData, ColumnSpec, Guard, Role, Table};
use klimt_core::{Error, ErrorKind, Result, Words};
use klimt_io::column::Note;
use klimt_io::source::{ColumnPlan, ReadReport};
use serde::Serialize;

/// Runs the command.
pub fn run(args: &InspectArgs) -> Result<()> {
    let question = question(&args.risk)?;
    let inspected = inspect(&args.input, &args.columns, &args.format, &args.general, &question)?;
    if args.json {
        let text = serde_json::to_string_pretty(&inspected).map_err(|e| Error::internal(e.to_string()))?;
        return print(&format!("{text}\n"));
    }
    print(&describe(&inspected))
}

/// What is found of a column. It holds counts, never values.
#[derive(Debug, Serialize)]
pub struct InspectedColumn {
    /// Its name.
    pub name: String,
    /// The type of its values.
    pub r#type: String,
    /// How many different values it has.
    pub distinct: usize,
    /// How many rows have none.
    pub missing: usize,
    /// The role that it was given, or that is suggested.
    pub role: Role,
    /// Whether the role is only suggested.
    pub suggested: bool,
    /// How many rows have a value in this column that no other row has; missing is a value.
    pub unique_alone: usize,
    /// How many rows are told apart by this column and the other quasi-identifiers, and would not be without it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub adds_unique: Option<u64>,
    /// Of a sensitive column: the share of rows whose value is certain to who knows their quasi-identifiers, as all
    /// rows with the same tuple have it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub certain: Option<f64>,
}

/// How easily people are found by the quasi-identifiers as they are.
#[derive(Debug, Serialize)]
pub struct InspectedRisk {
    /// The quasi-identifiers.
    pub quasi_identifiers: Vec<String>,
    /// How many different tuples they have: the groups of the table as it is.
    pub tuples: u64,
    /// The risk by these groups.
    #[serde(flatten)]
    pub risk: Risk,
}

/// What is found of a table.
#[derive(Debug, Serialize)]
pub struct Inspected {
    /// The number of rows.
    pub rows: usize,
    /// The columns.
    pub columns: Vec<InspectedColumn>,
    /// The risk of the table as it is, when there are quasi-identifiers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub risk: Option<InspectedRisk>,
    /// What should be changed before anything is published.
    pub warnings: Vec<String>,
}

/// Looks at a table.
pub fn inspect(
    input: &str,
    columns: &ColumnArgs,
    format: &FormatArgs,
    general: &GeneralArgs,
    question: &Question,
) -> Result<Inspected> {
    let settings = gather(None, columns, format)?;
    let progress = Progress::new(general.quiet)?;
    let (table, report) =
        read_noted(input, format, &settings.missing, threads(general), &progress, |source| {
            plan(input, source.columns(), &settings)
        })?;
    let mut columns: Vec<InspectedColumn> = Vec::new();
    for column in table.columns() {
        let (role, suggested) = role(column, &settings, &table);
        columns.push(describe_column(column, role, suggested));
    }
    let risk = risk_of(&table, &mut columns, question)?;
    let published_raw = columns.iter().filter_map(|column| warning(column, table.rows()));
    let warnings = published_raw.chain(doubts(&columns, &report)).collect();
    Ok(Inspected { rows: table.rows(), columns, risk, warnings })
}

/// Every column is read with its values encoded.
fn plan(input: &str, names: &[String], settings: &Settings) -> Result<Vec<ColumnPlan>> {
    let problems = settings.unknown_columns(names).into_iter().map(|problem| format!("{input}: {problem}"));
    if let Some(error) = Error::all(ErrorKind::Input, problems.collect()) {
        return Err(error);
    }
    names
        .iter()
        .map(|name| {
            let given = settings.columns.get(name).cloned().unwrap_or_default();
            let spec = column_spec(name, Role::QuasiIdentifier, &given)?;
            Ok(ColumnPlan { spec: Some(ColumnSpec { guard: Guard::Note, ..spec }) })
        })
        .collect()
}

fn describe_column(column: &Column, role: Role, suggested: bool) -> InspectedColumn {
    let (r#type, distinct, missing, unique_alone) = match &column.data {
        ColumnData::Coded { domain, codes } => {
            let mut rows = vec![0u32; domain.cardinality()];
            for row in 0..codes.len() {
                rows[codes.get(row) as usize] += 1;
            }
            let missing = domain.missing_code().map_or(0, |code| rows[code as usize]);
            let distinct = rows.iter().take(domain.value_count()).filter(|&&rows| rows > 0).count();
            let alone = rows.iter().filter(|&&rows| rows == 1).count();
            (domain.value_type().name(), distinct, missing as usize, alone)
        }
        ColumnData::Texts(_) => ("text", 0, 0, 0),
    };
    InspectedColumn {
        name: column.name.clone(),
        r#type: r#type.to_string(),
        distinct,
        missing,
        role,
        suggested,
        unique_alone,
        adds_unique: None,
        certain: None,
    }
}

/// Words in the names of columns that tell what they are.
const HINTS: &[(Role, &[&str])] = &[
    (
        Role::Identifier,
        &[
            "name", "surname", "ssn", "email", "e-mail", "phone", "passport", "address", "street", "iban",
            "uuid", "id",
        ],
    ),
    (
        Role::Sensitive,
        &[
            "disease",
            "diagnosis",
            "illness",
            "condition",
            "symptom",
            "treatment",
            "medication",
            "drug",
            "hiv",
            "icd",
            "salary",
            "income",
            "wage",
            "religion",
            "party",
            "crime",
            "test-result",
        ],
    ),
    (
        Role::QuasiIdentifier,
        &[
            "age",
            "sex",
            "gender",
            "zip",
            "zipcode",
            "postcode",
            "postal",
            "birth",
            "born",
            "dob",
            "race",
            "ethnicity",
            "marital",
            "education",
            "country",
            "nationality",
            "occupation",
            "job",
            "workclass",
            "city",
            "region",
            "state",
            "county",
            "admission",
            "date",
        ],
    ),
];

/// The given role, or a suggestion: by the column's name, else an identifier where values hardly repeat, else a
/// quasi-identifier, which is the safe guess.
fn role(column: &Column, settings: &Settings, table: &Table) -> (Role, bool) {
    if let Some(role) = settings.columns.get(&column.name).and_then(|given| given.role) {
        return (role, false);
    }
    let words: Vec<String> =
        column.name.to_lowercase().split(|c: char| !c.is_alphanumeric()).map(str::to_string).collect();
    let hinted = HINTS.iter().find(|(_, hints)| {
        hints
            .iter()
            .any(|hint| words.iter().any(|word| word == hint) || column.name.eq_ignore_ascii_case(hint))
    });
    let different = column.coded().map_or(0, |(domain, _)| domain.value_count());
    match hinted {
        Some((role, _)) => (*role, true),
        None if table.rows() > 20 && different * 10 > table.rows() * 9 => (Role::Identifier, true),
        None => (Role::QuasiIdentifier, true),
    }
}

/// The risk by the quasi-identifiers, and what each of them and each sensitive column adds to it.
fn risk_of(
    table: &Table,
    columns: &mut [InspectedColumn],
    question: &Question,
) -> Result<Option<InspectedRisk>> {
    let with = |role: Role, columns: &[InspectedColumn]| -> Vec<usize> {
        (0..columns.len()).filter(|&column| columns[column].role == role).collect()
    };
    let chosen = with(Role::QuasiIdentifier, columns);
    if chosen.is_empty() {
        return Ok(None);
    }
    let sizes = |columns: &[usize]| identical_tuples(table, columns);
    let risk = Risk::of(sizes(&chosen)?.into_iter().map(u64::from), question);
    if chosen.len() > 1 {
        for &left_out in &chosen {
            let others: Vec<usize> = chosen.iter().copied().filter(|&column| column != left_out).collect();
            let without = sizes(&others)?.into_iter().filter(|&size| size == 1).count() as u64;
            columns[left_out].adds_unique = Some(risk.unique.saturating_sub(without));
        }
    }
    let sensitive = with(Role::Sensitive, columns);
    for (&column, certain) in sensitive.iter().zip(certain_rows(table, &chosen, &sensitive)?) {
        columns[column].certain = Some(certain as f64 / table.rows().max(1) as f64);
    }
    let quasi_identifiers = chosen.iter().map(|&column| columns[column].name.clone()).collect();
    Ok(Some(InspectedRisk { quasi_identifiers, tuples: risk.groups, risk }))
}

/// Columns whose values make no sense together: a few texts among numbers or dates, and quasi-identifiers of which nearly
/// every row has its own value.
fn doubts(columns: &[InspectedColumn], report: &ReadReport) -> Vec<String> {
    let role = |name: &str| columns.iter().find(|column| column.name == name).map(|column| column.role);
    let matters = |note: &&Note| match role(&note.column) {
        None | Some(Role::Identifier) => false,
        Some(role) => !note.is_unique || role == Role::QuasiIdentifier,
    };
    report.notes.iter().filter(matters).map(|note| told(&note.error)).collect()
}

/// An error with its help, in the words of the command.
fn told(error: &Error) -> String {
    let help = error.help(Words::Flags).into_iter().map(|line| format!("\n  help: {line}"));
    error.worded(Words::Flags) + &help.collect::<String>()
}

/// What is wrong with a column that would be published as it is although its values nearly name a row each.
fn warning(column: &InspectedColumn, rows: usize) -> Option<String> {
    let most = |part: usize| nearly_all(part as u64, rows as u64);
    let published_raw = column.role.is_published() && column.role != Role::QuasiIdentifier;
    let found = if most(column.unique_alone) {
        format!("{} of {} rows have a value that no other row has", column.unique_alone, rows)
    } else if most(column.distinct) {
        format!("{} rows have {} different values", rows, column.distinct)
    } else {
        return None;
    };
    published_raw.then(|| {
        format!(
            "column {} ({}) would be published as it is, and its values nearly name the rows: {found}; make it an identifier (not published) or a quasi-identifier (generalised)",
            column.name, column.role,
        )
    })
}

fn describe(inspected: &Inspected) -> String {
    let heading =
        ["column", "type", "distinct", "missing", "role", "unique alone", "adds unique", "certain rows"];
    let mut rows = vec![heading.map(String::from).to_vec()];
    for column in &inspected.columns {
        let role = if column.suggested { format!("{}?", column.role) } else { column.role.to_string() };
        rows.push(vec![
            column.name.clone(),
            column.r#type.clone(),
            count(column.distinct as u64),
            count(column.missing as u64),
            role,
            count(column.unique_alone as u64),
            column.adds_unique.map_or(String::from("-"), count),
            column.certain.map_or(String::from("-"), percent),
        ]);
    }
    let mut text = format!("{} rows\n\n{}", count(inspected.rows as u64), lines_up(&rows));
    if let Some(found) = &inspected.risk {
        text.push_str(&format!(
            "\nBy {}: {} different tuples, the smallest group has {}\n{}",
            found.quasi_identifiers.join(", "),
            count(found.tuples),
            count(found.risk.smallest_group),
            risk::describe(&found.risk),
        ));
    }
    if inspected.columns.iter().any(|column| column.suggested) {
        text.push_str(
            "\nA role with ? is only suggested, by the column's name and values: decide for yourself.\n",
        );
    }
    for (at, warning) in inspected.warnings.iter().enumerate() {
        text.push_str(&format!("{}warning: {warning}\n", if at == 0 { "\n" } else { "" }));
    }
    text
}
