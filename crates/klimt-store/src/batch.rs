//! Batches: rows of a file on their way into the store.

use crate::dictionary::{Dictionary, MissingTexts, StoreFrame};
use crate::page::PageRows;
use crate::secret::{Key, Secret};
use crate::spec::{Spec, StoredColumn};
use klimt_core::memory::Pool;
use klimt_core::spill::{Block, BlockColumn, Rows as Source};
use klimt_core::table::{Codes, Column, ColumnData, EMPTY_TEXT, Role, Table, TextColumn};
use klimt_core::{Error, ErrorKind, Result};
use rayon::prelude::*;

/// Rows with a key and the columns of a store, in any order.
#[derive(Clone, Copy)]
pub struct Batch<'a> {
    /// The columns, with their domains and without rows.
    pub frame: &'a Table,
    /// The rows.
    pub source: &'a dyn Source,
    /// The columns in which empty texts count as missing, and nothing else does.
    pub empty_texts: &'a [String],
    /// The name of the file in messages.
    pub name: &'a str,
}

/// How many problems are named.
const NAMED: usize = 5;

/// The result of looking through a batch once.
pub(crate) struct Survey {
    /// The key of each row.
    pub keys: Vec<Key>,
    /// Which codes occur, for every column of the batch that has codes.
    pub used: Vec<Vec<bool>>,
    /// The row at which each block starts.
    starts: Vec<usize>,
}

impl Batch<'_> {
    /// The number of a column.
    fn column(&self, name: &str) -> Result<usize> {
        let found = self.frame.columns().iter().position(|column| column.name == name);
        found.ok_or_else(|| Error::input(format!("{}: there is no column {name}", self.name)))
    }

    /// A problem of a row, by its number.
    pub(crate) fn problem(&self, row: u64, what: &str) -> String {
        format!("{}: row {}: {what}", self.name, row + 1)
    }

    /// An error about rows, by their numbers: the first few are named.
    pub(crate) fn problems(&self, rows: &[u64], what: &str, help: &str) -> Error {
        let mut told: Vec<String> = rows.iter().take(NAMED).map(|&row| self.problem(row, what)).collect();
        if rows.len() > NAMED {
            told.push(format!("{}: {} more rows like these", self.name, rows.len() - NAMED));
        }
        let error = Error::all(ErrorKind::Input, told).unwrap_or_else(|| Error::internal("no problem"));
        if help.is_empty() { error } else { error.with_help(help) }
    }

    /// Looks through the rows once: every one has a key, and no two have the same.
    pub(crate) fn survey(&self, key: &str, secret: &Secret, pool: &Pool) -> Result<Survey> {
        let key = self.column(key)?;
        let rows = self.source.rows() as usize;
        let _held = pool.reserve(rows * 40, "the keys of the batch")?;
        let cardinality = |column: &Column| column.coded().map_or(0, |(domain, _)| domain.cardinality());
        let mut survey = Survey {
            keys: Vec::with_capacity(rows),
            used: self.frame.columns().iter().map(|column| vec![false; cardinality(column)]).collect(),
            starts: Vec::new(),
        };
        let (mut block, mut text, mut without) = (Block::empty(self.frame), Vec::new(), Vec::new());
        for number in 0..self.source.blocks() {
            self.source.read(number, &mut block)?;
            survey.starts.push(survey.keys.len());
            for row in 0..block.rows() {
                write_stored(self.frame, &block, key, row, &mut text);
                if text.is_empty() || text == EMPTY_TEXT {
                    without.push(survey.keys.len() as u64);
                }
                survey.keys.push(secret.key(&text));
            }
            for (column, used) in block.columns().iter().zip(&mut survey.used) {
                if let BlockColumn::Codes(codes) = column {
                    codes.for_each(|code| used[code as usize] = true);
                }
            }
        }
        if !without.is_empty() {
            return Err(self.problems(&without, "the row has no key", ""));
        }
        self.check_twice(&survey.keys)?;
        Ok(survey)
    }

    fn check_twice(&self, keys: &[Key]) -> Result<()> {
        let mut sorted: Vec<(Key, u64)> = keys.iter().copied().zip(0..).collect();
        sorted.sort_unstable();
        let mut twice: Vec<(u64, u64)> = sorted
            .windows(2)
            .filter(|pair| pair[0].0 == pair[1].0)
            .map(|pair| (pair[1].1, pair[0].1))
            .collect();
        twice.sort_unstable();
        if twice.is_empty() {
            return Ok(());
        }
        let told = twice
            .iter()
            .take(NAMED)
            .map(|&(row, before)| self.problem(row, &format!("its key is that of row {} again", before + 1)));
        let more = (twice.len() > NAMED)
            .then(|| format!("{}: {} more rows like these", self.name, twice.len() - NAMED));
        let problems = told.chain(more).collect();
        Err(Error::all(ErrorKind::Input, problems).unwrap_or_else(|| Error::internal("no problem")))
    }
}

/// Writes the text of a row as columns of texts store it: empty for a missing value, [`EMPTY_TEXT`] for an empty one.
fn write_stored(frame: &Table, block: &Block, column: usize, row: usize, out: &mut Vec<u8>) {
    out.clear();
    match (&block.columns()[column], &frame.columns()[column].data) {
        (BlockColumn::Codes(codes), ColumnData::Coded { domain, .. }) => {
            let code = codes.get(row);
            domain.write_text(code, out);
            if out.is_empty() && domain.missing_code() != Some(code) {
                out.extend_from_slice(EMPTY_TEXT);
            }
        }
        (BlockColumn::Texts(texts), _) => out.extend_from_slice(texts.stored(row)),
        _ => {}
    }
}

/// A batch whose values the store knows: its rows by the codes of the store.
pub(crate) struct CodedBatch<'a> {
    batch: Batch<'a>,
    frame: &'a StoreFrame,
    /// For every column of the store, its number in the batch and the code of each code there.
    columns: Vec<(usize, Vec<u32>)>,
    survey: &'a Survey,
}

/// A batch whose values the store has taken in.
pub(crate) struct StoredBatch<'a> {
    batch: Batch<'a>,
    survey: &'a Survey,
    /// For every column of the store, its number in the batch and the numbers of its values.
    taken: Vec<(usize, Vec<u32>)>,
}

/// Takes in the values of a batch.
pub(crate) fn take_values<'a>(
    batch: &Batch<'a>,
    spec: &Spec,
    survey: &'a Survey,
    dictionaries: &mut [Dictionary],
) -> Result<StoredBatch<'a>> {
    let take = |(column, dictionary): (&StoredColumn, &mut Dictionary)| {
        let number = batch.column(&column.name)?;
        let values = match batch.frame.columns()[number].coded() {
            Some((domain, _)) if column.is_coded() => {
                let is_empty = batch.empty_texts.contains(&column.name);
                let missing = if is_empty { MissingTexts::EmptyText } else { MissingTexts::Nothing };
                dictionary.take(domain, &survey.used[number], missing)
            }
            None if column.is_coded() => return Err(Error::internal("a batch was read wrongly")),
            _ => Vec::new(),
        };
        Ok((number, values))
    };
    let taken = spec.columns.par_iter().zip(dictionaries).map(take).collect::<Result<Vec<_>>>()?;
    Ok(StoredBatch { batch: *batch, survey, taken })
}

impl<'a> CodedBatch<'a> {
    /// From a batch whose values the frame knows.
    pub fn new(known: StoredBatch<'a>, frame: &'a StoreFrame) -> Self {
        let StoredBatch { batch, survey, taken } = known;
        let columns = taken.into_iter().zip(&frame.codings).map(|((number, mut values), coding)| {
            if let Some(coding) = coding {
                let known = values.iter_mut().filter(|value| **value != u32::MAX);
                known.for_each(|value| *value = coding.code_of_number(*value));
                values.push(coding.missing());
            }
            (number, values)
        });
        let columns = columns.collect();
        CodedBatch { batch, frame, columns, survey }
    }

    /// The rows of a block, which no release has had.
    pub fn rows_of(&self, number: usize) -> Result<PageRows> {
        let mut read = Block::empty(self.batch.frame);
        self.batch.source.read(number, &mut read)?;
        let mut rows = PageRows::empty(self.frame);
        rows.block.fill(read.rows(), |column, into| self.translate(&read, column, into))?;
        rows.keys = self.keys(number, read.rows()).to_vec();
        rows.marks = vec![0; read.rows()];
        Ok(rows)
    }

    fn keys(&self, block: usize, rows: usize) -> &[Key] {
        let start = self.survey.starts[block];
        &self.survey.keys[start..start + rows]
    }

    fn translate(&self, read: &Block, column: usize, into: &mut BlockColumn) -> Result<()> {
        let (number, codes) = &self.columns[column];
        match (&read.columns()[*number], into) {
            (BlockColumn::Codes(from), BlockColumn::Codes(into)) => {
                let mut found = Vec::with_capacity(read.rows());
                from.for_each(|code| found.push(codes[code as usize]));
                let (domain, _) = self.frame.table.columns()[column]
                    .coded()
                    .ok_or_else(|| Error::internal("a batch was read wrongly"))?;
                *into = Codes::collect(domain.cardinality(), found.into_iter());
            }
            (_, BlockColumn::Texts(into)) => {
                let mut text = Vec::new();
                for row in 0..read.rows() {
                    write_stored(self.batch.frame, read, *number, row, &mut text);
                    into.push(&text);
                }
            }
            _ => return Err(Error::internal("a batch was read wrongly")),
        }
        Ok(())
    }
}

impl Source for CodedBatch<'_> {
    fn rows(&self) -> u64 {
        self.batch.source.rows()
    }

    fn blocks(&self) -> usize {
        self.batch.source.blocks()
    }

    fn read(&self, number: usize, into: &mut Block) -> Result<()> {
        let mut read = Block::empty(self.batch.frame);
        self.batch.source.read(number, &mut read)?;
        let keys = self.columns.len();
        into.fill(read.rows(), |column, into| match into {
            BlockColumn::Texts(texts) if column == keys => {
                self.keys(number, read.rows()).iter().for_each(|key| texts.push(&carried(key, 0)));
                Ok(())
            }
            into => self.translate(&read, column, into),
        })
    }
}

/// The columns of the store, and one that carries keys and histories: what rows on the way to pages are made of.
pub(crate) fn on_the_way(frame: &StoreFrame) -> Result<Table> {
    let mut columns: Vec<Column> = frame.table.columns().to_vec();
    let data = ColumnData::Texts(TextColumn::default());
    columns.push(Column { name: String::new(), role: Role::Insensitive, data });
    Table::new(0, columns)
}

/// A key and a history as they are carried.
pub(crate) fn carried(key: &Key, mark: u32) -> [u8; 20] {
    let mut bytes = [0; 20];
    bytes[..16].copy_from_slice(key);
    bytes[16..].copy_from_slice(&mark.to_le_bytes());
    bytes
}

/// The rows of a table on the way, in the given order.
pub(crate) fn arrived(table: &Table, order: &[u32], frame: &StoreFrame) -> Result<PageRows> {
    let mut rows = PageRows::empty(frame);
    rows.block.append_table(table, order);
    let lost = || Error::internal("rows on the way have lost their keys");
    let ColumnData::Texts(texts) = &table.columns()[frame.table.columns().len()].data else {
        return Err(lost());
    };
    for &row in order {
        let (key, mark) = texts.get(row as usize).split_first_chunk::<16>().ok_or_else(lost)?;
        rows.keys.push(*key);
        rows.marks.push(u32::from_le_bytes(mark.try_into().map_err(|_| lost())?));
    }
    Ok(rows)
}
