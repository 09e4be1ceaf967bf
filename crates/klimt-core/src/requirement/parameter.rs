//! Reading the parameters of requirements.

use super::level::Level;
use crate::table::Decimal;
use crate::{Error, Result};

/// A number that is not negative, or an error that says what it is.
pub fn positive(what: &str, text: &str) -> Result<Decimal> {
    let number = text.trim().parse::<Decimal>().ok().filter(|number| *number >= Decimal::whole(0));
    number.ok_or_else(|| Error::input(format!("{what} must be a number that is not negative")))
}

/// A whole number of at least 1, or an error that says what it is.
pub fn whole(what: &str, text: &str) -> Result<u64> {
    let number = text.trim().parse::<u64>().ok().filter(|&number| number > 0);
    number.ok_or_else(|| Error::input(format!("{what} must be a whole number of at least 1")))
}

/// A decimal that is not negative as a ratio of whole numbers.
pub fn ratio(number: Decimal) -> (u128, u128) {
    (number.units.unsigned_abs(), 10u128.pow(number.scale))
}

/// A decimal as a level.
pub fn level(number: Decimal) -> Level {
    Level::ratio(number.units, 10i128.pow(number.scale))
}

/// A decimal as a floating-point number.
pub fn float(number: Decimal) -> f64 {
    number.units as f64 / 10f64.powi(number.scale as i32)
}

/// A number of rows, as large as halving finds it, up to which something goes on to hold; `holds` must hold below every
/// number for which it does.
pub fn farthest(rows: u64, holds: impl Fn(u64) -> bool) -> u64 {
    let mut step = rows.max(1).saturating_mul(4);
    while step > 0 && !holds(step) {
        step /= 2;
    }
    step
}
