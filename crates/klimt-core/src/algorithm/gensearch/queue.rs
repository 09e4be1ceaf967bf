//! The queue of unvisited nodes of the enumeration tree, with their ancestors.

use super::priority::PriorityFunction;
use super::tree::PartitionStep;
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// The number of a node.
pub(super) type QueueNodeId = u32;

/// A node: a partition, as the step from the one above it.
#[derive(Clone, Copy, Debug)]
struct QueueNode {
    parent: QueueNodeId,
    /// How many nodes below it and places in the queue need it.
    uses: u32,
    step: PartitionStep,
}

/// A place in the queue.
#[derive(Clone, Copy, Debug)]
pub(super) struct QueueEntry {
    key: (f64, f64),
    /// Of equal keys the latest comes first, so that a search among equals goes down.
    number: u64,
    pub bound: f64,
    pub node: QueueNodeId,
}

impl Ord for QueueEntry {
    fn cmp(&self, other: &Self) -> Ordering {
        let by_key = self.key.0.total_cmp(&other.key.0).then(self.key.1.total_cmp(&other.key.1));
        by_key.reverse().then(self.number.cmp(&other.number))
    }
}

impl PartialOrd for QueueEntry {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for QueueEntry {
    fn eq(&self, other: &Self) -> bool {
        self.number == other.number
    }
}

impl Eq for QueueEntry {}

/// The priority queue of `Prioritized-Enumerate`, with the part of the enumeration tree above its nodes.
pub(super) struct Queue {
    priority: &'static dyn PriorityFunction,
    heap: BinaryHeap<QueueEntry>,
    nodes: Vec<QueueNode>,
    free: Vec<QueueNodeId>,
    pushed: u64,
}

/// Nodes that no longer wait.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct DroppedNodes {
    /// How many.
    pub nodes: u64,
    /// The least of their lower bounds.
    pub bound: f64,
}

/// The node without a step: the undivided space.
const UNDIVIDED: QueueNodeId = 0;

impl Queue {
    /// Bytes of an entry of the queue, with a node and a share of its ancestors.
    pub const BYTES: usize = size_of::<QueueEntry>() + 2 * size_of::<QueueNode>();

    /// The undivided space waits.
    pub fn new(priority: &'static dyn PriorityFunction, cost: f64, bound: f64) -> Self {
        let root = QueueNode { parent: UNDIVIDED, uses: 1, step: PartitionStep { passed: 0, cut: 0 } };
        let mut queue =
            Queue { priority, heap: BinaryHeap::new(), nodes: vec![root], free: Vec::new(), pushed: 0 };
        queue.insert(UNDIVIDED, cost, bound);
        queue
    }

    /// The undivided space waits again, and nothing else.
    pub fn restart(&mut self, cost: f64, bound: f64) {
        *self = Queue::new(self.priority, cost, bound);
    }

    /// How many nodes wait.
    pub fn len(&self) -> usize {
        self.heap.len()
    }

    /// The node to look at next, which stays.
    pub fn peek(&self) -> Option<QueueEntry> {
        self.heap.peek().copied()
    }

    /// The node to look at next. It must be released when everything below it that matters has been pushed.
    pub fn pop(&mut self) -> Option<QueueEntry> {
        self.heap.pop()
    }

    /// A node waits: the partition that a step makes of that of another node.
    pub fn push(&mut self, parent: QueueNodeId, step: PartitionStep, cost: f64, bound: f64) {
        let node = QueueNode { parent, uses: 1, step };
        self.nodes[parent as usize].uses += 1;
        let id = match self.free.pop() {
            Some(id) => {
                self.nodes[id as usize] = node;
                id
            }
            None => {
                self.nodes.push(node);
                self.nodes.len() as QueueNodeId - 1
            }
        };
        self.insert(id, cost, bound);
    }

    fn insert(&mut self, node: QueueNodeId, cost: f64, bound: f64) {
        self.pushed += 1;
        self.heap.push(QueueEntry { key: self.priority.key(cost, bound), number: self.pushed, bound, node });
    }

    /// A node that was popped is no longer needed, nor are the ancestors that only it needed.
    pub fn release(&mut self, mut node: QueueNodeId) {
        loop {
            let at = &mut self.nodes[node as usize];
            at.uses -= 1;
            if at.uses > 0 || node == UNDIVIDED {
                return;
            }
            let parent = at.parent;
            self.free.push(node);
            node = parent;
        }
    }

    /// The steps from the undivided space to a node.
    pub fn path(&self, mut node: QueueNodeId) -> Vec<PartitionStep> {
        let mut path = Vec::new();
        while node != UNDIVIDED {
            path.push(self.nodes[node as usize].step);
            node = self.nodes[node as usize].parent;
        }
        path.reverse();
        path
    }

    /// The least lower bound of what waits, if anything does.
    pub fn least(&self) -> Option<f64> {
        match self.priority.is_bound() {
            true => self.peek().map(|first| first.bound),
            false => self.heap.iter().map(|waiting| waiting.bound).min_by(f64::total_cmp),
        }
    }

    /// Forgets the nodes whose lower bound is at least a limit.
    pub fn prune(&mut self, limit: f64) -> DroppedNodes {
        let (kept, gone) =
            std::mem::take(&mut self.heap).into_vec().into_iter().partition(|w| w.bound < limit);
        self.heap = BinaryHeap::from(kept);
        self.forget(gone)
    }

    /// Forgets the least promising nodes so that at most `length` are left.
    pub fn truncate(&mut self, length: usize) -> DroppedNodes {
        let mut all = std::mem::take(&mut self.heap).into_vec();
        all.sort_unstable_by(|a, b| b.cmp(a));
        let gone = all.split_off(length.min(all.len()));
        self.heap = BinaryHeap::from(all);
        self.forget(gone)
    }

    fn forget(&mut self, gone: Vec<QueueEntry>) -> DroppedNodes {
        gone.iter().for_each(|waiting| self.release(waiting.node));
        let bound = gone.iter().map(|waiting| waiting.bound).fold(f64::INFINITY, f64::min);
        DroppedNodes { nodes: gone.len() as u64, bound }
    }
}

#[cfg(test)]
mod tests {
    use super::super::priority::Priority;
    use super::*;

    fn step(cut: u32) -> PartitionStep {
        PartitionStep { passed: 0, cut }
    }

    #[test]
    fn ancestors_stay_as_long_as_they_are_needed() {
        let mut queue = Queue::new(Priority::Bound.function(), 9.0, 1.0);
        let root = queue.pop().unwrap();
        queue.push(root.node, step(1), 8.0, 2.0);
        queue.push(root.node, step(2), 7.0, 3.0);
        queue.release(root.node);
        let first = queue.pop().unwrap();
        queue.push(first.node, step(3), 6.0, 2.5);
        queue.release(first.node);
        assert_eq!(queue.least(), Some(2.5));
        let second = queue.pop().unwrap();
        assert_eq!(queue.path(second.node), [step(1), step(3)]);
        queue.release(second.node);
        assert_eq!(queue.free.len(), 2);
        assert_eq!(queue.prune(3.0), DroppedNodes { nodes: 1, bound: 3.0 });
        assert_eq!((queue.len(), queue.free.len()), (0, 3));
    }

    #[test]
    fn the_worst_are_dropped_first() {
        for (priority, kept) in [(Priority::Bound, 3), (Priority::Cost, 2), (Priority::Ratio, 1)] {
            let mut queue = Queue::new(priority.function(), 9.0, 1.0);
            let root = queue.pop().unwrap();
            queue.push(root.node, step(1), 8.0, 2.5);
            queue.push(root.node, step(2), 3.5, 3.0);
            queue.push(root.node, step(3), 4.0, 2.0);
            assert_eq!(queue.truncate(1).bound, if kept == 3 { 2.5 } else { 2.0 }, "{priority:?}");
            assert_eq!(queue.path(queue.peek().unwrap().node), [step(kept)], "{priority:?}");
        }
    }
}
