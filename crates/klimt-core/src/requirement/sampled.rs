//! Requirements of which only a sample is seen (LeFevre, DeWitt, section 3.1): a cut is made when a test shows with
//! high confidence that no side violates them.
//!
//! The null hypothesis is that a side violates a requirement; it is rejected with at most the given chance of error,
//! which is divided by the number of sides (Bonferroni). Every variance is corrected for the finite population, so that
//! a sample of all rows decides exactly. What is decided in error is seen later, on all rows, and undone.

use super::{Check, Level};
use crate::statistics::{Histogram, Needs, Statistics};
use std::sync::Arc;

/// How far a sample can be trusted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Trust {
    rows: u64,
    sample: u64,
    z: f64,
}

impl Trust {
    /// A sample of this many of all rows; `alpha` is the chance of error that is taken for a cut into `sides`.
    pub fn new(rows: u64, sample: u64, alpha: f64, sides: usize) -> Self {
        let sample = sample.min(rows);
        Trust { rows, sample, z: upper_quantile(alpha / sides.max(1) as f64) }
    }

    /// Whether all rows are seen.
    pub fn is_whole(&self) -> bool {
        self.sample == self.rows
    }

    /// The z of the tests: how many standard deviations make the chance of error small enough.
    pub fn z(&self) -> f64 {
        self.z
    }

    /// The share of the rows that is not seen, which corrects a variance.
    pub fn unseen(&self) -> f64 {
        if self.rows == 0 { 0.0 } else { (self.rows - self.sample) as f64 / self.rows as f64 }
    }

    /// The least number of rows of the sample that shows that there are `size` among all rows (section
    /// 3.1.1): the test of k-anonymity.
    pub fn least(&self, size: u64) -> u64 {
        if self.is_whole() {
            return size;
        }
        let (rows, sample) = (self.rows as f64, self.sample as f64);
        let share = size as f64 / rows;
        if share >= 1.0 {
            return u64::MAX;
        }
        let variance = share * (1.0 - share) / sample * ((rows - sample) / (rows - 1.0));
        let least = (sample * (share + self.z * variance.sqrt())).ceil();
        (least as u64).max(1)
    }

    /// How many rows there are for one of the sample.
    pub fn scale(&self) -> f64 {
        if self.sample == 0 { 1.0 } else { self.rows as f64 / self.sample as f64 }
    }

    /// How much more or less often than in a sample of this many rows a value may occur: z standard deviations of its
    /// count.
    pub fn error(&self, count: u64, sample: u64) -> f64 {
        let share = count as f64 / sample.max(1) as f64;
        self.z * (count as f64 * (1.0 - share) * self.unseen()).sqrt()
    }

    /// How far the mean of this many rows of a sample may be from the mean of all, where it has this variance by row.
    pub fn deviation(&self, variance: f64, sample: u64) -> f64 {
        self.z * (variance / sample.max(1) as f64 * self.unseen()).sqrt()
    }

    /// The sample as it would be if its commonest values were more common, and the others rarer, by what chance may have
    /// hidden.
    fn peaked(&self, sample: &Statistics) -> Statistics {
        let mut peaked = sample.clone();
        for (_, histogram) in &mut peaked.histograms {
            let commonest = histogram.commonest();
            let moved = |(code, count): (u32, u64)| {
                let error = self.error(count, sample.count).ceil() as u64;
                (code, if count == commonest { count + error } else { count.saturating_sub(error) })
            };
            let shifted: Histogram = histogram.iter().map(moved).collect();
            *histogram = shifted;
        }
        peaked
    }
}

/// A sample that grows is tested again when one in this many rows has come.
const GROWTH: u64 = 8;

/// The verdict on a sample of a check that has no statistical test of its own: both the sample and one that
/// is less diverse must satisfy it.
pub(super) fn likely<C: Check + ?Sized>(check: &C, sample: &Statistics, trust: &Trust) -> bool {
    check.satisfied(sample) && (trust.is_whole() || check.satisfied(&trust.peaked(sample)))
}

/// A check that sees only a sample of a group.
#[derive(Debug)]
pub(super) struct SampledCheck {
    pub check: Arc<dyn Check>,
    pub trust: Trust,
}

impl Check for SampledCheck {
    fn needs(&self) -> Needs {
        self.check.needs()
    }

    fn satisfied(&self, sample: &Statistics) -> bool {
        self.check.likely(sample, &self.trust)
    }

    fn level(&self, sample: &Statistics) -> Level {
        self.check.level(sample)
    }

    /// A verdict on a sample stands until the sample has grown by a part of itself: an error is undone in any
    /// case, and a test looks at every value of the sample. A sample of all rows decides exactly.
    fn outlook(&self, sample: &Statistics) -> (bool, u64) {
        match self.trust.is_whole() {
            true => self.check.outlook(sample),
            false => (self.satisfied(sample), sample.count / GROWTH),
        }
    }
}

/// The number that a standard normal variable exceeds with this chance; 0 for a half and more.
fn upper_quantile(chance: f64) -> f64 {
    if chance >= 0.5 {
        return 0.0;
    }
    let (mut low, mut high) = (0.0, 40.0);
    for _ in 0..80 {
        let middle = (low + high) / 2.0;
        if upper_tail(middle) > chance { low = middle } else { high = middle }
    }
    high
}

/// The chance that a standard normal variable exceeds `x`, which is not negative.
fn upper_tail(x: f64) -> f64 {
    let density = (-x * x / 2.0).exp() / (2.0 * std::f64::consts::PI).sqrt();
    if x < 3.0 {
        // The series of the distribution function around 0.
        let (mut term, mut sum, mut odd) = (x, x, 1.0);
        while term > sum * 1e-17 {
            odd += 2.0;
            term *= x * x / odd;
            sum += term;
        }
        return 0.5 - density * sum;
    }
    // The continued fraction of Mill's ratio, from its end.
    let fraction = (1..=60).rev().fold(x, |below, number| x + f64::from(number) / below);
    density / fraction
}

/// The number that a chi-square variable with this many degrees of freedom exceeds about as often as a standard normal
/// one exceeds z: its cube root is nearly normal.
pub(super) fn chi_square(z: f64, freedom: f64) -> f64 {
    let spread = 2.0 / (9.0 * freedom);
    freedom * (1.0 - spread + z * spread.sqrt()).powi(3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_those_of_the_tables() {
        let close = |a: f64, b: f64, by: f64| assert!((a - b).abs() < by, "{a} {b}");
        close(upper_quantile(0.025), 1.959_964, 1e-6);
        close(upper_quantile(0.05), 1.644_854, 1e-6);
        close(upper_quantile(1e-6), 4.753_424, 1e-6);
        assert_eq!(upper_quantile(0.5), 0.0);
        close(upper_tail(2.999_999), upper_tail(3.000_001), 1e-8);
        close(chi_square(1.644_854, 10.0), 18.307, 0.05);
        close(chi_square(1.644_854, 100.0), 124.342, 0.02);
    }

    #[test]
    fn the_test_of_k_is_that_of_the_paper() {
        // p0 = 0.01, n = 1000, N = 100000: 0.01 + 1.96·sqrt(0.0099/1000·99000/99999) = 0.016136.
        let trust = Trust::new(100_000, 1000, 0.05, 2);
        assert_eq!(trust.least(1000), 17);
        // Without a test it is the share of the sample, and a sample of all rows decides exactly.
        assert_eq!(Trust::new(100_000, 1000, 1.0, 2).least(1000), 10);
        assert_eq!(Trust::new(1000, 1000, 0.05, 2).least(17), 17);
        assert_eq!(trust.least(100_000), u64::MAX);
    }
}
