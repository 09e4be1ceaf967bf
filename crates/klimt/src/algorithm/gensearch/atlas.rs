//! Every box that the enumeration meets, once: what it costs, the least it can cost, and how it can be cut.
//!
//! The same box stands for a leaf of very many partitions. A partition tree therefore holds numbers of boxes, and to add
//! a split to a partition is to look its parts up.
//!
//! There are two kinds of atlas. In that of the *space* every box is kept as it is cut, whether rows are in it or not:
//! its partitions are those that the paper enumerates. In that of a *table* a box is shrunk to the finest blocks that
//! hold rows, parts without rows vanish, and a cut that leaves a single part is none. So partitions that differ in empty
//! regions only, which publish the same groups, count as one; and the argument for each partition being met once, as
//! well as that for dropping a partition with a leaf that violates a requirement, stays as it was, with "the rows of a
//! leaf" for "the leaf". A minimum over all partitions that satisfy the requirements is the same in both.

use super::blocks::Blocks;
use super::bound::MinCost;
use super::grid::Grid;
use crate::partition::Job;
use hashbrown::HashMap;

/// The number of a box.
pub(super) type BoxId = u32;

/// A way to cut a box.
#[derive(Clone, Debug)]
pub(super) struct Cut {
    /// The split that does it: of those that would part the box alike, the one of highest priority.
    pub split: u32,
    /// Lower priorities than that which part the box as well, once it is cut like this: parallel or not, no part is
    /// crossed by them any more.
    pub also: Box<[u32]>,
    /// The parts, from left to right.
    pub parts: Box<[BoxId]>,
}

/// What is known of a box.
struct Facts {
    cost: f64,
    least: f64,
    feasible: bool,
    /// Whether `least` is the cost of the best refinement.
    settled: bool,
    cuts: Option<Box<[Cut]>>,
}

impl Facts {
    /// What is known of a box of the space.
    const SPACE: Facts = Facts { cost: 0.0, least: 0.0, feasible: true, settled: true, cuts: None };
}

/// The table of an atlas, with what its boxes are measured by.
struct Rows<'a> {
    blocks: Blocks,
    job: &'a Job<'a>,
    minimum: MinCost<'a>,
    /// Boxes with at most so many boxes inside are settled.
    lookahead: usize,
}

/// The boxes.
pub(super) struct Atlas<'a> {
    pub grid: Grid,
    rows: Option<Rows<'a>>,
    words: Vec<u32>,
    facts: Vec<Facts>,
    numbers: HashMap<Box<[u32]>, BoxId>,
    bytes: usize,
    broken_off: bool,
}

/// How deep a box is looked into. No partition that can be searched in full has as many splits on a path.
const DEPTH: usize = 256;

/// The number of the box that everything starts with.
pub(super) const ROOT: BoxId = 0;

impl<'a> Atlas<'a> {
    /// The boxes of the space, with or without rows.
    pub fn of_space(grid: Grid) -> Self {
        let whole = grid.whole();
        let mut atlas = Atlas::empty(grid, None);
        atlas.number(whole, |_| Facts::SPACE);
        atlas
    }

    /// The boxes of a table that has rows; those with at most `lookahead` boxes inside are settled when they are cut.
    pub fn of_rows(grid: Grid, blocks: Blocks, job: &'a Job<'a>, lookahead: usize) -> Self {
        let minimum = MinCost::new(job, &blocks);
        let every: Vec<u32> = (0..blocks.len() as u32).collect();
        let whole = blocks.tight(&grid, &every);
        let mut atlas = Atlas::empty(grid, Some(Rows { blocks, job, minimum, lookahead }));
        atlas.number(whole, |rows| measure(rows, &every));
        atlas
    }

    fn empty(grid: Grid, rows: Option<Rows<'a>>) -> Self {
        Atlas {
            grid,
            rows,
            words: Vec::new(),
            facts: Vec::new(),
            numbers: HashMap::new(),
            bytes: 0,
            broken_off: false,
        }
    }

    /// The words of a box.
    #[inline]
    pub fn space(&self, number: BoxId) -> &[u32] {
        &self.words[number as usize * self.grid.words..][..self.grid.words]
    }

    /// Whether a split cuts a box in parts.
    #[inline]
    pub fn crosses(&self, number: BoxId, split: u32) -> bool {
        self.grid.crosses(self.space(number), split)
    }

    /// What the rows of a box cost as a group.
    #[inline]
    pub fn cost(&self, number: BoxId) -> f64 {
        self.facts[number as usize].cost
    }

    /// The least that any refinement of a box costs: `MinCost` (section 3.1.1).
    #[inline]
    pub fn least(&self, number: BoxId) -> f64 {
        self.facts[number as usize].least
    }

    /// The cuts of a box, by the id of their split, ascending.
    pub fn cuts(&mut self, number: BoxId) -> &[Cut] {
        if self.facts[number as usize].cuts.is_none() {
            self.cut(number);
            self.settle(number, DEPTH);
            for part in self.parts(number) {
                self.settle(part, DEPTH);
            }
        }
        self.known_cuts(number)
    }

    /// Whether some cuts were not looked for, as the search was over: what would rest on them is not known.
    pub fn is_broken_off(&self) -> bool {
        self.broken_off
    }

    /// Whether time, memory or patience have run out.
    fn is_over(&self) -> bool {
        let over = |rows: &Rows<'_>| rows.job.stops() || self.bytes > rows.job.budget.bytes / 2;
        self.broken_off || self.rows.as_ref().is_some_and(over)
    }

    fn cut(&mut self, number: BoxId) {
        let cuts = self.find_cuts(number);
        let size = |cut: &Cut| size_of::<Cut>() + (cut.also.len() + cut.parts.len()) * size_of::<u32>();
        self.bytes += cuts.iter().map(size).sum::<usize>();
        self.facts[number as usize].cuts = Some(cuts.into());
    }

    /// All parts that cuts make of a box, those of each cut one after the other.
    fn parts(&self, number: BoxId) -> Vec<BoxId> {
        self.known_cuts(number).iter().flat_map(|cut| &cut.parts).copied().collect()
    }

    /// Raises the lower bound of a box to what the best refinement costs, where there are few boxes inside: a box costs
    /// at least what it costs undivided, or what its parts cost after one of its cuts. Which of these cuts are legal in
    /// a partition tree does not matter to a lower bound.
    fn settle(&mut self, number: BoxId, depth: usize) {
        let Some(rows) = &self.rows else { return };
        let within = self.grid.boxes_within(self.space(number));
        let facts = &self.facts[number as usize];
        if facts.settled || !facts.feasible || depth == 0 || within > rows.lookahead as f64 || self.is_over()
        {
            return;
        }
        if facts.cuts.is_none() {
            self.cut(number);
        }
        let mut settled = true;
        for part in self.parts(number) {
            self.settle(part, depth - 1);
            settled &= self.facts[part as usize].settled;
        }
        if self.broken_off {
            return;
        }
        let after = |cut: &Cut| cut.parts.iter().map(|&part| self.least(part)).sum::<f64>();
        let best = self.known_cuts(number).iter().map(after).fold(self.cost(number), f64::min);
        let facts = &mut self.facts[number as usize];
        (facts.least, facts.settled) = (facts.least.max(best), settled);
    }

    /// The cuts of a box whose cuts have been asked for.
    #[inline]
    pub fn known_cuts(&self, number: BoxId) -> &[Cut] {
        self.facts[number as usize]
            .cuts
            .as_deref()
            .expect("the cuts of a leaf are found before it is looked at")
    }

    /// How much memory it takes.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    fn find_cuts(&mut self, number: BoxId) -> Vec<Cut> {
        let space = self.space(number).to_vec();
        let available = self.grid.available(&space);
        let inside = self.rows.as_ref().map(|rows| rows.blocks.within(&self.grid, &space));
        let mut cuts = Vec::new();
        for &split in &available {
            if self.is_over() {
                self.broken_off = true;
                break;
            }
            let parts = match &inside {
                None => self.parts_of_space(&space, split),
                Some(inside) => match self.parts_of_rows(inside, split) {
                    Some(parts) => parts,
                    None => continue,
                },
            };
            let gone = |&&other: &&u32| parts.iter().all(|&part| !self.crosses(part, other));
            let also: Box<[u32]> =
                available.iter().filter(|&&other| other != split).filter(gone).copied().collect();
            if also.first().is_none_or(|&first| first > split) {
                cuts.push(Cut { split, also, parts: parts.into() });
            }
        }
        cuts
    }

    fn parts_of_space(&mut self, space: &[u32], split: u32) -> Vec<BoxId> {
        let parts = self.grid.parts(space, split);
        let number = |part| self.number(part, |_| Facts::SPACE);
        parts.into_iter().map(number).collect()
    }

    /// The parts that hold rows, where there are several and each satisfies the requirements.
    fn parts_of_rows(&mut self, inside: &[u32], split: u32) -> Option<Vec<BoxId>> {
        let rows = self.rows.as_ref()?;
        let dimension = self.grid.splits[split as usize].dimension;
        let mut parts = vec![Vec::new(); self.grid.part_count(split)];
        for &block in inside {
            parts[self.grid.part_of(split, rows.blocks.cells(block)[dimension])].push(block);
        }
        parts.retain(|part| !part.is_empty());
        if parts.len() < 2 {
            return None;
        }
        let spaces: Vec<Vec<u32>> = parts.iter().map(|part| rows.blocks.tight(&self.grid, part)).collect();
        let mut numbers = Vec::with_capacity(parts.len());
        for (part, space) in parts.iter().zip(spaces) {
            let number = self.number(space, |rows| measure(rows, part));
            if !self.facts[number as usize].feasible {
                return None;
            }
            numbers.push(number);
        }
        Some(numbers)
    }

    fn number(&mut self, space: Vec<u32>, facts: impl FnOnce(Option<&Rows<'a>>) -> Facts) -> BoxId {
        if let Some(&number) = self.numbers.get(space.as_slice()) {
            return number;
        }
        let number = self.facts.len() as BoxId;
        self.words.extend_from_slice(&space);
        self.facts.push(facts(self.rows.as_ref()));
        self.bytes += 2 * space.len() * 4 + size_of::<Facts>() + 2 * size_of::<(Box<[u32]>, BoxId)>();
        self.numbers.insert(space.into(), number);
        number
    }
}

/// What is known of the rows of some blocks. A box is shrunk to its blocks, so two boxes with the same rows are one.
fn measure(rows: Option<&Rows<'_>>, blocks: &[u32]) -> Facts {
    let rows = rows.expect("only a table has rows to measure");
    let statistics = rows.blocks.merged(blocks);
    let feasible = rows.job.requirements.satisfied(&statistics);
    if !feasible {
        return Facts { cost: f64::INFINITY, least: f64::INFINITY, feasible, settled: true, cuts: None };
    }
    let cost = rows.job.loss.group(&statistics);
    let least = rows.minimum.of(&statistics, blocks, cost);
    Facts { cost, least, feasible, settled: least >= cost, cuts: None }
}
