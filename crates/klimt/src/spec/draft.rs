//! The draft of a spec for a table that was looked at.

use super::{column_keys, keys};
use crate::inspect::Inspection;
use std::path::Path;

/// Keys that a draft fills in; every other one stands in a comment.
const FILLED: [&str; 5] = ["input", "output", "k", "other", "columns"];

/// Drafts a spec for an inspected table: the roles that it was given or that are suggested, and every key with its help.
/// `input` is the name of the table and `path` that of the spec, or `-` for one without a file: a spec names its input as
/// seen from its own folder.
///
/// ```
/// use klimt::prelude::*;
///
/// let table = "name,age,disease\nAda,31,Asthma\nBob,34,Gout\n";
/// let inspection = klimt::inspect(Input::reader(Format::Csv, table.as_bytes()), &Anonymizer::new())?;
/// let text = klimt::spec::draft(&inspection, "patients.csv", "klimt.toml");
/// assert!(text.contains("input = \"patients.csv\"") && text.contains("role = \"identifier\""));
/// # Ok::<(), klimt::Error>(())
/// ```
pub fn draft(inspection: &Inspection, input: &str, path: &str) -> String {
    let keys = keys();
    let help = |key: &str| keys.iter().find(|(name, _)| *name == key).map_or("", |(_, help)| help);
    let mut text = format!(
        "# A spec for klimt: what the columns are and what is asked of the release.\n\
         # Roles were suggested from names and values: look at each of them.\n\n\
         # {}\ninput = {}\n# {}\noutput = \"release.csv\"\n# {}\nk = 5\n# {}\nother = \"drop\"\n",
        help("input"),
        quoted(&seen_from(input, path)),
        help("output"),
        help("k"),
        help("other"),
    );
    text.push_str(&inspection.reading.keys());
    for (key, help) in keys.iter().filter(|(key, _)| !FILLED.contains(key)) {
        text.push_str(&format!("# {key}: {help}\n"));
    }
    text.push_str("\n# A column can have:\n");
    for (key, help) in column_keys() {
        text.push_str(&format!("#   {key}: {help}\n"));
    }
    for column in &inspection.columns {
        text.push_str(&format!(
            "\n[columns.{}] # {}, {} different values\nrole = \"{}\"\n",
            quoted(&column.name),
            column.r#type,
            column.distinct,
            column.role
        ));
        text.push_str(&inspection.reading.column_keys(&column.name));
    }
    text
}

/// The input as seen from the folder of the spec.
fn seen_from(input: &str, path: &str) -> String {
    let in_folder = Path::new(path).parent().is_some_and(|folder| folder != Path::new(""));
    if in_folder && input != "-" {
        std::fs::canonicalize(input)
            .map_or_else(|_| input.to_string(), |path| path.to_string_lossy().into_owned())
    } else {
        input.to_string()
    }
}

fn quoted(text: &str) -> String {
    toml::Value::String(text.to_string()).to_string()
}
