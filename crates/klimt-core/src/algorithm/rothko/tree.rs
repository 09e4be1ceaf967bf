//! Rothko-T: growing a tree breadth first from frequency groups (section 2.1).

use super::room::RothkoMemory;
use crate::Result;
use crate::algorithm::mondrian::{InheritedCuts, Mondrian};
use crate::cut::{Cut, CutFinder, Dimension, Part};
use crate::job::Job;
use crate::partition::{CutNode, CutTree};
use crate::parts::External;
use crate::pass::{CodeRange, CountColumns, CountRequest, Frequencies, PartRows};
use crate::statistics::{Collector, Needs};
use rayon::prelude::*;

/// Grows trees for Rothko-T.
pub(super) struct Grower<'a> {
    pub job: &'a External<'a>,
    /// As in memory: the requirements and the split criterion, bound to the whole.
    pub mondrian: Mondrian,
    pub inner: &'a Job<'a>,
    pub needs: &'a Needs,
    pub collector: &'a Collector<'a>,
    pub room: &'a RothkoMemory,
}

/// A node of a tree that grows.
struct GrowingNode {
    ranges: Vec<CodeRange>,
    rows: u64,
    /// Settings inherited from the cuts above the part.
    above: InheritedCuts,
    /// The cut and the nodes of its sides.
    cut: Option<(Cut, Vec<usize>)>,
    /// Whether a cut is still to be looked for.
    open: bool,
}

/// A cut of a node, where there is one, and the codes that the node holds.
struct NodeCut {
    cut: Option<Cut>,
    held: Vec<CodeRange>,
    /// Whether what lies below is cut by the median.
    by_median: bool,
}

/// A tree that was grown, and how many passes over the rows it took.
pub(super) struct GrownTree {
    pub tree: CutTree,
    /// For every leaf, whether it is cut by the median.
    pub by_median: Vec<bool>,
    pub passes: u64,
}

impl Grower<'_> {
    /// Grows the tree of a part until every leaf fits in memory or has no allowable cut, or until the frequency groups of
    /// the next level do not fit.
    pub fn grow(&self, source: &dyn PartRows, above: InheritedCuts) -> Result<GrownTree> {
        let frame = self.job.frame;
        let CountRequest { ranges, rows, .. } = CountRequest::whole(frame, source.rows());
        let mut nodes = vec![GrowingNode { ranges, rows, above, cut: None, open: true }];
        let mut passes = 0;
        loop {
            let (tree, leaves) = cut_tree(&nodes);
            let asked: Vec<(usize, CountRequest)> = leaves
                .iter()
                .enumerate()
                .filter(|&(_, &node)| nodes[node].open)
                .map(|(leaf, &node)| {
                    let GrowingNode { ranges, rows, .. } = &nodes[node];
                    (node, CountRequest { leaf, ranges: ranges.clone(), rows: *rows })
                })
                .collect();
            let bytes: u64 = asked.iter().map(|(_, asked)| asked.bytes(self.needs, frame)).sum();
            let bytes = bytes + finder_bytes(asked.iter().map(|(_, asked)| asked));
            let fit = bytes <= self.room.frequencies() && asked.len() <= self.room.frequency_groups();
            if asked.is_empty()
                || self.job.budget().over()
                || (passes > 0 && (!fit || leaves.len() * 2 > self.room.leaves()))
            {
                let by_median = leaves.iter().map(|&leaf| nodes[leaf].above.by_median).collect();
                return Ok(GrownTree { tree, by_median, passes });
            }
            if bytes > self.room.frequencies() {
                return Err(self.room.too_small(self.job, bytes));
            }
            self.level(source, &tree, &asked, &mut nodes)?;
            passes += 1;
        }
    }

    /// One pass over the rows: counts the frequency groups of the open nodes and cuts them.
    fn level(
        &self,
        source: &dyn PartRows,
        tree: &CutTree,
        asked: &[(usize, CountRequest)],
        nodes: &mut Vec<GrowingNode>,
    ) -> Result<()> {
        let (numbers, asked): (Vec<usize>, Vec<&CountRequest>) =
            asked.iter().map(|(node, asked)| (*node, asked)).unzip();
        let counting = CountColumns { needs: self.needs, collector: self.collector, frame: self.job.frame };
        let frequencies = source.count(tree, &asked, counting)?;
        // Side by side where there is room for the lists of all workers.
        let workers = rayon::current_num_threads() as u64;
        let counts: u64 = asked.iter().map(|asked| asked.bytes(self.needs, self.job.frame)).sum();
        let lists = workers * finder_bytes(asked.iter().copied());
        let cut = |at: usize| self.cut(&frequencies, at, &nodes[numbers[at]].above);
        let found: Vec<_> = match counts + lists <= self.room.frequencies() {
            true => (0..asked.len()).into_par_iter().map(cut).collect(),
            false => (0..asked.len()).map(cut).collect(),
        };
        for (node, NodeCut { cut, held, by_median }) in numbers.into_iter().zip(found) {
            (nodes[node].open, nodes[node].above.by_median) = (false, by_median);
            let Some(cut) = cut else { continue };
            let first = nodes.len();
            nodes.extend(self.sides(&cut, &held, &nodes[node]));
            nodes[node].cut = Some((cut, (first..nodes.len()).collect()));
        }
        Ok(())
    }

    /// The cut that in-memory Mondrian would make.
    fn cut(&self, frequencies: &Frequencies<'_>, at: usize, above: &InheritedCuts) -> NodeCut {
        let frame = self.job.frame;
        let dimensions: Vec<_> =
            (0..frame.dimensions()).map(|d| Dimension::new(frame.domain(d), self.job.weights[d])).collect();
        let group = frequencies.group(at);
        let part = Part {
            hierarchy_cut: self.mondrian.hierarchy_cut,
            job: self.inner,
            dimensions: &dimensions,
            boxes: None,
            by_median: above.by_median,
            edges: &above.edges,
            rows: &group,
        };
        let mut finder = CutFinder::new(self.collector.clone());
        let limits: Vec<u32> = dimensions.iter().map(|d| d.domain.cardinality() as u32).collect();
        let cut = finder.find(&part, &limits);
        let held = finder.widths.lo.iter().copied().zip(finder.widths.hi.iter().copied());
        NodeCut { cut, held: held.collect(), by_median: finder.by_median }
    }

    /// The sides of a cut of a node that holds these codes.
    fn sides(&self, cut: &Cut, held: &[CodeRange], parent: &GrowingNode) -> Vec<GrowingNode> {
        let GrowingNode { rows, ref above, .. } = *parent;
        let node = |ranges: Vec<CodeRange>, rows: u64, left: bool| {
            let open = rows > self.room.rows();
            let above = InheritedCuts { by_median: above.by_median, edges: above.edges.beside(cut, left) };
            GrowingNode { ranges, rows, above, cut: None, open }
        };
        let within = |dimension: usize, lo: u32, hi: u32| {
            let mut ranges = held.to_vec();
            // A side without rows may lie outside of what the node holds.
            ranges[dimension] = (lo, hi.max(lo));
            ranges
        };
        match cut {
            Cut::Threshold { dimension, code, left, missing_left, .. } => {
                let (lo, hi) = held[*dimension];
                let left = u64::from(*left);
                vec![
                    node(within(*dimension, lo, missing_left.unwrap_or(*code)), left, true),
                    node(within(*dimension, code + 1, hi), rows - left, false),
                ]
            }
            Cut::Subset { left, .. } => {
                let left = u64::from(*left);
                vec![node(held.to_vec(), left, true), node(held.to_vec(), rows - left, false)]
            }
            Cut::Runs { dimension, bounds, sizes, missing } => {
                let (lo, hi) = held[*dimension];
                let mut start = lo;
                let run = |(number, (&bound, &size)): (usize, (&u32, &u32))| {
                    let last = match missing {
                        Some(missing) if missing.run == number => missing.code,
                        _ => bound.min(hi),
                    };
                    let made = node(within(*dimension, start, last), u64::from(size), false);
                    start = start.max(bound + 1);
                    made
                };
                bounds.iter().zip(sizes).enumerate().map(run).collect()
            }
        }
    }
}

/// Bytes that the search for a cut takes: the values of one dimension are listed.
pub(super) fn finder_bytes<'n>(asked: impl Iterator<Item = &'n CountRequest>) -> u64 {
    let values = |asked: &'n CountRequest| {
        let ranges = asked.ranges.iter().map(|(lo, hi)| u64::from(hi - lo) + 1);
        ranges.max().unwrap_or(0).min(asked.rows)
    };
    asked.map(values).max().unwrap_or(0) * 2 * size_of::<u32>() as u64
}

/// The cuts so far in preorder, and the nodes that are its leaves, from left to right.
fn cut_tree(nodes: &[GrowingNode]) -> (CutTree, Vec<usize>) {
    fn push(nodes: &[GrowingNode], at: usize, tree: &mut CutTree, leaves: &mut Vec<usize>) {
        match &nodes[at].cut {
            None => {
                leaves.push(at);
                tree.nodes.push(CutNode::Leaf { rows: nodes[at].rows as u32 });
            }
            Some((Cut::Runs { dimension, bounds, missing, .. }, sides)) => {
                let Some((last, others)) = sides.split_last() else { return };
                for (number, (&side, &bound)) in others.iter().zip(bounds).enumerate() {
                    let node = match missing {
                        Some(missing) if missing.run == number => {
                            tree.push_threshold_missing_left(*dimension, bound)
                        }
                        _ => tree.push_threshold(*dimension, bound, false),
                    };
                    push(nodes, side, tree, leaves);
                    tree.close_left(node);
                }
                push(nodes, *last, tree, leaves);
            }
            Some((cut, sides)) => {
                let node = match cut {
                    Cut::Threshold { dimension, code, missing_left: Some(_), .. } => {
                        tree.push_threshold_missing_left(*dimension, *code)
                    }
                    Cut::Threshold { dimension, code, .. } => tree.push_threshold(*dimension, *code, false),
                    Cut::Subset { dimension, members, .. } => tree.push_subset(*dimension, members, false),
                    Cut::Runs { .. } => unreachable!("runs are several cuts"),
                };
                push(nodes, sides[0], tree, leaves);
                tree.close_left(node);
                push(nodes, sides[1], tree, leaves);
            }
        }
    }
    let (mut tree, mut leaves) = (CutTree::default(), Vec::new());
    push(nodes, 0, &mut tree, &mut leaves);
    (tree, leaves)
}
