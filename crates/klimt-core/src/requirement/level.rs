//! Levels: the measured value of a requirement for a group or a release, and the side of the limit that it must be on.

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::ToPrimitive;
use serde::{Serialize, Serializer};
use std::cmp::Ordering;
use std::fmt;

/// The measured level of a group, exact where the definition allows it.
#[derive(Clone, Debug, PartialEq)]
pub enum Level {
    /// A number of rows or values.
    Count(u64),
    /// A ratio of whole numbers.
    Ratio(BigRational),
    /// A number that a logarithm is part of, rounded to the side that promises less.
    Real(f64),
    /// More than any number.
    Unbounded,
}

/// On which side of its limit a level must be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The limit or more.
    AtLeast,
    /// The limit or less.
    AtMost,
    /// Less than the limit.
    Below,
}

impl Side {
    /// Whether a level is on this side of a limit.
    pub fn admits(self, measured: &Level, limit: &Level) -> bool {
        match self {
            Side::AtLeast => measured.compare(limit) != Ordering::Less,
            Side::AtMost => measured.compare(limit) != Ordering::Greater,
            Side::Below => measured.compare(limit) == Ordering::Less,
        }
    }

    /// The one of two levels that promises less.
    pub fn worse(self, a: Level, b: Level) -> Level {
        let first = match self {
            Side::AtLeast => a.compare(&b) != Ordering::Greater,
            Side::AtMost | Side::Below => a.compare(&b) != Ordering::Less,
        };
        if first { a } else { b }
    }

    /// The side in words, to stand before a limit.
    pub fn words(self) -> &'static str {
        match self {
            Side::AtLeast => "at least",
            Side::AtMost => "at most",
            Side::Below => "less than",
        }
    }
}

impl Level {
    /// The ratio of two whole numbers; unbounded where the denominator is zero.
    pub fn ratio(numerator: impl Into<BigInt>, denominator: impl Into<BigInt>) -> Self {
        let denominator = denominator.into();
        if denominator == BigInt::ZERO {
            return Level::Unbounded;
        }
        Level::Ratio(BigRational::new(numerator.into(), denominator))
    }

    /// The order of two levels, exactly.
    pub fn compare(&self, other: &Level) -> Ordering {
        match (self.exact(), other.exact()) {
            (Some(a), Some(b)) => a.cmp(&b),
            (None, None) => Ordering::Equal,
            (None, Some(_)) => Ordering::Greater,
            (Some(_), None) => Ordering::Less,
        }
    }

    /// The level as a ratio; `None` when it is unbounded.
    pub fn exact(&self) -> Option<BigRational> {
        match self {
            Level::Count(count) => Some(BigRational::from_integer((*count).into())),
            Level::Ratio(ratio) => Some(ratio.clone()),
            Level::Real(real) => BigRational::from_float(*real),
            Level::Unbounded => None,
        }
    }

    /// The nearest floating-point number.
    pub fn to_f64(&self) -> f64 {
        match self {
            Level::Count(count) => *count as f64,
            Level::Ratio(ratio) => ratio.to_f64().unwrap_or(f64::INFINITY),
            Level::Real(real) => *real,
            Level::Unbounded => f64::INFINITY,
        }
    }

    /// The ratio as `3/16`, where there is one that is no whole number.
    pub fn fraction(&self) -> Option<String> {
        match self {
            Level::Ratio(ratio) if !ratio.is_integer() => Some(ratio.to_string()),
            _ => None,
        }
    }
}

impl fmt::Display for Level {
    /// At most six digits behind the point.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Level::Count(count) => count.fmt(f),
            Level::Unbounded => f.write_str("more than any number"),
            level => {
                let text = format!("{:.6}", level.to_f64());
                f.write_str(text.trim_end_matches('0').trim_end_matches('.'))
            }
        }
    }
}

impl Serialize for Level {
    /// A number; nothing where there is none.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Level::Count(count) => serializer.serialize_u64(*count),
            Level::Unbounded => serializer.serialize_none(),
            level => serializer.serialize_f64(level.to_f64()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sides_decide_exactly() {
        let (third, near) = (Level::ratio(1, 3), Level::Real(1.0 / 3.0));
        assert!(Side::AtMost.admits(&near, &third), "the float lies below a third");
        assert!(!Side::AtLeast.admits(&near, &third));
        assert!(Side::AtLeast.admits(&Level::Count(3), &Level::ratio(9, 3)));
        assert!(!Side::Below.admits(&Level::Count(3), &Level::ratio(9, 3)));
        assert!(Side::AtMost.admits(&Level::ratio(10_u64.pow(18), 1), &Level::Unbounded));
        assert!(!Side::AtMost.admits(&Level::Unbounded, &Level::Count(7)));
    }

    #[test]
    fn the_worse_level_is_kept() {
        assert_eq!(Side::AtLeast.worse(Level::Count(3), Level::Count(2)), Level::Count(2));
        assert_eq!(Side::AtMost.worse(Level::ratio(1, 3), Level::ratio(1, 2)), Level::ratio(1, 2));
        assert_eq!(Side::Below.worse(Level::Unbounded, Level::Count(2)), Level::Unbounded);
    }

    #[test]
    fn levels_are_shown_briefly() {
        let shown = |level: Level| level.to_string();
        assert_eq!(shown(Level::ratio(3, 16)), "0.1875");
        assert_eq!(shown(Level::ratio(8, 2)), "4");
        assert_eq!(shown(Level::ratio(1, 3)), "0.333333");
        assert_eq!(Level::ratio(6, 32).fraction().as_deref(), Some("3/16"));
        assert_eq!(Level::ratio(8, 2).fraction(), None);
    }
}
