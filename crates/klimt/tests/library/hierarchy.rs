use crate::{input, patients};
use klimt::hierarchy::{BuildRule, Hierarchy};
use klimt::prelude::{Anonymizer, KAnonymity};

fn zips() -> Hierarchy {
    let rule = BuildRule::Prefix { lengths: vec![4, 3] };
    Hierarchy::of_column(input(patients(0..100)), "zip", rule, &Anonymizer::new()).unwrap()
}

#[test]
fn a_hierarchy_of_a_column_covers_it() {
    let tree = zips();
    assert_eq!((tree.values(), tree.height()), (40, 3));
    let coverage = tree.coverage(input(patients(0..20)), "zip", &Anonymizer::new()).unwrap();
    assert_eq!((coverage.covered, coverage.unused), (20, 20));
    let error = tree.coverage(input("zip\n53700\n99999\n"), "zip", &Anonymizer::new()).unwrap_err();
    assert!(error.message().contains("line 3") && !error.message().contains("99999"), "{error}");
    let error = tree.coverage(input("zip\n53700\n"), "zap", &Anonymizer::new()).unwrap_err();
    assert!(error.message().contains("did you mean zip"), "{error}");
}

#[test]
fn a_hierarchy_that_was_built_is_used() {
    let asked = Anonymizer::new()
        .quasi_identifiers(["zip"])
        .insensitive(["disease"])
        .identifiers(["patient", "age"])
        .hierarchy("zip", zips())
        .require(KAnonymity::new(5).unwrap());
    assert!(asked.anonymize(input(patients(0..100))).unwrap().certificate().groups > 1);
}

#[test]
fn every_rule_builds() {
    let values = |texts: &[&str]| texts.iter().map(ToString::to_string).collect::<Vec<_>>();
    let numbers = || (0..40).map(|number| number.to_string()).collect::<Vec<_>>();
    let leaves_and_height = |values: Vec<String>, rule: BuildRule| {
        let tree = Hierarchy::build(values, rule).unwrap();
        (tree.values(), tree.height())
    };
    assert_eq!(leaves_and_height(numbers(), BuildRule::widths(["10", "20"], Some("5")).unwrap()), (40, 3));
    let count = BuildRule::Count { size: BuildRule::SIZE, fan_out: BuildRule::FAN_OUT };
    assert_eq!(leaves_and_height(numbers(), count).0, 40);
    let days = values(&["1999-05-01", "1999-06-02", "2001-01-01"]);
    assert_eq!(leaves_and_height(days.clone(), BuildRule::Date { decades: false }), (3, 3));
    assert_eq!(leaves_and_height(days, BuildRule::Date { decades: true }), (3, 4));
    let order = BuildRule::Order { values: values(&["low", "mid", "high", "top"]), fan_out: 2 };
    assert_eq!(leaves_and_height(values(&["high", "low", "mid", "top"]), order), (4, 2));
    let error = BuildRule::widths(["ten"], None).unwrap_err();
    assert_eq!(error.help(klimt::Words::Flags), ["--widths 5,10,20"]);
}

#[test]
fn generalizations_are_counted_by_scheme() {
    let tree = Hierarchy::from_lines([["a", "x", "*"], ["b", "x", "*"], ["c", "y", "*"]]).unwrap();
    let counts = serde_json::to_value(tree.generalizations(None).unwrap()).unwrap();
    // Three levels; of a cut through the tree, x is open or not, and y is drawn as a level of its own.
    assert_eq!((counts["bhs"].as_str(), counts["ghs"].as_str()), (Some("3"), Some("5")));
    assert_eq!((counts["ops"].as_str(), counts["sps"].as_str()), (Some("4"), Some("5")));
    let only = tree.generalizations(Some(klimt::settings::scheme_named("sps").unwrap())).unwrap();
    assert_eq!(only.0, [("sps", "5".to_string())]);
}

#[test]
fn a_drawing_has_a_line_per_node() {
    let mut text = String::new();
    let tree = zips();
    tree.draw(|chunk| {
        text.push_str(chunk);
        Ok(())
    })
    .unwrap();
    assert_eq!(text.lines().count(), tree.nodes() as usize);
    assert!(text.contains("└─ 53739\n"), "{text}");
}
