//! The Arrow IPC stream format: message after message, up to a mark.

use super::batches::BatchIterator;
use super::message::{CONTINUATION, Decoder, damaged, schema};
use crate::arrow::array::RecordBatch;
use crate::arrow::buffer::{Buffer, MutableBuffer};
use crate::arrow::datatypes::SchemaRef;
use crate::arrow::error::ArrowError;
use crate::arrow::ipc::root_as_message;
use std::io::{BufReader, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Memory is taken for this many bytes at a time: a damaged length may ask for more than there is.
const STEP: usize = 16 << 20;

/// A stream whose schema has been read.
pub struct ArrowStream {
    stream: BufReader<Box<dyn Read + Send>>,
    schema: SchemaRef,
    /// The bytes of the messages that have been read.
    bytes: Arc<AtomicU64>,
}

impl ArrowStream {
    /// Reads the schema of a stream; the bytes of messages will be counted.
    pub fn open(stream: Box<dyn Read + Send>, bytes: &Arc<AtomicU64>) -> Result<Self, ArrowError> {
        let mut stream = BufReader::with_capacity(1 << 18, stream);
        let (metadata, _) = message(&mut stream, bytes)?.ok_or_else(|| damaged("no schema"))?;
        Ok(ArrowStream { schema: schema(&metadata)?, stream, bytes: Arc::clone(bytes) })
    }

    /// The names and types of the columns.
    pub fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// The batches of some columns, in order.
    pub fn batches(mut self, columns: &[usize]) -> BatchIterator {
        let mut decoder = Decoder::new(&self.schema, columns);
        Box::new(std::iter::from_fn(move || self.next(&mut decoder).transpose()))
    }

    fn next(&mut self, decoder: &mut Decoder) -> Result<Option<RecordBatch>, ArrowError> {
        while let Some((metadata, body)) = message(&mut self.stream, &self.bytes)? {
            if let Some(batch) = decoder.decode(&metadata, &body)? {
                return Ok(Some(batch));
            }
        }
        Ok(None)
    }
}

/// The next message, or `None` at the mark that ends a stream. A stream that ends without it is an error: it is unknown
/// whether rows are missing.
fn message(stream: &mut impl Read, bytes: &AtomicU64) -> Result<Option<(Buffer, Buffer)>, ArrowError> {
    let mut prefix = [0; 8];
    stream.read_exact(&mut prefix[..4])?;
    if prefix[..4] != CONTINUATION {
        return Err(damaged("no message where one should be"));
    }
    stream.read_exact(&mut prefix[4..])?;
    let [_, _, _, _, length @ ..] = prefix;
    let metadata = match u32::from_le_bytes(length) {
        0 => return Ok(None),
        length => read_growing(stream, u64::from(length))?,
    };
    let message = root_as_message(&metadata).map_err(|_| damaged("a message"))?;
    let length = u64::try_from(message.bodyLength()).map_err(|_| damaged("a body of less than nothing"))?;
    let body = read_growing(stream, length)?;
    bytes.fetch_add((prefix.len() + metadata.len() + body.len()) as u64, Ordering::Relaxed);
    Ok(Some((metadata, body)))
}

fn read_growing(stream: &mut impl Read, length: u64) -> Result<Buffer, ArrowError> {
    let length = usize::try_from(length).map_err(|_| damaged("a message too long"))?;
    let mut buffer = MutableBuffer::new(length.min(STEP));
    while buffer.len() < length {
        let start = buffer.len();
        buffer.resize(length.min(start + start.max(STEP)), 0);
        stream.read_exact(&mut buffer.as_slice_mut()[start..])?;
    }
    Ok(buffer.into())
}
