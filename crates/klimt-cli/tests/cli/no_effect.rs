//! Options that have no effect are refused, or named in a note.

use crate::common::{Place, people};
use klimt::options::{Effect, OPTIONS};
use klimt_core::Choice;
use klimt_core::registry::{AlgorithmKind, PARTITIONERS};

/// A value of every option that some algorithm does not take, and what it needs beside it to be taken at all.
const VALUES: &[(&str, &str)] = &[
    ("split", "--split median"),
    ("workload", "--workload queries.sql"),
    ("partitioning", "--partitioning relaxed"),
    ("hierarchy-cut", "--hierarchy-cut leaves"),
    ("suppress", "--suppress 5%"),
    ("loss", "--loss vm"),
    ("effort", "--effort balanced"),
    ("gap", "--gap 1.5"),
    ("trace", "--trace trace.csv"),
    ("splits", "--splits every"),
    ("split-at", "--split-at age=30,40"),
    ("as-published", "--as-published"),
    ("priority", "--priority cost"),
    ("queue", "--queue 100"),
    ("lookahead", "--lookahead 10"),
    ("start", "--start whole"),
    ("scheme", "--scheme age=ops"),
    ("levels", "--levels age=1.."),
    ("direction", "--direction top-down"),
    ("without", "--without fold"),
    ("base-k", "--base-k 2"),
    ("by", "--by level"),
    ("leaf-capacity", "--leaf-capacity 3"),
    ("prefer", "--prefer age"),
    ("significance", "--significance 0.1"),
    ("sample", "--sample 20"),
    ("extent", "--extent region"),
    ("keep-order", "--keep-order"),
    ("save-recoding", "--save-recoding recoding.json"),
    ("save-people", "--save-people people.csv --person id"),
];

fn place() -> Place {
    let place = Place::new();
    place.write("in.csv", people(60));
    place.write("queries.sql", "SELECT COUNT(*) WHERE age BETWEEN 30 AND 40");
    place
}

const BASE: &str = "anonymize in.csv --qi age,sex --other drop -k 4 -o out.csv";

#[test]
fn every_option_is_refused_where_it_can_have_no_effect() {
    let place = place();
    let before = place.files();
    for option in OPTIONS {
        let refusing = |algorithm: &AlgorithmKind| {
            matches!(
                option.effect(*algorithm),
                Effect::Foreign | Effect::Refused(_) | Effect::NeedsAllRows(_)
            )
        };
        let algorithms: Vec<AlgorithmKind> = PARTITIONERS.into_iter().filter(refusing).collect();
        if algorithms.is_empty() {
            continue;
        }
        let flags = match (option.flag, option.value) {
            ("split", Some("box")) => "--split box",
            ("split", Some("other than box")) => "--split infogain",
            ("split", Some("loss:NAME that counts all rows")) => "--split loss:hdm",
            ("hierarchy-cut", Some("nodes")) => "--hierarchy-cut nodes",
            (flag, _) => {
                VALUES
                    .iter()
                    .find(|(name, _)| *name == flag)
                    .unwrap_or_else(|| panic!("a value of --{flag}"))
                    .1
            }
        };
        for algorithm in algorithms {
            let ran = place.run(&format!("{BASE} --algorithm {} {flags}", algorithm.name()));
            assert_eq!(ran.code, Some(2), "{} {flags}: {}", algorithm.name(), ran.err);
            assert!(
                ran.err.contains(&format!("--{}", option.flag)),
                "{} {flags}: {}",
                algorithm.name(),
                ran.err
            );
            assert_eq!(place.files(), before, "{} {flags}", algorithm.name());
        }
    }
}

#[test]
fn all_problems_are_told_at_once_in_flags_and_in_a_spec() {
    let place = place();
    let flags =
        "--gap 1.5 --trace t.csv --splits every --by level --scheme ops --sample 5 --loss vm --prefer age";
    let ran = place.run(&format!("{BASE} --algorithm mondrian {flags}"));
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("8 problems"), "{}", ran.err);
    for said in [
        "--gap is for --algorithm gensearch, optimal or scheme or --effort best",
        "--trace is for --algorithm gensearch, optimal, scheme or local or --effort best",
        "--splits is for --algorithm gensearch",
        "--by is for --algorithm rtree",
        "--scheme is for --algorithm scheme",
        "--sample is for --algorithm rothko-s or rtree",
        "--prefer is for --algorithm rtree or --split box",
        "--loss is for",
    ] {
        assert!(ran.err.contains(said), "{said}: {}", ran.err);
    }
    place.write(
        "klimt.toml",
        "input = \"in.csv\"\noutput = \"out.csv\"\nother = \"drop\"\nk = 4\nalgorithm = \"mondrian\"\ngap = 1.5\ntrace = \"t.csv\"\n\
         by = \"level\"\nsample = 5\n[columns.age]\nrole = \"quasi-identifier\"\nsplits = [40]\nscheme = \"ops\"\n\
         [columns.sex]\nrole = \"quasi-identifier\"\n",
    );
    let ran = place.run("anonymize --spec klimt.toml");
    assert!(ran.code == Some(2) && ran.err.contains("6 problems"), "{}", ran.err);
    assert!(!place.exists("out.csv") && !place.exists("t.csv"));
}

#[test]
fn options_beside_the_right_one_are_taken() {
    let place = place();
    for flags in [
        "--effort best --gap 1.5 --trace t.csv --loss vm",
        "--effort balanced --loss vm",
        "--algorithm gensearch --splits every --trace t.csv --loss vm --split infogain --target disease --start mondrian",
        "--algorithm local --trace t.csv --loss vm",
        "--algorithm rtree --base-k 2 --by level --extent region",
        "--split box --prefer age --leaf-capacity 3",
        // The algorithm may be any of two.
        "--sample 20 --significance 0.1",
        "--effort best --time-limit 2s --gap 2",
        "--keep-order --suppress 5% --partitioning relaxed",
    ] {
        place.ok(&format!("{BASE} -q {flags}"));
        place.ok("verify out.csv --qi age,sex -k 4");
    }
    let ran =
        place.run(&format!("{BASE} --algorithm gensearch --start whole --split infogain --target disease"));
    assert!(ran.code == Some(2) && ran.err.contains("--split is for"), "{}", ran.err);
}

#[test]
fn what_has_no_effect_on_this_table_is_named() {
    let place = place();
    place.write("sex.csv", "f;*\nm;*\n");
    for (flags, said) in [
        ("--hierarchy-cut leaves", "--hierarchy-cut has no effect: no quasi-identifier has a hierarchy"),
        ("--sample 20", "--sample has no effect: the table fits in memory"),
        ("--algorithm rtree --significance 0.1", "--significance has no effect: the table fits in memory"),
        ("--keep-order --seed 5", "--seed has no effect: rows keep their order"),
        ("--weight disease=3", "--weight has no effect: nothing is made of it in column disease"),
        (
            "--algorithm scheme --scheme sps",
            "--scheme has no effect: sps and gsps are for values without an order; column age takes ops",
        ),
    ] {
        let told = place.ok(&format!("{BASE} {flags}")).err;
        assert!(told.contains(&format!("note: {said}")), "{flags}: {told}");
        let quiet = place.ok(&format!("{BASE} {flags} -q")).err;
        assert!(!quiet.contains("has no effect"), "{quiet}");
    }
    for flags in [
        "--hierarchy sex=sex.csv --hierarchy-cut leaves",
        "--algorithm rothko-s --sample 20 --significance 0.1",
        "--seed 5 --statistics range --weight age=3",
        "--algorithm scheme --scheme sex=sps --scheme age=ops",
        "--keep-order",
    ] {
        let told = place.ok(&format!("{BASE} {flags}")).err;
        assert!(!told.contains("has no effect"), "{flags}: {told}");
    }
    let told = place.ok("anonymize in.csv --qi sex,city --other drop -k 4 -o out.csv --statistics mean").err;
    assert!(told.contains("note: --statistics has no effect: no quasi-identifier holds numbers"), "{told}");
    place.ok("anonymize in.csv --qi age,sex --other keep --accept id -k 4 -q -o in.parquet");
    let told =
        place.ok("anonymize in.parquet --qi age,sex --other drop -k 4 -o out.csv --header --delimiter ;").err;
    assert!(told.contains("--header has no effect") && told.contains("--delimiter has no effect"), "{told}");
}
