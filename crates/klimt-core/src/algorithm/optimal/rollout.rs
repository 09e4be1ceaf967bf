//! Nested rollouts: a partition is finished greedily to see what a cut is worth.
//!
//! At depth 0, a box is cut where the guess is best, and so on down to small boxes, which are searched. At depth d, each
//! of the best-looking cuts is finished at depth d − 1, and the one that turned out best is taken. Whatever is found on
//! the way is remembered.

use super::part::{Part, Rows};
use super::problem::Problem;
use super::search::{Search, is_small, with_words};

/// How rollouts go about it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rollout {
    /// How many levels are nested.
    pub depth: u8,
    /// Boxes with at most so many rows nest one level at most.
    pub deep: u32,
    /// How many cuts of a box are looked at.
    pub width: usize,
    /// Boxes with at most so many rows are searched.
    pub bottom: u32,
    /// How many boxes each of these searches opens.
    pub boxes: u64,
    /// Which discount guesses rest on.
    pub slant: usize,
}

impl Search<'_> {
    /// Rolls out some rows, and returns the cost of the best partition known.
    pub fn roll_out(&mut self, problem: &Problem<'_>, rows: &[u32], depth: u8, how: &Rollout) -> f64 {
        with_words!(rows.len(), W => {
            let part = Part::<W>::new(problem, rows.to_vec(), Vec::new(), self.slant);
            self.finish(&part, &part.all(), depth, how)
        }, else unreachable!("parts are small enough to be searched"))
    }

    fn finish<const W: usize>(&mut self, part: &Part<'_, W>, of: &Rows<W>, depth: u8, how: &Rollout) -> f64 {
        let depth = if of.count <= how.deep { depth.min(1) } else { depth };
        let mut known = self.meet(part, of);
        let last = of.count < 2 * part.problem.least_side() as u32;
        if last || known.depth > depth || known.lower >= known.upper || self.boxes == 0 {
            return known.upper;
        }
        if is_small(of) {
            return self.roll_out(part.problem, &part.ids(of), depth, how);
        }
        if of.count <= how.bottom {
            return self.search_bottom(part, of, how);
        }
        let mut cuts = self.spare.pop().unwrap_or_default();
        part.cuts(of, &mut cuts);
        self.boxes = if self.is_stopped() { 0 } else { self.boxes - 1 };
        let looked_at = if depth == 0 { 1 } else { how.width };
        let mut best: Option<(f64, usize)> = None;
        for (at, cut) in cuts.iter().enumerate().take(looked_at) {
            let sides = part.divide(of, part.left(of, cut), cut.left);
            let cost: f64 =
                sides.iter().map(|side| self.finish(part, side, depth.saturating_sub(1), how)).sum();
            if best.is_none_or(|(least, _)| cost < least) {
                best = Some((cost, at));
            }
        }
        if let Some((mut cost, at)) = best {
            let cut = cuts[at];
            if depth > 0 {
                let sides = part.divide(of, part.left(of, &cut), cut.left);
                cost = sides.iter().map(|side| self.finish(part, side, depth, how)).sum();
            }
            if cost < known.upper {
                (known.upper, known.place) = (cost, cut.place);
            }
        }
        self.spare.push(cuts);
        known.depth = depth + 1;
        self.known.insert(of.key, known);
        known.upper
    }

    /// Searches a box with a few openings.
    fn search_bottom<const W: usize>(&mut self, part: &Part<'_, W>, of: &Rows<W>, how: &Rollout) -> f64 {
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
