//! Losses: examples counted by hand, and what holds for every release.

use crate::common::{column, letters, partition, table, workload};
use klimt_core::algorithm::mondrian::{HierarchyCut, Mondrian};
use klimt_core::loss::{
    Groups, HierarchicalDiscernibility, Loss, Original, PartitionGroups, PublishedGroup, PublishedGroups,
    Totals, measure,
};
use klimt_core::partition::Partitioning;
use klimt_core::recode::{Release, RowOrder, Source};
use klimt_core::region::{Extents, Regions};
use klimt_core::registry;
use klimt_core::requirement::{KAnonymity, Requirement};
use klimt_core::statistics::{Collector, Extent, Statistics};
use klimt_core::table::{ColumnSpec, Domain, Role, Table};
use proptest::prelude::*;
use std::collections::BTreeMap;

type Measured = BTreeMap<&'static str, f64>;

/// Groups of given rows, with their smallest regions.
fn grouped(table: &Table, groups: &[Vec<u32>], strict: bool) -> Partitioning {
    let mut ends = Vec::new();
    groups.iter().for_each(|rows| ends.push(ends.last().unwrap_or(&0) + rows.len() as u32));
    let mut made = Partitioning {
        order: groups.concat(),
        ends,
        regions: Regions::default(),
        tree: None,
        bound: None,
        strict,
    };
    made.regions = made.compact(table);
    made
}

fn domains(table: &Table) -> Vec<&Domain> {
    table.domains()
}

/// Every loss of a release, by name.
fn measured(table: &Table, groups: &dyn Groups, k: u64) -> Measured {
    let rows = table.rows() as u64;
    let published: u64 = (0..groups.count()).map(|group| groups.rows(group)).sum();
    let totals = Totals { rows, suppressed: rows - published, groups: groups.count() as u64, k };
    let weights = vec![1.0; table.dimensions()];
    let losses = registry::LOSSES.iter().map(|(_, loss)| *loss);
    let workload = workload(table);
    let original = Original::new(table, &weights).with_workload(Some(&workload));
    measure(losses, &original, groups, &totals).unwrap().into_iter().collect()
}

/// Every loss of a partitioning with compact extents.
fn compact(table: &Table, partitioning: &Partitioning, k: u64) -> Measured {
    measured(table, &PartitionGroups { table, partitioning, extents: Extents::Compact }, k)
}

/// The groups as the release of a partitioning publishes them.
fn published(table: &Table, partitioning: &Partitioning, extents: Extents) -> Vec<PublishedGroup> {
    let release = Release::new(table, partitioning, extents, RowOrder::Kept, &[]);
    let text = |group: usize, d: usize| {
        let mut out = Vec::new();
        release.write_group(group, Source::Generalised(d), &mut out);
        String::from_utf8(out).unwrap()
    };
    let targets = || (0..table.columns().len()).filter(|&c| table.columns()[c].role == Role::Target);
    let counted = |group: usize, column: usize| {
        let mut counts: BTreeMap<String, u64> = BTreeMap::new();
        for &row in partitioning.rows(group) {
            let mut out = Vec::new();
            table.columns()[column].write_text(row as usize, &mut out);
            *counts.entry(String::from_utf8(out).unwrap()).or_default() += 1;
        }
        (column, counts.into_iter().collect())
    };
    let group = |group: usize| PublishedGroup {
        texts: (0..table.dimensions()).map(|d| text(group, d)).collect(),
        rows: partitioning.rows(group).len() as u64,
        kept: targets().map(|column| counted(group, column)).collect(),
    };
    (0..partitioning.groups()).map(group).collect()
}

fn close(found: f64, expected: f64) -> bool {
    (found - expected).abs() <= 1e-9 * expected.abs().max(1.0)
}

fn assert_losses(found: &Measured, expected: &[(&str, f64)]) {
    for (id, expected) in expected {
        let found = found.get(id).unwrap_or_else(|| panic!("{id} was not measured"));
        assert!(close(*found, *expected), "{id} is {found}, not {expected}");
    }
}

fn texts(rows: &[&[&str]]) -> Vec<Vec<String>> {
    rows.iter().map(|row| row.iter().map(|text| text.to_string()).collect()).collect()
}

/// Fig. 1 of Mondrian's paper. Ages 25 and 27 occur twice, 26 and 28 once; four are male, two female; zipcode 53710
/// occurs once, 53711 three times, 53712 twice.
fn patients() -> Table {
    let rows: [&[&str]; 6] = [
        &["25", "Male", "53711"],
        &["25", "Female", "53712"],
        &["26", "Male", "53711"],
        &["27", "Male", "53710"],
        &["27", "Female", "53712"],
        &["28", "Male", "53711"],
    ];
    table(&texts(&rows), &[])
}

/// Σ log₂(6 / Nᵥ) over the cells of Patients.
fn patients_bits() -> f64 {
    let (age, sex) = (4.0 * 3f64.log2() + 2.0 * 6f64.log2(), 4.0 * 1.5f64.log2() + 2.0 * 3f64.log2());
    age + sex + 6f64.log2() + 3.0 * 2f64.log2() + 2.0 * 3f64.log2()
}

/// Fig. 3: [25..26] Male 53711; [25..27] Female 53712; [27..28] Male [53710..53711], two rows each.
#[test]
fn patients_in_three_groups() {
    let table = patients();
    let found = grouped(&table, &[vec![0, 2], vec![1, 4], vec![3, 5]], true);
    let ncp = (2.0 / 3.0 + 4.0 / 3.0 + 2.0 / 3.0 + 2.0 / 2.0) / 18.0; // lengths 1, 2, 1 of 3 and 1 of 2, for two rows each
    let expected = [
        ("dm", 12.0),
        ("c_avg", 1.0),
        ("vm", 2.0 * 2.0 + 2.0 * 3.0 + 2.0 * 4.0),
        ("ncp", ncp),
        ("granularity", ncp), // the values lie one apart
        ("precision", ncp),   // and no column has levels
        // Ages: 3 rows in [25..26], 5 in [25..27], 3 in [27..28]. Zipcodes: 4 rows in [53710..53711].
        ("hdm", ((1.0 / 4.0 + 2.0 / 5.0) * 2.0 + 2.0 * 3.0 / 4.0 + 3.0 / 5.0 + 1.0 / 3.0) / 3.0),
        // The second region has three cells for two tuples, the third four.
        ("kl", (1.5f64.ln() * 2.0 + 2f64.ln() * 2.0) / 6.0),
        (
            "entropy",
            ((1.5f64.log2() + 3f64.log2()) * 2.0 + 2.0 * 2.5f64.log2() + 4f64.log2() + (4.0f64 / 3.0).log2())
                / patients_bits(),
        ),
    ];
    assert_losses(&compact(&table, &found, 2), &expected);
    assert!(
        close(expected[3].1, 11.0 / 54.0)
            && close(expected[6].1, 56.0 / 45.0)
            && close(expected[7].1, 3f64.ln() / 3.0)
    );
    let read = PublishedGroups::read(&table, published(&table, &found, Extents::Compact)).unwrap();
    assert!(read.disjoint());
    assert_losses(&measured(&table, &read, 2), &expected);
}

/// Fig. 2, as it is printed: nobody of the second group is 28.
#[test]
fn patients_in_two_groups() {
    let table = patients();
    let group = |texts: [&str; 3], rows: u64| PublishedGroup {
        texts: texts.map(String::from).to_vec(),
        rows,
        kept: Vec::new(),
    };
    let groups =
        vec![group(["[25..28]", "Male", "[53710..53711]"], 4), group(["[25..28]", "Female", "53712"], 2)];
    let read = PublishedGroups::read(&table, groups).unwrap();
    assert_eq!(read.members(1), Some(&[1, 4][..]));
    let ncp = (4.0 * 1.5 + 2.0) / 18.0;
    let expected = [
        ("dm", 20.0),
        ("c_avg", 1.5),
        ("vm", 4.0 * 8.0 + 2.0 * 4.0),
        ("ncp", ncp),
        ("granularity", ncp),
        ("precision", ncp),
        ("hdm", (6.0 + 3.0 / 5.0 + 3.0 / 3.0) / 3.0),
        ("kl", 2f64.ln()), // both regions have twice as many cells as tuples
    ];
    assert_losses(&measured(&table, &read, 2), &expected);
}

/// The second group of Fig. 3 is suppressed: two rows without any detail.
#[test]
fn suppressed_rows_pay_for_everything() {
    let table = patients();
    let found = grouped(&table, &[vec![0, 2], vec![3, 5]], true);
    let ncp = (2.0 / 3.0 + 2.0 / 3.0 + 2.0 / 2.0 + 2.0 * 3.0) / 18.0;
    let stars = 2.0 * 3f64.log2() + 2.0 * 3f64.log2() + 2.0 * 3f64.log2(); // ages 25 and 27, two females, two zipcodes
    let expected = [
        ("dm", 4.0 + 4.0 + 2.0 * 6.0),
        ("vm", 2.0 * 2.0 + 2.0 * 4.0 + 2.0 * 24.0),
        ("ncp", ncp),
        ("granularity", ncp),
        ("precision", ncp),
        ("hdm", ((1.0 / 4.0 + 2.0 / 5.0) * 2.0 + 3.0 / 5.0 + 1.0 / 3.0) / 3.0 + 2.0),
        ("kl", 2.0 * 2f64.ln() / 4.0), // of the four rows that are published
        (
            "entropy",
            ((1.5f64.log2() + 3f64.log2()) * 2.0 + 4f64.log2() + (4.0f64 / 3.0).log2() + stars)
                / patients_bits(),
        ),
    ];
    assert_losses(&compact(&table, &found, 2), &expected);
    let read = PublishedGroups::read(&table, published(&table, &found, Extents::Compact)).unwrap();
    assert!(read.disjoint(), "the rows that lie in no region were suppressed");
    assert_losses(&measured(&table, &read, 2), &expected);
}

/// Li and Li, section 4.1: 50 Inc and 200 Not-inc of 1000 rows become Self-employed.
#[test]
fn rarer_values_lose_more_discernibility() {
    let work = [("Inc", 50), ("Not-inc", 200), ("Private", 750)];
    let rows: Vec<Vec<String>> =
        work.iter().flat_map(|(text, times)| vec![vec![text.to_string()]; *times]).collect();
    let table = table(&rows, &[]);
    let original = Original::new(&table, &[1.0]);
    let cost = HierarchicalDiscernibility.cost(&original).unwrap();
    let one = |code: u32| Statistics {
        count: 1,
        extents: vec![(0, Extent::Members(vec![0b11]))],
        histograms: vec![(0, [(code, 1)].into_iter().collect())],
        ..Statistics::default()
    };
    assert!(close(cost.group(&one(0)), 4.0 / 19.0) && close(cost.group(&one(1)), 1.0 / 16.0));
    let found = grouped(&table, &[(0..250).collect(), (250..1000).collect()], true);
    assert_losses(&compact(&table, &found, 250), &[("hdm", 50.0 * 4.0 / 19.0 + 200.0 / 16.0)]);
}

/// Leaves under `ab`, one letter, everything.
#[test]
fn levels_of_a_hierarchy() {
    let rows = texts(&[&["a"], &["b"], &["d"], &["d"], &["a"], &["h"], &["c"], &["d"]]);
    let table = table(&rows, &[Some(letters())]);
    let found = grouped(&table, &[vec![0, 1], vec![2, 3], vec![4, 5], vec![6, 7]], false);
    // The levels are pairs, halves, everything; {a|b} and {c|d} are pairs.
    let expected = [
        ("precision", (2.0 / 3.0 + 0.0 + 2.0 + 2.0 / 3.0) / 8.0),
        ("ncp", (2.0 * 2.0 / 8.0 + 0.0 + 2.0 + 2.0 * 2.0 / 8.0) / 8.0),
        ("granularity", (2.0 / 7.0 + 0.0 + 2.0 + 2.0 / 7.0) / 8.0),
        ("vm", 2.0 * 2.0 + 2.0 + 2.0 * 8.0 + 2.0 * 2.0),
        // Twice a, once b, once c, three d, once h. `ab` holds 3 rows, `cd` 4.
        ("hdm", 1.0 / 6.0 + 2.0 / 7.0 + 2.0 + 3.0 / 7.0 + 1.0 / 5.0),
    ];
    assert_losses(&compact(&table, &found, 2), &expected);
}

/// (26..40] is 14 long of 15, and holds 28 and 40 but not 26.
#[test]
fn an_open_end_counts_for_lengths_alone() {
    let rows = texts(&[&["25"], &["26"], &["26"], &["28"], &["40"]]);
    let table = table(&rows, &[]);
    let found = grouped(&table, &[vec![0, 1, 2], vec![3, 4]], true);
    let expected = [
        ("ncp", (3.0 + 2.0 * 14.0) / 15.0 / 5.0),
        ("precision", (3.0 + 2.0 * 14.0) / 15.0 / 5.0),
        ("vm", 3.0 * 2.0 + 2.0 * 15.0), // from 26 to 40
        ("granularity", (3.0 / 3.0 + 2.0 / 3.0) / 5.0),
        ("hdm", 2.0 / 4.0 + 2.0 / 3.0 + 2.0 / 4.0),
        ("kl", ((2.0f64 / 3.0).ln() + 2.0 * (4.0f64 / 3.0).ln()) / 5.0),
    ];
    let partitioning = &found;
    let groups = PartitionGroups { table: &table, partitioning, extents: Extents::Region };
    assert_losses(&measured(&table, &groups, 2), &expected);
    let texts = published(&table, &found, Extents::Region);
    assert_eq!(texts[1].texts, ["(26..40]"]);
    let read = PublishedGroups::read(&table, texts).unwrap();
    assert_losses(&measured(&table, &read, 2), &expected);
}

/// Volumes are lengths: ages 0, 1, 2, 3 and 100 in two ways, then the kinds of columns side by side.
#[test]
fn volumes_are_lengths_and_not_counts_of_values() {
    let ages = table(&texts(&[&["0"], &["1"], &["2"], &["3"], &["100"]]), &[]);
    let vm = |groups: &[Vec<u32>], expected: f64| {
        let found = grouped(&ages, groups, true);
        assert_losses(&compact(&ages, &found, 2), &[("vm", expected)]);
        let read = PublishedGroups::read(&ages, published(&ages, &found, Extents::Compact)).unwrap();
        assert_losses(&measured(&ages, &read, 2), &[("vm", expected)]);
    };
    vm(&[vec![0, 1], vec![2, 3, 4]], 2.0 * 2.0 + 3.0 * 99.0);
    vm(&[vec![0, 1, 2], vec![3, 4]], 3.0 * 3.0 + 2.0 * 98.0);
    vm(&[vec![0, 1, 2, 3, 4]], 5.0 * 101.0);
    // A suppressed row pays the whole range.
    vm(&[vec![0, 1]], 2.0 * 2.0 + 3.0 * 101.0);
    // A unit of the last digit, 0.5 and 2.25 apart by 175; leaves; members; a missing value is a cell of its own, and
    // beside others all of them.
    let rows = texts(&[
        &["0.5", "a", "red", "7"],
        &["2.25", "b", "blue", "9"],
        &["0.5", "e", "red", ""],
        &["0.5", "f", "green", "7"],
    ]);
    let table = table(&rows, &[None, Some(letters()), None, None]);
    let found = grouped(&table, &[vec![0, 1], vec![2], vec![3]], true);
    let expected = [("vm", 2.0 * 176.0 * 2.0 * 2.0 * 3.0 + 1.0 + 1.0)];
    assert_losses(&compact(&table, &found, 1), &expected);
    let found = grouped(&table, &[vec![0, 1], vec![2, 3]], true);
    assert_losses(
        &compact(&table, &found, 1),
        &[("vm", 2.0 * 176.0 * 2.0 * 2.0 * 3.0 + 2.0 * 2.0 * 2.0 * 4.0)],
    );
}

fn with_targets(rows: &[Vec<String>], targets: &[(&str, Vec<&str>)]) -> Table {
    let plain = table(rows, &[None, None, None, Some(letters())]);
    let mut columns = plain.columns().to_vec();
    columns.extend(targets.iter().map(|(name, texts)| column(&ColumnSpec::new(*name, Role::Target), texts)));
    Table::new(rows.len(), columns).unwrap()
}

/// Groups of four and two rows; classes yes, yes, yes, no and no, no; numbers 1, 2, 3, 6 and 0.5, 1.5.
#[test]
fn targets() {
    let rows = texts(&[&["1"], &["2"], &["3"], &["4"], &["5"], &["6"]]);
    let classes = vec!["yes", "yes", "yes", "no", "no", "no"];
    let table =
        with_targets(&rows, &[("class", classes), ("number", vec!["1", "2", "3", "6", "0.5", "1.5"])]);
    let found = grouped(&table, &[vec![0, 1, 2, 3], vec![4, 5]], true);
    let entropy = 0.75 * (4.0f64 / 3.0).log2() + 0.25 * 4f64.log2();
    let expected = [
        ("cm", 1.0),
        ("conditional-entropy", 4.0 / 6.0 * entropy),
        // The means are 3 and 1.
        ("rmse", ((4.0 + 1.0 + 0.0 + 9.0 + 0.25 + 0.25) / 6.0f64).sqrt()),
    ];
    assert_losses(&compact(&table, &found, 2), &expected);
    let read = PublishedGroups::read(&table, published(&table, &found, Extents::Compact)).unwrap();
    assert_losses(&measured(&table, &read, 2), &expected);
}

/// Two overlapping regions: 1, 2 and 2, 3. The tuple 2 is expected once in each of them: 1/2 + 1/2 of four.
#[test]
fn overlapping_regions_share_their_tuples() {
    let rows = texts(&[&["1"], &["2"], &["2"], &["3"]]);
    let table = table(&rows, &[]);
    let found = grouped(&table, &[vec![0, 1], vec![2, 3]], false);
    let read = PublishedGroups::read(&table, published(&table, &found, Extents::Compact)).unwrap();
    assert!(!read.disjoint() && read.members(0).is_none());
    let losses = measured(&table, &read, 2);
    assert_losses(&losses, &[("kl", 0.0), ("vm", 8.0), ("ncp", 0.5), ("granularity", 0.5)]);
    assert!(!losses.contains_key("hdm"), "whose values they are is not known");
    assert_losses(&compact(&table, &found, 2), &[("kl", 0.0)]);
}

/// A missing value beside 1 is published as `*`, which holds 2 and 3 too: they are expected 1/2 + 1 times, the others 1/2.
#[test]
fn groups_that_share_no_row_may_publish_overlapping_regions() {
    let rows = texts(&[&["1"], &[""], &["2"], &["3"]]);
    let table = table(&rows, &[]);
    let found = grouped(&table, &[vec![0, 1], vec![2, 3]], true);
    let expected =
        [("kl", (2.0 * 2f64.ln() + 2.0 * (2.0f64 / 3.0).ln()) / 4.0), ("vm", 2.0 * 4.0 + 2.0 * 2.0)];
    assert_losses(&compact(&table, &found, 2), &expected);
    let read = PublishedGroups::read(&table, published(&table, &found, Extents::Compact)).unwrap();
    assert_losses(&measured(&table, &read, 2), &expected);
}

/// One row of each of two groups of Fig. 3 was suppressed: which, the release does not tell.
#[test]
fn rows_that_may_be_suppressed_belong_to_no_group() {
    let table = patients();
    let found = grouped(&table, &[vec![0], vec![1, 4], vec![3]], true);
    let mut groups = published(&table, &found, Extents::Compact);
    groups[0].texts[0] = "[25..26]".into();
    let read = PublishedGroups::read(&table, groups).unwrap();
    assert!(!read.disjoint() && read.members(1).is_none());
    let losses = measured(&table, &read, 1);
    assert!(!losses.contains_key("hdm"));
    // Five rows lie in a region, four are published: 1/2 in each cell of the first, 2/3 in the second, 1 in the third.
    let expected: f64 =
        [0.5, 0.5, 2.0 / 3.0, 2.0 / 3.0, 1.0].iter().map(|p: &f64| (4.0 / 5.0 / p).ln() / 5.0).sum();
    assert_losses(&losses, &[("kl", expected), ("vm", 2.0 + 2.0 * 3.0 + 1.0 + 2.0 * 24.0)]);
}

/// Nobody has the tuple of the only region: there is no distribution to compare.
#[test]
fn without_a_row_in_a_region_there_is_no_divergence() {
    let table = table(&texts(&[&["1", "1"], &["2", "2"]]), &[]);
    let group = PublishedGroup { texts: ["1", "2"].map(String::from).to_vec(), rows: 2, kept: Vec::new() };
    let read = PublishedGroups::read(&table, vec![group]).unwrap();
    let losses = measured(&table, &read, 2);
    assert!(!losses.contains_key("kl") && losses.contains_key("vm"));
}

/// Every row has the value of the second column, which is not told from any other; the rows are told apart by half.
#[test]
fn a_value_that_every_row_has_loses_nothing() {
    let table = table(&texts(&[&["1", "x"], &["2", "x"], &["3", "x"]]), &[]);
    let found = grouped(&table, &[vec![0, 1], vec![2]], true);
    assert_losses(&compact(&table, &found, 1), &[("hdm", (1.0 / 2.0 + 1.0 / 2.0) / 2.0)]);
}

/// More groups than are summed up in a run, of one row each but the last, which has three.
#[test]
fn many_groups_are_each_counted_once() {
    let rows: Vec<Vec<String>> = (0..3003).map(|row| vec![row.to_string()]).collect();
    let table = table(&rows, &[]);
    let mut groups: Vec<Vec<u32>> = (0..3000).map(|row| vec![row]).collect();
    groups.push(vec![3000, 3001, 3002]);
    let found = grouped(&table, &groups, true);
    let expected =
        [("dm", 3009.0), ("vm", 3000.0 + 3.0 * 3.0), ("hdm", 3.0 * 2.0 / 3002.0), ("c_avg", 3003.0 / 3001.0)];
    assert_losses(&compact(&table, &found, 1), &expected);
    let read = PublishedGroups::read(&table, published(&table, &found, Extents::Compact)).unwrap();
    assert_losses(&measured(&table, &read, 1), &expected);
}

/// A group that is published as `*` beside one that is published as a set: red is in both, blue in one of them.
#[test]
fn anything_of_a_set_is_every_member() {
    let table = table(&texts(&[&["red"], &["red"], &["blue"]]), &[]);
    let mut found = grouped(&table, &[vec![0], vec![1, 2]], false);
    found.regions = Regions::new(1);
    found.regions.push_set([1].into_iter());
    found.regions.push_anything();
    // Blue is code 0. Of red one is expected, and of both colours one more.
    let expected = [("kl", (2.0 * (2.0f64 / 2.0).ln() + (1.0f64 / 1.0).ln()) / 3.0), ("vm", 1.0 + 2.0 * 2.0)];
    assert_losses(&compact(&table, &found, 1), &expected);
}

#[test]
fn foreign_values_are_refused_without_being_told() {
    let table = patients();
    let group = |text: &str| PublishedGroup {
        texts: [text, "Male", "53711"].map(String::from).to_vec(),
        rows: 2,
        kept: Vec::new(),
    };
    assert!(PublishedGroups::read(&table, vec![group("[25..26]")]).is_ok());
    let error = PublishedGroups::read(&table, vec![group("[25..x]")]).unwrap_err();
    assert_eq!(error.message(), "column q0: a published value is not a value of the original");
    assert_eq!(
        error.help(klimt_core::Words::Flags),
        ["give the hierarchy or order that the release was made with"]
    );
}

/// Rows of two ordered columns, a set and a hierarchy, some values missing, with a class and a number.
pub fn tables() -> impl Strategy<Value = Table> {
    let row = (0..14u32, 0..6u32, 0..4u32, 0..7u32, 0..3usize, 0..9u32);
    prop::collection::vec(row, 3..50).prop_map(|rows| {
        let text = |n: u32, missing: u32| if n == missing { String::new() } else { (n * n).to_string() };
        let of = |&(a, b, c, d, ..): &(u32, u32, u32, u32, usize, u32)| {
            let letter = if d == 6 { String::new() } else { char::from(b'a' + d as u8).to_string() };
            let set = ["red", "green", "blue", ""][c as usize].to_string();
            vec![text(a, 7), text(b, 99), set, letter]
        };
        let numbers: Vec<String> = rows.iter().map(|row| format!("{}.5", row.5)).collect();
        let classes = rows.iter().map(|row| ["yes", "no", "maybe"][row.4]).collect();
        let numbers = numbers.iter().map(String::as_str).collect();
        with_targets(&rows.iter().map(of).collect::<Vec<_>>(), &[("class", classes), ("number", numbers)])
    })
}

/// Puts the rows of a table into groups at random.
fn dealt(table: &Table, groups: usize, seeds: &[u32]) -> Partitioning {
    let mut dealt = vec![Vec::new(); groups];
    (0..table.rows()).for_each(|row| dealt[seeds[row] as usize % groups].push(row as u32));
    dealt.retain(|rows| !rows.is_empty());
    let mut found = grouped(table, &dealt, false);
    found.coalesce(&domains(table));
    found
}

fn seeds() -> impl Strategy<Value = Vec<u32>> {
    prop::collection::vec(0..1000u32, 50)
}

/// Σ over the distinct tuples of p₁ ln(p₁ / p₂), by its definition.
fn divergence(table: &Table, groups: &PartitionGroups<'_>) -> f64 {
    let mut copies: BTreeMap<Vec<u32>, f64> = BTreeMap::new();
    for row in 0..table.rows() {
        let tuple = (0..table.dimensions()).map(|d| table.codes(d).get(row)).collect();
        *copies.entry(tuple).or_default() += 1.0;
    }
    let rows = table.rows() as f64;
    let mut sum = 0.0;
    for (tuple, copies) in copies {
        let mut expected = 0.0;
        for group in 0..groups.count() {
            let covered: Vec<Extent> = (0..table.dimensions()).map(|d| groups.covered(group, d)).collect();
            if covered.iter().zip(&tuple).all(|(extent, code)| extent.holds(*code)) {
                let cells: u64 = covered.iter().map(Extent::len).product();
                expected += groups.rows(group) as f64 / cells as f64 / rows;
            }
        }
        sum += copies / rows * (copies / rows / expected).ln();
    }
    sum
}

/// Checks the range of the losses of a release without suppressed rows.
fn check_ranges(table: &Table, losses: &Measured) {
    for (id, &value) in losses {
        let most = match *id {
            "ncp" | "precision" | "entropy" | "granularity" => 1.0,
            "hdm" => table.rows() as f64,
            _ => f64::INFINITY,
        };
        assert!((0.0..=most * (1.0 + 1e-12)).contains(&value), "{id} is {value}");
    }
}

/// Checks that groups read back from the texts cost the same; returns whether the groups are apart.
fn check_read_back(table: &Table, partitioning: &Partitioning, extents: Extents) -> bool {
    let groups = PartitionGroups { table, partitioning, extents };
    let known = measured(table, &groups, 2);
    assert_eq!(known.len(), registry::LOSSES.len());
    check_ranges(table, &known);
    assert!(close(known["kl"], divergence(table, &groups)), "{} {}", known["kl"], divergence(table, &groups));
    let read = PublishedGroups::read(table, published(table, partitioning, extents)).unwrap();
    let told = measured(table, &read, 2);
    for (id, value) in &told {
        assert!(close(*value, known[id]), "{id} is {value} by the texts and {} by the groups", known[id]);
    }
    assert_eq!(told.len(), if read.disjoint() { known.len() } else { known.len() - 1 }, "all but hdm");
    assert!(read.disjoint() || !groups.disjoint());
    read.disjoint()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn published_texts_cost_what_their_groups_do(table in tables(), k in 1u64..6) {
        prop_assume!(k <= table.rows() as u64);
        let requirement: Vec<Box<dyn Requirement>> = vec![Box::new(KAnonymity::new(k).unwrap())];
        for hierarchy_cut in [HierarchyCut::Nodes, HierarchyCut::Leaves] {
            let mut found = partition(&table, &Mondrian { hierarchy_cut, ..Mondrian::default() }, &requirement);
            let mut by_cuts = found.clone();
            by_cuts.regions = found.tree.clone().unwrap().regions(&domains(&table), Some(&found.regions));
            for (found, extents) in [(&mut found, Extents::Compact), (&mut by_cuts, Extents::Region)] {
                found.coalesce(&domains(&table));
                check_read_back(&table, found, extents);
            }
        }
    }

    #[test]
    fn numbers_alone_are_always_apart(
        cells in prop::collection::vec((0..12u32, 0..5u32), 3..60), k in 1u64..6
    ) {
        let rows: Vec<Vec<String>> = cells.iter().map(|(a, b)| vec![(a * a).to_string(), b.to_string()]).collect();
        prop_assume!(k <= rows.len() as u64);
        let table = with_targets(&rows, &[("n", vec!["1"; rows.len()])]);
        let requirement: Vec<Box<dyn Requirement>> = vec![Box::new(KAnonymity::new(k).unwrap())];
        let found = partition(&table, &Mondrian::default(), &requirement);
        let mut by_cuts = found.clone();
        by_cuts.regions = found.tree.clone().unwrap().regions(&domains(&table), Some(&found.regions));
        prop_assert!(check_read_back(&table, &found, Extents::Compact));
        prop_assert!(check_read_back(&table, &by_cuts, Extents::Region));
        // The locator tells the same as the rows of the groups do.
        let overlapping = Partitioning { strict: false, ..found.clone() };
        let [by_rows, by_locator] = [&found, &overlapping].map(|found| compact(&table, found, k)["kl"]);
        prop_assert!(close(by_rows, by_locator), "{by_rows} {by_locator}");
    }

    #[test]
    fn any_groups_are_read_back(table in tables(), groups in 1..8usize, seeds in seeds()) {
        let found = dealt(&table, groups, &seeds);
        check_read_back(&table, &found, Extents::Compact);
        // What a search sees of the rows of a group costs what is published of it.
        let (known, weights) = (compact(&table, &found, 2), vec![1.0; table.dimensions()]);
        let workload = workload(&table);
        let original = Original::new(&table, &weights).with_workload(Some(&workload));
        let (rows, groups) = (table.rows() as u64, found.groups() as u64);
        for (entry, loss) in registry::LOSSES {
            if let Some(cost) = loss.cost(&original) {
                let collector = Collector::new(&cost.needs(), &table).unwrap();
                let group = |group| cost.group(&collector.of(found.rows(group)));
                let sum = (0..found.groups()).map(group).sum();
                let seen = cost.finish(sum, &Totals { rows, suppressed: 0, groups, k: 2 });
                prop_assert!(close(seen, known[entry.id]), "{} {} {}", entry.id, seen, known[entry.id]);
            }
        }
    }

    #[test]
    fn nothing_is_lost_when_every_row_is_published_as_it_is(table in tables()) {
        let mut same: BTreeMap<Vec<u32>, Vec<u32>> = BTreeMap::new();
        for row in 0..table.rows() {
            let tuple = (0..table.dimensions()).map(|d| table.codes(d).get(row)).collect();
            same.entry(tuple).or_default().push(row as u32);
        }
        let found = grouped(&table, &same.into_values().collect::<Vec<_>>(), true);
        let losses = compact(&table, &found, 1);
        let nothing = ["ncp", "hdm", "kl", "queries", "precision", "entropy", "granularity"].map(|id| (id, 0.0));
        assert_losses(&losses, &nothing);
        assert_losses(&losses, &[("vm", table.rows() as f64)]);
    }

    #[test]
    fn no_refinement_undercuts_a_bound(
        table in tables(), taken in seeds(), minimum in 1u64..5, cuts in seeds()
    ) {
        let rows: Vec<u32> = (0..table.rows() as u32).filter(|&row| taken[row as usize] % 3 > 0).collect();
        prop_assume!(rows.len() as u64 >= minimum);
        // Rows in random order, cut wherever both sides are large enough.
        let mut order = rows.clone();
        order.sort_by_key(|&row| (cuts[row as usize] % 7, row));
        let mut parts: Vec<Vec<u32>> = vec![Vec::new()];
        for (at, &row) in order.iter().enumerate() {
            let (last, left) = (parts.last().map_or(0, Vec::len) as u64, (order.len() - at) as u64);
            if last >= minimum && left >= minimum && cuts[row as usize] % 2 == 0 {
                parts.push(Vec::new());
            }
            parts.last_mut().unwrap().push(row);
        }
        let weights = vec![1.0; table.dimensions()];
        let workload = workload(&table);
        let original = Original::new(&table, &weights).with_workload(Some(&workload));
        for cost in registry::LOSSES.iter().filter_map(|(_, loss)| loss.cost(&original)) {
            let collector = Collector::new(&cost.needs(), &table).unwrap();
            let bound = cost.bound(&collector.of(&rows), minimum);
            let sum: f64 = parts.iter().map(|part| cost.group(&collector.of(part))).sum();
            prop_assert!(sum >= bound - 1e-9, "{sum} is less than {bound}, {:?}", cost.needs());
        }
    }
}
