//! Turns texts back into Arrow arrays. A text becomes a value only if the value is spelt like the text: nothing is
//! rounded, and nothing becomes missing that was not.

use super::spell::{TextSpan, per_second, spell};
use super::temporal::{Zone, read_date, read_timestamp};
use crate::arrow::array::{
    Array, ArrayRef, ArrowPrimitiveType, BooleanArray, Date32Array, Date64Array, Decimal128Array, Int64Array,
    LargeStringArray, NullArray, PrimitiveArray, StringArray, StringViewArray, TimestampMicrosecondArray,
    TimestampMillisecondArray, TimestampNanosecondArray, TimestampSecondArray,
};
use crate::arrow::datatypes::{
    DataType, Decimal32Type, Decimal64Type, Decimal128Type, Decimal256Type, DecimalType, Float16Type,
    Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, TimeUnit, UInt8Type, UInt16Type,
    UInt32Type, UInt64Type, i256,
};
use std::str::FromStr;
use std::sync::Arc;

/// The milliseconds of a day.
const DAY_MILLIS: i64 = 86_400_000;

/// The array of some texts, null where they are; `None` when a text is not how a value of the type is spelt.
pub fn typed(texts: &StringArray, data_type: &DataType) -> Option<ArrayRef> {
    let days = |text: &str| read_date(text.as_bytes());
    let array: ArrayRef = match data_type {
        DataType::Utf8 => return Some(Arc::new(texts.clone())),
        DataType::Null => Arc::new(NullArray::new(texts.len())),
        DataType::Date32 => {
            let day = |text: Option<&str>| text.and_then(days).and_then(|days| i32::try_from(days).ok());
            Arc::new(texts.iter().map(day).collect::<Date32Array>())
        }
        DataType::Date64 => {
            let millis = |text: &str| match days(text) {
                Some(days) => days.checked_mul(DAY_MILLIS),
                None => read_timestamp(text.as_bytes(), 1_000, Zone::Local),
            };
            Arc::new(texts.iter().map(|text| text.and_then(millis)).collect::<Date64Array>())
        }
        DataType::Timestamp(unit, zone) => timestamps(texts, *unit, zone.clone()),
        DataType::LargeUtf8 => Arc::new(texts.iter().collect::<LargeStringArray>()),
        DataType::Utf8View => Arc::new(texts.iter().collect::<StringViewArray>()),
        DataType::Boolean => {
            let truth = |text: Option<&str>| text.and_then(|text| text.parse::<bool>().ok());
            Arc::new(texts.iter().map(truth).collect::<BooleanArray>())
        }
        DataType::Int8 => parsed::<Int8Type>(texts),
        DataType::Int16 => parsed::<Int16Type>(texts),
        DataType::Int32 => parsed::<Int32Type>(texts),
        DataType::Int64 => parsed::<Int64Type>(texts),
        DataType::UInt8 => parsed::<UInt8Type>(texts),
        DataType::UInt16 => parsed::<UInt16Type>(texts),
        DataType::UInt32 => parsed::<UInt32Type>(texts),
        DataType::UInt64 => parsed::<UInt64Type>(texts),
        DataType::Float16 => {
            type Half = <Float16Type as ArrowPrimitiveType>::Native;
            numbers::<Float16Type>(texts, |text| text.parse().ok().map(Half::from_f32))
        }
        DataType::Float32 => parsed::<Float32Type>(texts),
        DataType::Float64 => parsed::<Float64Type>(texts),
        DataType::Decimal32(precision, scale) => {
            decimals::<Decimal32Type>(texts, *precision, *scale, |digits| digits.parse().ok())?
        }
        DataType::Decimal64(precision, scale) => {
            decimals::<Decimal64Type>(texts, *precision, *scale, |digits| digits.parse().ok())?
        }
        DataType::Decimal128(precision, scale) => {
            decimals::<Decimal128Type>(texts, *precision, *scale, |digits| digits.parse().ok())?
        }
        DataType::Decimal256(precision, scale) => {
            decimals::<Decimal256Type>(texts, *precision, *scale, i256::from_string)?
        }
        _ => return None,
    };
    survives(texts, &array).then_some(array)
}

/// Numbers as Rust reads them; missing where it does not.
fn parsed<T: ArrowPrimitiveType<Native: FromStr>>(texts: &StringArray) -> ArrayRef {
    numbers::<T>(texts, |text| text.parse().ok())
}

fn numbers<T: ArrowPrimitiveType>(
    texts: &StringArray,
    number: impl Fn(&str) -> Option<T::Native>,
) -> ArrayRef {
    Arc::new(texts.iter().map(|text| number(text?)).collect::<PrimitiveArray<T>>())
}

/// Decimals from their digits without the point; `None` when one has too many.
fn decimals<T: DecimalType>(
    texts: &StringArray,
    precision: u8,
    scale: i8,
    number: impl Fn(&str) -> Option<T::Native>,
) -> Option<ArrayRef> {
    let zeros = "0".repeat(usize::from(scale.min(0).unsigned_abs()));
    let units = |text: &str| match scale {
        0.. => number(&text.replacen('.', "", 1)),
        _ if text == "0" => number(text),
        _ => number(text.strip_suffix(&zeros)?),
    };
    let array = texts.iter().map(|text| units(text?)).collect::<PrimitiveArray<T>>();
    sized(array, precision, scale)
}

/// The decimals with their scale; `None` when one has too many digits. Arrow's own check of a whole array takes a negative
/// scale for a large one.
fn sized<T: DecimalType>(array: PrimitiveArray<T>, precision: u8, scale: i8) -> Option<ArrayRef> {
    let array = array.with_precision_and_scale(precision, scale).ok()?;
    let fit = array.iter().flatten().all(|value| T::is_valid_decimal_precision(value, precision));
    fit.then(|| Arc::new(array) as ArrayRef)
}

fn timestamps(texts: &StringArray, unit: TimeUnit, name: Option<Arc<str>>) -> ArrayRef {
    let zone = Zone::of(name.as_deref());
    let instant = |text: Option<&str>| read_timestamp(text?.as_bytes(), per_second(unit), zone);
    let instants = texts.iter().map(instant);
    match unit {
        TimeUnit::Second => Arc::new(instants.collect::<TimestampSecondArray>().with_timezone_opt(name)),
        TimeUnit::Millisecond => {
            Arc::new(instants.collect::<TimestampMillisecondArray>().with_timezone_opt(name))
        }
        TimeUnit::Microsecond => {
            Arc::new(instants.collect::<TimestampMicrosecondArray>().with_timezone_opt(name))
        }
        TimeUnit::Nanosecond => {
            Arc::new(instants.collect::<TimestampNanosecondArray>().with_timezone_opt(name))
        }
    }
}

/// Whether every value is spelt like the text that it was made of, and missing where that is.
fn survives(texts: &StringArray, array: &dyn Array) -> bool {
    let (mut row, mut same) = (0, array.len() == texts.len());
    let spelt = spell(array, &mut |spelt: TextSpan<'_>| {
        let text = texts.is_valid(row).then(|| texts.value(row).as_bytes());
        same &= spelt.map(|(buffer, start, end)| &buffer[start..end]) == text;
        row += 1;
    });
    spelt && same
}

/// The array of some positions on the axis of a type: whole numbers, days, microseconds or units of a decimal;
/// `None` when one does not fit.
pub fn measured(positions: &[Option<i128>], data_type: &DataType) -> Option<ArrayRef> {
    fn narrow<T: TryFrom<i128>>(positions: &[Option<i128>]) -> Option<Vec<Option<T>>> {
        positions
            .iter()
            .map(|position| position.map(|p| T::try_from(p).ok()).map_or(Some(None), |p| p.map(Some)))
            .collect()
    }
    Some(match data_type {
        DataType::Int64 => Arc::new(Int64Array::from(narrow::<i64>(positions)?)),
        DataType::Date32 => Arc::new(Date32Array::from(narrow::<i32>(positions)?)),
        DataType::Timestamp(TimeUnit::Microsecond, zone) => {
            let array = TimestampMicrosecondArray::from(narrow::<i64>(positions)?);
            Arc::new(array.with_timezone_opt(zone.clone()))
        }
        DataType::Decimal128(precision, scale) => {
            return sized::<Decimal128Type>(Decimal128Array::from(positions.to_vec()), *precision, *scale);
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arrow::array::AsArray;
    use crate::columnar::spell::ArrayTexts;
    use DataType::*;

    fn array(texts: &[&str]) -> StringArray {
        texts.iter().map(|text| (!text.is_empty()).then_some(*text)).collect()
    }

    #[test]
    fn texts_become_values_and_texts_again() {
        let zone = |name: &str| Some(Arc::from(name));
        for (data_type, texts) in [
            (Int8, &["-128", "", "127"][..]),
            (UInt64, &["18446744073709551615", "0", ""]),
            (Int64, &["-9223372036854775808", "", "9223372036854775807"]),
            (Float16, &["0.5", "-0", "NaN", "", "inf"]),
            (Float32, &["0.1", "1e20", "-inf", "NaN", ""]),
            (Float64, &["0.1", "-0", "1e300", "5e-324", "123456789.125", "NaN", "inf", ""]),
            (Decimal32(5, 1), &["12.5", "-0.1", ""]),
            (Decimal64(12, 3), &["12.500", ""]),
            (Decimal128(38, 10), &["-1234567890123456789012345678.0123456789", "0.0000000000", ""]),
            (Decimal256(50, 2), &["123456789012345678901234567890123456789012345678.90", ""]),
            (Decimal128(10, 0), &["7", "-7"]),
            (Decimal128(5, -2), &["1200", "-100", "0", ""]),
            (Boolean, &["true", "", "false"]),
            (Date32, &["2024-02-29", "1969-12-31", "", "+10000-01-01"]),
            (Date64, &["2024-02-29", "2024-02-29T00:00:00.001", ""]),
            (Timestamp(TimeUnit::Second, None), &["2024-01-31T10:00:00", ""]),
            (
                Timestamp(TimeUnit::Millisecond, zone("UTC")),
                &["2024-01-31T10:00:00.25Z", "", "1969-12-31T23:59:59.999Z"],
            ),
            (Timestamp(TimeUnit::Microsecond, zone("-03:30")), &["2024-01-31T10:00:00.000001-03:30", ""]),
            (Timestamp(TimeUnit::Nanosecond, zone("Europe/Vienna")), &["2024-01-31T10:00:00.000000001Z"]),
            (Utf8, &["a", "", "Zoë"]),
            (LargeUtf8, &["a", "", "Zoë"]),
            (Utf8View, &["a", "", "Zoë, and a longer text"]),
            (Null, &["", ""]),
        ] {
            let made = typed(&array(texts), &data_type).unwrap_or_else(|| panic!("{data_type}"));
            assert_eq!(made.data_type(), &data_type);
            assert_eq!(
                made.logical_null_count(),
                texts.iter().filter(|text| text.is_empty()).count(),
                "{data_type}"
            );
            let again = ArrayTexts::of(&made).unwrap();
            texts.iter().enumerate().for_each(|(row, text)| assert_eq!(again.get(row), *text, "{data_type}"));
        }
    }

    #[test]
    fn a_text_that_would_change_is_refused() {
        for (data_type, text) in [
            (Int64, "007"),
            (Int64, "+1"),
            (Int64, " 1"),
            (Int8, "128"),
            (UInt8, "-1"),
            (Float64, "1.0"),
            (Float32, "0.10000000149"),
            (Float64, "Infinity"),
            (Decimal128(10, 2), "1.5"),
            (Decimal128(10, 2), "1.555"),
            (Decimal128(3, 2), "12.50"),
            (Boolean, "TRUE"),
            (Boolean, "1"),
            (Date32, "2023-02-29"),
            (Date32, "20240229"),
            (Timestamp(TimeUnit::Second, None), "2024-01-31 10:00:00"),
            (Timestamp(TimeUnit::Second, None), "2024-01-31T10:00:00.5"),
            (Timestamp(TimeUnit::Second, None), "2024-01-31T10:00:00Z"),
            (Timestamp(TimeUnit::Second, None), "2024-01-31T25:00:00"),
            (Null, "x"),
            (Binary, "x"),
        ] {
            assert!(typed(&array(&[text]), &data_type).is_none(), "{data_type} {text}");
        }
    }

    #[test]
    fn positions_are_measured_in_the_units_of_the_type() {
        let made = measured(&[Some(1250), None], &Decimal128(38, 2)).unwrap();
        assert_eq!(made.as_primitive::<Decimal128Type>().value_as_string(0), "12.50");
        assert_eq!(
            ArrayTexts::of(&measured(&[Some(-1), None], &Date32).unwrap()).unwrap().get(0),
            "1969-12-31"
        );
        let stamps =
            measured(&[Some(1_500_000)], &Timestamp(TimeUnit::Microsecond, Some("UTC".into()))).unwrap();
        assert_eq!(ArrayTexts::of(&stamps).unwrap().get(0), "1970-01-01T00:00:01.5Z");
        assert!(measured(&[Some(i128::from(i64::MAX) + 1)], &Int64).is_none());
        assert!(measured(&[Some(i128::MAX)], &Decimal128(38, 0)).is_none());
        assert!(measured(&[Some(0)], &Utf8).is_none());
    }
}
