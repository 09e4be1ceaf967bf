//! The page about one release.

use crate::aggregate::LeftOut;
use crate::html::Html;
use crate::page::{Page, Section};
use crate::query_error::{self, QueryErrors};
use crate::sections::{columns, end, plane, reached, risk, sizes, summary};
use klimt_core::loss::{PublishedGroup, PublishedGroups};
use klimt_core::risk::Risk;
use klimt_core::table::{Role, Table};
use klimt_verify::claims::Outcome;
use klimt_verify::{Bucket, Findings};
use serde_json::Value;

/// Something that the board should know; loud where the release should not go out like this.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// The sentence.
    pub text: String,
    /// Whether it speaks against the release.
    pub loud: bool,
}

/// What was asked of the release besides the requirements.
#[derive(Clone, Debug, Default)]
pub struct Asked {
    /// The name of the original, without its folder.
    pub original: String,
    /// The name of the release, without its folder.
    pub release: String,
    /// The k that was asked for.
    pub k: Option<u64>,
    /// Every column that has a role, in the order of the original.
    pub roles: Vec<(String, Role)>,
    /// The command that makes the release again.
    pub command: String,
    /// The command that checks it.
    pub check: String,
}

/// The certificate, and whether it is that of the release.
#[derive(Clone, Debug)]
pub struct Certified {
    /// The certificate.
    pub json: Value,
    /// Whether the hash in it is that of the release.
    pub matches: bool,
}

/// How easily people are found, before and after.
#[derive(Clone, Debug)]
pub struct Risks {
    /// In the original, by the quasi-identifiers as they are.
    pub before: Risk,
    /// In the release.
    pub after: Risk,
    /// How many rows of the release are unique only together with a column.
    pub contributions: Vec<(String, u64)>,
    /// What is learnt of sensitive columns.
    pub inference: Vec<Inference>,
}

/// What is learnt of a sensitive column.
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

/// A column that is published as it is, with how often the release has each text.
#[derive(Clone, Debug)]
pub struct Kept {
    /// Its number in the original.
    pub column: usize,
    /// Texts and rows.
    pub texts: Vec<(String, u64)>,
}

/// All that the page about a release is made from.
pub struct Report<'a> {
    /// What was asked.
    pub asked: Asked,
    /// What the release reaches, from its published text.
    pub findings: &'a Findings,
    /// Which requirements hold.
    pub outcomes: &'a [Outcome],
    /// The original: quasi-identifiers, sensitive columns and targets.
    pub original: &'a Table,
    /// The groups of the release as they are published, with texts in the order of the original's dimensions.
    pub published: &'a [PublishedGroup],
    /// The same groups, beside the original.
    pub groups: &'a PublishedGroups<'a>,
    /// Columns that are published as they are.
    pub kept: &'a [Kept],
    /// The sizes of groups, in buckets.
    pub sizes: &'a [Bucket],
    /// How easily people are found.
    pub risks: Risks,
    /// The losses: name, value, meaning.
    pub losses: Vec<(&'static str, f64, &'static str)>,
    /// What the board should know.
    pub warnings: Vec<Warning>,
    /// The certificate.
    pub certificate: Option<Certified>,
    /// The dimensions of the two ordered columns to draw in a plane; by default those with most values.
    pub plane: Option<(usize, usize)>,
    /// How far answers to queries are off.
    pub query_errors: Option<QueryErrors>,
}

impl Report<'_> {
    /// The least number of rows that anything shown of the original stands for: the k that was asked for, else the one that
    /// is reached; at least 2, as one row is a person.
    pub fn least(&self) -> u64 {
        self.asked.k.unwrap_or(self.findings.smallest_group).max(2)
    }

    /// Whether every requirement holds, and nothing speaks against the release.
    pub fn holds(&self) -> bool {
        self.outcomes.iter().all(|outcome| outcome.holds) && !self.warnings.iter().any(|warning| warning.loud)
    }

    /// The page.
    pub fn html(&self) -> String {
        let left_out = LeftOut::of(self.original, self.groups, self.findings.suppressed);
        let mut sections = vec![
            Section::new("asked", "What was asked, and what is reached", reached::body(self)),
            Section::new("groups", "How many hide together", sizes::body(self)),
            Section::new("risk", "Risk before and after", risk::body(self)),
            Section::new("columns", "What happened to each column", columns::body(self, &left_out)),
            Section::new("plane", "Groups in the plane", plane::body(self, &left_out)),
            Section::new("losses", "What it costs", end::losses(self)),
        ];
        sections.extend(self.query_errors.as_ref().map(query_error::section));
        sections.push(Section::new("warnings", "Warnings", end::warnings(self)));
        sections.push(Section::new(
            "reproduce",
            "Certificate, and how to make it again",
            end::reproduce(self),
        ));
        let mut top = Html::default();
        summary::write(self, &mut top);
        Page {
            title: format!("Release report: {}", self.asked.release),
            subtitle: format!(
                "Made from {}. Of the original, only counts of at least {} rows are shown.",
                self.asked.original,
                self.least()
            ),
            summary: top,
            sections,
        }
        .html()
    }
}
