//! The memory that a search takes, planned before it starts: how large its parts may be, and how many at a time.

use super::part::LANES;
use super::search::{MOST_ROWS, words};
use crate::Result;
use crate::job::Job;
use crate::packed::tuple_bytes;
use crate::partition::CutNode;
use crate::table::Table;

/// Bytes that a known cut of a box takes.
const CUT_BYTES: usize = 64;

/// The memory of a search, divided among its tables.
#[derive(Clone, Copy, Debug)]
pub(super) struct SearchMemory {
    /// The most rows of a part.
    pub rows: usize,
    /// The bytes that parts may take which are searched side by side.
    parts: usize,
    /// The bytes that what is known of boxes may take.
    pub known: usize,
}

impl SearchMemory {
    /// Plans a search; refuses where there is too little memory for any.
    pub fn new(job: &Job<'_>) -> Result<Self> {
        let table = job.table;
        let least = table.rows().min(LEAST_ROWS);
        job.budget.admit(
            table,
            always(job) + 4 * part_bytes(table, least),
            "the search for the best groups",
        )?;
        let left = job.budget.beside(table).saturating_sub(always(job));
        // A quarter is for the part of the proof, another one for what it knows.
        let halves = std::iter::successors(Some(MOST_ROWS), |rows| Some(rows / 2));
        let mut fitting = halves.take_while(|&rows| rows > LEAST_ROWS);
        let fits = |rows: &usize| part_bytes(table, (*rows).min(table.rows())) <= left / 4;
        let rows = fitting.find(fits).unwrap_or(LEAST_ROWS);
        Ok(SearchMemory { rows, parts: left / 2, known: left / 4 })
    }

    /// How many parts of at most this many rows are searched side by side.
    pub fn parts(&self, table: &Table, rows: usize) -> usize {
        (self.parts / part_bytes(table, rows.min(table.rows())).max(1)).max(1)
    }
}

/// Parts of this many rows are always searched.
const LEAST_ROWS: usize = 64;

/// Bytes of rows and cuts. They exist several times: before a step, after it, and as candidates.
fn always(job: &Job<'_>) -> usize {
    const TIMES: usize = 4;
    let (rows, minimum) = (job.table.rows(), job.requirements.minimum_size().max(1) as usize);
    let packed = 2 * (tuple_bytes(size_of::<u32>(), job.table.dimensions()) + size_of::<u32>());
    rows * (packed + TIMES * size_of::<u32>()) + rows / minimum * 2 * TIMES * size_of::<CutNode>()
}

/// The bytes of a part of this many rows at most: a bit for each code and row, twice, and once more for the codes of the
/// dimension in which it is being cut.
fn part_bytes(table: &Table, rows: usize) -> usize {
    let dimensions = table.dimensions();
    let codes = |dimension: usize| table.domain(dimension).cardinality().min(rows);
    let (all, most) =
        (0..dimensions).map(codes).fold((0, 0), |(all, most), codes| (all + codes, codes.max(most)));
    let bits = words(rows) * size_of::<u64>();
    let corners = dimensions.div_ceil(LANES) * LANES * size_of::<u16>();
    all * (2 * bits + CUT_BYTES) + most * (bits + 2 * corners + 96) + rows * (40 + 2 * corners)
}
