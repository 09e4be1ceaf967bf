//! Whoever follows `klimt init` without thinking publishes no identifier of a hospital's patients.

use crate::common::{Place, shared};
use std::collections::HashSet;

/// The records of a CSV text, quoted fields included: by code of its own.
fn records(text: &str) -> Vec<Vec<String>> {
    let (mut records, mut record, mut field, mut quoted) = (Vec::new(), Vec::new(), String::new(), false);
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '"' if quoted && letters.peek() == Some(&'"') => field.extend(letters.next()),
            '"' => quoted = !quoted,
            ',' if !quoted => record.push(std::mem::take(&mut field)),
            '\n' if !quoted => {
                record.push(std::mem::take(&mut field));
                records.push(std::mem::take(&mut record));
            }
            other => field.push(other),
        }
    }
    records
}

/// Looks for many texts in one: only where the first bytes occur does it search the whole.
struct Haystack<'t> {
    text: &'t str,
    starts: HashSet<&'t [u8]>,
}

impl<'t> Haystack<'t> {
    const START: usize = 6;

    fn of(text: &'t str) -> Self {
        Haystack { text, starts: text.as_bytes().windows(Self::START).collect() }
    }

    fn holds(&self, needle: &str) -> bool {
        assert!(needle.len() >= Self::START, "too short to look for");
        self.starts.contains(&needle.as_bytes()[..Self::START]) && self.text.contains(needle)
    }
}

/// The values of columns by which people are named, once each.
fn identifiers(table: &[Vec<String>], columns: &[usize]) -> Vec<HashSet<String>> {
    let markers = ["", "NA", "n/a", "unknown", "-"];
    let values = |column: &usize| -> HashSet<String> {
        let cells = table[1..].iter().map(|row| row[*column].clone());
        cells.filter(|cell| !markers.contains(&cell.as_str())).collect()
    };
    columns.iter().map(values).collect()
}

/// The columns that name people: record, visit and insurance numbers, names, phones, mail addresses, notes.
const NAMING: [usize; 7] = [0, 1, 2, 3, 4, 5, 15];

/// Follows `klimt init`, and looks for everything that names people in all that comes out.
fn follow(place: &Place, language: &str, rows: usize) -> Vec<String> {
    place.ok(&format!("generate hospital --rows {rows} --seed 1 --language {language} -o extract.csv -q"));
    let table = records(&place.read("extract.csv"));
    assert_eq!(table.len(), rows + 1);
    let told = place.ok("init extract.csv").err;
    let command = told.split("then run: klimt ").nth(1).expect(&told).lines().next().unwrap();
    place.ok(command);
    place.ok("verify release.csv --spec klimt.toml");
    place.ok("report extract.csv release.csv --spec klimt.toml -o page.html");
    let outputs = ["release.csv", "release.csv.certificate.json", "page.html", "klimt.toml"]
        .map(|name| place.read(name));
    assert!(outputs[2].contains("The risks on this page are those of rows"), "people have several rows");
    for text in &outputs {
        let haystack = Haystack::of(text);
        for (column, values) in NAMING.iter().zip(identifiers(&table, &NAMING)) {
            let found = values.iter().filter(|value| haystack.holds(value)).count();
            assert_eq!(found, 0, "{} of column {}", found, table[0][*column]);
        }
    }
    let extract = place.read("extract.csv");
    assert!(Haystack::of(&extract).holds(&table[rows / 2][3]), "the search finds what is there");
    records(&outputs[0])[0].clone()
}

#[test]
fn init_keeps_what_names_patients_out_of_the_release_and_the_page() {
    let place = Place::new();
    let published = follow(&place, "en", 20_000);
    for column in
        ["sex", "birth_date", "admission", "postcode", "ward", "diagnosis", "length_of_stay", "charges"]
    {
        assert!(published.iter().any(|name| name == column), "{column} of {published:?}");
    }
}

#[test]
fn init_knows_german_columns() {
    let place = Place::new();
    let published = follow(&place, "de", 5_000);
    for column in ["Geschlecht", "PLZ", "Station", "Diagnose", "Verweildauer"] {
        assert!(published.iter().any(|name| name == column), "{column} of {published:?}");
    }
}

#[test]
fn identifiers_are_refused_in_every_other_role_all_at_once() {
    let place = Place::new();
    place.ok("generate hospital --rows 3000 --seed 2 -o extract.csv -q");
    let rest = "--missing NA --missing n/a --missing unknown --missing - -k 5 -o out.csv";
    let naming = ["mrn", "visit_id", "insurance_no", "patient_name", "phone", "email", "note"];
    let kept = place.run(&format!("anonymize extract.csv --qi sex,length_of_stay --other keep {rest}"));
    assert_eq!(kept.code, Some(2), "{}", kept.err);
    for role in ["qi", "sensitive", "insensitive", "target"] {
        let qi = if role == "qi" { String::new() } else { "--qi sex ".to_string() };
        let listed = naming.join(",");
        let ran = place.run(&format!("anonymize extract.csv {qi}--{role} {listed} --other drop {rest}"));
        assert_eq!(ran.code, Some(2), "{role}: {}", ran.err);
        for name in naming {
            assert!(ran.err.contains(&format!("column {name} (")), "{role} {name}: {}", ran.err);
            assert!(
                role != "qi" || kept.err.contains(&format!("column {name} (insensitive)")),
                "{name}: {}",
                kept.err
            );
            assert!(
                ran.err.contains(&format!("--identifier {name}"))
                    && ran.err.contains(&format!("--accept {name}"))
            );
        }
        assert!(!place.exists("out.csv"));
    }
    place.ok("generate hospital --rows 100000 --seed 2 -o large.csv -q");
    let on_disk =
        place.run(&format!("anonymize large.csv --qi sex,length_of_stay --other keep --memory 16MB {rest}"));
    assert_eq!(on_disk.code, Some(2), "{}", on_disk.err);
    for name in naming {
        assert!(on_disk.err.contains(&format!("column {name} (insensitive)")), "{name}: {}", on_disk.err);
    }
    let accepted = "--qi sex --insensitive phone --other drop --accept phone";
    place.ok(&format!("anonymize extract.csv {accepted} {rest}"));
    let certificate = place.read("out.csv.certificate.json");
    assert!(certificate.contains("\"accept\"") && certificate.contains("\"phone\""), "{certificate}");
}

#[test]
fn sets_of_many_texts_need_a_hierarchy_an_order_or_consent() {
    let place = Place::new();
    let city = |row: usize| format!("Town{}", char::from(b'A' + (row % 24) as u8));
    let rows: String = (0..240).map(|row| format!("{},{}\n", 20 + row % 40, city(row))).collect();
    place.write("in.csv", format!("age,city\n{rows}"));
    let refused = place.run("anonymize in.csv --qi age,city -k 4 -o out.csv");
    assert_eq!(refused.code, Some(2), "{}", refused.err);
    assert!(
        refused.err.contains("sets of 24 different texts") && refused.err.contains("--hierarchy city=FILE")
    );
    assert!(!refused.err.contains("Town"), "{}", refused.err);
    place.ok("anonymize in.csv --qi age,city -k 4 --accept city -o out.csv");
    let order: String = (0..24).map(|row| city(row) + "\n").collect();
    place.write("order.txt", order);
    place.ok("anonymize in.csv --qi age,city -k 4 --order city=order.txt -o out.csv");
    // As a sensitive column it is published as it is, by few values for many rows.
    place.ok("anonymize in.csv --qi age --sensitive city -k 4 -o out.csv");
}

/// Tables without identifiers: no column of them is taken for one, even where all are published as they are.
#[test]
fn other_tables_hold_no_identifiers() {
    let place = Place::new();
    let generated =
        [("census", "age"), ("sales", "gender"), ("agrawal", "age"), ("uniform", "X1"), ("skewed", "X1")];
    for (generator, qi) in generated {
        for rows in [200, 20_000] {
            place.ok(&format!("generate {generator} --rows {rows} --seed 4 -o in.csv -q"));
            place.ok(&format!("anonymize in.csv --qi {qi} --other keep -k 3 -o out.csv -q"));
            let inspected = place.ok("inspect in.csv").out;
            assert!(!inspected.contains("looks like"), "{inspected}");
        }
    }
}

#[test]
fn adult_holds_no_identifiers() {
    let Some(data) = shared("KLIMT_DATA", "data/adult") else { return };
    let place = Place::new();
    let adult = data.join("adult.csv");
    place.ok(&format!("anonymize {} --qi age,sex --other keep -k 10 -o out.csv -q", adult.display()));
    place.ok(&format!("init {}", adult.display()));
    let spec = place.read("klimt.toml");
    for (column, role) in
        [("age", "quasi-identifier"), ("marital-status", "quasi-identifier"), ("salary-class", "sensitive")]
    {
        let table = spec.split(&format!("[columns.{column}]")).nth(1).unwrap();
        let said = table.lines().find(|line| line.starts_with("role")).unwrap();
        assert_eq!(said, format!("role = \"{role}\""), "{column}");
    }
    place.ok("anonymize --spec klimt.toml -q");
}
