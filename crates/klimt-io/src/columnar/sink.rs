//! The files that a release is written to: what can be encoded side by side, and what must go out in order.

use super::ColumnarFormat;
use super::damage::Failure;
use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use arrow::ipc::CompressionType;
use arrow::ipc::writer::{FileWriter, IpcWriteOptions, StreamWriter};
use klimt::{Error, Result};
use parquet::arrow::arrow_writer::{
    ArrowColumnChunk, ArrowColumnWriter, ArrowRowGroupWriterFactory, ArrowWriter, compute_leaves,
};
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The level of compression in Parquet: higher ones cost much time for little.
const LEVEL: i32 = 3;

/// A file that grows unit by unit: by row groups, or by batches.
pub struct Output<'s> {
    form: Form<'s>,
    bytes: Arc<AtomicU64>,
}

enum Form<'s> {
    Parquet(Box<SerializedFileWriter<Counted<'s>>>),
    File(Box<FileWriter<Counted<'s>>>),
    Stream(Box<StreamWriter<Counted<'s>>>),
}

/// Encodes units; several do so side by side.
pub enum Encoder {
    /// As row groups of this schema.
    RowGroups(Box<ArrowRowGroupWriterFactory>, SchemaRef),
    /// Not at all: a batch is encoded when it is written.
    Batches,
}

/// A unit that is being encoded.
pub enum Unit<'e> {
    /// A row group: a writer per column.
    RowGroup(Vec<ArrowColumnWriter>, &'e SchemaRef),
    /// Batches.
    Batches(Vec<RecordBatch>),
}

/// A unit that waits for its turn to be written.
pub enum Encoded {
    /// A row group: the bytes of each column.
    RowGroup(Vec<ArrowColumnChunk>),
    /// Batches.
    Batches(Vec<RecordBatch>),
}

fn failed(failure: impl Into<Failure>) -> Error {
    match failure.into() {
        Failure::Io(error) => Error::io("the output", "write it", &error),
        Failure::Unsupported | Failure::Damaged => Error::internal("the release could not be encoded"),
    }
}

impl<'s> Output<'s> {
    /// Starts a file on a sink, and what encodes for it.
    pub fn new(
        format: ColumnarFormat,
        schema: &SchemaRef,
        sink: &'s mut (dyn Write + Send),
    ) -> Result<(Self, Encoder)> {
        let bytes = Arc::new(AtomicU64::new(0));
        let sink = Counted { sink, bytes: Arc::clone(&bytes) };
        let (form, encoder) = match format {
            ColumnarFormat::Parquet => {
                let level = ZstdLevel::try_new(LEVEL).map_err(failed)?;
                let properties =
                    WriterProperties::builder().set_compression(Compression::ZSTD(level)).build();
                let writer = ArrowWriter::try_new(sink, schema.clone(), Some(properties)).map_err(failed)?;
                let (writer, factory) = writer.into_serialized_writer().map_err(failed)?;
                let encoder = Encoder::RowGroups(Box::new(factory), schema.clone());
                (Form::Parquet(Box::new(writer)), encoder)
            }
            ColumnarFormat::ArrowFile => {
                let options = IpcWriteOptions::default();
                let options =
                    options.try_with_compression(Some(CompressionType::LZ4_FRAME)).map_err(failed)?;
                let writer = FileWriter::try_new_with_options(sink, schema, options).map_err(failed)?;
                (Form::File(Box::new(writer)), Encoder::Batches)
            }
            ColumnarFormat::ArrowStream => (
                Form::Stream(Box::new(StreamWriter::try_new(sink, schema).map_err(failed)?)),
                Encoder::Batches,
            ),
        };
        Ok((Output { form, bytes }, encoder))
    }

    /// Writes the next unit.
    pub fn write(&mut self, unit: Encoded) -> Result<()> {
        match (&mut self.form, unit) {
            (Form::Parquet(writer), Encoded::RowGroup(columns)) => {
                let mut group = writer.next_row_group().map_err(failed)?;
                for column in columns {
                    column.append_to_row_group(&mut group).map_err(failed)?;
                }
                group.close().map_err(failed)?;
                Ok(())
            }
            (Form::File(writer), Encoded::Batches(batches)) => {
                batches.iter().try_for_each(|batch| writer.write(batch)).map_err(failed)
            }
            (Form::Stream(writer), Encoded::Batches(batches)) => {
                batches.iter().try_for_each(|batch| writer.write(batch)).map_err(failed)
            }
            _ => Err(Error::internal("a unit of the release was encoded for another format")),
        }
    }

    /// Writes what ends the file, and says how many bytes it has.
    pub fn finish(self) -> Result<u64> {
        match self.form {
            Form::Parquet(writer) => {
                writer.close().map_err(failed)?;
            }
            Form::File(mut writer) => writer.finish().map_err(failed)?,
            Form::Stream(mut writer) => writer.finish().map_err(failed)?,
        }
        Ok(self.bytes.load(Ordering::Relaxed))
    }
}

impl Encoder {
    /// Starts a unit.
    pub fn start(&self, number: usize) -> Result<Unit<'_>> {
        Ok(match self {
            Encoder::RowGroups(factory, schema) => {
                Unit::RowGroup(factory.create_column_writers(number).map_err(failed)?, schema)
            }
            Encoder::Batches => Unit::Batches(Vec::new()),
        })
    }
}

impl Unit<'_> {
    /// Adds rows.
    pub fn add(&mut self, batch: RecordBatch) -> Result<()> {
        match self {
            Unit::Batches(batches) => batches.push(batch),
            Unit::RowGroup(writers, schema) => {
                let columns = schema.fields().iter().zip(batch.columns());
                for (writer, (field, array)) in writers.iter_mut().zip(columns) {
                    for leaf in compute_leaves(field, array).map_err(failed)? {
                        writer.write(&leaf).map_err(failed)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Ends the unit.
    pub fn finish(self) -> Result<Encoded> {
        Ok(match self {
            Unit::Batches(batches) => Encoded::Batches(batches),
            Unit::RowGroup(writers, _) => {
                let chunks = writers.into_iter().map(ArrowColumnWriter::close);
                Encoded::RowGroup(chunks.collect::<Result<_, _>>().map_err(failed)?)
            }
        })
    }
}

/// Counts what is written.
struct Counted<'s> {
    sink: &'s mut (dyn Write + Send),
    bytes: Arc<AtomicU64>,
}

impl Write for Counted<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.sink.write(bytes)?;
        self.bytes.fetch_add(written as u64, Ordering::Relaxed);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.sink.flush()
    }
}
