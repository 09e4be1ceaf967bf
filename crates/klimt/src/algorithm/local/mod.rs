//! Local recoding over the lattice of level vectors: rows may be generalised differently, so that dense regions stay exact
//! and only the sparse rest is generalised. Regions may overlap (the relaxed model of LeFevre, DeWitt, Ramakrishnan, 2006,
//! section 3).
//!
//! `levels` makes the lattice, `close` goes through it from cheap to expensive and closes groups that satisfy the
//! requirements, `place` finds room for the last few rows. Where the loss adds up over cells, `split` and `improve` then
//! change groups as long as that gains. The plain loop, vector by vector, is kept as it is and where it is better.

mod close;
mod fold;
mod group;
mod improve;
mod levels;
mod place;
mod problem;
mod split;
mod suppress;

use crate::Result;
use crate::partition::{Job, Partitioner, Partitioning, Proof};
use crate::region::Regions;
use crate::statistics::Collector;
use crate::table::Domain;
use close::{Order, close};
use group::Group;
use levels::Lattice;
use problem::Problem;

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
        let problem = Problem::new(job)?;
        let lattice = Lattice::new(&problem);
        let mut best = Draft::new(job, &problem, plain(job, &problem, &lattice)?)?;
        if self.improve {
            let other = Draft::new(job, &problem, improved(job, &problem, &lattice)?)?;
            if other.cost < best.cost {
                best = other;
            }
        }
        job.observer.improved(best.cost, 0.0);
        job.observer.advance(job.table.rows() as u64);
        Ok(best.partitioning)
    }
}

/// The plain loop: vector by vector, every group that satisfies the requirements is closed.
fn plain(job: &Job<'_>, problem: &Problem<'_>, lattice: &Lattice) -> Result<Vec<Group>> {
    let mut closed = close(problem, lattice, Order::Vectors, job)?;
    place::place(problem, &mut closed.groups, &closed.open);
    Ok(closed.groups)
}

/// Group by group, the cheapest first; then groups change as long as that gains.
fn improved(job: &Job<'_>, problem: &Problem<'_>, lattice: &Lattice) -> Result<Vec<Group>> {
    let closed = close(problem, lattice, Order::Groups, job)?;
    let mut groups = closed.groups;
    place::place(problem, &mut groups, &closed.open);
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

/// A partitioning and what it costs, suppressed rows included.
struct Draft {
    partitioning: Partitioning,
    cost: f64,
}

impl Draft {
    fn new(job: &Job<'_>, problem: &Problem<'_>, groups: Vec<Group>) -> Result<Self> {
        let table = job.table;
        let (mut order, mut ends) = (Vec::with_capacity(table.rows()), Vec::with_capacity(groups.len()));
        let mut taken = vec![0; problem.tuples.len()];
        for bundle_of in &groups {
            for bundle in &bundle_of.bundles {
                let taken: &mut u32 = &mut taken[bundle.tuple as usize];
                let rows = problem.tuples.rows(bundle.tuple);
                order.extend_from_slice(&rows[*taken as usize..(*taken + bundle.rows) as usize]);
                *taken += bundle.rows;
            }
            ends.push(order.len() as u32);
        }
        let regions = Regions::new(table.dimensions());
        let mut partitioning =
            Partitioning { order, ends, regions, tree: None, proof: Proof::Heuristic, strict: false };
        partitioning.regions = partitioning.compact(table);
        let domains: Vec<&Domain> = (0..table.dimensions()).map(|d| table.domain(d)).collect();
        partitioning.coalesce(&domains);
        let published = match problem.by_cells {
            true => groups.iter().map(Group::cost).sum(),
            false => measured(job, &partitioning)?,
        };
        let suppressed = table.rows() - partitioning.order.len();
        let price = job.loss.price(table.rows() as u64).unwrap_or(0.0);
        Ok(Draft { cost: published + price * suppressed as f64, partitioning })
    }
}

/// What the groups of a partitioning cost by their statistics.
fn measured(job: &Job<'_>, partitioning: &Partitioning) -> Result<f64> {
    let collector = Collector::new(&job.loss.needs(), job.table)?;
    let ends: Vec<usize> = partitioning.ends.iter().map(|&end| end as usize).collect();
    let groups = collector.of_each(&partitioning.order, &ends);
    Ok(groups.iter().map(|group| job.loss.group(group)).sum())
}
