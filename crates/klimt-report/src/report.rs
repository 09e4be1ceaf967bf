//! The page about one release.

use crate::drawings::Drawings;
use crate::html::Html;
use crate::page::{Page, Section};
use crate::query_error::{self, QueryErrors};
use crate::sections::{end, reached, risk, sizes, summary};
use klimt_core::job::SearchCounts;
use klimt_core::proof::Claim;
use klimt_core::risk::Risk;
use klimt_core::table::Role;
use klimt_verify::Findings;
use klimt_verify::claims::Outcome;
use serde::Serialize;

/// Something that the board should know; loud where the release should not go out like this.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Warning {
    /// The sentence.
    pub text: String,
    /// Whether it speaks against the release.
    pub loud: bool,
}

/// The source of a release: its files, the roles of their columns, and how it is made again.
#[derive(Clone, Copy, Debug)]
pub struct Provenance<'a> {
    /// The name of the original, without its folder.
    pub original: &'a str,
    /// The name of the release, without its folder.
    pub release: &'a str,
    /// The k that was asked for.
    pub k: Option<u64>,
    /// Every column that has a role, in the order of the original.
    pub roles: &'a [(String, Role)],
    /// How the release is made again, in the words of a front end; nothing where a store made it.
    pub make: Option<&'a str>,
    /// How it is checked, in the words of a front end.
    pub check: &'a str,
}

/// The part of a certificate that the page tells.
#[derive(Clone, Debug)]
pub struct CertificateSummary {
    /// Whether the hash in it is that of the release.
    pub matches: bool,
    /// The claim that is proven.
    pub proven: Claim,
    /// The family of releases that the proof is about.
    pub family: Option<String>,
    /// The loss that the proof is about.
    pub loss: Option<String>,
    /// How a search over a split set went.
    pub counts: Option<SearchCounts>,
    /// The whole certificate as text.
    pub text: String,
}

/// How easily people are found, before and after.
#[derive(Clone, Debug, Serialize)]
pub struct Risks {
    /// In the original, by the quasi-identifiers as they are.
    pub before: Risk,
    /// In the release.
    pub after: Risk,
    /// How many rows of the release are unique only together with a column.
    #[serde(skip)]
    pub contributions: Vec<(String, u64)>,
    /// The values of sensitive columns that can be inferred.
    #[serde(skip)]
    pub inference: Vec<Inference>,
}

/// The values of a sensitive column that can be inferred.
#[derive(Clone, Debug)]
pub struct Inference {
    /// The column.
    pub column: String,
    /// The share of rows of the original whose value is certain to who knows their quasi-identifiers.
    pub certain_before: f64,
    /// The same of the release.
    pub certain_after: f64,
    /// The least number of different values in a group.
    pub least_distinct: u64,
}

/// A loss of a release.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ReleaseLoss {
    /// Its name.
    pub id: &'static str,
    /// Its value.
    pub value: f64,
    /// Its meaning.
    pub meaning: &'static str,
}

/// All that the page about a release is made from. Rows of the original are no part of it: [`Drawings`] are made where
/// these are.
#[derive(Clone, Copy)]
pub struct Report<'a> {
    /// Where the release comes from.
    pub provenance: Provenance<'a>,
    /// The rows and groups of the release, from its published text.
    pub findings: &'a Findings,
    /// Which requirements hold.
    pub outcomes: &'a [Outcome],
    /// How easily people are found.
    pub risks: &'a Risks,
    /// The losses.
    pub losses: &'a [ReleaseLoss],
    /// The warnings.
    pub warnings: &'a [Warning],
    /// The certificate.
    pub certificate: Option<&'a CertificateSummary>,
    /// The drawings of the rows.
    pub drawings: &'a Drawings,
    /// How far answers to queries are off.
    pub query_errors: Option<&'a QueryErrors>,
}

/// The least number of rows that anything shown of the original stands for: the k that was asked for, else the one that is
/// reached; at least 2, as one row is a person.
pub fn least(k: Option<u64>, findings: &Findings) -> u64 {
    k.unwrap_or(findings.smallest_group).max(2)
}

impl Report<'_> {
    /// The least number of rows that anything shown of the original stands for.
    pub fn least(&self) -> u64 {
        least(self.provenance.k, self.findings)
    }

    /// Whether every requirement holds, and nothing speaks against the release.
    pub fn holds(&self) -> bool {
        self.outcomes.iter().all(|outcome| outcome.holds) && !self.warnings.iter().any(|warning| warning.loud)
    }

    /// The page.
    pub fn html(&self) -> String {
        let mut sections = vec![
            Section::new("asked", "What was asked, and what is reached", reached::body(self)),
            Section::new("groups", "How many hide together", sizes::body(self)),
            Section::new("risk", "Risk before and after", risk::body(self)),
            Section::new("columns", "What happened to each column", self.drawings.columns.clone()),
            Section::new("plane", "Groups in the plane", self.drawings.plane.clone()),
            Section::new("losses", "What it costs", end::losses(self)),
        ];
        sections.extend(self.query_errors.map(query_error::section));
        sections.push(Section::new("warnings", "Warnings", end::warnings(self)));
        sections.push(Section::new(
            "reproduce",
            "Certificate, and how to make it again",
            end::reproduce(self),
        ));
        let mut top = Html::default();
        summary::write(self, &mut top);
        Page {
            title: format!("Release report: {}", self.provenance.release),
            subtitle: format!(
                "Made from {}. Of the original, only counts of at least {} rows are shown.",
                self.provenance.original,
                self.least()
            ),
            summary: top,
            sections,
        }
        .html()
    }
}
