//! Every target on its corpus and on fixed mutations of it, with a small stack: deep nesting must not overflow it.

use klimt_core::recode::RecodingFunction;
use klimt_fuzz::{Mutator, TARGETS, Target, corpus};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Mutations of each target.
const MUTATIONS: usize = 3000;
/// Half of what a thread has by default.
const STACK: usize = 1 << 20;

fn seeds(name: &str) {
    let target = TARGETS.iter().find(|target| target.name == name).unwrap();
    let run = || run(target);
    std::thread::Builder::new().stack_size(STACK).spawn(run).unwrap().join().unwrap();
}

fn run(target: &Target) {
    let inputs = corpus(target);
    assert!(!inputs.is_empty());
    let mut mutator = Mutator::new(1);
    let mutated: Vec<Vec<u8>> = (0..MUTATIONS).map(|_| mutator.mutate(&inputs)).collect();
    for input in inputs.iter().chain(&mutated) {
        let outcome = catch_unwind(AssertUnwindSafe(|| (target.run)(input)));
        let shown = &input[..input.len().min(2000)];
        assert!(outcome.is_ok(), "{} panics over: {}", target.name, shown.escape_ascii());
    }
}

#[test]
fn csv() {
    seeds("csv");
}

#[test]
fn files() {
    seeds("files");
}

#[test]
fn forms() {
    seeds("forms");
}

#[test]
fn hierarchies() {
    seeds("hierarchy");
}

#[test]
fn specs() {
    seeds("spec");
}

#[test]
fn workloads() {
    seeds("workload");
}

#[test]
fn certificates() {
    seeds("certificate");
}

#[test]
fn recoding_functions() {
    seeds("recoding");
}

#[test]
fn published_values() {
    seeds("published");
}

#[test]
fn store_values() {
    seeds("store");
}

#[test]
fn every_target_has_a_corpus() {
    for target in TARGETS {
        let folder = format!("{}/corpus/{}", env!("CARGO_MANIFEST_DIR"), target.name);
        let files = std::fs::read_dir(&folder).into_iter().flatten().count();
        assert!(files > 0 || target.name == "store", "{folder} is empty");
    }
}

/// Recoding functions of the corpus are of the format that is read, so that mutations of them go deep; but for the damaged ones.
#[test]
fn recoding_functions_of_the_corpus_are_accepted() {
    for file in std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/corpus/recoding")).unwrap() {
        let path = file.unwrap().path();
        let damaged = path.file_name().unwrap().to_str().unwrap().starts_with("damaged");
        let read = RecodingFunction::from_json(&std::fs::read(&path).unwrap(), "f.json");
        assert_eq!(read.is_err(), damaged, "{}: {:?}", path.display(), read.err());
    }
}
