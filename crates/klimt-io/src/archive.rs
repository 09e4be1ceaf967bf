//! Zip archives: a table in one, and how its bytes are read.

use flate2::CrcReader;
use flate2::read::DeflateDecoder;
use klimt_core::words::option_is;
use klimt_core::{Error, Result};
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Take};
use zip::{CompressionMethod, ZipArchive};

/// The contents of a zip archive.
pub enum ArchiveKind {
    /// A workbook of Excel.
    Xlsx,
    /// A workbook of OpenDocument.
    Ods,
    /// Files.
    Files,
}

/// An opened archive.
pub struct Archive {
    path: String,
    archive: ZipArchive<File>,
}

/// A file in an archive, by where its bytes are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Member {
    start: u64,
    stored: u64,
    length: u64,
    crc: u32,
    is_deflated: bool,
}

impl Archive {
    /// Opens an archive. The path is for messages.
    pub fn open(path: &str, file: File) -> Result<Self> {
        let archive = ZipArchive::new(file).map_err(|_| damaged(path))?;
        Ok(Archive { path: path.to_string(), archive })
    }

    /// What it holds.
    pub fn kind(&self) -> ArchiveKind {
        let names = self.names();
        let has = |name: &str| names.iter().any(|found| found == name);
        match () {
            () if has("[Content_Types].xml") && has("xl/workbook.xml") => ArchiveKind::Xlsx,
            () if has("content.xml") && has("META-INF/manifest.xml") => ArchiveKind::Ods,
            () => ArchiveKind::Files,
        }
    }

    fn names(&self) -> Vec<String> {
        let name = |at| Some(self.archive.name_for_index(at)?.ok()?.into_owned());
        (0..self.archive.len()).filter_map(name).collect()
    }

    /// The names of the files, without folders and what a Mac adds to them.
    fn files(&self) -> Vec<String> {
        let is_file = |name: &String| {
            let last = name.rsplit('/').next().unwrap_or_default();
            !name.ends_with('/') && !name.starts_with("__MACOSX/") && last != ".DS_Store"
        };
        self.names().into_iter().filter(is_file).collect()
    }

    /// The name of the file that is asked for, or of the only one.
    pub fn choose(&self, member: Option<&str>) -> Result<String> {
        let (path, names) = (&self.path, self.files());
        let (problem, more) = match member {
            None if names.len() == 1 => return Ok(names.into_iter().next().unwrap_or_default()),
            None if names.is_empty() => {
                return Err(Error::input(format!("{path}: the archive holds no file")));
            }
            None => (format!("{path}: the archive holds {} files", names.len()), &names),
            Some(member) if names.iter().any(|name| name == member) => return Ok(member.to_string()),
            Some(member) => (format!("{path}: the archive holds no file {member}"), &names),
        };
        const NAMED: usize = 10;
        let error = more.iter().take(NAMED).fold(Error::input(problem), |error, name| {
            error.with_help(format!("choose one: {}", option_is("member", name)))
        });
        Err(match names.len() {
            0..=NAMED => error,
            all => error.with_help(format!("{} more files are not listed", all - NAMED)),
        })
    }

    /// Where the bytes of a file are.
    pub fn member(&mut self, name: &str) -> Result<Member> {
        let path = &self.path;
        let file = self.archive.by_name(name);
        let encrypted = || {
            Error::input(format!("{path}: {name} is encrypted"))
                .with_help("take it out of the archive with its password")
        };
        let file = file.map_err(|error| match error {
            zip::result::ZipError::UnsupportedArchive(_) | zip::result::ZipError::InvalidPassword => {
                encrypted()
            }
            _ => damaged(path),
        })?;
        if file.encrypted() {
            return Err(encrypted());
        }
        let is_deflated = match file.compression() {
            CompressionMethod::Stored => false,
            CompressionMethod::Deflated => true,
            _ => {
                return Err(Error::input(format!(
                    "{path}: {name} is compressed in a way that cannot be read"
                ))
                .with_help("pack it with the method deflate, or take it out of the archive"));
            }
        };
        Ok(Member {
            start: file.data_start().ok_or_else(|| damaged(path))?,
            stored: file.compressed_size(),
            length: file.size(),
            crc: file.crc32(),
            is_deflated,
        })
    }

    /// The archive as a file.
    pub fn into_file(self) -> File {
        self.archive.into_inner()
    }
}

fn damaged(path: &str) -> Error {
    Error::input(format!("{path}: the zip archive is damaged")).with_help("pack or download it again")
}

impl Member {
    /// How many bytes it has, as the archive says.
    pub fn length(&self) -> u64 {
        self.length
    }

    /// Reads it from its beginning.
    pub fn reader(self, mut file: File) -> io::Result<MemberReader> {
        file.seek(SeekFrom::Start(self.start))?;
        let stored = file.take(self.stored);
        let bytes = match self.is_deflated {
            true => MemberBytes::Deflated(Box::new(DeflateDecoder::new(stored))),
            false => MemberBytes::Stored(stored),
        };
        Ok(MemberReader { bytes: CrcReader::new(bytes), member: self, read: 0 })
    }
}

enum MemberBytes {
    Stored(Take<File>),
    Deflated(Box<DeflateDecoder<Take<File>>>),
}

impl Read for MemberBytes {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            MemberBytes::Stored(bytes) => bytes.read(buffer),
            MemberBytes::Deflated(bytes) => bytes.read(buffer),
        }
    }
}

/// The bytes of a file in an archive; an error where they are not those that were packed, or more than the archive says.
pub struct MemberReader {
    bytes: CrcReader<MemberBytes>,
    member: Member,
    read: u64,
}

impl Read for MemberReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.bytes.read(buffer)?;
        self.read += read as u64;
        let ended = read == 0 && !buffer.is_empty();
        let whole = self.read == self.member.length && self.bytes.crc().sum() == self.member.crc;
        if self.read > self.member.length || (ended && !whole) {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "the zip archive is damaged"));
        }
        Ok(read)
    }
}
