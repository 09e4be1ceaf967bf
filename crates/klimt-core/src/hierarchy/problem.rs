//! The problems of a hierarchy file, gathered so that all of them are reported at once.
//!
//! Labels may be cell values, so a problem names lines and levels only. Level 0 is the leaf, the first field of
//! a line.

use std::collections::BTreeMap;

use crate::{Error, ErrorKind, Result};

/// How many places are listed for each kind of problem.
const LISTED: usize = 10;

/// A problem of a line of a hierarchy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum LineProblem {
    /// Bytes that are not UTF-8.
    Encoding,
    /// A quote that is not closed, or stands where none may stand.
    Quoting,
    /// A path without any label.
    EmptyPath,
    /// A level without a label.
    EmptyLabel,
    /// A label that is above itself.
    Cycle,
    /// A label `*` that is not the root.
    Star,
    /// A path that ends in another root than most.
    Root,
    /// A leaf listed again with other ancestors.
    LeafTwice,
    /// A label that is a leaf here and an ancestor there.
    LeafAndAncestor,
    /// A label with another parent than before.
    TwoParents,
}

impl LineProblem {
    /// The text of the problem, before the list of places.
    fn what(self) -> &'static str {
        match self {
            LineProblem::Encoding => "not valid UTF-8",
            LineProblem::Quoting => "a quote is left open or stands inside a field",
            LineProblem::EmptyPath => "no label at all",
            LineProblem::EmptyLabel => "a level has no label",
            LineProblem::Cycle => "a label is its own ancestor",
            LineProblem::Star => "a label * stands below the root",
            LineProblem::Root => "the root (the last label) differs from that of most lines",
            LineProblem::LeafTwice => "a leaf is listed again with other ancestors",
            LineProblem::LeafAndAncestor => "a label is a leaf on one line and an ancestor on another",
            LineProblem::TwoParents => "a label has two different parents",
        }
    }

    /// The remedy.
    fn help(self) -> &'static str {
        match self {
            LineProblem::Encoding => "save the file as UTF-8",
            LineProblem::Quoting => "close every quote, and double a quote that belongs to a quoted label",
            LineProblem::EmptyPath => "remove the path",
            LineProblem::EmptyLabel => {
                "give every level a label (repeat the one before it to pad); a missing value needs no leaf"
            }
            LineProblem::Cycle => "use a label at one level only; rename the others",
            LineProblem::Root => {
                "end every line in the same label, for example *; if the first line is a header, say so"
            }
            LineProblem::Star => {
                "rename the label: * is published for every value, so that only the root may be called so"
            }
            LineProblem::LeafTwice => "keep one line for each leaf",
            LineProblem::LeafAndAncestor => "rename the ancestor, so that every label names one thing",
            LineProblem::TwoParents => "rename the label on one of the lines, so that each has one parent",
        }
    }

    /// Whether its places name levels.
    fn has_levels(self) -> bool {
        matches!(
            self,
            LineProblem::EmptyLabel
                | LineProblem::Cycle
                | LineProblem::Star
                | LineProblem::LeafAndAncestor
                | LineProblem::TwoParents
        )
    }
}

/// The problems found so far in one file.
#[derive(Clone, Debug, Default)]
pub(super) struct Problems {
    found: BTreeMap<LineProblem, (Vec<String>, usize)>,
}

impl Problems {
    /// Notes one more place where a problem is.
    pub(super) fn add(&mut self, problem: LineProblem, place: impl FnOnce() -> String) {
        let (places, count) = self.found.entry(problem).or_default();
        *count += 1;
        if places.len() < LISTED {
            places.push(place());
        }
    }

    /// Whether there are none.
    pub(super) fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// All problems as one error, a line per kind.
    pub(super) fn into_result(self, file: &str) -> Result<()> {
        let describe = |(problem, (places, count)): (&LineProblem, &(Vec<String>, usize))| {
            let more = listed_more(*count, places.len());
            format!("{file}: {}: {}{more}", problem.what(), places.join("; "))
        };
        let Some(mut error) = Error::all(ErrorKind::Input, self.found.iter().map(describe).collect()) else {
            return Ok(());
        };
        for problem in self.found.keys() {
            error = error.with_help(problem.help());
        }
        if self.found.keys().any(|problem| problem.has_levels()) {
            error = error.with_help("levels count from 0, the first field of a line");
        }
        Err(error)
    }
}

/// The text after a list of `listed` places out of `count`.
pub(super) fn listed_more(count: usize, listed: usize) -> String {
    if count > listed { format!("; and {} more", count - listed) } else { String::new() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_problem_is_no_error() {
        assert!(Problems::default().into_result("h.csv").is_ok());
    }

    #[test]
    fn places_are_capped_and_the_rest_counted() {
        let mut problems = Problems::default();
        (1..=13).for_each(|line| problems.add(LineProblem::Encoding, || format!("line {line}")));
        let error = problems.into_result("h.csv").unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Input);
        assert!(error.message().starts_with("h.csv: not valid UTF-8: line 1; line 2; "));
        assert!(error.message().ends_with("; line 10; and 3 more"), "{error}");
    }

    #[test]
    fn every_kind_is_reported_with_its_help() {
        let mut problems = Problems::default();
        problems.add(LineProblem::TwoParents, || "line 4, level 1".into());
        problems.add(LineProblem::Quoting, || "line 9".into());
        let error = problems.into_result("h.csv").unwrap_err();
        assert!(error.message().starts_with("2 problems:\n  - h.csv: a quote"), "{error}");
        assert!(error.message().contains("parents: line 4, level 1"), "{error}");
        assert_eq!(error.remedies().len(), 3);
    }
}
