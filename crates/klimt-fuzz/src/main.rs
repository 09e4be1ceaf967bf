//! Runs fuzz targets by mutating their corpora: `klimt-fuzz [TARGET] [--seconds S] [--seed N]`, all targets by default.

use klimt_fuzz::{Mutator, TARGETS, Target, corpus};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::time::{Duration, Instant};

fn main() -> ExitCode {
    let (mut name, mut seconds, mut seed) = (None, 30.0, 1);
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--seconds" => seconds = args.next().and_then(|text| text.parse().ok()).unwrap_or(seconds),
            "--seed" => seed = args.next().and_then(|text| text.parse().ok()).unwrap_or(seed),
            _ => name = Some(arg),
        }
    }
    let chosen: Vec<&Target> =
        TARGETS.iter().filter(|target| name.as_deref().is_none_or(|name| name == target.name)).collect();
    if chosen.is_empty() {
        let names: Vec<&str> = TARGETS.iter().map(|target| target.name).collect();
        eprintln!("unknown target; the targets are {}", names.join(", "));
        return ExitCode::from(2);
    }
    let failed = chosen.iter().filter(|target| !fuzz(target, Duration::from_secs_f64(seconds), seed)).count();
    ExitCode::from(u8::from(failed > 0))
}

/// Runs a target for some time; false where an input makes it panic. The input is kept in a file.
fn fuzz(target: &Target, time: Duration, seed: u64) -> bool {
    let (start, inputs) = (Instant::now(), corpus(target));
    let mut mutator = Mutator::new(seed);
    let mut runs = 0u64;
    while start.elapsed() < time {
        let input = mutator.mutate(&inputs);
        runs += 1;
        if catch_unwind(AssertUnwindSafe(|| (target.run)(&input))).is_err() {
            let path = std::env::temp_dir().join(format!("klimt-fuzz-{}", target.name));
            let kept = std::fs::write(&path, &input)
                .map_or(String::new(), |()| format!(", kept in {}", path.display()));
            eprintln!("{}: input {runs} of seed {seed} panics{kept}:\n{}", target.name, input.escape_ascii());
            return false;
        }
    }
    println!("{:<12} {runs} inputs in {:.0} s", target.name, start.elapsed().as_secs_f64());
    true
}
