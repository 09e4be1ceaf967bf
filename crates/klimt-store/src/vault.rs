//! The values of a store on an embedded key-value store, sealed.
//!
//! redb keeps them: one file, one writer, transactions that are in or are not, whatever stops the process. It is made for
//! many reads and few, large writes, has one dependency, and locks its file, so that a second process is refused. A log
//! of merged runs (such as fjall) is quicker at many small writes, which the store never makes: a batch changes pages of
//! thousands of rows.
//!
//! redb checks its own pages after a crash, not whenever it reads one. So every value carries a seal, a keyed hash of its
//! name and its bytes, and the state of the store lists the seals of all pages: a value that changed, is missing or is of
//! an older state is found when it is read.

use crate::bytes::damaged;
use crate::secret::{Secret, refuse_writable};
use klimt_core::{Error, Result};
use redb::{
    Database, DatabaseError, ReadTransaction, ReadableDatabase, ReadableTable, TableDefinition,
    WriteTransaction,
};
use std::fs::OpenOptions;
use std::io::ErrorKind::{InvalidData, InvalidInput, UnexpectedEof};
use std::os::unix::fs::OpenOptionsExt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

/// The file of the values, in the folder of the store.
const FILE: &str = "index.redb";
/// The bytes of a seal.
pub(crate) const SEAL: usize = 32;

const VALUES: TableDefinition<'_, &[u8], &[u8]> = TableDefinition::new("values");

/// The name of a value: its kind, and numbers that tell it from others of its kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ValueName([u8; 9]);

impl ValueName {
    /// The specification of the store.
    pub const SPEC: ValueName = ValueName::of(b'S', 0, 0);
    /// How things stand.
    pub const STATE: ValueName = ValueName::of(b'T', 0, 0);

    /// The rows of a page, without their keys.
    pub const fn page(page: u32) -> ValueName {
        ValueName::of(b'P', page, 0)
    }

    /// The keys of the rows of a page.
    pub const fn keys(page: u32) -> ValueName {
        ValueName::of(b'K', page, 0)
    }

    /// The histories of the rows of a page.
    pub const fn marks(page: u32) -> ValueName {
        ValueName::of(b'M', page, 0)
    }

    /// Some values of a column.
    pub const fn values(column: u32, chunk: u32) -> ValueName {
        ValueName::of(b'V', column, chunk)
    }

    /// The histories that a release has made.
    pub const fn histories(release: u32) -> ValueName {
        ValueName::of(b'H', release, 0)
    }

    /// How often each sensitive value occurs in a release.
    pub const fn counts(release: u32) -> ValueName {
        ValueName::of(b'C', release, 0)
    }

    /// Records of people's past.
    pub const fn past(chunk: u32) -> ValueName {
        ValueName::of(b'G', chunk, 0)
    }

    /// The entry of a release in the ledger.
    pub const fn release(release: u32) -> ValueName {
        ValueName::of(b'R', release, 0)
    }

    const fn of(kind: u8, first: u32, second: u32) -> ValueName {
        let (a, b) = (first.to_be_bytes(), second.to_be_bytes());
        ValueName([kind, a[0], a[1], a[2], a[3], b[0], b[1], b[2], b[3]])
    }
}

/// The first bytes of a seal, by which the state knows a value.
pub(crate) type Seal = [u8; 16];

/// The file of a store, which no other process has open.
pub(crate) struct Vault {
    database: GuardedHandle<Database>,
    pub secret: Secret,
}

impl std::fmt::Debug for Vault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Vault")
    }
}

impl Vault {
    /// Makes the file of a new store.
    pub fn create(folder: &Path, secret: Secret, cache: usize) -> Result<Self> {
        let path = folder.join(FILE);
        let made = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path);
        made.map_err(|e| Error::io(&path.display().to_string(), "make it", &e))?;
        let database = guarded(|| redb::Builder::new().set_cache_size(cache).create(&path))?;
        Ok(Vault { database: GuardedHandle(Some(database.map_err(|e| opened(folder, e))?)), secret })
    }

    /// Opens the file of a store. What a killed process has not committed is not there.
    pub fn open(folder: &Path, cache: usize) -> Result<Self> {
        let path = folder.join(FILE);
        if !path.is_file() {
            return Err(Error::input(format!("{}: this is not a store", folder.display()))
                .with_help("klimt index create makes one"));
        }
        let secret = Secret::open(folder)?;
        refuse_writable(&path)?;
        let database = guarded(|| redb::Builder::new().set_cache_size(cache).open(&path))?;
        Ok(Vault { database: GuardedHandle(Some(database.map_err(|e| opened(folder, e))?)), secret })
    }

    /// Starts a change, which is made whole or not at all.
    pub fn change(&self) -> Result<Change<'_>> {
        let transaction = guarded(|| {
            let mut transaction = self.database.get()?.begin_write().map_err(stored)?;
            // A store that was left by a killed process opens at once.
            transaction.set_quick_repair(true);
            drop(transaction.open_table(VALUES).map_err(stored)?);
            Ok(transaction)
        })??;
        Ok(Change { vault: self, transaction: GuardedHandle(Some(transaction)) })
    }

    /// The store as it is now.
    pub fn snapshot(&self) -> Result<Snapshot<'_>> {
        let transaction = guarded(|| self.database.get()?.begin_read().map_err(stored))??;
        Ok(Snapshot { vault: self, transaction: GuardedHandle(Some(transaction)) })
    }

    /// Gives room that is no longer used back to the system.
    pub fn compact(&mut self) -> Result<()> {
        guarded(|| self.database.get_mut()?.compact().map(|_| ()).map_err(stored))?
    }
}

/// Where values are read from.
pub(crate) trait ValueSource: Sync {
    /// The bytes of a name, as they lie there.
    fn bytes(&self, name: ValueName) -> Result<Option<Vec<u8>>>;

    /// The secret that values are sealed with.
    fn secret(&self) -> &Secret;

    /// The value of a name as it lies there; an error where there is none.
    fn fetch(&self, name: ValueName) -> Result<FetchedValue> {
        let bytes = guarded(|| self.bytes(name))??.ok_or_else(damaged)?;
        Ok(FetchedValue { name, bytes })
    }

    /// The value of a name.
    fn get(&self, name: ValueName) -> Result<Vec<u8>> {
        self.fetch(name)?.value(self.secret(), None).map(<[u8]>::to_vec)
    }
}

/// A value whose seal has not been looked at.
pub(crate) struct FetchedValue {
    name: ValueName,
    bytes: Vec<u8>,
}

impl FetchedValue {
    /// The value, where it is what was written: with the given seal, where that is known.
    pub fn value(&self, secret: &Secret, known: Option<Seal>) -> Result<&[u8]> {
        let (seal, value) = self.bytes.split_at_checked(SEAL).ok_or_else(damaged)?;
        let found = secret.seal(&self.name.0, value);
        let is_known = known.is_none_or(|known| known == short(&found));
        if found[..] == *seal && is_known { Ok(value) } else { Err(damaged()) }
    }
}

/// The store as it was when this was made, whatever changes meanwhile.
pub(crate) struct Snapshot<'v> {
    vault: &'v Vault,
    transaction: GuardedHandle<ReadTransaction>,
}

impl ValueSource for Snapshot<'_> {
    fn bytes(&self, name: ValueName) -> Result<Option<Vec<u8>>> {
        let table = self.transaction.get()?.open_table(VALUES).map_err(stored)?;
        let found = table.get(&name.0[..]).map_err(stored)?;
        Ok(found.map(|found| found.value().to_vec()))
    }

    fn secret(&self) -> &Secret {
        &self.vault.secret
    }
}

impl ValueSource for Change<'_> {
    fn bytes(&self, name: ValueName) -> Result<Option<Vec<u8>>> {
        let table = self.transaction.get()?.open_table(VALUES).map_err(stored)?;
        let found = table.get(&name.0[..]).map_err(stored)?;
        Ok(found.map(|found| found.value().to_vec()))
    }

    fn secret(&self) -> &Secret {
        &self.vault.secret
    }
}

/// A change of a store that is not made yet. Dropped, nothing has happened.
pub(crate) struct Change<'v> {
    vault: &'v Vault,
    transaction: GuardedHandle<WriteTransaction>,
}

impl Change<'_> {
    /// Puts a sealed value.
    pub fn put(&mut self, sealed: &SealedValue) -> Result<()> {
        guarded(|| {
            let mut table = self.transaction.get()?.open_table(VALUES).map_err(stored)?;
            table.insert(&sealed.name.0[..], &sealed.bytes[..]).map_err(stored)?;
            Ok(())
        })?
    }

    /// Puts a value.
    pub fn set(&mut self, name: ValueName, value: &[u8]) -> Result<Seal> {
        let sealed = SealedValue::new(self.secret(), name, value);
        self.put(&sealed)?;
        Ok(sealed.seal)
    }

    /// Removes a value.
    pub fn remove(&mut self, name: ValueName) -> Result<()> {
        guarded(|| {
            let mut table = self.transaction.get()?.open_table(VALUES).map_err(stored)?;
            table.remove(&name.0[..]).map_err(stored)?;
            Ok(())
        })?
    }

    /// Makes the change: it is on the disk when this returns.
    pub fn commit(mut self) -> Result<()> {
        let transaction = self.transaction.0.take().ok_or_else(damaged)?;
        guarded(|| transaction.commit().map_err(stored))?
    }
}

/// A value with its seal.
pub(crate) struct SealedValue {
    name: ValueName,
    pub bytes: Vec<u8>,
    pub seal: Seal,
}

impl SealedValue {
    /// Seals a value, on any thread.
    pub fn new(secret: &Secret, name: ValueName, value: &[u8]) -> Self {
        let seal = secret.seal(&name.0, value);
        SealedValue { name, bytes: [&seal[..], value].concat(), seal: short(&seal) }
    }
}

fn short(seal: &[u8; SEAL]) -> Seal {
    let mut short = [0; 16];
    short.copy_from_slice(&seal[..16]);
    short
}

/// Something of redb, whose end is guarded as its use is.
struct GuardedHandle<T>(Option<T>);

impl<T> GuardedHandle<T> {
    fn get(&self) -> Result<&T> {
        self.0.as_ref().ok_or_else(damaged)
    }

    fn get_mut(&mut self) -> Result<&mut T> {
        self.0.as_mut().ok_or_else(damaged)
    }
}

impl<T> Drop for GuardedHandle<T> {
    fn drop(&mut self) {
        let held = self.0.take();
        // What has been committed is on the disk; there is nothing left to lose.
        let _ = guarded(|| drop(held));
    }
}

/// A damaged file can take redb by surprise, which must not look like a fault of ours.
fn guarded<T>(work: impl FnOnce() -> T) -> Result<T> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|_| damaged())
}

fn opened(folder: &Path, error: DatabaseError) -> Error {
    match error {
        DatabaseError::DatabaseAlreadyOpen => {
            Error::resource(format!("{}: another process is using the store", folder.display()))
                .with_help("one at a time: wait until it has ended")
        }
        DatabaseError::Storage(error) => stored(error),
        _ => damaged(),
    }
}

/// An error of redb without what it says of pages.
fn stored(error: impl Into<redb::Error>) -> Error {
    match error.into() {
        // What is read makes no sense.
        redb::Error::Io(error) if matches!(error.kind(), InvalidData | InvalidInput | UnexpectedEof) => {
            damaged()
        }
        redb::Error::Io(error) => Error::io("the store", "use it", &error),
        _ => damaged(),
    }
}
