//! Attacks against their definitions, person by person.

use crate::common::{column, letters};
use klimt_core::attack::{Attack, Report, SensitiveResult, attack};
use klimt_core::loss::PublishedGroup;
use klimt_core::risk::Share;
use klimt_core::table::{ColumnSpec, Role, Table, TypeSpec, ValueType};
use proptest::prelude::*;

/// A person: age, letter, colour, and what they truly have.
type Person = [&'static str; 4];

/// A group: what is published of age, letter and colour, and how often each value occurs.
type Group = ([&'static str; 3], Vec<(&'static str, u64)>);

const AGES: [&str; 8] = ["20", "21", "25", "30", "31", "47", "", "30.0"];
const LETTERS: [&str; 6] = ["a", "b", "c", "e", "h", "z"];
const COLOURS: [&str; 5] = ["red", "blue", "gr|een", "", "odd"];
const ILLS: [&str; 3] = ["flu", "gout", "asthma"];

fn person() -> impl Strategy<Value = Person> {
    (0..8usize, 0..6usize, 0..5usize, 0..4usize)
        .prop_map(|(a, l, c, i)| [AGES[a], LETTERS[l], COLOURS[c], ["flu", "gout", "asthma", "new"][i]])
}

fn group() -> impl Strategy<Value = Group> {
    let ages = prop::sample::select(vec!["[20..25]", "(20..30]", "30", "*", "", "[21..47]"]);
    let letters = prop::sample::select(vec!["a", "ab", "a-d", "*", "h", "e-h"]);
    let colours = prop::sample::select(vec!["red", "{red|blue}", "{gr\\|een|}", "*"]);
    let counts = prop::collection::vec(0..3u64, 3);
    (ages, letters, colours, counts).prop_map(|(age, letter, colour, counts)| {
        let mut ills: Vec<(&str, u64)> = ILLS.into_iter().zip(counts).filter(|(_, rows)| *rows > 0).collect();
        if ills.is_empty() {
            ills.push(("flu", 1));
        }
        ([age, letter, colour], ills)
    })
}

/// Whether what is published of a person may be theirs, written out case by case.
fn holds(texts: &[&str; 3], person: &Person) -> bool {
    let age: Option<f64> = person[0].parse().ok();
    let between = |low: f64, high: f64| age.is_some_and(|age| low <= age && age <= high);
    let by_age = match texts[0] {
        "*" => true,
        "" => person[0].is_empty(),
        "[20..25]" => between(20.0, 25.0),
        "(20..30]" => between(20.5, 30.0),
        "[21..47]" => between(21.0, 47.0),
        "30" => between(30.0, 30.0),
        other => unreachable!("{other}"),
    };
    let by_letter = match texts[1] {
        "*" => true,
        "ab" => "ab".contains(person[1]),
        "a-d" => "abcd".contains(person[1]),
        "e-h" => "efgh".contains(person[1]),
        letter => letter == person[1],
    };
    let by_colour = match texts[2] {
        "*" => true,
        "red" => person[2] == "red",
        "{red|blue}" => ["red", "blue"].contains(&person[2]),
        _ => ["gr|een", ""].contains(&person[2]),
    };
    by_age && by_letter && by_colour
}

fn specs() -> Vec<ColumnSpec> {
    let mut letter = ColumnSpec::new("letter", Role::QuasiIdentifier);
    letter.hierarchy = Some(letters());
    vec![
        ColumnSpec::new("age", Role::QuasiIdentifier),
        letter,
        ColumnSpec::new("colour", Role::QuasiIdentifier),
    ]
}

/// People as texts.
fn table(people: &[Person], truth: bool) -> Table {
    let names = ["age", "letter", "colour", "ill"];
    let columns = (0..if truth { 4 } else { 3 }).map(|at| {
        let role = if at == 3 { Role::Sensitive } else { Role::QuasiIdentifier };
        let mut spec = ColumnSpec::new(names[at], role);
        spec.type_spec = Some(TypeSpec::from(ValueType::Text));
        column(&spec, &people.iter().map(|person| person[at]).collect::<Vec<_>>())
    });
    Table::new(people.len(), columns.collect()).unwrap()
}

fn published(groups: &[Group]) -> Vec<PublishedGroup> {
    let one = |(texts, ills): &Group| PublishedGroup {
        texts: texts.iter().map(|text| text.to_string()).collect(),
        rows: ills.iter().map(|(_, rows)| rows).sum(),
        kept: vec![(0, ills.iter().map(|(ill, rows)| (ill.to_string(), *rows)).collect())],
    };
    groups.iter().map(one).collect()
}

fn report(specs: &[ColumnSpec], groups: &[PublishedGroup], background: Option<&Table>) -> Report {
    attack(&Attack {
        quasi_identifiers: specs,
        sensitive: &["ill".to_string()],
        groups,
        background,
        k: Some(3),
        confidence: "0.6".parse::<Share>().unwrap(),
    })
    .unwrap()
}

fn near(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-9
}

/// The expected hits of a guess among equally common values: one of them at random.
fn marked(guess: &[&str], truth: &str) -> f64 {
    if guess.contains(&truth) { 1.0 / guess.len() as f64 } else { 0.0 }
}

fn commonest(ills: &[&'static str]) -> (Vec<&'static str>, usize) {
    let count = |ill: &str| ills.iter().filter(|other| **other == ill).count();
    let most = ILLS.iter().map(|ill| count(ill)).max().unwrap();
    (ILLS.into_iter().filter(|ill| count(ill) == most).collect(), most)
}

fn rows_of(groups: &[Group]) -> Vec<&'static str> {
    let all = groups.iter().flat_map(|(_, ills)| ills);
    all.flat_map(|&(ill, rows)| std::iter::repeat_n(ill, rows as usize)).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn linkage_is_what_it_says(
        people in prop::collection::vec(person(), 1..40),
        groups in prop::collection::vec(group(), 1..12)
    ) {
        // Groups that are published alike are one.
        let mut groups = groups;
        groups.sort();
        groups.dedup_by(|a, b| a.0 == b.0);
        let found = report(&specs(), &published(&groups), Some(&table(&people, true)));
        let rows: Vec<u64> = groups.iter().map(|(_, ills)| ills.iter().map(|(_, rows)| rows).sum()).collect();
        let linked = |person: &Person| -> Vec<usize> {
            (0..groups.len()).filter(|&group| holds(&groups[group].0, person)).collect()
        };
        let in_region: Vec<usize> = groups
            .iter()
            .map(|(texts, _)| people.iter().filter(|person| holds(texts, person)).count())
            .collect();
        let (mut unmatched, mut single, mut below, mut certain, mut confident) = (0, 0, 0, 0, 0);
        let (mut expected, mut unsure, mut right, mut base, mut truths) = (0.0, 0.0, 0.0, 0.0, 0.0);
        let (always, most) = commonest(&rows_of(&groups));
        for person in &people {
            let of = linked(person);
            let candidates: u64 = of.iter().map(|&group| rows[group]).sum();
            if candidates == 0 {
                unmatched += 1;
                continue;
            }
            single += u64::from(candidates == 1);
            below += u64::from(candidates < 3);
            expected += 1.0 / candidates as f64;
            let chance: f64 = of.iter().map(|&group| rows[group] as f64 / in_region[group] as f64).sum();
            unsure += chance.min(1.0) / candidates as f64;
            let ills = rows_of(&of.iter().map(|&group| groups[group].clone()).collect::<Vec<_>>());
            let (guess, times) = commonest(&ills);
            certain += u64::from(times == ills.len());
            confident += u64::from(times * 10 > ills.len() * 6);
            truths += 1.0;
            right += marked(&guess, person[3]);
            base += marked(&always, person[3]);
        }
        let linkage = &found.linkage;
        prop_assert_eq!((linkage.people, linkage.unmatched), (people.len() as u64, unmatched));
        prop_assert_eq!((linkage.singled_out, linkage.below_k), (single, Some(below)));
        prop_assert!(near(linkage.expected_found, expected), "{} {expected}", linkage.expected_found);
        prop_assert!(near(linkage.expected_found_if_unsure, unsure));
        let in_ranges: u64 = linkage.candidates.ranges.iter().map(|range| range.people).sum();
        prop_assert_eq!(in_ranges + unmatched, people.len() as u64);
        let odd = people.iter().filter(|person| person[1] == "z").count() as u64;
        prop_assert_eq!(linkage.outside_domain, odd, "z is no leaf; any colour or number fits");
        let learnt = &found.sensitive[0];
        prop_assert_eq!((learnt.certain, learnt.confident, learnt.truths as f64), (certain, confident, truths));
        prop_assert!(near(learnt.base_rate, most as f64 / rows_of(&groups).len() as f64));
        if truths > 0.0 {
            prop_assert!(near(learnt.attacks[0].accuracy.unwrap(), right / truths));
            prop_assert!(near(learnt.attacks[0].gain, (right - base) / truths));
            prop_assert!(near(learnt.base_accuracy.unwrap(), base / truths));
        }
    }

    #[test]
    fn naive_bayes_is_what_it_says(
        people in prop::collection::vec((0..3usize, 0..3usize, 0..3usize), 1..25),
        groups in prop::collection::vec((0..4usize, 0..4usize, prop::collection::vec(0..4u64, 3)), 1..8)
    ) {
        let colours = ["red", "blue", "green"];
        let texts = ["red", "blue", "green", "{red|blue}"];
        let members = |text: usize| if text == 3 { vec![0, 1] } else { vec![text] };
        let counts = |n: &[u64]| if n.iter().sum::<u64>() == 0 { vec![1, 0, 0] } else { n.to_vec() };
        let mut groups: Vec<(usize, usize, Vec<u64>)> =
            groups.into_iter().map(|(one, two, n)| (one, two, counts(&n))).collect();
        groups.sort();
        groups.dedup_by_key(|group| (group.0, group.1));
        let publish = |(one, two, n): &(usize, usize, Vec<u64>)| PublishedGroup {
            texts: vec![texts[*one].to_string(), texts[*two].to_string()],
            rows: n.iter().sum(),
            kept: vec![(0, ILLS.iter().zip(n).filter(|(_, n)| **n > 0).map(|(s, n)| (s.to_string(), *n)).collect())],
        };
        let spec = |name: &str, role| {
            let mut spec = ColumnSpec::new(name, role);
            spec.type_spec = Some(TypeSpec::from(ValueType::Text));
            spec
        };
        let specs = [spec("x", Role::QuasiIdentifier), spec("y", Role::QuasiIdentifier)];
        let texts_of = |at: fn(&(usize, usize, usize)) -> usize, names: [&'static str; 3]| {
            people.iter().map(|person| names[at(person)]).collect::<Vec<_>>()
        };
        let table = Table::new(people.len(), vec![
            column(&specs[0], &texts_of(|p| p.0, colours)),
            column(&specs[1], &texts_of(|p| p.1, colours)),
            column(&spec("ill", Role::Sensitive), &texts_of(|p| p.2, ILLS)),
        ]).unwrap();
        let found = report(&specs, &groups.iter().map(publish).collect::<Vec<_>>(), Some(&table));
        let all: f64 = groups.iter().flat_map(|group| &group.2).sum::<u64>() as f64;
        let prior = |s: usize| groups.iter().map(|group| group.2[s]).sum::<u64>() as f64 / all;
        let count = |second: bool, code: usize, s: usize| -> f64 {
            let text = |group: &(usize, usize, Vec<u64>)| if second { group.1 } else { group.0 };
            let spread = |group: &(usize, usize, Vec<u64>)| {
                let held = members(text(group));
                if held.contains(&code) { group.2[s] as f64 / held.len() as f64 } else { 0.0 }
            };
            groups.iter().map(spread).sum()
        };
        let given = |second: bool, code: usize, s: usize| {
            let rows: f64 = (0..3).map(|s| count(second, code, s)).sum();
            (count(second, code, s) + prior(s)) / (rows + 1.0)
        };
        let (mut right, mut chance, mut linked) = (0.0, 0.0, 0.0);
        for &(x, y, ill) in &people {
            if !groups.iter().any(|group| members(group.0).contains(&x) && members(group.1).contains(&y)) {
                continue;
            }
            let score = |s: usize| {
                let prior = prior(s);
                if prior == 0.0 { 0.0 } else { given(false, x, s) * given(true, y, s) / prior }
            };
            let scores: Vec<f64> = (0..3).map(score).collect();
            let best = scores.iter().copied().fold(0.0, f64::max);
            let equal: Vec<usize> = (0..3).filter(|&s| scores[s] > best * (1.0 - 1e-9)).collect();
            linked += 1.0;
            chance += best / scores.iter().sum::<f64>();
            right += if equal.contains(&ill) { 1.0 / equal.len() as f64 } else { 0.0 };
        }
        let bayes = &found.sensitive[0].attacks[1];
        prop_assert_eq!(bayes.attack, "naive-bayes");
        if linked > 0.0 {
            prop_assert!(near(bayes.accuracy.unwrap(), right / linked), "{bayes:?} {} {linked}", right / linked);
            prop_assert!(near(bayes.confidence, chance / linked));
        }
    }

    /// t-closeness 0: every group has the distribution of the whole, in groups of any size.
    #[test]
    fn groups_like_the_whole_tell_nothing(
        people in prop::collection::vec(person(), 1..40),
        groups in prop::collection::vec((group(), 1..4u64), 1..10),
        shares in prop::collection::vec(1..4u64, 3)
    ) {
        let mut groups: Vec<Group> = groups
            .into_iter()
            .map(|((texts, _), times)| (texts, ILLS.into_iter().zip(shares.iter().map(|n| n * times)).collect()))
            .collect();
        groups.sort();
        groups.dedup_by_key(|group| group.0);
        for background in [None, Some(table(&people, true)), Some(table(&people, false))] {
            let found = report(&specs(), &published(&groups), background.as_ref());
            for score in &found.sensitive[0].attacks {
                prop_assert!(score.gain.abs() < 1e-6, "{score:?}");
            }
        }
    }

    #[test]
    fn threads_change_nothing(
        people in prop::collection::vec(person(), 1..60),
        groups in prop::collection::vec(group(), 1..12)
    ) {
        let mut groups = groups;
        groups.sort();
        groups.dedup_by(|a, b| a.0 == b.0);
        let (groups, people) = (published(&groups), table(&people, true));
        let with = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| report(&specs(), &groups, Some(&people)))
        };
        prop_assert_eq!(with(1), with(3));
    }
}

/// Three groups, by hand.
#[test]
fn the_base_rate_and_what_groups_add_to_it() {
    let groups: [Group; 3] = [
        (["[20..25]", "*", "*"], vec![("flu", 2)]),
        (["30", "*", "*"], vec![("flu", 1), ("gout", 2)]),
        (["47", "*", "*"], vec![("asthma", 1), ("flu", 1)]),
    ];
    let found = report(&specs(), &published(&groups), None);
    let learnt = &found.sensitive[0];
    assert_eq!((found.background, found.linkage.people, found.linkage.singled_out), (false, 7, 0));
    assert!(near(found.linkage.expected_found, 3.0), "one of every group");
    assert!(near(learnt.base_rate, 4.0 / 7.0) && near(learnt.base_accuracy.unwrap(), 4.0 / 7.0));
    assert_eq!((learnt.certain, learnt.confident, learnt.values), (2, 5, 3), "two thirds are more than 0.6");
    let group = &learnt.attacks[0];
    assert!(near(group.accuracy.unwrap(), 5.0 / 7.0), "two, two of three, and half of two");
    assert!(near(group.gain, 1.0 / 7.0) && near(group.confidence, 5.0 / 7.0));
    assert_eq!(learnt.attacks.len(), 2, "deFinetti needs to know who people are");
    assert_eq!(found.greatest_gain().map(|(_, attack, column)| (attack, column)), Some(("group", "ill")));
}

/// Smokers have cancer, the others the flu. Every group has both, and publishes nothing of who smokes, but the more
/// smokers there are in a group, the more cancer.
fn smokers(groups: usize) -> (Vec<PublishedGroup>, Table, Vec<ColumnSpec>) {
    let (mut published, mut ages, mut smokes, mut ills) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for group in 0..groups {
        let (age, with) = (format!("{}", 1000 + group), [1, 4][group % 2]);
        for person in 0..5 {
            let smoker = (person + group) % 5 < with;
            ages.push(age.clone());
            smokes.push(if smoker { "yes" } else { "no" });
            ills.push(if smoker { "cancer" } else { "flu" });
        }
        let counts = vec![("cancer".to_string(), with as u64), ("flu".to_string(), 5 - with as u64)];
        published.push(PublishedGroup {
            texts: vec![age, "*".to_string()],
            rows: 5,
            kept: vec![(0, counts)],
        });
    }
    let groups = published;
    let spec = |name: &str, role| ColumnSpec::new(name, role);
    let text = |name: &str, role| {
        let mut spec = spec(name, role);
        spec.type_spec = Some(TypeSpec::from(ValueType::Text));
        spec
    };
    let ages: Vec<&str> = ages.iter().map(String::as_str).collect();
    let table = Table::new(
        ages.len(),
        vec![
            column(&text("age", Role::QuasiIdentifier), &ages),
            column(&text("smokes", Role::QuasiIdentifier), &smokes),
            column(&text("ill", Role::Sensitive), &ills),
        ],
    );
    let specs = vec![spec("age", Role::QuasiIdentifier), text("smokes", Role::QuasiIdentifier)];
    (groups, table.unwrap(), specs)
}

fn accuracy(learnt: &SensitiveResult, attack: &str) -> f64 {
    learnt.attacks.iter().find(|score| score.attack == attack).unwrap().accuracy.unwrap()
}

#[test]
fn definetti_beats_the_majority_of_a_group() {
    let (groups, table, specs) = smokers(40);
    let found = report(&specs, &groups, Some(&table));
    let learnt = &found.sensitive[0];
    assert!(near(accuracy(learnt, "group"), 0.8) && near(accuracy(learnt, "naive-bayes"), 0.8), "{learnt:?}");
    assert!(accuracy(learnt, "definetti") > 0.99, "{learnt:?}");
    assert_eq!(found.greatest_gain().unwrap().1, "definetti");
    // Without the truth the attacker is as sure.
    let blind = Table::new(table.rows(), table.columns()[..2].to_vec()).unwrap();
    let believed = report(&specs, &groups, Some(&blind));
    let learnt = &believed.sensitive[0];
    assert_eq!((learnt.truths, learnt.base_accuracy), (0, None));
    let score = learnt.attacks.iter().find(|score| score.attack == "definetti").unwrap();
    assert!(score.accuracy.is_none() && score.gain > 0.2, "{score:?}");
}

#[test]
fn fewer_quasi_identifiers_and_nobody_are_attacked_too() {
    let (groups, table, specs) = smokers(4);
    let one = Table::new(table.rows(), table.columns()[1..].to_vec()).unwrap();
    let found = report(&specs, &groups, Some(&one));
    assert_eq!(found.known, ["smokes"]);
    assert_eq!(found.linkage.unmatched, 0);
    let none = Table::new(table.rows(), table.columns()[2..].to_vec()).unwrap();
    let ask = |groups: &[PublishedGroup], background| {
        attack(&Attack {
            quasi_identifiers: &specs,
            sensitive: &["ill".to_string()],
            groups,
            background,
            k: None,
            confidence: Share::percent(90),
        })
    };
    assert!(ask(&groups, Some(&none)).unwrap_err().message().contains("none of the quasi-identifiers"));
    let empty = ask(&[], Some(&table)).unwrap();
    assert_eq!((empty.linkage.unmatched, empty.linkage.people), (table.rows() as u64, table.rows() as u64));
    assert!(empty.sensitive[0].attacks.is_empty());
    assert_eq!(ask(&[], None).unwrap().linkage.people, 0);
}
