//! The chance to find the person behind a row.
//!
//! A group of f rows in a table that holds the share π of the population stands for an estimated F = f/π people (never
//! fewer than f, as π is at most 1). An attacker who looks for one of them and sees the group finds the right row with the
//! chance 1/F. The prosecutor knows that the person is in the table, so that F = f.

use super::{Share, SizeCounts};
use serde::Serialize;

/// The risk of the rows under one attacker.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Attack {
    /// The risk of the row that is easiest to find.
    pub highest: f64,
    /// The average risk of a row.
    pub average: f64,
    /// The share of rows whose risk is above the threshold (not at it).
    pub above_threshold: f64,
}

impl Attack {
    /// The risk when the table is the share `fraction` of those whom the attacker cannot tell from its people.
    pub(super) fn of(sizes: &SizeCounts, fraction: Share, threshold: Share) -> Self {
        if sizes.rows() == 0 {
            return Attack { highest: 0.0, average: 0.0, above_threshold: 0.0 };
        }
        let rows = sizes.rows() as f64;
        let above: u64 = sizes
            .counts()
            .filter(|&(size, _)| fraction.divided_exceeds(size, threshold))
            .map(|(size, groups)| size * groups)
            .sum();
        Attack {
            highest: fraction.value() / sizes.smallest() as f64,
            // The f rows of a group have the risk π/f each: π in all.
            average: fraction.value() * sizes.groups() as f64 / rows,
            above_threshold: above as f64 / rows,
        }
    }
}

/// The share of rows that an attacker is expected to find who tries all of them: Σ over groups f·(1/F), over the
/// rows. As 1/F = π/f, every group adds π.
pub(super) fn marketer(sizes: &SizeCounts, fraction: Share) -> f64 {
    fraction.value() * sizes.groups() as f64 / sizes.rows().max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each row by itself, as the definitions have it.
    fn row_by_row(sizes: &[u64], fraction: f64) -> (f64, f64) {
        let rows = sizes.iter().flat_map(|&size| (0..size).map(move |_| size as f64));
        let risks: Vec<f64> = rows.map(|f| 1.0 / f64::max(f, f / fraction)).collect();
        (risks.iter().copied().fold(0.0, f64::max), risks.iter().sum::<f64>() / risks.len() as f64)
    }

    #[test]
    fn closed_forms_are_the_definitions() {
        let sizes = [2, 3, 5, 5, 9];
        let counted = SizeCounts::new(sizes);
        for percent in [100, 30, 1] {
            let fraction = Share::percent(percent);
            let attack = Attack::of(&counted, fraction, Share::percent(20));
            let (highest, average) = row_by_row(&sizes, fraction.value());
            assert!((attack.highest - highest).abs() < 1e-15, "{percent}");
            assert!((attack.average - average).abs() < 1e-15, "{percent}");
            assert!((marketer(&counted, fraction) - average).abs() < 1e-15, "{percent}");
        }
        assert_eq!(marketer(&counted, Share::ONE), 5.0 / 24.0);
    }

    #[test]
    fn a_row_at_the_threshold_is_not_above_it() {
        let sizes = SizeCounts::new([4, 5, 5, 6]);
        assert_eq!(Attack::of(&sizes, Share::ONE, Share::percent(20)).above_threshold, 0.2);
        assert_eq!(Attack::of(&sizes, Share::ONE, Share::percent(19)).above_threshold, 0.7);
        assert_eq!(Attack::of(&sizes, Share::percent(50), Share::percent(10)).above_threshold, 0.2);
    }
}
