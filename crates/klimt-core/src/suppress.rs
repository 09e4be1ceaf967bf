//! Suppression: rows that are left out, so that the others lose less. It happens only where the user allows it.
//!
//! A few rows far from the rest of their group widen its region for everyone. Leaving a row out has its price by the loss
//! that was asked for; by the certainty penalty, that of publishing it without any detail. Each group proposes the
//! outermost rows of a dimension, or the rarest value of a set, as long as that lowers the loss and the rest still
//! satisfies the requirements; proposals are taken by gain per row, until the share that was granted is used up. By a loss
//! without a price nothing says which rows are worth leaving out, and none is.

use crate::Result;
use crate::job::Suppression;
use crate::loss::Cost;
use crate::partition::{Groups, PartitionGroups, Partitioning};
use crate::region::Extents;
use crate::requirement::{Checks, Requirement, TableFacts};
use crate::statistics::Collector;
use crate::table::{Shape, Table};
use rayon::prelude::*;

/// Rows that a group would do better without.
struct Proposal {
    group: usize,
    rows: Vec<u32>,
    gain_per_row: f64,
}

impl Partitioning {
    /// Leaves out rows that cost their group more than their price by a loss, at most what `suppression` grants, and
    /// returns them. Regions are those of the remaining rows; the cut tree keeps its leaves. Groups are then no longer all
    /// rows of their boxes, and no bound is known to hold for them.
    ///
    /// The remaining groups satisfy the requirements bound to the whole table, and bound to the published
    /// rows: readers of the release know no other whole. Where leaving out rows would break the latter, fewer
    /// are left out.
    pub fn suppress(
        &mut self,
        suppression: Suppression,
        table: &Table,
        requirements: &[Box<dyn Requirement>],
        loss: &dyn Cost,
    ) -> Result<Vec<u32>> {
        let limit = suppression.limit(table.rows());
        let Some(price) = loss.price(table.rows() as u64).filter(|_| limit > 0) else {
            return Ok(Vec::new());
        };
        let checks = Checks::new(requirements, table)?;
        let judge = SuppressionJudge {
            table,
            checks: &checks,
            required: Collector::new(checks.needs(), table)?,
            loss,
            priced: Collector::new(&loss.needs(), table)?,
            price,
        };
        let mut proposals: Vec<Proposal> = (0..self.groups())
            .into_par_iter()
            .filter_map(|group| judge.propose(group, self.rows(group)))
            .collect();
        proposals.sort_by(|a, b| b.gain_per_row.total_cmp(&a.gain_per_row).then(a.group.cmp(&b.group)));
        let mut left = limit;
        proposals.retain(|proposal| {
            let granted = proposal.rows.len() <= left;
            left -= if granted { proposal.rows.len() } else { 0 };
            granted
        });
        while !proposals.is_empty() {
            let mut out = vec![false; table.rows()];
            proposals.iter().flat_map(|proposal| &proposal.rows).for_each(|&row| out[row as usize] = true);
            if self.holds_without(&out, requirements, table)? {
                self.remove(&out, table);
                self.bound = None;
                break;
            }
            proposals.truncate(proposals.len() / 2);
        }
        Ok(proposals.into_iter().flat_map(|proposal| proposal.rows).collect())
    }

    /// Whether every group satisfies the requirements bound to what is published, when some rows are left out.
    fn holds_without(
        &self,
        out: &[bool],
        requirements: &[Box<dyn Requirement>],
        table: &Table,
    ) -> Result<bool> {
        let kept =
            |rows: &[u32]| rows.iter().copied().filter(|&row| !out[row as usize]).collect::<Vec<u32>>();
        let published = kept(&self.order);
        let checks = Checks::to(requirements, &TableFacts { table, rows: Some(&published) })?;
        let collector = Collector::new(checks.needs(), table)?;
        Ok((0..self.groups())
            .into_par_iter()
            .all(|group| checks.satisfied(&collector.of(&kept(self.rows(group))))))
    }

    /// Whether every group satisfies the requirements bound to the rows that are published: readers of the release know
    /// no other whole. Where every row is suppressed there is none, and nothing to publish.
    pub fn holds_published(&self, table: &Table, requirements: &[Box<dyn Requirement>]) -> Result<bool> {
        if self.order.is_empty() {
            return Ok(false);
        }
        self.holds_without(&vec![false; table.rows()], requirements, table)
    }

    /// The groups that violate a requirement bound to the rows that are published, ascending.
    pub fn violating(&self, table: &Table, requirements: &[Box<dyn Requirement>]) -> Result<Vec<usize>> {
        let checks = Checks::to(requirements, &TableFacts { table, rows: Some(&self.order) })?;
        let collector = Collector::new(checks.needs(), table)?;
        let violates = |group: &usize| !checks.satisfied(&collector.of(self.rows(*group)));
        Ok((0..self.groups()).into_par_iter().filter(violates).collect())
    }

    /// The groups that violate a requirement bound to the rows that are published, ascending, where extents are those that
    /// are published and not the smallest over the rows.
    pub fn violating_as_published(
        &self,
        table: &Table,
        requirements: &[Box<dyn Requirement>],
        extents: Extents,
    ) -> Result<Vec<usize>> {
        let checks = Checks::to(requirements, &TableFacts { table, rows: Some(&self.order) })?;
        let collector = Collector::new(checks.needs(), table)?;
        let groups = PartitionGroups { table, partitioning: self, extents };
        let violates = |group: &usize| {
            let mut statistics = collector.of(self.rows(*group));
            for (dimension, extent) in &mut statistics.extents {
                *extent = groups.extent(*group, *dimension);
            }
            !checks.satisfied(&statistics)
        };
        Ok((0..self.groups()).into_par_iter().filter(violates).collect())
    }

    /// Leaves out the groups that violate a requirement bound to the rows that are published, and their leaves of the cut
    /// tree. What is left is a smaller whole, by which some requirements measure groups anew, so this goes on until none
    /// violates any. Returns how many rows it left out; `None` where more than `limit` rows would be suppressed in all,
    /// and what is left then is no release. Where it leaves out any, nothing is proven of the rest.
    pub fn settle(
        &mut self,
        table: &Table,
        requirements: &[Box<dyn Requirement>],
        limit: usize,
    ) -> Result<Option<usize>> {
        let domains = table.domains();
        let before = self.order.len();
        while !self.order.is_empty() {
            let violating = self.violating(table, requirements)?;
            if violating.is_empty() {
                break;
            }
            self.drop_groups(&violating, &domains);
            self.bound = None;
            if table.rows() - self.order.len() > limit {
                return Ok(None);
            }
        }
        Ok(Some(before - self.order.len()))
    }

    fn remove(&mut self, out: &[bool], table: &Table) {
        let mut order = Vec::with_capacity(self.order.len());
        let mut ends = Vec::with_capacity(self.ends.len());
        for group in 0..self.groups() {
            order.extend(self.rows(group).iter().filter(|&&row| !out[row as usize]));
            ends.push(order.len() as u32);
        }
        (self.order, self.ends) = (order, ends);
        self.regions = self.compact(table);
    }
}

struct SuppressionJudge<'a> {
    table: &'a Table,
    checks: &'a Checks,
    required: Collector<'a>,
    loss: &'a dyn Cost,
    priced: Collector<'a>,
    /// The cost of a suppressed row.
    price: f64,
}

/// Gains below this share of what a group costs are nothing but rounding.
const ROUNDING: f64 = 1e-12;

impl SuppressionJudge<'_> {
    /// The rows that the group would do better without, taken end by end while the loss falls.
    fn propose(&self, group: usize, rows: &[u32]) -> Option<Proposal> {
        let mut kept = rows.to_vec();
        let mut gone = Vec::new();
        let mut gain = 0.0;
        while let Some((better, rest, less)) = self.trim(&kept) {
            gain += better;
            kept = rest;
            gone.extend(less);
        }
        (!gone.is_empty()).then(|| Proposal { group, gain_per_row: gain / gone.len() as f64, rows: gone })
    }

    /// The best end of a dimension to leave out: its gain, the rows that stay and the rows that go.
    fn trim(&self, rows: &[u32]) -> Option<(f64, Vec<u32>, Vec<u32>)> {
        let before = self.cost(rows);
        let mut best: Option<(f64, Vec<u32>, Vec<u32>)> = None;
        for dimension in 0..self.table.dimensions() {
            let codes = self.table.codes(dimension);
            let code = |row: &u32| codes.get(*row as usize);
            for end in self.ends(dimension, rows) {
                let (gone, kept): (Vec<u32>, Vec<u32>) = rows.iter().partition(|row| code(row) == end);
                if kept.is_empty() || !self.checks.satisfied(&self.required.of(&kept)) {
                    continue;
                }
                let gain = before - self.cost(&kept) - self.price * gone.len() as f64;
                let best_gain = best.as_ref().map_or(before.abs() * ROUNDING, |(gain, ..)| *gain);
                if gain > best_gain {
                    best = Some((gain, kept, gone));
                }
            }
        }
        best
    }

    /// The codes whose rows may be left out: the outermost ones, or the rarest of a set.
    fn ends(&self, dimension: usize, rows: &[u32]) -> Vec<u32> {
        let codes = self.table.codes(dimension);
        let mut seen: Vec<u32> = rows.iter().map(|&row| codes.get(row as usize)).collect();
        seen.sort_unstable();
        let runs = || seen.chunk_by(|a, b| a == b);
        if matches!(self.table.domain(dimension).shape(), Shape::Set) {
            return runs().min_by_key(|run| run.len()).map(|run| run[0]).into_iter().collect();
        }
        let mut ends: Vec<u32> = seen.first().into_iter().chain(seen.last()).copied().collect();
        ends.dedup();
        ends
    }

    fn cost(&self, rows: &[u32]) -> f64 {
        self.loss.group(&self.priced.of(rows))
    }
}
