//! The order of --qi decides between columns that are equally good; the order of columns in the file does not.

use crate::common::{Place, people};
use std::collections::BTreeSet;

/// Lines of a release with their columns in a given order.
fn rows(text: &str, columns: &[&str]) -> BTreeSet<Vec<String>> {
    let mut lines = text.lines().map(|line| line.split(',').map(str::to_string).collect::<Vec<_>>());
    let head = lines.next().unwrap();
    let places: Vec<usize> =
        columns.iter().map(|name| head.iter().position(|other| other == name).unwrap()).collect();
    lines.map(|line| places.iter().map(|&at| line[at].clone()).collect()).collect()
}

#[test]
fn ties_go_by_the_order_of_qi_and_not_by_that_of_the_file() {
    let place = Place::new();
    let grid = |head: &str, turned: bool| {
        let cells = (0..8).flat_map(|x| (0..8).map(move |y| (x, y)));
        let line = |(x, y): (u32, u32)| if turned { format!("{y},{x}\n") } else { format!("{x},{y}\n") };
        format!("{head}\n{}", cells.map(line).collect::<String>())
    };
    place.write("xy.csv", grid("x,y", false));
    place.write("yx.csv", grid("y,x", true));
    let halves = |of: &str| -> BTreeSet<Vec<String>> {
        let cell =
            |column: &str, half: &str| if column == of { half.to_string() } else { "[0..7]".to_string() };
        ["[0..3]", "[4..7]"].iter().map(|half| vec![cell("x", half), cell("y", half)]).collect()
    };
    let spec = |first: &str, second: &str| {
        let role = "role = \"quasi-identifier\"";
        format!("[columns.{first}]\n{role}\n[columns.{second}]\n{role}\n")
    };
    place.write("x-first.toml", spec("x", "y"));
    place.write("y-first.toml", spec("y", "x"));
    for file in ["xy.csv", "yx.csv"] {
        for how in ["", "--algorithm rothko-t", "--algorithm rtree", "--split loss:ncp"] {
            for (qi, first) in [("--qi x,y", "x"), ("--qi y,x", "y"), ("--qi y --qi x", "y")] {
                let ran = place.ok(&format!("anonymize {file} {qi} -k 32 {how} -q"));
                assert_eq!(rows(&ran.out, &["x", "y"]), halves(first), "{file} {qi} {how}");
            }
        }
        // Tables of TOML have no order: columns of a spec go by their names, unless --qi says otherwise.
        for (spec, qi, first) in
            [("x-first.toml", "", "x"), ("y-first.toml", "", "x"), ("x-first.toml", "--qi y,x", "y")]
        {
            let ran = place.ok(&format!("anonymize {file} --spec {spec} {qi} -k 32 -q"));
            assert_eq!(rows(&ran.out, &["x", "y"]), halves(first), "{file} {spec} {qi}");
        }
    }
}

/// Statistics, suppression, recoding functions, losses and reports with quasi-identifiers in another order than the file's.
#[test]
fn any_order_of_qi_is_published_and_checked_alike() {
    let place = Place::new();
    place.write("in.csv", people(600));
    let turned = "--qi born,income,city,sex,age";
    let others = "--sensitive disease --identifier id";
    for how in [
        "--suppress 5% --statistics range,mean",
        "--extent region --save-recoding f.json",
        "--partitioning relaxed --statistics mean",
        "--algorithm rothko-s --memory 32MB --save-recoding f.json",
        "--algorithm optimal --time-limit 1s",
        "--algorithm scheme --time-limit 1s --suppress 10%",
        "--algorithm local",
    ] {
        let asked = format!("anonymize in.csv {turned} {others} -k 5 --l-diversity disease=2 {how} -q");
        place.ok(&format!("{asked} -o out.csv"));
        let checked = "--qi age,sex,city,income,born --sensitive disease -k 5 --l-diversity disease=2";
        place.ok(&format!("verify out.csv {checked}"));
        let measured = place.ok(&format!("measure in.csv out.csv {turned} --sensitive disease --json")).out;
        let measured: serde_json::Value = serde_json::from_str(&measured).unwrap();
        let certificate: serde_json::Value =
            serde_json::from_str(&place.read("out.csv.certificate.json")).unwrap();
        let ncp = |json: &serde_json::Value| json["losses"]["ncp"].as_f64().unwrap();
        if !how.contains("suppress") {
            assert!((ncp(&measured) - ncp(&certificate)).abs() < 1e-3, "{how}: {measured} {certificate}");
        }
        let qi: Vec<&str> = certificate["spec"]["settings"]["qi"]
            .as_array()
            .unwrap()
            .iter()
            .filter_map(|n| n.as_str())
            .collect();
        assert_eq!(qi, ["born", "income", "city", "sex", "age"], "{how}");
        if how.contains("f.json") {
            place.ok("apply f.json in.csv --sensitive disease --identifier id -o again.csv");
            place.ok(&format!("verify again.csv {checked}"));
        }
    }
}

/// Copies of a tuple that halves divide go by what else is published of them, not by where that stands in the file.
#[test]
fn relaxed_halves_do_not_depend_on_the_order_of_columns() {
    let rows = [
        ("1", "", "e"),
        ("2", "c", "d"),
        ("3", "c", "b"),
        ("4", "a", "d"),
        ("5", "a", "e"),
        ("6", "c", "f"),
        ("7", "a", "f"),
    ];
    let place = Place::new();
    let published = |header: &str, cells: fn(&(&str, &str, &str)) -> String, id: usize, level: usize| {
        let lines: Vec<String> = rows.iter().map(cells).collect();
        place.write("in.csv", format!("{header}\n{}\n", lines.join("\n"))).write("order.txt", "a\nb\nc\n");
        place.ok("anonymize in.csv --qi level --sensitive s --insensitive id --accept id --order level=order.txt -k 2 -q --partitioning relaxed -o out.csv");
        let text = place.read("out.csv");
        let row = |line: &str| {
            let cells: Vec<&str> = line.split(',').collect();
            (cells[id].to_string(), cells[level].to_string())
        };
        text.lines().skip(1).map(row).collect::<std::collections::BTreeMap<_, _>>()
    };
    let first = published("id,level,s", |(id, level, s)| format!("{id},{level},{s}"), 0, 1);
    let second = published("level,s,id", |(id, level, s)| format!("{level},{s},{id}"), 2, 0);
    assert_eq!(first, second);
}
