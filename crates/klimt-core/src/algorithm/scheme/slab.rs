//! The groups of a slab: the rows whose values in one column are in one block, under a generalization of the others.
//!
//! A slab grows value by value and shrinks again, and says at any time what its groups cost in sum. Each *cell* (a
//! combination of blocks of the other columns) makes one group of the slab. In a scope, cells are those of the finest
//! generalization, and a *shelter* is a cell of the coarsest one: what shares too small a shelter is suppressed
//! throughout. A single generalization is its own shelter.

use super::bound::SchemeCost;
use super::family::Generalization;
use super::groups::TupleGroups;
use super::keys::Grouper;
use super::problem::{SchemePricing, SchemeProblem};
use crate::distinct::gather;
use crate::statistics::Extent;

/// A slab that grows and shrinks.
pub(super) trait Slab {
    /// Takes in the rows of an atom.
    fn add(&mut self, atom: u32);
    /// Forgets all rows.
    fn clear(&mut self);
    /// Where it can go back to from now on, until it is cleared.
    fn mark(&mut self) -> usize;
    /// Forgets what has been added since.
    fn back(&mut self, mark: usize);
    /// The summed cost of its groups when the block has the width and the extent, with the rows suppressed.
    fn value(&mut self, width: f64, extent: &dyn Fn() -> Extent) -> (f64, u64);
}

/// Sums over the rows of some groups.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct GroupSums {
    /// The cost by sizes.
    pub size: f64,
    /// The cost of rows in the other columns, less the cost that they save.
    pub paid: f64,
    /// The cost of rows per unit of width in the column of the slab.
    pub slope: f64,
}

impl GroupSums {
    #[inline]
    pub fn add(&mut self, other: &GroupSums) {
        self.size += other.size;
        self.paid += other.paid;
        self.slope += other.slope;
    }
}

/// Rows of one atom in one cell.
#[derive(Clone, Copy, Debug)]
pub(super) struct SlabEntry {
    pub cell: u32,
    pub rows: u32,
    pub paid: f64,
    pub slope: f64,
}

/// The entries by atom.
pub(super) struct Entries {
    pub entries: Vec<SlabEntry>,
    ends: Vec<usize>,
    /// The group that each entry was.
    pub groups: Vec<u32>,
    pub cells: usize,
}

impl Entries {
    /// `groups` are those under the finest generalization of the other columns and the atoms of this one.
    pub fn new(
        problem: &SchemeProblem<'_>,
        column: usize,
        groups: &TupleGroups,
        finest: &[Generalization],
        grouper: &mut Grouper,
    ) -> Self {
        let parts: Vec<Option<&Generalization>> =
            finest.iter().enumerate().map(|(at, part)| (at != column).then_some(part)).collect();
        let (cells, many) = problem.regroup(groups, &parts, grouper);
        let atoms = problem.tuples.atoms(column);
        let of_group: Vec<u32> = groups.tuples.iter().map(|&tuple| atoms[tuple as usize]).collect();
        let (order, ends) = gather(&of_group, problem.families[column].atoms());
        let paid = paid(problem, column, groups, finest);
        let entry = |&group: &u32| {
            let group = group as usize;
            let shares = problem.pricing == SchemePricing::Shares;
            SlabEntry {
                cell: cells[group],
                rows: groups.rows[group],
                paid: paid.get(group).copied().unwrap_or(0.0),
                slope: if shares { groups.slope(column, group) } else { 0.0 },
            }
        };
        Entries { entries: order.iter().map(entry).collect(), ends, groups: order, cells: many }
    }

    pub fn of(&self, atom: u32) -> std::ops::Range<usize> {
        let start = if atom == 0 { 0 } else { self.ends[atom as usize - 1] };
        start..self.ends[atom as usize]
    }
}

/// The cost of the rows of every group in the other columns, less the cost that they save.
fn paid(
    problem: &SchemeProblem<'_>,
    column: usize,
    groups: &TupleGroups,
    finest: &[Generalization],
) -> Vec<f64> {
    if problem.pricing != SchemePricing::Shares {
        return Vec::new();
    }
    let mut paid: Vec<f64> = groups.offsets.iter().map(|offset| -offset).collect();
    for (other, part) in finest.iter().enumerate().filter(|(other, _)| *other != column) {
        let mut widths = vec![0.0; part.0.len()];
        for block in part.groups() {
            let width = problem.width(other, &block);
            block.iter().for_each(|&atom| widths[atom as usize] = width);
        }
        let atoms = problem.tuples.atoms(other);
        for (group, paid) in paid.iter_mut().enumerate() {
            *paid += widths[atoms[groups.tuples[group] as usize] as usize] * groups.slope(other, group);
        }
    }
    paid
}

/// A slab whose groups are judged by their sizes.
pub(super) struct SizeSlab<'p, 'a> {
    problem: &'p SchemeProblem<'a>,
    entries: Entries,
    minimum: u64,
    shares: bool,
    cells: Vec<ShelteredCell>,
    shelters: Vec<Shelter>,
    total: GroupSums,
    suppressed: u64,
    /// The cells that hold rows.
    live: Vec<u32>,
    /// The state before each entry was added, while there is a mark to go back to.
    log: Vec<SlabLog>,
    logs: bool,
}

/// A cell with its shelter, its rows in the slab and what they pay for its size.
#[derive(Clone, Copy, Debug)]
struct ShelteredCell {
    shelter: u32,
    rows: u32,
    size: f64,
}

#[derive(Clone, Copy, Debug, Default)]
struct Shelter {
    rows: u64,
    sums: GroupSums,
}

struct SlabLog {
    cell: u32,
    before: ShelteredCell,
    shelter: Shelter,
    total: GroupSums,
    suppressed: u64,
}

impl<'p, 'a> SizeSlab<'p, 'a> {
    /// The slab of a column under one generalization of the others, or under all between two.
    pub fn new(
        problem: &'p SchemeProblem<'a>,
        column: usize,
        groups: &TupleGroups,
        finest: &[Generalization],
        coarsest: Option<&[Generalization]>,
        grouper: &mut Grouper,
    ) -> Self {
        let entries = Entries::new(problem, column, groups, finest, grouper);
        let cells = entries.cells;
        let (mut shelters, mut many): (Vec<u32>, usize) = ((0..cells as u32).collect(), cells);
        if let Some(coarsest) = coarsest {
            let mut of_cell = vec![0; cells];
            entries.entries.iter().zip(&entries.groups).for_each(|(entry, &group)| {
                of_cell[entry.cell as usize] = group;
            });
            let parts: Vec<Option<&Generalization>> =
                coarsest.iter().enumerate().map(|(at, part)| (at != column).then_some(part)).collect();
            (shelters, many) = problem.regroup_some(groups, &of_cell, &parts, grouper);
        }
        SizeSlab {
            problem,
            entries,
            minimum: problem.job.requirements.minimum_size(),
            shares: problem.pricing == SchemePricing::Shares,
            cells: shelters
                .into_iter()
                .map(|shelter| ShelteredCell { shelter, rows: 0, size: 0.0 })
                .collect(),
            shelters: vec![Shelter::default(); many],
            total: GroupSums::default(),
            suppressed: 0,
            live: Vec::new(),
            log: Vec::new(),
            logs: false,
        }
    }
}

impl Slab for SizeSlab<'_, '_> {
    fn add(&mut self, atom: u32) {
        for at in self.entries.of(atom) {
            let entry = self.entries.entries[at];
            let before = self.cells[entry.cell as usize];
            let shelter = before.shelter as usize;
            if self.logs {
                self.log.push(SlabLog {
                    cell: entry.cell,
                    before,
                    shelter: self.shelters[shelter],
                    total: self.total,
                    suppressed: self.suppressed,
                });
            }
            if before.rows == 0 {
                self.live.push(entry.cell);
            }
            let rows = before.rows + entry.rows;
            let size = self.problem.size(rows);
            self.cells[entry.cell as usize] = ShelteredCell { rows, size, ..before };
            let mut more = GroupSums { size: size - before.size, ..GroupSums::default() };
            if self.shares {
                (more.paid, more.slope) = (entry.paid, entry.slope);
            }
            let held = &mut self.shelters[shelter];
            let was = held.rows;
            held.rows += u64::from(entry.rows);
            held.sums.add(&more);
            if was >= self.minimum {
                self.total.add(&more);
            } else if held.rows >= self.minimum {
                let sums = held.sums;
                self.total.add(&sums);
                self.suppressed -= was;
            } else {
                self.suppressed += u64::from(entry.rows);
            }
        }
    }

    fn clear(&mut self) {
        for cell in self.live.drain(..) {
            let cell = &mut self.cells[cell as usize];
            (cell.rows, cell.size) = (0, 0.0);
            self.shelters[cell.shelter as usize] = Shelter::default();
        }
        (self.total, self.suppressed, self.logs) = (GroupSums::default(), 0, false);
        self.log.clear();
    }

    fn mark(&mut self) -> usize {
        self.logs = true;
        self.log.len()
    }

    fn back(&mut self, mark: usize) {
        while self.log.len() > mark {
            let Some(logged) = self.log.pop() else { break };
            self.cells[logged.cell as usize] = logged.before;
            if logged.before.rows == 0 {
                self.live.pop();
            }
            self.shelters[logged.before.shelter as usize] = logged.shelter;
            (self.total, self.suppressed) = (logged.total, logged.suppressed);
        }
    }

    fn value(&mut self, width: f64, _: &dyn Fn() -> Extent) -> (f64, u64) {
        (self.total.size + self.total.paid + width * self.total.slope, self.suppressed)
    }
}

/// The value of a slab when a suppressed row costs the price.
pub(super) fn priced(price: f64, (cost, suppressed): (f64, u64)) -> SchemeCost {
    let cost = match suppressed {
        0 => cost,
        rows => cost + rows as f64 * price,
    };
    SchemeCost { cost, suppressed }
}
