//! `klimt verify --against`: releases that hold by themselves, and what they tell together.

use crate::common::{Place, Ran, people};
use serde_json::{Value, json};

const ROLES: &str = "--qi age --sensitive disease --key id";

/// A release: for each group its published age, and its rows with key and disease.
fn release(groups: &[(&str, &str)]) -> String {
    let mut text = String::from("id,age,disease\n");
    for (age, rows) in groups {
        for row in rows.split(' ') {
            let (key, disease) = row.split_once('=').unwrap();
            text.push_str(&format!("{key},{age},{disease}\n"));
        }
    }
    text
}

/// a to e, and then f to j as well: two groups, which cut the old one in two.
fn attack() -> Place {
    let place = Place::new();
    place
        .write("old.csv", release(&[("[20..39]", "key-a=flu key-b=flu key-c=gout key-d=asthma key-e=gout")]));
    let new = [
        ("[20..29]", "key-a=flu key-b=flu key-f=gout key-g=asthma key-h=gout"),
        ("[30..39]", "key-c=gout key-d=asthma key-e=gout key-i=flu key-j=flu"),
    ];
    place.write("new.csv", release(&new));
    place
}

/// What a run says of the releases together.
fn against(ran: &Ran) -> Value {
    serde_json::from_str::<Value>(&ran.out).unwrap()["against"].clone()
}

/// Nothing that is said holds a key or a sensitive value.
fn tells_nothing(ran: &Ran) {
    for secret in ["key-", "flu", "gout", "asthma"] {
        assert!(!ran.err.contains(secret) && !ran.out.contains(secret), "{secret}: {ran:?}");
    }
}

#[test]
fn the_intersection_of_two_safe_releases_is_found() {
    let place = attack();
    for file in ["old.csv", "new.csv"] {
        place.ok(&format!("verify {file} --qi age --sensitive disease -k 5 --l-diversity 2"));
    }
    let ran = place.run(&format!("verify new.csv --against old.csv {ROLES} -k 5 --l-diversity 2"));
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    for said in [
        "5 of 5 linked rows",
        "new.csv with old.csv (smallest set: 2)",
        "k-anonymity with k = 5 does not hold in every intersection: 2 reached",
        "distinct l-diversity of disease with l = 2 does not hold in every intersection: 1 reached",
        "hold the rows back",
        "coarser",
    ] {
        assert!(ran.err.contains(said), "{said}: {}", ran.err);
    }
    for said in
        ["the smallest of 2 rows", "old.csv to new.csv: 5 rows joined, at least 2 in a group", "nobody left"]
    {
        assert!(ran.out.contains(said), "{said}: {}", ran.out);
    }
    tells_nothing(&ran);
    // Two among two: enough for k = 2, and both have the flu.
    place.ok(&format!("verify new.csv --against old.csv {ROLES} -k 2"));
    assert_eq!(place.run(&format!("verify new.csv --against old.csv {ROLES} --l-diversity 2")).code, Some(1));
    assert_eq!(place.run(&format!("verify new.csv --against old.csv {ROLES} -k 3 -q")).out, "");
}

#[test]
fn json_says_all_of_it() {
    let place = attack();
    let ran = place.run(&format!("verify new.csv --against old.csv {ROLES} -k 3 --json"));
    assert_eq!(ran.code, Some(1));
    let found = against(&ran);
    let files = json!(["new.csv", "old.csv"]);
    assert_eq!((&found["files"], &found["linked_rows"]), (&files, &json!(5)));
    assert_eq!((&found["smallest_intersection"], &found["violating_rows"]), (&json!(2), &json!(2)));
    assert_eq!(found["violating_intersections"], 1);
    let each = json!([{ "files": files, "rows": 5, "sets": 2, "smallest": 2, "violating_rows": 2, "violating_sets": 1 }]);
    assert_eq!(found["intersections"], each);
    assert_eq!(
        (&found["outcomes"][0]["measured"], &found["outcomes"][0]["holds"]),
        (&json!(2), &json!(false))
    );
    let differences = json!([{ "newer": "new.csv", "older": "old.csv",
        "newcomers": { "rows": 5, "groups": 2, "smallest": 2 }, "leavers": { "rows": 0, "groups": 0, "smallest": null } }]);
    assert_eq!(found["differences"], differences);
    assert!(found.get("strict").is_none());
    tells_nothing(&ran);
    let alone = place.ok("verify new.csv --qi age --sensitive disease -k 5 --json");
    assert!(against(&alone).is_null());
}

#[test]
fn the_release_itself_is_checked_as_before() {
    let place = attack();
    let ran = place.run(&format!("verify new.csv --against new.csv {ROLES} -k 6"));
    assert_eq!(ran.code, Some(1));
    assert!(ran.err.contains("k-anonymity with k = 6 does not hold: 5 reached"), "{}", ran.err);
    place.ok(&format!("verify new.csv --against new.csv {ROLES} -k 5 --l-diversity 3 --strict"));
}

#[test]
fn the_newest_release_comes_first() {
    let place = Place::new();
    // Both groups are of the same rows; what they have has changed.
    place
        .write("old.csv", release(&[("1", "a=flu b=flu")]))
        .write("new.csv", release(&[("1", "a=flu b=gout")]));
    place.ok(&format!("verify new.csv --against old.csv {ROLES} --l-diversity 2"));
    // a and b are not in the newest; of the others, the first counts.
    place.write("empty.csv", release(&[("1", "c=flu d=gout")]));
    place.ok(&format!("verify empty.csv --against new.csv old.csv {ROLES} --l-diversity 2"));
    let ran = place.run(&format!("verify empty.csv --against old.csv new.csv {ROLES} --l-diversity 2"));
    assert_eq!(ran.code, Some(1));
    assert!(ran.err.contains("2 rows by old.csv with new.csv (smallest set: 2)"), "{}", ran.err);
}

#[test]
fn strict_asks_for_enough_newcomers_and_leavers() {
    let place = Place::new();
    place.write("old.csv", release(&[("1", "a=flu b=gout c=flu"), ("2", "e=flu f=gout")]));
    place.write("new.csv", release(&[("1", "a=flu b=gout d=flu"), ("2", "e=flu f=gout")]));
    place.ok(&format!("verify new.csv --against old.csv {ROLES} -k 2"));
    let ran = place.run(&format!("verify new.csv --against old.csv {ROLES} -k 2 --strict --json"));
    assert_eq!(ran.code, Some(1));
    let said = "k-anonymity with k = 2 does not hold in what joined or left a group: 1 reached";
    assert!(ran.err.contains(said) && !ran.err.contains("linked rows"), "{}", ran.err);
    let found = against(&ran);
    assert_eq!((&found["strict"][0]["holds"], &found["outcomes"][0]["holds"]), (&json!(false), &json!(true)));
    let leavers = &found["differences"][0]["leavers"];
    assert_eq!((&leavers["smallest"], &leavers["violating_rows"]), (&json!(1), &json!(1)));
    place.write("more.csv", release(&[("1", "a=flu b=gout d=flu g=gout c=flu"), ("2", "e=flu f=gout")]));
    place.ok(&format!("verify more.csv --against old.csv {ROLES} -k 2 --strict"));
}

#[test]
fn flags_that_make_no_sense_are_refused() {
    let place = attack();
    for (args, said) in [
        ("--against old.csv --qi age", "--against needs a key"),
        ("--qi age --key id", "--key is given without --against"),
        ("--qi age --strict", "--strict is given without --against"),
        ("--against old.csv --qi age --key ID", "new.csv: unknown column ID; did you mean id?"),
        ("--against - - --qi age --key id", "standard input can be read only once"),
        ("--against none.csv --qi age --key id", "none.csv: cannot"),
    ] {
        let ran = place.run(&format!("verify new.csv {args}"));
        assert_eq!(ran.code, Some(2), "{args}: {}", ran.err);
        assert!(ran.err.contains(said), "{args}: {}", ran.err);
    }
    let many = vec!["old.csv"; 64].join(" ");
    let ran = place.run(&format!("verify new.csv {ROLES} --against {many}"));
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("at most 63 files"), "{}", ran.err);
}

#[test]
fn keys_that_link_nothing_or_too_much_are_told_by_their_rows() {
    let place = attack();
    place.write("twice.csv", release(&[("1", "key-a=flu key-b=flu key-c=gout"), ("2", "key-b=flu")]));
    place.write("missing.csv", release(&[("1", "key-a=flu =flu")]));
    place.write("none.csv", "age,disease\n1,flu\n");
    for (args, said) in [
        ("new.csv --against old.csv twice.csv", "twice.csv: row 4: column id holds the key of row 2 again"),
        ("twice.csv --against old.csv", "twice.csv: row 4: column id holds the key of row 2 again"),
        ("new.csv --against missing.csv", "missing.csv: row 2: column id holds no key"),
        ("new.csv --missing key-g --against old.csv", "new.csv: row 4: column id holds no key"),
        ("new.csv --against old.csv none.csv", "none.csv: unknown column id"),
    ] {
        let ran = place.run(&format!("verify {args} {ROLES}"));
        assert_eq!(ran.code, Some(2), "{args}: {}", ran.err);
        assert!(ran.err.contains(said), "{args}: {}", ran.err);
        tells_nothing(&Ran { err: ran.err.replace("key-g", ""), ..ran });
    }
    place.write("other.csv", release(&[("1", "x=flu y=flu")]));
    let ran = place.ok(&format!("verify new.csv --against other.csv {ROLES} -k 5"));
    assert!(ran.err.contains("warning: no row is in two of the files"), "{}", ran.err);
}

#[test]
fn every_format_is_read() {
    let place = Place::new();
    place.write("all.csv", people(400));
    let few: String = people(400).lines().take(301).map(|line| format!("{line}\n")).collect();
    place.write("few.csv", few);
    let make = "--qi age,sex --sensitive disease --insensitive id --accept id --other drop -k 5";
    for (from, to) in
        [("few", "old.csv"), ("few", "old.parquet"), ("few", "old.arrow"), ("few", "old.csv.gz")]
    {
        place.ok(&format!("anonymize {from}.csv {make} -o {to}"));
    }
    for to in ["new.csv", "new.parquet"] {
        place.ok(&format!("anonymize all.csv {make} -o {to}"));
    }
    let verify = "--qi age,sex --sensitive disease --key id -k 5 --strict --json";
    let told = |newer: &str, older: &str| {
        let ran = place.run(&format!("verify {newer} --against {older} {verify}"));
        assert_eq!(ran.code, Some(1), "the newcomers cut the groups: {}", ran.err);
        let told = "column id has 400 different values in 400 rows";
        assert!(ran.out.contains(told) && ran.out.matches("different values in").count() == 1, "{}", ran.out);
        let mut found = against(&ran);
        found["files"].take();
        found["intersections"][0]["files"].take();
        found["differences"][0].as_object_mut().unwrap().retain(|name, _| name.ends_with("ers"));
        found
    };
    let expected = told("new.csv", "old.csv");
    assert_eq!(expected["linked_rows"], 300);
    assert_eq!(expected["differences"][0]["newcomers"]["rows"], 100);
    for (newer, older) in
        [("new.parquet", "old.csv.gz"), ("new.csv", "old.parquet"), ("new.parquet", "old.arrow")]
    {
        assert_eq!(told(newer, older), expected, "{newer} {older}");
    }
    let input = std::fs::File::open(place.path("new.csv")).unwrap();
    let mut command = place.command(&format!("verify - --against old.csv {verify}"));
    let ran = crate::common::ran(&command.stdin(input).output().unwrap());
    assert_eq!(against(&ran)["violating_rows"], expected["violating_rows"]);
}

#[test]
fn a_coarser_release_of_the_same_groups_is_safe() {
    let place = Place::new();
    let rows = |age: usize| -> String {
        let row = |n: usize| format!("k{age}-{n}={}", ["flu", "gout"][n % 2]);
        (0..5).map(row).collect::<Vec<_>>().join(" ")
    };
    let groups: Vec<String> = (0..8).map(rows).collect();
    let fine: Vec<(String, &str)> = (0..8).map(|n| (n.to_string(), groups[n].as_str())).collect();
    let coarse: Vec<(String, &str)> =
        (0..8).map(|n| (format!("[{}..]", n / 4), groups[n].as_str())).collect();
    fn borrowed(list: &[(String, &str)]) -> String {
        release(&list.iter().map(|(age, rows)| (age.as_str(), *rows)).collect::<Vec<_>>())
    }
    place.write("fine.csv", borrowed(&fine)).write("coarse.csv", borrowed(&coarse));
    place.ok(&format!("verify fine.csv --against coarse.csv {ROLES} -k 5 --l-diversity 2 --strict"));
    assert_eq!(place.run(&format!("verify coarse.csv --against fine.csv {ROLES} -k 6")).code, Some(1));
}

/// The commands of the page about republication say what the page says.
#[test]
fn the_page_about_republication_is_true() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/republication.md");
    let page = std::fs::read_to_string(path).unwrap();
    let place = Place::new();
    let blocks = page.split("```").skip(1).step_by(2).flat_map(|block| block.split("$ ").skip(1));
    let mut verified = Vec::new();
    for step in blocks {
        let (command, rest) = step.split_once('\n').unwrap();
        if let Some(name) = command.strip_prefix("cat ") {
            place.write(name, rest.trim_end());
            continue;
        }
        let ran = place.run(command.strip_prefix("klimt ").unwrap());
        rest.lines().filter(|line| *line != "…" && !line.is_empty()).for_each(|line| {
            assert!(ran.out.lines().any(|said| said == line), "{line}: {}", ran.out);
        });
        verified.push(ran.code);
    }
    assert_eq!(verified, [Some(1), Some(0)]);
}
