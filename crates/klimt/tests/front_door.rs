//! The library as a program uses it.

use klimt::arrow::array::{Array, RecordBatch};
use klimt::prelude::*;
use klimt::{Error, ErrorKind, Interrupted, Remedy, Words};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// A table with names, ages, postcodes and diseases.
fn patients(rows: usize) -> String {
    let diseases = ["Asthma", "Gout", "Migraine", "Flu", "Eczema"];
    let row = |at: usize| {
        format!("Person {at},{},{},{}\n", 20 + at * 7 % 60, 53700 + at * 13 % 40, diseases[at * 11 % 5])
    };
    "name,age,zip,disease\n".to_string() + &(0..rows).map(row).collect::<String>()
}

fn input(rows: usize) -> Input {
    Input::reader(Format::Csv, std::io::Cursor::new(patients(rows)))
}

fn usual() -> Anonymizer {
    Anonymizer::new()
        .quasi_identifiers(["age", "zip"])
        .sensitive(["disease"])
        .identifiers(["name"])
        .require(KAnonymity::new(5).unwrap())
        .require(DistinctDiversity::new("disease", 3).unwrap())
        .seed(7)
}

fn rows(batches: &[RecordBatch]) -> usize {
    batches.iter().map(RecordBatch::num_rows).sum()
}

#[test]
fn a_release_in_memory_is_that_of_the_file() {
    let folder = tempfile::TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name);
    std::fs::write(path("patients.csv"), patients(500)).unwrap();
    let release = usual().anonymize(Input::file(path("patients.csv")).unwrap()).unwrap();
    let certificate = release.certificate();
    assert_eq!((certificate.rows.published, certificate.k), (500, 5));
    assert!(certificate.groups > 10 && certificate.sizes.smallest >= 5);
    assert!(certificate.release.hash.is_none(), "a release in memory has no file");
    assert!(certificate.reached.iter().all(|promise| promise.holds));
    assert_eq!(rows(&release.to_batches().unwrap()), 500);
    let names: Vec<String> =
        release.schema().unwrap().fields().iter().map(|field| field.name().clone()).collect();
    assert_eq!(names, ["age", "zip", "disease"], "identifiers are never published");

    let saved = release.save(path("memory.csv")).unwrap();
    let written = usual()
        .anonymize_to(Input::file(path("patients.csv")).unwrap(), Output::file(path("file.csv")).unwrap())
        .unwrap();
    let read = |name: &str| std::fs::read(path(name)).unwrap();
    assert_eq!(read("memory.csv"), read("file.csv"));
    assert_eq!(saved, written);
    let beside = Certificate::from_json("c", &read("memory.csv.certificate.json")).unwrap();
    assert_eq!(beside, saved);
    assert_eq!((beside.groups, beside.loss("ncp")), (certificate.groups, certificate.loss("ncp")));
    for name in ["release.parquet", "release.arrow", "release.tsv.gz"] {
        release.save(path(name)).unwrap();
        let again = usual().other(Other::Keep);
        let _ = again;
        assert!(path(name).exists() && path(&format!("{name}.certificate.json")).exists());
    }
}

#[test]
fn batches_and_readers_give_the_same_groups() {
    let by_text = usual().anonymize(input(300)).unwrap();
    let whole = Anonymizer::new()
        .quasi_identifiers(["age", "zip"])
        .insensitive(["disease"])
        .identifiers(["name"])
        .require(KAnonymity::new(5).unwrap());
    let batches = whole.anonymize(input(300)).unwrap().to_batches().unwrap();
    assert_eq!(rows(&batches), 300);
    // Published rows come back as rows of text and numbers.
    let schema = batches[0].schema();
    let again = Anonymizer::new()
        .insensitive(["age", "disease"])
        .quasi_identifiers(["zip"])
        .accept(["zip"])
        .require(KAnonymity::new(2).unwrap())
        .anonymize(Input::batches(schema, batches))
        .unwrap();
    assert_eq!(again.rows(), 300);
    assert!(by_text.to_batches().unwrap().iter().all(|batch| batch.column(0).null_count() == 0));
}

#[test]
fn columns_without_a_role_are_an_error_with_all_problems() {
    let error = Anonymizer::new()
        .quasi_identifiers(["age", "zipp"])
        .require(KAnonymity::new(5).unwrap())
        .anonymize(input(50))
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Input);
    let text = error.worded(Words::Plain);
    assert!(text.contains("zipp") && text.contains("did you mean zip?"), "{text}");
    assert!(text.contains("name, zip, disease") && text.contains("other = drop"), "{text}");
    assert!(error.worded(Words::Flags).contains("--other drop"));
    assert!(error.worded(Words::Keywords).contains("other=\"drop\""));
    let kept = Anonymizer::new()
        .quasi_identifiers(["age"])
        .identifiers(["name"])
        .other(Other::Keep)
        .require(KAnonymity::new(5).unwrap())
        .anonymize(input(50))
        .unwrap();
    assert_eq!(kept.schema().unwrap().fields().len(), 3);
}

#[test]
fn what_cannot_be_met_is_an_error_and_no_release() {
    let folder = tempfile::TempDir::new().unwrap();
    let output = folder.path().join("release.csv");
    let impossible = usual().require(DistinctDiversity::new("disease", 9).unwrap());
    let error = impossible.anonymize_to(input(100), Output::file(&output).unwrap()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unsatisfied);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    let error =
        Anonymizer::new().quasi_identifiers(["age"]).other(Other::Drop).anonymize(input(9)).unwrap_err();
    assert!(error.to_string().contains("k is not given"), "{error}");
}

#[test]
fn a_budget_that_is_too_small_says_which_would_do() {
    let rows: String =
        (0..400_000u64).map(|at| format!("{},{}\n", at * 7919 % 1_000_003, at % 977)).collect();
    let table = format!("a,b\n{rows}");
    let asked = Anonymizer::new()
        .quasi_identifiers(["a", "b"])
        .require(KAnonymity::new(10).unwrap())
        .algorithm(AlgorithmKind::Mondrian)
        .memory(16_000_000);
    let error = asked.anonymize(Input::reader(Format::Csv, std::io::Cursor::new(table.clone()))).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Resource);
    let raised = error.remedies().iter().find_map(|remedy| match remedy {
        Remedy::RaiseMemory(bytes) => Some(*bytes),
        _ => None,
    });
    let enough = raised.expect("the error says how much memory would do");
    let release =
        asked.memory(enough).anonymize(Input::reader(Format::Csv, std::io::Cursor::new(table))).unwrap();
    assert_eq!(release.rows(), 400_000);
}

#[test]
fn a_spec_is_written_as_it_is_read() {
    let folder = tempfile::TempDir::new().unwrap();
    let zip = folder.path().join("zip.csv");
    let lines: String = (53700..53740).map(|zip| format!("{zip};{}*;*\n", zip / 10)).collect();
    std::fs::write(&zip, lines).unwrap();
    let said = usual()
        .hierarchy("zip", Hierarchy::from_file(&zip).unwrap())
        .order("disease", ["Asthma", "Gout"])
        .weight("age", 2.0)
        .suppress("5%".parse::<Share>().unwrap())
        .require(TCloseness::new("disease", 0.25).unwrap())
        .algorithm(Algorithm::RTree {
            base_k: Some(5),
            by: None,
            leaf_capacity: Some(3),
            prefer: vec!["age".to_string()],
        })
        .memory(64_000_000);
    let path = folder.path().join("klimt.toml");
    std::fs::write(&path, said.to_spec().unwrap()).unwrap();
    let read = Anonymizer::from_spec(&path).unwrap();
    assert_eq!(read.to_spec().unwrap(), said.to_spec().unwrap());
    let inline = usual().hierarchy("zip", Hierarchy::from_lines([["1", "*"], ["2", "*"]]).unwrap());
    std::fs::write(&path, inline.to_spec().unwrap()).unwrap();
    assert_eq!(Anonymizer::from_spec(&path).unwrap().to_spec().unwrap(), inline.to_spec().unwrap());
}

#[test]
fn an_own_requirement_cannot_be_written_into_a_spec() {
    #[derive(Debug)]
    struct Own;
    impl Requirement for Own {
        fn id(&self) -> &'static str {
            "own"
        }
        fn describe(&self) -> String {
            "own".to_string()
        }
        fn limit(&self) -> klimt::requirement::Level {
            klimt::requirement::Level::Count(1)
        }
        fn side(&self) -> klimt::requirement::Side {
            klimt::requirement::Side::AtLeast
        }
        fn bind(
            &self,
            _: &dyn klimt::requirement::WholeFacts,
        ) -> klimt::Result<Box<dyn klimt::requirement::Check>> {
            Err(Error::unsatisfied("never"))
        }
    }
    let own = usual().require(Own);
    assert!(own.to_spec().unwrap_err().to_string().contains("own"));
    assert_eq!(own.anonymize(input(50)).unwrap_err().kind(), ErrorKind::Unsatisfied);
}

/// Counts what it is told, and stops a run after some progress.
#[derive(Default)]
struct Counting {
    stages: AtomicU64,
    units: AtomicU64,
    warnings: AtomicU64,
    stop: AtomicBool,
}

struct Shared(Arc<Counting>);

impl Observer for Shared {
    fn begin(&self, _: Stage, _: Option<u64>) {
        self.0.stages.fetch_add(1, Ordering::Relaxed);
    }
    fn advance(&self, units: u64) {
        self.0.units.fetch_add(units, Ordering::Relaxed);
    }
    fn note(&self, note: &Note) {
        self.0.warnings.fetch_add(u64::from(note.is_warning), Ordering::Relaxed);
    }
    fn cancelled(&self) -> bool {
        self.0.stop.load(Ordering::Relaxed)
    }
    fn search_ends(&self) -> Interrupted {
        Interrupted::default()
    }
}

#[test]
fn a_run_is_watched_and_stopped() {
    let counting = Arc::new(Counting::default());
    let watched = Anonymizer::new()
        .quasi_identifiers(["age", "zip"])
        .sensitive(["disease"])
        .identifiers(["name"])
        .require(KAnonymity::new(5).unwrap())
        .observer(Shared(Arc::clone(&counting)));
    let release = watched.anonymize(input(400)).unwrap();
    assert_eq!(release.warnings().count() as u64, counting.warnings.load(Ordering::Relaxed));
    assert!(release.warnings().any(|warning| warning.to_string().contains("nothing protects")));
    assert!(counting.stages.load(Ordering::Relaxed) >= 3 && counting.units.load(Ordering::Relaxed) > 800);
    counting.stop.store(true, Ordering::Relaxed);
    let folder = tempfile::TempDir::new().unwrap();
    let output = Output::file(folder.path().join("release.csv")).unwrap();
    assert_eq!(watched.anonymize_to(input(400), output).unwrap_err().kind(), ErrorKind::Cancelled);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn no_output_overwrites_what_is_read() {
    let folder = tempfile::TempDir::new().unwrap();
    let path: PathBuf = folder.path().join("patients.csv");
    std::fs::write(&path, patients(100)).unwrap();
    let run = usual().anonymize_to(Input::file(&path).unwrap(), Output::file(&path).unwrap());
    assert_eq!(run.unwrap_err().kind(), ErrorKind::Input);
    assert_eq!(std::fs::read_to_string(&path).unwrap(), patients(100));
    assert!(Input::file(folder.path()).is_err() && Input::file(folder.path().join("none.csv")).is_err());
}

#[test]
fn the_recoding_function_is_kept_where_it_is_asked_for() {
    assert!(usual().anonymize(input(200)).unwrap().recoding().is_none());
    let kept = usual().keep_recoding(true).anonymize(input(200)).unwrap();
    assert_eq!(kept.recoding().unwrap().columns(), ["age", "zip"]);
    assert!(usual().algorithm(AlgorithmKind::Local).keep_recoding(true).anonymize(input(200)).is_err());
}

#[test]
fn threads_change_nothing() {
    let one = usual().threads(1).anonymize(input(700)).unwrap();
    let three = usual().threads(3).anonymize(input(700)).unwrap();
    assert_eq!(one.certificate(), three.certificate());
    assert_eq!(one.to_batches().unwrap(), three.to_batches().unwrap());
}

#[test]
fn a_release_is_verified_and_measured() {
    let release = usual().anonymize(input(300)).unwrap();
    let schema = release.schema().unwrap();
    let again = || Input::batches(schema.clone(), release.to_batches().unwrap());
    let verdict = klimt::verify(again(), &usual()).unwrap();
    assert!(verdict.holds(), "{:?}", verdict.problems());
    assert_eq!(verdict.findings.groups, release.certificate().groups);
    let stricter = usual().require(KAnonymity::new(50).unwrap());
    assert!(!klimt::verify(again(), &stricter).unwrap().holds());
    let measured = klimt::measure(input(300), again(), &usual()).unwrap();
    let exact = release.exact_certificate().loss("ncp").unwrap();
    assert!((measured.losses["ncp"] - exact).abs() < 1e-9, "{} {exact}", measured.losses["ncp"]);
    assert!(
        klimt::verify(input(300), &usual()).is_ok_and(|verdict| !verdict.holds()),
        "the original is unsafe"
    );
}
