//! The table and its columns.

use super::{Codes, Domain, Role, TextColumn};
use std::sync::Arc;

/// The values of a column.
#[derive(Clone, Debug)]
pub enum ColumnData {
    /// A dense code per row: every quasi-identifier, sensitive and target column, and any column with few values.
    Coded {
        /// The domain of the codes.
        domain: Arc<Domain>,
        /// The code of each row.
        codes: Codes,
    },
    /// A text per row: a column that is published as it is.
    Texts(TextColumn),
}

/// A column of a table.
#[derive(Clone, Debug)]
pub struct Column {
    /// Its name.
    pub name: String,
    /// The role of the column.
    pub role: Role,
    /// The values of the column.
    pub data: ColumnData,
}

impl Column {
    /// Appends the text of a row as it was read; nothing for a missing value.
    pub fn write_text(&self, row: usize, out: &mut Vec<u8>) {
        match &self.data {
            ColumnData::Coded { domain, codes } => domain.write_text(codes.get(row), out),
            ColumnData::Texts(texts) => out.extend_from_slice(texts.get(row)),
        }
    }

    /// Whether a row has no value; an empty text is one.
    pub fn is_missing(&self, row: usize) -> bool {
        match &self.data {
            ColumnData::Coded { domain, codes } => domain.missing_code() == Some(codes.get(row)),
            ColumnData::Texts(texts) => texts.is_missing(row),
        }
    }

    /// The domain and the codes of a coded column.
    pub fn coded(&self) -> Option<(&Domain, &Codes)> {
        match &self.data {
            ColumnData::Coded { domain, codes } => Some((domain, codes)),
            ColumnData::Texts(_) => None,
        }
    }
}

/// An encoded table: the columns that will be published or looked at, in the order of the source.
#[derive(Clone, Debug)]
pub struct Table {
    rows: usize,
    columns: Vec<Column>,
    quasi_identifiers: Vec<usize>,
}

/// The most rows that a table can hold: row numbers take 32 bits.
pub const MAX_ROWS: usize = u32::MAX as usize - 1;

/// Bytes of a value of a domain, about.
const VALUE_BYTES: usize = 32;

impl Table {
    /// A table of columns of equal length; quasi-identifiers, sensitive columns and targets must be coded.
    pub fn new(rows: usize, columns: Vec<Column>) -> crate::Result<Self> {
        if rows > MAX_ROWS {
            return Err(crate::Error::resource(format!("the table has more than {MAX_ROWS} rows")));
        }
        for column in &columns {
            let length = match &column.data {
                ColumnData::Coded { codes, .. } => codes.len(),
                ColumnData::Texts(texts) => texts.len(),
            };
            let must_be_coded = !matches!(column.role, Role::Insensitive | Role::Identifier);
            if length != rows || (must_be_coded && column.coded().is_none()) {
                return Err(crate::Error::internal(format!("column {} was read wrongly", column.name)));
            }
        }
        let quasi_identifiers =
            (0..columns.len()).filter(|&c| columns[c].role == Role::QuasiIdentifier).collect();
        Ok(Table { rows, columns, quasi_identifiers })
    }

    /// The table with more columns, none of them a quasi-identifier, of as many rows.
    pub(super) fn with_columns(mut self, more: Vec<Column>) -> Self {
        self.columns.extend(more);
        self
    }

    /// The table with its dimensions in the order of the ranks of their columns; columns of equal rank keep their order.
    pub fn with_dimensions_by(mut self, rank: impl Fn(usize) -> usize) -> Self {
        self.quasi_identifiers.sort_by_key(|&column| rank(column));
        self
    }

    /// The table with its dimensions in the order of another table of the same columns.
    pub fn with_dimensions_of(self, other: &Table) -> Self {
        let place = |column: usize| other.quasi_identifiers.iter().position(|&number| number == column);
        self.with_dimensions_by(|column| place(column).unwrap_or(usize::MAX))
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// How many bytes of memory its columns take, about.
    pub fn held_bytes(&self) -> usize {
        let bytes = |column: &Column| match &column.data {
            ColumnData::Coded { domain, .. } => {
                let values = if domain.is_range() { 0 } else { domain.cardinality() };
                self.rows * Codes::width(domain.cardinality()) + values * VALUE_BYTES
            }
            ColumnData::Texts(texts) => texts.bytes().map(<[u8]>::len).sum::<usize>() + self.rows * 4,
        };
        self.columns.iter().map(bytes).sum()
    }

    /// The columns in the order of the source.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// The numbers of the quasi-identifier columns; their index in this list is their *dimension*. Where dimensions are
    /// equally good, algorithms take the first.
    pub fn quasi_identifiers(&self) -> &[usize] {
        &self.quasi_identifiers
    }

    /// The number of quasi-identifiers.
    pub fn dimensions(&self) -> usize {
        self.quasi_identifiers.len()
    }

    /// The column of a dimension.
    pub fn dimension(&self, dimension: usize) -> &Column {
        &self.columns[self.quasi_identifiers[dimension]]
    }

    /// The domains of all dimensions, in order.
    pub fn domains(&self) -> Vec<&Domain> {
        (0..self.dimensions()).map(|dimension| self.domain(dimension)).collect()
    }

    /// The domain of a dimension.
    pub fn domain(&self, dimension: usize) -> &Domain {
        self.dimension(dimension).coded().expect("Table::new admits coded quasi-identifiers only").0
    }

    /// The codes of a dimension.
    pub fn codes(&self, dimension: usize) -> &Codes {
        self.dimension(dimension).coded().expect("Table::new admits coded quasi-identifiers only").1
    }
}
