//! Runs the command in a folder of its own.

use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::{PoisonError, RwLock};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Runs share the processors, but for those that are alone.
static PROCESSORS: RwLock<()> = RwLock::new(());

thread_local! {
    static IS_ALONE: Cell<bool> = const { Cell::new(false) };
}

/// Runs commands while no other test runs one: what a search reaches within its time goes by the processors that it gets.
pub fn alone<T>(work: impl FnOnce() -> T) -> T {
    let _others_wait = PROCESSORS.write().unwrap_or_else(PoisonError::into_inner);
    IS_ALONE.set(true);
    let done = work();
    IS_ALONE.set(false);
    done
}

/// A folder for a test, and the command in it.
pub struct Place {
    folder: TempDir,
}

/// What a run printed and how it ended.
#[derive(Debug)]
pub struct Ran {
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

impl Place {
    pub fn new() -> Self {
        Place { folder: TempDir::new().unwrap() }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn write(&self, name: &str, text: impl AsRef<[u8]>) -> &Self {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
        self
    }

    pub fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    pub fn exists(&self, name: &str) -> bool {
        self.path(name).exists()
    }

    /// The files in the folder, hidden ones too.
    pub fn files(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.folder.path()).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    pub fn command(&self, args: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_klimt"));
        command.current_dir(self.folder.path()).args(args.split_whitespace()).env_remove("NO_COLOR");
        command.stdin(Stdio::null());
        command
    }

    /// Runs the command with arguments that are separated by spaces.
    pub fn run(&self, args: &str) -> Ran {
        let _turn = (!IS_ALONE.get()).then(|| PROCESSORS.read().unwrap_or_else(PoisonError::into_inner));
        ran(&self.command(args).output().unwrap())
    }

    /// Runs the command, which must succeed.
    pub fn ok(&self, args: &str) -> Ran {
        let ran = self.run(args);
        assert_eq!(ran.code, Some(0), "klimt {args}: {}", ran.err);
        ran
    }

    /// Runs the command and interrupts it after a while; it must end soon.
    pub fn interrupted(&self, args: &str, after: Duration) -> Ran {
        let child = self.command(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        std::thread::sleep(after);
        let start = Instant::now();
        assert!(Command::new("kill").arg("-INT").arg(child.id().to_string()).status().unwrap().success());
        let output = child.wait_with_output().unwrap();
        assert!(start.elapsed() < Duration::from_secs(60));
        ran(&output)
    }
}

pub fn ran(output: &Output) -> Ran {
    Ran {
        code: output.status.code(),
        out: String::from_utf8_lossy(&output.stdout).into_owned(),
        err: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

/// A folder beside the project, or where a variable says; tests that want it say so when there is none.
pub fn shared(variable: &str, beside: &str) -> Option<PathBuf> {
    let found = match std::env::var_os(variable) {
        Some(folder) => PathBuf::from(folder),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared").join(beside),
    };
    if found.is_dir() {
        return found.canonicalize().ok();
    }
    println!("skipped: {} is not there; {variable} can name it", found.display());
    None
}

/// A table of invented people: key, age, sex, city, income with a fraction, a date, a disease.
pub fn people(rows: usize) -> String {
    let mut text = String::from("id,age,sex,city,income,born,disease\n");
    let mut state = 42u64;
    let mut next = |bound: u64| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) % bound
    };
    for id in 0..rows {
        let age = if next(40) == 0 { String::new() } else { (18 + next(70)).to_string() };
        let sex = ["f", "m"][next(2) as usize];
        let city = ["Bern", "Graz, Styria", "Linz", "Wien \"W\"", "Zug"][next(5) as usize];
        let income = format!("{}.{:02}", next(5000), next(100));
        let born = format!("19{:02}-{:02}-{:02}", 10 + next(90), 1 + next(12), 1 + next(28));
        let disease = ["flu", "gout", "asthma"][next(3) as usize];
        let quoted = if city.contains([',', '"']) {
            format!("\"{}\"", city.replace('"', "\"\""))
        } else {
            city.into()
        };
        text.push_str(&format!("{id},{age},{sex},{quoted},{income},{born},{disease}\n"));
    }
    text
}
