//! The parts of a certificate. The fields of the JSON have the same names, in kebab-case or as documented.

use super::document::Document;
use super::settings::RecordedSettings;
use super::word::one;
use klimt_core::job::SearchCounts;
use klimt_core::proof::Claim;
use klimt_core::table::{Role, ValueType};
use klimt_verify::{Bucket, PeopleFindings, SensitiveFinding};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The record of a release: the requirements, what it reaches, and what is proven. It never holds a value of the table, nor
/// anything that could undo the shuffling of rows.
///
/// ```
/// use klimt::prelude::*;
///
/// # let folder = std::env::temp_dir().join(format!("klimt-certificate-{}", std::process::id()));
/// # std::fs::create_dir_all(&folder).unwrap();
/// let release = folder.join("release.csv");
/// let table = "age,disease\n31,Asthma\n35,Gout\n38,Flu\n39,Gout\n";
/// Anonymizer::new()
///     .quasi_identifiers(["age"])
///     .sensitive(["disease"])
///     .require(KAnonymity::new(2)?)
///     .anonymize_to(Input::reader(Format::Csv, table.as_bytes()), Output::file(&release)?)?;
///
/// let certificate = Certificate::from_file(folder.join("release.csv.certificate.json"))?;
/// assert!(certificate.holds() && certificate.is_of(&release)?);
/// assert_eq!((certificate.k, certificate.rows.published), (2, 4));
/// println!("ncp {:.4}", certificate.loss("ncp").unwrap());
/// # std::fs::remove_dir_all(&folder).unwrap();
/// # Ok::<(), klimt::Error>(())
/// ```
///
/// Its JSON follows `docs/certificate.schema.json` and names its [`VERSION`](super::VERSION); reading another version is an
/// error.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Document", into = "Document")]
pub struct Certificate {
    /// The version of klimt that made the release.
    pub klimt: String,
    /// By what the file is known; nothing of it while the release has no file.
    pub release: ReleaseFile,
    /// The least size of a group that was asked for.
    pub k: u64,
    /// How many rows there are.
    pub rows: Rows,
    /// How many groups the release has.
    pub groups: u64,
    /// How large they are.
    pub sizes: GroupSizes,
    /// The columns.
    pub columns: Vec<CertifiedColumn>,
    /// The settings that change the groups.
    pub settings: RecordedSettings,
    /// Every requirement in words.
    pub requirements: Vec<String>,
    /// How every requirement fared.
    pub reached: Vec<Promise>,
    /// The sensitive columns as groups show them.
    pub sensitive: Vec<SensitiveFinding>,
    /// How many people there are, and in how many groups of them; nothing where rows were counted.
    pub people: Option<PeopleFindings>,
    /// The losses, by name.
    pub losses: BTreeMap<String, f64>,
    /// The claim that is proven of the loss that was asked for.
    pub proven: Claim,
    /// The family of releases that the proof is about.
    pub family: Option<String>,
    /// How the run went.
    pub run: RunAccount,
    /// The result of a search.
    pub search: Option<SearchAccount>,
}

impl Certificate {
    /// A loss of the release by its name, such as `ncp`.
    pub fn loss(&self, name: &str) -> Option<f64> {
        self.losses.get(name).copied()
    }

    /// Whether every requirement holds.
    pub fn holds(&self) -> bool {
        self.reached.iter().all(|promise| promise.holds)
    }

    /// The promises of a requirement by its name, such as `k-anonymity` or `t-closeness`; one for each column that it is
    /// about.
    pub fn promises<'a>(&'a self, requirement: &'a str) -> impl Iterator<Item = &'a Promise> {
        self.reached.iter().filter(move |promise| promise.claim == requirement)
    }

    /// A column of the release by its name.
    pub fn column(&self, name: &str) -> Option<&CertifiedColumn> {
        self.columns.iter().find(|column| column.name == name)
    }

    /// The loss that the proof is about, where one was minimised or proven.
    pub fn proven_loss(&self) -> Option<&str> {
        let searched = self.search.as_ref().map(|search| search.loss.as_str());
        searched.or(self.settings.minimised.as_deref())
    }
}

/// By what a released file is known, and how its text is written.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ReleaseFile {
    /// The hash of its bytes, such as `blake3:…`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hash: Option<String>,
    /// How many rows it has.
    pub rows: u64,
    /// The character between two fields, where it is text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delimiter: Option<char>,
    /// Whether the first line names the columns, where it is text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub header: Option<bool>,
}

/// How many rows there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rows {
    /// In the original.
    pub original: u64,
    /// In the release.
    pub published: u64,
    /// Left out.
    pub suppressed: u64,
}

/// How large the groups are.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GroupSizes {
    /// The rows of the smallest.
    pub smallest: u64,
    /// The rows of the largest.
    pub largest: u64,
    /// The rows of one on average.
    pub average: f64,
    /// How many have how many rows.
    pub sizes: Vec<Bucket>,
}

/// A column, with its role and domain.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CertifiedColumn {
    /// Its name.
    pub name: String,
    /// Its role.
    pub role: Role,
    /// The type of its values, where they were looked at.
    #[serde(default, rename = "type", skip_serializing_if = "Option::is_none")]
    pub value_type: Option<ValueType>,
    /// Its kind of domain.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub domain: Option<DomainKind>,
    /// How its domain was declared, where it was.
    #[serde(default, with = "one", skip_serializing_if = "Option::is_none")]
    pub declared: Option<RecordedDomain>,
    /// How its values are compared, where not by value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compared: Option<ValueComparison>,
}

/// The declaration of a domain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RecordedDomain {
    /// A range, such as `0..120`.
    Range(String),
    /// The values of a file, which the certificate does not hold.
    File,
}

/// A way to compare values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ValueComparison {
    /// Letter by letter.
    #[serde(rename = "as text")]
    AsText,
}

/// The kind of a domain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum DomainKind {
    /// Numbers, dates or instants.
    #[serde(rename = "ordered")]
    Ordered,
    /// Texts in an order that was given.
    #[serde(rename = "ordered (imposed)")]
    Imposed,
    /// A taxonomy.
    #[serde(rename = "hierarchy")]
    Hierarchy,
    /// Unordered categories.
    #[serde(rename = "set")]
    Set,
}

/// A number that is measured or promised.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Measure {
    /// A whole number.
    Whole(u64),
    /// Any other number.
    Real(f64),
}

/// How a requirement fared.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Promise {
    /// The name of the requirement.
    pub claim: String,
    /// The column that it is about, where it is about one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub column: Option<String>,
    /// The requirement in words.
    pub description: String,
    /// The level that was promised; nothing where no number is enough.
    pub limit: Option<Measure>,
    /// The level that the worst group reaches; nothing where it is more than any number.
    pub measured: Option<Measure>,
    /// The level as a fraction, where it is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exact: Option<String>,
    /// Whether the promise holds.
    pub holds: bool,
}

/// The result of a search for the least loss.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SearchAccount {
    /// The name of the loss.
    pub loss: String,
    /// The loss of the release.
    pub found: Option<f64>,
    /// The proven least loss of the family.
    pub bound: Option<f64>,
    /// How a search over a split set went.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counts: Option<SearchCounts>,
}

/// How a run went: counts, and nothing of the values.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct RunAccount {
    /// The algorithm that found the groups.
    pub algorithm: String,
    /// Whether the table was in memory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub in_memory: Option<bool>,
    /// The budget that was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<String>,
    /// The budget in bytes, where none was asked for and it matters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget: Option<u64>,
    /// How often rows passed by on disk.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub passes: Option<Passes>,
    /// How often rows were divided among parts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repartitions: Option<u64>,
    /// The parts that were handed to the algorithm in memory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parts: Option<u64>,
    /// The leaves of a tree.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub leaves: Option<u64>,
    /// Cuts of a sample that were undone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pruned: Option<u64>,
    /// Parts for which no sample allowed a cut.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub switched: Option<u64>,
    /// Whether no allowable cut is left.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub minimal: Option<bool>,
    /// The bytes that were read and written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<Bytes>,
    /// The losses that cannot be measured part by part.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub losses_not_told: Vec<String>,
    /// The rows of a store that were held back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub held_back: Option<u64>,
}

/// How often rows passed by on disk.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Passes {
    /// Read.
    pub reads: f64,
    /// Written.
    pub writes: f64,
}

/// The bytes that were read and written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bytes {
    /// Of the source; not known to others where rows were suppressed.
    pub source: Option<u64>,
    /// Read back from spill files.
    pub read: u64,
    /// Written to spill files.
    pub written: u64,
}
