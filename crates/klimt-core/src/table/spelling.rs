//! How the numbers, days and instants of a column are spelt, so that a whole number of units determines the text.

use super::ValueType;
use jiff::civil::{Date, date};

/// How every value of a column is spelt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spelling {
    /// Decimals with this many digits behind the point, such as `-12.50`; whole numbers with none.
    Fixed(u8),
    /// Decimals without zeros at their end, such as `-12.5`, in units of this many digits behind the point.
    Shortest(u8),
    /// Days such as `2024-02-29`, counted from 1970-01-01.
    Date,
    /// Instants in whole seconds such as `2024-02-29T10:00:00`, in seconds from 1970-01-01.
    Timestamp {
        /// The separator of day and time: `T` or a space.
        separator: u8,
        /// Whether a `Z` follows.
        utc: bool,
    },
}

/// The microseconds of a second, in which instants lie on their axis.
const MICROS: i64 = 1_000_000;
/// The seconds of a day.
const DAY: i64 = 86_400;
/// Numbers with more digits are not taken for units.
const MOST_DIGITS: usize = 18;

impl Spelling {
    /// Whole numbers in their shortest spelling.
    pub const WHOLE: Spelling = Spelling::Fixed(0);

    /// The type of values that are spelt so.
    pub fn value_type(self) -> ValueType {
        match self {
            Spelling::Fixed(0) | Spelling::Shortest(0) => ValueType::Integer,
            Spelling::Fixed(_) | Spelling::Shortest(_) => ValueType::Decimal,
            Spelling::Date => ValueType::Date,
            Spelling::Timestamp { .. } => ValueType::Timestamp,
        }
    }

    /// The digits behind the point of a position on the axis of the type.
    pub fn scale(self) -> u32 {
        match self {
            Spelling::Fixed(digits) | Spelling::Shortest(digits) => u32::from(digits),
            Spelling::Date => 0,
            Spelling::Timestamp { .. } => 6,
        }
    }

    /// How far apart two neighbouring units lie on the axis of the type.
    pub fn step(self) -> i64 {
        if matches!(self, Spelling::Timestamp { .. }) { MICROS } else { 1 }
    }

    /// Appends the text of a number of units.
    pub fn write(self, units: i64, out: &mut Vec<u8>) {
        match self {
            Spelling::Fixed(0) => out.extend_from_slice(itoa::Buffer::new().format(units).as_bytes()),
            Spelling::Fixed(digits) => write_decimal(units, digits, out),
            Spelling::Shortest(digits) => {
                let (mut units, mut digits) = (units, digits);
                while digits > 0 && units % 10 == 0 {
                    (units, digits) = (units / 10, digits - 1);
                }
                write_decimal(units, digits, out);
            }
            Spelling::Date => write_day(units, out),
            Spelling::Timestamp { separator, utc } => {
                write_day(units.div_euclid(DAY), out);
                let second = units.rem_euclid(DAY);
                out.push(separator);
                for (part, end) in [(second / 3600, b':'), (second / 60 % 60, b':'), (second % 60, b'Z')] {
                    out.extend([b'0' + (part / 10) as u8, b'0' + (part % 10) as u8, end]);
                }
                if !utc {
                    out.pop();
                }
            }
        }
    }
}

fn write_decimal(units: i64, digits: u8, out: &mut Vec<u8>) {
    if units < 0 {
        out.push(b'-');
    }
    let power = 10u64.pow(u32::from(digits));
    let size = units.unsigned_abs();
    out.extend_from_slice(itoa::Buffer::new().format(size / power).as_bytes());
    if digits > 0 {
        // A leading one keeps the zeros behind the point.
        let mut buffer = itoa::Buffer::new();
        let fraction = buffer.format(power + size % power).as_bytes();
        out.push(b'.');
        out.extend_from_slice(&fraction[1..]);
    }
}

fn write_day(days: i64, out: &mut Vec<u8>) {
    let day = jiff::Span::new().try_days(days).and_then(|span| date(1970, 1, 1).checked_add(span));
    let day = day.expect("days are read from dates of four digits a year");
    let (year, month, day) = (day.year() as u16, day.month() as u8, day.day() as u8);
    let (century, year) = ((year / 100) as u8, (year % 100) as u8);
    for (part, end) in [(century, None), (year, Some(b'-')), (month, Some(b'-')), (day, None)] {
        out.extend([b'0' + part / 10, b'0' + part % 10]);
        out.extend(end);
    }
}

/// The common spelling of some values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommonSpelling {
    /// There are no values yet.
    Nothing,
    /// Decimals.
    Decimals {
        /// The digits behind the point, where all have as many.
        fixed: Option<u8>,
        /// Whether none ends with a zero behind the point.
        shortest: bool,
        /// The most digits behind the point.
        digits: u8,
    },
    /// Days.
    Dates,
    /// Instants.
    Timestamps {
        /// The separator of day and time.
        separator: u8,
        /// Whether a `Z` follows.
        utc: bool,
    },
    /// Not enough: a number of units would not tell the text.
    Mixed,
}

impl CommonSpelling {
    /// Whole numbers.
    pub const WHOLE: CommonSpelling = CommonSpelling::Decimals { fixed: Some(0), shortest: true, digits: 0 };

    /// The units of a text and how it is spelt; `None` for a text that units cannot give back.
    pub fn read(text: &[u8]) -> Option<(i64, CommonSpelling)> {
        match text {
            [_, _, _, _, b'-', _, _, b'-', _, _] => Some((read_day(text)?, CommonSpelling::Dates)),
            [day @ .., separator @ (b'T' | b' '), h1, h2, b':', m1, m2, b':', s1, s2] => {
                let seconds = instant(day, [*h1, *h2, *m1, *m2, *s1, *s2])?;
                Some((seconds, CommonSpelling::Timestamps { separator: *separator, utc: false }))
            }
            [day @ .., separator @ (b'T' | b' '), h1, h2, b':', m1, m2, b':', s1, s2, b'Z'] => {
                let seconds = instant(day, [*h1, *h2, *m1, *m2, *s1, *s2])?;
                Some((seconds, CommonSpelling::Timestamps { separator: *separator, utc: true }))
            }
            _ => read_decimal(text),
        }
    }

    /// The common spelling of these values and others.
    #[must_use]
    pub fn join(self, other: CommonSpelling) -> CommonSpelling {
        use CommonSpelling::{Decimals, Mixed, Nothing};
        match (self, other) {
            (Nothing, spelled) | (spelled, Nothing) => spelled,
            (
                Decimals { fixed: a, shortest: b, digits: c },
                Decimals { fixed: x, shortest: y, digits: z },
            ) => {
                let (fixed, shortest) = (a.filter(|_| a == x), b && y);
                if fixed.is_none() && !shortest {
                    return Mixed;
                }
                Decimals { fixed, shortest, digits: c.max(z) }
            }
            (same, other) if same == other => same,
            _ => Mixed,
        }
    }

    /// The most digits behind the point.
    pub fn digits(self) -> u8 {
        if let CommonSpelling::Decimals { digits, .. } = self { digits } else { 0 }
    }

    /// How all values are spelt, where there is one such way.
    pub fn spelling(self) -> Option<Spelling> {
        match self {
            CommonSpelling::Decimals { fixed: Some(digits), .. } => Some(Spelling::Fixed(digits)),
            CommonSpelling::Decimals { shortest: true, digits, .. } => Some(Spelling::Shortest(digits)),
            CommonSpelling::Dates => Some(Spelling::Date),
            CommonSpelling::Timestamps { separator, utc } => Some(Spelling::Timestamp { separator, utc }),
            CommonSpelling::Decimals { .. } | CommonSpelling::Nothing | CommonSpelling::Mixed => None,
        }
    }
}

/// A number that is spelt with no more than it needs before the point.
fn read_decimal(text: &[u8]) -> Option<(i64, CommonSpelling)> {
    let (negative, unsigned) = match text {
        [b'-', rest @ ..] => (true, rest),
        _ => (false, text),
    };
    let (mut units, mut point) = (0i64, None);
    if unsigned.len() > MOST_DIGITS {
        return None;
    }
    for (at, &byte) in unsigned.iter().enumerate() {
        match byte {
            b'0'..=b'9' => units = units * 10 + i64::from(byte - b'0'),
            b'.' if point.is_none() => point = Some(at),
            _ => return None,
        }
    }
    let whole = point.unwrap_or(unsigned.len());
    let digits = point.map_or(0, |at| unsigned.len() - at - 1);
    let needless = whole > 1 && unsigned[0] == b'0';
    if whole == 0 || needless || (negative && units == 0) || (point.is_some() && digits == 0) {
        return None;
    }
    let (shortest, digits) = (digits == 0 || !text.ends_with(b"0"), digits as u8);
    let spelled = CommonSpelling::Decimals { fixed: Some(digits), shortest, digits };
    Some((if negative { -units } else { units }, spelled))
}

fn number(text: &[u8]) -> Option<i64> {
    text.iter().try_fold(0, |sum, byte| byte.is_ascii_digit().then(|| sum * 10 + i64::from(byte - b'0')))
}

fn read_day(text: &[u8]) -> Option<i64> {
    let [y1, y2, y3, y4, b'-', m1, m2, b'-', d1, d2] = *text else { return None };
    let (year, month, day) = (number(&[y1, y2, y3, y4])?, number(&[m1, m2])?, number(&[d1, d2])?);
    let day = Date::new(year as i16, month as i8, day as i8).ok()?;
    Some(day.duration_since(date(1970, 1, 1)).as_secs() / DAY)
}

fn instant(day: &[u8], [h1, h2, m1, m2, s1, s2]: [u8; 6]) -> Option<i64> {
    let (hour, minute, second) = (number(&[h1, h2])?, number(&[m1, m2])?, number(&[s1, s2])?);
    if hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    Some(read_day(day)? * DAY + hour * 3600 + minute * 60 + second)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::{Decimal, TypeSpec};
    use proptest::prelude::*;

    fn spell(spelling: Spelling, units: i64) -> String {
        let mut out = Vec::new();
        spelling.write(units, &mut out);
        String::from_utf8(out).unwrap()
    }

    fn texts() -> impl Strategy<Value = String> {
        prop_oneof![
            "-?[0-9]{1,3}(\\.[0-9]{0,3})?",
            "[-+.0-9e]{0,5}",
            (0i32..10_000, 0u8..14, 0u8..33).prop_map(|(y, m, d)| format!("{y:04}-{m:02}-{d:02}")),
            (1960i32..2030, 0u8..26, 0u8..62, "[T ]", "(Z|)").prop_map(|(y, h, s, separator, zone)| {
                format!("{y:04}-02-28{separator}{h:02}:59:{s:02}{zone}")
            }),
        ]
    }

    proptest! {
        #[test]
        fn what_is_read_is_written_again(values in prop::collection::vec(texts(), 1..6)) {
            let mut all = CommonSpelling::Nothing;
            let read: Vec<(i64, CommonSpelling, &String)> = values
                .iter()
                .filter_map(|text| CommonSpelling::read(text.as_bytes()).map(|(units, own)| (units, own, text)))
                .collect();
            for (units, own, text) in &read {
                let spelling = own.spelling().unwrap();
                prop_assert_eq!(&spell(spelling, *units), *text);
                let axis = TypeSpec::from(spelling.value_type()).position(text);
                let units = i128::from(*units) * i128::from(spelling.step());
                prop_assert_eq!(axis, Some(Decimal { units, scale: spelling.scale() }));
                all = all.join(*own);
            }
            if let Some(spelling) = all.spelling() {
                for (units, own, text) in &read {
                    let finer = 10i64.pow(u32::from(all.digits() - own.digits()));
                    prop_assert_eq!(&spell(spelling, units * finer), *text);
                }
            }
        }
    }

    #[test]
    fn spellings_that_units_do_not_tell_are_not_read() {
        for text in ["", "-", "-0", "-0.0", "01", "1.", ".5", "+1", "1e3", "2023-02-29", "NaN"] {
            assert_eq!(CommonSpelling::read(text.as_bytes()), None, "{text}");
        }
        let joined = |texts: &[&str]| {
            let own = |text: &&str| CommonSpelling::read(text.as_bytes()).unwrap().1;
            texts.iter().map(own).fold(CommonSpelling::Nothing, CommonSpelling::join).spelling()
        };
        assert_eq!(joined(&["1.50", "2.25"]), Some(Spelling::Fixed(2)));
        assert_eq!(joined(&["1.5", "2.25", "3"]), Some(Spelling::Shortest(2)));
        assert_eq!(joined(&["1.50", "2.5"]), None);
        assert_eq!(joined(&["1", "2024-02-29"]), None);
        assert_eq!(joined(&["2024-02-29T10:00:00", "2024-02-29 10:00:00"]), None);
        assert_eq!(joined(&["7", "-12"]), Some(Spelling::WHOLE));
    }
}
