//! Every box that the enumeration meets, once: what it costs, the least it can cost, and how it can be cut.
//!
//! The same box stands for a leaf of very many partitions. A partition tree therefore holds numbers of boxes, and to add
//! a split to a partition is to look its parts up.
//!
//! There are two kinds of atlas. In that of the *space* every box is kept as it is cut, whether rows are in it or not: its
//! partitions are those that the paper enumerates. In that of a *table* a box is shrunk to the finest blocks that hold
//! rows, parts without rows vanish, and a cut that leaves a single part is none. So partitions that differ in empty regions
//! only, which publish the same groups, count as one; and the argument for each partition being met once, as well as that
//! for dropping a partition with a leaf that violates a requirement, stays as it was, with "the rows of a leaf" for "the
//! leaf". A minimum over all partitions that satisfy the requirements is the same in both. Where widths are required of
//! boundaries, two boxes with the same rows are not the same: in such dimensions boxes are kept as they are cut, and only a
//! cut without rows on one side is none, as what it leaves is narrower for nothing.

use super::blocks::FinestBlocks;
use super::bound::MinCost;
use super::grid::{CellShape, CellSide, SplitGrid};
use super::sweep::{BoxSweep, Slice};
use crate::cut::admits;
use crate::job::Job;
use hashbrown::HashMap;
use std::borrow::Borrow;

/// The number of a box.
pub(super) type BoxId = u32;

/// A way to cut a box.
#[derive(Clone, Debug)]
pub(super) struct AtlasCut {
    /// The split that does it: of those that would part the box alike, the one of highest priority.
    pub split: u32,
    /// Lower priorities than that which part the box as well, once it is cut like this: parallel or not, no part is
    /// crossed by them any more.
    pub also: Box<[u32]>,
    /// The parts, from left to right.
    pub parts: Box<[BoxId]>,
}

/// Counts, costs and cuts of a box.
struct AtlasEntry {
    rows: u64,
    cost: f64,
    /// The cost of the box if the few rows with missing values had none missing.
    complete: f64,
    least: f64,
    /// The cost of the best known refinement, and its first cut, or [`UNCUT`].
    reached: f64,
    choice: u32,
    feasible: bool,
    /// Whether `least` is the cost of the best refinement.
    settled: bool,
    /// Whether it has been gone down from.
    dived: bool,
    cuts: Option<Box<[AtlasCut]>>,
}

/// No cut: the box as it is.
const UNCUT: u32 = u32::MAX;

impl AtlasEntry {
    /// A box that has not been cut yet.
    fn new(rows: u64, cost: f64, least: f64, feasible: bool) -> Self {
        let settled = least >= cost;
        let (complete, reached, choice) = (cost, cost, UNCUT);
        AtlasEntry {
            rows,
            cost,
            complete,
            least,
            reached,
            choice,
            feasible,
            settled,
            dived: false,
            cuts: None,
        }
    }

    /// The entry of a box of the space.
    fn of_space() -> Self {
        AtlasEntry::new(0, 0.0, 0.0, true)
    }
}

/// The table of an atlas, with what its boxes are measured by.
struct AtlasRows<'a> {
    blocks: FinestBlocks,
    job: &'a Job<'a>,
    minimum: MinCost<'a>,
    /// Boxes with at most this many boxes inside are settled.
    lookahead: usize,
}

/// The boxes.
pub(super) struct Atlas<'a> {
    pub grid: SplitGrid,
    rows: Option<AtlasRows<'a>>,
    words: Vec<u32>,
    facts: Vec<AtlasEntry>,
    numbers: HashMap<Box<[u32]>, BoxId>,
    bytes: usize,
    broken_off: bool,
}

/// How deep a box is looked into. No partition that can be searched in full has as many splits on a path.
const DEPTH: usize = 256;

/// The power of the number of groups with which regions are taken to shrink, as in the searches of `optimal`.
const SHRINKING: f64 = 1.0 / 6.0;

/// The number of the box that everything starts with.
pub(super) const ROOT: BoxId = 0;

impl<'a> Atlas<'a> {
    /// The boxes of the space, with or without rows.
    pub fn of_space(grid: SplitGrid) -> Self {
        let whole = grid.whole();
        let mut atlas = Atlas::empty(grid, None);
        atlas.number(whole, |_| AtlasEntry::of_space());
        atlas
    }

    /// The boxes of a table that has rows; those with at most `lookahead` boxes inside are settled when they are cut.
    pub fn of_rows(grid: SplitGrid, blocks: FinestBlocks, job: &'a Job<'a>, lookahead: usize) -> Self {
        let minimum = MinCost::new(job, &blocks, lookahead == 0);
        let every: Vec<u32> = (0..blocks.len() as u32).collect();
        let whole = Slice::of(&blocks, &minimum, &grid, &every);
        let mut atlas = Atlas::empty(grid, Some(AtlasRows { blocks, job, minimum, lookahead }));
        let around = atlas.grid.whole();
        atlas.number_of(&whole, &around);
        atlas
    }

    /// The parts that a split makes of a box with these blocks, each with its own, where each satisfies the requirements.
    pub fn divide(&mut self, number: BoxId, inside: &[u32], split: u32) -> Option<Vec<(BoxId, Vec<u32>)>> {
        let AtlasRows { blocks, minimum, .. } = self.rows.as_ref()?;
        let dimension = self.grid.splits[split as usize].dimension;
        let mut parts = vec![Vec::new(); self.grid.part_count(split)];
        for &block in inside {
            parts[self.grid.part_of(split, blocks.cells(block)[dimension])].push(block);
        }
        let mut around = self.grid.parts(self.space(number), split);
        let mut held = parts.iter().map(|part| !part.is_empty());
        around.retain(|_| held.next() == Some(true));
        parts.retain(|part| !part.is_empty());
        let slices: Vec<Slice> =
            parts.iter().map(|part| Slice::of(blocks, minimum, &self.grid, part)).collect();
        let numbers = self.parts_of_rows(&slices, &around)?;
        Some(numbers.into_iter().zip(parts).collect())
    }

    /// The blocks of the whole space.
    pub fn blocks(&self) -> Vec<u32> {
        self.inside(ROOT, None)
    }

    /// How many boxes have been met.
    pub fn boxes(&self) -> u64 {
        self.facts.len() as u64
    }

    fn empty(grid: SplitGrid, rows: Option<AtlasRows<'a>>) -> Self {
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

    /// The cost of the rows of a box as one group.
    #[inline]
    pub fn cost(&self, number: BoxId) -> f64 {
        self.facts[number as usize].cost
    }

    /// The least that any refinement of a box costs: `MinCost` (section 3.1.1).
    #[inline]
    pub fn least(&self, number: BoxId) -> f64 {
        self.facts[number as usize].least
    }

    /// The cost of the best known refinement of a box.
    #[inline]
    pub fn reached(&self, number: BoxId) -> f64 {
        self.facts[number as usize].reached
    }

    /// The cut that this refinement starts with; none where it is the box as it is.
    pub fn choice(&self, number: BoxId) -> Option<u32> {
        Some(self.facts[number as usize].choice).filter(|&choice| choice != UNCUT)
    }

    /// The cuts of a box, by the id of their split, ascending.
    pub fn cuts(&mut self, number: BoxId) -> &[AtlasCut] {
        if self.facts[number as usize].cuts.is_none() {
            let inside = self.inside(number, None);
            self.open(number, &inside);
        }
        self.known_cuts(number)
    }

    /// Finds the cuts of a box with these blocks, and settles what has few boxes inside.
    fn open(&mut self, number: BoxId, inside: &[u32]) {
        if self.facts[number as usize].cuts.is_some() {
            return;
        }
        self.cut(number, inside);
        self.settle(number, inside, DEPTH);
        for part in self.parts(number) {
            self.settle(part, inside, DEPTH);
        }
        self.raise(number);
    }

    /// The blocks of a box, which some hold.
    fn inside(&self, number: BoxId, some: Option<&[u32]>) -> Vec<u32> {
        let Some(rows) = &self.rows else { return Vec::new() };
        let space = self.space(number);
        match some {
            Some(some) => rows.blocks.within(&self.grid, space, some.iter().copied()),
            None => rows.blocks.within(&self.grid, space, 0..rows.blocks.len() as u32),
        }
    }

    /// Whether some cuts were not looked for, as the search was over: what would rest on them is not known.
    pub fn is_broken_off(&self) -> bool {
        self.broken_off
    }

    /// Whether time, memory or patience have run out.
    pub fn is_over(&self) -> bool {
        let over = |rows: &AtlasRows<'_>| rows.job.stops() || self.bytes > rows.job.budget.bytes / 2;
        self.broken_off || self.rows.as_ref().is_some_and(over)
    }

    fn cut(&mut self, number: BoxId, inside: &[u32]) {
        let cuts = self.find_cuts(number, inside);
        let size =
            |cut: &AtlasCut| size_of::<AtlasCut>() + (cut.also.len() + cut.parts.len()) * size_of::<u32>();
        self.bytes += cuts.iter().map(size).sum::<usize>();
        self.facts[number as usize].cuts = Some(cuts.into());
    }

    /// All parts that cuts make of a box, those of each cut one after the other.
    fn parts(&self, number: BoxId) -> Vec<BoxId> {
        self.known_cuts(number).iter().flat_map(|cut| &cut.parts).copied().collect()
    }

    /// Finds what the best refinement of a box costs, where there are few boxes inside.
    fn settle(&mut self, number: BoxId, around: &[u32], depth: usize) {
        let Some(rows) = &self.rows else { return };
        let within = self.grid.boxes_within(self.space(number));
        let facts = &self.facts[number as usize];
        if facts.settled || !facts.feasible || depth == 0 || within > rows.lookahead as f64 || self.is_over()
        {
            return;
        }
        let inside = self.inside(number, Some(around));
        if self.facts[number as usize].cuts.is_none() {
            self.cut(number, &inside);
        }
        let mut settled = true;
        for part in self.parts(number) {
            self.settle(part, &inside, depth - 1);
            settled &= self.facts[part as usize].settled;
        }
        self.raise(number);
        self.facts[number as usize].settled |= settled && !self.broken_off;
    }

    /// Raises the lower bound of a box whose cuts are known: a refinement costs at least what the box costs undivided, or
    /// what its parts cost after one of its cuts. Which of these cuts are legal in a partition tree does not matter to a
    /// lower bound. What was reached in the parts is reached in the box.
    fn raise(&mut self, number: BoxId) {
        let looks_ahead = self.rows.as_ref().is_some_and(|rows| rows.lookahead > 0);
        if looks_ahead && !self.broken_off {
            let after = |cut: &AtlasCut| cut.parts.iter().map(|&part| self.least(part)).sum::<f64>();
            let best = self.known_cuts(number).iter().map(after).fold(self.cost(number), f64::min);
            let facts = &mut self.facts[number as usize];
            facts.least = facts.least.max(best);
        }
        self.reach(number);
        let facts = &mut self.facts[number as usize];
        facts.settled |= facts.least >= facts.reached;
    }

    /// Takes the best of what is reached in the parts of a box, after any of its cuts.
    fn reach(&mut self, number: BoxId) {
        let reached = |cut: &AtlasCut| cut.parts.iter().map(|&part| self.reached(part)).sum::<f64>();
        let costs = (0..).zip(self.known_cuts(number).iter().map(reached));
        if let Some((choice, cost)) = costs.min_by(|a, b| a.1.total_cmp(&b.1))
            && cost < self.reached(number)
        {
            let facts = &mut self.facts[number as usize];
            (facts.reached, facts.choice) = (cost, choice);
        }
    }

    /// Goes down from a box: cuts it where the parts promise most, and these in turn, until nothing can be cut. What was
    /// reached on the way is remembered, so that a box is gone down from once. Returns what is reached.
    pub fn dive(&mut self, number: BoxId) -> f64 {
        if !self.facts[number as usize].dived {
            let inside = self.inside(number, None);
            self.dive_into(number, &inside, DEPTH);
        }
        self.reached(number)
    }

    fn dive_into(&mut self, number: BoxId, around: &[u32], depth: usize) {
        let AtlasEntry { dived, settled, .. } = self.facts[number as usize];
        if dived || settled || depth == 0 || self.is_over() {
            return;
        }
        self.facts[number as usize].dived = true;
        let inside = self.inside(number, Some(around));
        self.open(number, &inside);
        let promise = |cut: &&AtlasCut| cut.parts.iter().map(|&part| self.promise(part)).sum::<f64>();
        let even = |cut: &&AtlasCut| cut.parts.iter().map(|&part| self.facts[part as usize].rows).max();
        let better = |a: &&AtlasCut, b: &&AtlasCut| {
            promise(a).total_cmp(&promise(b)).then_with(|| even(a).cmp(&even(b)))
        };
        let Some(cut) = self.known_cuts(number).iter().min_by(better) else { return };
        for part in cut.parts.clone() {
            self.dive_into(part, &inside, depth - 1);
        }
        self.reach(number);
    }

    /// Expected cost of a box. Where requirements look at more than sizes, its regions shrink with a root of
    /// the number of groups.
    fn promise(&self, number: BoxId) -> f64 {
        let AtlasEntry { rows, complete, least, .. } = self.facts[number as usize];
        let Some(AtlasRows { job, .. }) = &self.rows else { return complete };
        let k = job.requirements.minimum_size();
        if job.loss.size(1).is_some() || rows < 2 * k {
            return least;
        }
        (complete * (k as f64 / rows as f64).powf(SHRINKING)).max(least)
    }

    /// The cuts of a box whose cuts have been asked for.
    #[inline]
    pub fn known_cuts(&self, number: BoxId) -> &[AtlasCut] {
        self.facts[number as usize]
            .cuts
            .as_deref()
            .expect("the cuts of a leaf are found before it is looked at")
    }

    /// How much memory it takes.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    fn find_cuts(&mut self, number: BoxId, inside: &[u32]) -> Vec<AtlasCut> {
        let space = self.space(number).to_vec();
        let available = self.grid.available(&space);
        let dimension = |split: u32| self.grid.splits[split as usize].dimension;
        let by_dimension: Vec<&[u32]> = available.chunk_by(|&a, &b| dimension(a) == dimension(b)).collect();
        let mut cuts = Vec::new();
        for splits in by_dimension {
            let dimension = self.grid.splits[splits[0] as usize].dimension;
            let sweep = self.rows.as_ref().map(|AtlasRows { blocks, minimum, .. }| {
                BoxSweep::new(blocks, minimum, &self.grid, inside, dimension)
            });
            let is_ordered = matches!(self.grid.axes[dimension].shape, CellShape::Ordered);
            let sides = sweep.as_ref().filter(|_| is_ordered).map(|sweep| {
                let cells = || sweep.cells.iter().enumerate();
                let mut from = self.accumulated(cells().rev(), &space, dimension, CellSide::From);
                from.reverse();
                (self.accumulated(cells(), &space, dimension, CellSide::UpTo), from)
            });
            for &split in splits {
                if self.is_over() {
                    self.broken_off = true;
                    return cuts;
                }
                let parts = match (&sweep, &sides) {
                    (None, _) => Some(self.parts_of_space(&space, split)),
                    (_, Some((up_to, from))) => {
                        let at = self.grid.splits[split as usize].at as usize;
                        let both = up_to[at].zip(from[at + 1]).map(|(left, right)| vec![left, right]);
                        both.filter(|parts| parts.iter().all(|&part| self.facts[part as usize].feasible))
                    }
                    (Some(sweep), None) => {
                        let parts = sweep.parts(&self.grid, split);
                        let around = vec![space.clone(); parts.len()];
                        self.parts_of_rows(&parts, &around)
                    }
                };
                let Some(parts) = parts else { continue };
                let gone = |&&other: &&u32| parts.iter().all(|&part| !self.crosses(part, other));
                let also: Box<[u32]> =
                    available.iter().filter(|&&other| other != split).filter(gone).copied().collect();
                if also.first().is_none_or(|&first| first > split) {
                    cuts.push(AtlasCut { split, also, parts: parts.into() });
                }
            }
        }
        cuts
    }

    fn parts_of_space(&mut self, space: &[u32], split: u32) -> Vec<BoxId> {
        let parts = self.grid.parts(space, split);
        let number = |part| self.number(part, |_| AtlasEntry::of_space());
        parts.into_iter().map(number).collect()
    }

    /// The boxes of the rows of each slice and those before it, which lie on one side of its cell. One after the other, as
    /// all of them together may take more memory than the rows.
    fn accumulated<'c>(
        &mut self,
        slices: impl Iterator<Item = (usize, &'c Option<Slice>)>,
        space: &[u32],
        dimension: usize,
        side: CellSide,
    ) -> Vec<Option<BoxId>> {
        let cells = self.grid.cells(space, dimension);
        let restricted =
            |cell: u32| self.grid.restricted.contains(&dimension) && cells.binary_search(&cell).is_ok();
        let restricted: Vec<bool> =
            (0..self.grid.axes[dimension].last_code.len() as u32).map(restricted).collect();
        let (mut all, mut number): (Option<Slice>, _) = (None, None);
        let mut numbers = Vec::new();
        for (cell, slice) in slices {
            if let Some(slice) = slice {
                match &mut all {
                    Some(all) => all.merge(slice),
                    None => all = Some(slice.clone()),
                }
            }
            // A cell without rows moves the boundaries all the same.
            if slice.is_some() || restricted[cell] {
                self.broken_off |= self.is_over();
                let around = self.grid.beside(space, dimension, cell as u32, side);
                let known = all.as_ref().filter(|_| !self.broken_off);
                number = known.map(|all| self.number_of(all, &around));
            }
            numbers.push(number);
        }
        numbers
    }

    /// The parts of a box that hold rows, where there are several and each satisfies the requirements.
    fn parts_of_rows(&mut self, parts: &[impl Borrow<Slice>], around: &[Vec<u32>]) -> Option<Vec<BoxId>> {
        if parts.len() < 2 {
            return None;
        }
        let mut numbers = Vec::with_capacity(parts.len());
        for (part, around) in parts.iter().zip(around) {
            let number = self.number_of(part.borrow(), around);
            if !self.facts[number as usize].feasible {
                return None;
            }
            numbers.push(number);
        }
        Some(numbers)
    }

    /// The number of the box of these rows, in a box around them.
    fn number_of(&mut self, slice: &Slice, around: &[u32]) -> BoxId {
        let space = self.grid.tight(&slice.hull, around);
        let is_wide = self.is_wide(&space);
        self.number(space, |rows| measure(rows, slice, is_wide))
    }

    /// Whether the boundaries of a box are as wide as the requirements ask for.
    fn is_wide(&self, space: &[u32]) -> bool {
        let Some(AtlasRows { job, .. }) = &self.rows else { return true };
        self.grid.restricted.iter().all(|&dimension| {
            let (lo, hi) = self.grid.ends(space, dimension);
            admits(job.requirements, job.table.domain(dimension), dimension, lo, hi)
        })
    }

    fn number(&mut self, space: Vec<u32>, facts: impl FnOnce(Option<&AtlasRows<'a>>) -> AtlasEntry) -> BoxId {
        if let Some(&number) = self.numbers.get(space.as_slice()) {
            return number;
        }
        let number = self.facts.len() as BoxId;
        self.words.extend_from_slice(&space);
        self.facts.push(facts(self.rows.as_ref()));
        self.bytes += 2 * space.len() * 4 + size_of::<AtlasEntry>() + 2 * size_of::<(Box<[u32]>, BoxId)>();
        self.numbers.insert(space.into(), number);
        number
    }
}

/// Measures the rows of some blocks, in boundaries that are wide enough or not.
fn measure(rows: Option<&AtlasRows<'_>>, slice: &Slice, is_wide: bool) -> AtlasEntry {
    let rows = rows.expect("only a table has rows to measure");
    let count = slice.statistics.count;
    if !is_wide || !rows.job.requirements.satisfied(&slice.statistics) {
        return AtlasEntry::new(count, f64::INFINITY, f64::INFINITY, false);
    }
    let cost = rows.job.loss.group(&slice.statistics);
    let mut facts = AtlasEntry::new(count, cost, rows.minimum.of(slice, cost), true);
    if let Some(complete) = &slice.complete
        && count - complete.count < rows.job.requirements.minimum_size()
    {
        facts.complete = rows.job.loss.group(complete) * (count as f64 / complete.count as f64);
    }
    facts
}
