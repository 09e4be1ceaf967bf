//! The cost of each box that is not cut: as one group, or with its rows suppressed.

use super::charge::Charge;
use super::grid::Grid;
use super::judge::{BoxCollector, Evidence, Witness};
use super::sums::BoxSums;
use super::value::CostValue;
use crate::loss::Cost;
use crate::requirement::Checks;

/// The data that costs of boxes are computed from, whatever type the costs have.
pub struct CostInputs<'a> {
    /// The grid.
    pub grid: Grid,
    /// The requirements of every group.
    pub requirements: &'a Checks,
    /// The cost of a group.
    pub loss: &'a dyn Cost,
    /// The cost of a group, in tables.
    pub charge: Charge,
    /// The cost of a suppressed row, where rows may be suppressed.
    pub price: Option<f64>,
    /// The rows of each box.
    pub counts: BoxSums<u32>,
    /// The statistics of each box, where counts do not tell enough.
    pub judge: Option<BoxCollector>,
    /// No smaller group is allowed.
    pub minimum: u32,
}

/// Room to look at one row of boxes after the other.
#[derive(Clone, Debug)]
pub struct LeafScratch {
    counts: Vec<u32>,
    slab: Vec<u32>,
    slabs: Vec<u32>,
    evidence: Option<Evidence>,
}

impl CostInputs<'_> {
    /// Room to look at boxes.
    pub fn scratch(&self) -> LeafScratch {
        LeafScratch {
            counts: Vec::new(),
            slab: Vec::new(),
            slabs: Vec::new(),
            evidence: self.judge.as_ref().map(BoxCollector::evidence),
        }
    }

    /// The memory that it takes.
    pub fn bytes(&self) -> usize {
        let numbers = match &self.charge {
            Charge::Size(sizes) => sizes.len(),
            Charge::Cells(cells) => cells.axes.iter().map(Vec::len).sum(),
            Charge::Group => 0,
        };
        self.counts.bytes() + self.judge.as_ref().map_or(0, BoxCollector::bytes) + numbers * size_of::<f64>()
    }

    /// Whether counts alone decide what is allowed, and tables what it costs.
    fn by_count(&self) -> bool {
        self.requirements.only_count()
            && match &self.charge {
                Charge::Size(_) => true,
                Charge::Cells(cells) => cells.monotone,
                Charge::Group => false,
            }
    }

    /// How many rows a box holds.
    pub fn count(&self, at: &[(usize, usize)], scratch: &mut LeafScratch) -> u32 {
        let (&(lo, hi), outer) = at.split_last().expect("a grid has an axis");
        let line = self.counts.line(outer, &mut scratch.counts);
        line[hi + 1].wrapping_sub(line[lo])
    }

    /// The cost as one group of a box that is the smallest over its rows; `None` where that is not allowed.
    pub fn group(&self, at: &[(usize, usize)], scratch: &mut LeafScratch) -> Option<f64> {
        let count = self.count(at, scratch);
        let (&(lo, hi), outer) = at.split_last().expect("a grid has an axis");
        let mut witness = match (&self.judge, &mut scratch.evidence) {
            (Some(judge), Some(evidence)) => Some(judge.look(outer, evidence)),
            _ => None,
        };
        if count < self.minimum {
            return None;
        }
        let statistics = witness.as_mut().map(|witness| witness.statistics(lo, hi, count));
        if !self.requirements.only_count() && !statistics.is_some_and(|s| self.requirements.satisfied(s)) {
            return None;
        }
        match &self.charge {
            Charge::Size(sizes) => Some(sizes[count as usize]),
            Charge::Cells(cells) => Some(f64::from(count) * cells.of_box(&self.grid, at)),
            Charge::Group => statistics.map(|statistics| self.loss.group(statistics)),
        }
    }
}

/// The cost of each box that is not cut, in the number type of the array.
pub struct Leaves<'f, V: CostValue> {
    /// The data that costs are computed from.
    pub facts: &'f CostInputs<'f>,
    /// How many units of the array a cost of 1 is.
    pub scale: f64,
    tariff: Tariff<V>,
    price: Option<V::Cell>,
}

/// [`Charge`], in the values of the array.
enum Tariff<V: CostValue> {
    Size(Vec<V>),
    Cells { base: V::Cell, axes: Vec<Vec<V::Cell>> },
    Group,
}

impl<'f, V: CostValue> Leaves<'f, V> {
    /// Takes costs in this many units; `None` where they do not fit.
    pub fn new(facts: &'f CostInputs<'f>, scale: f64) -> Option<Self> {
        let cells = |costs: &Vec<f64>| costs.iter().map(|&cost| V::cell(cost, scale)).collect::<Option<_>>();
        let tariff = match &facts.charge {
            Charge::Size(sizes) => {
                Tariff::Size(sizes.iter().map(|&cost| V::of(cost, scale)).collect::<Option<_>>()?)
            }
            Charge::Cells(found) => Tariff::Cells {
                base: V::cell(found.base, scale)?,
                axes: found.axes.iter().map(cells).collect::<Option<_>>()?,
            },
            Charge::Group => Tariff::Group,
        };
        let price = match facts.price {
            Some(price) => Some(V::cell(price, scale)?),
            None => None,
        };
        let mut leaves = Leaves { facts, scale, tariff, price };
        leaves.settle_sizes();
        Some(leaves)
    }

    /// Where counts decide, the table of sizes has the cost of what is best to do with this many rows.
    fn settle_sizes(&mut self) {
        let (by_count, minimum) = (self.facts.by_count(), self.facts.minimum);
        let (price, scale) = (self.price, self.scale);
        if let (Tariff::Size(sizes), true) = (&mut self.tariff, by_count) {
            for (rows, value) in (0..).zip(sizes).skip(1) {
                let allowed = if rows < minimum { V::INFINITE } else { *value };
                *value = price.map_or(allowed, |price| allowed.least(V::times(price, rows, scale)));
            }
        }
    }

    /// Looks at the row of boxes with the given bounds on the outer axes.
    pub fn row<'r>(&'r self, at: &[(usize, usize)], scratch: &'r mut LeafScratch) -> BoxRow<'r, V> {
        let facts = self.facts;
        let LeafScratch { counts, slab, slabs, evidence } = scratch;
        let counts = facts.counts.line(at, counts);
        let by_count = facts.by_count();
        slabs.clear();
        if !by_count && counts[counts.len() - 1] >= facts.minimum {
            let mut slice = at.to_vec();
            for (axis, &(lo, hi)) in at.iter().enumerate().filter(|(_, (lo, hi))| lo < hi) {
                for code in [lo, hi] {
                    slice[axis] = (code, code);
                    slabs.extend_from_slice(facts.counts.line(&slice, slab));
                }
                slice[axis] = (lo, hi);
            }
        }
        let outer = match &self.tariff {
            Tariff::Cells { base, axes } => {
                let places = facts.grid.outer().iter().zip(at).map(|(axis, &(lo, hi))| axis.place(lo, hi));
                let cells = axes.iter().zip(places).map(|(cells, place)| cells[place]);
                Some(cells.fold(*base, V::both))
            }
            _ => None,
        };
        let witness = match (&facts.judge, evidence) {
            (Some(judge), Some(evidence)) => Some(judge.look(at, evidence)),
            _ => None,
        };
        BoxRow { leaves: self, counts, slabs, outer, witness, by_count }
    }
}

/// Boxes with the same bounds on the outer axes.
pub struct BoxRow<'r, V: CostValue> {
    leaves: &'r Leaves<'r, V>,
    /// The rows before each code of the inner axis, and all of them.
    counts: &'r [u32],
    /// The same for the outermost slabs on either side of each outer axis.
    slabs: &'r [u32],
    /// The cost of a row on the outer axes.
    outer: Option<V::Cell>,
    witness: Option<Witness<'r>>,
    /// Whether counts alone decide what is allowed, and tables what it costs.
    pub by_count: bool,
}

/// A cost does not fit into the array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CostOverflow;

impl<V: CostValue> BoxRow<'_, V> {
    /// How many rows the longest box holds.
    pub fn rows(&self) -> u32 {
        self.counts[self.counts.len() - 1]
    }

    /// Whether no box can be a group, and none can be suppressed.
    pub fn is_hopeless(&self) -> bool {
        self.rows() < self.leaves.facts.minimum && self.leaves.price.is_none()
    }

    /// Sets the values of the boxes that start with a code of the inner axis, where none can be a group.
    pub fn give_up(&self, lo: usize, values: &mut [V]) {
        for (value, upto) in values.iter_mut().zip(&self.counts[lo + 1..]) {
            *value = if *upto == self.counts[lo] { V::ZERO } else { V::INFINITE };
        }
    }

    /// Lowers the values of the boxes that start with a code of the inner axis to what they cost when they are not cut,
    /// where counts tell that.
    pub fn settle_by_count(&self, lo: usize, values: &mut [V]) {
        let Leaves { facts, scale, tariff, price } = self.leaves;
        let before = self.counts[lo];
        let rows = self.counts[lo + 1..].iter().map(|upto| upto.wrapping_sub(before));
        match (tariff, self.outer) {
            (Tariff::Size(sizes), _) => {
                values
                    .iter_mut()
                    .zip(rows)
                    .for_each(|(value, rows)| *value = value.least(sizes[rows as usize]));
            }
            (Tariff::Cells { axes, .. }, Some(outer)) => {
                let inner = &axes[axes.len() - 1][facts.grid.inner().first_from(lo)..];
                for ((value, rows), &inner) in values.iter_mut().zip(rows).zip(inner) {
                    let group = V::times(V::both(outer, inner), rows, *scale);
                    *value = value.least(match rows {
                        0 => V::ZERO,
                        rows if rows < facts.minimum => V::INFINITE,
                        _ => group,
                    });
                    if let Some(price) = price {
                        *value = value.least(V::times(*price, rows, *scale));
                    }
                }
            }
            _ => {}
        }
    }

    /// The cost of the box from `lo` to `hi` on the inner axis: cut, as given, or not cut, where that is
    /// less.
    ///
    /// A box with an empty slab at its edge may be left as it is: the cut that takes the slab off costs as
    /// much as the box without it.
    pub fn settle(&mut self, lo: usize, hi: usize, cut: V) -> Result<V, CostOverflow> {
        let count = self.counts[hi + 1].wrapping_sub(self.counts[lo]);
        if count == 0 {
            return Ok(V::ZERO);
        }
        let price = self.leaves.price.map(|price| V::times(price, count, self.leaves.scale));
        let value = price.map_or(cut, |price| cut.least(price));
        if count >= self.leaves.facts.minimum && value > V::ZERO && self.is_smallest(lo, hi) {
            return Ok(value.least(self.as_group(lo, hi, count, value)?));
        }
        Ok(value)
    }

    /// Whether a box, which holds rows, is the smallest over them.
    fn is_smallest(&self, lo: usize, hi: usize) -> bool {
        self.counts[lo] != self.counts[lo + 1]
            && self.counts[hi] != self.counts[hi + 1]
            && self.slabs.chunks_exact(self.counts.len()).all(|slab| slab[lo] != slab[hi + 1])
    }

    /// The cost of a box as one group, where that is allowed and less than its best cut.
    fn as_group(&mut self, lo: usize, hi: usize, count: u32, cut: V) -> Result<V, CostOverflow> {
        let Leaves { facts, scale, tariff, price } = self.leaves;
        let known = match (tariff, self.outer) {
            (Tariff::Size(sizes), _) => Some(sizes[count as usize]),
            (Tariff::Cells { axes, .. }, Some(outer)) => {
                let inner = axes[axes.len() - 1][facts.grid.inner().place(lo, hi)];
                Some(V::times(V::both(outer, inner), count, *scale))
            }
            _ => None,
        };
        if known.is_some_and(|known| known >= cut) {
            return Ok(cut);
        }
        // Requirements are monotone: what can be cut into groups can be one group.
        let is_allowed = facts.requirements.only_count() || (price.is_none() && cut.is_finite());
        if let (Some(known), true) = (known, is_allowed) {
            return Ok(known);
        }
        let Some(witness) = &mut self.witness else { return Ok(cut) };
        let statistics = witness.statistics(lo, hi, count);
        if !is_allowed && !facts.requirements.satisfied(statistics) {
            return Ok(cut);
        }
        known.or_else(|| V::of(facts.loss.group(statistics), *scale)).ok_or(CostOverflow)
    }
}
