//! Opening a source: which format, which compression, which columns.

use crate::csv::{CsvSource, Dialect, DialectSpec, ReadOptions};
use flate2::read::MultiGzDecoder;
use klimt::table::{ColumnSpec, Table};
use klimt::{Error, Result};
use std::fs::File;
use std::io::{self, Read};

/// What is to be read of a column.
#[derive(Clone, Debug)]
pub struct ColumnPlan {
    /// What is known of the column; `None` when it is dropped.
    pub spec: Option<ColumnSpec>,
}

/// What a reading took.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReadReport {
    /// The bytes that were read, after decompression.
    pub bytes: u64,
}

/// An opened source.
pub enum Source {
    /// Separated text.
    Csv(CsvSource),
}

/// How a file is compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compression {
    /// Not at all.
    None,
    /// gzip.
    Gzip,
    /// Zstandard.
    Zstd,
}

impl Source {
    /// Opens a file, or standard input for `-`.
    pub fn open(path: &str, dialect: DialectSpec) -> Result<Source> {
        let failed = |error: &io::Error| Error::io(path, "read it", error);
        let mut input: Box<dyn Read + Send> = if path == "-" {
            Box::new(io::stdin())
        } else {
            let file = File::open(path).map_err(|e| failed(&e))?;
            if file.metadata().map_err(|e| failed(&e))?.is_dir() {
                return Err(Error::input(format!("{path}: cannot read it: it is a folder")));
            }
            Box::new(file)
        };
        let mut magic = [0; 8];
        let read = fill(&mut *input, &mut magic).map_err(|e| failed(&e))?;
        let magic = magic[..read].to_vec();
        let rest: Box<dyn Read + Send> = Box::new(io::Cursor::new(magic.clone()).chain(input));
        let text: Box<dyn Read + Send> = match compression(&magic) {
            Compression::None => rest,
            Compression::Gzip => Box::new(MultiGzDecoder::new(rest)),
            Compression::Zstd => Box::new(zstd::Decoder::new(rest).map_err(|e| failed(&e))?),
        };
        Ok(Source::Csv(CsvSource::open(path, text, dialect)?))
    }

    /// The names of the columns.
    pub fn columns(&self) -> &[String] {
        match self {
            Source::Csv(source) => source.columns(),
        }
    }

    /// How text is written: that of a CSV source, else the usual one.
    pub fn dialect(&self) -> Dialect {
        match self {
            Source::Csv(source) => source.dialect(),
        }
    }

    /// Reads the columns that the plan asks for.
    pub fn read(self, plan: &[ColumnPlan], options: &ReadOptions<'_>) -> Result<(Table, ReadReport)> {
        match self {
            Source::Csv(source) => source.read(plan, options),
        }
    }
}

fn compression(magic: &[u8]) -> Compression {
    match magic {
        [0x1F, 0x8B, ..] => Compression::Gzip,
        [0x28, 0xB5, 0x2F, 0xFD, ..] => Compression::Zstd,
        _ => Compression::None,
    }
}

fn fill(input: &mut dyn Read, buffer: &mut [u8]) -> io::Result<usize> {
    let mut total = 0;
    while total < buffer.len() {
        match input.read(&mut buffer[total..]) {
            Ok(0) => break,
            Ok(read) => total += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(total)
}
