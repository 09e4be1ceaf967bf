//! Shares the memory of a run among its parts.

use super::{RothkoLimits, Sampling};
use crate::Remedy;
use crate::packed::tuple_bytes;
use crate::parts::External;
use crate::pass::{BlockMemory, LEAST_BUFFER, SampleRequest};
use crate::spill::Block;
use crate::table::{Codes, Column, Domain, Role, Table};
use crate::{Error, Result, memory};

/// Shares of the memory that is left.
#[derive(Clone, Copy, Debug)]
pub(super) struct RothkoMemory {
    /// The memory for blocks of rows; its bytes are those that are shared out.
    pub memory: BlockMemory,
    usual: BudgetEstimate,
    /// Bytes of the domains, about.
    domains: usize,
    /// Bytes of the values that groups are compared with.
    compared: usize,
    /// Bytes of a row while its part is in memory: the table, the tuples in both buffers, its share of the
    /// groups.
    working_row: usize,
    limits: RothkoLimits,
}

/// Estimates from the budget and the number of columns alone. Groups depend on the sample, on which parts fit and on how
/// many leaves there are, and the width of codes may depend on the number of readers: so groups go by these estimates.
#[derive(Clone, Copy, Debug)]
struct BudgetEstimate {
    rows: u64,
    /// Bytes that the buffers of leaves may take.
    bytes: usize,
}

/// Bytes for rounding and small things.
const NEGLECTED: u64 = 1 << 20;
/// The number of rows from which the bytes of a row are estimated.
const FIRST_ROWS: usize = 256;
/// Bytes of a value of a domain in the frame and in the tables that translate to it, at most.
const PER_VALUE: usize = 16;
/// A leaf that fits is not cut further on disk below this many rows: they fit in the cache.
const SMALL_PART: u64 = 1 << 16;

/// Columns with more values than this may have another one in every row of a part.
const FEW_VALUES: usize = 1 << 16;
/// Bytes of a value while the values of a part are counted by their texts.
const PER_COUNTED: usize = 96;

/// Bytes of a value of a column where groups are compared with all values of it: in the checker, by its text, and in the
/// requirement.
const PER_COMPARED: usize = 240;

/// The sensitive columns that have many values.
fn counted_values(frame: &Table) -> usize {
    let has_many = |column: &&Column| {
        column.role == Role::Sensitive
            && column.coded().is_some_and(|(domain, _)| domain.cardinality() > FEW_VALUES)
    };
    frame.columns().iter().filter(has_many).count()
}

/// The bytes that it takes to compare groups with the values of the whole.
pub(super) fn compared_bytes(job: &External<'_>) -> usize {
    let is_compared = |column: &&Column| {
        let mut about =
            job.requirements.iter().filter(|requirement| requirement.column() == Some(&column.name));
        column.role == Role::Sensitive && about.any(|requirement| requirement.compares_with_whole())
    };
    let values = |column: &Column| column.coded().map_or(0, |(domain, _)| domain.cardinality());
    let compared = job.frame.columns().iter().filter(is_compared).map(values);
    compared.filter(|&values| values > FEW_VALUES).sum::<usize>() * PER_COMPARED
}

/// This many rows keep all processors busy; more only take memory that must be cleared each time.
const LOAD: u64 = 1 << 19;

impl RothkoMemory {
    /// Estimates the bytes of a row from the first rows; `compared` bytes are taken by the values that groups are
    /// compared with.
    pub fn new(
        job: &External<'_>,
        columns: &[usize],
        least_group: u64,
        compared: usize,
        limits: RothkoLimits,
    ) -> Result<Self> {
        let (mut block, mut first) = (Block::empty(job.frame), Block::empty(job.frame));
        if job.source.blocks() > 0 {
            job.source.read(0, &mut block)?;
        }
        first.append_rows(&block, &(0..block.rows().min(FIRST_ROWS) as u32).collect::<Vec<_>>());
        let row = first.held_bytes().div_ceil(first.rows().max(1)).max(1);
        let width = |&column: &usize| {
            job.frame.columns()[column].coded().map_or(1, |(domain, _)| Codes::width(domain.cardinality()))
        };
        let word = columns.iter().map(width).max().unwrap_or(1);
        // A group has a region, and is counted by its published text when the release is checked.
        let group = (job.frame.dimensions() * 24 + 128) / least_group.max(1) as usize;
        // Meanwhile the part before is published, and its sensitive values are counted by their texts.
        let values = counted_values(job.frame) * PER_COUNTED;
        let published = row + 4 + group + values;
        let working_row = row + 2 * (tuple_bytes(word, columns.len()) + 4) + 4 + group + published;
        // A quarter stays for the writers, the checker and what the allocator holds back.
        let held = |domain: &Domain| if domain.is_range() { 0 } else { domain.cardinality() };
        let domain = |column: &Column| column.coded().map_or(0, |(domain, _)| held(domain));
        let domains = job.frame.columns().iter().map(domain).sum::<usize>() * PER_VALUE;
        let shared = job.pool.limit().saturating_sub(domains + compared).max(job.pool.limit() / 4);
        let bytes = shared.min(job.pool.left()) / 4 * 3;
        let words = 4 * columns.len() + 16 * (job.frame.columns().len() - columns.len());
        let usual_row = 2 * (words + 4 + group) + values + 2 * (tuple_bytes(4, columns.len()) + 4);
        let limit = job.pool.limit().saturating_sub(compared).max(job.pool.limit() / 4);
        let usual = BudgetEstimate { rows: (limit / 2 / usual_row) as u64, bytes: limit / 8 * 3 };
        let memory = BlockMemory { bytes, row, block_rows: block.rows().max(1) };
        Ok(RothkoMemory { memory, usual, domains, compared, working_row, limits })
    }

    /// TM: the rows that can be partitioned in memory.
    pub fn rows(&self) -> u64 {
        let fit = (self.memory.bytes / self.working_row) as u64;
        self.limits.memory_rows.unwrap_or(fit.min(self.usual.rows)).max(1)
    }

    /// The rows of small parts that are loaded together, at most.
    pub fn load_rows(&self) -> u64 {
        self.rows().min(LOAD)
    }

    /// The bytes that this many rows take while they are partitioned.
    pub fn working_bytes(&self, rows: u64) -> usize {
        rows as usize * self.working_row
    }

    /// The rows of a slice of a group that is not cut any more.
    pub fn slice_rows(&self) -> u64 {
        self.limits.memory_rows.unwrap_or((self.memory.bytes / 2 / (self.memory.row + 8)) as u64).max(1)
    }

    /// How many leaves rows can be divided among at once.
    pub fn leaves(&self) -> usize {
        // A buffer may have room for twice what it holds.
        (self.usual.bytes / LEAST_BUFFER / 2).clamp(2, self.limits.leaves.unwrap_or(1 << 12))
    }

    /// The bytes for frequency groups, the blocks that are read meanwhile apart.
    pub fn frequencies(&self) -> u64 {
        (self.memory.bytes / 16 * 15) as u64
    }

    /// How many frequency groups there may be at once, however small.
    pub fn frequency_groups(&self) -> usize {
        self.limits.frequency_groups.unwrap_or(usize::MAX)
    }

    /// The sample that is taken of rows.
    pub fn sample(&self, sampling: Sampling) -> SampleRequest {
        let fits = self.rows();
        let rows = sampling.rows.unwrap_or((fits / 2).min(1 << 20)).clamp(1, fits);
        SampleRequest { rows, seed: sampling.seed }
    }

    /// A part of at most this many rows is small enough when rows are divided by a sample.
    pub fn leaf_rows(&self, rows: u64) -> u64 {
        let small = (self.rows() / 4).clamp(1, SMALL_PART);
        small.max(rows.div_ceil(self.leaves() as u64) * 2)
    }

    /// A frequency group of this many bytes does not fit.
    pub fn too_small(&self, job: &External<'_>, bytes: u64) -> Error {
        let share = bytes.saturating_mul(16).div_ceil(15).saturating_mul(4).div_ceil(3);
        let needed = share + (self.domains + self.compared) as u64 + NEGLECTED;
        let budget = memory::amount(job.pool.limit());
        Error::resource(format!("{budget} of memory are too little for one frequency group"))
            .with_help(Remedy::RaiseMemory(needed as usize))
            .with_help("rothko-s needs none")
    }

    /// Whether a part of this many rows is small enough for memory.
    pub fn fits(&self, rows: u64) -> bool {
        rows <= self.rows()
    }
}
