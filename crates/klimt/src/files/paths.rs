//! Which names mean one file, so that no output overwrites another or something that is read.

use klimt_core::words::option;
use klimt_core::{Error, ErrorKind, Result};
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// What a name stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Identity {
    /// Standard output.
    Stdout,
    /// Something that exists, by its device and number: links to it are the same.
    Existing(u64, u64),
    /// A file that is not there yet: its folder without links, and its name.
    New(PathBuf),
    /// A device that swallows everything: no two names are the same.
    Nothing,
}

/// Links that are followed to a file that does not exist, at most.
const LINKS: usize = 32;

fn identity(name: &str) -> Identity {
    if name == "-" {
        return Identity::Stdout;
    }
    let mut path = PathBuf::from(name);
    if path == Path::new("/dev/null") {
        return Identity::Nothing;
    }
    if let Ok(found) = fs::metadata(&path) {
        let stdout =
            fs::metadata("/dev/stdout").is_ok_and(|out| (out.dev(), out.ino()) == (found.dev(), found.ino()));
        return if stdout && !found.is_file() {
            Identity::Stdout
        } else {
            Identity::Existing(found.dev(), found.ino())
        };
    }
    for _ in 0..LINKS {
        let Ok(target) = fs::read_link(&path) else { break };
        path = folder(&path).join(target);
    }
    let folder = folder(&path);
    let folder = fs::canonicalize(&folder).unwrap_or(folder);
    Identity::New(folder.join(path.file_name().unwrap_or_default()))
}

fn folder(path: &Path) -> PathBuf {
    match path.parent() {
        Some(parent) if parent != Path::new("") => parent.to_path_buf(),
        _ => PathBuf::from("."),
    }
}

/// Whether two names mean one file.
pub fn same_file(a: &str, b: &str) -> bool {
    identity(a) == identity(b) && identity(a) != Identity::Nothing
}

/// Whether a file would lie in a folder.
pub fn lies_in(name: &str, folder_name: &str) -> bool {
    let inside = |path: &PathBuf| fs::canonicalize(folder(path)).ok();
    name != "-"
        && inside(&PathBuf::from(name))
            .is_some_and(|found| Ok(found) == fs::canonicalize(folder_name).map_err(drop))
}

/// Refuses outputs, each with what it is, that are one file, and outputs that are among what is read; all of them at once.
pub fn check_outputs(written: &[(&str, &str)], read: &[&str]) -> Result<()> {
    let mut problems = Vec::new();
    for (at, (what, path)) in written.iter().enumerate() {
        if let Some((other, _)) = written[..at].iter().find(|(_, before)| same_file(before, path)) {
            let shown = if identity(path) == Identity::Stdout { "standard output" } else { path };
            problems.push(format!("{shown}: the {other} and the {what} cannot be one file"));
        }
        if let Some(same) = read.iter().filter(|read| **read != "-").find(|read| same_file(read, path)) {
            problems.push(format!("{path}: this output would overwrite the input {same}"));
        }
    }
    match Error::all(ErrorKind::Input, problems) {
        None => Ok(()),
        Some(error) => {
            Err(error.with_help(format!("choose another name, such as with {}", option("output"))))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_one_file_are_the_same() {
        let folder = tempfile::TempDir::new().unwrap();
        let path = |name: &str| folder.path().join(name).to_str().unwrap().to_string();
        fs::write(path("a"), "").unwrap();
        fs::hard_link(path("a"), path("hard")).unwrap();
        std::os::unix::fs::symlink(path("a"), path("soft")).unwrap();
        std::os::unix::fs::symlink("new", path("dangling")).unwrap();
        fs::create_dir(path("d")).unwrap();
        for (one, other) in
            [("a", "./a"), ("a", "hard"), ("a", "soft"), ("new", "d/../new"), ("new", "dangling")]
        {
            assert!(same_file(&path(one), &path(other)), "{one} {other}");
        }
        for (one, other) in [("a", "d"), ("a", "new"), ("new", "d/new"), ("hard", "dangling")] {
            assert!(!same_file(&path(one), &path(other)), "{one} {other}");
        }
        assert!(same_file("-", "-") && !same_file("/dev/null", "/dev/null") && !same_file("-", &path("new")));
        assert!(lies_in(&path("d/x"), &path("d")) && !lies_in(&path("x"), &path("d")));
        let written = [("release", "-"), ("certificate", "-")];
        assert!(
            check_outputs(&written, &["-"])
                .unwrap_err()
                .message()
                .starts_with("standard output: the release and")
        );
        assert!(check_outputs(&[("release", &path("soft"))], &[&path("hard")]).is_err());
        assert!(check_outputs(&[("release", &path("x")), ("trace", &path("y"))], &[&path("a")]).is_ok());
    }
}
