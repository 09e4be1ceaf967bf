//! A sample of rows on disk, and counts made in the same pass (section 3, the growth phase).

use super::local::LocalPasses;
use super::scan::scan;
use crate::Result;
use crate::parts::CodeCounts;
use crate::spill::{Block, Rows};
use crate::table::{Column, Role, Table};
use rayon::prelude::*;

/// Which rows are sampled.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SampleRequest {
    /// How many rows are wanted.
    pub rows: u64,
    /// Seed of the choice of rows.
    pub seed: u64,
}

/// Rows of a sample: those whose hashes are the least, as many as requested or a few less. Which rows they are depends
/// on what is looked at of them and on the seed, not on where they stand; rows that are alike in all of that are in it
/// together. So a sample is as good as one at random where rows differ.
struct Sample {
    taken: Block,
    hashes: Vec<u64>,
    /// The rows with hashes up to this are taken.
    most: u64,
    wanted: u64,
}

impl Sample {
    fn new(frame: &Table, rows: u64, wanted: u64) -> Self {
        let most = if wanted >= rows { u64::MAX } else { (u64::MAX / rows).saturating_mul(wanted) };
        Sample { taken: Block::empty(frame), hashes: Vec::new(), most, wanted }
    }

    fn add(&mut self, block: &Block, hashes: &[u64]) {
        let numbers: Vec<u32> =
            (0..).zip(hashes).filter(|(_, hash)| **hash <= self.most).map(|(row, _)| row).collect();
        self.taken.append_rows(block, &numbers);
        self.hashes.extend(numbers.iter().map(|&row| hashes[row as usize]));
    }

    /// Gives up some rows where there are too many.
    fn shrink(&mut self, frame: &Table) {
        while self.hashes.len() as u64 > self.wanted {
            self.most -= self.most / 16 + 1;
            let (block, hashes) =
                (std::mem::replace(&mut self.taken, Block::empty(frame)), std::mem::take(&mut self.hashes));
            self.add(&block, &hashes);
        }
    }
}

/// The hash of what is looked at of every row of a block.
fn hashes(block: &Block, columns: &[usize], seed: u64, into: &mut Vec<u64>) {
    into.clear();
    into.resize(block.rows(), seed ^ 0x9E37_79B9_7F4A_7C15);
    for &column in columns {
        let mut hashes = into.iter_mut();
        block.codes(column).for_each(|code| {
            if let Some(hash) = hashes.next() {
                *hash = (*hash ^ u64::from(code)).wrapping_mul(0xD6E8_FEB8_6659_FD93).rotate_left(29);
            }
        });
    }
    into.iter_mut().for_each(|hash| *hash = (*hash ^ *hash >> 32).wrapping_mul(0xD6E8_FEB8_6659_FD93));
}

/// Reads all rows once: takes a sample of them, and counts the values of the given columns.
pub(super) fn survey(
    source: &dyn Rows,
    passes: &LocalPasses<'_>,
    sample: Option<SampleRequest>,
    counted: &[usize],
) -> Result<(Block, CodeCounts)> {
    let SampleRequest { rows: wanted, seed } = sample.unwrap_or(SampleRequest { rows: 0, seed: 0 });
    let mut sampled = Sample::new(passes.frame, source.rows(), wanted);
    let is_looked_at = |&column: &usize| {
        matches!(passes.frame.columns()[column].role, Role::QuasiIdentifier | Role::Sensitive | Role::Target)
    };
    let columns: Vec<usize> = (0..passes.frame.columns().len()).filter(is_looked_at).collect();
    let cardinality =
        |&column: &usize| passes.frame.columns()[column].coded().map_or(0, |(d, _)| d.cardinality());
    let mut counts: Vec<Vec<u64>> = counted.iter().map(|column| vec![0; cardinality(column)]).collect();
    scan(
        source,
        passes.frame,
        passes.memory.batch(),
        passes.observer,
        |_, block, into: &mut Vec<u64>| {
            if wanted > 0 {
                hashes(block, &columns, seed, into);
            }
        },
        |reads| {
            for read in reads.iter().filter(|_| wanted > 0) {
                sampled.add(&read.block, &read.made);
                sampled.shrink(passes.frame);
            }
            counts.par_iter_mut().zip(counted).for_each(|(counts, &column)| {
                for read in reads {
                    read.block.codes(column).for_each(|code| counts[code as usize] += 1);
                }
            });
            Ok(())
        },
    )?;
    Ok((sampled.taken, counted.iter().copied().zip(counts).collect()))
}

/// The columns of a table whose values are counted over all rows, by number: the sensitive ones, and the one that says whom
/// rows are about.
pub(crate) fn counted(frame: &Table) -> Vec<usize> {
    let is_counted = |column: &Column| match column.role {
        Role::Person => !column.is_of_pairs(),
        role => role == Role::Sensitive,
    };
    (0..frame.columns().len()).filter(|&number| is_counted(&frame.columns()[number])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::{Codes, ColumnData, ColumnSpec, Distinct, Encoding};

    fn frame(values: i64) -> Table {
        let spec = ColumnSpec::new("q", Role::QuasiIdentifier);
        let domain = Encoding::of(&spec, Distinct::Integers((0..values).collect()), false).unwrap().domain;
        let codes = Codes::zeroed(domain.cardinality(), 0);
        let data = ColumnData::Coded { domain: domain.into(), codes };
        Table::new(0, vec![Column { name: "q".into(), role: Role::QuasiIdentifier, data }]).unwrap()
    }

    /// The codes that a sample of this many of the codes below a number has, when they come in this order.
    fn sampled(frame: &Table, codes: &[u32], wanted: u64, seed: u64) -> Vec<u32> {
        let mut sample = Sample::new(frame, codes.len() as u64, wanted);
        for some in codes.chunks(7) {
            let mut block = Block::empty(frame);
            let fill = |_: usize, column: &mut crate::spill::BlockColumn| {
                *column = crate::spill::BlockColumn::Codes(Codes::collect(1000, some.iter().copied()));
                Ok(())
            };
            block.fill(some.len(), fill).unwrap();
            let mut made = Vec::new();
            hashes(&block, &[0], seed, &mut made);
            sample.add(&block, &made);
            sample.shrink(frame);
        }
        let mut found: Vec<u32> =
            (0..sample.taken.rows()).map(|row| sample.taken.codes(0).get(row)).collect();
        found.sort_unstable();
        found
    }

    #[test]
    fn a_sample_does_not_depend_on_the_order_of_rows() {
        let frame = frame(1000);
        let ascending: Vec<u32> = (0..1000).collect();
        let other: Vec<u32> = (0..1000).map(|row| row * 387 % 1000).rev().collect();
        for wanted in [1, 10, 99, 500, 999, 1000, 5000] {
            let sample = sampled(&frame, &ascending, wanted, 7);
            assert_eq!(sample, sampled(&frame, &other, wanted, 7));
            let many = sample.len() as u64;
            assert!(
                many <= wanted && (many * 4 >= wanted.min(1000) * 3 || wanted < 50),
                "{many} of {wanted}"
            );
        }
        assert_ne!(sampled(&frame, &ascending, 100, 7), sampled(&frame, &ascending, 100, 8));
    }

    #[test]
    fn a_sample_holds_every_row_equally_often() {
        let frame = frame(1000);
        let rows: Vec<u32> = (0..200).collect();
        let (mut times, mut all) = (vec![0u32; 200], 0);
        for seed in 0..1000 {
            let sample = sampled(&frame, &rows, 50, seed);
            all += sample.len();
            sample.iter().for_each(|&row| times[row as usize] += 1);
        }
        let expected = all as f64 / 200.0;
        // Six standard deviations of a binomial count.
        let off = 6.0 * (expected * (1.0 - expected / 1000.0)).sqrt();
        assert!(times.iter().all(|&t| (f64::from(t) - expected).abs() <= off), "{times:?}");
    }
}
