//! GenSearch: the enumeration tree, and the optimum that it finds.

use crate::common::{letters, table};
use klimt::algorithm::gensearch::{Enumeration, Partition, Splits};
use klimt::table::Table;
use std::collections::BTreeSet;

/// A table whose columns take so many values, each in some row.
fn grid(values: &[usize]) -> Table {
    let most = *values.iter().max().unwrap();
    let rows: Vec<Vec<String>> =
        (0..most).map(|row| values.iter().map(|&n| (row % n).to_string()).collect()).collect();
    table(&rows, &[])
}

fn as_set(partition: Partition) -> BTreeSet<Vec<Vec<u32>>> {
    partition.into_iter().collect()
}

fn count(splits: &[usize]) -> usize {
    let values: Vec<usize> = splits.iter().map(|&n| n + 1).collect();
    let all: Vec<_> = Enumeration::new(&grid(&values), &Splits::Every).unwrap().map(as_set).collect();
    let distinct: BTreeSet<_> = all.iter().cloned().collect();
    assert_eq!(distinct.len(), all.len(), "a partition is met twice");
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
    let _ = letters();
}
