//! The distinct tuples of rows: which rows are equal in the columns that are looked at.

use crate::Result;
use crate::packed::{PackedKernel, PackedRows, Tuple, pack_columns};
use crate::table::{Table, Word};
use hashbrown::HashMap;
use hashbrown::hash_table::{Entry, HashTable};
use rayon::prelude::*;

/// How many rows are looked at between two looks at the clock.
const PATIENCE: u32 = 65_536;

/// Rows by their tuples. Tuples stand in the order of their codes, and the rows of a tuple in their own.
#[derive(Debug)]
pub(crate) struct DistinctTuples {
    rows: Vec<u32>,
    /// Where the rows of each tuple start, and where the last ones end.
    starts: Vec<u32>,
}

impl DistinctTuples {
    /// The tuples of some rows in some columns, which must be coded; found by sorting.
    pub fn of(table: &Table, columns: &[usize], rows: Vec<u32>) -> Result<Self> {
        struct Sort;
        impl PackedKernel for Sort {
            type Output = DistinctTuples;

            fn run<T: Tuple>(self, packed: PackedRows<T>) -> Result<DistinctTuples> {
                let mut rows: Vec<(T, u32)> = packed.rows.into_iter().zip(packed.ids).collect();
                rows.par_sort_unstable_by(|(a, i), (b, j)| a.words().cmp(b.words()).then(i.cmp(j)));
                let mut starts = vec![0];
                for tuple in rows.chunk_by(|(a, _), (b, _)| a.words() == b.words()) {
                    starts.push(starts[starts.len() - 1] + tuple.len() as u32);
                }
                Ok(DistinctTuples { rows: rows.into_iter().map(|(_, row)| row).collect(), starts })
            }
        }
        pack_columns(table, columns, rows, Sort)
    }

    /// The tuples of packed rows by the place of each; found by hashing, which is faster where many rows are equal.
    /// Nothing where that is stopped.
    pub fn hashed<T: Tuple>(tuples: &[T], stops: &dyn Fn() -> bool) -> Option<Self> {
        let hash = |tuple: &T| {
            let words = tuple.words().iter();
            words.fold(0u64, |hash, word| mix(hash ^ u64::from(word.code())))
        };
        let mut numbers: HashTable<u32> = HashTable::new();
        let mut firsts: Vec<u32> = Vec::new();
        let mut counts: Vec<u32> = Vec::new();
        let mut number_of = Vec::with_capacity(tuples.len());
        for (row, tuple) in (0..).zip(tuples) {
            if row % PATIENCE == PATIENCE - 1 && stops() {
                return None;
            }
            let is_same = |&number: &u32| tuples[firsts[number as usize] as usize].words() == tuple.words();
            let of = |&number: &u32| hash(&tuples[firsts[number as usize] as usize]);
            let number = match numbers.entry(hash(tuple), is_same, of) {
                Entry::Occupied(found) => *found.get(),
                Entry::Vacant(vacant) => {
                    let number = counts.len() as u32;
                    vacant.insert(number);
                    counts.push(0);
                    number
                }
            };
            if number as usize == firsts.len() {
                firsts.push(row);
            }
            counts[number as usize] += 1;
            number_of.push(number);
        }
        // By what they hold, so that nothing depends on the order of the rows.
        let mut sorted: Vec<u32> = (0..firsts.len() as u32).collect();
        let words = |number: u32| tuples[firsts[number as usize] as usize].words();
        sorted.par_sort_unstable_by(|&a, &b| words(a).cmp(words(b)));
        let mut places = vec![0; sorted.len()];
        (0..).zip(&sorted).for_each(|(place, &number)| places[number as usize] = place);
        number_of.iter_mut().for_each(|number| *number = places[*number as usize]);
        let mut starts = vec![0; counts.len() + 1];
        (0..).zip(&sorted).for_each(|(at, &number): (usize, _)| {
            starts[at + 1] = starts[at] + counts[number as usize];
        });
        let mut next = starts.clone();
        let mut rows = vec![0; number_of.len()];
        for (row, &number) in (0..).zip(&number_of) {
            rows[next[number as usize] as usize] = row;
            next[number as usize] += 1;
        }
        Some(DistinctTuples { rows, starts })
    }

    /// The number of tuples.
    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// The rows of a tuple.
    pub fn rows(&self, tuple: usize) -> &[u32] {
        &self.rows[self.starts[tuple] as usize..self.starts[tuple + 1] as usize]
    }

    /// How many rows a tuple has.
    #[inline(always)]
    pub fn count(&self, tuple: usize) -> u32 {
        self.starts[tuple + 1] - self.starts[tuple]
    }

    /// The rows of each tuple.
    pub fn iter(&self) -> impl Iterator<Item = &[u32]> {
        (0..self.len()).map(|tuple| self.rows(tuple))
    }
}

/// Runs of equal tuples, which have been sorted.
pub(crate) fn equal_runs<T: Tuple>(sorted: &[T]) -> impl Iterator<Item = &[T]> {
    sorted.chunk_by(|a, b| a.words() == b.words())
}

/// The sizes of the groups of rows that are equal in the given columns, which must be coded.
pub fn identical_tuples(table: &Table, columns: &[usize]) -> Result<Vec<u32>> {
    struct Count;
    impl PackedKernel for Count {
        type Output = Vec<u32>;

        fn run<T: Tuple>(self, mut packed: PackedRows<T>) -> Result<Vec<u32>> {
            packed.rows.par_sort_unstable_by(|a, b| a.words().cmp(b.words()));
            Ok(equal_runs(&packed.rows).map(|group| group.len() as u32).collect())
        }
    }
    pack_columns(table, columns, (0..table.rows() as u32).collect(), Count)
}

/// A bijection of 64 bits that looks random.
pub(crate) fn mix(seed: u64) -> u64 {
    let x = (seed ^ seed >> 32).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    x ^ x >> 29
}

/// The numbers of things by the group of each, and where each group ends.
pub(crate) fn gather(groups: &[u32], many: usize) -> (Vec<u32>, Vec<usize>) {
    let mut next = vec![0usize; many + 1];
    groups.iter().for_each(|&group| next[group as usize + 1] += 1);
    for group in 0..many {
        next[group + 1] += next[group];
    }
    let ends = next[1..].to_vec();
    let mut order = vec![0; groups.len()];
    for (at, &group) in (0..).zip(groups) {
        order[next[group as usize]] = at;
        next[group as usize] += 1;
    }
    (order, ends)
}

/// The most numbers that a plain table of pairs may have.
const TABLED: usize = 1 << 22;

/// Numbers pairs of the number of a tuple and a code, which stand in the upper and the lower half of a key, in the order of
/// first appearance: distinct tuples of one more column. Returns how many there are.
pub(crate) fn number_pairs(keys: &[u64], of_row: &mut [u32], tuples: usize, atoms: usize) -> usize {
    let mut many = 0;
    if tuples * atoms <= TABLED {
        let mut table = vec![u32::MAX; tuples * atoms];
        for (&key, number) in keys.iter().zip(of_row) {
            let place = &mut table[(key >> 32) as usize * atoms + key as u32 as usize];
            if *place == u32::MAX {
                *place = many;
                many += 1;
            }
            *number = *place;
        }
    } else {
        let mut seen: HashMap<u64, u32> = HashMap::with_capacity(tuples * 2);
        for (&key, number) in keys.iter().zip(of_row) {
            *number = *seen.entry(key).or_insert_with(|| {
                many += 1;
                many - 1
            });
        }
    }
    many as usize
}
