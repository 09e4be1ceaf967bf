//! How long a verdict on a group stands, what is told from samples, and which sizes are too small: examples counted by
//! hand. A verdict that is asked for too often, a sample that is not trusted or a least size of 1 is never wrong, and
//! makes searches slow.

use crate::common::{column, table};
use klimt_core::registry;
use klimt_core::requirement::{Check, Checks, Requirement, TableFacts, Trust};
use klimt_core::statistics::{Moments, Statistics};
use klimt_core::table::{ColumnSpec, Role, Table};

/// 400 rows have the first of four values, 300 the second, 200 the third and 100 the last: of categories and of numbers.
fn whole() -> Table {
    let counts = [400, 300, 200, 100];
    let rows: Vec<Vec<String>> = (0..1000).map(|row| vec![(row % 7).to_string()]).collect();
    let mut columns = table(&rows, &[]).columns().to_vec();
    for (name, values) in [("disease", ["a", "b", "c", "d"]), ("salary", ["1.5", "2.5", "3.5", "14.5"])] {
        let texts: Vec<&str> =
            values.iter().zip(counts).flat_map(|(value, rows)| std::iter::repeat_n(*value, rows)).collect();
        columns.push(column(&ColumnSpec::new(name, Role::Sensitive), &texts));
    }
    Table::new(rows.len(), columns).unwrap()
}

fn requirement(flag: &str, parameters: &str) -> Box<dyn Requirement> {
    let column = if flag == "variance" { "salary" } else { "disease" };
    registry::requirement(flag, if flag == "k" { "" } else { column }, parameters).unwrap()
}

fn bound(flag: &str, parameters: &str) -> Box<dyn Check> {
    requirement(flag, parameters).bind(&TableFacts::of(&whole())).unwrap()
}

/// A group, or a sample of one, with so many rows of each value.
fn rows(counts: &[u64]) -> Statistics {
    let disease = whole().columns().iter().position(|column| column.name == "disease").unwrap();
    let histogram = (0..).zip(counts.iter().copied()).filter(|(_, count)| *count > 0).collect();
    Statistics { count: counts.iter().sum(), histograms: vec![(disease, histogram)], ..Statistics::default() }
}

/// Four times the rows of the group is the farthest that is tried, then half of it, and so on.
#[test]
fn a_verdict_stands_for_as_many_rows_as_its_margin_allows() {
    let cases: &[(&str, &str, &[u64], bool, u64)] = &[
        ("k", "5", &[3], false, 1),
        ("k", "5", &[5], true, u64::MAX),
        ("l-diversity", "4", &[50, 50], false, 1),
        ("l-diversity", "2", &[99, 1], true, u64::MAX),
        // (10 + j)/(100 + j) is at most 1/2 up to j = 80, and 60/(100 + j) more than 1/2 below j = 20.
        ("alpha", "0.5", &[10; 10], true, 50),
        ("alpha", "0.5", &[60, 40], false, 12),
        ("alpha", "0.5", &[50, 50], true, 0),
        // 40 + j < 2·60 below j = 80; 90 ≥ 2·(10 + j) up to j = 35.
        ("l-diversity", "recursive:2:2", &[30, 30, 40], true, 50),
        ("l-diversity", "recursive:2:2", &[90, 10], false, 25),
        ("l-diversity", "recursive:2:1", &[90], true, u64::MAX),
        // Half of the rows at most may be new where the entropy is log 4.
        ("l-diversity", "entropy:2", &[25, 25, 25, 25], true, 50),
        // 0.325 now; with 6 new rows at most 0.625, with 12 at most 0.897, and log 2 is 0.693.
        ("l-diversity", "entropy:2", &[90, 10], false, 6),
        // With 12 new rows at most 0.897, and log 2.5 is 0.916.
        ("l-diversity", "entropy:2.5", &[90, 10], false, 12),
        // R2 with 8 others is 8·(9x + 990) ≥ 100x: up to x = 282. With 2 + j others it fails up to j = 3.
        ("epsilon-privacy", "10:100:0", &[92, 8], true, 100),
        ("epsilon-privacy", "10:100:0", &[98, 2], false, 3),
        // Ten of 110 rows are known: 8·(9x + 1090) ≥ 110x up to x = 229, of which there are 100.
        ("epsilon-privacy", "10:100:10", &[92, 18], true, 110),
        ("epsilon-privacy", "10:100:10", &[3, 3], false, 0),
        // Half of the whole holds no value more than twice as often as the whole does.
        ("beta-likeness", "basic:1", &[200, 150, 100, 50], true, u64::MAX),
        ("beta-likeness", "basic:1", &[199, 150, 100, 50], true, 0),
        // 25/(100 + j) is more than 2/10 below j = 25.
        ("beta-likeness", "basic:1", &[25, 25, 25, 25], false, 12),
        // −ln 0.4 allows (200 + j)/(500 + j) ≤ 0.7665: up to j = 785.
        ("beta-likeness", "enhanced:1", &[200, 150, 100, 50], true, 500),
        // Where β allows less than −ln q does for every value, half as much again as the whole holds is enough.
        ("beta-likeness", "enhanced:0.5", &[280, 210, 140, 70], true, u64::MAX),
        ("delta-disclosure", "1", &[50, 50], false, 1),
        ("delta-disclosure", "1", &[40, 30, 20, 10], true, 0),
        // The margin is 0.3 both times: j < 0.3·(100 + j) below j = 43.
        ("t-closeness", "0.3:equal", &[40, 30, 20, 10], true, 25),
        ("t-closeness", "0.3:equal", &[100], false, 25),
        // A hundred new rows might just reach it.
        ("t-closeness", "0.5:equal", &[40, 30, 20, 10], true, 50),
        // The distance is (0.6 + 0.3 + 0.1)/3, and j < 0.1333·(100 + j) below j = 16.
        ("t-closeness", "0.2:ordered", &[100], false, 12),
        ("t-closeness", "0.4:ordered", &[100], true, 6),
    ];
    for (flag, parameters, counts, satisfied, steady) in cases {
        let (check, group) = (bound(flag, parameters), rows(counts));
        assert_eq!(check.outlook(&group), (*satisfied, *steady), "{flag} {parameters} {counts:?}");
        assert_eq!((check.satisfied(&group), check.steady(&group)), check.outlook(&group), "{flag}");
    }
}

/// The verdict from a sample of a tenth of the rows, with z = 1.96 and a share of 0.9 unseen.
#[test]
fn a_sample_tells_what_chance_is_unlikely_to_have_made() {
    let cases: &[(&str, &str, &[u64], bool)] = &[
        ("l-diversity", "2", &[99, 1], true),
        ("l-diversity", "2", &[99], false),
        // 40 + 1.96·√(40·0.6·0.9) = 49.1; with 41 it is 50.1.
        ("alpha", "0.5", &[40, 30, 30], true),
        ("alpha", "0.5", &[41, 30, 29], false),
        ("alpha", "1", &[100], true),
        // 2·0.41 − 0.59 = 0.230 > 0.206; 2·0.4 − 0.6 = 0.200 < 0.205.
        ("l-diversity", "recursive:2:2", &[59, 41], true),
        ("l-diversity", "recursive:2:2", &[60, 40], false),
        // 2.5·0.36 − 0.64 = 0.260 > 0.242; 2.5·0.35 − 0.65 = 0.225 < 0.240.
        ("l-diversity", "recursive:2.5:2", &[64, 36], true),
        ("l-diversity", "recursive:2.5:2", &[65, 35], false),
        // 3·0.24 − 0.46 = 0.260 > 0.257; 3·0.23 − 0.47 = 0.220 < 0.254.
        ("l-diversity", "recursive:3:3", &[46, 30, 24], true),
        ("l-diversity", "recursive:3:3", &[47, 30, 23], false),
        // 3·0.5 − 0.5 = 1 < 1.96·√((9·0.25 + 0.25)/7·0.9) = 1.111.
        ("l-diversity", "recursive:3:2", &[4, 4], false),
        ("l-diversity", "recursive:3:1", &[1], true),
        ("l-diversity", "recursive:3:2", &[1], false),
        // The entropy less 1.96 standard deviations is 0.705, and 0.688; log 2 is 0.693.
        ("l-diversity", "entropy:2", &[69, 15, 16], true),
        ("l-diversity", "entropy:2", &[70, 15, 15], false),
        // All rows of these tell log 2, which leaves no room for rounding.
        ("l-diversity", "entropy:2", &[50, 50], false),
        ("l-diversity", "entropy:1.99999", &[50, 50], true),
        // The commonest value may have 87 + 7 rows, or 88 + 7; six others are needed.
        ("epsilon-privacy", "10:100:0", &[87, 13], true),
        ("epsilon-privacy", "10:100:0", &[88, 12], false),
        // The last value may have (4 + 3.53)·10 of 400 rows, or (5 + 3.89)·10: a fifth is 80.
        ("beta-likeness", "basic:1", &[16, 12, 8, 4], true),
        ("beta-likeness", "basic:1", &[15, 12, 8, 5], false),
        // It has at most 100 of 600 rows, as the whole has no more.
        ("beta-likeness", "basic:1", &[20, 20, 8, 12], true),
        // All of its rows may have the first, of which the whole has 0.4: 2.5 times that is 1.
        ("beta-likeness", "basic:1.5", &[30], true),
        ("beta-likeness", "basic:1.49", &[30], false),
        // The first may have 0.767 of the rows, or 0.744: twice its share is 0.8, and −ln 0.4 allows 0.7665.
        ("beta-likeness", "basic:1", &[25, 9, 4, 2], true),
        ("beta-likeness", "enhanced:1", &[25, 9, 4, 2], false),
        ("beta-likeness", "enhanced:1", &[24, 10, 4, 2], true),
        // The rarest value may be 0.4 times as common as in the whole: e^0.9 is 2.46, e^1.2 is 3.32.
        ("delta-disclosure", "0.9", &[40, 30, 20, 10], false),
        ("delta-disclosure", "1.2", &[40, 30, 20, 10], true),
        // 0.3 too much of the first value, and 1.96·√(0.25/40·0.9) = 0.147.
        ("t-closeness", "0.45:equal", &[28, 6, 4, 2], true),
        ("t-closeness", "0.44:equal", &[28, 6, 4, 2], false),
        // Of 600 rows at most 100 have the last value: 12·0.4 and 20·0.1 of 60 rows too much, and 0.120.
        ("t-closeness", "0.234:equal", &[20, 20, 8, 12], true),
        ("t-closeness", "0.233:equal", &[20, 20, 8, 12], false),
        // (0.3 + 0.15 + 0.05)/3 and 0.147.
        ("t-closeness", "0.314:ordered", &[28, 6, 4, 2], true),
        ("t-closeness", "0.313:ordered", &[28, 6, 4, 2], false),
    ];
    let trust = Trust::new(1000, 100, 0.05, 2);
    for (flag, parameters, counts, likely) in cases {
        let found = bound(flag, parameters).likely(&rows(counts), &trust);
        assert_eq!(found, *likely, "{flag} {parameters} {counts:?}");
    }
}

/// Where any chance of error is taken, a sample is judged as its group would be, at the limits too.
#[test]
fn without_a_test_the_limits_are_those_of_the_definitions() {
    let trust = Trust::new(1000, 100, 1.0, 2);
    let likely = |flag: &str, text: &str, counts: &[u64]| bound(flag, text).likely(&rows(counts), &trust);
    assert!(!likely("l-diversity", "recursive:1:2", &[16, 16]), "less is asked for");
    assert!(likely("l-diversity", "recursive:1:2", &[16, 16, 1]));
    assert!(likely("t-closeness", "0:equal", &[20, 15, 10, 5]));
    assert!(!likely("t-closeness", "0:equal", &[19, 16, 10, 5]));
}

/// The squared error is 20·21/41·10² = 1024.39, and a chi-square variable of 40 degrees exceeds 59.34 in 2.5% of cases.
#[test]
fn a_sample_tells_a_variance_by_the_chi_square_test() {
    let sample = |low: u64, high: u64| {
        let (mut moments, mut group) = (Moments::default(), rows(&[low, high]));
        moments.add(0, low);
        moments.add(100, high);
        group.moments = vec![(bound("variance", "1").needs().moments[0], moments)];
        group
    };
    let trust = Trust::new(1000, 100, 0.05, 2);
    let likely = |v: &str, trust: &Trust| bound("variance", v).likely(&sample(20, 21), trust);
    assert!(likely("17.26", &trust) && !likely("17.27", &trust));
    // With one degree it is 4.93, and the squared error 50.
    let of_two = |v: &str| bound("variance", v).likely(&sample(1, 1), &trust);
    assert!(of_two("10") && !of_two("10.2"));
    let of_all = |v: &str| likely(v, &Trust::new(41, 41, 0.05, 2));
    assert!(of_all("24.9") && !of_all("25"), "the variance is 24.985");
    assert!(
        !bound("variance", "1").likely(&sample(0, 1), &trust)
            && bound("variance", "0").likely(&sample(0, 1), &trust)
    );
}

/// Nothing is left to chance where the sample is all rows.
#[test]
fn a_sample_of_all_rows_decides_exactly() {
    let trust = Trust::new(1000, 1000, 0.05, 2);
    let cases: &[(&str, &str, &[u64], &[u64])] = &[
        ("alpha", "0.5", &[50, 50], &[51, 49]),
        ("l-diversity", "recursive:2:2", &[66, 34], &[67, 33]),
        ("l-diversity", "entropy:2", &[50, 50], &[51, 49]),
        ("epsilon-privacy", "10:100:0", &[94, 6], &[95, 5]),
        ("beta-likeness", "enhanced:1", &[20, 30, 30, 20], &[20, 30, 29, 21]),
        ("delta-disclosure", "0.7", &[20, 40, 27, 13], &[19, 41, 27, 13]),
        ("t-closeness", "0.1:equal", &[50, 30, 10, 10], &[51, 29, 10, 10]),
        ("t-closeness", "0.1:ordered", &[50, 30, 10, 10], &[61, 19, 10, 10]),
    ];
    for (flag, parameters, enough, less) in cases {
        let check = bound(flag, parameters);
        assert!(check.likely(&rows(enough), &trust), "{flag} {parameters}");
        assert!(!check.likely(&rows(less), &trust), "{flag} {parameters}");
    }
}

/// The commonest values must hold a part of the whole: so many rows are needed to have so many values.
#[test]
fn the_whole_tells_which_groups_are_too_small() {
    let cases = [
        ("beta-likeness", "basic:1", 2),
        ("beta-likeness", "basic:0.25", 3),
        ("beta-likeness", "basic:0", 4),
        ("beta-likeness", "basic:9", 1),
        ("beta-likeness", "basic:1.5", 1),
        ("t-closeness", "0.3:equal", 2),
        ("t-closeness", "0.29:equal", 3),
        ("t-closeness", "0.1:equal", 3),
        ("t-closeness", "0:equal", 4),
        ("t-closeness", "1:equal", 1),
        ("t-closeness", "0.1:ordered", 1),
        ("delta-disclosure", "1", 4),
        ("alpha", "0.5", 1),
    ];
    for (flag, parameters, least) in cases {
        assert_eq!(bound(flag, parameters).least_size(), least, "{flag} {parameters}");
    }
}

fn all(requirements: &[(&str, &str)]) -> Checks {
    let made: Vec<_> = requirements.iter().map(|(flag, text)| requirement(flag, text)).collect();
    Checks::new(&made, &whole()).unwrap()
}

#[test]
fn of_several_verdicts_the_first_to_change_counts() {
    let alpha_and_distinct = all(&[("alpha", "0.5"), ("l-diversity", "3")]);
    let distinct_and_alpha = all(&[("l-diversity", "4"), ("alpha", "0.5")]);
    // Alpha may change after 12 rows, or never did; a violated requirement is one as long as any is.
    assert_eq!(alpha_and_distinct.outlook(&rows(&[40, 30, 30])), (true, 12));
    assert_eq!(alpha_and_distinct.outlook(&rows(&[60, 20, 20])), (false, 12));
    assert_eq!(alpha_and_distinct.outlook(&rows(&[60, 40])), (false, 12));
    assert_eq!(distinct_and_alpha.outlook(&rows(&[60, 40])), (false, 12));
    assert_eq!(distinct_and_alpha.outlook(&rows(&[50, 50])), (false, 1));
    let with_k = all(&[("alpha", "0.5"), ("k", "7")]);
    assert_eq!(with_k.outlook(&rows(&[2, 2])), (false, 2));
    assert_eq!(all(&[("k", "7")]).outlook(&rows(&[7])), (true, u64::MAX));
}

/// Of 1000 rows 100 are seen: five are likely where the sample has 100·(0.005 + 1.96·0.0067) = 1.8 of them.
#[test]
fn requirements_on_samples_ask_for_a_part_of_their_sizes() {
    let trust = Trust::new(1000, 100, 0.05, 2);
    let sampled = all(&[("alpha", "0.5"), ("k", "5")]).sampled(trust, 7);
    assert_eq!(sampled.minimum_size(), 2);
    assert!(sampled.is_enough(7) && !sampled.is_enough(8));
    assert!(!sampled.only_count() && sampled.satisfied(&rows(&[40, 30, 30])));
    assert!(!sampled.satisfied(&rows(&[41, 30, 29])), "what is not likely is not satisfied");
    // A verdict on a sample stands until an eighth more has come.
    assert_eq!(sampled.outlook(&rows(&[40, 30, 30])), (true, 12));
    let only_k = all(&[("k", "5")]).sampled(trust, 0);
    assert!(only_k.only_count() && only_k.is_enough(3) && !only_k.is_enough(4));
    assert!(only_k.satisfied(&rows(&[2])) && !only_k.satisfied(&rows(&[1])));
    // All rows: the verdict and its margin are those of the requirement.
    let seen = all(&[("alpha", "0.5"), ("k", "5")]).sampled(Trust::new(1000, 1000, 0.05, 2), 0);
    assert_eq!((seen.minimum_size(), seen.outlook(&rows(&[60, 40]))), (5, (false, 12)));
}

#[test]
fn a_part_is_large_enough_to_cut_where_two_groups_are() {
    let k = all(&[("k", "5")]);
    assert!(k.is_enough(9) && !k.is_enough(10));
    // Three values must be in each group.
    let beta = all(&[("k", "2"), ("beta-likeness", "basic:0.25")]);
    assert!(beta.is_enough(5) && !beta.is_enough(6));
}

#[test]
fn what_chance_hides_shrinks_with_what_is_seen() {
    let close = |found: f64, expected: f64| assert!((found - expected).abs() < 1e-5, "{found} {expected}");
    let trust = Trust::new(1000, 100, 0.05, 2);
    close(trust.z(), 1.959964);
    close(Trust::new(1000, 100, 0.8, 2).z(), 0.253347);
    close(trust.unseen(), 0.9);
    close(trust.scale(), 10.0);
    // 1.96·√(40·0.6·0.9), and 1.96·√(4/90·0.9).
    close(trust.error(40, 100), 9.109089);
    close(trust.deviation(4.0, 90), 0.391993);
    let whole = Trust::new(1000, 2000, 0.05, 2);
    assert!(whole.is_whole() && !trust.is_whole());
    assert_eq!(
        (whole.unseen(), whole.scale(), whole.error(40, 100), whole.deviation(4.0, 90)),
        (0.0, 1.0, 0.0, 0.0)
    );
    let nothing = Trust::new(0, 0, 0.05, 2);
    assert_eq!(
        (nothing.unseen(), nothing.scale(), nothing.error(0, 0), nothing.least(3)),
        (0.0, 1.0, 0.0, 3)
    );
    assert_eq!(Trust::new(1000, 0, 0.05, 2).scale(), 1.0);
    assert_eq!(Trust::new(1000, 100, 1.0, 2).least(1), 1, "no group is empty");
}
