//! The best partition there is, with the proof.
//!
//! The cost of a partition adds up over its groups, and every requirement looks at one group only. So
//! OPT(box) = min(cost(box) if allowed, min over cuts of OPT(left) + OPT(right)): a graph of boxes, in which different
//! orders of cuts meet in the same box, instead of a tree of partitions (the partition enumeration tree of Hore,
//! Jammalamadaka, Mehrotra, D'Ascanio is `gensearch`).
//!
//! Where the grid has few boxes, `dense` computes OPT of every one. Else three searches take turns: `improve` solves
//! subtrees of the best partition known again, with `search` (branch and bound over row sets) or `rollout` (greedy, with
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
mod search;
mod subtree;
mod tally;

pub use plan::{Effort, improve};
pub use search::MOST_ROWS;

use crate::partition::{CutTree, Job, Partitioner, Partitioning};
use crate::{Error, ErrorKind, Result};
use dense::{Outcome, Solved};
use plan::Plan;
use problem::Problem;
use search::Search;
use std::fmt;
use subtree::Forest;

/// The most boxes of a grid that are all solved.
const DENSE_BOXES: u128 = 1_000_000_000;

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
        let mut price = job.loss.price(job.table.rows() as u64).filter(|_| limit > 0);
        // A higher price leaves out fewer rows; where no price is high enough, none is left out.
        for _ in 0..PRICES {
            let found = self.at_price(job, price)?;
            if job.table.rows() - found.order.len() <= limit {
                return Ok(found);
            }
            price = price.map(|price| price * 2.0);
        }
        self.at_price(job, None)
    }
}

/// The best partition by branch and bound alone, over at most [`MOST_ROWS`] rows: what the search behind [`Optimal`]
/// comes to when it has all the time, for comparison. `None` where no partition satisfies the requirements, or where more
/// boxes would have to be opened.
pub fn branch_and_bound(job: &Job<'_>, price: Option<f64>, boxes: u64) -> Result<Option<Solved>> {
    let problem = Problem::new(job.table, job.requirements, job.loss, price)?;
    let rows: Vec<u32> = (0..job.table.rows() as u32).collect();
    let stop = || job.budget.over() || job.observer.cancelled();
    let mut search = Search::new(boxes, &stop);
    let reached = search.solve(&problem, &rows, dues::dues(&problem, &rows), f64::INFINITY);
    if reached.upper.is_infinite() || search.boxes == 0 {
        return Ok(None);
    }
    let mut forest = Forest { tree: CutTree::default(), order: Vec::new() };
    search.plant(&problem, &rows, &mut forest.tree, &mut forest.order);
    let suppressed = forest.suppressed(&problem);
    Ok(Some(Solved { tree: forest.tree, suppressed, cost: reached.upper, bound: reached.lower }))
}

/// How many prices of a suppressed row are tried, each twice the one before.
const PRICES: usize = 6;

impl Optimal {
    /// The best partitioning where a suppressed row has a price; no row is suppressed where it has none.
    fn at_price(&self, job: &Job<'_>, price: Option<f64>) -> Result<Partitioning> {
        match dense::solve(job, price, DENSE_BOXES)? {
            Outcome::Solved(solved) => {
                let mut planted = Partitioning::planted(job.table, solved.tree)?;
                let domains: Vec<_> = (0..job.table.dimensions()).map(|d| job.table.domain(d)).collect();
                planted.drop_groups(&solved.suppressed, &domains);
                job.observer.improved(solved.cost, solved.bound);
                planted.proof = plan::proof(job, &planted, solved.bound, price)?;
                Ok(planted)
            }
            Outcome::Infeasible => {
                Err(Error::new(ErrorKind::Unsatisfied, "no release can satisfy every requirement"))
            }
            Outcome::Stopped | Outcome::NotDense => {
                let start = Job { keep_tree: true, ..*job };
                let start = self.start.partition(&start)?;
                let problem = Problem::new(job.table, job.requirements, job.loss, price)?;
                let base = job.loss.price(job.table.rows() as u64);
                let proving = price.is_none() || price == base;
                let plan = Plan { job, problem: &problem, proving };
                match price {
                    None => plan::keep_better(job, start, |start| plan.run(start)),
                    Some(_) => plan.run(start),
                }
            }
        }
    }
}
