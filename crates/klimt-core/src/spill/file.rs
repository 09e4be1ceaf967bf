//! A spill file: bytes are appended and read back, by several threads at once.

use crate::words::option;
use crate::{Error, ErrorKind, Result, memory};
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// How many bytes went to and came from spill files.
#[derive(Debug, Default)]
pub struct Traffic {
    read: AtomicU64,
    written: AtomicU64,
    /// How many bytes will have been written in the end, about; for messages.
    expected: AtomicU64,
}

impl Traffic {
    /// The bytes that were read.
    pub fn read(&self) -> u64 {
        self.read.load(Ordering::Relaxed)
    }

    /// Tells how many bytes will have been written in the end, about, so that who runs out of space knows what is needed.
    pub fn expect(&self, bytes: u64) {
        self.expected.store(bytes, Ordering::Relaxed);
    }

    /// The bytes that were written.
    pub fn written(&self) -> u64 {
        self.written.load(Ordering::Relaxed)
    }
}

/// Where bytes lie in a spill file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SpillRange {
    /// Where they start.
    pub start: u64,
    /// How many they are.
    pub len: usize,
}

/// A file that has no name and ends with the process.
#[derive(Debug)]
pub struct SpillFile {
    file: File,
    /// Where the file is, for messages.
    folder: String,
    len: AtomicU64,
    traffic: Arc<Traffic>,
}

impl SpillFile {
    pub(super) fn new(file: File, folder: String, traffic: Arc<Traffic>) -> Self {
        SpillFile { file, folder, len: AtomicU64::new(0), traffic }
    }

    /// How many bytes the file has.
    pub fn len(&self) -> u64 {
        self.len.load(Ordering::Relaxed)
    }

    /// Whether nothing was written.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Tells how many bytes will be written to this file, about.
    pub fn expect(&self, bytes: u64) {
        self.traffic.expect(self.traffic.written() + bytes);
    }

    /// Writes bytes after all others and says where they are.
    pub fn append(&self, bytes: &[u8]) -> Result<SpillRange> {
        let start = self.len.fetch_add(bytes.len() as u64, Ordering::Relaxed);
        self.file.write_all_at(bytes, start).map_err(|e| self.full(&e))?;
        self.traffic.written.fetch_add(bytes.len() as u64, Ordering::Relaxed);
        Ok(SpillRange { start, len: bytes.len() })
    }

    /// Reads the bytes of a place.
    pub fn read(&self, place: SpillRange, into: &mut Vec<u8>) -> Result<()> {
        into.resize(place.len, 0);
        let read = self.file.read_exact_at(into, place.start);
        read.map_err(|e| Error::io(&self.folder, "read a spill file in it", &e))?;
        self.traffic.read.fetch_add(place.len as u64, Ordering::Relaxed);
        Ok(())
    }

    fn full(&self, error: &std::io::Error) -> Error {
        let error = Error::io(&self.folder, "write a spill file in it", error);
        if error.kind() != ErrorKind::Resource {
            return error;
        }
        let so_far = self.traffic.written();
        let needed = match self.traffic.expected.load(Ordering::Relaxed) {
            expected if expected > so_far => format!("about {}", memory::amount(expected as usize)),
            _ => "more".to_string(),
        };
        let so_far = memory::amount(so_far as usize);
        Error::resource(format!("{}; {so_far} were written, and {needed} are needed", error.message()))
            .with_help(format!(
                "free some space, or name a folder on another disk with {}",
                option("temp-dir")
            ))
            .with_help(format!("with more {} less is spilled", option("memory")))
    }
}
