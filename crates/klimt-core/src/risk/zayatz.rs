//! How many people are unique in the population, by Zayatz.
//!
//! L. Zayatz, *Estimation of the percent of unique population elements on a microdata file using the sample*,
//! Statistical Research Division Report 91/08, U.S. Bureau of the Census, 1991.
//!
//! The population's groups are taken to have the sizes of the sample's in the same proportions. A group of i people
//! shows up in the sample as one row with the chance p(i), so that by Bayes a row that is unique in the sample is
//! unique in the population with the chance
//!
//! P = f₁·p(1) / Σᵢ fᵢ·p(i),
//!
//! where fᵢ is the number of groups of i rows in the sample. The sample's f₁ unique rows hold f₁·P people who are
//! unique in the population, and the population 1/π times as many: f₁·P/π.
//!
//! p(i) = i·π·(1−π)^(i−1), the binomial chance that exactly one of i people is drawn. Zayatz has the hypergeometric
//! one, for a sample of exactly n out of N people; for the sizes that matter, up to some 1/π, the two differ by a
//! factor of 1 + O(1/n), and the binomial one needs no N and has no rounding where N is large.

use super::{Share, SizeCounts};

/// The estimated number of people who are unique in the population; 0 when no row is unique in the sample. The
/// sampling fraction is above 0. The result is at most the sample's unique rows over π, as P is at most 1.
pub(super) fn uniques(sizes: &SizeCounts, fraction: Share) -> f64 {
    let unique = sizes.unique() as f64;
    if unique == 0.0 {
        return 0.0;
    }
    let fraction = fraction.value();
    // The factor π is in every term and left out of all of them.
    let once = |size: u64| size as f64 * (1.0 - fraction).powf((size - 1) as f64);
    let seen: f64 = sizes.counts().map(|(size, groups)| groups as f64 * once(size)).sum();
    unique * (unique / seen) / fraction
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_hand() {
        // f1 = 4, f2 = 3, π = 1/2: P = 4 / (4 + 3·2·½) = 4/7, and 4·(4/7)/½ = 32/7.
        let sizes = SizeCounts::new([1, 1, 1, 1, 2, 2, 2]);
        assert!((uniques(&sizes, Share::percent(50)) - 32.0 / 7.0).abs() < 1e-14);
        // With f4 = 1 too: 4·½³ = ½ more below: 4/7.5.
        let sizes = SizeCounts::new([1, 1, 1, 1, 2, 2, 2, 4]);
        assert!((uniques(&sizes, Share::percent(50)) - 8.0 * 4.0 / 7.5).abs() < 1e-14);
    }

    #[test]
    fn at_its_ends() {
        assert_eq!(uniques(&SizeCounts::new([2, 3]), Share::percent(10)), 0.0);
        // The chance that one of 5000 is drawn is too small for a number.
        assert_eq!(uniques(&SizeCounts::new([5000, 5000]), Share::percent(90)), 0.0);
        assert_eq!(uniques(&SizeCounts::new([1, 1, 5]), Share::ONE), 2.0);
        assert_eq!(uniques(&SizeCounts::new([1, 1, 1]), Share::percent(10)), 30.0);
        assert_eq!(uniques(&SizeCounts::new([1, u32::MAX.into()]), Share::percent(10)), 10.0);
    }
}
