//! Which texts of a sensitive column are the same value, and what its codes are when spellings do not count.
//!
//! 5000 and 5000.0, `true` and `True`, 07000 and 7000 are one value to a reader of a release, so that they count as one
//! for every requirement, whatever the type of the other values of the column. A text alone decides, not the type that is
//! inferred from all of them: a reader of a release sees only some. Where the type of a column is given as text, its
//! values are what they look like. Publishing knows nothing of this: values stay as they were read.

use super::{Decimal, Distinct, Domain, TypeSpec, ValueType};
use hashbrown::DefaultHashBuilder;
use hashbrown::hash_table::{Entry, HashTable};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::hash::BuildHasher;

/// The codes of a sensitive column by the values that they stand for.
#[derive(Clone, Debug)]
pub struct ValueClasses {
    /// The class of each code, the missing one included.
    pub(super) of_code: Vec<u32>,
    /// The domain whose codes the classes are: one spelling of each value.
    pub(super) domain: Domain,
}

/// The value of a text: texts with the same one are spellings of one value.
pub(crate) fn value_of<'t>(text: &'t str, type_spec: Option<&TypeSpec>) -> Cow<'t, str> {
    match type_spec {
        Some(spec) if spec.value_type == ValueType::Text => return Cow::Borrowed(text),
        Some(spec) if spec.pattern.is_some() => {
            if let Some(Decimal { units, scale }) = spec.position(text) {
                return Cow::Owned(format!("at {units} {scale}"));
            }
        }
        _ => {}
    }
    if let Some(number) = number(text) {
        return Cow::Owned(number);
    }
    if let Some(Decimal { units, scale }) = instant(text) {
        return Cow::Owned(format!("instant {units} {scale}"));
    }
    match ["true", "false"].into_iter().find(|word| text.eq_ignore_ascii_case(word)) {
        Some(word) => Cow::Borrowed(word),
        None => Cow::Borrowed(text),
    }
}

/// The instant of a timestamp, in microseconds where these are whole; that of a date is its midnight, as which some
/// programs write it.
fn instant(text: &str) -> Option<Decimal> {
    let midnight = |day: Decimal| Decimal { units: day.units * MICROSECONDS_OF_A_DAY, scale: 6 };
    let date = || TypeSpec::from(ValueType::Date).position(text).map(midnight);
    TypeSpec::from(ValueType::Timestamp).position(text).or_else(date)
}

const MICROSECONDS_OF_A_DAY: i128 = 86_400_000_000;

/// A number in one spelling, whatever its size: its digits from the first to the last that is not zero, and the power of
/// ten of the last.
fn number(text: &str) -> Option<String> {
    let (mantissa, exponent) = match text.find(['e', 'E']) {
        Some(at) => (&text[..at], i64::from(text[at + 1..].parse::<i32>().ok()?)),
        None => (text, 0),
    };
    let unsigned = mantissa.strip_prefix(['-', '+']).unwrap_or(mantissa);
    let (whole, fraction) = unsigned.split_once('.').unwrap_or((unsigned, ""));
    let digits: String = [whole, fraction].concat();
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let shortest = digits.trim_start_matches('0').trim_end_matches('0');
    if shortest.is_empty() {
        return Some("0e0".to_string());
    }
    let zeros = digits.len() - digits.trim_end_matches('0').len();
    let power = exponent - fraction.len() as i64 + zeros as i64;
    let sign = if mantissa.starts_with('-') { "-" } else { "" };
    Some(format!("{sign}{shortest}e{power}"))
}

impl Distinct {
    /// The class of each value, where some are spellings of one; the least
    /// text of each class stands for it.
    pub(super) fn spellings(&self, type_spec: Option<&TypeSpec>) -> Option<(Vec<u32>, Vec<usize>)> {
        let Distinct::Texts(texts) = self else { return None };
        // Values are made again where they are compared: there may be as many as rows.
        let value = |number: usize| value_of(texts.str(number), type_spec);
        let hasher = DefaultHashBuilder::default();
        let hash = |number: usize| hasher.hash_one(&*value(number));
        let mut classes: HashTable<u32> = HashTable::with_capacity(texts.len());
        let mut least: Vec<usize> = Vec::new();
        let mut of_value: Vec<u32> = Vec::with_capacity(texts.len());
        for number in 0..texts.len() {
            let own = value(number);
            let is_same = |class: &u32| value(least[*class as usize]) == own;
            let of_class = |class: &u32| hash(least[*class as usize]);
            let class = match classes.entry(hasher.hash_one(&*own), is_same, of_class) {
                Entry::Occupied(known) => *known.get(),
                Entry::Vacant(place) => *place.insert(least.len() as u32).get(),
            };
            match least.get_mut(class as usize) {
                None => least.push(number),
                Some(known) if texts.get(number) < texts.get(*known) => *known = number,
                Some(_) => {}
            }
            of_value.push(class);
        }
        (least.len() < texts.len()).then_some((of_value, least))
    }
}

impl Domain {
    /// The domain of a sensitive column whose spellings count as one value.
    pub fn compared(&self) -> &Domain {
        self.classes.as_ref().map_or(self, |classes| &classes.domain)
    }

    /// The code of each code in [`Domain::compared`], where that is another.
    pub fn classes(&self) -> Option<&[u32]> {
        self.classes.as_ref().map(|classes| &classes.of_code[..])
    }

    /// The code of a code in [`Domain::compared`].
    #[inline]
    pub fn class(&self, code: u32) -> u32 {
        self.classes.as_ref().map_or(code, |classes| classes.of_code[code as usize])
    }

    /// Whether the values of a sensitive column are compared as text, because the user gave that type.
    pub fn is_compared_as_text(&self) -> bool {
        self.as_text
    }

    /// How many values differ from another one only in case or in blanks: they count as different, and may not be meant so.
    pub fn alike(&self) -> usize {
        let compared = self.compared();
        if compared.spelling().is_some() {
            return 0;
        }
        let mut folded: BTreeMap<String, usize> = BTreeMap::new();
        for code in 0..compared.value_count() as u32 {
            let text = compared.text(code);
            let fold: String =
                text.chars().filter(|c| !c.is_whitespace()).flat_map(char::to_lowercase).collect();
            *folded.entry(fold).or_default() += 1;
        }
        folded.values().filter(|&&values| values > 1).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::{ColumnSpec, Encoding, Role};

    fn same(spec: Option<&str>, a: &str, b: &str) -> bool {
        let spec = spec.map(|spec| spec.parse().unwrap());
        value_of(a, spec.as_ref()) == value_of(b, spec.as_ref())
    }

    #[test]
    fn spellings_of_one_value_are_one() {
        for (a, b) in [
            ("5000", "5000.0"),
            ("07000", "7000"),
            ("+5", "5"),
            ("1e3", "1000"),
            ("-0", "0.00"),
            (".5", "0.50"),
            ("5.", "5"),
            ("12.5E-1", "1.25"),
            ("true", "True"),
            ("FALSE", "false"),
            ("2024-01-01T00:00:00Z", "2024-01-01 00:00"),
            ("2024-01-01T01:00:00+01:00", "2024-01-01T00:00:00.000"),
            ("2024-01-01", "2024-01-01 00:00:00"),
            ("1969-12-31", "1969-12-31T01:00:00+01:00"),
            (
                "123456789012345678901234567890123456789012345",
                "123456789012345678901234567890123456789012345.0",
            ),
        ] {
            assert!(same(None, a, b), "{a} {b}");
            assert!(!same(Some("text"), a, b), "{a} {b}: text is compared as text");
        }
        for (a, b) in [
            ("flu", "Flu"),
            ("5", " 5"),
            ("5", "-5"),
            ("1", "true"),
            ("a", "b"),
            ("1e400", "1e401"),
            ("0x1", "1"),
            ("2024-01-01", "2024-01-01 00:00:01"),
            ("2024-01-01T00:00:00.000000001", "2024-01-01T00:00:00.000000002"),
            ("1970-01-01T00:00:01.000000001", "1970-01-01T00:16:40.000001"),
        ] {
            assert!(!same(None, a, b), "{a} {b}");
        }
        assert!(same(Some("date:%d.%m.%Y"), "1.2.2024", "01.02.2024"));
        assert!(!same(Some("date:%d.%m.%Y"), "1.2.2024", "02.01.2024"));
    }

    #[test]
    fn classes_have_an_order_of_their_own() {
        let encode = |role| {
            let texts = Distinct::Texts(["10", "2.0", "2", "010", "x"].into_iter().collect());
            Encoding::of(&ColumnSpec::new("x", role), texts, true).unwrap()
        };
        let Encoding { domain, codes } = encode(Role::Sensitive);
        let class = |value: usize| domain.class(codes[value]);
        assert_eq!((class(0), class(1)), (class(3), class(2)));
        assert_eq!(domain.compared().value_count(), 3);
        assert_eq!(domain.class(5), 3, "the missing value is the last class");
        assert_eq!(domain.value_count(), 5, "every spelling can be published");
        assert!(encode(Role::Target).domain.classes().is_none());
        let texts = Distinct::Texts(["10", "2.0", "2", "3"].into_iter().collect());
        let domain = Encoding::of(&ColumnSpec::new("x", Role::Sensitive), texts, false).unwrap().domain;
        let places: Vec<i128> = (0..3).map(|code| domain.compared().position(code)).collect();
        assert!(places.is_sorted() && domain.compared().is_measured());
    }

    #[test]
    fn values_that_differ_in_case_or_blanks_are_counted() {
        let texts = Distinct::Texts(["Flu", "flu", "f lu ", "gout", "5", "5.0"].into_iter().collect());
        let domain = Encoding::of(&ColumnSpec::new("x", Role::Sensitive), texts, false).unwrap().domain;
        assert_eq!(domain.alike(), 3);
    }
}
