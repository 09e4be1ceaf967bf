//! A column of a table: its type, its counts, and its role, given or suggested.

use crate::settings::Settings;
use klimt_core::table::{Column, ColumnData, Role};
use serde::Serialize;

/// Counts of a column, and its role. It holds no value.
#[derive(Clone, Debug, Serialize)]
pub struct ColumnProfile {
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
    /// Of a sensitive column: the share of rows whose value is certain to an attacker who knows their
    /// quasi-identifiers, as all rows with the same tuple have it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub certain: Option<f64>,
}

impl ColumnProfile {
    /// The profile of a column of a table of so many rows.
    pub(super) fn of(column: &Column, settings: &Settings, rows: usize) -> Self {
        let (role, suggested) = role(column, settings, rows);
        let (r#type, distinct, missing, unique_alone) = counts(column);
        ColumnProfile {
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
}

/// The type, and how many values are different, missing, and alone.
fn counts(column: &Column) -> (&'static str, usize, usize, usize) {
    let ColumnData::Coded { domain, codes } = &column.data else { return ("text", 0, 0, 0) };
    let mut rows = vec![0u32; domain.cardinality()];
    for row in 0..codes.len() {
        rows[codes.get(row) as usize] += 1;
    }
    let missing = domain.missing_code().map_or(0, |code| rows[code as usize]);
    let distinct = rows.iter().take(domain.value_count()).filter(|&&rows| rows > 0).count();
    let alone = rows.iter().filter(|&&rows| rows == 1).count();
    (domain.value_type().name(), distinct, missing as usize, alone)
}

/// Words in the names of columns that suggest a role.
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

/// Tables with no more rows than this have few values twice anyway.
const FEW_ROWS: usize = 20;

/// The given role, or a suggestion: by the column's name, else an identifier where values hardly repeat, else a
/// quasi-identifier, which is the safe guess.
fn role(column: &Column, settings: &Settings, rows: usize) -> (Role, bool) {
    if let Some(role) = settings.columns.get(&column.name).and_then(|given| given.role) {
        return (role, false);
    }
    let words: Vec<String> =
        column.name.to_lowercase().split(|c: char| !c.is_alphanumeric()).map(str::to_string).collect();
    let is_named =
        |hint: &&str| words.iter().any(|word| word == hint) || column.name.eq_ignore_ascii_case(hint);
    let hinted = HINTS.iter().find(|(_, hints)| hints.iter().any(&is_named));
    let different = column.coded().map_or(0, |(domain, _)| domain.value_count());
    match hinted {
        Some((role, _)) => (*role, true),
        None if rows > FEW_ROWS && different * 10 > rows * 9 => (Role::Identifier, true),
        None => (Role::QuasiIdentifier, true),
    }
}
