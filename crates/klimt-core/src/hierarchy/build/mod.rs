//! Hierarchies made from the values of a column, one file per way to make them.
//!
//! Every builder takes the values as text, skips empty ones (the missing value needs no leaf), and returns a
//! tree whose leaves are exactly the other values, under the root `*`. An error tells a value by its position
//! among those given, counted from 1, and never shows it.

mod dates;
mod equal_count;
mod equal_width;
mod numbers;
mod order;
mod prefixes;

pub use dates::{Dates, dates};
pub use equal_count::{EqualCount, equal_count};
pub use equal_width::{EqualWidth, equal_width};
pub use order::{Order, order};
pub use prefixes::{PrefixLengths, prefixes};

use super::problem::listed_more;
use super::{Hierarchy, HierarchyBuilder};
use crate::{Error, Result};

/// The label of every root made here.
const ROOT: &str = "*";

/// How many positions an error lists.
const LISTED: usize = 10;

/// The tree of `paths`, which are known to form one; fails only when there is no path at all.
fn tree_of(paths: impl IntoIterator<Item = Vec<String>>) -> Result<Hierarchy> {
    let mut builder = HierarchyBuilder::new("built hierarchy");
    let mut line = 0;
    for path in paths {
        line += 1;
        builder.push(line, path);
    }
    if line == 0 { Err(no_values()) } else { builder.finish() }
}

fn no_values() -> Error {
    Error::input("cannot build a hierarchy: there are no values")
        .with_help("give at least one value that is not missing")
}

/// The error about the values at these positions.
fn refused(positions: &[usize], what: &str, help: &str) -> Error {
    let listed: Vec<String> = positions.iter().take(LISTED).map(usize::to_string).collect();
    let more = listed_more(positions.len(), listed.len());
    Error::input(format!("cannot build a hierarchy: {what}: value {}{more}", listed.join(", ")))
        .with_help(help)
}

/// The text of every value that is not empty, parsed; an error that lists all those that do not parse.
fn parse_all<S: AsRef<str>, T>(
    values: impl IntoIterator<Item = S>,
    parse: impl Fn(&str) -> Option<T>,
    what: &str,
    help: &str,
) -> Result<Vec<(T, String)>> {
    let mut parsed = Vec::new();
    let mut wrong = Vec::new();
    for (position, value) in (1..).zip(values) {
        let text = value.as_ref();
        if text.is_empty() {
            continue;
        }
        match parse(text) {
            Some(value) => parsed.push((value, text.to_string())),
            None => wrong.push(position),
        }
    }
    match (wrong.is_empty(), parsed.is_empty()) {
        (false, _) => Err(refused(&wrong, what, help)),
        (true, true) => Err(no_values()),
        (true, false) => Ok(parsed),
    }
}

/// The `count` consecutive parts of `0..length`, as even as they can be, the first and last as start and end.
fn even_parts(length: usize, count: usize) -> impl Iterator<Item = (usize, usize)> {
    let (size, larger) = (length / count, length % count);
    let start = move |part: usize| part * size + part.min(larger);
    (0..count).map(move |part| (start(part), start(part + 1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_consecutive_and_differ_by_one_at_most() {
        assert_eq!(even_parts(11, 3).collect::<Vec<_>>(), [(0, 4), (4, 8), (8, 11)]);
        assert_eq!(even_parts(2, 2).collect::<Vec<_>>(), [(0, 1), (1, 2)]);
        assert_eq!(even_parts(5, 1).collect::<Vec<_>>(), [(0, 5)]);
    }

    #[test]
    fn refused_values_are_listed_by_position_with_a_cap() {
        let values: Vec<String> =
            (1..=15).map(|i| if i % 5 == 0 { "1".into() } else { "secret".into() }).collect();
        let error = parse_all(&values, |text| text.parse::<u8>().ok(), "no number", "help").unwrap_err();
        let listed = "no number: value 1, 2, 3, 4, 6, 7, 8, 9, 11, 12; and 2 more";
        assert_eq!(error.message(), format!("cannot build a hierarchy: {listed}"));
    }
}
