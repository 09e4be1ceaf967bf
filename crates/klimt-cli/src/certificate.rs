//! The certificate of a release: what was asked, what is reached, what is proven. It never holds a value of the
//! table, nor anything that could undo the shuffling of rows.

use crate::publish::Checked;
use klimt::partition::Proof;
use klimt::requirement::Requirement;
use klimt::table::{Shape, Table};
use serde_json::{Map, Value, json};

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
    /// The losses, by name.
    pub losses: Vec<(&'static str, f64)>,
    /// What is proven.
    pub proof: Proof,
    /// The loss that a search minimised, by name, what it found, and what no release of its kind undercuts.
    pub searched: Option<(&'a str, f64, f64)>,
    /// How the run went.
    pub run: Value,
    /// The checked release.
    pub checked: &'a Checked,
}

impl Certified<'_> {
    /// The certificate.
    pub fn json(&self) -> Value {
        let findings = &self.checked.findings;
        let columns: Vec<Value> = self.table.columns().iter().map(column).collect();
        json!({
            "klimt": env!("CARGO_PKG_VERSION"),
            "release": { "hash": format!("blake3:{}", self.checked.hash), "rows": findings.rows },
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
            "spec": { "columns": columns, "settings": self.settings },
            "requirements": self.requirements.iter().map(|r| r.describe()).collect::<Vec<_>>(),
            "reached": self.checked.outcomes,
            "sensitive": findings.sensitive,
            "losses": self.losses.iter().map(|(id, loss)| (id.to_string(), json!(loss))).collect::<Map<_, _>>(),
            "proven": self.proof,
            "run": self.run,
            "search": self.searched.map(|(loss, found, bound)| json!({ "loss": loss, "found": found, "bound": bound })),
        })
    }
}

fn column(column: &klimt::table::Column) -> Value {
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
    }
    entry
}
