//! The cut of a part, and how it is found.
//!
//! A cut is *allowable* when every part that holds rows satisfies every requirement. Here is the search of Fig. 7, at the
//! median of the widest dimension; `subset.rs` and `taxonomy.rs` cut sets and hierarchies, `greedy.rs` chooses by a loss,
//! `workload.rs` by the predicates of queries.

use super::HierarchyCut;
use super::edges::PartEdges;
use super::frequency::{FrequencyGroup, FrequencySet, each};
use super::measure::{Dimension, PartWidths};
use crate::cut::boxes::{BoxFinder, BoxPlan};
use crate::cut::{CutCandidate, CutSweep, SideJudge, ValueOrder};
use crate::job::Job;
use crate::split::SplitCriterion;
use crate::statistics::Collector;
use crate::table::Shape;

/// A cut of a part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Cut {
    /// Codes up to `code` go left. The code of the missing value goes left where `missing_left` gives it, else right.
    Threshold { dimension: usize, code: u32, left: u32, missing_left: Option<u32> },
    /// Members go left.
    Subset { dimension: usize, members: Vec<u32>, left: u32 },
    /// One part per run of codes, by the last code of each.
    Runs { dimension: usize, bounds: Vec<u32>, sizes: Vec<u32>, missing: Option<MissingRun> },
}

/// The run that rows without a value go with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MissingRun {
    /// The code of the missing value.
    pub code: u32,
    /// The number of the run.
    pub run: usize,
}

/// Finds the cut of a part. Its vectors are kept from part to part.
#[derive(Debug)]
pub(crate) struct CutFinder<'a> {
    pub widths: PartWidths,
    pub(super) frequency: FrequencySet,
    pub(super) ranked: Vec<usize>,
    pub(super) sweep: CutSweep,
    pub(super) places: Vec<CutCandidate>,
    pub(super) collector: Collector<'a>,
    pub boxes: BoxFinder,
    /// Whether the sides of the cut that was found are cut by the median, and all below them.
    pub by_median: bool,
}

/// A part that may be cut.
pub(crate) struct Part<'a> {
    pub hierarchy_cut: HierarchyCut,
    pub job: &'a Job<'a>,
    pub dimensions: &'a [Dimension<'a>],
    /// How boxes see the dimensions, where the split looks at boxes of rows.
    pub boxes: Option<&'a BoxPlan<'a>>,
    /// Whether it is cut by the median, as the gain of a cut above was too little.
    pub by_median: bool,
    /// Its boundaries, where their widths are restricted.
    pub edges: &'a PartEdges,
    /// What is known of its rows.
    pub rows: &'a dyn FrequencyGroup,
}

impl Part<'_> {
    /// Whether sizes are all that decides.
    pub(super) fn only_sizes(&self) -> bool {
        self.job.requirements.only_count() && !matches!(self.job.split.base(), SplitCriterion::Loss(_))
    }

    /// The code after which a dimension is cut between two codes that follow each other in the part, where the boundaries on
    /// both sides are as wide as required.
    fn place(&self, dimension: usize, between: (u32, u32)) -> Option<u32> {
        let (requirements, domain) = (self.job.requirements, self.dimensions[dimension].domain);
        self.edges.place(requirements, domain, dimension, between)
    }
}

impl<'a> CutFinder<'a> {
    pub fn new(collector: Collector<'a>) -> Self {
        CutFinder {
            widths: PartWidths::default(),
            frequency: FrequencySet::default(),
            ranked: Vec::new(),
            sweep: CutSweep::default(),
            places: Vec::new(),
            collector,
            boxes: BoxFinder::default(),
            by_median: false,
        }
    }

    /// The cut that the split criterion chooses; by the median where a loss sees no gain in any. Where gains have a least
    /// value, what is below a part without such a gain is cut by the median too.
    pub fn find(&mut self, part: &Part<'_>, limits: &[u32]) -> Option<Cut> {
        let (rows, requirements) = (u64::from(part.rows.count()), part.job.requirements);
        self.by_median = part.by_median;
        if rows < requirements.minimum_size().saturating_mul(2) || requirements.is_enough(rows) {
            return None;
        }
        let workload = part.job.split.workload();
        if let SplitCriterion::Box(split) = part.job.split.base() {
            if rows < requirements.minimum_size().saturating_mul(split.capacity) {
                return None;
            }
            if workload.is_none() && part.dimensions.iter().all(|dimension| dimension.missing.is_none()) {
                return self.boxed(part, limits, split);
            }
        }
        part.rows.measure(part.dimensions, limits, &mut self.widths);
        if self.widths.order.is_empty() {
            return None;
        }
        if !part.only_sizes() {
            part.rows.prepare(&mut self.collector);
        }
        if let Some(cut) = self.missing_together(part) {
            return Some(cut);
        }
        if let Some(cut) = workload.and_then(|workload| self.by_workload(part, workload)) {
            return Some(cut);
        }
        if let SplitCriterion::Box(split) = part.job.split.base() {
            return self.boxed(part, limits, split);
        }
        if let SplitCriterion::Loss(cost) = part.job.split.base()
            && !self.by_median
        {
            if let Some(cut) = self.greedy(part, &**cost) {
                return Some(cut);
            }
            self.by_median = cost.least_gain() > 0.0;
        }
        self.widest(part, |_| true)
    }

    /// The allowable cut of the widest of the wanted dimensions that has one. Of equally wide dimensions it is the one
    /// whose cut leaves the rows the least to pay for it (`tie.rs`), then the first.
    pub(super) fn widest(&mut self, part: &Part<'_>, wanted: impl Fn(usize) -> bool) -> Option<Cut> {
        let mut next = 0;
        while next < self.widths.order.len() {
            let first = next;
            next += self.widths.equally_wide(first);
            if next == first + 1 {
                let found = Some(self.widths.order[first]).filter(|&number| wanted(number));
                if let Some(cut) = found.and_then(|number| self.cut_of(part, number)) {
                    return Some(cut);
                }
                continue;
            }
            let mut best: Option<(f64, Cut)> = None;
            for at in first..next {
                let number = self.widths.order[at];
                let Some(cut) = Some(number).filter(|&n| wanted(n)).and_then(|n| self.cut_of(part, n)) else {
                    continue;
                };
                let cost = self.cost_after(&part.dimensions[number], &cut);
                if best.as_ref().is_none_or(|(least, _)| cost < *least) {
                    best = Some((cost, cut));
                }
                // No cut leaves less than nothing to pay.
                if cost == 0.0 {
                    break;
                }
            }
            if let Some((_, cut)) = best {
                return Some(cut);
            }
        }
        None
    }

    /// The allowable cut of a dimension, if it has one.
    fn cut_of(&mut self, part: &Part<'_>, number: usize) -> Option<Cut> {
        let (lo, hi) = (self.widths.lo[number], self.widths.hi[number]);
        part.rows.fill(number, lo, hi, &mut self.frequency);
        match part.dimensions[number].domain.shape() {
            Shape::Set => self.subset(part, number),
            Shape::Ordered => self.median(part, number),
            Shape::Hierarchy(tree) => self.hierarchy(part, number, tree),
        }
    }

    /// `find_median` (Fig. 7) of the values that are there, and the nearest allowable threshold where the median is not.
    ///
    /// When any threshold leaves `k` rows on either side, so does the one after the median or the one before it:
    /// the rows up to the median are at least half, those before it less than half. Rows without a value can make up for
    /// rows on either side, so that where there are such rows every threshold is looked at.
    fn median(&mut self, part: &Part<'_>, dimension: usize) -> Option<Cut> {
        let mixed = self.mixed(part, dimension);
        let median = mixed.map_or_else(|| self.frequency.median(), |mixed| mixed.median(&self.frequency));
        if let Some(cut) = self.threshold(part, dimension, median) {
            return Some(cut);
        }
        match (part.job.requirements.only_count(), mixed) {
            (true, None) => self.threshold(part, dimension, median.checked_sub(1)?),
            (true, Some(mixed)) => self.evenest_with_missing(part, dimension, mixed),
            (false, _) => {
                self.thresholds(part, dimension, None);
                let evenest = |at: &CutCandidate| (at.imbalance, at.place, at.missing_left);
                let best = *self.places.iter().min_by_key(|&candidate| evenest(candidate))?;
                self.threshold_of(part, dimension, &best)
            }
        }
    }

    /// Lists the allowable thresholds of a dimension whose values have been counted, with what they cost where that is
    /// asked for; where the part mixes missing values with others, twice, with the missing values on either side.
    pub(super) fn thresholds(
        &mut self,
        part: &Part<'_>,
        dimension: usize,
        cost: Option<&dyn crate::loss::Cost>,
    ) {
        let mixed = self.mixed(part, dimension);
        let CutFinder { frequency, sweep, places, collector, .. } = self;
        let FrequencySet { values, cumulative, .. } = &*frequency;
        let judge = SideJudge { collector, requirements: part.job.requirements, cost };
        sweep.places(part.rows, ValueOrder { dimension, values, cumulative }, &judge, places);
        places.retain(|at| part.place(dimension, (values[at.place], values[at.place + 1])).is_some());
        let Some(mixed) = mixed else { return };
        let FrequencySet { values, cumulative, .. } = &mixed.in_front(frequency);
        let mut lefts = Vec::new();
        sweep.places(part.rows, ValueOrder { dimension, values, cumulative }, &judge, &mut lefts);
        // Missing values alone on the left are the same cut as alone on the right.
        let lefts = lefts.into_iter().filter(|candidate| candidate.place > 0);
        places.extend(lefts.map(|candidate| CutCandidate {
            place: candidate.place - 1,
            missing_left: true,
            ..candidate
        }));
    }

    /// The cut after the value with the given index, where its boundaries are wide enough; the missing value is on the left
    /// where its code is given.
    fn threshold_at(
        &self,
        part: &Part<'_>,
        dimension: usize,
        index: usize,
        missing_left: Option<u32>,
    ) -> Option<Cut> {
        let values = &self.frequency.values;
        let code = part.place(dimension, (values[index], *values.get(index + 1)?))?;
        let missing = missing_left.map_or(0, |_| self.frequency.count_of(self.frequency.values.len() - 1));
        let left = self.frequency.cumulative[index] + missing;
        Some(Cut::Threshold { dimension, code, left, missing_left })
    }

    /// The cut at one of the listed thresholds.
    pub(super) fn threshold_of(&self, part: &Part<'_>, dimension: usize, at: &CutCandidate) -> Option<Cut> {
        let missing = part.dimensions[dimension].missing;
        self.threshold_at(part, dimension, at.place, missing.filter(|_| at.missing_left))
    }

    /// A cut after the value with the given index, when it is allowable. Missing values go with the fewer rows, or where
    /// they are allowed to.
    pub(super) fn threshold(&self, part: &Part<'_>, dimension: usize, index: usize) -> Option<Cut> {
        let Some(mixed) = self.mixed(part, dimension).filter(|mixed| mixed.is_between(index)) else {
            return self.threshold_with(part, dimension, index, None);
        };
        let first = mixed.prefers_left(&self.frequency, index).then_some(mixed.code);
        let second = if first.is_some() { None } else { Some(mixed.code) };
        let found = self.threshold_with(part, dimension, index, first);
        found.or_else(|| self.threshold_with(part, dimension, index, second))
    }

    /// A cut after the value with the given index, with the missing value on a given side, when it is allowable.
    pub(super) fn threshold_with(
        &self,
        part: &Part<'_>,
        dimension: usize,
        index: usize,
        missing_left: Option<u32>,
    ) -> Option<Cut> {
        let cut = self.threshold_at(part, dimension, index, missing_left)?;
        let Cut::Threshold { code, left, .. } = cut else { return None };
        let side = |at: u32| usize::from(at > code && Some(at) != missing_left);
        self.allows(part, &[left, part.rows.count() - left], dimension, side).then_some(cut)
    }

    /// Whether every part that holds rows satisfies every requirement; `side` tells the part of a row by its code,
    /// and is asked row after row.
    pub(super) fn allows(
        &self,
        part: &Part<'_>,
        sizes: &[u32],
        dimension: usize,
        mut side: impl FnMut(u32) -> usize,
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
        part.rows.divide(&self.collector, dimension, &mut each(&mut side), &mut parts);
        parts.iter().all(|part| part.count == 0 || requirements.satisfied(part))
    }
}
