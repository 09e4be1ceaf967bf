use crate::{input, patients};
use klimt::Words;
use klimt::inspect::InspectRequest;
use klimt::prelude::*;
use klimt::risk::question;
use klimt::settings::Settings;

/// A column of numbers in which a few texts stand.
fn with_texts() -> String {
    let row = |at: usize| {
        format!("{at},{}\n", if at < 3 { "none".to_string() } else { (20 + at % 50).to_string() })
    };
    "patient,age\n".to_string() + &(0..200).map(row).collect::<String>()
}

#[test]
fn roles_and_counts_are_those_of_the_table() {
    let asked = Anonymizer::new().quasi_identifiers(["age", "zip"]);
    let inspection = klimt::inspect(input(patients(0..120)), &asked).unwrap();
    assert_eq!(inspection.rows, 120);
    let of = |name: &str| inspection.column(name).unwrap();
    assert_eq!((of("age").role, of("age").suggested), (Role::QuasiIdentifier, false));
    assert_eq!((of("disease").role, of("disease").suggested), (Role::Sensitive, true));
    assert_eq!((of("patient").role, of("patient").unique_alone), (Role::Identifier, 120));
    assert_eq!((of("disease").distinct, of("disease").missing, of("age").distinct), (5, 0, 60));
    let risk = inspection.risk.as_ref().unwrap();
    assert_eq!(risk.quasi_identifiers, ["age", "zip"]);
    assert_eq!((risk.risk.rows, risk.tuples, risk.risk.groups), (120, 120, 120));
    assert!(inspection.column("nobody").is_none());
}

#[test]
fn a_question_about_risk_is_asked() {
    let settings = Anonymizer::new().quasi_identifiers(["age"]).settings().clone();
    let request = InspectRequest::of(settings).risk(question(Some("50%"), Some("10%")).unwrap());
    let risk = request.run(input("age\n1\n1\n2\n")).unwrap().risk.unwrap().risk;
    assert_eq!((risk.threshold, risk.sampling_fraction), (Share::percent(10), Some(Share::percent(50))));
    assert_eq!(risk.journalist.highest, 0.5);
}

#[test]
fn warnings_are_in_the_words_of_the_front_end() {
    let settings = Anonymizer::new().quasi_identifiers(["age"]).settings().clone();
    let warning = |words| {
        let request = InspectRequest::of(settings.clone()).words(words);
        let inspection = request.run(input(with_texts())).unwrap();
        assert_eq!(inspection.warnings.len(), 1, "{:?}", inspection.warnings);
        inspection.warnings[0].clone()
    };
    let (flags, keywords, plain) = (warning(Words::Flags), warning(Words::Keywords), warning(Words::Plain));
    assert!(flags.contains("--missing"), "{flags}");
    assert!(keywords.contains("missing=") && !keywords.contains("--"), "{keywords}");
    let marks = |text: &str| text.chars().any(|c| ('\u{f0000}'..='\u{f0002}').contains(&c));
    assert!(plain.contains("missing") && !plain.contains("--") && !marks(&plain), "{plain}");
}

#[test]
fn unknown_columns_are_reported_at_once() {
    let asked = Anonymizer::new().quasi_identifiers(["agee", "zipp"]);
    let error = klimt::inspect(input(patients(0..10)), &asked).unwrap_err();
    assert!(error.message().contains("agee") && error.message().contains("zipp"), "{error}");
}

#[test]
fn a_draft_is_a_spec() {
    let folder = tempfile::TempDir::new().unwrap();
    let path = folder.path().join("klimt.toml");
    let table = folder.path().join("patients.csv");
    std::fs::write(&table, patients(0..100)).unwrap();
    let inspection = klimt::inspect(Input::file(&table).unwrap(), &Anonymizer::new()).unwrap();
    let text = klimt::spec::draft(
        &inspection,
        Anonymizer::new().settings(),
        table.to_str().unwrap(),
        path.to_str().unwrap(),
    );
    std::fs::write(&path, &text).unwrap();
    let spec = Anonymizer::from_spec(&path).unwrap();
    let canonical = table.canonicalize().unwrap();
    assert_eq!(spec.input(), canonical.to_str());
    let Settings { columns, k, .. } = spec.settings();
    assert_eq!(*k, Some(5));
    for column in &inspection.columns {
        assert_eq!(columns[&column.name].role, Some(column.role), "{}", column.name);
    }
    spec.anonymize(Input::file(spec.input().unwrap()).unwrap()).unwrap();
}
