//! Where the bytes of a text come from: they can be read again from the beginning, when what follows shows that they were
//! taken for something else.

#[cfg(feature = "workbook")]
use crate::archive::Member;
use crate::source::Compression;
use flate2::read::MultiGzDecoder;
use klimt_core::{Error, Result};
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::sync::{Arc, Mutex, PoisonError};
use tempfile::SpooledTempFile;

/// The bytes of a text, compressed or not.
pub struct Origin {
    bytes: Bytes,
    compression: Compression,
}

enum Bytes {
    File(File),
    Stream(Arc<Mutex<Replay>>),
    #[cfg(feature = "workbook")]
    Member(File, Member),
}

/// The bytes of a stream that are kept in memory; what comes after them is kept in a file without a name.
const IN_MEMORY: usize = 4 << 20;

impl Origin {
    /// The bytes of a file.
    pub fn file(file: File) -> Self {
        Origin { bytes: Bytes::File(file), compression: Compression::None }
    }

    /// The bytes of a stream, which are kept while they are read.
    pub fn stream(stream: Box<dyn Read + Send>) -> Self {
        let kept = SpooledTempFile::new(IN_MEMORY);
        let replay = Replay { stream, kept, length: 0, is_whole: true };
        Origin { bytes: Bytes::Stream(Arc::new(Mutex::new(replay))), compression: Compression::None }
    }

    /// The bytes of a file in an archive.
    #[cfg(feature = "workbook")]
    pub fn member(archive: File, member: Member) -> Self {
        Origin { bytes: Bytes::Member(archive, member), compression: Compression::None }
    }

    /// The same bytes, to be decompressed.
    pub fn compressed(self, compression: Compression) -> Self {
        Origin { compression, ..self }
    }

    /// Reads all bytes from the beginning; `None` where they are gone. There is one reader at a time.
    pub fn reader(&self, path: &str) -> Result<Option<Box<dyn Read + Send>>> {
        let failed = |error: &io::Error| Error::io(path, "read it", error);
        let plain: Box<dyn Read + Send> = match &self.bytes {
            Bytes::File(file) => {
                let mut file = file.try_clone().map_err(|e| failed(&e))?;
                file.rewind().map_err(|e| failed(&e))?;
                Box::new(file)
            }
            #[cfg(feature = "workbook")]
            Bytes::Member(file, member) => {
                let file = file.try_clone().map_err(|e| failed(&e))?;
                Box::new(member.reader(file).map_err(|e| failed(&e))?)
            }
            Bytes::Stream(replay) => {
                let kept = replay.lock().unwrap_or_else(PoisonError::into_inner);
                if !kept.is_whole {
                    return Ok(None);
                }
                Box::new(ReplayReader { replay: Arc::clone(replay), at: 0 })
            }
        };
        Ok(Some(match self.compression {
            Compression::None => plain,
            Compression::Gzip => Box::new(MultiGzDecoder::new(plain)),
            Compression::Zstd => Box::new(zstd::Decoder::new(plain).map_err(|e| failed(&e))?),
        }))
    }
}

/// A stream and what has been read of it.
struct Replay {
    stream: Box<dyn Read + Send>,
    kept: SpooledTempFile,
    length: u64,
    /// Whether everything that was read has been kept; not where there was no room for it.
    is_whole: bool,
}

impl Replay {
    fn read(&mut self, at: u64, buffer: &mut [u8]) -> io::Result<usize> {
        if at < self.length {
            self.kept.seek(SeekFrom::Start(at))?;
            return self.kept.read(buffer);
        }
        let read = self.stream.read(buffer)?;
        if self.is_whole {
            let kept = self.kept.seek(SeekFrom::Start(at)).and_then(|_| self.kept.write_all(&buffer[..read]));
            match kept {
                Ok(()) => self.length += read as u64,
                Err(_) => {
                    (self.is_whole, self.length) = (false, 0);
                    self.kept = SpooledTempFile::new(IN_MEMORY);
                }
            }
        }
        Ok(read)
    }
}

struct ReplayReader {
    replay: Arc<Mutex<Replay>>,
    at: u64,
}

impl Read for ReplayReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.replay.lock().unwrap_or_else(PoisonError::into_inner).read(self.at, buffer)?;
        self.at += read as u64;
        Ok(read)
    }
}
