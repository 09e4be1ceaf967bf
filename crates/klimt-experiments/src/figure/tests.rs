//! The list is whole, and every figure runs and is written.

use super::claim::{Claim, Is, Line, Of, Verdict};
use super::registry::PAPERS;
use super::sweep::{Panel, Sweep};
use super::*;
use crate::number::Measured;
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
        let claims = !figure.claims.is_empty() || !figure.undecidable.is_empty();
        assert_eq!(figure.run.is_some(), claims, "{}", figure.name);
        assert!(!figure.title.is_empty());
        let decides = figure.claims.iter().any(|claim| claim.decides);
        assert!(decides || figure.claims.is_empty(), "{}: nothing decides", figure.name);
        let is_number = |word: &str| word.parse::<f64>().is_ok();
        assert!(
            figure.run.is_none() || !figure.title.split_whitespace().any(is_number),
            "{}: sizes are told as they ran",
            figure.name
        );
    }
}

#[test]
fn names_find_figures_papers_and_everything() {
    let many = |names: &[&str]| {
        let names: Vec<String> = names.iter().map(|name| name.to_string()).collect();
        wanted(&names).map(|found| found.len()).map_err(|error| error.to_string())
    };
    assert_eq!(
        (many(&["all"]), many(&["mondrian"]), many(&["mondrian-10", "rtree-7"])),
        (Ok(100), Ok(17), Ok(2))
    );
    let error = many(&["mondrian-99", "all", "x"]).unwrap_err();
    assert!(error.contains("mondrian-99, x"), "{error}");
}

/// Numbers for the series of a claim, all as good as another, at places that every claim counts.
fn made_up(claim: &Claim, number: Measured) -> Vec<Sweep> {
    let panels = 1 + claim.of.lines().iter().map(|(panel, _)| *panel).max().unwrap_or(0);
    let places = ["1", "2", "1000"];
    let values = |of: Of| -> Vec<Vec<Measured>> {
        let one = || Measured::from(1.0);
        let twice = Measured::between(number.low * number.low, number.high * number.high);
        match of {
            Of::Value(_) => vec![vec![number; 3]],
            Of::Ratio(..) => vec![vec![number; 3], vec![one(); 3]],
            Of::Steps(_) => vec![vec![one(), number, twice]],
            Of::Ends(_) => vec![vec![one(), one(), number]],
            Of::Range(_) => vec![vec![one(), number, one()]],
        }
    };
    let lines: Vec<(Line, Vec<Measured>)> = claim.of.lines().into_iter().zip(values(claim.of)).collect();
    let panel = |panel: usize| {
        let of_panel: Vec<&(Line, Vec<Measured>)> =
            lines.iter().filter(|((of, _), _)| *of == panel).collect();
        let names: Vec<&str> = of_panel.iter().map(|((_, name), _)| *name).collect();
        let mut sweep = Sweep::new("made up", "place", "number", &names);
        for (at, place) in places.iter().enumerate() {
            sweep.push(place, of_panel.iter().map(|(_, values)| values[at]).collect::<Vec<_>>()).unwrap();
        }
        sweep
    };
    (0..panels).map(panel).collect()
}

/// A check that cannot fail is no check: every claim of every figure holds for made-up numbers on the right side of its
/// limit, does not hold on the other side, and is not decided where the numbers may lie on either.
#[test]
fn every_claim_holds_and_fails_on_made_up_numbers() {
    let judged = |claim: &Claim, number: Measured| {
        let panels = made_up(claim, number);
        claim.judge(&panels.iter().collect::<Vec<_>>()).verdict
    };
    for figure in figures() {
        for claim in figure.claims {
            let (good, bad) = match claim.is {
                Is::Below(limit) => (limit * 0.99, limit),
                Is::AtMost(limit) => (limit * 0.999, limit * 1.01),
                Is::Over(limit) => (limit * 1.01, limit),
                Is::AtLeast(limit) => (limit * 1.001, limit * 0.99),
                Is::Exactly(limit) => (limit, limit * 1.01),
            };
            let name = format!("{}: {}", figure.name, claim.asks());
            assert_eq!(judged(claim, good.into()), Verdict::Holds, "{name}");
            assert_eq!(judged(claim, bad.into()), Verdict::DoesNotHold, "{name}");
            let open = Measured::between(good.min(bad), good.max(bad));
            assert_eq!(judged(claim, open), Verdict::NotDecided, "{name}");
            assert_eq!(judged(claim, Measured::UNKNOWN), Verdict::NotDecided, "{name}");
        }
    }
}

/// klimt's own searches and the other baseline stand beside what the paper claims.
#[test]
fn verdicts_of_gensearch_are_about_gensearch_and_its_greedy_baseline() {
    for figure in figures().into_iter().filter(|figure| figure.paper().system == "gensearch") {
        for claim in figure.claims.iter().filter(|claim| claim.decides) {
            for (_, name) in claim.of.lines() {
                assert!(!name.contains("klimt") && !name.contains("median"), "{}: {name}", figure.name);
            }
        }
    }
}

/// Runs all figures on tiny tables: none fails, each is written and gives the same verdict when it is read again, its claims
/// name series that were measured, and the page has them all. Tables so small decide nothing.
#[test]
fn every_figure_runs_is_written_and_judged_again() {
    let (folder, context) = Context::tiny();
    let out = folder.path().join("made");
    let all = figures();
    let (found, failed) = run(&context, &all, &out, &|_| ()).unwrap();
    assert_eq!(failed, Vec::<String>::new());
    let shown: Vec<page::Shown<'_>> = all.iter().copied().zip(found.iter().map(Option::as_ref)).collect();
    let (page, table) = (page::page(&shown), summary::summary(&shown));
    for (figure, outcome) in shown {
        assert!(page.contains(&format!("{}: ", figure.name)), "{} is on the page", figure.name);
        let Some(outcome) = outcome else { continue };
        let sweeps = Panel::sweeps(&outcome.panels);
        let titles: BTreeSet<&str> = sweeps.iter().map(|sweep| sweep.title.as_str()).collect();
        assert_eq!(titles.len(), sweeps.len(), "{}: panels have names of their own", figure.name);
        for (panel, name) in figure.claims.iter().flat_map(|claim| claim.of.lines()) {
            let measured = sweeps.get(panel).is_some_and(|sweep| !sweep.of(name).is_empty());
            assert!(measured, "{}: nothing was measured of {name} in panel {panel}", figure.name);
        }
        let read =
            |ending: &str| std::fs::read_to_string(out.join(format!("{}.{ending}", figure.name))).unwrap();
        assert!(read("csv").lines().count() > 1, "{} has numbers", figure.name);
        assert!(read("svg").starts_with("<svg") && read("svg").trim_end().ends_with("</svg>"));
        let verdict: Value = serde_json::from_str(&read("json")).unwrap();
        assert_eq!(verdict["verdict"], "not decided", "{}", figure.name);
        let decided = |outcome: &Outcome| {
            let run = Run { trial: false, ..outcome.run.clone() };
            let judged = judge(figure, &Outcome { run, ..outcome.clone() });
            (judged.verdict, judged.findings.into_iter().map(|(_, finding)| finding).collect::<Vec<_>>())
        };
        assert_eq!(decided(&write::read(&out, figure).unwrap()), decided(outcome), "{}", figure.name);
        assert!(page.contains(&format!("id=\"{}\"", figure.name)) && table.contains(figure.name));
    }
    assert!(page.contains("the generator census stands in for Adult"));
    assert!(
        !page.contains("src=") && !page.contains("<script") && !page.contains("<link"),
        "nothing from elsewhere"
    );
    let (again, failed) = again(&all, &out);
    assert!(failed.is_empty() && again.len() == all.len());
}

#[test]
fn what_is_shared_is_made_once() {
    let (_folder, context) = Context::tiny();
    let made = RefCell::new(0);
    for _ in 0..3 {
        let value = context.memo("x", || {
            *made.borrow_mut() += 1;
            Ok(7u32)
        });
        assert_eq!(*value.unwrap(), 7);
    }
    assert_eq!(*made.borrow(), 1);
    assert!(context.memo::<u32>("y", || Err("no".into())).is_err());
}

#[test]
fn a_table_that_is_named_must_be_there() {
    let args = FigureArgs {
        names: vec!["all".to_string()],
        list: false,
        json: false,
        quick: true,
        again: false,
        markdown: None,
        time_limit: None,
        out: PathBuf::new(),
        data: Some(PathBuf::from("no such folder/adult.csv")),
        hierarchies: None,
        quiet: true,
    };
    let missing = Files::find(args.data.as_deref(), None).unwrap_err().to_string();
    assert!(missing.contains("there is no such file"));
    assert_eq!((seconds("2.5"), seconds("0").is_err(), seconds("x").is_err()), (Ok(2.5), true, true));
}
