//! The past of released people that their rows no longer hold: deleted rows, and sensitive values that have changed.
//!
//! A deleted row that was released leaves a *record*: the keyed hash of its key, its history, and, where more than sizes is
//! required, the sensitive values that were released. A row that comes back under the same key gets the history again, and
//! later releases are compared with earlier ones without the row (`leavers.rs`). A row that is updated leaves the sensitive
//! values that earlier releases have of it. Rows that no release has had leave nothing.
//!
//! Records are appended in chunks; the last record of a key counts. Compaction writes them as one chunk.

use crate::bytes::{ByteReader, ByteWriter, damaged};
use crate::secret::Key;
use crate::vault::{Change, ValueName, ValueSource};
use hashbrown::HashMap;
use klimt_core::Result;

/// Values of the sensitive columns, as they stand in the vault.
pub(crate) type SensitiveNumbers = Vec<u32>;

/// A record of a key.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct PastPerson {
    /// The history of somebody who has left; 0 for a row that is in the store.
    pub mark: u32,
    /// Sensitive values that have changed, each with the last release that may have them, ascending.
    values: Vec<(u32, SensitiveNumbers)>,
}

impl PastPerson {
    /// The sensitive values in a release, where they are not those of the row as it is now.
    pub fn values_at(&self, release: u32) -> Option<&[u32]> {
        self.values.iter().find(|(until, _)| *until >= release).map(|(_, values)| &values[..])
    }

    /// Remembers values that every release up to this one has, unless others are known to be the ones it has.
    fn remember(&mut self, until: u32, values: SensitiveNumbers) {
        if self.values.last().is_none_or(|(last, _)| *last < until) {
            self.values.push((until, values));
        }
    }

    fn is_empty(&self) -> bool {
        self.mark == 0 && self.values.is_empty()
    }
}

/// The chunks of records in the vault: the number of the first, and that of the next one to be written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Chunks {
    pub first: u32,
    pub next: u32,
}

/// All records, by key.
#[derive(Debug, Default)]
pub(crate) struct Past {
    people: HashMap<Key, PastPerson>,
    /// The keys whose records have changed.
    changed: Vec<Key>,
}

impl Past {
    /// Reads all records.
    pub fn load(chunks: Chunks, values: &dyn ValueSource) -> Result<Self> {
        let mut people = HashMap::new();
        for chunk in chunks.first..chunks.next {
            let bytes = values.get(ValueName::past(chunk))?;
            let mut reader = ByteReader::new(&bytes);
            for _ in 0..reader.word()? {
                let key: Key = reader.take(16)?.try_into().map_err(|_| damaged())?;
                let mut person = PastPerson { mark: reader.word()?, values: Vec::new() };
                for _ in 0..reader.word()? {
                    let (until, len) = (reader.word()?, reader.word()? as usize);
                    person.values.push((until, reader.words(len)?));
                }
                match person.is_empty() {
                    true => people.remove(&key),
                    false => people.insert(key, person),
                };
            }
            reader.end()?;
        }
        Ok(Past { people, changed: Vec::new() })
    }

    /// The record of a key.
    pub fn of(&self, key: &Key) -> Option<&PastPerson> {
        self.people.get(key)
    }

    /// Those who have left, in the order of their keys.
    pub fn departed(&self) -> Vec<&PastPerson> {
        let mut departed: Vec<(&Key, &PastPerson)> =
            self.people.iter().filter(|(_, person)| person.mark != 0).collect();
        departed.sort_unstable_by_key(|(key, _)| **key);
        departed.into_iter().map(|(_, person)| person).collect()
    }

    /// How many have left.
    pub fn departed_count(&self) -> u64 {
        self.people.values().filter(|person| person.mark != 0).count() as u64
    }

    /// Whether there are records of rows that are in the store.
    pub fn has_changed_rows(&self) -> bool {
        self.people.values().any(|person| person.mark == 0 && !person.values.is_empty())
    }

    /// A released row is gone, or is replaced where no mark is given; releases up to this one have its values, where these
    /// matter.
    pub fn leave(&mut self, key: Key, mark: u32, until: u32, values: Option<SensitiveNumbers>) {
        let person = self.people.entry(key).or_default();
        person.mark = mark;
        if let Some(values) = values {
            person.remember(until, values);
        }
        self.changed.push(key);
    }

    /// Somebody has come back: the history to go on with, 0 where the key is new.
    pub fn come_back(&mut self, key: &Key) -> u32 {
        let Some(person) = self.people.get_mut(key).filter(|person| person.mark != 0) else { return 0 };
        self.changed.push(*key);
        std::mem::take(&mut person.mark)
    }

    /// Writes the records that have changed.
    pub fn save(&mut self, chunks: &mut Chunks, change: &mut Change<'_>) -> Result<()> {
        let mut keys = std::mem::take(&mut self.changed);
        keys.sort_unstable();
        keys.dedup();
        self.write(&keys, chunks, change)
    }

    /// Writes all records as one chunk in place of all others.
    pub fn rewrite(mut self, chunks: &mut Chunks, change: &mut Change<'_>) -> Result<()> {
        (chunks.first..chunks.next).try_for_each(|chunk| change.remove(ValueName::past(chunk)))?;
        chunks.first = chunks.next;
        self.people.retain(|_, person| !person.is_empty());
        let mut keys: Vec<Key> = self.people.keys().copied().collect();
        keys.sort_unstable();
        self.write(&keys, chunks, change)
    }

    fn write(&self, keys: &[Key], chunks: &mut Chunks, change: &mut Change<'_>) -> Result<()> {
        if keys.is_empty() {
            return Ok(());
        }
        let (mut writer, nobody) = (ByteWriter::default(), PastPerson::default());
        writer.word(keys.len() as u32);
        for key in keys {
            let person = self.people.get(key).unwrap_or(&nobody);
            writer.bytes.extend_from_slice(key);
            [person.mark, person.values.len() as u32].into_iter().for_each(|word| writer.word(word));
            for (until, values) in &person.values {
                [*until, values.len() as u32].into_iter().for_each(|word| writer.word(word));
                writer.words(values);
            }
        }
        change.set(ValueName::past(chunks.next), &writer.bytes)?;
        chunks.next += 1;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_those_of_the_release() {
        let mut past = Past::default();
        let key = [7; 16];
        past.leave(key, 0, 1, Some(vec![10]));
        // A second change before the next release: the first one has what release 1 has.
        past.leave(key, 0, 1, Some(vec![11]));
        past.leave(key, 5, 3, Some(vec![12]));
        let person = past.of(&key).unwrap();
        assert_eq!(
            (1..=4).map(|release| person.values_at(release)).collect::<Vec<_>>(),
            [Some(&[10][..]), Some(&[12]), Some(&[12]), None]
        );
        assert_eq!((past.departed_count(), past.has_changed_rows()), (1, false));
        assert_eq!((past.come_back(&key), past.come_back(&key), past.come_back(&[8; 16])), (5, 0, 0));
        assert_eq!((past.departed_count(), past.has_changed_rows()), (0, true));
    }
}
