//! A loss that is not in the registry, through the front door.

use klimt::loss::{Cost, Discernibility, Loss, Original, Totals};
use klimt::prelude::*;
use klimt::statistics::{Needs, Statistics};
use klimt::{ErrorKind, Result};

/// Rows in groups of more than seven.
struct LargeGroups;

impl Loss for LargeGroups {
    fn id(&self) -> &'static str {
        "large-groups"
    }

    fn cost<'a>(&self, _: &Original<'a>) -> Option<Box<dyn Cost + 'a>> {
        Some(Box::new(LargeGroups))
    }
}

impl Cost for LargeGroups {
    fn needs(&self) -> Needs {
        Needs::default()
    }

    fn group(&self, group: &Statistics) -> f64 {
        if group.count > 7 { group.count as f64 } else { 0.0 }
    }

    fn bound(&self, group: &Statistics, minimum: u64) -> f64 {
        if group.count < 2 * minimum { self.group(group) } else { 0.0 }
    }

    fn size(&self, rows: u64) -> Option<f64> {
        Some(self.group(&Statistics { count: rows, ..Statistics::default() }))
    }

    fn price(&self, _: u64) -> Option<f64> {
        Some(1.0)
    }

    fn finish(&self, sum: f64, totals: &Totals) -> f64 {
        sum + totals.suppressed as f64
    }
}

/// A loss with the name of another, and one that does not add up over groups.
struct Named(&'static str);

impl Loss for Named {
    fn id(&self) -> &'static str {
        self.0
    }

    fn cost<'a>(&self, _: &Original<'a>) -> Option<Box<dyn Cost + 'a>> {
        None
    }
}

/// Ages of which most are common and some are rare, so that the median leaves groups of all sizes.
fn input() -> Input {
    let age = |row: u64| 20 + (row * row * 7 + row) % 67 * (row % 5) / 4;
    let rows: String = (0..240).map(|row| format!("{},{}\n", age(row), row * 31 % 17)).collect();
    Input::reader(Format::Csv, std::io::Cursor::new(format!("age,zip\n{rows}")))
}

fn usual() -> Anonymizer {
    Anonymizer::new().quasi_identifiers(["age", "zip"]).require(KAnonymity::new(5).unwrap()).seed(3)
}

/// What the loss is by the published rows, counted here.
fn counted(release: &Release) -> f64 {
    let mut sizes = std::collections::BTreeMap::<Vec<String>, u64>::new();
    for batch in release.to_batches().unwrap() {
        for row in 0..batch.num_rows() {
            let text = |column: &klimt::arrow::array::ArrayRef| {
                use klimt::arrow::array::AsArray;
                column.as_string::<i32>().value(row).to_string()
            };
            *sizes.entry(batch.columns().iter().map(text).collect()).or_default() += 1;
        }
    }
    sizes.values().filter(|size| **size > 7).sum::<u64>() as f64
}

#[test]
fn searches_minimise_an_own_loss_and_certificates_tell_it() {
    let by_ncp = usual().effort(Effort::Balanced).anonymize(input()).unwrap();
    assert!(by_ncp.certificate().loss("large-groups").is_none());
    for run in [
        usual().effort(Effort::Balanced),
        usual().algorithm(AlgorithmKind::Optimal).time_limit(std::time::Duration::from_secs(5)),
        usual().algorithm(AlgorithmKind::GenSearch).time_limit(std::time::Duration::from_secs(5)),
    ] {
        let release = run.loss(LargeGroups).anonymize(input()).unwrap();
        let certificate = release.certificate();
        let told = certificate.loss("large-groups").unwrap();
        assert_eq!(told, counted(&release));
        assert!(told < counted(&by_ncp), "{told} where ncp leaves {}", counted(&by_ncp));
        let search = certificate.search.as_ref().unwrap();
        assert_eq!((search.loss.as_str(), search.found), ("large-groups", Some(told)));
        assert!(certificate.loss("ncp").is_some());
    }
}

#[test]
fn suppression_lowers_an_own_loss() {
    let run = usual().loss(LargeGroups).suppress("10%".parse::<Share>().unwrap());
    let release = run.anonymize(input()).unwrap();
    let told = release.certificate().loss("large-groups").unwrap();
    assert_eq!(told, counted(&release) + release.certificate().rows.suppressed as f64);
}

#[test]
fn a_loss_of_the_registry_is_the_same_by_its_type_and_by_its_name() {
    let minimise = |run: Anonymizer| run.algorithm(AlgorithmKind::Optimal).anonymize(input()).unwrap();
    let by_type = minimise(usual().loss(Discernibility));
    let by_name = minimise(usual().loss("dm"));
    assert_eq!(by_type.certificate().search, by_name.certificate().search);
    assert!(usual().loss(Discernibility).to_spec().unwrap().contains("loss = \"dm\""));
}

#[test]
fn where_an_own_loss_cannot_act_the_error_says_so() {
    let message = |outcome: Result<Release>| {
        let error = outcome.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Input);
        error.to_string()
    };
    let best = || usual().effort(Effort::Best);
    let taken = message(best().loss(Named("dm")).anonymize(input()));
    assert!(taken.contains("klimt has a loss dm"), "{taken}");
    let whole = message(best().loss(Named("own")).anonymize(input()));
    assert!(whole.contains("the loss own cannot be minimised here"), "{whole}");
    let idle = message(usual().loss(LargeGroups).anonymize(input()));
    assert!(idle.contains("loss") && idle.contains("effort"), "{idle}");
    let sampled = usual().algorithm(AlgorithmKind::RothkoS).loss(LargeGroups).anonymize(input());
    assert!(message(sampled).contains("loss"));
    let spec = usual().loss(LargeGroups).to_spec().unwrap_err();
    assert_eq!(spec.kind(), ErrorKind::Input);
    assert!(spec.to_string().contains("a spec cannot hold the loss large-groups"), "{spec}");
}

#[test]
fn a_table_on_disk_refuses_a_search_for_an_own_loss() {
    let rows: String =
        (0..400_000u64).map(|at| format!("{},{}\n", at * 7919 % 1_000_003, at % 977)).collect();
    let table = Input::reader(Format::Csv, std::io::Cursor::new(format!("age,zip\n{rows}")));
    let run = usual().effort(Effort::Balanced).loss(LargeGroups).memory(16_000_000);
    let error = run.anonymize(table).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Resource);
    assert!(error.remedies().iter().any(|remedy| matches!(remedy, klimt::Remedy::RaiseMemory(_))), "{error}");
}
