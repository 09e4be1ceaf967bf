//! Writes a hierarchy as the CSV format that [`read_csv`](super::read_csv) reads.

use super::Hierarchy;
use super::read::checked_delimiter;
use crate::Result;

/// How a hierarchy file is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WriteOptions {
    /// The byte between two fields, `;` by default.
    pub delimiter: u8,
}

impl Default for WriteOptions {
    fn default() -> Self {
        WriteOptions { delimiter: b';' }
    }
}

/// A line per leaf from left to right, all with the same number of fields and without header.
///
/// A leaf that is less deep than others is repeated as padding. Reading the text back with the same delimiter
/// gives an equal hierarchy; with one of `;`, tab, `|` and `,` the delimiter is found by itself.
pub fn write_csv(hierarchy: &Hierarchy, options: &WriteOptions) -> Result<String> {
    let delimiter = char::from(checked_delimiter(options.delimiter)?);
    let mut text = String::new();
    for code in 0..hierarchy.leaf_count() {
        let leaf = hierarchy.leaf_node(code);
        for _ in hierarchy.depth(leaf)..hierarchy.height() {
            write_label(&mut text, hierarchy.label(leaf), delimiter);
            text.push(delimiter);
        }
        for node in hierarchy.path(leaf) {
            write_label(&mut text, hierarchy.label(node), delimiter);
            text.push(if node == hierarchy.root() { '\n' } else { delimiter });
        }
    }
    Ok(text)
}

/// Quotes every label that a reader could take for something else, whatever delimiter it tries.
fn write_label(text: &mut String, label: &str, delimiter: char) {
    let needs_quotes = |c: char| c == delimiter || matches!(c, ';' | ',' | '\t' | '|' | '"' | '\r' | '\n');
    if label.contains(needs_quotes) || label.starts_with('\u{feff}') {
        text.push('"');
        text.push_str(&label.replace('"', "\"\""));
        text.push('"');
    } else {
        text.push_str(label);
    }
}

#[cfg(test)]
mod tests {
    use super::super::{HierarchyBuilder, ReadOptions, read_csv};
    use super::*;

    fn tree(paths: &[&[&str]]) -> Hierarchy {
        let mut builder = HierarchyBuilder::new("t");
        (1..).zip(paths).for_each(|(line, path)| builder.push(line, *path));
        builder.finish().unwrap()
    }

    #[test]
    fn a_ragged_tree_is_padded_to_a_rectangle() {
        let ragged = tree(&[&["a", "A", "*"], &["b", "*"], &["c", "C", "CC", "*"]]);
        let text = write_csv(&ragged, &WriteOptions::default()).unwrap();
        assert_eq!(text, "a;a;A;*\nb;b;b;*\nc;C;CC;*\n");
    }

    #[test]
    fn labels_that_could_be_misread_are_quoted() {
        let nasty = tree(&[&["\u{feff}a", "x,y", "*"], &["say \"b\"", "t\tt", "*"], &["c\r\nd", "p|p", "*"]]);
        for delimiter in *b";,\t|" {
            let text = write_csv(&nasty, &WriteOptions { delimiter }).unwrap();
            assert_eq!(read_csv("t", text.as_bytes(), &ReadOptions::default()).unwrap(), nasty);
        }
    }

    #[test]
    fn a_root_that_holds_a_delimiter_does_not_mislead_the_reader() {
        for delimiter in *b";,\t|" {
            for root in ["x;y", "x,y", "x\ty", "x|y"] {
                let rooted = tree(&[&["a", root], &["b", root]]);
                let text = write_csv(&rooted, &WriteOptions { delimiter }).unwrap();
                assert_eq!(read_csv("t", text.as_bytes(), &ReadOptions::default()).unwrap(), rooted);
            }
        }
    }

    #[test]
    fn an_impossible_delimiter_is_refused() {
        assert!(write_csv(&tree(&[&["a", "*"]]), &WriteOptions { delimiter: b'"' }).is_err());
    }
}
