//! The tables that experiments run on, made once and kept in a folder.

use std::path::{Path, PathBuf};
use std::process::Command;

/// A table, and how it is anonymized.
#[derive(Clone, Debug)]
pub struct Input {
    /// What it is called.
    pub name: &'static str,
    /// Where it is.
    pub path: PathBuf,
    /// Its quasi-identifiers.
    pub quasi_identifiers: &'static str,
}

/// Where things are.
pub struct Places {
    /// The `klimt` command.
    pub klimt: PathBuf,
    /// Where tables are kept.
    pub folder: PathBuf,
    /// The script that makes larger tables like Adult.
    pub enlarge: PathBuf,
}

impl Places {
    /// The enlarged Adult table, where the script that makes it is found.
    pub fn adult(&self, rows: u64) -> Result<Option<Input>, String> {
        let path = self.folder.join(format!("adult-{rows}.csv"));
        if !path.exists() {
            if !self.enlarge.is_file() {
                println!("skipped: {} is not there; --enlarge names it", self.enlarge.display());
                return Ok(None);
            }
            self.make(&path, Command::new("python3").arg(&self.enlarge).arg(rows.to_string()))?;
        }
        let quasi_identifiers = "sex,age,race,marital-status,education,native-country,workclass,occupation";
        Ok(Some(Input { name: "adult", path, quasi_identifiers }))
    }

    /// The table with nine attributes.
    pub fn agrawal(&self, rows: u64) -> Result<Input, String> {
        let path = self.folder.join(format!("agrawal-{rows}.csv"));
        if !path.exists() {
            let mut command = Command::new(&self.klimt);
            command.args(["generate", "agrawal", "--seed", "1", "--rows", &rows.to_string(), "-o"]);
            self.make(&path, &mut command)?;
        }
        let quasi_identifiers = "salary,commission,age,elevel,car,zipcode,hvalue,hyears,loan";
        Ok(Input { name: "agrawal", path, quasi_identifiers })
    }

    fn make(&self, path: &Path, command: &mut Command) -> Result<(), String> {
        std::fs::create_dir_all(&self.folder).map_err(|e| format!("{}: {e}", self.folder.display()))?;
        let partial = path.with_extension("partial.csv");
        let status = command.arg(&partial).status().map_err(|e| format!("{command:?}: {e}"))?;
        if !status.success() {
            return Err(format!("{command:?} failed"));
        }
        std::fs::rename(&partial, path).map_err(|e| format!("{}: {e}", path.display()))
    }
}
