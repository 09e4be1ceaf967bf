//! Proofs: how far the loss of a release can be from the least loss of a named family of releases.
//!
//! A search knows a [`LowerBound`]: a family, and a sum of costs that no member of it undercuts. What is proven is decided
//! once, by [`Proof::of`], of the groups as they are published: after rows were suppressed, groups that are published alike
//! were merged, and regions got their extents. Whatever moves groups out of a family on the way drops the bound.
//!
//! Merging groups never lowers a loss, so the bound of a family of partitions holds for what is published of them. A
//! release that is cheaper than a bound is no member of its family, and nothing is claimed of it by that bound.

use crate::Result;
use crate::loss::{Cost, Totals, cost_of};
use crate::partition::{Family, LowerBound, PartitionGroups, Partitioning};
use crate::region::Extents;
use crate::requirement::Checks;
use crate::table::Table;
use serde::{Deserialize, Serialize};

/// A claim about the loss of a release.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Claim {
    /// No release of the family has less.
    Optimal,
    /// It is at most this factor of the least in the family.
    WithinFactor(f64),
    /// Nothing is proven but that the requirements hold.
    Heuristic,
}

/// The loss, requirements and extents that a release is judged by.
#[derive(Clone, Copy)]
pub struct ProofInput<'a> {
    /// The whole table.
    pub table: &'a Table,
    /// The loss of the release.
    pub loss: &'a dyn Cost,
    /// The requirements that the search used.
    pub requirements: &'a Checks,
    /// The k of the average group size.
    pub k: u64,
    /// How many rows could be suppressed.
    pub allowance: usize,
    /// The extents that are published.
    pub extents: Extents,
}

/// The proof of a release.
#[derive(Clone, Debug, PartialEq)]
pub struct Proof {
    /// The claim.
    pub claim: Claim,
    /// The loss of the release.
    pub found: f64,
    /// The family of the claim, and the least loss of its members; `None` without a claim.
    pub least: Option<(Family, f64)>,
    /// How many rows the members of the family may suppress.
    pub allowance: usize,
}

/// How far sums of the same numbers in different orders can lie apart.
const ROUNDING: f64 = 1e-11;

impl Proof {
    /// Proves a claim about a partitioning as it is published: rows and codes are those of the whole table,
    /// regions have their extents, and groups that are published alike are one.
    pub fn of(published: &Partitioning, judged: &ProofInput<'_>) -> Result<Proof> {
        let ProofInput { table, loss, requirements, allowance, extents, .. } = *judged;
        let minimum = requirements.minimum_size();
        let totals = judged.totals(published);
        let groups = PartitionGroups { table, partitioning: published, extents };
        let found = loss.finish(cost_of(loss, table, &groups)?, &totals);
        let allowed = Totals { suppressed: allowance as u64, ..totals };
        // Boundaries are published by the values that are left, so that they shrink where rows are suppressed, which no
        // search foresees.
        let shrinks = allowance > 0 && extents == Extents::Region;
        // A search that looked at the widths of held values has left out groups whose boundaries are wide enough.
        let misses_groups = extents == Extents::Region && requirements.restricts_values();
        // Searches give up parts that violate a requirement, which proves something only where no division of these satisfies it.
        let applies = |bound: &&LowerBound| {
            !misses_groups
                && requirements.are_monotone()
                && (allowance == 0 || bound.suppresses)
                && (bound.extents == extents && !shrinks || loss.needs().extents.is_empty())
        };
        let searched = published.bound.as_ref().filter(applies);
        let searched = searched.map(|bound| (bound.family.clone(), loss.least(bound.sum, &allowed)));
        let any = loss.least_of_any(minimum, &allowed);
        Ok(Proof::by(found, any.map(|least| (Family::Groups(minimum), least)), searched, allowance))
    }

    /// The claim that follows from the definition of a loss alone: `totals` says how many rows were
    /// suppressed, of at most `allowance`.
    pub fn by_definition(
        found: f64,
        loss: &dyn Cost,
        minimum: u64,
        totals: &Totals,
        allowance: usize,
    ) -> Proof {
        let allowed = Totals { suppressed: allowance as u64, ..*totals };
        let any = loss.least_of_any(minimum, &allowed);
        Proof::by(found, any.map(|least| (Family::Groups(minimum), least)), None, allowance)
    }

    /// Of two bounds the higher one counts, of equal ones the first. One that the release undercuts is about others.
    fn by(
        found: f64,
        first: Option<(Family, f64)>,
        second: Option<(Family, f64)>,
        allowance: usize,
    ) -> Proof {
        let holds = |(_, least): &(Family, f64)| found >= least - least.abs() * ROUNDING && !least.is_nan();
        let (first, second) = (first.filter(holds), second.filter(holds));
        let least = match (first, second) {
            (Some(first), Some(second)) => Some(if second.1 > first.1 { second } else { first }),
            (first, second) => first.or(second),
        };
        let claim = match &least {
            Some((_, least)) if found <= least + least.abs() * ROUNDING => Claim::Optimal,
            Some((_, least)) if *least > 0.0 => Claim::WithinFactor(found / least),
            _ => Claim::Heuristic,
        };
        // What rounding leaves between the two is nothing.
        let found = match &least {
            Some((_, least)) if claim == Claim::Optimal => found.max(*least),
            _ => found,
        };
        Proof { claim, found, least: least.filter(|_| claim != Claim::Heuristic), allowance }
    }

    /// The least loss that a member of the family can have; nothing where nothing is claimed.
    pub fn bound(&self) -> Option<f64> {
        self.least.as_ref().map(|(_, least)| *least)
    }

    /// The family of the claim, in words; `None` without a claim.
    pub fn family(&self) -> Option<String> {
        let (family, _) = self.least.as_ref()?;
        Some(match self.allowance {
            0 => family.to_string(),
            1 => format!("{family}, with at most 1 row suppressed"),
            rows => format!("{family}, with at most {rows} rows suppressed"),
        })
    }
}

impl ProofInput<'_> {
    fn totals(&self, published: &Partitioning) -> Totals {
        let rows = self.table.rows();
        Totals {
            rows: rows as u64,
            suppressed: (rows - published.order.len()) as u64,
            groups: published.groups() as u64,
            k: self.k,
        }
    }
}
