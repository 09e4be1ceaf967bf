//! Raw values that look like published forms are read back as what they are, by every command.

use crate::common::Place;
use serde_json::Value;

const WEIRD: [&str; 12] =
    ["5.", "[1..9]", "{a|b}", "(3..4]", r"\*", r"\", r"\\{a|b}", "a", "b", "{", "a..b", "plain"];

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('"', "\"\""))
}

fn table() -> String {
    let mut text = String::from("code,age,ill\n");
    for row in 0..60 {
        text.push_str(&format!("{},{},i{}\n", quoted(WEIRD[row % WEIRD.len()]), 20 + row / 12, row % 3));
    }
    text
}

/// Every command that reads a release reads this one, and finds the losses of its certificate.
fn is_read(place: &Place, flags: &str, k: u64) {
    let roles = format!("--qi code,age --sensitive ill {flags}");
    place.ok(&format!("verify out.csv {roles} -k {k}"));
    place.ok(&format!("verify out.csv {roles} -k {k} --attack --background in.csv"));
    place.ok(&format!("report in.csv out.csv {roles} -k {k} -o page.html -q"));
    place.ok(&format!("query in.csv out.csv --values {roles}"));
    let json = |text: &str| -> Value { serde_json::from_str(text).unwrap() };
    let measured =
        json(&place.ok(&format!("measure in.csv out.csv --qi code,age {flags} -k {k} --json")).out);
    let certificate = json(&place.read("out.csv.certificate.json"));
    let (found, said) = (&measured["losses"]["ncp"], &certificate["losses"]["ncp"]);
    let difference = found.as_f64().unwrap() - said.as_f64().unwrap();
    assert!(difference.abs() < 1e-4, "{flags}: {found} {said}");
}

#[test]
fn weird_values_round_trip_as_sets() {
    let place = Place::new();
    place.write("in.csv", table());
    for method in ["mondrian", "local", "scheme"] {
        let roles = "--qi code,age --sensitive ill -k 2 -q -o out.csv";
        place.ok(&format!("anonymize in.csv {roles} --algorithm {method}"));
        is_read(&place, "", 2);
    }
    place.ok("anonymize in.csv --qi code,age --sensitive ill -k 1 -q -o out.csv");
    let out = place.read("out.csv");
    for (raw, published) in
        [("[1..9]", r"\[1..9]"), ("{a|b}", r"\{a|b}"), (r"\*", r"\\*"), ("5.", "5."), ("plain", "plain")]
    {
        assert!(out.lines().any(|line| line.starts_with(&format!("{published},"))), "{raw}: {out}");
    }
    is_read(&place, "", 1);
}

#[test]
fn weird_values_round_trip_as_intervals_of_an_order() {
    let place = Place::new();
    place.write("in.csv", table()).write("order.txt", WEIRD.join("\n"));
    for extent in ["compact", "region"] {
        let flags = "--order code=order.txt";
        place.ok(&format!(
            "anonymize in.csv --qi code,age --sensitive ill {flags} -k 7 --extent {extent} -q -o out.csv"
        ));
        is_read(&place, flags, 7);
    }
}

#[test]
fn labels_that_look_like_intervals_are_labels() {
    let place = Place::new();
    let mut hierarchy = String::new();
    for (at, value) in WEIRD.iter().enumerate() {
        hierarchy.push_str(&format!("{},[{}..{}],*\n", quoted(value), at / 4, at / 4 + 1));
    }
    place.write("in.csv", table()).write("h.csv", hierarchy);
    place.ok("anonymize in.csv --qi code,age --sensitive ill --hierarchy code=h.csv -k 9 -q -o out.csv");
    assert!(place.read("out.csv").contains("\n[0..1],"), "labels are published as they are");
    is_read(&place, "--hierarchy code=h.csv", 9);
}

/// The schemes of intervals and of sets publish raw values and sets of them, whatever hierarchy guides them.
#[test]
fn leaves_of_a_hierarchy_that_guides_a_scheme_are_raw_values() {
    let place = Place::new();
    let mut hierarchy = String::new();
    for (at, value) in WEIRD.iter().enumerate() {
        hierarchy.push_str(&format!("{},g{},*\n", quoted(value), at / 4));
    }
    place.write("in.csv", table()).write("h.csv", hierarchy);
    let flags = "--hierarchy code=h.csv";
    for (scheme, k) in [("ops", 2), ("ops", 5), ("gops", 5), ("sps", 2), ("sps", 5), ("gsps", 5)] {
        let method = format!("--algorithm scheme --scheme code={scheme}");
        place.ok(&format!(
            "anonymize in.csv --qi code,age --sensitive ill {flags} {method} -k {k} -q -o out.csv"
        ));
        if k == 5 {
            assert!(
                place.read("out.csv").contains("\n\\[1..9],[20..24],"),
                "{scheme}: every value is published alone"
            );
        }
        is_read(&place, flags, k);
    }
}

#[test]
fn numbers_with_a_dot_at_an_end_are_told_apart() {
    let place = Place::new();
    let values = ["1.", "2.", ".5", "7", "9.", "11.", ".75", "3"];
    let mut text = String::from("code,age,ill\n");
    (0..64).for_each(|row| text.push_str(&format!("{},{},i{}\n", values[row % 8], 20 + row % 5, row % 3)));
    place.write("in.csv", text);
    for extent in ["compact", "region"] {
        place.ok(&format!(
            "anonymize in.csv --qi code,age --sensitive ill -k 5 --extent {extent} -q -o out.csv"
        ));
        is_read(&place, "", 2);
        place.ok("verify out.csv --qi code,age -k 5 --min-width code=0");
    }
}
