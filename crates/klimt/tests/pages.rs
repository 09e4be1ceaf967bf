//! Comparisons, reports and certificates, as a program uses them.

use klimt::call::{Call, OptionValue};
use klimt::certificate::RecordedSettings;
use klimt::prelude::*;
use klimt::{Comparing, Error, ErrorKind, Interrupted, Reporting, Watched, Words};
use std::path::Path;
use std::sync::Mutex;
use std::time::Duration;

/// Ages, postcodes and diseases of people with names.
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

fn columns() -> Anonymizer {
    Anonymizer::new().quasi_identifiers(["zip", "age"]).sensitive(["disease"]).identifiers(["name"])
}

/// A release of 300 patients in a folder, with its certificate beside it.
fn released(folder: &Path, asked: &Anonymizer) -> Certificate {
    std::fs::write(folder.join("patients.csv"), patients(300)).unwrap();
    let original = Input::file(folder.join("patients.csv")).unwrap();
    asked.anonymize_to(original, Output::file(folder.join("release.csv")).unwrap()).unwrap()
}

fn files(folder: &Path) -> (Input, Input) {
    let file = |name: &str| Input::file(folder.join(name)).unwrap();
    (file("patients.csv"), file("release.csv"))
}

#[derive(Default)]
struct Trials {
    seen: Mutex<Vec<String>>,
    stop: bool,
}

impl Observer for Trials {
    fn trial(&self, number: usize, of: usize, algorithm: AlgorithmKind, k: u64) {
        self.seen.lock().unwrap().push(format!("{number}/{of} {algorithm} {k}"));
    }
    fn cancelled(&self) -> bool {
        self.stop
    }
    fn search_ends(&self) -> Interrupted {
        Interrupted::default()
    }
}

#[test]
fn every_trial_is_what_the_anonymizer_makes() {
    let asked = columns().require(DistinctDiversity::new("disease", 2).unwrap());
    let algorithms = [AlgorithmKind::Mondrian, AlgorithmKind::Local, AlgorithmKind::RothkoS];
    let trials = Trials::default();
    let comparison = Comparing::of(asked.settings().clone())
        .algorithms(algorithms)
        .every_k([3, 9])
        .run(input(300), &Watched::by(&trials))
        .unwrap();
    assert_eq!((comparison.rows, comparison.trials.len()), (300, 6));
    assert_eq!(comparison.requirements, ["distinct l-diversity of disease with l = 2"]);
    assert_eq!(trials.seen.lock().unwrap()[4..], ["5/6 rothko-s 3", "6/6 rothko-s 9"]);
    for trial in &comparison.trials {
        let release = trial.release().unwrap();
        let kind = algorithms.into_iter().find(|kind| kind.to_string() == trial.algorithm).unwrap();
        let folder = tempfile::TempDir::new().unwrap();
        let alone = asked.clone().require(KAnonymity::new(trial.k).unwrap()).algorithm(kind);
        let certificate = released(folder.path(), &alone);
        assert_eq!(release.groups, certificate.groups, "{} {}", trial.algorithm, trial.k);
        assert_eq!(release.smallest_group, certificate.sizes.smallest);
        assert_eq!(release.losses.len(), certificate.losses.len());
        assert!(release.losses.iter().all(|(id, loss)| certificate.loss(id) == Some(*loss)));
        assert!(release.seconds.wall > 0.0);
    }
    let json = serde_json::to_value(&comparison).unwrap();
    assert_eq!(json["loss"], "ncp");
    assert_eq!(
        json["trials"][0]["losses"]["ncp"],
        comparison.trials[0].release().unwrap().loss("ncp").unwrap()
    );
    assert!(comparison.html("again: as before").contains("again: as before"));
}

#[test]
fn a_trial_that_is_not_possible_says_why_in_the_words_of_the_front_end() {
    let asked = columns().suppress("5%".parse::<Share>().unwrap());
    let compared = |words: Words| {
        Comparing::of(asked.settings().clone())
            .algorithms([AlgorithmKind::Mondrian, AlgorithmKind::RothkoT])
            .every_k([5, 301])
            .words(words)
            .run(input(300), &Watched::by(&Trials::default()))
            .unwrap()
    };
    let (plain, keywords) = (compared(Words::Flags), compared(Words::Keywords));
    let reason = |of: &klimt::Comparison, at: usize| of.trials[at].reason().unwrap().to_string();
    assert!(plain.trials[0].release().is_some() && plain.trials[0].frontier);
    assert!(reason(&plain, 2).starts_with("--suppress"), "{}", reason(&plain, 2));
    assert!(reason(&keywords, 2).starts_with("suppress"), "{}", reason(&keywords, 2));
    assert!(plain.trials[1].reason().is_some() && !plain.trials[1].frontier);
}

#[test]
fn a_table_is_read_once_for_all_algorithms() {
    let kinds = [AlgorithmKind::Mondrian, AlgorithmKind::Scheme];
    let compared = |asked: &Anonymizer, table: Input| {
        let comparing = Comparing::of(asked.settings().clone()).algorithms(kinds).every_k([5]);
        comparing.time_limit(Duration::from_secs(5)).run(table, &Watched::by(&Trials::default()))
    };
    let plain = compared(&columns(), input(200)).unwrap();
    assert!(plain.trials.iter().all(|trial| trial.release().is_some()), "{plain:?}");
    let lines: Vec<[String; 3]> =
        (53700..53740).map(|zip| [zip.to_string(), format!("{}*", zip / 10), "*".to_string()]).collect();
    let mut guided = columns().hierarchy("zip", Hierarchy::from_lines(lines).unwrap());
    let zip = guided.settings_mut().columns.get_mut("zip").unwrap();
    (zip.scheme, zip.rank) = (Some(klimt_core::algorithm::scheme::Scheme::Gsps), Some(0));
    let scheme = [AlgorithmKind::Scheme];
    let comparing = || Comparing::of(guided.settings().clone()).time_limit(Duration::from_secs(5));
    let schemes = comparing().algorithms(scheme).every_k([5, 7]);
    let schemes = schemes.run(input(200), &Watched::by(&Trials::default())).unwrap();
    assert!(schemes.trials.iter().all(|trial| trial.release().is_some()), "{schemes:?}");
    // Mondrian refuses a column that has a scheme, so that it never needs the table in another way.
    let both = comparing().algorithms([AlgorithmKind::Scheme, AlgorithmKind::Mondrian]).every_k([5]);
    let both = both.run(input(200), &Watched::by(&Trials::default())).unwrap();
    assert!(both.trials[1].reason().unwrap().contains("scheme"), "{both:?}");
}

#[test]
fn a_comparison_is_stopped_and_mistakes_are_errors() {
    let stopped = Trials { stop: true, ..Trials::default() };
    let error = |comparing: Comparing, watched: &Trials| {
        comparing.run(input(200), &Watched::by(watched)).unwrap_err()
    };
    let comparing = || Comparing::of(columns().settings().clone());
    assert_eq!(error(comparing(), &stopped).kind(), ErrorKind::Cancelled);
    let going = Trials::default();
    let unknown = error(comparing().loss("ncpp"), &going);
    assert!(unknown.worded(Words::Flags).contains("--loss: unknown loss ncpp; did you mean ncp?"));
    let nameless = Comparing::of(Anonymizer::new().quasi_identifiers(["age"]).settings().clone());
    assert!(error(nameless, &going).to_string().contains("no role"));
    assert_eq!(error(comparing().algorithms([]), &going).kind(), ErrorKind::Input);
}

#[test]
fn a_release_in_memory_is_reported() {
    let asked = columns().require(KAnonymity::new(5).unwrap());
    let release = asked.anonymize(input(300)).unwrap();
    let batches = Input::batches(release.schema().unwrap(), release.to_batches().unwrap());
    let findings = klimt::report(input(300), batches, &asked).unwrap();
    assert!(findings.holds && findings.problems().is_empty());
    assert_eq!((findings.least, findings.findings.groups), (5, release.certificate().groups));
    assert_eq!(findings.loss("ncp"), release.certificate().loss("ncp"));
    assert!(findings.risk.after.prosecutor.highest <= 0.2 && findings.risk.before.prosecutor.highest > 0.2);
    assert!(findings.warnings.iter().any(|warning| warning.text.contains("no certificate")));
    let page = findings.html(Call::to_string);
    assert!(page.contains("qi = zip, age") && page.contains("verify the batches"), "the calls are plain");
    assert!(!page.contains("Person 7") && !format!("{findings:?}").contains("Person"));
    let json = serde_json::to_value(&findings).unwrap();
    assert_eq!(json["losses"]["ncp"], findings.loss("ncp").unwrap());
    let keys: Vec<&String> = json.as_object().unwrap().keys().collect();
    assert_eq!(keys, ["claims", "findings", "holds", "least", "losses", "risk", "warnings"]);
}

/// A call as Python writes it: a second front end needs one function.
fn python(call: &Call) -> String {
    let list = |values: &[String]| format!("{values:?}");
    let arguments = call.options.iter().map(|option| {
        let name = option.name.replace('-', "_");
        match &option.value {
            OptionValue::On => format!("{name}=True"),
            OptionValue::One(value) => format!("{name}={value:?}"),
            OptionValue::List(values) => format!("{name}={}", list(values)),
            OptionValue::OfColumn(column, value) => format!("{name}={{{column:?}: {value:?}}}"),
            OptionValue::ListOfColumn(column, values) => format!("{name}={{{column:?}: {}}}", list(values)),
        }
    });
    let inputs = call.inputs.iter().map(|_| "path".to_string());
    let words: Vec<String> = inputs.chain(arguments).collect();
    format!("klimt.{}({})", call.action.name(), words.join(", "))
}

#[test]
fn a_report_says_how_the_release_is_made_again_in_any_words() {
    let folder = tempfile::TempDir::new().unwrap();
    let asked = columns()
        .require(KAnonymity::new(4).unwrap())
        .require(DistinctDiversity::new("disease", 2).unwrap())
        .algorithm(Algorithm::RTree {
            base_k: Some(2),
            by: None,
            leaf_capacity: Some(3),
            prefer: vec!["age".to_string()],
        })
        .weight("age", 2.0)
        .keep_order(true);
    released(folder.path(), &asked);
    let (original, release) = files(folder.path());
    // Nothing is said: the certificate beside the release says it.
    let findings = klimt::report(original, release, &Anonymizer::new()).unwrap();
    assert!(findings.holds, "{:?}", findings.problems());
    let page = findings.html(python);
    let expected = "klimt.anonymize(path, qi=[&quot;zip&quot;, &quot;age&quot;], sensitive=[&quot;disease&quot;], \
        identifier=[&quot;name&quot;]";
    let again = python(findings.make.as_ref().unwrap());
    assert!(page.contains(expected), "{again}");
    for option in [
        "base_k=\"2\"",
        "leaf_capacity=\"3\"",
        "prefer=[\"age\"]",
        "weight={\"age\": \"2\"}",
        "keep_order=True",
    ] {
        assert!(again.contains(option), "{option} {again}");
    }
    assert!(!again.contains("seed"), "{again}");
    assert_eq!(
        python(&findings.check),
        "klimt.verify(path, qi=[\"zip\", \"age\"], sensitive=[\"disease\"], type={\"age\": \"integer\"}, \
         weight={\"age\": \"2\"}, type={\"zip\": \"integer\"}, k=\"4\", l-diversity={\"disease\": \"distinct:2\"})"
            .replace("l-diversity", "l_diversity")
    );
}

/// Settings that a certificate restores make the same release.
#[test]
fn recorded_settings_are_restored() {
    let runs = [
        columns().suppress("5%".parse::<Share>().unwrap()).loss("dm").extent(Extents::Region),
        columns().split("loss:ncp").statistics([StatisticKind::Mean]),
        columns().algorithm(AlgorithmKind::Local),
        columns().algorithm(AlgorithmKind::Scheme).time_limit(Duration::from_secs(20)),
        columns().algorithm(AlgorithmKind::RothkoS).memory(64_000_000),
    ];
    for (number, asked) in runs.into_iter().enumerate() {
        let asked = asked.require(KAnonymity::new(6).unwrap()).seed(3);
        let folder = tempfile::TempDir::new().unwrap();
        let certificate = released(folder.path(), &asked);
        let first = std::fs::read(folder.path().join("release.csv")).unwrap();
        let mut again = columns().require(KAnonymity::new(6).unwrap()).seed(3);
        certificate.settings.restore(&certificate.run, asked.settings(), again.settings_mut());
        let second = released(folder.path(), &again);
        assert_eq!(std::fs::read(folder.path().join("release.csv")).unwrap(), first, "run {number}");
        // A loss that is the usual one need not be named.
        let named = RecordedSettings { loss: second.settings.loss.clone(), ..certificate.settings };
        assert_eq!(second.settings, named, "run {number}");
    }
}

#[test]
fn a_report_finds_what_the_certificate_does_not_say_truly() {
    let folder = tempfile::TempDir::new().unwrap();
    released(folder.path(), &columns().require(KAnonymity::new(4).unwrap()));
    let path = folder.path().join("release.csv");
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, text.lines().take(250).collect::<Vec<_>>().join("\n")).unwrap();
    let (original, release) = files(folder.path());
    let findings = Reporting::of(columns().settings().clone())
        .run(original, release, &Watched::by(&klimt::Unobserved))
        .unwrap();
    assert!(!findings.holds);
    assert!(findings.problems().iter().any(|problem| problem.contains("not that of this release")));
    assert!(findings.html(Call::to_string).contains("role=\"alert\""));
}

#[test]
fn a_certificate_is_read_from_its_file() {
    let folder = tempfile::TempDir::new().unwrap();
    let made = released(folder.path(), &columns().require(KAnonymity::new(4).unwrap()));
    let path = folder.path().join("release.csv.certificate.json");
    let certificate = Certificate::from_file(&path).unwrap();
    assert_eq!(certificate, made);
    assert!(certificate.holds() && certificate.is_of(folder.path().join("release.csv")).unwrap());
    assert!(!certificate.is_of(folder.path().join("patients.csv")).unwrap());
    assert_eq!(certificate.column("age").unwrap().role, Role::QuasiIdentifier);
    assert_eq!(certificate.promises("k-anonymity").count(), 1);
    assert_eq!((certificate.loss("none"), certificate.column("none")), (None, None));

    let text = std::fs::read_to_string(&path).unwrap();
    let read = |text: &str| -> Error { Certificate::from_json("c.json", text.as_bytes()).unwrap_err() };
    let newer = read(&text.replacen("\"version\": 2", "\"version\": 3", 1));
    assert_eq!(newer.kind(), ErrorKind::Input);
    assert!(
        newer.to_string().contains("c.json: the certificate has version 3, and this klimt reads version 2")
    );
    assert!(newer.help(Words::Plain)[0].contains(env!("CARGO_PKG_VERSION")), "{newer:?}");
    let nameless = read(&text.replacen("\"version\": 2,", "", 1));
    assert!(nameless.to_string().contains("names no version"), "{nameless}");
    assert!(read("{}").to_string().contains("this is not a certificate of klimt"));
    assert!(read("{").to_string().contains("this is not JSON"));
    let unknown = text.replacen("\"qi\":", "\"colour\": 1, \"qi\":", 1);
    assert!(read(&unknown).to_string().contains("not a certificate"), "unknown settings are not left out");
    // Reading by serde looks at the version too.
    let mut json: serde_json::Value = serde_json::from_str(&text).unwrap();
    json["version"] = 1.into();
    assert!(serde_json::from_value::<Certificate>(json).is_err());
    assert!(Certificate::from_file(folder.path().join("none.json")).is_err());
}
