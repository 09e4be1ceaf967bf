//! A balanced tree over values in a given order.

use hashbrown::HashSet;

use super::{ROOT, even_parts, no_values, refused, tree_of};
use crate::hierarchy::Hierarchy;
use crate::{Error, Result};

/// How the tree over an ordered list branches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Order {
    /// How many children a node has at most; 2 by default.
    pub fan_out: usize,
}

impl Default for Order {
    fn default() -> Self {
        Order { fan_out: 2 }
    }
}

/// The hierarchy of `values` in the order given, each of which must be there once.
///
/// A node is divided into as many parts as the fan-out allows, as even as they can be, so the leaves lie at most
/// one step apart in depth. A node is labelled with the first and the last value that it holds, `[a..b]`.
pub fn order<S: AsRef<str>>(values: impl IntoIterator<Item = S>, parameters: &Order) -> Result<Hierarchy> {
    if parameters.fan_out < 2 {
        return Err(Error::input("cannot build a hierarchy: the fan-out is less than 2"));
    }
    let given = (1..).zip(values).filter(|(_, value)| !value.as_ref().is_empty());
    let (positions, values): (Vec<usize>, Vec<String>) =
        given.map(|(position, value)| (position, value.as_ref().to_string())).unzip();
    if values.is_empty() {
        return Err(no_values());
    }
    let mut ancestors: Vec<Vec<String>> = vec![vec![ROOT.to_string()]; values.len()];
    let mut pending = vec![(0, values.len())];
    let mut nodes = Vec::new();
    while let Some((start, end)) = pending.pop() {
        let parts = even_parts(end - start, parameters.fan_out.min(end - start));
        for (first, past) in parts.map(|(first, past)| (start + first, start + past)) {
            if past - first > 1 {
                let label = format!("[{}..{}]", values[first], values[past - 1]);
                ancestors[first..past].iter_mut().for_each(|labels| labels.push(label.clone()));
                nodes.push((label, first));
                pending.push((first, past));
            }
        }
    }
    refuse_equal_labels(&values, &positions, &nodes)?;
    tree_of(values.into_iter().zip(ancestors).map(|(value, mut path)| {
        path.push(value);
        path.reverse();
        path
    }))
}

/// Refuses what would make one label name two things: a value listed twice, a value that is the root, and a node
/// whose label is also that of a value or of another node.
fn refuse_equal_labels(values: &[String], positions: &[usize], nodes: &[(String, usize)]) -> Result<()> {
    let mut known: HashSet<&str> = HashSet::new();
    let listed = |at: &usize| !known.insert(&values[*at]);
    let twice: Vec<usize> = (0..values.len()).filter(listed).map(|at| positions[at]).collect();
    if !twice.is_empty() {
        return Err(refused(&twice, "listed before", "list each value once"));
    }
    if let Some(at) = values.iter().position(|value| value == ROOT) {
        return Err(refused(&[positions[at]], "it is *, the label of the root", "rename the value"));
    }
    let clashing = nodes.iter().filter(|(label, _)| !known.insert(label));
    let mut clashes: Vec<usize> = clashing.map(|&(_, first)| positions[first]).collect();
    if clashes.is_empty() {
        return Ok(());
    }
    clashes.sort_unstable();
    clashes.dedup();
    let what = "the label of a node is also another one's, and the node starts with";
    Err(refused(&clashes, what, "rename values that hold .. or look like [a..b]"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn build(values: &[&str], fan_out: usize) -> Result<Hierarchy> {
        order(values, &Order { fan_out })
    }

    fn paths(tree: &Hierarchy) -> Vec<String> {
        (0..tree.leaf_count()).map(|code| tree.leaf_path(code).join(" ")).collect()
    }

    #[test]
    fn values_keep_their_order_under_balanced_nodes() {
        let tree = order(["low", "mid", "", "high", "top", "peak"], &Order::default()).unwrap();
        let expected = [
            "low [low..mid] [low..high] *",
            "mid [low..mid] [low..high] *",
            "high [low..high] *",
            "top [top..peak] *",
            "peak [top..peak] *",
        ];
        assert_eq!(paths(&tree), expected);
    }

    #[test]
    fn a_larger_fan_out_makes_a_flatter_tree() {
        assert_eq!(paths(&build(&["a", "b", "c"], 3).unwrap()), ["a *", "b *", "c *"]);
        assert_eq!(
            paths(&build(&["a", "b", "c", "d"], 3).unwrap()),
            ["a [a..b] *", "b [a..b] *", "c *", "d *"]
        );
        assert_eq!(paths(&build(&["a"], 2).unwrap()), ["a *"]);
    }

    #[test]
    fn wrong_parameters_and_lists_are_refused() {
        let message = |values: &[&str], fan_out| build(values, fan_out).unwrap_err().message().to_string();
        assert!(message(&["a"], 1).ends_with("the fan-out is less than 2"));
        assert!(message(&["", ""], 2).ends_with("no values"));
        assert!(message(&["a", "", "b", "a"], 2).ends_with("listed before: value 4"));
        assert!(message(&["a", "*"], 2).ends_with("the root: value 2"));
    }

    #[test]
    fn labels_that_would_name_two_things_are_refused() {
        let message = |values: &[&str]| build(values, 2).unwrap_err().message().to_string();
        assert!(message(&["a", "b", "[a..b]"]).ends_with("starts with: value 1"));
        assert!(message(&["", "a..b", "c", "a", "b..c"]).ends_with("starts with: value 4"));
    }

    proptest! {
        #[test]
        fn leaves_keep_the_order_and_nodes_hold_what_lies_between_their_ends(
            count in 1usize..200,
            fan_out in 2usize..7,
        ) {
            let values: Vec<String> = (0..count).map(|i| format!("v{}", (i * 7919) % 1000)).collect();
            let tree = order(&values, &Order { fan_out }).unwrap();
            let leaves: Vec<&str> = (0..tree.leaf_count()).map(|code| tree.leaf_label(code)).collect();
            prop_assert_eq!(leaves, values);
            for node in tree.nodes().filter(|&node| !tree.is_leaf(node)) {
                let (first, last) = tree.span(node);
                let ends = format!("[{}..{}]", tree.leaf_label(first), tree.leaf_label(last));
                prop_assert_eq!(tree.label(node), if node == tree.root() { ROOT } else { ends.as_str() });
                prop_assert!(tree.children(node).len() <= fan_out);
            }
            let depths = (0..tree.leaf_count()).map(|code| tree.depth(tree.leaf_node(code)));
            prop_assert!(depths.clone().max().unwrap() - depths.min().unwrap() <= 1);
        }
    }
}
