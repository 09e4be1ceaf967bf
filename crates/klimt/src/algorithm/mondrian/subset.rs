//! Cuts of sets.

use super::Model;
use super::cut::{Cut, CutFinder, Part};
use super::frequency::FrequencyGroup;
use crate::loss::Cost;
use crate::split::{Judge, Order};

impl CutFinder<'_> {
    /// Two sets of values, as even as adding the commonest value that is left to the smaller side makes them; where
    /// that is not allowable, the commonest values against the others.
    pub(super) fn subset<G: FrequencyGroup>(&mut self, part: &Part<'_, G>, dimension: usize) -> Option<Cut> {
        let frequency = &self.frequency;
        self.ranked.clear();
        self.ranked.extend(0..frequency.values.len());
        self.ranked.sort_by_key(|&index| (std::cmp::Reverse(frequency.count_of(index)), index));
        if part.mondrian.model == Model::Relaxed
            && let Some(cut) = self.half_subset(part, dimension)
        {
            return Some(cut);
        }
        let (mut members, mut left, mut right) = (Vec::new(), 0, 0);
        for &index in &self.ranked {
            if left <= right {
                left += frequency.count_of(index);
                members.push(frequency.values[index]);
            } else {
                right += frequency.count_of(index);
            }
        }
        let side = |at: u32| usize::from(!members.contains(&at));
        if self.allows(part, &[left, right], dimension, side) {
            return Some(Cut::Subset { dimension, members, left, shared: None });
        }
        if part.job.requirements.only_count() {
            return None;
        }
        let order = self.ranked_order();
        self.prefixes(part, dimension, &order, None);
        let best = self.places.iter().min_by_key(|candidate| (candidate.imbalance, candidate.place))?;
        Some(subset_at(dimension, &order, best.place))
    }

    /// Two halves, the rows of one value divided between them.
    fn half_subset<G: FrequencyGroup>(&self, part: &Part<'_, G>, dimension: usize) -> Option<Cut> {
        let rows = part.rows.count();
        let left = rows.div_ceil(2);
        let (mut members, mut filled, mut shared) = (Vec::new(), 0, None);
        for &index in &self.ranked {
            let count = self.frequency.count_of(index);
            members.push(self.frequency.values[index]);
            if filled + count >= left {
                shared = (filled + count > left).then_some(left - filled);
                break;
            }
            filled += count;
        }
        let last = *members.last()?;
        let mut rest = shared.unwrap_or(u32::MAX);
        let side = |at: u32| {
            if at == last && rest == 0 {
                return 1;
            }
            rest -= u32::from(at == last && shared.is_some());
            usize::from(!members.contains(&at))
        };
        self.allows(part, &[left, rows - left], dimension, side).then_some(Cut::Subset {
            dimension,
            members,
            left,
            shared,
        })
    }

    /// The values as ranked, each with the rows up to it.
    pub(super) fn ranked_order(&self) -> Ranked {
        let mut cumulative = 0;
        let values = self.ranked.iter().map(|&index| self.frequency.values[index]).collect();
        let upto = |&index: &usize| {
            cumulative += self.frequency.count_of(index);
            cumulative
        };
        Ranked { values, cumulative: self.ranked.iter().map(upto).collect() }
    }

    /// Lists the allowable cuts of ranked values into the first of them and the others.
    pub(super) fn prefixes<G: FrequencyGroup>(
        &mut self,
        part: &Part<'_, G>,
        dimension: usize,
        ranked: &Ranked,
        cost: Option<&dyn Cost>,
    ) {
        let order = Order { dimension, values: &ranked.values, cumulative: &ranked.cumulative };
        let judge = Judge { collector: &self.collector, requirements: part.job.requirements, cost };
        self.sweep.places(&part.rows, order, &judge, &mut self.places);
    }

    /// The values that have been counted, the rarest first.
    pub(super) fn rarest_first(&mut self) -> Ranked {
        let frequency = &self.frequency;
        self.ranked.clear();
        self.ranked.extend(0..frequency.values.len());
        self.ranked.sort_by_key(|&index| (frequency.count_of(index), index));
        self.ranked_order()
    }

    /// Ranks the values of a set by what the loss says of their rows.
    pub(super) fn rank_by_key<G: FrequencyGroup>(
        &mut self,
        part: &Part<'_, G>,
        dimension: usize,
        cost: &dyn Cost,
    ) {
        let frequency = &self.frequency;
        let order = Order { dimension, values: &frequency.values, cumulative: &frequency.cumulative };
        let judge =
            Judge { collector: &self.collector, requirements: part.job.requirements, cost: Some(cost) };
        let mut keys = Vec::with_capacity(frequency.values.len());
        self.sweep.each_value(&part.rows, order, &judge, |_, value| keys.push(cost.key(value)));
        self.ranked.clear();
        self.ranked.extend(0..keys.len());
        self.ranked.sort_by(|&a, &b| keys[a].total_cmp(&keys[b]).then(a.cmp(&b)));
    }
}

/// The values of a set in some order.
pub(super) struct Ranked {
    pub values: Vec<u32>,
    pub cumulative: Vec<u32>,
}

/// The first values of an order against the others.
pub(super) fn subset_at(dimension: usize, ranked: &Ranked, place: usize) -> Cut {
    let members = ranked.values[..=place].to_vec();
    Cut::Subset { dimension, members, left: ranked.cumulative[place], shared: None }
}
