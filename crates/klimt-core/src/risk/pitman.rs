//! How many people are unique in the population, by Pitman's model.
//!
//! N. Hoshino, *Applying Pitman's sampling formula to microdata disclosure risk assessment*, Journal of Official
//! Statistics 17(4), 2001.
//!
//! People arrive one after the other. When i people form u groups, the next one founds a group with the chance
//! (θ + u·α)/(θ + i), and joins a group of j people with the chance (j − α)/(θ + i), where 0 ≤ α < 1 and θ > −α.
//! Sample and population follow the same α and θ, so these are fitted to the sample and extrapolated to the population. For
//! n rows in u groups, fⱼ of them of size j, the logarithm of the likelihood is, up to a constant,
//!
//! Σ_{i=1}^{u−1} ln(θ + i·α) − Σ_{i=1}^{n−1} ln(θ + i) + Σⱼ fⱼ·Σ_{i=1}^{j−1} ln(i − α).
//!
//! All three are ratios of gamma functions, and the last does not depend on θ. A population of N people is expected
//! to have
//!
//! N·Γ(θ + α + N − 1)/Γ(θ + α)·Γ(θ + 1)/Γ(θ + N)
//!
//! groups of one. Hoshino gives its limit for a large N, Γ(1 + θ)/Γ(θ + α)·N^α, which can be far above N where θ is
//! not small beside N; the exact expectation costs no more and never is.

use super::SizeCounts;
use super::gamma::ln_gamma_ratio;
use super::maximum::maximum;

/// The parameters of Pitman's model.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pitman {
    /// How strongly groups of one prevail, in 0..1.
    alpha: f64,
    /// θ + α, above 0: θ itself may be so close to −α that the sum would be lost.
    shifted: f64,
}

/// The likelihood of a sample.
struct Likelihood<'a> {
    sizes: &'a SizeCounts,
    rows: f64,
    groups: f64,
}

impl Likelihood<'_> {
    /// Σ_{i=1}^{u−1} ln(θ + i·α) − Σ_{i=1}^{n−1} ln(θ + i).
    fn of_both(&self, Pitman { alpha, shifted }: Pitman) -> f64 {
        let founders = self.groups - 1.0;
        let founded = if alpha == 0.0 {
            founders * shifted.ln()
        } else {
            founders * alpha.ln() + ln_gamma_ratio(shifted / alpha, founders)
        };
        founded - ln_gamma_ratio(shifted + (1.0 - alpha), self.rows - 1.0)
    }

    /// Σⱼ fⱼ·Σ_{i=1}^{j−1} ln(i − α).
    fn of_alpha(&self, alpha: f64) -> f64 {
        let larger = self.sizes.counts().filter(|&(size, _)| size > 1);
        larger.map(|(size, groups)| groups as f64 * ln_gamma_ratio(1.0 - alpha, (size - 1) as f64)).sum()
    }
}

impl Pitman {
    /// The parameters under which the sample is most likely.
    ///
    /// There are none when all rows are in one group (the likelihood grows as θ falls to −α, and then every α is as
    /// good) or when all rows are alone (it grows with α and θ without end). Every other sample has a maximum: as α
    /// goes to 1, as θ goes to −α and as θ grows, the likelihood falls to 0.
    pub(super) fn fit(sizes: &SizeCounts) -> Option<Self> {
        if sizes.groups() < 2 || sizes.groups() == sizes.rows() {
            return None;
        }
        let (rows, groups) = (sizes.rows() as f64, sizes.groups() as f64);
        let likelihood = Likelihood { sizes, rows, groups };
        // θ is at most about n²/2: with all rows but one alone, and α = 0.
        let (least, most) = (-40.0, 2.0 * rows.ln() + 10.0);
        let best_for = |alpha: f64| {
            maximum(least, most, 64, |log| likelihood.of_both(Pitman { alpha, shifted: log.exp() }))
        };
        let below_one = 1.0 - 1e-12;
        let (alpha, _) = maximum(0.0, below_one, 64, |alpha| best_for(alpha).1 + likelihood.of_alpha(alpha));
        Some(Pitman { alpha, shifted: best_for(alpha).0.exp() })
    }

    /// The expected number of people who are unique in a population of this many.
    pub(super) fn uniques(self, population: u64) -> f64 {
        let Pitman { alpha, shifted } = self;
        let people = population as f64;
        let joining = 1.0 - alpha;
        let ratio = ln_gamma_ratio(shifted, joining) - ln_gamma_ratio(shifted + (people - 1.0), joining);
        people * ratio.exp()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The likelihood as it is defined.
    fn defined(sizes: &[u64], alpha: f64, theta: f64) -> f64 {
        let (rows, groups) = (sizes.iter().sum::<u64>(), sizes.len() as u64);
        let mut sum = 0.0;
        (1..groups).for_each(|i| sum += (theta + i as f64 * alpha).ln());
        (1..rows).for_each(|i| sum -= (theta + i as f64).ln());
        for &size in sizes {
            (1..size).for_each(|i| sum += (i as f64 - alpha).ln());
        }
        sum
    }

    fn theta(fitted: Pitman) -> f64 {
        fitted.shifted - fitted.alpha
    }

    #[test]
    fn by_hand() {
        // One alone and a pair: (θ + α)(1 − α)/((θ + 1)(θ + 2)) is greatest at α = 0, θ = √2.
        let fitted = Pitman::fit(&SizeCounts::new([1, 2])).unwrap();
        assert!(fitted.alpha < 1e-6, "{}", fitted.alpha);
        assert!((theta(fitted) - 2f64.sqrt()).abs() < 1e-5, "{}", theta(fitted));
        // With α = 0, N·θ/(θ + N − 1) are unique.
        let root = 2f64.sqrt();
        assert!((fitted.uniques(30) - 30.0 * root / (root + 29.0)).abs() < 1e-4);
    }

    #[test]
    fn the_sizes_of_expectation() {
        // α = ½, θ = 0: the first is alone, the second joins with ½, the third is or stays alone: 3/4·1/2.
        let model = Pitman { alpha: 0.5, shifted: 0.5 };
        for (people, expected) in [(1, 1.0), (2, 1.0), (3, 9.0 / 8.0)] {
            assert!((model.uniques(people) - expected).abs() < 1e-13, "{people}: {}", model.uniques(people));
        }
        // Γ(1)/Γ(½)·√N for a large N.
        let limit = (1e12 / std::f64::consts::PI).sqrt();
        assert!((model.uniques(1_000_000_000_000) / limit - 1.0).abs() < 1e-11);
    }

    #[test]
    fn no_maximum_no_fit() {
        for sizes in [vec![], vec![1], vec![9], vec![1, 1], vec![1; 50]] {
            assert!(Pitman::fit(&SizeCounts::new(sizes.iter().copied())).is_none(), "{sizes:?}");
        }
        for sizes in [vec![1, 2], vec![2, 2], vec![5; 20], vec![1, 1_000_000], vec![u64::from(u32::MAX); 3]] {
            let fitted = Pitman::fit(&SizeCounts::new(sizes.iter().copied())).unwrap();
            let uniques = fitted.uniques(10_000_000_000);
            assert!(fitted.shifted > 0.0 && uniques.is_finite() && uniques >= 0.0, "{sizes:?} {fitted:?}");
        }
    }

    #[test]
    fn all_but_one_alone() {
        let rows = 10_000;
        let sizes = SizeCounts::new(std::iter::repeat_n(1, rows - 2).chain([2]));
        let fitted = Pitman::fit(&sizes).unwrap();
        let uniques = fitted.uniques(rows as u64);
        assert!((uniques - (rows - 2) as f64).abs() < 5.0, "{uniques} {fitted:?}");
    }

    /// No point of a coarse grid is more likely than the fit, and the likelihood is what it is defined to be.
    fn is_best(sizes: &[u64]) {
        let counted = SizeCounts::new(sizes.iter().copied());
        let fitted = Pitman::fit(&counted).unwrap();
        let best = defined(sizes, fitted.alpha, theta(fitted));
        let closed = Likelihood { sizes: &counted, rows: counted.rows() as f64, groups: sizes.len() as f64 };
        let closed = closed.of_both(fitted) + closed.of_alpha(fitted.alpha);
        assert!((best - closed).abs() <= 1e-9 * (1.0 + best.abs()), "{best} {closed}");
        for a in 0..50 {
            let alpha = f64::from(a) / 50.0;
            for t in -20..60 {
                let theta = (f64::from(t) / 4.0).exp() - alpha;
                let value = defined(sizes, alpha, theta);
                assert!(
                    value <= best + 1e-9 * (1.0 + best.abs()),
                    "{fitted:?} {best}, {alpha} {theta} {value}"
                );
            }
        }
    }

    #[test]
    fn the_fit_beats_a_grid() {
        is_best(&[1, 1, 1, 1, 1, 1, 2, 2, 3, 8, 30]);
        is_best(&[5, 5, 5, 5]);
        is_best(&[1, 90]);
        is_best(&[2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]

        #[test]
        fn any_fit_beats_a_grid(sizes in proptest::collection::vec(1u64..12, 2..25)) {
            prop_assume!(sizes.iter().any(|&size| size > 1));
            is_best(&sizes);
        }
    }
}
