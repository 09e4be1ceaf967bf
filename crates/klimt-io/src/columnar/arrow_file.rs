//! The Arrow IPC file format: a footer says where the messages lie.

use super::batches::BatchIterator;
use super::message::{CONTINUATION, Decoder, damaged, schema_of};
use crate::arrow::buffer::{Buffer, MutableBuffer};
use crate::arrow::datatypes::SchemaRef;
use crate::arrow::error::ArrowError;
use crate::arrow::ipc::reader::read_footer_length;
use crate::arrow::ipc::{Block, root_as_footer};
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The bytes that end a file: the length of the footer and a mark.
const TAIL: usize = 10;

/// A file whose footer has been read.
pub struct ArrowFile {
    file: File,
    length: u64,
    schema: SchemaRef,
    dictionaries: Vec<Block>,
    batches: Vec<Block>,
    /// The bytes of the messages that have been read.
    bytes: Arc<AtomicU64>,
}

impl ArrowFile {
    /// Reads the footer of a file; the bytes of messages will be counted.
    pub fn open(mut file: File, bytes: &Arc<AtomicU64>) -> Result<Self, ArrowError> {
        let length = file.seek(SeekFrom::End(0))?;
        let mut tail = [0; TAIL];
        file.seek(SeekFrom::End(-(TAIL as i64)))?;
        file.read_exact(&mut tail)?;
        let footer_length = read_footer_length(tail)?;
        let start =
            length.checked_sub((TAIL + footer_length) as u64).ok_or_else(|| damaged("a footer too long"))?;
        let footer = read_at(&mut file, start, footer_length)?;
        let footer = root_as_footer(&footer).map_err(|_| damaged("the footer"))?;
        let schema = schema_of(footer.schema().ok_or_else(|| damaged("no schema"))?)?;
        let batches = footer.recordBatches().ok_or_else(|| damaged("no batches"))?.iter().copied().collect();
        let dictionaries =
            footer.dictionaries().map_or(Vec::new(), |blocks| blocks.iter().copied().collect());
        Ok(ArrowFile { file, length, schema, dictionaries, batches, bytes: Arc::clone(bytes) })
    }

    /// The names and types of the columns.
    pub fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// The batches of some columns, in order.
    pub fn batches(mut self, columns: &[usize]) -> Result<BatchIterator, ArrowError> {
        let mut decoder = Decoder::new(&self.schema, columns);
        for block in std::mem::take(&mut self.dictionaries) {
            let (metadata, body) = self.message(&block)?;
            decoder.decode(&metadata, &body)?;
        }
        let blocks = std::mem::take(&mut self.batches);
        Ok(Box::new(blocks.into_iter().map(move |block| {
            let (metadata, body) = self.message(&block)?;
            decoder.decode(&metadata, &body)?.ok_or_else(|| damaged("no batch where one should be"))
        })))
    }

    /// A message, which lies within the file: a damaged footer may ask for more than the memory holds.
    fn message(&mut self, block: &Block) -> Result<(Buffer, Buffer), ArrowError> {
        let unsigned = |value: i64| u64::try_from(value).map_err(|_| damaged("a block before the file"));
        let (start, head) = (unsigned(block.offset())?, unsigned(i64::from(block.metaDataLength()))?);
        let length =
            unsigned(block.bodyLength())?.checked_add(head).ok_or_else(|| damaged("a block too long"))?;
        if start.checked_add(length).is_none_or(|end| end > self.length) {
            return Err(damaged("a block behind the file"));
        }
        self.bytes.fetch_add(length, Ordering::Relaxed);
        let block = read_at(&mut self.file, start, length as usize)?;
        let head = head as usize;
        // Old files have the length alone.
        let prefix = if block.starts_with(&CONTINUATION) { 8 } else { 4 };
        let metadata = head.checked_sub(prefix).ok_or_else(|| damaged("a message without a length"))?;
        Ok((block.slice_with_length(prefix, metadata), block.slice(head)))
    }
}

fn read_at(file: &mut File, start: u64, length: usize) -> Result<Buffer, ArrowError> {
    let mut buffer = MutableBuffer::from_len_zeroed(length);
    file.seek(SeekFrom::Start(start))?;
    file.read_exact(&mut buffer)?;
    Ok(buffer.into())
}
