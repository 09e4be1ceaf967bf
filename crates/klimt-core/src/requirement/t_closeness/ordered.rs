//! The ordered distance in steps of the group's values.

use super::{ColumnFacts, Mover};
use crate::table::{Decimal, Domain};

/// The cumulated counts of the whole over the values that occur in it, and the sums of these.
#[derive(Debug)]
pub(super) struct OrderedDistance {
    /// The rank of each code among the codes that occur.
    ranks: Vec<u32>,
    /// By the number of values up to which they count.
    upto: Vec<CumulatedCount>,
    rows: u64,
    /// Whether ranks ascend with codes; those of a hierarchy are numbered by its leaves, which is no order of values.
    by_code: bool,
}

#[derive(Clone, Copy, Debug)]
struct CumulatedCount {
    /// How many rows of the whole have one of the first values.
    rows: u64,
    /// The sum of these numbers over all fewer first values.
    sum: u128,
}

/// Where a value stands among others: numbers by size, then texts by the alphabet, the missing value last.
fn natural(domain: &Domain, code: u32) -> (bool, bool, Decimal, String) {
    let text = domain.text(code);
    let number = text.parse::<Decimal>().ok();
    let missing = domain.missing_code() == Some(code);
    (missing, number.is_none(), number.unwrap_or(Decimal::whole(0)), text)
}

impl OrderedDistance {
    pub(super) fn new(facts: &ColumnFacts<'_>, rows: u64) -> Self {
        let by_code = facts.domain.hierarchy().is_none();
        let mut codes: Vec<usize> = (0..facts.counts.len()).collect();
        if !by_code {
            codes.sort_by_cached_key(|&code| natural(facts.domain, code as u32));
        }
        let (mut ranks, mut upto) = (vec![0; codes.len()], vec![CumulatedCount { rows: 0, sum: 0 }]);
        let mut last = upto[0];
        for code in codes {
            let count = facts.counts[code];
            ranks[code] = upto.len() as u32 - 1;
            if count > 0 {
                last = CumulatedCount { rows: last.rows + count, sum: last.sum + u128::from(last.rows) };
                upto.push(last);
            }
        }
        OrderedDistance { ranks, upto, rows, by_code }
    }

    /// Σ |have·rows − upto·of| over the ranks `from..to`, up to and including each: `have` of the group's `of` rows lie up
    /// to each of these ranks.
    fn stretch(&self, from: u32, to: u32, have: u64, of: u64) -> u128 {
        let (from, to) = (from as usize + 1, to as usize + 1);
        if from == to {
            return 0;
        }
        let have = u128::from(have) * u128::from(self.rows);
        let of = u128::from(of);
        let is_below = |upto: &CumulatedCount| u128::from(upto.rows) * of <= have;
        // Mostly all of a stretch lies on one side.
        let turn = if is_below(&self.upto[to - 1]) {
            to
        } else if !is_below(&self.upto[from]) {
            from
        } else {
            self.upto[from..to].partition_point(is_below) + from
        };
        let below = have * (turn - from) as u128 - self.sum(from, turn) * of;
        let above = self.sum(turn, to) * of - have * (to - turn) as u128;
        below + above
    }

    /// The sum of the rows up to each number of values in `from..to`.
    fn sum(&self, from: usize, to: usize) -> u128 {
        if from == to {
            return 0;
        }
        let last = self.upto[to - 1];
        last.sum + u128::from(last.rows) - self.upto[from].sum
    }
}

impl Mover for OrderedDistance {
    fn distance(&self, rows: u64, histogram: &mut dyn Iterator<Item = (u32, u64)>) -> (u128, u128) {
        let last = self.upto.len() as u32 - 1;
        let (mut moved, mut have, mut at) = (0, 0, 0);
        let mut ranked = histogram.map(|(code, count)| (self.ranks[code as usize], count));
        let mut sorted = Vec::new();
        if !self.by_code {
            sorted.extend(ranked.by_ref());
            sorted.sort_unstable();
        }
        for (rank, count) in ranked.chain(sorted) {
            moved += self.stretch(at, rank, have, rows);
            have += count;
            at = rank;
        }
        moved += self.stretch(at, last, have, rows);
        let unit = u128::from(rows) * u128::from(self.rows) * u128::from(last.max(2) - 1);
        (moved, unit)
    }
}
