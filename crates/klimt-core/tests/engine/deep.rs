//! Chains of cuts as long as there are groups: what goes down them keeps its place in memory, not on the stack.

use crate::common::table;
use crate::optimal::job;
use klimt_core::algorithm::optimal::{Effort, branch_and_bound, improve};
use klimt_core::loss::Discernibility;
use klimt_core::partition::{CutNode, CutTree, Partitioning};
use klimt_core::registry;
use klimt_core::requirement::Checks;
use klimt_core::table::Table;

/// A stack that holds a few boxes of many rows, and no chain of them.
const STACK: usize = 512 << 10;

/// How many rows share a category.
const ALIKE: usize = 25;

/// Categories, of which a cut can only separate one from the others.
fn chained(categories: usize) -> Table {
    let rows: Vec<Vec<String>> =
        (0..categories * ALIKE).map(|row| vec![format!("c{}", row % categories)]).collect();
    table(&rows, &[])
}

/// The most cuts on the way to a leaf.
fn depth(tree: &CutTree) -> usize {
    let mut most = 0;
    let mut pending = vec![(0, 0)];
    while let Some((at, depth)) = pending.pop() {
        most = most.max(depth);
        if !matches!(tree.nodes[at], CutNode::Leaf { .. }) {
            pending.extend([(at + 1, depth + 1), (at + tree.right(at), depth + 1)]);
        }
    }
    most
}

/// Runs in threads with a small stack.
fn on_a_small_stack<R: Send>(run: impl FnOnce() -> R + Send) -> R {
    rayon::ThreadPoolBuilder::new().num_threads(1).stack_size(STACK).build().unwrap().install(run)
}

fn requirements(table: &Table) -> Checks {
    Checks::new(&[registry::requirement("k", "", &ALIKE.to_string()).unwrap()], table).unwrap()
}

#[test]
fn a_rollout_down_a_long_chain_does_not_overflow_the_stack() {
    let table = chained(200);
    let bound = requirements(&table);
    let job = job(&table, &bound, &Discernibility, &[1.0]);
    let mut uncut = CutTree::default();
    uncut.nodes.push(CutNode::Leaf { rows: table.rows() as u32 });
    let start = Partitioning::planted(&table, uncut).unwrap();
    let better = on_a_small_stack(|| improve(&job, start, Effort::Balanced).unwrap());
    let depth = depth(better.tree.as_ref().unwrap());
    assert!(depth > 150, "a chain of {depth} cuts");
}

#[test]
fn a_search_down_a_long_chain_does_not_overflow_the_stack() {
    let table = chained(200);
    let bound = requirements(&table);
    let job = job(&table, &bound, &Discernibility, &[1.0]);
    let best = on_a_small_stack(|| branch_and_bound(&job, None, 1_000).unwrap()).unwrap();
    assert_eq!(best.cost, (200 * ALIKE * ALIKE) as f64, "every category is a group");
}
