//! Shares such as 10 %, exact, so that thresholds are decided exactly.

use crate::table::Decimal;
use serde::{Serialize, Serializer};
use std::{fmt, str::FromStr};

/// How many digits behind the point a share has.
const SCALE: u32 = 18;

/// The parts of a whole.
const WHOLE: u64 = 10u64.pow(SCALE);

/// A share in 0..=1, exact to 18 digits behind the point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Share(u64);

impl Share {
    /// Nothing.
    pub const ZERO: Share = Share(0);
    /// The whole.
    pub const ONE: Share = Share(WHOLE);

    /// A share of this many per cent; 100 at most.
    pub const fn percent(percent: u8) -> Self {
        let percent = if percent > 100 { 100 } else { percent };
        Share(WHOLE / 100 * percent as u64)
    }

    /// The share as a number.
    pub fn value(self) -> f64 {
        self.0 as f64 / WHOLE as f64
    }

    /// Whether a `size`-th of the share is more than the other share.
    pub(super) fn divided_exceeds(self, size: u64, other: Share) -> bool {
        u128::from(self.0) > u128::from(other.0) * u128::from(size)
    }

    /// Whether `part` is more than this share of `whole`.
    pub fn exceeded_by(self, part: u64, whole: u64) -> bool {
        u128::from(part) * u128::from(WHOLE) > u128::from(self.0) * u128::from(whole)
    }

    /// The whole that `part` is this share of, to the nearest whole number; `u64::MAX` if it is greater, and
    /// for the share 0.
    pub(super) fn whole_of(self, part: u64) -> u64 {
        let parts = u128::from(part) * u128::from(WHOLE) + u128::from(self.0) / 2;
        let whole = parts.checked_div(u128::from(self.0));
        whole.and_then(|whole| u64::try_from(whole).ok()).unwrap_or(u64::MAX)
    }
}

impl FromStr for Share {
    type Err = ();

    /// Reads `10%`, `12.5 %`, `0.1` and `1e-3`; digits from the 19th behind the point on are left out.
    fn from_str(text: &str) -> Result<Self, ()> {
        let (number, moved) = text.strip_suffix('%').map_or((text, 0), |percent| (percent.trim_end(), 2));
        let Decimal { units, scale } = number.parse()?;
        let scale = scale + moved;
        let parts = match SCALE.checked_sub(scale) {
            Some(finer) => units.checked_mul(10i128.pow(finer)).ok_or(())?,
            None => units / 10i128.pow(scale - SCALE),
        };
        let parts = u64::try_from(parts).map_err(|_| ())?;
        if units >= 0 && parts <= WHOLE { Ok(Share(parts)) } else { Err(()) }
    }
}

impl fmt::Display for Share {
    /// In per cent, with all digits that are not zero.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}%", Decimal { units: i128::from(self.0), scale: SCALE - 2 })
    }
}

impl Serialize for Share {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.value())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_read_exactly() {
        for (text, shown, value) in [
            ("10%", "10%", 0.1),
            ("0.1", "10%", 0.1),
            ("12.5 %", "12.5%", 0.125),
            ("1e-3", "0.1%", 0.001),
            ("7%", "7%", 0.07),
            ("1", "100%", 1.0),
            ("0%", "0%", 0.0),
            ("0.33333333333333333333", "33.3333333333333333%", 1.0 / 3.0),
        ] {
            let share: Share = text.parse().unwrap();
            assert_eq!((share.to_string().as_str(), share.value()), (shown, value), "{text}");
        }
        for wrong in ["", "%", "-1%", "-1e-19", "100.1%", "1.01", "ten", "1e30%", "nan", "10%%"] {
            assert!(wrong.parse::<Share>().is_err(), "{wrong}");
        }
        assert_eq!(Share::percent(20), "0.2".parse().unwrap());
    }

    #[test]
    fn thresholds_are_strict() {
        for size in 1..=1000u64 {
            let exact: Share = format!("{}e-3", 1000 / size).parse().unwrap();
            if 1000 % size == 0 {
                assert!(!Share::ONE.divided_exceeds(size, exact), "1/{size}");
            }
            assert!(Share::ONE.divided_exceeds(size, Share(exact.0 - 1)), "1/{size}");
        }
        // 0.3 / 3 is more than 0.1 in floating point.
        assert!(!Share::percent(30).divided_exceeds(3, Share::percent(10)));
        assert!(Share::percent(30).divided_exceeds(2, Share::percent(10)));
        assert!(!Share::ONE.divided_exceeds(u64::MAX, Share(1)));
    }

    #[test]
    fn the_whole_is_rounded_to_the_nearest() {
        assert_eq!(Share::percent(10).whole_of(8), 80);
        assert_eq!("0.3".parse::<Share>().unwrap().whole_of(5), 17);
        assert_eq!(Share::percent(7).whole_of(7), 100);
        assert_eq!(Share::ONE.whole_of(u64::MAX), u64::MAX);
        assert_eq!((Share(1).whole_of(1000), Share::ZERO.whole_of(1)), (u64::MAX, u64::MAX));
    }
}
