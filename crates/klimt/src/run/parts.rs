//! Tables larger than memory: which algorithm takes them, and how a run goes.

use super::ahead::publish_meanwhile;
use super::publication::Publication;
use super::publisher::{Manner, Published, Publisher};
use crate::certificate::{Bytes, Passes, RunAccount};
use crate::observer::Stretch;
use crate::options;
use crate::settings::Settings;
use klimt_core::algorithm::mondrian::Mondrian;
use klimt_core::algorithm::rothko::{Method, Rothko, RothkoLimits};
use klimt_core::job::Observer;
use klimt_core::memory::{Pool, amount};
use klimt_core::parts::{Account, External, PartSink, Whole};
use klimt_core::recode::{RowOrder, Rules};
use klimt_core::region::Extents;
use klimt_core::registry::AlgorithmKind;
use klimt_core::requirement::Requirement;
use klimt_core::spill::{Block, HeldRows, Rows, SpillFolder};
use klimt_core::table::{Codes, ColumnData, Table};
use klimt_core::words::option_is;
use klimt_core::{Error, ErrorKind, Remedy, Result, registry};
use klimt_io::room::{Loaded, SpilledTable};
use klimt_io::source::ReadReport;
use rayon::ThreadPool;

/// Rows and their columns, for Rothko.
pub enum Input<'a> {
    /// On disk.
    Spilled(SpilledTable<'a>),
    /// In memory: the columns without rows, then the table.
    Held(Table, Table, ReadReport),
}

impl<'a> Input<'a> {
    /// What was read, for an algorithm that takes any.
    pub fn of(loaded: Loaded<'a>) -> Result<Self> {
        Ok(match loaded {
            Loaded::Spilled(spilled) => Input::Spilled(spilled),
            Loaded::Fits(table, report) => {
                let frame = Block::empty(&table).into_table(&table)?;
                Input::Held(frame, table, report)
            }
        })
    }

    /// The columns, without rows.
    pub fn frame(&self) -> &Table {
        match self {
            Input::Spilled(spilled) => spilled.frame(),
            Input::Held(frame, ..) => frame,
        }
    }

    /// How many rows there are.
    pub fn rows(&self) -> u64 {
        match self {
            Input::Spilled(spilled) => spilled.rows(),
            Input::Held(_, table, _) => table.rows() as u64,
        }
    }

    /// Hands on the rows.
    pub fn read_with<R>(&self, read: impl FnOnce(&dyn Rows) -> R) -> R {
        match self {
            Input::Spilled(spilled) => read(spilled),
            Input::Held(_, table, _) => read(&HeldRows::new(table, HeldRows::BLOCK)),
        }
    }

    fn report(&self) -> &ReadReport {
        match self {
            Input::Spilled(spilled) => spilled.report(),
            Input::Held(.., report) => report,
        }
    }
}

/// What a run works with.
pub struct Run<'a> {
    /// What was asked for.
    pub settings: &'a Settings,
    /// The algorithm, by name.
    pub algorithm: AlgorithmKind,
    /// What cuts parts that fit in memory.
    pub mondrian: Mondrian,
    /// What every group must satisfy.
    pub requirements: &'a [Box<dyn Requirement>],
    /// The memory.
    pub pool: &'a Pool,
    /// Where parts go that do not fit.
    pub folder: &'a SpillFolder,
    /// Whether the recoding function is saved.
    pub saves_recoding: bool,
    /// The pool that the run shares with what publishes meanwhile.
    pub shared: Option<&'a ThreadPool>,
}

impl<'a> Run<'a> {
    /// Finds the groups, publishes them part by part, and checks what was written.
    pub fn publish<'p>(
        &self,
        input: &'p Input<'_>,
        publication: Publication<'p>,
        manner: Manner<'p>,
        stage: &'p Stretch<'p>,
        warn: &'p (dyn Fn(&Whole<'_>) + Sync),
    ) -> Result<(Published<'p>, Account)>
    where
        'a: 'p,
    {
        let rules = match self.saves_recoding {
            true => Some(Rules::new(input.frame(), self.folder.file()?)),
            false => None,
        };
        let publisher = Publisher::new(publication, manner, stage, warn, rules);
        let method = match self.algorithm {
            AlgorithmKind::RothkoT => Method::Tree,
            _ => Method::Sample(self.settings.memory.sampling()),
        };
        let until = self.settings.search.until();
        let steered = manner.workload.map(|workload| workload.steer(manner.weights));
        let run = |source: &dyn Rows, sink: &mut dyn PartSink| {
            let job = External {
                frame: input.frame(),
                source,
                requirements: self.requirements,
                split: &self.settings.split_spec(),
                weights: steered.as_ref().map_or(manner.weights, |steered| steered),
                workload: manner.workload,
                keep_tree: manner.extents == Extents::Region || self.saves_recoding,
                by_boundaries: manner.extents == Extents::Region,
                pool: self.pool,
                folder: self.folder,
                secret: secret(manner.row_order),
                until,
                observer: stage,
            };
            let rothko = Rothko { method, mondrian: self.mondrian, limits: RothkoLimits::default() };
            rothko.run(&job, sink)
        };
        let find = |sink: &mut dyn PartSink| input.read_with(|source| run(source, sink));
        let (publisher, account) = publish_meanwhile(input.frame(), publisher.in_pool(self.shared), find)?;
        if stage.cancelled() {
            return Err(Error::new(ErrorKind::Cancelled, "stopped"));
        }
        Ok((publisher.finish()?, account))
    }

    /// What a certificate says of the run: how it went, and nothing of the values.
    pub fn describe(&self, input: &Input<'_>, account: &Account, told: &[(&'static str, f64)]) -> RunAccount {
        let traffic = self.folder.traffic();
        let untold = registry::LOSSES.iter().filter(|(entry, loss)| {
            !loss.ignores_other_rows() && !told.iter().any(|(id, _)| *id == entry.id)
        });
        RunAccount {
            algorithm: self.algorithm.to_string(),
            in_memory: Some(matches!(input, Input::Held(..))),
            memory: Some(self.settings.memory.described().to_string()),
            // What is free changes from run to run, and parts of a table go by the budget.
            budget: self.settings.memory.memory.is_none().then(|| self.pool.limit() as u64),
            passes: Some(Passes { reads: rounded(account.reads), writes: rounded(account.writes) }),
            repartitions: Some(account.repartitions),
            parts: Some(account.parts),
            leaves: Some(account.leaves),
            pruned: Some(account.pruned),
            switched: Some(account.switched),
            minimal: Some(account.minimal),
            bytes: Some(Bytes {
                source: Some(input.report().bytes),
                read: traffic.read(),
                written: traffic.written(),
            }),
            losses_not_told: untold.map(|(entry, _)| entry.id.to_string()).collect(),
            held_back: None,
        }
    }
}

/// Passes over the rows add up from parts of them.
fn rounded(passes: f64) -> f64 {
    (passes * 1e6).round() / 1e6
}

/// What a certificate says of a run in memory. Where rows were suppressed, the size of the source would tell how long their
/// values are.
pub fn describe_held(
    settings: &Settings,
    report: &ReadReport,
    suppressed: bool,
    leaves: Option<usize>,
) -> RunAccount {
    RunAccount {
        algorithm: settings.algorithm().to_string(),
        in_memory: Some(true),
        memory: Some(settings.memory.described().to_string()),
        bytes: Some(Bytes { source: (!suppressed).then_some(report.bytes), read: 0, written: 0 }),
        leaves: leaves.map(|leaves| leaves as u64),
        ..RunAccount::default()
    }
}

/// What rows of groups larger than memory are dealt by: as secret as the order of rows, and independent of it.
fn secret(order: RowOrder) -> [u8; 32] {
    match order {
        RowOrder::Shuffled(mut secret) => {
            secret[31] ^= 0x80;
            secret
        }
        RowOrder::Kept => [0; 32],
    }
}

/// The algorithm for a table that does not fit in memory; an error where what was asked for needs it there.
pub fn algorithm_for(settings: &Settings, table: &SpilledTable<'_>, pool: &Pool) -> Result<AlgorithmKind> {
    let asked = settings.algorithm();
    if asked.is_rothko() {
        return Ok(asked);
    }
    let memory = amount(pool.limit());
    let enough = Remedy::RaiseMemory(needed(table));
    if !settings.is_auto() && !settings.is_tree() {
        let message = format!("the table does not fit in {memory} of memory, and {asked} needs it there");
        return Err(Error::resource(message)
            .with_help(enough)
            .with_help(format!("{} works within the budget", option_is("algorithm", "rothko-s"))));
    }
    let problems = options::needing_all_rows(settings);
    if problems.is_empty() {
        return Ok(if settings.is_tree() { asked } else { AlgorithmKind::RothkoS });
    }
    let message = format!("the table does not fit in {memory} of memory; {}", problems.join("; "));
    Err(Error::resource(message).with_help(enough).with_help("or leave these options out"))
}

/// About how much memory a table would take with what an algorithm needs beside it.
fn needed(table: &SpilledTable<'_>) -> usize {
    let (mut row, mut domains) = (8, 0);
    for column in table.frame().columns() {
        match &column.data {
            ColumnData::Coded { domain, .. } => {
                row += 2 * Codes::width(domain.cardinality()) + 8;
                domains += domain.cardinality().saturating_mul(32);
            }
            ColumnData::Texts(_) => row += 2 * 16,
        }
    }
    (table.rows() as usize).saturating_mul(row).saturating_add(domains).saturating_mul(5) / 4
}
