//! The enumeration: every generalization exactly once.
//!
//! A node of the tree is a [`Scope`] per column: what has been applied, and what may still be. Bottom-up, the node stands
//! for its finest generalization, and its children apply one applicator each; those tried before are out of reach for the
//! later children, so that the children's scopes share nothing and leave nothing out. Over one column with any grouping
//! this is `Child_Partitions` (Fig. 6), over several the applicator tree (Fig. 7), and what an applicator needs adapts
//! both to the guided schemes (section 3.3). Top-down, the node stands for its coarsest generalization, and applicators
//! are given up instead (K-Optimize).
//!
//! As printed, Fig. 6 makes some partitions twice: {1}{2}{3,4} → {1,2}{3,4} is allowed, and so is {1,2}{3}{4} →
//! {1,2}{3,4}. The proof of Theorem 1 and Figs. 5 and 8 have what the figure leaves out: groups before one that has been
//! merged are complete, and so are columns before one that has been generalised.

use super::applicator::{Applicators, Scope};
use super::family::{ColumnFamily, Generalization};

/// A step of the search: an applicator of a column.
pub(super) type ApplicatorStep = (usize, usize);

/// The steps that the children of a node begin with, in the order of columns and applicators.
pub(super) fn steps(columns: &[Applicators], scopes: &[Scope], top_down: bool) -> Vec<ApplicatorStep> {
    let of_column = |(column, (applicators, scope)): (usize, (&Applicators, &Scope))| {
        let next = if top_down { applicators.maximal(scope) } else { applicators.minimal(scope) };
        next.into_iter().map(move |applicator| (column, applicator)).collect::<Vec<ApplicatorStep>>()
    };
    columns.iter().zip(scopes).enumerate().flat_map(of_column).collect()
}

/// `Child_Nodes` of Fig. 7: the children of a node by the steps that they begin with, each with the number of its step.
pub(super) fn child_nodes(
    columns: &[Applicators],
    scopes: &[Scope],
    steps: &[ApplicatorStep],
    top_down: bool,
) -> Vec<(usize, Vec<Scope>)> {
    let mut rest = scopes.to_vec();
    let mut children = Vec::new();
    for (number, &(column, applicator)) in steps.iter().enumerate() {
        let applicators = &columns[column];
        let mut child = rest.clone();
        let (taken, left) = match top_down {
            false => (
                applicators.apply(&mut child[column], applicator),
                applicators.forbid(&mut rest[column], applicator),
            ),
            true => (
                applicators.forbid(&mut child[column], applicator),
                applicators.apply(&mut rest[column], applicator),
            ),
        };
        if taken {
            children.push((number, child));
        }
        if !left {
            break;
        }
    }
    children
}

/// `Anonymization_Enumeration` of Fig. 7: every combination of generalizations of several columns, bottom-up or top-down.
pub fn anonymizations(families: &[ColumnFamily], top_down: bool) -> Vec<Vec<Generalization>> {
    let columns: Vec<Applicators> = families.iter().map(Applicators::of).collect();
    let mut found = Vec::new();
    let mut pending =
        std::collections::VecDeque::from([columns.iter().map(Applicators::scope).collect::<Vec<_>>()]);
    while let Some(scopes) = pending.pop_front() {
        let each = || columns.iter().zip(&scopes);
        if !top_down {
            found.push(each().map(|(column, scope)| column.finest(scope)).collect());
        } else if each().all(|(column, scope)| column.holds_coarsest(scope)) {
            found.push(each().map(|(column, scope)| column.coarsest(scope)).collect());
        }
        let steps = steps(&columns, &scopes, top_down);
        pending.extend(child_nodes(&columns, &scopes, &steps, top_down).into_iter().map(|(_, child)| child));
    }
    found
}

/// Every generalization of one column.
pub fn generalizations(family: &ColumnFamily, top_down: bool) -> Vec<Generalization> {
    anonymizations(std::slice::from_ref(family), top_down).into_iter().flatten().collect()
}

/// `Child_Partitions` of Fig. 6: the children of a generalization in the bottom-up tree of its column; `None` where it is
/// none of the family's.
pub fn child_partitions(family: &ColumnFamily, partition: &Generalization) -> Option<Vec<Generalization>> {
    let columns = [Applicators::of(family)];
    let mut at = vec![columns[0].scope()];
    let is_finer = |fine: &Generalization| {
        fine.0.iter().zip(&partition.0).all(|(&first, &of)| partition.0[first as usize] == of)
    };
    loop {
        let steps = steps(&columns, &at, false);
        let children: Vec<Vec<Scope>> =
            child_nodes(&columns, &at, &steps, false).into_iter().map(|(_, child)| child).collect();
        if columns[0].finest(&at[0]) == *partition {
            return Some(children.iter().map(|child| columns[0].finest(&child[0])).collect());
        }
        // The way to a partition begins with the first step that it takes; later children have given that step up.
        at = children.into_iter().find(|child| is_finer(&columns[0].finest(&child[0])))?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algorithm::scheme::Scheme;

    fn firsts(groups: &[&[u32]]) -> Generalization {
        let most = groups.iter().flat_map(|group| group.iter()).max().copied().unwrap_or(0);
        let first = |atom| groups.iter().find(|group| group.contains(&atom)).map_or(atom, |group| group[0]);
        Generalization((1..=most).map(|atom| first(atom) - 1).collect())
    }

    #[test]
    fn the_paper_s_examples_have_the_children_that_it_lists() {
        let family = ColumnFamily::flat(Scheme::Sps, 5).unwrap();
        let sorted = |mut of: Vec<Generalization>| {
            of.sort();
            of
        };
        let first = child_partitions(&family, &firsts(&[&[1], &[2, 3], &[4], &[5]])).unwrap();
        let wanted = [firsts(&[&[2, 3, 4], &[5]]), firsts(&[&[2, 3], &[4, 5]]), firsts(&[&[2, 3, 5], &[4]])];
        assert_eq!(sorted(first), sorted(wanted.to_vec()));
        let second = child_partitions(&family, &firsts(&[&[1, 4], &[2], &[3], &[5]])).unwrap();
        let wanted = [
            firsts(&[&[1, 4], &[2, 3], &[5]]),
            firsts(&[&[1, 4], &[2], &[3, 5]]),
            firsts(&[&[1, 4], &[2, 5], &[3]]),
            firsts(&[&[1, 4, 5], &[2], &[3]]),
        ];
        assert_eq!(sorted(second), sorted(wanted.to_vec()));
        assert_eq!(child_partitions(&family, &firsts(&[&[1], &[2], &[3, 4], &[5]])).unwrap().len(), 1);
    }
}
