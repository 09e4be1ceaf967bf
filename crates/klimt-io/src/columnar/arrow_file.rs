//! The Arrow IPC file format: a footer says where the batches lie.

use super::batches::BatchIterator;
use arrow::buffer::{Buffer, MutableBuffer};
use arrow::datatypes::SchemaRef;
use arrow::error::ArrowError;
use arrow::ipc::convert::try_fb_to_schema;
use arrow::ipc::reader::{FileDecoder, read_footer_length};
use arrow::ipc::{Block, MetadataVersion, root_as_footer};
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
    version: MetadataVersion,
    dictionaries: Vec<Block>,
    batches: Vec<Block>,
    /// The bytes of the batches that have been read.
    bytes: Arc<AtomicU64>,
}

fn damaged(what: &str) -> ArrowError {
    ArrowError::IpcError(what.to_string())
}

impl ArrowFile {
    /// Reads the footer of a file; the bytes of batches will be counted.
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
        let schema = footer.schema().ok_or_else(|| damaged("no schema"))?;
        if !schema.endianness().equals_to_target_endianness() {
            return Err(ArrowError::NotYetImplemented("another byte order".to_string()));
        }
        let batches = footer.recordBatches().ok_or_else(|| damaged("no batches"))?;
        let dictionaries =
            footer.dictionaries().map_or(Vec::new(), |blocks| blocks.iter().copied().collect());
        Ok(ArrowFile {
            file,
            length,
            schema: Arc::new(try_fb_to_schema(schema)?),
            version: footer.version(),
            dictionaries,
            batches: batches.iter().copied().collect(),
            bytes: Arc::clone(bytes),
        })
    }

    /// The names and types of the columns.
    pub fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// The batches of some columns, in order.
    pub fn batches(mut self, columns: &[usize]) -> Result<BatchIterator, ArrowError> {
        let decoder = FileDecoder::new(Arc::clone(&self.schema), self.version);
        let mut decoder = decoder.with_projection(columns.to_vec());
        for block in std::mem::take(&mut self.dictionaries) {
            let buffer = self.block(&block)?;
            decoder.read_dictionary(&block, &buffer)?;
        }
        let blocks = std::mem::take(&mut self.batches);
        Ok(Box::new(blocks.into_iter().map(move |block| {
            let buffer = self.block(&block)?;
            decoder.read_record_batch(&block, &buffer)?.ok_or_else(|| damaged("a batch of nothing"))
        })))
    }

    /// The bytes of a block, which lie within the file: a damaged footer may ask for more than the memory holds.
    fn block(&mut self, block: &Block) -> Result<Buffer, ArrowError> {
        let unsigned = |value: i64| u64::try_from(value).map_err(|_| damaged("a block before the file"));
        let (start, head) = (unsigned(block.offset())?, unsigned(i64::from(block.metaDataLength()))?);
        let length =
            unsigned(block.bodyLength())?.checked_add(head).ok_or_else(|| damaged("a block too long"))?;
        if start.checked_add(length).is_none_or(|end| end > self.length) {
            return Err(damaged("a block behind the file"));
        }
        self.bytes.fetch_add(length, Ordering::Relaxed);
        read_at(&mut self.file, start, length as usize)
    }
}

fn read_at(file: &mut File, start: u64, length: usize) -> Result<Buffer, ArrowError> {
    let mut buffer = MutableBuffer::from_len_zeroed(length);
    file.seek(SeekFrom::Start(start))?;
    file.read_exact(&mut buffer)?;
    Ok(buffer.into())
}
