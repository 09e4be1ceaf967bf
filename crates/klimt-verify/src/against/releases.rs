//! Reading releases: the group and the sensitive values of every row, by key.

use super::linked::{File, LinkedRows};
use crate::{
    Comparison,
    claims::ValueCounts,
    keys::Keys,
    tally::{push_value, too_many},
};
use hashbrown::{HashMap, hash_map::Entry};
use klimt_core::{Error, Result};

/// The most releases that can be compared: a row's releases are the bits of a word.
pub const MOST_RELEASES: usize = 64;

/// Releases of one table whose rows are linked by key, newest first.
///
/// A key is known by its digest only. Its text is neither kept nor told.
pub struct Releases {
    quasi_identifiers: usize,
    sensitive: Vec<String>,
    /// How the values of the sensitive columns are compared.
    comparisons: Vec<Comparison>,
    /// The number of each key, by its digest.
    numbers: HashMap<u128, u32>,
    /// The releases of each key, by its number.
    masks: Vec<u64>,
    read: Vec<KeyedRelease>,
    scratch: Vec<u8>,
}

/// A release as it was read, row by row.
pub(super) struct KeyedRelease {
    name: String,
    tuples: Keys,
    /// The tuple of the last row: releases are mostly ordered by group.
    last: Vec<u8>,
    /// The number of each row's key.
    pub keys: Vec<u32>,
    /// Each row's group.
    pub groups: Vec<u32>,
    /// Each row's value of each sensitive column.
    pub values: Vec<Vec<u32>>,
    counts: Vec<ValueCounts>,
}

impl Releases {
    /// No releases, of tables with these quasi-identifiers and sensitive columns.
    pub fn new<S: AsRef<str>>(quasi_identifiers: &[S], sensitive: &[S]) -> Self {
        Releases {
            quasi_identifiers: quasi_identifiers.len(),
            sensitive: sensitive.iter().map(|name| name.as_ref().to_string()).collect(),
            comparisons: vec![Comparison::Value; sensitive.len()],
            numbers: HashMap::new(),
            masks: Vec::new(),
            read: Vec::new(),
            scratch: Vec::new(),
        }
    }

    /// Compares the values of sensitive columns so, by name; the others are compared by value.
    pub fn with_comparisons(mut self, comparison: impl Fn(&str) -> Comparison) -> Self {
        self.comparisons = self.sensitive.iter().map(|column| comparison(column)).collect();
        self
    }

    /// Begins the next release: the newest comes first. The name is for reports.
    pub fn begin(&mut self, name: &str) -> Result<()> {
        if self.read.len() == MOST_RELEASES {
            return Err(Error::input(format!("more than {MOST_RELEASES} releases are to be compared"))
                .with_help("leave out the oldest"));
        }
        let columns = self.sensitive.iter().zip(&self.comparisons);
        let counts =
            columns.map(|(name, comparison)| ValueCounts::compared(name, comparison.clone())).collect();
        self.read.push(KeyedRelease {
            name: name.to_string(),
            tuples: Keys::default(),
            last: Vec::new(),
            keys: Vec::new(),
            groups: Vec::new(),
            values: vec![Vec::new(); self.sensitive.len()],
            counts,
        });
        Ok(())
    }

    /// Takes in a row of the release that was begun last: a digest of its key, whose collisions can be neglected, and
    /// the published values of its quasi-identifiers and sensitive columns, in the order of their names.
    ///
    /// Where the release had a row with the same key before, that row's number is returned, counted from 1; such a
    /// release cannot be linked.
    pub fn add(&mut self, key: u128, values: &[&str], sensitive: &[&str]) -> Result<Option<u64>> {
        let columns = (self.quasi_identifiers, self.sensitive.len());
        let number = self.read.len().wrapping_sub(1);
        let Some(read) = self.read.last_mut().filter(|_| (values.len(), sensitive.len()) == columns) else {
            return Err(Error::internal("a row to be linked has no release, or other columns than it"));
        };
        let key = match self.numbers.entry(key) {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(new) => {
                let key = u32::try_from(self.masks.len()).map_err(|_| too_many())?;
                self.masks.push(0);
                *new.insert(key)
            }
        };
        let (mask, bit) = (&mut self.masks[key as usize], 1 << number);
        if *mask & bit != 0 {
            return Ok(read.keys.iter().position(|&other| other == key).map(|row| row as u64 + 1));
        }
        *mask |= bit;
        self.scratch.clear();
        values.iter().for_each(|value| push_value(&mut self.scratch, value));
        read.keys.push(key);
        let group = match read.groups.last() {
            Some(&group) if read.last == self.scratch => group,
            _ => read.tuples.intern(&self.scratch).ok_or_else(too_many)?,
        };
        read.groups.push(group);
        std::mem::swap(&mut read.last, &mut self.scratch);
        for ((column, counts), value) in read.values.iter_mut().zip(&mut read.counts).zip(sensitive) {
            column.push(counts.number(value.as_bytes(), 1)?);
        }
        Ok(None)
    }

    /// The names of the sensitive columns.
    pub(super) fn sensitive(&self) -> &[String] {
        &self.sensitive
    }

    /// Links the rows.
    pub(super) fn link(self) -> LinkedRows {
        let Releases { masks, read, .. } = self;
        LinkedRows::new(masks, read)
    }
}

impl KeyedRelease {
    /// The release without its rows, and with the rows of each of its groups.
    pub fn into_file(self) -> File {
        let mut starts = vec![0usize; self.tuples.len() + 1];
        self.groups.iter().for_each(|&group| starts[group as usize + 1] += 1);
        for group in 1..starts.len() {
            starts[group] += starts[group - 1];
        }
        let mut next = starts.clone();
        let mut members = vec![0; self.keys.len()];
        for (&key, &group) in self.keys.iter().zip(&self.groups) {
            members[next[group as usize]] = key;
            next[group as usize] += 1;
        }
        File { name: self.name, starts, members, counts: self.counts }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_that_comes_again_is_told_by_its_first_row() {
        let mut releases = Releases::new(&["age"], &["disease"]);
        releases.begin("new").unwrap();
        assert_eq!(releases.add(7, &["1"], &["flu"]).unwrap(), None);
        assert_eq!(releases.add(8, &["1"], &["flu"]).unwrap(), None);
        assert_eq!(releases.add(8, &["2"], &["flu"]).unwrap(), Some(2));
        releases.begin("old").unwrap();
        assert_eq!(releases.add(8, &["1"], &["flu"]).unwrap(), None);
        assert_eq!(releases.add(8, &["1"], &["flu"]).unwrap(), Some(1));
    }

    #[test]
    fn rows_need_a_release_and_its_columns() {
        let mut releases = Releases::new(&["age"], &["disease"]);
        assert!(releases.add(1, &["1"], &["flu"]).is_err());
        releases.begin("new").unwrap();
        assert!(releases.add(1, &[], &["flu"]).is_err());
        assert!(releases.add(1, &["1"], &[]).is_err());
    }

    #[test]
    fn there_are_no_more_releases_than_bits() {
        let mut releases = Releases::new::<&str>(&[], &[]);
        (0..MOST_RELEASES).for_each(|_| releases.begin("one").unwrap());
        releases.add(1, &[], &[]).unwrap();
        assert_eq!(releases.begin("another").unwrap_err().kind(), klimt_core::ErrorKind::Input);
    }

    #[test]
    fn groups_know_their_rows() {
        let mut releases = Releases::new(&["age"], &[]);
        releases.begin("new").unwrap();
        for (key, age) in [(10, "a"), (11, "b"), (12, "a"), (13, "c"), (14, "b")] {
            releases.add(key, &[age], &[]).unwrap();
        }
        let linked = releases.link();
        let groups: Vec<&[u32]> = (0..3).map(|group| linked.files[0].rows_of(group)).collect();
        assert_eq!(groups, [&[0, 2][..], &[1, 4], &[3]]);
    }
}
