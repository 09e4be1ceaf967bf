//! Widths of published values that look like something else.

use klimt_verify::Tally;
use klimt_verify::width::{Domain, least_width, width};

/// The least width of a column that publishes these values.
fn least(values: &[&str]) -> String {
    let mut tally = Tally::new(&["x"], &[]);
    values.iter().for_each(|value| tally.add(&[value], &[]).unwrap());
    least_width(&tally, "x", &Domain::Natural).unwrap().to_string()
}

#[test]
fn a_missing_value_makes_no_category_of_numbers() {
    assert_eq!(least(&["[1..9]", ""]), "0");
    assert_eq!(least(&["[1..9]", "*"]), "8");
    assert_eq!(least(&["{a|b}", ""]), "1", "a missing value is a category among others");
}

#[test]
fn a_backslash_is_only_taken_away_from_what_looks_published() {
    assert_eq!(least(&[r"\5"]), "1", "a category");
    assert_eq!(least(&[r"\[1..9]"]), "1");
    assert_eq!(least(&["5"]), "0", "a number");
}

#[test]
fn a_value_that_looks_like_a_form_has_a_rank() {
    let domain = Domain::order(["*", "[1..9]", "5"].map(String::from));
    for published in [r"\*", r"\[1..9]", "5"] {
        let found = width(published, &domain).map(|width| width.to_string());
        assert_eq!(found.as_deref(), Some("0"), "{published}");
    }
    assert_eq!(width(r"\[2..9]", &domain), None);
    assert_eq!(width("*", &domain).unwrap().to_string(), "unlimited");
}

#[test]
fn an_interval_is_divided_at_its_first_dots_without_a_backslash() {
    let order = |values: &[&str]| Domain::order(values.iter().map(|value| value.to_string()));
    let domain = order(&["a", "b..c", r"d\", "e.", "f"]);
    for (published, expected) in
        [(r"[a..b\.\.c]", "1"), (r"[a..d\\]", "2"), (r"[e\...f]", "1"), (r"[b\.\.c..e\.]", "2")]
    {
        assert_eq!(
            width(published, &domain).map(|width| width.to_string()).as_deref(),
            Some(expected),
            "{published}"
        );
    }
    let domain = order(&[r"a\", "b..c"]);
    let found = width(r"[a\\..b..c]", &domain).map(|width| width.to_string());
    assert_eq!(found.as_deref(), Some("1"), "dots after the first belong to the upper end");
}
