//! The types that a column's values can have.

use super::Decimal;
use jiff::civil::{Date, DateTime};
use serde::{Deserialize, Serialize};
use std::{fmt, str::FromStr};

/// The type of a column's values; the published text is always the text that was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ValueType {
    /// Whole numbers.
    Integer,
    /// Numbers with a fraction, exact.
    Decimal,
    /// Days.
    Date,
    /// Instants or local times, with or without an offset.
    Timestamp,
    /// `true` and `false`.
    Boolean,
    /// Anything.
    Text,
}

impl ValueType {
    /// Every type, in the order in which inference tries them.
    pub const ALL: [ValueType; 6] = [
        ValueType::Integer,
        ValueType::Decimal,
        ValueType::Date,
        ValueType::Timestamp,
        ValueType::Boolean,
        ValueType::Text,
    ];

    /// The type's name in flags, specs and reports.
    pub fn name(self) -> &'static str {
        match self {
            ValueType::Integer => "integer",
            ValueType::Decimal => "decimal",
            ValueType::Date => "date",
            ValueType::Timestamp => "timestamp",
            ValueType::Boolean => "boolean",
            ValueType::Text => "text",
        }
    }

    /// Whether values of this type have a natural order and a distance.
    pub fn is_ordered(self) -> bool {
        !matches!(self, ValueType::Boolean | ValueType::Text)
    }
}

impl fmt::Display for ValueType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A type as a user gives it: `integer`, `date`, or `date:%d.%m.%Y` with the pattern of the texts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypeSpec {
    /// The type.
    pub value_type: ValueType,
    /// How dates and timestamps are written, where that is not ISO 8601.
    pub pattern: Option<String>,
}

impl From<ValueType> for TypeSpec {
    fn from(value_type: ValueType) -> Self {
        TypeSpec { value_type, pattern: None }
    }
}

impl FromStr for TypeSpec {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, pattern) = match text.split_once(':') {
            Some((name, pattern)) => (name, Some(pattern.to_string())),
            None => (text, None),
        };
        let value_type = ValueType::ALL.into_iter().find(|t| t.name() == name).ok_or_else(|| {
            let names: Vec<_> = ValueType::ALL.iter().map(|t| t.name()).collect();
            format!("unknown type; the types are {}", names.join(", "))
        })?;
        if pattern.is_some() && !matches!(value_type, ValueType::Date | ValueType::Timestamp) {
            return Err("only date and timestamp take a pattern, such as date:%d.%m.%Y".to_string());
        }
        Ok(TypeSpec { value_type, pattern })
    }
}

impl fmt::Display for TypeSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.pattern {
            Some(pattern) => write!(f, "{}:{pattern}", self.value_type),
            None => write!(f, "{}", self.value_type),
        }
    }
}

impl TypeSpec {
    /// Where a value lies on its type's axis: the number itself, days, or seconds; `None` when the text is
    /// not of this type. Booleans and texts have no axis and stand at zero.
    pub fn position(&self, text: &str) -> Option<Decimal> {
        match self.value_type {
            ValueType::Integer => {
                let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
                let whole = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
                whole.then(|| text.parse().ok()).flatten().map(Decimal::whole)
            }
            ValueType::Decimal => text.parse().ok(),
            ValueType::Date => self.date(text).map(|date| Decimal::whole(days(date))),
            ValueType::Timestamp => self.nanos(text).map(seconds),
            ValueType::Boolean => is_boolean(text).then_some(Decimal::whole(0)),
            ValueType::Text => Some(Decimal::whole(0)),
        }
    }

    fn date(&self, text: &str) -> Option<Date> {
        match &self.pattern {
            Some(pattern) => Date::strptime(pattern, text).ok(),
            None if text.len() == 10 => text.parse().ok(),
            None => None,
        }
    }

    fn nanos(&self, text: &str) -> Option<i128> {
        if let Some(pattern) = &self.pattern {
            return DateTime::strptime(pattern, text).ok().map(civil_nanos);
        }
        if text.len() < 16 || !text.as_bytes()[..4].iter().all(u8::is_ascii_digit) {
            return None;
        }
        if let Ok(instant) = text.parse::<jiff::Timestamp>() {
            return Some(instant.as_nanosecond());
        }
        text.parse::<DateTime>().ok().map(civil_nanos)
    }
}

/// Seconds, in microseconds where these are whole.
fn seconds(nanos: i128) -> Decimal {
    match nanos % 1000 {
        0 => Decimal { units: nanos / 1000, scale: 6 },
        _ => Decimal { units: nanos, scale: 9 },
    }
}

fn is_boolean(text: &str) -> bool {
    ["true", "false"].iter().any(|word| text.eq_ignore_ascii_case(word))
}

fn days(date: Date) -> i128 {
    civil_nanos(date.at(0, 0, 0, 0)) / 86_400_000_000_000
}

fn civil_nanos(time: DateTime) -> i128 {
    let epoch = jiff::civil::date(1970, 1, 1).at(0, 0, 0, 0);
    time.duration_since(epoch).as_nanos()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(spec: &str, text: &str) -> Option<Decimal> {
        spec.parse::<TypeSpec>().unwrap().position(text)
    }

    #[test]
    fn positions_follow_the_type() {
        assert_eq!(at("integer", "02174"), Some(Decimal::whole(2174)));
        assert_eq!(at("integer", "-5"), Some(Decimal::whole(-5)));
        assert_eq!(at("integer", "5.0"), None);
        assert_eq!(at("integer", "--5"), None);
        assert_eq!(at("decimal", "2.50"), "2.5".parse().ok());
        assert_eq!(at("date", "1970-01-03"), Some(Decimal::whole(2)));
        assert_eq!(at("date", "1969-12-31"), Some(Decimal::whole(-1)));
        assert_eq!(at("date", "2023-02-29"), None);
        assert_eq!(at("date:%d.%m.%Y", "03.01.1970"), Some(Decimal::whole(2)));
        assert_eq!(at("timestamp", "1970-01-01T00:00:01Z"), Some(Decimal::whole(1)));
        assert_eq!(at("timestamp", "1970-01-01 00:00:01.5"), "1.5".parse().ok());
        assert_eq!(at("timestamp", "1970-01-01T01:00:00+01:00"), Some(Decimal::whole(0)));
        assert_eq!(at("timestamp", "1970-01-01T00:00:00.000000001Z"), "0.000000001".parse().ok());
        assert_eq!(at("timestamp", "1970-01-01"), None);
        assert_eq!(at("boolean", "TRUE"), Some(Decimal::whole(0)));
        assert_eq!(at("boolean", "1"), None);
    }

    #[test]
    fn a_pattern_belongs_to_dates_only() {
        assert!("integer:%d".parse::<TypeSpec>().is_err());
        assert!("datum".parse::<TypeSpec>().is_err());
    }
}
