//! `Prioritized-Enumerate` (Fig. 13): branch and bound over the enumeration tree, the most promising node first.

use super::atlas::Atlas;
use super::queue::{NodeId, Priority, Queue};
use super::tree::{Step, Tree};
use crate::partition::Job;

/// Nodes that are looked at before the proof is looked at again.
const ROUND: usize = 1024;

/// The best that has been found.
pub(super) struct Found {
    pub cost: f64,
    /// The way to it in the enumeration tree; none where it came from elsewhere.
    pub path: Option<Vec<Step>>,
    /// Nothing in the split set costs less than this.
    pub bound: f64,
}

/// A partition directly below another in the enumeration tree, which satisfies the requirements.
struct Child {
    step: Step,
    cost: f64,
    bound: f64,
}

/// The search.
pub(super) struct Search<'s, 'a> {
    atlas: &'s mut Atlas<'a>,
    job: &'s Job<'a>,
    queue: Queue,
    max_size: usize,
    best: Found,
    /// The least lower bound of what was left out: not promising enough when it was met, or dropped for lack of room.
    left_out: f64,
}

impl<'s, 'a> Search<'s, 'a> {
    /// Starts with the undivided space, and with the cost of a partitioning from elsewhere, if there is one.
    pub fn new(
        atlas: &'s mut Atlas<'a>,
        job: &'s Job<'a>,
        priority: Priority,
        max_size: Option<usize>,
        seed: Option<f64>,
    ) -> Self {
        let root = Tree::root();
        let (cost, bound) = (root.cost(atlas), root.least(atlas));
        let path = seed.is_none_or(|seed| cost < seed).then(Vec::new);
        let best = Found { cost: seed.map_or(cost, |seed| seed.min(cost)), path, bound: 0.0 };
        let max_size = max_size.unwrap_or(job.budget.bytes / 2 / Queue::BYTES).max(1);
        let queue = Queue::new(priority, cost, bound);
        Search { atlas, job, queue, max_size, best, left_out: f64::INFINITY }
    }

    /// Searches until nothing promising is left, the proof is good enough, or time, memory or patience run out.
    pub fn run(mut self) -> Found {
        self.report();
        let undivided = Tree::root();
        self.probe(undivided, Vec::new());
        let mut until_proof = ROUND;
        while !self.is_over() {
            if self.queue.len() >= self.max_size {
                self.make_room();
            }
            let Some(next) = self.queue.pop() else { break };
            if next.bound < self.limit() {
                self.expand(next.node, next.bound);
            } else {
                self.leave_out(next.bound);
            }
            self.queue.release(next.node);
            until_proof -= 1;
            if until_proof == 0 {
                if self.proves_enough() {
                    break;
                }
                until_proof = ROUND.max(self.queue.len() / 16);
            }
        }
        self.update_bound();
        self.best
    }

    /// A node whose lower bound reaches this holds nothing that is better than the best by more than the allowed factor.
    ///
    /// That prunes all that the paper's `LB/Cost >= 1/c` prunes, since no node costs less than the best.
    fn limit(&self) -> f64 {
        let rows = self.job.table.rows() as u64;
        self.job.loss.lowered(self.best.cost, self.job.budget.gap.max(1.0), rows)
    }

    fn leave_out(&mut self, bound: f64) {
        self.left_out = self.left_out.min(bound);
    }

    fn is_over(&self) -> bool {
        self.job.stops() || self.atlas.is_broken_off() || self.atlas.bytes() > self.job.budget.bytes / 2
    }

    /// What is proven now: nothing below a node costs less than its lower bound, be it in the queue or left out.
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
    fn expand(&mut self, node: NodeId, bound: f64) {
        let path = self.queue.path(node);
        let tree = Tree::at(self.atlas, path.iter().copied());
        let children = self.children(&tree, bound);
        if self.atlas.is_broken_off() {
            // Not all children are known.
            self.leave_out(bound);
        }
        for child in children {
            self.offer(&child, &path);
            if child.bound < self.limit() {
                self.queue.push(node, child.step, child.cost, child.bound);
            } else {
                self.leave_out(child.bound);
            }
        }
    }

    /// Takes a partition for the best if it is.
    fn offer(&mut self, child: &Child, path: &[Step]) {
        if child.cost < self.best.cost {
            let path = path.iter().copied().chain([child.step]).collect();
            self.best = Found { cost: child.cost, path: Some(path), bound: self.best.bound };
            self.report();
        }
    }

    /// The children of a partition that can matter; the bounds of the others are noted. A child is never bounded by
    /// less than its parent.
    fn children(&mut self, tree: &Tree, bound: f64) -> Vec<Child> {
        let open: Vec<u32> = tree.open().collect();
        open.iter().for_each(|&leaf| {
            self.atlas.cuts(tree.space(leaf));
        });
        let atlas = &*self.atlas;
        let cost = |leaf: &u32| atlas.cost(tree.space(*leaf));
        let later_costs = later_sums(open.iter().map(cost));
        let later_bounds = later_sums(open.iter().map(|&leaf| atlas.least(tree.space(leaf))));
        let mut closed = tree.closed();
        let (mut children, mut left_out) = (Vec::new(), f64::INFINITY);
        for (passed, leaf) in open.iter().enumerate() {
            let all_below = (closed + later_bounds[passed]).max(bound);
            if all_below >= self.limit() {
                left_out = all_below;
                break;
            }
            let cuts = (0..).zip(atlas.known_cuts(tree.space(*leaf)));
            for (cut, found) in cuts.filter(|(_, cut)| tree.detect_legal_split(atlas, *leaf, cut)) {
                let sum = |of: &dyn Fn(u32) -> f64| found.parts.iter().map(|&part| of(part)).sum::<f64>();
                let least = closed + sum(&|part| atlas.least(part)) + later_bounds[passed + 1];
                children.push(Child {
                    step: Step { passed: passed as u32, cut },
                    cost: closed + sum(&|part| atlas.cost(part)) + later_costs[passed + 1],
                    bound: least.max(all_below),
                });
            }
            closed += cost(leaf);
        }
        self.leave_out(left_out);
        children
    }

    /// The probe-based algorithm of section 4.2 (lines 8 to 14): a good partition beneath the most promising node makes
    /// nodes useless; where it does not, the least promising ones are dropped, and the proof remembers them.
    fn make_room(&mut self) {
        let room = (self.max_size / 2).max(1);
        loop {
            let gone = self.queue.prune(self.limit());
            self.leave_out(gone);
            let Some(first) = self.queue.peek().filter(|_| self.queue.len() > room && !self.is_over()) else {
                break;
            };
            let before = self.best.cost;
            let path = self.queue.path(first.node);
            let tree = Tree::at(self.atlas, path.iter().copied());
            self.probe(tree, path);
            if self.best.cost >= before {
                break;
            }
        }
        let dropped = self.queue.truncate(room);
        self.leave_out(dropped);
    }

    /// Goes down greedily: to the child with the least lower bound, of equal ones to the cheapest, until there is none.
    /// What it passes by still waits in the queue, so nothing is left out here.
    fn probe(&mut self, mut tree: Tree, mut path: Vec<Step>) {
        let left_out = self.left_out;
        while !self.is_over() {
            let children = self.children(&tree, 0.0);
            children.iter().for_each(|child| self.offer(child, &path));
            let better = |a: &&Child, b: &&Child| {
                a.bound
                    .total_cmp(&b.bound)
                    .then(a.cost.total_cmp(&b.cost))
                    .then(a.step.passed.cmp(&b.step.passed))
            };
            let Some(next) = children.iter().min_by(better).filter(|next| next.bound < self.limit()) else {
                break;
            };
            tree.apply(self.atlas, next.step);
            path.push(next.step);
        }
        self.left_out = left_out;
    }
}

/// For each place, the sum of the numbers from there on; 0 at the end.
fn later_sums(numbers: impl DoubleEndedIterator<Item = f64>) -> Vec<f64> {
    let mut sums = vec![0.0];
    numbers.rev().for_each(|number| sums.push(sums[sums.len() - 1] + number));
    sums.reverse();
    sums
}
