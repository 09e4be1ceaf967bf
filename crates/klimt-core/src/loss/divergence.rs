//! The Kullback-Leibler divergence (Iwuchukwu, Naughton, 2007, definition 5): Σ over the distinct tuples of the original
//! of p₁ ln(p₁ / p₂), in nats.
//!
//! p₁ is the share of the tuple among the original rows, p₂ its share if the rows of each group are spread evenly over
//! the cells of its region, a cell being one code in every dimension. Only published rows count: suppressed ones are left
//! out of both. Where it is not known which rows these are, all that lie in some region are taken for them.
//!
//! Not additive: where regions overlap, what a tuple gains from one group depends on the others. Nothing but 0 bounds it.
//! Where none do, the sum over the tuples of a part depends on the part alone, and the divergence is that over all parts.

use super::groups::RUN;
use super::locate::Locator;
use super::tuples::LossTuples;
use super::{Cost, Groups, Loss, Original, Totals};
use crate::Result;
use crate::distinct::equal_runs;
use crate::packed::{PackedKernel, PackedRows, Tuple, pack};
use crate::table::Table;
use rayon::prelude::*;

/// Σ over distinct tuples of p₁ ln(p₁ / p₂); 0 is best.
#[derive(Clone, Copy, Debug)]
pub struct Divergence;

impl Loss for Divergence {
    fn id(&self) -> &'static str {
        "kl"
    }

    fn cost<'a>(&self, _: &Original<'a>) -> Option<Box<dyn Cost + 'a>> {
        None
    }

    fn whole(&self, original: &Original<'_>, groups: &dyn Groups, _: &Totals) -> Option<f64> {
        divergence(original.table, groups).ok().flatten()
    }

    fn part(&self, original: &Original<'_>, groups: &dyn Groups) -> Option<f64> {
        let members: Option<Vec<&[u32]>> = (0..groups.count()).map(|group| groups.members(group)).collect();
        let members = members.filter(|_| groups.disjoint())?;
        within_groups(original.table, &members, &densities(original.table, groups)).ok()
    }

    fn of_parts(&self, sum: f64, totals: &Totals) -> f64 {
        average(sum, totals.rows - totals.suppressed)
    }
}

fn densities(table: &Table, groups: &dyn Groups) -> Vec<f64> {
    (0..groups.count()).into_par_iter().map(|group| density(table, groups, group)).collect()
}

fn average(sum: f64, published: u64) -> f64 {
    // What rounding leaves of nothing is nothing.
    (sum / published.max(1) as f64).max(0.0)
}

/// `None` where no row lies in any region.
fn divergence(table: &Table, groups: &dyn Groups) -> Result<Option<f64>> {
    let densities = densities(table, groups);
    let published: u64 = (0..groups.count()).map(|group| groups.rows(group)).sum();
    let members: Option<Vec<&[u32]>> = (0..groups.count()).map(|group| groups.members(group)).collect();
    match members {
        Some(members) if groups.disjoint() => {
            within_groups(table, &members, &densities).map(|sum| Some(average(sum, published)))
        }
        members => {
            let every = || (0..table.rows() as u32).collect();
            let tuples = LossTuples::of(table, members.map_or_else(every, |members| members.concat()))?;
            let covered = |group, dimension| groups.covered(group, dimension);
            let make = |regions: &[u32]| sum_of_powers(regions, &densities);
            let expected =
                tuples.locate_by_prefix(table, groups.count(), covered, make).unwrap_or_else(|| {
                    let locator = Locator::new(groups.count(), table.dimensions(), covered);
                    tuples.locate(table, &locator, make)
                });
            Ok(sum(&tuples, &expected, published))
        }
    }
}

/// The average over the published rows that the divergence is, where all rows of a tuple are in the one group
/// whose region holds it.
fn within_groups(table: &Table, members: &[&[u32]], densities: &[f64]) -> Result<f64> {
    struct Sum<'a>(&'a [&'a [u32]], &'a [f64]);
    impl PackedKernel for Sum<'_> {
        type Output = f64;

        fn run<T: Tuple>(self, mut packed: PackedRows<T>) -> Result<f64> {
            let Sum(members, densities) = self;
            let mut rest = &mut packed.rows[..];
            let mut runs = Vec::new();
            for (members, densities) in members.chunks(RUN).zip(densities.chunks(RUN)) {
                let (rows, others) = rest.split_at_mut(members.iter().map(|rows| rows.len()).sum());
                runs.push((rows, members, densities));
                rest = others;
            }
            let sums: Vec<f64> =
                runs.into_par_iter().map(|(rows, members, d)| of_run(rows, members, d)).collect();
            Ok(sums.into_iter().sum())
        }
    }
    pack(table, members.concat(), Sum(members, densities))
}

/// Σ copies·(ln copies − density) over the tuples of some groups, whose rows lie one after the other.
fn of_run<T: Tuple>(mut rows: &mut [T], members: &[&[u32]], densities: &[f64]) -> f64 {
    let mut sum = 0.0;
    for (members, density) in members.iter().zip(densities) {
        let (group, rest) = rows.split_at_mut(members.len());
        group.sort_unstable_by(|a, b| a.words().cmp(b.words()));
        for copies in equal_runs(group) {
            let copies = copies.len() as f64;
            sum += copies * (copies.ln() - density);
        }
        rows = rest;
    }
    sum
}

/// The logarithm of the rows in each cell of a group's region.
fn density(table: &Table, groups: &dyn Groups, group: usize) -> f64 {
    let codes = |dimension| (groups.covered(group, dimension).len() as f64).ln();
    (groups.rows(group) as f64).ln() - (0..table.dimensions()).map(codes).sum::<f64>()
}

/// The logarithm of the sum of the densities of some regions, which are given as logarithms and may be too small for
/// anything else.
fn sum_of_powers(regions: &[u32], densities: &[f64]) -> Option<f64> {
    let each = || regions.iter().map(|&region| densities[region as usize]);
    let greatest = each().reduce(f64::max)?;
    Some(greatest + each().map(|density| (density - greatest).exp()).sum::<f64>().ln())
}

/// The divergence, from the logarithm of how many rows are expected of each tuple that lies in a region: p₁ is a share
/// of the rows of these tuples, p₂ of the published rows.
fn sum(tuples: &LossTuples, expected: &[Option<f64>], published: u64) -> Option<f64> {
    let (mut sum, mut total) = (0.0, 0);
    for (rows, expected) in tuples.rows().zip(expected) {
        if let Some(expected) = expected {
            let copies = rows.len() as f64;
            sum += copies * (copies.ln() - expected);
            total += rows.len();
        }
    }
    let divergence = sum / total as f64 + (published as f64).ln() - (total as f64).ln();
    // What rounding leaves of nothing is nothing.
    (total > 0).then_some(divergence.max(0.0))
}
