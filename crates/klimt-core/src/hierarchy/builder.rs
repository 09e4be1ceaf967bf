//! From paths to a tree: gathers the paths, checks that they form one tree, and assembles it.

use std::sync::Arc;

use hashbrown::HashMap;

use super::Hierarchy;
use super::problem::{LineProblem, Problems};
use crate::{Error, Result};

/// Builds a [`Hierarchy`] from paths: a leaf, then its ever coarser ancestors, the root last.
///
/// A label repeated next to itself on its own path is padding and stands for one node. A leaf listed again with
/// the same ancestors is harmless. Siblings keep the order in which they first appear.
#[derive(Clone, Debug)]
pub struct HierarchyBuilder {
    file: String,
    /// Every label in order of first appearance; elsewhere a label is its index here.
    labels: Vec<Arc<str>>,
    ids: HashMap<Arc<str>, usize>,
    /// The number of the last path that held the label, counted from 1.
    last_path: Vec<usize>,
    /// The labels of all paths one after another, padding included.
    steps: Vec<usize>,
    paths: Vec<Path>,
    pushed: usize,
    problems: Problems,
}

/// Where a path came from and where its labels are among the steps.
#[derive(Clone, Copy, Debug)]
struct Path {
    line: u64,
    start: usize,
    end: usize,
}

/// Where a label was first seen in each of its two parts.
#[derive(Clone, Copy, Debug, Default)]
struct LabelPositions {
    /// The first path whose leaf it is.
    leaf: Option<usize>,
    /// The first line and level at which it is an ancestor.
    ancestor: Option<(u64, usize)>,
}

impl HierarchyBuilder {
    /// A builder for the paths of `file`, the name that errors give.
    pub fn new(file: impl Into<String>) -> Self {
        HierarchyBuilder {
            file: file.into(),
            labels: Vec::new(),
            ids: HashMap::new(),
            last_path: Vec::new(),
            steps: Vec::new(),
            paths: Vec::new(),
            pushed: 0,
            problems: Problems::default(),
        }
    }

    /// Adds the path that stands on `line`; what is wrong with it is reported by [`HierarchyBuilder::finish`].
    pub fn push<S: AsRef<str>>(&mut self, line: u64, path: impl IntoIterator<Item = S>) {
        self.pushed += 1;
        let start = self.steps.len();
        let mut sound = true;
        for (level, label) in path.into_iter().enumerate() {
            let label = label.as_ref();
            if label.is_empty() {
                self.problems.add(LineProblem::EmptyLabel, || format!("line {line}, level {level}"));
                sound = false;
                continue;
            }
            let id = self.intern(label);
            let repeated = self.last_path[id] == self.pushed;
            if repeated && self.steps[start..].last() != Some(&id) {
                self.problems.add(LineProblem::Cycle, || format!("line {line}, level {level}"));
                sound = false;
            }
            self.last_path[id] = self.pushed;
            self.steps.push(id);
        }
        let end = self.steps.len();
        if sound && start == end {
            self.problems.add(LineProblem::EmptyPath, || format!("line {line}"));
        } else if sound {
            self.paths.push(Path { line, start, end });
        }
    }

    /// Notes a problem that was found before a path could be made of a line.
    pub(super) fn note(&mut self, problem: LineProblem, line: u64) {
        self.problems.add(problem, || format!("line {line}"));
    }

    /// The tree of all paths, or everything that keeps them from being one tree.
    pub fn finish(mut self) -> Result<Hierarchy> {
        if self.paths.is_empty() && self.problems.is_empty() {
            return Err(Error::input(format!("{}: no leaf in the hierarchy", self.file))
                .with_help("list each value on its own line, followed by its ever coarser ancestors"));
        }
        if u32::try_from(self.labels.len()).is_err() {
            return Err(Error::input(format!("{}: more than {} labels", self.file, u32::MAX)));
        }
        let mut problems = std::mem::take(&mut self.problems);
        self.check_roots(&mut problems);
        self.check_stars(&mut problems);
        let seen = self.check_leaves(&mut problems);
        let parents = self.check_parents(&seen, &mut problems);
        problems.into_result(&self.file)?;
        let parents: Vec<Option<u32>> =
            parents.iter().map(|edge| edge.map(|(parent, _)| parent as u32)).collect();
        Ok(Hierarchy::assemble(self.labels, &parents))
    }

    fn intern(&mut self, label: &str) -> usize {
        if let Some(&id) = self.ids.get(label) {
            return id;
        }
        let (id, label) = (self.labels.len(), Arc::<str>::from(label));
        self.labels.push(Arc::clone(&label));
        self.ids.insert(label, id);
        self.last_path.push(0);
        id
    }

    /// The levels and labels of a path without its padding.
    fn steps(&self, path: Path) -> impl Iterator<Item = (usize, usize)> {
        let steps = &self.steps[path.start..path.end];
        let is_first = |&(level, &label): &(usize, &usize)| level == 0 || steps[level - 1] != label;
        steps.iter().enumerate().filter(is_first).map(|(level, &label)| (level, label))
    }

    fn leaf(&self, path: Path) -> usize {
        self.steps[path.start]
    }

    fn root(&self, path: Path) -> usize {
        self.steps[path.end - 1]
    }

    fn same_labels(&self, a: Path, b: Path) -> bool {
        self.steps(a).map(|step| step.1).eq(self.steps(b).map(|step| step.1))
    }

    /// The root that most paths share is taken as meant; paths that end elsewhere are problems.
    fn check_roots(&self, problems: &mut Problems) {
        let mut counts = vec![0usize; self.labels.len()];
        self.paths.iter().for_each(|&path| counts[self.root(path)] += 1);
        let meant = (0..counts.len()).rev().max_by_key(|&label| counts[label]);
        let Some(example) = self.paths.iter().find(|&&path| Some(self.root(path)) == meant) else { return };
        for path in self.paths.iter().filter(|&&path| Some(self.root(path)) != meant) {
            problems.add(LineProblem::Root, || format!("line {} (unlike line {})", path.line, example.line));
        }
    }

    /// `*` is what every value together is published as, so that no label below the root may be called so.
    fn check_stars(&self, problems: &mut Problems) {
        let Some(&star) = self.ids.get("*") else { return };
        for &path in self.paths.iter().filter(|&&path| self.root(path) != star) {
            if let Some((level, _)) = self.steps(path).find(|(_, label)| *label == star) {
                problems.add(LineProblem::Star, || format!("line {}, level {level}", path.line));
            }
        }
    }

    /// A leaf has one path, and is nowhere an ancestor.
    fn check_leaves(&self, problems: &mut Problems) -> Vec<LabelPositions> {
        let mut seen = vec![LabelPositions::default(); self.labels.len()];
        for (number, &path) in self.paths.iter().enumerate() {
            match seen[self.leaf(path)].leaf {
                None => seen[self.leaf(path)].leaf = Some(number),
                Some(first) if self.same_labels(self.paths[first], path) => {}
                Some(first) => problems.add(LineProblem::LeafTwice, || {
                    format!("line {} (first on line {})", path.line, self.paths[first].line)
                }),
            }
            for (level, label) in self.steps(path).skip(1) {
                seen[label].ancestor.get_or_insert((path.line, level));
            }
        }
        for label in &seen {
            if let (Some(leaf), Some((line, level))) = (label.leaf, label.ancestor) {
                let leaf = self.paths[leaf].line;
                problems.add(LineProblem::LeafAndAncestor, || {
                    format!("line {leaf} (an ancestor on line {line}, level {level})")
                });
            }
        }
        seen
    }

    /// The one parent of every label with the line that says so first; a second parent, or one that closes a
    /// circle, is a problem. Paths and labels already reported as leaf problems are left out.
    fn check_parents(&self, seen: &[LabelPositions], problems: &mut Problems) -> Vec<Option<(usize, u64)>> {
        let mut parents: Vec<Option<(usize, u64)>> = vec![None; self.labels.len()];
        for (number, &path) in self.paths.iter().enumerate() {
            if seen[self.leaf(path)].leaf != Some(number) {
                continue;
            }
            for ((level, child), (_, parent)) in self.steps(path).zip(self.steps(path).skip(1)) {
                if seen[child].leaf.is_some() && seen[child].ancestor.is_some() {
                    continue;
                }
                let before = parents[child];
                if before.is_some_and(|(known, _)| known == parent) {
                    continue;
                }
                let place =
                    |line: u64, why: &str| format!("line {}, level {level} ({why} line {line})", path.line);
                if let Some(line) = leads_to(&parents, parent, child) {
                    problems.add(LineProblem::Cycle, || place(line, "the other way round on"));
                } else if let Some((_, line)) = before {
                    problems.add(LineProblem::TwoParents, || place(line, "unlike"));
                } else {
                    parents[child] = Some((parent, path.line));
                }
            }
        }
        parents
    }
}

/// The line of the last step on the way up from `from` to `to`; `None` when `to` is not above `from`.
fn leads_to(parents: &[Option<(usize, u64)>], from: usize, to: usize) -> Option<u64> {
    let mut at = from;
    while let Some((parent, line)) = parents[at] {
        if parent == to {
            return Some(line);
        }
        at = parent;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn build(lines: &[&str]) -> Result<Hierarchy> {
        let mut builder = HierarchyBuilder::new("h.csv");
        (1..).zip(lines).for_each(|(line, text)| builder.push(line, text.split(';')));
        builder.finish()
    }

    /// The only problem of these lines, without the file name.
    fn problem(lines: &[&str]) -> String {
        let error = build(lines).unwrap_err();
        error.message().strip_prefix("h.csv: ").expect("one problem that names the file").to_string()
    }

    #[test]
    fn only_the_root_is_a_star() {
        assert_eq!(problem(&["a;*;any", "b;any"]), "a label * stands below the root: line 1, level 1");
        assert_eq!(problem(&["a;any", "*;x;any"]), "a label * stands below the root: line 2, level 0");
        assert!(build(&["a;A;*", "b;*"]).is_ok());
    }

    #[test]
    fn padding_collapses_to_one_node() {
        let tree = build(&["Male;Male;*;*", "Female;F;F;*"]).unwrap();
        assert_eq!(tree.node_count(), 4);
        assert_eq!(tree.leaf_path(0), ["Male", "*"]);
        assert_eq!(tree.leaf_path(1), ["Female", "F", "*"]);
    }

    #[test]
    fn a_leaf_listed_again_with_the_same_ancestors_is_accepted() {
        let tree = build(&["a;A;*", "b;A;*", "a;a;A;*"]).unwrap();
        assert_eq!(tree.leaf_count(), 2);
    }

    #[test]
    fn no_path_is_an_error() {
        assert_eq!(problem(&[]), "no leaf in the hierarchy");
        let mut builder = HierarchyBuilder::new("h.csv");
        builder.push(7, Vec::<String>::new());
        assert_eq!(builder.finish().unwrap_err().message(), "h.csv: no label at all: line 7");
    }

    #[test]
    fn an_empty_label_is_an_error() {
        assert_eq!(problem(&["a;;*", ";A;*"]), "a level has no label: line 1, level 1; line 2, level 0");
    }

    #[test]
    fn a_path_through_the_same_label_twice_is_a_cycle() {
        assert_eq!(problem(&["b;*", "a;A;B;A;*"]), "a label is its own ancestor: line 2, level 3");
    }

    #[test]
    fn lines_that_contradict_each_other_in_a_circle_are_a_cycle() {
        let found = build(&["a;A;B;*", "b;B;A;*"]).unwrap_err();
        assert!(
            found.message().contains("its own ancestor: line 2, level 1 (the other way round on line 1)")
        );
        assert!(
            found.message().contains("two different parents: line 2, level 2 (unlike line 1)"),
            "{found}"
        );
        let found = build(&["a;A;B;*", "b;*;A"]).unwrap_err();
        assert!(
            found.message().contains("its own ancestor: line 2, level 1 (the other way round on line 1)")
        );
    }

    #[test]
    fn two_roots_are_an_error_that_names_the_odd_lines() {
        let lines = ["a;*", "b;all", "c;*", "d;D"];
        let expected = "the root (the last label) differs from that of most lines: line 2 (unlike line 1); \
                        line 4 (unlike line 1)";
        assert_eq!(problem(&lines), expected);
        assert!(problem(&["a;all", "b;*", "c;*"]).ends_with("line 1 (unlike line 2)"));
        assert!(problem(&["a;all", "b;*"]).ends_with("line 2 (unlike line 1)"));
    }

    #[test]
    fn a_leaf_listed_again_with_other_ancestors_is_an_error() {
        let expected = "a leaf is listed again with other ancestors: line 3 (first on line 1)";
        assert_eq!(problem(&["a;A;*", "b;B;*", "a;B;*"]), expected);
        assert_eq!(problem(&["a;A;*", "b;B;*", "a;*"]), expected);
    }

    #[test]
    fn a_label_with_two_parents_is_an_error() {
        let lines = ["a;A;X;*", "b;A;Y;*", "c;c;A;Y;*"];
        let expected = "a label has two different parents: line 2, level 1 (unlike line 1); \
                        line 3, level 2 (unlike line 1)";
        assert_eq!(problem(&lines), expected);
    }

    #[test]
    fn a_leaf_that_is_an_ancestor_elsewhere_is_an_error() {
        let what = "a label is a leaf on one line and an ancestor on another: ";
        assert_eq!(problem(&["a;A;*", "A;*"]), format!("{what}line 2 (an ancestor on line 1, level 1)"));
        assert_eq!(
            problem(&["Other;Other;*", "x;Other;*"]),
            format!("{what}line 1 (an ancestor on line 2, level 1)")
        );
        assert_eq!(problem(&["a;*", "*"]), format!("{what}line 2 (an ancestor on line 1, level 1)"));
    }

    #[test]
    fn a_leaf_that_is_an_ancestor_elsewhere_is_not_reported_again_for_its_parents() {
        assert!(problem(&["X;*", "y;X;B;*"]).ends_with("line 1 (an ancestor on line 2, level 1)"));
    }

    #[test]
    fn all_problems_come_at_once_and_name_no_label() {
        let lines = ["secret;A;*", "secret;B;*", "x;;*", "y;C;C2;*", "z;C;C3;*", "w;all", "A;*", "v;V;W;V;*"];
        let error = build(&lines).unwrap_err();
        assert!(error.message().starts_with("6 problems:"), "{error}");
        assert!(!error.to_string().contains("secret") && !error.to_string().contains("C2"), "{error}");
    }
}
