//! How wide a part is in each dimension: `choose_dimension` (Fig. 7).

use crate::packed::Tuple;
use crate::table::{Domain, Shape};

/// A quasi-identifier as the kernel sees it.
pub(crate) struct Dimension<'a> {
    pub domain: &'a Domain,
    pub weight: f64,
    pub is_set: bool,
    /// The code of the missing value, which has no place among the others; of a set it is a value like any other.
    pub missing: Option<u32>,
}

impl<'a> Dimension<'a> {
    pub fn new(domain: &'a Domain, weight: f64) -> Self {
        let is_set = matches!(domain.shape(), Shape::Set);
        Dimension { domain, weight, is_set, missing: domain.missing_code().filter(|_| !is_set) }
    }
}

/// The width of a part in each dimension, and the order in which cuts are tried.
#[derive(Clone, Debug, Default)]
pub(crate) struct PartWidths {
    pub lo: Vec<u32>,
    pub hi: Vec<u32>,
    /// The dimensions with more than one value, widest first; ties by their number.
    pub order: Vec<usize>,
    /// The dimensions, but for sets, that hold missing values and others.
    pub mixed: Vec<usize>,
    widths: Vec<f64>,
    /// Which codes of the set dimensions occur, a run of words for each.
    members: Vec<u64>,
    /// The set dimensions in which a code may still be unseen.
    open: Vec<OpenSet>,
    /// How many codes of each dimension occur; only sets are counted.
    pub distinct: Vec<u32>,
}

/// The extent and the width of a part in one dimension.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DimensionWidth {
    /// The least and the greatest code.
    pub lo: u32,
    pub hi: u32,
    /// The greatest code of a value, which is less where missing values are among others; of a set, the greatest code.
    pub last: u32,
    /// The number of different codes, for sets only.
    pub distinct: usize,
}

#[derive(Clone, Copy, Debug)]
struct OpenSet {
    dimension: usize,
    /// Where its words start in `members`.
    first: usize,
    words: usize,
    /// How many codes can occur at most.
    limit: usize,
}

/// Rows after which it is looked up whether a set can still grow.
const BLOCK: usize = 256;

impl PartWidths {
    /// Measures a part. No more codes of a dimension occur than `limits` says: what is known from the whole of which it
    /// is a part.
    pub fn fill<T: Tuple>(&mut self, rows: &[T], dimensions: &[Dimension<'_>], limits: &[u32]) {
        let (mut lo, mut hi) = (rows[0], rows[0]);
        T::include(rows, &mut lo, &mut hi);
        self.count_members(rows, dimensions, limits, &lo, &hi);
        let members = std::mem::take(&mut self.members);
        let mut first = 0;
        self.set(dimensions, |number, dimension| {
            let (lo, hi) = (lo.code(number), hi.code(number));
            let mut distinct = 1;
            let mut last = hi;
            if !dimension.is_set && dimension.domain.mixes_missing(lo, hi) {
                let codes = rows.iter().map(|row| row.code(number));
                last = codes.filter(|&code| code != hi).max().unwrap_or(lo);
            }
            if dimension.is_set && lo != hi {
                let words = dimension.domain.cardinality().div_ceil(64);
                distinct = ones(&members[first..first + words]);
                first += words;
            }
            DimensionWidth { lo, hi, last, distinct }
        });
        self.members = members;
    }

    /// Takes the whole domain and the limits for the measures of a part that is not looked at.
    pub fn assume(&mut self, dimensions: &[Dimension<'_>], limits: &[u32]) {
        self.lo.clear();
        self.lo.resize(dimensions.len(), 0);
        self.hi.clear();
        self.hi.extend(dimensions.iter().map(|dimension| dimension.domain.cardinality() as u32 - 1));
        self.distinct.clear();
        self.distinct.extend_from_slice(limits);
        self.order.clear();
        self.mixed.clear();
    }

    /// How wide the part that was measured is in each dimension, by the values that are there.
    pub fn each(&self) -> &[f64] {
        &self.widths
    }

    /// How many dimensions, from a place of the order on, are equally wide.
    pub fn equally_wide(&self, first: usize) -> usize {
        let width = |&number: &usize| self.widths[number];
        self.order[first..].iter().take_while(|number| width(number) == width(&self.order[first])).count()
    }

    /// Sets the measures of a part.
    pub fn set(
        &mut self,
        dimensions: &[Dimension<'_>],
        mut measure: impl FnMut(usize, &Dimension<'_>) -> DimensionWidth,
    ) {
        self.lo.clear();
        self.hi.clear();
        self.mixed.clear();
        self.widths.clear();
        self.order.clear();
        self.distinct.clear();
        for (number, dimension) in dimensions.iter().enumerate() {
            let DimensionWidth { lo, hi, last, distinct } = measure(number, dimension);
            if last < hi {
                self.mixed.push(number);
            }
            self.lo.push(lo);
            self.hi.push(hi);
            self.distinct.push(if dimension.is_set { distinct as u32 } else { u32::MAX });
            let width = if lo == last { 0.0 } else { dimension.domain.extent_penalty(lo, last, distinct) };
            self.widths.push(width * dimension.weight);
            if lo != hi {
                self.order.push(number);
            }
        }
        let widths = &self.widths;
        self.order.sort_by(|&a, &b| widths[b].total_cmp(&widths[a]).then(a.cmp(&b)));
    }

    /// Marks the codes of the set dimensions that vary, and leaves a dimension as soon as all its codes are seen.
    fn count_members<T: Tuple>(
        &mut self,
        rows: &[T],
        dimensions: &[Dimension<'_>],
        limits: &[u32],
        lo: &T,
        hi: &T,
    ) {
        self.members.clear();
        self.open.clear();
        for (number, dimension) in dimensions.iter().enumerate() {
            let (lo, hi) = (lo.code(number), hi.code(number));
            if dimension.is_set && lo != hi {
                let words = dimension.domain.cardinality().div_ceil(64);
                let limit = limits[number] as usize;
                self.open.push(OpenSet { dimension: number, first: self.members.len(), words, limit });
                self.members.resize(self.members.len() + words, 0);
            }
        }
        for block in rows.chunks(BLOCK) {
            if self.open.is_empty() {
                return;
            }
            for set in &self.open {
                mark(block, set.dimension, &mut self.members[set.first..set.first + set.words]);
            }
            let members = &self.members;
            self.open.retain(|set| ones(&members[set.first..set.first + set.words]) < set.limit);
        }
    }
}

fn mark<T: Tuple>(rows: &[T], dimension: usize, members: &mut [u64]) {
    if let [word] = members {
        // Two accumulators: half the wait for each other.
        let (mut even, mut odd) = (*word, 0u64);
        let mut pairs = rows.chunks_exact(2);
        for pair in &mut pairs {
            even |= 1 << (pair[0].code(dimension) % 64);
            odd |= 1 << (pair[1].code(dimension) % 64);
        }
        for row in pairs.remainder() {
            even |= 1 << (row.code(dimension) % 64);
        }
        *word = even | odd;
    } else {
        for row in rows {
            let code = row.code(dimension);
            members[code as usize / 64] |= 1 << (code % 64);
        }
    }
}

fn ones(words: &[u64]) -> usize {
    words.iter().map(|word| word.count_ones() as usize).sum()
}
