//! How much memory a run may take, where it may spill, and how samples are taken.

use crate::supervisor;
use clap::Args;
use klimt_core::algorithm::rothko::Sampling;
use klimt_core::memory::{Pool, amount};
use klimt_core::{Error, ErrorKind, Result};
use std::path::{Path, PathBuf};

/// The least that a run can do with.
const LEAST: usize = 16_000_000;
/// What is taken where the system does not say what it has.
const UNKNOWN: usize = 2_000_000_000;
/// The chance that Rothko-S takes of a cut that it will undo.
const SIGNIFICANCE: f64 = 0.05;

/// What may be said about memory. A spec says the same under the same names.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Memory")]
pub struct MemoryArgs {
    /// Keep to so much memory, such as 256MB or 50% of the machine's; half of what is free by default. A larger table
    /// is anonymized on disk
    #[arg(long, value_name = "SIZE")]
    pub memory: Option<String>,
    /// Where tables larger than memory are kept meanwhile; TMPDIR or /tmp by default
    #[arg(long, value_name = "FOLDER")]
    pub temp_dir: Option<String>,
    /// rothko-s: the chance of making a cut that has to be undone; 0.05 by default
    #[arg(long, value_name = "CHANCE")]
    pub significance: Option<String>,
    /// rothko-s: the rows of a sample; as many as memory allows by default
    #[arg(long, value_name = "ROWS")]
    pub sample: Option<String>,
}

impl MemoryArgs {
    /// These, and the others where these say nothing.
    pub fn or(self, other: MemoryArgs) -> Self {
        MemoryArgs {
            memory: self.memory.or(other.memory),
            temp_dir: self.temp_dir.or(other.temp_dir),
            significance: self.significance.or(other.significance),
            sample: self.sample.or(other.sample),
        }
    }

    /// Sizes and numbers that make no sense.
    pub fn problems(&self) -> Vec<String> {
        let errors = [self.bytes().err(), self.sampling().err()];
        errors.into_iter().flatten().map(|error| error.message().to_string()).collect()
    }

    /// The budget.
    pub fn pool(&self) -> Result<Pool> {
        self.bytes().map(Pool::new)
    }

    /// The budget of this run, which is kept to from now on.
    pub fn granted(&self) -> Result<Pool> {
        let pool = self.pool()?;
        supervisor::grant(pool.limit());
        Ok(pool)
    }

    /// What a certificate says where no budget was asked for.
    pub const UNSAID: &str = "half of what is free";

    /// What a certificate says of the budget: what was asked for, as what is free changes from run to run.
    pub fn described(&self) -> &str {
        self.memory.as_deref().unwrap_or(MemoryArgs::UNSAID)
    }

    /// The budget in bytes.
    fn bytes(&self) -> Result<usize> {
        let Some(text) = self.memory.as_deref() else { return Ok((free() / 2).max(LEAST)) };
        let bytes = parse(text).ok_or_else(|| {
            Error::input(
                "--memory needs a number of bytes, with a unit where that is wanted, or a percentage",
            )
            .with_help("such as --memory 256MB, 2GiB or 50%")
        })?;
        if bytes < LEAST {
            return Err(Error::input(format!("--memory: at least {} are needed", amount(LEAST))));
        }
        Ok(bytes)
    }

    /// The folder in which spill files are made.
    pub fn folder(&self) -> PathBuf {
        self.temp_dir.as_ref().map_or_else(std::env::temp_dir, PathBuf::from)
    }

    /// How Rothko-S samples. Groups do not depend on the seed that rows are shuffled by.
    pub fn sampling(&self) -> Result<Sampling> {
        let mut problems = Vec::new();
        let alpha = self.significance.as_deref().map_or(Some(SIGNIFICANCE), |text| {
            text.trim().parse().ok().filter(|chance| *chance > 0.0 && *chance < 1.0)
        });
        if alpha.is_none() {
            problems.push("--significance needs a number between 0 and 1, such as 0.05".to_string());
        }
        let rows = self.sample.as_deref().map(|text| text.trim().parse().ok().filter(|rows| *rows > 0));
        if rows == Some(None) {
            problems.push("--sample needs a number of rows, at least 1".to_string());
        }
        let sampling = Sampling { alpha: alpha.unwrap_or(SIGNIFICANCE), rows: rows.flatten(), seed: 0 };
        Error::all(ErrorKind::Input, problems).map_or(Ok(sampling), Err)
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

/// The memory that this process holds, where the system says.
pub fn held() -> Option<usize> {
    kilobytes("/proc/self/status", "VmRSS:")
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
        MemoryArgs { memory: Some(text.to_string()), ..MemoryArgs::default() }.bytes().ok()
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
        for wrong in ["", "MB", "256XB", "-1GB", "101%", "1e400GB", "15MB", "ten"] {
            assert_eq!(bytes(wrong), None, "{wrong}");
        }
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
        let args = |significance: &str, sample: &str| MemoryArgs {
            significance: Some(significance.to_string()),
            sample: Some(sample.to_string()),
            ..MemoryArgs::default()
        };
        let sampling = args("0.01", "5000").sampling().unwrap();
        assert_eq!((sampling.alpha, sampling.rows), (0.01, Some(5000)));
        assert!(args("1", "0").sampling().unwrap_err().message().starts_with("2 problems"));
        assert_eq!(args("2", "1").problems().len(), 1);
        assert!(args("0.5", "1").problems().is_empty());
    }
}
