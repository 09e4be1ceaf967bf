//! For front ends: a run, from settings and a table to a checked release that waits for its name.
//!
//! [`Prepared`] is what is known before any work: settings that make sense, requirements, guides, a budget. It reads a table
//! ([`Prepared::read`]); a [`RunRequest`] then finds the groups in memory (`in_memory.rs`) or part by part
//! (`in_parts.rs`), publishes and checks them ([`Publication`]), and makes the certificate.

mod advice;
mod ahead;
mod checks;
mod find;
mod in_memory;
mod in_parts;
mod measured;
mod memory_watch;
mod parts;
pub mod people;
mod publication;
mod publisher;
mod schemes;
mod search;
mod tree;
pub mod warnings;
mod workers;
pub mod workload;

pub use ahead::publish_meanwhile;
pub use in_memory::HeldRelease;
pub(crate) use memory_watch::LimitedObserver;
pub use memory_watch::{MemoryUse, MemoryWatch};
pub use parts::Input as PartsInput;
pub use publication::{Checked, Publication, Sink, facts};
pub use publisher::{Manner, Published, Publisher};
pub use schemes::{Guides, SchemeRecord, Schemes};
pub use workers::{STACK, Workers};

use crate::certificate::MadeCertificate;
use crate::input::Input;
use crate::inspect::Evidence;
use crate::observer::{Stage, Watched};
use crate::options::{self, Seen};
use crate::output::Output;
use crate::reading::Reading;
use crate::settings::Settings;
use crate::{Note, columns};
use klimt_core::job::Suppression;
use klimt_core::memory::Pool;
use klimt_core::partition::Partitioning;
use klimt_core::recode::{RecodingFunction, RowOrder};
use klimt_core::region::Extents;
use klimt_core::registry::AlgorithmKind;
use klimt_core::requirement::Requirement;
use klimt_core::spill::SpillFolder;
use klimt_core::table::{Domain, Table};
use klimt_core::words::{option, option_is};
use klimt_core::{Error, Result};
use klimt_io::columnar::{KeptTypes, OutputFormat};
use klimt_io::csv::{Dialect, ReadOptions};
use klimt_io::room::{Loaded, SpillBudget};
use klimt_io::source::{Source, SourceSpec};
use rayon::ThreadPool;

/// Settings that make sense, whatever the table holds.
pub struct Prepared {
    /// What was asked for, without the hierarchies that only guide schemes.
    pub settings: Settings,
    /// What every group must satisfy.
    pub requirements: Vec<Box<dyn Requirement>>,
    /// The hierarchies that only guide schemes.
    pub guides: Guides,
    /// The least size of a group.
    pub k: u64,
    /// The memory.
    pub pool: Pool,
    /// The threads that read, partition and write.
    pub workers: Workers,
}

/// A table as it was read.
pub struct TableRead<'r> {
    /// Its rows, in memory or on disk.
    pub loaded: Loaded<'r>,
    /// How its text is written.
    pub dialect: Dialect,
    /// The types of its columns.
    pub kept_types: KeptTypes,
    /// Whether it was text.
    pub is_text: bool,
    /// How it is written.
    pub reading: Reading,
}

/// A release that was made: checked, and without a name.
pub struct Made {
    /// The written release.
    pub checked: Checked,
    /// Its certificate.
    pub certificate: MadeCertificate,
    /// The groups, where all of them are in memory.
    pub held: Option<HeldRelease>,
    /// The recoding function, where one was asked for.
    pub recoding: Option<RecodingFunction>,
}

impl Prepared {
    /// Checks everything that can be checked before any work; all problems at once.
    pub fn new(mut settings: Settings, threads: Option<usize>) -> Result<Self> {
        settings.complete();
        checks::check_options(&settings)?;
        let k = settings.k.ok_or_else(|| {
            Error::input("k is not given").with_help(format!(
                "say how many people must share a published row, such as {}",
                option_is("k", "5")
            ))
        })?;
        let requirements = settings.build_requirements()?;
        let guides = Guides::take(&mut settings)?;
        let pool = settings.memory.pool();
        Ok(Prepared { k, requirements, guides, pool, workers: Workers::new(threads), settings })
    }

    /// Reads the table, in memory as far as there is room.
    pub fn read<'r>(
        &self,
        input: Input,
        watched: &Watched<'_>,
        room: &SpillBudget<'r>,
    ) -> Result<TableRead<'r>> {
        let (name, bytes) = (input.name().to_string(), input.bytes());
        let source =
            input.open(&SourceSpec { memory: Some(room.pool.left()), ..self.settings.source.clone() })?;
        let (dialect, kept_types) = (source.dialect(), source.kept_types());
        let is_text = matches!(source, Source::Csv(_));
        let plan = columns::plan(&name, source.columns(), &self.settings)?;
        // Rows on disk take no more than their text, until they are all there and it is known.
        room.folder.traffic().expect(bytes);
        let stage = watched.stage(Stage::Reading, Some(bytes));
        let threads = self.workers.threads();
        let options = ReadOptions { missing: &self.settings.missing, threads, observer: &stage };
        let loaded = self.workers.run(|_| source.read_within(&plan, &options, room))?;
        drop(stage);
        let loaded = match loaded {
            Loaded::Fits(table, report) => Loaded::Fits(table.with_pairs()?, report),
            Loaded::Spilled(table) if table.frame().person().is_some() => {
                return Err(people_on_disk(self.pool.limit()));
            }
            spilled => spilled,
        };
        let report = match &loaded {
            Loaded::Fits(_, report) => report,
            Loaded::Spilled(table) => table.report(),
        };
        warnings::note_doubts(watched, report);
        self.settings.screen(&name, &Evidence::of_loaded(&loaded)?)?;
        let kept_types = kept_types.after(report);
        let reading = Reading::of(&report.recognised, &self.settings);
        reading.note(&report.recognised).into_iter().for_each(|note| watched.note(note));
        Ok(TableRead { loaded, dialect, kept_types, is_text, reading })
    }

    /// Makes a release of a table that was read, of any size.
    pub fn make<'r>(
        &self,
        read: TableRead<'r>,
        output: &Output,
        watched: &Watched<'_>,
        room: SpillBudget<'r>,
    ) -> Result<Made> {
        let TableRead { loaded, dialect, kept_types, is_text, reading } = read;
        let (table, in_memory) = match &loaded {
            Loaded::Spilled(spilled) => (spilled.frame(), false),
            Loaded::Fits(table, _) => (table, true),
        };
        for idle in options::idle(&self.settings, &Seen { table, in_memory, is_text }) {
            watched.note(Note::remark(format!("note: {idle}")));
        }
        let dialect = output_dialect(dialect, output)?;
        let in_parts = match &loaded {
            Loaded::Spilled(table) => Some(parts::algorithm_for(&self.settings, table, &self.pool)?),
            Loaded::Fits(..) => Some(self.settings.algorithm()).filter(|algorithm| algorithm.is_rothko()),
        };
        self.workers.run(|pool| {
            let request = self.request(output, dialect, (&kept_types, &reading), watched, room);
            let request = RunRequest { shared: Some(pool), ..request };
            match (in_parts, loaded) {
                (Some(algorithm), loaded) => request.make_in_parts(algorithm, &PartsInput::of(loaded)?),
                (None, Loaded::Fits(table, report)) => {
                    request.make_in_memory(table.into(), &report, &self.guides)
                }
                (None, Loaded::Spilled(_)) => Err(Error::internal("a table on disk has no algorithm")),
            }
        })
    }

    /// A run over a table that was read.
    pub fn request<'a>(
        &'a self,
        output: &'a Output,
        dialect: Dialect,
        (kept_types, reading): (&'a KeptTypes, &'a Reading),
        watched: &'a Watched<'a>,
        room: SpillBudget<'a>,
    ) -> RunRequest<'a> {
        RunRequest {
            settings: &self.settings,
            requirements: &self.requirements,
            suppression: self.settings.suppression(),
            output,
            dialect,
            kept_types,
            reading,
            k: self.k,
            threads: self.workers.threads(),
            shared: None,
            watched,
            room,
        }
    }
}

/// What a run works with once its table is read.
pub struct RunRequest<'a> {
    /// What was asked for.
    pub settings: &'a Settings,
    /// What every group must satisfy.
    pub requirements: &'a [Box<dyn Requirement>],
    /// How many rows may be left out.
    pub suppression: Suppression,
    /// Where the release goes.
    pub output: &'a Output,
    /// How it is written, where it is text.
    pub dialect: Dialect,
    /// The types of the columns of the source.
    pub kept_types: &'a KeptTypes,
    /// How the source is written.
    pub reading: &'a Reading,
    /// The least size of a group.
    pub k: u64,
    /// How many readers and writers work side by side.
    pub threads: usize,
    /// The pool that the run shares with what publishes meanwhile; the global one where there is none.
    pub shared: Option<&'a ThreadPool>,
    /// Who watches the run.
    pub watched: &'a Watched<'a>,
    /// Memory, and where to go when it is full.
    pub room: SpillBudget<'a>,
}

impl RunRequest<'_> {
    /// The order of the published rows.
    fn row_order(&self) -> Result<RowOrder> {
        row_order(self.settings.keep_order, self.settings.seed)
    }
}

/// People are counted in memory.
fn people_on_disk(granted: usize) -> Error {
    Error::resource(format!("the table does not fit in memory, where {} needs it", option("person")))
        .with_help(klimt_core::Remedy::RaiseMemory(granted.saturating_mul(4)))
}

/// The folder for the spill files of a run.
pub fn spill_folder(settings: &Settings) -> SpillFolder {
    SpillFolder::within(&settings.memory.folder())
}

/// Region boundaries where they are asked for; then groups that are published alike become one.
pub fn finish_regions(partitioning: &mut Partitioning, table: &Table, extents: Extents) {
    let domains: Vec<&Domain> = (0..table.dimensions()).map(|d| table.domain(d)).collect();
    if let (Extents::Region, Some(tree)) = (extents, &partitioning.tree) {
        partitioning.regions = tree.regions(&domains, Some(&partitioning.regions));
    }
    partitioning.coalesce(&domains);
}

/// The order of the published rows: without a seed, nobody can tell how they were shuffled.
pub fn row_order(keep: bool, seed: Option<u64>) -> Result<RowOrder> {
    if keep {
        return Ok(RowOrder::Kept);
    }
    let mut secret = [0; 32];
    match seed {
        Some(seed) => secret[..8].copy_from_slice(&seed.to_le_bytes()),
        None => getrandom::fill(&mut secret)
            .map_err(|e| Error::resource(format!("the system gives no random numbers: {e}")))?,
    }
    Ok(RowOrder::Shuffled(secret))
}

/// The output is written like the input, but for tabs in a `.tsv` file.
pub fn output_dialect(input: Dialect, output: &Output) -> Result<Dialect> {
    Ok(match output.format()? {
        OutputFormat::Text { tabs: true, .. } => Dialect { delimiter: b'\t', ..input },
        _ => input,
    })
}

/// Whether a run searches, and publishes the best that it has when it is asked to stop.
fn searches(settings: &Settings) -> bool {
    let greedy = matches!(settings.algorithm(), AlgorithmKind::Mondrian | AlgorithmKind::RTree);
    !greedy || settings.search.effort() != klimt_core::algorithm::optimal::Effort::Fast
}
