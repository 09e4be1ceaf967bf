//! The partition enumeration tree of GenSearch: every hierarchical partition once, and the split sets it starts from.

use crate::common::{table, taxonomy};
use klimt_core::algorithm::gensearch::{Enumeration, Partition, Splits};
use klimt_core::hierarchy::Hierarchy;
use klimt_core::table::{Shape, Table};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// A partition as its blocks, in any order.
type Blocks = BTreeSet<Vec<Vec<u32>>>;

/// The hierarchies of some columns.
type Hierarchies<'a> = &'a [Option<Arc<Hierarchy>>];

/// A table whose columns take so many values, each in some row.
fn grid(values: &[usize]) -> Table {
    let most = *values.iter().max().unwrap();
    let rows: Vec<Vec<String>> =
        (0..most).map(|row| values.iter().map(|&n| (row % n).to_string()).collect()).collect();
    table(&rows, &[])
}

fn met(table: &Table) -> Vec<Blocks> {
    let all: Vec<Partition> = Enumeration::new(table, &Splits::Every).unwrap().collect();
    all.into_iter().map(|partition| partition.into_iter().collect()).collect()
}

fn count(splits: &[usize]) -> usize {
    let all = met(&grid(&splits.iter().map(|&n| n + 1).collect::<Vec<_>>()));
    assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), all.len(), "a partition is met twice");
    all.len()
}

#[test]
fn every_partition_is_met_once() {
    for splits in 0..8 {
        assert_eq!(count(&[splits]), 1 << splits, "{splits} splits of one column");
    }
    assert_eq!(count(&[1, 1]), 8);
    assert_eq!(count(&[2, 1]), 34);
    assert_eq!(count(&[1, 2]), 34);
    assert_eq!(count(&[2, 2]), 320);
    assert_eq!(count(&[1, 1, 1]), 146);
}

/// Every hierarchical partition of a box, from the definition (Definition 4 and section 4.1), with many duplicates.
fn all_partitions(table: &Table, space: &[Vec<u32>], known: &mut BTreeMap<Vec<Vec<u32>>, BTreeSet<Blocks>>) {
    if known.contains_key(space) {
        return;
    }
    let mut found = BTreeSet::from([Blocks::from([space.to_vec()])]);
    for (dimension, codes) in space.iter().enumerate() {
        for parts in cuts(table, dimension, codes) {
            let mut partitions = vec![Blocks::new()];
            for part in parts {
                let mut below = space.to_vec();
                below[dimension] = part;
                all_partitions(table, &below, known);
                let joined = |one: &Blocks| known[&below].iter().map(|other| one | other).collect::<Vec<_>>();
                partitions = partitions.iter().flat_map(joined).collect();
            }
            found.extend(partitions);
        }
    }
    known.insert(space.to_vec(), found);
}

/// The ways to cut codes of a dimension into parts.
fn cuts(table: &Table, dimension: usize, codes: &[u32]) -> Vec<Vec<Vec<u32>>> {
    let domain = table.domain(dimension);
    if codes.len() < 2 {
        return Vec::new();
    }
    match domain.shape() {
        Shape::Ordered => {
            (1..codes.len()).map(|at| vec![codes[..at].to_vec(), codes[at..].to_vec()]).collect()
        }
        Shape::Set => codes
            .iter()
            .map(|value| vec![vec![*value], codes.iter().copied().filter(|code| code != value).collect()])
            .collect(),
        Shape::Hierarchy(tree) => {
            let node = domain.node_over(tree, codes[0], codes[codes.len() - 1]);
            let within = |&child| {
                let (lo, hi) = tree.span(child);
                codes.iter().copied().filter(|code| (lo..=hi).contains(code)).collect()
            };
            let mut parts: Vec<Vec<u32>> = tree.children(node).iter().map(within).collect();
            parts.extend(domain.missing_code().filter(|code| codes.contains(code)).map(|code| vec![code]));
            vec![parts]
        }
    }
}

#[test]
fn the_partitions_are_those_of_the_definition() {
    let tables: [(&[&str], Hierarchies<'_>); 8] = [
        (&["1 1", "2 2", "3 3"], &[]),
        (&["red", "green", "blue", "black"], &[]),
        (&["red 1", "green 2", "blue 3"], &[]),
        (&["red x", "green y", "blue z"], &[]),
        (&["a", "b"], &[Some(taxonomy())]),
        (&["1 a", "2 b"], &[None, Some(taxonomy())]),
        (&["a 1", "- -"], &[Some(taxonomy())]),
        (&["a red 1", "c blue 2"], &[Some(taxonomy())]),
    ];
    for (lines, hierarchies) in tables {
        let rows: Vec<Vec<String>> =
            lines.iter().map(|line| line.split(' ').map(|cell| cell.replace('-', "")).collect()).collect();
        let table = table(&rows, hierarchies);
        let whole: Vec<Vec<u32>> =
            (0..table.dimensions()).map(|d| (0..table.domain(d).cardinality() as u32).collect()).collect();
        let met = met(&table);
        let mut known = BTreeMap::new();
        all_partitions(&table, &whole, &mut known);
        let defined = &known[&whole];
        assert_eq!(met.len(), defined.len(), "{lines:?}");
        assert!(met.into_iter().collect::<BTreeSet<_>>() == *defined, "{lines:?}");
    }
}

fn chosen(lines: &[&str], hierarchies: Hierarchies<'_>, splits: &Splits) -> Vec<Vec<u32>> {
    let rows: Vec<Vec<String>> =
        lines.iter().map(|line| line.split(' ').map(|cell| cell.replace('-', "")).collect()).collect();
    splits.codes(&table(&rows, hierarchies)).unwrap()
}

#[test]
fn splits_are_chosen_by_width_by_count_or_from_the_top() {
    let ordered = ["0", "1", "2", "3", "10", "20", "20", "20"];
    assert_eq!(chosen(&ordered, &[], &Splits::Every), [[0, 1, 2, 3, 4]]);
    assert_eq!(chosen(&ordered, &[], &Splits::EqualWidth(2)), [[3]], "0 to 9 and 10 to 20");
    assert_eq!(chosen(&ordered, &[], &Splits::EqualCount(2)), [[3]]);
    assert_eq!(chosen(&ordered, &[], &Splits::EqualCount(4)), [[1, 3]], "the last value has three rows");
    let missing = ["1", "2", "3", "4", "-"];
    assert_eq!(chosen(&missing, &[], &Splits::EqualCount(2)), [[1, 3]], "a missing value is one more part");
    assert_eq!(chosen(&missing, &[], &Splits::EqualWidth(1)), [[3]]);
    let set = ["red", "red", "blue", "green", "blue", "red"];
    assert_eq!(chosen(&set, &[], &Splits::Every), [[0, 1, 2]]);
    assert_eq!(chosen(&set, &[], &Splits::at_most(1)), [[2]], "the commonest value");
    let tree = [Some(taxonomy())];
    assert_eq!(
        chosen(&["a", "b"], &tree, &Splits::EqualCount(2)),
        [[] as [u32; 0]],
        "the root has three children"
    );
    assert_eq!(chosen(&["a", "b"], &tree, &Splits::EqualCount(3)), [[1, 2]]);
    assert_eq!(chosen(&["a", "b"], &tree, &Splits::EqualCount(4)), [[0, 1, 2]]);
    assert_eq!(chosen(&["a", "b"], &tree, &Splits::EqualCount(9)), [[0, 1, 2, 3]]);
    assert_eq!(chosen(&["a", "-"], &tree, &Splits::EqualCount(3)), [[1, 2, 4]], "beside those of the values");
}

#[test]
fn a_given_split_set_must_fit_the_table() {
    let table = grid(&[3, 2]);
    let codes = |given: &[Vec<u32>]| Splits::Given(given.to_vec()).codes(&table);
    assert_eq!(codes(&[vec![1, 0, 1], vec![]]).unwrap(), [vec![0, 1], vec![]]);
    assert!(codes(&[vec![1]]).unwrap_err().message().contains("1 dimensions"));
    assert!(codes(&[vec![2], vec![]]).unwrap_err().message().contains("column q0"));
    assert!(Splits::EqualWidth(0).codes(&table).is_err());
}

#[test]
fn a_hierarchy_is_specialised_where_every_boundary_is_given() {
    let rows = vec![vec!["a".to_string()]];
    let table = table(&rows, &[Some(taxonomy())]);
    let count =
        |codes: &[u32]| Enumeration::new(&table, &Splits::Given(vec![codes.to_vec()])).unwrap().count();
    assert_eq!(count(&[1]), 1, "one of the two boundaries of the root");
    assert_eq!(count(&[1, 2]), 2);
    assert_eq!(count(&[0, 1, 2]), 3, "a and b apart, or not");
    assert_eq!(count(&[0, 3]), 1, "nothing below a node that is not specialised");
    assert_eq!(count(&[0, 1, 2, 3]), 5);
}
