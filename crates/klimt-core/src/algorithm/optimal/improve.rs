//! Large-neighbourhood re-solving: subtrees of a partitioning are solved again, and kept where that costs less.
//!
//! Subtrees are independent of each other, so they are solved side by side; each spends a number of boxes, not of
//! seconds, so that the result is the same for any number of threads unless it is stopped.

use super::dues::dues;
use super::problem::OptimalProblem;
use super::rollout::Rollout;
use super::search::Search;
use super::subtree::{Forest, Subtree};
use crate::partition::CutTree;
use rayon::prelude::*;

/// How a subtree is solved again.
#[derive(Clone, Copy, Debug)]
pub(super) enum ImproveMethod {
    /// By a search that opens this number of boxes: greedy first, then ever wider, at last every cut.
    Search {
        /// How many.
        boxes: u64,
    },
    /// By nested rollouts.
    Rollout(Rollout),
}

/// One pass over a partitioning.
#[derive(Clone, Debug)]
pub(super) struct Pass {
    /// The most rows of a subtree.
    pub rows: usize,
    /// All are tried, and the best result is kept.
    pub ways: Vec<ImproveMethod>,
}

/// Solves the subtrees of a forest again; returns by how much the cost fell.
pub(super) fn pass(
    problem: &OptimalProblem<'_>,
    forest: &mut Forest,
    pass: &Pass,
    stop: &(dyn Fn() -> bool + Sync),
) -> f64 {
    let rows = pass.rows.min(problem.room.rows);
    // A greedy search of many rows would be led astray by what a few without a value cost.
    let few = FEW_MIXED * problem.minimum();
    let divides = |rows: &[u32]| rows.len() > few && problem.mixes_missing(rows);
    let subtrees = forest.subtrees(rows, divides);
    let tried: Vec<(usize, usize)> =
        (0..subtrees.len()).flat_map(|at| (0..pass.ways.len()).map(move |way| (at, way))).collect();
    let solve = |&(at, way): &(usize, usize)| {
        let subtree = &subtrees[at];
        let before = forest.cost(problem, subtree);
        let hopeless = subtree.rows.len() < 2 * problem.least_side() || before <= 0.0;
        let better = if hopeless || stop() {
            None
        } else {
            solve_again(problem, &forest.order[subtree.rows.clone()], before, pass.ways[way], stop)
        };
        ImproveResult { before, better }
    };
    // As many at a time as there is memory for.
    let side_by_side = problem.room.parts(problem.table, rows);
    let some = |some: &[(usize, usize)]| some.par_iter().map(solve).collect::<Vec<ImproveResult>>();
    let found: Vec<ImproveResult> = tried.chunks(side_by_side).flat_map(some).collect();
    let (mut better, mut gain): (Vec<(Subtree, Forest)>, f64) = (Vec::new(), 0.0);
    for (at, found) in found.chunks(pass.ways.len()).enumerate() {
        let each = found.iter().filter_map(|tried| tried.better.as_ref());
        if let Some((forest, cost)) = each.min_by(|a, b| a.1.total_cmp(&b.1)) {
            gain += found[0].before - cost;
            better.push((subtrees[at].clone(), forest.clone()));
        }
    }
    if !better.is_empty() {
        *forest = forest.replaced(&better);
    }
    gain
}

/// Subtrees with at most this many times the rows of a group are solved again even where values are missing.
const FEW_MIXED: usize = 8;

/// The result of one way to improve a subtree.
struct ImproveResult {
    /// The cost of the subtree before.
    before: f64,
    /// A better one, with its cost.
    better: Option<(Forest, f64)>,
}

/// A better subtree over some rows, with its cost.
fn solve_again(
    problem: &OptimalProblem<'_>,
    rows: &[u32],
    before: f64,
    way: ImproveMethod,
    stop: &(dyn Fn() -> bool + Sync),
) -> Option<(Forest, f64)> {
    let search = match way {
        ImproveMethod::Search { boxes } => {
            let mut search = Search::new(boxes, stop);
            widen(&mut search, problem, rows, before);
            search
        }
        ImproveMethod::Rollout(how) => {
            let mut search = Search::new(u64::MAX, stop);
            search.slant = how.slant;
            search.roll_out(problem, rows, how.depth, &how);
            search
        }
    };
    let mut forest = Forest { tree: CutTree::default(), order: Vec::with_capacity(rows.len()) };
    search.plant(problem, rows, &mut forest.tree, &mut forest.order);
    // A partition is costed anew before it is believed.
    let whole = Subtree { nodes: 0..forest.tree.nodes.len(), rows: 0..rows.len() };
    let cost = forest.cost(problem, &whole);
    (cost < before).then_some((forest, cost))
}

/// Searches with ever more cuts per box, at last with all of them.
fn widen(search: &mut Search<'_>, problem: &OptimalProblem<'_>, rows: &[u32], before: f64) {
    const WIDEST: usize = 8;
    let dues = dues(problem, rows, &|| search.is_stopped());
    let mut width = 1;
    loop {
        search.widen(width);
        let boxes = search.boxes;
        search.solve(problem, rows, dues.clone(), before);
        if search.boxes == 0 || width == usize::MAX {
            return;
        }
        let costly = (boxes - search.boxes) * 8 > search.boxes;
        width = if costly || width >= WIDEST { usize::MAX } else { width * 2 };
    }
}
