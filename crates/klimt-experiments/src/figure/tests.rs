//! The list is whole, and every figure runs and is written.

use super::registry::PAPERS;
use super::*;
use std::collections::BTreeSet;

#[test]
fn every_figure_and_table_of_every_paper_is_in_the_list_once() {
    let mut expected = Vec::new();
    for paper in &PAPERS {
        expected.extend((1..=paper.figures).map(|number| format!("{}-{number}", paper.system)));
        expected.extend((1..=paper.tables).map(|number| format!("{}-table-{number}", paper.system)));
    }
    let names: Vec<&str> = figures().iter().map(|figure| figure.name).collect();
    assert_eq!(names, expected);
}

#[test]
fn the_experiments_are_those_of_the_papers() {
    let ranges = [
        ("mondrian", 10..=17),
        ("rothko", 8..=28),
        ("rtree", 7..=12),
        ("gensearch", 14..=24),
        ("schemes", 9..=13),
    ];
    let expected: BTreeSet<String> = ranges
        .into_iter()
        .flat_map(|(system, numbers)| numbers.map(move |number| format!("{system}-{number}")))
        .collect();
    let experiments: BTreeSet<String> = figures()
        .iter()
        .filter(|figure| figure.run.is_some())
        .map(|figure| figure.name.to_string())
        .collect();
    assert_eq!(experiments, expected);
    for figure in figures() {
        assert_eq!(figure.run.is_some(), !figure.claim.is_empty(), "{}", figure.name);
        assert!(!figure.title.is_empty());
    }
}

#[test]
fn names_find_figures_papers_and_everything() {
    let many = |names: &[&str]| {
        let names: Vec<String> = names.iter().map(|name| name.to_string()).collect();
        wanted(&names).map(|found| found.len())
    };
    assert_eq!(
        (many(&["all"]), many(&["mondrian"]), many(&["mondrian-10", "rtree-7"])),
        (Ok(100), Ok(17), Ok(2))
    );
    let error = many(&["mondrian-99", "all", "x"]).unwrap_err();
    assert!(error.contains("mondrian-99, x"), "{error}");
}

/// Runs all figures on tiny tables: none fails, each is written, and the page has them all.
#[test]
fn every_figure_runs_and_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("made");
    let failed = run(&Context::tiny(), &figures(), &out, true, &|_| ()).unwrap();
    assert_eq!(failed, Vec::<String>::new());
    let page = std::fs::read_to_string(out.join("index.html")).unwrap();
    for figure in figures() {
        assert!(page.contains(&format!("{}: ", figure.name)), "{} is on the page", figure.name);
        if figure.run.is_none() {
            continue;
        }
        let read =
            |ending: &str| std::fs::read_to_string(out.join(format!("{}.{ending}", figure.name))).unwrap();
        assert!(read("csv").lines().count() > 2, "{} has numbers", figure.name);
        assert!(read("svg").starts_with("<svg") && read("svg").trim_end().ends_with("</svg>"));
        let verdict: Value = serde_json::from_str(&read("json")).unwrap();
        assert_eq!(verdict["claim"], figure.claim);
        assert!(["holds", "does not hold", "not tested"].contains(&verdict["verdict"].as_str().unwrap()));
        assert!(page.contains(&format!("id=\"{}\"", figure.name)));
    }
    assert!(page.contains("the generator census stands in for Adult"));
    assert!(
        !page.contains("src=") && !page.contains("<script") && !page.contains("<link"),
        "nothing from elsewhere"
    );
}

#[test]
fn what_is_shared_is_made_once() {
    let context = Context::tiny();
    let made = RefCell::new(0);
    for _ in 0..3 {
        let value = context.memo("x", || {
            *made.borrow_mut() += 1;
            Ok(7u32)
        });
        assert_eq!(*value.unwrap(), 7);
    }
    assert_eq!(*made.borrow(), 1);
    assert!(context.memo::<u32>("y", || Err("no".to_string())).is_err());
}

#[test]
fn a_table_that_is_named_must_be_there() {
    let args = FigureArgs {
        names: vec!["all".to_string()],
        list: false,
        json: false,
        quick: true,
        time_limit: None,
        out: PathBuf::new(),
        data: Some(PathBuf::from("no such folder/adult.csv")),
        hierarchies: None,
        quiet: true,
    };
    assert!(files(args.data.as_deref(), None).unwrap_err().contains("there is no such file"));
    assert_eq!((seconds("2.5"), seconds("0").is_err(), seconds("x").is_err()), (Ok(2.5), true, true));
}
