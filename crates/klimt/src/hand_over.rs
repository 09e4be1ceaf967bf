//! The end of a run: a checked release and its certificate get their names together, or neither does.

use crate::certificate::{MadeCertificate, is_certificate, usual_path};
use crate::files::{Staged, publish_together};
use crate::observer::Watched;
use crate::output::Output;
use crate::run::Checked;
use klimt_core::Result;
use std::path::{Path, PathBuf};

/// Where the certificate of a release goes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum CertificatePlace {
    /// Beside the release, as `PATH.certificate.json`; a release that has no file has no such place.
    #[default]
    Beside,
    /// To a file.
    File(String),
    /// Nowhere.
    Nowhere,
}

impl CertificatePlace {
    /// The file for the certificate of a release, where one is written.
    pub fn path(&self, release: &Output) -> Option<String> {
        match self {
            CertificatePlace::Beside => release.path().map(usual_path),
            CertificatePlace::File(path) => Some(path.clone()),
            CertificatePlace::Nowhere => None,
        }
    }
}

/// A checked release and its certificate, both written, that wait for their names.
pub struct HandOver {
    checked: Checked,
    certificate: MadeCertificate,
    /// A certificate of an older release that would stand beside the new one.
    stale: Option<PathBuf>,
}

/// A release that has its name.
#[derive(Clone, Debug)]
pub struct NamedRelease {
    /// Its certificate.
    pub certificate: MadeCertificate,
    /// The certificate of an older release that stood beside it, and was removed.
    pub removed: Option<PathBuf>,
}

impl HandOver {
    /// Writes the certificate of a release. Nothing has its name yet.
    pub fn stage(
        mut checked: Checked,
        certificate: MadeCertificate,
        release: &Output,
        place: &CertificatePlace,
    ) -> Result<Self> {
        let path = place.path(release);
        let text = certificate.published.to_json()?;
        checked.beside.extend(path.as_deref().map(|path| Staged::whole(path, text.as_bytes())).transpose()?);
        let usual = CertificatePlace::Beside.path(release).filter(|usual| Some(usual) != path.as_ref());
        let stale = usual.map(PathBuf::from).filter(|path| is_certificate(path));
        Ok(HandOver { checked, certificate, stale })
    }

    /// The hash of the release and the number of its groups.
    pub fn hash_and_groups(&self) -> (&str, u64) {
        (&self.checked.hash, self.checked.findings.groups)
    }

    /// Gives everything its name, the release last.
    pub fn publish(self, watched: &Watched<'_>) -> Result<NamedRelease> {
        let HandOver { checked, certificate, stale } = self;
        publish(checked, stale.as_deref(), watched)?;
        Ok(NamedRelease { certificate, removed: stale })
    }
}

/// Gives a release and the files beside it their names, the release last. `stale` is a file of an older release that goes
/// with it.
pub(crate) fn publish(checked: Checked, stale: Option<&Path>, watched: &Watched<'_>) -> Result<()> {
    let Checked { staged, beside, .. } = checked;
    // A copy to a pipe may wait for its reader, and nobody may hold a lock meanwhile.
    if !staged.is_named() {
        return publish_together(staged, beside, stale);
    }
    let mut files = Some((staged, beside));
    watched.observer().naming(&mut || match files.take() {
        Some((release, beside)) => publish_together(release, beside, stale),
        None => Ok(()),
    })
}
