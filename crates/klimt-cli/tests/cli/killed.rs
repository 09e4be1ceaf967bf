//! A run that is killed at any moment leaves the old output, or none, and never a partial one.

use crate::common::{Place, people};
use std::time::Duration;

#[test]
fn a_killed_run_leaves_no_partial_output() {
    let place = Place::new();
    place.write("in.csv", people(40_000));
    let args =
        "anonymize in.csv --qi age,sex,city,income,born --other keep --accept id -k 5 -o out.csv --seed 1 -q";
    let start = std::time::Instant::now();
    place.ok(args);
    let whole = start.elapsed();
    let (release, certificate) = (place.read("out.csv"), place.read("out.csv.certificate.json"));
    std::fs::remove_file(place.path("out.csv")).unwrap();
    let mut finished = 0;
    for time in 0..50u32 {
        let mut child = place.command(args).spawn().unwrap();
        std::thread::sleep(
            whole.mul_f64(f64::from(time * 37 % 50) / 45.0) + Duration::from_micros(u64::from(time) * 17),
        );
        child.kill().unwrap();
        child.wait().unwrap();
        if place.exists("out.csv") {
            assert!(place.read("out.csv") == release, "killed run {time} left another output");
            finished += 1;
            std::fs::remove_file(place.path("out.csv")).unwrap();
        }
        if place.exists("out.csv.certificate.json") {
            assert_eq!(place.read("out.csv.certificate.json"), certificate);
        }
    }
    assert!(finished < 50, "no run was killed in time");
    place.ok(args);
    assert_eq!(
        place.files(),
        ["in.csv", "out.csv", "out.csv.certificate.json"],
        "orphans are removed by the next run"
    );
}

#[test]
fn an_interrupted_run_cleans_up() {
    let place = Place::new();
    place.write("in.csv", people(200_000));
    let args = "anonymize in.csv --qi age,sex,city,income,born --other keep --accept id -k 5 -o out.csv -q";
    let child = place.command(args).spawn().unwrap();
    std::thread::sleep(Duration::from_millis(150));
    let stopped =
        std::process::Command::new("kill").arg("-INT").arg(child.id().to_string()).status().unwrap();
    assert!(stopped.success());
    let output = child.wait_with_output().unwrap();
    // A fast machine may be done before the signal comes, a slow one may not listen for it yet.
    if output.status.code() != Some(0) {
        assert!(matches!(output.status.code(), Some(130) | None), "{:?}", output.status);
        assert_eq!(place.files(), ["in.csv"]);
    }
}
