//! The exact number of rows of every published tuple.

use crate::{
    Comparison,
    histograms::{HistogramCell, Histograms},
    keys::Keys,
    people::People,
};
use klimt_core::{Error, Result};

/// Ends every value of a key. No valid UTF-8 text holds this byte, so a key stands for one tuple only.
pub(crate) const END: u8 = 0xFF;

/// The published text of a suppressed or fully generalised value.
pub(crate) const ANY: &str = "*";

/// Counts the rows of every distinct tuple of quasi-identifier values of a release, and, where sensitive columns
/// are asked for, how often each of their values occurs with each tuple.
///
/// Quasi-identifiers are compared as published text, byte by byte, and sensitive values by [`Comparison`]. A missing value
/// is an empty text: a value like any other. Tallies form a commutative monoid under [`Tally::merge`]: whatever is measured
/// of a merged tally is the same in whichever order its parts were counted and merged.
#[derive(Clone, Debug)]
pub struct Tally {
    quasi_identifiers: Vec<String>,
    keys: Keys,
    /// The rows of each tuple, by the number of its key.
    rows: Vec<u64>,
    sensitive: Vec<Histograms>,
    /// Whether rows that are `*` in every quasi-identifier are suppressed rows, and no group.
    stars_suppressed: bool,
    /// Whom rows are about, where that is told.
    people: Option<People>,
    scratch: Vec<u8>,
}

/// A group of a release: the rows with one published tuple.
#[derive(Clone, Copy, Debug)]
pub struct Group<'a> {
    number: u32,
    key: &'a [u8],
    rows: u64,
}

impl<'a> Group<'a> {
    /// A number of rows without a common published tuple: a set that several releases single out.
    pub(crate) fn set(number: u32, rows: u64) -> Self {
        Group { number, key: &[], rows }
    }

    /// The group's number in its tally, as in [`HistogramCell::group`].
    pub fn number(&self) -> u32 {
        self.number
    }

    /// How many rows the group has.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// The published values, one per quasi-identifier.
    pub fn values(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        self.key.split_inclusive(|&byte| byte == END).map(|field| {
            std::str::from_utf8(&field[..field.len() - 1]).expect("keys are made of valid texts and ends")
        })
    }
}

impl Tally {
    /// An empty tally of tuples with these quasi-identifiers, and of these sensitive columns.
    pub fn new<S: AsRef<str>>(quasi_identifiers: &[S], sensitive: &[S]) -> Self {
        Tally {
            quasi_identifiers: quasi_identifiers.iter().map(|name| name.as_ref().to_string()).collect(),
            keys: Keys::default(),
            rows: Vec::new(),
            sensitive: sensitive.iter().map(|name| Histograms::new(name.as_ref())).collect(),
            stars_suppressed: false,
            people: None,
            scratch: Vec::new(),
        }
    }

    /// Reads rows that are published as `*` in every quasi-identifier as suppressed ones, as some tools publish them,
    /// unless the whole release is published so; then its rows are one group. klimt leaves suppressed rows out of a
    /// release, so that such rows are a group like any other unless this is requested.
    pub fn with_suppressed_stars(self, suppressed: bool) -> Self {
        Tally { stars_suppressed: suppressed, ..self }
    }

    /// Compares the values of columns so, by name; the others are compared by value. Nothing may have been counted.
    pub fn with_comparisons(mut self, comparison: impl Fn(&str) -> Comparison) -> Self {
        self.sensitive =
            self.sensitive.iter().map(|column| column.compared(comparison(column.column()))).collect();
        self
    }

    /// Counts people too: [`Tally::expect`] must tell whom rows are about before they are counted.
    pub fn with_people(self) -> Self {
        Tally { people: Some(People::new(self.sensitive.len())), ..self }
    }

    /// Tells whom the next rows are about, in their order, by texts that stand for a person; an empty one stands for nobody.
    pub fn expect<'p>(&mut self, people: impl IntoIterator<Item = &'p [u8]>) -> Result<()> {
        let known = self.people.as_mut().ok_or_else(|| Error::internal("a tally does not count people"))?;
        known.expect(people).ok_or_else(too_many)
    }

    /// The people, where they are counted.
    pub(crate) fn people(&self) -> Option<&People> {
        self.people.as_ref()
    }

    /// How many people each group has, by its number, where people are counted. Fails unless whom every row is about was told.
    pub fn people_of_groups(&self) -> Result<Option<Vec<u64>>> {
        let Some(people) = &self.people else { return Ok(None) };
        people.complete()?;
        Ok(Some(people.of_groups(self.rows.len())))
    }

    /// The names of the quasi-identifiers, in the order of the values of a tuple.
    pub fn quasi_identifiers(&self) -> &[String] {
        &self.quasi_identifiers
    }

    /// The histograms of the sensitive columns.
    pub fn sensitive(&self) -> &[Histograms] {
        &self.sensitive
    }

    /// Counts one row: the published values of its quasi-identifiers and of its sensitive columns, each in the
    /// order of their names. What a CSV release gives to [`crate::csv::scan`], a reader of another format gives
    /// here row by row, with the same result.
    pub fn add(&mut self, values: &[&str], sensitive: &[&str]) -> Result<()> {
        if values.len() != self.quasi_identifiers.len() || sensitive.len() != self.sensitive.len() {
            return Err(Error::internal(
                "a row to be verified has another number of values than there are columns",
            ));
        }
        let mut key = std::mem::take(&mut self.scratch);
        key.clear();
        values.iter().for_each(|value| push_value(&mut key, value));
        let group = self.group(&key);
        self.scratch = key;
        let group = group.ok_or_else(too_many)?;
        self.count(group, 1);
        self.meet(group);
        for (column, value) in sensitive.iter().enumerate() {
            self.observe(group, column, value.as_bytes()).ok_or_else(too_many)?;
        }
        Ok(())
    }

    /// The number of the group with this key, in which [`END`] follows every value; `None` when there are too many.
    pub(crate) fn group(&mut self, key: &[u8]) -> Option<u32> {
        let group = self.keys.intern(key)?;
        if self.rows.len() < self.keys.len() {
            self.rows.push(0);
        }
        Some(group)
    }

    /// Counts rows of a group.
    pub(crate) fn count(&mut self, group: u32, rows: u64) {
        self.rows[group as usize] += rows;
    }

    /// Counts the person of the next row, which is one of this group.
    #[inline]
    pub(crate) fn meet(&mut self, group: u32) {
        if let Some(people) = &mut self.people {
            people.meet(group);
        }
    }

    /// Counts one value of a sensitive column in a group; `None` when the column has too many values.
    pub(crate) fn observe(&mut self, group: u32, column: usize, value: &[u8]) -> Option<()> {
        let value = self.sensitive[column].add(group, value)?;
        if let Some(people) = &mut self.people {
            people.observe(group, column, value);
        }
        Some(())
    }

    /// Both tallies' rows in one. They must count the same columns.
    pub fn merge(self, other: Tally) -> Result<Tally> {
        let columns =
            |tally: &Tally| tally.sensitive.iter().map(|h| h.column().to_string()).collect::<Vec<_>>();
        if self.quasi_identifiers != other.quasi_identifiers || columns(&self) != columns(&other) {
            return Err(Error::internal("two tallies of different columns cannot be merged"));
        }
        let (mut large, small) =
            if self.keys.len() >= other.keys.len() { (self, other) } else { (other, self) };
        let mut groups = Vec::with_capacity(small.keys.len());
        for (number, &rows) in (0u32..).zip(&small.rows) {
            let group = large.group(small.keys.get(number)).ok_or_else(too_many)?;
            large.count(group, rows);
            groups.push(group);
        }
        let mut values = Vec::with_capacity(small.sensitive.len());
        for (into, from) in large.sensitive.iter_mut().zip(&small.sensitive) {
            values.push(into.absorb(from, &groups).ok_or_else(too_many)?);
        }
        match (&mut large.people, &small.people) {
            (Some(into), Some(from)) => into.absorb(from, &groups, &values).ok_or_else(too_many)?,
            (None, None) => {}
            _ => return Err(Error::internal("two tallies are merged of which one counts people")),
        }
        Ok(large)
    }

    /// The rows of one tuple alone.
    pub(crate) fn only(&self, number: u32) -> Result<Tally> {
        let columns: Vec<String> = self.sensitive.iter().map(|column| column.column().to_string()).collect();
        let mut one = Tally::new(&self.quasi_identifiers, &columns);
        one.sensitive =
            self.sensitive.iter().map(|from| from.compared(from.all_values().comparison().clone())).collect();
        let group = one.group(self.keys.get(number)).ok_or_else(too_many)?;
        one.count(group, self.rows[number as usize]);
        for (into, from) in one.sensitive.iter_mut().zip(&self.sensitive) {
            for cell in from.all_cells().iter().filter(|cell| cell.group == number) {
                into.add_rows(group, from.value(cell.value).as_bytes(), cell.rows).ok_or_else(too_many)?;
            }
        }
        one.people = self.people.as_ref().map(|people| {
            let value = |from: &Histograms, into: &Histograms, value: u32| {
                into.all_values().find(from.value(value).as_bytes())
            };
            let columns = self.sensitive.iter().zip(&one.sensitive);
            let values =
                columns.map(|(from, into)| (0..from.values() as u32).map(|v| value(from, into, v)).collect());
            people.only(number, &values.collect::<Vec<_>>())
        });
        Ok(one)
    }

    /// All rows of the release.
    pub fn rows(&self) -> u64 {
        self.rows.iter().sum()
    }

    /// The suppressed rows among those of the release: none, unless rows of stars are read as such.
    pub fn suppressed(&self) -> u64 {
        self.suppressed_group().map_or(0, |group| self.rows[group as usize])
    }

    /// The groups, in no particular order. Suppressed rows are not a group.
    pub fn groups(&self) -> impl Iterator<Item = Group<'_>> {
        let suppressed = self.suppressed_group();
        self.tuples().filter(move |group| Some(group.number) != suppressed)
    }

    /// Every published tuple with its rows, that of the suppressed rows included, in no particular order.
    pub(crate) fn tuples(&self) -> impl Iterator<Item = Group<'_>> {
        (0u32..).zip(&self.rows).map(|(number, &rows)| Group { number, key: self.keys.get(number), rows })
    }

    /// The cells of a sensitive column's histograms, ordered by group, suppressed rows left out.
    pub fn cells(&self, histograms: &Histograms) -> Vec<HistogramCell> {
        histograms.cells(self.suppressed_group())
    }

    /// The number of the tuple of suppressed rows.
    pub(crate) fn suppressed_group(&self) -> Option<u32> {
        self.stars().filter(|_| self.stars_suppressed && self.keys.len() > 1)
    }

    /// The number of the tuple whose every value is published as `*`.
    pub(crate) fn stars(&self) -> Option<u32> {
        let mut key = Vec::new();
        self.quasi_identifiers.iter().for_each(|_| push_value(&mut key, ANY));
        self.keys.find(&key)
    }
}

pub(crate) fn push_value(key: &mut Vec<u8>, value: &str) {
    key.extend_from_slice(value.as_bytes());
    key.push(END);
}

/// The error for more than 2³² groups or values.
pub(crate) fn too_many() -> Error {
    Error::resource("the release has more than 4294967296 distinct groups or sensitive values to verify")
        .with_help("verify it in parts, or with fewer quasi-identifiers or sensitive columns")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tally(rows: &[[&str; 2]]) -> Tally {
        let mut tally = Tally::new(&["age", "sex"], &[]);
        rows.iter().for_each(|row| tally.add(row, &[]).unwrap());
        tally
    }

    fn sizes(tally: &Tally) -> Vec<u64> {
        let mut sizes: Vec<_> = tally.groups().map(|group| group.rows()).collect();
        sizes.sort_unstable();
        sizes
    }

    #[test]
    fn nothing_is_suppressed_in_an_empty_release() {
        let empty = tally(&[]);
        assert_eq!((empty.rows(), empty.suppressed(), sizes(&empty)), (0, 0, vec![]));
    }

    #[test]
    fn rows_of_stars_are_a_group_like_any_other() {
        let some = tally(&[["*", "*"], ["1", "f"], ["*", "*"], ["1", "f"], ["1", "f"]]);
        assert_eq!((some.rows(), some.suppressed(), sizes(&some)), (5, 0, vec![2, 3]));
        let all = tally(&[["*", "*"], ["*", "*"]]);
        assert_eq!((all.rows(), all.suppressed(), sizes(&all)), (2, 0, vec![2]));
    }

    #[test]
    fn rows_of_stars_are_suppressed_where_that_is_asked_for() {
        let some = tally(&[["*", "*"], ["1", "f"], ["*", "*"], ["1", "f"]]).with_suppressed_stars(true);
        assert_eq!((some.rows(), some.suppressed(), sizes(&some)), (4, 2, vec![2]));
        let all = tally(&[["*", "*"], ["*", "*"]]).with_suppressed_stars(true);
        assert_eq!((all.suppressed(), sizes(&all)), (0, vec![2]), "nothing else is published");
        let near = tally(&[["*", "*"], ["* ", "*"], ["**", "*"], ["*", "f"]]).with_suppressed_stars(true);
        assert_eq!((near.suppressed(), sizes(&near)), (1, vec![1, 1, 1]));
    }

    #[test]
    fn missing_values_are_values() {
        let some = tally(&[["", ""], ["", ""], ["", "f"]]);
        assert_eq!((some.suppressed(), sizes(&some)), (0, vec![1, 2]));
        let values: Vec<Vec<_>> = some.groups().map(|group| group.values().collect()).collect();
        assert_eq!(values, [["", ""], ["", "f"]]);
    }

    #[test]
    fn values_do_not_run_into_each_other() {
        assert_eq!(sizes(&tally(&[["ab", "c"], ["a", "bc"], ["", "abc"]])), [1, 1, 1]);
    }

    #[test]
    fn tallies_of_other_columns_do_not_merge() {
        let other = Tally::new(&["age"], &[]);
        assert_eq!(tally(&[]).merge(other).unwrap_err().kind(), klimt_core::ErrorKind::Internal);
        assert!(tally(&[]).add(&["1"], &[]).is_err());
        assert!(tally(&[]).add(&["1", "f"], &["flu"]).is_err());
    }

    #[test]
    fn without_quasi_identifiers_all_rows_are_one_group() {
        let mut none = Tally::new::<&str>(&[], &[]);
        none.add(&[], &[]).unwrap();
        none.add(&[], &[]).unwrap();
        assert_eq!((none.suppressed(), sizes(&none)), (0, vec![2]));
    }
}
