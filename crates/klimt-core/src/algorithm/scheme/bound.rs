//! The cost of a generalization, and the least cost of any generalization of a scope.
//!
//! Between the finest and the coarsest generalization of a scope, a row's group holds at least its group under the finest
//! and is part of its group under the coarsest. So a row that shares its coarsest group with fewer rows than any
//! requirement asks for is suppressed throughout; any other pays what it pays under the finest, for a group of at least
//! that size, or the price of suppression where that is less (section 4.3).
//!
//! Which rules hold: requirements are monotone under the union of groups that satisfy them, not under growth. A group
//! that violates t-closeness, say, may have parts that satisfy it, so under suppression nothing is concluded from a
//! coarsest group but from its size. Where nothing may be suppressed, every part must satisfy, so then must the
//! coarsest group, and a scope in which one does not is empty. Nothing is ever concluded from a group that satisfies.
//!
//! [`LowerBoundRules`] says which of this is used. Bottom-up, Li and Li look at the finest generalization alone; by HDM a
//! row that it suppresses counts for nothing, by DM for the least size of a group. Top-down, the coarsest generalization
//! tells which rows are suppressed, as in K-Optimize.

use super::family::Generalization;
use super::groups::TupleGroups;
use super::keys::Grouper;
use super::problem::{SchemePricing, SchemeProblem};
use crate::statistics::Extent;

/// The cost of a generalization, with the rows that it suppresses; infinite where those are too many.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct SchemeCost {
    pub cost: f64,
    pub suppressed: u64,
}

/// The rules that a lower bound follows from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LowerBoundRules {
    /// Rows whose coarsest group is too small are suppressed throughout.
    pub coarsest: bool,
    /// Rows whose finest group violates a requirement pay there what others do; else only for the least size of a group.
    pub violating: bool,
}

impl LowerBoundRules {
    /// Everything that holds.
    pub const ALL: LowerBoundRules = LowerBoundRules { coarsest: true, violating: true };
}

impl SchemeProblem<'_> {
    /// The price of a generalization, from its groups.
    pub fn priced(&self, groups: &TupleGroups, parts: &[Generalization]) -> SchemeCost {
        let cells = BlockCosts::new(self, parts);
        let (mut cost, mut suppressed) = (0.0, 0);
        for group in 0..groups.len() {
            if self.satisfied(groups, group) {
                cost += cells.cost(groups, group);
            } else {
                suppressed += u64::from(groups.rows[group]);
            }
        }
        self.with_suppressed(cost, suppressed)
    }

    /// Adds the price of suppressed rows.
    pub fn with_suppressed(&self, cost: f64, suppressed: u64) -> SchemeCost {
        let cost = match suppressed {
            0 => cost,
            rows if rows > self.limit => f64::INFINITY,
            rows => cost + rows as f64 * self.price,
        };
        SchemeCost { cost, suppressed }
    }

    /// The least that any generalization between two costs, from the groups under the finer one.
    pub fn least(
        &self,
        groups: &TupleGroups,
        finest: &[Generalization],
        coarsest: &[Generalization],
        rules: LowerBoundRules,
        grouper: &mut Grouper,
    ) -> f64 {
        let hopeless = match rules.coarsest {
            true => self.hopeless_groups(groups, coarsest, grouper),
            false => vec![false; groups.len()],
        };
        let cells = BlockCosts::new(self, finest);
        let (mut cost, mut suppressed) = (0.0, 0u64);
        for (group, hopeless) in hopeless.into_iter().enumerate() {
            let rows = groups.rows[group];
            if hopeless {
                suppressed += u64::from(rows);
            } else if rules.violating || self.pricing == SchemePricing::Size || self.satisfied(groups, group)
            {
                cost += cells.least(groups, group).min(f64::from(rows) * self.price);
            }
        }
        self.with_suppressed(cost, suppressed).cost
    }

    /// Which groups lie in a coarsest group that holds no group that can be published.
    fn hopeless_groups(
        &self,
        groups: &TupleGroups,
        coarsest: &[Generalization],
        grouper: &mut Grouper,
    ) -> Vec<bool> {
        let parts: Vec<Option<&Generalization>> = coarsest.iter().map(Some).collect();
        let (above, many) = self.regroup(groups, &parts, grouper);
        let hopeless = self.hopeless(groups, &above, many);
        above.into_iter().map(|above| hopeless[above as usize]).collect()
    }

    /// Which coarsest groups hold no group that can be published.
    fn hopeless(&self, groups: &TupleGroups, above: &[u32], many: usize) -> Vec<bool> {
        if self.collects && self.limit == 0 {
            let coarse = groups.merged(above, many);
            return (0..many).map(|group| !self.satisfied(&coarse, group)).collect();
        }
        let mut rows = vec![0u64; many];
        above.iter().zip(&groups.rows).for_each(|(&group, &size)| rows[group as usize] += u64::from(size));
        let minimum = self.job.requirements.minimum_size();
        rows.into_iter().map(|rows| rows < minimum).collect()
    }
}

impl SchemeProblem<'_> {
    /// Whether groups are priced by statistics with extents.
    pub fn prices_extents(&self) -> bool {
        self.pricing == SchemePricing::Statistics && !self.job.loss.needs().extents.is_empty()
    }

    /// The extents that are published of a column's blocks, each at the first atom of its block.
    pub fn block_extents(&self, column: usize, part: &Generalization) -> Vec<Extent> {
        let mut extents = vec![Extent::NOTHING; part.0.len()];
        part.groups().iter().for_each(|block| extents[block[0] as usize] = self.extent(column, block));
        extents
    }

    /// The first atom of the block that a tuple is in.
    #[inline]
    pub fn block(&self, parts: &[Generalization], column: usize, tuple: u32) -> usize {
        parts[column].0[self.tuples.atoms(column)[tuple as usize] as usize] as usize
    }
}

/// The costs of the blocks of a generalization by a loss of cells.
struct BlockCosts<'p, 'a> {
    problem: &'p SchemeProblem<'a>,
    parts: &'p [Generalization],
    /// By column and first atom of a block.
    widths: Vec<Vec<f64>>,
    extents: Vec<Vec<Extent>>,
}

impl<'p, 'a> BlockCosts<'p, 'a> {
    fn new(problem: &'p SchemeProblem<'a>, parts: &'p [Generalization]) -> Self {
        let mut cells = BlockCosts { problem, parts, widths: Vec::new(), extents: Vec::new() };
        let extents = problem.prices_extents();
        for (column, part) in parts.iter().enumerate() {
            match problem.pricing {
                SchemePricing::Shares => {
                    let mut widths = vec![0.0; part.0.len()];
                    part.groups()
                        .iter()
                        .for_each(|block| widths[block[0] as usize] = problem.width(column, block));
                    cells.widths.push(widths);
                }
                SchemePricing::Statistics if extents => {
                    cells.extents.push(problem.block_extents(column, part));
                }
                _ => {}
            }
        }
        cells
    }

    fn block(&self, column: usize, tuple: u32) -> usize {
        self.problem.block(self.parts, column, tuple)
    }

    /// The cost of a published group.
    fn cost(&self, groups: &TupleGroups, group: usize) -> f64 {
        let rows = groups.rows[group];
        match self.problem.pricing {
            SchemePricing::Size => self.problem.job.loss.size(u64::from(rows)).unwrap_or(0.0),
            SchemePricing::Shares => {
                let tuple = groups.tuples[group];
                let pays = |(column, widths): (usize, &Vec<f64>)| {
                    widths[self.block(column, tuple)] * groups.slope(column, group)
                };
                self.widths.iter().enumerate().map(pays).sum::<f64>() - groups.offsets[group]
            }
            SchemePricing::Statistics => {
                let tuple = groups.tuples[group];
                let extents = self.extents.iter().enumerate();
                let blocks: Vec<&Extent> =
                    extents.map(|(column, extents)| &extents[self.block(column, tuple)]).collect();
                self.problem.cost_of(&groups.statistics[group], &blocks)
            }
        }
    }

    /// The least that the rows of a group pay when it is published with others or alone.
    fn least(&self, groups: &TupleGroups, group: usize) -> f64 {
        match self.problem.pricing {
            SchemePricing::Size => self.problem.size(groups.rows[group]),
            SchemePricing::Shares => self.cost(groups, group),
            SchemePricing::Statistics if self.problem.job.loss.monotone() => self.cost(groups, group),
            SchemePricing::Statistics => 0.0,
        }
    }
}
