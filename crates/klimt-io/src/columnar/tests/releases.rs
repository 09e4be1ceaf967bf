//! Releases for tests: a table, its groups, and their text.

use super::*;
use crate::columnar::{KeptTypes, write_release};
use crate::csv;
use klimt_core::partition::Partitioning;
use klimt_core::recode::{Release, RowOrder, StatisticKind};
use klimt_core::region::{Extents, Regions};

/// Groups of `size` rows each, every `stride`-th row of the table; the last `suppressed` rows are in no group.
pub fn groups(table: &Table, size: usize, suppressed: usize) -> Partitioning {
    let rows = table.rows() - suppressed;
    let stride = rows.div_ceil(size).max(1);
    let order: Vec<u32> =
        (0..stride).flat_map(|first| (first..rows).step_by(stride)).map(|row| row as u32).collect();
    let ends: Vec<u32> = (0..stride)
        .scan(0, |end, first| {
            *end += (first..rows).step_by(stride).count() as u32;
            Some(*end)
        })
        .collect();
    let mut groups =
        Partitioning { order, ends, regions: Regions::default(), tree: None, strict: false, bound: None };
    groups.regions = groups.compact(table);
    groups
}

/// A release of these groups.
pub fn release<'a>(table: &'a Table, groups: &'a Partitioning, order: RowOrder) -> Release<'a> {
    let statistics = [StatisticKind::Range, StatisticKind::Mean];
    Release::new(table, groups, Extents::Compact, order, &statistics)
}

/// A release as it is written.
pub fn written(release: &Release<'_>, format: ColumnarFormat, types: &KeptTypes, threads: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    let written = write_release(release, format, types, threads, &mut bytes, &Unobserved).unwrap();
    assert_eq!(written.bytes, bytes.len() as u64);
    bytes
}

/// The rows of a release as CSV.
pub fn csv_rows(release: &Release<'_>) -> Vec<Vec<String>> {
    struct Blind;
    impl csv::ChunkObserver for Blind {
        fn chunk(&mut self, _: &[u8], _: &[u32]) -> Result<()> {
            Ok(())
        }
    }
    let mut bytes = Vec::new();
    csv::write_release(release, csv::Dialect::default(), 2, &mut bytes, &Unobserved, || Blind).unwrap();
    rows_of(path(&file(&bytes)))
}

/// The batches of a file, read without our own reader.
pub fn batches(bytes: &[u8], format: ColumnarFormat) -> Vec<RecordBatch> {
    use crate::arrow::ipc::reader::{FileReader, StreamReader};
    use ::parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
    match format {
        ColumnarFormat::Parquet => {
            let bytes = bytes::Bytes::from(bytes.to_vec());
            let reader = ParquetRecordBatchReaderBuilder::try_new(bytes).unwrap().build().unwrap();
            reader.map(|batch| batch.unwrap()).collect()
        }
        ColumnarFormat::ArrowFile => FileReader::try_new(std::io::Cursor::new(bytes), None)
            .unwrap()
            .map(|batch| batch.unwrap())
            .collect(),
        ColumnarFormat::ArrowStream => {
            StreamReader::try_new(bytes, None).unwrap().map(|batch| batch.unwrap()).collect()
        }
    }
}
