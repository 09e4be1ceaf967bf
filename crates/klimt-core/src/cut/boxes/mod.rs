//! The split of a node that overflows: the cut after which the smallest boxes of the two sides cost least.
//!
//! Places that leave few rows on one side are as good as others: asking for a quarter of the rows on either side makes the
//! certainty penalty of Adult three times as large, and changes nothing on Agrawal.

mod axis;
mod grow;
mod sweep;

pub(crate) use grow::{BoxPlan, CuttableDimension};
pub(crate) use sweep::BoxCut;

use super::FrequencyGroup;
use sweep::Boxes;

/// A part of at most this many rows is looked at whole,
const EXACT: u64 = 24;
/// or of this many times the rows that a group needs, so that the last cuts are chosen from all places,
const LAST_CUTS: u64 = 4;
/// as long as these are not too many to be looked at.
const MOST: u64 = 1 << 12;
/// Of a larger part, one in this many rows is looked at, and as many besides as a group needs,
const ONE_OF: u64 = 12;
/// but at least this many,
const FEWEST: u64 = 12;
/// and no more than this many. (Where one of eight rows, and 24 at least, were looked at, five million rows of Agrawal took
/// a tenth longer, and the penalty of k = 5 was 1 % lower.)
const SAMPLE: u64 = 512;
/// A part of at most this many rows is finished at once: what is known of that many stays in the nearest cache. So is one
/// of twice the rows that are looked at whole.
const FINISHED: u64 = 256;
/// The dimensions in which a cut is looked for: the widest, and the next ones where these have no place for it. Looking in
/// all nine of Agrawal's lowers the penalty of k = 5 from 0.129 to 0.122 on a million rows, and takes twice as long.
const WIDEST: usize = 2;

/// Looks for the cheapest cut of a part. Its vectors are kept from part to part.
#[derive(Debug, Default)]
pub(crate) struct BoxFinder {
    boxes: Boxes,
    /// The rows among which places are looked for, of those that were looked at.
    chosen: Vec<u32>,
    /// The best place of each dimension, cheapest first.
    ranked: Vec<BoxCut>,
    /// The dimensions, widest first.
    widest: Vec<CuttableDimension>,
}

impl BoxFinder {
    /// Whether all rows of a part of this many are looked at.
    pub fn looks_at_all(rows: u64, least: u64) -> bool {
        rows <= least.saturating_mul(LAST_CUTS).clamp(EXACT, MOST)
    }

    /// How many rows of a part of this many are looked at.
    fn looked_at(rows: u64, least: u64) -> u64 {
        match Self::looks_at_all(rows, least) {
            true => rows,
            false => (rows / ONE_OF).saturating_add(least).clamp(FEWEST, SAMPLE),
        }
    }

    /// Whether a part of this many rows is small enough to be finished at once.
    pub fn finishes(rows: u64, least: u64) -> bool {
        rows <= least.saturating_mul(2 * LAST_CUTS).clamp(FINISHED, MOST)
    }

    /// Looks at rows of a part; says how many, none where rows are not at hand. In the `mixed` dimensions boxes are
    /// around the values that are there, whether values are missing or not.
    pub fn look(
        &mut self,
        plan: &BoxPlan<'_>,
        rows: &dyn FrequencyGroup,
        least: u64,
        mixed: &[usize],
    ) -> usize {
        let most = Self::looked_at(u64::from(rows.count()), least);
        let looked = self.boxes.look(plan, rows, most as usize, mixed);
        self.chosen.clear();
        self.chosen.extend(0..looked as u32);
        self.boxes.measure(plan, &self.chosen);
        looked
    }

    /// Looks at all rows of a part that is to be finished, which mixes no missing values with others.
    pub fn look_at_all(&mut self, plan: &BoxPlan<'_>, rows: &dyn FrequencyGroup) {
        self.boxes.look(plan, rows, rows.count() as usize, &[]);
    }

    /// The cheapest threshold that leaves at least this many rows on either side, of some of the rows that were looked at:
    /// dimension, last code and rows on the left. The cheapest place of a sample where the rows are many, and of all of
    /// them where none of the sample's will do.
    pub fn threshold(&mut self, plan: &BoxPlan<'_>, rows: &[u32], least: u64) -> Option<(usize, u32, usize)> {
        let count = rows.len() as u64;
        let looked = Self::looked_at(count, least) as usize;
        for stage in &plan.stages {
            if looked < rows.len() {
                self.choose((0..looked).map(|at| rows[at * rows.len() / looked]), plan);
                let needed = (least * looked as u64).div_ceil(count) as usize;
                let many = self.rank(plan, stage, needed).len();
                for at in 0..many {
                    let (dimension, code) = (self.ranked[at].cuttable.dimension, self.ranked[at].last);
                    let codes = self.boxes.codes(dimension);
                    let left: u64 = rows.iter().map(|&row| u64::from(codes[row as usize] <= code)).sum();
                    if left >= least && count - left >= least {
                        return Some((dimension, code, left as usize));
                    }
                }
            }
            self.choose(rows.iter().copied(), plan);
            if let Some(place) = self.rank(plan, stage, least as usize).first() {
                return Some((place.cuttable.dimension, place.last, place.left));
            }
        }
        None
    }

    fn choose(&mut self, rows: impl Iterator<Item = u32>, plan: &BoxPlan<'_>) {
        self.chosen.clear();
        self.chosen.extend(rows);
        self.boxes.measure(plan, &self.chosen);
    }

    /// The cheapest places, one of each dimension, cheapest first; they leave at least this many rows that were looked at
    /// on either side.
    pub fn rank(&mut self, plan: &BoxPlan<'_>, stage: &[CuttableDimension], least: usize) -> &[BoxCut] {
        self.ranked.clear();
        self.widest.clear();
        self.widest.extend_from_slice(stage);
        let penalties = &self.boxes.penalties;
        let by_width = |a: &CuttableDimension, b: &CuttableDimension| {
            let widths = penalties[b.dimension].total_cmp(&penalties[a.dimension]);
            widths.then(a.dimension.cmp(&b.dimension))
        };
        self.widest.sort_unstable_by(by_width);
        for few in self.widest.chunks(WIDEST) {
            for &cuttable in few {
                self.ranked.extend(self.boxes.sweep(plan, cuttable, &self.chosen, least, false));
            }
            if !self.ranked.is_empty() {
                break;
            }
        }
        self.ranked.sort_unstable_by(BoxCut::order);
        &self.ranked
    }

    /// The place of a rank.
    pub fn ranked(&self, rank: usize) -> BoxCut {
        self.ranked[rank]
    }

    /// Looks at every place of a dimension, with at least this many rows on either side: after how many rows it is, and
    /// what it costs.
    pub fn each_place(
        &mut self,
        plan: &BoxPlan<'_>,
        cuttable: CuttableDimension,
        least: usize,
    ) -> &[(usize, f64)] {
        self.boxes.sweep(plan, cuttable, &self.chosen, least, true);
        &self.boxes.costs
    }

    /// The values of a set on the left of a place, in the rows that were looked at.
    pub fn members(&mut self, place: &BoxCut) -> Vec<u32> {
        self.boxes.members(place)
    }

    /// The codes of a dimension in the rows that were looked at.
    pub fn codes(&self, dimension: usize) -> &[u32] {
        self.boxes.codes(dimension)
    }
}
