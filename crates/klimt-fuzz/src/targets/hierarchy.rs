//! Hierarchy files: what is read is written and read again as the same tree.

use klimt_core::hierarchy::{Hierarchy, ReadOptions, WriteOptions, read_csv, write_csv};

/// Reads, writes and reads again.
pub fn run(data: &[u8]) {
    let Ok(tree) = read_csv("tree.csv", data, &ReadOptions::default()) else { return };
    for delimiter in [b';', b','] {
        let written = write_csv(&tree, &WriteOptions { delimiter }).expect("a tree is written");
        let options = ReadOptions { delimiter: Some(delimiter), header: Some(false) };
        let again = read_csv("tree.csv", written.as_bytes(), &options).expect("what was written is read");
        assert_eq!(paths(&tree), paths(&again), "a tree changes when it is written");
    }
}

/// The labels above every leaf. A leaf that has the label of the node above it is padding.
fn paths(tree: &Hierarchy) -> Vec<Vec<String>> {
    let path = |code| tree.path(tree.leaf_node(code)).map(|node| tree.label(node).to_string()).collect();
    (0..tree.leaf_count()).map(path).collect()
}

/// A deep tree and a wide one.
pub fn samples() -> Vec<Vec<u8>> {
    let deep: Vec<String> = (0..3000).map(|level| format!("n{level}")).collect();
    let wide: String = (0..500).map(|leaf| format!("l{leaf};g{};*\n", leaf / 7)).collect();
    vec![deep.join(";").into_bytes(), wide.into_bytes()]
}
