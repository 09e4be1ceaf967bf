//! Reads a hierarchy from a CSV file: a line per leaf, the leaf first, then its ever coarser ancestors.

use std::borrow::Cow;
use std::cmp::Reverse;

use hashbrown::HashSet;

use super::problem::LineProblem;
use super::records::{Record, Records};
use super::{Hierarchy, HierarchyBuilder};
use crate::{Error, Result};

/// The delimiters that are tried, the one that labels hold least often first.
const DELIMITERS: [u8; 4] = *b";\t|,";

/// How many records are looked at to find the delimiter.
const SAMPLE: usize = 1000;

/// Options for reading a hierarchy file; the default detects everything.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReadOptions {
    /// The byte between two fields; found among `;`, tab, `|` and `,` when not given.
    pub delimiter: Option<u8>,
    /// Whether the first line is a header. When not given it is one if all other lines (two or more) end in the
    /// same label, the first line ends in another, and none of its labels stands on any other line.
    pub header: Option<bool>,
}

/// The labels of one line, without empty fields at the end.
struct LabelRow<'a> {
    line: u64,
    labels: Vec<Cow<'a, str>>,
}

/// The hierarchy that the bytes of a CSV file describe; `file` is its name in errors.
///
/// The file is UTF-8, with or without byte order mark and header, with quotes as in RFC 4180. Lines without any
/// label and empty fields at the end of a line are skipped. All problems are reported at once, by line and level.
pub fn read_csv(file: &str, bytes: &[u8], options: &ReadOptions) -> Result<Hierarchy> {
    if bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff") {
        return Err(Error::input(format!("{file}: the file is UTF-16")).with_help("save the file as UTF-8"));
    }
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let delimiter = match options.delimiter {
        Some(delimiter) => checked_delimiter(delimiter)?,
        None => find_delimiter(bytes),
    };
    let mut builder = HierarchyBuilder::new(file);
    let mut rows = Vec::new();
    let mut first_is_sound = None;
    for record in Records::new(bytes, delimiter).filter(|record| !is_blank(record)) {
        let row = decode(record, &mut builder);
        first_is_sound.get_or_insert(row.is_some());
        rows.extend(row);
    }
    if first_is_sound.is_none() {
        return Err(Error::input(format!("{file}: the file is empty"))
            .with_help("list each value on its own line, followed by its ever coarser ancestors"));
    }
    let header = first_is_sound == Some(true) && options.header.unwrap_or_else(|| starts_with_header(&rows));
    rows.iter().skip(usize::from(header)).for_each(|row| builder.push(row.line, &row.labels));
    builder.finish()
}

/// The delimiter itself if it differs from labels and line ends.
pub(super) fn checked_delimiter(delimiter: u8) -> Result<u8> {
    if delimiter.is_ascii() && !matches!(delimiter, b'"' | b'\r' | b'\n') {
        return Ok(delimiter);
    }
    Err(Error::input(
        "the delimiter of a hierarchy file is one ASCII character, neither a quote nor a line end",
    ))
}

fn is_blank(record: &Record) -> bool {
    record.misquoted.is_none() && record.fields.iter().all(|field| field.is_empty())
}

/// The row of a record; `None`, with the problem noted, when it cannot be understood.
fn decode<'a>(mut record: Record<'a>, builder: &mut HierarchyBuilder) -> Option<LabelRow<'a>> {
    if let Some(line) = record.misquoted {
        builder.note(LineProblem::Quoting, line);
    }
    while record.fields.last().is_some_and(|field| field.is_empty()) {
        record.fields.pop();
    }
    let line = record.line;
    let labels = record.fields.into_iter().map(text).collect::<Option<Vec<_>>>();
    if labels.is_none() {
        builder.note(LineProblem::Encoding, line);
    }
    labels.filter(|_| record.misquoted.is_none()).map(|labels| LabelRow { line, labels })
}

fn text(bytes: Cow<'_, [u8]>) -> Option<Cow<'_, str>> {
    match bytes {
        Cow::Borrowed(bytes) => std::str::from_utf8(bytes).ok().map(Cow::Borrowed),
        Cow::Owned(bytes) => String::from_utf8(bytes).ok().map(Cow::Owned),
    }
}

/// The delimiter under which the quotes make most sense and most records end in the same label, the root; `;`
/// when none occurs.
fn find_delimiter(bytes: &[u8]) -> u8 {
    let score = |&delimiter: &u8| {
        let (misquoted, ends) = try_delimiter(bytes, delimiter);
        (ends > 0, Reverse(misquoted), ends)
    };
    DELIMITERS.into_iter().rev().max_by_key(score).unwrap_or(DELIMITERS[0])
}

/// How many of the first records are misquoted, and how many others have several fields and the same last label.
fn try_delimiter(bytes: &[u8], delimiter: u8) -> (usize, usize) {
    let mut misquoted = 0;
    let mut ends: Vec<Vec<u8>> = Vec::new();
    for record in Records::new(bytes, delimiter).take(SAMPLE) {
        let end = record.fields.iter().rposition(|field| !field.is_empty());
        match (record.misquoted, end) {
            (Some(_), _) => misquoted += 1,
            (None, Some(end)) if end > 0 => ends.push(record.fields[end].to_vec()),
            (None, _) => {}
        }
    }
    ends.sort_unstable();
    (misquoted, ends.chunk_by(|a, b| a == b).map(<[_]>::len).max().unwrap_or(0))
}

/// Whether the first row is a header rather than a leaf with a wrong root (see [`ReadOptions::header`]).
fn starts_with_header(rows: &[LabelRow<'_>]) -> bool {
    let Some((first, others)) = rows.split_first() else { return false };
    let [second, _, ..] = others else { return false };
    let root = second.labels.last();
    let own: HashSet<&str> = first.labels.iter().map(AsRef::as_ref).collect();
    first.labels.last() != root
        && others.iter().all(|row| row.labels.last() == root)
        && !others.iter().flat_map(|row| &row.labels).any(|label| own.contains(label.as_ref()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: impl AsRef<[u8]>) -> Result<Hierarchy> {
        read_csv("h.csv", text.as_ref(), &ReadOptions::default())
    }

    fn with(text: &str, options: ReadOptions) -> Result<Hierarchy> {
        read_csv("h.csv", text.as_bytes(), &options)
    }

    fn leaves(tree: &Hierarchy) -> Vec<&str> {
        (0..tree.leaf_count()).map(|code| tree.leaf_label(code)).collect()
    }

    fn message(text: impl AsRef<[u8]>) -> String {
        read(text).unwrap_err().message().to_string()
    }

    #[test]
    fn the_delimiter_is_found_even_when_labels_hold_others() {
        for delimiter in [";", ",", "\t", "|"] {
            let text = ["a~A~*", "b~A~*", "c~C~*"].join("\n").replace('~', delimiter);
            assert_eq!(read(text).unwrap().leaf_path(2), ["c", "C", "*"]);
        }
        let tree = read("1,5;[1,0..2,0);*\n3,5;[3,0..4,0);*\n").unwrap();
        assert_eq!(tree.leaf_path(0), ["1,5", "[1,0..2,0)", "*"]);
        let tree = read("a\t\"All, really\"\nb\t\"All, really\"\n").unwrap();
        assert_eq!(tree.leaf_path(1), ["b", "All, really"]);
        let tree = read("a\tEurope, all\nb\tEurope, all\n").unwrap();
        assert_eq!(tree.leaf_path(1), ["b", "Europe, all"]);
    }

    #[test]
    fn a_given_delimiter_is_used_and_checked() {
        let colon = ReadOptions { delimiter: Some(b':'), ..Default::default() };
        assert_eq!(with("a;b:*\nc:*\n", colon).unwrap().leaf_path(0), ["a;b", "*"]);
        for wrong in [b'"', b'\n', b'\r', 0xe9] {
            let options = ReadOptions { delimiter: Some(wrong), ..Default::default() };
            assert!(with("a;*", options).unwrap_err().message().contains("delimiter"));
        }
    }

    #[test]
    fn byte_order_mark_crlf_blank_lines_and_trailing_delimiters_are_fine() {
        let tree = read("\u{feff}a;A;*\r\n\r\nb;*;\r\n;;\r\nc;A;*").unwrap();
        assert_eq!(leaves(&tree), ["a", "c", "b"]);
        assert_eq!(tree.leaf_path(2), ["b", "*"]);
    }

    #[test]
    fn one_line_without_delimiter_is_a_single_node() {
        assert_eq!(read("only").unwrap().node_count(), 1);
    }

    #[test]
    fn a_header_is_found() {
        assert_eq!(leaves(&read("sex;any\nM;*\nF;*\n").unwrap()), ["M", "F"]);
        assert_eq!(leaves(&read("M;*\nF;*\n").unwrap()), ["M", "F"]);
        assert_eq!(leaves(&read("value;l1;l2\nM;m;*\nF;*\n").unwrap()), ["M", "F"]);
    }

    #[test]
    fn a_first_line_that_shares_labels_with_others_is_no_header() {
        let found = message("a;A;all\nb;A;*\nc;A;*\n");
        assert!(found.contains("root") && found.contains("line 1 (unlike line 2)"), "{found}");
        assert!(message("a;all\nb;*\n").contains("line 2 (unlike line 1)"));
    }

    #[test]
    fn a_header_can_be_forced() {
        let (yes, no) = (Some(true), Some(false));
        let forced = |header| ReadOptions { header, ..Default::default() };
        assert_eq!(leaves(&with("sex;*\nM;*\n", forced(yes)).unwrap()), ["M"]);
        assert!(with("sex;any\nM;*\nF;*\n", forced(no)).unwrap_err().message().contains("root"));
        let nothing = with("sex;*\n", forced(yes)).unwrap_err();
        assert_eq!(nothing.message(), "h.csv: no leaf in the hierarchy");
    }

    #[test]
    fn an_empty_file_is_an_error() {
        for text in ["", "\u{feff}", "\n\r\n", ";;\n"] {
            assert_eq!(message(text), "h.csv: the file is empty");
        }
    }

    #[test]
    fn utf16_and_invalid_utf8_are_errors_with_lines() {
        assert_eq!(message(b"\xff\xfea\0;\0"), "h.csv: the file is UTF-16");
        let found = message(b"a;A;*\nb;caf\xe9;*\nc;A;*\n\xff;A;*\n");
        assert_eq!(found, "h.csv: not valid UTF-8: line 2; line 4");
    }

    #[test]
    fn ragged_quoting_is_an_error_with_lines() {
        let what = "h.csv: a quote is left open or stands inside a field";
        assert_eq!(message("a;*\nb\"c;*\n\"d\"e;*\nf;\"*\ng;*\n"), format!("{what}: line 2; line 3; line 4"));
    }

    #[test]
    fn a_forced_header_that_cannot_be_read_is_the_header() {
        let options = ReadOptions { header: Some(true), ..Default::default() };
        let error = with("se\"x;any\nM;A;*\nF;A;*\nM;B;*\n", options).unwrap_err();
        assert!(error.message().contains("line 1") && error.message().contains("line 4 (first on line 2)"));
    }

    #[test]
    fn problems_of_bytes_and_of_the_tree_come_together_without_labels() {
        let error = read(b"secret;A;*\nb\xff;A;*\nsecret;B;*\nc;*\nc\"c;*\n;A;*\n").unwrap_err();
        let text = error.to_string();
        assert!(text.starts_with("4 problems:") && !text.contains("secret"), "{text}");
        for place in ["line 2", "line 3 (first on line 1)", "line 5", "line 6, level 0"] {
            assert!(text.contains(place), "{text}");
        }
    }

    #[test]
    fn lines_are_counted_through_quoted_line_ends() {
        assert!(message("\"a\nb\";A;*\nc;C;*\n\"a\nb\";C;*\n").contains("line 4 (first on line 1)"));
    }
}
