//! The problem of the best partition: which sets of rows may be a group, and their costs.

use super::room::SearchMemory;
use super::search::MOST_ROWS;
use crate::Result;
use crate::job::Job;
use crate::loss::{CellPrices, Cost};
use crate::requirement::Checks;
use crate::statistics::{Collector, Extent, Statistics};
use crate::table::{Shape, Table};
use std::borrow::Cow;

/// The powers of the number of groups with which cells may shrink; the first serves best on tables about people, the
/// others look elsewhere.
pub(super) const SLANTS: [f64; 4] = [1.0 / 6.0, 0.14, 0.2, 0.11];

/// How the cost of a group is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OptimalPricing {
    /// From its size.
    Size,
    /// As a sum over rows and dimensions of what a cell pays.
    Cells,
    /// From its statistics.
    Statistics,
}

/// The rows of a search, with requirements and costs.
pub(super) struct OptimalProblem<'a> {
    job: &'a Job<'a>,
    pub table: &'a Table,
    /// The requirements of groups. Widths are required of values, as boxes are sets of rows here.
    pub requirements: Cow<'a, Checks>,
    pub loss: &'a dyn Cost,
    /// The cost of a suppressed row, where rows may be suppressed.
    pub price: Option<f64>,
    pub pricing: OptimalPricing,
    /// The memory of the search.
    pub room: SearchMemory,
    /// Makes the statistics that requirements and loss need.
    pub collector: Collector<'a>,
    /// Makes all statistics that either needs.
    all: Collector<'a>,
    /// The costs of cells, where the cost is a sum over cells.
    cells: CellPrices,
    /// The least cost of partitions by the number of rows.
    balanced: Vec<f64>,
    /// The share of its cost as one group that a box is expected to cost, by the number of rows.
    discounts: [Vec<f64>; SLANTS.len()],
}

impl<'a> OptimalProblem<'a> {
    pub fn new(job: &'a Job<'a>, price: Option<f64>) -> Result<Self> {
        let Job { table, loss, .. } = *job;
        let requirements = job.requirements.of_values();
        let room = SearchMemory::new(job)?;
        let mut needs = requirements.needs().clone();
        let pricing = pricing(loss, table);
        if pricing == OptimalPricing::Statistics {
            needs.include(&loss.needs());
        }
        let collector = Collector::new(&needs, table)?;
        needs.include(&loss.needs());
        let all = Collector::new(&needs, table)?;
        let mut problem = OptimalProblem {
            job,
            table,
            requirements,
            loss,
            price,
            pricing,
            room,
            collector,
            all,
            cells: CellPrices::default(),
            balanced: Vec::new(),
            discounts: Default::default(),
        };
        let most = table.rows().min(MOST_ROWS) as u64;
        problem.discounts =
            SLANTS.map(|slant| (0..=most).map(|rows| problem.discounted(rows, slant)).collect());
        problem.balanced = (0..=most).map(|rows| problem.balance(rows)).collect();
        if pricing == OptimalPricing::Cells {
            let price =
                |dimension: usize, lo: u32, hi: u32| problem.priced(dimension, &Extent::Interval { lo, hi });
            problem.cells = CellPrices::new(table, price);
        }
        Ok(problem)
    }

    /// Whether the search should end with what it has.
    pub fn stops(&self) -> bool {
        self.job.stops()
    }

    fn priced(&self, dimension: usize, extent: &Extent) -> f64 {
        self.loss.cell(dimension, extent).expect("the loss is priced by cells")
    }

    /// The cost of a cell from one code to another.
    #[inline(always)]
    pub fn interval(&self, dimension: usize, lo: u32, hi: u32) -> f64 {
        let tabulated = self.cells.interval(dimension, lo, hi);
        tabulated.unwrap_or_else(|| self.priced(dimension, &Extent::Interval { lo, hi }))
    }

    /// The cost of a cell over two codes.
    pub fn pair(&self, dimension: usize, one: u32, other: u32) -> f64 {
        if self.is_set(dimension) {
            return self.members(dimension, [one, other].into_iter());
        }
        self.interval(dimension, one.min(other), one.max(other))
    }

    /// The cost of a cell over some codes of a set.
    pub fn members(&self, dimension: usize, codes: impl Iterator<Item = u32>) -> f64 {
        let mut extent = Extent::no_members(self.table.domain(dimension).cardinality());
        codes.for_each(|code| extent.add(code));
        self.priced(dimension, &extent)
    }

    /// Whether a dimension is an unordered set.
    pub fn is_set(&self, dimension: usize) -> bool {
        matches!(self.table.domain(dimension).shape(), Shape::Set)
    }

    /// Whether some of these rows have a value of an ordered dimension or a hierarchy, and others have none.
    pub fn mixes_missing(&self, rows: &[u32]) -> bool {
        (0..self.table.dimensions()).any(|dimension| {
            let (domain, codes) = (self.table.domain(dimension), self.table.codes(dimension));
            let missing = domain.missing_code().filter(|_| !matches!(domain.shape(), Shape::Set));
            missing.is_some_and(|missing| {
                let is_missing = |row: &u32| codes.get(*row as usize) == missing;
                let first = rows.first().is_some_and(is_missing);
                rows.iter().any(|row| is_missing(row) != first)
            })
        })
    }

    /// The least size of a group.
    pub fn minimum(&self) -> usize {
        self.requirements.minimum_size() as usize
    }

    /// Whether the cost of a group depends on its size alone, and rows are not suppressed.
    pub fn is_plain(&self) -> bool {
        self.pricing == OptimalPricing::Size && self.requirements.only_count() && self.price.is_none()
    }

    /// The least size of the side of a cut: rows that are suppressed need no company.
    pub fn least_side(&self) -> usize {
        if self.price.is_some() { 1 } else { self.minimum() }
    }

    /// The cost of rows as one group; infinite where they may not be one. The start of a search may satisfy
    /// the required widths by its boundaries alone.
    pub fn group(&self, rows: &[u32]) -> f64 {
        if rows.len() < self.minimum() {
            return f64::INFINITY;
        }
        let statistics = self.all.of(rows);
        let satisfied = self.job.requirements.satisfied(&statistics);
        if satisfied { self.loss.group(&statistics) } else { f64::INFINITY }
    }

    /// The cost of rows as one group or suppressed, whichever is less, and whether they are suppressed.
    pub fn leaf(&self, rows: &[u32]) -> (f64, bool) {
        let group = self.group(rows);
        let price = self.price.map_or(f64::INFINITY, |price| price * rows.len() as f64);
        if price < group { (price, true) } else { (group, false) }
    }

    /// The share of its cost as one group that a box of `rows` rows is expected to cost: its cells shrink
    /// with a root of the number of groups. This only decides the order in which cuts are tried.
    #[inline(always)]
    pub fn discount(&self, rows: u32, slant: usize) -> f64 {
        self.discounts[slant][rows as usize]
    }

    fn discounted(&self, rows: u64, slant: f64) -> f64 {
        let minimum = self.requirements.minimum_size();
        if rows < 2 * minimum { 1.0 } else { (minimum as f64 / rows as f64).powf(slant) }
    }

    /// The lower bound that the loss gives for any partition of the rows.
    pub fn promised(&self, rows: &[u32]) -> f64 {
        self.loss.bound(&self.all.of(rows), self.requirements.minimum_size())
    }

    /// The least cost of a number of rows of a part that is searched, by their number alone.
    #[inline(always)]
    pub fn balanced(&self, rows: u32) -> f64 {
        self.balanced[rows as usize]
    }

    /// The least cost of a number of rows in groups of at least the minimum, by their number alone.
    pub fn balance(&self, rows: u64) -> f64 {
        if self.pricing != OptimalPricing::Size || rows == 0 {
            return 0.0;
        }
        let minimum = self.requirements.minimum_size();
        match self.price {
            None => self.loss.bound(&Statistics { count: rows, ..Statistics::default() }, minimum),
            Some(price) => {
                let least = self.loss.size(minimum).expect("the loss is priced by size") / minimum as f64;
                least.min(price) * rows as f64
            }
        }
    }
}

fn pricing(loss: &dyn Cost, table: &Table) -> OptimalPricing {
    let extent = |dimension: usize| match table.domain(dimension).shape() {
        Shape::Set => {
            let mut members = Extent::no_members(table.domain(dimension).cardinality());
            members.add(0);
            members
        }
        _ => Extent::Interval { lo: 0, hi: 0 },
    };
    if loss.size(1).is_some() {
        OptimalPricing::Size
    } else if (0..table.dimensions()).all(|dimension| loss.cell(dimension, &extent(dimension)).is_some()) {
        OptimalPricing::Cells
    } else {
        OptimalPricing::Statistics
    }
}
