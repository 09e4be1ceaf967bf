//! Which Arrow type a published column has, and how its values are made.

use super::ColumnarFormat;
use super::layout::{ArraySource, FewValues, strings};
use super::typed::{measured, typed};
use super::types::KeptTypes;
use crate::arrow::array::ArrayRef;
use crate::arrow::datatypes::{DataType, TimeUnit};
use klimt_core::recode::{Release, Source};
use klimt_core::table::{Codes, Column, ColumnData, Domain, Table, TextPool, ValueType};
use klimt_core::{Error, Result};

/// A column with more different values than this is made row by row.
const FEW: usize = 1 << 16;
/// And so is one whose different values take more bytes.
const FEW_BYTES: usize = 64 << 20;
/// Texts that are tried at once.
const TRIED: usize = 1 << 14;

/// The type of a column and how it is made.
pub struct TypeChoice {
    /// The type.
    pub data_type: DataType,
    /// How it is made.
    pub making: ArraySource,
}

/// The knowledge of the rows when the types are chosen.
pub enum RowsKnown<'a> {
    /// All that will be published.
    All(&'a Release<'a>),
    /// Nothing but the columns of the table: its rows come in parts, and none is suppressed.
    None(&'a Table),
}

impl<'a> RowsKnown<'a> {
    /// The columns and their domains.
    pub fn frame(&self) -> &'a Table {
        match self {
            RowsKnown::All(release) => release.table,
            RowsKnown::None(frame) => frame,
        }
    }
}

/// The types that a kept column may have, the first that fits; the last one fits always, or the data is not what
/// the source said it was.
fn candidates(source: Option<&DataType>, format: ColumnarFormat) -> Vec<DataType> {
    let parquet = format.is_parquet();
    match source {
        None => vec![DataType::Int64, DataType::Boolean, DataType::Date32, DataType::Utf8],
        Some(DataType::Dictionary(_, values)) => candidates(Some(values), format),
        // Parquet counts days, and nothing coarser than milliseconds: other readers would see bare numbers.
        Some(DataType::Date64) if parquet => vec![DataType::Date32, DataType::Date64],
        Some(DataType::Timestamp(TimeUnit::Second, zone)) if parquet => {
            let finer = DataType::Timestamp(TimeUnit::Millisecond, zone.clone());
            vec![finer, DataType::Timestamp(TimeUnit::Second, zone.clone())]
        }
        Some(data_type) => vec![data_type.clone()],
    }
}

/// The type of a column that is published as it is: the one that it had in the source, where it had one.
///
/// A text without a type becomes a whole number, boolean or date where all texts of the column are spelt so. Where rows
/// come in parts, all texts are those of the domain of a column that has codes; of other columns nothing is known
/// beforehand, and the last resort, which fits always, is taken.
pub fn kept_type(
    rows: &RowsKnown<'_>,
    number: usize,
    types: &KeptTypes,
    format: ColumnarFormat,
) -> Result<TypeChoice> {
    let column = &rows.frame().columns()[number];
    let source = types.get(&column.name);
    let candidates = candidates(source, format);
    if let ColumnData::Coded { domain, codes } = &column.data
        && let Some((numbers, texts)) =
            published_values(rows, domain, codes, types.has_empty_texts(&column.name))
    {
        let (data_type, values) = first_fitting(column, &candidates, &texts)?;
        let data_type = match source {
            Some(DataType::Dictionary(key, _)) if fits_key(texts.len(), key) => {
                DataType::Dictionary(key.clone(), Box::new(data_type))
            }
            _ => data_type,
        };
        let lengths = texts.iter().map(<[u8]>::len).collect();
        return Ok(TypeChoice {
            data_type,
            making: ArraySource::Few(FewValues { column: number, numbers, values, lengths }),
        });
    }
    let data_type = match (rows, &column.data) {
        (RowsKnown::All(release), _) => {
            let rows = &release.partitioning.order;
            last_resort(&candidates, rows.len(), |at, out| column.write_text(rows[at] as usize, out))
        }
        (RowsKnown::None(_), ColumnData::Coded { domain, .. }) if domain.is_range() => {
            range_type(&candidates, domain)
        }
        (RowsKnown::None(_), ColumnData::Coded { domain, .. }) => {
            last_resort(&candidates, domain.cardinality(), |code, out| domain.write_text(code as u32, out))
        }
        (RowsKnown::None(_), ColumnData::Texts(_)) => {
            candidates.last().expect("there is a candidate").clone()
        }
    };
    let empty_is_value = types.has_empty_texts(&column.name);
    Ok(TypeChoice { data_type, making: ArraySource::Many { column: number, empty_is_value } })
}

/// The type of a column that has every value from one to another, which are all spelt alike: whole numbers or days are
/// what both ends fit, and others the last resort.
fn range_type(candidates: &[DataType], domain: &Domain) -> DataType {
    let last = domain.value_count().saturating_sub(1) as u32;
    match domain.value_type() {
        ValueType::Integer | ValueType::Date => {
            last_resort(candidates, 2, |end, out| domain.write_text(if end == 0 { 0 } else { last }, out))
        }
        _ => candidates.last().expect("there is a candidate").clone(),
    }
}

/// The values of the published rows, the number of each code among them, and their texts; `None` when they are many. The
/// missing value is an empty text where `empty_is_value`.
fn published_values(
    rows: &RowsKnown<'_>,
    domain: &Domain,
    codes: &Codes,
    empty_is_value: bool,
) -> Option<(Vec<Option<u32>>, TextPool)> {
    if domain.cardinality() > FEW {
        return None;
    }
    let is_published = match rows {
        RowsKnown::None(_) => vec![true; domain.cardinality()],
        RowsKnown::All(release) => {
            let mut is_published = vec![false; domain.cardinality()];
            for &row in &release.partitioning.order {
                is_published[codes.get(row as usize) as usize] = true;
            }
            is_published
        }
    };
    let mut texts = TextPool::default();
    let (mut text, mut bytes) = (Vec::new(), 0);
    let mut numbers = Vec::with_capacity(is_published.len());
    for (code, is_published) in (0..).zip(is_published) {
        text.clear();
        domain.write_text(code, &mut text);
        let number = is_published && (domain.missing_code() != Some(code) || empty_is_value);
        numbers.push(number.then(|| texts.push(&text) as u32));
        bytes += if number { text.len() } else { 0 };
    }
    (bytes <= FEW_BYTES).then_some((numbers, texts))
}

fn first_fitting(column: &Column, candidates: &[DataType], texts: &TextPool) -> Result<(DataType, ArrayRef)> {
    let all = strings(texts, texts.len(), |_| false);
    let fitting = |data_type: &DataType| Some((data_type.clone(), typed(&all, data_type)?));
    candidates.iter().find_map(fitting).ok_or_else(|| {
        Error::internal(format!(
            "column {}: its values are not of the type that the source says",
            column.name
        ))
    })
}

/// The first candidate that all texts fit, without a look at the last one.
fn last_resort(candidates: &[DataType], count: usize, text: impl Fn(usize, &mut Vec<u8>)) -> DataType {
    let (last, others) = candidates.split_last().expect("there is a candidate");
    let fits = |data_type: &&DataType| {
        (0..count).step_by(TRIED).all(|from| {
            let mut texts = TextPool::default();
            let mut one = Vec::new();
            for at in from..count.min(from + TRIED) {
                one.clear();
                text(at, &mut one);
                texts.push(&one);
            }
            typed(&strings(&texts, texts.len(), |number| texts.get(number).is_empty()), data_type).is_some()
        })
    };
    others.iter().find(fits).unwrap_or(last).clone()
}

fn fits_key(count: usize, key: &DataType) -> bool {
    let most = match key {
        DataType::Int8 => 1 << 7,
        DataType::UInt8 => 1 << 8,
        DataType::Int16 => 1 << 15,
        DataType::UInt16 => 1 << 16,
        _ => usize::MAX,
    };
    count <= most
}

/// The type of a column that is the same for all rows of a group.
pub fn group_type(
    frame: &Table,
    source: Source,
    types: &KeptTypes,
    format: ColumnarFormat,
) -> Result<TypeChoice> {
    let dimension = match source {
        Source::Minimum(dimension) | Source::Maximum(dimension) => dimension,
        Source::Mean(dimension) if fits_floats(frame.domain(dimension)) => {
            return Ok(TypeChoice { data_type: DataType::Float64, making: ArraySource::Number(source) });
        }
        _ => return Ok(TypeChoice { data_type: DataType::Utf8, making: ArraySource::Text(source) }),
    };
    let domain = frame.domain(dimension);
    let own = types.get(&frame.dimension(dimension).name).map(|own| match own {
        DataType::Dictionary(_, values) => values,
        other => other,
    });
    if let Some(own) = own.filter(|own| has_axis(own)) {
        let text = |code: usize, out: &mut Vec<u8>| domain.write_text(code as u32, out);
        let data_type = last_resort(&candidates(Some(own), format), domain.value_count(), text);
        return Ok(TypeChoice { data_type, making: ArraySource::Text(source) });
    }
    Ok(match axis_type(domain) {
        Some(data_type) => TypeChoice { data_type, making: ArraySource::Position(source, dimension) },
        None => TypeChoice { data_type: DataType::Utf8, making: ArraySource::Text(source) },
    })
}

/// Whether a floating-point number tells every value of a domain from its neighbours, so that means lose nothing that
/// matters.
fn fits_floats(domain: &Domain) -> bool {
    let last = (domain.value_count() as u32).saturating_sub(1);
    let exact = |code: u32| domain.position(code).unsigned_abs() <= 1 << f64::MANTISSA_DIGITS;
    domain.value_count() == 0 || (exact(0) && exact(last))
}

fn has_axis(data_type: &DataType) -> bool {
    data_type.is_numeric()
        || matches!(data_type, DataType::Date32 | DataType::Date64 | DataType::Timestamp(..))
}

/// The Arrow type of a domain that was read from texts; `None` where its values do not fit in any.
fn axis_type(domain: &Domain) -> Option<DataType> {
    let data_type = match domain.value_type() {
        ValueType::Integer => DataType::Int64,
        ValueType::Decimal => DataType::Decimal128(38, domain.scale() as i8),
        ValueType::Date => DataType::Date32,
        // Instants between microseconds are published as they are written.
        ValueType::Timestamp if domain.scale() > 6 => return None,
        ValueType::Timestamp => DataType::Timestamp(TimeUnit::Microsecond, common_zone(domain)?),
        ValueType::Boolean | ValueType::Text => return None,
    };
    let last = domain.value_count().checked_sub(1)? as u32;
    let ends = [Some(domain.position(0)), Some(domain.position(last))];
    measured(&ends, &data_type).map(|_| data_type)
}

/// UTC where all timestamps have an offset, nothing where none has; `None` where some have.
fn common_zone(domain: &Domain) -> Option<Option<std::sync::Arc<str>>> {
    let mut text = Vec::new();
    let mut has_offset = |code: u32| {
        text.clear();
        domain.write_text(code, &mut text);
        // The date before has signs of its own.
        text.get(10..).is_some_and(|time| time.iter().any(|byte| b"Zz+-".contains(byte)))
    };
    if domain.type_spec().pattern.is_some() {
        return Some(None);
    }
    if domain.is_range() {
        // All are spelt alike.
        return Some(has_offset(0).then(|| "UTC".into()));
    }
    let with = (0..domain.value_count() as u32).filter(|&code| has_offset(code)).count();
    match with {
        0 => Some(None),
        all if all == domain.value_count() => Some(Some("UTC".into())),
        _ => None,
    }
}
