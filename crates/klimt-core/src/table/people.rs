//! The people of a table: a column that says whom a row is about, and, for every sensitive column, one that says which
//! person has which value.
//!
//! Both are columns of the role [`Role::Person`]: they are looked at, and never published. A *pair* column has the name of its
//! sensitive column, and its codes are those of the person times the number of values, plus that of the value. Requirements
//! of people are decided over histograms of these columns, so that everything that makes statistics makes theirs.

use super::{Codes, Column, ColumnData, Domain, Role, Spelling, Table, TypeSpec, ValueType};
use crate::{Error, Result};

/// A column of pairs of a person and a value that the person has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PairColumn {
    /// Its number, which its statistics are found by.
    pub number: usize,
    /// How many values there are: the code of a pair is that of the person times this, plus that of the value.
    pub values: u32,
    /// The code of rows without a person, where there are any.
    pub nobody: Option<u32>,
}

impl Domain {
    /// The domain of pairs of `people` and `values`; where some rows have no person, with a missing code.
    fn of_pairs(people: u32, values: u32, nobody: bool) -> Option<Self> {
        let len = people.checked_mul(values).filter(|&len| len < u32::MAX)?;
        let type_spec = TypeSpec::from(ValueType::Integer);
        let domain = Domain::of_range(type_spec, 0, len, Spelling::WHOLE, nobody);
        Some(Domain { values_per_person: Some(values), ..domain })
    }
}

impl Column {
    /// Whether the column holds pairs of a person and a value: klimt made it, and it is not one of the source.
    pub fn is_of_pairs(&self) -> bool {
        self.coded().is_some_and(|(domain, _)| domain.values_per_person.is_some())
    }
}

impl Table {
    /// The number of the column that says whom a row is about, where there is one.
    pub fn person(&self) -> Option<usize> {
        let is_person = |column: &Column| {
            column.role == Role::Person && column.coded().is_some() && !column.is_of_pairs()
        };
        self.columns().iter().position(is_person)
    }

    /// The column that says which person has which value of a sensitive column, where there is one.
    pub fn pairs_of(&self, sensitive: &str) -> Option<PairColumn> {
        self.columns().iter().enumerate().find_map(|(number, column)| {
            let (domain, _) =
                column.coded().filter(|_| column.role == Role::Person && column.name == sensitive)?;
            let values = domain.values_per_person?;
            Some(PairColumn { number, values, nobody: domain.missing_code() })
        })
    }

    /// The table with a column of pairs for every sensitive column; the same table where nobody says whom rows are about.
    pub fn with_pairs(self) -> Result<Self> {
        let Some(person) = self.person() else { return Ok(self) };
        let Some((people, whom)) = self.columns()[person].coded() else { return Ok(self) };
        let mut pairs = Vec::new();
        for column in self.columns().iter().filter(|column| column.role == Role::Sensitive) {
            let Some((domain, codes)) = column.coded() else { continue };
            let values = domain.compared().cardinality() as u32;
            let of_pairs =
                Domain::of_pairs(people.value_count() as u32, values, people.missing_code().is_some());
            let of_pairs = of_pairs.ok_or_else(|| too_many_pairs(&column.name))?;
            let nobody = people.missing_code();
            let pair = |row: usize| match whom.get(row) {
                person if Some(person) == nobody => of_pairs.value_count() as u32,
                person => person * values + domain.class(codes.get(row)),
            };
            let codes = Codes::collect(of_pairs.cardinality(), (0..self.rows()).map(pair));
            let data = ColumnData::Coded { codes, domain: of_pairs.into() };
            pairs.push(Column { name: column.name.clone(), role: Role::Person, data });
        }
        Ok(self.with_columns(pairs))
    }
}

fn too_many_pairs(column: &str) -> Error {
    Error::resource(format!(
        "column {column} has so many values that there are more than {} pairs of a person and a value",
        u32::MAX
    ))
    .with_help("round its values, or group them, before it is protected for people who have several rows")
}
