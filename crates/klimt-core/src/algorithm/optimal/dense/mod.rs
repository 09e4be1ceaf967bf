//! The dense dynamic program: the best partitioning of *every* box of the grid, the small ones first.
//!
//! It applies where all boxes fit into memory. Every dimension must be cut into intervals of codes: it is ordered or a
//! hierarchy, or a set of two values, which can be cut in one way only.
//!
//! - `grid.rs` numbers the boxes,
//! - `sums.rs` counts the rows of each, `judge.rs` makes their statistics,
//! - `charge.rs` and `leaves.rs` say what a box costs as one group,
//! - `program.rs` finds the best cuts, in an array of `value.rs`: whole numbers where costs are such, else floating
//!   point, or rounded down where only that fits,
//! - `refine.rs` makes rounded costs exact, and `trace.rs` finds the cuts.

mod charge;
mod grid;
mod judge;
mod leaves;
mod program;
mod refine;
mod sums;
mod trace;
mod value;

pub use grid::{BoxRanges, Grid, GridAxis};

use crate::Result;
use crate::job::Job;
use crate::partition::{CutNode, CutTree, Partitioning};
use crate::statistics::{Collector, Needs};
use charge::Charge;
use judge::BoxCollector;
use leaves::{CostInputs, Leaves};
use program::{Program, ProgramFailure};
use refine::BoxRefinement;
use sums::BoxSums;
use trace::{CutTrace, Solution};
use value::{CostValue, Floor, GREATEST, common_scale};

/// An optimal hierarchical partitioning.
#[derive(Clone, Debug, PartialEq)]
pub struct DenseSolution {
    /// Its cuts. Every leaf holds rows.
    pub tree: CutTree,
    /// Which leaves of the tree are suppressed, by their number among the leaves, ascending.
    pub suppressed: Vec<usize>,
    /// The sum of the costs of its groups, and the price of the suppressed rows.
    pub cost: f64,
    /// No hierarchical partitioning costs less; as much as the cost where the optimum is proven.
    pub bound: f64,
}

/// How the dense dynamic program ended.
#[derive(Clone, Debug, PartialEq)]
pub enum DenseOutcome {
    /// It found the optimum.
    Solved(DenseSolution),
    /// The whole table violates a requirement, and so does every partitioning.
    Infeasible,
    /// The time was over, or the observer wanted no more.
    Stopped,
    /// It does not apply: there are too many boxes, or a set of more than two values.
    NotDense,
}

/// The search does not look at the clock for the first this many boxes.
const SOON: u128 = 1 << 16;

/// Finds the hierarchical partitioning that costs least, where the grid has at most `most` boxes and everything fits
/// into the job's memory. Every row may be suppressed at a price, if one is given.
///
/// Proof that the result is optimal: a hierarchical partitioning of a box that holds rows is the box as one group, the
/// box suppressed, or hierarchical partitionings of both parts of a cut, whose costs add up; all are tried, and the
/// optima of the parts were found before.
pub fn solve(job: &Job<'_>, price: Option<f64>, most: u128) -> Result<DenseOutcome> {
    if job.table.rows() == 0 {
        let tree = CutTree { nodes: vec![CutNode::Leaf { rows: 0 }], members: Vec::new() };
        return Ok(DenseOutcome::Solved(DenseSolution {
            tree,
            suppressed: Vec::new(),
            cost: 0.0,
            bound: 0.0,
        }));
    }
    let room =
        |boxes: u128, bytes: usize| (job.budget.beside(job.table) as u128).checked_sub(boxes * bytes as u128);
    let Some(grid) = Grid::of(job.table).filter(|grid| grid.boxes() <= most) else {
        return Ok(DenseOutcome::NotDense);
    };
    let boxes = grid.boxes();
    if boxes > SOON && job.stops() {
        return Ok(DenseOutcome::Stopped);
    }
    let Some(beside) = room(boxes, size_of::<u32>()) else { return Ok(DenseOutcome::NotDense) };
    let Some(facts) = gather(job, price, grid, beside as usize)? else {
        return Ok(if job.stops() { DenseOutcome::Stopped } else { DenseOutcome::NotDense });
    };
    let whole = whole_cost(job, &facts)?;
    if let Some(scale) = whole_numbers(&facts, whole, job.table.rows())
        && let Some(leaves) = Leaves::<u32>::new(&facts, scale)
    {
        match run(job, &leaves) {
            Err(ProgramFailure::Unfit) => {}
            outcome => return conclude(job, &facts, outcome),
        }
    }
    let fits = room(boxes, size_of::<f64>()).is_some_and(|left| left >= facts.bytes() as u128);
    let outcome = if fits {
        Leaves::<f64>::new(&facts, 1.0).map(|leaves| run(job, &leaves))
    } else {
        let greatest = facts.charge.greatest(job.table.rows()).unwrap_or(2.0 * whole);
        let greatest = greatest.max(price.unwrap_or(0.0) * job.table.rows() as f64);
        let scale = if greatest > 0.0 { f64::from(GREATEST) / greatest } else { 1.0 };
        Leaves::<Floor>::new(&facts, scale).map(|leaves| run(job, &leaves))
    };
    conclude(job, &facts, outcome.unwrap_or(Err(ProgramFailure::Unfit)))
}

/// Whether the dense dynamic program may apply to a table, with this many boxes at most.
pub fn may_apply(job: &Job<'_>, most: u128) -> bool {
    let fits = |boxes: u128| boxes * size_of::<u32>() as u128 <= job.budget.beside(job.table) as u128;
    Grid::of(job.table).is_some_and(|grid| grid.boxes() <= most && fits(grid.boxes()))
}

/// Prepares the costs of all boxes; `None` where they do not fit into `bytes`, or where it is time to stop.
fn gather<'a>(job: &Job<'a>, price: Option<f64>, grid: Grid, bytes: usize) -> Result<Option<CostInputs<'a>>> {
    let Job { table, requirements, loss, .. } = *job;
    let codes: Vec<Vec<u32>> = grid
        .axes()
        .iter()
        .map(|axis| (0..table.rows()).map(|row| table.codes(axis.dimension).get(row)).collect())
        .collect();
    let stops = || job.stops();
    let one = |_: usize, rows: &mut [u32]| rows[0] += 1;
    let Some(counts) = BoxSums::new(&grid, 1, bytes / 4, &codes, &stops, one) else {
        return Ok(None);
    };
    let charge = Charge::of(loss, table, &grid, bytes / 8);
    let mut needs = Needs::default();
    if !requirements.only_count() {
        needs.include(requirements.needs());
    }
    if matches!(charge, Charge::Group) {
        needs.include(&loss.needs());
    }
    let mut judge = None;
    if !requirements.only_count() || matches!(charge, Charge::Group) {
        judge = BoxCollector::new(&needs, table, &grid, &codes, bytes / 2, &stops)?;
        if judge.is_none() {
            return Ok(None);
        }
    }
    let minimum = requirements.minimum_size().min(u64::from(u32::MAX)) as u32;
    Ok(Some(CostInputs { grid, requirements, loss, charge, price, counts, judge, minimum }))
}

/// The cost of the whole table as one group.
fn whole_cost(job: &Job<'_>, facts: &CostInputs<'_>) -> Result<f64> {
    Ok(facts.loss.group(&Collector::new(&facts.loss.needs(), job.table)?.of_all()))
}

/// The scale at which costs are whole numbers in 32 bits, as far as can be seen before they are all known.
fn whole_numbers(facts: &CostInputs<'_>, whole: f64, rows: usize) -> Option<f64> {
    let greatest = facts.charge.greatest(rows).unwrap_or(whole);
    let greatest = greatest.max(facts.price.unwrap_or(0.0) * rows as f64);
    let most = f64::from(GREATEST) / greatest.max(f64::MIN_POSITIVE);
    let price = [facts.price.unwrap_or(0.0)];
    match &facts.charge {
        Charge::Size(_) => (most >= 1.0).then_some(1.0),
        Charge::Group => (most >= 1.0 && u32::of(whole, 1.0).is_some()).then_some(1.0),
        Charge::Cells(cells) => {
            let base = [cells.base];
            let axes = cells.axes.iter().map(Vec::as_slice);
            common_scale(axes.chain([&price[..], &base[..]]), most)
        }
    }
}

/// The result of a run of the program: cuts, and a lower bound where they are not proven to be best.
type ProgramResult = Option<(CutTrace, Option<f64>)>;

fn run<V: CostValue>(
    job: &Job<'_>,
    leaves: &Leaves<'_, V>,
) -> std::result::Result<ProgramResult, ProgramFailure> {
    let values = Program::new(job, leaves).run()?;
    let solution = Solution { leaves, values: &values };
    let value = solution.value(&leaves.facts.grid.whole());
    if !value.is_finite() {
        return Ok(None);
    }
    let refined = if V::ROUNDED { solution.refine(job) } else { Some(BoxRefinement::default()) };
    let bound = refined.is_none().then(|| value.cost(leaves.scale));
    Ok(Some((solution.trace(&refined.unwrap_or_default()), bound)))
}

/// Plants the cuts and takes the cost of their groups from the rows.
fn conclude(
    job: &Job<'_>,
    facts: &CostInputs<'_>,
    outcome: std::result::Result<ProgramResult, ProgramFailure>,
) -> Result<DenseOutcome> {
    let (CutTrace { tree, suppressed }, bound) = match outcome {
        Ok(Some(found)) => found,
        Ok(None) => return Ok(DenseOutcome::Infeasible),
        Err(ProgramFailure::Stopped) => return Ok(DenseOutcome::Stopped),
        Err(ProgramFailure::Unfit) => return Ok(DenseOutcome::NotDense),
    };
    let planted = Partitioning::planted(job.table, tree.clone())?;
    let ends: Vec<usize> = planted.ends.iter().map(|&end| end as usize).collect();
    let groups = Collector::new(&job.loss.needs(), job.table)?.of_each(&planted.order, &ends);
    let mut cost = 0.0;
    for (number, group) in groups.iter().enumerate() {
        cost += match (suppressed.binary_search(&number), facts.price) {
            (Ok(_), Some(price)) => price * group.count as f64,
            _ => job.loss.group(group),
        };
    }
    Ok(DenseOutcome::Solved(DenseSolution {
        tree,
        suppressed,
        cost,
        bound: bound.map_or(cost, |bound| bound.min(cost)),
    }))
}
