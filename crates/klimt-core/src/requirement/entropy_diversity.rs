//! Entropy l-diversity (Hore et al., section 3): −Σ p·log p ≥ log l over the shares of a column's values in a group.
//!
//! Monotone: entropy is concave, so that of a union is at least the mean of the entropies of its parts.
//!
//! With counts c of n rows, it is n·log n − Σ c·log c ≥ n·log l. That is decided in floating point where the two sides
//! are further apart than any rounding, and exactly, as nⁿ ≥ lⁿ·Π cᶜ in whole numbers, where they are not: so that a
//! group of l equally common values passes. Where the numbers would be too long for that, the group is refused.

use super::parameter::{farthest, float, level, positive, ratio};
use super::{Check, Level, Requirement, Side, Trust, WholeFacts};
use crate::statistics::{Histogram, Needs, Statistics};
use crate::table::Decimal;
use crate::{Error, Result};
use num_bigint::BigUint;

/// The entropy of a column's values in every group is at least log `l`.
#[derive(Clone, Debug)]
pub struct EntropyDiversity {
    column: String,
    l: Decimal,
}

impl EntropyDiversity {
    /// The name of the requirement.
    pub const ID: &'static str = "entropy-l-diversity";

    /// The entropy of a group's values is at least log `l`.
    pub fn new(column: impl AsRef<str>, l: f64) -> Result<Self> {
        EntropyDiversity::of_text(column.as_ref(), &l.to_string())
    }

    /// From the text of its parameter, such as `3` or `2.5`.
    pub fn parse(column: &str, text: &str) -> Result<Box<dyn Requirement>> {
        Ok(Box::new(EntropyDiversity::of_text(column, text)?))
    }

    fn of_text(column: &str, text: &str) -> Result<Self> {
        let l = positive("the l of entropy l-diversity", text)?;
        if l < Decimal::whole(1) {
            return Err(Error::input("the l of entropy l-diversity must be at least 1"));
        }
        Ok(EntropyDiversity { column: column.to_string(), l })
    }
}

impl Requirement for EntropyDiversity {
    fn id(&self) -> &'static str {
        EntropyDiversity::ID
    }

    fn column(&self) -> Option<&str> {
        Some(&self.column)
    }

    fn describe(&self) -> String {
        format!("entropy l-diversity of {} with l = {}", self.column, self.l)
    }

    fn parameters(&self) -> Option<String> {
        Some(self.l.to_string())
    }

    fn limit(&self) -> Level {
        level(self.l)
    }

    fn side(&self) -> Side {
        Side::AtLeast
    }

    /// The entropy of n rows is at most log n.
    fn minimum_size(&self) -> u64 {
        let (units, scale) = ratio(self.l);
        units.div_ceil(scale).min(u128::from(u32::MAX)) as u64
    }

    fn compares_with_whole(&self) -> bool {
        false
    }

    fn bind(&self, whole: &dyn WholeFacts) -> Result<Box<dyn Check>> {
        let column = whole.protected("entropy l-diversity", &self.column)?.number;
        let small = (0..SMALL).map(|count| weight(count as u64)).collect();
        Ok(Box::new(EntropyCheck { column, l: ratio(self.l), log_l: float(self.l).ln(), small }))
    }
}

/// Counts below this have their c·log c in a table.
const SMALL: usize = 1 << 10;

/// How much of n·log n rounding may take away, at most: each term is off by a few units in its last place, and there
/// are at most as many terms as the group has values.
const ROUNDING: f64 = 8.0 * f64::EPSILON;

/// With more rows than this (after what all counts share is divided out), a tie is not decided exactly.
const LONGEST: u64 = 1 << 12;

/// More than rounding can make of a difference of entropies.
const SLACK: f64 = 1e-9;

fn weight(count: u64) -> f64 {
    if count < 2 { 0.0 } else { count as f64 * (count as f64).ln() }
}

#[derive(Debug)]
struct EntropyCheck {
    column: usize,
    l: (u128, u128),
    log_l: f64,
    small: Vec<f64>,
}

impl EntropyCheck {
    fn weight(&self, count: u64) -> f64 {
        self.small.get(count as usize).copied().unwrap_or_else(|| weight(count))
    }

    /// Whether nⁿ·dⁿ ≥ uⁿ·Π cᶜ for l = u/d, with whatever all counts share divided out; `None` when that takes numbers
    /// that are too long.
    fn decided_exactly(&self, histogram: &Histogram) -> Option<bool> {
        let shared = histogram.iter().fold(0, |shared, (_, count)| divisor(shared, count)).max(1);
        let counts: Vec<u64> = histogram.iter().map(|(_, count)| count / shared).collect();
        let rows: u64 = counts.iter().sum();
        if rows > LONGEST {
            return None;
        }
        let power = |base: u128, exponent: u64| BigUint::from(base).pow(exponent as u32);
        let left = power(u128::from(rows), rows) * power(self.l.1, rows);
        let right = counts.iter().fold(power(self.l.0, rows), |product, &count| {
            if count < 2 { product } else { product * power(u128::from(count), count) }
        });
        Some(left >= right)
    }
}

/// The greatest common divisor.
fn divisor(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { divisor(b, a % b) }
}

impl Check for EntropyCheck {
    fn needs(&self) -> Needs {
        Needs::histogram(self.column)
    }

    fn satisfied(&self, group: &Statistics) -> bool {
        let histogram = group.histogram(self.column);
        let mut spent = 0.0;
        let mut values = 1.0;
        for &count in histogram.counts() {
            spent += self.weight(count);
            values += f64::from(u8::from(count > 0));
        }
        let whole = weight(group.count);
        let excess = whole - spent - group.count as f64 * self.log_l;
        let rounding = ROUNDING * values * (whole + 1.0);
        if excess.abs() > rounding {
            return excess > 0.0;
        }
        self.decided_exactly(histogram).unwrap_or(false)
    }

    /// The entropy of a sample is on average at most that of the group, as it is concave in the shares; its variance by row
    /// is that of log p.
    fn likely(&self, sample: &Statistics, trust: &Trust) -> bool {
        if trust.is_whole() {
            return self.satisfied(sample);
        }
        let rows = sample.count as f64;
        let (mut mean, mut squares) = (0.0, 0.0);
        for (_, count) in sample.histogram(self.column).iter() {
            let information = -(count as f64 / rows).ln();
            mean += count as f64 / rows * information;
            squares += count as f64 / rows * information * information;
        }
        let variance = (squares - mean * mean).max(0.0);
        mean - trust.deviation(variance, sample.count) > self.log_l + SLACK
    }

    /// With a share ε = j/(n + j) of new rows, the entropy is at least (1 − ε) times what it was, and at most that and
    /// ε·log j for the new rows among themselves and the entropy of ε for telling them from the old.
    fn steady(&self, group: &Statistics) -> u64 {
        let histogram = group.histogram(self.column);
        let rows = group.count as f64;
        let spent: f64 = histogram.counts().iter().map(|&count| self.weight(count)).sum();
        let entropy = (weight(group.count) - spent) / rows;
        let mixed = |j: u64| {
            let share = j as f64 / (rows + j as f64);
            let telling = -share * share.ln() - (1.0 - share) * (1.0 - share).ln();
            ((1.0 - share) * entropy, (1.0 - share) * entropy + share * (j as f64).ln() + telling)
        };
        if entropy > self.log_l {
            farthest(group.count, |j| mixed(j).0 > self.log_l + SLACK)
        } else {
            farthest(group.count, |j| mixed(j).1 < self.log_l - SLACK)
        }
    }

    /// The l that is reached: e to the entropy, rounded down; exactly the number of values where they are equally
    /// common.
    fn level(&self, group: &Statistics) -> Level {
        let histogram = group.histogram(self.column);
        let values = histogram.distinct();
        if values > 0 && histogram.iter().all(|(_, count)| count * values == group.count) {
            return Level::Count(values);
        }
        let spent: f64 = histogram.iter().map(|(_, count)| weight(count)).sum();
        let entropy = (weight(group.count) - spent) / group.count.max(1) as f64;
        let rounding = ROUNDING * (values as f64 + 1.0) * ((group.count.max(1) as f64).ln() + 1.0);
        Level::Real(((entropy - rounding).exp() * (1.0 - ROUNDING)).max(0.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn satisfied(counts: &[u64], l: &str) -> bool {
        let l: Decimal = l.parse().unwrap();
        let check = EntropyCheck {
            column: 0,
            l: ratio(l),
            log_l: float(l).ln(),
            small: (0..9).map(weight).collect(),
        };
        let histogram: Histogram = (0..).zip(counts.iter().copied()).collect();
        let count = counts.iter().sum();
        check.satisfied(&Statistics { count, histograms: vec![(0, histogram)], ..Statistics::default() })
    }

    #[test]
    fn equally_common_values_reach_their_number_exactly() {
        for (values, rows) in [(2, 1), (3, 1), (3, 7), (7, 1000), (10, 123_457)] {
            let counts = vec![rows; values];
            assert!(satisfied(&counts, &values.to_string()));
            assert!(!satisfied(&counts, &format!("{values}.000000000000001")));
        }
    }

    #[test]
    fn ties_of_unequal_counts_are_decided_exactly() {
        // Shares 1/2, 1/4, 1/4: the entropy is 1.5 bits, l = 2√2.
        assert!(satisfied(&[4, 2, 2], "2.828427124746190"));
        assert!(!satisfied(&[4, 2, 2], "2.828427124746191"));
    }

    #[test]
    fn one_value_reaches_one() {
        assert!(satisfied(&[5], "1"));
        assert!(!satisfied(&[5], "1.01"));
    }
}
