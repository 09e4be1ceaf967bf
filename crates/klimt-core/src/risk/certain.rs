//! Certain sensitive values: an attacker learns them without finding the row.

use crate::distinct::DistinctTuples;
use crate::table::{Codes, Domain, Table};
use crate::{Error, Result};

/// For each sensitive column, how many rows are in groups of equal tuples of the quasi-identifiers in which every row
/// has the same sensitive value; a missing value is a value. A person known to be in such a group has its value. All
/// columns are given by their number and must be coded.
pub fn certain_rows(table: &Table, quasi_identifiers: &[usize], sensitive: &[usize]) -> Result<Vec<u64>> {
    let codes: Option<Vec<(&Domain, &Codes)>> =
        sensitive.iter().map(|&column| table.columns()[column].coded()).collect();
    let codes = codes.ok_or_else(|| Error::internal("a sensitive column is not coded"))?;
    if codes.is_empty() {
        return Ok(Vec::new());
    }
    let tuples = DistinctTuples::of(table, quasi_identifiers, (0..table.rows() as u32).collect())?;
    let mut certain = vec![0; codes.len()];
    for group in tuples.iter() {
        for (certain, (domain, codes)) in certain.iter_mut().zip(&codes) {
            let value = |row: u32| domain.class(codes.get(row as usize));
            if group.iter().all(|&row| value(row) == value(group[0])) {
                *certain += group.len() as u64;
            }
        }
    }
    Ok(certain)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::{Column, ColumnData, ColumnSpec, Distinct, Encoding, Role};

    /// A column of the numbers 0, 1, …; the last of them is missing.
    fn column(name: &str, role: Role, codes: &[u32]) -> Column {
        let values = (0..i64::from(codes.iter().copied().max().unwrap_or(0))).collect();
        let domain =
            Encoding::of(&ColumnSpec::new(name, role), Distinct::Integers(values), true).unwrap().domain;
        let codes = Codes::collect(domain.cardinality(), codes.iter().copied());
        Column { name: name.to_string(), role, data: ColumnData::Coded { domain: domain.into(), codes } }
    }

    #[test]
    fn groups_with_one_value_are_certain() {
        let table = Table::new(
            7,
            vec![
                column("disease", Role::Sensitive, &[0, 2, 1, 0, 2, 1, 1]),
                column("age", Role::QuasiIdentifier, &[1, 2, 0, 1, 2, 0, 0]),
                column("sex", Role::QuasiIdentifier, &[0, 1, 1, 1, 1, 1, 0]),
                column("party", Role::Sensitive, &[0, 0, 1, 1, 1, 2, 0]),
            ],
        )
        .unwrap();
        // (1,0) {0}, (2,1) {1, 4}, (0,1) {2, 5}, (1,1) {3}, (0,0) {6}: the pairs agree in the disease only, the
        // first of them in that it is missing.
        assert_eq!(certain_rows(&table, &[1, 2], &[0, 3]).unwrap(), [7, 3]);
        // By sex: {0, 6} and the five others.
        assert_eq!(certain_rows(&table, &[2], &[3, 0]).unwrap(), [2, 0]);
        assert!(certain_rows(&table, &[1], &[]).unwrap().is_empty());
    }
}
