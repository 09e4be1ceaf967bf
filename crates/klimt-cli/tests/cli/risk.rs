//! What `klimt inspect` tells of risk, against numbers by hand.

use crate::common::Place;
use serde_json::Value;

/// By age and sex the groups have 2, 1, 3, 3 and 1 rows.
const TABLE: &str = "age,sex,disease,note\n\
    30,f,flu,n1\n30,f,flu,n2\n30,m,gout,n3\n40,f,flu,n4\n40,f,gout,n5\n\
    40,f,,n6\n50,m,,n7\n50,m,,n8\n50,m,,n9\n60,m,flu,n10\n";

const ROLES: &str = "--qi age,sex --sensitive disease --identifier note";

fn inspect(place: &Place, args: &str) -> Value {
    serde_json::from_str(&place.ok(&format!("inspect in.csv --json {args}")).out).unwrap()
}

fn near(value: &Value, expected: f64) {
    let value = value.as_f64().unwrap();
    assert!((value - expected).abs() < 1e-12, "{value} is not {expected}");
}

#[test]
fn every_attacker_has_a_risk() {
    let place = Place::new();
    place.write("in.csv", TABLE);
    let risk = &inspect(&place, &format!("{ROLES} --sampling-fraction 50% --risk-threshold 0.25"))["risk"];
    assert_eq!(risk["quasi_identifiers"], serde_json::json!(["age", "sex"]));
    for (key, expected) in [("rows", 10), ("groups", 5), ("tuples", 5), ("smallest_group", 1), ("unique", 2)]
    {
        assert_eq!(risk[key], expected, "{key}");
    }
    near(&risk["unique_share"], 0.2);
    near(&risk["threshold"], 0.25);
    near(&risk["sampling_fraction"], 0.5);
    for (attacker, highest, average, above) in [("prosecutor", 1.0, 0.5, 1.0), ("journalist", 0.5, 0.25, 0.2)]
    {
        near(&risk[attacker]["highest"], highest);
        near(&risk[attacker]["average"], average);
        near(&risk[attacker]["above_threshold"], above);
    }
    near(&risk["marketer"], 0.25);
    // f1 = 2, f2 = 1, f3 = 2: P = 2/(2 + 2·½ + 6·¼) = 4/9, and 2·P/½.
    assert_eq!(risk["population"]["size"], 20);
    near(&risk["population"]["zayatz"]["uniques"], 16.0 / 9.0);
    near(&risk["population"]["zayatz"]["share"], 16.0 / 180.0);
    let pitman = risk["population"]["pitman"]["uniques"].as_f64().unwrap();
    assert!((1.0..=4.0).contains(&pitman), "{pitman}");
}

#[test]
fn without_a_sampling_fraction_there_is_no_population() {
    let place = Place::new();
    place.write("in.csv", TABLE);
    let risk = &inspect(&place, ROLES)["risk"];
    assert_eq!(risk["journalist"], risk["prosecutor"]);
    near(&risk["threshold"], 0.2);
    near(&risk["marketer"], 0.5);
    assert!(risk.get("population").is_none());
    let hint = "Without --sampling-fraction";
    assert!(place.ok(&format!("inspect in.csv {ROLES}")).out.contains(hint));
    assert!(!place.ok(&format!("inspect in.csv {ROLES} --sampling-fraction 0.1")).out.contains(hint));
}

#[test]
fn columns_tell_what_they_add() {
    let place = Place::new();
    place.write("in.csv", TABLE);
    // A value of the order that nobody has is nobody's.
    place.write("order.txt", "f\nm\nx\n");
    let found = inspect(&place, &format!("{ROLES} --order sex=order.txt"));
    let column =
        |name: &str| found["columns"].as_array().unwrap().iter().find(|c| c["name"] == name).unwrap();
    for (name, alone) in [("age", 1), ("sex", 0), ("disease", 0), ("note", 10)] {
        assert_eq!(column(name)["unique_alone"], alone, "{name}");
    }
    assert_eq!((&column("age")["adds_unique"], &column("sex")["adds_unique"]), (&2.into(), &1.into()));
    // All but the three of 40, f; those of 50, m are certain to be missing.
    near(&column("disease")["certain"], 0.7);
    assert!(column("age").get("certain").is_none() && column("note").get("adds_unique").is_none());
    assert_eq!((&column("disease")["missing"], &column("disease")["distinct"]), (&4.into(), &2.into()));
}

#[test]
fn the_text_says_as_much_and_no_values() {
    let place = Place::new();
    place.write("in.csv", TABLE);
    let text = place.ok(&format!("inspect in.csv {ROLES} --sampling-fraction 50%")).out;
    let lines: Vec<Vec<&str>> = text.lines().map(|line| line.split_whitespace().collect()).collect();
    for expected in [
        "age integer 4 0 quasi-identifier 1 2 -",
        "disease text 2 4 sensitive 0 - 70.00%",
        "prosecutor 100.00% 50.00% 100.00% knows that the person is in the table",
        "journalist 50.00% 25.00% 40.00% does not know who of the population is in the table",
        "marketer - 25.00% - tries every row: the share expected to be found",
        "unique: 2 rows (20.00%)",
    ] {
        assert!(lines.contains(&expected.split(' ').collect()), "{expected}\n{text}");
    }
    assert!(text.contains("rows above 20%") && text.contains("2 people (8.89%) by Zayatz"), "{text}");
    assert!(!text.contains("gout") && !text.contains("warning"), "{text}");
}

#[test]
fn nearly_unique_columns_that_are_published_are_warned_of() {
    let place = Place::new();
    place.write("in.csv", TABLE);
    for role in ["insensitive", "sensitive", "target"] {
        let args = format!("--qi age,sex --sensitive disease --{role} note");
        let warnings = inspect(&place, &args)["warnings"].clone();
        let warning = warnings[0].as_str().unwrap();
        assert!(warning.starts_with(&format!("column note ({role})")), "{warning}");
        assert!(
            warning.contains("looks like an identifier") && warning.contains("--identifier note"),
            "{warning}"
        );
        assert_eq!(warnings.as_array().unwrap().len(), 1);
        assert!(place.ok(&format!("inspect in.csv {args}")).out.contains(&format!("warning: {warning}\n")));
    }
    assert_eq!(inspect(&place, "--sensitive disease --identifier note")["warnings"], serde_json::json!([]));
    // Generalised to sets, they would nearly name the rows all the same.
    let warnings = inspect(&place, "--sensitive disease --qi note")["warnings"].clone();
    let warning = warnings[0].as_str().unwrap();
    assert!(warning.contains("column note (quasi-identifier) would be generalised"), "{warning}");
    assert!(warning.contains("--accept note"), "{warning}");
}

#[test]
fn warnings_of_numbers_start_above_nine_tenths() {
    let place = Place::new();
    // Of 100 rows, the values of the first pairs are shared by two.
    let table = |pairs: usize| {
        let rows =
            (0..100).map(|row| format!("{},{}\n", row % 7, if row < 2 * pairs { row / 2 } else { row }));
        format!("age,salary\n{}", rows.collect::<String>())
    };
    for (pairs, expected) in [
        (0, Some("100 of 100 rows have a value")),
        (4, Some("92 of 100 rows have a value")),
        (5, Some("100 rows have 95 different values")),
        (9, Some("100 rows have 91 different values")),
        (10, None),
    ] {
        place.write("in.csv", table(pairs));
        let warnings = inspect(&place, "--sensitive salary")["warnings"].clone();
        let warning = warnings[0].as_str();
        assert_eq!(warning.is_some(), expected.is_some(), "{pairs}: {warnings}");
        assert!(warning.unwrap_or("").contains(expected.unwrap_or("")), "{pairs}: {warnings}");
        // Nobody is told to publish such numbers as they are.
        let suggested = inspect(&place, "");
        assert_eq!(suggested["warnings"], serde_json::json!([]));
        assert_eq!(suggested["columns"][1]["role"], "quasi-identifier");
    }
}

#[test]
fn shares_that_are_none_are_refused() {
    let place = Place::new();
    place.write("in.csv", TABLE);
    for (args, flag) in [
        ("--sampling-fraction 0", "--sampling-fraction: a share"),
        ("--sampling-fraction 101%", "--sampling-fraction: a share"),
        ("--risk-threshold some", "--risk-threshold: a chance"),
        ("--risk-threshold=-1%", "--risk-threshold: a chance"),
    ] {
        let ran = place.run(&format!("inspect in.csv {args}"));
        assert_eq!(ran.code, Some(2), "{args}");
        assert!(ran.err.contains(flag) && ran.out.is_empty(), "{args}: {}", ran.err);
    }
}
