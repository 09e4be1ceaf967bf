//! The folder of spill files.

use super::file::{SpillFile, Traffic};
use crate::words::option;
use crate::{Error, Result};
use std::fs::{self, DirBuilder, OpenOptions};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

/// The names of spill folders start so; the number of the process follows.
const PREFIX: &str = "klimt-spill-";

/// A private folder for spill files. It is made when the first file is, and removed when it is dropped.
#[derive(Debug)]
pub struct SpillFolder {
    within: PathBuf,
    made: Mutex<Option<PathBuf>>,
    next: AtomicU32,
    traffic: Arc<Traffic>,
}

/// Tells the folders of one process apart.
static NEXT: AtomicU32 = AtomicU32::new(0);

/// The folders of this process.
static MADE: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

impl SpillFolder {
    /// A folder within another, from which those that dead processes have left are removed.
    pub fn within(within: &Path) -> Self {
        remove_orphans(within);
        let (made, next) = (Mutex::default(), AtomicU32::new(0));
        SpillFolder { within: within.to_path_buf(), made, next, traffic: Arc::default() }
    }

    fn make(&self) -> Result<PathBuf> {
        let mut made = self.made.lock().map_err(|_| Error::internal("a spill folder was given up"))?;
        if let Some(path) = &*made {
            return Ok(path.clone());
        }
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = self.within.join(format!("{PREFIX}{}-{number}", std::process::id()));
        // What a dead process of the same number has left there could not be told from ours.
        let _ = fs::remove_dir_all(&path);
        let create = DirBuilder::new().mode(0o700).create(&path);
        create.map_err(|e| {
            Error::io(&self.within.display().to_string(), "make a folder in it", &e)
                .with_help(format!("name another folder for spill files with {}", option("temp-dir")))
        })?;
        *made = Some(path.clone());
        if let Ok(mut all) = MADE.lock() {
            all.push(path.clone());
        }
        Ok(path)
    }

    /// Removes all spill folders of this process, which is about to end.
    pub fn remove_all() {
        let all = MADE.lock().map_or_else(|_| Vec::new(), |mut all| std::mem::take(&mut *all));
        all.iter().for_each(|path| {
            let _ = fs::remove_dir_all(path);
        });
    }

    /// A new file that no other process can open.
    pub fn file(&self) -> Result<SpillFile> {
        let folder = self.make()?;
        let path = folder.join(self.next.fetch_add(1, Ordering::Relaxed).to_string());
        let name = self.within.display().to_string();
        let opened = OpenOptions::new().read(true).write(true).create_new(true).mode(0o600).open(&path);
        let file = opened.map_err(|e| Error::io(&name, "write a file in it", &e))?;
        fs::remove_file(&path).map_err(|e| Error::io(&name, "remove a file from it", &e))?;
        Ok(SpillFile::new(file, name, Arc::clone(&self.traffic)))
    }

    /// The bytes read from and written to all files.
    pub fn traffic(&self) -> &Traffic {
        &self.traffic
    }
}

impl Drop for SpillFolder {
    fn drop(&mut self) {
        if let Ok(Some(path)) = self.made.get_mut() {
            // Whatever cannot be removed now is removed as an orphan later.
            let _ = fs::remove_dir_all(&*path);
            if let Ok(mut all) = MADE.lock() {
                all.retain(|other| other != path);
            }
        }
    }
}

/// Removes the folders of processes that are no more.
fn remove_orphans(within: &Path) {
    let Ok(entries) = fs::read_dir(within) else { return };
    if !Path::new("/proc/self").exists() {
        return;
    }
    for entry in entries.flatten() {
        let name = entry.file_name();
        let Some(rest) = name.to_str().and_then(|name| name.strip_prefix(PREFIX)) else { continue };
        let process = rest.split('-').next().and_then(|id| id.parse::<u32>().ok());
        if process.is_some_and(|id| !Path::new(&format!("/proc/{id}")).exists()) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Words;
    use std::os::unix::fs::PermissionsExt;

    /// A folder of the test's own.
    fn place(name: &str) -> PathBuf {
        let path = std::env::temp_dir().join(format!("klimt-test-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir(&path).unwrap();
        path
    }

    fn entries(path: &Path) -> Vec<PathBuf> {
        fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()).collect()
    }

    #[test]
    fn nothing_can_be_found_of_a_spill_file() {
        let place = place("private");
        let folder = SpillFolder::within(&place);
        assert!(entries(&place).is_empty(), "no folder before the first file");
        let file = folder.file().unwrap();
        let made = entries(&place);
        assert_eq!(made.len(), 1);
        assert_eq!(fs::metadata(&made[0]).unwrap().permissions().mode() & 0o777, 0o700);
        assert!(entries(&made[0]).is_empty(), "a file loses its name at once");
        let first = file.append(b"some rows").unwrap();
        let second = file.append(b"more").unwrap();
        let mut bytes = Vec::new();
        file.read(second, &mut bytes).unwrap();
        assert_eq!(bytes, b"more");
        file.read(first, &mut bytes).unwrap();
        assert_eq!(bytes, b"some rows");
        assert_eq!((folder.traffic().written(), folder.traffic().read(), file.len()), (13, 13, 13));
        drop(folder);
        assert!(entries(&place).is_empty());
        fs::remove_dir_all(&place).unwrap();
    }

    #[test]
    fn only_folders_of_dead_processes_are_orphans() {
        let place = place("orphans");
        // No process has a number that high.
        let dead = place.join(format!("{PREFIX}4294967294-0"));
        let alive = place.join(format!("{PREFIX}{}-77", std::process::id()));
        let other = place.join("klimt-spilled-elsewhere");
        for path in [&dead, &alive, &other] {
            fs::create_dir(path).unwrap();
        }
        fs::write(dead.join("0"), "rows").unwrap();
        drop(SpillFolder::within(&place));
        assert!(!dead.exists() && alive.exists() && other.exists());
        fs::remove_dir_all(&place).unwrap();
    }

    #[test]
    fn a_folder_that_cannot_be_written_to_is_named() {
        let error = SpillFolder::within(Path::new("/nowhere/at/all")).file().unwrap_err();
        assert!(error.message().starts_with("/nowhere/at/all: cannot"), "{error}");
        assert!(error.help(Words::Flags)[0].contains("--temp-dir"));
    }
}
