//! The draft of a spec for a table that was looked at: the few keys that matter, each with its reason.

use super::write;
use crate::inspect::{ColumnProfile, Inspection};
use crate::settings::{ColumnSettings, HierarchySource, NamedRequirement, Settings, ValueList};
use klimt_core::table::Role;
use std::path::Path;

/// Drafts a spec for an inspected table. Columns get the roles that they were given or that are suggested, with the reason;
/// what else is said of them in the settings is kept. Sensitive columns get a requirement that the table can satisfy.
/// `input` is the name of the table and `path` that of the spec, or `-` for one without a file: a spec names its files as
/// seen from its own folder.
///
/// ```
/// use klimt::prelude::*;
///
/// let table = "name,age,disease\nAda,31,Asthma\nBob,34,Gout\n";
/// let asked = Anonymizer::new();
/// let inspection = klimt::inspect(Input::reader(Format::Csv, table.as_bytes()), &asked)?;
/// let text = klimt::spec::draft(&inspection, asked.settings(), "patients.csv", "klimt.toml");
/// assert!(text.contains("input = \"patients.csv\"") && text.contains("role = \"identifier\""));
/// # Ok::<(), klimt::Error>(())
/// ```
pub fn draft(inspection: &Inspection, settings: &Settings, input: &str, path: &str) -> String {
    let mut text = head(inspection, settings, &seen_from(input, path));
    let roles = [
        Role::Person,
        Role::QuasiIdentifier,
        Role::Sensitive,
        Role::Target,
        Role::Insensitive,
        Role::Identifier,
    ];
    for role in roles {
        let columns: Vec<&ColumnProfile> =
            inspection.columns.iter().filter(|column| column.role == role).collect();
        if !columns.is_empty() {
            text.push_str(&format!("\n\n# {}\n", heading(role)));
        }
        for column in columns {
            text.push_str(&about(inspection, column, settings, path));
        }
    }
    text
}

/// What becomes of the columns of a role.
fn heading(role: Role) -> &'static str {
    match role {
        Role::QuasiIdentifier => {
            "Quasi-identifiers: others may know them of a person. Published generalised."
        }
        Role::Sensitive => {
            "Sensitive columns: nobody must learn them of a person. Published as they are, in groups."
        }
        Role::Target => "Targets: class labels that splits may look at. Published as they are.",
        Role::Insensitive => "Insensitive columns: published as they are.",
        Role::Identifier => "Identifiers: never published.",
        Role::Person => {
            "The person: whom a row is about. k and all requirements count people. Never published."
        }
    }
}

/// The keys of the whole table.
fn head(inspection: &Inspection, settings: &Settings, input: &str) -> String {
    let several = if inspection.columns.iter().any(|column| column.is_person) { SEVERAL_ROWS } else { "" };
    let mut text = format!(
        "# A draft for klimt. Used as it is, it publishes no column that looks like an identifier.\n\
         # Roles are suggestions, each with its reason: change what you know better.\n\
         # docs/guide/spec.md explains every key, also those for experts.\n\n\
         input = {}\noutput = \"release.csv\"\n\n{HELP_WITH_K}{several}k = {}\n\n\
         # Columns that are not named below are not published.\nother = \"drop\"\n",
        quoted(input),
        settings.k.unwrap_or(USUAL_K),
    );
    let reading = inspection.reading.keys();
    if !reading.is_empty() {
        text.push_str(&format!("\n# How the table is written.\n{reading}"));
    }
    let mut missing = settings.missing.clone();
    missing.extend(inspection.unnamed_markers());
    missing.sort_unstable();
    missing.dedup();
    if !missing.is_empty() {
        let list: Vec<String> = missing.iter().map(|text| quoted(text)).collect();
        text.push_str(&format!(
            "\n# Texts that stand for a missing value.\nmissing = [{}]\n",
            list.join(", ")
        ));
    }
    let accepted = settings.accepted();
    if !accepted.is_empty() {
        let list: Vec<String> = accepted.iter().map(|name| quoted(name)).collect();
        text.push_str(&format!(
            "\n# Columns that may have their role although they look like identifiers.\naccept = [{}]\n",
            list.join(", ")
        ));
    }
    text.push_str(
        "\n# Rows that lie far apart make their groups wide. This would leave out at most 1 % of the rows instead:\n\
         # suppress = \"1%\"\n",
    );
    text
}

/// The least size of a group where nothing else is said.
const USUAL_K: u64 = 5;

/// What k is where people have several rows.
const SEVERAL_ROWS: &str = "\
# People have several rows in this table: k counts people, by the column of the role person below.\n";

/// What values of k mean, and who uses them.
const HELP_WITH_K: &str = "\
# k: each group of the release has at least k rows, so that whoever looks for a person finds the right row with a chance\n\
# of at most 1/k:   k = 3: 33 %   k = 5: 20 %   k = 11: 9 %   k = 20: 5 %\n\
# 5 is the usual rule of data custodians for data that stay among those who agreed to terms (\"cell size of five\"; El Emam,\n\
# Guide to the De-Identification of Personal Health Information, 2013). 11 is usual for data that are public: CMS publishes\n\
# no count of 1 to 10, EMA asks for a risk of at most 9 %. docs/guide/choosing-k.md says more.\n";

/// The table of a column, with its reason.
fn about(inspection: &Inspection, column: &ColumnProfile, settings: &Settings, path: &str) -> String {
    let mut given = settings.columns.get(&column.name).cloned().unwrap_or_default();
    (given.role, given.rank, given.accepted) = (Some(column.role), None, false);
    if column.role.is_published() {
        inspection.reading.complete(&column.name, &mut given);
    }
    from_folder(&mut given, path);
    let counts = format!("{}, {} different values", column.r#type, column.distinct);
    let missing = if column.missing > 0 { format!(", {} missing", column.missing) } else { String::new() };
    let mut text = format!("\n[columns.{}] # {counts}{missing}\n", key(&column.name));
    if let Some(reason) = &column.reason {
        text.push_str(&format!("# {reason}\n"));
    }
    text.push_str(&write::column(settings, &column.name, &given).to_string());
    let is_asked = |wanted: &NamedRequirement| wanted.column.as_ref().is_none_or(|name| *name == column.name);
    if column.role == Role::Sensitive && !settings.requirements.iter().any(is_asked) {
        text.push_str(&protection(column));
    }
    text
}

/// The requirement that protects a sensitive column, at a level that the table can satisfy with room for groups.
fn protection(column: &ColumnProfile) -> String {
    const ROOM: f64 = 1.4;
    let level = [3u32, 2].into_iter().find(|level| column.effective >= f64::from(*level) * ROOM);
    match level {
        Some(level) => format!(
            "# Each group has values as diverse as {level} equally common ones; the whole table is as diverse as {:.1}.\n\
             l-diversity = \"entropy:{level}\"\n",
            column.effective
        ),
        None if column.distinct > 1 => {
            "# Each group has two different values at least. One of them is common, so more cannot be asked of every group.\n\
             l-diversity = \"distinct:2\"\n"
                .to_string()
        }
        None => "# All rows have the same value: whoever is in the table has it, and nothing can hide that.\n".to_string(),
    }
}

/// Files of a column as seen from the folder of the spec.
fn from_folder(given: &mut ColumnSettings, path: &str) {
    if let Some(HierarchySource::File(file)) = &mut given.hierarchy {
        *file = seen_from(file, path);
    }
    let typed = given.type_spec.clone();
    for list in [&mut given.order, &mut given.domain].into_iter().flatten() {
        if list.file(typed.as_ref()).is_some()
            && let ValueList::Text(file) = list
        {
            *file = seen_from(file, path);
        }
    }
}

/// A file as seen from the folder of the spec.
fn seen_from(file: &str, path: &str) -> String {
    let in_folder = Path::new(path).parent().is_some_and(|folder| folder != Path::new(""));
    if in_folder && file != "-" {
        std::fs::canonicalize(file)
            .map_or_else(|_| file.to_string(), |path| path.to_string_lossy().into_owned())
    } else {
        file.to_string()
    }
}

/// The name of a column as a key.
fn key(name: &str) -> String {
    let is_bare =
        !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-'));
    if is_bare { name.to_string() } else { quoted(name) }
}

fn quoted(text: &str) -> String {
    toml::Value::String(text.to_string()).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::anonymizer::Anonymizer;
    use crate::input::{Format, Input};

    fn drafted(table: &str, asked: &Anonymizer) -> String {
        let input = Input::reader(Format::Csv, std::io::Cursor::new(table.to_string()));
        let inspection = crate::inspect(input, asked).unwrap();
        draft(&inspection, asked.settings(), "in.csv", "-")
    }

    fn rows(diseases: &[&str]) -> String {
        let row = |at: usize| format!("P{at:07},{},{}\n", 20 + at % 30, diseases[at % diseases.len()]);
        "mrn,age,disease\n".to_string() + &(0..60).map(row).collect::<String>()
    }

    #[test]
    fn sensitive_columns_get_a_level_that_the_table_can_satisfy() {
        let level = |diseases: &[&str]| {
            let text = drafted(&rows(diseases), &Anonymizer::new());
            text.lines().find_map(|line| line.strip_prefix("l-diversity = ").map(str::to_string))
        };
        assert_eq!(level(&["a", "b", "c", "d", "e"]).as_deref(), Some("\"entropy:3\""));
        assert_eq!(level(&["a", "b", "c"]).as_deref(), Some("\"entropy:2\""));
        assert_eq!(level(&["a", "a", "a", "a", "b"]).as_deref(), Some("\"distinct:2\""));
        assert_eq!(level(&["a"]), None);
        let asked = Anonymizer::new().require_named("t-closeness", Some("disease"), "0.4").unwrap();
        let text = drafted(&rows(&["a", "b", "c", "d", "e"]), &asked);
        assert!(text.contains("t-closeness = [\"0.4\"]") && !text.contains("l-diversity"), "{text}");
    }

    #[test]
    fn what_was_given_is_kept() {
        let asked = Anonymizer::new()
            .quasi_identifiers(["mrn"])
            .accept(["mrn"])
            .column_type("age", klimt_core::table::ValueType::Decimal)
            .missing(["none"]);
        let text = drafted(&rows(&["a", "b"]), &asked);
        for kept in ["accept = [\"mrn\"]", "missing = [\"none\"]", "type = \"decimal\""] {
            assert!(text.contains(kept), "{kept}: {text}");
        }
        assert_eq!(crate::spec::parse("klimt.toml", &text).unwrap().accepted(), ["mrn"]);
    }

    #[test]
    fn markers_are_named_where_numbers_need_it() {
        let table = rows(&["a", "b", "?"]).replace(",20,", ",n/a,");
        let text = drafted(&table, &Anonymizer::new());
        assert!(text.contains("missing = [\"n/a\"]"), "{text}");
    }
}
