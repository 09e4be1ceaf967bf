//! The certificate of a release: what was asked, what is reached, what is proven. It never holds a value of the
//! table, nor anything that could undo the shuffling of rows.
//!
//! Its losses are made from what is published, so that nothing can be told from them of suppressed rows but how many there
//! are: lengths and counts are taken over the published rows, a suppressed row pays its price, and four significant digits
//! are told. The owner of all rows is told the exact losses by the whole table, which `klimt measure` finds too.

use crate::publish::Checked;
use crate::settings::Settings;
use klimt_core::job::SearchCounts;
use klimt_core::loss::{Loss, Original};
use klimt_core::proof::{Claim, Proof};
use klimt_core::registry;
use klimt_core::requirement::Requirement;
use klimt_core::table::{DeclaredCodes, Shape, Table};
use klimt_core::{Error, Result};
use klimt_io::csv::DialectSpec;
use serde_json::{Map, Value, json};
use std::io::Read;

/// Stands for the values of a file that declare the domain of a column.
const DECLARED_BY_FILE: &str = "the values of a file";

/// What a certificate is made from.
pub struct Certified<'a> {
    /// The original table; its rows are not looked at.
    pub table: &'a Table,
    /// How many rows it has.
    pub rows: u64,
    /// What was required.
    pub requirements: &'a [Box<dyn Requirement>],
    /// The settings, by name.
    pub settings: Map<String, Value>,
    /// The losses by the whole table, by name.
    pub losses: Vec<(&'static str, f64)>,
    /// The losses by the published rows, by name, where there are others.
    pub published_losses: Option<Vec<(&'static str, f64)>>,
    /// What is proven, where a search minimised a loss or its definition proves something.
    pub proof: Option<Proven<'a>>,
    /// How a search over a split set went.
    pub counts: Option<SearchCounts>,
    /// How the run went.
    pub run: Value,
    /// The checked release.
    pub checked: &'a Checked,
}

/// What is proven of the loss that was asked for.
#[derive(Clone, Debug)]
pub struct Proven<'a> {
    /// The name of the loss.
    pub loss: &'a str,
    /// What is proven of it.
    pub proof: Proof,
    /// Whether it looks at the sizes of groups alone.
    pub by_sizes: bool,
}

impl Proven<'_> {
    /// The section of a certificate, with the loss that was found and the loss that no release of the family undercuts.
    fn section(&self, found: Value, bound: Option<f64>) -> Value {
        json!({ "loss": self.loss, "found": found, "bound": bound })
    }

    /// The same for everybody: `found` is the loss by the published rows, where there are others.
    fn published_section(&self, found: Option<&Value>) -> Value {
        let Proof { found: exact, .. } = self.proof;
        match found.filter(|_| !self.by_sizes) {
            // What no release undercuts is known by the whole table only.
            Some(found) => self.section(found.clone(), None),
            None => {
                let bound = self.proof.bound().map(|bound| match bound == exact {
                    true => four_digits(bound),
                    false => four_digits_towards(bound, Towards::Zero),
                });
                self.section(json!(four_digits(exact)), bound)
            }
        }
    }
}

/// What is said of a release.
#[derive(Clone, Debug)]
pub struct Certificate {
    /// The certificate, which may be published with the release.
    pub published: Value,
    /// The same with the exact losses by the whole table, for its owner.
    pub exact: Value,
}

impl Certified<'_> {
    /// The certificate, for everybody and for the owner.
    pub fn make(&self) -> Certificate {
        let mut published = self.json();
        let told = self.published_losses.as_ref().unwrap_or(&self.losses);
        published["losses"] = losses(told.iter().map(|(id, loss)| (*id, four_digits(*loss))));
        if let Some(proven) = &self.proof {
            if let Claim::WithinFactor(factor) = proven.proof.claim {
                published["proven"] =
                    json!(Claim::WithinFactor(four_digits_towards(factor, Towards::Infinity)));
            }
            let others = self.published_losses.as_ref().map(|_| &published["losses"][proven.loss]);
            published["search"] = proven.published_section(others);
        }
        let mut exact = self.json();
        if let Some(counts) = self.counts {
            exact["search"]["counts"] = json!(counts);
            // The splits are those of the whole table.
            if self.published_losses.is_none() {
                published["search"]["counts"] = json!(counts);
            }
        }
        Certificate { published, exact }
    }

    fn json(&self) -> Value {
        let findings = &self.checked.findings;
        let columns: Vec<Value> = self.table.columns().iter().map(column).collect();
        let mut settings = self.settings.clone();
        let dimensions = (0..self.table.dimensions()).map(|dimension| &self.table.dimension(dimension).name);
        settings.insert("qi".to_string(), json!(dimensions.collect::<Vec<_>>()));
        json!({
            "klimt": env!("CARGO_PKG_VERSION"),
            "release": self.release(),
            "rows": {
                "original": self.rows,
                "published": findings.rows,
                "suppressed": findings.suppressed,
            },
            "groups": {
                "count": findings.groups,
                "smallest": findings.smallest_group,
                "largest": findings.largest_group,
                "average": findings.average_group,
                "sizes": findings.sizes,
            },
            "spec": { "columns": columns, "settings": settings },
            "requirements": self.requirements.iter().map(|r| r.describe()).collect::<Vec<_>>(),
            "reached": self.checked.outcomes,
            "sensitive": findings.sensitive,
            "losses": losses(self.losses.iter().copied()),
            "proven": self.proof.as_ref().map_or(Claim::Heuristic, |proven| proven.proof.claim),
            "family": self.proof.as_ref().and_then(|proven| proven.proof.family()),
            "run": self.run,
            "search": self.proof.as_ref().map(|proven| {
                proven.section(json!(proven.proof.found), proven.proof.bound())
            }),
        })
    }
}

impl Certified<'_> {
    /// By what the file is known, and how its text is written.
    fn release(&self) -> Value {
        let Checked { findings, hash, dialect, .. } = self.checked;
        let mut release = json!({ "hash": format!("blake3:{hash}"), "rows": findings.rows });
        if let Some(dialect) = dialect {
            release["delimiter"] = json!(char::from(dialect.delimiter).to_string());
            release["header"] = json!(dialect.header);
        }
        release
    }
}

/// How the text of a release is written, by the certificate beside it.
pub fn dialect_beside(path: &str) -> Option<DialectSpec> {
    let certificate = beside(path)?;
    let release = &certificate["release"];
    let delimiter = release["delimiter"].as_str().and_then(|text| text.as_bytes().first().copied());
    Some(DialectSpec { delimiter, header: release["header"].as_bool() })
}

/// The columns of a release that were published by a hierarchy, by the certificate beside it.
pub fn hierarchies_beside(path: &str) -> Option<Vec<String>> {
    let certificate = beside(path)?;
    let by_hierarchy = |column: &&Value| column["domain"] == "hierarchy";
    let columns = certificate["spec"]["columns"].as_array()?.iter().filter(by_hierarchy);
    Some(columns.filter_map(|column| Some(column["name"].as_str()?.to_string())).collect())
}

/// Fills in the domains that were declared, by the certificate beside a release; says which files must be named.
pub fn declared_beside(settings: &mut Settings, path: &str) -> Vec<String> {
    beside(path).map_or(Vec::new(), |certificate| fill_declared(settings, &certificate))
}

/// Fills in the domains that were declared, by a certificate; says which files must be named.
pub fn fill_declared(settings: &mut Settings, certificate: &Value) -> Vec<String> {
    let mut problems = Vec::new();
    for column in certificate["spec"]["columns"].as_array().into_iter().flatten() {
        let (Some(name), Some(declared)) = (column["name"].as_str(), column["declared"].as_str()) else {
            continue;
        };
        let given = settings.columns.entry(name.to_string()).or_default();
        if given.domain.is_some() {
            continue;
        }
        match declared {
            DECLARED_BY_FILE => problems.push(format!(
                "column {name} was published with a declared domain: name the file, such as {}, or the --spec",
                klimt_core::names::flag("domain", name, Some("FILE"))
            )),
            range => given.domain = Some(range.to_string()),
        }
    }
    problems
}

/// The certificate beside a release; nothing where there is none, or where it is that of another file.
fn beside(path: &str) -> Option<Value> {
    let certificate = std::fs::read(format!("{path}.certificate.json")).ok()?;
    let certificate: Value = serde_json::from_slice(&certificate).ok()?;
    (certificate["release"]["hash"].as_str()? == file_hash(path).ok()?).then_some(certificate)
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

fn losses(losses: impl Iterator<Item = (&'static str, f64)>) -> Value {
    losses.map(|(id, loss)| (id.to_string(), json!(loss))).collect::<Map<_, _>>().into()
}

/// Whether a loss looks at nothing but the sizes of groups.
pub fn is_by_sizes(id: &str, original: &Original<'_>) -> bool {
    let loss = registry::LOSSES.iter().find(|(entry, _)| entry.id == id).map(|(_, loss)| *loss as &dyn Loss);
    let by_sizes = |loss: &dyn Loss| loss.cost(original).is_some_and(|cost| cost.size(1).is_some());
    loss.is_some_and(by_sizes)
}

/// A number rounded to four significant digits.
pub fn four_digits(value: f64) -> f64 {
    format!("{value:.3e}").parse().unwrap_or(value)
}

/// To which side a number is rounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Towards {
    Zero,
    Infinity,
}

/// A positive number rounded to four significant digits, so that what it bounds stays bounded.
fn four_digits_towards(value: f64, towards: Towards) -> f64 {
    let near = four_digits(value);
    if value <= 0.0 || !value.is_finite() {
        return near;
    }
    let unit = 10f64.powi(value.log10().floor() as i32 - 3);
    match towards {
        Towards::Infinity if near < value => four_digits(near + unit),
        Towards::Zero if near > value => four_digits(near - unit),
        _ => near,
    }
}

fn column(column: &klimt_core::table::Column) -> Value {
    let mut entry = json!({ "name": column.name, "role": column.role });
    if let Some((domain, _)) = column.coded() {
        let shape = match domain.shape() {
            Shape::Ordered if domain.is_measured() => "ordered",
            Shape::Ordered => "ordered (imposed)",
            Shape::Hierarchy(_) => "hierarchy",
            Shape::Set => "set",
        };
        entry["type"] = json!(domain.value_type());
        entry["domain"] = json!(shape);
        if let Some(declared) = domain.declared() {
            entry["declared"] = match declared {
                DeclaredCodes::Ends { .. } => {
                    let last = (domain.value_count() as u32).saturating_sub(1);
                    json!(format!("{}..{}", domain.text(0), domain.text(last)))
                }
                DeclaredCodes::All => json!(DECLARED_BY_FILE),
            };
        }
        if domain.is_compared_as_text() {
            entry["compared"] = json!("as text");
        }
    }
    entry
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn losses_are_told_in_four_digits() {
        for (exact, told) in [(0.123_456, 0.1235), (7_220_555.0, 7_221_000.0), (0.0, 0.0), (1.0, 1.0)] {
            assert_eq!(four_digits(exact), told);
        }
        assert_eq!(four_digits(0.000_012_344_9), 0.000_012_34);
    }

    #[test]
    fn what_is_proven_stays_true() {
        assert_eq!(four_digits_towards(1.000_04, Towards::Infinity), 1.001);
        assert_eq!(four_digits_towards(1.321_5, Towards::Infinity), 1.322);
        assert_eq!(four_digits_towards(1.25, Towards::Infinity), 1.25);
        assert_eq!(four_digits_towards(0.123_46, Towards::Zero), 0.1234);
        assert_eq!(four_digits_towards(99_999.0, Towards::Zero), 99_990.0);
    }
}
