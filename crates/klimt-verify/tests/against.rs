//! Several releases together, checked by the definition: every row is compared with every other.

use klimt_core::registry;
use klimt_core::requirement::{Level, Requirement};
use klimt_verify::against::{IntersectionAttack, Releases, Report};
use klimt_verify::claims::{Outcome, PromiseFacts};
use proptest::prelude::*;
use std::cmp::Ordering;
use std::collections::BTreeSet;

/// A row in a release: its group, its disease and its salary.
type Seen = (usize, usize, usize);

/// The entries of a row in each release; `None` where it does not appear.
type Row = Vec<Option<Seen>>;

const DISEASES: [&str; 3] = ["flu", "gout", ""];
const SALARIES: [&str; 3] = ["900", "1000", "2500"];

/// The flag, column and parameters of the requirements that are checked.
fn asked(k: u64) -> Vec<(&'static str, &'static str, String)> {
    vec![
        ("k", "", k.to_string()),
        ("l-diversity", "disease", "2".to_string()),
        ("l-diversity", "disease", "entropy:1.7".to_string()),
        ("t-closeness", "disease", "0.4:equal".to_string()),
        ("t-closeness", "salary", "0.3:ordered".to_string()),
    ]
}

fn requirements(k: u64) -> Vec<Box<dyn Requirement>> {
    let made =
        |(flag, column, text): &(&str, &str, String)| registry::requirement(flag, column, text).unwrap();
    asked(k).iter().map(made).collect()
}

fn name(file: usize) -> String {
    format!("release {file}")
}

fn report(rows: &[Row], requirements: &[Box<dyn Requirement>], strict: bool) -> Report {
    read(rows).check(requirements, &PromiseFacts::default(), strict).unwrap()
}

fn intersected(rows: &[Row]) -> IntersectionAttack {
    read(rows).check_and_attack(&[], &PromiseFacts::default(), false, true).unwrap().1.unwrap()
}

fn read(rows: &[Row]) -> Releases {
    let mut releases = Releases::new(&["age", "sex"], &["disease", "salary"]);
    for file in 0..rows[0].len() {
        releases.begin(&name(file)).unwrap();
        for (key, (group, disease, salary)) in
            rows.iter().enumerate().filter_map(|(key, row)| Some((key, row[file]?)))
        {
            // Group 0 is what is suppressed: a group like any other.
            let group = if group == 0 { "*".to_string() } else { format!("g{group}") };
            let again = releases
                .add(key as u128 * 77, &[&group, "*"], &[DISEASES[disease], SALARIES[salary]])
                .unwrap();
            assert_eq!(again, None);
        }
    }
    releases
}

/// A ratio whose denominator is positive.
#[derive(Clone, Copy, Debug)]
struct Ratio(i128, i128);

impl Ratio {
    fn compare(self, other: Ratio) -> Ordering {
        (self.0 * other.1).cmp(&(other.0 * self.1))
    }

    fn real(self) -> f64 {
        self.0 as f64 / self.1 as f64
    }
}

/// A set of rows that must satisfy the requirements, and the release whose values count.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Set {
    rows: BTreeSet<usize>,
    file: usize,
}

fn histogram(rows: &[Row], set: &BTreeSet<usize>, file: usize, value: impl Fn(Seen) -> usize) -> [i128; 3] {
    let mut counts = [0; 3];
    set.iter().for_each(|&row| counts[value(rows[row][file].unwrap())] += 1);
    counts
}

/// The level of each requirement for a set, and whether it suffices.
fn levels(rows: &[Row], set: &Set, k: u64) -> Vec<(Ratio, bool)> {
    let all: BTreeSet<usize> = (0..rows.len()).filter(|&row| rows[row][set.file].is_some()).collect();
    let both = |value: fn(Seen) -> usize| {
        (histogram(rows, &set.rows, set.file, value), histogram(rows, &all, set.file, value))
    };
    let (n, whole) = (set.rows.len() as i128, all.len() as i128);
    let (disease, of_all) = both(|seen| seen.1);
    let distinct = disease.iter().filter(|&&count| count > 0).count() as i128;
    let entropy: f64 = disease
        .iter()
        .filter(|&&count| count > 0)
        .map(|&count| count as f64 / n as f64)
        .map(|p| -p * p.ln())
        .sum();
    let equal: i128 = (0..3).map(|v| (disease[v] * whole - of_all[v] * n).abs()).sum();
    let (salary, of_all) = both(|seen| seen.2);
    let present: Vec<usize> = (0..3).filter(|&v| of_all[v] > 0).collect();
    let (mut sum, mut ordered) = (0, 0);
    for &v in &present {
        sum += salary[v] * whole - of_all[v] * n;
        ordered += sum.abs();
    }
    let steps = (present.len() as i128 - 1).max(1);
    let (t, o) = (Ratio(equal, 2 * n * whole), Ratio(ordered, n * whole * steps));
    vec![
        (Ratio(n, 1), n >= k as i128),
        (Ratio(distinct, 1), distinct >= 2),
        (Ratio((entropy.exp() * 1e12) as i128, 1_000_000_000_000), entropy >= 1.7f64.ln()),
        (t, t.compare(Ratio(4, 10)) != Ordering::Greater),
        (o, o.compare(Ratio(3, 10)) != Ordering::Greater),
    ]
}

/// Compares outcomes with the definition over some sets.
fn agree(outcomes: &[Outcome], rows: &[Row], sets: &[Set], k: u64) -> Result<(), TestCaseError> {
    if sets.is_empty() {
        prop_assert!(outcomes.is_empty());
        return Ok(());
    }
    let levels: Vec<_> = sets.iter().map(|set| levels(rows, set, k)).collect();
    prop_assert_eq!(outcomes.len(), 5);
    for (number, outcome) in outcomes.iter().enumerate() {
        let each = levels.iter().map(|levels| levels[number].0);
        let worst = if number < 3 {
            each.min_by(|a, b| a.compare(*b)).unwrap()
        } else {
            each.max_by(|a, b| a.compare(*b)).unwrap()
        };
        let holds = levels.iter().all(|levels| levels[number].1);
        prop_assert_eq!(outcome.holds, holds, "{}", outcome.description);
        let measured = outcome.measured.to_f64();
        prop_assert!(
            (measured - worst.real()).abs() < 1e-9,
            "{}: {} {:?}",
            outcome.description,
            measured,
            worst
        );
    }
    Ok(())
}

fn fails(rows: &[Row], set: &Set, k: u64) -> bool {
    levels(rows, set, k).iter().any(|(_, holds)| !holds)
}

/// The candidates of each linked row.
fn candidates(rows: &[Row]) -> Vec<(Vec<usize>, Set)> {
    let mut found = Vec::new();
    for s in rows {
        let files: Vec<usize> = (0..s.len()).filter(|&file| s[file].is_some()).collect();
        if files.len() < 2 {
            continue;
        }
        let together =
            |t: &Row| files.iter().all(|&file| t[file].is_some_and(|seen| seen.0 == s[file].unwrap().0));
        let set = (0..rows.len()).filter(|&t| together(&rows[t])).collect();
        found.push((files.clone(), Set { rows: set, file: files[0] }));
    }
    found
}

/// The rows of each group of a release that are not in another.
fn changed(rows: &[Row], of: usize, other: usize) -> Vec<Set> {
    let sets = (0..4).map(|group| {
        let is_in = |row: &Row| row[other].is_none() && row[of].is_some_and(|seen| seen.0 == group);
        (0..rows.len()).filter(|&row| is_in(&rows[row])).collect::<BTreeSet<_>>()
    });
    sets.filter(|set| !set.is_empty()).map(|rows| Set { rows, file: of }).collect()
}

fn tables() -> impl Strategy<Value = Vec<Row>> {
    let seen = || prop::option::weighted(0.8, (0..3usize, 0..3usize, 0..3usize));
    (2..5usize).prop_flat_map(move |files| prop::collection::vec(prop::collection::vec(seen(), files), 1..24))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn candidates_are_those_of_the_definition(rows in tables(), k in 1..5u64) {
        let report = report(&rows, &requirements(k), false);
        let found = candidates(&rows);
        prop_assert_eq!(report.linked_rows, found.len() as u64);
        prop_assert_eq!(report.smallest_intersection, found.iter().map(|(_, set)| set.rows.len() as u64).min());
        let failing: Vec<_> = found.iter().filter(|(_, set)| fails(&rows, set, k)).collect();
        prop_assert_eq!(report.violating_rows, failing.len() as u64);
        let different = |list: &[&(Vec<usize>, Set)]| list.iter().collect::<BTreeSet<_>>().len() as u64;
        prop_assert_eq!(report.violating_intersections, different(&failing));
        prop_assert_eq!(report.holds(), failing.is_empty());
        let sets: Vec<Set> = found.iter().map(|(_, set)| set.clone()).collect();
        agree(&report.outcomes, &rows, &sets, k)?;
        let files: BTreeSet<&Vec<usize>> = found.iter().map(|(files, _)| files).collect();
        prop_assert_eq!(report.intersections.len(), files.len());
        for files in files {
            let names: Vec<String> = files.iter().map(|&file| name(file)).collect();
            let told = report.intersections.iter().find(|told| told.files == names).unwrap();
            let of: Vec<_> = found.iter().filter(|(other, _)| other == files).collect();
            let bad: Vec<_> = of.iter().copied().filter(|(_, set)| fails(&rows, set, k)).collect();
            let smallest = of.iter().map(|(_, set)| set.rows.len() as u64).min().unwrap();
            prop_assert_eq!((told.rows, told.sets, told.smallest), (of.len() as u64, different(&of), smallest));
            prop_assert_eq!((told.violating_rows, told.violating_sets), (bad.len() as u64, different(&bad)));
        }
    }

    #[test]
    fn differences_are_those_of_the_definition(rows in tables(), k in 1..5u64, strict: bool) {
        let report = report(&rows, &requirements(k), strict);
        let mut all = Vec::new();
        prop_assert_eq!(report.differences.len(), rows[0].len() - 1);
        for (newer, told) in report.differences.iter().enumerate() {
            let older = newer + 1;
            prop_assert_eq!((&told.newer, &told.older), (&name(newer), &name(older)));
            for (told, of, other) in [(told.newcomers, newer, older), (told.leavers, older, newer)] {
                let sets = changed(&rows, of, other);
                let sizes = || sets.iter().map(|set| set.rows.len() as u64);
                prop_assert_eq!((told.rows, told.groups), (sizes().sum(), sets.len() as u64));
                prop_assert_eq!(told.smallest, sizes().min());
                let bad = sets.iter().filter(|set| fails(&rows, set, k)).map(|set| set.rows.len() as u64).sum();
                prop_assert_eq!(told.violating_rows, strict.then_some(bad));
                all.extend(sets);
            }
        }
        match &report.strict {
            Some(outcomes) => agree(outcomes, &rows, &all, k)?,
            None => prop_assert!(!strict),
        }
    }
}

/// Rows of groups without sensitive values: for each release the group of each row, `.` where it does not appear.
fn of_groups(files: &[&str]) -> Vec<Row> {
    let group = |text: &str, row: usize| match text.as_bytes()[row] {
        b'.' => None,
        byte => Some((usize::from(byte - b'a'), 0, 0)),
    };
    (0..files[0].len()).map(|row| files.iter().map(|text| group(text, row)).collect()).collect()
}

fn k(k: u64) -> Vec<Box<dyn Requirement>> {
    vec![registry::requirement("k", "", &k.to_string()).unwrap()]
}

#[test]
fn newcomers_split_a_group() {
    // a..e were one group; with f..j there are {a,b,f,g,h} and {c,d,e,i,j}.
    let report = report(&of_groups(&["aabbbaaabb", "aaaaa....."]), &k(5), true);
    assert_eq!((report.linked_rows, report.smallest_intersection), (5, Some(2)));
    assert_eq!((report.violating_rows, report.violating_intersections, report.holds()), (5, 2, false));
    let newcomers = report.differences[0].newcomers;
    assert_eq!((newcomers.rows, newcomers.smallest, newcomers.violating_rows), (5, Some(2), Some(5)));
    assert_eq!(report.differences[0].leavers.smallest, None);
}

#[test]
fn groups_that_stay_together_are_safe() {
    let report = report(&of_groups(&["aaaaabbbbb", "aaaaaaaaaa", "cccccbbbbb"]), &k(5), true);
    assert_eq!((report.smallest_intersection, report.violating_rows, report.holds()), (Some(5), 0, true));
    assert_eq!(report.strict, Some(Vec::new()), "nobody joined or left");
}

#[test]
fn two_releases_may_be_safe_where_three_are_not() {
    // Any two have two rows in common with the group of a row, all three have one.
    let three = ["aabb", "abab", "abba"];
    assert_eq!(report(&of_groups(&three), &k(2), false).smallest_intersection, Some(1));
    let coarse = ["aabb", "aaaa", "aabb"];
    assert!(report(&of_groups(&coarse), &k(2), false).holds());
}

#[test]
fn a_row_that_is_in_more_releases_is_a_candidate() {
    // The first row is not in the third release, where its only companion is alone.
    let report = report(&of_groups(&["aab", "aab", ".ab"]), &k(2), false);
    let of_two = report.intersections.iter().find(|found| found.files.len() == 2).unwrap();
    assert_eq!((of_two.rows, of_two.smallest, of_two.violating_rows), (1, 2, 0));
    assert_eq!((report.violating_rows, report.smallest_intersection), (2, Some(1)));
}

#[test]
fn without_linked_rows_there_is_nothing_to_judge() {
    let report = report(&of_groups(&["aa..", "..aa"]), &k(2), false);
    assert_eq!((report.linked_rows, report.smallest_intersection, report.holds()), (0, None, true));
    assert!(report.outcomes.is_empty() && report.intersections.is_empty());
}

#[test]
fn k_above_the_rows_of_a_release_fails_every_row() {
    let report = report(&of_groups(&["aaa", "aaa"]), &k(9), false);
    assert_eq!((report.violating_rows, report.holds()), (3, false));
    assert_eq!(report.outcomes[0].measured, Level::Count(3));
}

#[test]
fn what_makes_no_sense_names_its_release() {
    let mut releases = Releases::new(&["age"], &["salary"]);
    for (file, salary) in [("new.csv", "900"), ("old.csv", "none"), ("oldest.csv", "none")] {
        releases.begin(file).unwrap();
        for key in 0..2 {
            let is_in = file != "new.csv" || key == 0;
            is_in.then(|| releases.add(key, &["1"], &[salary]).unwrap());
        }
    }
    let variance = vec![registry::requirement("variance", "salary", "1").unwrap()];
    let error = releases.check(&variance, &PromiseFacts::default(), false).unwrap_err();
    assert_eq!(error.kind(), klimt_core::ErrorKind::Input);
    assert!(error.message().starts_with("old.csv: "), "{error}");
}

#[test]
fn widths_are_not_about_rows() {
    let widths = vec![registry::requirement("min-width", "age", "5").unwrap()];
    let report = report(&of_groups(&["aa", "aa"]), &widths, true);
    assert!(report.outcomes.is_empty() && report.holds());
}

/// The share of a set of rows for which a guess at its commonest disease is right for a row, and whether it is certain.
fn guess(rows: &[Row], set: &[usize], file: usize, of: usize) -> (f64, bool) {
    let disease = |row: usize| rows[row][file].unwrap().1;
    let count = |value: usize| set.iter().filter(|&&row| disease(row) == value).count();
    let most = (0..3).map(count).max().unwrap();
    let equal = (0..3).filter(|&value| count(value) == most).count();
    let right = if count(disease(of)) == most { 1.0 / equal as f64 } else { 0.0 };
    (right, most == set.len())
}

fn seen() -> impl Strategy<Value = Option<Seen>> {
    prop::option::weighted(0.8, (0..3usize, 0..3usize, 0..3usize))
}

proptest! {
    /// Every row is compared with every other, in its newest release and in all.
    #[test]
    fn intersecting_is_what_it_says(rows in prop::collection::vec(prop::collection::vec(seen(), 3), 1..14)) {
        let found = intersected(&rows);
        let group = |row: usize, file: usize| rows[row][file].map(|seen| seen.0);
        let (mut linked, mut sizes, mut single) = (0, [0, 0], [0, 0]);
        let (mut certain, mut right, mut base) = ([0, 0], [0.0, 0.0], 0.0);
        for row in 0..rows.len() {
            let files: Vec<usize> = (0..3).filter(|&file| rows[row][file].is_some()).collect();
            if files.len() < 2 {
                continue;
            }
            linked += 1;
            let newest = files[0];
            let all: Vec<usize> = (0..rows.len()).collect();
            let with = |files: &[usize]| -> Vec<usize> {
                all.iter().copied().filter(|&other| files.iter().all(|&file| group(other, file) == group(row, file))).collect()
            };
            for (at, set) in [with(&files[..1]), with(&files)].into_iter().enumerate() {
                sizes[at] += set.len();
                single[at] += u64::from(set.len() == 1);
                let (hit, sure) = guess(&rows, &set, newest, row);
                right[at] += hit;
                certain[at] += u64::from(sure);
            }
            let whole: Vec<usize> = all.iter().copied().filter(|&other| rows[other][newest].is_some()).collect();
            base += guess(&rows, &whole, newest, row).0;
        }
        prop_assert_eq!(found.rows, linked);
        prop_assert_eq!((found.singled_out_alone, found.singled_out_together), (single[0], single[1]));
        let learnt = &found.sensitive[0];
        prop_assert_eq!((learnt.certain_alone, learnt.certain_together), (certain[0], certain[1]));
        let share = |part: f64| if linked == 0 { 0.0 } else { part / linked as f64 };
        let near = |a: f64, b: f64| (a - b).abs() < 1e-9;
        prop_assert!(near(found.candidates_alone, share(sizes[0] as f64)));
        prop_assert!(near(found.candidates_together, share(sizes[1] as f64)));
        prop_assert!(near(learnt.right_alone, share(right[0])) && near(learnt.right_together, share(right[1])));
        prop_assert!(near(learnt.base_rate, share(base)) && near(learnt.gain, share(right[1] - base)));
    }
}
