//! The cost of the groups of a release.

use super::{Cost, Loss, Original, Totals};
use crate::Result;
use crate::partition::Groups;
use crate::statistics::{Collector, Needs, Statistics};
use crate::table::Table;
use rayon::prelude::*;

/// Groups are summed up in runs of this many, in order, so that sums do not depend on threads.
pub(super) const RUN: usize = 1024;

/// Every loss that applies to the original and can be seen from the groups, by name.
pub fn measure<'l>(
    losses: impl Iterator<Item = &'l dyn Loss>,
    original: &Original<'_>,
    groups: &dyn Groups,
    totals: &Totals,
) -> Result<Vec<(&'static str, f64)>> {
    let (mut measured, mut costs) = (Vec::new(), Vec::new());
    for loss in losses {
        match loss.cost(original) {
            Some(cost) if groups.knows(&cost.needs()) => {
                costs.push(cost);
                measured.push((loss.id(), None));
            }
            Some(_) => {}
            None => {
                measured.extend(loss.whole(original, groups, totals).map(|value| (loss.id(), Some(value))))
            }
        }
    }
    let sums = sums(&borrowed(&costs), original.table, groups)?;
    let mut finished = costs.iter().zip(sums).map(|(cost, sum)| cost.finish(sum, totals));
    Ok(measured
        .into_iter()
        .filter_map(|(id, value)| Some((id, value.or_else(|| finished.next())?)))
        .collect())
}

/// The sum of a cost over all groups, as they are published.
pub(crate) fn cost_of(cost: &dyn Cost, table: &Table, groups: &dyn Groups) -> Result<f64> {
    Ok(sums(&[cost], table, groups)?[0])
}

/// The costs that boxes hold.
pub(super) fn borrowed<'c>(costs: &'c [Box<dyn Cost + '_>]) -> Vec<&'c dyn Cost> {
    costs.iter().map(|cost| &**cost as &dyn Cost).collect()
}

/// The statistics that costs need.
pub(super) fn needs_of(costs: &[&dyn Cost]) -> Needs {
    let mut needs = Needs::default();
    costs.iter().for_each(|cost| needs.include(&cost.needs()));
    needs
}

/// Adds what a group costs to the sums. Extents are those that are published, not those of the rows.
pub(super) fn charge(
    costs: &[&dyn Cost],
    needs: &Needs,
    statistics: &mut Statistics,
    groups: &dyn Groups,
    group: usize,
    sums: &mut [f64],
) {
    for lengths in [true, false] {
        let extent = |&dimension: &usize| {
            let whole = lengths.then(|| groups.extent(group, dimension));
            (dimension, whole.unwrap_or_else(|| groups.covered(group, dimension)))
        };
        statistics.extents = needs.extents.iter().map(extent).collect();
        let costs = sums.iter_mut().zip(costs).filter(|(_, cost)| cost.measures_lengths() == lengths);
        costs.for_each(|(sum, cost)| *sum += cost.group(statistics));
    }
}

/// The sum of each cost over all groups.
pub(super) fn sums(costs: &[&dyn Cost], table: &Table, groups: &dyn Groups) -> Result<Vec<f64>> {
    let needs = needs_of(costs);
    let collector = Collector::new(&Needs { extents: Vec::new(), ..needs.clone() }, table)?;
    let run = |run: usize| {
        let mut sums = vec![0.0; costs.len()];
        let run = run * RUN..groups.count().min((run + 1) * RUN);
        for (group, mut statistics) in run.clone().zip(groups.statistics(run, &collector)) {
            charge(costs, &needs, &mut statistics, groups, group, &mut sums);
        }
        sums
    };
    let runs: Vec<Vec<f64>> = (0..groups.count().div_ceil(RUN)).into_par_iter().map(run).collect();
    let mut total = vec![0.0; costs.len()];
    for run in runs {
        total.iter_mut().zip(run).for_each(|(total, sum)| *total += sum);
    }
    Ok(total)
}
