//! The discernibility metric DM: every row pays the size of its group, a suppressed row the size of the table.

use super::{Loss, Whole};
use crate::partition::Partitioning;

/// Σ |E|² over the groups, plus the number of rows for every suppressed row.
#[derive(Clone, Copy, Debug)]
pub struct Discernibility;

impl Loss for Discernibility {
    fn id(&self) -> &'static str {
        "dm"
    }

    fn group(&self, _: &Whole<'_>, partitioning: &Partitioning, group: usize) -> f64 {
        let rows = partitioning.rows(group).len() as f64;
        rows * rows
    }

    /// As many groups as possible, as equal as possible.
    fn bound(&self, rows: u64, k: u64) -> f64 {
        let groups = (rows / k.max(1)).max(1);
        let (least, larger) = (rows / groups, rows % groups);
        (groups - larger) as f64 * (least * least) as f64 + larger as f64 * ((least + 1) * (least + 1)) as f64
    }

    fn finish(&self, whole: &Whole<'_>, _: usize, sum: f64) -> f64 {
        sum + whole.suppressed as f64 * whole.table.rows() as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bound_is_the_best_composition() {
        fn best(rows: u64, k: u64) -> u64 {
            let whole = rows * rows;
            (k..=rows.saturating_sub(k))
                .map(|first| first * first + best(rows - first, k))
                .fold(whole, u64::min)
        }
        for k in 1..5 {
            for rows in k..18 {
                assert_eq!(Discernibility.bound(rows, k), best(rows, k) as f64, "{rows} rows, k = {k}");
            }
        }
    }
}
