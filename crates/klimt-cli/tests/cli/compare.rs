//! Algorithms and values of k side by side.

use crate::common::{Place, people};
use serde_json::Value;

const COLUMNS: &str = "--qi age,sex,city --sensitive disease --other drop";

fn json(place: &Place, args: &str) -> Value {
    serde_json::from_str(&place.ok(args).out).unwrap()
}

/// What is compared is what `anonymize` publishes.
#[test]
fn every_setting_is_what_anonymize_makes_of_it() {
    let place = Place::new();
    place.write("t.csv", people(300));
    let algorithms = "mondrian,rtree,local,rothko-s,scheme";
    let told = json(
        &place,
        &format!("compare t.csv {COLUMNS} --l-diversity distinct:2 --k 3,9 --algorithms {algorithms} --json"),
    );
    assert_eq!(told["rows"], 300);
    assert_eq!(told["requirements"][0], "distinct l-diversity of disease with l = 2");
    let trials = told["trials"].as_array().unwrap();
    assert_eq!(trials.len(), 10);
    for trial in trials {
        let (algorithm, k) = (trial["algorithm"].as_str().unwrap(), &trial["k"]);
        let loss = if ["mondrian", "rtree", "rothko-s"].contains(&algorithm) { "" } else { "--loss ncp" };
        place.ok(&format!("anonymize t.csv {COLUMNS} --l-diversity distinct:2 -k {k} --algorithm {algorithm} {loss} -o r.csv"));
        let certificate: Value = serde_json::from_str(&place.read("r.csv.certificate.json")).unwrap();
        assert_eq!(trial["groups"], certificate["groups"]["count"], "{algorithm} {k}");
        assert_eq!(trial["smallest_group"], certificate["groups"]["smallest"], "{algorithm} {k}");
        assert_eq!(trial["losses"], certificate["losses"], "{algorithm} {k}");
        assert!(
            trial["seconds"]["wall"].as_f64().unwrap() > 0.0
                && trial["seconds"]["cpu"].as_f64().unwrap() >= 0.0
        );
    }
}

#[test]
fn the_frontier_is_what_no_other_setting_beats() {
    let place = Place::new();
    place.write("t.csv", people(300));
    let told = json(
        &place,
        &format!("compare t.csv {COLUMNS} --k 2,5,20 --algorithms mondrian,rtree,local --loss dm --json"),
    );
    let trials = told["trials"].as_array().unwrap();
    let cost =
        |trial: &Value| (trial["risk"]["highest"].as_f64().unwrap(), trial["losses"]["dm"].as_f64().unwrap());
    for trial in trials {
        let mine = cost(trial);
        let beaten =
            trials.iter().map(cost).any(|other| other.0 <= mine.0 && other.1 <= mine.1 && other != mine);
        assert_eq!(trial["frontier"], !beaten, "{trial}");
    }
}

#[test]
fn what_is_not_possible_is_a_line_that_says_why() {
    let place = Place::new();
    place.write("t.csv", people(40));
    let ran = place.ok(&format!(
        "compare t.csv {COLUMNS} --k 5,41 --algorithms mondrian,rothko-t --suppress 5% -o c.html"
    ));
    assert!(ran.out.contains("mondrian, k = 41:"), "{}", ran.out);
    assert!(ran.out.contains("rothko-t, k = 5: --suppress"), "{}", ran.out);
    let page = place.read("c.html");
    assert!(page.contains("Settings that could not be tried"));
    for value in ["Bern", "Linz", "gout", "asthma"] {
        assert!(!page.contains(value) && !ran.out.contains(value), "{value}: only counts are told");
    }
    let ran = place.run(&format!("compare t.csv {COLUMNS} --k 41 --algorithms mondrian -o c.html"));
    assert_eq!(ran.code, Some(1));
}

#[test]
fn wrong_usage_is_told() {
    let place = Place::new();
    place.write("t.csv", people(40));
    for (args, said) in [
        ("compare t.csv --qi age,sex --k 2", "these columns have no role"),
        ("compare t.csv --qi age,sex --other drop --loss ncpp", "did you mean ncp?"),
        ("compare t.csv --qi age,sex --other drop --k 2 -o t.csv", "would overwrite the input"),
        ("compare t.csv --qi age,sex --other drop --k 2 --algorithms mondrain", "mondrain"),
        ("compare none.csv --qi age --k 2", "no such file"),
        ("compare --qi age --k 2", "no table is named"),
    ] {
        let ran = place.run(args);
        assert_eq!(ran.code, Some(2), "{args}: {}", ran.err);
        assert!(ran.err.contains(said), "{args}: {}", ran.err);
    }
}
