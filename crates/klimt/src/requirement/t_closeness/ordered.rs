//! The ordered distance in steps of the group's values.

use super::{ColumnFacts, Mover};

/// The cumulated counts of the whole over the values that occur in it, and the sums of these.
#[derive(Debug)]
pub(super) struct Ordered {
    /// The rank of each code among the codes that occur.
    ranks: Vec<u32>,
    /// How many rows of the whole have one of the first i values.
    cumulated: Vec<u64>,
    /// The sum of the first i entries of `cumulated`.
    sums: Vec<u128>,
    rows: u64,
}

impl Ordered {
    pub(super) fn new(facts: &ColumnFacts<'_>, rows: u64) -> Self {
        let (mut ranks, mut cumulated, mut sums) = (Vec::new(), vec![0], vec![0, 0]);
        let (mut total, mut sum) = (0u64, 0u128);
        for &count in &facts.counts {
            ranks.push(cumulated.len() as u32 - 1);
            if count > 0 {
                total += count;
                sum += u128::from(total);
                cumulated.push(total);
                sums.push(sum);
            }
        }
        Ordered { ranks, cumulated, sums, rows }
    }

    /// Σ |have·rows − cumulated[i]·of| over the ranks `from..to`, the value of rank i included in `cumulated[i + 1]`:
    /// `have` of the group's `of` rows lie up to each of these ranks.
    fn stretch(&self, from: u32, to: u32, have: u64, of: u64) -> u128 {
        let (from, to) = (from as usize + 1, to as usize + 1);
        let have = u128::from(have) * u128::from(self.rows);
        let of = u128::from(of);
        let turn = self.cumulated[from..to].partition_point(|&upto| u128::from(upto) * of <= have) + from;
        let sum = |from: usize, to: usize| self.sums[to] - self.sums[from];
        let below = have * (turn - from) as u128 - sum(from, turn) * of;
        let above = sum(turn, to) * of - have * (to - turn) as u128;
        below + above
    }
}

impl Mover for Ordered {
    fn distance(&self, rows: u64, histogram: &mut dyn Iterator<Item = (u32, u64)>) -> (u128, u128) {
        let last = self.cumulated.len() as u32 - 1;
        let (mut moved, mut have, mut at) = (0, 0, 0);
        for (code, count) in histogram {
            let rank = self.ranks[code as usize];
            moved += self.stretch(at, rank, have, rows);
            have += count;
            at = rank;
        }
        moved += self.stretch(at, last, have, rows);
        let unit = u128::from(rows) * u128::from(self.rows) * u128::from(last.max(2) - 1);
        (moved, unit)
    }
}
