//! The discernibility metric DM: every row pays the size of its group, a suppressed row the size of the table.
//!
//! Additive.

use super::{Cost, Loss, Original, Totals};
use crate::statistics::{Needs, Statistics};

/// Σ |E|² over the groups, plus the number of rows for every suppressed row.
#[derive(Clone, Copy, Debug)]
pub struct Discernibility;

impl Loss for Discernibility {
    fn id(&self) -> &'static str {
        "dm"
    }

    fn cost<'a>(&self, _: &Original<'a>) -> Option<Box<dyn Cost + 'a>> {
        Some(Box::new(Discernibility))
    }

    fn ignores_other_rows(&self) -> bool {
        true
    }
}

impl Cost for Discernibility {
    fn needs(&self) -> Needs {
        Needs::default()
    }

    fn group(&self, group: &Statistics) -> f64 {
        group.count as f64 * group.count as f64
    }

    /// As many groups as possible, as equal as possible.
    fn bound(&self, group: &Statistics, minimum: u64) -> f64 {
        let rows = group.count;
        let groups = (rows / minimum.max(1)).max(1);
        let (least, larger) = (rows / groups, rows % groups);
        let square = |size: u64| size as f64 * size as f64;
        (groups - larger) as f64 * square(least) + larger as f64 * square(least + 1)
    }

    fn size(&self, rows: u64) -> Option<f64> {
        Some(rows as f64 * rows as f64)
    }

    fn monotone(&self) -> bool {
        true
    }

    fn price(&self, rows: u64) -> Option<f64> {
        Some(rows as f64)
    }

    fn finish(&self, sum: f64, totals: &Totals) -> f64 {
        sum + totals.suppressed as f64 * totals.rows as f64
    }

    /// Where rows may be suppressed, each pays at least the minimum, as a suppressed one pays all rows.
    fn least_of_any(&self, minimum: u64, allowed: &Totals) -> Option<f64> {
        let rows = allowed.rows;
        Some(match allowed.suppressed {
            0 => self.bound(&Statistics { count: rows, ..Statistics::default() }, minimum),
            _ => rows as f64 * minimum.clamp(1, rows.max(1)) as f64,
        })
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
            for count in k..18 {
                let group = Statistics { count, ..Statistics::default() };
                assert_eq!(Discernibility.bound(&group, k), best(count, k) as f64, "{count} rows, k = {k}");
            }
        }
    }
}
