use crate::{input, patients};
use klimt::prelude::*;
use klimt::verify::{AttackQuestion, Verification};
use klimt::{Unobserved, Watched, Words};

const RELEASE: &str = "age,ill\n[20..29],flu\n[20..29],flu\n[30..39],flu\n[30..39],gout\n";
const KNOWN: &str = "age,ill\n21,flu\n25,flu\n31,flu\n38,gout\n50,gout\n";

fn asked() -> Anonymizer {
    Anonymizer::new().quasi_identifiers(["age"]).sensitive(["ill"]).require(KAnonymity::new(2).unwrap())
}

#[test]
fn an_attack_is_that_of_a_verification() {
    let alone = klimt::attack(input(RELEASE), Some(input(KNOWN)), &asked()).unwrap();
    assert_eq!((alone.report.linkage.people, alone.report.linkage.unmatched), (5, 1));
    assert_eq!(alone.report.sensitive[0].certain, 2);
    let question = AttackQuestion { background: Some(input(KNOWN)), ..AttackQuestion::default() };
    let verification = Verification::of(asked().settings().clone()).attack(question);
    let verified = verification.run(input(RELEASE)).unwrap().attack.unwrap();
    assert_eq!(serde_json::to_value(&alone).unwrap(), serde_json::to_value(&verified).unwrap());
}

#[test]
fn warnings_are_in_the_words_of_the_front_end() {
    let asked = Anonymizer::new().quasi_identifiers(["age", "zip"]).require(KAnonymity::new(1).unwrap());
    let findings = klimt::attack(input(patients(0..50)), Some(input(KNOWN)), &asked).unwrap();
    let flags = findings.warnings(Words::Flags);
    assert!(flags.iter().any(|text| text.contains("does not have zip")), "{flags:?}");
    assert!(flags.iter().any(|text| text.ends_with("--sensitive COLUMN")), "{flags:?}");
    let keywords = findings.warnings(Words::Keywords);
    assert!(keywords.iter().any(|text| text.ends_with("sensitive=\"COLUMN\"")), "{keywords:?}");
    let question = AttackQuestion::default();
    let verdict =
        Verification::of(asked.settings().clone()).attack(question).run(input(patients(0..50))).unwrap();
    assert!(
        verdict.warnings.iter().any(|text| text.ends_with("sensitive = COLUMN")),
        "{:?}",
        verdict.warnings
    );
}

#[test]
fn shares_are_read_from_texts() {
    let question = AttackQuestion::parse(Some("80%"), Some("5%")).unwrap();
    assert_eq!((question.confidence, question.max_gain), (Share::percent(80), Some(Share::percent(5))));
    let error = AttackQuestion::parse(Some("2"), Some("much")).err().unwrap();
    let text = error.worded(Words::Flags);
    assert!(text.contains("--confidence") && text.contains("--max-gain"), "{text}");
    let settings = asked().settings().clone();
    let strict = AttackQuestion { max_gain: Some(Share::percent(1)), ..AttackQuestion::default() };
    // Both groups are certain, and nobody could have guessed right for all before.
    let certain = "age,ill\n[20..29],flu\n[20..29],flu\n[30..39],gout\n[30..39],gout\n";
    let findings = strict.ask(input(certain), settings, &Watched::by(&Unobserved)).unwrap();
    assert!(findings.problem().is_some());
}
