//! Rows without a value in an ordered dimension or a hierarchy.
//!
//! Such a row has no place among the values, so that it may go with either side of a cut; a group that holds it beside
//! rows with a value publishes `*` in that dimension. A part is therefore measured and cut by the values that are there.
//! Left alone, every row without a value ends up in another group, and each of these groups pays. Where there are many
//! such rows they are cut off by themselves, and where they are too few for that, together with as few others as will do,
//! if this is expected to cost less.

use super::finder::{Cut, CutFinder, Part};
use super::frequency::FrequencySet;

/// How many rows a group has on average, as a multiple of the fewest that it may have: parts are halved until they have
/// less than twice the fewest.
const GROUP: f64 = 1.4;

/// How many sizes of a part with the missing values are tried, each twice the one before.
const SIZES: u32 = 5;

/// A dimension of a part in which some rows have a value and others have none.
#[derive(Clone, Copy, Debug)]
pub(super) struct MixedDimension {
    /// The code of the missing value.
    pub code: u32,
    /// The rows without a value.
    rows: u32,
    /// The index of the last value that is there.
    last: usize,
}

impl MixedDimension {
    /// The index of the median of the values that are there.
    pub fn median(&self, frequency: &FrequencySet) -> usize {
        let present = u64::from(frequency.cumulative[self.last]);
        frequency.cumulative[..self.last].partition_point(|&upto| u64::from(upto) * 2 < present)
    }

    /// Whether there are values on both sides of a cut after the value with this index.
    pub fn is_between(&self, index: usize) -> bool {
        index < self.last
    }

    /// Whether fewer rows with a value are on the left of a cut after the value with this index.
    pub fn prefers_left(&self, frequency: &FrequencySet, index: usize) -> bool {
        let left = frequency.cumulative[index];
        left < frequency.cumulative[self.last] - left
    }

    /// The values with the missing one in front.
    pub fn in_front(&self, frequency: &FrequencySet) -> FrequencySet {
        let present = &frequency.cumulative[..=self.last];
        let mut front = FrequencySet::default();
        front.values.push(self.code);
        front.values.extend_from_slice(&frequency.values[..=self.last]);
        front.cumulative.push(self.rows);
        front.cumulative.extend(present.iter().map(|upto| upto + self.rows));
        front
    }
}

impl CutFinder<'_> {
    /// How the dimension whose values have been counted mixes missing values with others, if it does.
    pub(super) fn mixed(&self, part: &Part<'_>, dimension: usize) -> Option<MixedDimension> {
        let code = part.dimensions[dimension].missing?;
        let last = self.frequency.values.len().checked_sub(2)?;
        let is_mixed = self.frequency.values[last + 1] == code;
        is_mixed.then(|| MixedDimension { code, rows: self.frequency.count_of(last + 1), last })
    }

    /// The allowable threshold, by sizes alone, that divides the part most evenly, with missing values on either side.
    pub(super) fn evenest_with_missing(
        &self,
        part: &Part<'_>,
        dimension: usize,
        mixed: MixedDimension,
    ) -> Option<Cut> {
        let (all, least) = (part.rows.count(), part.job.requirements.minimum_size());
        let sides = (0..=mixed.last).flat_map(|index| {
            let left = self.frequency.cumulative[index];
            let with = mixed.is_between(index).then_some((index, left + mixed.rows, Some(mixed.code)));
            [Some((index, left, None)), with].into_iter().flatten()
        });
        let (index, _, missing_left) = sides
            .filter(|&(_, left, _)| u64::from(left.min(all - left)) >= least)
            .min_by_key(|&(index, left, missing_left)| (left.abs_diff(all - left), index, missing_left))?;
        self.threshold_with(part, dimension, index, missing_left)
    }

    /// The cut that keeps rows without a value together, of the dimension in which that is expected to gain most.
    pub(super) fn missing_together(&mut self, part: &Part<'_>) -> Option<Cut> {
        let mut best: Option<(f64, Cut)> = None;
        for at in 0..self.widths.mixed.len() {
            let dimension = self.widths.mixed[at];
            let (lo, hi) = (self.widths.lo[dimension], self.widths.hi[dimension]);
            part.rows.fill(dimension, lo, hi, &mut self.frequency);
            let Some(mixed) = self.mixed(part, dimension) else { continue };
            let found = self.together(part, dimension, mixed);
            if let Some(found) = found.filter(|(gain, _)| best.as_ref().is_none_or(|(most, _)| gain > most)) {
                best = Some(found);
            }
        }
        best.map(|(_, cut)| cut)
    }

    /// The cut of a dimension that keeps its missing values together and gains most, with what it gains.
    fn together(&self, part: &Part<'_>, dimension: usize, mixed: MixedDimension) -> Option<(f64, Cut)> {
        let outlook = MissingOutlook::new(self, part, dimension, mixed);
        let mut best: Option<(f64, Cut)> = None;
        let mut offer = |gain: f64, cut: &mut dyn FnMut() -> Option<Cut>| {
            let better = gain > best.as_ref().map_or(0.0, |(most, _)| *most);
            if let Some(cut) = better.then(cut).flatten() {
                best = Some((gain, cut));
            }
        };
        let apart = || self.threshold_with(part, dimension, mixed.last, None);
        offer(outlook.gain_apart(mixed.rows), &mut { apart });
        let cumulative = &self.frequency.cumulative[..=mixed.last];
        let all = part.rows.count();
        for doubled in 0..SIZES {
            let least = part.job.requirements.minimum_size().saturating_mul(1 << doubled);
            let Ok(least) = u32::try_from(least) else { break };
            let below = cumulative.partition_point(|&upto| all - upto >= least);
            if let Some(index) = below.checked_sub(1).filter(|&index| mixed.is_between(index)) {
                let gain = outlook.gain_with_others(all - cumulative[index]);
                offer(gain, &mut || self.threshold_with(part, dimension, index, None));
            }
            let index = cumulative.partition_point(|&upto| upto + mixed.rows < least);
            if mixed.is_between(index) {
                let gain = outlook.gain_with_others(cumulative[index] + mixed.rows);
                offer(gain, &mut || self.threshold_with(part, dimension, index, Some(mixed.code)));
            }
        }
        best
    }
}

/// The cost that rows are expected to have in the end, by the width of the part and the size of groups: every
/// cut halves the rows and, in one dimension, the width.
struct MissingOutlook {
    rows: f64,
    /// The rows without a value.
    missing: f64,
    /// The rows of a group.
    group: f64,
    /// The dimensions that can be cut.
    dimensions: f64,
    /// How wide the part is in the other dimensions together.
    others: f64,
    /// The extra cost of `*` over the region that is expected in the end.
    star: f64,
}

impl MissingOutlook {
    fn new(finder: &CutFinder<'_>, part: &Part<'_>, dimension: usize, mixed: MixedDimension) -> Self {
        let (rows, least) = (part.rows.count(), part.job.requirements.minimum_size());
        let widths = finder.widths.each();
        let mut outlook = MissingOutlook {
            rows: f64::from(rows),
            missing: f64::from(mixed.rows),
            group: GROUP * least as f64,
            dimensions: finder.widths.order.len().max(1) as f64,
            others: widths.iter().sum::<f64>() - widths[dimension],
            star: 0.0,
        };
        outlook.star = part.dimensions[dimension].weight - widths[dimension] * outlook.share(outlook.rows);
        outlook
    }

    /// The share of its width that a part of this many rows keeps when it has been cut as often as it can be.
    fn share(&self, rows: f64) -> f64 {
        (rows / self.group).max(1.0).powf(-1.0 / self.dimensions)
    }

    /// The extra cost of rows in a part of their own over their cost in the whole.
    fn apart(&self, rows: f64) -> f64 {
        rows * self.others * (self.share(rows) - self.share(self.rows))
    }

    /// The gain of keeping rows without a value in a part of their own, instead of each in another group.
    fn gain_apart(&self, rows: u32) -> f64 {
        self.spread() - self.apart(f64::from(rows))
    }

    /// The gain of keeping them in a part of `rows` rows, all of which are published with `*`.
    fn gain_with_others(&self, rows: u32) -> f64 {
        self.gain_apart(rows) - f64::from(rows) * self.star
    }

    /// The cost of the groups that hold rows without a value, when each is in another group.
    fn spread(&self) -> f64 {
        (self.missing * self.group).min(self.rows) * self.star
    }
}
