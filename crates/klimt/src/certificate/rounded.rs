//! Losses in four significant digits.

/// A number rounded to four significant digits.
pub fn four_digits(value: f64) -> f64 {
    format!("{value:.3e}").parse().unwrap_or(value)
}

/// To which side a number is rounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Towards {
    Zero,
    Infinity,
}

/// A positive number rounded to four significant digits, so that what it bounds stays bounded.
pub(crate) fn four_digits_towards(value: f64, towards: Towards) -> f64 {
    let near = four_digits(value);
    if value <= 0.0 || !value.is_finite() {
        return near;
    }
    let unit = 10f64.powi(value.log10().floor() as i32 - 3);
    match towards {
        Towards::Infinity if near < value => four_digits(near + unit),
        Towards::Zero if near > value => four_digits(near - unit),
        _ => near,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn losses_are_told_in_four_digits() {
        for (exact, told) in [(0.123_456, 0.1235), (7_220_555.0, 7_221_000.0), (0.0, 0.0), (1.0, 1.0)] {
            assert_eq!(four_digits(exact), told);
        }
        assert_eq!(four_digits(0.000_012_344_9), 0.000_012_34);
    }

    #[test]
    fn what_is_proven_stays_true() {
        assert_eq!(four_digits_towards(1.000_04, Towards::Infinity), 1.001);
        assert_eq!(four_digits_towards(1.321_5, Towards::Infinity), 1.322);
        assert_eq!(four_digits_towards(1.25, Towards::Infinity), 1.25);
        assert_eq!(four_digits_towards(0.123_46, Towards::Zero), 0.1234);
        assert_eq!(four_digits_towards(99_999.0, Towards::Zero), 99_990.0);
    }
}
