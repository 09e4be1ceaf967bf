//! The bytes of a source: a file that can be read from anywhere, or a stream that can only be read once.

use crate::origin::Origin;
use klimt_core::{Error, Result};
use std::fs::File;
use std::io::{self, Read, Seek};

/// The bytes that tell a format.
const MAGIC: usize = 8;

/// The format of a file, by its first bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Separated text: whatever is nothing else.
    Text,
    /// Something in gzip.
    Gzip,
    /// Something in Zstandard.
    Zstd,
    /// A zip archive, as which workbooks are stored too.
    Zip,
    /// Parquet.
    Parquet,
    /// Parquet that needs a key to be read.
    EncryptedParquet,
    /// The Arrow IPC file format, also known as Feather version 2.
    ArrowFile,
    /// The Arrow IPC stream format.
    ArrowStream,
    /// Feather version 1, which is not Arrow.
    OldFeather,
}

/// A source of which the first bytes have been looked at.
pub struct Input {
    first: Vec<u8>,
    rest: InputRest,
}

enum InputRest {
    File(File),
    Stream(Box<dyn Read + Send>),
}

impl Input {
    /// Opens a file, or standard input for `-`.
    pub fn open(path: &str) -> Result<Input> {
        if path == "-" {
            return Input::stream(path, Box::new(io::stdin()));
        }
        let failed = |error: &io::Error| Error::io(path, "read it", error);
        let file = File::open(path).map_err(|e| failed(&e))?;
        let metadata = file.metadata().map_err(|e| failed(&e))?;
        if metadata.is_dir() {
            return Err(Error::input(format!("{path}: cannot read it: it is a folder")));
        }
        if metadata.is_file() { Input::file(path, file) } else { Input::stream(path, Box::new(file)) }
    }

    /// A file, from its beginning. The path is for messages.
    pub fn file(path: &str, mut file: File) -> Result<Input> {
        let mut first = Vec::new();
        let read = file.rewind().and_then(|()| file.by_ref().take(MAGIC as u64).read_to_end(&mut first));
        read.map_err(|e| Error::io(path, "read it", &e))?;
        Ok(Input { first, rest: InputRest::File(file) })
    }

    /// A stream, such as what a file holds when it is no longer compressed.
    pub fn stream(path: &str, mut stream: Box<dyn Read + Send>) -> Result<Input> {
        let mut first = Vec::new();
        let read = stream.by_ref().take(MAGIC as u64).read_to_end(&mut first);
        read.map_err(|e| Error::io(path, "read it", &e))?;
        Ok(Input { first, rest: InputRest::Stream(stream) })
    }

    /// The format. A column of a text may be named like the mark of a format, so more than text must follow
    /// the mark.
    pub fn format(&self) -> Format {
        let (mark, rest) = self.first.split_at(self.first.len().min(4));
        let is_text = rest.iter().all(|byte| !byte.is_ascii_control() || byte.is_ascii_whitespace());
        match mark {
            [0x1F, 0x8B, ..] => Format::Gzip,
            [0x28, 0xB5, 0x2F, 0xFD] => Format::Zstd,
            [b'P', b'K', 3, 4] | [b'P', b'K', 5, 6] => Format::Zip,
            [0xFF, 0xFF, 0xFF, 0xFF] => Format::ArrowStream,
            _ if is_text => Format::Text,
            b"PAR1" => Format::Parquet,
            b"PARE" => Format::EncryptedParquet,
            b"ARRO" if rest.starts_with(b"W1") => Format::ArrowFile,
            b"FEA1" => Format::OldFeather,
            _ => Format::Text,
        }
    }

    /// All bytes, to be read any number of times.
    pub fn into_origin(self) -> Origin {
        match self.rest {
            InputRest::File(file) => Origin::file(file),
            InputRest::Stream(stream) => Origin::stream(Box::new(io::Cursor::new(self.first).chain(stream))),
        }
    }

    /// All bytes, to be read once.
    pub fn into_read(self) -> Box<dyn Read + Send> {
        let first = io::Cursor::new(self.first);
        match self.rest {
            InputRest::File(file) => Box::new(first.chain(file)),
            InputRest::Stream(stream) => Box::new(first.chain(stream)),
        }
    }

    /// All bytes in a file: a stream is written to a private temporary file without a name, which is gone when it
    /// is no longer read.
    pub fn into_file(self, path: &str) -> Result<File> {
        if let InputRest::File(file) = self.rest {
            return Ok(file);
        }
        let failed = |error: &io::Error| Error::io("the folder for temporary files", "write there", error);
        let mut file = tempfile::tempfile().map_err(|e| failed(&e))?;
        let mut input = self.into_read();
        let mut buffer = vec![0; 1 << 18];
        loop {
            match input.read(&mut buffer) {
                Ok(0) => break,
                Ok(read) => io::Write::write_all(&mut file, &buffer[..read]).map_err(|e| failed(&e))?,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(Error::io(path, "read it", &error)),
            }
        }
        file.rewind().map_err(|e| failed(&e))?;
        Ok(file)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn a_stream_is_read_whole_or_becomes_a_file() {
        let text: Vec<u8> = (0..1_000_000u32).map(|n| n as u8).collect();
        let stream = || Input::stream("x", Box::new(io::Cursor::new(text.clone()))).unwrap();
        let mut read = Vec::new();
        stream().into_read().read_to_end(&mut read).unwrap();
        assert_eq!(read, text);
        let mut spooled = Vec::new();
        stream().into_file("x").unwrap().read_to_end(&mut spooled).unwrap();
        assert_eq!(spooled, text);
    }

    #[test]
    fn a_file_is_read_from_its_beginning_however_far_it_was_read() {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(b"ARROW1\0\0 and more").unwrap();
        let input = Input::file("x", file).unwrap();
        assert_eq!(input.format(), Format::ArrowFile);
        let mut read = String::new();
        input.into_read().read_to_string(&mut read).unwrap();
        assert_eq!(read, "ARROW1\0\0 and more");
    }

    #[test]
    fn a_short_input_is_text_and_so_are_columns_with_the_names_of_marks() {
        for text in
            [&b""[..], b"P", b"PAR", b"PAR1", b"PARENT,CHILD\n", b"PAR1,x\r\n", b"ARROW1\n", b"FEA1\t2\n"]
        {
            let input = Input::stream("x", Box::new(io::Cursor::new(text.to_vec()))).unwrap();
            assert_eq!(input.format(), Format::Text);
        }
    }
}
