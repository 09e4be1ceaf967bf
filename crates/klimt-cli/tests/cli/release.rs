//! From a table to a release: what is published, in every format and with every option.

use crate::common::{Place, people, shared};
use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

fn records(text: &str) -> Vec<Vec<String>> {
    let parsed = klimt_io::csv::records(text.as_bytes(), b',').unwrap();
    parsed.into_iter().map(|r| r.into_iter().map(|f| String::from_utf8(f).unwrap()).collect()).collect()
}

/// The sizes of the groups of a release whose first columns are the quasi-identifiers.
fn sizes(text: &str, columns: std::ops::Range<usize>) -> Vec<usize> {
    let mut groups: BTreeMap<Vec<String>, usize> = BTreeMap::new();
    for record in records(text).into_iter().skip(1) {
        *groups.entry(record[columns.clone()].to_vec()).or_default() += 1;
    }
    groups.into_values().collect()
}

const OPTIONS: [&str; 8] = [
    "",
    "--partitioning relaxed",
    "--extent region",
    "--partitioning relaxed --extent region",
    "--statistics range,mean --seed 7",
    "--suppress 10%",
    "--keep-order",
    "--min-width age=10 --weight city=3 --threads 3",
];

#[test]
fn every_release_verifies_and_keeps_its_rows() {
    let place = Place::new();
    place.write("in.csv", people(1000));
    for options in OPTIONS {
        place.ok(&format!(
            "anonymize in.csv --qi age,sex,city,income,born --sensitive disease --other keep --accept id -k 5 -o out.csv {options}"
        ));
        let verified =
            place.ok("verify out.csv --qi age,sex,city,income,born --sensitive disease -k 5 --json").out;
        let found: serde_json::Value = serde_json::from_str(&verified).unwrap();
        let certificate: serde_json::Value =
            serde_json::from_str(&place.read("out.csv.certificate.json")).unwrap();
        let rows = found["findings"]["rows"].as_u64().unwrap();
        let suppressed = certificate["rows"]["suppressed"].as_u64().unwrap();
        assert_eq!(rows + suppressed, 1000, "{options}");
        assert!(suppressed == 0 || options.contains("--suppress"), "{options}");
        assert!(suppressed <= 100);
        let ids: BTreeSet<String> =
            records(&place.read("out.csv")).into_iter().skip(1).map(|r| r[0].clone()).collect();
        assert_eq!(ids.len() as u64, rows, "{options}: a row is repeated");
        let hash = blake3::hash(place.read("out.csv").as_bytes()).to_hex().to_string();
        assert_eq!(certificate["release"]["hash"], format!("blake3:{hash}"));
    }
}

#[test]
fn the_independent_checker_agrees() {
    let Some(check) = shared("KLIMT_CHECK", "check") else { return };
    let place = Place::new();
    place.write("in.csv", people(1000)).write("sex.csv", "f;*\nm;*\n").write("sex.txt", "m\nf\n");
    for options in OPTIONS.iter().chain(&["--hierarchy sex=sex.csv", "--order sex=sex.txt"]) {
        let owner = place.ok(&format!(
            "anonymize in.csv --qi age,sex,city,income --other keep --accept id -k 5 --json -o out.csv {options}"
        ));
        let owner: serde_json::Value = serde_json::from_str(&owner.out).unwrap();
        let extra =
            options.split_whitespace().skip_while(|word| !["--hierarchy", "--order"].contains(word)).take(2);
        let output = Command::new("python3")
            .arg(check.join("check_release.py"))
            .args(["in.csv", "out.csv", "--qi", "age,sex,city,income", "--key", "id", "--k", "5"])
            .args(extra)
            .current_dir(place.path(""))
            .output()
            .unwrap();
        let ran = crate::common::ran(&output);
        assert_eq!(ran.code, Some(0), "{options}: {} {}", ran.out, ran.err);
        let found: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
        let certificate: serde_json::Value =
            serde_json::from_str(&place.read("out.csv.certificate.json")).unwrap();
        assert_eq!(found["groups"], certificate["groups"]["count"], "{options}");
        assert_eq!(found["dm"].as_f64(), owner["losses"]["dm"].as_f64(), "{options}");
        let four_digits = format!("{:.3e}", found["dm"].as_f64().unwrap()).parse().ok();
        assert_eq!(four_digits, certificate["losses"]["dm"].as_f64(), "{options}");
    }
}

#[test]
fn rows_are_shuffled_by_a_secret_unless_a_seed_is_given() {
    let place = Place::new();
    place.write("in.csv", people(500));
    let args = "anonymize in.csv --qi sex --other keep --accept id -k 5";
    let text = |more: &str| place.ok(&format!("{args} {more}")).out;
    assert_ne!(text(""), text(""));
    assert_eq!(text("--seed 3"), text("--seed 3 --threads 5"));
    assert_ne!(text("--seed 3"), text("--seed 4"));
    let kept: Vec<String> =
        records(&text("--keep-order")).into_iter().skip(1).map(|r| r[0].clone()).collect();
    assert_eq!(kept, (0..500).map(|id| id.to_string()).collect::<Vec<_>>());
}

#[test]
fn identifiers_and_dropped_columns_are_not_published() {
    let place = Place::new();
    place.write("in.csv", people(100));
    let out =
        place.ok("anonymize in.csv --qi age,sex --identifier id --sensitive disease --other drop -k 5").out;
    assert_eq!(records(&out)[0], ["age", "sex", "disease"]);
    assert!(sizes(&out, 0..2).into_iter().min().unwrap() >= 5);
}

#[test]
fn every_format_is_read_and_written() {
    let place = Place::new();
    place.write("in.csv", people(300));
    let flags = "--qi age,sex,city --sensitive disease --other keep --accept id -k 5 --seed 1 --delimiter ,";
    place.ok(&format!("anonymize in.csv {flags} -o one.csv"));
    for name in ["a.parquet", "a.arrow", "a.arrows", "a.csv.gz", "a.csv.zst", "a.tsv"] {
        place.ok(&format!("anonymize in.csv {} -o {name}", flags.replace("--delimiter ,", "")));
        let verified = place.ok(&format!("verify {name} --qi age,sex,city -k 5 --json")).out;
        let found: serde_json::Value = serde_json::from_str(&verified).unwrap();
        assert_eq!(found["findings"]["rows"], 300, "{name}");
        // The other columns of a release come back as they were: a release of a release is the same text.
        place.ok(&format!(
            "anonymize {name} --qi born --other keep --accept id -k 1 --keep-order -o back.csv --no-certificate"
        ));
        let (one, back) =
            (records(&place.read("one.csv")), records(&place.read("back.csv").replace('\t', ",")));
        if !name.ends_with(".tsv") {
            assert_eq!(one, back, "{name}");
        }
    }
    let piped = place
        .command("anonymize - --qi sex --other drop -k 5")
        .stdin(std::fs::File::open(place.path("in.csv")).unwrap())
        .output()
        .unwrap();
    assert_eq!(crate::common::ran(&piped).code, Some(0));
}

#[test]
fn a_saved_recoding_function_recodes_other_data() {
    let place = Place::new();
    place.write("in.csv", people(1000)).write("more.csv", people(3000));
    place.ok("anonymize in.csv --qi age,sex,income --other drop -k 10 --extent region --save-recoding f.json -o out.csv");
    place.ok("apply f.json in.csv --other drop -o again.csv");
    let sorted = |name: &str| {
        let mut rows = records(&place.read(name));
        rows.sort();
        rows
    };
    assert_eq!(
        sorted("out.csv"),
        sorted("again.csv"),
        "the function gives the same regions to the same rows"
    );
    place.ok("apply f.json more.csv --other keep --accept id --suppress 20% -o more-out.csv");
    place.ok("verify more-out.csv --qi age,sex,income -k 10");
    place.write("far.csv", "age,sex,income\n500,f,1.00\n30,x,2.00\n");
    let far = place.ok("apply f.json far.csv -k 1 --keep-order").out;
    let rows = records(&far);
    assert_eq!(rows[1][0], "*", "{far}");
    assert_eq!(rows[2][1], "*", "{far}");
    assert_eq!(place.run("apply f.json far.csv -k 2").code, Some(1));
    place.write("bad.json", "{}");
    assert_eq!(place.run("apply bad.json in.csv").code, Some(2));
}

#[test]
fn missing_values_are_published_as_missing_or_as_a_star() {
    let place = Place::new();
    let mut text = String::from("age,x\n");
    (0..30).for_each(|n| {
        text.push_str(&format!("{},a\n", if n % 3 == 0 { "".into() } else { (20 + n).to_string() }))
    });
    place.write("in.csv", text);
    let out = place.ok("anonymize in.csv --qi age --other keep -k 5 --quiet").out;
    let missing = records(&out).iter().filter(|record| record[0].is_empty()).count();
    assert_eq!(missing, 10, "{out}");
    let out = place.ok("anonymize in.csv --qi age --other keep -k 12").out;
    assert!(records(&out).iter().all(|record| !record[0].is_empty()));
}

#[test]
fn decimals_and_dates_keep_their_spelling_where_they_have_one() {
    let place = Place::new();
    place.write("in.csv", "x,day\n1.50,2024-01-05\n1.5,2024-01-05\n02.250,2024-03-01\n10,2024-03-01\n");
    let out = place.ok("anonymize in.csv --qi x,day -k 1 --keep-order").out;
    assert_eq!(out, "x,day\n1.5,2024-01-05\n1.5,2024-01-05\n02.250,2024-03-01\n10,2024-03-01\n");
    let out = place.ok("anonymize in.csv --qi x,day -k 2 --keep-order").out;
    assert_eq!(
        out,
        "x,day\n1.5,2024-01-05\n1.5,2024-01-05\n[02.250..10],2024-03-01\n[02.250..10],2024-03-01\n"
    );
}

#[test]
fn adult_is_released_as_it_is_with_orders_and_with_hierarchies() {
    let (Some(data), Some(check)) = (shared("KLIMT_DATA", "data/adult"), shared("KLIMT_CHECK", "check"))
    else {
        return;
    };
    let place = Place::new();
    let adult = std::fs::read_to_string(data.join("adult.csv")).unwrap();
    let numbered: String = adult
        .lines()
        .enumerate()
        .map(|(at, line)| if at == 0 { format!("id;{line}\n") } else { format!("{at};{line}\n") })
        .collect();
    place.write("adult.csv", numbered);
    let columns =
        ["sex", "age", "race", "marital-status", "education", "native-country", "workclass", "occupation"];
    let files = |flag: &str, kind: &str, ending: &str| -> String {
        let of = |column: &&str| {
            let file = data.join(format!("{kind}_{column}.{ending}"));
            file.is_file().then(|| format!("--{flag} {column}={}", file.display()))
        };
        columns.iter().filter_map(of).collect::<Vec<_>>().join(" ")
    };
    for extra in [String::new(), files("order", "order", "txt"), files("hierarchy", "hierarchy", "csv")] {
        let qi = columns.join(",");
        place.ok(&format!(
            "anonymize adult.csv --qi {qi} --other keep --accept id,native-country -k 10 -o out.csv {extra}"
        ));
        let output = Command::new("python3")
            .arg(check.join("check_release.py"))
            .args(["adult.csv", "out.csv", "--qi", &qi, "--key", "id", "--k", "10"])
            .args(extra.split_whitespace())
            .current_dir(place.path(""))
            .output()
            .unwrap();
        let ran = crate::common::ran(&output);
        assert_eq!(ran.code, Some(0), "{extra}: {} {}", ran.out, ran.err);
        let found: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
        let measured = place.ok(&format!("measure adult.csv out.csv --qi {qi} -k 10 --json {extra}")).out;
        let measured: serde_json::Value = serde_json::from_str(&measured).unwrap();
        for loss in ["dm", "c_avg", "ncp"] {
            let (ours, theirs) = (measured["losses"][loss].as_f64().unwrap(), found[loss].as_f64().unwrap());
            assert!((ours - theirs).abs() < 1e-9 * theirs.max(1.0), "{loss}: {ours} and {theirs}");
        }
    }
}

/// Writers share a large group: what they write is the same for any number of them, and every row is there once.
#[test]
fn a_large_group_is_written_by_many() {
    let place = Place::new();
    let rows: String =
        (0..30_000).map(|n| format!("{},{n}\n", if n < 25_000 { 1 } else { 2 + n % 40 })).collect();
    place.write("in.csv", format!("age,note\n{rows}"));
    let released = |threads: usize| {
        place
            .ok(&format!("anonymize in.csv --qi age --insensitive note --accept note -k 5 --seed 9 --threads {threads} -q"))
            .out
    };
    let alone = released(1);
    assert_eq!(alone, released(3));
    let mut notes: Vec<u32> =
        alone.lines().skip(1).map(|line| line.split_once(',').unwrap().1.parse().unwrap()).collect();
    assert!(notes[..1000] != (0..1000).collect::<Vec<_>>()[..], "a large group is shuffled too");
    notes.sort_unstable();
    assert_eq!(notes, (0..30_000).collect::<Vec<_>>());
}
