//! What a certificate says, as types. The fields of the JSON have the same names, in kebab-case or as documented.

use klimt_core::job::SearchCounts;
use klimt_core::proof::Claim;
use klimt_core::recode::SavedRequirement;
use klimt_core::table::Role;
use klimt_verify::{Bucket, SensitiveFinding};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// The version of the format.
pub const VERSION: u32 = 2;

/// What was asked of a release, what is reached, and what is proven. It never holds a value of the table, nor anything
/// that could undo the shuffling of rows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(from = "Document", into = "Document")]
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
    /// What was said of the columns.
    pub columns: Vec<CertifiedColumn>,
    /// The settings that change the groups.
    pub settings: RecordedSettings,
    /// Every requirement in words.
    pub requirements: Vec<String>,
    /// How every requirement fared.
    pub reached: Vec<Promise>,
    /// What groups show of sensitive columns.
    pub sensitive: Vec<SensitiveFinding>,
    /// The losses, by name.
    pub losses: BTreeMap<String, f64>,
    /// What is proven of the loss that was asked for.
    pub proven: Claim,
    /// The family of releases that the proof is about.
    pub family: Option<String>,
    /// How the run went.
    pub run: RunAccount,
    /// What a search has found.
    pub search: Option<SearchAccount>,
}

impl Certificate {
    /// A loss of the release by its name, such as `ncp`.
    pub fn loss(&self, name: &str) -> Option<f64> {
        self.losses.get(name).copied()
    }

    /// The certificate as JSON.
    pub fn to_json(&self) -> klimt_core::Result<String> {
        serde_json::to_string_pretty(self)
            .map(|text| text + "\n")
            .map_err(|e| klimt_core::Error::internal(format!("the certificate cannot be written: {e}")))
    }

    /// Reads a certificate; `name` is for messages.
    pub fn from_json(name: &str, text: &[u8]) -> klimt_core::Result<Self> {
        serde_json::from_slice(text).map_err(|e| {
            let why = if e.is_data() { "this is not a certificate of klimt" } else { "this is not JSON" };
            klimt_core::Error::input(format!("{name}: line {}: {why}", e.line()))
        })
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

/// What was said of a column.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CertifiedColumn {
    /// Its name.
    pub name: String,
    /// Its role.
    pub role: Role,
    /// The type of its values, where they were looked at.
    #[serde(default, rename = "type", skip_serializing_if = "Option::is_none")]
    pub value_type: Option<String>,
    /// What it ranges over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub domain: Option<DomainKind>,
    /// The range that was declared, or that a file declared it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub declared: Option<String>,
    /// How its values are compared, where not by value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compared: Option<String>,
}

/// What a column ranges over.
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
    /// What was promised; nothing where no number is enough.
    pub limit: Option<Measure>,
    /// What the worst group reaches; nothing where it is more than any number.
    pub measured: Option<Measure>,
    /// The level as a fraction, where it is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exact: Option<String>,
    /// Whether the promise holds.
    pub holds: bool,
}

/// What a search has found of the loss that it minimised.
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

/// The settings of a run that change the groups or what is published of them. File names stay out of it, and so does the
/// seed by which rows are shuffled; texts that may be cells of the table are only counted.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", default)]
pub struct RecordedSettings {
    /// The quasi-identifiers in the order in which they were named.
    pub qi: Vec<String>,
    /// Settings with one value, by the name of their option.
    #[serde(flatten)]
    pub options: BTreeMap<String, Value>,
    /// Requirements besides k.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub requirements: Vec<SavedRequirement>,
    /// The weights of columns.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub weights: BTreeMap<String, f64>,
    /// The declared types of columns.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub types: BTreeMap<String, String>,
    /// How many texts stood for missing values.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub missing: Option<u64>,
    /// How many places a column may be cut at, where its owner chose them.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub column_splits: BTreeMap<String, u64>,
    /// Columns whose hierarchy guides a scheme without being what they are published by.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub guides: Vec<String>,
    /// Whether the release was made for a workload.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workload: Option<bool>,
    /// The delimiter that was named for the input.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delimiter: Option<char>,
    /// Whether the first line of the input was said to name the columns.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub header: Option<bool>,
}

/// The shape of a certificate as JSON.
#[derive(Serialize, Deserialize)]
struct Document {
    #[serde(default)]
    version: u32,
    klimt: String,
    release: ReleaseFile,
    #[serde(default)]
    k: u64,
    rows: Rows,
    groups: DocumentGroups,
    spec: DocumentSpec,
    requirements: Vec<String>,
    reached: Vec<Promise>,
    sensitive: Vec<SensitiveFinding>,
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
            losses: made.losses,
            proven: made.proven,
            family: made.family,
            run: made.run,
            search: made.search,
        }
    }
}

impl From<Document> for Certificate {
    fn from(read: Document) -> Self {
        Certificate {
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
            losses: read.losses,
            proven: read.proven,
            family: read.family,
            run: read.run,
            search: read.search,
        }
    }
}
