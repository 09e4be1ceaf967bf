//! A slab whose groups are judged, or priced, by their statistics.

use super::family::Generalization;
use super::groups::TupleGroups;
use super::keys::Grouper;
use super::problem::{SchemePricing, SchemeProblem};
use super::slab::{Entries, GroupSums, Slab};
use crate::statistics::{Extent, Statistics};

/// How many statistics are merged or priced between two looks at the clock.
const PATIENCE: usize = 256;

/// A slab whose groups are judged, or priced, by their statistics.
pub(super) struct StatisticsSlab<'p, 'a> {
    problem: &'p SchemeProblem<'a>,
    column: usize,
    groups: &'p TupleGroups,
    entries: Entries,
    /// By cell.
    cells: Vec<CellState>,
    parts: &'p [Generalization],
    /// The extents of the other columns' blocks, by column and first atom of a block, where the loss looks at them.
    extents: Vec<Vec<Extent>>,
    /// A tuple of each cell, where the loss looks at extents: all others are in the same blocks.
    tuples: Vec<u32>,
    /// The cells that hold rows.
    live: Vec<u32>,
    log: Vec<(u32, CellState)>,
    logs: bool,
}

#[derive(Clone, Debug, Default)]
struct CellState {
    statistics: Option<Statistics>,
    sums: GroupSums,
    /// Whether the requirements hold, where that has been looked at.
    satisfied: Option<bool>,
}

impl<'p, 'a> StatisticsSlab<'p, 'a> {
    pub fn new(
        problem: &'p SchemeProblem<'a>,
        column: usize,
        groups: &'p TupleGroups,
        parts: &'p [Generalization],
        grouper: &mut Grouper,
    ) -> Self {
        let entries = Entries::new(problem, column, groups, parts, grouper);
        let (mut extents, mut tuples) = (Vec::new(), Vec::new());
        if problem.prices_extents() {
            let blocks = |(other, part): (usize, &Generalization)| match other == column {
                true => Vec::new(),
                false => problem.block_extents(other, part),
            };
            extents = parts.iter().enumerate().map(blocks).collect();
            tuples = vec![0; entries.cells];
            for (entry, &group) in entries.entries.iter().zip(&entries.groups) {
                tuples[entry.cell as usize] = groups.tuples[group as usize];
            }
        }
        let cells = vec![CellState::default(); entries.cells];
        StatisticsSlab {
            problem,
            column,
            groups,
            entries,
            cells,
            parts,
            extents,
            tuples,
            live: Vec::new(),
            log: Vec::new(),
            logs: false,
        }
    }
}

impl Slab for StatisticsSlab<'_, '_> {
    fn add(&mut self, atom: u32) {
        for at in self.entries.of(atom) {
            // Whoever folds sees in the end that the search is stopped, and wants none of this.
            if at % PATIENCE == 0 && self.problem.stopped() {
                return;
            }
            let entry = self.entries.entries[at];
            let cell = &mut self.cells[entry.cell as usize];
            if self.logs {
                self.log.push((entry.cell, cell.clone()));
            }
            let part = &self.groups.statistics[self.entries.groups[at] as usize];
            match &mut cell.statistics {
                Some(whole) => whole.merge(part),
                none => {
                    *none = Some(part.clone());
                    self.live.push(entry.cell);
                }
            }
            cell.sums.add(&GroupSums { size: 0.0, paid: entry.paid, slope: entry.slope });
            cell.satisfied = None;
        }
    }

    fn clear(&mut self) {
        for cell in self.live.drain(..) {
            self.cells[cell as usize] = CellState::default();
        }
        self.log.clear();
        self.logs = false;
    }

    fn mark(&mut self) -> usize {
        self.logs = true;
        self.log.len()
    }

    fn back(&mut self, mark: usize) {
        while self.log.len() > mark {
            let Some((cell, before)) = self.log.pop() else { break };
            if before.statistics.is_none() {
                self.live.pop();
            }
            self.cells[cell as usize] = before;
        }
    }

    fn value(&mut self, width: f64, extent: &dyn Fn() -> Extent) -> (f64, u64) {
        let problem = self.problem;
        let own = if self.extents.is_empty() { Extent::NOTHING } else { extent() };
        let (mut cost, mut suppressed) = (0.0, 0);
        for (number, &cell) in self.live.iter().enumerate() {
            if number % PATIENCE == PATIENCE - 1 && problem.stopped() {
                break;
            }
            let at = cell as usize;
            let cell = &mut self.cells[at];
            let Some(statistics) = &cell.statistics else { continue };
            if !*cell.satisfied.get_or_insert_with(|| problem.job.requirements.satisfied(statistics)) {
                suppressed += statistics.count;
                continue;
            }
            cost += match problem.pricing {
                SchemePricing::Size => problem.job.loss.size(statistics.count).unwrap_or(0.0),
                SchemePricing::Shares => cell.sums.paid + width * cell.sums.slope,
                SchemePricing::Statistics => {
                    let block = |column: usize| match column == self.column {
                        true => &own,
                        false => &self.extents[column][problem.block(self.parts, column, self.tuples[at])],
                    };
                    let blocks: Vec<&Extent> = (0..self.extents.len()).map(block).collect();
                    problem.cost_of(statistics, &blocks)
                }
            };
        }
        (cost, suppressed)
    }
}
