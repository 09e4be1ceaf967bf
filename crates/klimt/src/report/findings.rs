//! The findings of a report, and the page made from them.

use crate::call::Call;
use crate::verify::describe_broken;
use klimt_core::table::Role;
use klimt_report::{
    CertificateSummary, Drawings, Provenance, QueryErrors, ReleaseLoss, Report, Risks, Warning,
};
use klimt_verify::Findings;
use klimt_verify::claims::Outcome;
use serde::{Serialize, Serializer};

/// The findings of a report. They hold no rows: of the original, only what the page may show.
#[derive(Clone, Serialize)]
pub struct ReportFindings {
    /// Whether every requirement holds, and nothing speaks against the release.
    pub holds: bool,
    /// The least number of rows that anything shown of the original stands for.
    pub least: u64,
    /// The rows and groups of the release.
    pub findings: Findings,
    /// How every requirement fares.
    pub claims: Vec<Outcome>,
    /// The losses, by the published rows and in four digits, as a certificate has them.
    #[serde(serialize_with = "by_name")]
    pub losses: Vec<ReleaseLoss>,
    /// Warnings about the release.
    pub warnings: Vec<Warning>,
    /// How easily people are found, in the original and in the release.
    pub risk: Risks,
    /// How far answers to queries are off.
    #[serde(skip)]
    pub query_errors: Option<QueryErrors>,
    /// How the release is made again; nothing where a store made it.
    #[serde(skip)]
    pub make: Option<Call>,
    /// How the release is checked.
    #[serde(skip)]
    pub check: Call,
    /// The columns of the original, with their roles.
    #[serde(skip)]
    pub roles: Vec<(String, Role)>,
    /// The name of the original, without its folder.
    #[serde(skip)]
    pub(super) original: String,
    /// The name of the release, without its folder.
    #[serde(skip)]
    pub(super) release: String,
    #[serde(skip)]
    pub(super) k: Option<u64>,
    #[serde(skip)]
    pub(super) certificate: Option<CertificateSummary>,
    #[serde(skip)]
    pub(super) drawings: Drawings,
}

fn by_name<S: Serializer>(losses: &[ReleaseLoss], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(losses.iter().map(|loss| (loss.id, loss.value)))
}

impl ReportFindings {
    /// A loss of the release by its name, such as `ncp`.
    pub fn loss(&self, name: &str) -> Option<f64> {
        self.losses.iter().find(|loss| loss.id == name).map(|loss| loss.value)
    }

    /// The reasons not to publish the release, a sentence each.
    pub fn problems(&self) -> Vec<String> {
        let broken = self.claims.iter().filter(|claim| !claim.holds).map(describe_broken);
        let loud = self.warnings.iter().filter(|warning| warning.loud).map(|warning| warning.text.clone());
        broken.chain(loud).collect()
    }

    /// The page: one file of HTML that loads nothing. `words` writes a call of klimt as the front end does, such as on a
    /// command line.
    pub fn html(&self, words: impl Fn(&Call) -> String) -> String {
        let (make, check) = (self.make.as_ref().map(&words), words(&self.check));
        let report = Report {
            provenance: Provenance {
                original: &self.original,
                release: &self.release,
                k: self.k,
                roles: &self.roles,
                make: make.as_deref(),
                check: &check,
            },
            findings: &self.findings,
            outcomes: &self.claims,
            risks: &self.risk,
            losses: &self.losses,
            warnings: &self.warnings,
            certificate: self.certificate.as_ref(),
            drawings: &self.drawings,
            query_errors: self.query_errors.as_ref(),
        };
        report.html()
    }
}

impl std::fmt::Debug for ReportFindings {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ReportFindings")
            .field("holds", &self.holds)
            .field("rows", &self.findings.rows)
            .field("groups", &self.findings.groups)
            .finish_non_exhaustive()
    }
}
