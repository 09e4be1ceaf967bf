//! The hierarchies of the Adult extract, where it is at hand.

use std::path::PathBuf;

use super::{Hierarchy, ReadOptions, WriteOptions, read_csv, write_csv};

/// Column, distinct values in the data, leaves, nodes and height of its hierarchy.
const COLUMNS: [(&str, u64, u32, u32, u32); 9] = [
    ("sex", 2, 2, 3, 1),
    ("age", 72, 100, 136, 4),
    ("race", 5, 5, 6, 1),
    ("marital-status", 7, 7, 10, 2),
    ("education", 16, 16, 25, 3),
    ("native-country", 41, 41, 47, 2),
    ("workclass", 7, 8, 12, 2),
    ("occupation", 14, 14, 18, 2),
    ("salary-class", 2, 2, 3, 1),
];

/// The folder named by `KLIMT_DATA`, or the one beside the workspace; says so when there is none.
fn folder() -> Option<PathBuf> {
    let beside = || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/adult");
    let folder = std::env::var_os("KLIMT_DATA").map_or_else(beside, PathBuf::from);
    let found = folder.join("adult.csv").is_file();
    if !found {
        println!("skipped: no Adult data in {}; set KLIMT_DATA to its folder", folder.display());
    }
    found.then_some(folder)
}

fn hierarchy(folder: &std::path::Path, column: &str) -> Hierarchy {
    let file = format!("hierarchy_{column}.csv");
    let bytes = std::fs::read(folder.join(&file)).unwrap();
    read_csv(&file, &bytes, &ReadOptions::default()).unwrap()
}

#[test]
fn every_hierarchy_is_read_and_written_back() {
    let Some(folder) = folder() else { return };
    for (column, _, leaves, nodes, height) in COLUMNS {
        let tree = hierarchy(&folder, column);
        assert_eq!(
            (tree.leaf_count(), tree.node_count(), tree.height()),
            (leaves, nodes, height),
            "{column}"
        );
        assert_eq!(tree.label(tree.root()), "*");
        let text = write_csv(&tree, &WriteOptions::default()).unwrap();
        assert_eq!(read_csv(column, text.as_bytes(), &ReadOptions::default()).unwrap(), tree);
    }
}

#[test]
fn every_column_is_covered_by_its_hierarchy() {
    let Some(folder) = folder() else { return };
    let text = std::fs::read_to_string(folder.join("adult.csv")).unwrap();
    let header: Vec<&str> = text.lines().next().unwrap().split(';').collect();
    for (column, values, leaves, ..) in COLUMNS {
        let at = header.iter().position(|&name| name == column).unwrap();
        let tree = hierarchy(&folder, column);
        let cells: std::collections::BTreeSet<&str> =
            text.lines().skip(1).map(|row| row.split(';').nth(at).unwrap()).collect();
        assert_eq!((cells.len() as u64, tree.leaf_count()), (values, leaves), "{column}");
        assert!(cells.iter().all(|value| tree.leaf_code(value).is_some()), "{column}");
    }
}
