//! A dictionary of short texts: the number of a text, made for looking up the same few texts again and again.

use klimt_core::table::TextPool;

/// Texts are looked up within a buffer that goes on for at least this many bytes after the text.
pub const PADDING: usize = 64;

/// The first 24 bytes of a text, zeros where it is shorter, which together with its length are a short text whole; and
/// its number. Two of them share a line of the processor's cache.
#[derive(Clone, Copy, Debug)]
struct DictionarySlot {
    words: [u64; 3],
    len: u32,
    number: u32,
}

/// Texts up to this length are compared by their slots.
const KEY_BYTES: u32 = 24;

/// A slot without a text: no text is that long.
const FREE: DictionarySlot = DictionarySlot { words: [0; 3], len: u32::MAX, number: 0 };

/// Texts by number and numbers by text.
#[derive(Clone, Debug)]
pub struct Dictionary {
    slots: Vec<DictionarySlot>,
    texts: TextPool,
    /// The eighths of the slots that are filled before there are more.
    fill: usize,
}

/// The slots of a new dictionary.
const FIRST_SLOTS: usize = 512;
/// Where memory does not matter, slots are mostly free, and the first one that is looked at is the right one.
const LOOSE: usize = 2;
/// Where it does, they are mostly filled.
const DENSE: usize = 7;

impl Default for Dictionary {
    fn default() -> Self {
        Dictionary { slots: vec![FREE; FIRST_SLOTS], texts: TextPool::default(), fill: LOOSE }
    }
}

/// The lowest bytes of a word, by their number.
const MASKS: [u64; 9] = [
    0,
    0xFF,
    0xFFFF,
    0xFF_FFFF,
    0xFFFF_FFFF,
    0xFF_FFFF_FFFF,
    0xFFFF_FFFF_FFFF,
    0xFF_FFFF_FFFF_FFFF,
    u64::MAX,
];

impl DictionarySlot {
    /// A slot for `buffer[start..end]`, which has no number yet; the buffer is padded.
    #[inline(always)]
    fn of(buffer: &[u8], start: usize, end: usize) -> DictionarySlot {
        let len = end - start;
        let words = [
            word(buffer, start) & MASKS[len.min(8)],
            word(buffer, start + 8) & MASKS[len.clamp(8, 16) - 8],
            word(buffer, start + 16) & MASKS[len.clamp(16, 24) - 16],
        ];
        DictionarySlot { words, len: len as u32, number: 0 }
    }

    #[inline(always)]
    fn hash(self) -> usize {
        let [a, b, c] = self.words;
        let mixed = (a ^ b.rotate_left(23) ^ c.rotate_left(47)).wrapping_add(u64::from(self.len));
        (mixed.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32) as usize
    }

    /// One comparison for all words: texts differ in any of them, and a branch for each would be guessed wrongly.
    #[inline(always)]
    fn equals(&self, other: &DictionarySlot) -> bool {
        let [a, b, c] = self.words;
        let [x, y, z] = other.words;
        (a ^ x) | (b ^ y) | (c ^ z) | u64::from(self.len ^ other.len) == 0
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
        let key = DictionarySlot::of(buffer, start, end);
        let mask = self.slots.len() - 1;
        let mut at = key.hash() & mask;
        loop {
            let slot = &self.slots[at];
            if slot.equals(&key)
                && (key.len <= KEY_BYTES || self.texts.get(slot.number as usize) == &buffer[start..end])
            {
                return slot.number;
            }
            if slot.len == FREE.len {
                return self.insert(key, at, &buffer[start..end]);
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
    fn insert(&mut self, key: DictionarySlot, at: usize, text: &[u8]) -> u32 {
        let number = self.texts.push(text) as u32;
        self.slots[at] = DictionarySlot { number, ..key };
        if self.texts.len() > self.grows_after() {
            self.grow();
        }
        number
    }

    /// After this many texts the next one makes the dictionary grow.
    pub fn grows_after(&self) -> usize {
        self.slots.len() * self.fill / 8
    }

    /// Fills the slots before there are more of them. Returns whether that is new.
    pub fn fill_up(&mut self) -> bool {
        std::mem::replace(&mut self.fill, DENSE) != DENSE
    }

    /// The bytes that the dictionary takes.
    pub fn size(&self) -> usize {
        self.slots.len() * size_of::<DictionarySlot>() + self.texts.size()
    }

    /// The bytes that it takes while it grows.
    pub fn size_growing(&self) -> usize {
        self.size() + self.slots.len() * 2 * size_of::<DictionarySlot>()
    }

    /// Forgets the numbers by text, until they are needed again; the texts stay.
    pub fn rest(&mut self) {
        self.slots = Vec::new();
    }

    /// Finds texts again after a rest.
    pub fn wake(&mut self) {
        if !self.slots.is_empty() {
            return;
        }
        let texts = std::mem::take(&mut self.texts);
        *self = Dictionary { fill: self.fill, ..Dictionary::default() };
        texts.iter().for_each(|text| {
            self.number_of(text);
        });
    }

    fn grow(&mut self) {
        let mask = self.slots.len() * 2 - 1;
        let mut slots = vec![FREE; mask + 1];
        for slot in self.slots.iter().filter(|slot| slot.len != FREE.len) {
            let mut at = slot.hash() & mask;
            while slots[at].len != FREE.len {
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

    /// The texts by number, alone.
    pub fn into_texts(self) -> TextPool {
        self.texts
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
        fn equal_texts_have_equal_numbers(texts in prop::collection::vec("[ab\0]{0,30}", 1..400)) {
            let mut dictionary = Dictionary::default();
            let numbers: Vec<u32> = texts.iter().map(|t| dictionary.number_of(t.as_bytes())).collect();
            for (text, &number) in texts.iter().zip(&numbers) {
                prop_assert_eq!(dictionary.texts().get(number as usize), text.as_bytes());
                prop_assert_eq!(dictionary.number_of(text.as_bytes()), number);
            }
            let different: std::collections::BTreeSet<_> = texts.iter().collect();
            prop_assert_eq!(different.len(), dictionary.len());
            dictionary.fill_up();
            dictionary.rest();
            dictionary.wake();
            for (text, &number) in texts.iter().zip(&numbers) {
                prop_assert_eq!(dictionary.number_of(text.as_bytes()), number);
            }
        }
    }
}
