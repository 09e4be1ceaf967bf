//! How a CSV file is written: its delimiter and whether it has a header, given or detected.

use super::scan::{last_record_end, records};

/// The quote character of RFC 4180; doubled inside a quoted field it stands for itself.
pub const QUOTE: u8 = b'"';

/// How a CSV file is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dialect {
    /// The byte between two fields.
    pub delimiter: u8,
    /// Whether the first record names the columns.
    pub header: bool,
}

impl Default for Dialect {
    fn default() -> Self {
        Dialect { delimiter: b',', header: true }
    }
}

/// The dialect as far as the user gives it; the rest is detected.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DialectSpec {
    /// The byte between two fields.
    pub delimiter: Option<u8>,
    /// Whether the first record names the columns.
    pub header: Option<bool>,
}

/// The delimiter that a first line such as `sep=;` names, which Excel writes and reads, and the length of that line.
pub(super) fn named_delimiter(sample: &[u8]) -> Option<(u8, usize)> {
    let line = &sample[..memchr::memchr(b'\n', sample)?];
    let text = line.strip_suffix(b"\r").unwrap_or(line);
    let inside = text.strip_prefix(b"\"").and_then(|rest| rest.strip_suffix(b"\""));
    match *inside.unwrap_or(text) {
        [b's' | b'S', b'e' | b'E', b'p' | b'P', b'=', delimiter]
            if delimiter.is_ascii() && !delimiter.is_ascii_alphanumeric() && delimiter != QUOTE =>
        {
            Some((delimiter, line.len() + 1))
        }
        _ => None,
    }
}

/// The delimiters that are tried, the likeliest first.
pub(super) const DELIMITERS: [u8; 4] = [b',', b';', b'\t', b'|'];

/// How many records are looked at.
const LOOK: usize = 50;
/// How many lines are looked at for them, as a record may have several.
const LINES: usize = 2 * LOOK;

impl DialectSpec {
    /// Detects what is not given from the beginning of a file, or from the whole of it.
    pub fn detect(self, sample: &[u8], is_whole: bool) -> Dialect {
        let first = |delimiter| first_records(sample, is_whole, delimiter);
        let delimiter = self.delimiter.unwrap_or_else(|| detect_delimiter(first));
        let header = self.header.unwrap_or_else(|| detect_header(&first(delimiter)));
        Dialect { delimiter, header }
    }
}

/// The first lines of a text.
pub(super) fn first_lines(text: &[u8], lines: usize) -> &[u8] {
    match memchr::memchr_iter(b'\n', text).nth(lines) {
        Some(end) => &text[..=end],
        None => text,
    }
}

/// The first records of a sample as a delimiter cuts it. A record that goes on behind the lines that are looked at is left
/// out, so that the end of the sample decides nothing.
fn first_records(sample: &[u8], is_whole: bool, delimiter: u8) -> Vec<Vec<Vec<u8>>> {
    let lines = first_lines(sample, LINES);
    let end = match is_whole && lines.len() == sample.len() {
        true => Some(sample.len()),
        false => last_record_end(lines, delimiter).or_else(|| last_record_end(sample, delimiter)),
    };
    let mut records = records(&sample[..end.unwrap_or(sample.len())], delimiter).unwrap_or_default();
    records.truncate(LOOK);
    records
}

/// The delimiter that cuts most records into as many fields as the first one, and into more than one.
fn detect_delimiter(first_records: impl Fn(u8) -> Vec<Vec<Vec<u8>>>) -> u8 {
    let score = |&delimiter: &u8| {
        let records = first_records(delimiter);
        let width = records.first().map_or(0, Vec::len);
        if width < 2 {
            return (0, 0);
        }
        let alike = records.iter().filter(|record| record.len() == width).count();
        (alike * 100 / records.len(), width)
    };
    // `max_by_key` takes the last of equals, and the likeliest should win.
    DELIMITERS.into_iter().rev().max_by_key(score).unwrap_or(b',')
}

/// A first record is a header unless it holds a number or an empty field, or nothing that is not also a value below.
fn detect_header(records: &[Vec<Vec<u8>>]) -> bool {
    let Some((first, rest)) = records.split_first() else { return true };
    let is_number =
        |field: &Vec<u8>| std::str::from_utf8(field).is_ok_and(|text| text.trim().parse::<f64>().is_ok());
    if first.len() > 1 && first.iter().any(|field| field.is_empty() || is_number(field)) {
        // A spreadsheet's column of row numbers often has no name.
        let unnamed = first.iter().skip(1).all(|field| !field.is_empty() && !is_number(field));
        return unnamed && first[0].is_empty();
    }
    if first.len() == 1 && is_number(&first[0]) {
        return false;
    }
    let repeated =
        |(column, field): (usize, &Vec<u8>)| rest.iter().any(|record| record.get(column) == Some(field));
    rest.is_empty() || !first.iter().enumerate().all(repeated)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn detect(sample: &str) -> (char, bool) {
        let dialect = DialectSpec::default().detect(sample.as_bytes(), true);
        (char::from(dialect.delimiter), dialect.header)
    }

    #[test]
    fn delimiter_and_header_are_detected() {
        assert_eq!(detect("a;b;c\n1;2,5;3\n4;5,0;6\n"), (';', true));
        assert_eq!(detect("a,b\n1,\"x;y;z\"\n"), (',', true));
        assert_eq!(detect("1\t2\n3\t4\n"), ('\t', false));
        assert_eq!(detect("name\nAnn\n"), (',', true));
        assert_eq!(detect("Male|White\nFemale|White\nMale|Black\n"), ('|', false));
        assert_eq!(detect(",age,sex\n1,30,f\n"), (',', true));
        assert_eq!(detect("sex,age\n"), (',', true));
    }

    #[test]
    fn a_first_line_names_the_delimiter() {
        for (text, found) in [
            ("sep=;\na;b\n", Some((b';', 6))),
            ("SEP=\t\r\na\tb\n", Some((b'\t', 7))),
            ("\"sep=|\"\na|b\n", Some((b'|', 8))),
            ("sep=a\n", None),
            ("sep=\"\n", None),
            ("sep=;;\n", None),
            ("sep=;", None),
            ("separator\n", None),
        ] {
            assert_eq!(named_delimiter(text.as_bytes()), found, "{text}");
        }
    }

    #[test]
    fn a_sample_that_ends_within_quotes_is_cut_at_a_record() {
        for lines in 90..110 {
            let pair = "x\t\"two\nlines, and; more\"\n";
            let text = format!("name\tnote\n{}", "y\tz\n".repeat(lines % 2) + &pair.repeat(lines));
            for (end, is_whole) in [(text.len(), true), (text.len() - 8, false)] {
                let dialect = DialectSpec::default().detect(&text.as_bytes()[..end], is_whole);
                assert_eq!((dialect.delimiter, dialect.header), (b'\t', true), "{lines} lines");
            }
        }
        let long = format!("a\tb\n1\t\"{}\"\n", "line\n".repeat(300));
        assert_eq!(DialectSpec::default().detect(long.as_bytes(), true).delimiter, b'\t');
    }
}
