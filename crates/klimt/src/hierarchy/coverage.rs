//! Which values of a hierarchy occur in a column.

use super::Hierarchy;
use crate::anonymizer::Anonymizer;
use crate::input::Input;
use klimt_core::Result;
use serde::Serialize;

/// How a hierarchy fits the values of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Coverage {
    /// How many of its values occur in the column.
    pub covered: u64,
    /// How many do not.
    pub unused: u64,
}

impl Hierarchy {
    /// Checks that the hierarchy has every value of a column of a table; the error says on which lines it does not.
    ///
    /// ```
    /// use klimt::prelude::*;
    ///
    /// let zip = Hierarchy::from_lines([["53703", "5370*", "*"], ["53704", "5370*", "*"], ["60601", "6060*", "*"]])?;
    /// let table = "zip\n53703\n53704\n53703\n";
    /// let coverage =
    ///     zip.coverage(Input::reader(Format::Csv, table.as_bytes()), "zip", &Anonymizer::new())?;
    /// assert_eq!((coverage.covered, coverage.unused), (2, 1));
    /// # Ok::<(), klimt::Error>(())
    /// ```
    pub fn coverage(&self, input: Input, column: &str, asked: &Anonymizer) -> Result<Coverage> {
        // Reading the column with its hierarchy reports every value that is missing from it.
        let table = super::read_column(input, column, Some(&self.tree), asked)?;
        let mut used = vec![false; table.domain(0).cardinality()];
        (0..table.rows()).for_each(|row| used[table.codes(0).get(row) as usize] = true);
        let leaves = self.tree.leaf_count() as usize;
        let covered = used.iter().take(leaves).filter(|&&used| used).count() as u64;
        Ok(Coverage { covered, unused: leaves as u64 - covered })
    }
}
