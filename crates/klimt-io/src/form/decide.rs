//! The forms of columns, from the evidence of all values.

use super::evidence::FormEvidence;
use super::{DateOrder, DecimalMark, FormSpec, ValueForm};
use crate::source::ColumnPlan;
use klimt_core::table::{ColumnSpec, DeclaredDomain, Role, ValueType};
use klimt_core::words::column_option;
use klimt_core::{Error, ErrorKind, Result};

/// What was decided of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FormDecision {
    /// Its values stay as they are.
    AsItIs,
    /// Its values are written in this form, and have to be rewritten.
    Rewrite(ValueForm),
    /// Its values are codes of digits, such as postcodes, and no numbers.
    Codes,
}

/// The forms that a column may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Candidates {
    numbers: bool,
    dates: bool,
    codes: bool,
}

/// Whether the form of a column is to be found. What its type, order, hierarchy or domain says of its texts holds.
pub fn forms_to_find(plan: &ColumnPlan) -> bool {
    candidates(plan).is_some()
}

fn candidates(plan: &ColumnPlan) -> Option<Candidates> {
    let spec = plan.spec.as_ref().filter(|_| plan.form == FormSpec::Recognise)?;
    if spec.published {
        return None;
    }
    // Equal numbers are one sensitive value, whatever zeros they begin with: as texts they would be several.
    let by_text = !matches!(spec.role, Role::Sensitive | Role::Target);
    match &spec.type_spec {
        None => Some(Candidates { numbers: true, dates: true, codes: by_text && labels(spec).is_none() }),
        Some(given) if given.pattern.is_some() => None,
        Some(given) => match given.value_type {
            ValueType::Integer | ValueType::Decimal => {
                Some(Candidates { numbers: true, dates: false, codes: false })
            }
            ValueType::Date | ValueType::Timestamp => {
                Some(Candidates { numbers: false, dates: true, codes: false })
            }
            ValueType::Boolean | ValueType::Text => None,
        },
    }
}

/// The texts of an order, a hierarchy or a list of values, which those of the column are compared with.
fn labels(spec: &ColumnSpec) -> Option<Vec<&str>> {
    if let Some(tree) = &spec.hierarchy {
        return Some((0..tree.leaf_count()).map(|leaf| tree.leaf_label(leaf)).collect());
    }
    let listed = match &spec.declared {
        Some(DeclaredDomain::Values(values)) => Some(values),
        _ => None,
    };
    spec.order.as_ref().or(listed).map(|values| values.iter().map(String::as_str).collect())
}

/// What becomes of a column whose values are compared with other texts: these are written like the values, or in the one
/// spelling.
fn beside_labels(found: Found, labels: &[&str]) -> Found {
    let Found::Form(form) = found else { return Found::AsItIs };
    let mut spelt = Vec::new();
    let is_foreign = |label: &&str| {
        spelt.clear();
        form.rewrite(label.as_bytes(), false, &mut spelt) && spelt != label.as_bytes()
    };
    if labels.iter().any(is_foreign) { Found::AsItIs } else { found }
}

/// Decides the form of every column from its evidence; fails where all values of a column have two readings.
pub fn decide(
    path: &str,
    plan: &[ColumnPlan],
    evidence: &[Option<FormEvidence>],
) -> Result<Vec<FormDecision>> {
    let found: Vec<Found> =
        plan.iter().zip(evidence).map(|(plan, evidence)| of(plan, evidence.as_ref())).collect();
    // A point between thousands looks like a decimal point. Where another column has decimal commas, it may be meant.
    let has_commas = found.contains(&Found::Form(ValueForm::Number(DecimalMark::Comma)))
        || plan.iter().any(|plan| plan.form.form() == Some(ValueForm::Number(DecimalMark::Comma)));
    let mut problems = Vec::new();
    let mut decisions = Vec::with_capacity(plan.len());
    for (plan, found) in plan.iter().zip(found) {
        let name = plan.spec.as_ref().map_or("", |spec| &spec.name);
        let decision = match found.with_hint(plan.hint) {
            Found::AsItIs | Found::Digits => FormDecision::AsItIs,
            Found::Codes => FormDecision::Codes,
            Found::Form(form) => FormDecision::Rewrite(form),
            Found::Points if !has_commas => FormDecision::AsItIs,
            Found::Points | Found::AnyMark => {
                problems.push(ambiguous(path, name, ValueForm::Number(DecimalMark::Comma), &[",", "."]));
                FormDecision::AsItIs
            }
            Found::AnyOrder => {
                problems.push(ambiguous(
                    path,
                    name,
                    ValueForm::Date(DateOrder::DayMonthYear),
                    &["dmy", "mdy"],
                ));
                FormDecision::AsItIs
            }
        };
        decisions.push(decision);
    }
    all(problems).map_or(Ok(decisions), Err)
}

/// What the evidence of one column alone says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Found {
    AsItIs,
    Codes,
    Form(ValueForm),
    /// Numbers with a decimal point, which may all stand between thousands.
    Points,
    /// Every value is a number with a point and another one with a comma.
    AnyMark,
    /// Every value is a date with the day first and another one with the month first.
    AnyOrder,
    /// Every value is eight digits that are a day.
    Digits,
}

impl Found {
    /// What is meant where there are two readings, and one of them was meant before.
    fn with_hint(self, hint: Option<ValueForm>) -> Found {
        match (self, hint) {
            (Found::Points | Found::AnyMark, Some(form @ ValueForm::Number(_)))
            | (Found::AnyOrder, Some(form @ ValueForm::Date(_)))
            | (Found::Digits, Some(form @ ValueForm::Date(DateOrder::YearMonthDay))) => Found::Form(form),
            (found, _) => found,
        }
    }
}

fn of(plan: &ColumnPlan, evidence: Option<&FormEvidence>) -> Found {
    let (Some(candidates), Some(evidence)) = (candidates(plan), evidence) else { return Found::AsItIs };
    if !evidence.any {
        return Found::AsItIs;
    }
    // Ranges of numbers say more of neighbouring postcodes than sets of texts: where zeros do not tell, only a column that is
    // kept goes by its name.
    let by_name = |spec: &ColumnSpec| spec.role == Role::Insensitive && names_codes(&spec.name);
    let named = evidence.has_one_length() && plan.spec.as_ref().is_some_and(by_name);
    if candidates.codes && (named || evidence.has_leading_zeros()) {
        return Found::Codes;
    }
    if candidates.dates && evidence.has_days_of_digits() {
        return Found::Digits;
    }
    let number = if candidates.numbers { of_numbers(evidence) } else { Found::AsItIs };
    let found = match number {
        Found::AsItIs if candidates.dates => of_dates(evidence),
        found => found,
    };
    match plan.spec.as_ref().and_then(labels) {
        Some(labels) => beside_labels(found, &labels),
        None => found,
    }
}

fn of_numbers(evidence: &FormEvidence) -> Found {
    let (point, comma) = (evidence.point, evidence.comma);
    match (point.fits_all, comma.fits_all) {
        (true, true) if evidence.marks_differ && point.changes => Found::AnyMark,
        (true, true) if evidence.marks_differ => Found::Points,
        (true, _) if point.changes => Found::Form(ValueForm::Number(DecimalMark::Point)),
        (false, true) => Found::Form(ValueForm::Number(DecimalMark::Comma)),
        _ => Found::AsItIs,
    }
}

fn of_dates(evidence: &FormEvidence) -> Found {
    let [days_first, months_first, years_first] = evidence.dates;
    let form = |order| Found::Form(ValueForm::Date(order));
    if years_first.fits_all {
        return if years_first.changes { form(DateOrder::YearMonthDay) } else { Found::AsItIs };
    }
    match (days_first.fits_all, months_first.fits_all) {
        (true, true) if evidence.orders_differ => Found::AnyOrder,
        (true, _) => form(DateOrder::DayMonthYear),
        (false, true) => form(DateOrder::MonthDayYear),
        (false, false) => Found::AsItIs,
    }
}

/// Words in the names of columns whose digits are codes.
const CODE_WORDS: [&str; 6] = ["postcode", "postalcode", "zip", "zipcode", "plz", "code"];

/// Whether a word of the name says that the values are codes, as in `zip_code`, `PLZ` or `homePostcode`.
fn names_codes(name: &str) -> bool {
    let mut words = vec![String::new()];
    let mut lower_before = false;
    for character in name.chars() {
        let begins = character.is_uppercase() && lower_before;
        if !character.is_alphabetic() || begins {
            words.push(String::new());
        }
        if character.is_alphabetic() {
            let word = words.last_mut().expect("there is a word");
            word.extend(character.to_lowercase());
        }
        lower_before = character.is_lowercase();
    }
    words.iter().any(|word| CODE_WORDS.contains(&word.as_str()))
}

fn ambiguous(path: &str, column: &str, form: ValueForm, choices: &[&str]) -> Error {
    let (what, option) = match form {
        ValueForm::Number(_) => {
            ("number with a decimal comma and another one with a decimal point", "decimal")
        }
        ValueForm::Date(_) => ("date with the day first and another one with the month first", "date-form"),
    };
    let error = Error::input(format!("{path}: column {column}: its values could each be a {what}"));
    let error = choices.iter().fold(error, |error, choice| {
        error.with_help(format!("say which is meant: {}", column_option(option, column, Some(choice))))
    });
    error.with_help(format!("leave them as they are: {}", column_option("type", column, Some("text"))))
}

fn all(mut problems: Vec<Error>) -> Option<Error> {
    if problems.len() < 2 {
        return problems.pop();
    }
    let messages = problems.iter().map(|problem| problem.message().to_string()).collect();
    let error = Error::all(ErrorKind::Input, messages)?;
    let remedies = problems.iter().flat_map(Error::remedies);
    Some(remedies.fold(error, |error, remedy| error.with_help(remedy.clone())))
}

#[cfg(test)]
mod tests;
