//! What a certificate claims is true of the release as it was published, for the family that it names.

use crate::common::{Place, people};
use crate::scheme::workers;
use serde_json::Value;

const PEOPLE: &str = "anonymize in.csv --qi age,sex,city --other drop -q -o out.csv --json";

/// The certificate with the exact losses.
fn exact(place: &Place, args: &str) -> Value {
    serde_json::from_str(&place.ok(args).out).unwrap()
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is not a number"))
}

fn family(certificate: &Value) -> &str {
    certificate["family"].as_str().unwrap_or("")
}

/// What is found is the loss of the release, what is claimed follows from it and the bound, and the published certificate
/// says no more.
fn check(place: &Place, certificate: &Value) {
    let loss = certificate["search"]["loss"].as_str().unwrap();
    let found = number(&certificate["search"]["found"]);
    let lost = number(&certificate["losses"][loss]);
    assert!((found - lost).abs() <= 1e-9 * lost, "{loss}: {found} is told of {lost}");
    let told: Value = serde_json::from_str(&place.read("out.csv.certificate.json")).unwrap();
    assert_eq!(told["family"], certificate["family"]);
    let Some(bound) = certificate["search"]["bound"].as_f64() else {
        assert_eq!((&certificate["proven"], &certificate["family"]), (&"heuristic".into(), &Value::Null));
        return;
    };
    assert!(!family(certificate).is_empty() && bound <= found, "{found} is below {bound}");
    match certificate["proven"].as_str() {
        Some(word) => assert!(word == "optimal" && found <= bound * (1.0 + 1e-9), "{word}: {found}, {bound}"),
        None => {
            let factor = number(&certificate["proven"]["within-factor"]);
            assert!((factor - found / bound).abs() < 1e-9 * factor, "{factor}: {found}, {bound}");
            assert!(number(&told["proven"]["within-factor"]) >= factor);
        }
    }
}

/// What a split set has to offer, from a search that starts from one group and goes on until all is proven.
fn best_of_splits(place: &Place, splits: &str, k: u64) -> f64 {
    let flags = format!("--algorithm gensearch --splits {splits} -k {k} --loss dm --start whole");
    let found = exact(place, &format!("{PEOPLE} {flags}"));
    check(place, &found);
    assert_eq!(found["proven"], "optimal");
    number(&found["losses"]["dm"])
}

#[test]
fn gensearch_claims_nothing_that_its_splits_do_not_hold() {
    let place = Place::new();
    place.write("in.csv", people(400));
    for splits in ["at-most:1", "equal-width:2", "at-most:2"] {
        let best = best_of_splits(&place, splits, 20);
        let cheaper = exact(&place, &format!("{PEOPLE} --algorithm optimal -k 20 --loss dm --time-limit 2s"));
        assert!(number(&cheaper["losses"]["dm"]) < best, "other cuts cost less");
        for start in ["mondrian", "optimal", "whole"] {
            for effort in ["fast", "balanced", "best"] {
                let flags = format!("--start {start} --effort {effort} --time-limit 2s");
                let line =
                    format!("{PEOPLE} --algorithm gensearch --splits {splits} -k 20 --loss dm {flags}");
                let found = exact(&place, &line);
                check(&place, &found);
                let dm = number(&found["losses"]["dm"]);
                let of_splits = family(&found).starts_with("hierarchical partitions over");
                assert!(!of_splits || dm >= best, "{flags}: {dm} is not made by {splits}");
                assert!(!of_splits || found["proven"] != "optimal" || dm == best, "{flags}");
                if found["proven"] == "optimal" && !of_splits {
                    assert!(dm <= number(&cheaper["losses"]["dm"]), "{flags}: {}", found["family"]);
                }
            }
        }
    }
}

#[test]
fn suppression_follows_the_loss_and_the_claim_knows_of_it() {
    let place = Place::new();
    // Somebody far from all others, who widens the region of a group.
    place.write("in.csv", people(299) + "x,900,f,Bern,1.00,1950-01-01,flu\n");
    let line = format!("{PEOPLE} -k 6 --loss ncp --suppress 5%");
    assert!(
        exact(&place, &line)["rows"]["suppressed"].as_u64() > Some(0),
        "by ncp that row is better left out"
    );
    for algorithm in ["mondrian", "rtree", "local", "optimal", "gensearch --splits at-most:2"] {
        for loss in ["dm", "c_avg", "ncp", "vm", "hdm", "granularity"] {
            let line = format!("{PEOPLE} -k 6 --algorithm {algorithm} --loss {loss} --time-limit 1s");
            let all = exact(&place, &format!("{line} --suppress none"));
            let some = exact(&place, &format!("{line} --suppress 5%"));
            if some["search"] != Value::Null {
                check(&place, &some);
            }
            let (before, after) = (number(&all["losses"][loss]), number(&some["losses"][loss]));
            let searched = ["local", "optimal"].contains(&algorithm);
            assert!(searched || after <= before * (1.0 + 1e-9), "{algorithm} {loss}: {after} after {before}");
            assert!(searched || loss != "dm" || some["rows"]["suppressed"] == 0, "a row costs 300");
            let named = family(&some);
            assert!(named.is_empty() || named.ends_with("with at most 15 rows suppressed"), "{named}");
            assert!(!named.starts_with("hierarchical"), "nothing is known of splits with suppressed rows");
        }
    }
}

/// Groups that are published alike are merged after the search.
#[test]
fn a_factor_is_that_of_what_is_published() {
    let place = workers(500);
    let hierarchies = "--hierarchy age=age.csv --hierarchy job=job.csv --hierarchy sex=sex.csv";
    let line = format!("anonymize in.csv --qi age,job,sex --other drop -q -o out.csv --json {hierarchies}");
    for flags in [
        "--algorithm optimal --time-limit 2s",
        "--algorithm gensearch --time-limit 1s",
        "--algorithm gensearch --start optimal --splits at-most:4 --time-limit 2s",
        "--effort best --time-limit 2s",
    ] {
        for loss in ["dm", "ncp", "c_avg", "entropy"] {
            for extent in ["compact", "region"] {
                let found = exact(&place, &format!("{line} -k 5 --loss {loss} {flags} --extent {extent}"));
                check(&place, &found);
            }
        }
    }
}

#[test]
fn the_definition_of_a_loss_proves_a_factor_for_every_algorithm() {
    let place = Place::new();
    place.write("in.csv", people(300));
    let base = "anonymize in.csv --qi age,sex,city --sensitive disease --other drop -q -o out.csv --json";
    for algorithm in [
        "mondrian",
        "mondrian --partitioning relaxed",
        "mondrian --split loss:c_avg",
        "mondrian --extent region",
        "rothko-t",
        "rothko-s",
        "rtree",
        "rtree --base-k 3",
        "local",
    ] {
        for (required, minimum) in [("-k 7", 7.0), ("-k 2 --l-diversity distinct:3", 3.0)] {
            let k = if minimum == 7.0 { 7.0 } else { 2.0 };
            let run = |loss: &str| {
                exact(&place, &format!("{base} {required} --algorithm {algorithm} --loss {loss}"))
            };
            if algorithm.contains("--base-k") && k < 3.0 {
                continue;
            }
            for loss in ["dm", "c_avg"] {
                let found = run(loss);
                check(&place, &found);
                let named = format!("any partition into groups of at least {minimum} rows");
                assert_eq!(found["family"], named.as_str(), "{algorithm} {required}");
                // 300 rows: 42 groups of 7 and 6 rows more, or 100 groups of 3.
                let most = (300.0_f64 / minimum).floor();
                let larger = 300.0 - most * minimum;
                let least = match loss {
                    "dm" => (most - larger) * minimum * minimum + larger * (minimum + 1.0) * (minimum + 1.0),
                    _ => 300.0 / most / k,
                };
                let bound = number(&found["search"]["bound"]);
                assert!((bound - least).abs() < 1e-9 * least, "{algorithm} {loss}: {bound}, not {least}");
            }
            let found = exact(&place, &format!("{base} {required} --algorithm {algorithm}"));
            assert_eq!((&found["proven"], &found["family"]), (&"heuristic".into(), &Value::Null));
        }
    }
    place.ok("anonymize in.csv --qi age,sex,city --other drop -q -o out.csv -k 7 --loss dm");
    place.ok("report in.csv out.csv --qi age,sex,city -k 7 -o page.html");
    let page = place.read("page.html");
    assert!(page.contains("any partition into groups of at least 7 rows"), "the report names the family");
    let told = place.ok("compare in.csv --qi age,sex,city --other drop --k 7 --algorithms mondrian,rothko-s --loss c_avg --json");
    let told: Value = serde_json::from_str(&told.out).unwrap();
    for trial in told["trials"].as_array().unwrap() {
        let proven = trial["proven"].as_str().unwrap();
        assert!(proven.starts_with("within ") && proven.contains("at least 7 rows"), "{proven}");
    }
}

/// Rows on disk, in parts.
#[test]
fn a_release_in_parts_is_within_a_proven_factor() {
    let place = Place::new();
    place.write("in.csv", people(200_000));
    let line =
        "anonymize in.csv --qi age,sex,city,income --other drop -k 20 -q -o out.csv --json --memory 16MB";
    let found = exact(&place, &format!("{line} --loss dm"));
    assert_eq!(found["run"]["in-memory"], false);
    check(&place, &found);
    assert_eq!(found["family"], "any partition into groups of at least 20 rows");
    assert_eq!(number(&found["search"]["bound"]), 4_000_000.0);
}

#[test]
fn searches_minimise_the_average_group_size() {
    let place = Place::new();
    place.write("in.csv", people(300));
    let groups = |flags: &str| {
        let found = exact(&place, &format!("{PEOPLE} -k 5 --loss c_avg {flags}"));
        check(&place, &found);
        let (groups, c_avg) = (number(&found["groups"]["count"]), number(&found["losses"]["c_avg"]));
        assert!((c_avg - 300.0 / groups / 5.0).abs() < 1e-12);
        groups
    };
    let mondrian = groups("");
    let best = groups("--algorithm optimal --time-limit 5s");
    assert!(best > mondrian, "{best} groups, and {mondrian} of Mondrian");
    assert!(groups("--effort best --time-limit 5s") > mondrian);
    assert!(groups("--algorithm gensearch --time-limit 3s") >= mondrian);
    groups("--algorithm scheme --time-limit 3s");
    groups("--algorithm local");
    // A gap is one of the loss, not of the sum that is minimised.
    let found =
        exact(&place, &format!("{PEOPLE} -k 5 --loss c_avg --algorithm optimal --gap 1.3 --time-limit 5s"));
    check(&place, &found);
    assert!(number(&found["search"]["found"]) <= 1.3 * number(&found["search"]["bound"]));
}
