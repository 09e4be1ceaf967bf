//! Where the columns of a release are in its records.

use klimt_core::{Error, Result};
use klimt_io::csv::Dialect;

/// How the records of a release are written and which of their fields matter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    columns: usize,
    quasi_identifiers: Vec<usize>,
    sensitive: Vec<usize>,
    dialect: Dialect,
    parts: Vec<RecordPart>,
}

/// A part of a record. The parts are in the order of the record and end with the last column that matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RecordPart {
    /// Neighbouring quasi-identifiers.
    Stretch {
        /// The first column.
        first: usize,
        /// The last column.
        last: usize,
    },
    /// A sensitive column.
    Sensitive {
        /// The column.
        column: usize,
        /// Which of the tally's sensitive columns it is.
        number: usize,
    },
    /// A number of columns that do not matter.
    Gap(usize),
}

impl Layout {
    /// Records of this many columns with the quasi-identifiers at these positions, from 0, in the order in which
    /// the tally names them.
    pub fn new(columns: usize, quasi_identifiers: Vec<usize>, dialect: Dialect) -> Result<Self> {
        if matches!(dialect.delimiter, b'"' | b'\n' | b'\r' | 0x80..) {
            return Err(Error::input("a delimiter is one ASCII character, neither a quote nor a line end"));
        }
        Layout { columns, quasi_identifiers, sensitive: Vec::new(), dialect, parts: Vec::new() }.checked()
    }

    /// The same layout with these sensitive columns, in the order in which the tally names them.
    pub fn with_sensitive(self, sensitive: Vec<usize>) -> Result<Self> {
        Layout { sensitive, ..self }.checked()
    }

    /// The layout with its parts, once it is sure that the positions are those of different columns.
    fn checked(mut self) -> Result<Self> {
        let positions = self.quasi_identifiers.iter().chain(&self.sensitive);
        let mut sorted: Vec<_> = positions.copied().collect();
        sorted.sort_unstable();
        let in_range = sorted.last().is_none_or(|&last| last < self.columns);
        let different = sorted.windows(2).all(|pair| pair[0] != pair[1]);
        if self.columns == 0 || !in_range || !different {
            return Err(Error::internal(
                "the layout of a release names a column twice or one that does not exist",
            ));
        }
        self.parts = self.parts_at(&sorted);
        Ok(self)
    }

    fn parts_at(&self, sorted: &[usize]) -> Vec<RecordPart> {
        let mut parts = Vec::new();
        let mut next = 0;
        for &column in sorted {
            if column > next {
                parts.push(RecordPart::Gap(column - next));
            }
            next = column + 1;
            let sensitive = self.sensitive.iter().position(|&sensitive| sensitive == column);
            match (parts.last_mut(), sensitive) {
                (_, Some(number)) => parts.push(RecordPart::Sensitive { column, number }),
                (Some(RecordPart::Stretch { last, .. }), None) => *last = column,
                (_, None) => parts.push(RecordPart::Stretch { first: column, last: column }),
            }
        }
        parts
    }

    /// How many columns the release has.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// The positions of the quasi-identifiers.
    pub fn quasi_identifiers(&self) -> &[usize] {
        &self.quasi_identifiers
    }

    /// The positions of the sensitive columns to count.
    pub fn sensitive(&self) -> &[usize] {
        &self.sensitive
    }

    /// How the records are written.
    pub fn dialect(&self) -> Dialect {
        self.dialect
    }

    /// The parts of a record, up to the last column that matters.
    pub(super) fn parts(&self) -> &[RecordPart] {
        &self.parts
    }

    /// How many columns there are up to the last that matters.
    pub(super) fn needed(&self) -> usize {
        match self.parts.last() {
            Some(RecordPart::Stretch { last: column, .. } | RecordPart::Sensitive { column, .. }) => {
                column + 1
            }
            Some(RecordPart::Gap(_)) | None => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_form_stretches() {
        let layout = Layout::new(10, vec![6, 1, 2, 7, 4], Dialect::default()).unwrap();
        let stretch = |first, last| RecordPart::Stretch { first, last };
        assert_eq!(
            layout.parts(),
            [
                RecordPart::Gap(1),
                stretch(1, 2),
                RecordPart::Gap(1),
                stretch(4, 4),
                RecordPart::Gap(1),
                stretch(6, 7)
            ]
        );
        assert_eq!(layout.needed(), 8);
        let sensitive = |column, number| RecordPart::Sensitive { column, number };
        let layout = layout.with_sensitive(vec![9, 3]).unwrap();
        assert_eq!(layout.parts()[1..4], [stretch(1, 2), sensitive(3, 1), stretch(4, 4)]);
        assert_eq!(layout.parts()[6..], [RecordPart::Gap(1), sensitive(9, 0)]);
        assert_eq!(layout.needed(), 10);
        assert_eq!(Layout::new(3, vec![], Dialect::default()).unwrap().needed(), 0);
    }

    #[test]
    fn positions_must_be_columns() {
        let layout = |columns, positions| Layout::new(columns, positions, Dialect::default());
        assert!(layout(2, vec![2]).is_err());
        assert!(layout(3, vec![1, 0, 1]).is_err());
        assert!(layout(0, vec![]).is_err());
        assert!(layout(2, vec![0]).unwrap().with_sensitive(vec![2]).is_err());
        assert!(layout(2, vec![0]).unwrap().with_sensitive(vec![0]).is_err());
    }

    #[test]
    fn the_delimiter_must_not_be_ambiguous() {
        for delimiter in [b'"', b'\n', b'\r', 0x80, 0xFF] {
            assert!(Layout::new(1, vec![0], Dialect { delimiter, header: false }).is_err());
        }
    }
}
