//! What a command prints as `--json` is the result of the library's function.

use crate::common::{Place, people};
use klimt::inspect::InspectRequest;
use klimt::query::Questions;
use klimt::store::ReleaseRequest;
use klimt::{Anonymizer, Format, Hierarchy, Input, Output, Store, Words, prelude::KAnonymity};
use serde::Serialize;
use serde_json::Value;

const COLUMNS: &str = "--qi age,sex,city,income --sensitive disease --identifier id,born";

fn columns() -> Anonymizer {
    Anonymizer::new()
        .quasi_identifiers(["age", "sex", "city", "income"])
        .sensitive(["disease"])
        .identifiers(["id", "born"])
}

fn place() -> Place {
    let place = Place::new();
    place.write("in.csv", people(300));
    place.ok(&format!("anonymize in.csv {COLUMNS} -k 5 -q -o out.csv"));
    place
}

/// The same table, not as a file.
fn input() -> Input {
    Input::reader(Format::Csv, std::io::Cursor::new(people(300)))
}

fn printed(place: &Place, args: &str) -> Value {
    serde_json::from_str(&place.ok(args).out).unwrap()
}

/// Through its text, as a number may be written in fewer digits than it has.
fn json(result: &impl Serialize) -> Value {
    serde_json::from_str(&serde_json::to_string(result).unwrap()).unwrap()
}

#[test]
fn inspect_prints_an_inspection() {
    let place = place();
    let request = InspectRequest::of(columns().settings().clone()).words(Words::Flags);
    let inspection = request.run(input()).unwrap();
    assert_eq!(printed(&place, &format!("inspect in.csv {COLUMNS} --json")), json(&inspection));
    let drafted = place.ok("init in.csv -o -").out;
    let asked = Anonymizer::new();
    let inspection = klimt::inspect(input(), &asked).unwrap();
    assert_eq!(drafted, klimt::spec::draft(&inspection, asked.settings(), "in.csv", "-"));
}

#[test]
fn query_prints_answers() {
    let place = place();
    let sql = "SELECT COUNT(*) WHERE age < 40 AND sex = 'f';\nSELECT AVG(income) WHERE city = 'Zug'";
    place.write("w.sql", sql);
    let release = Input::file(place.path("out.csv")).unwrap();
    let answers = klimt::query(input(), release, Questions::sql(sql).unwrap(), &columns()).unwrap();
    let run = format!("query in.csv out.csv {COLUMNS} --workload w.sql --json");
    assert_eq!(printed(&place, &run), json(&answers));
    let keys =
        ["absolute_error", "error", "exact_answers", "matched_error", "matching", "queries", "suppressed"];
    let object = json(&answers);
    let mut found: Vec<&String> = object.as_object().unwrap().keys().collect();
    found.sort();
    assert_eq!(found, keys);
    let alone = printed(&place, &format!("query in.csv {COLUMNS} --random 3 --seed 9 --json"));
    assert_eq!(alone["queries"].as_array().unwrap().len(), 3);
    assert_eq!(
        alone.as_object().unwrap().len(),
        1,
        "without a release there are exact answers only: {alone}"
    );
    assert_eq!(alone["queries"][0].as_object().unwrap().len(), 2, "{alone}");
}

#[test]
fn a_store_tells_the_same_by_either_door() {
    let place = place();
    let asked = columns().require(KAnonymity::new(4).unwrap());
    place.ok("index create flags --like in.csv --key id --qi age,sex,city,income --sensitive disease --identifier born -k 4");
    place.ok("index insert flags in.csv -q");
    let mut store = Store::create(place.path("library"), input(), "id", &asked).unwrap();
    store.insert(input()).unwrap();
    let certificate = printed(&place, "index release flags -o flags.csv --seed 3 --json");
    let output = Output::file(place.path("library.csv")).unwrap();
    let release = store.release(&ReleaseRequest::default().seed(3), &output).unwrap();
    assert_eq!(certificate, json(&release.exact_certificate));
    assert_eq!(place.read("flags.csv"), place.read("library.csv"));
    let mut status = printed(&place, "index status flags --json");
    let mut same = json(&store.status().unwrap());
    for status in [&mut status, &mut same] {
        status["releases"][0]["seconds"] = 0.into();
    }
    assert_eq!(status, same);
}

#[test]
fn hierarchies_are_counted_and_drawn_alike() {
    let place = Place::new();
    place.write("h.csv", "a;x;*\nb;x;*\nc;y;*\n");
    let tree = Hierarchy::from_file(place.path("h.csv")).unwrap();
    assert_eq!(printed(&place, "hierarchy count h.csv --json"), json(&tree.generalizations(None).unwrap()));
    let mut drawn = String::new();
    tree.draw(|text| {
        drawn.push_str(text);
        Ok(())
    })
    .unwrap();
    assert_eq!(place.ok("hierarchy show h.csv").out, drawn);
}
