//! The first moments of a column of numbers in a group, exactly.

use crate::table::Domain;
use crate::{Error, Result};

/// How many rows have a number, the sum of these numbers and the sum of their squares, counted in units of the
/// domain's scale from its least value. Rows with a missing value are not counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Moments {
    /// The rows with a number.
    pub rows: u64,
    /// Their sum.
    pub sum: u128,
    /// The sum of their squares.
    pub squares: u128,
}

impl Moments {
    /// Counts rows with a number, given as its distance from the least value.
    #[inline]
    pub fn add(&mut self, distance: u64, rows: u64) {
        self.rows += rows;
        self.sum += u128::from(distance) * u128::from(rows);
        self.squares += u128::from(distance) * u128::from(distance) * u128::from(rows);
    }

    /// Takes in the moments of other rows.
    pub fn merge(&mut self, other: &Moments) {
        self.rows += other.rows;
        self.sum += other.sum;
        self.squares += other.squares;
    }

    /// The sum of squared distances from the mean, in squared units.
    pub fn squared_error(&self) -> f64 {
        if self.rows == 0 {
            return 0.0;
        }
        match (self.squares.checked_mul(u128::from(self.rows)), self.sum.checked_mul(self.sum)) {
            (Some(squares), Some(square)) => (squares - square) as f64 / self.rows as f64,
            _ => (self.squares as f64 - self.sum as f64 / self.rows as f64 * self.sum as f64).max(0.0),
        }
    }
}

/// The distance of every code of a numeric domain from its least value, for [`Moments::add`]; `None` stands for the
/// missing value.
///
/// Fails where a domain is not one of numbers, or where its numbers are so long that the moments of `rows` rows do not fit.
pub fn distances(name: &str, domain: &Domain, rows: u64) -> Result<Vec<u64>> {
    let by_value = distances_of_values(name, domain.compared(), rows)?;
    Ok(match domain.classes() {
        Some(classes) => {
            classes[..domain.value_count()].iter().map(|&class| by_value[class as usize]).collect()
        }
        None => by_value,
    })
}

/// The same, where every code is a value of its own.
fn distances_of_values(name: &str, domain: &Domain, rows: u64) -> Result<Vec<u64>> {
    let count = domain.value_count() as u32;
    // Where every value is missing, nothing tells a type, and no group has a number: its variance is 0.
    if count == 0 {
        return Ok(Vec::new());
    }
    if !domain.is_measured() {
        return Err(Error::input(format!(
            "column {name} holds no numbers, which a variance or a mean needs"
        )));
    }
    let least = domain.position(0);
    let range = domain.position(count - 1) - least;
    let fits = u64::try_from(range).is_ok()
        && (range as u128).checked_mul(range as u128).and_then(|s| s.checked_mul(u128::from(rows))).is_some();
    if !fits {
        return Err(Error::input(format!(
            "the numbers of column {name} have too many digits for an exact variance of {rows} rows"
        ))
        .with_help("round them before"));
    }
    Ok((0..count).map(|code| (domain.position(code) - least) as u64).collect())
}
