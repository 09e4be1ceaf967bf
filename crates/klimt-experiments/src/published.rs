//! A release that klimt made for an experiment: what it took, and what its certificate says.

use crate::measure::{Cost, measure};
use crate::tables::Places;
use serde_json::Value;
use std::path::Path;

/// A release, as its certificate describes it.
pub struct Published {
    /// What the run took.
    pub cost: Cost,
    /// Its certificate.
    pub certificate: Value,
}

impl Published {
    /// Anonymizes a table; `flags` come last. Every experiment has an output of its own name.
    pub fn make(
        places: &Places,
        name: &str,
        input: &Path,
        columns: &str,
        flags: &[String],
    ) -> Result<Self, String> {
        let out = places.folder.join(format!("out-{name}.csv"));
        std::fs::create_dir_all(&places.folder).map_err(|e| e.to_string())?;
        let mut command = vec![places.klimt.display().to_string(), "anonymize".to_string()];
        command.extend([
            input.display().to_string(),
            format!("--qi={columns}"),
            format!("--accept={columns}"),
        ]);
        command.extend(["--other", "drop", "--quiet"].map(String::from));
        command.push(format!("--output={}", out.display()));
        command.extend(flags.iter().cloned());
        let cost = measure(&command)?;
        let certificate = std::fs::read_to_string(format!("{}.certificate.json", out.display()));
        let certificate = certificate.map_err(|e| e.to_string())?;
        Ok(Published { cost, certificate: serde_json::from_str(&certificate).map_err(|e| e.to_string())? })
    }

    /// A loss.
    pub fn loss(&self, name: &str) -> f64 {
        self.certificate["losses"][name].as_f64().unwrap_or(f64::NAN)
    }

    /// Whether it is the best there is.
    pub fn is_optimal(&self) -> bool {
        self.certificate["proven"] == "optimal"
    }

    /// What is proven: a word, or the factor.
    pub fn proven(&self) -> String {
        match &self.certificate["proven"] {
            Value::String(word) => word.clone(),
            factor => format!("{:.4}", factor["within-factor"].as_f64().unwrap_or(f64::NAN)),
        }
    }

    /// What no release of its kind undercuts.
    pub fn bound(&self) -> f64 {
        self.certificate["search"]["bound"].as_f64().unwrap_or(f64::NAN)
    }
}
