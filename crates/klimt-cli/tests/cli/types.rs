//! Columns whose values make no sense together are refused, and declared types hold.

use crate::common::Place;

/// Rows of an age, a city, a name of everybody's own, and an income, with other texts in places.
fn table(rows: usize, age: impl Fn(usize) -> Option<&'static str>) -> String {
    let mut text = String::from("age,city,name,income,disease\n");
    for row in 0..rows {
        let number = (20 + row % 17).to_string();
        let city = ["Bern", "Graz", "Wien"][row % 3];
        let income = if row == 3 { "unknown".to_string() } else { (1000 + row % 5 * 100).to_string() };
        let disease = ["flu", "gout", "asthma", "cold"][row % 4];
        text.push_str(&format!("{},{city},Person {row},{income},{disease}\n", age(row).unwrap_or(&number)));
    }
    text
}

const DROP: &str = "--other drop -k 4 -o out.csv";

#[test]
fn a_few_texts_among_numbers_are_refused_with_their_lines() {
    let place = Place::new();
    place.write(
        "in.csv",
        table(60, |row| {
            [(10, "n/a"), (18, "Zoe"), (40, "n/a")].iter().find(|(at, _)| *at == row).map(|(_, text)| *text)
        }),
    );
    for command in ["anonymize", "anonymize --memory 16MB --algorithm rothko-t"] {
        let ran = place.run(&format!("{command} in.csv --qi age,city {DROP}"));
        assert_eq!(ran.code, Some(2), "{}", ran.err);
        let told =
            "in.csv: column age: 2 values on 3 rows are not numbers, as all others are: lines 12, 20, 42";
        assert!(ran.err.contains(told), "{}", ran.err);
        assert!(ran.err.contains("--missing n/a") && ran.err.contains("--type age=text"), "{}", ran.err);
        assert!(!ran.err.contains("Zoe") && !place.exists("out.csv"), "{}", ran.err);
    }
    let text = place.ok(&format!("anonymize in.csv --qi age,city --type age=text {DROP}"));
    assert!(text.err.contains("60 rows"), "{}", text.err);
    assert!(place.read("out.csv").contains('{'), "sets of texts");
    place.ok(&format!("anonymize in.csv --qi age,city --missing n/a --missing Zoe {DROP}"));
    assert!(place.read("out.csv").contains(".."), "intervals of numbers");
    // Every command that reads the column says the same.
    for command in [
        "measure in.csv out.csv --qi age,city",
        "compare in.csv --qi age,city --other drop --k 4 --algorithms mondrian",
        "report in.csv out.csv --qi age,city -k 4 -o page.html --certificate none.json",
        "query in.csv --qi age,city --random 5",
        "index create store --like in.csv --key name --qi age,city --other drop -k 4",
    ] {
        let ran = place.run(command);
        assert_eq!(ran.code, Some(2), "{command}: {}", ran.err);
        assert!(
            command.starts_with("report") || ran.err.contains("lines 12, 20, 42"),
            "{command}: {}",
            ran.err
        );
    }
    place.write(
        "klimt.toml",
        "missing = [\"n/a\", \"Zoe\"]\nother = \"drop\"\nk = 4\n[columns.age]\nrole = \"quasi-identifier\"\n",
    );
    place.ok("anonymize in.csv --spec klimt.toml -o spec.csv");
    let certificate = place.read("spec.csv.certificate.json");
    assert!(certificate.contains("\"type\": \"integer\""), "{certificate}");
}

#[test]
fn every_kind_of_marker_is_named() {
    for (marker, flag) in
        [("NA", "--missing NA"), ("NaN", "--missing NaN"), ("-inf", "--missing=-inf"), ("?", "--missing '?'")]
    {
        let place = Place::new();
        // Markers stand on half of the rows.
        place.write("in.csv", table(60, |row| (row % 2 == 0).then_some(marker)));
        let ran = place.run(&format!("anonymize in.csv --qi age {DROP}"));
        assert_eq!(ran.code, Some(2), "{}", ran.err);
        assert!(ran.err.contains("1 value on 30 rows is no number") && ran.err.contains(flag), "{}", ran.err);
        assert!(ran.err.contains("lines 2, 4, 6, 8, 10, 12, 14, 16, 18, 20 and more"), "{}", ran.err);
    }
}

#[test]
fn a_sensitive_number_must_be_one_where_its_order_counts() {
    let place = Place::new();
    place.write("in.csv", table(60, |_| None));
    let by = |requirement: &str| {
        place.run(&format!("anonymize in.csv --qi age --sensitive income {requirement} {DROP}"))
    };
    for requirement in ["--t-closeness 0.9:ordered", "--t-closeness 0.9", "--variance 1"] {
        let ran = by(requirement);
        assert_eq!(ran.code, Some(2), "{requirement}: {}", ran.err);
        assert!(
            ran.err.contains("column income: 1 value on 1 row is no number, as all others are: line 5"),
            "{}",
            ran.err
        );
    }
    let told = by("--l-diversity distinct:2");
    assert_eq!(told.code, Some(0), "{}", told.err);
    assert!(
        told.err.contains("warning: in.csv: column income: 1 value on 1 row is no number"),
        "{}",
        told.err
    );
    let silent = by("");
    assert!(silent.code == Some(0) && !silent.err.contains("no number"), "{}", silent.err);
}

#[test]
fn sets_that_nearly_name_every_row_are_refused() {
    let place = Place::new();
    place.write("in.csv", table(60, |_| None));
    let ran = place.run(&format!("anonymize in.csv --qi age,name {DROP}"));
    assert_eq!(ran.code, Some(2), "{}", ran.err);
    let told = "in.csv: column name (quasi-identifier) would be generalised and published: it looks like an identifier";
    assert!(ran.err.contains(told), "{}", ran.err);
    for help in ["--identifier name", "--accept name"] {
        assert!(ran.err.contains(help), "{}", ran.err);
    }
    assert!(!place.exists("out.csv"));
    place.ok(&format!("anonymize in.csv --qi age,name --accept name {DROP}"));
    assert!(place.read("out.csv").contains("{Person"));
    let certificate = place.read("out.csv.certificate.json");
    assert!(certificate.contains("\"accept\""), "{certificate}");
    place.write(
        "klimt.toml",
        "other = \"drop\"\nk = 4\naccept = [\"name\"]\n[columns.name]\nrole = \"quasi-identifier\"\n",
    );
    place.ok("anonymize in.csv --spec klimt.toml -o spec.csv");
    assert_eq!(
        place.run("index create store --like in.csv --key disease --qi name --other drop -k 4").code,
        Some(2)
    );
    // Of the first rows of a store, too.
    place.write("like.csv", "id,name,city\n1,a,b\n");
    place.ok("index create store --like like.csv --key id --qi name,city --accept name --other drop -k 4");
    let batch: String = (0..60).map(|row| format!("{row},Person {row},Wien\n")).collect();
    place.write("batch.csv", format!("id,name,city\n{batch}"));
    let refused = place.run("index insert store batch.csv");
    assert!(
        refused.code == Some(2) && refused.err.contains("column name (quasi-identifier)"),
        "{}",
        refused.err
    );
    place.ok("index insert store batch.csv --accept name");
}

#[test]
fn inspect_and_init_tell_and_do_not_fail() {
    let place = Place::new();
    place.write("in.csv", table(60, |row| (row == 10).then_some("n/a")));
    let told = place.ok("inspect in.csv --qi name,city");
    assert!(
        told.out.contains("column age: 1 value on 1 row is no number, as all others are: line 12"),
        "{}",
        told.out
    );
    assert!(told.out.contains("column name (quasi-identifier) would be generalised"), "{}", told.out);
    assert!(!told.out.contains("column city"), "{}", told.out);
    let made = place.ok("init in.csv");
    assert!(
        !made.err.contains("warning") && made.err.contains("klimt anonymize --spec klimt.toml"),
        "{}",
        made.err
    );
    assert!(
        place.read("klimt.toml").contains("missing = [\"n/a\", \"unknown\"]"),
        "{}",
        place.read("klimt.toml")
    );
    place.ok("anonymize --spec klimt.toml");
    // What is an identifier does not matter.
    let told = place.ok("inspect in.csv --identifier name,age,income");
    assert!(!told.out.contains("no number") && !told.out.contains("would be"), "{}", told.out);
}

#[test]
fn small_tables_and_few_names_are_published() {
    let place = Place::new();
    let names = ["a", "b", "c", "d", "e", "f", "a", "b", "a", "b"].join("\n");
    place.write("in.csv", format!("town\n{names}\n"));
    place.ok("anonymize in.csv --qi town -k 2 -o out.csv");
}
