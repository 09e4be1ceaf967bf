//! Groups that publish the same region are one group.
//!
//! Cuts between two leaves of a hierarchy, and relaxed partitioning, can end in regions that are published alike.
//! A reader of the release sees one group, so the partitioning has one too. Requirements are monotone: the
//! union satisfies what its parts do.

use super::Partitioning;
use crate::region::{Cell, Regions};
use crate::table::Domain;
use hashbrown::HashMap;

impl Partitioning {
    /// Merges groups whose regions are published alike, at the place of the first of them. The cut tree, if there
    /// is one, keeps its leaves.
    pub fn coalesce(&mut self, domains: &[&Domain]) {
        // Regions that share no tuple are published apart, but for hierarchies, where a node stands for its leaves.
        if self.strict && domains.iter().all(|domain| domain.hierarchy().is_none()) {
            return;
        }
        let mut firsts: HashMap<Vec<u32>, usize> = HashMap::new();
        let mut merged: Vec<Vec<usize>> = Vec::new();
        for group in 0..self.groups() {
            let key = region_key(&self.regions, group, domains);
            let at = *firsts.entry(key).or_insert_with(|| {
                merged.push(Vec::new());
                merged.len() - 1
            });
            merged[at].push(group);
        }
        if merged.len() == self.groups() {
            return;
        }
        let mut order = Vec::with_capacity(self.order.len());
        let mut ends = Vec::with_capacity(merged.len());
        for groups in &merged {
            groups.iter().for_each(|&group| order.extend_from_slice(self.rows(group)));
            ends.push(order.len() as u32);
        }
        let firsts: Vec<usize> = merged.iter().map(|groups| groups[0]).collect();
        let lasting = self.regions.selected(&firsts, domains);
        (self.order, self.ends, self.regions) = (order, ends, lasting);
    }
}

/// The published region as numbers: equal for two regions exactly when their texts are.
fn region_key(regions: &Regions, group: usize, domains: &[&Domain]) -> Vec<u32> {
    let mut key = Vec::with_capacity(domains.len() * 3);
    for (dimension, domain) in domains.iter().enumerate() {
        match regions.cell(group, dimension, domain) {
            Cell::Interval { lo, hi } => key.extend([0, lo, hi]),
            Cell::Node(node) => key.extend([1, node.0]),
            Cell::Set(members) => {
                key.extend([2, members.len() as u32]);
                key.extend(members);
            }
            Cell::Missing => key.push(3),
            Cell::All => key.push(4),
        }
    }
    key
}
