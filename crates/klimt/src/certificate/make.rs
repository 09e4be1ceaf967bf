//! Makes a certificate from a checked release.

use super::rounded::{Towards, four_digits, four_digits_towards};
use super::settings::RecordedSettings;
use super::types::{
    Certificate, CertifiedColumn, DomainKind, GroupSizes, Measure, Promise, RecordedDomain, ReleaseFile,
    Rows, RunAccount, SearchAccount, ValueComparison,
};
use crate::run::Checked;
use klimt_core::job::SearchCounts;
use klimt_core::loss::{Loss, Original};
use klimt_core::proof::{Claim, Proof};
use klimt_core::registry;
use klimt_core::requirement::{Level, Requirement};
use klimt_core::table::{Column, DeclaredCodes, Shape, Table};
use klimt_verify::claims::Outcome;
use std::collections::BTreeMap;

/// The parts that a certificate is made from.
pub struct Certified<'a> {
    /// The original table; its rows are not looked at.
    pub table: &'a Table,
    /// How many rows it has.
    pub rows: u64,
    /// The least size of a group that was asked for.
    pub k: u64,
    /// The requirements.
    pub requirements: &'a [Box<dyn Requirement>],
    /// The settings, by name.
    pub settings: RecordedSettings,
    /// The losses by the whole table, by name.
    pub losses: Vec<(&'static str, f64)>,
    /// The losses by the published rows, by name, where there are others.
    pub published_losses: Option<Vec<(&'static str, f64)>>,
    /// The proof, where a search minimised a loss or its definition proves something.
    pub proof: Option<Proven<'a>>,
    /// How a search over a split set went.
    pub counts: Option<SearchCounts>,
    /// How the run went.
    pub run: RunAccount,
    /// The checked release.
    pub checked: &'a Checked,
}

/// The proof about the loss that was asked for.
#[derive(Clone, Debug)]
pub struct Proven<'a> {
    /// The name of the loss.
    pub loss: &'a str,
    /// The proof.
    pub proof: Proof,
    /// Whether it looks at the sizes of groups alone.
    pub by_sizes: bool,
}

impl Proven<'_> {
    /// The loss that was found and the loss that no release of the family undercuts, for the owner.
    fn exact(&self) -> SearchAccount {
        SearchAccount {
            loss: self.loss.to_string(),
            found: Some(self.proof.found),
            bound: self.proof.bound(),
            counts: None,
        }
    }

    /// The same for everybody: `found` is the loss by the published rows, where there are others.
    fn published(&self, found: Option<f64>, has_others: bool) -> SearchAccount {
        let exact = self.proof.found;
        let (found, bound) = match has_others && !self.by_sizes {
            // What no release undercuts is known by the whole table only.
            true => (found, None),
            false => {
                let bound = self.proof.bound().map(|bound| match bound == exact {
                    true => four_digits(bound),
                    false => four_digits_towards(bound, Towards::Zero),
                });
                (Some(four_digits(exact)), bound)
            }
        };
        SearchAccount { loss: self.loss.to_string(), found, bound, counts: None }
    }
}

/// The certificate of a release, for everybody and for the owner.
#[derive(Clone, Debug)]
pub struct MadeCertificate {
    /// The certificate, which may be published with the release.
    pub published: Certificate,
    /// The same with the exact losses by the whole table, for its owner.
    pub exact: Certificate,
}

impl MadeCertificate {
    /// The same for a release that was written to another file.
    pub fn for_file(mut self, release: ReleaseFile) -> Self {
        self.published.release = release.clone();
        self.exact.release = release;
        self
    }
}

impl Certified<'_> {
    /// The certificate, for everybody and for the owner.
    pub fn make(&self) -> MadeCertificate {
        let mut published = self.certificate();
        let told = self.published_losses.as_ref().unwrap_or(&self.losses);
        published.losses = losses(told.iter().map(|(id, loss)| (*id, four_digits(*loss))));
        if let Some(proven) = &self.proof {
            if let Claim::WithinFactor(factor) = proven.proof.claim {
                published.proven = Claim::WithinFactor(four_digits_towards(factor, Towards::Infinity));
            }
            let has_others = self.published_losses.is_some();
            published.search = Some(proven.published(published.loss(proven.loss), has_others));
        }
        let mut exact = self.certificate();
        if let Some(counts) = self.counts {
            exact.search = exact.search.map(|search| SearchAccount { counts: Some(counts), ..search });
            // The splits are those of the whole table.
            if self.published_losses.is_none() {
                published.search =
                    published.search.map(|search| SearchAccount { counts: Some(counts), ..search });
            }
        }
        MadeCertificate { published, exact }
    }

    fn certificate(&self) -> Certificate {
        let findings = &self.checked.findings;
        let dimensions =
            (0..self.table.dimensions()).map(|dimension| self.table.dimension(dimension).name.clone());
        let proof = self.proof.as_ref();
        Certificate {
            klimt: env!("CARGO_PKG_VERSION").to_string(),
            release: self.checked.file(),
            k: self.k,
            rows: Rows { original: self.rows, published: findings.rows, suppressed: findings.suppressed },
            groups: findings.groups,
            sizes: GroupSizes {
                smallest: findings.smallest_group,
                largest: findings.largest_group,
                average: findings.average_group,
                sizes: findings.sizes.clone(),
            },
            columns: self.table.columns().iter().filter(|column| !column.is_of_pairs()).map(column).collect(),
            settings: RecordedSettings { qi: dimensions.collect(), ..self.settings.clone() },
            requirements: self.requirements.iter().map(|requirement| requirement.describe()).collect(),
            reached: self.checked.outcomes.iter().map(Promise::from).collect(),
            sensitive: findings.sensitive.clone(),
            people: findings.people,
            losses: losses(self.losses.iter().copied()),
            proven: proof.map_or(Claim::Heuristic, |proven| proven.proof.claim),
            family: proof.and_then(|proven| proven.proof.family()),
            run: self.run.clone(),
            search: proof.map(Proven::exact),
        }
    }
}

fn losses(losses: impl Iterator<Item = (&'static str, f64)>) -> BTreeMap<String, f64> {
    losses.map(|(id, loss)| (id.to_string(), loss)).collect()
}

impl From<&Outcome> for Promise {
    fn from(outcome: &Outcome) -> Self {
        Promise {
            claim: outcome.claim.to_string(),
            column: outcome.column.clone(),
            description: outcome.description.clone(),
            limit: measure(&outcome.limit),
            measured: measure(&outcome.measured),
            exact: outcome.exact.clone(),
            holds: outcome.holds,
        }
    }
}

/// A level as a number; nothing where it is more than any number.
fn measure(level: &Level) -> Option<Measure> {
    match level {
        Level::Count(count) => Some(Measure::Whole(*count)),
        Level::Unbounded => None,
        level => Some(Measure::Real(level.to_f64())),
    }
}

/// Whether a loss of the registry looks at nothing but the sizes of groups.
pub fn is_by_sizes(id: &str, original: &Original<'_>) -> bool {
    let registered = registry::LOSSES.iter().find(|(entry, _)| entry.id == id);
    registered.is_some_and(|(_, loss)| counts_sizes_alone(*loss, original))
}

/// Whether a loss, in the registry or not, looks at nothing but the sizes of groups.
pub fn counts_sizes_alone(loss: &dyn Loss, original: &Original<'_>) -> bool {
    loss.cost(original).is_some_and(|cost| cost.size(1).is_some())
}

fn column(column: &Column) -> CertifiedColumn {
    let mut certified = CertifiedColumn {
        name: column.name.clone(),
        role: column.role,
        value_type: None,
        domain: None,
        declared: None,
        compared: None,
    };
    if let Some((domain, _)) = column.coded() {
        certified.value_type = Some(domain.value_type());
        certified.domain = Some(match domain.shape() {
            Shape::Ordered if domain.is_measured() => DomainKind::Ordered,
            Shape::Ordered => DomainKind::Imposed,
            Shape::Hierarchy(_) => DomainKind::Hierarchy,
            Shape::Set => DomainKind::Set,
        });
        certified.declared = domain.declared().map(|declared| match declared {
            DeclaredCodes::Ends { .. } => {
                let last = (domain.value_count() as u32).saturating_sub(1);
                RecordedDomain::Range(format!("{}..{}", domain.text(0), domain.text(last)))
            }
            DeclaredCodes::All => RecordedDomain::File,
        });
        certified.compared = domain.is_compared_as_text().then_some(ValueComparison::AsText);
    }
    certified
}
