//! `frequency_set` and `find_median` (Fig. 7): how often each value of a dimension occurs in a part.

use super::measure::{Dimension, PartWidths};
use crate::cut::{Arrangement, ValueOrder};
use crate::packed::Tuple;
use crate::statistics::{Collector, Statistics};

/// Tells for some codes of a dimension to which side of a cut each of them goes.
pub(crate) type SidesOf<'s> = dyn FnMut(&[u32], &mut [u32]) + 's;

/// How many rows are divided at once.
const BLOCK: usize = 256;

/// Tells the sides of codes one after the other.
pub(crate) fn each(side: &mut impl FnMut(u32) -> usize) -> impl FnMut(&[u32], &mut [u32]) {
    |codes, sides| codes.iter().zip(sides).for_each(|(&code, into)| *into = side(code) as u32)
}

/// What a cut is chosen from: how often each value of each dimension occurs in a part, alone (AV), with each value of a
/// class label (AVC) or of a sensitive column (AVS). Rows count what is asked of them when it is asked; counts that were
/// made in one pass over rows on disk serve as well. The search for a cut sees it as an object: what is done for every row is
/// done in here, once for each width of rows, and the rest is compiled once.
pub(crate) trait FrequencyGroup {
    /// The number of rows.
    fn count(&self) -> u32;

    /// Measures the part. No more codes of a dimension occur than `limits` says.
    fn measure(&self, dimensions: &[Dimension<'_>], limits: &[u32], widths: &mut PartWidths);

    /// Counts the values of a dimension whose codes lie in `lo..=hi`.
    fn fill(&self, dimension: usize, lo: u32, hi: u32, into: &mut FrequencySet);

    /// Copies the codes of up to a number of rows, evenly spaced, dimension by dimension, and returns how many rows there
    /// are; none where only counts are known.
    fn pick(&self, dimensions: usize, most: usize, codes: &mut Vec<u32>) -> usize;

    /// The rows whose code in a dimension is at most this.
    fn upto(&self, dimension: usize, code: u32) -> u32;

    /// Prepares to collect statistics of the part.
    fn prepare(&self, collector: &mut Collector<'_>);

    /// Adds every row to the side that its code in a dimension goes to. The sides of some codes, row after row, are
    /// asked for at once.
    fn divide(
        &self,
        collector: &Collector<'_>,
        dimension: usize,
        side: &mut SidesOf<'_>,
        sides: &mut [Statistics],
    );

    /// Gets ready for [`FrequencyGroup::add_value`] along an order.
    fn arrange(&self, order: ValueOrder<'_>, into: &mut Arrangement);

    /// Adds the rows with the value at a place of the order.
    fn add_value(
        &self,
        collector: &Collector<'_>,
        order: ValueOrder<'_>,
        arrangement: &Arrangement,
        place: usize,
        into: &mut Statistics,
    );
}

impl<T: Tuple> FrequencyGroup for &[T] {
    fn count(&self) -> u32 {
        self.len() as u32
    }

    fn measure(&self, dimensions: &[Dimension<'_>], limits: &[u32], widths: &mut PartWidths) {
        widths.fill(self, dimensions, limits);
    }

    fn fill(&self, dimension: usize, lo: u32, hi: u32, into: &mut FrequencySet) {
        into.fill(self, dimension, lo, hi);
    }

    fn pick(&self, dimensions: usize, most: usize, codes: &mut Vec<u32>) -> usize {
        codes.clear();
        let picked = self.len().min(most);
        if picked == self.len() {
            (0..dimensions).for_each(|dimension| codes.extend(self.iter().map(|row| row.code(dimension))));
            return picked;
        }
        // Row by row, as every row is a place of its own in memory.
        codes.resize(picked * dimensions, 0);
        for at in 0..picked {
            let row = &self[at * self.len() / picked];
            (0..dimensions).for_each(|dimension| codes[dimension * picked + at] = row.code(dimension));
        }
        picked
    }

    fn upto(&self, dimension: usize, code: u32) -> u32 {
        self.iter().map(|row| u32::from(row.code(dimension) <= code)).sum()
    }

    fn prepare(&self, collector: &mut Collector<'_>) {
        collector.prepare(self);
    }

    fn divide(
        &self,
        collector: &Collector<'_>,
        dimension: usize,
        side: &mut SidesOf<'_>,
        sides: &mut [Statistics],
    ) {
        let (mut codes, mut goes_to) = ([0; BLOCK], [0; BLOCK]);
        for rows in self.chunks(BLOCK) {
            let (codes, goes_to) = (&mut codes[..rows.len()], &mut goes_to[..rows.len()]);
            codes.iter_mut().zip(rows).for_each(|(code, row)| *code = row.code(dimension));
            side(codes, goes_to);
            for (row, &to) in rows.iter().zip(&*goes_to) {
                collector.add(&mut sides[to as usize], row);
            }
        }
    }

    fn arrange(&self, order: ValueOrder<'_>, into: &mut Arrangement) {
        into.arrange(self, order);
    }

    fn add_value(
        &self,
        collector: &Collector<'_>,
        order: ValueOrder<'_>,
        arrangement: &Arrangement,
        place: usize,
        into: &mut Statistics,
    ) {
        for &position in arrangement.rows_of(order, place) {
            collector.add(into, &self[position as usize]);
        }
    }
}

/// The values of a dimension in a part, ascending, each with the number of rows up to and including it.
#[derive(Clone, Debug, Default)]
pub(crate) struct FrequencySet {
    pub values: Vec<u32>,
    pub cumulative: Vec<u32>,
    /// Counters by code; all zero between calls.
    counts: Vec<u32>,
    sorted: Vec<u32>,
}

/// Counting in four lanes keeps runs of one value from waiting for each other.
const LANES: usize = 4;

impl FrequencySet {
    /// Counts the values of a dimension whose codes lie in `lo..=hi`.
    pub fn fill<T: Tuple>(&mut self, rows: &[T], dimension: usize, lo: u32, hi: u32) {
        self.values.clear();
        self.cumulative.clear();
        let range = (hi - lo) as usize + 1;
        if range > 4 * rows.len() + 64 {
            self.sort(rows, dimension);
        } else if rows.len() >= 1024 && range <= 1024 {
            self.count_lanes(rows, dimension, lo, range);
        } else {
            self.count(rows, dimension, lo, range);
        }
    }

    /// Adds counts, by ascending codes.
    pub fn set(&mut self, counts: impl Iterator<Item = (u32, u32)> + Clone) {
        self.values.clear();
        self.cumulative.clear();
        let occurring = counts.filter(|&(_, count)| count > 0);
        let different = occurring.clone().count();
        self.values.reserve_exact(different);
        self.cumulative.reserve_exact(different);
        let mut total = 0;
        for (value, count) in occurring {
            total += count;
            self.values.push(value);
            self.cumulative.push(total);
        }
    }

    fn count<T: Tuple>(&mut self, rows: &[T], dimension: usize, lo: u32, range: usize) {
        if self.counts.len() < range {
            self.counts.resize(range, 0);
        }
        let counts = &mut self.counts[..range];
        for row in rows {
            counts[(row.code(dimension) - lo) as usize] += 1;
        }
        self.collect(lo, range, 1);
    }

    fn count_lanes<T: Tuple>(&mut self, rows: &[T], dimension: usize, lo: u32, range: usize) {
        if self.counts.len() < range * LANES {
            self.counts.resize(range * LANES, 0);
        }
        let counts = &mut self.counts[..range * LANES];
        let mut chunks = rows.chunks_exact(LANES);
        for chunk in &mut chunks {
            for lane in 0..LANES {
                counts[(chunk[lane].code(dimension) - lo) as usize * LANES + lane] += 1;
            }
        }
        for row in chunks.remainder() {
            counts[(row.code(dimension) - lo) as usize * LANES] += 1;
        }
        self.collect(lo, range, LANES);
    }

    fn collect(&mut self, lo: u32, range: usize, lanes: usize) {
        let mut total = 0;
        for (at, lanes) in self.counts[..range * lanes].chunks_exact_mut(lanes).enumerate() {
            let count: u32 = lanes.iter().sum();
            if count > 0 {
                total += count;
                self.values.push(lo + at as u32);
                self.cumulative.push(total);
                lanes.fill(0);
            }
        }
    }

    fn sort<T: Tuple>(&mut self, rows: &[T], dimension: usize) {
        self.sorted.clear();
        self.sorted.extend(rows.iter().map(|row| row.code(dimension)));
        self.sorted.sort_unstable();
        for (at, &value) in self.sorted.iter().enumerate() {
            if self.values.last() != Some(&value) {
                self.values.push(value);
                self.cumulative.push(0);
            }
            if let Some(last) = self.cumulative.last_mut() {
                *last = at as u32 + 1;
            }
        }
    }

    /// The index of the median: the first value up to which at least half of the rows lie.
    pub fn median(&self) -> usize {
        let rows = *self.cumulative.last().expect("a part that is cut holds rows");
        self.cumulative.partition_point(|&upto| u64::from(upto) * 2 < u64::from(rows))
    }

    /// The rows before the value with the given index.
    pub fn before(&self, index: usize) -> u32 {
        if index == 0 { 0 } else { self.cumulative[index - 1] }
    }

    /// The rows with the value with the given index.
    pub fn count_of(&self, index: usize) -> u32 {
        self.cumulative[index] - self.before(index)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn counting_and_sorting_agree(codes in prop::collection::vec(0u32..3000, 1..3000), wide in 1u32..100_000) {
            let rows: Vec<[u32; 2]> = codes.iter().map(|&c| [0, c % wide]).collect();
            let (lo, hi) = (rows.iter().map(|r| r[1]).min().unwrap(), rows.iter().map(|r| r[1]).max().unwrap());
            let (mut a, mut b) = (FrequencySet::default(), FrequencySet::default());
            a.fill(&rows, 1, lo, hi);
            b.sort(&rows, 1);
            prop_assert_eq!(&a.values, &b.values);
            prop_assert_eq!(&a.cumulative, &b.cumulative);
            prop_assert!(a.counts.iter().all(|&c| c == 0));
            let median = a.median();
            prop_assert!(a.before(median) * 2 < rows.len() as u32);
            prop_assert!(a.cumulative[median] as usize * 2 >= rows.len());
        }
    }
}
