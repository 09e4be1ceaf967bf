//! The values of the columns: the meaning of each number in the store, and its current code.
//!
//! A value has a number for ever, by which rows and cuts know it; its code is its rank among the values that there are,
//! and changes when others come. In an imposed order or a hierarchy the number is the code.

use crate::bytes::{ByteReader, ByteWriter, damaged};
use crate::spec::{Spec, StoredColumn};
use crate::vault::{Change, ValueName, ValueSource};
use hashbrown::HashTable;
use klimt_core::table::{
    Codes, Column, ColumnData, ColumnSpec, Distinct, Domain, Encoding, Table, TextColumn, TextPool,
};
use klimt_core::{Error, Result};
use rayon::prelude::*;
use std::hash::BuildHasher;
use std::sync::Arc;

/// The texts that stood for missing values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum MissingTexts {
    /// Every row has a value.
    #[default]
    Never,
    /// Some had nothing.
    Nothing,
    /// All had an empty text, which is published as such.
    EmptyText,
}

impl MissingTexts {
    /// The one that a byte stands for.
    pub fn of_byte(byte: u8) -> Self {
        match byte {
            0 => MissingTexts::Never,
            2 => MissingTexts::EmptyText,
            _ => MissingTexts::Nothing,
        }
    }

    /// The byte that stands for it.
    pub fn byte(self) -> u8 {
        match self {
            MissingTexts::Never => 0,
            MissingTexts::Nothing => 1,
            MissingTexts::EmptyText => 2,
        }
    }

    /// The texts of both: an empty text and nothing are one value to every requirement, and published as one.
    fn and(self, other: Self) -> Self {
        match (self, other) {
            (MissingTexts::Never, one) | (one, MissingTexts::Never) => one,
            (MissingTexts::EmptyText, MissingTexts::EmptyText) => MissingTexts::EmptyText,
            _ => MissingTexts::Nothing,
        }
    }
}

/// The values of one column, by number.
#[derive(Debug)]
pub(crate) struct Dictionary {
    spec: ColumnSpec,
    coded: bool,
    /// Whether numbers are codes.
    fixed: bool,
    texts: TextPool,
    /// The texts that stood for missing values.
    missing: MissingTexts,
    /// How many texts are in the vault, in how many chunks.
    saved: (usize, u32),
}

impl Dictionary {
    /// No values as yet.
    pub fn new(column: &StoredColumn) -> Result<Self> {
        let (spec, coded, fixed) = (column.spec()?, column.is_coded(), column.is_fixed());
        Ok(Dictionary {
            spec,
            coded,
            fixed,
            texts: TextPool::default(),
            missing: MissingTexts::Never,
            saved: (0, 0),
        })
    }

    /// The numbers that the state saves of the dictionary.
    pub fn saved(&self) -> (u32, MissingTexts) {
        (self.saved.1, self.missing)
    }

    /// The texts that stood for missing values.
    pub fn missing(&self) -> MissingTexts {
        self.missing
    }

    /// The values that are in the vault.
    pub fn load(
        column: &StoredColumn,
        number: usize,
        (chunks, missing): (u32, MissingTexts),
        values: &dyn ValueSource,
    ) -> Result<Self> {
        let mut dictionary = Dictionary::new(column)?;
        dictionary.missing = missing;
        for chunk in 0..chunks {
            let bytes = values.get(ValueName::values(number as u32, chunk))?;
            let mut reader = ByteReader::new(&bytes);
            for _ in 0..reader.word()? {
                dictionary.texts.push(reader.text()?);
            }
            reader.end()?;
        }
        dictionary.saved = (dictionary.texts.len(), chunks);
        Ok(dictionary)
    }

    /// Writes the values that are not in the vault yet.
    pub fn save(&mut self, number: usize, change: &mut Change<'_>) -> Result<()> {
        let new = self.saved.0..self.texts.len();
        if new.is_empty() {
            return Ok(());
        }
        let mut writer = ByteWriter::default();
        writer.word(new.len() as u32);
        new.for_each(|text| writer.text(self.texts.get(text)));
        change.set(ValueName::values(number as u32, self.saved.1), &writer.bytes)?;
        self.saved = (self.texts.len(), self.saved.1 + 1);
        Ok(())
    }

    /// Takes in the values of a batch's column, of which `used` tells the codes that occur, and returns the number of each
    /// code. Codes that do not occur have none. Where the missing one occurs, rows had `missing` in the place of a value.
    pub fn take(&mut self, domain: &Domain, used: &[bool], missing: MissingTexts) -> Vec<u32> {
        if domain.missing_code().is_some_and(|missing| used[missing as usize]) {
            self.missing = self.missing.and(missing);
        }
        let hasher = hashbrown::DefaultHashBuilder::default();
        let (mut texts, mut text) = (TextPool::default(), Vec::new());
        let codes: Vec<u32> = (0..domain.value_count() as u32).filter(|&code| used[code as usize]).collect();
        // A batch has fewer values than the store: those of the batch are the table, and those of the store look there.
        let mut table: HashTable<u32> = HashTable::with_capacity(codes.len());
        for &code in &codes {
            text.clear();
            domain.write_text(code, &mut text);
            let hash = hasher.hash_one(&text[..]);
            let place = texts.push(&text) as u32;
            table.insert_unique(hash, place, |_| hash);
        }
        let mut found = vec![u32::MAX; codes.len()];
        for number in 0..self.texts.len() {
            let text = self.texts.get(number);
            if let Some(&place) =
                table.find(hasher.hash_one(text), |&place| texts.get(place as usize) == text)
            {
                found[place as usize] = number as u32;
            }
        }
        let mut numbers = vec![u32::MAX; domain.value_count()];
        for (place, (code, known)) in codes.into_iter().zip(found).enumerate() {
            numbers[code as usize] =
                if known == u32::MAX { self.texts.push(texts.get(place)) as u32 } else { known };
        }
        if self.fixed { (0..domain.value_count() as u32).collect() } else { numbers }
    }

    /// The codes of the values, for now.
    fn settle(&self) -> Result<Option<(Domain, Coding)>> {
        if !self.coded {
            return Ok(None);
        }
        let distinct = Distinct::Texts(self.texts.clone());
        let unfit = |_| Error::internal(format!("column {}: values do not fit", self.spec.name));
        let encoding =
            Encoding::of(&self.spec, distinct, self.missing != MissingTexts::Never).map_err(unfit)?;
        let values = encoding.domain.value_count() as u32;
        let known = if self.fixed { (0..values).collect() } else { encoding.codes };
        let mut numbers = vec![0; values as usize + 1];
        for (number, &code) in (1..).zip(&known) {
            numbers[code as usize] = number;
        }
        let codes = std::iter::once(values).chain(known).collect();
        let coding = Coding { codes, numbers };
        Ok(Some((encoding.domain, coding)))
    }
}

/// How codes of a column are stored, for now: in the vault, 0 stands for the missing value, and the numbers of the others
/// follow.
#[derive(Debug)]
pub(crate) struct Coding {
    /// The code of what stands in the vault.
    codes: Vec<u32>,
    /// The number in the vault of each code, the missing one last.
    numbers: Vec<u32>,
}

/// In a cut, the last value of all, whichever that is: what is missing goes right.
const ALL_VALUES: u32 = u32::MAX;

impl Coding {
    /// The number of a code in the vault.
    #[inline]
    pub fn stored(&self, code: u32) -> u32 {
        self.numbers[code as usize]
    }

    /// The code of what stands in the vault.
    #[inline]
    pub fn code(&self, stored: u32) -> Option<u32> {
        self.codes.get(stored as usize).copied()
    }

    /// The number in the vault of the greatest code on the left side of a cut: where that is the greatest of
    /// all, a number above all future ones.
    pub fn stored_cut(&self, code: u32) -> u32 {
        if code + 1 == self.missing() { ALL_VALUES } else { self.stored(code) }
    }

    /// The greatest code on the left side of a cut.
    pub fn cut(&self, stored: u32) -> Option<u32> {
        if stored == ALL_VALUES { Some(self.missing().saturating_sub(1)) } else { self.code(stored) }
    }

    /// The code of a number that a dictionary has given.
    pub fn code_of_number(&self, number: u32) -> u32 {
        self.codes[number as usize + 1]
    }

    /// The code of the missing value.
    pub fn missing(&self) -> u32 {
        self.codes[0]
    }
}

/// The columns of a store for now: a table without rows, and how its codes are stored.
#[derive(Debug)]
pub(crate) struct StoreFrame {
    /// The columns, without rows.
    pub table: Table,
    /// How codes are stored, for every column that has any.
    pub codings: Vec<Option<Coding>>,
}

impl StoreFrame {
    /// The columns with the values that there are.
    pub fn of(spec: &Spec, dictionaries: &[Dictionary]) -> Result<Self> {
        let (mut columns, mut codings) = (Vec::new(), Vec::new());
        let settled: Vec<Result<_>> = dictionaries.par_iter().map(Dictionary::settle).collect();
        for (column, settled) in spec.columns.iter().zip(settled) {
            let (data, coding) = match settled? {
                Some((domain, coding)) => {
                    let codes = Codes::zeroed(domain.cardinality(), 0);
                    (ColumnData::Coded { domain: Arc::new(domain), codes }, Some(coding))
                }
                None => (ColumnData::Texts(TextColumn::default()), None),
            };
            columns.push(Column { name: column.name.clone(), role: column.role, data });
            codings.push(coding);
        }
        Ok(StoreFrame { table: Table::new(0, columns)?, codings })
    }

    /// How the codes of a dimension are stored.
    pub fn dimension(&self, dimension: usize) -> Result<&Coding> {
        let column = *self.table.quasi_identifiers().get(dimension).ok_or_else(damaged)?;
        self.codings[column].as_ref().ok_or_else(damaged)
    }
}
