use crate::{input, patients};
use klimt::prelude::*;
use klimt::query::{QueryRequest, Questions};
use klimt::{Unobserved, Watched};
use std::os::unix::fs::PermissionsExt;

fn columns() -> Anonymizer {
    Anonymizer::new().quasi_identifiers(["age", "zip"]).sensitive(["disease"]).identifiers(["patient"])
}

#[test]
fn a_table_answers_itself_exactly() {
    let questions = "SELECT COUNT(*) WHERE age < 30; SELECT AVG(age) WHERE disease = 'Flu'; SELECT MAX(zip)";
    let questions = Questions::sql(questions).unwrap();
    let answers =
        klimt::query(input(patients(0..300)), input(patients(0..300)), questions, &columns()).unwrap();
    let errors = answers.errors.as_ref().unwrap();
    assert_eq!((errors.matching, errors.suppressed), (3, 0));
    assert_eq!(errors.error.unwrap().greatest, 0.0);
    assert_eq!((answers.queries[0].exact, answers.queries[2].exact), (Some(50.0), Some(53739.0)));
    assert_eq!(answers.queries[0].query, "COUNT(*) WHERE age < '30'");
}

#[test]
fn a_release_is_off_by_what_it_hides() {
    let release = "age,pay\n[20..29],1\n[20..29],2\n[30..39],3\n[30..39],4\n";
    let original = "age,pay\n20,1\n29,2\n30,3\n39,4\n";
    let asked = Anonymizer::new().quasi_identifiers(["age"]);
    let questions =
        || Questions::sql("SELECT COUNT(*) WHERE age <= 29; SELECT COUNT(*) WHERE age <= 20").unwrap();
    let answers = klimt::query(input(original), input(release), questions(), &asked).unwrap();
    let of = |at: usize| answers.queries[at].released.as_ref().unwrap();
    assert!(of(0).matches && of(0).is_exact && of(0).error == Some(0.0));
    assert!(!of(1).matches && of(1).partial_rows == 2 && of(1).matched == Some(2.0));
    assert_eq!(answers.errors.as_ref().unwrap().exact_answers, 1);
}

#[test]
fn questions_are_made_by_seed_and_saved_for_the_owner() {
    let folder = tempfile::TempDir::new().unwrap();
    let ask = |questions: Questions, save: Option<&str>| {
        let mut request = QueryRequest::of(columns().settings().clone(), questions);
        if let Some(name) = save {
            request = request.save_to(folder.path().join(name).to_str().unwrap());
        }
        let answers = request.run(input(patients(0..200)), None, &Watched::by(&Unobserved)).unwrap();
        assert!(answers.errors.is_none() && answers.queries.iter().all(|query| query.released.is_none()));
        answers.queries.iter().map(|query| query.exact.unwrap()).collect::<Vec<f64>>()
    };
    let random = ask(Questions::random(20).seed(7).about(["age"]), Some("made.sql"));
    assert_eq!(random, ask(Questions::random(20).seed(7).about(["age"]), None));
    assert_ne!(random, ask(Questions::random(20).seed(8).about(["age"]), None));
    let saved = folder.path().join("made.sql");
    assert_eq!(std::fs::metadata(&saved).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(random, ask(Questions::from_file(&saved).unwrap(), None));
    let values = ask(Questions::values().about(["zip"]), None);
    assert_eq!((values.len(), values.iter().sum::<f64>()), (40, 200.0));
}

#[test]
fn mistakes_name_what_is_wrong() {
    let fails = |questions: Questions| {
        klimt::query(input(patients(0..50)), input(patients(0..50)), questions, &columns()).unwrap_err()
    };
    let error = fails(Questions::values().about(["disease"]));
    assert!(error.message().contains("disease is no quasi-identifier"), "{error}");
    assert_eq!(error.help(klimt::Words::Flags), ["--about names columns of --qi"]);
    let error = fails(Questions::sql("SELECT COUNT(*) WHERE patient = 7").unwrap());
    assert!(error.message().contains("patient, an identifier") && !error.message().contains('7'), "{error}");
    let error = fails(Questions::sql("SELECT COUNT(*) WHERE agee = 7").unwrap());
    assert!(error.message().contains("did you mean age"), "{error}");
}

#[test]
fn queries_are_not_saved_over_a_table() {
    let folder = tempfile::TempDir::new().unwrap();
    let path = folder.path().join("in.csv");
    std::fs::write(&path, patients(0..50)).unwrap();
    let request = QueryRequest::of(columns().settings().clone(), Questions::values());
    let request = request.save_to(path.to_str().unwrap());
    let error = request.run(Input::file(&path).unwrap(), None, &Watched::by(&Unobserved)).unwrap_err();
    assert!(error.message().contains("one of the tables"), "{error}");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), patients(0..50));
}
