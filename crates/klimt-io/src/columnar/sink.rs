//! The files that a release is written to: encoding runs in parallel, writing in order.

use super::ColumnarFormat;
use super::damage::Failure;
use crate::arrow::array::RecordBatch;
use crate::arrow::datatypes::SchemaRef;
use crate::arrow::ipc::CompressionType;
use crate::arrow::ipc::writer::{FileWriter, IpcWriteOptions, StreamWriter};
use klimt_core::{Error, Result};
#[cfg(feature = "parquet")]
use parquet::arrow::arrow_writer::{
    ArrowColumnChunk, ArrowColumnWriter, ArrowRowGroupWriterFactory, ArrowWriter, compute_leaves,
};
#[cfg(feature = "parquet")]
use parquet::basic::{Compression, ZstdLevel};
#[cfg(feature = "parquet")]
use parquet::file::properties::WriterProperties;
#[cfg(feature = "parquet")]
use parquet::file::writer::SerializedFileWriter;
use std::io::{self, Write};
use std::sync::{Arc, Mutex};

/// The level of compression in Parquet: higher ones cost much time for little.
#[cfg(feature = "parquet")]
const LEVEL: i32 = 3;

/// A file that grows unit by unit: by row groups, or by batches.
pub struct UnitOutput<W: Write + Send> {
    form: OutputForm<W>,
    sunk: Arc<Mutex<ByteSink<W>>>,
    /// How many units have been written.
    units: usize,
}

enum OutputForm<W: Write + Send> {
    #[cfg(feature = "parquet")]
    Parquet(Box<SerializedFileWriter<CountingWriter<W>>>),
    File(Box<FileWriter<CountingWriter<W>>>),
    Stream(Box<StreamWriter<CountingWriter<W>>>),
}

/// Encodes units; several do so side by side.
pub enum Encoder {
    /// As row groups of this schema.
    #[cfg(feature = "parquet")]
    RowGroups(Box<ArrowRowGroupWriterFactory>, SchemaRef),
    /// Not at all: a batch is encoded when it is written.
    Batches,
}

/// A unit that is being encoded.
pub enum OpenUnit {
    /// A row group: a writer per column.
    #[cfg(feature = "parquet")]
    RowGroup(Vec<ArrowColumnWriter>, SchemaRef),
    /// Batches.
    Batches(Vec<RecordBatch>),
}

/// A unit that waits for its turn to be written.
pub enum EncodedUnit {
    /// A row group: the bytes of each column.
    #[cfg(feature = "parquet")]
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

impl<W: Write + Send> UnitOutput<W> {
    /// Starts a file on a sink, and what encodes for it.
    pub fn new(format: ColumnarFormat, schema: &SchemaRef, sink: W) -> Result<(Self, Encoder)> {
        let sunk = Arc::new(Mutex::new(ByteSink { sink, bytes: 0 }));
        let sink = CountingWriter(Arc::clone(&sunk));
        let (form, encoder) = match format {
            #[cfg(feature = "parquet")]
            ColumnarFormat::Parquet => {
                let level = ZstdLevel::try_new(LEVEL).map_err(failed)?;
                let properties =
                    WriterProperties::builder().set_compression(Compression::ZSTD(level)).build();
                let writer = ArrowWriter::try_new(sink, schema.clone(), Some(properties)).map_err(failed)?;
                let (writer, factory) = writer.into_serialized_writer().map_err(failed)?;
                let encoder = Encoder::RowGroups(Box::new(factory), schema.clone());
                (OutputForm::Parquet(Box::new(writer)), encoder)
            }
            ColumnarFormat::ArrowFile => {
                let options = IpcWriteOptions::default();
                let options =
                    options.try_with_compression(Some(CompressionType::LZ4_FRAME)).map_err(failed)?;
                let writer = FileWriter::try_new_with_options(sink, schema, options).map_err(failed)?;
                (OutputForm::File(Box::new(writer)), Encoder::Batches)
            }
            ColumnarFormat::ArrowStream => (
                OutputForm::Stream(Box::new(StreamWriter::try_new(sink, schema).map_err(failed)?)),
                Encoder::Batches,
            ),
        };
        Ok((UnitOutput { form, sunk, units: 0 }, encoder))
    }

    /// How many units have been written.
    pub fn units(&self) -> usize {
        self.units
    }

    /// Writes the next unit.
    pub fn write(&mut self, unit: EncodedUnit) -> Result<()> {
        self.units += 1;
        match (&mut self.form, unit) {
            #[cfg(feature = "parquet")]
            (OutputForm::Parquet(writer), EncodedUnit::RowGroup(columns)) => {
                let mut group = writer.next_row_group().map_err(failed)?;
                for column in columns {
                    column.append_to_row_group(&mut group).map_err(failed)?;
                }
                group.close().map_err(failed)?;
                Ok(())
            }
            (OutputForm::File(writer), EncodedUnit::Batches(batches)) => {
                batches.iter().try_for_each(|batch| writer.write(batch)).map_err(failed)
            }
            (OutputForm::Stream(writer), EncodedUnit::Batches(batches)) => {
                batches.iter().try_for_each(|batch| writer.write(batch)).map_err(failed)
            }
            #[cfg(feature = "parquet")]
            _ => Err(Error::internal("a unit of the release was encoded for another format")),
        }
    }

    /// Writes what ends the file, and says how many bytes it has and where they went.
    pub fn finish(self) -> Result<(u64, W)> {
        match self.form {
            #[cfg(feature = "parquet")]
            OutputForm::Parquet(writer) => {
                writer.close().map_err(failed)?;
            }
            OutputForm::File(mut writer) => writer.finish().map_err(failed)?,
            OutputForm::Stream(mut writer) => writer.finish().map_err(failed)?,
        }
        let sunk = Arc::into_inner(self.sunk).and_then(|sunk| sunk.into_inner().ok());
        let ByteSink { sink, bytes } =
            sunk.ok_or_else(|| Error::internal("a file is still written to after its end"))?;
        Ok((bytes, sink))
    }
}

impl Encoder {
    /// Starts a unit. Only row groups are numbered.
    #[cfg_attr(not(feature = "parquet"), expect(unused_variables))]
    pub fn start(&self, number: usize) -> Result<OpenUnit> {
        Ok(match self {
            #[cfg(feature = "parquet")]
            Encoder::RowGroups(factory, schema) => OpenUnit::RowGroup(
                factory.create_column_writers(number).map_err(failed)?,
                SchemaRef::clone(schema),
            ),
            Encoder::Batches => OpenUnit::Batches(Vec::new()),
        })
    }
}

impl OpenUnit {
    /// Adds rows.
    pub fn add(&mut self, batch: RecordBatch) -> Result<()> {
        match self {
            OpenUnit::Batches(batches) => batches.push(batch),
            #[cfg(feature = "parquet")]
            OpenUnit::RowGroup(writers, schema) => {
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
    pub fn finish(self) -> Result<EncodedUnit> {
        Ok(match self {
            OpenUnit::Batches(batches) => EncodedUnit::Batches(batches),
            #[cfg(feature = "parquet")]
            OpenUnit::RowGroup(writers, _) => {
                let chunks = writers.into_iter().map(ArrowColumnWriter::close);
                EncodedUnit::RowGroup(chunks.collect::<Result<_, _>>().map_err(failed)?)
            }
        })
    }
}

/// Where a file goes, and how much of it has gone there. The writers of the formats do not give back what they write to
/// with the fault that it had, so it is shared with them.
struct ByteSink<W> {
    sink: W,
    bytes: u64,
}

/// Counts what is written.
struct CountingWriter<W>(Arc<Mutex<ByteSink<W>>>);

impl<W: Write> Write for CountingWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut sunk = self.0.lock().map_err(|_| io::Error::other("a writer was given up"))?;
        let written = sunk.sink.write(bytes)?;
        sunk.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.lock().map_err(|_| io::Error::other("a writer was given up"))?.sink.flush()
    }
}
