//! The cost of a box as one group, tabulated as far as possible.

use super::grid::{Grid, GridAxis};
use crate::loss::Cost;
use crate::statistics::Extent;
use crate::table::{Shape, Table};

/// The cost of a box as one group.
#[derive(Clone, Debug)]
pub enum Charge {
    /// The number of rows decides.
    Size(Vec<f64>),
    /// Every row pays for the intervals of the box.
    Cells(AxisCosts),
    /// The statistics of its rows decide.
    Group,
}

/// The cost of a row's cell for each interval of each axis.
#[derive(Clone, Debug)]
pub struct AxisCosts {
    /// For the dimensions that are no axis.
    pub base: f64,
    /// By axis and by number of the interval.
    pub axes: Vec<Vec<f64>>,
    /// Whether no interval is cheaper than an interval in it, so that no box is cheaper than the smallest box over its
    /// rows.
    pub monotone: bool,
}

impl Charge {
    /// Tables of the costs of boxes by a loss, within a number of bytes.
    pub fn of(loss: &dyn Cost, table: &Table, grid: &Grid, bytes: usize) -> Charge {
        let rows = table.rows();
        if rows <= bytes / 8 && loss.size(1).is_some() {
            let sizes: Option<Vec<f64>> = (1..=rows as u64).map(|rows| loss.size(rows)).collect();
            if let Some(sizes) = sizes {
                return Charge::Size(std::iter::once(0.0).chain(sizes).collect());
            }
        }
        let intervals: usize = grid.axes().iter().map(GridAxis::intervals).sum();
        match (intervals <= bytes / 8).then(|| AxisCosts::of(loss, table, grid)).flatten() {
            Some(cells) => Charge::Cells(cells),
            None => Charge::Group,
        }
    }

    /// The greatest cost of a box of a table, where it can be seen from the tables.
    pub fn greatest(&self, rows: usize) -> Option<f64> {
        match self {
            Charge::Size(sizes) => Some(sizes.iter().copied().fold(0.0, f64::max)),
            Charge::Cells(cells) => {
                let most = |costs: &Vec<f64>| costs.iter().copied().fold(0.0, f64::max);
                Some(rows as f64 * (cells.base + cells.axes.iter().map(most).sum::<f64>()))
            }
            Charge::Group => None,
        }
    }
}

impl AxisCosts {
    fn of(loss: &dyn Cost, table: &Table, grid: &Grid) -> Option<AxisCosts> {
        let mut base = 0.0;
        for dimension in (0..table.dimensions()).filter(|&d| grid.axes().iter().all(|a| a.dimension != d)) {
            base += loss.cell(dimension, &extent(table, dimension, 0, 0))?;
        }
        let costs = |axis: &GridAxis| -> Option<Vec<f64>> {
            axis.each()
                .map(|(lo, hi)| loss.cell(axis.dimension, &extent(table, axis.dimension, lo, hi)))
                .collect()
        };
        let axes = grid.axes().iter().map(costs).collect::<Option<Vec<_>>>()?;
        let grows = |(axis, costs): (&GridAxis, &Vec<f64>)| {
            axis.each().filter(|(lo, hi)| lo < hi).all(|(lo, hi)| {
                let cost = costs[axis.place(lo, hi)];
                cost >= costs[axis.place(lo + 1, hi)] && cost >= costs[axis.place(lo, hi - 1)]
            })
        };
        let monotone = grid.axes().iter().zip(&axes).all(grows);
        Some(AxisCosts { base, axes, monotone })
    }

    /// The cost of one row of a box.
    pub fn of_box(&self, grid: &Grid, at: &[(usize, usize)]) -> f64 {
        let places = grid.axes().iter().zip(at).map(|(axis, &(lo, hi))| axis.place(lo, hi));
        self.base + self.axes.iter().zip(places).map(|(costs, place)| costs[place]).sum::<f64>()
    }
}

/// The extent of all codes from `lo` to `hi` of a dimension.
pub fn extent(table: &Table, dimension: usize, lo: usize, hi: usize) -> Extent {
    let domain = table.domain(dimension);
    match domain.shape() {
        Shape::Set => {
            let mut members = Extent::no_members(domain.cardinality());
            (lo..=hi).for_each(|code| members.add(code as u32));
            members
        }
        _ => Extent::Interval { lo: lo as u32, hi: hi as u32 },
    }
}
