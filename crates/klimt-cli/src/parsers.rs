//! What the command reads besides tables, as functions of the text alone: for fuzzing.

use crate::commands::report::certificate;
use crate::settings::Settings;
use crate::spec;
use klimt_core::{Error, Result};

/// Reads a spec and the requirements in it.
pub fn spec(text: &str) -> Result<()> {
    spec::parse("spec.toml", text)?.build_requirements().map(drop)
}

/// Reads what a report takes from a certificate.
pub fn certificate(text: &[u8]) -> Result<()> {
    let json = serde_json::from_slice(text)
        .map_err(|e| Error::input(format!("line {}: this is no JSON", e.line())))?;
    let mut settings = Settings::default();
    certificate::fill(&mut settings, &json)?;
    settings.build_requirements().map(drop)
}
