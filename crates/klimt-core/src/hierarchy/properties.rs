//! Properties of every hierarchy, on random trees with labels that are hard to write.

use proptest::prelude::*;

use super::{Hierarchy, HierarchyBuilder, NodeId, ReadOptions, WriteOptions, read_csv, write_csv};

/// A random tree as the paths of its leaves in random order. Labels are distinct and hold whatever a CSV file
/// makes hard.
fn any_paths() -> impl Strategy<Value = Vec<Vec<String>>> {
    let node = (any::<prop::sample::Index>(), "[a;,|\t\"\r\n \u{feff}é*]{0,3}");
    prop::collection::vec(node, 1..40).prop_map(paths_of).prop_shuffle()
}

/// The paths of the tree in which node `i` hangs under one of the nodes before it; node 0 is the root.
fn paths_of(nodes: Vec<(prop::sample::Index, String)>) -> Vec<Vec<String>> {
    let parents: Vec<usize> =
        (0..nodes.len()).map(|i| if i == 0 { 0 } else { nodes[i].0.index(i) }).collect();
    let label = |i: usize| format!("{}{i}{}", nodes[i].1, nodes[i].1);
    let leaves = (0..nodes.len()).filter(|leaf| !parents[1..].contains(leaf));
    let path = |leaf| {
        let up = |&node: &usize| (node != 0).then(|| parents[node]);
        std::iter::successors(Some(leaf), up).map(label).collect()
    };
    leaves.map(path).collect()
}

fn tree_of(paths: &[Vec<String>]) -> Hierarchy {
    let mut builder = HierarchyBuilder::new("random");
    (1..).zip(paths).for_each(|(line, path)| builder.push(line, path));
    builder.finish().unwrap()
}

/// The lowest node that is above all leaves from `lo` to `hi`, found by looking at every node.
fn lowest_over(tree: &Hierarchy, lo: u32, hi: u32) -> NodeId {
    let is_above = |node: NodeId, code: u32| tree.path(tree.leaf_node(code)).any(|above| above == node);
    let over = tree.nodes().filter(|&node| (lo..=hi).all(|code| is_above(node, code)));
    over.max_by_key(|&node| tree.depth(node)).unwrap()
}

proptest! {
    #[test]
    fn the_tree_holds_exactly_the_paths_it_was_given(paths in any_paths()) {
        let tree = tree_of(&paths);
        prop_assert_eq!(tree.leaf_count() as usize, paths.len());
        for path in &paths {
            prop_assert_eq!(tree.leaf_path(tree.leaf_code(&path[0]).unwrap()), path.as_slice());
        }
        let mut labels: Vec<&String> = paths.iter().flatten().collect();
        labels.sort_unstable();
        labels.dedup();
        prop_assert_eq!(tree.node_count() as usize, labels.len());
        for label in labels {
            prop_assert_eq!(tree.label(tree.node(label).unwrap()), label);
        }
    }

    #[test]
    fn siblings_stand_in_the_order_of_their_first_line(paths in any_paths()) {
        let tree = tree_of(&paths);
        let first_line = |&node: &NodeId| paths.iter().position(|path| path.iter().any(|l| l == tree.label(node)));
        for node in tree.nodes() {
            prop_assert!(tree.children(node).iter().map(first_line).is_sorted());
        }
    }

    #[test]
    fn spans_are_contiguous_and_nested(paths in any_paths()) {
        let tree = tree_of(&paths);
        prop_assert_eq!(tree.span(tree.root()), (0, tree.leaf_count() - 1));
        for node in tree.nodes() {
            let (first, last) = tree.span(node);
            prop_assert_eq!(tree.leaves_under(node), last - first + 1);
            let mut next = first;
            for &child in tree.children(node) {
                prop_assert_eq!(tree.parent(child), Some(node));
                prop_assert_eq!(tree.depth(child), tree.depth(node) + 1);
                prop_assert_eq!(tree.span(child).0, next);
                next = tree.span(child).1 + 1;
            }
            prop_assert_eq!(next, if tree.is_leaf(node) { first } else { last + 1 });
            prop_assert_eq!(tree.is_leaf(node), tree.children(node).is_empty());
        }
        prop_assert_eq!(Some(tree.height()), tree.nodes().map(|node| tree.depth(node)).max());
    }

    #[test]
    fn the_lowest_common_ancestor_is_what_a_search_finds(paths in any_paths()) {
        let tree = tree_of(&paths);
        for lo in 0..tree.leaf_count() {
            for hi in lo..tree.leaf_count() {
                prop_assert_eq!(tree.lowest_common_ancestor(lo, hi), lowest_over(&tree, lo, hi));
            }
        }
    }

    #[test]
    fn what_is_written_is_read_back(paths in any_paths(), delimiter in prop::sample::select(b";,\t|".to_vec())) {
        let tree = tree_of(&paths);
        let text = write_csv(&tree, &WriteOptions { delimiter }).unwrap();
        let found = read_csv("random", text.as_bytes(), &ReadOptions::default()).unwrap();
        prop_assert_eq!(&found, &tree);
        let options = ReadOptions { delimiter: Some(delimiter), header: Some(false) };
        let windows = format!("\u{feff}{text}");
        prop_assert_eq!(&read_csv("random", windows.as_bytes(), &options).unwrap(), &tree);
    }

    #[test]
    fn what_is_saved_is_restored(paths in any_paths()) {
        let tree = tree_of(&paths);
        let saved = serde_json::to_string(&tree).unwrap();
        prop_assert_eq!(&serde_json::from_str::<Hierarchy>(&saved).unwrap(), &tree);
    }

    #[test]
    fn no_bytes_make_the_reader_panic(bytes in prop::collection::vec(prop::sample::select(b"ab;,\"\r\n\xff*".to_vec()), 0..60)) {
        if let Ok(tree) = read_csv("random", &bytes, &ReadOptions::default()) {
            prop_assert!(tree.leaf_count() > 0);
        }
    }
}
