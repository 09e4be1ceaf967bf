//! How the numbers and dates of a column are written: `1.234,56` or `1,234.56`, `31.12.2020` or `12/31/2020`. The form is
//! recognised from all values of a column, and values are given on in one spelling: `1234.56`, `2020-12-31`.

mod date;
mod decide;
mod evidence;
mod number;

pub(crate) use decide::{FormDecision, decide, forms_to_find};
pub use evidence::FormEvidence;

use std::fmt;
use std::str::FromStr;

/// The mark between the whole part of a number and its fraction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DecimalMark {
    /// As in `1,234.56`.
    Point,
    /// As in `1.234,56`.
    Comma,
}

impl DecimalMark {
    /// The mark itself.
    pub fn name(self) -> &'static str {
        match self {
            DecimalMark::Point => ".",
            DecimalMark::Comma => ",",
        }
    }
}

impl fmt::Display for DecimalMark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for DecimalMark {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "." => Ok(DecimalMark::Point),
            "," => Ok(DecimalMark::Comma),
            _ => Err("the mark of decimals is , or .".to_string()),
        }
    }
}

/// The order of day, month and year in a date.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DateOrder {
    /// As in `31.12.2020`.
    DayMonthYear,
    /// As in `12/31/2020`.
    MonthDayYear,
    /// As in `2020/12/31`.
    YearMonthDay,
}

impl DateOrder {
    /// Every order.
    pub const ALL: [DateOrder; 3] =
        [DateOrder::DayMonthYear, DateOrder::MonthDayYear, DateOrder::YearMonthDay];

    /// Its name: the first letters of the parts.
    pub fn name(self) -> &'static str {
        match self {
            DateOrder::DayMonthYear => "dmy",
            DateOrder::MonthDayYear => "mdy",
            DateOrder::YearMonthDay => "ymd",
        }
    }
}

impl fmt::Display for DateOrder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for DateOrder {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = DateOrder::ALL.into_iter().find(|order| order.name() == text);
        found.ok_or_else(|| "the form of dates is dmy, mdy or ymd".to_string())
    }
}

/// How the values of a column are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueForm {
    /// As numbers with this mark; the other one, spaces and apostrophes may stand between thousands.
    Number(DecimalMark),
    /// As dates in this order, with a time of day or without.
    Date(DateOrder),
}

impl ValueForm {
    /// Appends a value in the one spelling that all forms are given on in. Returns whether it is of this form; one that is
    /// not is not appended.
    pub fn rewrite(self, text: &[u8], declared: bool, out: &mut Vec<u8>) -> bool {
        let Ok(text) = std::str::from_utf8(text) else { return false };
        match self {
            ValueForm::Number(mark) => number::rewrite(text, mark, out),
            ValueForm::Date(order) => date::rewrite(text, order, declared, out).is_some(),
        }
    }

    /// What values of this form are called in messages.
    pub fn noun(self) -> &'static str {
        match self {
            ValueForm::Number(DecimalMark::Point) => "numbers with a decimal point",
            ValueForm::Number(DecimalMark::Comma) => "numbers with a decimal comma",
            ValueForm::Date(DateOrder::DayMonthYear) => "dates of day, month and year",
            ValueForm::Date(DateOrder::MonthDayYear) => "dates of month, day and year",
            ValueForm::Date(DateOrder::YearMonthDay) => "dates of year, month and day",
        }
    }

    /// The option that declares the form, and its value.
    pub fn option(self) -> (&'static str, &'static str) {
        match self {
            ValueForm::Number(mark) => ("decimal", mark.name()),
            ValueForm::Date(order) => ("date-form", order.name()),
        }
    }
}

/// What is said of how a column is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FormSpec {
    /// Values are taken as they are.
    #[default]
    AsItIs,
    /// The form is recognised from all values.
    Recognise,
    /// The form that somebody named.
    Declared(ValueForm),
    /// The form that was recognised.
    Recognised(ValueForm),
}

impl FormSpec {
    /// The form in which values are written, where they are rewritten.
    pub fn form(self) -> Option<ValueForm> {
        match self {
            FormSpec::Declared(form) | FormSpec::Recognised(form) => Some(form),
            FormSpec::AsItIs | FormSpec::Recognise => None,
        }
    }
}

#[cfg(test)]
mod tests;
