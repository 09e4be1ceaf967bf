//! Nested rollouts: a partition is finished greedily to see what a cut is worth.
//!
//! At depth 0, a box is cut where the guess is best, and so on down to small boxes, which are searched. At depth d, each
//! of the best-looking cuts is finished at depth d − 1, and the one that turned out best is taken. Whatever is found on
//! the way is remembered.

use super::cuts::SearchCut;
use super::part::{OptimalPart, RowSet};
use super::problem::OptimalProblem;
use super::search::{BoxBounds, Search, SearchSide, is_small, with_words};
use super::walk::BoxWalk;

/// How rollouts go about it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rollout {
    /// How many levels are nested.
    pub depth: u8,
    /// Boxes with at most this many rows nest one level at most.
    pub deep: u32,
    /// How many cuts of a box are looked at.
    pub width: usize,
    /// Boxes with at most this many rows are searched.
    pub bottom: u32,
    /// How many boxes each of these searches opens.
    pub boxes: u64,
    /// Which discount guesses rest on.
    pub slant: usize,
}

impl Search<'_> {
    /// Rolls out some rows, and returns the cost of the best partition known.
    pub fn roll_out(&mut self, problem: &OptimalProblem<'_>, rows: &[u32], depth: u8, how: &Rollout) -> f64 {
        with_words!(rows.len(), W => {
            let part = OptimalPart::<W>::new(problem, rows.to_vec(), Vec::new(), self.slant);
            self.finish(&part, &part.all(), depth, how)
        }, else unreachable!("parts are small enough to be searched"))
    }

    /// Finishes a box greedily, or with a look ahead of `depth` levels; returns the cost of the best partition known.
    fn finish<const W: usize>(
        &mut self,
        part: &OptimalPart<'_, W>,
        of: &RowSet<W>,
        depth: u8,
        how: &Rollout,
    ) -> f64 {
        let mut walk = BoxWalk::new(of);
        let mut begun: Vec<OpenRollout> = Vec::new();
        let mut cost = self.begin(part, of, depth, how, &mut begun);
        while let Some(inner) = begun.last_mut() {
            match (inner.side, cost.take()) {
                (SearchSide::Few, Some(first)) => {
                    let few = walk.leave_few();
                    (inner.first, inner.side) = (first, SearchSide::Many);
                    let depth = inner.depth_of_sides();
                    walk.enter_many(&few);
                    cost = self.begin(part, &walk.here, depth, how, &mut begun);
                    continue;
                }
                (SearchSide::Many, Some(second)) => {
                    walk.leave_many();
                    inner.add_cut(inner.first + second);
                }
                _ => {}
            }
            match inner.next_cut() {
                Some(cut) => {
                    inner.side = SearchSide::Few;
                    let depth = inner.depth_of_sides();
                    let [few, _] = part.divide(&walk.here, part.left(&walk.here, &cut), cut.left);
                    walk.enter_few(&few);
                    cost = self.begin(part, &walk.here, depth, how, &mut begun);
                }
                None => {
                    let known = begun.pop().expect("a box is begun").known;
                    self.known.insert(walk.here.key, known);
                    cost = Some(known.upper);
                }
            }
        }
        cost.expect("what the outermost box costs")
    }

    /// The cost of the best partition of a box where it is known or the box is small; else its cuts are to be rolled
    /// out.
    fn begin<const W: usize>(
        &mut self,
        part: &OptimalPart<'_, W>,
        of: &RowSet<W>,
        depth: u8,
        how: &Rollout,
        begun: &mut Vec<OpenRollout>,
    ) -> Option<f64> {
        let depth = if of.count <= how.deep { depth.min(1) } else { depth };
        let known = self.meet(part, of);
        let last = of.count < 2 * part.problem.least_side() as u32;
        if last || known.depth > depth || known.lower >= known.upper || self.boxes == 0 {
            return Some(known.upper);
        }
        if is_small(of) {
            return Some(self.roll_out(part.problem, &part.ids(of), depth, how));
        }
        if of.count <= how.bottom {
            return Some(self.search_bottom(part, of, how));
        }
        let mut cuts = self.spare.pop().unwrap_or_default();
        part.cuts(of, &mut cuts);
        self.boxes = if self.is_stopped() { 0 } else { self.boxes - 1 };
        let looked_at = if depth == 0 { 1 } else { how.width };
        // A chain of boxes keeps the cuts that it looks at, not all of them.
        let looked_at = cuts[..looked_at.min(cuts.len())].to_vec();
        self.spare.push(cuts);
        begun.push(OpenRollout::new(known, depth, looked_at));
        None
    }

    /// Searches a box with a few openings.
    fn search_bottom<const W: usize>(
        &mut self,
        part: &OptimalPart<'_, W>,
        of: &RowSet<W>,
        how: &Rollout,
    ) -> f64 {
        let all = self.boxes;
        self.boxes = how.boxes.min(all);
        let granted = self.boxes;
        let reached = self.open(part, of, f64::INFINITY);
        self.boxes = all - (granted - self.boxes);
        if let Some(known) = self.known.get_mut(&of.key) {
            known.depth = u8::MAX;
        }
        reached.upper
    }
}

/// A box whose cuts are being rolled out.
struct OpenRollout {
    known: BoxBounds,
    depth: u8,
    /// The cuts that are looked at, best guess first.
    cuts: Vec<SearchCut>,
    /// The next cut.
    next: usize,
    /// The least that a cut came to, and which cut that was.
    best: Option<(f64, usize)>,
    /// Whether the best cut is finished at the depth of the box.
    last: bool,
    /// The side that the rollout is in.
    side: SearchSide,
    /// The result for the smaller side.
    first: f64,
}

impl OpenRollout {
    fn new(known: BoxBounds, depth: u8, cuts: Vec<SearchCut>) -> Self {
        OpenRollout {
            known,
            depth,
            cuts,
            next: 0,
            best: None,
            last: false,
            side: SearchSide::Neither,
            first: 0.0,
        }
    }

    /// How many levels are nested in the sides of the current cut.
    fn depth_of_sides(&self) -> u8 {
        if self.last { self.depth } else { self.depth.saturating_sub(1) }
    }

    /// The next cut to roll out: at last the best one again, at the depth of the box.
    fn next_cut(&mut self) -> Option<SearchCut> {
        if self.last {
            return None;
        }
        if let Some(&cut) = self.cuts.get(self.next) {
            return Some(cut);
        }
        self.last = true;
        match self.best {
            Some((_, at)) if self.depth > 0 => Some(self.cuts[at]),
            best => {
                self.settle(best.map(|(cost, _)| cost));
                None
            }
        }
    }

    /// Adds what the sides of the current cut cost.
    fn add_cut(&mut self, cost: f64) {
        if self.last {
            self.settle(Some(cost));
            return;
        }
        if self.best.is_none_or(|(least, _)| cost < least) {
            self.best = Some((cost, self.next));
        }
        self.next += 1;
    }

    /// Remembers what the best cut costs.
    fn settle(&mut self, cost: Option<f64>) {
        if let (Some(cost), Some((_, at))) = (cost, self.best)
            && cost < self.known.upper
        {
            (self.known.upper, self.known.place) = (cost, self.cuts[at].place);
        }
        self.known.depth = self.depth + 1;
    }
}
