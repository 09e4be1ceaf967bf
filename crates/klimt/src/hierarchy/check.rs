//! Compares a hierarchy with the column that it is meant for.

use hashbrown::HashSet;

use super::Hierarchy;
use crate::Error;

/// How many lines are listed.
const LISTED: usize = 10;

/// What a hierarchy lacks for a column, and what it has too much.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CheckReport {
    /// How many distinct values the column has; the missing value does not count.
    pub values: u64,
    /// How many of them are no leaf of the hierarchy.
    pub missing_values: u64,
    /// How many rows have such a value.
    pub missing_rows: u64,
    /// The line on which each of the first few such values is first seen.
    pub missing_lines: Vec<u64>,
    /// How many leaves never occur in the column; harmless.
    pub unused_leaves: u32,
}

/// Compares `hierarchy` with the cells of a column, each with its line. An empty cell is the missing value and
/// needs no leaf.
pub fn check<S: AsRef<str>>(hierarchy: &Hierarchy, cells: impl IntoIterator<Item = (S, u64)>) -> CheckReport {
    let mut report = CheckReport::default();
    let mut used = vec![false; hierarchy.leaf_count() as usize];
    let mut missing: HashSet<String> = HashSet::new();
    for (value, line) in cells {
        let value = value.as_ref();
        if value.is_empty() {
            continue;
        }
        if let Some(code) = hierarchy.leaf_code(value) {
            used[code as usize] = true;
            continue;
        }
        report.missing_rows += 1;
        if !missing.contains(value) {
            missing.insert(value.to_string());
            if report.missing_lines.len() < LISTED {
                report.missing_lines.push(line);
            }
        }
    }
    let used_leaves = used.iter().filter(|&&used| used).count();
    report.missing_values = missing.len() as u64;
    report.values = report.missing_values + used_leaves as u64;
    report.unused_leaves = hierarchy.leaf_count() - used_leaves as u32;
    report
}

impl CheckReport {
    /// The error to give when values are missing from the hierarchy of `column` of `file`; `None` when none are.
    pub fn problem(&self, file: &str, column: &str) -> Option<Error> {
        if self.missing_values == 0 {
            return None;
        }
        let lines: Vec<String> = self.missing_lines.iter().map(u64::to_string).collect();
        let word = if lines.len() == 1 { "line" } else { "lines" };
        let others = if (lines.len() as u64) < self.missing_values { " and others" } else { "" };
        let message = format!(
            "{file}: column {column}: not leaves of the hierarchy: {} of {} distinct values, rows that have one: \
             {}, first seen on {word} {}{others}",
            self.missing_values,
            self.values,
            self.missing_rows,
            lines.join(", "),
        );
        Some(Error::input(message).with_help("add a line to the hierarchy for each of these values"))
    }
}

#[cfg(test)]
mod tests {
    use super::super::HierarchyBuilder;
    use super::*;
    use crate::ErrorKind;

    fn tree() -> Hierarchy {
        let mut builder = HierarchyBuilder::new("t");
        (1..).zip(["a", "b", "c"]).for_each(|(line, leaf)| builder.push(line, [leaf, "A", "*"]));
        builder.finish().unwrap()
    }

    #[test]
    fn a_column_of_leaves_has_no_problem() {
        let report = check(&tree(), [("a", 2), ("b", 3), ("a", 4), ("", 5)]);
        assert_eq!(report, CheckReport { values: 2, unused_leaves: 1, ..Default::default() });
        assert!(report.problem("d.csv", "sex").is_none());
    }

    #[test]
    fn values_that_are_no_leaf_are_counted_and_located_but_not_shown() {
        let report = check(&tree(), [("a", 2), ("secret", 3), ("A", 4), ("secret", 5), ("*", 6), ("", 7)]);
        let lines = vec![3, 4, 6];
        let expected = CheckReport {
            values: 4,
            missing_values: 3,
            missing_rows: 4,
            missing_lines: lines,
            unused_leaves: 2,
        };
        assert_eq!(report, expected);
        let error = report.problem("d.csv", "sex").unwrap();
        assert_eq!(error.kind(), ErrorKind::Input);
        let expected = "d.csv: column sex: not leaves of the hierarchy: 3 of 4 distinct values, \
                        rows that have one: 4, first seen on lines 3, 4, 6";
        assert_eq!(error.message(), expected);
    }

    #[test]
    fn only_the_first_lines_are_listed() {
        let cells: Vec<(String, u64)> = (1..=40).map(|line| (format!("x{line}"), line)).collect();
        let report = check(&tree(), cells);
        assert_eq!(report.missing_lines, (1..=10).collect::<Vec<u64>>());
        assert!(
            report
                .problem("d.csv", "sex")
                .unwrap()
                .message()
                .ends_with("lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and others")
        );
    }
}
