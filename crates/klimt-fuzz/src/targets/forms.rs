//! Numbers and dates in any form: what is given on is not changed again, and numbers and days are what a table takes them for.

use klimt_core::table::{TypeSpec, ValueType};
use klimt_io::form::{DateOrder, DecimalMark, ValueForm};

/// Rewrites a text in every form.
pub fn run(data: &[u8]) {
    let numbers = [DecimalMark::Point, DecimalMark::Comma].map(ValueForm::Number);
    let dates = DateOrder::ALL.map(ValueForm::Date);
    for form in numbers.into_iter().chain(dates) {
        for declared in [false, true] {
            let mut once = Vec::new();
            if !form.rewrite(data, declared, &mut once) {
                assert!(once.is_empty(), "something was given on that is not of the form");
                continue;
            }
            let (canonical, types) = match form {
                ValueForm::Number(_) => (ValueForm::Number(DecimalMark::Point), &[ValueType::Decimal][..]),
                ValueForm::Date(_) => {
                    (ValueForm::Date(DateOrder::YearMonthDay), &[ValueType::Date, ValueType::Timestamp][..])
                }
            };
            let mut twice = Vec::new();
            assert!(canonical.rewrite(&once, declared, &mut twice) && once == twice, "it changes again");
            let text = std::str::from_utf8(&once).expect("digits and marks");
            let fits = |value_type: &ValueType| TypeSpec::from(*value_type).position(text).is_some();
            // Longer numbers and exponents may be more than a table holds.
            let is_small = text.len() < 24 && !text.contains(['e', 'E']);
            assert!(!is_small || types.iter().any(fits), "it is not of its type");
        }
    }
}

/// Texts in every form.
pub fn samples() -> Vec<Vec<u8>> {
    let texts = [
        "1.234.567,89",
        "1,234,567.89",
        "-1 234,5",
        "1'234.5e-3",
        "31.12.2020",
        "12/31/99 11:59 PM",
        "20201231",
        "2020/1/2 3:04:05.678",
        "29.2.2024, 12:00",
        "2020-02-01T10:00:00+01:00",
    ];
    texts.iter().map(|text| text.as_bytes().to_vec()).collect()
}
