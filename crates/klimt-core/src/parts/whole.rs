//! The facts of the whole table, measured before any group is published.

use crate::requirement::{ColumnFacts, PeopleFacts, WholeFacts};
use crate::table::{Domain, PairColumn, Role, Table};

/// How many rows have each code, by column.
pub(crate) type CodeCounts = Vec<(usize, Vec<u64>)>;

/// The facts of the whole table, measured before any group is published.
#[derive(Clone, Debug)]
pub struct Whole<'a> {
    /// The columns.
    pub frame: &'a Table,
    /// The number of rows.
    pub rows: u64,
    /// How many rows have each code, for every sensitive column and that of people, by its number in the frame.
    pub counts: Vec<(usize, Vec<u64>)>,
}

impl WholeFacts for Whole<'_> {
    fn rows(&self) -> u64 {
        self.rows
    }

    fn column(&self, name: &str) -> Option<ColumnFacts<'_>> {
        let columns = self.frame.columns();
        let number = columns.iter().position(|c| c.name == name && c.role == Role::Sensitive)?;
        let (domain, _) = columns[number].coded()?;
        let (_, counts) = self.counts.iter().find(|(column, _)| *column == number)?;
        Some(ColumnFacts::new(number, domain, counts.clone()))
    }

    fn dimension(&self, name: &str) -> Option<(usize, &Domain)> {
        let dimension = (0..self.frame.dimensions()).find(|&d| self.frame.dimension(d).name == name)?;
        Some((dimension, self.frame.domain(dimension)))
    }

    fn people(&self) -> Option<PeopleFacts> {
        let column = self.frame.person()?;
        let nobody = self.frame.columns()[column].coded()?.0.missing_code();
        let (_, rows) = self.counts.iter().find(|(number, _)| *number == column)?;
        let known = (0u32..).zip(rows).filter(|(code, rows)| **rows > 0 && Some(*code) != nobody);
        Some(PeopleFacts { column, people: known.count() as u64, nobody })
    }

    fn pairs(&self, name: &str) -> Option<PairColumn> {
        self.frame.pairs_of(name)
    }
}

impl<'a> Whole<'a> {
    pub(crate) fn new(frame: &'a Table, rows: u64, counts: CodeCounts) -> Self {
        Whole { frame, rows, counts }
    }
}
