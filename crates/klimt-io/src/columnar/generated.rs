//! Generated data as Parquet or Arrow.

use super::ColumnarFormat;
use super::sink::UnitOutput;
use crate::arrow::array::{ArrayRef, Decimal128Array, Int64Array, RecordBatch, StringArray};
use crate::arrow::datatypes::{DataType, Field, Schema};
use crate::generate::{ColumnKind, GeneratedBlock, GeneratedColumn, Generator};
use klimt_core::{Error, Result};
use std::io::Write;
use std::sync::Arc;

/// Blocks that make up a row group.
const UNIT_BLOCKS: u64 = 32;

/// The precision of generated decimals.
const PRECISION: u8 = 18;

/// Writes all rows of a generator; `progress` receives the number of rows written so far.
pub fn write_generated(
    generator: &dyn Generator,
    format: ColumnarFormat,
    sink: &mut (dyn Write + Send),
    progress: &dyn Fn(u64),
) -> Result<()> {
    let columns = generator.columns();
    let fields: Vec<Field> = columns.iter().map(field).collect();
    let schema = Arc::new(Schema::new(fields));
    let (mut output, encoder) = UnitOutput::new(format, &schema, sink)?;
    let (mut block, mut rows) = (GeneratedBlock::default(), 0);
    for (number, first) in (0..generator.blocks()).step_by(UNIT_BLOCKS as usize).enumerate() {
        let mut unit = encoder.start(number)?;
        for index in first..generator.blocks().min(first + UNIT_BLOCKS) {
            generator.block(index, &mut block);
            unit.add(batch(&block, &schema)?)?;
            rows += block.rows() as u64;
        }
        output.write(unit.finish()?)?;
        progress(rows);
    }
    output.finish()?;
    Ok(())
}

fn field(column: &GeneratedColumn) -> Field {
    let data_type = match column.kind {
        ColumnKind::Integer => DataType::Int64,
        ColumnKind::Decimal { scale } => DataType::Decimal128(PRECISION, scale as i8),
        ColumnKind::Label(_) | ColumnKind::Text => DataType::Utf8,
    };
    Field::new(&column.name, data_type, column.kind == ColumnKind::Text)
}

fn batch(block: &GeneratedBlock, schema: &Arc<Schema>) -> Result<RecordBatch> {
    let failed = |_| Error::internal("a generated block could not be encoded");
    let array = |column: &crate::generate::GeneratedValues| -> Result<ArrayRef> {
        Ok(match column.kind {
            ColumnKind::Integer => Arc::new(Int64Array::from(column.values.clone())),
            ColumnKind::Label(labels) => {
                let texts = column.values.iter().map(|&label| labels[label as usize]);
                Arc::new(texts.map(Some).collect::<StringArray>())
            }
            ColumnKind::Text => {
                let texts = column.values.iter().map(|&text| &column.texts[text as usize]);
                Arc::new(
                    texts.map(|text| Some(text).filter(|text| !text.is_empty())).collect::<StringArray>(),
                )
            }
            ColumnKind::Decimal { scale } => {
                let units = column.values.iter().map(|&units| Some(i128::from(units)));
                let array = units.collect::<Decimal128Array>();
                Arc::new(array.with_precision_and_scale(PRECISION, scale as i8).map_err(failed)?)
            }
        })
    };
    let arrays = block.columns.iter().map(array).collect::<Result<Vec<_>>>()?;
    RecordBatch::try_new(Arc::clone(schema), arrays).map_err(failed)
}
