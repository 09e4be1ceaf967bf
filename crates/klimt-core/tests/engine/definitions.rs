//! Requirements by their definitions: which parameters make sense, what is measured, and where limits lie.

use crate::common::{column, letters, table};
use klimt_core::ErrorKind;
use klimt_core::hierarchy::HierarchyBuilder;
use klimt_core::registry;
use klimt_core::requirement::{Check, Checks, Level, Requirement, TableFacts, WholeFacts};
use klimt_core::statistics::{Collector, Histogram, Moments, Statistics};
use klimt_core::table::{ColumnSpec, Role, Table};
use num_rational::BigRational;
use proptest::prelude::*;

fn made(flag: &str, name: &str, text: &str) -> klimt_core::Result<Box<dyn Requirement>> {
    registry::requirement(flag, name, text)
}

/// A table of one quasi-identifier and one sensitive column, `s`, with these rows; with the hierarchy over letters.
fn whole_of(texts: &[&str], of_letters: bool) -> Table {
    let rows: Vec<Vec<String>> = (0..texts.len()).map(|row| vec![(row % 7).to_string()]).collect();
    let mut columns = table(&rows, &[]).columns().to_vec();
    let mut spec = ColumnSpec::new("s", Role::Sensitive);
    spec.hierarchy = of_letters.then(letters);
    columns.push(column(&spec, texts));
    Table::new(texts.len(), columns).unwrap()
}

/// So many rows of each text.
fn repeated<'t>(texts: &[&'t str], counts: &[usize]) -> Vec<&'t str> {
    texts.iter().zip(counts).flat_map(|(text, count)| std::iter::repeat_n(*text, *count)).collect()
}

/// Four values, of which 400, 300, 200 and 100 of 1000 rows have one.
fn thousand() -> Table {
    whole_of(&repeated(&["a", "b", "c", "d"], &[400, 300, 200, 100]), false)
}

fn bound(whole: &Table, flag: &str, text: &str) -> Box<dyn Check> {
    made(flag, "s", text).unwrap().bind(&TableFacts::of(whole)).unwrap()
}

/// A group with so many rows of each code of the sensitive column.
fn group(counts: &[u64]) -> Statistics {
    let histogram: Histogram = (0..).zip(counts.iter().copied()).filter(|(_, count)| *count > 0).collect();
    Statistics { count: counts.iter().sum(), histograms: vec![(1, histogram)], ..Statistics::default() }
}

#[test]
fn parameters_that_make_no_sense_are_refused() {
    let cases: &[(&str, &[&str], &[&str])] = &[
        ("k", &["1", " 7 "], &["0", "-1", "2.5", ""]),
        ("l-diversity", &["1", "distinct:2"], &["0", "x"]),
        ("l-diversity", &["entropy:1", "entropy:2.5"], &["entropy:0.99", "entropy:-1", "entropy:"]),
        ("l-diversity", &["recursive:0.5:1"], &["recursive:2:0", "recursive:2", "recursive:-1:2"]),
        ("alpha", &["1", "0.0001"], &["0", "1.0001", "-0.5", "x"]),
        ("t-closeness", &["0", "0.2", "0.2:equal"], &["-0.1", "0.2:other", ""]),
        ("variance", &["0", "2.5"], &["-1"]),
        ("epsilon-privacy", &["1.01:1", "3:1:4"], &["1:5", "0.5:5", "3:0.99", "3", "3:4:5:6", "3:4:-1"]),
        ("beta-likeness", &["0", "basic:2", "enhanced:2"], &["other:2", "basic:-1", "basic"]),
        ("delta-disclosure", &["0.1"], &["0", "-1"]),
        ("min-width", &["0", "2.5"], &["-1"]),
    ];
    for (flag, good, bad) in cases {
        good.iter().for_each(|text| assert!(made(flag, "s", text).is_ok(), "{flag} {text}"));
        for text in *bad {
            let error = made(flag, "s", text).map(|made| made.describe()).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Input, "{flag} {text}");
        }
    }
}

/// The sizes that the parameters alone ask for, and whether a group is compared with the whole.
#[test]
fn a_requirement_says_what_it_is_about() {
    let cases = [
        ("k", "7", 7, false, "k-anonymity with k = 7"),
        ("l-diversity", "3", 3, false, "distinct l-diversity of s with l = 3"),
        ("l-diversity", "entropy:2", 2, false, "entropy l-diversity of s with l = 2"),
        ("l-diversity", "entropy:2.5", 3, false, "entropy l-diversity of s with l = 2.5"),
        ("l-diversity", "recursive:2:4", 4, false, "recursive (c,l)-diversity of s with c = 2 and l = 4"),
        ("alpha", "1", 1, false, "(alpha,k)-anonymity of s with alpha = 1"),
        ("alpha", "0.3", 4, false, "(alpha,k)-anonymity of s with alpha = 0.3"),
        ("t-closeness", "0.2", 1, true, "t-closeness of s with t = 0.2"),
        ("t-closeness", "0.2:equal", 1, true, "t-closeness of s with t = 0.2 and equal distance"),
        ("variance", "0", 1, true, "variance diversity of s with v = 0"),
        ("variance", "0.5", 2, true, "variance diversity of s with v = 0.5"),
        // R1: 100/9 rows, and with b = 10 at least 110/9 that are not known.
        (
            "epsilon-privacy",
            "10:100",
            12,
            false,
            "epsilon-privacy of s with epsilon = 10, sigma = 100 and b = 0",
        ),
        (
            "epsilon-privacy",
            "10:100:10",
            23,
            false,
            "epsilon-privacy of s with epsilon = 10, sigma = 100 and b = 10",
        ),
        ("beta-likeness", "2", 1, true, "enhanced beta-likeness of s with beta = 2"),
        ("beta-likeness", "basic:2", 1, true, "basic beta-likeness of s with beta = 2"),
        ("delta-disclosure", "1.5", 1, true, "delta-disclosure privacy of s with delta = 1.5"),
        ("min-width", "2.5", 1, true, "the least width 2.5 of column s"),
    ];
    for (flag, text, size, compares, words) in cases {
        let made = made(flag, "s", text).unwrap();
        assert_eq!((made.minimum_size(), made.compares_with_whole()), (size, compares), "{flag} {text}");
        assert_eq!(made.describe(), words);
        assert_eq!(made.column(), if flag == "k" { None } else { Some("s") }, "{flag} {text}");
    }
}

#[test]
fn only_published_rows_make_the_whole() {
    let table = thousand();
    let of = |rows: &[u32]| TableFacts { table: &table, rows: Some(rows) }.column("s").unwrap().counts;
    assert_eq!(of(&[0, 399, 400, 999]), [2, 1, 0, 1]);
    assert_eq!(TableFacts::of(&table).column("s").unwrap().counts, [400, 300, 200, 100]);
    let k = |k: &str| made("k", "", k).unwrap().bind(&TableFacts::of(&table)).map(drop);
    assert!(k("1000").is_ok(), "all rows are one group");
    assert_eq!(k("1001").unwrap_err().kind(), ErrorKind::Unsatisfied);
}

#[test]
fn spellings_of_one_value_are_counted_together() {
    let table = whole_of(&["1", "2", "1.0", "01", "2"], false);
    assert_eq!(TableFacts::of(&table).column("s").unwrap().counts, [3, 2]);
}

#[test]
fn what_all_rows_together_miss_no_release_reaches() {
    let feasible = |text: &str| {
        Checks::new(&[made("l-diversity", "s", text).unwrap()], &thousand()).unwrap().feasible(&thousand())
    };
    assert!(feasible("4").is_ok());
    let error = feasible("5").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unsatisfied);
    assert!(error.message().contains("reach 4, and at least 5 is required"), "{error}");
}

/// Leaves that no row has are neither values of the whole nor in the way of others.
#[test]
fn leaves_without_rows_do_not_count() {
    let table = whole_of(&repeated(&["a", "b"], &[500, 500]), true);
    assert!(bound(&table, "delta-disclosure", "0.1").satisfied(&group(&[1, 1])));
    // −ln 0.5 allows (250 + j)/(500 + j) ≤ 0.8466: up to j = 1129.
    assert_eq!(bound(&table, "beta-likeness", "enhanced:1").outlook(&group(&[250, 250])), (true, 1000));
    // So it does where β allows hardly more, as −ln 0.5 is 0.69314718: with 600 rows up to j = 1355.
    let near = bound(&table, "beta-likeness", "enhanced:0.6931472").outlook(&group(&[300, 300]));
    assert_eq!(near, (true, 1200));
    // Two values are common, of 0.5 and 0.4 of the rows; the second may have 0.7665, up to j = 785.
    let table = whole_of(&repeated(&["a", "b", "c"], &[100, 500, 400]), false);
    assert_eq!(bound(&table, "beta-likeness", "enhanced:1").outlook(&group(&[50, 250, 200])), (true, 500));
}

/// A value that every row has is allowed in every group.
#[test]
fn a_value_that_all_rows_have_is_no_more_common_in_a_group() {
    let table = whole_of(&["a"; 5], false);
    for text in ["enhanced:1", "enhanced:0", "basic:0"] {
        let check = bound(&table, "beta-likeness", text);
        let found = (check.satisfied(&group(&[3])), check.level(&group(&[3])));
        assert_eq!(found, (true, Level::Count(0)), "{text}");
    }
}

/// The leaves are 10, 9 and 2; in order they are 2, 9, 10, and the missing value last. The differences add up to 0.25, 0.5
/// and 0.25.
#[test]
fn an_order_is_that_of_values_and_not_of_leaves() {
    let mut builder = HierarchyBuilder::new("numbers");
    for (line, path) in ["10 x *", "9 x *", "2 y *"].iter().enumerate() {
        builder.push(line as u64 + 1, path.split(' '));
    }
    let mut spec = ColumnSpec::new("s", Role::Sensitive);
    spec.hierarchy = Some(builder.finish().unwrap().into());
    let rows: Vec<Vec<String>> = (0..4).map(|row| vec![row.to_string()]).collect();
    let mut columns = table(&rows, &[]).columns().to_vec();
    columns.push(column(&spec, &["10", "9", "2", ""]));
    let check = bound(&Table::new(4, columns).unwrap(), "t-closeness", "0.3:ordered");
    assert_eq!(check.level(&group(&[4])).to_string(), "0.333333");
    // 10 and 9: the differences add up to −0.25, 0, 0.25.
    assert_eq!(check.level(&group(&[2, 2])).to_string(), "0.166667");
}

#[test]
fn an_order_of_the_alphabet_is_warned_of() {
    let warned = |table: &Table, text: &str| {
        let warning = made("t-closeness", "s", text).unwrap().warning(&TableFacts::of(table));
        warning.is_some_and(|warning| warning.contains("alphabetical order"))
    };
    let (words, numbers, nodes) =
        (thousand(), whole_of(&["1", "2", "10"], false), whole_of(&["a", "b"], true));
    assert!(warned(&words, "0.2:ordered") && warned(&nodes, "0.2:ordered"));
    assert!(!warned(&words, "0.2:equal") && !warned(&words, "0.2"));
    assert!(!warned(&numbers, "0.2:ordered") && !warned(&numbers, "0.2"));
}

#[test]
fn limits_lie_where_the_definitions_put_them() {
    let cases: &[(&str, &str, &[u64], bool, &str)] = &[
        ("alpha", "0.5", &[2, 2], true, "0.5"),
        ("alpha", "0.5", &[3, 2], false, "0.6"),
        ("l-diversity", "recursive:2:2", &[4, 2], false, "2"),
        ("l-diversity", "recursive:2:2", &[3, 2], true, "1.5"),
        // The twenty values have a row each; three are the 18th and rarer.
        ("l-diversity", "recursive:0.34:18", &[1; 20], true, "0.333333"),
        ("l-diversity", "recursive:0.33:18", &[1; 20], false, "0.333333"),
        ("l-diversity", "recursive:0.51:19", &[1; 20], true, "0.5"),
        ("l-diversity", "recursive:2:21", &[1; 20], false, "more than any number"),
        // With counts 3 and 1 the entropy is log (256/27)^(1/4) = log 1.75476535060332328…
        ("l-diversity", "entropy:1.754765350603323281", &[3, 1], true, "1.754765"),
        ("l-diversity", "entropy:1.754765350603323282", &[3, 1], false, "1.754765"),
        // Of 4096 rows, which are the most that are decided exactly: 1.88977494437506406981…
        ("l-diversity", "entropy:1.889774944375064069", &[2731, 1365], true, "1.889775"),
        ("l-diversity", "entropy:1.889774944375064070", &[2731, 1365], false, "1.889775"),
        // Far from the limit, counts of any length are decided at once.
        ("l-diversity", "entropy:2", &[5001, 5000, 4999], true, "3"),
        ("l-diversity", "entropy:2.9", &[50_001, 500, 4999], false, "1.423682"),
        // R1 holds with equality, in numbers that are too long for 128 bits; R2 asks for at most 37 of 50.
        ("epsilon-privacy", "3.0000000000000000000002:100.00000000000000000001", &[20, 30], true, "3"),
        ("epsilon-privacy", "3.0000000000000000000001:100.00000000000000000001", &[20, 30], false, "3"),
        ("epsilon-privacy", "3:100", &[13, 37], true, "3"),
        ("epsilon-privacy", "3:100", &[12, 38], false, "3.131991"),
        ("delta-disclosure", "0.7", &[40, 30, 20, 10], true, "0"),
        // A half of the share of the whole: log 2 = 0.69314718055994530942.
        ("delta-disclosure", "0.6931471805599453", &[20, 45, 25, 10], false, "0.693147"),
        ("delta-disclosure", "0.6932", &[20, 45, 25, 10], true, "0.693147"),
        ("delta-disclosure", "9", &[50, 30, 20], false, "more than any number"),
        ("beta-likeness", "basic:1", &[40, 20, 20, 20], true, "1"),
        ("beta-likeness", "basic:1", &[39, 20, 20, 21], false, "1.1"),
        // −ln 0.4 allows 0.76651629274966202607 of the rows; this is 3.5e-16 more.
        ("beta-likeness", "enhanced:1", &[16_790_672, 3_000_000, 2_114_501], false, "more than any number"),
        ("beta-likeness", "basic:1", &[16_790_672, 3_000_000, 2_114_501], true, "0.916291"),
        ("beta-likeness", "enhanced:1", &[766, 134, 100], true, "0.915"),
    ];
    let (thousand, twenty) = (
        thousand(),
        whole_of(&"abcdefghijklmnopqrst".split("").filter(|t| !t.is_empty()).collect::<Vec<_>>(), false),
    );
    for (flag, text, counts, satisfied, level) in cases {
        let check = bound(if counts.len() > 4 { &twenty } else { &thousand }, flag, text);
        let group = group(counts);
        let found = (check.satisfied(&group), check.level(&group).to_string());
        assert_eq!(found, (*satisfied, level.to_string()), "{flag} {text} {counts:?}");
    }
}

/// Levels with logarithms are rounded to the side that promises less.
#[test]
fn a_level_promises_no_more_than_is_true() {
    let level = |flag: &str, text: &str, counts: &[u64]| {
        bound(&thousand(), flag, text).level(&group(counts)).to_f64()
    };
    // A tenth of the share of the whole, and a half.
    for (counts, truth) in [([4, 50, 30, 16], 10f64.ln()), ([20, 45, 25, 10], 2f64.ln())] {
        let found = level("delta-disclosure", "1", &counts);
        assert!(found > truth && found < truth + 1e-13, "{found} {truth}");
    }
    // Shares of the whole are told exactly from others, however near these are.
    let exactly = |counts: &[u64]| bound(&thousand(), "delta-disclosure", "1").level(&group(counts));
    assert_eq!(exactly(&[40, 30, 20, 10]), Level::Count(0));
    let nearly = exactly(&[4_000_000_001, 3_000_000_000, 2_000_000_000, 1_000_000_000]);
    assert!(nearly.to_string() == "0" && nearly.to_f64() > 1e-10, "{nearly:?}");
    let found = level("l-diversity", "entropy:2", &[4, 2, 2]);
    assert!(found < 8f64.sqrt() && found > 8f64.sqrt() - 1e-12, "{found}");
}

/// Two of four numbers are 0 and two 2⁶³ tenths: n·Σx² takes 129 bits. The variance is (2⁶²)²/100.
#[test]
fn a_variance_of_long_numbers_is_decided_exactly() {
    let table = whole_of(&["0.5", "1.5"], false);
    let mut moments = Moments::default();
    moments.add(0, 2);
    moments.add(1 << 63, 2);
    let group = Statistics { count: 4, moments: vec![(1, moments)], ..Statistics::default() };
    let satisfied = |v: &str| bound(&table, "variance", v).satisfied(&group);
    assert!(satisfied("212676479325586539664609129644855132.16"));
    assert!(satisfied("212676479325586539664609129644855132.15") && satisfied("1"));
    assert!(!satisfied("212676479325586539664609129644855132.17"));
}

/// Ages 20, 20.5 and 30 and a missing one; colours; letters under a hierarchy. The group is of rows of the table.
#[test]
fn widths_are_lengths_members_and_leaves() {
    let rows =
        [["20", "red", "a"], ["20.5", "green", "b"], ["30", "blue", "c"], ["", "", ""], ["20", "red", "h"]];
    let rows: Vec<Vec<String>> = rows.iter().map(|row| row.map(String::from).to_vec()).collect();
    let table = table(&rows, &[None, None, Some(letters())]);
    let width = |name: &str, rows: &[u32]| {
        let check = made("min-width", name, "1").unwrap().bind(&TableFacts::of(&table)).unwrap();
        check.level(&Collector::new(&check.needs(), &table).unwrap().of(rows)).to_string()
    };
    let everything = "more than any number";
    let cases: &[(&str, &[u32], &str)] = &[
        ("q0", &[0, 4], "0"),
        ("q0", &[0, 1], "0.5"),
        ("q0", &[1, 2], "9.5"),
        ("q0", &[0, 2], "10"),
        ("q0", &[3], "0"),
        ("q0", &[0, 3], everything),
        ("q1", &[0, 4], "1"),
        ("q1", &[0, 1], "2"),
        ("q1", &[0, 1, 3], "3"),
        ("q1", &[0, 1, 2, 3], everything),
        ("q2", &[0], "1"),
        ("q2", &[0, 1], "2"),
        ("q2", &[0, 2], "4"),
        ("q2", &[0, 4], everything),
        ("q2", &[3], "1"),
        ("q2", &[0, 3], everything),
    ];
    for (name, rows, expected) in cases {
        assert_eq!(width(name, rows), *expected, "{name} {rows:?}");
    }
    let limit = |text: &str| {
        let check = made("min-width", "q0", text).unwrap().bind(&TableFacts::of(&table)).unwrap();
        check.satisfied(&Collector::new(&check.needs(), &table).unwrap().of(&[0, 1]))
    };
    assert!(limit("0.5") && !limit("0.51"));
}

/// Boundaries decide over the widths of an ordered column, unless a group may be of missing values, which have none.
#[test]
fn boundaries_decide_where_every_group_has_a_width() {
    let restricted = |texts: [&str; 3], of_letters: bool| {
        let rows: Vec<Vec<String>> = texts.iter().map(|text| vec![text.to_string()]).collect();
        let table = table(&rows, &[of_letters.then(letters)]);
        made("min-width", "q0", "1").unwrap().bind(&TableFacts::of(&table)).unwrap().restricts()
    };
    assert_eq!(restricted(["20", "21", "30"], false), Some(0));
    assert_eq!(restricted(["20", "", "30"], false), None);
    assert_eq!(restricted(["red", "green", "blue"], false), None);
    assert_eq!(restricted(["a", "b", "h"], true), None);
}

fn ratio(a: i128, b: i128) -> BigRational {
    BigRational::new(a.into(), b.into())
}

/// The mass that moves between the children of a node, over the whole tree: pairs, halves and everything,
/// with the missing value beside the halves. `over` is p − q for the eight letters and the missing value.
fn moved_in_tree(over: &[i128]) -> i128 {
    let between = |children: &[i128]| -> i128 {
        let (more, less): (Vec<i128>, Vec<i128>) = children.iter().partition(|over| **over > 0);
        more.iter().sum::<i128>().min(-less.iter().sum::<i128>())
    };
    let sums = |parts: &[i128]| parts.chunks(2).map(|pair| pair.iter().sum()).collect::<Vec<i128>>();
    let (pairs, halves) = (sums(&over[..8]), sums(&sums(&over[..8])));
    let within = |children: &[i128]| children.chunks(2).map(between).sum::<i128>();
    let root: Vec<i128> = halves.iter().chain(&over[8..]).copied().collect();
    within(&over[..8]) + 2 * within(&pairs) + 3 * between(&root)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// The whole has the rows of the group and others.
    #[test]
    fn distances_are_those_of_the_definition(
        group_counts in prop::collection::vec(0..5usize, 9),
        others in prop::collection::vec(0..5usize, 9),
        missing: bool,
    ) {
        let names = ["a", "b", "c", "d", "e", "f", "g", "h", ""];
        let values = if missing { 9 } else { 8 };
        let all: Vec<usize> = group_counts.iter().zip(&others).map(|(a, b)| a + b).collect();
        let rows: usize = group_counts[..values].iter().sum();
        prop_assume!(rows > 0 && (!missing || all[8] > 0));
        let texts = repeated(&names[..values], &all[..values]);
        let (n, whole) = (rows as i128, texts.len() as i128);
        let over: Vec<i128> =
            (0..values).map(|v| group_counts[v] as i128 * whole - all[v] as i128 * n).collect();
        let equal = ratio(over.iter().map(|over| over.abs()).sum(), 2 * n * whole);
        let occurring: Vec<usize> = (0..values).filter(|&v| all[v] > 0).collect();
        let cumulated = occurring.iter().scan(0, |sum, &v| { *sum += over[v]; Some(i128::abs(*sum)) });
        let steps = (occurring.len() as i128 - 1).max(1);
        let ordered = ratio(cumulated.sum(), n * whole * steps);
        let in_tree = ratio(moved_in_tree(&over), 3 * n * whole);
        for (of_letters, distance, expected) in [
            (false, "equal", &equal), (false, "ordered", &ordered),
            (true, "equal", &equal), (true, "ordered", &ordered), (true, "hierarchical", &in_tree),
        ] {
            let table = whole_of(&texts, of_letters);
            let check = bound(&table, "t-closeness", &format!("0.3:{distance}"));
            // Without a hierarchy only values that occur have codes.
            let of_code = |v: &usize| group_counts[*v] as u64;
            let mut counts: Vec<u64> = if of_letters {
                (0..values).map(|v| of_code(&v)).collect()
            } else {
                occurring.iter().map(of_code).collect()
            };
            counts.truncate(table.columns()[1].coded().unwrap().0.cardinality());
            let found = group(&counts);
            prop_assert_eq!(check.level(&found).exact(), Some(expected.clone()), "{} {}", distance, of_letters);
            prop_assert_eq!(check.satisfied(&found), *expected <= ratio(3, 10));
        }
    }

    /// R1: n − b ≥ (σ + b)/(ε − 1). R2: n(s)/(n − b) ≤ 1 − 1/(ε′ + δ).
    #[test]
    fn class_two_adversaries_are_those_of_the_definition(
        counts in prop::collection::vec(0..40u64, 1..4), epsilon in 11..90i128, sigma in 10..400i128, b in 0..12i128,
    ) {
        let n = counts.iter().sum::<u64>() as i128;
        prop_assume!(n > 0);
        let text = format!("{}.{}:{}.{}:{b}", epsilon / 10, epsilon % 10, sigma / 10, sigma % 10);
        let check = bound(&thousand(), "epsilon-privacy", &text);
        let one = ratio(1, 1);
        let (epsilon, prior, x) = (ratio(epsilon, 10), ratio(sigma, 10) + ratio(b, 1), ratio(n - b, 1));
        let first = n > b && x >= &prior / (&epsilon - &one);
        let second = first && counts.iter().all(|&count| {
            let grown = &epsilon * (&one - &one / &prior) + (&epsilon - &one) * &x / &prior;
            ratio(i128::from(count), n - b) <= &one - &one / grown
        });
        prop_assert_eq!(check.satisfied(&group(&counts)), second, "{} {:?}", text, counts);
    }
}

/// Without a single number there is no variance: that is a requirement that does not hold, not one that makes no sense.
#[test]
fn a_column_without_values_has_no_variance() {
    let whole = whole_of(&["", "", ""], false);
    let bound = Checks::new(&[made("variance", "s", "0.5").unwrap()], &whole).unwrap();
    let group = Collector::new(bound.needs(), &whole).unwrap().of(&[0, 1, 2]);
    assert!(!bound.satisfied(&group));
    let texts = whole_of(&["flu", "", "gout"], false);
    assert!(Checks::new(&[made("variance", "s", "0.5").unwrap()], &texts).is_err(), "texts are no numbers");
}
