//! The problem of local recoding, over distinct tuples: which sets of rows may be a group, and their costs.

use crate::Result;
use crate::distinct::DistinctTuples;
use crate::job::Job;
use crate::loss::{CellPrices, Cost};
use crate::packed::{PackedKernel, PackedRows, Tuple, pack};
use crate::requirement::Checks;
use crate::statistics::{Collector, Extent};
use crate::table::{Shape, Table};

/// The most codes of a set that a span tells apart.
const TOLD_APART: usize = 64;

/// Bytes of a row besides its codes, where nearly all tuples differ.
const ROW: usize = 120;

/// Which codes of a dimension occur in a group: the least and the greatest, or a bit for each member of a set.
pub(super) type CodeSpan = u64;

/// Rows of a distinct tuple.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct TupleRows {
    pub tuple: u32,
    pub rows: u32,
}

/// The table as distinct tuples, with requirements and costs.
pub(super) struct LocalProblem<'a> {
    pub table: &'a Table,
    pub requirements: &'a Checks,
    pub loss: &'a dyn Cost,
    pub tuples: LocalTuples,
    /// Whether the cost of a group is the sum of what its cells pay.
    pub by_cells: bool,
    sets: Vec<bool>,
    cardinalities: Vec<usize>,
    /// The costs of cells.
    cells: CellPrices,
    weights: &'a [f64],
    checked: Collector<'a>,
    priced: Collector<'a>,
}

/// The distinct tuples of a table, with their codes.
pub(super) struct LocalTuples {
    dimensions: usize,
    codes: Vec<u32>,
    distinct: DistinctTuples,
}

impl LocalTuples {
    pub fn len(&self) -> usize {
        self.distinct.len()
    }

    #[inline(always)]
    pub fn codes(&self, tuple: u32) -> &[u32] {
        &self.codes[tuple as usize * self.dimensions..(tuple as usize + 1) * self.dimensions]
    }

    pub fn rows(&self, tuple: u32) -> &[u32] {
        self.distinct.rows(tuple as usize)
    }

    #[inline(always)]
    pub fn count(&self, tuple: u32) -> u32 {
        self.distinct.count(tuple as usize)
    }
}

/// Numbers the tuples in the order of their codes; nothing where that is stopped.
struct TupleNumbering<'s> {
    dimensions: usize,
    stops: &'s dyn Fn() -> bool,
}

impl PackedKernel for TupleNumbering<'_> {
    type Output = Option<LocalTuples>;

    fn run<T: Tuple>(self, packed: PackedRows<T>) -> Result<Option<LocalTuples>> {
        let dimensions = self.dimensions;
        let Some(distinct) = DistinctTuples::hashed(&packed.rows, self.stops) else { return Ok(None) };
        let firsts = (0..distinct.len()).map(|tuple| &packed.rows[distinct.rows(tuple)[0] as usize]);
        let codes = firsts.flat_map(|tuple| (0..dimensions).map(move |dimension| tuple.code(dimension)));
        let codes = codes.collect();
        Ok(Some(LocalTuples { dimensions, codes, distinct }))
    }
}

impl<'a> LocalProblem<'a> {
    /// Collects the distinct tuples; `None` where `stops` says so first.
    pub fn new(job: &Job<'a>, stops: &dyn Fn() -> bool) -> Result<Option<Self>> {
        let table = job.table;
        let row = ROW + 12 * table.dimensions() + job.requirements.needs().bytes(table);
        job.budget.admit(table, table.rows() * row, "local recoding")?;
        let distinct = TupleNumbering { dimensions: table.dimensions(), stops };
        let Some(tuples) = pack(table, (0..table.rows() as u32).collect(), distinct)? else {
            return Ok(None);
        };
        let mut problem = LocalProblem {
            table,
            requirements: job.requirements,
            loss: job.loss,
            tuples,
            by_cells: true,
            sets: (0..table.dimensions()).map(|d| matches!(table.domain(d).shape(), Shape::Set)).collect(),
            cardinalities: (0..table.dimensions()).map(|d| table.domain(d).cardinality()).collect(),
            cells: CellPrices::default(),
            weights: job.weights,
            checked: Collector::new(job.requirements.needs(), table)?,
            priced: Collector::new(&job.loss.needs(), table)?,
        };
        problem.by_cells = (0..table.dimensions()).all(|dimension| {
            let told_apart = !problem.sets[dimension] || table.domain(dimension).cardinality() <= TOLD_APART;
            told_apart
                && job
                    .loss
                    .cell(dimension, &problem.extent(dimension, problem.single(dimension, 0)))
                    .is_some()
        });
        let price = |dimension: usize, lo: u32, hi: u32| {
            problem.priced(dimension, u64::from(lo) | u64::from(hi) << 32)
        };
        problem.cells = CellPrices::new(table, price);
        Ok(Some(problem))
    }

    pub fn dimensions(&self) -> usize {
        self.sets.len()
    }

    /// How many rows each code of a dimension has.
    pub fn occurrences(&self, dimension: usize) -> Vec<u64> {
        let mut rows = vec![0; self.table.domain(dimension).cardinality()];
        for tuple in 0..self.tuples.len() as u32 {
            rows[self.tuples.codes(tuple)[dimension] as usize] += u64::from(self.tuples.count(tuple));
        }
        rows
    }

    /// The least size of a group.
    pub fn minimum(&self) -> u64 {
        self.requirements.minimum_size()
    }

    /// The span of one code.
    #[inline(always)]
    pub fn single(&self, dimension: usize, code: u32) -> CodeSpan {
        if self.sets[dimension] {
            let codes = self.cardinalities[dimension];
            let bit = if codes <= TOLD_APART { code as usize } else { code as usize * TOLD_APART / codes };
            return 1 << bit;
        }
        u64::from(code) | u64::from(code) << 32
    }

    /// The span over two spans.
    #[inline(always)]
    pub fn join(&self, dimension: usize, a: CodeSpan, b: CodeSpan) -> CodeSpan {
        if self.sets[dimension] {
            return a | b;
        }
        let (lo, hi) = ((a as u32).min(b as u32), ((a >> 32) as u32).max((b >> 32) as u32));
        u64::from(lo) | u64::from(hi) << 32
    }

    /// The cost of a row's cell over a span.
    #[inline(always)]
    pub fn cell(&self, dimension: usize, span: CodeSpan) -> f64 {
        let tabulated = self.cells.interval(dimension, span as u32, (span >> 32) as u32);
        tabulated.unwrap_or_else(|| self.priced(dimension, span))
    }

    fn priced(&self, dimension: usize, span: CodeSpan) -> f64 {
        let domain = self.table.domain(dimension);
        if self.by_cells {
            return self.loss.cell(dimension, &self.extent(dimension, span)).unwrap_or(0.0);
        }
        // What steers the grouping where the loss does not look at cells.
        let penalty = match self.sets[dimension] {
            true => {
                let codes = domain.cardinality().clamp(2, TOLD_APART);
                f64::from(span.count_ones() - 1) / (codes - 1) as f64
            }
            false => domain.extent_penalty(span as u32, (span >> 32) as u32, 0),
        };
        self.weights[dimension] * penalty
    }

    fn extent(&self, dimension: usize, span: CodeSpan) -> Extent {
        match self.sets[dimension] {
            true => {
                let mut words = vec![0; self.table.domain(dimension).cardinality().div_ceil(64)];
                words[0] = span;
                Extent::Members(words)
            }
            false => Extent::Interval { lo: span as u32, hi: (span >> 32) as u32 },
        }
    }

    /// The rows of some bundles, where every tuple is whole.
    pub fn rows_of(&self, bundles: &[TupleRows]) -> Vec<u32> {
        bundles.iter().flat_map(|bundle| self.tuples.rows(bundle.tuple)).copied().collect()
    }

    /// Whether tuples need not be whole: the cost of a group depends on its size and cells alone.
    pub fn divisible(&self) -> bool {
        self.requirements.only_count() && self.by_cells
    }

    /// Whether a group of this many rows, made of whole tuples unless only the count matters, satisfies the requirements.
    pub fn satisfied(&self, count: u64, bundles: &[TupleRows]) -> bool {
        count >= self.minimum()
            && (self.requirements.only_count()
                || self.requirements.satisfied(&self.checked.of(&self.rows_of(bundles))))
    }

    /// The cost of a group of whole tuples by its statistics.
    pub fn measured(&self, bundles: &[TupleRows]) -> f64 {
        self.loss.group(&self.priced.of(&self.rows_of(bundles)))
    }
}
