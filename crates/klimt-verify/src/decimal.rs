//! Exact decimal numbers.

use klimt_core::requirement::Level;
use std::{cmp::Ordering, fmt, str::FromStr};

/// More digits than this behind the point are not read as a number: ten to this power still fits.
const MOST_DIGITS: u32 = 38;

/// An exact decimal number, `units · 10^-scale`, in lowest terms: the last digit behind the point is not zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decimal {
    units: i128,
    scale: u32,
}

impl Decimal {
    /// The number `units · 10^-scale`; the scale is at most 38.
    pub(crate) fn new(mut units: i128, mut scale: u32) -> Self {
        debug_assert!(scale <= MOST_DIGITS);
        while scale > 0 && units % 10 == 0 {
            units /= 10;
            scale -= 1;
        }
        Decimal { units, scale }
    }

    /// This number less another; `None` when the result has too many digits.
    pub fn checked_sub(self, other: Decimal) -> Option<Decimal> {
        let scale = self.scale.max(other.scale);
        let units = |number: Decimal| number.units.checked_mul(10i128.pow(scale - number.scale));
        Some(Decimal::new(units(self)?.checked_sub(units(other)?)?, scale))
    }

    /// The number as the level of a requirement.
    pub(crate) fn to_level(self) -> Level {
        Level::ratio(self.units, 10i128.pow(self.scale))
    }

    /// The number as an integer, where it is one that fits.
    pub(crate) fn to_integer(self) -> Option<i64> {
        if self.scale == 0 { i64::try_from(self.units).ok() } else { None }
    }

    /// The nearest floating-point number, for display; decisions are made on the exact one.
    pub(crate) fn to_f64(self) -> f64 {
        self.to_string().parse().expect("a decimal is written as a floating-point number is")
    }
}

impl From<u64> for Decimal {
    fn from(units: u64) -> Self {
        Decimal::new(i128::from(units), 0)
    }
}

impl PartialOrd for Decimal {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Decimal {
    /// Compares the whole parts first; what is left of each is less than one, so that bringing it to the other's
    /// scale cannot overflow.
    fn cmp(&self, other: &Self) -> Ordering {
        let one = |number: &Decimal| 10i128.pow(number.scale);
        let whole = |number: &Decimal| number.units.div_euclid(one(number));
        let scale = self.scale.max(other.scale);
        let part = |number: &Decimal| number.units.rem_euclid(one(number)) * 10i128.pow(scale - number.scale);
        whole(self).cmp(&whole(other)).then_with(|| part(self).cmp(&part(other)))
    }
}

impl FromStr for Decimal {
    type Err = ();

    /// Reads whole numbers, decimals and powers of ten: `-12`, `+3.50`, `.5`, `3.`, `2.5e-3`.
    fn from_str(text: &str) -> Result<Self, ()> {
        let (mantissa, exponent) = match text.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, exponent.parse::<i32>().map_err(|_| ())?),
            None => (text, 0),
        };
        let digits = mantissa.strip_prefix(['-', '+']).unwrap_or(mantissa);
        let (whole, part) = digits.split_once('.').unwrap_or((digits, ""));
        if whole.is_empty() && part.is_empty() {
            return Err(());
        }
        let mut units = 0i128;
        for digit in whole.bytes().chain(part.bytes()) {
            if !digit.is_ascii_digit() {
                return Err(());
            }
            units = units.checked_mul(10).and_then(|u| u.checked_add(i128::from(digit - b'0'))).ok_or(())?;
        }
        let units = if mantissa.starts_with('-') { -units } else { units };
        let scale = i64::try_from(part.len()).map_err(|_| ())? - i64::from(exponent);
        if scale >= 0 {
            let scale = u32::try_from(scale).ok().filter(|&scale| scale <= MOST_DIGITS).ok_or(())?;
            return Ok(Decimal::new(units, scale));
        }
        let power = u32::try_from(-scale).ok().and_then(|power| 10i128.checked_pow(power)).ok_or(())?;
        Ok(Decimal::new(units.checked_mul(power).ok_or(())?, 0))
    }
}

impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.units < 0 { "-" } else { "" };
        let digits = self.units.unsigned_abs().to_string();
        let scale = self.scale as usize;
        if scale == 0 {
            return write!(f, "{sign}{digits}");
        }
        let digits = format!("{digits:0>least$}", least = scale + 1);
        let (whole, part) = digits.split_at(digits.len() - scale);
        write!(f, "{sign}{whole}.{part}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(text: &str) -> Decimal {
        text.parse().unwrap_or_else(|()| panic!("{text}"))
    }

    #[test]
    fn numbers_are_read_exactly() {
        let spellings = [
            ("-12.50", "-12.5"),
            (".5", "0.5"),
            ("3.", "3"),
            ("1e3", "1000"),
            ("-2.5E-3", "-0.0025"),
            ("+007", "7"),
        ];
        for (text, shortest) in spellings {
            assert_eq!(number(text).to_string(), shortest);
        }
        assert_eq!(number("1.50"), number("15e-1"));
        assert_eq!((number("2.5").to_f64(), number("2.5").to_integer()), (2.5, None));
        assert_eq!(number("20").to_integer(), Some(20));
        for text in ["", "-", ".", "1.2.3", "1e", "e1", "--1", "1_0", " 1", "1e-39", "1e39", "NaN", "١"] {
            assert!(text.parse::<Decimal>().is_err(), "{text}");
        }
    }

    #[test]
    fn differences_are_exact() {
        let difference = |a, b| number(a).checked_sub(number(b)).map(|d| d.to_string());
        assert_eq!(difference("0.3", "0.1").as_deref(), Some("0.2"));
        assert_eq!(difference("1", "-0.05").as_deref(), Some("1.05"));
        assert_eq!(difference("1e38", "1e-38"), None);
    }

    #[test]
    fn comparison_is_exact_where_a_common_scale_does_not_fit() {
        let ascending = [
            "-1e38",
            "-170141183.5",
            "-170141183.46046923173168730371588410572",
            "-0.1",
            "0",
            "1e-38",
            "0.1",
            "170141183.46046923173168730371588410572",
            "170141183.5",
            "1e38",
        ];
        for (i, a) in ascending.iter().enumerate() {
            for (j, b) in ascending.iter().enumerate() {
                assert_eq!(number(a).cmp(&number(b)), i.cmp(&j), "{a} {b}");
            }
        }
    }
}
