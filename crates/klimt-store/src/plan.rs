//! Which groups a release has (`LeafScan`, Fig. 5, and the hierarchical algorithm of section 3.1), and who is held back.
//!
//! Groups are made of whole leaves, in their order. A group is closed when it satisfies the requirements at the granularity
//! that is asked for, *and* every row of it that an earlier release had has enough candidates: rows that were with it in
//! every group it was in. So releases of one state of the store never tell apart what a leaf holds together (Lemma 1), and
//! those of different states tell apart as little.
//!
//! Where leaves have been cut since, their neighbours are taken in until the rows that were together are together again.
//! Where that cannot help, because some of them have left or have moved far away, the rows that remain are unsafe: they are
//! held back, or the release is refused.

use crate::dictionary::Frame;
use crate::histories::Histories;
use crate::page::Page;
use hashbrown::HashMap;
use klimt::algorithm::index::By;
use klimt::partition::CutNode;
use klimt::requirement::Bound;
use klimt::spill::Block;
use klimt::statistics::Collector;
use klimt::{Error, Result};
use std::ops::Range;

/// Neighbours are looked at for so many times the rows that a group needs, and for twice those that would do or are missed.
const LOOK_AHEAD: usize = 16;
/// A run that was judged in vain is judged again when it has grown by one of so many of its rows.
const PATIENCE: usize = 16;

/// A group: so many rows in the order of the pages, of which some are held back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Group {
    pub rows: u32,
    /// The numbers, within the group, of the rows that are held back, ascending.
    pub held: Vec<u32>,
}

/// The groups of a release.
#[derive(Debug, Default)]
pub(crate) struct Plan {
    pub groups: Vec<Group>,
    /// How many rows were found unsafe; they are held back, or the release must not be.
    pub unsafe_rows: u64,
    /// The least number of candidates of a row that an earlier release had, unsafe ones included.
    pub smallest: Option<u64>,
}

/// What the groups must satisfy.
pub(crate) struct Standard<'a> {
    pub frame: &'a Frame,
    /// At the granularity that is asked for.
    pub granular: &'a Bound,
    /// What is promised of candidates: the base k, and every other requirement.
    pub promised: &'a Bound,
    pub histories: &'a Histories,
    pub by: By,
    pub hold_back: bool,
    pub collector: Collector<'a>,
}

/// Some leaves that are to be a group.
#[derive(Debug)]
struct Run {
    block: Block,
    marks: Vec<u32>,
    /// Where each leaf ends.
    ends: Vec<usize>,
}

/// The verdict on a run.
struct Verdict {
    /// The rows that are unsafe.
    held: Vec<u32>,
    /// Whether the others satisfy the requirements.
    satisfied: bool,
    /// The histories, ascending, of which taking in what comes next may keep more rows together.
    torn: Vec<u32>,
    /// How many rows with these histories come after the run.
    missed: usize,
    smallest: Option<u64>,
}

impl Verdict {
    /// How many rows the run leaves in want of others.
    fn damage(&self) -> usize {
        self.held.len() + self.missed
    }
}

/// Makes groups of leaves as they come.
pub(crate) struct Scanner<'a> {
    standard: Standard<'a>,
    /// The last group, which may have to take in what is left at the end.
    last: Option<(Run, Verdict)>,
    open: Run,
    /// The first leaves of the open run that would do with least damage.
    would_do: Option<(usize, Verdict)>,
    /// Histories whose rows have been looked for in vain, by number.
    given_up: Vec<bool>,
    /// So many rows may come before the open run is judged again.
    patience: usize,
    /// How many rows have each history, of those that are in no closed run.
    ahead: Vec<u32>,
    plan: Plan,
}

impl<'a> Scanner<'a> {
    /// For a store of which so many rows have each history.
    pub fn new(standard: Standard<'a>, ahead: Vec<u32>) -> Self {
        let (open, given_up) = (Run::empty(standard.frame), vec![false; ahead.len()]);
        Scanner {
            standard,
            last: None,
            open,
            would_do: None,
            given_up,
            patience: 0,
            ahead,
            plan: Plan::default(),
        }
    }

    /// Takes the leaves of the next page.
    pub fn page(&mut self, page: &Page) -> Result<()> {
        let (mut first, nothing) = (0, Block::empty(&self.standard.frame.table));
        let block = if self.standard.only_counts() { &nothing } else { &page.rows.block };
        for rows in self.standard.units(page) {
            let end = first + rows;
            self.open.push(block, &page.rows.marks, first..end);
            self.look(end - first)?;
            first = end;
        }
        Ok(())
    }

    /// So many rows have come: judges the open run, unless it has just been judged in vain.
    fn look(&mut self, rows: usize) -> Result<()> {
        if self.patience > rows {
            self.patience -= rows;
            return Ok(());
        }
        self.judge()
    }

    fn judge(&mut self) -> Result<()> {
        let mut verdict = self.standard.judge(&self.open, &self.ahead);
        verdict.torn.retain(|&mark| !self.given_up[mark as usize]);
        if verdict.satisfied && verdict.torn.is_empty() {
            let run = std::mem::replace(&mut self.open, Run::empty(self.standard.frame));
            (self.would_do, self.patience) = (None, 0);
            self.close(run, verdict);
            return Ok(());
        }
        let rows = self.open.marks.len();
        // Large runs are looked at again when they have grown by a part of what they are.
        self.patience = rows / PATIENCE;
        let least = self.would_do.as_ref().map(|(_, least)| least.damage());
        if verdict.satisfied && least.is_none_or(|least| verdict.damage() < least) {
            self.would_do = Some((self.open.ends.len(), verdict));
        }
        let Some((enough, least)) = &self.would_do else { return Ok(()) };
        let would_do = self.open.ends[*enough - 1];
        if rows < LOOK_AHEAD * self.standard.enough() + 2 * (would_do + least.missed) {
            return Ok(());
        }
        self.settle()
    }

    /// Closes the open run where it would do, and takes the leaves after that again.
    fn settle(&mut self) -> Result<()> {
        let Some((enough, verdict)) = self.would_do.take() else { return Ok(()) };
        let all = std::mem::replace(&mut self.open, Run::empty(self.standard.frame));
        let (run, rest) = all.split(enough, self.standard.frame);
        self.patience = 0;
        verdict.torn.iter().for_each(|&mark| self.given_up[mark as usize] = true);
        self.close(run, verdict);
        let mut first = 0;
        for &end in &rest.ends {
            self.open.push(&rest.block, &rest.marks, first..end);
            self.look(end - first)?;
            first = end;
        }
        Ok(())
    }

    fn close(&mut self, run: Run, verdict: Verdict) {
        run.marks.iter().for_each(|&mark| self.ahead[mark as usize] -= 1);
        if let Some((run, verdict)) = self.last.replace((run, verdict)) {
            self.plan.add(&run, verdict);
        }
    }

    /// All leaves have come: what is left joins the last group.
    pub fn finish(mut self) -> Result<Plan> {
        while self.would_do.is_some() {
            self.settle()?;
        }
        if !self.open.marks.is_empty() {
            let Some((mut run, _)) = self.last.take() else {
                return Err(Error::unsatisfied(
                    "the rows of the store do not satisfy the requirements together",
                )
                .with_help("insert more rows, or ask for less"));
            };
            run.marks.iter().for_each(|&mark| self.ahead[mark as usize] += 1);
            run.push_run(&self.open);
            let verdict = self.standard.judge(&run, &self.ahead);
            if !verdict.satisfied {
                return Err(Error::unsatisfied(
                    "the last group of the release does not satisfy the requirements",
                )
                .with_help("insert more rows, or ask for less"));
            }
            self.last = Some((run, verdict));
        }
        if let Some((run, verdict)) = self.last.take() {
            self.plan.add(&run, verdict);
        }
        Ok(self.plan)
    }
}

impl Plan {
    fn add(&mut self, run: &Run, verdict: Verdict) {
        self.unsafe_rows += verdict.held.len() as u64;
        self.smallest = self.smallest.into_iter().chain(verdict.smallest).min();
        self.groups.push(Group { rows: run.marks.len() as u32, held: verdict.held });
    }
}

impl Run {
    fn empty(frame: &Frame) -> Self {
        Run { block: Block::empty(&frame.table), marks: Vec::new(), ends: Vec::new() }
    }

    /// Appends a leaf: rows of a block, where they matter, and their histories.
    fn push(&mut self, block: &Block, marks: &[u32], rows: Range<usize>) {
        if block.rows() > 0 {
            let numbers: Vec<u32> = (rows.start as u32..rows.end as u32).collect();
            self.block.append_rows(block, &numbers);
        }
        self.marks.extend_from_slice(&marks[rows]);
        self.ends.push(self.marks.len());
    }

    fn push_run(&mut self, other: &Run) {
        let before = self.marks.len();
        self.block.append(&other.block);
        self.marks.extend_from_slice(&other.marks);
        self.ends.extend(other.ends.iter().map(|end| before + end));
    }

    /// The first leaves, and the others.
    fn split(self, leaves: usize, frame: &Frame) -> (Run, Run) {
        let (mut first, mut rest) = (Run::empty(frame), Run::empty(frame));
        let mut start = 0;
        for (leaf, &end) in self.ends.iter().enumerate() {
            let into = if leaf < leaves { &mut first } else { &mut rest };
            into.push(&self.block, &self.marks, start..end);
            start = end;
        }
        (first, rest)
    }
}

impl Standard<'_> {
    /// How many rows a group needs at least.
    fn enough(&self) -> usize {
        self.granular.minimum_size().max(1) as usize
    }

    /// Whether nothing but sizes decides.
    pub fn only_counts(&self) -> bool {
        self.granular.only_count() && self.promised.only_count()
    }

    /// How many rows are taken at once, in order: those of a leaf, or of a subtree that cannot be divided.
    fn units(&self, page: &Page) -> Vec<usize> {
        let mut units = Vec::new();
        match self.by {
            By::LeafScan => units.extend(page.leaves().iter().map(|&rows| rows as usize)),
            By::Level => {
                self.divide(page, 0, 0, &mut units);
            }
        }
        units.retain(|&rows| rows > 0);
        units
    }

    /// Divides a subtree as far as both sides of a cut satisfy the requirements; returns how many rows it has.
    fn divide(&self, page: &Page, at: usize, first: usize, units: &mut Vec<usize>) -> usize {
        let tree = &page.tree;
        if let CutNode::Leaf { rows } = tree.nodes[at] {
            units.push(rows as usize);
            return rows as usize;
        }
        let before = units.len();
        let left = self.divide(page, at + 1, first, units);
        let right = self.divide(page, at + tree.right(at), first + left, units);
        let side = |first: usize, rows: usize| {
            let numbers: Vec<u32> = (first as u32..(first + rows) as u32).collect();
            rows == 0 || self.satisfied(self.granular, &page.rows.block, &numbers)
        };
        if !side(first, left) || !side(first + left, right) {
            units.truncate(before);
            units.push(left + right);
        }
        left + right
    }

    fn satisfied(&self, bound: &Bound, block: &Block, rows: &[u32]) -> bool {
        if bound.only_count() {
            return rows.len() as u64 >= bound.minimum_size();
        }
        let mut statistics = self.collector.empty();
        self.collector.add_rows(&mut statistics, block, rows);
        bound.satisfied(&statistics)
    }

    /// Finds the unsafe rows of a run, and whether the others would do. So many rows of each history are in this run or
    /// will come after it.
    fn judge(&self, run: &Run, ahead: &[u32]) -> Verdict {
        let mut kept: Vec<u32> = (0..run.marks.len() as u32).collect();
        let mut held = Vec::new();
        if (kept.len() as u64) < self.granular.minimum_size() {
            return Verdict { held, satisfied: false, torn: Vec::new(), missed: 0, smallest: None };
        }
        let mut torn: Option<(Vec<u32>, usize)> = None;
        let smallest = loop {
            let (unsafe_marks, smallest) = self.unsafe_marks(run, &kept);
            torn.get_or_insert_with(|| self.torn(run, ahead, &unsafe_marks));
            let is_unsafe = |row: &u32| unsafe_marks.binary_search(&run.marks[*row as usize]).is_ok();
            held.extend(kept.iter().filter(|row| is_unsafe(row)));
            // Others may have counted on those that are held back.
            if unsafe_marks.is_empty() || !self.hold_back {
                break smallest;
            }
            kept.retain(|row| !is_unsafe(row));
        };
        held.sort_unstable();
        let satisfied = self.satisfied(self.granular, &run.block, &kept);
        let (torn, missed) = torn.unwrap_or_default();
        Verdict { satisfied, held, torn, missed, smallest }
    }

    /// The histories of rows that are in the run and after it, too few on either side; and how many rows with them come
    /// after it. Those with too few candidates in the run are given.
    fn torn(&self, run: &Run, ahead: &[u32], unsafe_marks: &[u32]) -> (Vec<u32>, usize) {
        let least = self.promised.minimum_size() as usize;
        let mut marks: Vec<u32> = run.marks.iter().copied().filter(|&mark| mark != 0).collect();
        marks.sort_unstable();
        let (mut torn, mut missed) = (Vec::new(), 0);
        for same in marks.chunk_by(|a, b| a == b) {
            let after = ahead[same[0] as usize] as usize - same.len();
            if after > 0 && (after < least || unsafe_marks.binary_search(&same[0]).is_ok()) {
                torn.push(same[0]);
                missed += after;
            }
        }
        (torn, missed)
    }

    /// The histories, ascending, of rows that have too few candidates among the given rows; and the least number of these.
    fn unsafe_marks(&self, run: &Run, rows: &[u32]) -> (Vec<u32>, Option<u64>) {
        if self.histories.len() == 1 {
            return (Vec::new(), None);
        }
        let mut by_mark: Vec<u32> = rows.to_vec();
        by_mark.sort_unstable_by_key(|&row| (run.marks[row as usize], row));
        let same = |a: &u32, b: &u32| run.marks[*a as usize] == run.marks[*b as usize];
        let classes: Vec<(u32, &[u32])> =
            by_mark.chunk_by(same).map(|rows| (run.marks[rows[0] as usize], rows)).collect();
        // Whoever includes a history has its last step.
        let mut with_step: HashMap<(u32, u32), Vec<usize>> = HashMap::new();
        for (number, &(mark, _)) in classes.iter().enumerate() {
            self.histories.steps(mark).for_each(|step| with_step.entry(step).or_default().push(number));
        }
        let (mut found, mut smallest, mut candidates) = (Vec::new(), None, Vec::new());
        for &(mark, _) in classes.iter().filter(|(mark, _)| *mark != 0) {
            candidates.clear();
            let last = self.histories.steps(mark).next().and_then(|step| with_step.get(&step));
            for &(other, rows) in last.into_iter().flatten().map(|&number| &classes[number]) {
                if self.histories.includes(other, mark) {
                    candidates.extend_from_slice(rows);
                }
            }
            smallest = smallest.into_iter().chain(Some(candidates.len() as u64)).min();
            if !self.satisfied(self.promised, &run.block, &candidates) {
                found.push(mark);
            }
        }
        (found, smallest)
    }
}
