//! The Kullback-Leibler divergence (Iwuchukwu, Naughton, 2007, definition 5): Σ over the distinct tuples of the original
//! of p₁ ln(p₁ / p₂), in nats.
//!
//! p₁ is the share of the tuple among the original rows, p₂ its share if the rows of each group are spread evenly over
//! the cells of its region, a cell being one code in every dimension. Only published rows count: suppressed ones are left
//! out of both. Where it is not known which rows these are, all that lie in some region are taken for them.
//!
//! Not additive: where regions overlap, what a tuple gains from one group depends on the others. Nothing but 0 bounds it.

use super::locate::Locator;
use super::tuples::Tuples;
use super::{Cost, Groups, Loss, Original, Totals};
use crate::Result;
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
}

/// `None` where no row lies in any region.
fn divergence(table: &Table, groups: &dyn Groups) -> Result<Option<f64>> {
    let members: Option<Vec<&[u32]>> = (0..groups.count()).map(|group| groups.members(group)).collect();
    let rows =
        members.as_ref().map_or_else(|| (0..table.rows() as u32).collect(), |members| members.concat());
    let tuples = Tuples::of(table, rows)?;
    let densities: Vec<f64> =
        (0..groups.count()).into_par_iter().map(|group| density(table, groups, group)).collect();
    let expected = match members {
        Some(members) if groups.disjoint() => {
            let mut density_of = vec![None; table.rows()];
            for (rows, density) in members.into_iter().zip(densities) {
                rows.iter().for_each(|&row| density_of[row as usize] = Some(density));
            }
            tuples.rows().map(|rows| density_of[rows[0] as usize]).collect()
        }
        _ => {
            let covered = |group, dimension| groups.covered(group, dimension);
            let locator = Locator::new(groups.count(), table.dimensions(), covered);
            tuples.locate(table, &locator, |regions| sum_of_powers(regions, &densities))
        }
    };
    let published: u64 = (0..groups.count()).map(|group| groups.rows(group)).sum();
    Ok(sum(&tuples, &expected, published))
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
fn sum(tuples: &Tuples, expected: &[Option<f64>], published: u64) -> Option<f64> {
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
