//! A partitioning without its suppressed rows: nothing of it depends on their values.

use super::{CutNode, CutTree, Partitioning};
use crate::Result;
use crate::region::{Extents, Regions};
use crate::table::{Domain, Table};

/// The published rows as a table of their own.
#[derive(Debug)]
pub struct NarrowedTable {
    /// The published rows, with domains of their values alone.
    pub table: Table,
    /// The number in the whole table of every row.
    rows: Vec<u32>,
    /// The code in the whole table of every code of a dimension.
    before: Vec<Vec<u32>>,
}

impl Partitioning {
    /// The rows that are in a group, as if there had never been others, and the groups by rows and codes of that table.
    pub fn narrowed(&self, table: &Table) -> Result<(Partitioning, NarrowedTable)> {
        let mut rows = self.order.clone();
        rows.sort_unstable();
        let (narrow, before) = table.narrowed(&rows)?;
        let mut numbers = vec![0; table.rows()];
        (0..).zip(&rows).for_each(|(number, &row)| numbers[row as usize] = number);
        let domains = table.domains();
        let narrow_domains = narrow.domains();
        let (tree, groups) = self.tree.as_ref().map(|tree| tree.narrowed(&before, &narrow_domains)).unzip();
        let groups = groups.unwrap_or_else(|| (0..self.groups()).collect());
        let (mut order, mut ends) = (Vec::with_capacity(rows.len()), Vec::with_capacity(groups.len()));
        for &group in &groups {
            order.extend(self.rows(group).iter().map(|&row| numbers[row as usize]));
            ends.push(order.len() as u32);
        }
        let regions = self.regions.narrowed(&before, &domains).selected(&groups, &narrow_domains);
        let partitioning =
            Partitioning { order, ends, regions, tree, bound: self.bound.clone(), strict: self.strict };
        Ok((partitioning, NarrowedTable { table: narrow, rows, before }))
    }
}

impl NarrowedTable {
    /// The groups by rows and codes of the whole table: what is published, as the owner of all rows measures it.
    pub fn widened(&self, partitioning: &Partitioning, table: &Table, extents: Extents) -> Partitioning {
        let domains = table.domains();
        let narrow = self.table.domains();
        Partitioning {
            order: partitioning.order.iter().map(|&row| self.rows[row as usize]).collect(),
            ends: partitioning.ends.clone(),
            regions: partitioning.regions.widened(&self.before, &narrow, &domains, extents),
            tree: None,
            bound: partitioning.bound.clone(),
            strict: partitioning.strict,
        }
    }
}

impl CutTree {
    /// The cuts by the codes of narrowed domains, which were these codes before. A cut that has no value left on a side
    /// goes. Also says which group every leaf holds that holds rows, as sides may be swapped.
    fn narrowed(&self, before: &[Vec<u32>], domains: &[&Domain]) -> (CutTree, Vec<usize>) {
        enum NarrowingStep {
            Node(usize),
            CloseLeft(usize),
        }
        let (mut numbers, mut many) = (vec![0; self.nodes.len()], 0);
        for (number, node) in numbers.iter_mut().zip(&self.nodes) {
            *number = many;
            many += usize::from(matches!(node, CutNode::Leaf { rows: 1.. }));
        }
        let (mut made, mut groups) = (CutTree::default(), Vec::with_capacity(many));
        let mut pending = vec![NarrowingStep::Node(0)];
        while let Some(step) = pending.pop() {
            let at = match step {
                NarrowingStep::CloseLeft(cut) => {
                    made.close_left(cut);
                    continue;
                }
                NarrowingStep::Node(at) => at,
            };
            let mut node = self.nodes[at];
            if let CutNode::Leaf { rows } = node {
                groups.extend((rows > 0).then_some(numbers[at]));
                made.nodes.push(node);
                continue;
            }
            let (mut low, mut high) = (at + 1, at + self.right(at));
            let mut members = Vec::new();
            let (left, right) = match &mut node {
                CutNode::Leaf { .. } => unreachable!("leaves are handled above"),
                CutNode::Threshold { dimension, code, shared, missing_left, .. } => {
                    let (old, domain) = (&before[*dimension as usize], domains[*dimension as usize]);
                    let values = &old[..domain.value_count()];
                    let left = values.partition_point(|old| old <= code);
                    let missing = old.len() > values.len();
                    *shared &= values.binary_search(code).is_ok();
                    *code = (left as u32).saturating_sub(1);
                    if *missing_left && missing && left == 0 && !values.is_empty() {
                        // No value is left beside the missing one: the others take its side.
                        (*code, *missing_left) = (values.len() as u32 - 1, false);
                        std::mem::swap(&mut low, &mut high);
                        (true, true)
                    } else if *missing_left {
                        (left > 0 || missing, left < values.len())
                    } else {
                        (left > 0, left < old.len())
                    }
                }
                CutNode::Subset { dimension, first, len, shared, .. } => {
                    let old = &before[*dimension as usize];
                    let all = &self.members[*first as usize..(*first + *len) as usize];
                    let code = |member: &u32| Some(old.binary_search(member).ok()? as u32);
                    members = all.iter().filter_map(code).collect();
                    *shared &= all.last().and_then(code).is_some();
                    (*first, *len) = (made.members.len() as u32, members.len() as u32);
                    (!members.is_empty(), members.len() < old.len())
                }
            };
            match (left, right) {
                (true, true) => {
                    made.members.extend(members);
                    made.nodes.push(node);
                    pending.extend([
                        NarrowingStep::Node(high),
                        NarrowingStep::CloseLeft(made.nodes.len() - 1),
                        NarrowingStep::Node(low),
                    ]);
                }
                (true, false) => pending.push(NarrowingStep::Node(low)),
                (false, _) => pending.push(NarrowingStep::Node(high)),
            }
        }
        (made, groups)
    }
}

impl Regions {
    /// The regions by the codes of narrowed domains, which were these codes before.
    fn narrowed(&self, before: &[Vec<u32>], domains: &[&Domain]) -> Regions {
        self.mapped(domains, |dimension, lo, hi| {
            let old = &before[dimension];
            let end = old.partition_point(|&code| code <= hi) as u32;
            let first = old.partition_point(|&code| code < lo) as u32;
            if first < end { (first, end - 1) } else { (1, 0) }
        })
    }

    /// The regions by the codes that narrowed domains had before. What lies between an open end and the next published
    /// value belongs to the region, and so does every value of a set that is published as `*`.
    fn widened(
        &self,
        before: &[Vec<u32>],
        narrow: &[&Domain],
        domains: &[&Domain],
        extents: Extents,
    ) -> Regions {
        let widened = self.mapped(narrow, |dimension, lo, hi| {
            let (old, values) = (&before[dimension], narrow[dimension].value_count());
            let open = extents == Extents::Region && lo > 0 && (hi as usize) < values;
            let low = if open { old[lo as usize - 1] + 1 } else { old[lo as usize] };
            (low, old[hi as usize])
        });
        widened.with_whole_sets(narrow, domains)
    }
}
