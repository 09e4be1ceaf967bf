//! Files that appear together: a release and what stands beside it.
//!
//! All of them are written before any gets its name. An older release goes first and the new one comes last, so that a
//! run that is killed in between leaves no release, and never one without its certificate or beside another one's. When
//! something fails, what was there before is put back.

use super::staged::{Staged, temporary_beside};
use klimt_core::{Error, Result};
use std::fs;
use std::path::{Path, PathBuf};

/// Gives the release its name, and before it every file beside it. `stale` is a file of an older release that goes with
/// it.
pub fn publish_together(release: Staged, beside: Vec<Staged>, stale: Option<&Path>) -> Result<()> {
    if beside.is_empty() && stale.is_none() {
        return release.publish();
    }
    let mut replaced = Replaced::default();
    if let Some(path) = release.path() {
        replaced.set_aside(path)?;
    }
    for path in beside.iter().filter_map(Staged::path).chain(stale) {
        replaced.set_aside(path)?;
    }
    for file in beside {
        replaced.placed.extend(file.path().map(Path::to_path_buf));
        file.publish()?;
    }
    release.publish()?;
    replaced.forget();
    Ok(())
}

/// Older files that make room, and new ones that have their place. Dropped before it is forgotten, all is as it was.
#[derive(Default)]
struct Replaced {
    /// Where each is meanwhile, and where it was.
    aside: Vec<(PathBuf, PathBuf)>,
    placed: Vec<PathBuf>,
}

impl Replaced {
    fn set_aside(&mut self, path: &Path) -> Result<()> {
        // A link makes room itself, whatever it points to.
        if !fs::symlink_metadata(path).is_ok_and(|found| found.is_file() || found.is_symlink()) {
            return Ok(());
        }
        let Some(aside) = temporary_beside(path) else { return Ok(()) };
        fs::rename(path, &aside).map_err(|e| Error::io(&path.to_string_lossy(), "replace it", &e))?;
        self.aside.push((aside, path.to_path_buf()));
        Ok(())
    }

    /// The new files stay, the older ones go.
    fn forget(mut self) {
        for (aside, _) in self.aside.drain(..) {
            let _ = fs::remove_file(aside);
        }
        self.placed.clear();
    }
}

impl Drop for Replaced {
    fn drop(&mut self) {
        for path in self.placed.drain(..) {
            let _ = fs::remove_file(path);
        }
        // The release went first, and comes back last.
        for (aside, path) in self.aside.drain(..).rev() {
            let _ = fs::rename(aside, path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn staged(path: &Path, text: &str) -> Staged {
        let staged = Staged::create(path.to_str().unwrap()).unwrap();
        staged.file().write_all(text.as_bytes()).unwrap();
        staged
    }

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn files_appear_together_or_what_was_there_stays() {
        let folder = tempfile::TempDir::new().unwrap();
        let path = |name: &str| folder.path().join(name);
        let write = |name: &str| fs::write(path(name), "old").unwrap();
        ["r", "c", "stale"].into_iter().for_each(write);
        // A file beside the release whose place was taken by a folder meanwhile.
        let blocked = staged(&path("blocked"), "new");
        fs::create_dir(path("blocked")).unwrap();
        let (release, certificate) = (staged(&path("r"), "new"), staged(&path("c"), "new"));
        publish_together(release, vec![certificate, blocked], Some(&path("stale"))).unwrap_err();
        assert_eq!(names(folder.path()), ["blocked", "c", "r", "stale"]);
        assert!(["r", "c", "stale"].iter().all(|name| fs::read_to_string(path(name)).unwrap() == "old"));

        let (release, certificate) = (staged(&path("r"), "new"), staged(&path("c"), "new"));
        publish_together(release, vec![certificate], Some(&path("stale"))).unwrap();
        assert_eq!(names(folder.path()), ["blocked", "c", "r"]);
        assert!(["r", "c"].iter().all(|name| fs::read_to_string(path(name)).unwrap() == "new"));
    }
}
