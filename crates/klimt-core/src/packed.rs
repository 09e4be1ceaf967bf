//! Rows as packed tuples of codes: the layout that partitioning moves around.
//!
//! All dimensions of a row lie side by side in words of one width, in an array of a fixed length, so that a row
//! moves in a few instructions. Spare words at the end are zero and never cut.

use crate::region::Regions;
use crate::table::{Codes, Domain, Shape, Table, Word};
use crate::{Error, Result};
use rayon::prelude::*;

/// How many rows are compared side by side.
const LANES: usize = 16;

/// A row's codes, one word per dimension.
pub trait Tuple: Copy + Send + Sync + 'static {
    /// The words of the tuple.
    type Word: Word;
    /// All zeros.
    const ZERO: Self;
    /// The code of a dimension.
    fn code(&self, dimension: usize) -> u32;
    /// The words, spare ones included.
    fn words(&self) -> &[Self::Word];
    /// The words, to be written.
    fn words_mut(&mut self) -> &mut [Self::Word];
    /// Lowers `lo` and raises `hi` to include the tuples, word by word.
    fn include(rows: &[Self], lo: &mut Self, hi: &mut Self);
}

impl<W: Word, const D: usize> Tuple for [W; D]
where
    [W; D]: Zero,
{
    type Word = W;
    const ZERO: Self = <Self as Zero>::ZERO;

    #[inline(always)]
    fn code(&self, dimension: usize) -> u32 {
        self[dimension].code()
    }

    #[inline(always)]
    fn words(&self) -> &[W] {
        self
    }

    #[inline(always)]
    fn words_mut(&mut self) -> &mut [W] {
        self
    }

    #[inline(always)]
    fn include(rows: &[Self], lo: &mut Self, hi: &mut Self) {
        // Side by side in lanes, which the compiler turns into vector instructions.
        let (blocks, rest) = rows.as_chunks::<LANES>();
        let (mut least, mut most) = (*lo, *hi);
        if !blocks.is_empty() {
            let (mut lows, mut highs) = ([least; LANES], [most; LANES]);
            for block in blocks {
                let lanes = lows.as_flattened_mut().iter_mut().zip(highs.as_flattened_mut());
                for ((low, high), &word) in lanes.zip(block.as_flattened()) {
                    *low = (*low).min(word);
                    *high = (*high).max(word);
                }
            }
            for (low, high) in lows.iter().zip(&highs) {
                for d in 0..D {
                    least[d] = least[d].min(low[d]);
                    most[d] = most[d].max(high[d]);
                }
            }
        }
        for row in rest {
            for d in 0..D {
                least[d] = least[d].min(row[d]);
                most[d] = most[d].max(row[d]);
            }
        }
        (*lo, *hi) = (least, most);
    }
}

/// An array of zeros; `Default` is not there for long arrays.
pub trait Zero {
    /// All zeros.
    const ZERO: Self;
}

macro_rules! zero {
    ($($t:ty),*) => {$(
        impl<const D: usize> Zero for [$t; D] {
            const ZERO: Self = [0; D];
        }
    )*};
}
zero!(u8, u16, u32);

/// Rows in some order, with the row numbers that they came from.
#[derive(Clone, Debug)]
pub struct PackedRows<T> {
    /// The tuples.
    pub rows: Vec<T>,
    /// The row number of each tuple.
    pub ids: Vec<u32>,
}

/// Something to be done with packed rows, whatever their width.
pub trait PackedKernel {
    /// The type of the result.
    type Output;
    /// Does it.
    fn run<T: Tuple>(self, packed: PackedRows<T>) -> Result<Self::Output>;
}

/// Packs the quasi-identifiers of the given rows as narrowly as their domains allow and hands them to a kernel.
pub fn pack<K: PackedKernel>(table: &Table, ids: Vec<u32>, kernel: K) -> Result<K::Output> {
    pack_columns(table, table.quasi_identifiers(), ids, kernel)
}

/// Packs any coded columns of the given rows.
pub fn pack_columns<K: PackedKernel>(
    table: &Table,
    columns: &[usize],
    ids: Vec<u32>,
    kernel: K,
) -> Result<K::Output> {
    let coded: Option<Vec<_>> = columns.iter().map(|&column| table.columns()[column].coded()).collect();
    let coded = coded.ok_or_else(|| Error::internal("a column that is not coded cannot be packed"))?;
    let widest = coded.iter().map(|(domain, _)| Codes::width(domain.cardinality())).max();
    let codes: Vec<&Codes> = coded.iter().map(|(_, codes)| *codes).collect();
    match widest.unwrap_or(1) {
        1 => pack_words::<u8, K>(&codes, ids, kernel),
        2 => pack_words::<u16, K>(&codes, ids, kernel),
        _ => pack_words::<u32, K>(&codes, ids, kernel),
    }
}

/// The most quasi-identifiers that a table can have.
pub const MAX_DIMENSIONS: usize = 64;

/// The bytes of a tuple of this many columns whose widest codes take `word` bytes.
pub(crate) fn tuple_bytes(word: usize, columns: usize) -> usize {
    word * match columns {
        0..=4 => 4,
        5..=8 => 8,
        9 => 9,
        10..=16 => 16,
        _ => MAX_DIMENSIONS,
    }
}

fn pack_words<W: Word, K: PackedKernel>(codes: &[&Codes], ids: Vec<u32>, kernel: K) -> Result<K::Output>
where
    [W; 4]: Zero,
    [W; 8]: Zero,
    [W; 9]: Zero,
    [W; 16]: Zero,
    [W; MAX_DIMENSIONS]: Zero,
{
    match codes.len() {
        0..=4 => pack_tuples::<[W; 4], K>(codes, ids, kernel),
        5..=8 => pack_tuples::<[W; 8], K>(codes, ids, kernel),
        9 => pack_tuples::<[W; 9], K>(codes, ids, kernel),
        10..=16 => pack_tuples::<[W; 16], K>(codes, ids, kernel),
        17..=MAX_DIMENSIONS => pack_tuples::<[W; MAX_DIMENSIONS], K>(codes, ids, kernel),
        n => Err(Error::input(format!("{n} quasi-identifiers are too many: at most {MAX_DIMENSIONS} work"))),
    }
}

fn pack_tuples<T: Tuple, K: PackedKernel>(codes: &[&Codes], ids: Vec<u32>, kernel: K) -> Result<K::Output> {
    const BLOCK: usize = 1 << 14;
    let mut rows = vec![T::ZERO; ids.len()];
    rows.par_chunks_mut(BLOCK).zip(ids.par_chunks(BLOCK)).for_each(|(rows, ids)| {
        for (dimension, codes) in codes.iter().enumerate() {
            fill(codes, dimension, rows, ids);
        }
    });
    kernel.run(PackedRows { rows, ids })
}

fn fill<T: Tuple>(codes: &Codes, dimension: usize, rows: &mut [T], ids: &[u32]) {
    fn each<T: Tuple, W: Word>(codes: &[W], dimension: usize, rows: &mut [T], ids: &[u32]) {
        for (row, &id) in rows.iter_mut().zip(ids) {
            row.words_mut()[dimension] = Word::from_code(codes[id as usize].code());
        }
    }
    match codes {
        Codes::U8(codes) => each(codes, dimension, rows, ids),
        Codes::U16(codes) => each(codes, dimension, rows, ids),
        Codes::U32(codes) => each(codes, dimension, rows, ids),
    }
}

/// The smallest region over each group of packed rows that lie group by group.
pub(crate) fn compact_regions<T: Tuple>(rows: &[T], ends: &[u32], table: &Table) -> Regions {
    const GROUPS: usize = 4096;
    let domains = table.domains();
    let parts: Vec<Regions> = (0..ends.len().div_ceil(GROUPS))
        .into_par_iter()
        .map(|part| {
            let first = part * GROUPS;
            let last = ends.len().min(first + GROUPS);
            let mut regions = Regions::new(domains.len());
            let mut members = Vec::new();
            for group in first..last {
                let start = if group == 0 { 0 } else { ends[group - 1] as usize };
                push_region(&rows[start..ends[group] as usize], &domains, &mut members, &mut regions);
            }
            regions
        })
        .collect();
    let mut all = Regions::new(domains.len());
    for part in parts {
        all.append(part, &domains);
    }
    all
}

fn push_region<T: Tuple>(rows: &[T], domains: &[&Domain], members: &mut Vec<u64>, regions: &mut Regions) {
    let (mut lo, mut hi) = (rows[0], rows[0]);
    T::include(rows, &mut lo, &mut hi);
    for (dimension, domain) in domains.iter().enumerate() {
        let (lo, hi) = (lo.code(dimension), hi.code(dimension));
        match domain.shape() {
            Shape::Set if lo == hi => regions.push_set(std::iter::once(lo)),
            Shape::Set => {
                members.clear();
                members.resize(domain.cardinality().div_ceil(64), 0);
                for row in rows {
                    let code = row.code(dimension);
                    members[code as usize / 64] |= 1 << (code % 64);
                }
                regions.push_set(bits(members));
            }
            _ => regions.push_interval(lo, hi),
        }
    }
}

/// The numbers of the bits that are set, ascending.
fn bits(words: &[u64]) -> impl Iterator<Item = u32> {
    words.iter().zip(0u32..).flat_map(|(&word, at)| {
        let mut rest = word;
        std::iter::from_fn(move || {
            (rest != 0).then(|| {
                let bit = rest.trailing_zeros();
                rest &= rest - 1;
                at * 64 + bit
            })
        })
    })
}
