//! `--save-recoding` and `klimt apply`: the function gives the release of its own table, contains the values of every other,
//! and tells nothing of suppressed rows.

use crate::common::Place;
use serde_json::Value;
use std::collections::BTreeMap;

/// A table with numbers in several spellings, an imposed order, a hierarchy, a set, days, and some missing values; the last
/// row lies far from all others.
fn mixed(rows: usize, seed: u64, missing: bool) -> String {
    let mut state = seed;
    let mut next = |bound: u64| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) % bound
    };
    let mut text = String::from("id,size,job,city,born,amount\n");
    for id in 0..rows {
        let size = ["tiny", "small", "medium", "größer", "huge"][next(5) as usize];
        let job = ["nurse", "doctor", "teacher", "clerk"][next(4) as usize];
        let city = ["Bern", "Linz", "Zug", "Ulm"][next(4) as usize];
        let (cents, form) = (next(400), next(3));
        let amount = match form {
            0 => format!("{}.{:02}", cents / 100, cents % 100),
            1 => format!("{}.{:02}0", cents / 100, cents % 100),
            _ => format!("+{}.{:02}", cents / 100, cents % 100),
        };
        let born = format!("19{:02}-{:02}-01", 50 + next(40), 1 + next(12));
        let amount = if missing && next(12) == 0 { String::new() } else { amount };
        let city = if missing && next(12) == 0 { "" } else { city };
        text.push_str(&format!("{id},{size},{job},{city},{born},{amount}\n"));
    }
    text
}

const COLUMNS: &str = "--qi size,job,city,born,amount --insensitive id --accept id --order size=size.txt --hierarchy job=job.csv";

fn place() -> Place {
    let place = Place::new();
    place.write("size.txt", "tiny\nsmall\nmedium\ngrößer\nhuge\ngiant\n");
    place.write(
        "job.csv",
        "nurse;health;any\ndoctor;health;any\nteacher;public;any\nclerk;public;any\npilot;air;any\n",
    );
    place
}

/// The published cells of every row by its id, without the id.
fn by_id(text: &str) -> BTreeMap<String, Vec<String>> {
    let row = |line: &str| {
        let mut cells: Vec<String> = line.split(',').map(str::to_string).collect();
        (cells.remove(0), cells)
    };
    text.lines().skip(1).map(row).collect()
}

fn amount(text: &str) -> Option<i64> {
    let (whole, cents) = text.trim_start_matches('+').split_once('.')?;
    Some(whole.parse::<i64>().ok()? * 1000 + format!("{cents:0<3}").parse::<i64>().ok()?)
}

fn within<T: PartialOrd>(text: &str, value: &str, place: impl Fn(&str) -> Option<T>) -> bool {
    let Some(at) = place(value) else { return false };
    if let Some(single) = place(text) {
        return single == at;
    }
    let inner = text.trim_start_matches(['[', '(']).trim_end_matches(']');
    let Some((low, high)) = inner.split_once("..") else { return false };
    let (Some(low), Some(high)) = (place(low), place(high)) else { return false };
    at <= high && if text.starts_with('(') { at > low } else { at >= low }
}

fn contains(column: usize, text: &str, value: &str) -> bool {
    let sizes = ["tiny", "small", "medium", "größer", "huge", "giant"];
    let nodes = [("health", "nurse doctor"), ("public", "teacher clerk"), ("air", "pilot")];
    match column {
        _ if text == "*" || text == value => true,
        0 => within(text, value, |text| sizes.iter().position(|size| *size == text)),
        1 if text == "any" => true,
        1 if nodes.iter().any(|(node, leaves)| *node == text && leaves.contains(value)) => true,
        1 | 2 => {
            text.starts_with('{') && text.trim_matches(['{', '}']).split('|').any(|member| member == value)
        }
        3 => within(text, value, |text| (text.len() == 10).then(|| text.to_string())),
        _ => within(text, value, amount),
    }
}

fn assert_contains(place: &Place, original: &str, release: &str, what: &str) {
    let (original, release) = (by_id(&place.read(original)), by_id(&place.read(release)));
    assert!(!release.is_empty(), "{what}");
    for (id, cells) in &release {
        for (column, text) in cells.iter().enumerate() {
            let value = &original[id][column];
            assert!(contains(column, text, value), "{what}: row {id}: {value} published as {text}");
        }
    }
}

#[test]
fn a_saved_function_gives_its_release_and_contains_other_values() {
    let place = place();
    let mut other = mixed(60, 9, true);
    other.push_str("s1,giant,pilot,Rom,1901-01-01,900.00\ns2,tiny,nurse,Bern,1999-12-31,\ns3,huge,clerk,,1960-01-01,0.005\n");
    place.write("other.csv", other);
    let mut algorithms: Vec<String> =
        ["mondrian", "rtree", "optimal --time-limit 1s", "gensearch --time-limit 1s", "rothko-t", "rothko-s"]
            .map(String::from)
            .to_vec();
    algorithms.extend(
        ["bhs", "ghs", "ops", "gops", "sps", "gsps"]
            .map(|scheme| format!("scheme --time-limit 1s --scheme job={scheme}")),
    );
    for (missing, algorithm) in [false, true].iter().flat_map(|m| algorithms.iter().map(move |a| (*m, a))) {
        place.write("in.csv", mixed(80, 5, missing));
        for (extent, suppress) in [("compact", ""), ("region", ""), ("compact", "5%"), ("region", "5%")] {
            if !suppress.is_empty() && algorithm.starts_with("rothko") {
                continue;
            }
            let granted = if suppress.is_empty() { String::new() } else { format!("--suppress {suppress}") };
            let keep = if algorithm.starts_with("rothko") { "" } else { "--keep-order" };
            let what = format!("{algorithm} --extent {extent} {granted} {keep}");
            place.ok(&format!(
                "anonymize in.csv {COLUMNS} -k 3 -q --algorithm {what} --save-recoding f.json -o out.csv"
            ));
            assert_contains(&place, "in.csv", "out.csv", &what);
            let again = "--suppress 100%";
            place.ok(&format!("apply f.json in.csv --insensitive id --accept id -q -o again.csv {again}"));
            let (release, applied) = (by_id(&place.read("out.csv")), by_id(&place.read("again.csv")));
            for (id, cells) in &release {
                assert_eq!(applied.get(id), Some(cells), "{what}, missing values {missing}: row {id}");
            }
            place.ok("apply f.json other.csv --insensitive id --accept id -k 1 -q -o other-out.csv");
            assert_contains(&place, "other.csv", "other-out.csv", &what);
            assert_eq!(by_id(&place.read("other-out.csv"))["s1"][2], "*", "{what}: an unseen category");
        }
    }
}

/// Applied to its own table, a function may publish rows that the release left out.
#[test]
fn a_function_says_that_rows_were_suppressed() {
    let place = Place::new();
    place.write("in.csv", format!("age\n{}900\n", "30\n".repeat(40)));
    for (granted, suppressed) in [("", false), ("--suppress 5%", true)] {
        let flags = format!("--qi age -k 5 {granted} --save-recoding f.json -o out.csv -q");
        place.ok(&format!("anonymize in.csv {flags}"));
        assert_eq!(place.read("out.csv").lines().count() < 42, suppressed, "{granted}");
        let told = place.ok("apply f.json in.csv -o again.csv --suppress 100%");
        assert_eq!(told.err.contains("were suppressed"), suppressed, "{granted}: {}", told.err);
    }
}

#[test]
fn rows_of_an_imposed_order_go_where_they_belong() {
    let place = Place::new();
    place.write("order.txt", "a\nb\nc\nd\ne\nf\n").write("in.csv", "x\na\nb\nc\nd\ne\nf\n");
    for extent in ["compact", "region"] {
        place.ok(&format!(
            "anonymize in.csv --qi x --order x=order.txt -k 2 --keep-order -q --extent {extent} --save-recoding f.json -o out.csv"
        ));
        place.ok("apply f.json in.csv --keep-order -q -o again.csv");
        assert_eq!(place.read("out.csv"), place.read("again.csv"), "{extent}");
        assert_eq!(
            place.read("again.csv").lines().last(),
            Some(if extent == "region" { "(c..f]" } else { "[d..f]" })
        );
    }
}

#[test]
fn a_least_width_is_measured_on_what_is_published() {
    let place = Place::new();
    let rows: String = (0..40).map(|n| format!("{},c{}\n", n * 3 % 40, n % 5)).collect();
    place.write("in.csv", format!("age,city\n{rows}"));
    for extent in ["compact", "region"] {
        place.ok(&format!(
            "anonymize in.csv --qi age,city -k 2 --min-width age=4 --min-width city=2 -q --keep-order --extent {extent} \
             --save-recoding f.json -o out.csv"
        ));
        place.ok("apply f.json in.csv --keep-order -q -o again.csv");
        assert_eq!(place.read("out.csv"), place.read("again.csv"), "{extent}");
        place.ok("verify out.csv --qi age,city -k 2 --min-width age=4 --min-width city=2 -q");
    }
}

#[test]
fn widths_of_sets_and_of_texts_with_accents() {
    let place = Place::new();
    place.write("order.txt", "früh\nspäter\nüblich\nzuletzt\n");
    place.write("in.csv", "when,city\nfrüh,a\nfrüh,b\nspäter,a\nüblich,c\nzuletzt,b\nzuletzt,a\n");
    for width in ["1", "2", "3", "9"] {
        place.ok(&format!(
            "anonymize in.csv --qi when,city --order when=order.txt -k 1 -q --min-width when=1 --min-width city={width} -o out.csv"
        ));
        place.ok(&format!(
            "verify out.csv --qi when,city --order when=order.txt -k 1 -q --min-width when=1 --min-width city={width}"
        ));
    }
}

/// Ages 1 to 60, and one row of 900 that no other is near to, with a city and a colour of its own.
fn outlier() -> String {
    let rows: String = (0..240).map(|n| format!("{n},{}.25,c{},x{}\n", 1 + n % 60, n % 3, n % 4)).collect();
    format!("id,age,city,kept\n{rows}999,900.75,Nowhere,Secretvalue\n")
}

#[test]
fn suppressed_rows_are_in_no_file() {
    for algorithm in ["mondrian", "rtree", "optimal --time-limit 2s --loss ncp"] {
        for (extent, output) in [("region", "out.csv"), ("compact", "out.csv"), ("region", "out.parquet")] {
            let place = Place::new();
            place.write("in.csv", outlier());
            let what = format!("{algorithm} --extent {extent} -o {output}");
            place.ok(&format!(
                "anonymize in.csv --qi age,city --insensitive id,kept --accept id -k 4 -q --suppress 1% --algorithm {what} --save-recoding f.json"
            ));
            let certificate: Value =
                serde_json::from_str(&place.read(&format!("{output}.certificate.json"))).unwrap();
            assert_eq!(certificate["rows"]["suppressed"], 1, "{what}");
            for file in ["f.json".to_string(), output.to_string(), format!("{output}.certificate.json")] {
                let bytes = std::fs::read(place.path(&file)).unwrap();
                let text = String::from_utf8_lossy(&bytes);
                for secret in ["900.75", "Nowhere", "Secretvalue"] {
                    assert!(!text.contains(secret), "{what}: {file} holds {secret}");
                }
            }
        }
    }
}

#[test]
fn a_certificate_does_not_depend_on_the_values_of_suppressed_rows() {
    let told = |far: &str| -> (Value, Value, Value) {
        let place = Place::new();
        place.write("in.csv", outlier().replace("900.75", far));
        let ran = place.ok(
            "anonymize in.csv --qi age,city --insensitive id,kept --accept id -k 4 --suppress 1% --extent region --seed 1 --json -o out.csv --save-recoding f.json",
        );
        let read = |text: &str| serde_json::from_str::<Value>(text).unwrap();
        let measured = place.ok("measure in.csv out.csv --qi age,city -k 4 --json -q").out;
        let exact = read(&ran.out)["losses"].clone();
        for loss in ["ncp", "dm"] {
            let (exact, measured) =
                (exact[loss].as_f64().unwrap(), read(&measured)["losses"][loss].as_f64().unwrap());
            assert!((exact - measured).abs() <= 1e-9 * exact.abs(), "{loss}: {exact} and {measured}");
        }
        (read(&place.read("out.csv.certificate.json")), exact, read(&place.read("f.json")))
    };
    let (near, near_exact, near_function) = told("900.75");
    let (far, far_exact, far_function) = told("123456789.5");
    assert_eq!(near, far);
    assert_eq!(near_function, far_function);
    assert_ne!(near_exact["ncp"], far_exact["ncp"], "the owner measures by the whole table");
    for (name, loss) in near["losses"].as_object().unwrap() {
        let loss = loss.as_f64().unwrap();
        assert_eq!(format!("{loss:.3e}").parse::<f64>().unwrap(), loss, "{name} has more than four digits");
    }
}

#[test]
fn numbers_in_two_spellings_are_one_value() {
    let place = Place::new();
    place.write("in.csv", "x,y\n12.5,a\n12.50,b\n13,c\n+13.0,d\n1.3e1,e\n014,f\n14,g\n15,h\n");
    for extent in ["compact", "region"] {
        let out = place
            .ok(&format!("anonymize in.csv --qi x --insensitive y -k 2 -q --keep-order --extent {extent}"))
            .out;
        let cells: Vec<&str> = out.lines().skip(1).map(|line| line.split(',').next().unwrap()).collect();
        assert_eq!(&cells[..2], ["12.5", "12.5"], "{out}");
        assert!(cells[2] == cells[3] && cells[3] == cells[4], "{out}");
        assert!(cells[5..].iter().all(|cell| *cell == cells[5]), "{out}");
    }
}

#[test]
fn means_of_large_numbers_are_exact() {
    let place = Place::new();
    place.write("in.csv", "x\n9007199254740993\n9007199254740995\n9007199254740997\n9007199254740998\n");
    let out = place.ok("anonymize in.csv --qi x -k 2 -q --statistics mean --keep-order").out;
    let means: Vec<&str> = out.lines().skip(1).filter_map(|line| line.rsplit(',').next()).collect();
    assert_eq!(means, ["9007199254740994", "9007199254740994", "9007199254740997.5", "9007199254740997.5"]);
    place.ok("anonymize in.csv --qi x -k 2 -q --statistics mean -o out.parquet");
    place.ok("verify out.parquet --qi x -k 2 -q");
}

#[test]
fn relaxed_groups_are_no_function() {
    let place = Place::new();
    place.write("in.csv", "x\n1\n1\n2\n2\n");
    let ran =
        place.run("anonymize in.csv --qi x -k 2 --partitioning relaxed --save-recoding f.json -o out.csv");
    assert!(ran.code == Some(2) && ran.err.contains("may overlap"), "{}", ran.err);
}
