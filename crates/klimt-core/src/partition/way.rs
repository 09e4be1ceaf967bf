//! The way from the root of the domain to a part.

use super::{CutNode, CutTree};

/// The cuts on the way from the root of the domain to a part: each with the side that the part is on.
#[derive(Clone, Debug, Default)]
pub struct Way {
    cuts: Vec<(CutTree, bool)>,
    /// Whether the part is cut by the median, as the gain of a cut on the way was too little.
    pub(crate) by_median: bool,
}

impl Way {
    /// The cuts from the root on, each as a tree of its node alone, and whether the part is on its left side.
    pub fn cuts(&self) -> &[(CutTree, bool)] {
        &self.cuts
    }

    /// The codes after which dimensions are cut on the way.
    pub(crate) fn thresholds(&self) -> impl Iterator<Item = (usize, u32)> {
        self.cuts.iter().filter_map(|(cut, _)| match cut.nodes[0] {
            CutNode::Threshold { dimension, code, .. } => Some((dimension as usize, code)),
            _ => None,
        })
    }

    /// The ways to all leaves of a tree that itself lies at the end of this way, from left to right.
    pub(crate) fn to_leaves(&self, tree: &CutTree) -> Vec<Way> {
        let mut ways = Vec::new();
        let mut pending = vec![(0, self.clone())];
        while let Some((at, way)) = pending.pop() {
            if let CutNode::Leaf { .. } = tree.nodes[at] {
                ways.push(way);
                continue;
            }
            let mut cut = CutTree::default();
            cut.push_copy(tree, at);
            let turned = |left: bool| {
                let mut way = way.clone();
                way.cuts.push((cut.clone(), left));
                way
            };
            pending.push((at + tree.right(at), turned(false)));
            pending.push((at + 1, turned(true)));
        }
        ways
    }

    /// The cuts of a part as seen from the root of the domain: what lies beside the way is empty.
    pub fn plant(&self, part: &CutTree) -> CutTree {
        fn place(cuts: &[(CutTree, bool)], part: &CutTree, into: &mut CutTree) {
            let Some(((cut, left), rest)) = cuts.split_first() else { return into.append(part) };
            let at = into.nodes.len();
            into.push_copy(cut, 0);
            match left {
                true => place(rest, part, into),
                false => into.nodes.push(CutNode::Leaf { rows: 0 }),
            }
            into.close_left(at);
            match left {
                true => into.nodes.push(CutNode::Leaf { rows: 0 }),
                false => place(rest, part, into),
            }
        }
        let mut tree = CutTree::default();
        place(&self.cuts, part, &mut tree);
        tree
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// ((1 2) (3 (4 5))), all cuts in dimension 0.
    fn tree() -> CutTree {
        let mut tree = CutTree::default();
        let root = tree.push_threshold(0, 20, false);
        let left = tree.push_threshold(0, 10, false);
        tree.nodes.push(CutNode::Leaf { rows: 0 });
        tree.close_left(left);
        tree.nodes.push(CutNode::Leaf { rows: 0 });
        tree.close_left(root);
        let right = tree.push_subset(1, &[3, 1], false);
        tree.nodes.push(CutNode::Leaf { rows: 0 });
        tree.close_left(right);
        let last = tree.push_threshold(0, 40, false);
        tree.nodes.push(CutNode::Leaf { rows: 0 });
        tree.close_left(last);
        tree.nodes.push(CutNode::Leaf { rows: 0 });
        tree
    }

    #[test]
    fn a_part_planted_on_its_way_has_the_regions_of_the_whole_tree() {
        let tree = tree();
        let ways = Way::default().to_leaves(&tree);
        assert_eq!(ways.len(), 5);
        let mut part = CutTree::default();
        part.nodes.push(CutNode::Leaf { rows: 7 });
        for (number, way) in ways.iter().enumerate() {
            let planted = way.plant(&part);
            // Where the part is, is all that holds rows, and rows that go there in the tree go there in the planted one.
            let leaves: Vec<u32> = planted
                .nodes
                .iter()
                .filter_map(|node| if let CutNode::Leaf { rows } = node { Some(*rows) } else { None })
                .collect();
            assert_eq!(leaves.iter().filter(|&&rows| rows == 7).count(), 1, "{number}");
            assert_eq!(leaves.len(), way.cuts.len() + 1);
        }
        assert_eq!(ways[4].thresholds().collect::<Vec<_>>(), [(0, 20), (0, 40)]);
    }
}
