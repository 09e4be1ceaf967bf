//! Values of the array of the dynamic program: the cost of the best partitioning of each box.

use std::fmt::Debug;

/// A cost in the array. Costs are never negative.
pub trait CostValue: Copy + PartialOrd + Send + Sync + Debug + 'static {
    /// The cost of nothing.
    const ZERO: Self;
    /// The cost of what is not allowed: more than any cost, also when two of them are added.
    const INFINITE: Self;
    /// Whether a value may be less than the cost that it stands for.
    const ROUNDED: bool;

    /// The cost of one row, before it is multiplied by the rows.
    type Cell: Copy + Send + Sync + Debug;

    /// A cost in the array; `None` where it does not fit.
    fn of(cost: f64, scale: f64) -> Option<Self>;

    /// The cost of a row; `None` where it does not fit.
    fn cell(cost: f64, scale: f64) -> Option<Self::Cell>;

    /// The cost of a row in two dimensions together.
    fn both(a: Self::Cell, b: Self::Cell) -> Self::Cell;

    /// The cost of a number of rows.
    fn times(cell: Self::Cell, rows: u32, scale: f64) -> Self;

    /// The sum; at least infinite where one of the two is.
    fn plus(self, other: Self) -> Self;

    /// The lesser of two.
    #[inline(always)]
    fn least(self, other: Self) -> Self {
        if other < self { other } else { self }
    }

    /// The cost that it stands for, or a lower bound of that.
    fn cost(self, scale: f64) -> f64;

    /// Whether it stands for something that is allowed.
    #[inline(always)]
    fn is_finite(self) -> bool {
        self < Self::INFINITE
    }
}

/// The greatest finite cost in 32 bits: two infinite ones can still be added.
pub const GREATEST: u32 = u32::MAX / 2 - 1;

/// Whole numbers: a cost is a whole number of units, and `scale` the units of a cost of 1.
impl CostValue for u32 {
    const ZERO: u32 = 0;
    const INFINITE: u32 = GREATEST + 1;
    const ROUNDED: bool = false;

    type Cell = u32;

    fn of(cost: f64, scale: f64) -> Option<u32> {
        let units = (cost * scale).round();
        let is_whole = (cost * scale - units).abs() <= 16.0 * f64::EPSILON * units.max(1.0);
        (is_whole && (0.0..=f64::from(GREATEST)).contains(&units)).then_some(units as u32)
    }

    fn cell(cost: f64, scale: f64) -> Option<u32> {
        u32::of(cost, scale)
    }

    #[inline(always)]
    fn both(a: u32, b: u32) -> u32 {
        a + b
    }

    #[inline(always)]
    fn times(cell: u32, rows: u32, _: f64) -> u32 {
        cell.wrapping_mul(rows)
    }

    #[inline(always)]
    fn plus(self, other: u32) -> u32 {
        self.wrapping_add(other)
    }

    fn cost(self, scale: f64) -> f64 {
        if self.is_finite() { f64::from(self) / scale } else { f64::INFINITY }
    }
}

/// Any cost, as it is.
impl CostValue for f64 {
    const ZERO: f64 = 0.0;
    const INFINITE: f64 = f64::INFINITY;
    const ROUNDED: bool = false;

    type Cell = f64;

    fn of(cost: f64, _: f64) -> Option<f64> {
        Some(cost)
    }

    fn cell(cost: f64, _: f64) -> Option<f64> {
        Some(cost)
    }

    #[inline(always)]
    fn both(a: f64, b: f64) -> f64 {
        a + b
    }

    #[inline(always)]
    fn times(cell: f64, rows: u32, _: f64) -> f64 {
        cell * f64::from(rows)
    }

    #[inline(always)]
    fn plus(self, other: f64) -> f64 {
        self + other
    }

    fn cost(self, _: f64) -> f64 {
        self
    }
}

/// Any cost, rounded down to a whole number of units: sums of them are exact, so that a partitioning loses less than
/// one unit for each of its groups, and a value is never more than the cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Floor(pub u32);

/// Takes more off a cost than the rounding of its computation may have added.
const CAUTION: f64 = 1.0 - 64.0 * f64::EPSILON;

impl Floor {
    #[inline(always)]
    fn down(units: f64) -> Floor {
        Floor(((units * CAUTION) as u32).min(GREATEST))
    }
}

impl CostValue for Floor {
    const ZERO: Floor = Floor(0);
    const INFINITE: Floor = Floor(GREATEST + 1);
    const ROUNDED: bool = true;

    type Cell = f64;

    fn of(cost: f64, scale: f64) -> Option<Floor> {
        Some(Floor::down(cost * scale))
    }

    fn cell(cost: f64, _: f64) -> Option<f64> {
        Some(cost)
    }

    #[inline(always)]
    fn both(a: f64, b: f64) -> f64 {
        a + b
    }

    #[inline(always)]
    fn times(cell: f64, rows: u32, scale: f64) -> Floor {
        Floor::down(cell * f64::from(rows) * scale)
    }

    #[inline(always)]
    fn plus(self, other: Floor) -> Floor {
        Floor(self.0.wrapping_add(other.0))
    }

    fn cost(self, scale: f64) -> f64 {
        if self.is_finite() { f64::from(self.0) / scale } else { f64::INFINITY }
    }
}

/// The least scale at which every one of some costs per row is a whole number of units, if there is one that is at most
/// `most`.
pub fn common_scale<'c>(axes: impl Iterator<Item = &'c [f64]>, most: f64) -> Option<f64> {
    let most = most.min(1e6) as u64;
    let mut scale: u64 = 1;
    for costs in axes {
        let fits = |units: u64| costs.iter().all(|&cost| u32::of(cost, units as f64).is_some());
        let own = (1..=most).find(|&units| fits(units))?;
        scale = scale / common_divisor(scale, own) * own;
        if scale > most {
            return None;
        }
    }
    Some(scale as f64)
}

fn common_divisor(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { common_divisor(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn infinite_costs_stay_infinite_in_sums() {
        fn check<V: CostValue>(some: V) {
            for sum in [some.plus(V::INFINITE), V::INFINITE.plus(some), V::INFINITE.plus(V::INFINITE)] {
                assert!(!sum.is_finite() && !V::INFINITE.least(sum).is_finite());
            }
            assert!(some.is_finite() && some.plus(V::ZERO) == some);
        }
        check(7u32);
        check(GREATEST);
        check(0.25);
        check(Floor(GREATEST));
    }

    #[test]
    fn whole_numbers_are_told_from_others() {
        assert_eq!(u32::of(9.0, 1.0), Some(9));
        assert_eq!(u32::of(9.5, 1.0), None);
        assert_eq!(u32::of(f64::from(GREATEST) + 1.0, 1.0), None);
        assert_eq!(u32::of(-1.0, 1.0), None);
        assert_eq!(u32::of(5.0 / 73.0, 73.0 * 6.0), Some(30));
    }

    #[test]
    fn a_common_scale_is_a_common_multiple() {
        let age: Vec<f64> = (0..=73).map(|n| f64::from(n) / 73.0).collect();
        let rank: Vec<f64> = (0..=6).map(|n| f64::from(n) / 6.0).collect();
        let bits = [2f64.log2(), 3f64.log2()];
        assert_eq!(common_scale([&age[..], &rank].into_iter(), 1e6), Some(438.0));
        assert_eq!(common_scale([&age[..], &rank].into_iter(), 437.0), None);
        assert_eq!(common_scale([&bits[..]].into_iter(), 1e6), None);
    }

    #[test]
    fn rounded_costs_are_below() {
        for cost in [0.1, 0.3, 1.0 / 3.0, 2.5, 1e-9] {
            let found = Floor::of(cost, 1000.0).unwrap().cost(1000.0);
            assert!(found <= cost && found > cost - 0.0011, "{found} for {cost}");
        }
    }
}
