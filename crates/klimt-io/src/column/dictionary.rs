//! A dictionary of short texts: the number of a text, made for looking up the same few texts again and again.

use klimt::table::TextPool;

/// Texts are looked up within a buffer that goes on for at least this many bytes after the text.
pub const PADDING: usize = 16;

/// The first and last bytes of a text; together with its length they are the whole text up to 16 bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Key {
    head: u64,
    tail: u64,
    len: u32,
}

#[derive(Clone, Copy, Debug, Default)]
struct Slot {
    key: Key,
    /// The text's number plus one; 0 for a free slot.
    number: u32,
}

/// Texts by number and numbers by text.
#[derive(Clone, Debug)]
pub struct Dictionary {
    slots: Vec<Slot>,
    texts: TextPool,
}

impl Default for Dictionary {
    fn default() -> Self {
        Dictionary { slots: vec![Slot::default(); 64], texts: TextPool::default() }
    }
}

impl Key {
    /// The key of `buffer[start..end]`; the buffer is padded.
    #[inline(always)]
    fn of(buffer: &[u8], start: usize, end: usize) -> Key {
        let len = end - start;
        let head = word(buffer, start);
        if len < 8 {
            return Key { head: head & ((1 << (8 * len)) - 1), tail: 0, len: len as u32 };
        }
        Key { head, tail: word(buffer, end - 8), len: len as u32 }
    }

    #[inline(always)]
    fn hash(self) -> usize {
        let mixed = (self.head ^ self.tail.rotate_left(23)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let mixed = (mixed ^ u64::from(self.len)).wrapping_mul(0xD6E8_FEB8_6659_FD93);
        (mixed >> 32) as usize
    }
}

#[inline(always)]
fn word(buffer: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(buffer[at..at + 8].try_into().expect("eight bytes"))
}

impl Dictionary {
    /// The number of the text `buffer[start..end]`, which is new if it was never seen. The buffer goes on for
    /// [`PADDING`] bytes after the text.
    #[inline]
    pub fn number(&mut self, buffer: &[u8], start: usize, end: usize) -> u32 {
        let key = Key::of(buffer, start, end);
        let mask = self.slots.len() - 1;
        let mut at = key.hash() & mask;
        loop {
            let slot = self.slots[at];
            if slot.number == 0 {
                return self.insert(key, at, &buffer[start..end]);
            }
            if slot.key == key
                && (key.len <= 16 || self.texts.get(slot.number as usize - 1) == &buffer[start..end])
            {
                return slot.number - 1;
            }
            at = (at + 1) & mask;
        }
    }

    /// The number of a text that stands alone.
    pub fn number_of(&mut self, text: &[u8]) -> u32 {
        let mut padded = Vec::with_capacity(text.len() + PADDING);
        padded.extend_from_slice(text);
        padded.resize(text.len() + PADDING, 0);
        self.number(&padded, 0, text.len())
    }

    #[cold]
    fn insert(&mut self, key: Key, at: usize, text: &[u8]) -> u32 {
        let number = self.texts.push(text) as u32;
        self.slots[at] = Slot { key, number: number + 1 };
        if self.texts.len() * 2 > self.slots.len() {
            self.grow();
        }
        number
    }

    fn grow(&mut self) {
        let mask = self.slots.len() * 2 - 1;
        let mut slots = vec![Slot::default(); mask + 1];
        for slot in self.slots.iter().filter(|slot| slot.number != 0) {
            let mut at = slot.key.hash() & mask;
            while slots[at].number != 0 {
                at = (at + 1) & mask;
            }
            slots[at] = *slot;
        }
        self.slots = slots;
    }

    /// The texts by number.
    pub fn texts(&self) -> &TextPool {
        &self.texts
    }

    /// How many texts there are.
    pub fn len(&self) -> usize {
        self.texts.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn equal_texts_have_equal_numbers(texts in prop::collection::vec("[ab\0]{0,20}", 1..400)) {
            let mut dictionary = Dictionary::default();
            let numbers: Vec<u32> = texts.iter().map(|t| dictionary.number_of(t.as_bytes())).collect();
            for (text, &number) in texts.iter().zip(&numbers) {
                prop_assert_eq!(dictionary.texts().get(number as usize), text.as_bytes());
                prop_assert_eq!(dictionary.number_of(text.as_bytes()), number);
            }
            let different: std::collections::BTreeSet<_> = texts.iter().collect();
            prop_assert_eq!(different.len(), dictionary.len());
        }
    }
}
