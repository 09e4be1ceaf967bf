//! A query, and its text.

use std::fmt;

/// The aggregate over the rows that a query selects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Aggregate {
    /// How many there are.
    Count,
    /// A function of a column of numbers; missing values do not take part.
    Of(Function, String),
}

/// A function of numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Function {
    /// Their sum.
    Sum,
    /// Their average.
    Avg,
    /// The least.
    Min,
    /// The greatest.
    Max,
}

/// A condition that a row must satisfy in one column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Predicate {
    /// The column.
    pub column: String,
    /// The test of the value.
    pub test: Test,
}

/// The test of a predicate on a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Test {
    /// It lies between two ends, each of which may be open to infinity.
    Range {
        /// The lower end.
        from: Option<End>,
        /// The upper end.
        to: Option<End>,
    },
    /// It is one of these; in a hierarchy, it may also lie below a node of that name.
    In(Vec<String>),
    /// There is none.
    Missing,
}

/// An end of a range.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct End {
    /// The value.
    pub text: String,
    /// Whether the value itself is in the range.
    pub included: bool,
}

impl End {
    /// An end that is part of the range.
    pub fn included(text: impl Into<String>) -> Self {
        End { text: text.into(), included: true }
    }
}

/// A query: an aggregate over the rows that satisfy every predicate.
#[derive(Clone, Debug, PartialEq)]
pub struct Query {
    /// Its name, where it has one.
    pub name: Option<String>,
    /// The aggregate over the selected rows.
    pub aggregate: Aggregate,
    /// The predicates that select rows.
    pub predicates: Vec<Predicate>,
    /// How much it matters.
    pub weight: f64,
}

impl Query {
    /// A count of the rows that satisfy every predicate.
    pub fn count(predicates: Vec<Predicate>) -> Self {
        Query { name: None, aggregate: Aggregate::Count, predicates, weight: 1.0 }
    }

    /// The columns that it looks at, each once.
    pub fn columns(&self) -> Vec<&str> {
        let of = match &self.aggregate {
            Aggregate::Count => None,
            Aggregate::Of(_, column) => Some(column.as_str()),
        };
        let mut columns: Vec<&str> = Vec::new();
        for column in of.into_iter().chain(self.predicates.iter().map(|one| one.column.as_str())) {
            if !columns.contains(&column) {
                columns.push(column);
            }
        }
        columns
    }
}

impl Function {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Function::Sum => "SUM",
            Function::Avg => "AVG",
            Function::Min => "MIN",
            Function::Max => "MAX",
        }
    }
}

/// A name as it is read back: in double quotes.
struct QuotedName<'a>(&'a str);

impl fmt::Display for QuotedName<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{}\"", self.0.replace('"', "\"\""))
    }
}

/// A value as it is read back: in single quotes.
struct QuotedValue<'a>(&'a str);

impl fmt::Display for QuotedValue<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "'{}'", self.0.replace('\'', "''"))
    }
}

impl fmt::Display for Aggregate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Aggregate::Count => f.write_str("COUNT(*)"),
            Aggregate::Of(function, column) => write!(f, "{}({})", function.name(), QuotedName(column)),
        }
    }
}

impl fmt::Display for Predicate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = QuotedName(&self.column);
        match &self.test {
            Test::Missing => write!(f, "{name} IS NULL"),
            Test::In(values) if values.len() == 1 => write!(f, "{name} = {}", QuotedValue(&values[0])),
            Test::In(values) => {
                let values: Vec<String> = values.iter().map(|value| QuotedValue(value).to_string()).collect();
                write!(f, "{name} IN ({})", values.join(", "))
            }
            Test::Range { from: Some(from), to: Some(to) } if from.included && to.included => {
                write!(f, "{name} BETWEEN {} AND {}", QuotedValue(&from.text), QuotedValue(&to.text))
            }
            Test::Range { from, to } => {
                let from = from.as_ref().map(|end| {
                    format!("{name} {} {}", if end.included { ">=" } else { ">" }, QuotedValue(&end.text))
                });
                let to = to.as_ref().map(|end| {
                    format!("{name} {} {}", if end.included { "<=" } else { "<" }, QuotedValue(&end.text))
                });
                let ends: Vec<String> = from.into_iter().chain(to).collect();
                f.write_str(&ends.join(" AND "))
            }
        }
    }
}

/// As [`parse`](super::parse) reads it back.
impl fmt::Display for Query {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SELECT {}", self.aggregate)?;
        for (at, predicate) in self.predicates.iter().enumerate() {
            write!(f, " {} {predicate}", if at == 0 { "WHERE" } else { "AND" })?;
        }
        if self.weight != 1.0 {
            write!(f, " WEIGHT {}", self.weight)?;
        }
        Ok(())
    }
}
