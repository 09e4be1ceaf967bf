//! The cut that an R+-tree makes (`algorithm/rtree`): the boxes of the two sides cost least.
//!
//! A large part is judged by some of its rows, a small one by all of them. Where no cut that was found this way is
//! allowable, the exact search for the widest dimension decides, so that a part is only left whole when no cut of it is.

use super::HierarchyCut;
use super::finder::{Cut, CutFinder, Part};
use super::subset::subset_at;
use crate::cut::CutCandidate;
use crate::cut::boxes::{BoxCut, BoxFinder, BoxPlan, CuttableDimension};
use crate::split::BoxSplit;

impl CutFinder<'_> {
    /// The cheapest allowable cut, of the preferred dimensions where there is one.
    pub(super) fn boxed(&mut self, part: &Part<'_>, limits: &[u32], split: &BoxSplit) -> Option<Cut> {
        // Hierarchies that are cut at nodes only are cut by the widest dimension alone.
        let by_nodes = part.hierarchy_cut == HierarchyCut::Nodes;
        let Some(plan) = part.boxes.filter(|plan| !(by_nodes && plan.has_hierarchies())) else {
            self.look_closely(part, limits);
            let preferred = |dimension: usize| split.preferred.contains(&dimension);
            return self.widest(part, preferred).or_else(|| self.widest(part, |d| !preferred(d)));
        };
        plan.stages.iter().find_map(|stage| self.boxed_among(part, limits, plan, stage))
    }

    fn boxed_among(
        &mut self,
        part: &Part<'_>,
        limits: &[u32],
        plan: &BoxPlan<'_>,
        stage: &[CuttableDimension],
    ) -> Option<Cut> {
        let found = self.cheapest(part, limits, plan, stage);
        if found.is_some() {
            return found;
        }
        self.look_closely(part, limits);
        self.widest(part, |dimension| stage.iter().any(|cuttable| cuttable.dimension == dimension))
    }

    fn look_closely(&mut self, part: &Part<'_>, limits: &[u32]) {
        part.rows.measure(part.dimensions, limits, &mut self.widths);
        if !part.only_sizes() {
            part.rows.prepare(&mut self.collector);
        }
    }

    /// The cheapest cut of these dimensions that is found to be allowable.
    fn cheapest(
        &mut self,
        part: &Part<'_>,
        limits: &[u32],
        plan: &BoxPlan<'_>,
        stage: &[CuttableDimension],
    ) -> Option<Cut> {
        let (rows, least) = (u64::from(part.rows.count()), part.job.requirements.minimum_size());
        let simple = part.only_sizes() && self.widths.mixed.is_empty();
        let looked = self.boxes.look(plan, part.rows, least, &self.widths.mixed);
        if looked == 0 {
            return None;
        }
        if simple {
            self.widths.assume(part.dimensions, limits);
        } else {
            self.look_closely(part, limits);
        }
        let needed = (least * looked as u64).div_ceil(rows) as usize;
        match (BoxFinder::looks_at_all(rows, least), simple) {
            (true, true) => self.cheapest_by_size(plan, stage, needed),
            (true, false) => self.cheapest_allowable(part, plan, stage, needed),
            (false, _) => self.cheapest_of_sample(part, plan, stage, needed),
        }
    }

    /// All rows have been looked at, and only sizes count.
    fn cheapest_by_size(
        &mut self,
        plan: &BoxPlan<'_>,
        stage: &[CuttableDimension],
        needed: usize,
    ) -> Option<Cut> {
        let place = *self.boxes.rank(plan, stage, needed).first()?;
        let (dimension, left) = (place.cuttable.dimension, place.left as u32);
        if !place.cuttable.is_set {
            let code = place.last;
            return Some(Cut::Threshold { dimension, code, left, missing_left: None });
        }
        self.widths.hi[dimension] = self.boxes.codes(dimension).iter().copied().max().unwrap_or(0);
        let members = self.boxes.members(&place);
        Some(Cut::Subset { dimension, members, left })
    }

    /// All rows have been looked at: the cheapest of the places that the requirements allow.
    fn cheapest_allowable(
        &mut self,
        part: &Part<'_>,
        plan: &BoxPlan<'_>,
        stage: &[CuttableDimension],
        needed: usize,
    ) -> Option<Cut> {
        let mut best: Option<(BoxCut, Cut)> = None;
        for &cuttable in stage {
            let dimension = cuttable.dimension;
            self.fill(part, dimension);
            if self.frequency.values.len() < 2 {
                continue;
            }
            let ranked = cuttable.is_set.then(|| self.rarest_first());
            match &ranked {
                Some(ranked) => self.prefixes(part, dimension, ranked, None),
                None => self.thresholds(part, dimension, None),
            }
            let cumulative = ranked.as_ref().map_or(&self.frequency.cumulative, |ranked| &ranked.cumulative);
            let costs = self.boxes.each_place(plan, cuttable, needed);
            let mut found = None::<(BoxCut, CutCandidate)>;
            for allowed in &self.places {
                let left = cumulative[allowed.place] as usize;
                let at = costs.partition_point(|(before, _)| *before < left);
                let Some(&(_, cost)) = costs.get(at).filter(|(after, _)| *after == left) else { continue };
                let (imbalance, last) = (allowed.imbalance as usize, allowed.place as u32);
                let place = BoxCut { cost, imbalance, cuttable, left, last };
                if found.is_none_or(|(best, _)| place.order(&best).is_lt()) {
                    found = Some((place, *allowed));
                }
            }
            if let Some((place, allowed)) = found
                && best.as_ref().is_none_or(|(best, _)| place.order(best).is_lt())
            {
                let cut = match &ranked {
                    Some(ranked) => subset_at(dimension, ranked, place.last as usize),
                    None => self.threshold_of(part, dimension, &allowed)?,
                };
                best = Some((place, cut));
            }
        }
        best.map(|(_, cut)| cut)
    }

    /// Some rows have been looked at: the cheapest of their places that turns out to be allowable.
    fn cheapest_of_sample(
        &mut self,
        part: &Part<'_>,
        plan: &BoxPlan<'_>,
        stage: &[CuttableDimension],
        needed: usize,
    ) -> Option<Cut> {
        let many = self.boxes.rank(plan, stage, needed).len();
        (0..many).find_map(|at| {
            let place = self.boxes.ranked(at);
            let (dimension, code) = (place.cuttable.dimension, place.last);
            if place.cuttable.is_set {
                return self.subset_of_sample(part, &place);
            }
            if self.widths.mixed.contains(&dimension) || part.edges.restrict(dimension) {
                self.fill(part, dimension);
                let index = self.frequency.values.partition_point(|&value| value <= code) - 1;
                return self.threshold(part, dimension, index);
            }
            let left = part.rows.upto(dimension, code);
            self.allows(part, &[left, part.rows.count() - left], dimension, |at| usize::from(at > code))
                .then_some(Cut::Threshold { dimension, code, left, missing_left: None })
        })
    }

    /// The cut of a set of which some rows have been looked at; values that are too rare to be among them go with the rare
    /// ones.
    fn subset_of_sample(&mut self, part: &Part<'_>, place: &BoxCut) -> Option<Cut> {
        let dimension = place.cuttable.dimension;
        self.fill(part, dimension);
        let mut lefts = self.boxes.members(place);
        lefts.sort_unstable();
        let mut seen = self.boxes.codes(dimension).to_vec();
        seen.sort_unstable();
        seen.dedup();
        let goes_left = |code: &u32| lefts.binary_search(code).is_ok() || seen.binary_search(code).is_err();
        let values = self.frequency.values.iter().enumerate().filter(|(_, code)| goes_left(code));
        let (indices, members): (Vec<usize>, Vec<u32>) = values.map(|(at, &code)| (at, code)).unzip();
        let left = indices.iter().map(|&index| self.frequency.count_of(index)).sum();
        let side = |code: u32| usize::from(members.binary_search(&code).is_err());
        self.allows(part, &[left, part.rows.count() - left], dimension, side).then_some(Cut::Subset {
            dimension,
            members,
            left,
        })
    }

    /// Counts the values of a dimension.
    fn fill(&mut self, part: &Part<'_>, dimension: usize) {
        let (lo, hi) = (self.widths.lo[dimension], self.widths.hi[dimension]);
        part.rows.fill(dimension, lo, hi, &mut self.frequency);
    }
}
