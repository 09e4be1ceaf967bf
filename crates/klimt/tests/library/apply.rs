use crate::{input, patients, published};
use klimt::apply::ApplyRequest;
use klimt::prelude::*;
use klimt::{ErrorKind, Words};

fn asked() -> Anonymizer {
    Anonymizer::new()
        .quasi_identifiers(["age", "zip"])
        .sensitive(["disease"])
        .identifiers(["patient"])
        .require(KAnonymity::new(5).unwrap())
        .require(DistinctDiversity::new("disease", 2).unwrap())
        .keep_recoding(true)
        .seed(3)
}

/// What is said of columns that a function does not recode.
fn others() -> Anonymizer {
    Anonymizer::new().sensitive(["disease"]).identifiers(["patient"]).seed(3)
}

#[test]
fn a_function_applied_to_its_own_table_gives_the_release() {
    let folder = tempfile::TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name);
    let release = asked().anonymize(input(patients(0..400))).unwrap();
    release.save(path("release.csv")).unwrap();
    let output = || Output::file(path("again.csv")).unwrap();
    let again =
        klimt::apply(release.recoding().unwrap(), input(patients(0..400)), output(), &others()).unwrap();
    assert_eq!((again.findings.rows, again.suppressed, again.outside_cells), (400, 0, 0));
    assert_eq!(again.findings.groups, release.certificate().groups);
    let sorted = |name: &str| {
        let mut rows = published(&path(name));
        rows.sort();
        rows
    };
    assert_eq!(sorted("release.csv"), sorted("again.csv"));

    std::fs::write(path("function.json"), release.recoding().unwrap().to_json()).unwrap();
    let request =
        ApplyRequest::from_file(path("function.json")).unwrap().settings(others().settings().clone());
    let file = request.run(input(patients(0..400)), &Output::file(path("file.csv")).unwrap()).unwrap();
    assert_eq!(file.findings, again.findings);
    assert_eq!(published(&path("file.csv")), published(&path("again.csv")));
}

#[test]
fn groups_that_fall_short_are_refused_or_left_out() {
    let folder = tempfile::TempDir::new().unwrap();
    let path = folder.path().join("later.csv");
    let release = asked().anonymize(input(patients(0..400))).unwrap();
    let apply = |asked: Anonymizer| {
        let output = Output::file(&path).unwrap();
        klimt::apply(release.recoding().unwrap(), input(patients(0..250)), output, &asked)
    };
    let error = apply(others()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unsatisfied);
    assert!(error.help(Words::Keywords)[0].contains("suppress=\""), "{:?}", error.help(Words::Keywords));
    assert!(!path.exists(), "a release that is refused does not appear");
    let partial = apply(others().suppress(Share::percent(100))).unwrap();
    assert!(partial.suppressed > 0 && partial.findings.smallest_group >= 5, "{partial:?}");
    assert_eq!(partial.findings.rows + partial.suppressed, 250);
    assert_eq!(published(&path).len() as u64, partial.findings.rows);
}

#[test]
fn requirements_replace_those_of_the_function() {
    let folder = tempfile::TempDir::new().unwrap();
    let release = asked().anonymize(input(patients(0..400))).unwrap();
    let apply = |asked: Anonymizer| {
        let output = Output::file(folder.path().join("out.csv")).unwrap();
        klimt::apply(release.recoding().unwrap(), input(patients(0..400)), output, &asked)
    };
    let five = others().require(DistinctDiversity::new("disease", 5).unwrap());
    let error = apply(five).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unsatisfied, "groups of 5 hold no 5 diseases each: {error}");
    assert!(error.message().contains('5') && apply(others()).is_ok());
}

#[test]
fn mistakes_name_what_is_wrong() {
    let folder = tempfile::TempDir::new().unwrap();
    let output = || Output::file(folder.path().join("out.csv")).unwrap();
    let release = asked().anonymize(input(patients(0..400))).unwrap();
    let function = release.recoding().unwrap();
    let error =
        klimt::apply(function, input("patient,age,disease\n1,2,Flu\n"), output(), &others()).unwrap_err();
    assert!(error.message().contains("column zip, which is recoded, is missing"), "{error}");
    let more = Anonymizer::new().quasi_identifiers(["disease"]).identifiers(["patient"]);
    let error = klimt::apply(function, input(patients(0..400)), output(), &more).unwrap_err();
    assert!(error.message().contains("no column disease"), "{error}");
    let path = folder.path().join("in.csv");
    std::fs::write(&path, patients(0..400)).unwrap();
    let (read, written) = (Input::file(&path).unwrap(), Output::file(&path).unwrap());
    let error = klimt::apply(function, read, written, &others()).unwrap_err();
    assert!(error.message().contains("would overwrite the input"), "{error}");
}
