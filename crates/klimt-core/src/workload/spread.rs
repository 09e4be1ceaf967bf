//! How the rows of a group lie on the axis of an ordered domain.
//!
//! An axis is made of units: whole numbers, days, ranks, or what the last digit of the column counts. Without a mean, rows
//! lie evenly over the units of the group's stretch. With their mean μ, they lie evenly over the units up to μ, and evenly
//! over those behind it: with c and d the middles of the two, the first get the share (d − μ)/(d − c) of the rows. The mean
//! of that is always μ, and it is the even spread where μ is the middle. What queries find of the parts of a stretch
//! therefore adds up to the published mean of the whole.

use super::Coverage;
use crate::statistics::Extent;
use crate::table::Domain;

/// A stretch of an axis: its first and last unit, and the share of the rows in it whose value is missing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct AxisStretch {
    pub first: i128,
    pub last: i128,
    pub missing: f64,
}

impl AxisStretch {
    /// The part of an ordered domain that a region covers, whose published ends may be open; `None` where
    /// there is no value.
    pub fn of(domain: &Domain, covered: &Extent, ends: &Extent) -> Option<AxisStretch> {
        let ((lo, hi), (from, to)) = (covered.ends()?, ends.ends()?);
        let values = domain.value_count() as u32;
        if lo >= values {
            return None;
        }
        if hi >= values {
            // The missing value among others is published as everything.
            let (first, last) = (domain.position(0), domain.position(values - 1));
            return Some(AxisStretch { first, last, missing: 1.0 / domain.cardinality() as f64 });
        }
        let first = if from < lo { domain.position(from) + 1 } else { domain.position(lo) };
        let last = if to > hi { domain.position(to) - 1 } else { domain.position(hi) };
        Some(AxisStretch { first, last, missing: 0.0 })
    }

    /// How many units it has.
    pub fn units(&self) -> i128 {
        self.last - self.first + 1
    }

    /// How many units of it lie in another stretch.
    pub fn common(&self, (first, last): (i128, i128)) -> i128 {
        (self.last.min(last) - self.first.max(first) + 1).max(0)
    }
}

/// How far numbers that are spread evenly between two units lie from their mean, on average.
pub(crate) fn deviation(first: i128, last: i128) -> f64 {
    let units = (last - first + 1) as f64;
    (units * units / 4.0).floor() / units
}

/// How rows lie on a stretch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Spread {
    pub stretch: AxisStretch,
    /// The mean of the rows that have a value, in units, where it is known.
    pub mean: Option<f64>,
}

/// The admitted portion of a stretch: the share of the rows that have a value, their mean, and the first and
/// last unit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Portion {
    pub coverage: Coverage,
    pub mean: f64,
    pub first: i128,
    pub last: i128,
}

impl Spread {
    /// The portion that some stretches, ascending and apart, admit; `None` where it is empty.
    pub fn portion(&self, stretches: &[(i128, i128)]) -> Option<Portion> {
        let AxisStretch { first, last, .. } = self.stretch;
        let common = |&(from, to): &(i128, i128)| (from.max(first), to.min(last));
        let parts = || stretches.iter().map(common).filter(|(from, to)| from <= to);
        let units: i128 = parts().map(|(from, to)| to - from + 1).sum();
        let (least, _) = parts().next()?;
        let (_, most) = parts().next_back()?;
        if units >= self.stretch.units() {
            let mean = self.mean.unwrap_or((first as f64 + last as f64) / 2.0);
            return Some(Portion { coverage: Coverage::Everything, mean, first, last });
        }
        let levels = UnitCounts::of(self);
        let (mut share, mut moment) = (0.0, 0.0);
        for (from, to) in parts() {
            let (mass, of_mass) = levels.between(from - first, to - first);
            share += mass;
            moment += of_mass;
        }
        // Of a share that is too small to be told from none, the middle is as good as anything.
        let inside =
            if share > 0.0 { moment / share } else { ((least - first) + (most - first)) as f64 / 2.0 };
        let mean = (first as f64 + inside).clamp(least as f64, most as f64);
        Some(Portion { coverage: Coverage::Part(share.min(1.0)), mean, first: least, last: most })
    }
}

/// How many rows lie at each unit of a stretch of at least two, whose first unit is at 0: a level up to the mean and one
/// behind it.
struct UnitCounts {
    /// The last unit up to the mean, and the last of all.
    turn: i128,
    end: i128,
    before: f64,
    behind: f64,
}

impl UnitCounts {
    fn of(spread: &Spread) -> Self {
        let end = spread.stretch.units() - 1;
        let even = 1.0 / (end + 1) as f64;
        let Some(mean) = spread.mean else {
            return UnitCounts { turn: end, end, before: even, behind: even };
        };
        let mean = (mean - spread.stretch.first as f64).clamp(0.0, end as f64);
        let turn = (mean.floor() as i128).min(end - 1);
        let (left, right) = (turn as f64 / 2.0, (turn + 1 + end) as f64 / 2.0);
        let share = ((right - mean) / (right - left)).clamp(0.0, 1.0);
        let (before, behind) = (share / (turn + 1) as f64, (1.0 - share) / (end - turn) as f64);
        UnitCounts { turn, end, before, behind }
    }

    /// The share of the rows at some units, and the sum of their places.
    fn between(&self, from: i128, to: i128) -> (f64, f64) {
        let piece = |level: f64, from: i128, to: i128| {
            let mass = if from <= to { level * (to - from + 1) as f64 } else { 0.0 };
            (mass, mass * ((from + to) as f64 / 2.0))
        };
        let left = piece(self.before, from, to.min(self.turn));
        let right = piece(self.behind, from.max(self.turn + 1), to.min(self.end));
        (left.0 + right.0, left.1 + right.1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spread(first: i128, last: i128, mean: Option<f64>) -> Spread {
        Spread { stretch: AxisStretch { first, last, missing: 0.0 }, mean }
    }

    #[test]
    fn without_a_mean_rows_lie_evenly() {
        let portion = spread(20, 29, None).portion(&[(0, 22), (27, 40)]).unwrap();
        assert_eq!((portion.first, portion.last), (20, 29));
        assert!((portion.coverage.share() - 0.6).abs() < 1e-12);
        assert!((portion.mean - (20 + 21 + 22 + 27 + 28 + 29) as f64 / 6.0).abs() < 1e-12);
        assert_eq!(spread(20, 29, None).portion(&[(30, 40)]), None);
        assert_eq!(spread(20, 29, None).portion(&[(0, 40)]).unwrap().mean, 24.5);
    }

    #[test]
    fn the_deviation_is_that_of_the_units() {
        for (units, deviation) in [(1, 0.0), (2, 0.5), (3, 2.0 / 3.0), (4, 1.0)] {
            assert_eq!(super::deviation(7, 6 + units), deviation);
        }
    }

    #[test]
    fn the_middle_as_mean_is_the_even_spread() {
        for part in [(20, 20), (22, 26), (25, 29)] {
            let (even, given) =
                (spread(20, 29, None).portion(&[part]), spread(20, 29, Some(24.5)).portion(&[part]));
            let (even, given) = (even.unwrap(), given.unwrap());
            assert!((even.mean - given.mean).abs() < 1e-9);
            assert!((even.coverage.share() - given.coverage.share()).abs() < 1e-12);
        }
    }

    #[test]
    fn parts_add_up_to_the_mean_of_the_whole() {
        for mean in [20.0, 20.4, 23.0, 27.9, 29.0] {
            let spread = spread(20, 29, Some(mean));
            for cut in 20..29 {
                let parts = [(i128::MIN / 4, cut), (cut + 1, i128::MAX / 4)];
                let of = |part: (i128, i128)| spread.portion(&[part]).unwrap();
                let sum: f64 = parts.iter().map(|&part| of(part).coverage.share()).sum();
                let moment: f64 = parts.iter().map(|&part| of(part).coverage.share() * of(part).mean).sum();
                assert!((sum - 1.0).abs() < 1e-12, "{mean} {cut}");
                assert!((moment - mean).abs() < 1e-9, "{mean} {cut}: {moment}");
            }
            assert_eq!(spread.portion(&[(20, 29)]).unwrap().mean, mean);
        }
    }

    #[test]
    fn nearly_everything_is_not_everything() {
        let wide = spread(0, 1 << 60, None).portion(&[(1, 1 << 60)]).unwrap();
        assert_eq!(wide.coverage.share(), 1.0);
        assert!(matches!(wide.coverage, Coverage::Part(_)));
    }
}
