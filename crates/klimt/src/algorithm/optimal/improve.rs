//! Large-neighbourhood re-solving: subtrees of a partitioning are solved again, and kept where that costs less.
//!
//! Subtrees are independent of each other, so they are solved side by side; each spends a number of boxes, not of
//! seconds, so that the result is the same for any number of threads as long as nobody stops it.

use super::dues::dues;
use super::problem::Problem;
use super::rollout::Rollout;
use super::search::{MOST_ROWS, Search};
use super::subtree::{Forest, Subtree};
use crate::partition::CutTree;
use rayon::prelude::*;

/// How a subtree is solved again.
#[derive(Clone, Copy, Debug)]
pub(super) enum Way {
    /// By a search that opens so many boxes: greedy first, then ever wider, at last every cut.
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
    pub ways: Vec<Way>,
}

/// How a pass went.
#[derive(Clone, Copy, Debug)]
pub(super) struct Passed {
    /// By how much the cost fell.
    pub gain: f64,
    /// Whether every subtree was solved to the optimum, and the whole was one subtree.
    pub optimal: bool,
}

/// Solves the subtrees of a forest again.
pub(super) fn pass(problem: &Problem<'_>, forest: &mut Forest, pass: &Pass, stop: &(dyn Fn() -> bool + Sync)) -> Passed {
    let rows = pass.rows.min(MOST_ROWS);
    let subtrees = forest.subtrees(rows);
    let whole = subtrees.len() == 1 && subtrees[0].rows.len() == forest.order.len();
    let tried: Vec<(usize, usize)> =
        (0..subtrees.len()).flat_map(|at| (0..pass.ways.len()).map(move |way| (at, way))).collect();
    let costs: Vec<f64> = subtrees.par_iter().map(|subtree| forest.cost(problem, subtree)).collect();
    let found: Vec<Found> = tried
        .par_iter()
        .map(|&(at, way)| {
            let subtree = &subtrees[at];
            if subtree.rows.len() < 2 * problem.least_side() || stop() {
                return Found { better: None, optimal: false };
            }
            solve_again(problem, &forest.order[subtree.rows.clone()], costs[at], pass.ways[way], stop)
        })
        .collect();
    let optimal = whole && found.iter().any(|found| found.optimal);
    let (mut better, mut gain): (Vec<(Subtree, Forest)>, f64) = (Vec::new(), 0.0);
    for (at, found) in found.chunks(pass.ways.len()).enumerate() {
        let best = found.iter().filter_map(|found| found.better.as_ref()).min_by(|a, b| a.1.total_cmp(&b.1));
        if let Some((forest, cost)) = best {
            gain += costs[at] - cost;
            better.push((subtrees[at].clone(), forest.clone()));
        }
    }
    if !better.is_empty() {
        *forest = forest.replaced(&better);
    }
    Passed { gain, optimal }
}

/// What came of solving a subtree again.
struct Found {
    /// A better subtree, with its cost.
    better: Option<(Forest, f64)>,
    /// Whether nothing better exists than the better of the old one and this one.
    optimal: bool,
}

fn solve_again(
    problem: &Problem<'_>,
    rows: &[u32],
    before: f64,
    way: Way,
    stop: &(dyn Fn() -> bool + Sync),
) -> Found {
    let (search, optimal) = match way {
        Way::Search { boxes } => {
            let mut search = Search::new(boxes, stop);
            let optimal = widen(&mut search, problem, rows, before);
            (search, optimal)
        }
        Way::Rollout(how) => {
            let mut search = Search::new(u64::MAX, stop);
            search.roll_out(problem, rows, how.depth, &how);
            (search, false)
        }
    };
    let mut forest = Forest { tree: CutTree::default(), order: Vec::with_capacity(rows.len()) };
    search.plant(problem, rows, &mut forest.tree, &mut forest.order);
    // A partition is costed anew before it is believed.
    let whole = Subtree { nodes: 0..forest.tree.nodes.len(), rows: 0..rows.len() };
    let cost = forest.cost(problem, &whole);
    Found { better: (cost < before).then_some((forest, cost)), optimal }
}

/// Searches with ever more cuts per box; whether all of them were tried at last.
fn widen(search: &mut Search<'_>, problem: &Problem<'_>, rows: &[u32], before: f64) -> bool {
    const WIDEST: usize = 8;
    let dues = dues(problem, rows);
    let mut width = 1;
    loop {
        search.widen(width);
        let boxes = search.boxes;
        search.solve(problem, rows, dues.clone(), before);
        if search.boxes == 0 || width == usize::MAX {
            return search.boxes > 0;
        }
        let costly = (boxes - search.boxes) * 8 > search.boxes;
        width = if costly || width >= WIDEST { usize::MAX } else { width * 2 };
    }
}
