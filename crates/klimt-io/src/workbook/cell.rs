//! Cells of a sheet as texts.

use calamine::DataRef;
use std::io::Write;

/// Whether a cell holds nothing.
pub fn is_empty(data: &DataRef<'_>) -> bool {
    match data {
        DataRef::Empty => true,
        DataRef::String(text) => text.is_empty(),
        DataRef::SharedString(text) => text.is_empty(),
        _ => false,
    }
}

/// Whether a cell is an instant with a time of day, and no day alone.
pub fn has_time(data: &DataRef<'_>) -> bool {
    match data {
        DataRef::DateTime(time) => time.is_datetime() && time.as_f64().fract() != 0.0,
        DataRef::DateTimeIso(text) => text.contains('T'),
        _ => false,
    }
}

/// Appends the text of a cell: a number in its shortest spelling, a date as ISO 8601 has it, with a time of day where the
/// column has any.
pub fn write(data: &DataRef<'_>, with_time: bool, out: &mut Vec<u8>) {
    let _ = match data {
        DataRef::Empty => Ok(()),
        DataRef::Int(number) => write!(out, "{number}"),
        DataRef::Float(number) => write!(out, "{}", rounded(*number)),
        DataRef::String(text) => out.write_all(text.as_bytes()),
        DataRef::SharedString(text) => out.write_all(text.as_bytes()),
        DataRef::Bool(value) => write!(out, "{value}"),
        DataRef::DateTime(time) if time.is_datetime() && (with_time || time.as_f64() >= 1.0) => {
            let (year, month, day, hour, minute, second, milli) = time.to_ymd_hms_milli();
            let day = write!(out, "{year:04}-{month:02}-{day:02}");
            let time = match (with_time, milli) {
                (false, _) => Ok(()),
                (true, 0) => write!(out, "T{hour:02}:{minute:02}:{second:02}"),
                (true, _) => write!(out, "T{hour:02}:{minute:02}:{second:02}.{milli:03}"),
            };
            day.and(time)
        }
        DataRef::DateTime(time) => write_duration(time.as_f64(), out),
        DataRef::DateTimeIso(text) if with_time && !text.contains('T') => write!(out, "{text}T00:00:00"),
        DataRef::DateTimeIso(text) => out.write_all(text.as_bytes()),
        DataRef::DurationIso(text) => out.write_all(text.as_bytes()),
        DataRef::Error(error) => write!(out, "{error}"),
    };
}

/// A time of day or a duration in days, as hours, minutes and seconds.
fn write_duration(days: f64, out: &mut Vec<u8>) -> std::io::Result<()> {
    let millis = (days.abs() * 86_400_000.0).round() as u64;
    let sign = if days < 0.0 { "-" } else { "" };
    let (seconds, milli) = (millis / 1000, millis % 1000);
    write!(out, "{sign}{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60)?;
    if milli == 0 { Ok(()) } else { write!(out, ".{milli:03}") }
}

/// A number with the 15 digits that a sheet shows: what is beyond them comes from computing in binary.
fn rounded(number: f64) -> f64 {
    let rounded: f64 = format!("{number:.14e}").parse().unwrap_or(number);
    if rounded == 0.0 { 0.0 } else { rounded }
}

#[cfg(test)]
mod tests {
    use super::*;
    use calamine::{ExcelDateTime, ExcelDateTimeType};

    fn text(data: &DataRef<'_>, with_time: bool) -> String {
        let mut out = Vec::new();
        write(data, with_time, &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn cells_are_spelt_as_in_a_text() {
        let time = |value, kind| DataRef::DateTime(ExcelDateTime::new(value, kind, false));
        let instant = |value| time(value, ExcelDateTimeType::DateTime);
        for (data, with_time, expected) in [
            (DataRef::Float(5.0), false, "5"),
            (DataRef::Float(-1234.5), false, "-1234.5"),
            (DataRef::Float(0.1 + 0.2), false, "0.3"),
            (DataRef::Float(-0.0), false, "0"),
            (DataRef::Float(123_456_789_012.0), false, "123456789012"),
            (DataRef::Int(-7), false, "-7"),
            (DataRef::Bool(true), false, "true"),
            (DataRef::SharedString("02174"), false, "02174"),
            (DataRef::Empty, false, ""),
            (instant(43_862.0), false, "2020-02-01"),
            (instant(43_862.0), true, "2020-02-01T00:00:00"),
            (instant(43_862.5), true, "2020-02-01T12:00:00"),
            (instant(0.25), false, "06:00:00"),
            (time(1.5, ExcelDateTimeType::TimeDelta), false, "36:00:00"),
            (DataRef::DateTimeIso("2020-02-01".into()), false, "2020-02-01"),
            (DataRef::DateTimeIso("2020-02-01".into()), true, "2020-02-01T00:00:00"),
            (DataRef::Error(calamine::CellErrorType::NA), false, "#N/A"),
        ] {
            assert_eq!(text(&data, with_time), expected, "{data:?}");
        }
    }
}
