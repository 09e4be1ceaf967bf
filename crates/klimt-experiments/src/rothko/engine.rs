//! The engine on a table in memory that is treated as if it were on disk, with the limits of the paper.

use crate::tables::Input;
use klimt_core::algorithm::mondrian::Mondrian;
use klimt_core::algorithm::rothko::{Method, Rothko, RothkoLimits};
use klimt_core::job::Unobserved;
use klimt_core::memory::Pool;
use klimt_core::partition::Partitioning;
use klimt_core::parts::{Account, External, PartSink, Way, Whole};
use klimt_core::registry;
use klimt_core::spill::{Block, HeldRows, SpillFolder};
use klimt_core::split::SplitSpec;
use klimt_core::table::{ColumnSpec, Role, Table};
use klimt_io::csv::{DialectSpec, ReadOptions};
use klimt_io::source::{ColumnPlan, Source};

/// Reads the quasi-identifiers of a table, and columns with the roles that an experiment gives them.
pub fn read(input: &Input, others: &[(&str, Role)]) -> Result<Table, String> {
    let source = Source::open(&input.path.display().to_string(), DialectSpec::default());
    let source = source.map_err(|e| e.to_string())?;
    let role = |name: &str| {
        let other = others.iter().find(|(other, _)| *other == name).map(|(_, role)| *role);
        other.or(input.quasi_identifiers.split(',').any(|qi| qi == name).then_some(Role::QuasiIdentifier))
    };
    let plan: Vec<ColumnPlan> = source
        .columns()
        .iter()
        .map(|name| ColumnPlan::of(role(name).map(|role| ColumnSpec::new(name.clone(), role))))
        .collect();
    let options = ReadOptions { missing: &[], threads: 2, observer: &Unobserved };
    source.read(&plan, &options).map(|(table, _)| table).map_err(|e| e.to_string())
}

/// What an experiment asks for.
pub struct Asked<'a> {
    /// The requirements, by flag, column and parameters.
    pub requirements: &'a [(&'a str, &'a str, &'a str)],
    /// The split criterion.
    pub split: &'a str,
    /// Rothko-T or Rothko-S.
    pub method: Method,
    /// What fits in memory.
    pub limits: RothkoLimits,
}

/// Takes the groups and forgets them, but for what a measure makes of each part.
struct Measured<'a> {
    measure: &'a mut dyn FnMut(&Table, &Partitioning),
}

impl PartSink for Measured<'_> {
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
    asked: &Asked<'_>,
    mut measure: impl FnMut(&Table, &Partitioning),
) -> Result<Account, String> {
    let requirement = |(flag, column, text): &(&str, &str, &str)| registry::requirement(flag, column, text);
    let requirements: Result<Vec<_>, _> = asked.requirements.iter().map(requirement).collect();
    let requirements = requirements.map_err(|e| e.to_string())?;
    let frame = Block::empty(table).into_table(table).map_err(|e| e.to_string())?;
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
    rothko.run(&job, &mut Measured { measure: &mut measure }).map_err(|e| e.to_string())
}
