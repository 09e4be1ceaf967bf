//! Reads a release from a file, chunk by chunk.

use super::{
    Layout, examine,
    record::{QUOTE, Records},
};
use crate::Tally;
use klimt::{Error, Result};
use klimt_io::csv::Dialect;
use memchr::{memchr_iter, memrchr};
use std::io::Read;

/// How many bytes are read and examined at once.
const CHUNK: usize = 1 << 20;

/// A record longer than this is taken for one whose quote was never closed.
const LONGEST_RECORD: usize = 1 << 28;

/// Counts the rows of a whole CSV file, which is called `name` in messages.
///
/// The columns are found by their names in the header; without a header they are called by their numbers, from 1.
/// A byte order mark is passed over. Memory: one chunk, and what the tally needs for the distinct groups.
pub fn read<S: AsRef<str>>(
    name: &str,
    source: impl Read,
    dialect: Dialect,
    quasi_identifiers: &[S],
    sensitive: &[S],
) -> Result<Tally> {
    read_chunks(Chunks::new(name, source, CHUNK, LONGEST_RECORD), dialect, quasi_identifiers, sensitive)
}

fn read_chunks<S: AsRef<str>>(
    mut chunks: Chunks<'_, impl Read>,
    dialect: Dialect,
    quasi_identifiers: &[S],
    sensitive: &[S],
) -> Result<Tally> {
    let name = chunks.name;
    let (chunk, _) = chunks.next()?.ok_or_else(|| Error::input(format!("{name}: the file is empty")))?;
    let chunk = chunk.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(chunk);
    let (columns, header_end) = header(name, chunk, dialect)?;
    let place = |column: &S| position(name, &columns, column.as_ref());
    let positions = |wanted: &[S]| wanted.iter().map(place).collect::<Result<Vec<_>>>();
    let layout = Layout::new(columns.len(), positions(quasi_identifiers)?, dialect)?;
    let layout = layout.with_sensitive(positions(sensitive)?)?;
    let mut tally = Tally::new(quasi_identifiers, sensitive);

    let (header, mut records) = chunk.split_at(header_end);
    let mut lines = line_count(header);
    loop {
        examine(&layout, records, &mut tally).map_err(|fault| fault.in_file(name, lines))?;
        match chunks.next()? {
            Some(next) => (records, lines) = next,
            None => return Ok(tally),
        }
    }
}

/// The names of the columns, and where the header ends in the first chunk of the file.
fn header(name: &str, chunk: &[u8], dialect: Dialect) -> Result<(Vec<String>, usize)> {
    let mut columns = Vec::new();
    let mut at = 0;
    let mut records = Records::new(chunk, dialect.delimiter).map_err(|fault| fault.in_file(name, 0))?;
    loop {
        let field = records.field(at).map_err(|fault| fault.in_file(name, 0))?;
        let mut text = Vec::new();
        records.push_value(&field, &mut text);
        columns.push(String::from_utf8(text).expect("the chunk is valid UTF-8"));
        at = field.next;
        if field.last {
            break;
        }
    }
    if dialect.header {
        return Ok((columns, at));
    }
    Ok(((1..=columns.len()).map(|number| number.to_string()).collect(), 0))
}

/// Where a column is.
fn position(name: &str, columns: &[String], wanted: &str) -> Result<usize> {
    let mut found = (0..).zip(columns).filter(|(_, column)| *column == wanted).map(|(position, _)| position);
    match (found.next(), found.next()) {
        (Some(position), None) => Ok(position),
        (Some(_), Some(_)) => Err(Error::input(format!("{name}: several columns are called \"{wanted}\""))
            .with_help("give the columns different names")),
        (None, _) => Err(Error::input(format!("{name}: there is no column \"{wanted}\""))
            .with_help(format!("the columns are {}", columns.join(", ")))),
    }
}

/// Cuts a source into chunks of whole records.
struct Chunks<'a, R> {
    name: &'a str,
    source: R,
    buffer: Vec<u8>,
    /// How long the buffer may become.
    longest: usize,
    /// How much of the buffer was given out as the last chunk.
    taken: usize,
    /// How much of the buffer holds text.
    filled: usize,
    ended: bool,
    /// How many lines come before the next chunk.
    lines: u64,
}

impl<'a, R: Read> Chunks<'a, R> {
    fn new(name: &'a str, source: R, size: usize, longest: usize) -> Self {
        Chunks { name, source, buffer: vec![0; size], longest, taken: 0, filled: 0, ended: false, lines: 0 }
    }

    /// The next chunk and the number of lines before it; `None` at the end.
    fn next(&mut self) -> Result<Option<(&[u8], u64)>> {
        self.buffer.copy_within(self.taken..self.filled, 0);
        self.filled -= self.taken;
        self.taken = loop {
            self.fill()?;
            if self.ended {
                break self.filled;
            }
            match last_record_end(&self.buffer[..self.filled]) {
                Some(end) => break end,
                None => self.grow()?,
            }
        };
        let chunk = &self.buffer[..self.taken];
        let lines = self.lines;
        self.lines += line_count(chunk);
        Ok((!chunk.is_empty()).then_some((chunk, lines)))
    }

    /// Reads until the buffer is full or the source ends.
    fn fill(&mut self) -> Result<()> {
        while !self.ended && self.filled < self.buffer.len() {
            match self.source.read(&mut self.buffer[self.filled..]) {
                Ok(0) => self.ended = true,
                Ok(count) => self.filled += count,
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(error) => return Err(Error::io(self.name, "read", &error)),
            }
        }
        Ok(())
    }

    /// Makes room for a record that is longer than the buffer.
    fn grow(&mut self) -> Result<()> {
        let Chunks { name, longest, .. } = self;
        if self.buffer.len() >= *longest {
            let line = self.lines + 1;
            return Err(Error::input(format!("{name}: line {line}: a record of more than {longest} bytes"))
                .with_help("look for a quoted field that is not closed"));
        }
        self.buffer.resize(self.buffer.len() * 2, 0);
        Ok(())
    }
}

/// Where the last record that ends in the text ends, given that the text begins with a record: after a line end
/// with an even number of quotes before it.
fn last_record_end(text: &[u8]) -> Option<usize> {
    let (mut end, mut from, mut inside) = (None, 0, false);
    for quote in memchr_iter(QUOTE, text).chain([text.len()]) {
        if !inside {
            end = memrchr(b'\n', &text[from..quote]).map(|found| from + found + 1).or(end);
        }
        inside = !inside;
        from = quote;
    }
    end
}

fn line_count(text: &[u8]) -> u64 {
    memchr_iter(b'\n', text).count() as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use klimt::ErrorKind;
    use proptest::{collection::vec, prelude::*, sample::select};

    const PIECES: [&str; 9] =
        ["1,f\n", "1,f\n", "1,\"f\"\r\n", "2,\"\n\"\n", "\"\"\"1\",\n", "\"", "\n", "3", "\r"];

    const DIALECT: Dialect = Dialect { delimiter: b',', header: true };

    fn tally(text: &[u8]) -> Result<Tally> {
        read("r.csv", text, DIALECT, &["age", "sex"], &[])
    }

    #[test]
    fn records_are_cut_whole() {
        let text = b"a,\"x\ny\"\nb,\"\"\"\n\"\nc,d\n";
        for size in 1..=text.len() + 1 {
            let mut chunks = Chunks::new("r.csv", &text[..], size, 64);
            let mut seen = Vec::new();
            while let Some((chunk, lines)) = chunks.next().unwrap() {
                assert_eq!(lines, line_count(&seen), "size {size}");
                let cut = last_record_end(chunk);
                assert_eq!(cut, Some(chunk.len()), "size {size}");
                seen.extend_from_slice(chunk);
            }
            assert_eq!(seen, text, "size {size}");
        }
    }

    #[test]
    fn a_record_without_an_end_is_not_read_to_the_end() {
        let text = format!("age,sex\n1,\"{}", "f\n".repeat(1000));
        let chunks = Chunks::new("r.csv", text.as_bytes(), 16, 128);
        let error = read_chunks(chunks, DIALECT, &["age", "sex"], &[]).unwrap_err();
        assert_eq!(error.message(), "r.csv: line 2: a record of more than 128 bytes");
    }

    proptest! {
        #[test]
        fn the_size_of_chunks_does_not_matter(pieces in vec(select(PIECES.to_vec()), 0..30), size in 8..40usize) {
            let text = format!("age,sex\n{}", pieces.concat());
            let groups = |size| {
                let chunks = Chunks::new("r.csv", text.as_bytes(), size, 1 << 20);
                let tally = read_chunks(chunks, DIALECT, &["age", "sex"], &[]);
                let mut groups: Vec<_> = tally?.groups().map(|g| (g.values().collect::<Vec<_>>().join("\0"), g.rows())).collect();
                groups.sort();
                Ok(groups)
            };
            prop_assert_eq!(groups(size), groups(1 << 10) as Result<_>);
        }
    }

    #[test]
    fn columns_are_found_by_name_behind_a_byte_order_mark() {
        let tally = tally(b"\xEF\xBB\xBFage,note,\"sex\"\r\n1,\"a\nb\",f\r\n1,c,\"f\"").unwrap();
        let groups: Vec<_> = tally.groups().map(|g| (g.values().collect::<Vec<_>>(), g.rows())).collect();
        assert_eq!(groups, [(vec!["1", "f"], 2)]);
    }

    #[test]
    fn without_a_header_columns_have_numbers() {
        let dialect = Dialect { delimiter: b';', header: false };
        let tally = read("r.csv", &b"1;f\n2;f\n"[..], dialect, &["2"], &["1"]).unwrap();
        assert_eq!(tally.groups().map(|g| g.rows()).collect::<Vec<_>>(), [2]);
        assert_eq!(tally.cells(&tally.sensitive()[0]).len(), 2);
    }

    #[test]
    fn faults_are_told_with_file_and_line_and_without_values() {
        let cases: [(&[u8], &str); 8] = [
            (b"", "r.csv: the file is empty"),
            (b"age,seks\n", "r.csv: there is no column \"sex\""),
            (b"age,sex,age\n", "r.csv: several columns are called \"age\""),
            (b"age,sex,n\n1,f,\"\n\"\n1,f\n", "r.csv: line 4: 2 fields where the release has 3 columns"),
            (b"age,sex\n1,f\n1,\"f\n", "r.csv: line 3: a quoted field is not closed"),
            (b"age,sex\n1,f\n1,f\"\n", "r.csv: line 3: a quote inside a field that is not quoted as a whole"),
            (b"age,sex\n1,f\r1,f\n", "r.csv: line 2: a carriage return outside quotes that ends no line"),
            (b"age,sex\n1,f\n1,\xFF\n", "r.csv: line 3: the text is not UTF-8"),
        ];
        for (text, message) in cases {
            let error = tally(text).unwrap_err();
            assert_eq!((error.kind(), error.message()), (ErrorKind::Input, message));
        }
    }

    #[test]
    fn lines_are_counted_over_chunks() {
        let mut text = b"age,sex\n".to_vec();
        for _ in 0..400_000 {
            text.extend_from_slice(b"1,\"f\"\n");
        }
        assert_eq!(tally(&text).unwrap().rows(), 400_000);
        text.extend_from_slice(b"1\n");
        let error = tally(&text).unwrap_err();
        assert_eq!(error.message(), "r.csv: line 400002: 1 field where the release has 2 columns");
    }
}
