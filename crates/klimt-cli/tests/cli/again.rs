//! The command in a report makes the same release again, whatever the settings.

use crate::common::Place;
use klimt::options::{Effect, OPTIONS};
use klimt_core::Choice;
use klimt_core::registry::{AlgorithmKind, PARTITIONERS};
use std::path::Path;
use std::process::Command;

struct Lot(u64);

impl Lot {
    fn next(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((self.0 >> 33) as usize) % bound
    }

    fn chance(&mut self, percent: usize) -> bool {
        self.next(100) < percent
    }

    fn one<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.next(of.len())]
    }
}

/// Names that a flag and a shell must quote.
const AGE: &str = "age, years";
const CITY: &str = "it's \"city\"";
const JOB: &str = "job = role";
const SIZE: &str = "size";
const BORN: &str = "born $HOME";

const HEADER: &str = "\"age, years\",\"it's \"\"city\"\"\",job = role,size,born $HOME,disease,score,id\n";

fn table(lot: &mut Lot, rows: usize) -> String {
    let mut text = String::from(HEADER);
    for id in 0..rows {
        let age = if lot.chance(6) { String::from("?") } else { (20 + lot.next(40)).to_string() };
        let city = lot.one(&["Bern", "Zug", "O'Fallon", "Ulm"]);
        let job = lot.one(&["nurse", "doctor", "surgeon", "midwife", "teacher", "clerk", "baker"]);
        let size = lot.one(&["small", "medium", "large"]);
        let born = format!("{:02}.{:02}.19{}", 1 + lot.next(28), 1 + lot.next(12), 50 + lot.next(40));
        let (disease, score) = (lot.one(&["flu", "gout", "asthma"]), lot.next(9));
        text.push_str(&format!("{age},{city},{job},{size},{born},{disease},{score},{id}\n"));
    }
    text
}

fn place(lot: &mut Lot) -> Place {
    let place = Place::new();
    let rows = 24 + lot.next(30);
    place.write("in put.csv", table(lot, rows));
    place.write(
        "job's.csv",
        "nurse;health;any\ndoctor;health;any\nsurgeon;health;any\nmidwife;health;any\nteacher;public;any\nclerk;public;any\n\
         baker;trade;any\npilot;air;any\n",
    );
    place.write("si ze.txt", "tiny\nsmall\nmedium\nlarge\nhuge\n");
    place.write("cities.txt", "Bern\nChur\nO'Fallon\nUlm\nZug\n");
    place.write("queries.sql", "SELECT COUNT(*) WHERE size = 'small';\n");
    place
}

/// Options that do not change what is published, or that every case has by itself.
const APART: &[&str] = &[
    "output",
    "spec",
    "qi",
    "sensitive",
    "identifier",
    "person",
    "insensitive",
    "target",
    "other",
    "order",
    "hierarchy",
    "missing",
    "type",
    "column",
    "algorithm",
    "trace",
    "temp-dir",
    "save-recoding",
    "save-people",
    "certificate",
    "no-certificate",
    "json",
    "threads",
    "quiet",
    "seed",
    "delimiter",
    "encoding",
    "sheet",
    "member",
    "decimal",
    "date-form",
    "no-header",
    "header",
];

/// A value of an option; `None` where it is not for these columns.
fn value(flag: &str, columns: &[&str], lot: &mut Lot) -> Option<Vec<String>> {
    let has = |name: &str| columns.contains(&name);
    let quoted = |name: &str| klimt_core::names::quoted(name);
    let any = columns[lot.next(columns.len())];
    let said = match flag {
        "domain" if has(AGE) && lot.chance(50) => format!("{}=0..120", quoted(AGE)),
        "domain" if has(BORN) => format!("{BORN}=01.01.1900..31.12.2030"),
        "domain" if has(CITY) => format!("{}=cities.txt", quoted(CITY)),
        "domain" => return None,
        "weight" => format!("{}={}", quoted(any), lot.one(&["0.5", "3"])),
        "accept" => quoted(any),
        "split" => lot
            .one(&["median", "box", "box:area", "infogain", "regression", "loss:ncp", "loss:dm"])
            .to_string(),
        "workload" if has(SIZE) => String::from("queries.sql"),
        "workload" => return None,
        "partitioning" => lot.one(&["strict", "relaxed"]).to_string(),
        "hierarchy-cut" if !has(JOB) => return None,
        "hierarchy-cut" => lot.one(&["nodes", "leaves", "both"]).to_string(),
        "suppress" => lot.one(&["5%", "20%", "0.1"]).to_string(),
        "loss" => lot.one(&["ncp", "dm", "vm", "hdm", "cm"]).to_string(),
        "effort" if columns.len() > 2 => lot.one(&["fast", "balanced"]).to_string(),
        "effort" => lot.one(&["fast", "balanced", "best"]).to_string(),
        "time-limit" => String::from("40s"),
        "gap" => lot.one(&["1.2", "2", "1"]).to_string(),
        "splits" => lot.one(&["equal-width:3", "equal-count:3", "at-most:4"]).to_string(),
        "split-at" if has(CITY) => format!("{}=O'Fallon", quoted(CITY)),
        "split-at" if has(AGE) => format!("{}=30,45", quoted(AGE)),
        "split-at" => return None,
        "as-published" => return Some(vec![String::from("--as-published")]),
        "priority" => lot.one(&["bound", "cost", "ratio"]).to_string(),
        "queue" => lot.one(&["5", "200"]).to_string(),
        "lookahead" => lot.one(&["0", "50"]).to_string(),
        "start" => lot.one(&["whole", "mondrian", "optimal"]).to_string(),
        "scheme" if any == JOB => format!("{}={}", quoted(JOB), lot.one(&["bhs", "ghs", "gsps", "sps"])),
        "scheme" if any == CITY => format!("{}=sps", quoted(CITY)),
        "scheme" => format!("{}={}", quoted(any), lot.one(&["ops", "sps"])),
        "levels" if has(JOB) => format!("{}={}", quoted(JOB), lot.one(&["1..", "0..1", "..2"])),
        "levels" => return None,
        "direction" => lot.one(&["bottom-up", "top-down", "auto"]).to_string(),
        "without" => lot.one(&["fold", "bounds,seeding", "useful"]).to_string(),
        "base-k" => String::from("2"),
        "by" => lot.one(&["leaf-scan", "level"]).to_string(),
        "leaf-capacity" => lot.one(&["2", "4"]).to_string(),
        "prefer" => quoted(any),
        "memory" => String::from("64MB"),
        "significance" => lot.one(&["0.01", "0.4"]).to_string(),
        "sample" => lot.one(&["8", "20"]).to_string(),
        "extent" => lot.one(&["region", "compact"]).to_string(),
        "statistics" => lot.one(&["range", "mean", "range,mean"]).to_string(),
        "keep-order" => return Some(vec![String::from("--keep-order")]),
        other => panic!("say what values --{other} takes, or that it changes nothing"),
    };
    Some(vec![format!("--{flag}"), said])
}

/// Random quasi-identifiers, an algorithm, and options that it may take; `named` are those that a certificate does not hold:
/// files, and texts that may be cells.
struct Case {
    named: Vec<String>,
    columns: Vec<String>,
    method: Vec<String>,
    spec: Option<String>,
}

fn case(lot: &mut Lot) -> Case {
    let algorithm = PARTITIONERS[lot.next(PARTITIONERS.len())];
    let mut columns: Vec<&str> = vec![AGE, CITY, JOB, SIZE, BORN];
    // A search that its time limit ends may find something else the next time.
    let searches =
        matches!(algorithm, AlgorithmKind::GenSearch | AlgorithmKind::Optimal | AlgorithmKind::Scheme);
    while columns.len() > 2 && (searches || lot.chance(70)) {
        columns.remove(lot.next(columns.len()));
    }
    for at in (1..columns.len()).rev() {
        columns.swap(at, lot.next(at + 1));
    }
    let words = |flag: &str, value: String| vec![format!("--{flag}"), value];
    let listed: Vec<String> = columns.iter().map(|name| klimt_core::names::quoted(name)).collect();
    let mut said = words("qi", listed.join(","));
    let mut named = Vec::new();
    let as_spec = lot.chance(25);
    if columns.contains(&JOB) {
        named.extend(words("hierarchy", format!("{}=job's.csv", klimt_core::names::quoted(JOB))));
    }
    if columns.contains(&SIZE) {
        named.extend(words("order", String::from("size=si ze.txt")));
    }
    if columns.contains(&BORN) {
        said.extend(words("type", format!("{BORN}=date:%d.%m.%Y")));
    }
    if columns.contains(&AGE) {
        named.extend(words("missing", String::from("?")));
    }
    said.extend(["--sensitive", "disease", "--target", "score", "--other", "drop"].map(String::from));
    if lot.chance(30) {
        said.extend(words("l-diversity", String::from("disease=distinct:2")));
    }
    said.extend(words("k", lot.one(&["2", "3", "5"]).to_string()));
    let mut method = Vec::new();
    if algorithm != AlgorithmKind::Mondrian || lot.chance(50) {
        method.extend(words("algorithm", algorithm.name().to_string()));
    }
    for option in OPTIONS.iter().filter(|option| option.value.is_none() && !APART.contains(&option.flag)) {
        let taken =
            matches!(option.effect(algorithm), Effect::Always | Effect::Beside(_) | Effect::Unless(_));
        if !taken || !lot.chance(22) {
            continue;
        }
        let Some(words) = value(option.flag, &columns, lot) else { continue };
        if ["workload", "split-at"].contains(&option.flag)
            || words[1..].iter().any(|word| word.ends_with("cities.txt"))
        {
            named.extend(words);
        } else {
            method.extend(words);
        }
    }
    if algorithm == AlgorithmKind::GenSearch && !method.iter().any(|word| word == "--splits") {
        method.extend(words("splits", String::from("at-most:6")));
    }
    // A spec that says something else than the flags, which win.
    let spec = as_spec.then(|| String::from("keep-order = false\nsuppress = \"30%\"\nextent = \"region\"\n"));
    if spec.is_some() {
        method.extend(["--suppress", "none", "--extent", "compact"].map(String::from));
    }
    Case { named, columns: said, method, spec }
}

fn unescaped(text: &str) -> String {
    let pairs = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&")];
    pairs.iter().fold(text.to_string(), |text, (from, to)| text.replace(from, to))
}

/// The command in a page.
fn command(page: &str) -> String {
    let start = page.find("klimt anonymize").expect("the page names the command");
    let end = start + page[start..].find("</").expect("the command ends");
    unescaped(&page[start..end])
}

fn sorted(text: &str) -> Vec<&str> {
    let mut lines: Vec<&str> = text.lines().collect();
    lines.sort_unstable();
    lines
}

/// Makes a release, a page about it, and the release again by the command of the page; nothing where the settings do not
/// go together or cannot be met.
fn tried(seed: u64) -> Option<()> {
    let mut lot = Lot(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15));
    lot.next(2);
    let place = place(&mut lot);
    let case = case(&mut lot);
    if let Some(spec) = &case.spec {
        place.write("my spec.toml", spec);
    }
    let spec: &[&str] = if case.spec.is_some() { &["--spec", "my spec.toml"] } else { &[] };
    let run =
        |words: &[&[&str]]| crate::common::ran(&place.command("").args(words.concat()).output().unwrap());
    let of = |words: &'_ [String]| -> Vec<String> { words.to_vec() };
    let (named, columns, method) = (of(&case.named), of(&case.columns), of(&case.method));
    let text = |words: &[String]| words.join(" ");
    let what = format!("seed {seed}: {} {} {}", text(&columns), text(&named), text(&method));
    fn strs(words: &[String]) -> Vec<&str> {
        words.iter().map(String::as_str).collect()
    }
    let made = run(&[
        &["anonymize", "in put.csv", "-q", "-o", "out put.csv"],
        spec,
        &strs(&columns),
        &strs(&named),
        &strs(&method),
    ]);
    if std::env::var_os("KLIMT_CASES").is_some() {
        println!("{what}");
    }
    assert!(matches!(made.code, Some(0..=2)), "{what}: {:?} {}", made.code, made.err);
    if made.code != Some(0) {
        return None;
    }
    let told = run(&[&["report", "in put.csv", "out put.csv", "-q", "-o", "page.html"], spec, &strs(&named)]);
    assert_eq!(told.code, Some(0), "{what}: {}", told.err);
    let command = command(&place.read("page.html"));
    let first = place.read("out put.csv");
    std::fs::remove_file(place.path("out put.csv")).unwrap();
    let binary = Path::new(env!("CARGO_BIN_EXE_klimt")).parent().unwrap();
    let path = format!("{}:{}", binary.display(), std::env::var("PATH").unwrap_or_default());
    let shell =
        Command::new("sh").arg("-c").arg(&command).current_dir(place.path("")).env("PATH", path).output();
    let shell = crate::common::ran(&shell.unwrap());
    assert_eq!(shell.code, Some(0), "{what}:\n{command}\n{}", shell.err);
    let second = place.read("out put.csv");
    let kept = method.iter().any(|word| word == "--keep-order");
    let same = if kept { first == second } else { sorted(&first) == sorted(&second) };
    assert!(same, "{what}:\n{command}\n{first}\n{second}");
    Some(())
}

#[test]
fn the_command_in_a_report_makes_the_same_release() {
    let many = std::env::var("KLIMT_CASES").ok().and_then(|text| text.parse().ok()).unwrap_or(50);
    let mut seed = std::env::var("KLIMT_SEED").ok().and_then(|text| text.parse().ok()).unwrap_or(1);
    let (mut made, mut drawn) = (0, 0);
    while made < many {
        let started = std::time::Instant::now();
        made += usize::from(tried(seed).is_some());
        if std::env::var_os("KLIMT_CASES").is_some() && started.elapsed().as_secs() >= 4 {
            println!("seed {seed} took {:.1} s", started.elapsed().as_secs_f64());
        }
        (seed, drawn) = (seed + 1, drawn + 1);
        assert!(drawn < 20 * many, "only {made} of {drawn} random settings go together");
    }
    println!("{made} releases of {drawn} random settings");
}
