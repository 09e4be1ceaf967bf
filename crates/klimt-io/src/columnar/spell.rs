//! From Arrow arrays to texts: every value has one spelling, whatever the file that it comes from.

use super::temporal::{Zone, write_date, write_timestamp};
use crate::arrow::array::{
    Array, ArrowPrimitiveType, AsArray, GenericStringArray, OffsetSizeTrait, PrimitiveArray,
};
use crate::arrow::datatypes::{
    DataType, Date32Type, Date64Type, Decimal32Type, Decimal64Type, Decimal128Type, Decimal256Type,
    DecimalType, Float16Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, TimeUnit,
    TimestampMicrosecondType, TimestampMillisecondType, TimestampNanosecondType, TimestampSecondType,
    UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use crate::column::PADDING;
use std::io::Write;

/// The milliseconds of a day.
const DAY_MILLIS: i64 = 86_400_000;

/// Whether values of a type have a spelling.
pub fn has_spelling(data_type: &DataType) -> bool {
    match data_type {
        DataType::Dictionary(_, values) => {
            !matches!(**values, DataType::Dictionary(..)) && has_spelling(values)
        }
        DataType::Null
        | DataType::Boolean
        | DataType::Date32
        | DataType::Date64
        | DataType::Timestamp(..)
        | DataType::Utf8
        | DataType::LargeUtf8
        | DataType::Utf8View => true,
        other => other.is_integer() || other.is_floating() || other.is_decimal(),
    }
}

/// How many units of a timestamp make a second.
pub fn per_second(unit: TimeUnit) -> i64 {
    match unit {
        TimeUnit::Second => 1,
        TimeUnit::Millisecond => 1_000,
        TimeUnit::Microsecond => 1_000_000,
        TimeUnit::Nanosecond => 1_000_000_000,
    }
}

/// The text of a value as `buffer[start..end]`, where the buffer goes on for [`PADDING`] bytes; `None` for a missing value.
pub type TextSpan<'a> = Option<(&'a [u8], usize, usize)>;

/// Hands the text of every row to `take`, in order. Returns whether the type has a spelling; if not, nothing is
/// handed over.
pub fn spell(array: &dyn Array, take: &mut impl FnMut(TextSpan<'_>)) -> bool {
    macro_rules! integers {
        ($type:ty) => {
            each::<$type>(array.as_primitive(), take, |value, out| {
                out.extend_from_slice(itoa::Buffer::new().format(value).as_bytes());
            })
        };
    }
    match array.data_type() {
        DataType::Null => (0..array.len()).for_each(|_| take(None)),
        DataType::Boolean => {
            let array = array.as_boolean();
            let text = |value| if value { "true" } else { "false" };
            scratch(array, take, |row, out| out.extend_from_slice(text(array.value(row)).as_bytes()));
        }
        DataType::Int8 => integers!(Int8Type),
        DataType::Int16 => integers!(Int16Type),
        DataType::Int32 => integers!(Int32Type),
        DataType::Int64 => integers!(Int64Type),
        DataType::UInt8 => integers!(UInt8Type),
        DataType::UInt16 => integers!(UInt16Type),
        DataType::UInt32 => integers!(UInt32Type),
        DataType::UInt64 => integers!(UInt64Type),
        DataType::Float16 => {
            each::<Float16Type>(array.as_primitive(), take, |v, out| write_f32(v.to_f32(), out))
        }
        DataType::Float32 => each::<Float32Type>(array.as_primitive(), take, write_f32),
        DataType::Float64 => each::<Float64Type>(array.as_primitive(), take, write_f64),
        DataType::Decimal32(..) => decimals::<Decimal32Type>(array, take),
        DataType::Decimal64(..) => decimals::<Decimal64Type>(array, take),
        DataType::Decimal128(..) => decimals::<Decimal128Type>(array, take),
        DataType::Decimal256(..) => decimals::<Decimal256Type>(array, take),
        DataType::Date32 => {
            each::<Date32Type>(array.as_primitive(), take, |days, out| write_date(i64::from(days), out));
        }
        DataType::Date64 => each::<Date64Type>(array.as_primitive(), take, |millis, out| {
            // A day, by the letter of the format, but some writers put instants there.
            match millis % DAY_MILLIS {
                0 => write_date(millis / DAY_MILLIS, out),
                _ => write_timestamp(millis, 1_000, Zone::Local, out),
            }
        }),
        DataType::Timestamp(unit, zone) => timestamps(array, *unit, Zone::of(zone.as_deref()), take),
        DataType::Utf8 => strings(array.as_string::<i32>(), take),
        DataType::LargeUtf8 => strings(array.as_string::<i64>(), take),
        DataType::Utf8View => {
            let array = array.as_string_view();
            scratch(array, take, |row, out| out.extend_from_slice(array.value(row).as_bytes()));
        }
        DataType::Dictionary(..) => return dictionary(array, take),
        _ => return false,
    }
    true
}

/// Writes every text to the same padded buffer and hands it over.
fn scratch(array: &dyn Array, take: &mut impl FnMut(TextSpan<'_>), write: impl Fn(usize, &mut Vec<u8>)) {
    let mut out = Vec::new();
    for row in 0..array.len() {
        if array.is_null(row) {
            take(None);
            continue;
        }
        out.clear();
        write(row, &mut out);
        let end = out.len();
        out.resize(end + PADDING, 0);
        take(Some((&out, 0, end)));
    }
}

fn each<T: ArrowPrimitiveType>(
    array: &PrimitiveArray<T>,
    take: &mut impl FnMut(TextSpan<'_>),
    write: impl Fn(T::Native, &mut Vec<u8>),
) {
    scratch(array, take, |row, out| write(array.value(row), out));
}

fn decimals<T: DecimalType>(array: &dyn Array, take: &mut impl FnMut(TextSpan<'_>)) {
    let array = array.as_primitive::<T>();
    let (precision, scale) = (array.precision(), array.scale());
    each::<T>(array, take, |value, out| {
        out.extend_from_slice(T::format_decimal(value, precision, scale).as_bytes());
    });
}

fn timestamps(array: &dyn Array, unit: TimeUnit, zone: Zone, take: &mut impl FnMut(TextSpan<'_>)) {
    let write = |value, out: &mut Vec<u8>| write_timestamp(value, per_second(unit), zone, out);
    match unit {
        TimeUnit::Second => each::<TimestampSecondType>(array.as_primitive(), take, write),
        TimeUnit::Millisecond => each::<TimestampMillisecondType>(array.as_primitive(), take, write),
        TimeUnit::Microsecond => each::<TimestampMicrosecondType>(array.as_primitive(), take, write),
        TimeUnit::Nanosecond => each::<TimestampNanosecondType>(array.as_primitive(), take, write),
    }
}

/// Texts lie side by side in an Arrow array: all but the last are handed over where they are.
fn strings<O: OffsetSizeTrait>(array: &GenericStringArray<O>, take: &mut impl FnMut(TextSpan<'_>)) {
    let (bytes, offsets) = (array.value_data(), array.value_offsets());
    let mut padded = Vec::new();
    for row in 0..array.len() {
        let (start, end) = (offsets[row].as_usize(), offsets[row + 1].as_usize());
        if array.is_null(row) {
            take(None);
        } else if end + PADDING <= bytes.len() {
            take(Some((bytes, start, end)));
        } else {
            padded.clear();
            padded.extend_from_slice(&bytes[start..end]);
            padded.resize(end - start + PADDING, 0);
            take(Some((&padded, 0, end - start)));
        }
    }
}

/// Every value of a dictionary is spelt once, however many rows have it.
fn dictionary(array: &dyn Array, take: &mut impl FnMut(TextSpan<'_>)) -> bool {
    let array = array.as_any_dictionary();
    let Some(texts) = ArrayTexts::of(array.values().as_ref()) else { return false };
    let keys = if array.values().is_empty() { vec![0; array.len()] } else { array.normalized_keys() };
    for (row, &key) in keys.iter().enumerate() {
        let missing = array.keys().is_null(row) || texts.missing[key];
        take((!missing).then(|| (texts.text.as_bytes(), texts.ends[key], texts.ends[key + 1])));
    }
    true
}

/// The texts of an array.
pub struct ArrayTexts {
    /// All texts, one after the other, and [`PADDING`] more bytes.
    text: String,
    /// 0, and where each text ends.
    ends: Vec<usize>,
    /// Whether each is missing.
    missing: Vec<bool>,
}

impl ArrayTexts {
    /// Spells an array; `None` where its type has no spelling.
    pub fn of(array: &dyn Array) -> Option<ArrayTexts> {
        let mut bytes = Vec::new();
        let (mut ends, mut missing) = (Vec::with_capacity(array.len() + 1), Vec::with_capacity(array.len()));
        ends.push(0);
        let spelt = spell(array, &mut |spelt: TextSpan<'_>| {
            if let Some((buffer, start, end)) = spelt {
                bytes.extend_from_slice(&buffer[start..end]);
            }
            missing.push(spelt.is_none());
            ends.push(bytes.len());
        });
        bytes.resize(bytes.len() + PADDING, 0);
        let text = String::from_utf8(bytes).expect("Arrow texts are valid UTF-8, and so are spellings");
        spelt.then_some(ArrayTexts { text, ends, missing })
    }

    /// The text of a row; empty for a missing value.
    pub fn get(&self, row: usize) -> &str {
        &self.text[self.ends[row]..self.ends[row + 1]]
    }
}

/// Beyond these ends a plain spelling would be mostly zeros.
const PLAIN: std::ops::Range<f64> = 1e-5..1e16;

fn write_f64(value: f64, out: &mut Vec<u8>) {
    let plain = value == 0.0 || !value.is_finite() || PLAIN.contains(&value.abs());
    let written = if plain { write!(out, "{value}") } else { write!(out, "{value:e}") };
    written.expect("a vector takes what is written");
}

fn write_f32(value: f32, out: &mut Vec<u8>) {
    let plain = value == 0.0 || !value.is_finite() || PLAIN.contains(&f64::from(value.abs()));
    let written = if plain { write!(out, "{value}") } else { write!(out, "{value:e}") };
    written.expect("a vector takes what is written");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arrow::array::*;
    use crate::arrow::datatypes::i256;
    use std::sync::Arc;

    fn texts(array: &dyn Array) -> Vec<String> {
        let mut texts = Vec::new();
        let mut row = 0;
        let spelt = spell(array, &mut |spelt: TextSpan<'_>| {
            assert_eq!(spelt.is_none(), array.logical_nulls().is_some_and(|nulls| nulls.is_null(row)));
            row += 1;
            let Some((buffer, start, end)) = spelt else { return texts.push(String::new()) };
            assert!(buffer.len() >= end + PADDING, "the buffer goes on");
            texts.push(String::from_utf8(buffer[start..end].to_vec()).unwrap());
        });
        assert!(spelt && has_spelling(array.data_type()));
        texts
    }

    #[test]
    fn numbers_have_their_shortest_spelling() {
        assert_eq!(texts(&Int8Array::from(vec![Some(-128), None, Some(7)])), ["-128", "", "7"]);
        assert_eq!(texts(&UInt64Array::from(vec![u64::MAX])), ["18446744073709551615"]);
        let floats = vec![0.1, 1.0, -0.0, 1e16, 123456789.125, 2.5e-7, f64::NAN, f64::NEG_INFINITY, 1e-5];
        let expected = ["0.1", "1", "-0", "1e16", "123456789.125", "2.5e-7", "NaN", "-inf", "0.00001"];
        assert_eq!(texts(&Float64Array::from(floats)), expected);
        assert_eq!(texts(&Float32Array::from(vec![0.1, 1e20])), ["0.1", "1e20"]);
    }

    #[test]
    fn decimals_keep_their_scale() {
        let array =
            Decimal128Array::from(vec![Some(1250), Some(-5), None]).with_precision_and_scale(10, 2).unwrap();
        assert_eq!(texts(&array), ["12.50", "-0.05", ""]);
        let array = Decimal256Array::from(vec![i256::from_i128(7)]).with_precision_and_scale(40, 0).unwrap();
        assert_eq!(texts(&array), ["7"]);
        let array = Decimal32Array::from(vec![125]).with_precision_and_scale(5, 1).unwrap();
        assert_eq!(texts(&array), ["12.5"]);
    }

    #[test]
    fn days_and_instants_are_iso_8601() {
        assert_eq!(texts(&Date32Array::from(vec![Some(19_782), None])), ["2024-02-29", ""]);
        let array = Date64Array::from(vec![19_782 * DAY_MILLIS, 1, -1]);
        assert_eq!(texts(&array), ["2024-02-29", "1970-01-01T00:00:00.001", "1969-12-31T23:59:59.999"]);
        let array = TimestampSecondArray::from(vec![1_706_695_200]);
        assert_eq!(texts(&array), ["2024-01-31T10:00:00"]);
        let array = TimestampNanosecondArray::from(vec![1, 1_500_000_000]).with_timezone("+01:00");
        assert_eq!(texts(&array), ["1970-01-01T01:00:00.000000001+01:00", "1970-01-01T01:00:01.5+01:00"]);
    }

    #[test]
    fn texts_stay_as_they_are_in_every_layout() {
        let values =
            vec![Some("Vienna"), None, Some(""), Some("a text of more than twelve bytes"), Some("x")];
        let expected = ["Vienna", "", "", "a text of more than twelve bytes", "x"];
        assert_eq!(texts(&StringArray::from(values.clone())), expected);
        assert_eq!(texts(&LargeStringArray::from(values.clone())), expected);
        assert_eq!(texts(&StringViewArray::from(values.clone())), expected);
        let dictionary: DictionaryArray<Int8Type> = values.into_iter().collect();
        assert_eq!(texts(&dictionary), expected);
        assert_eq!(texts(&dictionary.slice(3, 2)), expected[3..]);
        assert_eq!(texts(&StringArray::from(vec!["abc", "defg"]).slice(1, 1)), ["defg"]);
    }

    #[test]
    fn booleans_nulls_and_dictionaries_of_numbers() {
        assert_eq!(texts(&BooleanArray::from(vec![Some(true), None, Some(false)])), ["true", "", "false"]);
        assert_eq!(texts(&NullArray::new(2)), ["", ""]);
        let values = Arc::new(Int64Array::from(vec![Some(10), None, Some(-3)]));
        let array = DictionaryArray::new(UInt8Array::from(vec![Some(2), Some(1), None, Some(0)]), values);
        assert_eq!(texts(&array), ["-3", "", "", "10"]);
        let values = Arc::new(StringArray::from(Vec::<&str>::new()));
        let array = DictionaryArray::new(Int32Array::from(vec![None, None]), values);
        assert_eq!(texts(&array), ["", ""]);
    }

    #[test]
    fn other_types_are_refused() {
        let array = BinaryArray::from(vec![b"x".as_slice()]);
        assert!(!spell(&array, &mut |_: TextSpan<'_>| panic!("nothing is handed over")));
        assert!(!has_spelling(array.data_type()));
        assert!(!has_spelling(&DataType::Time32(TimeUnit::Second)));
        let of_binary = DataType::Dictionary(Box::new(DataType::Int8), Box::new(DataType::Binary));
        assert!(!has_spelling(&of_binary));
    }
}
