//! Encodings of text: which one a file has, and its text as UTF-8.

use klimt_core::Error;
use klimt_core::words::option_is;
use std::fmt;
use std::io::{self, Read};
use std::str::FromStr;

/// An encoding of text, by its name on the web: `utf-8`, `utf-16le`, `windows-1252` and others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextEncoding(&'static encoding_rs::Encoding);

impl TextEncoding {
    /// UTF-8.
    pub const UTF_8: TextEncoding = TextEncoding(encoding_rs::UTF_8);
    /// Windows-1252, which has every letter of Latin-1 in its place.
    pub const WINDOWS_1252: TextEncoding = TextEncoding(encoding_rs::WINDOWS_1252);
    /// UTF-16, the lower byte first.
    pub const UTF_16LE: TextEncoding = TextEncoding(encoding_rs::UTF_16LE);
    /// UTF-16, the higher byte first.
    pub const UTF_16BE: TextEncoding = TextEncoding(encoding_rs::UTF_16BE);

    /// The encoding that the first bytes of a file are a mark of, and the length of the mark.
    pub fn of_mark(first: &[u8]) -> Option<(TextEncoding, usize)> {
        encoding_rs::Encoding::for_bom(first).map(|(encoding, length)| (TextEncoding(encoding), length))
    }

    /// UTF-16 without a mark: of the first two characters, which name a column, one half is zero.
    pub fn of_zeros(first: &[u8]) -> Option<TextEncoding> {
        match *first {
            [a, 0, b, 0, ..] if a != 0 && b != 0 => Some(TextEncoding::UTF_16LE),
            [0, a, 0, b, ..] if a != 0 && b != 0 => Some(TextEncoding::UTF_16BE),
            _ => None,
        }
    }

    /// The length of its mark.
    pub fn mark_length(self) -> u64 {
        if self.is_utf_16() { 2 } else { 3 }
    }

    fn is_utf_16(self) -> bool {
        self == TextEncoding::UTF_16LE || self == TextEncoding::UTF_16BE
    }

    /// Whether a mark of the other encoding may begin a file of this one: the mark tells which UTF-16 it is.
    pub fn agrees_with_mark(self, mark: TextEncoding) -> bool {
        self == mark || (self.is_utf_16() && mark.is_utf_16())
    }
}

impl fmt::Display for TextEncoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0.name().to_ascii_lowercase())
    }
}

impl FromStr for TextEncoding {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let label = match text.to_ascii_lowercase().as_str() {
            "latin-1" => "latin1",
            _ => text,
        };
        let found = encoding_rs::Encoding::for_label_no_replacement(label.as_bytes());
        found.map(TextEncoding).ok_or_else(|| {
            "unknown encoding; common ones are utf-8, utf-16le, utf-16be, windows-1252 and latin-1"
                .to_string()
        })
    }
}

/// Bytes that do not make a text of an encoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WrongBytes {
    /// Bytes that the encoding does not have, on this line.
    Invalid(u64),
    /// Everything beyond ASCII is UTF-8, which this encoding only happens to take; first on this line.
    IsUtf8(u64),
    /// Some is UTF-8, first on this line, and some is not, first on that line.
    Mixed(u64, u64),
}

/// What a reader of text fails with.
#[derive(Debug)]
struct DecodingError {
    encoding: TextEncoding,
    wrong: WrongBytes,
}

impl fmt::Display for DecodingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.wrong {
            WrongBytes::Invalid(line) => write!(f, "line {line}: the text is not valid {}", self.encoding),
            WrongBytes::IsUtf8(line) => {
                write!(f, "line {line}: the text is utf-8, and not {}", self.encoding)
            }
            WrongBytes::Mixed(valid, invalid) => {
                write!(f, "line {invalid}: the text is not valid utf-8, while that of line {valid} is")
            }
        }
    }
}

impl std::error::Error for DecodingError {}

/// The error of reading a text from a path, which may be one of its encoding.
pub fn reading_error(path: &str, error: &io::Error) -> Error {
    let Some(wrong) = error.get_ref().and_then(|inner| inner.downcast_ref::<DecodingError>()) else {
        return Error::io(path, "read it", error);
    };
    let message = Error::input(format!("{path}: {wrong}"));
    match wrong.wrong {
        WrongBytes::Mixed(..) => message.with_help(format!(
            "save the file in one encoding, or say which one all of it is read by: {}",
            option_is("encoding", TextEncoding::WINDOWS_1252.to_string())
        )),
        _ => message.with_help(format!(
            "name the encoding of the file, such as {}, or save it as UTF-8",
            option_is("encoding", TextEncoding::UTF_8.to_string())
        )),
    }
}

/// Turns a text of any encoding into UTF-8 while it is read, and fails with the line of bytes that are none of it.
pub struct Decoder {
    input: Box<dyn Read + Send>,
    encoding: TextEncoding,
    decoder: encoding_rs::Decoder,
    /// What is known of bytes beyond ASCII, where one byte is one character.
    runs: Option<HighRuns>,
    bytes: Vec<u8>,
    ended: bool,
    text: Vec<u8>,
    /// How much of the text has been handed out.
    taken: usize,
    lines: u64,
}

/// The bytes that are decoded at once.
const PIECE: usize = 1 << 16;

impl Decoder {
    /// Decodes an input without its mark. Where the encoding was `said`, all of the text may be UTF-8 by mistake; where it
    /// was not, none of it may.
    pub fn new(input: Box<dyn Read + Send>, encoding: TextEncoding, said: bool) -> Self {
        let runs = encoding.0.is_single_byte().then(|| HighRuns { said, ..HighRuns::default() });
        let decoder = encoding.0.new_decoder_without_bom_handling();
        Decoder {
            input,
            encoding,
            decoder,
            runs,
            bytes: Vec::new(),
            ended: false,
            text: Vec::new(),
            taken: 0,
            lines: 0,
        }
    }

    fn wrong(&self, wrong: WrongBytes) -> io::Error {
        io::Error::new(io::ErrorKind::InvalidData, DecodingError { encoding: self.encoding, wrong })
    }

    /// Decodes the next piece.
    fn decode(&mut self) -> io::Result<()> {
        self.bytes.resize(PIECE, 0);
        let read = loop {
            match self.input.read(&mut self.bytes) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                read => break read?,
            }
        };
        self.bytes.truncate(read);
        self.ended = read == 0;
        if let Some(runs) = &mut self.runs
            && let Some(wrong) = runs.look(&self.bytes, self.ended, self.encoding)
        {
            return Err(self.wrong(wrong));
        }
        let most = self.decoder.max_utf8_buffer_length_without_replacement(read);
        self.text.resize(most.unwrap_or(4 * PIECE), 0);
        let (result, _, written) =
            self.decoder.decode_to_utf8_without_replacement(&self.bytes, &mut self.text, self.ended);
        self.text.truncate(written);
        self.taken = 0;
        let lines = memchr::memchr_iter(b'\n', &self.text).count() as u64;
        if let encoding_rs::DecoderResult::Malformed(..) = result {
            return Err(self.wrong(WrongBytes::Invalid(self.lines + lines + 1)));
        }
        self.lines += lines;
        Ok(())
    }
}

impl Read for Decoder {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.taken == self.text.len() && !self.ended {
            self.decode()?;
        }
        let many = buffer.len().min(self.text.len() - self.taken);
        buffer[..many].copy_from_slice(&self.text[self.taken..self.taken + many]);
        self.taken += many;
        Ok(many)
    }
}

/// Looks at the runs of bytes beyond ASCII in a text of one byte a character: whether they are characters, and whether they
/// would be UTF-8. Letters with accents hardly ever stand beside each other so that they are.
#[derive(Default)]
struct HighRuns {
    said: bool,
    run: Vec<u8>,
    lines: u64,
    utf_8: Option<u64>,
    other: Option<u64>,
}

/// A longer run is looked at in parts.
const LONGEST_RUN: usize = 1 << 16;
/// Bytes that Windows-1252 has no character for.
const UNDEFINED: [u8; 5] = [0x81, 0x8D, 0x8F, 0x90, 0x9D];

impl HighRuns {
    /// Looks at the next bytes, the last of which end the text.
    fn look(&mut self, bytes: &[u8], ended: bool, encoding: TextEncoding) -> Option<WrongBytes> {
        for &byte in bytes {
            let is_high = byte >= 0x80;
            if is_high {
                self.run.push(byte);
            }
            if (!is_high || self.run.len() == LONGEST_RUN)
                && let Some(wrong) = self.end_run(encoding)
            {
                return Some(wrong);
            }
            self.lines += u64::from(byte == b'\n');
        }
        if !ended {
            return None;
        }
        let wrong = self.end_run(encoding);
        wrong.or(match (self.said, self.utf_8, self.other) {
            (true, Some(line), None) => Some(WrongBytes::IsUtf8(line)),
            (false, Some(valid), Some(invalid)) => Some(WrongBytes::Mixed(valid, invalid)),
            _ => None,
        })
    }

    fn end_run(&mut self, encoding: TextEncoding) -> Option<WrongBytes> {
        if self.run.is_empty() {
            return None;
        }
        let line = self.lines + 1;
        let is_utf_8 = std::str::from_utf8(&self.run).is_ok();
        let undefined =
            encoding == TextEncoding::WINDOWS_1252 && self.run.iter().any(|byte| UNDEFINED.contains(byte));
        self.run.clear();
        let first = if is_utf_8 { &mut self.utf_8 } else { &mut self.other };
        first.get_or_insert(line);
        (undefined && !is_utf_8).then_some(WrongBytes::Invalid(line))
    }
}
