//! Texts by number: a pool in one allocation, and a column of them in chunks.

/// Texts by number, in one allocation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TextPool {
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

impl TextPool {
    /// Adds a text and returns its number.
    pub fn push(&mut self, text: &[u8]) -> usize {
        self.bytes.extend_from_slice(text);
        self.ends.push(self.bytes.len());
        self.ends.len() - 1
    }

    /// The text with the given number.
    pub fn get(&self, number: usize) -> &[u8] {
        let start = if number == 0 { 0 } else { self.ends[number - 1] };
        &self.bytes[start..self.ends[number]]
    }

    /// The text with the given number as a string; sources admit valid UTF-8 only.
    pub fn str(&self, number: usize) -> &str {
        std::str::from_utf8(self.get(number)).expect("sources admit valid UTF-8 only")
    }

    /// How many texts there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// The bytes that the texts take in memory.
    pub fn size(&self) -> usize {
        self.bytes.capacity() + self.ends.capacity() * size_of::<usize>()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Every text in order of its number.
    pub fn iter(&self) -> impl Iterator<Item = &[u8]> {
        (0..self.len()).map(|number| self.get(number))
    }

    /// The same texts in another order: text `i` of the result is text `order[i]` of this pool.
    pub fn reordered(&self, order: &[usize]) -> Self {
        let mut pool = TextPool { bytes: Vec::with_capacity(self.bytes.len()), ends: Vec::new() };
        for &number in order {
            pool.push(self.get(number));
        }
        pool
    }
}

impl<'a> FromIterator<&'a str> for TextPool {
    fn from_iter<I: IntoIterator<Item = &'a str>>(texts: I) -> Self {
        let mut pool = TextPool::default();
        for text in texts {
            pool.push(text.as_bytes());
        }
        pool
    }
}

/// The texts of some consecutive rows, at most 4 GB of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextChunk {
    form: TextForm,
}

/// How the texts of a chunk lie in memory.
#[derive(Clone, Debug, PartialEq, Eq)]
enum TextForm {
    /// In slots of one size, as long as all are short: a row is one look-up. The last byte is the length plus
    /// [`LENGTH`], which makes it no ASCII character.
    Slots(Vec<[u8; SLOT]>),
    /// One after the other.
    Packed { bytes: Vec<u8>, ends: Vec<u32> },
}

/// How an empty text that is not missing is stored among texts of which an empty one stands for a missing value. It is no
/// valid UTF-8, so that no other text is stored like it.
pub const EMPTY_TEXT: &[u8] = &[0xFF];

/// The text that is stored like this.
#[inline]
fn meant(stored: &[u8]) -> &[u8] {
    if stored == EMPTY_TEXT { &[] } else { stored }
}

const SLOT: usize = 16;
const LENGTH: u8 = 0x80;

impl Default for TextChunk {
    fn default() -> Self {
        TextChunk { form: TextForm::Slots(Vec::new()) }
    }
}

impl TextChunk {
    /// Adds the text of the next row: an empty one for a missing value, [`EMPTY_TEXT`] for an empty one.
    #[inline]
    pub fn push(&mut self, text: &[u8]) {
        match &mut self.form {
            TextForm::Slots(slots) if text.len() < SLOT => {
                let mut slot = [0; SLOT];
                slot[..text.len()].copy_from_slice(text);
                slot[SLOT - 1] = LENGTH + text.len() as u8;
                slots.push(slot);
            }
            TextForm::Slots(_) => {
                self.pack();
                self.push(text);
            }
            TextForm::Packed { bytes, ends } => {
                bytes.extend_from_slice(text);
                ends.push(bytes.len() as u32);
            }
        }
    }

    #[cold]
    fn pack(&mut self) {
        let (mut bytes, mut ends) = (Vec::new(), Vec::with_capacity(self.len()));
        for row in 0..self.len() {
            bytes.extend_from_slice(self.stored(row));
            ends.push(bytes.len() as u32);
        }
        self.form = TextForm::Packed { bytes, ends };
    }

    /// The text of a row; an empty one for a missing value.
    #[inline]
    pub fn get(&self, row: usize) -> &[u8] {
        meant(self.stored(row))
    }

    /// The text of a row as it was added.
    #[inline]
    pub fn stored(&self, row: usize) -> &[u8] {
        match &self.form {
            TextForm::Slots(slots) => {
                let slot = &slots[row];
                &slot[..usize::from(slot[SLOT - 1] - LENGTH)]
            }
            TextForm::Packed { bytes, ends } => {
                let start = if row == 0 { 0 } else { ends[row - 1] };
                &bytes[start as usize..ends[row] as usize]
            }
        }
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        match &self.form {
            TextForm::Slots(slots) => slots.len(),
            TextForm::Packed { ends, .. } => ends.len(),
        }
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The bytes that the texts take in memory.
    pub fn size(&self) -> usize {
        match &self.form {
            TextForm::Slots(slots) => slots.len() * SLOT,
            TextForm::Packed { bytes, ends } => bytes.len() + ends.len() * size_of::<u32>(),
        }
    }

    /// Bytes that hold all texts; what lies between them is no printable ASCII character.
    fn bytes(&self) -> &[u8] {
        match &self.form {
            TextForm::Slots(slots) => slots.as_flattened(),
            TextForm::Packed { bytes, .. } => bytes,
        }
    }
}

/// One text per row, in the chunks in which it was read: for columns that are published as they are and have
/// too many different values for a dictionary.
#[derive(Clone, Debug, Default)]
pub struct TextColumn {
    chunks: Vec<TextChunk>,
    first_rows: Vec<usize>,
    /// The chunk of the first row of every run of [`RUN`] rows: where the search for a row starts.
    starts: Vec<u32>,
    rows: usize,
}

/// Rows that share a start of the search.
const RUN: usize = 1 << 12;

impl TextColumn {
    /// Adds the next rows.
    pub fn push_chunk(&mut self, chunk: TextChunk) {
        self.first_rows.push(self.rows);
        self.rows += chunk.len();
        while self.starts.len() * RUN < self.rows {
            self.starts.push(self.chunks.len() as u32);
        }
        self.chunks.push(chunk);
    }

    /// Bytes that hold the texts of all rows, in pieces; what lies between the texts is no printable ASCII character.
    pub fn bytes(&self) -> impl Iterator<Item = &[u8]> {
        self.chunks.iter().map(TextChunk::bytes)
    }

    /// The text of a row; an empty one for a missing value.
    #[inline]
    pub fn get(&self, row: usize) -> &[u8] {
        meant(self.stored(row))
    }

    /// Whether a row has no value, not even an empty text.
    pub fn is_missing(&self, row: usize) -> bool {
        self.stored(row).is_empty()
    }

    /// The text of a row as it was added to its chunk.
    #[inline]
    pub fn stored(&self, row: usize) -> &[u8] {
        let mut chunk = self.starts[row / RUN] as usize;
        while self.first_rows.get(chunk + 1).is_some_and(|&first| first <= row) {
            chunk += 1;
        }
        self.chunks[chunk].stored(row - self.first_rows[chunk])
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        self.rows
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.rows == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_found_in_chunks_of_any_size() {
        // Some texts are long, and the chunk that meets them changes its form.
        let text = |row: usize| {
            if row % 1000 == 999 { format!("a rather long text {row}") } else { row.to_string() }
        };
        let mut column = TextColumn::default();
        let mut next = 0;
        for size in [0, 3, 5000, 0, 1, 4095, 4097, 0] {
            let mut chunk = TextChunk::default();
            for _ in 0..size {
                chunk.push(text(next).as_bytes());
                next += 1;
            }
            column.push_chunk(chunk);
        }
        assert_eq!(column.len(), next);
        assert!((0..next).all(|row| column.get(row) == text(row).as_bytes()));
    }

    #[test]
    fn an_empty_text_is_not_a_missing_one() {
        for long in ["", "a text that is longer than a slot"] {
            let mut chunk = TextChunk::default();
            [b"".as_slice(), EMPTY_TEXT, b"x", long.as_bytes()].iter().for_each(|text| chunk.push(text));
            let mut column = TextColumn::default();
            column.push_chunk(chunk);
            let found: Vec<_> = (0..3).map(|row| (column.get(row), column.is_missing(row))).collect();
            assert_eq!(found, [(b"".as_slice(), true), (b"", false), (b"x", false)]);
        }
    }
}
