//! A store of rows that change, as a user runs it.

use crate::common::Place;
use serde_json::Value;
use std::collections::BTreeSet;
use std::fmt::Write;
use std::process::Stdio;
use std::time::{Duration, Instant};

const CREATE: &str = "index create store --like like.csv --key id --qi age,zip,sex --sensitive illness --other keep --accept note -k 4";
const QI: &str = "--qi age,zip,sex --sensitive illness";

/// Rows of people by their keys, each with its key in a column that is published.
fn people(ids: impl IntoIterator<Item = u32>) -> String {
    let mut text = String::from("id,note,age,zip,sex,illness\n");
    for id in ids {
        let (age, zip) = (20 + id * 7 % 61, 1000 + id * 37 % 400);
        let sex = if id % 3 == 0 { "f" } else { "m" };
        let illness = ["flu", "cold", "cancer", "none"][(id * 13 / 5 % 4) as usize];
        writeln!(text, "{id},{id},{age},{zip},{sex},{illness}").unwrap();
    }
    text
}

fn place(rows: u32) -> Place {
    let place = Place::new();
    place.write("like.csv", people(1..=5)).write("in.csv", people(1..=rows));
    place.ok(CREATE);
    place.ok("index insert store in.csv -q --accept note");
    place
}

fn status(place: &Place, store: &str) -> Value {
    serde_json::from_str(&place.ok(&format!("index status {store} --json")).out).unwrap()
}

fn notes(release: &str) -> BTreeSet<u32> {
    let header: Vec<&str> = release.lines().next().unwrap().split(',').collect();
    let at = header.iter().position(|name| *name == "note").unwrap();
    let note = |line: &str| line.split(',').nth(at).unwrap().parse().unwrap();
    let notes: Vec<u32> = release.lines().skip(1).map(note).collect();
    let set: BTreeSet<u32> = notes.iter().copied().collect();
    assert_eq!(set.len(), notes.len(), "a row is published once");
    set
}

#[test]
fn one_index_gives_releases_of_several_granularities() {
    let place = place(3000);
    let told = place.ok("index release store -k 10 -o ten.csv --audience university");
    assert!(told.err.contains("release 1 of the ledger"), "{}", told.err);
    let told = place.ok("index release store -o four.parquet --by level");
    assert!(told.err.contains("everybody is hidden among 4 or more"), "{}", told.err);
    place.ok("index release store -k 25 -o - --no-certificate -q");
    place.ok(&format!("verify ten.csv {QI} -k 10"));
    place.ok(&format!("verify four.parquet {QI} -k 4"));
    let release = place.read("ten.csv");
    assert!(!release.lines().next().unwrap().contains("id,"), "the key is not published");
    assert_eq!(notes(&release), (1..=3000).collect());
    let status = status(&place, "store");
    assert_eq!((&status["rows"], &status["k"], &status["key"]), (&3000.into(), &4.into(), &"id".into()));
    assert!(status["groups"].as_u64().unwrap() > 300);
    let releases = status["releases"].as_array().unwrap();
    assert_eq!(
        (releases.len(), &releases[0]["audience"], &releases[0]["k"]),
        (3, &"university".into(), &10.into())
    );
    let hash = blake3::hash(release.as_bytes()).to_hex().to_string();
    assert_eq!(releases[0]["hash"], hash);
    let text = place.ok("index status store").out;
    assert!(text.contains("3,000 rows") && text.contains("university"), "{text}");
    // Finer than the base k is out of the question.
    let refused = place.run("index release store -k 3 -o three.csv");
    assert_eq!(refused.code, Some(2));
    assert!(refused.err.contains("base k") && !place.exists("three.csv"), "{}", refused.err);
}

#[test]
fn the_same_seed_gives_the_same_release_with_any_number_of_threads() {
    let released = |threads: u32| {
        let place = place(6000);
        place.write("more.csv", people(6001..=7000));
        place.ok(&format!("index insert store more.csv -q --accept note --threads {threads}"));
        place.ok(&format!("index release store -k 6 -o out.csv --seed 5 -q --threads {threads}"));
        place.read("out.csv")
    };
    assert!(released(1) == released(3));
}

#[test]
fn whoever_stays_behind_is_not_given_away() {
    let place = place(400);
    place.ok("index release store -o first.csv -q");
    // Of every group, some leave: those who stay are few.
    place.write("gone.csv", people((1..=400).filter(|id| id % 5 == 0)));
    place.ok("index delete store gone.csv -q");
    let refused = place.run("index release store -o second.csv");
    assert_eq!(refused.code, Some(1), "{}", refused.err);
    assert!(
        refused.err.contains("put side by side") && refused.err.contains("--hold-back"),
        "{}",
        refused.err
    );
    assert!(!place.exists("second.csv") && !place.exists("second.csv.certificate.json"));
    assert_eq!(
        status(&place, "store")["releases"].as_array().unwrap().len(),
        1,
        "a refused release is not listed"
    );
    place.ok("index release store -o second.csv --hold-back");
    let listed = &status(&place, "store")["releases"][1];
    let held = listed["held_back"].as_u64().unwrap();
    assert!(held > 0);
    assert_eq!(listed["rows"].as_u64().unwrap() + held, 400 - 80);
    // By the definition: whoever is in both is hidden among those who are in the same groups of both.
    let (first, second) = (groups(&place.read("first.csv")), groups(&place.read("second.csv")));
    for (id, group) in &second {
        if let Some((_, before)) = first.iter().find(|(other, _)| other == id) {
            let together = |group: &str, all: &[(u32, String)]| -> BTreeSet<u32> {
                all.iter().filter(|(_, other)| other == group).map(|(id, _)| *id).collect()
            };
            let both = together(group, &second).intersection(&together(before, &first)).count();
            assert!(both >= 4, "{both}");
        }
    }
    let certificate: Value = serde_json::from_str(&place.read("second.csv.certificate.json")).unwrap();
    assert_eq!(certificate["run"]["held-back"], held);
}

/// The group of every row, by its published quasi-identifiers.
fn groups(release: &str) -> Vec<(u32, String)> {
    let of = |line: &str| {
        let cells: Vec<&str> = line.split(',').collect();
        (cells[0].parse().unwrap(), cells[1..4].join(","))
    };
    release.lines().skip(1).map(of).collect()
}

#[test]
fn newcomers_join_groups_that_stay_together() {
    let place = place(1000);
    place.ok("index release store -o first.csv -q");
    for batch in 0..4u32 {
        place.write("more.csv", people(1001 + batch * 100..1101 + batch * 100));
        place.ok("index insert store more.csv -q --accept note");
        place.ok(&format!("index release store -o later{batch}.csv"));
        place.ok(&format!("verify later{batch}.csv {QI} -k 4"));
    }
    let listed = status(&place, "store")["releases"].as_array().unwrap().clone();
    assert!(listed[1..].iter().all(|one| one["smallest_intersection"].as_u64().unwrap() >= 4), "{listed:?}");
}

#[test]
fn mistakes_are_told_and_change_nothing() {
    let place = place(200);
    let cases = [
        ("index create store --like like.csv --key id --qi age -k 4 --other keep", 2, "already exists"),
        (
            "index create new --like like.csv --key nobody --qi age -k 4 --other keep",
            2,
            "unknown column nobody",
        ),
        (
            "index create new --like like.csv --key id --qi id,age -k 4 --other keep",
            2,
            "column id is the key",
        ),
        ("index create new --like like.csv --key id --qi age --other keep", 2, "base k is not given"),
        ("index create new --like like.csv --key id --qi age -k 4", 2, "have no role"),
        (
            "index create new --like like.csv --key id --qi age -k 4 --other keep --prefer agee",
            2,
            "did you mean age",
        ),
        ("index insert store in.csv --accept note", 2, "in.csv: row 1: a row with this key is in the store"),
        ("index insert store wrong.csv", 2, "unknown column zip"),
        ("index insert store typed.csv", 2, "typed.csv"),
        ("index delete store absent.csv", 2, "row 2: no row with this key"),
        ("index insert nothing in.csv", 2, "this is not a store"),
        ("index release store -k 300 -o out.csv", 1, "200 rows cannot be released in groups of 300"),
    ];
    place.write("wrong.csv", "id,note,age,sex,illness\n900,900,30,m,flu\n");
    place.write("typed.csv", "id,note,age,zip,sex,illness\n900,900,thirty,1000,m,flu\n");
    place.write("absent.csv", "id\n7\n901\n");
    for (args, code, what) in cases {
        let ran = place.run(args);
        assert_eq!(ran.code, Some(code), "klimt {args}: {}", ran.err);
        assert!(ran.err.contains(what), "klimt {args}: {}", ran.err);
        assert!(
            !ran.err.contains("thirty") && !ran.err.contains("901"),
            "values stay out of messages: {}",
            ran.err
        );
    }
    assert_eq!((status(&place, "store")["rows"].as_u64(), place.exists("new")), (Some(200), false));
}

#[test]
fn keys_are_nowhere_in_the_store() {
    let place = Place::new();
    let key = |id: u32| format!("patient-{id}-Klimt");
    let rows = |ids: std::ops::Range<u32>| {
        ids.fold(String::from("id,age\n"), |text, id| text + &format!("{},{}\n", key(id), 20 + id % 50))
    };
    place.write("in.csv", rows(0..500)).write("gone.csv", rows(100..200));
    place.ok("index create store --like in.csv --key id --qi age -k 3");
    place.ok("index insert store in.csv -q --accept note");
    place.ok("index delete store gone.csv -q");
    for file in ["store/index.redb", "store/secret"] {
        let bytes = std::fs::read(place.path(file)).unwrap();
        assert!(!bytes.windows(8).any(|window| window == b"patient-"), "{file}");
    }
}

#[test]
fn batches_come_as_parquet_and_from_standard_input() {
    let place = place(300);
    place.write("more.csv", people(301..=600));
    place.ok("anonymize more.csv --qi age --insensitive id,note,zip,sex,illness --accept id,note -k 1 -o more.parquet -q");
    let release = place.read("more.csv");
    place.ok("index insert store more.parquet -q --accept note");
    let mut child = place.command("index update store - -q").stdin(Stdio::piped()).spawn().unwrap();
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), release.as_bytes()).unwrap();
    assert!(child.wait().unwrap().success());
    place.ok("index release store -o out.csv -q");
    assert_eq!(notes(&place.read("out.csv")), (1..=600).collect());
}

#[test]
fn a_second_writer_is_refused() {
    let place = place(200);
    place.write("more.csv", people(201..=300));
    // A writer that waits for its rows holds the store.
    let mut first =
        place.command("index insert store - -q --accept note").stdin(Stdio::piped()).spawn().unwrap();
    std::thread::sleep(Duration::from_secs(1));
    let refused = place.run("index release store -o out.csv");
    assert_eq!(refused.code, Some(3), "{}", refused.err);
    assert!(refused.err.contains("another process is using the store"), "{}", refused.err);
    std::io::Write::write_all(&mut first.stdin.take().unwrap(), place.read("more.csv").as_bytes()).unwrap();
    assert!(first.wait().unwrap().success());
    assert_eq!(status(&place, "store")["rows"], 300);
}

fn copy_store(place: &Place, to: &str) {
    let _ = std::fs::remove_dir_all(place.path(to));
    std::fs::create_dir(place.path(to)).unwrap();
    for file in ["index.redb", "secret"] {
        std::fs::copy(place.path("store").join(file), place.path(to).join(file)).unwrap();
    }
}

/// Kills a run at a moment of its life; returns whether it had ended by then.
fn killed(place: &Place, args: &str, whole: Duration, moment: f64) {
    let mut child = place.command(args).stderr(Stdio::null()).spawn().unwrap();
    std::thread::sleep(whole.mul_f64(moment));
    child.kill().unwrap();
    child.wait().unwrap();
}

/// Whatever a process was doing when it was killed, the store opens, holds the batches that were committed and no part of
/// another, and can be released.
#[test]
fn a_store_survives_two_hundred_kills() {
    let place = place(4000);
    let mut inside: BTreeSet<u32> = (1..=4000).collect();
    let (mut next, mut done, mut lost) = (4001, 0, 0);
    // How long each takes, on a copy.
    place.write("add.csv", people(9_000_001..=9_000_300)).write("drop.csv", people(1..=200));
    copy_store(&place, "copy");
    let time = |args: &str| {
        let start = Instant::now();
        place.ok(args);
        start.elapsed()
    };
    let mut times = [
        time("index insert copy add.csv -q --accept note"),
        time("index delete copy drop.csv -q"),
        time("index compact copy -q"),
        time("index release copy -o copy.csv -q --hold-back"),
    ];
    for kill in 0..200usize {
        let moment = (kill * 37 % 200) as f64 / 180.0;
        // Releases come last: what they promise limits what can be looked at.
        let kind = if kill < 150 { kill % 3 } else { 3 };
        let before = status(&place, "store");
        let added: BTreeSet<u32> = (next..next + 300).collect();
        let dropped: BTreeSet<u32> =
            inside.iter().copied().skip(kill * 13 % 900).step_by(17).take(200).collect();
        match kind {
            0 => place.write("add.csv", people(added.iter().copied())),
            _ => place.write("drop.csv", people(dropped.iter().copied())),
        };
        let _ = std::fs::remove_file(place.path("out.csv"));
        let args = [
            "index insert store add.csv -q --accept note",
            "index delete store drop.csv -q",
            "index compact store -q",
            "index release store -o out.csv -q --hold-back",
        ][kind];
        killed(&place, args, times[kind], moment);
        let after = status(&place, "store");
        let changed = after["version"] != before["version"];
        match kind {
            0 if changed => inside.extend(&added),
            1 if changed => inside.retain(|id| !dropped.contains(id)),
            _ => {}
        }
        next += if kind == 0 && changed { 300 } else { 0 };
        assert_eq!(after["rows"], inside.len(), "kill {kill}");
        let (listed, was) =
            (after["releases"].as_array().unwrap().len(), before["releases"].as_array().unwrap().len());
        if kind == 3 {
            assert!(!place.exists("out.csv") || listed == was + 1, "what is published is in the ledger");
        }
        let happened = changed || listed > was;
        (done, lost) = (done + usize::from(happened), lost + usize::from(!happened));
        // The machine may be busier or less so than when times were taken: kills keep to the end of a run's life.
        times[kind] = times[kind].mul_f64(if happened { 0.95 } else { 1.05 });
        if kill < 150 && kill % 5 == 0 {
            copy_store(&place, "copy");
            place.ok("index release copy -o copy.csv -q");
            place.ok(&format!("verify copy.csv {QI} -k 4 -q"));
            assert_eq!(notes(&place.read("copy.csv")), inside, "kill {kill}");
        }
    }
    assert!(done > 20 && lost > 20, "{done} were done, {lost} were not");
    place.ok("index release store -o out.csv -q --hold-back");
    place.ok(&format!("verify out.csv {QI} -k 4 -q"));
    let files: Vec<String> = place.files().into_iter().filter(|name| name.starts_with('.')).collect();
    assert!(files.is_empty(), "{files:?}");
}

#[test]
fn a_page_that_changed_on_the_disk_is_never_released() {
    let place = place(2000);
    let file = place.path("store").join("index.redb");
    let bytes = std::fs::read(&file).unwrap();
    let mut told = 0;
    for at in (4096..bytes.len()).step_by(bytes.len() / 40) {
        let mut damaged = bytes.clone();
        damaged[at..at + 16].iter_mut().for_each(|byte| *byte ^= 0x5a);
        std::fs::write(&file, &damaged).unwrap();
        let ran = place.run("index release store -o out.csv -q");
        match ran.code {
            Some(0) => {
                assert_eq!(notes(&place.read("out.csv")), (1..=2000).collect(), "a part that is not used")
            }
            code => {
                assert_eq!(code, Some(2), "{}", ran.err);
                assert!(ran.err.contains("the store is damaged"), "{}", ran.err);
                assert!(!place.exists("out.csv"));
                told += 1;
            }
        }
        for name in ["out.csv", "out.csv.certificate.json"] {
            let _ = std::fs::remove_file(place.path(name));
        }
    }
    assert!(told > 5, "{told}");
}

/// Rows with random-looking values that go by the key and a number.
fn others(ids: impl IntoIterator<Item = u32>, life: u32) -> String {
    let mut text = String::from("id,note,age,zip,sex,illness\n");
    for id in ids {
        let mixed =
            |salt: u32| (id ^ (life * 7919)).wrapping_mul(2_654_435_761).wrapping_add(salt * 40_503) >> 7;
        let illness = ["flu", "cold", "cancer", "none", "gout", "ulcer"][(mixed(4) / 3 % 6) as usize];
        let sex = if mixed(3) % 2 == 0 { "f" } else { "m" };
        writeln!(text, "{id},{id},{},{},{sex},{illness}", 20 + mixed(1) % 61, 1000 + mixed(2) % 400).unwrap();
    }
    text
}

fn strict(place: &Place, newer: &str, older: &str, requirements: &str) {
    place.ok(&format!("verify {newer} --against {older} --key note {QI} {requirements} --strict -q"));
}

/// Whoever is deleted and inserted again is who they were.
#[test]
fn who_comes_back_is_known() {
    let place = Place::new();
    place.write("in.csv", others(1..=3000, 0));
    place.ok(
        "index create store --like in.csv --key id --qi age,zip,sex --sensitive illness --other keep --accept note -k 5",
    );
    place.ok("index insert store in.csv -q --accept note");
    place.ok("index release store -k 10 -o first.csv -q");
    let back = || (1..=3000).filter(|id| id % 30 == 7);
    place.write("gone.csv", others(back(), 0)).write("back.csv", others(back(), 1));
    place.ok("index delete store gone.csv -q");
    assert_eq!(status(&place, "store")["departed"], 100);
    place.ok("index compact store -q");
    place.ok("index insert store back.csv -q --accept note");
    assert_eq!(status(&place, "store")["departed"], 0);
    let told = place.ok("index release store -k 10 -o second.csv");
    assert!(told.err.contains("everybody is hidden among"), "{}", told.err);
    assert!(status(&place, "store")["releases"][1]["smallest_intersection"].as_u64().unwrap() >= 5);
    assert_eq!(notes(&place.read("second.csv")).len(), 3000, "nobody is held back");
    strict(&place, "second.csv", "first.csv", "-k 5");
}

/// The sensitive values of newcomers do not follow from the second release minus the first.
#[test]
fn newcomers_are_hidden_among_newcomers() {
    let place = Place::new();
    place.write("in.csv", others(1..=3000, 0)).write("more.csv", others(3001..=3030, 0));
    place.write("few.csv", others(3031..=3034, 0));
    place.ok(
        "index create store --like in.csv --key id --qi age,zip,sex --sensitive illness --other keep --accept note -k 10 \
         --l-diversity distinct:4",
    );
    place.ok("index insert store in.csv -q --accept note");
    place.ok("index release store -k 20 -o first.csv -q");
    place.ok("index insert store more.csv -q --accept note");
    place.ok("index release store -k 20 -o second.csv -q");
    assert_eq!(notes(&place.read("second.csv")).len(), 3030);
    strict(&place, "second.csv", "first.csv", "-k 10 --l-diversity distinct:4");
    // Four are too few: they wait, or they are told, as the certificate says.
    place.ok("index insert store few.csv -q --accept note");
    let refused = place.run("index release store -k 20 -o third.csv");
    assert_eq!(refused.code, Some(1), "{}", refused.err);
    for part in ["4 because", "has joined since", "--hold-back", "--allow-differences"] {
        assert!(refused.err.contains(part), "{part}: {}", refused.err);
    }
    let told = place.ok("index release store -k 20 -o third.csv --hold-back");
    assert!(told.err.contains("4 of them newcomers who wait"), "{}", told.err);
    assert!(place.ok("index status store").out.contains("4 rows wait"));
    place.ok("index release store -k 20 -o fourth.csv --allow-differences -q");
    assert_eq!(notes(&place.read("fourth.csv")).len(), 3034);
    let allowed = |name: &str| -> Value {
        let text = place.read(&format!("{name}.certificate.json"));
        serde_json::from_str::<Value>(&text).unwrap()["spec"]["settings"]["allow-differences"].clone()
    };
    assert_eq!((allowed("third.csv"), allowed("fourth.csv")), (false.into(), true.into()));
    let listed = status(&place, "store")["releases"].as_array().unwrap().clone();
    let told: Vec<bool> = listed.iter().map(|one| one["differences_allowed"].as_bool().unwrap()).collect();
    assert_eq!(told, [false, false, false, true]);
}

/// One who leaves is hidden by others who are held back, in every earlier release.
#[test]
fn who_leaves_is_hidden() {
    let place = Place::new();
    place.write("in.csv", others(1..=1000, 0)).write("gone.csv", others([17, 400], 0));
    place.ok(
        "index create store --like in.csv --key id --qi age,zip,sex --sensitive illness --other keep --accept note -k 4",
    );
    place.ok("index insert store in.csv -q --accept note");
    place.ok("index release store -k 8 -o first.csv -q");
    place.ok("index release store -k 4 -o second.csv -q");
    place.ok("index delete store gone.csv -q");
    let refused = place.run("index release store -k 8 -o third.csv");
    assert_eq!(refused.code, Some(1), "{}", refused.err);
    assert!(refused.err.contains("hide somebody who has left"), "{}", refused.err);
    place.ok("index release store -k 8 -o third.csv --hold-back -q");
    let left = notes(&place.read("third.csv")).len();
    assert!((970..=992).contains(&left), "{left}");
    strict(&place, "third.csv", "second.csv", "-k 4");
    strict(&place, "third.csv", "first.csv", "-k 4");
    strict(&place, "third.csv", "second.csv first.csv", "-k 4");
}

#[test]
fn a_store_that_others_may_write_to_is_refused() {
    use std::os::unix::fs::PermissionsExt;
    let place = place(100);
    let store = place.path("store");
    for (path, mode, fine) in [(store.clone(), 0o730, 0o700), (store.join("index.redb"), 0o602, 0o600)] {
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
        let refused = place.run("index status store");
        assert_eq!(refused.code, Some(2), "{}", refused.err);
        assert!(
            refused.err.contains("may write to it") && refused.err.contains("chmod go-w"),
            "{}",
            refused.err
        );
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(fine)).unwrap();
        place.ok("index status store");
    }
}
