//! Rows that are `*` in every quasi-identifier are a group like any other, and `verify` tells nobody's values.

use crate::common::Place;
use serde_json::Value;

const RELEASE: &str =
    "age,sex,ill\n[20..30],f,flu\n[20..30],f,gout\n[20..30],f,cold\n[20..30],f,flu\n*,*,HIV\n";
const ROLES: &str = "--qi age,sex --sensitive ill";

#[test]
fn a_row_of_stars_is_checked_by_every_command() {
    let place = Place::new();
    place
        .write("out.csv", RELEASE)
        .write("in.csv", "age,sex,ill\n20,f,flu\n22,f,gout\n25,f,cold\n30,f,flu\n40,m,HIV\n");
    for asked in ["-k 4", "-k 1 --l-diversity distinct:3", "-k 1 --alpha 0.5", "-k 1 --l-diversity entropy:2"]
    {
        let ran = place.run(&format!("verify out.csv {ROLES} {asked}"));
        assert_eq!(ran.code, Some(1), "{asked}: {}", ran.out);
        assert!(ran.out.contains("suppressed    0\ngroups        2\n"), "{}", ran.out);
        let ran = place.run(&format!("report in.csv out.csv {ROLES} {asked} -o page.html"));
        assert_eq!(ran.code, Some(1), "{asked}: {}", ran.out);
    }
    let json = |args: &str| -> Value { serde_json::from_str(&place.ok(args).out).unwrap() };
    let measured = json("measure in.csv out.csv --qi age,sex -k 1 --json");
    assert_eq!((&measured["suppressed"], &measured["groups"]), (&Value::from(0), &Value::from(2)));
    assert_eq!(measured["smallest_group"], 1);
}

#[test]
fn releases_of_other_tools_are_read_by_an_option_that_is_named() {
    let place = Place::new();
    place
        .write("out.csv", RELEASE)
        .write("in.csv", "age,sex,ill\n20,f,flu\n22,f,gout\n25,f,cold\n30,f,flu\n40,m,HIV\n");
    let asked = format!("{ROLES} -k 4 --l-diversity distinct:3 --stars-are-suppressed");
    let ran = place.ok(&format!("verify out.csv {asked}"));
    assert!(ran.out.contains("suppressed    1\ngroups        1\n"), "{}", ran.out);
    assert!(ran.out.contains("--stars-are-suppressed: 1 rows"), "{}", ran.out);
    let json: Value = serde_json::from_str(&place.ok(&format!("verify out.csv {asked} --json")).out).unwrap();
    assert_eq!(json["read_with"][0], "stars-are-suppressed");
    place.ok(&format!("report in.csv out.csv {asked} -o page.html"));
    let page = place.read("page.html");
    assert!(page.matches("--stars-are-suppressed").count() >= 2, "the warning and the command name it");
    let ran = place.ok("measure in.csv out.csv --qi age,sex --stars-are-suppressed");
    assert!(ran.err.contains("--stars-are-suppressed: 1 rows"), "{}", ran.err);
    let ran = place.run(&format!("verify out.csv {asked} --against out.csv --key age"));
    assert_eq!(ran.code, Some(2), "several releases are linked by all of their rows");
}

#[test]
fn a_release_of_stars_alone_is_one_group() {
    let place = Place::new();
    place.write("out.csv", "age,sex\n*,*\n*,*\n*,*\n");
    for flag in ["", "--stars-are-suppressed"] {
        place.ok(&format!("verify out.csv --qi age,sex -k 3 {flag}"));
        assert_eq!(place.run(&format!("verify out.csv --qi age,sex -k 4 {flag}")).code, Some(1));
    }
}

#[test]
fn a_raw_star_is_refused_with_its_lines_and_may_stand_for_a_missing_value() {
    let place = Place::new();
    let mut text = String::from("zip,age,ill\n");
    (0..12).for_each(|row| text.push_str(&format!("{},{},flu\n", ["a", "*", "b"][row % 3], 20 + row)));
    place.write("in.csv", &text);
    let columns = "--qi zip,age --other drop -k 3";
    for algorithm in ["mondrian", "scheme", "rothko-t"] {
        let ran = place.run(&format!("anonymize in.csv {columns} --algorithm {algorithm} -o out.csv"));
        assert_eq!(ran.code, Some(2), "{}", ran.err);
        assert!(ran.err.contains("column zip: 1 value on 4 rows is *"), "{}", ran.err);
        assert!(ran.err.contains("lines 3, 6, 9, 12") && ran.err.contains("--missing '*'"), "{}", ran.err);
        assert!(!place.exists("out.csv"));
    }
    let ran = place.run("measure in.csv in.csv --qi zip,age");
    assert_eq!(ran.code, Some(2), "the original is raw: {}", ran.err);
    place.ok(&format!("anonymize in.csv {columns} --missing * -o out.csv"));
    place.ok("verify out.csv --qi zip,age -k 3");
    place.ok("anonymize in.csv --qi age --sensitive zip --other drop -k 3 -o out.csv");
}

#[test]
fn a_hierarchy_label_below_the_root_is_not_a_star() {
    let place = Place::new();
    place.write("in.csv", "zip\na\na\nb\nb\n").write("h.csv", "a,*,any\nb,*,any\n");
    let ran = place.run("anonymize in.csv --qi zip --hierarchy zip=h.csv -k 2 -o out.csv");
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("a label * stands below the root: line 1, level 1"), "{}", ran.err);
}

#[test]
fn verify_prints_numbers_and_no_values_of_groups_that_fall_short() {
    let place = Place::new();
    let mut text = String::from("age,name,ill\n18,zebra-person,flu\n[20..29],*,flu\n[20..29],*,flu\n");
    text.push_str("[30..39],*,flu\n[30..39],*,gout\n[30..39],*,cold\n");
    place.write("out.csv", &text);
    let asked = "verify out.csv --qi age,name --sensitive ill -k 2 --l-diversity distinct:2";
    for flags in ["", "--json", "--show-groups", "--show-groups --json", "--attack", "--attack --show-groups"]
    {
        let ran = place.run(&format!("{asked} {flags}"));
        assert_eq!(ran.code, Some(1));
        let told = format!("{}{}", ran.out, ran.err);
        for value in ["zebra", "=18", "\"18\"", "20..29"] {
            assert!(!told.contains(value), "{flags}: {value}: {told}");
        }
        assert!(ran.err.contains("group 1 (1 row), group 2 (2 rows)"), "{}", ran.err);
        assert_eq!(told.contains("30..39"), flags.contains("--show-groups"), "{flags}: {told}");
    }
    let json: Value = serde_json::from_str(&place.run(&format!("{asked} --json --show-groups")).out).unwrap();
    assert_eq!(json["worst"], serde_json::json!([{"group": 1, "rows": 1}, {"group": 2, "rows": 2}]));
    let shown = serde_json::json!([{"group": 3, "rows": 3, "values": {"age": "[30..39]", "name": "*"}}]);
    assert_eq!(json["groups"], shown);
    let ran = place.run("verify out.csv --qi age,name --show-groups");
    assert!(!ran.out.contains("zebra"), "a single row is never shown: {}", ran.out);
    let ran = place.run("verify out.csv --qi age,name -k 2 --min-width age=20 --show-groups");
    assert!(!ran.out.contains("20..29"), "too narrow intervals are not shown: {}", ran.out);
}

#[test]
fn a_key_links_releases_without_telling_it() {
    let place = Place::new();
    place.write("new.csv", "pid,age\np1,[20..29]\np2,[20..29]\np3,[30..39]\np4,[30..39]\n");
    place.write("old.csv", "pid,age\np1,[20..25]\np3,[20..25]\np2,[26..39]\np4,[26..39]\n");
    let ran = place.run("verify new.csv --against old.csv --key pid --qi age -k 2 --show-groups");
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    for value in ["p1", "20..25", "26..39"] {
        assert!(!format!("{}{}", ran.out, ran.err).contains(value), "{value}: {}{}", ran.out, ran.err);
    }
}
