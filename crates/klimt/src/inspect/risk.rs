//! The risk of a table as it is, and how much each column adds to it.

use super::column::ColumnProfile;
use klimt_core::Result;
use klimt_core::partition::identical_tuples;
use klimt_core::risk::{Question, Risk, certain_rows};
use klimt_core::table::{Role, Table};
use serde::Serialize;

/// How easily people are found by the quasi-identifiers as they are.
#[derive(Clone, Debug, Serialize)]
pub struct TableRisk {
    /// The quasi-identifiers.
    pub quasi_identifiers: Vec<String>,
    /// How many different tuples they have: the groups of the table as it is.
    pub tuples: u64,
    /// The risk by these groups.
    #[serde(flatten)]
    pub risk: Risk,
}

/// The risk by the quasi-identifiers. Fills in how much each of them, and each sensitive column, adds to it.
pub(super) fn measure(
    table: &Table,
    columns: &mut [ColumnProfile],
    question: &Question,
) -> Result<Option<TableRisk>> {
    let with = |role: Role, columns: &[ColumnProfile]| -> Vec<usize> {
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
    Ok(Some(TableRisk { quasi_identifiers, tuples: risk.groups, risk }))
}
