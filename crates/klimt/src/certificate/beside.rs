//! The certificate beside a release: how the release is read, and what is known of its columns.

use super::types::{Certificate, DomainKind, RecordedDomain};
use crate::settings::{Settings, ValueList};
use klimt_core::words::column_option;
use klimt_core::{Error, Result};
use klimt_io::csv::DialectSpec;
use std::io::Read;

/// A certificate that was read from a file.
#[derive(Clone, Debug)]
pub struct CertificateFile {
    /// The certificate.
    pub certificate: Certificate,
    /// Whether its hash is that of the release.
    pub matches: bool,
}

impl CertificateFile {
    /// Reads the certificate of a release: the one that is named must be there, the one beside the release may.
    pub fn of(release: &str, named: Option<&str>) -> Result<Option<Self>> {
        let usual = usual_path(release);
        let path = match named {
            Some(path) => path,
            None if std::path::Path::new(&usual).is_file() => &usual,
            None => return Ok(None),
        };
        let certificate = Certificate::from_file(path)?;
        if certificate.release.hash.is_none() {
            return Err(Error::input(format!(
                "{path}: the certificate does not name the hash of its release"
            )));
        }
        let matches = certificate.is_of(release)?;
        Ok(Some(CertificateFile { certificate, matches }))
    }
}

/// Where the certificate of a release goes where nothing is said.
pub fn usual_path(release: &str) -> String {
    format!("{release}.certificate.json")
}

/// The certificate beside a release; nothing where there is none, or where it is that of another file.
fn beside(path: &str) -> Option<Certificate> {
    let found = CertificateFile::of(path, None).ok()??;
    found.matches.then_some(found.certificate)
}

/// How the text of a release is written, by the certificate beside it.
pub fn dialect_beside(path: &str) -> Option<DialectSpec> {
    let release = beside(path)?.release;
    let delimiter = release.delimiter.and_then(|delimiter| u8::try_from(delimiter).ok());
    Some(DialectSpec { delimiter, header: release.header })
}

/// The columns of a release that were published by a hierarchy, by the certificate beside it.
pub fn hierarchies_beside(path: &str) -> Option<Vec<String>> {
    let columns = beside(path)?.columns.into_iter();
    let by_hierarchy = columns.filter(|column| column.domain == Some(DomainKind::Hierarchy));
    Some(by_hierarchy.map(|column| column.name).collect())
}

/// Fills in the domains that were declared, by the certificate beside a release; returns which files must be named.
pub fn declared_beside(settings: &mut Settings, path: &str) -> Vec<String> {
    beside(path).map_or(Vec::new(), |certificate| fill_declared(settings, &certificate))
}

/// Fills in the domains that were declared, by a certificate; returns which files must be named.
pub fn fill_declared(settings: &mut Settings, certificate: &Certificate) -> Vec<String> {
    let mut problems = Vec::new();
    for column in &certificate.columns {
        let Some(declared) = &column.declared else { continue };
        let given = settings.columns.entry(column.name.clone()).or_default();
        if given.domain.is_some() {
            continue;
        }
        match declared {
            RecordedDomain::File => problems.push(format!(
                "column {} was published with a declared domain: name the file, such as {}, or the spec",
                column.name,
                column_option("domain", &column.name, Some("FILE"))
            )),
            RecordedDomain::Range(range) => given.domain = Some(ValueList::Text(range.clone())),
        }
    }
    problems
}

/// The hash of a file, as certificates write it.
pub fn file_hash(path: &str) -> Result<String> {
    let failed = |e: &std::io::Error| Error::io(path, "read it", e);
    let mut file = std::fs::File::open(path).map_err(|e| failed(&e))?;
    let (mut hasher, mut buffer) = (blake3::Hasher::new(), vec![0; 1 << 16]);
    loop {
        match file.read(&mut buffer).map_err(|e| failed(&e))? {
            0 => return Ok(format!("blake3:{}", hasher.finalize())),
            read => hasher.update(&buffer[..read]),
        };
    }
}
