//! Queries of a release, and releases that are made for a workload.

use crate::common::{Place, people};
use serde_json::{Value, json};
use std::os::unix::fs::PermissionsExt;

const COLUMNS: &str = "--qi age,sex,city,income --sensitive disease --identifier id --other drop";
/// Asks about columns that are generalised and about one that is published as it is.
const SQL: &str = "\
SELECT COUNT(*) FROM people p WHERE p.AGE BETWEEN 30 AND 49 AND sex = 'f';
SELECT COUNT(*) WHERE income < 1000 AND city IN ('Graz, Styria', 'Zug') WEIGHT 2;
SELECT AVG(age) WHERE disease = 'flu' AND age >= 60;
SELECT COUNT(*) WHERE age IS NULL";

fn place(rows: usize) -> Place {
    let place = Place::new();
    place.write("in.csv", people(rows)).write("w.sql", SQL);
    place
}

fn asked(place: &Place, args: &str) -> Value {
    serde_json::from_str(&place.ok(&format!("query {args} --json")).out).unwrap()
}

fn mean(place: &Place, release: &str, columns: &str) -> f64 {
    asked(place, &format!("in.csv {release} {columns} --workload w.sql"))["error"]["mean"].as_f64().unwrap()
}

#[test]
fn a_table_answers_itself_exactly() {
    let place = Place::new();
    place.write("in.csv", "age,sex,pay\n30,f,10\n40,f,20\n50,m,30\n,m,40\n");
    place.write("w.sql", "SELECT COUNT(*) WHERE age < 50; SELECT SUM(pay) WHERE sex = m; SELECT MAX(age); SELECT COUNT(*) WHERE age IS NULL");
    let found = asked(&place, "in.csv in.csv --qi age,sex --workload w.sql");
    let exact: Vec<f64> =
        found["queries"].as_array().unwrap().iter().map(|q| q["exact"].as_f64().unwrap()).collect();
    assert_eq!(exact, [2.0, 70.0, 50.0, 1.0]);
    assert_eq!(found["error"]["greatest"], 0.0);
    assert_eq!(found["matching"], 4);
    let told = place.ok("query in.csv --qi age,sex --workload w.sql").out;
    assert!(told.contains("exact") && told.contains("70"), "{told}");
}

#[test]
fn answers_are_spread_over_intervals_and_sets() {
    let place = Place::new();
    place.write("in.csv", "age,city,pay\n21,A,1\n22,B,2\n24,C,3\n28,C,4\n");
    place.write(
        "out.csv",
        "age,city,pay\n[21..24],{A|B|C},1\n[21..24],{A|B|C},2\n[21..24],{A|B|C},3\n28,C,4\n",
    );
    place.write(
        "w.sql",
        "SELECT COUNT(*) WHERE age <= 23 AND city IN (A, B); SELECT SUM(age); SELECT SUM(pay) WHERE age > 23",
    );
    let found = asked(&place, "in.csv out.csv --qi age,city --workload w.sql");
    let of = |at: usize, key: &str| found["queries"][at][key].as_f64().unwrap();
    assert!((of(0, "spread") - 3.0 * 0.75 * 2.0 / 3.0).abs() < 1e-12);
    assert_eq!((of(0, "exact"), of(0, "matched"), of(0, "partial_rows")), (2.0, 3.0, 3.0));
    assert!((of(1, "spread") - (3.0 * 22.5 + 28.0)).abs() < 1e-12);
    assert!((of(2, "spread") - (6.0 * 0.25 + 4.0)).abs() < 1e-12);
}

#[test]
fn toml_says_the_same_as_sql() {
    let place = place(300);
    place.write(
        "w.toml",
        "[[query]]\nname = \"women\"\nwhere = { age = { from = 30, to = 49 }, sex = \"f\" }\n\
         [[query]]\nselect = \"COUNT(*)\"\nwhere = \"income < 1000 AND city IN ('Graz, Styria', 'Zug')\"\nweight = 2\n\
         [[query]]\nselect = \"AVG(age)\"\nwhere = { disease = [\"flu\"], age = { from = 60 } }\n\
         [[query]]\nwhere = \"age IS NULL\"\n",
    );
    place.ok(&format!("anonymize in.csv {COLUMNS} -k 5 -q -o out.csv"));
    let (sql, toml) = (
        asked(&place, &format!("in.csv out.csv {COLUMNS} --workload w.sql")),
        asked(&place, &format!("in.csv out.csv {COLUMNS} --workload w.toml")),
    );
    assert_eq!(sql["error"], toml["error"]);
    assert_eq!(toml["queries"][0]["query"], "women");
}

#[test]
fn a_workload_steers_every_algorithm_that_cuts() {
    let place = place(2000);
    for (algorithm, k) in [("mondrian", 20), ("rtree", 20), ("rothko-t", 20), ("optimal --time-limit 2s", 40)]
    {
        let run = format!("anonymize in.csv {COLUMNS} -q -k {k} --algorithm {algorithm}");
        place.ok(&format!("{run} -o plain.csv"));
        place.ok(&format!("{run} --workload w.sql -o aware.csv"));
        let (plain, aware) = (mean(&place, "plain.csv", COLUMNS), mean(&place, "aware.csv", COLUMNS));
        assert!(aware < 0.7 * plain, "{algorithm}: {plain} became {aware}");
        place.ok(&format!("verify aware.csv --qi age,sex,city,income -k {k}"));
        let certificate: Value = serde_json::from_str(&place.read("aware.csv.certificate.json")).unwrap();
        assert_eq!(certificate["spec"]["settings"]["workload"], true, "{certificate:#}");
        assert!(certificate["losses"]["queries"].as_f64().is_some());
    }
}

/// Rothko-T is Mondrian, group for group, also with a workload.
#[test]
fn a_workload_steers_tables_larger_than_memory_alike() {
    let place = place(3000);
    let columns =
        "--qi age,sex,income --sensitive disease --insensitive id --accept id --other drop --workload w2.sql";
    place.write(
        "w2.sql",
        "SELECT COUNT(*) WHERE age BETWEEN 33 AND 51 AND income > 2500.5; SELECT COUNT(*) WHERE sex = m; \
         SELECT AVG(income) WHERE sex = f; SELECT SUM(age) WHERE income < 900; SELECT MAX(age) WHERE sex = m; \
         SELECT MIN(income) WHERE age > 60",
    );
    place.ok(&format!("anonymize in.csv {columns} -q -k 10 --seed 1 --algorithm mondrian -o a.csv"));
    place.ok(&format!("anonymize in.csv {columns} -q -k 10 --seed 1 --algorithm rothko-t -o b.csv"));
    let sorted = |name: &str| {
        let text = place.read(name);
        let mut lines: Vec<String> = text.lines().map(str::to_string).collect();
        lines.sort();
        lines
    };
    assert_eq!(sorted("a.csv"), sorted("b.csv"));
}

#[test]
fn queries_can_be_made_and_saved() {
    let place = place(500);
    place.ok(&format!("anonymize in.csv {COLUMNS} -k 5 -q -o out.csv"));
    let made = format!("in.csv out.csv {COLUMNS} --random 40 --about age,city");
    let first = asked(&place, &format!("{made} --seed 3 --save made.sql"));
    let mode = std::fs::metadata(place.path("made.sql")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600, "the queries hold values of the original");
    assert_eq!(first, asked(&place, &format!("{made} --seed 3")));
    assert_ne!(first["error"], asked(&place, &format!("{made} --seed 4"))["error"]);
    assert_eq!(first["queries"].as_array().unwrap().len(), 40);
    let again = asked(&place, &format!("in.csv out.csv {COLUMNS} --workload made.sql"));
    assert_eq!(again["error"], first["error"]);
    let told = place.ok(&format!("query in.csv out.csv {COLUMNS} --values --about sex")).out;
    assert!(told.contains("COUNT(*) by sex") && !told.contains("'f'"), "{told}");
    let refused = place.run(&format!("query {made} --save in.csv"));
    assert_eq!(refused.code, Some(2), "{}", refused.err);
}

#[test]
fn mistakes_are_told_without_values() {
    let place = place(100);
    place.ok(&format!("anonymize in.csv {COLUMNS} -k 5 -q -o out.csv"));
    place.write("bad.sql", "SELECT COUNT(*) WHERE aeg > 3 AND sexx = 'f'");
    place.write("odd.sql", "SELECT COUNT(*) WHERE age = 'secret' OR age = 2");
    place.write("id.sql", "SELECT COUNT(*) WHERE id = 3");
    place.write("born.sql", "SELECT COUNT(*) WHERE born < '1950-01-01'");
    place.write("empty.sql", "-- nothing");
    for (file, said) in [
        ("bad.sql", "did you mean sex"),
        ("odd.sql", "query 1, line 1: expected AND"),
        ("id.sql", "an identifier"),
        ("born.sql", "does not publish column born"),
        ("empty.sql", "holds no query"),
    ] {
        let ran = place.run(&format!("query in.csv out.csv {COLUMNS} --workload {file}"));
        assert_eq!(ran.code, Some(2), "{file}: {}", ran.err);
        assert!(ran.err.contains(said) && !ran.err.contains("secret"), "{file}: {}", ran.err);
    }
    let none = place.run(&format!("anonymize in.csv {COLUMNS} -k 5 --workload born.sql -o x.csv"));
    assert!(none.code == Some(2) && none.err.contains("no query has a predicate"), "{}", none.err);
    for algorithm in ["local", "scheme"] {
        let run = format!("anonymize in.csv {COLUMNS} -k 5 --algorithm {algorithm} -o x.csv");
        let other = place.run(&format!("{run} --workload w.sql --loss dm"));
        assert!(other.code == Some(2) && other.err.contains("--loss queries"), "{}", other.err);
        let without = place.run(&format!("{run} --loss queries"));
        assert!(without.code == Some(2) && without.err.contains("needs --workload"), "{}", without.err);
    }
}

/// Ages and incomes (some missing), with a city; regions coincide with the predicates about sex.
#[test]
fn means_answer_sums_and_averages_exactly() {
    let place = place(600);
    place.write(
        "means.sql",
        "SELECT AVG(income) WHERE sex = 'f'; SELECT SUM(income) WHERE sex = 'f'; SELECT AVG(income); \
         SELECT MIN(income) WHERE sex = 'm'; SELECT MAX(income); SELECT COUNT(*) WHERE sex = 'f'; \
         SELECT AVG(income) WHERE sex = 'f' AND disease = 'flu'",
    );
    let columns = "--qi sex,income --sensitive disease --identifier id --other drop";
    let ask = |release: &str| asked(&place, &format!("in.csv {release} {columns} --workload means.sql"));
    let exact = |found: &Value| -> Vec<bool> {
        found["queries"]
            .as_array()
            .unwrap()
            .iter()
            .map(|query| query["is_exact"].as_bool().unwrap())
            .collect()
    };
    for (flags, name) in
        [("", "a.csv"), ("--extent region", "b.csv"), ("", "c.parquet"), ("--memory 32MB", "d.csv")]
    {
        let run = format!("anonymize in.csv {columns} -k 20 -q --workload means.sql {flags} -o {name}");
        place.ok(&format!("{run} --statistics range,mean"));
        let found = ask(name);
        assert_eq!(exact(&found), [true, true, true, true, true, true, false], "{flags} {found:#}");
        for query in found["queries"].as_array().unwrap().iter().take(6) {
            assert_eq!(query["spread"], query["exact"], "{flags} {query}");
        }
        assert_eq!(found["exact_answers"], 6);
        place.ok(&run);
        let found = ask(name);
        assert_eq!(exact(&found), [false, false, false, false, false, true, false], "{flags} {found:#}");
    }
    // Without the last row, no answer is known to be exact.
    let text = place.read("a.csv");
    let fewer: Vec<&str> = text.lines().take(text.lines().count() - 1).collect();
    place.write("e.csv", fewer.join("\n") + "\n");
    assert_eq!((&ask("e.csv")["exact_answers"], &ask("e.csv")["suppressed"]), (&json!(0), &json!(1)));
    let told = place.ok(&format!("query in.csv e.csv {columns} --workload means.sql")).out;
    assert!(told.contains("1 rows are suppressed, so that no answer is known to be exact"), "{told}");
}

/// A column of the original that is called like a statistic is none.
#[test]
fn a_column_of_that_name_is_no_mean() {
    let place = Place::new();
    let rows: String = (0..40).map(|row| format!("{},{}\n", 20 + row % 7, 25)).collect();
    place.write("in.csv", format!("age,age_mean\n{rows}"));
    place.write("w.sql", "SELECT AVG(age)");
    let columns = "--qi age --insensitive age_mean";
    place.ok(&format!("anonymize in.csv {columns} -k 20 -q -o out.csv"));
    let found = asked(&place, &format!("in.csv out.csv {columns} --workload w.sql"));
    assert_eq!(found["queries"][0]["is_exact"], false);
}

/// Schemes and local recoding minimise what a workload's answers are off by.
#[test]
fn a_workload_is_a_loss_where_nothing_is_cut() {
    let place = Place::new();
    let row = |row: u64| format!("{},{}\n", 18 + row * 31 % 73, ["f", "m"][(row / 3 % 2) as usize]);
    place.write("in.csv", format!("age,sex\n{}", (0..600).map(row).collect::<String>()));
    place.write(
        "w.sql",
        "SELECT COUNT(*) WHERE age BETWEEN 31 AND 50 AND sex = 'f'; SELECT COUNT(*) WHERE age > 64 WEIGHT 2",
    );
    for (algorithm, other) in [("scheme --time-limit 3s", "dm"), ("local", "ncp")] {
        for suppress in ["", "--suppress 5%"] {
            let run = format!("anonymize in.csv --qi age,sex -q -k 20 {suppress} --algorithm {algorithm}");
            place.ok(&format!("{run} --loss {other} -o plain.csv"));
            place.ok(&format!("{run} --workload w.sql -o aware.csv"));
            // Local recoding has no cuts at the ends of predicates: it is only no worse by what it minimises.
            if suppress.is_empty() && algorithm != "local" {
                let (plain, aware) =
                    (mean(&place, "plain.csv", "--qi age,sex"), mean(&place, "aware.csv", "--qi age,sex"));
                assert!(aware < 0.8 * plain, "{algorithm}: {plain} became {aware}");
            }
            place.ok("verify aware.csv --qi age,sex -k 20");
            let certificate: Value = serde_json::from_str(&place.read("aware.csv.certificate.json")).unwrap();
            assert_eq!(certificate["spec"]["settings"]["minimised"], "queries", "{certificate:#}");
            assert_eq!(certificate["search"]["loss"], "queries + 0.01 ncp", "{certificate:#}");
        }
    }
}
