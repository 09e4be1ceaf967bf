//! The messages that both Arrow IPC formats are made of: batches, and the dictionaries that these refer to.

use crate::arrow::array::{ArrayRef, RecordBatch};
use crate::arrow::buffer::Buffer;
use crate::arrow::datatypes::SchemaRef;
use crate::arrow::error::ArrowError;
use crate::arrow::ipc::convert::try_fb_to_schema;
use crate::arrow::ipc::reader::{RecordBatchDecoder, read_dictionary};
use crate::arrow::ipc::{self, CompressionType, MessageHeader, root_as_message};
use std::collections::HashMap;
use std::sync::Arc;

/// The bytes before the length of a message.
pub const CONTINUATION: [u8; 4] = [0xFF; 4];
/// The most bytes that a compressed buffer may say it holds.
const LARGEST_BUFFER: u64 = 32 << 30;

/// An error over bytes that make no sense.
pub fn damaged(what: &str) -> ArrowError {
    ArrowError::IpcError(what.to_string())
}

/// The schema of a message that must be one.
pub fn schema(metadata: &[u8]) -> Result<SchemaRef, ArrowError> {
    let message = root_as_message(metadata).map_err(|_| damaged("a message"))?;
    schema_of(message.header_as_schema().ok_or_else(|| damaged("no schema"))?)
}

/// A schema of values in the byte order of this machine.
pub fn schema_of(schema: ipc::Schema<'_>) -> Result<SchemaRef, ArrowError> {
    if !schema.endianness().equals_to_target_endianness() {
        return Err(ArrowError::NotYetImplemented("another byte order".to_string()));
    }
    Ok(Arc::new(try_fb_to_schema(schema)?))
}

/// Decodes the messages of a file or stream, in order.
pub struct Decoder {
    schema: SchemaRef,
    columns: Vec<usize>,
    dictionaries: HashMap<i64, ArrayRef>,
}

impl Decoder {
    /// A decoder of some columns.
    pub fn new(schema: &SchemaRef, columns: &[usize]) -> Self {
        Decoder { schema: Arc::clone(schema), columns: columns.to_vec(), dictionaries: HashMap::new() }
    }

    /// Decodes a message: the batch that it is, or `None` for a dictionary, which is remembered.
    pub fn decode(&mut self, metadata: &[u8], body: &Buffer) -> Result<Option<RecordBatch>, ArrowError> {
        let message = root_as_message(metadata).map_err(|_| damaged("a message"))?;
        let version = message.version();
        match message.header_type() {
            MessageHeader::RecordBatch => {
                let batch = message.header_as_record_batch().ok_or_else(|| damaged("no batch"))?;
                check_compressed(batch, body)?;
                let schema = Arc::clone(&self.schema);
                RecordBatchDecoder::try_new(body, batch, schema, &self.dictionaries, &version)?
                    .with_projection(Some(&self.columns))
                    .read_record_batch()
                    .map(Some)
            }
            MessageHeader::DictionaryBatch => {
                let dictionary =
                    message.header_as_dictionary_batch().ok_or_else(|| damaged("no dictionary"))?;
                let batch = dictionary.data().ok_or_else(|| damaged("an empty dictionary"))?;
                check_compressed(batch, body)?;
                read_dictionary(body, dictionary, &self.schema, &mut self.dictionaries, &version)?;
                Ok(None)
            }
            MessageHeader::NONE => Ok(None),
            _ => Err(damaged("another message than a batch")),
        }
    }
}

/// Refuses buffers that say they hold more than their compression can: the memory for it is taken before the truth
/// comes out, and may not be there.
fn check_compressed(batch: ipc::RecordBatch<'_>, body: &[u8]) -> Result<(), ArrowError> {
    let Some(compression) = batch.compression() else { return Ok(()) };
    // The most that a byte can stand for in either format.
    let ratio = if compression.codec() == CompressionType::LZ4_FRAME { 256 } else { 1 << 15 };
    for buffer in batch.buffers().into_iter().flatten() {
        let start = usize::try_from(buffer.offset()).map_err(|_| damaged("a buffer before the body"))?;
        let length =
            usize::try_from(buffer.length()).map_err(|_| damaged("a buffer of less than nothing"))?;
        let stored = start.checked_add(length).and_then(|end| body.get(start..end));
        let stored = stored.ok_or_else(|| damaged("a buffer behind the body"))?;
        if let Some(prefix) = stored.first_chunk::<8>() {
            // Less than nothing stands for a buffer that is not compressed.
            let claimed = u64::try_from(i64::from_le_bytes(*prefix)).unwrap_or(0);
            if claimed > LARGEST_BUFFER.min((length as u64).saturating_mul(ratio)) {
                return Err(damaged("a buffer of more than it can hold"));
            }
        }
    }
    Ok(())
}
