//! The expected error of a workload's answers: examples counted by hand.

use crate::common::{column, table};
use klimt_core::loss::{Cost, Loss, Original, Queries, Totals, WithPenalty};
use klimt_core::statistics::{Extent, Statistics};
use klimt_core::table::{ColumnSpec, Role, Table, ValueType};
use klimt_core::workload::{TableWorkload, parse};

/// Ages 10, 12, 20, 21 and 30, and a missing one: the codes 0 to 5.
fn ages() -> Table {
    let mut spec = ColumnSpec::new("age", Role::QuasiIdentifier);
    spec.type_spec = Some(ValueType::Integer.into());
    Table::new(6, vec![column(&spec, &["10", "12", "20", "21", "30", ""])]).unwrap()
}

fn bound(table: &Table, text: &str) -> TableWorkload {
    let mut bound = parse(text).unwrap().bind(table).unwrap();
    bound.count(table);
    bound
}

/// Rows whose codes lie between two ends.
fn group(count: u64, lo: u32, hi: u32) -> Statistics {
    Statistics { count, extents: vec![(0, Extent::Interval { lo, hi })], ..Statistics::default() }
}

/// The cost of a group for a workload.
fn cost(table: &Table, workload: &TableWorkload, group: &Statistics) -> f64 {
    let original = Original::new(table, &[1.0]).with_workload(Some(workload));
    Queries.cost(&original).unwrap().group(group)
}

fn close(found: f64, expected: f64) -> bool {
    (found - expected).abs() <= 1e-12 * expected.abs().max(1.0)
}

/// A query admits six of the nine ages of [12..20], and six of the ten of (10..20]. A value that follows the
/// one before is published alone, and nothing is before the first.
#[test]
fn boundaries_reach_to_the_value_before() {
    let table = ages();
    let off = |share: f64| 2.0 * share * (1.0 - share);
    let cases = [
        // Ages, what is admitted of them, and of what lies between the boundaries.
        (15, (1, 2), 6.0 / 9.0, 6.0 / 10.0),
        (15, (0, 2), 6.0 / 11.0, 6.0 / 11.0),
        (15, (1, 4), 16.0 / 19.0, 16.0 / 20.0),
        (15, (3, 3), 1.0, 1.0),
        (27, (4, 4), 1.0, 4.0 / 9.0),
        (15, (0, 0), 0.0, 0.0),
        (15, (5, 5), 0.0, 0.0),
        // The missing value among others is everything: a sixth of it has no age.
        (15, (1, 5), 16.0 / 21.0 * 5.0 / 6.0, 16.0 / 21.0 * 5.0 / 6.0),
    ];
    for (from, (lo, hi), compact, open) in cases {
        let workload = bound(&table, &format!("SELECT COUNT(*) WHERE age >= {from}"));
        let selected = if from == 15 { 3.0 } else { 1.0 };
        let found = |boundaries: bool| {
            cost(&table, &workload.clone().with_boundaries(boundaries), &group(2, lo, hi)) * selected / 2.0
        };
        assert!(close(found(false), off(compact)), "{from} {lo} {hi}: {}", found(false));
        assert!(close(found(true), off(open)), "{from} {lo} {hi}: {}", found(true));
    }
}

/// Two rows of [12..20], of which a query about 15 and more admits two thirds: 15 to 20, on average 1.5 from their middle.
#[test]
fn functions_cost_what_their_numbers_are_off_by() {
    let table = ages();
    let (share, parted) = (2.0 / 3.0, 4.0 / 9.0);
    // The selected ages are 20, 21 and 30.
    let mean = 71.0 / 3.0;
    let cases = [
        ("COUNT(*)", parted, parted),
        ("SUM(age)", (parted * 17.5 + share * 1.5) / mean, (parted * 17.5 + parted * 1.5) / mean),
        (
            "AVG(age)",
            (parted * (mean - 17.5) + share * 1.5) / mean,
            (parted * (mean - 17.5) + parted * 1.5) / mean,
        ),
        // 15 is a quarter less than 20, and 20 does not reach beyond 30.
        ("MIN(age)", parted + 5.0 / 20.0, parted + 5.0 / 20.0),
        ("MAX(age)", parted, parted),
    ];
    for (function, even, with_means) in cases {
        let workload = bound(&table, &format!("SELECT {function} WHERE age >= 15"));
        for (means, expected) in [(false, even), (true, with_means)] {
            let found = cost(&table, &workload.clone().with_means(means), &group(2, 1, 2));
            assert!(close(found, 2.0 * expected / 3.0), "{function} {means}: {found}");
        }
    }
    // (10..20] has 11 to 20, of which six tenths are admitted.
    let workload = bound(&table, "SELECT SUM(age) WHERE age >= 15").with_boundaries(true);
    let expected = (0.48 * 17.5 + 0.6 * 1.5) / mean;
    assert!(close(cost(&table, &workload, &group(2, 1, 2)), 2.0 * expected / 3.0));
    // Of [20..30] six of eleven ages are 25 at most, of which 25 is 4 more than the greatest that is selected.
    let workload = bound(&table, "SELECT MAX(age) WHERE age <= 25");
    let expected = 2.0 * 6.0 / 11.0 * 5.0 / 11.0 + 4.0 / 21.0;
    assert!(close(cost(&table, &workload, &group(2, 2, 4)), 2.0 * expected / 4.0));
}

/// The function is of one column and the predicate about another: half of the letters are asked for.
#[test]
fn functions_are_of_their_own_column() {
    let rows = [["10", "1"], ["20", "2"], ["30", "3"], ["40", "4"]];
    let rows: Vec<Vec<String>> = rows.iter().map(|row| row.map(String::from).to_vec()).collect();
    let table = table(&rows, &[]);
    let workload = bound(&table, "SELECT SUM(q0) WHERE q1 <= 2");
    let extents = vec![(0, Extent::Interval { lo: 0, hi: 3 }), (1, Extent::Interval { lo: 0, hi: 3 })];
    let group = Statistics { count: 4, extents, ..Statistics::default() };
    // Numbers from 10 to 40 are 7.741935… from 25 on average, and 15 is the mean of what is selected.
    let expected = (0.5 * 25.0 + 0.5 * (31.0 * 31.0 / 4.0f64).floor() / 31.0) / 15.0;
    let original = Original::new(&table, &[1.0, 1.0]).with_workload(Some(&workload));
    let found = Queries.cost(&original).unwrap().group(&group);
    assert!(close(found, 4.0 * expected / 2.0), "{found}");
}

/// A group that cannot be cut costs what it costs. A suppressed row is missed by as much of the weight as a row matters.
#[test]
fn groups_too_small_to_cut_are_bounds() {
    let table = ages();
    let workload = bound(&table, "SELECT COUNT(*) WHERE age >= 15 WEIGHT 3; SELECT COUNT(*) WEIGHT 2");
    let original = Original::new(&table, &[2.0]).with_workload(Some(&workload));
    let (alone, both) = (Queries.cost(&original).unwrap(), WithPenalty::new(&original).unwrap());
    let group = group(3, 1, 2);
    let expected = 3.0 * 4.0 / 9.0;
    assert!(close(alone.group(&group), expected) && close(alone.bound(&group, 2), expected));
    assert_eq!(alone.bound(&group, 1), 0.0, "a cut at 15 leaves nothing to guess");
    assert!(close(both.bound(&group, 2), expected) && both.bound(&group, 1) == 0.0);
    // Of 20 the length is 8: a hundredth of 5·3·8/20 over six rows.
    assert!(close(both.group(&group), expected + 0.01 * 5.0 * 3.0 * 8.0 / 20.0 / 6.0));
    assert_eq!((alone.price(10), alone.price(0)), (Some(0.5), Some(5.0)));
    let totals = Totals { rows: 10, suppressed: 4, groups: 1, k: 2 };
    assert!(close(alone.finish(3.0, &totals), (3.0 + 4.0 * 0.5) / 5.0));
    assert_eq!((alone.key(&group), both.key(&group)), (3.0, 3.0));
}

/// Where nothing is asked, or nothing matters, nothing is lost.
#[test]
fn what_has_no_weight_costs_nothing() {
    let table = ages();
    let totals = Totals { rows: 6, suppressed: 2, groups: 1, k: 2 };
    let ignored = bound(&table, "SELECT COUNT(*) WHERE age >= 15 WEIGHT 0");
    let original = Original::new(&table, &[1.0]).with_workload(Some(&ignored));
    let costs: [Box<dyn Cost + '_>; 2] =
        [Queries.cost(&original).unwrap(), Box::new(WithPenalty::new(&original).unwrap())];
    for cost in costs {
        assert_eq!(cost.finish(cost.group(&group(4, 0, 4)), &totals), 0.0);
    }
    let asked = bound(&table, "SELECT COUNT(*) WHERE age >= 15");
    let original = Original::new(&table, &[0.0]).with_workload(Some(&asked));
    let (alone, both) = (Queries.cost(&original).unwrap(), WithPenalty::new(&original).unwrap());
    assert_eq!(both.group(&group(2, 1, 2)), alone.group(&group(2, 1, 2)));
}
