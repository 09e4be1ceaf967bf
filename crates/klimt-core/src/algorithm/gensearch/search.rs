//! `Prioritized-Enumerate` (Fig. 13): branch and bound over the enumeration tree, the most promising node first.

use super::GenSearch;
use super::atlas::{Atlas, BoxId};
use super::queue::{Queue, QueueNodeId};
use super::tree::{PartitionStep, PartitionTree};
use crate::job::{Job, SearchCounts};

/// Nodes that are looked at before the proof is looked at again.
const ROUND: usize = 1024;

/// The default of `MAXSIZE`: the most partitions that the queue holds at first.
const MAX_SIZE: usize = 200;

/// How many times as many wait when the search starts again.
const WIDER: usize = 4;

/// How far sums of the same numbers in different orders can lie apart.
const ROUNDING: f64 = 1e-12;

/// The best that has been found.
pub(super) struct BestPartition {
    pub cost: f64,
    pub tree: PartitionTree,
    /// Nothing in the split set costs less than this.
    pub bound: f64,
}

/// A partition directly below another in the enumeration tree, which satisfies the requirements.
struct Child {
    step: PartitionStep,
    cost: f64,
    /// The cost of the best known refinement.
    reached: f64,
    bound: f64,
}

/// The search.
pub(super) struct Search<'s, 'a> {
    atlas: &'s mut Atlas<'a>,
    job: &'s Job<'a>,
    queue: Queue,
    max_size: usize,
    /// How many may wait when the search starts again.
    most: usize,
    probes: bool,
    best: BestPartition,
    /// The least lower bound of what was left out: not promising enough when it was met, or dropped for lack of room.
    left_out: f64,
    counts: SearchCounts,
    /// The boxes that were met by going down.
    probed: u64,
}

impl<'s, 'a> Search<'s, 'a> {
    /// Starts with the undivided space, or with another partition where that costs less.
    pub fn new(
        atlas: &'s mut Atlas<'a>,
        job: &'s Job<'a>,
        settings: &GenSearch,
        start: Option<PartitionTree>,
    ) -> Self {
        let root = PartitionTree::root();
        let (cost, bound) = (root.cost(atlas), root.least(atlas));
        let start = start.map(|tree| BestPartition { cost: tree.leaf_cost(atlas), tree, bound: 0.0 });
        let whole = BestPartition { cost, tree: root, bound: 0.0 };
        let best = start.filter(|start| start.cost < cost).unwrap_or(whole);
        let most = settings.max_size.unwrap_or(job.budget.bytes / 2 / Queue::BYTES).max(1);
        let widens = settings.max_size.is_none() && settings.probes;
        let max_size = if widens { MAX_SIZE.min(most) } else { most };
        Search {
            queue: Queue::new(settings.priority.function(), cost, bound),
            max_size,
            most,
            probes: settings.probes,
            best,
            left_out: f64::INFINITY,
            counts: SearchCounts { splits: atlas.grid.splits.len() as u64, ..SearchCounts::default() },
            probed: 0,
            atlas,
            job,
        }
    }

    /// Searches until nothing promising is left, the proof is good enough, or time, memory or patience run out.
    pub fn run(mut self) -> BestPartition {
        self.report();
        if self.probes {
            self.probe(PartitionTree::root());
        }
        while self.exhausts() && self.widens() {}
        self.update_bound();
        self.counts.boxes = self.atlas.boxes();
        self.counts.waiting = self.queue.len() as u64;
        self.job.observer.searched(self.counts);
        self.best
    }

    /// Starts again with room for more partitions to wait, where some were dropped and too little is proven. What is known
    /// of boxes stays.
    fn widens(&mut self) -> bool {
        if self.max_size >= self.most || self.best.bound >= self.limit() {
            return false;
        }
        self.max_size = self.max_size.saturating_mul(WIDER).min(self.most);
        self.left_out = f64::INFINITY;
        let root = PartitionTree::root();
        self.queue.restart(root.cost(self.atlas), root.least(self.atlas));
        true
    }

    /// Searches until nothing waits; false where it ends before.
    fn exhausts(&mut self) -> bool {
        let mut until_proof = ROUND;
        while !self.is_over() {
            if self.queue.len() >= self.max_size {
                self.make_room();
            }
            let Some(next) = self.queue.pop() else {
                self.update_bound();
                return true;
            };
            if next.bound < self.limit() {
                self.expand(next.node, next.bound);
            } else {
                self.prune(1, next.bound);
            }
            self.queue.release(next.node);
            until_proof -= 1;
            if until_proof == 0 {
                if self.proves_enough() {
                    return false;
                }
                until_proof = ROUND.max(self.queue.len() / 16);
            }
        }
        false
    }

    /// A node whose lower bound reaches this holds nothing that is better than the best by more than the allowed factor.
    ///
    /// That prunes all that the paper's `LB/Cost >= 1/c` prunes, since no node costs less than the best.
    fn limit(&self) -> f64 {
        let rows = self.job.table.rows() as u64;
        self.job.loss.lowered(self.best.cost, self.job.budget.gap.max(1.0), rows) * (1.0 - ROUNDING)
    }

    /// Nodes below which nothing costs less than a bound are not looked at.
    fn prune(&mut self, nodes: u64, bound: f64) {
        self.counts.pruned += nodes;
        self.left_out = self.left_out.min(bound);
    }

    fn is_over(&self) -> bool {
        self.job.stops() || self.atlas.is_broken_off() || self.atlas.bytes() > self.job.budget.bytes / 2
    }

    /// Updates the proven lower bound: the least over all nodes in the queue and all nodes that were dropped.
    fn update_bound(&mut self) {
        let waiting = self.queue.least().unwrap_or(f64::INFINITY);
        let bound = waiting.min(self.left_out).min(self.best.cost);
        if bound > self.best.bound {
            self.best.bound = bound;
            self.report();
        }
    }

    fn proves_enough(&mut self) -> bool {
        self.update_bound();
        self.best.bound >= self.limit()
    }

    fn report(&self) {
        self.job.observer.improved(self.best.cost, self.best.bound);
    }

    /// Generates the children of a node, and lets those wait that are promising (lines 16 to 21).
    fn expand(&mut self, node: QueueNodeId, bound: f64) {
        self.counts.opened += 1;
        let path = self.queue.path(node);
        let tree = PartitionTree::at(self.atlas, path.iter().copied());
        // Half of all boxes may be met by going down.
        if self.probes && 2 * self.probed <= self.atlas.boxes() {
            self.probe(tree.clone());
        }
        let children = self.children(&tree, bound);
        if self.atlas.is_broken_off() {
            // Not all children are known.
            self.left_out = self.left_out.min(bound);
        }
        for child in children {
            self.offer(&child, &tree);
            if child.bound < self.limit() {
                self.queue.push(node, child.step, child.cost, child.bound);
            } else {
                self.prune(1, child.bound);
            }
        }
    }

    /// Takes a partition, or what is known below it, for the best if it is.
    fn offer(&mut self, child: &Child, parent: &PartitionTree) {
        let cost = if self.probes { child.reached } else { child.cost };
        if cost < self.best.cost {
            let mut tree = parent.clone();
            tree.apply(self.atlas, child.step);
            self.take(cost, tree);
        }
    }

    fn take(&mut self, cost: f64, mut tree: PartitionTree) {
        if self.probes {
            tree.complete(self.atlas);
        }
        self.best = BestPartition { cost, tree, bound: self.best.bound };
        self.report();
    }

    /// The children of a partition that can matter; the bounds of the others are noted. A child is never bounded by
    /// less than its parent.
    fn children(&mut self, tree: &PartitionTree, bound: f64) -> Vec<Child> {
        let open: Vec<u32> = tree.open().collect();
        open.iter().for_each(|&leaf| {
            self.atlas.cuts(tree.space(leaf));
        });
        let (atlas, limit) = (&*self.atlas, self.limit());
        let of_each = |of: &dyn Fn(BoxId) -> f64| later_sums(open.iter().map(|&leaf| of(tree.space(leaf))));
        let (cost, least, reached) =
            (|part| atlas.cost(part), |part| atlas.least(part), |part| atlas.reached(part));
        let (later_costs, later_bounds, later_reached) = (of_each(&cost), of_each(&least), of_each(&reached));
        let (mut closed, mut closed_reached) = (tree.closed(), tree.closed());
        let (mut children, mut left_out) = (Vec::new(), None);
        for (passed, leaf) in open.iter().enumerate() {
            let all_below = (closed + later_bounds[passed]).max(bound);
            if all_below >= limit {
                left_out = Some(all_below);
                break;
            }
            let cuts = (0..).zip(atlas.known_cuts(tree.space(*leaf)));
            for (cut, found) in cuts.filter(|(_, cut)| tree.detect_legal_split(atlas, *leaf, cut)) {
                let sum = |of: &dyn Fn(BoxId) -> f64| found.parts.iter().map(|&part| of(part)).sum::<f64>();
                let bound = closed + sum(&least) + later_bounds[passed + 1];
                children.push(Child {
                    step: PartitionStep { passed: passed as u32, cut },
                    cost: closed + sum(&cost) + later_costs[passed + 1],
                    reached: closed_reached + sum(&reached) + later_reached[passed + 1],
                    bound: bound.max(all_below),
                });
            }
            closed += cost(tree.space(*leaf));
            closed_reached += cost(tree.space(*leaf));
        }
        if let Some(bound) = left_out {
            self.prune(1, bound);
        }
        children
    }

    /// The probe-based algorithm of section 4.2 (lines 8 to 14): a good partition beneath the most promising node makes
    /// nodes useless; where it does not, the least promising ones are dropped, and the proof remembers them.
    fn make_room(&mut self) {
        let room = (self.max_size / 2).max(1);
        loop {
            let gone = self.queue.prune(self.limit());
            self.prune(gone.nodes, gone.bound);
            let Some(first) = self.queue.peek().filter(|_| self.queue.len() > room && !self.is_over()) else {
                break;
            };
            let before = self.best.cost;
            let path = self.queue.path(first.node);
            let tree = PartitionTree::at(self.atlas, path.iter().copied());
            self.probe(tree);
            if self.best.cost >= before {
                break;
            }
        }
        let dropped = self.queue.truncate(room);
        self.counts.dropped += dropped.nodes;
        self.left_out = self.left_out.min(dropped.bound);
    }

    /// Goes down greedily from every leaf of a partition that may still be split: a good partition beneath it. What it
    /// passes by still waits in the queue, so nothing is left out here.
    fn probe(&mut self, mut tree: PartitionTree) {
        let before = self.atlas.boxes();
        let open: Vec<BoxId> = tree.open().map(|leaf| tree.space(leaf)).collect();
        let below: f64 = open.into_iter().map(|space| self.atlas.dive(space)).sum();
        self.probed += self.atlas.boxes() - before;
        let cost = tree.closed() + below;
        if cost < self.best.cost {
            tree.complete(self.atlas);
            self.take(cost, tree);
        }
    }
}

/// For each place, the sum of the numbers from there on; 0 at the end.
fn later_sums(numbers: impl DoubleEndedIterator<Item = f64>) -> Vec<f64> {
    let mut sums = vec![0.0];
    numbers.rev().for_each(|number| sums.push(sums[sums.len() - 1] + number));
    sums.reverse();
    sums
}
