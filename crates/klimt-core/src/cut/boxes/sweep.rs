//! The cost of every place of a dimension as a cut, by two sweeps over rows in the order of their codes.
//!
//! The first sweep comes back from the end and notes what the box of the rows behind each place costs; the second grows
//! the box of those before it.

use super::grow::{BoxEnds, BoxPlan, CuttableDimension, Lane, UnorderedBox};
use crate::cut::FrequencyGroup;
use std::cmp::Ordering;

/// Calls a method with the number of lanes as a constant.
macro_rules! by_lanes {
    ($self:ident, $plan:ident, $method:ident $(, $argument:expr)*) => {
        match $plan.lanes {
                1 => $self.$method::<1>($plan $(, $argument)*),
            2 => $self.$method::<2>($plan $(, $argument)*),
            3 => $self.$method::<3>($plan $(, $argument)*),
            4 => $self.$method::<4>($plan $(, $argument)*),
            _ => $self.$method::<16>($plan $(, $argument)*),
        }
    };
}

/// A cut after this many of the rows that were looked at, in the order of a dimension.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BoxCut {
    pub cost: f64,
    /// By how many rows the sides differ.
    pub imbalance: usize,
    /// The dimension.
    pub cuttable: CuttableDimension,
    /// The rows on the left, of those that were looked at.
    pub left: usize,
    /// The last code on the left; of a set, the rank of the last value.
    pub last: u32,
}

impl BoxCut {
    /// By cost, then by how evenly they cut, then by dimension and place: a total order.
    pub fn order(&self, other: &Self) -> Ordering {
        let ties = |place: &Self| (place.imbalance, place.cuttable.dimension, place.left);
        self.cost.total_cmp(&other.cost).then_with(|| ties(self).cmp(&ties(other)))
    }
}

/// Rows of a part, and what is found of them. Its vectors are kept from part to part.
#[derive(Debug, Default)]
pub(super) struct Boxes {
    rows: usize,
    /// The codes of all rows, dimension by dimension.
    codes: Vec<u32>,
    /// The places of all rows on the axes, row by row.
    places: Vec<Lane>,
    /// Code and number of each row, in the order of the dimension that was swept last.
    keys: Vec<u64>,
    /// The cost of a row behind each place.
    behind: Vec<f64>,
    /// The cost of all rows when they are cut after a number of rows, for the allowed cuts.
    pub costs: Vec<(usize, f64)>,
    values: SetRanks,
    rest: UnorderedBox,
    /// The cost of a row of the whole.
    whole: f64,
    /// The cost of the box over all rows in each dimension.
    pub penalties: Vec<f32>,
}

impl Boxes {
    /// Reads up to `most` rows of a part, evenly spaced, and returns their number: 0 where rows are not at hand. In
    /// the `mixed` dimensions missing values have no place.
    pub fn look(
        &mut self,
        plan: &BoxPlan<'_>,
        rows: &dyn FrequencyGroup,
        most: usize,
        mixed: &[usize],
    ) -> usize {
        let dimensions = plan.axes.len() + plan.others.len();
        self.rows = rows.pick(dimensions, most, &mut self.codes);
        self.places.clear();
        self.places.resize(self.rows * plan.lanes, [0.0; 4]);
        let places = self.places.as_flattened_mut();
        for (at, (dimension, axis)) in plan.axes.iter().enumerate() {
            let codes = &self.codes[dimension * self.rows..(dimension + 1) * self.rows];
            if let Some(places) = places.get_mut(at..) {
                axis.place(codes, places, plan.lanes * 4, mixed.contains(dimension));
            }
        }
        self.rest.ignore_missing(plan, mixed);
        self.rows
    }

    /// Lists the values of a set on the left of a place.
    pub fn members(&mut self, place: &BoxCut) -> Vec<u32> {
        let dimension = place.cuttable.dimension;
        let codes = &self.codes[dimension * self.rows..(dimension + 1) * self.rows];
        self.values.rank(codes.iter().copied());
        self.values.ranked[..place.last as usize].to_vec()
    }

    /// The codes of all rows in a dimension.
    pub fn codes(&self, dimension: usize) -> &[u32] {
        &self.codes[dimension * self.rows..(dimension + 1) * self.rows]
    }

    /// Measures the box over some of the rows.
    pub fn measure(&mut self, plan: &BoxPlan<'_>, chosen: &[u32]) {
        by_lanes!(self, plan, measure_in, chosen)
    }

    fn measure_in<const C: usize>(&mut self, plan: &BoxPlan<'_>, chosen: &[u32]) {
        let (places, caps) = (self.places.as_chunks::<C>().0, plan.caps.as_chunks::<C>().0[0]);
        let mut ends = BoxEnds::<C>::NOTHING;
        self.rest.clear(plan);
        chosen.iter().for_each(|&row| ends.include(&places[row as usize]));
        if !plan.others.is_empty() {
            let rows = chosen.iter().map(|&row| row as usize);
            rows.for_each(|row| self.rest.include(plan, &self.codes, self.rows, row));
        }
        self.whole = ends.cost(plan, &caps, &self.rest);
        ends.penalties(plan, &caps, &self.rest, &mut self.penalties);
    }

    /// The cheapest place of a dimension, among the rows that were measured, that leaves at least this many of them on
    /// either side; the cost of every place is listed on request.
    pub fn sweep(
        &mut self,
        plan: &BoxPlan<'_>,
        cuttable: CuttableDimension,
        chosen: &[u32],
        least: usize,
        list: bool,
    ) -> Option<BoxCut> {
        self.costs.clear();
        let least = least.max(1);
        if chosen.len() < 2 * least {
            return None;
        }
        let codes = &self.codes[cuttable.dimension * self.rows..(cuttable.dimension + 1) * self.rows];
        let codes = chosen.iter().map(|&row| codes[row as usize]);
        self.keys.clear();
        if cuttable.is_set {
            self.values.rank(codes.clone());
            let ranks = codes.map(|code| self.values.rank_of(code));
            self.keys.extend(ranks.zip(chosen).map(|(rank, &row)| u64::from(rank) << 32 | u64::from(row)));
        } else {
            self.keys.extend(codes.zip(chosen).map(|(code, &row)| u64::from(code) << 32 | u64::from(row)));
        }
        self.keys.sort_unstable();
        if self.keys[least - 1] >> 32 == self.keys[chosen.len() - least] >> 32 {
            return None;
        }
        by_lanes!(self, plan, sweep_in, cuttable, least, list)
    }

    fn sweep_in<const C: usize>(
        &mut self,
        plan: &BoxPlan<'_>,
        cuttable: CuttableDimension,
        least: usize,
        list: bool,
    ) -> Option<BoxCut> {
        let (all, rows, keys, rest) = (self.rows, self.keys.len(), &self.keys[..], &mut self.rest);
        let (places, caps) = (self.places.as_chunks::<C>().0, plan.caps.as_chunks::<C>().0[0]);
        let has_rest = !plan.others.is_empty();
        self.behind.resize(rows.max(self.behind.len()), 0.0);
        let behind = &mut self.behind[..rows];
        let mut ends = BoxEnds::<C>::NOTHING;
        rest.clear(plan);
        for at in (least..rows).rev() {
            let row = keys[at] as u32 as usize;
            ends.include(&places[row]);
            if has_rest {
                rest.include(plan, &self.codes, all, row);
            }
            if at <= rows - least {
                behind[at] = ends.cost(plan, &caps, rest);
            }
        }
        let (mut best, mut least_cost, mut least_imbalance) = (None, f64::INFINITY, usize::MAX);
        let mut ends = BoxEnds::<C>::NOTHING;
        rest.clear(plan);
        for left in 1..=rows - least {
            let row = keys[left - 1] as u32 as usize;
            ends.include(&places[row]);
            if has_rest {
                rest.include(plan, &self.codes, all, row);
            }
            let code = (keys[left - 1] >> 32) as u32;
            if left < least || keys[left] >> 32 == u64::from(code) {
                continue;
            }
            let (before, behind) = (ends.cost(plan, &caps, rest), behind[left]);
            if cuttable.narrows && before >= self.whole && behind >= self.whole {
                continue;
            }
            let cost = left as f64 * before + (rows - left) as f64 * behind;
            if list {
                self.costs.push((left, cost));
            }
            if cost <= least_cost {
                let imbalance = (2 * left).abs_diff(rows);
                if cost < least_cost || imbalance < least_imbalance {
                    (least_cost, least_imbalance) = (cost, imbalance);
                    best = Some((left, code));
                }
            }
        }
        let (left, last) = best?;
        Some(BoxCut { cost: least_cost, imbalance: least_imbalance, cuttable, left, last })
    }
}

/// The values of a set, the rarest first: unordered values need some order to be cut in, and the rare ones that go to one
/// side leave the other a box without them.
#[derive(Debug, Default)]
pub(super) struct SetRanks {
    /// How often each code occurs; then its rank.
    by_code: Vec<u32>,
    ranked: Vec<u32>,
}

impl SetRanks {
    fn rank(&mut self, codes: impl Iterator<Item = u32> + Clone) {
        let most = codes.clone().max().unwrap_or(0) as usize;
        for &code in &self.ranked {
            self.by_code[code as usize] = 0;
        }
        self.ranked.clear();
        if self.by_code.len() <= most {
            self.by_code.resize(most + 1, 0);
        }
        for code in codes {
            if self.by_code[code as usize] == 0 {
                self.ranked.push(code);
            }
            self.by_code[code as usize] += 1;
        }
        let counts = &self.by_code;
        self.ranked.sort_unstable_by_key(|&code| (counts[code as usize], code));
        for (rank, &code) in (1..).zip(&self.ranked) {
            self.by_code[code as usize] = rank;
        }
    }

    /// The rank of a code that occurs, from 1 on.
    fn rank_of(&self, code: u32) -> u32 {
        self.by_code[code as usize]
    }
}
