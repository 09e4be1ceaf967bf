//! The store: its life from the outside.

use crate::ledger::{self, LedgerEntry};
use crate::page::Page;
use crate::past::Past;
use crate::secret::Secret;
use crate::spec::Spec;
use crate::state::StoreState;
use crate::vault::{ValueName, ValueSource, Vault};
use klimt_core::algorithm::rothko::Sampling;
use klimt_core::job::Observer;
use klimt_core::memory::Pool;
use klimt_core::spill::SpillFolder;
use klimt_core::{Error, Result};
use serde::Serialize;
use std::fs;
use std::os::unix::fs::DirBuilderExt;
use std::path::Path;

/// The key-value store keeps pages in one in this many parts of the memory,
const CACHE: usize = 4;
/// and in no more than this many bytes: most of what is read is read once.
const MOST_CACHED: usize = 64 << 20;

/// A store that no other process has open.
#[derive(Debug)]
pub struct Store {
    pub(crate) vault: Vault,
    pub(crate) spec: Spec,
}

/// The memory, disk, work and observer of a change.
#[derive(Clone, Copy)]
pub struct Means<'a> {
    /// The memory.
    pub pool: &'a Pool,
    /// Where rows go that do not fit.
    pub folder: &'a SpillFolder,
    /// How samples are taken of rows that do not fit.
    pub sampling: Sampling,
    /// The observer.
    pub observer: &'a dyn Observer,
    /// This many rows may be fitted again for a batch, however small it is; rows that come wait where that is too few.
    pub work: usize,
}

impl Means<'_> {
    /// A number of rows that are fitted again in no time.
    pub const WORK: usize = 1 << 17;
}

/// Counts of the rows, pages and releases of a store.
#[derive(Clone, Debug, Serialize)]
pub struct Status {
    /// How many rows there are.
    pub rows: u64,
    /// How many leaves the R+-tree has: groups of the finest release.
    pub groups: u64,
    /// The rows of the smallest of them: at least the base k, once there are this many rows.
    pub smallest: u64,
    /// How many rows are not in their leaves yet: the next release leads them there.
    pub waiting: u64,
    /// How many cuts lie between the root and the deepest leaf page.
    pub height: usize,
    /// How many pages the rows lie in.
    pub pages: usize,
    /// How many changes there have been.
    pub version: u64,
    /// The base k.
    pub k: u64,
    /// The column that tells rows apart.
    pub key: String,
    /// How many rows the last release held back.
    pub held_back: u64,
    /// How many rows that were released have been deleted: their keys' hashes and histories are kept.
    pub departed: u64,
    /// The ledger.
    pub releases: Vec<LedgerEntry>,
}

/// How large a store is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Size {
    /// How many rows there are.
    pub rows: u64,
    /// How many leaves the R+-tree has.
    pub groups: u64,
    /// How many rows are not in their leaves yet.
    pub waiting: u64,
}

impl Store {
    /// Makes a store without rows. It appears whole or not at all.
    pub fn create(folder: &Path, spec: &Spec) -> Result<()> {
        let name = folder.display().to_string();
        if folder.exists() {
            return Err(Error::input(format!("{name} already exists")));
        }
        let base = folder.file_name().and_then(|name| name.to_str());
        let base = base.ok_or_else(|| Error::input(format!("{name}: cannot make it: it has no name")))?;
        let staged = folder.with_file_name(format!(".{base}.klimt-{}", std::process::id()));
        let failed = |e: std::io::Error| Error::io(&name, "make it", &e);
        fs::DirBuilder::new().mode(0o700).create(&staged).map_err(failed)?;
        let made = Store::fill(&staged, spec).and_then(|()| fs::rename(&staged, folder).map_err(failed));
        if made.is_err() {
            // What was begun is of no use to anybody.
            let _ = fs::remove_dir_all(&staged);
        }
        made
    }

    fn fill(folder: &Path, spec: &Spec) -> Result<()> {
        let vault = Vault::create(folder, Secret::create(folder)?, 1 << 20)?;
        let mut change = vault.change()?;
        change.set(ValueName::SPEC, &spec.to_bytes()?)?;
        let mut state = StoreState::new(spec, |frame| {
            let (entry, values) = Page::empty(frame).seal(0, frame, change.secret())?;
            values.iter().try_for_each(|value| change.put(value))?;
            Ok(entry)
        })?;
        state.save(&mut change)?;
        change.commit()
    }

    /// Opens a store, to work within so much memory.
    pub fn open(folder: &Path, pool: &Pool) -> Result<Self> {
        let vault = Vault::open(folder, (pool.limit() / CACHE).min(MOST_CACHED))?;
        let bytes = vault.snapshot()?.get(ValueName::SPEC)?;
        Ok(Store { spec: Spec::from_bytes(&bytes)?, vault })
    }

    /// The specification of the store.
    pub fn spec(&self) -> &Spec {
        &self.spec
    }

    /// The status of the store.
    pub fn status(&self) -> Result<Status> {
        let snapshot = self.vault.snapshot()?;
        let state = StoreState::load(&self.spec, &snapshot)?;
        let directory = &state.directory;
        let releases = ledger::list(&snapshot, state.releases)?;
        Ok(Status {
            rows: directory.rows(),
            groups: directory.leaves(),
            smallest: directory.smallest(),
            waiting: directory.waiting_rows(),
            height: directory.height(),
            pages: directory.pages.len(),
            version: state.version,
            k: self.spec.k,
            key: self.spec.key.clone(),
            held_back: releases.last().map_or(0, |last| last.held_back),
            departed: Past::load(state.past, &snapshot)?.departed_count(),
            releases,
        })
    }
}
