//! The numbers of a column, exact and in order.

use super::parse_all;
use crate::decimal::Decimal;
use crate::{Error, Result};

/// A number and every text in the column that shows it, such as `7` and `07`.
#[derive(Clone, Debug)]
pub(super) struct Number {
    /// The number as a mantissa at the common scale.
    pub(super) value: i128,
    /// Its texts, distinct and in order.
    pub(super) texts: Vec<String>,
}

/// The distinct numbers of a column in ascending order, at one scale.
#[derive(Clone, Debug)]
pub(super) struct Numbers {
    /// How many digits after the point the mantissas stand for.
    pub(super) scale: u32,
    /// Whether no value is written with a point.
    pub(super) integers: bool,
    /// Never empty.
    pub(super) numbers: Vec<Number>,
}

impl Numbers {
    /// The numbers that `values` show, at a scale of at least `scale`.
    pub(super) fn parse<S: AsRef<str>>(values: impl IntoIterator<Item = S>, scale: u32) -> Result<Numbers> {
        let help = "give integers or decimals such as 12 and -3.5";
        let mut parsed = parse_all(
            values,
            |text: &str| text.trim().parse::<Decimal>().ok(),
            "not a number of at most 38 digits",
            help,
        )?;
        let largest = parsed.iter().map(|(number, _)| number.scale).max().unwrap_or(0);
        let (integers, scale) = (largest == 0, scale.max(largest));
        parsed.sort_by(|a, b| a.1.cmp(&b.1));
        parsed.dedup_by(|a, b| a.1 == b.1);
        let mut scaled = Vec::with_capacity(parsed.len());
        for (number, text) in parsed {
            scaled.push((number.rescaled(scale).ok_or_else(too_many_digits)?, text));
        }
        scaled.sort_by_key(|&(value, _)| value);
        let mut numbers: Vec<Number> = Vec::new();
        for (value, text) in scaled {
            match numbers.last_mut().filter(|last| last.value == value) {
                Some(last) => last.texts.push(text),
                None => numbers.push(Number { value, texts: vec![text] }),
            }
        }
        Ok(Numbers { scale, integers, numbers })
    }
}

/// The error for numbers that exact arithmetic on 128 bits cannot hold.
pub(super) fn too_many_digits() -> Error {
    Error::input("cannot build a hierarchy: the numbers have more than 38 digits in all")
        .with_help("round the values, or scale them down")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_sorted_by_value_and_texts_of_one_number_are_kept_together() {
        let parsed = Numbers::parse(["10", "9", "", "-1", "09", "9"], 0).unwrap();
        let shown: Vec<_> = parsed.numbers.iter().map(|n| (n.value, n.texts.join(" "))).collect();
        assert_eq!(shown, [(-1, "-1".into()), (9, "09 9".into()), (10, "10".into())]);
        assert!(parsed.integers && parsed.scale == 0);
    }
    #[test]
    fn the_scale_is_the_largest_and_a_point_makes_decimals() {
        let parsed = Numbers::parse(["1.50", "2"], 1).unwrap();
        assert_eq!((parsed.scale, parsed.integers), (2, false));
        assert_eq!(parsed.numbers.iter().map(|n| n.value).collect::<Vec<_>>(), [150, 200]);
        let parsed = Numbers::parse(["3"], 1).unwrap();
        assert_eq!((parsed.scale, parsed.integers, parsed.numbers[0].value), (1, true, 30));
    }

    #[test]
    fn what_is_no_number_or_does_not_fit_is_refused() {
        let error = Numbers::parse(["1", "secret", "2", "x"], 0).unwrap_err();
        assert!(error.message().ends_with("value 2, 4"), "{error}");
        assert!(Numbers::parse([""], 0).unwrap_err().message().ends_with("no values"));
        let long = format!("0.{}", "1".repeat(30));
        assert!(
            Numbers::parse([long.as_str(), "1000000000"], 0)
                .unwrap_err()
                .message()
                .contains("38 digits in all")
        );
    }
}
