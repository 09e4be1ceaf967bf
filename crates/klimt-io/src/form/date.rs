//! Dates of numbers, in any order, with a time of day or without.

use super::DateOrder;
use std::io::Write;

/// The form of a date that was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DateText {
    /// Whether a time of day follows.
    pub has_time: bool,
}

/// A year of two digits up to this one is of this century, as in Excel.
pub const PIVOT: u16 = 29;

/// Appends a date as `2020-12-31`, and one with a time as `2020-12-31T23:59:00`. Eight digits are a date only where that is
/// declared. Nothing is appended where the text is no date of this order.
pub fn rewrite(text: &str, order: DateOrder, declared: bool, out: &mut Vec<u8>) -> Option<DateText> {
    let (day, rest) = read_day(text, order, declared)?;
    let time = match rest {
        "" => None,
        rest => Some(read_time(rest)?),
    };
    let (year, month, day) = day;
    write!(out, "{year:04}-{month:02}-{day:02}").ok()?;
    if let Some(time) = &time {
        write!(out, "T{:02}:{:02}:{:02}{}{}", time.hour, time.minute, time.second, time.fraction, time.zone)
            .ok()?;
    }
    Some(DateText { has_time: time.is_some() })
}

type Day = (u16, u8, u8);

/// Year, month and day at the beginning of a text, and what follows them.
fn read_day(text: &str, order: DateOrder, declared: bool) -> Option<(Day, &str)> {
    let (first, rest) = number(text)?;
    if first.len() == 8 && declared && order == DateOrder::YearMonthDay {
        let day = checked(&first[..4], &first[4..6], &first[6..])?;
        return Some((day, rest));
    }
    let separator = rest.chars().next().filter(|c| matches!(c, '.' | '/' | '-'))?;
    let (second, rest) = number(&rest[1..])?;
    let (third, rest) = number(rest.strip_prefix(separator)?)?;
    let day = match order {
        DateOrder::YearMonthDay => checked(first, second, third)?,
        DateOrder::DayMonthYear => checked(third, second, first)?,
        // Nobody writes the month first and points between.
        DateOrder::MonthDayYear if separator == '.' && !declared => return None,
        DateOrder::MonthDayYear => checked(third, first, second)?,
    };
    // A year of two digits at the beginning could be anything.
    let is_long = first.len() == 4 || third.len() == 4;
    (is_long || order != DateOrder::YearMonthDay).then_some((day, rest))
}

/// The digits at the beginning of a text, and what follows them.
fn number(text: &str) -> Option<(&str, &str)> {
    let end = text.bytes().position(|byte| !byte.is_ascii_digit()).unwrap_or(text.len());
    (end > 0).then(|| text.split_at(end))
}

/// A day that there is.
fn checked(year: &str, month: &str, day: &str) -> Option<Day> {
    let short = |text: &str| (text.len() <= 2).then(|| text.parse::<u8>().ok()).flatten();
    let (month, day) = (short(month)?, short(day)?);
    let year = match (year.len(), year.parse::<u16>().ok()?) {
        (4, year) => year,
        (2, year) if year <= PIVOT => 2000 + year,
        (2, year) => 1900 + year,
        _ => return None,
    };
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        2 => 28 + u8::from(leap),
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return None,
    };
    ((1..=days).contains(&day) && year > 0).then_some((year, month, day))
}

struct Time<'a> {
    hour: u8,
    minute: u8,
    second: u8,
    /// With its point.
    fraction: &'a str,
    zone: &'a str,
}

/// A time of day behind a date, with what stands between them.
fn read_time(text: &str) -> Option<Time<'_>> {
    let text = text.strip_prefix(['T', ' ']).or_else(|| text.strip_prefix(", "))?;
    let (text, half) = match text.char_indices().rev().nth(1) {
        Some((at, _)) if text[at..].eq_ignore_ascii_case("am") => (text[..at].trim_end(), Some(0)),
        Some((at, _)) if text[at..].eq_ignore_ascii_case("pm") => (text[..at].trim_end(), Some(12)),
        _ => (text, None),
    };
    let (hour, rest) = number(text).filter(|(hour, _)| hour.len() <= 2)?;
    let (minute, rest) = number(rest.strip_prefix(':')?).filter(|(minute, _)| minute.len() == 2)?;
    let (second, rest) = match rest.strip_prefix(':') {
        Some(rest) => number(rest).filter(|(second, _)| second.len() == 2)?,
        None => ("0", rest),
    };
    let (fraction, zone) = match rest.strip_prefix('.') {
        Some(after) => {
            let (digits, zone) = number(after)?;
            (&rest[..=digits.len()], zone)
        }
        None => ("", rest),
    };
    let (hour, minute, second): (u8, u8, u8) =
        (hour.parse().ok()?, minute.parse().ok()?, second.parse().ok()?);
    let hour = match half {
        None => hour,
        Some(half) => (1..=12).contains(&hour).then_some(hour % 12 + half)?,
    };
    let is_zone = zone.is_empty() || (half.is_none() && is_zone(zone));
    (hour < 24 && minute < 60 && second < 60 && is_zone).then_some(Time {
        hour,
        minute,
        second,
        fraction,
        zone,
    })
}

/// `Z`, or an offset such as `+01:00`.
fn is_zone(text: &str) -> bool {
    text == "Z"
        || matches!(*text.as_bytes(), [b'+' | b'-', a, b, b':', c, d] if [a, b, c, d].iter().all(u8::is_ascii_digit))
}

#[cfg(test)]
mod tests {
    use super::*;
    use DateOrder::{DayMonthYear, MonthDayYear, YearMonthDay};
    use proptest::prelude::*;

    fn read(text: &str, order: DateOrder, declared: bool) -> Option<String> {
        let mut out = Vec::new();
        let read = rewrite(text, order, declared, &mut out);
        assert_eq!(read.is_none(), out.is_empty(), "{text}");
        read.map(|_| String::from_utf8(out).unwrap())
    }

    #[test]
    fn dates_are_read_in_the_order_of_their_form() {
        for (text, order, expected) in [
            ("31.12.2020", DayMonthYear, Some("2020-12-31")),
            ("1.2.20", DayMonthYear, Some("2020-02-01")),
            ("1.2.29", DayMonthYear, Some("2029-02-01")),
            ("1.2.30", DayMonthYear, Some("1930-02-01")),
            ("31/12/2020", DayMonthYear, Some("2020-12-31")),
            ("12/31/2020", DayMonthYear, None),
            ("12/31/2020", MonthDayYear, Some("2020-12-31")),
            ("1/2/99", MonthDayYear, Some("1999-01-02")),
            ("12.31.2020", MonthDayYear, None),
            ("2020/2/1", YearMonthDay, Some("2020-02-01")),
            ("2020-02-01", YearMonthDay, Some("2020-02-01")),
            ("20/02/01", YearMonthDay, None),
            ("20200201", YearMonthDay, None),
            ("29.02.2023", DayMonthYear, None),
            ("29.02.2024", DayMonthYear, Some("2024-02-29")),
            ("29.02.1900", DayMonthYear, None),
            ("31.04.2020", DayMonthYear, None),
            ("0.1.2020", DayMonthYear, None),
            ("1.2.2020 3:04", DayMonthYear, Some("2020-02-01T03:04:00")),
            ("01.02.2020, 23:59:58", DayMonthYear, Some("2020-02-01T23:59:58")),
            ("1/2/2020 12:04 AM", MonthDayYear, Some("2020-01-02T00:04:00")),
            ("1/2/2020 12:04:05pm", MonthDayYear, Some("2020-01-02T12:04:05")),
            ("2020/02/01 03:04:05.250", YearMonthDay, Some("2020-02-01T03:04:05.250")),
            ("2020-02-01T03:04:05+01:00", YearMonthDay, Some("2020-02-01T03:04:05+01:00")),
            ("1.2.2020 24:00", DayMonthYear, None),
            ("1.2.2020 13:00 PM", DayMonthYear, None),
            ("1.2.2020 3", DayMonthYear, None),
            ("1.2/2020", DayMonthYear, None),
            ("1.2.202", DayMonthYear, None),
            ("1.2.2020x", DayMonthYear, None),
            ("ä.2.2020", DayMonthYear, None),
            ("1.2.2020 ä", DayMonthYear, None),
        ] {
            assert_eq!(read(text, order, false).as_deref(), expected, "{text} as {order}");
        }
        assert_eq!(read("20200201", YearMonthDay, true).as_deref(), Some("2020-02-01"));
        assert_eq!(read("20201301", YearMonthDay, true), None);
        assert_eq!(read("20200201 10:30", YearMonthDay, true).as_deref(), Some("2020-02-01T10:30:00"));
        assert_eq!(read("12.31.2020", MonthDayYear, true).as_deref(), Some("2020-12-31"));
    }

    proptest! {
        #[test]
        fn a_day_is_read_in_every_order(year in 1000u16..3000, month in 1u8..=12, day in 1u8..=28) {
            let expected = Some(format!("{year}-{month:02}-{day:02}"));
            prop_assert_eq!(read(&format!("{day}.{month}.{year}"), DayMonthYear, false), expected.clone());
            prop_assert_eq!(read(&format!("{month:02}/{day:02}/{year}"), MonthDayYear, false), expected.clone());
            prop_assert_eq!(read(&format!("{year}/{month}/{day}"), YearMonthDay, false), expected);
        }

        #[test]
        fn no_text_is_too_odd(text in "[0-9./:T ,amp+Z-]{0,24}|.{0,12}") {
            for order in DateOrder::ALL {
                if let Some(once) = read(&text, order, true) {
                    prop_assert_eq!(read(&once, YearMonthDay, true), Some(once));
                }
            }
        }
    }
}
