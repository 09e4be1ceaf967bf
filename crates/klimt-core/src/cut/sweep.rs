//! Every place where a part can be cut along an order of its values, in two passes.
//!
//! The first pass adds the values one after the other and looks at what lies before each place, the second comes back
//! from the end and looks at what lies behind it. Statistics only ever grow, so any statistic that can be added to
//! serves; a part of n rows takes time in proportion to n, however many places there are, and requirements say how long a
//! verdict stands.

use crate::cut::FrequencyGroup;
use crate::loss::Cost;
use crate::packed::Tuple;
use crate::requirement::Checks;
use crate::statistics::{Collector, Statistics};

/// A place where a part may be cut.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CutCandidate {
    /// The place in the order of the last value before the cut.
    pub place: usize,
    /// The cost of both sides; zero where no cost was given.
    pub cost: f64,
    /// By how many rows the sides differ.
    pub imbalance: u64,
    /// Whether rows without a value are before the cut, wherever their code is in the order.
    pub missing_left: bool,
}

/// The values of a part in some order.
#[derive(Clone, Copy, Debug)]
pub struct ValueOrder<'a> {
    /// The dimension.
    pub dimension: usize,
    /// The codes that occur in the part, in order.
    pub values: &'a [u32],
    /// The rows up to and including each of them.
    pub cumulative: &'a [u32],
}

/// Finds the allowable places. Its vectors are kept from part to part.
#[derive(Debug, Default)]
pub struct CutSweep {
    arrangement: Arrangement,
    before: Vec<Option<f64>>,
}

/// The rows of a part, value by value along an order.
#[derive(Debug, Default)]
pub(crate) struct Arrangement {
    positions: Vec<u32>,
    ranks: Vec<u32>,
    cursors: Vec<u32>,
    keyed: Vec<u64>,
}

impl CutSweep {
    /// Every place at which both sides satisfy the requirements, in order. The collector has been prepared for the part.
    pub(crate) fn places(
        &mut self,
        rows: &dyn FrequencyGroup,
        order: ValueOrder<'_>,
        judge: &SideJudge<'_>,
        found: &mut Vec<CutCandidate>,
    ) {
        found.clear();
        rows.arrange(order, &mut self.arrangement);
        let least = judge.requirements.minimum_size();
        let all = u64::from(rows.count());
        let (mut side, mut outlook) = (judge.collector.empty(), SideVerdict::default());
        self.before.clear();
        self.before.resize(order.values.len(), None);
        for place in 0..order.values.len() - 1 {
            judge.add(&mut side, rows, order, &self.arrangement, place);
            let left = u64::from(order.cumulative[place]);
            if all - left < least {
                break;
            }
            if left >= least && outlook.satisfied(judge, &side) {
                self.before[place] = Some(judge.cost(&side));
            }
        }
        side.clear();
        outlook = SideVerdict::default();
        for place in (0..order.values.len() - 1).rev() {
            judge.add(&mut side, rows, order, &self.arrangement, place + 1);
            let left = u64::from(order.cumulative[place]);
            if left < least {
                break;
            }
            if let Some(before) = self.before[place]
                && outlook.satisfied(judge, &side)
            {
                let cost = before + judge.cost(&side);
                found.push(CutCandidate {
                    place,
                    cost,
                    imbalance: (left * 2).abs_diff(all),
                    missing_left: false,
                });
            }
        }
        found.reverse();
    }

    /// The statistics of every value of the part, in ascending order of the codes.
    pub(crate) fn each_value(
        &mut self,
        rows: &dyn FrequencyGroup,
        order: ValueOrder<'_>,
        judge: &SideJudge<'_>,
        mut look: impl FnMut(usize, &Statistics),
    ) {
        rows.arrange(order, &mut self.arrangement);
        let mut value = judge.collector.empty();
        for place in 0..order.values.len() {
            value.clear();
            judge.add(&mut value, rows, order, &self.arrangement, place);
            look(place, &value);
        }
    }
}

impl Arrangement {
    /// The rows with the value at a place of the order.
    pub(crate) fn rows_of(&self, order: ValueOrder<'_>, place: usize) -> &[u32] {
        let start = if place == 0 { 0 } else { order.cumulative[place - 1] as usize };
        &self.positions[start..order.cumulative[place] as usize]
    }

    /// Lists the rows value by value: by counting where codes lie close together, else by sorting.
    pub(crate) fn arrange<T: Tuple>(&mut self, rows: &[T], order: ValueOrder<'_>) {
        let (values, dimension) = (order.values, order.dimension);
        let (lo, hi) = (values.iter().copied().min().unwrap_or(0), values.iter().copied().max().unwrap_or(0));
        let range = (hi - lo) as usize + 1;
        if range > 4 * rows.len() + 1024 && values.is_sorted() {
            self.keyed.clear();
            let key = |(at, row): (usize, &T)| u64::from(row.code(dimension)) << 32 | at as u64;
            self.keyed.extend(rows.iter().enumerate().map(key));
            self.keyed.sort_unstable();
            self.positions.clear();
            self.positions.extend(self.keyed.iter().map(|&key| key as u32));
            return;
        }
        if self.ranks.len() < range {
            self.ranks.resize(range, 0);
        }
        self.cursors.clear();
        for (rank, &value) in values.iter().enumerate() {
            self.ranks[(value - lo) as usize] = rank as u32;
            self.cursors.push(if rank == 0 { 0 } else { order.cumulative[rank - 1] });
        }
        self.positions.clear();
        self.positions.resize(rows.len(), 0);
        for (at, row) in rows.iter().enumerate() {
            let cursor = &mut self.cursors[self.ranks[(row.code(dimension) - lo) as usize] as usize];
            self.positions[*cursor as usize] = at as u32;
            *cursor += 1;
        }
    }
}

/// The verdict on a growing side, and up to how many rows it stands.
#[derive(Clone, Copy, Debug, Default)]
struct SideVerdict {
    satisfied: bool,
    until: u64,
}

impl SideVerdict {
    fn satisfied(&mut self, judge: &SideJudge<'_>, side: &Statistics) -> bool {
        if side.count > self.until {
            let (satisfied, steady) = judge.requirements.outlook(side);
            *self = SideVerdict { satisfied, until: side.count.saturating_add(steady) };
        }
        self.satisfied
    }
}

/// Decides over the sides of a cut.
#[derive(Clone, Copy)]
pub struct SideJudge<'a> {
    /// Makes their statistics.
    pub collector: &'a Collector<'a>,
    /// The requirements of both sides.
    pub requirements: &'a Checks,
    /// The cost of the sides, where cuts are compared by it.
    pub cost: Option<&'a dyn Cost>,
}

impl SideJudge<'_> {
    fn add(
        &self,
        side: &mut Statistics,
        rows: &dyn FrequencyGroup,
        order: ValueOrder<'_>,
        arrangement: &Arrangement,
        place: usize,
    ) {
        if self.requirements.only_count() && self.cost.is_none() {
            let before = if place == 0 { 0 } else { order.cumulative[place - 1] };
            side.count += u64::from(order.cumulative[place] - before);
            return;
        }
        rows.add_value(self.collector, order, arrangement, place, side);
    }

    fn cost(&self, side: &Statistics) -> f64 {
        self.cost.map_or(0.0, |cost| cost.group(side))
    }
}
