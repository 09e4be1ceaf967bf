//! A Parquet file as the readers of its columns share it.

use ::parquet::errors::ParquetError;
use ::parquet::file::reader::{ChunkReader, Length};
use bytes::Bytes;
use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::sync::{Arc, Mutex, PoisonError};

/// A file that several readers read from several places.
#[derive(Clone)]
pub struct SharedFile {
    file: Arc<Mutex<File>>,
    length: u64,
}

impl SharedFile {
    /// Shares a file.
    pub fn new(mut file: File) -> io::Result<Self> {
        let length = file.seek(SeekFrom::End(0))?;
        Ok(SharedFile { file: Arc::new(Mutex::new(file)), length })
    }

    fn read_at(&self, position: u64, buffer: &mut [u8]) -> io::Result<usize> {
        // Every reading starts with a seek, so a file is as good after a panic as before.
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.seek(SeekFrom::Start(position))?;
        file.read(buffer)
    }
}

impl Length for SharedFile {
    fn len(&self) -> u64 {
        self.length
    }
}

impl ChunkReader for SharedFile {
    type T = BufReader<Place>;

    fn get_read(&self, start: u64) -> Result<Self::T, ParquetError> {
        Ok(BufReader::new(Place { file: self.clone(), position: start }))
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes, ParquetError> {
        // A damaged file may ask for more than there is, and so for more than the memory holds.
        if start.checked_add(length as u64).is_none_or(|end| end > self.length) {
            return Err(ParquetError::EOF("a place outside the file".to_string()));
        }
        let mut buffer = vec![0; length];
        Place { file: self.clone(), position: start }.read_exact(&mut buffer)?;
        Ok(buffer.into())
    }
}

/// A place in a shared file, from which it is read on.
pub struct Place {
    file: SharedFile,
    position: u64,
}

impl Read for Place {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read_at(self.position, buffer)?;
        self.position += read as u64;
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn a_shared_file_is_read_from_any_place() {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(b"0123456789").unwrap();
        let file = SharedFile::new(file).unwrap();
        let mut first = file.get_read(0).unwrap();
        assert_eq!(&file.get_bytes(7, 3).unwrap()[..], b"789");
        let mut all = String::new();
        first.read_to_string(&mut all).unwrap();
        assert_eq!(all, "0123456789");
        assert!(file.get_bytes(7, 4).is_err());
        assert!(file.get_bytes(u64::MAX, usize::MAX).is_err());
    }
}
