//! Rothko: Mondrian for tables larger than memory (LeFevre, DeWitt).
//!
//! The rows lie on disk. A few cuts are chosen without holding them, the rows are divided among the parts that these
//! cuts make, and parts that fit in memory are handed to Mondrian, one after the other.
//!
//! *Rothko-T* (section 2, `tree.rs`) chooses the cuts from frequency groups of all rows (`frequency.rs`), as Mondrian would
//! in memory: its groups are Mondrian's. *Rothko-S* (section 3) grows a tree on a sample (`sample.rs`, `grow.rs`) as far as
//! hypothesis tests allow, divides the rows (`repartition.rs`) and undoes what was cut in error (`prune.rs`). `run.rs` is the
//! recursion of both: what does not fit after that is divided again.

mod frequency;
mod grow;
mod judge;
mod large;
mod prune;
mod repartition;
mod room;
mod route;
mod run;
mod sample;
mod scan;
mod tree;
mod withheld;

pub use prune::Way;

use super::mondrian::Mondrian;
use crate::Result;
use crate::job::{Budget, Observer};
use crate::loss::Original;
use crate::memory::Pool;
use crate::partition::Partitioning;
use crate::requirement::{ColumnFacts, Facts, Requirement};
use crate::spill::{Rows, SpillFolder};
use crate::split::SplitSpec;
use crate::table::{Domain, Role, Table};
use crate::workload::BoundWorkload;
use serde::Serialize;
use std::time::Instant;

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
    /// What the choice of rows depends on.
    pub seed: u64,
}

/// The partitioner for tables larger than memory.
#[derive(Clone, Copy, Debug)]
pub struct Rothko {
    /// How cuts are chosen above the parts that fit in memory.
    pub method: Method,
    /// What cuts the parts that do.
    pub mondrian: Mondrian,
    /// Limits for experiments; none by default.
    pub limits: Limits,
}

/// What is limited besides the memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limits {
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

/// What Rothko works on.
#[derive(Clone, Copy)]
pub struct External<'a> {
    /// The columns of the table, with their domains and without rows.
    pub frame: &'a Table,
    /// The rows.
    pub source: &'a dyn Rows,
    /// What every group must satisfy.
    pub requirements: &'a [Box<dyn Requirement>],
    /// The split criterion.
    pub split: &'a SplitSpec,
    /// How much each dimension matters.
    pub weights: &'a [f64],
    /// What will be asked of the release, where that is known.
    pub workload: Option<&'a BoundWorkload>,
    /// Whether the cuts are kept, for region extents or a recoding function.
    pub keep_tree: bool,
    /// Whether boundaries are published, so that widths are required of them; the cuts are kept then.
    pub by_boundaries: bool,
    /// The memory that may be taken.
    pub pool: &'a Pool,
    /// Where parts go that do not fit.
    pub folder: &'a SpillFolder,
    /// What the order of rows in groups larger than memory depends on: nobody must know it.
    pub secret: [u8; 32],
    /// When parts are not cut any further and become groups as they are.
    pub until: Option<Instant>,
    /// Watches the run: is told of rows, once per row that is read or finds its group.
    pub observer: &'a dyn Observer,
}

impl<'a> External<'a> {
    /// What cutting may spend.
    fn budget(&self) -> Budget {
        Budget { until: self.until, ..Budget::default() }
    }

    /// A part of the table, as the split criterion sees it.
    fn original<'t>(&self, table: &'t Table) -> Original<'t>
    where
        'a: 't,
    {
        Original::new(table, self.weights).with_workload(self.workload)
    }
}

/// What is known of all rows before any group is.
#[derive(Clone, Debug)]
pub struct Whole<'a> {
    /// The columns.
    pub frame: &'a Table,
    /// The number of rows.
    pub rows: u64,
    /// How many rows have each code, for every sensitive column, by its number in the frame.
    pub counts: Vec<(usize, Vec<u64>)>,
}

impl Facts for Whole<'_> {
    fn rows(&self) -> u64 {
        self.rows
    }

    fn column(&self, name: &str) -> Option<ColumnFacts<'_>> {
        let columns = self.frame.columns();
        let number = columns.iter().position(|c| c.name == name && c.role == Role::Sensitive)?;
        let (domain, _) = columns[number].coded()?;
        let (_, counts) = self.counts.iter().find(|(column, _)| *column == number)?;
        Some(ColumnFacts::new(number, domain, counts.clone()))
    }

    fn dimension(&self, name: &str) -> Option<(usize, &Domain)> {
        let dimension = (0..self.frame.dimensions()).find(|&d| self.frame.dimension(d).name == name)?;
        Some((dimension, self.frame.domain(dimension)))
    }
}

/// Takes the groups of a table part by part. No tuple of the domain is in two parts, and no group is published like one
/// of another part.
pub trait PartSink {
    /// Is told of the whole before the first part comes; all rows together satisfy the requirements.
    fn begin(&mut self, whole: &Whole<'_>) -> Result<()>;

    /// Takes the next part: its rows, their groups with the cuts of the part where these are kept, and the way to it from
    /// the root of the domain. Parts come from left to right.
    fn part(&mut self, table: Table, partitioning: Partitioning, way: &Way) -> Result<()>;

    /// Takes some rows of a group that is larger than memory, with the region of the whole group; the group goes on in the
    /// next slice unless this is the last.
    fn slice(&mut self, table: Table, slice: Partitioning, way: &Way, last: bool) -> Result<()>;
}

/// What a run has done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Account {
    /// How often all rows were read, on average.
    pub reads: f64,
    /// How often all rows were written, on average.
    pub writes: f64,
    /// How often a part was divided on disk.
    pub repartitions: u64,
    /// The parts that were handed to Mondrian.
    pub parts: u64,
    /// The groups that Mondrian made of them: leaves of which groups may be unions.
    pub leaves: u64,
    /// The cuts that were undone because a side violated a requirement.
    pub pruned: u64,
    /// The parts in which nothing could be told from a sample, so that Rothko-T went on.
    pub switched: u64,
    /// Whether no group can be cut any further: nothing is known where a frequency group did not fit.
    pub minimal: bool,
}
