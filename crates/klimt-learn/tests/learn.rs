//! Trees that learn what there is to learn, from tables of a few rows.

use klimt_core::loss::PublishedGroup;
use klimt_core::table::{
    Codes, Column, ColumnData, ColumnSpec, Distinct, Encoding, Role, Table, TypeSpec, ValueType,
};
use klimt_learn::{Learning, Quality, Report, learn};
use proptest::prelude::*;

fn column(name: &str, role: Role, texts: &[String], type_spec: Option<ValueType>) -> Column {
    let mut spec = ColumnSpec::new(name, role);
    spec.type_spec = type_spec.map(TypeSpec::from);
    let mut different: Vec<&str> = texts.iter().map(String::as_str).filter(|text| !text.is_empty()).collect();
    different.sort_unstable();
    different.dedup();
    let missing = texts.iter().any(String::is_empty);
    let encoding =
        Encoding::of(&spec, Distinct::Texts(different.iter().copied().collect()), missing).unwrap();
    let domain = encoding.domain;
    let code = |text: &String| match different.binary_search(&text.as_str()) {
        Ok(at) => encoding.codes[at],
        Err(_) => domain.missing_code().unwrap(),
    };
    let codes = Codes::collect(domain.cardinality(), texts.iter().map(code));
    Column { name: name.to_string(), role, data: ColumnData::Coded { domain: domain.into(), codes } }
}

/// Rows of a number, a colour and a target; as they are, or as texts.
fn table(rows: &[(String, String, String)], as_texts: bool) -> Table {
    let text = as_texts.then_some(ValueType::Text);
    let of = |at: fn(&(String, String, String)) -> &String| rows.iter().map(at).cloned().collect::<Vec<_>>();
    let columns = vec![
        column("x", Role::QuasiIdentifier, &of(|row| &row.0), text),
        column("colour", Role::QuasiIdentifier, &of(|row| &row.1), text),
        column("t", Role::Target, &of(|row| &row.2), text),
    ];
    Table::new(rows.len(), columns).unwrap()
}

/// Every row as a group of its own, as it is: a release that loses nothing.
fn as_they_are(rows: &[(String, String, String)]) -> Vec<PublishedGroup> {
    let group = |(x, colour, t): &(String, String, String)| PublishedGroup {
        texts: vec![x.clone(), colour.clone()],
        rows: 1,
        kept: vec![(2, vec![(t.clone(), 1)])],
    };
    rows.iter().map(group).collect()
}

fn report(
    train: &[(String, String, String)],
    release: &[PublishedGroup],
    test: &[(String, String, String)],
) -> Report {
    let (original, test) = (table(train, false), table(test, true));
    learn(&Learning { original: &original, release, test: &test, target: 2 }).unwrap()
}

fn accuracy(quality: Quality) -> f64 {
    match quality {
        Quality::Class { accuracy } => accuracy,
        Quality::Number { .. } => panic!("a class was asked for"),
    }
}

/// Rows of a rule with many classes: colour by colour, cut at a place of its own.
fn rows(count: usize, classes: usize) -> Vec<(String, String, String)> {
    let row = |row: usize| {
        let (x, colour) = (row * 37 % 101, row * 13 % 7);
        let class = (colour * 3 + usize::from(x > 20 + colour * 10)) % classes;
        (x.to_string(), format!("colour {colour}"), format!("class {class}"))
    };
    (0..count).map(row).collect()
}

#[test]
fn a_release_that_loses_nothing_teaches_as_much() {
    for classes in [2, 5, 20] {
        let (train, test) = (rows(3000, classes), rows(5000, classes)[3000..].to_vec());
        let found = report(&train, &as_they_are(&train), &test);
        let original = accuracy(found.original.quality);
        assert!(original > 0.97, "{classes} classes: {found:?}");
        assert!((accuracy(found.release.quality) - original).abs() < 0.01, "{classes} classes: {found:?}");
        assert!(accuracy(found.base) < 0.8);
    }
}

#[test]
fn a_release_of_one_group_teaches_the_commonest_class() {
    let rare = |(at, (x, colour, _)): (usize, (String, String, String))| {
        (x, colour, if at % 10 == 0 { "rare" } else { "common" }.to_string())
    };
    let train: Vec<_> = rows(1000, 2).into_iter().enumerate().map(rare).collect();
    let test = train[..300].to_vec();
    let mut counts: Vec<(String, u64)> = Vec::new();
    for (_, _, class) in &train {
        match counts.iter_mut().find(|(other, _)| other == class) {
            Some((_, rows)) => *rows += 1,
            None => counts.push((class.clone(), 1)),
        }
    }
    let one = PublishedGroup { texts: vec!["*".into(), "*".into()], rows: 1000, kept: vec![(2, counts)] };
    let found = report(&train, &[one], &test);
    assert_eq!(accuracy(found.release.quality), accuracy(found.base));
}

/// The class is the colour's, and regions are sets: their shares of the class say which colour it is of.
#[test]
fn sets_and_intervals_are_learnt_from() {
    let row = |row: usize| {
        let colour = ["red", "blue", "green", "grey"][row % 4];
        let class = if row % 4 < 2 && row % 50 < 30 { "yes" } else { "no" };
        ((row % 50).to_string(), colour.to_string(), class.to_string())
    };
    let train: Vec<_> = (0..2000).map(row).collect();
    let of = |colours: [&str; 2], x: [usize; 2]| {
        let inside = |row: &&(String, String, String)| {
            let number: usize = row.0.parse().unwrap();
            colours.contains(&row.1.as_str()) && x[0] <= number && number <= x[1]
        };
        let yes = train.iter().filter(inside).filter(|row| row.2 == "yes").count() as u64;
        let all = train.iter().filter(inside).count() as u64;
        let counts = [("yes", yes), ("no", all - yes)].map(|(class, rows)| (class.to_string(), rows));
        PublishedGroup {
            texts: vec![format!("[{}..{}]", x[0], x[1]), format!("{{{}|{}}}", colours[0], colours[1])],
            rows: all,
            kept: vec![(2, counts.into_iter().filter(|(_, rows)| *rows > 0).collect())],
        }
    };
    let pairs = [["red", "blue"], ["green", "grey"]];
    let groups: Vec<PublishedGroup> =
        pairs.into_iter().flat_map(|pair| [of(pair, [0, 29]), of(pair, [30, 49])]).collect();
    let found = report(&train, &groups, &train);
    assert!(accuracy(found.release.quality) > 0.99, "{found:?}");
}

/// A wide region of one class around a narrow one of another: by their middles, all below the narrow one would be of its
/// class.
#[test]
fn regions_are_more_than_their_middles() {
    let row = |x: usize, class: &str| (x.to_string(), "red".to_string(), class.to_string());
    let mut train: Vec<_> = (0..900).map(|at| row(at % 100, "no")).collect();
    train.extend((0..100).map(|at| row(45 + at % 9, "yes")));
    let group = |x: &str, rows: u64, class: &str| PublishedGroup {
        texts: vec![x.to_string(), "red".to_string()],
        rows,
        kept: vec![(2, vec![(class.to_string(), rows)])],
    };
    let groups = [group("[0..99]", 900, "no"), group("[45..53]", 100, "yes")];
    let test: Vec<_> = (0..100).filter(|x| !(40..60).contains(x)).map(|x| row(x, "no")).collect();
    let found = report(&train, &groups, &test);
    assert!(accuracy(found.release.quality) > 0.95, "{found:?}");
}

#[test]
fn numbers_are_predicted() {
    let row = |row: usize| (format!("{}", row % 100), "red".to_string(), format!("{}.5", (row % 100) * 3));
    let train: Vec<_> = (0..2000).map(row).collect();
    let found = report(&train, &as_they_are(&train), &train[..500]);
    let (Quality::Number { rmse, r2 }, Quality::Number { rmse: base, .. }) =
        (found.release.quality, found.base)
    else {
        panic!("a number was asked for");
    };
    assert!(rmse < base * 0.1 && r2 > 0.98 && found.classes.is_none(), "{found:?}");
}

/// More rows than are trained with: the choice is the same each time, and said.
#[test]
fn of_many_rows_some_are_taken() {
    let train = rows(130_000, 2);
    let small = rows(200, 2);
    let (original, test) = (table(&train, false), table(&small, true));
    let release = as_they_are(&small);
    let once =
        || learn(&Learning { original: &original, release: &release, test: &test, target: 2 }).unwrap();
    let found = once();
    assert_eq!((found.original.rows, found.original.trained_rows), (130_000, 100_000));
    assert_eq!((found.release.rows, found.release.trained_rows), (200, 200));
    assert_eq!(found, once());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    /// Whatever the rows are, there are shares, and a constant target is told.
    #[test]
    fn any_rows_are_learnt_from(
        train in prop::collection::vec((0..6usize, 0..4usize, 0..4usize), 1..40),
        test in prop::collection::vec((0..8usize, 0..6usize, 0..6usize), 1..20)
    ) {
        let texts = |rows: &[(usize, usize, usize)]| -> Vec<(String, String, String)> {
            let x = |at: usize| ["1", "2", "5.5", "", "30", "-1", "77", "odd"][at].to_string();
            let colour = |at: usize| ["red", "", "blue", "green", "new", "{x}"][at].to_string();
            let class = |at: usize| ["yes", "no", "", "so", "else", "other"][at].to_string();
            rows.iter().map(|&(a, b, c)| (x(a), colour(b), class(c))).collect()
        };
        let (train, test) = (texts(&train), texts(&test));
        let found = report(&train, &as_they_are(&train), &test);
        for quality in [found.base, found.original.quality, found.release.quality] {
            prop_assert!((0.0..=1.0).contains(&accuracy(quality)));
        }
        let constant: Vec<_> = train.iter().map(|(x, colour, _)| (x.clone(), colour.clone(), "so".to_string())).collect();
        let found = report(&constant, &as_they_are(&constant), &constant);
        prop_assert_eq!(accuracy(found.release.quality), 1.0);
    }
}
