//! From blocks and dictionaries to a column: one domain, one code per row.

use super::dictionary::Dictionary;
use super::doubt::marker;
use super::integers::Integers;
use super::reader::ColumnBlock;
use klimt_core::table::{
    Codes, Column, ColumnData, ColumnSpec, CommonSpelling, Distinct, EMPTY_TEXT, Encoding, Role, Spelling,
    TextChunk, TextColumn, TextPool, UnfitReason, UnfitValues, ValueType, Word,
};
use klimt_core::words::{column_option, option_is};
use klimt_core::{Error, Result};
use rayon::prelude::*;

/// Stands for the code of a missing value until the domain is known.
pub(crate) const MISSING: u32 = u32::MAX;

/// Values that do not fit their column, and where they are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnfitLocations {
    /// Why they do not fit.
    pub reason: UnfitReason,
    /// How many different values they are.
    pub values: usize,
    /// On how many rows they stand.
    pub rows: usize,
    /// The first of these rows.
    pub first_rows: Vec<usize>,
    /// Those of the values that are known to stand for a missing one.
    pub markers: Vec<String>,
}

/// Rows are named in messages up to this many.
pub(crate) const NAMED_ROWS: usize = 10;

/// The lines of a file on which rows stand.
#[derive(Clone, Debug, Default)]
pub struct RowLines {
    blocks: Vec<BlockLines>,
    rows: usize,
    lines: u64,
}

#[derive(Clone, Debug)]
struct BlockLines {
    first_row: usize,
    first_line: u64,
    /// The line of each row within the block, where a row is not a line.
    irregular: Option<Vec<u32>>,
}

impl RowLines {
    /// Lines that follow a header of this many lines.
    pub fn after(header: u64) -> Self {
        RowLines { blocks: Vec::new(), rows: 0, lines: header }
    }

    /// The given lines of rows, counted from 0.
    pub fn listed(lines: &[u32]) -> Self {
        let mut rows = RowLines::after(0);
        rows.push(lines.len(), 0, Some(lines.to_vec()));
        rows
    }

    /// Adds the next block.
    pub fn push(&mut self, rows: usize, lines: u64, irregular: Option<Vec<u32>>) {
        self.blocks.push(BlockLines { first_row: self.rows, first_line: self.lines, irregular });
        self.rows += rows;
        self.lines += lines;
    }

    /// The line of a row, counted from 1.
    pub fn line(&self, row: usize) -> u64 {
        let block = self.blocks.partition_point(|block| block.first_row <= row).saturating_sub(1);
        let Some(block) = self.blocks.get(block) else { return row as u64 + 1 };
        let within = row - block.first_row;
        let line = block.irregular.as_ref().map_or(within as u64, |lines| u64::from(lines[within]));
        block.first_line + line + 1
    }
}

impl UnfitLocations {
    /// Values that do not fit, before their rows are known.
    pub(crate) fn nowhere(unfit: &UnfitValues, joined: &JoinedDictionary) -> Self {
        let is_unfit = |marker: &&(u32, String)| unfit.values.binary_search(&(marker.0 as usize)).is_ok();
        let markers = joined.markers.iter().filter(is_unfit).map(|(_, text)| text.clone()).collect();
        let (reason, values) = (unfit.reason, unfit.values.len());
        UnfitLocations { reason, values, rows: 0, first_rows: Vec::new(), markers }
    }

    /// The message for the user: what, how many, where.
    pub fn error(&self, path: &str, column: &str, lines: &RowLines) -> Error {
        let named: Vec<String> = self.first_rows.iter().map(|&row| lines.line(row).to_string()).collect();
        let more = if self.rows > named.len() { " and more" } else { "" };
        let count = |n: usize, what: &str| format!("{n} {what}{}", if n == 1 { "" } else { "s" });
        let are = if self.values == 1 { "is" } else { "are" };
        let as_text = || {
            let other =
                if self.markers.len() == self.values { "otherwise" } else { "mend the other lines, or" };
            let other = if self.markers.is_empty() { "mend the lines, or" } else { other };
            format!("{other} read the column as text: {}", column_option("type", column, Some("text")))
        };
        let (wrong, help) = match self.reason {
            UnfitReason::Type(value_type) => (format!("{are} not of the type {value_type}"), as_text()),
            UnfitReason::Stray(value_type) => {
                let what = match (value_type, self.values) {
                    (ValueType::Date, 1) => "no date",
                    (ValueType::Date, _) => "not dates",
                    (ValueType::Timestamp, 1) => "no timestamp",
                    (ValueType::Timestamp, _) => "not timestamps",
                    (_, 1) => "no number",
                    _ => "not numbers",
                };
                (format!("{are} {what}, as all others are"), as_text())
            }
            UnfitReason::Order => (
                format!("{are} not in the imposed order"),
                format!("add the values to the file of {}", column_option("order", column, Some("FILE"))),
            ),
            UnfitReason::Hierarchy => (
                format!("{are} not in the hierarchy"),
                format!(
                    "klimt hierarchy check lists what is missing from the file of {}",
                    column_option("hierarchy", column, Some("FILE"))
                ),
            ),
            UnfitReason::Spelling => (
                format!("{are} spellings of one value, which its order or hierarchy takes for several"),
                format!(
                    "spell each value in one way, or compare the values as text: {}",
                    column_option("type", column, Some("text"))
                ),
            ),
            UnfitReason::Domain => (
                format!("{are} outside the declared domain"),
                format!("mend the lines, or widen the domain of {}", column_option("domain", column, None)),
            ),
            UnfitReason::Star => (
                format!("{are} *, which a release publishes for any value"),
                format!("say that it stands for a missing value: {}", option_is("missing", "*")),
            ),
        };
        let error = Error::input(format!(
            "{path}: column {column}: {} on {} {wrong}: line{} {}{more}",
            count(self.values, "value"),
            count(self.rows, "row"),
            if self.rows == 1 { "" } else { "s" },
            named.join(", "),
        ));
        let error = match (self.missing_options(), self.reason) {
            (Some(_), UnfitReason::Star) => error,
            (Some(options), _) => error.with_help(format!("where they stand for missing values: {options}")),
            (None, UnfitReason::Stray(_)) => error.with_help(format!(
                "a text that stands for missing values is named by {}",
                option_is("missing", "TEXT")
            )),
            (None, _) => error,
        };
        error.with_help(help)
    }

    /// The options that make the known markers missing values.
    fn missing_options(&self) -> Option<String> {
        let options: Vec<String> = self.markers.iter().map(|marker| option_is("missing", marker)).collect();
        (!options.is_empty()).then(|| options.join(" "))
    }
}

/// Joins the blocks of a column. `missing` lists the texts that stand for a missing value, besides the empty one.
pub fn assemble(
    spec: &ColumnSpec,
    missing: &[String],
    dictionaries: &[Dictionary],
    blocks: Vec<ColumnBlock>,
) -> Result<Column, UnfitLocations> {
    // A column that is only carried along is published as it is.
    let missing = if is_kept(spec.role) { &[] } else { missing };
    let data = if blocks.iter().any(|block| matches!(block, ColumnBlock::Texts(_))) {
        ColumnData::Texts(join_texts(dictionaries, blocks))
    } else if blocks.iter().all(is_whole) {
        join_integers(spec, blocks)?
    } else {
        join_dictionaries(spec, missing, dictionaries, blocks)?
    };
    Ok(Column { name: spec.name.clone(), role: spec.role, data })
}

/// Whether a column is only carried along.
pub(crate) fn is_kept(role: Role) -> bool {
    matches!(role, Role::Insensitive | Role::Identifier)
}

fn is_whole(block: &ColumnBlock) -> bool {
    matches!(block, ColumnBlock::Numbers { spelled: CommonSpelling::WHOLE, .. })
}

fn join_texts(dictionaries: &[Dictionary], blocks: Vec<ColumnBlock>) -> TextColumn {
    let mut column = TextColumn::default();
    for block in blocks {
        let mut chunk = TextChunk::default();
        match block {
            ColumnBlock::Texts(texts) => chunk = texts,
            ColumnBlock::Dictionary { reader, numbers } => {
                let texts = dictionaries[reader].texts();
                (0..numbers.len()).for_each(|row| chunk.push(texts.get(numbers.get(row) as usize)));
            }
            ColumnBlock::Numbers { values, spelled } => {
                each_text(&values, spelled, |text| chunk.push(text));
            }
            ColumnBlock::Dropped => {}
        }
        column.push_chunk(chunk);
    }
    column
}

/// The text of every number; an empty one for missing values.
fn each_text(values: &Integers, spelled: CommonSpelling, mut f: impl FnMut(&[u8])) {
    let spelling = spelled.spelling().unwrap_or(Spelling::WHOLE);
    let mut text = Vec::new();
    values.for_each(|value| {
        text.clear();
        if let Some(value) = value {
            spelling.write(value, &mut text);
        }
        f(&text);
    });
}

/// Splits the codes of a column into the slices of its blocks.
fn by_block<'a, W>(mut codes: &'a mut [W], blocks: &[ColumnBlock]) -> Vec<&'a mut [W]> {
    let mut slices = Vec::with_capacity(blocks.len());
    for block in blocks {
        let (slice, rest) = codes.split_at_mut(block.rows());
        slices.push(slice);
        codes = rest;
    }
    slices
}

fn total_rows(blocks: &[ColumnBlock]) -> usize {
    blocks.iter().map(ColumnBlock::rows).sum()
}

/// The different texts of several dictionaries.
pub(crate) struct JoinedDictionary {
    /// The texts, without those that stand for a missing value.
    pub distinct: TextPool,
    /// Whether some stand for a missing value.
    pub has_missing: bool,
    /// By dictionary, the number of each text among the distinct ones; [`MISSING`] for a missing value.
    pub numbers: Vec<Vec<u32>>,
    /// The distinct texts, by number, that are known to stand for a missing value and were not named as such.
    pub markers: Vec<(u32, String)>,
}

impl JoinedDictionary {
    /// Joins dictionaries.
    pub fn of<'t>(dictionaries: impl Iterator<Item = &'t TextPool>, missing: &[String]) -> Self {
        let mut joined = Dictionary::default();
        let mut numbers: Vec<Vec<u32>> = Vec::new();
        for texts in dictionaries {
            numbers.push(texts.iter().map(|text| joined.number_of(text)).collect());
        }
        // Texts that stand for a missing value leave the domain; an empty text that is none stays.
        let mut distinct = TextPool::default();
        let (mut has_missing, mut markers) = (false, Vec::new());
        let renumbered: Vec<u32> = joined
            .texts()
            .iter()
            .map(|text| {
                if text.is_empty() || missing.iter().any(|token| token.as_bytes() == text) {
                    has_missing = true;
                    return MISSING;
                }
                let number = distinct.push(if text == EMPTY_TEXT { b"" } else { text }) as u32;
                markers.extend(marker(text).map(|text| (number, text.to_string())));
                number
            })
            .collect();
        numbers.iter_mut().flatten().for_each(|number| *number = renumbered[*number as usize]);
        JoinedDictionary { distinct, has_missing, numbers, markers }
    }

    /// By dictionary, the code of each text.
    pub fn tables(&self, encoding: &Encoding) -> Vec<Vec<u32>> {
        let code_of = |number: &u32| match *number {
            MISSING => encoding.domain.value_count() as u32,
            number => encoding.codes[number as usize],
        };
        self.numbers.iter().map(|numbers| numbers.iter().map(code_of).collect()).collect()
    }
}

fn join_dictionaries(
    spec: &ColumnSpec,
    missing: &[String],
    dictionaries: &[Dictionary],
    mut blocks: Vec<ColumnBlock>,
) -> Result<ColumnData, UnfitLocations> {
    let mut extra = Dictionary::default();
    for block in &mut blocks {
        if let ColumnBlock::Numbers { values, spelled } = block {
            *block = spelt(values, *spelled, &mut extra, dictionaries.len());
        }
    }
    let texts = dictionaries.iter().chain([&extra]).map(Dictionary::texts);
    let mut joined = JoinedDictionary::of(texts, missing);
    let distinct = Distinct::Texts(std::mem::take(&mut joined.distinct));
    let encoding =
        Encoding::of(spec, distinct, joined.has_missing).map_err(|unfit| locate(&unfit, &blocks, &joined))?;
    let tables = joined.tables(&encoding);
    let mut codes = Codes::zeroed(encoding.domain.cardinality(), total_rows(&blocks));
    match &mut codes {
        Codes::U8(codes) => recode(codes, &blocks, &tables),
        Codes::U16(codes) => recode(codes, &blocks, &tables),
        Codes::U32(codes) => recode(codes, &blocks, &tables),
    }
    Ok(ColumnData::Coded { domain: encoding.domain.into(), codes })
}

fn spelt(
    values: &Integers,
    spelled: CommonSpelling,
    dictionary: &mut Dictionary,
    reader: usize,
) -> ColumnBlock {
    let mut numbers = Vec::with_capacity(values.len());
    each_text(values, spelled, |text| numbers.push(dictionary.number_of(text)));
    ColumnBlock::Dictionary { reader, numbers: Codes::U32(numbers) }
}

fn recode<W: Word>(codes: &mut [W], blocks: &[ColumnBlock], tables: &[Vec<u32>]) {
    fn each<W: Word, N: Word>(codes: &mut [W], numbers: &[N], table: &[u32]) {
        for (code, number) in codes.iter_mut().zip(numbers) {
            *code = W::from_code(table[number.code() as usize]);
        }
    }
    by_block(codes, blocks).into_par_iter().zip(blocks).for_each(|(codes, block)| {
        if let ColumnBlock::Dictionary { reader, numbers } = block {
            let table = &tables[*reader];
            match numbers {
                Codes::U8(numbers) => each(codes, numbers, table),
                Codes::U16(numbers) => each(codes, numbers, table),
                Codes::U32(numbers) => each(codes, numbers, table),
            }
        }
    });
}

/// Finds the rows of values that do not fit.
fn locate(unfit: &UnfitValues, blocks: &[ColumnBlock], joined: &JoinedDictionary) -> UnfitLocations {
    let numbers = &joined.numbers;
    let mut located = UnfitLocations::nowhere(unfit, joined);
    let mut row = 0;
    for block in blocks {
        if let ColumnBlock::Dictionary { reader, numbers: rows } = block {
            for at in 0..rows.len() {
                let number = numbers[*reader][rows.get(at) as usize];
                if number != MISSING && unfit.values.binary_search(&(number as usize)).is_ok() {
                    located.rows += 1;
                    if located.first_rows.len() < NAMED_ROWS {
                        located.first_rows.push(row + at);
                    }
                }
            }
            row += rows.len();
        }
    }
    located
}

fn join_integers(spec: &ColumnSpec, blocks: Vec<ColumnBlock>) -> Result<ColumnData, UnfitLocations> {
    let integers: Vec<&Integers> = blocks
        .iter()
        .filter_map(|block| if let ColumnBlock::Numbers { values, .. } = block { Some(values) } else { None })
        .collect();
    let ranks = NumberRanks::of(&integers, total_rows(&blocks));
    let distinct = Distinct::Integers(ranks.values());
    let encoding = match Encoding::of(spec, distinct, ranks.has_missing) {
        Ok(encoding) => encoding,
        Err(_) => {
            // Only the dictionary knows on which rows a value stands.
            return join_dictionaries(spec, &[], &[], blocks);
        }
    };
    let missing = encoding.domain.value_count() as u32;
    let mut codes = Codes::zeroed(encoding.domain.cardinality(), total_rows(&blocks));
    match &mut codes {
        Codes::U8(codes) => rank_all(codes, &blocks, &ranks, &encoding.codes, missing),
        Codes::U16(codes) => rank_all(codes, &blocks, &ranks, &encoding.codes, missing),
        Codes::U32(codes) => rank_all(codes, &blocks, &ranks, &encoding.codes, missing),
    }
    Ok(ColumnData::Coded { domain: encoding.domain.into(), codes })
}

fn rank_all<W: Word>(
    codes: &mut [W],
    blocks: &[ColumnBlock],
    ranks: &NumberRanks,
    by_rank: &[u32],
    missing: u32,
) {
    by_block(codes, blocks).into_par_iter().zip(blocks).for_each(|(codes, block)| {
        if let ColumnBlock::Numbers { values, .. } = block {
            let mut codes = codes.iter_mut();
            values.for_each(|value| {
                if let Some(code) = codes.next() {
                    *code = W::from_code(value.map_or(missing, |value| by_rank[ranks.rank(value)]));
                }
            });
        }
    });
}

/// The different numbers of a column, and the rank of each.
struct NumberRanks {
    has_missing: bool,
    lowest: i64,
    form: RankForm,
}

enum RankForm {
    /// The rank of `lowest + i`, where it occurs.
    Table(Vec<u32>),
    /// The numbers, ascending.
    Sorted(Vec<i64>),
}

impl NumberRanks {
    fn of(integers: &[&Integers], rows: usize) -> Self {
        let ends = |integers: &&Integers| {
            let (mut lowest, mut highest, mut has_missing) = (i64::MAX, i64::MIN, false);
            integers.for_each(|value| match value {
                Some(value) => (lowest, highest) = (lowest.min(value), highest.max(value)),
                None => has_missing = true,
            });
            (lowest, highest, has_missing)
        };
        let (lowest, highest, has_missing) = integers
            .par_iter()
            .map(ends)
            .reduce(|| (i64::MAX, i64::MIN, false), |a, b| (a.0.min(b.0), a.1.max(b.1), a.2 | b.2));
        let range = i128::from(highest) - i128::from(lowest) + 1;
        let form = if range <= 0 {
            RankForm::Sorted(Vec::new())
        } else if range <= (4 * rows as i128).max(1 << 16) {
            RankForm::Table(rank_table(integers, lowest, range as usize))
        } else {
            let mut values: Vec<i64> = integers.iter().flat_map(|i| i.iter().flatten()).collect();
            values.par_sort_unstable();
            values.dedup();
            RankForm::Sorted(values)
        };
        NumberRanks { has_missing, lowest, form }
    }

    fn values(&self) -> Vec<i64> {
        match &self.form {
            RankForm::Sorted(values) => values.clone(),
            RankForm::Table(ranks) => {
                let occurring = (0..ranks.len()).filter(|&at| ranks[at] != MISSING);
                occurring.map(|at| self.lowest + at as i64).collect()
            }
        }
    }

    #[inline]
    fn rank(&self, value: i64) -> usize {
        match &self.form {
            RankForm::Table(ranks) => ranks[(value - self.lowest) as usize] as usize,
            RankForm::Sorted(values) => values.partition_point(|&v| v < value),
        }
    }
}

/// The rank of each number from `lowest` on; [`MISSING`] where none occurs.
fn rank_table(integers: &[&Integers], lowest: i64, range: usize) -> Vec<u32> {
    let mut ranks = vec![MISSING; range];
    for integers in integers {
        integers.for_each(|value| {
            if let Some(value) = value {
                ranks[(value - lowest) as usize] = 0;
            }
        });
    }
    for (rank, next) in ranks.iter_mut().filter(|rank| **rank != MISSING).zip(0..) {
        *rank = next;
    }
    ranks
}
