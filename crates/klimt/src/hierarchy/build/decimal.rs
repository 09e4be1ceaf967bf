//! Decimal numbers with exact arithmetic.

use std::str::FromStr;

use crate::Error;

/// An exact decimal number: a mantissa divided by a power of ten.
#[derive(Clone, Copy, Debug)]
pub struct Decimal {
    mantissa: i128,
    /// How many digits stand after the point.
    scale: u32,
}

impl Decimal {
    /// Zero, as an integer.
    pub const ZERO: Decimal = Decimal { mantissa: 0, scale: 0 };

    /// The number that `text` shows: a sign or none, digits, and a point with more digits or none. `None` when
    /// it shows something else or has too many digits. Spaces around the number do not matter.
    pub fn parse(text: &str) -> Option<Decimal> {
        let text = text.trim();
        let (negative, digits) = match text.as_bytes().first()? {
            b'-' => (true, &text[1..]),
            b'+' => (false, &text[1..]),
            _ => (false, text),
        };
        let (whole, fraction) = match digits.split_once('.') {
            Some((_, "")) => return None,
            Some(parts) => parts,
            None => (digits, ""),
        };
        if whole.is_empty() && fraction.is_empty() {
            return None;
        }
        let mut mantissa: i128 = 0;
        for byte in whole.bytes().chain(fraction.bytes()) {
            let digit = byte.is_ascii_digit().then(|| i128::from(byte - b'0'))?;
            mantissa = mantissa.checked_mul(10)?.checked_add(digit)?;
        }
        let scale = u32::try_from(fraction.len()).ok()?;
        Some(Decimal { mantissa: if negative { -mantissa } else { mantissa }, scale })
    }

    /// How many digits stand after the point, zeros included; 0 for a number written as an integer.
    pub fn scale(&self) -> u32 {
        self.scale
    }

    /// The mantissa at a scale at least as large as its own; `None` when it has too many digits.
    pub(super) fn at_scale(&self, scale: u32) -> Option<i128> {
        10i128.checked_pow(scale.checked_sub(self.scale)?)?.checked_mul(self.mantissa)
    }
}

impl From<i64> for Decimal {
    fn from(value: i64) -> Self {
        Decimal { mantissa: value.into(), scale: 0 }
    }
}

impl FromStr for Decimal {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let error = || Error::input("not a decimal number").with_help("write it as 12 or -3.5");
        Decimal::parse(text).ok_or_else(error)
    }
}

/// The text of `mantissa` with `scale` digits after the point.
pub(super) fn format_scaled(mantissa: i128, scale: u32) -> String {
    let sign = if mantissa < 0 { "-" } else { "" };
    let scale = scale as usize;
    let digits = format!("{:0>width$}", mantissa.unsigned_abs(), width = scale + 1);
    let (whole, fraction) = digits.split_at(digits.len() - scale);
    if scale == 0 { format!("{sign}{whole}") } else { format!("{sign}{whole}.{fraction}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn shown(text: &str) -> Option<String> {
        Decimal::parse(text).map(|number| format_scaled(number.mantissa, number.scale))
    }

    #[test]
    fn numbers_are_read_exactly() {
        let cases =
            [("12", "12"), ("+7", "7"), ("-3.50", "-3.50"), (".5", "0.5"), ("-0.05", "-0.05"), (" 8 ", "8")];
        cases
            .iter()
            .for_each(|(text, expected)| assert_eq!(shown(text).as_deref(), Some(*expected), "{text}"));
        assert_eq!(shown("-0"), Some("0".into()));
        assert_eq!(shown(&i128::MAX.to_string()), Some(i128::MAX.to_string()));
    }

    #[test]
    fn anything_else_is_no_number() {
        for text in ["", " ", "-", "+", ".", "5.", "1e5", "1,5", "0x1", "1.2.3", "--1", "1 2", "é", "٣"] {
            assert!(Decimal::parse(text).is_none(), "{text}");
        }
        assert!(Decimal::parse(&"9".repeat(40)).is_none());
        assert!("a".parse::<Decimal>().is_err());
    }

    #[test]
    fn a_larger_scale_keeps_the_number() {
        assert_eq!(Decimal::parse("-1.5").unwrap().at_scale(3), Some(-1500));
        assert_eq!(Decimal::from(2).at_scale(1), Some(20));
        assert_eq!(Decimal::from(i64::MAX).at_scale(30), None);
        assert_eq!(Decimal::parse("1.50").unwrap().at_scale(1), None);
    }

    proptest! {
        #[test]
        fn text_round_trips(mantissa in any::<i64>(), scale in 0u32..25) {
            let text = format_scaled(mantissa.into(), scale);
            let back = Decimal::parse(&text).unwrap();
            prop_assert_eq!((back.mantissa, back.scale), (i128::from(mantissa), scale));
        }
    }
}
