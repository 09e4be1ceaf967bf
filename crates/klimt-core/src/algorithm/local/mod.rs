//! Local recoding over the lattice of level vectors: rows may be generalised differently, so that dense regions stay exact
//! and only the sparse rest is generalised. Regions may overlap (the relaxed model of LeFevre, DeWitt, Ramakrishnan, 2006,
//! section 3).
//!
//! `levels` makes the lattice, `close` goes through it from cheap to expensive and closes groups that satisfy the
//! requirements, `place` finds room for the last few rows. Where the loss adds up over cells, `split` and `improve` then
//! change groups as long as that gains. The plain loop, vector by vector, is kept as it is and where it is better.

mod close;
mod group;
mod improve;
mod joint;
mod levels;
mod place;
mod problem;
mod split;
mod suppress;

use crate::Result;
use crate::job::{Job, Partitioner, Suppression};
use crate::loss::{CertaintyPenalty, Loss, Original};
use crate::partition::Partitioning;
use crate::region::Regions;
use crate::statistics::Collector;
use close::{ClosingOrder, close};
use group::LocalGroup;
use levels::Lattice;
use problem::LocalProblem;

/// The partitioner that generalises rows differently.
#[derive(Clone, Copy, Debug)]
pub struct Local {
    /// Whether groups are changed after the plain loop as long as that gains.
    pub improve: bool,
}

impl Default for Local {
    fn default() -> Self {
        Local { improve: true }
    }
}

impl Partitioner for Local {
    fn partition(&self, job: &Job<'_>) -> Result<Partitioning> {
        // Small tables are soon prepared, however late it is.
        let late = || job.table.rows() > BLINK && job.budget.over();
        let Some(problem) = LocalProblem::new(job, &late)? else { return together(job) };
        let Some(lattice) = Lattice::new(&problem, &late) else { return together(job) };
        let mut best = LocalDraft::new(job, &problem, plain(job, &problem, &lattice)?)?;
        if self.improve && !late() {
            let other = LocalDraft::new(job, &problem, improved(job, &problem, &lattice)?)?;
            if other.cost < best.cost {
                best = other;
            }
            if let Some(other) = guided(job, &problem)?.filter(|other| other.cost < best.cost) {
                best = other;
            }
        }
        job.observer.improved(best.cost, 0.0);
        job.observer.advance(job.table.rows() as u64);
        match best.partitioning {
            Some(partitioning) => Ok(partitioning),
            None => Ok(published(job, &problem, &best.groups)),
        }
    }
}

/// With more rows than this, preparation looks at the clock.
const BLINK: usize = 100_000;

/// All rows in one group, as long as nothing else is known.
fn together(job: &Job<'_>) -> Result<Partitioning> {
    let (order, ends) = ((0..job.table.rows() as u32).collect(), vec![job.table.rows() as u32]);
    let regions = Regions::new(job.table.dimensions());
    let mut partitioning = Partitioning { order, ends, regions, tree: None, bound: None, strict: false };
    partitioning.regions = partitioning.compact(job.table);
    job.observer.improved(measured(job, &partitioning)?, 0.0);
    job.observer.advance(job.table.rows() as u64);
    Ok(partitioning)
}

/// The plain loop: vector by vector, every group that satisfies the requirements is closed.
fn plain(job: &Job<'_>, problem: &LocalProblem<'_>, lattice: &Lattice) -> Result<Vec<LocalGroup>> {
    let mut closed = close(problem, lattice, ClosingOrder::Vectors, job)?;
    place::place(problem, &mut closed.groups, &closed.open);
    Ok(closed.groups)
}

/// Group by group, the cheapest first; then groups change as long as that gains.
fn improved(job: &Job<'_>, problem: &LocalProblem<'_>, lattice: &Lattice) -> Result<Vec<LocalGroup>> {
    let closed = close(problem, lattice, ClosingOrder::Groups, job)?;
    let mut groups = closed.groups;
    place::place(problem, &mut groups, &closed.open);
    // Rows move away from those that nobody wants, who then have just enough company: they are left out before that.
    suppress::outliers(job, problem, &mut groups);
    let stop = || job.budget.over() || job.observer.cancelled();
    if problem.by_cells {
        split::split(problem, &mut groups, &stop);
        improve::dissolve(problem, &mut groups, &stop);
        improve::moves(problem, &mut groups, &stop);
        split::split(problem, &mut groups, &stop);
    }
    suppress::outliers(job, problem, &mut groups);
    Ok(groups)
}

/// Where the loss looks at extents and does not add up over cells, such as that of a workload: groups that are improved by
/// their certainty penalty, at what they cost by the loss. No row is suppressed for the penalty's sake.
fn guided(job: &Job<'_>, problem: &LocalProblem<'_>) -> Result<Option<LocalDraft>> {
    let guide = CertaintyPenalty.cost(&Original::new(job.table, job.weights));
    let looks_at_extents = !problem.by_cells && !job.loss.needs().extents.is_empty();
    let Some(guide) = guide.filter(|_| looks_at_extents) else { return Ok(None) };
    let by_penalty = Job { loss: &*guide, suppression: Suppression::NONE, ..*job };
    // Where there is no memory for a second look, there is none.
    let Ok(Some(by_cells)) = LocalProblem::new(&by_penalty, &|| job.budget.over()) else { return Ok(None) };
    let Some(lattice) = Lattice::new(&by_cells, &|| job.budget.over()) else { return Ok(None) };
    let groups = improved(&by_penalty, &by_cells, &lattice)?;
    LocalDraft::new(job, problem, groups).map(Some)
}

/// Groups and what they cost, suppressed rows included.
struct LocalDraft {
    groups: Vec<LocalGroup>,
    /// As they are published, where that had to be known for the cost.
    partitioning: Option<Partitioning>,
    cost: f64,
}

impl LocalDraft {
    fn new(job: &Job<'_>, problem: &LocalProblem<'_>, groups: Vec<LocalGroup>) -> Result<Self> {
        let rows = job.table.rows() as u64;
        let suppressed = rows - groups.iter().map(|group| group.count).sum::<u64>();
        let price = job.loss.price(rows).unwrap_or(0.0) * suppressed as f64;
        if problem.by_cells {
            let cost = price + groups.iter().map(LocalGroup::cost).sum::<f64>();
            return Ok(LocalDraft { groups, partitioning: None, cost });
        }
        let partitioning = published(job, problem, &groups);
        let cost = price + measured(job, &partitioning)?;
        Ok(LocalDraft { groups, partitioning: Some(partitioning), cost })
    }
}

/// The partitioning that groups are published as: those that are published alike are one.
fn published(job: &Job<'_>, problem: &LocalProblem<'_>, groups: &[LocalGroup]) -> Partitioning {
    let table = job.table;
    let (mut order, mut ends) = (Vec::with_capacity(table.rows()), Vec::with_capacity(groups.len()));
    let mut taken = vec![0; problem.tuples.len()];
    for group in groups {
        for bundle in &group.bundles {
            let taken: &mut u32 = &mut taken[bundle.tuple as usize];
            let rows = problem.tuples.rows(bundle.tuple);
            order.extend_from_slice(&rows[*taken as usize..(*taken + bundle.rows) as usize]);
            *taken += bundle.rows;
        }
        ends.push(order.len() as u32);
    }
    let regions = Regions::new(table.dimensions());
    let mut partitioning = Partitioning { order, ends, regions, tree: None, bound: None, strict: false };
    partitioning.regions = partitioning.compact(table);
    let domains = table.domains();
    partitioning.coalesce(&domains);
    partitioning
}

/// The cost of the groups of a partitioning by their statistics.
fn measured(job: &Job<'_>, partitioning: &Partitioning) -> Result<f64> {
    let collector = Collector::new(&job.loss.needs(), job.table)?;
    let ends: Vec<usize> = partitioning.ends.iter().map(|&end| end as usize).collect();
    let groups = collector.of_each(&partitioning.order, &ends);
    Ok(groups.iter().map(|group| job.loss.group(group)).sum())
}
