//! A release that is counted in segments says what it says when it is counted at once.

use klimt_core::registry;
use klimt_core::requirement::Requirement;
use klimt_verify::claims::{ClaimedValues, Outcome, PromiseFacts, ValueCounts, ValueSum, check};
use klimt_verify::{Comparison, Findings, Question, Segments, Tally};
use proptest::prelude::*;

const QUASI_IDENTIFIERS: [&str; 2] = ["age", "sex"];
const SENSITIVE: [&str; 2] = ["disease", "salary"];

/// Rows of a group: the number of their disease and their salary, of which the last stands for a missing one.
type Rows = Vec<(usize, usize)>;

fn requirements(k: u64) -> Vec<Box<dyn Requirement>> {
    let k = k.to_string();
    let list = [
        ("k", "", k.as_str()),
        ("l-diversity", "disease", "2"),
        ("l-diversity", "disease", "entropy:1.5"),
        ("l-diversity", "disease", "recursive:2:2"),
        ("t-closeness", "disease", "0.4:equal"),
        ("t-closeness", "salary", "0.3:ordered"),
        ("variance", "salary", "2"),
        ("alpha", "disease", "0.7"),
        ("beta-likeness", "disease", "2"),
        ("delta-disclosure", "disease", "1.5"),
        ("epsilon-privacy", "disease", "10:100:0"),
        ("min-width", "age", "1"),
    ];
    list.iter().map(|(flag, column, text)| registry::requirement(flag, column, text).unwrap()).collect()
}

/// A published tuple: no two groups have the same, and the first may be of stars.
fn tuple(group: usize, stars: bool) -> [String; 2] {
    match (group, stars) {
        (0, true) => ["*".to_string(), "*".to_string()],
        _ => [format!("[{}..{}]", group * 10, group * 10 + group % 3), "{f|m}".to_string()],
    }
}

fn values((disease, salary): (usize, usize)) -> [&'static str; 2] {
    [["flu", "gout", "cold", ""][disease], ["10", "12", "17", ""][salary]]
}

fn add(tally: &mut Tally, group: usize, stars: bool, rows: &Rows) {
    let tuple = tuple(group, stars);
    let tuple = [tuple[0].as_str(), tuple[1].as_str()];
    rows.iter().for_each(|&row| tally.add(&tuple, &values(row)).unwrap());
}

fn counts(groups: &[Rows]) -> Vec<ClaimedValues> {
    let mut counts = SENSITIVE.map(ValueCounts::new);
    for &row in groups.iter().flatten() {
        for (counts, value) in counts.iter_mut().zip(values(row)) {
            counts.add(value.as_bytes(), 1).unwrap();
        }
    }
    counts.map(ClaimedValues::Counts).into()
}

/// The same, told by sums.
fn sums(groups: &[Rows]) -> Vec<ClaimedValues> {
    let mut sums = SENSITIVE.map(|column| ValueSum::new(column, Comparison::Value));
    for &row in groups.iter().flatten() {
        sums.iter_mut().zip(values(row)).for_each(|(sum, value)| sum.add(value.as_bytes(), 1));
    }
    sums.map(ClaimedValues::Sum).into()
}

fn empty() -> Tally {
    Tally::new(&QUASI_IDENTIFIERS, &SENSITIVE)
}

/// Counts groups in segments: the group `g` in the segment with the number `of_group[g]`.
fn in_segments(
    groups: &[Rows],
    stars: bool,
    of_group: &[usize],
    requirements: &[Box<dyn Requirement>],
    question: Question,
    told: Vec<ClaimedValues>,
) -> klimt_core::Result<(Findings, Vec<Outcome>)> {
    let facts = PromiseFacts::default();
    let rows = groups.iter().map(Vec::len).sum::<usize>() as u64;
    let mut segments = Segments::of_whole(requirements, &facts, question, rows, told, None)?;
    for number in 0..5 {
        let mut tally = empty();
        for (group, rows) in groups.iter().enumerate().filter(|(group, _)| of_group[*group] == number) {
            add(&mut tally, group, stars, rows);
        }
        segments.segment(&tally)?;
    }
    segments.finish()
}

/// The texts of outcomes; the number 0 may be a count or a ratio.
fn told_of(outcomes: &[Outcome]) -> Vec<(&'static str, Option<String>, bool)> {
    outcomes
        .iter()
        .map(|outcome| {
            (outcome.claim, outcome.measured.exact().map(|exact| exact.to_string()), outcome.holds)
        })
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn segments_say_what_the_whole_says(
        groups in prop::collection::vec(prop::collection::vec((0..4usize, 0..4usize), 1..7), 1..12),
        of_group in prop::collection::vec(0..5usize, 12),
        stars: bool,
        k in 1..5u64,
        lacking in 0..3u64,
    ) {
        let mut whole = empty();
        groups.iter().enumerate().for_each(|(group, rows)| add(&mut whole, group, stars, rows));
        let requirements = requirements(k);
        let question = Question { k: Some(k), original_rows: Some(whole.rows() + lacking) };
        let at_once = check(&whole, &requirements, &PromiseFacts::default())
            .map(|outcomes| (Findings::new(&whole, &question).unwrap(), told_of(&outcomes)));
        let in_segments = in_segments(&groups, stars, &of_group, &requirements, question, counts(&groups))
            .map(|(findings, outcomes)| (findings, told_of(&outcomes)));
        prop_assert_eq!(in_segments, at_once);
    }

    /// Where no requirement compares groups with the whole, sums of values serve as well as their counts.
    #[test]
    fn sums_say_what_counts_say(
        groups in prop::collection::vec(prop::collection::vec((0..4usize, 0..4usize), 1..7), 1..12),
        of_group in prop::collection::vec(0..5usize, 12),
        stars: bool,
        k in 1..5u64,
        other in (0..4usize, 0..4usize),
    ) {
        let mut requirements = requirements(k);
        requirements.retain(|requirement| !requirement.compares_with_whole());
        prop_assert!(requirements.len() > 3);
        let question = Question { k: Some(k), original_rows: None };
        let said = |told: Vec<ClaimedValues>| {
            in_segments(&groups, stars, &of_group, &requirements, question, told)
                .map(|(findings, outcomes)| (findings, told_of(&outcomes)))
        };
        prop_assert_eq!(said(sums(&groups)), said(counts(&groups)));
        prop_assert!(said(sums(&groups)).is_ok());
        prop_assume!(groups[0][0] != other);
        let mut claimed = groups.clone();
        claimed[0][0] = other;
        prop_assert_eq!(said(sums(&claimed)).unwrap_err().kind(), klimt_core::ErrorKind::Internal);
    }

    #[test]
    fn other_values_than_were_claimed_fail(
        groups in prop::collection::vec(prop::collection::vec((0..4usize, 0..4usize), 1..7), 1..12),
        of_group in prop::collection::vec(0..5usize, 12),
        group: prop::sample::Index,
        row: prop::sample::Index,
        other in (0..4usize, 0..4usize),
    ) {
        let mut claimed = groups.clone();
        let changed = group.index(groups.len());
        let rows = &mut claimed[changed];
        let row = row.index(rows.len());
        prop_assume!(rows[row] != other);
        rows[row] = other;
        let (mut requirements, facts) = (requirements(1), PromiseFacts::default());
        requirements.truncate(5);
        let rows = groups.iter().map(Vec::len).sum::<usize>() as u64;
        let mut segments =
            Segments::of_whole(&requirements, &facts, Question::default(), rows, counts(&claimed), None).unwrap();
        let mut result = Ok(());
        for number in 0..5 {
            let mut tally = empty();
            for (group, rows) in groups.iter().enumerate().filter(|(group, _)| of_group[*group] == number) {
                add(&mut tally, group, false, rows);
            }
            result = result.and_then(|()| segments.segment(&tally));
        }
        let error = result.and_then(|()| segments.finish().map(drop)).unwrap_err();
        prop_assert_eq!(error.kind(), klimt_core::ErrorKind::Internal);
    }
}

#[test]
fn stars_in_several_segments_are_one_group() {
    let groups = [vec![(0, 0), (1, 1)]];
    let (requirements, facts) = (requirements(4), PromiseFacts::default());
    let twice: Vec<Rows> = vec![groups[0].clone(), groups[0].clone()];
    let mut segments =
        Segments::of_whole(&requirements, &facts, Question::default(), 4, counts(&twice), None).unwrap();
    for _ in 0..2 {
        let mut tally = empty();
        add(&mut tally, 0, true, &groups[0]);
        segments.segment(&tally).unwrap();
    }
    let (findings, outcomes) = segments.finish().unwrap();
    assert_eq!((findings.rows, findings.suppressed, findings.groups), (4, 0, 1));
    assert!(outcomes[0].holds, "the two segments make up a group of four");
}

#[test]
fn stars_are_checked_beside_other_groups() {
    let groups = [vec![(0, 0)], vec![(0, 0), (1, 1), (2, 2), (0, 1)]];
    let question = Question { k: Some(4), original_rows: None };
    let requirements = requirements(4);
    let (findings, outcomes) =
        in_segments(&groups, true, &[0, 1], &requirements, question, counts(&groups)).unwrap();
    assert_eq!((findings.suppressed, findings.groups, findings.smallest_group), (0, 2, 1));
    assert!(!outcomes[0].holds && !outcomes[1].holds, "a row of stars alone is a group of one");
}

#[test]
fn groups_of_exactly_k_are_not_below_it() {
    let mut tally = empty();
    for (group, rows) in [1, 3, 4, 5].into_iter().enumerate() {
        add(&mut tally, group, false, &vec![(0, 0); rows]);
    }
    let question = Question { k: Some(4), original_rows: None };
    let below = Findings::new(&tally, &question).unwrap().below.unwrap();
    assert_eq!((below.k, below.groups, below.rows), (4, 2, 4));
}
