//! What the values of a column say of its form: a monoid over values, so that readers side by side look at some each.

use super::number;
use super::{DateOrder, DecimalMark, date};
use crate::column::marker;
use klimt_core::table::CommonSpelling;

/// Whether all values so far can be read in one way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Reading {
    /// Whether all can.
    pub fits_all: bool,
    /// Whether one of them would be given on in another spelling.
    pub changes: bool,
}

impl Reading {
    const EMPTY: Reading = Reading { fits_all: true, changes: false };

    fn add(&mut self, read: Option<bool>) {
        self.fits_all &= read.is_some();
        self.changes |= read == Some(true);
    }

    fn merge(&mut self, other: Reading) {
        self.fits_all &= other.fits_all;
        self.changes |= other.changes;
    }
}

/// The evidence of the values of a column. Texts that stand for missing values say nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FormEvidence {
    /// Whether there are values.
    pub(super) any: bool,
    /// With a decimal point.
    pub(super) point: Reading,
    /// With a decimal comma.
    pub(super) comma: Reading,
    /// Whether a value is another number with a comma than with a point.
    pub(super) marks_differ: bool,
    /// By the number of the order.
    pub(super) dates: [Reading; 3],
    /// Whether a value is another day when it begins with the month.
    pub(super) orders_differ: bool,
    with_time: bool,
    without_time: bool,
    /// Whether all are digits.
    digits: bool,
    leading_zero: bool,
    /// Whether all are eight digits that are a day.
    days_of_digits: bool,
    shortest: usize,
    longest: usize,
    scratch: Vec<u8>,
    other: Vec<u8>,
}

impl Default for FormEvidence {
    fn default() -> Self {
        FormEvidence {
            any: false,
            point: Reading::EMPTY,
            comma: Reading::EMPTY,
            marks_differ: false,
            dates: [Reading::EMPTY; 3],
            orders_differ: false,
            with_time: false,
            without_time: false,
            digits: true,
            leading_zero: false,
            days_of_digits: true,
            shortest: usize::MAX,
            longest: 0,
            scratch: Vec::new(),
            other: Vec::new(),
        }
    }
}

impl FormEvidence {
    /// Whether nothing that comes can change what is known: the values are texts.
    pub fn is_settled(&self) -> bool {
        !self.may_be_number() && !self.may_be_date()
    }

    fn may_be_number(&self) -> bool {
        self.point.fits_all || self.comma.fits_all
    }

    fn may_be_date(&self) -> bool {
        self.dates.iter().any(|reading| reading.fits_all)
    }

    /// Looks at a value, which is not missing.
    pub fn add(&mut self, text: &[u8]) {
        if self.is_settled() {
            return;
        }
        let Ok(text) = std::str::from_utf8(text) else { return self.settle() };
        let may_begin =
            text.bytes().next().is_some_and(|byte| byte.is_ascii_digit() || b"+-".contains(&byte));
        if !may_begin {
            if marker(text.as_bytes()).is_none() {
                self.settle();
            }
            return;
        }
        let before = self.clone_readings();
        self.add_number(text);
        self.add_date(text);
        if self.is_settled() && marker(text.as_bytes()).is_some() {
            return self.restore(before);
        }
        self.any = true;
        let is_digits = text.bytes().all(|byte| byte.is_ascii_digit());
        self.digits &= is_digits;
        self.leading_zero |= is_digits && text.len() > 1 && text.starts_with('0');
        if self.days_of_digits {
            self.scratch.clear();
            let day = date::rewrite(text, DateOrder::YearMonthDay, true, &mut self.scratch);
            self.days_of_digits = text.len() == 8 && is_digits && day.is_some();
        }
        self.shortest = self.shortest.min(text.len());
        self.longest = self.longest.max(text.len());
    }

    fn clone_readings(&self) -> (Reading, Reading, [Reading; 3], bool, bool) {
        (self.point, self.comma, self.dates, self.with_time, self.without_time)
    }

    fn restore(&mut self, before: (Reading, Reading, [Reading; 3], bool, bool)) {
        (self.point, self.comma, self.dates, self.with_time, self.without_time) = before;
    }

    fn settle(&mut self) {
        self.any = true;
        (self.digits, self.days_of_digits) = (false, false);
        for reading in [&mut self.point, &mut self.comma].into_iter().chain(&mut self.dates) {
            reading.fits_all = false;
        }
    }

    fn add_number(&mut self, text: &str) {
        if !self.may_be_number() {
            return;
        }
        let (point, comma) = (&mut self.scratch, &mut self.other);
        point.clear();
        comma.clear();
        let by_point = number::rewrite(text, DecimalMark::Point, point);
        let by_comma = number::rewrite(text, DecimalMark::Comma, comma);
        self.point.add(by_point.then(|| point.as_slice() != text.as_bytes()));
        self.comma.add(by_comma.then(|| comma.as_slice() != text.as_bytes()));
        self.marks_differ |= by_point && by_comma && point != comma;
    }

    fn add_date(&mut self, text: &str) {
        if !self.may_be_date() {
            return;
        }
        let mut days_first = None;
        for (order, reading) in DateOrder::ALL.into_iter().zip(&mut self.dates) {
            self.scratch.clear();
            let read = date::rewrite(text, order, false, &mut self.scratch);
            let changes = !(order == DateOrder::YearMonthDay && is_iso(text));
            reading.add(read.map(|_| changes));
            if let Some(read) = read {
                self.with_time |= read.has_time;
                self.without_time |= !read.has_time;
            }
            match order {
                DateOrder::DayMonthYear => days_first = read.map(|_| self.scratch.clone()),
                DateOrder::MonthDayYear if read.is_some() => {
                    self.orders_differ |= days_first.as_ref().is_some_and(|day| *day != self.scratch);
                }
                _ => {}
            }
        }
        if self.with_time && self.without_time {
            self.dates.iter_mut().for_each(|reading| reading.fits_all = false);
        }
    }

    /// Looks at whole numbers in their shortest spelling, of which the least and the greatest are given.
    pub fn add_whole(&mut self, least: i64, greatest: i64) {
        for number in [least, greatest] {
            self.add(itoa::Buffer::new().format(number).as_bytes());
        }
    }

    /// Whether every number that is spelt so has to be looked at: as with some, a comma may be meant.
    pub fn looks_at(&self, spelled: CommonSpelling) -> bool {
        !self.is_settled() && (self.comma.fits_all || !matches!(spelled, CommonSpelling::Decimals { .. }))
    }

    /// Joins what others saw.
    pub fn merge(&mut self, other: &FormEvidence) {
        self.any |= other.any;
        self.point.merge(other.point);
        self.comma.merge(other.comma);
        self.marks_differ |= other.marks_differ;
        for (mine, theirs) in self.dates.iter_mut().zip(other.dates) {
            mine.merge(theirs);
        }
        self.orders_differ |= other.orders_differ;
        self.with_time |= other.with_time;
        self.without_time |= other.without_time;
        if self.with_time && self.without_time {
            self.dates.iter_mut().for_each(|reading| reading.fits_all = false);
        }
        self.digits &= other.digits;
        self.leading_zero |= other.leading_zero;
        self.days_of_digits &= other.days_of_digits;
        self.shortest = self.shortest.min(other.shortest);
        self.longest = self.longest.max(other.longest);
    }

    /// Whether all values are digits, and some has a zero at its beginning: they are codes, and no numbers.
    pub fn has_leading_zeros(&self) -> bool {
        self.any && self.digits && self.leading_zero
    }

    /// Whether all values are eight digits that could be a day.
    pub(super) fn has_days_of_digits(&self) -> bool {
        self.any && self.digits && self.days_of_digits
    }

    /// Whether all values are as many digits, more than one.
    pub fn has_one_length(&self) -> bool {
        self.any && self.digits && self.shortest == self.longest && self.longest > 1
    }
}

/// Whether a date is written as ISO 8601 has it, so that it stays as it is.
fn is_iso(text: &str) -> bool {
    let bytes = text.as_bytes();
    let parts = |at: usize| bytes.get(at) == Some(&b'-');
    let day = parts(4) && parts(7) && bytes.len() >= 10 && bytes[8..10].iter().all(u8::is_ascii_digit);
    day && (bytes.len() == 10 || (bytes.len() >= 16 && matches!(bytes[10], b'T' | b' ') && bytes[13] == b':'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of(texts: &[String]) -> FormEvidence {
        let mut evidence = FormEvidence::default();
        texts.iter().for_each(|text| evidence.add(text.as_bytes()));
        FormEvidence { scratch: Vec::new(), other: Vec::new(), ..evidence }
    }

    /// What a decision may look at.
    fn told(evidence: &FormEvidence) -> impl PartialEq + std::fmt::Debug + use<> {
        let fits = |reading: Reading| reading.fits_all.then_some(reading.changes);
        let FormEvidence { any, point, comma, dates, .. } = evidence.clone();
        let number = evidence.may_be_number() && evidence.marks_differ;
        let date = evidence.may_be_date() && evidence.orders_differ;
        let codes = (evidence.has_leading_zeros(), evidence.has_one_length());
        (any, fits(point), fits(comma), dates.map(fits), number, date, codes)
    }

    fn values() -> impl Strategy<Value = String> {
        prop_oneof![
            "[0-9]{1,3}([.,][0-9]{3}){0,2}",
            "-?[0-9]{1,4}[.,][0-9]{1,4}",
            "[0-3]?[0-9]/[01]?[0-9]/20[0-9]{2}",
            "0?[0-9]{4}",
            "20[0-9]{2}-0[1-9]-1[0-9]( 10:30:00)?",
            "n/a",
            "x",
        ]
    }

    proptest! {
        #[test]
        fn evidence_does_not_depend_on_how_values_are_shared_out(
            a in prop::collection::vec(values(), 0..5),
            b in prop::collection::vec(values(), 0..5),
        ) {
            let all: Vec<String> = a.iter().chain(&b).cloned().collect();
            let mut merged = of(&a);
            merged.merge(&of(&b));
            prop_assert_eq!(told(&merged), told(&of(&all)));
            let mut other = of(&b);
            other.merge(&of(&a));
            prop_assert_eq!(told(&other), told(&of(&all)));
        }
    }
}
