//! Intervals over numbers that hold equally many of them.

use super::numbers::Numbers;
use super::{ROOT, even_parts, tree_of};
use crate::decimal::Decimal;
use crate::hierarchy::Hierarchy;
use crate::{Error, Result};

/// How many numbers an interval holds, and how many intervals one of the next level joins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EqualCount {
    /// How many distinct numbers an interval of the first level holds at least.
    pub per_group: usize,
    /// For each further level, how many intervals of the level before one of it joins at least.
    pub fan_outs: Vec<usize>,
}

impl EqualCount {
    fn check(&self) -> Result<()> {
        let refuse = |what: String| Err(Error::input(format!("cannot build a hierarchy: {what}")));
        if self.per_group == 0 {
            return refuse("an interval must hold at least 1 number".into());
        }
        match self.fan_outs.iter().position(|&fan_out| fan_out < 2) {
            Some(at) => refuse(format!("fan-out {} is less than 2", at + 1)),
            None => Ok(()),
        }
    }

    /// For every level, where its intervals start and end among `count` numbers. Within a level the intervals
    /// are as even as those below allow, and there is always at least one.
    fn levels(&self, count: usize) -> Vec<Vec<(usize, usize)>> {
        let mut levels = vec![even_parts(count, (count / self.per_group).max(1)).collect::<Vec<_>>()];
        for &fan_out in &self.fan_outs {
            let below = &levels[levels.len() - 1];
            let parts = even_parts(below.len(), (below.len() / fan_out).max(1));
            let joined = parts.map(|(first, end)| (below[first].0, below[end - 1].1)).collect();
            levels.push(joined);
        }
        levels
    }
}

/// The hierarchy of the numbers among `values` under intervals that hold equally many of them.
///
/// Integers get `[3..8]`, the smallest and the largest that it holds. Decimals get `[0.5..1.2)`, which ends where
/// the next interval starts, and the last one includes its upper end: `[1.2..1.9]`. An interval with a single
/// leaf is that leaf.
pub fn equal_count<S: AsRef<str>>(
    values: impl IntoIterator<Item = S>,
    parameters: &EqualCount,
) -> Result<Hierarchy> {
    parameters.check()?;
    let Numbers { scale, integers, numbers } = Numbers::parse(values, 0)?;
    let label = |(start, end): (usize, usize)| {
        if let ([number], true) = (&numbers[start..end], numbers[start].texts.len() == 1) {
            return number.texts[0].clone();
        }
        let shown = |at: usize| Decimal { units: numbers[at].value, scale }.spelt();
        match numbers.len() {
            count if integers || end == count => format!("[{}..{}]", shown(start), shown(end - 1)),
            _ => format!("[{}..{})", shown(start), shown(end)),
        }
    };
    let mut ancestors = vec![Vec::new(); numbers.len()];
    for (start, end) in parameters.levels(numbers.len()).into_iter().flatten() {
        let label = label((start, end));
        ancestors[start..end].iter_mut().for_each(|labels| labels.push(label.clone()));
    }
    let leaves = numbers.iter().zip(&ancestors);
    tree_of(leaves.flat_map(|(number, ancestors)| {
        number.texts.iter().map(move |text| {
            let above = ancestors.iter().cloned().chain([ROOT.to_string()]);
            std::iter::once(text.clone()).chain(above).collect()
        })
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn build(values: &[&str], per_group: usize, fan_outs: &[usize]) -> Result<Hierarchy> {
        equal_count(values, &EqualCount { per_group, fan_outs: fan_outs.to_vec() })
    }

    fn paths(tree: &Hierarchy) -> Vec<String> {
        (0..tree.leaf_count()).map(|code| tree.leaf_path(code).join(" ")).collect()
    }

    #[test]
    fn integers_are_grouped_evenly() {
        let tree = build(&["9", "1", "4", "2", "20", "7", "30"], 2, &[2]).unwrap();
        let expected = [
            "1 [1..4] [1..30] *",
            "2 [1..4] [1..30] *",
            "4 [1..4] [1..30] *",
            "7 [7..9] [1..30] *",
            "9 [7..9] [1..30] *",
            "20 [20..30] [1..30] *",
            "30 [20..30] [1..30] *",
        ];
        assert_eq!(paths(&tree), expected);
    }

    #[test]
    fn decimals_end_where_the_next_interval_starts() {
        let tree = build(&["0.5", "1", "2.25", "3"], 2, &[]).unwrap();
        let expected = ["0.5 [0.50..2.25) *", "1 [0.50..2.25) *", "2.25 [2.25..3.00] *", "3 [2.25..3.00] *"];
        assert_eq!(paths(&tree), expected);
    }

    #[test]
    fn groups_of_one_leaf_are_that_leaf_and_equal_levels_are_one() {
        assert_eq!(paths(&build(&["3", "5"], 1, &[2]).unwrap()), ["3 [3..5] *", "5 [3..5] *"]);
        assert_eq!(paths(&build(&["3"], 5, &[2, 2]).unwrap()), ["3 *"]);
        assert_eq!(paths(&build(&["3", "4"], 5, &[2, 2]).unwrap()), ["3 [3..4] *", "4 [3..4] *"]);
        assert_eq!(paths(&build(&["3", "03"], 1, &[]).unwrap()), ["03 [3..3] *", "3 [3..3] *"]);
    }

    #[test]
    fn wrong_parameters_and_values_are_refused() {
        let message = |result: Result<Hierarchy>| result.unwrap_err().message().to_string();
        assert!(message(build(&["1"], 0, &[])).ends_with("at least 1 number"));
        assert!(message(build(&["1"], 2, &[2, 1])).ends_with("fan-out 2 is less than 2"));
        assert!(message(build(&["1", "x"], 2, &[])).ends_with("value 2"));
        assert!(message(build(&[], 2, &[])).ends_with("no values"));
    }

    proptest! {
        #[test]
        fn every_value_is_a_leaf_inside_its_intervals(
            values in prop::collection::btree_set(-500i64..500, 1..80),
            scale in 0u32..2,
            per_group in 1usize..9,
            fan_outs in prop::collection::vec(2usize..4, 0..4),
        ) {
            let texts: Vec<String> = values.iter().map(|&v| Decimal { units: v.into(), scale }.spelt()).collect();
            let tree = equal_count(texts.iter().rev(), &EqualCount { per_group, fan_outs }).unwrap();
            let leaves: Vec<&str> = (0..tree.leaf_count()).map(|code| tree.leaf_label(code)).collect();
            prop_assert_eq!(leaves, texts);
            for node in tree.nodes().filter(|&node| !tree.is_leaf(node) && node != tree.root()) {
                let label = tree.label(node);
                prop_assert!(tree.leaves_under(node) as usize >= per_group.min(values.len()));
                let (lo, hi) = label[1..label.len() - 1].split_once("..").unwrap();
                let at = |text: &str| text.parse::<Decimal>().unwrap().rescaled(scale).unwrap();
                let (first, last) = tree.span(node);
                for (code, &value) in (0..).zip(&values) {
                    let value = i128::from(value);
                    let inside = at(lo) <= value && (value < at(hi) || label.ends_with(']') && value == at(hi));
                    prop_assert_eq!(inside, first <= code && code <= last);
                }
            }
        }
    }
}
