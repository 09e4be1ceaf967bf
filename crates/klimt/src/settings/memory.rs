//! How much memory a run may take, where it may spill, and how samples are taken.

use klimt_core::algorithm::rothko::Sampling;
use klimt_core::memory::{Pool, amount};
use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// The least that a run can do with.
const LEAST: usize = 16_000_000;
/// What is taken where the system does not say what it has.
const UNKNOWN: usize = 2_000_000_000;
/// The chance that Rothko-S takes of a cut that it will undo.
const SIGNIFICANCE: f64 = 0.05;

/// What is said about memory.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MemorySettings {
    /// The budget; half of what is free where nothing is said.
    pub memory: Option<MemorySize>,
    /// The folder for spill files.
    pub temp_dir: Option<String>,
    /// Rothko-S: the chance of making a cut that has to be undone.
    pub significance: Option<f64>,
    /// Rothko-S: the rows of a sample.
    pub sample: Option<u64>,
}

/// A budget of memory, as it was asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemorySize {
    bytes: usize,
    text: String,
}

impl MemorySize {
    /// So many bytes.
    pub fn bytes(bytes: usize) -> Self {
        MemorySize { bytes, text: format!("{bytes}B") }
    }
}

impl FromStr for MemorySize {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let bytes = parse(text).ok_or(
            "a number of bytes is needed, with a unit where that is wanted, or a percentage: such as 256MB, 2GiB or 50%",
        )?;
        Ok(MemorySize { bytes, text: text.trim().to_string() })
    }
}

impl fmt::Display for MemorySize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// The chance of making a cut that has to be undone: a number between 0 and 1.
pub fn significance(text: &str) -> Result<f64, String> {
    let chance = text.trim().parse().ok().filter(|chance| *chance > 0.0 && *chance < 1.0);
    chance.ok_or_else(|| "a number between 0 and 1 is needed, such as 0.05".to_string())
}

/// The rows of a sample: at least 1.
pub fn sample(text: &str) -> Result<u64, String> {
    let rows = text.trim().parse().ok().filter(|rows| *rows > 0);
    rows.ok_or_else(|| "a number of rows is needed, at least 1".to_string())
}

impl MemorySettings {
    /// What a certificate says where no budget was asked for.
    pub const UNSAID: &str = "half of what is free";

    /// Refuses a budget that is too small.
    pub fn check(&self) -> klimt_core::Result<()> {
        let error = klimt_core::Error::all(klimt_core::ErrorKind::Input, self.problems());
        error.map_or(Ok(()), Err)
    }

    /// Budgets that are too small.
    pub(crate) fn problems(&self) -> Vec<String> {
        let small = self.memory.as_ref().is_some_and(|memory| memory.bytes < LEAST);
        let option = klimt_core::words::option("memory");
        small.then(|| format!("{option}: at least {} are needed", amount(LEAST))).into_iter().collect()
    }

    /// The budget.
    pub fn pool(&self) -> Pool {
        Pool::new(self.memory.as_ref().map_or_else(|| (free() / 2).max(LEAST), |memory| memory.bytes))
    }

    /// What a certificate says of the budget: what was asked for, as what is free changes from run to run.
    pub fn described(&self) -> &str {
        self.memory.as_ref().map_or(MemorySettings::UNSAID, |memory| &memory.text)
    }

    /// The folder in which spill files are made.
    pub fn folder(&self) -> PathBuf {
        self.temp_dir.as_ref().map_or_else(std::env::temp_dir, PathBuf::from)
    }

    /// How Rothko-S samples. Groups do not depend on the seed that rows are shuffled by.
    pub fn sampling(&self) -> Sampling {
        Sampling { alpha: self.significance.unwrap_or(SIGNIFICANCE), rows: self.sample, seed: 0 }
    }
}

/// A size such as `256MB`, `2GiB` or `50%`; bytes where no unit is given.
fn parse(text: &str) -> Option<usize> {
    let text = text.trim();
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic() || c == '%').trim_end();
    let number: f64 = digits.parse().ok().filter(|number: &f64| number.is_finite() && *number >= 0.0)?;
    let factor = match text[digits.len()..].trim().to_ascii_uppercase().as_str() {
        "" | "B" => 1.0,
        "KB" | "K" => 1e3,
        "MB" | "M" => 1e6,
        "GB" | "G" => 1e9,
        "TB" | "T" => 1e12,
        "KIB" => 1024.0,
        "MIB" => 1024.0 * 1024.0,
        "GIB" => 1024.0 * 1024.0 * 1024.0,
        "TIB" => 1024.0 * 1024.0 * 1024.0 * 1024.0,
        "%" if number <= 100.0 => total() as f64 / 100.0,
        _ => return None,
    };
    Some((number * factor) as usize)
}

/// The memory that the machine has, or its control group.
fn total() -> usize {
    least(meminfo("MemTotal:"), group_limit())
}

/// The memory that is free on the machine, or in its control group.
fn free() -> usize {
    least(meminfo("MemAvailable:"), group_limit())
}

fn least(machine: Option<usize>, group: Option<usize>) -> usize {
    machine.into_iter().chain(group).min().unwrap_or(UNKNOWN)
}

fn meminfo(key: &str) -> Option<usize> {
    kilobytes("/proc/meminfo", key)
}

fn kilobytes(file: &str, key: &str) -> Option<usize> {
    let text = std::fs::read_to_string(file).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(key))?;
    line.trim().strip_suffix("kB")?.trim().parse::<usize>().ok()?.checked_mul(1024)
}

/// What the control group of this process may take, in the second version of control groups or the first.
fn group_limit() -> Option<usize> {
    let groups = std::fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    limit_of(&groups, Path::new("/sys/fs/cgroup"))
}

fn limit_of(groups: &str, root: &Path) -> Option<usize> {
    let read = |path: PathBuf| std::fs::read_to_string(path).ok()?.trim().parse::<usize>().ok();
    let mut limits = Vec::new();
    for line in groups.lines() {
        let mut fields = line.splitn(3, ':').skip(1);
        let (controllers, path) = (fields.next().unwrap_or_default(), fields.next().unwrap_or_default());
        let (root, file) = match controllers {
            "" => (root.to_path_buf(), "memory.max"),
            list if list.split(',').any(|name| name == "memory") => {
                (root.join("memory"), "memory.limit_in_bytes")
            }
            _ => continue,
        };
        // Limits of the groups around count too; inside a container the path may be that of the host.
        for around in Path::new(path).ancestors() {
            let around = around.strip_prefix("/").unwrap_or(around);
            limits.extend(read(root.join(around).join(file)));
        }
    }
    limits.into_iter().min()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(text: &str) -> Option<usize> {
        text.parse().ok().map(|size: MemorySize| size.bytes)
    }

    #[test]
    fn sizes_have_units() {
        assert_eq!(bytes("256MB"), Some(256_000_000));
        assert_eq!(bytes("16000000"), Some(16_000_000));
        assert_eq!(bytes("64 MiB"), Some(64 << 20));
        assert_eq!(bytes("1.5gb"), Some(1_500_000_000));
        assert_eq!(bytes("2GiB"), Some(2 << 30));
        assert_eq!(bytes("20000KB"), Some(20_000_000));
        assert_eq!(bytes("50%"), Some(total() / 2));
        for wrong in ["", "MB", "256XB", "-1GB", "101%", "1e400GB", "ten"] {
            assert_eq!(bytes(wrong), None, "{wrong}");
        }
        let small = MemorySettings { memory: "15MB".parse().ok(), ..MemorySettings::default() };
        assert_eq!(small.problems().len(), 1);
        assert_eq!(MemorySize::bytes(20_000_000).to_string().parse(), Ok(MemorySize::bytes(20_000_000)));
    }

    #[test]
    fn a_control_group_limits_what_there_is() {
        let root = tempfile::TempDir::new().unwrap();
        let put = |path: &str, text: &str| {
            let path = root.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        put("a/memory.max", "300000000\n");
        put("a/b/memory.max", "max\n");
        put("memory/c/memory.limit_in_bytes", "200000000\n");
        assert_eq!(limit_of("0::/a/b\n", root.path()), Some(300_000_000));
        assert_eq!(limit_of("4:cpu,memory:/c\n1:name=systemd:/x\n", root.path()), Some(200_000_000));
        assert_eq!(limit_of("0::/elsewhere\n", root.path()), None);
    }

    #[test]
    fn samples_are_checked() {
        assert_eq!((significance("0.01"), sample("5000")), (Ok(0.01), Ok(5000)));
        assert!(significance("1").is_err() && significance("2").is_err() && sample("0").is_err());
    }
}
