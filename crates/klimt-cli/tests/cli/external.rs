//! Tables larger than the memory that is granted.

use crate::common::{Place, people};
use serde_json::Value;
use std::time::Duration;

const COLUMNS: &str = "--qi age,sex,city,income --sensitive disease --identifier id --other keep";
/// So many rows do not fit in the least memory that can be granted.
const ROWS: usize = 200_000;

fn place() -> Place {
    let place = Place::new();
    place.write("in.csv", people(ROWS));
    std::fs::create_dir(place.path("spill")).unwrap();
    place
}

fn certificate(place: &Place, release: &str) -> Value {
    serde_json::from_str(&place.read(&format!("{release}.certificate.json"))).unwrap()
}

fn sorted(text: &str) -> Vec<&str> {
    let mut lines: Vec<&str> = text.lines().skip(1).collect();
    lines.sort_unstable();
    lines
}

/// The columns of a CSV text that are published as they are, row by row, in order.
fn kept(text: &str) -> Vec<String> {
    let field = |line: &str| line.rsplitn(3, ',').take(2).collect::<Vec<_>>().join(",");
    let mut rows: Vec<String> = text.lines().skip(1).map(field).collect();
    rows.sort_unstable();
    rows
}

#[test]
fn rothko_t_publishes_the_groups_of_mondrian() {
    let place = place();
    place.ok(&format!("anonymize in.csv {COLUMNS} -k 20 -q -o held.csv --algorithm mondrian"));
    let external = "--memory 16MB --temp-dir spill --algorithm rothko-t";
    place.ok(&format!("anonymize in.csv {COLUMNS} -k 20 -q -o disk.csv {external}"));
    let (held, disk) = (place.read("held.csv"), place.read("disk.csv"));
    assert!(sorted(&held) == sorted(&disk), "the rows of the releases differ");
    let (held, disk) = (certificate(&place, "held.csv"), certificate(&place, "disk.csv"));
    assert_eq!(held["groups"], disk["groups"]);
    assert_eq!(held["reached"], disk["reached"]);
    assert_eq!(held["sensitive"], disk["sensitive"]);
    assert_eq!((&held["run"]["algorithm"], &held["run"]["in-memory"]), (&"mondrian".into(), &true.into()));
    assert_eq!((&disk["run"]["algorithm"], &disk["run"]["in-memory"]), (&"rothko-t".into(), &false.into()));
    assert!(disk["run"]["parts"].as_u64().unwrap() > 1, "{}", disk["run"]);
    assert!(disk["run"]["bytes"]["written"].as_u64().unwrap() > 1_000_000);
    for loss in ["ncp", "dm", "c_avg", "vm", "granularity", "precision"] {
        let of = |certificate: &Value| certificate["losses"][loss].as_f64().unwrap();
        assert!((of(&held) / of(&disk) - 1.0).abs() < 1e-9, "{loss}");
    }
    assert!(disk["losses"]["hdm"].is_null() && disk["losses"]["entropy"].is_null());
    assert_eq!(disk["run"]["losses-not-told"].as_array().unwrap().first().unwrap(), "hdm");
    assert_eq!(std::fs::read_dir(place.path("spill")).unwrap().count(), 0, "spill files are gone");
}

#[test]
fn a_table_that_does_not_fit_is_sampled_by_default() {
    let place = place();
    let protected = "--l-diversity disease=2 --t-closeness disease=0.3:equal";
    place.ok(&format!(
        "anonymize in.csv {COLUMNS} -k 50 {protected} -q -o out.csv --memory 16MB --temp-dir spill"
    ));
    let found = certificate(&place, "out.csv");
    assert_eq!(found["run"]["algorithm"], "rothko-s");
    assert_eq!(found["run"]["memory"], "16MB");
    assert_eq!(found["rows"]["published"], ROWS);
    assert_eq!(kept(&place.read("out.csv")), kept(&place.read("in.csv")), "no row is lost or changed");
    place.ok(&format!("verify out.csv --qi age,sex,city,income --sensitive disease -k 50 {protected} -q"));
    // The spec says what flags can say.
    let spec = "input = \"in.csv\"\nk = 50\nother = \"keep\"\nmemory = \"16MB\"\ntemp-dir = \"spill\"\n\
                significance = 0.05\nalgorithm = \"auto\"\nl-diversity = \"2\"\nt-closeness = \"0.3:equal\"\n\
                [columns.id]\nrole = \"identifier\"\n[columns.disease]\nrole = \"sensitive\"\n\
                [columns.age]\nrole = \"quasi-identifier\"\n[columns.sex]\nrole = \"quasi-identifier\"\n\
                [columns.city]\nrole = \"quasi-identifier\"\n[columns.income]\nrole = \"quasi-identifier\"\n";
    place.write("klimt.toml", spec);
    place.ok("anonymize --spec klimt.toml -q -o again.csv");
    let again = certificate(&place, "again.csv");
    assert_eq!(again["run"]["algorithm"], "rothko-s");
    assert_eq!((&again["requirements"], &again["rows"]), (&found["requirements"], &found["rows"]));
}

#[test]
fn every_format_is_written_in_parts() {
    let place = place();
    let args =
        format!("anonymize in.csv {COLUMNS} -k 20 -q --memory 16MB --temp-dir spill --algorithm rothko-t");
    place.ok(&format!("{args} -o out.csv"));
    for name in ["out.parquet", "out.arrow"] {
        place.ok(&format!("{args} -o {name}"));
        let (text, columnar) = (certificate(&place, "out.csv"), certificate(&place, name));
        assert_eq!(text["groups"], columnar["groups"], "{name}");
        place.ok(&format!("verify {name} --qi age,sex,city,income --sensitive disease -k 20 -q"));
    }
}

#[test]
fn extents_may_be_those_of_regions() {
    let place = place();
    let args = format!("anonymize in.csv {COLUMNS} -k 20 -q --extent region");
    place.ok(&format!("{args} -o held.csv --algorithm mondrian"));
    place.ok(&format!("{args} -o disk.csv --algorithm rothko-t --memory 16MB --temp-dir spill"));
    assert!(sorted(&place.read("held.csv")) == sorted(&place.read("disk.csv")));
}

#[test]
fn a_table_that_fits_is_taken_by_rothko_too() {
    let place = Place::new();
    place.write("in.csv", people(2000));
    place.ok(&format!("anonymize in.csv {COLUMNS} -k 5 -q -o held.csv"));
    place.ok(&format!("anonymize in.csv {COLUMNS} -k 5 -q -o disk.csv --algorithm rothko-s"));
    assert_eq!(sorted(&place.read("held.csv")), sorted(&place.read("disk.csv")));
    assert_eq!(certificate(&place, "held.csv")["run"]["algorithm"], "mondrian");
    assert_eq!(certificate(&place, "disk.csv")["run"]["in-memory"], true);
}

#[test]
fn what_needs_the_table_in_memory_is_refused() {
    let place = place();
    let small = "--memory 16MB --temp-dir spill";
    for algorithm in ["mondrian", "local", "optimal"] {
        let ran =
            place.run(&format!("anonymize in.csv {COLUMNS} -k 5 -o out.csv {small} --algorithm {algorithm}"));
        assert_eq!(ran.code, Some(3), "{}", ran.err);
        assert!(ran.err.contains(algorithm) && ran.err.contains("--memory"), "{}", ran.err);
        assert!(ran.err.contains("rothko-s"), "{}", ran.err);
    }
    let ran =
        place.run(&format!("anonymize in.csv {COLUMNS} -k 5 -o out.csv {small} --keep-order --suppress 5%"));
    assert_eq!(ran.code, Some(3), "{}", ran.err);
    assert!(ran.err.contains("--keep-order") && ran.err.contains("--suppress"), "{}", ran.err);
    assert_eq!(place.files(), ["in.csv", "spill"]);
}

#[test]
fn what_rothko_cannot_do_is_told_at_once() {
    let place = Place::new();
    place.write("in.csv", people(100));
    let asked = "--keep-order --suppress 5% --effort best --partitioning relaxed --split loss:hdm";
    let ran = place.run(&format!("anonymize in.csv {COLUMNS} -k 5 -o out.csv --algorithm rothko-s {asked}"));
    assert_eq!(ran.code, Some(2), "{}", ran.err);
    assert!(ran.err.contains("5 problems"), "{}", ran.err);
    let stray = "--algorithm mondrian --sample 10 --significance 0.1 --memory 1MB";
    let ran = place.run(&format!("anonymize in.csv {COLUMNS} -k 5 -o out.csv {stray}"));
    assert_eq!(ran.code, Some(2), "{}", ran.err);
    assert!(ran.err.contains("3 problems") && ran.err.contains("--sample"), "{}", ran.err);
    for wrong in ["--memory x", "--memory 12", "--sample 0", "--significance 2"] {
        assert_eq!(place.run(&format!("anonymize in.csv {COLUMNS} -k 5 {wrong}")).code, Some(2), "{wrong}");
    }
    assert_eq!(place.files(), ["in.csv"]);
}

#[test]
fn alpha_is_never_that_of_the_tests() {
    let place = Place::new();
    place.write("in.csv", people(100));
    place.write(
        "klimt.toml",
        "input = \"in.csv\"\nother = \"drop\"\nk = 5\nalgorithm = \"rothko-s\"\nalpha = 0.9\n\
         [columns.age]\nrole = \"quasi-identifier\"\n",
    );
    let asked = "anonymize in.csv --qi age,sex --other drop -k 5";
    for line in [
        format!("{asked} --algorithm rothko-s --alpha 0.9 --sample 30 -o a.csv"),
        format!("{asked} --algorithm rothko-s --alpha 0.9 --significance 0.1 -o a.csv"),
        String::from("anonymize --spec klimt.toml -o a.csv"),
    ] {
        let ran = place.run(&line);
        assert_eq!(ran.code, Some(2), "{line}: {}", ran.err);
        assert!(ran.err.contains("--alpha protects sensitive columns"), "{}", ran.err);
        assert!(ran.err.contains("is --significance"), "{}", ran.err);
    }
    for algorithm in ["mondrian", "rothko-t", "auto"] {
        let ran = place.run(&format!("{asked} --algorithm {algorithm} --alpha 0.9 -o a.csv"));
        assert!(ran.code == Some(2) && !ran.err.contains("--significance"), "{}", ran.err);
    }
    assert_eq!(place.files(), ["in.csv", "klimt.toml"]);
    let protected = "anonymize in.csv --qi age,sex --sensitive disease --other drop -k 5 -q -o a.csv";
    place.ok(&format!("{protected} --algorithm rothko-s --alpha 0.9"));
    let told = place.read("a.csv.certificate.json");
    assert!(told.contains("(alpha,k)-anonymity of disease with alpha = 0.9"), "{told}");
}

#[test]
fn requirements_that_cannot_be_met_are_told() {
    let place = place();
    let ran = place.run(&format!(
        "anonymize in.csv {COLUMNS} -k 5 --l-diversity disease=4 -o out.csv --memory 16MB --temp-dir spill"
    ));
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    assert_eq!(place.files(), ["in.csv", "spill"]);
}

#[test]
fn a_run_on_disk_that_is_stopped_cleans_up() {
    let place = place();
    for after in [200, 700, 1300] {
        let args = format!("anonymize in.csv {COLUMNS} -k 5 -q -o out.csv --memory 16MB --temp-dir spill");
        let ran = place.interrupted(&args, Duration::from_millis(after));
        if ran.code != Some(0) {
            assert!(matches!(ran.code, Some(130) | None), "{:?} {}", ran.code, ran.err);
            assert_eq!(place.files(), ["in.csv", "spill"]);
        }
        for file in ["out.csv", "out.csv.certificate.json"] {
            let _ = std::fs::remove_file(place.path(file));
        }
        assert_eq!(std::fs::read_dir(place.path("spill")).unwrap().count(), 0);
    }
}
