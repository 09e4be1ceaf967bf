//! The Arrow types of a source's columns, and errors about those that cannot be read.

use super::spell::has_spelling;
use crate::arrow::datatypes::{DataType, Schema};
use crate::source::ReadReport;
use hashbrown::{HashMap, HashSet};
use klimt_core::words::option_is;
use klimt_core::{Error, Result};

/// The Arrow types of a source's columns by name: those that kept columns have again in a release. Nothing else of
/// a source's schema is kept, as its metadata may hold anything.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KeptTypes {
    types: HashMap<String, DataType>,
    /// The columns whose missing values are all empty texts.
    empty_texts: HashSet<String>,
}

impl KeptTypes {
    /// The types of a schema.
    pub fn of(schema: &Schema) -> Self {
        let types = schema.fields().iter().map(|field| (field.name().clone(), field.data_type().clone()));
        KeptTypes { types: types.collect(), ..KeptTypes::default() }
    }

    /// The same types, with what was found of the columns when they were read.
    pub fn after(self, report: &ReadReport) -> Self {
        self.with_empty_texts(report.empty_texts.iter().cloned())
    }

    /// The same types, where what counts as missing in these columns are empty texts.
    pub fn with_empty_texts(mut self, columns: impl IntoIterator<Item = String>) -> Self {
        self.empty_texts.extend(columns);
        self
    }

    /// Whether what counts as missing in a column are empty texts, which are published as such.
    pub fn has_empty_texts(&self, column: &str) -> bool {
        self.empty_texts.contains(column)
    }

    /// The type of a column; `None` where the source has texts without a type.
    pub fn get(&self, column: &str) -> Option<&DataType> {
        self.types.get(column)
    }
}

impl FromIterator<(String, DataType)> for KeptTypes {
    fn from_iter<I: IntoIterator<Item = (String, DataType)>>(types: I) -> Self {
        KeptTypes { types: types.into_iter().collect(), ..KeptTypes::default() }
    }
}

/// The names of a schema's columns, each of which stands there once.
pub(super) fn column_names(path: &str, schema: &Schema) -> Result<Vec<String>> {
    let mut seen = HashSet::new();
    let twice: Vec<&str> = schema
        .fields()
        .iter()
        .map(|field| field.name().as_str())
        .filter(|name| !seen.insert(*name))
        .collect();
    if !twice.is_empty() {
        let message = format!("{path}: the schema has the column name {} twice", twice.join(", "));
        return Err(Error::input(message).with_help("give every column a name of its own"));
    }
    Ok(schema.fields().iter().map(|field| field.name().clone()).collect())
}

/// Refuses columns whose values have no text; all of them at once.
pub(super) fn check_types(path: &str, schema: &Schema, columns: &[usize]) -> Result<()> {
    let refused: Vec<_> =
        columns.iter().map(|&c| schema.field(c)).filter(|field| !has_spelling(field.data_type())).collect();
    let problems = refused
        .iter()
        .map(|field| {
            let (name, data_type) = (field.name(), type_name(field.data_type()));
            format!("{path}: column {name}: values of the type {data_type} cannot be read")
        })
        .collect();
    match Error::all(klimt_core::ErrorKind::Input, problems) {
        None => Ok(()),
        Some(error) => {
            let names: Vec<&str> = refused.iter().map(|field| field.name().as_str()).collect();
            let what = if names.len() == 1 { "drop the column" } else { "drop the columns" };
            Err(error.with_help(format!("{what}: {}", option_is("identifier", names.join(",")))))
        }
    }
}

/// The name of a type without what it is made of, which for nested types may be long.
fn type_name(data_type: &DataType) -> String {
    if data_type.is_nested() {
        let name = data_type.to_string();
        return name.split(['(', '<', '{']).next().unwrap_or(&name).trim().to_string();
    }
    data_type.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arrow::datatypes::{Field, TimeUnit};

    #[test]
    fn columns_of_other_types_are_named_with_their_type() {
        let list = DataType::new_list(DataType::Int32, true);
        let schema = Schema::new(vec![
            Field::new("photo", DataType::Binary, true),
            Field::new("age", DataType::Int32, true),
            Field::new("visits", list, true),
            Field::new("at", DataType::Time64(TimeUnit::Microsecond), true),
        ]);
        let error = check_types("p.parquet", &schema, &[0, 1]).unwrap_err();
        assert_eq!(error.message(), "p.parquet: column photo: values of the type Binary cannot be read");
        assert_eq!(error.help(klimt_core::Words::Flags), ["drop the column: --identifier photo"]);
        let error = check_types("p.parquet", &schema, &[2, 3]).unwrap_err();
        assert_eq!(
            error.message(),
            "2 problems:\n  - p.parquet: column visits: values of the type List cannot be read\n  - \
             p.parquet: column at: values of the type Time64(µs) cannot be read"
        );
        assert_eq!(error.help(klimt_core::Words::Flags), ["drop the columns: --identifier visits,at"]);
        assert_eq!(check_types("p.parquet", &schema, &[1]), Ok(()));
    }

    #[test]
    fn a_name_that_stands_there_twice_is_refused() {
        let field = |name: &str| Field::new(name, DataType::Int32, true);
        assert!(column_names("x", &Schema::new(vec![field("a"), field("b"), field("a")])).is_err());
        assert_eq!(column_names("x", &Schema::new(vec![field("a"), field("b")])).unwrap(), ["a", "b"]);
    }
}
