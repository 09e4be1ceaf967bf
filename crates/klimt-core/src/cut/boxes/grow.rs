//! Boxes that grow row by row, and their costs.
//!
//! Of an ordered dimension a box keeps the two ends as places on its axis, in lanes of four that are compared at once;
//! of a hierarchy the two outer leaves; of a set the members. What a box costs depends on the box alone, not on the order
//! in which rows came, so that equal boxes always cost the same.

use super::axis::BoxAxis;
use crate::cut::Dimension;
use crate::packed::MAX_DIMENSIONS;
use crate::split::{BoxCost, BoxSplit};
use crate::table::{Domain, Shape};

/// Numbers that are compared at once.
pub(super) type Lane = [f32; 4];

/// A dimension of a volume has at most this many cells: products of many must not vanish.
const MOST_CELLS: f32 = 1000.0;

/// The dimensions of a table as boxes see them; the same for all parts of a run.
#[derive(Debug)]
pub(crate) struct BoxPlan<'a> {
    pub(super) axes: Vec<(usize, BoxAxis<'a>)>,
    pub(super) others: Vec<UnorderedDimension<'a>>,
    pub(super) cost: BoxCost,
    /// How many lanes a row takes.
    pub(super) lanes: usize,
    /// The weight of each ordered dimension: no interval costs more.
    pub(super) caps: Vec<Lane>,
    /// The cells of each dimension, ordered ones first.
    cells: Vec<f32>,
    /// The dimensions in the order in which they are cut: those of a stage where no earlier one can be.
    pub stages: Vec<Vec<CuttableDimension>>,
}

/// A dimension that may be cut.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CuttableDimension {
    /// Its number.
    pub dimension: usize,
    /// Whether it is a set, whose values have no order.
    pub is_set: bool,
    /// Whether a cut must narrow what is published, which between leaves of a hierarchy it may not.
    pub narrows: bool,
}

/// A dimension without an axis.
#[derive(Debug)]
pub(super) struct UnorderedDimension<'a> {
    pub dimension: usize,
    domain: &'a Domain,
    weight: f32,
    is_set: bool,
    /// Where the words of its members start, and how many there are.
    first: usize,
    words: usize,
}

impl<'a> BoxPlan<'a> {
    pub fn new(dimensions: &[Dimension<'a>], split: &BoxSplit) -> Self {
        let heaviest = dimensions.iter().map(|d| d.weight).fold(f64::MIN_POSITIVE, f64::max);
        let weight = |d: &Dimension<'_>| (d.weight / heaviest) as f32;
        let (mut axes, mut others, mut first) = (Vec::new(), Vec::new(), 0);
        let (mut weights, mut cells, mut other_cells) = (Vec::new(), Vec::new(), Vec::new());
        for (number, dimension) in dimensions.iter().enumerate() {
            let many = (dimension.domain.cardinality() as f32 - 1.0).clamp(1.0, MOST_CELLS);
            let weight = weight(dimension);
            if matches!(dimension.domain.shape(), Shape::Ordered) {
                axes.push((number, BoxAxis::new(dimension.domain, weight)));
                weights.push(weight);
                cells.push(many);
            } else {
                let words = if dimension.is_set { dimension.domain.cardinality().div_ceil(64) } else { 0 };
                let (domain, is_set) = (dimension.domain, dimension.is_set);
                others.push(UnorderedDimension { dimension: number, domain, weight, is_set, first, words });
                first += words;
                other_cells.push(many);
            }
        }
        // Few lanes are counted exactly, more are as many as there can be.
        let lanes = match axes.len().div_ceil(4) {
            few @ 0..=4 => few.max(1),
            _ => MAX_DIMENSIONS / 4,
        };
        let mut caps = vec![[0.0; 4]; lanes];
        weights.iter().enumerate().for_each(|(at, &weight)| caps[at / 4][at % 4] = weight);
        cells.extend(other_cells);
        let cuttable = |dimension: usize| {
            let shape = dimensions[dimension].domain.shape();
            let (is_set, narrows) = (dimensions[dimension].is_set, matches!(shape, Shape::Hierarchy(_)));
            CuttableDimension { dimension, is_set, narrows }
        };
        let (preferred, other): (Vec<_>, Vec<_>) = (0..dimensions.len())
            .map(cuttable)
            .partition(|cuttable| split.preferred.contains(&cuttable.dimension));
        let stages = [preferred, other].into_iter().filter(|stage| !stage.is_empty()).collect();
        BoxPlan { axes, others, cost: split.cost, lanes, caps, cells, stages }
    }

    /// Whether there are hierarchies, of which cuts may narrow nothing.
    pub fn has_hierarchies(&self) -> bool {
        self.others.iter().any(|other| !other.is_set)
    }

    /// Whether all cuts are thresholds.
    pub fn only_thresholds(&self) -> bool {
        self.others.is_empty()
    }

    /// How many words the members of all sets take.
    fn words(&self) -> usize {
        self.others.iter().map(|other| other.words).sum()
    }
}

/// The part of a box in dimensions without an axis.
#[derive(Debug, Default)]
pub(super) struct UnorderedBox {
    cells: Vec<RestCell>,
    members: Vec<u64>,
    sum: f32,
    /// The code of each dimension that is not looked at.
    ignored: Vec<Option<u32>>,
}

#[derive(Clone, Copy, Debug)]
struct RestCell {
    lo: u32,
    hi: u32,
    distinct: u32,
    penalty: f32,
}

impl UnorderedBox {
    /// Takes no notice of missing values in some dimensions.
    pub fn ignore_missing(&mut self, plan: &BoxPlan<'_>, mixed: &[usize]) {
        let missing = |other: &UnorderedDimension<'_>| {
            other.domain.missing_code().filter(|_| !other.is_set && mixed.contains(&other.dimension))
        };
        self.ignored.clear();
        self.ignored.extend(plan.others.iter().map(missing));
    }

    pub fn clear(&mut self, plan: &BoxPlan<'_>) {
        self.cells.clear();
        self.cells.resize(plan.others.len(), RestCell { lo: u32::MAX, hi: 0, distinct: 0, penalty: 0.0 });
        self.members.clear();
        self.members.resize(plan.words(), 0);
        self.sum = 0.0;
    }

    /// Includes a row: `rows` has the codes of all rows of a dimension one after the other.
    #[inline]
    pub fn include(&mut self, plan: &BoxPlan<'_>, codes: &[u32], rows: usize, row: usize) {
        let mut grown = false;
        for ((cell, other), ignored) in self.cells.iter_mut().zip(&plan.others).zip(&self.ignored) {
            let code = codes[other.dimension * rows + row];
            if *ignored == Some(code) {
                continue;
            }
            if other.is_set {
                let word = &mut self.members[other.first + code as usize / 64];
                let bit = 1 << (code % 64);
                if *word & bit != 0 {
                    continue;
                }
                *word |= bit;
                cell.distinct += 1;
            } else if code >= cell.lo && code <= cell.hi {
                continue;
            }
            (cell.lo, cell.hi) = (cell.lo.min(code), cell.hi.max(code));
            let penalty = other.domain.extent_penalty(cell.lo, cell.hi, cell.distinct as usize);
            cell.penalty = other.weight * penalty as f32;
            grown = true;
        }
        if grown {
            self.sum = self.cells.iter().map(|cell| cell.penalty).sum();
        }
    }
}

/// The ends of a box in the ordered dimensions.
#[derive(Clone, Copy)]
pub(super) struct BoxEnds<const C: usize> {
    lo: [Lane; C],
    hi: [Lane; C],
}

#[inline(always)]
fn pick(a: f32, b: f32, first: bool) -> f32 {
    if first { a } else { b }
}

#[inline(always)]
fn least(a: Lane, b: Lane) -> Lane {
    [
        pick(a[0], b[0], a[0] < b[0]),
        pick(a[1], b[1], a[1] < b[1]),
        pick(a[2], b[2], a[2] < b[2]),
        pick(a[3], b[3], a[3] < b[3]),
    ]
}

#[inline(always)]
fn most(a: Lane, b: Lane) -> Lane {
    [
        pick(a[0], b[0], a[0] > b[0]),
        pick(a[1], b[1], a[1] > b[1]),
        pick(a[2], b[2], a[2] > b[2]),
        pick(a[3], b[3], a[3] > b[3]),
    ]
}

// Lane by lane and number by number, as the compiler makes vector instructions of nothing else here.
impl<const C: usize> BoxEnds<C> {
    pub const NOTHING: Self = BoxEnds { lo: [[f32::INFINITY; 4]; C], hi: [[f32::NEG_INFINITY; 4]; C] };

    #[inline(always)]
    pub fn include(&mut self, row: &[Lane; C]) {
        for (lo, &row) in self.lo.iter_mut().zip(row) {
            *lo = least(row, *lo);
        }
        for (hi, &row) in self.hi.iter_mut().zip(row) {
            *hi = most(row, *hi);
        }
    }

    /// The cost of a row of the box: its weighted certainty penalty, or its volume.
    #[inline(always)]
    pub fn cost(&self, plan: &BoxPlan<'_>, caps: &[Lane; C], rest: &UnorderedBox) -> f64 {
        match plan.cost {
            BoxCost::Penalty => f64::from(self.penalty(caps) + rest.sum),
            BoxCost::Volume => self.volume(plan, caps, rest),
        }
    }

    /// The cost of the box in each dimension.
    pub fn penalties(&self, plan: &BoxPlan<'_>, caps: &[Lane; C], rest: &UnorderedBox, into: &mut Vec<f32>) {
        into.clear();
        into.resize(plan.axes.len() + plan.others.len(), 0.0);
        for (at, (dimension, _)) in plan.axes.iter().enumerate() {
            let (lane, at) = (at / 4, at % 4);
            into[*dimension] = (self.hi[lane][at] - self.lo[lane][at]).clamp(0.0, caps[lane][at]);
        }
        for (cell, other) in rest.cells.iter().zip(&plan.others) {
            into[other.dimension] = cell.penalty;
        }
    }

    #[inline(always)]
    fn penalty(&self, caps: &[Lane; C]) -> f32 {
        let mut sums = [0.0; 4];
        for ((lo, hi), &cap) in self.lo.iter().zip(&self.hi).zip(caps) {
            let lengths = [hi[0] - lo[0], hi[1] - lo[1], hi[2] - lo[2], hi[3] - lo[3]];
            // A box without any value in a dimension has no length there.
            let lengths = most(least(lengths, cap), [0.0; 4]);
            sums = [sums[0] + lengths[0], sums[1] + lengths[1], sums[2] + lengths[2], sums[3] + lengths[3]];
        }
        (sums[0] + sums[1]) + (sums[2] + sums[3])
    }

    /// The product over the dimensions of the share of cells that the box covers, a cell at least, so that boxes without
    /// any length in a dimension compare by the others.
    #[inline(never)]
    fn volume(&self, plan: &BoxPlan<'_>, caps: &[Lane; C], rest: &UnorderedBox) -> f64 {
        let lengths = self.lo.iter().flatten().zip(self.hi.iter().flatten()).zip(caps.iter().flatten());
        let ordered = lengths.map(|((lo, hi), &cap)| ((hi - lo).clamp(0.0, cap), cap));
        let others = rest.cells.iter().zip(&plan.others).map(|(cell, other)| (cell.penalty, other.weight));
        let share = |((penalty, weight), &cells): ((f32, f32), &f32)| {
            f64::from((1.0 + penalty * cells) / (1.0 + weight * cells))
        };
        ordered.take(plan.axes.len()).chain(others).zip(&plan.cells).map(share).product()
    }
}
