//! Cuts of hierarchies: a node to its children, or between two leaves.

use super::HierarchyCut;
use super::cut::{Cut, CutFinder, MissingRun, Part};
use super::frequency::FrequencyGroup;
use crate::hierarchy::Hierarchy;
use crate::split::Candidate;

impl CutFinder<'_> {
    pub(super) fn hierarchy<G: FrequencyGroup>(
        &mut self,
        part: &Part<'_, G>,
        dimension: usize,
        tree: &Hierarchy,
    ) -> Option<Cut> {
        let specialised = match part.mondrian.hierarchy_cut {
            HierarchyCut::Leaves => None,
            _ => self.specialise(part, dimension, tree),
        };
        if specialised.is_some() || part.mondrian.hierarchy_cut == HierarchyCut::Nodes {
            return specialised;
        }
        self.between_leaves(part, dimension)
    }

    /// The lowest node over the values of the part, specialised to all its children. Rows without a value are one more
    /// part where that is allowable; else they go with the child that has the fewest rows.
    pub(super) fn specialise<G: FrequencyGroup>(
        &self,
        part: &Part<'_, G>,
        dimension: usize,
        tree: &Hierarchy,
    ) -> Option<Cut> {
        let domain = part.dimensions[dimension].domain;
        let Some(mixed) = self.mixed(part, dimension) else {
            let (lo, hi) = (self.widths.lo[dimension], self.widths.hi[dimension]);
            let node = domain.node_over(tree, lo, hi);
            let bounds = tree.children(node).iter().map(|&child| tree.span(child).1).collect();
            return self.runs(part, dimension, bounds, None);
        };
        let last = self.frequency.values[self.frequency.values.len() - 2];
        let node = tree.lowest_common_ancestor(self.widths.lo[dimension], last);
        let bounds: Vec<u32> = tree.children(node).iter().map(|&child| tree.span(child).1).collect();
        let apart = bounds.iter().copied().chain([mixed.code]).collect();
        self.runs(part, dimension, apart, None).or_else(|| {
            let sizes = self.sizes_of_runs(&bounds);
            let run = (0..sizes.len()).filter(|&run| sizes[run] > 0).min_by_key(|&run| sizes[run])?;
            self.runs(part, dimension, bounds, Some(MissingRun { code: mixed.code, run }))
        })
    }

    /// The cut into runs of codes up to each of the bounds, when it is allowable.
    fn runs<G: FrequencyGroup>(
        &self,
        part: &Part<'_, G>,
        dimension: usize,
        bounds: Vec<u32>,
        missing: Option<MissingRun>,
    ) -> Option<Cut> {
        let mut sizes = self.sizes_of_runs(&bounds);
        if let Some(missing) = missing {
            sizes[missing.run] += self.frequency.count_of(self.frequency.values.len() - 1);
        }
        self.allows(part, &sizes, dimension, |at| run_of(&bounds, missing, at)).then_some(Cut::Runs {
            dimension,
            bounds,
            sizes,
            missing,
        })
    }

    /// How many rows have a code after one bound and up to the next.
    fn sizes_of_runs(&self, bounds: &[u32]) -> Vec<u32> {
        let upto = |bound: u32| self.frequency.before(self.frequency.values.partition_point(|&v| v <= bound));
        let mut sizes: Vec<u32> = bounds.iter().map(|&bound| upto(bound)).collect();
        for at in (1..sizes.len()).rev() {
            sizes[at] -= sizes[at - 1];
        }
        sizes
    }

    /// The allowable cut between two leaves that leaves the least certainty penalty, if that is less than before.
    fn between_leaves<G: FrequencyGroup>(&mut self, part: &Part<'_, G>, dimension: usize) -> Option<Cut> {
        self.thresholds(part, dimension, None);
        let domain = part.dimensions[dimension].domain;
        let (lo, hi) = (self.widths.lo[dimension], self.widths.hi[dimension]);
        let (values, cumulative) = (&self.frequency.values, &self.frequency.cumulative);
        // By the values that are there; missing values apart from all of them always narrow.
        let last = self.mixed(part, dimension).map_or(values.len() - 1, |_| values.len() - 2);
        let (hi, rows) =
            (if last + 1 < values.len() { values[last] } else { hi }, f64::from(cumulative[last]));
        let cost = |place: usize| {
            if place == last {
                return 0.0;
            }
            let left = f64::from(cumulative[place]);
            left * domain.extent_penalty(lo, values[place], 0)
                + (rows - left) * domain.extent_penalty(values[place + 1], hi, 0)
        };
        let whole = rows * domain.extent_penalty(lo, hi, 0);
        let narrows = |at: &Candidate| at.place == last || cost(at.place) < whole;
        let ties = |at: &Candidate| (at.imbalance, at.place, at.missing_left);
        let order = |a: &Candidate, b: &Candidate| {
            cost(a.place).total_cmp(&cost(b.place)).then_with(|| ties(a).cmp(&ties(b)))
        };
        let best = self.places.iter().copied().filter(narrows).min_by(order)?;
        Some(self.threshold_of(part, dimension, &best))
    }
}

/// The number of the run that a code is in.
pub(super) fn run_of(bounds: &[u32], missing: Option<MissingRun>, code: u32) -> usize {
    match missing {
        Some(missing) if missing.code == code => missing.run,
        _ => bounds.partition_point(|&bound| bound < code),
    }
}
