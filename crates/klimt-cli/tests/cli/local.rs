//! Local recoding on the command line: what it publishes, and what it refuses.

use crate::common::{Place, people, shared};
use serde_json::{Value, json};
use std::process::Command;

fn certificate(place: &Place) -> Value {
    serde_json::from_str(&place.read("out.csv.certificate.json")).unwrap()
}

fn ncp(place: &Place) -> f64 {
    certificate(place)["losses"]["ncp"].as_f64().unwrap()
}

#[test]
fn releases_verify_with_every_kind_of_requirement_and_loss() {
    let place = Place::new();
    place.write("in.csv", people(600));
    let base = "anonymize in.csv --qi age,sex,city,born --sensitive disease --other drop -k 4 -q -o out.csv";
    for flags in [
        "--l-diversity distinct:2",
        "--t-closeness 0.3:equal",
        "--l-diversity distinct:3 --loss dm",
        "--alpha 0.6 --loss hdm",
    ] {
        place.ok(&format!("{base} --algorithm local {flags}"));
        let required = flags.split(" --loss").next().unwrap();
        place.ok(&format!("verify out.csv --qi age,sex,city,born --sensitive disease -k 4 {required}"));
        let found = certificate(&place);
        assert_eq!(found["rows"]["published"], 600);
        match flags.contains("--loss dm") {
            true => assert_eq!(found["family"], "any partition into groups of at least 4 rows"),
            false => assert_eq!((&found["proven"], &found["family"]), (&json!("heuristic"), &Value::Null)),
        }
    }
}

#[test]
fn it_loses_less_than_mondrian_with_any_number_of_threads() {
    let place = Place::new();
    place.write("in.csv", people(2000));
    let base = "anonymize in.csv --qi age,sex,city --other drop -k 5 -q --seed 1 -o out.csv";
    place.ok(base);
    let mondrian = ncp(&place);
    let [one, two] = [1, 2].map(|threads| {
        place.ok(&format!("{base} --algorithm local --threads {threads}"));
        (place.read("out.csv"), ncp(&place))
    });
    assert_eq!(one, two);
    assert!(one.1 < mondrian, "{} after {mondrian}", one.1);
}

#[test]
fn suppression_is_granted_and_kept() {
    let place = Place::new();
    let mut text = String::from("n,x\n");
    (0..40).for_each(|row| text.push_str(&format!("{},{}\n", row % 2, row % 4)));
    text.push_str("900,77\n");
    place.write("in.csv", text);
    for (flag, suppressed) in [("", 0), ("--suppress 5%", 1)] {
        place.ok(&format!("anonymize in.csv --qi n,x -k 5 -q -o out.csv --algorithm local {flag}"));
        assert_eq!(certificate(&place)["rows"]["suppressed"], suppressed);
        place.ok("verify out.csv --qi n,x -k 5");
    }
}

#[test]
fn what_it_cannot_do_is_said_at_once() {
    let place = Place::new();
    place.write("in.csv", people(50));
    let before = place.files();
    for (flags, wanted) in [
        ("--extent region", "overlap"),
        ("--save-recoding r.json", "overlap"),
        ("--partitioning strict", "always relaxed"),
        ("--partitioning relaxed", "always relaxed"),
        ("--split infogain", "--split"),
        ("--hierarchy-cut nodes", "--hierarchy-cut"),
        ("--effort best", "--effort"),
        ("--gap 1.5", "--gap"),
        ("--priority cost", "gensearch"),
        ("--splits every", "gensearch"),
        ("--loss kl", "kl"),
    ] {
        let ran = place.run(&format!(
            "anonymize in.csv --qi age,sex --other drop -k 2 -o out.csv --algorithm local {flags}"
        ));
        assert_eq!(ran.code, Some(2), "{flags}: {}", ran.err);
        assert!(ran.err.contains(wanted), "{flags}: {}", ran.err);
        assert_eq!(place.files(), before, "{flags}");
    }
}

#[test]
fn adult_with_hierarchies_is_checked_by_others_and_loses_little() {
    let (Some(data), Some(check)) = (shared("KLIMT_DATA", "data/adult"), shared("KLIMT_CHECK", "check"))
    else {
        return;
    };
    let place = Place::new();
    let adult = std::fs::read_to_string(data.join("adult.csv")).unwrap();
    let numbered = (0..).zip(adult.lines());
    let numbered =
        numbered.map(|(at, line)| if at == 0 { format!("id;{line}\n") } else { format!("{at};{line}\n") });
    place.write("adult.csv", numbered.collect::<String>());
    let columns =
        ["sex", "age", "race", "marital-status", "education", "native-country", "workclass", "occupation"];
    let file = |column| data.join(format!("hierarchy_{column}.csv")).display().to_string();
    let hierarchies = columns.map(|column| format!("--hierarchy {column}={}", file(column))).join(" ");
    let qi = columns.join(",");
    let owner = place.ok(&format!(
        "anonymize adult.csv --qi {qi} --other keep --accept id -k 10 -q -o out.csv --algorithm local --json {hierarchies}"
    ));
    let owner: Value = serde_json::from_str(&owner.out).unwrap();
    let output = Command::new("python3")
        .arg(check.join("check_release.py"))
        .args(["adult.csv", "out.csv", "--qi", &qi, "--key", "id", "--k", "10"])
        .args(hierarchies.split_whitespace())
        .current_dir(place.path(""))
        .output()
        .unwrap();
    let ran = crate::common::ran(&output);
    assert_eq!(ran.code, Some(0), "{} {}", ran.out, ran.err);
    let found: Value = serde_json::from_str(&ran.out).unwrap();
    let (checked, exact) = (found["ncp"].as_f64().unwrap(), owner["losses"]["ncp"].as_f64().unwrap());
    assert!((checked - exact).abs() < 1e-9, "{checked} and {exact}");
    assert_eq!(format!("{checked:.3e}").parse::<f64>().unwrap(), ncp(&place));
    assert!(ncp(&place) < 0.083, "{}", ncp(&place));
}
