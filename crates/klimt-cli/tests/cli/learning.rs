//! `klimt measure --test`: what is learnt from a release.

use crate::common::{Place, Ran};
use serde_json::Value;

/// Rows whose class follows from age and city, and whose pay from age; some values are missing.
fn rows(from: usize, count: usize) -> String {
    let mut text = String::from("age,city,class,pay\n");
    for row in from..from + count {
        let (age, city) = (20 + row * 7 % 50, ["Bern", "\"Graz, St\"", "Linz", "Zug", ""][row * 11 % 5]);
        let class = if age > 45 || city == "Linz" { "old" } else { "<b>" };
        let age_text = if row % 97 == 0 { String::new() } else { age.to_string() };
        text.push_str(&format!("{age_text},{city},{class},{}.5\n", age * 10 + row % 3));
    }
    text
}

fn place() -> Place {
    let place = Place::new();
    place.write("train.csv", rows(0, 600)).write("test.csv", rows(600, 300));
    place.ok("anonymize train.csv --qi age,city --target class,pay --other drop -k 5 -o release.csv");
    place
}

fn learnt(ran: &Ran) -> Value {
    serde_json::from_str::<Value>(&ran.out).unwrap()["learning"].clone()
}

#[test]
fn trees_learn_classes_and_numbers() {
    let place = place();
    let asked = "measure train.csv release.csv --qi age,city --target class,pay --test test.csv";
    let ran = place.ok(&format!("{asked} --json"));
    let (class, pay) = (&learnt(&ran)[0], &learnt(&ran)[1]);
    let accuracy = |of: &Value| of["accuracy"].as_f64().unwrap();
    assert_eq!((&class["target"], &class["classes"]), (&Value::from("class"), &Value::from(2)));
    assert_eq!(
        (&class["test_rows"], &class["original"]["trained_rows"]),
        (&Value::from(300), &Value::from(600))
    );
    assert!(accuracy(&class["original"]) > 0.95, "{class}");
    assert!(accuracy(&class["release"]) > accuracy(&class["base"]), "{class}");
    let rmse = |of: &Value| of["rmse"].as_f64().unwrap();
    assert!(rmse(&pay["original"]) < 0.3 * rmse(&pay["base"]) && rmse(&pay["release"]) < rmse(&pay["base"]));
    assert!(pay["base"]["r2"].as_f64().unwrap() < 0.05 && pay["original"]["r2"].as_f64().unwrap() > 0.9);
    let shown = place.ok(asked);
    for said in ["Learning class (2 classes)", "Learning pay (a number)", "trained on the release", "rmse"] {
        assert!(shown.out.contains(said), "{said}: {}", shown.out);
    }
    for threads in [1, 3] {
        assert_eq!(place.ok(&format!("{asked} --json --threads {threads}")).out, ran.out);
    }
}

#[test]
fn a_number_may_be_a_class() {
    let place = place();
    let asked =
        "measure train.csv release.csv --qi age,city --target pay --type pay=text --test test.csv --json";
    assert!(learnt(&place.ok(asked))[0]["classes"].as_u64() > Some(30), "more classes than are told apart");
}

#[test]
fn what_training_never_saw_is_no_error() {
    let place = place();
    place.write("odd.csv", "class,age,city,pay\nold,999,Nowhere,none\nnew,many,Zug,1\n<b>,21.5,,\n,,,7\n");
    let asked = "measure train.csv release.csv --qi age,city --target class,pay --test odd.csv --json";
    let found = learnt(&place.ok(asked));
    assert_eq!((&found[0]["test_rows"], &found[1]["test_rows"]), (&Value::from(4), &Value::from(2)));
}

#[test]
fn what_cannot_be_learnt_says_what_to_do() {
    let place = place();
    place.ok("anonymize train.csv --qi age,city --other drop -k 5 -o bare.csv");
    let learn = "--qi age,city --test test.csv";
    for (asked, said) in [
        (format!("train.csv bare.csv --target class {learn}"), "bare.csv: unknown column class"),
        (format!("train.csv release.csv {learn}"), "--test needs a target"),
        (format!("release.csv --target class {learn}"), "--test needs an original and its release"),
        (
            "train.csv release.csv --qi age,city --target class --test bare.csv".to_string(),
            "bare.csv: unknown column class",
        ),
    ] {
        let ran = place.run(&format!("measure {asked}"));
        assert!(ran.code == Some(2) && ran.err.contains(said), "{said}: {ran:?}");
    }
}
