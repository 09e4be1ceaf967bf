//! The queue of nodes to visit, within a bounded memory.

use super::applicator::Scope;
use super::groups::TupleGroups;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A node of the enumeration that waits.
#[derive(Clone, Debug)]
pub(super) struct SchemeNode {
    /// A scope for every column.
    pub scopes: Vec<Scope>,
    /// Nothing in the scope costs less.
    pub bound: f64,
    /// Groups that are at least as fine as those of the scope's finest generalization.
    pub finer: Arc<TupleGroups>,
    /// Whether its bound and its own generalization have been looked at.
    pub seen: bool,
    /// Whether the bound is that of its scopes, or of wider ones.
    pub probed: bool,
    /// Whether this node alone keeps the groups in memory.
    pub owns: bool,
    /// Whether folding its own generalization of the other columns suppressed too many rows, so that the generalizations
    /// of the folded column are to be tried there one by one.
    pub owes: bool,
}

impl SchemeNode {
    fn bytes(&self) -> usize {
        let scopes: usize = self.scopes.iter().map(|scope| scope.must.bytes() * 2 + 64).sum();
        scopes + 160 + if self.owns { self.finer.bytes() } else { 0 }
    }
}

/// The nodes that wait. Where they take more memory than granted, the least promising are dropped; nothing is claimed of
/// what they held but their bounds.
pub(super) struct SchemeQueue {
    waiting: BTreeMap<(u64, u64), SchemeNode>,
    by_bound: bool,
    next: u64,
    bytes: usize,
    granted: usize,
    /// The least bound of a node that was dropped without being looked at.
    pub dropped: f64,
}

impl SchemeQueue {
    /// A queue that hands out the node of least bound, or else the oldest.
    pub fn new(by_bound: bool, granted: usize) -> Self {
        SchemeQueue { waiting: BTreeMap::new(), by_bound, next: 0, bytes: 0, granted, dropped: f64::INFINITY }
    }

    pub fn push(&mut self, node: SchemeNode) {
        // Bounds are not negative, so their bits are in the order of their values.
        let key = if self.by_bound { node.bound.max(0.0).to_bits() } else { 0 };
        self.bytes += node.bytes();
        self.waiting.insert((key, self.next), node);
        self.next += 1;
        while self.bytes > self.granted && self.waiting.len() > 1 {
            if let Some((_, node)) = self.waiting.pop_last() {
                self.bytes -= node.bytes();
                self.dropped = self.dropped.min(node.bound);
            }
        }
    }

    pub fn pop(&mut self) -> Option<SchemeNode> {
        let (_, node) = self.waiting.pop_first()?;
        self.bytes -= node.bytes();
        Some(node)
    }

    /// The least bound of all that waits or was dropped.
    pub fn least(&self) -> f64 {
        let waiting = match self.by_bound {
            true => self.waiting.first_key_value().map_or(f64::INFINITY, |(_, node)| node.bound),
            false => self.waiting.values().map(|node| node.bound).fold(f64::INFINITY, f64::min),
        };
        waiting.min(self.dropped)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(bound: f64) -> SchemeNode {
        SchemeNode {
            scopes: Vec::new(),
            bound,
            finer: Arc::default(),
            seen: false,
            probed: false,
            owns: false,
            owes: false,
        }
    }

    #[test]
    fn the_least_bound_comes_first_and_what_is_dropped_is_remembered() {
        let mut queue = SchemeQueue::new(true, 3 * node(0.0).bytes());
        [5.0, 2.0, 7.0, 3.0, 6.0].into_iter().for_each(|bound| queue.push(node(bound)));
        assert_eq!(queue.dropped, 6.0);
        assert_eq!(queue.least(), 2.0);
        let order: Vec<f64> = std::iter::from_fn(|| queue.pop().map(|node| node.bound)).collect();
        assert_eq!(order, [2.0, 3.0, 5.0]);
        assert_eq!(queue.least(), 6.0, "the gap stays honest when the queue is empty");
    }

    #[test]
    fn without_rearrangement_the_oldest_comes_first() {
        let mut queue = SchemeQueue::new(false, usize::MAX);
        [5.0, 2.0, 7.0].into_iter().for_each(|bound| queue.push(node(bound)));
        assert_eq!(queue.least(), 2.0);
        assert_eq!(queue.pop().map(|node| node.bound), Some(5.0));
    }
}
