//! A store: rows that change, and releases of them that are safe together.
//!
//! Batches of rows are inserted, updated and deleted by a key that is never published. Every release is checked like any
//! other, and beside every earlier one of the ledger: who was released before must stay hidden among as many rows even from
//! somebody who has all releases.
//!
//! ```
//! use klimt::prelude::*;
//! use klimt::store::{ReleaseRequest, Store};
//!
//! # let folder = std::env::temp_dir().join(format!("klimt-store-{}", std::process::id()));
//! # std::fs::create_dir_all(&folder).unwrap();
//! # let path = |name: &str| folder.join(name);
//! let rows = |ids: std::ops::Range<u32>| {
//!     let rows: String = ids.map(|id| format!("{id},{},{}\n", 20 + id % 40, 1000 + id % 7)).collect();
//!     Input::reader(Format::Csv, std::io::Cursor::new(format!("id,age,zip\n{rows}")))
//! };
//! let asked = Anonymizer::new().quasi_identifiers(["age", "zip"]).require(KAnonymity::new(5)?);
//! let mut store = Store::create(path("people"), rows(0..100), "id", &asked)?;
//! store.insert(rows(0..300))?;
//! let first = store.release(&ReleaseRequest::default(), &Output::file(path("first.csv"))?)?;
//! store.insert(rows(300..400))?;
//! let second = store.release(&ReleaseRequest::default().k(10), &Output::file(path("second.csv"))?)?;
//! assert_eq!((first.entry.release, second.entry.release), (1, 2));
//! assert!(second.entry.smallest_intersection.unwrap() >= 5);
//! assert_eq!(store.status()?.releases.len(), 2);
//! # std::fs::remove_dir_all(&folder).unwrap();
//! # Ok::<(), klimt::Error>(())
//! ```

mod batch;
mod create;
mod release;

pub use batch::{StoreBatch, StoreChange};
pub use klimt_core::algorithm::rtree::LeafGrouping;
pub use klimt_store::{LedgerEntry, Size, Status};
pub use release::{ReleaseRequest, StoreRelease};

use crate::input::text_of;
use crate::observer::{Observer, Stage, Watched, watch};
use crate::settings::MemorySettings;
use klimt_core::Result;
use klimt_core::job;
use klimt_core::memory::Pool;
use klimt_core::spill::SpillFolder;
use klimt_store::Means;
use std::path::Path;
use std::sync::Arc;

/// A store that no other process has open: a folder that only its owner may read.
pub struct Store {
    store: klimt_store::Store,
    folder: String,
    memory: MemorySettings,
    pool: Pool,
    observer: Option<Arc<dyn Observer + Send>>,
}

impl Store {
    /// Opens a store, to work within half of the memory that is free.
    pub fn open(folder: impl AsRef<Path>) -> Result<Self> {
        Store::open_within(folder, MemorySettings::default())
    }

    /// Opens a store, to work within so much memory.
    pub fn open_within(folder: impl AsRef<Path>, memory: MemorySettings) -> Result<Self> {
        memory.check()?;
        let pool = memory.pool();
        let store = klimt_store::Store::open(folder.as_ref(), &pool)?;
        Ok(Store { store, folder: text_of(folder.as_ref())?, memory, pool, observer: None })
    }

    /// Who watches changes and releases, and may stop them: one that is stopped changes nothing.
    pub fn observer(mut self, observer: impl Observer + Send + 'static) -> Self {
        self.observer = Some(Arc::new(observer));
        self
    }

    /// The memory in bytes that changes and releases work within.
    pub fn granted(&self) -> usize {
        self.pool.limit()
    }

    /// The counts of the store and its ledger.
    pub fn status(&self) -> Result<Status> {
        self.store.status()
    }

    /// Every release that somebody may have, in their order.
    pub fn ledger(&self) -> Result<Vec<LedgerEntry>> {
        Ok(self.status()?.releases)
    }

    /// Gives room back; before the first release, also builds the index anew and forgets values that are gone.
    pub fn compact(&mut self) -> Result<Size> {
        let rows = self.status()?.rows;
        self.watched(|store, watched| {
            let stage = watched.stage(Stage::Indexing, Some(rows));
            let folder = store.spill_folder();
            let Store { store, memory, pool, .. } = store;
            store.compact(&means(pool, &folder, memory, &stage))
        })
    }

    fn watched<T>(&mut self, run: impl FnOnce(&mut Self, &Watched<'_>) -> Result<T>) -> Result<T> {
        let observer = self.observer.clone();
        watch(observer.as_deref(), |watched| run(self, watched))
    }

    fn spill_folder(&self) -> SpillFolder {
        SpillFolder::within(&self.memory.folder())
    }
}

impl std::fmt::Debug for Store {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Store").field("folder", &self.folder).finish_non_exhaustive()
    }
}

/// The memory and the folder that a change of a store works with.
fn means<'a>(
    pool: &'a Pool,
    folder: &'a SpillFolder,
    memory: &MemorySettings,
    observer: &'a dyn job::Observer,
) -> Means<'a> {
    Means { pool, folder, sampling: memory.sampling(), observer, work: Means::WORK }
}
