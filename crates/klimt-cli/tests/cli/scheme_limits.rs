//! Generalization schemes on the command line: what is suppressed, impossible or refused, and what is counted.

use crate::common::Place;
use crate::scheme::{base, certificate, loss, published, workers};
use serde_json::{Value, json};

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
    let hurried = place.run(&format!("{line} --suppress 0.5% --time-limit 0ms"));
    assert_eq!(hurried.code, Some(3), "what was not looked at is not impossible: {}", hurried.err);
    assert!(hurried.err.contains("raise --time-limit"), "{}", hurried.err);
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
    // Groups that only violate what is published are not of the family of the search: what is known is that every row
    // pays at least 5, and these pay 60 each, or 100 where they are left out.
    let any = "any partition into groups of at least 5 rows, with at most 40 rows suppressed";
    assert_eq!((&found["proven"], &found["family"]), (&json!({ "within-factor": 15.2 }), &json!(any)));
    place.ok(&format!("{line} --suppress 39%"));
    assert_eq!(rows(&place), 100, "too few rows may be left out, so that none is");
    // The second search leaves out no row, and proves nothing of releases that do.
    assert_eq!(certificate(&place)["proven"], json!({ "within-factor": 20.0 }));
    let ran = place.run(&format!("{line} --suppress 39% --levels town=..0"));
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    assert!(ran.err.contains("--suppress 40.0% would allow it"), "{}", ran.err);
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
        ("--algorithm scheme --scheme age=qqq", "the schemes are bhs, ghs, ops, gops, sps, gsps"),
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
