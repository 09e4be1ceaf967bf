//! How many people are unique in the population that the table is a sample of.

use super::pitman::Pitman;
use super::{Share, SizeCounts, zayatz};
use serde::Serialize;

/// An estimated number of people who are unique in the population.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Estimate {
    /// How many; an expectation, so seldom a whole number.
    pub uniques: f64,
    /// Their share of the population.
    pub share: f64,
}

/// Estimates of the population from the sample.
///
/// A person unique in the population is unique in the sample too, when drawn, and the share π is drawn: the sample's
/// unique rows are expected to hold the share π of the population's. So no estimate is above the unique rows over π,
/// which is at most the population. When the sample is the population there is nothing to estimate, and both are the
/// number of unique rows.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Population {
    /// The number of people: the rows over the sampling fraction, to the nearest.
    pub size: u64,
    /// By Zayatz, from the sample's sizes alone: simple, and too high where the sampling fraction is small.
    pub zayatz: Estimate,
    /// By Pitman's model, fitted to the sample. It needs two groups, and a group of two rows: a sample in which all
    /// rows are alone, or all are in one group, is fitted best by no parameters, and there is no estimate.
    pub pitman: Option<Estimate>,
}

impl Population {
    /// The population of a sample, which must have rows; the fraction is above 0.
    pub(super) fn of(sizes: &SizeCounts, fraction: Share) -> Option<Self> {
        if sizes.rows() == 0 {
            return None;
        }
        let size = fraction.whole_of(sizes.rows());
        let most = (sizes.unique() as f64 / fraction.value()).min(size as f64);
        let estimate = |uniques: f64| {
            let uniques = uniques.clamp(0.0, most);
            Estimate { uniques, share: uniques / size as f64 }
        };
        if fraction == Share::ONE {
            let counted = estimate(sizes.unique() as f64);
            return Some(Population { size, zayatz: counted, pitman: Some(counted) });
        }
        Some(Population {
            size,
            zayatz: estimate(zayatz::uniques(sizes, fraction)),
            pitman: Pitman::fit(sizes).map(|fitted| estimate(fitted.uniques(size))),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_whole_population_is_counted() {
        for sizes in [vec![1, 1, 4], vec![1, 1], vec![7], vec![1, 2]] {
            let counted = SizeCounts::new(sizes);
            let found = Population::of(&counted, Share::ONE).unwrap();
            assert_eq!(found.size, counted.rows());
            assert_eq!(found.zayatz.uniques, counted.unique() as f64);
            assert_eq!(found.pitman, Some(found.zayatz));
        }
    }

    #[test]
    fn samples_without_a_fit() {
        let tenth = Share::percent(10);
        let alone = Population::of(&SizeCounts::new([1; 4]), tenth).unwrap();
        assert_eq!(
            (alone.size, alone.zayatz.uniques, alone.zayatz.share, alone.pitman),
            (40, 40.0, 1.0, None)
        );
        let together = Population::of(&SizeCounts::new([4]), tenth).unwrap();
        assert_eq!((together.zayatz.uniques, together.pitman), (0.0, None));
        assert_eq!(Population::of(&SizeCounts::new([]), tenth), None);
    }

    #[test]
    fn nobody_alone_here_is_nobody_alone_there() {
        let found = Population::of(&SizeCounts::new([2, 2, 3]), Share::percent(10)).unwrap();
        assert_eq!((found.zayatz.uniques, found.pitman.unwrap().uniques), (0.0, 0.0));
    }

    #[test]
    fn shares_are_of_the_population() {
        // One alone and a pair: α = 0 and θ = √2, see there.
        let found = Population::of(&SizeCounts::new([1, 2]), Share::percent(10)).unwrap().pitman.unwrap();
        assert!((found.uniques - 1.39496).abs() < 1e-4, "{found:?}");
        assert!((found.share - 1.39496 / 30.0).abs() < 1e-5, "{found:?}");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn estimates_keep_their_limits(
            sizes in proptest::collection::vec(prop_oneof![4 => Just(1u64), 2 => 2u64..6, 1 => 6u64..500], 1..60),
            percent in 1u8..=100,
        ) {
            let sizes = SizeCounts::new(sizes);
            let fraction = Share::percent(percent);
            let found = Population::of(&sizes, fraction).unwrap();
            for estimate in [Some(found.zayatz), found.pitman].into_iter().flatten() {
                prop_assert!((0.0..=1.0).contains(&estimate.share));
                prop_assert!(estimate.uniques <= sizes.unique() as f64 / fraction.value());
            }
        }
    }
}
