//! Cuts of hierarchies: a node to its children, or between two leaves.

use super::HierarchyCut;
use super::finder::{Cut, CutFinder, MissingRun, Part};
use crate::cut::CutCandidate;
use crate::hierarchy::Hierarchy;

impl CutFinder<'_> {
    pub(super) fn hierarchy(&mut self, part: &Part<'_>, dimension: usize, tree: &Hierarchy) -> Option<Cut> {
        let specialised = match part.hierarchy_cut {
            HierarchyCut::Leaves => None,
            _ => self.specialise(part, dimension, tree),
        };
        if specialised.is_some() || part.hierarchy_cut == HierarchyCut::Nodes {
            return specialised;
        }
        self.between_leaves(part, dimension)
    }

    /// The lowest node over the values of the part, specialised to all its children. Rows without a value are one more
    /// part where that is allowable; else they go with a child, the one with the fewest rows first. Where the node cannot
    /// be specialised, rows without a value may still be apart from all others.
    pub(super) fn specialise(&self, part: &Part<'_>, dimension: usize, tree: &Hierarchy) -> Option<Cut> {
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
        let sizes = self.sizes_of_runs(&bounds);
        let mut children: Vec<usize> = (0..sizes.len()).filter(|&run| sizes[run] > 0).collect();
        children.sort_by_key(|&run| sizes[run]);
        let with = |run: usize| {
            self.runs(part, dimension, bounds.clone(), Some(MissingRun { code: mixed.code, run }))
        };
        self.runs(part, dimension, apart, None)
            .or_else(|| children.into_iter().find_map(with))
            .or_else(|| self.runs(part, dimension, vec![tree.span(node).1, mixed.code], None))
    }

    /// The cut into runs of codes up to each of the bounds, when it is allowable.
    fn runs(
        &self,
        part: &Part<'_>,
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

    /// The allowable cut between two leaves that leaves the least certainty penalty, if that narrows what is published of a
    /// side.
    fn between_leaves(&mut self, part: &Part<'_>, dimension: usize) -> Option<Cut> {
        self.thresholds(part, dimension, None);
        let domain = part.dimensions[dimension].domain;
        let (values, cumulative) = (&self.frequency.values, &self.frequency.cumulative);
        // Costs are those of the values that are there.
        let mixed = self.mixed(part, dimension).is_some();
        let last = values.len() - 1 - usize::from(mixed);
        let (lo, hi, rows) = (values[0], values[last], f64::from(cumulative[last]));
        let sides = |place: usize| {
            let penalty = |from: usize, to: usize| domain.extent_penalty(values[from], values[to], 0);
            (penalty(0, place), penalty(place + 1, last))
        };
        let cost = |place: usize| {
            if place == last {
                return 0.0;
            }
            let (left, (before, behind)) = (f64::from(cumulative[place]), sides(place));
            left * before + (rows - left) * behind
        };
        // A side with missing values is published as `*`, like the part; these apart from all others always narrow.
        let whole = if mixed { 1.0 } else { domain.extent_penalty(lo, hi, 0) };
        let narrows = |at: &CutCandidate| {
            at.place == last || {
                let (before, behind) = sides(at.place);
                (before < whole && !at.missing_left) || (behind < whole && (at.missing_left || !mixed))
            }
        };
        let ties = |at: &CutCandidate| (at.imbalance, at.place, at.missing_left);
        let order = |a: &CutCandidate, b: &CutCandidate| {
            cost(a.place).total_cmp(&cost(b.place)).then_with(|| ties(a).cmp(&ties(b)))
        };
        let best = self.places.iter().copied().filter(narrows).min_by(order)?;
        self.threshold_of(part, dimension, &best)
    }
}

/// The number of the run that a code is in.
pub(super) fn run_of(bounds: &[u32], missing: Option<MissingRun>, code: u32) -> usize {
    match missing {
        Some(missing) if missing.code == code => missing.run,
        _ => bounds.partition_point(|&bound| bound < code),
    }
}
