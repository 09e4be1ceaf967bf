//! The shape of a certificate as JSON, with its version.

use super::beside::file_hash;
use super::settings::RecordedSettings;
use super::types::{
    Certificate, CertifiedColumn, GroupSizes, Promise, ReleaseFile, Rows, RunAccount, SearchAccount,
};
use crate::input::text_of;
use klimt_core::proof::Claim;
use klimt_core::{Error, Result};
use klimt_verify::{PeopleFindings, SensitiveFinding};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;

/// The version of the format that is written and read.
pub const VERSION: u32 = 2;

impl Certificate {
    /// Reads a certificate from a file.
    pub fn from_file(path: impl AsRef<Path>) -> Result<Self> {
        let path = text_of(path.as_ref())?;
        let text = std::fs::read(&path).map_err(|e| Error::io(&path, "read it", &e))?;
        Certificate::from_json(&path, &text)
    }

    /// Reads a certificate; `name` is for messages.
    pub fn from_json(name: &str, text: &[u8]) -> Result<Self> {
        let failed = |e: serde_json::Error| {
            let why = if e.is_data() { "this is not a certificate of klimt" } else { "this is not JSON" };
            Error::input(format!("{name}: line {}: {why}", e.line()))
        };
        let header: Header = serde_json::from_slice(text).map_err(failed)?;
        match header.version {
            Some(VERSION) => serde_json::from_slice(text).map_err(failed),
            found => Err(unknown_version(name, found, &header.klimt)),
        }
    }

    /// The certificate as JSON, which [`Certificate::from_json`] reads.
    pub fn to_json(&self) -> Result<String> {
        serde_json::to_string_pretty(self)
            .map(|text| text + "\n")
            .map_err(|e| Error::internal(format!("the certificate cannot be written: {e}")))
    }

    /// Whether this is the certificate of a file: whether the hash in it is that of the file's bytes.
    pub fn is_of(&self, release: impl AsRef<Path>) -> Result<bool> {
        let hash = file_hash(&text_of(release.as_ref())?)?;
        Ok(self.release.hash.as_ref() == Some(&hash))
    }
}

/// The part of a certificate that every version has.
#[derive(Deserialize)]
struct Header {
    version: Option<u32>,
    klimt: String,
}

fn unknown_version(name: &str, found: Option<u32>, klimt: &str) -> Error {
    match found {
        Some(version) => Error::input(format!(
            "{name}: the certificate has version {version}, and this klimt reads version {VERSION}"
        ))
        .with_help(format!("it was written by klimt {}: read it with that one", release_number(klimt))),
        None => Error::input(format!(
            "{name}: the certificate names no version, and this klimt reads version {VERSION}"
        ))
        .with_help("make the release again, or leave the certificate out"),
    }
}

/// A version of klimt as a message may repeat it: a file may say anything there.
fn release_number(text: &str) -> &str {
    let plain = |c: char| c.is_ascii_alphanumeric() || ".-+".contains(c);
    if !text.is_empty() && text.len() <= 40 && text.chars().all(plain) { text } else { "of another version" }
}

/// Whether a file is a certificate of klimt, of whatever version, that belongs to a released file.
pub fn is_certificate(path: impl AsRef<Path>) -> bool {
    #[derive(Deserialize)]
    struct Any {
        #[serde(rename = "klimt")]
        _klimt: String,
        release: ReleaseFile,
    }
    let text = std::fs::read(path).unwrap_or_default();
    serde_json::from_slice::<Any>(&text).is_ok_and(|found| found.release.hash.is_some())
}

/// The shape of a certificate as JSON.
#[derive(Serialize, Deserialize)]
pub(super) struct Document {
    version: u32,
    klimt: String,
    release: ReleaseFile,
    k: u64,
    rows: Rows,
    groups: DocumentGroups,
    spec: DocumentSpec,
    requirements: Vec<String>,
    reached: Vec<Promise>,
    sensitive: Vec<SensitiveFinding>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    people: Option<PeopleFindings>,
    losses: BTreeMap<String, f64>,
    proven: Claim,
    family: Option<String>,
    run: RunAccount,
    search: Option<SearchAccount>,
}

#[derive(Serialize, Deserialize)]
struct DocumentGroups {
    count: u64,
    #[serde(flatten)]
    sizes: GroupSizes,
}

#[derive(Serialize, Deserialize)]
struct DocumentSpec {
    columns: Vec<CertifiedColumn>,
    settings: RecordedSettings,
}

impl From<Certificate> for Document {
    fn from(made: Certificate) -> Self {
        Document {
            version: VERSION,
            klimt: made.klimt,
            release: made.release,
            k: made.k,
            rows: made.rows,
            groups: DocumentGroups { count: made.groups, sizes: made.sizes },
            spec: DocumentSpec { columns: made.columns, settings: made.settings },
            requirements: made.requirements,
            reached: made.reached,
            sensitive: made.sensitive,
            people: made.people,
            losses: made.losses,
            proven: made.proven,
            family: made.family,
            run: made.run,
            search: made.search,
        }
    }
}

impl TryFrom<Document> for Certificate {
    type Error = String;

    fn try_from(read: Document) -> std::result::Result<Self, String> {
        if read.version != VERSION {
            return Err(format!("the certificate has version {}, not {VERSION}", read.version));
        }
        Ok(Certificate {
            klimt: read.klimt,
            release: read.release,
            k: read.k,
            rows: read.rows,
            groups: read.groups.count,
            sizes: read.groups.sizes,
            columns: read.spec.columns,
            settings: read.spec.settings,
            requirements: read.requirements,
            reached: read.reached,
            sensitive: read.sensitive,
            people: read.people,
            losses: read.losses,
            proven: read.proven,
            family: read.family,
            run: read.run,
            search: read.search,
        })
    }
}
