//! Recognises identifiers: by the name of a column, the form of its values, and how rarely they repeat.
//!
//! One mechanism serves [`crate::inspect`], which suggests roles, and every run, which refuses a column that looks like an
//! identifier in any other role.

use super::evidence::Evidence;
use super::names::{Meaning, meaning};
use super::{check_digits, form};
use crate::text::count;
use klimt_core::table::{Role, ValueType};

/// A column with no more different values than this, each on five rows on average, is a category, whatever its name says.
const FEW_VALUES: u64 = 10;
/// A set of fewer values never has one for nearly every row: in a small table, categories have few rows each.
const FEW_UNIQUE: u64 = 5;
/// Whether values of other columns than quasi-identifiers repeat cannot be told of tables with no more rows than this.
pub(super) const FEW_ROWS: u64 = 20;
/// A set of more texts needs a hierarchy or an order to be generalised.
pub(crate) const LARGEST_SET: u64 = 20;
/// Codes of one form are of so many characters at least; postcodes have fewer.
const CODE_LENGTH: usize = 7;

/// Why a column looks like an identifier, if it does.
pub(super) fn identifier(evidence: &Evidence) -> Option<String> {
    let Evidence { values, rows, distinct, .. } = evidence;
    if values.is_empty() || is_measured(evidence) {
        return None;
    }
    if let Some(forms) = form::of_values(values) {
        return Some(format!("its values are {forms}"));
    }
    let repeats = || format!("{} different values on {} rows", count(*distinct), count(*rows));
    if let Some(reason) = by_name(evidence) {
        return Some(reason);
    }
    if let Some(scheme) = check_digits::scheme(values).filter(|_| evidence.repeats_less_than(10)) {
        return Some(format!("its values are numbers with a check digit ({scheme})"));
    }
    if form::is_free_text(values) && (evidence.repeats_less_than(30) || *distinct > 1_000) {
        return Some("it holds free text, which may name people".to_string());
    }
    if let Some(forms) = form::within_values(values) {
        return Some(format!("its values hold {forms}"));
    }
    if form::are_names(values) && evidence.repeats_less_than(10) {
        return Some(format!("its values are written like names of people: {}", repeats()));
    }
    if *rows > FEW_ROWS && evidence.repeats_less_than(50) && are_codes(values) {
        return Some(format!("its values are codes of one form, and hardly repeat: {}", repeats()));
    }
    None
}

/// Why the name of a column says that it is an identifier, unless its values contradict.
fn by_name(evidence: &Evidence) -> Option<String> {
    let Evidence { values, rows, distinct, value_type, .. } = evidence;
    let is_category = *distinct <= FEW_VALUES && distinct * 5 <= *rows;
    if is_category || *value_type == Some(ValueType::Boolean) {
        return None;
    }
    let numeric = values.iter().all(|value| value.parse::<f64>().is_ok());
    let meaning = meaning(&evidence.name)?;
    let holds = match meaning {
        Meaning::PersonName | Meaning::Note | Meaning::Mail | Meaning::Likeness => !numeric,
        Meaning::PersonKey => evidence.repeats_less_than(5) || *distinct > 1_000,
        Meaning::SomeKey => evidence.repeats_less_than(50),
        Meaning::Phone | Meaning::Address | Meaning::Online => true,
        Meaning::Role(_) => false,
    };
    holds.then(|| match meaning {
        Meaning::SomeKey => {
            format!(
                "{}, and {} rows have {} different ones",
                meaning.describe(),
                count(*rows),
                count(*distinct)
            )
        }
        _ => meaning.describe().to_string(),
    })
}

/// Whether a column holds points in time, or numbers with a fraction: these are generalised, and name nobody by themselves.
fn is_measured(evidence: &Evidence) -> bool {
    let typed =
        matches!(evidence.value_type, Some(ValueType::Date | ValueType::Timestamp | ValueType::Decimal));
    let decimal =
        |value: &String| value.contains('.') && value.parse::<f64>().is_ok() && !value.starts_with('+');
    let decimals = evidence.values.iter().filter(|value| decimal(value)).count();
    typed || decimals * 2 > evidence.values.len() || form::are_dates(&evidence.values)
}

/// Whether all values are codes of one form: as many characters, digits and letters at the same places, at least half of
/// them digits.
fn are_codes(values: &[String]) -> bool {
    let first = check_digits::form(&values[0]);
    let digits = first.bytes().filter(|byte| *byte == b'9').count();
    first.len() >= CODE_LENGTH
        && digits * 2 >= first.len()
        && !first.contains(' ')
        && values.iter().all(|value| check_digits::form(value) == first)
}

/// Why nearly every row has a text of its own, if it does.
pub(super) fn nearly_unique(evidence: &Evidence, role: Role) -> Option<String> {
    let Evidence { rows, distinct, value_type, .. } = *evidence;
    let few = if role == Role::QuasiIdentifier { 0 } else { FEW_ROWS };
    let numbers = evidence.values.iter().all(|value| value.parse::<f64>().is_ok());
    let is_text = match value_type {
        // Codes of digits are texts as they are written, and no more unique than other numbers where no set is made of them.
        Some(ValueType::Text) => !evidence.is_marked && (role == Role::QuasiIdentifier || !numbers),
        Some(_) => false,
        None => !numbers && !is_measured(evidence),
    };
    let unique = is_text && rows > few && distinct >= FEW_UNIQUE && evidence.repeats_less_than(80);
    unique
        .then(|| format!("{} different texts on {} rows nearly name every row", count(distinct), count(rows)))
}

/// Why a column of whole numbers is a count of the rows, if it is one and its name does not say otherwise.
pub(super) fn counter(evidence: &Evidence) -> Option<String> {
    let Evidence { rows, distinct, .. } = *evidence;
    if matches!(meaning(&evidence.name), Some(Meaning::Role(_))) {
        return None;
    }
    let numbers: Option<Vec<i64>> = evidence.values.iter().map(|value| value.parse().ok()).collect();
    let numbers = numbers.filter(|numbers| !numbers.is_empty() && rows > FEW_ROWS && distinct == rows)?;
    let span = numbers.iter().max()?.abs_diff(*numbers.iter().min()?);
    (span <= rows.saturating_mul(2)).then(|| format!("its whole numbers count the {} rows", count(rows)))
}

/// Whether a column is a key of people that repeats, such as the number of a patient who comes again.
pub(super) fn is_person_key(evidence: &Evidence) -> bool {
    let named = meaning(&evidence.name) == Some(Meaning::PersonKey);
    let repeats = !evidence.repeats_less_than(98) && evidence.repeats_less_than(5);
    named && repeats && evidence.distinct > FEW_VALUES
}

#[cfg(test)]
mod tests {
    use super::*;

    fn evidence(name: &str, rows: u64, values: impl IntoIterator<Item = String>) -> Evidence {
        let values: Vec<String> = values.into_iter().collect();
        let distinct = values.len() as u64;
        Evidence {
            name: name.to_string(),
            value_type: None,
            is_set: true,
            is_marked: false,
            is_complete: true,
            rows,
            distinct,
            values,
        }
    }

    fn numbered(count: u64, value: impl Fn(u64) -> String) -> Vec<String> {
        (0..count).map(value).collect()
    }

    #[test]
    fn a_name_decides_unless_the_values_contradict() {
        let texts = |count| numbered(count, |at| format!("x{at}"));
        assert!(identifier(&evidence("name", 1000, texts(200))).is_some());
        assert!(identifier(&evidence("name", 3, texts(3))).is_some());
        assert_eq!(identifier(&evidence("name", 1000, texts(3))), None, "a category");
        assert_eq!(identifier(&evidence("name", 20, texts(3))), None, "a category");
        assert!(identifier(&evidence("Vorname", 30, texts(10))).is_some(), "few people");
        assert_eq!(identifier(&evidence("Note", 1000, numbered(60, |at| at.to_string()))), None, "a grade");
        let days = || numbered(28, |at| format!("2024-01-{:02}", at + 1));
        assert_eq!(identifier(&evidence("patient_no", 28, days())), None, "dates");
        assert_eq!(identifier(&evidence("room no", 1000, texts(40))), None);
        assert!(identifier(&evidence("room no", 1000, texts(800))).is_some());
        assert_eq!(identifier(&evidence("case_code", 10_000, texts(40))), None);
        assert!(identifier(&evidence("case_code", 10_000, texts(4_000))).is_some());
    }

    #[test]
    fn values_decide_where_the_name_says_nothing() {
        let codes = |count| numbered(count, |at| format!("{}", 10_000_000 + at * 7_919 % 1_000_003 * 13));
        assert!(identifier(&evidence("x", 1000, codes(700))).unwrap().contains("codes of one form"));
        assert_eq!(identifier(&evidence("x", 10_000, codes(700))), None, "codes that repeat");
        let numbers = numbered(700, |at| (at * at * 97 % 1_000_003).to_string());
        assert_eq!(identifier(&evidence("x", 700, numbers)), None, "numbers of any length");
        let amounts = numbered(700, |at| format!("{}.{:02}", 100_000 + at * 31, at % 100));
        assert_eq!(identifier(&evidence("x", 700, amounts)), None);
        let notes =
            numbered(300, |at| format!("Patient number {at} was seen at home and complains of much pain"));
        assert!(identifier(&evidence("x", 700, notes)).unwrap().contains("free text"));
        let names = numbered(300, |at| {
            let letter = |at: u64| char::from(b'a' + (at % 26) as u8);
            format!("Anna S{}{}{}", letter(at), letter(at / 26), letter(at / 7))
        });
        assert!(identifier(&evidence("x", 2_000, names)).unwrap().contains("names of people"));
    }

    #[test]
    fn texts_of_nearly_every_row_and_counters_are_noticed() {
        let texts = numbered(9, |at| format!("x{at}"));
        let unique = |rows, role| nearly_unique(&evidence("x", rows, texts.clone()), role).is_some();
        assert!(unique(10, Role::QuasiIdentifier) && !unique(10, Role::Sensitive), "a small table");
        assert!(!unique(12, Role::QuasiIdentifier));
        assert!(nearly_unique(&evidence("x", 4, texts[..4].to_vec()), Role::QuasiIdentifier).is_none());
        let many = numbered(900, |at| format!("x{at}"));
        assert!(nearly_unique(&evidence("x", 1000, many), Role::Insensitive).is_some());
        assert!(counter(&evidence("x", 100, numbered(100, |at| (at + 5).to_string()))).is_some());
        assert!(counter(&evidence("x", 100, numbered(100, |at| (at * 50).to_string()))).is_none());
        assert!(counter(&evidence("zip", 100, numbered(100, |at| at.to_string()))).is_none());
        assert!(counter(&evidence("x", 150, numbered(100, |at| at.to_string()))).is_none());
    }

    #[test]
    fn a_key_of_people_repeats() {
        let keys = |rows| is_person_key(&evidence("patient_id", rows, numbered(100, |at| at.to_string())));
        assert!(keys(150) && !keys(100) && !keys(100_000));
        assert!(!is_person_key(&evidence("postcode", 150, numbered(100, |at| at.to_string()))));
    }
}
