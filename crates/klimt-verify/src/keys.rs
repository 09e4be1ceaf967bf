//! An exact dictionary of byte strings: equal bytes get the same number, different bytes never do.

use hashbrown::{DefaultHashBuilder, HashTable, hash_table::Entry};
use std::hash::BuildHasher;

/// Numbers byte strings in the order in which they first come.
///
/// A number is given out again only after the bytes themselves were compared, so that two strings whose hashes
/// agree can never be counted as one. All strings lie in one buffer.
#[derive(Clone, Debug, Default)]
pub(crate) struct Keys {
    bytes: Vec<u8>,
    /// Where each string ends in `bytes`; it starts where its predecessor ends.
    ends: Vec<usize>,
    slots: HashTable<StringSlot>,
    hasher: DefaultHashBuilder,
}

/// A string's number, with as much of its hash as growing the table takes: it spares the table from reading the
/// strings again.
#[derive(Clone, Copy, Debug)]
struct StringSlot {
    hash: u32,
    number: u32,
}

impl Keys {
    /// The number of `key`; `None` when all 2³² numbers are given out.
    pub(crate) fn intern(&mut self, key: &[u8]) -> Option<u32> {
        let hash = self.hasher.hash_one(key) as u32;
        let Keys { bytes, ends, slots, .. } = self;
        let same = |slot: &StringSlot| slot.hash == hash && &bytes[range(ends, slot.number)] == key;
        match slots.entry(spread(hash), same, |slot| spread(slot.hash)) {
            Entry::Occupied(entry) => Some(entry.get().number),
            Entry::Vacant(entry) => {
                let number = u32::try_from(ends.len()).ok()?;
                entry.insert(StringSlot { hash, number });
                bytes.extend_from_slice(key);
                ends.push(bytes.len());
                Some(number)
            }
        }
    }

    /// The number of `key`, if it has one.
    pub(crate) fn find(&self, key: &[u8]) -> Option<u32> {
        let hash = self.hasher.hash_one(key) as u32;
        let same = |slot: &StringSlot| slot.hash == hash && self.get(slot.number) == key;
        self.slots.find(spread(hash), same).map(|slot| slot.number)
    }

    /// The string with this number.
    pub(crate) fn get(&self, number: u32) -> &[u8] {
        &self.bytes[range(&self.ends, number)]
    }

    /// The string with this number, which was interned as text.
    pub(crate) fn text(&self, number: u32) -> &str {
        std::str::from_utf8(self.get(number)).expect("values come from valid text")
    }

    /// How many strings have a number.
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }
}

/// Where the string with this number lies.
fn range(ends: &[usize], number: u32) -> std::ops::Range<usize> {
    let number = number as usize;
    let start = if number == 0 { 0 } else { ends[number - 1] };
    start..ends[number]
}

/// Makes 64 bits of 32 such that the low bits (the table's position) and the high ones (its tag) both depend on
/// all of them.
fn spread(hash: u32) -> u64 {
    let product = u64::from(hash).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    product ^ (product >> 32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_bytes_share_a_number_and_others_do_not() {
        let mut keys = Keys::default();
        let numbers: Vec<_> =
            ["a", "", "b", "a", "", "ab"].iter().map(|key| keys.intern(key.as_bytes()).unwrap()).collect();
        assert_eq!(numbers, [0, 1, 2, 0, 1, 3]);
        assert_eq!(keys.len(), 4);
        assert_eq!(keys.get(1), b"");
        assert_eq!(keys.get(3), b"ab");
        assert_eq!(keys.find(b"b"), Some(2));
        assert_eq!(keys.find(b"c"), None);
    }

    #[test]
    fn numbers_survive_growth_and_equal_short_hashes() {
        // 300 000 strings have about ten pairs with the same 32 bits of hash.
        let mut keys = Keys::default();
        for round in 0..2 {
            for i in 0..300_000u32 {
                assert_eq!(keys.intern(&i.to_le_bytes()), Some(i), "round {round}");
            }
        }
        assert_eq!(keys.len(), 300_000);
        assert!((0..300_000u32).all(|i| keys.get(i) == i.to_le_bytes()));
        assert!((0..300_000u32).all(|i| keys.find(&i.to_le_bytes()) == Some(i)));
    }
}
