//! Batches: rows that are inserted, updated or deleted, all of them or none.

use super::{Store, means};
use crate::input::Input;
use crate::inspect::{Evidence, screen};
use crate::observer::{Stage, Watched};
use crate::suggest::did_you_mean;
use klimt_core::spill::{Block, HeldRows, Rows};
use klimt_core::table::{ColumnSpec, Guard, Role, Table};
use klimt_core::{Error, ErrorKind, Result};
use klimt_io::csv::ReadOptions;
use klimt_io::room::{Loaded, SpillBudget};
use klimt_io::source::{ColumnPlan, ReadReport, SourceSpec};
use klimt_store::{Batch, Size};
use serde::Serialize;

/// Rows for a store, of any size. An [`Input`] is one.
pub struct StoreBatch {
    input: Input,
    source: SourceSpec,
    accepted: Vec<String>,
}

/// A change of a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct StoreChange {
    /// The rows of the batch.
    pub changed: u64,
    /// The size of the store after it.
    #[serde(flatten)]
    pub size: Size,
}

impl StoreBatch {
    /// The rows of an input.
    pub fn of(input: Input) -> Self {
        StoreBatch { input, source: SourceSpec::default(), accepted: Vec::new() }
    }

    /// How the input is read; recognised where nothing is said.
    pub fn source(mut self, source: impl Into<SourceSpec>) -> Self {
        self.source = source.into();
        self
    }

    /// Columns that may be taken in although they look like identifiers, or are sets of many texts; only the first batch of
    /// a store is looked at for such columns.
    pub fn accept<S: Into<String>>(mut self, columns: impl IntoIterator<Item = S>) -> Self {
        self.accepted = columns.into_iter().map(Into::into).collect();
        self
    }
}

impl From<Input> for StoreBatch {
    fn from(input: Input) -> Self {
        StoreBatch::of(input)
    }
}

/// What a batch is for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Insert,
    Update,
    Delete,
}

impl Store {
    /// Takes in rows, whose keys are new. All rows of the batch, or none: one that fails or is stopped changes nothing.
    pub fn insert(&mut self, rows: impl Into<StoreBatch>) -> Result<StoreChange> {
        self.change(Kind::Insert, rows.into())
    }

    /// Replaces the rows that have the keys of these. All of them, or none.
    pub fn update(&mut self, rows: impl Into<StoreBatch>) -> Result<StoreChange> {
        self.change(Kind::Update, rows.into())
    }

    /// Removes the rows that have the keys of these; other columns are not looked at. All of them, or none.
    pub fn delete(&mut self, rows: impl Into<StoreBatch>) -> Result<StoreChange> {
        self.change(Kind::Delete, rows.into())
    }

    fn change(&mut self, kind: Kind, batch: StoreBatch) -> Result<StoreChange> {
        self.watched(|store, watched| store.change_watched(kind, batch, watched))
    }

    fn change_watched(
        &mut self,
        kind: Kind,
        batch: StoreBatch,
        watched: &Watched<'_>,
    ) -> Result<StoreChange> {
        let folder = self.spill_folder();
        let name = batch.input.name().to_string();
        let Store { store, memory, pool, .. } = self;
        let loaded = read(kind, batch, store, &SpillBudget { pool, folder: &folder }, watched)?;
        let (frame, rows, report): (Table, Box<dyn Rows + '_>, &ReadReport) = match &loaded {
            Loaded::Fits(table, report) => {
                let frame = Block::empty(table).into_table(table)?;
                (frame, Box::new(HeldRows::new(table, HeldRows::BLOCK)), report)
            }
            Loaded::Spilled(spilled) => {
                (spilled.frame().clone(), Box::new(Borrowed(spilled)), spilled.report())
            }
        };
        let stage = watched.stage(Stage::Indexing, Some(rows.rows()));
        let means = means(pool, &folder, memory, &stage);
        let batch = Batch { frame: &frame, source: &*rows, empty_texts: &report.empty_texts, name: &name };
        let size = match kind {
            Kind::Insert => store.insert(&batch, &means)?,
            Kind::Update => store.update(&batch, &means)?,
            Kind::Delete => store.delete(&batch, &means)?,
        };
        Ok(StoreChange { changed: rows.rows(), size })
    }
}

/// Reads a batch: the key, and the columns of the store unless rows are removed.
fn read<'r>(
    kind: Kind,
    batch: StoreBatch,
    store: &klimt_store::Store,
    room: &SpillBudget<'r>,
    watched: &Watched<'_>,
) -> Result<Loaded<'r>> {
    let spec = store.spec();
    let StoreBatch { input, source, accepted } = batch;
    let (name, bytes) = (input.name().to_string(), input.bytes());
    let source = input.open(&SourceSpec { memory: Some(room.pool.left()), ..source })?;
    // A few rows may well differ in all values: only the first batch tells what a column is.
    let is_first = kind != Kind::Delete && store.status()?.rows == 0;
    let mut wanted = vec![ColumnSpec::new(spec.key.clone(), Role::Insensitive)];
    if kind != Kind::Delete {
        wanted.extend(spec.column_specs()?);
        if is_first {
            for column in wanted.iter_mut().filter(|column| column.role == Role::QuasiIdentifier) {
                column.guard = Guard::Refuse;
            }
        }
    }
    let plan = plan(&name, source.columns(), &wanted)?;
    let stage = watched.stage(Stage::Reading, Some(bytes));
    let threads = rayon::current_num_threads();
    let loaded = source.read_within(
        &plan,
        &ReadOptions { missing: &spec.missing, threads, observer: &stage },
        room,
    )?;
    if is_first {
        let role = |column: &str| {
            let known = wanted.iter().find(|known| known.name == column && known.name != spec.key);
            known.map_or(Role::Identifier, |known| known.role)
        };
        screen(&name, &Evidence::of_loaded(&loaded)?, role, |column| {
            accepted.iter().any(|known| known == column)
        })?;
    }
    Ok(loaded)
}

/// Reads the wanted columns, all of which must be there.
fn plan(input: &str, names: &[String], wanted: &[ColumnSpec]) -> Result<Vec<ColumnPlan>> {
    let problems = wanted.iter().filter(|wanted| !names.contains(&wanted.name)).map(|wanted| {
        let hint = did_you_mean(&wanted.name, names.iter().map(String::as_str));
        format!("{input}: unknown column {}{hint}", wanted.name)
    });
    if let Some(error) = Error::all(ErrorKind::Input, problems.collect()) {
        return Err(error);
    }
    let spec = |name: &String| wanted.iter().find(|wanted| wanted.name == *name).cloned();
    Ok(names.iter().map(|name| ColumnPlan::of(spec(name))).collect())
}

/// Rows that somebody else holds.
struct Borrowed<'r>(&'r dyn Rows);

impl Rows for Borrowed<'_> {
    fn rows(&self) -> u64 {
        self.0.rows()
    }

    fn blocks(&self) -> usize {
        self.0.blocks()
    }

    fn read(&self, number: usize, into: &mut Block) -> Result<()> {
        self.0.read(number, into)
    }
}
