//! The original over two columns, as cells that hold enough rows.

use super::distribution::reached;
use super::{LeftOut, Quantity, Weight};
use klimt_core::table::{Domain, Table};

/// A cell of the plane with its rows by class.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct GridCell {
    pub x: (f64, f64),
    pub y: (f64, f64),
    /// From how many to how many rows it has; never fewer than k.
    pub rows: (u64, u64),
}

/// At most so many steps in each direction.
const STEPS: usize = 28;

/// One direction: what can be told apart, by the code of a value.
struct Side {
    edges: Vec<f64>,
    /// The step of each code; none for missing values.
    of_code: Vec<Option<usize>>,
}

/// Divides the plane of two quasi-identifiers into cells that have no rows or are safe; those with rows. Nothing where
/// even the whole plane is not safe, or cannot be divided.
pub(crate) fn grid(table: &Table, (x, y): (usize, usize), left_out: &LeftOut, least: u64) -> Vec<GridCell> {
    if *left_out == LeftOut::Unknown {
        return Vec::new();
    }
    let (Some(across), Some(up)) = (side(table, x, least), side(table, y, least)) else { return Vec::new() };
    let (wide, high) = (across.edges.len() - 1, up.edges.len() - 1);
    let mut counts = vec![Weight::default(); wide * high];
    for row in 0..table.rows() {
        let (a, b) = (table.codes(x).get(row) as usize, table.codes(y).get(row) as usize);
        if let (Some(a), Some(b)) = (across.of_code[a], up.of_code[b]) {
            counts[b * wide + a].add(Weight { rows: 1, left_out: u64::from(left_out.holds(row)) });
        }
    }
    let plane = Plane { counts, wide, least };
    let mut cells = Vec::new();
    plane.divide([0, wide, 0, high], &mut cells);
    if cells.len() < 2 {
        return Vec::new();
    }
    let drawn = |[a, b, c, d]: [usize; 4]| GridCell {
        x: (across.edges[a], across.edges[b]),
        y: (up.edges[c], up.edges[d]),
        rows: class(plane.sum([a, b, c, d]).rows, least),
    };
    cells.into_iter().map(drawn).collect()
}

/// The class of a count: from k times a power of two to just below twice that.
fn class(rows: u64, least: u64) -> (u64, u64) {
    let mut from = least.max(1);
    while rows / 2 >= from {
        from *= 2;
    }
    (from, from.saturating_mul(2) - 1)
}

fn side(table: &Table, dimension: usize, least: u64) -> Option<Side> {
    let domain = table.domain(dimension);
    let weights = super::weights(table, table.quasi_identifiers()[dimension], &LeftOut::Nobody)?;
    let values = domain.value_count();
    let place = |code: usize| place(domain, code as u32);
    let low = place(reached(0..values, &weights, least)?);
    let high = place(reached((0..values).rev(), &weights, least)?);
    if low > high {
        return None;
    }
    let measured = Quantity::of(domain).unwrap_or(Quantity::Numbers { whole: true });
    let edges = measured.edges(low, high, STEPS);
    let inner = &edges[1..edges.len() - 1];
    let mut of_code: Vec<Option<usize>> =
        (0..values).map(|code| Some(inner.partition_point(|edge| *edge <= place(code)))).collect();
    of_code.resize(domain.cardinality(), None);
    Some(Side { edges, of_code })
}

/// Where a value of an ordered domain is drawn: at its rank where there are no distances.
pub(crate) fn place(domain: &Domain, code: u32) -> f64 {
    if domain.is_measured() { Quantity::position(domain, code) } else { f64::from(code) }
}

struct Plane {
    counts: Vec<Weight>,
    wide: usize,
    least: u64,
}

impl Plane {
    fn sum(&self, [a, b, c, d]: [usize; 4]) -> Weight {
        let mut sum = Weight::default();
        for row in c..d {
            self.counts[row * self.wide + a..row * self.wide + b].iter().for_each(|count| sum.add(*count));
        }
        sum
    }

    /// Whether a part may be told apart: nobody is in it, or enough are.
    fn may_be(&self, part: [usize; 4]) -> bool {
        let sum = self.sum(part);
        sum.rows == 0 || sum.is_safe(self.least)
    }

    fn divide(&self, part: [usize; 4], cells: &mut Vec<[usize; 4]>) {
        if self.sum(part).rows == 0 {
            return;
        }
        let [a, b, c, d] = part;
        let across = (a + 1..b).map(|cut| ([a, cut, c, d], [cut, b, c, d], cut.abs_diff((a + b) / 2), b - a));
        let up = (c + 1..d).map(|cut| ([a, b, c, cut], [a, b, cut, d], cut.abs_diff((c + d) / 2), d - c));
        // The longer side first, as near to its middle as can be.
        let mut cuts: Vec<_> = across.chain(up).collect();
        cuts.sort_by_key(|(_, _, off, length)| (std::cmp::Reverse(*length), *off));
        match cuts.into_iter().find(|(first, second, ..)| self.may_be(*first) && self.may_be(*second)) {
            Some((first, second, ..)) => {
                self.divide(first, cells);
                self.divide(second, cells);
            }
            None if self.sum(part).is_safe(self.least) => cells.push(part),
            None => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn cells_are_safe_and_hold_all_rows_or_nothing_is_drawn(
            counts in prop::collection::vec((0..5u64, 0..2u64), 36),
            least in 2..9u64,
        ) {
            let counts: Vec<Weight> =
                counts.iter().map(|&(rows, out)| Weight { rows: rows + out, left_out: out }).collect();
            let plane = Plane { counts, wide: 6, least };
            let mut cells = Vec::new();
            plane.divide([0, 6, 0, 6], &mut cells);
            for cell in &cells {
                prop_assert!(plane.sum(*cell).is_safe(least));
            }
            let held: u64 = cells.iter().map(|cell| plane.sum(*cell).rows).sum();
            let all = plane.sum([0, 6, 0, 6]);
            prop_assert_eq!(held, if all.is_safe(least) { all.rows } else { 0 });
        }
    }

    #[test]
    fn classes_are_as_wide_as_k() {
        assert_eq!(
            [5, 9, 10, 19, 20, 1000].map(|rows| class(rows, 5)),
            [(5, 9), (5, 9), (10, 19), (10, 19), (20, 39), (640, 1279)]
        );
    }
}
