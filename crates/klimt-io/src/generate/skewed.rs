//! The discrete skewed distribution.

use super::random::Draws;
use super::{
    GeneratedBlock, GeneratedColumn, Generator, MAX_SKEWED_CARDINALITY, Parameters, normal, numbered_columns,
};
use klimt_core::error::Result;

/// The name of the generator.
pub(super) const NAME: &str = "skewed";

/// The parameters it takes besides rows and seed.
pub(super) const PARAMETERS: &[&str] = &["attributes", "cardinality", "mean", "sigma"];

/// Attributes `X1`, `X2`, … from a multivariate normal distribution, discretised into ranges of equal width
/// (*Multidimensional K-Anonymity*, section 6.1, "discrete skewed").
///
/// The paper gives one mean μ and one standard deviation σ and no covariance, so the attributes are
/// independent and alike. It gives μ in the units of the values (3.5 for the values 0..7, 25 for 0..49) but σ
/// "with respect to standard normal" (0.2 for both), and leaves open what lies outside of the domain. Here:
///
/// - value v stands for the range from v - ½ to v + ½, so that μ is the mean of the values wherever the
///   domain's ends are far away, and the domain is as long as its cardinality;
/// - σ counts in halves of the domain's length: the standard deviation is σ · cardinality / 2. So σ = 1, with
///   μ in the middle, is the standard normal distribution with the domain from -1 to 1;
/// - what lies outside of the domain is drawn again (a truncated normal distribution), so nothing piles up at
///   its ends.
///
/// With 8 values and μ = 3.5, σ = 0.2 puts 79 % on the two middle values and σ = 1 puts 29 %; a large σ comes
/// close to the 25 % of the uniform distribution.
#[derive(Clone, Debug)]
pub struct Skewed {
    rows: u64,
    seed: u64,
    attributes: u32,
    /// `bounds[v]` is 2^64 times the probability of a value of at most v; the last value needs none.
    bounds: Vec<u64>,
}

impl Skewed {
    /// Checks the parameters; takes attributes, cardinality, mean and sigma.
    pub fn new(parameters: &Parameters) -> Result<Self> {
        let mut checks = parameters.check(NAME, PARAMETERS);
        let attributes = checks.attributes();
        let cardinality = checks.cardinality(MAX_SKEWED_CARDINALITY);
        let mean = checks.mean(cardinality);
        let sigma = checks.sigma();
        checks.finish()?;
        let bounds = bounds(cardinality, mean, sigma);
        Ok(Skewed { rows: parameters.rows, seed: parameters.seed, attributes, bounds })
    }
}

/// The cumulative distribution, in 2^-64; never falls.
fn bounds(cardinality: u32, mean: f64, sigma: f64) -> Vec<u64> {
    let deviation = sigma * f64::from(cardinality) / 2.0;
    let edge = |value: u32| (f64::from(value) - 0.5 - mean) / deviation;
    let mut sums: Vec<f64> = (0..cardinality)
        .scan(0.0, |sum, value| {
            *sum += normal::mass(edge(value), edge(value + 1));
            Some(*sum)
        })
        .collect();
    let whole = sums.pop().unwrap_or(1.0);
    // As a float the largest number is 2^64 itself; the conversion back turns that into the largest again.
    sums.into_iter().map(|sum| (sum / whole * u64::MAX as f64) as u64).collect()
}

impl Generator for Skewed {
    fn columns(&self) -> Vec<GeneratedColumn> {
        numbered_columns(self.attributes)
    }

    fn rows(&self) -> u64 {
        self.rows
    }

    fn block(&self, index: u64, out: &mut GeneratedBlock) {
        let mut draws = Draws::of_block(NAME, self.seed, index);
        out.reset(&self.columns());
        for _ in 0..self.rows_in_block(index) {
            for column in &mut out.columns {
                let drawn = draws.bits();
                column.values.push(self.bounds.partition_point(|&bound| bound <= drawn) as i64);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The probability of each value.
    fn shares(cardinality: u32, mean: f64, sigma: f64) -> Vec<f64> {
        let mut bounds: Vec<f64> =
            bounds(cardinality, mean, sigma).into_iter().map(|bound| bound as f64 / 2f64.powi(64)).collect();
        bounds.push(1.0);
        let before = std::iter::once(0.0).chain(bounds.clone());
        bounds.iter().zip(before).map(|(upto, before)| upto - before).collect()
    }

    #[test]
    fn the_shares_are_those_of_the_normal_distribution() {
        // A standard deviation of 0.8: the edges are at 0, ±1.25, ±2.5, ±3.75 and ±5 of them.
        let expected = [0.000_088_130_4, 0.006_121_534_9, 0.099_440_107_7, 0.394_350_226_3];
        let shares = shares(8, 3.5, 0.2);
        for value in 0..4 {
            assert!((shares[value] - expected[value]).abs() < 1e-6, "{value}: {}", shares[value]);
            assert!((shares[value] - shares[7 - value]).abs() < 1e-12);
        }
    }

    #[test]
    fn the_skew_grows_as_sigma_falls() {
        let peak = |sigma| shares(8, 3.5, sigma).iter().copied().fold(0.0, f64::max);
        let peaks: Vec<f64> = [5.0, 2.0, 1.0, 0.5, 0.3, 0.2, 0.1].into_iter().map(peak).collect();
        assert!(peaks.is_sorted_by(|wide, narrow| wide < narrow), "{peaks:?}");
        assert!((peak(1e6) - 0.125).abs() < 1e-9);
        assert!((peak(1e-6) - 0.5).abs() < 1e-9);
    }

    proptest! {
        #[test]
        fn any_checked_parameters_give_a_distribution(
            cardinality in 1u32..300,
            place in 0.0f64..=1.0,
            exponent in -6.0f64..=6.0,
        ) {
            let mean = place * f64::from(cardinality - 1);
            let bounds = bounds(cardinality, mean, 10f64.powf(exponent));
            prop_assert_eq!(bounds.len() as u32, cardinality - 1);
            prop_assert!(bounds.is_sorted());
        }
    }
}
