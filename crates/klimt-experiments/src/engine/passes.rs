//! Rothko on a table in memory that is treated as if it were on disk, with the limits of a paper.

use crate::Result;
use crate::requirements::RequirementSpec;
use klimt_core::algorithm::mondrian::Mondrian;
use klimt_core::algorithm::rothko::{Method, Rothko, RothkoLimits, Sampling};
use klimt_core::job::Unobserved;
use klimt_core::memory::Pool;
use klimt_core::partition::Partitioning;
use klimt_core::parts::{Account, External, PartSink, Way, Whole};
use klimt_core::spill::{Block, HeldRows, SpillFolder};
use klimt_core::split::SplitSpec;
use klimt_core::table::Table;

/// Rothko-S with a sample of so many rows.
pub fn sampled(rows: Option<u64>) -> Method {
    Method::Sample(Sampling { alpha: 0.05, rows, seed: 1 })
}

/// A run over rows on disk.
pub struct Passes<'a> {
    /// The requirements.
    pub requirements: &'a [RequirementSpec<'a>],
    /// The split criterion.
    pub split: &'a str,
    /// Rothko-T or Rothko-S.
    pub method: Method,
    /// What fits in memory.
    pub limits: RothkoLimits,
}

/// Takes the groups and forgets them, but for what a measure makes of each part.
struct MeasuringSink<'a> {
    measure: &'a mut dyn FnMut(&Table, &Partitioning),
}

impl PartSink for MeasuringSink<'_> {
    fn begin(&mut self, _: &Whole<'_>) -> klimt_core::Result<()> {
        Ok(())
    }

    fn part(&mut self, table: Table, partitioning: Partitioning, _: &Way) -> klimt_core::Result<()> {
        (self.measure)(&table, &partitioning);
        Ok(())
    }

    fn slice(&mut self, table: Table, slice: Partitioning, _: &Way, _: bool) -> klimt_core::Result<()> {
        (self.measure)(&table, &slice);
        Ok(())
    }
}

/// Runs Rothko on a table.
pub fn run(
    table: &Table,
    asked: &Passes<'_>,
    mut measure: impl FnMut(&Table, &Partitioning),
) -> Result<Account> {
    let requirements = super::requirements(asked.requirements)?;
    let frame = Block::empty(table).into_table(table)?;
    let (pool, folder) = (Pool::new(2 << 30), SpillFolder::within(&std::env::temp_dir()));
    let job = External {
        frame: &frame,
        source: &HeldRows::new(table, HeldRows::BLOCK),
        requirements: &requirements,
        split: &SplitSpec::named(asked.split),
        weights: &vec![1.0; table.dimensions()],
        workload: None,
        keep_tree: false,
        by_boundaries: false,
        pool: &pool,
        folder: &folder,
        secret: [0; 32],
        until: None,
        observer: &Unobserved,
    };
    let rothko = Rothko { method: asked.method, mondrian: Mondrian::default(), limits: asked.limits };
    Ok(rothko.run(&job, &mut MeasuringSink { measure: &mut measure })?)
}
