//! From lower bounds to the optimum: where the array holds rounded costs, the exact ones are found from above.
//!
//! Rounding takes less than a unit per group, so that hardly any cut but the best has a lower bound below the exact cost
//! of the best. Only such cuts are looked into, again by their exact costs.

use super::grid::BoxRanges;
use super::leaves::{LeafScratch, Leaves};
use super::trace::{BoxChoice, Solution, parts};
use super::value::CostValue;
use crate::job::Job;
use hashbrown::HashMap;

/// The most boxes that are looked into.
const MOST: usize = 1 << 21;

/// How many boxes are looked into between two looks at the clock.
const PATIENCE: usize = 1 << 10;

/// The exact cost of boxes, and what is best to do with them.
#[derive(Clone, Debug, Default)]
pub struct BoxRefinement {
    found: HashMap<usize, (f64, BoxChoice)>,
}

impl BoxRefinement {
    /// The best choice for a box, by its number, if the box was opened.
    pub fn choice(&self, place: usize) -> Option<BoxChoice> {
        self.found.get(&place).map(|&(_, choice)| choice)
    }
}

/// A box that is being looked into.
struct BoxFrame {
    bounds: BoxRanges,
    place: usize,
    best: f64,
    choice: BoxChoice,
    /// The cuts with their lower bounds, ascending.
    cuts: Vec<(f64, usize, usize)>,
    next: usize,
}

/// The next step for a box.
enum Next {
    /// Another box must be looked into.
    LookInto(BoxRanges),
    /// Another cut.
    Again,
    /// It is known.
    Known,
}

impl<V: CostValue> Solution<'_, V> {
    /// Finds the exact cost of the whole; `None` where that takes too long.
    pub fn refine(&self, job: &Job<'_>) -> Option<BoxRefinement> {
        let mut scratch = self.leaves.facts.scratch();
        let mut refined = BoxRefinement::default();
        let mut whole = self.leaves.facts.grid.whole();
        self.shrink(&mut whole, &mut scratch);
        let mut frames = vec![self.frame(whole, &mut scratch)];
        let mut looked = 0;
        while let Some(frame) = frames.last_mut() {
            match self.advance(frame, &refined, &mut scratch) {
                Next::Again => {}
                Next::Known => {
                    refined.found.insert(frame.place, (frame.best, frame.choice));
                    frames.pop();
                }
                Next::LookInto(bounds) => {
                    looked += 1;
                    let stops = || looked % PATIENCE == 0 && (job.budget.over() || job.observer.cancelled());
                    if looked > MOST || stops() {
                        return None;
                    }
                    frames.push(self.frame(bounds, &mut scratch));
                }
            }
        }
        Some(refined)
    }

    fn frame(&self, bounds: BoxRanges, scratch: &mut LeafScratch) -> BoxFrame {
        let Leaves { facts, scale, .. } = *self.leaves;
        let group = facts.group(&bounds, scratch).unwrap_or(f64::INFINITY);
        let suppressed =
            facts.price.map_or(f64::INFINITY, |price| price * f64::from(facts.count(&bounds, scratch)));
        let (best, choice) =
            if group <= suppressed { (group, BoxChoice::Group) } else { (suppressed, BoxChoice::Suppressed) };
        let bound = |(axis, code)| (self.value_of_cut(&bounds, axis, code).cost(scale), axis, code);
        let mut cuts: Vec<_> = Self::cuts(&bounds).map(bound).filter(|(bound, ..)| *bound < best).collect();
        cuts.sort_by(|a, b| a.0.total_cmp(&b.0));
        BoxFrame { place: facts.grid.place(&bounds), bounds, best, choice, cuts, next: 0 }
    }

    fn advance(&self, frame: &mut BoxFrame, refined: &BoxRefinement, scratch: &mut LeafScratch) -> Next {
        let Some(&(bound, axis, code)) = frame.cuts.get(frame.next).filter(|(bound, ..)| *bound < frame.best)
        else {
            return Next::Known;
        };
        let mut cost = 0.0;
        let mut rest = bound;
        for mut part in parts(&frame.bounds, axis, code) {
            if rest >= frame.best {
                break;
            }
            self.shrink(&mut part, scratch);
            let Some((exact, _)) = refined.found.get(&self.leaves.facts.grid.place(&part)) else {
                return Next::LookInto(part);
            };
            cost += exact;
            rest += exact - self.value(&part).cost(self.leaves.scale);
        }
        // At the same cost, smaller groups tell more.
        let is_better = cost < frame.best || (cost == frame.best && frame.choice == BoxChoice::Group);
        if rest < frame.best && is_better {
            (frame.best, frame.choice) = (cost, BoxChoice::Cut(axis, code));
        }
        frame.next += 1;
        Next::Again
    }
}
