//! Dates under their months, years and decades.

use jiff::civil::Date;

use super::{ROOT, parse_all, tree_of};
use crate::Result;
use crate::hierarchy::Hierarchy;

/// Which levels stand above month and year.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Dates {
    /// Whether years are grouped in decades such as `2020s`.
    pub decades: bool,
}

/// The hierarchy of the dates among `values` under months `2024-03`, years `2024`, decades `2020s` where asked
/// for, and the root `*`. A value is `YYYY-MM-DD`, or such a date followed by `T` or a space and a time, which
/// plays no part.
pub fn dates<S: AsRef<str>>(values: impl IntoIterator<Item = S>, parameters: &Dates) -> Result<Hierarchy> {
    let help = "give dates as YYYY-MM-DD, with a time after T or a space if need be";
    let mut parsed = parse_all(values, parse_date, "not a date", help)?;
    parsed.sort_unstable();
    tree_of(parsed.into_iter().map(|(date, text)| {
        let (year, month) = (date.year(), date.month());
        let mut path = vec![text, format!("{year:04}-{month:02}"), format!("{year:04}")];
        if parameters.decades {
            path.push(format!("{:03}0s", year / 10));
        }
        path.push(ROOT.to_string());
        path
    }))
}

/// The date of `text`, a date or a timestamp; spaces around it do not matter.
fn parse_date(text: &str) -> Option<Date> {
    let text = text.trim();
    let (date, rest) = text.split_at_checked(10)?;
    let is_time = |time: &str| matches!(time.as_bytes(), [h1, h2, b':', ..] if h1.is_ascii_digit() && h2.is_ascii_digit());
    if !rest.is_empty() && !rest.strip_prefix(['T', 't', ' ']).is_some_and(is_time) {
        return None;
    }
    let mut parts = date.split('-');
    let mut part = |length: usize| {
        let digits = parts.next().filter(|part| part.len() == length)?;
        digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse::<i16>().ok())?
    };
    let (year, month, day) = (part(4)?, part(2)?, part(2)?);
    Date::new(year, i8::try_from(month).ok()?, i8::try_from(day).ok()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn build(values: &[&str], decades: bool) -> Result<Hierarchy> {
        dates(values, &Dates { decades })
    }

    fn paths(tree: &Hierarchy) -> Vec<String> {
        (0..tree.leaf_count()).map(|code| tree.leaf_path(code).join(" | ")).collect()
    }

    #[test]
    fn dates_stand_under_month_and_year_in_time_order() {
        let tree = build(&["2024-03-05", "1999-12-31", "2024-01-09", "", "2024-03-01"], false).unwrap();
        let expected = [
            "1999-12-31 | 1999-12 | 1999 | *",
            "2024-01-09 | 2024-01 | 2024 | *",
            "2024-03-01 | 2024-03 | 2024 | *",
            "2024-03-05 | 2024-03 | 2024 | *",
        ];
        assert_eq!(paths(&tree), expected);
    }

    #[test]
    fn decades_and_timestamps() {
        let tree = build(&["2024-03-05T10:00:00Z", "2019-02-28 23:59", "0009-01-01"], true).unwrap();
        let expected = [
            "0009-01-01 | 0009-01 | 0009 | 0000s | *",
            "2019-02-28 23:59 | 2019-02 | 2019 | 2010s | *",
            "2024-03-05T10:00:00Z | 2024-03 | 2024 | 2020s | *",
        ];
        assert_eq!(paths(&tree), expected);
    }

    #[test]
    fn anything_else_is_refused_by_position() {
        let wrong = [
            "2024-3-5",
            "2024-02-30",
            "2023-02-29",
            "2024-13-01",
            "05.03.2024",
            "2024-03",
            "2024-03-05x",
            "2024-03-05T",
            "2024/03/05",
            "+202-03-05",
            "2024-03-0é",
        ];
        for text in wrong {
            let error = build(&["2024-02-29", text], false).unwrap_err();
            assert!(error.message().ends_with("not a date: value 2"), "{text}: {error}");
        }
        assert!(build(&[""], false).unwrap_err().message().ends_with("no values"));
    }

    proptest! {
        #[test]
        fn every_date_is_a_leaf_and_every_label_starts_its_leaves(
            days in prop::collection::btree_set(-200_000i32..2_000_000, 1..60),
            decades in any::<bool>(),
        ) {
            let start = Date::constant(1000, 1, 1);
            let date = |&day: &i32| start.checked_add(jiff::Span::new().days(day)).unwrap().to_string();
            let texts: Vec<String> = days.iter().map(date).collect();
            let tree = dates(texts.iter().rev(), &Dates { decades }).unwrap();
            let leaves: Vec<&str> = (0..tree.leaf_count()).map(|code| tree.leaf_label(code)).collect();
            prop_assert_eq!(&leaves, &texts);
            for node in tree.nodes().filter(|&node| node != tree.root()) {
                let prefix = tree.label(node).strip_suffix("0s").unwrap_or(tree.label(node));
                let (first, last) = tree.span(node);
                for (code, leaf) in (0..).zip(&leaves) {
                    prop_assert_eq!(leaf.starts_with(prefix), first <= code && code <= last);
                }
            }
        }
    }
}
