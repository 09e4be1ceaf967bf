//! The R+-tree: in memory and out of core, releases of several granularities, preferred columns.

use crate::common::{Place, people};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// No published value has a comma.
const COLUMNS: &str = "--qi age,sex,income --sensitive disease --insensitive id --accept id --other drop";
/// All columns: a table of them that does not fit.
const ALL: &str = "--qi age,sex,city,income --sensitive disease --identifier id --other keep";

fn certificate(place: &Place, release: &str) -> Value {
    serde_json::from_str(&place.read(&format!("{release}.certificate.json"))).unwrap()
}

/// The groups of a release: the ids of rows that are published alike.
fn groups(place: &Place, release: &str) -> Vec<BTreeSet<String>> {
    let text = place.read(release);
    let mut lines = text.lines();
    let id = lines.next().unwrap().split(',').position(|name| name == "id").unwrap();
    let disease = text.lines().next().unwrap().split(',').position(|name| name == "disease").unwrap();
    let mut found: BTreeMap<Vec<&str>, BTreeSet<String>> = BTreeMap::new();
    for line in lines {
        let fields: Vec<&str> = line.split(',').collect();
        let published = (0..fields.len()).filter(|at| *at != id && *at != disease).map(|at| fields[at]);
        found.entry(published.collect()).or_default().insert(fields[id].to_string());
    }
    found.into_values().collect()
}

fn place(rows: usize) -> Place {
    let place = Place::new();
    place.write("in.csv", people(rows));
    place
}

#[test]
fn releases_of_several_granularities_are_made_of_the_same_leaves() {
    let place = place(3000);
    let tree = format!("anonymize in.csv {COLUMNS} --algorithm rtree -q --base-k 5");
    place.ok(&format!("{tree} -k 5 -o leaves.csv"));
    let leaves = groups(&place, "leaves.csv");
    for (k, by) in [(10, "leaf-scan"), (25, "leaf-scan"), (25, "level")] {
        place.ok(&format!("{tree} -k {k} --by {by} -o coarse.csv"));
        for group in groups(&place, "coarse.csv") {
            assert!(group.len() >= k);
            let whole: usize = leaves.iter().filter(|leaf| leaf.is_subset(&group)).map(BTreeSet::len).sum();
            assert_eq!(whole, group.len(), "k = {k}, {by}: a leaf is broken up");
        }
        let found = certificate(&place, "coarse.csv");
        let settings = &found["spec"]["settings"];
        assert_eq!((&settings["base-k"], &settings["by"]), (&5.into(), &by.into()));
        assert_eq!((&settings["split"], &settings["leaf-capacity"]), (&"box".into(), &2.into()));
        assert_eq!(found["run"]["leaves"], leaves.len());
        assert_eq!(settings["partitioning"], if by == "level" { "strict" } else { "relaxed" });
    }
}

#[test]
fn a_table_that_does_not_fit_goes_through_the_disk() {
    let place = place(200_000);
    std::fs::create_dir(place.path("spill")).unwrap();
    let asked = "--algorithm rtree -k 50 --l-diversity disease=2 -q";
    place.ok(&format!("anonymize in.csv {ALL} {asked} --memory 16MB --temp-dir spill -o out.csv"));
    let found = certificate(&place, "out.csv");
    assert_eq!((&found["run"]["algorithm"], &found["run"]["in-memory"]), (&"rtree".into(), &false.into()));
    assert_eq!(found["run"]["leaves"], found["groups"]["count"]);
    assert!(found["spec"]["settings"].get("base-k").is_none(), "no promise that nobody asked for");
    assert!(found["groups"]["smallest"].as_u64().unwrap() >= 50);
    assert_eq!(found["rows"]["published"], 200_000);
    place.ok("verify out.csv --qi age,sex,city,income --sensitive disease -k 50 --l-diversity disease=2");
    // The leaves depend on the budget, so that releases for several k would not be made of the same ones.
    for (flags, why) in
        [("--keep-order", "--keep-order"), ("--base-k 10", "depend on --memory"), ("--base-k 50", "--base-k")]
    {
        let asked = format!("--algorithm rtree -k 50 -q --memory 16MB {flags} -o kept.csv");
        let refused = place.run(&format!("anonymize in.csv {ALL} {asked}"));
        assert_eq!(refused.code, Some(3), "{}", refused.err);
        assert!(refused.err.contains(why), "{}", refused.err);
        assert!(!place.exists("kept.csv"));
    }
}

/// Where the table fits, leaves are the same whatever the budget.
#[test]
fn leaves_do_not_depend_on_a_budget_that_is_enough() {
    let place = place(4000);
    let leaves = |memory: &str, k: usize| {
        let asked = format!("--algorithm rtree --base-k 5 -k {k} --memory {memory} -q -o out.csv");
        place.ok(&format!("anonymize in.csv {COLUMNS} {asked}"));
        groups(&place, "out.csv")
    };
    let (fine, coarse) = (leaves("32MB", 5), leaves("1GB", 20));
    assert_eq!(leaves("1GB", 5), fine);
    for group in coarse {
        let whole: usize = fine.iter().filter(|leaf| leaf.is_subset(&group)).map(BTreeSet::len).sum();
        assert_eq!(whole, group.len(), "a leaf is broken up");
    }
}

#[test]
fn parquet_and_a_spec_say_the_same() {
    let place = place(800);
    place.ok(&format!(
        "anonymize in.csv {COLUMNS} --algorithm rtree -k 8 --base-k 4 --prefer age -q --seed 1 -o a.csv"
    ));
    place.write(
        "klimt.toml",
        "algorithm = \"rtree\"\nk = 8\nbase-k = 4\nprefer = [\"age\"]\nby = \"leaf-scan\"\nleaf-capacity = 2\n",
    );
    place.ok(&format!("anonymize in.csv {COLUMNS} --spec klimt.toml -q --seed 1 -o b.csv"));
    assert_eq!(place.read("a.csv"), place.read("b.csv"));
    place.ok(&format!("anonymize in.csv {COLUMNS} --algorithm rtree -k 8 -q -o c.parquet"));
    assert!(certificate(&place, "c.parquet")["groups"]["smallest"].as_u64().unwrap() >= 8);
}

#[test]
fn preferred_columns_are_published_more_narrowly() {
    let place = place(2000);
    let different = |flags: &str| {
        place.ok(&format!("anonymize in.csv {COLUMNS} --algorithm rtree -k 5 {flags} -q -o out.csv"));
        let text = place.read("out.csv");
        let at = text.lines().next().unwrap().split(',').position(|name| name == "age").unwrap();
        text.lines().skip(1).filter(|line| line.split(',').nth(at).unwrap().starts_with('[')).count()
    };
    let fair = different("");
    let biased = different("--prefer age");
    assert!(biased < fair, "{biased} intervals of age instead of {fair}");
}

#[test]
fn what_makes_no_sense_is_refused() {
    let place = place(50);
    for (flags, why) in [
        ("--algorithm rtree --split median", "an R+-tree is split by box"),
        ("--algorithm rtree --partitioning relaxed", "keeps equal rows in one group"),
        ("--algorithm rtree --base-k 9", "at most k"),
        ("--algorithm rtree --base-k 0", "at least 1"),
        ("--algorithm rtree --by level", "unless --base-k is less than k"),
        ("--algorithm rtree --leaf-capacity 1", "at least 2"),
        ("--algorithm rtree --base-k 2 --time-limit 5s", "depend on the clock"),
        ("--algorithm rtree --base-k 2 --extent region", "may overlap"),
        ("--algorithm rtree --base-k 2 --save-recoding r.json", "may overlap"),
        ("--algorithm rtree --hierarchy-cut nodes", "between any two leaves"),
        ("--algorithm rtree --prefer disease", "no quasi-identifier"),
        ("--algorithm rtree --prefer agee", "unknown column agee"),
        ("--base-k 2", "--base-k is for --algorithm rtree"),
        ("--by level", "--by is for --algorithm rtree"),
        ("--prefer age", "--prefer is for --algorithm rtree or --split box"),
        ("--leaf-capacity 3", "--leaf-capacity is for"),
        ("--algorithm rothko-t --split box", "rothko-t sees counts"),
    ] {
        let ran = place.run(&format!("anonymize in.csv {COLUMNS} -k 5 -q -o out.csv {flags}"));
        assert_eq!(ran.code, Some(2), "{flags}: {}", ran.err);
        assert!(ran.err.contains(why), "{flags}: {}", ran.err);
        assert!(!place.exists("out.csv"));
    }
}
