use klimt::generate::{GenerateRequest, Parameters, generate};
use klimt::prelude::*;
use klimt::{ErrorKind, Observer, Watched};

#[test]
fn the_same_parameters_make_the_same_table_in_every_format() {
    let folder = tempfile::TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name);
    for name in ["a.csv", "b.csv", "c.parquet", "d.csv.gz"] {
        generate("census", &Parameters::new(500, 7), &Output::file(path(name)).unwrap()).unwrap();
    }
    assert_eq!(std::fs::read(path("a.csv")).unwrap(), std::fs::read(path("b.csv")).unwrap());
    let inspect = |name: &str| {
        let found = klimt::inspect(Input::file(path(name)).unwrap(), &Anonymizer::new()).unwrap();
        serde_json::to_value(&found).unwrap()
    };
    assert_eq!(inspect("a.csv"), inspect("c.parquet"));
    assert_eq!(inspect("a.csv"), inspect("d.csv.gz"));
    let error = generate("nothing", &Parameters::new(1, 1), &Output::file(path("x")).unwrap()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Input);
}

struct Stop;

impl Observer for Stop {
    fn cancelled(&self) -> bool {
        true
    }
}

#[test]
fn a_table_that_is_stopped_does_not_appear() {
    let folder = tempfile::TempDir::new().unwrap();
    let request = GenerateRequest::new("census", &Parameters::new(100_000, 1)).unwrap();
    let output = Output::file(folder.path().join("out.csv")).unwrap();
    let error = request.run(&output, &Watched::by(&Stop)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Cancelled);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}
