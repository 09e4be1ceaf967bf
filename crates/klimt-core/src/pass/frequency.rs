//! Frequency groups (section 2): how often each value of each quasi-identifier occurs in a node's rows, alone (AV), and
//! with each value of a class label (AVC) or of a sensitive column (AVS).
//!
//! They are made for many nodes in one pass over the rows, and a cut is then chosen from them as it would be from the
//! rows themselves.

use super::route::RoutedRows;
use super::scan::ScannedBlock;
use crate::cut::{
    Arrangement, Dimension, DimensionWidth, FrequencyGroup, FrequencySet, PartWidths, SidesOf, ValueOrder,
};
use crate::statistics::{Collector, Moments, Needs, Statistics};
use crate::table::{Codes, Table, Word};
use hashbrown::HashMap;
use rayon::prelude::*;

/// The codes that can occur in a dimension of a node: from the first to the second.
pub(crate) type CodeRange = (u32, u32);

/// The counts of a node in a dimension.
struct DimensionCounts {
    lowest: u32,
    counts: Vec<u32>,
    /// With each code of a column, for every column that is counted.
    pairs: Vec<Pairs>,
    /// The moments of every column of which they are taken, by code.
    moments: Vec<Vec<Moments>>,
}

/// How often two codes occur together.
enum Pairs {
    /// By the first code, then the second, of which there are this many.
    Dense { width: usize, counts: Vec<u32> },
    /// By both, where most do not occur.
    Sparse(HashMap<u64, u32>),
    /// The same, ascending.
    Sorted(Vec<(u64, u32)>),
}

/// The bytes of an entry of a sparse table, with the room that it keeps.
const SPARSE_BYTES: u64 = 40;

impl Pairs {
    fn is_dense(range: u64, width: u64, rows: u64) -> bool {
        range * width * 4 <= (SPARSE_BYTES * rows).max(1 << 18)
    }

    fn bytes(range: u64, width: u64, rows: u64) -> u64 {
        if Pairs::is_dense(range, width, rows) {
            range * width * 4
        } else {
            rows.min(range * width) * SPARSE_BYTES
        }
    }

    fn new(range: u64, width: u64, rows: u64) -> Self {
        match Pairs::is_dense(range, width, rows) {
            true => Pairs::Dense { width: width as usize, counts: vec![0; (range * width) as usize] },
            false => Pairs::Sparse(HashMap::new()),
        }
    }

    #[inline]
    fn add(&mut self, first: u32, second: u32) {
        match self {
            Pairs::Dense { width, counts } => counts[first as usize * *width + second as usize] += 1,
            Pairs::Sparse(counts) => {
                *counts.entry(u64::from(first) << 32 | u64::from(second)).or_default() += 1
            }
            Pairs::Sorted(_) => unreachable!("counting is over"),
        }
    }

    fn finish(&mut self) {
        if let Pairs::Sparse(counts) = self {
            let mut sorted: Vec<(u64, u32)> = counts.drain().collect();
            sorted.sort_unstable();
            *self = Pairs::Sorted(sorted);
        }
    }

    /// Calls `f` with every second code that occurs with the first, ascending, and how often it does.
    fn each(&self, first: u32, mut f: impl FnMut(u32, u64)) {
        match self {
            Pairs::Dense { width, counts } => {
                let start = first as usize * width;
                let found = counts[start..start + width].iter().zip(0..).filter(|(count, _)| **count > 0);
                found.for_each(|(&count, second)| f(second, u64::from(count)));
            }
            Pairs::Sorted(sorted) => {
                let start = sorted.partition_point(|(key, _)| key >> 32 < u64::from(first));
                let found = sorted[start..].iter().take_while(|(key, _)| key >> 32 == u64::from(first));
                found.for_each(|&(key, count)| f(key as u32, u64::from(count)));
            }
            Pairs::Sparse(_) => unreachable!("counting is not over"),
        }
    }
}

/// A node whose frequency group is made.
pub(crate) struct CountRequest {
    /// The number of the node's leaf among those that rows are routed to.
    pub leaf: usize,
    /// The codes that can occur, by dimension.
    pub ranges: Vec<CodeRange>,
    /// The rows of the node.
    pub rows: u64,
}

impl CountRequest {
    /// A node of which nothing but its number of rows is known.
    pub fn whole(frame: &Table, rows: u64) -> Self {
        let range = |dimension: usize| (0, frame.domain(dimension).cardinality() as u32 - 1);
        CountRequest { leaf: 0, ranges: (0..frame.dimensions()).map(range).collect(), rows }
    }

    /// How many bytes the frequency group takes.
    pub fn bytes(&self, needs: &Needs, frame: &Table) -> u64 {
        let width =
            |&column: &usize| frame.columns()[column].coded().map_or(1, |(d, _)| d.cardinality()) as u64;
        let of_range = |&(lo, hi): &CodeRange| {
            let range = u64::from(hi - lo) + 1;
            let pairs = needs.histograms.iter().map(|column| Pairs::bytes(range, width(column), self.rows));
            range * 4 + pairs.sum::<u64>() + needs.moments.len() as u64 * range * size_of::<Moments>() as u64
        };
        self.ranges.iter().map(of_range).sum()
    }
}

/// The columns that are counted with the values of every dimension.
#[derive(Clone, Copy)]
pub(crate) struct CountColumns<'a> {
    /// The columns whose values are counted, or whose numbers are added up.
    pub needs: &'a Needs,
    /// Makes statistics of them.
    pub collector: &'a Collector<'a>,
    /// The columns of the table.
    pub frame: &'a Table,
}

/// The frequency groups of several nodes.
pub(crate) struct Frequencies<'a> {
    collector: &'a Collector<'a>,
    needs: &'a Needs,
    frame: &'a Table,
    leaves: Vec<usize>,
    rows: Vec<u64>,
    /// By dimension, then by node.
    counted: Vec<Vec<DimensionCounts>>,
}

impl<'a> Frequencies<'a> {
    /// Nothing counted yet.
    pub(super) fn new(requests: &[&CountRequest], counting: CountColumns<'a>) -> Self {
        let CountColumns { needs, collector, frame } = counting;
        let width =
            |column: usize| frame.columns()[column].coded().map_or(1, |(d, _)| d.cardinality()) as u64;
        let counted = |request: &CountRequest, dimension: usize| {
            let (lowest, highest) = request.ranges[dimension];
            let range = u64::from(highest - lowest) + 1;
            let pairs = needs.histograms.iter().map(|&column| Pairs::new(range, width(column), request.rows));
            DimensionCounts {
                lowest,
                counts: vec![0; range as usize],
                pairs: pairs.collect(),
                moments: vec![vec![Moments::default(); range as usize]; needs.moments.len()],
            }
        };
        let dimensions = 0..frame.dimensions();
        Frequencies {
            collector,
            needs,
            frame,
            leaves: requests.iter().map(|request| request.leaf).collect(),
            rows: vec![0; requests.len()],
            counted: dimensions
                .map(|d| requests.iter().map(|request| counted(request, d)).collect())
                .collect(),
        }
    }

    /// Counts the rows of blocks that were routed; each dimension is counted by one worker.
    pub(super) fn add(&mut self, reads: &[ScannedBlock<RoutedRows>]) {
        for (rows, &leaf) in self.rows.iter_mut().zip(&self.leaves) {
            *rows += reads.iter().map(|read| read.made.leaf(leaf).len() as u64).sum::<u64>();
        }
        let (leaves, needs, frame, collector) = (&self.leaves, self.needs, self.frame, self.collector);
        self.counted.par_iter_mut().enumerate().for_each(|(dimension, nodes)| {
            let column = frame.quasi_identifiers()[dimension];
            for read in reads {
                for (counted, &leaf) in nodes.iter_mut().zip(leaves) {
                    let rows = read.made.leaf(leaf);
                    match read.block.codes(column) {
                        Codes::U8(codes) => counted.add(codes, rows, read, needs, collector),
                        Codes::U16(codes) => counted.add(codes, rows, read, needs, collector),
                        Codes::U32(codes) => counted.add(codes, rows, read, needs, collector),
                    }
                }
            }
        });
    }

    /// Ends the counting.
    pub(super) fn finish(&mut self) {
        let nodes = self.counted.par_iter_mut().flatten();
        nodes.for_each(|counted| counted.pairs.iter_mut().for_each(Pairs::finish));
    }

    /// The frequency group of a node, by its place in the request.
    pub fn group(&self, node: usize) -> NodeGroup<'_> {
        NodeGroup { counted: &self.counted, node, rows: self.rows[node] }
    }
}

impl DimensionCounts {
    fn add<W: Word>(
        &mut self,
        codes: &[W],
        rows: &[u32],
        read: &ScannedBlock<RoutedRows>,
        needs: &Needs,
        collector: &Collector<'_>,
    ) {
        let lowest = self.lowest;
        for &row in rows {
            self.counts[(codes[row as usize].code() - lowest) as usize] += 1;
        }
        for (number, (pairs, &column)) in self.pairs.iter_mut().zip(&needs.histograms).enumerate() {
            let with = read.block.codes(column);
            rows.iter().for_each(|&row| {
                let class = collector.class(number, with.get(row as usize));
                pairs.add(codes[row as usize].code() - lowest, class);
            });
        }
        for ((number, moments), &column) in self.moments.iter_mut().enumerate().zip(&needs.moments) {
            let with = read.block.codes(column);
            for &row in rows {
                if let Some(distance) = collector.distance(number, with.get(row as usize)) {
                    moments[(codes[row as usize].code() - lowest) as usize].add(distance, 1);
                }
            }
        }
    }

    /// Adds the rows with a code to statistics.
    fn add_to(&self, code: u32, into: &mut Statistics) {
        let at = code - self.lowest;
        into.count += u64::from(self.counts[at as usize]);
        for (pairs, (_, histogram)) in self.pairs.iter().zip(&mut into.histograms) {
            pairs.each(at, |code, rows| histogram.add(code, rows));
        }
        for (moments, (_, into)) in self.moments.iter().zip(&mut into.moments) {
            into.merge(&moments[at as usize]);
        }
    }

    /// The codes that occur, ascending, with their counts.
    fn occurring(&self) -> impl DoubleEndedIterator<Item = (u32, u32)> + Clone {
        let coded = self.counts.iter().enumerate().map(|(at, &count)| (self.lowest + at as u32, count));
        coded.filter(|&(_, count)| count > 0)
    }
}

/// The frequency group of one node.
pub(crate) struct NodeGroup<'a> {
    counted: &'a [Vec<DimensionCounts>],
    node: usize,
    rows: u64,
}

impl NodeGroup<'_> {
    fn of(&self, dimension: usize) -> &DimensionCounts {
        &self.counted[dimension][self.node]
    }
}

impl FrequencyGroup for NodeGroup<'_> {
    fn count(&self) -> u32 {
        self.rows as u32
    }

    fn pick(&self, _: usize, _: usize, codes: &mut Vec<u32>) -> usize {
        codes.clear();
        0
    }

    fn upto(&self, dimension: usize, code: u32) -> u32 {
        let below = self.of(dimension).occurring().take_while(|&(at, _)| at <= code);
        below.map(|(_, count)| count).sum()
    }

    fn measure(&self, dimensions: &[Dimension<'_>], _: &[u32], widths: &mut PartWidths) {
        widths.set(dimensions, |number, dimension| {
            let counted = self.of(number);
            let least = counted.occurring().next().map_or(counted.lowest, |(code, _)| code);
            let most = counted.occurring().next_back().map_or(counted.lowest, |(code, _)| code);
            let last = match !dimension.is_set && dimension.domain.mixes_missing(least, most) {
                true => counted.occurring().rev().nth(1).map_or(most, |(code, _)| code),
                false => most,
            };
            let distinct = if dimension.is_set { counted.occurring().count() } else { 1 };
            DimensionWidth { lo: least, hi: most, last, distinct }
        });
    }

    fn fill(&self, dimension: usize, _: u32, _: u32, into: &mut FrequencySet) {
        into.set(self.of(dimension).occurring());
    }

    fn prepare(&self, collector: &mut Collector<'_>) {
        collector.prepare_for_all(usize::MAX);
    }

    fn divide(&self, _: &Collector<'_>, dimension: usize, side: &mut SidesOf<'_>, sides: &mut [Statistics]) {
        let counted = self.of(dimension);
        for (code, _) in counted.occurring() {
            let mut to = [0];
            side(&[code], &mut to);
            counted.add_to(code, &mut sides[to[0] as usize]);
        }
    }

    fn arrange(&self, _: ValueOrder<'_>, _: &mut Arrangement) {}

    fn add_value(
        &self,
        _: &Collector<'_>,
        order: ValueOrder<'_>,
        _: &Arrangement,
        place: usize,
        into: &mut Statistics,
    ) {
        self.of(order.dimension).add_to(order.values[place], into);
    }
}
