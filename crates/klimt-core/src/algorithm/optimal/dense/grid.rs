//! The grid that the quasi-identifiers span, and the boxes in it.

use crate::table::{Shape, Table};

/// A dimension of the grid. Its intervals are numbered so that all parts of an interval come before it.
///
/// On an outer axis they are numbered by their length, and by their first code among those of one length, which do not
/// need each other. On the inner axis they are numbered by their first code, the last one first, and by their last code
/// among those with the same first: what a first part can be completed by lies side by side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GridAxis {
    /// The dimension of the table.
    pub dimension: usize,
    /// The number of its codes.
    pub codes: usize,
    /// Whether its domain is a set, which is cut into subsets instead of at a threshold.
    pub is_set: bool,
    /// Whether it is the inner axis.
    pub is_inner: bool,
}

impl GridAxis {
    /// The number of its intervals.
    pub fn intervals(&self) -> usize {
        self.codes * (self.codes + 1) / 2
    }

    /// The number of the first interval with a length, on an outer axis.
    pub fn first_of_length(&self, length: usize) -> usize {
        (length - 1) * (2 * self.codes + 2 - length) / 2
    }

    /// The number of the first interval that starts with a code, on the inner axis.
    pub fn first_from(&self, lo: usize) -> usize {
        (self.codes - 1 - lo) * (self.codes - lo) / 2
    }

    /// The number of the interval from `lo` to `hi`, both included.
    pub fn place(&self, lo: usize, hi: usize) -> usize {
        if self.is_inner { self.first_from(lo) + hi - lo } else { self.first_of_length(hi - lo + 1) + lo }
    }

    /// Every interval with both its ends, in the order of their numbers.
    pub fn each(&self) -> impl Iterator<Item = (usize, usize)> + use<> {
        let GridAxis { codes, is_inner, .. } = *self;
        (0..codes).flat_map(move |outer| {
            let first = codes - 1 - outer;
            (0..if is_inner { codes - first } else { codes - outer })
                .map(move |at| if is_inner { (first, first + at) } else { (at, at + outer) })
        })
    }
}

/// A box: the first and the last code on each axis of a grid.
pub type BoxRanges = Vec<(usize, usize)>;

/// The dimensions of a table that can be cut, the shortest first.
///
/// The last axis is the inner one: the boxes that differ only there lie side by side, and there the loops of the
/// dynamic program are long.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grid {
    axes: Vec<GridAxis>,
}

impl Grid {
    /// The grid of a table; `None` where it has a set of more than two values, whose parts are no intervals, or no
    /// quasi-identifier at all.
    pub fn of(table: &Table) -> Option<Grid> {
        let axis = |dimension: usize| {
            let domain = table.domain(dimension);
            GridAxis {
                dimension,
                codes: domain.cardinality().max(1),
                is_set: matches!(domain.shape(), Shape::Set),
                is_inner: false,
            }
        };
        let all: Vec<GridAxis> = (0..table.dimensions()).map(axis).collect();
        if all.is_empty() || all.iter().any(|axis| axis.is_set && axis.codes > 2) {
            return None;
        }
        let mut axes: Vec<GridAxis> = all.iter().copied().filter(|axis| axis.codes > 1).collect();
        axes.sort_by_key(|axis| (axis.codes, axis.dimension));
        if axes.is_empty() {
            axes.push(all[0]);
        }
        axes.last_mut()?.is_inner = true;
        Some(Grid { axes })
    }

    /// The axes, the inner one last.
    pub fn axes(&self) -> &[GridAxis] {
        &self.axes
    }

    /// The axes but for the inner one.
    pub fn outer(&self) -> &[GridAxis] {
        &self.axes[..self.axes.len() - 1]
    }

    /// The longest axis.
    pub fn inner(&self) -> &GridAxis {
        self.axes.last().expect("a grid has an axis")
    }

    /// The number of boxes.
    pub fn boxes(&self) -> u128 {
        let product = |product: u128, axis: &GridAxis| product.saturating_mul(axis.intervals() as u128);
        self.axes.iter().fold(1, product)
    }

    /// How often two boxes are put together until the best cut of every box is known.
    pub fn cuts(&self) -> u128 {
        // The intervals of an axis with d codes have d(d² − 1)/6 cuts together: (d − 1)/3 each.
        let each: u128 = self.axes.iter().map(|axis| axis.codes as u128 - 1).sum();
        self.boxes().saturating_mul(each) / 3
    }

    /// The box of the whole domain.
    pub fn whole(&self) -> BoxRanges {
        self.axes.iter().map(|axis| (0, axis.codes - 1)).collect()
    }

    /// The number of a box, in the order in which the dynamic program keeps them.
    pub fn place(&self, at: &[(usize, usize)]) -> usize {
        self.axes
            .iter()
            .zip(at)
            .fold(0, |place, (axis, &(lo, hi))| place * axis.intervals() + axis.place(lo, hi))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_are_numbered_without_gaps_and_after_their_parts() {
        for (codes, is_inner) in (1..9).flat_map(|codes| [(codes, false), (codes, true)]) {
            let axis = GridAxis { dimension: 0, codes, is_set: false, is_inner };
            let places: Vec<usize> = axis.each().map(|(lo, hi)| axis.place(lo, hi)).collect();
            assert_eq!(places, (0..axis.intervals()).collect::<Vec<_>>());
            let is_after = |lo: usize, hi: usize, code: usize| {
                axis.place(lo, hi) > axis.place(lo, code) && axis.place(lo, hi) > axis.place(code + 1, hi)
            };
            assert!(axis.each().all(|(lo, hi)| (lo..hi).all(|code| is_after(lo, hi, code))));
            let cuts: usize = axis.each().map(|(lo, hi)| hi - lo).sum();
            assert_eq!(cuts as u128, Grid { axes: vec![axis] }.cuts());
        }
    }

    #[test]
    fn the_boxes_of_a_grid_are_numbered_without_gaps() {
        let axis = |codes| GridAxis { dimension: 0, codes, is_set: false, is_inner: codes == 3 };
        let grid = Grid { axes: vec![axis(2), axis(3)] };
        let mut places = Vec::new();
        for first in grid.axes()[0].each() {
            places.extend(grid.axes()[1].each().map(|second| grid.place(&[first, second])));
        }
        assert_eq!(places, (0..grid.boxes() as usize).collect::<Vec<_>>());
    }
}
