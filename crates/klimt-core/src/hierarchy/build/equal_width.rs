//! Intervals of equal width over numbers, wider at every level.

use super::numbers::{Number, Numbers, too_many_digits};
use super::{ROOT, tree_of};
use crate::decimal::Decimal;
use crate::hierarchy::Hierarchy;
use crate::{Error, Result};

/// The widths of the levels, and where the intervals are anchored.
#[derive(Clone, Debug)]
pub struct EqualWidth {
    /// The width of the intervals at each level above the leaves. Each is a multiple of the one before, so that
    /// the intervals nest.
    pub widths: Vec<Decimal>,
    /// A number at which an interval starts at every level.
    pub origin: Decimal,
}

impl EqualWidth {
    /// Intervals of these widths that start at multiples of their width.
    pub fn new(widths: impl IntoIterator<Item = Decimal>) -> Self {
        EqualWidth { widths: widths.into_iter().collect(), origin: Decimal::whole(0) }
    }

    /// The largest scale among the parameters, at which every end of an interval is exact.
    fn scale(&self) -> u32 {
        self.widths.iter().map(|width| width.scale).max().unwrap_or(0).max(self.origin.scale)
    }

    /// The widths at `scale`, when they are positive and nest.
    fn checked_widths(&self, scale: u32) -> Result<Vec<i128>> {
        let refuse = |what: String| {
            let help =
                "give widths such as 5, 10 and 20, each a multiple of the one before and larger than it";
            Err(Error::input(format!("cannot build a hierarchy: {what}")).with_help(help))
        };
        if self.widths.is_empty() {
            return refuse("no interval width is given".into());
        }
        let mut widths: Vec<i128> = Vec::with_capacity(self.widths.len());
        for (number, width) in (1..).zip(&self.widths) {
            let width = width.rescaled(scale).ok_or_else(too_many_digits)?;
            if width <= 0 {
                return refuse(format!("interval width {number} is not positive"));
            }
            if widths.last().is_some_and(|&before| width % before != 0 || width == before) {
                return refuse(format!("interval width {number} is not a larger multiple of the one before"));
            }
            widths.push(width);
        }
        Ok(widths)
    }
}

/// The hierarchy of the numbers among `values` under intervals of equal width.
///
/// Where everything is an integer an interval is `[15..19]`, both ends included; otherwise it is `[1.0..1.5)`,
/// without its upper end. An interval that can hold one integer only, and does so in one spelling, is that leaf.
pub fn equal_width<S: AsRef<str>>(
    values: impl IntoIterator<Item = S>,
    parameters: &EqualWidth,
) -> Result<Hierarchy> {
    let bound_scale = parameters.scale();
    parameters.checked_widths(bound_scale)?;
    let Numbers { scale, integers, numbers } = Numbers::parse(values, bound_scale)?;
    let widths = parameters.checked_widths(scale)?;
    let origin = parameters.origin.rescaled(scale).ok_or_else(too_many_digits)?;
    let unit = 10i128.checked_pow(scale - bound_scale).ok_or_else(too_many_digits)?;
    let integers = integers && bound_scale == 0;

    let label = |number: &Number, width: i128| -> Option<String> {
        let below = number.value.checked_sub(origin)?.rem_euclid(width);
        let lo = number.value.checked_sub(below)?;
        let hi = lo.checked_add(width)?;
        let shown = |bound: i128| Decimal { units: bound / unit, scale: bound_scale }.spelt();
        Some(match (integers, number.texts.as_slice()) {
            (true, [text]) if width == 1 => text.clone(),
            (true, _) => format!("[{}..{}]", shown(lo), shown(hi - 1)),
            (false, _) => format!("[{}..{})", shown(lo), shown(hi)),
        })
    };
    let mut paths = Vec::new();
    for number in &numbers {
        let ancestors = widths.iter().map(|&width| label(number, width));
        let ancestors = ancestors.collect::<Option<Vec<String>>>().ok_or_else(too_many_digits)?;
        for text in &number.texts {
            let above = ancestors.iter().cloned().chain([ROOT.to_string()]);
            paths.push(std::iter::once(text.clone()).chain(above).collect());
        }
    }
    tree_of(paths)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn widths(texts: &[&str]) -> EqualWidth {
        EqualWidth::new(texts.iter().map(|text| text.parse().unwrap()))
    }

    fn paths(tree: &Hierarchy) -> Vec<String> {
        (0..tree.leaf_count()).map(|code| tree.leaf_path(code).join(" ")).collect()
    }

    #[test]
    fn integers_get_intervals_with_both_ends() {
        let tree = equal_width(["17", "15", "20", "-3", "0"], &widths(&["5", "10"])).unwrap();
        let expected = [
            "-3 [-5..-1] [-10..-1] *",
            "0 [0..4] [0..9] *",
            "15 [15..19] [10..19] *",
            "17 [15..19] [10..19] *",
            "20 [20..24] [20..29] *",
        ];
        assert_eq!(paths(&tree), expected);
    }

    #[test]
    fn decimals_get_half_open_intervals() {
        let tree = equal_width(["1.25", "1.5", "-0.1"], &widths(&["0.5", "2"])).unwrap();
        let expected =
            ["-0.1 [-0.5..0.0) [-2.0..0.0) *", "1.25 [1.0..1.5) [0.0..2.0) *", "1.5 [1.5..2.0) [0.0..2.0) *"];
        assert_eq!(paths(&tree), expected);
        assert_eq!(paths(&equal_width(["7.5"], &widths(&["5"])).unwrap()), ["7.5 [5..10) *"]);
        assert_eq!(paths(&equal_width(["7"], &widths(&["2.5"])).unwrap()), ["7 [5.0..7.5) *"]);
    }

    #[test]
    fn the_origin_shifts_every_level() {
        let parameters = EqualWidth { origin: Decimal::whole(1), ..widths(&["5", "10"]) };
        let tree = equal_width(["5", "6", "11"], &parameters).unwrap();
        assert_eq!(paths(&tree), ["5 [1..5] [1..10] *", "6 [6..10] [1..10] *", "11 [11..15] [11..20] *"]);
    }

    #[test]
    fn two_spellings_of_a_number_are_two_leaves_of_one_interval() {
        let tree = equal_width(["7", "07", "8"], &widths(&["1", "5"])).unwrap();
        assert_eq!(paths(&tree), ["07 [7..7] [5..9] *", "7 [7..7] [5..9] *", "8 [5..9] *"]);
    }

    #[test]
    fn widths_that_are_wrong_are_refused() {
        let message = |texts: &[&str]| equal_width(["1"], &widths(texts)).unwrap_err().message().to_string();
        assert!(message(&[]).ends_with("no interval width is given"));
        assert!(message(&["0"]).ends_with("interval width 1 is not positive"));
        assert!(message(&["5", "-10"]).ends_with("interval width 2 is not positive"));
        assert!(message(&["5", "10", "15"]).ends_with("width 3 is not a larger multiple of the one before"));
        assert!(message(&["5", "5"]).ends_with("width 2 is not a larger multiple of the one before"));
        assert!(message(&["0.4", "1"]).ends_with("width 2 is not a larger multiple of the one before"));
    }

    #[test]
    fn values_that_are_wrong_or_too_long_are_refused_by_position() {
        let error = equal_width(["1", "secret"], &widths(&["5"])).unwrap_err();
        assert!(error.message().ends_with("value 2") && !error.to_string().contains("secret"), "{error}");
        assert!(
            equal_width([""; 2], &widths(&["5"])).unwrap_err().message().ends_with("there are no values")
        );
        let edge = i128::MAX.to_string();
        assert!(equal_width([edge], &widths(&["10"])).unwrap_err().message().contains("38 digits"));
    }

    /// The ends of an interval label as mantissas at `scale`, and whether the upper one is included.
    fn ends(label: &str, scale: u32) -> (i128, i128, bool) {
        let inner = &label[1..label.len() - 1];
        let (lo, hi) = inner.split_once("..").unwrap();
        let at = |text: &str| text.parse::<Decimal>().unwrap().rescaled(scale).unwrap();
        (at(lo), at(hi), label.ends_with(']'))
    }

    proptest! {
        #[test]
        fn every_value_is_a_leaf_inside_its_intervals(
            values in prop::collection::vec(-5000i64..5000, 1..60),
            scale in 0u32..3,
            base in 2i128..40,
            factors in prop::collection::vec(2i128..4, 0..3),
            origin in -20i64..20,
        ) {
            let texts: Vec<String> = values.iter().map(|&v| Decimal { units: v.into(), scale }.spelt()).collect();
            let mut widths = vec![base];
            factors.iter().for_each(|factor| widths.push(widths[widths.len() - 1] * factor));
            let widths = widths.iter().map(|&w| Decimal { units: w, scale: scale.min(1) });
            let parameters = EqualWidth { origin: Decimal::whole(origin.into()), ..EqualWidth::new(widths) };
            let tree = equal_width(&texts, &parameters).unwrap();
            let mut distinct: Vec<i64> = values.clone();
            distinct.sort_unstable();
            distinct.dedup();
            let expected: Vec<String> = distinct.iter().map(|&v| Decimal { units: v.into(), scale }.spelt()).collect();
            let leaves: Vec<&str> = (0..tree.leaf_count()).map(|code| tree.leaf_label(code)).collect();
            prop_assert_eq!(leaves, expected);
            for node in tree.nodes().filter(|&node| !tree.is_leaf(node) && node != tree.root()) {
                let (lo, hi, closed) = ends(tree.label(node), scale);
                prop_assert_eq!(closed, scale == 0);
                let (first, last) = tree.span(node);
                for (code, &value) in (0..).zip(&distinct) {
                    let value = i128::from(value);
                    let inside = lo <= value && (value < hi || closed && value == hi);
                    // A wider interval is a node of its own, so being inside means being under the node.
                    prop_assert_eq!(inside, first <= code && code <= last);
                }
            }
        }
    }
}
