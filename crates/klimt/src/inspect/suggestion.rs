//! Suggests a role for each column, each with its reason. Whoever follows all of them gets a release without identifiers.

use super::evidence::Evidence;
use super::form;
use super::identify::{FEW_ROWS, LARGEST_SET, counter, identifier, is_person_key};
use super::names::{Meaning, meaning};
use super::screen::refusal;
use crate::text::count;
use klimt_core::table::{Role, ValueType};

/// A suggested role.
#[derive(Clone, Debug)]
pub(super) struct Suggestion {
    pub role: Role,
    /// Whether the column is the key of the people in the table, who come again.
    pub is_person: bool,
    pub reason: String,
}

impl Suggestion {
    fn new(role: Role, reason: impl Into<String>) -> Self {
        Suggestion { role, is_person: false, reason: reason.into() }
    }
}

/// The key of the people of a table: of the columns that are one, the first.
pub(super) fn person(columns: &[Evidence]) -> Option<&Evidence> {
    columns.iter().find(|evidence| is_person_key(evidence))
}

/// The suggestion for a column. `person` is the key of people, and `is_mixed` says that a few of the column's values are
/// not of the type of all others.
pub(super) fn suggest(evidence: &Evidence, person: Option<&Evidence>, is_mixed: bool) -> Suggestion {
    if person.is_some_and(|person| person.name == evidence.name) {
        let (rows, distinct) = (count(evidence.rows), count(evidence.distinct));
        let reason = format!(
            "a key that repeats, {distinct} different ones on {rows} rows: it tells which rows are one person's"
        );
        return Suggestion { role: Role::Person, is_person: true, reason };
    }
    if evidence.rows == 0 {
        return Suggestion::new(Role::Identifier, "it has no values: nothing is lost without it");
    }
    if let Some(reason) = identifier(evidence).or_else(|| counter(evidence)) {
        return Suggestion::new(Role::Identifier, reason);
    }
    if is_mixed {
        let reason =
            "a few of its values are not of the type of all others: left out until they are corrected";
        return Suggestion::new(Role::Identifier, reason);
    }
    if let Some(reason) = of_each_person(evidence, person) {
        return Suggestion::new(Role::Identifier, reason);
    }
    if evidence.is_set && form::are_dates(&evidence.values) {
        let reason = "its dates are in a form that must be named, such as type = \"date:%d.%m.%Y\": left out until then";
        return Suggestion::new(Role::Identifier, reason);
    }
    let suggestion = by_meaning(evidence);
    match refusal(evidence, suggestion.role) {
        Some(refused) if refused.is_set => Suggestion::new(
            Role::Identifier,
            format!("{}: left out until it has a hierarchy or an order", refused.reason),
        ),
        Some(refused) => Suggestion::new(Role::Identifier, refused.reason),
        None => suggestion,
    }
}

/// Why nearly every person has a text of their own in a column, if they do.
fn of_each_person(evidence: &Evidence, person: Option<&Evidence>) -> Option<String> {
    let people = person?.distinct;
    let unique = evidence.is_set && evidence.distinct * 5 >= people * 4;
    unique.then(|| {
        format!(
            "{} different texts on {} people nearly name every person",
            count(evidence.distinct),
            count(people)
        )
    })
}

/// Whether nearly every row has a number of its own, such as an amount with cents: whoever knows the number finds the row.
fn tells_rows_apart(evidence: &Evidence) -> bool {
    !evidence.is_set && evidence.rows > FEW_ROWS && evidence.repeats_less_than(80)
}

/// The role that the name says, or a safe guess.
fn by_meaning(evidence: &Evidence) -> Suggestion {
    if evidence.distinct == 1 && evidence.is_complete {
        return Suggestion::new(Role::Insensitive, "all rows have the same value, which tells nobody apart");
    }
    match meaning(&evidence.name) {
        Some(Meaning::Role(Role::Target)) if evidence.distinct > LARGEST_SET => {}
        Some(meaning @ Meaning::Role(Role::Sensitive)) if tells_rows_apart(evidence) => {
            let reason =
                format!("{}, but nearly every row has its own number: it is generalised", meaning.describe());
            return Suggestion::new(Role::QuasiIdentifier, reason);
        }
        Some(meaning @ Meaning::Role(role)) => return Suggestion::new(role, meaning.describe()),
        _ => {}
    }
    let reason = match evidence.value_type {
        Some(ValueType::Date | ValueType::Timestamp) => "it holds dates, which others may know of a person",
        _ => {
            "nothing is known of it: others may know it of a person, so it is generalised, which is the safe guess"
        }
    };
    Suggestion::new(Role::QuasiIdentifier, reason)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn evidence(name: &str, rows: u64, distinct: u64) -> Evidence {
        let values = (0..distinct.min(500))
            .map(|at| format!("x{}", "abcdefghij".repeat(1 + at as usize % 3) + &at.to_string()));
        Evidence {
            name: name.to_string(),
            value_type: Some(ValueType::Text),
            is_set: true,
            is_marked: false,
            is_complete: true,
            rows,
            distinct,
            values: values.collect(),
        }
    }

    fn numbers(rows: u64, distinct: u64) -> Evidence {
        let values = (0..distinct).map(|at| format!("{}.5", at * 31)).collect();
        let value_type = Some(ValueType::Decimal);
        Evidence { value_type, is_set: false, values, ..evidence("salary", rows, distinct) }
    }

    fn role(evidence: &Evidence) -> Role {
        suggest(evidence, None, false).role
    }

    #[test]
    fn every_role_is_suggested_with_a_reason() {
        let columns = [
            (evidence("patient_id", 100, 70), Role::Identifier),
            (evidence("sex", 100, 2), Role::QuasiIdentifier),
            (evidence("diagnosis", 100, 12), Role::Sensitive),
            (numbers(100, 60), Role::Sensitive),
            (numbers(100, 95), Role::QuasiIdentifier),
            (evidence("class", 100, 2), Role::Target),
            (evidence("country", 100, 1), Role::Insensitive),
            (evidence("color", 100, 7), Role::QuasiIdentifier),
            (evidence("city", 1000, 57), Role::Identifier),
            (evidence("diagnosis", 100, 95), Role::Identifier),
            (evidence("empty", 0, 0), Role::Identifier),
        ];
        for (column, expected) in columns {
            let suggestion = suggest(&column, None, false);
            assert_eq!(suggestion.role, expected, "{}", column.name);
            assert!(suggestion.reason.len() > 20, "{}", suggestion.reason);
        }
    }

    #[test]
    fn the_key_of_people_is_the_person_and_their_own_texts_are_identifiers() {
        let columns =
            [evidence("visit_id", 300, 300), evidence("patient_id", 300, 200), evidence("case_no", 300, 150)];
        let person = person(&columns).unwrap();
        assert_eq!(person.name, "patient_id");
        let key = suggest(&columns[1], Some(person), false);
        assert!(key.is_person && key.reason.contains("repeats"));
        let code = evidence("x", 300, 190);
        assert_eq!(role(&code), Role::Identifier, "a set of 190 texts");
        assert!(suggest(&code, Some(person), false).reason.contains("every person"));
        assert!(!suggest(&columns[0], Some(person), false).is_person);
    }

    #[test]
    fn columns_that_a_run_would_refuse_are_left_out() {
        let mixed = suggest(&evidence("age", 100, 8), None, true);
        assert!(mixed.role == Role::Identifier && mixed.reason.contains("type of all others"));
    }
}
