//! Whatever the memory, the threads and the moment of a crash: the same groups, a release that holds, or none.

use crate::common::{Place, people};
use serde_json::Value;
use std::time::Duration;

const COLUMNS: &str = "--qi age,sex,city,income --sensitive disease --identifier id --other keep";

fn place(rows: usize) -> Place {
    let place = Place::new();
    place.write("in.csv", people(rows));
    std::fs::create_dir(place.path("spill")).unwrap();
    place
}

fn sorted(text: &str) -> Vec<&str> {
    let mut lines: Vec<&str> = text.lines().collect();
    lines.sort_unstable();
    lines
}

fn run_of(place: &Place, release: &str) -> Value {
    let text = place.read(&format!("{release}.certificate.json"));
    serde_json::from_str::<Value>(&text).unwrap()["run"].clone()
}

#[test]
fn a_sweep_of_the_budget_gives_the_same_groups_or_a_release_that_holds() {
    let place = place(300_000);
    let asked = format!("anonymize in.csv {COLUMNS} -k 25 --l-diversity disease=2 -q --temp-dir spill");
    place.ok(&format!("{asked} --algorithm mondrian -o held.csv"));
    let held = place.read("held.csv");
    let mut on_disk = 0;
    for memory in ["16MB", "20MB", "28MB", "48MB", "96MB", "256MB", "1GB", "4GB"] {
        place.ok(&format!("{asked} --algorithm rothko-t --memory {memory} -o t.csv"));
        assert!(sorted(&place.read("t.csv")) == sorted(&held), "rothko-t within {memory}");
        let run = run_of(&place, "t.csv");
        on_disk += usize::from(run["in-memory"] == false);
        assert_eq!(run["minimal"], true);
        place.ok(&format!("{asked} --algorithm rothko-s --memory {memory} -o s.csv"));
        let verify = "--qi age,sex,city,income --sensitive disease -k 25 --l-diversity disease=2 -q";
        place.ok(&format!("verify s.csv {verify}"));
        assert_eq!(place.read("s.csv").lines().count(), 300_001, "rothko-s within {memory}");
    }
    assert!(on_disk >= 3, "{on_disk} budgets were too small for the table");
}

#[test]
fn threads_do_not_matter() {
    let place = place(200_000);
    for algorithm in ["rothko-s", "rothko-t"] {
        let asked = format!("anonymize in.csv {COLUMNS} -k 20 -q --memory 16MB --temp-dir spill");
        place.ok(&format!("{asked} --algorithm {algorithm} --threads 1 -o one.csv"));
        place.ok(&format!("{asked} --algorithm {algorithm} --threads 3 -o three.csv"));
        assert!(sorted(&place.read("one.csv")) == sorted(&place.read("three.csv")), "{algorithm}");
        assert_eq!(run_of(&place, "one.csv")["in-memory"], false);
    }
}

#[test]
fn few_large_groups_need_not_fit() {
    // Two quasi-identifiers with few values: groups of many times what fits.
    let place = place(400_000);
    let asked = "anonymize in.csv --qi sex --sensitive disease --other keep --accept id -k 5 --l-diversity disease=2 -q";
    place.ok(&format!("{asked} --algorithm mondrian -o held.csv"));
    for algorithm in ["rothko-s", "rothko-t"] {
        place.ok(&format!("{asked} --memory 16MB --temp-dir spill --algorithm {algorithm} -o disk.csv"));
        assert!(sorted(&place.read("disk.csv")) == sorted(&place.read("held.csv")), "{algorithm}");
        let of = |name: &str| -> Value {
            let text = place.read(&format!("{name}.certificate.json"));
            serde_json::from_str(&text).unwrap()
        };
        let (held, disk) = (of("held.csv"), of("disk.csv"));
        assert_eq!((&held["groups"], &held["reached"]), (&disk["groups"], &disk["reached"]));
        assert_eq!(
            (&held["losses"]["dm"], &held["losses"]["ncp"]),
            (&disk["losses"]["dm"], &disk["losses"]["ncp"])
        );
        // Rows do not stand in the order of the source.
        let order = |name: &str| -> Vec<String> {
            let text = place.read(name);
            text.lines()
                .skip(1)
                .filter(|line| line.contains(",f,") || line.contains(",F,"))
                .map(String::from)
                .collect()
        };
        let (source, published) = (order("in.csv"), order("disk.csv"));
        assert!(source.is_empty() || source != published);
    }
}

#[test]
fn a_recoding_function_is_saved_without_holding_it() {
    let place = place(200_000);
    let asked = format!("anonymize in.csv {COLUMNS} -k 20 -q --extent region");
    place.ok(&format!("{asked} --algorithm mondrian -o held.csv --save-recoding held.json"));
    let external = "--algorithm rothko-t --memory 16MB --temp-dir spill";
    place.ok(&format!("{asked} {external} -o disk.csv --save-recoding disk.json"));
    assert_eq!(run_of(&place, "disk.csv")["in-memory"], false);
    place.write("other.csv", people(3_000));
    for name in ["held", "disk"] {
        place.ok(&format!(
            "apply {name}.json other.csv --other keep --identifier id -k 1 -o {name}-applied.csv -q"
        ));
    }
    assert_eq!(sorted(&place.read("held-applied.csv")), sorted(&place.read("disk-applied.csv")));
}

#[test]
fn a_run_on_disk_that_is_killed_leaves_nothing() {
    let place = place(120_000);
    let args =
        format!("anonymize in.csv {COLUMNS} -k 5 -q -o out.csv --memory 16MB --temp-dir spill --seed 1");
    let start = std::time::Instant::now();
    place.ok(&args);
    let whole = start.elapsed();
    let release = place.read("out.csv");
    assert_eq!(run_of(&place, "out.csv")["in-memory"], false);
    let (mut killed, mut orphans) = (0, 0);
    for time in 0..40u32 {
        let _ = std::fs::remove_file(place.path("out.csv"));
        let mut child = place.command(&args).spawn().unwrap();
        std::thread::sleep(
            whole.mul_f64(f64::from(time * 17 % 40) / 38.0) + Duration::from_micros(u64::from(time) * 31),
        );
        child.kill().unwrap();
        child.wait().unwrap();
        match place.exists("out.csv") {
            true => assert!(sorted(&place.read("out.csv")) == sorted(&release), "killed run {time}"),
            false => killed += 1,
        }
        // A folder may be left, and at most a file in it that had no name for long and has no bytes.
        for folder in std::fs::read_dir(place.path("spill")).unwrap() {
            orphans += 1;
            for file in std::fs::read_dir(folder.unwrap().path()).unwrap() {
                assert_eq!(file.unwrap().metadata().unwrap().len(), 0, "rows are left on disk");
            }
        }
    }
    assert!(killed > 10 && orphans > 5, "{killed} runs were killed, {orphans} folders were left");
    place.ok(&args);
    assert_eq!(std::fs::read_dir(place.path("spill")).unwrap().count(), 0, "orphans are removed");
    assert_eq!(place.files(), ["in.csv", "out.csv", "out.csv.certificate.json", "spill"]);
}

#[test]
fn a_full_disk_says_how_much_is_needed() {
    let place = place(200_000);
    let binary = env!("CARGO_BIN_EXE_klimt");
    // Every file may have so many blocks of 512 or 1024 bytes.
    for blocks in [16, 600, 3000] {
        let command = format!(
            "trap '' XFSZ; ulimit -f {blocks}; exec {binary} anonymize in.csv {COLUMNS} -k 5 -o out.csv \
             --memory 16MB --temp-dir spill"
        );
        let mut shell = std::process::Command::new("sh");
        let output = shell.args(["-c", &command]).current_dir(place.path(".")).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(3), "{said}");
        assert!(said.contains("spill") && said.contains("are needed") || said.contains("out.csv"), "{said}");
        assert_eq!(place.files(), ["in.csv", "spill"], "{blocks}");
        assert_eq!(std::fs::read_dir(place.path("spill")).unwrap().count(), 0);
    }
}

#[test]
fn a_frequency_group_that_does_not_fit_names_what_would_do() {
    // Many values of many columns: one frequency group takes more than there is.
    let place = Place::new();
    let mut text = String::from("a,b,c,d,e,f,s\n");
    let mut state = 7u64;
    for row in 0..150_000 {
        let mut number = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % 3_000_000
        };
        let cells: Vec<String> = (0..6).map(|_| number().to_string()).collect();
        text.push_str(&format!("{},{}\n", cells.join(","), row % 7));
    }
    place.write("in.csv", text);
    let asked = "anonymize in.csv --qi a,b,c,d,e,f --sensitive s --l-diversity s=3 -k 5 -q -o out.csv";
    let ran = place.run(&format!("{asked} --memory 16MB --algorithm rothko-t"));
    assert_eq!(ran.code, Some(3), "{}", ran.err);
    assert!(ran.err.contains("frequency group"), "{}", ran.err);
    let named = ran.err.split("--memory ").nth(1).unwrap().split(' ').next().unwrap().to_string();
    assert!(named.ends_with("MB"), "{named}");
    place.ok(&format!("{asked} --memory {named} --algorithm rothko-t"));
    place.ok(&format!("{asked} --memory 16MB --algorithm rothko-s"));
}
