//! A byte stream in blocks of whole records.

use super::scan::last_record_end;
use crate::column::PADDING;
use std::io::{self, Read};

/// How much is read at once, unless that is set.
const BLOCK: usize = 4 << 20;
/// The longest record, however much memory there is.
pub(super) const LONGEST: usize = 256 << 20;

/// Reads blocks of whole records.
pub struct BlockReader {
    input: Box<dyn Read + Send>,
    delimiter: u8,
    block: usize,
    longest: usize,
    /// Bytes that were read and not yet handed out: they start with a record.
    carry: Vec<u8>,
    next: usize,
    bytes: u64,
    ended: bool,
}

/// A block: its number, and how many bytes of the buffer it fills.
pub struct FilledBlock {
    pub number: usize,
    pub len: usize,
    /// Whether it is the start of a record that is too long.
    pub too_long: bool,
}

impl BlockReader {
    /// A reader of an input of which nothing has been read.
    pub fn new(input: Box<dyn Read + Send>) -> Self {
        let (delimiter, carry) = (b',', Vec::new());
        BlockReader {
            input,
            delimiter,
            block: BLOCK,
            longest: LONGEST,
            carry,
            next: 0,
            bytes: 0,
            ended: false,
        }
    }

    /// The first bytes of the input, at most a number; they will be handed out again.
    pub fn peek(&mut self, most: usize) -> io::Result<&[u8]> {
        if self.carry.len() < most && !self.ended {
            let start = self.carry.len();
            self.carry.resize(most, 0);
            let read = read_full(&mut *self.input, &mut self.carry[start..])?;
            self.ended = start + read < most;
            self.carry.truncate(start + read);
        }
        Ok(&self.carry)
    }

    /// Whether all of the input has been peeked at.
    pub fn ended(&self) -> bool {
        self.ended
    }

    /// Skips peeked bytes: a byte order mark or a header.
    pub fn skip(&mut self, bytes: usize) {
        self.carry.drain(..bytes);
    }

    /// Sets the delimiter, once it is known.
    pub fn set_delimiter(&mut self, delimiter: u8) {
        self.delimiter = delimiter;
    }

    /// Sets how much is read at once, and how long a record may be.
    pub fn set_block(&mut self, bytes: usize, longest: usize) {
        (self.block, self.longest) = (bytes, longest.clamp(bytes, LONGEST));
    }

    /// The bytes handed out so far.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Fills the buffer with the next block and leaves [`PADDING`] bytes after it; `None` at the end.
    pub fn next_block(&mut self, buffer: &mut Vec<u8>) -> io::Result<Option<FilledBlock>> {
        let mut len = 0;
        buffer.resize(self.block + PADDING, 0);
        loop {
            let room = buffer.len() - PADDING;
            len += self.fill(&mut buffer[len..room])?;
            let all = self.ended && self.carry.is_empty();
            let end = if all { Some(len) } else { last_record_end(&buffer[..len], self.delimiter) };
            match end {
                Some(0) => return Ok(None),
                Some(end) => {
                    self.carry.splice(..0, buffer[end..len].iter().copied());
                    self.bytes += end as u64;
                    self.next += 1;
                    return Ok(Some(FilledBlock { number: self.next - 1, len: end, too_long: false }));
                }
                None if room >= self.longest => {
                    self.next += 1;
                    return Ok(Some(FilledBlock { number: self.next - 1, len, too_long: true }));
                }
                None => {
                    let more = (room * 2).min(self.longest);
                    buffer.reserve_exact(more - room);
                    buffer.resize(more + PADDING, 0);
                }
            }
        }
    }
}

impl BlockReader {
    /// Fills a buffer with what was carried over and what follows; returns how many bytes there were.
    fn fill(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let carried = self.carry.len().min(buffer.len());
        buffer[..carried].copy_from_slice(&self.carry[..carried]);
        self.carry.drain(..carried);
        if self.ended || carried == buffer.len() {
            return Ok(carried);
        }
        let read = read_full(&mut *self.input, &mut buffer[carried..])?;
        self.ended = carried + read < buffer.len();
        Ok(carried + read)
    }
}

fn read_full(input: &mut dyn Read, mut buffer: &mut [u8]) -> io::Result<usize> {
    let mut total = 0;
    while !buffer.is_empty() {
        match input.read(buffer) {
            Ok(0) => break,
            Ok(read) => {
                total += read;
                buffer = &mut buffer[read..];
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(total)
}
