use crate::{input, patients, published};
use klimt::prelude::*;
use klimt::store::{ReleaseRequest, StoreBatch};
use klimt::verify::Verification;
use klimt::{CertificatePlace, ErrorKind, Store, Words};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

fn asked() -> Anonymizer {
    Anonymizer::new()
        .quasi_identifiers(["age", "zip"])
        .sensitive(["disease"])
        .require(KAnonymity::new(5).unwrap())
        .require(DistinctDiversity::new("disease", 2).unwrap())
}

fn store(folder: &Path, rows: usize) -> Store {
    let mut store = Store::create(folder.join("store"), input(patients(0..10)), "patient", &asked()).unwrap();
    let change = store.insert(input(patients(0..rows))).unwrap();
    assert_eq!((change.changed, change.size.rows), (rows as u64, rows as u64));
    store
}

fn output(folder: &Path, name: &str) -> Output {
    Output::file(folder.join(name)).unwrap()
}

#[test]
fn a_store_lives_from_its_creation_to_its_releases() {
    let folder = tempfile::TempDir::new().unwrap();
    let folder = folder.path();
    let mut store = store(folder, 300);
    let first = store.release(&ReleaseRequest::default().seed(1), &output(folder, "first.csv")).unwrap();
    assert_eq!((first.entry.release, first.entry.rows, first.held_back), (1, 300, 0));
    assert!(first.certificate.sizes.smallest >= 5 && first.certificate.reached.iter().all(|one| one.holds));
    let beside = std::fs::read(folder.join("first.csv.certificate.json")).unwrap();
    assert_eq!(Certificate::from_json("first", &beside).unwrap(), first.certificate);

    assert_eq!(store.delete(input("patient\n7\n8\n")).unwrap().size.rows, 298);
    assert_eq!(store.update(input(patients(20..40))).unwrap().changed, 20);
    assert_eq!(store.insert(StoreBatch::of(input(patients(300..500)))).unwrap().size.rows, 498);
    drop(store);

    let mut store = Store::open(folder.join("store")).unwrap();
    let later = ReleaseRequest::default().k(10).hold_back(true).audience("press");
    let second = store.release(&later, &output(folder, "second.csv")).unwrap();
    assert_eq!(second.entry.rows + second.held_back, 498);
    assert!(second.certificate.sizes.smallest >= 10 && second.entry.smallest_intersection.unwrap() >= 5);
    let ledger = store.ledger().unwrap();
    assert_eq!(ledger, [first.entry, second.entry]);
    assert_eq!(ledger[1].audience, "press");
    assert_eq!(published(&folder.join("second.csv")).len() as u64, ledger[1].rows);
    let size = store.compact().unwrap();
    assert_eq!((size.rows, store.status().unwrap().departed), (498, 2));
}

/// What the store promises is checked by the verifier, from published files and keys.
#[test]
fn releases_are_safe_together() {
    let folder = tempfile::TempDir::new().unwrap();
    let folder = folder.path();
    let table = |numbers| {
        patients(numbers).replace("patient,", "patient,person,").lines().enumerate().fold(
            String::new(),
            |text, (at, line)| match line.split_once(',') {
                Some((key, rest)) if at > 0 => text + &format!("{key},{key},{rest}\n"),
                _ => text + line + "\n",
            },
        )
    };
    let asked = asked().insensitive(["person"]).accept(["person"]);
    let mut store = Store::create(folder.join("store"), input(table(0..10)), "patient", &asked).unwrap();
    let first = StoreBatch::of(input(table(0..300)));
    assert!(store.insert(input(table(0..300))).is_err(), "the first rows are looked at");
    store.insert(first.accept(["person"])).unwrap();
    let request = ReleaseRequest::default().hold_back(true);
    store.release(&request, &output(folder, "first.csv")).unwrap();
    store.delete(input(table(0..40))).unwrap();
    store.insert(input(table(300..450))).unwrap();
    store.release(&request, &output(folder, "second.csv")).unwrap();
    let file = |name: &str| Input::file(folder.join(name)).unwrap();
    let verification = Verification::of(self::asked().settings().clone());
    let verdict =
        verification.against(vec![file("first.csv")], "person", true).run(file("second.csv")).unwrap();
    assert!(verdict.holds(), "{:?}", verdict.problems());
    let linked = verdict.against.unwrap().linked_rows;
    // Groups that lost somebody are held back.
    assert!(linked > 0);
}

#[test]
fn what_cannot_be_safe_is_refused_and_leaves_nothing() {
    let folder = tempfile::TempDir::new().unwrap();
    let folder = folder.path();
    let mut store = store(folder, 300);
    let first = ReleaseRequest::default().certificate(CertificatePlace::Nowhere);
    store.release(&first, &output(folder, "first.csv")).unwrap();
    assert!(!folder.join("first.csv.certificate.json").exists());
    // One newcomer would follow from the difference.
    store.insert(input(patients(300..301))).unwrap();
    let error = store.release(&ReleaseRequest::default(), &output(folder, "second.csv")).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unsatisfied);
    let help = error.help(Words::Keywords).join(" ");
    assert!(help.contains("hold_back") && !help.contains("--"), "{help}");
    let error = store.release(&ReleaseRequest::default().k(4), &output(folder, "second.csv")).unwrap_err();
    assert!(error.message().contains("less than the base k"), "{error}");
    let inside = Output::file(folder.join("store/out.csv")).unwrap();
    let error = store.release(&ReleaseRequest::default(), &inside).unwrap_err();
    assert!(error.message().contains("cannot lie in the folder of the store"), "{error}");
    assert!(!folder.join("second.csv").exists());
    assert_eq!(store.ledger().unwrap().len(), 1, "nobody has a release that was refused");
}

#[test]
fn a_batch_is_taken_in_whole_or_not_at_all() {
    let folder = tempfile::TempDir::new().unwrap();
    let mut store = store(folder.path(), 200);
    let error = store.insert(input(patients(190..210))).unwrap_err();
    assert!(error.message().contains("row 1: a row with this key is in the store"), "{error}");
    let error = store.insert(input("patient,age,disease\n900,30,Flu\n")).unwrap_err();
    assert!(error.message().contains("unknown column zip"), "{error}");
    assert_eq!(store.status().unwrap().rows, 200);
}

#[test]
fn mistakes_of_a_new_store_name_what_is_wrong() {
    let folder = tempfile::TempDir::new().unwrap();
    let create = |asked: Anonymizer, key: &str| {
        Store::create(folder.path().join("store"), input(patients(0..10)), key, &asked).unwrap_err()
    };
    let error = create(asked().domain("age", "0..120"), "patient");
    assert!(error.worded(Words::Flags).starts_with("--domain"), "{error}");
    let error = create(asked(), "age");
    assert!(error.message().contains("column age is the key"), "{error}");
    let error = create(asked(), "nobody");
    assert!(error.message().contains("unknown column nobody"), "{error}");
    let error = create(Anonymizer::new().quasi_identifiers(["age"]), "patient");
    assert!(error.help(Words::Keywords)[0].contains("k=5"), "{error}");
    assert!(!folder.path().join("store").exists());
}

/// Stops a run once it is told to.
struct Stop(Arc<AtomicBool>);

impl Observer for Stop {
    fn cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

#[test]
fn an_observer_stops_a_change() {
    let folder = tempfile::TempDir::new().unwrap();
    let stops = Arc::new(AtomicBool::new(false));
    let store = store(folder.path(), 200);
    let mut store = store.observer(Stop(Arc::clone(&stops)));
    stops.store(true, Ordering::Relaxed);
    let error = store.release(&ReleaseRequest::default(), &output(folder.path(), "out.csv")).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Cancelled);
    stops.store(false, Ordering::Relaxed);
    assert!(!folder.path().join("out.csv").exists() && store.ledger().unwrap().is_empty());
    store.insert(input(patients(200..220))).unwrap();
    assert_eq!(store.status().unwrap().rows, 220);
}
