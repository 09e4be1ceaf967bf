//! Every key of a spec as a page of the docs.

use super::{column_keys, keys};

/// The page `docs/guide/spec.md`.
pub fn page() -> String {
    let mut text = String::from(
        "# Every key of a spec\n\n\
         A spec is a TOML file with the same settings as the flags. `klimt init` drafts one with the few keys that matter:\n\
         `input`, `output`, `k`, `other`, `missing`, and a role for each column. This page lists all keys. A test compares it\n\
         with the code. File names in a spec are relative to its folder.\n\n\
         ## Keys of the table\n\n| key | what it says |\n|---|---|\n",
    );
    let line = |(key, help): (&str, String)| format!("| `{key}` | {} |\n", help.replace('|', "\\|"));
    text.extend(keys().into_iter().map(line));
    text.push_str(
        "\n## Keys of a column\n\nThese stand under `[columns.NAME]`.\n\n| key | what it says |\n|---|---|\n",
    );
    text.extend(column_keys().into_iter().map(line));
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_of_the_docs_is_that_of_the_keys() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/guide/spec.md");
        if std::env::var_os("KLIMT_WRITE_DOCS").is_some() {
            std::fs::write(path, page()).unwrap();
        }
        let written = std::fs::read_to_string(path).unwrap_or_default();
        assert!(
            written == page(),
            "docs/guide/spec.md is old: run this test with KLIMT_WRITE_DOCS=1 to write it again"
        );
    }
}
