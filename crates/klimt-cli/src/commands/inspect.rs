//! `klimt inspect`: what a table holds, and how easily its people are found.

use super::verify::gather;
use super::{read_table, threads};
use crate::columns::column_spec;
use crate::options::{ColumnArgs, FormatArgs, GeneralArgs, InspectArgs};
use crate::progress::Progress;
use crate::settings::Settings;
use crate::terminal::{count, print, table as lines_up};
use klimt::partition::identical_tuples;
use klimt::table::{Column, ColumnData, Role, Table};
use klimt::{Error, ErrorKind, Result};
use klimt_io::source::ColumnPlan;
use serde::Serialize;

/// Runs the command.
pub fn run(args: &InspectArgs) -> Result<()> {
    let inspected = inspect(&args.input, &args.columns, &args.format, &args.general)?;
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
    /// How many rows are told apart by this column and the other quasi-identifiers, and would not be without it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub adds_unique: Option<usize>,
}

/// How easily people are found by the quasi-identifiers as they are.
#[derive(Debug, Serialize)]
pub struct Risk {
    /// The quasi-identifiers.
    pub quasi_identifiers: Vec<String>,
    /// How many different tuples they have.
    pub tuples: usize,
    /// How many rows are alone with their tuple.
    pub unique: usize,
    /// The size of the smallest group of equal tuples: the k of the table as it is.
    pub smallest_group: u32,
    /// The chance to find the person behind the row that is easiest to find.
    pub highest: f64,
    /// The chance to find the person behind a row, on average.
    pub average: f64,
    /// The share of rows in groups of fewer than five.
    pub below_five: f64,
}

/// What is found of a table.
#[derive(Debug, Serialize)]
pub struct Inspected {
    /// The number of rows.
    pub rows: usize,
    /// The columns.
    pub columns: Vec<InspectedColumn>,
    /// The risk of the table as it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub risk: Option<Risk>,
}

/// Looks at a table.
pub fn inspect(
    input: &str,
    columns: &ColumnArgs,
    format: &FormatArgs,
    general: &GeneralArgs,
) -> Result<Inspected> {
    let settings = gather(None, columns)?;
    let progress = Progress::new(general.quiet)?;
    let table = read_table(input, format, &settings.missing, threads(general), &progress, |source| {
        plan(input, source.columns(), &settings)
    })?;
    let roles: Vec<(Role, bool)> =
        table.columns().iter().map(|column| role(column, &settings, &table)).collect();
    let risk = risk(&table, &roles)?;
    let mut inspected: Vec<InspectedColumn> = Vec::new();
    for (column, &(role, suggested)) in table.columns().iter().zip(&roles) {
        inspected.push(describe_column(column, role, suggested));
    }
    if let Some((risk, without)) = &risk {
        for (name, unique) in without {
            if let Some(column) = inspected.iter_mut().find(|column| column.name == *name) {
                column.adds_unique = Some(risk.unique.saturating_sub(*unique));
            }
        }
    }
    Ok(Inspected { rows: table.rows(), columns: inspected, risk: risk.map(|(risk, _)| risk) })
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
            Ok(ColumnPlan { spec: Some(column_spec(name, Role::QuasiIdentifier, &given)?) })
        })
        .collect()
}

fn describe_column(column: &Column, role: Role, suggested: bool) -> InspectedColumn {
    let (r#type, distinct, missing) = match &column.data {
        ColumnData::Coded { domain, codes } => {
            let mut seen = vec![false; domain.cardinality()];
            let mut missing = 0;
            for row in 0..codes.len() {
                let code = codes.get(row);
                seen[code as usize] = true;
                missing += usize::from(Some(code) == domain.missing_code());
            }
            let distinct = seen.iter().take(domain.value_count()).filter(|&&seen| seen).count();
            (domain.value_type().name(), distinct, missing)
        }
        ColumnData::Texts(_) => ("text", 0, 0),
    };
    InspectedColumn {
        name: column.name.clone(),
        r#type: r#type.to_string(),
        distinct,
        missing,
        role,
        suggested,
        adds_unique: None,
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

/// How many rows would be unique without a column, by its name.
type UniqueWithout = Vec<(String, usize)>;

/// The risk by the quasi-identifiers, and how many rows would be unique without each of them.
fn risk(table: &Table, roles: &[(Role, bool)]) -> Result<Option<(Risk, UniqueWithout)>> {
    let chosen: Vec<usize> = (0..roles.len()).filter(|&c| roles[c].0 == Role::QuasiIdentifier).collect();
    if chosen.is_empty() {
        return Ok(None);
    }
    let sizes = identical_tuples(table, &chosen)?;
    let unique = |sizes: &[u32]| sizes.iter().filter(|&&size| size == 1).count();
    let rows = table.rows() as f64;
    let smallest = sizes.iter().copied().min().unwrap_or(0);
    let below: u64 = sizes.iter().filter(|&&size| size < 5).map(|&size| u64::from(size)).sum();
    let name = |&column: &usize| table.columns()[column].name.clone();
    let risk = Risk {
        quasi_identifiers: chosen.iter().map(name).collect(),
        tuples: sizes.len(),
        unique: unique(&sizes),
        smallest_group: smallest,
        highest: 1.0 / f64::from(smallest.max(1)),
        average: sizes.len() as f64 / rows,
        below_five: below as f64 / rows,
    };
    let mut without = Vec::new();
    if chosen.len() > 1 {
        for left_out in &chosen {
            let others: Vec<usize> = chosen.iter().copied().filter(|column| column != left_out).collect();
            without.push((name(left_out), unique(&identical_tuples(table, &others)?)));
        }
    }
    Ok(Some((risk, without)))
}

fn describe(inspected: &Inspected) -> String {
    let heading = ["column", "type", "distinct", "missing", "role", "unique rows by it"];
    let mut rows = vec![heading.map(String::from).to_vec()];
    for column in &inspected.columns {
        let role = if column.suggested { format!("{}?", column.role) } else { column.role.to_string() };
        rows.push(vec![
            column.name.clone(),
            column.r#type.clone(),
            count(column.distinct as u64),
            count(column.missing as u64),
            role,
            column.adds_unique.map_or(String::from("-"), |unique| count(unique as u64)),
        ]);
    }
    let mut text = format!("{} rows\n\n{}", count(inspected.rows as u64), lines_up(&rows));
    if let Some(risk) = &inspected.risk {
        let share = risk.unique as f64 * 100.0 / inspected.rows as f64;
        text.push_str(&format!(
            "\nBy {}:\n  {} different tuples, {} rows ({share:.1} %) are unique\n  smallest group {}, highest risk {:.2}, average risk {:.3}, {:.1} % of rows in groups below 5\n",
            risk.quasi_identifiers.join(", "),
            count(risk.tuples as u64),
            count(risk.unique as u64),
            risk.smallest_group,
            risk.highest,
            risk.average,
            risk.below_five * 100.0,
        ));
    }
    if inspected.columns.iter().any(|column| column.suggested) {
        text.push_str(
            "\nA role with ? is only suggested, by the column's name and values: decide for yourself.\n",
        );
    }
    text
}
