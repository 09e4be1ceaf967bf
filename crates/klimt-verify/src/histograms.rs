//! How often each value of a sensitive column occurs in each group.

use crate::values::{ColumnValues, Comparison};
use hashbrown::HashMap;

/// How often one sensitive value occurs in one group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct HistogramCell {
    /// The group's number in its tally.
    pub group: u32,
    /// The value's number, for [`Histograms::value`].
    pub value: u32,
    /// How many rows of the group have the value; never zero.
    pub rows: u64,
}

/// The histograms of a column, group by group, and the code of each value by its number.
pub(crate) type CodedCells = (Vec<HistogramCell>, Vec<u32>);

/// The histograms of one sensitive column, one per group.
#[derive(Clone, Debug)]
pub struct Histograms {
    column: String,
    values: ColumnValues,
    /// The counts. A group and value may come several times: that is cheaper than to look for them, as the
    /// rows of a group mostly come together. There are never more than twice as many entries as different
    /// cells (and some).
    cells: Vec<HistogramCell>,
    /// How long `cells` may become before the cells of the same group and value are joined.
    room: usize,
}

/// The room that there is from the start.
const LEAST_ROOM: usize = 1 << 12;

impl Histograms {
    pub(crate) fn new(column: &str) -> Self {
        Histograms {
            column: column.to_string(),
            values: ColumnValues::default(),
            cells: Vec::new(),
            room: LEAST_ROOM,
        }
    }

    /// The same column, whose values are compared so; nothing has been counted.
    pub(crate) fn compared(&self, comparison: Comparison) -> Self {
        Histograms { values: ColumnValues::new(comparison), ..Histograms::new(&self.column) }
    }

    /// Counts a row of a group that has a value, and says the number of the value; `None` when the column has more than 2³²
    /// values.
    pub(crate) fn add(&mut self, group: u32, value: &[u8]) -> Option<u32> {
        self.add_rows(group, value, 1)
    }

    /// Counts rows of a group that have a value, and says the number of the value; `None` when the column has more than 2³²
    /// values.
    pub(crate) fn add_rows(&mut self, group: u32, value: &[u8], rows: u64) -> Option<u32> {
        let value = self.values.number(value)?;
        self.push(HistogramCell { group, value, rows });
        Some(value)
    }

    /// Counts all of `other`, whose group `g` is group `groups[g]` here, and says the number of each of its values.
    pub(crate) fn absorb(&mut self, other: &Histograms, groups: &[u32]) -> Option<Vec<u32>> {
        let mut values = vec![0; other.values.len()];
        for (text, value) in other.values.texts() {
            values[value as usize] = self.values.number(text)?;
        }
        for cell in &other.cells {
            let (group, value) = (groups[cell.group as usize], values[cell.value as usize]);
            self.push(HistogramCell { group, value, rows: cell.rows });
        }
        Some(values)
    }

    fn push(&mut self, cell: HistogramCell) {
        if self.cells.len() == self.room {
            join(&mut self.cells);
            self.room = LEAST_ROOM.max(self.cells.len() * 2);
        }
        self.cells.push(cell);
    }

    /// The column's name.
    pub fn column(&self) -> &str {
        &self.column
    }

    /// A published text of a value: one of its spellings.
    pub fn value(&self, number: u32) -> &str {
        self.values.text(number)
    }

    /// The different values by their numbers.
    pub(crate) fn all_values(&self) -> &ColumnValues {
        &self.values
    }

    /// How many values differ from another one only in case or in blanks: they count as different, and may not be meant so.
    pub fn alike(&self) -> u64 {
        let mut folded: HashMap<String, u64> = HashMap::new();
        for value in 0..self.values.len() as u32 {
            let letters =
                self.value(value).chars().filter(|c| !c.is_whitespace()).flat_map(char::to_lowercase);
            *folded.entry(letters.collect()).or_default() += 1;
        }
        folded.values().filter(|&&values| values > 1).sum()
    }

    /// How many different values there are.
    pub fn values(&self) -> usize {
        self.values.len()
    }

    /// The counts, in no particular order; a group and value may come several times.
    pub(crate) fn all_cells(&self) -> &[HistogramCell] {
        &self.cells
    }

    /// Every cell once, ordered by group: `chunk_by` gives a histogram per group. The group `except`, where one
    /// is given, is left out.
    pub(crate) fn cells(&self, except: Option<u32>) -> Vec<HistogramCell> {
        let mut cells: Vec<_> =
            self.cells.iter().copied().filter(|cell| Some(cell.group) != except).collect();
        join(&mut cells);
        cells
    }
}

/// Orders cells by group and value and joins those that have both in common.
pub(crate) fn join(cells: &mut Vec<HistogramCell>) {
    // The rows of a group mostly come together, and the groups in the order of their numbers.
    if cells.is_sorted_by_key(|cell| cell.group) {
        cells
            .chunk_by_mut(|left, right| left.group == right.group)
            .for_each(<[HistogramCell]>::sort_unstable);
    } else {
        cells.sort_unstable();
    }
    cells.dedup_by(|next, kept| {
        let same = (next.group, next.value) == (kept.group, kept.value);
        if same {
            kept.rows += next.rows;
        }
        same
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn absorbing_translates_groups_and_values() {
        let (mut left, mut right) = (Histograms::new("disease"), Histograms::new("disease"));
        left.add(0, b"flu").unwrap();
        for (group, value) in [(0, "gout"), (0, "flu"), (1, "flu")] {
            right.add(group, value.as_bytes()).unwrap();
        }
        left.absorb(&right, &[1, 0]).unwrap();
        let named = |cell: &HistogramCell| (cell.group, left.value(cell.value).to_string(), cell.rows);
        let cells: Vec<_> = left.cells(None).iter().map(named).collect();
        let expected = [(0, "flu", 2), (1, "flu", 1), (1, "gout", 1)].map(|(g, v, n)| (g, v.to_string(), n));
        assert_eq!(cells, expected);
        assert_eq!(left.cells(Some(0)).len(), 2);
    }

    #[test]
    fn cells_are_joined_before_they_take_much_room() {
        let mut histograms = Histograms::new("disease");
        let rows = 50 * LEAST_ROOM as u64;
        for row in 0..rows {
            histograms.add((row % 7) as u32, &[b'a' + (row % 3) as u8]).unwrap();
        }
        assert!(histograms.cells.len() <= LEAST_ROOM);
        let cells = histograms.cells(None);
        assert_eq!(cells.len(), 21);
        assert_eq!(cells.iter().map(|cell| cell.rows).sum::<u64>(), rows);
    }

    #[test]
    fn values_that_differ_in_case_or_blanks_are_alike() {
        let mut histograms = Histograms::new("disease");
        for value in ["flu", "Flu", " FL U", "gout", "Gout ", "cold", "", "co1d"] {
            histograms.add(0, value.as_bytes()).unwrap();
        }
        assert_eq!(histograms.alike(), 5);
        assert_eq!(Histograms::new("disease").alike(), 0);
    }
}
