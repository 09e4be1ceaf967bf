//! Arrow batches in, Arrow batches out, without a file.

use klimt::arrow::array::{Int64Array, RecordBatch, StringArray};
use klimt::arrow::datatypes::{DataType, Field, Schema};
use klimt::prelude::*;
use std::sync::Arc;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let schema = Arc::new(Schema::new(vec![
        Field::new("age", DataType::Int64, false),
        Field::new("disease", DataType::Utf8, false),
    ]));
    let ages = Int64Array::from_iter_values((0..100).map(|row| 20 + row % 50));
    let diseases = StringArray::from_iter_values((0..100).map(|row| ["asthma", "gout", "migraine"][row % 3]));
    let batch = RecordBatch::try_new(Arc::clone(&schema), vec![Arc::new(ages), Arc::new(diseases)])?;
    let release = Anonymizer::new()
        .quasi_identifiers(["age"])
        .sensitive(["disease"])
        .require(KAnonymity::new(10)?)
        .require(EntropyDiversity::new("disease", 2.5)?)
        .anonymize(Input::batches(schema, [batch]))?;
    for batch in release.to_batches()? {
        println!(
            "{} rows of {:?}",
            batch.num_rows(),
            batch.schema().fields().iter().map(|f| f.name()).collect::<Vec<_>>()
        );
    }
    Ok(())
}
