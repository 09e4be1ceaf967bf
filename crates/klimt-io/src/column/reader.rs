//! One reader's view of a column: takes texts, keeps a dictionary, and hands out what each block held.

use super::dictionary::Dictionary;
use super::integers::{self, Integers};
use klimt::table::{Codes, TextChunk};

/// How a column is stored while it is read; a reader changes it when the data says so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Not at all: the column is dropped.
    Dropped,
    /// By number in the reader's dictionary.
    Dictionary,
    /// As whole numbers in their shortest spelling.
    Integers,
    /// As texts: for columns that are published as they are.
    Texts,
}

/// A kept column with more different texts than this is stored as texts.
const MANY_TEXTS: usize = 1 << 16;

/// What a block holds of a column.
#[derive(Clone, Debug)]
pub enum Block {
    /// Nothing: the column is dropped.
    Dropped,
    /// Numbers of the dictionary of the reader with the given number.
    Dictionary {
        /// Which reader's dictionary.
        reader: usize,
        /// The number of each row's text.
        numbers: Codes,
    },
    /// Whole numbers.
    Integers(Integers),
    /// Texts.
    Texts(TextChunk),
}

/// One reader's view of a column.
#[derive(Debug)]
pub struct ColumnReader {
    reader: usize,
    form: Form,
    /// Whether the column is only kept, and never looked at.
    kept: bool,
    dictionary: Dictionary,
    numbers: Codes,
    integers: Integers,
    texts: TextChunk,
}

impl ColumnReader {
    /// A reader's view of a column that starts out in the given form.
    pub fn new(reader: usize, form: Form, kept: bool) -> Self {
        ColumnReader {
            reader,
            form,
            kept,
            dictionary: Dictionary::default(),
            numbers: Codes::U8(Vec::new()),
            integers: Integers::default(),
            texts: TextChunk::default(),
        }
    }

    /// Takes the text `buffer[start..end]` of the next row. The buffer goes on for [`super::PADDING`] bytes.
    #[inline(always)]
    pub fn push(&mut self, buffer: &[u8], start: usize, end: usize) {
        match self.form {
            Form::Dropped => {}
            Form::Dictionary => {
                let number = self.dictionary.number(buffer, start, end);
                match &mut self.numbers {
                    Codes::U8(numbers) if number < 256 => numbers.push(number as u8),
                    _ => self.push_wide(number),
                }
            }
            Form::Integers if start == end => self.integers.push(None),
            Form::Integers => match integers::read(&buffer[start..end]) {
                Some(value) => self.integers.push(Some(value)),
                None => {
                    self.leave_integers();
                    self.push(buffer, start, end);
                }
            },
            Form::Texts => self.texts.push(&buffer[start..end]),
        }
    }

    fn push_wide(&mut self, number: u32) {
        match &mut self.numbers {
            Codes::U8(numbers) => {
                let mut wider: Vec<u16> = Vec::with_capacity(numbers.capacity());
                wider.extend(numbers.iter().map(|&n| u16::from(n)));
                self.numbers = Codes::U16(wider);
                self.push_wide(number);
            }
            Codes::U16(numbers) => match u16::try_from(number) {
                Ok(number) => numbers.push(number),
                Err(_) => {
                    let mut wider: Vec<u32> = Vec::with_capacity(numbers.capacity());
                    wider.extend(numbers.iter().map(|&n| u32::from(n)));
                    self.numbers = Codes::U32(wider);
                    self.push_wide(number);
                }
            },
            Codes::U32(numbers) => numbers.push(number),
        }
    }

    /// A text that is no such number: what was read so far goes to the dictionary, spelt as it was.
    #[cold]
    fn leave_integers(&mut self) {
        self.form = Form::Dictionary;
        let integers = std::mem::take(&mut self.integers);
        let mut spelling = itoa::Buffer::new();
        for value in integers.iter() {
            let text = value.map_or("", |value| spelling.format(value));
            let number = self.dictionary.number_of(text.as_bytes());
            self.push_wide(number);
        }
    }

    /// What the block held; the next one starts.
    pub fn finish_block(&mut self) -> Block {
        let block = match self.form {
            Form::Dropped => Block::Dropped,
            Form::Integers => Block::Integers(std::mem::take(&mut self.integers)),
            Form::Texts => Block::Texts(std::mem::take(&mut self.texts)),
            Form::Dictionary => {
                let next = Codes::zeroed(self.dictionary.len(), 0);
                let numbers = std::mem::replace(&mut self.numbers, next);
                Block::Dictionary { reader: self.reader, numbers }
            }
        };
        if self.kept && self.form == Form::Dictionary && self.dictionary.len() > MANY_TEXTS {
            self.form = Form::Texts;
        }
        block
    }

    /// The dictionary, when everything has been read.
    pub fn into_dictionary(self) -> Dictionary {
        self.dictionary
    }
}
