//! The groups of a slab: the rows whose values in one column are in one block, under a generalization of the others.
//!
//! A slab grows value by value and shrinks again, and says at any time what its groups cost in sum. Each *cell* (a
//! combination of blocks of the other columns) makes one group of the slab. In a scope, cells are those of the finest
//! generalization, and a *shelter* is a cell of the coarsest one: what shares too small a shelter is suppressed
//! throughout. A single generalization is its own shelter.

use super::bound::Priced;
use super::family::Generalization;
use super::groups::Groups;
use super::keys::Grouper;
use super::problem::{Pricing, Problem};
use super::tuples::gather;
use crate::statistics::{Extent, Statistics};

/// A slab that grows and shrinks.
pub(super) trait Slab {
    /// Takes in the rows of an atom.
    fn add(&mut self, atom: u32);
    /// Where it can go back to.
    fn mark(&self) -> usize;
    /// Forgets what has been added since.
    fn back(&mut self, mark: usize);
    /// What its groups cost in sum when the block has the width and the extent, with the rows suppressed.
    fn value(&mut self, width: f64, extent: &dyn Fn() -> Extent) -> (f64, u64);
}

/// Sums over the rows of some groups.
#[derive(Clone, Copy, Debug, Default)]
struct Sums {
    /// What sizes cost.
    size: f64,
    /// What rows pay in the other columns, less what they are spared.
    paid: f64,
    /// What rows pay per unit of width in the column of the slab.
    slope: f64,
}

impl Sums {
    #[inline]
    fn add(&mut self, other: &Sums) {
        self.size += other.size;
        self.paid += other.paid;
        self.slope += other.slope;
    }
}

/// Rows of one atom in one cell.
#[derive(Clone, Copy, Debug)]
struct Entry {
    cell: u32,
    rows: u32,
    paid: f64,
    slope: f64,
}

/// The entries by atom.
struct Entries {
    entries: Vec<Entry>,
    ends: Vec<usize>,
    /// The group that each entry was.
    groups: Vec<u32>,
    cells: usize,
}

impl Entries {
    /// `groups` are those under the finest generalization of the other columns and the atoms of this one.
    fn new(
        problem: &Problem<'_>,
        column: usize,
        groups: &Groups,
        finest: &[Generalization],
        grouper: &mut Grouper,
    ) -> Self {
        let parts: Vec<Option<&Generalization>> =
            finest.iter().enumerate().map(|(at, part)| (at != column).then_some(part)).collect();
        let (cells, many) = grouper.group(&problem.layout, &problem.tuples, &groups.tuples, &parts);
        let atoms = problem.tuples.atoms(column);
        let of_group: Vec<u32> = groups.tuples.iter().map(|&tuple| atoms[tuple as usize]).collect();
        let (order, ends) = gather(&of_group, problem.families[column].atoms());
        let paid = paid(problem, column, groups, finest);
        let entry = |&group: &u32| {
            let group = group as usize;
            let shares = problem.pricing == Pricing::Shares;
            Entry {
                cell: cells[group],
                rows: groups.rows[group],
                paid: paid.get(group).copied().unwrap_or(0.0),
                slope: if shares { groups.slope(column, group) } else { 0.0 },
            }
        };
        Entries { entries: order.iter().map(entry).collect(), ends, groups: order, cells: many }
    }

    fn of(&self, atom: u32) -> std::ops::Range<usize> {
        let start = if atom == 0 { 0 } else { self.ends[atom as usize - 1] };
        start..self.ends[atom as usize]
    }
}

/// What the rows of every group pay in the other columns, less what they are spared.
fn paid(problem: &Problem<'_>, column: usize, groups: &Groups, finest: &[Generalization]) -> Vec<f64> {
    if problem.pricing != Pricing::Shares {
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
pub(super) struct Counted<'p, 'a> {
    problem: &'p Problem<'a>,
    entries: Entries,
    minimum: u64,
    /// By cell: its shelter, and its rows in the slab.
    shelters: Vec<u32>,
    rows: Vec<u32>,
    /// By shelter.
    sheltered: Vec<(u64, Sums)>,
    total: Sums,
    suppressed: u64,
    log: Vec<Logged>,
}

struct Logged {
    cell: u32,
    rows: u32,
    sheltered: (u64, Sums),
    total: Sums,
    suppressed: u64,
}

impl<'p, 'a> Counted<'p, 'a> {
    /// The slab of a column under one generalization of the others, or under all between two.
    pub fn new(
        problem: &'p Problem<'a>,
        column: usize,
        groups: &Groups,
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
                of_cell[entry.cell as usize] = groups.tuples[group as usize];
            });
            let parts: Vec<Option<&Generalization>> =
                coarsest.iter().enumerate().map(|(at, part)| (at != column).then_some(part)).collect();
            (shelters, many) = grouper.group(&problem.layout, &problem.tuples, &of_cell, &parts);
        }
        Counted {
            problem,
            entries,
            minimum: problem.job.requirements.minimum_size(),
            shelters,
            rows: vec![0; cells],
            sheltered: vec![(0, Sums::default()); many],
            total: Sums::default(),
            suppressed: 0,
            log: Vec::new(),
        }
    }

    /// The least that rows of one cell pay for its size.
    #[inline]
    fn size(&self, rows: u32) -> f64 {
        if self.problem.pricing != Pricing::Size || rows == 0 {
            return 0.0;
        }
        let size = u64::from(rows).max(self.minimum);
        self.problem.job.loss.size(size).unwrap_or(0.0) / size as f64 * f64::from(rows)
    }
}

impl Slab for Counted<'_, '_> {
    fn add(&mut self, atom: u32) {
        for at in self.entries.of(atom) {
            let entry = self.entries.entries[at];
            let (cell, shelter) = (entry.cell as usize, self.shelters[entry.cell as usize] as usize);
            self.log.push(Logged {
                cell: entry.cell,
                rows: self.rows[cell],
                sheltered: self.sheltered[shelter],
                total: self.total,
                suppressed: self.suppressed,
            });
            let before = self.rows[cell];
            self.rows[cell] = before + entry.rows;
            let more = Sums {
                size: self.size(before + entry.rows) - self.size(before),
                paid: entry.paid,
                slope: entry.slope,
            };
            let (rows, sums) = &mut self.sheltered[shelter];
            let was = *rows;
            *rows += u64::from(entry.rows);
            sums.add(&more);
            if was >= self.minimum {
                self.total.add(&more);
            } else if *rows >= self.minimum {
                self.total.add(sums);
                self.suppressed -= was;
            } else {
                self.suppressed += u64::from(entry.rows);
            }
        }
    }

    fn mark(&self) -> usize {
        self.log.len()
    }

    fn back(&mut self, mark: usize) {
        while self.log.len() > mark {
            let Some(logged) = self.log.pop() else { break };
            self.rows[logged.cell as usize] = logged.rows;
            self.sheltered[self.shelters[logged.cell as usize] as usize] = logged.sheltered;
            (self.total, self.suppressed) = (logged.total, logged.suppressed);
        }
    }

    fn value(&mut self, width: f64, _: &dyn Fn() -> Extent) -> (f64, u64) {
        (self.total.size + self.total.paid + width * self.total.slope, self.suppressed)
    }
}

/// A slab whose groups are judged, or priced, by their statistics.
pub(super) struct Collected<'p, 'a> {
    problem: &'p Problem<'a>,
    column: usize,
    groups: &'p Groups,
    entries: Entries,
    /// By cell.
    cells: Vec<Cell>,
    /// The extents of the other columns by cell, where the loss looks at them.
    extents: Vec<Vec<Extent>>,
    /// The cells that hold rows.
    live: Vec<u32>,
    log: Vec<(u32, Cell)>,
}

#[derive(Clone, Debug, Default)]
struct Cell {
    statistics: Option<Statistics>,
    sums: Sums,
    /// Whether the requirements hold, where that has been looked at.
    satisfied: Option<bool>,
}

impl<'p, 'a> Collected<'p, 'a> {
    pub fn new(
        problem: &'p Problem<'a>,
        column: usize,
        groups: &'p Groups,
        parts: &[Generalization],
        grouper: &mut Grouper,
    ) -> Self {
        let entries = Entries::new(problem, column, groups, parts, grouper);
        let mut extents = Vec::new();
        if problem.pricing == Pricing::Statistics && !problem.job.loss.needs().extents.is_empty() {
            extents = vec![Vec::new(); entries.cells];
            for (entry, &group) in entries.entries.iter().zip(&entries.groups) {
                let tuple = groups.tuples[group as usize] as usize;
                let block = |(column, part): (usize, &Generalization)| {
                    let first = part.0[problem.tuples.atoms(column)[tuple] as usize];
                    let atoms: Vec<u32> =
                        (0..part.0.len() as u32).filter(|&atom| part.0[atom as usize] == first).collect();
                    problem.extent(column, &atoms)
                };
                if extents[entry.cell as usize].is_empty() {
                    extents[entry.cell as usize] = parts.iter().enumerate().map(block).collect();
                }
            }
        }
        let cells = vec![Cell::default(); entries.cells];
        Collected { problem, column, groups, entries, cells, extents, live: Vec::new(), log: Vec::new() }
    }
}

impl Slab for Collected<'_, '_> {
    fn add(&mut self, atom: u32) {
        for at in self.entries.of(atom) {
            let entry = self.entries.entries[at];
            let cell = &mut self.cells[entry.cell as usize];
            self.log.push((entry.cell, cell.clone()));
            let part = &self.groups.statistics[self.entries.groups[at] as usize];
            match &mut cell.statistics {
                Some(whole) => whole.merge(part),
                none => {
                    *none = Some(part.clone());
                    self.live.push(entry.cell);
                }
            }
            cell.sums.add(&Sums { size: 0.0, paid: entry.paid, slope: entry.slope });
            cell.satisfied = None;
        }
    }

    fn mark(&self) -> usize {
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
        for &at in &self.live {
            let at = at as usize;
            let cell = &mut self.cells[at];
            let Some(statistics) = &cell.statistics else { continue };
            if !*cell.satisfied.get_or_insert_with(|| problem.job.requirements.satisfied(statistics)) {
                suppressed += statistics.count;
                continue;
            }
            cost += match problem.pricing {
                Pricing::Size => problem.job.loss.size(statistics.count).unwrap_or(0.0),
                Pricing::Shares => cell.sums.paid + width * cell.sums.slope,
                Pricing::Statistics => {
                    let mut blocks: Vec<&Extent> =
                        self.extents.get(at).map_or_else(Vec::new, |extents| extents.iter().collect());
                    if let Some(block) = blocks.get_mut(self.column) {
                        *block = &own;
                    }
                    problem.cost_of(statistics, &blocks)
                }
            };
        }
        (cost, suppressed)
    }
}

/// The value of a slab when a suppressed row costs the price.
pub(super) fn priced(price: f64, (cost, suppressed): (f64, u64)) -> Priced {
    let cost = match suppressed {
        0 => cost,
        rows => cost + rows as f64 * price,
    };
    Priced { cost, suppressed }
}
