//! The best partition there is, with the proof.
//!
//! The cost of a partition adds up over its groups, and every requirement looks at one group only. So
//! OPT(box) = min(cost(box) if allowed, min over cuts of OPT(left) + OPT(right)): a graph of boxes, in which different
//! orders of cuts meet in the same box, instead of a tree of partitions (the partition enumeration tree of Hore,
//! Jammalamadaka, Mehrotra, D'Ascanio is `gensearch`).
//!
//! Where the grid has few boxes, `dense` computes OPT of every one, after `improve` has lowered the cost of what is handed
//! over if that takes too long. Else three searches take turns: `improve` solves subtrees of the best partition known
//! again, with `search` (branch and bound over row sets) or `rollout` (greedy, with
//! a look ahead), and `prove` raises the lower bound until it meets the cost, or time or memory run out.
//!
//! Cuts go between any two neighbouring codes of an ordered domain, between any two leaves of a hierarchy (the lowest
//! common ancestor is published), and between any two subsets of a set; where a box holds more than seven codes of a
//! set, not all subsets are tried, and the proof does not rest on them.

mod bits;
mod cuts;
pub mod dense;
mod dues;
mod improve;
mod part;
mod place;
mod plan;
mod problem;
mod prove;
mod rollout;
mod room;
mod search;
mod subtree;
mod tally;
mod walk;

pub use plan::{Effort, improve};
pub use search::MOST_ROWS;

use crate::job::{Budget, Job, Partitioner};
use crate::partition::{CutTree, Partitioning};
use crate::table::{Shape, Table};
use crate::{Error, ErrorKind, Result};
use dense::{DenseOutcome, DenseSolution};
use plan::{Best, SearchPlan};
use problem::OptimalProblem;
use room::SearchMemory;
use search::Search;
use std::fmt;
use std::time::{Duration, Instant};
use subtree::Forest;

/// The most boxes of a grid that are all solved.
const DENSE_BOXES: u128 = 1_000_000_000;

/// Grids with at most this many boxes are solved before anything else.
const SOLVED_AT_ONCE: u128 = 1 << 16;

/// How many rounds of passes are made before every box is solved, where time has no end.
const ROUNDS: usize = 3;

/// The partitioner that looks for the best partition, and says how far from it the result can be.
pub struct Optimal {
    /// Makes the partitioning that the search starts from; only its cuts are kept.
    pub start: Box<dyn Partitioner>,
}

impl fmt::Debug for Optimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Optimal").finish_non_exhaustive()
    }
}

impl Partitioner for Optimal {
    fn partition(&self, job: &Job<'_>) -> Result<Partitioning> {
        let limit = job.suppression.limit(job.table.rows());
        let base = job.loss.price(job.table.rows() as u64).filter(|_| limit > 0);
        SearchMemory::new(job)?;
        // There is something to hand over whenever the time is over.
        let start = self.start.partition(&Job { keep_tree: true, ..*job })?;
        let Some(base) = base else {
            let found = at_price(job, &start, None)?;
            // Where boundaries are published, groups may be allowed that the search has left out.
            let bound = found.bound.filter(|_| !job.requirements.restricts_boundaries());
            return Ok(Partitioning { bound, ..found });
        };
        // A higher price leaves out fewer rows; where no price is high enough, none is left out.
        let (mut price, mut lower) = (base, f64::NEG_INFINITY);
        for _ in 0..PRICES {
            let found = at_price(job, &start, Some(price))?;
            // Releases that leave out no more than is allowed pay at most that much more at this price.
            let paid_more = (price - base) * limit as f64;
            lower = lower.max(found.bound.as_ref().map_or(lower, |bound| bound.sum - paid_more));
            if job.table.rows() - found.order.len() <= limit {
                return Ok(with_bound(found, lower, base));
            }
            price *= 2.0;
            if job.stops() {
                break;
            }
        }
        Ok(with_bound(at_price(job, &start, None)?, lower, base))
    }
}

/// A partitioning of boxes with what no boxes undercut that leave out rows at a price.
fn with_bound(found: Partitioning, lower: f64, price: f64) -> Partitioning {
    let known = lower.is_finite() && plan::are_boxes(&found);
    Partitioning { bound: known.then(|| plan::boxes(lower, Some(price))), ..found }
}

/// The best partition by branch and bound alone, over at most [`MOST_ROWS`] rows: what the search behind [`Optimal`]
/// comes to when it has all the time, for comparison. `None` where no partition satisfies the requirements, or where more
/// boxes would have to be opened.
pub fn branch_and_bound(job: &Job<'_>, price: Option<f64>, boxes: u64) -> Result<Option<DenseSolution>> {
    let problem = OptimalProblem::new(job, price)?;
    let rows: Vec<u32> = (0..job.table.rows() as u32).collect();
    let stop = || job.stops();
    let mut search = Search::new(boxes, &stop);
    let dues = dues::dues(&problem, &rows, &stop);
    let reached = search.solve(&problem, &rows, dues, f64::INFINITY);
    if reached.upper.is_infinite() || search.boxes == 0 {
        return Ok(None);
    }
    let mut forest = Forest { tree: CutTree::default(), order: Vec::new() };
    search.plant(&problem, &rows, &mut forest.tree, &mut forest.order);
    let suppressed = forest.suppressed(&problem);
    Ok(Some(DenseSolution { tree: forest.tree, suppressed, cost: reached.upper, bound: reached.lower }))
}

/// How many prices of a suppressed row are tried, each twice the one before.
const PRICES: usize = 6;

/// Whether a value of an ordered dimension or a hierarchy may be missing.
fn misses_values(table: &Table) -> bool {
    let domains = (0..table.dimensions()).map(|dimension| table.domain(dimension));
    let mut misses = domains.filter(|domain| domain.missing_code().is_some());
    misses.any(|domain| !matches!(domain.shape(), Shape::Set))
}

/// The best partitioning of boxes, or the one that the search would start from where that costs less: rows without a
/// value are beyond all others in a box, and may go with either side of a cut there; and its groups may be wide enough by
/// their boundaries alone.
fn or_start(
    job: &Job<'_>,
    start: &Partitioning,
    boxes: Partitioning,
    price: Option<f64>,
) -> Result<Partitioning> {
    let gone = (job.table.rows() - boxes.order.len()) as f64;
    let cost = plan::published_cost(job, &boxes)? + price.unwrap_or(0.0) * gone;
    let better = plan::published_cost(job, start)? < cost * (1.0 - plan::ROUNDING);
    let bound = boxes.bound.clone().filter(|_| plan::are_boxes(start));
    Ok(if better { Partitioning { bound, ..start.clone() } } else { boxes })
}

/// The best partitioning where a suppressed row has a price; no row is suppressed where it has none.
fn at_price(job: &Job<'_>, start: &Partitioning, price: Option<f64>) -> Result<Partitioning> {
    // Boxes are sets of rows here: what is found is wide enough by the values that they hold.
    let requirements = job.requirements.of_values();
    let of_values = Job { requirements: &requirements, ..*job };
    match dense::solve(&of_values, price, SOLVED_AT_ONCE)? {
        DenseOutcome::Solved(solved) => return planted(job, start, solved, price),
        DenseOutcome::Infeasible => return or_infeasible(job, start),
        DenseOutcome::Stopped | DenseOutcome::NotDense => {}
    }
    let problem = OptimalProblem::new(job, price)?;
    let plan = SearchPlan { job, problem: &problem, proves: true };
    let budget = Budget { bytes: job.budget.beside(job.table) / 2, ..job.budget };
    let of_values = Job { budget, ..of_values };
    let mut dense = dense::may_apply(job, DENSE_BOXES).then(|| DenseSchedule::new(&of_values));
    // The partition to start from gets better first, as it does without a proof; then every box is solved.
    let mut solve = |best: &Best| -> Result<Option<Partitioning>> {
        if !dense.as_ref().is_some_and(|turn| turn.has_come(best)) {
            return Ok(None);
        }
        dense = None;
        Ok(match dense::solve(&of_values, price, DENSE_BOXES)? {
            // Rounded costs do not always tell the best partition.
            DenseOutcome::Solved(solved) if best.cost < solved.cost * (1.0 - plan::ROUNDING) => {
                Some(plan.finish(best.clone(), solved.bound))
            }
            DenseOutcome::Solved(solved) => Some(planted(job, start, solved, price)?),
            DenseOutcome::Infeasible => Some(or_infeasible(job, start)?),
            DenseOutcome::Stopped | DenseOutcome::NotDense => None,
        })
    };
    match price {
        None => plan::keep_better(job, start.clone(), |start| plan.run(start, &mut solve)),
        Some(_) => plan.run(start.clone(), &mut solve),
    }
}

/// The time at which all boxes are solved: once the search for a better partition has come to an end, or earlier where
/// there is ample time to solve them, so that the result is the best in any case.
struct DenseSchedule {
    began: Instant,
    until: Option<Instant>,
    /// How long it may take to solve all boxes.
    duration: Duration,
}

/// Nanoseconds that one cut of one box may take; several times that where statistics are compared.
const CUT: u128 = 10;

/// How many times the time that all boxes may take must be left.
const AMPLE: u32 = 4;

impl DenseSchedule {
    fn new(job: &Job<'_>) -> Self {
        let cuts: usize = (0..job.table.dimensions()).map(|d| job.table.domain(d).cardinality()).sum();
        let factor = if job.requirements.only_count() { 1 } else { 4 };
        let boxes = dense::Grid::of(job.table).map_or(u128::MAX, |grid| grid.boxes());
        let nanoseconds = boxes.saturating_mul(cuts as u128 * factor * CUT);
        let duration = Duration::from_nanos(nanoseconds.try_into().unwrap_or(u64::MAX));
        DenseSchedule { began: Instant::now(), until: job.budget.until, duration }
    }

    fn has_come(&self, best: &Best) -> bool {
        let Some(until) = self.until else { return best.is_settled() || best.rounds >= ROUNDS };
        let now = Instant::now();
        let is_ample = self.duration.saturating_mul(AMPLE) <= until.saturating_duration_since(now);
        best.is_settled() || (is_ample && now.saturating_duration_since(self.began) >= self.duration)
    }
}

/// The start of a search, where its boundaries alone satisfy the required widths; else the error.
fn or_infeasible(job: &Job<'_>, start: &Partitioning) -> Result<Partitioning> {
    match job.requirements.restricts_boundaries() {
        true => Ok(start.clone()),
        false => Err(Error::new(ErrorKind::Unsatisfied, "no release can satisfy every requirement")),
    }
}

/// The partitioning of a solution.
fn planted(
    job: &Job<'_>,
    start: &Partitioning,
    solved: DenseSolution,
    price: Option<f64>,
) -> Result<Partitioning> {
    let mut planted = Partitioning::planted(job.table, solved.tree)?;
    let domains = job.table.domains();
    planted.drop_groups(&solved.suppressed, &domains);
    job.observer.improved(solved.cost, solved.bound);
    planted.bound = Some(plan::boxes(solved.bound, price));
    match misses_values(job.table) || job.requirements.restricts_boundaries() {
        true => or_start(job, start, planted, price),
        false => Ok(planted),
    }
}
