//! Exact decimal numbers: a whole number of units of a power of ten.

use std::{cmp::Ordering, fmt, str::FromStr};

/// An exact decimal: `units · 10^-scale`.
#[derive(Clone, Copy, Debug)]
pub struct Decimal {
    /// The number in units of its scale.
    pub units: i128,
    /// How many digits stand behind the point; at most 30.
    pub scale: u32,
}

/// More digits than this behind the point are not read as a number.
const MAX_SCALE: u32 = 30;

impl Decimal {
    /// The text of the number with all digits of its scale, zeros included.
    pub fn spelt(self) -> String {
        let sign = if self.units < 0 { "-" } else { "" };
        let scale = self.scale as usize;
        let digits = format!("{:0>width$}", self.units.unsigned_abs(), width = scale + 1);
        let (whole, fraction) = digits.split_at(digits.len() - scale);
        if scale == 0 { format!("{sign}{whole}") } else { format!("{sign}{whole}.{fraction}") }
    }

    /// A whole number.
    pub const fn whole(units: i128) -> Self {
        Decimal { units, scale: 0 }
    }

    /// The same number at a finer scale; `None` when it does not fit.
    pub fn rescaled(self, scale: u32) -> Option<i128> {
        self.units.checked_mul(10i128.checked_pow(scale.checked_sub(self.scale)?)?)
    }
}

/// Brings numbers to their common scale; `None` when one does not fit.
pub fn align(numbers: &[Decimal]) -> Option<(Vec<i128>, u32)> {
    let scale = numbers.iter().map(|n| n.scale).max().unwrap_or(0);
    let units = numbers.iter().map(|n| n.rescaled(scale)).collect::<Option<_>>()?;
    Some((units, scale))
}

impl PartialEq for Decimal {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Decimal {}

impl PartialOrd for Decimal {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Decimal {
    fn cmp(&self, other: &Self) -> Ordering {
        // The fraction fits at any scale that is read, the whole number may not.
        let parts = |d: &Decimal| {
            let unit = 10i128.pow(d.scale);
            (d.units.div_euclid(unit), d.units.rem_euclid(unit) * 10i128.pow(MAX_SCALE - d.scale))
        };
        parts(self).cmp(&parts(other))
    }
}

impl FromStr for Decimal {
    type Err = ();

    /// Reads `-12.50`, `.5`, `3.`, `1e6` and `2.5E-3`, exactly.
    fn from_str(text: &str) -> Result<Self, ()> {
        let (mantissa, exponent) = match text.find(['e', 'E']) {
            Some(at) => (&text[..at], text[at + 1..].parse::<i32>().map_err(|_| ())?),
            None => (text, 0),
        };
        let (negative, mantissa) = match mantissa.as_bytes().first() {
            Some(b'-') => (true, &mantissa[1..]),
            Some(b'+') => (false, &mantissa[1..]),
            _ => (false, mantissa),
        };
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        if whole.is_empty() && fraction.is_empty() {
            return Err(());
        }
        let mut units = 0i128;
        for digit in whole.bytes().chain(fraction.bytes()) {
            if !digit.is_ascii_digit() {
                return Err(());
            }
            units = units.checked_mul(10).and_then(|u| u.checked_add(i128::from(digit - b'0'))).ok_or(())?;
        }
        if negative {
            units = -units;
        }
        let scale = i64::try_from(fraction.len()).map_err(|_| ())? - i64::from(exponent);
        if scale > i64::from(MAX_SCALE) {
            return Err(());
        }
        match u32::try_from(scale) {
            Ok(scale) => Ok(Decimal { units, scale }),
            Err(_) => {
                let power = u32::try_from(-scale).map_err(|_| ())?;
                let factor = 10i128.checked_pow(power).ok_or(())?;
                Ok(Decimal::whole(units.checked_mul(factor).ok_or(())?))
            }
        }
    }
}

impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = self.spelt();
        f.write_str(if self.scale == 0 { &text } else { text.trim_end_matches('0').trim_end_matches('.') })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn d(text: &str) -> Decimal {
        text.parse().unwrap()
    }

    #[test]
    fn reads_exactly() {
        assert_eq!(d("12.50").to_string(), "12.5");
        assert_eq!(d("12.50").spelt(), "12.50");
        assert_eq!((d("100").to_string(), d("1.00").to_string()), ("100".into(), "1".into()));
        assert_eq!(d("-0.05").to_string(), "-0.05");
        assert_eq!(d("2.5E-3").to_string(), "0.0025");
        assert_eq!(d("1e6"), Decimal::whole(1_000_000));
        assert_eq!(d(".5"), d("0.50"));
        assert!(d("170141183.5") > d("170141183.460469231731687303715884"));
        assert!(d("-1.5") < d("-1.4") && d("-0.5") < d("0"));
        assert!(d("0.1") < d("0.10000000000000000001"));
        for bad in ["", ".", "-", "1.2.3", "1e", "abc", "1,5", "inf", "NaN", "1e-99"] {
            assert!(bad.parse::<Decimal>().is_err(), "{bad}");
        }
    }
}
