//! Generalization schemes on the command line: one value is published one way, what is proven, what is refused.

use crate::common::{Place, people};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

const SCHEMES: [&str; 6] = ["bhs", "ghs", "gops", "ops", "gsps", "sps"];

/// A table of invented workers, with the hierarchies of its columns beside it.
fn workers(rows: usize) -> Place {
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

fn base() -> String {
    format!(
        "anonymize in.csv --qi age,job,sex --insensitive id --other drop -q -o out.csv --algorithm scheme {HIERARCHIES}"
    )
}

fn certificate(place: &Place) -> Value {
    serde_json::from_str(&place.read("out.csv.certificate.json")).unwrap()
}

fn loss(place: &Place, name: &str) -> f64 {
    certificate(place)["losses"][name].as_f64().unwrap()
}

fn cells(text: &str) -> Vec<Vec<String>> {
    text.lines().map(|line| line.split(',').map(str::to_string).collect()).collect()
}

/// How every value of a column is published, where each is published one way.
fn published(place: &Place, column: usize) -> BTreeMap<String, String> {
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
        "input = \"in.csv\"\noutput = \"out.csv\"\nother = \"drop\"\nk = 5\nalgorithm = \"scheme\"\nscheme = \"gops\"\n\
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
    let dm = loss(&place, "dm");
    let thousands = format!("dm {},{:03}, optimal", dm as u64 / 1000, dm as u64 % 1000);
    assert!(told.trim_end().ends_with(&thousands), "{told}");
    let trace = place.read("t.csv");
    assert_eq!(trace.lines().last().unwrap().split(',').nth(1).unwrap(), dm.to_string());
}

#[test]
fn suppression_is_bounded_or_unlimited() {
    let place = workers(300);
    let mut losses = Vec::new();
    for (suppress, most) in [("none", 0), ("2%", 6), ("100%", 300), ("unlimited", 300)] {
        place.ok(&format!("{} -k 10 --scheme bhs --suppress {suppress}", base()));
        place.ok("verify out.csv --qi age,job,sex -k 10");
        let found = certificate(&place);
        let (kept, out) = (&found["rows"]["published"], &found["rows"]["suppressed"]);
        assert!(out.as_u64().unwrap() <= most, "{suppress}: {out}");
        assert_eq!(kept.as_u64().unwrap() + out.as_u64().unwrap(), 300);
        losses.push(loss(&place, "dm"));
    }
    assert!(losses[0] >= losses[1] && losses[1] >= losses[2], "{losses:?}");
    assert_eq!(losses[2], losses[3]);
}

#[test]
fn what_is_impossible_comes_with_the_share_that_would_allow_it() {
    let place = workers(300);
    let line = format!("{} -k 10 --scheme bhs --levels age=..1 --levels job=..1 --levels sex=..0", base());
    let ran = place.run(&line);
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    assert!(
        ran.err.contains("no generalization of these schemes satisfies every requirement"),
        "{}",
        ran.err
    );
    let advised = |err: &str| -> String {
        let at = err.find("--suppress ").unwrap_or_else(|| panic!("{err}"));
        err[at + 11..].split_whitespace().next().unwrap().to_string()
    };
    let share = advised(&ran.err);
    place.ok(&format!("{line} --suppress {share}"));
    place.ok("verify out.csv --qi age,job,sex -k 10");
    let less = share.trim_end_matches('%').parse::<f64>().unwrap() * 0.9;
    let ran = place.run(&format!("{line} --suppress {less}%"));
    assert_eq!((ran.code, advised(&ran.err)), (Some(1), share), "less than the share is not enough");

    // All rows together violate the requirement, which a part of them satisfies.
    let skewed: String =
        (0..90).map(|n| format!("{},{}\n", 20 + n % 30, if n % 30 < 20 { "flu" } else { "gout" })).collect();
    place.write("skewed.csv", format!("age,disease\n{skewed}"));
    let line = "anonymize skewed.csv --qi age --sensitive disease -k 3 --alpha 0.6 --algorithm scheme -q -o out.csv --time-limit 3s";
    let ran = place.run(line);
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    assert!(ran.err.contains("all rows together reach 0.666667"), "{}", ran.err);
    place.ok(&format!("{line} --suppress {}", advised(&ran.err)));
    place.ok("verify out.csv --qi age --sensitive disease -k 3 --alpha 0.6");

    let line = "anonymize in.csv --qi age --sensitive disease --other drop -k 3 --l-diversity 4 --algorithm scheme -o no.csv";
    let ran = place.run(line);
    assert_eq!(ran.code, Some(1));
    assert!(
        ran.err.contains("all rows together reach 3") && ran.err.contains("would not help"),
        "{}",
        ran.err
    );
    let ran = place.run(&format!("{line} --suppress 100%"));
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    assert!(ran.err.contains("nothing to publish") && !place.exists("no.csv"), "{}", ran.err);
}

#[test]
fn other_requirements_hold_of_what_is_published() {
    let place = workers(300);
    let line = base().replace("--other drop", "--sensitive disease");
    for required in [
        "--l-diversity 3",
        "--l-diversity entropy:2.5",
        "--t-closeness 0.15:equal",
        "--beta-likeness 0.6",
        "--alpha 0.5",
    ] {
        for suppress in ["none", "10%", "unlimited"] {
            place.ok(&format!("{line} -k 4 {required} --scheme gops --suppress {suppress} --time-limit 20s"));
            place.ok(&format!("verify out.csv --qi age,job,sex --sensitive disease -k 4 {required}"));
            (1..4).for_each(|column| drop(published(&place, column)));
        }
    }
}

/// Town c is far from the table (54 of 100 have the flu); without it, town b is far from what is published (54 of 80).
#[test]
fn suppressed_rows_change_what_the_others_are_compared_with() {
    let place = Place::new();
    let town = |name: &str, flu: usize, rows: usize| -> String {
        (0..rows).map(|n| format!("{name},{}\n", if n < flu { "flu" } else { "gout" })).collect()
    };
    place.write(
        "in.csv",
        format!("town,disease\n{}{}{}", town("a", 45, 60), town("b", 9, 20), town("c", 0, 20)),
    );
    place.write("town.csv", "a;*\nb;*\nc;*\n");
    let line = "anonymize in.csv --qi town --sensitive disease -k 5 --t-closeness 0.22:equal -q -o out.csv \
                --algorithm scheme --scheme bhs --hierarchy town=town.csv";
    let rows = |place: &Place| certificate(place)["rows"]["published"].as_u64().unwrap();
    place.ok(&format!("{line} --suppress 40%"));
    assert_eq!(rows(&place), 60, "towns b and c are left out");
    let found = certificate(&place);
    assert_eq!((&found["proven"], &found["search"]), (&json!("heuristic"), &Value::Null));
    place.ok(&format!("{line} --suppress 39%"));
    assert_eq!(rows(&place), 100, "too few rows may be left out, so that none is");
    assert_eq!(certificate(&place)["proven"], "optimal");
    let ran = place.run(&format!("{line} --suppress 39% --levels town=..0"));
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    assert!(ran.err.contains("--suppress 40.0% would allow it"), "{}", ran.err);
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
                "apply f.json in.csv --insensitive id --other drop -q --keep-order --suppress {suppress} -o again.csv"
            ));
            assert_eq!(place.read("again.csv"), released, "{scheme} {suppress}");
        }
    }
}

#[test]
fn parquet_is_read_and_written() {
    let place = workers(300);
    place.ok("anonymize in.csv --qi age --insensitive id,job,sex,disease -k 1 -q --keep-order -o in.parquet");
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
fn an_interrupted_search_publishes_the_best_so_far() {
    let place = Place::new();
    place.write("in.csv", people(3000));
    let args = "anonymize in.csv --qi age,city,born,income --other drop -k 5 -o out.csv --algorithm scheme --time-limit 10m";
    let child = place.command(args).stderr(std::process::Stdio::piped()).spawn().unwrap();
    std::thread::sleep(Duration::from_secs(4));
    let start = Instant::now();
    let stop = std::process::Command::new("kill").arg("-INT").arg(child.id().to_string()).status().unwrap();
    assert!(stop.success());
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert!(start.elapsed() < Duration::from_secs(60));
    assert!(said.contains("the best release so far"), "{said}");
    place.ok("verify out.csv --qi age,city,born,income -k 5");
}

#[test]
fn what_schemes_cannot_do_is_said_at_once() {
    let place = workers(60);
    place.write("jobs.txt", "nurse\ndoctor\nteacher\nclerk\nbaker\nsmith\n");
    place.write("few.csv", "nurse;*\nclerk;*\n");
    place.write("young.csv", (20..50).map(|age| format!("{age};*\n")).collect::<String>());
    place.write("mixed.csv", (20..60).map(|age| format!("{age};{};*\n", age % 2)).collect::<String>());
    let before = place.files();
    let plain = "anonymize in.csv --qi age,job,sex --other drop -k 2 -o out.csv";
    for (flags, wanted) in [
        ("--scheme ops", "--scheme is for --algorithm scheme"),
        ("--algorithm optimal --levels age=1.. --direction auto", "--direction is for --algorithm scheme"),
        ("--without fold", "--without is for --algorithm scheme"),
        ("--algorithm scheme --scheme opps", "did you mean ops?"),
        ("--algorithm scheme --scheme age=qqq", "there are bhs, ghs, ops, gops, sps, gsps"),
        ("--algorithm scheme --scheme agee=ops", "did you mean age?"),
        ("--algorithm scheme --scheme id=ops", "column id: schemes are for quasi-identifiers"),
        ("--algorithm scheme --scheme ghs", "column sex: the scheme ghs needs a hierarchy"),
        ("--algorithm scheme --scheme ops", "column job: the scheme ops needs an order"),
        ("--algorithm scheme --levels age", "COLUMN=A..B is needed"),
        ("--algorithm scheme --levels age=3..1", "the less general one comes first"),
        ("--algorithm scheme --levels age=1..2", "the column has none"),
        ("--algorithm scheme --hierarchy age=age.csv --levels age=1..9", "has the levels 0 to 3"),
        ("--algorithm scheme --hierarchy age=age.csv --levels age=4..", "has the levels 0 to 3"),
        (
            "--algorithm scheme --hierarchy age=age.csv --levels age=1..2 --scheme age=ops",
            "no most general level",
        ),
        ("--algorithm scheme --hierarchy age=young.csv --scheme age=gops", "young.csv: "),
        (
            "--algorithm scheme --hierarchy job=few.csv --scheme job=gsps",
            "4 of the 6 values of column job are not in",
        ),
        ("--algorithm scheme --hierarchy age=mixed.csv --scheme age=gops", "groups are no intervals"),
        (
            "--algorithm scheme --hierarchy job=job.csv --order job=jobs.txt --scheme job=ops",
            "both an order and a",
        ),
        ("--algorithm scheme --hierarchy job=none.csv --scheme job=gsps", "none.csv: cannot read it"),
        ("--algorithm scheme --split median", "--split"),
        ("--algorithm scheme --hierarchy-cut nodes", "--hierarchy-cut"),
        ("--algorithm scheme --partitioning relaxed", "--partitioning relaxed"),
        ("--algorithm scheme --effort best", "--effort"),
        ("--algorithm scheme --priority cost", "gensearch"),
        ("--algorithm scheme --direction sideways", "bottom-up"),
        ("--algorithm scheme --without everything", "applicators"),
        ("--algorithm scheme --suppress some", "between 0% and 100%"),
        ("--algorithm scheme --loss kl", "kl"),
    ] {
        let ran = place.run(&format!("{plain} {flags}"));
        assert_eq!(ran.code, Some(2), "{flags}: {}", ran.err);
        assert!(ran.err.contains(wanted), "{flags}: {}", ran.err);
        assert!(!ran.err.contains("teacher"), "{flags}: a value is told");
        assert_eq!(place.files(), before, "{flags}");
    }
    let all = place.run(&format!("{plain} --algorithm scheme --scheme ghs")).err;
    assert!(["age", "job", "sex"].iter().all(|column| all.contains(&format!("column {column}:"))), "{all}");
    place.write(
        "klimt.toml",
        "input = \"in.csv\"\nk = 2\nalgorithm = \"scheme\"\nscheme = \"gspz\"\nwithout = [\"x\"]\n\
        [columns.age]\nrole = \"quasi-identifier\"\nscheme = 5\nlevels = \"a\"\n",
    );
    let all = place.run("anonymize --spec klimt.toml").err;
    assert!(
        [
            "did you mean gsps?",
            "without: one of bounds",
            "columns.age.scheme: a text",
            "columns.age.levels: levels are"
        ]
        .iter()
        .all(|problem| all.contains(problem)),
        "{all}"
    );
}

#[test]
fn generalizations_are_counted() {
    let place = Place::new();
    place.write(
        "work.csv",
        "State-gov;Government;*\nLocal-gov;Government;*\nFederal-gov;Government;*\nPrivate;Private;*\n\
         Inc;Self-employed;*\nNot Inc;Self-employed;*\nWithout Pay;Unemployed;*\nNever worked;Unemployed;*\n",
    );
    let counts = [("bhs", 3), ("ghs", 17), ("ops", 128), ("gops", 40), ("sps", 4140), ("gsps", 67)];
    for (scheme, count) in counts {
        assert_eq!(
            place.ok(&format!("hierarchy count work.csv --scheme {scheme}")).out,
            format!("{count}\n")
        );
    }
    let all = place.ok("hierarchy count work.csv").out;
    let lines: Vec<Vec<&str>> = all.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(lines, counts.map(|(scheme, count)| vec![scheme.to_string(), count.to_string()]));
    let told: Value = serde_json::from_str(&place.ok("hierarchy count work.csv --json").out).unwrap();
    assert_eq!(told["sps"], "4140");
    let one: Value =
        serde_json::from_str(&place.ok("hierarchy count work.csv --scheme ops --json").out).unwrap();
    assert_eq!(one, json!({ "ops": "128" }));
    let ran = place.run("hierarchy count work.csv --scheme opps");
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("did you mean ops?"), "{}", ran.err);
}
