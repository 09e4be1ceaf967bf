//! Which regions hold a tuple: a tree of bounding boxes over regions.

use crate::statistics::Extent;
use std::ops::Range;

/// A leaf of the tree has at most this many regions.
const LEAF: usize = 8;

/// Finds the regions that hold a tuple.
///
/// Bulk-loaded: the regions of a node are parted in two in the dimension that leaves least to look at. The box of a node
/// covers all its regions, so what lies outside need not be looked at. Nodes stand in preorder.
#[derive(Debug)]
pub struct Locator {
    dimensions: usize,
    /// The extents of each region, dimension by dimension.
    regions: Vec<Extent>,
    /// The extents of each node, dimension by dimension.
    boxes: Vec<Extent>,
    /// The ends of the extents of regions and nodes, side by side: most of what is looked at lies outside of them.
    region_ends: Vec<CodeEnds>,
    box_ends: Vec<CodeEnds>,
    /// Whether any extent is a set, which holds less than its ends say.
    sets: bool,
    nodes: Vec<LocatorNode>,
    /// The regions, node by node.
    order: Vec<u32>,
}

/// The least and the greatest code of an extent.
type CodeEnds = (u32, u32);

#[derive(Debug)]
struct LocatorNode {
    /// The node to go on with when this one does not hold a tuple.
    after: usize,
    /// Where the regions of a leaf stand in the order.
    regions: Range<usize>,
}

impl Locator {
    /// A tree over regions, given by the codes that they cover.
    pub fn new(regions: usize, dimensions: usize, covered: impl Fn(usize, usize) -> Extent) -> Self {
        let extents = |region| (0..dimensions).map(move |dimension| (region, dimension));
        let mut locator = Locator {
            dimensions,
            regions: (0..regions).flat_map(extents).map(|(r, d)| covered(r, d)).collect(),
            boxes: Vec::new(),
            region_ends: Vec::new(),
            box_ends: Vec::new(),
            sets: false,
            nodes: Vec::new(),
            order: Vec::with_capacity(regions),
        };
        let mut all: Vec<u32> = (0..regions as u32).collect();
        if !all.is_empty() {
            locator.load(&mut all);
        }
        let ends =
            |extents: &[Extent]| extents.iter().map(|extent| extent.ends().unwrap_or((1, 0))).collect();
        (locator.region_ends, locator.box_ends) = (ends(&locator.regions), ends(&locator.boxes));
        locator.sets = locator.regions.iter().any(|extent| matches!(extent, Extent::Members(_)));
        locator
    }

    /// Appends the regions that hold the tuple with these codes, ascending.
    pub fn find(&self, tuple: &[u32], found: &mut Vec<u32>) {
        let within =
            |ends: &[CodeEnds]| ends.iter().zip(tuple).all(|(&(lo, hi), &code)| lo <= code && code <= hi);
        let holds = |ends: &[CodeEnds], extents: &[Extent], of: usize| {
            let dimensions = of * self.dimensions..(of + 1) * self.dimensions;
            within(&ends[dimensions.clone()])
                && (!self.sets
                    || extents[dimensions].iter().zip(tuple).all(|(extent, &code)| extent.holds(code)))
        };
        let start = found.len();
        let mut at = 0;
        while let Some(node) = self.nodes.get(at) {
            at = if holds(&self.box_ends, &self.boxes, at) {
                let regions = self.order[node.regions.clone()].iter().copied();
                found.extend(regions.filter(|&r| holds(&self.region_ends, &self.regions, r as usize)));
                at + 1
            } else {
                node.after
            };
        }
        found[start..].sort_unstable();
    }

    fn load(&mut self, regions: &mut [u32]) {
        let (at, start) = (self.nodes.len(), self.order.len());
        self.nodes.push(LocatorNode { after: at + 1, regions: start..start });
        for dimension in 0..self.dimensions {
            self.boxes.push(self.merged(regions, dimension));
        }
        if regions.len() <= LEAF || self.dimensions == 0 {
            self.order.extend_from_slice(regions);
            self.nodes[at].regions.end = self.order.len();
            return;
        }
        let cut = self.part(regions, self.best_dimension(regions, at));
        let (left, right) = regions.split_at_mut(cut);
        self.load(left);
        self.load(right);
        self.nodes[at].after = self.nodes.len();
    }

    /// The dimension in which a tuple of a node's box has the fewest regions left to look at when the node is parted.
    fn best_dimension(&self, regions: &[u32], node: usize) -> usize {
        let whole = extents(&self.boxes, self.dimensions, node);
        let mut parted = regions.to_vec();
        let mut left_to_look_at = |dimension: usize| {
            let cut = self.part(&mut parted, dimension);
            let (left, right) = parted.split_at(cut);
            let codes = |part: &[u32]| self.merged(part, dimension).len() as f64 * part.len() as f64;
            (codes(left) + codes(right)) / whole[dimension].len() as f64
        };
        let varied = (0..self.dimensions).filter(|&dimension| whole[dimension].len() > 1);
        let all: Vec<(f64, usize)> =
            varied.map(|dimension| (left_to_look_at(dimension), dimension)).collect();
        let least = all.into_iter().min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        least.map_or(0, |(_, dimension)| dimension)
    }

    /// Parts some regions in a dimension, and tells where: intervals at the median of their middles, sets where they
    /// share no member, as near to the middle as can be.
    fn part(&self, regions: &mut [u32], dimension: usize) -> usize {
        if let Extent::Members(bits) = self.extent(regions[0], dimension)
            && let Some(cut) = self.part_sets(regions, dimension, bits.len() * 64)
        {
            return cut;
        }
        let key = |&region: &u32| match self.extent(region, dimension) {
            Extent::Interval { lo, hi } => (u64::from(*lo) + u64::from(*hi), region),
            Extent::Members(bits) => {
                (bits.iter().fold(0, |key: u64, word| key.rotate_left(1) ^ word), region)
            }
        };
        regions.select_nth_unstable_by_key(regions.len() / 2, key);
        regions.len() / 2
    }

    /// Parts sets so that no member is on both sides; `None` where that leaves a side with less than an eighth of them.
    fn part_sets(&self, regions: &mut [u32], dimension: usize, codes: usize) -> Option<usize> {
        let roots = self.roots(regions, dimension, codes);
        let root = |&region: &u32| {
            self.extent(region, dimension).ends().map_or(0, |(least, _)| roots[least as usize])
        };
        let mut counts = vec![0; codes];
        regions.iter().for_each(|region| counts[root(region) as usize] += 1);
        let mut before = 0;
        let cuts = (0..).zip(counts).map(|(last, count)| {
            before += count;
            (usize::abs_diff(before * 2, regions.len()), before, last)
        });
        let (off, cut, last) = cuts.min()?;
        if off * 4 > regions.len() * 3 {
            return None;
        }
        let (left, right): (Vec<u32>, Vec<u32>) = regions.iter().partition(|region| root(region) <= last);
        regions[..cut].copy_from_slice(&left);
        regions[cut..].copy_from_slice(&right);
        Some(cut)
    }

    /// For every code the least of all codes that it occurs together with, be it by way of others.
    fn roots(&self, regions: &[u32], dimension: usize, codes: usize) -> Vec<u32> {
        fn root(roots: &mut [u32], mut code: u32) -> u32 {
            while roots[code as usize] != code {
                roots[code as usize] = roots[roots[code as usize] as usize];
                code = roots[code as usize];
            }
            code
        }
        let mut roots: Vec<u32> = (0..codes as u32).collect();
        for &region in regions {
            let extent = self.extent(region, dimension);
            let Some((first, last)) = extent.ends() else { continue };
            let mut joined = root(&mut roots, first);
            for code in (first + 1..=last).filter(|&code| extent.holds(code)) {
                let other = root(&mut roots, code);
                let least = joined.min(other);
                (roots[joined as usize], roots[other as usize]) = (least, least);
                joined = least;
            }
        }
        (0..codes as u32).for_each(|code| roots[code as usize] = roots[roots[code as usize] as usize]);
        roots
    }

    fn extent(&self, region: u32, dimension: usize) -> &Extent {
        &self.regions[region as usize * self.dimensions + dimension]
    }

    fn merged(&self, regions: &[u32], dimension: usize) -> Extent {
        let mut merged = self.extent(regions[0], dimension).clone();
        regions[1..].iter().for_each(|&region| merged.merge(self.extent(region, dimension)));
        merged
    }
}

fn extents(all: &[Extent], dimensions: usize, of: usize) -> &[Extent] {
    &all[of * dimensions..(of + 1) * dimensions]
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// An interval and a set of seventy codes.
    fn region() -> impl Strategy<Value = Vec<Extent>> {
        let codes = prop::collection::vec(0..70u32, 1..5);
        (0..40u32, 0..12u32, codes).prop_map(|(lo, length, codes)| {
            let mut members = Extent::no_members(70);
            codes.into_iter().for_each(|code| members.add(code));
            vec![Extent::Interval { lo, hi: lo + length }, members]
        })
    }

    /// Even and odd codes, which no order of the codes would part.
    #[test]
    fn sets_without_common_members_are_parted() {
        let covered = |region: usize, _: usize| {
            let (odd, number) = (region as u32 % 2, region as u32 / 2);
            let mut members = Extent::no_members(70);
            [odd, 2 + 2 * number + odd].iter().for_each(|&code| members.add(code));
            members
        };
        let locator = Locator::new(16, 1, covered);
        let held =
            |node: usize| (0..70).filter(|&code| locator.boxes[node].holds(code)).collect::<Vec<u32>>();
        let every_other = |from: u32| (from..18).step_by(2).collect::<Vec<u32>>();
        assert_eq!([held(1), held(2)], [every_other(0), every_other(1)]);
    }

    proptest! {
        #[test]
        fn every_region_that_holds_a_tuple_is_found(
            regions in prop::collection::vec(region(), 0..60),
            tuples in prop::collection::vec([0..55u32, 0..70u32], 1..40)
        ) {
            let locator = Locator::new(regions.len(), 2, |region, d| regions[region][d].clone());
            for tuple in tuples {
                let mut found = Vec::new();
                locator.find(&tuple, &mut found);
                let holds = |region: &u32| (0..2).all(|d| regions[*region as usize][d].holds(tuple[d]));
                let expected: Vec<u32> = (0..regions.len() as u32).filter(holds).collect();
                prop_assert_eq!(found, expected);
            }
        }
    }
}
