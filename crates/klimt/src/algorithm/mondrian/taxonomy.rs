//! Cuts of hierarchies: a node to its children, or between two leaves.

use super::HierarchyCut;
use super::cut::{Cut, CutFinder, Part};
use super::frequency::FrequencyGroup;
use crate::hierarchy::Hierarchy;

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

    /// The lowest node over the part, specialised to all its children.
    pub(super) fn specialise<G: FrequencyGroup>(
        &self,
        part: &Part<'_, G>,
        dimension: usize,
        tree: &Hierarchy,
    ) -> Option<Cut> {
        let domain = part.dimensions[dimension].domain;
        let (lo, hi) = (self.widths.lo[dimension], self.widths.hi[dimension]);
        let node = domain.node_over(tree, lo, hi);
        let mut bounds: Vec<u32> = tree.children(node).iter().map(|&child| tree.span(child).1).collect();
        bounds.extend(domain.missing_code().filter(|_| domain.mixes_missing(lo, hi)));
        let upto = |bound: u32| self.frequency.before(self.frequency.values.partition_point(|&v| v <= bound));
        let mut sizes: Vec<u32> = bounds.iter().map(|&bound| upto(bound)).collect();
        for at in (1..sizes.len()).rev() {
            sizes[at] -= sizes[at - 1];
        }
        self.allows(part, &sizes, dimension, |at| bounds.partition_point(|&bound| bound < at))
            .then_some(Cut::Runs { dimension, bounds, sizes })
    }

    /// The allowable cut between two leaves that leaves the least certainty penalty, if that is less than before.
    fn between_leaves<G: FrequencyGroup>(&mut self, part: &Part<'_, G>, dimension: usize) -> Option<Cut> {
        self.thresholds(part, dimension, None);
        let domain = part.dimensions[dimension].domain;
        let (lo, hi) = (self.widths.lo[dimension], self.widths.hi[dimension]);
        let (values, cumulative) = (&self.frequency.values, &self.frequency.cumulative);
        let rows = f64::from(part.rows.count());
        let cost = |place: usize| {
            let left = f64::from(cumulative[place]);
            left * domain.extent_penalty(lo, values[place], 0)
                + (rows - left) * domain.extent_penalty(values[place + 1], hi, 0)
        };
        let whole = rows * domain.extent_penalty(lo, hi, 0);
        let candidates = self.places.iter().map(|place| (cost(place.place), place.imbalance, place.place));
        let best = candidates
            .filter(|(cost, ..)| *cost < whole)
            .min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)).then(a.2.cmp(&b.2)))?;
        Some(self.threshold_at(dimension, best.2))
    }
}
