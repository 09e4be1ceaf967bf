//! Cuts of sets.
//!
//! Values are first dealt to two sides greedily, the commonest first, which is as even as a cut needs to be and nearly
//! always allowable. Where it is not, and only sizes count, [`evenest_sum`] finds the most even allowable cut if there is
//! any. Other requirements are tested with the commonest values against the others, and then with every cut of a set of up
//! to [`SEARCHED`] values. Of a larger set the rarest values are bundled until this many bundles are left, so that an
//! allowable cut that divides a bundle may be missed.

use super::finder::{Cut, CutFinder, Part};
use super::frequency::each;
use super::sum::evenest_sum;
use crate::cut::{SideJudge, ValueOrder};
use crate::loss::Cost;

/// Every cut of a set of up to this many values, or bundles of values, is looked at.
const SEARCHED: usize = 10;

impl CutFinder<'_> {
    /// Two sets of values, as even as adding the commonest value that is left to the smaller side makes them; where that
    /// is not allowable, another cut.
    pub(super) fn subset(&mut self, part: &Part<'_>, dimension: usize) -> Option<Cut> {
        let frequency = &self.frequency;
        self.ranked.clear();
        self.ranked.extend(0..frequency.values.len());
        self.ranked.sort_by_key(|&index| (std::cmp::Reverse(frequency.count_of(index)), index));
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
            return Some(Cut::Subset { dimension, members, left });
        }
        let order = self.ranked_order();
        if part.job.requirements.only_count() {
            return self.subset_by_size(part, dimension, &order);
        }
        self.prefixes(part, dimension, &order, None);
        match self.places.iter().min_by_key(|candidate| (candidate.imbalance, candidate.place)) {
            Some(best) => Some(subset_at(dimension, &order, best.place)),
            None => self.searched_subset(part, dimension, &order),
        }
    }

    /// The most even cut of ranked values that leaves both sides enough rows.
    fn subset_by_size(&self, part: &Part<'_>, dimension: usize, ranked: &RankedValues) -> Option<Cut> {
        let (rows, least) = (part.rows.count(), part.job.requirements.minimum_size());
        let counts: Vec<u32> = self.ranked.iter().map(|&index| self.frequency.count_of(index)).collect();
        let chosen = evenest_sum(&counts, u32::try_from(least).ok()?, rows / 2)?;
        let left = chosen.iter().map(|&at| counts[at]).sum();
        let members = chosen.iter().map(|&at| ranked.values[at]).collect();
        Some(Cut::Subset { dimension, members, left })
    }

    /// The most even allowable cut between bundles of ranked values.
    fn searched_subset(&self, part: &Part<'_>, dimension: usize, ranked: &RankedValues) -> Option<Cut> {
        let bundles = bundles(ranked);
        let numbered = bundles.iter().enumerate();
        let mut codes: Vec<(u32, usize)> =
            numbered.flat_map(|(at, values)| values.iter().map(move |&(code, _)| (code, at))).collect();
        codes.sort_unstable();
        let mut bundle = |code: u32| codes[codes.partition_point(|&(other, _)| other < code)].1;
        let mut parts = vec![self.collector.empty(); bundles.len()];
        part.rows.divide(&self.collector, dimension, &mut each(&mut bundle), &mut parts);
        let (mut left, mut right) = (self.collector.empty(), self.collector.empty());
        let mut is_allowable = |cut: u32| {
            left.clear();
            right.clear();
            for (at, part) in parts.iter().enumerate() {
                if cut >> at & 1 == 1 { left.merge(part) } else { right.merge(part) }
            }
            part.job.requirements.satisfied(&left) && part.job.requirements.satisfied(&right)
        };
        let counts: Vec<u64> = parts.iter().map(|part| part.count).collect();
        let by_size = cuts_by_size(&counts, part.job.requirements.minimum_size());
        let cut = by_size.into_iter().find(|&cut| is_allowable(cut))?;
        let chosen = || (0..bundles.len()).filter(|at| cut >> at & 1 == 1).flat_map(|at| &bundles[at]);
        let members = chosen().map(|&(code, _)| code).collect();
        Some(Cut::Subset { dimension, members, left: chosen().map(|&(_, rows)| rows).sum() })
    }

    /// The values as ranked, each with the rows up to it.
    pub(super) fn ranked_order(&self) -> RankedValues {
        let mut cumulative = 0;
        let values = self.ranked.iter().map(|&index| self.frequency.values[index]).collect();
        let upto = |&index: &usize| {
            cumulative += self.frequency.count_of(index);
            cumulative
        };
        RankedValues { values, cumulative: self.ranked.iter().map(upto).collect() }
    }

    /// Lists the allowable cuts of ranked values into the first of them and the others.
    pub(super) fn prefixes(
        &mut self,
        part: &Part<'_>,
        dimension: usize,
        ranked: &RankedValues,
        cost: Option<&dyn Cost>,
    ) {
        let order = ValueOrder { dimension, values: &ranked.values, cumulative: &ranked.cumulative };
        let judge = SideJudge { collector: &self.collector, requirements: part.job.requirements, cost };
        self.sweep.places(part.rows, order, &judge, &mut self.places);
    }

    /// The values that have been counted, the rarest first.
    pub(super) fn rarest_first(&mut self) -> RankedValues {
        let frequency = &self.frequency;
        self.ranked.clear();
        self.ranked.extend(0..frequency.values.len());
        self.ranked.sort_by_key(|&index| (frequency.count_of(index), index));
        self.ranked_order()
    }

    /// Ranks the values of a set by what the loss says of their rows.
    pub(super) fn rank_by_key(&mut self, part: &Part<'_>, dimension: usize, cost: &dyn Cost) {
        let frequency = &self.frequency;
        let order = ValueOrder { dimension, values: &frequency.values, cumulative: &frequency.cumulative };
        let judge =
            SideJudge { collector: &self.collector, requirements: part.job.requirements, cost: Some(cost) };
        let mut keys = Vec::with_capacity(frequency.values.len());
        self.sweep.each_value(part.rows, order, &judge, |_, value| keys.push(cost.key(value)));
        self.ranked.clear();
        self.ranked.extend(0..keys.len());
        self.ranked.sort_by(|&a, &b| keys[a].total_cmp(&keys[b]).then(a.cmp(&b)));
    }
}

/// The values of a set in some order.
pub(super) struct RankedValues {
    pub values: Vec<u32>,
    pub cumulative: Vec<u32>,
}

/// The first values of an order against the others.
pub(super) fn subset_at(dimension: usize, ranked: &RankedValues, place: usize) -> Cut {
    let members = ranked.values[..=place].to_vec();
    Cut::Subset { dimension, members, left: ranked.cumulative[place] }
}

/// Ranked values with their rows, the two rarest bundles made one until there are few enough.
fn bundles(ranked: &RankedValues) -> Vec<Vec<(u32, u32)>> {
    let mut before = 0;
    let rows = ranked.cumulative.iter().map(|&upto| upto - std::mem::replace(&mut before, upto));
    let mut bundles: Vec<(u32, Vec<(u32, u32)>)> =
        ranked.values.iter().zip(rows).map(|(&code, rows)| (rows, vec![(code, rows)])).collect();
    while bundles.len() > SEARCHED {
        let (Some((one, mut codes)), Some((other, more))) = (bundles.pop(), bundles.pop()) else { break };
        codes.extend(more);
        let at = bundles.partition_point(|&(rows, _)| rows >= one + other);
        bundles.insert(at, (one + other, codes));
    }
    bundles.into_iter().map(|(_, codes)| codes).collect()
}

/// The cuts between a few bundles that leave both sides enough rows, as bits of the left side, the most even first. The
/// last bundle is always on the right, as the sides of a cut have no names.
fn cuts_by_size(counts: &[u64], least: u64) -> Vec<u32> {
    let all: u64 = counts.iter().sum();
    let left = |cut: u32| (0..counts.len()).filter(|at| cut >> at & 1 == 1).map(|at| counts[at]).sum::<u64>();
    let mut cuts: Vec<(u64, u32)> = (1u32..1 << (counts.len() - 1))
        .map(|cut| (left(cut), cut))
        .filter(|&(left, _)| left >= least && all - left >= least)
        .map(|(left, cut)| ((2 * left).abs_diff(all), cut))
        .collect();
    cuts.sort_unstable();
    cuts.into_iter().map(|(_, cut)| cut).collect()
}
