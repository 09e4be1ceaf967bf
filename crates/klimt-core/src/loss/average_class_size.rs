//! The normalised average class size C_AVG: the published rows over the groups, over k.
//!
//! It divides by the number of groups, and is additive all the same: a release of given rows has the less of it the more
//! groups it has, so searches minimise the sum of |E| − 1 over the groups, which is the rows without the groups. A
//! suppressed row pays 1: rows are left out where that makes more groups, not to make groups smaller.
//!
//! No refinement into groups of at least m rows has more than rows / m of them.

use super::{Cost, Loss, Original, Totals};
use crate::statistics::{Needs, Statistics};

/// (rows / groups) / k; 1 is the best that there is.
#[derive(Clone, Copy, Debug)]
pub struct AverageClassSize;

impl Loss for AverageClassSize {
    fn id(&self) -> &'static str {
        "c_avg"
    }

    fn cost<'a>(&self, _: &Original<'a>) -> Option<Box<dyn Cost + 'a>> {
        Some(Box::new(AverageClassSize))
    }

    fn ignores_other_rows(&self) -> bool {
        true
    }
}

impl AverageClassSize {
    fn of(rows: u64, groups: f64, k: u64) -> f64 {
        rows as f64 / groups.max(1.0) / k.max(1) as f64
    }
}

impl Cost for AverageClassSize {
    fn needs(&self) -> Needs {
        Needs::default()
    }

    fn group(&self, group: &Statistics) -> f64 {
        group.count as f64 - 1.0
    }

    fn bound(&self, group: &Statistics, minimum: u64) -> f64 {
        (group.count - (group.count / minimum.max(1)).max(1)) as f64
    }

    fn size(&self, rows: u64) -> Option<f64> {
        Some(rows as f64 - 1.0)
    }

    fn monotone(&self) -> bool {
        true
    }

    fn price(&self, _: u64) -> Option<f64> {
        Some(1.0)
    }

    fn finish(&self, sum: f64, totals: &Totals) -> f64 {
        let published = totals.rows - totals.suppressed;
        Self::of(published, published as f64 - sum, totals.k)
    }

    fn lowered(&self, sum: f64, factor: f64, rows: u64) -> f64 {
        rows as f64 - (rows as f64 - sum) * factor
    }

    /// The rows that are left over the most groups.
    fn least(&self, bound: f64, allowed: &Totals) -> f64 {
        Self::of(allowed.rows - allowed.suppressed, allowed.rows as f64 - bound, allowed.k)
    }

    fn least_of_any(&self, minimum: u64, allowed: &Totals) -> Option<f64> {
        let minimum = minimum.max(1);
        Some(match allowed.suppressed {
            0 => Self::of(allowed.rows, (allowed.rows / minimum) as f64, allowed.k),
            // As many as to leave a multiple of the minimum.
            _ => minimum as f64 / allowed.k.max(1) as f64,
        })
    }
}
