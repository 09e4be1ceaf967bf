//! Releases whose rows are linked.

use super::releases::KeyedRelease;
use crate::claims::ValueCounts;

/// The rows of all releases by key, with their group and values in each release in which they appear.
///
/// The entries of a row in its releases lie together, newest first; memory grows with the rows that exist,
/// however many releases a row is missing from.
pub(super) struct LinkedRows {
    rows: Vec<LinkedRow>,
    /// The entries: a group, and then a value for each sensitive column.
    entries: Vec<u32>,
    /// How long an entry is.
    width: usize,
    /// The releases, newest first.
    pub files: Vec<File>,
}

/// Where a row appears.
struct LinkedRow {
    /// The releases, as bits; the newest is the lowest.
    mask: u64,
    /// Its first entry.
    first: usize,
}

/// A release by its groups.
pub(super) struct File {
    /// The name for reports.
    pub name: String,
    /// Where each group begins in `members`, and the end.
    pub starts: Vec<usize>,
    /// The rows, group by group.
    pub members: Vec<u32>,
    /// The values of each sensitive column.
    pub counts: Vec<ValueCounts>,
}

impl File {
    /// How many groups there are.
    pub fn groups(&self) -> usize {
        self.starts.len() - 1
    }

    /// The rows of a group.
    pub fn rows_of(&self, group: u32) -> &[u32] {
        &self.members[self.starts[group as usize]..self.starts[group as usize + 1]]
    }
}

impl LinkedRows {
    pub fn new(masks: Vec<u64>, read: Vec<KeyedRelease>) -> Self {
        let mut count = 0;
        let place = |mask: u64| {
            let first = count;
            count += mask.count_ones() as usize;
            LinkedRow { mask, first }
        };
        let rows = masks.into_iter().map(place).collect();
        let width = 1 + read.first().map_or(0, |read| read.values.len());
        let files = Vec::with_capacity(read.len());
        let mut linked = LinkedRows { rows, entries: vec![0; count * width], width, files };
        for (file, mut read) in read.into_iter().enumerate() {
            let values = std::mem::take(&mut read.values);
            for (number, (&row, &group)) in read.keys.iter().zip(&read.groups).enumerate() {
                let entry = linked.entry(row, file);
                linked.entries[entry] = group;
                for (into, values) in linked.entries[entry + 1..].iter_mut().zip(&values) {
                    *into = values[number];
                }
            }
            linked.files.push(read.into_file());
        }
        linked
    }

    /// The rows that appear in two or more releases; those that appear in the same ones lie together.
    pub fn by_releases(&self) -> Vec<u32> {
        let mut order: Vec<u32> =
            (0..self.rows.len() as u32).filter(|&row| self.mask(row).count_ones() > 1).collect();
        order.sort_unstable_by_key(|&row| (self.mask(row), row));
        order
    }

    /// The releases of a row.
    #[inline]
    pub fn mask(&self, row: u32) -> u64 {
        self.rows[row as usize].mask
    }

    /// The group of a row in a release in which it appears.
    #[inline]
    pub fn group(&self, row: u32, file: usize) -> u32 {
        self.entries[self.entry(row, file)]
    }

    /// The value of a row's sensitive column in a release in which it appears.
    pub fn value(&self, row: u32, file: usize, column: usize) -> u32 {
        self.entries[self.entry(row, file) + 1 + column]
    }

    #[inline]
    fn entry(&self, row: u32, file: usize) -> usize {
        let LinkedRow { mask, first } = self.rows[row as usize];
        let newer = mask & ((1 << file) - 1);
        (first + newer.count_ones() as usize) * self.width
    }
}

/// The releases of a mask, newest first.
pub(super) fn files(mask: u64) -> impl Iterator<Item = usize> {
    (0..u64::BITS as usize).filter(move |file| mask >> file & 1 == 1)
}
