//! Variance diversity (LeFevre, DeWitt, 2007, section 1.1): the population variance of a numeric sensitive column is at
//! least v in every group.
//!
//! Monotone: the variance of a union is at least the mean of its parts' variances, as the square is convex (the
//! paper's appendix). Rows with a missing value have no number and do not count; a group without numbers has no
//! variance and reaches 0.

use super::exact::compare_products;
use super::parameter::{level, positive, ratio};
use super::sampled::chi_square;
use super::{Check, Level, Requirement, Side, Trust, WholeFacts};
use crate::Result;
use crate::statistics::{Moments, Needs, Statistics, distances};
use crate::table::Decimal;
use num_bigint::BigUint;
use std::cmp::Ordering;

/// The variance of a column in every group is at least `v`.
#[derive(Clone, Debug)]
pub struct VarianceDiversity {
    column: String,
    v: Decimal,
}

impl VarianceDiversity {
    /// The name of the requirement.
    pub const ID: &'static str = "variance-diversity";

    /// The variance of a group's numbers is at least `v`.
    pub fn new(column: impl AsRef<str>, v: f64) -> Result<Self> {
        VarianceDiversity::of_text(column.as_ref(), &v.to_string())
    }

    /// From the text of its parameter, such as `100`.
    pub fn parse(column: &str, text: &str) -> Result<Box<dyn Requirement>> {
        Ok(Box::new(VarianceDiversity::of_text(column, text)?))
    }

    fn of_text(column: &str, text: &str) -> Result<Self> {
        let v = positive("the least variance", text)?;
        Ok(VarianceDiversity { column: column.to_string(), v })
    }
}

impl Requirement for VarianceDiversity {
    fn id(&self) -> &'static str {
        VarianceDiversity::ID
    }

    fn column(&self) -> Option<&str> {
        Some(&self.column)
    }

    fn describe(&self) -> String {
        format!("variance diversity of {} with v = {}", self.column, self.v)
    }

    fn parameters(&self) -> Option<String> {
        Some(self.v.to_string())
    }

    fn limit(&self) -> Level {
        level(self.v)
    }

    fn side(&self) -> Side {
        Side::AtLeast
    }

    fn minimum_size(&self) -> u64 {
        if self.v > Decimal::whole(0) { 2 } else { 1 }
    }

    fn bind(&self, whole: &dyn WholeFacts) -> Result<Box<dyn Check>> {
        let facts = whole.protected("variance diversity", &self.column)?;
        distances(&self.column, facts.domain, whole.rows())?;
        Ok(Box::new(VarianceCheck { column: facts.number, v: ratio(self.v), scale: facts.domain.scale() }))
    }
}

#[derive(Debug)]
struct VarianceCheck {
    column: usize,
    v: (u128, u128),
    /// The digits behind the point of the units in which moments are counted.
    scale: u32,
}

/// n²·variance in squared units: n·Σx² − (Σx)²; `None` when a product does not fit.
fn spread(moments: &Moments) -> Option<u128> {
    let squares = moments.squares.checked_mul(u128::from(moments.rows))?;
    Some(squares - moments.sum.checked_mul(moments.sum)?)
}

impl VarianceCheck {
    /// The variance in the column's own units, as a ratio.
    fn exact(&self, moments: &Moments) -> (BigUint, BigUint) {
        let rows = BigUint::from(moments.rows);
        let sum = BigUint::from(moments.sum);
        let spread = BigUint::from(moments.squares) * &rows - &sum * &sum;
        (spread, &rows * &rows * BigUint::from(100u32).pow(self.scale))
    }
}

impl Check for VarianceCheck {
    fn needs(&self) -> Needs {
        Needs { moments: vec![self.column], ..Needs::default() }
    }

    fn satisfied(&self, group: &Statistics) -> bool {
        let moments = group.moments(self.column);
        if moments.rows == 0 {
            return self.v.0 == 0;
        }
        // spread / (n²·100^scale) ≥ v.0 / v.1
        let rows = u128::from(moments.rows);
        let square = (rows * rows).checked_mul(100u128.checked_pow(self.scale).unwrap_or(u128::MAX));
        match (spread(moments), square) {
            (Some(spread), Some(square)) => {
                compare_products(spread, self.v.1, self.v.0, square) != Ordering::Less
            }
            _ => {
                let (spread, square) = self.exact(moments);
                spread * self.v.1 >= square * self.v.0
            }
        }
    }

    /// Section 3.1.3: the sample variance of normal numbers follows a chi-square distribution. It knows no correction for a
    /// finite population, so a sample of all rows decides by the definition.
    fn likely(&self, sample: &Statistics, trust: &Trust) -> bool {
        let moments = sample.moments(self.column);
        if trust.is_whole() || self.v.0 == 0 || moments.rows < 2 {
            return self.satisfied(sample) && (trust.is_whole() || self.v.0 == 0);
        }
        let squares = moments.squared_error() / 100f64.powi(self.scale as i32);
        let v = self.v.0 as f64 / self.v.1 as f64;
        squares / v >= chi_square(trust.z(), (moments.rows - 1) as f64)
    }

    fn level(&self, group: &Statistics) -> Level {
        let moments = group.moments(self.column);
        if moments.rows == 0 {
            return Level::Count(0);
        }
        let (spread, square) = self.exact(moments);
        Level::ratio(spread, square)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers in tenths, from 0, against a least variance.
    fn satisfied(tenths: &[u64], v: &str) -> (bool, String) {
        let mut moments = Moments::default();
        tenths.iter().for_each(|&tenths| moments.add(tenths, 1));
        let check = VarianceCheck { column: 0, v: ratio(v.parse().unwrap()), scale: 1 };
        let group = Statistics { count: 9, moments: vec![(0, moments)], ..Statistics::default() };
        (check.satisfied(&group), check.level(&group).to_string())
    }

    #[test]
    fn the_limit_itself_is_enough() {
        // 0 and 2.0: the variance is 1. 0, 0.1 and 0.3: it is 7/450.
        assert_eq!(satisfied(&[0, 20], "1"), (true, "1".to_string()));
        assert_eq!(satisfied(&[0, 20], "1.0000000001"), (false, "1".to_string()));
        assert_eq!(satisfied(&[0, 1, 3], "0.0155"), (true, "0.015556".to_string()));
        assert_eq!(satisfied(&[0, 1, 3], "0.0156"), (false, "0.015556".to_string()));
    }

    #[test]
    fn numbers_of_any_length_are_decided_exactly() {
        let far = 1 << 60;
        let check = |v: &str| satisfied(&[0, far], v).0;
        // ((2^60)/2)²/100, in hundredths of squared units.
        let exact = (num_bigint::BigUint::from(far / 2).pow(2), 100u32);
        let whole = (&exact.0 / exact.1).to_string();
        assert!(check(&whole) && check(&format!("{whole}.7")) == (&exact.0 % exact.1 >= 70u32.into()));
        assert!(!check(&format!("{}1", whole)));
    }

    #[test]
    fn without_numbers_there_is_no_variance() {
        assert_eq!(satisfied(&[], "0.1"), (false, "0".to_string()));
        assert!(satisfied(&[], "0").0);
    }
}
