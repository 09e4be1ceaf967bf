//! Finding fields: a window of bytes at a time, the delimiters, line ends and quotes in it.

use super::QUOTE;
use crate::column::PADDING;

/// A field of a record: its bytes lie in the buffer, or, where quotes were doubled, in the scratch space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field<'a> {
    /// The buffer; it goes on for [`PADDING`] bytes after the field.
    pub buffer: &'a [u8],
    /// Where the field starts.
    pub start: usize,
    /// Where it ends.
    pub end: usize,
}

impl<'a> Field<'a> {
    /// The bytes of the field.
    pub fn bytes(&self) -> &'a [u8] {
        &self.buffer[self.start..self.end]
    }
}

/// Takes what is found in a buffer.
pub trait Visitor {
    /// The next field of the record.
    fn field(&mut self, column: usize, field: Field<'_>);
    /// The record ends, with its number of fields; it began and ends on these lines of the buffer, counted from 0.
    fn record(&mut self, columns: usize, first_line: u64, last_line: u64) -> Result<(), Fault>;
}

/// A fault of a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// A record has another number of fields.
    Ragged {
        /// Its line within the buffer, counted from 0.
        line: u64,
        /// How many fields it has.
        found: usize,
    },
    /// The buffer is the start of a record that is too long.
    TooLong {
        /// How much of it there is.
        bytes: usize,
    },
    /// A quote is not closed.
    Unclosed {
        /// Its line within the buffer, counted from 0.
        line: u64,
    },
}

/// How many bytes are looked at at once.
const WINDOW: usize = 64;

/// A bit for every byte of a window that is a delimiter, a line end or a quote.
#[inline(always)]
fn marks(window: &[u8; WINDOW], delimiter: u8) -> u64 {
    let mut flags = [0u8; WINDOW];
    for (flag, &byte) in flags.iter_mut().zip(window) {
        *flag = u8::from(byte == delimiter) | u8::from(byte == b'\n') | u8::from(byte == QUOTE);
    }
    let mut bits = 0;
    for (at, eight) in flags.chunks_exact(8).enumerate() {
        let eight = u64::from_le_bytes(eight.try_into().expect("eight bytes"));
        // Eight bytes of 0 or 1 become eight bits in their order.
        bits |= (eight.wrapping_mul(0x0102_0408_1020_4080) >> 56) << (8 * at);
    }
    bits
}

/// Visits every field of `buffer[..len]`, which holds whole records; a last record without a line end counts. The
/// buffer is [`PADDING`] bytes longer. Blank lines are no records, unless records have a single field. Returns the
/// number of lines.
pub fn scan(
    buffer: &[u8],
    len: usize,
    delimiter: u8,
    skip_blank: bool,
    visitor: &mut impl Visitor,
) -> Result<u64, Fault> {
    let mut scanner =
        Scanner { buffer, len, delimiter, skip_blank, start: 0, column: 0, line: 0, first_line: 0 };
    scanner.run(visitor)
}

struct Scanner<'a> {
    buffer: &'a [u8],
    len: usize,
    delimiter: u8,
    skip_blank: bool,
    /// Where the current field starts.
    start: usize,
    column: usize,
    line: u64,
    first_line: u64,
}

impl Scanner<'_> {
    fn run(&mut self, visitor: &mut impl Visitor) -> Result<u64, Fault> {
        let mut at = 0;
        'windows: while at < self.len {
            let window = self.buffer[at..at + WINDOW].try_into().expect("the buffer is padded by a window");
            let mut found = marks(window, self.delimiter);
            while found != 0 {
                let place = at + found.trailing_zeros() as usize;
                found &= found - 1;
                if place >= self.len {
                    break 'windows;
                }
                let byte = self.buffer[place];
                if byte == self.delimiter {
                    self.end_field(visitor, place);
                } else if byte == b'\n' {
                    self.end_record(visitor, place)?;
                } else if place == self.start {
                    at = self.quoted(visitor, place)?;
                    continue 'windows;
                }
            }
            at += WINDOW;
        }
        if self.start < self.len || self.column > 0 {
            self.end_record(visitor, self.len)?;
        }
        Ok(self.line)
    }

    #[inline(always)]
    fn end_field(&mut self, visitor: &mut impl Visitor, end: usize) {
        visitor.field(self.column, Field { buffer: self.buffer, start: self.start, end });
        self.column += 1;
        self.start = end + 1;
    }

    #[inline(always)]
    fn end_record(&mut self, visitor: &mut impl Visitor, end: usize) -> Result<(), Fault> {
        let text_end = if end > self.start && self.buffer[end - 1] == b'\r' { end - 1 } else { end };
        if text_end == self.start && self.column == 0 && self.skip_blank {
            self.start = end + 1;
            self.line += 1;
            self.first_line = self.line;
            return Ok(());
        }
        self.end_field(visitor, text_end);
        self.close_record(visitor, end)
    }

    #[inline(always)]
    fn close_record(&mut self, visitor: &mut impl Visitor, end: usize) -> Result<(), Fault> {
        visitor.record(self.column, self.first_line, self.line)?;
        self.column = 0;
        self.start = end + 1;
        self.line += 1;
        self.first_line = self.line;
        Ok(())
    }

    /// A field that starts with a quote at `open`; returns where the scan goes on.
    fn quoted(&mut self, visitor: &mut impl Visitor, open: usize) -> Result<usize, Fault> {
        let mut scratch: Vec<u8> = Vec::new();
        let mut from = open + 1;
        let close = loop {
            let Some(quote) = memchr::memchr(QUOTE, &self.buffer[from..self.len]).map(|at| from + at) else {
                return Err(Fault::Unclosed { line: self.line });
            };
            if quote + 1 < self.len && self.buffer[quote + 1] == QUOTE {
                scratch.extend_from_slice(&self.buffer[from..=quote]);
                from = quote + 2;
            } else {
                break quote;
            }
        };
        let inside = &self.buffer[open + 1..close];
        self.line += memchr::memchr_iter(b'\n', inside).count() as u64;
        // Whatever follows the closing quote belongs to the field, up to the delimiter or the line end.
        let rest = memchr::memchr2(self.delimiter, b'\n', &self.buffer[close + 1..self.len]);
        let end = rest.map_or(self.len, |at| close + 1 + at);
        let mut tail = &self.buffer[close + 1..end];
        if end == self.len || self.buffer[end] == b'\n' {
            tail = tail.strip_suffix(b"\r").unwrap_or(tail);
        }
        if scratch.is_empty() && tail.is_empty() {
            visitor.field(self.column, Field { buffer: self.buffer, start: open + 1, end: close });
        } else {
            scratch.extend_from_slice(&self.buffer[from..close]);
            scratch.extend_from_slice(tail);
            let text = scratch.len();
            scratch.resize(text + PADDING, 0);
            visitor.field(self.column, Field { buffer: &scratch, start: 0, end: text });
        }
        self.column += 1;
        self.start = end + 1;
        if end == self.len || self.buffer[end] == b'\n' {
            self.close_record(visitor, end)?;
        }
        Ok(end + 1)
    }
}

/// The records of a small text, as owned fields: for headers, samples and side files.
pub fn records(text: &[u8], delimiter: u8) -> Result<Vec<Vec<Vec<u8>>>, Fault> {
    struct Collect(Vec<Vec<Vec<u8>>>, Vec<Vec<u8>>);
    impl Visitor for Collect {
        fn field(&mut self, _: usize, field: Field<'_>) {
            self.1.push(field.bytes().to_vec());
        }
        fn record(&mut self, _: usize, _: u64, _: u64) -> Result<(), Fault> {
            self.0.push(std::mem::take(&mut self.1));
            Ok(())
        }
    }
    let mut buffer = text.to_vec();
    buffer.resize(text.len() + PADDING, 0);
    let mut collect = Collect(Vec::new(), Vec::new());
    scan(&buffer, text.len(), delimiter, true, &mut collect)?;
    Ok(collect.0)
}

/// Where the last whole record of a buffer ends, when it starts with one: after a line end that is not in quotes.
pub fn last_record_end(buffer: &[u8], delimiter: u8) -> Option<usize> {
    if memchr::memchr(QUOTE, buffer).is_none() {
        return memchr::memrchr(b'\n', buffer).map(|at| at + 1);
    }
    let (mut at, mut last) = (0, None);
    while at < buffer.len() {
        if buffer[at] == QUOTE {
            at += 1;
            loop {
                let Some(quote) = memchr::memchr(QUOTE, &buffer[at..]).map(|found| at + found) else {
                    return last;
                };
                at = quote + 1;
                match buffer.get(at) {
                    Some(&QUOTE) => at += 1,
                    Some(_) => break,
                    // The next buffer may go on with a second quote.
                    None => return last,
                }
            }
        }
        match memchr::memchr2(delimiter, b'\n', &buffer[at..]) {
            None => return last,
            Some(found) => {
                at += found + 1;
                if buffer[at - 1] == b'\n' {
                    last = Some(at);
                }
            }
        }
    }
    last
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(text: &str) -> Vec<Vec<String>> {
        let fields = records(text.as_bytes(), b',').unwrap();
        fields.into_iter().map(|r| r.into_iter().map(|f| String::from_utf8(f).unwrap()).collect()).collect()
    }

    #[test]
    fn fields_are_found_at_every_offset() {
        for pad in 0..20 {
            let name = "x".repeat(pad);
            let text = format!("{name},b\r\n1,\"two, \"\"2\"\"\nlines\"\n,\n\"\",\"q\"tail");
            let expected =
                [vec![name.as_str(), "b"], vec!["1", "two, \"2\"\nlines"], vec!["", ""], vec!["", "qtail"]];
            assert_eq!(read(&text), expected, "{pad}");
        }
    }

    #[test]
    fn an_unclosed_quote_is_named_by_its_line() {
        assert_eq!(records(b"a,b\n1,2\n3,\"x\n\n", b','), Err(Fault::Unclosed { line: 2 }));
    }

    proptest! {
        #[test]
        fn written_records_are_read_back(rows in prop::collection::vec(prop::collection::vec("[a,\"\n\r ]{0,12}", 3), 1..20)) {
            let text: Vec<u8> = rows.iter().flat_map(|row| {
                let fields: Vec<String> = row.iter().map(|f| format!("\"{}\"", f.replace('"', "\"\""))).collect();
                format!("{}\n", fields.join(",")).into_bytes()
            }).collect();
            let read = records(&text, b',').unwrap();
            let expected: Vec<Vec<Vec<u8>>> =
                rows.iter().map(|r| r.iter().map(|f| f.clone().into_bytes()).collect()).collect();
            prop_assert_eq!(read, expected);
        }

        #[test]
        fn a_record_end_is_where_a_prefix_reads_alike(text in "[ab,\"\n]{0,60}") {
            if let Some(end) = last_record_end(text.as_bytes(), b',')
                && let (Ok(all), Ok(first), Ok(rest)) = (
                    records(text.as_bytes(), b','),
                    records(&text.as_bytes()[..end], b','),
                    records(&text.as_bytes()[end..], b','),
                )
            {
                let joined: Vec<_> = first.into_iter().chain(rest).collect();
                prop_assert_eq!(joined, all);
            }
        }
    }
}
