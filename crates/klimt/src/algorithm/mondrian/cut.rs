//! The cut of a part, and how it is found.
//!
//! A cut is *allowable* when every part that holds rows satisfies every requirement. Here is the search of Fig. 7, at the
//! median of the widest dimension; `subset.rs` and `taxonomy.rs` cut sets and hierarchies, `greedy.rs` chooses by a loss,
//! `workload.rs` by the predicates of queries.

use super::frequency::{FrequencyGroup, FrequencySet};
use super::measure::{Dimension, Widths};
use super::{Model, Mondrian};
use crate::algorithm::index::{BoxFinder, Plan};
use crate::partition::Job;
use crate::split::{Candidate, Judge, Order, SplitCriterion, Sweep};
use crate::statistics::Collector;
use crate::table::Shape;

/// A cut of a part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Cut {
    /// Codes up to `code` go left; of the rows with that very code, where `shared` is given, only so many.
    Threshold { dimension: usize, code: u32, left: u32, shared: Option<u32> },
    /// Members go left; of the rows with the last of them, where `shared` is given, only so many.
    Subset { dimension: usize, members: Vec<u32>, left: u32, shared: Option<u32> },
    /// One part per run of codes, by the last code of each.
    Runs { dimension: usize, bounds: Vec<u32>, sizes: Vec<u32> },
}

/// Finds the cut of a part. Its vectors are kept from part to part.
#[derive(Debug)]
pub(crate) struct CutFinder<'a> {
    pub widths: Widths,
    pub(super) frequency: FrequencySet,
    pub(super) ranked: Vec<usize>,
    pub(super) sweep: Sweep,
    pub(super) places: Vec<Candidate>,
    pub(super) collector: Collector<'a>,
    pub(super) boxes: BoxFinder,
}

/// A part that may be cut.
pub(crate) struct Part<'a, G> {
    pub mondrian: Mondrian,
    pub job: &'a Job<'a>,
    pub dimensions: &'a [Dimension<'a>],
    /// How boxes see the dimensions, where the split looks at boxes of rows.
    pub boxes: Option<&'a Plan<'a>>,
    /// What is known of its rows.
    pub rows: G,
}

impl<G: FrequencyGroup> Part<'_, G> {
    /// Whether sizes are all that decides.
    pub(super) fn only_sizes(&self) -> bool {
        self.job.requirements.only_count() && !matches!(self.job.split.base(), SplitCriterion::Loss(_))
    }
}

impl<'a> CutFinder<'a> {
    pub fn new(collector: Collector<'a>) -> Self {
        CutFinder {
            widths: Widths::default(),
            frequency: FrequencySet::default(),
            ranked: Vec::new(),
            sweep: Sweep::default(),
            places: Vec::new(),
            collector,
            boxes: BoxFinder::default(),
        }
    }

    /// The cut that the split criterion chooses; by the median where a loss sees no gain in any.
    pub fn find<G: FrequencyGroup>(&mut self, part: &Part<'_, G>, limits: &[u32]) -> Option<Cut> {
        let (rows, requirements) = (u64::from(part.rows.count()), part.job.requirements);
        if rows < requirements.minimum_size().saturating_mul(2) || requirements.is_enough(rows) {
            return None;
        }
        let workload = part.job.split.workload();
        if let (SplitCriterion::Box(split), None) = (part.job.split, workload) {
            return self.boxed(part, limits, split);
        }
        part.rows.measure(part.dimensions, limits, &mut self.widths);
        if self.widths.order.is_empty() {
            return None;
        }
        if !part.only_sizes() {
            part.rows.prepare(&mut self.collector);
        }
        if let Some(cut) = workload.and_then(|workload| self.by_workload(part, workload)) {
            return Some(cut);
        }
        if let SplitCriterion::Box(split) = part.job.split.base() {
            return self.boxed(part, limits, split);
        }
        if let SplitCriterion::Loss(cost) = part.job.split.base()
            && let Some(cut) = self.greedy(part, &**cost)
        {
            return Some(cut);
        }
        self.widest(part, |_| true)
    }

    /// The first allowable cut of the wanted dimensions, trying the widest first.
    pub(super) fn widest<G: FrequencyGroup>(
        &mut self,
        part: &Part<'_, G>,
        wanted: impl Fn(usize) -> bool,
    ) -> Option<Cut> {
        for at in 0..self.widths.order.len() {
            let number = self.widths.order[at];
            if !wanted(number) {
                continue;
            }
            let (lo, hi) = (self.widths.lo[number], self.widths.hi[number]);
            part.rows.fill(number, lo, hi, &mut self.frequency);
            let found = match part.dimensions[number].domain.shape() {
                Shape::Set => self.subset(part, number),
                Shape::Ordered => self.missing_apart(part, number).or_else(|| self.median(part, number)),
                Shape::Hierarchy(tree) => self.hierarchy(part, number, tree),
            };
            if found.is_some() {
                return found;
            }
        }
        None
    }

    /// Missing values to one side, where the part mixes them with others.
    fn missing_apart<G: FrequencyGroup>(&self, part: &Part<'_, G>, dimension: usize) -> Option<Cut> {
        let (lo, hi) = (self.widths.lo[dimension], self.widths.hi[dimension]);
        if !part.dimensions[dimension].domain.mixes_missing(lo, hi) {
            return None;
        }
        self.threshold(part, dimension, self.frequency.values.len() - 2)
    }

    /// `find_median` (Fig. 7), and the nearest allowable threshold where the median is not.
    ///
    /// When any threshold leaves `k` rows on either side, so does the one after the median or the one before it:
    /// the rows up to the median are at least half, those before it less than half.
    fn median<G: FrequencyGroup>(&mut self, part: &Part<'_, G>, dimension: usize) -> Option<Cut> {
        let median = self.frequency.median();
        if part.mondrian.model == Model::Relaxed
            && let Some(cut) = self.half(part, dimension, median)
        {
            return Some(cut);
        }
        if let Some(cut) = self.threshold(part, dimension, median) {
            return Some(cut);
        }
        if part.job.requirements.only_count() {
            return self.threshold(part, dimension, median.checked_sub(1)?);
        }
        self.thresholds(part, dimension, None);
        let best = self.places.iter().min_by_key(|candidate| (candidate.imbalance, candidate.place))?;
        Some(self.threshold_at(dimension, best.place))
    }

    /// Lists the allowable thresholds of a dimension whose values have been counted, with what they cost where that is
    /// asked for.
    pub(super) fn thresholds<G: FrequencyGroup>(
        &mut self,
        part: &Part<'_, G>,
        dimension: usize,
        cost: Option<&dyn crate::loss::Cost>,
    ) {
        let all_else_open = self.all_open_but(part, dimension);
        let CutFinder { widths, frequency, sweep, places, collector, .. } = self;
        let FrequencySet { values, cumulative, .. } = &*frequency;
        let open = |place: usize| {
            let (lo, hi) = (widths.lo[dimension], widths.hi[dimension]);
            all_else_open
                && (part.is_open(dimension, lo, values[place])
                    || part.is_open(dimension, values[place + 1], hi))
        };
        let judge = Judge { collector, requirements: part.job.requirements, cost };
        sweep.places(&part.rows, Order { dimension, values, cumulative }, &judge, open, places);
    }

    /// The cut after the value with the given index.
    pub(super) fn threshold_at(&self, dimension: usize, index: usize) -> Cut {
        let (code, left) = (self.frequency.values[index], self.frequency.cumulative[index]);
        Cut::Threshold { dimension, code, left, shared: None }
    }

    /// A cut after the value with the given index, when it is allowable.
    pub(super) fn threshold<G: FrequencyGroup>(
        &self,
        part: &Part<'_, G>,
        dimension: usize,
        index: usize,
    ) -> Option<Cut> {
        let code = self.frequency.values[index];
        let left = self.frequency.cumulative[index];
        let right = part.rows.count() - left;
        if right > 0 && self.leaves_open(part, dimension, index) {
            return None;
        }
        self.allows(part, &[left, right], dimension, |at| usize::from(at > code))
            .then(|| self.threshold_at(dimension, index))
    }

    /// Two halves, the rows at the median divided between them.
    fn half<G: FrequencyGroup>(&self, part: &Part<'_, G>, dimension: usize, median: usize) -> Option<Cut> {
        let code = self.frequency.values[median];
        let left = (part.rows.count()).div_ceil(2);
        let at_median = left - self.frequency.before(median);
        let shared = (at_median < self.frequency.count_of(median)).then_some(at_median);
        let mut rest = at_median;
        let side = |at: u32| {
            if at == code && rest > 0 {
                rest -= 1;
                return 0;
            }
            usize::from(at >= code)
        };
        self.allows(part, &[left, part.rows.count() - left], dimension, side).then_some(Cut::Threshold {
            dimension,
            code,
            left,
            shared,
        })
    }

    /// Whether a side of the threshold would be published as `*` in every dimension: that looks like suppressed rows, so
    /// such a cut is not made.
    fn leaves_open<G: FrequencyGroup>(&self, part: &Part<'_, G>, dimension: usize, index: usize) -> bool {
        let values = &self.frequency.values;
        let (lo, hi) = (self.widths.lo[dimension], self.widths.hi[dimension]);
        (part.is_open(dimension, lo, values[index]) || part.is_open(dimension, values[index + 1], hi))
            && self.all_open_but(part, dimension)
    }

    /// Whether every other dimension of the part would be published as `*`.
    pub(super) fn all_open_but<G: FrequencyGroup>(&self, part: &Part<'_, G>, dimension: usize) -> bool {
        (0..part.dimensions.len()).filter(|&other| other != dimension).all(|other| {
            let domain = part.dimensions[other].domain;
            match domain.shape() {
                Shape::Set => {
                    domain.cardinality() > 1 && self.widths.distinct[other] as usize == domain.cardinality()
                }
                _ => part.is_open(other, self.widths.lo[other], self.widths.hi[other]),
            }
        })
    }

    /// Whether every part that holds rows satisfies every requirement; `side` tells the part of a row by its code,
    /// and is asked row after row.
    pub(super) fn allows<G: FrequencyGroup>(
        &self,
        part: &Part<'_, G>,
        sizes: &[u32],
        dimension: usize,
        side: impl FnMut(u32) -> usize,
    ) -> bool {
        let requirements = part.job.requirements;
        let least = requirements.minimum_size();
        if sizes.iter().any(|&size| size > 0 && u64::from(size) < least)
            || sizes.iter().filter(|&&size| size > 0).count() < 2
        {
            return false;
        }
        if requirements.only_count() {
            return true;
        }
        let mut parts = vec![self.collector.empty(); sizes.len()];
        part.rows.divide(&self.collector, dimension, side, &mut parts);
        parts.iter().all(|part| part.count == 0 || requirements.satisfied(part))
    }
}

impl<G> Part<'_, G> {
    /// Whether the codes `lo..=hi` of an ordered dimension or a hierarchy are published as `*`; a missing value alone is
    /// published as missing.
    fn is_open(&self, dimension: usize, lo: u32, hi: u32) -> bool {
        let domain = self.dimensions[dimension].domain;
        match domain.shape() {
            Shape::Hierarchy(_) if Some(lo) == domain.missing_code() => false,
            Shape::Hierarchy(tree) => domain.node_over(tree, lo, hi) == tree.root(),
            Shape::Ordered => domain.mixes_missing(lo, hi),
            Shape::Set => false,
        }
    }
}
