//! The different numbers of a column, found while its rows go by, and the rank of each.

use super::integers::Integers;
use super::sketch::Sketch;

/// Different numbers within bounded memory. When they would take more, only their ends are known.
#[derive(Debug)]
pub struct NumberSet {
    /// The most bytes that the numbers may take.
    most: usize,
    form: NumberSetForm,
    /// The digits behind the point in whose units the numbers are.
    digits: u8,
    has_missing: bool,
    ends: Option<(i64, i64)>,
}

#[derive(Debug)]
enum NumberSetForm {
    /// A bit for every number from 64 times the first word on.
    Bits { first_word: i64, words: Vec<u64> },
    /// The numbers, ascending, and those that came after.
    Sorted { values: Vec<i64>, fresh: Vec<i64> },
    /// Too many; about how many they are.
    Unknown(Box<Sketch>),
}

/// Later numbers are sorted in when there are at least this many.
const FEWEST_FRESH: usize = 1 << 12;

impl NumberSet {
    /// An empty set, with the bytes that it may take.
    pub fn new(most: usize) -> Self {
        let form = NumberSetForm::Bits { first_word: 0, words: Vec::new() };
        NumberSet { most, form, digits: 0, has_missing: false, ends: None }
    }

    /// Takes in numbers, in units of this many digits behind the point.
    pub fn add(&mut self, values: &Integers, digits: u8) {
        let Some(factor) = self.align(digits) else { return };
        let mut ends = (i64::MAX, i64::MIN);
        values.for_each(|value| match value {
            Some(value) => ends = (ends.0.min(value), ends.1.max(value)),
            None => self.has_missing = true,
        });
        if ends.0 > ends.1 {
            return;
        }
        let (Some(low), Some(high)) = (ends.0.checked_mul(factor), ends.1.checked_mul(factor)) else {
            return self.lose();
        };
        self.widen(low, high);
        match &mut self.form {
            NumberSetForm::Unknown(sketch) => count(sketch, values, factor),
            NumberSetForm::Bits { first_word, words } => {
                let first = *first_word * 64;
                values.for_each(|value| {
                    if let Some(value) = value {
                        let at = (value * factor - first) as usize;
                        words[at / 64] |= 1 << (at % 64);
                    }
                });
            }
            NumberSetForm::Sorted { fresh, .. } => {
                let from = fresh.len();
                values.for_each(|value| fresh.extend(value.map(|value| value * factor)));
                fresh[from..].sort_unstable();
                fresh.dedup();
                self.sort_in(false);
            }
        }
    }

    /// Takes in a number.
    pub fn add_one(&mut self, value: Option<i64>, digits: u8) {
        let mut one = Integers::default();
        one.push(value);
        self.add(&one, digits);
    }

    /// Brings the set to the finer of both units; returns the factor for numbers in the given ones.
    fn align(&mut self, digits: u8) -> Option<i64> {
        if digits > self.digits {
            let finer = 10i64.checked_pow(u32::from(digits - self.digits));
            let ends = finer.and_then(|finer| match self.ends {
                Some((low, high)) => Some(Some((low.checked_mul(finer)?, high.checked_mul(finer)?))),
                None => Some(None),
            });
            self.digits = digits;
            let (Some(finer), Some(ends)) = (finer, ends) else {
                self.lose();
                return None;
            };
            self.ends = ends;
            if let Some(mut values) = self.take_values() {
                if let Some((low, high)) = ends {
                    self.widen(low, high);
                }
                values.iter_mut().for_each(|value| *value *= finer);
                self.take_in(values);
            }
        }
        10i64.checked_pow(u32::from(self.digits - digits))
    }

    /// Takes in numbers, ascending, between the ends.
    fn take_in(&mut self, numbers: Vec<i64>) {
        match &mut self.form {
            NumberSetForm::Unknown(_) => {}
            NumberSetForm::Sorted { values, .. } => *values = numbers,
            NumberSetForm::Bits { first_word, words } => {
                for value in numbers {
                    let at = (value - *first_word * 64) as usize;
                    words[at / 64] |= 1 << (at % 64);
                }
            }
        }
    }

    /// Gives the numbers up; the ends stay known.
    pub fn give_up(&mut self) {
        let mut sketch = Box::<Sketch>::default();
        match &self.form {
            NumberSetForm::Unknown(_) => return,
            NumberSetForm::Sorted { values, fresh } => {
                values.iter().chain(fresh).for_each(|value| sketch.add(&value.to_le_bytes()));
            }
            NumberSetForm::Bits { first_word, words } => {
                each_bit(*first_word, words, |value| sketch.add(&value.to_le_bytes()));
            }
        }
        self.form = NumberSetForm::Unknown(sketch);
    }

    /// A number does not fit in 64 bits: nothing is known of the numbers.
    fn lose(&mut self) {
        self.ends = Some((i64::MIN, i64::MAX));
        self.give_up();
    }

    /// Moves the ends, and makes room for a bit for each number between them where that is little.
    fn widen(&mut self, low: i64, high: i64) {
        let (low, high) = self.ends.map_or((low, high), |(l, h)| (l.min(low), h.max(high)));
        self.ends = Some((low, high));
        let NumberSetForm::Bits { first_word, words } = &mut self.form else { return };
        let (from, to) = (low.div_euclid(64), high.div_euclid(64) + 1);
        let needed = i128::from(to) - i128::from(from);
        if needed * 8 > self.most as i128 {
            let values = self.take_values().unwrap_or_default();
            self.form = NumberSetForm::Sorted { values, fresh: Vec::new() };
            return self.sort_in(true);
        }
        if words.is_empty() {
            (*first_word, *words) = (from, vec![0; needed as usize]);
        } else if from < *first_word {
            let more = (*first_word - from) as usize;
            words.splice(..0, std::iter::repeat_n(0, more));
            *first_word = from;
        }
        let len = (to - *first_word) as usize;
        if len > words.len() {
            words.resize(len, 0);
        }
    }

    /// Sorts in what came after, when it is much; gives up when it is too much.
    fn sort_in(&mut self, at_once: bool) {
        let NumberSetForm::Sorted { values, fresh } = &mut self.form else { return };
        if at_once || fresh.len() >= FEWEST_FRESH.max(values.len() / 4) {
            values.append(fresh);
            values.sort();
            values.dedup();
            if size_of_val(&values[..]) > self.most {
                self.give_up();
            }
        }
    }

    /// All numbers, ascending, which leave the set; `None` when they are too many, and stay so.
    fn take_values(&mut self) -> Option<Vec<i64>> {
        self.sort_in(true);
        if let NumberSetForm::Unknown(_) = self.form {
            return None;
        }
        let empty = NumberSetForm::Bits { first_word: 0, words: Vec::new() };
        match std::mem::replace(&mut self.form, empty) {
            NumberSetForm::Unknown(_) => None,
            NumberSetForm::Sorted { values, .. } => Some(values),
            NumberSetForm::Bits { first_word, words } => {
                let mut values =
                    Vec::with_capacity(words.iter().map(|word| word.count_ones() as usize).sum());
                each_bit(first_word, &words, |value| values.push(value));
                Some(values)
            }
        }
    }

    /// The bytes that the set takes.
    pub fn size(&self) -> usize {
        match &self.form {
            NumberSetForm::Bits { words, .. } => words.capacity() * 8,
            NumberSetForm::Sorted { values, fresh } => (values.capacity() + fresh.capacity()) * 8,
            NumberSetForm::Unknown(_) => size_of::<Sketch>(),
        }
    }

    /// The digits behind the point in whose units the numbers are.
    pub fn digits(&self) -> u8 {
        self.digits
    }

    /// Whether there are missing values.
    pub fn has_missing(&self) -> bool {
        self.has_missing
    }

    /// The least and the greatest number.
    pub fn ends(&self) -> Option<(i64, i64)> {
        self.ends
    }

    /// How many numbers there are; `None` when they are too many to know.
    pub fn count(&mut self) -> Option<usize> {
        self.sort_in(true);
        match &self.form {
            NumberSetForm::Bits { words, .. } => {
                Some(words.iter().map(|word| word.count_ones() as usize).sum())
            }
            NumberSetForm::Sorted { values, .. } => Some(values.len()),
            NumberSetForm::Unknown(_) => None,
        }
    }

    /// How many numbers there are, or about how many when they are too many to know.
    pub fn estimate(&mut self) -> usize {
        let count = self.count();
        match &self.form {
            NumberSetForm::Unknown(sketch) => sketch.estimate(),
            _ => count.unwrap_or(0),
        }
    }

    /// The rank of each number; `None` when they are too many.
    pub fn into_ranks(mut self) -> Option<Ranks> {
        let (count, ends) = (self.count()?, self.ends.unwrap_or((0, -1)));
        if i128::from(ends.1) - i128::from(ends.0) + 1 == count as i128 {
            return Some(Ranks::Dense { first: ends.0, count });
        }
        Some(match self.form {
            NumberSetForm::Unknown(_) => return None,
            NumberSetForm::Sorted { values, .. } => Ranks::Sorted(values),
            NumberSetForm::Bits { first_word, words } => {
                let mut before = 0;
                let rank = |bits: u64| {
                    let word = BitWord { bits, before };
                    before += bits.count_ones();
                    word
                };
                Ranks::Bits { first_word, words: words.into_iter().map(rank).collect() }
            }
        })
    }
}

fn count(sketch: &mut Sketch, values: &Integers, factor: i64) {
    values.for_each(|value| value.iter().for_each(|value| sketch.add(&(value * factor).to_le_bytes())));
}

fn each_bit(first_word: i64, words: &[u64], mut f: impl FnMut(i64)) {
    for (word, &bits) in (first_word..).zip(words) {
        let mut left = bits;
        while left != 0 {
            f(word * 64 + i64::from(left.trailing_zeros()));
            left &= left - 1;
        }
    }
}

/// 64 numbers: which of them there are, and how many there are before them.
#[derive(Clone, Copy, Debug)]
pub struct BitWord {
    bits: u64,
    before: u32,
}

/// The rank of each number among the different numbers of a column.
#[derive(Debug)]
pub enum Ranks {
    /// Every number from the first on is there.
    Dense {
        /// The first.
        first: i64,
        /// How many there are.
        count: usize,
    },
    /// A bit for each number.
    Bits {
        /// The first word has the bits from 64 times this number on.
        first_word: i64,
        /// The bits.
        words: Vec<BitWord>,
    },
    /// The numbers, ascending.
    Sorted(Vec<i64>),
}

impl Ranks {
    /// The numbers, ascending.
    pub fn values(&self) -> Vec<i64> {
        match self {
            Ranks::Dense { first, count } => (*first..).take(*count).collect(),
            Ranks::Sorted(values) => values.clone(),
            Ranks::Bits { first_word, words } => {
                let mut values = Vec::with_capacity(self.len());
                let bits: Vec<u64> = words.iter().map(|word| word.bits).collect();
                each_bit(*first_word, &bits, |value| values.push(value));
                values
            }
        }
    }

    /// The rank of a number that is among them.
    pub fn rank(&self, value: i64) -> u32 {
        match self {
            Ranks::Dense { first, .. } => (value - first) as u32,
            Ranks::Bits { first_word, words } => rank_of_bit(first_word * 64, words, value),
            Ranks::Sorted(values) => values.partition_point(|&v| v < value) as u32,
        }
    }

    /// How many numbers there are.
    pub fn len(&self) -> usize {
        match self {
            Ranks::Dense { count, .. } => *count,
            Ranks::Sorted(values) => values.len(),
            Ranks::Bits { words, .. } => {
                words.last().map_or(0, |word| (word.before + word.bits.count_ones()) as usize)
            }
        }
    }

    /// The bytes that the ranks take.
    pub fn size(&self) -> usize {
        match self {
            Ranks::Dense { .. } => 0,
            Ranks::Bits { words, .. } => size_of_val(&words[..]),
            Ranks::Sorted(values) => size_of_val(&values[..]),
        }
    }
}

/// The rank of a number that is among the bits.
#[inline(always)]
pub fn rank_of_bit(first: i64, words: &[BitWord], value: i64) -> u32 {
    let at = (value - first) as usize;
    let word = &words[at / 64];
    word.before + (word.bits & ((1 << (at % 64)) - 1)).count_ones()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn integers(values: &[Option<i64>]) -> Integers {
        let mut integers = Integers::default();
        values.iter().for_each(|&value| integers.push(value));
        integers
    }

    proptest! {
        #[test]
        fn the_different_numbers_and_their_ranks(
            blocks in prop::collection::vec(
                prop::collection::vec(prop::option::of(prop_oneof![-90i64..90, -90_000i64..90_000]), 0..40),
                1..6,
            ),
            digits in prop::collection::vec(0u8..3, 6),
            most in prop_oneof![Just(16usize), Just(2_000), Just(1 << 20)],
        ) {
            let mut set = NumberSet::new(most);
            let finest = blocks.iter().zip(&digits).map(|(_, &digits)| digits).max().unwrap();
            let mut expected = BTreeSet::new();
            for (block, &digits) in blocks.iter().zip(&digits) {
                set.add(&integers(block), digits);
                expected.extend(block.iter().flatten().map(|v| v * 10i64.pow(u32::from(finest - digits))));
            }
            prop_assert_eq!(set.digits(), finest);
            prop_assert_eq!(set.has_missing(), blocks.iter().flatten().any(Option::is_none));
            let ends = expected.first().map(|&first| (first, *expected.last().unwrap()));
            prop_assert_eq!(set.ends(), ends);
            let expected: Vec<i64> = expected.into_iter().collect();
            match set.into_ranks() {
                None => prop_assert!(expected.len() * 8 > most),
                Some(ranks) => {
                    prop_assert_eq!(ranks.values(), expected.clone());
                    prop_assert_eq!(ranks.len(), expected.len());
                    for (rank, &value) in expected.iter().enumerate() {
                        prop_assert_eq!(ranks.rank(value), rank as u32);
                    }
                }
            }
        }
    }
}
