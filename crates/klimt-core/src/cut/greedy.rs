//! The cut after which an additive loss is least: InfoGain, Regression and the greedy decrease of any loss.

use super::HierarchyCut;
use super::finder::{Cut, CutFinder, Part};
use super::frequency::each;
use super::subset::subset_at;
use super::taxonomy::run_of;
use crate::cut::CutCandidate;
use crate::hierarchy::Hierarchy;
use crate::loss::Cost;
use crate::table::Shape;

/// A cut with what is left to pay after it. Of equal costs the more even cut is the better one, then the earlier.
struct GreedyCut {
    cost: f64,
    imbalance: u64,
    cut: Cut,
}

impl GreedyCut {
    fn is_better(&self, best: Option<&GreedyCut>) -> bool {
        best.is_none_or(|best| {
            self.cost.total_cmp(&best.cost).then(self.imbalance.cmp(&best.imbalance)).is_lt()
        })
    }
}

impl CutFinder<'_> {
    /// The allowable cut, in any dimension, after which the sides cost least, if that is less than the part costs, and by
    /// no less than the least gain of a row.
    pub(super) fn greedy(&mut self, part: &Part<'_>, cost: &dyn Cost) -> Option<Cut> {
        let mut whole = self.collector.empty();
        part.rows.divide(&self.collector, 0, &mut |_, sides| sides.fill(0), std::slice::from_mut(&mut whole));
        let whole = cost.group(&whole);
        let mut best: Option<GreedyCut> = None;
        let mut dimensions = self.widths.order.clone();
        dimensions.sort_unstable();
        for dimension in dimensions {
            let (lo, hi) = (self.widths.lo[dimension], self.widths.hi[dimension]);
            part.rows.fill(dimension, lo, hi, &mut self.frequency);
            let found = match part.dimensions[dimension].domain.shape() {
                Shape::Set => self.best_subset(part, dimension, cost),
                Shape::Ordered => self.best_threshold(part, dimension, cost),
                Shape::Hierarchy(tree) => self.best_taxonomic(part, dimension, tree, cost),
            };
            best = match found {
                Some(found) if found.cost < whole && found.is_better(best.as_ref()) => Some(found),
                _ => best,
            };
        }
        let least = cost.least_gain() * f64::from(part.rows.count());
        best.filter(|found| whole - found.cost >= least).map(|found| found.cut)
    }

    fn best_threshold(&mut self, part: &Part<'_>, dimension: usize, cost: &dyn Cost) -> Option<GreedyCut> {
        self.thresholds(part, dimension, Some(cost));
        let best = self.best_place()?;
        let candidate = self.places[best];
        let cut = self.threshold_of(part, dimension, &candidate)?;
        Some(GreedyCut { cost: candidate.cost, imbalance: candidate.imbalance, cut })
    }

    fn best_subset(&mut self, part: &Part<'_>, dimension: usize, cost: &dyn Cost) -> Option<GreedyCut> {
        self.rank_by_key(part, dimension, cost);
        let ranked = self.ranked_order();
        self.prefixes(part, dimension, &ranked, Some(cost));
        let candidate = self.places[self.best_place()?];
        let cut = subset_at(dimension, &ranked, candidate.place);
        Some(GreedyCut { cost: candidate.cost, imbalance: candidate.imbalance, cut })
    }

    fn best_taxonomic(
        &mut self,
        part: &Part<'_>,
        dimension: usize,
        tree: &Hierarchy,
        cost: &dyn Cost,
    ) -> Option<GreedyCut> {
        let specialised = match part.hierarchy_cut {
            HierarchyCut::Leaves => None,
            _ => self.specialise(part, dimension, tree).map(|cut| self.cost_of_runs(part, cut, cost)),
        };
        if part.hierarchy_cut == HierarchyCut::Nodes {
            return specialised;
        }
        match (specialised, self.best_threshold(part, dimension, cost)) {
            (Some(nodes), Some(leaves)) => Some(if leaves.is_better(Some(&nodes)) { leaves } else { nodes }),
            (nodes, leaves) => nodes.or(leaves),
        }
    }

    fn cost_of_runs(&self, part: &Part<'_>, cut: Cut, cost: &dyn Cost) -> GreedyCut {
        let Cut::Runs { dimension, bounds, sizes, missing } = &cut else {
            unreachable!("a node is specialised to runs of leaves")
        };
        let mut runs = vec![self.collector.empty(); bounds.len()];
        let mut run = |code: u32| run_of(bounds, *missing, code);
        part.rows.divide(&self.collector, *dimension, &mut each(&mut run), &mut runs);
        let total = runs.iter().filter(|run| run.count > 0).map(|run| cost.group(run)).sum();
        let imbalance = u64::from(*sizes.iter().max().unwrap_or(&0));
        GreedyCut { cost: total, imbalance, cut }
    }

    /// Where the best of the listed places is.
    fn best_place(&self) -> Option<usize> {
        (0..self.places.len()).min_by(|&a, &b| {
            let (a, b) = (&self.places[a], &self.places[b]);
            let ties = |at: &CutCandidate| (at.imbalance, at.place, at.missing_left);
            a.cost.total_cmp(&b.cost).then_with(|| ties(a).cmp(&ties(b)))
        })
    }
}
