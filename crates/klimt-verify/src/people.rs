//! The people of a release: whom each of its rows is about. That is not published, so it is told beside the release, row by
//! row, as bytes that stand for a person: a pseudonym of a private file, or a number of the run that made the release.

use crate::histograms::{CodedCells, HistogramCell};
use crate::keys::Keys;
use klimt_core::statistics::Histogram;
use klimt_core::{Error, Result};
use std::collections::VecDeque;

/// The room for entries before those that are the same are joined.
const LEAST_ROOM: usize = 1 << 12;

/// The people of the rows of a tally.
#[derive(Clone, Debug, Default)]
pub(crate) struct People {
    /// Each person once.
    known: Keys,
    /// The people of rows that have not been counted yet; nothing for a row without a person.
    upcoming: VecDeque<Option<u32>>,
    /// The person of the row that is being counted.
    current: Option<u32>,
    /// Whether a row was counted whose person had not been told.
    lacking: bool,
    /// The groups of each person; an entry may come several times.
    groups: Entries<(u32, u32)>,
    /// For every sensitive column: group, person and value.
    values: Vec<Entries<(u32, u32, u32)>>,
}

/// Entries of which those that are the same are joined now and then.
#[derive(Clone, Debug)]
struct Entries<T> {
    entries: Vec<T>,
    room: usize,
}

impl<T> Default for Entries<T> {
    fn default() -> Self {
        Entries { entries: Vec::new(), room: LEAST_ROOM }
    }
}

impl<T: Ord + Copy> Entries<T> {
    fn push(&mut self, entry: T) {
        if self.entries.last() == Some(&entry) {
            return;
        }
        if self.entries.len() == self.room {
            self.entries.sort_unstable();
            self.entries.dedup();
            self.room = LEAST_ROOM.max(self.entries.len() * 2);
        }
        self.entries.push(entry);
    }

    /// Every entry once, ascending.
    fn sorted(&self) -> Vec<T> {
        let mut entries = self.entries.clone();
        entries.sort_unstable();
        entries.dedup();
        entries
    }
}

impl People {
    pub fn new(sensitive: usize) -> Self {
        People { values: vec![Entries::default(); sensitive], ..People::default() }
    }

    /// Tells whom the next rows are about, in their order; an empty text stands for nobody.
    pub fn expect<'p>(&mut self, people: impl IntoIterator<Item = &'p [u8]>) -> Option<()> {
        for person in people {
            let number = if person.is_empty() { None } else { Some(self.known.intern(person)?) };
            self.upcoming.push_back(number);
        }
        Some(())
    }

    /// Counts the next row, of a group.
    pub fn meet(&mut self, group: u32) {
        let Some(person) = self.upcoming.pop_front() else {
            self.lacking = true;
            return;
        };
        self.current = person;
        if let Some(person) = person {
            self.groups.push((group, person));
        }
    }

    /// Counts a value of that row.
    pub fn observe(&mut self, group: u32, column: usize, value: u32) {
        if let Some(person) = self.current {
            self.values[column].push((group, person, value));
        }
    }

    /// Takes in the people of other rows, whose groups and values have these numbers here.
    pub fn absorb(&mut self, other: &People, groups: &[u32], values: &[Vec<u32>]) -> Option<()> {
        let people: Option<Vec<u32>> =
            (0..other.known.len() as u32).map(|person| self.known.intern(other.known.get(person))).collect();
        let people = people?;
        for &(group, person) in &other.groups.entries {
            self.groups.push((groups[group as usize], people[person as usize]));
        }
        for (column, entries) in other.values.iter().enumerate() {
            for &(group, person, value) in &entries.entries {
                let value = values[column][value as usize];
                self.values[column].push((groups[group as usize], people[person as usize], value));
            }
        }
        self.lacking |= other.lacking || !other.upcoming.is_empty();
        Some(())
    }

    /// The people of one group alone, which gets the number 0; `values` are the numbers of values there.
    pub fn only(&self, group: u32, values: &[Vec<Option<u32>>]) -> Self {
        let mut one = People { known: self.known.clone(), ..People::new(self.values.len()) };
        let of_group = self.groups.entries.iter().filter(|entry| entry.0 == group);
        of_group.for_each(|&(_, person)| one.groups.push((0, person)));
        for (column, entries) in self.values.iter().enumerate() {
            for &(_, person, value) in entries.entries.iter().filter(|entry| entry.0 == group) {
                if let Some(value) = values[column][value as usize] {
                    one.values[column].push((0, person, value));
                }
            }
        }
        one
    }

    /// Fails unless whom every row is about was told, and no more.
    pub fn complete(&self) -> Result<()> {
        if self.lacking || !self.upcoming.is_empty() {
            return Err(Error::input(
                "the people of the rows are not those of this release: their numbers differ",
            )
            .with_help("give the file that was written together with the release"));
        }
        Ok(())
    }

    /// How many people were told.
    pub fn known(&self) -> u32 {
        self.known.len() as u32
    }

    /// How many people there are.
    pub fn people(&self) -> u64 {
        let mut seen = vec![false; self.known.len()];
        self.groups.entries.iter().for_each(|&(_, person)| seen[person as usize] = true);
        seen.iter().filter(|&&seen| seen).count() as u64
    }

    /// How many people each of so many groups has.
    pub fn of_groups(&self, groups: usize) -> Vec<u64> {
        let mut people = vec![0; groups];
        self.groups.sorted().iter().for_each(|&(group, _)| people[group as usize] += 1);
        people
    }

    /// The number of each person among all people of a release.
    pub fn numbers(&self, all: &mut Keys) -> Option<Vec<u32>> {
        (0..self.known.len() as u32).map(|person| all.intern(self.known.get(person))).collect()
    }

    /// The histograms of people, and of pairs of a person and a value for every sensitive column: the cells, group by group,
    /// and the code of each. `people` has the number of each person, and `columns` the code of each value and how many codes there are.
    pub fn histograms(
        &self,
        people: &[u32],
        columns: &[(&[u32], u32)],
        except: Option<u32>,
    ) -> Option<Vec<CodedCells>> {
        let groups = self.groups.sorted().into_iter().filter(|entry| Some(entry.0) != except);
        let cells = groups.map(|(group, value)| HistogramCell { group, value, rows: 1 });
        let mut found = vec![(cells.collect(), people.to_vec())];
        for (entries, &(codes, values)) in self.values.iter().zip(columns) {
            let mut pairs: Vec<(u32, u32)> = Vec::new();
            for &(group, person, value) in entries.entries.iter().filter(|entry| Some(entry.0) != except) {
                pairs.push((group, pair(people[person as usize], codes[value as usize], values)?));
            }
            pairs.sort_unstable();
            pairs.dedup();
            let cells =
                (0u32..).zip(&pairs).map(|(value, &(group, _))| HistogramCell { group, value, rows: 1 });
            found.push((cells.collect(), pairs.iter().map(|&(_, code)| code).collect()));
        }
        Some(found)
    }

    /// The pairs of a person and a value of a sensitive column over all groups, each once.
    pub fn pairs(&self, column: usize, people: &[u32], codes: &[u32], values: u32) -> Option<Histogram> {
        let entries = self.values[column].entries.iter();
        let pairs: Option<Vec<u32>> = entries
            .map(|&(_, person, value)| pair(people[person as usize], codes[value as usize], values))
            .collect();
        Some(Histogram::of_codes(&pairs?, usize::MAX))
    }
}

/// The code of a person and a value; `None` where there are too many.
fn pair(person: u32, code: u32, values: u32) -> Option<u32> {
    person.checked_mul(values)?.checked_add(code)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn people(rows: &[(&str, u32, u32)]) -> People {
        let mut people = People::new(1);
        people.expect(rows.iter().map(|(person, ..)| person.as_bytes())).unwrap();
        for &(_, group, value) in rows {
            people.meet(group);
            people.observe(group, 0, value);
        }
        people
    }

    #[test]
    fn people_are_counted_once_in_every_group() {
        let found = people(&[("a", 0, 0), ("b", 0, 1), ("a", 0, 1), ("", 1, 1), ("a", 1, 0), ("a", 1, 0)]);
        assert!(found.complete().is_ok());
        assert_eq!((found.people(), found.of_groups(2)), (2, vec![2, 1]));
        let columns = found.histograms(&[0, 1], &[(&[0, 1], 2)], None).unwrap();
        assert_eq!(columns[0].0.len(), 3);
        assert_eq!(columns[1].1, [0, 1, 3, 0], "group 0: a has both, b the second; group 1: a has the first");
    }

    #[test]
    fn too_few_and_too_many_people_are_told() {
        let mut found = people(&[("a", 0, 0)]);
        found.meet(0);
        assert!(found.complete().is_err());
        let mut found = people(&[("a", 0, 0)]);
        found.expect([&b"b"[..]]).unwrap();
        assert!(found.complete().is_err());
    }

    #[test]
    fn people_of_other_rows_are_the_same_people() {
        let mut left = people(&[("a", 0, 0), ("b", 1, 0)]);
        left.absorb(&people(&[("b", 0, 0), ("c", 0, 0)]), &[1], &[vec![1]]).unwrap();
        assert_eq!((left.people(), left.of_groups(2)), (3, vec![1, 2]));
    }
}
