//! How many generalizations a column has.

use super::Scheme;
use super::family::{ColumnFamily, Mode};
use crate::hierarchy::{Hierarchy, NodeId};
use num_bigint::BigUint;

/// A number of generalizations.
pub type SchemeCount = BigUint;

impl ColumnFamily {
    /// How many groupings there are, each counted once.
    pub fn count(&self) -> SchemeCount {
        match self.mode {
            Mode::Levels => SchemeCount::from(self.levels.len()),
            _ => {
                let mut counts: Vec<SchemeCount> = Vec::with_capacity(self.nodes.len());
                for node in &self.nodes {
                    let children: Vec<&SchemeCount> =
                        node.children.iter().map(|&child| &counts[child]).collect();
                    let apart: SchemeCount = children.iter().copied().product();
                    counts.push(match self.mode {
                        _ if node.children.is_empty() => SchemeCount::from(1u32),
                        _ if !node.mergeable => apart,
                        Mode::Cuts | Mode::Levels => apart + 1u32,
                        Mode::Segments => segmentations(&children),
                        Mode::Subsets => partitions(&children),
                    });
                }
                counts.pop().unwrap_or_default()
            }
        }
    }

    /// The binary logarithm of [`ColumnFamily::count`]; of many values, about that.
    pub fn bits(&self) -> f64 {
        let atoms = self.atoms() as f64;
        match self.mode {
            Mode::Cuts | Mode::Segments if self.atoms() > COUNTED => atoms,
            Mode::Subsets if self.atoms() > COUNTED => atoms * atoms.log2(),
            _ => logarithm(self.count()),
        }
    }
}

/// Up to this many values, generalizations are counted where their number need not be exact.
const COUNTED: usize = 100;

/// The most values of which sets are counted exactly: of more, the numbers have thousands of digits, and the square of the
/// values is worked out.
const SETS_COUNTED: usize = 1500;

impl ColumnFamily {
    /// How many groupings there are, in digits; of very many values that may be in sets, how many digits that takes.
    pub fn count_text(&self) -> String {
        let guided = self.nodes.iter().filter(|node| !node.children.is_empty()).count() > 1;
        match self.mode {
            Mode::Subsets if self.atoms() > SETS_COUNTED && guided => {
                format!("at most 10^{:.0}", (log_bell(self.atoms()) / std::f64::consts::LN_10).ceil())
            }
            Mode::Subsets if self.atoms() > SETS_COUNTED => {
                format!("about 10^{:.0}", log_bell(self.atoms()) / std::f64::consts::LN_10)
            }
            _ => self.count().to_string(),
        }
    }
}

/// The natural logarithm of a Bell number, from Dobinski's series e^-1 Σ k^n / k!: its terms rise to one and fall.
fn log_bell(elements: usize) -> f64 {
    let n = elements as f64;
    let (mut factorial, mut terms, mut most) = (0.0, Vec::new(), f64::NEG_INFINITY);
    for k in 1..=2 * elements + 20 {
        factorial += (k as f64).ln();
        let term = n * (k as f64).ln() - factorial;
        most = term.max(most);
        if term < most - 60.0 {
            break;
        }
        terms.push(term);
    }
    most + terms.iter().map(|term| (term - most).exp()).sum::<f64>().ln() - 1.0
}

fn logarithm(count: SchemeCount) -> f64 {
    let shift = count.bits().saturating_sub(63);
    let head = u64::try_from(count >> shift).unwrap_or(u64::MAX);
    (head as f64).log2() + shift as f64
}

/// The generalizations of a hierarchy as its levels and nodes are drawn: a leaf that stands higher than others can be
/// published on each of the levels between, and so can a node with a single child, though the values are grouped alike.
pub fn drawn(scheme: Scheme, tree: &Hierarchy) -> Option<SchemeCount> {
    match scheme {
        Scheme::Bhs => Some(SchemeCount::from(tree.height() + 1)),
        Scheme::Ghs => {
            let mut counts: Vec<SchemeCount> = Vec::with_capacity(tree.node_count() as usize);
            for node in tree.nodes() {
                let padding = tree.height() - tree.depth(node);
                counts.push(match tree.is_leaf(node) {
                    true => SchemeCount::from(padding + 1),
                    false => {
                        let below = |child: &NodeId| &counts[child.index()];
                        tree.children(node).iter().map(below).product::<SchemeCount>() + 1u32
                    }
                });
            }
            counts.pop()
        }
        _ => None,
    }
}

/// Consecutive children in parts; a part of one child is any generalization of it.
fn segmentations(children: &[&SchemeCount]) -> SchemeCount {
    let mut last = SchemeCount::from(1u32);
    let mut all_before = SchemeCount::default();
    for child in children {
        let next = &last * *child + &all_before;
        all_before += &last;
        last = next;
    }
    last
}

/// Children in sets; a set of one child is any generalization of it.
fn partitions(children: &[&SchemeCount]) -> SchemeCount {
    match children.iter().all(|child| **child == SchemeCount::from(1u32)) {
        true => bell(children.len()),
        false => partitions_by_choice(children),
    }
}

/// With e(j) the sum over the choices of j children of the product of their counts, and s(n) the partitions of n elements
/// into sets of two or more: Σ e(j) · s(m − j).
fn partitions_by_choice(children: &[&SchemeCount]) -> SchemeCount {
    let m = children.len();
    let mut chosen = vec![SchemeCount::from(1u32)];
    for child in children {
        chosen.push(SchemeCount::default());
        for at in (1..chosen.len()).rev() {
            let more = &chosen[at - 1] * *child;
            chosen[at] += more;
        }
    }
    let without_singles = partitions_without_singles(m);
    (0..=m).map(|alone| &chosen[alone] * &without_singles[m - alone]).sum()
}

/// The Bell number, by its triangle: sums of neighbours alone.
fn bell(elements: usize) -> SchemeCount {
    let mut row = vec![SchemeCount::from(1u32)];
    for _ in 1..elements {
        let mut next = Vec::with_capacity(row.len() + 1);
        next.extend(row.last().cloned());
        for above in &row {
            next.push(&next[next.len() - 1] + above);
        }
        row = next;
    }
    row.pop().unwrap_or_default()
}

/// How many partitions of 0..=most elements have no set of one: s(n+1) = Σ over k ≥ 1 of C(n, k) · s(n − k).
fn partitions_without_singles(most: usize) -> Vec<SchemeCount> {
    let mut counts = vec![SchemeCount::from(1u32)];
    let mut row = vec![SchemeCount::from(1u32)];
    for n in 0..most {
        counts.push((1..=n).map(|k| &row[k] * &counts[n - k]).sum());
        let mut next = vec![SchemeCount::from(1u32)];
        next.extend(row.windows(2).map(|pair| &pair[0] + &pair[1]));
        next.push(SchemeCount::from(1u32));
        row = next;
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hierarchy::{ReadOptions, read_csv};

    /// The work-class hierarchy of Fig. 1.
    pub(in crate::algorithm::scheme) fn work_class() -> Hierarchy {
        let lines = "State-gov;Government;*\nLocal-gov;Government;*\nFederal-gov;Government;*\nPrivate;Private;*\n\
                     Inc;Self-employed;*\nNot Inc;Self-employed;*\nWithout Pay;Unemployed;*\nNever worked;Unemployed;*\n";
        read_csv("work-class", lines.as_bytes(), &ReadOptions::default()).unwrap()
    }

    #[test]
    fn work_class_has_as_many_generalizations_as_the_paper_says() {
        let tree = work_class();
        let family = |scheme| ColumnFamily::of_hierarchy(scheme, &tree, (0, u32::MAX)).unwrap().count();
        assert_eq!(drawn(Scheme::Bhs, &tree).unwrap(), SchemeCount::from(3u32));
        assert_eq!(drawn(Scheme::Ghs, &tree).unwrap(), SchemeCount::from(17u32));
        assert_eq!(family(Scheme::Bhs), SchemeCount::from(3u32));
        assert_eq!(family(Scheme::Ghs), SchemeCount::from(9u32), "a node over one value groups nothing");
        assert_eq!(family(Scheme::Ops), SchemeCount::from(128u32));
        assert_eq!(family(Scheme::Sps), SchemeCount::from(4140u32));
    }

    #[test]
    fn of_very_many_values_it_is_told_how_many_digits_a_count_has() {
        for elements in [1, 2, 10, 100, 300] {
            let (exact, about) = (logarithm(bell(elements)) * std::f64::consts::LN_2, log_bell(elements));
            assert!((exact - about).abs() < 1e-6 * exact.max(1.0), "{elements}: {exact} and {about}");
        }
        assert_eq!(ColumnFamily::flat(Scheme::Sps, 100).unwrap().count_text(), bell(100).to_string());
        assert_eq!(ColumnFamily::flat(Scheme::Sps, 100_000).unwrap().count_text(), "about 10^364471");
        assert_eq!(ColumnFamily::flat(Scheme::Ops, 100_000).unwrap().count_text().len(), 30_103);
    }

    #[test]
    fn unguided_schemes_have_powers_of_two_and_bell_numbers() {
        let bell = [1u64, 1, 2, 5, 15, 52, 203, 877, 4140, 21147, 115_975];
        for (values, bell) in bell.iter().enumerate().skip(1) {
            assert_eq!(ColumnFamily::flat(Scheme::Sps, values).unwrap().count(), SchemeCount::from(*bell));
            assert_eq!(
                ColumnFamily::flat(Scheme::Ops, values).unwrap().count(),
                SchemeCount::from(1u32) << (values - 1)
            );
        }
        assert_eq!(ColumnFamily::flat(Scheme::Ops, 90).unwrap().bits(), 89.0);
        let one = SchemeCount::from(1u32);
        for many in 1..12 {
            assert_eq!(partitions(&vec![&one; many]), partitions_by_choice(&vec![&one; many]));
        }
    }
}
