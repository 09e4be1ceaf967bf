//! The records of a small CSV file that is in memory as a whole, with quotes as in RFC 4180.

use std::borrow::Cow;

const QUOTE: u8 = b'"';

/// One record: its fields without their quotes, and where it starts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Record<'a> {
    /// The line on which it starts, counted from 1.
    pub(super) line: u64,
    /// Its fields, never fewer than one.
    pub(super) fields: Vec<Cow<'a, [u8]>>,
    /// The line of the first quote that is not as RFC 4180 has it.
    pub(super) misquoted: Option<u64>,
}

/// The records of `bytes` one after another. A line ends in LF, CRLF or CR.
#[derive(Clone, Debug)]
pub(super) struct Records<'a> {
    bytes: &'a [u8],
    at: usize,
    line: u64,
    delimiter: u8,
}

impl<'a> Records<'a> {
    pub(super) fn new(bytes: &'a [u8], delimiter: u8) -> Self {
        Records { bytes, at: 0, line: 1, delimiter }
    }

    /// Whether the reader stands where a field ends.
    fn at_field_end(&self) -> bool {
        self.bytes.get(self.at).is_none_or(|&byte| byte == self.delimiter || byte == b'\n' || byte == b'\r')
    }

    /// Everything from here to the end of the field.
    fn plain(&mut self) -> &'a [u8] {
        let start = self.at;
        while !self.at_field_end() {
            self.at += 1;
        }
        &self.bytes[start..self.at]
    }

    /// The next field; the line of a misplaced or unclosed quote goes to `misquoted`.
    fn field(&mut self, misquoted: &mut Option<u64>) -> Cow<'a, [u8]> {
        if self.bytes.get(self.at) == Some(&QUOTE) {
            return self.quoted(misquoted);
        }
        let text = self.plain();
        if text.contains(&QUOTE) {
            misquoted.get_or_insert(self.line);
        }
        Cow::Borrowed(text)
    }

    /// A field that starts with a quote.
    fn quoted(&mut self, misquoted: &mut Option<u64>) -> Cow<'a, [u8]> {
        let opened = self.line;
        let mut text = Cow::Borrowed(&[][..]);
        self.at += 1;
        loop {
            let rest = &self.bytes[self.at..];
            let Some(length) = rest.iter().position(|&byte| byte == QUOTE) else {
                misquoted.get_or_insert(opened);
                append(&mut text, rest);
                self.at = self.bytes.len();
                return text;
            };
            append(&mut text, &rest[..length]);
            self.line += line_ends(&rest[..length]);
            self.at += length + 1;
            if self.bytes.get(self.at) != Some(&QUOTE) {
                break;
            }
            append(&mut text, b"\"");
            self.at += 1;
        }
        if !self.at_field_end() {
            misquoted.get_or_insert(self.line);
            let tail = self.plain();
            append(&mut text, tail);
        }
        text
    }

    /// Steps over what ends a field; whether another field of the record follows.
    fn step_over_field_end(&mut self) -> bool {
        let Some(&byte) = self.bytes.get(self.at) else { return false };
        self.at += 1;
        if byte == self.delimiter {
            return true;
        }
        if byte == b'\r' && self.bytes.get(self.at) == Some(&b'\n') {
            self.at += 1;
        }
        self.line += 1;
        false
    }
}

impl<'a> Iterator for Records<'a> {
    type Item = Record<'a>;

    fn next(&mut self) -> Option<Record<'a>> {
        if self.at >= self.bytes.len() {
            return None;
        }
        let mut record = Record { line: self.line, fields: Vec::new(), misquoted: None };
        loop {
            let field = self.field(&mut record.misquoted);
            record.fields.push(field);
            if !self.step_over_field_end() {
                return Some(record);
            }
        }
    }
}

fn append<'a>(text: &mut Cow<'a, [u8]>, more: &'a [u8]) {
    if text.is_empty() {
        *text = Cow::Borrowed(more);
    } else if !more.is_empty() {
        text.to_mut().extend_from_slice(more);
    }
}

fn line_ends(text: &[u8]) -> u64 {
    let ends_line = |&i: &usize| text[i] == b'\n' || (text[i] == b'\r' && text.get(i + 1) != Some(&b'\n'));
    (0..text.len()).filter(ends_line).count() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Vec<(u64, Vec<String>, Option<u64>)> {
        let text_of = |field: &Cow<[u8]>| String::from_utf8(field.to_vec()).unwrap();
        let shown = |r: Record| (r.line, r.fields.iter().map(text_of).collect(), r.misquoted);
        Records::new(text.as_bytes(), b';').map(shown).collect()
    }

    fn row(line: u64, fields: &[&str]) -> (u64, Vec<String>, Option<u64>) {
        (line, fields.iter().map(|field| field.to_string()).collect(), None)
    }

    #[test]
    fn lines_end_in_lf_crlf_cr_or_the_file() {
        let rows = [row(1, &["a", "b"]), row(2, &["c"]), row(3, &["d"]), row(4, &["e", ""])];
        assert_eq!(parse("a;b\nc\r\nd\re;"), rows);
        assert_eq!(parse(""), []);
        assert_eq!(parse("\n\na"), [row(1, &[""]), row(2, &[""]), row(3, &["a"])]);
    }

    #[test]
    fn quotes_hold_delimiters_line_ends_and_doubled_quotes() {
        let text = "\"a;b\";\"c\r\nd\re\nf\";\"g\"\"h\"\"\"\nx";
        assert_eq!(parse(text), [row(1, &["a;b", "c\r\nd\re\nf", "g\"h\""]), row(5, &["x"])]);
        assert_eq!(parse("\"\";\"\"\"\""), [row(1, &["", "\""])]);
    }

    #[test]
    fn misplaced_quotes_are_noted_with_their_line() {
        let misquoted = |text: &str| parse(text).iter().filter_map(|row| row.2).collect::<Vec<_>>();
        assert_eq!(misquoted("a;*\nb\"c;*\n"), [2]);
        assert_eq!(misquoted("a;*\n\"b\"c;*\nd;*"), [2]);
        assert_eq!(misquoted("a;*\nb;\"c;*\nd;*"), [2]);
        assert_eq!(parse("\"b\"c;*\nd;*")[1], row(2, &["d", "*"]));
    }
}
