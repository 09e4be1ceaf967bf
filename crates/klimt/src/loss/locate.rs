//! Which regions hold a tuple: a tree of bounding boxes over regions.

use crate::statistics::Extent;
use std::ops::Range;

/// A leaf of the tree has at most so many regions.
const LEAF: usize = 8;

/// Finds the regions that hold a tuple.
///
/// Bulk-loaded: the regions of a node are sorted in the dimension in which their halves overlap least, and cut at the
/// median. The box of a node covers all its regions, so what lies outside need not be looked at. Nodes stand in preorder.
#[derive(Debug)]
pub struct Locator {
    dimensions: usize,
    /// The extents of each region, dimension by dimension.
    regions: Vec<Extent>,
    /// The extents of each node, dimension by dimension.
    boxes: Vec<Extent>,
    nodes: Vec<Node>,
    /// The regions, node by node.
    order: Vec<u32>,
}

#[derive(Debug)]
struct Node {
    /// The node to go on with when this one does not hold a tuple.
    after: usize,
    /// Where the regions of a leaf stand in the order.
    regions: Range<usize>,
}

impl Locator {
    /// A tree over regions that are told by the codes that they cover.
    pub fn new(regions: usize, dimensions: usize, covered: impl Fn(usize, usize) -> Extent) -> Self {
        let extents = |region| (0..dimensions).map(move |dimension| (region, dimension));
        let mut locator = Locator {
            dimensions,
            regions: (0..regions).flat_map(extents).map(|(r, d)| covered(r, d)).collect(),
            boxes: Vec::new(),
            nodes: Vec::new(),
            order: Vec::with_capacity(regions),
        };
        let mut all: Vec<u32> = (0..regions as u32).collect();
        if !all.is_empty() {
            locator.load(&mut all);
        }
        locator
    }

    /// Appends the regions that hold the tuple with these codes, ascending.
    pub fn find(&self, tuple: &[u32], found: &mut Vec<u32>) {
        let holds = |extents: &[Extent]| extents.iter().zip(tuple).all(|(extent, &code)| extent.holds(code));
        let start = found.len();
        let mut at = 0;
        while let Some(node) = self.nodes.get(at) {
            at = if holds(extents(&self.boxes, self.dimensions, at)) {
                let regions = self.order[node.regions.clone()].iter().copied();
                found.extend(regions.filter(|&r| holds(extents(&self.regions, self.dimensions, r as usize))));
                at + 1
            } else {
                node.after
            };
        }
        found[start..].sort_unstable();
    }

    fn load(&mut self, regions: &mut [u32]) {
        let (at, start) = (self.nodes.len(), self.order.len());
        self.nodes.push(Node { after: at + 1, regions: start..start });
        for dimension in 0..self.dimensions {
            self.boxes.push(self.merged(regions, dimension));
        }
        if regions.len() <= LEAF {
            self.order.extend_from_slice(regions);
            self.nodes[at].regions.end = self.order.len();
            return;
        }
        self.sort(regions, self.best_dimension(regions, at));
        let (left, right) = regions.split_at_mut(regions.len() / 2);
        self.load(left);
        self.load(right);
        self.nodes[at].after = self.nodes.len();
    }

    /// The dimension in which the halves of a node overlap least, as a share of its box.
    fn best_dimension(&self, regions: &[u32], node: usize) -> usize {
        let whole = extents(&self.boxes, self.dimensions, node);
        let mut sorted = regions.to_vec();
        let mut overlap = |dimension: usize| {
            self.sort(&mut sorted, dimension);
            let (left, right) = sorted.split_at(sorted.len() / 2);
            let halves = [left, right].map(|half| self.merged(half, dimension).len());
            (halves[0] + halves[1]) as f64 / whole[dimension].len().max(1) as f64
        };
        let varied = (0..self.dimensions).filter(|&dimension| whole[dimension].len() > 1);
        let overlaps: Vec<(f64, usize)> = varied.map(|dimension| (overlap(dimension), dimension)).collect();
        let least = overlaps.into_iter().min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        least.map_or(0, |(_, dimension)| dimension)
    }

    /// Brings the lesser half of some regions before the greater: intervals by their middle, sets by their members.
    fn sort(&self, regions: &mut [u32], dimension: usize) {
        let key = |&region: &u32| match self.regions.get(region as usize * self.dimensions + dimension) {
            Some(Extent::Interval { lo, hi }) => (u64::from(*lo) + u64::from(*hi), region),
            Some(Extent::Members(bits)) => {
                (bits.iter().fold(0, |key: u64, word| key.rotate_left(1) ^ word), region)
            }
            None => (0, region),
        };
        regions.select_nth_unstable_by_key(regions.len() / 2, key);
    }

    fn merged(&self, regions: &[u32], dimension: usize) -> Extent {
        let of = |region: u32| &self.regions[region as usize * self.dimensions + dimension];
        let mut merged = of(regions[0]).clone();
        regions[1..].iter().for_each(|&region| merged.merge(of(region)));
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
