//! `klimt verify --attack`: what an attacker gains, told in numbers.

use crate::common::{Place, Ran, people};
use serde_json::Value;

const ROLES: &str = "--qi age,sex,city --sensitive disease";

/// A release of invented people, and the people.
fn released() -> Place {
    let place = Place::new();
    place.write("people.csv", people(400));
    place.ok(&format!("anonymize people.csv {ROLES} --other drop -k 5 -o release.csv"));
    place
}

fn attack(ran: &Ran) -> Value {
    serde_json::from_str::<Value>(&ran.out).unwrap()["attack"].clone()
}

/// Nothing that is said holds a value of a person.
fn tells_nothing(said: &str) {
    for secret in ["flu", "gout", "asthma", "Bern", "Graz", "Wien"] {
        assert!(!said.contains(secret), "{secret}: {said}");
    }
}

#[test]
fn the_original_links_everybody_with_a_group() {
    let place = released();
    let ran = place.ok(&format!("verify release.csv {ROLES} -k 5 --attack --background people.csv --json"));
    let found = attack(&ran);
    tells_nothing(&found.to_string());
    let linkage = &found["linkage"];
    assert_eq!((&linkage["people"], &linkage["unmatched"]), (&Value::from(400), &Value::from(0)));
    assert_eq!((&linkage["singled_out"], &linkage["below_k"]), (&Value::from(0), &Value::from(0)));
    assert!(linkage["candidates"]["least"].as_u64() >= Some(5));
    let disease = &found["sensitive"][0];
    assert_eq!((&disease["column"], &disease["truths"]), (&Value::from("disease"), &Value::from(400)));
    let names: Vec<&str> = disease["attacks"]
        .as_array()
        .unwrap()
        .iter()
        .map(|score| score["attack"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["group", "naive-bayes", "definetti"]);
    let ran = place.ok(&format!("verify release.csv {ROLES} --attack --background people.csv"));
    tells_nothing(&format!("{}{}", ran.out, ran.err));
    for said in ["Attacks", "singled out", "base rate", "deFinetti", "The greatest gain is"] {
        assert!(ran.out.contains(said), "{said}: {}", ran.out);
    }
    assert!(place.ok(&format!("verify release.csv {ROLES} --attack --quiet")).out.is_empty());
}

#[test]
fn the_release_alone_is_its_own_truth() {
    let place = Place::new();
    place.write("release.csv", "age,ill\n[20..29],flu\n[20..29],flu\n30,gout\n30,flu\n*,gout\n");
    let found = attack(&place.ok("verify release.csv --qi age --sensitive ill --attack --json"));
    assert_eq!(found["linkage"]["singled_out"], Value::from(1), "a row of stars is a group like any other");
    assert_eq!(found["sensitive"][0]["certain"], Value::from(3));
    let asked = "verify release.csv --qi age --sensitive ill --attack --stars-are-suppressed --json";
    let found = attack(&place.ok(asked));
    assert_eq!(found["background"], Value::from(false));
    assert_eq!(found["linkage"]["singled_out"], Value::from(0), "a row of stars alone is read as suppressed");
    let learnt = &found["sensitive"][0];
    assert_eq!((&learnt["certain"], &learnt["base_rate"]), (&Value::from(2), &Value::from(0.75)));
    assert_eq!(learnt["attacks"][0]["accuracy"], Value::from(0.75), "two, and one of two");
}

#[test]
fn a_limit_decides_how_the_command_ends() {
    let place = Place::new();
    place.write("release.csv", "age,ill\n1,flu\n1,flu\n2,gout\n2,gout\n");
    let asked = "verify release.csv --qi age --sensitive ill --attack";
    let ran = place.run(&format!("{asked} --max-gain 49%"));
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.err.contains("gains more than 49%") && ran.err.contains("on ill"), "{}", ran.err);
    place.ok(&format!("{asked} --max-gain 50%"));
    place.ok(asked);
    for (flags, said) in [("--max-gain much", "--max-gain"), ("--confidence 2", "--confidence")] {
        let ran = place.run(&format!("{asked} {flags}"));
        assert!(ran.code == Some(2) && ran.err.contains(said), "{ran:?}");
    }
    let ran = place.run("verify release.csv --qi age --sensitive ill --max-gain 5%");
    assert!(ran.code == Some(2) && ran.err.contains("--attack"), "{ran:?}");
}

#[test]
fn strangers_and_odd_values_are_counted() {
    let place = Place::new();
    place.write(
        "release.csv",
        "age,city,ill\n[20..29],\"a, \"\"b\"\"\",flu\n[20..29],\"a, \"\"b\"\"\",gout\n",
    );
    place.write(
        "known.csv",
        "name,city,age,ill\nx,\"a, \"\"b\"\"\",25.0,flu\ny,\"a, \"\"b\"\"\",unknown,flu\nz,<i>c</i>,22,\nw,\"a, \"\"b\"\"\",29,new\n",
    );
    let found = attack(
        &place.ok("verify release.csv --qi age,city --sensitive ill --attack --background known.csv --json"),
    );
    let linkage = &found["linkage"];
    let number = |name: &str| linkage[name].as_u64().unwrap();
    assert_eq!((number("people"), number("unmatched"), number("outside_domain")), (4, 2, 1));
    assert_eq!(linkage["expected_found"], Value::from(1.0), "two people, two candidates each");
    assert_eq!(found["sensitive"][0]["truths"], Value::from(2));
    // Less is known, and nothing at all.
    place.write("ages.csv", "age\n25\n").write("none.csv", "name\nx\n");
    let ran = place.ok("verify release.csv --qi age,city --sensitive ill --attack --background ages.csv");
    assert!(ran.err.contains("does not have city"), "{}", ran.err);
    let ran = place.run("verify release.csv --qi age,city --attack --background none.csv");
    assert!(
        ran.code == Some(2) && ran.err.contains("none.csv: no column has the name of a quasi-identifier"),
        "{}",
        ran.err
    );
    let ran = place.run("verify release.csv --qi age,city --attack --background gone.csv");
    assert!(ran.code == Some(2) && ran.err.contains("gone.csv"), "{}", ran.err);
}

#[test]
fn hierarchies_and_local_recoding_are_attacked() {
    let place = Place::new();
    place.write("people.csv", people(300));
    place.write(
        "city.csv",
        "Bern,CH,*\n\"Graz, Styria\",AT,*\nLinz,AT,*\n\"Wien \"\"W\"\"\",AT,*\nZug,CH,*\n",
    );
    let roles = format!("{ROLES} --hierarchy city=city.csv");
    for algorithm in ["local", "scheme", "rtree", "mondrian --extent region"] {
        place.ok(&format!("anonymize people.csv {roles} --other drop -k 4 --algorithm {algorithm} -o r.csv"));
        let ran = place.ok(&format!("verify r.csv {roles} -k 4 --attack --background people.csv --json"));
        let linkage = &attack(&ran)["linkage"];
        assert_eq!(linkage["unmatched"], Value::from(0), "{algorithm}");
        assert_eq!(linkage["below_k"], Value::from(0), "{algorithm}");
    }
}

#[test]
fn releases_are_intersected() {
    let place = Place::new();
    place.write("old.csv", "id,age,ill\na,1,flu\nb,1,flu\nc,1,gout\nd,1,gout\n");
    place.write("new.csv", "id,age,ill\na,1,flu\nb,1,flu\ne,1,gout\nc,2,gout\nd,2,gout\nf,2,flu\n");
    let asked = "verify new.csv --against old.csv --key id --qi age --sensitive ill --attack";
    let found = attack(&place.ok(&format!("{asked} --json")));
    let learnt = &found["intersection"]["sensitive"][0];
    assert_eq!((&learnt["certain_alone"], &learnt["certain_together"]), (&Value::from(0), &Value::from(4)));
    assert_eq!(found["intersection"]["candidates_alone"], Value::from(3.0));
    assert_eq!(found["intersection"]["candidates_together"], Value::from(2.0));
    assert_eq!(found["greatest_gain"]["attack"], Value::from("intersection"));
    assert!(place.ok(asked).out.contains("certain for 0 rows alone, 4 together"));
    assert_eq!(place.run(&format!("{asked} --max-gain 20%")).code, Some(1));
}

/// The example of the page about attacks says what the command says.
#[test]
fn the_page_about_attacks_is_true() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/attacks.md");
    let page = std::fs::read_to_string(path).unwrap();
    let block = page.split("```").find(|block| block.contains("$ cat release.csv")).unwrap();
    let (files, ran) = block.trim().split_once("\n\n").unwrap();
    let right = files.find("$ cat people.csv").unwrap();
    let (mut release, mut people) = (String::new(), String::new());
    for line in files.lines().skip(1) {
        release.push_str(&format!("{}\n", line[..right].trim()));
        people.push_str(&format!("{}\n", line[right..].trim()));
    }
    let place = Place::new();
    place.write("release.csv", release).write("people.csv", people);
    let (command, said) = ran.split_once('\n').unwrap();
    let out = place.ok(command.strip_prefix("$ klimt ").unwrap()).out;
    for line in said.lines().filter(|line| *line != "…" && !line.is_empty()) {
        assert!(out.lines().any(|other| other == line), "{line}: {out}");
    }
}
