//! The facts of the whole table that a requirement may use.

use crate::Remedy;
use crate::statistics::{GroupPeople, Histogram};
use crate::table::{Domain, PairColumn, Role, Table};
use crate::{Error, Result};

/// A column of the whole.
#[derive(Clone, Debug)]
pub struct ColumnFacts<'a> {
    /// Its number, which its statistics are found by.
    pub number: usize,
    /// The domain of the column.
    pub domain: &'a Domain,
    /// How many rows of the whole have each code.
    pub counts: Vec<u64>,
}

impl<'a> ColumnFacts<'a> {
    /// The facts of a sensitive column of which this many rows have each code: spellings of one value are one.
    pub fn new(number: usize, domain: &'a Domain, counts: Vec<u64>) -> Self {
        let Some(classes) = domain.classes() else { return ColumnFacts { number, domain, counts } };
        let mut by_class = vec![0; domain.compared().cardinality()];
        for (&class, rows) in classes.iter().zip(counts) {
            by_class[class as usize] += rows;
        }
        ColumnFacts { number, domain: domain.compared(), counts: by_class }
    }
}

/// How many values it takes, the commonest first, to have this many rows of the whole; all where there are fewer rows.
pub(super) fn values_that_hold(counts: &[u64], rows: f64) -> u64 {
    let mut descending: Vec<u64> = counts.iter().copied().filter(|&count| count > 0).collect();
    descending.sort_unstable_by(|a, b| b.cmp(a));
    let (mut held, mut values) = (0, 0);
    for count in descending {
        if held as f64 >= rows {
            break;
        }
        held += count;
        values += 1;
    }
    values.max(1)
}

/// The people of the whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PeopleFacts {
    /// The number of the column that says whom a row is about.
    pub column: usize,
    /// How many different people there are.
    pub people: u64,
    /// The code of rows without a person, where there are any.
    pub nobody: Option<u32>,
}

/// The whole that groups are parts of.
pub trait WholeFacts {
    /// The number of rows.
    fn rows(&self) -> u64;

    /// A column that is published as it is.
    fn column(&self, name: &str) -> Option<ColumnFacts<'_>>;

    /// The number and the domain of a quasi-identifier.
    fn dimension(&self, name: &str) -> Option<(usize, &Domain)>;

    /// The people whom rows are about, where that is known; else every row counts as a person.
    fn people(&self) -> Option<PeopleFacts> {
        None
    }

    /// The pairs of a person and a value of a sensitive column, where people are known.
    fn pairs(&self, _: &str) -> Option<PairColumn> {
        None
    }

    /// The votes of each value of a sensitive column: every person of the whole has one, in so many parts that a vote can be
    /// split. Nothing where people are not known.
    fn votes(&self, _: PairColumn) -> Vec<u64> {
        Vec::new()
    }
}

impl dyn WholeFacts + '_ {
    /// A sensitive column, which a requirement protects.
    pub fn protected(&self, requirement: &str, name: &str) -> Result<ColumnFacts<'_>> {
        self.column(name).ok_or_else(|| {
            Error::input(format!("{name} is not a sensitive column; {requirement} needs one"))
                .with_help(Remedy::GiveRole { column: name.to_string(), role: Role::Sensitive })
        })
    }
}

/// The facts of a table, or of those of its rows that will be published.
#[derive(Clone, Copy, Debug)]
pub struct TableFacts<'a> {
    /// The table.
    pub table: &'a Table,
    /// The published rows, where these are not all.
    pub rows: Option<&'a [u32]>,
}

impl<'a> TableFacts<'a> {
    /// The facts of all rows.
    pub fn of(table: &'a Table) -> Self {
        TableFacts { table, rows: None }
    }
}

impl WholeFacts for TableFacts<'_> {
    fn rows(&self) -> u64 {
        self.rows.map_or(self.table.rows(), <[u32]>::len) as u64
    }

    fn column(&self, name: &str) -> Option<ColumnFacts<'_>> {
        let protected = |role: Role| matches!(role, Role::Sensitive);
        let number = self.table.columns().iter().position(|c| c.name == name && protected(c.role))?;
        let (domain, codes) = self.table.columns()[number].coded()?;
        let mut counts = vec![0; domain.cardinality()];
        match self.rows {
            None => (0..codes.len()).for_each(|row| counts[codes.get(row) as usize] += 1),
            Some(rows) => rows.iter().for_each(|&row| counts[codes.get(row as usize) as usize] += 1),
        }
        Some(ColumnFacts::new(number, domain, counts))
    }

    fn dimension(&self, name: &str) -> Option<(usize, &Domain)> {
        let dimension = (0..self.table.dimensions()).find(|&d| self.table.dimension(d).name == name)?;
        Some((dimension, self.table.domain(dimension)))
    }

    fn people(&self) -> Option<PeopleFacts> {
        let column = self.table.person()?;
        let nobody = self.table.columns()[column].coded()?.0.missing_code();
        let people = self.codes_of(column).iter().filter(|(code, _)| Some(*code) != nobody).count() as u64;
        Some(PeopleFacts { column, people, nobody })
    }

    fn pairs(&self, name: &str) -> Option<PairColumn> {
        self.table.pairs_of(name)
    }

    fn votes(&self, pairs: PairColumn) -> Vec<u64> {
        by_code(&GroupPeople::of(&self.codes_of(pairs.number), pairs.values, pairs.nobody), pairs.values)
    }
}

impl TableFacts<'_> {
    /// How many rows have each code of a column.
    fn codes_of(&self, column: usize) -> Histogram {
        let Some((domain, codes)) = self.table.columns()[column].coded() else { return Histogram::default() };
        let mut found = Vec::new();
        match self.rows {
            None => codes.for_each(|code| found.push(code)),
            Some(rows) => codes.gather(rows, &mut found),
        }
        Histogram::of_codes(&found, domain.cardinality())
    }
}

/// The votes of each of so many values.
pub fn by_code(people: &GroupPeople, values: u32) -> Vec<u64> {
    let mut votes = vec![0; values as usize];
    people.votes().iter().for_each(|(value, found)| votes[value as usize] = found);
    votes
}
