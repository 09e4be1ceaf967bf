//! Sums over the rows of every box of a grid.
//!
//! The sums of the boxes that differ only on the inner axis are differences along a *line*: it has a point before every
//! code and after the last, with the sums up to there. A point holds a sum in each of several channels: how many rows
//! there are, or how many have each code of a column.

use super::grid::{Grid, GridAxis};
use num_traits::{WrappingAdd, WrappingSub, Zero};

/// A number that sums are made of. Differences of sums that exceed it are right nevertheless.
pub trait Number: Copy + Zero + WrappingAdd + WrappingSub + Send + Sync {}

impl<N: Copy + Zero + WrappingAdd + WrappingSub + Send + Sync> Number for N {}

/// The sums over the rows of every box.
#[derive(Clone, Debug)]
pub struct BoxSums<N> {
    values: Vec<N>,
    outer: Vec<LineLayout>,
    /// How many numbers a line has: its points times the channels.
    line: usize,
}

/// How the lines are kept along an outer axis.
#[derive(Clone, Copy, Debug)]
struct LineLayout {
    axis: GridAxis,
    /// Whether there is a line for each interval; else there is one for all codes before each code, and that of an
    /// interval is a difference.
    whole: bool,
}

impl LineLayout {
    fn lines(&self) -> usize {
        if self.whole { self.axis.intervals() } else { self.axis.codes + 1 }
    }
}

/// Which axes of a grid are kept by their intervals, so that sums of numbers take as little time as they can in this many
/// bytes; `None` where they do not fit anyhow.
fn choose<N>(grid: &Grid, channels: usize, bytes: usize) -> Option<Vec<LineLayout>> {
    let mut outer: Vec<LineLayout> =
        grid.outer().iter().map(|&axis| LineLayout { axis, whole: false }).collect();
    let point = channels.checked_mul(size_of::<N>())?.checked_mul(grid.inner().codes + 1)?;
    let fits = |outer: &[LineLayout]| {
        let product = outer.iter().try_fold(point, |product, kept| product.checked_mul(kept.lines()));
        product.is_some_and(|product| product <= bytes)
    };
    if !fits(&outer) {
        return None;
    }
    for at in 0..outer.len() {
        outer[at].whole = true;
        if !fits(&outer) {
            outer[at].whole = false;
            break;
        }
    }
    Some(outer)
}

impl<N: Number> BoxSums<N> {
    /// Sums what `count` adds to the channels for each row; `None` where that does not fit into this many bytes, or where
    /// it is time to stop.
    ///
    /// `codes` has the code of each row on each axis of the grid.
    pub fn new(
        grid: &Grid,
        channels: usize,
        bytes: usize,
        codes: &[Vec<u32>],
        stops: &dyn Fn() -> bool,
        mut count: impl FnMut(usize, &mut [N]),
    ) -> Option<Self> {
        // While one axis is summed, the sums before and after are both there.
        let outer = choose::<N>(grid, channels, bytes / 2)?;
        let line = (grid.inner().codes + 1) * channels;
        let cells: usize = outer.iter().map(|kept| kept.axis.codes).product();
        let mut values = vec![N::zero(); cells * line];
        for row in 0..codes[0].len() {
            let cell = grid
                .outer()
                .iter()
                .zip(codes)
                .fold(0, |cell, (axis, codes)| cell * axis.codes + codes[row] as usize);
            let point = codes[outer.len()][row] as usize + 1;
            let start = cell * line + point * channels;
            count(row, &mut values[start..start + channels]);
        }
        for line in values.chunks_mut(line) {
            for at in channels..line.len() {
                line[at] = line[at].wrapping_add(&line[at - channels]);
            }
        }
        let mut after = line;
        for kept in outer.iter().rev() {
            let parts = values.chunks(after * kept.axis.codes);
            let mut sums = Vec::with_capacity(parts.len() * kept.lines() * after);
            for part in parts {
                if stops() {
                    return None;
                }
                sum_along(part, kept, after, &mut sums, stops)?;
            }
            values = sums;
            after *= kept.lines();
        }
        Some(BoxSums { values, outer, line })
    }

    /// The memory that they take.
    pub fn bytes(&self) -> usize {
        self.values.len() * size_of::<N>()
    }

    /// The line of a box, whose bounds on the outer axes are given.
    pub fn line<'s>(&'s self, at: &[(usize, usize)], scratch: &'s mut Vec<N>) -> &'s [N] {
        let start = self.outer.iter().zip(at).fold(0, |start, (kept, &(lo, hi))| {
            let line = if kept.whole { kept.axis.place(lo, hi) } else { hi + 1 };
            start * kept.lines() + line
        });
        if self.outer.iter().zip(at).all(|(kept, &(lo, _))| kept.whole || lo == 0) {
            return &self.values[start * self.line..(start + 1) * self.line];
        }
        scratch.clear();
        scratch.resize(self.line, N::zero());
        self.add_corners(at, 0, 0, false, scratch);
        scratch
    }

    /// Adds, or takes away, the lines from the given axis on.
    fn add_corners(&self, at: &[(usize, usize)], axis: usize, start: usize, minus: bool, into: &mut [N]) {
        let Some(kept) = self.outer.get(axis) else {
            let line = &self.values[start * self.line..(start + 1) * self.line];
            if minus {
                into.iter_mut().zip(line).for_each(|(sum, value)| *sum = sum.wrapping_sub(value));
            } else {
                into.iter_mut().zip(line).for_each(|(sum, value)| *sum = sum.wrapping_add(value));
            }
            return;
        };
        let (lo, hi) = at[axis];
        let start = start * kept.lines();
        if kept.whole {
            return self.add_corners(at, axis + 1, start + kept.axis.place(lo, hi), minus, into);
        }
        self.add_corners(at, axis + 1, start + hi + 1, minus, into);
        if lo > 0 {
            self.add_corners(at, axis + 1, start + lo, !minus, into);
        }
    }
}

/// The number of sums between two looks at the clock.
const PATIENCE: usize = 1 << 16;

/// Appends the sums of one part along an axis: from its codes to its intervals, or to all codes before each. `None` where
/// it is time to stop.
fn sum_along<N: Number>(
    part: &[N],
    kept: &LineLayout,
    size: usize,
    sums: &mut Vec<N>,
    stops: &dyn Fn() -> bool,
) -> Option<()> {
    let start = sums.len();
    if kept.whole {
        sums.extend_from_slice(part);
        for (lo, hi) in kept.axis.each().skip(kept.axis.codes) {
            let shorter = start + kept.axis.place(lo, hi - 1) * size;
            if size >= PATIENCE && stops() {
                return None;
            }
            for at in 0..size {
                sums.push(sums[shorter + at].wrapping_add(&part[hi * size + at]));
            }
        }
    } else {
        sums.resize(start + size, N::zero());
        for at in 0..part.len() {
            if at.is_multiple_of(PATIENCE) && stops() {
                return None;
            }
            sums.push(sums[start + at].wrapping_add(&part[at]));
        }
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::{Codes, Column, ColumnData, ColumnSpec, Distinct, Encoding, Role, Table};

    /// A table with ordered columns of whole numbers below the given sizes.
    fn table(sizes: &[i64], rows: usize) -> Table {
        let column = |(at, &size): (usize, &i64)| {
            let spec = ColumnSpec::new(format!("q{at}"), Role::QuasiIdentifier);
            let domain = Encoding::of(&spec, Distinct::Integers((0..size).collect()), false).unwrap().domain;
            let code = |row: usize| (row * (7 + 4 * at) / 3 % size as usize) as u32;
            let codes = Codes::collect(size as usize, (0..rows).map(code));
            Column {
                name: spec.name,
                role: spec.role,
                data: ColumnData::Coded { domain: domain.into(), codes },
            }
        };
        Table::new(rows, sizes.iter().enumerate().map(column).collect()).unwrap()
    }

    #[test]
    fn every_box_has_its_sums_however_they_are_kept() {
        let table = table(&[2, 4, 3, 5], 40);
        let grid = Grid::of(&table).unwrap();
        let codes: Vec<Vec<u32>> = grid
            .axes()
            .iter()
            .map(|axis| (0..40).map(|row| table.codes(axis.dimension).get(row)).collect())
            .collect();
        let channel = |row: usize| row % 2;
        let mut layouts = Vec::new();
        for bytes in [1 << 10, 3 << 10, 6 << 10, 12 << 10, 1 << 20] {
            let count = |row: usize, into: &mut [u32]| into[channel(row)] += 1;
            let Some(sums) = BoxSums::<u32>::new(&grid, 2, bytes, &codes, &|| false, count) else { continue };
            layouts.push(sums.outer.iter().filter(|kept| kept.whole).count());
            let mut scratch = Vec::new();
            let [first, second, third] = [0, 1, 2].map(|axis| grid.outer()[axis]);
            for bounds in first.each().flat_map(|a| second.each().map(move |b| (a, b))) {
                for last in third.each() {
                    let at = [bounds.0, bounds.1, last];
                    let line = sums.line(&at, &mut scratch).to_vec();
                    for (lo, hi) in grid.inner().each() {
                        let bounds = [at[0], at[1], at[2], (lo, hi)];
                        let mut found = [0, 0];
                        for row in 0..40 {
                            let holds = |axis: usize| {
                                (bounds[axis].0..=bounds[axis].1).contains(&(codes[axis][row] as usize))
                            };
                            found[channel(row)] += u32::from((0..4).all(holds));
                        }
                        let between = |channel| line[(hi + 1) * 2 + channel] - line[lo * 2 + channel];
                        assert_eq!([between(0), between(1)], found);
                    }
                }
            }
        }
        layouts.dedup();
        // Two codes have as many intervals as places before and after a code.
        assert_eq!(layouts, [1, 2, 3], "every layout was tried");
    }
}
