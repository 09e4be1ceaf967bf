//! The queries that are asked: given ones, or ones that are made from the table.

use crate::input::text_of;
use crate::run::workload;
use klimt_core::table::Table;
use klimt_core::words::option;
use klimt_core::workload::{self as core, Workload};
use klimt_core::{Error, Result};
use std::path::Path;

/// Queries: a workload, or how queries are made from the original.
///
/// ```
/// use klimt::query::Questions;
///
/// let given = Questions::sql("SELECT AVG(income) WHERE age BETWEEN 30 AND 39 WEIGHT 2")?;
/// let random = Questions::random(100).seed(7).about(["age", "zip"]);
/// let every_value = Questions::values();
/// # let _ = (given, random, every_value);
/// # Ok::<(), klimt::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Questions {
    kind: Kind,
    about: Vec<String>,
    seed: u64,
}

#[derive(Clone, Debug)]
enum Kind {
    Given(Workload),
    Random(usize),
    Values,
}

impl Questions {
    /// Queries as SQL, such as `SELECT COUNT(*) WHERE age BETWEEN 30 AND 39;`.
    pub fn sql(text: &str) -> Result<Self> {
        Ok(core::parse(text)?.into())
    }

    /// The queries of a file, as SQL or, where its name ends in `.toml`, as TOML.
    pub fn from_file(path: impl AsRef<Path>) -> Result<Self> {
        Ok(workload::read(&text_of(path.as_ref())?)?.into())
    }

    /// So many range queries, each between two random rows.
    pub fn random(many: usize) -> Self {
        Questions { kind: Kind::Random(many), about: Vec::new(), seed: 0 }
    }

    /// A query for every value.
    pub fn values() -> Self {
        Questions { kind: Kind::Values, about: Vec::new(), seed: 0 }
    }

    /// The quasi-identifiers that made queries are about; all of them where nothing is said.
    pub fn about<S: Into<String>>(mut self, columns: impl IntoIterator<Item = S>) -> Self {
        self.about = columns.into_iter().map(Into::into).collect();
        self
    }

    /// Another seed makes other random queries.
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// The queries that were given.
    pub(super) fn given(&self) -> Option<&Workload> {
        match &self.kind {
            Kind::Given(workload) => Some(workload),
            Kind::Random(_) | Kind::Values => None,
        }
    }

    /// The queries for a table.
    pub(super) fn make(&self, table: &Table) -> Result<Workload> {
        let dimensions: Vec<usize> = match self.about.is_empty() {
            true => (0..table.dimensions()).collect(),
            false => self.about.iter().map(|name| dimension(table, name)).collect::<Result<_>>()?,
        };
        Ok(match &self.kind {
            Kind::Given(workload) => workload.clone(),
            Kind::Random(many) => Workload::ranges(table, &dimensions, *many, self.seed),
            Kind::Values => Workload::values(table, &dimensions),
        })
    }
}

fn dimension(table: &Table, name: &str) -> Result<usize> {
    let found = (0..table.dimensions()).find(|&d| table.dimension(d).name == name);
    found.ok_or_else(|| {
        Error::input(format!("{name} is no quasi-identifier")).with_help(format!(
            "{} names columns of {}",
            option("about"),
            option("qi")
        ))
    })
}

impl From<Workload> for Questions {
    fn from(workload: Workload) -> Self {
        Questions { kind: Kind::Given(workload), about: Vec::new(), seed: 0 }
    }
}
