//! Rothko: Mondrian for tables larger than memory (LeFevre, DeWitt).
//!
//! The rows lie on disk. A few cuts are chosen without holding them, the rows are divided among the parts that these
//! cuts make, and parts that fit in memory are handed to Mondrian, one after the other.
//!
//! *Rothko-T* (section 2, `tree.rs`) chooses the cuts from frequency groups of all rows, as Mondrian would in memory: its
//! groups are Mondrian's. *Rothko-S* (section 3) grows a tree on a sample (`grow.rs`) as far as hypothesis tests allow,
//! divides the rows and undoes what was cut in error (`prune.rs`). `run.rs` is the recursion of both: what does not fit
//! after that is divided again. Both see rows through the passes of `pass/` alone, so neither knows where they lie.

mod grow;
mod large;
mod prune;
mod room;
mod run;
mod tree;
mod withheld;

use super::mondrian::Mondrian;
use crate::Result;
use crate::parts::{Account, External, PartSink};

/// How the cuts of parts that do not fit in memory are chosen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Method {
    /// Rothko-T: from the frequency groups of all rows.
    Tree,
    /// Rothko-S: from a sample, with hypothesis tests.
    Sample(Sampling),
}

/// How Rothko-S takes samples and trusts them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sampling {
    /// The chance that is taken of making a cut that is not allowable, and will be undone.
    pub alpha: f64,
    /// The rows of a sample; as many as memory allows where that is not given.
    pub rows: Option<u64>,
    /// Seed of the choice of rows.
    pub seed: u64,
}

/// The partitioner for tables larger than memory.
#[derive(Clone, Copy, Debug)]
pub struct Rothko {
    /// How cuts are chosen above the parts that fit in memory.
    pub method: Method,
    /// Cuts the parts that fit into memory.
    pub mondrian: Mondrian,
    /// Limits for experiments; none by default.
    pub limits: RothkoLimits,
}

/// Limits of a run besides the memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RothkoLimits {
    /// TM: the rows of a part that is handed to Mondrian, at most.
    pub memory_rows: Option<u64>,
    /// F_CACHE: the frequency groups that are held at once, at most.
    pub frequency_groups: Option<usize>,
    /// The leaves that rows are divided among at once, at most.
    pub leaves: Option<usize>,
}

impl Rothko {
    /// Finds the groups of a table on disk and hands them over part by part.
    pub fn run(&self, job: &External<'_>, sink: &mut dyn PartSink) -> Result<Account> {
        run::run(self, job, sink)
    }
}
