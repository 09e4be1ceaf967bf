//! The values of a sensitive column: texts that are spellings of one value are one.
//!
//! The rule is the engine's, in code of its own: a text that is a number, an instant or a truth value stands for it,
//! however it is spelt, and every other text for itself.

use crate::keys::Keys;
use jiff::{
    Timestamp,
    civil::{Date, DateTime},
};
use klimt_core::table::{ColumnSpec, ValueType};

/// How the values of a column are compared.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Comparison {
    /// By value: numbers, instants and truth values in any spelling.
    #[default]
    Value,
    /// As text, because the user gave that type.
    Text,
    /// Dates that are written after a pattern, by day.
    Dates(String),
    /// Timestamps that are written after a pattern, by instant.
    Timestamps(String),
}

impl Comparison {
    /// The comparison of a column with this setting.
    pub fn of(said: Option<&ColumnSpec>) -> Self {
        let said = said.and_then(|spec| spec.type_spec.as_ref());
        match said.map(|spec| (spec.value_type, spec.pattern.clone())) {
            Some((ValueType::Text, _)) => Comparison::Text,
            Some((ValueType::Date, Some(pattern))) => Comparison::Dates(pattern),
            Some((ValueType::Timestamp, Some(pattern))) => Comparison::Timestamps(pattern),
            _ => Comparison::Value,
        }
    }

    /// Appends bytes that two texts have in common exactly when they are one value. The first byte tells numbers, instants
    /// and texts apart.
    pub(crate) fn write_value(&self, text: &[u8], out: &mut Vec<u8>) {
        let as_text = std::str::from_utf8(text).unwrap_or_default();
        let place = match self {
            Comparison::Text => None,
            Comparison::Dates(pattern) => {
                Date::strptime(pattern, as_text).ok().map(|date| nanos(date.into()))
            }
            Comparison::Timestamps(pattern) => DateTime::strptime(pattern, as_text).ok().map(nanos),
            Comparison::Value => None,
        };
        if let Some(place) = place.or_else(|| if *self == Comparison::Text { None } else { instant(as_text) })
        {
            out.push(b'i');
            return out.extend_from_slice(&place.to_le_bytes());
        }
        if *self != Comparison::Text {
            out.push(b'n');
            if write_number(text, out) {
                return;
            }
            out.clear();
        }
        out.push(b't');
        let word = [&b"true"[..], b"false"].into_iter().find(|word| text.eq_ignore_ascii_case(word));
        out.extend_from_slice(word.filter(|_| *self != Comparison::Text).unwrap_or(text));
    }
}

/// The instant of an ISO timestamp, in nanoseconds; one without an offset counts as if it were at Greenwich, and a date is
/// its midnight.
fn instant(text: &str) -> Option<i128> {
    if text.len() == 10 {
        return text.parse::<Date>().ok().map(|date| nanos(date.into()));
    }
    let year = text.as_bytes().get(..4)?;
    if text.len() < 16 || !year.iter().all(u8::is_ascii_digit) {
        return None;
    }
    match text.parse::<Timestamp>() {
        Ok(instant) => Some(instant.as_nanosecond()),
        Err(_) => text.parse::<DateTime>().ok().map(nanos),
    }
}

fn nanos(time: DateTime) -> i128 {
    time.duration_since(DateTime::constant(1970, 1, 1, 0, 0, 0, 0)).as_nanos()
}

/// Appends a number without the zeros that its value does not need, with the power of ten of its last digit; `false`
/// where the text is no number.
fn write_number(text: &[u8], out: &mut Vec<u8>) -> bool {
    let (negative, unsigned) = match text {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        rest => (false, rest),
    };
    let end = unsigned.iter().position(|byte| matches!(byte, b'e' | b'E'));
    let (mantissa, exponent) = match end {
        None => (unsigned, Some(0)),
        Some(at) => (&unsigned[..at], exponent(&unsigned[at + 1..])),
    };
    let Some(exponent) = exponent else { return false };
    let (mut digits, mut behind_point) = (Vec::with_capacity(mantissa.len()), None);
    for &byte in mantissa {
        match (byte, &mut behind_point) {
            (b'.', None) => behind_point = Some(0i64),
            (b'0'..=b'9', count) => {
                digits.push(byte);
                count.iter_mut().for_each(|count| *count += 1);
            }
            _ => return false,
        }
    }
    if digits.is_empty() {
        return false;
    }
    let mut power = exponent - behind_point.unwrap_or(0);
    while digits.last() == Some(&b'0') {
        digits.pop();
        power += 1;
    }
    let first = digits.iter().position(|&digit| digit != b'0').unwrap_or(digits.len());
    if first == digits.len() {
        return true;
    }
    out.push(if negative { b'-' } else { b'+' });
    out.extend_from_slice(&power.to_le_bytes());
    out.extend_from_slice(&digits[first..]);
    true
}

fn exponent(text: &[u8]) -> Option<i64> {
    std::str::from_utf8(text).ok()?.parse::<i32>().ok().map(i64::from)
}

/// Numbers the values of a column in the order in which they first come.
#[derive(Clone, Debug, Default)]
pub(crate) struct ColumnValues {
    comparison: Comparison,
    texts: Keys,
    /// The value of each text.
    of_text: Vec<u32>,
    keys: Keys,
    /// The first text of each value.
    first: Vec<u32>,
    scratch: Vec<u8>,
}

impl ColumnValues {
    /// No values yet.
    pub fn new(comparison: Comparison) -> Self {
        ColumnValues { comparison, ..ColumnValues::default() }
    }

    /// The number of the value of a text; `None` when there are too many. A text is looked at once.
    pub fn number(&mut self, text: &[u8]) -> Option<u32> {
        let at = self.texts.intern(text)?;
        if let Some(&known) = self.of_text.get(at as usize) {
            return Some(known);
        }
        self.scratch.clear();
        self.comparison.write_value(text, &mut self.scratch);
        let value = self.keys.intern(&self.scratch)?;
        if self.first.len() < self.keys.len() {
            self.first.push(at);
        }
        self.of_text.push(value);
        Some(value)
    }

    /// The number of the value of a text, where it has come.
    pub fn find(&self, text: &[u8]) -> Option<u32> {
        if let Some(at) = self.texts.find(text) {
            return Some(self.of_text[at as usize]);
        }
        let mut key = Vec::new();
        self.comparison.write_value(text, &mut key);
        self.keys.find(&key)
    }

    /// A text of a value: the first that came.
    pub fn text(&self, value: u32) -> &str {
        self.texts.text(self.first[value as usize])
    }

    /// Every text that came, with its value.
    pub fn texts(&self) -> impl Iterator<Item = (&[u8], u32)> {
        (0u32..).zip(&self.of_text).map(|(at, &value)| (self.texts.get(at), value))
    }

    /// How many values there are.
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// The comparison by which texts are one value.
    pub fn comparison(&self) -> &Comparison {
        &self.comparison
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use klimt_core::table::{Distinct, Encoding, Role};
    use proptest::prelude::*;

    fn same(comparison: &Comparison, a: &str, b: &str) -> bool {
        let mut values = ColumnValues::new(comparison.clone());
        let (a, b) = (values.number(a.as_bytes()), values.number(b.as_bytes()));
        a == b
    }

    #[test]
    fn spellings_of_one_value_are_one() {
        for (a, b) in [
            ("5000", "5000.0"),
            ("07000", "7000"),
            ("+5", "5"),
            ("1e3", "1000"),
            ("-0", ".0"),
            ("True", "TRUE"),
        ] {
            assert!(same(&Comparison::Value, a, b), "{a} {b}");
            assert!(!same(&Comparison::Text, a, b), "{a} {b}");
        }
        for (a, b) in [
            ("5", "-5"),
            ("5", "50"),
            ("", "0"),
            ("flu", "Flu"),
            ("5", "5 "),
            (".", "0"),
            ("e5", "0"),
            ("1", "true"),
        ] {
            assert!(!same(&Comparison::Value, a, b), "{a} {b}");
        }
        assert!(same(&Comparison::Dates("%d.%m.%Y".into()), "1.2.2024", "01.02.2024"));
    }

    #[test]
    fn a_value_is_told_by_the_first_of_its_texts() {
        let mut values = ColumnValues::default();
        let numbers =
            ["1", "1.0", "01", "2", "2.0", "flu"].map(|text| values.number(text.as_bytes()).unwrap());
        assert_eq!(numbers, [0, 0, 0, 1, 1, 2]);
        assert_eq!([0, 1, 2].map(|value| values.text(value)), ["1", "2", "flu"]);
    }

    fn spelt() -> impl Strategy<Value = String> {
        prop_oneof![
            "[-+]?0{0,2}[0-9]{0,3}(\\.[0-9]{0,3})?([eE][-+]?[0-3])?",
            "[tT][rR][uU][eE]|false|FALSE|[a-c ]{0,2}",
            (0u8..3, "[T ]", 0u8..3, "(:00(\\.0{0,8}[0-2]?)?)?(Z|\\+01:00|)")
                .prop_map(|(day, t, hour, rest)| format!("2024-01-0{}{t}0{hour}:00{rest}", day + 1)),
            "2024-01-0[1-3]",
            // Instants of ISO 8601 that are taken for texts.
            "2024-01-01T00Z|2024-01-01T00:00Z|[+]002024-01-01T00:00Z",
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        /// The engine and the verifier take the same texts for one value, whatever others the column has.
        #[test]
        fn the_engine_says_the_same(texts in prop::collection::btree_set(spelt(), 2..8), as_text: bool) {
            let texts: Vec<&str> = texts.iter().map(String::as_str).filter(|text| !text.is_empty()).collect();
            let mut spec = ColumnSpec::new("x", Role::Sensitive);
            spec.type_spec = as_text.then(|| ValueType::Text.into());
            let encoding = Encoding::of(&spec, Distinct::Texts(texts.iter().copied().collect()), false).unwrap();
            let comparison = Comparison::of(Some(&spec));
            for (a, code) in texts.iter().zip(&encoding.codes) {
                for (b, other) in texts.iter().zip(&encoding.codes) {
                    let engine = encoding.domain.class(*code) == encoding.domain.class(*other);
                    prop_assert_eq!(engine, same(&comparison, a, b), "{} {}", a, b);
                }
            }
        }
    }
}
