//! The proof: lower bounds on what any partition costs.
//!
//! Bounds that need no search come first: as many groups as possible, as equal as possible; what each row pays at least;
//! what the loss promises. Then a rising threshold: a search for a partition that costs less than the threshold ends
//! with one, which is the best there is, or with the proof that there is none. For large k most of the gap is the number
//! of groups: a threshold between the balanced costs of two numbers of groups asks whether the larger one is possible.

use super::dues::dues;
use super::problem::OptimalProblem;
use super::search::{Search, SearchBounds};
use super::subtree::Forest;
use crate::partition::CutTree;
use std::time::Instant;

/// Bytes that a known box takes.
const BOX_BYTES: usize = 80;

/// A search that opens this many boxes without raising the bound is given up.
const IN_VAIN: u64 = 300_000;

/// The share of the time that may be spent on what each row pays.
const DUES_SHARE: u32 = 4;

/// Raises the lower bound of the partitions of a table.
pub(super) struct Prover<'a> {
    rows: Vec<u32>,
    dues: Vec<f64>,
    search: Option<Search<'a>>,
    most_boxes: usize,
    /// No partition costs less.
    pub lower: f64,
    /// How far the next threshold lies above the lower bound, as a share of the gap.
    reach: f64,
}

impl<'a> Prover<'a> {
    /// The bounds that need no search, which take a share of the time only.
    pub fn new(
        problem: &OptimalProblem<'_>,
        until: Option<Instant>,
        stop: &'a (dyn Fn() -> bool + Sync + 'a),
    ) -> Self {
        let rows: Vec<u32> = (0..problem.table.rows() as u32).collect();
        let now = Instant::now();
        let share = until.map(|until| now + until.saturating_duration_since(now) / DUES_SHARE);
        let enough = || stop() || share.is_some_and(|share| Instant::now() >= share);
        let dues = dues(problem, &rows, &enough);
        let mut lower = problem.balance(rows.len() as u64).max(dues.iter().sum());
        if problem.price.is_none() {
            lower = lower.max(problem.promised(&rows));
        }
        let search = (rows.len() <= problem.room.rows).then(|| Search::new(0, stop));
        Prover { rows, dues, search, most_boxes: problem.room.known / BOX_BYTES, lower, reach: 1.0 / 64.0 }
    }

    /// Searches on with this many more boxes, below the cost of the best partition known; returns a better one if there
    /// is one.
    pub fn search(&mut self, problem: &OptimalProblem<'_>, found: f64, boxes: u64) -> Option<Forest> {
        let search = self.search.as_mut()?;
        search.boxes = boxes;
        let before = self.lower;
        let mut best = None;
        let mut upper = found;
        while search.boxes > 0 && self.lower < upper {
            if search.known_boxes() > self.most_boxes {
                self.search = None;
                break;
            }
            let threshold =
                if self.reach >= 0.5 { upper } else { self.lower + (upper - self.lower) * self.reach };
            let SearchBounds { lower, upper: reached } =
                search.solve(problem, &self.rows, self.dues.clone(), threshold);
            self.lower = self.lower.max(lower.min(upper));
            if reached < upper {
                upper = reached;
                let mut forest = Forest { tree: CutTree::default(), order: Vec::new() };
                search.plant(problem, &self.rows, &mut forest.tree, &mut forest.order);
                best = Some(forest);
            }
            self.reach = (self.reach * 2.0).min(1.0);
        }
        if self.lower <= before && boxes >= IN_VAIN {
            self.search = None;
        }
        best
    }

    /// The rows of the table.
    pub fn rows(&self) -> usize {
        self.rows.len()
    }

    /// Whether the search can go on.
    pub fn is_alive(&self) -> bool {
        self.search.is_some()
    }
}
