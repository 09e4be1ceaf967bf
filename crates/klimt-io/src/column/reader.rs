//! One reader's view of a column: takes texts, keeps a dictionary, and hands out what each block held.

use super::assemble::{NAMED_ROWS, is_kept};
use super::dictionary::{Dictionary, PADDING};
use super::integers::{self, Integers};
use super::sketch::Sketch;
use crate::form::{FormEvidence, FormSpec, ValueForm, forms_to_find};
use crate::room::PoolShare;
use crate::source::ColumnPlan;
use klimt_core::table::{Codes, CommonSpelling, EMPTY_TEXT, TextChunk};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

/// How a column is stored while it is read; a reader changes it when the data says so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnForm {
    /// Not at all: the column is dropped.
    Dropped,
    /// By number in the reader's dictionary.
    Dictionary,
    /// As whole numbers in their shortest spelling.
    Integers,
    /// As numbers, days or instants that are all spelt in one way: what a dictionary would have too many of.
    Numbers,
    /// As texts: for columns that are published as they are.
    Texts,
    /// Not at all: there are more different texts than fit, and it is only counted how many.
    Counted,
}

/// A kept column with more different texts than this is stored as texts.
const MANY_TEXTS: usize = 1 << 16;

/// A dictionary asks for memory after this many texts; what it takes before is taken at once.
const FIRST_ASK: u32 = 255;
/// The bytes that are taken for a dictionary before it asks.
const FIRST_BYTES: usize = 48 << 10;

/// The values of a column in a block, or in some of its rows.
#[derive(Clone, Debug)]
pub enum ColumnBlock {
    /// Nothing: the column is dropped.
    Dropped,
    /// Numbers of the dictionary of the reader with the given number.
    Dictionary {
        /// Which reader's dictionary.
        reader: usize,
        /// The number of each row's text.
        numbers: Codes,
    },
    /// Numbers, days or instants.
    Numbers {
        /// In units of the spelling.
        values: Integers,
        /// How they are spelt.
        spelled: CommonSpelling,
    },
    /// Texts.
    Texts(TextChunk),
}

impl ColumnBlock {
    /// How many rows there are; none of a column that is dropped.
    pub fn rows(&self) -> usize {
        match self {
            ColumnBlock::Dropped => 0,
            ColumnBlock::Dictionary { numbers, .. } => numbers.len(),
            ColumnBlock::Numbers { values, .. } => values.len(),
            ColumnBlock::Texts(texts) => texts.len(),
        }
    }

    /// The bytes that they take in memory.
    pub fn size(&self) -> usize {
        match self {
            ColumnBlock::Dropped => 0,
            ColumnBlock::Dictionary { numbers: Codes::U8(numbers), .. } => numbers.len(),
            ColumnBlock::Dictionary { numbers: Codes::U16(numbers), .. } => size_of_val(&numbers[..]),
            ColumnBlock::Dictionary { numbers: Codes::U32(numbers), .. } => size_of_val(&numbers[..]),
            ColumnBlock::Numbers { values, .. } => values.size(),
            ColumnBlock::Texts(texts) => texts.size(),
        }
    }
}

/// Limits of dictionaries where memory is limited.
#[derive(Clone, Copy, Debug)]
pub struct DictionaryLimits<'r, 'p> {
    /// The memory of all dictionaries together.
    pub share: &'r PoolShare<'p>,
    /// Whether rows go to disk.
    pub spilling: &'r AtomicBool,
    /// Whether rows should go to disk, as dictionaries take too much.
    pub wanted: &'r AtomicBool,
    /// Whether a column has more different texts than fit, so that rows need not be stored any more.
    pub overfull: &'r AtomicBool,
    /// While rows go to disk, a dictionary of this many texts gives way to numbers, where it can.
    pub early: usize,
    /// How all numbers of the column are spelt, whichever reader stored them: a number is given back as a text by what
    /// all of them have in common.
    pub agreed: &'r Mutex<CommonSpelling>,
}

/// The result of reading a column.
#[derive(Debug)]
pub struct Remains {
    /// The texts by number.
    pub dictionary: Dictionary,
    /// How what was stored as numbers is spelt.
    pub spelled: CommonSpelling,
    /// About how many different texts there are, where they are more than fit.
    pub sketch: Option<Box<Sketch>>,
    /// What the values say of how they are written, where that is to be found.
    pub evidence: Option<FormEvidence>,
}

/// Values that are not of the form of their column.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Misfits {
    /// On how many rows they stand.
    pub rows: usize,
    /// The first of these rows.
    pub first_rows: Vec<usize>,
}

impl Misfits {
    /// The same, counted from the first row of the file.
    pub fn after(self, rows: usize) -> Self {
        let first_rows = self.first_rows.into_iter().map(|row| row + rows).collect();
        Misfits { first_rows, ..self }
    }

    fn add(&mut self, row: usize) {
        self.rows += 1;
        if self.first_rows.len() < NAMED_ROWS {
            self.first_rows.push(row);
        }
    }
}

/// One reader's view of a column.
#[derive(Debug)]
pub struct ColumnReader<'r, 'p> {
    reader: usize,
    form: ColumnForm,
    /// Whether the column is only kept, and never looked at.
    kept: bool,
    /// The texts that stand for a missing value, besides the empty one.
    missing: &'r [String],
    thrift: Option<DictionaryLimits<'r, 'p>>,
    /// The bytes that are taken for the dictionary.
    taken: usize,
    /// A text with this number may only be the last one before memory is asked for.
    ask_at: u32,
    /// Numbers are tried from this many texts on.
    try_at: usize,
    sketch: Option<Box<Sketch>>,
    dictionary: Dictionary,
    numbers: Codes,
    integers: Integers,
    /// How all values that were stored as numbers are spelt.
    spelled: CommonSpelling,
    texts: TextChunk,
    /// The finished parts of the block, where the form has changed within it.
    done: Vec<ColumnBlock>,
    evidence: Option<FormEvidence>,
    /// How many texts of the dictionary the evidence has seen.
    seen: usize,
    rewriter: Option<Box<Rewriter>>,
}

/// Gives values on in one spelling.
#[derive(Debug)]
struct Rewriter {
    form: ValueForm,
    declared: bool,
    text: Vec<u8>,
    /// The rows of the block so far.
    rows: usize,
    misfits: Misfits,
}

impl<'r, 'p> ColumnReader<'r, 'p> {
    /// A reader's view of a column that starts out in the given form.
    pub fn new(
        reader: usize,
        form: ColumnForm,
        plan: &'r ColumnPlan,
        thrift: Option<DictionaryLimits<'r, 'p>>,
    ) -> Self {
        let kept = plan.spec.as_ref().is_none_or(|spec| is_kept(spec.role));
        let rewriter = plan.form.form().map(|form| {
            let declared = matches!(plan.form, FormSpec::Declared(_));
            Box::new(Rewriter { form, declared, text: Vec::new(), rows: 0, misfits: Misfits::default() })
        });
        let first = if form == ColumnForm::Dropped { 0 } else { FIRST_BYTES };
        let taken = if thrift.is_some_and(|thrift| thrift.share.resize(0, first)) { first } else { 0 };
        let column = ColumnReader {
            reader,
            form,
            kept,
            missing: &plan.missing,
            thrift,
            taken,
            ask_at: thrift.map_or(u32::MAX, |_| FIRST_ASK),
            try_at: thrift.map_or(usize::MAX, |thrift| thrift.early),
            sketch: None,
            dictionary: Dictionary::default(),
            numbers: Codes::U8(Vec::new()),
            integers: Integers::default(),
            spelled: CommonSpelling::Nothing,
            texts: TextChunk::default(),
            done: Vec::new(),
            evidence: forms_to_find(plan).then(FormEvidence::default),
            seen: 0,
            rewriter,
        };
        // All readers of a column start out in the same form, so that the first one to agree does so for all of them.
        if form == ColumnForm::Integers {
            column.agree(CommonSpelling::WHOLE);
        }
        column
    }

    /// Takes the text `buffer[start..end]` of the next row. The buffer goes on for [`super::PADDING`] bytes.
    #[inline(always)]
    pub fn push(&mut self, buffer: &[u8], start: usize, end: usize) {
        match self.rewriter {
            None => self.push_text(buffer, start, end),
            Some(_) => self.push_rewritten(buffer, start, end),
        }
    }

    /// Gives a value on in one spelling.
    fn push_rewritten(&mut self, buffer: &[u8], start: usize, end: usize) {
        let Some(mut rewriter) = self.rewriter.take() else { return };
        let text = &buffer[start..end];
        rewriter.text.clear();
        if self.is_missing(text) || (self.kept && text == EMPTY_TEXT) {
            self.push_text(buffer, start, end);
        } else if rewriter.form.rewrite(text, rewriter.declared, &mut rewriter.text) {
            let length = rewriter.text.len();
            rewriter.text.resize(length + PADDING, 0);
            self.push_text(&rewriter.text, 0, length);
        } else {
            if rewriter.declared {
                rewriter.misfits.add(rewriter.rows);
            }
            self.push_text(buffer, start, end);
        }
        rewriter.rows += 1;
        self.rewriter = Some(rewriter);
    }

    /// The rows of the block whose values are not of the declared form, before the block is finished.
    pub fn take_misfits(&mut self) -> Option<Misfits> {
        let rewriter = self.rewriter.as_mut()?;
        rewriter.rows = 0;
        let misfits = std::mem::take(&mut rewriter.misfits);
        (misfits.rows > 0).then_some(misfits)
    }

    #[inline(always)]
    fn push_text(&mut self, buffer: &[u8], start: usize, end: usize) {
        match self.form {
            ColumnForm::Dropped => {}
            ColumnForm::Dictionary => {
                let number = self.dictionary.number(buffer, start, end);
                match &mut self.numbers {
                    Codes::U8(numbers) if number < FIRST_ASK => numbers.push(number as u8),
                    _ => self.push_wide(number),
                }
            }
            ColumnForm::Integers if start == end => self.integers.push(None),
            ColumnForm::Integers => match integers::read(&buffer[start..end]) {
                Some(value) if self.missing.is_empty() => self.integers.push(Some(value)),
                _ => self.push_odd(buffer, start, end),
            },
            ColumnForm::Numbers => self.push_number(buffer, start, end),
            ColumnForm::Texts => {
                self.texts.push(&buffer[start..end]);
                self.look_at(&buffer[start..end]);
            }
            ColumnForm::Counted => {
                self.sketch.iter_mut().for_each(|sketch| sketch.add(&buffer[start..end]));
                self.look_at(&buffer[start..end]);
            }
        }
    }

    /// Looks at a text, as long as that may tell how the column is written.
    #[inline]
    fn look_at(&mut self, text: &[u8]) {
        if self.evidence.as_ref().is_some_and(|evidence| !evidence.is_settled()) && !self.is_missing(text) {
            self.evidence.iter_mut().for_each(|evidence| evidence.add(text));
        }
    }

    /// Looks at the texts of the dictionary that are new.
    fn look_at_dictionary(&mut self) {
        let Some(mut evidence) = self.evidence.take() else { return };
        let texts = self.dictionary.texts();
        for number in self.seen..texts.len() {
            if evidence.is_settled() {
                break;
            }
            let text = texts.get(number);
            if !self.is_missing(text) && text != EMPTY_TEXT {
                evidence.add(text);
            }
        }
        self.seen = texts.len();
        self.evidence = Some(evidence);
    }

    /// Looks at numbers, days or instants that are stored as such.
    fn look_at_numbers(&mut self) {
        let Some(evidence) = self.evidence.as_mut().filter(|evidence| !evidence.is_settled()) else { return };
        let spelled = if self.form == ColumnForm::Integers { CommonSpelling::WHOLE } else { self.spelled };
        if spelled == CommonSpelling::WHOLE {
            let (mut least, mut greatest) = (i64::MAX, i64::MIN);
            self.integers.for_each(|value| {
                least = least.min(value.unwrap_or(i64::MAX));
                greatest = greatest.max(value.unwrap_or(i64::MIN));
            });
            if least <= greatest {
                evidence.add_whole(least, greatest);
            }
            return;
        }
        let Some(spelling) = spelled.spelling() else { return };
        let mut text = Vec::new();
        for value in self.integers.iter().flatten() {
            text.clear();
            spelling.write(value, &mut text);
            evidence.add(&text);
            if !evidence.looks_at(spelled) {
                break;
            }
        }
    }

    fn push_wide(&mut self, number: u32) {
        match &mut self.numbers {
            Codes::U8(numbers) => match u8::try_from(number) {
                Ok(number) => numbers.push(number),
                Err(_) => {
                    let mut wider: Vec<u16> = Vec::with_capacity(numbers.capacity());
                    wider.extend(numbers.iter().map(|&n| u16::from(n)));
                    self.numbers = Codes::U16(wider);
                    return self.push_wide(number);
                }
            },
            Codes::U16(numbers) => match u16::try_from(number) {
                Ok(number) => numbers.push(number),
                Err(_) => {
                    let mut wider: Vec<u32> = Vec::with_capacity(numbers.capacity());
                    wider.extend(numbers.iter().map(|&n| u32::from(n)));
                    self.numbers = Codes::U32(wider);
                    return self.push_wide(number);
                }
            },
            Codes::U32(numbers) => numbers.push(number),
        }
        if number >= self.ask_at {
            self.ask();
        }
    }

    /// A text that is no whole number, or may stand for a missing value.
    #[cold]
    fn push_odd(&mut self, buffer: &[u8], start: usize, end: usize) {
        let text = &buffer[start..end];
        if self.is_missing(text) {
            return self.integers.push(None);
        }
        match integers::read(text) {
            Some(value) => self.integers.push(Some(value)),
            None => {
                self.leave_numbers();
                self.push_text(buffer, start, end);
            }
        }
    }

    fn push_number(&mut self, buffer: &[u8], start: usize, end: usize) {
        let text = &buffer[start..end];
        if self.is_missing(text) {
            return self.integers.push(None);
        }
        match CommonSpelling::read(text).and_then(|(units, own)| self.fit(units, own)) {
            Some(units) => self.integers.push(Some(units)),
            None => {
                self.leave_numbers();
                self.push_text(buffer, start, end);
            }
        }
    }

    fn is_missing(&self, text: &[u8]) -> bool {
        text.is_empty() || self.missing.iter().any(|token| token.as_bytes() == text)
    }

    /// The number in units of what all numbers have in common; `None` where that is too little.
    #[inline]
    fn fit(&mut self, units: i64, own: CommonSpelling) -> Option<i64> {
        let joined = self.spelled.join(own);
        if joined != self.spelled {
            if !self.agree(joined) {
                return None;
            }
            if joined.digits() != self.spelled.digits() {
                self.finish_part();
            }
            self.spelled = joined;
        }
        match joined.digits() - own.digits() {
            0 => Some(units),
            more => 10i64.checked_pow(u32::from(more)).and_then(|factor| units.checked_mul(factor)),
        }
    }

    /// Whether numbers that are spelt like this can be given back as texts, together with those of all readers; then
    /// they may be stored.
    fn agree(&self, spelled: CommonSpelling) -> bool {
        let Some(thrift) = self.thrift else { return spelled.spelling().is_some() };
        let mut agreed = thrift.agreed.lock().unwrap_or_else(PoisonError::into_inner);
        let joined = agreed.join(spelled);
        if joined.spelling().is_none() {
            return false;
        }
        *agreed = joined;
        true
    }

    /// The rows so far are a part of the block; the next part starts.
    fn finish_part(&mut self) {
        let part = match self.form {
            ColumnForm::Dropped | ColumnForm::Counted => ColumnBlock::Dropped,
            ColumnForm::Texts => ColumnBlock::Texts(std::mem::take(&mut self.texts)),
            ColumnForm::Integers | ColumnForm::Numbers => {
                self.look_at_numbers();
                if self.form == ColumnForm::Integers && !self.integers.is_empty() {
                    self.spelled = self.spelled.join(CommonSpelling::WHOLE);
                }
                ColumnBlock::Numbers { values: std::mem::take(&mut self.integers), spelled: self.spelled }
            }
            ColumnForm::Dictionary => {
                let next = Codes::zeroed(self.dictionary.len(), 0);
                let numbers = std::mem::replace(&mut self.numbers, next);
                ColumnBlock::Dictionary { reader: self.reader, numbers }
            }
        };
        if part.rows() > 0 {
            self.done.push(part);
        }
    }

    /// A text that cannot be stored as the numbers so far: the dictionary takes over.
    #[cold]
    fn leave_numbers(&mut self) {
        self.finish_part();
        self.form = ColumnForm::Dictionary;
        self.dictionary.wake();
        self.try_at = self.try_at.max(self.dictionary.len().saturating_mul(2));
        if self.thrift.is_some() {
            self.ask();
        }
    }

    /// The dictionary is about to grow: asks for the memory.
    #[cold]
    fn ask(&mut self) {
        let Some(thrift) = self.thrift else { return };
        let grows = self.dictionary.len() >= self.dictionary.grows_after();
        let needed = if grows { self.dictionary.size_growing() } else { self.dictionary.size() };
        if !thrift.share.resize(self.taken, needed) {
            if !grows || !self.dictionary.fill_up() {
                return self.overflow(thrift);
            }
        } else {
            self.taken = needed;
        }
        let after = self.dictionary.grows_after();
        let next = if grows && self.taken == needed { after * 2 } else { after };
        self.ask_at = (next as u32 - 1).max(FIRST_ASK);
    }

    /// The dictionary may not grow: its texts go on as numbers or, in a column that is only kept, as texts.
    #[cold]
    fn overflow(&mut self, thrift: DictionaryLimits<'_, '_>) {
        thrift.wanted.store(true, Ordering::Relaxed);
        if self.kept {
            self.finish_part();
            self.form = ColumnForm::Texts;
            self.rest();
        } else if !self.go_on_as_numbers() {
            self.finish_part();
            self.look_at_dictionary();
            self.seen = 0;
            self.form = ColumnForm::Counted;
            let sketch = self.sketch.get_or_insert_default();
            self.dictionary.texts().iter().for_each(|text| sketch.add(text));
            self.dictionary = Dictionary::default();
            self.rest();
            thrift.overfull.store(true, Ordering::Relaxed);
        }
    }

    /// Goes on as numbers, where every text so far can be given back by one; returns whether it can.
    fn go_on_as_numbers(&mut self) -> bool {
        let mut spelled = self.spelled;
        for text in self.dictionary.texts().iter().filter(|text| !self.is_missing(text)) {
            match CommonSpelling::read(text) {
                Some((_, own)) => spelled = spelled.join(own),
                None => return false,
            }
        }
        if !self.agree(spelled) {
            return false;
        }
        self.finish_part();
        (self.form, self.spelled) = (ColumnForm::Numbers, spelled);
        self.rest();
        true
    }

    fn rest(&mut self) {
        self.dictionary.rest();
        if let Some(thrift) = self.thrift {
            let size = self.dictionary.size();
            if thrift.share.resize(self.taken, size) {
                self.taken = size;
            }
        }
    }

    /// Finishes the block: returns its values, in the order of its rows, and starts the next one.
    pub fn finish_block(&mut self) -> Vec<ColumnBlock> {
        self.finish_part();
        self.look_at_dictionary();
        let done = std::mem::take(&mut self.done);
        if self.form == ColumnForm::Dictionary {
            let (len, thrift) = (self.dictionary.len(), self.thrift);
            if self.kept && len > MANY_TEXTS {
                self.form = ColumnForm::Texts;
                self.rest();
            } else if let Some(thrift) = thrift {
                if !self.kept && len >= self.try_at && thrift.spilling.load(Ordering::Relaxed) {
                    self.try_at = len * 2;
                    if self.go_on_as_numbers() {
                        return done;
                    }
                }
                self.ask();
            }
        }
        done
    }

    /// Finishes the column.
    pub fn remains(mut self) -> Remains {
        self.look_at_dictionary();
        let ColumnReader { dictionary, spelled, sketch, evidence, .. } = self;
        Remains { dictionary, spelled, sketch, evidence }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use klimt_core::memory::Pool;
    use klimt_core::table::{ColumnSpec, Role};

    /// The block of these texts.
    fn block(reader: &mut ColumnReader<'_, '_>, texts: &[&str]) -> Vec<ColumnBlock> {
        let mut buffer = texts.concat().into_bytes();
        buffer.resize(buffer.len() + super::super::PADDING, 0);
        let mut start = 0;
        for text in texts {
            reader.push(&buffer, start, start + text.len());
            start += text.len();
        }
        reader.finish_block()
    }

    /// Decimals without needless zeros and decimals of two digits are numbers in both spellings at first. The reader
    /// that comes second with what tells them apart has to go on with texts.
    #[test]
    fn readers_store_numbers_that_are_spelt_in_one_way() {
        let pool = Pool::new(1 << 20);
        let share = PoolShare::new(&pool, 1 << 20).unwrap();
        let (spilling, wanted, overfull) =
            (AtomicBool::new(true), AtomicBool::new(false), AtomicBool::new(false));
        let agreed = Mutex::new(CommonSpelling::Nothing);
        let thrift = DictionaryLimits {
            share: &share,
            spilling: &spilling,
            wanted: &wanted,
            overfull: &overfull,
            early: 2,
            agreed: &agreed,
        };
        let plan = ColumnPlan::of(Some(ColumnSpec::new("x", Role::QuasiIdentifier)));
        let reader = |number| ColumnReader::new(number, ColumnForm::Dictionary, &plan, Some(thrift));
        let (mut shortest, mut fixed) = (reader(0), reader(1));
        block(&mut shortest, &["1.25", "2.75"]);
        block(&mut fixed, &["3.25", "4.75"]);
        assert!(matches!(block(&mut shortest, &["5", "6.5"])[..], [.., ColumnBlock::Numbers { .. }]));
        let refused = block(&mut fixed, &["7.25", "8.50", "9.75"]);
        assert!(
            matches!(refused[..], [ColumnBlock::Numbers { .. }, ColumnBlock::Dictionary { .. }]),
            "{refused:?}"
        );
        assert!(shortest.remains().spelled.join(fixed.remains().spelled).spelling().is_some());
    }
}
