//! The order of the steps of a search, from the first greedy partitioning to the last proof.

use super::improve::{ImproveMethod, Pass, pass};
use super::problem::{OptimalPricing, OptimalProblem, SLANTS};
use super::prove::Prover;
use super::rollout::Rollout;
use super::subtree::{Forest, Subtree};
use crate::Choice;
use crate::Result;
use crate::job::Job;
use crate::partition::{CutNode, CutTree, Family, LowerBound, Partitioning};
use crate::region::{Extents, Regions};
use crate::statistics::Collector;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// How much is spent on a better partition.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Effort {
    /// Nothing: what the algorithm finds is published.
    #[default]
    Fast,
    /// Subtrees are rolled out once.
    Balanced,
    /// Subtrees are solved again and again, until nothing gets better or the time is over.
    Best,
}

impl Choice for Effort {
    const ALL: &'static [(Self, &'static str, &'static str)] = &[
        (Effort::Fast, "fast", "Publish what the algorithm finds"),
        (Effort::Balanced, "balanced", "Look ahead once: a better release for a little more time"),
        (Effort::Best, "best", "Solve parts again until nothing gets better or the time is over"),
    ];
}

/// Lowers the cost of a partitioning that kept its cuts, and never raises it. What was proven of its family holds where
/// nothing got better, or where the family is that of all boxes. What starts with boundaries that are wide enough keeps
/// them so, and nothing is proven of it.
pub fn improve(job: &Job<'_>, start: Partitioning, effort: Effort) -> Result<Partitioning> {
    if effort == Effort::Fast {
        return Ok(start);
    }
    let before = start.clone();
    let mut after = keep_better(job, start, |start| improve_cuts(job, start, effort))?;
    if job.requirements.restricts_boundaries() {
        after.bound = None;
    }
    let (old, new) = (published_cost(job, &before)?, published_cost(job, &after)?);
    if new >= old - old.abs() * ROUNDING {
        let proven = after.bound.filter(|_| are_boxes(&before));
        let bound = match (before.bound.clone(), proven) {
            (Some(known), Some(proven)) => {
                let is_alike = !known.suppresses && known.extents == proven.extents;
                Some(if is_alike && proven.sum > known.sum { proven } else { known })
            }
            (known, proven) => known.or(proven),
        };
        return Ok(Partitioning { bound, ..before });
    }
    let suppresses = |bound: &LowerBound| bound.suppresses;
    let known = before.bound.filter(|bound| bound.family == Family::Boxes && are_boxes(&after));
    if known.as_ref().is_some_and(suppresses) && !after.bound.as_ref().is_some_and(suppresses) {
        after.bound = known;
    }
    Ok(after)
}

/// Whether a partitioning is of the family of boxes: copies of a tuple are together, and rows without a value are on the
/// right of every cut.
pub(super) fn are_boxes(partitioning: &Partitioning) -> bool {
    partitioning.strict && !partitioning.tree.as_ref().is_none_or(CutTree::has_missing_left)
}

/// The result of a search, or the partitioning it started from where that costs less as it is published:
/// groups that are published alike are merged, which can undo a gain.
pub(super) fn keep_better(
    job: &Job<'_>,
    start: Partitioning,
    search: impl FnOnce(Partitioning) -> Result<Partitioning>,
) -> Result<Partitioning> {
    let merges =
        (0..job.table.dimensions()).any(|dimension| job.table.domain(dimension).hierarchy().is_some());
    let before = merges.then(|| start.clone());
    let after = search(start)?;
    match before {
        Some(before) if published_cost(job, &before)? < published_cost(job, &after)? => {
            let bound = after.bound.filter(|_| are_boxes(&before)).or_else(|| before.bound.clone());
            Ok(Partitioning { bound, ..before })
        }
        _ => Ok(after),
    }
}

fn improve_cuts(job: &Job<'_>, start: Partitioning, effort: Effort) -> Result<Partitioning> {
    let problem = OptimalProblem::new(job, None)?;
    match effort {
        Effort::Fast => Ok(start),
        Effort::Balanced => {
            // What was proven of boxes is true of other boxes; other families are left behind.
            let bound = start.bound.clone().filter(|bound| bound.family == Family::Boxes);
            let strict = start.strict;
            let mut forest = Forest { tree: start.tree.expect("the cuts are kept"), order: start.order };
            let whole = forest.order.len() <= problem.room.rows;
            let (rows, boxes) = if whole { (problem.room.rows, 100) } else { (LARGE_SUBTREE, 40) };
            let first = Pass { rows, ways: vec![ImproveMethod::Rollout(greedy(&problem, boxes))] };
            pass(&problem, &mut forest, &first, &|| job.stops());
            let mut better = finish(&problem, forest, strict);
            better.bound = bound.filter(|_| are_boxes(&better));
            Ok(better)
        }
        Effort::Best => {
            // What is proven of a split set is no more than what could be proven of all boxes.
            let proves = !matches!(&start.bound, Some(LowerBound { family: Family::Splits(_), .. }));
            SearchPlan { job, problem: &problem, proves }.run(start, &mut |_| Ok(None))
        }
    }
}

/// The most rows of a subtree that is rolled out at balanced effort, in tables that are too large to be rolled out
/// whole.
const LARGE_SUBTREE: usize = 512;
/// Rounds after which nothing more is tried, however long it may take.
const LAST_ROUND: usize = 12;
/// The boxes that the first round of the proof opens.
const BOXES: u64 = 20_000;
/// The boxes that a search of a subtree opens in the first round.
const FIRST_BOXES: u64 = 1_500;
/// Passes without gain after which the search for better partitions ends.
const PATIENCE: usize = 2;

/// Greedy, with a short search at the bottom.
fn greedy(problem: &OptimalProblem<'_>, boxes: u64) -> Rollout {
    Rollout { depth: 0, deep: 0, width: 1, bottom: 5 * problem.minimum() as u32, boxes, slant: 0 }
}

/// A search for the best partition.
pub(super) struct SearchPlan<'a> {
    pub job: &'a Job<'a>,
    pub problem: &'a OptimalProblem<'a>,
    /// Whether it goes on where nothing gets better, and more can be proven.
    pub proves: bool,
}

/// A callback between two rounds; it ends the search by returning a partitioning.
pub(super) type RoundHook<'b> = &'b mut dyn FnMut(&Best) -> Result<Option<Partitioning>>;

impl SearchPlan<'_> {
    /// One more round of passes over the best partition known.
    fn round(&self, best: &mut Best) -> f64 {
        let mut forest = best.forest.clone();
        let gained = self.improve_round(&mut forest, best.rounds);
        best.rounds += 1;
        best.offer(self.problem, forest);
        gained
    }

    /// Searches until the proof is good enough, nothing gets better, or the time is over.
    pub fn run(&self, start: Partitioning, between: RoundHook<'_>) -> Result<Partitioning> {
        let (job, problem) = (self.job, self.problem);
        let mut best = Best::new(problem, start);
        let stop = || job.stops();
        // Bounds take their time: there is something better to hand over before.
        if !stop() {
            job.observer.improved(best.cost, 0.0);
            self.round(&mut best);
        }
        let mut prover = Prover::new(problem, job.budget.until, &stop);
        for round in best.rounds.. {
            job.observer.improved(best.cost, prover.lower);
            if stop() || job.loss.lowered(best.cost, job.budget.gap, job.table.rows() as u64) <= prover.lower
            {
                break;
            }
            if let Some(found) = between(&best)? {
                return Ok(found);
            }
            let open = self.proves && prover.is_alive() && hopeful(&prover, best.cost);
            if round > LAST_ROUND || (best.is_settled() && !open) {
                break;
            }
            let mut forest = best.forest.clone();
            let found = best.cost;
            let (gained, proven) = rayon::join(
                || self.improve_round(&mut forest, round),
                || {
                    if hopeful(&prover, found) {
                        prover.search(problem, found, BOXES << (2 * round.min(12)))
                    } else {
                        None
                    }
                },
            );
            best.idle = if gained > 0.0 { 0 } else { best.idle + 1 };
            best.rounds = round + 1;
            best.offer(problem, forest);
            proven.into_iter().for_each(|forest| best.offer(problem, forest));
        }
        Ok(self.finish(best, prover.lower))
    }

    /// The best partition known, with a lower bound.
    pub fn finish(&self, best: Best, lower: f64) -> Partitioning {
        let mut found = finish(self.problem, best.forest, best.strict);
        found.bound = are_boxes(&found).then(|| boxes(lower, self.problem.price));
        found
    }
}

impl SearchPlan<'_> {
    /// One round of passes, each over subtrees of another size; returns by how much the cost fell.
    fn improve_round(&self, forest: &mut Forest, round: usize) -> f64 {
        let stop = || self.job.stops();
        let each = self.passes(round, forest.order.len());
        each.iter().take_while(|_| !stop()).map(|one| pass(self.problem, forest, one, &stop)).sum()
    }

    /// Rollouts of large subtrees, then searches of ever larger ones.
    fn passes(&self, round: usize, rows: usize) -> Vec<Pass> {
        let (minimum, most) = (self.problem.minimum(), self.problem.room.rows);
        let mut passes = Vec::new();
        if round == 0 {
            passes.push(Pass { rows: most, ways: vec![ImproveMethod::Rollout(greedy(self.problem, 100))] });
        } else {
            let size = most.min(rows) >> (2 * ((round - 1) / 2 % 3));
            let nested = |slant: usize| {
                // Every other round looks two levels ahead, near the top and with fewer cuts.
                let (depth, width) =
                    if round % 2 == 1 { (1, 16 << (round / 2).min(2)) } else { (2, 4 << (round / 2).min(2)) };
                let (deep, bottom) = ((size / 8) as u32, 5 * minimum as u32);
                ImproveMethod::Rollout(Rollout { depth, deep, width, bottom, boxes: 200, slant })
            };
            passes.push(Pass { rows: size, ways: (0..SLANTS.len()).map(nested).collect() });
        }
        let boxes = FIRST_BOXES * 3u64.pow(round.min(LAST_ROUND) as u32);
        // Other sizes in every round, so that subtrees are seen in other company.
        let mut size = (6 + round % 4) * minimum.max(4);
        // Where more than sizes count, a search of many rows finds less than rollouts do.
        let sizes = if self.problem.pricing == OptimalPricing::Size { 5 } else { 3 };
        for _ in 0..sizes {
            passes.push(Pass { rows: size, ways: vec![ImproveMethod::Search { boxes }] });
            if size >= rows.min(most) {
                break;
            }
            size *= 2;
        }
        passes
    }
}

/// Whether a search can be expected to close the gap.
fn hopeful(prover: &Prover<'_>, found: f64) -> bool {
    prover.lower * 2.0 >= found || prover.rows() <= SMALL
}

/// Tables with at most this many rows are searched whatever the gap.
const SMALL: usize = 1024;

/// The best partition known.
#[derive(Clone)]
pub(super) struct Best {
    forest: Forest,
    pub cost: f64,
    strict: bool,
    /// How many rounds of passes have gone over it.
    pub rounds: usize,
    /// How many of the last ones made nothing better.
    idle: usize,
}

impl Best {
    /// A partitioning that kept its cuts.
    pub fn new(problem: &OptimalProblem<'_>, start: Partitioning) -> Self {
        let forest = Forest { tree: start.tree.expect("the cuts are kept"), order: start.order };
        Best { cost: total(problem, &forest), forest, strict: start.strict, rounds: 0, idle: 0 }
    }

    /// Whether the last rounds made nothing better, or no more are tried.
    pub fn is_settled(&self) -> bool {
        self.idle >= PATIENCE || self.rounds > LAST_ROUND
    }

    fn offer(&mut self, problem: &OptimalProblem<'_>, forest: Forest) {
        let cost = total(problem, &forest);
        if cost < self.cost {
            (self.forest, self.cost) = (forest, cost);
        }
    }
}

fn total(problem: &OptimalProblem<'_>, forest: &Forest) -> f64 {
    forest.cost(problem, &Subtree { nodes: 0..forest.tree.nodes.len(), rows: 0..forest.order.len() })
}

/// The partitioning of a forest; leaves that are cheaper to suppress are left out.
fn finish(problem: &OptimalProblem<'_>, forest: Forest, strict: bool) -> Partitioning {
    let Forest { mut tree, order } = forest;
    let (mut kept, mut ends) = (Vec::with_capacity(order.len()), Vec::new());
    let mut start = 0;
    for node in &mut tree.nodes {
        if let CutNode::Leaf { rows } = node
            && *rows > 0
        {
            let leaf = &order[start..start + *rows as usize];
            start += *rows as usize;
            if problem.price.is_some() && problem.leaf(leaf).1 {
                *rows = 0;
            } else {
                kept.extend_from_slice(leaf);
                ends.push(kept.len() as u32);
            }
        }
    }
    let regions = Regions::new(problem.table.dimensions());
    let mut found = Partitioning { order: kept, ends, regions, tree: Some(tree), bound: None, strict };
    found.regions = found.compact(problem.table);
    found
}

/// The cost of the groups of a partitioning once those that are published alike are merged.
pub(super) fn published_cost(job: &Job<'_>, found: &Partitioning) -> Result<f64> {
    let mut published = found.clone();
    let domains = job.table.domains();
    published.coalesce(&domains);
    let collector = Collector::new(&job.loss.needs(), job.table)?;
    let cost = |group| job.loss.group(&collector.of(published.rows(group)));
    Ok((0..published.groups()).into_par_iter().map(cost).collect::<Vec<f64>>().iter().sum())
}

/// The lower bound of partitions into boxes at a price of suppressed rows; without a price none are
/// suppressed.
pub(super) fn boxes(sum: f64, price: Option<f64>) -> LowerBound {
    LowerBound { family: Family::Boxes, sum, suppresses: price.is_some(), extents: Extents::Compact }
}

/// How far sums of the same numbers in different orders can lie apart.
pub(super) const ROUNDING: f64 = 1e-12;
