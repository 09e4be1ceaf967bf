//! Takes the records of a chunk apart.

use super::{
    fault::{Fault, FaultKind},
    words::{find_any, line},
};
use memchr::{memchr, memchr_iter};

pub(super) const QUOTE: u8 = b'"';

/// A field of a record: where it begins, and where its value is, without the quotes around it.
#[derive(Clone, Copy, Debug)]
pub(super) struct RecordField {
    /// Where the field begins, its quote included.
    pub(super) begin: usize,
    start: usize,
    end: usize,
    /// Whether the value holds doubled quotes, each of which stands for one.
    doubled: bool,
    /// Where the next field or record begins.
    pub(super) next: usize,
    /// Whether the record ends with this field.
    pub(super) last: bool,
}

/// The records of a chunk.
pub(super) struct Records<'a> {
    bytes: &'a [u8],
    delimiter: u8,
    quote: NextByte,
    carriage_return: NextByte,
}

impl<'a> Records<'a> {
    /// The records of a chunk, which must be UTF-8.
    pub(super) fn new(bytes: &'a [u8], delimiter: u8) -> Result<Self, Fault> {
        // Most chunks are ASCII, which is seen twice as fast as that they are UTF-8.
        if !bytes.is_ascii()
            && let Err(error) = std::str::from_utf8(bytes)
        {
            return Err(fault(bytes, error.valid_up_to(), FaultKind::InvalidUtf8));
        }
        Ok(Records {
            bytes,
            delimiter,
            quote: NextByte::new(bytes, QUOTE),
            carriage_return: NextByte::new(bytes, b'\r'),
        })
    }

    /// A fault at a place.
    pub(super) fn fault(&self, at: usize, kind: FaultKind) -> Fault {
        fault(self.bytes, at, kind)
    }

    /// The field that begins at `at`.
    pub(super) fn field(&mut self, at: usize) -> Result<RecordField, Fault> {
        if self.bytes.get(at) == Some(&QUOTE) { self.quoted(at) } else { self.unquoted(at) }
    }

    fn unquoted(&mut self, begin: usize) -> Result<RecordField, Fault> {
        let rest = &self.bytes[begin..];
        let stop = begin + find_any([self.delimiter, b'\n', QUOTE], rest).unwrap_or(rest.len());
        let (mut end, last) = match self.bytes.get(stop) {
            Some(&QUOTE) => return Err(self.fault(stop, FaultKind::StrayQuote)),
            Some(b'\n') | None => (stop, true),
            Some(_) => (stop, false),
        };
        let carriage_return = self.carriage_return.from(self.bytes, begin);
        if carriage_return < stop {
            if carriage_return + 1 < stop || self.bytes.get(stop) != Some(&b'\n') {
                return Err(self.fault(carriage_return, FaultKind::StrayCarriageReturn));
            }
            end = carriage_return;
        }
        let next = (stop + 1).min(self.bytes.len());
        Ok(RecordField { begin, start: begin, end, doubled: false, next, last })
    }

    fn quoted(&self, begin: usize) -> Result<RecordField, Fault> {
        let start = begin + 1;
        let (mut at, mut doubled) = (start, false);
        let end = loop {
            let Some(found) = memchr(QUOTE, &self.bytes[at..]) else {
                return Err(self.fault(begin, FaultKind::UnclosedQuote));
            };
            let quote = at + found;
            if self.bytes.get(quote + 1) != Some(&QUOTE) {
                break quote;
            }
            doubled = true;
            at = quote + 2;
        };
        let (next, last) = match self.bytes.get(end + 1..).unwrap_or(&[]) {
            [] => (end + 1, true),
            [b'\n', ..] => (end + 2, true),
            [b'\r', b'\n', ..] => (end + 3, true),
            [b'\r', ..] => return Err(self.fault(end + 1, FaultKind::StrayCarriageReturn)),
            [byte, ..] if *byte == self.delimiter => (end + 2, false),
            _ => return Err(self.fault(end + 1, FaultKind::StrayQuote)),
        };
        Ok(RecordField { begin, start, end, doubled, next, last })
    }

    /// Appends the value of a field.
    #[inline]
    pub(super) fn push_value(&self, field: &RecordField, out: &mut Vec<u8>) {
        let mut text = &self.bytes[field.start..field.end];
        if field.doubled {
            // The first quote of a pair is part of the value, and the second is not.
            while let Some(quote) = memchr(QUOTE, text) {
                out.extend_from_slice(&text[..=quote]);
                text = &text[quote + 2..];
            }
        }
        out.extend_from_slice(text);
    }

    /// Where the next record begins, given that a record goes on at `at` with exactly `fields` more fields;
    /// `None` when quotes, a wrong number of fields or a fault make it necessary to take them apart one by one.
    #[inline(always)]
    pub(super) fn plain_end(&mut self, at: usize, fields: usize) -> Option<usize> {
        let rest = &self.bytes[at..];
        let (length, delimiters) = line(self.delimiter, rest);
        let end = at + length;
        let line_end = usize::from(end < self.bytes.len());
        if self.quote.from(self.bytes, at) < end {
            return None;
        }
        let carriage_return = self.carriage_return.from(self.bytes, at);
        if carriage_return < end && (carriage_return + 1 < end || line_end == 0) {
            return None;
        }
        (delimiters + 1 == fields).then_some(end + line_end)
    }

    /// Where the field after the next `fields` fields begins, if that can be seen without taking them apart.
    #[inline]
    pub(super) fn plain_skip(&mut self, mut at: usize, fields: usize) -> Option<usize> {
        let begin = at;
        for _ in 0..fields {
            let stop = at + find_any([self.delimiter, b'\n', QUOTE], &self.bytes[at..])?;
            if self.bytes[stop] != self.delimiter {
                return None;
            }
            at = stop + 1;
        }
        (self.carriage_return.from(self.bytes, begin) >= at).then_some(at)
    }

    /// Whether `expected` stands at `at`.
    #[inline]
    pub(super) fn is_at(&self, at: usize, expected: &[u8]) -> bool {
        self.bytes[at..].starts_with(expected)
    }

    /// How many fields the record that begins at `at` has.
    pub(super) fn count_fields(&mut self, mut at: usize) -> Result<usize, Fault> {
        let mut fields = 1;
        loop {
            let field = self.field(at)?;
            if field.last {
                return Ok(fields);
            }
            fields += 1;
            at = field.next;
        }
    }
}

fn fault(bytes: &[u8], at: usize, kind: FaultKind) -> Fault {
    Fault { kind, line: 1 + memchr_iter(b'\n', &bytes[..at]).count() as u64 }
}

/// Where the next byte of a kind is. A search answers every question up to the byte that it found, so that
/// asking for each field costs no more than one pass over the chunk.
struct NextByte {
    byte: u8,
    from: usize,
    found: usize,
}

impl NextByte {
    fn new(bytes: &[u8], byte: u8) -> Self {
        NextByte { byte, from: 0, found: memchr(byte, bytes).unwrap_or(bytes.len()) }
    }

    /// The first such byte at or after `from`; the length of the chunk when there is none.
    #[inline]
    fn from(&mut self, bytes: &[u8], from: usize) -> usize {
        if from < self.from || from > self.found {
            self.from = from;
            self.found = memchr(self.byte, &bytes[from..]).map_or(bytes.len(), |found| from + found);
        }
        self.found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn looking_ahead_answers_for_every_place_in_any_order() {
        let text = b"ab\"cd\"e";
        let found = [2, 2, 2, 5, 5, 5, 7, 7];
        for first in 0..found.len() {
            for second in 0..found.len() {
                let mut ahead = NextByte::new(text, QUOTE);
                assert_eq!(ahead.from(text, first), found[first]);
                assert_eq!(ahead.from(text, second), found[second], "{second} after {first}");
            }
        }
    }
}
