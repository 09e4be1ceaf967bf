//! Generalization schemes on the command line: one value is published one way, what is proven, what is refused.

use crate::common::{Place, people};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::time::Duration;

const SCHEMES: [&str; 6] = ["bhs", "ghs", "gops", "ops", "gsps", "sps"];

/// A table of invented workers, with the hierarchies of its columns beside it.
pub fn workers(rows: usize) -> Place {
    let place = Place::new();
    let mut state = 7u64;
    let mut next = |bound: u64| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) % bound
    };
    let mut text = String::from("id,age,job,sex,disease\n");
    for id in 0..rows {
        let age = 20 + next(40).min(next(40));
        let job = ["nurse", "doctor", "teacher", "clerk", "baker", "smith"][next(6).min(next(7)) as usize];
        let (sex, disease) = (["f", "m"][next(2) as usize], ["flu", "gout", "asthma"][next(3) as usize]);
        text.push_str(&format!("{id},{age},{job},{sex},{disease}\n"));
    }
    place.write("in.csv", text);
    let ages = (20..60).map(|age| {
        let (five, twenty) = (age / 5 * 5, age / 20 * 20);
        format!("{age};{five}-{};{twenty}-{};*\n", five + 4, twenty + 19)
    });
    place.write("age.csv", ages.collect::<String>());
    place.write(
        "job.csv",
        "nurse;health;*\ndoctor;health;*\nteacher;public;*\nclerk;public;*\nbaker;trade;*\nsmith;trade;*\n",
    );
    place.write("sex.csv", "f;*\nm;*\n");
    place
}

const HIERARCHIES: &str = "--hierarchy age=age.csv --hierarchy job=job.csv --hierarchy sex=sex.csv";

pub fn base() -> String {
    format!(
        "anonymize in.csv --qi age,job,sex --insensitive id --accept id --other drop -q -o out.csv --algorithm scheme {HIERARCHIES}"
    )
}

pub fn certificate(place: &Place) -> Value {
    serde_json::from_str(&place.read("out.csv.certificate.json")).unwrap()
}

pub fn loss(place: &Place, name: &str) -> f64 {
    certificate(place)["losses"][name].as_f64().unwrap()
}

fn cells(text: &str) -> Vec<Vec<String>> {
    text.lines().map(|line| line.split(',').map(str::to_string).collect()).collect()
}

/// How every value of a column is published, where each is published one way.
pub fn published(place: &Place, column: usize) -> BTreeMap<String, String> {
    let rows = |name: &str| -> BTreeMap<String, String> {
        let rows = cells(&place.read(name));
        let id = rows[0].iter().position(|name| name == "id").unwrap();
        rows[1..].iter().map(|row| (row[id].clone(), row[column].clone())).collect()
    };
    let original = rows("in.csv");
    let mut ways: BTreeMap<String, String> = BTreeMap::new();
    for (id, cell) in rows("out.csv") {
        let way = ways.entry(original[&id].clone()).or_insert_with(|| cell.clone());
        assert_eq!(*way, cell, "a value of column {column} is published two ways");
    }
    ways
}

#[test]
fn every_scheme_publishes_a_value_one_way_and_is_proven() {
    let place = workers(400);
    for suppress in ["none", "5%", "unlimited"] {
        let mut losses = BTreeMap::new();
        for scheme in SCHEMES {
            place.ok(&format!("{} -k 6 --scheme {scheme} --suppress {suppress} --time-limit 50s", base()));
            place.ok("verify out.csv --qi age,job,sex -k 6");
            (1..4).for_each(|column| drop(published(&place, column)));
            let found = certificate(&place);
            assert_eq!(found["proven"], "optimal", "{scheme} {suppress}");
            assert_eq!(found["search"]["found"], found["losses"]["dm"], "{scheme} {suppress}");
            assert_eq!(found["spec"]["settings"]["schemes"]["job"], scheme);
            losses.insert(scheme, loss(&place, "dm"));
        }
        for (more, less) in [
            ("bhs", "ghs"),
            ("ghs", "gops"),
            ("gops", "ops"),
            ("ops", "sps"),
            ("gops", "gsps"),
            ("gsps", "sps"),
        ] {
            assert!(losses[more] >= losses[less], "{more} {less} {losses:?}");
        }
        assert!(losses["bhs"] > losses["sps"]);
    }
}

#[test]
fn values_are_published_as_the_scheme_says() {
    let place = workers(400);
    let ways = |scheme: &str, column: usize| -> Vec<String> {
        place.ok(&format!("{} -k 12 --scheme {scheme}", base()));
        published(&place, column).into_values().collect()
    };
    for scheme in ["bhs", "ghs"] {
        let nodes = place.read("job.csv").replace('\n', ";");
        assert!(ways(scheme, 2).iter().all(|cell| nodes.split(';').any(|node| node == cell)), "{scheme}");
        assert!(ways(scheme, 1).iter().all(|cell| !cell.contains("..")), "{scheme}");
    }
    for scheme in ["ops", "gops", "sps", "gsps"] {
        let intervals = ways(scheme, 1);
        assert!(intervals.iter().any(|cell| cell.contains("..")), "{scheme} {intervals:?}");
        let sets = ways(scheme, 2);
        assert!(sets.iter().all(|cell| cell != "health" && cell != "public"), "{scheme} {sets:?}");
    }
}

#[test]
fn schemes_are_mixed_by_flags_and_by_spec() {
    let place = workers(300);
    let flags = "--scheme gops --scheme job=sps --scheme sex=bhs --levels age=1..2 --direction top-down \
                 --without fold,seeding --seed 3";
    place.ok(&format!("{} -k 5 {flags}", base()));
    let (release, by_flags) = (place.read("out.csv"), certificate(&place));
    let settings = &by_flags["spec"]["settings"];
    assert_eq!(settings["schemes"], json!({ "age": "gops", "job": "sps", "sex": "bhs" }));
    assert_eq!(settings["levels"], json!({ "age": "1..2" }));
    assert_eq!(settings["direction"], "top-down");
    assert_eq!(settings["without"], json!(["fold", "seeding"]));
    assert_eq!((&settings["minimised"], &settings["extent"]), (&json!("dm"), &json!("region")));
    assert!(settings.get("split").is_none() && settings.get("effort").is_none());
    place.write(
        "klimt.toml",
        "input = \"in.csv\"\noutput = \"out.csv\"\nother = \"drop\"\naccept = [\"id\"]\nk = 5\nalgorithm = \"scheme\"\n\
         scheme = \"gops\"\n\
         direction = \"top-down\"\nwithout = [\"fold\", \"seeding\"]\n\
         [columns.id]\nrole = \"insensitive\"\n\
         [columns.age]\nrole = \"quasi-identifier\"\nhierarchy = \"age.csv\"\nlevels = \"1..2\"\n\
         [columns.job]\nrole = \"quasi-identifier\"\nhierarchy = \"job.csv\"\nscheme = \"sps\"\n\
         [columns.sex]\nrole = \"quasi-identifier\"\nhierarchy = \"sex.csv\"\nscheme = \"sps\"\n",
    );
    place.ok("anonymize --spec klimt.toml -q --seed 3 --scheme sex=bhs");
    assert_eq!(place.read("out.csv"), release, "flags win over the spec, and both say the same");
    let by_spec = certificate(&place);
    assert_eq!(by_spec["spec"]["settings"], *settings);
}

#[test]
fn a_scheme_that_is_not_named_suits_the_column() {
    let place = workers(300);
    let line = "anonymize in.csv --qi age,job,sex,disease --other drop -q -o out.csv -k 5 --algorithm scheme \
                --hierarchy job=job.csv --order sex=sex.txt --time-limit 5s";
    place.write("sex.txt", "f\nm\n");
    place.ok(line);
    let schemes = json!({ "age": "ops", "job": "ghs", "sex": "ops", "disease": "sps" });
    assert_eq!(certificate(&place)["spec"]["settings"]["schemes"], schemes);
    place.ok("verify out.csv --qi age,job,sex,disease -k 5");
}

#[test]
fn levels_bound_what_is_published() {
    let place = workers(400);
    let width = |cell: &str| -> i64 {
        let numbers: Vec<i64> =
            cell.split(|c: char| !c.is_ascii_digit()).filter_map(|part| part.parse().ok()).collect();
        let open = i64::from(!cell.starts_with('('));
        if cell == "*" { 100 } else { numbers[numbers.len() - 1] - numbers[0] + open }
    };
    for scheme in SCHEMES {
        place.ok(&format!("{} -k 2 --suppress unlimited --scheme {scheme} --levels age=1..", base()));
        let ways = published(&place, 1);
        // Rows of an interval may all be suppressed, but what is published is never finer than five years.
        assert!(ways.values().all(|cell| width(cell) >= 5), "{scheme} {ways:?}");
        let ends = ways.keys().filter(|age| age.ends_with('4') || age.ends_with('9'));
        for age in ends {
            let next = (age.parse::<u32>().unwrap() - 1).to_string();
            assert_eq!(
                ways.get(age),
                ways.get(&next).or(ways.get(age)),
                "{scheme}: ages of one interval are apart"
            );
        }
    }
    for scheme in ["bhs", "ghs", "gops", "gsps"] {
        place.ok(&format!("{} -k 5 --suppress unlimited --scheme {scheme} --levels age=..1", base()));
        let ways = published(&place, 1);
        assert!(ways.values().all(|cell| width(cell) <= 5), "{scheme} {ways:?}");
    }
}

#[test]
fn directions_techniques_and_threads_find_the_same_loss() {
    let place = workers(150);
    let line = format!("{} -k 4 --scheme gsps --suppress 10%", base());
    place.ok(&line);
    let least = loss(&place, "dm");
    for flags in [
        "--direction bottom-up",
        "--direction top-down",
        "--without fold",
        "--without fold,nodes,applicators,reconsider",
        "--without useless,useful,seeding --direction bottom-up",
        "--without useless,useful,seeding --direction top-down",
    ] {
        place.ok(&format!("{line} {flags} --time-limit 100s"));
        assert_eq!(
            (loss(&place, "dm"), &certificate(&place)["proven"]),
            (least, &json!("optimal")),
            "{flags}"
        );
    }
    let release = |threads: usize| {
        place.ok(&format!("{line} --seed 5 --threads {threads}"));
        place.read("out.csv")
    };
    assert_eq!(release(1), release(3));
}

#[test]
fn what_the_search_minimises_is_what_the_certificate_measures() {
    let place = workers(300);
    for name in ["ncp", "hdm", "dm", "precision", "granularity"] {
        for scheme in ["ghs", "gops", "sps"] {
            let ran = place.run(&format!("{} -k 6 --scheme {scheme} --suppress 3% --loss {name}", base()));
            assert_eq!(ran.code, Some(0), "{scheme} {name}: {}", ran.err);
            let found = certificate(&place);
            let (told, measured) = (found["search"]["found"].as_f64().unwrap(), loss(&place, name));
            assert!(
                (told - measured).abs() < 1e-9 * measured.max(1.0),
                "{scheme} {name}: {told} and {measured}"
            );
        }
    }
    place.ok(&format!("{} -k 6 --scheme gops --loss ncp --extent compact", base()));
    assert_eq!(certificate(&place)["proven"], "heuristic", "the search looked at the boundaries");
    place.ok(&format!("{} -k 6 --scheme gops --loss dm --extent compact", base()));
    assert_eq!(certificate(&place)["proven"], "optimal", "sizes are the same");
    let warned = place.ok(&format!("{} -k 6 --extent compact", base().replace(" -q", ""))).err;
    assert!(warned.contains("no longer always the same way"), "{warned}");
}

#[test]
fn the_last_line_tells_the_loss_and_what_is_proven() {
    let place = workers(200);
    let told = place.ok(&format!("{} -k 5 --trace t.csv", base().replace(" -q", ""))).err;
    let trace = place.read("t.csv");
    let dm: f64 = trace.lines().last().unwrap().split(',').nth(1).unwrap().parse().unwrap();
    let thousands = format!("dm {},{:03}, optimal (", dm as u64 / 1000, dm as u64 % 1000);
    assert!(told.trim_end().ends_with("per column)") && told.contains(&thousands), "{told}");
    assert_eq!(format!("{dm:.3e}").parse(), Ok(loss(&place, "dm")), "the certificate tells four digits");
}

#[test]
fn a_saved_recoding_function_gives_the_same_release() {
    let place = workers(300);
    for scheme in SCHEMES {
        for suppress in ["none", "4%"] {
            place.ok(&format!(
                "{} -k 6 --scheme {scheme} --suppress {suppress} --save-recoding f.json --keep-order",
                base()
            ));
            let released = place.read("out.csv");
            place.ok(&format!(
                "apply f.json in.csv --insensitive id --accept id --other drop -q --keep-order --suppress {suppress} -o again.csv"
            ));
            assert_eq!(place.read("again.csv"), released, "{scheme} {suppress}");
        }
    }
}

#[test]
fn what_a_hierarchy_guided_is_measured_as_it_was_published() {
    let place = workers(300);
    for scheme in ["ops", "gops", "sps", "gsps", "ghs"] {
        place.ok(&format!("{} -k 6 --scheme {scheme}", base()));
        let columns = format!("--qi age,job,sex {HIERARCHIES} -k 6");
        let measured = place.ok(&format!("measure in.csv out.csv {columns} --json -q")).out;
        let measured: Value = serde_json::from_str(&measured).unwrap();
        for name in ["ncp", "dm"] {
            let (told, found) = (loss(&place, name), measured["losses"][name].as_f64().unwrap());
            assert!((told - found).abs() <= 1e-3 * found, "{scheme}: {name} {told} and {found}");
        }
        place.ok(&format!("report in.csv out.csv {columns} -q -o page.html"));
        place.ok(&format!("verify out.csv {columns} -q"));
    }
}

/// With `*` and single values alone, nothing in the release tells that a hierarchy only guided the scheme. Its leaves are
/// more than the values that occur, so that kl differs; the certificate tells.
#[test]
fn a_guide_that_left_no_trace_is_known_from_the_certificate() {
    let place = Place::new();
    place.write("in.csv", format!("city,age\n{}b,0\nb,1\n", "a,0\na,1\n".repeat(20)));
    place.write("city.csv", "a;x;*\nb;x;*\nc;y;*\nd;y;*\n");
    let columns = "--qi city,age --hierarchy city=city.csv -k 5";
    place.ok(&format!(
        "anonymize in.csv {columns} -q --algorithm scheme --scheme city=sps --scheme age=ops -o out.csv"
    ));
    let published = place.read("out.csv");
    assert!(published.contains("*,") && !published.contains('{'), "{published}");
    let measured = place.ok(&format!("measure in.csv out.csv {columns} --json -q")).out;
    let measured: Value = serde_json::from_str(&measured).unwrap();
    for name in ["kl", "vm"] {
        let (told, found) = (loss(&place, name), measured["losses"][name].as_f64().unwrap());
        assert!((told - found).abs() <= 1e-3 * found, "{name} {told} and {found}");
    }
}

#[test]
fn parquet_is_read_and_written() {
    let place = workers(300);
    place.ok("anonymize in.csv --qi age --insensitive id,job,sex,disease --accept id -k 1 -q --keep-order -o in.parquet");
    let line = base().replace("in.csv", "in.parquet").replace("out.csv", "out.parquet");
    place.ok(&format!("{line} -k 6 --scheme gsps --seed 1"));
    place.ok("verify out.parquet --qi age,job,sex -k 6");
    place.ok(&format!("{} -k 6 --scheme gsps --seed 1", base()));
    let of = |name: &str| -> Value {
        serde_json::from_str(&place.read(&format!("{name}.certificate.json"))).unwrap()
    };
    assert_eq!(of("out.parquet")["losses"], of("out.csv")["losses"]);
}

#[test]
fn lone_values_of_the_least_level_are_told() {
    let place = Place::new();
    place.write("in.csv", "age\n20\n21\n22\n27\n27\n27\n30\n31\n");
    place.write(
        "age.csv",
        "20;20-24;*\n21;20-24;*\n22;20-24;*\n27;25-29;*\n28;25-29;*\n30;30-34;*\n31;30-34;*\n",
    );
    let line = "anonymize in.csv --qi age -k 2 -o out.csv --algorithm scheme --hierarchy age=age.csv --levels age=1..";
    let told = "warning: column age: of 1 groups on the least level";
    assert!(place.ok(&format!("{line} --scheme gops")).err.contains(told));
    // A node is published as it is, whatever occurs under it.
    assert!(!place.ok(&format!("{line} --scheme ghs")).err.contains(told));
    assert!(place.read("out.csv").contains("25-29"));
}

#[test]
fn an_interrupted_search_publishes_the_best_so_far() {
    let place = Place::new();
    place.write("in.csv", people(3000));
    let args = "anonymize in.csv --qi age,city,born,income --other drop -k 5 -o out.csv --algorithm scheme --time-limit 10m";
    let stopped = place.interrupted(args, Duration::from_secs(4));
    assert_eq!(stopped.code, Some(0), "{}", stopped.err);
    assert!(stopped.err.contains("the best release so far"), "{}", stopped.err);
    place.ok("verify out.csv --qi age,city,born,income -k 5");
}
