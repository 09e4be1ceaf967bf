//! klimt as a process of its own, whose time and memory are measured beside those of other programs.
//!
//! The settings are those of any run: they are handed to the command as a spec.

use crate::Result;
use crate::tables::{Dataset, PlaceArgs, Tables};
use crate::timing::{Cost, measure};
use klimt::prelude::*;
use klimt_core::proof::Claim;
use std::path::{Path, PathBuf};

/// The command, and where it works.
#[derive(Clone, Debug)]
pub struct Klimt {
    command: PathBuf,
    /// The tables, and what is written.
    pub tables: Tables,
    threads: usize,
}

/// A release that the command made: what that took, and the certificate.
pub struct ProcessRelease {
    /// What the run took.
    pub cost: Cost,
    /// What the release is.
    pub certificate: Certificate,
}

impl Klimt {
    /// The command where it was built, with so many threads.
    pub fn new(places: &PlaceArgs, threads: usize) -> Result<Self> {
        Ok(Klimt { command: places.klimt()?, tables: places.tables()?, threads })
    }

    /// A line that starts the command.
    pub fn line(&self, words: &[&str]) -> Vec<String> {
        let command = self.command.display().to_string();
        let threads = format!("--threads={}", self.threads);
        let words = words.iter().map(|word| word.to_string());
        std::iter::once(command).chain(words).chain(["--quiet".to_string(), threads]).collect()
    }

    /// The line that anonymizes a table. Every experiment has an output, and a spec, of its own name.
    pub fn anonymizing(&self, name: &str, table: &Path, asked: &Anonymizer) -> Result<Vec<String>> {
        let spec = self.spec(name, asked)?;
        let [table, out] = [table, &self.out(name)].map(|path| path.display().to_string());
        Ok(self.line(&["anonymize", &table, "--spec", &spec, "-o", &out]))
    }

    /// Anonymizes a table.
    pub fn anonymize(&self, name: &str, dataset: &Dataset, asked: &Anonymizer) -> Result<ProcessRelease> {
        self.publish(&self.out(name), &self.anonymizing(name, &dataset.path, asked)?)
    }

    /// Runs a line that writes a release to a file.
    pub fn publish(&self, out: &Path, line: &[String]) -> Result<ProcessRelease> {
        let cost = measure(line)?;
        let certificate = Certificate::from_file(format!("{}.certificate.json", out.display()))?;
        Ok(ProcessRelease { cost, certificate })
    }

    /// The release of a name.
    pub fn out(&self, name: &str) -> PathBuf {
        self.tables.file(&format!("out-{name}.csv"))
    }

    /// Writes settings where the command reads them.
    pub fn spec(&self, name: &str, asked: &Anonymizer) -> Result<String> {
        let spec = self.tables.file(&format!("out-{name}.toml"));
        std::fs::write(&spec, asked.to_spec()?)?;
        Ok(spec.display().to_string())
    }
}

impl ProcessRelease {
    /// A loss.
    pub fn loss(&self, name: &str) -> f64 {
        self.certificate.loss(name).unwrap_or(f64::NAN)
    }

    /// Whether it is the best there is.
    pub fn is_optimal(&self) -> bool {
        self.certificate.proven == Claim::Optimal
    }

    /// What is proven: a word, or the factor; nothing of a heuristic.
    pub fn proven(&self) -> String {
        match self.certificate.proven {
            Claim::Optimal => "optimal".to_string(),
            Claim::WithinFactor(factor) => format!("{factor:.4}"),
            Claim::Heuristic => "-".to_string(),
        }
    }

    /// The loss that no release of its kind undercuts.
    pub fn bound(&self) -> f64 {
        self.certificate.search.as_ref().and_then(|search| search.bound).unwrap_or(f64::NAN)
    }

    /// How often rows were read and written on disk.
    pub fn passes(&self) -> (f64, f64) {
        self.certificate.run.passes.map_or((0.0, 0.0), |passes| (passes.reads, passes.writes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_gets_the_settings_as_a_spec() {
        let (_folder, tables) = Tables::temporary();
        let dataset = tables.agrawal(10).unwrap();
        let klimt = Klimt { command: "klimt".into(), tables, threads: 3 };
        let asked = dataset.groups_of(7).unwrap().algorithm(AlgorithmKind::RTree);
        let line = klimt.anonymizing("x", &dataset.path, &asked).unwrap();
        assert_eq!(line[..2], ["klimt", "anonymize"]);
        assert!(line.contains(&"--threads=3".to_string()) && line.contains(&"--quiet".to_string()));
        let spec = line.iter().position(|word| word == "--spec").unwrap() + 1;
        assert_eq!(Anonymizer::from_spec(&line[spec]).unwrap().settings(), asked.settings());
        assert!(klimt.anonymizing("y", &dataset.path, &asked).unwrap()[spec] != line[spec]);
    }
}
