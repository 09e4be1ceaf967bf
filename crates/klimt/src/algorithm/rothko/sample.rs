//! A simple random sample of rows on disk, and what is counted on the way (section 3, the growth phase).

use super::scan::scan;
use super::{External, Whole};
use crate::Result;
use crate::spill::{Block, Rows};
use crate::table::{Column, Role, Table};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use rayon::prelude::*;

/// So many rows, each subset of that size being as likely as any other: their numbers, ascending.
fn choose(rows: u64, sample: u64, seed: u64) -> Vec<u64> {
    if sample >= rows {
        return (0..rows).collect();
    }
    // The smaller of what is taken and what is left is drawn.
    let few = sample.min(rows - sample);
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut drawn: Vec<u64> = Vec::with_capacity(few as usize + 16);
    while (drawn.len() as u64) < few {
        drawn.extend((drawn.len() as u64..few).map(|_| below(&mut random, rows)));
        drawn.sort_unstable();
        drawn.dedup();
    }
    if few == sample {
        return drawn;
    }
    let mut left_out = drawn.into_iter().peekable();
    (0..rows).filter(|row| left_out.next_if_eq(row).is_none()).collect()
}

/// A number below `limit`, each as likely as any other.
pub(super) fn below(random: &mut ChaCha8Rng, limit: u64) -> u64 {
    // Draws beyond the last multiple of the limit are thrown away.
    let most = u64::MAX - u64::MAX % limit;
    loop {
        let drawn = random.next_u64();
        if drawn < most {
            return drawn % limit;
        }
    }
}

/// How many rows have each code, by column.
pub(super) type Counts = Vec<(usize, Vec<u64>)>;

/// Reads all rows once: takes a sample of them, and counts the values of the given columns.
pub(super) fn survey(
    job: &External<'_>,
    source: &dyn Rows,
    batch: usize,
    sample: Option<(u64, u64)>,
    counted: &[usize],
) -> Result<(Block, Counts)> {
    let chosen = sample.map_or(Vec::new(), |(rows, seed)| choose(source.rows(), rows, seed));
    let mut taken = Block::empty(job.frame);
    let cardinality =
        |&column: &usize| job.frame.columns()[column].coded().map_or(0, |(d, _)| d.cardinality());
    let mut counts: Vec<Vec<u64>> = counted.iter().map(|column| vec![0; cardinality(column)]).collect();
    let (mut first_row, mut next, mut numbers) = (0, 0, Vec::new());
    scan(
        source,
        job.frame,
        batch,
        job.observer,
        |_, _, ()| {},
        |reads| {
            for read in reads {
                let end = first_row + read.block.rows() as u64;
                let upto = next + chosen[next..].partition_point(|&row| row < end);
                numbers.clear();
                numbers.extend(chosen[next..upto].iter().map(|row| (row - first_row) as u32));
                taken.append_rows(&read.block, &numbers);
                (next, first_row) = (upto, end);
            }
            counts.par_iter_mut().zip(counted).for_each(|(counts, &column)| {
                for read in reads {
                    read.block.codes(column).for_each(|code| counts[code as usize] += 1);
                }
            });
            Ok(())
        },
    )?;
    Ok((taken, counted.iter().copied().zip(counts).collect()))
}

/// The sensitive columns of a table, by number.
pub(super) fn sensitive(frame: &Table) -> Vec<usize> {
    let is_sensitive = |column: &Column| column.role == Role::Sensitive;
    (0..frame.columns().len()).filter(|&number| is_sensitive(&frame.columns()[number])).collect()
}

impl<'a> Whole<'a> {
    pub(super) fn new(frame: &'a Table, rows: u64, counts: Counts) -> Self {
        Whole { frame, rows, counts }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_holds_every_row_equally_often() {
        for (rows, sample) in [(20u64, 3u64), (20, 17), (20, 20), (20, 40)] {
            let mut times = vec![0u32; rows as usize];
            for seed in 0..2000 {
                let chosen = choose(rows, sample, seed);
                assert_eq!(chosen.len() as u64, sample.min(rows));
                assert!(chosen.windows(2).all(|pair| pair[0] < pair[1]));
                chosen.iter().for_each(|&row| times[row as usize] += 1);
            }
            let expected = 2000.0 * sample.min(rows) as f64 / rows as f64;
            // Five standard deviations of a binomial count.
            let off = 5.0 * (expected * (1.0 - expected / 2000.0)).sqrt();
            assert!(times.iter().all(|&t| (f64::from(t) - expected).abs() <= off), "{times:?}");
        }
    }
}
