//! Searches on the command line: what they publish, what they claim, how they end.

use crate::common::{Place, people, ran};
use serde_json::Value;
use std::time::{Duration, Instant};

fn certificate(place: &Place) -> Value {
    serde_json::from_str(&place.read("out.csv.certificate.json")).unwrap()
}

fn loss(certificate: &Value, name: &str) -> f64 {
    certificate["losses"][name].as_f64().unwrap()
}

#[test]
fn the_optimum_is_proven_and_no_algorithm_beats_it() {
    let place = Place::new();
    place.write("in.csv", people(300));
    let base = "anonymize in.csv --qi age,sex,city --other drop -k 4 -q -o out.csv --loss dm";
    let mut losses = Vec::new();
    for flags in [
        "--algorithm optimal",
        "--algorithm mondrian",
        "--effort balanced",
        "--effort best --time-limit 5s",
        "--algorithm gensearch --splits at-most:3 --time-limit 5s",
        "--algorithm gensearch --splits equal-width:4 --priority ratio --queue 1000 --start whole --time-limit 3s",
    ] {
        place.ok(&format!("{base} {flags}"));
        place.ok("verify out.csv --qi age,sex,city -k 4");
        losses.push(loss(&certificate(&place), "dm"));
        if flags == "--algorithm optimal" {
            let found = certificate(&place);
            assert!(found["search"]["bound"].as_f64().unwrap() <= losses[0]);
        }
    }
    assert!(losses.iter().all(|loss| *loss >= losses[0]), "{losses:?}");
    assert!(losses[2] <= losses[1] && losses[3] <= losses[2], "{losses:?}");
}

#[test]
fn a_grid_of_few_boxes_is_solved() {
    let place = Place::new();
    place.write("in.csv", people(500));
    place.ok("anonymize in.csv --qi age,sex --other drop -k 5 -q -o out.csv --loss ncp --algorithm optimal");
    let found = certificate(&place);
    assert_eq!(found["proven"], "optimal");
    assert_eq!(found["search"]["found"], found["search"]["bound"]);
    let measured = (found["search"]["found"].as_f64().unwrap() - loss(&found, "ncp")).abs();
    assert!(measured < 1e-12, "the search and the certificate measure the same loss");
}

#[test]
fn a_trace_tells_how_the_search_went() {
    let place = Place::new();
    place.write("in.csv", people(2000));
    place.ok("anonymize in.csv --qi age,sex,city,born --other drop -k 5 -q -o out.csv --loss dm --algorithm optimal --time-limit 2s --trace t.csv");
    let trace = place.read("t.csv");
    let mut lines = trace.lines();
    assert_eq!(lines.next(), Some("seconds,found,bound,ratio"));
    let mut rows: Vec<Vec<f64>> = Vec::new();
    for line in lines {
        let (numbers, ratio) = line.rsplit_once(',').unwrap();
        rows.push(numbers.split(',').map(|cell| cell.parse().unwrap()).collect());
        let (found, bound) = (rows.last().unwrap()[1], rows.last().unwrap()[2]);
        match bound > 0.0 {
            true => assert_eq!(ratio.parse::<f64>().unwrap(), found / bound, "{line}"),
            false => assert_eq!(ratio, "", "nothing is proven before there is a bound"),
        }
    }
    assert!(rows.len() > 1 && rows.last().unwrap()[2] > 0.0, "{trace}");
    assert!(rows.windows(2).all(|two| two[1][1] <= two[0][1] && two[1][2] >= two[0][2]), "{trace}");
    assert!(rows.iter().all(|row| row[2] <= row[1]));
    assert_eq!(rows.last().unwrap()[1], loss(&certificate(&place), "dm"));
}

#[test]
fn the_time_limit_is_kept() {
    let place = Place::new();
    place.write("in.csv", people(5000));
    let start = Instant::now();
    place.ok("anonymize in.csv --qi age,sex,city,born,income --other drop -k 5 -q -o out.csv --algorithm optimal --time-limit 2s");
    assert!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
}

#[test]
fn an_interrupted_search_publishes_the_best_so_far() {
    let place = Place::new();
    place.write("in.csv", people(4000));
    let args = "anonymize in.csv --qi age,sex,city,born --other drop -k 5 -o out.csv --algorithm optimal --loss ncp --time-limit 10m";
    let stopped = place.interrupted(args, Duration::from_secs(4));
    assert_eq!(stopped.code, Some(0), "{}", stopped.err);
    assert!(stopped.err.contains("the best release so far"), "{}", stopped.err);
    place.ok("verify out.csv --qi age,sex,city,born -k 5");
}

#[test]
fn split_sets_come_from_the_spec() {
    let place = Place::new();
    place.write("in.csv", people(400));
    place.write(
        "klimt.toml",
        "input = \"in.csv\"\noutput = \"out.csv\"\nk = 10\nother = \"drop\"\nalgorithm = \"gensearch\"\nloss = \"dm\"\n\
         gap = 1\ntime-limit = \"20s\"\nstart = \"whole\"\n\
         [columns.age]\nrole = \"quasi-identifier\"\nsplits = [39, \"59\"]\n[columns.sex]\nrole = \"quasi-identifier\"\n",
    );
    place.ok("anonymize --spec klimt.toml --extent region -q");
    let found = certificate(&place);
    assert_eq!(found["proven"], "optimal");
    let ages: std::collections::BTreeSet<String> = place
        .read("out.csv")
        .lines()
        .skip(1)
        .map(|line| line.split(',').next().unwrap().to_string())
        .collect();
    assert!(
        ages.iter().any(|age| age.ends_with("..39]")) && ages.iter().any(|age| age.starts_with("(39..")),
        "{ages:?}"
    );
}

/// Explicit splits by flag are those of the spec, and names are quoted as in every flag.
#[test]
fn split_sets_come_from_flags() {
    let place = Place::new();
    place.write("in.csv", people(400).replacen("age,", "\"age, years\",", 1));
    let base = "anonymize in.csv --qi sex --other drop -k 10 --algorithm gensearch --loss dm --extent region -o out.csv";
    let run = |more: &[&str]| {
        let mut command = place.command(base);
        command.args(["--qi", "\"age, years\""]).args(more);
        ran(&command.output().unwrap())
    };
    let split = ["--split-at", "\"age, years\"=39", "--split-at", "\"age, years\"=59", "--split-at", "sex="];
    let ran = run(&split);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(ran.err.contains("optimal (hierarchical partitions over 2 splits)"), "{}", ran.err);
    assert!(ran.err.contains("2 splits, ") && ran.err.contains(" partitions opened, "), "{}", ran.err);
    let counts = &certificate(&place)["search"]["counts"];
    assert_eq!(counts["splits"], 2);
    assert!(
        ["opened", "pruned", "dropped", "waiting", "boxes"].iter().all(|key| counts[key].is_u64()),
        "{counts}"
    );
    let wrong = run(&["--split-at", "height=3"]);
    assert!(wrong.code == Some(2) && wrong.err.contains("height"), "{}", wrong.err);
    let wrong = run(&["--split-at", "39"]);
    assert!(wrong.code == Some(2) && wrong.err.contains("COLUMN=VALUES"), "{}", wrong.err);
}

/// As published, a search has no start and no look-ahead, and finds the optimum of its split set like any other.
#[test]
fn the_search_of_the_paper_is_selectable() {
    let place = Place::new();
    place.write("in.csv", people(200));
    let base = "anonymize in.csv --qi age,sex --other drop -k 20 -q -o out.csv --loss dm --algorithm gensearch --splits at-most:4";
    place.ok(&format!("{base} --as-published"));
    let published = certificate(&place);
    assert_eq!(published["spec"]["settings"]["as-published"], true);
    place.ok(base);
    assert_eq!(
        (&published["proven"], loss(&published, "dm")),
        (&Value::from("optimal"), loss(&certificate(&place), "dm"))
    );
}

#[test]
fn suppression_is_granted_and_kept() {
    let place = Place::new();
    place.write("in.csv", people(200));
    place.ok("anonymize in.csv --qi age,sex,city --other drop -k 5 -q -o out.csv --algorithm optimal --suppress 10% --time-limit 3s");
    place.ok("verify out.csv --qi age,sex,city -k 5");
    let found = certificate(&place);
    assert!(found["rows"]["suppressed"].as_u64().unwrap() <= 20);
    let rows = found["rows"]["published"].as_u64().unwrap() + found["rows"]["suppressed"].as_u64().unwrap();
    assert_eq!(rows, 200);
}

#[test]
fn what_a_search_cannot_do_is_said_at_once() {
    let place = Place::new();
    place.write("in.csv", people(50));
    let before = place.files();
    for (flags, wanted) in [
        ("--algorithm optimal --effort best", "--effort"),
        ("--algorithm optimal --partitioning relaxed", "relaxed"),
        ("--effort best --hierarchy-cut nodes", "--hierarchy-cut nodes"),
        ("--splits every", "gensearch"),
        ("--algorithm gensearch --splits often", "equal-count"),
        ("--algorithm gensearch --queue many --trace t.csv", "--queue"),
        ("--as-published", "gensearch"),
        ("--split-at age=3", "gensearch"),
        ("--algorithm gensearch --as-published --start mondrian", "--start"),
        ("--algorithm gensearch --as-published --lookahead 9", "--lookahead"),
        ("--algorithm optimal --time-limit soon", "such as 120s"),
        ("--algorithm optimal --time-limit=-3s", "a time is"),
        ("--algorithm optimal --gap 0.5", "at least 1"),
        ("--algorithm optimal --loss kl", "kl"),
        ("--algorithm optimal --loss cm", "--target"),
        ("--algorithm optimal --loss nothing", "unknown loss nothing"),
        ("--algorithm optimal --trace in.csv", "overwrite"),
    ] {
        let args = format!("anonymize in.csv --qi age,sex --other drop -k 2 -o out.csv {flags}");
        let ran = place.run(&args);
        assert_eq!(ran.code, Some(2), "{flags}: {}", ran.err);
        assert!(ran.err.contains(wanted), "{flags}: {}", ran.err);
        assert_eq!(place.files(), before, "{flags}");
    }
}
