//! Every requirement, with strict and relaxed partitioning, on a real and a generated table: what is released satisfies
//! it by definitions that are written again here, and `verify` measures the same.

use crate::common::{Place, shared};
use crate::reference::{Groups, Reference, enhanced_holds, number, printed_rules_hold, worst};
use num_traits::ToPrimitive;
use proptest::prelude::*;
use serde_json::Value;

/// A table with the columns that requirements are tried on.
struct Case {
    input: String,
    delimiter: char,
    quasi_identifiers: Vec<&'static str>,
    /// What lets a set of many texts be a quasi-identifier.
    accepted: &'static str,
    /// A categorical sensitive column with a hierarchy, and a numeric one.
    category: &'static str,
    number: &'static str,
    hierarchy: String,
    width: (&'static str, &'static str),
}

/// The requirements, by flag and parameters; those with a `#` are about the numeric column.
const REQUIRED: &[(&str, &str)] = &[
    ("k", "7"),
    ("l-diversity", "3"),
    ("l-diversity", "distinct:4"),
    ("l-diversity", "entropy:2.5"),
    ("l-diversity", "recursive:1.5:3"),
    ("alpha", "0.4"),
    ("t-closeness", "0.25:equal"),
    ("t-closeness", "0.15:ordered"),
    ("t-closeness", "#0.2:ordered"),
    ("t-closeness", "0.2:hierarchical"),
    ("variance", "#40"),
    ("epsilon-privacy", "8:60"),
    ("epsilon-privacy", "10:100:5"),
    ("beta-likeness", "basic:2"),
    ("beta-likeness", "enhanced:2.5"),
    ("delta-disclosure", "2.5"),
    ("min-width", "5"),
];

fn generated(place: &Place) -> Case {
    place.ok("generate agrawal --rows 3000 --seed 7 -o generated.csv");
    place.write("levels.csv", "0;low;*\n1;low;*\n2;high;*\n3;high;*\n4;high;*\n");
    Case {
        input: "generated.csv".to_string(),
        delimiter: ',',
        quasi_identifiers: vec!["salary", "car", "zipcode", "hyears", "loan"],
        accepted: "",
        category: "elevel",
        number: "age",
        hierarchy: "levels.csv".to_string(),
        width: ("car", "1"),
    }
}

fn real() -> Option<Case> {
    let folder = shared("KLIMT_DATA", "data/adult")?;
    Some(Case {
        input: folder.join("adult.csv").to_str()?.to_string(),
        delimiter: ';',
        quasi_identifiers: vec![
            "age",
            "sex",
            "race",
            "marital-status",
            "education",
            "native-country",
            "workclass",
        ],
        accepted: "--accept native-country",
        category: "occupation",
        number: "age",
        hierarchy: folder.join("hierarchy_occupation.csv").to_str()?.to_string(),
        width: ("age", "5"),
    })
}

fn is_level(measured: &Value, exact: &Value, reference: &Reference) -> bool {
    match reference {
        Reference::Unbounded => measured.is_null(),
        Reference::Exact(ratio) => {
            let fraction = if ratio.is_integer() { Value::Null } else { ratio.to_string().into() };
            measured.as_f64() == ratio.to_f64() && *exact == fraction
        }
        Reference::Real(real) => {
            measured.as_f64().is_some_and(|found| (found - real).abs() <= 1e-9 * (1.0 + real))
        }
    }
}

/// Releases a table under one requirement, and compares what `verify` says with the definitions.
fn release(place: &Place, case: &Case, model: &str, flag: &str, parameters: &str) {
    let numeric = parameters.starts_with('#');
    let parameters = parameters.trim_start_matches('#');
    let sensitive = if numeric { case.number } else { case.category };
    let quasi_identifiers: Vec<&str> =
        case.quasi_identifiers.iter().copied().filter(|name| *name != sensitive).collect();
    let asked = match flag {
        "k" => String::new(),
        "min-width" => format!("--min-width {}={}", case.width.0, case.width.1),
        _ => format!("--{flag} {parameters}"),
    };
    let k = if flag == "k" { parameters } else { "3" };
    let hierarchy =
        if numeric { String::new() } else { format!("--hierarchy {sensitive}={}", case.hierarchy) };
    let columns = format!(
        "--qi {} {} --sensitive {sensitive} {hierarchy} -k {k} {asked}",
        quasi_identifiers.join(","),
        case.accepted
    );
    place.ok(&format!(
        "anonymize {} {columns} --partitioning {model} --other drop -o release.csv -q",
        case.input
    ));
    let groups = Groups::read(&place.read("release.csv"), case.delimiter, &quasi_identifiers, sensitive);
    assert!(groups.groups.len() > 1, "{flag} {parameters}: one group shows nothing");
    assert!(groups.groups.values().all(|group| group.len() >= k.parse().unwrap()));
    let tree: Vec<Vec<String>> = std::fs::read_to_string(place.path(&case.hierarchy))
        .unwrap()
        .lines()
        .map(|line| line.split(';').map(str::to_string).collect())
        .collect();
    let parameters = if flag == "min-width" { case.width.0 } else { parameters };
    let reference = worst(flag, parameters, &groups, &tree);
    let found: Value =
        serde_json::from_str(&place.ok(&format!("verify release.csv {columns} --json")).out).unwrap();
    let claim = found["claims"].as_array().unwrap().last().unwrap();
    assert_eq!(claim["holds"], true);
    let what = format!("{flag} {parameters} {model}: {claim} against {reference:?}");
    assert!(is_level(&claim["measured"], &claim["exact"], &reference), "{what}");
    let limit = claim["limit"].as_f64().unwrap();
    let within = |level: f64| match flag {
        "k" | "variance" | "min-width" => level >= limit,
        "l-diversity" if !parameters.starts_with("rec") => level >= limit - 1e-12,
        "l-diversity" | "delta-disclosure" => level < limit,
        _ => level <= limit,
    };
    match reference {
        Reference::Exact(ratio) => assert!(within(ratio.to_f64().unwrap()), "{what}"),
        Reference::Real(real) => assert!(within(real), "{what}"),
        Reference::Unbounded => panic!("{what}"),
    }
    if flag == "epsilon-privacy" {
        assert!(printed_rules_hold(parameters, &groups));
    }
    if let Some(beta) = parameters.strip_prefix("enhanced:") {
        assert!(enhanced_holds(number(beta).unwrap().to_f64().unwrap(), &groups));
    }
}

fn release_all(place: &Place, case: &Case, model: &str) {
    for (flag, parameters) in REQUIRED {
        release(place, case, model, flag, parameters);
    }
}

#[test]
fn every_requirement_is_tried() {
    for entry in klimt_core::registry::REQUIREMENTS {
        let kind = |text: &str| entry.kind.is_none_or(|kind| text.starts_with(kind));
        let tried = REQUIRED.iter().any(|(flag, text)| *flag == entry.flag && kind(text));
        assert!(tried, "{} is not tried", entry.id);
    }
}

#[test]
fn a_generated_table_strict() {
    let place = Place::new();
    release_all(&place, &generated(&place), "strict");
}

#[test]
fn a_generated_table_relaxed() {
    let place = Place::new();
    release_all(&place, &generated(&place), "relaxed");
}

#[test]
fn a_real_table_strict() {
    match real() {
        Some(case) => release_all(&Place::new(), &case, "strict"),
        None => eprintln!("skipped: the Adult table is not here"),
    }
}

#[test]
fn a_real_table_relaxed() {
    match real() {
        Some(case) => release_all(&Place::new(), &case, "relaxed"),
        None => eprintln!("skipped: the Adult table is not here"),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Any table can be verified: the levels of random ones are those of the definitions, to the last digit.
    #[test]
    fn levels_of_random_tables_are_exact(
        rows in prop::collection::vec((0u8..4, prop::sample::select(vec!["-1.5", "0", "2", "2.25", "10", ""]), 0u8..6), 1..40),
    ) {
        let place = Place::new();
        place.write("levels.csv", "a;ab;*\nb;ab;*\nc;cd;*\nd;cd;*\ne;ef;*\nf;ef;*\n");
        let line = |(group, number, letter): &(u8, &str, u8)| format!("g{group},{number},{}\n", char::from(b'a' + letter));
        let text: String = std::iter::once("q,n,s\n".to_string()).chain(rows.iter().map(line)).collect();
        place.write("release.csv", &text);
        let tree: Vec<Vec<String>> = place.read("levels.csv").lines()
            .map(|line| line.split(';').map(str::to_string).collect()).collect();
        let asked = [
            ("s", "l-diversity", "2"), ("s", "l-diversity", "entropy:2"), ("s", "l-diversity", "recursive:1.5:2"),
            ("s", "l-diversity", "recursive:1.5:4"), ("s", "alpha", "0.5"), ("n", "alpha", "0.5"),
            ("s", "t-closeness", "0.2:equal"), ("s", "t-closeness", "0.2:hierarchical"), ("n", "t-closeness", "0.2:ordered"),
            ("n", "variance", "2"), ("s", "epsilon-privacy", "3:4.5:1"), ("n", "epsilon-privacy", "3:7"),
            ("s", "beta-likeness", "basic:1"), ("n", "delta-disclosure", "1"),
        ];
        let has_numbers = rows.iter().any(|(_, number, _)| !number.is_empty());
        let asked: Vec<_> = asked.iter().filter(|(column, flag, _)| *flag != "variance" || (*column == "n" && has_numbers)).collect();
        let flags: Vec<String> = asked.iter().map(|(column, flag, text)| format!("--{flag} {column}={text}")).collect();
        let ran = place.run(&format!(
            "verify release.csv --qi q --sensitive n,s --type n=decimal --hierarchy s=levels.csv {} --json", flags.join(" ")));
        let found: Value = serde_json::from_str(&ran.out).unwrap();
        let claims = found["claims"].as_array().unwrap();
        prop_assert_eq!(claims.len(), asked.len());
        for ((column, flag, parameters), claim) in asked.iter().zip(claims) {
            let groups = Groups::read(&text, ',', &["q"], column);
            let reference = worst(flag, parameters, &groups, &tree);
            prop_assert!(is_level(&claim["measured"], &claim["exact"], &reference), "{} {} {:?}", flag, claim, reference);
            if let Reference::Real(real) = reference && *flag == "l-diversity" {
                prop_assert!(claim["measured"].as_f64().unwrap() <= real * (1.0 + 1e-15), "rounded to the safe side");
            }
        }
    }
}

/// Where boundaries are published a width is theirs: people of one age may stand in wide boundaries, whatever finds them.
#[test]
fn widths_of_regions_are_those_of_boundaries() {
    let place = Place::new();
    let text = (0..480).map(|n| format!("{},{}\n", 20 + n % 6 * 10, ["f", "m"][n / 6 % 2]));
    place.write("in.csv", std::iter::once("age,sex\n".to_string()).chain(text).collect::<String>());
    let groups = |flags: &str| {
        let base = "anonymize in.csv --qi age,sex -k 20 --min-width age=6 -q -o out.csv --json";
        let ran = place.ok(&format!("{base} {flags}"));
        place.ok("verify out.csv --qi age,sex -k 20 --min-width age=6");
        let found: Value = serde_json::from_str(&ran.out).unwrap();
        found["groups"]["count"].as_u64().unwrap()
    };
    for algorithm in [
        "mondrian",
        "rothko-t",
        "rothko-s",
        "rtree",
        "gensearch --splits every --loss c_avg",
        "mondrian --split loss:dm",
    ] {
        let compact = groups(&format!("--algorithm {algorithm}"));
        let region = groups(&format!("--algorithm {algorithm} --extent region"));
        assert!(region > compact, "{algorithm}: {region} groups by boundaries, {compact} by values");
    }
    for stricter in ["--effort balanced", "--suppress 5%", "--algorithm optimal --time-limit 2s"] {
        groups(&format!("--extent region {stricter}"));
    }
}

/// Values that are all missing have no variance, which is a violation and not a column of another type, whether a type
/// is named or not.
#[test]
fn numbers_that_are_all_missing_have_no_variance() {
    let place = Place::new();
    place.write("release.csv", "age,income\n[20..30],\n[20..30],\n[31..40],\n[31..40],\n");
    let verify = "verify release.csv --qi age --sensitive income -k 2 --variance income=3";
    let found = place.run(&format!("{verify} --type income=integer"));
    assert_eq!(found.code, Some(1), "{}", found.err);
    assert_eq!(place.run(verify).code, Some(1), "no value is known, so there is no variance");
    place.write("texts.csv", "age,income\n[20..30],low\n[20..30],high\n");
    let texts = place.run("verify texts.csv --qi age --sensitive income -k 2 --variance income=3");
    assert_eq!(texts.code, Some(2), "texts are no numbers");
}
