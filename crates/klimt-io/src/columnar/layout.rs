//! The columns of a release as Arrow arrays: which types they have, and how some rows of them are made.

use super::ColumnarFormat;
use super::choose::{RowsKnown, TypeChoice, group_type, kept_type};
use super::typed::{measured, typed};
use super::types::KeptTypes;
use crate::arrow::array::{
    Array, ArrayRef, DictionaryArray, Float64Array, PrimitiveArray, RecordBatch, RecordBatchOptions,
    StringArray, StringBuilder, UInt32Array,
};
use crate::arrow::compute::take;
use crate::arrow::datatypes::{
    ArrowDictionaryKeyType, DataType, Field, Int8Type, Int16Type, Int32Type, Int64Type, Schema, SchemaRef,
    UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use hashbrown::HashMap;
use klimt_core::recode::{Release, ReleaseColumn, Source};
use klimt_core::table::{Codes, Domain, TextPool};
use klimt_core::{Error, Result};
use std::sync::Arc;

/// A batch ends before one of its columns holds more bytes of text than this: an array can count 2 GB.
pub const BATCH_BYTES: usize = if cfg!(test) { 1 << 20 } else { 1 << 30 };

/// A published row: its number in the table, and its group.
pub type Row = (u32, u32);

/// The columns of a release, for all of its parts.
pub struct ReleaseLayout {
    columns: Vec<PublishedColumn>,
    schema: SchemaRef,
}

struct PublishedColumn {
    name: String,
    data_type: DataType,
    making: ArraySource,
}

/// How the values of a column are made.
pub enum ArraySource {
    /// By group: the text as it is published, of the type of the column.
    Text(Source),
    /// By group: where the text lies on the axis of the domain of this dimension.
    Position(Source, usize),
    /// By group: the number that the text spells.
    Number(Source),
    /// By row, from the few values that are published.
    Few(FewValues),
    /// By row, from its text.
    Many {
        /// The number of the column.
        column: usize,
        /// Whether what counts as missing is an empty text.
        empty_is_value: bool,
    },
}

/// A kept column with few different values. Where rows may be suppressed, those that no published row has are not among
/// them, so that nothing of a suppressed row can be published with a dictionary.
pub struct FewValues {
    /// The number of the column.
    pub column: usize,
    /// The number of the value of each code; `None` for the missing value.
    pub numbers: Vec<Option<u32>>,
    /// The values.
    pub values: ArrayRef,
    /// The bytes that each value takes as text.
    pub lengths: Vec<usize>,
}

/// Texts that have been gathered for a batch.
enum BatchTexts {
    Nothing,
    /// By group; an empty one is missing.
    Texts(TextPool),
    /// By row, and whether each is missing.
    Rows(TextPool, Vec<bool>),
}

impl ReleaseLayout {
    /// Columns of a release, with the types that kept columns had in the source.
    pub fn new(
        columns: &[ReleaseColumn],
        rows: &RowsKnown<'_>,
        types: &KeptTypes,
        format: ColumnarFormat,
    ) -> Result<Self> {
        let published = columns.iter().map(|column| {
            let TypeChoice { data_type, making } = match column.source {
                Source::Kept(number) => kept_type(rows, number, types, format)?,
                source => group_type(rows.frame(), source, types, format)?,
            };
            Ok(PublishedColumn { name: column.name.clone(), data_type, making })
        });
        let columns = published.collect::<Result<Vec<_>>>()?;
        let field = |column: &PublishedColumn| Field::new(&column.name, column.data_type.clone(), true);
        let schema = Arc::new(Schema::new(columns.iter().map(field).collect::<Vec<_>>()));
        Ok(ReleaseLayout { columns, schema })
    }

    /// The names and types of the columns.
    pub fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// Makes batches of some rows of a part, one after the other: one, unless its texts are too long for it.
    pub fn batches(
        &self,
        release: &Release<'_>,
        mut rows: &[Row],
        mut each: impl FnMut(RecordBatch) -> Result<()>,
    ) -> Result<()> {
        while !rows.is_empty() {
            let batch = self.batch(release, rows)?;
            rows = &rows[batch.num_rows()..];
            each(batch)?;
        }
        Ok(())
    }

    /// A batch of the first rows, of as many as fit.
    fn batch(&self, release: &Release<'_>, rows: &[Row]) -> Result<RecordBatch> {
        let (groups, places) = distinct_groups(rows);
        let gathered: Vec<BatchTexts> = self
            .columns
            .iter()
            .map(|column| gather(release, column, rows, &groups))
            .collect::<Result<_>>()?;
        let fitting =
            self.columns.iter().zip(&gathered).map(|(column, gathered)| match (gathered, &column.making) {
                (BatchTexts::Rows(texts, _), _) => fitting(rows.len(), |row| texts.get(row).len()),
                (BatchTexts::Texts(texts), _) => {
                    fitting(rows.len(), |row| texts.get(places[row] as usize).len())
                }
                (BatchTexts::Nothing, ArraySource::Few(few)) => {
                    let codes = few.codes(release);
                    fitting(rows.len(), |row| codes.map_or(0, |codes| few.length(codes, rows[row].0)))
                }
                (BatchTexts::Nothing, _) => rows.len(),
            });
        let taken = fitting.min().unwrap_or(rows.len());
        let (rows, places) = (&rows[..taken], &places[..taken]);
        let places = UInt32Array::from(places.to_vec());
        let used = places.values().iter().max().map_or(0, |&last| last as usize + 1);
        let arrays = self.columns.iter().zip(gathered).map(|(column, gathered)| {
            let by_group = |array: Option<ArrayRef>| {
                let array = array.ok_or_else(|| column.changed())?;
                take(&array, &places, None).map_err(|_| column.changed())
            };
            match (&column.making, gathered) {
                (ArraySource::Few(few), _) => {
                    let array =
                        few.codes(release).and_then(|codes| few.array(codes, rows, &column.data_type));
                    array.ok_or_else(|| column.changed())
                }
                (_, BatchTexts::Rows(texts, missing)) => {
                    let all = strings(&texts, taken, |row| missing[row]);
                    typed(&all, &column.data_type).ok_or_else(|| column.changed())
                }
                (ArraySource::Position(_, dimension), BatchTexts::Texts(texts)) => {
                    let domain = release.table.domain(*dimension);
                    by_group(positions(&texts, used, domain, &column.data_type))
                }
                (ArraySource::Number(_), BatchTexts::Texts(texts)) => by_group(numbers(&texts, used)),
                (_, BatchTexts::Texts(texts)) => {
                    let all = strings(&texts, used, |place| texts.get(place).is_empty());
                    by_group(typed(&all, &column.data_type))
                }
                (_, BatchTexts::Nothing) => Err(column.changed()),
            }
        });
        let arrays = arrays.collect::<Result<Vec<_>>>()?;
        let options = RecordBatchOptions::new().with_row_count(Some(taken));
        RecordBatch::try_new_with_options(self.schema.clone(), arrays, &options)
            .map_err(|_| Error::internal("the columns of the release do not fit together"))
    }
}

/// The texts of a column that are not known before the rows are.
fn gather(
    release: &Release<'_>,
    column: &PublishedColumn,
    rows: &[Row],
    groups: &[u32],
) -> Result<BatchTexts> {
    let mut texts = TextPool::default();
    let (mut text, mut missing) = (Vec::new(), None);
    match column.making {
        ArraySource::Few(_) => return Ok(BatchTexts::Nothing),
        ArraySource::Many { column, empty_is_value } => {
            let kept = &release.table.columns()[column];
            let is_missing = |&(row, _): &Row| !empty_is_value && kept.is_missing(row as usize);
            missing = Some(rows.iter().map(is_missing).collect());
            for &(row, _) in rows {
                text.clear();
                kept.write_text(row as usize, &mut text);
                texts.push(&text);
            }
        }
        ArraySource::Text(source) | ArraySource::Position(source, _) | ArraySource::Number(source) => {
            for &group in groups {
                text.clear();
                release.write_group(group as usize, source, &mut text);
                texts.push(&text);
            }
        }
    }
    if texts.iter().any(|text| text.len() > BATCH_BYTES) {
        let message = format!("column {}: a published text takes more than 1 GB", column.name);
        return Err(Error::resource(message).with_help("write the release as CSV"));
    }
    Ok(match missing {
        Some(missing) => BatchTexts::Rows(texts, missing),
        None => BatchTexts::Texts(texts),
    })
}

impl PublishedColumn {
    fn changed(&self) -> Error {
        let PublishedColumn { name, data_type, .. } = self;
        Error::internal(format!("column {name}: a value would not be the same in the type {data_type}"))
    }
}

impl FewValues {
    /// The codes of the rows of a part.
    fn codes<'a>(&self, release: &Release<'a>) -> Option<&'a Codes> {
        release.table.columns()[self.column].coded().map(|(_, codes)| codes)
    }

    fn length(&self, codes: &Codes, row: u32) -> usize {
        self.numbers[codes.get(row as usize) as usize].map_or(0, |number| self.lengths[number as usize])
    }

    fn array(&self, codes: &Codes, rows: &[Row], data_type: &DataType) -> Option<ArrayRef> {
        let keys: UInt32Array =
            rows.iter().map(|&(row, _)| self.numbers[codes.get(row as usize) as usize]).collect();
        match data_type {
            DataType::Dictionary(key, _) => dictionary(&keys, key, &self.values),
            _ => take(&self.values, &keys, None).ok(),
        }
    }
}

/// The different groups of some rows, in the order of their first row, and the place of each row's group in it.
fn distinct_groups(rows: &[Row]) -> (Vec<u32>, Vec<u32>) {
    let (mut groups, mut places) = (Vec::new(), Vec::with_capacity(rows.len()));
    let mut known: HashMap<u32, u32> = HashMap::new();
    let mut last = None;
    for &(_, group) in rows {
        let place = match last {
            Some((same, place)) if same == group => place,
            _ => *known.entry(group).or_insert_with(|| {
                groups.push(group);
                groups.len() as u32 - 1
            }),
        };
        last = Some((group, place));
        places.push(place);
    }
    (groups, places)
}

/// How many rows have texts of at most [`BATCH_BYTES`] together; at least one.
fn fitting(rows: usize, length: impl Fn(usize) -> usize) -> usize {
    let mut bytes = 0;
    for row in 0..rows {
        bytes += length(row);
        if bytes > BATCH_BYTES && row > 0 {
            return row;
        }
    }
    rows
}

/// The first texts as an array, but for those that are missing.
pub fn strings(texts: &TextPool, count: usize, is_missing: impl Fn(usize) -> bool) -> StringArray {
    let mut builder = StringBuilder::new();
    for number in 0..count {
        builder.append_option((!is_missing(number)).then(|| texts.str(number)));
    }
    builder.finish()
}

fn positions(texts: &TextPool, count: usize, domain: &Domain, data_type: &DataType) -> Option<ArrayRef> {
    let position = |number| match texts.str(number) {
        "" => Some(None),
        text => Some(Some(domain.type_spec().position(text)?.rescaled(domain.scale())?)),
    };
    measured(&(0..count).map(position).collect::<Option<Vec<_>>>()?, data_type)
}

fn numbers(texts: &TextPool, count: usize) -> Option<ArrayRef> {
    let number = |number| match texts.str(number) {
        "" => Some(None),
        text => text.parse::<f64>().ok().map(Some),
    };
    Some(Arc::new(Float64Array::from((0..count).map(number).collect::<Option<Vec<_>>>()?)))
}

/// A dictionary array with keys of the given type; `None` when a key does not fit.
fn dictionary(keys: &UInt32Array, key_type: &DataType, values: &ArrayRef) -> Option<ArrayRef> {
    fn of<K: ArrowDictionaryKeyType<Native: TryFrom<u32>>>(
        keys: &UInt32Array,
        values: &ArrayRef,
    ) -> Option<ArrayRef> {
        let narrow = |key: Option<u32>| key.and_then(|key| K::Native::try_from(key).ok());
        let narrow: PrimitiveArray<K> = keys.iter().map(narrow).collect();
        if narrow.null_count() != keys.null_count() {
            return None;
        }
        Some(Arc::new(DictionaryArray::<K>::try_new(narrow, values.clone()).ok()?))
    }
    match key_type {
        DataType::Int8 => of::<Int8Type>(keys, values),
        DataType::Int16 => of::<Int16Type>(keys, values),
        DataType::Int32 => of::<Int32Type>(keys, values),
        DataType::Int64 => of::<Int64Type>(keys, values),
        DataType::UInt8 => of::<UInt8Type>(keys, values),
        DataType::UInt16 => of::<UInt16Type>(keys, values),
        DataType::UInt32 => of::<UInt32Type>(keys, values),
        DataType::UInt64 => of::<UInt64Type>(keys, values),
        _ => None,
    }
}
