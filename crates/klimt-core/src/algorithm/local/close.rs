//! From cheap to expensive vectors: rows that are still open are grouped by their generalised tuple, and groups that
//! satisfy the requirements are closed.

use super::group::LocalGroup;
use super::joint::Joint;
use super::levels::{Lattice, Vector};
use super::problem::LocalProblem;
use crate::job::Job;
use crate::{Error, ErrorKind, Result};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// In which order groups are closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ClosingOrder {
    /// Vector by vector, each with all its groups: the plain loop.
    Vectors,
    /// Group by group, the cheapest of all vectors first.
    Groups,
}

/// By how much groups may be cheaper than a row pays for their vector on average, and still be closed in their turn.
const EARLY: f64 = 0.85;

/// Groups, and the tuples that found none.
pub(super) struct ClosedGroups {
    pub groups: Vec<LocalGroup>,
    pub open: Vec<u32>,
}

/// Goes through the lattice once.
pub(super) fn close(
    problem: &LocalProblem<'_>,
    lattice: &Lattice,
    order: ClosingOrder,
    job: &Job<'_>,
) -> Result<ClosedGroups> {
    let mut run = ClosingRun::new(problem, lattice, order);
    // Where going through all vectors would take long, only every second is visited from here on, every fourth from there
    // on, and so on; groups that are too coarse then are split again.
    let patience = 40_000_000 + 8 * problem.tuples.len() as u64;
    let last = lattice.vectors.len() - 1;
    for (number, vector) in lattice.vectors.iter().enumerate() {
        if job.observer.cancelled() {
            return Err(Error::new(ErrorKind::Cancelled, "stopped"));
        }
        // When the time is over, what is open goes together.
        if number != last && job.budget.over() {
            run.skips = true;
            continue;
        }
        let chunks = run.visited / patience;
        if number != last && number & ((1 << chunks.min(16)) - 1) != 0 {
            run.skips = true;
            continue;
        }
        if order == ClosingOrder::Groups {
            run.drain(vector.cost * EARLY);
        }
        run.compact();
        if run.waiting_rows < problem.minimum() {
            break;
        }
        run.visit(vector);
    }
    run.drain(f64::INFINITY);
    let open = (0..problem.tuples.len() as u32).filter(|&tuple| run.is_open[tuple as usize]).collect();
    Ok(ClosedGroups { groups: run.groups, open })
}

/// A place of the hash table: rows whose generalised tuples have the same key.
#[derive(Clone, Copy, Default)]
struct RowSlot {
    key: u64,
    /// The visit that the place was filled in.
    visit: u32,
    rows: u32,
}

/// Tuples that could be a group, and what a row would pay when they were found.
#[derive(PartialEq)]
struct GroupCandidate {
    paid: f64,
    number: u32,
}

impl Eq for GroupCandidate {}

impl PartialOrd for GroupCandidate {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for GroupCandidate {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.paid.total_cmp(&other.paid).then(self.number.cmp(&other.number))
    }
}

struct ClosingRun<'p, 'a> {
    problem: &'p LocalProblem<'a>,
    lattice: &'p Lattice,
    order: ClosingOrder,
    is_open: Vec<bool>,
    /// The open tuples, and some that were closed since the list was made, with their rows and joint codes side by
    /// side.
    waiting: Vec<u32>,
    rows: Vec<u32>,
    codes: Vec<u32>,
    waiting_rows: u64,
    closed_since: usize,
    groups: Vec<LocalGroup>,
    candidates: Vec<Vec<u32>>,
    queue: BinaryHeap<Reverse<GroupCandidate>>,
    joints: Vec<Joint>,
    slots: Vec<RowSlot>,
    visits: u32,
    /// How many tuples all visits have looked at, and whether vectors were left out since.
    visited: u64,
    skips: bool,
    /// The place of every waiting tuple in the visit at hand.
    places: Vec<u32>,
}

impl<'p, 'a> ClosingRun<'p, 'a> {
    fn new(problem: &'p LocalProblem<'a>, lattice: &'p Lattice, order: ClosingOrder) -> Self {
        ClosingRun {
            problem,
            lattice,
            order,
            is_open: vec![true; problem.tuples.len()],
            waiting: (0..problem.tuples.len() as u32).collect(),
            rows: Vec::new(),
            codes: Vec::new(),
            waiting_rows: problem.table.rows() as u64,
            closed_since: 0,
            groups: Vec::new(),
            candidates: Vec::new(),
            queue: BinaryHeap::new(),
            joints: Joint::all(problem, lattice),
            slots: Vec::new(),
            visits: 0,
            visited: 0,
            skips: false,
            places: Vec::new(),
        }
    }

    /// Forgets tuples that were closed, when there are many.
    fn compact(&mut self) {
        if self.closed_since * 8 > self.waiting.len() || self.rows.is_empty() {
            let tuples = &self.problem.tuples;
            self.waiting.retain(|&tuple| self.is_open[tuple as usize]);
            self.rows.clear();
            self.rows.extend(self.waiting.iter().map(|&tuple| tuples.count(tuple)));
            self.codes.clear();
            for &tuple in &self.waiting {
                self.codes.extend(self.joints.iter().map(|joint| joint.code(tuples.codes(tuple))));
            }
            self.closed_since = 0;
        }
    }

    /// Groups the open tuples by a vector.
    fn visit(&mut self, vector: &Vector) {
        if !self.count(vector) {
            return;
        }
        for tuples in self.gather() {
            if self.order == ClosingOrder::Vectors {
                let group = LocalGroup::of_tuples(self.problem, &tuples);
                if self.problem.satisfied(group.count, &group.bundles) {
                    self.close(group);
                }
            } else if !(self.lattice.complete && !self.skips && self.met_before(vector, &tuples)) {
                let group = LocalGroup::of_tuples(self.problem, &tuples);
                if self.problem.satisfied(group.count, &group.bundles) {
                    let paid = self.paid(&group);
                    self.queue.push(Reverse(GroupCandidate { paid, number: self.candidates.len() as u32 }));
                    self.candidates.push(tuples);
                }
            }
        }
    }

    /// Counts the open rows by generalised tuple, and tells whether any have company enough.
    fn count(&mut self, vector: &Vector) -> bool {
        let size = (self.waiting.len() * 2).next_power_of_two().max(16);
        if self.slots.len() < size {
            self.slots = vec![RowSlot::default(); size];
            self.visits = 0;
        }
        self.visits += 1;
        self.visited += self.waiting.len() as u64;
        let (visit, mask, shift) = (self.visits, size - 1, 64 - size.trailing_zeros());
        let lattice = self.lattice;
        let prepared: Vec<Option<usize>> =
            self.joints.iter_mut().map(|joint| joint.prepare(lattice, &vector.levels)).collect();
        // Where everything is generalised, all have the same key.
        let told: Vec<(usize, &[u64])> = (0..)
            .zip(self.joints.iter().zip(prepared))
            .filter_map(|(at, (joint, prepared))| Some((at, joint.keys(prepared?))))
            .collect();
        let minimum = self.problem.minimum();
        let slots = &mut self.slots[..size];
        let mut enough = false;
        self.places.clear();
        let each = self.waiting.iter().zip(&self.rows).zip(self.codes.chunks_exact(self.joints.len().max(1)));
        for ((&tuple, &rows), codes) in each {
            let key = told.iter().fold(0u64, |key, &(d, keys)| key.wrapping_add(keys[codes[d] as usize]));
            let mut at = (key >> shift) as usize;
            while slots[at].visit == visit && slots[at].key != key {
                at = (at + 1) & mask;
            }
            let slot = &mut slots[at];
            let before = if slot.visit == visit { slot.rows } else { 0 };
            let rows = before + if self.is_open[tuple as usize] { rows } else { 0 };
            *slot = RowSlot { key, visit, rows };
            enough |= u64::from(rows) >= minimum;
            self.places.push(at as u32);
        }
        enough
    }

    /// The tuples that have company enough, in the order in which each group is met first.
    fn gather(&mut self) -> Vec<Vec<u32>> {
        let minimum = self.problem.minimum();
        let mut found: Vec<Vec<u32>> = Vec::new();
        for (&tuple, &place) in self.waiting.iter().zip(&self.places) {
            if !self.is_open[tuple as usize] {
                continue;
            }
            let slot = &mut self.slots[place as usize];
            // The key is not needed any more: it says which group it is.
            if slot.visit == self.visits && u64::from(slot.rows) >= minimum {
                (slot.visit, slot.key) = (u32::MAX, found.len() as u64);
                found.push(vec![tuple]);
            } else if slot.visit == u32::MAX {
                found[slot.key as usize].push(tuple);
            }
        }
        found
    }

    /// Whether a vector that is lower by a level has the same tuples in one group.
    fn met_before(&self, vector: &Vector, tuples: &[u32]) -> bool {
        let lower = |dimension: usize| {
            let level = vector.levels[dimension] as usize;
            let nodes = self.lattice.dimensions[dimension].nodes(level.max(1) - 1);
            let node = |tuple: u32| nodes[self.problem.tuples.codes(tuple)[dimension] as usize];
            level > 0 && tuples.iter().all(|&tuple| node(tuple) == node(tuples[0]))
        };
        (0..self.problem.dimensions()).any(lower)
    }

    fn paid(&self, group: &LocalGroup) -> f64 {
        match self.problem.by_cells {
            true => group.paid,
            false => self.problem.measured(&group.bundles) / group.count as f64,
        }
    }

    /// Closes the candidates that cost no more than so much a row, the cheapest first.
    fn drain(&mut self, most: f64) {
        while let Some(Reverse(next)) = self.queue.peek() {
            if next.paid > most {
                return;
            }
            let GroupCandidate { paid, number } = self.queue.pop().expect("one was seen").0;
            let found = std::mem::take(&mut self.candidates[number as usize]);
            let open: Vec<u32> =
                found.iter().copied().filter(|&tuple| self.is_open[tuple as usize]).collect();
            let count: u64 = open.iter().map(|&tuple| u64::from(self.problem.tuples.count(tuple))).sum();
            if count < self.problem.minimum() {
                continue;
            }
            let group = LocalGroup::of_tuples(self.problem, &open);
            if open.len() < found.len() {
                if !self.problem.satisfied(group.count, &group.bundles) {
                    continue;
                }
                let now = self.paid(&group);
                if now > paid {
                    self.queue.push(Reverse(GroupCandidate { paid: now, number }));
                    self.candidates[number as usize] = open;
                    continue;
                }
            }
            self.close(group);
        }
    }

    fn close(&mut self, group: LocalGroup) {
        group.bundles.iter().for_each(|bundle| self.is_open[bundle.tuple as usize] = false);
        self.waiting_rows -= group.count;
        self.closed_since += group.bundles.len();
        self.groups.push(group);
    }
}
