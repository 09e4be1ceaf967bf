//! The memoised branch and bound: OPT(box) = min(cost(box) if allowed, min over cuts of OPT(left) + OPT(right)).
//!
//! A box is the set of its rows: different orders of cuts meet in the same set, and a box equals its shrunken box. What
//! is known of a box, a lower bound and the best partition found, is kept as long as the search lives, and every call
//! sharpens it. Where the rows of a box are few among those of the part, the part is laid out anew around the box, so
//! that a cut costs what the box is large.

use super::cuts::SearchCut;
use super::part::{OptimalPart, RowSet};
use super::place::{CutPlace, key_of};
use super::problem::OptimalProblem;
use super::walk::BoxWalk;
use crate::partition::{CutNode, CutTree};
use hashbrown::HashMap;

/// Calls `$run` with the number of words that hold this many rows, as a constant.
macro_rules! with_words {
    ($rows:expr, $words:ident => $run:expr, else $otherwise:expr) => {
        match $rows {
            0..=64 => {
                const $words: usize = 1;
                $run
            }
            65..=128 => {
                const $words: usize = 2;
                $run
            }
            129..=256 => {
                const $words: usize = 4;
                $run
            }
            257..=512 => {
                const $words: usize = 8;
                $run
            }
            513..=1024 => {
                const $words: usize = 16;
                $run
            }
            1025..=4096 => {
                const $words: usize = 64;
                $run
            }
            4097..=32768 => {
                const $words: usize = 512;
                $run
            }
            _ => $otherwise,
        }
    };
}

pub(super) use with_words;

/// The most rows of a part that is searched.
pub const MOST_ROWS: usize = 32768;

/// How many words hold this many rows of a part.
pub(super) fn words(rows: usize) -> usize {
    with_words!(rows, W => W, else MOST_ROWS / 64)
}

/// Parts are laid out anew around boxes from this many words on.
const LAID_OUT_ANEW: usize = 16;

/// The bounds and the first cut of a box.
#[derive(Clone, Copy, Debug)]
pub(super) struct BoxBounds {
    /// No partition costs less, of those that the search looks at.
    pub lower: f64,
    /// The cost of the best partition found.
    pub upper: f64,
    /// Where that is cut first.
    pub place: CutPlace,
    /// How many levels of rollouts have been nested in it.
    pub depth: u8,
}

/// Whether a box is so small in its part that the part is better laid out anew around it.
pub(super) fn is_small<const W: usize>(of: &RowSet<W>) -> bool {
    W >= LAID_OUT_ANEW && of.count.div_ceil(64) as usize * 16 <= W
}

/// How a search went: no partition costs less than the one, and the best found costs the other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct SearchBounds {
    pub lower: f64,
    pub upper: f64,
}

/// A search over the partitions of a part.
pub(super) struct Search<'a> {
    pub(super) known: HashMap<u128, BoxBounds>,
    /// How many cuts of a box are tried, best guess first; only a search that tries all of them proves something.
    width: usize,
    /// The boxes that may still be opened.
    pub boxes: u64,
    /// Says that it is time to stop; asked now and then.
    stop: &'a (dyn Fn() -> bool + Sync + 'a),
    pub(super) spare: Vec<Vec<SearchCut>>,
    /// Which discount guesses rest on.
    pub slant: usize,
}

/// Before a box with more rows than these is opened, it is asked whether it is time to stop.
pub(super) const MANY_ROWS: u32 = 512;

impl<'a> Search<'a> {
    /// A search that opens this many boxes at most.
    pub fn new(boxes: u64, stop: &'a (dyn Fn() -> bool + Sync + 'a)) -> Self {
        Search { known: HashMap::new(), width: usize::MAX, boxes, stop, spare: Vec::new(), slant: 0 }
    }

    /// Tries `width` cuts of every box from now on; boxes that were closed with fewer cuts are open again.
    pub fn widen(&mut self, width: usize) {
        self.width = width;
        let settled = |known: &BoxBounds| known.upper.is_infinite();
        self.known.values_mut().filter(|known| !settled(known)).for_each(|known| known.lower = 0.0);
    }

    /// Whether it is time to stop.
    pub(super) fn is_stopped(&self) -> bool {
        (self.stop)()
    }

    /// The boxes that something is known of.
    pub fn known_boxes(&self) -> usize {
        self.known.len()
    }

    /// Searches for a partition of some rows that costs less than `budget`.
    ///
    /// Afterwards, lower bound and cost are equal, or the lower bound reaches the budget, or the boxes have run out.
    pub fn solve(
        &mut self,
        problem: &OptimalProblem<'_>,
        rows: &[u32],
        dues: Vec<f64>,
        budget: f64,
    ) -> SearchBounds {
        with_words!(rows.len(), W => {
            let part = OptimalPart::<W>::new(problem, rows.to_vec(), dues, self.slant);
            self.open(&part, &part.all(), budget)
        }, else unreachable!("parts are small enough to be searched"))
    }

    /// Looks a box up.
    fn look_up<const W: usize>(&self, part: &OptimalPart<'_, W>, of: &RowSet<W>) -> SearchBounds {
        match self.known.get(&of.key) {
            Some(&BoxBounds { lower, upper, .. }) => SearchBounds { lower, upper },
            None => SearchBounds { lower: part.lower(&of.rows, of.count), upper: f64::INFINITY },
        }
    }

    /// Searches for a partition of a box that costs less than `budget`.
    pub(super) fn open<const W: usize>(
        &mut self,
        part: &OptimalPart<'_, W>,
        of: &RowSet<W>,
        budget: f64,
    ) -> SearchBounds {
        let mut walk = BoxWalk::new(of);
        let mut opened: Vec<OpenBox> = Vec::new();
        let mut reached = self.look_inside(part, of, budget, &mut opened);
        while let Some(inner) = opened.last_mut() {
            match (inner.side, reached.take()) {
                (SearchSide::Few, Some(first)) => {
                    let few = walk.leave_few();
                    inner.first = first;
                    if first.lower + inner.second.lower < inner.goal && first.upper.is_finite() {
                        inner.side = SearchSide::Many;
                        let goal = inner.goal - first.lower;
                        walk.enter_many(&few);
                        reached = self.look_inside(part, &walk.here, goal, &mut opened);
                        continue;
                    }
                    inner.add_cut(inner.second);
                }
                (SearchSide::Many, Some(second)) => {
                    walk.leave_many();
                    inner.add_cut(second);
                }
                _ => {}
            }
            match inner.next_cut(self.width, self.boxes) {
                Some(cut) => {
                    let [few, many] = part.divide(&walk.here, part.left(&walk.here, &cut), cut.left);
                    inner.second = self.look_up(part, &many);
                    inner.side = SearchSide::Few;
                    let goal = inner.goal - inner.second.lower;
                    walk.enter_few(&few);
                    reached = self.look_inside(part, &walk.here, goal, &mut opened);
                }
                None => {
                    let OpenBox { mut known, cuts, rest, .. } = opened.pop().expect("a box is open");
                    self.spare.push(cuts);
                    known.lower = known.lower.max(rest).min(known.upper);
                    self.known.insert(walk.here.key, known);
                    reached = Some(SearchBounds { lower: known.lower, upper: known.upper });
                }
            }
        }
        reached.expect("what the outermost box came to")
    }

    /// The entry of a box where that decides; else the box is opened, and its cuts are tried best guess
    /// first.
    fn look_inside<const W: usize>(
        &mut self,
        part: &OptimalPart<'_, W>,
        of: &RowSet<W>,
        budget: f64,
        opened: &mut Vec<OpenBox>,
    ) -> Option<SearchBounds> {
        let mut known = self.meet(part, of);
        if of.count < 2 * part.problem.least_side() as u32 {
            return Some(SearchBounds { lower: known.upper, upper: known.upper });
        }
        if known.lower < known.upper && known.lower < budget && self.boxes > 0 {
            if is_small(of) {
                return Some(self.solve(part.problem, &part.ids(of), part.dues_of(of), budget));
            }
            self.boxes -= 1;
            // A box of many rows takes as long as hundreds of small ones.
            if (self.boxes.is_multiple_of(256) || of.count > MANY_ROWS) && self.is_stopped() {
                self.boxes = 0;
            }
            let mut cuts = self.spare.pop().unwrap_or_default();
            let complete = part.cuts(of, &mut cuts);
            if complete && part.problem.price.is_none() && (of.count as usize) < 3 * part.problem.minimum() {
                // Neither side can be cut again.
                if let Some(cut) = cuts.first().filter(|cut| cut.cost < known.upper) {
                    (known.upper, known.place) = (cut.cost, cut.place);
                }
                known.lower = known.upper;
                cuts.clear();
            }
            // The least that any partition costs which is not ruled out: the box itself, and what its cuts leave open.
            let rest = if complete { known.upper } else { known.lower };
            opened.push(OpenBox::new(known, cuts, rest, budget));
            return None;
        }
        self.known.insert(of.key, known);
        Some(SearchBounds { lower: known.lower, upper: known.upper })
    }

    /// The entry of a box; at first, its cost uncut.
    pub(super) fn meet<const W: usize>(&self, part: &OptimalPart<'_, W>, of: &RowSet<W>) -> BoxBounds {
        self.known.get(&of.key).copied().unwrap_or_else(|| {
            let price = part.problem.price.map_or(f64::INFINITY, |price| price * f64::from(of.count));
            let upper = part.group(of).min(price);
            // No refinement of a box that violates a requirement satisfies it.
            let lower = if upper.is_infinite() { upper } else { part.lower(&of.rows, of.count).min(upper) };
            BoxBounds { lower, upper, place: CutPlace::NONE, depth: 0 }
        })
    }

    /// Appends the cuts of the best partition found of some rows, and the rows of its leaves one after the other.
    pub fn plant(
        &self,
        problem: &OptimalProblem<'_>,
        rows: &[u32],
        tree: &mut CutTree,
        order: &mut Vec<u32>,
    ) {
        // Boxes from the last to the next, and the cuts whose left sides end where they begin.
        let mut pending = vec![(rows.to_vec(), None)];
        while let Some((rows, ends)) = pending.pop() {
            if let Some(cut) = ends {
                tree.close_left(cut);
            }
            let place = self.known.get(&key_of(&rows)).map_or(CutPlace::NONE, |known| known.place);
            if place == CutPlace::NONE {
                tree.nodes.push(CutNode::Leaf { rows: rows.len() as u32 });
                order.extend_from_slice(&rows);
                continue;
            }
            let cut = tree.nodes.len();
            let node = place.node(&mut tree.members);
            tree.nodes.push(node);
            let (left, right) = place.divide(problem.table, &rows);
            pending.push((right, Some(cut)));
            pending.push((left, None));
        }
    }
}

/// A box whose cuts are being tried.
struct OpenBox {
    known: BoxBounds,
    /// Its cuts, best guess first.
    cuts: Vec<SearchCut>,
    /// The next cut.
    next: usize,
    /// How many cuts led to a partition.
    tried: usize,
    /// The least that any partition costs which is not ruled out.
    rest: f64,
    /// Partitions that cost as much are not looked for.
    budget: f64,
    /// The same, of the sides of the cut that is being tried.
    goal: f64,
    /// The side that the search is in.
    side: SearchSide,
    /// The result for the smaller side.
    first: SearchBounds,
    /// The bounds of the larger side.
    second: SearchBounds,
}

/// The sides of a cut; the smaller one is searched first.
#[derive(Clone, Copy)]
pub(super) enum SearchSide {
    Neither,
    Few,
    Many,
}

impl OpenBox {
    fn new(known: BoxBounds, cuts: Vec<SearchCut>, rest: f64, budget: f64) -> Self {
        let open = SearchBounds { lower: 0.0, upper: f64::INFINITY };
        let (side, first, second) = (SearchSide::Neither, open, open);
        OpenBox { known, cuts, next: 0, tried: 0, rest, budget, goal: budget, side, first, second }
    }

    /// The next cut that may lead to less than the budget and than what is known.
    fn next_cut(&mut self, width: usize, boxes: u64) -> Option<SearchCut> {
        while let Some(&cut) = self.cuts.get(self.next).filter(|_| self.tried < width) {
            self.goal = self.budget.min(self.known.upper);
            if cut.lower < self.goal && boxes > 0 {
                return Some(cut);
            }
            self.rest = self.rest.min(cut.lower);
            self.next += 1;
        }
        None
    }

    /// Adds what the sides of the cut came to.
    fn add_cut(&mut self, second: SearchBounds) {
        let reached =
            SearchBounds { lower: self.first.lower + second.lower, upper: self.first.upper + second.upper };
        self.tried += usize::from(reached.upper.is_finite());
        self.rest = self.rest.min(reached.lower);
        if reached.upper < self.known.upper {
            (self.known.upper, self.known.place) = (reached.upper, self.cuts[self.next].place);
        }
        self.next += 1;
    }
}
