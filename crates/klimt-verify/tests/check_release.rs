//! The independent checker `check_release.py` gives the same answers.
//!
//! It is looked for in the folder that `KLIMT_CHECK` names, or in `../shared/check` beside the workspace; the data
//! in `KLIMT_DATA` or `../shared/data`. Where they are not, the tests say that they were skipped.

use klimt_io::csv::{Dialect, records};
use klimt_verify::csv::{Layout, scan};
use klimt_verify::{Findings, Question, Tally};
use proptest::{
    collection::vec,
    prelude::*,
    sample::select,
    strategy::ValueTree,
    test_runner::{Config, RngAlgorithm, TestRng, TestRunner},
};
use serde_json::Value;
use std::{
    path::{Path, PathBuf},
    process::Command,
};

const NAMES: [&str; 5] = ["id", "age", "city, part", "zip", "disease"];

/// A file or folder under a folder that a variable names or that lies beside the workspace.
fn beside(variable: &str, folder: &str, name: &str) -> Option<PathBuf> {
    let default = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared").join(folder);
    let folder = std::env::var_os(variable).map_or_else(default, PathBuf::from);
    let found = folder.join(name);
    if !found.exists() {
        eprintln!("skipped: there is no {} (set {variable} to its folder)", found.display());
    }
    found.exists().then_some(found)
}

/// The output of the checker for a release.
fn checker(script: &Path, original: &Path, release: &Path, delimiter: &str, options: &[&str]) -> Value {
    let mut command = Command::new("python3");
    command.arg(script).args([original, release]).args([
        "--delimiter-in",
        delimiter,
        "--delimiter-out",
        delimiter,
    ]);
    let output = command.args(options).output().expect("python3 runs");
    let errors = String::from_utf8_lossy(&output.stderr);
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {errors}"))
}

fn assert_same(found: &Findings, said: &Value) {
    let whole = |name: &str| said[name].as_u64().unwrap_or_else(|| panic!("{name}: {said}"));
    assert_eq!(found.rows, whole("rows_release"));
    assert_eq!(found.suppressed, whole("rows_suppressed"));
    assert_eq!(found.groups, whole("groups"));
    assert_eq!(found.smallest_group, whole("smallest_group"));
    assert_eq!(found.dm, u128::from(whole("dm")));
    assert_eq!(found.c_avg, said["c_avg"].as_f64());
    assert_eq!(found.sensitive[0].least_distinct, whole("distinct_l"));
}

/// A table as text, with a header; every value in quotes where it must be or `quoted` asks for it.
fn text(rows: &[Vec<&str>], delimiter: char, quoted: bool, end: &str) -> String {
    let spell = |value: &&str| {
        let must = value.contains([delimiter, '"', '\n', '\r']);
        if must || quoted { format!("\"{}\"", value.replace('"', "\"\"")) } else { value.to_string() }
    };
    let line = |row: &[&str]| row.iter().map(spell).collect::<Vec<_>>().join(&delimiter.to_string()) + end;
    line(&NAMES) + &rows.iter().map(|row| line(row)).collect::<String>()
}

type Table = Vec<Vec<&'static str>>;

/// An original with more than one value in every column, and a release with no more rows.
fn tables() -> impl Strategy<Value = (Table, Table)> {
    let published = select(vec!["*", "", "[1..2]", "a", "é", "b\nc", "say \"hi\"", "x, y", "(2..3]"]);
    let diseases = select(vec!["flu", "gout", "", "\r\n"]);
    let row = (0..9usize, vec(published, 3), diseases).prop_map(|(stars, mut values, disease)| {
        if stars > 6 {
            values = vec!["*"; 3];
        }
        // Few different tuples, so that groups have several rows.
        vec!["1", values[0], if stars % 2 == 0 { values[0] } else { "*" }, values[0], disease]
    });
    (vec(row, 1..60), 0..4usize).prop_map(|(release, lacking)| {
        let mut original = vec![vec!["1"; 5], vec!["2"; 5]];
        original.resize(release.len() + 2 + lacking, vec!["3"; 5]);
        (original, release)
    })
}

#[test]
fn random_releases_are_found_the_same() {
    let Some(script) = beside("KLIMT_CHECK", "check", "check_release.py") else { return };
    let folder = tempfile::tempdir().unwrap();
    let (original, release) = (folder.path().join("original.csv"), folder.path().join("release.csv"));
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[7; 32]);
    let mut runner = TestRunner::new_with_rng(Config::default(), rng);
    let mut suppressed = 0;
    for round in 0..12 {
        let (before, mut after) = tables().new_tree(&mut runner).unwrap().current();
        if round == 0 {
            after.iter_mut().for_each(|row| row[1..4].fill("*"));
        }
        let (delimiter, end) = ([',', ';', '\t'][round % 3], ["\n", "\r\n"][round % 2]);
        std::fs::write(&original, text(&before, delimiter, true, "\n")).unwrap();
        std::fs::write(&release, text(&after, delimiter, round % 4 == 0, end)).unwrap();

        let dialect = Dialect { delimiter: delimiter as u8, header: true };
        let stars = round % 4 != 1;
        let tally = read(&release, dialect, &["age", "zip"], &["disease"]).with_suppressed_stars(stars);
        let question = Question { k: Some(3), original_rows: Some(before.len() as u64) };
        let found = Findings::new(&tally, &question).unwrap();
        suppressed += found.suppressed - (before.len() - after.len()) as u64;
        let options = ["--qi", "age,zip", "--sensitive", "disease", "--k", "3", "--stars-are-suppressed"];
        let options = &options[..options.len() - usize::from(!stars)];
        assert_same(&found, &checker(&script, &original, &release, &delimiter.to_string(), options));
    }
    assert!(suppressed > 0, "some releases have suppressed rows");
}

/// Counts a whole file from its bytes.
fn read(path: &Path, dialect: Dialect, quasi_identifiers: &[&str], sensitive: &[&str]) -> Tally {
    let bytes = std::fs::read(path).unwrap();
    let header_end = bytes.iter().position(|&byte| byte == b'\n').unwrap() + 1;
    let header = records(&bytes[..header_end], dialect.delimiter).unwrap().remove(0);
    let place = |name: &&str| header.iter().position(|field| field == name.as_bytes()).unwrap();
    let layout = Layout::new(header.len(), quasi_identifiers.iter().map(place).collect(), dialect).unwrap();
    let layout = layout.with_sensitive(sensitive.iter().map(place).collect()).unwrap();
    let mut tally = Tally::new(quasi_identifiers, sensitive);
    scan(&layout, &bytes[header_end..], &mut tally).unwrap();
    tally
}

#[test]
fn a_real_table_is_found_the_same() {
    let script = beside("KLIMT_CHECK", "check", "check_release.py");
    let (Some(script), Some(adult)) = (script, beside("KLIMT_DATA", "data/adult", "adult.csv")) else {
        return;
    };
    let dialect = Dialect { delimiter: b';', header: true };
    let columns = ["sex", "age", "race", "native-country"];
    let tally = read(&adult, dialect, &columns, &["occupation"]);
    let found = Findings::new(&tally, &Question { k: Some(2), original_rows: None }).unwrap();
    let qi = columns.join(",");
    let said = checker(&script, &adult, &adult, ";", &["--qi", &qi, "--sensitive", "occupation", "--k", "2"]);
    assert_same(&found, &said);
    assert_eq!(found.rows, 30_162);
}
