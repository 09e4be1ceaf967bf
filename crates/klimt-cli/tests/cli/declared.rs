//! `--domain`: regions and saved recoding functions cover what is declared, and values outside are refused.

use crate::common::{Place, people};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

const CITIES: [&str; 6] = ["Bern", "Graz", "Linz", "Rom", "Ulm", "Zug"];
/// Every column, with its domain.
const COLUMNS: &str = "--qi age,amount,born,city --insensitive id --accept id --domain age=0..120 --domain amount=-1..10 \
                       --domain born=1900-01-01..2030-12-31 --domain city=cities.txt";

struct Lot(u64);

impl Lot {
    fn next(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) % bound
    }
}

/// A table in the middle of its domains.
fn narrow(rows: usize) -> String {
    let mut lot = Lot(3);
    let mut text = String::from("id,age,amount,born,city\n");
    for id in 0..rows {
        let (age, cents) = (30 + lot.next(30), 200 + lot.next(300));
        let born = format!("19{:02}-{:02}-{:02}", 60 + lot.next(30), 1 + lot.next(12), 1 + lot.next(28));
        let city = CITIES[1 + lot.next(3) as usize];
        text.push_str(&format!("{id},{age},{}.{:02},{born},{city}\n", cents / 100, cents % 100));
    }
    text
}

/// A table from end to end of the same domains, with values between all others.
fn wide(rows: usize) -> String {
    let mut lot = Lot(8);
    let mut text = String::from("id,age,amount,born,city\n");
    for id in 0..rows {
        let (age, mills) = (lot.next(121), lot.next(11_001) as i64 - 1000);
        let sign = if mills < 0 { "-" } else { "" };
        let amount = format!("{sign}{}.{:03}", mills.abs() / 1000, mills.abs() % 1000);
        let born = format!("{}-{:02}-{:02}", 1900 + lot.next(131), 1 + lot.next(12), 1 + lot.next(28));
        text.push_str(&format!("{id},{age},{amount},{born},{}\n", CITIES[lot.next(6) as usize]));
    }
    text.push_str("a,0,-1,1900-01-01,Bern\nb,120,10,2030-12-31,Zug\nc,120,-1.000,2030-12-31,Rom\n");
    text
}

fn place() -> Place {
    let place = Place::new();
    place.write("in.csv", narrow(70)).write("other.csv", wide(90));
    place.write("cities.txt", CITIES.join("\n"));
    place
}

fn by_id(text: &str) -> BTreeMap<String, Vec<String>> {
    let row = |line: &str| {
        let mut cells: Vec<String> = line.split(',').map(str::to_string).collect();
        (cells.remove(0), cells)
    };
    text.lines().skip(1).map(row).collect()
}

fn number(text: &str) -> Option<f64> {
    match text.split('-').collect::<Vec<_>>()[..] {
        [year, month, day] if year.len() == 4 => {
            let part = |text: &str| text.parse::<f64>().ok();
            Some(part(year)? * 372.0 + part(month)? * 31.0 + part(day)?)
        }
        _ => text.parse().ok(),
    }
}

fn holds(text: &str, value: &str) -> bool {
    if text == value {
        return true;
    }
    if let Some(members) = text.strip_prefix('{').and_then(|text| text.strip_suffix('}')) {
        return members.split('|').any(|member| member == value);
    }
    let Some(at) = number(value) else { return false };
    if let Some(single) = number(text) {
        return single == at;
    }
    let inner = text.trim_start_matches(['[', '(']).trim_end_matches(']');
    let Some((low, high)) = inner.split_once("..") else { return false };
    let (Some(low), Some(high)) = (number(low), number(high)) else { return false };
    at <= high && if text.starts_with('(') { at > low } else { at >= low }
}

/// Every published value contains its original, and only a set of the whole domain is `*`.
fn assert_contains(place: &Place, original: &str, release: &str, compact: bool, what: &str) {
    let (original, release) = (by_id(&place.read(original)), by_id(&place.read(release)));
    let mut cities: BTreeMap<&[String], BTreeSet<&str>> = BTreeMap::new();
    for (id, cells) in &release {
        for (column, text) in cells.iter().enumerate() {
            let value = &original[id][column];
            let starred = column == 3 && text == "*";
            assert!(starred || holds(text, value), "{what}: row {id}: {value} published as {text}");
        }
        if cells[3] == "*" {
            cities.entry(cells).or_default().insert(&original[id][3]);
        }
    }
    let whole = cities.values().all(|cities| cities.len() == CITIES.len());
    assert!(!compact || whole, "{what}: a part of the cities is published as *");
}

fn losses(json: &str) -> Value {
    serde_json::from_str::<Value>(json).unwrap()["losses"].clone()
}

#[test]
fn saved_functions_cover_the_declared_domain() {
    let place = place();
    for algorithm in [
        "mondrian",
        "mondrian --split box",
        "mondrian --effort balanced",
        "mondrian --suppress 10%",
        "rothko-t",
        "rothko-s",
        "rtree",
        "rtree --base-k 2 --by level",
        "gensearch --splits at-most:5 --loss vm",
        "optimal --time-limit 1s --loss dm",
        "scheme --scheme city=sps --loss ncp --time-limit 2s",
    ] {
        for extent in ["region", "compact"] {
            let what = format!("{algorithm}, {extent}");
            let ran = place.ok(&format!(
                "anonymize in.csv {COLUMNS} -k 4 -q --json --algorithm {algorithm} --extent {extent} -o out.csv \
                 --save-recoding r.json"
            ));
            assert_contains(&place, "in.csv", "out.csv", extent == "compact", &what);
            let measured = place
                .ok("measure in.csv out.csv --qi age,amount,born,city -k 4 --json --domain city=cities.txt");
            let (told, measured) = (losses(&ran.out), losses(&measured.out));
            for loss in ["ncp", "vm"].iter().filter(|loss| told[**loss].is_number()) {
                let (told, measured) = (told[*loss].as_f64().unwrap(), measured[*loss].as_f64().unwrap());
                assert!((told - measured).abs() <= 1e-9 * told.abs(), "{what}: {loss} {told} {measured}");
            }
            let suppress = if algorithm.contains("--suppress") { "--suppress 10%" } else { "" };
            place.ok(&format!("apply r.json in.csv -q --insensitive id --accept id {suppress} -o own.csv"));
            assert_eq!(by_id(&place.read("own.csv")), by_id(&place.read("out.csv")), "{what}");
            for applied in ["region", "compact"] {
                let told = place
                    .ok(&format!(
                        "apply r.json other.csv --insensitive id --accept id -k 1 --extent {applied} -o applied.csv"
                    ))
                    .err;
                assert!(!told.contains("outside"), "{what}: {told}");
                let what = format!("{what}, applied as {applied}");
                assert_contains(&place, "other.csv", "applied.csv", applied == "compact", &what);
            }
        }
    }
}

#[test]
fn regions_reach_the_declared_ends_and_tell_nothing_of_the_others() {
    let place = place();
    place.ok(&format!("anonymize in.csv {COLUMNS} -k 4 -q --extent region -o out.csv"));
    let published = by_id(&place.read("out.csv"));
    let column =
        |at: usize| -> BTreeSet<&str> { published.values().map(|cells| cells[at].as_str()).collect() };
    let reaches = |at: usize, end: &str| column(at).iter().any(|text| text.contains(end));
    assert!(reaches(0, "[0..") && reaches(0, "..120]"), "{:?}", column(0));
    assert!(reaches(1, "[-1.00..") && reaches(1, "..10.00]"), "{:?}", column(1));
    assert!(reaches(2, "[1900-01-01..") && reaches(2, "..2030-12-31]"), "{:?}", column(2));
    assert!(column(3).iter().any(|text| *text == "*" || text.contains("Bern")), "{:?}", column(3));
    let certificate: Value = serde_json::from_str(&place.read("out.csv.certificate.json")).unwrap();
    let columns = certificate["spec"]["columns"].as_array().unwrap();
    let declared = |name: &str| {
        columns.iter().find(|column| column["name"] == name).unwrap()["declared"]
            .as_str()
            .unwrap()
            .to_string()
    };
    assert_eq!(declared("age"), "0..120");
    assert_eq!(declared("born"), "1900-01-01..2030-12-31");
    assert_eq!(declared("city"), "the values of a file");
    let ran = place.run("measure in.csv out.csv --qi age,amount,born,city -k 4");
    assert!(ran.code == Some(2) && ran.err.contains("--domain city=FILE"), "{}", ran.err);
}

/// Where missing values are cut off, the values beside them still reach the declared end.
#[test]
fn missing_values_do_not_tell_the_greatest_value() {
    let place = place();
    let mut text = String::from("id,age,city\n");
    for id in 0..60 {
        let age = if id % 3 == 0 { String::new() } else { (30 + id * 7 % 20).to_string() };
        text.push_str(&format!("{id},{age},{}\n", ["Graz", "Linz"][id % 2]));
    }
    place.write("in.csv", text);
    place.write("other.csv", "id,age,city\na,120,Bern\nb,50,Linz\nc,0,Graz\nd,119,Graz\n");
    let columns = "--qi age,city --insensitive id --accept id --domain age=0..120 --domain city=cities.txt";
    for algorithm in
        ["mondrian", "mondrian --suppress 10%", "rothko-t", "rothko-s", "rtree", "optimal", "gensearch"]
    {
        place.ok(&format!(
            "anonymize in.csv {columns} -k 3 -q --algorithm {algorithm} --extent region -o out.csv --save-recoding r.json"
        ));
        let published = by_id(&place.read("out.csv"));
        let ages: BTreeSet<&str> = published.values().map(|cells| cells[0].as_str()).collect();
        assert!(ages.contains("") && ages.iter().any(|age| age.ends_with("..120]")), "{algorithm}: {ages:?}");
        assert!(!ages.iter().any(|age| age.ends_with("..49]")), "{algorithm}: {ages:?}");
        place.ok("apply r.json in.csv -q --insensitive id --accept id -o own.csv --suppress 10%");
        assert_eq!(by_id(&place.read("own.csv")), published, "{algorithm}");
        place.ok("apply r.json other.csv -q --insensitive id --accept id -k 1 -o applied.csv");
        let (original, applied) = (by_id(&place.read("other.csv")), by_id(&place.read("applied.csv")));
        for (id, cells) in &applied {
            assert!(holds(&cells[0], &original[id][0]), "{algorithm}: {} as {}", original[id][0], cells[0]);
        }
    }
}

#[test]
fn a_spec_declares_domains_too() {
    let place = place();
    place.write(
        "folder/klimt.toml",
        "input = \"../in.csv\"\nother = \"drop\"\nk = 4\nextent = \"region\"\n\
         [columns.age]\nrole = \"quasi-identifier\"\ndomain = \"0..120\"\n\
         [columns.city]\nrole = \"quasi-identifier\"\ndomain = \"../cities.txt\"\n",
    );
    place.ok("anonymize --spec folder/klimt.toml -q -o spec.csv --seed 1");
    place.ok("anonymize in.csv --qi age,city --other drop --domain age=0..120 --domain city=cities.txt -k 4 --extent region -q -o flags.csv --seed 1");
    assert_eq!(place.read("spec.csv"), place.read("flags.csv"));
}

#[test]
fn values_outside_are_refused_by_count_and_line() {
    let place = place();
    place.write("bad.csv", "age,city,born\n30,Bern,2001-05-05\n777,Bern,2001-05-06\n31,Atlantis,1066-10-14\n777,Zug,2001-05-05\n-6,Zug,2001-05-05\n");
    let base = "anonymize bad.csv --qi age,city,born -k 1 -o out.csv";
    let flags = "--domain age=0..120 --domain city=cities.txt --domain born=2000-01-01..2010-01-01";
    let ran = place.run(&format!("{base} {flags}"));
    assert_eq!(ran.code, Some(2), "{}", ran.err);
    for said in [
        "column age: 2 values on 3 rows are outside the declared domain: lines 3, 5, 6",
        "column city: 1 value on 1 row is outside the declared domain: line 4",
        "column born: 1 value on 1 row is outside the declared domain: line 4",
    ] {
        assert!(ran.err.contains(said), "{said}: {}", ran.err);
    }
    for value in ["777", "Atlantis", "1066"] {
        assert!(!ran.err.contains(value), "{}", ran.err);
    }
    for (flags, said) in [
        ("--domain age=120..0", "the least value comes first"),
        ("--domain age=0-120", "0-120"),
        ("--domain age=0..x --type age=integer", "a range is written LEAST..GREATEST"),
        ("--domain age=0.5..x", "a range is written LEAST..GREATEST"),
        ("--domain age", "COLUMN=VALUE is needed"),
        ("--domain agee=0..9", "did you mean age?"),
        ("--domain city=0..9", "are not of the type integer"),
        ("--domain city=cities.txt --order city=cities.txt", "its order already says"),
    ] {
        let ran = place.run(&format!("{base} {flags}"));
        assert!(ran.code == Some(2) && ran.err.contains(said), "{flags}: {}", ran.err);
    }
    let ran = place.run("index create store --like bad.csv --key age --qi born --domain born=2000-01-01..2010-01-01 --other drop -k 2");
    assert!(ran.code == Some(2) && ran.err.contains("--domain"), "{}", ran.err);
}

#[test]
fn tables_on_disk_have_the_same_domains() {
    let place = Place::new();
    place.write("in.csv", people(150_000));
    let base = "anonymize in.csv --qi age,income,born --other drop -k 40 -q --extent region";
    let flags = "--domain age=0..120 --domain income=-10..9999.5 --domain born=1850-01-01..2050-01-01";
    place.ok(&format!("{base} {flags} --algorithm mondrian -o held.csv --memory 1GB"));
    place.ok(&format!("{base} {flags} --algorithm rothko-t -o spilled.csv --memory 16MB"));
    let sorted = |name: &str| {
        let text = place.read(name);
        let mut lines: Vec<String> = text.lines().map(str::to_string).collect();
        lines.sort_unstable();
        lines
    };
    assert!(sorted("held.csv") == sorted("spilled.csv"));
    assert!(place.read("spilled.csv").contains("[-10.00.."));
    let told = place.read("spilled.csv.certificate.json");
    assert!(told.contains("\"in-memory\": false"), "the table must be on disk");
    let outside = |memory: &str| {
        let flags = "--domain age=20..120 --domain income=0..4000 --domain born=1850-01-01..2050-01-01";
        place.run(&format!("{base} {flags} --memory {memory} -o out.csv"))
    };
    let (held, spilled) = (outside("1GB"), outside("16MB"));
    assert_eq!((held.code, &held.err), (Some(2), &spilled.err));
    assert!(held.err.contains("outside the declared domain"), "{}", held.err);
}
