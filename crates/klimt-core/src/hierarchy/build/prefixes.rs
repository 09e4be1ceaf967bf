//! Codes such as postcodes under their ever shorter prefixes.

use super::{ROOT, parse_all, tree_of};
use crate::hierarchy::Hierarchy;
use crate::{Error, Result};

/// The longest code, in characters, for which every prefix is a level; a longer one is hardly a code.
const LONGEST: usize = 64;

/// Which prefixes of a code are levels of the hierarchy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PrefixLengths {
    /// Those of every length, from one character less than the code down to 1.
    Every,
    /// Those of these lengths in characters, in any order. A code has the prefixes that are shorter than it.
    Given(Vec<usize>),
}

impl PrefixLengths {
    /// The lengths for codes of at most `longest` characters, the longest first.
    fn descending(&self, longest: usize) -> Result<Vec<usize>> {
        let refuse = |what: String| Err(Error::input(format!("cannot build a hierarchy: {what}")));
        let mut lengths = match self {
            PrefixLengths::Every if longest > LONGEST => {
                return refuse(format!("a value is longer than {LONGEST} characters"))
                    .map_err(|error| error.with_help("give the prefix lengths to use"));
            }
            PrefixLengths::Every => (1..longest).collect(),
            PrefixLengths::Given(lengths) => lengths.clone(),
        };
        lengths.sort_unstable();
        match self {
            PrefixLengths::Given(given) if given.is_empty() => {
                return refuse("no prefix length is given".into());
            }
            _ if lengths.first() == Some(&0) => return refuse("a prefix length is 0".into()),
            _ => {}
        }
        if let Some(twice) = lengths.windows(2).find(|pair| pair[0] == pair[1]) {
            return refuse(format!("prefix length {} is given twice", twice[0]));
        }
        lengths.reverse();
        Ok(lengths)
    }
}

/// The hierarchy of the codes among `values` under their prefixes, in the order of their text.
///
/// A prefix is padded with `*` to the length of its code (`537**`), so that it tells that length too: codes of
/// different length meet at the root `*` only, and no label has two parents. A code may not hold `*` itself.
pub fn prefixes<S: AsRef<str>>(
    values: impl IntoIterator<Item = S>,
    lengths: &PrefixLengths,
) -> Result<Hierarchy> {
    let length = |text: &str| (!text.contains('*')).then(|| text.chars().count());
    let mut codes = parse_all(values, length, "holds *, which marks prefixes", "replace * in these values")?;
    codes.sort_unstable_by(|a, b| a.1.cmp(&b.1));
    codes.dedup();
    let longest = codes.iter().map(|&(length, _)| length).max().unwrap_or(0);
    let lengths = lengths.descending(longest)?;
    tree_of(codes.into_iter().map(|(length, code)| {
        let prefix = |&shorter: &usize| {
            let kept = code.chars().take(shorter);
            kept.chain(std::iter::repeat_n('*', length - shorter)).collect::<String>()
        };
        let ancestors = lengths.iter().filter(|&&shorter| shorter < length).map(prefix);
        let mut path = vec![code.clone()];
        path.extend(ancestors);
        path.push(ROOT.to_string());
        path
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn paths(tree: &Hierarchy) -> Vec<String> {
        (0..tree.leaf_count()).map(|code| tree.leaf_path(code).join(" ")).collect()
    }

    fn given(lengths: &[usize]) -> PrefixLengths {
        PrefixLengths::Given(lengths.to_vec())
    }

    #[test]
    fn postcodes_stand_under_the_given_prefixes() {
        let tree = prefixes(["53715", "53703", "60601", "53715"], &given(&[1, 3])).unwrap();
        assert_eq!(paths(&tree), ["53703 537** 5**** *", "53715 537** 5**** *", "60601 606** 6**** *"]);
    }

    #[test]
    fn every_length_and_codes_of_different_length() {
        let tree = prefixes(["E11.9", "E11", "", "É1", "7"], &PrefixLengths::Every).unwrap();
        let expected = ["7 *", "E11 E1* E** *", "E11.9 E11.* E11** E1*** E**** *", "É1 É* *"];
        assert_eq!(paths(&tree), expected);
    }

    #[test]
    fn wrong_lengths_are_refused() {
        let message =
            |lengths: &[usize]| prefixes(["123"], &given(lengths)).unwrap_err().message().to_string();
        assert!(message(&[]).ends_with("no prefix length is given"));
        assert!(message(&[2, 0]).ends_with("a prefix length is 0"));
        assert!(message(&[2, 1, 2]).ends_with("prefix length 2 is given twice"));
        assert_eq!(paths(&prefixes(["123"], &given(&[9, 3])).unwrap()), ["123 *"]);
    }

    #[test]
    fn wrong_codes_are_refused_by_position() {
        let error = prefixes(["123", "secret*", "*"], &PrefixLengths::Every).unwrap_err();
        assert!(error.message().ends_with("value 2, 3") && !error.to_string().contains("secret"), "{error}");
        let long = "x".repeat(65);
        assert!(
            prefixes([long.as_str()], &PrefixLengths::Every)
                .unwrap_err()
                .message()
                .contains("longer than 64")
        );
        assert_eq!(prefixes([long.as_str()], &given(&[1])).unwrap().height(), 2);
        assert!(prefixes([""], &PrefixLengths::Every).unwrap_err().message().ends_with("no values"));
    }

    proptest! {
        #[test]
        fn every_code_is_a_leaf_and_matches_the_labels_above_it(
            codes in prop::collection::btree_set("[ab0é.]{1,6}", 1..60),
            lengths in prop::option::of(prop::collection::btree_set(1usize..7, 1..5)),
        ) {
            let lengths = lengths.map_or(PrefixLengths::Every, |set| PrefixLengths::Given(set.into_iter().collect()));
            let tree = prefixes(&codes, &lengths).unwrap();
            let mut leaves: Vec<&str> = (0..tree.leaf_count()).map(|code| tree.leaf_label(code)).collect();
            for node in tree.nodes().filter(|&node| !tree.is_leaf(node) && node != tree.root()) {
                let label = tree.label(node);
                let prefix = label.trim_end_matches('*');
                let matches = |leaf: &str| leaf.starts_with(prefix) && leaf.chars().count() == label.chars().count();
                let (first, last) = tree.span(node);
                for (code, leaf) in (0..).zip(&leaves) {
                    prop_assert_eq!(matches(leaf), first <= code && code <= last);
                }
            }
            leaves.sort_unstable();
            prop_assert_eq!(leaves, codes.iter().map(String::as_str).collect::<Vec<_>>());
        }
    }
}
