//! Output that appears whole or not at all.
//!
//! Everything is written to a private temporary file beside the target and renamed when it has been checked. What
//! goes to standard output or to a device is held back in a nameless file until then.

use klimt_core::{Error, Result};
use std::collections::BTreeSet;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};

/// A file that is being written and has not its final name yet. It is removed when it is dropped before that.
pub struct Staged {
    file: File,
    target: Target,
    name: String,
    /// The permissions that it gets: those of the file that it replaces, or the usual ones.
    mode: u32,
}

enum Target {
    /// Renamed from the first to the second.
    File { temporary: PathBuf, path: PathBuf },
    /// Copied to standard output.
    Stdout,
    /// Copied to a device or a pipe.
    Device(PathBuf),
    /// Kept in memory.
    Memory,
}

/// Tells the temporary files of one process apart.
static NEXT: AtomicU32 = AtomicU32::new(0);

/// The temporary files of this process.
static TEMPORARY: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

fn with_temporary<R>(change: impl FnOnce(&mut BTreeSet<PathBuf>) -> R) -> R {
    change(&mut TEMPORARY.lock().unwrap_or_else(PoisonError::into_inner))
}

/// Removes all temporary files of this process, which is about to end.
pub fn remove_temporaries() {
    with_temporary(|files| {
        files.iter().for_each(|file| {
            let _ = fs::remove_file(file);
        });
    });
}

impl Staged {
    /// Stages a file, or standard output for `-`.
    pub fn create(name: &str) -> Result<Self> {
        let failed = |error: &io::Error| Error::io(name, "write it", error);
        if name == "-" {
            let file = tempfile::tempfile().map_err(|e| failed(&e))?;
            let name = "standard output".to_string();
            return Ok(Staged { file, target: Target::Stdout, name, mode: 0 });
        }
        let path = PathBuf::from(name);
        if let Ok(metadata) = fs::metadata(&path) {
            if metadata.is_dir() {
                return Err(Error::input(format!("{name}: cannot write it: it is a folder")));
            }
            if !metadata.is_file() {
                let file = tempfile::tempfile().map_err(|e| failed(&e))?;
                return Ok(Staged { file, target: Target::Device(path), name: name.to_string(), mode: 0 });
            }
        }
        remove_orphans(&path);
        let temporary = temporary_beside(&path)
            .ok_or_else(|| Error::input(format!("{name}: cannot write it: it has no file name")))?;
        with_temporary(|files| files.insert(temporary.clone()));
        let mut options = OpenOptions::new();
        let file = options.read(true).write(true).create_new(true).mode(0o600).open(&temporary);
        let file = file.map_err(|e| failed(&e))?;
        let mode = fs::metadata(&path).map_or_else(|_| 0o666 & !umask(), |old| old.permissions().mode());
        Ok(Staged { file, target: Target::File { temporary, path }, name: name.to_string(), mode })
    }

    /// Stages a file that lies in memory and never gets a name.
    pub(crate) fn in_memory() -> Result<Self> {
        let name = "the release in memory".to_string();
        let made = rustix::fs::memfd_create("klimt", rustix::fs::MemfdFlags::CLOEXEC);
        let file = made.map_err(|e| Error::io(&name, "write it", &e.into()))?.into();
        Ok(Staged { file, target: Target::Memory, name, mode: 0 })
    }

    /// The same file, which only its owner can read.
    pub fn private(mut self) -> Self {
        self.mode = 0o600;
        self
    }

    /// Stages a small file.
    pub fn whole(name: &str, text: &[u8]) -> Result<Self> {
        Staged::made(name, |out| out.write_all(text).map_err(|e| Error::io(name, "write it", &e)))
    }

    /// Stages a file as it is made.
    pub fn made(name: &str, make: impl FnOnce(&mut dyn Write) -> Result<()>) -> Result<Self> {
        let staged = Staged::create(name)?;
        let mut out = io::BufWriter::with_capacity(1 << 16, staged.file());
        make(&mut out)?;
        out.flush().map_err(|e| Error::io(name, "write it", &e))?;
        drop(out);
        Ok(staged)
    }

    /// The name that it will have; nothing where it goes to standard output or a device.
    pub fn path(&self) -> Option<&Path> {
        match &self.target {
            Target::File { path, .. } => Some(path),
            Target::Stdout | Target::Device(_) | Target::Memory => None,
        }
    }

    /// Whether it gets a name of its own, and is not copied elsewhere.
    pub fn is_named(&self) -> bool {
        matches!(self.target, Target::File { .. })
    }

    /// The file itself, of a release in memory.
    pub(crate) fn into_file(self) -> Result<File> {
        self.file.try_clone().map_err(|e| Error::io(&self.name, "read it", &e))
    }

    /// Whether it leaves memory.
    pub(crate) fn is_named_or_copied(&self) -> bool {
        !matches!(self.target, Target::Memory)
    }

    /// The file to write to.
    pub fn file(&self) -> &File {
        &self.file
    }

    /// Gives the file its final name, or copies it where it was to go.
    pub fn publish(mut self) -> Result<()> {
        let failed = |name: &str, error: &io::Error| Error::io(name, "write it", error);
        match &self.target {
            Target::File { temporary, path } => {
                fs::set_permissions(temporary, fs::Permissions::from_mode(self.mode & 0o777))
                    .and_then(|()| replace(temporary, path))
                    .map_err(|e| failed(&self.name, &e))
            }
            Target::Stdout => {
                let out = io::stdout();
                copy(&mut self.file, &mut out.lock()).map_err(|e| failed(&self.name, &e))
            }
            Target::Memory => Ok(()),
            Target::Device(path) => {
                let mut out =
                    OpenOptions::new().write(true).open(path).map_err(|e| failed(&self.name, &e))?;
                copy(&mut self.file, &mut out).map_err(|e| failed(&self.name, &e))
            }
        }
    }
}

impl Drop for Staged {
    fn drop(&mut self) {
        if let Target::File { temporary, .. } = &self.target {
            // After the rename there is nothing to remove, or the file that it replaced.
            let _ = fs::remove_file(temporary);
            with_temporary(|files| files.remove(temporary));
        }
    }
}

/// Gives the temporary file the final name. An older file of that name changes places with it, where the system can do
/// that, and is removed with the temporary name: some file systems would otherwise write the new file to the disk first.
fn replace(temporary: &Path, path: &Path) -> io::Result<()> {
    // A folder that has taken the name meanwhile is not replaced.
    if fs::symlink_metadata(path).is_ok_and(|found| found.is_dir()) {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    let here = rustix::fs::CWD;
    match rustix::fs::renameat_with(here, temporary, here, path, rustix::fs::RenameFlags::EXCHANGE) {
        Ok(()) => Ok(()),
        Err(_) => fs::rename(temporary, path),
    }
}

/// Writes a small file whole or not at all.
pub fn write_whole(name: &str, text: &[u8]) -> Result<()> {
    Staged::whole(name, text)?.publish()
}

/// Writes a small file with values of the original whole or not at all; only its owner can read it.
pub fn write_private(name: &str, text: &[u8]) -> Result<()> {
    let staged = Staged::create(name)?.private();
    staged.file().write_all(text).map_err(|e| Error::io(name, "write it", &e))?;
    staged.publish()
}

fn copy(from: &mut File, to: &mut dyn Write) -> io::Result<()> {
    from.rewind()?;
    let mut buffer = vec![0; 1 << 16];
    loop {
        match from.read(&mut buffer)? {
            0 => return to.flush(),
            read => to.write_all(&buffer[..read])?,
        }
    }
}

fn prefix(path: &Path) -> Option<String> {
    Some(format!(".{}.klimt-", path.file_name()?.to_str()?))
}

fn folder(path: &Path) -> PathBuf {
    match path.parent() {
        Some(parent) if parent != Path::new("") => parent.to_path_buf(),
        _ => PathBuf::from("."),
    }
}

/// A name for a temporary file in the folder of another.
pub fn temporary_beside(path: &Path) -> Option<PathBuf> {
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    Some(folder(path).join(format!("{}{}-{number}.tmp", prefix(path)?, std::process::id())))
}

/// Removes temporary files of this target that a killed run has left behind.
fn remove_orphans(path: &Path) {
    let (Some(prefix), Ok(entries)) = (prefix(path), fs::read_dir(folder(path))) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let Some(rest) = name.to_str().and_then(|name| name.strip_prefix(prefix.as_str())) else { continue };
        let process = rest.split('-').next().and_then(|id| id.parse::<u32>().ok());
        let dead = process.is_some_and(|id| !Path::new(&format!("/proc/{id}")).exists());
        if dead && Path::new("/proc/self").exists() {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// The permissions that new files do not get; the usual ones where the system does not tell.
fn umask() -> u32 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("Umask:"));
    line.and_then(|mask| u32::from_str_radix(mask.trim(), 8).ok()).unwrap_or(0o022)
}
