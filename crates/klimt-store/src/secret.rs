//! The secret of a store, which keys are hashed with and values are sealed with.

use klimt_core::{Error, Result};
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::Path;

/// The file of the secret, in the folder of the store.
const FILE: &str = "secret";

/// The key of a row, as the store knows it: only the secret links it with a person.
pub type Key = [u8; 16];

/// The secret of a store. With it, anybody can test who is in the store; without it the store cannot be used.
pub struct Secret {
    keys: [u8; 32],
    seals: [u8; 32],
}

impl Secret {
    /// Makes a new secret beside a new store. Only its owner may read it.
    pub fn create(folder: &Path) -> Result<Self> {
        let path = folder.join(FILE);
        let name = path.display().to_string();
        let mut secret = [0; 32];
        getrandom::fill(&mut secret)
            .map_err(|e| Error::resource(format!("the system gives no random numbers: {e}")))?;
        let mut options = OpenOptions::new();
        let file = options.write(true).create_new(true).mode(0o600).open(&path);
        let written = file.and_then(|mut file| file.write_all(&secret).and_then(|()| file.sync_all()));
        written.map_err(|e| Error::io(&name, "write it", &e))?;
        Ok(Secret::of(&secret))
    }

    /// The secret of a store. It is refused where others than its owner may read it, or write to the folder: they could put
    /// another in its place.
    pub fn open(folder: &Path) -> Result<Self> {
        refuse_writable(folder)?;
        let path = folder.join(FILE);
        let name = path.display().to_string();
        let failed = |e: std::io::Error| {
            Error::io(&name, "read it", &e).with_help("the secret belongs to the store: keep both together")
        };
        let mode = fs::metadata(&path).map_err(failed)?.permissions().mode();
        if mode & 0o077 != 0 {
            return Err(Error::input(format!("{name}: others than its owner may read the secret"))
                .with_help(format!("chmod 600 {name}")));
        }
        let bytes = fs::read(&path).map_err(failed)?;
        let secret: [u8; 32] = bytes
            .try_into()
            .map_err(|_| Error::input(format!("{name}: this is not the secret of a store")))?;
        Ok(Secret::of(&secret))
    }

    /// The secret of these bytes.
    pub(crate) fn of(secret: &[u8; 32]) -> Self {
        Secret {
            keys: blake3::derive_key("klimt store 2026 keys of rows", secret),
            seals: blake3::derive_key("klimt store 2026 seals of values", secret),
        }
    }

    /// The keyed hash of a key.
    pub fn key(&self, text: &[u8]) -> Key {
        let mut key = [0; 16];
        key.copy_from_slice(&blake3::keyed_hash(&self.keys, text).as_bytes()[..16]);
        key
    }

    /// The seal of a value under its name.
    pub(crate) fn seal(&self, name: &[u8], value: &[u8]) -> [u8; 32] {
        let mut hasher = blake3::Hasher::new_keyed(&self.seals);
        hasher.update(&(name.len() as u32).to_le_bytes()).update(name).update(value);
        *hasher.finalize().as_bytes()
    }
}

/// Refuses a file or folder that others than its owner may write to.
pub(crate) fn refuse_writable(path: &Path) -> Result<()> {
    let name = path.display().to_string();
    let mode = fs::metadata(path).map_err(|e| Error::io(&name, "read it", &e))?.permissions().mode();
    if mode & 0o022 == 0 {
        return Ok(());
    }
    Err(Error::input(format!(
        "{name}: others than its owner may write to it, so that what it holds cannot be trusted"
    ))
    .with_help(format!("make sure that nobody has changed it, then: chmod go-w {name}")))
}

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Secret")
    }
}
