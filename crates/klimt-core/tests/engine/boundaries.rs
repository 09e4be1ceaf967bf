//! Where boundaries are published, widths are required of them: groups may lie close together in wide boundaries.

use crate::common::table;
use crate::optimal::{is_same, job};
use klimt_core::algorithm::gensearch::{GenSearch, Splits};
use klimt_core::algorithm::mondrian::Mondrian;
use klimt_core::job::{Job, Partitioner};
use klimt_core::loss::{Cost, Discernibility, Loss, Original};
use klimt_core::partition::Partitioning;
use klimt_core::registry;
use klimt_core::requirement::Checks;
use klimt_core::split::SplitCriterion;
use klimt_core::table::Table;
use proptest::prelude::*;

/// Where the values of the restricted dimension lie: with gaps, so that rows and boundaries are not equally wide.
const PLACES: [i64; 7] = [0, 1, 2, 4, 9, 10, 30];

/// The width between the boundaries around codes, by what is published of them: both ends, or from the value before.
fn width(lo: usize, hi: usize) -> i64 {
    let next = lo > 0 && PLACES[lo] == PLACES[lo - 1] + 1;
    match lo {
        0 => PLACES[hi] - PLACES[0],
        _ if lo == hi && next => 0,
        _ => PLACES[hi] - PLACES[lo - 1],
    }
}

/// A table whose first dimension has every one of the places, and whose second has a few numbers.
fn of(rows: &[(usize, u32)]) -> Table {
    let everywhere = (0..PLACES.len()).map(|place| (place, 0));
    let texts: Vec<Vec<String>> = everywhere
        .chain(rows.iter().copied())
        .map(|(place, other)| vec![PLACES[place].to_string(), other.to_string()])
        .collect();
    table(&texts, &[])
}

struct Asked {
    k: u64,
    width: i64,
    splits: Vec<Vec<u32>>,
}

/// The least sum of squared sizes of all hierarchical partitions whose groups have k rows and whose boundaries are wide
/// enough.
fn least(table: &Table, rows: &[u32], edges: (usize, usize), asked: &Asked) -> f64 {
    let wide = |(lo, hi): (usize, usize)| width(lo, hi) >= asked.width;
    if (rows.len() as u64) < asked.k || !wide(edges) {
        return f64::INFINITY;
    }
    let mut best = (rows.len() * rows.len()) as f64;
    for (dimension, splits) in asked.splits.iter().enumerate() {
        for &at in splits {
            let is_left = |row: &&u32| table.codes(dimension).get(**row as usize) <= at;
            let (left, right): (Vec<u32>, Vec<u32>) = rows.iter().partition(is_left);
            let (low, high) = match dimension {
                0 => ((edges.0, (at as usize).min(edges.1)), ((at as usize + 1).max(edges.0), edges.1)),
                _ => (edges, edges),
            };
            if !left.is_empty() && !right.is_empty() {
                best = best.min(least(table, &left, low, asked) + least(table, &right, high, asked));
            }
        }
    }
    best
}

/// The codes between the boundaries of every group in the first dimension.
fn edges(table: &Table, found: &Partitioning) -> Vec<(usize, usize)> {
    let domains = [table.domain(0), table.domain(1)];
    let tree = found.tree.as_ref().expect("the cuts are kept");
    let regions = tree.regions(&domains, Some(&found.regions));
    let of_group = |group: usize| match regions.cell(group, 0, domains[0]) {
        klimt_core::region::Cell::Interval { lo, hi } => (lo as usize, hi as usize),
        _ => (0, PLACES.len() - 1),
    };
    (0..found.groups()).map(of_group).collect()
}

fn bound(table: &Table, asked: &Asked) -> Checks {
    let requirements = [
        registry::requirement("k", "", &asked.k.to_string()).unwrap(),
        registry::requirement("min-width", "q0", &asked.width.to_string()).unwrap(),
    ];
    Checks::new(&requirements, table).unwrap().by_boundaries(|dimension| table.domain(dimension)).unwrap()
}

fn with_cuts<'j>(job: Job<'j>, split: &'j SplitCriterion<'j>) -> Job<'j> {
    Job { keep_tree: true, split, ..job }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn gensearch_finds_the_best_partition_with_wide_boundaries(
        rows in prop::collection::vec((0..PLACES.len(), 0..4u32), 1..12),
        (k, width) in (1..4u64, 1..12i64),
        (some, lookahead, seeded) in (any::<[bool; 9]>(), prop::sample::select(vec![0, 8, 1 << 20]), any::<bool>()),
    ) {
        let table = of(&rows);
        let chosen = |codes: std::ops::Range<u32>, from: usize| codes.filter(|&code| some[from + code as usize]).collect();
        let second = (table.domain(1).cardinality() as u32).saturating_sub(1);
        let splits: Vec<Vec<u32>> = vec![chosen(0..6, 0), chosen(0..second, 6)];
        let asked = Asked { k, width, splits: splits.clone() };
        let all: Vec<u32> = (0..table.rows() as u32).collect();
        let expected = least(&table, &all, (0, PLACES.len() - 1), &asked);
        let (bound, weights) = (bound(&table, &asked), [1.0; 2]);
        let loss = Discernibility.cost(&Original::new(&table, &weights)).unwrap();
        let job = with_cuts(job(&table, &bound, &*loss, &weights), &SplitCriterion::Median);
        let seed = seeded.then(|| Box::new(Mondrian::default()) as Box<dyn Partitioner>);
        let search = GenSearch { splits: Splits::Given(splits), lookahead, seed, ..GenSearch::default() };
        let found = search.partition(&job).unwrap();
        prop_assert!(edges(&table, &found).iter().all(|&(lo, hi)| self::width(lo, hi) >= width));
        let cost: f64 = (0..found.groups()).map(|group| loss_of(&*loss, found.rows(group).len())).sum();
        prop_assert!(is_same(cost, expected), "{cost} instead of {expected}");
        prop_assert!(is_same(found.bound.unwrap().sum, expected));
    }

    #[test]
    fn mondrian_cuts_until_no_wide_cut_is_left(
        rows in prop::collection::vec((0..PLACES.len(), 0..4u32), 1..40),
        (k, width) in (1..6u64, 1..12i64),
        split in prop::sample::select(vec!["median", "box", "loss:ncp", "loss:dm"]),
    ) {
        let table = of(&rows);
        let asked = Asked { k, width, splits: Vec::new() };
        let (bound, weights) = (bound(&table, &asked), [1.0; 2]);
        let original = Original::new(&table, &weights);
        let loss = Discernibility.cost(&original).unwrap();
        let split = SplitCriterion::named(split, &original).unwrap();
        let job = with_cuts(job(&table, &bound, &*loss, &weights), &split);
        let found = Mondrian::default().partition(&job).unwrap();
        for (group, (lo, hi)) in edges(&table, &found).into_iter().enumerate() {
            prop_assert!(self::width(lo, hi) >= width);
            let codes = |dimension: usize| -> Vec<usize> {
                found.rows(group).iter().map(|&row| table.codes(dimension).get(row as usize) as usize).collect()
            };
            let enough = |codes: &[usize], at: usize| {
                let left = codes.iter().filter(|&&code| code <= at).count() as u64;
                left.max(1) >= k && left >= 1 && (codes.len() as u64 - left).max(1) >= k && left < codes.len() as u64
            };
            let wide = |at: usize| self::width(lo, at) >= width && self::width(at + 1, hi) >= width;
            prop_assert!(!(lo..hi).any(|at| wide(at) && enough(&codes(0), at)));
            prop_assert!(!(0..4).any(|at| enough(&codes(1), at)));
        }
    }
}

fn loss_of(loss: &dyn Cost, rows: usize) -> f64 {
    loss.size(rows as u64).expect("the loss goes by sizes")
}

/// Nine people of 25 between the boundaries 20 and 30 are a group where boundaries are published, and none where the values
/// of the group are.
#[test]
fn a_narrow_group_in_wide_boundaries_is_allowed() {
    let texts: Vec<Vec<String>> = [20, 25, 25, 25, 40, 40, 41].map(|age: u32| vec![age.to_string()]).to_vec();
    let table = table(&texts, &[]);
    let requirements = [("k", "", "2"), ("min-width", "q0", "5")]
        .map(|(flag, column, text)| registry::requirement(flag, column, text).unwrap());
    let groups = |bound: Checks| {
        let loss = Discernibility.cost(&Original::new(&table, &[1.0])).unwrap();
        let split = SplitCriterion::Median;
        let found = Mondrian::default().partition(&with_cuts(job(&table, &bound, &*loss, &[1.0]), &split));
        found.unwrap().groups()
    };
    assert_eq!(groups(Checks::new(&requirements, &table).unwrap()), 1);
    let bound = Checks::new(&requirements, &table).unwrap();
    assert_eq!(groups(bound.by_boundaries(|dimension| table.domain(dimension)).unwrap()), 2);
}
